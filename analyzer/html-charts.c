// SPDX-License-Identifier: GPL-2.0-only
#include "html-parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "text.h"

#define LEFT 76

static const char *const type_titles[TYPE_NR] = { "Anonymous memory", "Files" };

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
 * around the charts
 */

void html_begin_figure(FILE *out, const struct html_side *side, const char *title)
{
	fputs("<figure><h3>", out);
	svg_escape(out, title);
	if (side && *side->name) {
		fputs(", ", out);
		svg_escape(out, side->name);
	}
	fputs("</h3>\n", out);
}

void html_end_figure(FILE *out, const char *text)
{
	if (text) {
		fputs("<figcaption>", out);
		svg_escape(out, text);
		fputs("</figcaption>", out);
	}
	fputs("</figure>\n", out);
}

void html_end_empty_figure(FILE *out, const char *text)
{
	html_nothing(out, NULL, text);
	html_end_figure(out, NULL);
}

/* Legend of base and patch where both are in one picture, in the colour of @type. */
static void legend_sides(FILE *out, struct html_side *const sides[], unsigned nr_sides,
			 unsigned type)
{
	unsigned i;

	if (nr_sides < 2)
		return;
	fputs("<ul class=\"legend\">", out);
	for (i = 0; i < nr_sides; i++)
		fprintf(out, "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><path class=\"curve %s%s\" "
			     "d=\"M0 5H32\"/></svg>%s</li>",
			type_name(type), i ? " b" : "", sides[i]->name);
	fputs("</ul>\n", out);
}

/* Legend of the two types of folios. */
static void legend_types(FILE *out)
{
	unsigned type;

	fputs("<ul class=\"legend\">", out);
	for (type = 0; type < TYPE_NR; type++)
		fprintf(out, "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><path class=\"curve %s\" "
			     "d=\"M0 5H32\"/></svg>%s</li>",
			type_name(type), type_name(type));
	fputs("</ul>\n", out);
}

/* A logarithmic axis that begins and ends at a power of ten. */
static void widen_to_decades(double *min, double *max)
{
	*min = pow(10, floor(log10(*min)));
	*max = pow(10, ceil(log10(fmax(*max, *min * 10))));
}

/*
 * generations over time
 */

static uint64_t level(const struct series *series, unsigned slot, unsigned type, unsigned age)
{
	return *series_value(series, slot, PICTURE_NR_COUNTS + type * PICTURE_AGES + age);
}

