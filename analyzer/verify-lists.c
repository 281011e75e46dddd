// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "text.h"
#include "verify.h"

static void print_list_name(const struct snapshot_list *list)
{
	printf("memcg %" PRIu64 " node %d gen %u %s zone %u", list->memcg, list->nid, list->gen,
	       list_kind_name(list->type), list->zone);
}

/* What the model heard last of @pfn: where a difference may have begun. */
static void print_last_event(struct verify_lists *v, const char *whose, uint64_t pfn)
{
	const struct folio *f = folio_table_find(model_folios(v->p->model), pfn);
	struct text_buf buf;

	if (!f || f->state == FOLIO_UNSEEN)
		printf("  %s pfn 0x%" PRIx64 ": no event so far\n", whose, pfn);
	else
		printf("  %s pfn 0x%" PRIx64 ": last event %s at %ss by %s\n", whose, pfn,
		       event_kind_name(f->last_kind),
		       text_seconds(&buf, pipeline_since(v->p, f->last_ns)),
		       site_name(f->last_site));
}

/*
 * A page table walk changes the flags and then logs, without the lru_lock. So
 * the kernel's copy may have a generation whose event is yet to come, or lack
 * one whose event came while the copy was made.
 */
static void put_in_flight(struct verify_lists *v, const struct snapshot_list *theirs, uint64_t pfn,
			  int gen, int our_gen, uint64_t ts_ns)
{
	struct verify_flight *flight;

	if (v->nr_flights == v->nr_flights_alloc) {
		unsigned nr = v->nr_flights_alloc ? v->nr_flights_alloc * 2 : 64;
		struct verify_flight *bigger = realloc(v->flights, nr * sizeof(*bigger));

		if (!bigger) {
			v->out_of_memory = true;
			return;
		}
		v->flights = bigger;
		v->nr_flights_alloc = nr;
	}
	flight = &v->flights[v->nr_flights++];
	*flight = (struct verify_flight){ pfn, ts_ns, theirs, gen, our_gen };
}

static void differ_in_gen(struct verify_lists *v, const struct verify_flight *f)
{
	v->nr_gens_differ++;
	print_list_name(f->list);
	printf(": pfn 0x%" PRIx64 " has gen %d in its flags, ours %d\n", f->pfn, f->gen, f->our_gen);
	print_last_event(v, "ours", f->pfn);
}

/* The update that settles it: from our generation to the kernel's. */
static void settle(struct verify_lists *v, const struct event *ev)
{
	unsigned i = 0;

	while (i < v->nr_flights) {
		struct verify_flight *f = &v->flights[i];

		if (f->pfn == ev->pfn && ev->old_gen == f->our_gen && ev->new_gen == f->gen) {
			v->nr_settled++;
		} else if (ev->ts_ns > f->ts_ns + MODEL_WINDOW_NS) {
			differ_in_gen(v, f);
		} else {
			i++;
			continue;
		}
		*f = v->flights[--v->nr_flights];
	}
}

static void compare_list(struct verify_lists *v, const struct snapshot_list *theirs,
			 const struct lruvec *lv, uint64_t ts_ns)
{
	const struct model *m = v->p->model;
	const struct model_list *ours = model_list(m, lv, theirs->gen, theirs->type, theirs->zone);
	uint32_t label = ours ? ours->order.begin : 0, handle, i;
	bool differs = false;

	v->nr_lists++;
	v->nr_folios += theirs->nr;
	for (i = 0; i < theirs->nr && !differs; i++) {
		const struct snapshot_folio *t = &theirs->folios[i];
		const struct folio *f;
		uint64_t pfn;

		if (!ours || !lrulist_next(&ours->order, &label, &handle)) {
			print_list_name(theirs);
			printf(": ours ends after %u of %u\n", i, theirs->nr);
			print_last_event(v, "kernel", t->pfn);
			differs = true;
			break;
		}
		label++;
		f = folio_table_at(model_folios(m), handle, &pfn);
		if (pfn == t->pfn && f->order == t->order) {
			if (f->gen == t->gen)
				continue;
			if (f->last_kind == EV_UPDATE && f->last_ns >= theirs->mono_ns)
				v->nr_settled++;
			else
				put_in_flight(v, theirs, pfn, t->gen, f->gen, ts_ns);
			continue;
		}
		differs = true;
		print_list_name(theirs);
		printf(", place %u:\n  kernel pfn 0x%" PRIx64 " order %u, ours pfn 0x%" PRIx64
		       " order %u\n",
		       i + 1, t->pfn, t->order, pfn, f->order);
		print_last_event(v, "kernel", t->pfn);
		if (pfn != t->pfn)
			print_last_event(v, "ours", pfn);
	}
	if (!differs && ours && ours->order.nr_folios > theirs->nr) {
		differs = true;
		print_list_name(theirs);
		printf(": kernel has %u, ours %u\n", theirs->nr, ours->order.nr_folios);
		if (lrulist_next(&ours->order, &label, &handle)) {
			uint64_t pfn;

			folio_table_at(model_folios(m), handle, &pfn);
			print_last_event(v, "ours", pfn);
		}
	}
	v->nr_differ += differs;
}

