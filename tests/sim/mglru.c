// SPDX-License-Identifier: GPL-2.0-only
#include "mglru.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

#define MAX_PFNS 256
#define FIRST_PFN 512		/* so that they lie in two leaves of the table */
#define NR_FILES 2
#define FILE_PAGES 32
#define NR_ANON 64
#define NR_VPAGES (NR_FILES * FILE_PAGES + NR_ANON)
#define NR_ENTRIES 24
#define NO_GEN (-1)
#define MIN_NR_GENS 2
#define MAX_RUNS 256
#define MAX_DEPTH 2

enum frame_state {
	FREE,
	TAIL,		/* of a large folio */
	BATCH,		/* waits for lru_add() */
	LISTED,
	ISOLATED,
	RECLAIM,	/* isolated by reclaim, or for it */
	UNEVICTABLE,
	CLASSIC,	/* MGLRU is off */
};

struct frame {
	uint8_t state, order, memcg, nid, zone, refs;
	uint8_t seen_in;	/* lruvec of the latest event */
	int8_t gen;		/* in the flags */
	int8_t list_gen;	/* of the list, if LISTED */
	bool anon, swapbacked, active, referenced, workingset, swapcache, dirty, reclaim;
	bool is_judged;		/* RECLAIM: has its outcome, goes back */
	bool by_reclaim;	/* RECLAIM: isolate_folio() took it */
	uint32_t vpage;		/* first of its pages, number + 1 */
	uint32_t life;		/* number + 1 */
	uint64_t pending_ns;	/* an update of it is stamped then */
	int8_t pending_gen;	/* that it changed; -1: none */
	uint64_t pending_seq;	/* max_seq then */
	uint64_t nr_older;	/* passed over when it was isolated */
	uint64_t mark;		/* number of the mark, 0: none */
};

enum vpage_state { NOWHERE, RESIDENT, AWAY };

struct vpage {
	uint8_t state;
	bool anon, has_shadow;
	uint32_t ino, entry;	/* entry: number + 1 */
	uint64_t index;
	bool is_seen;		/* the eviction was logged: */
	uint64_t evict_ns, evict_clock, evict_max_seq;
	unsigned evict_lruvec;
};

struct memcg {
	uint64_t id;
	uint32_t short_id;
	bool exists, offline, released;
};

/* Moves from one list to one list under one hold of the lock. */
struct run {
	unsigned lruvec, site;
	const struct sim_list *from, *to;
	bool tail;
	int32_t pid;
	uint32_t nr_before, *before;	/* the list moved from, at first */
	uint32_t nr, *places;		/* of the folios moved, in before[] */
};

struct sim {
	const struct sim_script *script;
	uint64_t random;
	/* habits */
	unsigned nr_nodes, nr_zones, nr_pfns, nr_cpus, max_order, batch;
	unsigned late_percent, early_percent;
	bool has_kmem, has_zram, can_swap, may_toggle, has_v1;
	unsigned weights[40];

	struct frame frames[MAX_PFNS];
	struct vpage vpages[NR_VPAGES];
	uint32_t entries[NR_ENTRIES];	/* page number + 1 */
	struct memcg memcgs[SIM_MAX_MEMCGS];
	unsigned nr_memcgs;
	uint64_t next_memcg;
	struct sim_lruvec lruvecs[SIM_MAX_LRUVECS];

	bool enabled;			/* lru_gen_enabled() */
	int toggling;			/* 0: no; else lruvec number + 1 */
	bool toggle_begun;
	unsigned drain_gen;

	uint64_t now;
	uint64_t busy_until[SIM_MAX_CPUS], last_ns[SIM_MAX_CPUS];
	int32_t pids[MAX_DEPTH + 1];
	unsigned depth;
	unsigned cpu;			/* of the task that runs */
	int32_t pid;
	uint64_t before_last_ns;	/* time of the event before the last */
	uint32_t last_pfn;		/* the last event changed its flags; 0: none */
	unsigned last_cpu;

	struct event *events;
	unsigned nr_events, nr_events_alloc;

	struct run runs[MAX_RUNS];
	unsigned nr_runs;
	uint64_t next_mark;
	uint64_t *freed[SIM_MAX_LRUVECS];	/* marks in the order of freeing */
	unsigned nr_freed[SIM_MAX_LRUVECS];
	struct sim_truth truth;
};

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static uint64_t rnd(struct sim *s, uint64_t below)
{
	s->random = mix(s->random);
	return below ? (s->random >> 11) % below : 0;
}

static bool chance(struct sim *s, unsigned percent)
{
	return rnd(s, 100) < percent;
}

/*
 * time, tasks, events
 */

static bool is_busy(const struct sim *s, unsigned cpu)
{
	return s->busy_until[cpu] >= s->now;
}

static void begin_task(struct sim *s)
{
	unsigned i, cpu = rnd(s, s->nr_cpus);
	bool is_taken;

	for (i = 0; i < s->nr_cpus && is_busy(s, cpu); i++)
		cpu = (cpu + 1) % s->nr_cpus;
	if (is_busy(s, cpu))
		s->now = s->busy_until[cpu] + 1;
	s->cpu = cpu;
	do {
		s->pid = 100 + cpu * 10 + rnd(s, 5);
		is_taken = false;
		for (i = 0; i < s->depth; i++)
			is_taken |= s->pids[i] == s->pid;
	} while (is_taken);
	s->pids[s->depth] = s->pid;
}

static void tick(struct sim *s)
{
	unsigned i;

	s->now += 10 + (chance(s, 3) ? rnd(s, 3000000) : rnd(s, 2000));
	for (i = 0; i < s->nr_cpus; i++)
		if (s->busy_until[i] == s->now) {
			s->now++;
			i = -1;		/* look again */
		}
}

static void push(struct sim *s, const struct event *ev)
{
	sim_grow(&s->events, s->nr_events, &s->nr_events_alloc, sizeof(*ev));
	s->events[s->nr_events++] = *ev;
}

/* A task that another has run in between goes on; maybe it has to wait. */
static void emit(struct sim *s, struct event *ev)
{
	s->before_last_ns = s->now;
	tick(s);
	if (is_busy(s, s->cpu)) {
		s->now = s->busy_until[s->cpu];
		tick(s);
	}
	ev->ts_ns = s->now;
	ev->cpu = s->cpu;
	ev->pid = s->pid;
	s->last_ns[s->cpu] = s->now;
	s->last_cpu = s->cpu;
	s->last_pfn = 0;
	push(s, ev);
}

/* Whoever does this takes the page table lock: updates were logged before. */
static void wait_for_update(struct sim *s, struct frame *f)
{
	if (f->pending_ns >= s->now)
		s->now = f->pending_ns + 1;
	f->pending_ns = 0;
}

static uint32_t pfn_of(const struct sim *s, const struct frame *f)
{
	return FIRST_PFN - MAX_PFNS / 2 + (f - s->frames);
}

static struct frame *frame_at(struct sim *s, uint32_t pfn)
{
	return &s->frames[pfn - (FIRST_PFN - MAX_PFNS / 2)];
}

static unsigned type_of(const struct frame *f)
{
	return f->swapbacked ? TYPE_ANON : TYPE_FILE;
}

static unsigned lruvec_number(const struct sim *s, const struct frame *f)
{
	return f->memcg * s->nr_nodes + f->nid;
}

static struct sim_lruvec *lruvec_of(struct sim *s, const struct frame *f)
{
	return &s->lruvecs[lruvec_number(s, f)];
}

static unsigned tier_of(const struct frame *f)
{
	return f->refs == 0 ? 0 : f->refs == 1 ? 1 : f->refs <= 3 ? 2 : 3;
}

static uint8_t flags_of(const struct frame *f)
{
	return (f->active ? FOLIO_ACTIVE : 0) | (f->referenced ? FOLIO_REFERENCED : 0) |
	       (f->workingset ? FOLIO_WORKINGSET : 0) |
	       (f->anon && !f->swapbacked ? FOLIO_LAZYFREE : 0) | (f->dirty ? FOLIO_DIRTY : 0) |
	       (f->swapcache ? FOLIO_SWAPCACHE : 0);
}

static struct event event_of(struct sim *s, enum ev_kind kind, struct frame *f, unsigned site)
{
	struct event ev;

	/* an access may be logged late, in a memcg that it has left */
	if (kind != EV_UPDATE)
		f->seen_in = lruvec_number(s, f);
	memset(&ev, 0, sizeof(ev));
	ev.kind = kind;
	ev.pfn = pfn_of(s, f);
	ev.memcg = s->memcgs[f->memcg].id;
	ev.nid = f->nid;
	ev.order = f->order;
	ev.type = type_of(f);
	ev.zone = f->zone;
	ev.old_gen = ev.new_gen = NO_GEN;
	ev.tier_idx = -1;
	ev.site = site;
	ev.flags = flags_of(f);
	/* what each event has is in tracepoints/ */
	switch (kind) {
	case EV_ADD:
	case EV_DEL:
	case EV_MOVE:
	case EV_UPDATE:
		ev.max_seq = lruvec_of(s, f)->max_seq;
		ev.refs = f->refs;
		ev.tier = tier_of(f);
		break;
	case EV_SPLIT:
		ev.max_seq = lruvec_of(s, f)->max_seq;
		ev.refs = f->refs;
		break;
	case EV_LAZYFREE:
		ev.refs = f->refs;
		break;
	case EV_RECLAIM:
	case EV_MIGRATE:
		ev.zone = 0;
		ev.refs = f->refs;
		break;
	default:
		ev.zone = 0;
		ev.flags = 0;
		break;
	}
	return ev;
}

