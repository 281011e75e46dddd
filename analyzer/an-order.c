// SPDX-License-Identifier: GPL-2.0-only
/*
 * V1, V2 and V3: violations of order on the rebuilt lists.
 *
 * A run is what one site moves from one list to one list under one hold of the
 * lru_lock, or, for inc_min_seq, until min_seq moves. It ends with the scan or
 * sequence event of its lruvec, or when another task changes a list of it.
 */
#include "array.h"
#include "order.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

struct run {
	const struct lruvec *lruvec;
	const struct model_list *from, *to;
	uint32_t nr_renumbered;		/* of from: labels compare only within one */
	int32_t pid;
	uint8_t site;
	bool tail;
	uint32_t nr, nr_alloc;
	uint32_t *labels;		/* in from, in the order of the moves */
	struct order_example first[2];
};

/*
 * A scan of which the beginning was lost may have skipped folios unseen. Whether
 * one can still be going on: what was seen of a lruvec since the last loss.
 */
struct hold {
	enum { HOLD_NONE, HOLD_SCAN, HOLD_CLEAN } seen;
	int32_t pid;		/* HOLD_SCAN: whose it is */
};

#define MAX_RUNS 64

/* Isolated by a scan that is not over, with older folios behind it. */
struct isolated {
	struct folio *folio;
	const struct model_list *from;
	uint32_t nr_renumbered;
	uint32_t label;
	uint32_t life;
};

/* what scans isolate under one hold of the lru_lock, on several CPUs */
#define MAX_ISOLATED 512

/* The youngest place that a folio was isolated from on a list, in its latest numbering. */
struct front {
	const struct model_list *from;
	uint32_t nr_renumbered;
	uint32_t label;
};

#define MAX_FRONTS 16

struct state {
	const struct analysis_env *env;
	unsigned nr_examples;
	struct order_results results;
	struct run runs[MAX_RUNS];	/* open; memory is kept for the next */
	unsigned nr_runs;
	uint32_t *scratch;
	uint32_t scratch_nr;
	struct hold *holds;		/* by the number of the lruvec */
	uint32_t nr_holds;
	/*
	 * Those whose life has ended since stand behind the first nr_waiting:
	 * they need not be looked at, and go with their scan.
	 */
	struct isolated isolated[MAX_ISOLATED];
	unsigned nr_waiting, nr_isolated;
	unsigned nr_forgiven;		/* calls since the dead were put behind */
	struct front fronts[MAX_FRONTS];	/* of those waiting */
	unsigned nr_fronts;
	bool out_of_memory;
};

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->env = env;
	s->nr_examples = order_nr_examples(env->opts);
	return s;
}

static void release(void *self)
{
	struct state *s = self;
	unsigned i;

	for (i = 0; i < MAX_RUNS; i++)
		free(s->runs[i].labels);
	free(s->scratch);
	free(s->holds);
	free(s);
}

uint64_t order_reversed(uint32_t *keys, uint32_t *scratch, uint32_t nr)
{
	uint32_t half = nr / 2, i = 0, j = half, out = 0;
	uint64_t nr_pairs;

	if (nr < 2)
		return 0;
	nr_pairs = order_reversed(keys, scratch, half) +
		   order_reversed(keys + half, scratch, nr - half);
	while (i < half && j < nr) {
		if (keys[i] < keys[j]) {
			nr_pairs += nr - j;	/* keys[j] and all after it */
			scratch[out++] = keys[i++];
		} else {
			scratch[out++] = keys[j++];
		}
	}
	while (i < half)
		scratch[out++] = keys[i++];
	while (j < nr)
		scratch[out++] = keys[j++];
	memcpy(keys, scratch, nr * sizeof(*keys));
	return nr_pairs;
}

unsigned order_nr_examples(const struct analysis_opts *opts)
{
	unsigned nr = opts->nr_examples ? opts->nr_examples : 2;

	return nr < ORDER_MAX_EXAMPLES ? nr : ORDER_MAX_EXAMPLES;
}

void order_examples_keep(struct order_examples *examples, unsigned nr_max,
			 const struct order_example *example, bool least)
{
	struct order_example *e = examples->e;
	unsigned i = examples->nr;

	while (i && (least ? example->magnitude < e[i - 1].magnitude :
			     example->magnitude > e[i - 1].magnitude))
		i--;
	if (i >= nr_max)
		return;
	if (examples->nr < nr_max)
		examples->nr++;
	memmove(&e[i + 1], &e[i], (examples->nr - 1 - i) * sizeof(*e));
	e[i] = *example;
}

