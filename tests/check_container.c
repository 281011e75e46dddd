// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/container.h"
#include "sim/gen.h"
#include "sim/history.h"
#include "sim/readback.h"
#include "suites.h"

#define NR_EVENTS 3000

static struct gen_map map;

/* A recording of NR_EVENTS on two CPUs, on the heap of temporary files. */
static const char *make(const struct gen_opts *opts)
{
	const char *path = tmp_path();
	struct gen *gen = gen_new(opts);
	struct history history;
	unsigned i;

	history_init(&history, 7, 100, 2, 1000000, 500);
	for (i = 0; i < NR_EVENTS; i++) {
		struct event ev;

		history_next(&history, &ev);
		gen_event(gen_cpu(gen, 0, ev.cpu), &ev);
	}
	history_release(&history);
	gen_write(gen, path);
	map = *gen_get_map(gen);
	gen_free(gen);
	return path;
}

/* The error that opening @path gives; the message must name the file. */
static int open_error(const char *path, bool salvage, struct diag *diag)
{
	struct reader_opts opts = { .salvage = salvage, .nr_threads = 1 };
	struct reader *reader = NULL;
	int err;

	memset(diag, 0, sizeof(*diag));
	err = reader_open(&reader, path, &opts, diag);
	if (err >= 0) {
		reader_close(reader);
		return err;
	}
	ck_assert_ptr_null(reader);
	ck_assert_int_eq(diag->err, -err);
	ck_assert_msg(strstr(diag->text, path), "%s", diag->text);
	ck_assert_ptr_null(strchr(diag->text, '\n'));
	ck_assert_uint_gt(strlen(diag->text), strlen(path) + 10);
	return err;
}

static void put64(uint8_t *p, uint64_t v)
{
	unsigned i;

	for (i = 0; i < 8; i++)
		p[i] = v >> 8 * i;
}

/* --- what is no recording ------------------------------------------------- */

START_TEST(test_no_file)
{
	struct diag diag;

	ck_assert_int_eq(open_error("/nonexistent/trace.dat", false, &diag),
			 -ERR_NO_FILE);
}
END_TEST

START_TEST(test_directory)
{
	struct diag diag;

	ck_assert_int_eq(open_error("/tmp", false, &diag), -ERR_IS_DIR);
}
END_TEST

START_TEST(test_fifo)
{
	const char *path = tmp_path();
	struct diag diag;

	unlink(path);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(open_error(path, false, &diag), -ERR_NOT_REGULAR);
}
END_TEST

static const struct {
	const char *name, *data;
	size_t len;
	enum err err;
} others[] = {
	{ "empty", "", 0, ERR_EMPTY },
	{ "text", "cpus=2\nbash-1 [000] 1.0: x:\n", 28, ERR_TEXT_FILE },
	{ "elf", "\177ELF\2\1\1\0\0\0\0\0", 12, ERR_NOT_TRACE },
	{ "other magic", "\x17\x08\x44tracer6\0\0\0\0\0\0", 16, ERR_NOT_TRACE },
	{ "magic cut", "\x17\x08\x44tra", 6, ERR_TRUNCATED },
	{ "magic only", "\x17\x08\x44tracing", 10, ERR_TRUNCATED },
	{ "no endian", "\x17\x08\x44tracing6\0", 12, ERR_TRUNCATED },
	{ "version 5", "\x17\x08\x44tracing5\0\0\10\0\20\0\0", 18, ERR_VERSION },
	{ "version 8", "\x17\x08\x44tracing8\0\0\10\0\20\0\0", 18, ERR_VERSION },
	{ "version 70", "\x17\x08\x44tracing70\0\0\10\0\20\0\0", 19, ERR_VERSION },
	{ "version x", "\x17\x08\x44tracingx\0\0\10\0\20\0\0", 18, ERR_VERSION },
	{ "no version", "\x17\x08\x44tracing\0\0\10\0\20\0\0", 17, ERR_VERSION },
	{ "endless version", "\x17\x08\x44tracing6666666666666666666666666", 35,
	  ERR_BAD_HEADER },
	{ "v6 header only", "\x17\x08\x44tracing6\0\0\10\0\20\0\0", 18,
	  ERR_BAD_SECTION },
	{ "v7 header only", "\x17\x08\x44tracing7\0\0\10\0\20\0\0", 18,
	  ERR_TRUNCATED },
};
#define NR_OTHERS (sizeof(others) / sizeof(others[0]))

