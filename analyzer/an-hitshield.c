// SPDX-License-Identifier: GPL-2.0-only
#include "hitshield.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "text.h"

/* Of a page frame: what is counted before a folio is added belongs to it too. */
struct machine {
	uint32_t nr_updates;	/* since the counter was 0 */
	uint32_t max_seq;	/* of the latest update */
	uint8_t count;
	bool is_new;		/* no event yet: count and shield are not known */
	bool has_updates;	/* max_seq is valid */
	bool has_shield, was_kept;
	bool is_granted;	/* the grant was seen */
	/* the latest shield that was spent, while its fate is open */
	bool is_spent, was_accessed;
	uint64_t spent_ns;
	struct order_example spent_example;
};

/* An evicted folio that a shield had spared before. */
struct evicted {
	uint64_t spent_ns, evict_ns;
	bool was_accessed;
	struct order_example example;
};

/* Structs found by a 64-bit key; those deleted are used again. */
struct pool {
	struct map map;
	char *items;
	uint32_t *unused;
	uint32_t nr, nr_unused, nr_alloc;
	size_t item_bytes;
};

struct state {
	const struct analysis_env *env;
	struct hitshield_results results;
	struct pool machines;	/* by pfn */
	struct pool evicted;	/* by life */
	bool out_of_memory;
};

static void *pool_get(struct pool *pool, uint64_t key)
{
	uint32_t at;

	if (!pool->map.nr || !map_get(&pool->map, key, &at))
		return NULL;
	return pool->items + at * pool->item_bytes;
}

static void *pool_add(struct pool *pool, uint64_t key)
{
	uint32_t at;

	if (!pool->nr_unused && pool->nr == pool->nr_alloc) {
		uint32_t nr_alloc = pool->nr_alloc ? pool->nr_alloc * 2 : 256;
		uint32_t *unused = realloc(pool->unused, nr_alloc * sizeof(*unused));
		char *items;

		if (!unused)
			return NULL;
		pool->unused = unused;
		items = realloc(pool->items, nr_alloc * pool->item_bytes);
		if (!items)
			return NULL;
		pool->items = items;
		pool->nr_alloc = nr_alloc;
	}
	at = pool->nr_unused ? pool->unused[--pool->nr_unused] : pool->nr++;
	if (map_set(&pool->map, key, at)) {
		pool->unused[pool->nr_unused++] = at;
		return NULL;
	}
	memset(pool->items + at * pool->item_bytes, 0, pool->item_bytes);
	return pool->items + at * pool->item_bytes;
}

static void pool_del(struct pool *pool, uint64_t key)
{
	uint32_t at;

	if (!map_get(&pool->map, key, &at))
		return;
	pool->unused[pool->nr_unused++] = at;
	map_del(&pool->map, key);
}

static void pool_clear(struct pool *pool)
{
	map_release(&pool->map);
	pool->nr = pool->nr_unused = 0;
}

static void pool_release(struct pool *pool)
{
	pool_clear(pool);
	free(pool->items);
	free(pool->unused);
}

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->env = env;
	s->machines.item_bytes = sizeof(struct machine);
	s->evicted.item_bytes = sizeof(struct evicted);
	return s;
}

static void release(void *self)
{
	struct state *s = self;

	pool_release(&s->machines);
	pool_release(&s->evicted);
	free(s);
}

static void count(struct hitshield_count *counter, const struct order_example *example)
{
	if (!counter->nr++)
		counter->example = *example;
}

static struct order_example example_of(const struct change *c, uint64_t magnitude)
{
	return (struct order_example){
		.pfn = c->pfn,
		.life = c->folio->life,
		.ts_ns = c->ts_ns,
		.magnitude = magnitude,
	};
}

static void close_fate(struct state *s, struct machine *m, enum hitshield_fate fate)
{
	if (!m->is_spent)
		return;
	count(&s->results.fates[fate][m->was_accessed], &m->spent_example);
	m->is_spent = false;
}

