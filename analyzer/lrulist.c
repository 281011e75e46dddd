// SPDX-License-Identifier: GPL-2.0-only
#include "lrulist.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

#define WORD_BITS 64u
#define NR_WORDS (LRULIST_BLOCK / WORD_BITS)
#define MIDDLE 0x80000000u
/* Keep clear of the ends of the number space, whatever one call may take. */
#define MARGIN 0x00100000u

struct lrulist_block {
	uint64_t live[NR_WORDS];
	uint32_t handle[LRULIST_BLOCK];
};

void lrulist_init(struct lrulist *list, const struct lrulist_ops *ops, void *owner)
{
	memset(list, 0, sizeof(*list));
	list->ops = ops;
	list->owner = owner;
	list->begin = list->end = MIDDLE;
	list->first_block = MIDDLE / LRULIST_BLOCK;
}

void lrulist_release(struct lrulist *list)
{
	uint32_t i;

	for (i = 0; i < list->nr_blocks; i++)
		free(list->blocks[i].block);
	free(list->blocks);
	lrulist_init(list, list->ops, list->owner);
}

static struct lrulist_block *block_of(const struct lrulist *list, uint32_t label)
{
	return list->blocks[label / LRULIST_BLOCK - list->first_block].block;
}

/* Make room in the array of blocks: @front before the first, @back after the last. */
static int reserve_blocks(struct lrulist *list, uint32_t front, uint32_t back)
{
	uint64_t nr = (uint64_t)list->nr_blocks + front + back;
	uint32_t i;

	if (nr > list->nr_alloc) {
		uint64_t nr_alloc = nr + nr / 2 + 4;
		struct lrulist_slot *blocks;

		if (nr_alloc > UINT32_MAX)
			return -ERR_NOMEM;
		blocks = realloc(list->blocks, nr_alloc * sizeof(*blocks));
		if (!blocks)
			return -ERR_NOMEM;
		list->blocks = blocks;
		list->nr_alloc = nr_alloc;
	}
	if (front) {
		memmove(list->blocks + front, list->blocks, list->nr_blocks * sizeof(*list->blocks));
		memset(list->blocks, 0, front * sizeof(*list->blocks));
		list->first_block -= front;
		list->nr_blocks += front;
	}
	for (i = 0; i < back; i++)
		list->blocks[list->nr_blocks++] = (struct lrulist_slot){ 0 };
	return 0;
}

static __attribute__((noinline)) int make_labels(struct lrulist *list, uint32_t begin,
						 uint32_t end)
{
	uint32_t first = begin / LRULIST_BLOCK, last = (end - 1) / LRULIST_BLOCK;

	if (!list->nr_blocks)
		list->first_block = first;
	if (first < list->first_block)
		return reserve_blocks(list, list->first_block - first, 0);
	if (last >= list->first_block + list->nr_blocks)
		return reserve_blocks(list, 0, last - (list->first_block + list->nr_blocks) + 1);
	return 0;
}

/* Blocks stay unallocated until a folio stands in them. */
static inline int ensure_labels(struct lrulist *list, uint32_t begin, uint32_t end)
{
	if (begin / LRULIST_BLOCK - list->first_block < list->nr_blocks &&
	    (end - 1) / LRULIST_BLOCK - list->first_block < list->nr_blocks)
		return 0;
	return make_labels(list, begin, end);
}

static __attribute__((noinline)) struct lrulist_block *new_block(void)
{
	/* handles need not be cleared: those of no live label are not read */
	struct lrulist_block *block = malloc(sizeof(*block));

	if (block)
		memset(block->live, 0, sizeof(block->live));
	return block;
}

static inline int set_live(struct lrulist *list, uint32_t label, uint32_t handle)
{
	struct lrulist_slot *slot = &list->blocks[label / LRULIST_BLOCK - list->first_block];
	uint32_t i = label % LRULIST_BLOCK;

	if (!slot->block) {
		slot->block = new_block();
		if (!slot->block)
			return -ERR_NOMEM;
	}
	slot->block->live[i / WORD_BITS] |= 1ull << (i % WORD_BITS);
	slot->block->handle[i] = handle;
	slot->nr_live++;
	list->nr_folios++;
	return 0;
}

