// SPDX-License-Identifier: GPL-2.0-only
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "err.h"
#include "map.h"
#include "slab.h"

_Static_assert(sizeof(struct page) << PAGE_SLAB_BITS == SLAB_BYTES, "pages fill a slab");

void page_table_release(struct page_table *table)
{
	uint32_t i;

	for (i = 0; i < table->nr_slabs; i++)
		slab_free(i, table->slabs[i]);
	free(table->slabs);
	free(table->places);
	memset(table, 0, sizeof(*table));
}

static uint32_t hash_id(const struct page_id *id)
{
	uint64_t where = map_hash(id->ino ^ (uint64_t)id->dev << 40 ^ (uint64_t)id->backing << 32);

	return map_hash(where ^ id->index) >> 32;
}

static uint32_t hash_page(const struct page *page)
{
	return hash_id(&(struct page_id){ page->ino, page->index, page->dev, page->backing });
}

/* The place of the record that has @hash and, if @id is not NULL, that identity; or an empty one. */
static struct page_place *find_place(const struct page_table *table, uint32_t hash,
				     const struct page_id *id)
{
	uint32_t mask = table->nr_places - 1, i = hash & mask;
	struct page_place *place = &table->places[i];

	while (place->page && (place->hash != hash ||
			       (id && !page_is(page_table_at(table, place->page - 1), id)))) {
		i = (i + 1) & mask;
		place = &table->places[i];
	}
	return place;
}

uint32_t page_table_find(const struct page_table *table, const struct page_id *id)
{
	return table->nr_places ? find_place(table, hash_id(id), id)->page : 0;
}

static struct page_place *empty_place(const struct page_table *table, uint32_t hash)
{
	uint32_t mask = table->nr_places - 1, i = hash & mask;

	while (table->places[i].page)
		i = (i + 1) & mask;
	return &table->places[i];
}

static int grow(struct page_table *table)
{
	struct page_table bigger = *table;
	uint32_t i;

	if (table->nr_places >= 1u << 31)
		return -ERR_NOMEM;
	bigger.nr_places = table->nr_places ? table->nr_places * 2 : 64;
	bigger.places = huge_alloc(bigger.nr_places * sizeof(*bigger.places));
	if (!bigger.places)
		return -ERR_NOMEM;
	memset(bigger.places, 0, bigger.nr_places * sizeof(*bigger.places));
	for (i = 0; i < table->nr_places; i++)
		if (table->places[i].page)
			*empty_place(&bigger, table->places[i].hash) = table->places[i];
	free(table->places);
	*table = bigger;
	return 0;
}

static void leave_index(struct page_table *table, uint32_t number)
{
	const struct page *page = page_table_at(table, number);
	uint32_t mask = table->nr_places - 1, hole, i;

	if (page->backing == BACKING_UNKNOWN)
		return;
	hole = hash_page(page) & mask;
	while (table->places[hole].page && table->places[hole].page != number + 1)
		hole = (hole + 1) & mask;
	if (!table->places[hole].page)
		return;		/* without memory it was not put there */
	/* Pull back each follower that may not stay behind an empty place. */
	for (i = (hole + 1) & mask; table->places[i].page; i = (i + 1) & mask) {
		uint32_t home = table->places[i].hash & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			table->places[hole] = table->places[i];
			hole = i;
		}
	}
	table->places[hole].page = 0;
	table->nr_used--;
}

int page_table_rename(struct page_table *table, uint32_t number, const struct page_id *id)
{
	struct page *page = page_table_at(table, number);
	uint32_t hash;

	if (table->nr_places)
		leave_index(table, number);
	page->ino = id->ino;
	page->index = id->index;
	page->dev = id->dev;
	page->backing = id->backing;
	if (id->backing == BACKING_UNKNOWN)
		return 0;
	if (table->nr_used >= table->nr_places - table->nr_places / 8) {
		int ret = grow(table);

		if (ret)
			return ret;
	}
	hash = hash_id(id);
	*empty_place(table, hash) = (struct page_place){ hash, number + 1 };
	table->nr_used++;
	return 0;
}

/* Number of a record, all zero, + 1, or 0. */
static uint32_t new_record(struct page_table *table)
{
	uint32_t slab = table->nr >> PAGE_SLAB_BITS, number = table->unused;

	if (number) {
		struct page *page = page_table_at(table, number - 1);

		table->unused = page->index;
		memset(page, 0, sizeof(*page));
		return number;
	}
	if (slab == table->nr_slabs) {
		if (slab == table->nr_slabs_alloc) {
			uint32_t nr_alloc = slab ? slab * 2 : 16;
			struct page **slabs = realloc(table->slabs, nr_alloc * sizeof(*slabs));

			if (!slabs)
				return 0;
			table->slabs = slabs;
			table->nr_slabs_alloc = nr_alloc;
		}
		table->slabs[slab] = slab_new(slab, slab ? table->slabs[slab - 1] : NULL);
		if (!table->slabs[slab])
			return 0;
		table->nr_slabs++;
	}
	return ++table->nr;
}

static void put_unused(struct page_table *table, uint32_t number)
{
	page_table_at(table, number)->index = table->unused;
	table->unused = number + 1;
}

uint32_t page_table_add(struct page_table *table, const struct page_id *id)
{
	uint32_t number = new_record(table);

	if (number && page_table_rename(table, number - 1, id)) {
		page_table_at(table, number - 1)->backing = BACKING_UNKNOWN;
		put_unused(table, number - 1);
		return 0;
	}
	return number;
}

void page_table_forget(struct page_table *table, uint32_t number)
{
	struct page *page = page_table_at(table, number);

	if (table->nr_places)
		leave_index(table, number);
	page->backing = BACKING_UNKNOWN;
	if (!page->nr_holders)
		put_unused(table, number);
}

void page_table_hold(struct page_table *table, uint32_t number)
{
	struct page *page = page_table_at(table, number);

	if (page->nr_holders < PAGE_MAX_HOLDERS)
		page->nr_holders++;
}

void page_table_drop(struct page_table *table, uint32_t number)
{
	struct page *page = page_table_at(table, number);

	if (page->nr_holders == PAGE_MAX_HOLDERS || --page->nr_holders)
		return;
	if (page->backing == BACKING_UNKNOWN)
		put_unused(table, number);
}

void page_table_prefetch(const struct page_table *table, const struct page_id *id)
{
	if (table->nr_places)
		__builtin_prefetch(&table->places[hash_id(id) & (table->nr_places - 1)]);
}

void page_table_prefetch_record(const struct page_table *table, const struct page_id *id)
{
	uint32_t number = table->nr_places ? find_place(table, hash_id(id), NULL)->page : 0;

	if (number)
		__builtin_prefetch(page_table_at(table, number - 1), 1);
}

uint64_t page_table_bytes(const struct page_table *table)
{
	return slab_bytes(table->nr_slabs) + table->nr_slabs_alloc * sizeof(*table->slabs) +
	       (uint64_t)table->nr_places * sizeof(*table->places);
}
