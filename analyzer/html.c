// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "assets.h"
#include "err.h"
#include "html-parts.h"
#include "text.h"

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

void html_nothing(FILE *out, const struct html_side *side, const char *text)
{
	fputs("<p class=\"soft\">", out);
	if (side && *side->name)
		fprintf(out, "%s: ", side->name);
	svg_escape(out, text);
	fputs("</p>\n", out);
}

/* Printed with a unit that suits it, not as ns. */
static bool is_duration(const struct column *column)
{
	return column->kind == CELL_COUNT && !strcmp(column->unit, "ns");
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
	else if (is_duration(column))
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
	fprintf(out, "\"><table data-table=\"%s\" data-side=\"%s\"><caption>", def->name,
		side->name);
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
			svg_escape(out,
				   is_duration(&def->columns[i]) ? "time" : def->columns[i].unit);
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
		html_nothing(out, NULL, "No rows.");
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
static void numbers(FILE *out, struct html_side *const sides[], unsigned nr_sides,
		    const char *names, bool open)
{
	char list[256], *name, *rest;
	unsigned i;

	snprintf(list, sizeof(list), "%s", names);
	for (name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
		const struct table *table = tables_find(&sides[0]->tables, name);

		if (!table)
			continue;
		shown[nr_shown++] = table->def;
		fprintf(out, "<details%s><summary>Numbers: ", open ? " open" : "");
		svg_escape(out, table->def->title);
		fputs("</summary>\n", out);
		for (i = 0; i < nr_sides; i++)
			html_table(out, sides[i], tables_find(&sides[i]->tables, name));
		terms(out, table->def);
		fputs("</details>\n", out);
	}
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
	shown[nr_shown++] = tables_find(&sides[0]->tables, "recording")->def;
	for (i = 0; i < nr_sides; i++)
		html_table(out, sides[i], tables_find(&sides[i]->tables, "recording"));
	numbers(out, sides, nr_sides, "quality event_counts lruvecs problems contradictions",
		false);
	end_section(out);
}

static int heat_section(FILE *out, struct html_side *const sides[], unsigned nr_sides)
{
	unsigned i;
	int ret = 0;

	begin_section(out, "heat", "Page frames over time",
		      "Where in memory folios were accessed, and where they were reclaimed.");
	fputs("<div class=\"figures\">", out);
	for (i = 0; i < nr_sides && !ret; i++) {
		ret = html_heatmap(out, sides[i], HEAT_ACCESSED, "Accesses seen");
		if (!ret)
			ret = html_heatmap(out, sides[i], HEAT_RECLAIMED, "Reclaimed");
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
		html_nothing(out, NULL, "The recording is large: births by a split, and where pages were before a "
				   "refault, are left out here. folioscope folio FILE PFN tells all.");
	fputs("<form class=\"search\" id=\"search\" role=\"search\" hidden><label for=\"pfn\">Page frame number "
	      "</label><input id=\"pfn\" autocomplete=\"off\" placeholder=\"0x4cc6 or 19654\"> "
	      "<span id=\"found\" role=\"status\" aria-live=\"polite\"></span></form>\n",
	      out);
	html_story_legend(out);
	for (i = 0; i < nr_sides; i++)
		for (k = 0; k < sides[i]->chosen.nr; k++)
			html_write_story(out, sides[i], &sides[i]->stories[k]);
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
	fprintf(out, "</title>\n<style>\n%s</style>\n<style>\n%s</style>\n</head>\n<body>\n",
		asset_uplot_css, asset_page_css);
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
			html_occupancy(out, sides[i], type,
				       nr_sides > 1 && html_most_pages(sides[1], type) >
							       html_most_pages(sides[0], type) ?
					       html_most_pages(sides[1], type) :
					       html_most_pages(sides[0], type));
	html_rates(out, sides, nr_sides, "Reclaimed", PICTURE_RECLAIMED, "pages per second");
	html_rates(out, sides, nr_sides, "Refaulted", PICTURE_REFAULTED, "pages per second");
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
		html_survival(out, sides, nr_sides, type);
	fputs("</div>", out);
	numbers(out, sides, nr_sides, "survival_quantiles births ends survival", false);
	end_section(out);

	begin_section(out, "residency", "Residency per generation",
		      "How long folios stay in a generation.");
	html_residency(out, sides, nr_sides);
	numbers(out, sides, nr_sides, "generations residency", false);
	end_section(out);

	begin_section(out, "transitions", "Transitions between generations",
		      "Where folios went from each generation, and where they came from. Aging itself, which makes "
		      "all folios of a lruvec older, is not counted.");
	fputs("<div class=\"figures\">", out);
	for (i = 0; i < nr_sides; i++)
		for (type = 0; type < TYPE_NR; type++)
			html_transitions(out, sides[i], type);
	fputs("</div>", out);
	numbers(out, sides, nr_sides, "transitions reclaim_outcomes reclaim_reasons", false);
	end_section(out);

	begin_section(out, "refaults", "Refault distance",
		      "How long pages were away between eviction and refault.");
	fputs("<div class=\"figures\">", out);
	html_cdf(out, sides, nr_sides, "In time", "time_ns", SVG_DURATION,
		 "time away (logarithmic)");
	html_cdf(out, sides, nr_sides, "In pages reclaimed meanwhile", "pages", SVG_NUMBER,
		 "pages reclaimed from the lruvec meanwhile (logarithmic)");
	fputs("</div>", out);
	numbers(out, sides, nr_sides, "refaults refault_tiers refault_other refault_distances "
				      "regretted_examples", false);
	end_section(out);

	begin_section(out, "violations", "Violations of LRU order",
		      "Where the order of the lists was violated, by the place in the kernel. What the data cannot "
		      "prove is not counted.");
	for (i = 0; i < nr_sides; i++)
		html_violations(out, sides[i]);
	numbers(out, sides, nr_sides, "v1_reversal v2_inversion v3_eviction_inversion order_other "
				      "order_examples violations_over_time", false);
	end_section(out);

	begin_section(out, "lazyfree", "Lazyfree",
		      "Folios given up by MADV_FREE: when reclaim reached them, and in which order (V4).");
	fputs("<div class=\"figures\">", out);
	html_lazyfree_delays(out, sides, nr_sides);
	for (i = 0; i < nr_sides; i++)
		html_lazyfree_order(out, sides[i]);
	fputs("</div>", out);
	numbers(out, sides, nr_sides, "lazyfree lazyfree_lruvecs lazyfree_delays lazyfree_points",
		false);
	end_section(out);

	begin_section(out, "hitshield", "Hitshield",
		      "The counter that shields folios that were hit.");
	fputs("<div class=\"figures\">", out);
	for (i = 0; i < nr_sides; i++) {
		html_hitshield(out, sides[i]);
		html_hitshield_fates(out, sides[i]);
	}
	fputs("</div>", out);
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
	html_timeline_data(out, sides, nr_sides);
	fprintf(out, "<script>\n%s\n</script>\n<script>\n%s</script>\n</body>\n</html>\n",
		asset_uplot_js, asset_page_js);
	return 0;
}
