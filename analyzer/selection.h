/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What folioscope record or trim left out, as they noted in the recording
 * (formats/snapshots.md). If it was folios, every total is one of the selection.
 */
#ifndef FOLIOSCOPE_SELECTION_H
#define FOLIOSCOPE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Folios do not cross such blocks, so all parts of one are in a sample or none: as
 * large as the largest folio on x86-64.
 */
#define SELECTION_BLOCK_PAGES 512u

/* All zero: everything, or a recording that does not say. */
struct selection {
	uint64_t sample;	/* one of so many blocks of page frames; 0: all */
	bool has_memcg, has_type, has_pfn, is_part;
	uint64_t memcg;		/* cgroup id */
	unsigned type;		/* TYPE_ANON, TYPE_FILE */
	uint64_t pfn_from, pfn_to;	/* inclusive; no folio crosses them */
	/* times from the first event of the recording that it is a part of */
	uint64_t part_from_ns, part_to_ns;	/* to: UINT64_MAX is its end */
	uint64_t nr_cgroups_left_out;	/* of the kernel's numbers, for they were too many */
};

/* Keys of the notes, see selection_take(). */
#define SELECTION_SAMPLE	"sample"
#define SELECTION_MEMCG		"only memcg"
#define SELECTION_TYPE		"only type"
#define SELECTION_PFN		"only page frames"	/* FROM-TO, hexadecimal */
#define SELECTION_PART		"part"			/* FROM-TO, ns */
#define SELECTION_CGROUPS	"cgroups left out"	/* number */

/*
 * selection_take(): the text of a trace marker, @len_bytes of it; a line
 * "folioscope: KEY: VALUE" with one of the keys above is noted, others are passed
 * over. The value of SELECTION_SAMPLE is 1/N. Ranges narrow those that were noted
 * before: a part of a part has the notes of both.
 */
void selection_take(struct selection *selection, const char *text, unsigned len_bytes);

/* The longest that selection_note() writes, with its NUL. */
#define SELECTION_NOTE_BYTES 400

/* selection_note(): the lines that selection_take() reads; "" if there is nothing. */
void selection_note(const struct selection *selection, char note[SELECTION_NOTE_BYTES]);

/* selection_is_whole(): are all folios in it, as far as the recording says? */
static inline bool selection_is_whole(const struct selection *selection)
{
	return !selection->sample && !selection->has_memcg && !selection->has_type &&
	       !selection->has_pfn;
}

/* selection_is_sparse(): are there lists of which only some folios are in it? */
static inline bool selection_is_sparse(const struct selection *selection)
{
	return selection->sample || selection->has_pfn;
}

/* selection_has_memcg(), selection_has_pfn(): are its folios in the selection? */
static inline bool selection_has_memcg(const struct selection *selection, uint64_t memcg)
{
	return !selection->has_memcg || selection->memcg == memcg;
}

static inline bool selection_has_pfn(const struct selection *selection, uint64_t pfn)
{
	return (!selection->sample ||
		!(pfn & (selection->sample - 1) * SELECTION_BLOCK_PAGES)) &&
	       (!selection->has_pfn ||
		(pfn >= selection->pfn_from && pfn <= selection->pfn_to));
}

/* selection_render(): what totals are totals of; nothing if it is whole. */
void selection_render(const struct selection *selection, FILE *out);

#endif /* FOLIOSCOPE_SELECTION_H */
