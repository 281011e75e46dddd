// SPDX-License-Identifier: GPL-2.0-only
/*
 * Comparisons of counters: the published tables, verdicts, how often chance is
 * taken for an effect, and how often an effect of known size is found.
 */
#include <check.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compare.h"
#include "model_events.h"
#include "sim/gen.h"
#include "sim/readback.h"
#include "suites.h"

static struct compare compare;
static const struct compare_opts defaults = { .seed = 1 };
static const struct pipeline_opts reading = { .no_progress = true };

static void teardown(void)
{
	compare_release(&compare);
}

static void load(enum compare_side side, const char *path)
{
	struct diag diag = { .text = "" };

	ck_assert_msg(!compare_add(&compare, side, path, &reading, &diag), "%s", diag.text);
}

static void evaluate(void)
{
	struct diag diag = { .text = "" };

	ck_assert_msg(!compare_evaluate(&compare, &diag), "%s", diag.text);
}

static void row_is(const char *name, const char *change, enum compare_verdict verdict)
{
	const struct compare_row *row = compare_find(&compare, name);
	char text[32];

	ck_assert_msg(row != NULL, "no row %s", name);
	snprintf(text, sizeof(text), "%+.2f%%", row->change_percent);
	ck_assert_str_eq(text, change);
	ck_assert_int_eq(row->verdict, verdict);
}

static void all_one_run(void)
{
	unsigned i;

	for (i = 0; i < compare.nr_rows; i++) {
		ck_assert_int_eq(compare.rows[i].verdict, VERDICT_ONE_RUN);
		ck_assert_str_eq(compare_verdict_name(compare.rows[i].verdict),
				 "one run: no verdict");
		ck_assert(!compare.rows[i].is_tested);
	}
}

START_TEST(published_lazyfree)
{
	compare_init(&compare, &defaults);
	load(COMPARE_BASE, "tests/compare/e4-base.txt");
	load(COMPARE_PATCH, "tests/compare/e4-list.txt");
	evaluate();
	row_is("workingset_refault_anon", "-52.79%", VERDICT_ONE_RUN);
	row_is("workingset_refault_file", "-46.33%", VERDICT_ONE_RUN);
	all_one_run();
	compare_release(&compare);

	compare_init(&compare, &defaults);
	load(COMPARE_BASE, "tests/compare/e4-tail.txt");
	load(COMPARE_PATCH, "tests/compare/e4-list.txt");
	evaluate();
	row_is("workingset_refault_anon", "-2.36%", VERDICT_ONE_RUN);
	row_is("workingset_refault_file", "-5.40%", VERDICT_ONE_RUN);
	all_one_run();
}
END_TEST

START_TEST(published_bulk_aging)
{
	compare_init(&compare, &defaults);
	load(COMPARE_BASE, "tests/compare/e1-before.txt");
	load(COMPARE_PATCH, "tests/compare/e1-patch2.txt");
	evaluate();
	row_is("ops_per_s", "+1.80%", VERDICT_ONE_RUN);
	compare_release(&compare);

	compare_init(&compare, &defaults);
	load(COMPARE_BASE, "tests/compare/e1-patch1.txt");
	load(COMPARE_PATCH, "tests/compare/e1-patch2.txt");
	evaluate();
	row_is("ops_per_s", "+0.28%", VERDICT_ONE_RUN);
}
END_TEST

START_TEST(published_classic)
{
	static const char *const sums[] = { "sum=pgmajfault+pgsteal_kswapd+pgsteal_direct" };
	struct compare_opts opts = { .sums = sums, .nr_sums = 1 };
	const struct compare_row *row;

	compare_init(&compare, &opts);
	load(COMPARE_BASE, "tests/compare/e5-classic.txt");
	load(COMPARE_PATCH, "tests/compare/e5-mglru.txt");
	evaluate();
	row = compare_find(&compare, "sum");
	ck_assert(row->samples[COMPARE_BASE].mean == 11503878);
	ck_assert(row->samples[COMPARE_PATCH].mean == 11928659);
	row_is("records/s", "+10.00%", VERDICT_ONE_RUN);
	all_one_run();
}
END_TEST

