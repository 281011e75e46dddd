// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/hist.h"
#include "suites.h"

START_TEST(buckets_cover_all_values_once)
{
	uint64_t value = 0;
	unsigned bucket;

	/* each bucket begins where the one before ended */
	for (bucket = 0; bucket < HIST_NR_BUCKETS; bucket++) {
		ck_assert_uint_eq(hist_bucket(value), bucket);
		ck_assert_uint_eq(hist_bucket(hist_bucket_max(bucket)), bucket);
		ck_assert(hist_bucket_max(bucket) >= value);
		if (value >= 16)
			ck_assert(hist_bucket_max(bucket) - value <= value / 16);
		value = hist_bucket_max(bucket) + 1;
	}
	ck_assert_uint_eq(value, 0);	/* the last one ended with UINT64_MAX */
}
END_TEST

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

START_TEST(quantiles_against_sorting)
{
	static struct hist hist;
	static uint64_t values[5000];
	static const double q[] = { 0.0001, 0.1, 0.5, 0.9, 0.999, 1 };
	unsigned i;

	srand(7);
	for (i = 0; i < 5000; i++) {
		values[i] = (uint64_t)rand() << rand() % 20 >> rand() % 31;
		hist_add(&hist, values[i]);
	}
	qsort(values, 5000, sizeof(values[0]), compare);
	for (i = 0; i < sizeof(q) / sizeof(q[0]); i++) {
		unsigned rank = q[i] * 5000;
		uint64_t exact;

		if (rank < q[i] * 5000 || !rank)
			rank++;
		exact = values[rank - 1];
		ck_assert_uint_eq(hist_bucket(hist_quantile(&hist, q[i])), hist_bucket(exact));
	}
	ck_assert_uint_eq(hist.min, values[0]);
	ck_assert_uint_eq(hist.max, values[4999]);
	ck_assert_uint_eq(hist_quantile(&hist, 1), values[4999]);
}
END_TEST

/* Values spread evenly are interpolated closely; the least and the greatest are exact. */
START_TEST(interpolated_in_the_bucket)
{
	static struct hist even, one, two;
	unsigned i;

	for (i = 0; i < 1000; i++)
		hist_add(&even, 1000000 + 1000 * i);
	for (i = 1; i < 1000; i++)
		ck_assert_int_le(labs((long)hist_quantile(&even, i / 1000.0) -
				      (long)(1000000 + 1000 * (i - 1))), 1100);
	for (i = 0; i < 3; i++)
		hist_add(&one, 1000001);
	ck_assert_uint_eq(hist_quantile(&one, 0.5), 1000001);
	hist_add(&two, 1000001);
	hist_add(&two, 1000003);
	ck_assert_uint_eq(hist_quantile(&two, 0.5), 1000001);
	ck_assert_uint_eq(hist_quantile(&two, 0.51), 1000003);
}
END_TEST

START_TEST(width_of_buckets)
{
	static const uint64_t values[] = { 0, 1, 15, 31, 32, 1000000, UINT64_MAX };
	unsigned i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		uint64_t width = hist_width(values[i]), max = hist_bucket_max(hist_bucket(values[i]));

		ck_assert_uint_eq(hist_bucket(max - width), hist_bucket(max));
		if (max > width)
			ck_assert_uint_ne(hist_bucket(max - width - 1), hist_bucket(max));
		ck_assert(width <= values[i] / 16);
	}
}
END_TEST

START_TEST(merged_is_as_if_counted_together)
{
	static struct hist both, one, other, empty;
	unsigned i;

	for (i = 0; i < 1000; i++) {
		hist_add(i % 3 ? &one : &other, i * i);
		hist_add(&both, i * i);
	}
	hist_merge(&empty, &other);
	hist_merge(&one, &empty);
	ck_assert_mem_eq(&one, &both, sizeof(both));
	memset(&empty, 0, sizeof(empty));
	hist_merge(&one, &empty);
	ck_assert_mem_eq(&one, &both, sizeof(both));
}
END_TEST

START_TEST(empty_has_no_quantile)
{
	static struct hist hist;

	ck_assert_uint_eq(hist_quantile(&hist, 0.5), 0);
}
END_TEST

Suite *hist_suite(void)
{
	Suite *suite = suite_create("hist");
	TCase *tc = tcase_create("histogram");

	tcase_add_test(tc, buckets_cover_all_values_once);
	tcase_add_test(tc, quantiles_against_sorting);
	tcase_add_test(tc, interpolated_in_the_bucket);
	tcase_add_test(tc, width_of_buckets);
	tcase_add_test(tc, merged_is_as_if_counted_together);
	tcase_add_test(tc, empty_has_no_quantile);
	suite_add_tcase(suite, tc);
	return suite;
}
