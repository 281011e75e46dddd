// SPDX-License-Identifier: GPL-2.0-only
#include "stats.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double stats_mean(const double *x, unsigned nr)
{
	double sum = 0, rest = 0, mean;
	unsigned i;

	if (!nr)
		return 0;
	for (i = 0; i < nr; i++)
		sum += x[i];
	mean = sum / nr;
	/* once more: the mean of equal values is then that value */
	for (i = 0; i < nr; i++)
		rest += x[i] - mean;
	return mean + rest / nr;
}

static double variance(const double *x, unsigned nr)
{
	double mean = stats_mean(x, nr), sum = 0;
	unsigned i;

	if (nr < 2)
		return 0;
	for (i = 0; i < nr; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sum / (nr - 1);
}

double stats_stddev(const double *x, unsigned nr)
{
	return sqrt(variance(x, nr));
}

static bool is_constant(const double *x, unsigned nr)
{
	unsigned i;

	for (i = 1; i < nr; i++)
		if (x[i] != x[0])
			return false;
	return true;
}

/* 2 / C(nx + ny, nx): how rarely chance sorts runs into two sides like this. */
static double p_of_separation(unsigned nx, unsigned ny)
{
	double p = 2;
	unsigned i;

	for (i = 1; i <= nx; i++)
		p *= (double)i / (ny + i);
	return p < 1 ? p : 1;
}

bool stats_welch(const double *x, unsigned nx, const double *y, unsigned ny, double confidence,
		 struct stats_change *ret)
{
	double vx, vy, t, half;

	if (nx < 2 || ny < 2)
		return false;
	ret->diff = stats_mean(y, ny) - stats_mean(x, nx);
	if (is_constant(x, nx) && is_constant(y, ny)) {
		ret->se = 0;
		ret->df = nx + ny - 2;
		ret->low = ret->high = ret->diff;
		ret->p = ret->diff != 0 ? p_of_separation(nx, ny) : 1;
		return true;
	}
	vx = variance(x, nx) / nx;
	vy = variance(y, ny) / ny;
	ret->se = sqrt(vx + vy);
	ret->df = (vx + vy) * (vx + vy) / (vx * vx / (nx - 1) + vy * vy / (ny - 1));
	t = ret->diff / ret->se;
	half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, ret->df) * ret->se;
	ret->low = ret->diff - half;
	ret->high = ret->diff + half;
	ret->p = 2 * gsl_cdf_tdist_Q(fabs(t), ret->df);
	return true;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void resample(const double *x, unsigned nx, struct stats_random *random, double *mean,
		     double *mean_variance)
{
	double sum = 0, sum2 = 0, base = x[0];
	unsigned i;

	for (i = 0; i < nx; i++) {
		double value = x[stats_random_below(random, nx)] - base;

		sum += value;
		sum2 += value * value;
	}
	*mean = base + sum / nx;
	sum2 -= sum * sum / nx;
	*mean_variance = sum2 > 0 ? sum2 / (nx - 1) / nx : 0;
}

bool stats_bootstrap(const double *x, unsigned nx, const double *y, unsigned ny, double confidence,
		     unsigned nr_resamples, uint64_t seed, struct stats_change *ret)
{
	struct stats_random random = { .state = seed };
	struct stats_change welch;
	double *t, observed, half;
	unsigned i, rank, nr_beyond = 0;

	if (!nr_resamples || !stats_welch(x, nx, y, ny, confidence, &welch))
		return false;
	if (!welch.se) {
		*ret = welch;
		return true;
	}
	t = malloc(nr_resamples * sizeof(*t));
	if (!t)
		return false;
	observed = fabs(welch.diff / welch.se);
	for (i = 0; i < nr_resamples; i++) {
		double mx, my, vx, vy, error;

		resample(x, nx, &random, &mx, &vx);
		resample(y, ny, &random, &my, &vy);
		error = fabs(my - mx - welch.diff);
		/* a resample without spread says nothing against any distance */
		t[i] = vx + vy > 0 ? error / sqrt(vx + vy) : INFINITY;
		nr_beyond += t[i] >= observed;
	}
	qsort(t, nr_resamples, sizeof(*t), compare_doubles);
	rank = ceil(confidence * (nr_resamples + 1));
	half = rank <= nr_resamples ? t[rank - 1] * welch.se : INFINITY;
	free(t);
	*ret = welch;
	ret->low = welch.diff - half;
	ret->high = welch.diff + half;
	ret->p = (nr_beyond + 1.0) / (nr_resamples + 1.0);
	return true;
}

/*
 * P(U <= u) of the rank sum statistic without ties: the number of ways to reach
 * each u, built up one value of x at a time (Mann and Whitney 1947: the counts
 * are the coefficients of the Gaussian binomial).
 */
static double rank_sum_cdf(unsigned nx, unsigned ny, unsigned u)
{
	unsigned max = nx * ny, i, k;
	double *ways = calloc(max + 1, sizeof(*ways)), sum = 0, all = 0;

	if (!ways)
		return NAN;
	ways[0] = 1;
	for (i = 1; i <= nx; i++) {
		/* times (1 - q^(ny + i)) / (1 - q^i) */
		for (k = max; k >= ny + i; k--)
			ways[k] -= ways[k - ny - i];
		for (k = i; k <= max; k++)
			ways[k] += ways[k - i];
	}
	for (k = 0; k <= max; k++) {
		all += ways[k];
		if (k <= u)
			sum += ways[k];
	}
	free(ways);
	return sum / all;
}

double stats_mann_whitney(const double *x, unsigned nx, const double *y, unsigned ny, double *u)
{
	unsigned i, j, nr = nx + ny;
	double *all, sum = 0, ties = 0, sigma, z;
	bool has_ties = false;

	if (!nx || !ny)
		return NAN;
	for (i = 0; i < nx; i++)
		for (j = 0; j < ny; j++)
			sum += y[j] < x[i] ? 1 : y[j] == x[i] ? 0.5 : 0;
	if (u)
		*u = sum;
	all = malloc(nr * sizeof(*all));
	if (!all)
		return NAN;
	memcpy(all, x, nx * sizeof(*x));
	memcpy(all + nx, y, ny * sizeof(*y));
	qsort(all, nr, sizeof(*all), compare_doubles);
	for (i = 0; i < nr; i = j) {
		double t;

		for (j = i + 1; j < nr && all[j] == all[i]; j++)
			has_ties = true;
		t = j - i;
		ties += t * t * t - t;
	}
	free(all);
	/* up to 50 in all the counts are exact in a double: C(50, 25) < 2^53 */
	if (!has_ties && nr <= 50) {
		double smaller = sum < (double)nx * ny - sum ? sum : (double)nx * ny - sum;
		double p = 2 * rank_sum_cdf(nx, ny, smaller);

		return p < 1 ? p : 1;
	}
	sigma = sqrt((double)nx * ny / 12 * (nr + 1 - ties / ((double)nr * (nr - 1))));
	if (!(sigma > 0))
		return 1;	/* all values are the same */
	z = sum - (double)nx * ny / 2;
	z -= z > 0 ? 0.5 : z < 0 ? -0.5 : 0;
	return stats_normal_p(z / sigma);
}

struct indexed {
	double p;
	unsigned index;
};

static int compare_indexed(const void *a, const void *b)
{
	return compare_doubles(&((const struct indexed *)a)->p, &((const struct indexed *)b)->p);
}

bool stats_holm(const double *p, unsigned nr, double *adjusted)
{
	struct indexed *sorted = malloc((nr + 1) * sizeof(*sorted));
	unsigned i, nr_tests = 0;
	double largest = 0;

	if (!sorted)
		return false;
	for (i = 0; i < nr; i++) {
		if (isnan(p[i]))
			adjusted[i] = p[i];
		else
			sorted[nr_tests++] = (struct indexed){ p[i], i };
	}
	qsort(sorted, nr_tests, sizeof(*sorted), compare_indexed);
	for (i = 0; i < nr_tests; i++) {
		double value = sorted[i].p * (nr_tests - i);

		if (value > largest)
			largest = value;
		adjusted[sorted[i].index] = largest < 1 ? largest : 1;
	}
	free(sorted);
	return true;
}

/*
 * P(T <= t) = E[Phi(t S - ncp)] with S = sqrt(chi2(df) / df), integrated over
 * the quantiles' range of S by Simpson's rule. 1 - 2e-12 of S is inside.
 */
double stats_noncentral_t(double t, double df, double ncp)
{
	double from = sqrt(gsl_cdf_chisq_Pinv(1e-12, df) / df);
	double to = sqrt(gsl_cdf_chisq_Qinv(1e-12, df) / df);
	/* log density of S at s: df s^2 is chi2(df) */
	double constant = log(2) + (df / 2) * log(df / 2) - lgamma(df / 2);
	unsigned i, nr = 1000;
	double step, sum = 0, mass = 0;

	if (!ncp)
		return gsl_cdf_tdist_P(t, df);
	step = (to - from) / nr;
	for (i = 0; i <= nr; i++) {
		double s = from + i * step;
		double weight = i == 0 || i == nr ? 1 : i % 2 ? 4 : 2;
		double density = s > 0 ? exp(constant + (df - 1) * log(s) - df * s * s / 2) : 0;

		mass += weight * density;
		sum += weight * density * gsl_cdf_ugaussian_P(t * s - ncp);
	}
	/* by the mass that the rule sees, which cancels most of its error */
	return sum / mass;
}

double stats_power(double df, double ncp, double alpha)
{
	double t = gsl_cdf_tdist_Pinv(1 - alpha / 2, df);

	return 1 - stats_noncentral_t(t, df, ncp) + stats_noncentral_t(-t, df, ncp);
}

double stats_detectable(double df, double alpha, double power)
{
	double low = 0, high = 1;
	unsigned i;

	while (stats_power(df, high, alpha) < power && high < 1e9)
		high *= 2;
	for (i = 0; i < 50 && high - low > 1e-6 * high; i++) {
		double middle = (low + high) / 2;

		if (stats_power(df, middle, alpha) < power)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double stats_normal_p(double z)
{
	double p = 2 * gsl_cdf_ugaussian_Q(fabs(z));

	return p < 1 ? p : 1;
}

double stats_chi2_p(double chi2)
{
	return gsl_cdf_chisq_Q(chi2, 1);
}

/* splitmix64 (Steele, Lea and Flood 2014): the published constants */
uint64_t stats_random_next(struct stats_random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint32_t stats_random_below(struct stats_random *random, uint32_t bound)
{
	return (stats_random_next(random) >> 32) * bound >> 32;
}

double stats_random_normal(struct stats_random *random)
{
	/* in (0, 1) */
	double u = ((stats_random_next(random) >> 11) + 0.5) / 9007199254740992.0;

	return gsl_cdf_ugaussian_Pinv(u);
}
