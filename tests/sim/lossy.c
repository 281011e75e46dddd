// SPDX-License-Identifier: GPL-2.0-only
#include "lossy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/reader.h"

#define MAX_CPUS 256
/* An update may be stamped so long before the add that it follows. */
#define EARLY_NS 1000
/* From a swap-in to the refault of the same folio. */
#define SWAPIN_NS 10000000
#define SUBBUFFER 90	/* events of 44 bytes in 4096 */

static const char *const kind_names[] = {
	"sub-buffers", "one burst", "one CPU", "beginnings", "ends", "first half", "many bursts",
};

const char *loss_kind_name(unsigned kind)
{
	return kind < LOSS_NR ? kind_names[kind] : "?";
}

static void *allocate(size_t nr, size_t size)
{
	void *p = calloc(nr ? nr : 1, size);

	if (!p)
		abort();
	return p;
}

/*
 * the whole
 */

static int by_pfn_and_end(const void *a, const void *b)
{
	const struct sim_life *x = &((const struct replay_life *)a)->life;
	const struct sim_life *y = &((const struct replay_life *)b)->life;

	if (x->pfn != y->pfn)
		return x->pfn < y->pfn ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static int by_kind_and_time(const void *a, const void *b)
{
	const struct violation *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

static int by_time_and_pfn(const void *a, const void *b)
{
	const struct sim_refault *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->pfn < y->pfn ? -1 : x->pfn > y->pfn;
}

static void *sorted(const void *array, unsigned nr, size_t size,
		    int (*compare)(const void *, const void *))
{
	void *copy = allocate(nr, size);

	if (nr)
		memcpy(copy, array, nr * size);
	qsort(copy, nr, size, compare);
	return copy;
}

static void analyse(struct whole *w)
{
	struct replay *r = &w->replay;
	unsigned i;

	replay_init(r);
	for (i = 0; i < w->nr; i++) {
		w->is_lossy |= w->events[i].kind == EV_LOST || w->events[i].kind == EV_GAP;
		if (w->events[i].cpu >= w->nr_cpus)
			w->nr_cpus = w->events[i].cpu + 1;
		replay_event(r, &w->events[i]);
	}
	replay_end(r);
	w->by_end = sorted(r->lives, r->nr_lives, sizeof(*r->lives), by_pfn_and_end);
	w->by_time = sorted(r->violations, r->nr_violations, sizeof(*r->violations),
			    by_kind_and_time);
	w->refaults = sorted(r->refaults, r->nr_refaults, sizeof(*r->refaults), by_time_and_pfn);
}

/* The events of @path, to be freed, without the texts of markers. */
static int load_events(const char *path, const struct reader_opts *opts, struct event **ret_events,
		       unsigned *ret_nr, struct diag *diag)
{
	struct event *events = NULL, ev;
	unsigned nr = 0, nr_alloc = 0;
	struct reader *reader;
	int ret = reader_open(&reader, path, opts, diag);

	if (ret)
		return ret;
	ret = abi_map(reader, NULL);
	while (!ret && (ret = reader_next(reader, &ev)) > 0) {
		ret = 0;
		if (ev.cpu >= MAX_CPUS)
			continue;
		ev.u = ev.kind == EV_MARKER ? (__typeof__(ev.u)){ .words = { 0 } } : ev.u;
		if (nr == nr_alloc) {
			nr_alloc = nr_alloc ? nr_alloc * 2 : 65536;
			events = realloc(events, nr_alloc * sizeof(ev));
			if (!events)
				abort();
		}
		events[nr++] = ev;
	}
	if (ret < 0)
		*diag = *reader_diag(reader);
	reader_close(reader);
	if (ret < 0) {
		free(events);
		return ret;
	}
	*ret_events = events;
	*ret_nr = nr;
	return 0;
}

int whole_of_file(struct whole *w, const char *path, struct diag *diag)
{
	int ret;

	memset(w, 0, sizeof(*w));
	ret = load_events(path, NULL, &w->events, &w->nr, diag);
	if (!ret)
		analyse(w);
	return ret;
}

void whole_of_sim(struct whole *w, const struct sim *sim)
{
	const struct event *events;

	memset(w, 0, sizeof(*w));
	events = sim_events(sim, &w->nr);
	w->events = allocate(w->nr, sizeof(*events));
	memcpy(w->events, events, w->nr * sizeof(*events));
	analyse(w);
}

void whole_release(struct whole *w)
{
	replay_release(&w->replay);
	free(w->events);
	free(w->by_end);
	free(w->by_time);
	free(w->refaults);
	memset(w, 0, sizeof(*w));
}

static bool is_seen_end(const struct sim_life *life)
{
	return life->end == END_EVICTED || life->end == END_RECLAIMED ||
	       life->end == END_LAZYFREED || life->end == END_FREED || life->end == END_MIGRATED;
}

static struct claims claims_of(const struct replay *r, unsigned nr_events)
{
	struct claims c = { .nr_events = nr_events };
	unsigned i;

	for (i = 0; i < r->nr_lives; i++) {
		c.nr_ends += is_seen_end(&r->lives[i].life);
		c.nr_lives += is_seen_end(&r->lives[i].life) &&
			      r->lives[i].life.birth != BIRTH_UNKNOWN;
	}
	for (i = 0; i < r->nr_refaults; i++)
		c.nr_refaults += r->refaults[i].is_chained;
	for (i = 0; i < SITE_NR; i++) {
		c.nr_v1_pairs += r->order_results->v1[i].nr_pairs;
		c.nr_v1_reversed += r->order_results->v1[i].nr_reversed;
	}
	c.nr_v3 = r->order_results->v3[0].nr + r->order_results->v3[1].nr;
	return c;
}

struct claims whole_claims(const struct whole *w)
{
	return claims_of(&w->replay, w->nr);
}

/*
 * losses
 */

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static uint64_t rnd(uint64_t *random, uint64_t below)
{
	*random = mix(*random);
	return below ? (*random >> 11) % below : 0;
}

/* Which events go: of CPU @cpu those from its @first-th, @nr of them. */
static void drop(const struct whole *w, bool *dropped, unsigned cpu, unsigned first, unsigned nr)
{
	unsigned i, at = 0;

	for (i = 0; i < w->nr; i++) {
		if (w->events[i].cpu != cpu || w->events[i].kind == EV_LOST ||
		    w->events[i].kind == EV_GAP)
			continue;
		if (at >= first && at < first + nr)
			dropped[i] = true;
		at++;
	}
}

static void choose(const struct whole *w, bool *dropped, enum loss_kind kind, uint64_t seed)
{
	unsigned nr_of[MAX_CPUS] = { 0 }, i, cpu, nr;
	uint64_t random = mix(seed * LOSS_NR + kind), from_ns, span_ns;

	for (i = 0; i < w->nr; i++)
		nr_of[w->events[i].cpu]++;
	from_ns = w->events[0].ts_ns;
	span_ns = w->events[w->nr - 1].ts_ns - from_ns;
	switch (kind) {
	case LOSS_SUBBUFFERS:
		for (nr = 1 + rnd(&random, 8); nr; nr--) {
			cpu = rnd(&random, w->nr_cpus);
			drop(w, dropped, cpu,
			     rnd(&random, nr_of[cpu] / SUBBUFFER + 1) * SUBBUFFER, SUBBUFFER);
		}
		break;
	case LOSS_BURST:
		cpu = rnd(&random, w->nr_cpus);
		drop(w, dropped, cpu, rnd(&random, nr_of[cpu]), 1 + rnd(&random, nr_of[cpu] / 2));
		break;
	case LOSS_CPU:
		drop(w, dropped, rnd(&random, w->nr_cpus), 0, w->nr);
		break;
	case LOSS_BEGINNING:
		for (cpu = 0; cpu < w->nr_cpus; cpu++)
			drop(w, dropped, cpu, 0, rnd(&random, nr_of[cpu] / 2 + 1));
		break;
	case LOSS_END:
		for (cpu = 0; cpu < w->nr_cpus; cpu++) {
			nr = rnd(&random, nr_of[cpu] / 2 + 1);
			drop(w, dropped, cpu, nr_of[cpu] - nr, nr);
		}
		break;
	case LOSS_HALF:
		for (i = 0; i < w->nr; i++)
			dropped[i] = w->events[i].ts_ns < from_ns + span_ns / 2;
		break;
	default:
		for (cpu = 0; cpu < w->nr_cpus; cpu++)
			for (nr = rnd(&random, 6); nr; nr--)
				drop(w, dropped, cpu, rnd(&random, nr_of[cpu]),
				     rnd(&random, nr_of[cpu] / 10 + 2));
		break;
	}
}

/* As the reader delivers it: after the last event before it on its CPU. */
static struct event loss(unsigned cpu, uint64_t from_ns, uint64_t to_ns, uint64_t first_ns)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = EV_LOST;
	ev.cpu = cpu;
	ev.ts_ns = from_ns ? from_ns : first_ns;
	ev.u.lost.from_ts_ns = from_ns;
	ev.u.lost.to_ts_ns = to_ns;
	ev.u.lost.nr_lost = EV_LOST_UNKNOWN;
	return ev;
}

struct item {
	struct event ev;
	unsigned at;		/* to keep the order of the file at one time */
};

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->ev.ts_ns != y->ev.ts_ns)
		return x->ev.ts_ns < y->ev.ts_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* The stream that is left, with losses; *@nr items, to be freed. */
