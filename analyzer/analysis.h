/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An analysis observes the model: one file, one struct analysis_ops, one line
 * in analyses[] (analysis.c).
 */
#ifndef FOLIOSCOPE_ANALYSIS_H
#define FOLIOSCOPE_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model.h"
#include "reader.h"

/* What the user may set; all zero is the default. */
struct analysis_opts {
	uint64_t regret_gens;		/* V5: refault within so many agings */
	bool has_regret_gens;
	unsigned nr_examples;		/* per violation and site; 0: 2 */
};

/* What an analysis may look at. */
struct analysis_env {
	const struct model *model;
	const struct recording_info *info;
	const struct analysis_opts *opts;
	uint64_t first_ts_ns;		/* reports count from here; set by the first event */
};

struct analysis_ops {
	const char *name;
	const char *title;		/* of its part of the report */

	/* begin(): state of the analysis, or NULL without memory. */
	void *(*begin)(const struct analysis_env *env);
	/* change(): something happened in the model. */
	void (*change)(void *self, const struct change *c);
	/* lost(): what was known is void; close what is open. */
	void (*lost)(void *self);
	/* end(): the recording is over, all lives have ended. */
	void (*end)(void *self);
	/* render(): its part of the report, lines of at most 75 columns. */
	void (*render)(const void *self, FILE *out);
	/* release(): free the state. */
	void (*release)(void *self);
};

#define MAX_ANALYSES 8

/* analyses[]: all of them in the order of the report, NULL at the end. */
extern const struct analysis_ops *const analyses[];

extern const struct analysis_ops analysis_lifetimes;
extern const struct analysis_ops analysis_order;
extern const struct analysis_ops analysis_lazyfree;
extern const struct analysis_ops analysis_refault;
extern const struct analysis_ops analysis_counters;

#endif /* FOLIOSCOPE_ANALYSIS_H */
