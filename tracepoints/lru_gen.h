/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints of the multi-gen LRU.
 *
 * Together the events let an observer rebuild every generation list in order,
 * from a moment when the lists are known. Everything is logged by value: a
 * folio is its pfn, a memcg its cgroup id (never reused; 0 without memcg), and
 * events of one lruvec carry max_seq beside the generation, so that a
 * generation index can be turned into a sequence number:
 *
 *	seq = max_seq - ((max_seq - gen) mod nr_gens)
 *
 * The arguments are filled in by mm/lru_gen_trace.c, which differs from one
 * kernel version to the next; this file does not.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lru_gen

#if !defined(_TRACE_LRU_GEN_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_LRU_GEN_H

#include <linux/lru_gen_trace.h>
#include <linux/tracepoint.h>
#include <linux/types.h>

#ifndef _TRACE_LRU_GEN_ARGS
#define _TRACE_LRU_GEN_ARGS

/* What the four list events have in common. */
struct lru_gen_trace_folio {
	u64 pfn;
	u64 memcg;
	u64 max_seq;
	int nid;
	int order;
	int type;
	int zone;
	int old_gen;
	int new_gen;
	int refs;
	int tier;
	int tier_idx;
	int site;
	unsigned int flags;
};

/* A page's identity beyond its folio. */
struct lru_gen_trace_page {
	u64 pfn;
	u64 memcg;
	u64 token;
	u64 ino;
	u64 index;
	u32 dev;
	int nid;
	int order;
	int type;
	int backing;
	int refs;
	int tier;
	bool recent;
	bool counted;
	bool restored;
	bool in_fault;
};

struct lru_gen_trace_lruvec {
	u64 memcg;
	u64 max_seq;
	u64 min_seq_anon;
	u64 min_seq_file;
	u32 memcg_id;
	int nid;
};

#endif /* _TRACE_LRU_GEN_ARGS */

/* the elements of a list of value names: EM(value, name), EMe() for the last */
#define LRU_GEN_LIST(...)	__VA_ARGS__

/*
 * lazyfree: only of the list entered or scanned, in kernels where lazyfree
 * folios have lists of their own; the type of such a folio is file.
 */
#define LRU_GEN_TYPES LRU_GEN_LIST(					\
	EM(0, "anon")							\
	EM(1, "file")							\
	EMe(2, "lazyfree"))

#define LRU_GEN_SITES LRU_GEN_LIST(					\
	EM(LRU_GEN_SITE_OTHER,			"other")		\
	EM(LRU_GEN_SITE_LRU_ADD,		"lru_add")		\
	EM(LRU_GEN_SITE_LRU_MOVE_TAIL,		"lru_move_tail")	\
	EM(LRU_GEN_SITE_LRU_ACTIVATE,		"lru_activate")		\
	EM(LRU_GEN_SITE_LRU_DEACTIVATE_FILE,	"lru_deactivate_file")	\
	EM(LRU_GEN_SITE_LRU_DEACTIVATE,		"lru_deactivate")	\
	EM(LRU_GEN_SITE_LRU_LAZYFREE,		"lru_lazyfree")		\
	EM(LRU_GEN_SITE_RELEASE,		"release")		\
	EM(LRU_GEN_SITE_ISOLATE_LRU,		"isolate_lru")		\
	EM(LRU_GEN_SITE_ISOLATE_FOLIO,		"isolate_folio")	\
	EM(LRU_GEN_SITE_PUTBACK,		"putback")		\
	EM(LRU_GEN_SITE_CHECK_MOVE_UNEVICTABLE,	"check_move_unevictable") \
	EM(LRU_GEN_SITE_MLOCK,			"mlock")		\
	EM(LRU_GEN_SITE_MLOCK_NEW,		"mlock_new")		\
	EM(LRU_GEN_SITE_MUNLOCK,		"munlock")		\
	EM(LRU_GEN_SITE_FILL_EVICTABLE,		"fill_evictable")	\
	EM(LRU_GEN_SITE_DRAIN_EVICTABLE,	"drain_evictable")	\
	EM(LRU_GEN_SITE_COMPACTION,		"compaction")		\
	EM(LRU_GEN_SITE_WALK_PTE,		"walk_pte")		\
	EM(LRU_GEN_SITE_WALK_PMD,		"walk_pmd")		\
	EM(LRU_GEN_SITE_LOOK_AROUND,		"look_around")		\
	EM(LRU_GEN_SITE_INC_MIN_SEQ,		"inc_min_seq")		\
	EM(LRU_GEN_SITE_SORT_PROMOTED,		"sort_promoted")	\
	EM(LRU_GEN_SITE_SORT_PROTECTED,		"sort_protected")	\
	EM(LRU_GEN_SITE_SORT_INELIGIBLE,	"sort_ineligible")	\
	EM(LRU_GEN_SITE_SORT_SHIELDED,		"sort_shielded")	\
	EM(LRU_GEN_SITE_SCAN_SKIPPED,		"scan_skipped")		\
	EM(LRU_GEN_SITE_TRY_TO_INC_MIN_SEQ,	"try_to_inc_min_seq")	\
	EM(LRU_GEN_SITE_INC_MAX_SEQ,		"inc_max_seq")		\
	EMe(LRU_GEN_SITE_REPARENT,		"reparent"))

