/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload NAME [key=value...]: the workloads of the test kernel in one static
 * program. Every one takes, beside its own arguments,
 *
 *	seconds=N	end with a failure if not done by then (default 200)
 *	nice=N		priority on the CPU, from -20 (first) to 19 (default 0)
 *	ready=FILE	when done, create FILE and stay until killed
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const struct {
	const char *name;
	int (*run)(struct args *args);
} workloads[] = {
	{ "anon", anon_main },		{ "apps", apps_main },
	{ "chain", chain_main },	{ "collapse", collapse_main },
	{ "drain", drain_main },	{ "file", file_main },
	{ "forks", forks_main },	{ "hammer", hammer_main },
	{ "kv", kv_main },
	{ "lazyfree", lazyfree_main },	{ "locked", locked_main },
	{ "makefile", makefile_main },	{ "move", move_main },
	{ "rare", rare_main },		{ "search", search_main },
	{ "thp", thp_main },
};

static const char *workload_name = "workload";

void die(int errno_value, const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "workload %s: ", workload_name);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	if (errno_value)
		fprintf(stderr, ": %s", strerror(errno_value));
	fputc('\n', stderr);
	exit(1);
}

static void too_late(int signal)
{
	static const char text[] = "workload: not done within seconds=; too slow a machine?\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

const char *args_text(struct args *args, const char *key, const char *fallback)
{
	const char *value = fallback;
	size_t len = strlen(key);
	int i;

	for (i = 0; i < args->count; i++) {
		if (strncmp(args->words[i], key, len) || args->words[i][len] != '=')
			continue;
		args->used[i] = 1;
		value = args->words[i] + len + 1;
	}
	return value;
}

long args_number(struct args *args, const char *key, long fallback, long min, long max)
{
	const char *text = args_text(args, key, NULL);
	char *end;
	long value;

	if (!text)
		return fallback;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < min || value > max)
		die(0, "%s=%s is not a number from %ld to %ld", key, text, min, max);
	return value;
}

void args_done(const struct args *args)
{
	int i;

	for (i = 0; i < args->count; i++)
		if (!args->used[i])
			die(0, "no such argument: %s", args->words[i]);
}

uint64_t random_next(uint64_t *state)
{
	/* splitmix64 */
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

uint64_t random_below(uint64_t *state, uint64_t limit)
{
	return random_next(state) % limit;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_MONOTONIC, &ts))
		die(errno, "clock_gettime");
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

unsigned char *pages_map(size_t nr_pages, size_t align_bytes)
{
	size_t size = nr_pages * PAGE_BYTES;
	unsigned char *base;

	base = mmap(NULL, size + align_bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		die(errno, "cannot map %zu pages", nr_pages);
	base += -(uintptr_t)base & (align_bytes - 1);
	/* EINVAL: a kernel without huge pages */
	if (align_bytes != HUGE_BYTES && madvise(base, size, MADV_NOHUGEPAGE) && errno != EINVAL)
		die(errno, "madvise(MADV_NOHUGEPAGE)");
	return base;
}

static uint64_t stamp_word(uint64_t page, uint64_t version, size_t word)
{
	uint64_t state = page * 0x100000001b3ULL + version * 0x1000193 + word;

	/* Zeros in the last three quarters. */
	return word < PAGE_BYTES / 32 ? random_next(&state) : 0;
}

void page_stamp(unsigned char *addr, uint64_t page, uint64_t version)
{
	uint64_t *words = (uint64_t *)addr;
	size_t i;

	words[0] = page + 1;
	words[1] = version + 1;
	for (i = 2; i < PAGE_BYTES / 8; i++)
		words[i] = stamp_word(page, version, i);
}

int page_holds(const unsigned char *addr, uint64_t page, uint64_t version)
{
	const uint64_t *words = (const uint64_t *)addr;
	size_t i;

	if (words[0] != page + 1 || words[1] != version + 1)
		return 0;
	/* A sample: software emulation is slow. */
	for (i = 2; i < PAGE_BYTES / 8; i += 51)
		if (words[i] != stamp_word(page, version, i))
			return 0;
	return 1;
}

void page_check(const unsigned char *addr, uint64_t page, uint64_t version)
{
	const uint64_t *words = (const uint64_t *)addr;

	if (page_holds(addr, page, version))
		return;
	die(0, "memory is damaged: page %llu version %llu holds page %lld version %lld",
	    (unsigned long long)page, (unsigned long long)version,
	    (long long)words[0] - 1, (long long)words[1] - 1);
}

uint64_t page_check_any(const unsigned char *addr, uint64_t page)
{
	uint64_t version = ((const uint64_t *)addr)[1] - 1;

	page_check(addr, page, version);
	return version;
}

uint64_t page_pfn(const void *addr)
{
	static int fd = -1;
	uint64_t entry;

	if (fd < 0) {
		fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			die(errno, "/proc/self/pagemap");
	}
	if (pread(fd, &entry, 8, (off_t)((uintptr_t)addr / PAGE_BYTES * 8)) != 8)
		die(errno, "/proc/self/pagemap: cannot read the entry of %p", addr);
	/* Documentation/admin-guide/mm/pagemap.rst: bit 63 present, bits 0-54 pfn */
	return entry >> 63 ? entry & ((1ULL << 55) - 1) : 0;
}

void finish(struct args *args, const char *format, ...)
{
	const char *ready = args_text(args, "ready", NULL);
	va_list ap;
	int fd;

	printf("%s: ", args->workload);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	putchar('\n');
	if (fflush(stdout))
		die(errno, "cannot write the results");
	if (!ready)
		return;
	alarm(0);
	fd = open(ready, O_WRONLY | O_CREAT | O_EXCL, 0644);
	if (fd < 0)
		die(errno, "%s", ready);
	close(fd);
	for (;;)
		pause();
}

int main(int argc, char *argv[])
{
	struct args args = { 0 };
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(workloads) / sizeof(workloads[0]); i++) {
		if (strcmp(argv[1], workloads[i].name))
			continue;
		workload_name = args.workload = argv[1];
		args.count = argc - 2;
		args.words = argv + 2;
		args.used = calloc(argc, 1);
		if (!args.used)
			die(errno, "calloc");
		signal(SIGALRM, too_late);
		alarm(args_number(&args, "seconds", 200, 1, 3600));
		args_text(&args, "ready", NULL);
		if (setpriority(PRIO_PROCESS, 0, args_number(&args, "nice", 0, -20, 19)))
			die(errno, "setpriority");
		return workloads[i].run(&args);
	}
	fprintf(stderr, "Usage: workload NAME [key=value...]; names:");
	for (i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		fprintf(stderr, " %s", workloads[i].name);
	fputc('\n', stderr);
	return 2;
}
