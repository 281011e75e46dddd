/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One pass over a recording: reader, model, analyses.
 *
 *	struct pipeline p;
 *	int ret = pipeline_open(&p, path, &opts, &diag);
 *
 *	if (!ret)
 *		ret = pipeline_run(&p, &diag);
 *	...
 *	pipeline_release(&p);
 */
#ifndef FOLIOSCOPE_PIPELINE_H
#define FOLIOSCOPE_PIPELINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "analysis.h"
#include "err.h"
#include "model.h"
#include "reader.h"
#include "selection.h"

struct pipeline_opts {
	struct reader_opts reader;
	struct analysis_opts analysis;
	bool no_progress;
	bool has_stats;		/* say on stderr what reading took */
	bool no_analyses;	/* only the hooks */
	bool no_model;		/* nor the model: only on_event, whatever events there are */
};

struct pipeline {
	const char *path;
	struct reader *reader;
	struct model *model;
	struct analysis_env env;
	struct analysis_opts analysis_opts;
	unsigned nr_analyses;
	void *selfs[MAX_ANALYSES];
	/* whom to call: the analyses that want it, the command, NULL at the end */
	struct pipeline_call {
		void (*change)(void *self, const struct change *c);
		void *self;
	} calls[CHANGE_NR][MAX_ANALYSES + 2];
	struct pipeline_violation_call {
		void (*violation)(void *self, const struct violation *v);
		void *self;
	} violation_calls[MAX_ANALYSES + 2];
	bool no_progress, has_stats, no_model;
	bool stopped;			/* by SIGINT: what follows was not read */
	bool has_first, has_event_hooks;
	uint64_t first_ts_ns, last_ts_ns;
	uint64_t nr_items;
	unsigned nr_beginnings_lost;	/* CPUs whose oldest events were overwritten */
	unsigned nr_unknown_names;	/* of enum values, see abi_map() */
	struct selection selection;	/* what the recording says that it left out */

	/*
	 * Hooks of a command, all optional, called with hook_self:
	 * on_event before the model has seen the event, on_change with each
	 * change, after_event after it, on_violation with each that is found;
	 * before_end when all events were read and the model is still as they
	 * left it.
	 */
	void *hook_self;
	void (*on_event)(void *self, const struct event *ev);
	/* false: the model does not see it, for passes that follow few folios */
	bool (*wants_event)(void *self, const struct event *ev);
	void (*on_change)(void *self, const struct change *c);
	void (*after_event)(void *self, const struct event *ev);
	void (*before_end)(void *self);
	void (*on_violation)(void *self, const struct violation *v);
};

/* Set by the handler of SIGINT in main.c; pipeline_run() then stops. */
extern volatile sig_atomic_t pipeline_interrupted;

/*
 * pipeline_open(): open @path and set up model and analyses. On failure @diag
 * has the sentence and nothing needs to be released.
 * Returns 0 or a negative enum err.
 */
int pipeline_open(struct pipeline *p, const char *path, const struct pipeline_opts *opts,
		  struct diag *diag);

/*
 * pipeline_run(): read all events. A recording without a single lru_gen event is
 * an error (-ERR_NO_EVENTS) unless there is no model to see them. Stops early, successfully, when interrupted.
 * Returns 0 or a negative enum err with @diag filled.
 */
int pipeline_run(struct pipeline *p, struct diag *diag);

/*
 * pipeline_render_stats(): what reading took: items, CPU and wall time since
 * @begin_s, bytes, peak memory, and with @model (may be NULL) that of its tables.
 */
void pipeline_render_stats(struct reader *reader, const struct model *model, double begin_s,
			   FILE *out);

/* pipeline_now_s(): seconds of a clock that only goes forward. */
double pipeline_now_s(void);

/* pipeline_release(): free everything. */
void pipeline_release(struct pipeline *p);

/* pipeline_self(): state of the analysis @ops, NULL if it does not run. */
void *pipeline_self(const struct pipeline *p, const struct analysis_ops *ops);

/*
 * pipeline_status(): STATUS_LOSSY if events were lost, data was damaged or left
 * unread, events contradict each other, or memory ran out in an analysis, else
 * STATUS_OK.
 */
enum exit_status pipeline_status(struct pipeline *p);

/* pipeline_overrun(): events that the kernel counts as lost, all CPUs. */
uint64_t pipeline_overrun(struct pipeline *p);

/* pipeline_since(): @ts_ns counted from the first event, for reports; 0 if before it. */
uint64_t pipeline_since(const struct pipeline *p, uint64_t ts_ns);

/* pipeline_offset(): the same, negative if before it, as a part of a recording may tell. */
int64_t pipeline_offset(const struct pipeline *p, uint64_t ts_ns);

/*
 * pipeline_render_caveats(): what the user must know before believing anything:
 * losses, gaps, contradictions, unknown values, folios of unknown past. With
 * @brief nothing is printed if there is nothing wrong.
 */
void pipeline_render_caveats(struct pipeline *p, FILE *out, bool brief);

#endif /* FOLIOSCOPE_PIPELINE_H */
