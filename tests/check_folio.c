// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>

#include "analyzer/folio.h"
#include "suites.h"

static struct folio_table *table;

static void setup(void)
{
	table = folio_table_new();
	ck_assert_ptr_nonnull(table);
}

static void teardown(void)
{
	folio_table_free(table);
}

START_TEST(absent_until_made)
{
	struct folio *f;

	ck_assert_ptr_null(folio_table_find(table, 5));
	f = folio_table_get(table, 5, NULL);
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(f->state, FOLIO_UNSEEN);
	ck_assert_int_eq(f->gen, -1);
	ck_assert_uint_eq(f->await, FOLIO_NO_AWAIT);
	ck_assert_ptr_eq(folio_table_get(table, 5, NULL), f);
	ck_assert_ptr_eq(folio_table_find(table, 5), f);
	ck_assert_ptr_null(folio_table_find(table, 5 + 512));
}
END_TEST

START_TEST(handles_lead_back)
{
	static const uint64_t pfns[] = { 0, 1, 511, 512, 1ull << 22, (1ull << 36) - 1 };
	unsigned i;

	for (i = 0; i < sizeof(pfns) / sizeof(pfns[0]); i++) {
		struct folio *f = folio_table_get(table, pfns[i], NULL);
		uint64_t pfn;

		ck_assert_ptr_nonnull(f);
		ck_assert_ptr_eq(folio_table_at(table, folio_table_handle(table, pfns[i]), &pfn),
				 f);
		ck_assert_uint_eq(pfn, pfns[i]);
	}
}
END_TEST

START_TEST(refuses_impossible_pfns)
{
	bool out_of_memory = true;

	ck_assert_ptr_null(folio_table_get(table, 1ull << 36, &out_of_memory));
	ck_assert(!out_of_memory);
	ck_assert_ptr_null(folio_table_get(table, UINT64_MAX, &out_of_memory));
	ck_assert_ptr_null(folio_table_find(table, UINT64_MAX));
}
END_TEST

START_TEST(iterates_over_all)
{
	uint32_t handle = 0, nr = 0;
	struct folio *f;
	uint64_t pfn;

	folio_table_get(table, 1000, NULL)->life = 7;
	folio_table_get(table, 900000, NULL)->life = 8;
	while ((f = folio_table_next(table, &handle, &pfn))) {
		if (!f->life)
			continue;
		ck_assert_uint_eq(pfn, f->life == 7 ? 1000 : 900000);
		nr++;
	}
	ck_assert_uint_eq(nr, 2);
	ck_assert_uint_eq(handle, 1024);
}
END_TEST

Suite *folio_suite(void)
{
	Suite *suite = suite_create("folio");
	TCase *tc = tcase_create("table");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, absent_until_made);
	tcase_add_test(tc, handles_lead_back);
	tcase_add_test(tc, refuses_impossible_pfns);
	tcase_add_test(tc, iterates_over_all);
	suite_add_tcase(suite, tc);
	return suite;
}
