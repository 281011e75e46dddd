// SPDX-License-Identifier: GPL-2.0-only
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "abi.h"

bool verify_can_judge_folios(const struct verify *v, uint64_t memcg, unsigned type)
{
	const struct selection *s = &v->p->selection;

	return !selection_is_sparse(s) && selection_has_memcg(s, memcg) &&
	       (!s->has_type || s->type == type);
}

static bool ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

bool verify_can_judge_counter(const struct verify *v, enum counter counter, uint64_t memcg)
{
	const struct selection *s = &v->p->selection;
	const char *name = counter_name(counter);

	/* of one cgroup alone, which those above it and vmstat are not */
	if (!selection_has_memcg(s, memcg))
		return false;
	/* of one type alone */
	if (s->has_type && !ends_in(name, s->type == TYPE_ANON ? "_anon" : "_file"))
		return false;
	/* scans are not of one folio, so all were recorded */
	return !selection_is_sparse(s) || !strncmp(name, "pgscan_", 7) || !strcmp(name, "pgrefill");
}

bool verify_is_cut(const struct verify *v)
{
	const struct selection *s = &v->p->selection;

	return v->p->stopped || (s->is_part && s->part_to_ns != UINT64_MAX);
}

void verify_begin_row(struct verify *v)
{
	if (v->columns)
		puts(v->columns);
	v->columns = NULL;
}

struct verify_parting *verify_add_parting(struct verify *v, enum verify_what what)
{
	struct verify_parting *part;

	if (v->nr_partings == VERIFY_MAX_PARTINGS) {
		v->nr_partings_more++;
		return NULL;
	}
	part = &v->partings[v->nr_partings++];
	memset(part, 0, sizeof(*part));
	part->what = what;
	return part;
}

void verify_release(struct verify *v)
{
	unsigned i, k;

	for (i = 0; i < v->nr_moments; i++) {
		struct verify_moment *m = &v->moments[i];

		for (k = 0; k < VERIFY_NR_FILES; k++)
			free(m->paths[k]);
		free(m->vmstat.begin.memcgs);
		free(m->vmstat.end.memcgs);
		free(m->stats.begin.memcgs);
		free(m->stats.end.memcgs);
		free(m->ranges);
		free(m->done);
		free(m->compared_ns);
		free(m->equals);
		snapshot_release_folios(&m->folios);
	}
	free(v->moments);
	free(v->flights);
	marks_release(&v->marks);
}
