/* SPDX-License-Identifier: GPL-2.0-only */
/* The bounded list of what is wrong with a file. */
#ifndef FOLIOSCOPE_PROBLEM_H
#define FOLIOSCOPE_PROBLEM_H

#include "reader.h"

/* Of one cause on one CPU, as many are listed one by one. */
#define PROBLEM_PER_CAUSE	8
/* All in all; the rest are counted in the last entry of their cause. */
#define PROBLEM_MAX		4096

struct problem_list {
	struct reader_problem *items;
	unsigned nr, nr_alloc;
	uint64_t nr_total;
	uint64_t nr_unlisted;	/* had no room and no entry of their kind */
};

/*
 * problem_add(): append a copy of @problem, or count it in an entry of the same
 * cause and CPU.  Never fails: without memory it is only counted.
 */
void problem_add(struct problem_list *list, const struct reader_problem *problem);

/* problem_note(): one of @err without CPU and time; @offset_bytes where it is. */
void problem_note(struct problem_list *list, enum err err,
		  uint64_t offset_bytes, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void problem_release(struct problem_list *list);

#endif /* FOLIOSCOPE_PROBLEM_H */
