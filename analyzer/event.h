/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One decoded event: the flat struct that the reader produces and every later
 * stage consumes.
 */
#ifndef FOLIOSCOPE_EVENT_H
#define FOLIOSCOPE_EVENT_H

#include <stdint.h>

/*
 * The kinds of item in the stream.  EV_ADD to EV_HITSHIELD are the events
 * lru_gen:mm_lru_gen_<name>; tracepoints/ has a page for each.
 */
enum ev_kind {
	EV_NONE,	/* never delivered */
	EV_ADD,
	EV_DEL,
	EV_UPDATE,
	EV_MOVE,
	EV_SPLIT,
	EV_MIGRATE,
	EV_MAX_SEQ,
	EV_MIN_SEQ,
	EV_STATE,
	EV_SPLICE,
	EV_SCAN,
	EV_RECLAIM,
	EV_EVICT,
	EV_REFAULT,
	EV_SWAPIN,
	EV_LAZYFREE,
	EV_HITSHIELD,
	EV_MARKER,	/* ftrace:print, text written to trace_marker */
	EV_PAGE_FREE,	/* kmem:mm_page_free */
	EV_PAGE_ALLOC,	/* kmem:mm_page_alloc */
	/* other events of unpatched kernels, of which the model knows nothing */
	EV_LRU_INSERTION,	/* pagemap:mm_lru_insertion */
	EV_LRU_ACTIVATE,	/* pagemap:mm_lru_activate */
	EV_CACHE_ADD,		/* filemap:mm_filemap_add_to_page_cache */
	EV_CACHE_DELETE,	/* filemap:mm_filemap_delete_from_page_cache */
	EV_LRU_ISOLATE,		/* vmscan:mm_vmscan_lru_isolate */
	EV_LRU_SHRINK,		/* vmscan:mm_vmscan_lru_shrink_inactive */
	EV_LOST,	/* the kernel dropped events of this CPU */
	EV_GAP,		/* data of this CPU in the file is damaged */
	EV_NR
};

/* u.lost.nr_lost when the kernel did not say how many (0 is never delivered) */
#define EV_LOST_UNKNOWN		(-1)

/* u.lost.to_ts_ns when nothing readable follows on that CPU */
#define EV_TS_END		UINT64_MAX

/*
 * Fields that an event does not have in the file hold the value given here
 * ("absent"): for a field of a kind, reader_has_field() tells whether the file
 * has it.
 *
 * The bytes from @pfn to @flags stand in the order of the kernel's own folio
 * events, so that the usual record is one copy.  Keep it so.
 */
struct event {
	uint64_t ts_ns;		/* the file's clock, DATE/OFFSET etc. applied */
	int32_t pid;		/* task that ran on the CPU, 0 the idle task */
	uint16_t cpu;
	uint8_t kind;		/* enum ev_kind */
	uint8_t is_own_list;	/* the model's: the list is LIST_LAZYFREE, and
				 * type has become TYPE_FILE; 0 in the stream */

	/* the folio; of events of a whole lruvec only memcg, nid and type */
	uint64_t pfn;		/* absent: UINT64_MAX */
	uint64_t memcg;		/* cgroup id, 0: no memcg */
	uint32_t max_seq;	/* of the lruvec, low 32 bits, in every event
				 * that has one; absent: 0 */
	int16_t nid;		/* absent: -1 */
	uint8_t order;		/* absent: 0 */
	uint8_t type;		/* 0 anon, 1 file, 2 LIST_LAZYFREE */
	uint8_t zone;
	int8_t old_gen;		/* generation index; -1: on no list; absent: -1 */
	int8_t new_gen;
	uint8_t refs;
	uint8_t tier;
	int8_t tier_idx;	/* -1: none */
	uint8_t site;		/* see reader_map_symbols() */
	uint8_t flags;		/* LRU_GEN_FOLIO_* or as the event says */

	union {
		uint64_t words[5];	/* makes the struct a fixed 88 bytes */

		/* EV_SPLIT; its field "gen" is in new_gen */
		struct {
			uint8_t new_order;
			uint8_t on_lru;
		} split;

		/* EV_MIGRATE */
		struct {
			uint64_t new_pfn;
			int16_t new_nid;
		} migrate;

		/* EV_MAX_SEQ (flags: how it was aged), EV_STATE */
		struct {
			uint64_t max_seq;
			uint64_t min_seq[2];	/* by type: anon, file */
			uint32_t memcg_id;	/* as debugfs lru_gen prints it */
			uint8_t nr_gens;
			uint8_t state;		/* EV_STATE only */
		} lruvec;

		/* EV_MIN_SEQ */
		struct {
			uint64_t max_seq;
			uint64_t old_seq;
			uint64_t new_seq;
			uint64_t nr_pages;	/* left behind, relabelled */
			uint8_t nr_gens;
			uint8_t relabel;
		} min_seq;

