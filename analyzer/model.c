// SPDX-License-Identifier: GPL-2.0-only
#include "model-parts.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"

#define DEFAULT_NR_GENS 4

static void relabel(void *owner, uint32_t handle, uint32_t label)
{
	struct model *m = owner;

	folio_table_at(m->folios, handle, NULL)->label = label;
}

static uint32_t nr_labels(void *owner, uint32_t handle)
{
	struct model *m = owner;

	return 1u << folio_table_at(m->folios, handle, NULL)->order;
}

static void prefetch(void *owner, uint32_t handle)
{
	struct model *m = owner;

	__builtin_prefetch(folio_table_at(m->folios, handle, NULL), 1);
}

static const struct lrulist_ops list_ops = {
	.relabel = relabel,
	.nr_labels = nr_labels,
	.prefetch = prefetch,
};

struct model *model_new(model_observer_fn observer, void *self)
{
	struct model *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->observer = observer;
	m->self = self;
	m->folios = folio_table_new();
	if (!m->folios) {
		free(m);
		return NULL;
	}
	return m;
}

void model_free(struct model *m)
{
	uint32_t i;

	if (!m)
		return;
	for (i = 0; i < m->nr_lists; i++) {
		lrulist_release(&m->lists[i]->order);
		free(m->lists[i]);
	}
	free(m->lists);
	for (i = 0; i < m->nr_lruvecs; i++)
		free(m->lruvecs[i]);
	free(m->lruvecs);
	page_table_release(&m->pages);
	map_release(&m->lruvec_map);
	folio_table_free(m->folios);
	free(m);
}

/*
 * lruvecs
 */

static uint64_t lruvec_key(uint64_t memcg, int nid)
{
	return map_hash(memcg) ^ (uint64_t)(uint16_t)nid << 48;
}

struct lruvec *model_find_lruvec(const struct model *m, uint64_t memcg, int nid)
{
	uint64_t key = lruvec_key(memcg, nid);
	uint32_t i;

	for (; map_get(&m->lruvec_map, key, &i); key++)
		if (m->lruvecs[i]->memcg == memcg && m->lruvecs[i]->nid == nid)
			return m->lruvecs[i];
	return NULL;
}

struct lruvec *model_find_or_add_lruvec(struct model *m, uint64_t memcg, int nid)
{
	struct lruvec *lv = model_find_lruvec(m, memcg, nid);
	uint64_t key = lruvec_key(memcg, nid);

	if (!lv) {
		if (array_grow(&m->lruvecs, m->nr_lruvecs, &m->nr_lruvecs_alloc, sizeof(*m->lruvecs)))
			goto no_memory;
		lv = calloc(1, sizeof(*lv));
		if (!lv)
			goto no_memory;
		lv->memcg = memcg;
		lv->nid = nid;
		lv->number = m->nr_lruvecs;
		lv->nr_gens = DEFAULT_NR_GENS;
		while (map_get(&m->lruvec_map, key, NULL))
			key++;
		if (map_set(&m->lruvec_map, key, m->nr_lruvecs)) {
			free(lv);
			goto no_memory;
		}
		m->lruvecs[m->nr_lruvecs++] = lv;
	}
	m->last_lruvec = lv;
	return lv;

no_memory:
	m->error = -ERR_NOMEM;
	return NULL;
}

uint32_t model_nr_lruvecs(const struct model *m)
{
	return m->nr_lruvecs;
}

struct lruvec *model_lruvec(const struct model *m, uint32_t number)
{
	return number < m->nr_lruvecs ? m->lruvecs[number] : NULL;
}

uint64_t model_seq(const struct lruvec *lv, unsigned gen)
{
	return lv->max_seq - model_age(lv, gen);
}

struct model_list *model_list_at(const struct model *m, uint32_t number)
{
	return number < m->nr_lists ? m->lists[number] : NULL;
}

struct model_list *model_list(const struct model *m, const struct lruvec *lv, unsigned gen,
			      unsigned kind, unsigned zone)
{
	if (gen >= MODEL_MAX_GENS || kind >= LIST_NR || zone >= MODEL_MAX_ZONES)
		return NULL;
	/* number + 1, so that 0 wraps to a number that does not exist */
	return model_list_at(m, lv->lists[gen][kind][zone] - 1);
}

struct model_list *model_get_list(struct model *m, struct lruvec *lv, unsigned gen, unsigned kind,
				  unsigned zone)
{
	uint32_t *slot = &lv->lists[gen][kind][zone];
	struct model_list *list;

	if (*slot)
		return m->lists[*slot - 1];
	if (array_grow(&m->lists, m->nr_lists, &m->nr_lists_alloc, sizeof(*m->lists)))
		goto no_memory;
	list = calloc(1, sizeof(*list));
	if (!list)
		goto no_memory;
	lrulist_init(&list->order, &list_ops, m);
	list->lruvec = lv->number;
	list->gen = gen;
	list->kind = kind;
	list->type = kind == LIST_LAZYFREE ? TYPE_FILE : kind;
	list->zone = zone;
	m->lists[m->nr_lists] = list;
	*slot = ++m->nr_lists;
	return list;

no_memory:
	m->error = -ERR_NOMEM;
	return NULL;
}

/*
 * state errors
 */

static const char *const state_error_texts[] = {
#define X(name, text) text,
	STATE_ERROR_LIST(X)
#undef X
};

const char *state_error_text(enum state_error error)
{
	return error < STATE_ERROR_NR ? state_error_texts[error] : "?";
}

static void state_error(struct model *m, enum state_error error, const struct event *ev,
			const struct folio *f, uint64_t pfn, int expected_gen)
{
	struct state_error_sample *s;

	if (m->in_loss)
		return;
	if ((error == STATE_ERROR_GEN_UNSEEN || error == STATE_ERROR_GEN_LATE) && f->is_doubtful)
		return;
	m->stats.nr_errors[error]++;
	if (m->stats.nr_samples == MODEL_ERROR_SAMPLES)
		return;
	s = &m->stats.samples[m->stats.nr_samples++];
	memset(s, 0, sizeof(*s));
	s->error = error;
	s->pfn = pfn;
	s->gen = f ? f->gen : NO_GEN;
	s->expected_gen = expected_gen;
	if (ev) {
		s->ts_ns = ev->ts_ns;
		s->kind = ev->kind;
		s->site = ev->site;
	}
	if (f) {
		s->previous_ns = f->last_ns;
		s->previous_kind = f->last_kind;
		s->previous_site = f->last_site;
	}
}

uint64_t model_nr_errors(const struct model *m)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < STATE_ERROR_NR; i++)
		sum += m->stats.nr_errors[i];
	return sum;
}

/*
 * changes
 */

/* Account the generation in the flags and tell in @c what it was and how long. */
static void set_gen(struct model *m, struct folio *f, int gen, struct change *c)
{
	if (c) {
		c->old_gen = f->gen;
		c->new_gen = gen;
		c->gen_ns_known = f->gen != NO_GEN && f->gen_known && c->ts_ns >= f->since_ns;
		c->gen_ns = c->gen_ns_known ? c->ts_ns - f->since_ns : 0;
	}
	if (f->gen == gen)
		return;
	if (f->lruvec) {
		struct lruvec *lv = m->lruvecs[f->lruvec - 1];
		int64_t nr_pages = 1ll << f->order;

		if (f->gen != NO_GEN)
			lv->nr_pages[f->gen][f->type] -= nr_pages;
		if (gen != NO_GEN)
			lv->nr_pages[gen][f->type] += nr_pages;
	}
	f->gen = gen;
	if (c) {
		f->since_ns = c->ts_ns;
		f->gen_known = true;
	}
}

/* The kind of the list that @ev, with the folio @f, is about. */
static unsigned list_kind(const struct event *ev, const struct folio *f)
{
	return ev->is_own_list ? LIST_LAZYFREE : f->type;
}

static void link_folio(struct model *m, struct lruvec *lv, struct folio *f, uint64_t pfn, int gen,
		       bool tail, struct change *c)
{
	unsigned kind = list_kind(c->ev, f);
	struct model_list *list;
	uint32_t label;

	if (m->in_loss) {
		/* it may be gone before the next event */
		f->state = FOLIO_SOMEWHERE;
		return;
	}
	list = model_get_list(m, lv, gen, kind, f->zone);
	if (!list)
		return;
	c->new_list = list;
	c->new_list_nr = list->order.nr_folios;
	if (lrulist_add(&list->order, folio_table_handle(m->folios, pfn), 1u << f->order, tail,
			&label)) {
		m->error = -ERR_NOMEM;
		return;
	}
	f->label = label;
	f->list = lv->lists[gen][kind][f->zone];
	f->state = FOLIO_ON_LIST;
	lv->nr_listed[gen][kind]++;
	lv->nr_lazyfree += f->is_lazyfree;
}

