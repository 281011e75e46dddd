// SPDX-License-Identifier: GPL-2.0-only
#include "analysis.h"

const struct analysis_ops *const analyses[MAX_ANALYSES] = {
	&analysis_lifetimes,
	&analysis_order,
	&analysis_lazyfree,
	&analysis_refault,
	&analysis_counters,
	NULL,
};
