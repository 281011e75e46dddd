/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * file: files read again and again, while other files stream by.
 *
 *	dir=DIR		with f0, f1, ... written by the makefile workload
 *	hot_files=8	f0 to f7 are hot: file i is read i + 1 times at the start
 *			and, from the second round on, once more in each round
 *	hot_mb=1	how much of each hot file
 *	scan_files=2	the next files are streamed once in each round
 *	scan_mb=16	how much of each
 *	rounds=3
 *	rewrite=10	percent of the hot pages written again in each round
 *	mmap=0		1: also read the hot files through a mapping
 *	sync=0		1: write back what was rewritten, at the end of each round
 *	drop=0		1: tell the kernel (POSIX_FADV_DONTNEED) that the last hot
 *			file is no longer wanted, while a pipe holds 16 of its
 *			pages, so that these can only be deactivated
 *	seed=1
 *
 * The hot files are read page by page through a file descriptor, so a folio
 * read more often has more references and a higher tier, and reclaim protects
 * it; streaming goes in 128 KiB reads, with readahead.
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define SCAN_BYTES (128UL << 10)
#define VERSION_UNKNOWN UINT32_MAX

struct file {
	const char *dir;
	long hot_files;
	long scan_files;
	size_t nr_hot_pages;
	size_t nr_scan_pages;
	int *fds;
	uint32_t *version;	/* of hot pages */
	uint64_t random;
	unsigned char *buf;
	unsigned long nr_reads;
	unsigned long nr_writes;
};

/* The first look at a page learns its version: somebody may have rewritten it. */
static void check_hot(struct file *f, long file, size_t page, const unsigned char *addr)
{
	uint32_t *version = &f->version[file * f->nr_hot_pages + page];

	if (*version == VERSION_UNKNOWN)
		*version = page_check_any(addr, (uint64_t)file << 20 | page);
	else
		page_check(addr, (uint64_t)file << 20 | page, *version);
}

static void read_hot(struct file *f, long file)
{
	size_t page;

	for (page = 0; page < f->nr_hot_pages; page++) {
		errno = 0;
		if (pread(f->fds[file], f->buf, PAGE_BYTES, page * PAGE_BYTES) !=
		    (ssize_t)PAGE_BYTES)
			die(errno, "%s/f%ld: cannot read page %zu", f->dir, file, page);
		check_hot(f, file, page, f->buf);
		f->nr_reads++;
	}
}

static void read_mapped(struct file *f, long file)
{
	size_t size = f->nr_hot_pages * PAGE_BYTES;
	unsigned char *base;
	size_t page;

	base = mmap(NULL, size, PROT_READ, MAP_SHARED, f->fds[file], 0);
	if (base == MAP_FAILED)
		die(errno, "%s/f%ld: cannot map", f->dir, file);
	for (page = 0; page < f->nr_hot_pages; page++)
		check_hot(f, file, page, page_at(base, page));
	f->nr_reads += f->nr_hot_pages;
	munmap(base, size);
}

static void rewrite_some(struct file *f, long file, long percent)
{
	size_t page;

	for (page = 0; page < f->nr_hot_pages; page++) {
		uint32_t *version = &f->version[file * f->nr_hot_pages + page];

		if ((long)random_below(&f->random, 100) >= percent)
			continue;
		page_stamp(f->buf, (uint64_t)file << 20 | page, ++*version);
		errno = 0;
		if (pwrite(f->fds[file], f->buf, PAGE_BYTES, page * PAGE_BYTES) !=
		    (ssize_t)PAGE_BYTES)
			die(errno, "%s/f%ld: cannot write page %zu", f->dir, file, page);
		f->nr_writes++;
	}
}

static void drop_file(struct file *f, long file)
{
	off_t offset = 0;
	int pipe_fds[2], err;

	if (pipe(pipe_fds))
		die(errno, "pipe");
	/* As many pages as a pipe holds by default; not one is copied. */
	if (splice(f->fds[file], &offset, pipe_fds[1], NULL, 16 * PAGE_BYTES,
		   SPLICE_F_NONBLOCK) < (ssize_t)PAGE_BYTES)
		die(errno, "%s/f%ld: cannot splice", f->dir, file);
	err = posix_fadvise(f->fds[file], 0, 0, POSIX_FADV_DONTNEED);
	if (err)
		die(err, "%s/f%ld: posix_fadvise(POSIX_FADV_DONTNEED)", f->dir, file);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void stream(struct file *f, long file)
{
	size_t size = f->nr_scan_pages * PAGE_BYTES;
	size_t offset, i;

	for (offset = 0; offset < size; offset += SCAN_BYTES) {
		errno = 0;
		if (pread(f->fds[file], f->buf, SCAN_BYTES, offset) != (ssize_t)SCAN_BYTES)
			die(errno, "%s/f%ld: cannot read at %zu", f->dir, file, offset);
		for (i = 0; i < SCAN_BYTES / PAGE_BYTES; i++)
			page_check_any(page_at(f->buf, i),
				       (uint64_t)file << 20 | (offset / PAGE_BYTES + i));
		f->nr_reads += SCAN_BYTES / PAGE_BYTES;
	}
}

int file_main(struct args *args)
{
	struct file f = {
		.dir = args_text(args, "dir", NULL),
		.hot_files = args_number(args, "hot_files", 8, 0, 100),
		.nr_hot_pages = args_number(args, "hot_mb", 1, 1, 1024) * MB_PAGES,
		.scan_files = args_number(args, "scan_files", 2, 0, 100),
		.nr_scan_pages = args_number(args, "scan_mb", 16, 1, 4096) * MB_PAGES,
		.random = args_number(args, "seed", 1, 0, 1L << 60),
	};
	long rounds = args_number(args, "rounds", 3, 1, 10000);
	long rewrite = args_number(args, "rewrite", 10, 0, 100);
	long sync_rounds = args_number(args, "sync", 0, 0, 1);
	long drop = args_number(args, "drop", 0, 0, 1);
	long mapped = args_number(args, "mmap", 0, 0, 1);
	char path[4096];
	long file, round, i;

	args_done(args);
	if (!f.dir)
		die(0, "dir= is missing");
	f.buf = pages_map(SCAN_BYTES / PAGE_BYTES, PAGE_BYTES);
	f.fds = calloc(f.hot_files + f.scan_files + 1, sizeof(*f.fds));
	f.version = calloc(f.hot_files * f.nr_hot_pages + 1, sizeof(*f.version));
	if (!f.fds || !f.version)
		die(0, "out of memory");
	for (i = 0; i < f.hot_files * (long)f.nr_hot_pages; i++)
		f.version[i] = VERSION_UNKNOWN;
	for (file = 0; file < f.hot_files + f.scan_files; file++) {
		snprintf(path, sizeof(path), "%s/f%ld", f.dir, file);
		f.fds[file] = open(path, O_RDWR | O_CLOEXEC);
		if (f.fds[file] < 0)
			die(errno, "%s", path);
	}

	for (round = 0; round < rounds; round++) {
		for (file = 0; file < f.hot_files; file++) {
			for (i = 0; i <= (round ? 0 : file); i++)
				read_hot(&f, file);
			if (mapped)
				read_mapped(&f, file);
			rewrite_some(&f, file, rewrite);
		}
		if (drop && f.hot_files)
			drop_file(&f, f.hot_files - 1);
		for (file = 0; file < f.scan_files; file++)
			stream(&f, f.hot_files + file);
		if (sync_rounds)
			sync();
	}
	finish(args, "reads=%lu writes=%lu", f.nr_reads, f.nr_writes);
	return 0;
}
