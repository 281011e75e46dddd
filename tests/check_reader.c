// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/abi.h"
#include "analyzer/merge.h"
#include "analyzer/problem.h"
#include "sim/gen.h"
#include "sim/history.h"
#include "sim/readback.h"
#include "suites.h"

/* What was written, to be compared with what is read. */
struct truth {
	struct event *events;
	unsigned nr;
	struct gen *gen;
	const char *path;
};

static void truth_make(struct truth *truth, const struct gen_opts *opts,
		       unsigned nr, unsigned nr_cpus, unsigned stride)
{
	struct history history;
	unsigned i;

	truth->nr = nr;
	truth->events = calloc(nr + 1, sizeof(*truth->events));
	truth->path = tmp_path();
	truth->gen = gen_new(opts);
	history_init(&history, 3, 200, nr_cpus, 1000000000, 700);
	for (i = 0; i < nr; i++) {
		struct event *ev = &truth->events[i];

		history_next(&history, ev);
		ev->cpu *= stride;
		gen_event(gen_cpu(truth->gen, 0, ev->cpu), ev);
	}
	history_release(&history);
	gen_write(truth->gen, truth->path);
}

static void truth_release(struct truth *truth)
{
	gen_free(truth->gen);
	free(truth->events);
}

static void assert_event(const struct event *want, const struct event *got,
			 unsigned i)
{
	ck_assert_msg(!memcmp(want, got, sizeof(*want)),
		      "event %u: kind %s ts %llu cpu %u pfn %llx, not %s %llu %u %llx",
		      i, event_kind_name(got->kind),
		      (unsigned long long)got->ts_ns, got->cpu,
		      (unsigned long long)got->pfn, event_kind_name(want->kind),
		      (unsigned long long)want->ts_ns, want->cpu,
		      (unsigned long long)want->pfn);
}

static void assert_all_equal(const struct truth *truth, const struct readback *rb)
{
	unsigned i;

	ck_assert_msg(!rb->err, "%s", rb->diag.text);
	ck_assert_uint_eq(rb->nr, truth->nr);
	for (i = 0; i < truth->nr; i++)
		assert_event(&truth->events[i], &rb->events[i], i);
	ck_assert_msg(!rb->nr_problems, "%s",
		      rb->nr_problems ? rb->problems[0].text : "");
	ck_assert_uint_eq(rb->totals->nr_records, truth->nr);
	ck_assert_uint_eq(rb->totals->nr_backward, 0);
	ck_assert_uint_eq(rb->totals->first_ts_ns,
			  truth->nr ? truth->events[0].ts_ns : 0);
	ck_assert_uint_eq(rb->totals->last_ts_ns,
			  truth->nr ? truth->events[truth->nr - 1].ts_ns : 0);
}

/*
 * What is left after damage: the events come in their order, nothing else
 * comes, and each that is missing lies in the time of a gap of its CPU.
 * Returns how many are missing.
 */
static unsigned assert_only_gaps(const struct truth *truth,
				 const struct readback *rb)
{
	unsigned i = 0, k, g, nr_missing = 0;

	ck_assert_msg(!rb->err, "%s", rb->diag.text);
	for (k = 0; k < rb->nr; k++) {
		if (rb->events[k].kind == EV_GAP)
			continue;
		for (; i < truth->nr && memcmp(&truth->events[i], &rb->events[k],
					       sizeof(struct event)); i++) {
			const struct event *lost = &truth->events[i];
			bool is_covered = false;

			nr_missing++;
			for (g = 0; g < rb->nr && !is_covered; g++) {
				const struct event *gap = &rb->events[g];

				is_covered = gap->kind == EV_GAP &&
					     gap->cpu == lost->cpu &&
					     gap->u.gap.from_ts_ns <= lost->ts_ns &&
					     gap->u.gap.to_ts_ns >= lost->ts_ns;
			}
			ck_assert_msg(is_covered, "event %u is missing without a gap", i);
		}
		ck_assert_msg(i < truth->nr, "item %u was never written", k);
		i++;
	}
	nr_missing += truth->nr - i;
	ck_assert_uint_eq(rb->nr - rb->nr_gap_items + nr_missing, truth->nr);
	/* every gap is a problem too, and in the totals */
	ck_assert_uint_eq(rb->totals->nr_gaps, rb->nr_gap_items);
	ck_assert_uint_eq(rb->totals->nr_by_kind[EV_GAP], rb->nr_gap_items);
	if (rb->nr_gap_items)
		ck_assert_uint_gt(rb->nr_problems, 0);
	return nr_missing;
}

/* --- every shape ------------------------------------------------------------- */

static const struct {
	unsigned version;
	const char *codec;
	bool big_endian;
	unsigned kernel_long, user_long;
	uint32_t page;
	unsigned chunk_pages, nr_cpus, stride;
	unsigned nr;
} shapes[] = {
	{ 7, "zstd", false, 8, 8, 4096, 10, 2, 1, 20000 },
	{ 7, "none", false, 8, 8, 4096, 10, 2, 1, 20000 },
	{ 7, "zlib", false, 8, 8, 4096, 10, 2, 1, 20000 },
	{ 6, "none", false, 8, 8, 4096, 10, 2, 1, 20000 },
	{ 7, "zstd", true, 8, 8, 4096, 10, 2, 1, 20000 },
	{ 7, "zlib", true, 4, 4, 4096, 10, 2, 1, 20000 },
	{ 6, "none", true, 4, 4, 4096, 10, 3, 1, 20000 },
	{ 7, "zstd", false, 4, 4, 4096, 10, 2, 1, 20000 },
	{ 7, "zstd", false, 8, 4, 4096, 10, 2, 1, 20000 },
	{ 7, "zstd", false, 8, 8, 65536, 10, 2, 1, 60000 },
	{ 7, "none", false, 8, 8, 65536, 10, 2, 1, 60000 },
	{ 7, "zstd", false, 8, 8, 16384, 1, 2, 1, 20000 },
	{ 7, "zstd", false, 8, 8, 4096, 3, 2, 1, 20000 },
	{ 7, "zstd", false, 8, 8, 4096, 64, 1, 1, 20000 },
	{ 7, "zstd", false, 8, 8, 256, 10, 2, 1, 5000 },
	{ 7, "zstd", false, 8, 8, 4096, 10, 5, 7, 20000 },
	{ 7, "none", false, 8, 8, 4096, 10, 5, 1000, 20000 },
	{ 6, "none", false, 8, 8, 4096, 10, 5, 30, 20000 },
	{ 7, "zstd", false, 8, 8, 4096, 10, 600, 1, 30000 },
	{ 7, "zstd", false, 8, 8, 4096, 10, 1030, 63, 30000 },
	{ 6, "none", false, 8, 8, 4096, 10, 600, 1, 30000 },
	{ 7, "zstd", false, 8, 8, 4096, 10, 1, 1, 1 },
	{ 7, "zstd", false, 8, 8, 4096, 10, 1, 65535, 0 },
};
#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

START_TEST(test_shape)
{
	static const int threads[] = { 1, 2, 5, 0 };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct truth truth;
	unsigned t;

	opts.version = shapes[_i].version;
	opts.codec = shapes[_i].codec;
	opts.big_endian = shapes[_i].big_endian;
	opts.kernel_long_bytes = shapes[_i].kernel_long;
	opts.user_long_bytes = shapes[_i].user_long;
	opts.page_bytes = shapes[_i].page;
	opts.chunk_pages = shapes[_i].chunk_pages;
	truth_make(&truth, &opts, shapes[_i].nr, shapes[_i].nr_cpus,
		   shapes[_i].stride);
	for (t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
		struct reader_opts reader_opts = { .nr_threads = threads[t] };
		struct readback rb;

		readback_file(&rb, truth.path, &reader_opts);
		assert_all_equal(&truth, &rb);
		ck_assert_uint_eq(rb.totals->nr_cpus, rb.info->buffers[0].nr_cpus);
		readback_release(&rb);
	}
	truth_release(&truth);
}
END_TEST

