// SPDX-License-Identifier: GPL-2.0-only
/* Layouts: formats/trace-dat.md. */
#include "trim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "container.h"
#include "decode.h"
#include "pipeline.h"
#include "stream.h"
#include "subbuf.h"
#include "timeconv.h"

#define CHUNK_PAGES 10u
#define SECTION_HEAD 16u

enum {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_FIRST_SECTION = 16,	/* to 21: offsets of sections */
	OPTION_LAST_SECTION = 21,
};

#define COMMIT_LOST (1u << 31)
#define COMMIT_STORED (1u << 30)

/* The sub-buffer being filled. */
struct out_page {
	uint8_t *bytes;
	uint32_t used;			/* of its data */
	uint64_t ts;			/* of the last record, raw */
	bool is_open, has_lost;
	int64_t nr_lost;
};

struct trim {
	const struct trim_opts *opts;
	struct trim_result *result;
	struct diag *diag;
	const char *path;
	struct container c;
	struct decoder decoder;
	struct decode_chunk decoded;
	uint8_t *probe;			/* a sub-buffer of one record */
	FILE *out;
	bool swap, compressed;
	uint32_t page_bytes;
	struct out_page page;
	/* of the CPU: events before the next record that are not there */
	bool is_lost, is_past;
	int64_t nr_lost;		/* -1: unknown */
	/* pages of the chunk being filled */
	uint8_t *chunk, *packed;
	uint32_t nr_pages;
	size_t packed_alloc;
	uint32_t nr_chunks;
	uint64_t list_at;		/* of the first list of options in the output */
	bool state_written;
};

static void store(uint8_t *to, uint64_t value, unsigned nr, bool swap)
{
	unsigned i;
	uint8_t bytes[8];

	memcpy(bytes, &value, 8);
	/* little-endian hosts only: container.h reads both, the analyzer runs on these */
	for (i = 0; i < nr; i++)
		to[i] = bytes[swap ? nr - 1 - i : i];
}

static void put(struct trim *t, uint64_t value, unsigned nr)
{
	uint8_t bytes[8];

	store(bytes, value, nr, t->swap);
	fwrite(bytes, 1, nr, t->out);
}

static int write_error(struct trim *t)
{
	return diag_set(t->diag, ERR_WRITE, "%s", strerror(errno));
}

/* @nr bytes of the input at @offset, copied to the output. */
static int copy_bytes(struct trim *t, uint64_t offset, uint64_t nr)
{
	uint8_t buf[65536];

	while (nr) {
		ssize_t len = pread(t->c.fd, buf, nr < sizeof(buf) ? nr : sizeof(buf), offset);

		if (len <= 0)
			return diag_set_at(t->diag, ERR_IO, offset,
					   "%s: cannot be read at offset %llu", t->path,
					   (unsigned long long)offset);
		if (fwrite(buf, 1, len, t->out) != (size_t)len)
			return write_error(t);
		offset += len;
		nr -= len;
	}
	return 0;
}

/*
 * sub-buffers and chunks
 */

static int write_chunk(struct trim *t)
{
	size_t nr = (size_t)t->nr_pages * t->page_bytes, size;

	if (!t->nr_pages)
		return 0;
	t->nr_pages = 0;
	t->nr_chunks++;
	if (!t->compressed) {
		fwrite(t->chunk, 1, nr, t->out);
		return ferror(t->out) ? write_error(t) : 0;
	}
	if (t->c.codec == CODEC_ZSTD) {
		size = ZSTD_compress(t->packed, t->packed_alloc, t->chunk, nr, 3);
		if (ZSTD_isError(size))
			return diag_set(t->diag, ERR_BUG, "zstd: %s", ZSTD_getErrorName(size));
	} else {
		uLongf packed = t->packed_alloc;

		if (compress2(t->packed, &packed, t->chunk, nr, 6) != Z_OK)
			return diag_set(t->diag, ERR_BUG, "zlib cannot compress");
		size = packed;
	}
	put(t, size, 4);
	put(t, nr, 4);
	fwrite(t->packed, 1, size, t->out);
	return ferror(t->out) ? write_error(t) : 0;
}

