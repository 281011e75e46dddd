// SPDX-License-Identifier: GPL-2.0-only
/*
 * The state as text, see formats/trim.md: items separated by "; ", of hexadecimal
 * numbers separated by spaces.
 */
#include "model-parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small fields of a folio in one number. */
static uint64_t pack_folio(const struct folio *f)
{
	return (uint64_t)f->order | (uint64_t)f->prev_gen << 5 | (uint64_t)f->type << 8 |
	       (uint64_t)f->zone << 9 | (uint64_t)f->await_before << 12 |
	       (uint64_t)f->is_lazyfree << 13 | (uint64_t)f->has_shadow << 14 |
	       (uint64_t)f->gen_known << 15 | (uint64_t)f->state << 16 | (uint64_t)f->birth << 19 |
	       (uint64_t)f->shield << 22 | (uint64_t)f->inc_len << 23 | (uint64_t)f->inc_seq << 25 |
	       (uint64_t)f->last_kind << 29 | (uint64_t)f->last_site << 37 |
	       (uint64_t)f->await << 45 | (uint64_t)(f->gen + 1) << 53;
}

static void unpack_folio(struct folio *f, uint64_t packed)
{
	f->order = packed & 31;
	f->prev_gen = packed >> 5 & 7;
	f->type = packed >> 8 & 1;
	f->zone = packed >> 9 & 7;
	f->await_before = packed >> 12 & 1;
	f->is_lazyfree = packed >> 13 & 1;
	f->has_shadow = packed >> 14 & 1;
	f->gen_known = packed >> 15 & 1;
	f->state = packed >> 16 & 7;
	f->birth = packed >> 19 & 7;
	f->shield = packed >> 22 & 1;
	f->inc_len = packed >> 23 & 3;
	f->inc_seq = packed >> 25 & 15;
	f->last_kind = packed >> 29 & 255;
	f->last_site = packed >> 37 & 255;
	f->await = packed >> 45 & 255;
	f->gen = (int)(packed >> 53 & 15) - 1;
}

struct dump {
	int (*put)(void *self, const char *text);
	void *self;
	int ret;
	unsigned len, max_bytes;
	char text[MODEL_STATE_BYTES + 1];
};

static void flush_dump(struct dump *d)
{
	if (d->len && !d->ret)
		d->ret = d->put(d->self, d->text);
	d->len = 0;
}

static __attribute__((format(printf, 2, 3))) void put_item(struct dump *d, const char *fmt, ...)
{
	char item[400];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(item, sizeof(item), fmt, args);
	va_end(args);
	if (d->len + len + 2 > d->max_bytes)
		flush_dump(d);
	if (!d->len)
		d->len = snprintf(d->text, sizeof(d->text), "%s", MODEL_STATE_PREFIX);
	else
		d->len += snprintf(d->text + d->len, sizeof(d->text) - d->len, "; ");
	d->len += snprintf(d->text + d->len, sizeof(d->text) - d->len, "%s", item);
}

static void dump_folio(const struct model *m, struct dump *d, const struct folio *f, uint64_t pfn)
{
	const struct model_list *list = f->list ? m->lists[f->list - 1] : NULL;

	put_item(d, "F %x %llx %llx %x %x %x %x %x %x %x %llx %llx %llx", f->life,
		 (unsigned long long)pfn,
		 (unsigned long long)pack_folio(f), f->lruvec, list ? list->gen + 1 : 0,
		 list ? list->kind : 0, f->page, f->nr_promoted, f->nr_protected, f->nr_isolated,
		 (unsigned long long)f->birth_ns, (unsigned long long)f->since_ns,
		 (unsigned long long)f->last_ns);
}

/* Are events of @f in the recording that @selection describes? */
static bool is_selected(const struct model *m, const struct selection *selection,
			const struct folio *f, uint64_t pfn)
{
	return selection_has_pfn(selection, pfn) &&
	       (!f->lruvec || selection_has_memcg(selection, m->lruvecs[f->lruvec - 1]->memcg));
}

