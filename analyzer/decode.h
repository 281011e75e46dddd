/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From raw sub-buffers to struct event.  Fields are looked up by name in the
 * file's own formats, once; a plan of copies per event remains.
 */
#ifndef FOLIOSCOPE_DECODE_H
#define FOLIOSCOPE_DECODE_H

#include "container.h"
#include "event.h"
#include "format.h"
#include "subbuf.h"
#include "timeconv.h"
#include "timeorder.h"

/* Fields of the largest event, in the worst case one by one, with their maps. */
#define DECODE_MAX_OPS	32

/* In the order in which they are done. */
enum decode_op_kind {
	/* same size and byte order: neighbours are joined, then cut into these */
	OP_COPY16, OP_COPY8, OP_COPY4, OP_COPY2, OP_COPY1,
	OP_CONVERT,	/* other size, sign or byte order */
	OP_MAP,		/* translate the byte at dst in place */
	OP_NR
};

/* Which field of the kernel goes where in struct event. */
struct decode_field {
	const char *name;	/* NULL ends a table */
	uint16_t offset;	/* in struct event */
	uint8_t size;
	bool is_required;
	bool is_wrapping;	/* takes the low bits of a wider field */
};

/* One copy from the record to the event. */
struct decode_op {
	uint16_t src, dst;
	uint8_t kind;		/* enum decode_op_kind */
	uint8_t src_size, dst_size;
	bool is_signed;		/* source */
	bool is_wrapping;	/* keep the low bits instead of the nearest value */
	const uint8_t *map;	/* 256 bytes, or NULL */
};

/* How to decode the records of one event. */
struct decode_plan {
	bool is_valid;
	uint32_t min_len;	/* shorter records are bad */
	uint16_t pid_offset;
	uint8_t nr_ops;
	uint8_t nr_by_op[OP_NR];
	bool is_one_copy;	/* of 32 bytes, and maps: the usual folio event */
	struct decode_op ops[DECODE_MAX_OPS];	/* by kind */
	struct event blank;	/* absent values, kind */
	uint32_t text_offset;	/* EV_MARKER */
	struct format format;
	uint64_t have;		/* bit per entry of the kind's field table */
};

struct decoder {
	struct subbuf_layout layout;
	struct timeconv time;
	unsigned nr_events;	/* of the file */
	/* by common_type: 0 no such event, else 1 + index in info.events[] */
	uint16_t *index_of_id;
	/* by that value: NULL counted only */
	struct decode_plan **plan_of_index;
	struct decode_plan plans[EV_NR];
	uint8_t **maps;		/* of registered symbol maps, owned */
	unsigned nr_maps;
	unsigned min_record_bytes;	/* shortest record that makes an event */
};

/* Where the events of one chunk go; reused from chunk to chunk. */
struct decode_chunk {
	struct event *events;
	uint32_t nr, nr_alloc;
	char *text;		/* of markers */
	uint32_t text_len, text_alloc;
	bool has_marker;
	uint32_t nr_special;	/* EV_LOST and EV_GAP among the events */

	/* counts, taken over and cleared by decode_chunk_clear() */
	uint32_t *nr_by_index;	/* nr_events + 1 of them */
	uint16_t *touched;	/* which of them are not 0 */
	uint32_t nr_touched;
	uint64_t nr_records, nr_other, nr_unknown_id, nr_bad_record;
	uint64_t nr_discarded, nr_bad_time, nr_backward, nr_pages;
	uint32_t nr_bad_by_kind[EV_NR];	/* counted above, not delivered */
	uint64_t first_unknown_offset, first_bad_offset, first_bad_time_offset;
	uint16_t first_unknown_id, first_bad_index;

	/* converted times of the first and last record, of any event */
	bool has_time;
	uint64_t first_ts_ns, last_ts_ns;
	struct chunk_times times;	/* not converted */
};

/*
 * decode_init(): make the plans for the formats of @c.  An event without a
 * needed field or with an unusable format is noted in @problems and not decoded.
 * @diag (may be NULL) gets the first of these.
 * Returns 0, or 1 if an event cannot be decoded, or a negative enum err
 * (nothing to release).
 */
int decode_init(struct decoder *decoder, const struct container *c,
		struct problem_list *problems, struct diag *diag);
void decode_release(struct decoder *decoder);

/*
 * decode_fields(): the static table of the fields of @kind; NULL for what is no
 * event of a kernel.  (The text of EV_MARKER is not in it.)
 */
const struct decode_field *decode_fields(enum ev_kind kind);

/* decode_has_field(): is @field of @kind in the file and in struct event? */
bool decode_has_field(const struct decoder *decoder, enum ev_kind kind,
		      const char *field);

/* decode_missing_field(): see reader_missing_field(). */
const char *decode_missing_field(const struct decoder *decoder,
				 enum ev_kind kind, unsigned *pos);

/* decode_map_symbols(): see reader_map_symbols(). */
int decode_map_symbols(struct decoder *decoder, enum ev_kind kind,
		       const char *field, const char *const names[],
		       unsigned nr, uint8_t map_out[256]);

int decode_chunk_init(struct decode_chunk *chunk, const struct decoder *decoder);
void decode_chunk_release(struct decode_chunk *chunk);

/* decode_chunk_clear(): forget events and counts, keep the memory. */
void decode_chunk_clear(struct decode_chunk *chunk);

/* decode_chunk_end(): to be called when all pages are in; settles pointers. */
void decode_chunk_end(struct decode_chunk *chunk);

/*
 * decode_page(): append the events of the page_bytes bytes at @page of @cpu.
 * A loss before the page becomes an EV_LOST whose to_ts_ns is the page's time
 * and whose from_ts_ns is that of the chunk's previous event, or 0.
 * @offset_bytes is where it (or its chunk) is in the file, for EV_GAP.  A page
 * that is not valid adds an EV_GAP, or extends the one before; to_ts_ns 0 means
 * that no time after it is known yet.
 * Returns 0 or -ERR_NOMEM.
 */
int decode_page(const struct decoder *decoder, struct decode_chunk *chunk,
		unsigned cpu, const uint8_t *page, uint64_t offset_bytes);

/*
 * decode_gap(): append (or extend) an EV_GAP of @size_bytes for @cause; @detail
 * is an enum subbuf_fault for ERR_BAD_PAGE.  Returns 0 or -ERR_NOMEM.
 */
int decode_gap(struct decode_chunk *chunk, unsigned cpu, enum err cause,
	       unsigned detail, uint64_t offset_bytes, uint64_t size_bytes);

#endif /* FOLIOSCOPE_DECODE_H */
