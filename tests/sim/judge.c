// SPDX-License-Identifier: GPL-2.0-only
#include "judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen.h"
#include "readback.h"

__attribute__((format(printf, 2, 3)))
static void differ(struct judgement *j, const char *fmt, ...)
{
	va_list args;

	if (!j->ok)
		return;
	j->ok = false;
	va_start(args, fmt);
	vsnprintf(j->text, sizeof(j->text), fmt, args);
	va_end(args);
}

static void same(struct judgement *j, const char *what, uint64_t model, uint64_t truth)
{
	if (model != truth)
		differ(j, "%s: %llu, should be %llu", what, (unsigned long long)model,
		       (unsigned long long)truth);
}

static void judge_list(struct judgement *j, const struct replay *r, const struct lruvec *lv,
		       const struct sim_lruvec *truth, unsigned gen, unsigned type, unsigned zone)
{
	const struct sim_list *expected = &truth->lists[gen][type][zone];
	const struct model_list *list = model_list(r->model, lv, gen, type, zone);
	uint32_t label = list ? list->order.begin : 0, handle, i, nr = 0;

	for (i = 0; list && lrulist_next(&list->order, &label, &handle); i++, label++) {
		uint64_t pfn;
		const struct folio *f = folio_table_at(model_folios(r->model), handle, &pfn);

		nr++;
		if (i >= expected->nr || pfn != expected->pfns[i])
			differ(j, "memcg %llu node %d gen %u type %u zone %u: place %u has pfn %llu, should be %lld",
			       (unsigned long long)truth->memcg, truth->nid, gen, type, zone, i,
			       (unsigned long long)pfn,
			       i < expected->nr ? (long long)expected->pfns[i] : -1ll);
		if (lrulist_rank(&list->order, f->label) != i)
			differ(j, "pfn %llu: rank %u at place %u", (unsigned long long)pfn,
			       lrulist_rank(&list->order, f->label), i);
	}
	if (nr != expected->nr)
		differ(j, "memcg %llu node %d gen %u type %u zone %u: %u folios, should be %u",
		       (unsigned long long)truth->memcg, truth->nid, gen, type, zone, nr,
		       expected->nr);
	if (list)
		same(j, "folios counted on a list", list->order.nr_folios, nr);
}

static void judge_lists(struct judgement *j, const struct replay *r, const struct sim *sim)
{
	const struct sim_lruvec *truth;
	unsigned i, gen, type, zone;

	for (i = 0; (truth = sim_lruvec(sim, i)); i++) {
		const struct lruvec *lv = model_find_lruvec(r->model, truth->memcg, truth->nid);
		static const struct lruvec none;

		if (!truth->exists)
			continue;
		if (!lv)
			lv = &none;	/* nothing happened there */
		for (gen = 0; gen < SIM_NR_GENS; gen++)
			for (type = 0; type < TYPE_NR; type++) {
				if (lv->nr_pages[gen][type] != truth->nr_pages[gen][type])
					differ(j, "memcg %llu node %d gen %u type %u: %lld pages, should be %lld",
					       (unsigned long long)truth->memcg, truth->nid, gen,
					       type, (long long)lv->nr_pages[gen][type],
					       (long long)truth->nr_pages[gen][type]);
				for (zone = 0; zone < SIM_MAX_ZONES; zone++)
					judge_list(j, r, lv, truth, gen, type, zone);
			}
		if (lv->seq_known)
			same(j, "max_seq", lv->max_seq, truth->max_seq);
		for (type = 0; type < TYPE_NR; type++)
			if (lv->min_known[type])
				same(j, "min_seq", lv->min_seq[type], truth->min_seq[type]);
		same(j, "pages reclaimed", lv->nr_reclaimed[0] + lv->nr_reclaimed[1],
		     truth->nr_reclaimed[0] + truth->nr_reclaimed[1]);
	}
}

/* What is seen for one moment and not followed says nothing. */
static bool is_empty_claim(const struct sim_life *life)
{
	return life->birth == BIRTH_UNKNOWN && life->end == END_SWITCHED &&
	       life->birth_ns == life->end_ns;
}

