// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/lists.h"
#include "analyzer/model.h"
#include "model_events.h"
#include "suites.h"

/* What the observer saw. */
static struct model *model;
static unsigned nr_changes;
static struct change last;
static struct folio last_folio;
static unsigned nr_ends[END_NR];

static void observe(void *self, const struct change *c)
{
	(void)self;
	nr_changes++;
	last = *c;
	if (c->folio)
		last_folio = *c->folio;
	if (c->kind == CHANGE_END)
		nr_ends[c->end]++;
}

static void setup(void)
{
	nr_changes = 0;
	memset(nr_ends, 0, sizeof(nr_ends));
	model = model_new(observe, NULL);
	ck_assert_ptr_nonnull(model);
}

static void teardown(void)
{
	model_free(model);
}

static void apply(struct event ev)
{
	ck_assert_int_eq(model_apply(model, &ev), 0);
}

static struct folio *folio(uint64_t pfn)
{
	struct folio *f = folio_table_find(model_folios(model), pfn);

	ck_assert_ptr_nonnull(f);
	return f;
}

static struct lruvec *lruvec(void)
{
	struct lruvec *lv = model_find_lruvec(model, TEST_MEMCG, 0);

	ck_assert_ptr_nonnull(lv);
	return lv;
}

/* The list of @gen from old to young, as pfns ending with 0. */
static void assert_list(unsigned gen, ...)
{
	struct model_list *list = model_list(model, lruvec(), gen, TYPE_FILE, 1);
	uint32_t label = list ? list->order.begin : 0, handle;
	uint64_t pfn, expected;
	va_list args;

	va_start(args, gen);
	while ((expected = va_arg(args, int))) {
		ck_assert_ptr_nonnull(list);
		ck_assert_msg(lrulist_next(&list->order, &label, &handle),
			      "gen %u ends before pfn %llu", gen, (unsigned long long)expected);
		folio_table_at(model_folios(model), handle, &pfn);
		ck_assert_uint_eq(pfn, expected);
		label++;
	}
	va_end(args);
	if (list)
		ck_assert_msg(!lrulist_next(&list->order, &label, &handle), "gen %u goes on", gen);
}

static void online(void)
{
	apply(ev_state(STATE_ONLINE, 3, 0));
}

START_TEST(lists_in_order)
{
	online();
	apply(ev_add(3, 10, 3, false));
	apply(ev_add(3, 11, 3, false));
	apply(ev_add(3, 12, 3, true));
	apply(ev_add(3, 13, 0, false));
	assert_list(3, 12, 10, 11, 0);
	assert_list(0, 13, 0);
	ck_assert_int_eq(lruvec()->nr_pages[3][TYPE_FILE], 3);
	apply(ev_del(3, 10, 3, SITE_RELEASE));
	assert_list(3, 12, 11, 0);
	ck_assert_uint_eq(nr_ends[END_FREED], 1);
	ck_assert_int_eq(lruvec()->nr_pages[3][TYPE_FILE], 2);
	ck_assert(lruvec()->complete);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(update_changes_the_flags_only)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_update(3, 10, 0, 3));
	assert_list(0, 10, 0);
	ck_assert_int_eq(folio(10)->gen, 3);
	ck_assert_int_eq(lruvec()->nr_pages[3][TYPE_FILE], 1);
	ck_assert_int_eq(lruvec()->nr_pages[0][TYPE_FILE], 0);
	apply(ev_move(3, 10, 0, 3, SITE_SORT_PROMOTED, false));
	assert_list(0, 0);
	assert_list(3, 10, 0);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(protected_goes_on_by_one)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_add(3, 11, 0, false));
	apply(ev_add(3, 12, 1, false));
	apply(ev_move(3, 10, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_move(3, 11, 0, 1, SITE_SORT_PROTECTED, true));
	assert_list(1, 11, 10, 12, 0);
	ck_assert_uint_eq(folio(10)->nr_protected, 1);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

/* The kernel changed the flags, the other CPU isolated the folio, then the event came. */
START_TEST(update_stamped_after_del)
{
	struct event late;

	online();
	apply(ev_add(3, 10, 0, false));
	late = ev_update(3, 10, 0, 3);
	apply(ev_del(3, 10, 3, SITE_ISOLATE_FOLIO));
	apply(late);
	ck_assert_int_eq(lruvec()->nr_pages[0][TYPE_FILE], 0);
	ck_assert_int_eq(lruvec()->nr_pages[3][TYPE_FILE], 0);
	ck_assert_uint_eq(model_stats(model)->nr_awaited, 1);
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(update_stamped_before_add)
{
	online();
	apply(ev_update(3, 10, 1, 3));
	apply(ev_add(3, 10, 1, false));
	assert_list(1, 10, 0);
	ck_assert_int_eq(folio(10)->gen, 3);
	ck_assert_int_eq(lruvec()->nr_pages[3][TYPE_FILE], 1);
	ck_assert_int_eq(lruvec()->nr_pages[1][TYPE_FILE], 0);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(update_stamped_before_the_move_it_follows)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_update(3, 10, 1, 3));	/* the increment 0 -> 1 came first */
	apply(ev_move(3, 10, 0, 1, SITE_SORT_PROTECTED, true));
	assert_list(1, 10, 0);
	ck_assert_int_eq(folio(10)->gen, 3);
	ck_assert_uint_eq(model_stats(model)->nr_awaited, 1);
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(two_updates_in_reverse)
{
	struct event first;

	online();
	apply(ev_add(3, 10, 0, false));
	first = ev_update(3, 10, 0, 2);
	apply(ev_update(3, 10, 2, 3));
	apply(first);
	ck_assert_int_eq(folio(10)->gen, 3);
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(change_that_no_event_tells)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_del(3, 10, 2, SITE_ISOLATE_FOLIO));
	ck_assert_uint_eq(model_nr_errors(model), 0);	/* its event may come */
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(model_stats(model)->nr_errors[STATE_ERROR_GEN_UNSEEN], 1);
}
END_TEST

START_TEST(contradictions)
{
	const struct model_stats *stats = model_stats(model);
	struct event ev;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_add(3, 10, 1, false));
	ck_assert_uint_eq(stats->nr_errors[STATE_ERROR_ADD_LINKED], 1);
	assert_list(1, 10, 0);
	apply(ev_move(3, 10, 0, 2, SITE_INC_MIN_SEQ, true));
	ck_assert_uint_eq(stats->nr_errors[STATE_ERROR_MOVE_OTHER_LIST], 1);
	apply(ev_del(3, 11, 0, SITE_RELEASE));
	ck_assert_uint_eq(stats->nr_errors[STATE_ERROR_DEL_UNLINKED], 1);
	ev = ev_del(3, 10, 2, SITE_ISOLATE_LRU);
	ev.memcg++;
	apply(ev);
	ck_assert_uint_eq(stats->nr_errors[STATE_ERROR_OTHER_LRUVEC], 1);
	apply(ev_add(9, 12, 1, false));
	ck_assert_uint_eq(stats->nr_errors[STATE_ERROR_SEQ_UNSEEN], 1);
	ck_assert_uint_ge(stats->nr_samples, 5);
	ck_assert_uint_eq(stats->samples[0].pfn, 10);
	ck_assert_uint_eq(stats->samples[0].kind, EV_ADD);
	ck_assert_uint_eq(stats->samples[0].previous_kind, EV_ADD);
}
END_TEST

