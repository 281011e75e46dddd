// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "map.h"
#include "results.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope folio [OPTION]... [FILE] PFN\n"
	"The story of one page frame, event by event: each life of a folio there,\n"
	"with generation and place in its list, and the later lives of the pages\n"
	"that were evicted from it, wherever they came back.\n"
	"\n"
	"  -f, --format KIND  text, json, jsonl or csv\n"
	"      --life N       only this life and what became of its page\n"
	CMD_READ_HELP
	"\n"
	"PFN is decimal or 0x hexadecimal. Lines are of the life in the heading\n"
	"above them. A place counts from the old end of the list: place 1 is next to\n"
	"be scanned; ~ before it: at least. Generations are given by index, and by\n"
	"age in agings: 0 is the youngest. Exit status as of report.\n";

enum { OPT_LIFE = OPT_COMMAND };

#define MAX_ALIVE 256
/* Where details begin, and where a heading goes on. */
#define INDENT 25
#define HEADING_INDENT 4
/* Stands in what is held back for a kind of birth that is not known yet. */
#define BIRTH_TO_COME '@'
#define MAX_BIRTHS_TO_COME 16

/* A followed life that has not ended. */
struct alive {
	uint32_t life;
	uint8_t type;
	uint64_t pfn;
	const struct lruvec *lruvec;
};

/*
 * A page that comes from swap may turn out to be refaulted, by the next event of
 * its folio: what the life began with is not told before.
 */
struct birth_to_come {
	uint32_t life;
	uint8_t birth;
	bool is_known;
};