START_TEST(test_other_file)
{
	const char *path = tmp_path();
	struct diag diag;
	int err;

	file_store(path, others[_i].data, others[_i].len);
	err = open_error(path, false, &diag);
	ck_assert_msg(err == -(int)others[_i].err, "%s: %s, not %s: %s",
		      others[_i].name, err_name(err), err_name(others[_i].err),
		      diag.text);
	ck_assert_int_eq(err_status(err), STATUS_UNREADABLE);
	ck_assert_int_lt(open_error(path, true, &diag), 0);
}
END_TEST

/* What an interrupted trace-cmd leaves: pages without a header. */
START_TEST(test_raw_cpu_file)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path, *raw = tmp_path();
	char named[300];
	uint8_t *data;
	struct diag diag;
	struct reader *reader;
	size_t len;
	const struct recording_info *info;

	opts.codec = "none";
	path = make(&opts);
	data = file_load(path, &len);
	ck_assert_int_eq(reader_open(&reader, path, NULL, NULL), 0);
	info = reader_info(reader);
	file_store(raw, data + info->buffers[0].cpus[0].offset_bytes,
		   info->buffers[0].cpus[0].size_bytes);
	reader_close(reader);
	ck_assert_int_eq(open_error(raw, false, &diag), -ERR_RAW_CPU);
	ck_assert_ptr_nonnull(strstr(diag.text, "trace-cmd restore"));

	/* by name, whatever is in it */
	snprintf(named, sizeof(named), "%s.cpu12", raw);
	file_store(named, data + 3, 20);
	ck_assert_int_eq(open_error(named, false, &diag), -ERR_RAW_CPU);
	unlink(named);
	free(data);
}
END_TEST

START_TEST(test_latency)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct diag diag;

	opts.version = _i;
	opts.quirks = GEN_LATENCY;
	ck_assert_int_eq(open_error(make(&opts), false, &diag), -ERR_LATENCY);
}
END_TEST

START_TEST(test_unknown_codec)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct diag diag;

	opts.codec = "lz4x";
	ck_assert_int_eq(open_error(make(&opts), false, &diag), -ERR_CODEC);
	ck_assert_ptr_nonnull(strstr(diag.text, "'lz4x'"));
}
END_TEST

/* --- what is in a good one --------------------------------------------------- */

static void assert_good(const char *path)
{
	struct readback rb;

	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, NR_EVENTS);
	ck_assert_msg(!rb.nr_problems, "%s", rb.problems ? rb.problems[0].text : "");
	readback_release(&rb);
}

START_TEST(test_info)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const struct recording_info *info;
	struct reader *reader;

	opts.version = _i;
	opts.has_date = opts.has_offset = true;
	opts.date_us = 5;
	opts.offset_ns = -70;
	ck_assert_int_eq(reader_open(&reader, make(&opts), NULL, NULL), 0);
	info = reader_info(reader);
	ck_assert_uint_eq(info->version, _i);
	ck_assert_str_eq(info->codec, _i == 7 ? "zstd" : "none");
	if (_i == 7)
		ck_assert_str_eq(info->codec_version, "1.5.4");
	else
		ck_assert_ptr_null(info->codec_version);
	ck_assert(!info->big_endian);
	ck_assert_uint_eq(info->user_long_bytes, 8);
	ck_assert_uint_eq(info->kernel_long_bytes, 8);
	ck_assert_uint_eq(info->page_size_bytes, 4096);
	ck_assert_str_eq(info->uname, opts.uname);
	ck_assert_str_eq(info->writer, "3.1.6 gen");
	ck_assert_str_eq(info->clock, "mono");
	ck_assert(info->clock_is_ns);
	ck_assert(info->has_date && info->has_offset && !info->has_tsc2nsec);
	ck_assert_int_eq(info->date_ns, 5000);
	ck_assert_int_eq(info->offset_ns, -70);
	ck_assert(info->has_trace_id && info->has_cpu_count);
	ck_assert_uint_eq(info->trace_id, UINT64_C(0x1122334455667788));
	ck_assert_uint_eq(info->cpu_count, 2);
	ck_assert_uint_eq(info->nr_buffers, 1);
	ck_assert_str_eq(info->buffers[0].name, "");
	ck_assert_uint_eq(info->buffers[0].nr_cpus, 2);
	ck_assert_uint_eq(info->nr_cpu_stats, 2);
	ck_assert_int_eq(info->cpu_stats[1].cpu, 1);
	ck_assert(info->cpu_stats[1].has_overrun);
	ck_assert_uint_eq(info->cpu_stats[1].nr_overrun, 0);
	ck_assert_uint_eq(info->cpu_stats[0].nr_entries +
			  info->cpu_stats[1].nr_entries, NR_EVENTS);
	ck_assert_uint_eq(info->nr_options_skipped, 0);
	ck_assert(!info->salvaged);
	reader_close(reader);
}
END_TEST

