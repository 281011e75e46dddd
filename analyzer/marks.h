/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that folioscope record copied into a recording, as trace markers:
 *
 *	folioscope-text NAME OFFSET LENGTH
 *	LENGTH bytes of the file, from OFFSET on
 *
 * and, after the last, "folioscope-text NAME end SIZE" or "folioscope-text NAME
 * absent REASON". NAME is "before/vmstat" and so on: the name that such a file
 * has in a folder of snapshots (formats/snapshots.md).
 */
#ifndef FOLIOSCOPE_MARKS_H
#define FOLIOSCOPE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "err.h"
#include "reader.h"

#define MARKS_PREFIX "folioscope-text "

struct marks {
	struct marks_text {
		char name[64];
		char *bytes;
		size_t size, nr_alloc;
		bool is_whole;		/* its end was seen and nothing is missing */
		bool is_absent;		/* could not be read when recording */
		char reason[80];	/* why it is absent, or not whole */
	} *texts;
	unsigned nr, nr_alloc;
};

/*
 * marks_take(): the text of a trace marker, @len_bytes of it; what is no such
 * text is passed over. A copy of the same name that begins again replaces the
 * one before. Returns 0 or -ERR_NOMEM.
 */
int marks_take(struct marks *marks, const char *text, unsigned len_bytes);

/*
 * marks_read(): all texts of the recording @path. *@marks is to be all zero; the
 * caller releases it in any case. Returns 0 or a negative enum err, @diag filled.
 */
int marks_read(struct marks *marks, const char *path, const struct reader_opts *opts,
	       struct diag *diag);

/* marks_find(): by name, NULL if the recording has no such text. */
const struct marks_text *marks_find(const struct marks *marks, const char *name);

/* marks_release(): free what it holds. */
void marks_release(struct marks *marks);

#endif /* FOLIOSCOPE_MARKS_H */
