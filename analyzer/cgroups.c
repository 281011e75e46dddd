// SPDX-License-Identifier: GPL-2.0-only
#include "cgroups.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "counters.h"

/* So that the snapshots of both ends leave out the same ones. */
static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void copy_stats(const char *dir, const char *name, FILE *stats)
{
	char path[PATH_MAX], line[200], counter[64];
	unsigned long long value;
	unsigned i;
	FILE *file;

	snprintf(path, sizeof(path), "%s/memory.stat", dir);
	file = fopen(path, "r");
	if (!file)
		return;
	fprintf(stats, "# %s memory.stat\n", name);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %llu", counter, &value) != 2)
			continue;
		for (i = 0; i < COUNTER_NR && strcmp(counter, counter_name(i)); i++)
			;
		if (i < COUNTER_NR)
			fputs(line, stats);
	}
	fclose(file);
}

int cgroups_copy(const char *root, unsigned max, FILE *memcgs, FILE *stats, uint64_t *nr_left_out)
{
	char *roots[] = { (char *)root, NULL };
	size_t root_len = strlen(root);
	unsigned nr = 0;
	FTSENT *entry;
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_XDEV | FTS_NOCHDIR, by_name);
	int err = 0;

	*nr_left_out = 0;
	if (!fts)
		return errno;
	while ((entry = fts_read(fts))) {
		const char *name = entry->fts_path + root_len;

		if (entry->fts_level == FTS_ROOTLEVEL && entry->fts_errno)
			err = entry->fts_errno;
		if (entry->fts_info != FTS_D)
			continue;
		if (nr == max) {
			++*nr_left_out;
			continue;
		}
		nr++;
		if (!*name)
			name = "/";
		fprintf(memcgs, "%llu %s\n", (unsigned long long)entry->fts_statp->st_ino, name);
		copy_stats(entry->fts_path, name, stats);
	}
	fts_close(fts);
	return err;
}
