// SPDX-License-Identifier: GPL-2.0-only
#include "chosen.h"

#include <stdlib.h>
#include <string.h>

#include "lazyfree.h"
#include "map.h"
#include "order.h"
#include "refault.h"

#define NR_BEST (CHOSEN_MAX / 8)

static void keep(struct chosen *chosen, enum chosen_by by, uint64_t pfn, uint64_t score)
{
	struct chosen_life *best = chosen->best[by];
	unsigned i, nr = chosen->nr_best[by];

	if (!score || (nr == NR_BEST && score <= best[nr - 1].score))
		return;
	/* once per page frame, with its best score */
	for (i = 0; i < nr; i++) {
		if (best[i].pfn != pfn)
			continue;
		if (best[i].score >= score)
			return;
		memmove(&best[i], &best[i + 1], (nr - i - 1) * sizeof(*best));
		nr--;
		break;
	}
	if (nr == NR_BEST)
		nr--;
	for (i = nr; i && best[i - 1].score < score; i--)
		best[i] = best[i - 1];
	best[i] = (struct chosen_life){ pfn, score };
	chosen->nr_best[by] = nr + 1;
}

void chosen_change(struct chosen *chosen, const struct change *c)
{
	const struct folio *f = c->folio;

	if (c->kind != CHANGE_END)
		return;
	if (c->page)
		keep(chosen, CHOSEN_EVICTED, c->pfn, c->page->nr_evictions);
	keep(chosen, CHOSEN_PROTECTED, c->pfn, f->nr_protected);
	keep(chosen, CHOSEN_PROMOTED, c->pfn, f->nr_promoted);
	keep(chosen, CHOSEN_ISOLATED, c->pfn, f->nr_isolated);
	keep(chosen, CHOSEN_RANDOM, c->pfn, map_hash(f->life) | 1);
}

bool chosen_add(struct chosen *chosen, uint64_t pfn)
{
	unsigned i;

	for (i = 0; i < chosen->nr; i++)
		if (chosen->pfns[i] == pfn)
			return true;
	if (chosen->nr == CHOSEN_MAX)
		return false;
	chosen->pfns[chosen->nr++] = pfn;
	return true;
}

static void add_examples(struct chosen *chosen, const struct order_examples *examples)
{
	unsigned i;

	for (i = 0; i < examples->nr; i++)
		if (examples->e[i].pfn != UINT64_MAX)
			chosen_add(chosen, examples->e[i].pfn);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void chosen_finish(struct chosen *chosen, struct pipeline *p, unsigned max)
{
	const struct order_results *order = order_results(pipeline_self(p, &analysis_order));
	unsigned i, by;

	for (i = 0; i < SITE_NR; i++) {
		add_examples(chosen, &order->v1[i].examples);
		add_examples(chosen, &order->v2[i].examples);
	}
	for (i = 0; i < TYPE_NR; i++)
		add_examples(chosen, &order->v3[i].examples);
	add_examples(chosen, &lazyfree_results(pipeline_self(p, &analysis_lazyfree))->examples);
	for (i = 0; i < TYPE_NR; i++)
		add_examples(chosen,
			     &refault_results(pipeline_self(p, &analysis_refault))->examples[i]);
	/* in turns, so that a small number has some of each */
	for (i = 0; i < NR_BEST; i++)
		for (by = 0; by < CHOSEN_NR; by++)
			if (i < chosen->nr_best[by] && chosen->nr < max)
				chosen_add(chosen, chosen->best[by][i].pfn);
	if (chosen->nr > max)
		chosen->nr = max;
	qsort(chosen->pfns, chosen->nr, sizeof(*chosen->pfns), compare);
}

int chosen_index(const struct chosen *chosen, uint64_t pfn)
{
	unsigned from = 0, to = chosen->nr;

	while (from < to) {
		unsigned middle = (from + to) / 2;

		if (chosen->pfns[middle] == pfn)
			return middle;
		if (chosen->pfns[middle] < pfn)
			from = middle + 1;
		else
			to = middle;
	}
	return -1;
}
