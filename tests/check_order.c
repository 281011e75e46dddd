// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdlib.h>

#include "analyzer/order.h"
#define ANALYSIS analysis_order
#include "analysis_fixture.h"
#include "model_events.h"
#include "suites.h"

static unsigned nr_violations;

static const struct order_results *results(void)
{
	analysis_order.end(self);
	return order_results(self);
}

static void online(unsigned nr)
{
	unsigned i;

	apply(ev_state(STATE_ONLINE, 3, 0));
	for (i = 0; i < nr; i++)
		apply(ev_add(3, 10 + i, 0, false));
}

START_TEST(reversed_against_all_pairs)
{
	uint32_t keys[200], copy[200], scratch[200], i, j;
	uint64_t nr_pairs = 0;

	srand(_i);
	for (i = 0; i < 200; i++)
		copy[i] = keys[i] = rand() % (_i % 2 ? 50 : 1000000);
	for (i = 0; i < 200; i++)
		for (j = i + 1; j < 200; j++)
			nr_pairs += keys[i] < keys[j];
	ck_assert_uint_eq(order_reversed(copy, scratch, 200), nr_pairs);
}
END_TEST

START_TEST(one_by_one_to_the_tail_reverses)
{
	const struct order_v1 *v1;
	unsigned i;

	online(5);
	for (i = 0; i < 5; i++)
		apply(ev_move(3, 10 + i, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_scan(3));
	v1 = &results()->v1[SITE_SORT_PROTECTED];
	ck_assert_uint_eq(v1->nr_runs, 1);
	ck_assert_uint_eq(v1->nr_moves, 5);
	ck_assert_uint_eq(v1->nr_pairs, 10);
	ck_assert_uint_eq(v1->nr_reversed, 10);
	ck_assert_uint_eq(v1->longest, 5);
	ck_assert_uint_eq(v1->examples.nr, 2);
	ck_assert_uint_eq(v1->examples.e[0].pfn, 10);
	ck_assert_uint_eq(v1->examples.e[1].pfn, 11);
}
END_TEST

START_TEST(youngest_first_to_the_tail_keeps_order)
{
	const struct order_v1 *v1;
	unsigned i;

	online(5);
	for (i = 5; i-- > 0;)
		apply(ev_move(3, 10 + i, 0, 1, SITE_INC_MIN_SEQ, true));
	v1 = &results()->v1[SITE_INC_MIN_SEQ];
	ck_assert_uint_eq(v1->nr_pairs, 10);
	ck_assert_uint_eq(v1->nr_reversed, 0);
	ck_assert_uint_eq(v1->examples.nr, 0);
}
END_TEST

START_TEST(to_the_head_keeps_order)
{
	const struct order_results *r;
	unsigned i;

	online(5);
	for (i = 0; i < 5; i++) {
		apply(ev_update(3, 10 + i, 0, 3));
		apply(ev_move(3, 10 + i, 0, 3, SITE_SORT_PROMOTED, false));
	}
	r = results();
	ck_assert_uint_eq(r->v1[SITE_SORT_PROMOTED].nr_pairs, 10);
	ck_assert_uint_eq(r->v1[SITE_SORT_PROMOTED].nr_reversed, 0);
	ck_assert_uint_eq(r->v2[SITE_SORT_PROMOTED].nr, 0);	/* they were accessed */
}
END_TEST

START_TEST(runs_end_with_the_lock)
{
	const struct order_v1 *v1;

	online(6);
	apply(ev_move(3, 10, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_move(3, 11, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_scan(3));
	apply(ev_move(3, 12, 0, 1, SITE_SORT_PROTECTED, true));
	{
		struct event ev = ev_move(3, 13, 0, 1, SITE_SORT_PROTECTED, true);

		ev.pid = 2;	/* another task: it must have taken the lock */
		apply(ev);
	}
	v1 = &results()->v1[SITE_SORT_PROTECTED];
	ck_assert_uint_eq(v1->nr_runs, 3);
	ck_assert_uint_eq(v1->nr_pairs, 1);
}
END_TEST

START_TEST(unknown_places_are_not_judged)
{
	const struct order_v1 *v1;

	apply(ev_move(3, 10, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_move(3, 11, 0, 1, SITE_SORT_PROTECTED, true));
	v1 = &results()->v1[SITE_SORT_PROTECTED];
	ck_assert_uint_eq(v1->nr_unknown, 2);
	ck_assert_uint_eq(v1->nr_pairs, 0);
	ck_assert_uint_eq(v1->nr_runs, 0);
}
END_TEST

START_TEST(nothing_is_judged_in_a_loss)
{
	const struct order_results *r;
	struct event lost;

	online(2);
	lost = ev_lost(0, UINT64_MAX - 1);
	apply(lost);
	apply(ev_add(3, 30, 0, false));
	apply(ev_add(3, 31, 0, false));
	apply(ev_move(3, 30, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_move(3, 31, 0, 1, SITE_SORT_PROTECTED, true));
	r = results();
	ck_assert_uint_eq(r->nr_in_loss, 2);
	ck_assert_uint_eq(r->v1[SITE_SORT_PROTECTED].nr_runs, 0);
}
END_TEST

START_TEST(head_of_a_younger_generation_is_an_inversion)
{
	const struct order_v2 *v2;

	online(1);
	apply(ev_add(3, 20, 1, false));
	apply(ev_add(3, 21, 1, false));
	apply(ev_move(3, 10, 0, 1, SITE_SORT_SHIELDED, false));
	v2 = &results()->v2[SITE_SORT_SHIELDED];
	ck_assert_uint_eq(v2->nr_folios, 1);
	ck_assert_uint_eq(v2->nr_pairs, 2);
	ck_assert_uint_eq(v2->max_gap_gens, 1);
}
END_TEST

START_TEST(skipped_passes_the_younger_of_its_list)
{
	const struct order_v2 *v2;

	online(4);
	apply(ev_move(3, 10, 0, 0, SITE_SCAN_SKIPPED, false));
	v2 = &results()->v2[SITE_SCAN_SKIPPED];
	ck_assert_uint_eq(v2->nr_pairs, 3);
	ck_assert_uint_eq(v2->max_gap_gens, 0);
	ck_assert_uint_eq(results()->v1[SITE_SCAN_SKIPPED].nr_runs, 0);
}
END_TEST

static void count_violation(void *unused, const struct violation *v)
{
	(void)unused;
	nr_violations += v->kind == 2;
}

START_TEST(relabelling_of_all_inverts_nothing)
{
	const struct order_v2 *v2;

	nr_violations = 0;
	env.on_violation = count_violation;
	online(3);
	apply(ev_min_seq(3, 0, 1, SITE_INC_MIN_SEQ, 3));
	apply(ev_max_seq(4, 1));
	v2 = &results()->v2[SITE_INC_MIN_SEQ];
	ck_assert_uint_eq(v2->nr, 1);
	ck_assert_uint_eq(v2->nr_folios, 3);
	ck_assert_uint_eq(v2->nr_pairs, 0);
	ck_assert_uint_eq(v2->examples.nr, 0);
	ck_assert_uint_eq(nr_violations, 0);
}
END_TEST

START_TEST(relabelling_inverts_all_pairs)
{
	const struct order_v2 *v2;

	nr_violations = 0;
	env.on_violation = count_violation;

	online(3);
	apply(ev_add(3, 20, 1, false));
	apply(ev_add(3, 21, 3, false));
	apply(ev_min_seq(3, 0, 1, SITE_INC_MIN_SEQ, 3));
	apply(ev_max_seq(4, 1));
	v2 = &results()->v2[SITE_INC_MIN_SEQ];
	ck_assert_uint_eq(v2->nr, 1);
	ck_assert_uint_eq(v2->nr_folios, 3);
	ck_assert_uint_eq(v2->nr_pairs, 6);
	ck_assert_uint_eq(v2->max_gap_gens, 4);
	ck_assert_uint_eq(v2->examples.nr, 2);
	ck_assert_uint_eq(nr_violations, 1);
}
END_TEST

START_TEST(reclaim_past_older_folios)
{
	const struct order_results *r;

	online(3);			/* 10, 11, 12 in the oldest generation */
	apply(ev_add(3, 20, 1, false));
	apply(ev_del(3, 20, 1, SITE_ISOLATE_FOLIO));
	apply(ev_reclaim(20, OUTCOME_RECLAIMED));
	apply(ev_del(3, 11, 0, SITE_ISOLATE_FOLIO));
	apply(ev_reclaim(11, OUTCOME_KEPT));
	{
		struct event ev = ev_add(3, 11, 0, false);

		ev.site = SITE_PUTBACK;
		apply(ev);
	}
	apply(ev_del(3, 10, 0, SITE_ISOLATE_FOLIO));
	apply(ev_reclaim(10, OUTCOME_RECLAIMED));
	r = results();
	ck_assert_uint_eq(r->nr_reclaimed[TYPE_FILE], 2);
	ck_assert_uint_eq(r->v3[TYPE_FILE].nr, 1);
	ck_assert_uint_eq(r->v3[TYPE_FILE].max_older, 3);
	ck_assert_uint_eq(r->v3[TYPE_FILE].examples.e[0].pfn, 20);
}
END_TEST

START_TEST(walk_with_a_stale_max_seq)
{
	online(0);
	apply(ev_add(3, 10, 3, false));
	apply(ev_update(3, 10, 3, 2));
	ck_assert_uint_eq(results()->nr_backward, 1);
}
END_TEST

/* A scan that lets 10 and 12 stay while it isolates 11, then moves both on. */
START_TEST(moved_on_before_the_lock_is_dropped)
{
	const struct order_results *r;

	online(4);			/* 10 to 13 in the oldest generation */
	apply(ev_del(3, 11, 0, SITE_ISOLATE_FOLIO));
	apply(ev_del(3, 13, 0, SITE_ISOLATE_FOLIO));
	apply(ev_move(3, 12, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_move(3, 10, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_scan(3));
	apply(ev_reclaim(11, OUTCOME_RECLAIMED));
	apply(ev_reclaim(13, OUTCOME_RECLAIMED));
	r = results();
	ck_assert_uint_eq(r->nr_reclaimed[TYPE_FILE], 2);
	ck_assert_uint_eq(r->v3[TYPE_FILE].nr, 0);
	ck_assert_uint_eq(r->v1[SITE_SORT_PROTECTED].nr_pairs, 1);
	ck_assert_uint_eq(r->v1[SITE_SORT_PROTECTED].nr_reversed, 0);
}
END_TEST

START_TEST(moved_on_by_another_scan_is_no_excuse)
{
	online(2);
	apply(ev_del(3, 11, 0, SITE_ISOLATE_FOLIO));
	apply(ev_scan(3));
	apply(ev_move(3, 10, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_scan(3));
	apply(ev_reclaim(11, OUTCOME_RECLAIMED));
	ck_assert_uint_eq(results()->v3[TYPE_FILE].nr, 1);
}
END_TEST

START_TEST(splice_is_a_run_in_order)
{
	const struct order_results *r;

	online(3);
	apply(ev_splice(3, 10, 12, 3, 0, 1, SITE_SORT_PROTECTED));
	r = results();
	ck_assert_uint_eq(r->v1[SITE_SORT_PROTECTED].nr_runs, 1);
	ck_assert_uint_eq(r->v1[SITE_SORT_PROTECTED].nr_moves, 3);
	ck_assert_uint_eq(r->v1[SITE_SORT_PROTECTED].nr_pairs, 3);
	ck_assert_uint_eq(r->v1[SITE_SORT_PROTECTED].nr_reversed, 0);
}
END_TEST

/* Found by random histories (sim/mglru.h); each was wrong once. */

START_TEST(skipped_folios_passed_each_other)
{
	const struct order_v2 *v2;

	online(4);
	apply(ev_move(3, 10, 0, 0, SITE_SCAN_SKIPPED, false));
	apply(ev_move(3, 11, 0, 0, SITE_SCAN_SKIPPED, false));
	apply(ev_scan(3));
	v2 = &results()->v2[SITE_SCAN_SKIPPED];
	ck_assert_uint_eq(v2->nr, 2);
	ck_assert_uint_eq(v2->nr_pairs, 3 + 2);	/* 10 stays older than 11 */
}
END_TEST

START_TEST(skipped_folio_alone_passed_those_before_it)
{
	online(2);
	apply(ev_move(3, 10, 0, 0, SITE_SCAN_SKIPPED, false));
	apply(ev_move(3, 11, 0, 0, SITE_SCAN_SKIPPED, false));
	apply(ev_scan(3));
	ck_assert_uint_eq(results()->v2[SITE_SCAN_SKIPPED].nr, 1);
	/* a run of skipped folios is no run of moves */
	ck_assert_uint_eq(results()->v1[SITE_SCAN_SKIPPED].nr_runs, 0);
}
END_TEST

START_TEST(run_went_on_across_a_split_by_another_task)
{
	struct event ev;

	apply(ev_state(STATE_ONLINE, 3, 0));
	ev = ev_add(3, 64, 0, false);
	ev.order = 1;
	apply(ev);
	apply(ev_add(3, 10, 0, false));
	apply(ev_add(3, 11, 0, false));
	apply(ev_move(3, 10, 0, 1, SITE_INC_MIN_SEQ, true));
	ev = ev_new(EV_SPLIT);
	ev.pfn = 64;
	ev.pid = 2;
	ev.order = 1;
	ev.new_gen = 0;
	ev.max_seq = 3;
	ev.u.split.on_lru = 1;
	apply(ev);
	apply(ev_move(3, 11, 0, 1, SITE_INC_MIN_SEQ, true));
	ck_assert_uint_eq(results()->v1[SITE_INC_MIN_SEQ].nr_runs, 2);
}
END_TEST

/* Found by losses put into recordings; each led to a false claim once. */

START_TEST(scan_that_began_in_a_loss_is_not_judged)
{
	/* the recording begins in the middle of a scan: 10 was skipped before */
	apply(ev_move(3, 11, 0, 0, SITE_SCAN_SKIPPED, false));
	apply(ev_move(3, 12, 0, 0, SITE_SCAN_SKIPPED, false));
	apply(ev_move(3, 11, 0, 0, SITE_SCAN_SKIPPED, false));
	ck_assert_uint_eq(results()->v2[SITE_SCAN_SKIPPED].nr, 0);
}
END_TEST

START_TEST(skipped_folio_of_unknown_place_is_not_passed)
{
	apply(ev_add(3, 12, 0, false));
	apply(ev_move(3, 10, 0, 0, SITE_SCAN_SKIPPED, false));
	apply(ev_move(3, 12, 0, 0, SITE_SCAN_SKIPPED, false));
	ck_assert_uint_eq(results()->v2[SITE_SCAN_SKIPPED].nr, 0);
}
END_TEST

Suite *order_suite(void)
{
	Suite *suite = suite_create("order");
	TCase *found = tcase_create("found by random histories");
	TCase *tc = tcase_create("violations");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, reversed_against_all_pairs, 0, 20);
	tcase_add_test(tc, one_by_one_to_the_tail_reverses);
	tcase_add_test(tc, youngest_first_to_the_tail_keeps_order);
	tcase_add_test(tc, to_the_head_keeps_order);
	tcase_add_test(tc, runs_end_with_the_lock);
	tcase_add_test(tc, unknown_places_are_not_judged);
	tcase_add_test(tc, nothing_is_judged_in_a_loss);
	tcase_add_test(tc, head_of_a_younger_generation_is_an_inversion);
	tcase_add_test(tc, skipped_passes_the_younger_of_its_list);
	tcase_add_test(tc, relabelling_inverts_all_pairs);
	tcase_add_test(tc, relabelling_of_all_inverts_nothing);
	tcase_add_test(tc, reclaim_past_older_folios);
	tcase_add_test(tc, walk_with_a_stale_max_seq);
	tcase_add_test(tc, moved_on_before_the_lock_is_dropped);
	tcase_add_test(tc, moved_on_by_another_scan_is_no_excuse);
	tcase_add_test(tc, splice_is_a_run_in_order);
	suite_add_tcase(suite, tc);
	tcase_add_checked_fixture(found, setup, teardown);
	tcase_add_test(found, skipped_folios_passed_each_other);
	tcase_add_test(found, skipped_folio_alone_passed_those_before_it);
	tcase_add_test(found, run_went_on_across_a_split_by_another_task);
	tcase_add_test(found, scan_that_began_in_a_loss_is_not_judged);
	tcase_add_test(found, skipped_folio_of_unknown_place_is_not_passed);
	suite_add_tcase(suite, found);
	return suite;
}