static int close_page(struct trim *t)
{
	const struct subbuf_layout *layout = &t->decoder.layout;
	struct out_page *page = &t->page;
	uint64_t commit = page->used;

	if (!page->is_open)
		return 0;
	if (page->has_lost) {
		commit |= COMMIT_LOST;
		if (page->nr_lost > 0) {
			commit |= COMMIT_STORED;
			store(page->bytes + layout->data_offset + page->used, page->nr_lost,
			      layout->commit_bytes, t->swap);
		}
	}
	store(page->bytes + layout->commit_offset, commit, layout->commit_bytes, t->swap);
	memcpy(t->chunk + (size_t)t->nr_pages * t->page_bytes, page->bytes, t->page_bytes);
	page->is_open = false;
	page->has_lost = false;
	return ++t->nr_pages == CHUNK_PAGES ? write_chunk(t) : 0;
}

static void open_page(struct trim *t, uint64_t ts)
{
	struct out_page *page = &t->page;

	memset(page->bytes, 0, t->page_bytes);
	store(page->bytes, ts, 8, t->swap);
	page->used = 0;
	page->ts = ts;
	page->is_open = true;
}

static void put_word(struct trim *t, uint32_t type, uint32_t delta)
{
	uint32_t word = t->decoder.layout.big_endian ? type << 27 | delta : delta << 5 | type;

	store(t->page.bytes + t->decoder.layout.data_offset + t->page.used, word, 4, t->swap);
	t->page.used += 4;
}

static void put_value(struct trim *t, uint32_t value)
{
	store(t->page.bytes + t->decoder.layout.data_offset + t->page.used, value, 4, t->swap);
	t->page.used += 4;
}

/* One record; @len is a multiple of 4. */
static int put_record(struct trim *t, uint64_t ts, const uint8_t *payload, uint32_t len)
{
	const struct subbuf_layout *layout = &t->decoder.layout;
	struct out_page *page = &t->page;
	/* room for the number of lost events behind the data */
	uint32_t room = t->page_bytes - layout->data_offset - layout->commit_bytes;
	uint64_t delta;
	int ret;

	if (page->is_open && (ts < page->ts || page->used + len + 16 > room)) {
		ret = close_page(t);
		if (ret)
			return ret;
	}
	if (len + 16 > room)
		return diag_set(t->diag, ERR_BUG,
				"%s: a record of %u bytes does not fit its sub-buffers", t->path,
				len);
	if (!page->is_open)
		open_page(t, ts);
	delta = ts - page->ts;
	if (delta >> 27) {
		put_word(t, SUBBUF_TYPE_TIME_EXTEND, delta & ((1u << 27) - 1));
		put_value(t, delta >> 27);
		delta = 0;
	}
	if (len && len <= 4 * SUBBUF_TYPE_MAX_DATA) {
		put_word(t, len / 4, delta);
	} else {
		put_word(t, SUBBUF_TYPE_LONG, delta);
		put_value(t, len + 4);
	}
	memcpy(page->bytes + layout->data_offset + page->used, payload, len);
	page->used += len;
	page->ts = ts;
	return 0;
}

unsigned trim_text_bytes(uint32_t page_bytes)
{
	/* header, number of lost events, fields of ftrace:print, time extend, end of line */
	const uint32_t others = 16 + 8 + 24 + 16 + 2;

	return page_bytes > others ? page_bytes - others : 0;
}

/* @text, as a record of ftrace:print at @ts. */
static int put_text(struct trim *t, uint64_t ts, const char *text)
{
	const struct decode_plan *plan = &t->decoder.plans[EV_MARKER];
	size_t len = plan->text_offset + strlen(text) + 2;
	uint8_t *record;
	int ret;

	if (len > t->page_bytes)
		return diag_set(t->diag, ERR_BAD_FORMAT,
				"%s: the format of ftrace:print leaves no room for the state",
				t->path);
	record = calloc(1, len + 4);
	if (!record)
		return diag_set(t->diag, ERR_NOMEM, "%s: %s", t->path, err_text(ERR_NOMEM));
	store(record, plan->format.id, 2, t->swap);
	memcpy(record + plan->text_offset, text, strlen(text));
	record[plan->text_offset + strlen(text)] = '\n';
	ret = put_record(t, ts, record, (len + 3) & ~3u);
	free(record);
	return ret;
}

static int put_state(struct trim *t, uint64_t ts)
{
	uint64_t i;
	int ret = 0;

	for (i = 0; i < t->opts->nr_state && !ret; i++)
		ret = put_text(t, ts, t->opts->state[i]);
	t->state_written = true;
	return ret;
}

