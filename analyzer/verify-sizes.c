// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "text.h"
#include "verify.h"

/* Note the sizes of @lv as they are now. */
static void widen(struct verify_moment *m, const struct lruvec *lv)
{
	struct verify_range *r = &m->ranges[lv->number];
	unsigned gen, type;

	r->last = *lv;
	for (gen = 0; gen < MODEL_MAX_GENS; gen++) {
		for (type = 0; type < TYPE_NR; type++) {
			int64_t nr = lv->nr_pages[gen][type];

			if (nr < r->least[gen][type])
				r->least[gen][type] = nr;
			if (nr > r->most[gen][type])
				r->most[gen][type] = nr;
		}
	}
}

/* Room for lruvecs that are new: their sizes begin at 0. */
static bool grow_ranges(struct verify *v, struct verify_moment *m)
{
	uint32_t nr = model_nr_lruvecs(v->p->model);
	struct verify_range *bigger;

	if (nr <= m->nr_ranges)
		return true;
	bigger = realloc(m->ranges, nr * sizeof(*bigger));
	if (!bigger) {
		v->out_of_memory = true;
		return false;
	}
	memset(bigger + m->nr_ranges, 0, (nr - m->nr_ranges) * sizeof(*bigger));
	m->ranges = bigger;
	m->nr_ranges = nr;
	return true;
}

void verify_sizes_begin(struct verify *v, struct verify_moment *m)
{
	uint32_t i;

	if (!grow_ranges(v, m))
		return;
	for (i = 0; i < m->nr_ranges; i++) {
		const struct lruvec *lv = model_lruvec(v->p->model, i);

		memcpy(m->ranges[i].least, lv->nr_pages, sizeof(lv->nr_pages));
		memcpy(m->ranges[i].most, lv->nr_pages, sizeof(lv->nr_pages));
		m->ranges[i].last = *lv;
	}
}

void verify_sizes_event(struct verify *v, struct verify_moment *m, const struct event *ev)
{
	const struct lruvec *lv;

	if (ev->kind < EV_ADD || ev->kind > EV_HITSHIELD)
		return;
	lv = model_find_lruvec(v->p->model, ev->memcg, ev->nid);
	if (lv && grow_ranges(v, m))
		widen(m, lv);
}

static struct verify_range *find(struct verify_moment *m, uint32_t memcg_id, int nid)
{
	uint32_t i;

	for (i = m->nr_ranges; i-- > 0;) {
		const struct lruvec *lv = &m->ranges[i].last;

		if (lv->memcg_id == memcg_id && lv->nid == nid && !lv->offline)
			return &m->ranges[i];
	}
	return NULL;
}

static void note_parting(struct verify *v, unsigned at, const struct snapshot_lruvec *theirs,
			 uint64_t seq, unsigned index, unsigned type, const struct lruvec *lv)
{
	struct verify_parting *part = verify_add_parting(v, VERIFY_SIZE);
	unsigned i;

	if (!part)
		return;
	snprintf(part->name, sizeof(part->name), "%.90s node %d seq %" PRIu64 " %s", theirs->path,
		 theirs->nid, seq, type_name(type));
	part->at = v->moments[at].name;
	part->to_ns = v->moments[at].vmstat.end_ns;
	part->since = "when its cgroup was made";
	part->memcg = lv->memcg;
	part->nid = lv->nid;
	part->gen = index;
	part->type = type;
	for (i = at; i-- > 0;) {
		const struct verify_moment *m = &v->moments[i];

		if (lv->number >= m->nr_ranges || !m->ranges[lv->number].agreed[index][type])
			continue;
		part->since = m->name;
		part->from_ns = m->vmstat.end_ns;
		break;
	}
}

static void compare_cell(struct verify *v, unsigned at, const struct snapshot_lruvec *theirs,
			 const struct snapshot_gen *gen, unsigned type, struct verify_range *r)
{
	uint64_t nr = gen->nr_pages[type];
	unsigned index = gen->seq % r->last.nr_gens;
	int64_t least = r->least[index][type], most = r->most[index][type];
	int64_t ours = r->last.nr_pages[index][type];
	bool inside = (int64_t)nr >= least && (int64_t)nr <= most;

	v->nr_cells++;
	v->nr_cells_moving += least != most;
	v->nr_cells_differ += !inside;
	r->agreed[index][type] = inside;
	if (!inside)
		note_parting(v, at, theirs, gen->seq, index, type, &r->last);
	if (inside && !v->verbose)
		return;
	verify_begin_row(v);
	printf("%-20.20s %4d %6" PRIu64 " %-4s %10" PRIu64 " %10" PRId64, theirs->path, theirs->nid,
	       gen->seq, type_name(type), nr, ours);
	if (!inside)
		printf(" %+10" PRId64, ours - (int64_t)nr);
	if (least != most)
		printf("  (%" PRId64 " to %" PRId64 ")", least, most);
	putchar('\n');
}

int verify_sizes(struct verify *v, unsigned at, struct diag *diag)
{
	struct verify_moment *m = &v->moments[at];
	struct snapshot_lru_gen theirs;
	unsigned i, g, type;
	int ret = snapshot_read_lru_gen(&theirs, &m->files[VERIFY_LRU_GEN], diag);

	if (ret)
		return ret;
	for (i = 0; i < theirs.nr; i++) {
		const struct snapshot_lruvec *t = &theirs.lruvecs[i];
		struct verify_range *r = find(m, t->memcg_id, t->nid);

		for (g = 0; g < t->nr_gens; g++) {
			if (r ? !selection_has_memcg(&v->p->selection, r->last.memcg) :
				v->p->selection.has_memcg) {
				v->nr_unjudged += 2;
				continue;
			}
			if (!r || !r->last.complete) {
				v->nr_cells_skipped += 2;
				continue;
			}
			for (type = 0; type < TYPE_NR; type++) {
				if (verify_can_judge_folios(v, r->last.memcg, type))
					compare_cell(v, at, t, &t->gens[g], type, r);
				else
					v->nr_unjudged++;
			}
		}
	}
	snapshot_release_lru_gen(&theirs);
	return 0;
}
