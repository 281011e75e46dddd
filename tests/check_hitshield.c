// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sequences as the two forms of hitshield log them: the published one (shield at
 * the fourth update, next generation, counts isolated folios, shield survives an
 * add) and the described one (fifth update, youngest generation).
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/hitshield.h"
#define ANALYSIS analysis_hitshield
#include "analysis_fixture.h"
#include "model_events.h"
#include "suites.h"

static const struct hitshield_results *results(void)
{
	model_finish(model, ev_new(EV_NONE).ts_ns, false);
	analysis_hitshield.end(self);
	return hitshield_results(self);
}

static uint64_t step(uint64_t pfn, uint32_t max_seq, int old_gen, int new_gen, unsigned old_count,
		     unsigned new_count, bool shield, enum hitshield cause)
{
	struct event ev = ev_new(EV_HITSHIELD);

	ev.pfn = pfn;
	ev.max_seq = max_seq;
	ev.old_gen = old_gen;
	ev.new_gen = new_gen;
	ev.u.hitshield.old_count = old_count;
	ev.u.hitshield.new_count = new_count;
	ev.u.hitshield.shield = shield;
	ev.u.hitshield.cause = cause;
	ev.site = cause == HITSHIELD_SPENT ? SITE_SORT_SHIELDED :
		  cause == HITSHIELD_CLEARED || cause == HITSHIELD_KEPT ? SITE_PUTBACK :
									  SITE_WALK_PTE;
	return apply(ev);
}

/* One update and its count, of a folio in @gen; each under a max_seq of its own. */
static void count_once(uint64_t pfn, uint32_t max_seq, int gen, unsigned old_count,
		       unsigned new_count, bool shield, bool granted)
{
	int new_gen = max_seq % 4;

	apply(ev_max_seq(max_seq, max_seq - 3));
	apply(ev_update(max_seq, pfn, gen, new_gen));
	step(pfn, max_seq, gen, new_gen, old_count, new_count, shield,
	     granted ? HITSHIELD_GRANTED : HITSHIELD_COUNTED);
}

/* Four updates at max_seq 4 to 7, as published: the fourth carries out. */
static void earn_published(uint64_t pfn)
{
	unsigned i;

	apply(ev_add(3, pfn, 3, false));
	for (i = 0; i < 4; i++)
		count_once(pfn, 4 + i, (3 + i) % 4, i, (i + 1) % 4, i == 3, i == 3);
}

static uint64_t spend(uint64_t pfn, uint32_t max_seq, int old_gen, int new_gen, unsigned count)
{
	uint64_t ts_ns = step(pfn, max_seq, old_gen, new_gen, count, count, false,
			      HITSHIELD_SPENT);

	apply(ev_move(max_seq, pfn, old_gen, new_gen, SITE_SORT_SHIELDED, false));
	return ts_ns;
}

static uint64_t evict(uint64_t pfn, uint32_t max_seq, int gen, uint64_t index)
{
	apply(ev_del(max_seq, pfn, gen, SITE_ISOLATE_FOLIO));
	apply(ev_page(EV_EVICT, pfn, index));
	return apply(ev_reclaim(pfn, OUTCOME_RECLAIMED));
}

START_TEST(published_form)
{
	const struct hitshield_results *r;
	unsigned i;

	apply(ev_state(STATE_ONLINE, 3, 0));
	earn_published(50);
	/* four agings later it is the oldest, and is spared */
	for (i = 8; i < 11; i++)
		apply(ev_max_seq(i, i - 3));
	spend(50, 10, 3, 0, 0);
	r = results();
	ck_assert_uint_eq(r->nr_updates, 4);
	ck_assert_uint_eq(r->updates_by_site[SITE_WALK_PTE], 4);
	ck_assert_uint_eq(r->nr_granted, 1);
	ck_assert_uint_eq(r->granted_at[4].nr, 1);
	ck_assert_uint_eq(r->granted_at[4].example.pfn, 50);
	ck_assert_uint_eq(r->granted_at[5].nr, 0);
	ck_assert_uint_eq(r->nr_spent, 1);
	ck_assert_uint_eq(r->spent_gens[1].nr, 1);
	ck_assert_uint_eq(r->nr_spent_youngest, 0);
	ck_assert_uint_eq(r->nr_spent_ungranted, 0);
	ck_assert_uint_eq(r->broken.nr, 0);
	ck_assert_uint_eq(r->isolated.nr, 0);
	ck_assert_uint_eq(r->same_max_seq.nr, 0);
	ck_assert_uint_eq(r->unused.nr, 0);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_RESIDENT][0].nr, 1);
}
END_TEST

