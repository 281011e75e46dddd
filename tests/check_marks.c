// SPDX-License-Identifier: GPL-2.0-only
/* What folioscope record writes into a recording: copies of files, and notes. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/abi.h"
#include "analyzer/marks.h"
#include "analyzer/selection.h"
#include "suites.h"

static void take(struct marks *marks, const char *text)
{
	ck_assert_int_eq(marks_take(marks, text, strlen(text)), 0);
}

START_TEST(test_parts_are_joined)
{
	struct marks marks = { 0 };
	const struct marks_text *text;

	take(&marks, "folioscope-text before/vmstat 0 8\nabc 123\n");
	take(&marks, "something else\n");
	take(&marks, "folioscope-text after/vmstat absent No such file\n");
	/* cut within a line: the kernel ends every mark with a line end */
	take(&marks, "folioscope-text before/vmstat 8 4\nde 4\n");
	take(&marks, "folioscope-text before/vmstat 12 2\n5\n\n");
	take(&marks, "folioscope-text before/vmstat end 14\n");
	text = marks_find(&marks, "before/vmstat");
	ck_assert_ptr_nonnull(text);
	ck_assert(text->is_whole && !text->is_absent);
	ck_assert_uint_eq(text->size, 14);
	ck_assert_mem_eq(text->bytes, "abc 123\nde 45\n", 14);
	text = marks_find(&marks, "after/vmstat");
	ck_assert(text && text->is_absent && !text->is_whole);
	ck_assert_str_eq(text->reason, "No such file");
	ck_assert_ptr_null(marks_find(&marks, "before/lru_gen"));
	/* once more: the new copy counts */
	take(&marks, "folioscope-text before/vmstat 0 4\nx 1\n\n");
	text = marks_find(&marks, "before/vmstat");
	ck_assert(!text->is_whole);
	take(&marks, "folioscope-text before/vmstat end 4\n");
	ck_assert(text->is_whole);
	ck_assert_mem_eq(text->bytes, "x 1\n", 4);
	marks_release(&marks);
}
END_TEST

START_TEST(test_missing_parts_are_noticed)
{
	static const char *const parts[] = {
		"folioscope-text a/b 0 3\nabc", "folioscope-text a/b 3 3\ndef",
		"folioscope-text a/b 6 3\nghi", "folioscope-text a/b end 9",
	};
	unsigned lost, i;

	for (lost = 0; lost < 4; lost++) {
		struct marks marks = { 0 };
		const struct marks_text *text;

		for (i = 0; i < 4; i++)
			if (i != lost)
				take(&marks, parts[i]);
		text = marks_find(&marks, "a/b");
		ck_assert_ptr_nonnull(text);
		ck_assert_msg(!text->is_whole, "without part %u", lost);
		marks_release(&marks);
	}
}
END_TEST

/* What is no such text, or says more than it holds, changes nothing. */
START_TEST(test_no_such_texts)
{
	static const char *const texts[] = {
		"", "\n", "folioscope-text", "folioscope-text \n", "folioscope-text name\n",
		"folioscope-text name 0\nabc", "folioscope-text name 0 4\nabc",
		"folioscope-text name 0 18446744073709551615\nabc",
		"folioscope-text name 18446744073709551615 3\nabc", "folioscope-text name x y\nabc",
	};
	struct marks marks = { 0 };
	const struct marks_text *text;
	unsigned i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		take(&marks, texts[i]);
	text = marks_find(&marks, "name");
	ck_assert(!text || (!text->is_whole && !text->size));
	marks_release(&marks);
}
END_TEST

