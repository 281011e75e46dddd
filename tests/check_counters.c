// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>

#include "analyzer/counters.h"
#define ANALYSIS analysis_counters
#include "analysis_fixture.h"
#include "model_events.h"
#include "suites.h"

enum { KSWAPD, DIRECT, KHUGEPAGED };

/* As done by task @pid to @memcg. */
static void apply_by(struct event ev, int pid, uint64_t memcg)
{
	ev.pid = pid;
	ev.memcg = memcg;
	apply(ev);
}

static uint64_t sum(enum counter counter)
{
	return counters_values(self)[counter];
}

static uint64_t of(uint64_t memcg, enum counter counter)
{
	uint32_t nr, i;
	const struct counters_memcg *memcgs = counters_memcgs(self, &nr);

	for (i = 0; i < nr; i++)
		if (memcgs[i].memcg == memcg)
			return memcgs[i].values[counter];
	return 0;
}

static void scan(int pid, uint64_t memcg, unsigned reclaimer, bool memcg_reclaim)
{
	struct event ev = ev_scan(3);

	ev.u.scan.nr_isolated = 8;
	ev.u.scan.nr_sorted = 2;
	ev.u.scan.reclaimer = reclaimer;
	ev.u.scan.memcg_reclaim = memcg_reclaim;
	apply_by(ev, pid, memcg);
}

/* Isolated by reclaim, and then @outcome. */
static void reclaim(int pid, uint64_t memcg, uint64_t pfn, enum outcome outcome)
{
	apply_by(ev_add(3, pfn, 0, false), pid, memcg);
	apply_by(ev_del(3, pfn, 0, SITE_ISOLATE_FOLIO), pid, memcg);
	apply_by(ev_reclaim(pfn, outcome), pid, memcg);
}

START_TEST(scans_by_reclaimer)
{
	scan(30, 7, KSWAPD, false);
	scan(40, 7, DIRECT, false);
	scan(50, 8, DIRECT, true);
	/* vmstat leaves out the reclaim of a memcg, but not by type */
	ck_assert_uint_eq(sum(COUNTER_pgscan_kswapd), 8);
	ck_assert_uint_eq(sum(COUNTER_pgscan_direct), 8);
	ck_assert_uint_eq(sum(COUNTER_pgscan_file), 24);
	ck_assert_uint_eq(sum(COUNTER_pgrefill), 4);
	/* memory.stat leaves out nothing */
	ck_assert_uint_eq(of(7, COUNTER_pgscan_kswapd), 8);
	ck_assert_uint_eq(of(7, COUNTER_pgscan_direct), 8);
	ck_assert_uint_eq(of(7, COUNTER_pgrefill), 4);
	ck_assert_uint_eq(of(8, COUNTER_pgscan_direct), 8);
	ck_assert_uint_eq(of(8, COUNTER_pgrefill), 2);
}
END_TEST

START_TEST(steals_by_the_task_that_scanned)
{
	scan(30, 7, KSWAPD, false);
	scan(50, 8, DIRECT, true);
	reclaim(30, 7, 100, OUTCOME_RECLAIMED);
	reclaim(50, 8, 101, OUTCOME_RECLAIMED);
	reclaim(50, 8, 102, OUTCOME_LAZYFREED);
	reclaim(50, 8, 103, OUTCOME_KEPT);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_kswapd), 1);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_direct), 0);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_file), 3);
	ck_assert_uint_eq(of(7, COUNTER_pgsteal_kswapd), 1);
	ck_assert_uint_eq(of(8, COUNTER_pgsteal_direct), 2);
}
END_TEST

START_TEST(not_what_others_isolated)
{
	scan(30, 7, KSWAPD, false);
	apply_by(ev_add(3, 100, 0, false), 30, 7);
	apply_by(ev_del(3, 100, 0, SITE_ISOLATE_LRU), 30, 7);
	apply_by(ev_reclaim(100, OUTCOME_RECLAIMED), 30, 7);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_file), 0);
	ck_assert_uint_eq(of(7, COUNTER_pgsteal_kswapd), 0);
}
END_TEST

/* What reclaim moves to slower memory is on its account, unlike any other migration. */
START_TEST(steals_by_demotion)
{
	scan(30, 7, KSWAPD, false);
	reclaim(30, 7, 100, OUTCOME_DEMOTING);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_file), 0);
	apply_by(ev_migrate(100, 200), 30, 7);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_file), 1);
	ck_assert_uint_eq(of(7, COUNTER_pgsteal_kswapd), 1);
	/* refused, then written out after all */
	reclaim(30, 7, 101, OUTCOME_DEMOTING);
	apply_by(ev_reclaim(101, OUTCOME_RECLAIMED), 30, 7);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_file), 2);
	apply_by(ev_add(3, 102, 0, false), 30, 7);
	apply_by(ev_del(3, 102, 0, SITE_ISOLATE_LRU), 30, 7);
	apply_by(ev_migrate(102, 202), 30, 7);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_file), 2);
}
END_TEST