/* A run with the rows NAME VALUE NAME VALUE ... NULL. */
static void run(enum compare_side side, ...)
{
	struct counterfile file = { 0 };
	const char *name;
	va_list args;

	va_start(args, side);
	while ((name = va_arg(args, const char *)))
		ck_assert_int_eq(counterfile_set(&file, name, va_arg(args, double)), 0);
	va_end(args);
	ck_assert_int_eq(compare_add_counters(&compare, side, "run", &file), 0);
	counterfile_release(&file);
}

START_TEST(directions_and_verdicts)
{
	unsigned i;

	compare_init(&compare, &defaults);
	for (i = 0; i < 5; i++) {
		double noise = i - 2.0;

		run(COMPARE_BASE, "workingset_refault_file", 1000 + noise, "ops_per_s", 100 + noise,
		    "pgsteal_kswapd", 500 + noise, "same", 7.0, "quiet", 50 + noise, "zero", 0.0,
		    "gone", 3.0, "pswpin", 100 + noise, "fixed", 10.0, NULL);
		run(COMPARE_PATCH, "workingset_refault_file", 800 + noise, "ops_per_s", 90 + noise,
		    "pgsteal_kswapd", 600 + noise, "same", 7.0, "quiet", 50 - noise / 2, "zero",
		    0.0, "new", 3.0, "pswpin", 120 + noise, "fixed", 11.0, NULL);
	}
	evaluate();
	row_is("workingset_refault_file", "-20.00%", VERDICT_BETTER);
	row_is("ops_per_s", "-10.00%", VERDICT_WORSE);
	row_is("pgsteal_kswapd", "+20.00%", VERDICT_HIGHER);
	row_is("pswpin", "+20.00%", VERDICT_WORSE);
	row_is("same", "+0.00%", VERDICT_SAME);
	ck_assert_int_eq(compare_find(&compare, "quiet")->verdict, VERDICT_NONE);
	ck_assert_int_eq(compare_find(&compare, "gone")->verdict, VERDICT_ONE_SIDE);
	ck_assert_int_eq(compare_find(&compare, "new")->verdict, VERDICT_ONE_SIDE);
	ck_assert_ptr_null(compare_find(&compare, "zero"));
	ck_assert_uint_eq(compare.nr_zero, 1);
	ck_assert_uint_eq(compare.nr_tests, 6);
	/* no spread at all: 2 / choose(10, 5), times the rows that are left */
	ck_assert(fabs(compare_find(&compare, "fixed")->change.p - 2 / 252.0) < 1e-12);
	ck_assert(fabs(compare_find(&compare, "fixed")->p_holm - 4 / 252.0) < 1e-12);
	row_is("fixed", "+10.00%", VERDICT_HIGHER);
}
END_TEST

START_TEST(two_runs_may_not_be_enough)
{
	compare_init(&compare, &defaults);
	run(COMPARE_BASE, "a", 1.0, "b", 1.0, NULL);
	run(COMPARE_BASE, "a", 1.0, "b", 1.0, NULL);
	run(COMPARE_PATCH, "a", 2.0, NULL);
	run(COMPARE_PATCH, "a", 2.0, "b", 2.0, NULL);
	evaluate();
	/* chance sorts four runs like this in one of three cases */
	row_is("a", "+100.00%", VERDICT_NONE);
	row_is("b", "+100.00%", VERDICT_ONE_RUN);
}
END_TEST

