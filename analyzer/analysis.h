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
#include "table.h"

/* What the user may set; all zero is the default. */
struct analysis_opts {
	uint64_t regret_gens;		/* V5: refault within so many agings */
	bool has_regret_gens;
	unsigned nr_examples;		/* per violation and site; 0: 2 */
};

/*
 * One violation of order as it is found; formats/violations.md has V1 to V5. A
 * run of moves is one violation, of the folio that was moved first.
 */
struct violation {
	unsigned kind;			/* 1 to 5 */
	unsigned site;			/* V1, V2; else SITE_OTHER */
	unsigned type;
	uint64_t ts_ns;
	const struct lruvec *lruvec;	/* NULL: unknown */
	uint64_t pfn;
	uint32_t life;
	uint64_t nr_folios;		/* V1: of the run; V2: moved or relabelled; else 1 */
	uint64_t nr_pairs;		/* V1, V2: in wrong order */
	uint64_t magnitude;		/* V3: older folios that stayed; V5: ns until back */
};

/* What an analysis may look at. */
struct analysis_env {
	const struct model *model;
	const struct recording_info *info;
	const struct analysis_opts *opts;
	uint64_t first_ts_ns;		/* reports count from here; set by the first event */
	/* called by whoever finds a violation */
	void (*on_violation)(void *self, const struct violation *v);
	void *violation_self;
};

struct analysis_ops {
	const char *name;
	const char *title;		/* of its part of the report */

	/* begin(): state of the analysis, or NULL without memory. */
	void *(*begin)(const struct analysis_env *env);
	/*
	 * change(): something happened in the model, of a kind whose bit (1u <<
	 * CHANGE_*) is in @kinds; 0 stands for all kinds.
	 */
	void (*change)(void *self, const struct change *c);
	unsigned kinds;
	/* violation(): another analysis found one; optional. */
	void (*violation)(void *self, const struct violation *v);
	/* lost(): what was known is void; close what is open. */
	void (*lost)(void *self);
	/* end(): the recording is over, all lives have ended. */
	void (*end)(void *self);
	/*
	 * incomplete(): did memory run out, so that results are missing? The report
	 * then says so and its exit status is 3; optional.
	 */
	bool (*incomplete)(const void *self);
	/* render(): its part of the report, lines of at most 75 columns. */
	void (*render)(const void *self, FILE *out);
	/*
	 * defs, tables(): the same results as tables, all of defs[] (NULL at the
	 * end) and no other, empty ones too; optional.
	 */
	const struct table_def *const *defs;
	void (*tables)(const void *self, struct tables *tables);
	/* release(): free the state. */
	void (*release)(void *self);
};

/*
 * analysis_is_earlier(): was it before the recording began? So it is with what the
 * state at the cut of a trimmed recording tells.
 */
static inline bool analysis_is_earlier(const struct analysis_env *env, uint64_t ts_ns)
{
	return ts_ns < env->first_ts_ns;
}

#define MAX_ANALYSES 16

/* analyses[]: all of them in the order of the report, NULL at the end. */
extern const struct analysis_ops *const analyses[];

extern const struct analysis_ops analysis_lifetimes;
extern const struct analysis_ops analysis_order;
extern const struct analysis_ops analysis_lazyfree;
extern const struct analysis_ops analysis_hitshield;
extern const struct analysis_ops analysis_refault;
extern const struct analysis_ops analysis_counters;
extern const struct analysis_ops analysis_pictures;

/* analysis_violation(): tell everyone of @v. */
void analysis_violation(const struct analysis_env *env, const struct violation *v);

#endif /* FOLIOSCOPE_ANALYSIS_H */
