// SPDX-License-Identifier: GPL-2.0-only
/*
 * folioscope export: two passes over the recording. The first gives the results
 * and counts what there is, so that the size can be estimated before anything is
 * written; the second writes.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "chosen.h"
#include "cmd.h"
#include "outfile.h"
#include "perfetto.h"
#include "pictures.h"
#include "results.h"
#include "samefile.h"
#include "sqlite.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope export [OPTION]... [FILE]\n"
	"Write a recording's folios, events and results for other programs.\n"
	"\n"
	"      --sqlite OUT   an SQLite database\n"
	"      --perfetto OUT  a trace for ui.perfetto.dev\n"
	"      --jsonl OUT    the lives of folios, an object per line\n"
	"      --csv DIR      a new folder: a CSV file per table, and of the lives\n"
	"      --no-events    SQLite: without the raw events\n"
	"      --lanes N      Perfetto: lanes for N folios (default 64, most 256)\n"
	"      --pfn N        Perfetto: a lane for this page frame; again for more\n"
	"      --max-output SIZE  refuse to write more, e.g. 2G (default 500M)\n"
	"      --estimate     say how large it would be and write nothing\n"
	CMD_READ_HELP
	"\n"
	"OUT is replaced if it exists; - is standard output. Exit status as of\n"
	"report.\n";

enum {
	OPT_SQLITE = OPT_COMMAND,
	OPT_PERFETTO,
	OPT_JSONL,
	OPT_CSV,
	OPT_NO_EVENTS,
	OPT_LANES,
	OPT_PFN,
	OPT_MAX_OUTPUT,
	OPT_ESTIMATE,
};

enum kind { KIND_NONE, KIND_SQLITE, KIND_PERFETTO, KIND_JSONL, KIND_CSV };

struct export {
	enum kind kind;
	const char *out;
	bool no_events, estimate;
	uint64_t max_bytes;
	unsigned nr_lanes;
	struct chosen chosen;
	struct tables tables;
	struct stat input;	/* as it was before the first pass */
	int first_status;	/* of the first pass */
	/* counted in the first pass */
	uint64_t nr_events, nr_lives, nr_spans, nr_violations, nr_steps, nr_slices;
	/* rows of lives, second pass */
	struct pipeline *p;
	FILE *file;
	/* the row being written, in memory */
	FILE *line;
	char *line_text;
	size_t line_bytes;
	struct tables row_tables;
	struct table *row;
	uint64_t nr_bytes;
	struct diag diag;
};

/* 500M, 2GiB, 1000000: SI and IEC are told apart. Returns false if it is none. */
static bool parse_size(const char *text, uint64_t *bytes)
{
	static const struct {
		const char *suffix;
		uint64_t factor;
	} units[] = {
		{ "", 1 },		 { "k", 1000 },		    { "K", 1000 },
		{ "M", 1000000 },	 { "G", 1000000000 },	    { "KiB", 1ull << 10 },
		{ "MiB", 1ull << 20 }, { "GiB", 1ull << 30 },
	};
	unsigned long long value;
	char *rest;
	unsigned i;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &rest, 10);
	for (i = 0; !errno && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(rest, units[i].suffix))
			continue;
		if (value > INT64_MAX / units[i].factor)
			return false;
		*bytes = value * units[i].factor;
		return true;
	}
	return false;
}

/*
 * the first pass
 */

static void count_change(void *self, const struct change *c)
{
	struct export *e = self;

	chosen_change(&e->chosen, c);
	switch (c->kind) {
	case CHANGE_END:
		e->nr_lives++;
		e->nr_spans += c->old_gen >= 0;
		break;
	case CHANGE_UPDATE:
	case CHANGE_LEAVE:
		e->nr_spans += c->old_gen >= 0;
		break;
	case CHANGE_MOVE:
		e->nr_spans += c->old_gen >= 0 && c->old_gen != c->new_gen;
		break;
	case CHANGE_LAZYFREE:
		e->nr_slices++;
		e->nr_steps++;
		break;
	case CHANGE_SCAN:
	case CHANGE_SEQ:
		e->nr_slices += 12;
		break;
	default:
		break;
	}
}

