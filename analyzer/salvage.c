// SPDX-License-Identifier: GPL-2.0-only
#include "salvage.h"

#include <inttypes.h>
#include <stdlib.h>

#include "array.h"
#include "stream.h"

#define SCAN_BYTES	(1u << 20)

struct found {
	uint64_t offset, size;
};

struct found_list {
	struct found *items;
	unsigned nr, nr_alloc;
};

static int found_add(struct found_list *list, uint64_t offset, uint64_t size)
{
	if (array_grow(&list->items, list->nr, &list->nr_alloc, sizeof(*list->items)))
		return -ERR_NOMEM;
	list->items[list->nr++] = (struct found){ offset, size };
	return 0;
}

/* Hop over the chunks from @pos on; returns where the chain ends. */
static uint64_t hop_chunks(const struct container *c, uint32_t page_bytes,
			   uint64_t pos)
{
	uint8_t head[12];

	while (c->size_bytes - pos >= 12 &&
	       file_pread(c->fd, head, 12, pos) == 12 &&
	       stream_is_chunk_head(c, page_bytes, head, 12, c->size_bytes - pos))
		pos += 8 + (uint64_t)get_u32(head, c->swap);
	/* a last chunk that the file is too short for belongs to it too */
	if (c->size_bytes - pos >= 12 &&
	    file_pread(c->fd, head, 12, pos) == 12 &&
	    stream_is_chunk_head(c, page_bytes, head, 12, UINT64_MAX))
		pos = c->size_bytes;
	return pos;
}

/* Does a CPU's data start at @p, with @len bytes of it here? */
static bool is_start(const struct container *c,
		     const struct subbuf_layout *layout, const uint8_t *p,
		     size_t len, uint64_t offset)
{
	struct subbuf_stats stats;

	if (c->codec != CODEC_NONE)
		return len >= 16 &&
		       stream_is_chunk_head(c, layout->page_bytes, p + 4,
					    len - 4, c->size_bytes - offset - 4);
	return len >= layout->page_bytes && !subbuf_check(layout, p, &stats) &&
	       stats.nr_records && stats.page_ts_ns;
}

static int scan_compressed(struct container *c,
			   const struct subbuf_layout *layout,
			   struct found_list *list)
{
	uint64_t pos = (c->scan_from + CONTAINER_ALIGN - 1) / CONTAINER_ALIGN * CONTAINER_ALIGN;
	uint8_t *window = malloc(SCAN_BYTES);
	int err = window ? 0 : -ERR_NOMEM;

	while (!err && pos < c->size_bytes) {
		int64_t got = file_pread(c->fd, window, SCAN_BYTES, pos);
		uint64_t next = pos + SCAN_BYTES, i;

		if (got < 0)
			err = -ERR_IO;
		for (i = 0; !err && (int64_t)i < got; i += CONTAINER_ALIGN) {
			uint64_t end;

			if (!is_start(c, layout, window + i, got - i, pos + i))
				continue;
			end = hop_chunks(c, layout->page_bytes, pos + i + 4);
			err = found_add(list, pos + i, end - (pos + i));
			next = (end + CONTAINER_ALIGN - 1) / CONTAINER_ALIGN * CONTAINER_ALIGN;
			break;
		}
		pos = next;
	}
	free(window);
	return err;
}

/*
 * Uncompressed sub-buffers follow each other without a mark; where the time
 * jumps back by more than nested events explain, the next CPU begins.
 */
static int scan_plain(struct container *c, const struct subbuf_layout *layout,
		      struct found_list *list)
{
	uint32_t page_bytes = layout->page_bytes;
	uint64_t pos = (c->scan_from + CONTAINER_ALIGN - 1) / CONTAINER_ALIGN * CONTAINER_ALIGN;
	uint64_t start = 0, last_ts = 0;
	uint8_t *page = malloc(page_bytes);
	bool is_inside = false;
	int err = page ? 0 : -ERR_NOMEM;

	while (!err && c->size_bytes >= page_bytes &&
	       pos <= c->size_bytes - page_bytes) {
		struct subbuf_stats stats;
		int64_t got = file_pread(c->fd, page, page_bytes, pos);
		bool is_page;

		if (got < 0) {
			err = -ERR_IO;
			break;
		}
		is_page = got == page_bytes &&
			  !subbuf_check(layout, page, &stats) &&
			  (stats.nr_records || is_inside) && stats.page_ts_ns;
		if (is_inside && (!is_page || (stats.nr_records &&
					       stats.page_ts_ns < last_ts))) {
			err = found_add(list, start, pos - start);
			is_inside = false;
		}
		if (is_page && !is_inside) {
			is_inside = true;
			start = pos;
		}
		if (is_page && stats.nr_records)
			last_ts = stats.last_ts_ns;
		pos += is_page ? page_bytes : CONTAINER_ALIGN;
	}
	if (!err && is_inside)
		err = found_add(list, start, pos - start);
	free(page);
	return err;
}

