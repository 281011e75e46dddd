// SPDX-License-Identifier: GPL-2.0-only
#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/abi.h"

#define FIRST_PFN	0x10000u
#define MEMCG		4242u
#define MAX_SEQ		7u
#define NR_GENS		4u

/* Of a folio: where it is, and the generation in the low bits. */
enum {
	ST_OUT = 0x00,		/* not in memory */
	ST_LISTED = 0x10,	/* on the list of its generation */
	ST_UPDATED = 0x20,	/* bits youngest, on the list of its generation */
	ST_ISOLATED = 0x30,
	ST_RECLAIMED = 0x40,
	ST_SHADOW = 0x50,	/* not in memory, has a shadow */
	ST_BACK = 0x60,		/* refaulted, not yet added */
};

void history_init(struct history *history, uint64_t seed, uint32_t nr_folios,
		  unsigned nr_cpus, uint64_t ts_ns, uint64_t interval_ns)
{
	memset(history, 0, sizeof(*history));
	history->seed = seed * 2654435761u + 1;
	history->nr_folios = nr_folios;
	history->nr_cpus = nr_cpus;
	history->ts_ns = ts_ns;
	history->interval_ns = interval_ns ? interval_ns : 1;
	history->states = calloc(nr_folios, 1);
	if (!history->states) {
		fprintf(stderr, "history: out of memory\n");
		exit(1);
	}
}

void history_release(struct history *history)
{
	free(history->states);
}

uint64_t history_random(struct history *history)
{
	uint64_t x = history->seed;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	history->seed = x;
	return x;
}

void history_next(struct history *history, struct event *ev)
{
	uint64_t random = history_random(history);
	uint32_t folio = random % history->nr_folios;
	uint8_t *state = &history->states[folio];
	unsigned gen = *state & 0x0f;
	unsigned youngest = MAX_SEQ % NR_GENS;

	random >>= 32;
	memset(ev, 0, sizeof(*ev));
	history->ts_ns += 1 + random % (2 * history->interval_ns);
	ev->ts_ns = history->ts_ns;
	ev->cpu = (random >> 8) % history->nr_cpus;
	ev->pid = 100 + ev->cpu;
	ev->pfn = FIRST_PFN + folio;
	ev->memcg = MEMCG;
	ev->max_seq = MAX_SEQ;
	ev->type = folio & 1;
	ev->zone = 1;
	ev->old_gen = ev->new_gen = gen;
	ev->tier_idx = -1;
	switch (*state & 0xf0) {
	case ST_OUT:
	case ST_BACK:
		ev->kind = EV_ADD;
		ev->site = SITE_LRU_ADD;
		ev->old_gen = -1;
		ev->new_gen = gen = random % NR_GENS;
		*state = ST_LISTED | gen;
		break;
	case ST_LISTED:
		if (gen != youngest && random % 4) {
			ev->kind = EV_UPDATE;
			ev->site = SITE_WALK_PTE;
			ev->new_gen = youngest;
			*state = ST_UPDATED | gen;
			break;
		}
		ev->kind = EV_DEL;
		ev->site = SITE_ISOLATE_FOLIO;
		ev->new_gen = -1;
		*state = ST_ISOLATED | gen;
		break;
	case ST_UPDATED:
		ev->kind = EV_MOVE;
		ev->site = SITE_SORT_PROMOTED;
		ev->new_gen = youngest;
		*state = ST_LISTED | youngest;
		break;
	case ST_ISOLATED:
		/* the shadow is stored before the outcome is known */
		ev->kind = EV_EVICT;
		ev->u.page.token = MAX_SEQ << 2;
		ev->u.page.index = 0x1000 + folio;
		ev->u.page.backing = ev->type ? BACKING_FILE : BACKING_SWAP;
		ev->u.page.ino = ev->type ? 99 : 0;
		ev->u.page.dev = ev->type ? 8 : 0;
		*state = ST_RECLAIMED | gen;
		break;
	case ST_RECLAIMED:
		ev->kind = EV_RECLAIM;
		ev->u.reclaim.outcome = OUTCOME_RECLAIMED;
		ev->u.reclaim.reason = REASON_NONE;
		*state = ST_SHADOW;
		break;
	default:
		ev->kind = EV_REFAULT;
		ev->u.page.token = MAX_SEQ << 2;
		ev->u.page.index = 0x1000 + folio;
		ev->u.page.backing = ev->type ? BACKING_FILE : BACKING_SWAP;
		ev->u.page.ino = ev->type ? 99 : 0;
		ev->u.page.dev = ev->type ? 8 : 0;
		ev->u.page.recent = ev->u.page.counted = 1;
		*state = ST_BACK;
	}
	/* fields that the kernel's event does not have stay absent */
	switch (ev->kind) {
	case EV_EVICT:
	case EV_REFAULT:
	case EV_RECLAIM:
		ev->max_seq = 0;
		ev->zone = 0;
		ev->old_gen = ev->new_gen = -1;
		break;
	}
}
