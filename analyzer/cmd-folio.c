// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "map.h"
#include "results.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope folio [OPTION]... FILE PFN\n"
	"The story of one page frame, event by event: each life of a folio there, with\n"
	"generation and place in its list, and the later lives of the pages that were\n"
	"evicted from it, wherever they came back.\n"
	"\n"
	"  -f, --format KIND  text, json, jsonl or csv\n"
	"      --life N       only this life and what became of its page\n"
	CMD_READ_HELP
	"\n"
	"PFN is decimal or 0x hexadecimal. A place counts from the old end of the list:\n"
	"place 1 is next to be scanned; ~ before it: at least. Generations are given by\n"
	"index, and by age in agings: 0 is the youngest. Exit status as of report.\n";

enum { OPT_LIFE = OPT_COMMAND };

#define MAX_ALIVE 256
/* Where details begin. */
#define INDENT 25

/* A followed life that has not ended. */
struct alive {
	uint32_t life;
	const struct lruvec *lruvec;
};

struct story {
	struct pipeline *p;
	uint64_t pfn;
	uint32_t only_life;		/* 0: all at pfn */
	struct map lives;		/* followed */
	struct map pages;		/* record addresses of followed pages */
	struct alive alive[MAX_ALIVE];
	unsigned nr_alive;
	uint64_t nr_lines, nr_lives;
	uint64_t seen_from, seen_to;	/* pfns in the recording */
	bool out_of_memory;
	/* what a change is told with, until it is printed in lines that fit */
	FILE *line;
	char *line_text;
	size_t line_bytes;
	/* other formats: a row per change */
	enum cmd_format format;
	struct tables tables;
	struct table *table;
	struct json json;
	uint64_t nr_rows;
};

static void print_place(const struct story *s, const struct folio *f, const struct change *c)
{
	const struct model_list *list;

	if (!f->list)
		return;
	list = model_list_at(s->p->model, f->list - 1);
	fprintf(s->line, ", place %s%u of %u", c->lruvec && c->lruvec->complete ? "" : "~",
	       lrulist_rank(&list->order, f->label) + 1, list->order.nr_folios);
}

static void print_gen(FILE *out, const struct change *c, int gen)
{
	if (gen < 0) {
		fprintf(out, "none");
		return;
	}
	fprintf(out, "gen %d", gen);
	if (c->lruvec && c->lruvec->seq_known)
		fprintf(out, " (age %u)", model_age(c->lruvec, gen));
}

static void begin_line(struct story *s, const struct change *c, const char *what)
{
	struct text_buf buf;

	s->nr_lines++;
	if (s->format != CMD_TEXT) {
		fprintf(s->line, "%s ", what);
		return;
	}
	fprintf(s->line, "%12s ", text_seconds(&buf, pipeline_since(s->p, c->ts_ns)));
	if (c->ev)
		fprintf(s->line, "[%u] %-6d ", c->ev->cpu, c->ev->pid);
	else
		fprintf(s->line, "%11s", "");
	if (c->folio && c->pfn != s->pfn)
		fprintf(s->line, "pfn 0x%" PRIx64 " ", c->pfn);
	fprintf(s->line, "%s ", what);
}

static void print_flags(FILE *out, const struct event *ev)
{
	static const char *const names[] = { NULL, "active", "referenced", "workingset",
					     "lazyfree", "dirty", "writeback", "swapcache" };
	const char *separator = "; ";
	unsigned i;

	for (i = 1; i < 8; i++) {
		if (!(ev->flags & 1u << i))
			continue;
		fprintf(out, "%s%s", separator, names[i]);
		separator = "|";
	}
}

static void print_identity(FILE *out, const struct page *page)
{
	if (page->backing == BACKING_SWAP)
		fprintf(out, "swap entry 0x%" PRIx64, page->index);
	else if (page->backing == BACKING_FILE)
		fprintf(out, "dev %u:%u ino %" PRIu64 " index %" PRIu64, page->dev >> 20,
		       page->dev & 0xfffff, page->ino, page->index);
	else
		fprintf(out, "identity unknown");
}

static void follow(struct story *s, const struct change *c)
{
	if (map_set(&s->lives, c->folio->life, 1))
		s->out_of_memory = true;
	if (s->nr_alive < MAX_ALIVE)
		s->alive[s->nr_alive++] = (struct alive){ c->folio->life, c->lruvec };
	s->nr_lives++;
}

static bool is_followed(const struct story *s, const struct change *c)
{
	return map_get(&s->lives, c->folio->life, NULL);
}

