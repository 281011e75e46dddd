/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef FOLIOSCOPE_TESTS_SIM_GROW_H
#define FOLIOSCOPE_TESTS_SIM_GROW_H

#include <stdlib.h>

#include "analyzer/array.h"

/* sim_grow(): array_grow(), and the end of the program without memory. */
static inline void sim_grow(void *array, uint32_t nr, uint32_t *nr_alloc, size_t item_bytes)
{
	if (array_grow(array, nr, nr_alloc, item_bytes))
		abort();
}

#endif /* FOLIOSCOPE_TESTS_SIM_GROW_H */
