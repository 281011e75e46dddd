// SPDX-License-Identifier: GPL-2.0-only
#include "map.h"

#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "err.h"

void map_release(struct map *map)
{
	free(map->entries);
	memset(map, 0, sizeof(*map));
}

static uint32_t find(const struct map *map, uint64_t key)
{
	uint32_t i = map_hash(key) & (map->size - 1);

	while (map->entries[i].used && map->entries[i].key != key)
		i = (i + 1) & (map->size - 1);
	return i;
}

bool map_get(const struct map *map, uint64_t key, uint32_t *value)
{
	uint32_t i;

	if (!map->size)
		return false;
	i = find(map, key);
	if (!map->entries[i].used)
		return false;
	if (value)
		*value = map->entries[i].value;
	return true;
}

static int grow(struct map *map)
{
	struct map bigger = { .size = map->size ? map->size * 2 : 64, .nr = map->nr };
	uint32_t i;

	if (map->size >= 1u << 31)
		return -ERR_NOMEM;
	bigger.entries = huge_alloc(bigger.size * sizeof(*bigger.entries));
	if (!bigger.entries)
		return -ERR_NOMEM;
	memset(bigger.entries, 0, bigger.size * sizeof(*bigger.entries));
	for (i = 0; i < map->size; i++)
		if (map->entries[i].used)
			bigger.entries[find(&bigger, map->entries[i].key)] = map->entries[i];
	free(map->entries);
	*map = bigger;
	return 0;
}

int map_set(struct map *map, uint64_t key, uint32_t value)
{
	uint32_t i;

	if (map->nr >= map->size - map->size / 8) {
		int ret = grow(map);

		if (ret)
			return ret;
	}
	i = find(map, key);
	if (!map->entries[i].used)
		map->nr++;
	map->entries[i] = (struct map_entry){ .key = key, .value = value, .used = 1 };
	return 0;
}

bool map_take(struct map *map, uint64_t key, uint32_t *value)
{
	uint32_t hole, i;

	if (!map->size)
		return false;
	hole = find(map, key);
	if (!map->entries[hole].used)
		return false;
	if (value)
		*value = map->entries[hole].value;
	/* Pull back each follower that may not stay behind an empty place. */
	for (i = (hole + 1) & (map->size - 1); map->entries[i].used;
	     i = (i + 1) & (map->size - 1)) {
		uint32_t home = map_hash(map->entries[i].key) & (map->size - 1);

		if (((i - home) & (map->size - 1)) >= ((i - hole) & (map->size - 1))) {
			map->entries[hole] = map->entries[i];
			hole = i;
		}
	}
	map->entries[hole].used = 0;
	map->nr--;
	return true;
}

bool map_del(struct map *map, uint64_t key)
{
	return map_take(map, key, NULL);
}
