// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "compare-render.h"

static const char help[] =
	"Usage: folioscope compare [OPTION]... BASE... --with PATCH...\n"
	"Runs of a base against runs of a patch: change, interval, verdict per row.\n"
	"Each is a recording, its folder, or a counter file (lines \"name value\").\n"
	"\n"
	"      --with            what follows are runs of the patch\n"
	"      --only GLOB       only rows of this name; again for more\n"
	"      --sum NAME=a+b    one more row, the sum of others\n"
	"      --per NAME        divide amounts by each run's NAME, e.g. recorded_s\n"
	"      --lower GLOB, --higher GLOB  in these rows less, or more, is better\n"
	"      --differ KEY      this condition is meant to differ: no warning\n"
	"      --fail-if COND    exit 1 if 'NAME>+5%', 'NAME<-5%' or worse; again\n"
	"                        for more; worse needs two runs a side\n"
	"      --bootstrap       bootstrap-t intervals instead of Welch's\n"
	"      --seed N          of bootstrap and permutations (default 1)\n"
	"      --confidence P    percent (default 95)\n"
	"  -f, --format KIND     text, json or csv\n"
	"  -j, --threads N       threads to read with (default: all CPUs)\n"
	"      --stats           time, speed and memory of each, on standard error\n"
	"  -q, --quiet           no progress\n"
	"  -h, --help            this text\n"
	"\n"
	"Exit status: 0 ok, 1 failure or --fail-if, 2 usage, 3 done but a recording\n"
	"had losses or contradictions, 4 a file cannot be read.\n";

enum {
	OPT_WITH = OPT_COMMAND,
	OPT_ONLY,
	OPT_SUM,
	OPT_PER,
	OPT_LOWER,
	OPT_HIGHER,
	OPT_DIFFER,
	OPT_FAIL_IF,
	OPT_BOOTSTRAP,
	OPT_SEED,
	OPT_CONFIDENCE,
};

/* Arguments of one kind, in the order given. */
struct list {
	const char **texts;
	unsigned nr;
};

static void list_add(struct list *list, const char *text)
{
	list->texts[list->nr++] = text;
}

struct arguments {
	struct cmd_read_opts read;
	struct compare_opts compare;
	struct list sides[COMPARE_NR_SIDES];
	struct list only, sums, lower, higher, differ, fail_if;
	enum cmd_format format;
	bool is_help;
};

static bool parse_percent(const char *text, double *ret)
{
	char *rest;

	*ret = strtod(text, &rest) / 100;
	if (rest == text || (*rest && strcmp(rest, "%")))
		return false;
	return *ret >= 0.5 && *ret < 1;
}

/* Returns 0, or STATUS_USAGE after a message. */
static int parse(struct arguments *args, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "threads", required_argument, NULL, 'j' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "stats", no_argument, NULL, OPT_STATS },
		{ "format", required_argument, NULL, 'f' },
		{ "with", no_argument, NULL, OPT_WITH },
		{ "only", required_argument, NULL, OPT_ONLY },
		{ "sum", required_argument, NULL, OPT_SUM },
		{ "per", required_argument, NULL, OPT_PER },
		{ "lower", required_argument, NULL, OPT_LOWER },
		{ "higher", required_argument, NULL, OPT_HIGHER },
		{ "differ", required_argument, NULL, OPT_DIFFER },
		{ "fail-if", required_argument, NULL, OPT_FAIL_IF },
		{ "bootstrap", no_argument, NULL, OPT_BOOTSTRAP },
		{ "seed", required_argument, NULL, OPT_SEED },
		{ "confidence", required_argument, NULL, OPT_CONFIDENCE },
		{ NULL, 0, NULL, 0 },
	};
	enum compare_side side = COMPARE_BASE;
	bool has_with = false;
	int opt, ret;

	/* "-": files are delivered in order, as the argument of option 1 */
	while ((opt = getopt_long(argc, argv, "-hj:qf:", options, NULL)) != -1) {
		switch (opt) {
		case 1:
			list_add(&args->sides[side], optarg);
			break;
		case OPT_WITH:
			if (has_with)
				return cmd_usage_error("compare", "--with is given twice");
			has_with = true;
			side = COMPARE_PATCH;
			break;
		case 'h':
			args->is_help = true;
			return 0;
		case 'f':
			ret = cmd_format("compare", optarg,
					 1u << CMD_TEXT | 1u << CMD_JSON | 1u << CMD_CSV,
					 &args->format);
			if (ret)
				return ret;
			break;
		case OPT_ONLY:
			list_add(&args->only, optarg);
			break;
		case OPT_SUM:
			list_add(&args->sums, optarg);
			break;
		case OPT_PER:
			args->compare.per = optarg;
			break;
		case OPT_LOWER:
			list_add(&args->lower, optarg);
			break;
		case OPT_HIGHER:
			list_add(&args->higher, optarg);
			break;
		case OPT_DIFFER:
			list_add(&args->differ, optarg);
			break;
		case OPT_FAIL_IF:
			list_add(&args->fail_if, optarg);
			break;
		case OPT_BOOTSTRAP:
			args->compare.method = COMPARE_BOOTSTRAP;
			break;
		case OPT_SEED:
			if (!cmd_number(optarg, &args->compare.seed))
				return cmd_usage_error("compare", "'%s' is not a number", optarg);
			break;
		case OPT_CONFIDENCE:
			if (!parse_percent(optarg, &args->compare.confidence))
				return cmd_usage_error("compare",
						       "--confidence takes a percentage from 50 to "
						       "below 100, not '%s'", optarg);
			break;
		default:
			ret = cmd_read_option(&args->read, "compare", opt);
			if (ret)
				return ret;
		}
	}
	while (optind < argc)
		list_add(&args->sides[side], argv[optind++]);
	if (!args->sides[COMPARE_BASE].nr)
		return cmd_usage_error("compare", "no run of the base is given");
	if (!args->sides[COMPARE_PATCH].nr)
		return cmd_usage_error("compare",
				       has_with ? "no run of the patch is given" :
						  "--with and the patch's runs are missing");
	args->compare.only = args->only.texts;
	args->compare.nr_only = args->only.nr;
	args->compare.sums = args->sums.texts;
	args->compare.nr_sums = args->sums.nr;
	args->compare.lower = args->lower.texts;
	args->compare.nr_lower = args->lower.nr;
	args->compare.higher = args->higher.texts;
	args->compare.nr_higher = args->higher.nr;
	return 0;
}

