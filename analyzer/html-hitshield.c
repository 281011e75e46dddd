// SPDX-License-Identifier: GPL-2.0-only
#include "html-parts.h"

#include <math.h>
#include <string.h>

#include "hitshield.h"

#define BOX_WIDTH 58
#define BOX_HEIGHT 30
#define BOX_TOP 62	/* of the row of counts */
#define ENDS_TOP 168	/* of what ends a count or a shield */

/* The machine as the events show it. */
struct flow {
	uint64_t counted[PICTURE_SHIELDS];	/* one more, by the count before */
	uint64_t granted[PICTURE_SHIELDS];	/* by the count before */
	uint64_t cleared[PICTURE_SHIELDS];	/* by the count before */
	uint64_t at_end[PICTURE_SHIELDS], gone[PICTURE_SHIELDS];	/* had it to the last */
	uint64_t shields_at_end, shields_gone;
	uint64_t nr_cleared, nr_spent, nr_kept;
	uint64_t most;				/* of all that is drawn */
	unsigned nr_counts;			/* boxes: counts 0 to that, less one */
	double step;				/* from one box to the next */
};

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* What remained of counts and shields: @what of the table hitshield, of count @number. */
static uint64_t rest_of(const struct table *table, const char *what, int number)
{
	uint64_t row;

	for (row = 0; row < table_nr_rows(table); row++) {
		const struct cell *count = table_cell(table, row, 1);

		if (!strcmp(table_cell(table, row, 0)->text, what) &&
		    (number < 0 || (count->kind == CELL_COUNT && count->u == (unsigned)number)))
			return table_cell(table, row, 2)->u;
	}
	return 0;
}

static void flow_fill(struct flow *flow, const struct html_side *side)
{
	const struct table *table = tables_find(&side->tables, "hitshield");
	unsigned from, to;

	memset(flow, 0, sizeof(*flow));
	flow->shields_at_end = rest_of(table, "still", -1);
	flow->shields_gone = rest_of(table, "unused", -1);
	for (from = 0; from < PICTURE_SHIELDS; from++) {
		for (to = 0; to < PICTURE_SHIELDS; to++) {
			flow->counted[from] += side->pictures.shields[HITSHIELD_COUNTED][from][to];
			flow->granted[from] += side->pictures.shields[HITSHIELD_GRANTED][from][to];
			flow->cleared[from] += side->pictures.shields[HITSHIELD_CLEARED][from][to];
			flow->nr_spent += side->pictures.shields[HITSHIELD_SPENT][from][to];
			flow->nr_kept += side->pictures.shields[HITSHIELD_KEPT][from][to];
		}
		flow->nr_cleared += flow->cleared[from];
		flow->at_end[from] = rest_of(table, "count_at_end", from);
		flow->gone[from] = rest_of(table, "count_gone", from);
		flow->most = larger(flow->most, larger(flow->counted[from], flow->granted[from]));
		if (flow->counted[from] || flow->granted[from] || flow->cleared[from])
			flow->nr_counts = from + 1;
	}
	flow->most =
		larger(flow->most, larger(flow->nr_cleared, larger(flow->nr_spent, flow->nr_kept)));
	if (flow->nr_counts)
		flow->step = (HTML_WIDTH - BOX_WIDTH - 24.0) / flow->nr_counts;
}

/* The left edge of a count's box; that of the shield comes after the last count. */
static double box_left(const struct flow *flow, unsigned i)
{
	return 12 + flow->step * i;
}

static double box_middle(const struct flow *flow, unsigned i)
{
	return box_left(flow, i) + BOX_WIDTH / 2.0;
}

static void box(FILE *out, double left, double top, double width, const char *text)
{
	fprintf(out, "<rect class=\"grid\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"4\"/>\n",
		left, top, width, BOX_HEIGHT);
	svg_text(out, left + width / 2, top + BOX_HEIGHT / 2.0 + 4, "middle", NULL, text);
}

/* An arrow for @nr folios, straight, as wide as these are many. */
static void arrow(FILE *out, const struct flow *flow, uint64_t nr, double x1, double y1, double x2,
		  double y2)
{
	double length = hypot(x2 - x1, y2 - y1), dx = (x2 - x1) / length, dy = (y2 - y1) / length;
	double width = 1 + 7 * sqrt((double)nr / flow->most), head = 5 + width / 2;

	fprintf(out, "<path class=\"anon\" stroke-width=\"%.1f\" d=\"M%.1f %.1fL%.1f %.1f\"/>",
		width, x1, y1, x2 - dx * head, y2 - dy * head);
	fprintf(out, "<path class=\"fill-anon\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", x2, y2,
		x2 - dx * head - dy * head * .8, y2 - dy * head + dx * head * .8,
		x2 - dx * head + dy * head * .8, y2 - dy * head - dx * head * .8);
}

