/* SPDX-License-Identifier: GPL-2.0-only */
/* Text files that a user names: counters, snapshots, conditions. */
#ifndef FOLIOSCOPE_TEXTFILE_H
#define FOLIOSCOPE_TEXTFILE_H

#include <stdio.h>

#include "err.h"

/*
 * textfile_open(): open @path for reading as *@ret, for fclose(). Only regular files
 * are, which end, and never wait for a writer; those of /proc and /sys count as such.
 * Returns 0, -ERR_NO_FILE, -ERR_NO_ACCESS, -ERR_IS_DIR, -ERR_NOT_REGULAR or
 * -ERR_NOMEM, with @diag (may be NULL) filled.
 */
int textfile_open(FILE **ret, const char *path, struct diag *diag);

#endif /* FOLIOSCOPE_TEXTFILE_H */
