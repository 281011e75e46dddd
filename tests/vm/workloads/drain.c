/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * drain: empty the per-CPU LRU batches of every CPU, and move nothing.
 *
 * move_pages(2) begins with lru_cache_disable(), which drains all CPUs (6.12
 * mm/migrate.c: do_pages_move()), and does so before it looks at the list of
 * pages; the list given here is empty.
 */
#include "workload.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int drain_main(struct args *args)
{
	const void *pages[1] = { 0 };
	int nodes[1] = { 0 };
	int status[1] = { 0 };

	args_done(args);
	if (syscall(SYS_move_pages, 0, 0L, pages, nodes, status, 2 /* MPOL_MF_MOVE */))
		die(errno, "move_pages");
	return 0;
}
