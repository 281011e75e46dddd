/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts over time and page frame number in a bounded grid. Neither range is
 * known beforehand: rows and slots are merged in pairs when it grows.
 */
#ifndef FOLIOSCOPE_HEAT_H
#define FOLIOSCOPE_HEAT_H

#include <stdbool.h>
#include <stdint.h>

#define HEAT_SLOTS 256u
#define HEAT_ROWS 128u
#define HEAT_FIRST_SLOT_NS 65536ull

enum heat_kind {
	HEAT_ACCESSED,	/* see heat_definition(); a return counts once */
	HEAT_RECLAIMED,	/* by reclaim */
	HEAT_EVENTS,	/* any event */
	HEAT_NR
};

struct heat {
	bool has_any;
	uint64_t slot_ns;
	unsigned nr_slots;	/* reached */
	unsigned row_shift;	/* a row covers 2^row_shift page frames */
	uint64_t first_row;	/* pfn >> row_shift of row 0 */
	uint64_t min_pfn, max_pfn;
	uint32_t *counts;	/* [HEAT_ROWS][HEAT_SLOTS][HEAT_NR] */
	/* the slot of the latest event: when it begins, and its cell in row 0 */
	uint64_t slot_begin_ns;
	uint32_t *column;
};

/* heat_init(): empty. False without memory. */
bool heat_init(struct heat *heat);

/* heat_release(): free the counts. */
void heat_release(struct heat *heat);

/* heat_fit(): make the grid cover @pfn, and @ns the latest slot. False if memory ran out. */
bool heat_fit(struct heat *heat, uint64_t pfn, uint64_t ns);

/*
 * heat_add(): count one event at @pfn, @ns since the beginning. It always counts
 * as HEAT_EVENTS, and as @kind too. Returns false if memory ran out.
 */
static inline bool heat_add(struct heat *heat, uint64_t pfn, uint64_t ns, enum heat_kind kind)
{
	uint32_t *to;

	if ((pfn < heat->min_pfn || pfn > heat->max_pfn ||
	     ns - heat->slot_begin_ns >= heat->slot_ns) &&
	    !heat_fit(heat, pfn, ns))
		return false;
	to = heat->column + ((pfn >> heat->row_shift) - heat->first_row) * (HEAT_SLOTS * HEAT_NR);
	to[HEAT_EVENTS]++;
	if (kind != HEAT_EVENTS)
		to[kind]++;
	return true;
}

/* heat_nr_rows(): rows in use, from row 0. */
unsigned heat_nr_rows(const struct heat *heat);

/* heat_value(): of a row and slot in use. */
static inline uint32_t heat_value(const struct heat *heat, unsigned row, unsigned slot,
				  enum heat_kind kind)
{
	return heat->counts[(row * HEAT_SLOTS + slot) * HEAT_NR + kind];
}

/* heat_name(): "accessed", "reclaimed", "events"; static. */
const char *heat_name(enum heat_kind kind);

/* heat_definition(): what these are, in a few words; static. */
const char *heat_definition(enum heat_kind kind);

/*
 * heat_colour(): red, green and blue of @share (0 to 1) of the most, on a
 * logarithmic scale; 0 is the background. Lightness rises throughout, so that it
 * can be read in grey.
 */
void heat_colour(double share, uint8_t rgb[3]);

/*
 * heat_resample(): the sum of @kind over cell (@row, @column) of a picture of
 * @nr_rows by @nr_columns cells over what is in use; shares of a row or slot
 * that a border cuts are attributed by area. @nr_rows and @nr_columns > 0.
 */
double heat_resample(const struct heat *heat, enum heat_kind kind, unsigned row, unsigned nr_rows,
		     unsigned column, unsigned nr_columns);

#endif /* FOLIOSCOPE_HEAT_H */