static int render(const struct compare *compare, const struct arguments *args,
		  const struct compare_failure *failures)
{
	switch (args->format) {
	case CMD_JSON:
		return compare_render_json(compare, failures, args->fail_if.nr, stdout);
	case CMD_CSV:
		compare_render_csv(compare, stdout);
		return 0;
	default:
		return compare_render_text(compare, args->differ.texts, args->differ.nr, stdout);
	}
}

/* Returns the exit status. */
static int run(struct compare *compare, const struct arguments *args,
	       struct compare_failure *failures)
{
	int status = STATUS_OK;
	bool failed = false;
	unsigned side, i;
	struct diag diag;

	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		for (i = 0; i < args->sides[side].nr; i++) {
			if (compare_add(compare, side, args->sides[side].texts[i],
					&args->read.pipeline, &diag))
				return cmd_fail(&diag);
			if (compare->runs[side][i].status)
				status = compare->runs[side][i].status;
		}
	}
	if (compare_evaluate(compare, &diag))
		return cmd_fail(&diag);
	for (i = 0; i < args->fail_if.nr; i++) {
		int ret = compare_fails(compare, args->fail_if.texts[i], &diag);

		if (ret == -ERR_USAGE)
			return cmd_usage_error("compare", "%s", diag.text);
		if (ret < 0)
			return cmd_fail(&diag);
		failures[i] = (struct compare_failure){ args->fail_if.texts[i], ret };
		failed |= ret == COMPARE_HOLDS;
	}
	if (render(compare, args, failures)) {
		diag_set(&diag, ERR_NOMEM, "compare: %s", err_text(ERR_NOMEM));
		return cmd_fail(&diag);
	}
	for (i = 0; i < args->fail_if.nr; i++)
		if (failures[i].answer != COMPARE_HOLDS_NOT)
			fprintf(stderr, "folioscope compare: %s: %s\n",
				failures[i].answer == COMPARE_HOLDS ?
					"failed" :
					"cannot be told, data was lost, damaged or contradictory",
				failures[i].text);
	for (side = 0; side < COMPARE_NR_SIDES; side++)
		for (i = 0; i < compare->nr_runs[side]; i++)
			if (compare->runs[side][i].status == STATUS_LOSSY)
				fprintf(stderr, "folioscope compare: %s: events lost, damaged or "
						"contradictory: see folioscope check\n",
					compare->runs[side][i].path);
	return failed ? STATUS_FAILED : status;
}

int cmd_compare(int argc, char **argv)
{
	struct arguments args = { .compare = { .seed = 1 } };
	struct list *lists[] = { &args.sides[0], &args.sides[1], &args.only,   &args.sums,
				 &args.lower,	 &args.higher,	 &args.differ, &args.fail_if };
	const unsigned nr_lists = sizeof(lists) / sizeof(lists[0]);
	struct compare_failure *failures = calloc(argc + 1, sizeof(*failures));
	const char **texts = calloc(nr_lists * (argc + 1), sizeof(*texts));
	struct compare compare;
	int status = STATUS_FAILED;
	struct diag diag;
	unsigned i;

	if (!texts || !failures) {
		diag_set(&diag, ERR_NOMEM, "compare: %s", err_text(ERR_NOMEM));
		status = cmd_fail(&diag);
		goto out;
	}
	for (i = 0; i < nr_lists; i++)
		lists[i]->texts = texts + i * (argc + 1);
	status = parse(&args, argc, argv);
	if (status)
		goto out;
	if (args.is_help) {
		fputs(help, stdout);
		status = cmd_finish(STATUS_OK);
		goto out;
	}
	compare_init(&compare, &args.compare);
	status = cmd_finish(run(&compare, &args, failures));
	compare_release(&compare);
out:
	free(texts);
	free(failures);
	return status;
}