/* Quirks that are no damage at all. */
static const struct {
	const char *name;
	unsigned version, quirks;
	bool big_endian;
} harmless[] = {
	{ "sizes exact", 7, GEN_SIZE_EXACT, false },
	{ "sizes zero", 7, GEN_SIZE_ZERO, true },
	{ "nchunks unswapped", 7, GEN_NCHUNKS_UNSWAPPED, true },
	{ "junk behind metadata", 7, GEN_META_JUNK, false },
	{ "shuffled sections", 7, GEN_SHUFFLED, false },
	{ "an options section each", 7, GEN_MANY_OPTIONS, false },
	{ "shuffled, many, big-endian", 7, GEN_SHUFFLED | GEN_MANY_OPTIONS, true },
	{ "empty clock", 7, GEN_EMPTY_CLOCK, false },
	{ "unterminated strings", 7, GEN_UNTERMINATED, false },
	{ "unterminated strings", 6, GEN_UNTERMINATED, true },
	{ "no CPUSTAT", 7, GEN_NO_CPUSTAT, false },
	{ "unknown options", 7, GEN_UNKNOWN_OPTIONS, false },
	{ "unknown options", 6, GEN_UNKNOWN_OPTIONS, false },
};
#define NR_HARMLESS (sizeof(harmless) / sizeof(harmless[0]))

START_TEST(test_harmless)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct readback rb;

	opts.version = harmless[_i].version;
	opts.quirks = harmless[_i].quirks;
	opts.big_endian = harmless[_i].big_endian;
	readback_file(&rb, make(&opts), NULL);
	ck_assert_msg(!rb.err, "%s: %s", harmless[_i].name, rb.diag.text);
	ck_assert_msg(rb.nr == NR_EVENTS && !rb.nr_problems, "%s: %u events, %s",
		      harmless[_i].name, rb.nr,
		      rb.nr_problems ? rb.problems[0].text : "");
	ck_assert_str_eq(rb.info->uname, opts.uname);
	/* 999, gpuvis' 8; 3.4's and the forks' are known */
	ck_assert_uint_eq(rb.info->nr_options_skipped,
			  harmless[_i].quirks & GEN_UNKNOWN_OPTIONS ? 2 : 0);
	if (harmless[_i].quirks & GEN_EMPTY_CLOCK)
		ck_assert_str_eq(rb.info->clock, "mono");	/* BUFFER's */
	readback_release(&rb);
}
END_TEST

START_TEST(test_no_clock)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;

	opts.version = _i;
	opts.clock = NULL;
	assert_good(make(&opts));
}
END_TEST

/* --- contradictions -------------------------------------------------------------- */

static void assert_contradiction(const char *path)
{
	struct readback rb;

	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, NR_EVENTS);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_CONTRADICTS_HEADER));
	readback_release(&rb);
}

START_TEST(test_endian_flipped)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path;
	uint8_t flag;

	opts.version = _i & 1 ? 6 : 7;
	opts.big_endian = _i & 2;
	path = make(&opts);
	flag = !opts.big_endian;
	file_patch(path, 0x0c, &flag, 1);
	assert_contradiction(path);
}
END_TEST

static const uint32_t wrong_page_sizes[] = { 0, 3000, 65536, 0xffffffff, 1 };

START_TEST(test_header_page_size)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path;

	opts.version = _i % 2 ? 6 : 7;
	path = make(&opts);
	file_patch(path, 0x0e, &wrong_page_sizes[_i / 2], 4);
	assert_contradiction(path);
}
END_TEST

START_TEST(test_buffer_page_size)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = make(&opts);

	/* the word before the number of CPUs */
	file_patch(path, map.cpu_table - 8, &wrong_page_sizes[_i], 4);
	assert_contradiction(path);
}
END_TEST

