// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the kernel's numbers and ours part: a second pass over the recording that
 * looks at the events which bear on each difference.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "text.h"
#include "verify.h"

struct locate {
	struct verify *v;
	struct pipeline p;
	/* as they were at the event before */
	int64_t sizes[VERIFY_MAX_PARTINGS];
	uint64_t values[COUNTER_NR];
	uint64_t (*memcg_values)[COUNTER_NR];	/* by place in counters_memcgs() */
	uint32_t nr_memcgs;
	/* the lruvec of the change that the event made */
	bool has_memcg;
	uint64_t memcg;
	struct snapshot_memcg_stats places;	/* which cgroup is where */
	bool out_of_memory;
};

static void take(struct verify_event *to, const struct event *ev)
{
	*to = (struct verify_event){
		.is_known = true,
		.ts_ns = ev->ts_ns,
		.pfn = ev->pfn,
		.cpu = ev->cpu,
		.kind = ev->kind,
		.site = ev->site,
	};
}

/* @ev bears on @part, if it is in the stretch. */
static void note(struct verify_parting *part, const struct event *ev)
{
	if (ev->ts_ns <= part->from_ns || ev->ts_ns > part->to_ns)
		return;
	if (!part->nr_events++)
		take(&part->first, ev);
	take(&part->last, ev);
}

static void note_counted(struct verify_parting *part, const struct event *ev, uint64_t nr_pages)
{
	note(part, ev);
	if (ev->ts_ns <= part->base_ns || ev->ts_ns > part->to_ns)
		return;
	part->nr_pages += nr_pages;
	if (part->has_limit && part->nr_pages > part->limit && !part->passed.is_known)
		take(&part->passed, ev);
}

static void on_change(void *self, const struct change *c)
{
	struct locate *l = self;
	unsigned i;

	if (c->lruvec) {
		l->has_memcg = true;
		l->memcg = c->lruvec->memcg;
	}
	if (!c->ev || (c->kind != CHANGE_ENTER && c->kind != CHANGE_LEAVE &&
		       c->kind != CHANGE_MOVE && c->kind != CHANGE_SPLIT))
		return;
	for (i = 0; i < l->v->nr_partings; i++) {
		struct verify_parting *part = &l->v->partings[i];

		if (part->what != VERIFY_LIST || c->ts_ns > part->to_ns)
			continue;
		if (c->pfn == part->theirs_pfn)
			take(&part->theirs, c->ev);
		if (c->pfn == part->ours_pfn)
			take(&part->ours, c->ev);
	}
}

static void on_event(void *self, const struct event *ev)
{
	struct locate *l = self;

	(void)ev;
	l->has_memcg = false;
}

static void look_at_sizes(struct locate *l, const struct event *ev)
{
	unsigned i;

	for (i = 0; i < l->v->nr_partings; i++) {
		struct verify_parting *part = &l->v->partings[i];
		const struct lruvec *lv;

		if (part->what != VERIFY_SIZE)
			continue;
		lv = model_find_lruvec(l->p.model, part->memcg, part->nid);
		if (!lv || lv->nr_pages[part->gen][part->type] == l->sizes[i])
			continue;
		l->sizes[i] = lv->nr_pages[part->gen][part->type];
		note(part, ev);
	}
}

/* Is cgroup @memcg the cgroup at @path or below it? */
static bool is_below(const struct locate *l, uint64_t memcg, const char *path)
{
	const struct snapshot_memcg_stat *place = snapshot_find_memcg(&l->places, memcg);
	size_t len = strlen(path);

	if (!strcmp(path, "/"))
		return true;
	return place && !strncmp(place->path, path, len) &&
	       (!place->path[len] || place->path[len] == '/');
}

/* @counter of vmstat (@has_memcg false) or of @memcg grew by @nr_pages. */
static void look_at_counter(struct locate *l, const struct event *ev, enum counter counter,
			    bool has_memcg, uint64_t memcg, uint64_t nr_pages)
{
	unsigned i;

	for (i = 0; i < l->v->nr_partings; i++) {
		struct verify_parting *part = &l->v->partings[i];

		if (part->what == VERIFY_COUNTER && part->counter == counter &&
		    (*part->path != 0) == has_memcg &&
		    (!has_memcg || is_below(l, memcg, part->path)))
			note_counted(part, ev, nr_pages);
	}
}

static void look_at_counters(struct locate *l, const struct event *ev)
{
	const void *counters = pipeline_self(&l->p, &analysis_counters);
	const uint64_t *values = counters_values(counters);
	const struct counters_memcg *memcgs;
	uint64_t (*bigger)[COUNTER_NR];
	uint32_t nr, i, k;

	if (memcmp(values, l->values, sizeof(l->values))) {
		for (k = 0; k < COUNTER_NR; k++)
			if (values[k] != l->values[k])
				look_at_counter(l, ev, k, false, 0, values[k] - l->values[k]);
		memcpy(l->values, values, sizeof(l->values));
	}
	if (!l->has_memcg)
		return;
	memcgs = counters_memcgs(counters, &nr);
	if (nr > l->nr_memcgs) {
		bigger = realloc(l->memcg_values, nr * sizeof(*bigger));
		if (!bigger) {
			l->out_of_memory = true;
			return;
		}
		memset(bigger + l->nr_memcgs, 0, (nr - l->nr_memcgs) * sizeof(*bigger));
		l->memcg_values = bigger;
		l->nr_memcgs = nr;
	}
	for (i = 0; i < nr && memcgs[i].memcg != l->memcg; i++)
		;
	if (i == nr || !memcmp(memcgs[i].values, l->memcg_values[i], sizeof(l->memcg_values[i])))
		return;
	for (k = 0; k < COUNTER_NR; k++)
		if (memcgs[i].values[k] != l->memcg_values[i][k])
			look_at_counter(l, ev, k, true, l->memcg,
					memcgs[i].values[k] - l->memcg_values[i][k]);
	memcpy(l->memcg_values[i], memcgs[i].values, sizeof(l->memcg_values[i]));
}

