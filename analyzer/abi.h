/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values of the enum-like fields of the lru_gen events.
 *
 * Printed names are the ABI (tracepoints/lru_gen.h): the reader translates what
 * a file holds into the numbers below by name, so that a kernel may number them
 * otherwise. tests/check_abi.c compares the names with the header.
 */
#ifndef FOLIOSCOPE_ABI_H
#define FOLIOSCOPE_ABI_H

#include "reader.h"

#define SITE_LIST(X)							\
	X(OTHER, "other")						\
	X(LRU_ADD, "lru_add")						\
	X(LRU_MOVE_TAIL, "lru_move_tail")				\
	X(LRU_ACTIVATE, "lru_activate")					\
	X(LRU_DEACTIVATE_FILE, "lru_deactivate_file")			\
	X(LRU_DEACTIVATE, "lru_deactivate")				\
	X(LRU_LAZYFREE, "lru_lazyfree")					\
	X(RELEASE, "release")						\
	X(ISOLATE_LRU, "isolate_lru")					\
	X(ISOLATE_FOLIO, "isolate_folio")				\
	X(PUTBACK, "putback")						\
	X(CHECK_MOVE_UNEVICTABLE, "check_move_unevictable")		\
	X(MLOCK, "mlock")						\
	X(MLOCK_NEW, "mlock_new")					\
	X(MUNLOCK, "munlock")						\
	X(FILL_EVICTABLE, "fill_evictable")				\
	X(DRAIN_EVICTABLE, "drain_evictable")				\
	X(COMPACTION, "compaction")					\
	X(WALK_PTE, "walk_pte")						\
	X(WALK_PMD, "walk_pmd")						\
	X(LOOK_AROUND, "look_around")					\
	X(INC_MIN_SEQ, "inc_min_seq")					\
	X(SORT_PROMOTED, "sort_promoted")				\
	X(SORT_PROTECTED, "sort_protected")				\
	X(SORT_INELIGIBLE, "sort_ineligible")				\
	X(SORT_SHIELDED, "sort_shielded")				\
	X(SCAN_SKIPPED, "scan_skipped")					\
	X(TRY_TO_INC_MIN_SEQ, "try_to_inc_min_seq")			\
	X(INC_MAX_SEQ, "inc_max_seq")					\
	X(REPARENT, "reparent")

#define STATE_LIST(X)							\
	X(ONLINE, "online")						\
	X(OFFLINE, "offline")						\
	X(RELEASED, "released")						\
	X(ENABLE, "enable")						\
	X(ENABLED, "enabled")						\
	X(DISABLE, "disable")						\
	X(DISABLED, "disabled")						\
	X(SNAPSHOT, "snapshot")

#define OUTCOME_LIST(X)							\
	X(RECLAIMED, "reclaimed")					\
	X(LAZYFREED, "lazyfreed")					\
	X(KEPT, "kept")							\
	X(ACTIVATED, "activated")					\
	X(DEMOTING, "demoting")						\
	X(DROPPED, "dropped")

#define REASON_LIST(X)							\
	X(NONE, "none")							\
	X(LOCKED, "locked")						\
	X(HWPOISON, "hwpoison")						\
	X(UNEVICTABLE, "unevictable")					\
	X(MAY_NOT_UNMAP, "may_not_unmap")				\
	X(PROMOTED, "promoted")						\
	X(WRITEBACK, "writeback")					\
	X(REFERENCED, "referenced")					\
	X(NO_IO, "no_io")						\
	X(PINNED, "pinned")						\
	X(SPLIT_FAILED, "split_failed")					\
	X(NO_SWAP, "no_swap")						\
	X(UNMAP_FAILED, "unmap_failed")					\
	X(REDIRTIED, "redirtied")					\
	X(DIRTY_FILE, "dirty_file")					\
	X(DIRTY, "dirty")						\
	X(WRITE_STARTED, "write_started")				\
	X(WRITE_FAILED, "write_failed")					\
	X(RELEASE_FAILED, "release_failed")				\
	X(RACED, "raced")

#define LAZYFREE_LIST(X)						\
	X(MARK, "mark")							\
	X(SCAN, "scan")							\
	X(FREED, "freed")						\
	X(REDIRTIED, "redirtied")					\
	X(SKIPPED, "skipped")

#define BACKING_LIST(X)							\
	X(UNKNOWN, "unknown")						\
	X(FILE, "file")							\
	X(SWAP, "swap")

#define HITSHIELD_LIST(X)						\
	X(COUNTED, "counted")						\
	X(GRANTED, "granted")						\
	X(SPENT, "spent")						\
	X(CLEARED, "cleared")						\
	X(KEPT, "kept")

enum site {
#define X(name, text) SITE_##name,
	SITE_LIST(X)
#undef X
	SITE_NR
};
enum lruvec_state {
#define X(name, text) STATE_##name,
	STATE_LIST(X)
#undef X
	STATE_NR
};
enum outcome {
#define X(name, text) OUTCOME_##name,
	OUTCOME_LIST(X)
#undef X
	OUTCOME_NR
};
enum reason {
#define X(name, text) REASON_##name,
	REASON_LIST(X)
#undef X
	REASON_NR
};
enum lazyfree {
#define X(name, text) LAZYFREE_##name,
	LAZYFREE_LIST(X)
#undef X
	LAZYFREE_NR
};
enum backing {
#define X(name, text) BACKING_##name,
	BACKING_LIST(X)
#undef X
	BACKING_NR
};
enum hitshield {
#define X(name, text) HITSHIELD_##name,
	HITSHIELD_LIST(X)
#undef X
	HITSHIELD_NR
};

/* Folio types: the field "type". */
enum { TYPE_ANON, TYPE_FILE, TYPE_NR };

/*
 * What the field "type" of add, move, scan and splice may say besides, of the
 * list: that it is one of lazyfree folios only, as some kernels have. The type
 * of such a folio is TYPE_FILE.
 */
enum { LIST_LAZYFREE = TYPE_NR, LIST_NR };

/* Bits of the field "flags" of the folio events. */
enum {
	FOLIO_TAIL = 0x01,
	FOLIO_ACTIVE = 0x02,
	FOLIO_REFERENCED = 0x04,
	FOLIO_WORKINGSET = 0x08,
	FOLIO_LAZYFREE = 0x10,
	FOLIO_DIRTY = 0x20,
	FOLIO_WRITEBACK = 0x40,
	FOLIO_SWAPCACHE = 0x80,
};

/*
 * The names above, by value. A value that is not in the enum gives "?": the
 * reader delivers READER_NO_SYMBOL for a name that this version does not know.
 * All return static strings.
 */
const char *site_name(unsigned site);
const char *lruvec_state_name(unsigned state);
const char *outcome_name(unsigned outcome);
const char *reason_name(unsigned reason);
const char *lazyfree_name(unsigned stage);
const char *backing_name(unsigned backing);
const char *hitshield_name(unsigned cause);
const char *type_name(unsigned type);
const char *list_kind_name(unsigned kind);	/* a type or LIST_LAZYFREE */

/*
 * abi_map(): have @reader translate all these fields by name. Call before the
 * first event is read. *@nr_unknown (may be NULL) is set to the number of names
 * that the file prints and that this version does not know.
 * Returns 0 or a negative enum err.
 */
int abi_map(struct reader *reader, unsigned *nr_unknown);

#endif /* FOLIOSCOPE_ABI_H */