static struct item *stream(const struct whole *w, const bool *dropped, unsigned *ret_nr)
{
	struct item *items = allocate(2 * (size_t)w->nr + 2 * w->nr_cpus, sizeof(*items));
	uint64_t last_ns[MAX_CPUS] = { 0 }, first_ns = 0;
	bool is_open[MAX_CPUS] = { false };
	unsigned i, nr = 0, cpu;

	for (i = 0; i < w->nr && dropped[i]; i++)
		;
	if (i < w->nr)
		first_ns = w->events[i].ts_ns;
	for (i = 0; i < w->nr; i++) {
		const struct event *ev = &w->events[i];

		if (dropped[i]) {
			is_open[ev->cpu] = true;
			continue;
		}
		if (is_open[ev->cpu]) {
			items[nr].at = 2 * i;
			items[nr++].ev = loss(ev->cpu, last_ns[ev->cpu], ev->ts_ns, first_ns);
			is_open[ev->cpu] = false;
		}
		items[nr].at = 2 * i + 1;
		items[nr++].ev = *ev;
		last_ns[ev->cpu] = ev->ts_ns;
	}
	for (cpu = 0; cpu < w->nr_cpus; cpu++)
		if (is_open[cpu]) {
			items[nr].at = last_ns[cpu] ? 2 * w->nr : 0;
			items[nr++].ev = loss(cpu, last_ns[cpu], EV_TS_END, first_ns);
		}
	/* a loss before everything comes before it, whatever its place above */
	for (i = 0; i < nr; i++)
		if (items[i].ev.kind == EV_LOST && items[i].ev.ts_ns == first_ns &&
		    !items[i].ev.u.lost.from_ts_ns)
			items[i].at = 0;
	qsort(items, nr, sizeof(*items), by_time);
	*ret_nr = nr;
	return items;
}

