/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Survival of folios: Kaplan-Meier curves and the log-rank test, on the buckets
 * of struct hist: times are known to 1/16. Within a bucket events come before
 * censorings, as in all textbooks.
 */
#ifndef FOLIOSCOPE_SURVIVAL_H
#define FOLIOSCOPE_SURVIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "hist.h"

/* All zero is empty. */
struct survival {
	uint64_t nr;
	uint64_t events[HIST_NR_BUCKETS];	/* it happened then */
	uint64_t censored[HIST_NR_BUCKETS];	/* seen until then, it had not */
};

/* survival_add(): one life that was seen for @ns. */
void survival_add(struct survival *survival, uint64_t ns, bool event);

/* survival_merge(): add all lives of @other. */
void survival_merge(struct survival *survival, const struct survival *other);

/*
 * survival_quantile(): time by which the event has happened to the fraction @q
 * of lives (the largest time of its bucket). False if the curve does not get
 * there: *@ns is untouched.
 */
bool survival_quantile(const struct survival *survival, double q, uint64_t *ns);

/* survival_at(): fraction of lives to which it has not happened by @ns. */
double survival_at(const struct survival *survival, uint64_t ns);

/* The log-rank comparison of two groups. */
struct logrank {
	double observed, expected;	/* events in the second group */
	double variance;		/* of observed - expected */
	double chi2, p;			/* lives taken as independent */
};

/*
 * survival_logrank(): compare @b with @a. Returns false if nothing can be
 * compared: no event, or never lives of both groups at risk.
 */
bool survival_logrank(const struct survival *a, const struct survival *b, struct logrank *ret);

#endif /* FOLIOSCOPE_SURVIVAL_H */
