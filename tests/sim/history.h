/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cheap endless history of folios that obeys the kernel's rules per folio:
 * added, promoted through page tables, sorted, isolated, evicted, faulted in
 * again.  For tests of the reader and for benchmarks; nothing is said about the
 * order of lists.
 */
#ifndef FOLIOSCOPE_TESTS_SIM_HISTORY_H
#define FOLIOSCOPE_TESTS_SIM_HISTORY_H

#include "analyzer/event.h"

struct history {
	uint64_t seed, ts_ns, interval_ns;
	uint32_t nr_folios;
	unsigned nr_cpus;
	uint8_t *states;	/* per folio */
};

/* history_init(): events from @ts_ns on, about every @interval_ns. */
void history_init(struct history *history, uint64_t seed, uint32_t nr_folios,
		  unsigned nr_cpus, uint64_t ts_ns, uint64_t interval_ns);
void history_release(struct history *history);

/*
 * history_next(): fill @ev whole; ev->cpu is 0 to nr_cpus - 1; times rise by at
 * least 1 from event to event.
 */
void history_next(struct history *history, struct event *ev);

/* history_random(): the next of its random numbers. */
uint64_t history_random(struct history *history);

#endif /* FOLIOSCOPE_TESTS_SIM_HISTORY_H */