/*
 * judgement
 */

__attribute__((format(printf, 2, 3)))
static void falsely(struct loss_outcome *o, const char *fmt, ...)
{
	va_list args;

	o->nr_false++;
	if (!o->ok)
		return;
	o->ok = false;
	va_start(args, fmt);
	vsnprintf(o->text, sizeof(o->text), fmt, args);
	va_end(args);
}

/* The first of sorted @array that is not below @key. */
static unsigned lower_bound(const void *array, unsigned nr, size_t size, const void *key,
			    int (*compare)(const void *, const void *))
{
	unsigned low = 0, high = nr;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (compare((const char *)array + middle * size, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The life that had the pfn of @m when it ended there, or NULL. */
static const struct sim_life *true_life(const struct whole *w, const struct sim_life *m)
{
	struct replay_life key = { .life = *m };
	unsigned at = lower_bound(w->by_end, w->replay.nr_lives, sizeof(key), &key, by_pfn_and_end);

	/* several lives may end in one moment: take the one that agrees best */
	for (; at < w->replay.nr_lives; at++) {
		const struct sim_life *t = &w->by_end[at].life;

		if (t->pfn != m->pfn)
			return NULL;
		if (t->end_ns > m->end_ns || t->end == m->end ||
		    (m->end == END_RECLAIMED && t->end == END_EVICTED) ||
		    m->end == END_REUSED || m->end == END_SWITCHED)
			return t;
	}
	return NULL;
}

/* In the whole, MGLRU was known to be off: it says nothing of the pfn by then. */
static bool is_unfollowed(const struct whole *w, const struct sim_life *m)
{
	struct replay_life key = { .life = *m };
	unsigned at = lower_bound(w->by_end, w->replay.nr_lives, sizeof(key), &key, by_pfn_and_end);
	const struct sim_life *before = at ? &w->by_end[at - 1].life : NULL;

	return before && before->pfn == m->pfn && before->end == END_SWITCHED;
}

static void judge_life(struct loss_outcome *o, const struct whole *w, const struct sim_life *m)
{
	const struct sim_life *t;

	if (m->end == END_LOST || m->end == END_SWITCHED)
		return;
	t = true_life(w, m);
	if (!t && is_unfollowed(w, m))
		return;
	if (!t) {
		falsely(o, "life of pfn 0x%llx from %llu, %s at %llu: there is none in the whole",
			(unsigned long long)m->pfn, (unsigned long long)m->birth_ns,
			folio_end_name(m->end), (unsigned long long)m->end_ns);
		return;
	}
	if (is_seen_end(m) &&
	    (m->end_ns != t->end_ns ||
	     (m->end != t->end && !(m->end == END_RECLAIMED && t->end == END_EVICTED))))
		falsely(o, "life of pfn 0x%llx from %llu: %s at %llu, in the whole %s at %llu",
			(unsigned long long)m->pfn, (unsigned long long)m->birth_ns,
			folio_end_name(m->end), (unsigned long long)m->end_ns,
			folio_end_name(t->end), (unsigned long long)t->end_ns);
	else if (m->end == END_RESIDENT && t->end != END_RESIDENT)
		falsely(o, "life of pfn 0x%llx: resident at the end, in the whole %s at %llu",
			(unsigned long long)m->pfn, folio_end_name(t->end),
			(unsigned long long)t->end_ns);
	else if (is_seen_end(m) && t->birth != BIRTH_UNKNOWN &&
		 m->birth_ns + EARLY_NS < t->birth_ns)
		falsely(o, "life of pfn 0x%llx: %s at %llu, first seen at %llu, but it began at %llu",
			(unsigned long long)m->pfn, folio_end_name(m->end),
			(unsigned long long)m->end_ns, (unsigned long long)m->birth_ns,
			(unsigned long long)t->birth_ns);
	if (is_seen_end(m) && m->birth != BIRTH_UNKNOWN && m->birth_ns != t->birth_ns) {
		/* whether an add is the first is known of some only */
		if (m->birth == BIRTH_ADDED)
			o->nr_births_differ++;
		/* the swap-in just before the refault was lost */
		else if (m->birth != BIRTH_REFAULTED || t->birth != BIRTH_REFAULTED ||
			 m->birth_ns < t->birth_ns || m->birth_ns - t->birth_ns > SWAPIN_NS)
			falsely(o, "life of pfn 0x%llx: %s at %llu, in the whole %s at %llu",
				(unsigned long long)m->pfn, folio_birth_name(m->birth),
				(unsigned long long)m->birth_ns, folio_birth_name(t->birth),
				(unsigned long long)t->birth_ns);
	}
}

static void judge_refault(struct loss_outcome *o, const struct whole *w,
			  const struct sim_refault *m)
{
	unsigned at = lower_bound(w->refaults, w->replay.nr_refaults, sizeof(*m), m,
				  by_time_and_pfn);
	const struct sim_refault *t = at < w->replay.nr_refaults ? &w->refaults[at] : NULL;

	if (!m->is_chained)
		return;
	if (!t || t->ts_ns != m->ts_ns || t->pfn != m->pfn || !t->is_chained ||
	    t->distance_ns != m->distance_ns || t->distance_pages != m->distance_pages ||
	    (m->distance_gens != UINT64_MAX && t->distance_gens != m->distance_gens))
		falsely(o, "refault of pfn 0x%llx at %llu: distance %llu ns %llu pages %lld agings, in the whole %llu %llu %lld",
			(unsigned long long)m->pfn, (unsigned long long)m->ts_ns,
			(unsigned long long)m->distance_ns, (unsigned long long)m->distance_pages,
			(long long)m->distance_gens, t ? (unsigned long long)t->distance_ns : 0,
			t ? (unsigned long long)t->distance_pages : 0,
			t ? (long long)t->distance_gens : 0);
}

/*
 * A run of which the first moves are not known is found as a run that begins
 * later: it must lie within one that has at least as many reversed pairs.
 */
static bool is_part_of_run(const struct whole *w, const struct violation *m)
{
	unsigned i;

	for (i = 0; i < w->replay.nr_violations; i++) {
		const struct violation *t = &w->by_time[i];

		if (t->kind == 1 && t->ts_ns <= m->ts_ns && t->site == m->site &&
		    t->type == m->type && t->nr_pairs >= m->nr_pairs &&
		    t->nr_folios >= m->nr_folios)
			return true;
	}
	return false;
}

static void judge_violation(struct loss_outcome *o, const struct whole *w,
			    const struct violation *m)
{
	unsigned at = lower_bound(w->by_time, w->replay.nr_violations, sizeof(*m), m,
				  by_kind_and_time);
	bool is_true = false;

	if (m->kind == 1) {
		is_true = is_part_of_run(w, m);
	} else {
		/* of a relabelling the first folio that is known is named */
		struct violation key = *m;

		key.pfn = 0;
		at = lower_bound(w->by_time, w->replay.nr_violations, sizeof(*m), &key,
				 by_kind_and_time);
		for (; at < w->replay.nr_violations && !is_true; at++) {
			const struct violation *t = &w->by_time[at];

			if (t->kind != m->kind || t->ts_ns != m->ts_ns)
				break;
			is_true = t->site == m->site && t->type == m->type &&
				  t->nr_pairs >= m->nr_pairs &&
				  (m->kind == 5 ? t->magnitude == m->magnitude :
						  t->magnitude >= m->magnitude) &&
				  (t->pfn == m->pfn || m->site == SITE_INC_MIN_SEQ ||
				   m->site == SITE_TRY_TO_INC_MIN_SEQ);
		}
	}
	if (!is_true)
		falsely(o, "V%u at %s of pfn 0x%llx at %llu: %llu folios, %llu pairs, %llu older; not so in the whole",
			m->kind, site_name(m->site), (unsigned long long)m->pfn,
			(unsigned long long)m->ts_ns, (unsigned long long)m->nr_folios,
			(unsigned long long)m->nr_pairs, (unsigned long long)m->magnitude);
}

static void at_most(struct loss_outcome *o, const char *what, uint64_t part, uint64_t whole)
{
	if (part > whole)
		falsely(o, "%s: %llu, in the whole %llu", what, (unsigned long long)part,
			(unsigned long long)whole);
}

static void judge_sums(struct loss_outcome *o, const struct whole *w, const struct replay *r)
{
	const struct order_results *m = r->order_results, *t = w->replay.order_results;
	const struct lazyfree_results *ml = r->lazyfree_results, *tl = w->replay.lazyfree_results;
	unsigned i;

	for (i = 0; i < SITE_NR; i++) {
		at_most(o, "V1 pairs of a site", m->v1[i].nr_pairs, t->v1[i].nr_pairs);
		at_most(o, "V1 reversed pairs of a site", m->v1[i].nr_reversed,
			t->v1[i].nr_reversed);
		at_most(o, "V2 pairs of a site", m->v2[i].nr_pairs, t->v2[i].nr_pairs);
	}
	for (i = 0; i < TYPE_NR; i++)
		at_most(o, "V3 folios", m->v3[i].nr, t->v3[i].nr);
	at_most(o, "V4 pairs", ml->nr_pairs, tl->nr_pairs);
	at_most(o, "V4 reversed pairs", ml->nr_reversed, tl->nr_reversed);
	at_most(o, "V4 file folios first", ml->nr_file_first, tl->nr_file_first);
	at_most(o, "V4 longest delay", ml->delay_ns.max, tl->delay_ns.max);
}

/* What @r, which has seen what is left of @w, claims; it is released. */
static void judge(struct loss_outcome *o, const struct whole *w, struct replay *r)
{
	const struct model_stats *stats;
	unsigned i;

	/* an end that is lost is not the end */
	if (r->last_ts_ns < w->replay.last_ts_ns)
		r->last_ts_ns = w->replay.last_ts_ns;
	replay_end(r);
	stats = model_stats(r->model);
	o->nr_in_loss = stats->nr_in_loss;
	o->nr_losses = stats->nr_losses;
	o->nr_ended_lost = stats->nr_ended_lost;
	for (i = 0; i < STATE_ERROR_NR; i++)
		if (stats->nr_errors[i] > model_stats(w->replay.model)->nr_errors[i])
			falsely(o, "%llu contradictions: %s, e.g. pfn 0x%llx at %llu",
				(unsigned long long)stats->nr_errors[i], state_error_text(i),
				(unsigned long long)stats->samples[0].pfn,
				(unsigned long long)stats->samples[0].ts_ns);
	for (i = 0; i < r->nr_lives; i++)
		judge_life(o, w, &r->lives[i].life);
	for (i = 0; i < r->nr_refaults; i++)
		judge_refault(o, w, &r->refaults[i]);
	for (i = 0; i < r->nr_violations; i++)
		judge_violation(o, w, &r->violations[i]);
	judge_sums(o, w, r);
	o->claims = claims_of(r, w->nr - o->nr_dropped);
	replay_release(r);
}

static void do_inject(struct loss_outcome *o, const struct whole *w, enum loss_kind kind,
		      uint64_t seed, bool is_told)
{
	bool *dropped = allocate(w->nr, sizeof(*dropped));
	struct item *items;
	struct replay r;
	unsigned nr, i;

	memset(o, 0, sizeof(*o));
	o->ok = true;
	if (w->nr)
		choose(w, dropped, kind, seed);
	for (i = 0; i < w->nr; i++)
		o->nr_dropped += dropped[i];
	items = stream(w, dropped, &nr);
	replay_init(&r);
	for (i = 0; i < nr; i++)
		if (is_told || items[i].ev.kind != EV_LOST)
			replay_event(&r, &items[i].ev);
	judge(o, w, &r);
	free(items);
	free(dropped);
}

void loss_inject(struct loss_outcome *o, const struct whole *w, enum loss_kind kind, uint64_t seed)
{
	do_inject(o, w, kind, seed, true);
}

void loss_inject_untold(struct loss_outcome *o, const struct whole *w, enum loss_kind kind,
			uint64_t seed)
{
	do_inject(o, w, kind, seed, false);
}

int loss_of_file(struct loss_outcome *o, const struct whole *w, const char *path,
		 const struct reader_opts *opts, struct diag *diag)
{
	struct event *events;
	unsigned nr, nr_read = 0, i;
	struct replay r;
	int ret = load_events(path, opts, &events, &nr, diag);

	if (ret)
		return ret;
	memset(o, 0, sizeof(*o));
	o->ok = true;
	replay_init(&r);
	for (i = 0; i < nr; i++) {
		replay_event(&r, &events[i]);
		nr_read += events[i].kind != EV_LOST && events[i].kind != EV_GAP;
	}
	if (nr_read > w->nr)
		falsely(o, "%u events, in the whole %u", nr_read, w->nr);
	else
		o->nr_dropped = w->nr - nr_read;
	judge(o, w, &r);
	free(events);
	return 0;
}
