// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures beside "R:" are what R 4.2.2 with survival 3.5-3 printed, with
 *
 *	t1 <- c(1,2,2,3,5,5,8,8,9,12);       e1 <- c(1,1,0,1,1,1,0,1,0,1)
 *	t2 <- c(2,4,4,6,7,9,9,11,12,15,15);  e2 <- c(1,0,1,1,0,1,1,0,1,1,0)
 *
 * Times below 16 have a bucket each, so that nothing is rounded.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/survival.h"
#include "suites.h"

static const unsigned t1[] = { 1, 2, 2, 3, 5, 5, 8, 8, 9, 12 };
static const bool e1[] = { 1, 1, 0, 1, 1, 1, 0, 1, 0, 1 };
static const unsigned t2[] = { 2, 4, 4, 6, 7, 9, 9, 11, 12, 15, 15 };
static const bool e2[] = { 1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0 };

static struct survival a, b;

static void setup(void)
{
	unsigned i;

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	for (i = 0; i < 10; i++)
		survival_add(&a, 0, t1[i], e1[i]);
	for (i = 0; i < 11; i++)
		survival_add(&b, 0, t2[i], e2[i]);
}

static void near(double value, double expected)
{
	ck_assert_msg(fabs(value - expected) < 1e-9, "%.12g, expected %.12g", value, expected);
}

START_TEST(curve)
{
	static const unsigned times[] = { 1, 2, 3, 5, 8, 9, 12 };
	/* R: survfit(Surv(t1, e1) ~ 1)$surv */
	static const double alive[] = { 0.9,	      0.8,	    0.6857142857, 0.4571428571,
					0.3428571429, 0.3428571429, 0 };
	/* R: survfit(Surv(t2, e2) ~ 1), at 2 4 6 7 9 11 12 15 */
	static const unsigned times2[] = { 2, 4, 6, 7, 9, 11, 12, 15 };
	static const double alive2[] = { 0.9090909091, 0.8181818182, 0.7159090909, 0.7159090909,
					 0.4772727273, 0.4772727273, 0.3181818182, 0.1590909091 };
	unsigned i;

	for (i = 0; i < 7; i++)
		near(survival_at(&a, times[i]), alive[i]);
	for (i = 0; i < 8; i++)
		near(survival_at(&b, times2[i]), alive2[i]);
	near(survival_at(&a, 0), 1);
	near(survival_at(&a, 4), 0.6857142857);
}
END_TEST

START_TEST(quantiles)
{
	uint64_t ns = 77;

	/* R: quantile(survfit(Surv(t2, e2) ~ 1), c(.1, .25, .5, .75, .9)): 4 6 9 15 NA */
	ck_assert(survival_quantile(&b, 0.1, &ns));
	ck_assert_uint_eq(ns, 4);
	ck_assert(survival_quantile(&b, 0.25, &ns));
	ck_assert_uint_eq(ns, 6);
	ck_assert(survival_quantile(&b, 0.5, &ns));
	ck_assert_uint_eq(ns, 9);
	ck_assert(survival_quantile(&b, 0.75, &ns));
	ck_assert_uint_eq(ns, 15);
	ck_assert(!survival_quantile(&b, 0.9, &ns));
	ck_assert_uint_eq(ns, 15);
	/*
	 * R gives 1.5 and 3 for 10 % and 25 % of t1: where the curve has a flat
	 * step at the quantile R takes its middle, we its beginning.
	 */
	ck_assert(survival_quantile(&a, 0.1, &ns));
	ck_assert_uint_eq(ns, 1);
	ck_assert(survival_quantile(&a, 0.25, &ns));
	ck_assert_uint_eq(ns, 3);
	ck_assert(survival_quantile(&a, 0.5, &ns));
	ck_assert_uint_eq(ns, 5);
}
END_TEST