#define LRU_GEN_STATES LRU_GEN_LIST(					\
	EM(LRU_GEN_STATE_ONLINE,		"online")		\
	EM(LRU_GEN_STATE_OFFLINE,		"offline")		\
	EM(LRU_GEN_STATE_RELEASED,		"released")		\
	EM(LRU_GEN_STATE_ENABLE,		"enable")		\
	EM(LRU_GEN_STATE_ENABLED,		"enabled")		\
	EM(LRU_GEN_STATE_DISABLE,		"disable")		\
	EM(LRU_GEN_STATE_DISABLED,		"disabled")		\
	EMe(LRU_GEN_STATE_SNAPSHOT,		"snapshot"))

#define LRU_GEN_OUTCOMES LRU_GEN_LIST(					\
	EM(LRU_GEN_OUTCOME_RECLAIMED,		"reclaimed")		\
	EM(LRU_GEN_OUTCOME_LAZYFREED,		"lazyfreed")		\
	EM(LRU_GEN_OUTCOME_KEPT,		"kept")			\
	EM(LRU_GEN_OUTCOME_ACTIVATED,		"activated")		\
	EM(LRU_GEN_OUTCOME_DEMOTING,		"demoting")		\
	EMe(LRU_GEN_OUTCOME_DROPPED,		"dropped"))

#define LRU_GEN_REASONS LRU_GEN_LIST(					\
	EM(LRU_GEN_REASON_NONE,			"none")			\
	EM(LRU_GEN_REASON_LOCKED,		"locked")		\
	EM(LRU_GEN_REASON_HWPOISON,		"hwpoison")		\
	EM(LRU_GEN_REASON_UNEVICTABLE,		"unevictable")		\
	EM(LRU_GEN_REASON_MAY_NOT_UNMAP,	"may_not_unmap")	\
	EM(LRU_GEN_REASON_PROMOTED,		"promoted")		\
	EM(LRU_GEN_REASON_WRITEBACK,		"writeback")		\
	EM(LRU_GEN_REASON_REFERENCED,		"referenced")		\
	EM(LRU_GEN_REASON_NO_IO,		"no_io")		\
	EM(LRU_GEN_REASON_PINNED,		"pinned")		\
	EM(LRU_GEN_REASON_SPLIT_FAILED,		"split_failed")		\
	EM(LRU_GEN_REASON_NO_SWAP,		"no_swap")		\
	EM(LRU_GEN_REASON_UNMAP_FAILED,		"unmap_failed")		\
	EM(LRU_GEN_REASON_REDIRTIED,		"redirtied")		\
	EM(LRU_GEN_REASON_DIRTY_FILE,		"dirty_file")		\
	EM(LRU_GEN_REASON_DIRTY,		"dirty")		\
	EM(LRU_GEN_REASON_WRITE_STARTED,	"write_started")	\
	EM(LRU_GEN_REASON_WRITE_FAILED,		"write_failed")		\
	EM(LRU_GEN_REASON_RELEASE_FAILED,	"release_failed")	\
	EMe(LRU_GEN_REASON_RACED,		"raced"))

#define LRU_GEN_LAZYFREES LRU_GEN_LIST(					\
	EM(LRU_GEN_LAZYFREE_MARK,		"mark")			\
	EM(LRU_GEN_LAZYFREE_SCAN,		"scan")			\
	EM(LRU_GEN_LAZYFREE_FREED,		"freed")		\
	EM(LRU_GEN_LAZYFREE_REDIRTIED,		"redirtied")		\
	EMe(LRU_GEN_LAZYFREE_SKIPPED,		"skipped"))

