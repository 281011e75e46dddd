// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lifetimes.h"
#include "results.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope lifetimes [OPTION]... [FILE]\n"
	"One row per life of a folio, then the aggregates of all lives.\n"
	"\n"
	"      --pfn N[-M]     only these page frames (0x for hexadecimal)\n"
	"      --memcg ID      only this cgroup (inode number of its directory)\n"
	"      --type TYPE     only anon or file\n"
	"      --birth HOW     only added, refaulted, swapped_in, migrated, split,\n"
	"                      unknown\n"
	"      --end HOW       only resident, evicted, reclaimed, lazyfreed, freed,\n"
	"                      migrated, reused, switched, lost\n"
	"  -s, --sort KEY      born, ended, lived, pfn, promoted, protected,\n"
	"                      isolated, evictions; -KEY for descending (default:\n"
	"                      as they ended)\n"
	"  -n, --limit N       rows at most; 0: all (default 20; other formats all)\n"
	"  -f, --format KIND   text, json, jsonl or csv\n"
	CMD_READ_HELP
	"\n"
	"Times count from the first event. Exit status as of report.\n";

enum { OPT_PFN = OPT_COMMAND, OPT_MEMCG, OPT_TYPE, OPT_BIRTH, OPT_END };

enum key { KEY_NONE, KEY_BORN, KEY_ENDED, KEY_LIVED, KEY_PFN, KEY_PROMOTED, KEY_PROTECTED,
	   KEY_ISOLATED, KEY_EVICTIONS, KEY_NR };

static const char *const key_names[] = {
	[KEY_BORN] = "born",		 [KEY_ENDED] = "ended",
	[KEY_LIVED] = "lived",		 [KEY_PFN] = "pfn",
	[KEY_PROMOTED] = "promoted",	 [KEY_PROTECTED] = "protected",
	[KEY_ISOLATED] = "isolated",	 [KEY_EVICTIONS] = "evictions",
};

struct rows {
	uint64_t pfn_from, pfn_to;
	bool has_memcg;
	uint64_t memcg;
	int type, birth, end;		/* -1: any */
	uint64_t limit;			/* 0: none */
	struct lifetime *rows;
	uint64_t nr, nr_alloc;
	uint64_t nr_matched, nr_lives;
	bool out_of_memory;
};

/* qsort() takes no context. */
static enum key sort_key;
static bool sort_descending;

static uint64_t key_of(const struct lifetime *row)
{
	switch (sort_key) {
	case KEY_BORN:
		return row->birth_ns;
	case KEY_ENDED:
		return row->end_ns;
	case KEY_LIVED:
		return row->end_ns - row->birth_ns;
	case KEY_PFN:
		return row->pfn;
	case KEY_PROMOTED:
		return row->nr_promoted;
	case KEY_PROTECTED:
		return row->nr_protected;
	case KEY_ISOLATED:
		return row->nr_isolated;
	case KEY_EVICTIONS:
		return row->nr_evictions;
	default:
		return 0;
	}
}

static int compare(const void *a, const void *b)
{
	const struct lifetime *x = a, *y = b;
	uint64_t key_x = key_of(x), key_y = key_of(y);

	if (key_x != key_y)
		return (key_x < key_y) == sort_descending ? 1 : -1;
	return x->life < y->life ? -1 : x->life > y->life;
}

static void collect(void *self, const struct change *c)
{
	struct rows *rows = self;
	struct lifetime row;

	if (c->kind != CHANGE_END)
		return;
	rows->nr_lives++;
	row = lifetime_from(c);
	if (row.pfn < rows->pfn_from || row.pfn > rows->pfn_to ||
	    (rows->has_memcg && (!row.has_lruvec || row.memcg != rows->memcg)) ||
	    (rows->type >= 0 && row.type != rows->type) ||
	    (rows->birth >= 0 && row.birth != rows->birth) ||
	    (rows->end >= 0 && row.end != rows->end))
		return;
	rows->nr_matched++;
	if (sort_key == KEY_NONE && rows->limit && rows->nr == rows->limit)
		return;
	if (rows->nr == rows->nr_alloc) {
		struct lifetime *more;
		uint64_t nr_alloc;

		if (rows->limit && rows->nr >= rows->limit * 2 && rows->nr >= 65536) {
			/* the rows that will be printed are among the first */
			qsort(rows->rows, rows->nr, sizeof(*rows->rows), compare);
			rows->nr = rows->limit;
			goto add;
		}
		nr_alloc = rows->nr_alloc ? rows->nr_alloc * 2 : 1024;
		more = realloc(rows->rows, nr_alloc * sizeof(*more));
		if (!more) {
			rows->out_of_memory = true;
			return;
		}
		rows->rows = more;
		rows->nr_alloc = nr_alloc;
	}
add:
	rows->rows[rows->nr++] = row;
}

