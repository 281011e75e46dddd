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

static uint64_t bucket_min(unsigned bucket)
{
	return bucket ? hist_bucket_max(bucket - 1) + 1 : 0;
}

uint64_t hist_width(uint64_t value)
{
	unsigned bucket = hist_bucket(value);

	return hist_bucket_max(bucket) - bucket_min(bucket);
}

uint64_t hist_within(unsigned bucket, double fraction, uint64_t min, uint64_t max)
{
	uint64_t low = bucket_min(bucket), high = hist_bucket_max(bucket);

	low = low > min ? low : min;
	high = high < max ? high : max;
	return low + (uint64_t)(fraction * (high - low));
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
	uint64_t rank = q * hist->nr, below = 0;
	unsigned i;

	if (!hist->nr)
		return 0;
	if (rank < q * hist->nr || !rank)
		rank++;
	if (rank == 1)
		return hist->min;
	if (rank >= hist->nr)
		return hist->max;
	for (i = 0; below + hist->buckets[i] < rank; i++)
		below += hist->buckets[i];
	/* each value in the middle of its share of the bucket */
	return hist_within(i, (rank - below - 0.5) / hist->buckets[i], hist->min, hist->max);
}
