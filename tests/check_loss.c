// SPDX-License-Identifier: GPL-2.0-only
/*
 * Losses put into simulated histories and into the bundled recordings: what is
 * claimed of the rest may be less, never otherwise. FOLIOSCOPE_LOSSES sets how
 * many histories (1000, with sanitizers 50); 7 losses each.
 */
#include <check.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/pipeline.h"
#include "model_events.h"
#include "sim/gen.h"
#include "sim/lossy.h"
#include "sim/readback.h"
#include "suites.h"

#ifdef __SANITIZE_ADDRESS__
#define DEFAULT_HISTORIES 50
#define PER_RECORDING 7
#else
#define DEFAULT_HISTORIES 1000
#define PER_RECORDING 35
#endif

START_TEST(losses_in_histories)
{
	const char *text = getenv("FOLIOSCOPE_LOSSES");
	unsigned nr = text ? strtoul(text, NULL, 10) : DEFAULT_HISTORIES, i, kind;
	struct sim_script *script = malloc(sizeof(*script));
	struct loss_outcome o;

	ck_assert_ptr_nonnull(script);
	for (i = 0; i <= nr / 10; i++) {
		uint64_t seed = 1 + _i * 1000000ull + i;
		struct whole whole;
		struct sim *sim;

		sim_script_init(script, seed, 200);
		sim = sim_play(script);
		whole_of_sim(&whole, sim);
		for (kind = 0; kind < LOSS_NR; kind++) {
			loss_inject(&o, &whole, kind, seed);
			ck_assert_msg(o.ok, "seed %llu, %s: %s", (unsigned long long)seed,
				      loss_kind_name(kind), o.text);
		}
		whole_release(&whole);
		sim_free(sim);
	}
	free(script);
}
END_TEST

START_TEST(losses_in_recordings)
{
	glob_t files;
	unsigned i, k, nr = 0;
	struct loss_outcome o;

	ck_assert_int_eq(glob("tests/traces/*.dat", 0, NULL, &files), 0);
	for (i = 0; i < files.gl_pathc; i++) {
		struct whole whole;
		struct diag diag;

		ck_assert_msg(whole_of_file(&whole, files.gl_pathv[i], &diag) == 0, "%s", diag.text);
		for (k = 0; k < PER_RECORDING && whole.nr > 10000; k++) {
			loss_inject(&o, &whole, k % LOSS_NR, k);
			ck_assert_msg(o.ok, "%s, %s, seed %u: %s", files.gl_pathv[i],
				      loss_kind_name(k % LOSS_NR), k, o.text);
			nr += o.nr_dropped != 0;
		}
		whole_release(&whole);
	}
	globfree(&files);
	ck_assert_uint_ge(nr, 5 * PER_RECORDING);
}
END_TEST

/*
 * The comparison must be able to fail: a loss that the stream does not tell of
 * leads to false claims.
 */
START_TEST(untold_loss_is_noticed)
{
	struct sim_script *script = malloc(sizeof(*script));
	struct loss_outcome o;
	struct whole whole;
	unsigned i, nr_noticed = 0;
	struct sim *sim;

	ck_assert_ptr_nonnull(script);
	for (i = 0; i < 20; i++) {
		sim_script_init(script, i, 300);
		sim = sim_play(script);
		whole_of_sim(&whole, sim);
		loss_inject_untold(&o, &whole, LOSS_MANY, i);
		nr_noticed += !o.ok;
		whole_release(&whole);
		sim_free(sim);
	}
	ck_assert_uint_gt(nr_noticed, 10);
	free(script);
}
END_TEST

/* Two CPUs; the oldest events of the second were overwritten if @overrun. */
static void record(const char *path, uint64_t overrun)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct gen *gen = gen_new(&opts);
	struct event ev = ev_state(STATE_ONLINE, 3, 0);
	unsigned i;

	gen_event(gen_cpu(gen, 0, 0), &ev);
	for (i = 0; i < 10; i++) {
		ev = ev_add(3, 100 + i, 3, false);
		ev.cpu = i >= 5;
		gen_event(gen_cpu(gen, 0, ev.cpu), &ev);
	}
	gen_stat(gen_cpu(gen, 0, 0), 0, 0);
	gen_stat(gen_cpu(gen, 0, 1), overrun, 0);
	gen_write(gen, path);
	gen_free(gen);
}

/* CPUs whose beginning is taken as lost; a complete lruvec is so only without. */
static unsigned nr_beginnings_lost(const char *path)
{
	struct pipeline_opts opts = { .no_progress = true };
	const struct lruvec *lv;
	struct pipeline p;
	struct diag diag;
	unsigned nr;

	ck_assert_msg(pipeline_open(&p, path, &opts, &diag) == 0, "%s", diag.text);
	ck_assert_msg(pipeline_run(&p, &diag) == 0, "%s", diag.text);
	nr = p.nr_beginnings_lost;
	lv = model_find_lruvec(p.model, TEST_MEMCG, 0);
	ck_assert_ptr_nonnull(lv);
	ck_assert(lv->complete == !nr);
	ck_assert_uint_eq(model_stats(p.model)->nr_in_loss, nr ? 6 : 0);
	pipeline_release(&p);
	return nr;
}

START_TEST(overwritten_beginning_is_a_loss)
{
	const char *path = tmp_path();

	record(path, 0);
	ck_assert_uint_eq(nr_beginnings_lost(path), 0);
	record(path, 1000);
	ck_assert_uint_eq(nr_beginnings_lost(path), 1);
	unlink(path);
}
END_TEST

Suite *loss_suite(void)
{
	Suite *suite = suite_create("loss");
	TCase *losses = tcase_create("losses");

	tcase_set_timeout(losses, 200);
	tcase_add_loop_test(losses, losses_in_histories, 0, 10);
	tcase_add_test(losses, losses_in_recordings);
	tcase_add_test(losses, untold_loss_is_noticed);
	tcase_add_test(losses, overwritten_beginning_is_a_loss);
	suite_add_tcase(suite, losses);
	return suite;
}