#define LRU_GEN_BACKINGS LRU_GEN_LIST(					\
	EM(LRU_GEN_BACKING_UNKNOWN,		"unknown")		\
	EM(LRU_GEN_BACKING_FILE,		"file")			\
	EMe(LRU_GEN_BACKING_SWAP,		"swap"))

#define LRU_GEN_HITSHIELDS LRU_GEN_LIST(				\
	EM(LRU_GEN_HITSHIELD_COUNTED,		"counted")		\
	EM(LRU_GEN_HITSHIELD_GRANTED,		"granted")		\
	EM(LRU_GEN_HITSHIELD_SPENT,		"spent")		\
	EM(LRU_GEN_HITSHIELD_CLEARED,		"cleared")		\
	EMe(LRU_GEN_HITSHIELD_KEPT,		"kept"))

/* reclaimer_offset(): the offset from PGSCAN_KSWAPD to the counter used */
#define LRU_GEN_RECLAIMERS LRU_GEN_LIST(				\
	EM(0, "kswapd")							\
	EM(1, "direct")							\
	EMe(2, "khugepaged"))

#define show_lru_gen_flags(flags)					\
	__print_flags(flags, "|",					\
		{ LRU_GEN_FOLIO_TAIL,		"tail" },		\
		{ LRU_GEN_FOLIO_ACTIVE,		"active" },		\
		{ LRU_GEN_FOLIO_REFERENCED,	"referenced" },		\
		{ LRU_GEN_FOLIO_WORKINGSET,	"workingset" },		\
		{ LRU_GEN_FOLIO_LAZYFREE,	"lazyfree" },		\
		{ LRU_GEN_FOLIO_DIRTY,		"dirty" },		\
		{ LRU_GEN_FOLIO_WRITEBACK,	"writeback" },		\
		{ LRU_GEN_FOLIO_SWAPCACHE,	"swapcache" })

#define show_lru_gen_aging_flags(flags)					\
	__print_flags(flags, "|",					\
		{ LRU_GEN_AGING_CAN_SWAP,	"can_swap" },		\
		{ LRU_GEN_AGING_FORCE_SCAN,	"force_scan" })

/* First let user space know the values, then define the printers. */
#undef EM
#undef EMe
#define EM(value, name)		TRACE_DEFINE_ENUM(value);
#define EMe(value, name)	TRACE_DEFINE_ENUM(value);

LRU_GEN_SITES
LRU_GEN_STATES
LRU_GEN_OUTCOMES
LRU_GEN_REASONS
LRU_GEN_LAZYFREES
LRU_GEN_BACKINGS
LRU_GEN_HITSHIELDS

#undef EM
#undef EMe
#define EM(value, name)		{ value, name },
#define EMe(value, name)	{ value, name }

DECLARE_EVENT_CLASS(mm_lru_gen_folio,

	TP_PROTO(const struct lru_gen_trace_folio *t),

	TP_ARGS(t),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, memcg)
		__field(u32, max_seq)
		__field(s16, nid)
		__field(u8, order)
		__field(u8, type)
		__field(u8, zone)
		__field(s8, old_gen)
		__field(s8, new_gen)
		__field(u8, refs)
		__field(u8, tier)
		__field(s8, tier_idx)
		__field(u8, site)
		__field(u8, flags)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->memcg = t->memcg;
		__entry->max_seq = t->max_seq;
		__entry->nid = t->nid;
		__entry->order = t->order;
		__entry->type = t->type;
		__entry->zone = t->zone;
		__entry->old_gen = t->old_gen;
		__entry->new_gen = t->new_gen;
		__entry->refs = t->refs;
		__entry->tier = t->tier;
		__entry->tier_idx = t->tier_idx;
		__entry->site = t->site;
		__entry->flags = t->flags;
	),

	TP_printk("pfn=0x%llx memcg=%llu max_seq=%u nid=%d order=%u type=%s zone=%u old_gen=%hhd new_gen=%hhd refs=%u tier=%u tier_idx=%hhd site=%s flags=%s",
		__entry->pfn,
		__entry->memcg,
		__entry->max_seq,
		__entry->nid,
		__entry->order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->zone,
		__entry->old_gen,
		__entry->new_gen,
		__entry->refs,
		__entry->tier,
		__entry->tier_idx,
		__print_symbolic(__entry->site, LRU_GEN_SITES),
		show_lru_gen_flags(__entry->flags))
);

/* A folio was linked into a generation; old_gen is -1. */
DEFINE_EVENT(mm_lru_gen_folio, mm_lru_gen_add,
	TP_PROTO(const struct lru_gen_trace_folio *t),
	TP_ARGS(t)
);

