// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures beside "R:" are what R 4.2.2 printed for the expression given, with
 *
 *	x <- c(44017.78, 43911.2, 44120.5, 43876.9, 44201.3)
 *	y <- c(44810.01, 44687.08, 44910.7, 44533.6, 45002.2)
 *	a <- c(12, 15, 11, 14); b <- c(22, 19, 25, 40, 31, 18)
 */
#include <check.h>
#include <math.h>

#include "analyzer/stats.h"
#include "suites.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const double x[] = { 44017.78, 43911.2, 44120.5, 43876.9, 44201.3 };
static const double y[] = { 44810.01, 44687.08, 44910.7, 44533.6, 45002.2 };
static const double a[] = { 12, 15, 11, 14 };
static const double b[] = { 22, 19, 25, 40, 31, 18 };

static void near(double value, double expected, double relative)
{
	ck_assert_msg(fabs(value - expected) <= relative * fabs(expected),
		      "%.12g, expected %.12g", value, expected);
}

START_TEST(moments)
{
	/* R: c(mean(x), sd(x), mean(b), sd(b)) */
	near(stats_mean(x, NR(x)), 44025.536, 1e-12);
	near(stats_stddev(x, NR(x)), 137.05535553199, 1e-11);
	near(stats_mean(b, NR(b)), 25.83333333333, 1e-11);
	near(stats_stddev(b, NR(b)), 8.37655458209, 1e-11);
	ck_assert(stats_stddev(x, 1) == 0);
	ck_assert(stats_mean(x, 0) == 0);
}
END_TEST

START_TEST(welch)
{
	struct stats_change c;

	/* R: w <- t.test(y, x); c(-diff(w$estimate), w$stderr, w$parameter, w$conf.int, w$p.value) */
	ck_assert(stats_welch(x, NR(x), y, NR(y), 0.95, &c));
	near(c.diff, 7.63182e2, 1e-11);
	near(c.se, 1.02825016606e2, 1e-11);
	near(c.df, 7.38194872864, 1e-11);
	near(c.low, 5.22566654415e2, 1e-9);
	near(c.high, 1.00379734558e3, 1e-9);
	near(c.p, 1.12480431140e-4, 1e-9);
	/* R: t.test(b, a), likewise */
	ck_assert(stats_welch(a, NR(a), b, NR(b), 0.95, &c));
	near(c.diff, 12.8333333333333, 1e-12);
	near(c.se, 3.5394600969326, 1e-12);
	near(c.df, 5.6898249422349, 1e-12);
	near(c.low, 4.0568427118153, 1e-9);
	near(c.high, 21.6098239548514, 1e-9);
	near(c.p, 0.0120842516185, 1e-9);
	/* R: t.test(b, a, conf.level = 0.99)$conf.int */
	ck_assert(stats_welch(a, NR(a), b, NR(b), 0.99, &c));
	near(c.low, -0.587869329561, 1e-9);
	near(c.high, 26.254535996228, 1e-9);
}
END_TEST

START_TEST(welch_without_spread)
{
	static const double seven[] = { 7, 7, 7, 7, 7 }, nine[] = { 9, 9, 9, 9, 9 };
	struct stats_change c = { .p = -1 };

	ck_assert(!stats_welch(x, 1, y, NR(y), 0.95, &c));
	ck_assert(!stats_welch(x, NR(x), y, 1, 0.95, &c));
	ck_assert(c.p == -1);
	ck_assert(stats_welch(seven, 5, seven, 5, 0.95, &c));
	ck_assert(c.p == 1 && c.se == 0 && c.diff == 0);
	/* R: 2 / choose(10, 5) */
	ck_assert(stats_welch(seven, 5, nine, 5, 0.95, &c));
	near(c.p, 0.00793650793651, 1e-10);
	ck_assert(c.low == 2 && c.high == 2);
	/* two runs a side cannot show it: R: 2 / choose(4, 2) */
	ck_assert(stats_welch(seven, 2, nine, 2, 0.95, &c));
	near(c.p, 1 / 3.0, 1e-10);
}
END_TEST

