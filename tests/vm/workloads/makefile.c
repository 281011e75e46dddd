/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * makefile: write files for the other workloads to read.
 *
 *	dir=DIR		where; the files are called f0, f1, ...
 *	first=0		number of the first file
 *	files=1		how many
 *	mb=16		size of each
 *
 * Page p of file f holds the stamp of page f * 2^20 + p, version 0.
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int makefile_main(struct args *args)
{
	const char *dir = args_text(args, "dir", NULL);
	long first = args_number(args, "first", 0, 0, 1000);
	long files = args_number(args, "files", 1, 1, 1000);
	size_t nr_pages = args_number(args, "mb", 16, 1, 4096) * MB_PAGES;
	unsigned char *buf;
	char path[4096];
	size_t page;
	long file;
	int fd;

	args_done(args);
	if (!dir)
		die(0, "dir= is missing");
	buf = pages_map(1, PAGE_BYTES);
	for (file = first; file < first + files; file++) {
		snprintf(path, sizeof(path), "%s/f%ld", dir, file);
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0)
			die(errno, "%s", path);
		for (page = 0; page < nr_pages; page++) {
			page_stamp(buf, (uint64_t)file << 20 | page, 0);
			errno = 0;
			if (write(fd, buf, PAGE_BYTES) != (ssize_t)PAGE_BYTES)
				die(errno, "%s: cannot write page %zu", path, page);
		}
		if (close(fd))
			die(errno, "%s", path);
	}
	finish(args, "files=%ld pages=%zu", files, files * nr_pages);
	return 0;
}