/* A folio was unlinked; old_gen is what its flags said, new_gen is -1. */
DEFINE_EVENT(mm_lru_gen_folio, mm_lru_gen_del,
	TP_PROTO(const struct lru_gen_trace_folio *t),
	TP_ARGS(t)
);

/*
 * The flags of a folio changed from old_gen to new_gen and the folio stayed
 * on its list; no lru_lock was held, and max_seq is what the caller had read
 * earlier. Both are -1 for a folio that was isolated: it only got
 * PG_referenced.
 */
DEFINE_EVENT(mm_lru_gen_folio, mm_lru_gen_update,
	TP_PROTO(const struct lru_gen_trace_folio *t),
	TP_ARGS(t)
);

/*
 * A folio left the list of old_gen for the head or the tail of the list of
 * new_gen, which is also what its flags say, except at scan_skipped, where the
 * list is the same and the flags are anything.
 */
DEFINE_EVENT(mm_lru_gen_folio, mm_lru_gen_move,
	TP_PROTO(const struct lru_gen_trace_folio *t),
	TP_ARGS(t)
);

/*
 * A large folio became 2^(order - new_order) folios. If on_lru, the new ones
 * are on the list of the old one, beside it on the younger side; otherwise
 * they are on a private list of the caller, or unevictable.
 */
TRACE_EVENT(mm_lru_gen_split,

	TP_PROTO(const struct lru_gen_trace_folio *t, int new_order, bool on_lru),

	TP_ARGS(t, new_order, on_lru),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, memcg)
		__field(u32, max_seq)
		__field(s16, nid)
		__field(u8, order)
		__field(u8, new_order)
		__field(u8, type)
		__field(u8, zone)
		__field(s8, gen)
		__field(u8, refs)
		__field(u8, on_lru)
		__field(u8, flags)
		__field(u16, site)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->memcg = t->memcg;
		__entry->max_seq = t->max_seq;
		__entry->nid = t->nid;
		__entry->order = t->order;
		__entry->new_order = new_order;
		__entry->type = t->type;
		__entry->zone = t->zone;
		__entry->gen = t->new_gen;
		__entry->refs = t->refs;
		__entry->on_lru = on_lru;
		__entry->flags = t->flags;
		__entry->site = t->site;
	),

	TP_printk("pfn=0x%llx memcg=%llu max_seq=%u nid=%d order=%u new_order=%u type=%s zone=%u gen=%hhd refs=%u on_lru=%u flags=%s site=%s",
		__entry->pfn,
		__entry->memcg,
		__entry->max_seq,
		__entry->nid,
		__entry->order,
		__entry->new_order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->zone,
		__entry->gen,
		__entry->refs,
		__entry->on_lru,
		show_lru_gen_flags(__entry->flags),
		__print_symbolic(__entry->site, LRU_GEN_SITES))
);

/* The contents of a folio went to a new folio; the generation did not. */
TRACE_EVENT(mm_lru_gen_migrate,

	TP_PROTO(const struct lru_gen_trace_folio *t, u64 new_pfn, int new_nid),

	TP_ARGS(t, new_pfn, new_nid),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, new_pfn)
		__field(u64, memcg)
		__field(s16, nid)
		__field(s16, new_nid)
		__field(u8, order)
		__field(u8, type)
		__field(u8, refs)
		__field(u8, flags)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->new_pfn = new_pfn;
		__entry->memcg = t->memcg;
		__entry->nid = t->nid;
		__entry->new_nid = new_nid;
		__entry->order = t->order;
		__entry->type = t->type;
		__entry->refs = t->refs;
		__entry->flags = t->flags;
	),

	TP_printk("pfn=0x%llx new_pfn=0x%llx memcg=%llu nid=%d new_nid=%d order=%u type=%s refs=%u flags=%s",
		__entry->pfn,
		__entry->new_pfn,
		__entry->memcg,
		__entry->nid,
		__entry->new_nid,
		__entry->order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->refs,
		show_lru_gen_flags(__entry->flags))
);