struct svg_plot html_time_plot(FILE *out, double height, double duration_ns)
{
	return (struct svg_plot){
		.out = out,
		.left = LEFT,
		.top = 24,
		.width = HTML_WIDTH - LEFT - HTML_RIGHT,
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

uint64_t html_most_pages(const struct html_side *side, unsigned type)
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
void html_occupancy(FILE *out, const struct html_side *side, unsigned type, uint64_t scale)
{
	const struct series *series = &side->pictures.series;
	struct svg_plot plot = html_time_plot(out, 200, side->duration_ns);
	uint64_t sum, most = html_most_pages(side, type);
	unsigned slot, age, i;
	char text[160];

	html_begin_figure(out, side, type_titles[type]);
	if (!most) {
		html_end_empty_figure(out, "No page of this type was on a list.");
		return;
	}
	plot.y = (struct svg_axis){ 0, svg_top(scale), false, SVG_NUMBER, "pages on the lists" };
	snprintf(text, sizeof(text),
		 "Stacked areas, oldest generation at the bottom, at most %llu pages",
		 (unsigned long long)most);
	svg_begin(out, HTML_WIDTH, 264, type_titles[type], text);
	svg_axes(&plot);
	/* the oldest at the bottom */
	for (i = 0; i < PICTURE_AGES; i++) {
		unsigned from = PICTURE_AGES - i;	/* ages from here up are below */

		fprintf(out, "<path class=\"%s%u\" d=\"M%.1f %.1f", type_name(type), from - 1,
			svg_x(&plot, 0), svg_y(&plot, 0));
		for (slot = 0; slot < series->nr_slots; slot++) {
			for (age = from - 1, sum = 0; age < PICTURE_AGES; age++)
				sum += level(series, slot, type, age);
			fprintf(out, "L%.1f %.1f", svg_x(&plot, slot_end(side, slot)),
				svg_y(&plot, sum));
		}
		for (slot = series->nr_slots; slot-- > 0;) {
			for (age = from, sum = 0; age < PICTURE_AGES; age++)
				sum += level(series, slot, type, age);
			fprintf(out, "L%.1f %.1f", svg_x(&plot, slot_end(side, slot)),
				svg_y(&plot, sum));
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
		fprintf(out,
			"<li><svg viewBox=\"0 0 32 16\" aria-hidden=\"true\"><path class=\"%s%u\" "
			"d=\"M0 0H32V16H0Z\"/></svg>age %u%s</li>",
			type_name(type), age, age,
			age == 0		  ? " (youngest)" :
			age == PICTURE_AGES - 1 ? " and older" :
						  "");
	fputs("</ul>\n", out);
	html_end_figure(out, "Pages by the generation in their flags, over all lruvecs. A mark on top is an "
		     "aging of some lruvec: all of its folios become one generation older.");
}

void html_timeline_data(FILE *out, struct html_side *const sides[], unsigned nr_sides)
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
		snprintf(name, sizeof(name), "Pages per generation%s%s",
			 *sides[i]->name ? ", " : "", sides[i]->name);
		json_text(&j, "title", name);
		json_array(&j, "x");
		for (slot = 0; slot < series->nr_slots; slot++) {
			struct cell cell = { .kind = CELL_REAL,
					     .real = slot_end(sides[i], slot) / 1e9 };

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
				json_bool(&j, "dash", i > 0);
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

void html_rates(FILE *out, struct html_side *const sides[], unsigned nr_sides, const char *title,
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
				most = fmax(most, *series_value(series, slot, channel + type) *
							  1e9 / series->slot_ns);
	}
	html_begin_figure(out, NULL, title);
	if (most == 0) {
		html_end_empty_figure(out, "None in this recording.");
		return;
	}
	plot = html_time_plot(out, 170, duration_ns);
	plot.y = (struct svg_axis){ 0, svg_top(most), false, SVG_NUMBER, label };
	svg_begin(out, HTML_WIDTH, 240, title, "Lines over time, anonymous memory and files");
	svg_axes(&plot);
	for (i = 0; i < nr_sides; i++) {
		const struct series *series = &sides[i]->pictures.series;

		for (type = 0; type < TYPE_NR; type++) {
			fprintf(out, "<path class=\"curve %s%s\" d=\"", type_name(type),
				i ? " b" : "");
			for (slot = 0; slot < series->nr_slots; slot++)
				fprintf(out, "%s%.1f %.1f", slot ? "L" : "M",
					svg_x(&plot, (slot + 0.5) * series->slot_ns),
					svg_y(&plot, *series_value(series, slot, channel + type) *
							     1e9 / series->slot_ns));
			fputs("\"/>\n", out);
		}
	}
	svg_end(out);
	legend_types(out);
	legend_sides(out, sides, nr_sides, TYPE_ANON);
	html_end_figure(out, NULL);
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
	*min = fmax(*min, 1000);
	widen_to_decades(min, max);
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

void html_survival(FILE *out, struct html_side *const sides[], unsigned nr_sides, unsigned type)
{
	const char *name = type_name(type);
	struct svg_plot plot = {
		.out = out, .left = LEFT, .top = 14, .width = HTML_WIDTH - LEFT - HTML_RIGHT, .height = 200,
	};
	char buf[SVG_LABEL_BYTES];
	double min, max, decade;
	unsigned i;
	uint64_t row;

	survival_range(sides, nr_sides, name, &min, &max);
	html_begin_figure(out, NULL, type_titles[type]);
	if (!isfinite(min)) {
		html_end_empty_figure(out, "No folio whose beginning was seen was reclaimed.");
		return;
	}
	plot.x =
		(struct svg_axis){ min, max, true, SVG_DURATION, "age of the folio (logarithmic)" };
	plot.y = (struct svg_axis){ 0, 1, false, SVG_PERCENT, "not reclaimed" };
	svg_begin(out, HTML_WIDTH, 270 + 18 * nr_sides, type_titles[type],
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
	legend_sides(out, sides, nr_sides, type);
	html_end_figure(out, nr_sides > 1 ?
			     "Ages in steps of 1/16. Below: folios of each side still observed (at "
			     "risk) at that age." :
			     "Ages in steps of 1/16. Below: folios still observed (at risk) at that "
			     "age.");
}

/*
 * time in a generation
 */

void html_residency(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	const double left = nr_sides > 1 ? 138 : 100;
	struct svg_plot plot = {
		.out = out, .left = left, .top = 10, .width = HTML_WIDTH - left - HTML_RIGHT - 8
	};
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
	html_begin_figure(out, NULL, "Time in a generation");
	if (!isfinite(min)) {
		html_end_empty_figure(out,
				      "No stay in a generation was seen from beginning to end.");
		return;
	}
	widen_to_decades(&min, &max);
	height = nr * 22 + 10;
	plot.height = height;
	plot.x = (struct svg_axis){ min, max, true, SVG_DURATION,
				    "time in the generation (logarithmic)" };
	plot.y = (struct svg_axis){ 0, 1e9, false, SVG_NUMBER, "" };
	svg_begin(out, HTML_WIDTH, height + 50, "Time in a generation",
		  "Bars from the 10th to the 90th percentile, a line at the median");
	svg_x_axis(&plot);
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
				snprintf(label, sizeof(label), "%s, age %u%s%s", type_name(type),
					 age, *sides[i]->name ? " " : "", sides[i]->name);
				svg_text(out, plot.left - 6, y, "end", NULL, label);
				if (table_cell(table, row, 3)->kind == CELL_ABSENT) {
					svg_text(out, plot.left + 4, y, "start", "label small",
						 "not known");
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
	html_end_figure(out, "Bars from the 10th to the 90th percentile, the line is the median, all "
		     "interpolated within steps of 1/16. Age 0 is the youngest generation.");
}

/*
 * transitions
 */

void html_transitions(FILE *out, const struct html_side *side, unsigned type)
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
	html_begin_figure(out, side, title);
	if (!total) {
		html_end_empty_figure(out, "No folio of this type was seen to move.");
		return;
	}
	svg_begin(out, left + TO_NR * cell_width + 8, top + FROM_NR * cell_height + 8, title,
		  "Matrix: rows from, columns to, darker is more folios");
	for (to = 0; to < TO_NR; to++)
		svg_text(out, left + (to + 0.5) * cell_width, top - 6, "middle", "small",
			 transition_to_name(to));
	svg_text(out, left - 8, 14, "end", "label small", "from (down)");
	svg_text(out, left, 14, "start", "label small",
		 "to (right); age 0 is the youngest generation");
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
	html_end_figure(out, NULL);
}

/*
 * distributions: cumulative, log x
 */

/* Columns of a table that have what is counted and how many of it there are. */
struct distribution {
	const char *table;
	const char *measure;	/* column 1 has this, and column 0 a type; NULL: neither */
	unsigned value, count;
};

static bool is_counted(const struct distribution *d, const struct table *table, uint64_t row,
		       unsigned type)
{
	return !d->measure || (is_text(table, row, 0, type_name(type)) &&
			       is_text(table, row, 1, d->measure));
}

/* False if nothing was counted. */
static bool value_range(struct html_side *const sides[], unsigned nr_sides,
			const struct distribution *d, double *min, double *max)
{
	unsigned i;
	uint64_t row;

	*min = INFINITY;
	*max = 0;
	for (i = 0; i < nr_sides; i++) {
		const struct table *table = find(sides[i], d->table);

		for (row = 0; row < table_nr_rows(table); row++) {
			double value = number(table_cell(table, row, d->value));

			if (d->measure && !is_text(table, row, 1, d->measure))
				continue;
			*min = fmin(*min, fmax(1, value));
			*max = fmax(*max, value);
		}
	}
	if (!isfinite(*min))
		return false;
	widen_to_decades(min, max);
	return true;
}

static void cumulative_curve(const struct svg_plot *plot, const struct html_side *side,
			     const struct distribution *d, unsigned type, bool is_second)
{
	const struct table *table = find(side, d->table);
	double total = 0, sum = 0;
	uint64_t row;

	for (row = 0; row < table_nr_rows(table); row++)
		if (is_counted(d, table, row, type))
			total += number(table_cell(table, row, d->count));
	if (total == 0)
		return;
	fprintf(plot->out, "<path class=\"curve %s%s\" d=\"M%.1f %.1f", type_name(type),
		is_second ? " b" : "", svg_x(plot, plot->x.min), svg_y(plot, 0));
	for (row = 0; row < table_nr_rows(table); row++) {
		if (!is_counted(d, table, row, type))
			continue;
		sum += number(table_cell(table, row, d->count));
		fprintf(plot->out, "H%.1fV%.1f",
			svg_x(plot, number(table_cell(table, row, d->value))),
			svg_y(plot, sum / total));
	}
	fprintf(plot->out, "H%.1f\"/>\n", plot->left + plot->width);
}

/*
 * A figure with a curve for each side, and each type if there are any: the share of
 * what is called @what up to the value on the axis @x, whose range is filled in.
 * @empty is said where nothing was counted.
 */
static void cumulative_figure(FILE *out, struct html_side *const sides[], unsigned nr_sides,
			      const char *title, const struct distribution *d, struct svg_axis x,
			      const char *what, const char *empty)
{
	struct svg_plot plot = {
		.out = out, .left = LEFT, .top = 14, .width = HTML_WIDTH - LEFT - HTML_RIGHT, .height = 190,
		.x = x, .y = { 0, 1, false, SVG_PERCENT, what },
	};
	unsigned nr_types = d->measure ? TYPE_NR : 1, i, type;
	char text[96];

	html_begin_figure(out, NULL, title);
	if (!value_range(sides, nr_sides, d, &plot.x.min, &plot.x.max)) {
		html_end_empty_figure(out, empty);
		return;
	}
	snprintf(text, sizeof(text), "Cumulative share %s", what);
	svg_begin(out, HTML_WIDTH, 250, title, text);
	svg_axes(&plot);
	for (i = 0; i < nr_sides; i++)
		for (type = 0; type < nr_types; type++)
			cumulative_curve(&plot, sides[i], d, type, i > 0);
	svg_end(out);
	if (nr_types > 1)
		legend_types(out);
	legend_sides(out, sides, nr_sides, TYPE_ANON);
	html_end_figure(out, NULL);
}

void html_cdf(FILE *out, struct html_side *const sides[], unsigned nr_sides, const char *title,
	      const char *measure, enum svg_unit unit, const char *label)
{
	const struct distribution d = { "refault_distances", measure, .value = 2, .count = 3 };
	const struct svg_axis x = { .log = true, .unit = unit, .label = label };

	cumulative_figure(out, sides, nr_sides, title, &d, x, "of refaults",
			  "No page was seen to be evicted and to come back.");
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

void html_violations(FILE *out, const struct html_side *side)
{
	const struct table *table = find(side, "violations_over_time");
	struct strip strips[MAX_STRIPS];
	struct svg_plot plot = html_time_plot(out, 0, side->duration_ns);
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
	html_begin_figure(out, side, "Violations by site over time");
	if (!nr) {
		html_end_empty_figure(out, "None: the order of the lists was kept, as far as it is known.");
		return;
	}
	plot.left = 150;
	plot.width = HTML_WIDTH - plot.left - 60;
	plot.top = 10;
	plot.height = nr * 34;
	plot.y = (struct svg_axis){ 0, 1, false, SVG_NUMBER, "" };
	svg_begin(out, HTML_WIDTH, plot.height + 54, "Violations by site over time",
		  "One strip per kind and site, bars are folios per slot of time");
	svg_x_axis(&plot);
	for (i = 0; i < nr; i++) {
		double bottom = 10 + (i + 1) * 34;

		snprintf(label, sizeof(label), "%s %s", strips[i].kind, strips[i].site);
		svg_text(out, plot.left - 6, bottom - 8, "end", NULL, label);
		svg_text(out, plot.left + plot.width + 4, bottom - 8, "start", "label small",
			 svg_label(buf, SVG_NUMBER, strips[i].total));
		fprintf(out, "<path class=\"axis\" d=\"M%.1f %.1fh%.1f\"/><path class=\"%s\" d=\"",
			plot.left, bottom, plot.width, strips[i].kind);
		for (row = 0; row < table_nr_rows(table); row++) {
			double x, height;

			if (!is_text(table, row, 1, strips[i].kind) ||
			    !is_text(table, row, 2, strips[i].site))
				continue;
			x = svg_x(&plot, number(table_cell(table, row, 0)));
			height = 26 * number(table_cell(table, row, 3)) / strips[i].most;
			fprintf(out, "M%.1f %.1fv-%.1fh%.1fv%.1fz", x, bottom, fmax(height, 1.5),
				fmax(1.5, plot.width * side->pictures.series.slot_ns /
						  side->duration_ns),
				fmax(height, 1.5));
		}
		fputs("\"/>\n", out);
	}
	svg_end(out);
	html_end_figure(out, "Folios concerned; each strip has its own scale, the number on the right is its "
		     "total. V1 reversed runs, V2 inversions, V3 evicted before older ones, V5 refaulted soon.");
}

/*
 * lazyfree
 */

void html_lazyfree_delays(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	static const struct distribution d = { "lazyfree_delays", NULL, .value = 0, .count = 1 };
	const struct svg_axis x = {
		.log = true, .unit = SVG_DURATION, .label = "time from mark to free (logarithmic)",
	};

	cumulative_figure(out, sides, nr_sides, "From MADV_FREE to free", &d, x, "of freed folios",
			  "No marked folio was freed by reclaim.");
}

void html_lazyfree_order(FILE *out, const struct html_side *side)
{
	const struct table *table = find(side, "lazyfree_points");
	struct svg_plot plot = html_time_plot(out, 190, side->duration_ns);
	double first = INFINITY, last = 0, mark_last = 0;
	uint64_t row;

	html_begin_figure(out, side, "Order of freeing against marking");
	if (!table_nr_rows(table)) {
		html_end_empty_figure(out, "No marked folio was freed by reclaim.");
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
	svg_begin(out, HTML_WIDTH, 260, "Order of freeing against marking",
		  "A dot per folio: rising is first-in first-out, falling is last-in first-out");
	svg_axes(&plot);
	fputs("<g class=\"fill-anon\">", out);
	for (row = 0; row < table_nr_rows(table); row++)
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.8\"/>",
			svg_x(&plot, number(table_cell(table, row, 0))),
			svg_y(&plot, number(table_cell(table, row, 1))));
	fputs("</g>\n", out);
	svg_end(out);
	html_end_figure(out, "A dot per folio (every n-th where there are many). Rising from left to right: freed in "
		     "the order of marking; falling: last-in first-out.");
}