/* One by one and in batches are the same stream; closing early is allowed. */
START_TEST(test_next)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts reader_opts = { .nr_threads = _i };
	struct reader *reader;
	struct truth truth;
	struct event ev;
	unsigned i;

	truth_make(&truth, &opts, 30000, 3, 1);
	ck_assert_int_eq(reader_open(&reader, truth.path, &reader_opts, NULL), 0);
	for (i = 0; i < truth.nr; i++) {
		ck_assert_int_eq(reader_next(reader, &ev), 1);
		assert_event(&truth.events[i], &ev, i);
	}
	ck_assert_int_eq(reader_next(reader, &ev), 0);
	ck_assert_int_eq(reader_next(reader, &ev), 0);
	reader_close(reader);

	ck_assert_int_eq(reader_open(&reader, truth.path, &reader_opts, NULL), 0);
	for (i = 0; i < 1000; i++)
		ck_assert_int_eq(reader_next(reader, &ev), 1);
	reader_close(reader);
	ck_assert_int_eq(reader_open(&reader, truth.path, &reader_opts, NULL), 0);
	reader_close(reader);
	reader_close(NULL);
	truth_release(&truth);
}
END_TEST

START_TEST(test_merge)
{
	struct merge merge;
	struct merge_key last = { 0, 0, 0 };
	uint32_t seed = 1, i;

	ck_assert_int_eq(merge_init(&merge, 100), 0);
	for (i = 0; i < 100; i++) {
		seed = seed * 1103515245 + 12345;
		merge_push(&merge, (struct merge_key){ seed >> 24, i, i });
	}
	for (i = 0; i < 10000 && merge.nr; i++) {
		struct merge_key top = merge.keys[0];
		const struct merge_key *second = merge_second(&merge);

		ck_assert(!merge_key_less(&top, &last));
		if (second)
			ck_assert(!merge_key_less(second, &top));
		last = top;
		seed = seed * 1103515245 + 12345;
		if (seed >> 28)
			merge_replace_top(&merge, (struct merge_key){
				top.ts_ns + 1 + (seed >> 26), top.cpu, top.lane });
		else
			merge_pop(&merge);
	}
	ck_assert_uint_eq(merge.nr, 0);
	merge_release(&merge);
}
END_TEST

/* Equal times: the CPU decides, then the order of the file. */
START_TEST(test_order)
{
	static const struct {
		unsigned cpu;
		uint64_t ts;
		unsigned pid;
	} in[] = {
		{ 0, 100, 1 }, { 0, 100, 2 }, { 0, 120, 5 },
		{ 1, 100, 3 }, { 1, 110, 4 }, { 1, 120, 6 },
	};
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct gen *gen = gen_new(&opts);
	struct readback rb;
	unsigned i;

	for (i = 0; i < sizeof(in) / sizeof(in[0]); i++) {
		struct event ev = { .kind = EV_ADD, .ts_ns = in[i].ts,
				    .pid = in[i].pid };

		gen_event(gen_cpu(gen, 0, in[i].cpu), &ev);
	}
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 6);
	for (i = 0; i < 6; i++)
		ck_assert_int_eq(rb.events[i].pid, i + 1);
	ck_assert_uint_eq(rb.totals->nr_backward, 0);
	readback_release(&rb);
}
END_TEST

static void add_event(struct gen *gen, unsigned cpu, uint64_t ts)
{
	struct event ev = { .kind = EV_ADD, .ts_ns = ts, .pid = ts };

	gen_event(gen_cpu(gen, 0, cpu), &ev);
}

/* --- disorder ------------------------------------------------------------------ */

/*
 * One event in each chunk of CPU 0, at these times; at 250 another CPU has one. Where
 * time goes back, what is given out is in order, and gaps are where events are missing
 * or came elsewhere.
 */
static const struct {
	uint64_t in[8];
	uint64_t out[8];
	uint64_t gaps[6];	/* from and to; -1: to the end */
} disorders[] = {
	{ { 100, 200, 300, 400 }, { 100, 200, 300, 400 }, { 0 } },
	{ { 100, 100, 200, 200 }, { 100, 100, 200, 200 }, { 0 } },
	/* exchanged: in the middle, at the beginning, at the end */
	{ { 100, 300, 200, 400 }, { 100, 200, 400 }, { 100, 200, 200, 400 } },
	{ { 200, 100, 300 }, { 100, 300 }, { 0, 100, 100, 300 } },
	{ { 100, 300, 200 }, { 100, 200 }, { 100, 200, 200, -1 } },
	/* moved to the front, and to the end */
	{ { 100, 500, 200, 300, 400, 600 }, { 100, 200, 300, 400, 600 },
	  { 100, 200, 400, 600 } },
	{ { 100, 300, 400, 200 }, { 100, 300, 400 }, { 400, -1 } },
	/* an older one in the place of another */
	{ { 100, 200, 300, 100, 500 }, { 100, 200, 300, 500 }, { 300, 500 } },
	/* one time is far too large, or zero */
	{ { 100, 1u << 30, 300, 400 }, { 100, 300, 400 }, { 100, 300, 400, -1 } },
	{ { 100, 200, 1, 400 }, { 100, 200, 400 }, { 200, 400 } },
};
#define NR_DISORDERS (sizeof(disorders) / sizeof(disorders[0]))

static void disorder_check(const struct readback *rb, unsigned n)
{
	unsigned i, nr_out = 0, nr_gaps = 0;

	ck_assert_msg(!rb->err, "%s", rb->diag.text);
	for (i = 0; i < rb->nr; i++) {
		const struct event *ev = &rb->events[i];

		if (ev->cpu == 1)
			continue;
		if (ev->kind != EV_GAP) {
			ck_assert_uint_eq(ev->ts_ns, disorders[n].out[nr_out++]);
			continue;
		}
		ck_assert_uint_eq(ev->u.gap.cause, ERR_OUT_OF_ORDER);
		ck_assert_uint_eq(ev->u.gap.from_ts_ns, disorders[n].gaps[2 * nr_gaps]);
		ck_assert_uint_eq(ev->u.gap.to_ts_ns, disorders[n].gaps[2 * nr_gaps + 1]);
		nr_gaps++;
	}
	ck_assert_uint_eq(disorders[n].out[nr_out], 0);
	ck_assert_uint_eq(disorders[n].gaps[2 * nr_gaps + 1], 0);
	ck_assert_int_eq(rb->totals->nr_backward != 0, nr_gaps != 0);
	ck_assert_int_eq(!!readback_problem(rb, ERR_OUT_OF_ORDER), nr_gaps != 0);
	ck_assert_uint_eq(rb->totals->cpus[0].nr_records, nr_out);
}

START_TEST(test_disorder)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts reader_opts = { 0 };
	const char *path = tmp_path();
	struct gen *gen;
	struct readback rb;
	unsigned i;

	opts.chunk_pages = 1;
	gen = gen_new(&opts);
	for (i = 0; disorders[_i].in[i]; i++) {
		struct event ev = { .kind = EV_ADD, .ts_ns = disorders[_i].in[i] };

		gen_event(gen_cpu(gen, 0, 0), &ev);
		gen_page_end(gen_cpu(gen, 0, 0));
	}
	add_event(gen, 1, 250);
	gen_write(gen, path);
	gen_free(gen);
	for (reader_opts.nr_threads = 1; reader_opts.nr_threads < 4; reader_opts.nr_threads++) {
		readback_file(&rb, path, &reader_opts);
		disorder_check(&rb, _i);
		readback_release(&rb);
	}
}
END_TEST