int model_dump(const struct model *m, const struct selection *selection, unsigned max_bytes,
	       int (*put)(void *self, const char *text), void *self)
{
	struct dump d = {
		.put = put,
		.self = self,
		.max_bytes = max_bytes < MODEL_STATE_BYTES ? max_bytes : MODEL_STATE_BYTES,
	};
	uint32_t i, label, handle = 0;
	uint64_t pfn;
	struct folio *f;

	put_item(&d, "M %x %x %llx %x %x", m->in_loss, m->evicted_orders,
		 (unsigned long long)m->loss_until_ns, m->last_life,
		 has_multi_gen(m) | has_outcomes(m) << 1 | !!m->epoch << 2 | !!m->page_epoch << 3);
	for (i = 0; i < m->nr_lruvecs; i++) {
		const struct lruvec *lv = m->lruvecs[i];

		put_item(&d, "L %llx %x %x %x %x %llx %llx %llx %llx %llx %llx",
			 (unsigned long long)lv->memcg, (uint16_t)lv->nid, lv->nr_gens,
			 lv->seq_known | lv->min_known[0] << 1 | lv->min_known[1] << 2 |
				 (lv->complete && !selection_is_sparse(selection) &&
				  selection_has_memcg(selection, lv->memcg)) << 3 |
				 lv->offline << 4 | lv->released << 5 |
				 lv->enabled_known << 6 | lv->enabled << 7 | lv->is_drained << 8,
			 lv->memcg_id, (unsigned long long)lv->max_seq,
			 (unsigned long long)lv->min_seq[0], (unsigned long long)lv->min_seq[1],
			 (unsigned long long)lv->nr_reclaimed[0],
			 (unsigned long long)lv->nr_reclaimed[1],
			 (unsigned long long)lv->nr_max_seq);
	}
	for (i = 0; i < m->pages.nr; i++) {
		const struct page *page = page_table_at(&m->pages, i);

		put_item(&d, "P %x %x %llx %llx %llx %llx %llx %llx %x %x %x %x %x",
			 page->backing | page->type << 8 | page->is_resident << 9 |
				 (page->epoch != m->page_epoch) << 10,
			 page->dev,
			 (unsigned long long)page->ino, (unsigned long long)page->index,
			 (unsigned long long)page->evict_ns, (unsigned long long)page->evict_clock,
			 page->has_evict_seq ? (unsigned long long)page->evict_seq : 0,
			 (unsigned long long)page->evict_pfn,
			 page->evict_life, page->lruvec, page->nr_evictions, page->nr_refaults,
			 page->tier);
	}
	/* lists from the old end, then what is on none */
	for (i = 0; i < m->nr_lists; i++)
		for (label = m->lists[i]->order.begin;
		     lrulist_next(&m->lists[i]->order, &label, &handle); label++) {
			f = folio_table_at(m->folios, handle, &pfn);
			if (is_selected(m, selection, f, pfn))
				dump_folio(m, &d, f, pfn);
		}
	handle = 0;
	while ((f = folio_table_next(m->folios, &handle, &pfn)))
		if (is_alive(f) && f->epoch == m->epoch && !f->list &&
		    is_selected(m, selection, f, pfn))
			dump_folio(m, &d, f, pfn);
	put_item(&d, "E");
	flush_dump(&d);
	return d.ret;
}

bool model_was_restored(const struct model *m)
{
	return m->was_restored;
}

/* The next @nr hexadecimal numbers of @text; false if there are fewer. */
static bool scan_numbers(const char **text, uint64_t *numbers, unsigned nr)
{
	unsigned i;

	for (i = 0; i < nr; i++) {
		char *end;

		if (**text != ' ')
			return false;
		numbers[i] = strtoull(*text, &end, 16);
		if (end == *text)
			return false;
		*text = end;
	}
	return true;
}

static bool restore_lruvec(struct model *m, const uint64_t *n)
{
	struct lruvec *lv;

	if (n[2] < 1 || n[2] > MODEL_MAX_GENS)
		return false;
	lv = get_lruvec(m, n[0], (int16_t)n[1]);
	if (!lv)
		return false;
	lv->nr_gens = n[2];
	lv->seq_known = n[3] & 1;
	lv->min_known[0] = n[3] >> 1 & 1;
	lv->min_known[1] = n[3] >> 2 & 1;
	lv->complete = n[3] >> 3 & 1;
	lv->offline = n[3] >> 4 & 1;
	lv->released = n[3] >> 5 & 1;
	lv->enabled_known = n[3] >> 6 & 1;
	lv->enabled = n[3] >> 7 & 1;
	lv->is_drained = n[3] >> 8 & 1;
	lv->was_classic = lv->enabled_known && !lv->enabled;
	lv->memcg_id = n[4];
	lv->max_seq = n[5];
	lv->min_seq[0] = n[6];
	lv->min_seq[1] = n[7];
	lv->nr_reclaimed[0] = n[8];
	lv->nr_reclaimed[1] = n[9];
	lv->nr_max_seq = n[10];
	return true;
}

static bool restore_page(struct model *m, const uint64_t *n)
{
	const struct page_id id = { .ino = n[2], .index = n[3], .dev = n[1], .backing = n[0] };
	struct page *page;
	uint32_t number;

	if (n[9] >= m->nr_lruvecs)
		return false;
	number = model_new_page(m, &id, n[0] >> 8 & 1);
	if (!number)
		return false;
	page = page_table_at(&m->pages, number - 1);
	page->is_resident = n[0] >> 9 & 1;
	page->epoch = n[0] >> 10 & 1 ? 0 : m->page_epoch;
	page->evict_ns = n[4];
	page->evict_clock = n[5];
	page->has_evict_seq = n[6] != 0;
	page->evict_seq = n[6];
	page->evict_pfn = n[7];
	page->evict_life = n[8];
	page->lruvec = n[9];
	page->nr_evictions = n[10];
	page->nr_refaults = n[11];
	page->tier = n[12] < PAGE_MAX_TIER ? n[12] : PAGE_MAX_TIER;
	return true;
}

