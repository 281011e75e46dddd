/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages beyond their folios: what was evicted and may come back elsewhere, one
 * fixed struct each, found by number or by identity. Records are never moved.
 *
 * The index has 8 bytes per place, at most 7/8 of them in use: a part of the hash
 * and the number of the record, which has the rest. A page that changes its
 * identity leaves its place, so that the index never holds more than the records.
 * A record is used again when neither its identity nor a folio leads to it.
 */
#ifndef FOLIOSCOPE_PAGE_H
#define FOLIOSCOPE_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "folio.h"

#define PAGE_SEQ_BITS 27
#define PAGE_SEQ_MASK ((1u << PAGE_SEQ_BITS) - 1)
#define PAGE_MAX_TIER 15
#define PAGE_MAX_HOLDERS 15

struct page {
	uint64_t ino, index;
	uint64_t evict_ns;	/* latest eviction, 0: none that is sure to be */
	uint64_t evict_pfn : FOLIO_PFN_BITS;	/* it was evicted from */
	uint64_t evict_seq : PAGE_SEQ_BITS;	/* max_seq then, the low bits */
	uint64_t has_evict_seq : 1;
	uint64_t evict_clock : 44;	/* lruvec->nr_reclaimed[type] then */
	uint64_t backing : 8;
	uint64_t tier : 4;	/* PAGE_MAX_TIER: that or more */
	uint64_t type : 1;
	uint64_t is_resident : 1;
	uint64_t nr_holders : 4;	/* folios; PAGE_MAX_HOLDERS: that or more, for good */
	uint32_t dev;
	uint32_t evict_life;
	uint32_t lruvec;	/* that evicted it */
	uint32_t life;		/* latest folio that held it */
	uint32_t epoch;		/* of the model at the eviction */
	uint16_t nr_evictions, nr_refaults;
};

_Static_assert(sizeof(struct page) == 64, "one cache line per page");

/* What a page is known by: file and place in it, or swap entry. */
struct page_id {
	uint64_t ino, index;
	uint32_t dev;
	uint8_t backing;	/* BACKING_UNKNOWN: it cannot be found */
};

struct page_place {
	uint32_t hash;
	uint32_t page;		/* number + 1, 0: empty */
};

/* All zero is an empty table. */
struct page_table {
	struct page **slabs;
	uint32_t nr, nr_slabs, nr_slabs_alloc;
	uint32_t unused;	/* number of a record that is not in use + 1, whose index
				 * has that of the next; 0: none */
	struct page_place *places;
	uint32_t nr_used;
	uint32_t nr_places;	/* a power of two, or 0 */
};

/* page_table_release(): free what it holds; it is empty and usable after. */
void page_table_release(struct page_table *table);

/* page_table_find(): number of the record of @id + 1, 0 if there is none. */
uint32_t page_table_find(const struct page_table *table, const struct page_id *id);

/*
 * page_table_add(): a record of @id, which has none yet, else all zero.
 * Returns its number + 1, or 0 without memory.
 */
uint32_t page_table_add(struct page_table *table, const struct page_id *id);

/*
 * page_table_rename(): record @number is now that of @id, which has none.
 * Returns 0 or -ERR_NOMEM (it cannot be found then).
 */
int page_table_rename(struct page_table *table, uint32_t number, const struct page_id *id);

/*
 * page_table_forget(): nothing finds record @number any more; backing is
 * BACKING_UNKNOWN. Without a holder it is gone.
 */
void page_table_forget(struct page_table *table, uint32_t number);

/* page_table_hold(): a folio stands for record @number. */
void page_table_hold(struct page_table *table, uint32_t number);

/* page_table_drop(): and no longer does; a record that is not found either is gone. */
void page_table_drop(struct page_table *table, uint32_t number);

/* page_table_prefetch(): ask for the memory in which a search for @id begins. */
void page_table_prefetch(const struct page_table *table, const struct page_id *id);

/* page_table_prefetch_record(): for the record of @id, if there is one. */
void page_table_prefetch_record(const struct page_table *table, const struct page_id *id);

/* page_table_bytes(): memory held. */
uint64_t page_table_bytes(const struct page_table *table);

#define PAGE_SLAB_BITS 9

/* page_table_at(): the record, NULL if there are not so many. */
static inline struct page *page_table_at(const struct page_table *table, uint32_t number)
{
	if (number >= table->nr)
		return NULL;
	return &table->slabs[number >> PAGE_SLAB_BITS][number & ((1u << PAGE_SLAB_BITS) - 1)];
}

/* page_is(): is it the record of @id? */
static inline bool page_is(const struct page *page, const struct page_id *id)
{
	return page->index == id->index && page->ino == id->ino && page->dev == id->dev &&
	       page->backing == id->backing;
}

#endif /* FOLIOSCOPE_PAGE_H */