/* A list of ours that the kernel did not print must be empty. */
static void compare_rest(struct verify_lists *v, unsigned at, const struct lruvec *lv)
{
	const struct snapshot_moment *moment = &v->folios.lruvecs[at];
	unsigned gen, type, zone, i;

	for (gen = 0; gen < MODEL_MAX_GENS; gen++) {
		for (type = 0; type < LIST_NR; type++) {
			for (zone = 0; zone < MODEL_MAX_ZONES; zone++) {
				const struct model_list *ours =
					model_list(v->p->model, lv, gen, type, zone);

				if (!ours || !ours->order.nr_folios)
					continue;
				for (i = 0; i < v->folios.nr; i++) {
					const struct snapshot_list *l = &v->folios.lists[i];

					if (l->memcg == moment->memcg && l->nid == moment->nid &&
					    l->gen == gen && l->type == type && l->zone == zone)
						break;
				}
				if (i < v->folios.nr)
					continue;
				printf("memcg %" PRIu64 " node %d gen %u %s zone %u: kernel has 0, "
				       "ours %u\n",
				       moment->memcg, moment->nid, gen, list_kind_name(type), zone,
				       ours->order.nr_folios);
				v->nr_differ++;
			}
		}
	}
}

/* The kernel logs state "snapshot" when it has copied the lists of one lruvec. */
static void compare_folios(struct verify_lists *v, const struct event *ev)
{
	int at = snapshot_find_moment(&v->folios, ev->memcg, ev->nid, ev->ts_ns);
	const struct lruvec *lv;
	unsigned i;

	if (at < 0 || v->done[at])
		return;
	v->done[at] = true;
	lv = model_find_lruvec(v->p->model, ev->memcg, ev->nid);
	for (i = 0; i < v->folios.nr; i++) {
		const struct snapshot_list *list = &v->folios.lists[i];

		if (list->memcg != ev->memcg || list->nid != ev->nid)
			continue;
		if (lv && lv->complete)
			compare_list(v, list, lv, ev->ts_ns);
		else
			v->nr_skipped++;
	}
	if (lv && lv->complete)
		compare_rest(v, at, lv);
}

void verify_lists_event(struct verify_lists *v, const struct event *ev)
{
	if (ev->kind == EV_STATE && ev->u.lruvec.state == STATE_SNAPSHOT)
		compare_folios(v, ev);
	if (v->nr_flights && ev->kind == EV_UPDATE)
		settle(v, ev);
}

int verify_lists_finish(struct verify_lists *v)
{
	unsigned i;

	for (i = 0; i < v->nr_flights; i++)
		differ_in_gen(v, &v->flights[i]);
	v->nr_flights = 0;
	for (i = 0; i < v->folios.nr_lruvecs; i++)
		v->nr_unmatched += !v->done[i];
	printf("\nlists: %" PRIu64 " with %" PRIu64 " folios compared in order, %" PRIu64
	       " differ; %" PRIu64 " of lruvecs\nthat existed before the recording: not known\n",
	       v->nr_lists, v->nr_folios, v->nr_differ, v->nr_skipped);
	if (v->nr_gens_differ || v->nr_settled)
		printf("generations in flags: %" PRIu64 " differ; %" PRIu64
		       " more were being changed by a walk\n",
		       v->nr_gens_differ, v->nr_settled);
	if (v->nr_unmatched)
		printf("%u of %u lruvecs in lru_gen_folios have no event 'state=snapshot' at their\n"
		       "time: not of this recording, or its clock is not mono\n",
		       v->nr_unmatched, v->folios.nr_lruvecs);
	if (v->out_of_memory)
		return -ERR_NOMEM;
	return v->nr_differ || v->nr_gens_differ || v->nr_unmatched;
}

int verify_lists_init(struct verify_lists *v, struct pipeline *p, const char *path,
		      struct diag *diag)
{
	int ret;

	memset(v, 0, sizeof(*v));
	v->p = p;
	ret = snapshot_read_folios(&v->folios, path, diag);
	if (ret)
		return ret;
	v->done = calloc(v->folios.nr_lruvecs, sizeof(*v->done));
	if (!v->done)
		return diag_set(diag, ERR_NOMEM, "%s: %s", path, err_text(ERR_NOMEM));
	return 0;
}

void verify_lists_release(struct verify_lists *v)
{
	free(v->done);
	free(v->flights);
	snapshot_release_folios(&v->folios);
}
