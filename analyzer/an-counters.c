// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters from events. pgscan_kswapd and its like, and pgrefill, are counted in
 * vmstat for global reclaim only, in memory.stat for all; pgscan_anon and
 * pgsteal_anon, which only vmstat has, for all.
 */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"

struct state {
	const struct analysis_env *env;
	uint64_t values[COUNTER_NR];
	struct counters_memcg *memcgs;
	uint32_t nr_memcgs, nr_memcgs_alloc;
	uint32_t last;			/* place of the memcg asked for before */
	struct map by_memcg;
	struct map reclaimers;		/* by pid: reclaimer << 1 | memcg_reclaim */
	bool out_of_memory;
};

static const char *const names[] = {
#define X(name) #name,
	COUNTER_LIST(X)
#undef X
};

const char *counter_name(enum counter counter)
{
	return counter < COUNTER_NR ? names[counter] : "?";
}

const uint64_t *counters_values(const void *self)
{
	return ((const struct state *)self)->values;
}

bool counter_is_whole(enum counter counter, enum model_lru lru)
{
	switch (counter) {
	case COUNTER_pglazyfree:
	case COUNTER_pglazyfreed:
	case COUNTER_pswpin:
		return true;
	default:
		return lru == MODEL_LRU_MULTI_GEN;
	}
}

/* Nothing was there to be counted: the value would be 0, and wrong. */
static bool is_unknown(const struct state *s, enum counter counter)
{
	enum model_lru lru = model_lru(s->env->model);

	return (lru == MODEL_LRU_CLASSIC || lru == MODEL_LRU_UNKNOWN) &&
	       !counter_is_whole(counter, lru);
}

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (s)
		s->env = env;
	return s;
}

const struct counters_memcg *counters_memcgs(const void *self, uint32_t *nr)
{
	const struct state *s = self;

	*nr = s->nr_memcgs;
	return s->memcgs;
}

/* The counters of a memcg; a scratch pad without memory, which loses them. */
static uint64_t *of_memcg(struct state *s, uint64_t memcg)
{
	static uint64_t lost[COUNTER_NR];
	struct counters_memcg *bigger;
	uint32_t at;

	if (s->last < s->nr_memcgs && s->memcgs[s->last].memcg == memcg)
		return s->memcgs[s->last].values;
	if (!map_get(&s->by_memcg, memcg, &at)) {
		at = s->nr_memcgs;
		if (at == s->nr_memcgs_alloc) {
			s->nr_memcgs_alloc = at ? at * 2 : 16;
			bigger = realloc(s->memcgs, s->nr_memcgs_alloc * sizeof(*bigger));
			if (!bigger) {
				s->nr_memcgs_alloc = at;
				goto no_memory;
			}
			s->memcgs = bigger;
		}
		if (map_set(&s->by_memcg, memcg, at))
			goto no_memory;
		memset(&s->memcgs[at], 0, sizeof(s->memcgs[at]));
		s->memcgs[at].memcg = memcg;
		s->nr_memcgs++;
	}
	s->last = at;
	return s->memcgs[at].values;

no_memory:
	s->out_of_memory = true;
	return lost;
}

/* Both for vmstat and for memory.stat. */
static void count(struct state *s, uint64_t memcg, enum counter counter, uint64_t nr_pages)
{
	s->values[counter] += nr_pages;
	of_memcg(s, memcg)[counter] += nr_pages;
}

static void count_scan(struct state *s, uint64_t memcg, const struct event *ev)
{
	uint64_t *own = of_memcg(s, memcg);

	s->values[COUNTER_pgscan_anon + ev->type] += ev->u.scan.nr_isolated;
	if (ev->u.scan.reclaimer < 3) {
		enum counter counter = COUNTER_pgscan_kswapd + ev->u.scan.reclaimer;

		/* what this task reclaims from now on is on the same account */
		if (map_set(&s->reclaimers, ev->pid,
			    ev->u.scan.reclaimer << 1 | !!ev->u.scan.memcg_reclaim))
			s->out_of_memory = true;
		own[counter] += ev->u.scan.nr_isolated;
		if (!ev->u.scan.memcg_reclaim)
			s->values[counter] += ev->u.scan.nr_isolated;
	}
	own[COUNTER_pgrefill] += ev->u.scan.nr_sorted;
	if (!ev->u.scan.memcg_reclaim)
		s->values[COUNTER_pgrefill] += ev->u.scan.nr_sorted;
}

