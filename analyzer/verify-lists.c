// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "array.h"
#include "text.h"
#include "verify.h"

static void print_list_name(const struct snapshot_list *list)
{
	printf("memcg %" PRIu64 " node %d gen %u %s zone %u", list->memcg, list->nid, list->gen,
	       list_kind_name(list->type), list->zone);
}

/* What the model heard last of @pfn: where a difference may have begun. */
static void print_last_event(struct verify *v, const char *whose, uint64_t pfn)
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
static void put_in_flight(struct verify *v, const struct snapshot_list *theirs, uint64_t pfn,
			  int gen, int our_gen, uint64_t ts_ns)
{
	struct verify_flight *flight;

	if (array_grow(&v->flights, v->nr_flights, &v->nr_flights_alloc, sizeof(*flight))) {
		v->out_of_memory = true;
		return;
	}
	flight = &v->flights[v->nr_flights++];
	*flight = (struct verify_flight){ pfn, ts_ns, theirs, gen, our_gen };
}

static void differ_in_gen(struct verify *v, const struct verify_flight *f)
{
	v->nr_gens_differ++;
	print_list_name(f->list);
	printf(": pfn 0x%" PRIx64 " has gen %d in its flags, ours %d\n", f->pfn, f->gen,
	       f->our_gen);
	print_last_event(v, "ours", f->pfn);
}

/* The update that settles it: from our generation to the kernel's. */
static void settle(struct verify *v, const struct event *ev)
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

static bool is_same(const struct snapshot_list *a, const struct snapshot_list *b)
{
	return a->memcg == b->memcg && a->nid == b->nid && a->gen == b->gen && a->type == b->type &&
	       a->zone == b->zone;
}

static bool is_printed(const struct snapshot_folios *folios, const struct snapshot_list *list)
{
	unsigned i;

	for (i = 0; i < folios->nr; i++)
		if (is_same(&folios->lists[i], list))
			return true;
	return false;
}

/* When @list was equal at @m, folio by folio or because it was empty; 0: it was not. */
static uint64_t equal_at(const struct verify_moment *m, const struct snapshot_list *list)
{
	unsigned i;

	for (i = 0; i < m->nr_equals; i++)
		if (is_same(m->equals[i].list, list))
			return m->equals[i].ts_ns;
	for (i = 0; i < m->folios.nr_lruvecs && !m->has_more_lists; i++)
		if (m->folios.lruvecs[i].memcg == list->memcg &&
		    m->folios.lruvecs[i].nid == list->nid && !is_printed(&m->folios, list))
			return m->compared_ns[i];
	return 0;
}

/* Was the same list equal at a moment before @m? */
static void find_equal(const struct verify *v, const struct snapshot_list *list,
		       const struct verify_moment *m, struct verify_parting *part)
{
	part->since = "when its cgroup was made";
	while (m-- > v->moments) {
		part->from_ns = equal_at(m, list);
		if (!part->from_ns)
			continue;
		part->since = m->name;
		return;
	}
}

/* @theirs_pfn, @ours_pfn: at the first place that differs, UINT64_MAX: no folio. */
static void note_parting(struct verify *v, const struct verify_moment *m,
			 const struct snapshot_list *list, uint64_t ts_ns, unsigned place,
			 uint64_t theirs_pfn, uint64_t ours_pfn)
{
	struct verify_parting *part = verify_add_parting(v, VERIFY_LIST);

	if (!part)
		return;
	snprintf(part->name, sizeof(part->name),
		 "memcg %" PRIu64 " node %d gen %u %s zone %u, place %u", list->memcg, list->nid,
		 list->gen, list_kind_name(list->type), list->zone, place);
	part->at = m->name;
	part->to_ns = ts_ns;
	part->memcg = list->memcg;
	part->nid = list->nid;
	part->theirs_pfn = theirs_pfn;
	part->ours_pfn = ours_pfn;
	find_equal(v, list, m, part);
}

static void compare_list(struct verify *v, struct verify_moment *moment,
			 const struct snapshot_list *theirs, const struct lruvec *lv,
			 uint64_t ts_ns)
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
			note_parting(v, moment, theirs, ts_ns, i + 1, t->pfn, UINT64_MAX);
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
		note_parting(v, moment, theirs, ts_ns, i + 1, t->pfn, pfn);
	}
	if (!differs && ours && ours->order.nr_folios > theirs->nr) {
		differs = true;
		print_list_name(theirs);
		printf(": kernel has %u, ours %u\n", theirs->nr, ours->order.nr_folios);
		if (lrulist_next(&ours->order, &label, &handle)) {
			uint64_t pfn;

			folio_table_at(model_folios(m), handle, &pfn);
			print_last_event(v, "ours", pfn);
			note_parting(v, moment, theirs, ts_ns, theirs->nr + 1, UINT64_MAX, pfn);
		}
	}
	v->nr_lists_differ += differs;
	if (!differs)
		moment->equals[moment->nr_equals++] = (struct verify_equal){ theirs, ts_ns };
}