/* Does anything ask for the position of a folio that leaves from @site? */
static bool wants_rank(unsigned site)
{
	return site == SITE_ISOLATE_FOLIO || site == SITE_SCAN_SKIPPED || site == SITE_SORT_SHIELDED;
}

static uint64_t nr_in_older_gens(const struct lruvec *lv, const struct model_list *list)
{
	unsigned older, gen = list->gen % lv->nr_gens;
	uint64_t nr = 0;

	if (!lv->seq_known)
		return 0;
	for (older = model_age(lv, gen) + 1; older < lv->nr_gens; older++) {
		gen = (gen ? gen : lv->nr_gens) - 1;
		nr += lv->nr_listed[gen][list->kind];
	}
	return nr;
}

static void unlink_folio(struct model *m, struct folio *f, unsigned site, struct change *c)
{
	struct model_list *list;
	struct lruvec *lv;

	if (!f->list)
		return;
	list = m->lists[f->list - 1];
	lv = m->lruvecs[list->lruvec];
	if (c) {
		c->old_list = list;
		c->old_label = f->label;
		c->nr_older = c->nr_younger = 0;
		c->nr_older_gens = 0;
		if (wants_rank(site)) {
			c->nr_older = lrulist_rank(&list->order, f->label);
			c->nr_younger = list->order.nr_folios - 1 - c->nr_older;
			if (site == SITE_ISOLATE_FOLIO)
				c->nr_older_gens = nr_in_older_gens(lv, list);
		}
	}
	lrulist_del(&list->order, f->label, 1u << f->order);
	lv->nr_listed[list->gen][list->kind]--;
	lv->nr_lazyfree -= f->is_lazyfree;
	f->list = 0;
	f->nr_passed = 0;
}

static void touch(struct folio *f, const struct event *ev)
{
	f->last_ns = ev->ts_ns;
	f->last_kind = ev->kind;
	f->last_site = ev->site;
}

/*
 * lives
 */

static void end_life(struct model *m, struct folio *f, uint64_t pfn, const struct event *ev,
		     uint64_t ts_ns, enum folio_end end)
{
	struct change c;
	struct page *page = page_of(m, f);

	change_init(&c, CHANGE_END, ev, lruvec_of(m, f), f, pfn);
	c.ts_ns = ts_ns;
	c.end = end;
	c.page = page;
	m->stats.nr_whole += f->birth != BIRTH_UNKNOWN && end != END_LOST && end != END_RESIDENT;
	if (f->epoch == m->epoch) {
		unlink_folio(m, f, SITE_OTHER, NULL);
		set_gen(m, f, NO_GEN, &c);
	} else {
		f->list = 0;
		f->gen = NO_GEN;
		f->await = FOLIO_NO_AWAIT;
	}
	emit(m, &c);
	if (page && page->life == f->life)
		page->is_resident = 0;
	set_page(m, f, 0);
	f->state = FOLIO_GONE;
	f->is_lazyfree = 0;
	f->has_shadow = 0;
}

static void begin_life(struct model *m, struct folio *f, uint64_t pfn, const struct event *ev,
		       struct lruvec *lv, enum folio_birth birth)
{
	struct change c;

	f->life = ++m->last_life;
	m->stats.nr_lives++;
	f->birth = birth;
	f->birth_ns = ev->ts_ns;
	f->nr_promoted = f->nr_protected = f->nr_isolated = 0;
	f->nr_passed = 0;
	f->order = ev->order;
	f->type = ev->type;
	f->zone = ev->zone;
	f->is_lazyfree = 0;
	f->has_shadow = 0;
	f->shield = 0;
	f->inc_len = 0;
	f->await_before = f->await != FOLIO_NO_AWAIT;
	/*
	 * It may have been there, isolated, and a change of its flags not be logged
	 * yet. What is awaited of a doubtful life is a guess, also in the next.
	 */
	f->is_doubtful = (f->is_doubtful && f->await_before) ||
			 ((birth == BIRTH_UNKNOWN || birth == BIRTH_ADDED) &&
			  f->state == FOLIO_UNSEEN && !(lv && lv->is_new) &&
			  ev->ts_ns < m->doubt_until_ns);
	f->state = FOLIO_ISOLATED;
	if (f->gen == NO_GEN) {
		f->gen_known = false;
		f->lruvec = lv ? lv->number + 1 : 0;
	}
	f->is_momentary = m->in_loss;
	m->stats.nr_born_unknown += birth == BIRTH_UNKNOWN;
	change_init(&c, CHANGE_BORN, ev, lv, f, pfn);
	emit(m, &c);
}

/*
 * Events were lost since its latest. One that was first seen while they were is
 * not a life that was cut: every event of that time stands alone.
 */
static void lose_life(struct model *m, struct folio *f, uint64_t pfn, const struct event *ev)
{
	m->stats.nr_ended_lost += !f->is_momentary;
	end_life(m, f, pfn, ev, f->last_ns, END_LOST);
}

/* A large folio begins: nothing else can live in its page frames. */
static void clear_tails(struct model *m, uint64_t pfn, const struct event *ev, unsigned order)
{
	uint64_t i;

	for (i = 1; i < 1ull << order; i++) {
		struct folio *f = folio_table_find(m->folios, pfn + i);

		if (!f || !is_alive(f))
			continue;
		if (f->epoch != m->epoch) {
			lose_life(m, f, pfn + i, ev);
			continue;
		}
		if (f->list)
			state_error(m, STATE_ERROR_REUSED_LINKED, ev, f, pfn + i, NO_GEN);
		end_life(m, f, pfn + i, ev, ev->ts_ns, END_REUSED);
	}
}

/* Does it follow so closely that the folio, locked, must be the same? */
static bool is_same(const struct folio *f, const struct event *ev)
{
	return ev->kind == EV_UPDATE ||	/* late, from before */
	       (ev->kind == EV_RECLAIM && f->has_shadow) ||
	       (ev->kind == EV_REFAULT && f->last_kind == EV_SWAPIN);
}

/* The folio at @pfn as it is known now: after a loss nothing is known of it. */
static inline struct folio *as_known(struct model *m, struct folio *f, uint64_t pfn,
				     const struct event *ev)
{
	if (f->epoch != m->epoch) {
		if (is_alive(f))
			lose_life(m, f, pfn, ev);
		f->epoch = m->epoch;
		f->state = FOLIO_UNSEEN;
		f->list = 0;
		f->lruvec = 0;
		f->gen = NO_GEN;
		f->await = FOLIO_NO_AWAIT;
	} else if (m->is_standalone && is_alive(f) && !is_same(f, ev)) {
		end_life(m, f, pfn, ev, ev->ts_ns, END_SWITCHED);
	}
	return f;
}

static struct folio *get_folio(struct model *m, uint64_t pfn, const struct event *ev)
{
	bool out_of_memory;
	struct folio *f = folio_table_get(m->folios, pfn, &out_of_memory);

	if (f)
		return as_known(m, f, pfn, ev);
	if (out_of_memory)
		m->error = -ERR_NOMEM;
	return NULL;
}

static void set_lruvec(struct model *m, struct folio *f, struct lruvec *lv)
{
	uint32_t number = lv->number + 1;

	if (f->lruvec == number)
		return;
	/* an update may have come early: its pages move along */
	if (f->gen != NO_GEN && f->lruvec)
		m->lruvecs[f->lruvec - 1]->nr_pages[f->gen][f->type] -= 1ll << f->order;
	f->lruvec = number;
	if (f->gen != NO_GEN)
		lv->nr_pages[f->gen][f->type] += 1ll << f->order;
}

/*
 * generations in the flags, ordered by the chain that they form
 */

static uint8_t await_code(int old_gen, int new_gen)
{
	return (old_gen & 0xf) << 4 | (new_gen & 0xf);
}

static void await(struct model *m, struct folio *f, uint64_t pfn, const struct event *ev,
		  int old_gen, int new_gen)
{
	if (f->await != FOLIO_NO_AWAIT)
		/* the one before never came */
		state_error(m, STATE_ERROR_GEN_UNSEEN, ev, f, pfn, new_gen);
	f->await = await_code(old_gen, new_gen);
	f->await_before = false;
}