/*
 * one CPU
 */

/* What the record between @from and @to of the data is, and when. */
static const struct event *probe(struct trim *t, unsigned cpu, const struct subbuf *sub,
				 uint32_t from, uint32_t to, uint64_t ts_before, uint64_t *ts_ns,
				 bool *has_time)
{
	const struct subbuf_layout *layout = &t->decoder.layout;

	store(t->probe, ts_before, 8, t->swap);
	store(t->probe + layout->commit_offset, to - from, layout->commit_bytes, t->swap);
	memcpy(t->probe + layout->data_offset, sub->data + from, to - from);
	decode_chunk_clear(&t->decoded);
	t->decoded.has_time = false;
	if (decode_page(&t->decoder, &t->decoded, cpu, t->probe, 0))
		return NULL;
	*has_time = t->decoded.has_time;
	*ts_ns = t->decoded.first_ts_ns;
	return t->decoded.nr == 1 ? &t->decoded.events[0] : NULL;
}

static bool is_lru_gen(const struct event *ev)
{
	return ev && ev->kind >= EV_ADD && ev->kind <= EV_HITSHIELD;
}

static bool is_wanted(const struct selection *s, const struct event *ev)
{
	if (selection_is_whole(s))
		return true;
	if (!is_lru_gen(ev))
		return ev && ev->kind == EV_MARKER;
	if (!selection_has_memcg(s, ev->memcg))
		return false;
	if (ev->pfn == UINT64_MAX || selection_has_pfn(s, ev->pfn))
		return true;
	return ev->kind == EV_MIGRATE && selection_has_pfn(s, ev->u.migrate.new_pfn);
}

/* Events are missing where the output is now; they count with those before. */
static void note_loss(struct trim *t, int64_t nr_lost)
{
	t->nr_lost = t->is_lost || nr_lost <= 0 ? -1 : nr_lost;
	t->is_lost = true;
}

/* A page that says so before its first record, which is at @ts. */
static int open_lost_page(struct trim *t, uint64_t ts)
{
	int ret = close_page(t);

	if (ret)
		return ret;
	open_page(t, ts);
	t->page.has_lost = true;
	t->page.nr_lost = t->nr_lost;
	t->is_lost = false;
	return 0;
}

static int trim_page(struct trim *t, unsigned cpu, const uint8_t *bytes)
{
	const struct subbuf_layout *layout = &t->decoder.layout;
	bool big_endian = layout->big_endian;
	struct subbuf sub;
	uint32_t pos = 0, before, len;
	const uint8_t *payload;
	uint64_t ts;
	int ret;

	if (subbuf_begin(layout, bytes, &sub) != SUBBUF_OK ||
	    subbuf_check(layout, bytes, NULL) != SUBBUF_OK) {
		t->result->nr_gaps++;
		if (!t->is_past)
			note_loss(t, -1);
		return 0;
	}
	if (sub.has_lost && !t->is_past)
		note_loss(t, sub.nr_lost);
	ts = sub.ts_ns;
	for (;;) {
		uint64_t ts_before = ts, ts_ns = 0;
		const struct event *ev;
		bool has_time = false, is_kept;

		before = pos;
		switch (subbuf_step(sub.data, sub.size_bytes, &pos, &ts, t->swap, big_endian,
				    &payload, &len)) {
		case SUBBUF_STEP_RECORD:
			break;
		case SUBBUF_STEP_SKIP:
		case SUBBUF_STEP_DISCARDED:
			continue;
		default:
			return 0;
		}
		t->result->nr_read++;
		ev = probe(t, cpu, &sub, before, pos, ts_before, &ts_ns, &has_time);
		if (has_time && ts_ns < t->opts->from_ns)
			t->is_lost = false;	/* before the part */
		if (!has_time || ts_ns < t->opts->from_ns)
			continue;
		if (ts_ns > t->opts->to_ns) {
			/* a loss before it began in the part */
			t->is_past = true;
			continue;
		}
		if (!t->state_written && cpu == t->opts->state_cpu &&
		    ts_ns >= t->opts->state_ns && t->opts->nr_state) {
			ret = put_state(t, ts);
			if (ret)
				return ret;
		}
		is_kept = is_wanted(t->opts->selection, ev);
		if (!is_kept && (cpu != t->opts->end_cpu || ts_ns != t->opts->end_ns))
			continue;
		if (t->is_lost) {
			ret = open_lost_page(t, ts);
			if (ret)
				return ret;
		}
		t->result->nr_kept += is_kept;
		t->result->nr_events += is_kept && is_lru_gen(ev);
		ret = is_kept ? put_record(t, ts, payload, len) : put_text(t, ts, TRIM_END_TEXT);
		if (ret)
			return ret;
	}
}

