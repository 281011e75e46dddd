// SPDX-License-Identifier: GPL-2.0-only
#include "problem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "array.h"

void problem_add(struct problem_list *list, const struct reader_problem *problem)
{
	struct reader_problem *last = NULL;
	unsigned nr_same = 0;
	unsigned i;

	list->nr_total++;
	for (i = list->nr; i-- > 0;) {
		struct reader_problem *item = &list->items[i];

		if (item->err != problem->err || item->cpu != problem->cpu)
			continue;
		if (!last)
			last = item;
		if (++nr_same == PROBLEM_PER_CAUSE)
			break;
	}
	if (nr_same < PROBLEM_PER_CAUSE && list->nr < PROBLEM_MAX) {
		if (array_grow(&list->items, list->nr, &list->nr_alloc, sizeof(*list->items)))
			goto count;
		list->items[list->nr] = *problem;
		if (!problem->nr)
			list->items[list->nr].nr = 1;
		list->nr++;
		return;
	}
count:
	if (!last) {
		list->nr_unlisted++;
		return;
	}
	last->nr += problem->nr ? problem->nr : 1;
	last->size_bytes += problem->size_bytes;
	if (problem->has_time && last->has_time)
		last->to_ts_ns = problem->to_ts_ns;
}

void problem_note(struct problem_list *list, enum err err,
		  uint64_t offset_bytes, const char *fmt, ...)
{
	struct reader_problem problem = {
		.err = err,
		.cpu = -1,
		.has_offset = true,
		.offset_bytes = offset_bytes,
		.nr = 1,
	};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(problem.text, sizeof(problem.text), fmt, ap);
	va_end(ap);
	problem_add(list, &problem);
}

void problem_release(struct problem_list *list)
{
	free(list->items);
	list->items = NULL;
	list->nr = list->nr_alloc = 0;
}
