/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers for what the kernel says of itself, saved to a file: debugfs lru_gen,
 * debugfs lru_gen_folios (patches/v6.12/oracle), /proc/vmstat and memory.stat.
 * formats/snapshots.md has the layouts.
 *
 * All of them return 0 or a negative enum err; @diag then names file and line.
 */
#ifndef FOLIOSCOPE_SNAPSHOT_H
#define FOLIOSCOPE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* A file on disk, or a copy of one in memory. */
struct snapshot_file {
	const char *name;	/* path, or what messages call it; NULL: there is none */
	const char *bytes;	/* NULL: it is on disk */
	size_t size_bytes;
};

#define SNAPSHOT_MAX_GENS 8

/* One generation of one lruvec in lru_gen. */
struct snapshot_gen {
	uint64_t seq;
	uint64_t nr_pages[2];	/* by type */
	bool in_window[2];	/* the type has this generation ("x" marks no more) */
};

struct snapshot_lruvec {
	uint32_t memcg_id;
	int nid;
	char path[256];
	unsigned nr_gens;
	struct snapshot_gen gens[SNAPSHOT_MAX_GENS];
};

struct snapshot_lru_gen {
	unsigned nr, nr_alloc;
	struct snapshot_lruvec *lruvecs;
};

/*
 * snapshot_read_lru_gen(): read a copy of debugfs lru_gen. On success the caller
 * releases *@ret.
 */
int snapshot_read_lru_gen(struct snapshot_lru_gen *ret, const struct snapshot_file *file,
			  struct diag *diag);

/* snapshot_release_lru_gen(): free what it holds. */
void snapshot_release_lru_gen(struct snapshot_lru_gen *snapshot);

/* One list of lru_gen_folios, oldest first. */
struct snapshot_list {
	uint64_t memcg;		/* cgroup id */
	uint64_t mono_ns;	/* when it was taken, CLOCK_MONOTONIC */
	int nid;
	unsigned gen, zone;
	unsigned type;		/* or LIST_LAZYFREE */
	uint32_t nr, nr_alloc;
	struct snapshot_folio {
		uint64_t pfn;
		uint8_t order;
		int8_t gen;	/* in its flags */
	} *folios;
};

struct snapshot_folios {
	unsigned nr, nr_alloc;
	struct snapshot_list *lists;
	unsigned nr_lruvecs;	/* printed, with or without folios */
	struct snapshot_moment {
		uint64_t memcg;
		uint64_t mono_ns;
		int nid;
		char path[256];
	} *lruvecs;
};

/* snapshot_read_folios(): like snapshot_read_lru_gen(), of lru_gen_folios. */
int snapshot_read_folios(struct snapshot_folios *ret, const struct snapshot_file *file,
			 struct diag *diag);

/*
 * snapshot_find_moment(): the lruvec of the file whose copying ended with an
 * event at @ts_ns that names @memcg and @nid: the one with the latest mono_ns not
 * after it. The same is found for every later event of that lruvec: only the
 * first counts. Returns its place in lruvecs[], or -1.
 */
int snapshot_find_moment(const struct snapshot_folios *snapshot, uint64_t memcg, int nid,
			 uint64_t ts_ns);

/* snapshot_release_folios(): free what it holds. */
void snapshot_release_folios(struct snapshot_folios *snapshot);

/*
 * snapshot_read_counter(): the value after @name in a file of "name value" lines.
 * Returns 0, -ERR_NOT_FOUND (no such line; @diag untouched) or another negative
 * enum err with @diag filled.
 */
int snapshot_read_counter(const struct snapshot_file *file, const char *name, uint64_t *ret,
			  struct diag *diag);

/* What the kernel counted for each cgroup: all memory.stat files in one. */
struct snapshot_memcg_stats {
	unsigned nr, nr_alloc;
	struct snapshot_memcg_stat {
		uint64_t memcg;		/* cgroup id */
		char path[256];
		unsigned first, nr;	/* of lines[] */
	} *memcgs;
	unsigned nr_lines, nr_lines_alloc;
	struct snapshot_line {
		char name[40];
		uint64_t value;
	} *lines;
};

/*
 * snapshot_read_memcg_stats(): read the files memcgs and memory.stat. Like
 * snapshot_read_lru_gen().
 */
int snapshot_read_memcg_stats(struct snapshot_memcg_stats *ret,
			      const struct snapshot_file *memcgs,
			      const struct snapshot_file *stats, struct diag *diag);

/* snapshot_release_memcg_stats(): free what it holds. */
void snapshot_release_memcg_stats(struct snapshot_memcg_stats *stats);

/* snapshot_find_memcg(): by its cgroup id, NULL if it is not there. */
const struct snapshot_memcg_stat *snapshot_find_memcg(const struct snapshot_memcg_stats *stats,
						      uint64_t memcg);

/*
 * snapshot_memcg_counter(): the value of @name of one memcg of @stats; false if
 * its memory.stat has no such line.
 */
bool snapshot_memcg_counter(const struct snapshot_memcg_stats *stats,
			    const struct snapshot_memcg_stat *memcg, const char *name,
			    uint64_t *ret);

#endif /* FOLIOSCOPE_SNAPSHOT_H */