START_TEST(test_real_recording)
{
	static const char *const names[] = {
		"before/lru_gen", "before/lru_gen_folios", "before/vmstat", "before/memcgs",
		"before/memory.stat", "before/zoneinfo", "after/lru_gen", "after/lru_gen_folios",
		"after/vmstat", "after/memcgs", "after/memory.stat",
	};
	struct marks marks = { 0 };
	struct diag diag;
	unsigned i;

	ck_assert_int_eq(marks_read(&marks, "tests/traces/record.dat", NULL, &diag), 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct marks_text *text = marks_find(&marks, names[i]);

		ck_assert_msg(text && text->is_whole && text->size > 10, "%s", names[i]);
	}
	ck_assert_uint_eq(marks.nr, sizeof(names) / sizeof(names[0]));
	marks_release(&marks);
	ck_assert_int_eq(marks_read(&marks, "tests/traces/chain.dat", NULL, &diag), 0);
	ck_assert_uint_eq(marks.nr, 0);
	marks_release(&marks);
	ck_assert_int_eq(marks_read(&marks, "tests/traces/README.md", NULL, &diag), -ERR_TEXT_FILE);
	marks_release(&marks);
}
END_TEST

START_TEST(test_selection)
{
	struct selection s = { 0 };
	static const char several[] = "folioscope: sample: 1/64\nfolioscope: only type: file\n";
	static const char other[] = "folioscope: samples: 1/2\nsample: 1/4\nfolioscope: sample: 64\n"
				    "folioscope: sample: 1/1\nfolioscope: only memcg: x\n";
	static const char memcg[] = "folioscope: only memcg: 4294967297";
	static char buf[1000];
	FILE *out;

	selection_take(&s, other, strlen(other));
	ck_assert(selection_is_whole(&s));
	selection_take(&s, several, strlen(several));
	ck_assert_uint_eq(s.sample, 64);
	ck_assert(s.has_type && s.type == TYPE_FILE && !s.has_memcg);
	selection_take(&s, memcg, strlen(memcg));
	ck_assert(s.has_memcg && s.memcg == 4294967297ull);
	ck_assert(!selection_is_whole(&s));
	out = fmemopen(buf, sizeof(buf), "w");
	selection_render(&s, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(buf, "SAMPLED: 1/64"));
	ck_assert_ptr_nonnull(strstr(buf, "FILTERED: only memcg 4294967297 file folios"));
}
END_TEST

/* What is left out of the kernel's numbers is no selection of folios. */
START_TEST(test_cgroups_left_out)
{
	static const char text[] = "folioscope: cgroups left out: 104";
	char note[SELECTION_NOTE_BYTES];
	struct selection s = { 0 }, again = { 0 };

	selection_take(&s, text, strlen(text));
	ck_assert_uint_eq(s.nr_cgroups_left_out, 104);
	ck_assert(selection_is_whole(&s));
	selection_note(&s, note);
	selection_take(&again, note, strlen(note));
	ck_assert_mem_eq(&s, &again, sizeof(s));
}
END_TEST

/* The longest note of all. */
START_TEST(test_note_has_room)
{
	struct selection again = { 0 }, s = {
		.sample = 1ull << 63, .has_memcg = true, .memcg = UINT64_MAX, .has_type = true,
		.type = TYPE_FILE, .has_pfn = true, .pfn_from = UINT64_MAX, .pfn_to = UINT64_MAX,
		.is_part = true, .part_from_ns = UINT64_MAX, .part_to_ns = UINT64_MAX,
		.nr_cgroups_left_out = UINT64_MAX,
	};
	char note[SELECTION_NOTE_BYTES];

	selection_note(&s, note);
	selection_take(&again, note, strlen(note));
	ck_assert_uint_eq(again.nr_cgroups_left_out, UINT64_MAX);
	ck_assert_uint_eq(again.part_to_ns, UINT64_MAX);
	ck_assert(again.has_memcg && again.has_type && again.has_pfn && again.is_part);
}
END_TEST

Suite *marks_suite(void)
{
	Suite *s = suite_create("marks");
	TCase *tc = tcase_create("marks");

	tcase_add_test(tc, test_parts_are_joined);
	tcase_add_test(tc, test_missing_parts_are_noticed);
	tcase_add_test(tc, test_no_such_texts);
	tcase_add_test(tc, test_real_recording);
	tcase_add_test(tc, test_selection);
	tcase_add_test(tc, test_cgroups_left_out);
	tcase_add_test(tc, test_note_has_room);
	suite_add_tcase(s, tc);
	return s;
}