static void print_text(struct pipeline *p, const struct rows *rows)
{
	uint64_t i;

	printf("%8s %6s %5s %-5s %-10s %6s %7s %2s %2s %2s %2s %s\n", "pfn", "life", "memcg",
	       "type", "began", "at s", "lived", "pr", "pt", "is", "ev", "ended");
	for (i = 0; i < rows->nr; i++) {
		const struct lifetime *row = &rows->rows[i];
		struct text_buf lived;
		char memcg[24] = "?", type[16];

		if (row->has_lruvec)
			snprintf(memcg, sizeof(memcg), "%llu", (unsigned long long)row->memcg);
		if (row->order)
			snprintf(type, sizeof(type), "%s%u", type_name(row->type), row->order);
		else
			snprintf(type, sizeof(type), "%s", type_name(row->type));
		printf("%#8llx %6u %5s %-5s %-10s %6.2f %7s %2u %2u %2u %2u %s\n",
		       (unsigned long long)row->pfn, row->life, memcg, type,
		       folio_birth_name(row->birth), pipeline_offset(p, row->birth_ns) / 1e9,
		       text_duration(&lived, row->end_ns - row->birth_ns), row->nr_promoted,
		       row->nr_protected, row->nr_isolated, row->nr_evictions,
		       folio_end_name(row->end));
	}
	if (rows->nr < rows->nr_matched)
		printf("... %llu rows of %llu; -n 0 prints all\n", (unsigned long long)rows->nr,
		       (unsigned long long)rows->nr_matched);
	if (!rows->nr_matched)
		printf("none of %llu lives matches\n", (unsigned long long)rows->nr_lives);
	printf("anon9: of order 9; pr: promoted through page tables; pt: protected, moved\n"
	       "on at the old end; is: isolated; ev: its page was evicted before, times.\n"
	       "Began unknown: before the recording, or in a loss; at a negative time:\n"
	       "before the cut of a part.\n");
}

static void print_rows(struct pipeline *p, const struct rows *rows, enum cmd_format format)
{
	struct tables tables = { 0 };
	struct table *table = tables_add(&tables, &results_lives_def);
	int status = pipeline_status(p);
	struct json j;
	uint64_t i;

	if (format == CMD_CSV) {
		results_csv_header(stdout, table->def);
	} else if (format == CMD_JSON) {
		results_json_begin(&j, stdout, "lifetimes");
		json_array(&j, table->def->name);
	}
	for (i = 0; i < rows->nr && !tables.out_of_memory; i++) {
		results_life_row(p, table, &rows->rows[i]);
		if (format == CMD_CSV) {
			results_csv_row(stdout, table, 0);
		} else {
			if (format == CMD_JSONL)
				json_init(&j, stdout, false);
			results_json_row(&j, table, 0);
		}
		table_clear(table);
	}
	tables_release(&tables);
	if (format == CMD_JSON) {
		json_end(&j);
		results_tables(p, &tables, &analysis_lifetimes);
		for (i = 0; i < tables.nr; i++)
			results_json_table(&j, &tables.tables[i]);
		results_json_end(&j, status);
		tables_release(&tables);
	}
}

static int find_name(const char *name, const char *(*name_of)(unsigned), int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(name_of(i), name))
			return i;
	return -1;
}

static bool parse_key(const char *text)
{
	int key;

	sort_descending = *text == '-';
	text += sort_descending;
	for (key = KEY_BORN; key < KEY_NR; key++) {
		if (!strcmp(text, key_names[key])) {
			sort_key = key;
			return true;
		}
	}
	return false;
}

