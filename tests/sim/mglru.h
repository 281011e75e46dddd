/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated machine that plays the multi-gen LRU of 6.12 and knows the truth.
 *
 * It follows the kernel's rules: where lru_gen_add_folio() puts a folio, what
 * sort_folio() and inc_min_seq() move, what reclaim may do with what it has
 * isolated, when a pfn is free for the next folio.  Lists are plain arrays,
 * lives a list, violations are counted pair by pair: nothing is shared with
 * the model that is to reproduce it.
 *
 * A history is a list of steps; each has a random seed of its own, so that a
 * history without some of its steps is much the same otherwise, which is how
 * failing ones are shrunk.
 */
#ifndef FOLIOSCOPE_TESTS_SIM_MGLRU_H
#define FOLIOSCOPE_TESTS_SIM_MGLRU_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/abi.h"
#include "analyzer/event.h"
#include "analyzer/folio.h"

#define SIM_NR_GENS 4
#define SIM_MAX_NODES 2
#define SIM_MAX_ZONES 3
#define SIM_MAX_CPUS 4
#define SIM_MAX_MEMCGS 8
#define SIM_MAX_LRUVECS (SIM_MAX_MEMCGS * SIM_MAX_NODES)
#define SIM_MAX_STEPS 2048

/* What is played; the same script plays the same history. */
struct sim_script {
	uint64_t seed;			/* of the machine and its habits */
	unsigned nr_steps;
	uint64_t steps[SIM_MAX_STEPS];
};

/* One list, old end first. */
struct sim_list {
	uint32_t nr, nr_alloc;
	uint32_t *pfns;
};

struct sim_lruvec {
	uint64_t memcg;			/* cgroup id */
	int nid;
	bool exists, enabled;
	uint64_t max_seq, min_seq[TYPE_NR];
	struct sim_list lists[SIM_NR_GENS][TYPE_NR][SIM_MAX_ZONES];
	int64_t nr_pages[SIM_NR_GENS][TYPE_NR];	/* by the flags */
	uint64_t nr_reclaimed[TYPE_NR];		/* pages */
};

/* An end that no event tells: the model says reused, or resident. */
#define SIM_END_SILENT END_NR

struct sim_life {
	uint64_t pfn;
	uint64_t birth_ns, end_ns;	/* end_ns of a silent end: not before */
	uint8_t birth, end;
	uint8_t order;			/* at its end */
	uint8_t type;			/* likewise */
	uint16_t nr_promoted, nr_protected, nr_isolated;
};

struct sim_refault {
	uint64_t pfn, ts_ns;
	bool is_chained;		/* its eviction was seen */
	uint64_t distance_ns, distance_pages, distance_gens;
};

struct sim_v1 {
	uint64_t nr_runs, nr_moves, nr_pairs, nr_reversed, longest;
};

struct sim_v2 {
	uint64_t nr, nr_folios, nr_pairs, max_gap_gens;
};

struct sim_v3 {
	uint64_t nr, sum_older, max_older;
};

struct sim_truth {
	struct sim_life *lives;
	unsigned nr_lives, nr_lives_alloc;
	struct sim_refault *refaults;
	unsigned nr_refaults, nr_refaults_alloc;
	struct sim_v1 v1[SITE_NR];
	struct sim_v2 v2[SITE_NR];
	struct sim_v3 v3[TYPE_NR];
	uint64_t nr_reclaimed[TYPE_NR];		/* folios */
	uint64_t lazy_pairs, lazy_reversed;
	uint64_t nr_marked, nr_lazyfreed, nr_redirtied, nr_released, nr_file_first;
	uint64_t nr_regretted[TYPE_NR];
};

struct sim;

/* sim_script_init(): @nr_steps random ones. */
void sim_script_init(struct sim_script *script, uint64_t seed, unsigned nr_steps);

/* sim_play(): the whole history; to be freed with sim_free(). */
struct sim *sim_play(const struct sim_script *script);
void sim_free(struct sim *sim);

/* sim_events(): in the order of time; the sim's.  No two at one time. */
const struct event *sim_events(const struct sim *sim, unsigned *nr);

/* sim_nr_cpus(): events come from CPUs 0 to that. */
unsigned sim_nr_cpus(const struct sim *sim);

/* sim_lruvec(): by number, NULL beyond the last; may not exist. */
const struct sim_lruvec *sim_lruvec(const struct sim *sim, unsigned number);

/* sim_truth(): lives that go on have end END_RESIDENT and the last time. */
const struct sim_truth *sim_truth(const struct sim *sim);

/* sim_page_order(): of the folio whose first page is @pfn. */
unsigned sim_folio_order(const struct sim *sim, uint32_t pfn);

#endif /* FOLIOSCOPE_TESTS_SIM_MGLRU_H */