START_TEST(impossible_values_are_refused)
{
	struct event ev;

	online();
	ev = ev_add(3, 1ull << 40, 0, false);
	apply(ev);
	ev = ev_add(3, 10, 0, false);
	ev.order = 40;
	apply(ev);
	ev = ev_add(3, 10, 100, false);
	apply(ev);
	ev = ev_add(3, 10, 0, false);
	ev.type = LIST_NR;
	apply(ev);
	ev = ev_state(STATE_ONLINE, 3, 0);
	ev.u.lruvec.nr_gens = 200;
	apply(ev);
	ck_assert_uint_eq(model_stats(model)->nr_refused, 5);
	assert_list(0, 0);
}
END_TEST

START_TEST(recording_begins_in_mid_life)
{
	apply(ev_del(3, 10, 1, SITE_ISOLATE_FOLIO));
	apply(ev_move(3, 11, 0, 1, SITE_SORT_PROTECTED, true));
	apply(ev_update(3, 12, 0, 3));
	ck_assert_uint_eq(model_nr_errors(model), 0);
	ck_assert_uint_eq(model_stats(model)->nr_born_unknown, 3);
	ck_assert(!lruvec()->complete);
	ck_assert_uint_eq(folio(12)->state, FOLIO_SOMEWHERE);
	assert_list(1, 11, 0);
}
END_TEST

