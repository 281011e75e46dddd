/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's ring-buffer sub-buffer ("page"):
 *
 *	u64   timestamp
 *	long  commit		size of the data (low 27 bits), bit 31: events were
 *				lost before this page, bit 30: their number is
 *				stored as a long behind the data
 *	data: records, each with a 32-bit word of type (5 bits) and time delta
 *
 * The commit word is read here: libtraceevent's kbuffer hides a loss when the
 * first record is a time extend, and checks no bounds.
 */
#ifndef FOLIOSCOPE_SUBBUF_H
#define FOLIOSCOPE_SUBBUF_H

#include "bytes.h"

struct subbuf_layout {
	bool swap;		/* byte order is not this machine's */
	bool big_endian;	/* type in the top bits of a record's word */
	uint32_t commit_offset, commit_bytes;	/* 4 or 8 bytes */
	uint32_t data_offset;
	uint32_t page_bytes;	/* all of it */
};

/* What can be wrong with a sub-buffer. */
enum subbuf_fault {
	SUBBUF_OK,
	SUBBUF_COMMIT_TOO_LARGE,	/* data would not fit the page */
	SUBBUF_WORD_CUT,		/* a record's head crosses the end */
	SUBBUF_RECORD_CUT,		/* a record crosses the end */
	SUBBUF_BAD_LENGTH,		/* a record states an impossible length */
	SUBBUF_EMPTY,			/* no data, which the kernel never hands out */
	SUBBUF_ZEROS,			/* the commit word covers zeros behind the records */
	SUBBUF_NR_FAULTS
};

struct subbuf {
	const uint8_t *data;
	uint32_t size_bytes;
	uint64_t ts_ns;		/* raw clock units, not converted */
	bool has_lost;		/* events were dropped before this page */
	int64_t nr_lost;	/* how many; -1: not stored */
};

struct subbuf_stats {
	uint32_t nr_records;
	uint32_t nr_discarded;
	uint32_t nr_zeros;	/* bytes behind the last record that commit covers */
	uint64_t page_ts_ns, last_ts_ns;
};

/* subbuf_fault_text(): a static phrase for @fault, "?" outside the enum. */
const char *subbuf_fault_text(enum subbuf_fault fault);

/*
 * subbuf_begin(): read the head of the page_bytes bytes at @page.
 * Returns SUBBUF_OK with *@ret filled, or SUBBUF_COMMIT_TOO_LARGE or SUBBUF_EMPTY
 * with only ts_ns and the loss flag filled. A page is empty that has neither data
 * nor a loss and is nothing but zeros, or anything else than zeros behind its head.
 */
enum subbuf_fault subbuf_begin(const struct subbuf_layout *layout,
			       const uint8_t *page, struct subbuf *ret);

/*
 * subbuf_check(): walk the whole page without using its records.
 * Returns SUBBUF_OK with @stats (may be NULL) filled, or what is wrong.
 */
enum subbuf_fault subbuf_check(const struct subbuf_layout *layout,
			       const uint8_t *page, struct subbuf_stats *stats);

/* Record types in the low (little-endian) or high 5 bits of the word. */
enum subbuf_type {
	SUBBUF_TYPE_LONG = 0,		/* length in the next word */
	SUBBUF_TYPE_MAX_DATA = 28,	/* 4 * type bytes */
	SUBBUF_TYPE_PADDING = 29,
	SUBBUF_TYPE_TIME_EXTEND = 30,
	SUBBUF_TYPE_TIME_STAMP = 31,
};

/* What subbuf_step() found. */
enum subbuf_step {
	SUBBUF_STEP_RECORD,	/* *@rec, *@len are its payload */
	SUBBUF_STEP_SKIP,	/* time, or a discarded record */
	SUBBUF_STEP_DISCARDED,
	SUBBUF_STEP_END,
	SUBBUF_STEP_ZEROS,	/* end, but the commit word covers the zeros from *@pos on */
	SUBBUF_STEP_FAULT,	/* @len is the enum subbuf_fault */
};

