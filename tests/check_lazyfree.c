// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>

#include "analyzer/lazyfree.h"
#define ANALYSIS analysis_lazyfree
#include "analysis_fixture.h"
#include "model_events.h"
#include "suites.h"

static const struct lazyfree_results *results(void)
{
	analysis_lazyfree.end(self);
	return lazyfree_results(self);
}

static struct event stage(struct event ev, uint64_t pfn, enum lazyfree which)
{
	ev.kind = EV_LAZYFREE;
	ev.pfn = pfn;
	ev.u.lazyfree.stage = which;
	return ev;
}

/* MADV_FREE: the folio is added again, as a file one, and marked. */
static uint64_t mark_in(uint64_t memcg, uint64_t pfn)
{
	struct event ev = ev_add(3, pfn, 1, false);

	ev.site = SITE_LRU_LAZYFREE;
	ev.flags = FOLIO_LAZYFREE;
	ev.memcg = memcg;
	apply(ev);
	ev = stage(ev_new(EV_LAZYFREE), pfn, LAZYFREE_MARK);
	ev.memcg = memcg;
	return apply(ev);
}

static uint64_t mark(uint64_t pfn)
{
	return mark_in(TEST_MEMCG, pfn);
}

/* Reclaim takes it: isolated, reached, and then as @outcome says. */
static uint64_t reclaim_in(uint64_t memcg, uint64_t pfn, enum outcome outcome)
{
	struct event ev = ev_del(3, pfn, 1, SITE_ISOLATE_FOLIO);
	uint64_t ts_ns = 0;

	ev.memcg = memcg;
	apply(ev);
	if (outcome == OUTCOME_LAZYFREED) {
		ev = stage(ev_new(EV_LAZYFREE), pfn, LAZYFREE_SCAN);
		ev.memcg = memcg;
		apply(ev);
		ev = stage(ev_new(EV_LAZYFREE), pfn, LAZYFREE_FREED);
		ev.memcg = memcg;
		ts_ns = apply(ev);
	}
	ev = ev_reclaim(pfn, outcome);
	ev.memcg = memcg;
	apply(ev);
	return ts_ns;
}

static uint64_t free_folio(uint64_t pfn)
{
	return reclaim_in(TEST_MEMCG, pfn, OUTCOME_LAZYFREED);
}

static void every_mark_is_told(const struct lazyfree_results *r)
{
	ck_assert_uint_eq(r->nr_marked, r->nr_freed - r->nr_unmarked + r->nr_redirtied -
						r->nr_redirtied_unmarked + r->nr_released +
						r->nr_marked_again + r->nr_left_kept +
						r->nr_left_unreached + r->nr_otherwise);
}

START_TEST(first_in_first_out)
{
	const struct lazyfree_results *r;
	unsigned i;

	for (i = 0; i < 10; i++)
		mark(100 + i);
	for (i = 0; i < 10; i++)
		free_folio(100 + i);
	r = results();
	ck_assert_uint_eq(r->nr_marked, 10);
	ck_assert_uint_eq(r->nr_scanned, 10);
	ck_assert_uint_eq(r->nr_freed, 10);
	ck_assert_uint_eq(r->nr_pairs, 45);
	ck_assert_uint_eq(r->nr_reversed, 0);
	ck_assert_uint_eq(r->reach_ns.nr, 10);
}
END_TEST

START_TEST(last_in_first_out)
{
	const struct lazyfree_results *r;
	unsigned i;

	for (i = 0; i < 10; i++)
		mark(100 + i);
	for (i = 10; i-- > 0;)
		free_folio(100 + i);
	r = results();
	ck_assert_uint_eq(r->nr_pairs, 45);
	ck_assert_uint_eq(r->nr_reversed, 45);
}
END_TEST

/* Order is a matter of one lruvec: two may be freed in any order. */
START_TEST(lruvecs_apart)
{
	const struct lazyfree_lruvec *l;
	unsigned i, nr;

	for (i = 0; i < 5; i++) {
		mark_in(1, 100 + i);
		mark_in(2, 200 + i);
	}
	for (i = 0; i < 5; i++)
		reclaim_in(2, 200 + 4 - i, OUTCOME_LAZYFREED);
	for (i = 0; i < 5; i++)
		reclaim_in(1, 100 + i, OUTCOME_LAZYFREED);
	ck_assert_uint_eq(results()->nr_pairs, 20);
	ck_assert_uint_eq(results()->nr_reversed, 10);
	l = lazyfree_lruvecs(self, &nr);
	ck_assert_uint_eq(nr, 2);
	ck_assert_uint_eq(l[0].lruvec->memcg, 1);
	ck_assert_uint_eq(l[0].nr_marked, 5);
	ck_assert_uint_eq(l[0].nr_freed, 5);
	ck_assert_uint_eq(l[0].nr_pairs, 10);
	ck_assert_uint_eq(l[0].nr_reversed, 0);
	ck_assert_uint_eq(l[1].lruvec->memcg, 2);
	ck_assert_uint_eq(l[1].nr_reversed, 10);
}
END_TEST