START_TEST(split_stands_beside_its_head)
{
	struct event ev = ev_add(3, 64, 2, false);

	online();
	apply(ev_add(3, 10, 2, false));
	ev.order = 2;
	apply(ev);
	apply(ev_add(3, 11, 2, false));
	ck_assert_int_eq(lruvec()->nr_pages[2][TYPE_FILE], 6);
	ev = ev_new(EV_SPLIT);
	ev.pfn = 64;
	ev.order = 2;
	ev.new_gen = 2;
	ev.max_seq = 3;
	ev.u.split.on_lru = 1;
	apply(ev);
	assert_list(2, 10, 64, 65, 66, 67, 11, 0);
	ck_assert_int_eq(lruvec()->nr_pages[2][TYPE_FILE], 6);
	ck_assert_uint_eq(folio(66)->birth, BIRTH_SPLIT);
	apply(ev_del(3, 66, 2, SITE_RELEASE));
	apply(ev_del(3, 64, 2, SITE_RELEASE));
	assert_list(2, 10, 65, 67, 11, 0);
	ck_assert_int_eq(lruvec()->nr_pages[2][TYPE_FILE], 4);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(migration_carries_the_page)
{
	struct event ev;

	online();
	apply(ev_page(EV_REFAULT, 10, 77));
	apply(ev_add(3, 10, 3, false));
	apply(ev_del(3, 10, 3, SITE_ISOLATE_LRU));
	ev = ev_new(EV_MIGRATE);
	ev.pfn = 10;
	ev.u.migrate.new_pfn = 20;
	apply(ev);
	apply(ev_add(3, 20, 3, false));
	ck_assert_uint_eq(nr_ends[END_MIGRATED], 1);
	ck_assert_uint_eq(folio(20)->birth, BIRTH_MIGRATED);
	ck_assert_ptr_nonnull(model_page(model, folio(20)));
	ck_assert_uint_eq(model_page(model, folio(20))->index, 77);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(page_is_followed_through_its_shadow)
{
	struct page *page;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_del(3, 10, 0, SITE_ISOLATE_FOLIO));
	apply(ev_page(EV_EVICT, 10, 77));
	apply(ev_reclaim(10, OUTCOME_RECLAIMED));
	ck_assert_uint_eq(nr_ends[END_EVICTED], 1);
	apply(ev_add(3, 11, 0, false));		/* another page, no shadow */
	apply(ev_del(3, 11, 0, SITE_ISOLATE_FOLIO));
	apply(ev_reclaim(11, OUTCOME_RECLAIMED));
	ck_assert_uint_eq(nr_ends[END_RECLAIMED], 1);
	apply(ev_page(EV_REFAULT, 20, 77));
	ck_assert_int_eq(last.kind, CHANGE_REFAULT);
	ck_assert_ptr_nonnull(last.page);
	page = last.page;
	ck_assert_uint_eq(page->nr_evictions, 1);
	ck_assert_uint_eq(lruvec()->nr_reclaimed[TYPE_FILE] - page->evict_clock, 2);
	apply(ev_add(3, 20, 3, false));
	ck_assert_uint_eq(folio(20)->birth, BIRTH_REFAULTED);
	apply(ev_del(3, 20, 3, SITE_ISOLATE_FOLIO));
	apply(ev_page(EV_EVICT, 20, 77));
	ck_assert_ptr_eq(last.page, page);
	ck_assert_uint_eq(page->nr_evictions, 2);
	ck_assert_uint_eq(page->nr_refaults, 1);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(swap_entry_passes_to_another_page)
{
	struct event ev;
	struct page *first;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_del(3, 10, 0, SITE_ISOLATE_FOLIO));
	ev = ev_page(EV_EVICT, 10, 99);
	ev.u.page.backing = BACKING_SWAP;
	ev.u.page.dev = ev.u.page.ino = 0;
	apply(ev);
	apply(ev_reclaim(10, OUTCOME_RECLAIMED));
	ev = ev_new(EV_SWAPIN);
	ev.pfn = 20;
	ev.u.page.index = 99;
	apply(ev);
	first = last.page;
	ck_assert_ptr_nonnull(first);
	apply(ev_add(3, 20, 3, false));
	/* the entry was freed and another page is swapped out to it */
	apply(ev_add(3, 30, 0, false));
	apply(ev_del(3, 30, 0, SITE_ISOLATE_FOLIO));
	ev = ev_page(EV_EVICT, 30, 99);
	ev.u.page.backing = BACKING_SWAP;
	ev.u.page.dev = ev.u.page.ino = 0;
	apply(ev);
	ck_assert_ptr_nonnull(last.page);
	ck_assert_ptr_ne(last.page, first);
	ck_assert_uint_eq(last.page->nr_evictions, 1);
}
END_TEST

/* Pages swapped out and then freed: what is kept of them does not add up. */
START_TEST(pages_that_never_come_back)
{
	uint64_t bytes = 0;
	unsigned i, k;

	online();
	for (i = 0; i < 200; i++) {
		for (k = 0; k < 100; k++) {
			struct event ev = ev_page(EV_EVICT, 10 + k, 0);

			/* each entry goes to another page frame's page each time */
			ev.u.page.index = (7 * i + k) % 100;
			ev.u.page.backing = BACKING_SWAP;
			ev.u.page.dev = ev.u.page.ino = 0;
			apply(ev_add(3, 10 + k, 0, false));
			apply(ev_del(3, 10 + k, 0, SITE_ISOLATE_FOLIO));
			apply(ev);
			ck_assert_uint_eq(last.page->nr_evictions, 1);
			apply(ev_reclaim(10 + k, OUTCOME_RECLAIMED));
		}
		if (!i)
			bytes = model_bytes(model);
	}
	ck_assert_uint_eq(model_bytes(model), bytes);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(loss_makes_everything_unknown)
{
	uint64_t now;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_add(3, 11, 0, false));
	now = last.ts_ns;
	apply(ev_lost(now, now + 5000000));
	ck_assert(!lruvec()->complete);
	assert_list(0, 0);
	apply(ev_del(3, 11, 2, SITE_RELEASE));	/* in doubt, no contradiction */
	ck_assert(model_in_loss(model));
	ck_assert_uint_eq(model_nr_errors(model), 0);
	{
		struct event ev = ev_add(3, 12, 3, false);

		ev.ts_ns = now + 6000000;
		apply(ev);
	}
	ck_assert(!model_in_loss(model));
	assert_list(3, 12, 0);
	model_finish(model, now + 7000000, false);
	ck_assert_uint_eq(nr_ends[END_RESIDENT], 1);	/* 12 */
	ck_assert_uint_ge(nr_ends[END_LOST], 2);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(loss_to_the_end)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_lost(last.ts_ns, EV_TS_END));
	apply(ev_add(3, 11, 0, false));
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(nr_ends[END_RESIDENT], 0);
	ck_assert_uint_eq(nr_ends[END_LOST], 2);
}
END_TEST

START_TEST(ages_follow_max_seq)
{
	online();
	ck_assert_uint_eq(model_age(lruvec(), 3), 0);
	ck_assert_uint_eq(model_age(lruvec(), 0), 3);
	apply(ev_min_seq(3, 0, 1, SITE_INC_MIN_SEQ, 0));
	apply(ev_max_seq(4, 1));
	ck_assert_uint_eq(model_age(lruvec(), 0), 0);
	ck_assert_uint_eq(model_age(lruvec(), 1), 3);
	ck_assert_uint_eq(model_seq(lruvec(), 1), 1);
	ck_assert_uint_eq(model_seq(lruvec(), 0), 4);
	apply(ev_max_seq(9, 6));
	ck_assert_uint_eq(model_stats(model)->nr_errors[STATE_ERROR_SEQ_UNSEEN], 1);
}
END_TEST

