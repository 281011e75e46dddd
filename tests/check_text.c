// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/text.h"
#include "suites.h"

START_TEST(durations)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} table[] = {
		{ 0, "0ns" },		     { 999, "999ns" },
		{ 1000, "1.00us" },	     { 9990, "9.99us" },
		{ 9999, "10.0us" },	     { 123456, "123us" },
		{ 999600, "1.00ms" },	     { 45600000, "45.6ms" },
		{ 7890000000, "7.89s" },     { 60000000000, "60.0s" },
		{ 1234567000000, "1235s" },
	};
	struct text_buf buf;
	unsigned i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		ck_assert_str_eq(text_duration(&buf, table[i].ns), table[i].text);
}
END_TEST

START_TEST(seconds)
{
	struct text_buf buf;

	ck_assert_str_eq(text_seconds(&buf, 0), "0.000000");
	ck_assert_str_eq(text_seconds(&buf, 12345678901), "12.345678");
}
END_TEST

START_TEST(bytes)
{
	struct text_buf buf;

	ck_assert_str_eq(text_bytes(&buf, 0), "0 B");
	ck_assert_str_eq(text_bytes(&buf, 1023), "1023 B");
	ck_assert_str_eq(text_bytes(&buf, 1024), "1.0 KiB");
	ck_assert_str_eq(text_bytes(&buf, 1536 * 1024), "1.5 MiB");
	ck_assert_str_eq(text_bytes(&buf, UINT64_MAX), "16.0 EiB");
}
END_TEST

START_TEST(percent)
{
	struct text_buf buf;

	ck_assert_str_eq(text_percent(&buf, 0, 0), "-");
	ck_assert_str_eq(text_percent(&buf, 0, 5), "0.0%");
	ck_assert_str_eq(text_percent(&buf, 5, 5), "100.0%");
	ck_assert_str_eq(text_percent(&buf, 1, 3), "33.3%");
	/* never say none or all when it is not so */
	ck_assert_str_eq(text_percent(&buf, 1, 100000), "<0.1%");
	ck_assert_str_eq(text_percent(&buf, 99999, 100000), ">99.9%");
}
END_TEST

START_TEST(csv_fields)
{
	static const struct {
		const char *field, *text;
	} table[] = {
		{ "", "" },		   { "plain", "plain" },
		{ "a,b", "\"a,b\"" },	   { "a\"b", "\"a\"\"b\"" },
		{ "a\nb", "\"a\nb\"" },
	};
	unsigned i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		text_csv(out, table[i].field);
		fclose(out);
		ck_assert_str_eq(text, table[i].text);
		free(text);
	}
}
END_TEST

Suite *text_suite(void)
{
	Suite *suite = suite_create("text");
	TCase *tc = tcase_create("numbers");

	tcase_add_test(tc, durations);
	tcase_add_test(tc, seconds);
	tcase_add_test(tc, bytes);
	tcase_add_test(tc, percent);
	tcase_add_test(tc, csv_fields);
	suite_add_tcase(suite, tc);
	return suite;
}