static bool is_live(const struct lrulist *list, uint32_t label)
{
	const struct lrulist_block *block;
	uint32_t i = label % LRULIST_BLOCK;

	if (label < list->begin || label >= list->end)
		return false;
	block = block_of(list, label);
	return block && block->live[i / WORD_BITS] >> (i % WORD_BITS) & 1;
}

/* Drop empty blocks at both ends, so that a list that drifts does not grow. */
static void trim(struct lrulist *list)
{
	uint32_t front = 0;

	while (front < list->nr_blocks && !list->blocks[front].nr_live &&
	       (list->first_block + front + 1) * LRULIST_BLOCK <= list->end) {
		free(list->blocks[front].block);
		list->blocks[front].block = NULL;
		front++;
	}
	if (!front)
		return;
	memmove(list->blocks, list->blocks + front,
		(list->nr_blocks - front) * sizeof(*list->blocks));
	list->nr_blocks -= front;
	list->first_block += front;
	if (list->begin < list->first_block * LRULIST_BLOCK)
		list->begin = list->first_block * LRULIST_BLOCK;
	if (list->end < list->begin)
		list->end = list->begin;
}

/* How many folios before its turn the memory of a folio is asked for. */
#define RENUMBER_AHEAD 16u

static int renumber(struct lrulist *list)
{
	struct lrulist fresh;
	uint32_t label = list->begin, handle, nr_ahead = 0;
	uint32_t ahead_label = list->begin, ahead_handle;

	lrulist_init(&fresh, list->ops, list->owner);
	fresh.nr_renumbered = list->nr_renumbered + 1;
	while (lrulist_next(list, &label, &handle)) {
		uint32_t nr;
		int ret;

		for (; list->ops->prefetch && nr_ahead < fresh.nr_folios + RENUMBER_AHEAD &&
		       lrulist_next(list, &ahead_label, &ahead_handle);
		     nr_ahead++, ahead_label++)
			list->ops->prefetch(list->owner, ahead_handle);
		nr = list->ops->nr_labels(list->owner, handle);
		ret = ensure_labels(&fresh, fresh.end, fresh.end + nr);

		if (!ret)
			ret = set_live(&fresh, fresh.end, handle);
		if (ret) {
			/* labels were not announced yet: the old list stands */
			lrulist_release(&fresh);
			return ret;
		}
		fresh.end += nr;
		fresh.nr_taken += nr;
		label++;
	}
	label = fresh.begin;
	while (lrulist_next(&fresh, &label, &handle)) {
		list->ops->relabel(list->owner, handle, label);
		label++;
	}
	lrulist_release(list);
	*list = fresh;
	return 0;
}

static bool is_sparse(const struct lrulist *list)
{
	uint64_t span = list->end - list->begin;

	return span > 8 * LRULIST_BLOCK && span / 4 > list->nr_taken;
}

int lrulist_add(struct lrulist *list, uint32_t handle, uint32_t nr_labels, bool tail,
		uint32_t *label)
{
	uint32_t at;
	int ret;

	assert(nr_labels >= 1 && nr_labels <= MARGIN / 2);
	if (list->begin < MARGIN || list->end > UINT32_MAX - MARGIN || is_sparse(list)) {
		ret = renumber(list);
		if (ret)
			return ret;
	}
	at = tail ? list->begin - nr_labels : list->end;
	ret = ensure_labels(list, at, at + nr_labels);
	if (!ret)
		ret = set_live(list, at, handle);
	if (ret)
		return ret;
	if (tail)
		list->begin = at;
	else
		list->end = at + nr_labels;
	list->nr_taken += nr_labels;
	*label = at;
	return 0;
}

int lrulist_fill(struct lrulist *list, uint32_t handle, uint32_t label)
{
	if (label < list->begin || label >= list->end || is_live(list, label))
		return -ERR_BUG;
	return set_live(list, label, handle);
}

