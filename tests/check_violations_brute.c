// SPDX-License-Identifier: GPL-2.0-only
/*
 * V1 to V4 of random small histories against counting by the definitions in
 * formats/violations.md: every pair is looked at.
 *
 * Where all is known the numbers must be equal. Where folios were there before
 * the recording, or events were lost, no number may be larger than the truth.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/lazyfree.h"
#include "analyzer/order.h"
#include "analyzer/stats.h"
#include "model_events.h"
#include "suites.h"

#define NR_LRUVECS 2
#define NR_GENS 4
#define NR_ZONES 2
#define NR_FOLIOS 120
#define MAX_MOVES 4000
#define MAX_FREES 400

enum mode { MODE_COMPLETE, MODE_BEFORE, MODE_LOSS, MODE_NR };

/* The reference: where a folio really is. Larger keys are younger. */
struct ref {
	bool is_listed, is_isolated;
	uint8_t lruvec, gen, type, zone;	/* of the list */
	int flags_gen;
	int64_t key;
	bool is_lazyfree;
	uint32_t mark;
	uint64_t nr_older;			/* when it was isolated */
};

struct run {
	uint8_t lruvec, from, to, type, zone, site;
	bool tail;
	int pid;
	unsigned nr;
	int64_t keys[NR_FOLIOS * 4];
};

struct truth {
	struct order_results r;
	uint64_t nr_pairs, nr_lifo;	/* V4 */
};

static struct model *model;
static struct analysis_env env;
static struct analysis_opts opts;
static void *order, *lazyfree;
static struct ref folios[NR_FOLIOS];
static struct run runs[64];
static unsigned nr_runs;
static struct truth truth;
static uint32_t frees[NR_LRUVECS][MAX_FREES];
static unsigned nr_frees[NR_LRUVECS];
static uint64_t max_seq[NR_LRUVECS], min_seq[NR_LRUVECS][TYPE_NR];
static int64_t next_young, next_old;
static uint32_t next_mark;
static struct stats_random dice;
static enum mode mode;
static unsigned nr_deaf;	/* so many events will not be delivered, or may be */

static unsigned roll(unsigned nr)
{
	return stats_random_below(&dice, nr);
}

static void observe(void *unused, const struct change *c)
{
	(void)unused;
	if (c->kind == CHANGE_LOST) {
		analysis_order.lost(order);
		analysis_lazyfree.lost(lazyfree);
	} else {
		analysis_order.change(order, c);
		analysis_lazyfree.change(lazyfree, c);
	}
}

static void tell(struct event ev, unsigned lruvec, int pid)
{
	ev.memcg = TEST_MEMCG + lruvec;
	ev.pid = pid;
	if (nr_deaf) {
		nr_deaf--;
		if (roll(2))
			return;
	}
	ck_assert_int_eq(model_apply(model, &ev), 0);
}

static uint64_t pfn_of(const struct ref *f)
{
	return 100 + (f - folios);
}

static unsigned age(unsigned lruvec, unsigned gen)
{
	return (max_seq[lruvec] + NR_GENS - gen) % NR_GENS;
}

static bool same_list(const struct ref *f, unsigned lruvec, unsigned gen, unsigned type,
		      unsigned zone)
{
	return f->is_listed && f->lruvec == lruvec && f->gen == gen && f->type == type &&
	       f->zone == zone;
}

static unsigned list_size(unsigned lruvec, unsigned gen, unsigned type, unsigned zone)
{
	unsigned i, nr = 0;

	for (i = 0; i < NR_FOLIOS; i++)
		nr += same_list(&folios[i], lruvec, gen, type, zone);
	return nr;
}

/*
 * The definitions
 */

static void close_run(unsigned at)
{
	struct order_v1 *v1 = &truth.r.v1[runs[at].site];
	const struct run *run = &runs[at];
	unsigned i, j;

	if (run->from == run->to) {
		/* skipped folios, kept for what they do not pass */
		runs[at] = runs[--nr_runs];
		return;
	}
	v1->nr_runs++;
	v1->nr_moves += run->nr;
	if (run->nr > v1->longest)
		v1->longest = run->nr;
	for (i = 0; i < run->nr; i++) {
		for (j = i + 1; j < run->nr; j++) {
			/* j came after i: at the tail it is older now, at the head younger */
			bool was_older = run->keys[j] < run->keys[i];

			v1->nr_pairs++;
			v1->nr_reversed += run->tail != was_older;
			if (j == i + 1)
				v1->nr_neighbours_reversed += run->tail != was_older;
		}
	}
	runs[at] = runs[--nr_runs];
}

