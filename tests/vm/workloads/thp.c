/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thp: huge pages, with holes punched into them, under pressure.
 *
 *	mb=24		in huge pages where the kernel has them to give
 *	holes=50	percent of the huge pages that get holes: every eighth
 *			page is given back with MADV_DONTNEED, so that reclaim
 *			splits the rest
 *	pressure_mb=16	small pages written afterwards
 *	rounds=2
 *	keep=30		percent of the huge pages read between the rounds
 *	seed=1
 *
 * Fails if the kernel never gave one. The results count huge pages: wanted, had
 * at the same time at most, and mapped as such at the end.
 */
#include "workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGES (HUGE_BYTES / PAGE_BYTES)

/* AnonHugePages of this process, in huge pages. */
static long nr_huge_now(void)
{
	char line[256];
	long kb = -1;
	FILE *file = fopen("/proc/self/smaps_rollup", "re");

	if (!file)
		die(errno, "/proc/self/smaps_rollup");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "AnonHugePages: %ld kB", &kb) == 1)
			break;
	fclose(file);
	if (kb < 0)
		die(0, "/proc/self/smaps_rollup: no AnonHugePages");
	return kb / (long)(HUGE_BYTES >> 10);
}

int thp_main(struct args *args)
{
	size_t nr_huge = args_number(args, "mb", 24, 2, 4096) * MB_PAGES / HUGE_PAGES;
	long holes = args_number(args, "holes", 50, 0, 100);
	size_t nr_pressure = args_number(args, "pressure_mb", 16, 0, 4096) * MB_PAGES;
	long rounds = args_number(args, "rounds", 2, 1, 1000);
	long keep = args_number(args, "keep", 30, 0, 100);
	uint64_t random = args_number(args, "seed", 1, 0, 1L << 60);
	unsigned char *base, *pressure, *holed;
	size_t nr_pages = nr_huge * HUGE_PAGES;
	long nr_huge_most = 0, nr_huge_last;
	size_t huge, page;
	long round;

	args_done(args);
	base = pages_map(nr_pages, HUGE_BYTES);
	pressure = pages_map(nr_pressure + 1, PAGE_BYTES);
	holed = calloc(nr_huge, 1);
	if (!holed)
		die(0, "out of memory");
	if (madvise(base, nr_pages * PAGE_BYTES, MADV_HUGEPAGE))
		die(errno, "madvise(MADV_HUGEPAGE)");

	for (round = 0; round < rounds; round++) {
		/* Start again with whole huge pages. */
		if (madvise(base, nr_pages * PAGE_BYTES, MADV_DONTNEED))
			die(errno, "madvise(MADV_DONTNEED)");
		for (page = 0; page < nr_pages; page++) {
			page_stamp(page_at(base, page), page, round);
			if (page % HUGE_PAGES == HUGE_PAGES - 1 && nr_huge_now() > nr_huge_most)
				nr_huge_most = nr_huge_now();
		}
		if (!nr_huge_most)
			die(0, "the kernel gave no huge page");
		for (huge = 0; huge < nr_huge; huge++) {
			holed[huge] = (long)random_below(&random, 100) < holes;
			for (page = 3; holed[huge] && page < HUGE_PAGES; page += 8)
				if (madvise(page_at(base, huge * HUGE_PAGES + page), PAGE_BYTES,
					    MADV_DONTNEED))
					die(errno, "madvise(MADV_DONTNEED)");
		}
		for (page = 0; page < nr_pressure; page++)
			page_stamp(page_at(pressure, page), page, round);
		for (huge = 0; huge < nr_huge; huge++) {
			if ((long)random_below(&random, 100) >= keep)
				continue;
			for (page = 0; page < HUGE_PAGES; page++)
				if (!holed[huge] || page % 8 != 3)
					page_check(page_at(base, huge * HUGE_PAGES + page),
						   huge * HUGE_PAGES + page, round);
		}
	}
	nr_huge_last = nr_huge_now();
	finish(args, "wanted=%zu had=%ld left=%ld", nr_huge, nr_huge_most, nr_huge_last);
	return 0;
}
