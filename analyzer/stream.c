// SPDX-License-Identifier: GPL-2.0-only
#include "stream.h"

#include <stdlib.h>

#define SCAN_WINDOW	(64u << 10)

void stream_init(struct stream *stream, const struct container *c,
		 const struct recording_cpu *cpu, uint32_t page_bytes,
		 uint64_t next)
{
	memset(stream, 0, sizeof(*stream));
	stream->c = c;
	stream->cpu = cpu->cpu;
	stream->page_bytes = page_bytes;
	stream->start = stream->pos = cpu->offset_bytes;
	stream->nr_missing = cpu->nr_missing_bytes;
	stream->is_compressed = c->codec != CODEC_NONE && !cpu->is_unusable;
	stream->stated_end = cpu->offset_bytes + cpu->size_bytes;
	/*
	 * The stated size of compressed data may be 4 short, or 0; the number
	 * of chunks decides, and must not contradict it.
	 */
	stream->has_size = cpu->size_bytes;
	stream->limit = stream->is_compressed ? next : stream->stated_end;
	stream->scan_limit = stream->has_size ? stream->stated_end + 4 : next;
	if (stream->limit > c->size_bytes)
		stream->limit = c->size_bytes;
	if (stream->pos > stream->limit)
		stream->limit = stream->pos;
	if (stream->scan_limit > stream->limit)
		stream->scan_limit = stream->limit;
}

static bool is_magic(enum codec_kind codec, const uint8_t *p)
{
	if (codec == CODEC_ZSTD)
		return p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd;
	/* RFC 1950: deflate with a 32K window or less, header divisible by 31 */
	return (p[0] & 0x0f) == 8 && p[0] >> 4 <= 7 && !((p[0] * 256 + p[1]) % 31);
}

static bool is_possible_usize(uint32_t page_bytes, uint32_t usize)
{
	return usize && usize <= STREAM_MAX_CHUNK && !(usize % page_bytes);
}

bool stream_is_chunk_head(const struct container *c, uint32_t page_bytes,
			  const uint8_t *p, size_t len, uint64_t room)
{
	uint32_t zsize, usize;

	if (len < 12)
		return false;
	zsize = get_u32(p, c->swap);
	usize = get_u32(p + 4, c->swap);
	return zsize >= 4 && room >= 8 && zsize <= room - 8 &&
	       is_possible_usize(page_bytes, usize) &&
	       zsize <= usize + usize / 128 + 512 && is_magic(c->codec, p + 8);
}

static int stream_search(const struct stream *stream, uint64_t from, uint64_t *ret)
{
	const struct container *c = stream->c;
	uint8_t *window = malloc(SCAN_WINDOW);
	int found = 0;

	if (!window)
		return -ERR_NOMEM;
	while (!found && from < stream->scan_limit && stream->scan_limit - from >= 12) {
		uint64_t room = stream->scan_limit - from;
		size_t len = room < SCAN_WINDOW ? room : SCAN_WINDOW;
		int64_t got = file_pread(c->fd, window, len, from);
		size_t i;

		if (got < 0) {
			found = -ERR_IO;
			break;
		}
		for (i = 0; i + 12 <= (size_t)got; i++) {
			uint8_t next[12];
			uint64_t end;

			if (!stream_is_chunk_head(c, stream->page_bytes,
						  window + i, got - i, room - i))
				continue;
			end = from + i + 8 + get_u32(window + i, c->swap);
			if (end != stream->scan_limit && end != stream->stated_end &&
			    end != stream->stated_end + 4) {
				if (file_pread(c->fd, next, 12, end) < 12 ||
				    !stream_is_chunk_head(c, stream->page_bytes,
							  next, 12,
							  stream->scan_limit - end))
					continue;
			}
			*ret = from + i;
			found = 1;
			break;
		}
		if ((size_t)got < len)
			break;
		from += len - 11;
	}
	free(window);
	return found;
}