static void add_example(const struct state *s, struct order_examples *examples,
			const struct order_example *example)
{
	order_examples_keep(examples, s->nr_examples, example, false);
}

static void close_run(struct state *s, unsigned number)
{
	struct run *run = &s->runs[number];
	struct order_v1 *v1 = &s->results.v1[run->site];
	uint64_t nr_pairs = (uint64_t)run->nr * (run->nr - 1) / 2, nr_reversed;
	uint32_t i, nr_rises = 0;

	if (run->from == run->to)
		goto out;	/* skipped folios, only counted */
	if (run->nr > s->scratch_nr) {
		uint32_t *scratch = realloc(s->scratch, run->nr_alloc * sizeof(*scratch));

		if (!scratch) {
			s->out_of_memory = true;
			goto out;
		}
		s->scratch = scratch;
		s->scratch_nr = run->nr_alloc;
	}
	for (i = 1; i < run->nr; i++)
		nr_rises += run->labels[i - 1] < run->labels[i];
	nr_reversed = nr_rises == run->nr - 1 ? nr_pairs :
						order_reversed(run->labels, s->scratch, run->nr);
	if (!run->tail) {
		/* put at the young end one by one: the pairs that fall are reversed */
		nr_reversed = nr_pairs - nr_reversed;
		nr_rises = run->nr - 1 - nr_rises;
	}
	v1->nr_neighbours_reversed += nr_rises;
	v1->nr_runs++;
	v1->nr_moves += run->nr;
	v1->nr_pairs += nr_pairs;
	v1->nr_reversed += nr_reversed;
	if (run->nr > v1->longest)
		v1->longest = run->nr;
	for (i = 0; i < 2 && nr_reversed && i < run->nr; i++) {
		run->first[i].magnitude = run->nr;
		add_example(s, &v1->examples, &run->first[i]);
	}
	if (nr_reversed)
		analysis_violation(s->env, &(struct violation){
						   .kind = 1,
						   .site = run->site,
						   .type = run->from->type,
						   .ts_ns = run->first[0].ts_ns,
						   .lruvec = run->lruvec,
						   .pfn = run->first[0].pfn,
						   .life = run->first[0].life,
						   .nr_folios = run->nr,
						   .nr_pairs = nr_reversed,
					   });
out:
	run->nr = 0;
	s->nr_runs--;
	if (number < s->nr_runs) {
		/* keep the memory of the closed run in its place at the end */
		struct run closed = *run;

		*run = s->runs[s->nr_runs];
		s->runs[s->nr_runs] = closed;
	}
}

/* @pid -1: whoever it was. */
static void close_runs(struct state *s, const struct lruvec *lruvec, int32_t but_pid)
{
	unsigned i = 0;

	while (i < s->nr_runs) {
		if ((!lruvec || s->runs[i].lruvec == lruvec) &&
		    (but_pid < 0 || s->runs[i].pid != but_pid))
			close_run(s, i);
		else
			i++;
	}
}

static __attribute__((noinline)) struct hold *new_hold(struct state *s,
						       const struct lruvec *lruvec)
{
	uint32_t nr = lruvec->number + 16;
	struct hold *holds = realloc(s->holds, nr * sizeof(*holds));

	if (!holds) {
		s->out_of_memory = true;
		return NULL;
	}
	memset(holds + s->nr_holds, 0, (nr - s->nr_holds) * sizeof(*holds));
	s->holds = holds;
	s->nr_holds = nr;
	return &holds[lruvec->number];
}

static inline struct hold *hold_of(struct state *s, const struct lruvec *lruvec)
{
	return lruvec->number < s->nr_holds ? &s->holds[lruvec->number] : new_hold(s, lruvec);
}

/* A list of the lruvec changed, or a scan of it ended. */
static void note_hold(struct state *s, const struct change *c)
{
	struct hold *hold = hold_of(s, c->lruvec);
	bool by_scan;

	if (!hold || hold->seen == HOLD_CLEAN)
		return;
	by_scan = (c->kind == CHANGE_LEAVE && c->ev->site == SITE_ISOLATE_FOLIO) ||
		  (c->kind == CHANGE_MOVE && c->ev->site != SITE_INC_MIN_SEQ);
	if (!by_scan || (hold->seen == HOLD_SCAN && hold->pid != c->ev->pid)) {
		hold->seen = HOLD_CLEAN;
		return;
	}
	hold->seen = HOLD_SCAN;
	hold->pid = c->ev->pid;
}

