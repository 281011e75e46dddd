/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages that came back: refault distances and V5, the regretted evictions. Both are
 * of evictions in the recording; what a part of a recording knows of those from
 * before its cut is counted apart, so that a rate never has more parts than whole.
 */
#ifndef FOLIOSCOPE_REFAULT_H
#define FOLIOSCOPE_REFAULT_H

#include "analysis.h"
#include "hist.h"
#include "order.h"

/* V5 by default: back before a second aging of the lruvec. */
#define REFAULT_REGRET_GENS 1

#define REFAULT_MAX_TIERS 8

struct refault_results {
	uint64_t nr_evicted[TYPE_NR];		/* shadows left, folios */
	uint64_t nr_refaulted[TYPE_NR];		/* folios */
	uint64_t pages_counted[TYPE_NR];	/* workingset_refault_* */
	uint64_t pages_recent[TYPE_NR];		/* workingset_activate_* */
	uint64_t pages_restored[TYPE_NR];	/* workingset_restore_* */
	uint64_t nr_chained[TYPE_NR];		/* of these evictions: distance known */
	uint64_t nr_earlier[TYPE_NR];		/* of evictions before the cut of a part */
	uint64_t nr_unchained[TYPE_NR];		/* eviction or identity unknown */
	uint64_t nr_swapped_in;			/* by the swap-in event */
	struct hist distance_ns[TYPE_NR];
	struct hist distance_pages[TYPE_NR];	/* reclaimed from the lruvec since */
	struct hist distance_gens[TYPE_NR];	/* agings since */
	uint64_t regret_gens;
	uint64_t nr_regretted[TYPE_NR];		/* of chained */
	uint64_t nr_earlier_regretted[TYPE_NR];	/* of earlier: no part of a rate */
	/* of regretted: by lruvecs of which no aging was recorded, where V5 has no window */
	uint64_t nr_unaged_regretted[TYPE_NR];
	uint64_t regretted_by_tier[TYPE_NR][REFAULT_MAX_TIERS];
	uint64_t evicted_by_tier[TYPE_NR][REFAULT_MAX_TIERS];
	uint64_t nr_again;			/* pages evicted more than once */
	uint64_t nr_agings;			/* of all lruvecs, in the recording */
	struct order_examples examples[TYPE_NR];	/* soonest back */
};

/* refault_results(): of the analysis "refault", whose state is @self. */
const struct refault_results *refault_results(const void *self);

#endif /* FOLIOSCOPE_REFAULT_H */
