/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks and value names for the tracepoints of the multi-gen LRU.
 *
 * Included by mm_inline.h, so it must stay free of the trace machinery: the
 * events themselves are in trace/events/lru_gen.h. The enums exist whatever the
 * configuration, because sites are arguments of lruvec_add_folio() and
 * lruvec_del_folio().
 *
 * The printed names of the values are ABI; their numbers are not.
 */
#ifndef _LINUX_LRU_GEN_TRACE_H
#define _LINUX_LRU_GEN_TRACE_H

#include <linux/types.h>
#include <linux/tracepoint-defs.h>

struct folio;
struct lruvec;
struct mem_cgroup;

/* Where a folio entered, left or moved, or where its generation changed. */
enum lru_gen_site {
	LRU_GEN_SITE_OTHER,
	/* on and off a list, by lru_gen_add_folio() and lru_gen_del_folio() */
	LRU_GEN_SITE_LRU_ADD,
	LRU_GEN_SITE_LRU_MOVE_TAIL,
	LRU_GEN_SITE_LRU_ACTIVATE,
	LRU_GEN_SITE_LRU_DEACTIVATE_FILE,
	LRU_GEN_SITE_LRU_DEACTIVATE,
	LRU_GEN_SITE_LRU_LAZYFREE,
	LRU_GEN_SITE_RELEASE,
	LRU_GEN_SITE_ISOLATE_LRU,
	LRU_GEN_SITE_ISOLATE_FOLIO,
	LRU_GEN_SITE_PUTBACK,
	LRU_GEN_SITE_CHECK_MOVE_UNEVICTABLE,
	LRU_GEN_SITE_MLOCK,
	LRU_GEN_SITE_MLOCK_NEW,
	LRU_GEN_SITE_MUNLOCK,
	LRU_GEN_SITE_FILL_EVICTABLE,
	LRU_GEN_SITE_DRAIN_EVICTABLE,
	LRU_GEN_SITE_COMPACTION,
	/* generation bits changed in place, without the lru_lock */
	LRU_GEN_SITE_WALK_PTE,
	LRU_GEN_SITE_WALK_PMD,
	LRU_GEN_SITE_LOOK_AROUND,
	/* from list to list, or within one */
	LRU_GEN_SITE_INC_MIN_SEQ,
	LRU_GEN_SITE_SORT_PROMOTED,
	LRU_GEN_SITE_SORT_PROTECTED,
	LRU_GEN_SITE_SORT_INELIGIBLE,
	LRU_GEN_SITE_SORT_SHIELDED,
	LRU_GEN_SITE_SCAN_SKIPPED,
	/* min_seq and max_seq, whole lists */
	LRU_GEN_SITE_TRY_TO_INC_MIN_SEQ,
	LRU_GEN_SITE_INC_MAX_SEQ,
	LRU_GEN_SITE_REPARENT,
	NR_LRU_GEN_SITES
};

/* What happened to the lruvec as a whole. */
enum lru_gen_state {
	LRU_GEN_STATE_ONLINE,		/* new memcg: lists are empty */
	LRU_GEN_STATE_OFFLINE,		/* memcg removed: folios may remain */
	LRU_GEN_STATE_RELEASED,		/* no folio remains */
	LRU_GEN_STATE_ENABLE,		/* multi-gen from here on, filling */
	LRU_GEN_STATE_ENABLED,		/* every evictable folio was added */
	LRU_GEN_STATE_DISABLE,		/* classic LRU from here on, draining */
	LRU_GEN_STATE_DISABLED,		/* every generation is empty */
	LRU_GEN_STATE_SNAPSHOT,		/* the lists are copied out, lock held */
	NR_LRU_GEN_STATES
};

/* What shrink_folio_list() did with an isolated folio. */
enum lru_gen_outcome {
	LRU_GEN_OUTCOME_RECLAIMED,	/* freed; may have left a shadow */
	LRU_GEN_OUTCOME_LAZYFREED,	/* freed without being written */
	LRU_GEN_OUTCOME_KEPT,		/* goes back to the lruvec */
	LRU_GEN_OUTCOME_ACTIVATED,	/* goes back with PG_active */
	LRU_GEN_OUTCOME_DEMOTING,	/* queued for another node */
	LRU_GEN_OUTCOME_DROPPED,	/* reference dropped, fate elsewhere */
	NR_LRU_GEN_OUTCOMES
};