static struct run *open_run(struct state *s, const struct model_list *from,
			    const struct model_list *to, const struct change *c)
{
	bool tail = c->ev->flags & FOLIO_TAIL;
	struct run *run;
	unsigned i;

	for (i = 0; i < s->nr_runs; i++) {
		run = &s->runs[i];
		if (run->from != from || run->to != to ||
		    run->site != c->ev->site || run->tail != tail)
			continue;
		if (run->nr_renumbered == from->order.nr_renumbered ||
		    !from->order.nr_folios || run->from == run->to)
			return run;
		close_run(s, i);
		break;
	}
	if (s->nr_runs == MAX_RUNS)
		close_run(s, 0);
	run = &s->runs[s->nr_runs++];
	run->lruvec = c->lruvec;
	run->from = from;
	run->to = to;
	run->nr_renumbered = from->order.nr_renumbered;
	run->pid = c->ev->pid;
	run->site = c->ev->site;
	run->tail = tail;
	run->nr = 0;
	return run;
}

static struct order_example example_of(const struct change *c, uint64_t magnitude)
{
	return (struct order_example){
		.pfn = c->pfn,
		.life = c->folio->life,
		.ts_ns = c->ts_ns,
		.magnitude = magnitude,
	};
}

static void judge_v1(struct state *s, const struct change *c)
{
	struct run *run = open_run(s, c->old_list, c->new_list, c);

	if (array_grow(&run->labels, run->nr, &run->nr_alloc, sizeof(*run->labels))) {
		s->out_of_memory = true;
		return;
	}
	if (run->nr < 2)
		run->first[run->nr] = example_of(c, 0);
	run->labels[run->nr++] = c->old_label;
}

static void judge_v2(struct state *s, const struct change *c)
{
	struct order_v2 *v2 = &s->results.v2[c->ev->site];
	uint64_t nr_passed, gap = 0;
	struct order_example example;

	if (c->old_list == c->new_list) {
		/* those skipped before it in this scan stay older than it */
		struct hold *hold = hold_of(s, c->lruvec);
		struct run *run = open_run(s, c->old_list, c->new_list, c);

		if (!hold || hold->seen != HOLD_CLEAN) {
			s->results.nr_in_loss++;
			run->nr++;
			return;
		}
		nr_passed = c->nr_younger > run->nr ? c->nr_younger - run->nr : 0;
		run->nr++;
	} else {
		nr_passed = c->new_list_nr;
		if (c->lruvec->seq_known)
			gap = model_age(c->lruvec, c->old_list->gen) -
			      model_age(c->lruvec, c->new_list->gen);
	}
	if (!nr_passed)
		return;
	v2->nr++;
	v2->nr_folios++;
	v2->nr_pairs += nr_passed;
	if (gap > v2->max_gap_gens)
		v2->max_gap_gens = gap;
	example = example_of(c, nr_passed);
	add_example(s, &v2->examples, &example);
	analysis_violation(s->env, &(struct violation){
					   .kind = 2,
					   .site = c->ev->site,
					   .type = c->folio->type,
					   .ts_ns = c->ts_ns,
					   .lruvec = c->lruvec,
					   .pfn = c->pfn,
					   .life = c->folio->life,
					   .nr_folios = 1,
					   .nr_pairs = nr_passed,
				   });
}

/* Is it still in the hands of reclaim, with older folios that stayed? */
static bool is_passing(const struct isolated *isolated)
{
	const struct folio *f = isolated->folio;

	return f->life == isolated->life && !f->list && f->nr_passed;
}

static void put_dead_behind(struct state *s)
{
	unsigned i = 0;

	s->nr_forgiven = 0;
	while (i < s->nr_waiting) {
		struct isolated dead = s->isolated[i];

		if (is_passing(&dead)) {
			i++;
			continue;
		}
		s->isolated[i] = s->isolated[--s->nr_waiting];
		s->isolated[s->nr_waiting] = dead;
	}
}

