// SPDX-License-Identifier: GPL-2.0-only
#include "results.h"

#include <string.h>

#include "hist.h"
#include "stock.h"
#include "text.h"

#define DEF(var, id, title, source)						\
	static const struct table_def var##_def = {				\
		id, title, source, var##_columns,				\
		sizeof(var##_columns) / sizeof(var##_columns[0]),		\
	}

static const struct column recording_columns[] = {
	{ "file", CELL_TEXT, "", "name of the recording, without its folder" },
	{ "size_bytes", CELL_COUNT, "bytes", "of the file" },
	{ "version", CELL_COUNT, "", "of the trace.dat format" },
	{ "codec", CELL_TEXT, "", "compression of the file" },
	{ "kernel", CELL_TEXT, "", "uname of the machine traced" },
	{ "clock", CELL_TEXT, "", "trace clock" },
	{ "buffer", CELL_TEXT, "", "ftrace instance, empty: the top buffer" },
	{ "cpus", CELL_COUNT, "CPUs", "with data" },
	{ "first_ts_ns", CELL_ID, "ns",
	  "time stamp of the first event; other times count from it" },
	{ "duration_ns", CELL_COUNT, "ns", "from the first to the last event" },
	{ "records", CELL_COUNT, "events", "of any kind" },
	{ "lru_gen_events", CELL_COUNT, "events", "of the lru_gen system" },
};
DEF(recording, "recording", "Recording", "the file");

static const struct column event_columns[] = {
	{ "event", CELL_TEXT, "", "name without its prefix mm_lru_gen_" },
	{ "events", CELL_COUNT, "events", "in the recording" },
};
DEF(event, "event_counts", "Events by kind", "all lru_gen events");

static const struct column problem_columns[] = {
	{ "problem", CELL_TEXT, "", "symbolic name of the error" },
	{ "cpu", CELL_INT, "", "absent: of no CPU" },
	{ "offset_bytes", CELL_COUNT, "bytes", "in the file; absent: unknown" },
	{ "size_bytes", CELL_COUNT, "bytes", "of it that cannot be used; 0: unknown" },
	{ "times", CELL_COUNT, "times", "it occurred from here on" },
	{ "text", CELL_TEXT, "", "what it is" },
};
const struct table_def results_problems_def = {
	"problems", "Damage", "the file",
	problem_columns, sizeof(problem_columns) / sizeof(problem_columns[0]),
};

static const struct column quality_columns[] = {
	{ "lost", CELL_COUNT, "events", "that the kernel says it dropped" },
	{ "losses_unknown", CELL_COUNT, "times", "the kernel dropped it did not say how many" },
	{ "overrun", CELL_COUNT, "events", "lost by the kernel's own count at the end" },
	{ "gaps", CELL_COUNT, "stretches", "of damaged data" },
	{ "gap_bytes", CELL_COUNT, "bytes",
	  "of the file in them; of a sub-buffer in a compressed chunk its share of that" },
	{ "refused", CELL_COUNT, "events", "with an impossible value" },
	{ "unknown_names", CELL_COUNT, "names", "of enum values that this version does not know" },
	{ "contradictions", CELL_COUNT, "times",
	  "events contradict each other, no loss excuses it" },
	{ "lives", CELL_COUNT, "lives", "seen" },
	{ "lives_unknown", CELL_COUNT, "lives", "whose beginning was not seen" },
	{ "lives_cut", CELL_COUNT, "lives", "that a loss cut" },
	{ "put_in_order", CELL_COUNT, "events", "out of order, put in order by their generations" },
	{ "latest_ns", CELL_COUNT, "ns", "the most that one of them was late" },
	{ "putback_assumed", CELL_COUNT, "times", "taken off and added again, taken as one life" },
	{ "partial", CELL_BOOL, "", "reading was interrupted" },
	{ "sample", CELL_COUNT, "", "N: only 1/N of the page frames were recorded; 1: all" },
	{ "only_memcg", CELL_ID, "", "nothing but this cgroup was recorded; absent: all" },
	{ "only_type", CELL_TEXT, "", "nothing but folios of this type; absent: all" },
	{ "cgroups_left_out", CELL_COUNT, "cgroups", "whose memory.stat is not in the recording" },
};
DEF(quality, "quality", "What must be known before anything is believed", "all events");