static void close_runs(unsigned lruvec, int but_pid)
{
	unsigned i = 0;

	while (i < nr_runs) {
		if (runs[i].lruvec == lruvec && runs[i].pid != but_pid)
			close_run(i);
		else
			i++;
	}
}

/* Returns how many the run had before. */
static unsigned note_move(const struct ref *f, unsigned to, enum site site, bool tail, int pid)
{
	struct run *run = NULL;
	unsigned i;

	for (i = 0; i < nr_runs && !run; i++)
		if (runs[i].lruvec == f->lruvec && runs[i].from == f->gen && runs[i].to == to &&
		    runs[i].type == f->type && runs[i].zone == f->zone && runs[i].site == site &&
		    runs[i].tail == tail)
			run = &runs[i];
	if (!run) {
		ck_assert_uint_lt(nr_runs, 64);
		run = &runs[nr_runs++];
		*run = (struct run){ .lruvec = f->lruvec, .from = f->gen, .to = to,
				     .type = f->type, .zone = f->zone, .site = site,
				     .tail = tail, .pid = pid };
	}
	ck_assert_uint_lt(run->nr, NR_FOLIOS * 4);
	run->keys[run->nr] = f->key;
	return run->nr++;
}

static void note_passed(enum site site, uint64_t nr_passed, uint64_t gap)
{
	struct order_v2 *v2 = &truth.r.v2[site];

	if (!nr_passed)
		return;
	v2->nr++;
	v2->nr_folios++;
	v2->nr_pairs += nr_passed;
	if (gap > v2->max_gap_gens)
		v2->max_gap_gens = gap;
}

static uint64_t count_older(const struct ref *f)
{
	uint64_t nr = 0;
	unsigned i;

	for (i = 0; i < NR_FOLIOS; i++) {
		const struct ref *other = &folios[i];

		if (!other->is_listed || other == f || other->lruvec != f->lruvec ||
		    other->type != f->type)
			continue;
		if (same_list(other, f->lruvec, f->gen, f->type, f->zone))
			nr += other->key < f->key;
		else
			nr += age(f->lruvec, other->gen) > age(f->lruvec, f->gen);
	}
	return nr;
}

/*
 * Steps of the history
 */

static void place(struct ref *f, unsigned gen, bool tail)
{
	f->is_listed = true;
	f->gen = gen;
	f->key = tail ? next_old-- : next_young++;
}

static struct event shaped(struct event ev, const struct ref *f)
{
	ev.type = f->type;
	ev.zone = f->zone;
	if (f->is_lazyfree)
		ev.flags |= FOLIO_LAZYFREE;
	return ev;
}

static void add(struct ref *f, bool is_silent)
{
	bool tail = !roll(3);
	unsigned gen = roll(NR_GENS);
	int pid = 1 + roll(2);

	f->lruvec = roll(NR_LRUVECS);
	f->type = roll(TYPE_NR);
	f->zone = roll(NR_ZONES);
	f->is_lazyfree = false;
	f->is_isolated = false;
	f->flags_gen = gen;
	place(f, gen, tail);
	if (is_silent)
		return;
	/* a pair of folios that were never on the list together has no order */
	close_runs(f->lruvec, 0);
	tell(ev_scan(max_seq[f->lruvec]), f->lruvec, pid);
	tell(shaped(ev_add(max_seq[f->lruvec], pfn_of(f), gen, tail), f), f->lruvec, pid);
}