/* A new youngest generation: max_seq is the new value. */
TRACE_EVENT(mm_lru_gen_max_seq,

	TP_PROTO(const struct lru_gen_trace_lruvec *t, int nr_gens,
		 unsigned int flags),

	TP_ARGS(t, nr_gens, flags),

	TP_STRUCT__entry(
		__field(u64, memcg)
		__field(u64, max_seq)
		__field(u64, min_seq_anon)
		__field(u64, min_seq_file)
		__field(u32, memcg_id)
		__field(s16, nid)
		__field(u8, nr_gens)
		__field(u8, flags)
	),

	TP_fast_assign(
		__entry->memcg = t->memcg;
		__entry->max_seq = t->max_seq;
		__entry->min_seq_anon = t->min_seq_anon;
		__entry->min_seq_file = t->min_seq_file;
		__entry->memcg_id = t->memcg_id;
		__entry->nid = t->nid;
		__entry->nr_gens = nr_gens;
		__entry->flags = flags;
	),

	TP_printk("memcg=%llu max_seq=%llu min_seq_anon=%llu min_seq_file=%llu memcg_id=%u nid=%d nr_gens=%u flags=%s",
		__entry->memcg,
		__entry->max_seq,
		__entry->min_seq_anon,
		__entry->min_seq_file,
		__entry->memcg_id,
		__entry->nid,
		__entry->nr_gens,
		show_lru_gen_aging_flags(__entry->flags))
);

/*
 * The oldest generation of one type became new_seq. relabel: the generation
 * given up was not empty and no folio was touched, so that nr_pages pages (by
 * the kernel's count, which may lag behind the lists) become the youngest
 * after the next mm_lru_gen_max_seq. Without relabel, nr_pages is 0.
 */
TRACE_EVENT(mm_lru_gen_min_seq,

	TP_PROTO(const struct lru_gen_trace_lruvec *t, int type, u64 old_seq,
		 u64 new_seq, u64 nr_pages, int nr_gens, int site,
		 bool relabel),

	TP_ARGS(t, type, old_seq, new_seq, nr_pages, nr_gens, site, relabel),

	TP_STRUCT__entry(
		__field(u64, memcg)
		__field(u64, max_seq)
		__field(u64, old_seq)
		__field(u64, new_seq)
		__field(u64, nr_pages)
		__field(s32, nid)
		__field(u8, type)
		__field(u8, nr_gens)
		__field(u8, site)
		__field(u8, relabel)
	),

	TP_fast_assign(
		__entry->memcg = t->memcg;
		__entry->max_seq = t->max_seq;
		__entry->old_seq = old_seq;
		__entry->new_seq = new_seq;
		__entry->nr_pages = nr_pages;
		__entry->nid = t->nid;
		__entry->type = type;
		__entry->nr_gens = nr_gens;
		__entry->site = site;
		__entry->relabel = relabel;
	),

	TP_printk("memcg=%llu max_seq=%llu old_seq=%llu new_seq=%llu nr_pages=%llu nid=%d type=%s nr_gens=%u site=%s relabel=%u",
		__entry->memcg,
		__entry->max_seq,
		__entry->old_seq,
		__entry->new_seq,
		__entry->nr_pages,
		__entry->nid,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->nr_gens,
		__print_symbolic(__entry->site, LRU_GEN_SITES),
		__entry->relabel)
);

/* A lruvec came, went, or was switched to or from the multi-gen LRU. */
TRACE_EVENT(mm_lru_gen_state,

	TP_PROTO(const struct lru_gen_trace_lruvec *t, int nr_gens, int state),

	TP_ARGS(t, nr_gens, state),

	TP_STRUCT__entry(
		__field(u64, memcg)
		__field(u64, max_seq)
		__field(u64, min_seq_anon)
		__field(u64, min_seq_file)
		__field(u32, memcg_id)
		__field(s16, nid)
		__field(u8, nr_gens)
		__field(u8, state)
	),

	TP_fast_assign(
		__entry->memcg = t->memcg;
		__entry->max_seq = t->max_seq;
		__entry->min_seq_anon = t->min_seq_anon;
		__entry->min_seq_file = t->min_seq_file;
		__entry->memcg_id = t->memcg_id;
		__entry->nid = t->nid;
		__entry->nr_gens = nr_gens;
		__entry->state = state;
	),

	TP_printk("memcg=%llu max_seq=%llu min_seq_anon=%llu min_seq_file=%llu memcg_id=%u nid=%d nr_gens=%u state=%s",
		__entry->memcg,
		__entry->max_seq,
		__entry->min_seq_anon,
		__entry->min_seq_file,
		__entry->memcg_id,
		__entry->nid,
		__entry->nr_gens,
		__print_symbolic(__entry->state, LRU_GEN_STATES))
);

/*
 * nr_folios folios, from first_pfn (oldest) to last_pfn, went as they stood
 * from one list to the head or the tail of another, which may be another
 * memcg's. No other event tells of them.
 */
