// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <string.h>

#include "cmd.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope report [OPTION]... [FILE]\n"
	"Say what was recorded, then lifetimes, order violations, lazyfree and refaults.\n"
	"\n"
	"      --only NAME    one part: lifetimes, order, lazyfree, refault, counters\n"
	"      --regret-gens N  V5: refaulted within N agings (default 1)\n"
	CMD_READ_HELP
	"\n"
	"Exit status: 0 ok, 1 failure, 2 usage, 3 done but events were lost, damaged\n"
	"or contradictory, 4 the file cannot be read.\n";

enum { OPT_ONLY = OPT_COMMAND, OPT_REGRET_GENS };

static const struct analysis_ops *find(const char *name)
{
	unsigned i;

	for (i = 0; analyses[i]; i++)
		if (!strcmp(analyses[i]->name, name))
			return analyses[i];
	return NULL;
}

static void render_lruvecs(struct pipeline *p, FILE *out)
{
	uint32_t i, nr = model_nr_lruvecs(p->model), nr_complete = 0, nr_offline = 0;

	for (i = 0; i < nr; i++) {
		nr_complete += model_lruvec(p->model, i)->complete;
		nr_offline += model_lruvec(p->model, i)->offline;
	}
	fprintf(out, "lruvecs: %u seen, %u known completely, %u of removed memcgs\n", nr, nr_complete,
		nr_offline);
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "only", required_argument, NULL, OPT_ONLY },
		{ "regret-gens", required_argument, NULL, OPT_REGRET_GENS },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat" };
	const struct analysis_ops *only = NULL;
	struct pipeline p;
	struct diag diag;
	int opt, ret, status;
	unsigned i;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT, options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case OPT_ONLY:
			only = find(optarg);
			if (!only)
				return cmd_usage_error("report", "no part is called '%s'", optarg);
			break;
		case OPT_REGRET_GENS:
			if (!cmd_number(optarg, &opts.pipeline.analysis.regret_gens))
				return cmd_usage_error("report", "'%s' is not a number", optarg);
			opts.pipeline.analysis.has_regret_gens = true;
			break;
		default:
			ret = cmd_read_option(&opts, "report", opt);
			if (ret)
				return ret;
		}
	}
	if (optind < argc)
		opts.path = argv[optind++];
	if (optind < argc)
		return cmd_usage_error("report", "one recording at a time");

	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag))
		return cmd_fail(&diag);
	ret = pipeline_run(&p, &diag);
	if (ret) {
		status = cmd_fail(&diag);
		pipeline_release(&p);
		return status;
	}
	if (!only) {
		cmd_render_recording(&p, stdout);
		render_lruvecs(&p, stdout);
	}
	pipeline_render_caveats(&p, stdout, only != NULL);
	for (i = 0; i < p.nr_analyses; i++) {
		if (only && analyses[i] != only)
			continue;
		text_heading(stdout, analyses[i]->title);
		analyses[i]->render(p.selfs[i], stdout);
	}
	status = pipeline_status(&p);
	pipeline_release(&p);
	return cmd_finish(status);
}