static const struct column lruvec_columns[] = {
	{ "memcg", CELL_ID, "", "cgroup id (inode number of its directory), 0: none" },
	{ "nid", CELL_INT, "", "NUMA node" },
	{ "complete", CELL_BOOL, "", "every folio on its lists is known" },
	{ "offline", CELL_BOOL, "", "its memcg was removed" },
	{ "max_seq", CELL_COUNT, "", "youngest generation at the end; absent: unknown" },
	{ "agings", CELL_COUNT, "agings", "seen" },
	{ "reclaimed_anon", CELL_COUNT, "pages", "anon pages reclaimed from it" },
	{ "reclaimed_file", CELL_COUNT, "pages", "file pages reclaimed from it" },
};
DEF(lruvec, "lruvecs", "Lruvecs: the lists of one memcg on one node", "all lru_gen events");

static const struct column contradiction_columns[] = {
	{ "contradiction", CELL_TEXT, "", "what a folio or lruvec did" },
	{ "times", CELL_COUNT, "times", "it happened" },
};
DEF(contradiction, "contradictions", "Contradictions", "all lru_gen events");

static const struct column life_columns[] = {
	{ "life", CELL_COUNT, "", "number of the life, from 1" },
	{ "pfn", CELL_COUNT, "", "page frame number" },
	{ "memcg", CELL_ID, "", "cgroup id; absent: unknown" },
	{ "nid", CELL_INT, "", "NUMA node; absent: unknown" },
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "folio_order", CELL_COUNT, "", "it has 2^folio_order pages" },
	{ "zone", CELL_COUNT, "", "index of the zone" },
	{ "birth", CELL_TEXT, "", "how it began" },
	{ "birth_ns", CELL_INT, "ns",
	  "when, or first sight if the birth is unknown; negative: before the cut of a part" },
	{ "end", CELL_TEXT, "", "how it ended" },
	{ "end_ns", CELL_COUNT, "ns", "when" },
	{ "nr_promoted", CELL_COUNT, "times", "made younger through page tables" },
	{ "nr_protected", CELL_COUNT, "times", "moved on at the old end" },
	{ "nr_isolated", CELL_COUNT, "times", "taken off its list" },
	{ "last_age_gens", CELL_COUNT, "generations", "older than the youngest, at the end" },
	{ "backing", CELL_TEXT, "", "file, swap or unknown; absent: identity never seen" },
	{ "dev", CELL_COUNT, "", "device of the file" },
	{ "ino", CELL_ID, "", "inode of the file" },
	{ "page_index", CELL_ID, "", "page index in the file, or swap entry" },
	{ "nr_evictions", CELL_COUNT, "times", "the page was evicted before" },
};
const struct table_def results_lives_def = {
	"lives", "Lives of folios", "all lru_gen events of folios",
	life_columns, sizeof(life_columns) / sizeof(life_columns[0]),
};

static const struct column story_columns[] = {
	{ "ts_ns", CELL_COUNT, "ns", "from the first event" },
	{ "cpu", CELL_COUNT, "", "absent: the end of the recording" },
	{ "pid", CELL_INT, "", "task on the CPU" },
	{ "life", CELL_COUNT, "", "number of the life; absent: of the whole lruvec" },
	{ "pfn", CELL_COUNT, "", "page frame number; absent: of the whole lruvec" },
	{ "what", CELL_TEXT, "", "kind of the change" },
	{ "site", CELL_TEXT, "", "place in the kernel" },
	{ "old_gen", CELL_INT, "", "generation index before, -1: none" },
	{ "new_gen", CELL_INT, "", "generation index after, -1: none" },
	{ "age", CELL_COUNT, "generations", "of new_gen: older than the youngest" },
	{ "text", CELL_TEXT, "", "as the command prints it" },
};
const struct table_def results_story_def = {
	"story", "Story of a page frame", "all lru_gen events of it",
	story_columns, sizeof(story_columns) / sizeof(story_columns[0]),
};

static const struct column verdict_columns[] = {
	{ "verdict", CELL_TEXT, "", "good, lossy, damaged, salvaged, partial or not_usable" },
	{ "text", CELL_TEXT, "", "as the command prints it" },
};
const struct table_def results_verdict_def = {
	"verdict", "Verdict of folioscope check", "the file",
	verdict_columns, sizeof(verdict_columns) / sizeof(verdict_columns[0]),
};