TRACE_EVENT(mm_lru_gen_splice,

	TP_PROTO(const struct lru_gen_trace_lruvec *from,
		 const struct lru_gen_trace_lruvec *to, int type, int zone,
		 int old_gen, int new_gen, u64 first_pfn, u64 last_pfn,
		 u32 nr_folios, int site, bool tail),

	TP_ARGS(from, to, type, zone, old_gen, new_gen, first_pfn, last_pfn,
		nr_folios, site, tail),

	TP_STRUCT__entry(
		__field(u64, memcg)
		__field(u64, new_memcg)
		__field(u64, max_seq)
		__field(u64, new_max_seq)
		__field(u64, first_pfn)
		__field(u64, last_pfn)
		__field(u32, nr_folios)
		__field(s16, nid)
		__field(u8, type)
		__field(u8, zone)
		__field(s8, old_gen)
		__field(s8, new_gen)
		__field(u8, site)
		__field(u8, tail)
	),

	TP_fast_assign(
		__entry->memcg = from->memcg;
		__entry->new_memcg = to->memcg;
		__entry->max_seq = from->max_seq;
		__entry->new_max_seq = to->max_seq;
		__entry->first_pfn = first_pfn;
		__entry->last_pfn = last_pfn;
		__entry->nr_folios = nr_folios;
		__entry->nid = from->nid;
		__entry->type = type;
		__entry->zone = zone;
		__entry->old_gen = old_gen;
		__entry->new_gen = new_gen;
		__entry->site = site;
		__entry->tail = tail;
	),

	TP_printk("memcg=%llu new_memcg=%llu max_seq=%llu new_max_seq=%llu first_pfn=0x%llx last_pfn=0x%llx nr_folios=%u nid=%d type=%s zone=%u old_gen=%hhd new_gen=%hhd site=%s tail=%u",
		__entry->memcg,
		__entry->new_memcg,
		__entry->max_seq,
		__entry->new_max_seq,
		__entry->first_pfn,
		__entry->last_pfn,
		__entry->nr_folios,
		__entry->nid,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->zone,
		__entry->old_gen,
		__entry->new_gen,
		__print_symbolic(__entry->site, LRU_GEN_SITES),
		__entry->tail)
);

/*
 * The end of one scan of an oldest generation, all of it under one lru_lock:
 * the unit in which moves form a run. Counts are pages, as in vmstat: isolated
 * is pgscan_*, sorted is pgrefill, skipped is pgscan_skip.
 */
TRACE_EVENT(mm_lru_gen_scan,

	TP_PROTO(const struct lru_gen_trace_lruvec *t, int type, int gen,
		 int tier_idx, int reclaim_idx, int nr_scanned, int nr_isolated,
		 int nr_sorted, int nr_skipped, int reclaimer,
		 bool memcg_reclaim),

	TP_ARGS(t, type, gen, tier_idx, reclaim_idx, nr_scanned, nr_isolated,
		nr_sorted, nr_skipped, reclaimer, memcg_reclaim),

	TP_STRUCT__entry(
		__field(u64, memcg)
		__field(u64, max_seq)
		__field(u32, nr_scanned)
		__field(u32, nr_isolated)
		__field(u32, nr_sorted)
		__field(u32, nr_skipped)
		__field(s16, nid)
		__field(u8, type)
		__field(s8, gen)
		__field(s8, tier_idx)
		__field(u8, reclaim_idx)
		__field(u8, reclaimer)
		__field(u8, memcg_reclaim)
	),

	TP_fast_assign(
		__entry->memcg = t->memcg;
		__entry->max_seq = t->max_seq;
		__entry->nr_scanned = nr_scanned;
		__entry->nr_isolated = nr_isolated;
		__entry->nr_sorted = nr_sorted;
		__entry->nr_skipped = nr_skipped;
		__entry->nid = t->nid;
		__entry->type = type;
		__entry->gen = gen;
		__entry->tier_idx = tier_idx;
		__entry->reclaim_idx = reclaim_idx;
		__entry->reclaimer = reclaimer;
		__entry->memcg_reclaim = memcg_reclaim;
	),

	TP_printk("memcg=%llu max_seq=%llu nr_scanned=%u nr_isolated=%u nr_sorted=%u nr_skipped=%u nid=%d type=%s gen=%hhd tier_idx=%hhd reclaim_idx=%u reclaimer=%s memcg_reclaim=%u",
		__entry->memcg,
		__entry->max_seq,
		__entry->nr_scanned,
		__entry->nr_isolated,
		__entry->nr_sorted,
		__entry->nr_skipped,
		__entry->nid,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->gen,
		__entry->tier_idx,
		__entry->reclaim_idx,
		__print_symbolic(__entry->reclaimer, LRU_GEN_RECLAIMERS),
		__entry->memcg_reclaim)
);