/* A list of ours that the kernel did not print must be empty. */
static void compare_rest(struct verify *v, struct verify_moment *m, unsigned at,
			 const struct lruvec *lv, uint64_t ts_ns)
{
	struct snapshot_list list = {
		.memcg = m->folios.lruvecs[at].memcg,
		.nid = m->folios.lruvecs[at].nid,
	};

	for (list.gen = 0; list.gen < MODEL_MAX_GENS; list.gen++) {
		for (list.type = 0; list.type < LIST_NR; list.type++) {
			for (list.zone = 0; list.zone < MODEL_MAX_ZONES; list.zone++) {
				const struct model_list *ours =
					model_list(v->p->model, lv, list.gen, list.type, list.zone);
				uint32_t label, handle;
				uint64_t pfn = UINT64_MAX;

				if (!ours || !ours->order.nr_folios ||
				    is_printed(&m->folios, &list))
					continue;
				if (!verify_can_judge_folios(v, list.memcg, ours->type)) {
					v->nr_unjudged++;
					continue;
				}
				print_list_name(&list);
				printf(": kernel has 0, ours %u\n", ours->order.nr_folios);
				label = ours->order.begin;
				if (lrulist_next(&ours->order, &label, &handle))
					folio_table_at(model_folios(v->p->model), handle, &pfn);
				note_parting(v, m, &list, ts_ns, 1, UINT64_MAX, pfn);
				m->has_more_lists = true;
				v->nr_lists_differ++;
			}
		}
	}
}

/* The kernel logs state "snapshot" when it has copied the lists of one lruvec. */
static void compare_folios(struct verify *v, struct verify_moment *m, const struct event *ev)
{
	int at = snapshot_find_moment(&m->folios, ev->memcg, ev->nid, ev->ts_ns);
	const struct lruvec *lv;
	unsigned i;

	if (at < 0 || m->done[at])
		return;
	m->done[at] = true;
	lv = model_find_lruvec(v->p->model, ev->memcg, ev->nid);
	for (i = 0; i < m->folios.nr; i++) {
		const struct snapshot_list *list = &m->folios.lists[i];
		unsigned type = list->type == TYPE_ANON ? TYPE_ANON : TYPE_FILE;

		if (list->memcg != ev->memcg || list->nid != ev->nid)
			continue;
		if (!lv || !lv->complete)
			v->nr_lists_skipped++;
		else if (!verify_can_judge_folios(v, ev->memcg, type))
			v->nr_unjudged++;
		else
			compare_list(v, m, list, lv, ev->ts_ns);
	}
	if (!lv || !lv->complete)
		return;
	compare_rest(v, m, at, lv, ev->ts_ns);
	m->compared_ns[at] = ev->ts_ns;
}

void verify_lists_event(struct verify *v, const struct event *ev)
{
	unsigned i;

	if (ev->kind == EV_STATE && ev->u.lruvec.state == STATE_SNAPSHOT)
		for (i = 0; i < v->nr_moments; i++)
			compare_folios(v, &v->moments[i], ev);
	if (v->nr_flights && ev->kind == EV_UPDATE)
		settle(v, ev);
}

/* Lruvec @at of @m had no event: is it known why? */
static void note_unmatched(struct verify *v, const struct verify_moment *m, unsigned at)
{
	const struct snapshot_moment *lruvec = &m->folios.lruvecs[at];
	unsigned i;

	if (selection_has_memcg(&v->p->selection, lruvec->memcg)) {
		/* a part may also begin after the moment */
		if (v->p->selection.is_part || v->p->stopped)
			v->nr_outside++;
		else
			v->nr_unmatched++;
		return;
	}
	for (i = 0; i < m->folios.nr; i++)
		v->nr_unjudged += m->folios.lists[i].memcg == lruvec->memcg &&
				  m->folios.lists[i].nid == lruvec->nid;
}

void verify_lists_finish(struct verify *v)
{
	unsigned i, k, nr_lruvecs = 0;

	for (i = 0; i < v->nr_flights; i++)
		differ_in_gen(v, &v->flights[i]);
	v->nr_flights = 0;
	for (i = 0; i < v->nr_moments; i++) {
		const struct verify_moment *m = &v->moments[i];

		nr_lruvecs += m->folios.nr_lruvecs;
		for (k = 0; k < m->folios.nr_lruvecs; k++)
			if (!m->done[k])
				note_unmatched(v, m, k);
	}
	if (!nr_lruvecs)
		return;
	printf("\nlists: %" PRIu64 " with %" PRIu64 " folios compared in order, %" PRIu64
	       " differ; %" PRIu64 " of lruvecs\nthat existed before the recording: not known\n",
	       v->nr_lists, v->nr_folios, v->nr_lists_differ, v->nr_lists_skipped);
	if (v->nr_gens_differ || v->nr_settled)
		printf("generations in flags: %" PRIu64 " differ; %" PRIu64
		       " more were being changed by a walk\n",
		       v->nr_gens_differ, v->nr_settled);
	if (v->nr_unmatched)
		printf("%u of %u lruvecs in lru_gen_folios have no event 'state=snapshot' at their\n"
		       "time: not of this recording, or its clock is not mono\n",
		       v->nr_unmatched, nr_lruvecs);
	if (v->nr_outside)
		printf("%u of %u lruvecs in lru_gen_folios have no event 'state=snapshot' in what was\n"
		       "read, which is not the whole recording: not compared\n",
		       v->nr_outside, nr_lruvecs);
}

int verify_lists_read(struct verify *v, struct verify_moment *m, struct diag *diag)
{
	int ret = snapshot_read_folios(&m->folios, &m->files[VERIFY_FOLIOS], diag);

	if (ret)
		return ret;
	m->done = calloc(m->folios.nr_lruvecs, sizeof(*m->done));
	m->compared_ns = calloc(m->folios.nr_lruvecs, sizeof(*m->compared_ns));
	m->equals = calloc(m->folios.nr + 1, sizeof(*m->equals));
	if (!m->done || !m->compared_ns || !m->equals)
		return diag_set(diag, ERR_NOMEM, "%s: %s", m->files[VERIFY_FOLIOS].name,
				err_text(ERR_NOMEM));
	return 0;
}
