// SPDX-License-Identifier: GPL-2.0-only
#include "html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assets.h"
#include "err.h"
#include "json.h"
#include "png.h"
#include "svg.h"
#include "text.h"

#define WIDTH 640
#define LEFT 76
#define RIGHT 22

static const char *const type_titles[TYPE_NR] = { "Anonymous memory", "Files" };

/*
 * what the second pass remembers
 */

/* Room for one more moment, or NULL. */
static struct html_moment *add_moment(struct html_side *side, struct html_story *story)
{
	if (!story->moments) {
		story->moments = malloc(HTML_MAX_MOMENTS * sizeof(*story->moments));
		if (!story->moments) {
			side->out_of_memory = true;
			return NULL;
		}
	}
	if (story->nr_moments == HTML_MAX_MOMENTS) {
		story->nr_left_out++;
		return NULL;
	}
	return &story->moments[story->nr_moments++];
}

/* Every folio of the lruvec is one generation older. */
static void note_aging(struct html_side *side, const struct change *c)
{
	unsigned i, nr_gens = c->lruvec->nr_gens;

	for (i = 0; i < side->chosen.nr; i++) {
		struct html_story *story = &side->stories[i];
		struct html_moment *m;

		if (story->lruvec != c->lruvec || story->gen < 0)
			continue;
		m = add_moment(side, story);
		if (m)
			*m = (struct html_moment){
				.ts_ns = c->ts_ns > side->first_ts_ns ? c->ts_ns - side->first_ts_ns : 0,
				.life = m > story->moments ? m[-1].life : 0,
				.kind = CHANGE_SEQ,
				.old_gen = story->gen,
				.new_gen = story->gen,
				/* the model is told before it takes the step */
				.age = (c->ev->u.lruvec.max_seq % nr_gens + nr_gens -
					story->gen % nr_gens) % nr_gens,
			};
	}
}

void html_note(void *self, const struct change *c)
{
	struct html_side *side = self;
	struct html_moment *m;
	struct html_story *story;
	int at;

	if (c->kind == CHANGE_SEQ && c->lruvec && c->ev->kind == EV_MAX_SEQ &&
	    c->lruvec->seq_known)
		note_aging(side, c);
	if (!c->folio)
		return;
	at = chosen_index(&side->chosen, c->pfn);
	if (at < 0)
		return;
	story = &side->stories[at];
	story->lruvec = c->lruvec;
	story->gen = c->kind == CHANGE_END ? -1 : c->folio->gen;
	m = add_moment(side, story);
	if (!m)
		return;
	*m = (struct html_moment){
		.ts_ns = c->ts_ns > side->first_ts_ns ? c->ts_ns - side->first_ts_ns : 0,
		.life = c->folio->life,
		.kind = c->kind,
		.old_gen = c->old_gen,
		.new_gen = c->new_gen,
		.age = -1,
	};
	if (c->new_gen >= 0 && c->lruvec && c->lruvec->seq_known)
		m->age = model_age(c->lruvec, c->new_gen);
	switch (c->kind) {
	case CHANGE_BORN:
		m->detail = c->folio->birth;
		m->detail2 = c->folio->type;
		break;
	case CHANGE_END:
		m->detail = c->end;
		break;
	case CHANGE_OUTCOME:
		m->detail = c->ev->u.reclaim.outcome;
		m->detail2 = c->ev->u.reclaim.reason;
		break;
	case CHANGE_LAZYFREE:
		m->detail = c->ev->u.lazyfree.stage;
		break;
	case CHANGE_HITSHIELD:
		m->detail = c->ev->u.hitshield.cause;
		m->detail2 = c->ev->u.hitshield.new_count;
		break;
	case CHANGE_REFAULT:
	case CHANGE_SWAPIN:
		if (c->page && c->page->evict_ns && c->ts_ns >= c->page->evict_ns) {
			m->from_pfn = c->page->evict_pfn;
			m->away_ns = c->ts_ns - c->page->evict_ns;
		}
		break;
	case CHANGE_ENTER:
	case CHANGE_LEAVE:
	case CHANGE_UPDATE:
	case CHANGE_ACCESSED:
	case CHANGE_MOVE:
		m->site = c->ev->site;
		m->has_site = true;
		break;
	default:
		break;
	}
}

bool html_wants_event(void *self, const struct event *ev)
{
	const struct html_side *side = self;

	switch (ev->kind) {
	case EV_MAX_SEQ:
	case EV_MIN_SEQ:
	case EV_STATE:
	case EV_LOST:
	case EV_GAP:
		return true;
	case EV_MIGRATE:
		if (chosen_index(&side->chosen, ev->u.migrate.new_pfn) >= 0)
			return true;
		break;
	default:
		break;
	}
	return chosen_index(&side->chosen, ev->pfn) >= 0;
}

/*
 * reading the tables
 */

static double number(const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_COUNT:
	case CELL_ID:
		return cell->u;
	case CELL_INT:
		return cell->i;
	case CELL_REAL:
		return cell->real;
	default:
		return NAN;
	}
}

static const struct table *find(const struct html_side *side, const char *name)
{
	return tables_find(&side->tables, name);
}

static bool is_text(const struct table *table, uint64_t row, unsigned column, const char *text)
{
	const struct cell *cell = table_cell(table, row, column);

	return cell->kind == CELL_TEXT && !strcmp(cell->text, text);
}

/*
 * pieces of the page
 */

static void paragraph(FILE *out, const char *text)
{
	fputs("<p>", out);
	svg_escape(out, text);
	fputs("</p>\n", out);
}

static void begin_section(FILE *out, const char *id, const char *title, const char *text)
{
	fprintf(out, "<section id=\"%s\"><h2>", id);
	svg_escape(out, title);
	fputs("</h2>\n", out);
	paragraph(out, text);
}

static void end_section(FILE *out)
{
	fputs("</section>\n", out);
}

static void begin_figure(FILE *out, const struct html_side *side, const char *title)
{
	fputs("<figure><h3>", out);
	svg_escape(out, title);
	if (side && *side->name) {
		fputs(", ", out);
		svg_escape(out, side->name);
	}
	fputs("</h3>\n", out);
}

static void caption(FILE *out, const char *text)
{
	fputs("<figcaption>", out);
	svg_escape(out, text);
	fputs("</figcaption></figure>\n", out);
}

static void nothing(FILE *out, const struct html_side *side, const char *text)
{
	fputs("<p class=\"soft\">", out);
	if (side && *side->name)
		fprintf(out, "%s: ", side->name);
	svg_escape(out, text);
	fputs("</p>\n", out);
}

static void html_cell(FILE *out, const struct column *column, const struct cell *cell)
{
	char buf[CELL_PRINT_BYTES];
	struct text_buf text;
	bool is_number = column->kind != CELL_TEXT && column->kind != CELL_BOOL;

	fprintf(out, "<td%s data-v=\"", is_number ? " class=\"n\"" : "");
	svg_escape(out, cell_print(cell, buf));
	fputs("\">", out);
	if (cell->kind == CELL_ABSENT)
		fputs("-", out);
	else if (cell->kind == CELL_COUNT && !strcmp(column->unit, "ns"))
		svg_escape(out, text_duration(&text, cell->u));
	else if (cell->kind == CELL_COUNT && !strcmp(column->name, "pfn"))
		fprintf(out, "0x%llx", (unsigned long long)cell->u);
	else
		svg_escape(out, cell_print(cell, buf));
	fputs("</td>", out);
}

