/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the events of a v7 file whose pointers to them, or to the last, are lost. */
#ifndef FOLIOSCOPE_SALVAGE_H
#define FOLIOSCOPE_SALVAGE_H

#include "container.h"
#include "subbuf.h"

/*
 * salvage_buffers(): scan the file from c->scan_from on, or behind the data of the
 * buffers that it names, for the data of CPUs, which starts at page-aligned offsets,
 * and add one buffer with what was found: "", or "salvaged" if there are others.  CPUs
 * are numbered in the order of the file, since their numbers were in the lost table.
 * Notes what was done in the problems of @c.
 * Returns 0 or a negative enum err with @diag filled (-ERR_NO_BUFFER if nothing
 * was found and there is no other buffer).
 */
int salvage_buffers(struct container *c, const struct subbuf_layout *layout,
		    struct diag *diag);

#endif /* FOLIOSCOPE_SALVAGE_H */