/* A converter on another machine left the BUFFER option in its own order. */
START_TEST(test_buffer_swapped)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;

	opts.big_endian = _i;
	opts.quirks = GEN_BUFFER_SWAPPED;
	assert_contradiction(make(&opts));
}
END_TEST

START_TEST(test_long_size)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = make(&opts);
	uint8_t size = 3;

	file_patch(path, 0x0d, &size, 1);
	assert_contradiction(path);
}
END_TEST

START_TEST(test_options_loop)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct readback rb;
	struct diag diag;
	const char *path;

	/* the list with the buffers is never reached */
	opts.quirks = GEN_OPTIONS_LOOP;
	path = make(&opts);
	ck_assert_int_eq(open_error(path, false, &diag), -ERR_NO_BUFFER);

	/* the last list points back: everything was read */
	opts.quirks = 0;
	path = make(&opts);
	{
		uint8_t raw[8];
		uint8_t *data;
		size_t len;
		uint64_t body;

		data = file_load(path, &len);
		body = get_u64(data + map.last_options_offset + 8, false);
		put64(raw, map.options_offset);
		file_patch(path, map.last_options_offset + 16 + body - 8, raw, 8);
		free(data);
	}
	readback_file(&rb, path, NULL);
	ck_assert_int_eq(rb.err, 0);
	ck_assert_uint_eq(rb.nr, NR_EVENTS);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_OPTION));
	readback_release(&rb);
}
END_TEST

static const uint32_t bad_cpus[] = { 65536, 0xffffffff, 0x80000000, 0 };

/*
 * The second CPU's number in the table becomes impossible, or the first's: its
 * data is not damaged and kept, under another number.
 */
START_TEST(test_bad_cpu)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = make(&opts);
	struct readback rb;

	file_patch(path, map.cpu_table + 20, &bad_cpus[_i], 4);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, NR_EVENTS);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_CPU));
	ck_assert_uint_eq(rb.info->buffers[0].nr_cpus, 2);
	ck_assert_int_eq(rb.info->buffers[0].cpus[1].cpu, 65535);
	readback_release(&rb);
}
END_TEST

/* The second CPU's data is said to be where the first's is. */
START_TEST(test_overlap)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path;
	const uint8_t *table;
	uint8_t *data, raw[8];
	struct readback rb;
	uint64_t first, nr_first, nr_second;
	size_t len;

	opts.codec = _i & 1 ? "none" : "zstd";
	path = make(&opts);
	readback_file(&rb, path, NULL);
	nr_first = rb.totals->cpus[0].nr_records;
	nr_second = rb.totals->cpus[1].nr_records;
	readback_release(&rb);
	data = file_load(path, &len);
	table = data + map.cpu_table;
	first = get_u64(table + 4, false);
	put64(raw, first + (_i & 2 ? 0 : 1234));
	free(data);
	file_patch(path, map.cpu_table + 24, raw, 8);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, nr_first + 1);
	ck_assert_uint_eq(rb.nr_gap_items, 1);
	ck_assert_uint_eq(rb.totals->cpus[0].nr_records, nr_first);
	ck_assert_uint_eq(rb.totals->cpus[1].nr_records, 0);
	ck_assert_uint_gt(nr_second, 0);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_CPU));
	readback_release(&rb);
}
END_TEST

/* The first CPU's size is too large: the second's data stays the second's. */
START_TEST(test_size_too_large)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path;
	uint8_t *data, raw[8];
	struct readback rb;
	size_t len;

	opts.codec = _i ? "none" : "zstd";
	path = make(&opts);
	data = file_load(path, &len);
	put64(raw, get_u64(data + map.cpu_table + 12, false) + 3 * 4096);
	free(data);
	file_patch(path, map.cpu_table + 12, raw, 8);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr - rb.nr_gap_items, NR_EVENTS);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_CPU));
	ck_assert_uint_eq(rb.totals->cpus[0].nr_gaps, 1);
	readback_release(&rb);
}
END_TEST

/*
 * One CPU's data is said to begin in the middle of the other's, at a place where it
 * could: compressed data begins with a chunk, so it is known whose place is wrong.
 */
