// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "text.h"
#include "verify.h"

void verify_counters_take(struct verify *v, struct verify_counts *counts)
{
	const void *counters = pipeline_self(v->p, &analysis_counters);
	const struct counters_memcg *memcgs = counters_memcgs(counters, &counts->nr_memcgs);
	size_t size = counts->nr_memcgs * sizeof(*memcgs);

	free(counts->memcgs);
	counts->memcgs = malloc(size ? size : 1);
	if (!counts->memcgs) {
		v->out_of_memory = true;
		return;
	}
	if (size)
		memcpy(counts->memcgs, memcgs, size);
	memcpy(counts->values, counters_values(counters), sizeof(counts->values));
	counts->seen = true;
	v->had_classic |= v->nr_classic || model_lru(v->p->model) == MODEL_LRU_CLASSIC;
}

void verify_counters_event(struct verify *v, const struct event *ev)
{
	if (ev->kind != EV_STATE)
		return;
	switch (ev->u.lruvec.state) {
	case STATE_DISABLE:
		v->nr_classic++;
		break;
	case STATE_ENABLE:
		/* on since before the recording? */
		v->nr_classic += !v->nr_classic;
		break;
	case STATE_ENABLED:
		v->nr_classic -= !!v->nr_classic;
		break;
	default:
		return;
	}
	if (v->nr_classic && v->moments[0].vmstat.begin.seen &&
	    !v->moments[v->nr_moments - 1].vmstat.end.seen)
		v->had_classic = true;
}

/* A counter in the kernel's files and ours, each since the first moment. */
struct row {
	char name[160];
	enum counter counter;
	const char *path;		/* of the cgroup; NULL: vmstat */
	uint64_t kernel;
	uint64_t least, most;		/* ours: for what happened while the kernel was asked */
	uint64_t more;			/* counted in cgroups of unknown place */
};

static void note_parting(struct verify *v, unsigned at, const struct row *row,
			 const struct verify_span *base, const struct verify_span *span)
{
	struct verify_parting *part = verify_add_parting(v, VERIFY_COUNTER);
	unsigned i;

	if (!part)
		return;
	snprintf(part->name, sizeof(part->name), "%s", row->name);
	part->at = v->moments[at].name;
	part->to_ns = span->end_ns;
	part->since = v->moments[0].name;
	part->from_ns = base->begin_ns;
	part->counter = row->counter;
	if (row->path)
		snprintf(part->path, sizeof(part->path), "%s", row->path);
	part->base_ns = base->end_ns;
	part->limit = row->kernel;
	part->has_limit = row->least > row->kernel;
	for (i = at; !row->path && i-- > 1;) {
		if (!v->moments[i].counter_agreed[row->counter])
			continue;
		part->since = v->moments[i].name;
		part->from_ns = v->moments[i].vmstat.begin_ns;
		break;
	}
}

static bool has_losses(const struct verify *v)
{
	const struct reader_totals *totals = reader_totals(v->p->reader);

	return totals->nr_lost || totals->nr_lost_unknown || totals->nr_gaps ||
	       pipeline_overrun(v->p);
}

/* Returns whether the two agree. */
static bool compare(struct verify *v, unsigned at, const struct row *row,
		    const struct verify_span *base, const struct verify_span *span, bool verbose)
{
	const char *reason = NULL;
	bool inside = row->kernel >= row->least && row->kernel <= row->most;

	v->nr_counters++;
	if (!inside && row->kernel > row->most && row->kernel <= row->most + row->more)
		reason = v->p->selection.nr_cgroups_left_out ? "cgroups removed or left out" :
							       "cgroups removed since";
	else if (!inside && row->kernel > row->most && has_losses(v))
		reason = "events were lost";
	else if (!inside && row->kernel > row->most && v->had_classic)
		reason = "classic LRU was on";
	v->nr_counters_explained += !!reason;
	v->nr_counters_differ += !inside && !reason;
	if (!inside && !reason)
		note_parting(v, at, row, base, span);
	if (inside && !verbose)
		return true;
	verify_begin_row(v);
	printf("%-27.27s %11" PRIu64 " %11" PRIu64, row->name, row->kernel, row->most);
	if (!inside)
		printf(" %+11" PRId64, (int64_t)(row->most - row->kernel));
	else if (row->least != row->most)
		printf("  (from %" PRIu64 ")", row->least);
	if (reason)
		printf("  %s", reason);
	putchar('\n');
	return inside;
}

