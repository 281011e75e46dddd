/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One generation list, kept in order, with a rank.
 *
 * A folio on the list has a label, a number that grows from the old end to the
 * young end. Adding at an end takes the next free label there, deleting clears
 * a bit, and the rank of a folio (how many are older) is a count of set bits:
 *
 *	     old end                                      young end
 *	label  ... 1020 1021 1022 | 1024 1025 1026 ... | 1536 ...
 *	live         1    0    1  |   1    1    0      |
 *	                blocks of LRULIST_BLOCK labels, each with its count
 *
 * A large folio takes as many labels as it has pages and stands on the first,
 * so that the folios of a later split find their places beside it. When labels
 * run out or the list becomes sparse, all are given anew (amortized O(1)); the
 * owner is told through the relabel callback.
 *
 * Costs: add and del O(1) amortized, rank O(n / LRULIST_BLOCK).
 */
#ifndef FOLIOSCOPE_LRULIST_H
#define FOLIOSCOPE_LRULIST_H

#include <stdbool.h>
#include <stdint.h>

#define LRULIST_BLOCK 512u

struct lrulist_block;

/* The counts stand beside each other, apart from the blocks: a rank adds them up. */
struct lrulist_slot {
	struct lrulist_block *block;	/* NULL: no folio stands in it */
	uint32_t nr_live;
};

/*
 * Tells the owner that the folio with @handle now has @label, and asks for the
 * number of labels that it takes; before that, optionally, asks for its memory.
 */
struct lrulist_ops {
	void (*relabel)(void *owner, uint32_t handle, uint32_t label);
	uint32_t (*nr_labels)(void *owner, uint32_t handle);
	void (*prefetch)(void *owner, uint32_t handle);
};

struct lrulist {
	const struct lrulist_ops *ops;
	void *owner;
	struct lrulist_slot *blocks;	/* [first_block, first_block + nr_blocks) */
	uint32_t first_block;		/* absolute number of blocks[0] */
	uint32_t nr_blocks;
	uint32_t nr_alloc;
	uint32_t begin;			/* label of the old end, inclusive */
	uint32_t end;			/* label of the young end, exclusive */
	uint32_t nr_folios;
	uint64_t nr_taken;		/* labels taken by the folios on the list */
	uint32_t nr_renumbered;		/* labels before this changed are void */
};

/*
 * lrulist_init(): an empty list. @ops and @owner must outlive it.
 */
void lrulist_init(struct lrulist *list, const struct lrulist_ops *ops, void *owner);

/* lrulist_release(): free what the list holds; it is empty and usable after. */
void lrulist_release(struct lrulist *list);

/*
 * lrulist_add(): put the folio @handle, which takes @nr_labels (>= 1), at the
 * old end if @tail, else at the young end. *@label is its label.
 * Returns 0 or -ERR_NOMEM (the list is unchanged).
 */
int lrulist_add(struct lrulist *list, uint32_t handle, uint32_t nr_labels, bool tail,
		uint32_t *label);

/*
 * lrulist_fill(): put the folio @handle on @label, one of the labels taken by
 * the folio beside it. The caller accounts for the labels by having nr_labels()
 * answer less for that folio from now on.
 * Returns 0, or -ERR_BUG if the label is in use or was never taken.
 */
int lrulist_fill(struct lrulist *list, uint32_t handle, uint32_t label);

/*
 * lrulist_del(): remove the folio on @label, which takes @nr_labels; @label must
 * be in use.
 */
void lrulist_del(struct lrulist *list, uint32_t label, uint32_t nr_labels);

/*
 * lrulist_prefetch(): ask for the memory that lrulist_del() of @label will touch;
 * any @label is allowed.
 */
void lrulist_prefetch(const struct lrulist *list, uint32_t label);

/* lrulist_bytes(): memory held besides struct lrulist. */
uint64_t lrulist_bytes(const struct lrulist *list);

/* lrulist_rank(): how many folios are older than the one on @label. */
uint32_t lrulist_rank(const struct lrulist *list, uint32_t label);

/*
 * lrulist_next(): iterate from the old end. *@label is where to begin looking
 * (list->begin at first); it is set to the label found.
 * Returns true and fills *@handle, or false at the young end. Continue with
 * *@label + 1.
 */
bool lrulist_next(const struct lrulist *list, uint32_t *label, uint32_t *handle);

#endif /* FOLIOSCOPE_LRULIST_H */