static void html_table(FILE *out, const struct html_side *side, const struct table *table)
{
	const struct table_def *def = table->def;
	uint64_t row;
	unsigned i;

	fprintf(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
	svg_escape(out, def->title);
	fprintf(out, "\"><table data-table=\"%s\" data-side=\"%s\"><caption>", def->name, side->name);
	svg_escape(out, def->title);
	if (*side->name)
		fprintf(out, ", %s", side->name);
	fputs("</caption><thead><tr>", out);
	for (i = 0; i < def->nr_columns; i++) {
		fputs("<th scope=\"col\" title=\"", out);
		svg_escape(out, def->columns[i].text);
		fputs("\">", out);
		svg_escape(out, def->columns[i].name);
		if (*def->columns[i].unit && strcmp(def->columns[i].unit, def->columns[i].name)) {
			fputs(" <span class=\"soft\">[", out);
			svg_escape(out, strcmp(def->columns[i].unit, "ns") ? def->columns[i].unit : "time");
			fputs("]</span>", out);
		}
		fputs("</th>", out);
	}
	fputs("</tr></thead><tbody>\n", out);
	for (row = 0; row < table_nr_rows(table); row++) {
		fputs("<tr>", out);
		for (i = 0; i < def->nr_columns; i++)
			html_cell(out, &def->columns[i], table_cell(table, row, i));
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
	if (!table_nr_rows(table))
		nothing(out, NULL, "No rows.");
}

static void terms(FILE *out, const struct table_def *def)
{
	unsigned i;

	fputs("<dl class=\"terms\">", out);
	for (i = 0; i < def->nr_columns; i++) {
		const struct column *column = &def->columns[i];

		fprintf(out, "<dt>%s</dt><dd>", column->name);
		svg_escape(out, column->text);
		if (*column->unit) {
			fputs(" [", out);
			svg_escape(out, column->unit);
			fputs("]", out);
		}
		fputs("</dd>", out);
	}
	fputs("</dl>\n", out);
}

/* Tables that are in the page being written, so that the last section has the rest. */
static const struct table_def *shown[TABLES_MAX];
static unsigned nr_shown;

static bool is_shown(const struct table_def *def)
{
	unsigned i;

	for (i = 0; i < nr_shown; i++)
		if (shown[i] == def)
			return true;
	return false;
}

/* Tables behind a fold, names separated by spaces. */
static void numbers(FILE *out, struct html_side *const sides[], unsigned nr_sides, const char *names,
		    bool open)
{
	char list[256], *name, *rest;
	unsigned i;

	snprintf(list, sizeof(list), "%s", names);
	for (name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		const struct table *table = find(sides[0], name);

		if (!table)
			continue;
		shown[nr_shown++] = table->def;
		fprintf(out, "<details%s><summary>Numbers: ", open ? " open" : "");
		svg_escape(out, table->def->title);
		fputs("</summary>\n", out);
		for (i = 0; i < nr_sides; i++)
			html_table(out, sides[i], find(sides[i], name));
		terms(out, table->def);
		fputs("</details>\n", out);
	}
}

/* Legend of base and patch where both are in one picture. */
static void legend_sides(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	unsigned i;

	if (nr_sides < 2)
		return;
	fputs("<ul class=\"legend\">", out);
	for (i = 0; i < nr_sides; i++)
		fprintf(out, "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><path class=\"curve anon%s\" "
			     "d=\"M0 5H32\"/></svg>%s</li>",
			i ? " b" : "", sides[i]->name);
	fputs("</ul>\n", out);
}

/*
 * generations over time
 */

static uint64_t level(const struct series *series, unsigned slot, unsigned type, unsigned age)
{
	return *series_value(series, slot, PICTURE_NR_COUNTS + type * PICTURE_AGES + age);
}

static struct svg_plot time_plot(FILE *out, double height, double duration_ns)
{
	return (struct svg_plot){
		.out = out,
		.left = LEFT,
		.top = 24,
		.width = WIDTH - LEFT - RIGHT,
		.height = height,
		.x = { 0, duration_ns, false, SVG_SECONDS, "time since the first event [s]" },
	};
}

/* End of a slot, but not beyond the recording. */
static double slot_end(const struct html_side *side, unsigned slot)
{
	double end = (slot + 1.0) * side->pictures.series.slot_ns;

	return end < side->duration_ns ? end : side->duration_ns;
}

static uint64_t most_pages(const struct html_side *side, unsigned type)
{
	const struct series *series = &side->pictures.series;
	uint64_t sum, most = 0;
	unsigned slot, age;

	for (slot = 0; slot < series->nr_slots; slot++) {
		for (age = 0, sum = 0; age < PICTURE_AGES; age++)
			sum += level(series, slot, type, age);
		most = sum > most ? sum : most;
	}
	return most;
}

/* @scale: the most of all sides, so that they can be compared. */
static void occupancy(FILE *out, const struct html_side *side, unsigned type, uint64_t scale)
{
	const struct series *series = &side->pictures.series;
	struct svg_plot plot = time_plot(out, 200, side->duration_ns);
	uint64_t sum, most = most_pages(side, type);
	unsigned slot, age, i;
	char text[160];

	begin_figure(out, side, type_titles[type]);
	if (!most) {
		nothing(out, NULL, "No page of this type was on a list.");
		fputs("</figure>\n", out);
		return;
	}
	plot.y = (struct svg_axis){ 0, svg_top(scale), false, SVG_NUMBER, "pages on the lists" };
	snprintf(text, sizeof(text), "Stacked areas, oldest generation at the bottom, at most %llu pages",
		 (unsigned long long)most);
	svg_begin(out, WIDTH, 264, type_titles[type], text);
	svg_axes(&plot);
	/* the oldest at the bottom */
	for (i = 0; i < PICTURE_AGES; i++) {
		unsigned from = PICTURE_AGES - i;	/* ages from here up are below */

		fprintf(out, "<path class=\"%s%u\" d=\"M%.1f %.1f", type_name(type), from - 1,
			svg_x(&plot, 0), svg_y(&plot, 0));
		for (slot = 0; slot < series->nr_slots; slot++) {
			for (age = from - 1, sum = 0; age < PICTURE_AGES; age++)
				sum += level(series, slot, type, age);
			fprintf(out, "L%.1f %.1f", svg_x(&plot, slot_end(side, slot)), svg_y(&plot, sum));
		}
		for (slot = series->nr_slots; slot-- > 0;) {
			for (age = from, sum = 0; age < PICTURE_AGES; age++)
				sum += level(series, slot, type, age);
			fprintf(out, "L%.1f %.1f", svg_x(&plot, slot_end(side, slot)), svg_y(&plot, sum));
		}
		fputs("Z\"/>\n", out);
	}
	for (slot = 0; slot < series->nr_slots; slot++)
		if (*series_value(series, slot, PICTURE_AGINGS))
			fprintf(out, "<path class=\"mark\" d=\"M%.1f %.1fv8\"/>",
				svg_x(&plot, slot * (double)series->slot_ns), plot.top - 18);
	svg_text(out, plot.left - 6, plot.top - 10, "end", "label small", "aging");
	svg_end(out);
	fputs("<ul class=\"legend\">", out);
	for (age = 0; age < PICTURE_AGES; age++)
		fprintf(out, "<li><svg viewBox=\"0 0 32 16\" aria-hidden=\"true\"><path class=\"%s%u\" "
			     "d=\"M0 0H32V16H0Z\"/></svg>age %u%s</li>",
			type_name(type), age, age,
			age == 0		  ? " (youngest)" :
			age == PICTURE_AGES - 1 ? " and older" :
						    "");
	fputs("</ul>\n", out);
	caption(out, "Pages by the generation in their flags, over all lruvecs. A mark on top is an "
		     "aging of some lruvec: all of its folios become one generation older.");
}

static void timeline_data(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	struct json j;
	unsigned i, type, age, slot;
	char name[32];

	fputs("<script type=\"application/json\" id=\"timeline-data\">", out);
	json_init(&j, out, false);
	json_array(&j, NULL);
	for (i = 0; i < nr_sides; i++) {
		const struct series *series = &sides[i]->pictures.series;

		json_object(&j, NULL);
		snprintf(name, sizeof(name), "Pages per generation%s%s", *sides[i]->name ? ", " : "",
			 sides[i]->name);
		json_text(&j, "title", name);
		json_array(&j, "x");
		for (slot = 0; slot < series->nr_slots; slot++) {
			struct cell cell = { .kind = CELL_REAL, .real = slot_end(sides[i], slot) / 1e9 };

			json_cell(&j, NULL, &cell);
		}
		json_end(&j);
		json_array(&j, "series");
		for (type = 0; type < TYPE_NR; type++)
			for (age = 0; age < PICTURE_AGES; age++) {
				json_object(&j, NULL);
				snprintf(name, sizeof(name), "%s %u", type_name(type), age);
				json_text(&j, "name", name);
				snprintf(name, sizeof(name), "--%s%u", type_name(type), age);
				json_text(&j, "colour", name);
				json_bool(&j, "dash", type == TYPE_FILE);
				json_array(&j, "y");
				for (slot = 0; slot < series->nr_slots; slot++)
					json_count(&j, NULL, level(series, slot, type, age));
				json_end(&j);
				json_end(&j);
			}
		json_end(&j);
		json_end(&j);
	}
	json_end(&j);
	fputs("</script>\n", out);
}

static void rates(FILE *out, struct html_side *const sides[], unsigned nr_sides, const char *title,
		  unsigned channel, const char *label)
{
	double most = 0, duration_ns = 0;
	struct svg_plot plot;
	unsigned i, type, slot;

	for (i = 0; i < nr_sides; i++) {
		const struct series *series = &sides[i]->pictures.series;

		if (sides[i]->duration_ns > duration_ns)
			duration_ns = sides[i]->duration_ns;
		for (slot = 0; slot < series->nr_slots; slot++)
			for (type = 0; type < TYPE_NR; type++)
				most = fmax(most, *series_value(series, slot, channel + type) * 1e9 /
							  series->slot_ns);
	}
	begin_figure(out, NULL, title);
	if (most == 0) {
		nothing(out, NULL, "None in this recording.");
		fputs("</figure>\n", out);
		return;
	}
	plot = time_plot(out, 170, duration_ns);
	plot.y = (struct svg_axis){ 0, svg_top(most), false, SVG_NUMBER, label };
	svg_begin(out, WIDTH, 240, title, "Lines over time, anonymous memory and files");
	svg_axes(&plot);
	for (i = 0; i < nr_sides; i++) {
		const struct series *series = &sides[i]->pictures.series;

		for (type = 0; type < TYPE_NR; type++) {
			fprintf(out, "<path class=\"curve %s%s\" d=\"", type_name(type), i ? " b" : "");
			for (slot = 0; slot < series->nr_slots; slot++)
				fprintf(out, "%s%.1f %.1f", slot ? "L" : "M",
					svg_x(&plot, (slot + 0.5) * series->slot_ns),
					svg_y(&plot, *series_value(series, slot, channel + type) * 1e9 /
							     series->slot_ns));
			fputs("\"/>\n", out);
		}
	}
	svg_end(out);
	fputs("<ul class=\"legend\">", out);
	for (type = 0; type < TYPE_NR; type++)
		fprintf(out, "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><path class=\"curve %s\" "
			     "d=\"M0 5H32\"/></svg>%s</li>",
			type_name(type), type_name(type));
	fputs("</ul>\n", out);
	legend_sides(out, sides, nr_sides);
	fputs("</figure>\n", out);
}

/*
 * survival
 */

#define MAX_DECADES 20

static void survival_range(struct html_side *const sides[], unsigned nr_sides, const char *type,
			   double *min, double *max)
{
	unsigned i;
	uint64_t row;

	*min = INFINITY;
	*max = 0;
	for (i = 0; i < nr_sides; i++) {
		const struct table *table = find(sides[i], "survival");

		for (row = 0; row < table_nr_rows(table); row++) {
			double ns = number(table_cell(table, row, 1));

			if (!is_text(table, row, 0, type))
				continue;
			/* from where the first is reclaimed on */
			if (number(table_cell(table, row, 3)) > 0 && ns < *min)
				*min = ns;
			*max = fmax(*max, ns);
		}
	}
	if (!isfinite(*min))
		return;
	*min = pow(10, floor(log10(fmax(*min, 1000))));
	*max = pow(10, ceil(log10(fmax(*max, *min * 10))));
}

static double at_risk(const struct table *table, const char *type, double ns)
{
	double nr = 0;
	uint64_t row;

	/* those that were seen for longer: the first later bucket has them */
	for (row = 0; row < table_nr_rows(table); row++)
		if (is_text(table, row, 0, type) && number(table_cell(table, row, 1)) > ns) {
			nr = number(table_cell(table, row, 2));
			break;
		}
	return nr;
}

static void survival(FILE *out, struct html_side *const sides[], unsigned nr_sides, unsigned type)
{
	const char *name = type_name(type);
	struct svg_plot plot = {
		.out = out, .left = LEFT, .top = 14, .width = WIDTH - LEFT - RIGHT, .height = 200,
	};
	char buf[SVG_LABEL_BYTES];
	double min, max, decade;
	unsigned i;
	uint64_t row;

	survival_range(sides, nr_sides, name, &min, &max);
	begin_figure(out, NULL, type_titles[type]);
	if (!isfinite(min)) {
		nothing(out, NULL, "No folio whose beginning was seen was reclaimed.");
		fputs("</figure>\n", out);
		return;
	}
	plot.x = (struct svg_axis){ min, max, true, SVG_DURATION, "age of the folio (logarithmic)" };
	plot.y = (struct svg_axis){ 0, 1, false, SVG_PERCENT, "not reclaimed" };
	svg_begin(out, WIDTH, 270 + 18 * nr_sides, type_titles[type],
		  "Kaplan-Meier curve: fraction of folios not reclaimed by an age");
	svg_axes(&plot);
	for (i = 0; i < nr_sides; i++) {
		const struct table *table = find(sides[i], "survival");
		double y = svg_y(&plot, 1);

		fprintf(out, "<path class=\"curve %s%s\" d=\"M%.1f %.1f", name, i ? " b" : "",
			svg_x(&plot, min), y);
		for (row = 0; row < table_nr_rows(table); row++) {
			if (!is_text(table, row, 0, name))
				continue;
			fprintf(out, "H%.1fV%.1f", svg_x(&plot, number(table_cell(table, row, 1))),
				svg_y(&plot, number(table_cell(table, row, 5))));
		}
		fputs("\"/>\n", out);
		svg_text(out, 4, 266 + 18 * i, "start", "label small",
			 *sides[i]->name ? sides[i]->name : "at risk");
		for (decade = min; decade < max * 1.01; decade *= 10)
			svg_text(out, svg_x(&plot, decade), 266 + 18 * i, "middle", "small",
				 svg_label(buf, SVG_NUMBER, at_risk(table, name, decade)));
	}
	svg_end(out);
	legend_sides(out, sides, nr_sides);
	caption(out, nr_sides > 1 ?
			     "Below: folios of each side still observed (at risk) at that age." :
			     "Below: folios still observed (at risk) at that age.");
}

/*
 * time in a generation
 */

static void residency(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	const double left = nr_sides > 1 ? 138 : 100;
	struct svg_plot plot = { .out = out, .left = left, .top = 10, .width = WIDTH - left - RIGHT - 8 };
	double min = INFINITY, max = 0, y = 10, height;
	unsigned i, type, age, nr = 0;
	uint64_t row;

	for (i = 0; i < nr_sides; i++) {
		const struct table *table = find(sides[i], "generations");

		for (row = 0; row < table_nr_rows(table); row++) {
			nr++;
			if (table_cell(table, row, 3)->kind == CELL_ABSENT)
				continue;
			min = fmin(min, fmax(1, number(table_cell(table, row, 3))));
			max = fmax(max, number(table_cell(table, row, 5)));
		}
	}
	begin_figure(out, NULL, "Time in a generation");
	if (!isfinite(min)) {
		nothing(out, NULL, "No stay in a generation was seen from beginning to end.");
		fputs("</figure>\n", out);
		return;
	}
	min = pow(10, floor(log10(min)));
	max = pow(10, ceil(log10(fmax(max, min * 10))));
	height = nr * 22 + 10;
	plot.height = height;
	plot.x = (struct svg_axis){ min, max, true, SVG_DURATION, "time in the generation (logarithmic)" };
	plot.y = (struct svg_axis){ 0, 1e9, false, SVG_NUMBER, "" };
	svg_begin(out, WIDTH, height + 50, "Time in a generation",
		  "Bars from the 10th to the 90th percentile, a line at the median");
	{
		double decade;
		char buf[SVG_LABEL_BYTES];

		for (decade = min; decade < max * 1.01; decade *= 10) {
			fprintf(out, "<path class=\"grid\" d=\"M%.1f 10v%.1f\"/>", svg_x(&plot, decade),
				height);
			svg_text(out, svg_x(&plot, decade), height + 25, "middle", NULL,
				 svg_label(buf, SVG_DURATION, decade));
		}
		svg_text(out, plot.left + plot.width / 2, height + 42, "middle", "label", plot.x.label);
	}
	for (type = 0; type < TYPE_NR; type++)
		for (age = 0; age < MODEL_MAX_GENS; age++)
			for (i = 0; i < nr_sides; i++) {
				const struct table *table = find(sides[i], "generations");
				char label[64];

				for (row = 0; row < table_nr_rows(table); row++)
					if (is_text(table, row, 0, type_name(type)) &&
					    number(table_cell(table, row, 1)) == age)
						break;
				if (row == table_nr_rows(table))
					continue;
				y += 22;
				snprintf(label, sizeof(label), "%s, age %u%s%s", type_name(type), age,
					 *sides[i]->name ? " " : "", sides[i]->name);
				svg_text(out, plot.left - 6, y, "end", NULL, label);
				if (table_cell(table, row, 3)->kind == CELL_ABSENT) {
					svg_text(out, plot.left + 4, y, "start", "label small", "not known");
					continue;
				}
				fprintf(out, "<rect class=\"fill-%s\" opacity=\"%s\" x=\"%.1f\" y=\"%.1f\" "
					     "width=\"%.1f\" height=\"12\"/>",
					type_name(type), i ? "0.35" : "0.6",
					svg_x(&plot, number(table_cell(table, row, 3))), y - 10,
					fmax(2, svg_x(&plot, number(table_cell(table, row, 5))) -
							svg_x(&plot, number(table_cell(table, row, 3)))));
				fprintf(out, "<path class=\"mark\" stroke-width=\"2\" d=\"M%.1f %.1fv16\"/>\n",
					svg_x(&plot, number(table_cell(table, row, 4))), y - 12);
			}
	svg_end(out);
	caption(out, "Bars from the 10th to the 90th percentile, the line is the median. Age 0 is the "
		     "youngest generation.");
}

/*
 * transitions
 */

static void transitions(FILE *out, const struct html_side *side, unsigned type)
{
	const double left = 92, top = 46, cell_width = 58, cell_height = 26;
	uint64_t most = 0, total = 0;
	unsigned from, to;
	char title[64], buf[SVG_LABEL_BYTES];

	for (from = 0; from < FROM_NR; from++)
		for (to = 0; to < TO_NR; to++) {
			uint64_t nr = side->pictures.transitions[type][from][to];

			most = nr > most ? nr : most;
			total += nr;
		}
	snprintf(title, sizeof(title), "Transitions: %s", type_titles[type]);
	begin_figure(out, side, title);
	if (!total) {
		nothing(out, NULL, "No folio of this type was seen to move.");
		fputs("</figure>\n", out);
		return;
	}
	svg_begin(out, left + TO_NR * cell_width + 8, top + FROM_NR * cell_height + 8, title,
		  "Matrix: rows from, columns to, darker is more folios");
	for (to = 0; to < TO_NR; to++)
		svg_text(out, left + (to + 0.5) * cell_width, top - 6, "middle", "small",
			 transition_to_name(to));
	svg_text(out, left - 8, 14, "end", "label small", "from (down)");
	svg_text(out, left, 14, "start", "label small", "to (right); 0 is the youngest generation");
	for (from = 0; from < FROM_NR; from++) {
		svg_text(out, left - 8, top + (from + 0.68) * cell_height, "end", "small",
			 transition_from_name(from));
		for (to = 0; to < TO_NR; to++) {
			uint64_t nr = side->pictures.transitions[type][from][to];
			double x = left + to * cell_width, y = top + from * cell_height;

			fprintf(out, "<rect class=\"grid\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>",
				x, y, cell_width, cell_height);
			if (!nr)
				continue;
			/* never so strong that the number on it cannot be read */
			fprintf(out, "<rect class=\"cell%s\" opacity=\"%.2f\" x=\"%.0f\" y=\"%.0f\" "
				     "width=\"%.0f\" height=\"%.0f\"><title>%s to %s: %llu folios</title></rect>",
				type ? " f" : "", 0.08 + 0.42 * log1p(nr) / log1p(most), x + 1, y + 1,
				cell_width - 2, cell_height - 2, transition_from_name(from),
				transition_to_name(to), (unsigned long long)nr);
			svg_text(out, x + cell_width / 2, y + cell_height * 0.68, "middle", "small",
				 svg_label(buf, SVG_NUMBER, nr));
		}
		fputc('\n', out);
	}
	svg_end(out);
	fputs("</figure>\n", out);
}

/*
 * distributions: cumulative, log x
 */

static void cdf(FILE *out, struct html_side *const sides[], unsigned nr_sides, const char *title,
		const char *measure, enum svg_unit unit, const char *label)
{
	double min = INFINITY, max = 0, total, sum;
	struct svg_plot plot = {
		.out = out, .left = LEFT, .top = 14, .width = WIDTH - LEFT - RIGHT, .height = 190,
	};
	unsigned i, type;
	uint64_t row;

	for (i = 0; i < nr_sides; i++) {
		const struct table *table = find(sides[i], "refault_distances");

		for (row = 0; row < table_nr_rows(table); row++) {
			if (!is_text(table, row, 1, measure))
				continue;
			min = fmin(min, fmax(1, number(table_cell(table, row, 2))));
			max = fmax(max, number(table_cell(table, row, 2)));
		}
	}
	begin_figure(out, NULL, title);
	if (!isfinite(min)) {
		nothing(out, NULL, "No page was seen to be evicted and to come back.");
		fputs("</figure>\n", out);
		return;
	}
	min = pow(10, floor(log10(min)));
	max = pow(10, ceil(log10(fmax(max, min * 10))));
	plot.x = (struct svg_axis){ min, max, true, unit, label };
	plot.y = (struct svg_axis){ 0, 1, false, SVG_PERCENT, "of refaults" };
	svg_begin(out, WIDTH, 250, title, "Cumulative share of refaults by distance");
	svg_axes(&plot);
	for (i = 0; i < nr_sides; i++) {
		const struct table *table = find(sides[i], "refault_distances");

		for (type = 0; type < TYPE_NR; type++) {
			total = sum = 0;
			for (row = 0; row < table_nr_rows(table); row++)
				if (is_text(table, row, 0, type_name(type)) && is_text(table, row, 1, measure))
					total += number(table_cell(table, row, 3));
			if (total == 0)
				continue;
			fprintf(out, "<path class=\"curve %s%s\" d=\"M%.1f %.1f", type_name(type),
				i ? " b" : "", svg_x(&plot, min), svg_y(&plot, 0));
			for (row = 0; row < table_nr_rows(table); row++) {
				if (!is_text(table, row, 0, type_name(type)) ||
				    !is_text(table, row, 1, measure))
					continue;
				sum += number(table_cell(table, row, 3));
				fprintf(out, "H%.1fV%.1f", svg_x(&plot, number(table_cell(table, row, 2))),
					svg_y(&plot, sum / total));
			}
			fprintf(out, "H%.1f\"/>\n", plot.left + plot.width);
		}
	}
	svg_end(out);
	fputs("<ul class=\"legend\">", out);
	for (type = 0; type < TYPE_NR; type++)
		fprintf(out, "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><path class=\"curve %s\" "
			     "d=\"M0 5H32\"/></svg>%s</li>",
			type_name(type), type_name(type));
	fputs("</ul>\n", out);
	legend_sides(out, sides, nr_sides);
	fputs("</figure>\n", out);
}

/*
 * violations over time
 */

#define MAX_STRIPS 24

struct strip {
	const char *kind, *site;
	double most, total;
};

static int compare_strips(const void *a, const void *b)
{
	const struct strip *x = a, *y = b;
	int by_kind = strcmp(x->kind, y->kind);

	return by_kind ? by_kind : strcmp(x->site, y->site);
}

static void violations(FILE *out, const struct html_side *side)
{
	const struct table *table = find(side, "violations_over_time");
	struct strip strips[MAX_STRIPS];
	struct svg_plot plot = time_plot(out, 0, side->duration_ns);
	unsigned nr = 0, i;
	uint64_t row;
	char label[64], buf[SVG_LABEL_BYTES];

	for (row = 0; row < table_nr_rows(table); row++) {
		const char *kind = table_cell(table, row, 1)->text;
		const char *site = table_cell(table, row, 2)->text;
		double folios = number(table_cell(table, row, 3));

		for (i = 0; i < nr; i++)
			if (!strcmp(strips[i].kind, kind) && !strcmp(strips[i].site, site))
				break;
		if (i == MAX_STRIPS)
			continue;
		if (i == nr) {
			strips[nr].kind = kind;
			strips[nr].site = site;
			strips[nr].most = strips[nr].total = 0;
			nr++;
		}
		strips[i].most = fmax(strips[i].most, folios);
		strips[i].total += folios;
	}
	qsort(strips, nr, sizeof(*strips), compare_strips);
	begin_figure(out, side, "Violations by site over time");
	if (!nr) {
		nothing(out, NULL, "None: the order of the lists was kept, as far as it is known.");
		fputs("</figure>\n", out);
		return;
	}
	plot.left = 150;
	plot.width = WIDTH - plot.left - 60;
	plot.top = 10;
	plot.height = nr * 34;
	plot.y = (struct svg_axis){ 0, 1, false, SVG_NUMBER, "" };
	svg_begin(out, WIDTH, plot.height + 54, "Violations by site over time",
		  "One strip per kind and site, bars are folios per slot of time");
	{
		double step = svg_nice(side->duration_ns / 8.0), ns;

		for (ns = 0; ns <= side->duration_ns; ns += step) {
			fprintf(out, "<path class=\"grid\" d=\"M%.1f 10v%.1f\"/>", svg_x(&plot, ns),
				plot.height);
			svg_text(out, svg_x(&plot, ns), plot.height + 25, "middle", NULL,
				 svg_label(buf, SVG_SECONDS, ns));
		}
		svg_text(out, plot.left + plot.width / 2, plot.height + 42, "middle", "label", plot.x.label);
	}
	for (i = 0; i < nr; i++) {
		double bottom = 10 + (i + 1) * 34;

		snprintf(label, sizeof(label), "%s %s", strips[i].kind, strips[i].site);
		svg_text(out, plot.left - 6, bottom - 8, "end", NULL, label);
		svg_text(out, plot.left + plot.width + 4, bottom - 8, "start", "label small",
			 svg_label(buf, SVG_NUMBER, strips[i].total));
		fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fh%.1f\"/><path class=\"%s\" d=\"", plot.left,
			bottom, plot.width, strips[i].kind);
		for (row = 0; row < table_nr_rows(table); row++) {
			double x, height;

			if (!is_text(table, row, 1, strips[i].kind) || !is_text(table, row, 2, strips[i].site))
				continue;
			x = svg_x(&plot, number(table_cell(table, row, 0)));
			height = 26 * number(table_cell(table, row, 3)) / strips[i].most;
			fprintf(out, "M%.1f %.1fv-%.1fh%.1fv%.1fz", x, bottom, fmax(height, 1.5),
				fmax(1.5, plot.width * side->pictures.series.slot_ns / side->duration_ns),
				fmax(height, 1.5));
		}
		fputs("\"/>\n", out);
	}
	svg_end(out);
	caption(out, "Folios concerned; each strip has its own scale, the number on the right is its "
		     "total. V1 reversed runs, V2 inversions, V3 evicted before older ones, V5 refaulted soon.");
}

/*
 * lazyfree
 */

static void lazyfree_delays(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	struct svg_plot plot = {
		.out = out, .left = LEFT, .top = 14, .width = WIDTH - LEFT - RIGHT, .height = 190,
	};
	double min = INFINITY, max = 0;
	unsigned i;
	uint64_t row;

	for (i = 0; i < nr_sides; i++) {
		const struct table *table = find(sides[i], "lazyfree_delays");

		for (row = 0; row < table_nr_rows(table); row++) {
			min = fmin(min, fmax(1, number(table_cell(table, row, 0))));
			max = fmax(max, number(table_cell(table, row, 0)));
		}
	}
	begin_figure(out, NULL, "From MADV_FREE to free");
	if (!isfinite(min)) {
		nothing(out, NULL, "No marked folio was freed by reclaim.");
		fputs("</figure>\n", out);
		return;
	}
	min = pow(10, floor(log10(min)));
	max = pow(10, ceil(log10(fmax(max, min * 10))));
	plot.x = (struct svg_axis){ min, max, true, SVG_DURATION, "time from mark to free (logarithmic)" };
	plot.y = (struct svg_axis){ 0, 1, false, SVG_PERCENT, "of freed folios" };
	svg_begin(out, WIDTH, 250, "From MADV_FREE to free", "Cumulative share of freed folios by delay");
	svg_axes(&plot);
	for (i = 0; i < nr_sides; i++) {
		const struct table *table = find(sides[i], "lazyfree_delays");
		double total = 0, sum = 0;

		for (row = 0; row < table_nr_rows(table); row++)
			total += number(table_cell(table, row, 1));
		if (total == 0)
			continue;
		fprintf(out, "<path class=\"curve anon%s\" d=\"M%.1f %.1f", i ? " b" : "",
			svg_x(&plot, min), svg_y(&plot, 0));
		for (row = 0; row < table_nr_rows(table); row++) {
			sum += number(table_cell(table, row, 1));
			fprintf(out, "H%.1fV%.1f", svg_x(&plot, number(table_cell(table, row, 0))),
				svg_y(&plot, sum / total));
		}
		fprintf(out, "H%.1f\"/>\n", plot.left + plot.width);
	}
	svg_end(out);
	legend_sides(out, sides, nr_sides);
	fputs("</figure>\n", out);
}

static void lazyfree_order(FILE *out, const struct html_side *side)
{
	const struct table *table = find(side, "lazyfree_points");
	struct svg_plot plot = time_plot(out, 190, side->duration_ns);
	double first = INFINITY, last = 0, mark_last = 0;
	uint64_t row;

	begin_figure(out, side, "Order of freeing against marking");
	if (!table_nr_rows(table)) {
		nothing(out, NULL, "No marked folio was freed by reclaim.");
		fputs("</figure>\n", out);
		return;
	}
	for (row = 0; row < table_nr_rows(table); row++) {
		first = fmin(first, number(table_cell(table, row, 0)));
		mark_last = fmax(mark_last, number(table_cell(table, row, 0)));
		last = fmax(last, number(table_cell(table, row, 1)));
	}
	plot.x.min = first;
	plot.x.max = mark_last > first ? mark_last : first + 1;
	plot.x.label = "marked at [s]";
	plot.y = (struct svg_axis){ first, last > first ? last : first + 1, false, SVG_SECONDS,
				    "freed at [s]" };
	svg_begin(out, WIDTH, 260, "Order of freeing against marking",
		  "A dot per folio: rising is first-in first-out, falling is last-in first-out");
	svg_axes(&plot);
	fputs("<g class=\"fill-anon\">", out);
	for (row = 0; row < table_nr_rows(table); row++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.8\"/>",
			svg_x(&plot, number(table_cell(table, row, 0))),
			svg_y(&plot, number(table_cell(table, row, 1))));
	fputs("</g>\n", out);
	svg_end(out);
	caption(out, "A dot per folio (every n-th where there are many). Rising from left to right: freed in "
		     "the order of marking; falling: last-in first-out.");
}

/*
 * hitshield
 */

static void hitshield(FILE *out, const struct html_side *side)
{
	uint64_t most = 0, totals[HITSHIELD_NR] = { 0 };
	unsigned cause, from, to;
	double y = 8;
	char label[64];

	for (cause = 0; cause < HITSHIELD_NR; cause++)
		for (from = 0; from < PICTURE_SHIELDS; from++)
			for (to = 0; to < PICTURE_SHIELDS; to++)
				totals[cause] += side->pictures.shields[cause][from][to];
	for (cause = 0; cause < HITSHIELD_NR; cause++)
		most = totals[cause] > most ? totals[cause] : most;
	begin_figure(out, side, "Hitshield flow");
	if (!most) {
		nothing(out, NULL, "No hitshield event: the kernel that was traced does not have the hitshield "
				   "series, or no folio was hit.");
		fputs("</figure>\n", out);
		return;
	}
	svg_begin(out, WIDTH, 20 + HITSHIELD_NR * 26, "Hitshield flow", "Bars: transitions by cause");
	for (cause = 0; cause < HITSHIELD_NR; cause++, y += 26) {
		svg_text(out, 90, y + 14, "end", NULL, hitshield_name(cause));
		fprintf(out, "<rect class=\"fill-anon\" x=\"96\" y=\"%.0f\" height=\"18\" width=\"%.1f\"/>", y,
			420.0 * totals[cause] / most);
		snprintf(label, sizeof(label), "%llu", (unsigned long long)totals[cause]);
		svg_text(out, 102 + 420.0 * totals[cause] / most, y + 14, "start", NULL, label);
	}
	svg_end(out);
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Hitshield transitions\"><table>"
	      "<caption>Counter before and after, folios</caption><thead><tr><th>cause</th><th>before</th>"
	      "<th>after</th><th>times</th></tr></thead><tbody>",
	      out);
	for (cause = 0; cause < HITSHIELD_NR; cause++)
		for (from = 0; from < PICTURE_SHIELDS; from++)
			for (to = 0; to < PICTURE_SHIELDS; to++)
				if (side->pictures.shields[cause][from][to])
					fprintf(out, "<tr><td>%s</td><td class=\"n\">%u</td><td class=\"n\">%u</td>"
						     "<td class=\"n\">%llu</td></tr>",
						hitshield_name(cause), from, to,
						(unsigned long long)side->pictures.shields[cause][from][to]);
	fputs("</tbody></table></div>\n", out);
	caption(out, "How often the counter of a folio changed, and why.");
}

