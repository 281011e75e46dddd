// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/counterfile.h"
#include "suites.h"

static struct counterfile file;
static struct conditions conditions;
static char path[] = "/tmp/check-counterfile-XXXXXX";
static char path_template[sizeof(path)];

static void setup(void)
{
	memcpy(path_template, path, sizeof(path));
	close(mkstemp(path));
	memset(&file, 0, sizeof(file));
	memset(&conditions, 0, sizeof(conditions));
}

static void teardown(void)
{
	unlink(path);
	memcpy(path, path_template, sizeof(path));
	counterfile_release(&file);
	conditions_release(&conditions);
}

static int read_bytes(const char *text, size_t size, struct diag *diag)
{
	FILE *out = fopen(path, "w");

	fwrite(text, 1, size, out);
	fclose(out);
	return counterfile_read(&file, &conditions, path, diag);
}

static int read_text(const char *text, struct diag *diag)
{
	return read_bytes(text, strlen(text), diag);
}

START_TEST(reads_vmstat)
{
	struct diag diag;
	double value;

	ck_assert_int_eq(read_text("nr_free_pages 12345\npgfault\t92010542\r\n\n  ops_per_s   44017.78 \n"
				   "negative -3\nsmall 1e-3\nlast 9007199254740991", &diag), 0);
	ck_assert_uint_eq(file.nr, 6);
	ck_assert_str_eq(file.entries[0].name, "nr_free_pages");
	ck_assert(counterfile_find(&file, "pgfault", &value) && value == 92010542);
	ck_assert(counterfile_find(&file, "ops_per_s", &value) && value == 44017.78);
	ck_assert(counterfile_find(&file, "negative", &value) && value == -3);
	ck_assert(counterfile_find(&file, "small", &value) && value == 1e-3);
	ck_assert(counterfile_find(&file, "last", &value) && value == 9007199254740991.0);
	ck_assert(!counterfile_find(&file, "pgfaul", &value));
}
END_TEST

START_TEST(conditions_in_comments)
{
	struct diag diag;

	ck_assert_int_eq(read_text("# swap device: ramdisk\n#THP:never\n# just words\n#\n"
				   "# THP: always\n# : nothing\na 1\n", &diag), 0);
	ck_assert_uint_eq(conditions.nr, 2);
	ck_assert_str_eq(conditions_get(&conditions, "swap device"), "ramdisk");
	/* stated twice: both are kept */
	ck_assert_str_eq(conditions_get(&conditions, "THP"), "never; always");
	ck_assert_ptr_null(conditions_get(&conditions, "kernel"));
}
END_TEST

static const struct {
	const char *text;
	int err;
	const char *message;
} bad[] = {
	{ "a 1\nb\n", ERR_NOT_COUNTERS, "line 2: 'b' has no value" },
	{ "a one\n", ERR_NOT_COUNTERS, "line 1: 'one' is not the value" },
	{ "a 1 kB\n", ERR_NOT_COUNTERS, "line 1: '1 kB' is not the value" },
	{ "a nan\n", ERR_NOT_COUNTERS, "line 1: 'nan' is not the value" },
	{ "a 1.7e308\n", ERR_NOT_COUNTERS, "line 1: '1.7e308' is not 0 and not between" },
	{ "a 1\nb -1e-300\n", ERR_NOT_COUNTERS, "line 2: '-1e-300' is not 0 and not between" },
	{ "a inf\n", ERR_NOT_COUNTERS, "line 1: 'inf' is not the value" },
	{ "a 0x10\n", ERR_NOT_COUNTERS, "line 1: '0x10' is not the value" },
	{ "a 1e999\n", ERR_NOT_COUNTERS, "line 1: '1e999' is not the value" },
	{ "a 1\nb 2\na 1\n", ERR_NOT_COUNTERS, "line 3: a second value of 'a'" },
	{ "", ERR_EMPTY, "no line with a name" },
	{ "# only: this\n\n", ERR_EMPTY, "no line with a name" },
};

START_TEST(refuses)
{
	struct diag diag;

	ck_assert_int_eq(read_text(bad[_i].text, &diag), -bad[_i].err);
	ck_assert_msg(strstr(diag.text, bad[_i].message) && strstr(diag.text, path), "%s",
		      diag.text);
}
END_TEST

START_TEST(refuses_binary)
{
	struct diag diag;

	ck_assert_int_eq(read_bytes("a 1\nb\0c 2\n", 10, &diag), -ERR_NOT_COUNTERS);
	ck_assert(strstr(diag.text, "line 2: not a text file"));
	ck_assert_int_eq(counterfile_read(&file, NULL, "/nonexistent/file", &diag), -ERR_NO_FILE);
	ck_assert_int_eq(counterfile_read(&file, NULL, "/tmp", &diag), -ERR_IS_DIR);
}
END_TEST

START_TEST(reads_meta)
{
	FILE *out = fopen(path, "w");
	struct diag diag;

	fputs("kernel: 6.12.117 #1\n/sys/kernel/mm/lru_gen/enabled:0x0007\nnothing here\n"
	      "kernel patch: a\nkernel patch: b\n", out);
	fclose(out);
	ck_assert_int_eq(conditions_read(&conditions, path, &diag), 0);
	ck_assert_uint_eq(conditions.nr, 3);
	ck_assert_str_eq(conditions_get(&conditions, "kernel release"), "6.12.117");
	ck_assert_str_eq(conditions_get(&conditions, "/sys/kernel/mm/lru_gen/enabled"), "0x0007");
	ck_assert_str_eq(conditions_get(&conditions, "kernel patch"), "a; b");
	ck_assert_int_eq(conditions_read(&conditions, "/nonexistent/meta", &diag), -ERR_NO_FILE);
}
END_TEST

START_TEST(markers)
{
	static const char text[] = "folioscope: swap device: zram\nfolioscope: THP: never\n"
				   "another: a: b\nfolioscope: no colon\nfolioscope: last: one";

	ck_assert_int_eq(conditions_read_marker(&conditions, text, sizeof(text) - 1), 0);
	ck_assert_uint_eq(conditions.nr, 3);
	ck_assert_str_eq(conditions_get(&conditions, "swap device"), "zram");
	ck_assert_str_eq(conditions_get(&conditions, "THP"), "never");
	ck_assert_str_eq(conditions_get(&conditions, "last"), "one");
	/* cut in the middle, and nothing at all */
	ck_assert_int_eq(conditions_read_marker(&conditions, "folioscope: cut: xyz", 18), 0);
	ck_assert_str_eq(conditions_get(&conditions, "cut"), "x");
	ck_assert_int_eq(conditions_read_marker(&conditions, text, 12), 0);
	ck_assert_int_eq(conditions_read_marker(&conditions, text, 0), 0);
	ck_assert_uint_eq(conditions.nr, 4);
}
END_TEST

Suite *counterfile_suite(void)
{
	Suite *suite = suite_create("counterfile");
	TCase *tc = tcase_create("reading");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, reads_vmstat);
	tcase_add_test(tc, conditions_in_comments);
	tcase_add_loop_test(tc, refuses, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, refuses_binary);
	tcase_add_test(tc, reads_meta);
	tcase_add_test(tc, markers);
	suite_add_tcase(suite, tc);
	return suite;
}