/* Inside a chunk, of one sub-buffer or two: all of it is a gap. */
START_TEST(test_disorder_inside)
{
	static const uint64_t times[] = { 100, 300, 200, 400 };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct gen *gen = gen_new(&opts);
	struct gen_cpu *cpu = gen_cpu(gen, 0, 0);
	struct readback rb;
	unsigned i;

	add_event(gen, 0, 50);
	gen_page_end(cpu);
	gen_chunk_end(cpu);
	for (i = 0; i < 4; i++) {
		add_event(gen, 0, times[i]);
		if (_i)
			gen_page_end(cpu);
	}
	gen_page_end(cpu);
	gen_chunk_end(cpu);
	add_event(gen, 0, 500);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 3);
	ck_assert_uint_eq(rb.events[0].ts_ns, 50);
	ck_assert_int_eq(rb.events[1].kind, EV_GAP);
	ck_assert_uint_eq(rb.events[1].u.gap.from_ts_ns, 50);
	ck_assert_uint_eq(rb.events[1].u.gap.to_ts_ns, 500);
	ck_assert_uint_eq(rb.events[2].ts_ns, 500);
	ck_assert_uint_eq(rb.totals->nr_backward, 1);
	readback_release(&rb);
}
END_TEST

/* --- instances ---------------------------------------------------------------- */

static void add_history(struct gen *gen, unsigned buffer, unsigned nr)
{
	struct history history;
	unsigned i;

	history_init(&history, buffer + 1, 100, 2, 5000, 100);
	for (i = 0; i < nr; i++) {
		struct event ev;

		history_next(&history, &ev);
		gen_event(gen_cpu(gen, buffer, ev.cpu), &ev);
	}
	history_release(&history);
}

static void add_others(struct gen *gen, unsigned buffer, unsigned nr)
{
	uint8_t raw[12] = { gen_other_id(gen) };
	unsigned i;

	for (i = 0; i < nr; i++)
		gen_record(gen_cpu(gen, buffer, 0), 1000 + i, raw, sizeof(raw));
}

/* As folioscope record --stock makes it: the top buffer is empty. */
START_TEST(test_instance_without_lru_gen)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct readback rb;
	struct gen *gen;

	opts.version = _i;
	gen = gen_new(&opts);
	gen_buffer(gen, "one", "mono", 0, 0);
	gen_cpu(gen, 0, 0);
	add_others(gen, 1, 50);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.info->buffer, 1);
	ck_assert_uint_eq(rb.totals->nr_other, 50);
	readback_release(&rb);
}
END_TEST

START_TEST(test_instances)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts named = { .buffer = "two" }, top = { .buffer = "" };
	struct reader_opts wrong = { .buffer = "three" };
	const char *path = tmp_path();
	struct reader *reader;
	struct readback rb;
	struct diag diag;
	struct gen *gen;

	opts.version = _i;
	gen = gen_new(&opts);
	gen_buffer(gen, "one", "local", 0, 0);
	gen_buffer(gen, "two", "x86-tsc", 0, 0);
	/* more of it than is looked at first */
	add_others(gen, 0, 60000);
	add_history(gen, 1, 700);
	add_history(gen, 2, 300);
	gen_write(gen, path);
	gen_free(gen);

	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, 700);
	ck_assert_uint_eq(rb.info->nr_buffers, 3);
	ck_assert_uint_eq(rb.info->buffer, 1);
	ck_assert_str_eq(rb.info->clock, "local");
	ck_assert(rb.info->clock_is_ns);
	ck_assert(!rb.info->buffers[0].has_lru_gen);
	ck_assert(rb.info->buffers[1].has_lru_gen);
	ck_assert(rb.info->buffers[2].has_lru_gen);
	readback_release(&rb);

	readback_file(&rb, path, &named);
	ck_assert_uint_eq(rb.nr, 300);
	ck_assert_str_eq(rb.info->clock, "x86-tsc");
	ck_assert(!rb.info->clock_is_ns);
	readback_release(&rb);

	readback_file(&rb, path, &top);
	ck_assert_uint_eq(rb.nr, 0);
	ck_assert_uint_eq(rb.totals->nr_other, 60000);
	readback_release(&rb);

	ck_assert_int_eq(reader_open(&reader, path, &wrong, &diag),
			 -ERR_NO_SUCH_BUFFER);
	ck_assert_ptr_nonnull(strstr(diag.text, "'two'"));
}
END_TEST

/* lru_gen events only behind a long stretch without: still found. */
START_TEST(test_instance_late)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct gen *gen = gen_new(&opts);
	struct event ev = { .kind = EV_ADD, .ts_ns = 10000000 };
	struct readback rb;

	gen_buffer(gen, "one", "mono", 0, 0);
	add_others(gen, 0, 100);
	add_others(gen, 1, 200000);
	gen_event(gen_cpu(gen, 1, 0), &ev);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.info->buffer, 1);
	ck_assert_uint_eq(rb.nr, 1);
	readback_release(&rb);
}
END_TEST

/* An instance has sub-buffers of its own size, or a converter only says so. */
START_TEST(test_instance_page_size)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct gen *gen;
	struct readback rb;

	opts.codec = _i & 1 ? "none" : "zstd";
	gen = gen_new(&opts);
	gen_buffer(gen, "one", "mono", _i & 2 ? 16384 : 4096,
		   _i & 2 ? 16384 : 65536);
	add_history(gen, 1, 5000);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, 5000);
	ck_assert_uint_eq(rb.info->buffers[1].page_size_bytes,
			  _i & 2 ? 16384 : 4096);
	ck_assert_int_eq(!!readback_problem(&rb, ERR_CONTRADICTS_HEADER),
			 !(_i & 2));
	readback_release(&rb);
}
END_TEST

/* --- time ------------------------------------------------------------------------ */

static uint64_t read_time(const struct gen_opts *opts, uint64_t ts, unsigned cpu,
			  bool *is_bad)
{
	const char *path = tmp_path();
	struct gen *gen = gen_new(opts);
	struct event ev = { .kind = EV_ADD, .ts_ns = ts };
	struct readback rb;
	uint64_t ret;

	gen_event(gen_cpu(gen, 0, cpu), &ev);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, 1);
	ret = rb.events[0].ts_ns;
	*is_bad = rb.totals->nr_bad_time;
	ck_assert_int_eq(!!readback_problem(&rb, ERR_BAD_TIME), *is_bad);
	readback_release(&rb);
	return ret;
}

START_TEST(test_date_offset)
{
	static const struct {
		int64_t date_us, offset_ns;
		uint64_t ts, want;
		bool is_bad;
	} cases[] = {
		{ 0, 0, 5, 5, false },
		{ 1, 0, 5, 1005, false },
		{ 0, 7, 5, 12, false },
		{ 2, -7, 5, 1998, false },
		{ -2, 0, 5000, 3000, false },
		{ 0, -5, 5, 0, false },
		{ 0, -6, 5, 0, true },
		{ 0, 10, UINT64_MAX - 10, UINT64_MAX, false },
		{ 0, 11, UINT64_MAX - 10, 0, true },
		{ INT64_C(1700000000000000), 0, 1000000000,
		  UINT64_C(1700000001000000000), false },
	};
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gen_opts opts = GEN_OPTS_DEFAULT;
		bool is_bad;

		opts.has_date = opts.has_offset = true;
		opts.date_us = cases[i].date_us;
		opts.offset_ns = cases[i].offset_ns;
		opts.version = _i;
		ck_assert_uint_eq(read_time(&opts, cases[i].ts, 0, &is_bad),
				  cases[i].want);
		ck_assert_int_eq(is_bad, cases[i].is_bad);
	}
}
END_TEST

START_TEST(test_date_overflow)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	bool is_bad;

	/* the option alone does not fit: it is ignored, and that is said */
	opts.has_date = true;
	opts.date_us = INT64_MAX;
	ck_assert_uint_eq(read_time(&opts, 77, 0, &is_bad), 77);
}
END_TEST

