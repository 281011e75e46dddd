// SPDX-License-Identifier: GPL-2.0-only
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "grow.h"

static void note_end(struct replay *r, const struct change *c)
{
	const struct folio *f = c->folio;
	struct replay_life *life;

	sim_grow(&r->lives, r->nr_lives, &r->nr_lives_alloc, sizeof(*life));
	life = &r->lives[r->nr_lives++];
	memset(life, 0, sizeof(*life));
	life->number = f->life;
	life->life.pfn = c->pfn;
	life->life.birth_ns = f->birth_ns;
	life->life.end_ns = c->ts_ns;
	life->life.birth = f->birth;
	life->life.end = c->end;
	life->life.order = f->order;
	life->life.type = f->type;
	life->life.nr_promoted = f->nr_promoted;
	life->life.nr_protected = f->nr_protected;
	life->life.nr_isolated = f->nr_isolated;
}

static void note_refault(struct replay *r, const struct change *c)
{
	const struct page *page = c->page;
	struct sim_refault *refault;

	sim_grow(&r->refaults, r->nr_refaults, &r->nr_refaults_alloc, sizeof(*refault));
	refault = &r->refaults[r->nr_refaults++];
	memset(refault, 0, sizeof(*refault));
	refault->pfn = c->pfn;
	refault->ts_ns = c->ts_ns;
	refault->is_chained = page && page->evict_ns;
	if (refault->is_chained) {
		const struct lruvec *lv = model_lruvec(r->model, page->lruvec);

		refault->distance_ns = c->ts_ns - page->evict_ns;
		refault->distance_pages = lv->nr_reclaimed[c->ev->type] - page->evict_clock;
		if (!model_agings(lv, page, &refault->distance_gens))
			refault->distance_gens = UINT64_MAX;
	}
}

/* Only what it asks for, as the pipeline does. */
static void tell(const struct analysis_ops *ops, void *self, const struct change *c)
{
	if (!ops->kinds || ops->kinds >> c->kind & 1)
		ops->change(self, c);
}

static void observe(void *self, const struct change *c)
{
	struct replay *r = self;

	if (c->kind == CHANGE_LOST) {
		analysis_order.lost(r->order);
		analysis_lazyfree.lost(r->lazyfree);
		return;
	}
	tell(&analysis_order, r->order, c);
	tell(&analysis_lazyfree, r->lazyfree, c);
	tell(&analysis_refault, r->refault, c);
	if (c->kind == CHANGE_END)
		note_end(r, c);
	if (c->kind == CHANGE_REFAULT)
		note_refault(r, c);
}

static void note_violation(void *self, const struct violation *v)
{
	struct replay *r = self;

	sim_grow(&r->violations, r->nr_violations, &r->nr_violations_alloc, sizeof(*v));
	r->violations[r->nr_violations++] = *v;
}

void replay_init(struct replay *r)
{
	memset(r, 0, sizeof(*r));
	r->model = model_new(observe, r);
	if (!r->model)
		abort();
	r->env.model = r->model;
	r->env.opts = &r->opts;
	r->env.on_violation = note_violation;
	r->env.violation_self = r;
	r->order = analysis_order.begin(&r->env);
	r->lazyfree = analysis_lazyfree.begin(&r->env);
	r->refault = analysis_refault.begin(&r->env);
	if (!r->order || !r->lazyfree || !r->refault)
		abort();
	r->order_results = order_results(r->order);
	r->lazyfree_results = lazyfree_results(r->lazyfree);
	r->refault_results = refault_results(r->refault);
}

void replay_release(struct replay *r)
{
	analysis_order.release(r->order);
	analysis_lazyfree.release(r->lazyfree);
	analysis_refault.release(r->refault);
	model_free(r->model);
	free(r->lives);
	free(r->refaults);
	free(r->violations);
	memset(r, 0, sizeof(*r));
}

void replay_event(struct replay *r, const struct event *ev)
{
	if (ev->ts_ns > r->last_ts_ns)
		r->last_ts_ns = ev->ts_ns;
	if (model_apply(r->model, ev))
		abort();
}

void replay_end(struct replay *r)
{
	model_finish(r->model, r->last_ts_ns, false);
	analysis_order.end(r->order);
	analysis_lazyfree.end(r->lazyfree);
}