bool subbuf_rest_is_zero(const uint8_t *p, uint32_t len);

/*
 * subbuf_step(): the thing at *@pos of the @size bytes at @data; advances *@pos
 * (always, unless it ends or faults) and *@ts.  @swap and @big_endian are
 * constants in the callers that matter, so that each gets its own copy.
 */
static inline __attribute__((always_inline)) enum subbuf_step
subbuf_step(const uint8_t *data, uint32_t size, uint32_t *pos, uint64_t *ts,
	    bool swap, bool big_endian, const uint8_t **rec, uint32_t *len)
{
	const uint8_t *p = data + *pos;
	uint32_t left = size - *pos;
	uint32_t word, type, delta, n;
	uint64_t stamp;

	if (left < 4) {
		if (!left)
			return SUBBUF_STEP_END;
		*len = SUBBUF_WORD_CUT;
		return SUBBUF_STEP_FAULT;
	}
	word = get_u32(p, swap);
	if (big_endian) {
		type = word >> 27;
		delta = word & ((1u << 27) - 1);
	} else {
		type = word & 31;
		delta = word >> 5;
	}
	if (__builtin_expect(type - 1 < SUBBUF_TYPE_MAX_DATA, 1)) {
		n = 4 * type;
		if (__builtin_expect(n > left - 4, 0)) {
			*len = SUBBUF_RECORD_CUT;
			return SUBBUF_STEP_FAULT;
		}
		*ts += delta;
		*rec = p + 4;
		*len = n;
		*pos += 4 + n;
		return SUBBUF_STEP_RECORD;
	}
	/* the end of the data, before what needs a second word */
	if (type == SUBBUF_TYPE_PADDING && !delta)
		return SUBBUF_STEP_END;
	if (!word && subbuf_rest_is_zero(p, left))
		return SUBBUF_STEP_ZEROS;
	if (left < 8) {
		*len = SUBBUF_WORD_CUT;
		return SUBBUF_STEP_FAULT;
	}
	n = get_u32(p + 4, swap);
	switch (type) {
	case SUBBUF_TYPE_LONG:
		/* n counts itself; records are padded to 4 */
		if (n < 4 || n > left - 4 || ((n + 3) & ~3u) > left - 4) {
			*len = n < 4 ? SUBBUF_BAD_LENGTH : SUBBUF_RECORD_CUT;
			return SUBBUF_STEP_FAULT;
		}
		n = (n + 3) & ~3u;
		*ts += delta;
		*rec = p + 8;
		*len = n - 4;
		*pos += 4 + n;
		return SUBBUF_STEP_RECORD;
	case SUBBUF_TYPE_PADDING:
		if (n < 4 || n > left - 4 || ((n + 3) & ~3u) > left - 4) {
			*len = n < 4 ? SUBBUF_BAD_LENGTH : SUBBUF_RECORD_CUT;
			return SUBBUF_STEP_FAULT;
		}
		*ts += delta;
		*pos += 4 + ((n + 3) & ~3u);
		return SUBBUF_STEP_DISCARDED;
	case SUBBUF_TYPE_TIME_EXTEND:
		*ts += delta + ((uint64_t)n << 27);
		*pos += 8;
		return SUBBUF_STEP_SKIP;
	default:
		/* 59 bits of absolute time; the rest is the previous one's, a
		 * wrap carries
		 */
		stamp = delta + ((uint64_t)n << 27);
		stamp |= *ts & ~((UINT64_C(1) << 59) - 1);
		if (*ts & ~((UINT64_C(1) << 59) - 1) && stamp < *ts)
			stamp += UINT64_C(1) << 59;
		*ts = stamp;
		*pos += 8;
		return SUBBUF_STEP_SKIP;
	}
}

#endif /* FOLIOSCOPE_SUBBUF_H */