static void update(struct state *s, struct machine *m, const struct change *c)
{
	struct hitshield_results *r = &s->results;
	const struct event *ev = c->ev;
	bool is_granted = ev->u.hitshield.cause == HITSHIELD_GRANTED;
	struct order_example example;

	if (m->is_new)
		m->nr_updates = ev->u.hitshield.old_count;
	m->nr_updates++;
	example = example_of(c, m->nr_updates);
	r->nr_updates++;
	if (ev->site < SITE_NR)
		r->updates_by_site[ev->site]++;
	if (ev->old_gen < 0)
		count(&r->isolated, &example);
	else if (ev->old_gen == ev->new_gen)
		count(&r->same_gen, &example);
	if (m->has_updates && m->max_seq == ev->max_seq)
		count(&r->same_max_seq, &example);
	m->has_updates = true;
	m->max_seq = ev->max_seq;
	if (!is_granted)
		return;
	r->nr_granted++;
	count(&r->granted_at[m->nr_updates < HITSHIELD_MAX_UPDATES ? m->nr_updates :
								     HITSHIELD_MAX_UPDATES],
	      &example);
	if (!m->is_new && m->has_shield)
		count(&r->granted_again, &example);
	if (ev->old_gen < 0)
		count(&r->granted_isolated, &example);
	m->is_granted = true;
	m->was_kept = false;
	if (!ev->u.hitshield.new_count)
		m->nr_updates = 0;
}

static void spent(struct state *s, struct machine *m, const struct change *c)
{
	struct hitshield_results *r = &s->results;
	const struct event *ev = c->ev;
	unsigned nr_gens = c->lruvec && c->lruvec->nr_gens ? c->lruvec->nr_gens : 4, gained = 0;
	struct order_example example;

	if (ev->old_gen >= 0 && ev->new_gen >= 0)
		gained = (ev->new_gen + nr_gens - ev->old_gen % nr_gens) % nr_gens;
	example = example_of(c, gained);
	close_fate(s, m, HITSHIELD_FATE_SPENT_AGAIN);
	r->nr_spent++;
	count(&r->spent_gens[gained < MODEL_MAX_GENS ? gained : MODEL_MAX_GENS - 1], &example);
	if (ev->new_gen >= 0 && (unsigned)ev->new_gen == ev->max_seq % nr_gens)
		r->nr_spent_youngest++;
	if (m->was_kept)
		count(&r->spent_kept, &example);
	if (!m->is_granted)
		r->nr_spent_ungranted++;
	m->is_granted = m->was_kept = false;
	m->is_spent = true;
	m->was_accessed = false;
	m->spent_ns = c->ts_ns;
	m->spent_example = example;
	if (!ev->u.hitshield.new_count)
		m->nr_updates = 0;
}

static void step(struct state *s, const struct change *c)
{
	struct hitshield_results *r = &s->results;
	const struct event *ev = c->ev;
	struct order_example example = example_of(c, ev->u.hitshield.old_count);
	struct machine *m;

	r->nr_events++;
	if (model_in_loss(s->env->model)) {
		r->nr_in_loss++;
		return;
	}
	m = pool_get(&s->machines, c->pfn);
	if (!m) {
		m = pool_add(&s->machines, c->pfn);
		if (!m) {
			s->out_of_memory = true;
			return;
		}
		m->is_new = true;
	}
	if (!m->is_new && m->count != ev->u.hitshield.old_count)
		count(&r->broken, &example);
	switch (ev->u.hitshield.cause) {
	case HITSHIELD_COUNTED:
	case HITSHIELD_GRANTED:
		update(s, m, c);
		break;
	case HITSHIELD_SPENT:
		spent(s, m, c);
		break;
	case HITSHIELD_CLEARED:
		count(&r->cleared, &example);
		m->nr_updates = 0;
		m->has_updates = false;
		break;
	case HITSHIELD_KEPT:
		count(&r->kept, &example);
		if (ev->site < SITE_NR)
			r->kept_by_site[ev->site]++;
		m->was_kept = true;
		break;
	default:
		break;
	}
	m->is_new = false;
	m->count = ev->u.hitshield.new_count;
	m->has_shield = ev->u.hitshield.shield;
}

static void accessed(struct state *s, const struct change *c)
{
	struct machine *m = pool_get(&s->machines, c->pfn);

	if (!m || !m->is_spent || m->was_accessed || c->ts_ns <= m->spent_ns)
		return;
	m->was_accessed = true;
	hist_add(&s->results.access_ns, c->ts_ns - m->spent_ns);
}

static void note_eviction(struct state *s, const struct machine *m, const struct change *c)
{
	struct evicted *e = pool_add(&s->evicted, c->folio->life);

	if (c->ts_ns >= m->spent_ns)
		hist_add(&s->results.evict_ns, c->ts_ns - m->spent_ns);
	if (!e) {
		s->out_of_memory = true;
		return;
	}
	e->spent_ns = m->spent_ns;
	e->evict_ns = c->ts_ns;
	e->was_accessed = m->was_accessed;
	e->example = m->spent_example;
}