static void print_born(FILE *out, const struct change *c)
{
	const struct folio *f = c->folio;

	fprintf(out, "\nlife %u at pfn 0x%" PRIx64 ": %s folio of order %u", f->life, c->pfn,
	       type_name(f->type), f->order);
	if (c->lruvec)
		fprintf(out, ", memcg %" PRIu64 " node %d", c->lruvec->memcg, c->lruvec->nid);
	fprintf(out, "; %s\n", f->birth == BIRTH_UNKNOWN ?
				 "it began before this, unseen" :
				 folio_birth_name(f->birth));
}

static void print_return(struct story *s, const struct change *c)
{
	const struct page *page = c->page;
	struct text_buf buf;
	const struct lruvec *lv;

	begin_line(s, c, c->kind == CHANGE_REFAULT ? "refault" : "swapin ");
	if (!page) {
		fprintf(s->line, "its eviction was not seen\n");
		return;
	}
	print_identity(s->line, page);
	if (!page->evict_ns) {
		fprintf(s->line, "; its eviction was not seen\n");
		return;
	}
	lv = model_lruvec(s->p->model, page->lruvec);
	fprintf(s->line, "\n%25sevicted %s before from pfn 0x%" PRIx64 " (life %u);\n"
	       "%25ssince then %" PRIu64 " pages reclaimed",
	       "", text_duration(&buf, c->ts_ns - page->evict_ns), page->evict_pfn,
	       page->evict_life, "",
	       lv->nr_reclaimed[page->type] - page->evict_clock);
	if (page->evict_max_seq && lv->seq_known)
		fprintf(s->line, ", %" PRIu64 " aging%s", lv->max_seq - page->evict_max_seq,
		       lv->max_seq - page->evict_max_seq == 1 ? "" : "s");
	if (c->kind == CHANGE_REFAULT)
		fprintf(s->line, "%s", c->ev->u.page.restored ? "; restored" :
			     c->ev->u.page.recent   ? "; activated" :
						      "");
	fputc('\n', s->line);
}

static void print_move(struct story *s, const struct change *c)
{
	const struct event *ev = c->ev;

	begin_line(s, c, "move   ");
	fprintf(s->line, "%s: ", site_name(ev->site));
	print_gen(s->line, c, ev->old_gen);
	if (c->old_list != c->new_list || !c->old_list) {
		fprintf(s->line, " -> ");
		print_gen(s->line, c, ev->new_gen);
	}
	fprintf(s->line, " %s", ev->flags & FOLIO_TAIL ? "tail" : "head");
	print_place(s, c->folio, c);
	if (ev->kind == EV_MOVE && ev->tier_idx >= 0)
		fprintf(s->line, "; refs %u tier %u, evictable up to tier %d", ev->refs, ev->tier,
		       ev->tier_idx);
	print_flags(s->line, ev);
	fputc('\n', s->line);
}

static void print_leave(struct story *s, const struct change *c)
{
	begin_line(s, c, "del    ");
	fprintf(s->line, "%s: ", site_name(c->ev->site));
	print_gen(s->line, c, c->old_gen);
	if (!c->old_list)
		fprintf(s->line, ", list unknown");
	else if (c->old_list->gen != c->old_gen)
		fprintf(s->line, ", from the list of gen %u", c->old_list->gen);
	if (c->old_list && c->ev->site == SITE_ISOLATE_FOLIO)
		fprintf(s->line, "; %" PRIu64 " known older folios stay", c->nr_older + c->nr_older_gens);
	print_flags(s->line, c->ev);
	fputc('\n', s->line);
}

static void print_seq(struct story *s, const struct change *c)
{
	const struct event *ev = c->ev;

	begin_line(s, c, ev->kind == EV_MAX_SEQ ? "max_seq" : "min_seq");
	if (ev->kind == EV_MAX_SEQ) {
		fprintf(s->line, "aging: memcg %" PRIu64 " node %d max_seq is %" PRIu64, ev->memcg, ev->nid,
		       ev->u.lruvec.max_seq);
		fprintf(s->line, "; every age grows by 1\n");
		return;
	}
	fprintf(s->line, "%s: %s min_seq %" PRIu64 " -> %" PRIu64, site_name(ev->site), type_name(ev->type),
	       ev->u.min_seq.old_seq, ev->u.min_seq.new_seq);
	if (ev->u.min_seq.relabel)
		fprintf(s->line, "\n%25sRELABEL: %" PRIu64 " pages stay in gen %" PRIu64
		       ", which the next aging\n%25smakes the youngest",
		       "", ev->u.min_seq.nr_pages, ev->u.min_seq.old_seq % c->lruvec->nr_gens, "");
	fputc('\n', s->line);
}