/*
 * Look for the next chunk head from @from on: a head that is followed by
 * another, by the stated end or by the limit.  No byte is searched twice: what
 * was found is kept until @from is behind it.
 * Returns 1 with *@ret, 0 if there is none, or a negative enum err.
 */
static int stream_scan(struct stream *stream, uint64_t from, uint64_t *ret)
{
	if (!stream->has_searched || from < stream->searched_from ||
	    (stream->has_found && from > stream->found)) {
		int found = stream_search(stream, from, &stream->found);

		if (found < 0)
			return found;
		stream->has_searched = true;
		stream->searched_from = from;
		stream->has_found = found;
	}
	if (stream->has_found)
		*ret = stream->found;
	return stream->has_found;
}

/* The chain is broken at pos: a gap up to the next head or the end. */
static int stream_resync(struct stream *stream, struct stream_chunk *ret,
			 enum err cause)
{
	uint64_t next = stream->scan_limit;
	int found = stream_scan(stream, stream->pos + 1, &next);

	if (found < 0)
		return found;
	ret->cause = cause;
	ret->offset_bytes = stream->pos;
	if (found) {
		ret->gap_bytes = next - stream->pos;
		stream->pos = next;
		/* the number of chunks in the gap is not known */
		stream->has_nr_chunks = false;
	} else {
		ret->gap_bytes = stream->nr_missing +
				 (stream->scan_limit > stream->pos ?
				  stream->scan_limit - stream->pos : 1);
		stream->pos = stream->limit;
		stream->is_done = true;
	}
	return 1;
}

/* The end: what the file is too short for is the last gap. */
static int stream_end(struct stream *stream, struct stream_chunk *ret)
{
	stream->is_done = true;
	if (!stream->nr_missing)
		return 0;
	ret->cause = ERR_CPU_TRUNCATED;
	ret->offset_bytes = stream->limit;
	ret->gap_bytes = stream->nr_missing;
	return 1;
}

/* Returns 1 for a gap in *@ret, 0 to go on, or -ERR_IO. */
static int stream_begin_compressed(struct stream *stream,
				   struct stream_chunk *ret)
{
	const struct container *c = stream->c;
	uint8_t raw[16];
	int64_t got = file_pread(c->fd, raw, sizeof(raw), stream->pos);
	uint64_t room = stream->limit - stream->pos;
	uint32_t n, other;

	stream->has_begun = true;
	if (got < 0)
		return -ERR_IO;
	if (got < 4 || room < 4) {
		ret->cause = ERR_CPU_TRUNCATED;
		ret->offset_bytes = stream->pos;
		ret->gap_bytes = room + stream->nr_missing;
		stream->nr_missing = 0;
		stream->is_done = true;
		return 1;
	}
	n = get_u32(raw, c->swap);
	other = get_u32(raw, !c->swap);
	stream->pos += 4;
	/* each chunk has at least a head and one byte */
	if (n && n <= room / 9) {
		stream->has_nr_chunks = true;
		stream->nr_chunks_left = n;
		return 0;
	}
	/* big-endian 3.1.6 wrote the number in the other order */
	if (other && other <= room / 9) {
		stream->has_nr_chunks = true;
		stream->nr_chunks_left = other;
		return 0;
	}
	ret->cause = ERR_BAD_CHUNK_COUNT;
	ret->offset_bytes = stream->pos - 4;
	ret->gap_bytes = 4;
	if (got >= 16 && stream_is_chunk_head(c, stream->page_bytes, raw + 4, 12,
					      room - 4))
		return 1;
	if (!n && stream->stated_end <= stream->pos) {
		/* really nothing */
		stream->is_done = true;
		return 0;
	}
	return stream_resync(stream, ret, ERR_BAD_CHUNK_SIZE);
}

/* Is [@end, ...) the end of this CPU's data, by anything that is known? */
static bool stream_ends_at(const struct stream *stream, uint64_t end)
{
	return (stream->has_nr_chunks && stream->nr_chunks_left == 1) ||
	       end == stream->limit || end == stream->scan_limit ||
	       end == stream->stated_end || end == stream->stated_end + 4;
}