static int trim_cpu(struct trim *t, const struct recording_cpu *cpu, uint64_t next)
{
	struct stream_buffer buffer;
	struct stream_chunk chunk;
	struct stream stream;
	int ret, err = 0;

	t->is_lost = t->is_past = false;
	t->page.ts = 0;
	stream_buffer_init(&buffer, t->c.codec);
	stream_init(&stream, &t->c, cpu, t->page_bytes, next);
	while (!err && (ret = stream_next(&stream, &chunk)) > 0) {
		uint32_t at;

		if (pipeline_interrupted) {
			err = diag_set(t->diag, ERR_INTERRUPTED,
				       "%s: interrupted, nothing was written", t->path);
			break;
		}
		if (chunk.cause != ERR_NONE || stream_load(&t->c, &chunk, &buffer)) {
			t->result->nr_gaps++;
			if (!t->is_past)
				note_loss(t, -1);
			continue;
		}
		for (at = 0; !err && at + t->page_bytes <= chunk.usize; at += t->page_bytes)
			err = trim_page(t, cpu->cpu, buffer.raw + at);
	}
	stream_buffer_release(&buffer);
	if (!err && cpu->nr_missing_bytes && !t->is_past)
		note_loss(t, -1);
	/* events are missing up to the end: a page that says so and has no record */
	if (!err && t->is_lost)
		err = open_lost_page(t, t->page.ts);
	if (!err)
		err = close_page(t);
	if (!err)
		err = write_chunk(t);
	return err;
}

/*
 * the container
 */

/* Walk the lists of options; each is copied but for what is written anew. */
static int copy_options(struct trim *t, uint64_t list)
{
	uint64_t offsets[OPTION_LAST_SECTION + 1] = { 0 };
	unsigned nr_lists = 0, pass;
	uint64_t first = list, size_at = 0, end;

	/* the sections first, so that their new places are known */
	for (pass = 0; pass < 2; pass++) {
		if (pass) {
			t->list_at = ftello(t->out);
			put(t, OPTION_DONE, 2);
			put(t, 0, 2);
			put(t, 0, 4);
			size_at = ftello(t->out);
			put(t, 0, 8);
		}
		for (list = first, nr_lists = 0; list && nr_lists < 1000; nr_lists++) {
			uint8_t head[SECTION_HEAD], option[6];
			uint64_t at = list + SECTION_HEAD, limit;

			if (pread(t->c.fd, head, sizeof(head), list) != sizeof(head))
				goto damaged;
			if (get_u16(head + 2, t->swap) & 1)
				return diag_set_at(t->diag, ERR_CODEC, list,
						   "%s: the options at offset %llu are compressed, which trim "
						   "does not support",
						   t->path, (unsigned long long)list);
			limit = at + get_u64(head + 8, t->swap);
			list = 0;
			while (at + 6 <= limit) {
				uint8_t value[8];
				unsigned id;
				uint32_t len;

				if (pread(t->c.fd, option, 6, at) != 6)
					goto damaged;
				id = get_u16(option, t->swap);
				len = get_u32(option + 2, t->swap);
				if (len >= 8 && pread(t->c.fd, value, 8, at + 6) != 8)
					goto damaged;
				if (id == OPTION_DONE) {
					list = len >= 8 ? get_u64(value, t->swap) : 0;
					break;
				}
				if (id >= OPTION_FIRST_SECTION && id <= OPTION_LAST_SECTION &&
				    len == 8) {
					uint64_t section = get_u64(value, t->swap);

					if (!pass && !offsets[id]) {
						if (pread(t->c.fd, head, sizeof(head), section) !=
						    sizeof(head))
							goto damaged;
						offsets[id] = ftello(t->out);
						if (copy_bytes(t, section,
							       SECTION_HEAD +
								       get_u64(head + 8, t->swap)))
							return -t->diag->err;
					} else if (pass) {
						put(t, id, 2);
						put(t, 8, 4);
						put(t, offsets[id], 8);
					}
				} else if (pass && id != OPTION_BUFFER) {
					/* a CPUSTAT counts what the whole recording lost: it stays
					 */
					if (copy_bytes(t, at, 6 + len))
						return -t->diag->err;
				}
				at += 6 + len;
			}
		}
	}
	/* the next list, with the buffer, comes behind the data: patched later */
	put(t, OPTION_DONE, 2);
	put(t, 8, 4);
	put(t, 0, 8);
	end = ftello(t->out);
	fseeko(t->out, size_at, SEEK_SET);
	put(t, end - size_at - 8, 8);
	fseeko(t->out, end, SEEK_SET);
	return 0;

damaged:
	return diag_set(t->diag, ERR_BAD_OPTIONS, "%s: the options are damaged", t->path);
}