/* In the order of the report; the analyses' come after them. */
static const struct table_def *const own_defs[] = {
	&recording_def, &event_def, &results_problems_def, &quality_def, &lruvec_def,
	&contradiction_def,
};
static const struct table_def *const row_defs[] = {
	&results_lives_def, &results_story_def, &results_verdict_def,
};

#define NR_OWN (sizeof(own_defs) / sizeof(own_defs[0]))
#define NR_ROW (sizeof(row_defs) / sizeof(row_defs[0]))

const struct table_def *results_def(unsigned i)
{
	unsigned a, d;

	if (i < NR_OWN)
		return own_defs[i];
	i -= NR_OWN;
	for (a = 0; analyses[a]; a++)
		for (d = 0; analyses[a]->defs && analyses[a]->defs[d]; d++)
			if (!i--)
				return analyses[a]->defs[d];
	for (d = 0; stock_defs[d]; d++)
		if (!i--)
			return stock_defs[d];
	return i < NR_ROW ? row_defs[i] : NULL;
}

/*
 * filling
 */

static void fill_recording(struct reader *reader, struct table *table)
{
	const struct recording_info *info = reader_info(reader);
	const struct reader_totals *totals = reader_totals(reader);
	const char *name = strrchr(info->path, '/');
	uint64_t nr_lru_gen = 0;
	unsigned kind;

	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++)
		nr_lru_gen += totals->nr_by_kind[kind];
	cell_text(table, name ? name + 1 : info->path);
	cell_count(table, info->file_size_bytes);
	cell_count(table, info->version);
	cell_text(table, info->codec);
	cell_text(table, info->uname);
	cell_text(table, info->clock);
	cell_text(table, info->buffers[info->buffer].name);
	cell_count(table, totals->nr_cpus);
	cell_id(table, totals->first_ts_ns);
	cell_count(table, totals->last_ts_ns - totals->first_ts_ns);
	cell_count(table, totals->nr_records);
	cell_count(table, nr_lru_gen);
}

void results_recording(struct reader *reader, struct tables *tables)
{
	struct table *recording = tables_add(tables, &recording_def);
	struct table *events = tables_add(tables, &event_def);
	struct table *problems = tables_add(tables, &results_problems_def);
	const struct reader_totals *totals = reader_totals(reader);
	const struct reader_problem *problem;
	unsigned i, nr;

	fill_recording(reader, recording);
	for (i = EV_ADD; i <= EV_HITSHIELD; i++) {
		cell_name(events, event_kind_name(i));
		cell_count(events, totals->nr_by_kind[i]);
	}
	problem = reader_problems(reader, &nr);
	for (i = 0; i < nr; i++, problem++) {
		cell_name(problems, err_name(problem->err));
		if (problem->cpu >= 0)
			cell_int(problems, problem->cpu);
		else
			cell_absent(problems);
		if (problem->has_offset)
			cell_count(problems, problem->offset_bytes);
		else
			cell_absent(problems);
		cell_count(problems, problem->size_bytes);
		cell_count(problems, problem->nr);
		cell_text(problems, problem->text);
	}
}

static void fill_quality(struct pipeline *p, struct table *table)
{
	const struct reader_totals *totals = reader_totals(p->reader);
	const struct model_stats *stats = model_stats(p->model);

	cell_count(table, totals->nr_lost);
	cell_count(table, totals->nr_lost_unknown);
	cell_count(table, pipeline_overrun(p));
	cell_count(table, totals->nr_gaps);
	cell_count(table, totals->gap_bytes);
	cell_count(table, stats->nr_refused);
	cell_count(table, p->nr_unknown_names);
	cell_count(table, model_nr_errors(p->model));
	cell_count(table, stats->nr_lives);
	cell_count(table, stats->nr_born_unknown);
	cell_count(table, stats->nr_ended_lost);
	cell_count(table, stats->nr_awaited);
	cell_count(table, stats->max_late_ns);
	cell_count(table, stats->nr_putback_assumed);
	cell_bool(table, p->stopped);
	cell_count(table, p->selection.sample ? p->selection.sample : 1);
	if (p->selection.has_memcg)
		cell_id(table, p->selection.memcg);
	else
		cell_absent(table);
	cell_name(table, p->selection.has_type ? type_name(p->selection.type) : NULL);
	cell_count(table, p->selection.nr_cgroups_left_out);
}

