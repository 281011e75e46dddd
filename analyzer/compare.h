/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs of a base against runs of a patch: rows of numbers with a verdict each,
 * survival, refault distances, conditions (formats/compare.md).
 *
 * A run is a recording or a counter file. The unit of evidence is the run: what
 * happened to a million folios of one run is one value of a row.
 */
#ifndef FOLIOSCOPE_COMPARE_H
#define FOLIOSCOPE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "counterfile.h"
#include "hist.h"
#include "pipeline.h"
#include "stats.h"
#include "survival.h"

enum compare_side { COMPARE_BASE, COMPARE_PATCH, COMPARE_NR_SIDES };

/* compare_side_name(): "base" or "patch". */
const char *compare_side_name(enum compare_side side);

enum refault_distance { DISTANCE_NS, DISTANCE_PAGES, DISTANCE_GENS, DISTANCE_NR };

/* One run. */
struct compare_run {
	const char *path;		/* the caller's */
	struct stat file;		/* all 0: none */
	bool is_recording;
	enum exit_status status;	/* of the recording: STATUS_OK or STATUS_LOSSY */
	struct counterfile counters;
	unsigned nr_from_events;	/* of counters, the first */
	unsigned nr_read;		/* those from files follow; the rest is computed */
	struct counterfile resolutions;	/* of the counters that are quantiles, see
					   hist_quantile(): they are off by at most that */
	struct conditions conditions;
	/* of recordings, by type */
	struct survival *survival;
	struct hist (*distances)[DISTANCE_NR];
};

enum compare_method { COMPARE_WELCH, COMPARE_BOOTSTRAP };

struct compare_opts {
	double confidence;		/* 0: 0.95 */
	double power;			/* 0: 0.8; of the smallest effect */
	enum compare_method method;
	unsigned nr_resamples;		/* 0: 9999 */
	uint64_t seed;
	const char *per;		/* divide each run's rows by this one; NULL: no */
	unsigned nr_only;		/* 0: all rows */
	const char *const *only;	/* glob patterns; a row matches any */
	unsigned nr_sums;
	const char *const *sums;	/* "NAME=a+b+c" */
	unsigned nr_lower, nr_higher;
	const char *const *lower, *const *higher;	/* globs: rows better so */
};

enum compare_verdict {
	VERDICT_ONE_RUN,	/* a side has one run */
	VERDICT_ONE_SIDE,	/* a side has none */
	VERDICT_SAME,		/* all values are equal */
	VERDICT_LOSSY,		/* it comes from events, of which a run lost some */
	VERDICT_NONE,		/* no difference that so many runs can show */
	VERDICT_WITHIN,		/* one that the resolution of the values does not show */
	VERDICT_BETTER,
	VERDICT_WORSE,
	VERDICT_HIGHER,		/* where better and worse are not for us to say */
	VERDICT_LOWER,
	VERDICT_NR
};

/* compare_verdict_name(): "one run: no verdict", "better" and so on; static. */
const char *compare_verdict_name(enum compare_verdict verdict);

enum compare_direction { DIRECTION_UNKNOWN, DIRECTION_LOWER_IS_BETTER, DIRECTION_HIGHER_IS_BETTER };

struct compare_sample {
	unsigned nr;		/* runs that have the row */
	double *values;
	double mean, stddev;	/* stddev: of two runs or more */
};

struct compare_row {
	char *name;
	enum compare_direction direction;
	struct compare_sample samples[COMPARE_NR_SIDES];
	bool is_lossy;		/* events that a value comes from were lost, damaged or
				   contradictory */
	double resolution;	/* by which any value may be off; 0: exact */
	bool has_change;
	double change_percent;	/* of the base's mean, signed; infinite from 0 */
	bool is_within;		/* there is a change, and it is not above the resolution */
	bool is_tested;		/* the three below are valid */
	struct stats_change change;
	double p_holm;
	double p_rank_sum;
	enum compare_verdict verdict;
};

/* Survival of one type, both sides, all runs of each. */
struct compare_survival {
	bool is_valid;
	struct survival *sides;		/* COMPARE_NR_SIDES */
	bool is_lossy;			/* as of a row: no p_runs */
	bool has_logrank;
	struct logrank logrank;		/* folios taken as independent, pooled */
	bool has_p_runs;
	double p_runs;			/* runs permuted between the sides */
	uint64_t nr_permutations;	/* tried; all there are if is_exact */
	bool is_exact;
};

