/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Violations of LRU order, by site. formats/violations.md has the definitions.
 */
#ifndef FOLIOSCOPE_ORDER_H
#define FOLIOSCOPE_ORDER_H

#include "analysis.h"

#define ORDER_MAX_EXAMPLES 10

/* A folio that shows a violation: its story is one command away. */
struct order_example {
	uint64_t pfn;
	uint32_t life;
	uint64_t ts_ns;
	uint64_t magnitude;	/* V1: folios of its run; V2, V3: folios passed */
};

struct order_examples {
	unsigned nr;
	struct order_example e[ORDER_MAX_EXAMPLES];
};

/* V1, reversal: runs of moves from one list to one list by one site. */
struct order_v1 {
	uint64_t nr_runs, nr_moves;	/* of known origin, runs of one included */
	uint64_t nr_unknown;		/* moves of folios whose place was unknown */
	uint64_t nr_pairs, nr_reversed;	/* within the runs */
	uint64_t nr_neighbours_reversed;	/* of nr_moves - nr_runs successive pairs */
	uint64_t longest;		/* moves in the longest run */
	struct order_examples examples;
};

/* V2, inversion: placed younger than folios of a younger generation. */
struct order_v2 {
	uint64_t nr;			/* moves or relabellings */
	uint64_t nr_folios;		/* moved or relabelled */
	uint64_t nr_pairs;
	uint64_t max_gap_gens;
	struct order_examples examples;
};

/* V3, eviction inversion: reclaimed while known older folios stayed. */
struct order_v3 {
	uint64_t nr;
	uint64_t sum_older, max_older;
	struct order_examples examples;
};

struct order_results {
	struct order_v1 v1[SITE_NR];
	struct order_v2 v2[SITE_NR];
	struct order_v3 v3[TYPE_NR];
	uint64_t nr_reclaimed[TYPE_NR];	/* folios: the base of v3 */
	uint64_t nr_backward;		/* updates to an older generation */
	uint64_t nr_backward_gens;
	uint64_t nr_in_loss;		/* moves not judged: events were lost */
};

/*
 * order_examples_keep(): add @example to @examples, which are kept in the order of
 * their magnitudes, the greatest (with @least: the least) first, and of equal ones
 * the first that came; the last is dropped if there are more than @nr_max.
 */
void order_examples_keep(struct order_examples *examples, unsigned nr_max,
			 const struct order_example *example, bool least);

/* order_examples_want(): would order_examples_keep() keep one of @magnitude? */
static inline bool order_examples_want(const struct order_examples *examples, unsigned nr_max,
				       uint64_t magnitude, bool least)
{
	uint64_t last;

	if (examples->nr < nr_max)
		return true;
	last = examples->e[examples->nr - 1].magnitude;
	return least ? magnitude < last : magnitude > last;
}

/* order_nr_examples(): how many the user wants: 2 by default, ORDER_MAX_EXAMPLES at most. */
unsigned order_nr_examples(const struct analysis_opts *opts);

/* order_results(): of the analysis "order", whose state is @self. */
const struct order_results *order_results(const void *self);

/*
 * order_reversed(): number of pairs i < j with keys[i] < keys[j], which is what
 * is reversed when folios are put at the old end one by one in the order of the
 * array and keys grow from old to young. O(n log n); @scratch has room for @nr.
 * @keys is left sorted.
 */
uint64_t order_reversed(uint32_t *keys, uint32_t *scratch, uint32_t nr);

#endif /* FOLIOSCOPE_ORDER_H */
