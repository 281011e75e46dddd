/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * apps: applications that are started again and again, and stay in the
 * background in between, in one process.
 *
 *	dir=DIR		file i is application i's code and data
 *	apps=6
 *	file_mb=2	of its file that a start reads: the first half through
 *			a mapping, the rest through a descriptor
 *	heap_mb=2	of memory that it keeps, and reads at each start
 *	scratch_mb=2	of memory that it needs while it starts, and then gives
 *			up with MADV_FREE
 *	chunk=64	pages in one madvise call
 *	again=10	percent of its scratch memory that it writes again in the
 *			background
 *	starts=24	at random, never the same application twice in a row
 *	seed=1
 *
 * Memory that was kept must hold what was written; a page given up must hold
 * that or zeros, of which the results say how many.
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct app {
	int fd;
	unsigned char *code, *heap, *scratch;
	unsigned char *state;	/* of scratch pages: 1 given up, 2 written again */
	uint64_t version;
};

static void check_scratch(struct app *app, size_t nr_scratch, unsigned long *nr_freed,
			  unsigned long *nr_kept)
{
	static const unsigned char zeros[PAGE_BYTES];
	size_t page;

	for (page = 0; page < nr_scratch; page++) {
		unsigned char *addr = page_at(app->scratch, page);

		if (!app->state[page])
			continue;
		if (app->state[page] == 2) {
			page_check(addr, page, app->version + 1);
		} else if (!memcmp(addr, zeros, PAGE_BYTES)) {
			++*nr_freed;
		} else {
			page_check(addr, page, app->version);
			++*nr_kept;
		}
	}
}

int apps_main(struct args *args)
{
	const char *dir = args_text(args, "dir", "/disk");
	long nr_apps = args_number(args, "apps", 6, 2, 1000);
	size_t nr_code = args_number(args, "file_mb", 2, 1, 4096) * MB_PAGES;
	size_t nr_heap = args_number(args, "heap_mb", 2, 1, 4096) * MB_PAGES;
	size_t nr_scratch = args_number(args, "scratch_mb", 2, 1, 4096) * MB_PAGES;
	size_t chunk = args_number(args, "chunk", 64, 1, 1 << 20);
	long again = args_number(args, "again", 10, 0, 100);
	long starts = args_number(args, "starts", 24, 0, 1000000);
	uint64_t random = args_number(args, "seed", 1, 0, 1L << 60), start_ns;
	struct app *apps = calloc(nr_apps, sizeof(*apps));
	unsigned long nr_freed = 0, nr_kept = 0;
	unsigned char *buf = pages_map(1, PAGE_BYTES);
	long i, start, last = -1;
	size_t page, n;
	char path[4096];

	args_done(args);
	if (!apps)
		die(0, "out of memory");
	for (i = 0; i < nr_apps; i++) {
		struct app *app = &apps[i];

		snprintf(path, sizeof(path), "%s/f%ld", dir, i);
		app->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (app->fd < 0)
			die(errno, "%s", path);
		app->code = mmap(NULL, nr_code * PAGE_BYTES, PROT_READ, MAP_SHARED, app->fd, 0);
		if (app->code == MAP_FAILED)
			die(errno, "%s: mmap", path);
		app->heap = pages_map(nr_heap, PAGE_BYTES);
		app->scratch = pages_map(nr_scratch, PAGE_BYTES);
		app->state = calloc(nr_scratch, 1);
		if (!app->state)
			die(0, "out of memory");
		for (page = 0; page < nr_heap; page++)
			page_stamp(page_at(app->heap, page), page, i);
	}

	start_ns = now_ns();
	for (start = 0; start < starts; start++) {
		struct app *app;

		do
			i = random_below(&random, nr_apps);
		while (i == last);
		last = i;
		app = &apps[i];
		for (page = 0; page < nr_code; page++) {
			if (page < nr_code / 2) {
				page_check_any(page_at(app->code, page), (uint64_t)i << 20 | page);
				continue;
			}
			errno = 0;
			if (pread(app->fd, buf, PAGE_BYTES, page * PAGE_BYTES) !=
			    (ssize_t)PAGE_BYTES)
				die(errno, "file %ld: cannot read page %zu", i, page);
			page_check_any(buf, (uint64_t)i << 20 | page);
		}
		for (page = 0; page < nr_heap; page++)
			page_check(page_at(app->heap, page), page, i);
		check_scratch(app, nr_scratch, &nr_freed, &nr_kept);
		app->version += 2;
		for (page = 0; page < nr_scratch; page++) {
			page_stamp(page_at(app->scratch, page), page, app->version);
			app->state[page] = 1;
		}
		for (page = 0; page < nr_scratch; page += n) {
			n = nr_scratch - page < chunk ? nr_scratch - page : chunk;
			if (madvise(page_at(app->scratch, page), n * PAGE_BYTES, MADV_FREE))
				die(errno, "madvise(MADV_FREE)");
		}
		for (page = 0; page < nr_scratch; page++) {
			if ((long)random_below(&random, 100) >= again)
				continue;
			page_stamp(page_at(app->scratch, page), page, app->version + 1);
			app->state[page] = 2;
		}
	}
	finish(args, "starts=%ld freed=%lu kept=%lu starts_ms=%llu", starts, nr_freed, nr_kept,
	       (unsigned long long)(now_ns() - start_ns) / 1000000);
	return 0;
}