START_TEST(change_from_zero)
{
	struct diag diag;

	compare_init(&compare, &defaults);
	run(COMPARE_BASE, "a", 0.0, "b", -4.0, "zero", 0.0, NULL);
	run(COMPARE_PATCH, "a", 5.0, "b", -2.0, "zero", 0.0, NULL);
	evaluate();
	ck_assert(isinf(compare_find(&compare, "a")->change_percent));
	row_is("b", "+50.00%", VERDICT_ONE_RUN);
	ck_assert_int_eq(compare_fails(&compare, "a>+5%", &diag), 1);
	ck_assert_int_eq(compare_fails(&compare, "a<-5%", &diag), 0);
	ck_assert_int_eq(compare_fails(&compare, "b>49%", &diag), 1);
	ck_assert_int_eq(compare_fails(&compare, "b>51%", &diag), 0);
	ck_assert_int_eq(compare_fails(&compare, "zero>+5%", &diag), 0);
	ck_assert_int_eq(compare_fails(&compare, "zero>-5%", &diag), 1);
	ck_assert_int_eq(compare_fails(&compare, "worse", &diag), -ERR_USAGE);
	ck_assert_ptr_nonnull(strstr(diag.text, "two runs a side"));
	ck_assert_int_eq(compare_fails(&compare, "none>+5%", &diag), -ERR_NOT_FOUND);
	ck_assert_int_eq(compare_fails(&compare, "a>5", &diag), -ERR_USAGE);
	ck_assert_int_eq(compare_fails(&compare, "a=5%", &diag), -ERR_USAGE);
	ck_assert_int_eq(compare_fails(&compare, ">5%", &diag), -ERR_USAGE);
	ck_assert_int_eq(compare_fails(&compare, "a>%", &diag), -ERR_USAGE);
	ck_assert_int_eq(compare_fails(&compare, "a>nan%", &diag), -ERR_USAGE);
	ck_assert_int_eq(compare_fails(&compare, "", &diag), -ERR_USAGE);
}
END_TEST

START_TEST(derived_sums_and_division)
{
	static const char *const sums[] = { "scans=pgscan_kswapd+pgscan_direct" };
	static const char *const only[] = { "kswapd_*", "direct_*" };
	struct compare_opts opts = {
		.sums = sums, .nr_sums = 1, .only = only, .nr_only = 2, .per = "pgfault",
	};
	struct diag diag;

	compare_init(&compare, &opts);
	run(COMPARE_BASE, "pgscan_kswapd", 200.0, "pgscan_direct", 50.0, "pgsteal_kswapd", 150.0,
	    "pgsteal_direct", 10.0, "pgfault", 10.0, NULL);
	run(COMPARE_PATCH, "pgscan_kswapd", 100.0, "pgscan_direct", 100.0, "pgsteal_kswapd", 90.0,
	    "pgsteal_direct", 60.0, "pgfault", 20.0, NULL);
	evaluate();
	ck_assert_uint_eq(compare.nr_rows, 4);
	ck_assert(compare_find(&compare, "kswapd_efficiency_pct")->samples[0].mean == 75);
	ck_assert(compare_find(&compare, "direct_efficiency_pct")->samples[1].mean == 60);
	ck_assert(compare_find(&compare, "direct_scans_pct")->samples[0].mean == 20);
	/* an amount is divided, a percentage is not */
	ck_assert(compare_find(&compare, "scans")->samples[0].mean == 25);
	ck_assert(compare_find(&compare, "scans")->samples[1].mean == 10);
	compare_release(&compare);

	opts.per = "pgmajfault";
	compare_init(&compare, &opts);
	run(COMPARE_BASE, "pgscan_kswapd", 1.0, NULL);
	run(COMPARE_PATCH, "pgscan_kswapd", 1.0, NULL);
	ck_assert_int_eq(compare_evaluate(&compare, &diag), -ERR_NOT_FOUND);
	ck_assert(strstr(diag.text, "pgmajfault"));
	compare_release(&compare);

	opts.per = NULL;
	compare_init(&compare, &opts);
	run(COMPARE_BASE, "pgscan_kswapd", 1.0, NULL);
	run(COMPARE_PATCH, "pgscan_kswapd", 1.0, NULL);
	ck_assert_int_eq(compare_evaluate(&compare, &diag), -ERR_NOT_FOUND);
	ck_assert(strstr(diag.text, "scans=pgscan_kswapd+pgscan_direct"));
}
END_TEST

