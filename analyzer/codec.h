/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decompression of one block, as trace-cmd writes them: zstd frames without a
 * content size, or RFC 1950 zlib streams.
 */
#ifndef FOLIOSCOPE_CODEC_H
#define FOLIOSCOPE_CODEC_H

#include <stddef.h>
#include <stdint.h>

enum codec_kind {
	CODEC_NONE,
	CODEC_ZSTD,
	CODEC_ZLIB,
	CODEC_UNKNOWN,
};

/* Decompressor state of one thread; zero-initialised, contexts made on demand. */
struct codec {
	enum codec_kind kind;
	void *zstd;		/* ZSTD_DCtx */
	void *zlib;		/* z_stream */
};

/* codec_kind_of(): by trace.dat's name ("none", "zstd", "zlib"). */
enum codec_kind codec_kind_of(const char *name);

void codec_init(struct codec *codec, enum codec_kind kind);
void codec_release(struct codec *codec);

/*
 * codec_inflate(): decompress all of @zlen bytes at @src into exactly @len
 * bytes at @dst.  Of zstd, junk behind the frame is accepted (trace-cmd 3.0.x
 * stored the compression bound as the size of metadata blocks).
 * Returns 0, -ERR_BAD_CHUNK if the result is not exactly @len bytes,
 * -ERR_NOMEM, or -ERR_CODEC for CODEC_UNKNOWN.
 */
int codec_inflate(struct codec *codec, void *dst, size_t len,
		  const void *src, size_t zlen);

#endif /* FOLIOSCOPE_CODEC_H */
