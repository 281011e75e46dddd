/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * collapse: a file made into huge pages, then torn by a write.
 *
 *	dir=DIR		DIR/f0, written by the makefile workload, of at least mb, is
 *	mb=8		mapped readable and executable and given MADV_COLLAPSE
 *
 * The kernel needs CONFIG_READ_ONLY_THP_FOR_FS; opening the file for writing
 * throws its huge pages out of the page cache. Fails if no huge page came of
 * it.
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

int collapse_main(struct args *args)
{
	const char *dir = args_text(args, "dir", NULL);
	char path[4096];
	size_t nr_huge = args_number(args, "mb", 8, 2, 1024) * MB_PAGES * PAGE_BYTES / HUGE_BYTES;
	size_t size = nr_huge * HUGE_BYTES;
	unsigned long nr_collapsed = 0;
	unsigned char *base, *want;
	size_t huge, page;
	int fd;

	args_done(args);
	if (!dir)
		die(0, "dir= is missing");
	snprintf(path, sizeof(path), "%s/f0", dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(errno, "%s", path);
	/* A huge page is mapped as one only at a multiple of its size. */
	want = mmap(NULL, size + HUGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (want == MAP_FAILED)
		die(errno, "mmap");
	want += -(uintptr_t)want & (HUGE_BYTES - 1);
	base = mmap(want, size, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0);
	if (base == MAP_FAILED)
		die(errno, "%s: cannot map", path);
	for (huge = 0; huge < nr_huge; huge++)
		if (!madvise(base + huge * HUGE_BYTES, HUGE_BYTES, MADV_COLLAPSE))
			nr_collapsed++;
	if (!nr_collapsed)
		die(errno, "%s: not one huge page from madvise(MADV_COLLAPSE)", path);
	for (page = 0; page < nr_huge * (HUGE_BYTES / PAGE_BYTES); page++)
		page_check_any(page_at(base, page), page);
	finish(args, "wanted=%zu had=%lu", nr_huge, nr_collapsed);
	return 0;
}
