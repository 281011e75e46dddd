/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A model with one analysis on it, for tests that give it events by hand. Define
 * ANALYSIS as its struct analysis_ops before including this; add setup() and
 * teardown() as a checked fixture.
 */
#ifndef FOLIOSCOPE_TESTS_ANALYSIS_FIXTURE_H
#define FOLIOSCOPE_TESTS_ANALYSIS_FIXTURE_H

#include <check.h>

#include "analyzer/analysis.h"

static struct model *model;
static struct analysis_env env;
static struct analysis_opts opts;
static void *self;	/* of the analysis */

static void observe(void *unused, const struct change *c)
{
	(void)unused;
	if (c->kind == CHANGE_LOST && ANALYSIS.lost)
		ANALYSIS.lost(self);
	else if (c->kind != CHANGE_LOST && (!ANALYSIS.kinds || ANALYSIS.kinds >> c->kind & 1))
		ANALYSIS.change(self, c);
}

static void setup(void)
{
	model = model_new(observe, NULL);
	env = (struct analysis_env){ .model = model, .opts = &opts };
	self = ANALYSIS.begin(&env);
	ck_assert(model && self);
}

static void teardown(void)
{
	ANALYSIS.release(self);
	model_free(model);
}

/* apply(): give @ev to the model. Returns its time. */
static inline uint64_t apply(struct event ev)
{
	ck_assert_int_eq(model_apply(model, &ev), 0);
	return ev.ts_ns;
}

#endif /* FOLIOSCOPE_TESTS_ANALYSIS_FIXTURE_H */
