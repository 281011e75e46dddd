/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rebuilt lists as text, in the form of debugfs lru_gen_folios
 * (formats/snapshots.md).
 */
#ifndef FOLIOSCOPE_LISTS_H
#define FOLIOSCOPE_LISTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model.h"

/*
 * lists_render_memcg(): the line that begins a memcg. @path may be empty.
 */
void lists_render_memcg(FILE *out, uint64_t memcg, const char *path);

/*
 * lists_render_lruvec(): a node with its lists as they are now; @mono_ns is
 * printed as the time. A lruvec that is not complete gets a comment line. @lv
 * may be NULL: a lruvec of @nid that no event named, so nothing is known of it.
 * Returns the number of folios printed.
 */
uint64_t lists_render_lruvec(FILE *out, const struct model *m, const struct lruvec *lv, int nid,
			     uint64_t mono_ns);

#endif /* FOLIOSCOPE_LISTS_H */