static void number_at(FILE *out, double x, double y, const char *anchor, uint64_t nr)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)nr);
	svg_text(out, x, y, anchor, "small", text);
}

/*
 * Beside the arrow down from box @i: folios that had this count to the last. Those with
 * the shield are lower and inwards, where there is room.
 */
static void draw_rest(FILE *out, const struct flow *flow, unsigned i, uint64_t at_end, uint64_t gone)
{
	bool is_shield = i == flow->nr_counts;
	const char *anchor = is_shield ? "end" : "start";
	double x = box_middle(flow, i) + (is_shield ? -8 : 8);
	double y = BOX_TOP + BOX_HEIGHT + (is_shield ? 52 : 13);
	char text[40];

	if (at_end) {
		snprintf(text, sizeof(text), "end: %llu", (unsigned long long)at_end);
		svg_text(out, x, y, anchor, "small", text);
	}
	if (gone) {
		snprintf(text, sizeof(text), "gone: %llu", (unsigned long long)gone);
		svg_text(out, x, y + 13, anchor, "small", text);
	}
}

/* From a count to the shield: past the counts between them. */
static void draw_grant(FILE *out, const struct flow *flow, unsigned from)
{
	double middle = box_middle(flow, from), shield = box_middle(flow, flow->nr_counts);
	double y = BOX_TOP + BOX_HEIGHT / 2.0, lane = 24;

	if (from + 1 == flow->nr_counts) {
		arrow(out, flow, flow->granted[from], box_left(flow, from) + BOX_WIDTH, y,
		      box_left(flow, from + 1), y);
		number_at(out, (middle + shield) / 2, BOX_TOP - 6, "middle", flow->granted[from]);
		return;
	}
	fprintf(out,
		"<path class=\"anon\" stroke-width=\"1\" fill=\"none\" d=\"M%.1f %dV%.1fH%.1f\"/>",
		middle, BOX_TOP, lane, shield);
	arrow(out, flow, flow->granted[from], shield, lane, shield, BOX_TOP);
	number_at(out, middle + 4, lane - 5, "start", flow->granted[from]);
}

static void draw_flow(FILE *out, const struct flow *flow)
{
	double right = box_left(flow, flow->nr_counts), y = BOX_TOP + BOX_HEIGHT / 2.0;
	char text[64];
	unsigned i;

	for (i = 0; i < flow->nr_counts; i++) {
		snprintf(text, sizeof(text), i ? "%u" : "count %u", i);
		box(out, box_left(flow, i), BOX_TOP, BOX_WIDTH, text);
		if (flow->granted[i])
			draw_grant(out, flow, i);
		if (flow->counted[i] && i + 1 < flow->nr_counts) {
			arrow(out, flow, flow->counted[i], box_left(flow, i) + BOX_WIDTH, y,
			      box_left(flow, i + 1), y);
			number_at(out, (box_middle(flow, i) + box_middle(flow, i + 1)) / 2,
				  BOX_TOP - 6, "middle", flow->counted[i]);
		}
		if (flow->cleared[i]) {
			arrow(out, flow, flow->cleared[i], box_middle(flow, i),
			      BOX_TOP + BOX_HEIGHT, box_middle(flow, i), ENDS_TOP);
			number_at(out, box_middle(flow, i) + 8, ENDS_TOP - 30, "start",
				  flow->cleared[i]);
		}
		if (i)
			draw_rest(out, flow, i, flow->at_end[i], flow->gone[i]);
	}
	draw_rest(out, flow, flow->nr_counts, flow->shields_at_end, flow->shields_gone);
	box(out, right, BOX_TOP, BOX_WIDTH, "shield");
	if (flow->nr_cleared) {
		snprintf(text, sizeof(text), "cleared by an add: %llu",
			 (unsigned long long)flow->nr_cleared);
		box(out, box_left(flow, 0), ENDS_TOP, right - box_left(flow, 0) - 30, text);
	}
	if (flow->nr_kept) {
		snprintf(text, sizeof(text), "kept through an add: %llu",
			 (unsigned long long)flow->nr_kept);
		svg_text(out, right + BOX_WIDTH, 14, "end", "small", text);
		arrow(out, flow, flow->nr_kept, right + BOX_WIDTH - 10, 18, right + BOX_WIDTH - 10,
		      BOX_TOP);
	}
	if (flow->nr_spent)
		arrow(out, flow, flow->nr_spent, box_middle(flow, flow->nr_counts),
		      BOX_TOP + BOX_HEIGHT, box_middle(flow, flow->nr_counts), ENDS_TOP);
	snprintf(text, sizeof(text), "spent: %llu", (unsigned long long)flow->nr_spent);
	box(out, right - 16, ENDS_TOP, BOX_WIDTH + 16 + 10, text);
}

