// SPDX-License-Identifier: GPL-2.0-only
#include "survival.h"

#include "stats.h"

void survival_add(struct survival *survival, uint64_t ns, bool event)
{
	survival->nr++;
	if (event)
		survival->events[hist_bucket(ns)]++;
	else
		survival->censored[hist_bucket(ns)]++;
}

void survival_merge(struct survival *survival, const struct survival *other)
{
	unsigned i;

	survival->nr += other->nr;
	for (i = 0; i < HIST_NR_BUCKETS; i++) {
		survival->events[i] += other->events[i];
		survival->censored[i] += other->censored[i];
	}
}

bool survival_quantile(const struct survival *survival, double q, uint64_t *ns)
{
	double alive = 1;
	uint64_t at_risk = survival->nr;
	unsigned i;

	for (i = 0; i < HIST_NR_BUCKETS && at_risk; i++) {
		alive *= 1 - (double)survival->events[i] / at_risk;
		/* 1 - 1/10 * ... may miss 0.9 by a rounding error */
		if (1 - alive >= q - 1e-12) {
			*ns = hist_bucket_max(i);
			return true;
		}
		at_risk -= survival->events[i] + survival->censored[i];
	}
	return false;
}

double survival_at(const struct survival *survival, uint64_t ns)
{
	double alive = 1;
	uint64_t at_risk = survival->nr;
	unsigned i;

	for (i = 0; i < HIST_NR_BUCKETS && at_risk && hist_bucket_max(i) <= ns; i++) {
		alive *= 1 - (double)survival->events[i] / at_risk;
		at_risk -= survival->events[i] + survival->censored[i];
	}
	return alive;
}

bool survival_logrank(const struct survival *a, const struct survival *b, struct logrank *ret)
{
	struct logrank sum = { 0 };
	double risk_a = a->nr, risk_b = b->nr;
	unsigned i;

	for (i = 0; i < HIST_NR_BUCKETS && risk_a + risk_b > 0; i++) {
		double events = (double)a->events[i] + b->events[i], risk = risk_a + risk_b;

		if (events) {
			double share = risk_b / risk;

			sum.observed += b->events[i];
			sum.expected += events * share;
			if (risk > 1)
				sum.variance += events * share * (1 - share) * (risk - events) /
						(risk - 1);
		}
		risk_a -= (double)a->events[i] + a->censored[i];
		risk_b -= (double)b->events[i] + b->censored[i];
	}
	if (!(sum.variance > 0))
		return false;
	sum.chi2 = (sum.observed - sum.expected) * (sum.observed - sum.expected) / sum.variance;
	sum.p = stats_chi2_p(sum.chi2);
	*ret = sum;
	return true;
}
