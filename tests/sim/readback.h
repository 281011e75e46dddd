/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers of the reader's tests: temporary files, damage, a whole file read. */
#ifndef FOLIOSCOPE_TESTS_SIM_READBACK_H
#define FOLIOSCOPE_TESTS_SIM_READBACK_H

#include <stddef.h>

#include "analyzer/reader.h"

/* A file read to its end. */
struct readback {
	int err;			/* of reader_open() or reader_next() */
	struct diag diag;		/* if err */
	struct reader *reader;		/* NULL if it did not open */
	struct event *events;		/* LOST and GAP among them */
	unsigned nr, nr_alloc;
	unsigned nr_lost_items, nr_gap_items;
	const struct reader_totals *totals;
	const struct recording_info *info;
	const struct reader_problem *problems;
	unsigned nr_problems;
};

/*
 * readback_file(): open @path with @opts (may be NULL) and read everything.
 * Texts of markers are copied.  Always to be released.
 */
void readback_file(struct readback *rb, const char *path,
		   const struct reader_opts *opts);
void readback_release(struct readback *rb);

/* readback_problem(): the first problem of @err, or NULL. */
const struct reader_problem *readback_problem(const struct readback *rb,
					      enum err err);

/* tmp_path(): a new empty temporary file's name; static, of the last 8 calls. */
const char *tmp_path(void);

/* file_patch(), file_truncate(), file_append(): damage; they cannot fail. */
void file_patch(const char *path, uint64_t offset, const void *data, size_t len);
void file_truncate(const char *path, uint64_t size);

/* file_load(): all of it, to be freed. */
uint8_t *file_load(const char *path, size_t *len);
void file_store(const char *path, const void *data, size_t len);

#endif /* FOLIOSCOPE_TESTS_SIM_READBACK_H */