START_TEST(test_tsc2nsec)
{
	static const struct {
		uint32_t mult, shift;
		uint64_t ts, want;
		bool is_bad;
	} cases[] = {
		{ 1, 0, 1000, 1000, false },
		{ 3, 1, 1001, 1501, false },
		{ 0xffffffff, 32, UINT64_MAX, UINT64_MAX - 0x100000000, false },
		{ 0xffffffff, 0, UINT64_C(1) << 33, 0, true },
	};
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gen_opts opts = GEN_OPTS_DEFAULT;
		bool is_bad;
		uint64_t got;

		opts.clock = "x86-tsc";
		opts.has_tsc2nsec = true;
		opts.tsc_mult = cases[i].mult;
		opts.tsc_shift = cases[i].shift;
		got = read_time(&opts, cases[i].ts, 0, &is_bad);
		ck_assert_int_eq(is_bad, cases[i].is_bad);
		if (cases[i].mult == 0xffffffff && cases[i].shift == 32)
			ck_assert_uint_eq(got, (uint64_t)
				((unsigned __int128)UINT64_MAX * 0xffffffff >> 32));
		else
			ck_assert_uint_eq(got, cases[i].want);
	}
}
END_TEST

START_TEST(test_time_shift)
{
	/* two CPUs with three samples each */
	static const struct gen_tsync samples[] = {
		{ 1000, 100, 1, 0 }, { 2000, 200, 1, 0 }, { 3000, -500, 1, 0 },
		{ 1000, -10, 4, 1 }, { 2000, 20, 4, 1 }, { 3000, 30, 4, 1 },
	};
	static const struct {
		unsigned nr, cpu;
		uint64_t ts, want;
	} cases[] = {
		{ 0, 0, 500, 500 },		/* no samples */
		{ 1, 0, 500, 600 },
		{ 2, 0, 500, 600 },
		{ 2, 0, 5000, 5100 },
		{ 3, 0, 500, 600 },
		{ 3, 0, 1500, 1600 },
		{ 3, 0, 2000, 2200 },
		{ 3, 0, 2500, 2700 },
		{ 3, 0, 3000, 3200 },		/* at and behind the last sample */
		{ 3, 0, 9000, 9200 },
		{ 3, 1, 1500, 2990 },		/* scaled by 4 / 2 */
		{ 3, 2, 1500, 1500 },		/* a CPU without samples */
	};
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gen_opts opts = GEN_OPTS_DEFAULT;
		bool is_bad;

		opts.tsync = samples;
		opts.nr_tsync = cases[i].nr;
		opts.nr_tsync_cpus = cases[i].nr == 3 ? 2 : 1;
		ck_assert_msg(read_time(&opts, cases[i].ts, cases[i].cpu, &is_bad) ==
			      cases[i].want, "case %u", i);
		ck_assert(!is_bad);
	}
}
END_TEST

/* Samples that go nowhere in time would divide by zero. */
START_TEST(test_time_shift_bad)
{
	static const struct gen_tsync samples[] = {
		{ 1000, 100, 1, 0 }, { 1000, 200, 1, 0 },
	};
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct gen *gen;
	struct event ev = { .kind = EV_ADD, .ts_ns = 7 };
	struct readback rb;

	opts.tsync = samples;
	opts.nr_tsync = 2;
	opts.nr_tsync_cpus = 1;
	gen = gen_new(&opts);
	gen_event(gen_cpu(gen, 0, 0), &ev);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.events[0].ts_ns, 7);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_OPTION));
	readback_release(&rb);
}
END_TEST

START_TEST(test_time_records)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	uint64_t times[] = {
		1000, 1000, (1u << 27) + 5000, UINT64_C(1) << 45,
		(UINT64_C(1) << 58) + 3, (UINT64_C(1) << 58) + 3,
	};
	struct gen *gen;
	struct readback rb;
	unsigned i;

	opts.big_endian = _i & 1;
	opts.kernel_long_bytes = _i & 2 ? 4 : 8;
	gen = gen_new(&opts);
	for (i = 0; i < 6; i++) {
		struct event ev = { .kind = EV_ADD, .ts_ns = times[i] };

		if (i == 4)
			gen_timestamp(gen_cpu(gen, 0, 0), times[i]);
		gen_discarded(gen_cpu(gen, 0, 0), times[i] - 1, 20);
		gen_event(gen_cpu(gen, 0, 0), &ev);
	}
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 6);
	for (i = 0; i < 6; i++)
		ck_assert_uint_eq(rb.events[i].ts_ns, times[i]);
	ck_assert_uint_eq(rb.totals->nr_discarded, 6);
	readback_release(&rb);
}
END_TEST

/* --- losses --------------------------------------------------------------------- */

START_TEST(test_lost)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts reader_opts = { .nr_threads = _i & 4 ? 3 : 1 };
	const char *path = tmp_path();
	const struct event *ev;
	struct gen *gen;
	struct readback rb;

	opts.big_endian = _i & 1;
	opts.codec = _i & 2 ? "none" : "zstd";
	opts.chunk_pages = 1;		/* losses at the border of chunks */
	gen = gen_new(&opts);
	gen_lost(gen_cpu(gen, 0, 1), 5);	/* before the first event */
	add_event(gen, 1, 300);
	gen_lost(gen_cpu(gen, 0, 1), -1);
	add_event(gen, 1, 500);
	add_event(gen, 0, 100);
	add_event(gen, 0, 200);
	gen_lost(gen_cpu(gen, 0, 0), 1000);
	add_event(gen, 0, 400);
	gen_stat(gen_cpu(gen, 0, 0), 3, 4);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, &reader_opts);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr, 8);
	ev = rb.events;
	/* what CPU 1 lost before it began comes before everything, or with the
	 * first event; then each loss where it begins
	 */
	ck_assert_uint_eq(ev[0].kind == EV_LOST ? ev[0].cpu : ev[1].cpu, 1);
	ev = ev[0].kind == EV_LOST ? &ev[0] : &ev[1];
	ck_assert_int_eq(ev->kind, EV_LOST);
	ck_assert_uint_eq(ev->ts_ns, 100);
	ck_assert_uint_eq(ev->u.lost.from_ts_ns, 0);
	ck_assert_uint_eq(ev->u.lost.to_ts_ns, 300);
	ck_assert_int_eq(ev->u.lost.nr_lost, 5);

	ev = rb.events;
	ck_assert_uint_eq(ev[2].ts_ns, 200);
	ck_assert_int_eq(ev[2].kind, EV_ADD);
	ck_assert_int_eq(ev[3].kind, EV_LOST);
	ck_assert_uint_eq(ev[3].cpu, 0);
	ck_assert_uint_eq(ev[3].ts_ns, 200);
	ck_assert_uint_eq(ev[3].u.lost.from_ts_ns, 200);
	ck_assert_uint_eq(ev[3].u.lost.to_ts_ns, 400);
	ck_assert_int_eq(ev[3].u.lost.nr_lost, 1000);
	ck_assert_uint_eq(ev[4].ts_ns, 300);
	ck_assert_int_eq(ev[5].kind, EV_LOST);
	ck_assert_uint_eq(ev[5].u.lost.from_ts_ns, 300);
	ck_assert_uint_eq(ev[5].u.lost.to_ts_ns, 500);
	ck_assert_int_eq(ev[5].u.lost.nr_lost, EV_LOST_UNKNOWN);
	ck_assert_uint_eq(rb.totals->nr_lost, 1005);
	ck_assert_uint_eq(rb.totals->nr_lost_unknown, 1);
	ck_assert_uint_eq(rb.totals->cpus[0].nr_lost, 1000);
	ck_assert_uint_eq(rb.totals->cpus[1].nr_lost, 5);
	ck_assert_uint_eq(rb.totals->cpus[1].nr_lost_unknown, 1);
	ck_assert_uint_eq(rb.totals->nr_by_kind[EV_LOST], 3);
	ck_assert_uint_eq(rb.info->cpu_stats[0].nr_overrun, 3);
	ck_assert_uint_eq(rb.info->cpu_stats[0].nr_dropped, 4);
	readback_release(&rb);
}
END_TEST

