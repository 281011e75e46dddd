/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * forks: processes that share memory copy-on-write, and exit.
 *
 *	mb=16		written by the parent before it forks
 *	children=4	at the same time, in each round
 *	rounds=3
 *	write=25	percent of the pages that each child writes
 *	seed=1
 *
 * A child reads every page, copies some by writing, and exits, which frees its
 * copies. At last the parent rewrites every page.
 */
#include "workload.h"

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(unsigned char *base, size_t nr_pages, uint64_t version, uint64_t random,
		  long write_percent)
{
	size_t page;

	for (page = 0; page < nr_pages; page++) {
		page_check(page_at(base, page), page, version);
		if ((long)random_below(&random, 100) < write_percent)
			page_stamp(page_at(base, page), page, version + 1000);
	}
	_exit(0);
}

int forks_main(struct args *args)
{
	size_t nr_pages = args_number(args, "mb", 16, 1, 4096) * MB_PAGES;
	long children = args_number(args, "children", 4, 1, 64);
	long rounds = args_number(args, "rounds", 3, 1, 10000);
	long write_percent = args_number(args, "write", 25, 0, 100);
	uint64_t random = args_number(args, "seed", 1, 0, 1L << 60);
	unsigned char *base;
	size_t page;
	long round, i;
	int status;

	args_done(args);
	base = pages_map(nr_pages, PAGE_BYTES);
	for (round = 0; round < rounds; round++) {
		for (page = 0; page < nr_pages; page++)
			page_stamp(page_at(base, page), page, round);
		fflush(stdout);
		for (i = 0; i < children; i++) {
			pid_t pid = fork();

			if (pid < 0)
				die(errno, "fork");
			if (!pid)
				child(base, nr_pages, round, random + i, write_percent);
		}
		for (i = 0; i < children; i++) {
			if (wait(&status) < 0)
				die(errno, "wait");
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				die(0, "a child ended with wait status 0x%x", status);
		}
		random_next(&random);
	}
	for (page = 0; page < nr_pages; page++)
		page_stamp(page_at(base, page), page, rounds);
	finish(args, "pages=%zu forks=%ld", nr_pages, rounds * children);
	return 0;
}