static void note_front(struct state *s, const struct isolated *isolated)
{
	struct front *front = s->fronts;

	while (front < s->fronts + s->nr_fronts && front->from != isolated->from)
		front++;
	if (front == s->fronts + MAX_FRONTS)
		return;
	if (front == s->fronts + s->nr_fronts)
		s->nr_fronts++;
	else if (front->nr_renumbered == isolated->nr_renumbered && front->label >= isolated->label)
		return;
	*front = (struct front){ isolated->from, isolated->nr_renumbered, isolated->label };
}

/* Can what leaves @label of @list be older than one that waits? */
static bool is_behind_front(const struct state *s, const struct model_list *list, uint32_t label)
{
	const struct front *front;

	if (!list->order.nr_folios)
		return true;	/* a list that became empty counts its labels anew */
	for (front = s->fronts; front < s->fronts + s->nr_fronts; front++)
		if (front->from == list)
			return front->nr_renumbered == list->order.nr_renumbered &&
			       front->label >= label;
	return s->nr_fronts == MAX_FRONTS;
}

/*
 * A kernel that moves in bulk lets folios stay that it will move on before it
 * drops the lock, and isolates younger ones meanwhile: those passed over
 * nothing that stays.
 */
static void forgive_isolated(struct state *s, const struct change *c)
{
	const struct lrulist *order = &c->old_list->order;
	unsigned i;

	if (s->nr_waiting > 64 && ++s->nr_forgiven >= 256)
		put_dead_behind(s);
	if (!is_behind_front(s, c->old_list, c->old_label))
		return;
	for (i = 0; i < s->nr_waiting; i++) {
		const struct isolated *isolated = &s->isolated[i];

		if (isolated->from == c->old_list && isolated->label >= c->old_label &&
		    (isolated->nr_renumbered == order->nr_renumbered || !order->nr_folios) &&
		    is_passing(isolated))
			isolated->folio->nr_passed--;
	}
}

static void judge_move(struct state *s, const struct change *c)
{
	unsigned site = c->ev->site;

	if (site >= SITE_NR)
		return;
	if (model_in_loss(s->env->model)) {
		s->results.nr_in_loss++;
		return;
	}
	if (!c->old_list || !c->new_list) {
		s->results.v1[site].nr_unknown++;
		/* those skipped after it do not pass it */
		if (site == SITE_SCAN_SKIPPED && c->new_list)
			open_run(s, c->new_list, c->new_list, c)->nr++;
		return;
	}
	/* skipped folios stay in their list, where V2 sees them */
	if (c->old_list != c->new_list) {
		judge_v1(s, c);
		if (s->nr_waiting)
			forgive_isolated(s, c);
	}
	/* a promoted folio was accessed: it may stand before all others */
	if (site != SITE_SORT_PROMOTED && !(c->ev->flags & FOLIO_TAIL))
		judge_v2(s, c);
}

/* The oldest lists become the youngest: every pair with the others is inverted. */
static void judge_relabel(struct state *s, const struct change *c)
{
	struct order_v2 *v2 = &s->results.v2[c->ev->site < SITE_NR ? c->ev->site : SITE_OTHER];
	const struct event *ev = c->ev;
	const struct model *m = s->env->model;
	const struct lruvec *lv = c->lruvec;
	uint64_t nr_old = 0, nr_younger = 0, seq;
	unsigned gen, zone, nr_named = 0;
	struct order_example examples[2];

	if (model_in_loss(m)) {
		s->results.nr_in_loss++;
		return;
	}
	for (gen = 0; gen < lv->nr_gens; gen++) {
		bool given_up = false;

		for (seq = ev->u.min_seq.old_seq;
		     seq < ev->u.min_seq.new_seq && seq - ev->u.min_seq.old_seq < lv->nr_gens; seq++)
			given_up |= seq % lv->nr_gens == gen;
		for (zone = 0; zone < MODEL_MAX_ZONES; zone++) {
			const struct model_list *list = model_list(m, lv, gen, ev->type, zone);
			uint32_t label, handle;

			if (!list)
				continue;
			*(given_up ? &nr_old : &nr_younger) += list->order.nr_folios;
			if (!given_up)
				continue;
			label = list->order.begin;
			while (nr_named < 2 && lrulist_next(&list->order, &label, &handle)) {
				struct order_example *e = &examples[nr_named++];

				e->life = folio_table_at(model_folios(m), handle, &e->pfn)->life;
				e->ts_ns = c->ts_ns;
				label++;
			}
		}
	}
	v2->nr++;
	v2->nr_folios += nr_old;
	v2->nr_pairs += nr_old * nr_younger;
	if (ev->u.min_seq.max_seq + 1 - ev->u.min_seq.old_seq > v2->max_gap_gens)
		v2->max_gap_gens = ev->u.min_seq.max_seq + 1 - ev->u.min_seq.old_seq;
	if (!nr_old || !nr_younger)
		return;		/* no order to violate */
	for (gen = 0; gen < nr_named; gen++) {
		examples[gen].magnitude = nr_younger;
		add_example(s, &v2->examples, &examples[gen]);
	}
	analysis_violation(s->env, &(struct violation){
					   .kind = 2,
					   .site = ev->site < SITE_NR ? ev->site : SITE_OTHER,
					   .type = ev->type,
					   .ts_ns = c->ts_ns,
					   .lruvec = lv,
					   .pfn = nr_named ? examples[0].pfn : UINT64_MAX,
					   .life = nr_named ? examples[0].life : 0,
					   .nr_folios = nr_old,
					   .nr_pairs = nr_old * nr_younger,
				   });
}