static void print_end(struct story *s, const struct change *c)
{
	struct text_buf buf;

	begin_line(s, c, "end    ");
	fprintf(s->line, "%s after %s%s\n",
	       c->end == END_RESIDENT ? "still resident when the recording ends," :
	       c->end == END_LOST     ? "lost from sight (events were lost)," :
	       c->end == END_SWITCHED ? "not followed on: MGLRU was switched off or on," :
	       c->end == END_REUSED   ? "over: its page frame began another life," :
					folio_end_name(c->end),
	       text_duration(&buf, c->ts_ns - c->folio->birth_ns),
	       c->folio->birth == BIRTH_UNKNOWN ? " at least" : "");
}

/* Events of a whole lruvec concern a story while one of its folios is there. */
static bool concerns(const struct story *s, const struct change *c)
{
	unsigned i;

	for (i = 0; i < s->nr_alive; i++)
		if (s->alive[i].lruvec == c->lruvec)
			return true;
	return false;
}

static void ended(struct story *s, uint32_t life)
{
	unsigned i;

	for (i = 0; i < s->nr_alive; i++)
		if (s->alive[i].life == life)
			s->alive[i--] = s->alive[--s->nr_alive];
}

static void tell(struct story *s, const struct change *c)
{
	uint32_t page_key = 0;
	unsigned i;

	if (!c->folio) {
		if (c->kind == CHANGE_SEQ && concerns(s, c))
			print_seq(s, c);
		return;
	}
	if (!s->seen_to || c->pfn < s->seen_from)
		s->seen_from = c->pfn;
	if (c->pfn > s->seen_to)
		s->seen_to = c->pfn;

	if (c->kind == CHANGE_BORN) {
		if (c->pfn == s->pfn && (!s->only_life || c->folio->life == s->only_life)) {
			follow(s, c);
			print_born(s->line, c);
		}
		return;
	}
	if ((c->kind == CHANGE_REFAULT || c->kind == CHANGE_SWAPIN) && c->page &&
	    !is_followed(s, c) && map_get(&s->pages, (uintptr_t)c->page, &page_key)) {
		follow(s, c);
		print_born(s->line, c);
	}
	if (!is_followed(s, c))
		return;
	for (i = 0; i < s->nr_alive; i++)
		if (s->alive[i].life == c->folio->life && c->lruvec)
			s->alive[i].lruvec = c->lruvec;

	switch (c->kind) {
	case CHANGE_ENTER:
		begin_line(s, c, "add    ");
		fprintf(s->line, "%s: to ", site_name(c->ev->site));
		print_gen(s->line, c, c->ev->new_gen);
		fprintf(s->line, " %s", c->ev->flags & FOLIO_TAIL ? "tail" : "head");
		print_place(s, c->folio, c);
		print_flags(s->line, c->ev);
		fputc('\n', s->line);
		break;
	case CHANGE_LEAVE:
		print_leave(s, c);
		break;
	case CHANGE_UPDATE:
		begin_line(s, c, "update ");
		fprintf(s->line, "%s: ", site_name(c->ev->site));
		print_gen(s->line, c, c->ev->old_gen);
		fprintf(s->line, " -> ");
		print_gen(s->line, c, c->ev->new_gen);
		if (c->is_late)
			fprintf(s->line, ", stamped late");
		else if (c->folio->list)
			fprintf(s->line, ", stays on the list of gen %u",
			       model_list_at(s->p->model, c->folio->list - 1)->gen);
		fputc('\n', s->line);
		break;
	case CHANGE_ACCESSED:
		begin_line(s, c, "update ");
		fprintf(s->line, "%s: seen while isolated\n", site_name(c->ev->site));
		break;
	case CHANGE_MOVE:
		print_move(s, c);
		break;
	case CHANGE_SPLIT:
		begin_line(s, c, "split  ");
		fprintf(s->line, "order %u -> %u, %s\n", c->ev->order, c->ev->u.split.new_order,
		       c->ev->u.split.on_lru ? "the others beside it" : "off the list");
		break;
	case CHANGE_OUTCOME:
		begin_line(s, c, "reclaim");
		fprintf(s->line, "%s", outcome_name(c->ev->u.reclaim.outcome));
		if (c->ev->u.reclaim.reason != REASON_NONE)
			fprintf(s->line, ": %s", reason_name(c->ev->u.reclaim.reason));
		print_flags(s->line, c->ev);
		fputc('\n', s->line);
		break;
	case CHANGE_EVICT:
		begin_line(s, c, "evict  ");
		fprintf(s->line, "leaves a shadow; ");
		if (c->page) {
			print_identity(s->line, c->page);
			if (map_set(&s->pages, (uintptr_t)c->page, 1))
				s->out_of_memory = true;
		}
		fprintf(s->line, "; tier %u\n", c->ev->tier);
		break;
	case CHANGE_REFAULT:
	case CHANGE_SWAPIN:
		print_return(s, c);
		break;
	case CHANGE_LAZYFREE:
		begin_line(s, c, "lazyfree");
		fprintf(s->line, "%s\n", lazyfree_name(c->ev->u.lazyfree.stage));
		break;
	case CHANGE_HITSHIELD:
		begin_line(s, c, "shield ");
		fprintf(s->line, "%s: count %u -> %u%s\n", hitshield_name(c->ev->u.hitshield.cause),
		       c->ev->u.hitshield.old_count, c->ev->u.hitshield.new_count,
		       c->ev->u.hitshield.shield ? ", shielded" : "");
		break;
	case CHANGE_END:
		print_end(s, c);
		ended(s, c->folio->life);
		break;
	default:
		break;
	}
}