static struct event on_own_list(struct event ev)
{
	ev.type = LIST_LAZYFREE;
	ev.flags |= FOLIO_LAZYFREE;
	return ev;
}

static void assert_own_list(unsigned gen, uint32_t nr, uint64_t oldest)
{
	struct model_list *list = model_list(model, lruvec(), gen, LIST_LAZYFREE, 1);
	uint32_t label, handle;
	uint64_t pfn;

	ck_assert_ptr_nonnull(list);
	ck_assert_uint_eq(list->type, TYPE_FILE);
	ck_assert_uint_eq(list->order.nr_folios, nr);
	label = list->order.begin;
	if (!nr)
		return;
	ck_assert(lrulist_next(&list->order, &label, &handle));
	folio_table_at(model_folios(model), handle, &pfn);
	ck_assert_uint_eq(pfn, oldest);
}

START_TEST(lazyfree_lists_stand_apart)
{
	struct event ev;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(on_own_list(ev_add(3, 20, 0, false)));
	apply(on_own_list(ev_add(3, 21, 0, false)));
	assert_list(0, 10, 0);
	assert_own_list(0, 2, 20);
	ck_assert_int_eq(lruvec()->nr_pages[0][TYPE_FILE], 3);
	ck_assert_uint_eq(lruvec()->nr_lazyfree, 2);
	apply(on_own_list(ev_move(3, 20, 0, 1, SITE_INC_MIN_SEQ, true)));
	assert_own_list(0, 1, 21);
	assert_own_list(1, 1, 20);
	ev = ev_del(3, 21, 0, SITE_ISOLATE_FOLIO);	/* says file, whatever the list */
	apply(ev);
	assert_own_list(0, 0, 0);
	/* only of its own kind are there older ones */
	ck_assert_uint_eq(last.nr_older + last.nr_older_gens, 0);
	ev = ev_scan(3);
	ev.type = LIST_LAZYFREE;
	apply(ev);
	ck_assert_int_eq(last.kind, CHANGE_SCAN);
	ck_assert_uint_eq(model_nr_errors(model), 0);
	/* a folio does not change the kind of its list */
	apply(ev_move(3, 20, 1, 2, SITE_SORT_INELIGIBLE, true));
	ck_assert_uint_eq(model_stats(model)->nr_errors[STATE_ERROR_MOVE_OTHER_LIST], 1);
	/* and an update knows no such type */
	ev = ev_update(3, 10, 0, 3);
	ev.type = LIST_LAZYFREE;
	apply(ev);
	ck_assert_uint_eq(model_stats(model)->nr_refused, 1);
}
END_TEST

/* The order of /sys/kernel/debug/lru_gen_folios, by which both are compared. */
START_TEST(lazyfree_lists_are_printed_last)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	online();
	apply(on_own_list(ev_add(3, 20, 0, false)));
	apply(ev_add(3, 10, 0, false));
	apply(on_own_list(ev_add(3, 21, 1, false)));
	apply(ev_add(3, 11, 1, false));
	out = open_memstream(&text, &len);
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(lists_render_lruvec(out, model, lruvec(), 0, 5), 4);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_str_eq(text, " node 0 mono_ns 5\n"
			       "  gen 0 file zone 1\n   0xa order 0 gen 0\n"
			       "  gen 1 file zone 1\n   0xb order 0 gen 1\n"
			       "  gen 0 lazyfree zone 1\n   0x14 order 0 gen 0\n"
			       "  gen 1 lazyfree zone 1\n   0x15 order 0 gen 1\n");
	free(text);
}
END_TEST

START_TEST(shield_changes_flags_then_list)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_add(3, 11, 0, false));
	apply(ev_add(3, 12, 0, false));
	/* to the next generation, and to the youngest */
	apply(ev_spent(3, 10, 0, 1));
	assert_list(0, 10, 11, 12, 0);
	ck_assert_int_eq(folio(10)->gen, 1);
	ck_assert_int_eq(last.old_gen, 0);
	ck_assert_int_eq(last.new_gen, 1);
	apply(ev_move(3, 10, 0, 1, SITE_SORT_SHIELDED, false));
	apply(ev_spent(3, 11, 0, 3));
	apply(ev_move(3, 11, 0, 3, SITE_SORT_SHIELDED, false));
	assert_list(1, 10, 0);
	assert_list(3, 11, 0);
	/* promoted by a walk whose event comes later: no change by the shield */
	apply(ev_spent(3, 12, 3, 3));
	apply(ev_move(3, 12, 0, 3, SITE_SORT_SHIELDED, false));
	apply(ev_update(3, 12, 0, 3));
	assert_list(3, 11, 12, 0);
	ck_assert_int_eq(lruvec()->nr_pages[3][TYPE_FILE], 2);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(shield_spent_unseen)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_move(3, 10, 0, 3, SITE_SORT_SHIELDED, false));
	assert_list(3, 10, 0);
	ck_assert_int_eq(folio(10)->gen, 3);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(splice_keeps_order)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_add(3, 11, 0, false));
	apply(ev_add(3, 12, 0, false));
	apply(ev_add(3, 13, 0, false));
	apply(ev_add(3, 20, 1, false));
	/* a walk saw 11 after its generation was incremented, before the splice */
	apply(ev_update(3, 11, 1, 3));
	apply(ev_splice(3, 10, 12, 3, 0, 1, SITE_INC_MIN_SEQ));
	assert_list(0, 13, 0);
	assert_list(1, 10, 11, 12, 20, 0);
	ck_assert_int_eq(folio(10)->gen, 1);
	ck_assert_int_eq(folio(11)->gen, 3);
	ck_assert_int_eq(lruvec()->nr_pages[1][TYPE_FILE], 3);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

