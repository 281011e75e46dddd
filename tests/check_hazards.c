// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of the table of hazards (formats/trace-dat.md) that are of no part of the
 * reader in particular: symbols, odd formats, long strings.
 */
#define _GNU_SOURCE	/* memmem() */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/container.h"
#include "sim/gen.h"
#include "sim/history.h"
#include "sim/readback.h"
#include "suites.h"

#define NR_EVENTS 3000
#define NR_ODD 8
#define FIRST_ODD_ID 1500
#define BPRINT_ID 6

static struct gen_map map;

/* NR_EVENTS on two CPUs; every so many a record of an odd event, if there are such. */
static const char *make(const struct gen_opts *opts, unsigned nr_odd_ids)
{
	const char *path = tmp_path();
	struct gen *gen = gen_new(opts);
	struct history history;
	unsigned i;

	history_init(&history, 11, 100, 2, 1000000, 500);
	for (i = 0; i < NR_EVENTS; i++) {
		uint8_t record[160] = { 0 };
		struct event ev;

		history_next(&history, &ev);
		gen_event(gen_cpu(gen, 0, ev.cpu), &ev);
		if (!nr_odd_ids || i % 10)
			continue;
		record[0] = (FIRST_ODD_ID + i / 10 % nr_odd_ids) & 0xff;
		record[1] = (FIRST_ODD_ID + i / 10 % nr_odd_ids) >> 8;
		if (opts->ftrace_format) {
			record[0] = BPRINT_ID;
			record[1] = 0;
		}
		gen_record(gen_cpu(gen, 0, ev.cpu), ev.ts_ns, record, 40 + i % 100);
	}
	history_release(&history);
	gen_write(gen, path);
	map = *gen_get_map(gen);
	gen_free(gen);
	return path;
}

/* Nothing is missing, and nothing to complain of. */
static void assert_whole(const char *path, const char *what)
{
	struct readback rb;

	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s: %s", what, rb.err ? rb.diag.text : "");
	ck_assert_msg(rb.nr == NR_EVENTS, "%s: %u events", what, rb.nr);
	ck_assert_msg(!rb.nr_problems, "%s: %s", what, rb.nr_problems ? rb.problems[0].text : "");
	readback_release(&rb);
}

/*
 * symbols
 */

static const char *const codecs[] = { "none", "zstd", "zlib" };

/* Version 7: nobody needs them, so whatever is in the sections does not matter. */
START_TEST(test_symbol_sections)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	uint64_t sections[2], sizes[] = { 0, 5, 1ull << 31, 1ull << 63, UINT64_MAX };
	const char *path;
	uint8_t junk[64];
	unsigned i, k;

	opts.codec = codecs[_i];
	memset(junk, 0xff, sizeof(junk));
	path = make(&opts, 0);
	sections[0] = map.kallsyms;
	sections[1] = map.printk;
	assert_whole(path, "as it is");
	for (i = 0; i < 2; i++) {
		for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			file_patch(path, sections[i] + 8, &sizes[k], 8);
			assert_whole(path, "a size that is not true");
		}
		/* 16 bytes of header, then text or a block of at least 40 bytes */
		file_patch(path, sections[i] + 16, junk, 40);
		assert_whole(path, "damaged text");
		file_patch(path, sections[i], junk, 16);
		assert_whole(path, "a damaged header");
	}
}
END_TEST

/* Where @text is in the file; the length of the whole text stands before it. */
static uint64_t find_text(const char *path, const char *text)
{
	size_t len;
	uint8_t *data = file_load(path, &len);
	const uint8_t *at = memmem(data, len, text, strlen(text));
	uint64_t offset;

	ck_assert_ptr_nonnull(at);
	offset = at - data;
	free(data);
	return offset;
}

/* Version 6: they have to be skipped, so their length must be true. */
START_TEST(test_symbols_v6)
{
	static const char *const texts[] = { "ffffffff81000000 T _text", "0xffffffff82000000 : " };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	static const uint32_t wrong[] = { 0, 7, 30000, 1u << 31, UINT32_MAX };
	/* lines that nobody can parse, without end, with NULs */
	static const char junk[] = "\xff\xff\0\0gggg T \0 \x80 [[[[";
	unsigned i;

	opts.version = 6;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const char *path = make(&opts, 0);
		uint64_t at = find_text(path, texts[_i]);
		struct readback rb;

		file_patch(path, at, junk, sizeof(junk));
		assert_whole(path, "damaged lines");
		file_patch(path, at - 4, &wrong[i], 4);
		readback_file(&rb, path, NULL);
		ck_assert_msg(rb.err, "a length of %u", wrong[i]);
		ck_assert_int_eq(err_status(rb.err), STATUS_UNREADABLE);
		ck_assert_ptr_nonnull(strstr(rb.diag.text, path));
		readback_release(&rb);
	}
}
END_TEST

/*
 * formats
 */

#define COMMON									\
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"	\
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"	\
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char bprint[] =
	"name: bprint\nID: 6\nformat:\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * fmt;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 buf[];\toffset:24;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%ps: %s\", (void *)REC->ip, REC->fmt\n";