static struct event lruvec_event(const struct sim *s, enum ev_kind kind, const struct sim_lruvec *lv)
{
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.kind = kind;
	ev.pfn = kind == EV_MAX_SEQ || kind == EV_STATE || kind == EV_MIN_SEQ || kind == EV_SCAN ?
			 UINT64_MAX : 0;
	ev.memcg = lv->memcg;
	ev.nid = lv->nid;
	ev.max_seq = lv->max_seq;
	ev.old_gen = ev.new_gen = NO_GEN;
	ev.tier_idx = -1;
	return ev;
}

/*
 * truth: lives
 */

static void begin_life(struct sim *s, struct frame *f, enum folio_birth birth)
{
	struct sim_truth *t = &s->truth;

	assert(!f->life);
	sim_grow(&t->lives, t->nr_lives, &t->nr_lives_alloc, sizeof(*t->lives));
	memset(&t->lives[t->nr_lives], 0, sizeof(*t->lives));
	t->lives[t->nr_lives].pfn = pfn_of(s, f);
	t->lives[t->nr_lives].birth_ns = s->now;
	t->lives[t->nr_lives].birth = birth;
	f->life = ++t->nr_lives;
}

static struct sim_life *life_of(struct sim *s, const struct frame *f)
{
	return f->life ? &s->truth.lives[f->life - 1] : NULL;
}

static void end_life(struct sim *s, struct frame *f, unsigned end)
{
	struct sim_life *life = life_of(s, f);

	if (!life)
		return;
	life->end = end;
	life->end_ns = s->now;
	life->order = f->order;
	life->type = type_of(f);
	if (end == END_EVICTED || end == END_RECLAIMED || end == END_LAZYFREED) {
		unsigned type = life->type;

		s->truth.nr_reclaimed[type]++;
		if (f->nr_older) {
			struct sim_v3 *v3 = &s->truth.v3[type];

			v3->nr++;
			v3->sum_older += f->nr_older;
			if (f->nr_older > v3->max_older)
				v3->max_older = f->nr_older;
		}
	}
	if (f->mark && end == END_FREED)
		s->truth.nr_released++;
	f->nr_older = 0;
	f->mark = 0;
	f->life = 0;
}

/*
 * lists
 */

static struct sim_list *list_of(struct sim *s, const struct frame *f)
{
	return &lruvec_of(s, f)->lists[f->list_gen][type_of(f)][f->zone];
}

static unsigned place_in(const struct sim_list *list, uint32_t pfn)
{
	unsigned i;

	for (i = 0; i < list->nr; i++)
		if (list->pfns[i] == pfn)
			return i;
	abort();
}

static void list_insert(struct sim_list *list, unsigned place, uint32_t pfn)
{
	unsigned nr_alloc = list->nr_alloc;

	sim_grow(&list->pfns, list->nr, &nr_alloc, sizeof(*list->pfns));
	list->nr_alloc = nr_alloc;
	memmove(list->pfns + place + 1, list->pfns + place,
		(list->nr - place) * sizeof(*list->pfns));
	list->pfns[place] = pfn;
	list->nr++;
}

static void list_remove(struct sim_list *list, uint32_t pfn)
{
	unsigned place = place_in(list, pfn);

	list->nr--;
	memmove(list->pfns + place, list->pfns + place + 1,
		(list->nr - place) * sizeof(*list->pfns));
}

static void set_gen(struct sim *s, struct frame *f, int gen)
{
	struct sim_lruvec *lv = lruvec_of(s, f);

	if (f->gen != NO_GEN)
		lv->nr_pages[f->gen][type_of(f)] -= 1 << f->order;
	if (gen != NO_GEN)
		lv->nr_pages[gen][type_of(f)] += 1 << f->order;
	f->gen = gen;
}

static unsigned gen_of_seq(uint64_t seq)
{
	return seq % SIM_NR_GENS;
}

static unsigned nr_gens(const struct sim_lruvec *lv, unsigned type)
{
	return lv->max_seq - lv->min_seq[type] + 1;
}

static unsigned age_of(const struct sim_lruvec *lv, unsigned gen)
{
	unsigned age;

	for (age = 0; gen_of_seq(lv->max_seq - age) != gen; age++)
		;
	return age;
}

/*
 * truth: runs and V1, pair by pair
 */

static void close_run(struct sim *s, unsigned number)
{
	struct run *run = &s->runs[number];
	struct sim_v1 *v1 = &s->truth.v1[run->site];
	unsigned i, j;

	for (i = 0; i < run->nr; i++)
		for (j = i + 1; j < run->nr; j++) {
			/* put at the old end, the later is the older of the two */
			bool was_older = run->places[j] < run->places[i];

			v1->nr_pairs++;
			v1->nr_reversed += was_older != run->tail;
		}
	v1->nr_runs++;
	v1->nr_moves += run->nr;
	if (run->nr > v1->longest)
		v1->longest = run->nr;
	free(run->before);
	free(run->places);
	*run = s->runs[--s->nr_runs];
}

/* @but_pid -1: whoever it was. */
static void close_runs(struct sim *s, unsigned lruvec, int32_t but_pid)
{
	unsigned i = 0;

	while (i < s->nr_runs)
		if (s->runs[i].lruvec == lruvec && (but_pid < 0 || s->runs[i].pid != but_pid))
			close_run(s, i);
		else
			i++;
}

static void note_move(struct sim *s, unsigned lruvec, const struct sim_list *from,
		      const struct sim_list *to, uint32_t pfn, unsigned site, bool tail)
{
	struct run *run;
	unsigned i;

	for (i = 0; i < s->nr_runs; i++) {
		run = &s->runs[i];
		if (run->from == from && run->to == to && run->site == site && run->tail == tail)
			break;
	}
	if (i == s->nr_runs) {
		assert(s->nr_runs < MAX_RUNS);
		run = &s->runs[s->nr_runs++];
		memset(run, 0, sizeof(*run));
		run->lruvec = lruvec;
		run->site = site;
		run->from = from;
		run->to = to;
		run->tail = tail;
		run->pid = s->pid;
		run->nr_before = from->nr;
		run->before = malloc(from->nr * sizeof(*run->before));
		run->places = malloc(from->nr * sizeof(*run->places));
		if (!run->before || !run->places)
			abort();
		memcpy(run->before, from->pfns, from->nr * sizeof(*run->before));
	}
	for (i = 0; i < run->nr_before && run->before[i] != pfn; i++)
		;
	assert(i < run->nr_before && run->nr < run->nr_before);
	run->places[run->nr++] = i;
}

/*
 * lru_gen_add_folio(), lru_gen_del_folio()
 */

/* Two youngest generations. */
static bool is_active_gen(const struct sim_lruvec *lv, int gen)
{
	return gen == (int)gen_of_seq(lv->max_seq) || gen == (int)gen_of_seq(lv->max_seq - 1);
}

static void del(struct sim *s, struct frame *f, unsigned site, bool reclaiming)
{
	struct sim_lruvec *lv = lruvec_of(s, f);
	struct sim_list *list = list_of(s, f);
	struct event ev;
	uint64_t nr_older = 0;
	unsigned age, zone;

	assert(f->state == LISTED);
	if (site == SITE_ISOLATE_FOLIO) {
		nr_older = place_in(list, pfn_of(s, f));
		for (age = age_of(lv, f->list_gen) + 1; age < SIM_NR_GENS; age++)
			for (zone = 0; zone < s->nr_zones; zone++)
				nr_older += lv->lists[gen_of_seq(lv->max_seq - age)]
						     [type_of(f)][zone].nr;
	}
	list_remove(list, pfn_of(s, f));
	ev = event_of(s, EV_DEL, f, site);
	ev.old_gen = f->gen;
	if (!reclaiming && is_active_gen(lv, f->gen)) {
		f->active = true;
		ev.flags |= FOLIO_ACTIVE;
	}
	set_gen(s, f, NO_GEN);
	f->state = ISOLATED;
	emit(s, &ev);
	s->last_pfn = ev.pfn;
	close_runs(s, lruvec_number(s, f), s->pid);
	if (site == SITE_ISOLATE_FOLIO)
		f->nr_older = nr_older;
	if (site == SITE_ISOLATE_FOLIO || site == SITE_ISOLATE_LRU || site == SITE_COMPACTION)
		life_of(s, f)->nr_isolated++;
}

