// SPDX-License-Identifier: GPL-2.0-only
/*
 * Losses put into recordings: loss-injection [options] FILE...
 * Damaged copies of one: loss-injection --whole FILE DAMAGED...
 *
 *	--injections N	how many in all (1000)
 *	--seed N	first seed (1)
 *	--histories N	also this many of 1 000 into simulated histories each (0)
 *	--salvage	scan for the data of damaged copies
 *
 * Prints how much is still known when how much is lost, and every claim that the
 * whole recording contradicts; exit status is 1 then.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lossy.h"

/* By the part that was lost. */
static const double limits[] = { 0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1.01 };
#define NR_LIMITS (sizeof(limits) / sizeof(limits[0]))

struct bin {
	unsigned nr;
	double lost, doubted, ends, lives, refaults, v1, v3;
};

static struct bin bins[LOSS_NR][NR_LIMITS];
static uint64_t nr_false, nr_births_differ, nr_lives, nr_injections;

static double part(uint64_t kept, uint64_t whole)
{
	return whole ? (double)kept / whole : 1;
}

static void inject(const struct whole *w, const char *name, unsigned kind, uint64_t seed)
{
	struct claims whole = whole_claims(w);
	struct loss_outcome o;
	struct bin *bin;
	unsigned i = 0;

	loss_inject(&o, w, kind, seed);
	nr_injections++;
	nr_births_differ += o.nr_births_differ;
	nr_lives += o.claims.nr_lives;
	if (!o.ok) {
		nr_false += o.nr_false;
		printf("%s, %s, seed %" PRIu64 ": %" PRIu64 " false: %s\n", name,
		       loss_kind_name(kind), seed, o.nr_false, o.text);
	}
	while (part(o.nr_dropped, whole.nr_events) > limits[i])
		i++;
	bin = &bins[kind][i];
	bin->nr++;
	bin->lost += part(o.nr_dropped, whole.nr_events);
	bin->doubted += part(o.nr_in_loss, whole.nr_events);
	bin->ends += part(o.claims.nr_ends, whole.nr_ends);
	bin->lives += part(o.claims.nr_lives, whole.nr_lives);
	bin->refaults += part(o.claims.nr_refaults, whole.nr_refaults);
	bin->v1 += part(o.claims.nr_v1_pairs, whole.nr_v1_pairs);
	bin->v3 += part(o.claims.nr_v3, whole.nr_v3);
}

static void print_row(const char *name, const struct bin *bin)
{
	printf("%-12s %5u %8.2f%% %8.1f%% %8.1f%% %8.1f%% %8.1f%% %8.1f%% %8.1f%%\n", name, bin->nr,
	       100 * bin->lost / bin->nr, 100 * bin->doubted / bin->nr, 100 * bin->ends / bin->nr,
	       100 * bin->lives / bin->nr, 100 * bin->refaults / bin->nr, 100 * bin->v1 / bin->nr,
	       100 * bin->v3 / bin->nr);
}

static void print_table(void)
{
	unsigned kind, i;

	printf("%-12s %5s %9s %9s %9s %9s %9s %9s %9s\n", "losses", "runs", "lost", "in doubt",
	       "ends", "lives", "refaults", "V1 pairs", "V3");
	for (kind = 0; kind < LOSS_NR; kind++)
		for (i = 0; i < NR_LIMITS; i++)
			if (bins[kind][i].nr)
				print_row(loss_kind_name(kind), &bins[kind][i]);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "loss-injection: %s: not a number\n", text);
		exit(2);
	}
	return value;
}

/* What is claimed of each of the @nr damaged copies of @whole_path. */
static int judge_copies(const char *whole_path, bool salvage, char *const *paths, int nr)
{
	const struct reader_opts opts = { .salvage = salvage };
	struct loss_outcome o;
	struct whole w;
	struct diag diag;
	int i;

	if (whole_of_file(&w, whole_path, &diag) < 0) {
		fprintf(stderr, "loss-injection: %s\n", diag.text);
		return 1;
	}
	for (i = 0; i < nr; i++) {
		if (loss_of_file(&o, &w, paths[i], &opts, &diag) < 0) {
			printf("%s: not read: %s\n", paths[i], diag.text);
			continue;
		}
		nr_false += o.nr_false;
		printf("%s: %" PRIu64 " events missing, %" PRIu64 " losses, %" PRIu64
		       " in doubt, %" PRIu64 " false claims%s%s\n",
		       paths[i], o.nr_dropped, o.nr_losses, o.nr_in_loss, o.nr_false,
		       o.ok ? "" : ": ", o.text);
	}
	whole_release(&w);
	return nr_false ? 1 : 0;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "injections", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 's' },
		{ "histories", required_argument, NULL, 'h' },
		{ "whole", required_argument, NULL, 'w' },
		{ "salvage", no_argument, NULL, 'S' },
		{ NULL, 0, NULL, 0 },
	};
	static struct sim_script script;
	const char *whole_path = NULL;
	bool salvage = false;
	uint64_t nr = 1000, seed = 1, nr_histories = 0, i, k;
	struct whole w;
	struct diag diag;
	int opt, file;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'n':
			nr = number(optarg);
			break;
		case 's':
			seed = number(optarg);
			break;
		case 'h':
			nr_histories = number(optarg);
			break;
		case 'w':
			whole_path = optarg;
			break;
		case 'S':
			salvage = true;
			break;
		default:
			return 2;
		}
	}
	if (whole_path)
		return judge_copies(whole_path, salvage, argv + optind, argc - optind);
	for (file = optind; file < argc; file++) {
		uint64_t here = nr * (file - optind + 1) / (argc - optind) -
				nr * (file - optind) / (argc - optind);

		if (whole_of_file(&w, argv[file], &diag) < 0) {
			fprintf(stderr, "loss-injection: %s\n", diag.text);
			return 1;
		}
		for (i = 0; i < here; i++)
			inject(&w, argv[file], i % LOSS_NR, seed + i);
		whole_release(&w);
	}
	for (k = 0; k < nr_histories; k++) {
		char name[40];
		struct sim *sim;

		sim_script_init(&script, seed + k, 200);
		sim = sim_play(&script);
		whole_of_sim(&w, sim);
		snprintf(name, sizeof(name), "history %" PRIu64, seed + k);
		for (i = 0; i < LOSS_NR; i++)
			inject(&w, name, i, seed + k);
		whole_release(&w);
		sim_free(sim);
	}
	print_table();
	printf("%" PRIu64 " injections, %" PRIu64 " false claims; of %" PRIu64
	       " lives seen from beginning to end %" PRIu64 " were put back, not new\n",
	       nr_injections, nr_false, nr_lives, nr_births_differ);
	return nr_false ? 1 : 0;
}