static void judge_isolated(struct state *s, const struct change *c)
{
	struct isolated *isolated;
	uint64_t nr_older;

	if (model_in_loss(s->env->model) || !c->old_list)
		return;
	nr_older = c->nr_older + c->nr_older_gens;
	if (!nr_older)
		return;
	c->folio->nr_passed = nr_older > UINT32_MAX ? UINT32_MAX : nr_older;
	if (!c->nr_older || s->nr_isolated == MAX_ISOLATED)
		return;
	s->isolated[s->nr_isolated++] = s->isolated[s->nr_waiting];
	isolated = &s->isolated[s->nr_waiting++];
	isolated->folio = c->folio;
	isolated->from = c->old_list;
	isolated->nr_renumbered = c->old_list->order.nr_renumbered;
	isolated->label = c->old_label;
	isolated->life = c->folio->life;
	note_front(s, isolated);
}

static void scan_ends(struct state *s, const struct lruvec *lruvec)
{
	unsigned i = 0;

	while (i < s->nr_isolated) {
		if (s->isolated[i].from->lruvec != lruvec->number) {
			i++;
			continue;
		}
		if (i < s->nr_waiting) {
			s->isolated[i] = s->isolated[--s->nr_waiting];
			s->isolated[s->nr_waiting] = s->isolated[--s->nr_isolated];
		} else {
			s->isolated[i] = s->isolated[--s->nr_isolated];
		}
	}
	i = 0;
	while (i < s->nr_fronts) {
		if (s->fronts[i].from->lruvec == lruvec->number)
			s->fronts[i] = s->fronts[--s->nr_fronts];
		else
			i++;
	}
}

/* Folios that went over as they stood, all of them in order. */
static void judge_splice(struct state *s, const struct change *c)
{
	const struct event *ev = c->ev;
	struct order_v1 *v1;
	uint64_t nr = ev->u.splice.nr_folios;

	if (model_in_loss(s->env->model) || ev->site >= SITE_NR || !nr)
		return;
	v1 = &s->results.v1[ev->site];
	v1->nr_runs++;
	v1->nr_moves += nr;
	v1->nr_pairs += nr * (nr - 1) / 2;
	if (nr > v1->longest)
		v1->longest = nr;
}

static void judge_end(struct state *s, const struct change *c)
{
	uint32_t nr_older = c->folio->nr_passed;
	struct order_v3 *v3;

	if (c->end != END_EVICTED && c->end != END_RECLAIMED && c->end != END_LAZYFREED)
		return;
	s->results.nr_reclaimed[c->folio->type]++;
	if (!nr_older)
		return;
	v3 = &s->results.v3[c->folio->type];
	v3->nr++;
	v3->sum_older += nr_older;
	if (nr_older > v3->max_older)
		v3->max_older = nr_older;
	if (order_examples_want(&v3->examples, s->nr_examples, nr_older, false)) {
		struct order_example example = example_of(c, nr_older);

		add_example(s, &v3->examples, &example);
	}
	analysis_violation(s->env, &(struct violation){
					   .kind = 3,
					   .site = SITE_OTHER,
					   .type = c->folio->type,
					   .ts_ns = c->ts_ns,
					   .lruvec = c->lruvec,
					   .pfn = c->pfn,
					   .life = c->folio->life,
					   .nr_folios = 1,
					   .magnitude = nr_older,
				   });
}