static const char *const change_names[] = {
	[CHANGE_BORN] = "born",		  [CHANGE_ENTER] = "add",
	[CHANGE_LEAVE] = "del",		  [CHANGE_UPDATE] = "update",
	[CHANGE_ACCESSED] = "accessed",	  [CHANGE_MOVE] = "move",
	[CHANGE_SPLIT] = "split",	  [CHANGE_OUTCOME] = "reclaim",
	[CHANGE_EVICT] = "evict",	  [CHANGE_REFAULT] = "refault",
	[CHANGE_SWAPIN] = "swapin",	  [CHANGE_LAZYFREE] = "lazyfree",
	[CHANGE_HITSHIELD] = "hitshield", [CHANGE_END] = "end",
	[CHANGE_SEQ] = "seq",
};

/* What was told, with single spaces, in place. */
static char *squeeze(char *text)
{
	char *from = text, *to = text;

	for (; *from; from++) {
		bool space = *from == ' ' || *from == '\n';

		if (!space)
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	while (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
	return text;
}

static void add_row(struct story *s, const struct change *c)
{
	struct table *table = s->table;
	const char *what = c->kind < sizeof(change_names) / sizeof(change_names[0]) ?
				   change_names[c->kind] :
				   NULL;

	s->line_text[s->line_bytes] = '\0';
	cell_count(table, pipeline_since(s->p, c->ts_ns));
	if (c->ev) {
		cell_count(table, c->ev->cpu);
		cell_int(table, c->ev->pid);
	} else {
		cell_absent(table);
		cell_absent(table);
	}
	if (c->folio) {
		cell_count(table, c->folio->life);
		cell_count(table, c->pfn);
	} else {
		cell_absent(table);
		cell_absent(table);
	}
	cell_name(table, what ? what : "?");
	if (c->ev && c->ev->site < SITE_NR && c->ev->site)
		cell_name(table, site_name(c->ev->site));
	else
		cell_absent(table);
	cell_int(table, c->old_gen);
	cell_int(table, c->new_gen);
	if (c->new_gen >= 0 && c->lruvec && c->lruvec->seq_known)
		cell_count(table, model_age(c->lruvec, c->new_gen));
	else
		cell_absent(table);
	cell_text(table, squeeze(s->line_text));
	if (s->tables.out_of_memory) {
		s->out_of_memory = true;
		return;
	}
	if (!s->nr_rows++) {
		if (s->format == CMD_CSV)
			results_csv_header(stdout, table->def);
		if (s->format == CMD_JSON) {
			results_json_begin(&s->json, stdout, "folio");
			json_array(&s->json, table->def->name);
		}
	}
	if (s->format == CMD_CSV) {
		results_csv_row(stdout, table, 0);
	} else {
		if (s->format == CMD_JSONL)
			json_init(&s->json, stdout, false);
		results_json_row(&s->json, table, 0);
	}
	table_clear(table);
}

/* The document ends with what the recording is. */
static void end_rows(struct story *s)
{
	struct tables tables = { 0 };
	unsigned i;

	if (s->format != CMD_JSON) {
		pipeline_render_caveats(s->p, stderr, true);
		return;
	}
	json_end(&s->json);
	results_tables(s->p, &tables, NULL);
	for (i = 0; i < tables.nr; i++)
		results_json_table(&s->json, &tables.tables[i]);
	results_json_end(&s->json, pipeline_status(s->p));
	tables_release(&tables);
}

static void on_change(void *self, const struct change *c)
{
	struct story *s = self;
	char *text, *end;

	tell(s, c);
	fflush(s->line);
	if (!s->line_bytes)
		return;
	if (s->format != CMD_TEXT) {
		add_row(s, c);
		rewind(s->line);
		s->line_bytes = 0;
		return;
	}
	/* every change is told in whole lines */
	for (text = s->line_text; text < s->line_text + s->line_bytes; text = end + 1) {
		end = strchr(text, '\n');
		*end = '\0';
		text_wrap(stdout, text, INDENT);
	}
	rewind(s->line);
	s->line_bytes = 0;
}

/* Nothing was printed: say why, and what would print something. */
static int not_found(struct story *s)
{
	const struct folio_table *folios = model_folios(s->p->model);
	const struct folio *f = folio_table_find(folios, s->pfn);
	unsigned order;

	fprintf(stderr, "folioscope: %s: ", s->p->path);
	if (s->only_life && f && f->life) {
		fprintf(stderr, "no life %u at pfn 0x%" PRIx64 " (the last there was life %u); "
				"try without --life\n",
			s->only_life, s->pfn, f->life);
		return STATUS_FAILED;
	}
	for (order = 1; order <= FOLIO_MAX_ORDER; order++) {
		uint64_t head = s->pfn >> order << order;

		f = folio_table_find(folios, head);
		if (head == s->pfn || !f || !f->life || f->order < order)
			continue;
		fprintf(stderr, "pfn 0x%" PRIx64 " is a tail page; its folio is pfn 0x%" PRIx64 "\n",
			s->pfn, head);
		return STATUS_FAILED;
	}
	fprintf(stderr, "no event of pfn 0x%" PRIx64 " (folios seen: 0x%" PRIx64 " to 0x%" PRIx64
			"); folioscope lifetimes lists them\n",
		s->pfn, s->seen_from, s->seen_to);
	return STATUS_FAILED;
}

int cmd_folio(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ "life", required_argument, NULL, OPT_LIFE },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat", .pipeline.no_analyses = true };
	struct story story = { 0 };
	struct pipeline p;
	struct diag diag;
	const char *pfn;
	uint64_t value;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "f:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case 'f':
			ret = cmd_format("folio", optarg, (1u << CMD_NR) - 1, &story.format);
			if (ret)
				return ret;
			break;
		case OPT_LIFE:
			if (!cmd_number(optarg, &value) || !value || value > UINT32_MAX)
				return cmd_usage_error("folio", "--life takes a number, not '%s'",
						       optarg);
			story.only_life = value;
			break;
		default:
			ret = cmd_read_option(&opts, "folio", opt);
			if (ret)
				return ret;
		}
	}
	if (argc - optind > 2)
		return cmd_usage_error("folio", "one recording and one PFN at a time");
	if (argc - optind == 2)
		opts.path = argv[optind++];
	if (argc == optind)
		return cmd_usage_error("folio", "which PFN? (folioscope lifetimes lists them)");
	pfn = argv[optind];
	if (!cmd_number(pfn, &story.pfn))
		return cmd_usage_error("folio", "'%s' is not a page frame number", pfn);

	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag))
		return cmd_fail(&diag);
	story.line = open_memstream(&story.line_text, &story.line_bytes);
	if (!story.line) {
		pipeline_release(&p);
		diag_set(&diag, ERR_NOMEM, "%s: %s", opts.path, err_text(ERR_NOMEM));
		return cmd_fail(&diag);
	}
	story.table = tables_add(&story.tables, &results_story_def);
	story.p = &p;
	p.hook_self = &story;
	p.on_change = on_change;
	ret = pipeline_run(&p, &diag);
	if (ret) {
		status = cmd_fail(&diag);
	} else if (!story.nr_lives) {
		status = not_found(&story);
	} else if (story.out_of_memory) {
		fprintf(stderr, "folioscope: out of memory, the story is incomplete\n");
		status = STATUS_FAILED;
	} else if (story.format != CMD_TEXT) {
		end_rows(&story);
		status = cmd_finish(pipeline_status(&p));
	} else {
		printf("\n%" PRIu64 " %s\n", story.nr_lives, story.nr_lives == 1 ? "life" : "lives");
		pipeline_render_caveats(&p, stdout, true);
		status = cmd_finish(pipeline_status(&p));
	}
	pipeline_release(&p);
	map_release(&story.lives);
	map_release(&story.pages);
	tables_release(&story.tables);
	fclose(story.line);
	free(story.line_text);
	return status;
}
