// SPDX-License-Identifier: GPL-2.0-only
#include "lists.h"

#include <inttypes.h>

#include "abi.h"

void lists_render_memcg(FILE *out, uint64_t memcg, const char *path)
{
	fprintf(out, "memcg %" PRIu64 " %s\n", memcg, path);
}

static uint64_t render_list(FILE *out, const struct model *m, const struct model_list *list)
{
	uint32_t label, handle;

	if (!list || !list->order.nr_folios)
		return 0;
	fprintf(out, "  gen %u %s zone %u\n", list->gen, list_kind_name(list->kind), list->zone);
	label = list->order.begin;
	for (; lrulist_next(&list->order, &label, &handle); label++) {
		uint64_t pfn;
		const struct folio *f = folio_table_at(model_folios(m), handle, &pfn);

		fprintf(out, "   0x%" PRIx64 " order %u gen %d\n", pfn, f->order, f->gen);
	}
	return list->order.nr_folios;
}

uint64_t lists_render_lruvec(FILE *out, const struct model *m, const struct lruvec *lv, int nid,
			     uint64_t mono_ns)
{
	unsigned gen, kind, zone;
	uint64_t nr = 0;

	fprintf(out, " node %d mono_ns %" PRIu64 "\n", nid, mono_ns);
	if (!lv || !lv->complete)
		fprintf(out, "# not complete: folios that no event named are missing\n");
	if (!lv)
		return 0;
	/* as the kernel has it: those of lazyfree folios after all others */
	for (gen = 0; gen < lv->nr_gens; gen++)
		for (kind = TYPE_ANON; kind <= TYPE_FILE; kind++)
			for (zone = 0; zone < MODEL_MAX_ZONES; zone++)
				nr += render_list(out, m, model_list(m, lv, gen, kind, zone));
	for (gen = 0; gen < lv->nr_gens; gen++)
		for (zone = 0; zone < MODEL_MAX_ZONES; zone++)
			nr += render_list(out, m, model_list(m, lv, gen, LIST_LAZYFREE, zone));
	return nr;
}