START_TEST(test_overlap_aligned)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	unsigned moved = _i & 1, other = !moved;
	uint64_t place, nr_other;
	uint8_t *data, raw[8];
	struct readback rb;
	const char *path;
	size_t len;

	opts.codec = _i & 2 ? "zlib" : "zstd";
	path = make(&opts);
	readback_file(&rb, path, NULL);
	nr_other = rb.totals->cpus[other].nr_records;
	readback_release(&rb);
	data = file_load(path, &len);
	place = get_u64(data + map.cpu_table + 20 * other + 4, false);
	ck_assert_uint_gt(get_u64(data + map.cpu_table + 20 * other + 12, false), 4096);
	put64(raw, place + 4096);
	free(data);
	file_patch(path, map.cpu_table + 20 * moved + 4, raw, 8);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.totals->cpus[other].nr_records, nr_other);
	ck_assert_uint_eq(rb.totals->cpus[other].nr_gaps, 0);
	ck_assert_uint_eq(rb.totals->cpus[moved].nr_records, 0);
	ck_assert_uint_eq(rb.totals->cpus[moved].nr_gaps, 1);
	ck_assert_int_eq(readback_problem(&rb, ERR_BAD_CPU)->cpu, moved);
	readback_release(&rb);
}
END_TEST

/*
 * Of sub-buffers it is not known: the first CPU's may be the second's from there
 * on, or the second's end is missing.
 */
START_TEST(test_overlap_plain)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	uint8_t *data, raw[8];
	struct readback rb;
	const char *path;
	size_t len;
	unsigned cpu;

	opts.codec = "none";
	path = make(&opts);
	data = file_load(path, &len);
	put64(raw, get_u64(data + map.cpu_table + 24, false) - 4096);
	free(data);
	file_patch(path, map.cpu_table + 24, raw, 8);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	for (cpu = 0; cpu < 2; cpu++)
		ck_assert_uint_ge(rb.totals->cpus[cpu].nr_gaps, 1);
	ck_assert_uint_eq(rb.events[rb.nr - 1].kind, EV_GAP);
	ck_assert_uint_eq(rb.events[rb.nr - 1].u.gap.to_ts_ns, EV_TS_END);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_CPU));
	readback_release(&rb);
}
END_TEST

/* Four CPUs, @nr of them with the number of the first. */
static void make_four(struct container *c, unsigned nr)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct gen *gen = gen_new(&opts);
	const char *path = tmp_path();
	const uint32_t number = 0;
	struct diag diag;
	unsigned i;

	for (i = 0; i < 4; i++) {
		struct event ev = { .kind = EV_ADD, .ts_ns = 100 + i };

		gen_event(gen_cpu(gen, 0, i), &ev);
	}
	gen_write(gen, path);
	for (i = 1; i < nr; i++)
		file_patch(path, gen_get_map(gen)->cpu_table + 20 * i, &number, 4);
	gen_free(gen);
	ck_assert_msg(!container_open(c, path, false, &diag), "%s", diag.text);
}

/* Each CPU that is listed twice gets a number of its own. */
START_TEST(test_cpus_listed_twice)
{
	struct container c;

	make_four(&c, 4);
	ck_assert_uint_eq(c.buffers[0].nr_cpus, 4);
	ck_assert_int_eq(c.buffers[0].cpus[0].cpu, 0);
	ck_assert_int_eq(c.buffers[0].cpus[1].cpu, 65535);
	ck_assert_int_eq(c.buffers[0].cpus[2].cpu, 65534);
	ck_assert_int_eq(c.buffers[0].cpus[3].cpu, 65533);
	container_release(&c);
}
END_TEST

START_TEST(test_next_start)
{
	const struct recording_cpu *cpus;
	struct container c;
	unsigned i;

	make_four(&c, 0);
	cpus = c.buffers[0].cpus;
	ck_assert_uint_eq(container_next_start(&c, 0), cpus[0].offset_bytes);
	for (i = 0; i < 4; i++) {
		uint64_t next = i < 3 ? cpus[i + 1].offset_bytes : c.size_bytes;

		ck_assert_uint_eq(container_next_start(&c, cpus[i].offset_bytes - 1),
				  cpus[i].offset_bytes);
		ck_assert_uint_eq(container_next_start(&c, cpus[i].offset_bytes), next);
		ck_assert_uint_eq(container_next_start(&c, cpus[i].offset_bytes + 1), next);
	}
	ck_assert_uint_eq(container_next_start(&c, UINT64_MAX), c.size_bytes);
	container_release(&c);
}
END_TEST

START_TEST(test_too_many_cpus)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = make(&opts);
	const uint32_t n = 0x40000000;
	struct readback rb;

	file_patch(path, map.cpu_table - 4, &n, 4);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, NR_EVENTS);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_CPU));
	readback_release(&rb);
}
END_TEST

