/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of tables that only grow and whose items never move: slabs of
 * SLAB_BYTES, numbered from 0. The first SLAB_NR_SINGLE are allocated one by one,
 * for small recordings; all others SLAB_NR_SINGLE at a time in huge pages if the
 * system has them, for misses of the TLB are what a large table costs.
 */
#ifndef FOLIOSCOPE_SLAB_H
#define FOLIOSCOPE_SLAB_H

#include <stdint.h>

#define SLAB_BYTES (32u << 10)
#define SLAB_NR_SINGLE 64u

/*
 * slab_new(): slab @number, all zero, aligned to a line of the cache; @before is
 * slab @number - 1 (anything for 0). Returns NULL without memory.
 */
void *slab_new(uint32_t number, void *before);

/* slab_free(): to be called for each slab of the table. */
void slab_free(uint32_t number, void *slab);

/* slab_bytes(): memory held by the first @nr_slabs slabs. */
uint64_t slab_bytes(uint32_t nr_slabs);

#endif /* FOLIOSCOPE_SLAB_H */