void lrulist_del(struct lrulist *list, uint32_t label, uint32_t nr_labels)
{
	struct lrulist_slot *slot = &list->blocks[label / LRULIST_BLOCK - list->first_block];
	uint32_t i = label % LRULIST_BLOCK;
	uint64_t bit = 1ull << (i % WORD_BITS), *live;

	assert(label >= list->begin && label < list->end && slot->block);
	live = &slot->block->live[i / WORD_BITS];
	assert(*live & bit);
	*live &= ~bit;
	slot->nr_live--;
	list->nr_folios--;
	list->nr_taken -= nr_labels;
	if (!list->nr_folios) {
		uint32_t nr_renumbered = list->nr_renumbered;

		lrulist_release(list);
		list->nr_renumbered = nr_renumbered + 1;
	} else if (!slot->nr_live && slot == list->blocks) {
		trim(list);
	}
}

void lrulist_prefetch(const struct lrulist *list, uint32_t label)
{
	const struct lrulist_block *block;
	uint32_t i = label % LRULIST_BLOCK;

	if (label < list->begin || label >= list->end)
		return;
	block = block_of(list, label);
	if (block)
		__builtin_prefetch(&block->live[i / WORD_BITS], 1);
}

uint64_t lrulist_bytes(const struct lrulist *list)
{
	uint64_t bytes = (uint64_t)list->nr_alloc * sizeof(*list->blocks);
	uint32_t i;

	for (i = 0; i < list->nr_blocks; i++)
		if (list->blocks[i].block)
			bytes += sizeof(struct lrulist_block);
	return bytes;
}

/* The bits set in each byte of @word, in that byte. */
static inline uint64_t bits_by_byte(uint64_t word)
{
	word -= word >> 1 & 0x5555555555555555ull;
	word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
	return (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
}

/*
 * Live labels in a block before its label number @i. Bits are counted here: without
 * an option for newer processors compilers call a function for each word.
 */
static uint32_t nr_before(const struct lrulist_block *block, uint32_t i)
{
	uint64_t by_byte = 0, by_short;
	uint32_t word;

	for (word = 0; word < i / WORD_BITS; word++)
		by_byte += bits_by_byte(block->live[word]);
	if (i % WORD_BITS)
		by_byte += bits_by_byte(block->live[word] & ((1ull << (i % WORD_BITS)) - 1));
	by_short = (by_byte & 0x00ff00ff00ff00ffull) + (by_byte >> 8 & 0x00ff00ff00ff00ffull);
	return by_short * 0x0001000100010001ull >> 48;
}

uint32_t lrulist_rank(const struct lrulist *list, uint32_t label)
{
	uint32_t last = label / LRULIST_BLOCK - list->first_block, nr = 0, within = 0, i;

	if (list->blocks[last].block)
		within = nr_before(list->blocks[last].block, label % LRULIST_BLOCK);
	if (last <= list->nr_blocks / 2) {
		for (i = 0; i < last; i++)
			nr += list->blocks[i].nr_live;
		return nr + within;
	}
	/* the young end is nearer: all but those at or after the label */
	for (i = last; i < list->nr_blocks; i++)
		nr += list->blocks[i].nr_live;
	return list->nr_folios - nr + within;
}

bool lrulist_next(const struct lrulist *list, uint32_t *label, uint32_t *handle)
{
	uint32_t at = *label;

	if (at < list->begin)
		at = list->begin;
	while (at < list->end) {
		const struct lrulist_block *block = block_of(list, at);
		uint32_t i = at % LRULIST_BLOCK;
		uint64_t rest;

		if (!block) {
			at += LRULIST_BLOCK - i;
			continue;
		}
		rest = block->live[i / WORD_BITS] >> (i % WORD_BITS);
		if (!rest) {
			at += WORD_BITS - i % WORD_BITS;
			continue;
		}
		at += __builtin_ctzll(rest);
		if (at >= list->end)
			return false;
		*label = at;
		*handle = block->handle[at % LRULIST_BLOCK];
		return true;
	}
	return false;
}