START_TEST(conditions)
{
	struct compare_condition *all;
	int i, nr;

	compare_init(&compare, &defaults);
	load(COMPARE_BASE, "tests/compare/e5-classic.txt");
	load(COMPARE_PATCH, "tests/compare/e5-mglru.txt");
	evaluate();
	nr = compare_conditions(&compare, &all);
	ck_assert_int_eq(nr, 3);
	for (i = 0; i < nr; i++) {
		ck_assert_int_eq(all[i].differs, !strcmp(all[i].key, "LRU"));
		if (all[i].differs) {
			ck_assert_str_eq(all[i].values[COMPARE_BASE], "classic");
			ck_assert_str_eq(all[i].values[COMPARE_PATCH], "MGLRU");
		}
	}
	free(all);
	/* a run that states nothing makes all of them differ */
	load(COMPARE_PATCH, "tests/compare/e1-before.txt");
	nr = compare_conditions(&compare, &all);
	for (i = 0; i < nr; i++)
		ck_assert(all[i].differs);
	free(all);
}
END_TEST

/* A recording: 64 folios are protected, one by one or as a bulk move logs it. */
static const char *record(bool is_bulk, const char *swap, bool is_lossy)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct gen *gen = gen_new(&opts);
	struct gen_cpu *cpu = gen_cpu(gen, 0, 0);
	const char *path = tmp_path();
	struct event ev = ev_state(STATE_ONLINE, 3, 0);
	char text[80];
	unsigned i;

	gen_event(cpu, &ev);
	snprintf(text, sizeof(text), "folioscope: swap device: %s\n", swap);
	ev = ev_new(EV_MARKER);
	ev.u.marker.text = text;
	ev.u.marker.len_bytes = strlen(text);
	gen_event(cpu, &ev);
	for (i = 0; i < 64; i++) {
		ev = ev_add(3, 100 + i, 0, false);
		gen_event(cpu, &ev);
	}
	for (i = 0; i < 64; i++) {
		ev = ev_move(3, 100 + (is_bulk ? 63 - i : i), 0, 1, SITE_SORT_PROTECTED, true);
		gen_event(cpu, &ev);
	}
	ev = ev_scan(3);
	gen_event(cpu, &ev);
	if (is_lossy) {
		gen_lost(cpu, 5);
		ev = ev_scan(3);
		gen_event(cpu, &ev);
	}
	gen_write(gen, path);
	gen_free(gen);
	return path;
}

START_TEST(recordings)
{
	struct compare_condition *all;
	const struct compare_row *row;
	unsigned side, i, nr_swap = 0;
	int nr;

	compare_init(&compare, &defaults);
	for (i = 0; i < 3; i++) {
		load(COMPARE_BASE, record(false, "zram", false));
		load(COMPARE_PATCH, record(true, "ramdisk", false));
	}
	for (side = 0; side < COMPARE_NR_SIDES; side++)
		for (i = 0; i < 3; i++)
			ck_assert_int_eq(compare.runs[side][i].status, STATUS_OK);
	evaluate();
	row = compare_find(&compare, "v1_reversed_pct.sort_protected");
	ck_assert(row->samples[COMPARE_BASE].mean == 100);
	ck_assert(row->samples[COMPARE_PATCH].mean == 0);
	row_is("v1_reversed_pct.sort_protected", "-100.00%", VERDICT_NONE);
	/* three runs a side, all alike: 2 / choose(6, 3) is not below 5 % */
	ck_assert(fabs(row->change.p - 0.1) < 1e-12);
	row_is("v1_moves.sort_protected", "+0.00%", VERDICT_SAME);
	/* all 64 are still there */
	row_is("lives.file", "+0.00%", VERDICT_SAME);
	ck_assert(compare_find(&compare, "lives.file")->samples[0].mean == 64);
	ck_assert(compare.survival[TYPE_FILE].is_valid);
	ck_assert(!compare.survival[TYPE_FILE].has_logrank);	/* no event */
	nr = compare_conditions(&compare, &all);
	for (i = 0; i < (unsigned)nr; i++) {
		if (strcmp(all[i].key, "swap device")) {
			ck_assert_msg(!all[i].differs, "%s", all[i].key);
			continue;
		}
		nr_swap++;
		ck_assert(all[i].differs);
		ck_assert_str_eq(all[i].values[COMPARE_BASE], "zram");
		ck_assert_str_eq(all[i].values[COMPARE_PATCH], "ramdisk");
	}
	ck_assert_uint_eq(nr_swap, 1);
	free(all);
}
END_TEST