START_TEST(mann_whitney)
{
	static const double x2[] = { 1.1, 2.3, 3.7, 4.2, 9.9 };
	static const double y2[] = { 2.9, 3.1, 4.4, 5.5, 6.1, 7.7, 8.3 };
	static const double x3[] = { 3, 5, 5, 7, 9, 9 }, y3[] = { 5, 6, 7, 10, 11, 12, 12 };
	static const double same[] = { 4, 4, 4 };
	double u;

	/* R: wilcox.test(x, y) */
	near(stats_mann_whitney(x, NR(x), y, NR(y), &u), 0.00793650793651, 1e-10);
	ck_assert(u == 0);
	/* R: wilcox.test(x2, y2) */
	near(stats_mann_whitney(x2, NR(x2), y2, NR(y2), &u), 0.343434343434, 1e-10);
	ck_assert(u == 11);
	/* R: wilcox.test(x3, y3, exact = FALSE) */
	near(stats_mann_whitney(x3, NR(x3), y3, NR(y3), &u), 0.112567023892, 1e-9);
	ck_assert(u == 9.5);
	/* the other way round it is the same */
	near(stats_mann_whitney(y2, NR(y2), x2, NR(x2), &u), 0.343434343434, 1e-10);
	ck_assert(stats_mann_whitney(same, 3, same, 3, NULL) == 1);
	ck_assert(isnan(stats_mann_whitney(same, 3, same, 0, NULL)));
}
END_TEST

/* Exact counts against all ways to choose the ranks. */
START_TEST(mann_whitney_enumerated)
{
	double low[5], high[6];
	unsigned set, bits, i, nr_as_extreme = 0, nr_sets = 0;
	unsigned observed = 0x0b3;	/* the ranks of low, of 11 */
	double u;

	for (set = 0; set < 1u << 11; set++) {
		unsigned nl = 0, nh = 0, mirrored, sum = 0;

		if (__builtin_popcount(set) != 5)
			continue;
		nr_sets++;
		for (i = 0; i < 11; i++) {
			if (set >> i & 1)
				sum += i - nl++;
			else
				nh++;
		}
		mirrored = 30 - sum;
		/* sum of observed: bits 0 1 4 5 7 -> 0 + 0 + 2 + 2 + 3 */
		nr_as_extreme += (sum < mirrored ? sum : mirrored) <= 7;
	}
	bits = 0;
	for (i = 0; i < 11; i++) {
		if (observed >> i & 1)
			low[bits++] = i;
		else
			high[i - bits] = i;
	}
	near(stats_mann_whitney(low, 5, high, 6, &u), (double)nr_as_extreme / nr_sets, 1e-12);
	ck_assert(u == 7);
}
END_TEST

START_TEST(holm)
{
	/* R: p.adjust(c(0.01, 0.02, 0.03, 0.005, 0.5, NA, 0.04), "holm") */
	static const double p[] = { 0.01, 0.02, 0.03, 0.005, 0.5, NAN, 0.04 };
	static const double expected[] = { 0.05, 0.08, 0.09, 0.03, 0.50, NAN, 0.09 };
	double adjusted[NR(p)];
	unsigned i;

	ck_assert(stats_holm(p, NR(p), adjusted));
	for (i = 0; i < NR(p); i++) {
		if (isnan(expected[i]))
			ck_assert(isnan(adjusted[i]));
		else
			near(adjusted[i], expected[i], 1e-12);
	}
	ck_assert(stats_holm(p, 0, adjusted));
}
END_TEST

START_TEST(noncentral_t)
{
	/* R: c(pt(2,5,1), pt(2.5,8,3), pt(-1,3,0.5), pt(8,6,4.5), pt(2,2.3,1.7)) */
	near(stats_noncentral_t(2, 5, 1), 0.7780746626159, 1e-6);
	near(stats_noncentral_t(2.5, 8, 3), 0.3098793499563, 1e-6);
	near(stats_noncentral_t(-1, 3, 0.5), 0.0921212098144, 1e-6);
	near(stats_noncentral_t(8, 6, 4.5), 0.9056376419480, 1e-6);
	near(stats_noncentral_t(2, 2.3, 1.7), 0.5184336229923, 1e-6);
}
END_TEST