/* Onto the list that it belongs to: a generation's or a classic one. */
static void add(struct sim *s, struct frame *f, unsigned site, bool reclaiming)
{
	struct sim_lruvec *lv = lruvec_of(s, f);
	unsigned type = type_of(f);
	struct sim_list *list;
	struct event ev;
	uint64_t seq;

	if (!lv->enabled) {
		f->state = CLASSIC;
		f->active = false;
		return;
	}
	if (f->active)
		seq = lv->max_seq;
	else if ((type == TYPE_ANON && !f->swapcache) || (f->reclaim && f->dirty))
		seq = lv->max_seq - 1;
	else if (reclaiming || lv->min_seq[type] + MIN_NR_GENS >= lv->max_seq)
		seq = lv->min_seq[type];
	else
		seq = lv->min_seq[type] + 1;
	if (f->active)
		f->refs = f->referenced = 0;
	f->active = false;
	if (f->pending_ns >= s->now && f->pending_gen == (int)gen_of_seq(seq))
		wait_for_update(s, f);	/* or nobody could tell what it changed */
	set_gen(s, f, gen_of_seq(seq));
	f->list_gen = f->gen;
	f->state = LISTED;
	list = list_of(s, f);
	list_insert(list, reclaiming ? 0 : list->nr, pfn_of(s, f));
	ev = event_of(s, EV_ADD, f, site);
	ev.new_gen = f->gen;
	if (reclaiming)
		ev.flags |= FOLIO_TAIL;
	emit(s, &ev);
	s->last_pfn = ev.pfn;
	close_runs(s, lruvec_number(s, f), s->pid);
	f->nr_older = 0;
	if (site == SITE_FILL_EVICTABLE)
		end_life(s, f, END_SWITCHED);
	if (!f->life)
		begin_life(s, f, site == SITE_LRU_ADD ? BIRTH_ADDED : BIRTH_UNKNOWN);
}

static void move(struct sim *s, struct frame *f, unsigned site, unsigned new_gen, bool tail,
		 int tier_idx)
{
	struct sim_lruvec *lv = lruvec_of(s, f);
	struct sim_list *from = list_of(s, f), *to;
	uint32_t pfn = pfn_of(s, f);
	struct event ev = event_of(s, EV_MOVE, f, site);

	ev.old_gen = f->list_gen;
	ev.new_gen = new_gen;
	ev.tier_idx = tier_idx;
	ev.flags |= tail ? FOLIO_TAIL : 0;
	to = &lv->lists[new_gen][type_of(f)][f->zone];
	close_runs(s, lruvec_number(s, f), s->pid);
	if (from != to)
		note_move(s, lruvec_number(s, f), from, to, pfn, site, tail);
	list_remove(from, pfn);
	f->list_gen = new_gen;
	list_insert(to, tail ? 0 : to->nr, pfn);
	emit(s, &ev);
	s->last_pfn = pfn;
	if (site == SITE_SORT_PROTECTED || site == SITE_SORT_INELIGIBLE)
		life_of(s, f)->nr_protected++;
}

/* folio_inc_gen(): returns the generation that the flags name then. */
static unsigned inc_gen(struct sim *s, struct frame *f, unsigned old_gen)
{
	if (f->gen == (int)old_gen)
		set_gen(s, f, (old_gen + 1) % SIM_NR_GENS);
	f->refs = 0;
	return f->gen;
}

/*
 * page frames and pages
 */

static bool is_head(const struct frame *f)
{
	return f->state != FREE && f->state != TAIL;
}

/* A random folio in @state, NULL if there is none. */
static struct frame *pick(struct sim *s, enum frame_state state)
{
	unsigned i, at = rnd(s, s->nr_pfns);

	for (i = 0; i < s->nr_pfns; i++) {
		struct frame *f = &s->frames[(at + i) % s->nr_pfns];

		if (f->state == state)
			return f;
	}
	return NULL;
}

static struct frame *pick_free(struct sim *s, unsigned order)
{
	unsigned nr = 1u << order, i, k, at = rnd(s, s->nr_pfns) & ~(nr - 1);

	for (i = 0; i < s->nr_pfns; i += nr) {
		struct frame *f = &s->frames[(at + i) % s->nr_pfns];

		if (f - s->frames + nr > s->nr_pfns)
			continue;
		for (k = 0; k < nr && f[k].state == FREE; k++)
			;
		if (k == nr)
			return f;
	}
	return NULL;
}

static void kmem_event(struct sim *s, enum ev_kind kind, uint64_t pfn, unsigned order)
{
	struct event ev;

	if (!s->has_kmem)
		return;
	memset(&ev, 0, sizeof(ev));
	ev.kind = kind;
	ev.pfn = pfn;
	ev.order = order;
	ev.nid = -1;
	ev.old_gen = ev.new_gen = NO_GEN;
	ev.tier_idx = -1;
	emit(s, &ev);
}

static struct frame *alloc(struct sim *s, unsigned order, unsigned memcg)
{
	struct frame *f = pick_free(s, order);
	unsigned i, at;

	if (!f)
		return NULL;
	at = f - s->frames;
	memset(f, 0, sizeof(*f) << order);
	for (i = 1; i < 1u << order; i++)
		f[i].state = TAIL;
	f->state = BATCH;
	f->order = order;
	f->memcg = memcg;
	f->nid = at * s->nr_nodes / s->nr_pfns;
	/* a large folio lies in one zone, as pfns of a zone are aligned */
	f->zone = (at / 8) % s->nr_zones;
	f->gen = NO_GEN;
	kmem_event(s, EV_PAGE_ALLOC, pfn_of(s, f), order);
	return f;
}

static void release_memcg(struct sim *s, unsigned memcg)
{
	struct memcg *m = &s->memcgs[memcg];
	unsigned i;

	if (!m->offline || m->released)
		return;
	for (i = 0; i < s->nr_pfns; i++)
		if (is_head(&s->frames[i]) && s->frames[i].memcg == memcg)
			return;
	m->released = true;
	for (i = 0; i < s->nr_nodes; i++) {
		struct sim_lruvec *lv = &s->lruvecs[memcg * s->nr_nodes + i];
		struct event ev = lruvec_event(s, EV_STATE, lv);

		ev.u.lruvec.max_seq = lv->max_seq;
		ev.u.lruvec.min_seq[0] = lv->min_seq[0];
		ev.u.lruvec.min_seq[1] = lv->min_seq[1];
		ev.u.lruvec.nr_gens = SIM_NR_GENS;
		ev.u.lruvec.state = STATE_RELEASED;
		emit(s, &ev);
		close_runs(s, memcg * s->nr_nodes + i, -1);
	}
}

/* The folio is on no list any more, its page frames are free. */
static void free_frames(struct sim *s, struct frame *f)
{
	unsigned i, order = f->order, memcg = f->memcg;

	wait_for_update(s, f);
	kmem_event(s, EV_PAGE_FREE, pfn_of(s, f), order);
	if (f->life)
		end_life(s, f, s->has_kmem ? END_FREED : SIM_END_SILENT);
	for (i = 0; i < 1u << order; i++)
		f[i].state = FREE;
	release_memcg(s, memcg);
}

static void free_entry(struct sim *s, struct vpage *v)
{
	if (v->entry)
		s->entries[v->entry - 1] = 0;
	v->entry = 0;
}

/* The owner lets go of the pages, wherever they are. */
static void forget_pages(struct sim *s, struct frame *f)
{
	unsigned i;

	for (i = 0; f->vpage && i < 1u << f->order; i++) {
		struct vpage *v = &s->vpages[f->vpage - 1 + i];

		free_entry(s, v);
		v->state = NOWHERE;
		v->has_shadow = v->is_seen = false;
	}
	f->vpage = 0;
}

static unsigned pick_memcg(struct sim *s)
{
	unsigned i, at = rnd(s, s->nr_memcgs);

	for (i = 0; i < s->nr_memcgs; i++) {
		unsigned memcg = (at + i) % s->nr_memcgs;

		if (s->memcgs[memcg].exists && !s->memcgs[memcg].offline)
			return memcg;
	}
	return 0;
}

static unsigned pick_order(struct sim *s)
{
	return chance(s, 25) ? rnd(s, s->max_order + 1) : 0;
}

static void note_refault(struct sim *s, struct frame *f, const struct vpage *v)
{
	struct sim_truth *t = &s->truth;
	struct sim_refault *r;

	sim_grow(&t->refaults, t->nr_refaults, &t->nr_refaults_alloc, sizeof(*r));
	r = &t->refaults[t->nr_refaults++];
	memset(r, 0, sizeof(*r));
	r->pfn = pfn_of(s, f);
	r->ts_ns = s->now;
	r->is_chained = v->is_seen;
	if (v->is_seen) {
		const struct sim_lruvec *lv = &s->lruvecs[v->evict_lruvec];

		r->distance_ns = s->now - v->evict_ns;
		r->distance_pages = lv->nr_reclaimed[type_of(f)] - v->evict_clock;
		r->distance_gens = lv->max_seq - v->evict_max_seq;
		if (r->distance_gens <= 1)
			t->nr_regretted[type_of(f)]++;
	}
}