/*
 * heat
 */

static void put_base64(FILE *out, const uint8_t *bytes, size_t nr)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	for (i = 0; i < nr; i += 3) {
		uint32_t word = bytes[i] << 16 | (i + 1 < nr ? bytes[i + 1] << 8 : 0) |
				(i + 2 < nr ? bytes[i + 2] : 0);

		fputc(digits[word >> 18], out);
		fputc(digits[word >> 12 & 63], out);
		fputc(i + 1 < nr ? digits[word >> 6 & 63] : '=', out);
		fputc(i + 2 < nr ? digits[word & 63] : '=', out);
	}
}

/* The picture; the most of any point goes to *@most. */
static int heatmap_svg(FILE *out, const struct pictures *pictures, enum heat_kind kind,
		       uint64_t duration_ns, const char *title, double *most)
{
	const struct heat *heat = &pictures->heat;
	unsigned rows = heat_nr_rows(heat), row, slot;
	struct svg_plot plot = time_plot(out, 240, duration_ns);
	double pages = ldexp(1, heat->row_shift);
	char top[SVG_LABEL_BYTES];
	uint8_t *rgb, *png;
	size_t png_bytes;

	*most = 0;
	for (row = 0; row < rows; row++)
		for (slot = 0; slot < heat->nr_slots; slot++)
			*most = fmax(*most, heat_value(heat, row, slot, kind));
	if (*most == 0)
		return 0;
	rgb = malloc((size_t)rows * heat->nr_slots * 3);
	if (!rgb)
		return -ERR_NOMEM;
	for (row = 0; row < rows; row++)
		for (slot = 0; slot < heat->nr_slots; slot++)
			/* large page frames on top, like the axis */
			heat_colour(heat_value(heat, rows - 1 - row, slot, kind) / *most,
				    &rgb[(row * heat->nr_slots + slot) * 3]);
	if (png_encode(rgb, heat->nr_slots, rows, &png, &png_bytes)) {
		free(rgb);
		return -ERR_NOMEM;
	}
	free(rgb);
	plot.left = 92;
	plot.width = WIDTH - plot.left - RIGHT;
	plot.top = 34;
	plot.x.max = (double)heat->nr_slots * heat->slot_ns;
	plot.y = (struct svg_axis){ heat->first_row * pages, (heat->first_row + rows) * pages, false,
				    SVG_HEX, "page frame number" };
	svg_begin(out, WIDTH, 324, title, "Heat map: time to the right, page frame number upwards");
	svg_axes(&plot);
	fprintf(out, "<image x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		     "preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
		     "href=\"data:image/png;base64,",
		plot.left, plot.top, plot.width, plot.height);
	put_base64(out, png, png_bytes);
	free(png);
	fputs("\"/>\n", out);
	/* the scale */
	for (slot = 0; slot < 64; slot++) {
		uint8_t c[3];

		heat_colour(expm1(slot / 63.0 * log1p(*most)) / *most, c);
		fprintf(out, "<rect x=\"%.1f\" y=\"8\" width=\"2.6\" height=\"10\" fill=\"#%02x%02x%02x\"/>",
			plot.left + 30 + slot * 2.5, c[0], c[1], c[2]);
	}
	svg_text(out, plot.left + 24, 17, "end", "small", "0");
	svg_text(out, plot.left + 196, 17, "start", "small", svg_label(top, SVG_NUMBER, *most));
	svg_end(out);
	return 0;
}

