/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the ring buffer's clock to the times that are shown: guest to host
 * (TIME_SHIFT), TSC to ns (TSC2NSEC), then DATE and OFFSET.
 */
#ifndef FOLIOSCOPE_TIMECONV_H
#define FOLIOSCOPE_TIMECONV_H

#include "container.h"

struct timeconv {
	bool is_plain;		/* only @add_ns is applied */
	uint64_t add_ns;	/* modulo 2^64 */
	bool add_is_negative;
	const struct container *c;
};

/*
 * timeconv_init(): from the options of @c, which must outlive it.
 * Returns 0 or -ERR_BAD_TIME if DATE and OFFSET together overflow.
 */
int timeconv_init(struct timeconv *conv, const struct container *c);

/* timeconv_slow(): for all that is not plain. */
bool timeconv_slow(const struct timeconv *conv, unsigned cpu, uint64_t ts,
		   uint64_t *ret_ns);

/*
 * timeconv_apply(): @ts of @cpu in nanoseconds (or raw units, where the clock
 * has no other).  Returns false if the result does not fit; *@ret_ns is then
 * untouched.
 */
static inline bool timeconv_apply(const struct timeconv *conv, unsigned cpu,
				  uint64_t ts, uint64_t *ret_ns)
{
	uint64_t sum;

	if (__builtin_expect(!conv->is_plain, 0))
		return timeconv_slow(conv, cpu, ts, ret_ns);
	sum = ts + conv->add_ns;
	if (__builtin_expect((sum < ts) != conv->add_is_negative, 0) &&
	    conv->add_ns)
		return false;
	*ret_ns = sum;
	return true;
}

#endif /* FOLIOSCOPE_TIMECONV_H */
