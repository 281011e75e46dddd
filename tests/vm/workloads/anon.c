/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * anon: a hot and a cold set in anonymous memory.
 *
 *	mb=48		size of both sets together
 *	hot=25		percent of it that is hot; the hot pages are spread
 *	rounds=4	each reads the hot set, then a share of the cold set
 *	cold=40		percent of the cold pages touched in each round, at random
 *	write=30	percent of all touches that write
 *	seed=1
 *
 * In a memcg smaller than mb the cold pages go to swap and come back, and the
 * hot ones are promoted by the page table walk.
 */
#include "workload.h"

#include <stdlib.h>

struct anon {
	unsigned char *base;
	uint32_t *version;
	uint64_t random;
	long write_percent;
	unsigned long nr_reads;
	unsigned long nr_writes;
};

static void touch(struct anon *a, size_t page)
{
	unsigned char *addr = page_at(a->base, page);

	page_check(addr, page, a->version[page]);
	a->nr_reads++;
	if ((long)random_below(&a->random, 100) < a->write_percent) {
		page_stamp(addr, page, ++a->version[page]);
		a->nr_writes++;
	}
}

int anon_main(struct args *args)
{
	size_t nr_pages = args_number(args, "mb", 48, 1, 4096) * MB_PAGES;
	long hot = args_number(args, "hot", 25, 0, 100);
	long rounds = args_number(args, "rounds", 4, 0, 100000);
	long cold = args_number(args, "cold", 40, 0, 100);
	struct anon a = {
		.write_percent = args_number(args, "write", 30, 0, 100),
		.random = args_number(args, "seed", 1, 0, 1L << 60),
	};
	size_t nr_cold_touches, page, i;
	long round;

	args_done(args);
	a.base = pages_map(nr_pages, PAGE_BYTES);
	a.version = calloc(nr_pages, sizeof(*a.version));
	if (!a.version)
		die(0, "out of memory");
	for (page = 0; page < nr_pages; page++)
		page_stamp(page_at(a.base, page), page, 0);

	nr_cold_touches = nr_pages * (100 - hot) / 100 * cold / 100;
	for (round = 0; round < rounds; round++) {
		/* page * hot crosses a multiple of 100: hot percent of them, spread */
		for (page = 0; page < nr_pages; page++)
			if (page * hot % 100 + hot >= 100)
				touch(&a, page);
		for (i = 0; i < nr_cold_touches; i++)
			touch(&a, random_below(&a.random, nr_pages));
	}
	for (page = 0; page < nr_pages; page++)
		page_check(page_at(a.base, page), page, a.version[page]);

	finish(args, "pages=%zu reads=%lu writes=%lu", nr_pages, a.nr_reads, a.nr_writes);
	return 0;
}
