/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Is it the same file, and as it was?
 */
#ifndef FOLIOSCOPE_SAMEFILE_H
#define FOLIOSCOPE_SAMEFILE_H

#include <stdbool.h>
#include <sys/stat.h>

/* same_file(): are @a and @b of one file, by whatever names? */
static inline bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* same_content(): are they of one file that was not written between them? */
static inline bool same_content(const struct stat *a, const struct stat *b)
{
	return same_file(a, b) && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

#endif /* FOLIOSCOPE_SAMEFILE_H */