/* What other readers took for wrong or refused; all are described by real kernels. */
static const char *const odd[] = {
	"name: zero_length\nID: 1500\nformat:\n" COMMON
	"\tfield:u8 data[0];\toffset:8;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%s\", __print_hex(REC->data, 0)\n",
	"name: cpumask\nID: 1501\nformat:\n" COMMON
	"\tfield:__data_loc cpumask_t mask;\toffset:8;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"mask=%s\", __get_cpumask(mask)\n",
	"name: sockaddr\nID: 1502\nformat:\n" COMMON
	"\tfield:__data_loc __u8[] addr;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 server[sizeof(struct sockaddr_in6)];\toffset:12;\tsize:28;\tsigned:0;\n\n"
	"print fmt: \"%pISpc\", ((struct sockaddr *)__get_sockaddr(addr))\n",
	"name: parenthesised\nID: 1503\nformat:\n" COMMON
	"\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"x=%d y=%d\", (REC)->x, ((REC))->x\n",
	"name: relative\nID: 1504\nformat:\n" COMMON
	"\tfield:__rel_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%s\", __get_rel_str(text)\n",
	"name: endless\nID: 1505\nformat:\n" COMMON
	"\tfield:int x;\toffset:8;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", ((((((((((((((((((((((((((((((((((((((((((((((((((((((((\n",
	"name: far_out\nID: 1506\nformat:\n" COMMON
	"\tfield:__data_loc char[] text;\toffset:60000;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%s\", __get_str(text)\n",
	"name: no_print\nID: 1507\nformat:\n" COMMON
	"\tfield:struct page * page;\toffset:8;\tsize:8;\tsigned:0;\n",
	NULL,
};

static const struct {
	const char *name;
	unsigned version;
	const char *codec;
} files[] = {
	{ "v7 zstd", 7, "zstd" }, { "v7 none", 7, "none" }, { "v6", 6, "none" },
};

static uint64_t nr_of(const struct readback *rb, const char *system, const char *name)
{
	unsigned i;

	for (i = 0; i < rb->info->nr_events; i++)
		if (!strcmp(rb->info->events[i].system, system) &&
		    (!name || !strcmp(rb->info->events[i].name, name)))
			return rb->totals->nr_by_event[i];
	ck_abort_msg("%s:%s is not described", system, name);
}

START_TEST(test_bprint)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct readback rb;
	const char *path;

	opts.version = files[_i].version;
	opts.codec = files[_i].codec;
	opts.ftrace_format = bprint;
	path = make(&opts, 1);
	assert_whole(path, files[_i].name);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(nr_of(&rb, "ftrace", "bprint"), NR_EVENTS / 10);
	readback_release(&rb);
}
END_TEST

START_TEST(test_odd_formats)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	uint64_t nr = 0;
	struct readback rb;
	const char *path;
	unsigned i;

	opts.version = files[_i].version;
	opts.codec = files[_i].codec;
	opts.odd_formats = odd;
	path = make(&opts, NR_ODD);
	assert_whole(path, files[_i].name);
	readback_file(&rb, path, NULL);
	for (i = 0; i < NR_ODD; i++) {
		char name[32];
		uint64_t n;

		ck_assert_int_eq(sscanf(odd[i], "name: %31s", name), 1);
		n = nr_of(&rb, "odd", name);
		ck_assert_msg(n > 0, "%s", name);
		nr += n;
	}
	ck_assert_uint_eq(nr, NR_EVENTS / 10);
	ck_assert_uint_eq(rb.totals->nr_other, NR_EVENTS / 10);
	readback_release(&rb);
}
END_TEST

/* The types in header_page are of no matter, only places and sizes. */
START_TEST(test_header_page_types)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path;

	opts.codec = "none";
	path = make(&opts, 0);
	file_patch(path, find_text(path, "local_t commit"), "size_t  commit", 14);
	assert_whole(path, "another type of commit");
	file_patch(path, find_text(path, "u64 timestamp"), "s64 timestamp", 13);
	assert_whole(path, "another type of timestamp");
}
END_TEST

/*
 * strings
 */

START_TEST(test_long_strings)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	static char name[70000];
	struct readback rb;
	const char *path = tmp_path();
	struct history history;
	struct gen *gen;
	unsigned i, instance;

	memset(name, 'x', sizeof(name) - 1);
	opts.uname = name;
	opts.clock = name;
	gen = gen_new(&opts);
	instance = gen_buffer(gen, name, name, 0, 0);
	history_init(&history, 11, 100, 1, 1000000, 500);
	for (i = 0; i < NR_EVENTS; i++) {
		struct event ev;

		history_next(&history, &ev);
		gen_event(gen_cpu(gen, instance, 0), &ev);
	}
	history_release(&history);
	gen_write(gen, path);
	gen_free(gen);
	assert_whole(path, "strings of 70 kB");
	readback_file(&rb, path, NULL);
	ck_assert_str_eq(rb.info->uname, name);
	ck_assert_str_eq(rb.info->buffers[rb.info->buffer].name, name);
	readback_release(&rb);
}
END_TEST

Suite *hazards_suite(void)
{
	Suite *s = suite_create("hazards");
	TCase *tc = tcase_create("symbols");

	tcase_add_loop_test(tc, test_symbol_sections, 0, 3);
	tcase_add_loop_test(tc, test_symbols_v6, 0, 2);
	suite_add_tcase(s, tc);
	tc = tcase_create("formats");
	tcase_add_loop_test(tc, test_bprint, 0, 3);
	tcase_add_loop_test(tc, test_odd_formats, 0, 3);
	tcase_add_test(tc, test_header_page_types);
	suite_add_tcase(s, tc);
	tc = tcase_create("strings");
	tcase_add_test(tc, test_long_strings);
	suite_add_tcase(s, tc);
	return s;
}
