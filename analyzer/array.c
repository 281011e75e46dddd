// SPDX-License-Identifier: GPL-2.0-only
#include "array.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

int array_double(void *array, uint32_t *nr_alloc, size_t item_bytes)
{
	uint32_t nr = *nr_alloc ? *nr_alloc * 2 : 16;
	void *items;

	if (nr < *nr_alloc)
		return -ERR_NOMEM;
	/* a pointer of another type, so no void ** may point to it */
	memcpy(&items, array, sizeof(items));
	items = reallocarray(items, nr, item_bytes);
	if (!items)
		return -ERR_NOMEM;
	memcpy(array, &items, sizeof(items));
	*nr_alloc = nr;
	return 0;
}
