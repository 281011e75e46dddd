// SPDX-License-Identifier: GPL-2.0-only
#include "codec.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "err.h"

enum codec_kind codec_kind_of(const char *name)
{
	if (!strcmp(name, "none"))
		return CODEC_NONE;
	if (!strcmp(name, "zstd"))
		return CODEC_ZSTD;
	if (!strcmp(name, "zlib"))
		return CODEC_ZLIB;
	return CODEC_UNKNOWN;
}

void codec_init(struct codec *codec, enum codec_kind kind)
{
	memset(codec, 0, sizeof(*codec));
	codec->kind = kind;
}

void codec_release(struct codec *codec)
{
	ZSTD_freeDCtx(codec->zstd);
	if (codec->zlib) {
		inflateEnd(codec->zlib);
		free(codec->zlib);
	}
	codec->zstd = codec->zlib = NULL;
}

static int codec_inflate_zstd(struct codec *codec, void *dst, size_t len,
			      const void *src, size_t zlen)
{
	size_t ret;

	if (!codec->zstd)
		codec->zstd = ZSTD_createDCtx();
	if (!codec->zstd)
		return -ERR_NOMEM;
	ret = ZSTD_decompressDCtx(codec->zstd, dst, len, src, zlen);
	if (ret == len)
		return 0;
	if (ZSTD_isError(ret)) {
		size_t frame_len = ZSTD_findFrameCompressedSize(src, zlen);

		if (!ZSTD_isError(frame_len) && frame_len < zlen)
			ret = ZSTD_decompressDCtx(codec->zstd, dst, len, src,
						  frame_len);
	}
	return ret == len ? 0 : -ERR_BAD_CHUNK;
}

static int codec_inflate_zlib(struct codec *codec, void *dst, size_t len,
			      const void *src, size_t zlen)
{
	z_stream *z = codec->zlib;

	if (len > UINT32_MAX || zlen > UINT32_MAX)
		return -ERR_BAD_CHUNK;
	if (!z) {
		z = calloc(1, sizeof(*z));
		if (!z)
			return -ERR_NOMEM;
		if (inflateInit(z) != Z_OK) {
			free(z);
			return -ERR_NOMEM;
		}
		codec->zlib = z;
	} else if (inflateReset(z) != Z_OK) {
		return -ERR_BAD_CHUNK;
	}
	z->next_in = (void *)src;
	z->avail_in = zlen;
	z->next_out = dst;
	z->avail_out = len;
	if (inflate(z, Z_FINISH) != Z_STREAM_END || z->avail_out)
		return -ERR_BAD_CHUNK;
	return 0;
}

int codec_inflate(struct codec *codec, void *dst, size_t len,
		  const void *src, size_t zlen)
{
	switch (codec->kind) {
	case CODEC_NONE:
		if (len != zlen)
			return -ERR_BAD_CHUNK;
		memcpy(dst, src, len);
		return 0;
	case CODEC_ZSTD:
		return codec_inflate_zstd(codec, dst, len, src, zlen);
	case CODEC_ZLIB:
		return codec_inflate_zlib(codec, dst, len, src, zlen);
	case CODEC_UNKNOWN:
		break;
	}
	return -ERR_CODEC;
}
