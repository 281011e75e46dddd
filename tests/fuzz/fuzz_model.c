// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: whatever events come in whatever order, the model and all analyses
 * take them without an error of memory or arithmetic, the lists stay consistent
 * with the folios, and the results can be printed. The input is a row of events
 * of EVENT_BYTES each, of a few folios and lruvecs; a bit of each event makes its
 * old generation the one that the model expects, so that histories go on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/analysis.h"
#include "analyzer/model.h"
#include "fuzz.h"

#define EVENT_BYTES 12
#define MODEL_MAX_EVENTS 4096

struct model_target {
	struct model *model;
	struct analysis_env env;
	void *selfs[MAX_ANALYSES];
	unsigned nr;
};

static void model_observe(void *self, const struct change *c)
{
	struct model_target *t = self;
	unsigned i;

	for (i = 0; i < t->nr; i++) {
		if (c->kind == CHANGE_LOST) {
			if (analyses[i]->lost)
				analyses[i]->lost(t->selfs[i]);
		} else if (!analyses[i]->kinds || analyses[i]->kinds >> c->kind & 1) {
			analyses[i]->change(t->selfs[i], c);
		}
	}
}

static void model_violation(void *self, const struct violation *v)
{
	struct model_target *t = self;
	unsigned i;

	for (i = 0; i < t->nr; i++)
		if (analyses[i]->violation)
			analyses[i]->violation(t->selfs[i], v);
}

/* 16 page frames: two leaves of the table, and tails of larger folios. */
static uint64_t model_pfn(unsigned n)
{
	return (n & 8 ? 0x200 : 0x1f8) + (n & 7);
}

/* @b: EVENT_BYTES of input. */
static struct event model_event(const struct model *model, const uint8_t *b, uint64_t ts_ns)
{
	struct event ev = {
		.ts_ns = ts_ns,
		.cpu = b[1] & 1,
		.kind = EV_ADD + b[0] % (EV_NR - EV_ADD),
		.pfn = model_pfn(b[2]),
		.memcg = b[2] >> 4 & 3,
		.nid = b[2] >> 6 & 1,
		.max_seq = 4 + (b[3] & 7),
		.order = b[3] >> 3 & 3,
		.type = b[3] >> 5 & 3,
		.zone = b[3] >> 7,
		.old_gen = (int)(b[4] & 15) - 1,
		.new_gen = (int)(b[4] >> 4) - 1,
		.refs = b[5] & 3,
		.tier = b[5] >> 2 & 3,
		.tier_idx = (int)(b[5] >> 4 & 7) - 1,
		.site = b[6],
		.flags = b[7],
	};
	const struct folio *f = folio_table_find(model_folios(model), ev.pfn);

