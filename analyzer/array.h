/* SPDX-License-Identifier: GPL-2.0-only */
/* Arrays that double when they are full. */
#ifndef FOLIOSCOPE_ARRAY_H
#define FOLIOSCOPE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* array_double(): the rest of array_grow(). */
int array_double(void *array, uint32_t *nr_alloc, size_t item_bytes);

/*
 * array_grow(): make room for item number @nr in @array, the address of a pointer
 * to @nr_alloc items of @item_bytes from malloc(), or to none with NULL.
 * Returns 0, or -ERR_NOMEM with everything as it was.
 */
static inline int array_grow(void *array, uint32_t nr, uint32_t *nr_alloc, size_t item_bytes)
{
	return nr < *nr_alloc ? 0 : array_double(array, nr_alloc, item_bytes);
}

#endif /* FOLIOSCOPE_ARRAY_H */