static void fill_lruvecs(struct pipeline *p, struct table *table)
{
	uint32_t i, nr = model_nr_lruvecs(p->model);

	for (i = 0; i < nr; i++) {
		const struct lruvec *lv = model_lruvec(p->model, i);

		cell_id(table, lv->memcg);
		cell_int(table, lv->nid);
		cell_bool(table, lv->complete);
		cell_bool(table, lv->offline);
		if (lv->seq_known)
			cell_count(table, lv->max_seq);
		else
			cell_absent(table);
		cell_count(table, lv->nr_max_seq);
		cell_count(table, lv->nr_reclaimed[TYPE_ANON]);
		cell_count(table, lv->nr_reclaimed[TYPE_FILE]);
	}
}

void results_quality(struct pipeline *p, struct tables *tables)
{
	results_recording(p->reader, tables);
	fill_quality(p, tables_add(tables, &quality_def));
}

void results_tables(struct pipeline *p, struct tables *tables, const struct analysis_ops *only)
{
	const struct model_stats *stats = model_stats(p->model);
	struct table *table;
	unsigned i;

	results_quality(p, tables);
	fill_lruvecs(p, tables_add(tables, &lruvec_def));
	table = tables_add(tables, &contradiction_def);
	for (i = 0; i < STATE_ERROR_NR; i++) {
		if (!stats->nr_errors[i])
			continue;
		cell_name(table, state_error_text(i));
		cell_count(table, stats->nr_errors[i]);
	}
	for (i = 0; i < p->nr_analyses; i++)
		if ((!only || analyses[i] == only) && analyses[i]->tables)
			analyses[i]->tables(p->selfs[i], tables);
}

void results_life_row(struct pipeline *p, struct table *table, const struct lifetime *row)
{
	cell_count(table, row->life);
	cell_count(table, row->pfn);
	if (row->has_lruvec) {
		cell_id(table, row->memcg);
		cell_int(table, row->nid);
	} else {
		cell_absent(table);
		cell_absent(table);
	}
	cell_name(table, type_name(row->type));
	cell_count(table, row->order);
	cell_count(table, row->zone);
	cell_name(table, folio_birth_name(row->birth));
	cell_int(table, pipeline_offset(p, row->birth_ns));
	cell_name(table, folio_end_name(row->end));
	cell_count(table, pipeline_since(p, row->end_ns));
	cell_count(table, row->nr_promoted);
	cell_count(table, row->nr_protected);
	cell_count(table, row->nr_isolated);
	if (row->has_last_age)
		cell_count(table, row->last_age);
	else
		cell_absent(table);
	if (row->has_page) {
		cell_name(table, backing_name(row->backing));
		cell_count(table, row->dev);
		cell_id(table, row->ino);
		cell_id(table, row->index);
		cell_count(table, row->nr_evictions);
	} else {
		unsigned i;

		for (i = 0; i < 5; i++)
			cell_absent(table);
	}
}

/*
 * definitions for people
 */

static void explain(FILE *out, const struct table_def *def)
{
	char line[512];
	unsigned i;

	text_heading(out, def->title);
	snprintf(line, sizeof(line), "%s, from: %s", def->name, def->source);
	text_wrap(out, line, 2);
	for (i = 0; i < def->nr_columns; i++) {
		const struct column *column = &def->columns[i];

		snprintf(line, sizeof(line), "  %-18s %s%s%s%s", column->name,
			 *column->unit ? "[" : "", column->unit, *column->unit ? "] " : "",
			 column->text);
		text_wrap(out, line, 21);
	}
}

void results_explain(FILE *out, const struct table_def *const *only)
{
	const struct table_def *def;
	unsigned i;

	fprintf(out, "Every number of the report, with its [unit]. Events are named without\n"
		     "their prefix mm_lru_gen_; a folio is counted once however large it is,\n"
		     "pages count its size. Where a name has p10, p50 or the like,\n"
		     "%s;\nleast and greatest values are exact.\n", HIST_RESOLUTION_TEXT);
	for (i = 0; only && only[i]; i++)
		explain(out, only[i]);
	for (i = 0; !only && (def = results_def(i)); i++)
		explain(out, def);
	fprintf(out,
		"\nThe tables of an SQLite database that have a row per thing (spans, events,\n"
		"violations, shields, lazyfree_steps) are in folioscope-export(1).\n");
}