		/* EV_SPLICE; pfn is "first_pfn", memcg and max_seq the donor's */
		struct {
			uint64_t max_seq;
			uint64_t new_memcg;
			uint64_t new_max_seq;
			uint64_t last_pfn;
			uint32_t nr_folios;
			uint8_t tail;
		} splice;

		/* EV_SCAN, counts in pages; its field "gen" is in old_gen */
		struct {
			uint64_t max_seq;
			uint32_t nr_scanned;
			uint32_t nr_isolated;
			uint32_t nr_sorted;
			uint32_t nr_skipped;
			uint8_t reclaim_idx;
			uint8_t reclaimer;
			uint8_t memcg_reclaim;
		} scan;

		/* EV_RECLAIM */
		struct {
			uint8_t outcome;
			uint8_t reason;
		} reclaim;

		/* EV_LAZYFREE */
		struct {
			uint8_t stage;
		} lazyfree;

		/* EV_EVICT, EV_REFAULT, EV_SWAPIN (only index), EV_CACHE_* (ino, index, dev) */
		struct {
			uint64_t token;
			uint64_t ino;
			uint64_t index;
			uint32_t dev;
			uint8_t backing;
			/* EV_REFAULT only */
			uint8_t recent;
			uint8_t counted;
			uint8_t restored;
			uint8_t in_fault;
		} page;

		/* EV_HITSHIELD */
		struct {
			uint8_t old_count;
			uint8_t new_count;
			uint8_t shield;
			uint8_t cause;
		} hitshield;

		/* EV_PAGE_ALLOC; pfn is UINT64_MAX where the allocation failed */
		struct {
			uint64_t gfp_flags;
			int32_t migratetype;
		} alloc;

		/* EV_LRU_INSERTION */
		struct {
			uint64_t flags;	/* PAGEMAP_* of the kernel */
			uint8_t lru;	/* enum lru_list of the kernel */
		} insertion;

		/* EV_LRU_ISOLATE, counts in pages; order is that asked for */
		struct {
			uint64_t nr_requested;
			uint64_t nr_scanned;
			uint64_t nr_skipped;
			uint64_t nr_taken;
			int32_t highest_zoneidx;
			uint8_t lru;	/* enum lru_list of the kernel */
		} isolate;

		/* EV_LRU_SHRINK, counts in pages */
		struct {
			uint32_t nr_scanned;
			uint32_t nr_reclaimed;
			uint32_t nr_dirty;
			uint32_t nr_writeback;
			uint32_t nr_immediate;
			uint32_t nr_activated[2];	/* anon, file */
			uint32_t nr_ref_keep;
			uint32_t nr_unmap_fail;
			int16_t priority;
			uint16_t reclaim_flags;	/* RECLAIM_WB_* of the kernel */
		} shrink;

		/* EV_MARKER: not terminated, the reader's until its next call */
		struct {
			const char *text;
			uint64_t ip;
			uint32_t len_bytes;
		} marker;

		/*
		 * EV_LOST: ts_ns is from_ts_ns, except for losses before the
		 * first event of a CPU: from_ts_ns is then 0 and ts_ns the time
		 * of the first event of the recording.
		 */
		struct {
			uint64_t from_ts_ns;	/* last event before, 0: none */
			uint64_t to_ts_ns;	/* first event after, or EV_TS_END */
			int64_t nr_lost;	/* or EV_LOST_UNKNOWN */
		} lost;

		/* EV_GAP, timed like EV_LOST */
		struct {
			uint64_t from_ts_ns;
			uint64_t to_ts_ns;
			uint64_t offset_bytes;	/* in the file, where it starts */
			uint64_t size_bytes;	/* of it, unusable */
			uint32_t cause;		/* enum err */
			uint32_t detail;	/* enum subbuf_fault of ERR_BAD_PAGE */
		} gap;
	} u;
};

_Static_assert(sizeof(struct event) == 88, "the reader copies events whole");

/*
 * event_kind_name(): "add" for EV_ADD and so on; "lost", "gap", "marker".
 * Returns a static string, "?" outside the enum.
 */
const char *event_kind_name(enum ev_kind kind);

/*
 * event_kind_system(), event_kind_event(): the kernel's names, "lru_gen" and
 * "mm_lru_gen_add" for EV_ADD.  Static strings, NULL for EV_LOST, EV_GAP and
 * whatever else is no event of a kernel.
 */
const char *event_kind_system(enum ev_kind kind);
const char *event_kind_event(enum ev_kind kind);

/* event_kind_of(): the reverse; EV_NONE for an event that is not decoded. */
enum ev_kind event_kind_of(const char *system, const char *name);

#endif /* FOLIOSCOPE_EVENT_H */