static void name_page(struct event *ev, const struct vpage *v)
{
	ev->u.page.backing = v->anon ? BACKING_SWAP : BACKING_FILE;
	ev->u.page.dev = v->anon ? 0 : 8 << 20;
	ev->u.page.ino = v->anon ? 0 : v->ino;
	ev->u.page.index = v->anon ? v->entry - 1 + (1ull << 58) : v->index;
}

static void refault(struct sim *s, struct frame *f, const struct vpage *v, bool is_named)
{
	struct event ev = event_of(s, EV_REFAULT, f, 0);

	name_page(&ev, v);
	if (!is_named) {
		ev.u.page.backing = BACKING_UNKNOWN;
		ev.u.page.index = 0;
	}
	ev.u.page.token = v->evict_clock << 2;
	ev.u.page.recent = chance(s, 30);
	ev.u.page.counted = chance(s, 90);
	ev.u.page.in_fault = v->anon;
	emit(s, &ev);
	if (!f->life)
		begin_life(s, f, BIRTH_REFAULTED);
	else
		life_of(s, f)->birth = BIRTH_REFAULTED;
	note_refault(s, f, v);
}

static void op_fault(struct sim *s)
{
	bool anon = chance(s, 50);
	unsigned order = pick_order(s), nr = 1u << order, at, i;
	unsigned base = anon ? NR_FILES * FILE_PAGES : 0;
	unsigned span = anon ? NR_ANON : NR_FILES * FILE_PAGES;
	struct vpage *v;
	struct frame *f;

	at = base + (rnd(s, span) & ~(nr - 1));
	v = &s->vpages[at];
	if (anon && v->state == AWAY)
		nr = 1, order = 0;	/* from swap page by page */
	for (i = 0; i < nr; i++)
		if (v[i].state == RESIDENT || (i && v[i].has_shadow && !v->has_shadow) ||
		    (anon && i && v[i].state == AWAY))
			return;
	f = alloc(s, order, pick_memcg(s));
	if (!f)
		return;
	f->anon = f->swapbacked = anon;
	f->vpage = at + 1;
	f->active = chance(s, anon ? 70 : 30);
	f->dirty = chance(s, 30);
	if (anon && v->state == AWAY) {
		bool with_cache = !s->has_zram || chance(s, 50);
		struct event ev = event_of(s, EV_SWAPIN, f, 0);

		ev.u.page.index = v->entry - 1 + (1ull << 58);
		emit(s, &ev);
		begin_life(s, f, BIRTH_SWAPPED_IN);
		if (s->enabled && v->has_shadow)
			refault(s, f, v, with_cache);
		f->swapcache = with_cache && chance(s, 50);
		if (!f->swapcache)
			free_entry(s, v);
	} else if (v->has_shadow && s->enabled && !chance(s, 5)) {
		/* 5 %: the shadow was reclaimed */
		refault(s, f, v, true);
	}
	for (i = 0; i < nr; i++) {
		v[i].state = RESIDENT;
		v[i].has_shadow = false;
	}
}

static void op_drain(struct sim *s)
{
	unsigned nr = 1 + rnd(s, 6);
	struct frame *f;

	while (nr-- && (f = pick(s, BATCH)))
		add(s, f, SITE_LRU_ADD, false);
}

static void op_read(struct sim *s)
{
	struct frame *f = pick(s, LISTED);

	if (!f)
		return;
	if (!f->referenced)
		f->referenced = true;
	else if (f->refs < 4)
		f->refs++;
}

/* folio_update_gen() and its event, maybe stamped on the wrong side of another. */
static void update(struct sim *s, struct frame *f, uint64_t max_seq, unsigned site)
{
	struct event ev = event_of(s, EV_UPDATE, f, site);
	uint32_t pfn = pfn_of(s, f);
	struct sim_life *life = life_of(s, f);
	bool is_early, is_free = true;
	unsigned i;

	if (f->pending_ns >= s->now)
		return;
	f->pending_ns = 0;
	ev.max_seq = max_seq;
	if (f->gen == NO_GEN) {
		f->referenced = true;
		ev.flags |= FOLIO_REFERENCED;
	} else {
		unsigned gen = gen_of_seq(max_seq);

		f->referenced = f->workingset = false;
		f->refs = 0;
		if (f->gen == (int)gen)
			return;
		ev.old_gen = f->gen;
		ev.new_gen = gen;
		set_gen(s, f, gen);
		life->nr_promoted++;
	}
	ev.refs = ev.tier = 0;
	for (i = 0; i < s->nr_cpus; i++)
		is_free &= s->busy_until[i] != s->now - 1;
	is_early = is_free && s->last_pfn == pfn && s->last_cpu != s->cpu && !is_busy(s, s->cpu) &&
		   s->now - s->before_last_ns > 2 && s->last_ns[s->cpu] < s->now - 1 &&
		   chance(s, s->early_percent) &&
		   /* of a lruvec not known whole: nobody can tell that it was new */
		   !(f->memcg == 0 && life && life->birth_ns == s->now);
	if (is_early) {
		ev.ts_ns = s->now - 1;
		ev.cpu = s->cpu;
		ev.pid = s->pid;
		s->last_ns[s->cpu] = ev.ts_ns;
		s->last_pfn = 0;
		push(s, &ev);
	} else if (chance(s, s->late_percent)) {
		tick(s);
		ev.ts_ns = s->now + 5 + rnd(s, chance(s, 20) ? 1000000 : 20000);
		ev.cpu = s->cpu;
		ev.pid = s->pid;
		for (i = 0; i < s->nr_cpus; i++)
			if (s->busy_until[i] == ev.ts_ns) {
				ev.ts_ns++;
				i = -1;
			}
		s->last_ns[s->cpu] = s->busy_until[s->cpu] = f->pending_ns = ev.ts_ns;
		f->pending_gen = ev.old_gen;
		f->pending_seq = lruvec_of(s, f)->max_seq;
		s->last_pfn = 0;
		push(s, &ev);
	} else {
		emit(s, &ev);
	}
}

static unsigned pick_lruvec(struct sim *s)
{
	unsigned nr = s->nr_memcgs * s->nr_nodes, i, at = rnd(s, nr);

	for (i = 0; i < nr; i++) {
		unsigned number = (at + i) % nr;
		const struct sim_lruvec *lv = &s->lruvecs[number];

		if (lv->exists && lv->enabled && !s->memcgs[number / s->nr_nodes].released)
			return number;
	}
	return UINT32_MAX;
}

static void op_walk(struct sim *s)
{
	unsigned number = pick_lruvec(s), i, percent = 10 + rnd(s, 60), at;
	uint64_t max_seq;

	if (number == UINT32_MAX || !s->enabled)
		return;
	max_seq = s->lruvecs[number].max_seq;
	if (chance(s, 8))
		max_seq--;	/* another has aged it meanwhile */
	at = rnd(s, s->nr_pfns);
	for (i = 0; i < s->nr_pfns; i++) {
		struct frame *f = &s->frames[(at + i) % s->nr_pfns];

		if (is_head(f) && lruvec_number(s, f) == number && chance(s, percent) &&
		    !(f->state == RECLAIM && f->is_judged))
			update(s, f, max_seq, chance(s, 80) ? SITE_WALK_PTE : SITE_WALK_PMD);
		if (is_busy(s, s->cpu))
			begin_task(s);
	}
}

/* A walk that meets the folio that another CPU has just put on a list. */
static void op_race(struct sim *s)
{
	struct frame *f;

	if (!s->last_pfn || !s->enabled)
		return;
	f = frame_at(s, s->last_pfn);
	if (!is_head(f) || !lruvec_of(s, f)->enabled)
		return;
	update(s, f, lruvec_of(s, f)->max_seq, SITE_LOOK_AROUND);
}

static void step(struct sim *s, uint64_t seed);

/* The lock is dropped: others may come. */
static void let_others(struct sim *s)
{
	unsigned cpu = s->cpu, nr = rnd(s, 3);
	uint64_t random = s->random;
	int32_t pid = s->pid;

	if (s->depth < MAX_DEPTH) {
		s->depth++;
		while (nr--)
			step(s, mix(random + nr));
		s->depth--;
	}
	s->random = mix(random);
	s->cpu = cpu;
	s->pid = pid;
}