static void count_event(void *self, const struct event *ev)
{
	((struct export *)self)->nr_events += ev->kind >= EV_ADD && ev->kind <= EV_HITSHIELD;
}

static void count_violation(void *self, const struct violation *v)
{
	((struct export *)self)->nr_violations++;
}

static uint64_t nr_cells(const struct tables *tables)
{
	uint64_t nr = 0;
	unsigned i;

	for (i = 0; i < tables->nr; i++)
		nr += tables->tables[i].nr_cells;
	return nr;
}

/* Bytes per row as measured on recordings, rounded up. */
static uint64_t estimate(const struct export *e)
{
	switch (e->kind) {
	case KIND_SQLITE:
		return 100000 + e->nr_lives * 120 + e->nr_spans * 75 + e->nr_violations * 60 +
		       e->nr_steps * 60 + (e->no_events ? 0 : e->nr_events * 105) +
		       nr_cells(&e->tables) * 10;
	case KIND_PERFETTO:
		return 400000 + e->nr_slices * 40 + e->chosen.nr * 20000ull;
	case KIND_JSONL:
		return e->nr_lives * 360;
	case KIND_CSV:
		return e->nr_lives * 110 + nr_cells(&e->tables) * 10;
	default:
		return 0;
	}
}

/*
 * the second pass
 */