/* What one run lost may be all the difference there is. */
START_TEST(lossy_recordings)
{
	struct compare_opts opts = { 0 };
	const struct compare_row *row;
	double min, max;
	struct diag diag;
	unsigned i;

	opts.higher = (const char *const[]){ "v1_*" };
	opts.nr_higher = 1;
	opts.only = (const char *const[]){ "v1_reversed_pct.*", "v1_moves.*" };
	opts.nr_only = 2;
	compare_init(&compare, &opts);
	for (i = 0; i < 4; i++) {
		load(COMPARE_BASE, record(false, "zram", false));
		load(COMPARE_PATCH, record(true, "zram", i == 2));
		ck_assert_int_eq(compare.runs[COMPARE_PATCH][i].status,
				 i == 2 ? STATUS_LOSSY : STATUS_OK);
	}
	evaluate();
	row = compare_find(&compare, "v1_reversed_pct.sort_protected");
	ck_assert(row->samples[COMPARE_BASE].mean == 100);
	ck_assert(row->samples[COMPARE_PATCH].mean == 0);
	row_is("v1_reversed_pct.sort_protected", "-100.00%", VERDICT_LOSSY);
	row_is("v1_moves.sort_protected", "+0.00%", VERDICT_SAME);
	ck_assert(!row->is_tested);
	ck_assert(compare.survival[TYPE_FILE].is_lossy);
	ck_assert(compare_span(&compare, COMPARE_PATCH, "lost_events", &min, &max));
	ck_assert(min == 0 && max == 5);
	ck_assert_int_eq(compare_fails(&compare, "worse", &diag), COMPARE_UNKNOWN);
	ck_assert_int_eq(compare_fails(&compare, "v1_reversed_pct.sort_protected<-5%", &diag),
			 COMPARE_UNKNOWN);
	compare_release(&compare);

	/* the same runs, whole: it is a verdict */
	compare_init(&compare, &opts);
	for (i = 0; i < 4; i++) {
		load(COMPARE_BASE, record(false, "zram", false));
		load(COMPARE_PATCH, record(true, "zram", false));
	}
	evaluate();
	row_is("v1_reversed_pct.sort_protected", "-100.00%", VERDICT_WORSE);
	ck_assert_int_eq(compare_fails(&compare, "worse", &diag), COMPARE_HOLDS);
}
END_TEST

/*
 * Simulated tables of NR_SIM_ROWS rows, each with noise of its own shape.
 */
#define NR_SIM_ROWS 10

static double noise(struct stats_random *random, unsigned row)
{
	double normal = stats_random_normal(random);

	switch (row % 3) {
	case 0:
		return 1000 + 30 * normal;
	case 1:
		return 1000 * exp(0.3 * normal);	/* skewed */
	default:
		return rint(50 + 7 * normal);		/* small counts, with ties */
	}
}