static void emit_min_seq(struct sim *s, struct sim_lruvec *lv, unsigned type, uint64_t new_seq,
			 unsigned site)
{
	struct event ev = lruvec_event(s, EV_MIN_SEQ, lv);
	struct sim_v2 *v2 = &s->truth.v2[site];
	uint64_t seq, nr_old = 0, nr_others = 0;
	bool given_up[SIM_NR_GENS] = { false };
	unsigned gen, zone;

	for (seq = lv->min_seq[type]; seq < new_seq; seq++) {
		given_up[gen_of_seq(seq)] = true;
		ev.u.min_seq.nr_pages += lv->nr_pages[gen_of_seq(seq)][type];
	}
	for (gen = 0; gen < SIM_NR_GENS; gen++)
		for (zone = 0; zone < s->nr_zones; zone++)
			*(given_up[gen] ? &nr_old : &nr_others) += lv->lists[gen][type][zone].nr;
	ev.type = type;
	ev.site = site;
	ev.u.min_seq.max_seq = lv->max_seq;
	ev.u.min_seq.old_seq = lv->min_seq[type];
	ev.u.min_seq.new_seq = new_seq;
	ev.u.min_seq.nr_gens = SIM_NR_GENS;
	ev.u.min_seq.relabel = nr_old != 0;
	if (!nr_old)
		ev.u.min_seq.nr_pages = 0;
	emit(s, &ev);
	close_runs(s, lv - s->lruvecs, -1);
	if (nr_old) {
		v2->nr++;
		v2->nr_folios += nr_old;
		v2->nr_pairs += nr_old * nr_others;
		if (lv->max_seq + 1 - lv->min_seq[type] > v2->max_gap_gens)
			v2->max_gap_gens = lv->max_seq + 1 - lv->min_seq[type];
	}
	lv->min_seq[type] = new_seq;
}

/* Returns false if the lock has to be dropped first. */
static bool inc_min_seq(struct sim *s, struct sim_lruvec *lv, unsigned type)
{
	unsigned old_gen = gen_of_seq(lv->min_seq[type]), zone, remaining = s->batch;

	if (type == TYPE_FILE || s->can_swap) {
		for (zone = 0; zone < s->nr_zones; zone++) {
			struct sim_list *list = &lv->lists[old_gen][type][zone];

			while (list->nr) {
				struct frame *f = frame_at(s, list->pfns[0]);
				unsigned new_gen = inc_gen(s, f, old_gen);

				move(s, f, SITE_INC_MIN_SEQ, new_gen, true, -1);
				if (!--remaining)
					return false;
			}
		}
	}
	emit_min_seq(s, lv, type, lv->min_seq[type] + 1, SITE_INC_MIN_SEQ);
	return true;
}

static void op_age(struct sim *s)
{
	unsigned number = pick_lruvec(s), tries = 20, i;
	struct sim_lruvec *lv;
	struct event ev;
	uint64_t seq;
	int type;

	if (number == UINT32_MAX)
		return;
	lv = &s->lruvecs[number];
	seq = lv->max_seq;
restart:
	if (seq != lv->max_seq || !lv->enabled || s->memcgs[number / s->nr_nodes].released ||
	    !tries--)
		return;
	for (type = TYPE_FILE; type >= TYPE_ANON; type--) {
		if (nr_gens(lv, type) != SIM_NR_GENS)
			continue;
		if (inc_min_seq(s, lv, type))
			continue;
		let_others(s);
		goto restart;
	}
	/* an update is not so late that it spans two agings */
	for (i = 0; i < s->nr_pfns; i++)
		if (is_head(&s->frames[i]) && lruvec_of(s, &s->frames[i]) == lv &&
		    s->frames[i].pending_seq < lv->max_seq)
			wait_for_update(s, &s->frames[i]);
	lv->max_seq++;
	ev = lruvec_event(s, EV_MAX_SEQ, lv);
	ev.u.lruvec.max_seq = lv->max_seq;
	ev.u.lruvec.min_seq[0] = lv->min_seq[0];
	ev.u.lruvec.min_seq[1] = lv->min_seq[1];
	ev.u.lruvec.memcg_id = s->memcgs[number / s->nr_nodes].short_id;
	ev.u.lruvec.nr_gens = SIM_NR_GENS;
	emit(s, &ev);
	close_runs(s, number, -1);
}

static void op_try_to_inc_min_seq(struct sim *s)
{
	unsigned number = pick_lruvec(s), zone;
	struct sim_lruvec *lv;
	uint64_t min_seq[TYPE_NR];
	int type;

	if (number == UINT32_MAX)
		return;
	lv = &s->lruvecs[number];
	memcpy(min_seq, lv->min_seq, sizeof(min_seq));
	for (type = !s->can_swap; type < TYPE_NR; type++) {
		while (min_seq[type] + MIN_NR_GENS <= lv->max_seq) {
			bool is_empty = true;

			for (zone = 0; zone < s->nr_zones; zone++)
				is_empty &= !lv->lists[gen_of_seq(min_seq[type])][type][zone].nr;
			if (!is_empty)
				break;
			min_seq[type]++;
		}
	}
	if (s->can_swap) {
		if (min_seq[TYPE_FILE] < min_seq[TYPE_ANON])
			min_seq[TYPE_ANON] = min_seq[TYPE_FILE];
		min_seq[TYPE_FILE] = min_seq[TYPE_ANON] > lv->min_seq[TYPE_FILE] ?
					     min_seq[TYPE_ANON] : lv->min_seq[TYPE_FILE];
	}
	for (type = !s->can_swap; type < TYPE_NR; type++)
		if (min_seq[type] != lv->min_seq[type])
			emit_min_seq(s, lv, type, min_seq[type], SITE_TRY_TO_INC_MIN_SEQ);
}

/* sort_folio() */
static bool sort(struct sim *s, struct frame *f, unsigned reclaim_idx, int tier_idx)
{
	struct sim_lruvec *lv = lruvec_of(s, f);
	unsigned min_gen = gen_of_seq(lv->min_seq[type_of(f)]);

	/* one that a stale walk has taken back here would look promoted */
	if (f->gen == (int)min_gen && f->pending_ns >= s->now && f->pending_gen != NO_GEN)
		wait_for_update(s, f);
	if (f->gen != (int)min_gen) {
		move(s, f, SITE_SORT_PROMOTED, f->gen, false, tier_idx);
		return true;
	}
	if ((int)tier_of(f) > tier_idx || f->refs == 4) {
		/* a walk may promote it in this moment */
		if (s->enabled && chance(s, s->early_percent) && f->pending_ns < s->now) {
			unsigned cpu = s->cpu;
			int32_t pid = s->pid;

			begin_task(s);
			if (s->cpu != cpu)
				update(s, f, lv->max_seq - chance(s, 20), SITE_WALK_PTE);
			s->cpu = cpu;
			s->pid = s->pids[s->depth] = pid;
		}
		move(s, f, SITE_SORT_PROTECTED, inc_gen(s, f, min_gen), true, tier_idx);
		return true;
	}
	if (f->zone > reclaim_idx) {
		move(s, f, SITE_SORT_INELIGIBLE, inc_gen(s, f, min_gen), true, tier_idx);
		return true;
	}
	return false;
}

static void op_scan(struct sim *s)
{
	unsigned number = pick_lruvec(s), type = rnd(s, TYPE_NR), i, gen, remaining;
	unsigned reclaim_idx = chance(s, 70) ? s->nr_zones - 1 : rnd(s, s->nr_zones);
	unsigned min_batch = 1 + rnd(s, 8), skip_percent = chance(s, 30) ? rnd(s, 50) : 0;
	unsigned isolated = 0, sorted = 0, skipped = 0, scanned = 0;
	int tier_idx = (int)rnd(s, 5) - 1;
	struct sim_lruvec *lv;
	struct event ev;

	if (number == UINT32_MAX)
		return;
	lv = &s->lruvecs[number];
	if (nr_gens(lv, type) == MIN_NR_GENS)
		return;
	if (tier_idx < 0)
		tier_idx = 3;
	gen = gen_of_seq(lv->min_seq[type]);
	remaining = s->batch;
	for (i = s->nr_zones; i > 0; i--) {
		unsigned zone = (reclaim_idx + i) % s->nr_zones, skipped_zone = 0;
		struct sim_list *list = &lv->lists[gen][type][zone];

		/* those skipped stand at the young end, to be met no more */
		while (list->nr > skipped_zone) {
			struct frame *f = frame_at(s, list->pfns[0]);

			scanned++;
			if (sort(s, f, reclaim_idx, tier_idx)) {
				sorted++;
			} else if (!chance(s, skip_percent)) {
				bool is_lazyfree = f->anon && !f->swapbacked;

				if (!f->referenced)
					f->refs = 0;
				f->referenced = false;
				del(s, f, SITE_ISOLATE_FOLIO, true);
				f->state = RECLAIM;
				f->by_reclaim = true;
				f->is_judged = false;
				isolated++;
				if (is_lazyfree) {
					ev = event_of(s, EV_LAZYFREE, f, 0);
					ev.u.lazyfree.stage = LAZYFREE_SCAN;
					emit(s, &ev);
				}
			} else {
				/* the folios skipped before it stay older than it */
				struct sim_v2 *v2 = &s->truth.v2[SITE_SCAN_SKIPPED];
				unsigned nr_passed = list->nr - 1 - skipped_zone;

				move(s, f, SITE_SCAN_SKIPPED, gen, false, tier_idx);
				skipped_zone++;
				skipped++;
				if (nr_passed) {
					v2->nr++;
					v2->nr_folios++;
					v2->nr_pairs += nr_passed;
				}
			}
			if (!--remaining || isolated >= min_batch || skipped_zone >= min_batch)
				break;
		}
		if (!remaining || isolated >= min_batch)
			break;
	}
	ev = lruvec_event(s, EV_SCAN, lv);
	ev.type = type;
	ev.old_gen = gen;
	ev.tier_idx = tier_idx;
	ev.u.scan.max_seq = lv->max_seq;
	ev.u.scan.nr_scanned = scanned;
	ev.u.scan.nr_isolated = isolated;
	ev.u.scan.nr_sorted = sorted;
	ev.u.scan.nr_skipped = skipped;
	ev.u.scan.reclaim_idx = reclaim_idx;
	emit(s, &ev);
	close_runs(s, number, -1);
}