/* The first record is a time extend: libtracecmd does not see this loss. */
START_TEST(test_lost_time_extend)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct gen *gen = gen_new(&opts);
	struct gen_cpu *cpu = gen_cpu(gen, 0, 0);
	struct readback rb;

	add_event(gen, 0, 100);
	gen_lost(cpu, 9);
	if (_i) {
		gen_timestamp(cpu, 200);
	} else {
		gen_word(cpu, 30);
		gen_word(cpu, 0);
	}
	add_event(gen, 0, 300);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr_lost_items, 1);
	ck_assert_uint_eq(rb.totals->nr_lost, 9);
	ck_assert_int_eq(rb.events[1].kind, EV_LOST);
	readback_release(&rb);
}
END_TEST

/* A loss is told even if its page has no record, or none that we decode. */
START_TEST(test_lost_empty_page)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	uint8_t page[4096] = { 0 };
	struct gen *gen = gen_new(&opts);
	struct readback rb;

	add_event(gen, 0, 100);
	page[0] = 200;
	page[11] = 0x80;		/* bit 31 of commit, size 0 */
	gen_pages(gen_cpu(gen, 0, 0), page, 1);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 2);
	ck_assert_int_eq(rb.events[1].kind, EV_LOST);
	/* nothing follows that was not lost */
	ck_assert_uint_eq(rb.events[1].u.lost.to_ts_ns, EV_TS_END);
	readback_release(&rb);
}
END_TEST

START_TEST(test_zero_tail)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	uint8_t page[4096] = { 0 };
	struct readback rb;
	struct gen *gen;

	opts.codec = "none";
	gen = gen_new(&opts);
	page[0] = 100;
	page[8] = 0xf0;			/* commit 4080: all of it */
	page[9] = 0x0f;
	gen_pages(gen_cpu(gen, 0, 0), page, 1);
	add_event(gen, 0, 200);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 2);
	ck_assert_int_eq(rb.events[0].kind, EV_GAP);
	ck_assert_uint_eq(rb.events[0].u.gap.from_ts_ns, 0);
	ck_assert_uint_eq(rb.events[0].u.gap.to_ts_ns, 200);
	ck_assert_uint_eq(rb.events[0].u.gap.size_bytes, 4080);
	ck_assert_ptr_nonnull(strstr(readback_problem(&rb, ERR_BAD_PAGE)->text,
				     "covers zeros"));
	readback_release(&rb);
}
END_TEST

/* --- damage in the data ------------------------------------------------------------- */

/* Pages of nonsense at every place of a CPU's data. */
START_TEST(test_bad_pages)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts reader_opts = { .nr_threads = _i & 2 ? 3 : 1 };
	const char *path = tmp_path();
	uint8_t bad[3 * 4096];
	const struct event *ev;
	struct gen *gen;
	struct gen_cpu *cpu;
	struct readback rb;

	memset(bad, 0x5a, sizeof(bad));
	opts.codec = _i & 1 ? "none" : "zstd";
	opts.chunk_pages = 2;
	gen = gen_new(&opts);
	cpu = gen_cpu(gen, 0, 0);
	add_event(gen, 1, 50);
	gen_pages(cpu, bad, 1);			/* before the first event */
	add_event(gen, 0, 100);
	gen_pages(cpu, bad, 3);			/* across chunks */
	add_event(gen, 0, 200);
	gen_pages(cpu, bad, 2);			/* at the end */
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, &reader_opts);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr_gap_items, 3);
	ck_assert_uint_eq(rb.nr, 6);
	ck_assert_uint_eq(rb.totals->nr_gaps, 3);
	if (_i & 1) {
		ck_assert_uint_eq(rb.totals->gap_bytes, 6 * 4096);
	} else {
		/* shares of compressed chunks, and no more than these are in the file */
		ck_assert_uint_ge(rb.totals->gap_bytes, 3);
		ck_assert_uint_le(rb.totals->gap_bytes, rb.info->data_bytes);
		ck_assert_uint_lt(rb.totals->gap_bytes, 4096);
		ck_assert_ptr_nonnull(strstr(readback_problem(&rb, ERR_BAD_PAGE)->text,
					     "bytes are its share"));
	}
	ck_assert_uint_eq(rb.totals->cpus[0].nr_gaps, 3);
	ck_assert_uint_eq(rb.totals->cpus[1].nr_gaps, 0);

	ev = rb.events[0].kind == EV_GAP ? &rb.events[0] : &rb.events[1];
	ck_assert_int_eq(ev->kind, EV_GAP);
	ck_assert_uint_eq(ev->ts_ns, 50);
	ck_assert_uint_eq(ev->u.gap.from_ts_ns, 0);
	ck_assert_uint_eq(ev->u.gap.to_ts_ns, 100);
	if (_i & 1)
		ck_assert_uint_eq(ev->u.gap.size_bytes, 4096);
	ck_assert_uint_eq(ev->u.gap.cause, ERR_BAD_PAGE);
	ev = &rb.events[3];
	ck_assert_int_eq(ev->kind, EV_GAP);
	ck_assert_uint_eq(ev->ts_ns, 100);
	ck_assert_uint_eq(ev->u.gap.from_ts_ns, 100);
	ck_assert_uint_eq(ev->u.gap.to_ts_ns, 200);
	if (_i & 1)
		ck_assert_uint_eq(ev->u.gap.size_bytes, 3 * 4096);
	ck_assert_uint_gt(ev->u.gap.offset_bytes, 0);
	ev = &rb.events[5];
	ck_assert_int_eq(ev->kind, EV_GAP);
	ck_assert_uint_eq(ev->u.gap.from_ts_ns, 200);
	ck_assert_uint_eq(ev->u.gap.to_ts_ns, EV_TS_END);
	if (_i & 1)
		ck_assert_uint_eq(ev->u.gap.size_bytes, 2 * 4096);

	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_PAGE));
	ck_assert_int_eq(readback_problem(&rb, ERR_BAD_PAGE)->cpu, 0);
	readback_release(&rb);
}
END_TEST

/* All of a CPU is nonsense, with another CPU intact, or none. */
START_TEST(test_only_bad_pages)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	uint8_t bad[4096];
	struct gen *gen = gen_new(&opts);
	struct readback rb;

	memset(bad, 0xff, sizeof(bad));
	gen_pages(gen_cpu(gen, 0, 0), bad, 1);
	if (_i)
		add_event(gen, 3, 10);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 1 + _i);
	ck_assert_uint_eq(rb.nr_gap_items, 1);
	readback_release(&rb);
}
END_TEST

static void damaged_truth(struct truth *truth, const char *codec, bool big_endian)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;

	opts.codec = codec;
	opts.big_endian = big_endian;
	truth_make(truth, &opts, 20000, 2, 1);
}

static void chunk_place(const struct truth *truth, unsigned cpu, unsigned chunk,
			uint64_t *head, uint32_t *nr_chunks)
{
	const uint64_t *offsets;
	uint64_t offset, size;

	gen_cpu_place(gen_cpu(truth->gen, 0, cpu), &offset, &size, nr_chunks,
		      &offsets);
	ck_assert_uint_lt(chunk, *nr_chunks);
	*head = offsets[chunk];
}

