// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into a program: memory runs out at the allocation of one's choice.
 *
 *	FAILALLOC_AT=N		the Nth call fails, counted from 1 (0: none)
 *	FAILALLOC_ALL=1		and all after it
 *	FAILALLOC_COUNT=FILE	at exit, the number of calls is written there
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* glibc's own, under the names that it keeps for this */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t nr, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static unsigned long at, nr_calls;
static bool all, is_ready;

__attribute__((constructor)) static void begin(void)
{
	const char *text = getenv("FAILALLOC_AT");

	at = text ? strtoul(text, NULL, 10) : 0;
	all = getenv("FAILALLOC_ALL");
	is_ready = true;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAILALLOC_COUNT");
	unsigned long nr = nr_calls;
	FILE *file;

	is_ready = false;
	file = path ? fopen(path, "w") : NULL;
	if (file) {
		fprintf(file, "%lu\n", nr);
		fclose(file);
	}
}

static bool fails(void)
{
	unsigned long nr;

	if (!is_ready)
		return false;
	nr = __atomic_add_fetch(&nr_calls, 1, __ATOMIC_RELAXED);
	if (!at || nr < at || (nr > at && !all))
		return false;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __libc_calloc(nr, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **ret, size_t alignment, size_t size)
{
	void *memory = fails() ? NULL : __libc_memalign(alignment, size);

	if (!memory)
		return ENOMEM;
	*ret = memory;
	return 0;
}