/*
 * The value in @file and what it is called; pswpin with the pages that were not worth
 * reading, where the kernel counts them apart.
 */
static int read_vmstat(const struct snapshot_file *file, enum counter counter, uint64_t *ret,
		       const char **name, struct diag *diag)
{
	uint64_t zero = 0;
	int err = snapshot_read_counter(file, counter_name(counter), ret, diag);

	*name = counter_name(counter);
	if (err || counter != COUNTER_pswpin)
		return err;
	err = snapshot_read_counter(file, "swpin_zero", &zero, diag);
	if (err)
		return err == -ERR_NOT_FOUND ? 0 : err;
	*ret += zero;
	*name = "pswpin + swpin_zero";
	return 0;
}

static void render_sum(const struct verify *v, uint64_t nr, uint64_t nr_differ,
		       uint64_t nr_explained)
{
	printf("%" PRIu64 " counters compared, %" PRIu64 " differ", v->nr_counters - nr,
	       v->nr_counters_differ - nr_differ);
	if (v->nr_counters_explained > nr_explained)
		printf(" without a reason; %" PRIu64 " with one",
		       v->nr_counters_explained - nr_explained);
	putchar('\n');
}

static int compare_vmstat(struct verify *v, unsigned at, struct diag *diag)
{
	uint64_t nr = v->nr_counters, nr_differ = v->nr_counters_differ;
	uint64_t nr_explained = v->nr_counters_explained;
	struct verify_moment *before = &v->moments[0], *m = &v->moments[at];
	char title[120];
	unsigned i;

	snprintf(title, sizeof(title), "Counters: pages from %.20s to %.20s, vmstat against events",
		 before->name, m->name);
	text_heading(stdout, title);
	v->columns = "vmstat                           kernel        ours  difference";
	for (i = 0; i < COUNTER_NR; i++) {
		struct row row = { .counter = i };
		const char *name;
		uint64_t a, b;
		int ret = read_vmstat(&before->files[VERIFY_VMSTAT], i, &a, &name, diag);

		if (!ret)
			ret = read_vmstat(&m->files[VERIFY_VMSTAT], i, &b, &name, diag);
		if (ret == -ERR_NOT_FOUND)
			continue;
		if (ret)
			return ret;
		if (!verify_can_judge_counter(v, i, 0)) {
			v->nr_unjudged++;
			continue;
		}
		strcpy(row.name, name);
		row.kernel = b - a;
		row.least = m->vmstat.begin.values[i] - before->vmstat.end.values[i];
		row.most = m->vmstat.end.values[i] - before->vmstat.begin.values[i];
		m->counter_agreed[i] = compare(v, at, &row, &before->vmstat, &m->vmstat, true);
	}
	render_sum(v, nr, nr_differ, nr_explained);
	return 0;
}

/* Is @path the cgroup @top or one below it? */
static bool is_below(const char *path, const char *top)
{
	size_t len = strlen(top);

	if (!strcmp(top, "/"))
		return true;
	return !strncmp(path, top, len) && (!path[len] || path[len] == '/');
}

/* What memory.stat of @path should say; @unknown: of cgroups without a path. */
static uint64_t sum_below(const struct verify_counts *counts, enum counter counter,
			  const char *path, const struct snapshot_memcg_stats *after,
			  const struct snapshot_memcg_stats *before, uint64_t *unknown)
{
	uint64_t sum = 0;
	uint32_t i;

	*unknown = 0;
	for (i = 0; i < counts->nr_memcgs; i++) {
		const struct counters_memcg *memcg = &counts->memcgs[i];
		const struct snapshot_memcg_stat *known = snapshot_find_memcg(after, memcg->memcg);

		if (!known)
			known = snapshot_find_memcg(before, memcg->memcg);
		/* wherever it was, it was below the root */
		if (!known && strcmp(path, "/"))
			*unknown += memcg->values[counter];
		else if (!known || is_below(known->path, path))
			sum += memcg->values[counter];
	}
	return sum;
}