void html_hitshield(FILE *out, const struct html_side *side)
{
	unsigned cause, from, to;
	struct flow flow;

	flow_fill(&flow, side);
	html_begin_figure(out, side, "Hitshield flow");
	if (!flow.nr_counts) {
		html_end_empty_figure(out, "No hitshield event: the kernel has no hitshield, or it was "
					   "off.");
		return;
	}
	svg_begin(out, HTML_WIDTH, ENDS_TOP + BOX_HEIGHT + 12, "Hitshield flow",
		  "From left to right the counter of updates, then the shield; down: what ended them");
	draw_flow(out, &flow);
	svg_end(out);
	fputs("<details><summary>Numbers: counter before and after</summary>"
	      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Hitshield transitions\"><table>"
	      "<thead><tr><th>cause</th><th>before</th>"
	      "<th>after</th><th>times</th></tr></thead><tbody>",
	      out);
	for (cause = 0; cause < HITSHIELD_NR; cause++)
		for (from = 0; from < PICTURE_SHIELDS; from++)
			for (to = 0; to < PICTURE_SHIELDS; to++)
				if (side->pictures.shields[cause][from][to])
					fprintf(out, "<tr><td>%s</td><td class=\"n\">%u</td><td class=\"n\">%u</td>"
						     "<td class=\"n\">%llu</td></tr>",
						hitshield_name(cause), from, to,
						(unsigned long long)
							side->pictures.shields[cause][from][to]);
	fputs("</tbody></table></div></details>\n", out);
	html_end_figure(out, "Folios, by the count of their updates through page tables. The wider an arrow, the more. "
			   "end: still had that count, or shield, when the recording ended; gone: went with it.");
}

/* The row of a fate in the table, 0 if it is not there. */
static uint64_t fate_nr(const struct table *table, const char *fate, bool was_accessed)
{
	uint64_t row;

	for (row = 0; row < table_nr_rows(table); row++) {
		const struct cell *text = table_cell(table, row, 0),
				  *accessed = table_cell(table, row, 1);

		if (text->kind == CELL_TEXT && !strcmp(text->text, fate) &&
		    accessed->flag == was_accessed)
			return table_cell(table, row, 2)->u;
	}
	return 0;
}

void html_hitshield_fates(FILE *out, const struct html_side *side)
{
	const struct table *table = tables_find(&side->tables, "hitshield_fates");
	double left = 200, room = HTML_WIDTH - left - 60, x;
	uint64_t nr[HITSHIELD_FATE_NR][2], most = 0;
	unsigned i, k, shown = 0;

	for (i = 0; i < HITSHIELD_FATE_NR; i++) {
		for (k = 0; k < 2; k++)
			nr[i][k] = fate_nr(table, hitshield_fate_text(i), k);
		most = larger(most, nr[i][0] + nr[i][1]);
		shown += nr[i][0] + nr[i][1] > 0;
	}
	if (!most)
		return;
	html_begin_figure(out, side, "What spent shields bought");
	svg_begin(out, HTML_WIDTH, 16 + shown * 26, "What spent shields bought",
		  "A bar per fate: how many folios that a shield spared from eviction met it");
	for (i = shown = 0; i < HITSHIELD_FATE_NR; i++) {
		double y = 8 + shown * 26;

		if (!nr[i][0] && !nr[i][1])
			continue;
		shown++;
		svg_text(out, left - 8, y + 14, "end", NULL, hitshield_fate_text(i));
		for (k = 2, x = left; k-- > 0; x += room * nr[i][k] / most)
			fprintf(out, "<rect class=\"anon%d\" x=\"%.1f\" y=\"%.0f\" height=\"18\" width=\"%.1f\"/>",
				k ? 2 : 0, x, y, room * nr[i][k] / most);
		number_at(out, x + 6, y + 14, "start", nr[i][0] + nr[i][1]);
	}
	svg_end(out);
	fputs("<ul class=\"legend\">"
	      "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><rect class=\"anon2\" width=\"32\" height=\"10\"/></svg>"
	      "accessed after it was spared</li>"
	      "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><rect class=\"anon0\" width=\"32\" height=\"10\"/></svg>"
	      "not seen accessed</li></ul>\n",
	      out);
	html_end_figure(out, "Folios that were about to be evicted and lost their shield instead.");
}
