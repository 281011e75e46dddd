/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A histogram of 64-bit values with a relative error of at most 1/16: values
 * below 16 have a bucket each, others one of 16 per power of two.
 */
#ifndef FOLIOSCOPE_HIST_H
#define FOLIOSCOPE_HIST_H

#include <stdint.h>

#define HIST_SUB_BITS 4
#define HIST_NR_BUCKETS ((64 - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

/* All zero is empty. */
struct hist {
	uint64_t nr;
	uint64_t min, max;	/* exact; meaningful if nr > 0 */
	double sum;
	uint64_t buckets[HIST_NR_BUCKETS];
};

/* hist_merge(): count all values of @other too. */
void hist_merge(struct hist *hist, const struct hist *other);

/* hist_bucket(): the bucket of @value; hist_bucket_max(): its largest value. */
static inline unsigned hist_bucket(uint64_t value)
{
	unsigned shift;

	if (value < 1u << HIST_SUB_BITS)
		return value;
	/* what remains of it are HIST_SUB_BITS + 1 bits, the highest always set */
	shift = 63 - HIST_SUB_BITS - __builtin_clzll(value);
	return (shift << HIST_SUB_BITS) + (value >> shift);
}

uint64_t hist_bucket_max(unsigned bucket);

/* hist_width(): by how much two values of the bucket of @value may differ, at most. */
uint64_t hist_width(uint64_t value);

/* hist_add(): count @value once. */
static inline void hist_add(struct hist *hist, uint64_t value)
{
	if (!hist->nr || value < hist->min)
		hist->min = value;
	if (value > hist->max)
		hist->max = value;
	hist->nr++;
	hist->sum += value;
	hist->buckets[hist_bucket(value)]++;
}

/*
 * hist_within(): the value at @fraction (0 to 1) of @bucket as far as it is in
 * @min to @max, as if values were spread evenly there.
 */
uint64_t hist_within(unsigned bucket, double fraction, uint64_t min, uint64_t max);

/*
 * hist_quantile(): where the fraction @q of all values is reached (0 < @q <= 1).
 * The bucket is that of the exact quantile; within it values are taken to be spread
 * evenly. The least and the greatest value are exact. 0 if there is none.
 */
uint64_t hist_quantile(const struct hist *hist, double q);

/* To be printed below quantiles, of survival too. */
#define HIST_RESOLUTION_TEXT "quantiles are interpolated within steps of 1/16: up to 6% off"

#endif /* FOLIOSCOPE_HIST_H */