/*
 * Of a folio first seen in an update it is in doubt whether it was on a list, or
 * its add was only stamped later: then it awaits an add that need not come.
 */
static bool in_doubt(const struct folio *f)
{
	return f->state == FOLIO_SOMEWHERE && f->await >> 4 == (NO_GEN & 0xf) &&
	       f->await != FOLIO_NO_AWAIT;
}

/* Is this the event that was awaited? */
static bool arrived(struct model *m, struct folio *f, uint64_t pfn, const struct event *ev,
		    int old_gen, int new_gen)
{
	uint64_t late_ns = ev->ts_ns >= f->last_ns ? ev->ts_ns - f->last_ns : 0;

	if (f->await != await_code(old_gen, new_gen))
		return false;
	f->await = FOLIO_NO_AWAIT;
	m->stats.nr_awaited++;
	if (late_ns > m->stats.max_late_ns)
		m->stats.max_late_ns = late_ns;
	if (late_ns > MODEL_WINDOW_NS)
		state_error(m, STATE_ERROR_GEN_LATE, ev, f, pfn, new_gen);
	return true;
}

static __attribute__((noinline)) void correct_max_seq(struct model *m, struct lruvec *lv,
						      const struct event *ev)
{
	if (!lv->seq_known) {
		lv->seq_known = true;
		lv->max_seq = ev->max_seq;
	} else {
		state_error(m, STATE_ERROR_SEQ_UNSEEN, ev, NULL, ev->pfn, NO_GEN);
		lv->max_seq += (int32_t)(ev->max_seq - (uint32_t)lv->max_seq);
	}
}

static inline void learn_max_seq(struct model *m, struct lruvec *lv, const struct event *ev)
{
	if (!lv->seq_known || (uint32_t)lv->max_seq != ev->max_seq)
		correct_max_seq(m, lv, ev);
}

/*
 * events of a folio
 */

static void check_identity(struct model *m, struct folio *f, const struct event *ev,
			   struct lruvec *lv)
{
	if (f->order != ev->order) {
		state_error(m, STATE_ERROR_OTHER_ORDER, ev, f, ev->pfn, NO_GEN);
		if (f->list)
			unlink_folio(m, f, SITE_OTHER, NULL);
		if (f->state == FOLIO_ON_LIST)
			f->state = FOLIO_SOMEWHERE;
		if (f->gen != NO_GEN && f->lruvec)
			m->lruvecs[f->lruvec - 1]->nr_pages[f->gen][f->type] +=
				(1ll << ev->order) - (1ll << f->order);
		f->order = ev->order;
	}
	if (f->list) {
		if (lruvec_of(m, f) != lv)
			state_error(m, STATE_ERROR_OTHER_LRUVEC, ev, f, ev->pfn, NO_GEN);
		else if (f->type != ev->type || f->zone != ev->zone)
			state_error(m, STATE_ERROR_OTHER_TYPE, ev, f, ev->pfn, NO_GEN);
		else
			return;
		unlink_folio(m, f, SITE_OTHER, NULL);
		f->state = FOLIO_SOMEWHERE;
	}
	set_lruvec(m, f, lv);
	if (f->type != ev->type && f->gen != NO_GEN) {
		lv->nr_pages[f->gen][f->type] -= 1ll << f->order;
		lv->nr_pages[f->gen][ev->type] += 1ll << f->order;
	}
	f->type = ev->type;
	f->zone = ev->zone;
}

static void apply_add(struct model *m, const struct event *ev, struct lruvec *lv, struct folio *f)
{
	bool is_new = ev->site == SITE_LRU_ADD;
	struct change c;
	int gen = ev->new_gen;
	/* an update of the new folio may have come early, and found the old one */
	int early = f->await == await_code(NO_GEN, gen) ? f->gen : NO_GEN;

	switch (f->state) {
	case FOLIO_ON_LIST:
		state_error(m, STATE_ERROR_ADD_LINKED, ev, f, ev->pfn, gen);
		unlink_folio(m, f, SITE_OTHER, NULL);
		set_gen(m, f, NO_GEN, NULL);
		f->state = FOLIO_ISOLATED;
		break;
	case FOLIO_RECLAIMING:
	case FOLIO_ELSEWHERE:
		/* what reclaim keeps comes back by putback, what was unevictable by munlock */
		if (is_new) {
			f->nr_promoted -= early != NO_GEN && f->nr_promoted;
			end_life(m, f, ev->pfn, ev, ev->ts_ns, END_REUSED);
		}
		break;
	case FOLIO_ISOLATED:
		if (is_new && f->last_kind == EV_DEL)
			m->stats.nr_putback_assumed++;
		break;
	default:
		break;
	}
	if (is_alive(f) && ev->site == SITE_FILL_EVICTABLE)
		/* from a classic list, where it was not followed */
		end_life(m, f, ev->pfn, ev, ev->ts_ns, END_SWITCHED);
	if (!is_alive(f)) {
		begin_life(m, f, ev->pfn, ev, lv, is_new ? BIRTH_ADDED : BIRTH_UNKNOWN);
		if (ev->order)
			clear_tails(m, ev->pfn, ev, ev->order);
	}
	check_identity(m, f, ev, lv);
	f->is_lazyfree = !!(ev->flags & FOLIO_LAZYFREE);
	change_init(&c, CHANGE_ENTER, ev, lv, f, ev->pfn);
	if (arrived(m, f, ev->pfn, ev, NO_GEN, gen)) {
		set_gen(m, f, early, NULL);
		c.new_gen = f->gen;	/* an update came first */
		if (f->birth_ns == ev->ts_ns)
			count(&f->nr_promoted);	/* before there was a life to count it in */
	} else {
		if (f->gen != NO_GEN && f->state != FOLIO_SOMEWHERE)
			state_error(m, STATE_ERROR_GEN_UNSEEN, ev, f, ev->pfn, gen);
		set_gen(m, f, gen, &c);
	}
	link_folio(m, lv, f, ev->pfn, gen, ev->flags & FOLIO_TAIL, &c);
	touch(f, ev);
	emit(m, &c);
}

/* The flags said @gen just before this event, whatever we have seen. */
static void believe_gen(struct model *m, struct folio *f, const struct event *ev, int gen)
{
	if (in_doubt(f))
		f->await = FOLIO_NO_AWAIT;
	if (f->gen == gen)
		return;
	if (f->gen != NO_GEN)
		await(m, f, ev->pfn, ev, f->gen, gen);
	set_gen(m, f, gen, NULL);
	f->since_ns = ev->ts_ns;
}

static void apply_del(struct model *m, const struct event *ev, struct lruvec *lv, struct folio *f)
{
	struct change c;

	switch (f->state) {
	case FOLIO_ON_LIST:
	case FOLIO_SOMEWHERE:
		break;
	case FOLIO_UNSEEN:
		if (!lv->complete)
			break;
		/* fallthrough */
	default:
		state_error(m, STATE_ERROR_DEL_UNLINKED, ev, f, ev->pfn, ev->old_gen);
		break;
	}
	if (!is_alive(f)) {
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
		f->is_lazyfree = !!(ev->flags & FOLIO_LAZYFREE);
	}
	check_identity(m, f, ev, lv);
	change_init(&c, CHANGE_LEAVE, ev, lv, f, ev->pfn);
	believe_gen(m, f, ev, ev->old_gen);
	unlink_folio(m, f, ev->site, &c);
	set_gen(m, f, NO_GEN, &c);
	touch(f, ev);
	switch (ev->site) {
	case SITE_ISOLATE_FOLIO:
		f->state = FOLIO_RECLAIMING;
		count(&f->nr_isolated);
		break;
	case SITE_ISOLATE_LRU:
	case SITE_COMPACTION:
		f->state = FOLIO_ISOLATED;
		count(&f->nr_isolated);
		break;
	case SITE_MLOCK:
	case SITE_MLOCK_NEW:
	case SITE_DRAIN_EVICTABLE:
		f->state = FOLIO_ELSEWHERE;
		break;
	case SITE_LRU_MOVE_TAIL:
	case SITE_LRU_ACTIVATE:
	case SITE_LRU_DEACTIVATE_FILE:
	case SITE_LRU_DEACTIVATE:
	case SITE_LRU_LAZYFREE:
		/* added again at once, to a classic list if MGLRU was switched off */
		f->state = lv->enabled_known && !lv->enabled ? FOLIO_ELSEWHERE : FOLIO_ISOLATED;
		break;
	default:
		f->state = FOLIO_ISOLATED;
		break;
	}
	emit(m, &c);
	if (ev->site == SITE_RELEASE)
		end_life(m, f, ev->pfn, ev, ev->ts_ns, END_FREED);
}

