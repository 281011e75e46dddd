// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <string.h>

#include "cmd.h"
#include "results.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope report [OPTION]... [FILE]\n"
	"Say what was recorded, then lifetimes, order violations, lazyfree and refaults.\n"
	"\n"
	"      --only NAME    one part: pictures, lifetimes, order, lazyfree, hitshield,\n"
	"                     refault, counters\n"
	"      --regret-gens N  V5: refaulted within N agings (default 1)\n"
	"  -f, --format KIND  text, json or csv\n"
	"      --explain      define every number instead, with unit and events\n"
	"      --schema       print the JSON schema of all documents instead\n"
	CMD_READ_HELP
	"\n"
	"Exit status: 0 ok, 1 failure, 2 usage, 3 done but events were lost, damaged\n"
	"or contradictory, 4 the file cannot be read.\n";

enum { OPT_ONLY = OPT_COMMAND, OPT_REGRET_GENS, OPT_EXPLAIN, OPT_SCHEMA };

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

static void render(struct pipeline *p, const struct analysis_ops *only, FILE *out)
{
	unsigned i;

	if (!only) {
		cmd_render_recording(p, out);
		render_lruvecs(p, out);
	}
	pipeline_render_caveats(p, out, only != NULL);
	for (i = 0; i < p->nr_analyses; i++) {
		if (only && analyses[i] != only)
			continue;
		text_heading(out, analyses[i]->title);
		analyses[i]->render(p->selfs[i], out);
	}
}

int cmd_report(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "only", required_argument, NULL, OPT_ONLY },
		{ "regret-gens", required_argument, NULL, OPT_REGRET_GENS },
		{ "format", required_argument, NULL, 'f' },
		{ "explain", no_argument, NULL, OPT_EXPLAIN },
		{ "schema", no_argument, NULL, OPT_SCHEMA },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat" };
	const struct analysis_ops *only = NULL;
	struct tables tables = { 0 };
	struct pipeline p;
	enum cmd_format format = CMD_TEXT;
	bool explain = false;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "f:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case OPT_ONLY:
			only = find(optarg);
			if (!only)
				return cmd_usage_error("report", "no part is called '%s'", optarg);
			break;
		case 'f':
			ret = cmd_format("report", optarg,
					 1u << CMD_TEXT | 1u << CMD_JSON | 1u << CMD_CSV,
					 &format);
			if (ret)
				return ret;
			break;
		case OPT_EXPLAIN:
			explain = true;
			break;
		case OPT_SCHEMA:
			results_schema(stdout);
			return cmd_finish(STATUS_OK);
		case OPT_REGRET_GENS:
			ret = cmd_regret_gens("report", optarg, &opts.pipeline.analysis);
			if (ret)
				return ret;
			break;
		default:
			ret = cmd_read_option(&opts, "report", opt);
			if (ret)
				return ret;
		}
	}
	ret = cmd_one_recording("report", argc, argv, &opts);
	if (ret)
		return ret;
	if (explain) {
		results_explain(stdout, only);
		return cmd_finish(STATUS_OK);
	}
	ret = cmd_read(&p, &opts);
	if (ret)
		return ret;
	status = pipeline_status(&p);
	if (format == CMD_TEXT) {
		render(&p, only, stdout);
	} else {
		results_tables(&p, &tables, only);
		status = cmd_render_tables(&p, "report", &tables, format, status);
	}
	pipeline_release(&p);
	return cmd_finish(status);
}