START_TEST(delay_and_what_went_in_between)
{
	const struct lazyfree_results *r;
	uint64_t mark_ns, free_ns;
	struct event ev;
	unsigned i;

	for (i = 0; i < 4; i++)
		apply(ev_add(3, 500 + i, 1, false));
	mark(99);
	mark_ns = mark(100);
	ev = ev_scan(3);
	ev.u.scan.nr_scanned = 32;
	apply(ev);
	free_folio(99);
	for (i = 0; i < 3; i++)
		reclaim_in(TEST_MEMCG, 500 + i, OUTCOME_RECLAIMED);
	ev = ev_scan(3);
	ev.u.scan.nr_scanned = 7;
	apply(ev);
	free_ns = free_folio(100);
	/* none waits any more */
	reclaim_in(TEST_MEMCG, 503, OUTCOME_RECLAIMED);
	r = results();
	ck_assert_uint_eq(r->delay_ns.max, free_ns - mark_ns);
	ck_assert_uint_eq(r->between_pages.max, 3);
	ck_assert_uint_eq(r->between_lazyfree_pages.max, 1);
	ck_assert_uint_eq(r->between_anon_pages.max, 0);
	ck_assert_uint_eq(r->scanned_pages.max, 39);
	ck_assert_uint_eq(r->scanned_pages.min, 32);
	ck_assert_uint_eq(r->nr_file_first, 3);
	ck_assert_uint_eq(r->sum_waiting, 3);
}
END_TEST

START_TEST(written_to_kept_and_let_go)
{
	const struct lazyfree_results *r;
	uint64_t mark_ns, ts_ns;
	struct event ev;

	/* written to again: reclaim finds out */
	mark_ns = mark(100);
	apply(ev_del(3, 100, 1, SITE_ISOLATE_FOLIO));
	apply(stage(ev_new(EV_LAZYFREE), 100, LAZYFREE_SCAN));
	ts_ns = apply(stage(ev_new(EV_LAZYFREE), 100, LAZYFREE_REDIRTIED));
	ev = ev_add(3, 100, 1, false);
	ev.site = SITE_PUTBACK;
	ev.type = TYPE_ANON;
	apply(ev);
	/* reached twice, kept once; the first time counts */
	mark(101);
	apply(ev_del(3, 101, 1, SITE_ISOLATE_FOLIO));
	apply(stage(ev_new(EV_LAZYFREE), 101, LAZYFREE_SCAN));
	apply(stage(ev_new(EV_LAZYFREE), 101, LAZYFREE_SKIPPED));
	ev = ev_add(3, 101, 1, false);
	ev.site = SITE_PUTBACK;
	ev.flags = FOLIO_LAZYFREE;
	apply(ev);
	free_folio(101);
	/* let go by its owner */
	mark(102);
	apply(ev_del(3, 102, 1, SITE_RELEASE));
	/* given up, used, given up again */
	mark(103);
	apply(ev_del(3, 103, 1, SITE_LRU_LAZYFREE));
	mark(103);
	r = results();
	ck_assert_uint_eq(r->nr_marked, 5);
	ck_assert_uint_eq(r->nr_marked_again, 1);
	ck_assert_uint_eq(r->nr_redirtied, 1);
	ck_assert_uint_eq(r->redirtied_ns.max, ts_ns - mark_ns);
	ck_assert_uint_eq(r->nr_skipped, 1);
	ck_assert_uint_eq(r->nr_scanned, 3);
	ck_assert_uint_eq(r->reach_ns.nr, 2);
	ck_assert_uint_eq(r->nr_freed, 1);
	ck_assert_uint_eq(r->nr_released, 1);
	ck_assert_uint_eq(r->released_ns.nr, 1);
	ck_assert_uint_eq(r->nr_pairs, 0);
	/* there at the end: never reached; reached and kept; and one that moved */
	mark(104);
	mark(105);
	apply(ev_del(3, 105, 1, SITE_ISOLATE_FOLIO));
	apply(stage(ev_new(EV_LAZYFREE), 105, LAZYFREE_SCAN));
	apply(stage(ev_new(EV_LAZYFREE), 105, LAZYFREE_SKIPPED));
	mark(106);
	apply(ev_del(3, 106, 1, SITE_ISOLATE_LRU));
	ev = ev_new(EV_MIGRATE);
	ev.pfn = 106;
	ev.memcg = TEST_MEMCG;
	ev.type = TYPE_FILE;
	ev.u.migrate.new_pfn = 206;
	model_finish(model, apply(ev), false);
	ck_assert_uint_eq(r->nr_left_unreached, 2);	/* 103 is one */
	ck_assert_uint_eq(r->nr_left_kept, 1);
	ck_assert_uint_eq(r->nr_otherwise, 1);
	every_mark_is_told(r);
}
END_TEST

/* After a loss marks are forgotten: what is freed then has no delay, no order. */
START_TEST(loss)
{
	const struct lazyfree_results *r;
	struct event ev;

	mark(100);
	mark(101);
	free_folio(100);
	free_folio(101);
	mark(102);
	mark(103);
	ev = ev_new(EV_LOST);
	apply(ev_lost(ev.ts_ns, ev.ts_ns + 2500));
	apply(ev_new(EV_SCAN));
	apply(ev_new(EV_SCAN));
	apply(ev_new(EV_SCAN));
	ck_assert(!model_in_loss(model));
	free_folio(103);
	free_folio(102);
	r = results();
	ck_assert_uint_eq(r->nr_freed, 4);
	ck_assert_uint_eq(r->nr_unmarked, 2);
	ck_assert_uint_eq(r->nr_otherwise, 2);
	every_mark_is_told(r);
	ck_assert_uint_eq(r->delay_ns.nr, 2);
	ck_assert_uint_eq(r->nr_pairs, 1);
	ck_assert_uint_eq(r->nr_reversed, 0);
}
END_TEST

Suite *lazyfree_suite(void)
{
	Suite *suite = suite_create("lazyfree");
	TCase *tc = tcase_create("hand-made events");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, first_in_first_out);
	tcase_add_test(tc, last_in_first_out);
	tcase_add_test(tc, lruvecs_apart);
	tcase_add_test(tc, delay_and_what_went_in_between);
	tcase_add_test(tc, written_to_kept_and_let_go);
	tcase_add_test(tc, loss);
	suite_add_tcase(suite, tc);
	return suite;
}
