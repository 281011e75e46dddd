// SPDX-License-Identifier: GPL-2.0-only
#include "timeorder.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"

/* With more sub-buffers at wrong places nothing is believed any more. */
#define MAX_ELSEWHERE 4096u

void time_order_init(struct time_order *order)
{
	memset(order, 0, sizeof(*order));
}

void time_order_release(struct time_order *order)
{
	free(order->elsewhere);
	memset(order, 0, sizeof(*order));
}

static bool is_before_last(const struct time_order *order, uint64_t time)
{
	return order->has_last && time < order->last;
}

static bool is_in_order(const struct time_order *order, const struct chunk_times *chunk,
			const struct chunk_times *next)
{
	uint64_t first = chunk->pages[0].first, last = chunk->pages[chunk->nr - 1].last;
	unsigned i;

	if (order->gave_up || chunk->steps_back || is_before_last(order, first))
		return false;
	/* the next is older: which of the two is wrong, if not surely the next? */
	if (next && next->nr && next->pages[0].first < last &&
	    !is_before_last(order, next->pages[0].first))
		return false;
	for (i = 0; i < order->nr_elsewhere; i++)
		if (order->elsewhere[i].first < last && order->elsewhere[i].last > first)
			return false;
	return true;
}

static int note_elsewhere(struct time_order *order, struct page_time time)
{
	if (array_grow(&order->elsewhere, order->nr_elsewhere, &order->nr_alloc,
		       sizeof(*order->elsewhere)))
		return -ERR_NOMEM;
	order->elsewhere[order->nr_elsewhere++] = time;
	order->gave_up = order->nr_elsewhere >= MAX_ELSEWHERE;
	return 0;
}

static int note_chunk(struct time_order *order, const struct chunk_times *chunk,
		      const struct chunk_times *next)
{
	uint32_t i;

	for (i = 0; i < chunk->nr; i++) {
		const struct page_time *behind = i + 1 < chunk->nr	    ? &chunk->pages[i + 1] :
						 next && next->nr ? &next->pages[0] :
								    NULL;
		struct page_time time = chunk->pages[i];

		/* begins in order, so that what is wrong is where it ends */
		if (behind && time.first <= behind->first && time.last > behind->first)
			time.last = time.first;
		if (!is_before_last(order, time.last) && !order->gave_up &&
		    note_elsewhere(order, time) < 0)
			return -ERR_NOMEM;
	}
	return 0;
}

int time_order_next(struct time_order *order, const struct chunk_times *chunk,
		    const struct chunk_times *next)
{
	bool is_missing = false;
	unsigned i, nr = 0;

	if (!chunk->nr)
		return TIME_IN_ORDER;
	if (!is_in_order(order, chunk, next))
		return note_chunk(order, chunk, next) < 0 ? -ERR_NOMEM : TIME_OUT_OF_ORDER;
	for (i = 0; i < order->nr_elsewhere; i++) {
		if (order->elsewhere[i].last <= chunk->pages[0].first)
			is_missing = true;
		else
			order->elsewhere[nr++] = order->elsewhere[i];
	}
	order->nr_elsewhere = nr;
	order->has_last = true;
	order->last = chunk->pages[chunk->nr - 1].last;
	return is_missing ? TIME_MISSING_BEFORE : TIME_IN_ORDER;
}

bool time_order_is_missing(const struct time_order *order)
{
	return order->nr_elsewhere;
}