/* Found by random histories (sim/mglru.h); each was wrong once. */

START_TEST(access_before_the_first_add_begins_no_life)
{
	apply(ev_update(3, 10, -1, -1));
	ck_assert_uint_eq(nr_changes, 0);
	apply(ev_add(3, 10, 3, false));
	ck_assert_uint_eq(folio(10)->birth, BIRTH_ADDED);
	ck_assert_uint_eq(model_stats(model)->nr_born_unknown, 0);
}
END_TEST

START_TEST(promotion_stamped_before_the_add_was_not_counted)
{
	online();
	apply(ev_update(3, 10, 1, 3));
	apply(ev_add(3, 10, 1, false));
	ck_assert_uint_eq(folio(10)->nr_promoted, 1);
}
END_TEST

/* A stale walk promotes by one, which looks like the increment of the move. */
START_TEST(late_promotion_by_one_was_taken_for_a_second_change)
{
	struct event late;

	online();
	apply(ev_min_seq(3, 0, 1, SITE_TRY_TO_INC_MIN_SEQ, 0));
	apply(ev_add(3, 10, 1, false));
	late = ev_update(2, 10, 1, 2);
	apply(ev_move(3, 10, 1, 2, SITE_SORT_PROTECTED, true));
	late.ts_ns = last.ts_ns + 100;
	apply(late);
	ck_assert_int_eq(folio(10)->gen, 2);
	ck_assert_uint_eq(folio(10)->nr_promoted, 1);
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(update_after_a_promoted_move_but_stamped_before_it)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_update(3, 10, 0, 2));
	apply(ev_update(3, 10, 2, 3));	/* after the move looked, before its event */
	apply(ev_move(3, 10, 0, 2, SITE_INC_MIN_SEQ, true));
	assert_list(2, 10, 0);
	ck_assert_int_eq(folio(10)->gen, 3);
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(early_update_of_the_folio_after_an_unevictable_one)
{
	struct event ev;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_del(3, 10, 0, SITE_MLOCK));
	/* it was freed; the next one is of another memcg */
	ev = ev_state(STATE_ONLINE, 3, 0);
	ev.memcg = 8;
	apply(ev);
	ev = ev_update(3, 10, 1, 3);
	ev.memcg = 8;
	apply(ev);
	ev = ev_add(3, 10, 1, false);
	ev.memcg = 8;
	apply(ev);
	ck_assert_uint_eq(nr_ends[END_REUSED], 1);
	ck_assert_int_eq(folio(10)->gen, 3);
	ck_assert_int_eq(model_find_lruvec(model, 8, 0)->nr_pages[3][TYPE_FILE], 1);
	ck_assert_int_eq(lruvec()->nr_pages[3][TYPE_FILE], 0);
	ck_assert_uint_eq(folio(10)->nr_promoted, 1);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(redirtied_lazyfree_folio_stayed_a_file_folio)
{
	struct event ev;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_del(3, 10, 0, SITE_ISOLATE_FOLIO));
	ev = ev_new(EV_LAZYFREE);
	ev.pfn = 10;
	ev.type = TYPE_ANON;
	ev.u.lazyfree.stage = LAZYFREE_REDIRTIED;
	apply(ev);
	ck_assert_uint_eq(folio(10)->type, TYPE_ANON);
}
END_TEST