/*
 * What became of an isolated folio: in shrink_folio_list(), or where it was
 * not put back because nobody else had a reference any more (dropped).
 */
TRACE_EVENT(mm_lru_gen_reclaim,

	TP_PROTO(const struct lru_gen_trace_folio *t, int outcome, int reason),

	TP_ARGS(t, outcome, reason),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, memcg)
		__field(s16, nid)
		__field(u8, order)
		__field(u8, type)
		__field(u8, refs)
		__field(u8, outcome)
		__field(u8, reason)
		__field(u8, flags)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->memcg = t->memcg;
		__entry->nid = t->nid;
		__entry->order = t->order;
		__entry->type = t->type;
		__entry->refs = t->refs;
		__entry->outcome = outcome;
		__entry->reason = reason;
		__entry->flags = t->flags;
	),

	TP_printk("pfn=0x%llx memcg=%llu nid=%d order=%u type=%s refs=%u outcome=%s reason=%s flags=%s",
		__entry->pfn,
		__entry->memcg,
		__entry->nid,
		__entry->order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->refs,
		__print_symbolic(__entry->outcome, LRU_GEN_OUTCOMES),
		__print_symbolic(__entry->reason, LRU_GEN_REASONS),
		show_lru_gen_flags(__entry->flags))
);

/* A stage in the life of a folio that MADV_FREE gave up. */
TRACE_EVENT(mm_lru_gen_lazyfree,

	TP_PROTO(const struct lru_gen_trace_folio *t, int stage),

	TP_ARGS(t, stage),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, memcg)
		__field(s16, nid)
		__field(u8, order)
		__field(u8, type)
		__field(u8, zone)
		__field(u8, stage)
		__field(u8, refs)
		__field(u8, flags)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->memcg = t->memcg;
		__entry->nid = t->nid;
		__entry->order = t->order;
		__entry->type = t->type;
		__entry->zone = t->zone;
		__entry->stage = stage;
		__entry->refs = t->refs;
		__entry->flags = t->flags;
	),

	TP_printk("pfn=0x%llx memcg=%llu nid=%d order=%u type=%s zone=%u stage=%s refs=%u flags=%s",
		__entry->pfn,
		__entry->memcg,
		__entry->nid,
		__entry->order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->zone,
		__print_symbolic(__entry->stage, LRU_GEN_LAZYFREES),
		__entry->refs,
		show_lru_gen_flags(__entry->flags))
);

/*
 * A folio leaves a shadow. (backing, dev, ino, index) is the same in the
 * mm_lru_gen_refault or mm_lru_gen_swapin that brings the page back.
 */
TRACE_EVENT(mm_lru_gen_evict,

	TP_PROTO(const struct lru_gen_trace_page *t),

	TP_ARGS(t),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, memcg)
		__field(u64, token)
		__field(u64, ino)
		__field(u64, index)
		__field(u32, dev)
		__field(s16, nid)
		__field(u8, order)
		__field(u8, type)
		__field(u8, backing)
		__field(u8, refs)
		__field(u8, tier)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->memcg = t->memcg;
		__entry->token = t->token;
		__entry->ino = t->ino;
		__entry->index = t->index;
		__entry->dev = t->dev;
		__entry->nid = t->nid;
		__entry->order = t->order;
		__entry->type = t->type;
		__entry->backing = t->backing;
		__entry->refs = t->refs;
		__entry->tier = t->tier;
	),

	TP_printk("pfn=0x%llx memcg=%llu token=0x%llx ino=%llu index=0x%llx dev=%u nid=%d order=%u type=%s backing=%s refs=%u tier=%u",
		__entry->pfn,
		__entry->memcg,
		__entry->token,
		__entry->ino,
		__entry->index,
		__entry->dev,
		__entry->nid,
		__entry->order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__print_symbolic(__entry->backing, LRU_GEN_BACKINGS),
		__entry->refs,
		__entry->tier)
);

/*
 * A page with a shadow came back. counted: in the lruvec that evicted it, so
 * workingset_refault_* was counted; recent: workingset_activate_* too;
 * restored: workingset_restore_* too.
 */
