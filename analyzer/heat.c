// SPDX-License-Identifier: GPL-2.0-only
#include "heat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GRID_BYTES (sizeof(uint32_t) * HEAT_ROWS * HEAT_SLOTS * HEAT_NR)

static const char *const names[] = { "accessed", "reclaimed", "events" };

const char *heat_name(enum heat_kind kind)
{
	return kind < HEAT_NR ? names[kind] : "?";
}

const char *heat_definition(enum heat_kind kind)
{
	static const char *const definitions[HEAT_NR] = {
		[HEAT_EVENTS] = "any event of a folio",
		[HEAT_ACCESSED] = "seen through a page table, activated, or back from disk or swap",
		[HEAT_RECLAIMED] = "freed by reclaim",
	};

	return definitions[kind];
}

bool heat_init(struct heat *heat)
{
	memset(heat, 0, sizeof(*heat));
	heat->slot_ns = HEAT_FIRST_SLOT_NS;
	heat->slot_begin_ns = 1ull << 63;	/* none yet */
	heat->counts = calloc(1, GRID_BYTES);
	return heat->counts;
}

void heat_release(struct heat *heat)
{
	free(heat->counts);
	heat->counts = NULL;
}

static uint32_t *cell(uint32_t *counts, unsigned row, unsigned slot)
{
	return &counts[(row * HEAT_SLOTS + slot) * HEAT_NR];
}

static void merge_slots(struct heat *heat)
{
	unsigned row, slot, kind;

	for (row = 0; row < HEAT_ROWS; row++) {
		for (slot = 0; slot < HEAT_SLOTS / 2; slot++) {
			uint32_t *to = cell(heat->counts, row, slot);
			const uint32_t *from = cell(heat->counts, row, 2 * slot);

			for (kind = 0; kind < HEAT_NR; kind++)
				to[kind] = from[kind] + from[HEAT_NR + kind];
		}
		memset(cell(heat->counts, row, HEAT_SLOTS / 2), 0,
		       sizeof(uint32_t) * HEAT_NR * HEAT_SLOTS / 2);
	}
	heat->nr_slots = (heat->nr_slots + 1) / 2;
	heat->slot_ns *= 2;
}

/* Make the rows cover min_pfn to max_pfn. */
static bool fit_rows(struct heat *heat)
{
	unsigned shift = heat->row_shift, row, i;
	uint64_t first;
	uint32_t *counts;

	while ((heat->max_pfn >> shift) - (heat->min_pfn >> shift) >= HEAT_ROWS)
		shift++;
	first = heat->min_pfn >> shift;
	if (shift == heat->row_shift && first == heat->first_row)
		return true;
	counts = calloc(1, GRID_BYTES);
	if (!counts)
		return false;
	for (row = 0; row < HEAT_ROWS; row++) {
		uint64_t to = ((heat->first_row + row) >> (shift - heat->row_shift)) - first;
		const uint32_t *from = cell(heat->counts, row, 0);

		if (to >= HEAT_ROWS)
			continue;	/* not in use yet */
		for (i = 0; i < HEAT_SLOTS * HEAT_NR; i++)
			cell(counts, to, 0)[i] += from[i];
	}
	free(heat->counts);
	heat->counts = counts;
	heat->row_shift = shift;
	heat->first_row = first;
	return true;
}

bool heat_fit(struct heat *heat, uint64_t pfn, uint64_t ns)
{
	unsigned slot;

	if (!heat->has_any) {
		heat->has_any = true;
		heat->min_pfn = heat->max_pfn = heat->first_row = pfn;
	}
	if (pfn < heat->min_pfn || pfn > heat->max_pfn) {
		uint64_t min_pfn = heat->min_pfn, max_pfn = heat->max_pfn;

		if (pfn < heat->min_pfn)
			heat->min_pfn = pfn;
		else
			heat->max_pfn = pfn;
		if (((heat->min_pfn >> heat->row_shift) < heat->first_row ||
		     (heat->max_pfn >> heat->row_shift) - heat->first_row >= HEAT_ROWS) &&
		    !fit_rows(heat)) {
			heat->min_pfn = min_pfn;
			heat->max_pfn = max_pfn;
			return false;
		}
	}
	while (ns / heat->slot_ns >= HEAT_SLOTS)
		merge_slots(heat);
	slot = ns / heat->slot_ns;
	if (slot >= heat->nr_slots)
		heat->nr_slots = slot + 1;
	heat->slot_begin_ns = slot * heat->slot_ns;
	heat->column = cell(heat->counts, 0, slot);
	return true;
}

void heat_colour(double share, uint8_t rgb[3])
{
	/* from near black over blue, red and orange to pale yellow */
	static const uint8_t stops[][3] = {
		{ 24, 26, 46 }, { 44, 52, 122 }, { 118, 46, 134 }, { 196, 62, 88 },
		{ 240, 124, 50 }, { 250, 190, 70 }, { 255, 246, 190 },
	};
	const unsigned nr = sizeof(stops) / sizeof(stops[0]) - 1;
	double at = share <= 0 ? 0 : 1 + log1p(share * 999) / log(1000) * (nr - 1);
	unsigned i, stop = at >= nr ? nr - 1 : at;

	for (i = 0; i < 3; i++)
		rgb[i] = stops[stop][i] + (at - stop) * (stops[stop + 1][i] - stops[stop][i]) + 0.5;
}

unsigned heat_nr_rows(const struct heat *heat)
{
	return heat->has_any ? (heat->max_pfn >> heat->row_shift) - heat->first_row + 1 : 0;
}

double heat_resample(const struct heat *heat, enum heat_kind kind, unsigned row, unsigned nr_rows,
		     unsigned column, unsigned nr_columns)
{
	double row_from = (double)row * heat_nr_rows(heat) / nr_rows;
	double row_to = (double)(row + 1) * heat_nr_rows(heat) / nr_rows;
	double slot_from = (double)column * heat->nr_slots / nr_columns;
	double slot_to = (double)(column + 1) * heat->nr_slots / nr_columns;
	double sum = 0;
	unsigned r, s;

	for (r = row_from; r < row_to && r < HEAT_ROWS; r++) {
		double height = (row_to < r + 1 ? row_to : r + 1) - (row_from > r ? row_from : r);

		for (s = slot_from; s < slot_to && s < HEAT_SLOTS; s++) {
			double width = (slot_to < s + 1 ? slot_to : s + 1) -
				       (slot_from > s ? slot_from : s);

			sum += height * width * heat_value(heat, r, s, kind);
		}
	}
	return sum;
}