/* Read the head at pos, unless that was done while checking the chunk before. */
static int stream_read_head(struct stream *stream)
{
	int64_t got;

	if (stream->head_pos == stream->pos && stream->head_len)
		return stream->head_len;
	got = file_pread(stream->c->fd, stream->head, sizeof(stream->head),
			 stream->pos);
	if (got < 0)
		return -ERR_IO;
	stream->head_pos = stream->pos;
	stream->head_len = got;
	return got;
}

/*
 * As many chunks were read as there are said to be.  Where that contradicts the
 * stated size, or another chunk follows, the number is wrong: a gap, and the chain
 * is followed as far as it goes.
 * Returns 1 with *@ret filled, 0 at the end, or a negative enum err.
 */
static int stream_end_of_count(struct stream *stream, struct stream_chunk *ret)
{
	const struct container *c = stream->c;
	uint64_t room = stream->limit - stream->pos;
	int got = room < 12 ? 0 : stream_read_head(stream);

	if (got < 0)
		return got;
	if (stream_is_chunk_head(c, stream->page_bytes, stream->head, got, room)) {
		stream->has_nr_chunks = false;
	} else if (stream->has_size && stream->pos < stream->stated_end) {
		return stream_resync(stream, ret, ERR_BAD_CHUNK_COUNT);
	} else if (stream->has_size && stream->pos > stream->stated_end + 4) {
		stream->is_done = true;
	} else {
		return stream_end(stream, ret);
	}
	ret->cause = ERR_BAD_CHUNK_COUNT;
	ret->offset_bytes = stream->start;
	ret->gap_bytes = 4;
	return 1;
}

static int stream_next_compressed(struct stream *stream,
				  struct stream_chunk *ret)
{
	const struct container *c = stream->c;
	uint64_t room, end, next;
	int got, err;

	if (!stream->has_begun) {
		int gap = stream_begin_compressed(stream, ret);

		if (gap)
			return gap;
	}
	if (stream->is_done)
		return 0;
	if (stream->has_nr_chunks && !stream->nr_chunks_left)
		return stream_end_of_count(stream, ret);
	room = stream->limit - stream->pos;
	/* stated_end may be 4 before the last byte */
	if (!stream->has_nr_chunks &&
	    (!room || stream->pos == stream->stated_end ||
	     stream->pos >= stream->scan_limit))
		return stream_end(stream, ret);
	got = room < 9 ? 0 : stream_read_head(stream);
	if (got < 0)
		return got;
	if (got < 9) {
		ret->cause = ERR_CPU_TRUNCATED;
		ret->offset_bytes = stream->pos;
		ret->gap_bytes = room + stream->nr_missing;
		if (!ret->gap_bytes)
			ret->gap_bytes = 1;
		stream->is_done = true;
		return 1;
	}
	ret->zsize = get_u32(stream->head, c->swap);
	ret->usize = get_u32(stream->head + 4, c->swap);
	ret->head_bytes = 8;
	ret->offset_bytes = stream->pos + 8;
	ret->is_compressed = true;
	if (!ret->zsize || ret->zsize > room - 8) {
		/* the last chunk of a file that was cut? */
		err = stream_scan(stream, stream->pos + 9, &next);
		if (err < 0)
			return err;
		if (!err && stream->limit == c->size_bytes &&
		    stream_is_chunk_head(c, stream->page_bytes, stream->head,
					 got, UINT64_MAX)) {
			ret->cause = ERR_CPU_TRUNCATED;
			ret->gap_bytes = room + stream->nr_missing;
			ret->offset_bytes = stream->pos;
			stream->is_done = true;
			return 1;
		}
		return stream_resync(stream, ret, ERR_BAD_CHUNK_SIZE);
	}

