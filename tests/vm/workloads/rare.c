/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rare: what reclaim seldom meets, one kind at a time.
 *
 *	kind=direct	write memory to a file and read it back, past the page
 *			cache: its pages are pinned meanwhile. pieces=2 of 4 MB,
 *			dir=DIR, rounds=4
 *	kind=pinned	huge pages with one page each in a pipe, so that they cannot
 *			be split. mb=4; poison=1: tell the kernel that the memory
 *			of the last one is bad
 *	kind=relocked	lock new pages on one CPU and unlock them on another while the
 *			first has them in a batch for the unevictable list. rounds=50
 *	kind=shared	shared memory, which reclaim must not write while it is called
 *			by a file system; then make files. mb=8, dir=DIR, files=2000
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define HUGE_PAGES (HUGE_BYTES / PAGE_BYTES)
#define DIRECT_BYTES (4UL << 20)
#define RELOCKED_PAGES 8

static void direct(struct args *args)
{
	size_t nr_pages = args_number(args, "pieces", 2, 1, 1024) * (DIRECT_BYTES / PAGE_BYTES), page, at;
	const char *dir = args_text(args, "dir", "/disk");
	long rounds = args_number(args, "rounds", 4, 1, 10000), round;
	unsigned char *base;
	char path[4096];
	int fd;

	args_done(args);
	snprintf(path, sizeof(path), "%s/direct", dir);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_DIRECT | O_CLOEXEC, 0600);
	if (fd < 0)
		die(errno, "%s", path);
	base = pages_map(nr_pages, PAGE_BYTES);
	for (round = 0; round < rounds; round++) {
		for (page = 0; page < nr_pages; page++)
			page_stamp(page_at(base, page), page, round);
		for (at = 0; at < nr_pages * PAGE_BYTES; at += DIRECT_BYTES)
			if (pwrite(fd, base + at, DIRECT_BYTES, at) != (ssize_t)DIRECT_BYTES)
				die(errno, "%s: write", path);
		/*
		 * To be read into new pages, or into those that are back from swap and
		 * in the swap cache still, where a page of one owner stays when written.
		 */
		if (round % 2 == 0 && madvise(base, nr_pages * PAGE_BYTES, MADV_DONTNEED))
			die(errno, "madvise(MADV_DONTNEED)");
		if (round % 2) {
			memset(base, 0xff, nr_pages * PAGE_BYTES);
			if (madvise(base, nr_pages * PAGE_BYTES, MADV_PAGEOUT))
				die(errno, "madvise(MADV_PAGEOUT)");
			for (page = 0; page < nr_pages; page++)
				page_read(page_at(base, page));
		}
		for (at = 0; at < nr_pages * PAGE_BYTES; at += DIRECT_BYTES)
			if (pread(fd, base + at, DIRECT_BYTES, at) != (ssize_t)DIRECT_BYTES)
				die(errno, "%s: read", path);
		for (page = 0; page < nr_pages; page++)
			page_check(page_at(base, page), page, round);
	}
	close(fd);
	finish(args, "kind=direct pages=%zu rounds=%ld", nr_pages, rounds);
}

/* The kernel says that memory of ours went bad; it is not touched again. */
static void bad_memory(int number)
{
	(void)number;
}

static void pinned(struct args *args)
{
	size_t nr_huge = args_number(args, "mb", 4, 2, 4096) * MB_PAGES / HUGE_PAGES, huge, page;
	long poison = args_number(args, "poison", 0, 0, 1);
	unsigned char *base = pages_map(nr_huge * HUGE_PAGES, HUGE_BYTES);
	int ends[2], refused = 0;

	args_done(args);
	if (madvise(base, nr_huge * HUGE_BYTES, MADV_HUGEPAGE))
		die(errno, "madvise(MADV_HUGEPAGE)");
	for (page = 0; page < nr_huge * HUGE_PAGES; page++)
		page_stamp(page_at(base, page), page, 0);
	if (pipe2(ends, O_CLOEXEC))
		die(errno, "pipe");
	for (huge = 0; huge < nr_huge; huge++) {
		struct iovec one = { base + huge * HUGE_BYTES, PAGE_BYTES };

		if (vmsplice(ends[1], &one, 1, 0) != (ssize_t)PAGE_BYTES)
			die(errno, "vmsplice");
	}
	if (poison) {
		signal(SIGBUS, bad_memory);
		/* it cannot take the page out of use, and says so */
		refused = madvise(base + (nr_huge - 1) * HUGE_BYTES, PAGE_BYTES, MADV_HWPOISON) ?
				  errno : 0;
		if (refused == EINVAL)
			die(refused, "madvise(MADV_HWPOISON); has this kernel MEMORY_FAILURE?");
	}
	finish(args, "kind=pinned huge=%zu poison=%ld refused=%s", nr_huge, poison,
	       refused ? strerror(refused) : "no");
}

static void run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die(errno, "sched_setaffinity to CPU %d", cpu);
}

static void relocked(struct args *args)
{
	long rounds = args_number(args, "rounds", 50, 1, 10000), round;
	size_t bytes = RELOCKED_PAGES * PAGE_BYTES, page;
	unsigned char *base = pages_map(rounds * RELOCKED_PAGES, PAGE_BYTES);

	args_done(args);
	for (round = 0; round < rounds; round++) {
		unsigned char *part = base + round * bytes;

		run_on(0);
		if (mlock2(part, bytes, MLOCK_ONFAULT))
			die(errno, "mlock2");
		for (page = 0; page < RELOCKED_PAGES; page++)
			page_stamp(page_at(part, page), page, round);
		run_on(1);
		if (munlock(part, bytes))
			die(errno, "munlock");
	}
	for (round = 0; round < rounds; round++)
		for (page = 0; page < RELOCKED_PAGES; page++)
			page_check(page_at(base, round * RELOCKED_PAGES + page), page, round);
	finish(args, "kind=relocked pages=%ld", rounds * RELOCKED_PAGES);
}

static void shared(struct args *args)
{
	size_t nr_pages = args_number(args, "mb", 8, 1, 4096) * MB_PAGES, page;
	const char *dir = args_text(args, "dir", "/disk");
	long files = args_number(args, "files", 2000, 1, 1000000), file;
	unsigned char *base = mmap(NULL, nr_pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char path[4096];

	args_done(args);
	if (base == MAP_FAILED)
		die(errno, "mmap");
	for (page = 0; page < nr_pages; page++)
		page_stamp(page_at(base, page), page, 0);
	for (file = 0; file < files; file++) {
		snprintf(path, sizeof(path), "%s/directory%ld", dir, file);
		if (mkdir(path, 0700))
			die(errno, "%s", path);
	}
	for (page = 0; page < nr_pages; page++)
		page_check(page_at(base, page), page, 0);
	finish(args, "kind=shared pages=%zu files=%ld", nr_pages, files);
}

int rare_main(struct args *args)
{
	static const struct {
		const char *name;
		void (*run)(struct args *args);
	} kinds[] = {
		{ "direct", direct },
		{ "pinned", pinned },
		{ "relocked", relocked },
		{ "shared", shared },
	};
	const char *kind = args_text(args, "kind", "direct");
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kind, kinds[i].name))
			continue;
		kinds[i].run(args);
		return 0;
	}
	die(0, "kind=%s is none of direct, pinned, relocked and shared", kind);
}
