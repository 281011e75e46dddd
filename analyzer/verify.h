/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of folioscope verify: each compares one kind of the kernel's own
 * numbers with the model and prints what differs.
 */
#ifndef FOLIOSCOPE_VERIFY_H
#define FOLIOSCOPE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "counters.h"
#include "pipeline.h"
#include "snapshot.h"

/* The lists, folio by folio, against lru_gen_folios. */
struct verify_lists {
	struct pipeline *p;
	struct snapshot_folios folios;
	bool *done;			/* per lruvec of folios */
	/* folios whose generation a walk was about to change, or had just */
	struct verify_flight {
		uint64_t pfn;
		uint64_t ts_ns;		/* of the snapshot */
		const struct snapshot_list *list;
		int8_t gen, our_gen;
	} *flights;
	unsigned nr_flights, nr_flights_alloc;
	uint64_t nr_lists, nr_folios, nr_differ, nr_skipped;
	uint64_t nr_gens_differ, nr_settled;
	unsigned nr_unmatched;		/* lruvecs without their event */
	bool out_of_memory;
};

/*
 * verify_lists_init(): read @path, saved from lru_gen_folios. The caller
 * releases *@v in any case. Returns 0 or a negative enum err with @diag filled.
 */
int verify_lists_init(struct verify_lists *v, struct pipeline *p, const char *path,
		      struct diag *diag);

/* verify_lists_event(): each event, before the model has seen it. */
void verify_lists_event(struct verify_lists *v, const struct event *ev);

/*
 * verify_lists_finish(): after the last event: print the summary. Returns
 * whether anything differs, or -ERR_NOMEM.
 */
int verify_lists_finish(struct verify_lists *v);

/* verify_lists_release(): free what it holds. */
void verify_lists_release(struct verify_lists *v);

/* The counters at one moment of the recording. */
struct verify_counts {
	bool seen;
	uint64_t values[COUNTER_NR];
	struct counters_memcg *memcgs;
	uint32_t nr_memcgs;
};

/* The kernel read its numbers between begin and end. */
struct verify_span {
	struct verify_counts begin, end;
};

/* Counters against vmstat and memory.stat, by how much they grew. */
struct verify_counters {
	struct pipeline *p;
	struct verify_span before, after;		/* vmstat */
	struct verify_span stats_before, stats_after;	/* memory.stat */
	/* the classic LRU, of which no event tells, was on for a time in between */
	bool had_classic;
	uint32_t nr_classic;		/* lruvecs now on the classic LRU */
	uint64_t nr, nr_differ, nr_explained;
	bool out_of_memory;
};

/* verify_counters_take(): note the counters of now in @counts. */
void verify_counters_take(struct verify_counters *v, struct verify_counts *counts);

/* verify_counters_event(): each event, before the model has seen it. */
void verify_counters_event(struct verify_counters *v, const struct event *ev);

/*
 * verify_counters_vmstat(): compare two files saved from /proc/vmstat, print a
 * table. Returns 0 or a negative enum err with @diag filled.
 */
int verify_counters_vmstat(struct verify_counters *v, const char *before, const char *after,
			   struct diag *diag);

/*
 * verify_counters_memcgs(): the same for every cgroup, from the files memcgs and
 * memory.stat in two folders. Prints what differs; everything with @verbose.
 */
int verify_counters_memcgs(struct verify_counters *v, const char *before, const char *after,
			   bool verbose, struct diag *diag);

/* verify_counters_release(): free what it holds. */
void verify_counters_release(struct verify_counters *v);

#endif /* FOLIOSCOPE_VERIFY_H */