/*
 * A move to the next generation may have been one that a walk had just promoted
 * to there, from the same generation: the move looked like an increment. The
 * event of the walk, which comes late, tells, for its sequence number is that of
 * the move.
 */
static bool is_of_increment(const struct folio *f, const struct event *ev, const struct lruvec *lv)
{
	return is_alive(f) && f->gen != ev->old_gen &&
	       ev->new_gen == (int)(ev->max_seq % lv->nr_gens) &&
	       ev->new_gen == (ev->old_gen + 1) % lv->nr_gens &&
	       ((ev->max_seq - 1 - f->inc_seq) & 0xf) < f->inc_len;
}

static void note_increment(struct folio *f, const struct lruvec *lv, unsigned left)
{
	unsigned seq = model_seq(lv, left) & 0xf;

	if (f->inc_len && f->inc_len < 3 && seq == ((f->inc_seq + f->inc_len) & 0xf)) {
		f->inc_len++;
		return;
	}
	f->inc_seq = seq;
	f->inc_len = 1;
}

/*
 * Did the flags say @entered when the move looked, and the update that was seen
 * changed them after that, though it is stamped before?
 */
static bool is_before_update(const struct folio *f, int left, int entered)
{
	return f->last_kind == EV_UPDATE && f->prev_gen == entered && f->gen != entered &&
	       f->gen != left;
}

static void apply_move(struct model *m, const struct event *ev, struct lruvec *lv, struct folio *f)
{
	struct change c;
	int left = ev->old_gen, entered = ev->new_gen;

	if (!is_alive(f)) {
		if (lv->complete || f->state == FOLIO_GONE)
			state_error(m, STATE_ERROR_MOVE_UNLINKED, ev, f, ev->pfn, left);
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
		f->is_lazyfree = !!(ev->flags & FOLIO_LAZYFREE);
		f->state = FOLIO_SOMEWHERE;
	} else if (f->state != FOLIO_ON_LIST && f->state != FOLIO_SOMEWHERE) {
		state_error(m, STATE_ERROR_MOVE_UNLINKED, ev, f, ev->pfn, left);
	}
	check_identity(m, f, ev, lv);
	if (f->list && (m->lists[f->list - 1]->gen != left ||
			m->lists[f->list - 1]->kind != list_kind(ev, f))) {
		state_error(m, STATE_ERROR_MOVE_OTHER_LIST, ev, f, ev->pfn, left);
		unlink_folio(m, f, SITE_OTHER, NULL);
	}
	change_init(&c, CHANGE_MOVE, ev, lv, f, ev->pfn);
	unlink_folio(m, f, ev->site, &c);
	switch (ev->site) {
	case SITE_SCAN_SKIPPED:
		break;
	case SITE_SORT_PROMOTED:
		if (!is_before_update(f, left, entered))
			believe_gen(m, f, ev, entered);
		break;
	case SITE_SORT_SHIELDED:
		/* "spent" has told of the flags, unless it was not recorded */
		if (f->gen == left || f->gen == NO_GEN)
			set_gen(m, f, entered, &c);
		count(&f->nr_protected);
		break;
	default:
		/*
		 * An increment by one from the generation of the list left,
		 * unless a walk promoted the folio, before or after.
		 */
		if (is_before_update(f, left, entered)) {
			if (f->await == await_code(left, entered))
				arrived(m, f, ev->pfn, ev, left, entered);
			c.new_gen = f->gen;
		} else if (f->gen == left || f->gen == NO_GEN) {
			set_gen(m, f, entered, &c);
			if (entered != (left + 1) % lv->nr_gens) {
				await(m, f, ev->pfn, ev, left, entered);
			} else {
				note_increment(f, lv, left);
			}
		} else {
			believe_gen(m, f, ev, entered);
		}
		if (ev->site != SITE_INC_MIN_SEQ)
			count(&f->nr_protected);
		break;
	}
	link_folio(m, lv, f, ev->pfn, entered, ev->flags & FOLIO_TAIL, &c);
	touch(f, ev);
	emit(m, &c);
}

/* On a list, but nothing has told yet what its flags say. */
static bool is_gen_unknown(const struct folio *f)
{
	return f->gen == NO_GEN && (f->state == FOLIO_ON_LIST || f->state == FOLIO_SOMEWHERE);
}

static void apply_update(struct model *m, const struct event *ev, struct lruvec *lv,
			 struct folio *f)
{
	struct change c;

	if (ev->old_gen == NO_GEN) {
		/*
		 * Isolated, or about to be: its del may be stamped later. One
		 * that waits for its first add has no life before that.
		 */
		if (!is_alive(f))
			return;
		change_init(&c, CHANGE_ACCESSED, ev, lv, f, ev->pfn);
		emit(m, &c);
		return;
	}
	if (arrived(m, f, ev->pfn, ev, ev->old_gen, ev->new_gen)) {
		/* its effect was seen before */
		if (is_alive(f) && !f->await_before)
			count(&f->nr_promoted);
		change_init(&c, CHANGE_UPDATE, ev, lv, f, ev->pfn);
		c.old_gen = ev->old_gen;
		c.new_gen = ev->new_gen;
		c.is_late = true;
		emit(m, &c);
		return;
	}
	if (is_of_increment(f, ev, lv)) {
		count(&f->nr_promoted);
		m->stats.nr_awaited++;
		return;
	}
	if (f->state == FOLIO_UNSEEN && !lv->complete) {
		/* On a list since before the recording; or else its add is to come. */
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
		f->state = FOLIO_SOMEWHERE;
		f->await = await_code(NO_GEN, ev->old_gen);
		set_gen(m, f, ev->old_gen, NULL);
		f->gen_known = false;
	} else if (in_doubt(f)) {
		f->await = FOLIO_NO_AWAIT;
	}
	if (!is_alive(f)) {
		f->order = ev->order;
		f->type = ev->type;
		f->zone = ev->zone;
	}
	change_init(&c, CHANGE_UPDATE, ev, lv, f, ev->pfn);
	if (f->gen != ev->old_gen && !is_gen_unknown(f)) {
		/* Another change came before this one, its event is still to come. */
		await(m, f, ev->pfn, ev, f->gen, ev->old_gen);
		if (!f->lruvec)
			set_lruvec(m, f, lv);
	}
	set_gen(m, f, ev->new_gen, &c);
	c.old_gen = ev->old_gen;
	count(&f->nr_promoted);
	touch(f, ev);
	f->prev_gen = ev->old_gen;
	emit(m, &c);
}

static void apply_split(struct model *m, const struct event *ev, struct lruvec *lv,
			struct folio *f)
{
	unsigned new_order = ev->u.split.new_order;
	uint64_t step = 1ull << new_order, i;
	struct model_list *list;
	struct change c;

	if (!is_alive(f)) {
		if (ev->u.split.on_lru && lv->complete)
			state_error(m, STATE_ERROR_MOVE_UNLINKED, ev, f, ev->pfn, ev->new_gen);
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
		if (ev->u.split.on_lru) {
			f->state = FOLIO_SOMEWHERE;
			set_gen(m, f, ev->new_gen, NULL);
		}
	}
	check_identity(m, f, ev, lv);
	if (ev->u.split.on_lru && f->gen == NO_GEN)
		set_gen(m, f, ev->new_gen, NULL);
	else if (ev->u.split.on_lru)
		believe_gen(m, f, ev, ev->new_gen);
	f->order = new_order;
	list = f->list ? m->lists[f->list - 1] : NULL;
	for (i = step; i < 1ull << ev->order; i += step) {
		struct folio *tail = get_folio(m, ev->pfn + i, ev);
		struct event born = *ev;

		if (!tail)
			return;
		if (is_alive(tail)) {
			if (tail->list)
				state_error(m, STATE_ERROR_REUSED_LINKED, ev, tail, ev->pfn + i,
					    NO_GEN);
			end_life(m, tail, ev->pfn + i, ev, ev->ts_ns, END_REUSED);
		}
		born.order = new_order;
		tail->gen = NO_GEN;
		tail->await = FOLIO_NO_AWAIT;
		begin_life(m, tail, ev->pfn + i, &born, lv, BIRTH_SPLIT);
		tail->state = f->state;
		tail->is_lazyfree = f->is_lazyfree;
		tail->since_ns = f->since_ns;
		tail->gen_known = f->gen_known;
		/* the head's share of pages shrank by as much */
		tail->gen = f->gen;
		touch(tail, ev);
		if (list && lrulist_fill(&list->order,
					 folio_table_handle(m->folios, ev->pfn + i),
					 f->label + i)) {
			m->error = -ERR_NOMEM;
			return;
		}
		tail->list = f->list;
		if (list) {
			tail->label = f->label + i;
			m->lruvecs[list->lruvec]->nr_listed[list->gen][list->kind]++;
			lv->nr_lazyfree += tail->is_lazyfree;
		}
	}
	touch(f, ev);
	change_init(&c, CHANGE_SPLIT, ev, lv, f, ev->pfn);
	emit(m, &c);
}

