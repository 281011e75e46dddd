/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Losses put into a recording, and what the analysis of the rest claims held
 * against the analysis of the whole: it may know less, never otherwise.
 */
#ifndef FOLIOSCOPE_TESTS_SIM_LOSSY_H
#define FOLIOSCOPE_TESTS_SIM_LOSSY_H

#include <stddef.h>

#include "analyzer/reader.h"
#include "replay.h"

/* A recording in memory, its analysis, and its claims in order. */
struct whole {
	struct event *events;
	unsigned nr, nr_cpus;
	bool is_lossy;			/* it has losses of its own */
	struct replay replay;
	struct replay_life *by_end;	/* lives by pfn, then end */
	struct violation *by_time;	/* violations by kind, time, pfn */
	struct sim_refault *refaults;	/* by time, pfn */
};

enum loss_kind {
	LOSS_SUBBUFFERS,	/* some sub-buffers of about 90 events, of any CPU */
	LOSS_BURST,		/* a stretch of one CPU */
	LOSS_CPU,		/* all of a CPU */
	LOSS_BEGINNING,		/* of every CPU, each up to another moment */
	LOSS_END,
	LOSS_HALF,		/* the first half, of all CPUs */
	LOSS_MANY,		/* stretches of every CPU, together a large part */
	LOSS_NR
};

/* What an analysis claims, as far as it can be counted. */
struct claims {
	uint64_t nr_events;
	uint64_t nr_ends;		/* lives with an end that was seen */
	uint64_t nr_lives;		/* of these, with a beginning that was seen */
	uint64_t nr_refaults;		/* with their distance */
	uint64_t nr_v1_pairs, nr_v1_reversed;
	uint64_t nr_v3;
};

struct loss_outcome {
	bool ok;
	char text[400];			/* the first false claim */
	uint64_t nr_false;
	uint64_t nr_births_differ;	/* put back for new, see formats/loss.md */
	uint64_t nr_dropped, nr_in_loss, nr_losses, nr_ended_lost;
	struct claims claims;
};

const char *loss_kind_name(unsigned kind);

/* whole_of_file(): read and analyse @path. Returns 0, or a negative enum err with @diag. */
int whole_of_file(struct whole *whole, const char *path, struct diag *diag);
/* whole_of_sim(): the events of @sim. */
void whole_of_sim(struct whole *whole, const struct sim *sim);
void whole_release(struct whole *whole);
struct claims whole_claims(const struct whole *whole);

/*
 * loss_inject(): drop events of @whole as @kind and @seed say, put in what the
 * reader would deliver in their place, and compare.
 */
void loss_inject(struct loss_outcome *outcome, const struct whole *whole, enum loss_kind kind,
		 uint64_t seed);

/* loss_inject_untold(): the same, but nothing in the stream tells of the loss. */
void loss_inject_untold(struct loss_outcome *outcome, const struct whole *whole,
			enum loss_kind kind, uint64_t seed);

/*
 * loss_of_file(): @path is a damaged copy of the recording of @whole: read it with
 * @opts (may be NULL) and compare. Returns 0, or a negative enum err with @diag.
 */
int loss_of_file(struct loss_outcome *outcome, const struct whole *whole, const char *path,
		 const struct reader_opts *opts, struct diag *diag);

#endif /* FOLIOSCOPE_TESTS_SIM_LOSSY_H */