/* Why shrink_folio_list() did not free it. */
enum lru_gen_reason {
	LRU_GEN_REASON_NONE,
	LRU_GEN_REASON_LOCKED,
	LRU_GEN_REASON_HWPOISON,
	LRU_GEN_REASON_UNEVICTABLE,
	LRU_GEN_REASON_MAY_NOT_UNMAP,
	LRU_GEN_REASON_PROMOTED,	/* folio_update_gen() saw it isolated */
	LRU_GEN_REASON_WRITEBACK,
	LRU_GEN_REASON_REFERENCED,
	LRU_GEN_REASON_NO_IO,
	LRU_GEN_REASON_PINNED,
	LRU_GEN_REASON_SPLIT_FAILED,
	LRU_GEN_REASON_NO_SWAP,
	LRU_GEN_REASON_UNMAP_FAILED,
	LRU_GEN_REASON_REDIRTIED,	/* lazyfree, written to since */
	LRU_GEN_REASON_DIRTY_FILE,	/* left to the flusher */
	LRU_GEN_REASON_DIRTY,		/* this reclaimer may not write */
	LRU_GEN_REASON_WRITE_STARTED,
	LRU_GEN_REASON_WRITE_FAILED,
	LRU_GEN_REASON_RELEASE_FAILED,
	LRU_GEN_REASON_RACED,		/* somebody took a reference */
	NR_LRU_GEN_REASONS
};

enum lru_gen_lazyfree {
	LRU_GEN_LAZYFREE_MARK,		/* MADV_FREE reached the lruvec */
	LRU_GEN_LAZYFREE_SCAN,		/* isolated for reclaim */
	LRU_GEN_LAZYFREE_FREED,
	LRU_GEN_LAZYFREE_REDIRTIED,	/* is swap backed again */
	LRU_GEN_LAZYFREE_SKIPPED,	/* scanned, still lazyfree, kept */
	NR_LRU_GEN_LAZYFREES
};

enum lru_gen_backing {
	LRU_GEN_BACKING_UNKNOWN,
	LRU_GEN_BACKING_FILE,		/* dev, ino, index */
	LRU_GEN_BACKING_SWAP,		/* index is the swap entry */
	NR_LRU_GEN_BACKINGS
};

enum lru_gen_hitshield {
	LRU_GEN_HITSHIELD_COUNTED,	/* one more update through a page table */
	LRU_GEN_HITSHIELD_GRANTED,	/* the counter overflowed */
	LRU_GEN_HITSHIELD_SPENT,	/* moved on instead of being evicted */
	LRU_GEN_HITSHIELD_CLEARED,	/* counter cleared by an add */
	LRU_GEN_HITSHIELD_KEPT,		/* the shield survived an add */
	NR_LRU_GEN_HITSHIELDS
};

/* Bits of the field "flags" of the folio events: the folio after the event. */
#define LRU_GEN_FOLIO_TAIL		0x01	/* at the old end of the list */
#define LRU_GEN_FOLIO_ACTIVE		0x02
#define LRU_GEN_FOLIO_REFERENCED	0x04
#define LRU_GEN_FOLIO_WORKINGSET	0x08
#define LRU_GEN_FOLIO_LAZYFREE		0x10	/* anonymous, not swap backed */
#define LRU_GEN_FOLIO_DIRTY		0x20
#define LRU_GEN_FOLIO_WRITEBACK		0x40
#define LRU_GEN_FOLIO_SWAPCACHE		0x80

/* Bits of the field "flags" of mm_lru_gen_max_seq. */
#define LRU_GEN_AGING_CAN_SWAP		0x01
#define LRU_GEN_AGING_FORCE_SCAN	0x02

#ifdef CONFIG_LRU_GEN_TRACE