/* Makes folios of @new_order of it; on a list they stand beside it. */
static void split(struct sim *s, struct frame *f, unsigned new_order)
{
	unsigned step = 1u << new_order, nr = 1u << f->order, i, place = 0;
	bool on_lru = f->state == LISTED;
	struct event ev;

	wait_for_update(s, f);
	ev = event_of(s, EV_SPLIT, f, SITE_OTHER);
	ev.new_gen = f->gen;
	ev.u.split.new_order = new_order;
	ev.u.split.on_lru = on_lru;
	emit(s, &ev);
	f->order = new_order;
	if (on_lru) {
		close_runs(s, lruvec_number(s, f), s->pid);
		place = place_in(list_of(s, f), pfn_of(s, f));
	}
	for (i = step; i < nr; i += step) {
		struct frame *tail = f + i;

		*tail = *f;
		tail->vpage = f->vpage ? f->vpage + i : 0;
		tail->life = 0;
		tail->nr_older = 0;
		tail->mark = 0;
		begin_life(s, tail, BIRTH_SPLIT);
		if (on_lru)
			list_insert(list_of(s, f), place + i / step, pfn_of(s, tail));
	}
	if (!on_lru)
		return;
	/* beyond the end of the file */
	while (!f->anon && chance(s, 20) && nr > step) {
		nr -= step;
		del(s, f + nr, SITE_RELEASE, false);
		forget_pages(s, f + nr);
		end_life(s, f + nr, END_FREED);
		free_frames(s, f + nr);
	}
}

static void op_split(struct sim *s)
{
	unsigned i, at = rnd(s, s->nr_pfns);

	for (i = 0; i < s->nr_pfns; i++) {
		struct frame *f = &s->frames[(at + i) % s->nr_pfns];

		if (!is_head(f) || !f->order || !f->life || !lruvec_of(s, f)->enabled)
			continue;
		if (f->state == LISTED || f->state == ISOLATED)
			split(s, f, rnd(s, f->order));
		return;
	}
}

static void outcome(struct sim *s, struct frame *f, unsigned outcome, unsigned reason)
{
	struct event ev = event_of(s, EV_RECLAIM, f, 0);

	ev.u.reclaim.outcome = outcome;
	ev.u.reclaim.reason = reason;
	emit(s, &ev);
	/* nobody follows it on the classic lists */
	if (!f->life && (lruvec_of(s, f)->enabled || outcome == OUTCOME_RECLAIMED ||
			 outcome == OUTCOME_LAZYFREED))
		begin_life(s, f, BIRTH_UNKNOWN);
}

/* Swap entries for all of its pages, in a row; false if there are none. */
static bool add_to_swap(struct sim *s, struct frame *f)
{
	unsigned nr = 1u << f->order, at, i;

	if (f->swapcache)
		return true;
	if (!s->can_swap)
		return false;
	for (at = 0; at + nr <= NR_ENTRIES; at += nr) {
		for (i = 0; i < nr && !s->entries[at + i]; i++)
			;
		if (i == nr)
			break;
	}
	if (at + nr > NR_ENTRIES)
		return false;
	for (i = 0; i < nr; i++) {
		s->entries[at + i] = f->vpage + i;
		s->vpages[f->vpage - 1 + i].entry = at + i + 1;
	}
	f->swapcache = true;
	return true;
}

static uint64_t nr_lazyfree(const struct sim *s, unsigned lruvec)
{
	uint64_t nr = 0;
	unsigned i;

	for (i = 0; i < s->nr_pfns; i++) {
		const struct frame *f = &s->frames[i];

		nr += f->state == LISTED && lruvec_number(s, f) == lruvec && f->anon &&
		      !f->swapbacked;
	}
	return nr;
}

static void evict(struct sim *s, struct frame *f)
{
	unsigned lruvec = lruvec_number(s, f), i;
	struct vpage *v = &s->vpages[f->vpage - 1];
	bool is_logged = s->enabled;

	wait_for_update(s, f);
	if (is_logged) {
		struct event ev = event_of(s, EV_EVICT, f, 0);

		name_page(&ev, v);
		ev.refs = f->refs;
		ev.tier = tier_of(f);
		emit(s, &ev);
	}
	for (i = 0; i < 1u << f->order; i++) {
		v[i].state = AWAY;
		v[i].has_shadow = true;
		v[i].is_seen = is_logged;
		v[i].evict_ns = s->now;
		v[i].evict_lruvec = lruvec;
		v[i].evict_clock = s->lruvecs[lruvec].nr_reclaimed[type_of(f)];
		v[i].evict_max_seq = s->lruvecs[lruvec].max_seq;
	}
	outcome(s, f, OUTCOME_RECLAIMED, REASON_NONE);
	if (type_of(f) == TYPE_FILE && nr_lazyfree(s, lruvec))
		s->truth.nr_file_first++;
	s->lruvecs[lruvec].nr_reclaimed[type_of(f)] += 1u << f->order;
	end_life(s, f, is_logged ? END_EVICTED : END_RECLAIMED);
	free_frames(s, f);
}

static void shrink_lazyfree(struct sim *s, struct frame *f)
{
	unsigned lruvec = lruvec_number(s, f);
	struct event ev = event_of(s, EV_LAZYFREE, f, 0);

	if (chance(s, 60)) {
		wait_for_update(s, f);
		forget_pages(s, f);
		ev.u.lazyfree.stage = LAZYFREE_FREED;
		emit(s, &ev);
		s->truth.nr_lazyfreed++;
		if (f->mark) {
			s->freed[lruvec] = realloc(s->freed[lruvec], (s->nr_freed[lruvec] + 1) *
								     sizeof(*s->freed[lruvec]));
			if (!s->freed[lruvec])
				abort();
			s->freed[lruvec][s->nr_freed[lruvec]++] = f->mark;
			f->mark = 0;
		}
		outcome(s, f, OUTCOME_LAZYFREED, REASON_NONE);
		s->lruvecs[lruvec].nr_reclaimed[TYPE_FILE] += 1u << f->order;
		end_life(s, f, END_LAZYFREED);
		free_frames(s, f);
	} else if (chance(s, 60)) {
		wait_for_update(s, f);
		f->swapbacked = true;
		ev = event_of(s, EV_LAZYFREE, f, 0);
		ev.u.lazyfree.stage = LAZYFREE_REDIRTIED;
		emit(s, &ev);
		s->truth.nr_redirtied++;
		f->mark = 0;
		outcome(s, f, OUTCOME_ACTIVATED, REASON_REDIRTIED);
		f->active = true;
		f->is_judged = true;
	} else {
		ev.u.lazyfree.stage = LAZYFREE_SKIPPED;
		emit(s, &ev);
		outcome(s, f, OUTCOME_KEPT, REASON_LOCKED);
		f->is_judged = true;
	}
}

/* shrink_folio_list() of one folio */
static void shrink(struct sim *s, struct frame *f)
{
	unsigned kind = rnd(s, 10);

	if (f->anon && !f->swapbacked) {
		shrink_lazyfree(s, f);
		return;
	}
	if (f->referenced && chance(s, 50)) {
		outcome(s, f, OUTCOME_ACTIVATED, REASON_PROMOTED);
		f->active = true;
		f->is_judged = true;
		return;
	}
	if (kind == 0) {
		outcome(s, f, OUTCOME_KEPT, REASON_LOCKED);
		f->is_judged = true;
		if (chance(s, 20)) {
			/* the second pass may find it clean */
			f->is_judged = false;
		}
		return;
	}
	if (kind == 1) {
		f->dirty = f->reclaim = true;
		outcome(s, f, chance(s, 50) ? OUTCOME_KEPT : OUTCOME_ACTIVATED, REASON_DIRTY_FILE);
		f->active = chance(s, 50);
		f->is_judged = true;
		return;
	}
	if (f->order && f->life && lruvec_of(s, f)->enabled && chance(s, f->anon ? 60 : 20))
		split(s, f, rnd(s, f->order));
	if (f->anon && !add_to_swap(s, f)) {
		outcome(s, f, OUTCOME_KEPT, REASON_NO_SWAP);
		f->is_judged = true;
		return;
	}
	evict(s, f);
}

static void op_shrink(struct sim *s)
{
	unsigned nr = 1 + rnd(s, 8), i, at = rnd(s, s->nr_pfns);

	for (i = 0; i < s->nr_pfns && nr; i++) {
		struct frame *f = &s->frames[(at + i) % s->nr_pfns];

		if (f->state != RECLAIM || f->is_judged)
			continue;
		nr--;
		shrink(s, f);
	}
}