	/*
	 * A size is believed if another chunk begins behind it.  If none does
	 * and one begins earlier, the size is wrong; if one begins later, it is
	 * that next head that is damaged.
	 */
	end = stream->pos + 8 + ret->zsize;
	if (!stream_ends_at(stream, end)) {
		uint64_t pos = stream->pos;

		stream->pos = end;
		got = stream_read_head(stream);
		stream->pos = pos;
		if (got < 0)
			return got;
		if (!stream_is_chunk_head(c, stream->page_bytes, stream->head,
					  got, stream->limit - end)) {
			err = stream_scan(stream, pos + 9, &next);
			if (err < 0)
				return err;
			if (err && next < end)
				return stream_resync(stream, ret,
						     ERR_BAD_CHUNK_SIZE);
		}
	}
	/* no compressor makes it that much longer */
	if (!is_possible_usize(stream->page_bytes, ret->usize) ||
	    ret->zsize > ret->usize + ret->usize / 128 + 512) {
		ret->cause = ERR_BAD_CHUNK_SIZE;
		ret->offset_bytes = stream->pos;
		ret->gap_bytes = 8 + (uint64_t)ret->zsize;
	}
	stream->pos = end;
	if (stream->has_nr_chunks)
		stream->nr_chunks_left--;
	return 1;
}

static int stream_next_plain(struct stream *stream, struct stream_chunk *ret)
{
	uint64_t room = stream->limit - stream->pos;
	uint32_t run = STREAM_RUN_BYTES < stream->page_bytes ?
		       stream->page_bytes :
		       STREAM_RUN_BYTES / stream->page_bytes * stream->page_bytes;

	if (!room)
		return stream_end(stream, ret);
	ret->offset_bytes = stream->pos;
	if (room < stream->page_bytes) {
		/* the rest of a sub-buffer: counted with what is missing */
		ret->cause = ERR_CPU_TRUNCATED;
		ret->gap_bytes = room + stream->nr_missing;
		stream->pos = stream->limit;
		stream->is_done = true;
		return 1;
	}
	if (room < run)
		run = room / stream->page_bytes * stream->page_bytes;
	ret->zsize = ret->usize = run;
	stream->pos += run;
	return 1;
}

int stream_next(struct stream *stream, struct stream_chunk *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (stream->is_done)
		return 0;
	return stream->is_compressed ? stream_next_compressed(stream, ret) :
				       stream_next_plain(stream, ret);
}

void stream_buffer_init(struct stream_buffer *buffer, enum codec_kind kind)
{
	memset(buffer, 0, sizeof(*buffer));
	codec_init(&buffer->codec, kind);
}

void stream_buffer_release(struct stream_buffer *buffer)
{
	codec_release(&buffer->codec);
	free(buffer->packed);
	free(buffer->raw);
	memset(buffer, 0, sizeof(*buffer));
}

static bool reserve(uint8_t **buf, size_t *alloc, size_t want)
{
	uint8_t *more;

	if (want <= *alloc)
		return true;
	more = malloc(want);
	if (!more)
		return false;
	free(*buf);
	*buf = more;
	*alloc = want;
	return true;
}

int stream_load(const struct container *c, const struct stream_chunk *chunk,
		struct stream_buffer *buffer)
{
	uint8_t *dst;
	int64_t got;

	if (!reserve(&buffer->raw, &buffer->raw_alloc, chunk->usize))
		return -ERR_NOMEM;
	dst = buffer->raw;
	if (chunk->is_compressed) {
		if (!reserve(&buffer->packed, &buffer->packed_alloc, chunk->zsize))
			return -ERR_NOMEM;
		dst = buffer->packed;
	}
	got = file_pread(c->fd, dst, chunk->zsize, chunk->offset_bytes);
	if (got < 0)
		return -ERR_IO;
	if ((uint64_t)got < chunk->zsize)
		return -ERR_CPU_TRUNCATED;
	if (!chunk->is_compressed)
		return 0;
	return codec_inflate(&buffer->codec, buffer->raw, chunk->usize,
			     buffer->packed, chunk->zsize);
}
