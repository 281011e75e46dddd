/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Export to a Perfetto trace of track events (formats/perfetto.md).
 */
#ifndef FOLIOSCOPE_PERFETTO_H
#define FOLIOSCOPE_PERFETTO_H

#include <stdio.h>

#include "chosen.h"
#include "err.h"
#include "pictures.h"
#include "pipeline.h"

struct perfetto;

/*
 * perfetto_new(): write to @out, which stays the caller's, at most
 * @max_bytes; lanes for the page frames of @chosen (the caller's). NULL without
 * memory.
 */
struct perfetto *perfetto_new(FILE *out, uint64_t max_bytes, const struct chosen *chosen);

/* perfetto_hook(): make @p, opened and not yet run, write its events. */
void perfetto_hook(struct perfetto *pf, struct pipeline *p);

/*
 * perfetto_finish(): what is still open, and counters over time from @pictures.
 * Returns 0, or a negative enum err with @diag filled (-ERR_WRITE: the file
 * would be larger than allowed, or could not be written).
 */
int perfetto_finish(struct perfetto *pf, const struct pictures *pictures, struct diag *diag);

/* perfetto_free(): NULL is allowed. */
void perfetto_free(struct perfetto *pf);

#endif /* FOLIOSCOPE_PERFETTO_H */