/* MADV_PAGEOUT, perhaps: its del was lost */
START_TEST(not_what_nobody_saw_isolated)
{
	scan(30, 7, KSWAPD, false);
	apply_by(ev_reclaim(100, OUTCOME_RECLAIMED), 30, 7);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_file), 0);
	ck_assert_uint_eq(of(7, COUNTER_pgsteal_kswapd), 0);
}
END_TEST

START_TEST(a_task_changes_its_account)
{
	scan(30, 7, DIRECT, true);
	reclaim(30, 7, 100, OUTCOME_RECLAIMED);
	scan(30, 7, DIRECT, false);
	reclaim(30, 7, 101, OUTCOME_RECLAIMED);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_direct), 1);
	ck_assert_uint_eq(of(7, COUNTER_pgsteal_direct), 2);
}
END_TEST

START_TEST(no_account_across_a_loss)
{
	struct event ev = ev_scan(3);

	scan(30, 7, DIRECT, false);
	apply(ev_lost(ev.ts_ns, ev.ts_ns));
	reclaim(30, 7, 100, OUTCOME_RECLAIMED);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_direct), 0);
	ck_assert_uint_eq(of(7, COUNTER_pgsteal_direct), 0);
	ck_assert_uint_eq(sum(COUNTER_pgsteal_file), 1);
}
END_TEST

/* Which counters the table leaves empty. */
static void assert_unknown(enum model_lru lru)
{
	struct tables tables = { 0 };
	const struct table *table;
	unsigned i;

	ANALYSIS.tables(self, &tables);
	table = tables_find(&tables, "counters");
	ck_assert_ptr_nonnull(table);
	ck_assert_uint_eq(table_nr_rows(table), COUNTER_NR);
	for (i = 0; i < COUNTER_NR; i++)
		ck_assert_int_eq(table_cell(table, i, 1)->kind == CELL_ABSENT,
				 !counter_is_whole(i, lru));
	tables_release(&tables);
}

START_TEST(unknown_on_the_classic_lists)
{
	ck_assert(!counter_is_whole(COUNTER_pgscan_anon, MODEL_LRU_CLASSIC));
	ck_assert(!counter_is_whole(COUNTER_pgscan_anon, MODEL_LRU_SWITCHED));
	ck_assert(counter_is_whole(COUNTER_pgscan_anon, MODEL_LRU_MULTI_GEN));
	ck_assert(counter_is_whole(COUNTER_pswpin, MODEL_LRU_CLASSIC));
	assert_unknown(MODEL_LRU_UNKNOWN);
	apply_by(ev_reclaim(100, OUTCOME_RECLAIMED), 30, 7);
	assert_unknown(MODEL_LRU_CLASSIC);
	/* a scan: these were generation lists after all */
	scan(30, 7, KSWAPD, false);
	assert_unknown(MODEL_LRU_MULTI_GEN);
}
END_TEST

START_TEST(activations)
{
	struct event ev;

	reclaim(30, 7, 100, OUTCOME_ACTIVATED);
	ev = ev_add(3, 101, 3, false);
	ev.site = SITE_LRU_ACTIVATE;
	apply_by(ev, 30, 7);
	ev = ev_add(3, 102, 3, false);
	ev.site = SITE_LRU_DEACTIVATE;
	apply_by(ev, 30, 7);
	ck_assert_uint_eq(sum(COUNTER_pgactivate), 2);
	ck_assert_uint_eq(of(7, COUNTER_pgactivate), 2);
	ck_assert_uint_eq(of(7, COUNTER_pgdeactivate), 1);
}
END_TEST

Suite *counters_suite(void)
{
	Suite *suite = suite_create("counters");
	TCase *tc = tcase_create("counters");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, scans_by_reclaimer);
	tcase_add_test(tc, steals_by_the_task_that_scanned);
	tcase_add_test(tc, steals_by_demotion);
	tcase_add_test(tc, not_what_others_isolated);
	tcase_add_test(tc, not_what_nobody_saw_isolated);
	tcase_add_test(tc, a_task_changes_its_account);
	tcase_add_test(tc, no_account_across_a_loss);
	tcase_add_test(tc, activations);
	tcase_add_test(tc, unknown_on_the_classic_lists);
	suite_add_tcase(suite, tc);
	return suite;
}