int html_heatmap_svg(FILE *out, const struct pictures *pictures, enum heat_kind kind,
		     uint64_t duration_ns)
{
	char title[64], *text = NULL;
	size_t nr_bytes;
	double most;
	FILE *svg = open_memstream(&text, &nr_bytes);
	int ret;

	if (!svg)
		return -ERR_NOMEM;
	snprintf(title, sizeof(title), "Page frames over time: %s", heat_name(kind));
	ret = heatmap_svg(svg, pictures, kind, duration_ns, title, &most);
	if (fclose(svg) && !ret)
		ret = -ERR_NOMEM;
	/* alone, it needs its name space and what the page would have */
	if (!ret && most == 0)
		fputs("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 40\">"
		      "<text x=\"10\" y=\"25\">no event of this kind</text></svg>\n",
		      out);
	else if (!ret)
		fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"960\" height=\"486\"%s", text + 4);
	if (!ret && most > 0) {
		/* styles go last, before the end of the picture */
		fseek(out, -(long)strlen("</svg>\n"), SEEK_CUR);
		fputs("<style>svg{background:#fff}text{font:12px sans-serif;fill:#1b1f24}.label{fill:#57606a}"
		      ".small{font-size:10.5px}.grid{stroke:#d0d7de;stroke-width:.6;fill:none}"
		      ".axis{stroke:#57606a;fill:none}</style></svg>\n",
		      out);
	}
	free(text);
	return ret;
}

