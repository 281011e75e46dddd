/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain: the same pages in, out and in again.
 *
 *	kind=anon	or file: a read-only mapping of DIR/fN
 *	dir=DIR		for kind=file: where the makefile workload wrote
 *	file=0		and which
 *	random=1	for kind=file: MADV_RANDOM, so one page at a time and, for the
 *			multi-gen LRU, no recency: folios enter an old generation,
 *			and accesses through the mapping do not count. 0: with
 *			readahead, and faults put folios into the youngest one.
 *	mb=24		size; the memcg must be smaller, so that a round evicts
 *			what the round before brought in
 *	rounds=4
 *	witness=5	pages whose page frame is printed whenever it was touched
 *
 * Each round touches every page once, in order. For each witness and round one
 * line is printed, so that a recording can be compared with what really
 * happened:
 *
 *	witness kind=anon page=7 round=2 before=0x0 pfn=0x1a2b3 mono_ns=...
 *
 * "before" is the frame just before the touch: 0 if the page was not mapped.
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned char *map_file(const char *dir, uint64_t file, size_t nr_pages, int random)
{
	char path[4096];
	unsigned char *base;
	struct stat st;
	int fd;

	snprintf(path, sizeof(path), "%s/f%llu", dir, (unsigned long long)file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		die(errno, "%s", path);
	if ((size_t)st.st_size < nr_pages * PAGE_BYTES)
		die(0, "%s: %lld bytes, needed %zu", path, (long long)st.st_size,
		    nr_pages * PAGE_BYTES);
	base = mmap(NULL, nr_pages * PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		die(errno, "%s: cannot map", path);
	if (random && madvise(base, nr_pages * PAGE_BYTES, MADV_RANDOM))
		die(errno, "madvise(MADV_RANDOM)");
	close(fd);
	return base;
}

int chain_main(struct args *args)
{
	const char *kind = args_text(args, "kind", "anon");
	const char *dir = args_text(args, "dir", NULL);
	uint64_t file = args_number(args, "file", 0, 0, 1000);
	size_t nr_pages = args_number(args, "mb", 24, 1, 4096) * MB_PAGES;
	int random = args_number(args, "random", 1, 0, 1);
	long rounds = args_number(args, "rounds", 4, 1, 1000);
	size_t nr_witnesses = args_number(args, "witness", 5, 0, 1000);
	unsigned long nr_changed = 0;
	int is_file = !strcmp(kind, "file");
	unsigned char *base;
	size_t page;
	long round;

	args_done(args);
	if (!is_file && strcmp(kind, "anon"))
		die(0, "kind=%s is neither anon nor file", kind);
	if (is_file != !!dir)
		die(0, "dir= goes with kind=file");

	base = is_file ? map_file(dir, file, nr_pages, random) : pages_map(nr_pages, PAGE_BYTES);
	for (round = 0; round < rounds; round++) {
		for (page = 0; page < nr_pages; page++) {
			unsigned char *addr = page_at(base, page);
			int is_witness = nr_witnesses &&
				page % (nr_pages / nr_witnesses) == nr_pages / nr_witnesses / 2;
			uint64_t before = is_witness ? page_pfn(addr) : 0;

			if (is_file)
				page_check_any(addr, file << 20 | page);
			else if (round)
				page_check(addr, page, 0);
			else
				page_stamp(addr, page, 0);
			if (!is_witness)
				continue;
			nr_changed += round && page_pfn(addr) != before;
			printf("witness kind=%s page=%zu round=%ld before=0x%llx pfn=0x%llx mono_ns=%llu\n",
			       kind, page, round, (unsigned long long)before,
			       (unsigned long long)page_pfn(addr),
			       (unsigned long long)now_ns());
		}
	}
	finish(args, "kind=%s pages=%zu rounds=%ld witness_changes=%lu", kind, nr_pages, rounds,
	       nr_changed);
	return 0;
}
