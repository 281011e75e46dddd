/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small hash map from 64-bit keys to 32-bit values: open addressing with
 * linear probing and deletion by shifting back, at most 7/8 full.
 */
#ifndef FOLIOSCOPE_MAP_H
#define FOLIOSCOPE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct map_entry {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

/* All zero is an empty map. */
struct map {
	struct map_entry *entries;
	uint32_t nr;
	uint32_t size;		/* a power of two, or 0 */
};

/* map_release(): free what it holds; it is empty and usable after. */
void map_release(struct map *map);

/* map_get(): false if @key is absent, else fills *@value (may be NULL). */
bool map_get(const struct map *map, uint64_t key, uint32_t *value);

/* map_take(): like map_get(), but what it finds is removed. */
bool map_take(struct map *map, uint64_t key, uint32_t *value);

/* map_set(): add or replace. Returns 0 or -ERR_NOMEM. */
int map_set(struct map *map, uint64_t key, uint32_t value);

/* map_del(): remove @key; true if it was there. */
bool map_del(struct map *map, uint64_t key);

/* map_hash(): mixes the 64 bits of @key; also for combining keys. */
static inline uint64_t map_hash(uint64_t key)
{
	/* multiply by an odd constant near 2^64 / golden ratio, fold the high half in */
	key *= 0x9e3779b97f4a7c15ull;
	key ^= key >> 32;
	key *= 0x9e3779b97f4a7c15ull;
	return key ^ key >> 29;
}

#endif /* FOLIOSCOPE_MAP_H */