static int heatmap(FILE *out, const struct html_side *side, enum heat_kind kind, const char *title)
{
	const struct heat *heat = &side->pictures.heat;
	double most, pages = ldexp(1, heat->row_shift);
	struct text_buf duration;
	char text[160];

	begin_figure(out, side, title);
	if (heatmap_svg(out, &side->pictures, kind, side->duration_ns, title, &most))
		return -ERR_NOMEM;
	if (most == 0) {
		nothing(out, NULL, "None in this recording.");
		fputs("</figure>\n", out);
		return 0;
	}
	snprintf(text, sizeof(text), "A point is %.0f page frame%s by %s; the colour is logarithmic, the most is "
				     "%.0f events.",
		 pages, pages > 1 ? "s" : "", text_duration(&duration, heat->slot_ns), most);
	caption(out, text);
	return 0;
}

/*
 * stories
 */

static const char *moment_name(const struct html_moment *m)
{
	static const char *const names[] = {
		[CHANGE_BORN] = "born",		  [CHANGE_ENTER] = "added to a list",
		[CHANGE_LEAVE] = "taken off",	  [CHANGE_UPDATE] = "generation set",
		[CHANGE_ACCESSED] = "accessed",	  [CHANGE_MOVE] = "moved",
		[CHANGE_SPLIT] = "split",	  [CHANGE_OUTCOME] = "reclaim",
		[CHANGE_EVICT] = "shadow left",	  [CHANGE_REFAULT] = "refault",
		[CHANGE_SWAPIN] = "swapped in",	  [CHANGE_LAZYFREE] = "lazyfree",
		[CHANGE_HITSHIELD] = "hitshield", [CHANGE_END] = "life ends",
		[CHANGE_SEQ] = "aging",
	};

	return m->kind < sizeof(names) / sizeof(names[0]) && names[m->kind] ? names[m->kind] : "?";
}

