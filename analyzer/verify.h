/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of folioscope verify: each compares one kind of the kernel's own
 * numbers with the model, prints what differs and remembers where to look for the
 * cause (struct verify_parting).
 *
 * The kernel is asked at several moments. Asking takes time, so the recording
 * marks where it begins and ends (text in trace_marker that contains "snapshot
 * NAME begin" and "snapshot NAME end"); a value that the events change between
 * the marks has no one expected value and is compared with the range it went
 * through.
 */
#ifndef FOLIOSCOPE_VERIFY_H
#define FOLIOSCOPE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "counters.h"
#include "marks.h"
#include "pipeline.h"
#include "snapshot.h"

/* The files of a moment, by their names in a folder of snapshots. */
#define VERIFY_FILE_LIST(X)						\
	X(LRU_GEN, "lru_gen")						\
	X(FOLIOS, "lru_gen_folios")					\
	X(VMSTAT, "vmstat")						\
	X(MEMCGS, "memcgs")						\
	X(STATS, "memory.stat")

enum verify_file {
#define X(name, text) VERIFY_##name,
	VERIFY_FILE_LIST(X)
#undef X
	VERIFY_NR_FILES
};

/* The counters at one moment of the recording. */
struct verify_counts {
	bool seen;
	uint64_t values[COUNTER_NR];
	struct counters_memcg *memcgs;
	uint32_t nr_memcgs;
};

/* The kernel read its counters between begin and end. */
struct verify_span {
	struct verify_counts begin, end;
	uint64_t begin_ns, end_ns;
};

/* A lruvec while the kernel was asked: how far each size went. */
struct verify_range {
	struct lruvec last;		/* as it was at the latest event */
	int64_t least[MODEL_MAX_GENS][TYPE_NR];
	int64_t most[MODEL_MAX_GENS][TYPE_NR];
	bool agreed[MODEL_MAX_GENS][TYPE_NR];	/* with what the kernel printed */
};

/* A list of lru_gen_folios that was equal. */
struct verify_equal {
	const struct snapshot_list *list;
	uint64_t ts_ns;
};

/* A time at which the kernel was asked. */
struct verify_moment {
	char name[64];
	struct snapshot_file files[VERIFY_NR_FILES];
	char *paths[VERIFY_NR_FILES];	/* names of files[], owned */
	bool begun, ended;		/* by its marks */
	bool is_outside;		/* it has none, and the end of what was read is no moment */
	struct verify_span vmstat, stats;
	struct verify_range *ranges;	/* by number of the lruvec */
	uint32_t nr_ranges;
	bool counter_agreed[COUNTER_NR];	/* of vmstat, compared with the first moment */
	struct snapshot_folios folios;	/* from files[VERIFY_FOLIOS] */
	bool *done;			/* per lruvec of folios: its event was seen */
	uint64_t *compared_ns;		/* per lruvec of folios; 0: it is not known */
	bool has_more_lists;		/* we have lists that the kernel did not print */
	struct verify_equal *equals;
	unsigned nr_equals;
};

enum verify_what { VERIFY_SIZE, VERIFY_COUNTER, VERIFY_LIST };

/* An event that bears on a difference. */
struct verify_event {
	bool is_known;
	uint64_t ts_ns, pfn;
	uint16_t cpu;
	uint8_t kind, site;
};

/*
 * A difference, and the stretch of the recording in which the two have parted: they
 * were equal at from_ns and are not at to_ns.
 */
struct verify_parting {
	enum verify_what what;
	char name[160];
	const char *at;			/* name of the moment that differs */
	const char *since;		/* of the last that was equal, or how else they were */
	uint64_t from_ns, to_ns;
	/* VERIFY_SIZE: of this lruvec; VERIFY_LIST only memcg and nid */
	uint64_t memcg;
	int nid;
	unsigned gen, type;
	/* VERIFY_COUNTER: of vmstat ("") or of the cgroup at path and those below it */
	enum counter counter;
	char path[256];
	uint64_t base_ns, limit;	/* since base_ns the kernel counted no more than limit */
	bool has_limit;			/* we counted more */
	/* VERIFY_LIST: the first place that differs; UINT64_MAX: the list has ended */
	uint64_t theirs_pfn, ours_pfn;

	/* found by verify_locate() */
	uint64_t nr_events, nr_pages;	/* nr_pages: counted since base_ns */
	struct verify_event first, last;	/* in the stretch, that bear on it */
	struct verify_event passed;	/* from here on we have more than the kernel */
	struct verify_event theirs, ours;	/* that moved the two folios last */
};

/* More differences than these are counted, but not located. */
#define VERIFY_MAX_PARTINGS 48

struct verify {
	struct pipeline *p;
	const char *path;
	bool verbose;
	const char *columns;	/* heading of a table without any row yet */
	struct marks marks;		/* their texts */
	struct verify_moment *moments;	/* in order of time; the first is "before" or the only */
	unsigned nr_moments;
	bool has_before;
	struct verify_moment *open;	/* begun and not ended */

	/* sizes */
	uint64_t nr_cells, nr_cells_differ, nr_cells_moving, nr_cells_skipped;
	/* counters */
	uint64_t nr_counters, nr_counters_differ, nr_counters_explained;
	uint64_t nr_unjudged;		/* cells, lists and counters, see verify_can_judge_*() */
	unsigned nr_memcgs_unknown;	/* not compared: what they had at the beginning */
	/* the classic LRU, of which no event tells, was on since the first moment */
	bool had_classic;
	uint32_t nr_classic;		/* lruvecs now on the classic LRU */
	/* lists; generations that a walk was about to change, or had just */
	struct verify_flight {
		uint64_t pfn;
		uint64_t ts_ns;		/* of the snapshot */
		const struct snapshot_list *list;
		int8_t gen, our_gen;
	} *flights;
	unsigned nr_flights, nr_flights_alloc;
	uint64_t nr_lists, nr_folios, nr_lists_differ, nr_lists_skipped;
	uint64_t nr_gens_differ, nr_settled;
	unsigned nr_unmatched;		/* lruvecs of lru_gen_folios without their event */
	unsigned nr_outside;		/* and those that are, or may be, of another part */

	struct verify_parting partings[VERIFY_MAX_PARTINGS];
	unsigned nr_partings;
	uint64_t nr_partings_more;
	bool out_of_memory;
};

/*
 * What a recording with a filter or a sample of folios cannot tell: sizes and
 * lists of folios, and counters, are judged only where all that bears on them was
 * recorded. @memcg 0: of vmstat.
 */
bool verify_can_judge_folios(const struct verify *v, uint64_t memcg, unsigned type);
bool verify_can_judge_counter(const struct verify *v, enum counter counter, uint64_t memcg);

/*
 * verify_is_cut(): is this less than was recorded, by time: a part that ends before the
 * whole, or a pass that was interrupted?
 */
bool verify_is_cut(const struct verify *v);

/* verify_begin_row(): print the heading of the table, before its first row. */
void verify_begin_row(struct verify *v);

/*
 * verify_add_parting(): a new one, all zero but @what, for the caller to fill; NULL
 * if there are too many.
 */
struct verify_parting *verify_add_parting(struct verify *v, enum verify_what what);

/* Sizes: lru_gen against the model. */
/* verify_sizes_begin(): @m begins: from here on, sizes may be any they go through. */
void verify_sizes_begin(struct verify *v, struct verify_moment *m);
/* verify_sizes_event(): each event after the model has seen it, while @m is open. */
void verify_sizes_event(struct verify *v, struct verify_moment *m, const struct event *ev);
/*
 * verify_sizes(): compare moment number @at, print what differs. Returns 0 or a
 * negative enum err with @diag filled.
 */
int verify_sizes(struct verify *v, unsigned at, struct diag *diag);

/* Counters: vmstat and memory.stat, by how much they grew since the first moment. */
/* verify_counters_take(): note the counters of now in @counts. */
void verify_counters_take(struct verify *v, struct verify_counts *counts);
/* verify_counters_event(): each event, before the model has seen it. */
void verify_counters_event(struct verify *v, const struct event *ev);
/*
 * verify_counters(): compare moment number @at with the first and print tables:
 * all of vmstat, of cgroups what differs. Returns like verify_sizes().
 */
int verify_counters(struct verify *v, unsigned at, struct diag *diag);

/* Lists: lru_gen_folios, folio by folio. */
/* verify_lists_read(): before the pass, read those of @m. Returns like verify_sizes(). */
int verify_lists_read(struct verify *v, struct verify_moment *m, struct diag *diag);
/* verify_lists_event(): each event, before the model has seen it. */
void verify_lists_event(struct verify *v, const struct event *ev);
/* verify_lists_finish(): after the last event: print the summary. */
void verify_lists_finish(struct verify *v);

/*
 * verify_locate(): read the recording once more, and find for each parting the
 * events that bear on it. Returns 0 or a negative enum err with @diag filled.
 */
int verify_locate(struct verify *v, const struct pipeline_opts *opts, struct diag *diag);

/* verify_render_partings(): print them. */
void verify_render_partings(const struct verify *v);

/* verify_release(): free what it holds, but not the pipeline. */
void verify_release(struct verify *v);

#endif /* FOLIOSCOPE_VERIFY_H */