/* What the folio of @m still has when its life ends. */
static void note_rest(struct state *s, const struct machine *m, const struct change *c)
{
	struct hitshield_results *r = &s->results;
	struct order_example example = example_of(c, 0);
	unsigned count_left = m->count < HITSHIELD_MAX_UPDATES ? m->count : HITSHIELD_MAX_UPDATES;

	if (c->end == END_LOST)
		r->nr_shields_lost += m->has_shield;
	else if (m->has_shield)
		count(c->end == END_RESIDENT ? &r->still : &r->unused, &example);
	else if (c->end == END_RESIDENT)
		r->counts_at_end[count_left]++;
	else
		r->counts_gone[count_left]++;
}

static void life_ends(struct state *s, const struct change *c)
{
	struct machine *m = pool_get(&s->machines, c->pfn);
	bool is_evicted = c->end == END_EVICTED || c->end == END_RECLAIMED;

	if (c->end == END_EVICTED && !(m && m->is_spent))
		s->results.nr_others_evicted++;
	if (!m)
		return;
	note_rest(s, m, c);
	if (m->is_spent && is_evicted) {
		/* the fate is known when the page comes back, or at the end */
		note_eviction(s, m, c);
		m->is_spent = false;
	}
	switch (c->end) {
	case END_LAZYFREED:
		close_fate(s, m, HITSHIELD_FATE_LAZYFREED);
		break;
	case END_FREED:
		close_fate(s, m, HITSHIELD_FATE_FREED);
		break;
	case END_RESIDENT:
		close_fate(s, m, HITSHIELD_FATE_RESIDENT);
		break;
	case END_LOST:
		close_fate(s, m, HITSHIELD_FATE_LOST);
		break;
	default:
		close_fate(s, m, HITSHIELD_FATE_OTHER);
		break;
	}
	/* the next folio at this place begins with clear flags */
	pool_del(&s->machines, c->pfn);
}

/* @c->page is as the eviction left it: its life is that of the evicted folio. */
static void came_back(struct state *s, const struct change *c)
{
	const struct evicted *e;

	if (!c->page || !c->page->evict_ns || c->page->is_resident)
		return;
	e = pool_get(&s->evicted, c->page->life);
	if (!e) {
		if (analysis_is_earlier(s->env, c->page->evict_ns))
			s->results.nr_earlier_refaulted++;
		else
			s->results.nr_others_refaulted++;
		return;
	}
	count(&s->results.fates[HITSHIELD_FATE_REFAULTED][e->was_accessed], &e->example);
	if (c->ts_ns >= e->evict_ns)
		hist_add(&s->results.refault_ns, c->ts_ns - e->evict_ns);
	pool_del(&s->evicted, c->page->life);
}

static void change(void *self, const struct change *c)
{
	struct state *s = self;

	switch (c->kind) {
	case CHANGE_HITSHIELD:
		step(s, c);
		break;
	case CHANGE_UPDATE:
	case CHANGE_ACCESSED:
		if (s->machines.map.nr)
			accessed(s, c);
		break;
	case CHANGE_END:
		life_ends(s, c);
		break;
	case CHANGE_REFAULT:
	case CHANGE_SWAPIN:
		came_back(s, c);
		break;
	default:
		break;
	}
}

static void lost(void *self)
{
	struct state *s = self;
	uint32_t i;

	for (i = 0; i < s->machines.map.size; i++) {
		const struct map_entry *entry = &s->machines.map.entries[i];
		struct machine *m;

		if (!entry->used)
			continue;
		m = (struct machine *)(s->machines.items + entry->value * s->machines.item_bytes);
		s->results.nr_shields_lost += m->has_shield;
		close_fate(s, m, HITSHIELD_FATE_LOST);
	}
	pool_clear(&s->machines);
}

static void end(void *self)
{
	struct state *s = self;
	uint32_t i;

	/* folios of which nothing but hitshield events was seen */
	lost(self);
	for (i = 0; i < s->evicted.map.size; i++) {
		const struct map_entry *entry = &s->evicted.map.entries[i];
		const struct evicted *e;

		if (!entry->used)
			continue;
		e = (struct evicted *)(s->evicted.items + entry->value * s->evicted.item_bytes);
		count(&s->results.fates[HITSHIELD_FATE_EVICTED][e->was_accessed], &e->example);
	}
	pool_clear(&s->evicted);
}

