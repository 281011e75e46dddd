/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's counters as far as events decide them, under the names of
 * /proc/vmstat and memory.stat. All are pages. pswpin includes swpin_zero, the
 * pages of zeros that need not be read.
 */
#ifndef FOLIOSCOPE_COUNTERS_H
#define FOLIOSCOPE_COUNTERS_H

#include "analysis.h"

#define COUNTER_LIST(X)							\
	X(pgscan_kswapd)						\
	X(pgscan_direct)						\
	X(pgscan_khugepaged)						\
	X(pgscan_anon)							\
	X(pgscan_file)							\
	X(pgsteal_kswapd)						\
	X(pgsteal_direct)						\
	X(pgsteal_khugepaged)						\
	X(pgsteal_anon)							\
	X(pgsteal_file)							\
	X(pgrefill)							\
	X(pgactivate)							\
	X(pgdeactivate)							\
	X(pgrotated)							\
	X(pglazyfree)							\
	X(pglazyfreed)							\
	X(workingset_refault_anon)					\
	X(workingset_refault_file)					\
	X(workingset_activate_anon)					\
	X(workingset_activate_file)					\
	X(workingset_restore_anon)					\
	X(workingset_restore_file)					\
	X(pswpin)

enum counter {
#define X(name) COUNTER_##name,
	COUNTER_LIST(X)
#undef X
	COUNTER_NR
};

/* counter_name(): as /proc/vmstat prints it; static. */
const char *counter_name(enum counter counter);

/*
 * counters_values(): of the analysis "counters", whose state is @self: COUNTER_NR
 * totals of the recording.
 */
const uint64_t *counters_values(const void *self);

/*
 * counter_is_whole(): events tell all of @counter where folios were on the lists of
 * @lru. Scans, list moves and refaults of the classic LRU have no events, and
 * without those it is not known for whom a folio was reclaimed.
 */
bool counter_is_whole(enum counter counter, enum model_lru lru);

/* One memcg alone, as its memory.stat counts, without its descendants. */
struct counters_memcg {
	uint64_t memcg;		/* cgroup id */
	uint64_t values[COUNTER_NR];
};

/*
 * counters_memcgs(): all that had an event so far, *@nr of them; the analysis's,
 * until the next event. memory.stat counts pgscan_*, pgsteal_* and pgrefill
 * whoever reclaims; vmstat only where the reclaim is not of a memcg.
 */
const struct counters_memcg *counters_memcgs(const void *self, uint32_t *nr);

#endif /* FOLIOSCOPE_COUNTERS_H */
