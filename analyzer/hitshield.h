/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hitshield: the counter of updates through page tables, the shield that it
 * grants, and what became of folios that a shield spared from eviction.
 *
 * There is a small machine per folio: a count, which events carry before and
 * after each step, and a shield. Nothing is assumed of the kernel: at which
 * update the shield comes, how far a spared folio goes, and what an add does to
 * counter and shield are what the events say.
 */
#ifndef FOLIOSCOPE_HITSHIELD_H
#define FOLIOSCOPE_HITSHIELD_H

#include "analysis.h"
#include "hist.h"
#include "order.h"

/* Updates that a grant may need; more are counted with the last. */
#define HITSHIELD_MAX_UPDATES 15

/* What became of a folio after its shield was spent. */
#define HITSHIELD_FATE_LIST(X)						\
	X(REFAULTED, "evicted, came back")				\
	X(EVICTED, "evicted, not back by the end")			\
	X(LAZYFREED, "freed after MADV_FREE")				\
	X(SPENT_AGAIN, "spared by another shield")			\
	X(FREED, "let go by its owner")					\
	X(RESIDENT, "still there at the end")				\
	X(OTHER, "migrated, or end not seen")				\
	X(LOST, "not known: events were lost")

enum hitshield_fate {
#define X(name, text) HITSHIELD_FATE_##name,
	HITSHIELD_FATE_LIST(X)
#undef X
	HITSHIELD_FATE_NR
};

/* A count with the first folio that it was counted for. */
struct hitshield_count {
	uint64_t nr;
	struct order_example example;	/* meaningful if nr > 0 */
};

struct hitshield_results {
	uint64_t nr_events;
	uint64_t nr_in_loss;			/* not followed: events were lost */
	/* updates counted; those that granted a shield are among them */
	uint64_t nr_updates;
	uint64_t updates_by_site[SITE_NR];
	struct hitshield_count isolated;	/* while the folio was on no list */
	struct hitshield_count same_gen;	/* it was in that generation already */
	struct hitshield_count same_max_seq;	/* another one under the same max_seq */
	struct hitshield_count broken;		/* count before is not that after the last step */
	/* shields */
	uint64_t nr_granted;
	struct hitshield_count granted_at[HITSHIELD_MAX_UPDATES + 1];	/* [0]: not known */
	struct hitshield_count granted_again;	/* it had one already */
	struct hitshield_count granted_isolated;
	struct hitshield_count cleared;		/* counters cleared by an add */
	struct hitshield_count kept;		/* shields that survived an add */
	uint64_t kept_by_site[SITE_NR];
	uint64_t nr_spent;
	struct hitshield_count spent_gens[MODEL_MAX_GENS];	/* by generations gained */
	uint64_t nr_spent_youngest;		/* it went to the youngest */
	struct hitshield_count spent_kept;	/* the shield had survived an add */
	uint64_t nr_spent_ungranted;		/* its grant was not seen */
	/*
	 * What became of the shields that were not spent: granted to a folio that had
	 * one already (granted_again), or one of these.
	 */
	struct hitshield_count unused;		/* the folio went with it */
	struct hitshield_count still;		/* the folio was there at the end, with it */
	uint64_t nr_shields_lost;		/* not known: events were lost */
	/* folios without a shield, by count (HITSHIELD_MAX_UPDATES: that or more) */
	uint64_t counts_at_end[HITSHIELD_MAX_UPDATES + 1];	/* there at the end */
	uint64_t counts_gone[HITSHIELD_MAX_UPDATES + 1];	/* that went */
	/* what spent shields bought, by [was accessed after it] */
	struct hitshield_count fates[HITSHIELD_FATE_NR][2];
	struct hist access_ns;			/* from spent to the first access */
	struct hist evict_ns;			/* from spent to eviction */
	struct hist refault_ns;			/* from that eviction to the refault */
	/* all other evictions, to compare with: folios that left a shadow */
	uint64_t nr_others_evicted, nr_others_refaulted;
	uint64_t nr_earlier_refaulted;	/* evicted before the cut of a part */
};

/* hitshield_results(): of the analysis "hitshield", whose state is @self. */
const struct hitshield_results *hitshield_results(const void *self);

/* hitshield_fate_text(): static string. */
const char *hitshield_fate_text(enum hitshield_fate fate);

#endif /* FOLIOSCOPE_HITSHIELD_H */
