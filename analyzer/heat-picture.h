/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map as a file of its own: time to the right, page frame numbers upwards,
 * with axes, what is counted, and the colours of the counts.
 */
#ifndef FOLIOSCOPE_HEAT_PICTURE_H
#define FOLIOSCOPE_HEAT_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "heat.h"

/*
 * heat_picture_svg(), heat_picture_png(): write the picture of @kind to @out, whose
 * errors are the caller's to check. @heat has rows; with @is_partial the title says
 * that it is of a pass that was interrupted. Return 0 or -ERR_NOMEM.
 */
int heat_picture_svg(FILE *out, const struct heat *heat, enum heat_kind kind, bool is_partial);
int heat_picture_png(FILE *out, const struct heat *heat, enum heat_kind kind, bool is_partial);

#endif /* FOLIOSCOPE_HEAT_PICTURE_H */
