/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers for what the kernel says of itself, saved to a file: debugfs lru_gen,
 * debugfs lru_gen_folios (patches/v6.12/oracle), /proc/vmstat and memory.stat.
 * formats/snapshots.md has the layouts.
 */
#ifndef FOLIOSCOPE_SNAPSHOT_H
#define FOLIOSCOPE_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

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
 * snapshot_read_lru_gen(): read debugfs lru_gen saved in @path. On success the
 * caller releases *@ret. Returns 0 or a negative enum err, @diag then names file
 * and line.
 */
int snapshot_read_lru_gen(struct snapshot_lru_gen *ret, const char *path, struct diag *diag);

/* snapshot_release_lru_gen(): free what it holds. */
void snapshot_release_lru_gen(struct snapshot_lru_gen *snapshot);

/* One list of lru_gen_folios, oldest first. */
struct snapshot_list {
	uint64_t memcg;		/* cgroup id */
	uint64_t mono_ns;	/* when it was taken, CLOCK_MONOTONIC */
	int nid;
	unsigned gen, type, zone;
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
	} *lruvecs;
};

/* snapshot_read_folios(): like snapshot_read_lru_gen(), of lru_gen_folios. */
int snapshot_read_folios(struct snapshot_folios *ret, const char *path, struct diag *diag);

/* snapshot_release_folios(): free what it holds. */
void snapshot_release_folios(struct snapshot_folios *snapshot);

/*
 * snapshot_read_counter(): the value after @name in a file of "name value" lines.
 * Returns 0, -ERR_NOT_FOUND (no such line; @diag untouched) or another negative
 * enum err with @diag filled.
 */
int snapshot_read_counter(const char *path, const char *name, uint64_t *ret, struct diag *diag);

#endif /* FOLIOSCOPE_SNAPSHOT_H */