TRACE_EVENT(mm_lru_gen_refault,

	TP_PROTO(const struct lru_gen_trace_page *t),

	TP_ARGS(t),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, memcg)
		__field(u64, token)
		__field(u64, ino)
		__field(u64, index)
		__field(u32, dev)
		__field(s16, nid)
		__field(u8, order)
		__field(u8, type)
		__field(u8, backing)
		__field(u8, refs)
		__field(u8, tier)
		__field(u8, recent)
		__field(u8, counted)
		__field(u8, restored)
		__field(u8, in_fault)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->memcg = t->memcg;
		__entry->token = t->token;
		__entry->ino = t->ino;
		__entry->index = t->index;
		__entry->dev = t->dev;
		__entry->nid = t->nid;
		__entry->order = t->order;
		__entry->type = t->type;
		__entry->backing = t->backing;
		__entry->refs = t->refs;
		__entry->tier = t->tier;
		__entry->recent = t->recent;
		__entry->counted = t->counted;
		__entry->restored = t->restored;
		__entry->in_fault = t->in_fault;
	),

	TP_printk("pfn=0x%llx memcg=%llu token=0x%llx ino=%llu index=0x%llx dev=%u nid=%d order=%u type=%s backing=%s refs=%u tier=%u recent=%u counted=%u restored=%u in_fault=%u",
		__entry->pfn,
		__entry->memcg,
		__entry->token,
		__entry->ino,
		__entry->index,
		__entry->dev,
		__entry->nid,
		__entry->order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__print_symbolic(__entry->backing, LRU_GEN_BACKINGS),
		__entry->refs,
		__entry->tier,
		__entry->recent,
		__entry->counted,
		__entry->restored,
		__entry->in_fault)
);

/* A new folio is about to be filled from a swap entry (index). */
TRACE_EVENT(mm_lru_gen_swapin,

	TP_PROTO(const struct lru_gen_trace_page *t),

	TP_ARGS(t),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, memcg)
		__field(u64, index)
		__field(s16, nid)
		__field(u8, order)
		__field(u8, type)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->memcg = t->memcg;
		__entry->index = t->index;
		__entry->nid = t->nid;
		__entry->order = t->order;
		__entry->type = t->type;
	),

	TP_printk("pfn=0x%llx memcg=%llu index=0x%llx nid=%d order=%u type=%s",
		__entry->pfn,
		__entry->memcg,
		__entry->index,
		__entry->nid,
		__entry->order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES))
);

/* A step of the hitshield counter or of the shield itself. */
TRACE_EVENT(mm_lru_gen_hitshield,

	TP_PROTO(const struct lru_gen_trace_folio *t, int old_count,
		 int new_count, bool shield, int cause),

	TP_ARGS(t, old_count, new_count, shield, cause),

	TP_STRUCT__entry(
		__field(u64, pfn)
		__field(u64, memcg)
		__field(u32, max_seq)
		__field(s16, nid)
		__field(u8, order)
		__field(u8, type)
		__field(s8, old_gen)
		__field(s8, new_gen)
		__field(u8, old_count)
		__field(u8, new_count)
		__field(u8, shield)
		__field(u8, cause)
		__field(u8, site)
		__field(u8, flags)
	),

	TP_fast_assign(
		__entry->pfn = t->pfn;
		__entry->memcg = t->memcg;
		__entry->max_seq = t->max_seq;
		__entry->nid = t->nid;
		__entry->order = t->order;
		__entry->type = t->type;
		__entry->old_gen = t->old_gen;
		__entry->new_gen = t->new_gen;
		__entry->old_count = old_count;
		__entry->new_count = new_count;
		__entry->shield = shield;
		__entry->cause = cause;
		__entry->site = t->site;
		__entry->flags = t->flags;
	),

	TP_printk("pfn=0x%llx memcg=%llu max_seq=%u nid=%d order=%u type=%s old_gen=%hhd new_gen=%hhd old_count=%u new_count=%u shield=%u cause=%s site=%s flags=%s",
		__entry->pfn,
		__entry->memcg,
		__entry->max_seq,
		__entry->nid,
		__entry->order,
		__print_symbolic(__entry->type, LRU_GEN_TYPES),
		__entry->old_gen,
		__entry->new_gen,
		__entry->old_count,
		__entry->new_count,
		__entry->shield,
		__print_symbolic(__entry->cause, LRU_GEN_HITSHIELDS),
		__print_symbolic(__entry->site, LRU_GEN_SITES),
		show_lru_gen_flags(__entry->flags))
);

#endif /* _TRACE_LRU_GEN_H */

#include <trace/define_trace.h>
