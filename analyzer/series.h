/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values over time in a bounded number of equal slots. Nothing is known of the
 * duration beforehand: when time runs past the last slot, neighbours are merged
 * and a slot covers twice as long.
 */
#ifndef FOLIOSCOPE_SERIES_H
#define FOLIOSCOPE_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define SERIES_SLOTS 512u
/* A power of two, so that any recording ends with slots of 2^n ns. */
#define SERIES_FIRST_SLOT_NS 65536ull

struct series {
	unsigned nr_counts;	/* channels that add up: merged by sum */
	unsigned nr_levels;	/* channels with a state: merged by the later one */
	uint64_t slot_ns;
	unsigned nr_slots;	/* reached so far */
	uint64_t *values;	/* [SERIES_SLOTS][nr_counts + nr_levels] */
};

/* series_init(): @nr_counts + @nr_levels > 0 channels. False without memory. */
bool series_init(struct series *series, unsigned nr_counts, unsigned nr_levels);

/* series_release(): free the values. */
void series_release(struct series *series);

/*
 * series_slot(): the slot of the time @ns since the beginning, merging if need
 * be. Time that steps back gives an earlier slot.
 */
unsigned series_slot(struct series *series, uint64_t ns);

/* series_value(): the cell of a slot below SERIES_SLOTS; counts come first. */
static inline uint64_t *series_value(const struct series *series, unsigned slot, unsigned channel)
{
	return &series->values[slot * (series->nr_counts + series->nr_levels) + channel];
}

#endif /* FOLIOSCOPE_SERIES_H */