static void apply_migrate(struct model *m, const struct event *ev, struct lruvec *lv,
			  struct folio *f)
{
	uint64_t new_pfn = ev->u.migrate.new_pfn;
	struct folio *heir;
	struct page *page;
	uint32_t page_number;

	if (!is_alive(f))
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
	if (f->list)
		state_error(m, STATE_ERROR_REUSED_LINKED, ev, f, ev->pfn, NO_GEN);
	page = page_of(m, f);
	page_number = f->page;
	heir = get_folio(m, new_pfn, ev);
	if (!heir || heir == f)
		return;
	touch(f, ev);
	if (page)
		page_table_hold(&m->pages, page_number - 1);	/* until its heir does */
	end_life(m, f, ev->pfn, ev, ev->ts_ns, END_MIGRATED);
	if (is_alive(heir)) {
		if (heir->list)
			state_error(m, STATE_ERROR_REUSED_LINKED, ev, heir, new_pfn, NO_GEN);
		end_life(m, heir, new_pfn, ev, ev->ts_ns, END_REUSED);
	}
	begin_life(m, heir, new_pfn, ev, get_lruvec(m, ev->memcg, ev->u.migrate.new_nid),
		   BIRTH_MIGRATED);
	if (ev->order)
		clear_tails(m, new_pfn, ev, ev->order);
	set_page(m, heir, page_number);
	if (page) {
		page_table_drop(&m->pages, page_number - 1);
		page->life = heir->life;
		page->is_resident = 1;
	}
	touch(heir, ev);
}

static void apply_reclaim(struct model *m, const struct event *ev, struct lruvec *lv,
			  struct folio *f)
{
	struct change c;

	/* cgroup v1 has taken the memcg from a folio swapped out by now */
	if (is_alive(f) && !ev->memcg && f->lruvec)
		lv = lruvec_of(m, f);
	/* what was unevictable, or elsewhere, became free unseen */
	if (is_alive(f) && (f->state == FOLIO_ELSEWHERE || lruvec_of(m, f) != lv) && !f->list)
		end_life(m, f, ev->pfn, ev, ev->ts_ns, END_REUSED);
	if (!is_alive(f)) {
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
		f->state = FOLIO_RECLAIMING;
	}
	if (f->list) {
		state_error(m, STATE_ERROR_ADD_LINKED, ev, f, ev->pfn, NO_GEN);
	}
	touch(f, ev);
	change_init(&c, CHANGE_OUTCOME, ev, lv, f, ev->pfn);
	c.page = page_of(m, f);
	emit(m, &c);
	switch (ev->u.reclaim.outcome) {
	case OUTCOME_RECLAIMED:
		lv->nr_reclaimed[ev->type] += 1ull << ev->order;
		end_life(m, f, ev->pfn, ev, ev->ts_ns,
			 f->has_shadow ? END_EVICTED : END_RECLAIMED);
		break;
	case OUTCOME_LAZYFREED:
		lv->nr_reclaimed[ev->type] += 1ull << ev->order;
		end_life(m, f, ev->pfn, ev, ev->ts_ns, END_LAZYFREED);
		break;
	case OUTCOME_DROPPED:
		end_life(m, f, ev->pfn, ev, ev->ts_ns, END_FREED);
		break;
	default:
		break;
	}
}

static void apply_lazyfree(struct model *m, const struct event *ev, struct lruvec *lv,
			   struct folio *f)
{
	struct change c;

	if (!is_alive(f)) {
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
		/* marked when it was added; all else is in reclaim's hands */
		f->state = ev->u.lazyfree.stage == LAZYFREE_MARK ? FOLIO_SOMEWHERE :
								   FOLIO_RECLAIMING;
	}
	change_init(&c, CHANGE_LAZYFREE, ev, lv, f, ev->pfn);
	emit(m, &c);
	if (f->gen == NO_GEN)
		f->type = ev->type;
	if (ev->u.lazyfree.stage == LAZYFREE_REDIRTIED) {
		f->is_lazyfree = 0;
	}
	touch(f, ev);
}

static void apply_hitshield(struct model *m, const struct event *ev, struct lruvec *lv,
			    struct folio *f)
{
	struct change c;

	if (f->state == FOLIO_UNSEEN) {
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
		/* without a generation it is isolated, or about to be added */
		if (ev->old_gen != NO_GEN)
			f->state = FOLIO_SOMEWHERE;
	}
	change_init(&c, CHANGE_HITSHIELD, ev, lv, f, ev->pfn);
	if (ev->u.hitshield.cause == HITSHIELD_SPENT && f->list && ev->new_gen != NO_GEN) {
		/* a change of the flags, whose move follows; or none, after a walk */
		if (!arrived(m, f, ev->pfn, ev, ev->old_gen, ev->new_gen)) {
			believe_gen(m, f, ev, ev->old_gen);
			set_gen(m, f, ev->new_gen, &c);
		}
		touch(f, ev);
	}
	emit(m, &c);
	f->shield = !!ev->u.hitshield.shield;
}

/*
 * evictions and returns
 */

static void apply_evict(struct model *m, const struct event *ev, struct lruvec *lv,
			struct folio *f)
{
	struct page *page = NULL;
	struct change c;

	if (!is_alive(f)) {
		begin_life(m, f, ev->pfn, ev, lv, BIRTH_UNKNOWN);
		f->state = FOLIO_RECLAIMING;
	}
	if (ev->u.page.backing != BACKING_UNKNOWN)
		page = model_page_of_evicted(m, ev, f);
	change_init(&c, CHANGE_EVICT, ev, lv, f, ev->pfn);
	c.page = page;
	emit(m, &c);
	f->has_shadow = 1;
	touch(f, ev);
	if (!page)
		return;
	page->evict_ns = ev->ts_ns;
	page->evict_clock = lv->nr_reclaimed[ev->type];
	page->has_evict_seq = lv->seq_known && lv->max_seq;
	page->evict_seq = lv->max_seq;
	page->lruvec = lv->number;
	page->evict_pfn = ev->pfn;
	page->evict_life = f->life;
	page->epoch = m->page_epoch;
	page->life = f->life;
	page->tier = ev->tier < PAGE_MAX_TIER ? ev->tier : PAGE_MAX_TIER;
	page->type = ev->type;
	page->is_resident = 0;
	count(&page->nr_evictions);
	if (ev->order)
		model_note_span(m, ev, page);
}

/* A new folio that is about to be added: whatever lived at its pfn is over. */
static void begin_new_folio(struct model *m, const struct event *ev, struct lruvec *lv,
			    struct folio *f, enum folio_birth birth)
{
	if (is_alive(f) && f->last_kind == EV_SWAPIN && f->state == FOLIO_ISOLATED) {
		f->birth = birth;	/* the same folio, more is known */
		return;
	}
	if (is_alive(f)) {
		if (f->list)
			state_error(m, STATE_ERROR_REUSED_LINKED, ev, f, ev->pfn, NO_GEN);
		end_life(m, f, ev->pfn, ev, ev->ts_ns, END_REUSED);
	}
	begin_life(m, f, ev->pfn, ev, lv, birth);
	if (ev->order)
		clear_tails(m, ev->pfn, ev, ev->order);
}

static void apply_refault(struct model *m, const struct event *ev, struct lruvec *lv,
			  struct folio *f)
{
	const struct page_id id = id_of(ev);
	struct page *page;
	struct change c;

