/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data of one CPU as a sequence of chunks that can be read independently:
 * compressed blocks, or runs of sub-buffers.
 */
#ifndef FOLIOSCOPE_STREAM_H
#define FOLIOSCOPE_STREAM_H

#include "container.h"

/* A block that inflates to more is refused (trace-cmd writes 10 pages). */
#define STREAM_MAX_CHUNK	(16u << 20)
/* Bytes of one run of uncompressed sub-buffers, at least one. */
#define STREAM_RUN_BYTES	(64u << 10)

struct stream {
	const struct container *c;
	int cpu;
	uint32_t page_bytes;
	uint64_t start, pos;
	uint64_t limit;		/* nothing of this CPU can lie behind */
	uint64_t scan_limit;	/* nor is searched for behind this */
	uint64_t stated_end;
	bool has_size;		/* a size is stated */
	uint64_t nr_missing;	/* bytes that the file is too short for */
	bool is_compressed, has_begun, is_done;
	bool has_nr_chunks;
	uint32_t nr_chunks_left;
	/* the head of the next chunk, read to check the one before */
	uint64_t head_pos;
	int head_len;
	uint8_t head[12];
	/* what the search for the next head found, see stream_scan() */
	bool has_searched, has_found;
	uint64_t searched_from, found;
};

/* One piece of work. */
struct stream_chunk {
	uint64_t offset_bytes;	/* of the (compressed) bytes in the file */
	uint32_t zsize, usize;	/* as in the file, and inflated */
	uint32_t head_bytes;	/* before it in the file */
	bool is_compressed;
	enum err cause;		/* not ERR_NONE: a gap */
	uint64_t gap_bytes;	/* in the file, as all bytes of a gap */
};

/*
 * stream_init(): for one CPU's entry; @next is where the next CPU's data
 * starts, or the end of the file.
 */
void stream_init(struct stream *stream, const struct container *c,
		 const struct recording_cpu *cpu, uint32_t page_bytes,
		 uint64_t next);

/*
 * stream_next(): the next chunk; reads only its head.  Where the chain of
 * chunks is broken, a gap is returned and the next call goes on at the next
 * place that looks like a chunk.
 * Returns 1 with *@ret filled, 0 at the end, or -ERR_IO.
 */
int stream_next(struct stream *stream, struct stream_chunk *ret);

/* Buffers of one thread for stream_load(). */
struct stream_buffer {
	struct codec codec;
	uint8_t *packed, *raw;
	size_t packed_alloc, raw_alloc;
};

void stream_buffer_init(struct stream_buffer *buffer, enum codec_kind kind);
void stream_buffer_release(struct stream_buffer *buffer);

/*
 * stream_load(): read and inflate @chunk (whose cause is ERR_NONE) into
 * buffer->raw.  Returns 0, -ERR_BAD_CHUNK, -ERR_CPU_TRUNCATED if the file has
 * shrunk, -ERR_IO or -ERR_NOMEM.
 */
int stream_load(const struct container *c, const struct stream_chunk *chunk,
		struct stream_buffer *buffer);

/*
 * stream_is_chunk_head(): do the @len >= 12 bytes at @p look like the head of
 * a compressed chunk: sizes that are possible and the codec's magic?
 */
bool stream_is_chunk_head(const struct container *c, uint32_t page_bytes,
			  const uint8_t *p, size_t len, uint64_t room);

#endif /* FOLIOSCOPE_STREAM_H */