/*
 * definitions for machines
 */

static void schema_type(struct json *j, const struct column *column)
{
	char text[256];

	json_object(j, column->name);
	json_array(j, "type");
	switch (column->kind) {
	case CELL_COUNT:
	case CELL_INT:
		json_text(j, NULL, "integer");
		break;
	case CELL_REAL:
		json_text(j, NULL, "number");
		break;
	case CELL_BOOL:
		json_text(j, NULL, "boolean");
		break;
	default:
		json_text(j, NULL, "string");
	}
	json_text(j, NULL, "null");
	json_end(j);
	if (column->kind == CELL_COUNT)
		json_int(j, "minimum", 0);
	if (column->kind == CELL_ID)
		json_text(j, "pattern", "^[0-9]+$");
	if (*column->unit)
		json_text(j, "$comment", column->unit);
	if (column->kind == CELL_ID) {
		snprintf(text, sizeof(text), "%s; a string, because many readers round numbers "
					     "above 2^53", column->text);
		json_text(j, "description", text);
	} else {
		json_text(j, "description", column->text);
	}
	json_end(j);
}

static void schema_table(struct json *j, const struct table_def *def)
{
	unsigned i;

	json_object(j, def->name);
	json_text(j, "title", def->title);
	json_text(j, "description", def->source);
	json_text(j, "type", "array");
	json_object(j, "items");
	json_text(j, "type", "object");
	json_object(j, "properties");
	for (i = 0; i < def->nr_columns; i++)
		schema_type(j, &def->columns[i]);
	json_end(j);
	json_array(j, "required");
	for (i = 0; i < def->nr_columns; i++)
		json_text(j, NULL, def->columns[i].name);
	json_end(j);
	json_bool(j, "additionalProperties", false);
	json_end(j);
	json_end(j);
}

/* Which tables the document of a command has. */
static bool document_has(const char *command, const struct table_def *def)
{
	bool is_row = def == &results_lives_def || def == &results_story_def ||
		      def == &results_verdict_def;
	bool is_of_file = def == &recording_def || def == &event_def ||
			  def == &results_problems_def;
	bool is_stock = false;
	unsigned i;

	for (i = 0; stock_defs[i]; i++)
		is_stock |= def == stock_defs[i];
	if (!strcmp(command, "report"))
		return !is_row && !is_stock;
	if (!strcmp(command, "stock"))
		return is_stock || is_of_file || def == &quality_def;
	if (!strcmp(command, "check"))
		return is_of_file || def == &results_verdict_def;
	if (!strcmp(command, "lifetimes") && def == &results_lives_def)
		return true;
	if (!strcmp(command, "folio") && def == &results_story_def)
		return true;
	for (i = 0; i < NR_OWN; i++)
		if (def == own_defs[i])
			return true;
	return false;
}

