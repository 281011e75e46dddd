/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Integers of a recorder's byte order in untrusted memory, arithmetic that
 * tells when it overflows, and a cursor that never leaves its input.
 */
#ifndef FOLIOSCOPE_BYTES_H
#define FOLIOSCOPE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* get_u*(): load from any alignment, byte-swapped if @swap. */
static inline uint16_t get_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t get_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t get_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* is_big_endian_host(): does this machine store the high byte first? */
static inline bool is_big_endian_host(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

/* range_fits(): does [off, off + len) lie within [0, end)?  No overflow. */
static inline bool range_fits(uint64_t off, uint64_t len, uint64_t end)
{
	return off <= end && len <= end - off;
}

/* file_pread(): like pread(2), repeated until @len bytes or the end of file.
 * Returns the bytes read (less than @len only at the end), or -1 with errno.
 */
int64_t file_pread(int fd, void *buf, size_t len, uint64_t off);

/*
 * Walks a range of a file or of memory.  The first failure sticks: every later
 * call fails too, so that a sequence needs one check.
 */
struct cursor {
	int fd;			/* -1: memory */
	bool swap;
	bool failed;
	bool is_io_error;	/* failed because the file could not be read */
	uint64_t pos, end;	/* file: offsets; memory: indexes */
	const uint8_t *mem;	/* memory mode */
	uint8_t *window;	/* file mode, owned */
	size_t window_alloc, window_len;
	uint64_t window_pos;
	uint64_t base;		/* file offset of mem[0], for messages */
};

/* cursor_init_mem(): @len bytes at @mem, which must outlive the cursor. */
void cursor_init_mem(struct cursor *cur, const void *mem, uint64_t len,
		     uint64_t base, bool swap);

/* cursor_init_file(): [@off, @end) of @fd; cursor_release() frees its buffer. */
void cursor_init_file(struct cursor *cur, int fd, uint64_t off, uint64_t end,
		      bool swap);
void cursor_release(struct cursor *cur);

/* cursor_left(): bytes left; 0 after a failure. */
static inline uint64_t cursor_left(const struct cursor *cur)
{
	return cur->failed ? 0 : cur->end - cur->pos;
}

/* cursor_offset(): where the cursor stands in the file, for messages. */
static inline uint64_t cursor_offset(const struct cursor *cur)
{
	return cur->fd >= 0 ? cur->pos : cur->base + cur->pos;
}

/*
 * cursor_bytes(): the next @len bytes, and step over them.  They stay valid
 * until the next call.  Returns NULL and fails the cursor if there are fewer, or
 * if @len is beyond CURSOR_MAX_BYTES in file mode.
 */
#define CURSOR_MAX_BYTES	(256u << 20)
const uint8_t *cursor_bytes(struct cursor *cur, uint64_t len);

/* cursor_skip(), cursor_seek(): false (and failed) beyond the end. */
bool cursor_skip(struct cursor *cur, uint64_t len);
bool cursor_seek(struct cursor *cur, uint64_t pos);

/* cursor_u*(): next integer; false (and *@ret = 0) if it is not all there. */
bool cursor_u8(struct cursor *cur, uint8_t *ret);
bool cursor_u16(struct cursor *cur, uint16_t *ret);
bool cursor_u32(struct cursor *cur, uint32_t *ret);
bool cursor_u64(struct cursor *cur, uint64_t *ret);

/*
 * cursor_str(): the next NUL-terminated string, of at most @max bytes with its
 * NUL.  Returns NULL and fails the cursor if there is no NUL within them;
 * otherwise the string, valid until the next call.
 */
const char *cursor_str(struct cursor *cur, size_t max);

/* Strings and small tables that live as long as their owner. */
struct arena {
	struct arena_block *blocks;
};

/* arena_alloc(): @len zeroed bytes, aligned to 16; NULL if out of memory. */
void *arena_alloc(struct arena *arena, size_t len);

/* arena_strndup(): a terminated copy of up to @len bytes (cut at a NUL). */
char *arena_strndup(struct arena *arena, const void *s, size_t len);

/* arena_release(): free everything that was allocated from it. */
void arena_release(struct arena *arena);

/*
 * huge_alloc(): @size_bytes > 0 of memory, not cleared, for free(). From 2 MiB on
 * it is aligned to that and the kernel is asked for huge pages. NULL without
 * memory.
 */
void *huge_alloc(size_t size_bytes);

#endif /* FOLIOSCOPE_BYTES_H */