const struct hitshield_results *hitshield_results(const void *self)
{
	return &((const struct state *)self)->results;
}

static const char *const fate_texts[] = {
#define X(name, text) text,
	HITSHIELD_FATE_LIST(X)
#undef X
};

const char *hitshield_fate_text(enum hitshield_fate fate)
{
	return fate < HITSHIELD_FATE_NR ? fate_texts[fate] : "?";
}

/*
 * Output
 */

static uint64_t since(const struct state *s, uint64_t ts_ns)
{
	return ts_ns > s->env->first_ts_ns ? ts_ns - s->env->first_ts_ns : 0;
}

static void line(const struct state *s, FILE *out, const char *label,
		 const struct hitshield_count *counter)
{
	struct text_buf buf;

	fprintf(out, "  %-40s %9llu", label, (unsigned long long)counter->nr);
	if (counter->nr)
		fprintf(out, "  0x%llx at %ss", (unsigned long long)counter->example.pfn,
			text_seconds(&buf, since(s, counter->example.ts_ns)));
	fputc('\n', out);
}

static void render_updates(const struct state *s, FILE *out)
{
	const struct hitshield_results *r = &s->results;
	unsigned i;

	fprintf(out, "%-42s %9llu  %s\n", "updates counted", (unsigned long long)r->nr_updates,
		"example: pfn, time");
	for (i = 0; i < SITE_NR; i++)
		if (r->updates_by_site[i])
			fprintf(out, "  by %-37s %9llu\n", site_name(i),
				(unsigned long long)r->updates_by_site[i]);
	line(s, out, "while the folio was isolated", &r->isolated);
	line(s, out, "already in the generation it was set to", &r->same_gen);
	line(s, out, "a second time under one max_seq", &r->same_max_seq);
	line(s, out, "not following from the step before", &r->broken);
	line(s, out, "counters cleared by an add", &r->cleared);
}

static void render_shields(const struct state *s, FILE *out)
{
	const struct hitshield_results *r = &s->results;
	char label[64];
	unsigned i;

	fprintf(out, "%-42s %9llu\n", "shields granted", (unsigned long long)r->nr_granted);
	for (i = 0; i <= HITSHIELD_MAX_UPDATES; i++) {
		if (!r->granted_at[i].nr)
			continue;
		snprintf(label, sizeof(label), "at update %u%s", i,
			 i == HITSHIELD_MAX_UPDATES ? " or later" : "");
		line(s, out, label, &r->granted_at[i]);
	}
	line(s, out, "to a folio that had one already", &r->granted_again);
	line(s, out, "while the folio was isolated", &r->granted_isolated);
	line(s, out, "survived that the folio was added again", &r->kept);
	for (i = 0; i < SITE_NR; i++)
		if (r->kept_by_site[i])
			fprintf(out, "    by %-35s %9llu\n", site_name(i),
				(unsigned long long)r->kept_by_site[i]);
	line(s, out, "never spent before the folio went", &r->unused);
	line(s, out, "not spent yet at the end", &r->still);
	if (r->nr_shields_lost)
		fprintf(out, "  %-40s %9llu\n", "not known: events were lost",
			(unsigned long long)r->nr_shields_lost);

	fprintf(out, "%-42s %9llu\n", "shields spent", (unsigned long long)r->nr_spent);
	for (i = 0; i < MODEL_MAX_GENS; i++) {
		if (!r->spent_gens[i].nr)
			continue;
		if (i)
			snprintf(label, sizeof(label), "gained %u generation%s", i,
				 i == 1 ? "" : "s");
		else
			snprintf(label, sizeof(label), "gained none: promoted meanwhile");
		line(s, out, label, &r->spent_gens[i]);
	}
	if (r->nr_spent)
		fprintf(out, "  %-40s %9llu\n", "to the youngest generation",
			(unsigned long long)r->nr_spent_youngest);
	line(s, out, "that had survived an add", &r->spent_kept);
	if (r->nr_spent_ungranted)
		fprintf(out, "  %-40s %9llu\n", "whose grant was not seen",
			(unsigned long long)r->nr_spent_ungranted);
}

