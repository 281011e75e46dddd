// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: records of any bytes in a page become events of a known kind within
 * the bounds of the record, or are counted as bad, and the same each time. The
 * formats are those of the generator, in the shapes below (low bits of the first
 * byte of the input); bit 7 sets the length in the page's header right, which a
 * fuzzer seldom guesses.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* memfd_create() */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/decode.h"
#include "fuzz.h"
#include "tests/sim/gen.h"

#define DECODE_PAGE_BYTES 1024

static const struct {
	bool big_endian;
	unsigned long_bytes, quirks;
} shapes[] = {
	{ false, 8, 0 },
	{ true, 4, 0 },
	{ false, 4, GEN_WIDE_FIELDS | GEN_EXTRA_FIELDS },
	{ true, 8, GEN_REVERSED_FIELDS },
};

#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static struct decode_target {
	struct container container;
	struct decoder decoder;
	struct decode_chunk first, again;
	bool is_ready;
} decode_targets[NR_SHAPES];

/* The formats of shape @i, read from a file of the generator. Made once. */
static struct decode_target *decode_target(unsigned i)
{
	struct decode_target *target = &decode_targets[i];
	struct problem_list problems = { 0 };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct diag diag = { 0 };
	struct gen *gen;
	char path[64];
	int fd;

	if (target->is_ready)
		return target;
	opts.codec = "none";
	opts.big_endian = shapes[i].big_endian;
	opts.user_long_bytes = opts.kernel_long_bytes = shapes[i].long_bytes;
	opts.quirks = shapes[i].quirks;
	opts.page_bytes = DECODE_PAGE_BYTES;
	fd = memfd_create("formats", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	gen = gen_new(&opts);
	gen_cpu(gen, 0, 0);
	gen_write(gen, path);
	gen_free(gen);
	if (container_open(&target->container, path, false, &diag) < 0 ||
	    decode_init(&target->decoder, &target->container, &problems, &diag) ||
	    decode_chunk_init(&target->first, &target->decoder) ||
	    decode_chunk_init(&target->again, &target->decoder))
		abort();
	problem_release(&problems);
	close(fd);
	target->is_ready = true;
	return target;
}

static void set_commit(const struct subbuf_layout *layout, uint8_t *page, size_t size)
{
	uint64_t commit = size > layout->data_offset ? size - layout->data_offset : 0;
	unsigned i;

	for (i = 0; i < layout->commit_bytes; i++)
		page[layout->commit_offset + i] =
			commit >> 8 * (layout->big_endian ? layout->commit_bytes - 1 - i : i);
}

static void decode(struct decode_target *target, struct decode_chunk *chunk, const uint8_t *page)
{
	unsigned i;

	decode_chunk_clear(chunk);
	if (decode_page(&target->decoder, chunk, 0, page, 0))
		abort();
	decode_chunk_end(chunk);
	for (i = 0; i < chunk->nr; i++) {
		const struct event *ev = &chunk->events[i];

		if (!ev->kind || ev->kind >= EV_NR)
			abort();
		if (ev->kind == EV_MARKER && ev->u.marker.len_bytes)
			fuzz_sink += ev->u.marker.text[ev->u.marker.len_bytes - 1];
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decode_target *target;
	uint8_t *page;
	unsigned i;

	if (size < 2)
		return 0;
	target = decode_target(data[0] % NR_SHAPES);
	/* from the heap: reading a byte more is an error */
	page = calloc(1, DECODE_PAGE_BYTES);
	if (!page)
		abort();
	size = size - 1 < DECODE_PAGE_BYTES ? size - 1 : DECODE_PAGE_BYTES;
	memcpy(page, data + 1, size);
	if (data[0] & 0x80)
		set_commit(&target->decoder.layout, page, size);
	decode(target, &target->first, page);
	decode(target, &target->again, page);
	if (target->first.nr != target->again.nr ||
	    target->first.nr_records != target->again.nr_records ||
	    target->first.nr_bad_record != target->again.nr_bad_record)
		abort();
	for (i = 0; i < target->first.nr; i++)
		if (target->first.events[i].kind != EV_MARKER &&
		    memcmp(&target->first.events[i], &target->again.events[i],
			   sizeof(struct event)))
			abort();
	free(page);
	return 0;
}