enum {
	/* a folio came to a list, left one, or both */
	LIST_KINDS = 1u << CHANGE_ENTER | 1u << CHANGE_LEAVE | 1u << CHANGE_MOVE,
	/* what tells whether a scan is going on */
	HOLD_KINDS = LIST_KINDS | 1u << CHANGE_SEQ | 1u << CHANGE_SCAN | 1u << CHANGE_STATE |
		     1u << CHANGE_SPLICE,
};

static void change(void *self, const struct change *c)
{
	struct state *s = self;

	if (s->nr_runs && (LIST_KINDS >> c->kind & 1 ||
			   (c->kind == CHANGE_SPLIT && c->ev->u.split.on_lru)))
		close_runs(s, c->lruvec, c->ev->pid);
	if (HOLD_KINDS >> c->kind & 1)
		note_hold(s, c);
	switch (c->kind) {
	case CHANGE_MOVE:
		judge_move(s, c);
		break;
	case CHANGE_LEAVE:
		if (c->ev->site == SITE_ISOLATE_FOLIO)
			judge_isolated(s, c);
		break;
	case CHANGE_UPDATE:
		if (c->lruvec && c->lruvec->seq_known && c->old_gen >= 0 && c->new_gen >= 0 &&
		    model_age(c->lruvec, c->new_gen) > model_age(c->lruvec, c->old_gen)) {
			s->results.nr_backward++;
			s->results.nr_backward_gens += model_age(c->lruvec, c->new_gen) -
						       model_age(c->lruvec, c->old_gen);
		}
		break;
	case CHANGE_SEQ:
		close_runs(s, c->lruvec, -1);
		if (c->ev->kind == EV_MIN_SEQ && c->ev->u.min_seq.relabel)
			judge_relabel(s, c);
		break;
	case CHANGE_SCAN:
	case CHANGE_STATE:
		close_runs(s, c->lruvec, -1);
		scan_ends(s, c->lruvec);
		break;
	case CHANGE_SPLICE:
		close_runs(s, c->lruvec, -1);
		judge_splice(s, c);
		break;
	case CHANGE_END:
		judge_end(s, c);
		break;
	default:
		break;
	}
}

static void lost(void *self)
{
	struct state *s = self;

	/* what the run holds was proved before the loss */
	close_runs(s, NULL, -1);
	s->nr_waiting = s->nr_isolated = s->nr_fronts = 0;
	if (s->nr_holds)
		memset(s->holds, 0, s->nr_holds * sizeof(*s->holds));
}

static void end(void *self)
{
	close_runs(self, NULL, -1);
}

const struct order_results *order_results(const void *self)
{
	return &((const struct state *)self)->results;
}

static bool incomplete(const void *self)
{
	return ((const struct state *)self)->out_of_memory;
}

static void render(const void *self, FILE *out)
{
	const struct state *s = self;
	const struct order_results *r = &s->results;
	struct text_buf buf, buf2;
	bool any = false;
	unsigned i;

	fprintf(out, "%-24s %8s %10s %14s %9s\n", "V1 reversal: site", "runs", "moves",
		"pairs", "reversed");
	for (i = 0; i < SITE_NR; i++) {
		const struct order_v1 *v1 = &r->v1[i];

		if (!v1->nr_runs && !v1->nr_unknown)
			continue;
		fprintf(out, "  %-22s %8llu %10llu %14llu %9s\n", site_name(i),
			(unsigned long long)v1->nr_runs, (unsigned long long)v1->nr_moves,
			(unsigned long long)v1->nr_pairs,
			text_percent(&buf, v1->nr_reversed, v1->nr_pairs));
		any = true;
	}
	if (!any)
		fprintf(out, "  no folio was moved from list to list\n");

	any = false;
	fprintf(out, "%-24s %8s %10s %14s %9s\n", "V2 inversion: site", "times", "folios",
		"pairs", "max gens");
	for (i = 0; i < SITE_NR; i++) {
		const struct order_v2 *v2 = &r->v2[i];

		if (!v2->nr)
			continue;
		fprintf(out, "  %-22s %8llu %10llu %14llu %9llu\n", site_name(i),
			(unsigned long long)v2->nr, (unsigned long long)v2->nr_folios,
			(unsigned long long)v2->nr_pairs, (unsigned long long)v2->max_gap_gens);
		if (!v2->nr_pairs)
			fprintf(out, "    relabelled only: no other folio was there, no order was violated\n");
		any = true;
	}
	if (!any)
		fprintf(out, "  none\n");

	for (i = 0; i < TYPE_NR; i++) {
		const struct order_v3 *v3 = &r->v3[i];

		fprintf(out, "V3 eviction inversion, %s: %llu of %llu reclaimed folios", type_name(i),
			(unsigned long long)v3->nr, (unsigned long long)r->nr_reclaimed[i]);
		if (v3->nr)
			fprintf(out, " (%s)\n  passing over %.1f older folios on average, %llu at most",
				text_percent(&buf2, v3->nr, r->nr_reclaimed[i]),
				(double)v3->sum_older / v3->nr,
				(unsigned long long)v3->max_older);
		fputc('\n', out);
	}
	if (r->nr_backward)
		fprintf(out, "%llu walk%s set an older generation (stale max_seq)\n",
			(unsigned long long)r->nr_backward, text_plural(r->nr_backward));
	if (r->nr_in_loss)
		fprintf(out, "%llu moves not judged: events were lost around them\n",
			(unsigned long long)r->nr_in_loss);
}

