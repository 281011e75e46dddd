// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/err.h"
#include "analyzer/lrulist.h"
#include "suites.h"

#define MAX 3000

/* The reference: an array of handles from old to young. */
struct reference {
	struct lrulist list;
	uint32_t order[MAX * 20];
	uint32_t nr;
	uint32_t label[MAX * 20];	/* by handle */
	uint32_t size[MAX * 20];
};

static struct reference *ref;

static void relabel(void *owner, uint32_t handle, uint32_t label)
{
	((struct reference *)owner)->label[handle] = label;
}

static uint32_t nr_labels(void *owner, uint32_t handle)
{
	return ((struct reference *)owner)->size[handle];
}

static void prefetch(void *owner, uint32_t handle)
{
	ck_assert_uint_gt(((struct reference *)owner)->size[handle], 0);
}

static const struct lrulist_ops ops = { relabel, nr_labels, prefetch };

static void setup(void)
{
	ref = calloc(1, sizeof(*ref));
	lrulist_init(&ref->list, &ops, ref);
}

static void teardown(void)
{
	lrulist_release(&ref->list);
	free(ref);
}

static void insert_at(uint32_t at, uint32_t handle)
{
	memmove(ref->order + at + 1, ref->order + at, (ref->nr - at) * sizeof(*ref->order));
	ref->order[at] = handle;
	ref->nr++;
}

static void add(uint32_t handle, uint32_t size, bool tail)
{
	ref->size[handle] = size;
	ck_assert_int_eq(lrulist_add(&ref->list, handle, size, tail, &ref->label[handle]), 0);
	insert_at(tail ? 0 : ref->nr, handle);
}

static void del(uint32_t at)
{
	uint32_t handle = ref->order[at], label = ref->label[handle], found;

	ck_assert_uint_eq(lrulist_rank(&ref->list, label), at);
	ck_assert(lrulist_next(&ref->list, &label, &found));
	ck_assert_uint_eq(label, ref->label[handle]);
	ck_assert_uint_eq(found, handle);
	lrulist_del(&ref->list, label, ref->size[handle]);
	ref->nr--;
	memmove(ref->order + at, ref->order + at + 1, (ref->nr - at) * sizeof(*ref->order));
}

static void compare(void)
{
	uint32_t label = ref->list.begin, handle, nr = 0;

	ck_assert_uint_eq(ref->list.nr_folios, ref->nr);
	while (lrulist_next(&ref->list, &label, &handle)) {
		ck_assert_uint_lt(nr, ref->nr);
		ck_assert_uint_eq(handle, ref->order[nr]);
		ck_assert_uint_eq(label, ref->label[handle]);
		ck_assert_uint_eq(lrulist_rank(&ref->list, label), nr);
		nr++;
		label++;
	}
	ck_assert_uint_eq(nr, ref->nr);
}

START_TEST(empty)
{
	compare();
	add(1, 1, false);
	compare();
	del(0);
	compare();
	add(2, 1, true);
	compare();
}
END_TEST

START_TEST(both_ends)
{
	uint32_t i;

	for (i = 0; i < 2000; i++)
		add(i, 1, i % 3 == 0);
	compare();
}
END_TEST

/* Queue: in at the young end, out at the old end; labels must not pile up. */
START_TEST(drifts)
{
	uint32_t i;

	for (i = 0; i < 200; i++)
		add(i, 1, false);
	for (i = 0; i < 50 * MAX / 4; i++) {
		uint32_t handle = ref->order[0];

		del(0);
		add(handle, 1, false);
	}
	compare();
	ck_assert_uint_le(ref->list.nr_blocks, 8);
}
END_TEST

/* One folio stays while thousands pass: the list becomes sparse, is renumbered. */
START_TEST(renumbers_when_sparse)
{
	uint32_t i;

	add(0, 1, false);
	for (i = 1; i < 40000; i++) {
		add(1 + i % 7, 1, false);
		if (i >= 7)
			del(1);
		else
			ck_assert_uint_eq(ref->nr, i + 1);
	}
	compare();
	ck_assert_uint_gt(ref->list.nr_renumbered, 0);
	ck_assert_uint_le(ref->list.nr_blocks, 16);
}
END_TEST

/* A large folio is split: the others stand beside it on the younger side. */
START_TEST(fills)
{
	uint32_t i;

	add(0, 1, false);
	add(1, 8, _i);
	add(2, 1, false);
	add(3, 1, true);
	ref->size[1] = 1;
	for (i = 1; i < 8; i++) {
		uint32_t at = lrulist_rank(&ref->list, ref->label[1]) + i;

		ref->label[10 + i] = ref->label[1] + i;
		ref->size[10 + i] = 1;
		ck_assert_int_eq(lrulist_fill(&ref->list, 10 + i, ref->label[10 + i]), 0);
		insert_at(at, 10 + i);
	}
	compare();
	ck_assert_int_eq(lrulist_fill(&ref->list, 99, ref->label[12]), -ERR_BUG);
	ck_assert_int_eq(lrulist_fill(&ref->list, 99, ref->list.end), -ERR_BUG);
}
END_TEST

START_TEST(random_operations)
{
	uint32_t i, next = 0, round;

	srand(_i + 1);
	for (round = 0; round < 40; round++) {
		for (i = 0; i < 200; i++) {
			unsigned what = rand() % 10;

			if (ref->nr < 3 || (what < 5 && ref->nr < MAX))
				add(next++, rand() % 16 ? 1 : 1u << rand() % 10, what & 1);
			else if (what < 9 - (unsigned)_i % 3)
				del(rand() % ref->nr);
			else
				del(rand() % 4 ? 0 : ref->nr - 1);
		}
		compare();
	}
	while (ref->nr)
		del(ref->nr - 1);
	compare();
}
END_TEST

Suite *lrulist_suite(void)
{
	Suite *suite = suite_create("lrulist");
	TCase *tc = tcase_create("against an array");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, empty);
	tcase_add_test(tc, both_ends);
	tcase_add_test(tc, drifts);
	tcase_add_test(tc, renumbers_when_sparse);
	tcase_add_loop_test(tc, fills, 0, 2);
	tcase_add_loop_test(tc, random_operations, 0, 12);
	suite_add_tcase(suite, tc);
	return suite;
}