static void moment_text(const struct html_moment *m, bool is_light, char *text, size_t size)
{
	struct text_buf away;

	*text = '\0';
	switch (m->kind) {
	case CHANGE_BORN:
		snprintf(text, size, "%s, %s", type_name(m->detail2), folio_birth_name(m->detail));
		break;
	case CHANGE_END:
		snprintf(text, size, "%s", folio_end_name(m->detail));
		break;
	case CHANGE_OUTCOME:
		snprintf(text, size, "%s%s%s", outcome_name(m->detail), m->detail2 ? ": " : "",
			 m->detail2 ? reason_name(m->detail2) : "");
		break;
	case CHANGE_LAZYFREE:
		snprintf(text, size, "%s", lazyfree_name(m->detail));
		break;
	case CHANGE_HITSHIELD:
		snprintf(text, size, "%s, count %u", hitshield_name(m->detail), m->detail2);
		break;
	case CHANGE_REFAULT:
	case CHANGE_SWAPIN:
		if (m->away_ns)
			snprintf(text, size, "evicted %s before, from page frame 0x%llx",
				 text_duration(&away, m->away_ns), (unsigned long long)m->from_pfn);
		else if (!is_light)
			snprintf(text, size, "its eviction was not seen");
		break;
	default:
		if (m->has_site)
			snprintf(text, size, "at %s", site_name(m->site));
	}
}