/* Bytes inside one compressed chunk: that chunk is a gap, at most. */
START_TEST(test_bytes_flipped)
{
	struct truth truth;
	struct readback rb;
	uint64_t head, at;
	uint32_t nr_chunks;
	unsigned nr_gaps = 0, round;

	damaged_truth(&truth, _i & 1 ? "zlib" : "zstd", false);
	for (round = 0; round < 30; round++) {
		uint8_t saved[4], flipped[4];
		FILE *file;
		unsigned i;

		chunk_place(&truth, 1, 3, &head, &nr_chunks);
		at = head + 8 + 5 + round * 97;
		file = fopen(truth.path, "rb");
		ck_assert(!fseek(file, at, SEEK_SET) &&
			  fread(saved, 1, 4, file) == 4);
		fclose(file);
		for (i = 0; i < 4; i++)
			flipped[i] = ~saved[i];
		file_patch(truth.path, at, flipped, 4);
		readback_file(&rb, truth.path, NULL);
		ck_assert_msg(!rb.err, "%s", rb.diag.text);
		/* zstd has no checksum: what passes the checks of structure
		 * cannot be told from good data, but nothing else is touched
		 */
		ck_assert_uint_ge(rb.nr, truth.nr - 1200);
		nr_gaps += rb.nr_gap_items;
		readback_release(&rb);
		file_patch(truth.path, at, saved, 4);
	}
	ck_assert_uint_gt(nr_gaps, _i & 1 ? 29 : 10);
	readback_file(&rb, truth.path, NULL);
	assert_all_equal(&truth, &rb);
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/* Impossible sizes in the head of a chunk: @word 0 zsize, 1 usize. */
static const struct {
	unsigned word;
	uint32_t value;
} bad_heads[] = {
	{ 0, 0 }, { 0, 1 }, { 0, 0xffffffff }, { 0, 0x7fffffff }, { 0, 3000 },
	{ 0, 20000 }, { 1, 0 }, { 1, 4096 }, { 1, 36864 }, { 1, 45056 },
	{ 1, 0xffffffff }, { 1, 0x80000000 }, { 1, 40961 }, { 1, 0xfffff000 },
	{ 1, 1 << 24 },
};
#define NR_BAD_HEADS (sizeof(bad_heads) / sizeof(bad_heads[0]))

START_TEST(test_chunk_sizes)
{
	static const char *const codecs[] = { "zstd", "zlib" };
	unsigned c, chunk;

	for (c = 0; c < 2; c++) {
		struct truth truth;
		uint32_t nr_chunks;

		damaged_truth(&truth, codecs[c], false);
		for (chunk = 0; chunk < 12; chunk += 5) {
			uint8_t *good, raw[4];
			uint64_t head;
			struct readback rb;
			unsigned nr_missing, i;
			size_t len;

			chunk_place(&truth, 0, chunk, &head, &nr_chunks);
			good = file_load(truth.path, &len);
			for (i = 0; i < 4; i++)
				raw[i] = bad_heads[_i].value >> 8 * i;
			file_patch(truth.path, head + 4 * bad_heads[_i].word,
				   raw, 4);
			readback_file(&rb, truth.path, NULL);
			nr_missing = assert_only_gaps(&truth, &rb);
			/* one chunk of about 860 events and no more */
			ck_assert_msg(nr_missing > 0 && nr_missing < 1000,
				      "%s chunk %u: %u events missing", codecs[c],
				      chunk, nr_missing);
			ck_assert_uint_ge(rb.nr_gap_items, 1);
			readback_release(&rb);
			file_store(truth.path, good, len);
			free(good);
		}
		truth_release(&truth);
	}
}
END_TEST

static const uint32_t bad_counts[] = { 0, 0xffffffff, 0x7fffffff };

START_TEST(test_nr_chunks)
{
	struct truth truth;
	struct readback rb;
	uint64_t head;
	uint32_t nr_chunks;

	damaged_truth(&truth, "zstd", false);
	chunk_place(&truth, _i & 1, 0, &head, &nr_chunks);
	file_patch(truth.path, head - 4, &bad_counts[_i / 2], 4);
	readback_file(&rb, truth.path, NULL);
	/* the chain of chunks itself is intact */
	ck_assert_uint_eq(assert_only_gaps(&truth, &rb), 0);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_CHUNK_COUNT));
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/* Too large a count runs into what follows, which is no chunk. */
START_TEST(test_nr_chunks_off_by_some)
{
	struct truth truth;
	struct readback rb;
	uint64_t head;
	uint32_t nr_chunks, wrong;

	damaged_truth(&truth, "zstd", false);
	chunk_place(&truth, _i, 0, &head, &nr_chunks);
	wrong = nr_chunks + 5;
	file_patch(truth.path, head - 4, &wrong, 4);
	readback_file(&rb, truth.path, NULL);
	ck_assert_uint_eq(assert_only_gaps(&truth, &rb), 0);
	ck_assert_uint_ge(rb.nr_gap_items, 1);
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/*
 * Too small a count: what the size or another chunk says of the end counts, with
 * either size that writers state, and with none.
 */
START_TEST(test_nr_chunks_too_small)
{
	static const unsigned quirks[] = { 0, GEN_SIZE_EXACT, GEN_SIZE_ZERO };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct truth truth;
	struct readback rb;
	uint64_t head;
	uint32_t nr_chunks, wrong;

	opts.quirks = quirks[_i / 4];
	truth_make(&truth, &opts, 20000, 2, 1);
	chunk_place(&truth, _i & 1, 0, &head, &nr_chunks);
	wrong = _i & 2 ? nr_chunks / 2 : nr_chunks - 1;
	file_patch(truth.path, head - 4, &wrong, 4);
	readback_file(&rb, truth.path, NULL);
	ck_assert_uint_eq(assert_only_gaps(&truth, &rb), 0);
	/* with neither count nor size, nothing says that it ends where it does */
	ck_assert_uint_eq(rb.nr_gap_items, _i < 8 ? 1 : 2);
	ck_assert_int_eq(readback_problem(&rb, ERR_BAD_CHUNK_COUNT)->cpu, _i & 1);
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/* Too small a count, and what follows is no chunk: the rest is a gap. */
START_TEST(test_nr_chunks_and_head)
{
	struct truth truth;
	struct readback rb;
	uint64_t head, next;
	uint32_t nr_chunks, wrong = 5;

	damaged_truth(&truth, "zstd", false);
	chunk_place(&truth, 0, 0, &head, &nr_chunks);
	file_patch(truth.path, head - 4, &wrong, 4);
	chunk_place(&truth, 0, 5, &next, &nr_chunks);
	file_patch(truth.path, next, "\0\0\0\0\0\0\0", 8);
	readback_file(&rb, truth.path, NULL);
	ck_assert_uint_gt(assert_only_gaps(&truth, &rb), 500);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_BAD_CHUNK_COUNT));
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/* A page in the middle of a file of pages. */
static const struct {
	const char *name;
	unsigned at;
	uint8_t bytes[8];
	unsigned len;
} page_damages[] = {
	{ "commit beyond the page", 8, { 0xff, 0xff, 0xff, 0x03 }, 4 },
	{ "commit one too large", 8, { 0xf1, 0x0f }, 2 },
	{ "length of a record", 16, { 0x00, 0, 0, 0, 0xfc, 0xff, 0xff, 0xff }, 8 },
	{ "length of padding", 16, { 0x3d, 0, 0, 0, 0xfc, 0xff, 0xff, 0xff }, 8 },
	{ "empty", 8, { 0, 0, 0, 0, 0, 0, 0, 0 }, 8 },
	{ "record of length 0", 16, { 0x20, 0, 0, 0, 0, 0, 0, 0 }, 8 },
};
#define NR_PAGE_DAMAGES (sizeof(page_damages) / sizeof(page_damages[0]))

START_TEST(test_page_damage)
{
	struct truth truth;
	struct readback rb;
	uint64_t page;
	uint32_t nr_pages;
	unsigned nr_missing;

	damaged_truth(&truth, "none", false);
	chunk_place(&truth, 0, 20, &page, &nr_pages);
	file_patch(truth.path, page + page_damages[_i].at, page_damages[_i].bytes,
		   page_damages[_i].len);
	readback_file(&rb, truth.path, NULL);
	nr_missing = assert_only_gaps(&truth, &rb);
	ck_assert_uint_gt(nr_missing, 50);
	ck_assert_uint_lt(nr_missing, 120);
	ck_assert_uint_eq(rb.nr_gap_items, 1);
	ck_assert_uint_eq(rb.totals->gap_bytes, 4096);
	ck_assert_uint_eq(readback_problem(&rb, ERR_BAD_PAGE)->offset_bytes, page);
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/* --- files cut short ------------------------------------------------------------------ */

/* Without compression the table comes last too in v7, but first in v6. */
START_TEST(test_v6_cut)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct truth truth;
	struct readback rb;
	uint64_t page;
	uint32_t nr_pages;
	unsigned nr_missing;

	opts.version = 6;
	truth_make(&truth, &opts, 20000, 2, 1);
	chunk_place(&truth, 1, 30, &page, &nr_pages);
	file_truncate(truth.path, page + 1000);
	readback_file(&rb, truth.path, NULL);
	nr_missing = assert_only_gaps(&truth, &rb);
	ck_assert_uint_gt(nr_missing, 1000);
	ck_assert_uint_eq(rb.nr_gap_items, 1);
	ck_assert(!rb.totals->cpus[0].is_truncated);
	ck_assert(rb.totals->cpus[1].is_truncated);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_CPU_TRUNCATED));
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/* @cut 0: the writer was killed before it wrote the table */
static const struct {
	const char *codec;
	uint32_t cut;
	unsigned max_missing;
} cuts[] = {
	{ "zstd", 0, 0 }, { "zlib", 0, 0 }, { "none", 0, 0 },
	{ "zstd", 300, 1000 }, { "zlib", 300, 1000 }, { "none", 300, 200 },
	{ "zstd", 20000, 3000 }, { "zlib", 20000, 4000 }, { "none", 20000, 600 },
	{ "zstd", 60000, 12000 }, { "none", 500000, 11000 },
};
#define NR_CUTS (sizeof(cuts) / sizeof(cuts[0]))

