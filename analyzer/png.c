// SPDX-License-Identifier: GPL-2.0-only
/* Layout: ISO/IEC 15948 (PNG), sections 5 and 11. */
#include "png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "err.h"

static void put_be32(uint8_t *to, uint32_t value)
{
	to[0] = value >> 24;
	to[1] = value >> 16;
	to[2] = value >> 8;
	to[3] = value;
}

/* A chunk whose data is in its place already; returns its end. */
static uint8_t *close_chunk(uint8_t *chunk, const char *type, uint32_t nr_bytes)
{
	put_be32(chunk, nr_bytes);
	memcpy(chunk + 4, type, 4);
	put_be32(chunk + 8 + nr_bytes, crc32(0, chunk + 4, nr_bytes + 4));
	return chunk + 12 + nr_bytes;
}

int png_encode(const uint8_t *rgb, unsigned width, unsigned height, uint8_t **png,
	       size_t *size_bytes)
{
	static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	size_t row_bytes = (size_t)width * 3, raw_bytes = (row_bytes + 1) * height;
	uLongf packed_bytes = compressBound(raw_bytes);
	uint8_t *raw = malloc(raw_bytes), *file = malloc(packed_bytes + 64), *at;
	unsigned y;

	if (!raw || !file)
		goto no_memory;
	for (y = 0; y < height; y++) {
		raw[y * (row_bytes + 1)] = 0;	/* no filter */
		memcpy(raw + y * (row_bytes + 1) + 1, rgb + y * row_bytes, row_bytes);
	}
	memcpy(file, signature, 8);
	at = file + 8;
	put_be32(at + 8, width);
	put_be32(at + 12, height);
	memcpy(at + 16, "\x08\x02\x00\x00\x00",
	       5); /* depth, RGB, deflate, filters, not interlaced */
	at = close_chunk(at, "IHDR", 13);
	if (compress2(at + 8, &packed_bytes, raw, raw_bytes, 9) != Z_OK)
		goto no_memory;
	at = close_chunk(at, "IDAT", packed_bytes);
	at = close_chunk(at, "IEND", 0);
	free(raw);
	*png = file;
	*size_bytes = at - file;
	return 0;

no_memory:
	free(raw);
	free(file);
	return -ERR_NOMEM;
}