static void patch(struct trim *t, uint64_t at, uint64_t value)
{
	uint64_t end = ftello(t->out);

	fseeko(t->out, at, SEEK_SET);
	put(t, value, 8);
	fseeko(t->out, end, SEEK_SET);
}

/* Where the data of a CPU went in the output. */
struct place {
	uint64_t offset, size;
};

/* The data of all CPUs, each from a multiple of CONTAINER_ALIGN on. */
static int write_cpus(struct trim *t, const struct recording_buffer *buffer, struct place *places)
{
	unsigned i, k;
	int ret = 0;

	for (i = 0; i < buffer->nr_cpus && !ret; i++) {
		uint64_t next = t->c.size_bytes, end;

		while (ftello(t->out) % CONTAINER_ALIGN)
			fputc(0, t->out);
		for (k = 0; k < buffer->nr_cpus; k++)
			if (buffer->cpus[k].offset_bytes > buffer->cpus[i].offset_bytes &&
			    buffer->cpus[k].offset_bytes < next)
				next = buffer->cpus[k].offset_bytes;
		places[i].offset = ftello(t->out);
		t->nr_chunks = 0;
		if (t->compressed)
			put(t, 0, 4);
		ret = trim_cpu(t, &buffer->cpus[i], next);
		end = ftello(t->out);
		places[i].size = end - places[i].offset;
		if (t->compressed) {
			fseeko(t->out, places[i].offset, SEEK_SET);
			put(t, t->nr_chunks, 4);
			fseeko(t->out, end, SEEK_SET);
		}
	}
	return ret;
}

/* Version 7: the buffer is a section, and the last list of options points to it. */
static int write_buffer_section(struct trim *t, const struct recording_buffer *buffer,
				struct place *places, uint64_t done_at)
{
	const char *name = "", *clock = buffer->clock ? buffer->clock : "";
	uint64_t section, size_at, list, list_size_at;
	unsigned i;
	int ret;

	section = ftello(t->out);
	put(t, OPTION_BUFFER, 2);
	put(t, t->compressed, 2);
	put(t, 0, 4);
	size_at = ftello(t->out);
	put(t, 0, 8);
	ret = write_cpus(t, buffer, places);
	if (ret)
		return ret;
	patch(t, size_at, ftello(t->out) - size_at - 8);
	list = ftello(t->out);
	put(t, OPTION_DONE, 2);
	put(t, 0, 2);
	put(t, 0, 4);
	list_size_at = ftello(t->out);
	put(t, 0, 8);
	put(t, OPTION_BUFFER, 2);
	put(t, 8 + strlen(name) + 1 + strlen(clock) + 1 + 8 + 20 * buffer->nr_cpus, 4);
	put(t, section, 8);
	fwrite(name, 1, strlen(name) + 1, t->out);
	fwrite(clock, 1, strlen(clock) + 1, t->out);
	put(t, t->page_bytes, 4);
	put(t, buffer->nr_cpus, 4);
	for (i = 0; i < buffer->nr_cpus; i++) {
		put(t, buffer->cpus[i].cpu, 4);
		put(t, places[i].offset, 8);
		put(t, places[i].size, 8);
	}
	put(t, OPTION_DONE, 2);
	put(t, 8, 4);
	put(t, 0, 8);
	patch(t, list_size_at, ftello(t->out) - list_size_at - 8);
	patch(t, done_at, list);
	return 0;
}