	begin_new_folio(m, ev, lv, f, BIRTH_REFAULTED);
	/* of unknown name: the swap-in just before had it */
	if (id.backing != BACKING_UNKNOWN)
		set_page(m, f, model_page_coming_back(m, &id, ev->type, true));
	page = page_of(m, f);
	change_init(&c, CHANGE_REFAULT, ev, lv, f, ev->pfn);
	c.page = page;
	emit(m, &c);
	touch(f, ev);
	if (!page)
		return;
	count(&page->nr_refaults);
	page->life = f->life;
	page->is_resident = 1;
}

static void apply_swapin(struct model *m, const struct event *ev, struct lruvec *lv,
			 struct folio *f)
{
	const struct page_id id = { .index = ev->u.page.index, .backing = BACKING_SWAP };
	struct change c;

	begin_new_folio(m, ev, lv, f, BIRTH_SWAPPED_IN);
	set_page(m, f, model_page_coming_back(m, &id, ev->type, false));
	change_init(&c, CHANGE_SWAPIN, ev, lv, f, ev->pfn);
	c.page = page_of(m, f);
	emit(m, &c);
	if (c.page) {
		c.page->life = f->life;
		c.page->is_resident = 1;
	}
	touch(f, ev);
}

/*
 * events of a lruvec
 */

static bool learn_nr_gens(struct model *m, struct lruvec *lv, unsigned nr_gens)
{
	if (!nr_gens || nr_gens > MODEL_MAX_GENS) {
		m->stats.nr_refused++;
		m->stats.nr_errors[STATE_ERROR_IMPOSSIBLE]++;
		return false;
	}
	lv->nr_gens = nr_gens;
	return true;
}

static void learn_window(struct lruvec *lv, const struct event *ev)
{
	unsigned type;

	lv->max_seq = ev->u.lruvec.max_seq;
	lv->seq_known = true;
	lv->memcg_id = ev->u.lruvec.memcg_id ? ev->u.lruvec.memcg_id : lv->memcg_id;
	for (type = 0; type < TYPE_NR; type++) {
		lv->min_seq[type] = ev->u.lruvec.min_seq[type];
		lv->min_known[type] = true;
	}
}

static void apply_max_seq(struct model *m, const struct event *ev, struct lruvec *lv)
{
	struct change c;

	change_init(&c, CHANGE_SEQ, ev, lv, NULL, 0);
	if (!learn_nr_gens(m, lv, ev->u.lruvec.nr_gens))
		return;
	if (lv->seq_known && ev->u.lruvec.max_seq != lv->max_seq + 1)
		state_error(m, STATE_ERROR_SEQ_UNSEEN, ev, NULL, 0, NO_GEN);
	emit(m, &c);	/* with the window as it was */
	learn_window(lv, ev);
	lv->nr_max_seq++;
}

/*
 * The lists given up are empty: from here on every folio on them is known. When
 * that is so of all, the lruvec is known as well as if it had been seen from its
 * beginning.
 */
static void learn_empty(struct lruvec *lv, const struct event *ev)
{
	unsigned all = (1u << lv->nr_gens) - 1, gen, zone;
	uint64_t seq = ev->u.min_seq.old_seq;

	for (; seq < ev->u.min_seq.new_seq && seq - ev->u.min_seq.old_seq < lv->nr_gens; seq++)
		lv->lists_known[ev->type] |= 1u << seq % lv->nr_gens;
	if (lv->lists_known[TYPE_ANON] != all || lv->lists_known[TYPE_FILE] != all)
		return;
	/* lists of lazyfree folios are not given up by an event of their own */
	for (gen = 0; gen < MODEL_MAX_GENS; gen++)
		for (zone = 0; zone < MODEL_MAX_ZONES; zone++)
			if (lv->lists[gen][LIST_LAZYFREE][zone])
				return;
	lv->complete = true;
}

static void apply_min_seq(struct model *m, const struct event *ev, struct lruvec *lv)
{
	struct change c;

	change_init(&c, CHANGE_SEQ, ev, lv, NULL, 0);
	if (!learn_nr_gens(m, lv, ev->u.min_seq.nr_gens))
		return;
	lv->max_seq = ev->u.min_seq.max_seq;
	lv->seq_known = true;
	emit(m, &c);
	lv->min_seq[ev->type] = ev->u.min_seq.new_seq;
	lv->min_known[ev->type] = true;
	if (!ev->u.min_seq.relabel && !lv->complete && !m->in_loss)
		learn_empty(lv, ev);
}

/*
 * MGLRU was switched: folios on classic lists come and go without an event, so
 * what is seen of a pfn later may be another folio.
 */
static void cut_lives(struct model *m, const struct event *ev, const struct lruvec *lv)
{
	uint32_t handle = 0;
	struct folio *f;
	uint64_t pfn;

	while ((f = folio_table_next(m->folios, &handle, &pfn)))
		if (is_alive(f) && f->epoch == m->epoch && f->lruvec == lv->number + 1)
			end_life(m, f, pfn, ev, ev->ts_ns, END_SWITCHED);
}

static void apply_state(struct model *m, const struct event *ev, struct lruvec *lv)
{
	struct change c;

	change_init(&c, CHANGE_STATE, ev, lv, NULL, 0);
	if (!learn_nr_gens(m, lv, ev->u.lruvec.nr_gens))
		return;
	learn_window(lv, ev);
	switch (ev->u.lruvec.state) {
	case STATE_ONLINE:
		lv->is_new = true;	/* no folio was charged to it yet */
		lv->complete = true;
		break;
	case STATE_ENABLE:
	case STATE_DISABLED:
		/* no folio is on a generation list at this moment */
		lv->enabled_known = true;
		lv->enabled = ev->u.lruvec.state == STATE_ENABLE;
		/* before it was switched on, it was off */
		lv->was_classic = true;
		lv->is_drained = !lv->enabled;
		lv->complete = true;
		cut_lives(m, ev, lv);
		break;
	case STATE_ENABLED:
	case STATE_DISABLE:
		lv->enabled_known = true;
		lv->enabled = ev->u.lruvec.state == STATE_ENABLED;
		lv->was_classic |= !lv->enabled;
		if (!lv->enabled)
			/* pages come and go without a word from here on */
			m->page_epoch++;
		break;
	case STATE_OFFLINE:
		lv->offline = true;
		break;
	case STATE_RELEASED:
		lv->released = true;
		break;
	default:
		break;
	}
	emit(m, &c);
}

static void apply_scan(struct model *m, const struct event *ev, struct lruvec *lv)
{
	struct change c;

	change_init(&c, CHANGE_SCAN, ev, lv, NULL, 0);
	m->stats.nr_multi_gen++;
	lv->max_seq = ev->u.scan.max_seq;
	lv->seq_known = true;
	emit(m, &c);
}

/* Folios go as they stand to an end of another list, maybe of another lruvec. */
static void apply_splice(struct model *m, const struct event *ev, struct lruvec *lv)
{
	struct lruvec *to = get_lruvec(m, ev->u.splice.new_memcg, ev->nid);
	struct model_list *from = model_list(m, lv, ev->old_gen,
					     ev->is_own_list ? LIST_LAZYFREE : ev->type, ev->zone);
	struct change c;
	uint32_t *handles, nr = 0, label, handle, i;
	bool inside = false;

	change_init(&c, CHANGE_SPLICE, ev, lv, NULL, 0);
	c.old_list = from;
	emit(m, &c);
	if (!from || !from->order.nr_folios || !to)
		return;
	handles = malloc(from->order.nr_folios * sizeof(*handles));
	if (!handles) {
		m->error = -ERR_NOMEM;
		return;
	}
	label = from->order.begin;
	for (; lrulist_next(&from->order, &label, &handle); label++) {
		uint64_t pfn;

		folio_table_at(m->folios, handle, &pfn);
		inside |= pfn == ev->pfn;
		if (inside)
			handles[nr++] = handle;
		if (pfn == ev->u.splice.last_pfn)
			break;
	}
	if (lv->complete && nr != ev->u.splice.nr_folios)
		state_error(m, STATE_ERROR_MOVE_OTHER_LIST, ev, NULL, ev->pfn, ev->old_gen);
	for (i = 0; i < nr && !m->error; i++) {
		uint64_t pfn;
		struct folio *f = folio_table_at(m->folios,
						 handles[ev->u.splice.tail ? nr - 1 - i : i], &pfn);
		struct change moved;

		change_init(&moved, CHANGE_MOVE, ev, to, f, pfn);
		unlink_folio(m, f, ev->site, &moved);
		set_lruvec(m, f, to);
		/* a walk that came later may have been seen before */
		if (!arrived(m, f, pfn, ev, ev->old_gen, ev->new_gen) && f->gen == ev->old_gen)
			set_gen(m, f, ev->new_gen, &moved);
		link_folio(m, to, f, pfn, ev->new_gen, ev->u.splice.tail, &moved);
		touch(f, ev);
	}
	if (!lv->complete)
		to->complete = false;
	free(handles);
}