START_TEST(test_salvage)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts salvage = { .salvage = true };
	struct truth truth;
	struct readback rb;
	struct reader *reader;
	struct diag diag;
	size_t len;
	int err;

	opts.codec = cuts[_i].codec;
	if (!cuts[_i].cut)
		opts.quirks = GEN_NO_BUFFER;
	truth_make(&truth, &opts, 20000, 2, 1);
	free(file_load(truth.path, &len));
	file_truncate(truth.path, len - cuts[_i].cut);
	err = reader_open(&reader, truth.path, NULL, &diag);
	ck_assert_msg(err == -ERR_NO_BUFFER || err == -ERR_TRUNCATED, "%s",
		      err_name(err));
	ck_assert_ptr_nonnull(strstr(diag.text, "cut short"));
	ck_assert_ptr_nonnull(strstr(diag.text, "--salvage"));

	readback_file(&rb, truth.path, &salvage);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert(rb.info->salvaged);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_SALVAGED));
	ck_assert_uint_le(rb.nr, truth.nr + rb.nr_gap_items);
	ck_assert_msg(rb.nr - rb.nr_gap_items + cuts[_i].max_missing >= truth.nr,
		      "%s cut by %u: %u events", cuts[_i].codec, cuts[_i].cut,
		      rb.nr - rb.nr_gap_items);
	if (!cuts[_i].max_missing) {
		/* the CPUs are numbered as they come in the file: as they were */
		ck_assert_uint_eq(rb.info->buffers[0].nr_cpus, 2);
		/* that sub-buffers are all there, nothing says */
		ck_assert_uint_eq(rb.nr_gap_items, !strcmp(cuts[_i].codec, "none"));
		ck_assert_uint_eq(rb.nr, truth.nr + rb.nr_gap_items);
		ck_assert_uint_eq(assert_only_gaps(&truth, &rb), 0);
	}
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/*
 * Cut in the first CPU's data, or whatever there was of others: all events are in doubt,
 * unless it is known that there was no other CPU.
 */
START_TEST(test_salvage_lost_cpu)
{
	static const char *const codecs[] = { "zstd", "none" };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts salvage = { .salvage = true };
	unsigned nr_cpus = _i & 2 ? 1 : 2, i;
	bool is_in_doubt = false;
	struct truth truth;
	struct readback rb;
	uint64_t chunk;
	uint32_t nr_chunks;

	opts.codec = codecs[_i & 1];
	truth_make(&truth, &opts, 20000, nr_cpus, 1);
	chunk_place(&truth, 0, 8, &chunk, &nr_chunks);
	file_truncate(truth.path, chunk + 100);
	readback_file(&rb, truth.path, &salvage);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	for (i = 0; i < rb.nr; i++)
		is_in_doubt |= rb.events[i].kind == EV_GAP && !rb.events[i].u.gap.from_ts_ns &&
			       rb.events[i].u.gap.to_ts_ns == EV_TS_END;
	ck_assert_int_eq(is_in_doubt, nr_cpus > 1);
	ck_assert_uint_eq(rb.nr_gap_items, nr_cpus);
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_CPU_TRUNCATED));
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/*
 * Two CPUs in each of two instances, cut so that some of the four are left. Three are of
 * two instances for sure, and one CPU is missing; two may be all there was.
 */
START_TEST(test_salvage_instances)
{
	static const struct {
		unsigned nr_left;
		bool is_in_doubt;
		const char *text;
	} cases[] = {
		{ 4, false, "unless there was one more instance" },
		{ 3, true, "3 pieces of data for 2 CPUs are of several instances" },
		{ 2, false, "unless there was one more instance" },
		{ 1, true, "data of 1 of 2 CPUs was found" },
	};
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts salvage = { .salvage = true };
	const char *path = tmp_path();
	unsigned nr_told = 0, buffer, cpu, i;
	bool is_in_doubt = false;
	struct readback rb;
	struct gen *gen;

	opts.quirks = GEN_NO_BUFFER;
	opts.cpu_count = 2;
	gen = gen_new(&opts);
	gen_buffer(gen, "a", "mono", 0, 0);
	for (buffer = 0; buffer < 2; buffer++)
		for (cpu = 0; cpu < 2 && buffer * 2 + cpu < cases[_i].nr_left; cpu++)
			for (i = 1; i < 100; i++) {
				struct event ev = {
					.kind = EV_ADD, .ts_ns = i * 1000 + buffer * 2 + cpu, .pid = 1,
				};

				gen_event(gen_cpu(gen, buffer, cpu), &ev);
			}
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, &salvage);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.nr - rb.nr_gap_items, 99 * cases[_i].nr_left);
	for (i = 0; i < rb.nr; i++)
		is_in_doubt |= rb.events[i].kind == EV_GAP && !rb.events[i].u.gap.from_ts_ns &&
			       rb.events[i].u.gap.to_ts_ns == EV_TS_END;
	ck_assert_int_eq(is_in_doubt, cases[_i].is_in_doubt);
	for (i = 0; i < rb.nr_problems; i++)
		nr_told += strstr(rb.problems[i].text, cases[_i].text) != NULL;
	ck_assert_uint_eq(nr_told, 1);
	readback_release(&rb);
}
END_TEST

/*
 * The list that names the second instance is cut off, that of the first is not: what lies
 * behind the data of the first is found, once, whatever sizes are stated.
 */
START_TEST(test_salvage_last_instance)
{
	static const unsigned quirks[] = { 0, GEN_SIZE_ZERO, GEN_SIZE_EXACT };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts salvage = { .salvage = true };
	const char *path = tmp_path();
	unsigned buffer, cpu, i;
	struct readback rb;
	struct gen *gen;
	size_t len;

	opts.codec = _i & 1 ? "none" : "zstd";
	opts.quirks = GEN_MANY_OPTIONS | (_i & 1 ? 0 : quirks[_i / 2]);
	opts.cpu_count = 2;
	gen = gen_new(&opts);
	gen_buffer(gen, "a", "mono", 0, 0);
	for (buffer = 0; buffer < 2; buffer++)
		for (cpu = 0; cpu < 2; cpu++)
			for (i = 1; i < 100; i++) {
				/* the first instance has events of no use */
				struct event ev = {
					.kind = buffer ? EV_ADD : EV_MARKER,
					.ts_ns = i * 1000 + cpu, .pid = 1,
				};

				if (!buffer)
					ev.u.marker.text = "nothing";
				gen_event(gen_cpu(gen, buffer, cpu), &ev);
			}
	gen_write(gen, path);
	gen_free(gen);
	free(file_load(path, &len));
	file_truncate(path, len - 60);	/* the last list is longer */
	readback_file(&rb, path, &salvage);
	ck_assert_msg(!rb.err, "%s", rb.diag.text);
	ck_assert_uint_eq(rb.info->nr_buffers, 2);
	ck_assert_str_eq(rb.info->buffers[1].name, "salvaged");
	ck_assert_uint_eq(rb.info->buffer, 1);
	ck_assert_uint_eq(rb.nr - rb.nr_gap_items, 2 * 99);
	readback_release(&rb);
}
END_TEST