START_TEST(described_form)
{
	const struct hitshield_results *r;
	unsigned i;

	apply(ev_state(STATE_ONLINE, 3, 0));
	apply(ev_add(3, 50, 3, false));
	for (i = 0; i < 5; i++)
		count_once(50, 4 + i, (3 + i) % 4, i, i + 1, i == 4, i == 4);
	for (i = 9; i < 12; i++)
		apply(ev_max_seq(i, i - 3));
	/* from 0 to 3, the generation of max_seq 11; counter and shield are cleared */
	step(50, 11, 0, 3, 5, 0, false, HITSHIELD_SPENT);
	apply(ev_move(11, 50, 0, 3, SITE_SORT_SHIELDED, false));
	r = results();
	ck_assert_uint_eq(r->granted_at[5].nr, 1);
	ck_assert_uint_eq(r->granted_at[4].nr, 0);
	ck_assert_uint_eq(r->nr_spent, 1);
	ck_assert_uint_eq(r->spent_gens[3].nr, 1);
	ck_assert_uint_eq(r->nr_spent_youngest, 1);
	ck_assert_uint_eq(r->broken.nr, 0);
}
END_TEST

START_TEST(survives_an_add)
{
	const struct hitshield_results *r;
	struct event ev;

	apply(ev_state(STATE_ONLINE, 3, 0));
	earn_published(50);
	count_once(50, 8, 3, 0, 1, true, false);
	apply(ev_del(8, 50, 0, SITE_ISOLATE_FOLIO));
	/* put back: the counter goes, the shield stays */
	step(50, 8, -1, 0, 1, 0, true, HITSHIELD_CLEARED);
	step(50, 8, -1, 0, 0, 0, true, HITSHIELD_KEPT);
	ev = ev_add(8, 50, 0, false);
	ev.site = SITE_PUTBACK;
	apply(ev);
	spend(50, 8, 0, 1, 0);
	r = results();
	ck_assert_uint_eq(r->cleared.nr, 1);
	ck_assert_uint_eq(r->kept.nr, 1);
	ck_assert_uint_eq(r->kept.example.pfn, 50);
	ck_assert_uint_eq(r->kept_by_site[SITE_PUTBACK], 1);
	ck_assert_uint_eq(r->spent_kept.nr, 1);
	ck_assert_uint_eq(r->nr_updates, 5);
	ck_assert_uint_eq(r->broken.nr, 0);
}
END_TEST

/* A cleared counter starts anew: the fourth after it grants. */
START_TEST(cleared_counter_begins_anew)
{
	const struct hitshield_results *r;
	unsigned i;

	apply(ev_state(STATE_ONLINE, 3, 0));
	apply(ev_add(3, 50, 3, false));
	for (i = 0; i < 3; i++)
		count_once(50, 4 + i, (3 + i) % 4, i, i + 1, false, false);
	apply(ev_del(6, 50, 2, SITE_ISOLATE_LRU));
	step(50, 6, -1, 1, 3, 0, false, HITSHIELD_CLEARED);
	apply(ev_add(6, 50, 1, false));
	for (i = 0; i < 4; i++)
		count_once(50, 7 + i, i ? (6 + i) % 4 : 1, i, (i + 1) % 4, i == 3, i == 3);
	r = results();
	ck_assert_uint_eq(r->nr_updates, 7);
	ck_assert_uint_eq(r->nr_granted, 1);
	ck_assert_uint_eq(r->granted_at[4].nr, 1);
	ck_assert_uint_eq(r->cleared.nr, 1);
	ck_assert_uint_eq(r->kept.nr, 0);
}
END_TEST

