/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Page frames whose stories are worth telling: those of the examples of
 * violations, those that were evicted, protected, promoted or isolated most, and
 * a few at random. Chosen while the recording is read once; a second pass then
 * tells their stories.
 */
#ifndef FOLIOSCOPE_CHOSEN_H
#define FOLIOSCOPE_CHOSEN_H

#include "pipeline.h"

#define CHOSEN_MAX 256u

/* Lives that are told apart by what they are the most of. */
enum chosen_by {
	CHOSEN_EVICTED,		/* the page was evicted most often */
	CHOSEN_PROTECTED,
	CHOSEN_PROMOTED,
	CHOSEN_ISOLATED,
	CHOSEN_RANDOM,		/* by a hash of the life's number */
	CHOSEN_NR
};

struct chosen_life {
	uint64_t pfn, score;
};

/* All zero is empty. */
struct chosen {
	struct chosen_life best[CHOSEN_NR][CHOSEN_MAX / 8];
	unsigned nr_best[CHOSEN_NR];
	uint64_t pfns[CHOSEN_MAX];	/* rising; after chosen_finish() */
	unsigned nr;
};

/* chosen_change(): to be called for each change of the first pass. */
void chosen_change(struct chosen *chosen, const struct change *c);

/*
 * chosen_add(): take @pfn, before chosen_finish(). Returns false if there are
 * CHOSEN_MAX others.
 */
bool chosen_add(struct chosen *chosen, uint64_t pfn);

/* chosen_finish(): after the pass over @p: at most @max (<= CHOSEN_MAX) in all. */
void chosen_finish(struct chosen *chosen, struct pipeline *p, unsigned max);

/* chosen_index(): place of @pfn in pfns[], -1 if it was not chosen. */
int chosen_index(const struct chosen *chosen, uint64_t pfn);

#endif /* FOLIOSCOPE_CHOSEN_H */
