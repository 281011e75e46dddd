/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * move: memory migrated from node to node and back.
 *
 *	mb=8
 *	rounds=4
 *	nodes=2		the machine must have that many
 *
 * In round r every page is moved to node (r + 1) % nodes with move_pages(2),
 * and must be there afterwards. Page frames of a few witnesses are printed:
 *
 *	witness kind=move page=7 round=2 before=0x1a2b3 pfn=0x4c5d6 mono_ns=...
 */
#include "workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int move_main(struct args *args)
{
	size_t nr_pages = args_number(args, "mb", 8, 1, 1024) * MB_PAGES;
	long rounds = args_number(args, "rounds", 4, 1, 1000);
	long nr_nodes = args_number(args, "nodes", 2, 2, 64);
	unsigned long nr_moved = 0;
	int *nodes, *status;
	void **pages;
	uint64_t *before;
	unsigned char *base;
	size_t page;
	long round;

	args_done(args);
	base = pages_map(nr_pages, PAGE_BYTES);
	pages = calloc(nr_pages, sizeof(*pages));
	nodes = calloc(nr_pages, sizeof(*nodes));
	status = calloc(nr_pages, sizeof(*status));
	before = calloc(nr_pages, sizeof(*before));
	if (!pages || !nodes || !status || !before)
		die(0, "out of memory");
	for (page = 0; page < nr_pages; page++) {
		pages[page] = page_at(base, page);
		page_stamp(pages[page], page, 0);
	}
	for (round = 0; round < rounds; round++) {
		for (page = 0; page < nr_pages; page++) {
			nodes[page] = (round + 1) % nr_nodes;
			before[page] = page_pfn(pages[page]);
		}
		if (syscall(SYS_move_pages, 0, nr_pages, pages, nodes, status, 2) < 0)
			die(errno, "move_pages to node %d", nodes[0]);
		for (page = 0; page < nr_pages; page++) {
			page_check(pages[page], page, 0);
			nr_moved += page_pfn(pages[page]) != before[page];
			if (page % (nr_pages / 4) == nr_pages / 8)
				printf("witness kind=move page=%zu round=%ld before=0x%llx pfn=0x%llx mono_ns=%llu\n",
				       page, round, (unsigned long long)before[page],
				       (unsigned long long)page_pfn(pages[page]),
				       (unsigned long long)now_ns());
		}
		if (syscall(SYS_move_pages, 0, nr_pages, pages, NULL, status, 2) < 0)
			die(errno, "move_pages");
		for (page = 0; page < nr_pages; page++)
			if (status[page] != nodes[page])
				die(0, "page %zu should be on node %d, move_pages says %d", page,
				    nodes[page], status[page]);
	}
	finish(args, "pages=%zu moved=%lu", nr_pages, nr_moved);
	return 0;
}