static void write_life(void *self, const struct change *c)
{
	struct export *e = self;
	struct lifetime row;
	struct json j;

	if (c->kind != CHANGE_END || e->diag.err)
		return;
	row = lifetime_from(c);
	results_life_row(e->p, e->row, &row);
	if (e->row_tables.out_of_memory) {
		diag_set(&e->diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
		return;
	}
	rewind(e->line);
	if (e->kind == KIND_JSONL) {
		json_init(&j, e->line, false);
		results_json_row(&j, e->row, 0);
	} else {
		results_csv_row(e->line, e->row, 0);
	}
	table_clear(e->row);
	if (fflush(e->line)) {
		diag_set(&e->diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
		return;
	}
	e->nr_bytes += e->line_bytes;
	if (e->nr_bytes > e->max_bytes)
		diag_set(&e->diag, ERR_WRITE, "takes more than %llu bytes; raise --max-output",
			 (unsigned long long)e->max_bytes);
	else if (fwrite(e->line_text, 1, e->line_bytes, e->file) != e->line_bytes)
		diag_set(&e->diag, ERR_WRITE, "%s", strerror(errno));
}

/* Half of a file looks like a whole one. */
static int interrupted(const struct pipeline *p, struct diag *diag)
{
	return diag_set(diag, ERR_INTERRUPTED, "%s: interrupted, nothing was written", p->path);
}

/* What the first pass counted and found must be of what the second one wrote. */
static int check_unchanged(const struct export *e, const char *path, struct diag *diag)
{
	struct stat now;

	if (stat(path, &now) || !same_content(&now, &e->input))
		return diag_set(diag, ERR_IO, "%s: was changed while it was read; try again when "
					      "it is finished", path);
	return 0;
}

static int run_rows(struct export *e, struct pipeline *p, struct diag *diag)
{
	int ret;

	e->p = p;
	e->row = tables_add(&e->row_tables, &results_lives_def);
	e->line = open_memstream(&e->line_text, &e->line_bytes);
	if (!e->line)
		return diag_set(diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	if (e->kind == KIND_CSV)
		results_csv_header(e->file, e->row->def);
	p->hook_self = e;
	p->on_change = write_life;
	ret = pipeline_run(p, diag);
	fclose(e->line);
	free(e->line_text);
	if (!ret && fflush(e->file) && !e->diag.err)
		diag_set(&e->diag, ERR_WRITE, "%s", strerror(errno));
	if (!ret && p->stopped && !e->diag.err)
		interrupted(p, &e->diag);
	if (!ret && e->diag.err) {
		*diag = e->diag;
		ret = -e->diag.err;
	}
	return ret;
}

static int run_perfetto(struct export *e, struct pipeline *p, struct diag *diag)
{
	struct perfetto *pf = perfetto_new(e->file, e->max_bytes, &e->chosen);
	int ret;

	if (!pf)
		return diag_set(diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	perfetto_hook(pf, p);
	ret = pipeline_run(p, diag);
	if (!ret && p->stopped)
		ret = interrupted(p, diag);
	if (!ret)
		ret = perfetto_finish(pf, pictures_results(pipeline_self(p, &analysis_pictures)),
				      diag);
	perfetto_free(pf);
	return ret;
}

static int run_sqlite(struct export *e, struct pipeline *p, const char *path, struct diag *diag)
{
	char text[64];
	struct sqlite *s;
	int ret;

	ret = sqlite_open(&s, path, !e->no_events, diag);
	if (ret)
		return ret;
	sqlite_hook(s, p);
	ret = pipeline_run(p, diag);
	if (!ret && p->stopped)
		ret = interrupted(p, diag);
	if (!ret) {
		sqlite_metadata(s, "program", "folioscope " FOLIOSCOPE_VERSION);
		snprintf(text, sizeof(text), "%d", RESULTS_SCHEMA_VERSION);
		sqlite_metadata(s, "schema_version", text);
		sqlite_metadata(s, "recording", p->path);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)p->first_ts_ns);
		sqlite_metadata(s, "first_ts_ns", text);
		snprintf(text, sizeof(text), "%d", pipeline_status(p));
		sqlite_metadata(s, "status", text);
		sqlite_metadata(s, "has_events", e->no_events ? "0" : "1");
		sqlite_tables(s, &e->tables);
		ret = sqlite_finish(s, diag);
	}
	sqlite_close(s);
	return ret;
}

/* A file per table that does not need a second pass. */
static int write_csv_tables(struct export *e, const char *dir, struct diag *diag)
{
	unsigned i;

	for (i = 0; i < e->tables.nr; i++) {
		const struct table *table = &e->tables.tables[i];
		char path[4096];
		uint64_t row;
		FILE *file;
		bool bad;

		snprintf(path, sizeof(path), "%s/%s.csv", dir, table->def->name);
		file = fopen(path, "w");
		if (!file)
			return diag_set(diag, ERR_WRITE, "%s: %s", path, strerror(errno));
		results_csv_header(file, table->def);
		for (row = 0; row < table_nr_rows(table); row++)
			results_csv_row(file, table, row);
		bad = ferror(file);
		if (fclose(file) || bad)
			return diag_set(diag, ERR_WRITE, "%s: cannot write: %s", path,
					strerror(errno));
	}
	return 0;
}

/* The folder OUT, which must not be there, with a file per table. */
static int write_folder(struct export *e, struct pipeline *p, struct diag *diag)
{
	char path[4096];
	unsigned i;
	int ret;

	/* as outfile_open() */
	signal(SIGXFSZ, SIG_IGN);
	if (mkdir(e->out, 0777))
		return diag_set(diag, ERR_WRITE, "%s: cannot make the folder: %s", e->out,
				strerror(errno));
	ret = write_csv_tables(e, e->out, diag);
	snprintf(path, sizeof(path), "%s/%s.csv", e->out, results_lives_def.name);
	if (!ret) {
		e->file = fopen(path, "w");
		if (!e->file)
			ret = diag_set(diag, ERR_WRITE, "%s: %s", path, strerror(errno));
	}
	if (!ret) {
		ret = outfile_name_error(path, run_rows(e, p, diag), diag);
		if (fclose(e->file) && !ret)
			ret = diag_set(diag, ERR_WRITE, "%s: %s", path, strerror(errno));
	}
	if (!ret)
		ret = check_unchanged(e, p->path, diag);
	if (!ret)
		return 0;
	unlink(path);
	for (i = 0; i < e->tables.nr; i++) {
		snprintf(path, sizeof(path), "%s/%s.csv", e->out, e->tables.tables[i].def->name);
		unlink(path);
	}
	rmdir(e->out);
	return ret;
}

static int write_file(struct export *e, struct pipeline *p, struct diag *diag)
{
	struct outfile out;
	int ret;

	ret = outfile_open(&out, e->out, &p->path, 1, e->kind == KIND_SQLITE ? OUTFILE_SEEKS : 0,
			   diag);
	if (ret)
		return ret;
	e->file = out.file;
	if (e->kind == KIND_SQLITE)
		ret = run_sqlite(e, p, out.path, diag);
	else if (e->kind == KIND_JSONL)
		ret = run_rows(e, p, diag);
	else
		ret = run_perfetto(e, p, diag);
	ret = outfile_name_error(out.name, ret, diag);
	if (!ret)
		ret = check_unchanged(e, p->path, diag);
	if (!ret)
		return outfile_commit(&out, diag);
	outfile_abandon(&out);
	return ret;
}

static int set_kind(struct export *e, enum kind kind, const char *out)
{
	if (e->kind)
		return cmd_usage_error("export", "one kind of output at a time");
	e->kind = kind;
	return cmd_output("export", out, &e->out);
}

static int parse(int argc, char **argv, struct cmd_read_opts *opts, struct export *e)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "sqlite", required_argument, NULL, OPT_SQLITE },
		{ "perfetto", required_argument, NULL, OPT_PERFETTO },
		{ "jsonl", required_argument, NULL, OPT_JSONL },
		{ "csv", required_argument, NULL, OPT_CSV },
		{ "no-events", no_argument, NULL, OPT_NO_EVENTS },
		{ "lanes", required_argument, NULL, OPT_LANES },
		{ "pfn", required_argument, NULL, OPT_PFN },
		{ "max-output", required_argument, NULL, OPT_MAX_OUTPUT },
		{ "estimate", no_argument, NULL, OPT_ESTIMATE },
		{ NULL, 0, NULL, 0 },
	};
	bool has_lanes = false;
	uint64_t value;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT, options, NULL)) != -1) {
		ret = 0;
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return -1;
		case OPT_SQLITE:
			ret = set_kind(e, KIND_SQLITE, optarg);
			break;
		case OPT_PERFETTO:
			ret = set_kind(e, KIND_PERFETTO, optarg);
			break;
		case OPT_JSONL:
			ret = set_kind(e, KIND_JSONL, optarg);
			break;
		case OPT_CSV:
			ret = set_kind(e, KIND_CSV, optarg);
			break;
		case OPT_NO_EVENTS:
			e->no_events = true;
			break;
		case OPT_LANES:
			if (!cmd_number(optarg, &value) || value > CHOSEN_MAX)
				return cmd_usage_error("export",
						       "--lanes takes a number up to %u, not '%s'",
						       CHOSEN_MAX, optarg);
			e->nr_lanes = value;
			has_lanes = true;
			break;
		case OPT_PFN:
			ret = cmd_add_pfn("export", optarg, &e->chosen);
			break;
		case OPT_MAX_OUTPUT:
			if (!parse_size(optarg, &e->max_bytes))
				return cmd_usage_error("export",
						       "'%s' is not a size such as 500M or 2GiB",
						       optarg);
			break;
		case OPT_ESTIMATE:
			e->estimate = true;
			break;
		default:
			ret = cmd_read_option(opts, "export", opt);
		}
		if (ret)
			return ret;
	}
	ret = cmd_one_recording("export", argc, argv, opts);
	if (ret)
		return ret;
	if (!e->kind)
		return cmd_usage_error("export",
				       "export to what? --sqlite, --perfetto, --jsonl or --csv");
	if (e->kind != KIND_PERFETTO && (e->chosen.nr || has_lanes))
		return cmd_usage_error("export", "--lanes and --pfn go with --perfetto");
	if (e->kind != KIND_SQLITE && e->no_events)
		return cmd_usage_error("export", "--no-events goes with --sqlite");
	if (e->kind == KIND_CSV && !strcmp(e->out, "-"))
		return cmd_usage_error("export", "--csv needs a folder");
	return e->estimate || e->kind == KIND_JSONL ? 0 : cmd_binary("export", e->out);
}

