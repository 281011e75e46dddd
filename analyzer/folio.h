/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of folios: one fixed struct per page frame that was seen, found by
 * pfn through a three-level table, without hashing.
 *
 *	pfn  = root (14 bits) | middle (13 bits) | leaf (9 bits)
 *
 * A leaf has the 512 folios of 2 MiB and is made when one of them is seen:
 * 64 bytes per page frame of it, plus 12 for its place in the table. Folios are
 * never moved, and a 32-bit handle stands for one in the lists.
 */
#ifndef FOLIOSCOPE_FOLIO_H
#define FOLIOSCOPE_FOLIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FOLIO_LEAF_BITS 9
#define FOLIO_MIDDLE_BITS 13
#define FOLIO_ROOT_BITS 14
/* 2^36 page frames of 4 KiB are 256 TiB; a larger pfn is refused. */
#define FOLIO_PFN_BITS (FOLIO_LEAF_BITS + FOLIO_MIDDLE_BITS + FOLIO_ROOT_BITS)
#define FOLIO_LEAF_SIZE (1u << FOLIO_LEAF_BITS)
#define FOLIO_MIDDLE_SIZE (1u << FOLIO_MIDDLE_BITS)
#define FOLIO_ROOT_SIZE (1u << FOLIO_ROOT_BITS)
/* Larger than any folio of any architecture: a larger order is refused. */
#define FOLIO_MAX_ORDER 18

enum folio_state {
	FOLIO_UNSEEN,		/* no event yet, or none since the last loss */
	FOLIO_ON_LIST,		/* on a generation list that we know */
	FOLIO_SOMEWHERE,	/* on a generation list, we do not know which */
	FOLIO_ISOLATED,		/* taken off, not by reclaim */
	FOLIO_RECLAIMING,	/* taken off by isolate_folio() */
	FOLIO_ELSEWHERE,	/* unevictable or on the classic LRU */
	FOLIO_GONE,		/* its life has ended */
};

/* How the current life began. */
enum folio_birth {
	BIRTH_UNKNOWN,		/* before the recording, or in a loss */
	BIRTH_ADDED,		/* first seen when added to the LRU */
	BIRTH_REFAULTED,	/* a page with a shadow came back */
	BIRTH_SWAPPED_IN,	/* came back from swap, no shadow seen */
	BIRTH_MIGRATED,		/* took over from another pfn */
	BIRTH_SPLIT,		/* from a larger folio */
	BIRTH_NR
};

/* How a life ended. */
enum folio_end {
	END_RESIDENT,		/* not: alive at the end of the recording */
	END_EVICTED,		/* reclaimed, left a shadow */
	END_RECLAIMED,		/* reclaimed, no shadow seen */
	END_LAZYFREED,		/* reclaimed after MADV_FREE */
	END_FREED,		/* the last reference was dropped */
	END_MIGRATED,		/* contents went to another pfn */
	END_REUSED,		/* the pfn began another life, the end was not seen */
	END_SWITCHED,		/* MGLRU was switched: not followed across */
	END_LOST,		/* events were lost: what followed is not known */
	END_NR
};

#define FOLIO_COUNT_MAX UINT16_MAX	/* counters stop here */

