/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of a recording as a recording: the same header, formats and options, and
 * the records that are wanted, in new sub-buffers. formats/trim.md has the details.
 */
#ifndef FOLIOSCOPE_TRIM_H
#define FOLIOSCOPE_TRIM_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct trim_opts {
	unsigned buffer;		/* index in recording_info.buffers */
	uint64_t from_ns, to_ns;	/* of the file's clock, inclusive */
	bool has_memcg;
	uint64_t memcg;
	bool has_pfn;
	uint64_t pfn_from, pfn_to;
	/*
	 * Texts to be written as markers before the first record at or after
	 * from_ns of this CPU.
	 */
	unsigned state_cpu;
	const char *const *state;
	uint64_t nr_state;
};

struct trim_result {
	uint64_t nr_read, nr_kept;	/* records */
	uint64_t nr_gaps;		/* damaged places, left out */
};

/*
 * trim_write(): write the part of @path to the new file @out_path, of the same version.
 * A recording of version 6 must be without instances.
 * Returns 0 or a negative enum err with @diag filled.
 */
int trim_write(const char *path, const char *out_path, const struct trim_opts *opts,
	       struct trim_result *result, struct diag *diag);

#endif /* FOLIOSCOPE_TRIM_H */
