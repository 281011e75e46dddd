/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kv: a store of keys and values, in memory and, for values that are large, in
 * a file; requests come in pipelines.
 *
 *	mb=32		values in memory, one page each
 *	dir=DIR		if given, DIR/f0 holds more values, file_mb of it
 *	file_mb=16
 *	requests=20000
 *	pipeline=32	requests handled one after the other: those that set
 *			come first, in the order of their keys
 *	set=50		percent of the requests that set
 *	file=0		percent of the requests that go to the file, with pread
 *	skew=4		0: every key alike; the higher, the hotter the hot ones
 *	phases=1	so many times other keys become the hot ones
 *	seed=1
 *
 * The key of a request is nr * u^skew with u uniform in [0, 1), shifted in each
 * phase and spread over all pages by a permutation. Values in memory are set and got through page tables,
 * those in the file through a descriptor.
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_PIPELINE 1024

static size_t skewed(uint64_t *random, size_t nr, long skew)
{
	double u, x = 1;
	long i;

	u = (random_next(random) >> 11) / 9007199254740992.0;
	for (i = 0; i < skew; i++)
		x *= u;
	if (!skew)
		x = u;
	return (size_t)(x * nr) % nr;
}

/* A prime that does not divide nr spreads neighbours. */
static size_t spread(size_t key, size_t nr)
{
	return nr % 7919 ? key * 7919 % nr : key;
}

static int by_key(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

int kv_main(struct args *args)
{
	size_t nr_pages = args_number(args, "mb", 32, 1, 4096) * MB_PAGES;
	const char *dir = args_text(args, "dir", NULL);
	size_t nr_file_pages = args_number(args, "file_mb", 16, 1, 4096) * MB_PAGES;
	long requests = args_number(args, "requests", 20000, 0, 1L << 40);
	long pipeline = args_number(args, "pipeline", 32, 1, MAX_PIPELINE);
	long set = args_number(args, "set", 50, 0, 100);
	long in_file = args_number(args, "file", 0, 0, 100);
	long skew = args_number(args, "skew", 4, 0, 100);
	long phases = args_number(args, "phases", 1, 1, 1000);
	uint64_t random = args_number(args, "seed", 1, 0, 1L << 60), start_ns;
	unsigned long nr_sets = 0, nr_gets = 0, nr_preads = 0;
	size_t keys[MAX_PIPELINE], page;
	unsigned char *base, *buf;
	uint32_t *version;
	char path[4096];
	long done, i;
	int fd = -1;

	args_done(args);
	base = pages_map(nr_pages, PAGE_BYTES);
	buf = pages_map(1, PAGE_BYTES);
	version = calloc(nr_pages, sizeof(*version));
	if (!version)
		die(0, "out of memory");
	if (dir) {
		snprintf(path, sizeof(path), "%s/f0", dir);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			die(errno, "%s", path);
	} else if (in_file) {
		die(0, "file= needs dir=");
	}
	for (page = 0; page < nr_pages; page++)
		page_stamp(page_at(base, page), page, 0);

	start_ns = now_ns();
	for (done = 0; done < requests; done += pipeline) {
		long nr_to_set = 0, phase = done * phases / requests;

		for (i = 0; i < pipeline; i++) {
			if ((long)random_below(&random, 100) < in_file) {
				page = skewed(&random, nr_file_pages, skew);
				page = (page + nr_file_pages / phases * phase) % nr_file_pages;
				page = spread(page, nr_file_pages);
				errno = 0;
				if (pread(fd, buf, PAGE_BYTES, page * PAGE_BYTES) !=
				    (ssize_t)PAGE_BYTES)
					die(errno, "%s: cannot read page %zu", path, page);
				page_check_any(buf, page);
				nr_preads++;
				continue;
			}
			page = skewed(&random, nr_pages, skew);
			page = spread((page + nr_pages / phases * phase) % nr_pages, nr_pages);
			if ((long)random_below(&random, 100) < set) {
				keys[nr_to_set++] = page;
			} else {
				page_check(page_at(base, page), page, version[page]);
				nr_gets++;
			}
		}
		qsort(keys, nr_to_set, sizeof(*keys), by_key);
		for (i = 0; i < nr_to_set; i++)
			page_stamp(page_at(base, keys[i]), keys[i], ++version[keys[i]]);
		nr_sets += nr_to_set;
	}
	finish(args, "sets=%lu gets=%lu preads=%lu requests_ms=%llu", nr_sets, nr_gets, nr_preads,
	       (unsigned long long)(now_ns() - start_ns) / 1000000);
	return 0;
}
