/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What pictures over time are drawn from: pages per generation, rates,
 * violations by site, hot and reclaimed page frames, and the transitions of
 * folios between generations. All of bounded size.
 */
#ifndef FOLIOSCOPE_PICTURES_H
#define FOLIOSCOPE_PICTURES_H

#include "analysis.h"
#include "heat.h"
#include "series.h"

/* Ages that are told apart; the last holds the older ones too. */
#define PICTURE_AGES 4

/* Counts per slot of time. */
enum picture_count {
	PICTURE_AGINGS,			/* max_seq steps, all lruvecs */
	PICTURE_RECLAIMED,		/* pages; + type */
	PICTURE_LAZYFREED = PICTURE_RECLAIMED + TYPE_NR,	/* pages */
	PICTURE_REFAULTED,		/* pages; + type */
	PICTURE_PROMOTED = PICTURE_REFAULTED + TYPE_NR,	/* folios, through page tables */
	PICTURE_PROTECTED,		/* folios, moved on at the old end */
	PICTURE_V1,			/* folios in reversed runs; + site */
	PICTURE_V2 = PICTURE_V1 + SITE_NR,	/* folios; + site */
	PICTURE_V3 = PICTURE_V2 + SITE_NR,	/* folios; + type */
	PICTURE_V5 = PICTURE_V3 + TYPE_NR,	/* folios; + type */
	PICTURE_NR_COUNTS = PICTURE_V5 + TYPE_NR
};

/* Levels: pages known in each generation; + type * PICTURE_AGES + age. */
#define PICTURE_NR_LEVELS (TYPE_NR * PICTURE_AGES)

/* Where folios come from and go to: ages first. */
enum transition_from {
	FROM_ADDED = PICTURE_AGES,	/* first sight on a list */
	FROM_REFAULTED,
	FROM_PUT_BACK,			/* isolated, and on a list again */
	FROM_RECLAIM,			/* isolated by reclaim */
	FROM_NR
};
enum transition_to {
	TO_RECLAIM = PICTURE_AGES,	/* isolated by reclaim */
	TO_ISOLATED,			/* taken off by others, or requeued */
	TO_FREED,			/* by its owner */
	TO_EVICTED,
	TO_LAZYFREED,
	TO_NR
};

/* Values of a folio's hitshield counter that are told apart. */
#define PICTURE_SHIELDS 8

struct pictures {
	struct series series;
	struct heat heat;
	uint64_t transitions[TYPE_NR][FROM_NR][TO_NR];	/* folios */
	uint64_t shields[HITSHIELD_NR][PICTURE_SHIELDS][PICTURE_SHIELDS];	/* before, after */
	bool out_of_memory;
};

/* pictures_results(): of the analysis "pictures", whose state is @self. */
const struct pictures *pictures_results(const void *self);

/* Static strings: "0", "-1", "added", "reclaim", ... */
const char *transition_from_name(unsigned from);
const char *transition_to_name(unsigned to);

#endif /* FOLIOSCOPE_PICTURES_H */