/* In buckets that are wider than one: between steps, and never beyond what was seen. */
START_TEST(interpolated)
{
	static struct survival even, last;
	uint64_t ns;
	unsigned i;

	for (i = 0; i < 1000; i++)
		survival_add(&even, 0, 1000001 + 1000 * i, true);
	for (i = 50; i < 1000; i++) {	/* from the second bucket on: the first is not full */
		ck_assert(survival_quantile(&even, i / 1000.0, &ns));
		ck_assert_int_le(labs((long)ns - (long)(1000001 + 1000 * (i - 1))), 2000);
		ck_assert(fabs(survival_at(&even, ns) - (1 - i / 1000.0)) < 0.001);
	}
	near(survival_at(&even, 1999001), 0);
	/* of the bucket from 983040 to 1048575 */
	survival_add(&last, 0, 1000001, true);
	ck_assert(survival_quantile(&last, 1, &ns));
	ck_assert_uint_eq(ns, 1000001);
	near(survival_at(&last, 1000001), 0);
	survival_merge(&even, &last);
	ck_assert_uint_eq(even.last_event_ns, 1999001);
}
END_TEST

START_TEST(logrank)
{
	struct logrank r;

	/* R: s <- survdiff(Surv(c(t1, t2), c(e1, e2)) ~ c(rep(1, 10), rep(2, 11)));
	 *    c(s$obs, s$exp, s$var[1,1], s$chisq, pchisq(s$chisq, 1, lower = FALSE)) */
	ck_assert(survival_logrank(&a, &b, &r));
	near(r.observed, 7);
	near(r.expected, 9.246568627451);
	/* R: (s$obs / s$exp)[2] / (s$obs / s$exp)[1]: of the two rates, not of the pooled one */
	near(r.rate_ratio, 0.5140751736203);
	near(r.variance, 2.680740110782);
	near(r.chi2, 1.882715365636);
	near(r.p, 0.170025849413);
	/* the other way round */
	ck_assert(survival_logrank(&b, &a, &r));
	near(r.expected, 4.753431372549);
	near(r.rate_ratio, 1 / 0.5140751736203);
	near(r.chi2, 1.882715365636);
}
END_TEST

/*
 * Lives seen from an age on (delayed entry). R, with
 *
 *	s1 <- c(0,1,0,2,4,0,3,0,5,0);  s2 <- c(0,3,0,0,4,0,8,10,6,0,12)
 */
START_TEST(delayed_entry)
{
	static const unsigned s1[] = { 0, 1, 0, 2, 4, 0, 3, 0, 5, 0 };
	static const unsigned s2[] = { 0, 3, 0, 0, 4, 0, 8, 10, 6, 0, 12 };
	/* R: survfit(Surv(s1, t1, e1) ~ 1): time, n.risk, surv */
	static const double r1[][3] = { { 1, 5, 0.8 },   { 2, 5, 0.64 },  { 3, 4, 0.48 }, { 5, 5, 0.288 },
					{ 8, 4, 0.216 }, { 9, 2, 0.216 }, { 12, 1, 0 } };
	struct survival_step step = { 0 };
	struct survival c = { 0 }, d = { 0 };
	struct logrank r;
	unsigned i;

	for (i = 0; i < 10; i++)
		survival_add(&c, s1[i], t1[i], e1[i]);
	for (i = 0; i < 11; i++)
		survival_add(&d, s2[i], t2[i], e2[i]);
	for (i = 0; i < 7; i++) {
		ck_assert(survival_next(&c, &step));
		ck_assert_uint_eq(hist_bucket_max(step.bucket), r1[i][0]);
		ck_assert_uint_eq(step.at_risk, r1[i][1]);
		near(step.alive, r1[i][2]);
		near(survival_at(&c, r1[i][0]), r1[i][2]);
	}
	ck_assert(!survival_next(&c, &step));
	ck_assert_uint_eq(survival_at_risk(&c, 4), 5);
	ck_assert_uint_eq(survival_at_risk(&c, 11), 1);
	ck_assert_uint_eq(survival_at_risk(&c, 12), 0);
	/* R: coxph(Surv(c(s1, s2), c(t1, t2), c(e1, e2)) ~ c(rep(0, 10), rep(1, 11)),
	 *    ties = "exact")$score: the log-rank statistic */
	ck_assert(survival_logrank(&c, &d, &r));
	near(r.chi2, 0.4009223480158);
	/* seen for no time: not at all */
	survival_add(&c, 7, 7, true);
	ck_assert_uint_eq(c.nr, 10);
}
END_TEST

