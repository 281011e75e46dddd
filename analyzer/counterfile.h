/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counter files: lines of a name and a number, as /proc/vmstat and memory.stat
 * have them; and conditions, which are pairs of texts (formats/compare.md).
 */
#ifndef FOLIOSCOPE_COUNTERFILE_H
#define FOLIOSCOPE_COUNTERFILE_H

#include <stdbool.h>

#include "err.h"

struct counterfile_entry {
	char *name;
	double value;	/* integers are exact up to 2^53 */
};

/* All zero is empty. */
struct counterfile {
	struct counterfile_entry *entries;	/* in the order of the file */
	unsigned nr, nr_alloc;
};

/* What a run was made with: key and value, in the order of first mention. */
struct conditions {
	struct condition {
		char *key, *value;
	} *entries;
	unsigned nr, nr_alloc;
};

/*
 * counterfile_read(): add the lines of the file @path to @file. A comment
 * "# key: value" is a condition and goes to @conditions (may be NULL); other
 * comments and empty lines are passed over. Two lines of one name, and anything
 * that is not a name and a number, 0 or from 1e-30 to 1e30 in size, are errors.
 * Returns 0, -ERR_NO_FILE, -ERR_NO_ACCESS, -ERR_IS_DIR, -ERR_NOT_REGULAR, -ERR_EMPTY
 * (no line with a counter), -ERR_NOT_COUNTERS, -ERR_IO or -ERR_NOMEM, with @diag filled.
 */
int counterfile_read(struct counterfile *file, struct conditions *conditions, const char *path,
		     struct diag *diag);

/* counterfile_set(): add or replace; @name is copied. Returns 0 or -ERR_NOMEM. */
int counterfile_set(struct counterfile *file, const char *name, double value);

/* counterfile_find(): false if @name is absent, else fills *@value. */
bool counterfile_find(const struct counterfile *file, const char *name, double *value);

/* counterfile_release(): free what it holds; it is empty after. */
void counterfile_release(struct counterfile *file);

/*
 * conditions_read(): add the lines "key: value" of the file @path; lines of
 * another shape are passed over.
 * Returns 0, -ERR_NO_FILE if there is no such file, or another error, with @diag
 * filled.
 */
int conditions_read(struct conditions *conditions, const char *path, struct diag *diag);

/*
 * conditions_read_marker(): add the lines "folioscope: key: value" of the text of
 * a trace marker, @len_bytes of it; all else is passed over.
 * Returns 0 or -ERR_NOMEM.
 */
int conditions_read_marker(struct conditions *conditions, const char *text, unsigned len_bytes);

/*
 * conditions_key(): the one name of a condition that has several ("clock" is "trace
 * clock"); @key itself if it has not. Static, or @key.
 */
const char *conditions_key(const char *key);

/*
 * conditions_add(): a value of conditions_key(@key), of a kernel its release, of THP
 * the choice made; a second one, if it is another, is appended
 * to the first after a semicolon. Strings are copied. Returns 0 or -ERR_NOMEM.
 */
int conditions_add(struct conditions *conditions, const char *key, const char *value);

/* conditions_get(): value of @key, NULL if it is not known; the conditions'. */
const char *conditions_get(const struct conditions *conditions, const char *key);

/* conditions_release(): free what it holds; it is empty after. */
void conditions_release(struct conditions *conditions);

#endif /* FOLIOSCOPE_COUNTERFILE_H */