START_TEST(test_cpu_beyond_file)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct readback rb;
	uint8_t raw[8];
	const char *path;

	/* v6: cpu_table has offset and size; v7: number before them */
	opts.version = _i;
	path = make(&opts);
	put64(raw, UINT64_C(1) << (_i == 7 ? 40 : 62));
	file_patch(path, map.cpu_table + (_i == 7 ? 24 : 16), raw, 8);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_gt(rb.nr, NR_EVENTS / 3);
	ck_assert_uint_eq(rb.nr_gap_items, 1);
	ck_assert(rb.totals->cpus[1].is_truncated);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_CPU_TRUNCATED));
	readback_release(&rb);
}
END_TEST

/* --- the header overwritten ---------------------------------------------------------- */

START_TEST(test_no_kallsyms)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct readback rb;
	struct reader_opts salvage = { .salvage = true };
	struct diag diag;
	const char *path;

	opts.codec = _i & 1 ? "zlib" : "zstd";
	opts.big_endian = _i & 2;
	opts.quirks = GEN_NO_KALLSYMS;
	path = make(&opts);
	ck_assert_int_eq(open_error(path, false, &diag), -ERR_NO_KALLSYMS);
	ck_assert_ptr_nonnull(strstr(diag.text, "CONFIG_KALLSYMS"));
	ck_assert_ptr_nonnull(strstr(diag.text, "--salvage"));
	readback_file(&rb, path, &salvage);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, NR_EVENTS);
	ck_assert(rb.info->salvaged);
	ck_assert_str_eq(rb.info->codec, opts.codec);
	ck_assert_int_eq(rb.info->big_endian, opts.big_endian);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_NO_KALLSYMS));
	readback_release(&rb);
}
END_TEST

/* --- cut short ------------------------------------------------------------------------ */

/* Anywhere in the metadata: a message with the cause, never a crash. */
START_TEST(test_truncated)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path;
	uint8_t *data;
	size_t len, cut, step;
	struct diag diag;

	opts.version = _i & 1 ? 6 : 7;
	opts.codec = _i & 2 ? "none" : "zstd";
	opts.big_endian = _i & 4;
	path = make(&opts);
	data = file_load(path, &len);
	for (cut = 0; cut < len; cut += step) {
		const char *shorter = path;
		int err;

		file_store(shorter, data, cut);
		err = open_error(shorter, false, &diag);
		if (opts.version == 7)
			ck_assert_int_eq(err_status(err), STATUS_UNREADABLE);
		else if (err < 0)
			ck_assert_int_eq(err_status(err), STATUS_UNREADABLE);
		err = open_error(shorter, true, &diag);
		ck_assert(err <= 0);
		/* every byte of the header, fewer of what follows */
		step = cut < 64 ? 1 : cut < 1000 ? 13 : 331;
	}
	free(data);
}
END_TEST

static void assert_survives(const char *path)
{
	static const struct reader_opts opts[] = {
		{ .nr_threads = 1, .tolerate_formats = true },
		{ .nr_threads = 1, .tolerate_formats = true, .salvage = true },
	};
	unsigned i;

	for (i = 0; i < 2; i++) {
		struct readback rb;

		readback_file(&rb, path, &opts[i]);
		if (rb.err < 0)
			ck_assert_uint_gt(strlen(rb.diag.text), 10);
		ck_assert_uint_le(rb.nr, 4 * NR_EVENTS);
		readback_release(&rb);
	}
}