START_TEST(counts_isolated_and_twice)
{
	const struct hitshield_results *r;

	apply(ev_state(STATE_ONLINE, 3, 0));
	apply(ev_add(3, 50, 3, false));
	/* in the youngest generation already */
	apply(ev_update(3, 50, 3, 3));
	step(50, 3, 3, 3, 0, 1, false, HITSHIELD_COUNTED);
	/* another page table, the same walk */
	apply(ev_update(3, 50, 3, 3));
	step(50, 3, 3, 3, 1, 2, false, HITSHIELD_COUNTED);
	/* isolated, twice */
	apply(ev_del(3, 50, 3, SITE_ISOLATE_LRU));
	apply(ev_update(3, 50, -1, -1));
	step(50, 3, -1, -1, 2, 3, false, HITSHIELD_COUNTED);
	apply(ev_update(3, 50, -1, -1));
	step(50, 3, -1, -1, 3, 0, true, HITSHIELD_GRANTED);
	r = results();
	ck_assert_uint_eq(r->nr_updates, 4);
	ck_assert_uint_eq(r->same_gen.nr, 2);
	ck_assert_uint_eq(r->same_max_seq.nr, 3);
	ck_assert_uint_eq(r->isolated.nr, 2);
	ck_assert_uint_eq(r->isolated.example.pfn, 50);
	ck_assert_uint_eq(r->granted_isolated.nr, 1);
	ck_assert_uint_eq(r->granted_at[4].nr, 1);
}
END_TEST

/* Two CPUs toggle the bits at once: a step is missing, or comes twice. */
START_TEST(races)
{
	const struct hitshield_results *r;

	apply(ev_state(STATE_ONLINE, 3, 0));
	apply(ev_add(3, 50, 3, false));
	step(50, 3, 3, 3, 0, 1, false, HITSHIELD_COUNTED);
	step(50, 3, 3, 3, 0, 1, false, HITSHIELD_COUNTED);
	step(50, 3, 3, 3, 1, 2, false, HITSHIELD_COUNTED);
	step(50, 3, 3, 3, 2, 3, false, HITSHIELD_COUNTED);
	step(50, 3, 3, 3, 3, 0, true, HITSHIELD_GRANTED);
	r = results();
	ck_assert_uint_eq(r->broken.nr, 1);
	/* of five updates */
	ck_assert_uint_eq(r->granted_at[5].nr, 1);
}
END_TEST

START_TEST(granted_with_a_shield_and_unused)
{
	const struct hitshield_results *r;
	unsigned i;

	apply(ev_state(STATE_ONLINE, 3, 0));
	earn_published(50);
	for (i = 0; i < 4; i++)
		count_once(50, 8 + i, (7 + i) % 4, i, (i + 1) % 4, true, i == 3);
	apply(ev_del(11, 50, 3, SITE_RELEASE));
	r = results();
	ck_assert_uint_eq(r->nr_granted, 2);
	ck_assert_uint_eq(r->granted_at[4].nr, 2);
	ck_assert_uint_eq(r->granted_again.nr, 1);
	ck_assert_uint_eq(r->unused.nr, 1);
	ck_assert_uint_eq(r->still.nr, 0);
	ck_assert_uint_eq(r->nr_spent, 0);
}
END_TEST

/* Nothing that was counted or granted is missing: it is there, gone or unknown. */
START_TEST(what_remains)
{
	const struct hitshield_results *r;

	apply(ev_state(STATE_ONLINE, 3, 0));
	earn_published(50);
	apply(ev_add(7, 51, 3, false));
	count_once(51, 8, 3, 0, 1, false, false);
	apply(ev_add(8, 52, 0, false));
	count_once(52, 9, 0, 0, 1, false, false);
	count_once(52, 10, 1, 1, 2, false, false);
	apply(ev_del(10, 51, 0, SITE_RELEASE));
	r = results();
	ck_assert_uint_eq(r->still.nr, 1);
	ck_assert_uint_eq(r->still.example.pfn, 50);
	ck_assert_uint_eq(r->unused.nr, 0);
	ck_assert_uint_eq(r->counts_gone[1], 1);
	ck_assert_uint_eq(r->counts_at_end[2], 1);
	ck_assert_uint_eq(r->counts_at_end[0], 0);
	ck_assert_uint_eq(r->nr_shields_lost, 0);
}
END_TEST

