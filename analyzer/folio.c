// SPDX-License-Identifier: GPL-2.0-only
#include "folio.h"

#include <stdlib.h>

#include "array.h"
#include "slab.h"

#define LEAF_SIZE FOLIO_LEAF_SIZE
#define MIDDLE_SIZE FOLIO_MIDDLE_SIZE
/* 32-bit handles: this many leaves of LEAF_SIZE folios. */
#define MAX_LEAVES (1u << (32 - FOLIO_LEAF_BITS))

_Static_assert(LEAF_SIZE * sizeof(struct folio) == SLAB_BYTES, "a leaf is a slab");

struct folio_table *folio_table_new(void)
{
	return calloc(1, sizeof(struct folio_table));
}

void folio_table_free(struct folio_table *table)
{
	uint32_t i;

	if (!table)
		return;
	for (i = 0; i < FOLIO_ROOT_SIZE; i++)
		free(table->root[i]);
	for (i = 0; i < table->nr_leaves; i++)
		slab_free(i, table->leaves[i].folios);
	free(table->leaves);
	free(table);
}

static bool add_leaf(struct folio_table *table, struct folio_middle *middle, uint64_t pfn)
{
	struct folio_leaf *leaf;
	unsigned i;

	if (table->nr_leaves == MAX_LEAVES - 1)
		return false;
	if (array_grow(&table->leaves, table->nr_leaves, &table->nr_alloc, sizeof(*leaf)))
		return false;
	leaf = &table->leaves[table->nr_leaves];
	leaf->folios = slab_new(table->nr_leaves, table->nr_leaves ? leaf[-1].folios : NULL);
	if (!leaf->folios)
		return false;
	for (i = 0; i < LEAF_SIZE; i++) {
		leaf->folios[i].await = FOLIO_NO_AWAIT;
		leaf->folios[i].gen = -1;
	}
	leaf->pfn = pfn & ~(uint64_t)(LEAF_SIZE - 1);
	i = pfn >> FOLIO_LEAF_BITS & (MIDDLE_SIZE - 1);
	middle->leaves[i] = leaf->folios;
	middle->numbers[i] = table->nr_leaves++;
	return true;
}

struct folio *folio_table_get(struct folio_table *table, uint64_t pfn, bool *out_of_memory)
{
	struct folio *folio = folio_table_find(table, pfn);
	struct folio_middle **middle;

	if (out_of_memory)
		*out_of_memory = false;
	if (folio || pfn >> FOLIO_PFN_BITS)
		return folio;
	middle = &table->root[pfn >> (FOLIO_LEAF_BITS + FOLIO_MIDDLE_BITS)];
	if (!*middle) {
		*middle = calloc(1, sizeof(**middle));
		if (!*middle)
			goto no_memory;
		table->nr_middles++;
	}
	if (!add_leaf(table, *middle, pfn))
		goto no_memory;
	return folio_table_find(table, pfn);

no_memory:
	if (out_of_memory)
		*out_of_memory = true;
	return NULL;
}

uint32_t folio_table_handle(const struct folio_table *table, uint64_t pfn)
{
	const struct folio_middle *middle =
		table->root[pfn >> (FOLIO_LEAF_BITS + FOLIO_MIDDLE_BITS)];

	return middle->numbers[pfn >> FOLIO_LEAF_BITS & (MIDDLE_SIZE - 1)] << FOLIO_LEAF_BITS |
	       (pfn & (LEAF_SIZE - 1));
}

struct folio *folio_table_at(const struct folio_table *table, uint32_t handle, uint64_t *pfn)
{
	const struct folio_leaf *leaf = &table->leaves[handle >> FOLIO_LEAF_BITS];

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
	return sizeof(*table) + (uint64_t)table->nr_middles * sizeof(struct folio_middle) +
	       (uint64_t)table->nr_alloc * sizeof(struct folio_leaf) +
	       slab_bytes(table->nr_leaves);
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