static bool restore_folio(struct model *m, const struct event *ev, const uint64_t *n)
{
	uint64_t life = *n++;
	struct lruvec *lv = n[2] && n[2] <= m->nr_lruvecs ? m->lruvecs[n[2] - 1] : NULL;
	struct folio *f = folio_table_get(m->folios, n[0], NULL);
	struct model_list *list;
	struct change c;
	uint32_t label;

	if (!f || is_alive(f) || !life || life > m->last_life || n[5] > m->pages.nr ||
	    n[3] > MODEL_MAX_GENS || n[4] >= LIST_NR ||
	    (n[3] && !lv))
		return false;
	unpack_folio(f, n[1]);
	if (f->order > FOLIO_MAX_ORDER || f->gen >= MODEL_MAX_GENS || f->birth >= BIRTH_NR ||
	    !is_alive(f) || f->state > FOLIO_GONE || (f->state == FOLIO_ON_LIST) != (n[3] > 0) ||
	    (f->gen != NO_GEN && !lv)) {
		f->state = FOLIO_UNSEEN;
		f->gen = NO_GEN;
		return false;
	}
	f->epoch = m->epoch;
	f->lruvec = n[2];
	set_page(m, f, n[5]);
	f->nr_promoted = n[6];
	f->nr_protected = n[7];
	f->nr_isolated = n[8];
	f->birth_ns = n[9];
	f->since_ns = n[10];
	f->last_ns = n[11];
	f->life = life;
	m->stats.nr_lives++;
	m->stats.nr_born_unknown += f->birth == BIRTH_UNKNOWN;
	f->list = 0;
	f->nr_passed = 0;
	if (f->page && page_of(m, f)->is_resident)
		page_of(m, f)->life = f->life;
	if (f->gen != NO_GEN)
		lv->nr_pages[f->gen][f->type] += 1ll << f->order;
	if (n[3]) {
		list = model_get_list(m, lv, n[3] - 1, n[4], f->zone);
		if (!list)
			return false;
		if (lrulist_add(&list->order, folio_table_handle(m->folios, n[0]), 1u << f->order,
				false, &label)) {
			m->error = -ERR_NOMEM;
			return false;
		}
		f->label = label;
		f->list = lv->lists[n[3] - 1][n[4]][f->zone];
		lv->nr_listed[list->gen][list->kind]++;
		lv->nr_lazyfree += f->is_lazyfree;
	}
	change_init(&c, CHANGE_BORN, ev, lv, f, n[0]);
	emit(m, &c);
	return true;
}

/* One item of a state; returns where the next one begins, NULL if it is none. */
static const char *restore_item(struct model *m, const struct event *ev, const char *text)
{
	uint64_t n[13];
	char kind = *text++;
	bool good;

	switch (kind) {
	case 'M':
		good = scan_numbers(&text, n, 5) && n[3] <= UINT32_MAX;
		if (good) {
			m->in_loss = n[0];
			m->evicted_orders = n[1];
			m->loss_until_ns = n[2];
			m->last_life = n[3];
			m->had_multi_gen = n[4] & 1;
			m->had_outcomes = n[4] >> 1 & 1;
			m->epoch = n[4] >> 2 & 1;
			m->page_epoch = n[4] >> 3 & 1;
		}
		break;
	case 'L':
		good = scan_numbers(&text, n, 11) && restore_lruvec(m, n);
		break;
	case 'P':
		good = scan_numbers(&text, n, 13) && restore_page(m, n);
		break;
	case 'F':
		good = scan_numbers(&text, n, 13) && restore_folio(m, ev, n);
		break;
	case 'E':
		good = true;
		m->is_restoring = false;
		break;
	default:
		good = false;
	}
	return good ? text + strspn(text, "; \n") : NULL;
}

/* A state of another version: the same beginning, and another number. */
static bool is_other_state(const char *text)
{
	const size_t number_at = strlen(MODEL_STATE_PREFIX) - 2;

	return !memcmp(text, MODEL_STATE_PREFIX, number_at) && text[number_at] >= '0' &&
	       text[number_at] <= '9';
}

void model_restore(struct model *m, const struct event *ev)
{
	const size_t prefix = strlen(MODEL_STATE_PREFIX);
	const char *item;
	char *text;

	if (ev->u.marker.len_bytes < prefix || m->stats.nr_events ||
	    (m->was_restored && !m->is_restoring))
		return;
	if (memcmp(ev->u.marker.text, MODEL_STATE_PREFIX, prefix)) {
		if (is_other_state(ev->u.marker.text))
			m->error = -ERR_STATE;
		return;
	}
	text = strndup(ev->u.marker.text, ev->u.marker.len_bytes);
	if (!text) {
		m->error = -ERR_NOMEM;
		return;
	}
	m->was_restored = m->is_restoring = true;
	for (item = text + prefix; item && *item;)
		item = restore_item(m, ev, item);
	if (!item) {
		/* damaged: what was taken so far cannot be trusted to be all */
		m->stats.nr_refused++;
		m->is_restoring = false;
	}
	free(text);
}
