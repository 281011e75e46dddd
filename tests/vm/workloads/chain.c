/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chain: the same pages in, out and in again.
 *
 *	kind=anon	or file: a private mapping of path=FILE, read only
 *	path=FILE	for kind=file; made by the makefile workload
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

static unsigned char *map_file(const char *path, size_t nr_pages)
{
	unsigned char *base;
	struct stat st;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		die(errno, "%s", path);
	if ((size_t)st.st_size < nr_pages * PAGE_BYTES)
		die(0, "%s: %lld bytes, needed %zu", path, (long long)st.st_size,
		    nr_pages * PAGE_BYTES);
	base = mmap(NULL, nr_pages * PAGE_BYTES, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		die(errno, "%s: cannot map", path);
	/* One page at a time: no readahead, no fault-around beyond what is cached. */
	if (madvise(base, nr_pages * PAGE_BYTES, MADV_RANDOM))
		die(errno, "madvise(MADV_RANDOM)");
	close(fd);
	return base;
}

int chain_main(struct args *args)
{
	const char *kind = args_text(args, "kind", "anon");
	const char *path = args_text(args, "path", NULL);
	size_t nr_pages = args_number(args, "mb", 24, 1, 4096) * MB_PAGES;
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
	if (is_file != !!path)
		die(0, "path= goes with kind=file");

	base = is_file ? map_file(path, nr_pages) : pages_map(nr_pages, PAGE_BYTES);
	for (round = 0; round < rounds; round++) {
		for (page = 0; page < nr_pages; page++) {
			unsigned char *addr = page_at(base, page);
			int is_witness = nr_witnesses &&
				page % (nr_pages / nr_witnesses) == nr_pages / nr_witnesses / 2;
			uint64_t before = is_witness ? page_pfn(addr) : 0;

			if (is_file)
				page_check_any(addr, page);
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
