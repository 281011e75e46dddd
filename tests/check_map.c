// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdlib.h>

#include "analyzer/map.h"
#include "suites.h"

START_TEST(empty)
{
	struct map map = { 0 };

	ck_assert(!map_get(&map, 0, NULL));
	ck_assert(!map_del(&map, 0));
	map_release(&map);
}
END_TEST

/* Against an array indexed by key; few keys, so that probing chains form. */
START_TEST(random_operations)
{
	enum { NR_KEYS = 2000 };
	static uint32_t expected[NR_KEYS];
	static bool present[NR_KEYS];
	struct map map = { 0 };
	uint32_t i, nr = 0;

	srand(_i);
	for (i = 0; i < NR_KEYS; i++)
		present[i] = false;
	for (i = 0; i < 60000; i++) {
		uint64_t k = rand() % NR_KEYS, key = k << (_i * 9);
		uint32_t value;

		switch (rand() % 3) {
		case 0:
			ck_assert_int_eq(map_set(&map, key, i), 0);
			nr += !present[k];
			present[k] = true;
			expected[k] = i;
			break;
		case 1:
			ck_assert_int_eq(map_del(&map, key), present[k]);
			nr -= present[k];
			present[k] = false;
			break;
		default:
			ck_assert_int_eq(map_get(&map, key, &value), present[k]);
			if (present[k])
				ck_assert_uint_eq(value, expected[k]);
		}
		ck_assert_uint_eq(map.nr, nr);
	}
	map_release(&map);
	ck_assert_uint_eq(map.nr, 0);
}
END_TEST

Suite *map_suite(void)
{
	Suite *suite = suite_create("map");
	TCase *tc = tcase_create("against an array");

	tcase_add_test(tc, empty);
	tcase_add_loop_test(tc, random_operations, 0, 6);
	suite_add_tcase(suite, tc);
	return suite;
}
