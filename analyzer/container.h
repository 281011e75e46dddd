/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The container trace.dat, versions 6 and 7: everything in the file but the
 * events.  Layouts are described in formats/trace-dat.md.
 */
#ifndef FOLIOSCOPE_CONTAINER_H
#define FOLIOSCOPE_CONTAINER_H

#include "bytes.h"
#include "codec.h"
#include "err.h"
#include "problem.h"
#include "reader.h"

/* CPU ids at or above it are refused (struct event holds 16 bits). */
#define CONTAINER_MAX_CPU	65536u

/* The data of a CPU begins at a multiple of it (trace-cmd: of the page size). */
#define CONTAINER_ALIGN	4096u

/* Sub-buffer sizes that are believed. */
#define CONTAINER_MIN_PAGE	256u
#define CONTAINER_MAX_PAGE	(1u << 20)

/* Text of one format, kept where event_kind_of() knows the event. */
struct container_format {
	const char *text;	/* NULL: not kept */
	uint32_t len_bytes;
	uint64_t offset_bytes;	/* of the section it came from */
};

/* One sample of the clock comparison between guest and host (TIME_SHIFT). */
struct container_tsync_sample {
	int64_t time, offset;
	uint64_t scaling, fraction;
};

struct container_tsync_cpu {
	uint32_t nr_samples;
	struct container_tsync_sample *samples;
};

struct container {
	int fd;
	uint64_t size_bytes;
	bool swap;			/* file's byte order is not ours */
	enum codec_kind codec;
	uint64_t options_offset;	/* v7 */
	uint64_t cpu_table_offset;	/* v6: of the top buffer; 0: not reached */
	uint64_t cpu_table_end;		/* v6: behind it and the clock */
	uint32_t commit_offset;		/* from header_page */
	uint32_t commit_bytes;		/* 4 or 8 */
	uint32_t data_offset;
	uint32_t page_bytes;		/* data_offset + size of data */
	bool has_header_page;
	struct container_format *formats;	/* beside info.events[] */

	/* time */
	bool has_tsc2nsec;
	uint32_t tsc_mult, tsc_shift;
	uint64_t tsc_offset;
	uint32_t tsync_flags;		/* 1: interpolate */
	uint32_t nr_tsync;
	struct container_tsync_cpu *tsync;

	/* pid to name, unparsed: lines "pid name" */
	const char *cmdlines;
	uint64_t cmdlines_len;

	bool salvage;			/* asked for */
	bool may_lack_buffers;		/* the list that names the last of them is lost */
	uint64_t scan_from;		/* salvage: data cannot start before */
	struct problem_list problems;
	struct arena arena;
	struct recording_info info;	/* filled but for data_bytes and buffer */
	/* what info's const pointers point to */
	struct recording_buffer *buffers;
	struct recording_cpu_stat *cpu_stats;
	struct recording_event *events;
	uint64_t *starts;		/* see container_next_start() */
	unsigned nr_starts;
	unsigned nr_buffers_alloc, nr_cpu_stats_alloc, nr_events_alloc;
};

/*
 * container_open(): open @path and parse it.  @salvage: where the header or the
 * pointer to the data is lost, go on without; may_lack_buffers or info.salvaged is
 * set, and the caller looks for the data from scan_from on.
 * The file stays open (fd).  On failure @c needs no release and @diag (may be
 * NULL) is filled.
 * Returns 0 or a negative enum err.
 */
int container_open(struct container *c, const char *path, bool salvage,
		   struct diag *diag);

/* container_release(): close the file and free everything info points to. */
void container_release(struct container *c);

/*
 * container_add_buffer(): append a buffer, for salvage.  Strings are copied.
 * Returns it, valid until the next call, or NULL without memory.
 */
struct recording_buffer *container_add_buffer(struct container *c,
					      const char *name,
					      const char *clock);

/* container_add_cpu(): append a CPU to @buffer; 0, -ERR_NOMEM or -ERR_BAD_CPU. */
int container_add_cpu(struct container *c, struct recording_buffer *buffer,
		      const struct recording_cpu *cpu);

/*
 * container_index_starts(): note where the data of all CPUs begins, for
 * container_next_start(); to be called again when CPUs were added.
 * Returns 0 or -ERR_NOMEM.
 */
int container_index_starts(struct container *c);

/*
 * container_next_start(): where the data of whoever comes next in the file behind
 * @offset begins, or the end of the file.
 */
uint64_t container_next_start(const struct container *c, uint64_t offset);

#endif /* FOLIOSCOPE_CONTAINER_H */