static void op_putback(struct sim *s)
{
	unsigned nr = 1 + rnd(s, 8), i, at = rnd(s, s->nr_pfns);

	for (i = 0; i < s->nr_pfns && nr; i++) {
		struct frame *f = &s->frames[(at + i) % s->nr_pfns];

		if (f->state != RECLAIM || !f->is_judged)
			continue;
		nr--;
		f->is_judged = false;
		if (!f->by_reclaim) {
			f->state = BATCH;
		} else if (chance(s, 10)) {
			/* the owner let go of it meanwhile */
			forget_pages(s, f);
			free_frames(s, f);
		} else {
			add(s, f, SITE_PUTBACK, false);
		}
	}
}

static void op_isolate(struct sim *s)
{
	struct frame *f = pick(s, LISTED);

	if (f)
		del(s, f, chance(s, 70) ? SITE_ISOLATE_LRU : SITE_COMPACTION, false);
}

static void migrate(struct sim *s, struct frame *f)
{
	struct frame *new = alloc(s, f->order, f->memcg), copy;
	struct event ev;

	if (!new)
		return;
	wait_for_update(s, f);
	copy = *new;
	*new = *f;
	new->state = BATCH;
	new->nid = copy.nid;
	new->zone = copy.zone;
	new->life = 0;
	new->nr_older = 0;
	new->mark = 0;
	new->seen_in = lruvec_number(s, new);
	new->refs = 0;
	new->referenced = false;
	ev = event_of(s, EV_MIGRATE, f, 0);
	ev.u.migrate.new_pfn = pfn_of(s, new);
	ev.u.migrate.new_nid = new->nid;
	emit(s, &ev);
	end_life(s, f, END_MIGRATED);
	begin_life(s, new, BIRTH_MIGRATED);
	f->vpage = 0;
	free_frames(s, f);
}

static void op_unisolate(struct sim *s)
{
	struct frame *f = pick(s, ISOLATED);

	if (!f)
		return;
	if (!f->life) {
		f->state = BATCH;
		return;
	}
	switch (rnd(s, 6)) {
	case 0:
		migrate(s, f);
		break;
	case 1:
		/* MADV_PAGEOUT */
		f->state = RECLAIM;
		f->by_reclaim = false;
		f->is_judged = false;
		break;
	case 2:
		if (s->has_v1) {
			unsigned memcg = pick_memcg(s), old = f->memcg;

			f->memcg = memcg;
			f->state = BATCH;
			release_memcg(s, old);
			break;
		}
		/* fallthrough */
	case 3:
		if (s->has_kmem) {
			/* khugepaged has copied it */
			forget_pages(s, f);
			free_frames(s, f);
			break;
		}
		/* fallthrough */
	default:
		f->state = BATCH;
		break;
	}
}

static void op_requeue(struct sim *s)
{
	struct frame *f = pick(s, LISTED);

	if (!f)
		return;
	switch (rnd(s, 4)) {
	case 0:
		del(s, f, SITE_LRU_MOVE_TAIL, false);
		f->active = false;
		add(s, f, SITE_LRU_MOVE_TAIL, true);
		break;
	case 1:
		del(s, f, SITE_LRU_ACTIVATE, false);
		f->active = true;
		add(s, f, SITE_LRU_ACTIVATE, false);
		break;
	case 2:
		del(s, f, SITE_LRU_DEACTIVATE_FILE, false);
		f->active = f->referenced = false;
		if (f->dirty) {
			f->reclaim = true;
			add(s, f, SITE_LRU_DEACTIVATE_FILE, false);
		} else {
			add(s, f, SITE_LRU_DEACTIVATE_FILE, true);
		}
		break;
	default:
		del(s, f, SITE_LRU_DEACTIVATE, false);
		f->active = f->referenced = false;
		add(s, f, SITE_LRU_DEACTIVATE, false);
		break;
	}
}

static void op_lazyfree(struct sim *s)
{
	struct frame *f = pick(s, LISTED);
	struct event ev;

	if (!f || !f->anon || !f->swapbacked || f->swapcache)
		return;
	del(s, f, SITE_LRU_LAZYFREE, false);
	f->active = f->referenced = f->swapbacked = f->dirty = f->reclaim = false;
	add(s, f, SITE_LRU_LAZYFREE, false);
	ev = event_of(s, EV_LAZYFREE, f, 0);
	ev.u.lazyfree.stage = LAZYFREE_MARK;
	emit(s, &ev);
	s->truth.nr_marked++;
	f->mark = ++s->next_mark;
}

static void op_release(struct sim *s)
{
	static const uint8_t states[] = { LISTED, LISTED, LISTED, LISTED, UNEVICTABLE, CLASSIC, BATCH };
	struct frame *f = pick(s, states[rnd(s, sizeof(states))]);

	if (!f)
		return;
	if ((f->state == BATCH || f->state == CLASSIC) && f->life && !s->has_kmem)
		return;		/* the next folio there would look the same */
	wait_for_update(s, f);
	forget_pages(s, f);
	if (f->state == LISTED) {
		del(s, f, SITE_RELEASE, false);
		end_life(s, f, END_FREED);
	}
	free_frames(s, f);
}

static void op_mlock(struct sim *s)
{
	struct frame *f = pick(s, chance(s, 50) ? LISTED : UNEVICTABLE);

	if (!f)
		return;
	if (f->state == LISTED) {
		del(s, f, SITE_MLOCK, false);
		f->state = UNEVICTABLE;
	} else {
		f->active = chance(s, 30);
		add(s, f, chance(s, 80) ? SITE_MUNLOCK : SITE_CHECK_MOVE_UNEVICTABLE, false);
	}
}

static void emit_state(struct sim *s, struct sim_lruvec *lv, unsigned state)
{
	struct event ev = lruvec_event(s, EV_STATE, lv);

	ev.u.lruvec.max_seq = lv->max_seq;
	ev.u.lruvec.min_seq[0] = lv->min_seq[0];
	ev.u.lruvec.min_seq[1] = lv->min_seq[1];
	ev.u.lruvec.memcg_id = s->memcgs[(lv - s->lruvecs) / s->nr_nodes].short_id;
	ev.u.lruvec.nr_gens = SIM_NR_GENS;
	ev.u.lruvec.state = state;
	emit(s, &ev);
	close_runs(s, lv - s->lruvecs, -1);
}

static void new_memcg(struct sim *s, bool is_logged)
{
	struct memcg *m = &s->memcgs[s->nr_memcgs];
	unsigned i;

	m->exists = true;
	m->id = s->next_memcg;
	m->short_id = s->nr_memcgs + 1;
	s->next_memcg += 1 + rnd(s, 50);
	s->nr_memcgs++;
	for (i = 0; i < s->nr_nodes; i++) {
		struct sim_lruvec *lv = &s->lruvecs[(s->nr_memcgs - 1) * s->nr_nodes + i];

		lv->exists = true;
		lv->memcg = m->id;
		lv->nid = i;
		lv->max_seq = 3;
		lv->enabled = s->enabled;
		if (is_logged)
			emit_state(s, lv, STATE_ONLINE);
	}
}

static void op_memcg(struct sim *s)
{
	unsigned memcg, i;

	if (s->toggling)
		return;		/* cgroup_lock() */
	if (chance(s, 50)) {
		if (s->nr_memcgs < SIM_MAX_MEMCGS)
			new_memcg(s, true);
		return;
	}
	memcg = pick_memcg(s);
	if (!memcg)
		return;
	for (i = 0; i < s->nr_nodes; i++)
		emit_state(s, &s->lruvecs[memcg * s->nr_nodes + i], STATE_OFFLINE);
	s->memcgs[memcg].offline = true;
	release_memcg(s, memcg);
}

/* An update that is stamped later is of a life that is over. */
static void cut_life(struct sim *s, struct frame *f)
{
	if (f->life && f->pending_ns >= s->now && f->pending_gen != NO_GEN)
		life_of(s, f)->nr_promoted--;
	end_life(s, f, END_SWITCHED);
	/* without its past, nobody knows who isolated it */
	if (f->state == RECLAIM && !f->by_reclaim)
		f->state = BATCH;
}

/* From here on nobody knows its folios. */
static void cut_lives(struct sim *s, unsigned lruvec)
{
	unsigned i;

	for (i = 0; i < s->nr_pfns; i++) {
		struct frame *f = &s->frames[i];

		if (is_head(f) && f->seen_in == lruvec)
			cut_life(s, f);
	}
}

static unsigned next_lruvec(const struct sim *s, unsigned number)
{
	for (; number < s->nr_memcgs * s->nr_nodes; number++)
		if (s->lruvecs[number].exists && !s->memcgs[number / s->nr_nodes].released)
			return number;
	return UINT32_MAX;
}

