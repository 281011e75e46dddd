/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A part of a recording as a recording: the same header, formats and options, and
 * the records that are wanted, in new sub-buffers. formats/trim.md has the details.
 */
#ifndef FOLIOSCOPE_TRIM_H
#define FOLIOSCOPE_TRIM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "selection.h"

/* The text of the marker at the end of a part. */
#define TRIM_END_TEXT "folioscope-end"

struct trim_opts {
	unsigned buffer;		/* index in recording_info.buffers */
	uint64_t from_ns, to_ns;	/* of the file's clock, inclusive */
	/* of which folios: memcg and page frames of it count */
	const struct selection *selection;
	/*
	 * Texts to be written as markers before the first record at or after
	 * state_ns of this CPU: what is left out, and the state at the cut.
	 */
	unsigned state_cpu;
	uint64_t state_ns;
	/* The last event of the part: a marker stands for it if it is not wanted. */
	unsigned end_cpu;
	uint64_t end_ns;
	const char *const *state;
	uint64_t nr_state;
};

struct trim_result {
	uint64_t nr_read, nr_kept;	/* records */
	uint64_t nr_events;		/* of those kept: of lru_gen */
	uint64_t nr_gaps;		/* damaged places, left out */
};

/* trim_text_bytes(): the longest text of a marker in sub-buffers of @page_bytes. */
unsigned trim_text_bytes(uint32_t page_bytes);

/*
 * trim_write(): write the part of @path to @out, which can seek; the same version.
 * A recording of version 6 must be without instances. Ends with -ERR_INTERRUPTED
 * after SIGINT. Errors of writing have no file name.
 * Returns 0 or a negative enum err with @diag filled.
 */
int trim_write(const char *path, FILE *out, const struct trim_opts *opts,
	       struct trim_result *result, struct diag *diag);

#endif /* FOLIOSCOPE_TRIM_H */
