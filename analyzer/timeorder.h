/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is the data of a CPU in the order of time?  The kernel writes it so; where time
 * goes back, sub-buffers were exchanged, come from elsewhere, or their times are
 * damaged.  One chunk of look-ahead tells which chunk is at the wrong place, in
 * most cases; the events that it would have had at the right one are missing there.
 * Times are those of the sub-buffers, not converted.
 */
#ifndef FOLIOSCOPE_TIMEORDER_H
#define FOLIOSCOPE_TIMEORDER_H

#include <stdbool.h>
#include <stdint.h>

/* The time of a sub-buffer and of its last record. */
struct page_time {
	uint64_t first, last;
};

/* The sub-buffers with records of one chunk. */
struct chunk_times {
	struct page_time *pages;
	uint32_t nr, nr_alloc;
	bool steps_back;	/* inside */
};

/* Of one CPU. */
struct time_order {
	bool has_last, gave_up;
	uint64_t last;			/* of what was in order so far */
	struct page_time *elsewhere;	/* times of what came at a wrong place */
	unsigned nr_elsewhere, nr_alloc;
};

enum time_verdict {
	TIME_IN_ORDER,
	TIME_MISSING_BEFORE,	/* in order, but what belongs before it came elsewhere */
	TIME_OUT_OF_ORDER,
};

/* time_order_init(): before the first chunk. */
void time_order_init(struct time_order *order);
void time_order_release(struct time_order *order);

/*
 * time_order_next(): judge the next chunk, with the one that follows it (NULL: none,
 * or not readable).  Returns an enum time_verdict or -ERR_NOMEM.
 */
int time_order_next(struct time_order *order, const struct chunk_times *chunk,
		    const struct chunk_times *next);

/* time_order_is_missing(): did events come elsewhere that belong behind all others? */
bool time_order_is_missing(const struct time_order *order);

#endif /* FOLIOSCOPE_TIMEORDER_H */
