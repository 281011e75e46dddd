// SPDX-License-Identifier: GPL-2.0-only
/* What record says of the file that trace-cmd left: on real ones, whole and cut. */
#define _GNU_SOURCE	/* memmem() */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/recorded.h"
#include "sim/readback.h"
#include "suites.h"

static struct recorded judged(const char *path)
{
	struct recorded recorded = { 0 };
	struct diag diag = { .text = "" };

	ck_assert_msg(!recorded_read(&recorded, path, &diag), "%s", diag.text);
	return recorded;
}

/* A temporary copy of the first @nr_percent of @path. */
static const char *cut(const char *path, unsigned nr_percent)
{
	const char *copy = tmp_path();
	size_t len;
	uint8_t *data = file_load(path, &len);

	file_store(copy, data, len / 100 * nr_percent + len % 100 * nr_percent / 100);
	free(data);
	return copy;
}

START_TEST(whole)
{
	static const char *const paths[] = { "tests/traces/record.dat", "tests/traces/chain.dat",
					     "tests/traces/v6.dat", "tests/traces/stock.dat" };
	struct recorded recorded = judged(paths[_i]);
	struct stat st;

	ck_assert(!stat(paths[_i], &st));
	ck_assert_uint_eq(recorded.size_bytes, st.st_size);
	ck_assert_uint_eq(recorded.nr_lost, 0);
	ck_assert(!recorded.has_unknown_loss);
	ck_assert(!recorded.is_damaged);
}
END_TEST

START_TEST(lost)
{
	struct recorded recorded = judged("tests/traces/lossy/trace.dat");

	ck_assert_uint_gt(recorded.nr_lost, 0);
	ck_assert_uint_gt(recorded.nr_lost_worst, 0);
	ck_assert_uint_le(recorded.nr_lost_worst, recorded.nr_lost);
	ck_assert(!recorded.is_damaged);
}
END_TEST

/* Events that the kernel dropped for want of the next sub-buffer, as it says. */
START_TEST(commit_overrun)
{
	static const char text[] = "commit overrun: 0";
	const char *copy = cut("tests/traces/record.dat", 100);
	size_t len;
	uint8_t *data = file_load(copy, &len), *at = memmem(data, len, text, sizeof(text) - 1);

	ck_assert_ptr_nonnull(at);
	file_patch(copy, at - data + sizeof(text) - 2, "7", 1);
	free(data);
	ck_assert_uint_eq(judged(copy).nr_lost, 7);
}
END_TEST

START_TEST(damaged)
{
	static const uint8_t ones[64] = { [0 ... 63] = 0xff };
	const char *copy = cut("tests/traces/chain.dat", 100);

	file_patch(copy, 427404, ones, sizeof(ones));
	ck_assert(judged(copy).is_damaged);
}
END_TEST

/* However much is missing at the end, it is not whole. */
START_TEST(cut_short)
{
	const char *copy = cut("tests/traces/record.dat", _i);
	struct recorded recorded;
	struct diag diag;

	if (!recorded_read(&recorded, copy, &diag))
		ck_assert(recorded.is_damaged);
	else
		ck_assert_ptr_nonnull(strstr(diag.text, copy));
}
END_TEST

START_TEST(old)
{
	const char *path = cut("tests/traces/record.dat", 100);
	struct stat st;

	ck_assert(!stat(path, &st));
	ck_assert(recorded_is_old(path, &st));
	file_truncate(path, st.st_size - 1);
	ck_assert(!recorded_is_old(path, &st));
	ck_assert(!recorded_is_old("tests/traces/no-such-file.dat", &st));
	ck_assert(!recorded_is_old("tests/traces/record.dat", &st));
}
END_TEST

Suite *recorded_suite(void)
{
	Suite *suite = suite_create("recorded");
	TCase *tc = tcase_create("recorded");

	tcase_add_loop_test(tc, whole, 0, 4);
	tcase_add_test(tc, lost);
	tcase_add_test(tc, commit_overrun);
	tcase_add_test(tc, damaged);
	tcase_add_loop_test(tc, cut_short, 0, 100);
	tcase_add_test(tc, old);
	suite_add_tcase(suite, tc);
	return suite;
}
