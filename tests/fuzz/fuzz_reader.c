// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: whatever the bytes of a file, reading it ends without an error of
 * memory or arithmetic, and a failure has a message.  Single-threaded, with and
 * without salvage (first byte of the input).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* memfd_create() */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/abi.h"
#include "analyzer/reader.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader_opts opts = { .nr_threads = 1, .tolerate_formats = true };
	struct diag diag = { 0 };
	const struct event *const *events;
	struct reader *reader;
	char path[64];
	uint64_t sum = 0;
	unsigned nr, i;
	int fd, ret;

	if (!size)
		return 0;
	opts.salvage = data[0] & 1;
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (fd < 0 || write(fd, data + 1, size - 1) != (ssize_t)(size - 1))
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = reader_open(&reader, path, &opts, &diag);
	if (ret < 0) {
		if (!diag.text[0] || (int)diag.err != -ret)
			abort();
		close(fd);
		return 0;
	}
	abi_map(reader, NULL);
	while ((ret = reader_next_batch(reader, &events, &nr)) > 0) {
		for (i = 0; i < nr; i++) {
			sum += events[i]->ts_ns + events[i]->kind;
			if (events[i]->kind == EV_MARKER && events[i]->u.marker.len_bytes)
				sum += events[i]->u.marker.text[0];
			if (!events[i]->kind || events[i]->kind >= EV_NR)
				abort();
		}
	}
	if (ret < 0 && !reader_diag(reader)->text[0])
		abort();
	if (reader_totals(reader)->nr_gaps != reader_totals(reader)->nr_by_kind[EV_GAP])
		abort();
	reader_close(reader);
	close(fd);
	fuzz_sink = sum;
	return 0;
}
