// SPDX-License-Identifier: GPL-2.0-only
#include "subbuf.h"

#define COMMIT_SIZE_MASK	((1u << 27) - 1)
#define COMMIT_LOST		(1u << 31)
#define COMMIT_LOST_STORED	(1u << 30)

const char *subbuf_fault_text(enum subbuf_fault fault)
{
	switch (fault) {
	case SUBBUF_OK:
		return "nothing is wrong";
	case SUBBUF_COMMIT_TOO_LARGE:
		return "the commit word says more data than a sub-buffer holds";
	case SUBBUF_WORD_CUT:
		return "the head of a record crosses the end of the data";
	case SUBBUF_RECORD_CUT:
		return "a record crosses the end of the data";
	case SUBBUF_BAD_LENGTH:
		return "a record states an impossible length";
	case SUBBUF_EMPTY:
		return "it is empty, as no sub-buffer of a kernel is";
	case SUBBUF_ZEROS:
		return "the commit word covers zeros where records should be";
	case SUBBUF_NR_FAULTS:
		break;
	}
	return "?";
}

bool subbuf_rest_is_zero(const uint8_t *p, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		if (p[i])
			return false;
	return true;
}

enum subbuf_fault subbuf_begin(const struct subbuf_layout *layout,
			       const uint8_t *page, struct subbuf *ret)
{
	uint32_t room = layout->page_bytes - layout->data_offset;
	const uint8_t *commit = page + layout->commit_offset;
	uint32_t word;

	if (layout->commit_bytes == 8)
		word = get_u64(commit, layout->swap);
	else
		word = get_u32(commit, layout->swap);
	ret->ts_ns = get_u64(page, layout->swap);
	ret->data = page + layout->data_offset;
	ret->has_lost = word & COMMIT_LOST;
	ret->nr_lost = -1;
	ret->size_bytes = word & COMMIT_SIZE_MASK;
	if (ret->size_bytes > room) {
		ret->size_bytes = 0;
		return SUBBUF_COMMIT_TOO_LARGE;
	}
	if (!ret->size_bytes && !ret->has_lost &&
	    (!ret->ts_ns || !subbuf_rest_is_zero(ret->data, room)))
		return SUBBUF_EMPTY;
	if (ret->has_lost && (word & COMMIT_LOST_STORED) &&
	    room - ret->size_bytes >= layout->commit_bytes) {
		const uint8_t *p = ret->data + ret->size_bytes;
		int64_t n = layout->commit_bytes == 8 ?
			    (int64_t)get_u64(p, layout->swap) :
			    (int64_t)get_u32(p, layout->swap);

		/* 0 contradicts the bit, a negative number is none */
		if (n > 0)
			ret->nr_lost = n;
	}
	return SUBBUF_OK;
}

/* Each caller gets a copy of its own, without what it does not ask for. */
static inline __attribute__((always_inline)) enum subbuf_fault
walk(const struct subbuf *sub, struct subbuf_stats *stats, bool swap, bool big_endian)
{
	struct subbuf_stats sum = { .page_ts_ns = sub->ts_ns };
	const uint8_t *rec;
	uint32_t pos = 0, len = 0;
	uint64_t ts = sub->ts_ns;

	for (;;) {
		switch (subbuf_step(sub->data, sub->size_bytes, &pos, &ts, swap,
				    big_endian, &rec, &len)) {
		case SUBBUF_STEP_RECORD:
			sum.nr_records++;
			sum.last_ts_ns = ts;
			break;
		case SUBBUF_STEP_DISCARDED:
			sum.nr_discarded++;
			break;
		case SUBBUF_STEP_SKIP:
			break;
		case SUBBUF_STEP_ZEROS:
			sum.nr_zeros = sub->size_bytes - pos;
			/* fall through */
		case SUBBUF_STEP_END:
			if (stats)
				*stats = sum;
			return SUBBUF_OK;
		case SUBBUF_STEP_FAULT:
			return len;
		}
	}
}

enum subbuf_fault subbuf_check(const struct subbuf_layout *layout,
			       const uint8_t *page, struct subbuf_stats *stats)
{
	struct subbuf sub;
	enum subbuf_fault fault = subbuf_begin(layout, page, &sub);

	if (fault)
		return fault;
	if (!stats && !layout->swap && !layout->big_endian)
		return walk(&sub, NULL, false, false);
	return walk(&sub, stats, layout->swap, layout->big_endian);
}