	if (b[1] & 2 && f)
		ev.old_gen = f->gen;
	switch (ev.kind) {
	case EV_SPLIT:
		ev.u.split.new_order = b[8] & 3;
		ev.u.split.on_lru = b[8] >> 2;
		break;
	case EV_MIGRATE:
		ev.u.migrate.new_pfn = model_pfn(b[8]);
		ev.u.migrate.new_nid = b[8] >> 6 & 1;
		break;
	case EV_MAX_SEQ:
	case EV_STATE:
		ev.u.lruvec.max_seq = 4 + (b[8] & 7);
		ev.u.lruvec.min_seq[0] = 1 + (b[8] >> 3 & 7);
		ev.u.lruvec.min_seq[1] = 1 + (b[9] & 7);
		ev.u.lruvec.nr_gens = b[9] & 8 ? b[10] : 4;
		ev.u.lruvec.state = b[9] >> 4;
		break;
	case EV_MIN_SEQ:
		ev.u.min_seq.max_seq = 4 + (b[8] & 7);
		ev.u.min_seq.old_seq = 1 + (b[8] >> 3 & 7);
		ev.u.min_seq.new_seq = 1 + (b[9] & 7);
		ev.u.min_seq.nr_pages = b[10];
		ev.u.min_seq.nr_gens = b[9] & 8 ? b[11] : 4;
		ev.u.min_seq.relabel = b[9] >> 4;
		break;
	case EV_SPLICE:
		ev.u.splice.max_seq = ev.max_seq;
		ev.u.splice.new_memcg = b[8] & 3;
		ev.u.splice.new_max_seq = 4 + (b[8] >> 2 & 7);
		ev.u.splice.last_pfn = model_pfn(b[9]);
		ev.u.splice.nr_folios = b[10];
		ev.u.splice.tail = b[8] >> 7;
		break;
	case EV_SCAN:
		ev.u.scan.max_seq = ev.max_seq;
		ev.u.scan.nr_scanned = b[8];
		ev.u.scan.nr_isolated = b[9];
		ev.u.scan.nr_sorted = b[10];
		ev.u.scan.nr_skipped = b[11];
		break;
	case EV_RECLAIM:
		ev.u.reclaim.outcome = b[8];
		ev.u.reclaim.reason = b[9];
		break;
	case EV_LAZYFREE:
		ev.u.lazyfree.stage = b[8];
		break;
	case EV_EVICT:
	case EV_REFAULT:
	case EV_SWAPIN:
		ev.u.page.token = b[8];
		ev.u.page.ino = b[9] & 3;
		ev.u.page.index = b[9] >> 2 & 7;
		ev.u.page.backing = b[10] & 3;
		ev.u.page.recent = b[10] >> 2 & 1;
		ev.u.page.counted = b[10] >> 3 & 1;
		ev.u.page.restored = b[10] >> 4 & 1;
		break;
	case EV_HITSHIELD:
		ev.u.hitshield.old_count = b[8] & 7;
		ev.u.hitshield.new_count = b[8] >> 3 & 7;
		ev.u.hitshield.shield = b[8] >> 6;
		ev.u.hitshield.cause = b[9];
		break;
	case EV_MARKER:
		ev.u.marker.text = (const char *)b;
		ev.u.marker.len_bytes = EVENT_BYTES;
		break;
	case EV_LOST:
	case EV_GAP:
		ev.u.lost.from_ts_ns = b[8] & 1 ? 0 : ts_ns;
		ev.u.lost.to_ts_ns = b[8] & 2 ? EV_TS_END : ts_ns + b[9] * 1000ull;
		ev.u.lost.nr_lost = b[10] ? b[10] : EV_LOST_UNKNOWN;
		break;
	}
	return ev;
}

/* Each folio of a list must say that it is there, and the lists count them right. */
static void model_check(const struct model *model)
{
	const struct model_list *list;
	uint32_t i;

	for (i = 0; (list = model_list_at(model, i)); i++) {
		uint32_t nr = 0, label, handle;

		for (label = list->order.begin; lrulist_next(&list->order, &label, &handle);
		     label++, nr++) {
			const struct folio *f =
				folio_table_at(model_folios(model), handle, NULL);

			if (f->list != i + 1 || f->label != label || f->state != FOLIO_ON_LIST ||
			    lrulist_rank(&list->order, label) != nr)
				abort();
		}
		if (nr != list->order.nr_folios)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct analysis_opts opts = { .has_regret_gens = true, .regret_gens = 2 };
	static FILE *null;
	struct model_target t = { 0 };
	uint64_t ts_ns = 1000;
	size_t pos;
	unsigned i;

	if (!null)
		null = fopen("/dev/null", "w");
	if (!null || size / EVENT_BYTES > MODEL_MAX_EVENTS)
		return 0;
	t.model = model_new(model_observe, &t);
	t.env = (struct analysis_env){ .model = t.model, .opts = &opts, .first_ts_ns = ts_ns,
				       .on_violation = model_violation, .violation_self = &t };
	for (; analyses[t.nr]; t.nr++) {
		t.selfs[t.nr] = analyses[t.nr]->begin(&t.env);
		if (!t.selfs[t.nr])
			abort();
	}
	for (pos = 0; pos + EVENT_BYTES <= size; pos += EVENT_BYTES) {
		/* microseconds; now and then a second, which ends the model's patience */
		uint64_t step_ns = data[pos + 1] >> 2;
		struct event ev = model_event(t.model, data + pos,
					      ts_ns += step_ns == 63 ? 1000000000 : step_ns * 1000);

		if (model_apply(t.model, &ev))
			abort();
	}
	model_check(t.model);
	model_finish(t.model, ts_ns, false);
	for (i = 0; i < t.nr; i++) {
		if (analyses[i]->end)
			analyses[i]->end(t.selfs[i]);
		analyses[i]->render(t.selfs[i], null);
		analyses[i]->release(t.selfs[i]);
	}
	fuzz_sink = model_stats(t.model)->nr_lives;
	model_free(t.model);
	return 0;
}