START_TEST(lives_were_followed_across_the_classic_lists)
{
	struct event ev;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_add(3, 11, 0, false));
	apply(ev_del(3, 11, 0, SITE_ISOLATE_LRU));
	apply(ev_state(STATE_DISABLE, 3, 0));
	apply(ev_del(3, 10, 0, SITE_DRAIN_EVICTABLE));
	apply(ev_state(STATE_DISABLED, 3, 0));
	ck_assert_uint_eq(nr_ends[END_SWITCHED], 2);
	/* classic reclaim tells outcomes, of whatever folio is there by now */
	apply(ev_reclaim(10, OUTCOME_KEPT));
	apply(ev_reclaim(10, OUTCOME_RECLAIMED));
	ck_assert_uint_eq(nr_ends[END_RECLAIMED], 1);
	ck_assert_uint_eq(last_folio.birth, BIRTH_UNKNOWN);
	ck_assert_uint_eq(last_folio.birth_ns, last.ts_ns);
	apply(ev_state(STATE_ENABLE, 3, 0));
	ev = ev_add(3, 11, 1, false);
	ev.site = SITE_FILL_EVICTABLE;
	apply(ev);
	ck_assert_uint_eq(folio(11)->birth, BIRTH_UNKNOWN);
	ck_assert_uint_eq(folio(11)->nr_isolated, 0);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(late_promotion_of_a_life_that_is_over)
{
	struct event late, ev;

	online();
	apply(ev_add(3, 10, 1, false));
	late = ev_update(3, 10, 1, 3);
	apply(ev_state(STATE_DISABLE, 3, 0));
	apply(ev_del(3, 10, 3, SITE_DRAIN_EVICTABLE));
	apply(ev_state(STATE_DISABLED, 3, 0));
	apply(ev_state(STATE_ENABLE, 3, 0));
	ev = ev_add(3, 10, 1, false);
	ev.site = SITE_FILL_EVICTABLE;
	apply(ev);
	late.ts_ns = last.ts_ns + 100;
	apply(late);
	ck_assert_uint_eq(folio(10)->nr_promoted, 0);
	ck_assert_int_eq(folio(10)->gen, 1);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

static void evict_page(uint64_t pfn, unsigned order, uint64_t index)
{
	struct event ev = ev_add(3, pfn, 0, false);

	ev.order = order;
	apply(ev);
	ev = ev_del(3, pfn, 0, SITE_ISOLATE_FOLIO);
	ev.order = order;
	apply(ev);
	ev = ev_page(EV_EVICT, pfn, index);
	ev.order = order;
	apply(ev);
	ev = ev_reclaim(pfn, OUTCOME_RECLAIMED);
	ev.order = order;
	apply(ev);
}

/*
 * While a loss lasts each event stands alone, but for a reclaim next on its CPU after
 * the eviction: by the same task, of the same folio, with no loss of that CPU between.
 */
START_TEST(eviction_and_reclaim_in_a_loss)
{
	struct event ev, between;
	bool is_same = _i == 0;

	online();
	apply(ev_lost(last.ts_ns, EV_TS_END));
	ev = ev_page(EV_EVICT, 10, 77);
	apply(ev);
	between = ev_add(3, 50, 0, false);
	between.cpu = _i == 1 ? 0 : 1;
	apply(between);
	if (_i == 2) {
		between = ev_lost(last.ts_ns, EV_TS_END);
		between.cpu = 0;
		apply(between);
	}
	ev = ev_reclaim(10, OUTCOME_RECLAIMED);
	ev.pid += _i == 3;
	ev.cpu = _i == 4;
	apply(ev);
	ck_assert_uint_eq(nr_ends[END_EVICTED], is_same);
	ck_assert_uint_eq(nr_ends[END_RECLAIMED], !is_same);
}
END_TEST

START_TEST(classic_lists_are_told_from_generations)
{
	struct event ev = ev_new(EV_SWAPIN);

	ev.pfn = 10;
	ev.u.page.backing = BACKING_SWAP;
	ev.u.page.index = 0x55;
	apply(ev);
	ck_assert_int_eq(model_lru(model), MODEL_LRU_UNKNOWN);
	apply(ev_reclaim(11, OUTCOME_RECLAIMED));
	ck_assert_int_eq(model_lru(model), MODEL_LRU_CLASSIC);
	/* it may have been freed since, which no event tells */
	model_finish(model, folio(10)->birth_ns + 1000, false);
	ck_assert_uint_eq(nr_ends[END_RESIDENT], 0);
	ck_assert_uint_eq(nr_ends[END_SWITCHED], 1);
	ck_assert_uint_eq(nr_ends[END_RECLAIMED], 1);
}
END_TEST

START_TEST(switching_is_remembered)
{
	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_reclaim(11, OUTCOME_RECLAIMED));
	ck_assert_int_eq(model_lru(model), MODEL_LRU_MULTI_GEN);
	apply(ev_state(STATE_DISABLE, 3, 0));
	ck_assert_int_eq(model_lru(model), MODEL_LRU_SWITCHED);
	apply(ev_state(STATE_DISABLED, 3, 0));
	apply(ev_state(STATE_ENABLE, 3, 0));
	apply(ev_state(STATE_ENABLED, 3, 0));
	ck_assert_int_eq(model_lru(model), MODEL_LRU_SWITCHED);
}
END_TEST

START_TEST(eviction_was_believed_the_latest_across_a_switch)
{
	online();
	evict_page(10, 0, 77);
	apply(ev_state(STATE_DISABLE, 3, 0));
	apply(ev_state(STATE_DISABLED, 3, 0));
	apply(ev_state(STATE_ENABLE, 3, 0));
	apply(ev_page(EV_REFAULT, 20, 77));
	ck_assert_int_eq(last.kind, CHANGE_REFAULT);
	ck_assert_ptr_nonnull(last.page);
	ck_assert_uint_eq(last.page->evict_ns, 0);
}
END_TEST

START_TEST(page_of_a_large_folio_came_back_from_an_older_eviction)
{
	uint64_t evict_ns;

	online();
	evict_page(10, 0, 66);
	evict_page(16, 2, 64);		/* 64 to 67 */
	evict_ns = last.ts_ns - 1000;	/* before its reclaim event */
	evict_page(11, 0, 64);		/* its first page again */
	apply(ev_page(EV_REFAULT, 20, 66));
	ck_assert_int_eq(last.kind, CHANGE_REFAULT);
	ck_assert_uint_eq(last.page->evict_ns, evict_ns);
	ck_assert_uint_eq(last.page->evict_pfn, 16);
	apply(ev_page(EV_REFAULT, 21, 64));
	ck_assert_uint_eq(last.page->evict_pfn, 11);
	apply(ev_page(EV_REFAULT, 22, 68));
	ck_assert_uint_eq(last.page->evict_ns, 0);
}
END_TEST

START_TEST(migrated_folio_belongs_to_its_new_node)
{
	struct event ev;

	online();
	apply(ev_add(3, 10, 3, false));
	apply(ev_del(3, 10, 3, SITE_ISOLATE_LRU));
	ev = ev_new(EV_MIGRATE);
	ev.pfn = 10;
	ev.u.migrate.new_pfn = 20;
	ev.u.migrate.new_nid = 1;
	apply(ev);
	ck_assert_uint_eq(folio(20)->lruvec, model_find_lruvec(model, TEST_MEMCG, 1)->number + 1);
}
END_TEST