static void mark_lazyfree(struct ref *f)
{
	struct event ev;
	int pid = 1 + roll(2);

	close_runs(f->lruvec, 0);
	tell(ev_scan(max_seq[f->lruvec]), f->lruvec, pid);
	tell(shaped(ev_del(max_seq[f->lruvec], pfn_of(f), f->flags_gen, SITE_LRU_LAZYFREE), f),
	     f->lruvec, pid);
	f->type = TYPE_FILE;
	f->is_lazyfree = true;
	f->mark = next_mark++;
	f->flags_gen = (max_seq[f->lruvec] + 1) % NR_GENS;
	place(f, f->flags_gen, false);
	ev = shaped(ev_add(max_seq[f->lruvec], pfn_of(f), f->gen, false), f);
	ev.site = SITE_LRU_LAZYFREE;
	tell(ev, f->lruvec, pid);
	ev = shaped(ev_new(EV_LAZYFREE), f);
	ev.pfn = pfn_of(f);
	ev.u.lazyfree.stage = LAZYFREE_MARK;
	tell(ev, f->lruvec, pid);
}

static void promote(struct ref *f)
{
	unsigned gen = max_seq[f->lruvec] % NR_GENS;

	tell(shaped(ev_update(max_seq[f->lruvec], pfn_of(f), f->flags_gen, gen), f), f->lruvec, 3);
	f->flags_gen = gen;
}

/*
 * What comes on a list while a run takes folios from it was never there together
 * with those that had gone: such a pair has no order to be reversed.
 */
static void end_runs_from(unsigned lruvec, unsigned gen, int pid)
{
	unsigned i;

	for (i = 0; i < nr_runs; i++) {
		if (runs[i].lruvec != lruvec || runs[i].from != gen)
			continue;
		close_runs(lruvec, 0);
		tell(ev_scan(max_seq[lruvec]), lruvec, pid);
		return;
	}
}

static void move(struct ref *f, enum site site, int pid)
{
	unsigned to = (f->gen + 1) % NR_GENS;
	bool tail = site == SITE_SORT_PROTECTED || site == SITE_SORT_INELIGIBLE ||
		    site == SITE_INC_MIN_SEQ;
	unsigned i;

	if (site == SITE_SCAN_SKIPPED)
		to = f->gen;
	else if (f->flags_gen != f->gen) {
		site = SITE_SORT_PROMOTED;
		to = f->flags_gen;
		tail = false;
	}
	end_runs_from(f->lruvec, to, pid);
	close_runs(f->lruvec, pid);
	if (site == SITE_SCAN_SKIPPED) {
		uint64_t nr_younger = 0;

		for (i = 0; i < NR_FOLIOS; i++)
			nr_younger += same_list(&folios[i], f->lruvec, f->gen, f->type, f->zone) &&
				      folios[i].key > f->key;
		/* those skipped before it in this scan stay older than it */
		nr_younger -= note_move(f, to, site, tail, pid);
		note_passed(site, nr_younger, 0);
	} else {
		note_move(f, to, site, tail, pid);
		if (site == SITE_SORT_SHIELDED)
			note_passed(site, list_size(f->lruvec, to, f->type, f->zone), 1);
	}
	tell(shaped(ev_move(max_seq[f->lruvec], pfn_of(f), f->gen, to, site, tail), f), f->lruvec,
	     pid);
	if (site != SITE_SCAN_SKIPPED)
		f->flags_gen = to;
	place(f, to, tail);
}

/* Several at once, from one list, often enough to make runs. */
static void sort_some(void)
{
	static const enum site sites[] = { SITE_SORT_PROTECTED, SITE_SORT_INELIGIBLE,
					   SITE_INC_MIN_SEQ, SITE_SORT_SHIELDED,
					   SITE_SCAN_SKIPPED };
	enum site site = sites[roll(5)];
	unsigned lruvec = roll(NR_LRUVECS), gen, type = roll(TYPE_NR), i;
	int pid = 1 + roll(2);

	/* never the youngest, the oldest mostly */
	gen = (max_seq[lruvec] + 1 + roll(2) * roll(3)) % NR_GENS;
	if (site == SITE_SCAN_SKIPPED) {
		/* a scan meets a folio once */
		close_runs(lruvec, 0);
		tell(ev_scan(max_seq[lruvec]), lruvec, pid);
	}
	for (i = 0; i < NR_FOLIOS; i++) {
		struct ref *f = &folios[(i * 7 + gen) % NR_FOLIOS];

		if (f->is_listed && f->lruvec == lruvec && f->gen == gen && f->type == type &&
		    roll(3))
			move(f, site, pid);
	}
}