/*
 * losses
 */

static void forget(struct model *m)
{
	uint32_t i;

	m->epoch++;
	m->page_epoch++;
	for (i = 0; i < m->nr_lists; i++)
		lrulist_release(&m->lists[i]->order);
	for (i = 0; i < m->nr_lruvecs; i++) {
		struct lruvec *lv = m->lruvecs[i];

		lv->complete = false;
		lv->seq_known = false;
		lv->enabled_known = false;
		lv->is_drained = false;
		lv->is_new = false;
		memset(lv->lists_known, 0, sizeof(lv->lists_known));
		lv->nr_lazyfree = 0;
		memset(lv->nr_listed, 0, sizeof(lv->nr_listed));
		memset(lv->min_known, 0, sizeof(lv->min_known));
		memset(lv->nr_pages, 0, sizeof(lv->nr_pages));
	}
}

static void apply_loss(struct model *m, const struct event *ev)
{
	uint64_t until = ev->kind == EV_LOST ? ev->u.lost.to_ts_ns : ev->u.gap.to_ts_ns;
	struct change c;

	change_init(&c, CHANGE_LOST, ev, NULL, NULL, 0);
	m->stats.nr_losses++;
	m->evicting[ev->cpu % NR_EVICTING].is_set = false;
	if (!m->in_loss || until > m->loss_until_ns)
		m->loss_until_ns = until;
	m->in_loss = true;
	forget(m);
	emit(m, &c);
}

/*
 * Reclaim tells what became of a folio right after its eviction, while it holds it: next
 * on its CPU. These two are of one life in a loss too.
 */
static void join_eviction(struct model *m, const struct event *ev)
{
	struct evicting *e = &m->evicting[ev->cpu % NR_EVICTING];

	if (ev->kind == EV_RECLAIM && e->is_set && e->cpu == ev->cpu && e->pid == ev->pid &&
	    e->pfn == ev->pfn) {
		struct folio *f = folio_table_find(m->folios, ev->pfn);

		if (f && is_alive(f) && f->has_shadow && f->last_ns == e->ts_ns)
			f->epoch = m->epoch;
	}
	*e = (struct evicting){
		.pfn = ev->pfn,
		.ts_ns = ev->ts_ns,
		.pid = ev->pid,
		.cpu = ev->cpu,
		.is_set = ev->kind == EV_EVICT,
	};
}

static void end_loss(struct model *m, const struct event *ev)
{
	struct change c;

	change_init(&c, CHANGE_LOST, ev, NULL, NULL, 0);
	m->in_loss = false;
	m->doubt_until_ns = ev->ts_ns + MODEL_WINDOW_NS;
	forget(m);
	emit(m, &c);
}

bool model_in_loss(const struct model *m)
{
	return m->in_loss;
}

static bool gen_is_sane(int gen)
{
	return gen >= NO_GEN && gen < MODEL_MAX_GENS;
}

/* May an event of this kind be without a generation? Bits by which_are_missing(). */
static const uint8_t may_be_missing[EV_NR] = {
	[EV_ADD] = 1 << 0 | 1 << 1,
	[EV_DEL] = 1 << 0 | 1 << 2,
	[EV_MOVE] = 1 << 0,
	[EV_UPDATE] = 1 << 0 | 1 << 3,
};

/* 0: neither generation; 1: the old, 2: the new, 3: both. */
static unsigned which_are_missing(const struct event *ev)
{
	return (ev->old_gen == NO_GEN) | (ev->new_gen == NO_GEN) << 1;
}

static bool is_sane(const struct event *ev)
{
	if (ev->order > FOLIO_MAX_ORDER || ev->type >= TYPE_NR || ev->zone >= MODEL_MAX_ZONES ||
	    !gen_is_sane(ev->old_gen) || !gen_is_sane(ev->new_gen) ||
	    (ev->pfn | (ev->pfn + (1ull << ev->order) - 1)) >> FOLIO_PFN_BITS)
		return false;
	if (may_be_missing[ev->kind])
		return may_be_missing[ev->kind] >> which_are_missing(ev) & 1;
	switch (ev->kind) {
	case EV_SPLIT:
		return ev->u.split.new_order < ev->order &&
		       (ev->new_gen != NO_GEN || !ev->u.split.on_lru);
	case EV_MIGRATE:
		return !(ev->u.migrate.new_pfn >> FOLIO_PFN_BITS) &&
		       !((ev->u.migrate.new_pfn + (1ull << ev->order) - 1) >> FOLIO_PFN_BITS);
	default:
		return true;
	}
}

static void apply_page_free(struct model *m, const struct event *ev)
{
	uint64_t i;

	if (ev->pfn >> FOLIO_PFN_BITS || ev->order > FOLIO_MAX_ORDER)
		return;
	for (i = 0; i < 1ull << ev->order; i++) {
		struct folio *f = folio_table_find(m->folios, ev->pfn + i);

		if (!f || !is_alive(f) || f->epoch != m->epoch || f->list)
			continue;
		end_life(m, f, ev->pfn + i, ev, ev->ts_ns,
			 ev->kind == EV_PAGE_FREE ? END_FREED : END_REUSED);
	}
}

/* A list of lazyfree folios: they are of the type file in everything else. */
static bool names_own_list(const struct event *ev)
{
	return ev->type == LIST_LAZYFREE && (ev->kind == EV_ADD || ev->kind == EV_MOVE ||
					     ev->kind == EV_SCAN || ev->kind == EV_SPLICE);
}

/* A folio that is on a classic list now will come and go without an event. */
static void cut_after(struct model *m, const struct event *ev)
{
	uint64_t first = ev->kind == EV_MIGRATE ? ev->u.migrate.new_pfn : ev->pfn, i;

	if (ev->kind != EV_RECLAIM && ev->kind != EV_LAZYFREE && ev->kind != EV_SPLIT &&
	    ev->kind != EV_MIGRATE)
		return;
	for (i = 0; i < 1ull << ev->order; i++) {
		struct folio *f = folio_table_find(m->folios, first + i);

		if (f && is_alive(f) && f->epoch == m->epoch && !f->list)
			end_life(m, f, first + i, ev, ev->ts_ns, END_SWITCHED);
		if (ev->kind != EV_SPLIT)
			return;
	}
}

void model_look_far(const struct model *m, const struct event *const *ev, unsigned nr,
		    struct folio **folios)
{
	unsigned i;

	for (i = 0; i < nr; i++) {
		folios[i] = folio_table_find(m->folios, ev[i]->pfn);
		__builtin_prefetch(folios[i], 1);
	}
	for (i = 0; i < nr; i++) {
		if (ev[i]->kind == EV_REFAULT) {
			const struct page_id id = id_of(ev[i]);

			page_table_prefetch(&m->pages, &id);
		}
	}
}

static void look_near(const struct model *m, const struct event *ev, const struct folio *f)
{
	struct page_id id;

	switch (ev->kind) {
	case EV_DEL:
	case EV_MOVE:
		if (f && f->list)
			lrulist_prefetch(&m->lists[f->list - 1]->order, f->label);
		break;
	case EV_EVICT:
	case EV_RECLAIM:
		if (f && f->page)
			__builtin_prefetch(page_of(m, f), 1);
		break;
	case EV_REFAULT:
		id = id_of(ev);
		page_table_prefetch_record(&m->pages, &id);
		break;
	default:
		break;
	}
}

void model_look_near(const struct model *m, const struct event *const *ev, unsigned nr,
		     struct folio *const *folios)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		look_near(m, ev[i], folios[i]);
}

