/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the HTML report share: html.c writes the page and its tables,
 * html-charts.c the charts, html-hitshield.c those of shields, heat-picture.c that of
 * page frames, html-story.c the stories of chosen page frames. All write to @out, whose
 * errors the caller of html_write() checks. @sides are base and patch, or one side; a
 * chart of both draws the second with class "b".
 */
#ifndef FOLIOSCOPE_HTML_PARTS_H
#define FOLIOSCOPE_HTML_PARTS_H

#include "html.h"
#include "svg.h"

#define HTML_WIDTH 640	/* of a chart, in the units of its viewBox */
#define HTML_RIGHT 22	/* margin there */

/* html_nothing(): a paragraph for what is not there; @side (may be NULL) names it. */
void html_nothing(FILE *out, const struct html_side *side, const char *text);

/*
 * html_begin_figure(): a figure with a heading; @side (may be NULL) is named in it.
 * html_end_figure(): its end, with @text below it (NULL: without).
 */
void html_begin_figure(FILE *out, const struct html_side *side, const char *title);
void html_end_figure(FILE *out, const char *text);

/* html_end_empty_figure(): @text instead of a chart. */
void html_end_empty_figure(FILE *out, const char *text);

/*
 * html_time_plot(): the frame of a chart of @height over time, 0 to @duration_ns
 * on x; the caller sets y.
 */
struct svg_plot html_time_plot(FILE *out, double height, double duration_ns);

/* html_most_pages(): the most that the generations of @type ever held, in pages. */
uint64_t html_most_pages(const struct html_side *side, unsigned type);

/* html_occupancy(): pages by age over time, on a scale of up to @scale pages. */
void html_occupancy(FILE *out, const struct html_side *side, unsigned type, uint64_t scale);

/* html_rates(): the counts of @channel (and of files, @channel + 1) a second. */
void html_rates(FILE *out, struct html_side *const sides[], unsigned nr_sides, const char *title,
		unsigned channel, const char *label);

/* html_survival(): Kaplan-Meier curves of @type with the number at risk below. */
void html_survival(FILE *out, struct html_side *const sides[], unsigned nr_sides, unsigned type);

/* html_residency(): how long folios stay in a generation, by age. */
void html_residency(FILE *out, struct html_side *const sides[], unsigned nr_sides);

/* html_transitions(): the matrix of folios from generation to generation. */
void html_transitions(FILE *out, const struct html_side *side, unsigned type);

/*
 * html_cdf(): cumulative share of refaults by distance, in the @measure of the
 * table refault_distances ("time_ns" or "pages"), shown in @unit.
 */
void html_cdf(FILE *out, struct html_side *const sides[], unsigned nr_sides, const char *title,
	      const char *measure, enum svg_unit unit, const char *label);

/* html_violations(): a strip over time for each kind and site. */
void html_violations(FILE *out, const struct html_side *side);

/* html_lazyfree_delays(): from mark to free, cumulative. */
void html_lazyfree_delays(FILE *out, struct html_side *const sides[], unsigned nr_sides);

/* html_lazyfree_order(): place in the order of freeing against that of marking. */
void html_lazyfree_order(FILE *out, const struct html_side *side);

/*
 * html_hitshield(): the counter, step by step to the shield, and how shields ended.
 * html_hitshield_fates(): what became of folios that a shield spared.
 */
void html_hitshield(FILE *out, const struct html_side *side);
void html_hitshield_fates(FILE *out, const struct html_side *side);

/* html_heatmap(): page frames against time, counts of @kind. Returns 0 or -ERR_NOMEM. */
int html_heatmap(FILE *out, const struct html_side *side, enum heat_kind kind, const char *title);

/* html_timeline_data(): the series as JSON, for the zoomable chart's script. */
void html_timeline_data(FILE *out, struct html_side *const sides[], unsigned nr_sides);

/* html_story_legend(): what the dots of the timelines mean. */
void html_story_legend(FILE *out);

/* html_write_story(): one page frame: its timeline and its events; nothing if none. */
void html_write_story(FILE *out, const struct html_side *side, const struct html_story *story);

#endif /* FOLIOSCOPE_HTML_PARTS_H */