/* @effect is added to row 0 of the patch, whose standard deviation is 30. */
static void simulate(struct stats_random *random, unsigned nr_runs, double effect,
		     const struct compare_opts *opts)
{
	unsigned side, i, k;

	compare_init(&compare, opts);
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		for (i = 0; i < nr_runs; i++) {
			struct counterfile file = { 0 };

			for (k = 0; k < NR_SIM_ROWS; k++) {
				char name[16];

				snprintf(name, sizeof(name), "row%u", k);
				counterfile_set(&file, name,
						noise(random, k) + (side && !k ? effect : 0));
			}
			compare_add_counters(&compare, side, "simulated", &file);
			counterfile_release(&file);
		}
	}
	evaluate();
}

static bool is_claim(const struct compare_row *row)
{
	return row->verdict == VERDICT_BETTER || row->verdict == VERDICT_WORSE ||
	       row->verdict == VERDICT_HIGHER || row->verdict == VERDICT_LOWER;
}

static unsigned nr_claims(void)
{
	unsigned i, nr = 0;

	for (i = 0; i < compare.nr_rows; i++)
		nr += is_claim(&compare.rows[i]);
	return nr;
}

/* A against A: at most 5 % of the tables may claim anything. */
START_TEST(simulated_same)
{
	struct stats_random random = { .state = 42 };
	struct compare_opts opts = defaults;
	unsigned i, nr_false = 0, nr_tables = _i == COMPARE_WELCH ? 2000 : 300;

	opts.method = _i;
	opts.nr_resamples = 999;
	for (i = 0; i < nr_tables; i++) {
		opts.seed = i;
		simulate(&random, 5, 0, &opts);
		nr_false += nr_claims() > 0;
		compare_release(&compare);
	}
	ck_assert_msg(nr_false <= nr_tables * 0.05, "%u of %u tables", nr_false, nr_tables);
	fprintf(stderr, "# simulated A against A: %u of %u tables claim something\n", nr_false,
		nr_tables);
}
END_TEST

/*
 * What the tool says it could have shown (power 80 %), it shows: the mean of what
 * it says of row 0 in tables without an effect is planted in others.
 */
START_TEST(simulated_effect)
{
	static const unsigned nr_runs[] = { 5, 10, 18 };
	struct stats_random random = { .state = 7 };
	unsigned nr = nr_runs[_i], i, nr_found = 0, nr_tables = 1500, nr_stated = 200;
	double effect = 0, stated;

	for (i = 0; i < nr_stated; i++) {
		simulate(&random, nr, 0, &defaults);
		ck_assert(compare_detectable(&compare, compare_find(&compare, "row0"), &stated));
		effect += stated / nr_stated;
		compare_release(&compare);
	}
	/* not far from the textbook's, for a pooled t test with a known spread */
	stated = 30 * sqrt(2.0 / nr) * stats_detectable(2 * nr - 2, 0.05 / NR_SIM_ROWS, 0.8);
	ck_assert_msg(effect > 0.95 * stated && effect < 1.25 * stated, "%g against %g", effect,
		      stated);
	for (i = 0; i < nr_tables; i++) {
		simulate(&random, nr, effect, &defaults);
		nr_found += is_claim(compare_find(&compare, "row0"));
		compare_release(&compare);
	}
	/* three standard errors of 1500 draws are 3.1 % */
	ck_assert_msg(nr_found >= nr_tables * 0.769 && nr_found <= nr_tables * 0.87,
		      "found %u of %u, effect %g against %g", nr_found, nr_tables, effect, stated);
	fprintf(stderr, "# N=%u: effect %g (textbook %g) found in %u of %u tables\n", nr, effect,
		stated, nr_found, nr_tables);
}
END_TEST

/*
 * Ten real runs of one condition, and the ways to split them into five against five: a
 * bit of *@set for each run, 0 before the first.
 */
#define NR_RUNS 10