static void story_svg(FILE *out, const struct html_story *story, uint64_t duration_ns,
		      bool is_light)
{
	const struct html_moment *moments = story->moments;
	struct svg_plot plot = time_plot(out, 88, duration_ns);
	/* no aging marks above */
	uint64_t from_ns = moments[0].ts_ns, to_ns = moments[story->nr_moments - 1].ts_ns;
	double last_x = -1, last_y = -1, margin;
	char title[64], text[96];
	uint32_t i;

	if (to_ns <= from_ns)
		to_ns = from_ns + 1000;
	margin = (to_ns - from_ns) * 0.03;
	plot.x.min = from_ns > margin ? from_ns - margin : 0;
	plot.x.max = to_ns + margin;
	plot.top = 4;
	plot.y = (struct svg_axis){ 0, 4, false, SVG_NUMBER, "" };
	snprintf(title, sizeof(title), "Page frame 0x%llx", (unsigned long long)story->pfn);
	svg_begin(out, WIDTH, 144, title, "Generation over time, with what happened");
	for (i = 0; i <= 4; i++) {
		double y = svg_y(&plot, 4 - i) + 8;
		static const char *const rows[] = { "age 0", "age 1", "age 2", "age 3+", "off lists" };

		fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>", plot.left, y, plot.width);
		svg_text(out, plot.left - 6, y + 4, "end", "small", rows[i]);
	}
	{
		double step = svg_nice((plot.x.max - plot.x.min) / 7), ns;
		char buf[SVG_LABEL_BYTES];

		for (ns = ceil(plot.x.min / step) * step; ns <= plot.x.max; ns += step) {
			fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fv%.1f\"/>", svg_x(&plot, ns), plot.top,
				plot.height + 12);
			svg_text(out, svg_x(&plot, ns), plot.top + plot.height + 27, "middle", "small",
				 svg_label(buf, SVG_SECONDS, ns));
		}
		svg_text(out, plot.left + plot.width / 2, plot.top + plot.height + 43, "middle",
			 "label small", plot.x.label);
	}
	fputs("<path class=\"curve anon\" d=\"", out);
	for (i = 0; i < story->nr_moments; i++) {
		const struct html_moment *m = &moments[i];
		int row = m->new_gen < 0 ? 4 : m->age < 0 ? -1 : m->age > 3 ? 3 : m->age;
		double x = svg_x(&plot, m->ts_ns), y;

		if (row < 0)
			continue;	/* on a list, age not known */
		y = svg_y(&plot, 4 - row) + 8;
		if (last_x < 0)
			fprintf(out, "M%.1f %.1f", x, y);
		else
			fprintf(out, "H%.1fV%.1f", x, y);
		last_x = x;
		last_y = y;
	}
	fputs("\"/>\n", out);
	(void)last_y;
	last_y = svg_y(&plot, 0) + 8;
	for (i = 0; i < story->nr_moments; i++) {
		const struct html_moment *m = &moments[i];
		int row = m->new_gen < 0 ? 4 : m->age < 0 ? -1 : m->age > 3 ? 3 : m->age;

		if (row >= 0)
			last_y = svg_y(&plot, 4 - row) + 8;
		moment_text(m, is_light, text, sizeof(text));
		fprintf(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>%.6f s: %s",
			m->kind == CHANGE_END			      ? "V2" :
			m->kind == CHANGE_REFAULT ||
					m->kind == CHANGE_SWAPIN ? "V1" :
			m->kind == CHANGE_BORN		      ? "V3" :
								"fill-anon",
			svg_x(&plot, m->ts_ns), last_y,
			m->kind == CHANGE_END || m->kind == CHANGE_BORN || m->kind == CHANGE_REFAULT ? "4" : "2.5",
			m->ts_ns / 1e9, moment_name(m));
		if (*text) {
			fputs(", ", out);
			svg_escape(out, text);
		}
		fputs("</title></circle>", out);
	}
	fputc('\n', out);
	svg_end(out);
}

static void story(FILE *out, const struct html_side *side, const struct html_story *s)
{
	uint32_t i, nr_lives = 0, last_life = 0;
	char text[96];

	if (!s->nr_moments)
		return;
	for (i = 0; i < s->nr_moments; i++) {
		nr_lives += s->moments[i].life != last_life;
		last_life = s->moments[i].life;
	}
	fprintf(out, "<div class=\"story\" data-pfn=\"%llu\" id=\"pfn-%s%llx\"><h3>Page frame 0x%llx (%llu)%s%s"
		     "</h3><p class=\"soft\">%u %s, %u events%s</p>\n",
		(unsigned long long)s->pfn, side->name, (unsigned long long)s->pfn,
		(unsigned long long)s->pfn, (unsigned long long)s->pfn, *side->name ? ", " : "",
		side->name, nr_lives, nr_lives == 1 ? "life" : "lives", s->nr_moments + s->nr_left_out,
		s->nr_left_out ? ", the first of them here" : "");
	story_svg(out, s, side->duration_ns, side->is_light);
	fputs("<details><summary>Events</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Events\"><table><thead><tr><th>time [s]</th><th>life</th><th>event</th>"
	      "<th>generation</th><th>age</th><th>what</th></tr></thead><tbody>\n",
	      out);
	for (i = 0; i < s->nr_moments; i++) {
		const struct html_moment *m = &s->moments[i];

		moment_text(m, side->is_light, text, sizeof(text));
		fprintf(out, "<tr><td class=\"n\">%.6f</td><td class=\"n\">%u</td><td>%s</td><td>", m->ts_ns / 1e9,
			m->life, moment_name(m));
		if (m->old_gen != m->new_gen && m->old_gen >= 0 && m->new_gen >= 0)
			fprintf(out, "%d to %d", m->old_gen, m->new_gen);
		else if (m->new_gen >= 0)
			fprintf(out, "%d", m->new_gen);
		else if (m->old_gen >= 0)
			fprintf(out, "%d, then none", m->old_gen);
		else
			fputs("-", out);
		fprintf(out, "</td><td class=\"n\">");
		if (m->age >= 0)
			fprintf(out, "%d", m->age);
		else
			fputs("-", out);
		fputs("</td><td>", out);
		svg_escape(out, text);
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody></table></div></details></div>\n", out);
}

/*
 * the page
 */

static void summary(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	unsigned i;

	begin_section(out, "summary", "What was recorded",
		      "Before anything below is believed: what was lost, damaged or contradictory.");
	for (i = 0; i < nr_sides; i++) {
		const struct html_side *side = sides[i];

		fprintf(out, "<div class=\"%s\">", side->status == STATUS_OK ? "fine" : "warn");
		if (*side->name)
			fprintf(out, "<strong>%s</strong>: ", side->name);
		svg_escape(out, side->status == STATUS_OK ? "Nothing was lost, and no events contradict each "
							    "other." :
							    "Data was lost, damaged or contradictory:");
		if (side->caveats && *side->caveats) {
			fputs("<pre>", out);
			svg_escape_lines(out, side->caveats);
			fputs("</pre>", out);
		}
		fputs("</div>\n", out);
	}
	shown[nr_shown++] = find(sides[0], "recording")->def;
	for (i = 0; i < nr_sides; i++)
		html_table(out, sides[i], find(sides[i], "recording"));
	numbers(out, sides, nr_sides, "quality event_counts lruvecs problems contradictions", false);
	end_section(out);
}

static int heat_section(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	unsigned i;
	int ret = 0;

	begin_section(out, "heat", "Page frames over time",
		      "Where in memory folios were accessed (seen through a page table, or faulted back) and "
		      "reclaimed.");
	fputs("<div class=\"figures\">", out);
	for (i = 0; i < nr_sides && !ret; i++) {
		ret = heatmap(out, sides[i], HEAT_ACCESSED, "Accesses seen");
		if (!ret)
			ret = heatmap(out, sides[i], HEAT_RECLAIMED, "Reclaimed");
	}
	fputs("</div>", out);
	end_section(out);
	return ret;
}

static void stories_section(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	unsigned i, k;

	begin_section(out, "folios", "Folios",
		      "Page frames of the examples of violations, those that were evicted, protected, promoted "
		      "and isolated most, and some at random.");
	if (sides[0]->is_light || sides[nr_sides - 1]->is_light)
		nothing(out, NULL, "The recording is large: births by a split, and where pages were before a "
				   "refault, are left out here. folioscope folio FILE PFN tells all.");
	fputs("<form class=\"search\" id=\"search\" role=\"search\" hidden><label for=\"pfn\">Page frame number "
	      "</label><input id=\"pfn\" autocomplete=\"off\" placeholder=\"0x4cc6 or 19654\"> "
	      "<span id=\"found\" role=\"status\" aria-live=\"polite\"></span></form>\n",
	      out);
	for (i = 0; i < nr_sides; i++)
		for (k = 0; k < sides[i]->chosen.nr; k++)
			story(out, sides[i], &sides[i]->stories[k]);
	end_section(out);
}

static void head(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	static const struct {
		const char *id, *title;
	} parts[] = {
		{ "summary", "Recorded" },	  { "generations", "Generations" },
		{ "survival", "Survival" },	  { "residency", "Residency" },
		{ "transitions", "Transitions" }, { "refaults", "Refaults" },
		{ "violations", "Violations" },	  { "lazyfree", "Lazyfree" },
		{ "hitshield", "Hitshield" },	  { "heat", "Heat map" },
		{ "counters", "Counters" },	  { "folios", "Folios" },
	};
	unsigned i;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"generator\" content=\"folioscope " FOLIOSCOPE_VERSION "\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>folioscope: ",
	      out);
	for (i = 0; i < nr_sides; i++) {
		const char *name = strrchr(sides[i]->path, '/');

		fputs(i ? " and " : "", out);
		svg_escape(out, name ? name + 1 : sides[i]->path);
	}
	fprintf(out, "</title>\n<style>\n%s</style>\n<style>\n%s</style>\n</head>\n<body>\n", asset_uplot_css,
		asset_page_css);
	fputs("<header><div class=\"tools\"><button id=\"theme\" type=\"button\" hidden>Theme: auto</button>"
	      "</div><h1>What the multi-gen LRU did to every folio</h1><p class=\"soft\">",
	      out);
	for (i = 0; i < nr_sides; i++) {
		if (*sides[i]->name)
			fprintf(out, "%s%s: ", i ? "; " : "", sides[i]->name);
		svg_escape(out, sides[i]->path);
	}
	fputs("</p></header>\n<nav aria-label=\"Contents\"><ul>", out);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		fprintf(out, "<li><a href=\"#%s\">%s</a></li>", parts[i].id, parts[i].title);
	fputs("</ul></nav>\n<main>\n", out);
}

