/* SPDX-License-Identifier: GPL-2.0-only */
/* A heap of lanes (CPUs), the one with the smallest (time, CPU) on top. */
#ifndef FOLIOSCOPE_MERGE_H
#define FOLIOSCOPE_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct merge_key {
	uint64_t ts_ns;
	uint32_t cpu;
	uint32_t lane;		/* the caller's index */
};

struct merge {
	struct merge_key *keys;	/* heap, keys[0] the smallest */
	uint32_t nr, nr_alloc;
};

static inline bool merge_key_less(const struct merge_key *a,
				  const struct merge_key *b)
{
	return a->ts_ns != b->ts_ns ? a->ts_ns < b->ts_ns : a->cpu < b->cpu;
}

/* merge_init(): for up to @nr_lanes; 0 or -ERR_NOMEM. */
int merge_init(struct merge *merge, uint32_t nr_lanes);
void merge_release(struct merge *merge);

/* merge_push(): add a lane that is not in the heap. */
void merge_push(struct merge *merge, struct merge_key key);

/* merge_sift_down(): @key instead of the top's, wherever it belongs. */
void merge_sift_down(struct merge *merge, struct merge_key key);

/* merge_replace_top(): the top lane's next key. */
static inline void merge_replace_top(struct merge *merge, struct merge_key key)
{
	if (merge->nr != 2) {
		merge_sift_down(merge, key);
	} else if (merge_key_less(&merge->keys[1], &key)) {
		merge->keys[0] = merge->keys[1];
		merge->keys[1] = key;
	} else {
		merge->keys[0] = key;
	}
}

/* merge_pop(): drop the top lane. */
void merge_pop(struct merge *merge);

/* merge_second(): the smallest key but the top's; NULL if there is none. */
static inline const struct merge_key *merge_second(const struct merge *merge)
{
	if (merge->nr < 2)
		return NULL;
	if (merge->nr == 2 || merge_key_less(&merge->keys[1], &merge->keys[2]))
		return &merge->keys[1];
	return &merge->keys[2];
}

#endif /* FOLIOSCOPE_MERGE_H */
