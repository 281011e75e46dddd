// SPDX-License-Identifier: GPL-2.0-only
#include "folio.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"

#define LEAF_SIZE (1u << FOLIO_LEAF_BITS)
#define LEAF_BYTES (LEAF_SIZE * sizeof(struct folio))
#define MIDDLE_SIZE (1u << FOLIO_MIDDLE_BITS)
#define ROOT_SIZE (1u << FOLIO_ROOT_BITS)
/* 32-bit handles: this many leaves of LEAF_SIZE folios. */
#define MAX_LEAVES (1u << (32 - FOLIO_LEAF_BITS))

/*
 * The first leaves are allocated one by one, for small recordings; all others in
 * arenas that are huge pages if the system has them, for misses of the TLB are
 * what a large table costs.
 */
#define NR_SINGLE_LEAVES 64u
#define ARENA_LEAVES 64u

struct leaf {
	struct folio *folios;
	uint64_t pfn;		/* of the first */
};

struct folio_table {
	uint32_t *root[ROOT_SIZE];	/* numbers of leaves + 1 */
	struct leaf *leaves;
	uint32_t nr_leaves;
	uint32_t nr_alloc;
	uint32_t nr_middles;
};

struct folio_table *folio_table_new(void)
{
	return calloc(1, sizeof(struct folio_table));
}

void folio_table_free(struct folio_table *table)
{
	uint32_t i;

	if (!table)
		return;
	for (i = 0; i < ROOT_SIZE; i++)
		free(table->root[i]);
	for (i = 0; i < table->nr_leaves; i++)
		if (i < NR_SINGLE_LEAVES || (i - NR_SINGLE_LEAVES) % ARENA_LEAVES == 0)
			free(table->leaves[i].folios);
	free(table->leaves);
	free(table);
}

static uint32_t *find_slot(const struct folio_table *table, uint64_t pfn)
{
	uint32_t *middle = table->root[pfn >> (FOLIO_LEAF_BITS + FOLIO_MIDDLE_BITS)];

	return middle ? &middle[(pfn >> FOLIO_LEAF_BITS) & (MIDDLE_SIZE - 1)] : NULL;
}

static bool add_leaf(struct folio_table *table, uint64_t pfn, uint32_t *slot)
{
	struct leaf *leaf;
	unsigned i;

	if (table->nr_leaves == MAX_LEAVES - 1)
		return false;
	if (table->nr_leaves == table->nr_alloc) {
		uint32_t nr_alloc = table->nr_alloc ? table->nr_alloc * 2 : 64;
		struct leaf *leaves = realloc(table->leaves, nr_alloc * sizeof(*leaves));

		if (!leaves)
			return false;
		table->leaves = leaves;
		table->nr_alloc = nr_alloc;
	}
	leaf = &table->leaves[table->nr_leaves];
	if (table->nr_leaves < NR_SINGLE_LEAVES) {
		if (posix_memalign((void **)&leaf->folios, 64, LEAF_BYTES))
			return false;
	} else if ((table->nr_leaves - NR_SINGLE_LEAVES) % ARENA_LEAVES == 0) {
		leaf->folios = huge_alloc(ARENA_LEAVES * LEAF_BYTES);
		if (!leaf->folios)
			return false;
	} else {
		leaf->folios = leaf[-1].folios + LEAF_SIZE;
	}
	memset(leaf->folios, 0, LEAF_SIZE * sizeof(*leaf->folios));
	for (i = 0; i < LEAF_SIZE; i++) {
		leaf->folios[i].await = FOLIO_NO_AWAIT;
		leaf->folios[i].gen = -1;
	}
	leaf->pfn = pfn & ~(uint64_t)(LEAF_SIZE - 1);
	*slot = ++table->nr_leaves;
	return true;
}

struct folio *folio_table_get(struct folio_table *table, uint64_t pfn, bool *out_of_memory)
{
	uint32_t *slot;

	if (out_of_memory)
		*out_of_memory = false;
	if (pfn >> FOLIO_PFN_BITS)
		return NULL;
	slot = find_slot(table, pfn);
	if (!slot) {
		uint32_t **middle = &table->root[pfn >> (FOLIO_LEAF_BITS + FOLIO_MIDDLE_BITS)];

		*middle = calloc(MIDDLE_SIZE, sizeof(**middle));
		if (!*middle)
			goto no_memory;
		table->nr_middles++;
		slot = find_slot(table, pfn);
	}
	if (!*slot && !add_leaf(table, pfn, slot))
		goto no_memory;
	return &table->leaves[*slot - 1].folios[pfn & (LEAF_SIZE - 1)];

no_memory:
	if (out_of_memory)
		*out_of_memory = true;
	return NULL;
}

struct folio *folio_table_find(const struct folio_table *table, uint64_t pfn)
{
	uint32_t *slot;

	if (pfn >> FOLIO_PFN_BITS)
		return NULL;
	slot = find_slot(table, pfn);
	return slot && *slot ? &table->leaves[*slot - 1].folios[pfn & (LEAF_SIZE - 1)] : NULL;
}

uint32_t folio_table_handle(const struct folio_table *table, uint64_t pfn)
{
	return (*find_slot(table, pfn) - 1) << FOLIO_LEAF_BITS | (pfn & (LEAF_SIZE - 1));
}

struct folio *folio_table_at(const struct folio_table *table, uint32_t handle, uint64_t *pfn)
{
	const struct leaf *leaf = &table->leaves[handle >> FOLIO_LEAF_BITS];

	if (pfn)
		*pfn = leaf->pfn + (handle & (LEAF_SIZE - 1));
	return &leaf->folios[handle & (LEAF_SIZE - 1)];
}

struct folio *folio_table_next(const struct folio_table *table, uint32_t *handle, uint64_t *pfn)
{
	if (*handle >> FOLIO_LEAF_BITS >= table->nr_leaves)
		return NULL;
	return folio_table_at(table, (*handle)++, pfn);
}

uint64_t folio_table_bytes(const struct folio_table *table)
{
	uint64_t nr_leaves = table->nr_leaves;

	if (nr_leaves > NR_SINGLE_LEAVES)	/* the last arena is not full */
		nr_leaves += (ARENA_LEAVES - (nr_leaves - NR_SINGLE_LEAVES) % ARENA_LEAVES) %
			     ARENA_LEAVES;
	return sizeof(*table) + (uint64_t)table->nr_middles * MIDDLE_SIZE * sizeof(uint32_t) +
	       (uint64_t)table->nr_alloc * sizeof(struct leaf) + nr_leaves * LEAF_BYTES;
}

const char *folio_birth_name(unsigned birth)
{
	static const char *const names[] = {
		[BIRTH_UNKNOWN] = "unknown",	   [BIRTH_ADDED] = "added",
		[BIRTH_REFAULTED] = "refaulted",   [BIRTH_SWAPPED_IN] = "swapped_in",
		[BIRTH_MIGRATED] = "migrated",	   [BIRTH_SPLIT] = "split",
	};

	return birth < BIRTH_NR ? names[birth] : "?";
}

const char *folio_end_name(unsigned end)
{
	static const char *const names[] = {
		[END_RESIDENT] = "resident",   [END_EVICTED] = "evicted",
		[END_RECLAIMED] = "reclaimed", [END_LAZYFREED] = "lazyfreed",
		[END_FREED] = "freed",	       [END_MIGRATED] = "migrated",
		[END_REUSED] = "reused",       [END_SWITCHED] = "switched",
		[END_LOST] = "lost",
	};

	return end < END_NR ? names[end] : "?";
}