START_TEST(reclaim_of_another_memcg_was_put_on_the_old_owner)
{
	struct event ev;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_del(3, 10, 0, SITE_MLOCK));
	ev = ev_reclaim(10, OUTCOME_RECLAIMED);
	ev.memcg = 8;
	apply(ev);
	ck_assert_uint_eq(nr_ends[END_REUSED], 1);
	ck_assert_uint_eq(lruvec()->nr_reclaimed[TYPE_FILE], 0);
	ck_assert_uint_eq(model_find_lruvec(model, 8, 0)->nr_reclaimed[TYPE_FILE], 1);
}
END_TEST

/* cgroup v1 with swap accounting takes the memcg away before the event. */
START_TEST(reclaim_without_memcg_is_of_the_folios_own)
{
	struct event ev;

	online();
	apply(ev_add(3, 10, 0, false));
	apply(ev_del(3, 10, 0, SITE_ISOLATE_FOLIO));
	ev = ev_reclaim(10, OUTCOME_RECLAIMED);
	ev.memcg = 0;
	apply(ev);
	ck_assert_uint_eq(nr_ends[END_RECLAIMED], 1);
	ck_assert_uint_eq(lruvec()->nr_reclaimed[TYPE_FILE], 1);
}
END_TEST

/* Found by losses put into recordings; each led to a false claim once. */

