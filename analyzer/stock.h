/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel without our patches tells of reclaim: insertions into the LRU, the
 * page cache, allocations and frees, and batches of reclaim (formats/stock.md). No
 * generation, no order, no cgroup, so there is no model here: page frames only.
 */
#ifndef FOLIOSCOPE_STOCK_H
#define FOLIOSCOPE_STOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "event.h"
#include "survival.h"
#include "table.h"

/* enum lru_list of the kernel, since 2.6.28. */
enum stock_lru {
	STOCK_INACTIVE_ANON,
	STOCK_ACTIVE_ANON,
	STOCK_INACTIVE_FILE,
	STOCK_ACTIVE_FILE,
	STOCK_UNEVICTABLE,
	STOCK_LRU_NR
};

struct stock_insertions {
	uint64_t nr;
	uint64_t nr_mapped, nr_swap_cache, nr_swap_backed;	/* of those, at that moment */
};

/* Spans that begin and end with an event of the same page frame. */
struct stock_spans {
	uint64_t nr_begun;
	uint64_t nr_ended;		/* begun in the recording, and ended */
	uint64_t nr_ended_unbegun;	/* begun before it, or unseen */
	uint64_t nr_cut;		/* by a loss of events */
	uint64_t nr_replaced;		/* begun again without an end */
	uint64_t nr_open;		/* when the recording ended */
	struct survival survival;	/* of those begun; cut and open ones censored */
};

/* What was allocated for what, as far as the insertion tells. */
enum stock_use { STOCK_USE_ANON, STOCK_USE_FILE, STOCK_USE_OTHER, STOCK_USE_NR };

struct stock_reclaim {
	/* mm_vmscan_lru_isolate; nr_taken is what pgscan_anon or pgscan_file counts */
	uint64_t nr_batches, nr_requested, nr_scanned, nr_skipped, nr_taken;
	/* mm_vmscan_lru_shrink_inactive; nr_reclaimed: pgsteal_anon or pgsteal_file */
	uint64_t nr_passes, nr_reclaimed, nr_dirty, nr_writeback, nr_immediate;
	uint64_t nr_activated, nr_ref_keep, nr_unmap_fail;
};

struct stock_results {
	uint64_t nr_by_kind[EV_NR];
	struct stock_insertions insertions[STOCK_LRU_NR];
	uint64_t nr_lists_unknown;	/* events of a list that we do not know */
	uint64_t nr_activations;
	struct stock_spans cache;	/* folios in the page cache */
	uint64_t nr_cache_pages_added, nr_cache_pages_removed;
	struct stock_spans frames[STOCK_USE_NR];	/* from allocation to free */
	uint64_t nr_alloc_failed, nr_pages_allocated, nr_pages_freed;
	uint64_t nr_freed_in_pieces;	/* with another order than allocated */
	struct stock_reclaim reclaim[2];	/* anon, file */
};

struct stock;

/* stock_new(): NULL without memory. stock_free(): NULL is allowed. */
struct stock *stock_new(void);
void stock_free(struct stock *stock);

/*
 * stock_event(): the next event of the stream, losses and gaps included; those of
 * other kinds are passed over. Returns 0 or -ERR_NOMEM.
 */
int stock_event(struct stock *stock, const struct event *ev);

/* stock_finish(): the recording ends at @ts_ns; what is open is counted so. */
void stock_finish(struct stock *stock, uint64_t ts_ns);

/* stock_results(): the stock's; complete after stock_finish(). */
const struct stock_results *stock_results(const struct stock *stock);

/* stock_is_event(): is @kind one that stock_event() looks at? */
bool stock_is_event(enum ev_kind kind);

/* stock_render(): the report, lines of at most 75 columns. */
void stock_render(const struct stock *stock, FILE *out);

/* The same as tables: their definitions, NULL at the end, and all of them. */
extern const struct table_def *const stock_defs[];
void stock_tables(const struct stock *stock, struct tables *tables);

#endif /* FOLIOSCOPE_STOCK_H */