/* An event of a lruvec as a whole; false if @ev is none. */
static bool apply_to_lruvec(struct model *m, const struct event *ev, struct lruvec *lv)
{
	switch (ev->kind) {
	case EV_MAX_SEQ:
		apply_max_seq(m, ev, lv);
		return true;
	case EV_STATE:
		apply_state(m, ev, lv);
		return true;
	case EV_MIN_SEQ:
		if (ev->type < TYPE_NR)
			apply_min_seq(m, ev, lv);
		return true;
	case EV_SCAN:
		if (ev->type < TYPE_NR)
			apply_scan(m, ev, lv);
		return true;
	case EV_SPLICE:
		if (ev->type < TYPE_NR && gen_is_sane(ev->old_gen) && gen_is_sane(ev->new_gen) &&
		    ev->old_gen != NO_GEN && ev->new_gen != NO_GEN && ev->zone < MODEL_MAX_ZONES)
			apply_splice(m, ev, lv);
		return true;
	default:
		return false;
	}
}

/* @f: the folio of @ev if it was found already, else NULL. */
static void apply_to_folio(struct model *m, const struct event *ev, struct lruvec *lv,
			   struct folio *f)
{
	if (!is_sane(ev)) {
		m->stats.nr_refused++;
		state_error(m, STATE_ERROR_IMPOSSIBLE, ev, NULL, ev->pfn, NO_GEN);
		return;
	}
	m->stats.nr_multi_gen += ev->kind <= EV_MOVE;
	f = f ? as_known(m, f, ev->pfn, ev) : get_folio(m, ev->pfn, ev);
	if (!f)
		return;
	switch (ev->kind) {
	case EV_ADD:
		learn_max_seq(m, lv, ev);
		apply_add(m, ev, lv, f);
		break;
	case EV_DEL:
		learn_max_seq(m, lv, ev);
		apply_del(m, ev, lv, f);
		break;
	case EV_MOVE:
		learn_max_seq(m, lv, ev);
		apply_move(m, ev, lv, f);
		break;
	case EV_UPDATE:
		apply_update(m, ev, lv, f);
		break;
	case EV_SPLIT:
		apply_split(m, ev, lv, f);
		break;
	case EV_MIGRATE:
		apply_migrate(m, ev, lv, f);
		break;
	case EV_RECLAIM:
		m->stats.nr_outcomes++;
		apply_reclaim(m, ev, lv, f);
		break;
	case EV_EVICT:
		apply_evict(m, ev, lv, f);
		break;
	case EV_REFAULT:
		apply_refault(m, ev, lv, f);
		break;
	case EV_SWAPIN:
		apply_swapin(m, ev, lv, f);
		break;
	case EV_LAZYFREE:
		apply_lazyfree(m, ev, lv, f);
		break;
	case EV_HITSHIELD:
		apply_hitshield(m, ev, lv, f);
		break;
	default:
		break;
	}
	if (m->is_standalone)
		cut_after(m, ev);
}

void model_select(struct model *m, const struct selection *selection)
{
	m->selection = selection;
}

/*
 * Some events are not in the recording: no list is known as a whole, and of a folio
 * that @ev takes out of the selection nothing more will be heard.
 */
static void keep_to_selection(struct model *m, const struct event *ev, struct lruvec *lv)
{
	struct lruvec *to = lv;
	uint32_t handle = 0;
	struct folio *f;
	uint64_t pfn;

	if (ev->kind == EV_SPLICE)
		to = get_lruvec(m, ev->u.splice.new_memcg, ev->nid);
	if (!to)
		return;
	if (selection_is_sparse(m->selection)) {
		lv->complete = to->complete = false;
		memset(lv->lists_known, 0, sizeof(lv->lists_known));
	}
	if (ev->kind == EV_MIGRATE && !selection_has_pfn(m->selection, ev->u.migrate.new_pfn)) {
		f = folio_table_find(m->folios, ev->u.migrate.new_pfn);
		if (f && is_alive(f))
			lose_life(m, f, ev->u.migrate.new_pfn, ev);
	}
	if (ev->kind != EV_SPLICE || selection_has_memcg(m->selection, ev->u.splice.new_memcg))
		return;
	while ((f = folio_table_next(m->folios, &handle, &pfn)))
		if (is_alive(f) && f->epoch == m->epoch && f->lruvec == to->number + 1)
			lose_life(m, f, pfn, ev);
}

int model_apply(struct model *m, const struct event *ev)
{
	return model_apply_found(m, ev, NULL);
}

/* What is no event of lru_gen. */
static void apply_other(struct model *m, const struct event *ev)
{
	switch (ev->kind) {
	case EV_LOST:
	case EV_GAP:
		apply_loss(m, ev);
		break;
	case EV_PAGE_FREE:
	case EV_PAGE_ALLOC:
		apply_page_free(m, ev);
		break;
	case EV_MARKER:
		model_restore(m, ev);
		break;
	default:
		break;
	}
}

/* An event, of whatever kind, while a loss lasts or just after it. */
static void doubt_event(struct model *m, const struct event *ev)
{
	if (ev->kind == EV_LOST || ev->kind == EV_GAP)
		return;
	if (ev->ts_ns >= m->loss_until_ns) {
		end_loss(m, ev);
	} else {
		/* what is known of a folio is what this event says */
		m->epoch++;
		m->stats.nr_in_loss++;
		join_eviction(m, ev);
	}
}

int model_apply_found(struct model *m, const struct event *ev, struct folio *f)
{
	struct event own;
	struct lruvec *lv;

	if (names_own_list(ev)) {
		own = *ev;
		own.type = TYPE_FILE;
		own.is_own_list = 1;
		ev = &own;
	}
	if (m->in_loss)
		doubt_event(m, ev);
	if (ev->kind < EV_ADD || ev->kind > EV_HITSHIELD) {
		apply_other(m, ev);
		return m->error;
	}
	if (!m->stats.nr_events++ && !m->doubt_until_ns)
		m->doubt_until_ns = ev->ts_ns + MODEL_WINDOW_NS;
	lv = get_lruvec(m, ev->memcg, ev->nid);
	if (!lv)
		return m->error;
	m->is_standalone = lv->is_drained;
	if (!apply_to_lruvec(m, ev, lv))
		apply_to_folio(m, ev, lv, f);
	if (m->selection && !selection_is_whole(m->selection))
		keep_to_selection(m, ev, lv);
	return m->error;
}

enum model_lru model_lru(const struct model *m)
{
	bool is_on = has_multi_gen(m);
	uint32_t i;

	if (has_outcomes(m) && !has_multi_gen(m))
		return MODEL_LRU_CLASSIC;
	for (i = 0; i < m->nr_lruvecs; i++) {
		if (m->lruvecs[i]->was_classic)
			return MODEL_LRU_SWITCHED;
		is_on |= m->lruvecs[i]->enabled_known && m->lruvecs[i]->enabled;
	}
	return is_on ? MODEL_LRU_MULTI_GEN : MODEL_LRU_UNKNOWN;
}

void model_finish(struct model *m, uint64_t ts_ns, bool partial)
{
	enum model_lru lru = model_lru(m);
	uint32_t handle = 0;
	struct folio *f;
	uint64_t pfn;

	while ((f = folio_table_next(m->folios, &handle, &pfn))) {
		bool current = f->epoch == m->epoch && !m->in_loss;

		if (current && f->await != FOLIO_NO_AWAIT && !in_doubt(f) && !partial)
			state_error(m, STATE_ERROR_GEN_UNSEEN, NULL, f, pfn, f->await & 0xf);
		if (!is_alive(f))
			continue;
		/*
		 * One that was freed from a classic list, or, after a loss, one that
		 * is on no list, is not known to be there still.
		 */
		if (lru == MODEL_LRU_CLASSIC || lru == MODEL_LRU_UNKNOWN)
			end_life(m, f, pfn, NULL, ts_ns, END_SWITCHED);
		else if (current && (f->list || f->birth != BIRTH_UNKNOWN || !m->epoch))
			end_life(m, f, pfn, NULL, ts_ns, END_RESIDENT);
		else
			lose_life(m, f, pfn, NULL);
	}
}

const struct model_stats *model_stats(const struct model *m)
{
	return &m->stats;
}

const struct folio_table *model_folios(const struct model *m)
{
	return m->folios;
}

uint64_t model_bytes(const struct model *m)
{
	uint64_t bytes = folio_table_bytes(m->folios);
	uint32_t i;

	bytes += page_table_bytes(&m->pages);
	bytes += m->nr_lruvecs * sizeof(struct lruvec);
	for (i = 0; i < m->nr_lists; i++)
		bytes += sizeof(*m->lists[i]) + lrulist_bytes(&m->lists[i]->order);
	return bytes;
}
