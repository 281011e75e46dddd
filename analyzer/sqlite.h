/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Export to an SQLite database (formats/sqlite.md): the results as tables, and a
 * row for every life, span, violation, shield, lazyfree step and, if wanted,
 * event. One transaction, prepared inserts, indexes after the load.
 */
#ifndef FOLIOSCOPE_SQLITE_H
#define FOLIOSCOPE_SQLITE_H

#include "err.h"
#include "pipeline.h"
#include "table.h"

struct sqlite;

/*
 * sqlite_open(): a new database at @path, which must not exist. On failure @diag
 * has the sentence. The caller closes it. Returns 0 or a negative enum err.
 */
int sqlite_open(struct sqlite **ret, const char *path, bool with_events, struct diag *diag);

/*
 * sqlite_hook(): make @p, opened and not yet run, write its rows to the database.
 * Errors are kept for sqlite_finish().
 */
void sqlite_hook(struct sqlite *s, struct pipeline *p);

/* sqlite_tables(): add @tables, each as a table of its name. */
void sqlite_tables(struct sqlite *s, const struct tables *tables);

/* sqlite_metadata(): a row of the table metadata. */
void sqlite_metadata(struct sqlite *s, const char *key, const char *value);

/*
 * sqlite_finish(): indexes and commit. Returns 0 or a negative enum err with
 * @diag filled, of whatever failed first.
 */
int sqlite_finish(struct sqlite *s, struct diag *diag);

/* sqlite_close(): NULL is allowed. Not finished: nothing is committed. */
void sqlite_close(struct sqlite *s);

/* sqlite_library(): version of the library; static. */
const char *sqlite_library(void);

#endif /* FOLIOSCOPE_SQLITE_H */
