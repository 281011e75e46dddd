// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/abi.h"
#include "suites.h"

/* Tests run in the top folder of the source. */
#define HEADER "tracepoints/lru_gen.h"

static char *header;

static void load(void)
{
	FILE *file = fopen(HEADER, "r");
	size_t size = 1 << 20;

	ck_assert_msg(file != NULL, "run the tests in the top folder: no " HEADER);
	header = calloc(1, size);
	ck_assert_uint_gt(fread(header, 1, size - 1, file), 0);
	fclose(file);
}

static void unload(void)
{
	free(header);
}

/* The printed names of one list of the header must be ours, in any order. */
static void compare(const char *list, const char *(*name_of)(unsigned), unsigned nr)
{
	char *at = strstr(header, list), *end;
	unsigned nr_found = 0, i;

	ck_assert_msg(at != NULL, "%s is not in the header", list);
	end = strstr(at, "EMe(");
	ck_assert_ptr_nonnull(end);
	end = strchr(end, '\n');
	for (at = strchr(at, '"'); at && at < end; at = strchr(at + 1, '"')) {
		char name[64] = "";

		ck_assert_int_eq(sscanf(at, "\"%63[^\"]\"", name), 1);
		at = strchr(at + 1, '"');
		for (i = 0; i < nr && strcmp(name_of(i), name); i++)
			;
		ck_assert_msg(i < nr, "%s of %s is unknown to the analyzer", name, list);
		nr_found++;
	}
	ck_assert_uint_eq(nr_found, nr);
	ck_assert_str_eq(name_of(nr), "?");
	ck_assert_str_eq(name_of(READER_NO_SYMBOL), "?");
}

START_TEST(names_are_the_kernels)
{
	compare("#define LRU_GEN_SITES", site_name, SITE_NR);
	compare("#define LRU_GEN_STATES", lruvec_state_name, STATE_NR);
	compare("#define LRU_GEN_OUTCOMES", outcome_name, OUTCOME_NR);
	compare("#define LRU_GEN_REASONS", reason_name, REASON_NR);
	compare("#define LRU_GEN_LAZYFREES", lazyfree_name, LAZYFREE_NR);
	compare("#define LRU_GEN_BACKINGS", backing_name, BACKING_NR);
	compare("#define LRU_GEN_HITSHIELDS", hitshield_name, HITSHIELD_NR);
	compare("#define LRU_GEN_TYPES", list_kind_name, LIST_NR);
}
END_TEST

Suite *abi_suite(void)
{
	Suite *suite = suite_create("abi");
	TCase *tc = tcase_create("names");

	tcase_add_checked_fixture(tc, load, unload);
	tcase_add_test(tc, names_are_the_kernels);
	suite_add_tcase(suite, tc);
	return suite;
}
