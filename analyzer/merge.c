// SPDX-License-Identifier: GPL-2.0-only
#include "merge.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

int merge_init(struct merge *merge, uint32_t nr_lanes)
{
	memset(merge, 0, sizeof(*merge));
	merge->keys = calloc((size_t)nr_lanes + 1, sizeof(*merge->keys));
	merge->nr_alloc = nr_lanes;
	return merge->keys ? 0 : -ERR_NOMEM;
}

void merge_release(struct merge *merge)
{
	free(merge->keys);
	memset(merge, 0, sizeof(*merge));
}

void merge_push(struct merge *merge, struct merge_key key)
{
	uint32_t i = merge->nr++;

	while (i) {
		uint32_t parent = (i - 1) / 2;

		if (!merge_key_less(&key, &merge->keys[parent]))
			break;
		merge->keys[i] = merge->keys[parent];
		i = parent;
	}
	merge->keys[i] = key;
}

void merge_sift_down(struct merge *merge, struct merge_key key)
{
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < merge->nr) {
		if (child + 1 < merge->nr &&
		    merge_key_less(&merge->keys[child + 1], &merge->keys[child]))
			child++;
		if (!merge_key_less(&merge->keys[child], &key))
			break;
		merge->keys[i] = merge->keys[child];
		i = child;
	}
	merge->keys[i] = key;
}

void merge_pop(struct merge *merge)
{
	struct merge_key last = merge->keys[--merge->nr];

	if (merge->nr)
		merge_sift_down(merge, last);
}
