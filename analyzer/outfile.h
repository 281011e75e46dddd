/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file that a command writes: in the end it is there as a whole, or what was
 * there before is as it was.
 *
 *	struct outfile out;
 *	int ret = outfile_open(&out, name, inputs, nr_inputs, 0, &diag);
 *
 *	if (!ret) {
 *		... write to out.file ...
 *		ret = good ? outfile_commit(&out, &diag) : outfile_abandon(&out);
 *	}
 */
#ifndef FOLIOSCOPE_OUTFILE_H
#define FOLIOSCOPE_OUTFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "err.h"

/* Flags of outfile_open(). */
enum {
	OUTFILE_SEEKS = 1,	/* it is written in no order, so to no pipe */
	OUTFILE_NO_STDOUT = 2,	/* "-" is a name like others */
};

struct outfile {
	const char *name;		/* as the user gave it */
	FILE *file;
	char path[PATH_MAX];		/* what is written; "" if that is in place already */
	char target[PATH_MAX];		/* what it becomes; "" for stdout */
	mode_t mode;			/* of that, if it is there already, else 0 */
};

/*
 * outfile_open(): begin to write @name, "-" for stdout. A regular file, or one that
 * is not there yet, is written beside its place (where a symbolic link points to,
 * even if to nothing) and keeps the mode of the file that was there;
 * devices and FIFOs are written as they are, which OUTFILE_SEEKS refuses, while for
 * stdout a temporary file is kept then. So is a @name that is one of the @nr_inputs
 * @inputs, by whatever name. @name must outlive @out.
 * Returns 0, or -ERR_WRITE with @diag filled and nothing to be ended.
 */
int outfile_open(struct outfile *out, const char *name, const char *const inputs[],
		 unsigned nr_inputs, unsigned flags, struct diag *diag);

/*
 * outfile_commit(): it is complete: close it and put it in its place.
 * Returns 0, or -ERR_WRITE with @diag filled and everything as it was before.
 */
int outfile_commit(struct outfile *out, struct diag *diag);

/* outfile_abandon(): close and remove what was written. */
void outfile_abandon(struct outfile *out);

/*
 * outfile_name_error(): put @name before the text of an error of writing, which those
 * who only have a FILE leave without one. Returns @ret.
 */
int outfile_name_error(const char *name, int ret, struct diag *diag);

/*
 * outfile_remove_unfinished(): remove what is being written, if anything is; for
 * handlers of signals, it calls nothing but unlink().
 */
void outfile_remove_unfinished(void);

/*
 * outfile_is_input(): is @name the same file as one of @inputs? Files that are not
 * there are the same as nothing.
 */
bool outfile_is_input(const char *name, const char *const inputs[], unsigned nr_inputs);

#endif /* FOLIOSCOPE_OUTFILE_H */