struct folio {
	uint64_t birth_ns;	/* of the current life, or first sight of it */
	uint64_t since_ns;	/* when the generation in its flags was set */
	uint64_t last_ns;	/* latest event */
	union {
		uint32_t label;	/* on its list */
		/*
		 * On none: older folios that stayed when reclaim isolated it. Only
		 * the analysis "order" counts them; 0 when the folio left its list.
		 */
		uint32_t nr_passed;
	};
	uint32_t list;		/* number of the list + 1, 0: none */
	uint32_t lruvec;	/* number of the lruvec + 1, 0: none */
	uint32_t life;		/* number of the life, 1 is the first of all */
	uint32_t page;		/* number of the page record + 1, 0: none */
	uint32_t epoch;		/* losses before the latest event */
	uint16_t nr_promoted;	/* updates through page tables while on a list */
	uint16_t nr_protected;	/* moved on at the old end instead of isolated */
	uint16_t nr_isolated;	/* taken off the list */
	uint8_t order : 5;
	uint8_t prev_gen : 3;	/* before the latest update, if last_kind is that */
	int8_t gen;		/* in its flags; -1: none */
	uint8_t type : 1;
	uint8_t zone : 3;
	uint8_t await_before : 1;	/* what is awaited is of the life before */
	uint8_t is_lazyfree : 1;
	uint8_t has_shadow : 1;	/* an evict event came, the end is near */
	uint8_t gen_known : 1;	/* since_ns is when gen began, not first sight */
	uint8_t state : 3;	/* enum folio_state */
	uint8_t birth : 3;	/* enum folio_birth */
	uint8_t is_doubtful : 1;	/* changes of its flags may still be logged */
	uint8_t is_momentary : 1;	/* first seen while events were lost */
	uint8_t last_kind;	/* enum ev_kind of the latest event */
	uint8_t last_site;
	uint8_t await;		/* old << 4 | new: an update event is due; 0xff */
	/* moves took it from inc_seq (mod 16) to inc_seq + inc_len, one by one */
	uint8_t inc_seq : 4;
	uint8_t inc_len : 2;
	uint8_t shield : 1;
	uint8_t : 1;
};

_Static_assert(sizeof(struct folio) == 64, "one cache line per folio");

#define FOLIO_NO_AWAIT 0xff

struct folio_leaf {
	struct folio *folios;
	uint64_t pfn;		/* of the first */
};

struct folio_middle {
	struct folio *leaves[FOLIO_MIDDLE_SIZE];	/* NULL: not made */
	uint32_t numbers[FOLIO_MIDDLE_SIZE];		/* of the leaves */
};

struct folio_table {
	struct folio_middle *root[FOLIO_ROOT_SIZE];
	struct folio_leaf *leaves;	/* by number */
	uint32_t nr_leaves;
	uint32_t nr_alloc;
	uint32_t nr_middles;
};

/* folio_table_new(): an empty table, or NULL without memory. */
struct folio_table *folio_table_new(void);

/* folio_table_free(): NULL is allowed. */
void folio_table_free(struct folio_table *table);

/*
 * folio_table_get(): the folio at @pfn, made (all zero, await FOLIO_NO_AWAIT)
 * if it was never asked for. Valid until folio_table_free().
 * Returns NULL if @pfn does not fit in FOLIO_PFN_BITS or memory ran out
 * (*@out_of_memory tells, may be NULL).
 */
struct folio *folio_table_get(struct folio_table *table, uint64_t pfn, bool *out_of_memory);

/* folio_table_find(): like folio_table_get(), but NULL if it was never made. */
static inline struct folio *folio_table_find(const struct folio_table *table, uint64_t pfn)
{
	const struct folio_middle *middle;
	struct folio *leaf;

	if (pfn >> FOLIO_PFN_BITS)
		return NULL;
	middle = table->root[pfn >> (FOLIO_LEAF_BITS + FOLIO_MIDDLE_BITS)];
	if (!middle)
		return NULL;
	leaf = middle->leaves[pfn >> FOLIO_LEAF_BITS & (FOLIO_MIDDLE_SIZE - 1)];
	return leaf ? &leaf[pfn & (FOLIO_LEAF_SIZE - 1)] : NULL;
}

/* folio_table_handle(): the handle of the folio at @pfn, which must exist. */
uint32_t folio_table_handle(const struct folio_table *table, uint64_t pfn);

/* folio_table_at(): the folio of @handle; *@pfn (may be NULL) is its pfn. */
struct folio *folio_table_at(const struct folio_table *table, uint32_t handle, uint64_t *pfn);

/*
 * folio_table_next(): iterate in no particular order over the folios of all
 * leaves, never seen ones included. *@handle begins at 0 and counts up.
 * Returns NULL at the end.
 */
struct folio *folio_table_next(const struct folio_table *table, uint32_t *handle, uint64_t *pfn);

/* folio_table_bytes(): memory held. */
uint64_t folio_table_bytes(const struct folio_table *table);

/* Static strings for reports; "?" outside the enum. */
const char *folio_birth_name(unsigned birth);
const char *folio_end_name(unsigned end);

#endif /* FOLIOSCOPE_FOLIO_H */