static void read_runs(struct counterfile files[NR_RUNS])
{
	struct diag diag;
	unsigned i;

	for (i = 0; i < NR_RUNS; i++) {
		char path[64];

		snprintf(path, sizeof(path), "tests/compare/aa/mixed-%u.txt", i + 1);
		ck_assert_msg(!counterfile_read(&files[i], NULL, path, &diag), "%s", diag.text);
	}
}

static void release_runs(struct counterfile files[NR_RUNS])
{
	unsigned i;

	for (i = 0; i < NR_RUNS; i++)
		counterfile_release(&files[i]);
}

static bool next_split(unsigned *set)
{
	do
		++*set;
	while (*set < 1 << NR_RUNS &&
	       (__builtin_popcount(*set) != NR_RUNS / 2 || !(*set & 1)));
	return *set < 1 << NR_RUNS;
}

/* Split in all 126 ways: at most 5 % of the tables may claim anything. */
START_TEST(real_same)
{
	unsigned set, i, nr_tables = 0, nr_false = 0;
	struct compare_opts opts = defaults;
	struct counterfile files[NR_RUNS] = { 0 };

	opts.method = _i;
	opts.nr_resamples = 999;
	read_runs(files);
	for (set = 0; next_split(&set);) {
		compare_init(&compare, &opts);
		for (i = 0; i < NR_RUNS; i++)
			compare_add_counters(&compare, set >> i & 1, "run", &files[i]);
		evaluate();
		nr_tables++;
		nr_false += nr_claims() > 0;
		compare_release(&compare);
	}
	release_runs(files);
	ck_assert_uint_eq(nr_tables, 126);
	ck_assert_msg(nr_false <= 6, "%u of 126 tables", nr_false);
	fprintf(stderr, "# real A against A: %u of 126 tables claim something\n", nr_false);
}
END_TEST

/* The counterpart: the same runs with 10 % added to one row of one side. */
START_TEST(real_with_effect)
{
	unsigned set, i, nr_tables = 0, nr_found = 0;
	struct counterfile files[NR_RUNS] = { 0 };
	double value;

	read_runs(files);
	for (set = 0; next_split(&set);) {
		compare_init(&compare, &defaults);
		for (i = 0; i < NR_RUNS; i++) {
			double factor = set >> i & 1 ? 1.1 : 1;

			ck_assert(counterfile_find(&files[i], "pgfault", &value));
			counterfile_set(&files[i], "pgfault", value * factor);
			compare_add_counters(&compare, set >> i & 1, "run", &files[i]);
			counterfile_set(&files[i], "pgfault", value);
		}
		evaluate();
		nr_tables++;
		nr_found += compare_find(&compare, "pgfault")->verdict == VERDICT_HIGHER;
		compare_release(&compare);
	}
	release_runs(files);
	/* pgfault varies by 1 % from run to run: 10 % stand out in every split */
	ck_assert_uint_eq(nr_found, nr_tables);
}
END_TEST

Suite *compare_suite(void)
{
	Suite *suite = suite_create("compare");
	TCase *tc = tcase_create("rows");

	tcase_add_checked_fixture(tc, NULL, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, published_lazyfree);
	tcase_add_test(tc, published_bulk_aging);
	tcase_add_test(tc, published_classic);
	tcase_add_test(tc, directions_and_verdicts);
	tcase_add_test(tc, two_runs_may_not_be_enough);
	tcase_add_test(tc, change_from_zero);
	tcase_add_test(tc, derived_sums_and_division);
	tcase_add_test(tc, conditions);
	tcase_add_test(tc, recordings);
	tcase_add_test(tc, lossy_recordings);
	tcase_add_loop_test(tc, simulated_same, COMPARE_WELCH, COMPARE_BOOTSTRAP + 1);
	tcase_add_loop_test(tc, simulated_effect, 0, 3);
	tcase_add_loop_test(tc, real_same, COMPARE_WELCH, COMPARE_BOOTSTRAP + 1);
	tcase_add_test(tc, real_with_effect);
	suite_add_tcase(suite, tc);
	return suite;
}