static void isolate(struct ref *f)
{
	int pid = 1 + roll(2);
	struct event ev;

	f->nr_older = count_older(f);
	close_runs(f->lruvec, 0);
	tell(shaped(ev_del(max_seq[f->lruvec], pfn_of(f), f->flags_gen, SITE_ISOLATE_FOLIO), f),
	     f->lruvec, pid);
	tell(ev_scan(max_seq[f->lruvec]), f->lruvec, pid);
	f->is_listed = false;
	f->is_isolated = true;
	if (f->is_lazyfree) {
		ev = shaped(ev_new(EV_LAZYFREE), f);
		ev.pfn = pfn_of(f);
		ev.u.lazyfree.stage = LAZYFREE_SCAN;
		tell(ev, f->lruvec, pid);
	}
}

static void decide(struct ref *f)
{
	int pid = 1 + roll(2);
	struct order_v3 *v3 = &truth.r.v3[f->type];
	struct event ev;

	f->is_isolated = false;
	if (!roll(f->is_lazyfree ? 8 : 3)) {
		close_runs(f->lruvec, 0);
		tell(ev_scan(max_seq[f->lruvec]), f->lruvec, pid);
		f->flags_gen = roll(NR_GENS);
		place(f, f->flags_gen, false);
		ev = shaped(ev_add(max_seq[f->lruvec], pfn_of(f), f->gen, false), f);
		ev.site = SITE_PUTBACK;
		tell(ev, f->lruvec, pid);
		return;
	}
	truth.r.nr_reclaimed[f->type]++;
	if (f->nr_older) {
		v3->nr++;
		v3->sum_older += f->nr_older;
		if (f->nr_older > v3->max_older)
			v3->max_older = f->nr_older;
	}
	if (f->is_lazyfree) {
		ck_assert_uint_lt(nr_frees[f->lruvec], MAX_FREES);
		frees[f->lruvec][nr_frees[f->lruvec]++] = f->mark;
		ev = shaped(ev_new(EV_LAZYFREE), f);
		ev.pfn = pfn_of(f);
		ev.u.lazyfree.stage = LAZYFREE_FREED;
		tell(ev, f->lruvec, pid);
	}
	ev = shaped(ev_reclaim(pfn_of(f), f->is_lazyfree ? OUTCOME_LAZYFREED : OUTCOME_RECLAIMED),
		    f);
	tell(ev, f->lruvec, pid);
}

/* One more generation; the oldest is emptied, or relabelled if it is anon. */
static void grow_older(unsigned lruvec)
{
	unsigned oldest = (max_seq[lruvec] + 1) % NR_GENS, type, zone, i;
	struct event ev;

	for (i = 0; i < NR_FOLIOS; i++)
		if (folios[i].is_listed && folios[i].lruvec == lruvec && folios[i].gen == oldest &&
		    (folios[i].type == TYPE_FILE || folios[i].flags_gen != (int)oldest))
			return;
	close_runs(lruvec, 0);
	for (type = 0; type < TYPE_NR; type++) {
		uint64_t nr_old = 0, nr_younger = 0, seq = max_seq[lruvec] - (NR_GENS - 1);
		struct order_v2 *v2 = &truth.r.v2[SITE_INC_MIN_SEQ];

		for (zone = 0; zone < NR_ZONES; zone++)
			nr_old += list_size(lruvec, oldest, type, zone);
		for (i = 0; i < NR_FOLIOS; i++)
			nr_younger += folios[i].is_listed && folios[i].lruvec == lruvec &&
				      folios[i].type == type && folios[i].gen != oldest;
		ev = ev_min_seq(max_seq[lruvec], seq, seq + 1, SITE_INC_MIN_SEQ, nr_old);
		ev.type = type;
		min_seq[lruvec][type] = seq + 1;
		if (nr_old) {
			v2->nr++;
			v2->nr_folios += nr_old;
			v2->nr_pairs += nr_old * nr_younger;
			if (v2->max_gap_gens < NR_GENS)
				v2->max_gap_gens = NR_GENS;
		}
		tell(ev, lruvec, 1);
	}
	max_seq[lruvec]++;
	ev = ev_max_seq(max_seq[lruvec], 0);
	ev.u.lruvec.min_seq[0] = min_seq[lruvec][0];
	ev.u.lruvec.min_seq[1] = min_seq[lruvec][1];
	tell(ev, lruvec, 1);
}

