// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random histories of the multi-gen LRU (sim/mglru.h): the model must reproduce
 * lists, sizes, lives, refaults and violations of each.  The environment variable
 * FOLIOSCOPE_HISTORIES sets how many are played (20000, with sanitizers 1000).
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "sim/judge.h"
#include "suites.h"

#define NR_BLOCKS 20
#define STEPS_MIN 20
#define STEPS_SPAN 381

static unsigned nr_per_block(void)
{
	const char *text = getenv("FOLIOSCOPE_HISTORIES");
#ifdef __SANITIZE_ADDRESS__
	unsigned nr = 1000;
#else
	unsigned nr = 20000;
#endif

	if (text)
		nr = strtoul(text, NULL, 10);
	return nr / NR_BLOCKS ? nr / NR_BLOCKS : 1;
}

static void play(uint64_t seed, bool via_file)
{
	struct sim_script *script = malloc(sizeof(*script));
	struct judgement j;

	ck_assert_ptr_nonnull(script);
	sim_script_init(script, seed, STEPS_MIN + seed % STEPS_SPAN);
	judge_script(&j, script, via_file);
	ck_assert_msg(j.ok, "seed %llu, %u steps: %s; shrink it with history --seed %llu --histories 1",
		      (unsigned long long)seed, script->nr_steps, j.text, (unsigned long long)seed);
	free(script);
}

START_TEST(histories)
{
	unsigned nr = nr_per_block(), i;

	for (i = 0; i < nr; i++)
		play(1 + (uint64_t)_i * 1000000 + i, false);
}
END_TEST

START_TEST(histories_through_a_file)
{
	unsigned nr = nr_per_block() / 20, i;

	for (i = 0; i <= nr; i++)
		play(100000000 + (uint64_t)_i * 1000000 + i, true);
}
END_TEST

/* The judge must be able to fail: an event less is noticed. */
START_TEST(missing_event_is_noticed)
{
	struct sim_script *script = malloc(sizeof(*script));
	struct event *events;
	const struct event *all;
	unsigned nr, i, nr_lists = 0, nr_noticed = 0;
	struct judgement j;
	struct sim *sim;

	ck_assert_ptr_nonnull(script);
	sim_script_init(script, 7, 100);
	sim = sim_play(script);
	all = sim_events(sim, &nr);
	judge_events(&j, sim, all, nr);
	ck_assert_msg(j.ok, "%s", j.text);
	events = malloc(nr * sizeof(*events));
	ck_assert_ptr_nonnull(events);
	for (i = 0; i < nr; i++) {
		if (all[i].kind != EV_ADD && all[i].kind != EV_DEL && all[i].kind != EV_MOVE)
			continue;
		memcpy(events, all, i * sizeof(*events));
		memcpy(events + i, all + i + 1, (nr - i - 1) * sizeof(*events));
		judge_events(&j, sim, events, nr - 1);
		nr_lists++;
		nr_noticed += !j.ok;
	}
	ck_assert_uint_gt(nr_lists, 20);
	ck_assert_uint_eq(nr_noticed, nr_lists);
	free(events);
	sim_free(sim);
	free(script);
}
END_TEST

Suite *history_suite(void)
{
	Suite *suite = suite_create("history");
	TCase *random = tcase_create("random histories");

	tcase_set_timeout(random, 120);
	tcase_add_test(random, missing_event_is_noticed);
	tcase_add_loop_test(random, histories, 0, NR_BLOCKS);
	tcase_add_loop_test(random, histories_through_a_file, 0, NR_BLOCKS);
	suite_add_tcase(suite, random);
	return suite;
}