int html_write(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	unsigned i, type;

	nr_shown = 0;
	head(out, sides, nr_sides);
	summary(out, sides, nr_sides);

	begin_section(out, "generations", "Generations over time",
		      "How many pages each generation held, and how fast pages were reclaimed and came back.");
	fputs("<div class=\"figures\">", out);
	for (i = 0; i < nr_sides; i++)
		for (type = 0; type < TYPE_NR; type++)
			occupancy(out, sides[i], type,
				  nr_sides > 1 && most_pages(sides[1], type) > most_pages(sides[0], type) ?
					  most_pages(sides[1], type) :
					  most_pages(sides[0], type));
	rates(out, sides, nr_sides, "Reclaimed", PICTURE_RECLAIMED, "pages per second");
	rates(out, sides, nr_sides, "Refaulted", PICTURE_REFAULTED, "pages per second");
	fputs("</div>", out);
	for (i = 0; i < nr_sides; i++)
		fprintf(out, "<div class=\"zoom\" data-side=\"%u\" hidden><p class=\"soft\">Drag to zoom, double-click "
			     "to see all, click a name to hide its line.</p></div>\n",
			i);
	numbers(out, sides, nr_sides, "timeline", false);
	end_section(out);

	begin_section(out, "survival", "Survival of folios",
		      "The fraction of folios that reclaim has not taken by an age. Folios that ended otherwise, or "
		      "were there at the end, count as long as they were seen (Kaplan-Meier).");
	fputs("<div class=\"figures\">", out);
	for (type = 0; type < TYPE_NR; type++)
		survival(out, sides, nr_sides, type);
	fputs("</div>", out);
	numbers(out, sides, nr_sides, "survival_quantiles births ends survival", false);
	end_section(out);

	begin_section(out, "residency", "Residency per generation", "How long folios stay in a generation.");
	residency(out, sides, nr_sides);
	numbers(out, sides, nr_sides, "generations residency", false);
	end_section(out);

	begin_section(out, "transitions", "Transitions between generations",
		      "Where folios went from each generation, and where they came from. Aging itself, which makes "
		      "all folios of a lruvec older, is not counted.");
	fputs("<div class=\"figures\">", out);
	for (i = 0; i < nr_sides; i++)
		for (type = 0; type < TYPE_NR; type++)
			transitions(out, sides[i], type);
	fputs("</div>", out);
	numbers(out, sides, nr_sides, "transitions reclaim_outcomes reclaim_reasons", false);
	end_section(out);

	begin_section(out, "refaults", "Refault distance",
		      "How long pages were away between eviction and refault.");
	fputs("<div class=\"figures\">", out);
	cdf(out, sides, nr_sides, "In time", "time_ns", SVG_DURATION, "time away (logarithmic)");
	cdf(out, sides, nr_sides, "In pages reclaimed meanwhile", "pages", SVG_NUMBER,
	    "pages reclaimed from the lruvec meanwhile (logarithmic)");
	fputs("</div>", out);
	numbers(out, sides, nr_sides, "refaults refault_tiers refault_other refault_distances "
				      "regretted_examples", false);
	end_section(out);

	begin_section(out, "violations", "Violations of LRU order",
		      "Where the order of the lists was violated, by the place in the kernel. What the data cannot "
		      "prove is not counted.");
	for (i = 0; i < nr_sides; i++)
		violations(out, sides[i]);
	numbers(out, sides, nr_sides, "v1_reversal v2_inversion v3_eviction_inversion order_other "
				      "order_examples violations_over_time", false);
	end_section(out);

	begin_section(out, "lazyfree", "Lazyfree",
		      "Folios given up by MADV_FREE: when reclaim reached them, and in which order (V4).");
	fputs("<div class=\"figures\">", out);
	lazyfree_delays(out, sides, nr_sides);
	for (i = 0; i < nr_sides; i++)
		lazyfree_order(out, sides[i]);
	fputs("</div>", out);
	numbers(out, sides, nr_sides, "lazyfree lazyfree_lruvecs lazyfree_delays lazyfree_points", false);
	end_section(out);

	begin_section(out, "hitshield", "Hitshield", "The counter that shields folios that were hit.");
	for (i = 0; i < nr_sides; i++)
		hitshield(out, sides[i]);
	numbers(out, sides, nr_sides, "hitshield hitshield_fates", false);
	end_section(out);

	if (heat_section(out, sides, nr_sides))
		return -ERR_NOMEM;

	begin_section(out, "counters", "Counters",
		      "The kernel's vmstat counters as the events give them, in pages, under their own names.");
	numbers(out, sides, nr_sides, "counters", true);
	for (i = 0; i < sides[0]->tables.nr; i++)
		if (!is_shown(sides[0]->tables.tables[i].def))
			numbers(out, sides, nr_sides, sides[0]->tables.tables[i].def->name, false);
	end_section(out);

	stories_section(out, sides, nr_sides);
	fputs("</main>\n", out);
	timeline_data(out, sides, nr_sides);
	fprintf(out, "<script>\n%s\n</script>\n<script>\n%s</script>\n</body>\n</html>\n", asset_uplot_js,
		asset_page_js);
	return 0;
}
