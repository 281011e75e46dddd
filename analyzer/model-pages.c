// SPDX-License-Identifier: GPL-2.0-only
/* Pages beyond folios: what was evicted, and what comes back. */
#include "model-parts.h"

struct page *model_page(const struct model *m, const struct folio *f)
{
	return page_of(m, f);
}

uint32_t model_new_page(struct model *m, const struct page_id *id, unsigned type)
{
	uint32_t number = page_table_add(&m->pages, id);

	if (number)
		page_table_at(&m->pages, number - 1)->type = type;
	else
		m->error = -ERR_NOMEM;
	return number;
}

struct page *model_page_of_evicted(struct model *m, const struct event *ev, struct folio *f)
{
	struct page *own = page_of(m, f);
	const struct page_id id = id_of(ev);
	uint32_t number;

	if (own && page_is(own, &id))
		return own;
	number = page_table_find(&m->pages, &id);
	if (number && id.backing == BACKING_FILE && !own) {
		/* a file page keeps its identity whatever was not seen between */
		set_page(m, f, number);
		return page_of(m, f);
	}
	if (number)
		/* the swap entry belonged to another page before */
		page_table_forget(&m->pages, number - 1);
	if (!own) {
		set_page(m, f, model_new_page(m, &id, ev->type));
		return page_of(m, f);
	}
	if (page_table_rename(&m->pages, f->page - 1, &id))
		m->error = -ERR_NOMEM;
	own->type = ev->type;
	return own;
}

/*
 * A large folio that is evicted stands for many pages that may come back one by
 * one. Its eviction is recorded once, under a name that no event has: the
 * backing and the order, and the index of the first.
 */
static uint8_t span_backing(unsigned backing, unsigned order)
{
	return 0x80 | order << 2 | backing;
}

void model_note_span(struct model *m, const struct event *ev, const struct page *page)
{
	struct page_id id = id_of(ev);
	unsigned nr_holders;
	struct page *span;
	uint32_t number;

	id.backing = span_backing(id.backing, ev->order);
	number = page_table_find(&m->pages, &id);
	if (!number)
		number = model_new_page(m, &id, ev->type);
	if (!number)
		return;
	span = page_table_at(&m->pages, number - 1);
	nr_holders = span->nr_holders;
	*span = *page;
	span->backing = id.backing;
	span->nr_holders = nr_holders;
	m->evicted_orders |= 1u << ev->order;
}

/* The latest eviction of the page @id as part of a large folio, if that is known; else NULL. */
static const struct page *find_span(const struct model *m, const struct page_id *id)
{
	const struct page *best = NULL;
	unsigned order;

	for (order = 1; m->evicted_orders >> order; order++) {
		struct page_id first = *id;
		const struct page *span;
		uint32_t number;

		if (!(m->evicted_orders >> order & 1))
			continue;
		first.backing = span_backing(id->backing, order);
		first.index &= ~((1ull << order) - 1);
		number = page_table_find(&m->pages, &first);
		span = number ? page_table_at(&m->pages, number - 1) : NULL;
		if (span && !m->in_loss && span->epoch == m->page_epoch &&
		    (!best || span->evict_ns > best->evict_ns))
			best = span;
	}
	return best;
}

uint32_t model_page_coming_back(struct model *m, const struct page_id *id, unsigned type,
				bool must)
{
	const struct page *span = find_span(m, id);
	uint32_t number = page_table_find(&m->pages, id);
	struct page *page;

	if (number && id->backing == BACKING_SWAP &&
	    page_table_at(&m->pages, number - 1)->epoch != m->page_epoch) {
		/* the entry may have been freed and given to another page unseen */
		page_table_forget(&m->pages, number - 1);
		number = 0;
	}
	if (!number && (must || span))
		number = model_new_page(m, id, type);
	if (!number)
		return 0;
	page = page_table_at(&m->pages, number - 1);
	if (m->in_loss || page->epoch != m->page_epoch)
		page->evict_ns = 0;
	if (!span || span->evict_ns <= page->evict_ns)
		return number;
	page->evict_ns = span->evict_ns;
	page->evict_clock = span->evict_clock;
	page->has_evict_seq = span->has_evict_seq;
	page->evict_seq = span->evict_seq;
	page->evict_pfn = span->evict_pfn;
	page->evict_life = span->evict_life;
	page->epoch = span->epoch;
	page->lruvec = span->lruvec;
	page->tier = span->tier;
	count(&page->nr_evictions);
	return number;
}
