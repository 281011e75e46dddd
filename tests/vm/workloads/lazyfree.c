/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lazyfree: MADV_FREE, some pages used again, and pressure.
 *
 *	mb=16		freed with madvise(MADV_FREE) in each round
 *	chunk=64	pages in one madvise call
 *	reuse=30	percent written again before the pressure (redirtied)
 *	peek=10		percent only read again
 *	pressure_mb=24	anonymous memory written to push the rest out
 *	passes=2	so many times; what was redirtied ages meanwhile
 *	dir=DIR		if given, DIR/f0 is streamed as well, file_mb of it
 *	file_mb=16
 *	rounds=3
 *	seed=1
 *
 * After each round every page must hold what was written last, or, unless it
 * was written after the madvise, zeros. The results say how many were zero:
 * these were freed by reclaim.
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int is_zero(const unsigned char *addr)
{
	static const unsigned char zeros[PAGE_BYTES];

	return !memcmp(addr, zeros, PAGE_BYTES);
}

static void stream(const char *dir, size_t size, unsigned char *buf)
{
	char path[4096];
	size_t offset;
	int fd;

	snprintf(path, sizeof(path), "%s/f0", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(errno, "%s", path);
	for (offset = 0; offset < size; offset += PAGE_BYTES) {
		errno = 0;
		if (pread(fd, buf, PAGE_BYTES, offset) != (ssize_t)PAGE_BYTES)
			die(errno, "%s: cannot read at %zu", path, offset);
		page_check_any(buf, offset / PAGE_BYTES);
	}
	close(fd);
}

int lazyfree_main(struct args *args)
{
	size_t nr_pages = args_number(args, "mb", 16, 1, 4096) * MB_PAGES;
	size_t chunk = args_number(args, "chunk", 64, 1, 1 << 20);
	long reuse = args_number(args, "reuse", 30, 0, 100);
	long peek = args_number(args, "peek", 10, 0, 100);
	size_t nr_pressure = args_number(args, "pressure_mb", 24, 0, 4096) * MB_PAGES;
	long passes = args_number(args, "passes", 2, 1, 1000);
	const char *dir = args_text(args, "dir", NULL);
	size_t file_bytes = (args_number(args, "file_mb", 16, 1, 4096) * MB_PAGES) * PAGE_BYTES;
	long rounds = args_number(args, "rounds", 3, 1, 10000);
	uint64_t random = args_number(args, "seed", 1, 0, 1L << 60);
	unsigned long nr_freed = 0, nr_kept = 0, nr_reused = 0;
	unsigned char *base, *pressure, *buf, *written;
	size_t page, n;
	long round, pass;

	args_done(args);
	base = pages_map(nr_pages, PAGE_BYTES);
	pressure = pages_map(nr_pressure + 1, PAGE_BYTES);
	buf = pages_map(1, PAGE_BYTES);
	written = calloc(nr_pages, 1);
	if (!written)
		die(0, "out of memory");

	for (round = 0; round < rounds; round++) {
		uint64_t version = 2 * round;

		for (page = 0; page < nr_pages; page++)
			page_stamp(page_at(base, page), page, version);
		for (page = 0; page < nr_pages; page += n) {
			n = nr_pages - page < chunk ? nr_pages - page : chunk;
			if (madvise(page_at(base, page), n * PAGE_BYTES, MADV_FREE))
				die(errno, "madvise(MADV_FREE)");
		}
		for (page = 0; page < nr_pages; page++) {
			long dice = (long)random_below(&random, 100);

			written[page] = dice < reuse;
			if (written[page])
				page_stamp(page_at(base, page), page, version + 1);
			else if (dice < reuse + peek)
				page_read(page_at(base, page));
		}
		for (pass = 0; pass < passes; pass++)
			for (page = 0; page < nr_pressure; page++)
				page_stamp(page_at(pressure, page), page, version + pass);
		if (dir)
			stream(dir, file_bytes, buf);
		for (page = 0; page < nr_pages; page++) {
			unsigned char *addr = page_at(base, page);

			if (written[page]) {
				page_check(addr, page, version + 1);
				nr_reused++;
			} else if (is_zero(addr)) {
				nr_freed++;
			} else {
				page_check(addr, page, version);
				nr_kept++;
			}
		}
	}
	finish(args, "marked=%lu reused=%lu freed=%lu kept=%lu", rounds * nr_pages, nr_reused,
	       nr_freed, nr_kept);
	return 0;
}