static void render_hist(FILE *out, const char *label, const struct hist *hist)
{
	struct text_buf a, b, c;

	if (hist->nr)
		fprintf(out, "  %-40s %8s %8s %8s\n", label,
			text_duration(&a, hist_quantile(hist, 0.1)),
			text_duration(&b, hist_quantile(hist, 0.5)),
			text_duration(&c, hist_quantile(hist, 0.9)));
}

static void render_fates(const struct state *s, FILE *out)
{
	const struct hitshield_results *r = &s->results;
	uint64_t nr_evicted = 0, nr_refaulted = 0;
	struct text_buf a, b;
	unsigned i, k;

	fprintf(out, "%-38s %s\n%-36s %10s %10s\n", "what they bought: the folio was",
		"accessed after it was spared?", "", "yes", "no");
	for (i = 0; i < HITSHIELD_FATE_NR; i++) {
		if (!r->fates[i][0].nr && !r->fates[i][1].nr)
			continue;
		fprintf(out, "  %-34s %10llu %10llu", fate_texts[i],
			(unsigned long long)r->fates[i][1].nr,
			(unsigned long long)r->fates[i][0].nr);
		k = r->fates[i][0].nr ? 0 : 1;
		fprintf(out, "  0x%llx\n", (unsigned long long)r->fates[i][k].example.pfn);
	}
	fprintf(out, "  %-40s %8s %8s %8s\n", "time", "10%", "50%", "90%");
	render_hist(out, "from spent to the next access", &r->access_ns);
	render_hist(out, "from spent to eviction", &r->evict_ns);
	render_hist(out, "from that eviction to the refault", &r->refault_ns);
	fprintf(out, "  %s\n", HIST_RESOLUTION_TEXT);
	for (k = 0; k < 2; k++) {
		nr_refaulted += r->fates[HITSHIELD_FATE_REFAULTED][k].nr;
		nr_evicted += r->fates[HITSHIELD_FATE_REFAULTED][k].nr +
			      r->fates[HITSHIELD_FATE_EVICTED][k].nr;
	}
	fprintf(out, "of evicted folios came back: %s of %llu once spared,\n  %s of %llu others\n",
		text_percent(&a, nr_refaulted, nr_evicted), (unsigned long long)nr_evicted,
		text_percent(&b, r->nr_others_refaulted, r->nr_others_evicted),
		(unsigned long long)r->nr_others_evicted);
	if (r->nr_earlier_refaulted)
		fprintf(out, "  besides came back %llu that were evicted before the cut\n",
			(unsigned long long)r->nr_earlier_refaulted);
}

static bool incomplete(const void *self)
{
	return ((const struct state *)self)->out_of_memory;
}

static void render(const void *self, FILE *out)
{
	const struct state *s = self;
	const struct hitshield_results *r = &s->results;

	if (!r->nr_events) {
		fprintf(out, "no hitshield event: the kernel has no hitshield, or it was off\n");
		return;
	}
	render_updates(s, out);
	render_shields(s, out);
	if (r->nr_spent)
		render_fates(s, out);
	if (r->nr_in_loss)
		fprintf(out, "%llu steps not followed: events were lost around them\n",
			(unsigned long long)r->nr_in_loss);
}

static const struct column count_columns[] = {
	{ "what", CELL_TEXT, "", "what was counted" },
	{ "number", CELL_COUNT, "",
	  "of updates or generations, or the count, where what has several rows" },
	{ "nr", CELL_COUNT, "", "how often" },
	{ "example_pfn", CELL_COUNT, "", "page frame number of the first one" },
	{ "example_life", CELL_COUNT, "", "number of its life, for folio --life" },
	{ "example_ts_ns", CELL_COUNT, "ns", "when, from the first event" },
};

static const struct table_def count_def = {
	"hitshield", "Hitshield: counter and shield", "hitshield",
	count_columns, sizeof(count_columns) / sizeof(count_columns[0]),
};

static const struct column fate_columns[] = {
	{ "fate", CELL_TEXT, "", "what became of a folio whose shield was spent" },
	{ "accessed", CELL_BOOL, "", "seen accessed through a page table after that" },
	{ "nr", CELL_COUNT, "shields", "spent" },
	{ "example_pfn", CELL_COUNT, "", "page frame number of the first one" },
	{ "example_life", CELL_COUNT, "", "number of its life, for folio --life" },
	{ "example_ts_ns", CELL_COUNT, "ns", "when it was spent, from the first event" },
};

static const struct table_def fate_def = {
	"hitshield_fates", "Hitshield: what spent shields bought", "hitshield, update, evict, refault",
	fate_columns, sizeof(fate_columns) / sizeof(fate_columns[0]),
};

