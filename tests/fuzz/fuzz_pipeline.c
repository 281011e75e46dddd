// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: whatever the bytes of a file, reader, model and all analyses, that of
 * stock events and the copies in markers included, come to an end without an error
 * of memory or arithmetic. Single-threaded, with and
 * without salvage (first byte of the input).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* memfd_create() */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/marks.h"
#include "analyzer/pipeline.h"
#include "analyzer/stock.h"
#include "fuzz.h"

struct beside {
	struct stock *stock;
	struct marks marks;
};

static void on_event(void *self, const struct event *ev)
{
	struct beside *beside = self;

	if (stock_event(beside->stock, ev) ||
	    (ev->kind == EV_MARKER &&
	     marks_take(&beside->marks, ev->u.marker.text, ev->u.marker.len_bytes)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipeline_opts opts = { .reader.nr_threads = 1, .no_progress = true };
	struct diag diag = { 0 };
	struct beside beside = { 0 };
	struct pipeline p;
	char path[64];
	int fd, ret;

	if (!size)
		return 0;
	opts.reader.salvage = data[0] & 1;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = pipeline_open(&p, path, &opts, &diag);
	if (ret < 0) {
		if (!diag.text[0])
			abort();
		close(fd);
		return 0;
	}
	beside.stock = stock_new();
	if (!beside.stock)
		abort();
	p.hook_self = &beside;
	p.on_event = on_event;
	ret = pipeline_run(&p, &diag);
	if (ret < 0 && !diag.text[0])
		abort();
	fuzz_sink = ret < 0 ? 0 : model_stats(p.model)->nr_lives + pipeline_status(&p);
	stock_finish(beside.stock, p.last_ts_ns);
	fuzz_sink += stock_results(beside.stock)->cache.nr_begun + beside.marks.nr;
	stock_free(beside.stock);
	marks_release(&beside.marks);
	pipeline_release(&p);
	close(fd);
	return 0;
}