/* A lane that stays empty tells nothing. */
static int check_pfns(const struct export *e, const struct pipeline *p)
{
	int status = STATUS_OK;
	unsigned i;

	for (i = 0; i < e->chosen.nr; i++)
		if (!cmd_has_pfn(p, e->chosen.pfns[i]))
			status = cmd_no_pfn(p, e->chosen.pfns[i]);
	return status;
}

/* Returns the exit status, with the error printed. */
static int first_pass(struct export *e, struct cmd_read_opts *opts)
{
	struct pipeline p;
	struct diag diag;
	int ret, status;

	/* a file that is not there is for pipeline_open() to tell */
	if (stat(opts->path, &e->input))
		memset(&e->input, 0, sizeof(e->input));
	if (pipeline_open(&p, opts->path, &opts->pipeline, &diag))
		return cmd_fail(&diag);
	p.hook_self = e;
	p.on_change = count_change;
	p.on_event = count_event;
	p.on_violation = count_violation;
	ret = pipeline_run(&p, &diag);
	if (!ret && p.stopped)
		ret = interrupted(&p, &diag);
	e->first_status = ret ? STATUS_OK : pipeline_status(&p);
	status = ret ? cmd_fail(&diag) : check_pfns(e, &p);
	if (status)
		goto out;
	chosen_finish(&e->chosen, &p, e->nr_lanes > e->chosen.nr ? e->nr_lanes : e->chosen.nr);
	results_tables(&p, &e->tables, NULL);
	if (e->tables.out_of_memory) {
		diag_set(&diag, ERR_NOMEM, "%s: %s", opts->path, err_text(ERR_NOMEM));
		status = cmd_fail(&diag);
	}
out:
	pipeline_release(&p);
	return status;
}

