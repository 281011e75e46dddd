/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Survival of folios: Kaplan-Meier curves and the log-rank test, on the buckets
 * of struct hist: times are known to 1/16. A life that is first seen within a bucket,
 * or censored in it, counts there by the share of it that it was seen, as if the
 * hazard were constant in it; one to which it happens counts to its end. Where each
 * time has a bucket that is the textbooks' curve, with events before censorings.
 */
#ifndef FOLIOSCOPE_SURVIVAL_H
#define FOLIOSCOPE_SURVIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hist.h"

/* All zero is empty. */
struct survival {
	uint64_t nr;
	uint64_t last_event_ns;			/* exact; 0 if it never happened */
	uint64_t begun[HIST_NR_BUCKETS];	/* seen from the beginning of it on */
	uint64_t joined[HIST_NR_BUCKETS];	/* first seen within it */
	uint64_t events[HIST_NR_BUCKETS];	/* it happened then */
	uint64_t censored[HIST_NR_BUCKETS];	/* seen until then, it had not */
	double unseen[HIST_NR_BUCKETS];		/* the shares that joined and censored miss */
};

/*
 * survival_add(): one life that was seen after the age @from_ns, 0 if from its
 * beginning, to @ns. At ages before it was seen it could not have ended and still
 * be counted here, so it is not at risk there (delayed entry, left truncation); one
 * that was seen for no time is left out.
 */
void survival_add(struct survival *survival, uint64_t from_ns, uint64_t ns, bool event);

/* survival_merge(): add all lives of @other. */
void survival_merge(struct survival *survival, const struct survival *other);

/* A bucket in which lives end; all zero before the first. */
struct survival_step {
	bool is_begun;
	unsigned bucket;
	uint64_t at_risk;	/* lives seen in it */
	double exposure;	/* the same, each by the share of it that it was seen */
	uint64_t nr_left;	/* lives seen at its end */
	double alive;		/* fraction to which it has not happened by its end */
};

/* survival_next(): go on to the next such bucket; false if there is none. */
bool survival_next(const struct survival *survival, struct survival_step *step);

/*
 * survival_quantile(): time by which the event has happened to the fraction @q
 * of lives, interpolated in its bucket, and at most that of the last event. False if
 * the curve does not get there: *@ns is untouched.
 */
bool survival_quantile(const struct survival *survival, double q, uint64_t *ns);

/* survival_at(): fraction of lives to which it has not happened by @ns, likewise. */
double survival_at(const struct survival *survival, uint64_t ns);

/* survival_at_risk(): lives that were seen at ages above @ns, and from before on. */
uint64_t survival_at_risk(const struct survival *survival, uint64_t ns);

/* The log-rank comparison of two groups. */
struct logrank {
	double observed;		/* events in the second group */
	double expected;		/* as many it would have if both groups were alike */
	double rate_ratio;		/* (observed / expected) over the first group's;
					   NAN if that has no event */
	double variance;		/* of observed - expected */
	double chi2, p;			/* lives taken as independent */
};

/*
 * survival_logrank(): compare @b with @a. Returns false if nothing can be
 * compared: no event, or never lives of both groups at risk.
 */
bool survival_logrank(const struct survival *a, const struct survival *b, struct logrank *ret);

#endif /* FOLIOSCOPE_SURVIVAL_H */