/* Hostile numbers wherever the container has a number. */
START_TEST(test_hostile_numbers)
{
	static const uint64_t numbers[] = {
		0, 1, UINT64_C(1) << 31, UINT64_C(0xfffffffc),
		UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 3,
	};
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct {
		uint64_t from, to;
	} ranges[12];
	unsigned nr_ranges = 0, r, n;
	const char *path;

	opts.version = _i & 1 ? 6 : 7;
	opts.codec = _i & 2 ? "none" : "zstd";
	opts.quirks = GEN_UNKNOWN_OPTIONS;
	path = make(&opts);
	ranges[nr_ranges].from = 0x0c;
	ranges[nr_ranges++].to = 0x30;
	if (opts.version == 7) {
		const uint64_t at[] = { map.headers, map.ftrace, map.events,
					map.cmdlines };

		for (r = 0; r < 4; r++) {
			ranges[nr_ranges].from = at[r];
			ranges[nr_ranges++].to = at[r] + 48;
		}
		ranges[nr_ranges].from = map.last_options_offset;
		ranges[nr_ranges++].to = map.last_options_offset + 90;
	} else {
		ranges[nr_ranges].from = map.events;
		ranges[nr_ranges++].to = map.events + 40;
		ranges[nr_ranges].from = map.cpu_table - 10;
		ranges[nr_ranges++].to = map.cpu_table + 48;
	}
	ranges[nr_ranges].from = map.options_offset;
	ranges[nr_ranges++].to = map.options_offset + 400;
	for (r = 0; r < nr_ranges; r++) {
		uint64_t at;

		for (at = ranges[r].from; at < ranges[r].to; at += 5) {
			uint8_t saved[8], raw[8];
			FILE *file = fopen(path, "r+b");

			ck_assert_ptr_nonnull(file);
			if (fseek(file, at, SEEK_SET) ||
			    fread(saved, 1, 8, file) != 8) {
				fclose(file);
				continue;
			}
			fclose(file);
			for (n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
				put64(raw, numbers[n]);
				file_patch(path, at, raw, n % 2 ? 4 : 8);
				assert_survives(path);
				file_patch(path, at, saved, 8);
			}
		}
	}
	assert_good(path);
}
END_TEST

START_TEST(test_err_names)
{
	int err;

	for (err = ERR_FIRST + 1; err < ERR_END; err++) {
		ck_assert_str_ne(err_text(err), "unknown error");
		ck_assert_str_eq(err_text(err), err_text(-err));
		ck_assert_str_ne(err_name(err), "?");
		ck_assert_int_ge(err_status(err), STATUS_FAILED);
		ck_assert_int_le(err_status(err), STATUS_UNREADABLE);
	}
	ck_assert_int_eq(err_status(0), STATUS_OK);
	ck_assert_int_eq(err_status(-EIO), STATUS_FAILED);
	ck_assert_int_eq(err_status(INT32_MIN), STATUS_FAILED);
	ck_assert_str_eq(err_text(ERR_END), "unknown error");
}
END_TEST

Suite *container_suite(void)
{
	Suite *suite = suite_create("container");
	TCase *tc = tcase_create("other files");

	tcase_add_test(tc, test_no_file);
	tcase_add_test(tc, test_directory);
	tcase_add_test(tc, test_fifo);
	tcase_add_loop_test(tc, test_other_file, 0, NR_OTHERS);
	tcase_add_test(tc, test_raw_cpu_file);
	tcase_add_loop_test(tc, test_latency, 6, 8);
	tcase_add_test(tc, test_unknown_codec);
	tcase_add_test(tc, test_err_names);
	suite_add_tcase(suite, tc);

	tc = tcase_create("good files");
	tcase_add_loop_test(tc, test_info, 6, 8);
	tcase_add_loop_test(tc, test_harmless, 0, NR_HARMLESS);
	tcase_add_loop_test(tc, test_no_clock, 6, 8);
	suite_add_tcase(suite, tc);

	tc = tcase_create("contradictions");
	tcase_add_loop_test(tc, test_endian_flipped, 0, 4);
	tcase_add_loop_test(tc, test_header_page_size, 0, 10);
	tcase_add_loop_test(tc, test_buffer_page_size, 0, 5);
	tcase_add_loop_test(tc, test_buffer_swapped, 0, 2);
	tcase_add_test(tc, test_long_size);
	tcase_add_test(tc, test_options_loop);
	tcase_add_loop_test(tc, test_bad_cpu, 0, 4);
	tcase_add_loop_test(tc, test_overlap, 0, 4);
	tcase_add_loop_test(tc, test_size_too_large, 0, 2);
	tcase_add_loop_test(tc, test_overlap_aligned, 0, 4);
	tcase_add_test(tc, test_overlap_plain);
	tcase_add_test(tc, test_cpus_listed_twice);
	tcase_add_test(tc, test_next_start);
	tcase_add_test(tc, test_too_many_cpus);
	tcase_add_loop_test(tc, test_cpu_beyond_file, 6, 8);
	tcase_add_loop_test(tc, test_no_kallsyms, 0, 4);
	suite_add_tcase(suite, tc);

	tc = tcase_create("damage");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_truncated, 0, 8);
	tcase_add_loop_test(tc, test_hostile_numbers, 0, 4);
	suite_add_tcase(suite, tc);
	return suite;
}
