// SPDX-License-Identifier: GPL-2.0-only
/* What stock events tell, on a few events whose meaning is plain. */
#include <check.h>
#include <stdlib.h>

#include "analyzer/stock.h"
#include "suites.h"

static struct stock *stock;
static uint64_t now_ns;

static void setup(void)
{
	stock = stock_new();
	ck_assert_ptr_nonnull(stock);
	now_ns = 1000;
}

static void teardown(void)
{
	stock_free(stock);
}

/* Each event is 100 ns after the one before. */
static void send(struct event ev)
{
	now_ns += 100;
	ev.ts_ns = now_ns;
	ck_assert_int_eq(stock_event(stock, &ev), 0);
}

static void alloc_page(uint64_t pfn, unsigned order)
{
	send((struct event){ .kind = EV_PAGE_ALLOC, .pfn = pfn, .order = order });
}

static void free_page(uint64_t pfn, unsigned order)
{
	send((struct event){ .kind = EV_PAGE_FREE, .pfn = pfn, .order = order });
}

static void insert(uint64_t pfn, unsigned lru)
{
	send((struct event){ .kind = EV_LRU_INSERTION, .pfn = pfn, .u.insertion.lru = lru });
}

static const struct stock_results *finish(void)
{
	stock_finish(stock, now_ns + 1000);
	return stock_results(stock);
}

START_TEST(test_use_by_insertion)
{
	const struct stock_results *r;

	alloc_page(1, 0);
	alloc_page(2, 0);
	alloc_page(3, 2);
	alloc_page(4, 0);
	insert(1, STOCK_INACTIVE_ANON);
	insert(2, STOCK_ACTIVE_FILE);
	insert(4, STOCK_UNEVICTABLE);
	free_page(1, 0);
	free_page(2, 0);
	free_page(3, 2);
	r = finish();
	ck_assert_uint_eq(r->frames[STOCK_USE_ANON].nr_ended, 1);
	ck_assert_uint_eq(r->frames[STOCK_USE_FILE].nr_ended, 1);
	ck_assert_uint_eq(r->frames[STOCK_USE_OTHER].nr_begun, 2);
	ck_assert_uint_eq(r->frames[STOCK_USE_OTHER].nr_ended, 1);
	ck_assert_uint_eq(r->frames[STOCK_USE_OTHER].nr_open, 1);
	ck_assert_uint_eq(r->nr_pages_allocated, 7);
	ck_assert_uint_eq(r->nr_pages_freed, 6);
	ck_assert_uint_eq(r->insertions[STOCK_UNEVICTABLE].nr, 1);
	/* from 1100 to 1800 */
	ck_assert_uint_eq(r->frames[STOCK_USE_ANON].survival.events[hist_bucket(700)], 1);
}
END_TEST

START_TEST(test_what_is_unclear)
{
	const struct stock_results *r;

	free_page(1, 0);	/* from before the recording */
	alloc_page(2, 3);
	free_page(2, 0);	/* a piece */
	alloc_page(3, 0);
	alloc_page(3, 0);	/* its free was not seen */
	send((struct event){ .kind = EV_PAGE_ALLOC, .pfn = UINT64_MAX });
	insert(4, 200);
	r = finish();
	ck_assert_uint_eq(r->frames[STOCK_USE_OTHER].nr_ended_unbegun, 1);
	ck_assert_uint_eq(r->nr_freed_in_pieces, 1);
	ck_assert_uint_eq(r->frames[STOCK_USE_OTHER].nr_replaced, 2);
	ck_assert_uint_eq(r->frames[STOCK_USE_OTHER].nr_ended, 0);
	ck_assert_uint_eq(r->frames[STOCK_USE_OTHER].nr_open, 1);
	ck_assert_uint_eq(r->nr_alloc_failed, 1);
	ck_assert_uint_eq(r->nr_lists_unknown, 1);
}
END_TEST

/* Nothing is connected across a loss. */
START_TEST(test_loss_cuts)
{
	static const uint8_t kinds[] = { EV_LOST, EV_GAP };
	const struct stock_results *r;

	alloc_page(1, 0);
	insert(1, STOCK_INACTIVE_ANON);
	send((struct event){ .kind = EV_CACHE_ADD, .pfn = 2 });
	send((struct event){ .kind = kinds[_i] });
	free_page(1, 0);
	send((struct event){ .kind = EV_CACHE_DELETE, .pfn = 2 });
	r = finish();
	ck_assert_uint_eq(r->frames[STOCK_USE_ANON].nr_cut, 1);
	ck_assert_uint_eq(r->frames[STOCK_USE_ANON].nr_ended, 0);
	ck_assert_uint_eq(r->frames[STOCK_USE_OTHER].nr_ended_unbegun, 1);
	ck_assert_uint_eq(r->cache.nr_cut, 1);
	ck_assert_uint_eq(r->cache.nr_ended, 0);
	ck_assert_uint_eq(r->cache.nr_ended_unbegun, 1);
}
END_TEST

START_TEST(test_batches)
{
	const struct stock_results *r;

	send((struct event){ .kind = EV_LRU_ISOLATE, .pfn = UINT64_MAX,
			     .u.isolate = { 64, 70, 2, 64, 1, STOCK_INACTIVE_FILE } });
	send((struct event){ .kind = EV_LRU_ISOLATE, .pfn = UINT64_MAX,
			     .u.isolate = { 64, 5, 0, 4, 1, STOCK_INACTIVE_ANON } });
	send((struct event){ .kind = EV_LRU_SHRINK, .pfn = UINT64_MAX,
			     .u.shrink = { .nr_reclaimed = 60, .nr_activated = { 1, 3 },
					   .reclaim_flags = 2 | 4 } });
	r = finish();
	ck_assert_uint_eq(r->reclaim[1].nr_taken, 64);
	ck_assert_uint_eq(r->reclaim[0].nr_taken, 4);
	ck_assert_uint_eq(r->reclaim[1].nr_reclaimed, 60);
	ck_assert_uint_eq(r->reclaim[1].nr_activated, 4);
	ck_assert_uint_eq(r->reclaim[0].nr_passes, 0);
}
END_TEST

Suite *stock_suite(void)
{
	Suite *s = suite_create("stock");
	TCase *tc = tcase_create("stock");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_use_by_insertion);
	tcase_add_test(tc, test_what_is_unclear);
	tcase_add_loop_test(tc, test_loss_cuts, 0, 2);
	tcase_add_test(tc, test_batches);
	suite_add_tcase(s, tc);
	return s;
}