static void after_event(void *self, const struct event *ev)
{
	look_at_sizes(self, ev);
	look_at_counters(self, ev);
}

int verify_locate(struct verify *v, const struct pipeline_opts *opts, struct diag *diag)
{
	const struct verify_moment *last = &v->moments[v->nr_moments - 1];
	struct locate l = { .v = v };
	int ret = 0;

	if (last->files[VERIFY_MEMCGS].name && last->files[VERIFY_STATS].name)
		ret = snapshot_read_memcg_stats(&l.places, &last->files[VERIFY_MEMCGS],
						&last->files[VERIFY_STATS], diag);
	if (ret)
		return ret;
	ret = pipeline_open(&l.p, v->path, opts, diag);
	if (ret)
		goto out;
	l.p.hook_self = &l;
	l.p.on_event = on_event;
	l.p.on_change = on_change;
	l.p.after_event = after_event;
	ret = pipeline_run(&l.p, diag);
	if (!ret && l.out_of_memory)
		ret = diag_set(diag, ERR_NOMEM, "%s: %s", v->path, err_text(ERR_NOMEM));
	pipeline_release(&l.p);
out:
	free(l.memcg_values);
	snapshot_release_memcg_stats(&l.places);
	return ret;
}

/*
 * text
 */

static void render_event(const struct verify *v, const char *what, const struct verify_event *e,
			 bool with_pfn)
{
	struct text_buf buf;
	char line[300];
	int len;

	len = snprintf(line, sizeof(line), "  %s: %s at %ss on CPU %u", what,
		       event_kind_name(e->kind), text_seconds(&buf, pipeline_since(v->p, e->ts_ns)),
		       e->cpu);
	if (with_pfn && e->pfn != UINT64_MAX)
		len += snprintf(line + len, sizeof(line) - len, ", pfn 0x%" PRIx64, e->pfn);
	if (e->kind == EV_ADD || e->kind == EV_DEL || e->kind == EV_UPDATE || e->kind == EV_MOVE)
		snprintf(line + len, sizeof(line) - len, ", by %s", site_name(e->site));
	text_wrap(stdout, line, 4);
}

static void render_folio(const struct verify *v, const char *whose, uint64_t pfn,
			 const struct verify_event *moved)
{
	char what[80];

	if (pfn == UINT64_MAX) {
		printf("  %s list has ended there\n", whose);
		return;
	}
	snprintf(what, sizeof(what), "%s folio there, pfn 0x%" PRIx64 ", moved last", whose, pfn);
	if (moved->is_known)
		render_event(v, what, moved, false);
	else
		printf("  %s folio there, pfn 0x%" PRIx64 ": no event moved it\n", whose, pfn);
}

static void render(const struct verify *v, const struct verify_parting *part)
{
	struct text_buf buf;
	char line[400];
	int len;

	printf("%s\n", part->name);
	len = snprintf(line, sizeof(line), "  equal %s%s", part->from_ns ? "at " : "", part->since);
	if (part->from_ns)
		len += snprintf(line + len, sizeof(line) - len, " (%ss)",
				text_seconds(&buf, pipeline_since(v->p, part->from_ns)));
	snprintf(line + len, sizeof(line) - len, ", not at %s (%ss)", part->at,
		 text_seconds(&buf, pipeline_since(v->p, part->to_ns)));
	text_wrap(stdout, line, 4);
	if (part->what == VERIFY_LIST) {
		render_folio(v, "the kernel's", part->theirs_pfn, &part->theirs);
		render_folio(v, "our", part->ours_pfn, &part->ours);
		return;
	}
	if (!part->nr_events) {
		printf("  no event in between bears on it\n");
		return;
	}
	printf("  events in between that bear on it: %" PRIu64 "\n", part->nr_events);
	render_event(v, "the first", &part->first, true);
	if (part->passed.is_known)
		render_event(v, "with this one we have more than the kernel ever had",
			     &part->passed, true);
	else
		render_event(v, "the last", &part->last, true);
}

void verify_render_partings(const struct verify *v)
{
	unsigned i;

	if (!v->nr_partings)
		return;
	text_heading(stdout, "Where they part (times from the first event)");
	for (i = 0; i < v->nr_partings; i++)
		render(v, &v->partings[i]);
	if (v->nr_partings_more)
		printf("and %" PRIu64 " more differences\n", v->nr_partings_more);
}