/* Reclaim got rid of the folio of @c. */
static void count_steal(struct state *s, uint64_t memcg, const struct change *c)
{
	const struct event *ev = c->ev;
	uint64_t nr_pages = 1ull << ev->order;
	uint32_t reclaimer;

	/*
	 * Not counted by the kernel: isolated by others, like MADV_PAGEOUT. Who did
	 * is not known of a folio first seen after that, as when events were lost.
	 */
	if (c->folio->state != FOLIO_RECLAIMING ||
	    (c->folio->birth == BIRTH_UNKNOWN && !c->folio->nr_isolated))
		return;
	s->values[COUNTER_pgsteal_anon + ev->type] += nr_pages;
	if (!map_get(&s->reclaimers, ev->pid, &reclaimer))
		return;
	of_memcg(s, memcg)[COUNTER_pgsteal_kswapd + (reclaimer >> 1)] += nr_pages;
	if (!(reclaimer & 1))
		s->values[COUNTER_pgsteal_kswapd + (reclaimer >> 1)] += nr_pages;
}

static void count_outcome(struct state *s, uint64_t memcg, const struct change *c)
{
	switch (c->ev->u.reclaim.outcome) {
	case OUTCOME_ACTIVATED:
		count(s, memcg, COUNTER_pgactivate, 1ull << c->ev->order);
		break;
	case OUTCOME_RECLAIMED:
	case OUTCOME_LAZYFREED:
		count_steal(s, memcg, c);
		break;
	default:
		break;
	}
}

static void count_entry(struct state *s, uint64_t memcg, const struct event *ev)
{
	uint64_t nr_pages = 1ull << ev->order;

	if (ev->site == SITE_LRU_MOVE_TAIL ||
	    (ev->site == SITE_LRU_DEACTIVATE_FILE && ev->flags & FOLIO_TAIL))
		s->values[COUNTER_pgrotated] += nr_pages;
	else if (ev->site == SITE_LRU_ACTIVATE)
		count(s, memcg, COUNTER_pgactivate, nr_pages);
	else if (ev->site == SITE_LRU_DEACTIVATE)
		count(s, memcg, COUNTER_pgdeactivate, nr_pages);
}

static void count_lazyfree(struct state *s, uint64_t memcg, const struct event *ev)
{
	uint64_t nr_pages = 1ull << ev->order;

	if (ev->u.lazyfree.stage == LAZYFREE_MARK)
		count(s, memcg, COUNTER_pglazyfree, nr_pages);
	if (ev->u.lazyfree.stage == LAZYFREE_FREED)
		count(s, memcg, COUNTER_pglazyfreed, nr_pages);
}

static void count_refault(struct state *s, uint64_t memcg, const struct event *ev)
{
	uint64_t nr_pages = 1ull << ev->order;

	if (!ev->u.page.counted)
		return;
	count(s, memcg, COUNTER_workingset_refault_anon + ev->type, nr_pages);
	if (ev->u.page.recent)
		count(s, memcg, COUNTER_workingset_activate_anon + ev->type, nr_pages);
	if (ev->u.page.restored)
		count(s, memcg, COUNTER_workingset_restore_anon + ev->type, nr_pages);
}