/* A good file read with --salvage is read as ever. */
START_TEST(test_salvage_good)
{
	struct reader_opts salvage = { .salvage = true };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct truth truth;
	struct readback rb;

	truth_make(&truth, &opts, 5000, 2, 1);
	readback_file(&rb, truth.path, &salvage);
	assert_all_equal(&truth, &rb);
	ck_assert(!rb.info->salvaged);
	readback_release(&rb);
	truth_release(&truth);
}
END_TEST

/* Any byte of a small file changed: it ends soon, and claims no good read of
 * more than was written.
 */
START_TEST(test_mutations)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct truth truth;
	uint8_t *data;
	size_t len, at;
	unsigned m = 0;

	opts.codec = _i & 1 ? "none" : "zstd";
	opts.version = _i & 2 ? 6 : 7;
	opts.chunk_pages = 2;
	truth_make(&truth, &opts, 600, 2, 1);
	data = file_load(truth.path, &len);
	for (at = 0; at < len; at += 31) {
		struct reader_opts reader_opts = {
			.nr_threads = 1, .salvage = at & 1,
			.tolerate_formats = true,
		};
		uint8_t byte = data[at] ^ masks[m++ % 3];
		struct readback rb;

		file_patch(truth.path, at, &byte, 1);
		readback_file(&rb, truth.path, &reader_opts);
		if (rb.err < 0)
			ck_assert_uint_gt(strlen(rb.diag.text), 10);
		/* a page of 8-byte records would hold 510 */
		ck_assert_uint_le(rb.nr, truth.nr + 1200);
		readback_release(&rb);
		file_patch(truth.path, at, &data[at], 1);
	}
	free(data);
	truth_release(&truth);
}
END_TEST

/* --- size ------------------------------------------------------------------------- */

/* Offsets beyond 4 GiB: the data of CPU 0 moved behind a hole. */
START_TEST(test_beyond_4g)
{
	const uint64_t moved = UINT64_C(5) << 30;
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct truth truth;
	struct readback rb;
	uint64_t offset, size;
	uint32_t nr_chunks;
	uint8_t *data, raw[8];
	size_t len;
	unsigned i;

	opts.codec = _i ? "none" : "zstd";
	truth_make(&truth, &opts, 5000, 2, 1);
	data = file_load(truth.path, &len);
	gen_cpu_place(gen_cpu(truth.gen, 0, 0), &offset, &size, &nr_chunks, NULL);
	file_patch(truth.path, moved, data + offset, size + 4);
	for (i = 0; i < 8; i++)
		raw[i] = moved >> 8 * i;
	file_patch(truth.path, gen_get_map(truth.gen)->cpu_table + 4, raw, 8);
	readback_file(&rb, truth.path, NULL);
	assert_all_equal(&truth, &rb);
	ck_assert_uint_eq(rb.info->buffers[0].cpus[0].offset_bytes, moved);
	readback_release(&rb);
	free(data);
	truth_release(&truth);
}
END_TEST

START_TEST(test_problem_list)
{
	struct problem_list list = { 0 };
	struct reader_problem problem = { .err = ERR_BAD_PAGE, .size_bytes = 10 };
	unsigned i;

	for (i = 0; i < 1000; i++) {
		problem.cpu = i % 2;
		problem_add(&list, &problem);
	}
	ck_assert_uint_eq(list.nr, 2 * PROBLEM_PER_CAUSE);
	ck_assert_uint_eq(list.nr_total, 1000);
	ck_assert_uint_eq(list.items[list.nr - 1].nr, 1 + 500 - PROBLEM_PER_CAUSE);
	ck_assert_uint_eq(list.items[list.nr - 1].size_bytes,
			  10 * (1 + 500 - PROBLEM_PER_CAUSE));
	for (i = 0; i < 10000; i++) {
		problem.cpu = i;
		problem_add(&list, &problem);
	}
	ck_assert_uint_eq(list.nr, PROBLEM_MAX);
	problem_release(&list);
}
END_TEST

Suite *reader_suite(void)
{
	Suite *suite = suite_create("reader");
	TCase *tc = tcase_create("shapes");

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, test_shape, 0, NR_SHAPES);
	tcase_add_loop_test(tc, test_next, 0, 4);
	tcase_add_test(tc, test_merge);
	tcase_add_test(tc, test_order);
	tcase_add_loop_test(tc, test_beyond_4g, 0, 2);
	suite_add_tcase(suite, tc);

	tc = tcase_create("disorder");
	tcase_add_loop_test(tc, test_disorder, 0, NR_DISORDERS);
	tcase_add_loop_test(tc, test_disorder_inside, 0, 2);
	suite_add_tcase(suite, tc);

	tc = tcase_create("instances");
	tcase_add_loop_test(tc, test_instances, 6, 8);
	tcase_add_loop_test(tc, test_instance_without_lru_gen, 6, 8);
	tcase_add_test(tc, test_instance_late);
	tcase_add_loop_test(tc, test_instance_page_size, 0, 4);
	suite_add_tcase(suite, tc);

	tc = tcase_create("time");
	tcase_add_loop_test(tc, test_date_offset, 6, 8);
	tcase_add_test(tc, test_date_overflow);
	tcase_add_test(tc, test_tsc2nsec);
	tcase_add_test(tc, test_time_shift);
	tcase_add_test(tc, test_time_shift_bad);
	tcase_add_loop_test(tc, test_time_records, 0, 4);
	suite_add_tcase(suite, tc);

	tc = tcase_create("losses");
	tcase_add_loop_test(tc, test_lost, 0, 8);
	tcase_add_loop_test(tc, test_lost_time_extend, 0, 2);
	tcase_add_test(tc, test_lost_empty_page);
	tcase_add_test(tc, test_zero_tail);
	suite_add_tcase(suite, tc);

	tc = tcase_create("damage");
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, test_bad_pages, 0, 4);
	tcase_add_loop_test(tc, test_only_bad_pages, 0, 2);
	tcase_add_loop_test(tc, test_bytes_flipped, 0, 2);
	tcase_add_loop_test(tc, test_chunk_sizes, 0, NR_BAD_HEADS);
	tcase_add_loop_test(tc, test_nr_chunks, 0, 6);
	tcase_add_loop_test(tc, test_nr_chunks_off_by_some, 0, 2);
	tcase_add_loop_test(tc, test_nr_chunks_too_small, 0, 12);
	tcase_add_test(tc, test_nr_chunks_and_head);
	tcase_add_loop_test(tc, test_page_damage, 0, NR_PAGE_DAMAGES);
	tcase_add_loop_test(tc, test_mutations, 0, 3);
	tcase_add_test(tc, test_problem_list);
	suite_add_tcase(suite, tc);

	tc = tcase_create("cut short");
	tcase_add_test(tc, test_v6_cut);
	tcase_add_loop_test(tc, test_salvage, 0, NR_CUTS);
	tcase_add_loop_test(tc, test_salvage_lost_cpu, 0, 4);
	tcase_add_loop_test(tc, test_salvage_instances, 0, 4);
	tcase_add_loop_test(tc, test_salvage_last_instance, 0, 6);
	tcase_add_test(tc, test_salvage_good);
	suite_add_tcase(suite, tc);
	return suite;
}