void results_schema(FILE *out)
{
	static const char *const commands[] = { "report", "lifetimes", "violations",
						"folio",  "check",     "stock" };
	const struct table_def *def;
	struct json j;
	unsigned i, c;

	json_init(&j, out, true);
	j.pretty_depth = 6;
	json_object(&j, NULL);
	json_text(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_text(&j, "title", "folioscope report");
	json_text(&j, "$comment",
		  "SPDX-License-Identifier: GPL-2.0-only. Written by folioscope report --schema.");
	json_text(&j, "type", "object");
	json_object(&j, "properties");
	json_object(&j, "schema");
	json_text(&j, "const", "folioscope-report");
	json_end(&j);
	json_object(&j, "schema_version");
	json_int(&j, "const", RESULTS_SCHEMA_VERSION);
	json_end(&j);
	json_object(&j, "program");
	json_text(&j, "type", "string");
	json_end(&j);
	json_object(&j, "command");
	json_array(&j, "enum");
	for (c = 0; c < sizeof(commands) / sizeof(commands[0]); c++)
		json_text(&j, NULL, commands[c]);
	json_end(&j);
	json_end(&j);
	json_object(&j, "tables");
	json_text(&j, "type", "object");
	json_object(&j, "properties");
	for (i = 0; (def = results_def(i)); i++)
		schema_table(&j, def);
	json_end(&j);
	json_bool(&j, "additionalProperties", false);
	json_end(&j);
	json_object(&j, "status");
	json_text(&j, "description",
		  "exit status: 0 ok, 3 data was lost, damaged or contradictory");
	json_array(&j, "enum");
	json_int(&j, NULL, STATUS_OK);
	json_int(&j, NULL, STATUS_LOSSY);
	json_int(&j, NULL, STATUS_UNREADABLE);
	json_end(&j);
	json_end(&j);
	json_end(&j);
	json_array(&j, "required");
	json_text(&j, NULL, "schema");
	json_text(&j, NULL, "schema_version");
	json_text(&j, NULL, "program");
	json_text(&j, NULL, "command");
	json_text(&j, NULL, "tables");
	json_text(&j, NULL, "status");
	json_end(&j);
	json_bool(&j, "additionalProperties", false);
	json_array(&j, "allOf");
	for (c = 0; c < sizeof(commands) / sizeof(commands[0]); c++) {
		json_object(&j, NULL);
		json_object(&j, "if");
		json_object(&j, "properties");
		json_object(&j, "command");
		json_text(&j, "const", commands[c]);
		json_end(&j);
		json_end(&j);
		json_end(&j);
		json_object(&j, "then");
		json_object(&j, "properties");
		json_object(&j, "tables");
		json_array(&j, "required");
		for (i = 0; (def = results_def(i)); i++)
			if (document_has(commands[c], def))
				json_text(&j, NULL, def->name);
		json_end(&j);
		json_end(&j);
		json_end(&j);
		json_end(&j);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
}

/*
 * documents
 */

void results_json_begin(struct json *j, FILE *out, const char *command)
{
	json_init(j, out, true);
	json_object(j, NULL);
	json_text(j, "schema", "folioscope-report");
	json_int(j, "schema_version", RESULTS_SCHEMA_VERSION);
	json_text(j, "program", "folioscope " FOLIOSCOPE_VERSION);
	json_text(j, "command", command);
	json_object(j, "tables");
}

void results_json_row(struct json *j, const struct table *table, uint64_t row)
{
	unsigned i;

	json_object(j, NULL);
	for (i = 0; i < table->def->nr_columns; i++)
		json_cell(j, table->def->columns[i].name, table_cell(table, row, i));
	json_end(j);
}

void results_json_table(struct json *j, const struct table *table)
{
	uint64_t row;

	json_array(j, table->def->name);
	for (row = 0; row < table_nr_rows(table); row++)
		results_json_row(j, table, row);
	json_end(j);
}

void results_json_end(struct json *j, int status)
{
	json_end(j);
	json_int(j, "status", status);
	json_end(j);
}

void results_json_tables(FILE *out, const char *command, const struct tables *tables, int status)
{
	struct json j;
	unsigned i;

	results_json_begin(&j, out, command);
	for (i = 0; i < tables->nr; i++)
		results_json_table(&j, &tables->tables[i]);
	results_json_end(&j, status);
}

void results_csv(FILE *out, const struct tables *tables)
{
	char buf[CELL_PRINT_BYTES];
	uint64_t row;
	unsigned i, k;

	fputs("table,row,column,value,unit\r\n", out);
	for (i = 0; i < tables->nr; i++) {
		const struct table *table = &tables->tables[i];

		for (row = 0; row < table_nr_rows(table); row++)
			for (k = 0; k < table->def->nr_columns; k++) {
				const struct cell *cell = table_cell(table, row, k);

				if (cell->kind == CELL_ABSENT)
					continue;
				fprintf(out, "%s,%llu,%s,", table->def->name,
					(unsigned long long)row + 1, table->def->columns[k].name);
				text_csv(out, cell_print(cell, buf));
				fputc(',', out);
				text_csv(out, table->def->columns[k].unit);
				fputs("\r\n", out);
			}
	}
}

void results_csv_header(FILE *out, const struct table_def *def)
{
	unsigned i;

	for (i = 0; i < def->nr_columns; i++) {
		fputs(i ? "," : "", out);
		text_csv(out, def->columns[i].name);
	}
	fputs("\r\n", out);
}

void results_csv_row(FILE *out, const struct table *table, uint64_t row)
{
	char buf[CELL_PRINT_BYTES];
	unsigned i;

	for (i = 0; i < table->def->nr_columns; i++) {
		fputs(i ? "," : "", out);
		text_csv(out, cell_print(table_cell(table, row, i), buf));
	}
	fputs("\r\n", out);
}
