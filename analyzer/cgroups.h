/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel counted for each cgroup, as folioscope record puts it into a
 * recording: the files memcgs and memory.stat of formats/snapshots.md.
 */
#ifndef FOLIOSCOPE_CGROUPS_H
#define FOLIOSCOPE_CGROUPS_H

#include <stdint.h>
#include <stdio.h>

/*
 * cgroups_copy(): write the cgroup whose directory is @root, which is "/" there,
 * and those below it, a directory before what is in it and in the order of names:
 * their numbers to @memcgs, of their memory.stat the counters that events decide to
 * @stats. No more than @max: *@nr_left_out is how many others there are. One that
 * is removed meanwhile is in @memcgs only, or in neither.
 * Returns 0, or an errno if @root cannot be read; write errors are the streams'.
 */
int cgroups_copy(const char *root, unsigned max, FILE *memcgs, FILE *stats, uint64_t *nr_left_out);

#endif /* FOLIOSCOPE_CGROUPS_H */