struct story {
	struct pipeline *p;
	uint64_t pfn;
	uint32_t only_life;		/* 0: all at pfn */
	struct map lives;		/* followed */
	struct map pages;		/* record addresses of followed pages */
	struct alive alive[MAX_ALIVE];
	unsigned nr_alive;
	uint32_t shown_life;		/* of the latest heading */
	uint64_t nr_lives;
	bool has_header;		/* of the columns */
	bool out_of_memory;
	/* what a change is told with, until it is a line or a row */
	FILE *line;
	char *line_text;
	size_t line_bytes;
	/* lines and rows, held back while a birth is to come */
	FILE *held;
	char *held_text;
	size_t held_bytes;
	struct birth_to_come births[MAX_BIRTHS_TO_COME];
	unsigned nr_births, nr_births_unknown;
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

/* Lines that follow are of @life. */
static void under_heading_of(struct story *s, uint32_t life, uint64_t pfn)
{
	if (s->shown_life != life)
		fprintf(s->line, "life %u at pfn 0x%" PRIx64 ", continued\n", life, pfn);
	s->shown_life = life;
}

static void begin_line(struct story *s, const struct change *c, const char *what)
{
	struct text_buf buf;

	if (s->format != CMD_TEXT) {
		fprintf(s->line, "%s ", what);
		return;
	}
	if (c->folio)
		under_heading_of(s, c->folio->life, c->pfn);
	fprintf(s->line, "%12s ", text_seconds(&buf, pipeline_since(s->p, c->ts_ns)));
	if (c->ev)
		fprintf(s->line, "[%u] %-6d ", c->ev->cpu, c->ev->pid);
	else
		fprintf(s->line, "%11s", "");
	fprintf(s->line, "%s ", what);
}

static void print_flags(FILE *out, const struct event *ev)
{
	static const char *const names[] = { NULL, "active", "referenced", "workingset",
					     "lazyfree", "dirty", "writeback", "swapcache" };
	const char *separator = "; flags ";
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
		s->alive[s->nr_alive++] = (struct alive){ c->folio->life, c->folio->type,
							  c->pfn, c->lruvec };
	s->nr_lives++;
}

static bool is_followed(const struct story *s, const struct change *c)
{
	return map_get(&s->lives, c->folio->life, NULL);
}

/* The folio that a split or migration made this one from. */
static void print_origin(struct story *s, const struct change *c)
{
	const struct folio *from = folio_table_find(model_folios(s->p->model), c->ev->pfn);

	fprintf(s->line, " from pfn 0x%" PRIx64, c->ev->pfn);
	if (from && from->life)
		fprintf(s->line, " (life %u)", from->life);
}

static void print_born(struct story *s, const struct change *c)
{
	const struct folio *f = c->folio;

	if (s->format == CMD_TEXT) {
		if (!s->has_header)
			fprintf(s->line, "%12s CPU %-6s event\n", "seconds", "pid");
		s->has_header = true;
		fprintf(s->line, "\nlife %u at pfn 0x%" PRIx64 ": ", f->life, c->pfn);
	}
	s->shown_life = f->life;
	fprintf(s->line, "%s folio of order %u", type_name(f->type), f->order);
	if (c->lruvec)
		fprintf(s->line, ", memcg %" PRIu64 " node %d", c->lruvec->memcg, c->lruvec->nid);
	if (f->birth == BIRTH_UNKNOWN) {
		fprintf(s->line, "; it began before this, unseen\n");
		return;
	}
	if (f->birth != BIRTH_SWAPPED_IN || s->nr_births == MAX_BIRTHS_TO_COME) {
		fprintf(s->line, "; %s", folio_birth_name(f->birth));
	} else {
		fprintf(s->line, "; %c", BIRTH_TO_COME);
		s->births[s->nr_births++] = (struct birth_to_come){ .life = f->life };
		s->nr_births_unknown++;
	}
	if (f->birth == BIRTH_SPLIT || f->birth == BIRTH_MIGRATED)
		print_origin(s, c);
	fputc('\n', s->line);
}

static void print_return(struct story *s, const struct change *c)
{
	const struct page *page = c->page;
	uint64_t nr_pages, nr_agings;
	const struct lruvec *lv;
	struct text_buf buf;

	begin_line(s, c, c->kind == CHANGE_REFAULT ? "refault" : "swapin ");
	if (!page) {
		fprintf(s->line, "its eviction was not seen\n");
		return;
	}
	print_identity(s->line, page);
	if (c->kind == CHANGE_REFAULT && c->folio->last_kind == EV_SWAPIN) {
		fprintf(s->line, ", as swapped in");
	} else if (!page->evict_ns) {
		fprintf(s->line, "; its eviction was not seen");
	} else {
		lv = model_lruvec(s->p->model, page->lruvec);
		nr_pages = lv->nr_reclaimed[page->type] - page->evict_clock;
		fprintf(s->line,
			"; evicted %s before from pfn 0x%" PRIx64 " (life %u); since then %" PRIu64
			" page%s reclaimed",
			text_duration(&buf, c->ts_ns - page->evict_ns), (uint64_t)page->evict_pfn,
			page->evict_life, nr_pages, text_plural(nr_pages));
		if (model_agings(lv, page, &nr_agings))
			fprintf(s->line, ", %" PRIu64 " aging%s", nr_agings,
				text_plural(nr_agings));
	}
	if (c->kind == CHANGE_REFAULT)
		fprintf(s->line, "%s", c->ev->u.page.restored ? "; restored" :
				       c->ev->u.page.recent   ? "; activated" :
								"");
	fputc('\n', s->line);
}

/* Why sort_folio() lets a folio stay: by its tier, or by a full count. */
static void print_tier(FILE *out, const struct event *ev)
{
	if (ev->site != SITE_SORT_PROTECTED)
		fprintf(out, "; refs %u tier %u, evictable up to tier %d", ev->refs, ev->tier,
			ev->tier_idx);
	else if (ev->tier > ev->tier_idx)
		fprintf(out, "; protected: refs %u make tier %u, evictable up to tier %d", ev->refs,
			ev->tier, ev->tier_idx);
	else
		fprintf(out, "; protected: refs %u are all that can be counted, which protects"
			     " in any tier (tier %u, evictable up to tier %d)", ev->refs, ev->tier,
			ev->tier_idx);
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
		print_tier(s->line, ev);
	print_flags(s->line, ev);
	fputc('\n', s->line);
}

static void print_leave(struct story *s, const struct change *c)
{
	uint64_t nr_older = c->nr_older + c->nr_older_gens;

	begin_line(s, c, "del    ");
	fprintf(s->line, "%s: ", site_name(c->ev->site));
	print_gen(s->line, c, c->old_gen);
	if (!c->old_list)
		fprintf(s->line, ", list unknown");
	else if (c->old_list->gen != c->old_gen)
		fprintf(s->line, ", from the list of gen %u", c->old_list->gen);
	if (c->old_list && c->ev->site == SITE_ISOLATE_FOLIO)
		fprintf(s->line, "; %" PRIu64 " known older folio%s", nr_older,
			nr_older == 1 ? " stays" : "s stay");
	print_flags(s->line, c->ev);
	fputc('\n', s->line);
}

static void print_seq(struct story *s, const struct change *c, const struct alive *alive)
{
	const struct event *ev = c->ev;

	if (s->format == CMD_TEXT)
		under_heading_of(s, alive->life, alive->pfn);
	begin_line(s, c, ev->kind == EV_MAX_SEQ ? "max_seq" : "min_seq");
	if (ev->kind == EV_MAX_SEQ) {
		fprintf(s->line, "aging: memcg %" PRIu64 " node %d max_seq is %" PRIu64, ev->memcg,
			ev->nid, ev->u.lruvec.max_seq);
		fprintf(s->line, "; every age grows by 1\n");
		return;
	}
	fprintf(s->line, "%s: %s min_seq %" PRIu64 " -> %" PRIu64, site_name(ev->site),
		type_name(ev->type), ev->u.min_seq.old_seq, ev->u.min_seq.new_seq);
	if (ev->u.min_seq.relabel)
		fprintf(s->line, "; RELABEL: %" PRIu64 " page%s stay in gen %" PRIu64
			", which the next aging makes the youngest", ev->u.min_seq.nr_pages,
			text_plural(ev->u.min_seq.nr_pages),
			ev->u.min_seq.old_seq % c->lruvec->nr_gens);
	fputc('\n', s->line);
}

static void print_end(struct story *s, const struct change *c)
{
	struct text_buf buf;

	begin_line(s, c, "end    ");
	fprintf(s->line, "%s after %s%s\n",
		c->end == END_RESIDENT ? "still resident when the recording ends," :
		c->end == END_LOST     ? "lost from sight (events were lost)," :
		c->end == END_SWITCHED ? "not followed on: MGLRU was off, switched, or maybe off," :
		c->end == END_REUSED   ? "over: its page frame began another life," :
					 folio_end_name(c->end),
		text_duration(&buf, c->ts_ns - c->folio->birth_ns),
		c->folio->birth == BIRTH_UNKNOWN ? " at least" : "");
}

/*
 * Events of a whole lruvec concern a story while one of its folios is there, a
 * step of min_seq those of its type. Returns such a life, of the latest heading
 * if it can be, or NULL.
 */
static const struct alive *concerned(const struct story *s, const struct change *c)
{
	const struct alive *found = NULL;
	unsigned i;

	for (i = 0; i < s->nr_alive; i++) {
		const struct alive *alive = &s->alive[i];

		if (alive->lruvec != c->lruvec ||
		    (c->ev->kind == EV_MIN_SEQ && alive->type != c->ev->type))
			continue;
		if (!found || alive->life == s->shown_life)
			found = alive;
	}
	return found;
}

static void ended(struct story *s, uint32_t life)
{
	unsigned i;

	for (i = 0; i < s->nr_alive; i++)
		if (s->alive[i].life == life)
			s->alive[i--] = s->alive[--s->nr_alive];
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

static void add_row(struct story *s, const struct change *c, enum change_kind kind)
{
	struct table *table = s->table;
	const char *what = kind < sizeof(change_names) / sizeof(change_names[0]) ?
				   change_names[kind] :
				   NULL;

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
	cell_int(table, kind == CHANGE_BORN ? -1 : c->old_gen);
	cell_int(table, kind == CHANGE_BORN ? -1 : c->new_gen);
	if (kind != CHANGE_BORN && c->new_gen >= 0 && c->lruvec && c->lruvec->seq_known)
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
			results_csv_header(s->held, table->def);
		if (s->format == CMD_JSON) {
			results_json_begin(&s->json, s->held, "folio");
			json_array(&s->json, table->def->name);
		}
	}
	if (s->format == CMD_CSV) {
		results_csv_row(s->held, table, 0);
	} else {
		if (s->format == CMD_JSONL)
			json_init(&s->json, s->held, false);
		results_json_row(&s->json, table, 0);
	}
	table_clear(table);
}

/* What was told goes behind what is held back, as lines or as a row. */
static void end_of_change(struct story *s, const struct change *c, enum change_kind kind)
{
	fflush(s->line);
	if (!s->line_bytes)
		return;
	s->line_text[s->line_bytes] = '\0';
	if (s->format == CMD_TEXT)
		fputs(s->line_text, s->held);
	else
		add_row(s, c, kind);
	rewind(s->line);
	s->line_bytes = 0;
}

static void tell(struct story *s, const struct change *c)
{
	const struct alive *alive;
	uint32_t page_key = 0;
	unsigned i;

	if (!c->folio) {
		alive = c->kind == CHANGE_SEQ ? concerned(s, c) : NULL;
		if (alive)
			print_seq(s, c, alive);
		return;
	}

	if (c->kind == CHANGE_BORN) {
		if (c->pfn == s->pfn && (!s->only_life || c->folio->life == s->only_life)) {
			follow(s, c);
			print_born(s, c);
		}
		return;
	}
	if ((c->kind == CHANGE_REFAULT || c->kind == CHANGE_SWAPIN) && c->page &&
	    !is_followed(s, c) && map_get(&s->pages, (uintptr_t)c->page, &page_key)) {
		follow(s, c);
		print_born(s, c);
		end_of_change(s, c, CHANGE_BORN);
	}
	if (!is_followed(s, c))
		return;
	for (i = 0; i < s->nr_alive; i++) {
		if (s->alive[i].life != c->folio->life)
			continue;
		s->alive[i].type = c->folio->type;
		if (c->lruvec)
			s->alive[i].lruvec = c->lruvec;
	}

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

/* Put the births in, and print everything. */
static void release_held(struct story *s)
{
	const struct birth_to_come *birth = s->births;
	char *full, *text, *end;
	size_t nr_bytes;
	FILE *out;

	fflush(s->held);
	if (!s->held_bytes)
		return;
	out = open_memstream(&full, &nr_bytes);
	if (!out) {
		s->out_of_memory = true;
		return;
	}
	for (text = s->held_text; text < s->held_text + s->held_bytes; text++) {
		if (*text == BIRTH_TO_COME && birth < s->births + s->nr_births)
			fputs(folio_birth_name((birth++)->birth), out);
		else
			fputc(*text, out);
	}
	s->nr_births = s->nr_births_unknown = 0;
	rewind(s->held);
	s->held_bytes = 0;
	if (fclose(out)) {
		s->out_of_memory = true;
		return;
	}
	if (s->format != CMD_TEXT)
		fwrite(full, 1, nr_bytes, stdout);
	/* every change is told in whole lines */
	for (text = full; s->format == CMD_TEXT && *text; text = end + 1) {
		end = strchr(text, '\n');
		*end = '\0';
		text_wrap(stdout, text, *text == ' ' ? INDENT : HEADING_INDENT);
	}
	free(full);
}

/* What follows a swap-in tells what the life began with; a loss hides it. */
static void learn_births(struct story *s, const struct change *c)
{
	unsigned i;

	if (c->kind == CHANGE_BORN || c->kind == CHANGE_SWAPIN)
		return;
	for (i = 0; i < s->nr_births; i++) {
		struct birth_to_come *birth = &s->births[i];

		if (birth->is_known || (c->kind != CHANGE_LOST &&
					!(c->folio && c->folio->life == birth->life)))
			continue;
		birth->birth = c->kind == CHANGE_LOST ? BIRTH_SWAPPED_IN : c->folio->birth;
		birth->is_known = true;
		s->nr_births_unknown--;
	}
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
	release_held(s);
	results_tables(s->p, &tables, NULL);
	for (i = 0; i < tables.nr; i++)
		results_json_table(&s->json, &tables.tables[i]);
	results_json_end(&s->json, pipeline_status(s->p));
	release_held(s);
	tables_release(&tables);
}

static void on_change(void *self, const struct change *c)
{
	struct story *s = self;

	tell(s, c);
	end_of_change(s, c, c->kind);
	if (s->nr_births_unknown)
		learn_births(s, c);
	if (!s->nr_births_unknown)
		release_held(s);
}

/* Nothing was printed: say why, and what would print something. */
static int not_found(const struct story *s)
{
	if (!s->only_life || !cmd_has_pfn(s->p, s->pfn))
		return cmd_no_pfn(s->p, s->pfn);
	if (s->p->stopped) {
		fprintf(stderr,
			"folioscope: %s: interrupted, no life %u at pfn 0x%" PRIx64 " up to then\n",
			s->p->path, s->only_life, s->pfn);
		return STATUS_FAILED;
	}
	fprintf(stderr,
		"folioscope: %s: no life %u at pfn 0x%" PRIx64 " (the last there was life %u); "
		"try without --life\n",
		s->p->path, s->only_life, s->pfn,
		folio_table_find(model_folios(s->p->model), s->pfn)->life);
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
	if (argc - optind > (opts.has_input ? 1 : 2))
		return cmd_usage_error("folio", "one recording and one PFN at a time");
	if (argc - optind == 2)
		opts.path = argv[optind++];
	if (argc == optind)
		return cmd_usage_error("folio", "which PFN? (folioscope lifetimes lists them)");
	pfn = argv[optind];
	if (!cmd_number(pfn, &story.pfn) && argc == 2 && !access(pfn, F_OK))
		return cmd_usage_error("folio",
				       "which PFN of %s? (folioscope lifetimes lists them)", pfn);
	if (!cmd_number(pfn, &story.pfn))
		return cmd_usage_error("folio", "'%s' is not a page frame number", pfn);

	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag))
		return cmd_fail(&diag);
	story.line = open_memstream(&story.line_text, &story.line_bytes);
	story.held = open_memstream(&story.held_text, &story.held_bytes);
	if (!story.line || !story.held) {
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
		printf("\n%" PRIu64 " %s\n", story.nr_lives,
		       story.nr_lives == 1 ? "life" : "lives");
		pipeline_render_caveats(&p, stdout, true);
		status = cmd_finish(pipeline_status(&p));
	}
	pipeline_release(&p);
	map_release(&story.lives);
	map_release(&story.pages);
	tables_release(&story.tables);
	fclose(story.line);
	fclose(story.held);
	free(story.line_text);
	free(story.held_text);
	return status;
}