static int write_v7(struct trim *t, const struct recording_buffer *buffer, struct place *places)
{
	const struct recording_info *info = &t->c.info;
	/* magic, version, byte order, long, page, codec, its version */
	uint64_t options_at = 18 + strlen(info->codec) + 1 +
			      (info->codec_version ? strlen(info->codec_version) : 0) + 1;
	int ret;

	ret = copy_bytes(t, 0, options_at);
	if (ret)
		return ret;
	put(t, 0, 8);
	ret = copy_options(t, t->c.options_offset);
	if (ret)
		return ret;
	ret = write_buffer_section(t, buffer, places, ftello(t->out) - 8);
	if (ret)
		return ret;
	patch(t, options_at, t->list_at);
	return 0;
}

/* Version 6: everything up to the table of CPUs stays, and what is behind it. */
static int write_v6(struct trim *t, const struct recording_buffer *buffer, struct place *places)
{
	uint64_t table_at = t->c.cpu_table_offset;
	unsigned i;
	int ret;

	ret = copy_bytes(t, 0, t->c.cpu_table_end);
	if (ret)
		return ret;
	ret = write_cpus(t, buffer, places);
	if (ret)
		return ret;
	for (i = 0; i < buffer->nr_cpus; i++) {
		patch(t, table_at + 16 * buffer->cpus[i].cpu, places[i].offset);
		patch(t, table_at + 16 * buffer->cpus[i].cpu + 8, places[i].size);
	}
	return 0;
}

static int write_all(struct trim *t)
{
	const struct recording_buffer *buffer = &t->c.info.buffers[t->opts->buffer];
	struct place *places;
	int ret;

	t->page_bytes = buffer->page_size_bytes;
	t->decoder.layout.page_bytes = t->page_bytes;
	t->page.bytes = malloc(t->page_bytes);
	t->probe = calloc(1, t->page_bytes);
	t->chunk = malloc((size_t)t->page_bytes * CHUNK_PAGES);
	t->packed_alloc = ZSTD_compressBound((size_t)t->page_bytes * CHUNK_PAGES) + 1024;
	t->packed = malloc(t->packed_alloc);
	places = calloc(buffer->nr_cpus + 1, sizeof(*places));
	if (!t->page.bytes || !t->probe || !t->chunk || !t->packed || !places)
		ret = diag_set(t->diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	else
		ret = t->c.info.version == 6 ? write_v6(t, buffer, places) :
					       write_v7(t, buffer, places);
	free(places);
	if (!ret && (fflush(t->out) || ferror(t->out)))
		ret = write_error(t);
	return ret;
}

int trim_write(const char *path, FILE *out, const struct trim_opts *opts,
	       struct trim_result *result, struct diag *diag)
{
	struct trim t = { .opts = opts, .result = result, .diag = diag, .path = path, .out = out };
	struct problem_list problems = { 0 };
	int ret;

	memset(result, 0, sizeof(*result));
	ret = container_open(&t.c, path, false, diag);
	if (ret)
		return ret;
	if (t.c.info.version == 6 && t.c.info.nr_buffers > 1) {
		ret = diag_set(diag, ERR_VERSION,
			       "%s: trim reads version 6 only without instances; trace-cmd convert "
			       "--file-version 7 makes a file that it reads",
			       path);
		goto close;
	}
	if (t.c.codec == CODEC_UNKNOWN) {
		ret = diag_set(diag, ERR_CODEC, "%s: %s", path, err_text(ERR_CODEC));
		goto close;
	}
	t.swap = t.c.swap;
	t.compressed = t.c.codec != CODEC_NONE;
	ret = decode_init(&t.decoder, &t.c, &problems, diag);
	if (ret < 0)
		goto close;
	if (!t.decoder.plans[EV_MARKER].is_valid && opts->nr_state) {
		ret = diag_set(diag, ERR_MISSING_FIELD,
			       "%s: has no format of ftrace:print, so the state cannot be written",
			       path);
		goto release;
	}
	ret = decode_chunk_init(&t.decoded, &t.decoder);
	if (ret) {
		diag_set(diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
		goto release;
	}
	ret = write_all(&t);
	decode_chunk_release(&t.decoded);
release:
	decode_release(&t.decoder);
close:
	problem_release(&problems);
	container_release(&t.c);
	free(t.page.bytes);
	free(t.probe);
	free(t.chunk);
	free(t.packed);
	return ret;
}