static const struct column v1_columns[] = {
	{ "site", CELL_TEXT, "", "place in the kernel that moves the folios" },
	{ "runs", CELL_COUNT, "runs", "moves from one list to one list under one hold of the lock" },
	{ "moves", CELL_COUNT, "folios", "moved in these runs, place of origin known" },
	{ "moves_unknown", CELL_COUNT, "folios", "moved from a place that is not known" },
	{ "longest", CELL_COUNT, "folios", "in the longest run" },
	{ "pairs", CELL_COUNT, "pairs", "of folios within the runs" },
	{ "pairs_reversed", CELL_COUNT, "pairs", "whose order was reversed" },
	{ "tau", CELL_REAL, "", "Kendall's tau: +1 order kept, -1 reversed" },
	{ "neighbours", CELL_COUNT, "pairs", "of folios moved one after the other in a run" },
	{ "neighbours_reversed", CELL_COUNT, "pairs", "of these, whose order was reversed" },
};

static const struct table_def v1_def = {
	"v1_reversal", "V1 reversal: runs of moves from one list to another", "move",
	v1_columns, sizeof(v1_columns) / sizeof(v1_columns[0]),
};

static const struct column v2_columns[] = {
	{ "site", CELL_TEXT, "", "place in the kernel that moves or relabels" },
	{ "times", CELL_COUNT, "times", "moves or relabellings" },
	{ "folios", CELL_COUNT, "folios", "moved or relabelled" },
	{ "pairs", CELL_COUNT, "pairs", "of a folio moved and a younger one that it passed" },
	{ "max_gap_gens", CELL_COUNT, "generations",
	  "the most that a folio became younger; 0: only within one list" },
};

static const struct table_def v2_def = {
	"v2_inversion", "V2 inversion: placed younger than younger folios", "move, min_seq",
	v2_columns, sizeof(v2_columns) / sizeof(v2_columns[0]),
};

static const struct column v3_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "reclaimed", CELL_COUNT, "folios", "reclaimed, lazyfree included" },
	{ "violations", CELL_COUNT, "folios", "reclaimed while known older ones stayed" },
	{ "older_mean", CELL_REAL, "folios", "older ones that stayed, mean of the violations" },
	{ "older_max", CELL_COUNT, "folios", "older ones that stayed, the most" },
};

static const struct table_def v3_def = {
	"v3_eviction_inversion", "V3 eviction inversion: reclaimed while older folios stayed",
	"del, reclaim, evict", v3_columns, sizeof(v3_columns) / sizeof(v3_columns[0]),
};

static const struct column other_columns[] = {
	{ "backward", CELL_COUNT, "folios", "page-table walks that set an older generation" },
	{ "backward_gens", CELL_COUNT, "generations", "by how many in all" },
	{ "not_judged", CELL_COUNT, "folios", "moved while events were lost" },
};

static const struct table_def other_def = {
	"order_other", "Other notes on order", "update, move",
	other_columns, sizeof(other_columns) / sizeof(other_columns[0]),
};

