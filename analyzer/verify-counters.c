// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "text.h"
#include "verify.h"

void verify_counters_take(struct verify_counters *v, struct verify_counts *counts)
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
	if (v->nr_classic && !v->after.end.seen)
		v->had_classic = true;
}

void verify_counters_event(struct verify_counters *v, const struct event *ev)
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
	if (v->nr_classic && v->before.begin.seen && !v->after.end.seen)
		v->had_classic = true;
}

void verify_counters_release(struct verify_counters *v)
{
	free(v->before.begin.memcgs);
	free(v->before.end.memcgs);
	free(v->after.begin.memcgs);
	free(v->after.end.memcgs);
	free(v->stats_before.begin.memcgs);
	free(v->stats_before.end.memcgs);
	free(v->stats_after.begin.memcgs);
	free(v->stats_after.end.memcgs);
}

/*
 * A row of a table: the kernel's difference against ours, which is between
 * @least and @most for what happened while the kernel was asked. @more pages
 * were counted in cgroups of unknown place.
 */
static void compare(struct verify_counters *v, const char *name, uint64_t kernel, uint64_t least,
		    uint64_t most, uint64_t more, bool verbose)
{
	const char *reason = NULL;
	bool inside = kernel >= least && kernel <= most;

	v->nr++;
	if (!inside && kernel > most && kernel <= most + more)
		reason = "cgroups removed since";
	else if (!inside && kernel > most && v->had_classic)
		reason = "classic LRU was on";
	v->nr_explained += !!reason;
	v->nr_differ += !inside && !reason;
	if (inside && !verbose)
		return;
	printf("%-27.27s %11" PRIu64 " %11" PRIu64, name, kernel, most);
	if (!inside)
		printf(" %+11" PRId64, (int64_t)(most - kernel));
	else if (least != most)
		printf("  (from %" PRIu64 ")", least);
	if (reason)
		printf("  %s", reason);
	putchar('\n');
}

/* The value in @path; pswpin with the pages that were not worth reading. */
static int read_vmstat(const char *path, enum counter counter, uint64_t *ret, struct diag *diag)
{
	uint64_t zero = 0;
	int err = snapshot_read_counter(path, counter_name(counter), ret, diag);

	if (err || counter != COUNTER_pswpin)
		return err;
	err = snapshot_read_counter(path, "swpin_zero", &zero, diag);
	if (!err)
		*ret += zero;
	return err == -ERR_NOT_FOUND ? 0 : err;
}

static void render_sum(const struct verify_counters *v, uint64_t nr, uint64_t nr_differ,
		       uint64_t nr_explained)
{
	printf("%" PRIu64 " counters compared, %" PRIu64 " differ", v->nr - nr,
	       v->nr_differ - nr_differ);
	if (v->nr_explained > nr_explained)
		printf(" without a reason; %" PRIu64 " with one", v->nr_explained - nr_explained);
	putchar('\n');
}

int verify_counters_vmstat(struct verify_counters *v, const char *before, const char *after,
			   struct diag *diag)
{
	uint64_t nr = v->nr, nr_differ = v->nr_differ, nr_explained = v->nr_explained;
	unsigned i;

	text_heading(stdout, "Counters: pages from before to after, vmstat against events");
	printf("%-27s %11s %11s %11s\n", "vmstat", "kernel", "ours", "difference");
	for (i = 0; i < COUNTER_NR; i++) {
		uint64_t a, b;
		int ret = read_vmstat(before, i, &a, diag);

		if (!ret)
			ret = read_vmstat(after, i, &b, diag);
		if (ret == -ERR_NOT_FOUND)
			continue;
		if (ret)
			return ret;
		compare(v, counter_name(i), b - a,
			v->after.begin.values[i] - v->before.end.values[i],
			v->after.end.values[i] - v->before.begin.values[i], 0, true);
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

static void compare_memcg(struct verify_counters *v, const struct snapshot_memcg_stats *before,
			  const struct snapshot_memcg_stats *after,
			  const struct snapshot_memcg_stat *memcg, bool verbose)
{
	const struct snapshot_memcg_stat *was = snapshot_find_memcg(before, memcg->memcg);
	unsigned i;

	for (i = 0; i < COUNTER_NR; i++) {
		const char *path = memcg->path;
		uint64_t a = 0, b, least, most, ignored, more, more_before;
		char name[300];

		if (!snapshot_memcg_counter(after, memcg, counter_name(i), &b))
			continue;
		if (was)
			snapshot_memcg_counter(before, was, counter_name(i), &a);
		least = sum_below(&v->stats_after.begin, i, path, after, before, &ignored) -
			sum_below(&v->stats_before.end, i, path, after, before, &ignored);
		most = sum_below(&v->stats_after.end, i, path, after, before, &more) -
		       sum_below(&v->stats_before.begin, i, path, after, before, &more_before);
		snprintf(name, sizeof(name), "%.100s %s", path, counter_name(i));
		compare(v, name, b - a, least, most, more - more_before, verbose);
	}
}

int verify_counters_memcgs(struct verify_counters *v, const char *before, const char *after,
			   bool verbose, struct diag *diag)
{
	uint64_t nr = v->nr, nr_differ = v->nr_differ, nr_explained = v->nr_explained;
	struct snapshot_memcg_stats a, b;
	unsigned i;
	int ret;

	ret = snapshot_read_memcg_stats(&a, before, diag);
	if (ret)
		return ret;
	ret = snapshot_read_memcg_stats(&b, after, diag);
	if (ret) {
		snapshot_release_memcg_stats(&a);
		return ret;
	}
	text_heading(stdout, "Counters of cgroups: memory.stat against events");
	printf("%-27s %11s %11s %11s\n", "cgroup, memory.stat", "kernel", "ours", "difference");
	for (i = 0; i < b.nr; i++)
		compare_memcg(v, &a, &b, &b.memcgs[i], verbose);
	render_sum(v, nr, nr_differ, nr_explained);
	snapshot_release_memcg_stats(&a);
	snapshot_release_memcg_stats(&b);
	return 0;
}