static int export(struct export *e, struct cmd_read_opts *opts)
{
	struct text_buf size, max;
	struct pipeline p;
	struct diag diag;
	uint64_t bytes;
	int status;

	status = first_pass(e, opts);
	if (status)
		return status;
	bytes = estimate(e);
	if (e->estimate) {
		printf("%llu bytes (%s), roughly\n", (unsigned long long)bytes,
		       text_bytes(&size, bytes));
		return cmd_finish(STATUS_OK);
	}
	if (bytes > e->max_bytes) {
		fprintf(stderr,
			"folioscope: %s: the output would take about %s, more than %s; raise "
			"--max-output%s\n",
			opts->path, text_bytes(&size, bytes), text_bytes(&max, e->max_bytes),
			e->kind == KIND_SQLITE && !e->no_events ? " or use --no-events" : "");
		return STATUS_FAILED;
	}
	opts->pipeline.no_analyses = e->kind == KIND_JSONL || e->kind == KIND_CSV;
	if (pipeline_open(&p, opts->path, &opts->pipeline, &diag))
		return cmd_fail(&diag);
	if (e->kind == KIND_CSV ? write_folder(e, &p, &diag) : write_file(e, &p, &diag))
		status = cmd_fail(&diag);
	else
		status = pipeline_status(&p) ? STATUS_LOSSY : e->first_status;
	if (status == STATUS_LOSSY || status == STATUS_OK)
		pipeline_render_caveats(&p, stderr, true);
	pipeline_release(&p);
	return cmd_finish(status);
}

int cmd_export(int argc, char **argv)
{
	struct cmd_read_opts opts = { .path = "trace.dat" };
	struct export *e = calloc(1, sizeof(*e));
	int status;

	if (!e) {
		fprintf(stderr, "folioscope: %s\n", err_text(ERR_NOMEM));
		return STATUS_FAILED;
	}
	e->max_bytes = 500000000;
	e->nr_lanes = 64;
	status = parse(argc, argv, &opts, e);
	if (!status)
		status = export(e, &opts);
	else if (status < 0)
		status = cmd_finish(STATUS_OK);
	tables_release(&e->tables);
	tables_release(&e->row_tables);
	free(e);
	return status;
}