static void lose(void)
{
	struct event now = ev_new(EV_NONE);

	ck_assert_int_eq(model_apply(model, &(struct event){
						   .kind = EV_LOST,
						   .ts_ns = now.ts_ns,
						   .u.lost = { now.ts_ns, now.ts_ns + 15000, 4 },
					   }), 0);
	nr_deaf = 10;
}

static void step(void)
{
	struct ref *f = &folios[roll(NR_FOLIOS)];
	unsigned what = roll(100);

	if (mode == MODE_LOSS && !nr_deaf && what == 99 && roll(2)) {
		lose();
	} else if (what < 14) {
		sort_some();
	} else if (what < 18) {
		grow_older(roll(NR_LRUVECS));
	} else if (f->is_isolated) {
		decide(f);
	} else if (!f->is_listed) {
		add(f, false);
	} else if (what < 35) {
		isolate(f);
	} else if (what < 45) {
		promote(f);
	} else if (what < 85 && f->type == TYPE_ANON) {
		mark_lazyfree(f);
	}
}

static void setup(void)
{
	model = model_new(observe, NULL);
	memset(&opts, 0, sizeof(opts));
	env = (struct analysis_env){ .model = model, .opts = &opts };
	order = analysis_order.begin(&env);
	lazyfree = analysis_lazyfree.begin(&env);
	ck_assert(model && order && lazyfree);
	memset(folios, 0, sizeof(folios));
	memset(&truth, 0, sizeof(truth));
	memset(nr_frees, 0, sizeof(nr_frees));
	nr_runs = next_mark = nr_deaf = 0;
	next_young = 1;
	next_old = 0;
}

static void teardown(void)
{
	analysis_order.release(order);
	analysis_lazyfree.release(lazyfree);
	model_free(model);
}

static void play(unsigned nr_steps)
{
	unsigned i, j, lruvec;

	for (lruvec = 0; lruvec < NR_LRUVECS; lruvec++) {
		max_seq[lruvec] = 3;
		min_seq[lruvec][0] = min_seq[lruvec][1] = 0;
		if (mode != MODE_BEFORE)
			tell(ev_state(STATE_ONLINE, 3, 0), lruvec, 1);
	}
	for (i = 0; i < NR_FOLIOS / 2; i++)
		add(&folios[i], mode == MODE_BEFORE);
	for (i = 0; i < nr_steps; i++)
		step();
	while (nr_runs)
		close_run(0);
	for (lruvec = 0; lruvec < NR_LRUVECS; lruvec++) {
		for (i = 0; i < nr_frees[lruvec]; i++) {
			for (j = i + 1; j < nr_frees[lruvec]; j++) {
				truth.nr_pairs++;
				truth.nr_lifo += frees[lruvec][j] < frees[lruvec][i];
			}
		}
	}
	analysis_order.end(order);
	analysis_lazyfree.end(lazyfree);
}

/* @is_exact: all that happened was told; else nothing may be made up. */
static void number(const char *what, const char *of, uint64_t found, uint64_t true_value,
		   bool is_exact)
{
	ck_assert_msg(is_exact ? found == true_value : found <= true_value,
		      "%s of %s: %llu, in truth %llu", what, of, (unsigned long long)found,
		      (unsigned long long)true_value);
}

