/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hand-made events for tests of the model: what the kernel would log for one
 * step. All of memcg 7, node 0, file type, zone 1, unless changed afterwards.
 */
#ifndef FOLIOSCOPE_TESTS_MODEL_EVENTS_H
#define FOLIOSCOPE_TESTS_MODEL_EVENTS_H

#include <string.h>

#include "analyzer/abi.h"
#include "analyzer/event.h"

#define TEST_MEMCG 7

/* Each event is a microsecond after the one before. */
static inline struct event ev_new(enum ev_kind kind)
{
	static uint64_t ts_ns = 1000000;
	struct event ev;

	memset(&ev, 0, sizeof(ev));
	ev.ts_ns = ts_ns += 1000;
	ev.kind = kind;
	ev.pid = 1;
	ev.memcg = TEST_MEMCG;
	ev.type = TYPE_FILE;
	ev.zone = 1;
	ev.old_gen = ev.new_gen = -1;
	ev.tier_idx = -1;
	return ev;
}

static inline struct event ev_state(enum lruvec_state state, uint64_t max_seq, uint64_t min_seq)
{
	struct event ev = ev_new(EV_STATE);

	ev.u.lruvec.max_seq = max_seq;
	ev.max_seq = max_seq;
	ev.u.lruvec.min_seq[0] = ev.u.lruvec.min_seq[1] = min_seq;
	ev.u.lruvec.memcg_id = 3;
	ev.u.lruvec.nr_gens = 4;
	ev.u.lruvec.state = state;
	return ev;
}

static inline struct event ev_max_seq(uint64_t max_seq, uint64_t min_seq)
{
	struct event ev = ev_state(0, max_seq, min_seq);

	ev.kind = EV_MAX_SEQ;
	return ev;
}

static inline struct event ev_min_seq(uint64_t max_seq, uint64_t old_seq, uint64_t new_seq,
				      enum site site, uint64_t nr_relabelled)
{
	struct event ev = ev_new(EV_MIN_SEQ);

	ev.site = site;
	ev.max_seq = max_seq;
	ev.u.min_seq.max_seq = max_seq;
	ev.u.min_seq.old_seq = old_seq;
	ev.u.min_seq.new_seq = new_seq;
	ev.u.min_seq.nr_pages = nr_relabelled;
	ev.u.min_seq.relabel = nr_relabelled != 0;
	ev.u.min_seq.nr_gens = 4;
	return ev;
}

static inline struct event ev_add(uint64_t max_seq, uint64_t pfn, int gen, bool tail)
{
	struct event ev = ev_new(EV_ADD);

	ev.max_seq = max_seq;
	ev.pfn = pfn;
	ev.new_gen = gen;
	ev.site = SITE_LRU_ADD;
	ev.flags = tail ? FOLIO_TAIL : 0;
	return ev;
}

static inline struct event ev_del(uint64_t max_seq, uint64_t pfn, int gen, enum site site)
{
	struct event ev = ev_new(EV_DEL);

	ev.max_seq = max_seq;
	ev.pfn = pfn;
	ev.old_gen = gen;
	ev.site = site;
	return ev;
}

static inline struct event ev_update(uint64_t max_seq, uint64_t pfn, int old_gen, int new_gen)
{
	struct event ev = ev_new(EV_UPDATE);

	ev.max_seq = max_seq;
	ev.pfn = pfn;
	ev.old_gen = old_gen;
	ev.new_gen = new_gen;
	ev.site = SITE_WALK_PTE;
	return ev;
}

static inline struct event ev_move(uint64_t max_seq, uint64_t pfn, int old_gen, int new_gen,
				   enum site site, bool tail)
{
	struct event ev = ev_new(EV_MOVE);

	ev.max_seq = max_seq;
	ev.pfn = pfn;
	ev.old_gen = old_gen;
	ev.new_gen = new_gen;
	ev.site = site;
	ev.flags = tail ? FOLIO_TAIL : 0;
	return ev;
}

/* A shield spent: the flags go from @old_gen to @new_gen, the move follows. */
static inline struct event ev_spent(uint64_t max_seq, uint64_t pfn, int old_gen, int new_gen)
{
	struct event ev = ev_new(EV_HITSHIELD);

	ev.max_seq = max_seq;
	ev.pfn = pfn;
	ev.old_gen = old_gen;
	ev.new_gen = new_gen;
	ev.site = SITE_SORT_SHIELDED;
	ev.u.hitshield.cause = HITSHIELD_SPENT;
	return ev;
}

/* @nr folios from @first (oldest) to @last, to the tail of the same lruvec's list. */
static inline struct event ev_splice(uint64_t max_seq, uint64_t first, uint64_t last, uint32_t nr,
				     int old_gen, int new_gen, enum site site)
{
	struct event ev = ev_new(EV_SPLICE);

	ev.max_seq = max_seq;
	ev.pfn = first;
	ev.old_gen = old_gen;
	ev.new_gen = new_gen;
	ev.site = site;
	ev.u.splice.max_seq = ev.u.splice.new_max_seq = max_seq;
	ev.u.splice.new_memcg = TEST_MEMCG;
	ev.u.splice.last_pfn = last;
	ev.u.splice.nr_folios = nr;
	ev.u.splice.tail = 1;
	return ev;
}

static inline struct event ev_scan(uint64_t max_seq)
{
	struct event ev = ev_new(EV_SCAN);

	ev.u.scan.max_seq = max_seq;
	ev.max_seq = max_seq;
	return ev;
}

static inline struct event ev_reclaim(uint64_t pfn, enum outcome outcome)
{
	struct event ev = ev_new(EV_RECLAIM);

	ev.pfn = pfn;
	ev.u.reclaim.outcome = outcome;
	return ev;
}

static inline struct event ev_migrate(uint64_t pfn, uint64_t new_pfn)
{
	struct event ev = ev_new(EV_MIGRATE);

	ev.pfn = pfn;
	ev.u.migrate.new_pfn = new_pfn;
	return ev;
}

/* EV_EVICT or EV_REFAULT of page @index of file 5. */
static inline struct event ev_page(enum ev_kind kind, uint64_t pfn, uint64_t index)
{
	struct event ev = ev_new(kind);

	ev.pfn = pfn;
	ev.u.page.backing = BACKING_FILE;
	ev.u.page.dev = 1;
	ev.u.page.ino = 5;
	ev.u.page.index = index;
	ev.u.page.counted = kind == EV_REFAULT;
	return ev;
}

static inline struct event ev_lost(uint64_t from_ts_ns, uint64_t to_ts_ns)
{
	struct event ev = ev_new(EV_LOST);

	ev.u.lost.from_ts_ns = from_ts_ns;
	ev.u.lost.to_ts_ns = to_ts_ns;
	ev.u.lost.nr_lost = EV_LOST_UNKNOWN;
	return ev;
}

#endif /* FOLIOSCOPE_TESTS_MODEL_EVENTS_H */