/* Lives that join or leave within a bucket, here 1024 to 1087, by the share seen of it. */
START_TEST(part_of_a_bucket)
{
	struct survival_step step = { 0 };
	struct survival c = { 0 };
	struct logrank r;
	unsigned i;

	for (i = 0; i < 8; i++)
		survival_add(&c, 1023, 1030 + i, i < 2);	/* six censored at 1032 to 1037 */
	for (i = 0; i < 4; i++)
		survival_add(&c, 1055, i ? 5000 : 1060, !i);	/* half of it */
	survival_add(&c, 1047, 1063, false);			/* a quarter */
	ck_assert_uint_eq(c.nr, 13);
	ck_assert_uint_eq(survival_at_risk(&c, 1023), 8);
	ck_assert(survival_next(&c, &step));
	ck_assert_uint_eq(hist_bucket_max(step.bucket), 1087);
	ck_assert_uint_eq(step.at_risk, 13);
	ck_assert_uint_eq(c.events[step.bucket], 3);
	near(step.exposure, 2 + (9 + 10 + 11 + 12 + 13 + 14) / 64. + 4 * .5 + .25);
	near(step.alive, pow(10 / 13., 13 / step.exposure));
	ck_assert_uint_eq(survival_at_risk(&c, 1087), 3);
	/* against the same lives there is no difference */
	ck_assert(survival_logrank(&c, &c, &r));
	near(r.chi2, 0);
}
END_TEST

START_TEST(nothing_to_compare)
{
	static struct survival empty, censored;
	struct logrank r = { .p = -1 };
	uint64_t ns;

	ck_assert(!survival_logrank(&empty, &empty, &r));
	ck_assert(!survival_logrank(&a, &empty, &r));
	survival_add(&censored, 0, 3, false);
	ck_assert(!survival_logrank(&censored, &censored, &r));
	ck_assert(r.p == -1);
	ck_assert(!survival_quantile(&censored, 0.1, &ns));
	near(survival_at(&censored, 100), 1);
	/* one life at risk with the others is enough */
	ck_assert(survival_logrank(&a, &censored, &r));
	near(r.rate_ratio, 0);
	/* but of no event there is no rate to compare with */
	ck_assert(survival_logrank(&censored, &a, &r));
	ck_assert(isnan(r.rate_ratio));
}
END_TEST

START_TEST(merging)
{
	static struct survival twice;
	struct logrank r;

	survival_merge(&twice, &a);
	survival_merge(&twice, &a);
	ck_assert_uint_eq(twice.nr, 20);
	near(survival_at(&twice, 5), survival_at(&a, 5));
	ck_assert(survival_logrank(&a, &twice, &r));
	near(r.chi2, 0);
	near(r.p, 1);
}
END_TEST

Suite *survival_suite(void)
{
	Suite *suite = suite_create("survival");
	TCase *tc = tcase_create("against R");

	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, curve);
	tcase_add_test(tc, quantiles);
	tcase_add_test(tc, interpolated);
	tcase_add_test(tc, logrank);
	tcase_add_test(tc, delayed_entry);
	tcase_add_test(tc, part_of_a_bucket);
	tcase_add_test(tc, nothing_to_compare);
	tcase_add_test(tc, merging);
	suite_add_tcase(suite, tc);
	return suite;
}
