// SPDX-License-Identifier: GPL-2.0-only
#include "slab.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

/* Does an allocation begin with slab @number? */
static bool is_first(uint32_t number)
{
	return number < SLAB_NR_SINGLE || number % SLAB_NR_SINGLE == 0;
}

void *slab_new(uint32_t number, void *before)
{
	void *slab;

	if (number < SLAB_NR_SINGLE) {
		if (posix_memalign(&slab, 64, SLAB_BYTES))
			return NULL;
	} else if (is_first(number)) {
		slab = huge_alloc(SLAB_NR_SINGLE * SLAB_BYTES);
		if (!slab)
			return NULL;
	} else {
		slab = (char *)before + SLAB_BYTES;
	}
	return memset(slab, 0, SLAB_BYTES);
}

void slab_free(uint32_t number, void *slab)
{
	if (is_first(number))
		free(slab);
}

uint64_t slab_bytes(uint32_t nr_slabs)
{
	uint64_t nr = nr_slabs;

	if (nr > SLAB_NR_SINGLE)	/* the last allocation may not be full */
		nr = (nr + SLAB_NR_SINGLE - 1) / SLAB_NR_SINGLE * SLAB_NR_SINGLE;
	return nr * SLAB_BYTES;
}
