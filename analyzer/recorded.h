/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether a recording that was just made is whole: for record, which must not say
 * so of a file that it has not read.
 */
#ifndef FOLIOSCOPE_RECORDED_H
#define FOLIOSCOPE_RECORDED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "err.h"

struct recorded {
	uint64_t size_bytes;		/* of the file */
	uint64_t nr_lost;		/* events, as the kernel or the data counts them */
	uint64_t nr_lost_worst;		/* by the CPU that lost most; 0: not known */
	bool has_unknown_loss;		/* some were lost, nobody counted them */
	bool is_damaged;		/* data is damaged, missing or cannot be decoded */
};

/*
 * recorded_read(): read all events of @path and fill *@ret.
 * Returns 0, or a negative enum err with @diag filled if it cannot be read at all.
 */
int recorded_read(struct recorded *ret, const char *path, struct diag *diag);

/*
 * recorded_is_old(): is @path the file that stat() told of as @before, and was not
 * written since? False if it is not there.
 */
bool recorded_is_old(const char *path, const struct stat *before);

#endif /* FOLIOSCOPE_RECORDED_H */