START_TEST(fates)
{
	const struct hitshield_results *r;
	uint64_t spent_ns, evicted_ns, accessed_ns, back_ns;
	unsigned pfn;

	apply(ev_state(STATE_ONLINE, 3, 0));
	for (pfn = 50; pfn < 57; pfn++) {
		apply(ev_add(3, pfn, 0, false));
		step(pfn, 3, 0, 0, 3, 0, true, HITSHIELD_GRANTED);
	}
	/* 50: spared, accessed, evicted, back */
	spent_ns = spend(50, 3, 0, 1, 0);
	accessed_ns = apply(ev_update(3, 50, 1, 3));
	evicted_ns = evict(50, 3, 3, 1000);
	back_ns = apply(ev_page(EV_REFAULT, 150, 1000));
	/* 51: spared for nothing */
	spend(51, 3, 0, 1, 0);
	evict(51, 3, 1, 1001);
	/* 52: let go; 53: spared twice, then at the end; 54: spared, becomes lazyfree */
	spend(52, 3, 0, 1, 0);
	apply(ev_del(3, 52, 1, SITE_RELEASE));
	spend(53, 3, 0, 1, 0);
	step(53, 3, 1, 1, 3, 0, true, HITSHIELD_GRANTED);
	spend(53, 3, 1, 2, 0);
	spend(54, 3, 0, 1, 0);
	apply(ev_del(3, 54, 1, SITE_ISOLATE_FOLIO));
	apply(ev_reclaim(54, OUTCOME_LAZYFREED));
	/* 55: promoted before it was spared: nothing gained; migrated */
	apply(ev_update(3, 55, 0, 3));
	step(55, 3, 3, 3, 0, 0, false, HITSHIELD_SPENT);
	apply(ev_move(3, 55, 0, 3, SITE_SORT_SHIELDED, false));
	apply(ev_del(3, 55, 3, SITE_ISOLATE_LRU));
	{
		struct event ev = ev_new(EV_MIGRATE);

		ev.pfn = 55;
		ev.u.migrate.new_pfn = 155;
		apply(ev);
	}
	/* 56 keeps its shield; 60 and 61 never had one */
	apply(ev_add(3, 60, 0, false));
	evict(60, 3, 0, 1002);
	apply(ev_add(3, 61, 0, false));
	evict(61, 3, 0, 1003);
	apply(ev_page(EV_REFAULT, 160, 1003));
	r = results();
	ck_assert_uint_eq(r->nr_spent, 7);
	ck_assert_uint_eq(r->spent_gens[0].nr, 1);
	ck_assert_uint_eq(r->spent_gens[1].nr, 6);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_REFAULTED][1].nr, 1);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_REFAULTED][1].example.pfn, 50);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_REFAULTED][0].nr, 0);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_EVICTED][0].nr, 1);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_EVICTED][0].example.pfn, 51);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_FREED][0].nr, 1);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_SPENT_AGAIN][0].nr, 1);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_RESIDENT][0].nr, 1);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_LAZYFREED][0].nr, 1);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_OTHER][0].nr, 1);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_LOST][0].nr, 0);
	ck_assert_uint_eq(r->access_ns.nr, 1);
	ck_assert_uint_eq(r->access_ns.max, accessed_ns - spent_ns);
	ck_assert_uint_eq(r->evict_ns.nr, 2);
	ck_assert_uint_eq(r->evict_ns.max, evicted_ns - spent_ns);
	ck_assert_uint_eq(r->refault_ns.max, back_ns - evicted_ns);
	ck_assert_uint_eq(r->nr_others_evicted, 2);
	ck_assert_uint_eq(r->nr_others_refaulted, 1);
	ck_assert_uint_eq(r->unused.nr, 0);
}
END_TEST

/* Every shield that was spent has one fate, whatever is lost when. */
START_TEST(loss_leaves_nothing_unsaid)
{
	const struct hitshield_results *r;
	uint64_t nr_fates = 0;
	struct event ev;
	unsigned i;

	apply(ev_state(STATE_ONLINE, 3, 0));
	for (i = 50; i < 53; i++) {
		apply(ev_add(3, i, 0, false));
		step(i, 3, 0, 0, 3, 0, true, HITSHIELD_GRANTED);
		spend(i, 3, 0, 1, 0);
	}
	evict(50, 3, 1, 1000);
	ev = ev_new(EV_LOST);
	apply(ev_lost(ev.ts_ns, ev.ts_ns + 3500));
	step(51, 3, 1, 1, 0, 1, false, HITSHIELD_COUNTED);	/* in doubt */
	apply(ev_new(EV_SCAN));
	apply(ev_new(EV_SCAN));
	apply(ev_new(EV_SCAN));
	ck_assert(!model_in_loss(model));
	/* the count went on unseen: no step is said to be broken */
	step(51, 3, 1, 1, 3, 0, true, HITSHIELD_GRANTED);
	spend(51, 3, 1, 2, 0);
	r = results();
	for (i = 0; i < HITSHIELD_FATE_NR; i++)
		nr_fates += r->fates[i][0].nr + r->fates[i][1].nr;
	ck_assert_uint_eq(r->nr_spent, 4);
	ck_assert_uint_eq(nr_fates, 4);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_LOST][0].nr, 2);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_EVICTED][0].nr, 1);
	ck_assert_uint_eq(r->fates[HITSHIELD_FATE_RESIDENT][0].nr, 1);
	ck_assert_uint_eq(r->nr_in_loss, 1);
	ck_assert_uint_eq(r->broken.nr, 0);
	ck_assert_uint_eq(r->granted_at[4].nr, 4);
}
END_TEST

