/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Statistics of comparisons. Distributions are GSL's; what GSL does not have is
 * here. All results are compared with R's for the same numbers in
 * tests/check_stats.c.
 *
 * A sample is an array of finite numbers, one per run. "The change" is the mean
 * of the second sample minus the mean of the first.
 */
#ifndef FOLIOSCOPE_STATS_H
#define FOLIOSCOPE_STATS_H

#include <stdbool.h>
#include <stdint.h>

/* stats_mean(): arithmetic mean; 0 if @nr is 0. */
double stats_mean(const double *x, unsigned nr);

/* stats_stddev(): of the sample (divisor @nr - 1); 0 if @nr < 2. */
double stats_stddev(const double *x, unsigned nr);

/* The change between two samples, with its interval. */
struct stats_change {
	double diff;		/* mean of y - mean of x */
	double se;		/* standard error of diff; 0: no spread at all */
	double df;		/* degrees of freedom of se (Welch-Satterthwaite) */
	double low, high;	/* interval of diff */
	double p;		/* two-sided, of "no change" */
};

/*
 * stats_welch(): Welch's unequal-variances t interval and test; @confidence is
 * e.g. 0.95. Where neither sample has any spread there is no t: se is 0, the
 * interval is diff itself, and p comes from the permutation of runs, which is
 * 2 / C(nx + ny, nx) if the samples differ and 1 if they do not.
 * Returns false, with @ret untouched, if a sample has fewer than two values.
 */
bool stats_welch(const double *x, unsigned nx, const double *y, unsigned ny, double confidence,
		 struct stats_change *ret);

/*
 * stats_bootstrap(): the symmetric bootstrap-t: like stats_welch(), but the
 * distribution of |t| is that of @nr_resamples resamples of both samples, drawn
 * from a generator that is seeded with @seed. diff, se and df are Welch's.
 * An interval beyond what the resamples can tell is infinite.
 * Returns false like stats_welch(), and without memory.
 */
bool stats_bootstrap(const double *x, unsigned nx, const double *y, unsigned ny, double confidence,
		     unsigned nr_resamples, uint64_t seed, struct stats_change *ret);

/*
 * stats_mann_whitney(): two-sided p of the rank sum test: exact up to 50
 * values in all without ties, else by the normal approximation corrected for ties and
 * continuity. *@u (may be NULL) is the number of pairs with y < x, ties half.
 * Returns NAN if a sample is empty or memory ran out.
 */
double stats_mann_whitney(const double *x, unsigned nx, const double *y, unsigned ny, double *u);

/*
 * stats_holm(): Holm's correction of @nr p values for testing all of them;
 * @adjusted may be @p itself. Values that are NAN are not tests: they stay and
 * do not count.
 * Returns false without memory.
 */
bool stats_holm(const double *p, unsigned nr, double *adjusted);

/*
 * stats_noncentral_t(): P(T <= @t) for the noncentral t distribution with @df
 * degrees of freedom and noncentrality @ncp, to about 1e-7.
 */
double stats_noncentral_t(double t, double df, double ncp);

/*
 * stats_power(): power of a two-sided t test at level @alpha with @df degrees of
 * freedom, if the true change is @ncp standard errors.
 */
double stats_power(double df, double ncp, double alpha);

/*
 * stats_detectable(): the smallest change, in standard errors, that a two-sided
 * t test at level @alpha finds with probability @power (> @alpha).
 */
double stats_detectable(double df, double alpha, double power);

/*
 * stats_normal_p(), stats_chi2_p(): two-sided p of a standard normal @z; p of a
 * chi-square value @chi2 with one degree of freedom.
 */
double stats_normal_p(double z);
double stats_chi2_p(double chi2);

/*
 * A small generator for resampling and simulation: reproducible on every
 * machine, seeded with any number.
 */
struct stats_random {
	uint64_t state;
};

/* stats_random_next(): 64 random bits. */
uint64_t stats_random_next(struct stats_random *random);

/* stats_random_below(): uniform in [0, @bound), @bound > 0. */
uint32_t stats_random_below(struct stats_random *random, uint32_t bound);

/* stats_random_normal(): standard normal. */
double stats_random_normal(struct stats_random *random);

#endif /* FOLIOSCOPE_STATS_H */
