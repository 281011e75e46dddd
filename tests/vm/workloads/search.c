/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * search: chunks of records, each searched in a fresh copy that is then thrown
 * away, as in ebizzy.
 *
 *	chunks=8
 *	chunk_mb=4
 *	searches=40	each in a chunk at random: copy it, look for a record by
 *			bisection in the copy, forget the copy
 *	seed=1
 *
 * The copies are warm once and never again; the chunks are read as a whole.
 */
#include "workload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int search_main(struct args *args)
{
	long nr_chunks = args_number(args, "chunks", 8, 1, 10000);
	size_t nr_pages = args_number(args, "chunk_mb", 4, 1, 4096) * MB_PAGES;
	long searches = args_number(args, "searches", 40, 0, 1000000);
	uint64_t random = args_number(args, "seed", 1, 0, 1L << 60), start_ns;
	unsigned char **chunks = calloc(nr_chunks, sizeof(*chunks));
	unsigned long nr_records = 0;
	size_t page;
	long i;

	args_done(args);
	if (!chunks)
		die(0, "out of memory");
	for (i = 0; i < nr_chunks; i++) {
		chunks[i] = pages_map(nr_pages, PAGE_BYTES);
		for (page = 0; page < nr_pages; page++)
			page_stamp(page_at(chunks[i], page), page, i);
	}
	start_ns = now_ns();
	for (i = 0; i < searches; i++) {
		long chunk = random_below(&random, nr_chunks);
		size_t want = random_below(&random, nr_pages), low = 0, high = nr_pages;
		unsigned char *copy = pages_map(nr_pages, PAGE_BYTES);

		memcpy(copy, chunks[chunk], nr_pages * PAGE_BYTES);
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			page_check(page_at(copy, middle), middle, chunk);
			nr_records++;
			if (middle <= want)
				low = middle;
			else
				high = middle;
		}
		page_check(page_at(copy, low), want, chunk);
		if (munmap(copy, nr_pages * PAGE_BYTES))
			die(errno, "munmap");
	}
	finish(args, "searches=%ld records=%lu searches_ms=%llu", searches, nr_records,
	       (unsigned long long)(now_ns() - start_ns) / 1000000);
	return 0;
}