static void compare_memcg(struct verify *v, unsigned at, const struct snapshot_memcg_stats *before,
			  const struct snapshot_memcg_stats *after,
			  const struct snapshot_memcg_stat *memcg)
{
	const struct snapshot_memcg_stat *was = snapshot_find_memcg(before, memcg->memcg);
	const struct verify_span *base = &v->moments[0].stats, *span = &v->moments[at].stats;
	unsigned i;

	/* was it made since, or left out at the beginning? */
	if (!was && v->p->selection.nr_cgroups_left_out) {
		v->nr_memcgs_unknown++;
		return;
	}
	for (i = 0; i < COUNTER_NR; i++) {
		struct row row = { .counter = i, .path = memcg->path };
		uint64_t a = 0, b, ignored, more, more_before;

		if (!snapshot_memcg_counter(after, memcg, counter_name(i), &b))
			continue;
		if (was)
			snapshot_memcg_counter(before, was, counter_name(i), &a);
		if (!verify_can_judge_counter(v, i, memcg->memcg)) {
			v->nr_unjudged++;
			continue;
		}
		snprintf(row.name, sizeof(row.name), "%.100s %s", memcg->path, counter_name(i));
		row.kernel = b - a;
		row.least = sum_below(&span->begin, i, row.path, after, before, &ignored) -
			    sum_below(&base->end, i, row.path, after, before, &ignored);
		row.most = sum_below(&span->end, i, row.path, after, before, &more) -
			   sum_below(&base->begin, i, row.path, after, before, &more_before);
		row.more = more - more_before;
		compare(v, at, &row, base, span, v->verbose);
	}
}

static int compare_stats(struct verify *v, unsigned at, struct diag *diag)
{
	uint64_t nr = v->nr_counters, nr_differ = v->nr_counters_differ;
	uint64_t nr_explained = v->nr_counters_explained;
	const struct verify_moment *before = &v->moments[0], *m = &v->moments[at];
	struct snapshot_memcg_stats a, b;
	char title[120];
	unsigned i;
	int ret;

	ret = snapshot_read_memcg_stats(&a, &before->files[VERIFY_MEMCGS],
					&before->files[VERIFY_STATS], diag);
	if (ret)
		return ret;
	ret = snapshot_read_memcg_stats(&b, &m->files[VERIFY_MEMCGS], &m->files[VERIFY_STATS],
					diag);
	if (ret) {
		snapshot_release_memcg_stats(&a);
		return ret;
	}
	snprintf(title, sizeof(title), "Counters of cgroups: memory.stat from %.16s to %.16s",
		 before->name, m->name);
	text_heading(stdout, title);
	v->columns = "cgroup, memory.stat              kernel        ours  difference";
	for (i = 0; i < b.nr; i++)
		compare_memcg(v, at, &a, &b, &b.memcgs[i]);
	render_sum(v, nr, nr_differ, nr_explained);
	if (v->p->selection.nr_cgroups_left_out)
		printf("%" PRIu64
		       " cgroups were left out of the recording, and %u cannot be compared, for\n"
		       "their numbers of the beginning may be among them\n",
		       v->p->selection.nr_cgroups_left_out, v->nr_memcgs_unknown);
	snapshot_release_memcg_stats(&a);
	snapshot_release_memcg_stats(&b);
	return 0;
}

static bool has_files(const struct verify_moment *m, enum verify_file a, enum verify_file b)
{
	return m->files[a].name && m->files[b].name;
}

int verify_counters(struct verify *v, unsigned at, struct diag *diag)
{
	const struct verify_moment *before = &v->moments[0], *m = &v->moments[at];
	int ret;

	if (!before->files[VERIFY_VMSTAT].name || !m->files[VERIFY_VMSTAT].name) {
		if (before->files[VERIFY_VMSTAT].name || m->files[VERIFY_VMSTAT].name)
			printf("\n%s has no vmstat: counters of %s are not compared\n",
			       before->files[VERIFY_VMSTAT].name ? m->name : before->name, m->name);
		return 0;
	}
	if (!before->vmstat.begin.seen || !before->vmstat.end.seen) {
		printf("\nno mark 'snapshot %s' in the recording: counters are not compared\n",
		       before->name);
		return 0;
	}
	ret = compare_vmstat(v, at, diag);
	if (ret || !has_files(before, VERIFY_MEMCGS, VERIFY_STATS) ||
	    !has_files(m, VERIFY_MEMCGS, VERIFY_STATS))
		return ret;
	if (!before->stats.end.seen || !m->stats.end.seen) {
		printf("\nno mark 'snapshot %s-stats' in the recording: memory.stat is not "
		       "compared\n", before->stats.end.seen ? m->name : before->name);
		return 0;
	}
	return compare_stats(v, at, diag);
}
