// SPDX-License-Identifier: GPL-2.0-only
#include "timeconv.h"

#define TSYNC_INTERPOLATE	1u

int timeconv_init(struct timeconv *conv, const struct container *c)
{
	int64_t add;

	if (__builtin_add_overflow(c->info.date_ns, c->info.offset_ns, &add))
		return -ERR_BAD_TIME;
	conv->add_ns = (uint64_t)add;
	conv->add_is_negative = add < 0;
	conv->c = c;
	conv->is_plain = !c->has_tsc2nsec && !c->nr_tsync;
	return 0;
}

/* Offset and scaling between two neighbouring samples. */
static bool timeconv_tsync_pair(const struct timeconv *conv,
				const struct container_tsync_sample *lo,
				const struct container_tsync_sample *hi,
				uint64_t ts, uint64_t *ret)
{
	__int128 shift = lo->offset, sum;
	unsigned __int128 scaled = (unsigned __int128)ts * lo->scaling;

	if (conv->c->tsync_flags & TSYNC_INTERPOLATE) {
		__int128 delta = (__int128)hi->time - lo->time;
		__int128 part = ((__int128)ts - lo->time) *
				((__int128)hi->offset - lo->offset);

		/* distinct and rising: checked when the option was read */
		shift += (part + delta / 2) / delta;
	}
	sum = (__int128)(scaled >> lo->fraction) + shift;
	if (sum < 0 || sum > UINT64_MAX)
		return false;
	*ret = sum;
	return true;
}

static bool timeconv_tsync(const struct timeconv *conv, unsigned cpu,
			   uint64_t ts, uint64_t *ret)
{
	const struct container_tsync_cpu *tsync;
	uint32_t lo, hi;

	*ret = ts;
	if (cpu >= conv->c->nr_tsync)
		return true;
	tsync = &conv->c->tsync[cpu];
	if (!tsync->nr_samples)
		return true;
	if (tsync->nr_samples == 1) {
		__int128 sum = (__int128)ts + tsync->samples[0].offset;

		if (sum < 0 || sum > UINT64_MAX)
			return false;
		*ret = sum;
		return true;
	}
	/* the last pair of neighbours whose first is not later than ts */
	lo = 0;
	hi = tsync->nr_samples - 1;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if ((__int128)ts < tsync->samples[mid].time)
			hi = mid;
		else
			lo = mid;
	}
	return timeconv_tsync_pair(conv, &tsync->samples[lo],
				   &tsync->samples[lo + 1], ts, ret);
}

bool timeconv_slow(const struct timeconv *conv, unsigned cpu, uint64_t ts,
		   uint64_t *ret_ns)
{
	const struct container *c = conv->c;
	__int128 sum;

	if (c->nr_tsync && !timeconv_tsync(conv, cpu, ts, &ts))
		return false;
	if (c->has_tsc2nsec) {
		unsigned __int128 ns = (unsigned __int128)ts * c->tsc_mult >>
				       c->tsc_shift;

		if (ns > UINT64_MAX)
			return false;
		ts = ns;
	}
	sum = (__int128)ts + (int64_t)conv->add_ns;
	if (sum < 0 || sum > UINT64_MAX)
		return false;
	*ret_ns = sum;
	return true;
}