/* Behind the data of all buffers that the file names. */
static void skip_known(struct container *c, const struct subbuf_layout *layout)
{
	unsigned i, k;

	for (i = 0; i < c->info.nr_buffers; i++)
		for (k = 0; k < c->buffers[i].nr_cpus; k++) {
			const struct recording_cpu *cpu = &c->buffers[i].cpus[k];
			uint64_t end = cpu->offset_bytes + cpu->size_bytes;

			if (!cpu->is_unusable && end > c->scan_from)
				c->scan_from = end;
		}
	/* some writers state too small a size; each chunk is hopped over once */
	for (i = 0; i < c->nr_starts && c->codec != CODEC_NONE; i++)
		if (c->starts[i] >= c->scan_from && c->starts[i] < c->size_bytes - 4)
			c->scan_from = hop_chunks(c, layout->page_bytes, c->starts[i] + 4);
}

/*
 * What of the data cannot be there: sub-buffers do not say whether the last found is
 * the last written, and a CPU of which nothing was found may have been cut off. More
 * pieces than CPUs are of several instances, each with a piece for each CPU that
 * logged something; how many instances there were is not known any more.
 * Returns 0 or -ERR_NOMEM.
 */
static int note_missing(struct container *c, struct recording_buffer *buffer)
{
	struct recording_cpu *cpus = (struct recording_cpu *)buffer->cpus;
	struct recording_cpu missing = {
		.cpu = buffer->nr_cpus,
		.offset_bytes = c->size_bytes,
		.nr_missing_bytes = 1,
		.is_unusable = true,
	};

	if (c->codec == CODEC_NONE) {
		cpus[buffer->nr_cpus - 1].nr_missing_bytes = 1;
		problem_note(&c->problems, ERR_CPU_TRUNCATED, c->size_bytes,
			     "whether the data of the last CPU is complete is unknown");
	}
	if (buffer->nr_cpus >= CONTAINER_MAX_CPU)
		return 0;
	if (c->info.has_cpu_count && c->info.cpu_count && buffer->nr_cpus % c->info.cpu_count == 0) {
		problem_note(&c->problems, ERR_SALVAGED, c->size_bytes,
			     "nothing says that data is missing, unless there was one more instance");
		return 0;
	}
	if (c->info.has_cpu_count && buffer->nr_cpus > c->info.cpu_count)
		problem_note(&c->problems, ERR_CPU_TRUNCATED, c->size_bytes,
			     "%u pieces of data for %" PRIu32 " CPUs are of several instances; the data of some CPU may be missing in one of them",
			     buffer->nr_cpus, c->info.cpu_count);
	else if (c->info.has_cpu_count)
		problem_note(&c->problems, ERR_CPU_TRUNCATED, c->size_bytes,
			     "data of %u of %" PRIu32
			     " CPUs was found; what the others logged is missing",
			     buffer->nr_cpus, c->info.cpu_count);
	else
		problem_note(&c->problems, ERR_CPU_TRUNCATED, c->size_bytes,
			     "how many CPUs there were is unknown; the data of some may be missing");
	return container_add_cpu(c, buffer, &missing);
}

int salvage_buffers(struct container *c, const struct subbuf_layout *layout,
		    struct diag *diag)
{
	struct recording_buffer *buffer;
	struct found_list list = { 0 };
	bool has_others = c->info.nr_buffers;
	uint64_t bytes = 0;
	unsigned i;
	int err;

	skip_known(c, layout);
	err = c->codec != CODEC_NONE ? scan_compressed(c, layout, &list) :
				       scan_plain(c, layout, &list);
	if (!err && !list.nr) {
		free(list.items);
		return has_others ? 0 :
				    diag_set(diag, ERR_NO_BUFFER,
				"%s: the table of the events is missing and no events were found by scanning",
				c->info.path);
	}
	buffer = err ? NULL : container_add_buffer(c, has_others ? "salvaged" : "", c->info.clock);
	if (!err && !buffer)
		err = -ERR_NOMEM;
	for (i = 0; !err && i < list.nr; i++) {
		struct recording_cpu cpu = {
			.cpu = i,
			.offset_bytes = list.items[i].offset,
			.size_bytes = list.items[i].size,
		};

		if (i >= CONTAINER_MAX_CPU) {
			problem_note(&c->problems, ERR_BAD_CPU, cpu.offset_bytes,
				     "more than 65536 pieces of data were found; the rest is ignored");
			break;
		}
		bytes += cpu.size_bytes;
		err = container_add_cpu(c, buffer, &cpu);
	}
	free(list.items);
	if (!err) {
		problem_note(&c->problems, ERR_SALVAGED, buffer->cpus[0].offset_bytes,
			     "the table of the events%s is missing (recording cut short); %u CPUs with %" PRIu64 " bytes were found by scanning, their numbers are unknown and instances are not told apart",
			     has_others ? " of the last instances" : "", buffer->nr_cpus, bytes);
		err = note_missing(c, buffer);
	}
	if (!err)
		err = container_index_starts(c);
	if (err == -ERR_IO)
		return diag_set(diag, ERR_IO, "%s: read error", c->info.path);
	if (err)
		return diag_set(diag, ERR_NOMEM, "out of memory");
	c->info.salvaged = true;
	return 0;
}
