/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * MADV_FREE folios: marked, reached, freed or written to again, and V4, the
 * order of freeing against the order of marking.
 */
#ifndef FOLIOSCOPE_LAZYFREE_H
#define FOLIOSCOPE_LAZYFREE_H

#include "analysis.h"
#include "hist.h"
#include "order.h"

/* Frees are ordered within windows of so many, to bound memory. */
#define LAZYFREE_WINDOW 65536u

/* Every n-th marked folio that was freed, for a picture. */
#define LAZYFREE_MAX_POINTS 1024u

struct lazyfree_point {
	uint64_t mark_ns, free_ns;	/* from the first event */
};

/* One lruvec's share. */
struct lazyfree_lruvec {
	const struct lruvec *lruvec;	/* the model's */
	uint64_t nr_marked, nr_freed;	/* nr_freed: by reclaim, mark seen */
	uint64_t nr_pairs, nr_reversed;	/* V4 */
	uint64_t nr_file_first, sum_waiting;
	uint64_t pages_scanned;		/* of its file lists, so far */
	uint64_t pages_lazyfreed;	/* by reclaim, so far, with or without a mark */
};

struct lazyfree_results {
	uint64_t nr_marked, pages_marked;
	uint64_t nr_marked_again;	/* of nr_marked: given up before, and not freed since */
	/*
	 * What became of the marks: they are nr_freed - nr_unmarked, nr_redirtied -
	 * nr_redirtied_unmarked, nr_released, nr_marked_again and these.
	 */
	uint64_t nr_left_kept;		/* reached, kept, and there at the end */
	uint64_t nr_left_unreached;	/* there at the end, never reached */
	uint64_t nr_otherwise;		/* migrated, evicted, lost from sight, ... */
	uint64_t nr_scanned;		/* times that reclaim reached one */
	uint64_t nr_freed, pages_freed;	/* by reclaim */
	uint64_t nr_redirtied;		/* written to since, found by reclaim */
	uint64_t nr_redirtied_unmarked;	/* of them, mark not seen */
	uint64_t nr_skipped;		/* times reached and kept */
	uint64_t nr_unmarked;		/* freed, mark not seen */
	uint64_t nr_released;		/* the owner let go of it first */
	struct hist delay_ns;		/* mark to free */
	struct hist between_pages;	/* page cache reclaimed from mark to free */
	struct hist between_lazyfree_pages;	/* lazyfree ones reclaimed before it */
	struct hist between_anon_pages;	/* anon pages reclaimed from mark to free */
	struct hist scanned_pages;	/* pages of file lists scanned from mark to free */
	struct hist reach_ns;		/* mark to the first scan that reached it */
	struct hist redirtied_ns;	/* mark to reclaim finding it written to */
	struct hist released_ns;	/* mark to the owner letting go */
	uint64_t nr_pairs, nr_reversed;	/* of frees, within a window and lruvec */
	uint64_t nr_file_first;		/* file folios reclaimed while lazyfree stayed */
	uint64_t sum_waiting;		/* lazyfree folios on the lists then */
	struct order_examples examples;	/* freed latest after the mark */
	uint32_t nr_points, points_stride;	/* a point stands for so many */
	struct lazyfree_point points[LAZYFREE_MAX_POINTS];
};

/* lazyfree_results(): of the analysis "lazyfree", whose state is @self. */
const struct lazyfree_results *lazyfree_results(const void *self);

/*
 * lazyfree_lruvecs(): the shares of all lruvecs with a mark or a free, *@nr of
 * them; the analysis'.
 */
const struct lazyfree_lruvec *lazyfree_lruvecs(const void *self, unsigned *nr);

#endif /* FOLIOSCOPE_LAZYFREE_H */
