// SPDX-License-Identifier: GPL-2.0-only
#include "bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WINDOW_BYTES	(64u << 10)
#define ARENA_BYTES	(32u << 10)

int64_t file_pread(int fd, void *buf, size_t len, uint64_t off)
{
	size_t done = 0;

	/* off_t is signed: such an offset is beyond any file */
	if (off > INT64_MAX - len)
		return 0;
	while (done < len) {
		ssize_t n = pread(fd, (uint8_t *)buf + done, len - done,
				  (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += n;
	}
	return done;
}

void cursor_init_mem(struct cursor *cur, const void *mem, uint64_t len,
		     uint64_t base, bool swap)
{
	memset(cur, 0, sizeof(*cur));
	cur->fd = -1;
	cur->mem = mem;
	cur->end = len;
	cur->base = base;
	cur->swap = swap;
}

void cursor_init_file(struct cursor *cur, int fd, uint64_t off, uint64_t end,
		      bool swap)
{
	memset(cur, 0, sizeof(*cur));
	cur->fd = fd;
	cur->pos = off;
	cur->end = end;
	cur->swap = swap;
	cur->failed = off > end;
}

void cursor_release(struct cursor *cur)
{
	free(cur->window);
	cur->window = NULL;
	cur->window_alloc = cur->window_len = 0;
}

static bool cursor_fail(struct cursor *cur)
{
	cur->failed = true;
	return false;
}

/* Make @len bytes at pos present in the window; they are known to be in range. */
static bool cursor_fill(struct cursor *cur, uint64_t len)
{
	uint64_t in_window = cur->pos - cur->window_pos;
	size_t want;
	int64_t got;

	if (cur->pos >= cur->window_pos && in_window <= cur->window_len &&
	    len <= cur->window_len - in_window)
		return true;

	want = len > WINDOW_BYTES ? len : WINDOW_BYTES;
	if (want > cur->end - cur->pos)
		want = cur->end - cur->pos;
	if (want > cur->window_alloc) {
		uint8_t *window = realloc(cur->window, want);

		if (!window)
			return cursor_fail(cur);
		cur->window = window;
		cur->window_alloc = want;
	}
	cur->window_len = 0;
	got = file_pread(cur->fd, cur->window, want, cur->pos);
	if (got < 0)
		cur->is_io_error = true;
	if (got < 0 || (uint64_t)got < len)
		return cursor_fail(cur);
	cur->window_pos = cur->pos;
	cur->window_len = got;
	return true;
}

const uint8_t *cursor_bytes(struct cursor *cur, uint64_t len)
{
	static const uint8_t nothing;
	const uint8_t *p;

	if (cur->failed || len > cur->end - cur->pos) {
		cursor_fail(cur);
		return NULL;
	}
	if (!len)
		return &nothing;	/* the window may not be there yet */
	if (cur->fd < 0) {
		p = cur->mem + cur->pos;
	} else {
		if (len > CURSOR_MAX_BYTES) {
			cursor_fail(cur);
			return NULL;
		}
		if (!cursor_fill(cur, len))
			return NULL;
		p = cur->window + (cur->pos - cur->window_pos);
	}
	cur->pos += len;
	return p;
}

bool cursor_skip(struct cursor *cur, uint64_t len)
{
	if (cur->failed || len > cur->end - cur->pos)
		return cursor_fail(cur);
	cur->pos += len;
	return true;
}

bool cursor_seek(struct cursor *cur, uint64_t pos)
{
	if (cur->failed || pos > cur->end)
		return cursor_fail(cur);
	cur->pos = pos;
	return true;
}

bool cursor_u8(struct cursor *cur, uint8_t *ret)
{
	const uint8_t *p = cursor_bytes(cur, 1);

	*ret = p ? *p : 0;
	return p;
}

bool cursor_u16(struct cursor *cur, uint16_t *ret)
{
	const uint8_t *p = cursor_bytes(cur, 2);

	*ret = p ? get_u16(p, cur->swap) : 0;
	return p;
}

bool cursor_u32(struct cursor *cur, uint32_t *ret)
{
	const uint8_t *p = cursor_bytes(cur, 4);

	*ret = p ? get_u32(p, cur->swap) : 0;
	return p;
}

bool cursor_u64(struct cursor *cur, uint64_t *ret)
{
	const uint8_t *p = cursor_bytes(cur, 8);

	*ret = p ? get_u64(p, cur->swap) : 0;
	return p;
}

const char *cursor_str(struct cursor *cur, size_t max)
{
	const uint8_t *p, *nul;
	uint64_t left = cursor_left(cur);
	uint64_t start = cur->pos;

	if (max > left)
		max = left;
	p = cursor_bytes(cur, max);
	if (!p)
		return NULL;
	nul = max ? memchr(p, 0, max) : NULL;
	if (!nul) {
		cursor_fail(cur);
		return NULL;
	}
	cur->pos = start + (nul - p) + 1;
	return (const char *)p;
}

struct arena_block {
	struct arena_block *next;
	size_t used, alloc;
	_Alignas(16) uint8_t data[];
};

void *arena_alloc(struct arena *arena, size_t len)
{
	struct arena_block *block = arena->blocks;
	void *p;

	if (len > SIZE_MAX / 2)
		return NULL;
	len = (len + 15) & ~(size_t)15;
	if (!block || len > block->alloc - block->used) {
		size_t alloc = len > ARENA_BYTES ? len : ARENA_BYTES;

		block = calloc(1, sizeof(*block) + alloc);
		if (!block)
			return NULL;
		block->alloc = alloc;
		block->next = arena->blocks;
		arena->blocks = block;
	}
	p = block->data + block->used;
	block->used += len;
	return p;
}

char *arena_strndup(struct arena *arena, const void *s, size_t len)
{
	char *p;

	len = strnlen(s, len);
	p = arena_alloc(arena, len + 1);
	if (p)
		memcpy(p, s, len);
	return p;
}

void arena_release(struct arena *arena)
{
	while (arena->blocks) {
		struct arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
}

void *huge_alloc(size_t size_bytes)
{
	const size_t huge_bytes = 2u << 20;
	void *memory;

	if (size_bytes < huge_bytes)
		return malloc(size_bytes);
	if (posix_memalign(&memory, huge_bytes, size_bytes))
		return NULL;
	madvise(memory, size_bytes, MADV_HUGEPAGE);	/* a wish */
	return memory;
}