static int by_pfn_and_end(const void *a, const void *b)
{
	const struct sim_life *x = a, *y = b;

	if (x->pfn != y->pfn)
		return x->pfn < y->pfn ? -1 : 1;
	if (x->birth_ns != y->birth_ns)
		return x->birth_ns < y->birth_ns ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

static void judge_life(struct judgement *j, const struct sim_life *m, const struct sim_life *t)
{
	bool is_end_known = t->end != SIM_END_SILENT;

	if (m->pfn != t->pfn || m->birth != t->birth ||
	    (m->birth != BIRTH_UNKNOWN && m->birth_ns != t->birth_ns) ||
	    (is_end_known && (m->end != t->end || m->end_ns != t->end_ns)) ||
	    (!is_end_known && ((m->end != END_REUSED && m->end != END_RESIDENT &&
				m->end != END_SWITCHED) || m->end_ns < t->end_ns)))
		differ(j, "life of pfn %llu: %s at %llu to %s at %llu, should be pfn %llu %s at %llu to %s at %llu",
		       (unsigned long long)m->pfn, folio_birth_name(m->birth),
		       (unsigned long long)m->birth_ns, folio_end_name(m->end),
		       (unsigned long long)m->end_ns, (unsigned long long)t->pfn,
		       folio_birth_name(t->birth), (unsigned long long)t->birth_ns,
		       is_end_known ? folio_end_name(t->end) : "free, unseen",
		       (unsigned long long)t->end_ns);
	if (m->order != t->order || m->type != t->type || m->nr_promoted != t->nr_promoted ||
	    m->nr_protected != t->nr_protected || m->nr_isolated != t->nr_isolated)
		differ(j, "life of pfn %llu from %llu: order %u type %u promoted %u protected %u isolated %u, should be %u %u %u %u %u",
		       (unsigned long long)m->pfn, (unsigned long long)m->birth_ns, m->order,
		       m->type, m->nr_promoted, m->nr_protected, m->nr_isolated, t->order, t->type,
		       t->nr_promoted, t->nr_protected, t->nr_isolated);
}

static void judge_lives(struct judgement *j, const struct replay *r, const struct sim_truth *truth)
{
	struct sim_life *m = malloc((r->nr_lives + 1) * sizeof(*m));
	struct sim_life *t = malloc((truth->nr_lives + 1) * sizeof(*t));
	unsigned i, nr_m = 0, nr_t = 0;

	if (!m || !t)
		abort();
	for (i = 0; i < r->nr_lives; i++)
		if (!is_empty_claim(&r->lives[i].life))
			m[nr_m++] = r->lives[i].life;
	for (i = 0; i < truth->nr_lives; i++)
		if (!is_empty_claim(&truth->lives[i]))
			t[nr_t++] = truth->lives[i];
	qsort(m, nr_m, sizeof(*m), by_pfn_and_end);
	qsort(t, nr_t, sizeof(*t), by_pfn_and_end);
	for (i = 0; i < nr_m && i < nr_t; i++)
		judge_life(j, &m[i], &t[i]);
	same(j, "lives", nr_m, nr_t);
	free(m);
	free(t);
}

static void judge_refaults(struct judgement *j, const struct replay *r,
			   const struct sim_truth *truth)
{
	const struct refault_results *results = r->refault_results;
	uint64_t nr_chained = 0;
	unsigned i;

	same(j, "refaults", r->nr_refaults, truth->nr_refaults);
	for (i = 0; i < r->nr_refaults && i < truth->nr_refaults; i++) {
		const struct sim_refault *m = &r->refaults[i], *t = &truth->refaults[i];

		nr_chained += t->is_chained;
		if (m->pfn != t->pfn || m->ts_ns != t->ts_ns || m->is_chained != t->is_chained ||
		    m->distance_ns != t->distance_ns || m->distance_pages != t->distance_pages ||
		    m->distance_gens != t->distance_gens)
			differ(j, "refault of pfn %llu at %llu: %s, distance %llu ns %llu pages %llu agings, should be pfn %llu at %llu: %s, %llu %llu %llu",
			       (unsigned long long)m->pfn, (unsigned long long)m->ts_ns,
			       m->is_chained ? "chained" : "not chained",
			       (unsigned long long)m->distance_ns,
			       (unsigned long long)m->distance_pages,
			       (unsigned long long)m->distance_gens, (unsigned long long)t->pfn,
			       (unsigned long long)t->ts_ns,
			       t->is_chained ? "chained" : "not chained",
			       (unsigned long long)t->distance_ns,
			       (unsigned long long)t->distance_pages,
			       (unsigned long long)t->distance_gens);
	}
	same(j, "refaults chained", results->nr_chained[0] + results->nr_chained[1], nr_chained);
	same(j, "V5 anon", results->nr_regretted[TYPE_ANON], truth->nr_regretted[TYPE_ANON]);
	same(j, "V5 file", results->nr_regretted[TYPE_FILE], truth->nr_regretted[TYPE_FILE]);
}

static void judge_violations(struct judgement *j, const struct replay *r,
			     const struct sim_truth *truth)
{
	const struct order_results *o = r->order_results;
	const struct lazyfree_results *l = r->lazyfree_results;
	char what[80];
	unsigned i;

	for (i = 0; i < SITE_NR; i++) {
		const struct order_v1 *m1 = &o->v1[i];
		const struct sim_v1 *t1 = &truth->v1[i];
		const struct order_v2 *m2 = &o->v2[i];
		const struct sim_v2 *t2 = &truth->v2[i];

#define SAME(m, t, name, field)							\
		snprintf(what, sizeof(what), name " at %s: " #field, site_name(i));	\
		same(j, what, (m)->field, (t)->field)
		SAME(m1, t1, "V1", nr_runs);
		SAME(m1, t1, "V1", nr_moves);
		SAME(m1, t1, "V1", nr_pairs);
		SAME(m1, t1, "V1", nr_reversed);
		SAME(m1, t1, "V1", longest);
		same(j, "V1 moves from unknown places", m1->nr_unknown, 0);
		SAME(m2, t2, "V2", nr);
		SAME(m2, t2, "V2", nr_folios);
		SAME(m2, t2, "V2", nr_pairs);
		SAME(m2, t2, "V2", max_gap_gens);
	}
	for (i = 0; i < TYPE_NR; i++) {
		same(j, "V3 folios", o->v3[i].nr, truth->v3[i].nr);
		same(j, "V3 older folios", o->v3[i].sum_older, truth->v3[i].sum_older);
		same(j, "V3 most older folios", o->v3[i].max_older, truth->v3[i].max_older);
		same(j, "folios reclaimed", o->nr_reclaimed[i], truth->nr_reclaimed[i]);
	}
	same(j, "lazyfree marked", l->nr_marked, truth->nr_marked);
	same(j, "lazyfree freed", l->nr_freed, truth->nr_lazyfreed);
	same(j, "lazyfree redirtied", l->nr_redirtied, truth->nr_redirtied);
	same(j, "lazyfree released", l->nr_released, truth->nr_released);
	same(j, "V4 pairs", l->nr_pairs, truth->lazy_pairs);
	same(j, "V4 reversed pairs", l->nr_reversed, truth->lazy_reversed);
	same(j, "V4 file folios first", l->nr_file_first, truth->nr_file_first);
}

void judge_events(struct judgement *j, const struct sim *sim, const struct event *events,
		  unsigned nr)
{
	const struct sim_truth *truth = sim_truth(sim);
	const struct model_stats *stats;
	struct replay r;
	unsigned i;

	j->ok = true;
	j->text[0] = '\0';
	replay_init(&r);
	for (i = 0; i < nr; i++)
		replay_event(&r, &events[i]);
	judge_lists(j, &r, sim);
	replay_end(&r);
	stats = model_stats(r.model);
	for (i = 0; i < STATE_ERROR_NR; i++)
		if (stats->nr_errors[i])
			differ(j, "%llu contradictions: %s, e.g. pfn %llu at %llu",
			       (unsigned long long)stats->nr_errors[i], state_error_text(i),
			       (unsigned long long)stats->samples[0].pfn,
			       (unsigned long long)stats->samples[0].ts_ns);
	same(j, "events refused", stats->nr_refused, 0);
	judge_lives(j, &r, truth);
	judge_refaults(j, &r, truth);
	judge_violations(j, &r, truth);
	replay_release(&r);
}

static void judge_file(struct judgement *j, const struct sim *sim)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	unsigned nr, i;
	const struct event *events = sim_events(sim, &nr);
	struct readback rb;
	struct gen *gen = gen_new(&opts);

	for (i = 0; i < sim_nr_cpus(sim); i++)
		gen_cpu(gen, 0, i);
	for (i = 0; i < nr; i++)
		gen_event(gen_cpu(gen, 0, events[i].cpu), &events[i]);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	if (rb.err < 0)
		differ(j, "file: %s", rb.diag.text);
	else if (rb.nr != nr)
		differ(j, "file: %u events, should be %u", rb.nr, nr);
	else
		judge_events(j, sim, rb.events, rb.nr);
	readback_release(&rb);
	unlink(path);
}

void judge_script(struct judgement *j, const struct sim_script *script, bool via_file)
{
	struct sim *sim = sim_play(script);
	const struct event *events;
	unsigned nr;

	j->ok = true;
	events = sim_events(sim, &nr);
	if (via_file)
		judge_file(j, sim);
	else
		judge_events(j, sim, events, nr);
	sim_free(sim);
}

unsigned judge_shrink(struct sim_script *script)
{
	struct sim_script *trial = malloc(sizeof(*trial));
	unsigned len = script->nr_steps, at, nr_plays = 0;
	struct judgement j;

	if (!trial)
		abort();
	for (len = script->nr_steps / 2; len; len = len / 2) {
		for (at = 0; at < script->nr_steps;) {
			unsigned nr = script->nr_steps - at < len ? script->nr_steps - at : len;

			*trial = *script;
			memmove(trial->steps + at, trial->steps + at + nr,
				(script->nr_steps - at - nr) * sizeof(*trial->steps));
			trial->nr_steps -= nr;
			judge_script(&j, trial, false);
			nr_plays++;
			if (j.ok)
				at += nr;
			else
				*script = *trial;
		}
	}
	free(trial);
	return nr_plays;
}
