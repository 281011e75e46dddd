/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What folioscope record left out on demand, as it noted in the recording
 * (formats/snapshots.md): every total is then one of the selection.
 */
#ifndef FOLIOSCOPE_SELECTION_H
#define FOLIOSCOPE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* All zero: everything, or a recording that does not say. */
struct selection {
	uint64_t sample;	/* one of so many blocks of page frames; 0: all */
	bool has_memcg, has_type;
	uint64_t memcg;		/* cgroup id */
	unsigned type;		/* TYPE_ANON, TYPE_FILE */
};

/* Keys of the notes, see selection_take(). */
#define SELECTION_SAMPLE	"sample"
#define SELECTION_MEMCG		"only memcg"
#define SELECTION_TYPE		"only type"

/*
 * selection_take(): the text of a trace marker, @len_bytes of it; a line
 * "folioscope: KEY: VALUE" with one of the keys above is noted, others are passed
 * over. The value of SELECTION_SAMPLE is 1/N.
 */
void selection_take(struct selection *selection, const char *text, unsigned len_bytes);

/*
 * selection_note(): number @i of the lines that say so, as selection_take() reads
 * them, in @buf, which has SELECTION_NOTE_BYTES. Returns @buf, NULL past the last.
 */
#define SELECTION_NOTE_BYTES 80
const char *selection_note(const struct selection *selection, unsigned i, char *buf);

/* selection_is_whole(): was nothing left out, as far as the recording says? */
bool selection_is_whole(const struct selection *selection);

/* selection_render(): what totals are totals of; nothing if it is whole. */
void selection_render(const struct selection *selection, FILE *out);

#endif /* FOLIOSCOPE_SELECTION_H */
