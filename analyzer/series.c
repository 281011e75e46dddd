// SPDX-License-Identifier: GPL-2.0-only
#include "series.h"

#include <stdlib.h>
#include <string.h>

bool series_init(struct series *series, unsigned nr_counts, unsigned nr_levels)
{
	memset(series, 0, sizeof(*series));
	series->nr_counts = nr_counts;
	series->nr_levels = nr_levels;
	series->slot_ns = SERIES_FIRST_SLOT_NS;
	series->values = calloc((size_t)SERIES_SLOTS * (nr_counts + nr_levels),
				sizeof(*series->values));
	return series->values;
}

void series_release(struct series *series)
{
	free(series->values);
	series->values = NULL;
}

static void merge(struct series *series)
{
	unsigned nr = series->nr_counts + series->nr_levels, slot, channel;

	for (slot = 0; slot < SERIES_SLOTS / 2; slot++) {
		const uint64_t *first = series_value(series, 2 * slot, 0), *second = first + nr;
		/* slots that were not reached hold no state */
		bool has_second = 2 * slot + 1 < series->nr_slots;
		uint64_t *to = series_value(series, slot, 0);

		for (channel = 0; channel < series->nr_counts; channel++)
			to[channel] = first[channel] + second[channel];
		for (; channel < nr; channel++)
			to[channel] = has_second ? second[channel] : first[channel];
	}
	memset(series_value(series, SERIES_SLOTS / 2, 0), 0,
	       (size_t)SERIES_SLOTS / 2 * nr * sizeof(*series->values));
	series->nr_slots = (series->nr_slots + 1) / 2;
	series->slot_ns *= 2;
}

unsigned series_slot(struct series *series, uint64_t ns)
{
	while (ns / series->slot_ns >= SERIES_SLOTS)
		merge(series);
	if (ns / series->slot_ns >= series->nr_slots)
		series->nr_slots = ns / series->slot_ns + 1;
	return ns / series->slot_ns;
}
