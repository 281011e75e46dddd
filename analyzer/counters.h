/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's vmstat counters as far as events decide them, under the names of
 * /proc/vmstat. All are pages.
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
	X(pgsteal_anon)							\
	X(pgsteal_file)							\
	X(pgrefill)							\
	X(pgrotated)							\
	X(pglazyfree)							\
	X(pglazyfreed)							\
	X(workingset_refault_anon)					\
	X(workingset_refault_file)					\
	X(workingset_activate_anon)					\
	X(workingset_activate_file)					\
	X(workingset_restore_anon)					\
	X(workingset_restore_file)

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

#endif /* FOLIOSCOPE_COUNTERS_H */