static const struct column example_columns[] = {
	{ "violation", CELL_TEXT, "", "V1, V2 or V3" },
	{ "site", CELL_TEXT, "", "place in the kernel; anon or file for V3" },
	{ "pfn", CELL_COUNT, "", "page frame number of the folio" },
	{ "life", CELL_COUNT, "", "number of its life, for folio --life" },
	{ "ts_ns", CELL_COUNT, "ns", "when, from the first event" },
	{ "magnitude", CELL_COUNT, "folios", "V1: in its run; V2: passed; V3: older that stayed" },
};

static const struct table_def example_def = {
	"order_examples", "Folios that show violations", "move, min_seq, del",
	example_columns, sizeof(example_columns) / sizeof(example_columns[0]),
};

static void example_rows(const struct state *s, struct table *table, const char *violation_name,
			 const char *site, const struct order_examples *examples)
{
	unsigned i;

	for (i = 0; i < examples->nr; i++) {
		const struct order_example *e = &examples->e[i];

		cell_name(table, violation_name);
		cell_name(table, site);
		cell_count(table, e->pfn);
		cell_count(table, e->life);
		cell_count(table, e->ts_ns > s->env->first_ts_ns ? e->ts_ns - s->env->first_ts_ns : 0);
		cell_count(table, e->magnitude);
	}
}

static void tables(const void *self, struct tables *tables)
{
	const struct state *s = self;
	const struct order_results *r = &s->results;
	struct table *t1 = tables_add(tables, &v1_def), *t2 = tables_add(tables, &v2_def);
	struct table *t3 = tables_add(tables, &v3_def), *other = tables_add(tables, &other_def);
	struct table *examples = tables_add(tables, &example_def);
	unsigned i;

	for (i = 0; i < SITE_NR; i++) {
		const struct order_v1 *v1 = &r->v1[i];

		if (!v1->nr_runs && !v1->nr_unknown)
			continue;
		cell_name(t1, site_name(i));
		cell_count(t1, v1->nr_runs);
		cell_count(t1, v1->nr_moves);
		cell_count(t1, v1->nr_unknown);
		cell_count(t1, v1->longest);
		cell_count(t1, v1->nr_pairs);
		cell_count(t1, v1->nr_reversed);
		if (v1->nr_pairs)
			cell_real(t1, 1 - 2.0 * v1->nr_reversed / v1->nr_pairs);
		else
			cell_absent(t1);
		cell_count(t1, v1->nr_moves - v1->nr_runs);
		cell_count(t1, v1->nr_neighbours_reversed);
		example_rows(s, examples, "V1", site_name(i), &v1->examples);
	}
	for (i = 0; i < SITE_NR; i++) {
		const struct order_v2 *v2 = &r->v2[i];

		if (!v2->nr)
			continue;
		cell_name(t2, site_name(i));
		cell_count(t2, v2->nr);
		cell_count(t2, v2->nr_folios);
		cell_count(t2, v2->nr_pairs);
		cell_count(t2, v2->max_gap_gens);
		example_rows(s, examples, "V2", site_name(i), &v2->examples);
	}
	for (i = 0; i < TYPE_NR; i++) {
		const struct order_v3 *v3 = &r->v3[i];

		cell_name(t3, type_name(i));
		cell_count(t3, r->nr_reclaimed[i]);
		cell_count(t3, v3->nr);
		if (v3->nr)
			cell_real(t3, (double)v3->sum_older / v3->nr);
		else
			cell_absent(t3);
		cell_count(t3, v3->max_older);
		example_rows(s, examples, "V3", type_name(i), &v3->examples);
	}
	cell_count(other, r->nr_backward);
	cell_count(other, r->nr_backward_gens);
	cell_count(other, r->nr_in_loss);
	tables->out_of_memory |= s->out_of_memory;
}

static const struct table_def *const defs[] = {
	&v1_def, &v2_def, &v3_def, &other_def, &example_def, NULL,
};

const struct analysis_ops analysis_order = {
	.name = "order",
	.title = "Order violations",
	.begin = begin,
	.change = change,
	.kinds = 1u << CHANGE_MOVE |
		 1u << CHANGE_ENTER |
		 1u << CHANGE_LEAVE |
		 1u << CHANGE_UPDATE |
		 1u << CHANGE_SEQ |
		 1u << CHANGE_SCAN |
		 1u << CHANGE_STATE |
		 1u << CHANGE_SPLICE |
		 1u << CHANGE_SPLIT |
		 1u << CHANGE_END,
	.lost = lost,
	.end = end,
	.incomplete = incomplete,
	.render = render,
	.defs = defs,
	.tables = tables,
	.release = release,
};