static void change(void *self, const struct change *c)
{
	struct state *s = self;
	uint64_t memcg = c->lruvec ? c->lruvec->memcg : 0;

	switch (c->kind) {
	case CHANGE_SCAN:
		count_scan(s, memcg, c->ev);
		break;
	case CHANGE_OUTCOME:
		count_outcome(s, memcg, c);
		break;
	case CHANGE_END:
		/* reclaim's to migrate: it was demoted */
		if (c->end == END_MIGRATED)
			count_steal(s, memcg, c);
		break;
	case CHANGE_ENTER:
		count_entry(s, memcg, c->ev);
		break;
	case CHANGE_LAZYFREE:
		count_lazyfree(s, memcg, c->ev);
		break;
	case CHANGE_REFAULT:
		count_refault(s, memcg, c->ev);
		break;
	case CHANGE_SWAPIN:
		count(s, memcg, COUNTER_pswpin, 1ull << c->ev->order);
		break;
	default:
		break;
	}
}

/* The scan that tells whose account it is may be among what was lost. */
static void lost(void *self)
{
	map_release(&((struct state *)self)->reclaimers);
}

static bool incomplete(const void *self)
{
	return ((const struct state *)self)->out_of_memory;
}

static void render(const void *self, FILE *out)
{
	const struct state *s = self;
	const uint64_t *v = s->values;
	uint64_t nr_memcg;
	unsigned i;

	for (i = 0; i < COUNTER_NR; i++) {
		if (is_unknown(s, i))
			fprintf(out, "%-26s %10s", names[i], "unknown");
		else
			fprintf(out, "%-26s %10llu", names[i], (unsigned long long)v[i]);
		fputc(i % 2 || i + 1 == COUNTER_NR ? '\n' : ' ', out);
	}
	if (v[COUNTER_pswpin])
		fprintf(out, "pswpin has pages of zeros in it, which newer kernels count as swpin_zero\n");
	nr_memcg = v[COUNTER_pgscan_anon] + v[COUNTER_pgscan_file] - v[COUNTER_pgscan_kswapd] -
		   v[COUNTER_pgscan_direct] - v[COUNTER_pgscan_khugepaged];
	if (nr_memcg)
		fprintf(out, "%llu page%s scanned to shrink a memcg (its limit, or memory.reclaim).\n"
			     "As in /proc/vmstat, that counts in pgscan_anon and pgscan_file, but not\n"
			     "in pgscan_kswapd, _direct or _khugepaged; likewise for pgsteal. Nor does\n"
			     "pgrefill count it.\n",
			(unsigned long long)nr_memcg, nr_memcg == 1 ? " was" : "s were");
}

static const struct column counter_columns[] = {
	{ "name", CELL_TEXT, "", "as in /proc/vmstat" },
	{ "pages", CELL_COUNT, "pages",
	  "counted from events, whole recording; absent: unknown, of the classic LRU or of none that was seen" },
};

static const struct table_def counter_def = {
	"counters", "Counters, from events, under the names of /proc/vmstat",
	"scan, reclaim, add, lazyfree, refault",
	counter_columns, sizeof(counter_columns) / sizeof(counter_columns[0]),
};

static void tables(const void *self, struct tables *tables)
{
	struct table *table = tables_add(tables, &counter_def);
	const struct state *s = self;
	unsigned i;

	tables->out_of_memory |= incomplete(self);
	for (i = 0; i < COUNTER_NR; i++) {
		cell_name(table, names[i]);
		if (is_unknown(s, i))
			cell_absent(table);
		else
			cell_count(table, s->values[i]);
	}
}

static void release(void *self)
{
	struct state *s = self;

	free(s->memcgs);
	map_release(&s->by_memcg);
	map_release(&s->reclaimers);
	free(s);
}

static const struct table_def *const defs[] = { &counter_def, NULL };

const struct analysis_ops analysis_counters = {
	.name = "counters",
	.title = "Counters, from events (pages, vmstat names)",
	.begin = begin,
	.change = change,
	.kinds = 1u << CHANGE_SCAN |
		 1u << CHANGE_OUTCOME |
		 1u << CHANGE_END |
		 1u << CHANGE_ENTER |
		 1u << CHANGE_LAZYFREE |
		 1u << CHANGE_REFAULT |
		 1u << CHANGE_SWAPIN,
	.lost = lost,
	.incomplete = incomplete,
	.render = render,
	.defs = defs,
	.tables = tables,
	.release = release,
};