static void example_cells(const struct state *s, struct table *table,
			  const struct hitshield_count *counter)
{
	cell_count(table, counter->nr);
	if (!counter->nr) {
		cell_absent(table);
		cell_absent(table);
		cell_absent(table);
		return;
	}
	cell_count(table, counter->example.pfn);
	cell_count(table, counter->example.life);
	cell_count(table, since(s, counter->example.ts_ns));
}

static void row(const struct state *s, struct table *table, const char *what, int number,
		const struct hitshield_count *counter)
{
	cell_text(table, what);
	if (number < 0)
		cell_absent(table);
	else
		cell_count(table, number);
	example_cells(s, table, counter);
}

/* A row without an example. */
static void plain(struct table *table, const char *what, int number, uint64_t nr)
{
	cell_text(table, what);
	if (number < 0)
		cell_absent(table);
	else
		cell_count(table, number);
	cell_count(table, nr);
	cell_absent(table);
	cell_absent(table);
	cell_absent(table);
}

static void tables(const void *self, struct tables *tables)
{
	const struct state *s = self;
	const struct hitshield_results *r = &s->results;
	struct table *t = tables_add(tables, &count_def), *fates = tables_add(tables, &fate_def);
	unsigned i, k;

	tables->out_of_memory |= s->out_of_memory;
	if (!r->nr_events)
		return;
	plain(t, "updates", -1, r->nr_updates);
	row(s, t, "updates_isolated", -1, &r->isolated);
	row(s, t, "updates_same_gen", -1, &r->same_gen);
	row(s, t, "updates_same_max_seq", -1, &r->same_max_seq);
	row(s, t, "updates_broken", -1, &r->broken);
	row(s, t, "counters_cleared", -1, &r->cleared);
	plain(t, "granted", -1, r->nr_granted);
	for (i = 0; i <= HITSHIELD_MAX_UPDATES; i++)
		if (r->granted_at[i].nr)
			row(s, t, "granted_at", i, &r->granted_at[i]);
	row(s, t, "granted_again", -1, &r->granted_again);
	row(s, t, "granted_isolated", -1, &r->granted_isolated);
	row(s, t, "kept", -1, &r->kept);
	row(s, t, "unused", -1, &r->unused);
	row(s, t, "still", -1, &r->still);
	plain(t, "shields_lost", -1, r->nr_shields_lost);
	for (i = 0; i <= HITSHIELD_MAX_UPDATES; i++) {
		if (r->counts_at_end[i])
			plain(t, "count_at_end", i, r->counts_at_end[i]);
		if (r->counts_gone[i])
			plain(t, "count_gone", i, r->counts_gone[i]);
	}
	plain(t, "spent", -1, r->nr_spent);
	for (i = 0; i < MODEL_MAX_GENS; i++)
		if (r->spent_gens[i].nr)
			row(s, t, "spent_gained", i, &r->spent_gens[i]);
	plain(t, "spent_to_youngest", -1, r->nr_spent_youngest);
	row(s, t, "spent_kept", -1, &r->spent_kept);
	plain(t, "spent_ungranted", -1, r->nr_spent_ungranted);
	plain(t, "others_evicted", -1, r->nr_others_evicted);
	plain(t, "others_refaulted", -1, r->nr_others_refaulted);
	plain(t, "earlier_refaulted", -1, r->nr_earlier_refaulted);
	plain(t, "in_loss", -1, r->nr_in_loss);
	for (i = 0; i < HITSHIELD_FATE_NR; i++) {
		for (k = 0; k < 2; k++) {
			cell_text(fates, fate_texts[i]);
			cell_bool(fates, k);
			example_cells(s, fates, &r->fates[i][k]);
		}
	}
}

static const struct table_def *const defs[] = { &count_def, &fate_def, NULL };

const struct analysis_ops analysis_hitshield = {
	.name = "hitshield",
	.title = "Hitshield",
	.begin = begin,
	.change = change,
	.kinds = 1u << CHANGE_HITSHIELD |
		 1u << CHANGE_UPDATE |
		 1u << CHANGE_ACCESSED |
		 1u << CHANGE_END |
		 1u << CHANGE_REFAULT |
		 1u << CHANGE_SWAPIN,
	.lost = lost,
	.end = end,
	.incomplete = incomplete,
	.render = render,
	.defs = defs,
	.tables = tables,
	.release = release,
};
