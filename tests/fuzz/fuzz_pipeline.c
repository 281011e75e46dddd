// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: whatever the bytes of a file, reader, model and all analyses come to
 * an end without an error of memory or arithmetic. Single-threaded, with and
 * without salvage (first byte of the input).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* memfd_create() */
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyzer/pipeline.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipeline_opts opts = { .reader.nr_threads = 1, .no_progress = true };
	struct diag diag = { 0 };
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
	ret = pipeline_run(&p, &diag);
	if (ret < 0 && !diag.text[0])
		abort();
	fuzz_sink = ret < 0 ? 0 : model_stats(p.model)->nr_lives + pipeline_status(&p);
	pipeline_release(&p);
	close(fd);
	return 0;
}
