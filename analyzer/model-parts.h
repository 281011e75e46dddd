/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files behind the model share: model.c applies events to folios and
 * lists, model-pages.c follows pages beyond their folios, model-state.c writes the
 * state as text and reads it back.
 */
#ifndef FOLIOSCOPE_MODEL_PARTS_H
#define FOLIOSCOPE_MODEL_PARTS_H

#include "err.h"
#include "model.h"

#define NO_GEN (-1)

/* The latest event of a CPU, if it was an eviction. */
struct evicting {
	uint64_t pfn, ts_ns;
	int32_t pid;
	uint16_t cpu;
	bool is_set;
};

#define NR_EVICTING 64u

struct model {
	model_observer_fn observer;
	void *self;
	struct folio_table *folios;
	struct map lruvec_map;
	struct lruvec **lruvecs;
	uint32_t nr_lruvecs, nr_lruvecs_alloc;
	struct lruvec *last_lruvec;
	struct model_list **lists;
	uint32_t nr_lists, nr_lists_alloc;
	struct page_table pages;
	uint32_t evicted_orders;	/* bit n: folios of order n were evicted */
	uint32_t epoch;			/* losses so far */
	uint32_t page_epoch;		/* evictions of an earlier one may be outdated */
	uint32_t last_life;		/* number of the latest that began */
	bool in_loss;
	struct evicting evicting[NR_EVICTING];	/* in a loss, by CPU modulo NR_EVICTING */
	const struct selection *selection;	/* NULL: everything */
	bool was_restored;		/* from a state in the recording */
	bool had_multi_gen, had_outcomes;	/* before the cut: see struct model_stats */
	bool is_restoring;		/* the state is not complete yet */
	bool is_standalone;		/* the event says nothing of the folio before it */
	uint64_t loss_until_ns;
	uint64_t doubt_until_ns;	/* events of changes before it may still come */
	int error;			/* -ERR_NOMEM met in a callback depth */
	struct model_stats stats;
};

/* model_find_or_add_lruvec(): NULL without memory, which model->error then says. */
struct lruvec *model_find_or_add_lruvec(struct model *m, uint64_t memcg, int nid);

/* get_lruvec(): the same, without a search if it is that of the event before. */
static inline struct lruvec *get_lruvec(struct model *m, uint64_t memcg, int nid)
{
	struct lruvec *lv = m->last_lruvec;

	/* most often that of the event before */
	if (lv && lv->memcg == memcg && lv->nid == nid)
		return lv;
	return model_find_or_add_lruvec(m, memcg, nid);
}

/*
 * model_get_list(): the list of @kind, made if there is none; NULL without memory,
 * which model->error then says.
 */
struct model_list *model_get_list(struct model *m, struct lruvec *lv, unsigned gen, unsigned kind,
				  unsigned zone);

/*
 * model_new_page(): number of a new record of @id, of a page of @type, + 1; 0 without
 * memory, which model->error then says.
 */
uint32_t model_new_page(struct model *m, const struct page_id *id, unsigned type);

/*
 * model_page_of_evicted(): the page of a folio that is evicted: its own record, under
 * its identity of now; NULL without memory, which model->error then says.
 */
struct page *model_page_of_evicted(struct model *m, const struct event *ev, struct folio *f);

/*
 * model_note_span(): @page is as the eviction @ev of its large folio left it: record
 * the same of all pages that the folio stands for.
 */
void model_note_span(struct model *m, const struct event *ev, const struct page *page);

/*
 * model_page_coming_back(): number of the record of the page @id, of @type, that comes
 * back + 1, with its latest eviction, or with none if something may have happened to
 * it unseen. Without a record one is made if @must or if it was evicted; else 0.
 */
uint32_t model_page_coming_back(struct model *m, const struct page_id *id, unsigned type,
				bool must);

/*
 * model_restore(): if the marker @ev holds a part of a state, and nothing came before,
 * take it; without memory model->error says so.
 */
void model_restore(struct model *m, const struct event *ev);

/* Inline, for what happens with every event. */

/*
 * Field by field: compilers clear a struct of this size by a string instruction, or
 * copy it in wider parts than were just stored, and either costs more than all
 * else here.
 */
static inline __attribute__((always_inline)) void
change_init(struct change *c, enum change_kind kind, const struct event *ev, struct lruvec *lv,
	    struct folio *f, uint64_t pfn)
{
	c->kind = kind;
	c->ev = ev;
	c->ts_ns = ev ? ev->ts_ns : 0;
	c->lruvec = lv;
	c->folio = f;
	c->page = NULL;
	c->pfn = pfn;
	c->old_gen = c->new_gen = f ? f->gen : NO_GEN;
	c->gen_ns = 0;
	c->gen_ns_known = false;
	c->is_late = false;
	/* without it nothing is valid of the position */
	c->old_list = NULL;
	c->new_list = NULL;
	c->end = END_RESIDENT;
}

static inline void emit(struct model *m, struct change *c)
{
	m->observer(m->self, c);
}

static inline void count(uint16_t *counter)
{
	if (*counter < FOLIO_COUNT_MAX)
		++*counter;
}

static inline struct lruvec *lruvec_of(const struct model *m, const struct folio *f)
{
	return f->lruvec ? m->lruvecs[f->lruvec - 1] : NULL;
}

static inline bool is_alive(const struct folio *f)
{
	return f->state != FOLIO_UNSEEN && f->state != FOLIO_GONE;
}

/* @number of the record + 1, or 0. */
static inline void set_page(struct model *m, struct folio *f, uint32_t number)
{
	if (f->page == number)
		return;
	if (number)
		page_table_hold(&m->pages, number - 1);
	if (f->page)
		page_table_drop(&m->pages, f->page - 1);
	f->page = number;
}

/* Since the recording began of which this may be a part. */
static inline bool has_multi_gen(const struct model *m)
{
	return m->had_multi_gen || m->stats.nr_multi_gen;
}

static inline bool has_outcomes(const struct model *m)
{
	return m->had_outcomes || m->stats.nr_outcomes;
}

static inline struct page *page_of(const struct model *m, const struct folio *f)
{
	return f->page ? page_table_at(&m->pages, f->page - 1) : NULL;
}

static inline struct page_id id_of(const struct event *ev)
{
	return (struct page_id){
		.ino = ev->u.page.ino,
		.index = ev->u.page.index,
		.dev = ev->u.page.dev,
		.backing = ev->u.page.backing,
	};
}

#endif /* FOLIOSCOPE_MODEL_PARTS_H */