START_TEST(skipped_move_tells_nothing_of_the_flags)
{
	apply(ev_move(3, 10, 1, 1, SITE_SCAN_SKIPPED, false));
	apply(ev_update(3, 10, 1, 3));
	ck_assert_int_eq(folio(10)->gen, 3);
	ck_assert_uint_eq(folio(10)->await, FOLIO_NO_AWAIT);
	apply(ev_del(3, 10, 3, SITE_RELEASE));
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(split_tells_the_flags_of_all_parts)
{
	struct event ev = ev_move(3, 64, 1, 1, SITE_SCAN_SKIPPED, false);

	ev.order = 1;
	apply(ev);
	ev = ev_new(EV_SPLIT);
	ev.pfn = 64;
	ev.order = 1;
	ev.new_gen = 2;
	ev.max_seq = 3;
	ev.u.split.on_lru = 1;
	apply(ev);
	ck_assert_int_eq(folio(64)->gen, 2);
	ck_assert_int_eq(folio(65)->gen, 2);
	ck_assert_int_eq(lruvec()->nr_pages[2][TYPE_FILE], 2);
}
END_TEST

START_TEST(events_of_a_loss_made_one_life)
{
	uint64_t now;

	online();
	apply(ev_add(3, 9, 0, false));
	now = last.ts_ns;
	apply(ev_lost(now, now + 5000000));
	apply(ev_add(3, 10, 0, false));
	/* freed and used again, unseen */
	apply(ev_del(3, 10, 0, SITE_RELEASE));
	ck_assert_uint_eq(nr_ends[END_FREED], 1);
	ck_assert_uint_eq(last_folio.birth, BIRTH_UNKNOWN);
	ck_assert_uint_eq(last_folio.birth_ns, last.ts_ns);
	/* a life cut is one that was followed before: that of 9 */
	model_finish(model, last.ts_ns, false);
	ck_assert_uint_eq(model_stats(model)->nr_ended_lost, 1);
}
END_TEST

START_TEST(eviction_before_a_loss_was_believed_the_latest)
{
	struct event ev;
	uint64_t now;

	online();
	evict_page(10, 0, 77);
	now = last.ts_ns;
	apply(ev_lost(now, now + 2000));
	ev = ev_page(EV_REFAULT, 20, 77);
	ev.ts_ns = now + 3000;
	apply(ev);
	ck_assert_int_eq(last.kind, CHANGE_REFAULT);
	ck_assert_uint_eq(last.page->evict_ns, 0);
}
END_TEST

/* Its event comes after the loss; the folio is isolated by then. */
START_TEST(late_update_from_before_a_loss_is_no_contradiction)
{
	struct event ev;
	uint64_t now;

	online();
	apply(ev_add(3, 10, 0, false));
	now = last.ts_ns;
	apply(ev_lost(now, now + 2000));
	ev = ev_del(3, 10, 3, SITE_ISOLATE_LRU);
	ev.ts_ns = now + 3000;
	apply(ev);
	ev = ev_update(3, 10, 0, 3);
	ev.ts_ns = now + 4000;
	apply(ev);
	ev = ev_add(3, 10, 1, false);
	ev.ts_ns = now + 5000;
	apply(ev);
	ev = ev_del(3, 10, 1, SITE_RELEASE);
	ev.ts_ns = now + 6000;
	apply(ev);
	model_finish(model, now + 7000, false);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(lists_given_up_empty_make_a_lruvec_known)
{
	struct event ev;
	uint64_t seq;

	apply(ev_add(3, 10, 3, false));
	ck_assert(!lruvec()->complete);
	for (seq = 0; seq < 4; seq++) {
		ck_assert(!lruvec()->complete);
		apply(ev_min_seq(seq + 3, seq, seq + 1, SITE_TRY_TO_INC_MIN_SEQ, 0));
		if (seq == 2)
			apply(ev_del(5, 10, 3, SITE_RELEASE));
		ev = ev_min_seq(seq + 3, seq, seq + 1, SITE_TRY_TO_INC_MIN_SEQ, 0);
		ev.type = TYPE_ANON;
		apply(ev);
		apply(ev_max_seq(seq + 4, seq + 1));
	}
	ck_assert(lruvec()->complete);
	ck_assert_uint_eq(model_nr_errors(model), 0);
}
END_TEST

START_TEST(relabelled_lists_are_not_known)
{
	struct event ev;
	uint64_t seq;

	for (seq = 0; seq < 4; seq++) {
		apply(ev_min_seq(seq + 3, seq, seq + 1, SITE_TRY_TO_INC_MIN_SEQ, 0));
		ev = ev_min_seq(seq + 3, seq, seq + 1, SITE_INC_MIN_SEQ, seq == 2 ? 5 : 0);
		ev.type = TYPE_ANON;
		apply(ev);
		apply(ev_max_seq(seq + 4, seq + 1));
	}
	ck_assert(!lruvec()->complete);
}
END_TEST

Suite *model_suite(void)
{
	Suite *suite = suite_create("model");
	TCase *lists = tcase_create("lists");
	TCase *late = tcase_create("events out of order");
	TCase *unknown = tcase_create("unknown, lost, contradictory");
	TCase *pages = tcase_create("pages");
	TCase *losses = tcase_create("found by losses");
	TCase *histories = tcase_create("found by random histories");

	tcase_add_checked_fixture(lists, setup, teardown);
	tcase_add_test(lists, lists_in_order);
	tcase_add_test(lists, update_changes_the_flags_only);
	tcase_add_test(lists, protected_goes_on_by_one);
	tcase_add_test(lists, split_stands_beside_its_head);
	tcase_add_test(lists, ages_follow_max_seq);
	tcase_add_test(lists, lazyfree_lists_stand_apart);
	tcase_add_test(lists, lazyfree_lists_are_printed_last);
	tcase_add_test(lists, shield_changes_flags_then_list);
	tcase_add_test(lists, shield_spent_unseen);
	tcase_add_test(lists, splice_keeps_order);
	suite_add_tcase(suite, lists);
	tcase_add_checked_fixture(late, setup, teardown);
	tcase_add_test(late, update_stamped_after_del);
	tcase_add_test(late, update_stamped_before_add);
	tcase_add_test(late, update_stamped_before_the_move_it_follows);
	tcase_add_test(late, two_updates_in_reverse);
	tcase_add_test(late, change_that_no_event_tells);
	suite_add_tcase(suite, late);
	tcase_add_checked_fixture(unknown, setup, teardown);
	tcase_add_loop_test(unknown, eviction_and_reclaim_in_a_loss, 0, 5);
	tcase_add_test(unknown, contradictions);
	tcase_add_test(unknown, impossible_values_are_refused);
	tcase_add_test(unknown, classic_lists_are_told_from_generations);
	tcase_add_test(unknown, switching_is_remembered);
	tcase_add_test(unknown, recording_begins_in_mid_life);
	tcase_add_test(unknown, loss_makes_everything_unknown);
	tcase_add_test(unknown, loss_to_the_end);
	suite_add_tcase(suite, unknown);
	tcase_add_checked_fixture(pages, setup, teardown);
	tcase_add_test(pages, migration_carries_the_page);
	tcase_add_test(pages, page_is_followed_through_its_shadow);
	tcase_add_test(pages, swap_entry_passes_to_another_page);
	tcase_add_test(pages, pages_that_never_come_back);
	suite_add_tcase(suite, pages);
	tcase_add_checked_fixture(histories, setup, teardown);
	tcase_add_test(histories, access_before_the_first_add_begins_no_life);
	tcase_add_test(histories, promotion_stamped_before_the_add_was_not_counted);
	tcase_add_test(histories, late_promotion_by_one_was_taken_for_a_second_change);
	tcase_add_test(histories, update_after_a_promoted_move_but_stamped_before_it);
	tcase_add_test(histories, early_update_of_the_folio_after_an_unevictable_one);
	tcase_add_test(histories, redirtied_lazyfree_folio_stayed_a_file_folio);
	tcase_add_test(histories, lives_were_followed_across_the_classic_lists);
	tcase_add_test(histories, late_promotion_of_a_life_that_is_over);
	tcase_add_test(histories, eviction_was_believed_the_latest_across_a_switch);
	tcase_add_test(histories, page_of_a_large_folio_came_back_from_an_older_eviction);
	tcase_add_test(histories, migrated_folio_belongs_to_its_new_node);
	tcase_add_test(histories, reclaim_of_another_memcg_was_put_on_the_old_owner);
	tcase_add_test(histories, reclaim_without_memcg_is_of_the_folios_own);
	suite_add_tcase(suite, histories);
	tcase_add_checked_fixture(losses, setup, teardown);
	tcase_add_test(losses, skipped_move_tells_nothing_of_the_flags);
	tcase_add_test(losses, split_tells_the_flags_of_all_parts);
	tcase_add_test(losses, events_of_a_loss_made_one_life);
	tcase_add_test(losses, eviction_before_a_loss_was_believed_the_latest);
	tcase_add_test(losses, late_update_from_before_a_loss_is_no_contradiction);
	tcase_add_test(losses, lists_given_up_empty_make_a_lruvec_known);
	tcase_add_test(losses, relabelled_lists_are_not_known);
	suite_add_tcase(suite, losses);
	return suite;
}