static int parse(int argc, char **argv, struct cmd_read_opts *opts, struct rows *rows,
		 enum cmd_format *format)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "pfn", required_argument, NULL, OPT_PFN },
		{ "memcg", required_argument, NULL, OPT_MEMCG },
		{ "type", required_argument, NULL, OPT_TYPE },
		{ "birth", required_argument, NULL, OPT_BIRTH },
		{ "end", required_argument, NULL, OPT_END },
		{ "sort", required_argument, NULL, 's' },
		{ "limit", required_argument, NULL, 'n' },
		{ "format", required_argument, NULL, 'f' },
		{ NULL, 0, NULL, 0 },
	};
	bool has_limit = false;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "s:n:f:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return -1;
		case OPT_PFN:
			ret = cmd_pfn_range("lifetimes", optarg, &rows->pfn_from, &rows->pfn_to);
			if (ret)
				return ret;
			break;
		case OPT_MEMCG:
			rows->has_memcg = true;
			ret = cmd_memcg("lifetimes", optarg, &rows->memcg);
			if (ret)
				return ret;
			break;
		case OPT_TYPE:
			rows->type = find_name(optarg, type_name, TYPE_NR);
			if (rows->type < 0)
				return cmd_usage_error("lifetimes", "no type is called '%s'",
						       optarg);
			break;
		case OPT_BIRTH:
			rows->birth = find_name(optarg, folio_birth_name, BIRTH_NR);
			if (rows->birth < 0)
				return cmd_usage_error("lifetimes", "no birth is called '%s'",
						       optarg);
			break;
		case OPT_END:
			rows->end = find_name(optarg, folio_end_name, END_NR);
			if (rows->end < 0)
				return cmd_usage_error("lifetimes", "no end is called '%s'",
						       optarg);
			break;
		case 's':
			if (!parse_key(optarg))
				return cmd_usage_error("lifetimes", "cannot sort by '%s'", optarg);
			break;
		case 'n':
			has_limit = true;
			if (!cmd_number(optarg, &rows->limit) || rows->limit > UINT32_MAX)
				return cmd_usage_error("lifetimes", "-n takes a number, not '%s'",
						       optarg);
			break;
		case 'f':
			ret = cmd_format("lifetimes", optarg, (1u << CMD_NR) - 1, format);
			if (ret)
				return ret;
			break;
		default:
			ret = cmd_read_option(opts, "lifetimes", opt);
			if (ret)
				return ret;
		}
	}
	ret = cmd_one_recording("lifetimes", argc, argv, opts);
	if (ret)
		return ret;
	if (!has_limit)
		rows->limit = *format == CMD_TEXT ? 20 : 0;
	return 0;
}

int cmd_lifetimes(int argc, char **argv)
{
	struct cmd_read_opts opts = { .path = "trace.dat" };
	struct rows rows = { .pfn_to = UINT64_MAX, .type = -1, .birth = -1, .end = -1 };
	struct pipeline p;
	struct diag diag;
	enum cmd_format format = CMD_TEXT;
	int ret, status;

	ret = parse(argc, argv, &opts, &rows, &format);
	if (ret)
		return ret < 0 ? cmd_finish(STATUS_OK) : ret;
	opts.pipeline.no_analyses = format == CMD_CSV || format == CMD_JSONL;
	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag))
		return cmd_fail(&diag);
	p.hook_self = &rows;
	p.on_change = collect;
	ret = pipeline_run(&p, &diag);
	if (ret) {
		status = cmd_fail(&diag);
		goto out;
	}
	if (rows.has_memcg && !cmd_has_memcg(&p, rows.memcg)) {
		status = STATUS_FAILED;
		goto out;
	}
	if (rows.out_of_memory) {
		fprintf(stderr, "folioscope: out of memory for the rows; give a limit (-n)\n");
		status = STATUS_FAILED;
		goto out;
	}
	if (sort_key != KEY_NONE) {
		qsort(rows.rows, rows.nr, sizeof(*rows.rows), compare);
		if (rows.limit && rows.nr > rows.limit)
			rows.nr = rows.limit;
	}
	if (format != CMD_TEXT) {
		print_rows(&p, &rows, format);
		if (format != CMD_JSON)
			pipeline_render_caveats(&p, stderr, true);
	} else {
		pipeline_render_caveats(&p, stdout, true);
		print_text(&p, &rows);
		text_heading(stdout, "All lives (filters do not apply)");
		analysis_lifetimes.render(pipeline_self(&p, &analysis_lifetimes), stdout);
	}
	status = cmd_finish(pipeline_status(&p));
out:
	pipeline_release(&p);
	free(rows.rows);
	return status;
}