START_TEST(power)
{
	/* R: power.t.test(n = 5, delta = 1.5, sd = 1, strict = TRUE)$power */
	near(stats_power(8, 1.5 / sqrt(2 / 5.0), 0.05), 0.549385597763, 1e-6);
	/* R: power.t.test(n = 18, delta = 1, sd = 1, sig.level = 0.002, strict = TRUE)$power */
	near(stats_power(34, 1 / sqrt(2 / 18.0), 0.002), 0.382537215388, 1e-6);
	/* no effect is found as often as the level says */
	near(stats_power(8, 0, 0.05), 0.05, 1e-9);
	/* R: power.t.test(n = 5, power = 0.8, sd = 1, strict = TRUE)$delta / sqrt(2 / 5) */
	near(stats_detectable(8, 0.05, 0.8), 3.200911793, 1e-5);
	/* R: power.t.test(n = 18, power = 0.8, sd = 1, sig.level = 0.05 / 30, strict = TRUE,
	 *    tol = 1e-10)$delta / sqrt(2 / 18) */
	near(stats_detectable(34, 0.05 / 30, 0.8), 4.300146449, 1e-5);
}
END_TEST

START_TEST(distributions)
{
	/* R: 2 * pnorm(-1.234), pchisq(3.3, 1, lower = FALSE) */
	near(stats_normal_p(1.234), 0.2172029042430, 1e-11);
	near(stats_normal_p(-1.234), 0.2172029042430, 1e-11);
	near(stats_chi2_p(3.3), 0.0692798832212, 1e-11);
}
END_TEST

/*
 * All 27 * 27 resamples of two samples of three, by R:
 *	g <- as.matrix(expand.grid(1:3, 1:3, 1:3))
 *	se <- function(a, b) sqrt(var(a) / 3 + var(b) / 3)
 *	d <- mean(v) - mean(u)
 *	ts: for all i, j: s <- se(u[g[i,]], v[g[j,]]);
 *	    if (s > 0) abs(mean(v[g[j,]]) - mean(u[g[i,]]) - d) / s else Inf
 */
START_TEST(bootstrap)
{
	static const double u[] = { 10, 13, 19 }, v[] = { 21, 22, 30 };
	struct stats_change c, again, other;

	ck_assert(stats_bootstrap(u, 3, v, 3, 0.8, 200000, 1, &c));
	/* R: mean(ts >= abs(d / se(u, v))) */
	ck_assert(fabs(c.p - 0.0781893004115) < 0.003);
	/* R: quantile(ts, 0.8, type = 1) * se(u, v); the step there is from 0.794 to 0.807 */
	near(c.high - c.diff, 6.43920916217, 1e-9);
	near(c.diff - c.low, 6.43920916217, 1e-9);
	/* 9 of the 729 have no spread: beyond 98.8 % the interval has no end */
	ck_assert(stats_bootstrap(u, 3, v, 3, 0.995, 20000, 1, &c));
	ck_assert(isinf(c.high) && isinf(c.low));
	/* the seed decides */
	ck_assert(stats_bootstrap(x, NR(x), y, NR(y), 0.95, 999, 5, &c));
	ck_assert(stats_bootstrap(x, NR(x), y, NR(y), 0.95, 999, 5, &again));
	ck_assert(stats_bootstrap(x, NR(x), y, NR(y), 0.95, 999, 6, &other));
	ck_assert(c.low == again.low && c.p == again.p);
	ck_assert(c.low != other.low);
	ck_assert(!stats_bootstrap(x, 1, y, NR(y), 0.95, 999, 5, &c));
}
END_TEST

START_TEST(random_numbers)
{
	struct stats_random random = { .state = 1 };
	unsigned counts[7] = { 0 }, i;
	double sum = 0, sum2 = 0;

	for (i = 0; i < 70000; i++)
		counts[stats_random_below(&random, 7)]++;
	for (i = 0; i < 7; i++)
		ck_assert(counts[i] > 9600 && counts[i] < 10400);
	for (i = 0; i < 100000; i++) {
		double value = stats_random_normal(&random);

		sum += value;
		sum2 += value * value;
	}
	ck_assert(fabs(sum / 100000) < 0.01);
	ck_assert(fabs(sum2 / 100000 - 1) < 0.02);
}
END_TEST

Suite *stats_suite(void)
{
	Suite *suite = suite_create("stats");
	TCase *tc = tcase_create("against R");

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, moments);
	tcase_add_test(tc, welch);
	tcase_add_test(tc, welch_without_spread);
	tcase_add_test(tc, mann_whitney);
	tcase_add_test(tc, mann_whitney_enumerated);
	tcase_add_test(tc, holm);
	tcase_add_test(tc, noncentral_t);
	tcase_add_test(tc, power);
	tcase_add_test(tc, distributions);
	tcase_add_test(tc, bootstrap);
	tcase_add_test(tc, random_numbers);
	suite_add_tcase(suite, tc);
	return suite;
}