/* What is counted before a folio is added is its own, not the last one's. */
START_TEST(before_the_add)
{
	const struct hitshield_results *r;

	apply(ev_state(STATE_ONLINE, 3, 0));
	earn_published(50);
	apply(ev_del(7, 50, 3, SITE_RELEASE));
	/* the next folio there: in a batch, already mapped and found by a walk */
	apply(ev_update(7, 50, -1, -1));
	step(50, 7, -1, -1, 0, 1, false, HITSHIELD_COUNTED);
	step(50, 7, -1, 3, 1, 0, false, HITSHIELD_CLEARED);
	apply(ev_add(7, 50, 3, false));
	r = results();
	ck_assert_uint_eq(r->broken.nr, 0);
	ck_assert_uint_eq(r->isolated.nr, 1);
	ck_assert_uint_eq(r->same_max_seq.nr, 0);
	ck_assert_uint_eq(r->cleared.nr, 1);
	ck_assert_uint_eq(r->unused.nr, 1);	/* the first one's */
}
END_TEST

/* The numbers come out, in lines for mails, and in tables of whole rows. */
START_TEST(output)
{
	struct tables tables = { 0 };
	const struct cell *cell;
	char *text, *line, *rest;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	apply(ev_state(STATE_ONLINE, 3, 0));
	earn_published(50);
	step(50, 7, -1, 3, 0, 0, true, HITSHIELD_KEPT);
	spend(50, 7, 3, 0, 0);
	apply(ev_update(7, 50, 0, 3));
	evict(50, 7, 3, 1000);
	apply(ev_page(EV_REFAULT, 150, 1000));
	results();
	analysis_hitshield.render(self, out);
	fclose(out);
	ck_assert(strstr(text, "updates counted                                    4"));
	ck_assert(strstr(text, "  at update 4                                      1  0x32 at "));
	ck_assert(strstr(text, "  survived that the folio was added again          1  0x32 at "));
	ck_assert(strstr(text, "  gained 1 generation                              1  0x32 at "));
	ck_assert(strstr(text, "  evicted, came back                          1          0  0x32"));
	ck_assert(strstr(text, "came back: 100.0% of 1 once spared,\n  - of 0 others"));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		ck_assert_msg(strlen(line) <= 75, "%s", line);
	free(text);
	analysis_hitshield.tables(self, &tables);
	ck_assert(!tables.out_of_memory);
	cell = table_get(tables_find(&tables, "hitshield"), "granted_at", "number");
	ck_assert(cell && cell->u == 4);
	cell = table_get(tables_find(&tables, "hitshield"), "kept", "example_pfn");
	ck_assert(cell && cell->u == 50);
	ck_assert_uint_eq(table_nr_rows(tables_find(&tables, "hitshield_fates")),
			  2 * HITSHIELD_FATE_NR);
	ck_assert_uint_eq(tables_find(&tables, "hitshield")->nr_cells %
				  tables_find(&tables, "hitshield")->def->nr_columns, 0);
	tables_release(&tables);
}
END_TEST

Suite *hitshield_suite(void)
{
	Suite *suite = suite_create("hitshield");
	TCase *tc = tcase_create("hand-made events");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, published_form);
	tcase_add_test(tc, described_form);
	tcase_add_test(tc, survives_an_add);
	tcase_add_test(tc, cleared_counter_begins_anew);
	tcase_add_test(tc, counts_isolated_and_twice);
	tcase_add_test(tc, races);
	tcase_add_test(tc, granted_with_a_shield_and_unused);
	tcase_add_test(tc, what_remains);
	tcase_add_test(tc, fates);
	tcase_add_test(tc, loss_leaves_nothing_unsaid);
	tcase_add_test(tc, before_the_add);
	tcase_add_test(tc, output);
	suite_add_tcase(suite, tc);
	return suite;
}
