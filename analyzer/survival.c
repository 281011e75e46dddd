// SPDX-License-Identifier: GPL-2.0-only
#include "survival.h"

#include <math.h>

#include "stats.h"

/* The share of @bucket that is after @ns, a time in it. */
static double share_after(unsigned bucket, uint64_t ns)
{
	uint64_t last_ns = hist_bucket_max(bucket);

	if (ns == last_ns)
		return 0;	/* the first bucket is only 0 */
	return (double)(last_ns - ns) / (last_ns - hist_bucket_max(bucket - 1));
}

void survival_add(struct survival *survival, uint64_t from_ns, uint64_t ns, bool event)
{
	unsigned bucket = hist_bucket(ns), entry = hist_bucket(from_ns);

	if (from_ns && from_ns >= ns)
		return;
	survival->nr++;
	if (!from_ns) {
		survival->begun[0]++;
	} else if (from_ns == hist_bucket_max(entry)) {
		survival->begun[entry + 1]++;
	} else {
		survival->joined[entry]++;
		survival->unseen[entry] += 1 - share_after(entry, from_ns);
	}
	if (event) {
		survival->events[bucket]++;
		if (ns > survival->last_event_ns)
			survival->last_event_ns = ns;
	} else {
		survival->censored[bucket]++;
		survival->unseen[bucket] += share_after(bucket, ns);
	}
}

void survival_merge(struct survival *survival, const struct survival *other)
{
	unsigned i;

	survival->nr += other->nr;
	if (other->last_event_ns > survival->last_event_ns)
		survival->last_event_ns = other->last_event_ns;
	for (i = 0; i < HIST_NR_BUCKETS; i++) {
		survival->begun[i] += other->begun[i];
		survival->joined[i] += other->joined[i];
		survival->unseen[i] += other->unseen[i];
		survival->events[i] += other->events[i];
		survival->censored[i] += other->censored[i];
	}
}

bool survival_next(const struct survival *survival, struct survival_step *step)
{
	unsigned i = step->is_begun ? step->bucket + 1 : 0;
	double alive;

	if (!step->is_begun)
		*step = (struct survival_step){ .is_begun = true, .alive = 1 };
	for (; i < HIST_NR_BUCKETS; i++) {
		step->at_risk = step->nr_left + survival->begun[i] + survival->joined[i];
		step->nr_left = step->at_risk - survival->events[i] - survival->censored[i];
		if (!survival->events[i] && !survival->censored[i])
			continue;
		step->bucket = i;
		step->exposure = step->at_risk - survival->unseen[i];
		alive = 1 - (double)survival->events[i] / step->at_risk;
		step->alive *= survival->unseen[i] > 0 ?
				       pow(alive, step->at_risk / step->exposure) :
				       alive;
		return true;
	}
	return false;
}

bool survival_quantile(const struct survival *survival, double q, uint64_t *ns)
{
	struct survival_step step = { 0 };
	double before = 1, fraction;

	while (survival_next(survival, &step)) {
		/* 1 - 1/10 * ... may miss 0.9 by a rounding error */
		if (1 - step.alive >= q - 1e-12) {
			fraction = (before - (1 - q)) / (before - step.alive);
			*ns = hist_within(step.bucket, fraction < 1 ? fraction : 1, 0,
					  survival->last_event_ns);
			return true;
		}
		before = step.alive;
	}
	return false;
}

double survival_at(const struct survival *survival, uint64_t ns)
{
	struct survival_step step = { 0 };
	double alive = 1;

	while (survival_next(survival, &step)) {
		uint64_t first = hist_within(step.bucket, 0, 0, survival->last_event_ns);
		uint64_t last = hist_within(step.bucket, 1, 0, survival->last_event_ns);

		if (first > ns)
			break;
		if (last > ns)
			return alive + (step.alive - alive) * (ns - first + 1) / (last - first + 1);
		alive = step.alive;
	}
	return alive;
}

uint64_t survival_at_risk(const struct survival *survival, uint64_t ns)
{
	uint64_t at_risk = 0;
	unsigned i;

	for (i = 0; i < HIST_NR_BUCKETS && hist_bucket_max(i) <= ns; i++)
		at_risk += survival->begun[i] + survival->joined[i] - survival->events[i] -
			   survival->censored[i];
	return at_risk + (i < HIST_NR_BUCKETS ? survival->begun[i] : 0);
}

bool survival_logrank(const struct survival *a, const struct survival *b, struct logrank *ret)
{
	struct logrank sum = { 0 };
	double risk_a = 0, risk_b = 0, nr_events = 0;
	unsigned i;

	for (i = 0; i < HIST_NR_BUCKETS; i++) {
		double events = (double)a->events[i] + b->events[i], risk;

		risk_a += (double)a->begun[i] + a->joined[i];
		risk_b += (double)b->begun[i] + b->joined[i];
		risk = risk_a + risk_b;
		if (events) {
			double share = (risk_b - b->unseen[i]) /
				       (risk - a->unseen[i] - b->unseen[i]);

			nr_events += events;
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
	sum.rate_ratio = nr_events > sum.observed ?
				 sum.observed / sum.expected * (nr_events - sum.expected) /
					 (nr_events - sum.observed) :
				 NAN;
	sum.chi2 = (sum.observed - sum.expected) * (sum.observed - sum.expected) / sum.variance;
	sum.p = stats_chi2_p(sum.chi2);
	*ret = sum;
	return true;
}
