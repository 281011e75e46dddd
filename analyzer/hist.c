// SPDX-License-Identifier: GPL-2.0-only
#include "hist.h"

#define SUB (1u << HIST_SUB_BITS)

uint64_t hist_bucket_max(unsigned bucket)
{
	unsigned log2, sub;

	if (bucket < SUB)
		return bucket;
	log2 = (bucket >> HIST_SUB_BITS) + HIST_SUB_BITS - 1;
	sub = bucket & (SUB - 1);
	return ((uint64_t)(SUB + sub) << (log2 - HIST_SUB_BITS)) +
	       ((1ull << (log2 - HIST_SUB_BITS)) - 1);
}

void hist_merge(struct hist *hist, const struct hist *other)
{
	unsigned i;

	if (!other->nr)
		return;
	if (!hist->nr || other->min < hist->min)
		hist->min = other->min;
	if (!hist->nr || other->max > hist->max)
		hist->max = other->max;
	hist->nr += other->nr;
	hist->sum += other->sum;
	for (i = 0; i < HIST_NR_BUCKETS; i++)
		hist->buckets[i] += other->buckets[i];
}

uint64_t hist_quantile(const struct hist *hist, double q)
{
	uint64_t rank = q * hist->nr, seen = 0, max;
	unsigned i;

	if (!hist->nr)
		return 0;
	if (rank < q * hist->nr || !rank)
		rank++;
	for (i = 0; i < HIST_NR_BUCKETS; i++) {
		seen += hist->buckets[i];
		if (seen >= rank)
			break;
	}
	max = hist_bucket_max(i);
	return max < hist->max ? max : hist->max;
}
