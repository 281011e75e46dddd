/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events put through the model and the analyses, and everything that these
 * claim, kept: for comparison with what really happened, or with what they
 * claim when they see more.
 */
#ifndef FOLIOSCOPE_TESTS_SIM_REPLAY_H
#define FOLIOSCOPE_TESTS_SIM_REPLAY_H

#include "analyzer/analysis.h"
#include "analyzer/lazyfree.h"
#include "analyzer/order.h"
#include "analyzer/refault.h"
#include "mglru.h"

struct replay_life {
	struct sim_life life;
	uint32_t number;
};

struct replay {
	struct model *model;
	struct analysis_env env;
	struct analysis_opts opts;
	void *order, *lazyfree, *refault;
	const struct order_results *order_results;
	const struct lazyfree_results *lazyfree_results;
	const struct refault_results *refault_results;
	struct replay_life *lives;		/* in the order in which they ended */
	unsigned nr_lives, nr_lives_alloc;
	struct sim_refault *refaults;
	unsigned nr_refaults, nr_refaults_alloc;
	struct violation *violations;
	unsigned nr_violations, nr_violations_alloc;
	uint64_t last_ts_ns;
};

void replay_init(struct replay *r);
void replay_release(struct replay *r);

/* replay_event(): the next event. */
void replay_event(struct replay *r, const struct event *ev);

/* replay_end(): after the last event; lists can be looked at before. */
void replay_end(struct replay *r);

#endif /* FOLIOSCOPE_TESTS_SIM_REPLAY_H */