DECLARE_TRACEPOINT(mm_lru_gen_add);
DECLARE_TRACEPOINT(mm_lru_gen_del);
DECLARE_TRACEPOINT(mm_lru_gen_update);
DECLARE_TRACEPOINT(mm_lru_gen_move);
DECLARE_TRACEPOINT(mm_lru_gen_split);
DECLARE_TRACEPOINT(mm_lru_gen_migrate);
DECLARE_TRACEPOINT(mm_lru_gen_max_seq);
DECLARE_TRACEPOINT(mm_lru_gen_min_seq);
DECLARE_TRACEPOINT(mm_lru_gen_state);
DECLARE_TRACEPOINT(mm_lru_gen_splice);
DECLARE_TRACEPOINT(mm_lru_gen_scan);
DECLARE_TRACEPOINT(mm_lru_gen_reclaim);
DECLARE_TRACEPOINT(mm_lru_gen_lazyfree);
DECLARE_TRACEPOINT(mm_lru_gen_evict);
DECLARE_TRACEPOINT(mm_lru_gen_refault);
DECLARE_TRACEPOINT(mm_lru_gen_swapin);
DECLARE_TRACEPOINT(mm_lru_gen_hitshield);

#define lru_gen_trace_enabled(event)	tracepoint_enabled(mm_lru_gen_##event)

#else /* !CONFIG_LRU_GEN_TRACE */

#define lru_gen_trace_enabled(event)	false

#endif /* CONFIG_LRU_GEN_TRACE */

/*
 * A hook is a call of lru_gen_trace(event, arguments...). The arguments are
 * evaluated only while the event is on; without CONFIG_LRU_GEN_TRACE nothing
 * is left of it but the type check.
 */
#define lru_gen_trace(event, ...)					\
	do {								\
		if (lru_gen_trace_enabled(event))			\
			__lru_gen_trace_##event(__VA_ARGS__);		\
	} while (0)

void __lru_gen_trace_add(struct lruvec *lruvec, struct folio *folio, int gen,
			 enum lru_gen_site site, bool tail);
void __lru_gen_trace_del(struct lruvec *lruvec, struct folio *folio, int gen,
			 enum lru_gen_site site);
void __lru_gen_trace_update(struct lruvec *lruvec, struct folio *folio,
			    unsigned long max_seq, int old_gen,
			    enum lru_gen_site site);
void __lru_gen_trace_move(struct lruvec *lruvec, struct folio *folio,
			  int old_gen, int new_gen, enum lru_gen_site site,
			  bool tail, int refs, int tier_idx);
void __lru_gen_trace_split(struct lruvec *lruvec, struct folio *folio,
			   int old_order, int new_order);
void __lru_gen_trace_migrate(struct folio *folio, struct folio *new_folio);
void __lru_gen_trace_max_seq(struct lruvec *lruvec, bool can_swap,
			     bool force_scan);
void __lru_gen_trace_min_seq(struct lruvec *lruvec, int type,
			     unsigned long old_seq, unsigned long new_seq,
			     enum lru_gen_site site);
void __lru_gen_trace_state(struct lruvec *lruvec, enum lru_gen_state state);
void __lru_gen_trace_scan(struct lruvec *lruvec, int type, int gen,
			  int tier_idx, int reclaim_idx, int nr_scanned,
			  int nr_isolated, int nr_sorted, int nr_skipped,
			  int reclaimer, bool memcg_reclaim);
void __lru_gen_trace_reclaim(struct folio *folio, enum lru_gen_outcome outcome,
			     enum lru_gen_reason reason);
void __lru_gen_trace_lazyfree(struct folio *folio, enum lru_gen_lazyfree stage);
void __lru_gen_trace_evict(struct folio *folio, unsigned long token, int refs,
			   int tier);
void __lru_gen_trace_refault(struct folio *folio, unsigned long token,
			     bool workingset, bool recent, bool counted,
			     bool restored);
void __lru_gen_trace_swapin(struct folio *folio, unsigned long entry);

#endif /* _LINUX_LRU_GEN_TRACE_H */