struct compare {
	struct compare_opts opts;
	unsigned nr_runs[COMPARE_NR_SIDES];
	struct compare_run *runs[COMPARE_NR_SIDES];
	unsigned nr_rows, nr_rows_alloc;
	struct compare_row *rows;
	unsigned nr_zero;		/* rows left out: zero in every run */
	unsigned nr_tests;		/* rows that Holm's correction is for */
	bool has_recordings;
	struct compare_survival survival[2];		/* by type */
	struct hist (*distances[2])[DISTANCE_NR];	/* [type] -> [side][distance] */
};

/*
 * compare_init(): an empty comparison; strings and arrays in @opts stay the
 * caller's and must live as long.
 */
void compare_init(struct compare *compare, const struct compare_opts *opts);

/* compare_release(): free everything. */
void compare_release(struct compare *compare);

/*
 * compare_add(): load @path, a recording, a folder that holds trace.dat, or a
 * counter file, as a run of @side. The folder NAME beside a recording NAME.dat,
 * or else the folder that it is in, may have a file meta (key: value), before/
 * and after/ with vmstat, mglru and swaps: conditions and the kernel's own
 * counters are taken from there. A counter file's conditions
 * are its comments "# key: value" and the file PATH.meta. A file that is a run
 * of @side already is refused (-ERR_USAGE); the other side may have it.
 * Returns 0 or a negative enum err with @diag filled.
 */
int compare_add(struct compare *compare, enum compare_side side, const char *path,
		const struct pipeline_opts *opts, struct diag *diag);

/*
 * compare_add_counters(): the same for counters at hand, which are copied; @name
 * stands for the path. Returns 0 or -ERR_NOMEM.
 */
int compare_add_counters(struct compare *compare, enum compare_side side, const char *name,
			 const struct counterfile *counters);

/*
 * compare_evaluate(): make rows, verdicts, survival and distances of all runs
 * added. Returns 0, -ERR_NOMEM, or -ERR_NOT_FOUND with @diag filled if a row
 * that an option names is in no run.
 */
int compare_evaluate(struct compare *compare, struct diag *diag);

/* compare_find(): the row called @name, NULL if there is none. */
const struct compare_row *compare_find(const struct compare *compare, const char *name);

/*
 * compare_detectable(): the smallest change of @row, in its unit, that the runs
 * could have shown with probability opts.power, given their spread, their
 * resolution and the number of rows tested. False if the row was not tested or has no spread.
 */
bool compare_detectable(const struct compare *compare, const struct compare_row *row, double *ret);

/* A condition of all runs. */
struct compare_condition {
	const char *key;
	/* the value of all runs of a side that have one; NULL: they differ or have none */
	const char *values[COMPARE_NR_SIDES];
	unsigned nr_known[COMPARE_NR_SIDES];	/* runs that have it */
	bool differs;				/* not the same in all runs of both sides */
};

/*
 * compare_conditions(): all conditions of all runs, in the order of first
 * mention, without those that differ from run to run by nature. *@ret is an
 * array that the caller frees; the strings are the comparison's.
 * Returns their number or -ERR_NOMEM.
 */
int compare_conditions(const struct compare *compare, struct compare_condition **ret);

/*
 * compare_span(): smallest and largest of a numeric condition among the runs of
 * @side. False if no run has it.
 */
bool compare_span(const struct compare *compare, enum compare_side side, const char *name,
		  double *min, double *max);

enum compare_answer { COMPARE_HOLDS_NOT, COMPARE_HOLDS, COMPARE_UNKNOWN };

/*
 * compare_fails(): does the condition @text, "NAME>+5%" or "NAME<-5%", hold for
 * the change of the row NAME, which is none within its resolution? "worse" holds
 * if any verdict is worse, for which there must be two runs a side.
 * Returns an enum compare_answer, -ERR_USAGE if @text is not a condition,
 * -ERR_NOT_FOUND if there is no such row or a side has no value of it; @diag is
 * filled. It is unknown if all that could make it hold are rows without a verdict
 * for lossy data.
 */
int compare_fails(const struct compare *compare, const char *text, struct diag *diag);

#endif /* FOLIOSCOPE_COMPARE_H */
