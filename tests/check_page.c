// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdlib.h>

#include "analyzer/page.h"
#include "suites.h"

static struct page_table table;

static void teardown(void)
{
	page_table_release(&table);
}

static struct page_id swap(uint64_t entry)
{
	return (struct page_id){ .index = entry, .backing = BACKING_SWAP };
}

START_TEST(test_found_by_identity)
{
	struct page_id id = { .ino = 7, .index = 3, .dev = 8, .backing = BACKING_FILE }, other;
	uint32_t number;

	ck_assert_uint_eq(page_table_find(&table, &id), 0);
	number = page_table_add(&table, &id);
	ck_assert_uint_eq(number, 1);
	ck_assert_uint_eq(page_table_find(&table, &id), number);
	ck_assert(page_is(page_table_at(&table, 0), &id));
	ck_assert_ptr_null(page_table_at(&table, 1));
	/* each part of it counts */
	other = id;
	other.ino++;
	ck_assert_uint_eq(page_table_find(&table, &other), 0);
	other = id;
	other.index++;
	ck_assert_uint_eq(page_table_find(&table, &other), 0);
	other = id;
	other.dev++;
	ck_assert_uint_eq(page_table_find(&table, &other), 0);
	other = id;
	other.backing = BACKING_SWAP;
	ck_assert_uint_eq(page_table_find(&table, &other), 0);
	page_table_forget(&table, 0);
	ck_assert_uint_eq(page_table_find(&table, &id), 0);
}
END_TEST

/* Against a plain array, with entries that change hands at random. */
START_TEST(test_renamed)
{
	enum { NR = 3000, NR_ENTRIES = 10000 };
	static uint32_t owner[NR_ENTRIES];	/* number + 1 */
	static uint64_t entry_of[NR];
	uint32_t i, k, bound;

	srand(_i + 1);
	for (i = 0; i < NR; i++) {
		struct page_id id = swap(i);

		ck_assert_uint_eq(page_table_add(&table, &id), i + 1);
		owner[i] = i + 1;
		entry_of[i] = i;
	}
	bound = table.nr_places;
	for (k = 0; k < 100000; k++) {
		struct page_id id = swap(rand() % NR_ENTRIES);

		i = rand() % NR;
		ck_assert_uint_eq(page_table_find(&table, &id), owner[id.index]);
		if (owner[id.index])
			continue;
		ck_assert_int_eq(page_table_rename(&table, i, &id), 0);
		owner[entry_of[i]] = 0;
		owner[id.index] = i + 1;
		entry_of[i] = id.index;
	}
	for (i = 0; i < NR_ENTRIES; i++) {
		struct page_id id = swap(i);

		ck_assert_uint_eq(page_table_find(&table, &id), owner[i]);
		owner[i] = 0;
	}
	/* what was left behind takes no place */
	ck_assert_uint_eq(table.nr_places, bound);
	ck_assert_uint_eq(table.nr_used, NR);
	ck_assert_uint_eq(table.nr, NR);
}
END_TEST

/* A record is used again once nothing leads to it, and not before. */
START_TEST(test_used_again)
{
	struct page_id a = swap(1), b = swap(2), c = swap(3);

	ck_assert_uint_eq(page_table_add(&table, &a), 1);
	page_table_hold(&table, 0);
	page_table_hold(&table, 0);
	page_table_forget(&table, 0);
	page_table_drop(&table, 0);
	page_table_at(&table, 0)->life = 5;
	ck_assert_uint_eq(page_table_add(&table, &b), 2);
	page_table_drop(&table, 0);
	ck_assert_uint_eq(page_table_add(&table, &a), 1);
	ck_assert_uint_eq(page_table_at(&table, 0)->life, 0);
	ck_assert_uint_eq(page_table_find(&table, &a), 1);
	/* nobody stands for it */
	page_table_forget(&table, 1);
	page_table_forget(&table, 0);
	ck_assert_uint_eq(page_table_add(&table, &b), 1);
	ck_assert_uint_eq(page_table_add(&table, &c), 2);
	ck_assert_uint_eq(page_table_add(&table, &a), 3);
	ck_assert_uint_eq(table.nr, 3);
}
END_TEST

/* What too many folios stand for stays. */
START_TEST(test_many_holders)
{
	struct page_id a = swap(1);
	unsigned i;

	page_table_add(&table, &a);
	for (i = 0; i < 40; i++)
		page_table_hold(&table, 0);
	page_table_forget(&table, 0);
	for (i = 0; i < 40; i++)
		page_table_drop(&table, 0);
	ck_assert_uint_eq(page_table_add(&table, &a), 2);
}
END_TEST

Suite *page_suite(void)
{
	Suite *suite = suite_create("page");
	TCase *tc = tcase_create("page");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_add_test(tc, test_found_by_identity);
	tcase_add_loop_test(tc, test_renamed, 0, 3);
	tcase_add_test(tc, test_used_again);
	tcase_add_test(tc, test_many_holders);
	suite_add_tcase(suite, tc);
	return suite;
}