/* One batch of draining or filling. Returns true if it is done. */
static bool drain_or_fill(struct sim *s, struct sim_lruvec *lv)
{
	unsigned remaining = s->batch, gen, type, zone, i;

	if (!s->enabled) {
		for (gen = 0; gen < SIM_NR_GENS; gen++)
			for (type = 0; type < TYPE_NR; type++)
				for (zone = 0; zone < s->nr_zones; zone++) {
					struct sim_list *list = &lv->lists[gen][type][zone];

					while (list->nr) {
						struct frame *f = frame_at(s, list->pfns[0]);

						del(s, f, SITE_DRAIN_EVICTABLE, false);
						f->state = CLASSIC;
						if (!--remaining)
							return false;
					}
				}
		return true;
	}
	for (i = 0; i < s->nr_pfns; i++) {
		struct frame *f = &s->frames[i];

		if (f->state != CLASSIC || lruvec_of(s, f) != lv)
			continue;
		add(s, f, SITE_FILL_EVICTABLE, false);
		if (!--remaining)
			return false;
	}
	return true;
}

static void op_toggle(struct sim *s)
{
	struct sim_lruvec *lv;
	unsigned i;

	if (!s->may_toggle)
		return;
	if (!s->toggling) {
		if (chance(s, 60))
			return;
		s->enabled = !s->enabled;
		s->toggling = next_lruvec(s, 0) + 1;
		s->toggle_begun = false;
		return;
	}
	lv = &s->lruvecs[s->toggling - 1];
	if (!s->toggle_begun) {
		lv->enabled = s->enabled;
		emit_state(s, lv, s->enabled ? STATE_ENABLE : STATE_DISABLE);
		if (s->enabled)
			cut_lives(s, s->toggling - 1);
		/* what is evicted or comes back from now on is not told */
		for (i = 0; !s->enabled && i < NR_VPAGES; i++)
			s->vpages[i].is_seen = false;
		s->toggle_begun = true;
	}
	if (!drain_or_fill(s, lv))
		return;
	emit_state(s, lv, s->enabled ? STATE_ENABLED : STATE_DISABLED);
	if (!s->enabled)
		cut_lives(s, s->toggling - 1);
	s->toggle_begun = false;
	s->toggling = next_lruvec(s, s->toggling);
	s->toggling = s->toggling == -1 ? 0 : s->toggling + 1;
}

/* Swapped or evicted pages that their owner gives up. */
static void op_drop_page(struct sim *s)
{
	unsigned i, at = rnd(s, NR_VPAGES), nr = 1 + rnd(s, 4);

	for (i = 0; i < NR_VPAGES && nr; i++) {
		struct vpage *v = &s->vpages[(at + i) % NR_VPAGES];

		if (v->state != AWAY)
			continue;
		free_entry(s, v);
		v->state = NOWHERE;
		v->has_shadow = v->is_seen = false;
		nr--;
	}
}

/* Reclaim from the classic lists tells outcomes only. */
static void op_shrink_classic(struct sim *s)
{
	struct frame *f = pick(s, CLASSIC);

	if (!f || !f->vpage || f->life || s->enabled || lruvec_of(s, f)->enabled)
		return;
	if (f->anon && (!f->swapbacked || !add_to_swap(s, f)))
		return;
	evict(s, f);
}

static const struct {
	void (*run)(struct sim *s);
	unsigned weight;
} ops[] = {
	{ op_fault, 30 },	{ op_drain, 14 },	{ op_read, 10 },
	{ op_walk, 5 },		{ op_race, 6 },		{ op_age, 6 },
	{ op_try_to_inc_min_seq, 5 },	{ op_scan, 12 },	{ op_shrink, 14 },
	{ op_putback, 6 },	{ op_split, 4 },	{ op_isolate, 5 },
	{ op_unisolate, 6 },	{ op_requeue, 5 },	{ op_lazyfree, 6 },
	{ op_release, 5 },	{ op_mlock, 4 },	{ op_memcg, 1 },
	{ op_toggle, 4 },	{ op_drop_page, 2 },	{ op_shrink_classic, 2 },
};
#define NR_OPS (sizeof(ops) / sizeof(ops[0]))

static void step(struct sim *s, uint64_t seed)
{
	unsigned i, sum = 0, at;

	s->random = seed;
	begin_task(s);
	for (i = 0; i < NR_OPS; i++)
		sum += s->weights[i];
	at = rnd(s, sum);
	for (i = 0; at >= s->weights[i]; i++)
		at -= s->weights[i];
	ops[i].run(s);
}

void sim_script_init(struct sim_script *script, uint64_t seed, unsigned nr_steps)
{
	unsigned i;

	script->seed = seed;
	script->nr_steps = nr_steps < SIM_MAX_STEPS ? nr_steps : SIM_MAX_STEPS;
	for (i = 0; i < script->nr_steps; i++)
		script->steps[i] = mix(seed * SIM_MAX_STEPS + i);
}

static void choose_habits(struct sim *s)
{
	unsigned i;

	s->nr_nodes = 1 + chance(s, 30);
	s->nr_zones = 1 + rnd(s, SIM_MAX_ZONES);
	s->nr_cpus = 2 + rnd(s, SIM_MAX_CPUS - 1);
	s->max_order = chance(s, 50) ? 3 : 0;
	s->nr_pfns = 32u << rnd(s, 4);
	s->batch = chance(s, 50) ? 1000 : 1 + rnd(s, 6);
	s->late_percent = chance(s, 60) ? rnd(s, 60) : 0;
	s->early_percent = chance(s, 60) ? rnd(s, 80) : 0;
	s->has_kmem = chance(s, 40);
	s->has_zram = chance(s, 30);
	s->can_swap = chance(s, 70);
	s->may_toggle = chance(s, 25);
	s->has_v1 = chance(s, 20);
	for (i = 0; i < NR_OPS; i++)
		s->weights[i] = ops[i].weight * (1 + rnd(s, 4));
	for (i = 0; i < NR_FILES * FILE_PAGES; i++) {
		s->vpages[i].ino = 100 + i / FILE_PAGES;
		s->vpages[i].index = i % FILE_PAGES;
	}
	for (; i < NR_VPAGES; i++)
		s->vpages[i].anon = true;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->ts_ns < y->ts_ns ? -1 : x->ts_ns > y->ts_ns;
}

static void finish(struct sim *s)
{
	unsigned i, j, k, lruvec;

	while (s->nr_runs)
		close_run(s, 0);
	qsort(s->events, s->nr_events, sizeof(*s->events), by_time);
	if (s->nr_events)
		s->now = s->events[s->nr_events - 1].ts_ns;
	for (i = 0; i < s->nr_pfns; i++)
		if (is_head(&s->frames[i]))
			end_life(s, &s->frames[i], END_RESIDENT);
	for (i = 0; i < s->truth.nr_lives; i++)
		if (s->truth.lives[i].end_ns > s->now)
			s->truth.lives[i].end_ns = s->now;
	for (lruvec = 0; lruvec < SIM_MAX_LRUVECS; lruvec++) {
		const uint64_t *marks = s->freed[lruvec];

		for (j = 0; j < s->nr_freed[lruvec]; j++)
			for (k = j + 1; k < s->nr_freed[lruvec]; k++) {
				s->truth.lazy_pairs++;
				s->truth.lazy_reversed += marks[k] < marks[j];
			}
	}
}

struct sim *sim_play(const struct sim_script *script)
{
	struct sim *s = calloc(1, sizeof(*s));
	unsigned i, nr;

	if (!s)
		abort();
	s->script = script;
	s->random = mix(script->seed);
	s->now = 1000000 + rnd(s, 1000000000);
	s->enabled = true;
	s->next_memcg = 1;
	choose_habits(s);
	begin_task(s);
	new_memcg(s, false);	/* the root is older than the recording */
	for (nr = 1 + rnd(s, 2); nr; nr--)
		new_memcg(s, true);
	for (i = 0; i < script->nr_steps; i++)
		step(s, script->steps[i]);
	finish(s);
	return s;
}

void sim_free(struct sim *s)
{
	unsigned i, gen, type, zone;

	if (!s)
		return;
	for (i = 0; i < SIM_MAX_LRUVECS; i++) {
		for (gen = 0; gen < SIM_NR_GENS; gen++)
			for (type = 0; type < TYPE_NR; type++)
				for (zone = 0; zone < SIM_MAX_ZONES; zone++)
					free(s->lruvecs[i].lists[gen][type][zone].pfns);
		free(s->freed[i]);
	}
	free(s->events);
	free(s->truth.lives);
	free(s->truth.refaults);
	free(s);
}

const struct event *sim_events(const struct sim *s, unsigned *nr)
{
	*nr = s->nr_events;
	return s->events;
}

unsigned sim_nr_cpus(const struct sim *s)
{
	return s->nr_cpus;
}

const struct sim_lruvec *sim_lruvec(const struct sim *s, unsigned number)
{
	return number < s->nr_memcgs * s->nr_nodes ? &s->lruvecs[number] : NULL;
}

const struct sim_truth *sim_truth(const struct sim *s)
{
	return &s->truth;
}

unsigned sim_folio_order(const struct sim *s, uint32_t pfn)
{
	return s->frames[pfn - (FIRST_PFN - MAX_PFNS / 2)].order;
}
