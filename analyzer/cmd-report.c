// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <string.h>

#include "cmd.h"
#include "results.h"
#include "stock.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope report [OPTION]... [FILE]\n"
	"Say what was recorded, then lifetimes, violations, lazyfree, refaults.\n"
	"\n"
	"A recording without lru_gen events: what its stock events tell.\n"
	"\n"
	"      --only NAME    one part: pictures, lifetimes, order, lazyfree,\n"
	"                     hitshield, refault, counters; or stock: its events\n"
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
	fprintf(out, "lruvecs: %u seen, %u known completely, %u of removed memcgs\n", nr,
		nr_complete, nr_offline);
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

/*
 * the stock events
 */

struct stock_reader {
	struct stock *stock;
	bool out_of_memory;
};

static void on_stock_event(void *self, const struct event *ev)
{
	struct stock_reader *s = self;

	s->out_of_memory |= stock_event(s->stock, ev) != 0;
}

static bool has_stock_events(struct pipeline *p)
{
	const struct reader_totals *totals = reader_totals(p->reader);
	unsigned kind;

	for (kind = 0; kind < EV_NR; kind++)
		if (stock_is_event(kind) && totals->nr_by_kind[kind])
			return true;
	return false;
}

/* What is known of @p, which was read with the hook on_stock_event(). */
static int render_stock(struct pipeline *p, const struct stock *stock, enum cmd_format format)
{
	int status = pipeline_status(p);
	struct tables tables = { 0 };

	if (format != CMD_TEXT) {
		results_quality(p, &tables);
		stock_tables(stock, &tables);
		return cmd_render_tables(p, "stock", &tables, format, status);
	}
	cmd_render_recording(p, stdout);
	pipeline_render_caveats(p, stdout, true);
	if (status == STATUS_OK)
		puts("lost events: none");
	stock_render(stock, stdout);
	return status;
}

static int report_stock(const struct cmd_read_opts *opts, enum cmd_format format)
{
	struct pipeline_opts pipeline_opts = opts->pipeline;
	struct stock_reader s = { .stock = stock_new() };
	struct pipeline p;
	struct diag diag;
	int ret, status;

	pipeline_opts.no_model = true;
	if (!s.stock) {
		diag_set(&diag, ERR_NOMEM, "%s: %s", opts->path, err_text(ERR_NOMEM));
		return cmd_fail(&diag);
	}
	ret = pipeline_open(&p, opts->path, &pipeline_opts, &diag);
	if (ret) {
		stock_free(s.stock);
		return cmd_fail(&diag);
	}
	p.hook_self = &s;
	p.on_event = on_stock_event;
	ret = pipeline_run(&p, &diag);
	if (!ret && s.out_of_memory)
		ret = diag_set(&diag, ERR_NOMEM, "%s: %s", opts->path, err_text(ERR_NOMEM));
	if (!ret && !p.stopped && !has_stock_events(&p))
		ret = diag_set(&diag, ERR_NO_EVENTS, "%s: none of the stock events that are known",
			       opts->path);
	stock_finish(s.stock, p.last_ts_ns);
	status = ret ? cmd_fail(&diag) : render_stock(&p, s.stock, format);
	pipeline_release(&p);
	stock_free(s.stock);
	return status;
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
	bool explain = false, only_stock = false;
	struct diag diag;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "f:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case OPT_ONLY:
			only = find(optarg);
			only_stock = !strcmp(optarg, "stock");
			if (!only && !only_stock)
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
		results_explain(stdout, only_stock ? stock_defs : only ? only->defs : NULL);
		return cmd_finish(STATUS_OK);
	}
	if (only_stock)
		return cmd_finish(report_stock(&opts, format));
	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag))
		return cmd_fail(&diag);
	ret = pipeline_run(&p, &diag);
	if (ret) {
		bool is_stock = ret == -ERR_NO_EVENTS && !only && has_stock_events(&p);

		pipeline_release(&p);
		return is_stock ? cmd_finish(report_stock(&opts, format)) : cmd_fail(&diag);
	}
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
