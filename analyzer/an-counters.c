// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters from events. pgscan_kswapd and its like, and pgrefill, are counted by
 * the kernel for global reclaim only; pgscan_anon and pgsteal_anon for all.
 */
#include "counters.h"

#include <stdlib.h>

struct state {
	const struct analysis_env *env;
	uint64_t values[COUNTER_NR];
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

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (s)
		s->env = env;
	return s;
}

static void change(void *self, const struct change *c)
{
	uint64_t *v = ((struct state *)self)->values;
	const struct event *ev = c->ev;
	uint64_t nr_pages;

	switch (c->kind) {
	case CHANGE_SCAN:
		v[COUNTER_pgscan_anon + ev->type] += ev->u.scan.nr_isolated;
		if (ev->u.scan.memcg_reclaim)
			break;
		if (ev->u.scan.reclaimer < 3)
			v[COUNTER_pgscan_kswapd + ev->u.scan.reclaimer] += ev->u.scan.nr_isolated;
		v[COUNTER_pgrefill] += ev->u.scan.nr_sorted;
		break;
	case CHANGE_OUTCOME:
		nr_pages = 1ull << ev->order;
		/* not counted by the kernel: isolated by others, like MADV_PAGEOUT */
		if (c->folio->state != FOLIO_RECLAIMING)
			break;
		if (ev->u.reclaim.outcome == OUTCOME_RECLAIMED ||
		    ev->u.reclaim.outcome == OUTCOME_LAZYFREED)
			v[COUNTER_pgsteal_anon + ev->type] += nr_pages;
		break;
	case CHANGE_ENTER:
		if (ev->site == SITE_LRU_MOVE_TAIL ||
		    (ev->site == SITE_LRU_DEACTIVATE_FILE && ev->flags & FOLIO_TAIL))
			v[COUNTER_pgrotated] += 1ull << ev->order;
		break;
	case CHANGE_LAZYFREE:
		nr_pages = 1ull << ev->order;
		if (ev->u.lazyfree.stage == LAZYFREE_MARK)
			v[COUNTER_pglazyfree] += nr_pages;
		if (ev->u.lazyfree.stage == LAZYFREE_FREED)
			v[COUNTER_pglazyfreed] += nr_pages;
		break;
	case CHANGE_REFAULT:
		nr_pages = 1ull << ev->order;
		if (!ev->u.page.counted)
			break;
		v[COUNTER_workingset_refault_anon + ev->type] += nr_pages;
		if (ev->u.page.recent)
			v[COUNTER_workingset_activate_anon + ev->type] += nr_pages;
		if (ev->u.page.restored)
			v[COUNTER_workingset_restore_anon + ev->type] += nr_pages;
		break;
	default:
		break;
	}
}

static void render(const void *self, FILE *out)
{
	const uint64_t *v = ((const struct state *)self)->values;
	unsigned i;

	for (i = 0; i < COUNTER_NR; i++)
		fprintf(out, "%-26s %10llu%s", names[i], (unsigned long long)v[i],
			i % 2 && i + 1 < COUNTER_NR ? "\n" : i + 1 < COUNTER_NR ? " " : "\n");
}

static const struct column counter_columns[] = {
	{ "name", CELL_TEXT, "", "as in /proc/vmstat" },
	{ "pages", CELL_COUNT, "pages", "counted from events, whole recording" },
};

static const struct table_def counter_def = {
	"counters", "Counters, from events, under the names of /proc/vmstat",
	"scan, reclaim, add, lazyfree, refault",
	counter_columns, sizeof(counter_columns) / sizeof(counter_columns[0]),
};

static void tables(const void *self, struct tables *tables)
{
	struct table *table = tables_add(tables, &counter_def);
	const uint64_t *v = counters_values(self);
	unsigned i;

	for (i = 0; i < COUNTER_NR; i++) {
		cell_name(table, names[i]);
		cell_count(table, v[i]);
	}
}

static const struct table_def *const defs[] = { &counter_def, NULL };

const struct analysis_ops analysis_counters = {
	.name = "counters",
	.title = "Counters, from events (pages, vmstat names)",
	.begin = begin,
	.change = change,
	.kinds = 1u << CHANGE_SCAN |
		 1u << CHANGE_OUTCOME |
		 1u << CHANGE_ENTER |
		 1u << CHANGE_LAZYFREE |
		 1u << CHANGE_REFAULT,
	.render = render,
	.defs = defs,
	.tables = tables,
	.release = free,
};