static void compare(bool is_exact)
{
	const struct order_results *r = order_results(order);
	const struct lazyfree_results *l = lazyfree_results(lazyfree);
	unsigned i;

	for (i = 0; i < SITE_NR; i++) {
		const struct order_v1 *v1 = &r->v1[i], *t1 = &truth.r.v1[i];
		const struct order_v2 *v2 = &r->v2[i], *t2 = &truth.r.v2[i];

		number("V1 moves", site_name(i), v1->nr_moves, t1->nr_moves, is_exact);
		number("V1 pairs", site_name(i), v1->nr_pairs, t1->nr_pairs, is_exact);
		number("V1 reversed", site_name(i), v1->nr_reversed, t1->nr_reversed, is_exact);
		number("V1 neighbours", site_name(i), v1->nr_neighbours_reversed,
		       t1->nr_neighbours_reversed, is_exact);
		number("V1 longest", site_name(i), v1->longest, t1->longest, is_exact);
		if (is_exact)
			number("V1 runs", site_name(i), v1->nr_runs, t1->nr_runs, true);
		number("V2 times", site_name(i), v2->nr, t2->nr, is_exact);
		number("V2 folios", site_name(i), v2->nr_folios, t2->nr_folios, is_exact);
		number("V2 pairs", site_name(i), v2->nr_pairs, t2->nr_pairs, is_exact);
		number("V2 gap", site_name(i), v2->max_gap_gens, t2->max_gap_gens, is_exact);
	}
	for (i = 0; i < TYPE_NR; i++) {
		number("V3", type_name(i), r->v3[i].nr, truth.r.v3[i].nr, is_exact);
		number("V3 older", type_name(i), r->v3[i].sum_older, truth.r.v3[i].sum_older,
		       is_exact);
		number("V3 most", type_name(i), r->v3[i].max_older, truth.r.v3[i].max_older,
		       is_exact);
		number("reclaimed", type_name(i), r->nr_reclaimed[i], truth.r.nr_reclaimed[i],
		       is_exact);
	}
	number("V4", "pairs", l->nr_pairs, truth.nr_pairs, is_exact);
	number("V4", "reversed", l->nr_reversed, truth.nr_lifo, is_exact);
	ck_assert_msg(!model_nr_errors(model), "%s: pfn %llu, %s of %s, after %s of %s",
		      state_error_text(model_stats(model)->samples[0].error),
		      (unsigned long long)model_stats(model)->samples[0].pfn,
		      event_kind_name(model_stats(model)->samples[0].kind),
		      site_name(model_stats(model)->samples[0].site),
		      event_kind_name(model_stats(model)->samples[0].previous_kind),
		      site_name(model_stats(model)->samples[0].previous_site));
}

START_TEST(random_history)
{
	mode = _i % MODE_NR;
	dice.state = _i;
	play(60 + _i * 7 % 700);
	compare(mode == MODE_COMPLETE);
}
END_TEST

/* The histories have what they are there to test. */
START_TEST(histories_are_rich)
{
	uint64_t nr_v1 = 0, nr_v2 = 0, nr_v3 = 0, nr_relabelled = 0, nr_lifo = 0, nr_kept = 0;
	unsigned i, k;

	mode = MODE_COMPLETE;
	for (k = 0; k < 20; k++) {
		if (k) {
			teardown();
			setup();
		}
		dice.state = k;
		play(700);
		for (i = 0; i < SITE_NR; i++) {
			nr_v1 += truth.r.v1[i].nr_reversed;
			nr_kept += truth.r.v1[i].nr_pairs - truth.r.v1[i].nr_reversed;
			nr_v2 += truth.r.v2[i].nr_pairs;
		}
		nr_relabelled += truth.r.v2[SITE_INC_MIN_SEQ].nr;
		nr_v3 += truth.r.v3[0].nr + truth.r.v3[1].nr;
		nr_lifo += truth.nr_lifo;
	}
	ck_assert_uint_gt(nr_v1, 1000);
	ck_assert_uint_gt(nr_kept, 1000);
	ck_assert_uint_gt(nr_v2, 1000);
	ck_assert_uint_gt(nr_v3, 500);
	ck_assert_uint_gt(nr_relabelled, 10);
	ck_assert_uint_gt(nr_lifo, 200);
}
END_TEST

Suite *violations_brute_suite(void)
{
	Suite *suite = suite_create("violations_brute");
	TCase *tc = tcase_create("against every pair");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, random_history, 0, 300);
	tcase_add_test(tc, histories_are_rich);
	suite_add_tcase(suite, tc);
	return suite;
}
