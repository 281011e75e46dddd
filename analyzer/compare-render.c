// SPDX-License-Identifier: GPL-2.0-only
#include "compare-render.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "json.h"
#include "selection.h"
#include "text.h"

#define COLUMN_BYTES 48
#define WORD_COLUMNS 63	/* of a word of a condition */
#define NAME_INDENT 7	/* of the name of a row on a line of its own */

struct column_buf {
	char s[COLUMN_BYTES];
};

/* A counter as it was counted; else two decimals, or what fits. */
static const char *number(struct column_buf *buf, double value)
{
	if (value == rint(value) && fabs(value) < 1e15)
		snprintf(buf->s, sizeof(buf->s), "%.0f", value);
	else if (fabs(value) >= 0.1 && fabs(value) < 1e12)
		snprintf(buf->s, sizeof(buf->s), "%.2f", value);
	else
		snprintf(buf->s, sizeof(buf->s), "%.4g", value);
	return buf->s;
}

/* Signed, two decimals: the raw change. */
static const char *percent(struct column_buf *buf, double value)
{
	if (isinf(value))
		snprintf(buf->s, sizeof(buf->s), value > 0 ? "from 0" : "below 0");
	else if (fabs(value) < 1e6)
		snprintf(buf->s, sizeof(buf->s), "%+.2f%%", value);
	else
		snprintf(buf->s, sizeof(buf->s), "%+.3g%%", value);
	return buf->s;
}

/* Three digits, and no exponent before there must be one. */
static const char *rough(struct column_buf *buf, double value)
{
	snprintf(buf->s, sizeof(buf->s),
		 fabs(value) >= 999.5 && fabs(value) < 1e12 ? "%.0f" : "%.3g", value);
	return buf->s;
}

static const char *p_value(struct column_buf *buf, double p)
{
	snprintf(buf->s, sizeof(buf->s), p < 0.0001 ? "%.1e" : p < 0.01 ? "%.4f" : "%.3f", p);
	return buf->s;
}

/* The end of a long path tells more than its beginning. */
static const char *tail_of(const char *path, size_t width)
{
	size_t len = strlen(path);

	return len > width ? path + len - width : path;
}

static bool has_several(const struct compare *compare)
{
	return compare->nr_runs[COMPARE_BASE] > 1 || compare->nr_runs[COMPARE_PATCH] > 1;
}

/* A change in units of the row, as percent of the base where there is one. */
static double relative(const struct compare_row *row, double change)
{
	double base = fabs(row->samples[COMPARE_BASE].mean);

	return base > 0 ? 100 * change / base : change;
}

static const char *unit_of(const struct compare_row *row)
{
	return row->samples[COMPARE_BASE].mean != 0 ? "%" : "";
}

static void runs_text(const struct compare_row *row, char *text, size_t size)
{
	unsigned nr_base = row->samples[COMPARE_BASE].nr, nr_patch = row->samples[COMPARE_PATCH].nr;

	if (nr_base == nr_patch)
		snprintf(text, size, "%u runs a side", nr_base);
	else
		snprintf(text, size, "%u against %u runs", nr_base, nr_patch);
}

const char *compare_verdict_text(const struct compare *compare, const struct compare_row *row,
				 struct compare_text *buf)
{
	struct column_buf effect;
	char runs[40];
	double detectable;

	if (row->verdict != VERDICT_NONE) {
		snprintf(buf->s, sizeof(buf->s), "%s", compare_verdict_name(row->verdict));
		return buf->s;
	}
	runs_text(row, runs, sizeof(runs));
	if (compare_detectable(compare, row, &detectable))
		snprintf(buf->s, sizeof(buf->s),
			 "no difference that %s can show "
			 "(smallest effect they could have shown: %s%s)",
			 runs, rough(&effect, relative(row, detectable)), unit_of(row));
	else
		snprintf(buf->s, sizeof(buf->s),
			 "no difference that %s can show (no spread to judge by)", runs);
	return buf->s;
}

/*
 * Conditions
 */

/* Shown even where they are the same, in this order. */
static const char *const important[] = {
	"kernel release", "trace clock",    "CPUs of the machine", "mem",
	"memory limit",	  "swap device",    "THP",		   "swappiness",
	"scenario",	  "workload",	    "allocator",	   SELECTION_SAMPLE,
	SELECTION_MEMCG,  SELECTION_TYPE,   "LRU lists",
};

/* What a comparison ought to know. */
static const struct {
	const char *what;
	const char *keys[3];
} wanted[] = {
	{ "kernel", { "kernel release" } },
	{ "swap device", { "swap device" } },
	{ "THP", { "THP" } },
	{ "memory limit", { "memory limit", "mem", "memory.max" } },
};

static bool is_important(const char *key)
{
	unsigned i;

	for (i = 0; i < sizeof(important) / sizeof(important[0]); i++)
		if (!strcmp(important[i], key))
			return true;
	return !strncmp(key, "/sys/kernel/mm/lru_gen/", 23);
}

static const struct compare_condition *find(const struct compare_condition *conditions,
					    unsigned nr, const char *key)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		if (!strcmp(conditions[i].key, key))
			return &conditions[i];
	return NULL;
}

static const char *value_of(const struct compare *compare, const struct compare_condition *c,
			    unsigned side)
{
	if (!c->nr_known[side])
		return "not stated";
	if (!c->values[side])
		return "differs among its runs";
	if (c->nr_known[side] < compare->nr_runs[side])
		return "stated by some runs only";
	return c->values[side];
}

/* Is the word at @word, of @len bytes, one of @text? */
static bool has_word(const char *text, const char *word, size_t len)
{
	size_t at;

	for (; *text; text += at) {
		text += strspn(text, " ");
		at = strcspn(text, " ");
		if (at == len && !memcmp(text, word, len))
			return true;
	}
	return false;
}

/* The words of @value that are not in @other; dots stand for those left out. */
static void render_words(const char *label, const char *value, const char *other, FILE *out)
{
	size_t len = strlen(value), size = len + 32 + 4 * (len + 1);
	char *line = malloc(size), *at = line;
	const char *word;
	bool is_left_out = false;

	if (!line) {
		fprintf(out, "    %s %s\n", label, value);
		return;
	}
	at += sprintf(at, "    %s", label);
	for (word = value; *word; word += len) {
		word += strspn(word, " ");
		len = strcspn(word, " ");
		if (!len)
			break;
		if (has_word(other, word, len)) {
			is_left_out = true;
			continue;
		}
		at += sprintf(at, "%s %.*s%s", is_left_out ? " ..." : "",
			      (int)(len > WORD_COLUMNS ? WORD_COLUMNS - 3 : len), word,
			      len > WORD_COLUMNS ? "..." : "");
		is_left_out = false;
	}
	if (is_left_out)
		sprintf(at, " ...");
	text_wrap(out, line, 11);
	free(line);
}

/* A condition that differs and of which a value does not fit into its column. */
static void render_long(const struct compare_condition *c, const char *const *values, FILE *out)
{
	/* else what is in its place says why not */
	bool is_known = values[COMPARE_BASE] == c->values[COMPARE_BASE] &&
			values[COMPARE_PATCH] == c->values[COMPARE_PATCH];

	fprintf(out, is_known ? "  %-22s the words that differ:\n" : "  %s\n", c->key);
	render_words("base: ", values[COMPARE_BASE], is_known ? values[COMPARE_PATCH] : "", out);
	render_words("patch:", values[COMPARE_PATCH], is_known ? values[COMPARE_BASE] : "", out);
}

/* Was more lost in a run than could be counted? */
static bool has_unknown_loss(const struct compare *compare, unsigned side)
{
	double min, max;

	return compare_span(compare, side, "losses_of_unknown_size", &min, &max) ||
	       compare_span(compare, side, "damaged_stretches", &min, &max);
}

static void render_span(const struct compare *compare, const char *label, const char *name,
			FILE *out)
{
	struct column_buf a, b;
	double min, max;
	unsigned side;
	char text[2 * COLUMN_BYTES + 8];

	fprintf(out, "  %-22s", label);
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		if (!compare_span(compare, side, name, &min, &max))
			snprintf(text, sizeof(text), "unknown");
		else if (!strcmp(name, "lost_events") && has_unknown_loss(compare, side))
			snprintf(text, sizeof(text), "%s%s", max > 0 ? "at least " : "unknown",
				 max > 0 ? number(&a, min) : "");
		else if (min == max)
			snprintf(text, sizeof(text), "%s", number(&a, min));
		else
			snprintf(text, sizeof(text), "%s to %s", number(&a, min), number(&b, max));
		fprintf(out, side ? " %.25s\n" : " %-24.24s", text);
	}
}

static void warn_spans(const struct compare *compare, FILE *out)
{
	double min[2], max[2];
	unsigned side;

	for (side = 0; side < COMPARE_NR_SIDES; side++)
		if (compare_span(compare, side, "lost_events", &min[side], &max[side]) &&
		    max[side] > 0)
			fprintf(out, "WARNING: events were lost in runs of the %s: its counts "
				     "are too low\n", compare_side_name(side));
	for (side = 0; side < COMPARE_NR_SIDES; side++)
		if (has_unknown_loss(compare, side))
			fprintf(out,
				"WARNING: events were lost in runs of the %s, nobody knows how "
				"many\n",
				compare_side_name(side));
	if (compare_span(compare, COMPARE_BASE, "recorded_s", &min[0], &max[0]) &&
	    compare_span(compare, COMPARE_PATCH, "recorded_s", &min[1], &max[1]) &&
	    (min[0] > 1.1 * max[1] || min[1] > 1.1 * max[0]))
		fprintf(out, "WARNING: the durations differ by more than a tenth: counts of the\n"
			     "  longer side are larger; --per recorded_s compares rates\n");
}

static bool is_one_sided(const struct compare_condition *c)
{
	return !c->nr_known[0] != !c->nr_known[1];
}

/* What one side alone states may differ too. */
static void warn_one_sided(const struct compare_condition *conditions, unsigned nr,
			   enum compare_side side, FILE *out)
{
	unsigned i, column = 0;

	for (i = 0; i < nr; i++) {
		const struct compare_condition *c = &conditions[i];

		if (!is_one_sided(c) || !c->nr_known[side])
			continue;
		if (!column)
			column = fprintf(out, "WARNING: stated by the %s only:",
					 compare_side_name(side));
		else
			column += fprintf(out, ",");
		if (column + 2 + strlen(c->key) > TEXT_COLUMNS)
			column = fprintf(out, "\n ") - 1;
		column += fprintf(out, " %.70s", c->key);
	}
	if (column)
		fputc('\n', out);
}

static void warn_conditions(const struct compare *compare,
			    const struct compare_condition *conditions, unsigned nr,
			    const char *const *differ, unsigned nr_differ, FILE *out)
{
	char missing[80] = "", line[300];
	unsigned i, k;

	for (i = 0; i < nr; i++) {
		const struct compare_condition *c = &conditions[i];
		bool is_meant = false;

		if (!c->differs)
			continue;
		for (k = 0; k < nr_differ; k++)
			is_meant |= !strcmp(conditions_key(differ[k]), c->key);
		if (is_meant)
			snprintf(line, sizeof(line), "as meant, these differ: %s", c->key);
		else if (is_one_sided(c))
			continue;	/* told together */
		else
			snprintf(line, sizeof(line), "WARNING: differs: %s", c->key);
		text_wrap(out, line, 2);
	}
	warn_one_sided(conditions, nr, COMPARE_BASE, out);
	warn_one_sided(conditions, nr, COMPARE_PATCH, out);
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		bool known = false;

		for (k = 0; k < 3 && wanted[i].keys[k]; k++)
			known |= find(conditions, nr, wanted[i].keys[k]) != NULL;
		if (!known)
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing),
				 "%s%s", *missing ? ", " : "", wanted[i].what);
	}
	if (*missing)
		fprintf(out, "WARNING: nobody stated: %s\n", missing);
	warn_spans(compare, out);
}

static int render_conditions(const struct compare *compare, const char *const *differ,
			     unsigned nr_differ, FILE *out)
{
	struct compare_condition *conditions;
	int i, nr = compare_conditions(compare, &conditions);
	unsigned nr_hidden = 0, side;

	if (nr < 0)
		return nr;
	fprintf(out, "%-24s %-24s %s\n", "conditions", "base", "patch");
	fprintf(out, "  %-22s %-24u %u\n", "runs", compare->nr_runs[0], compare->nr_runs[1]);
	if (compare->has_recordings) {
		render_span(compare, "recorded seconds", "recorded_s", out);
		render_span(compare, "lost events", "lost_events", out);
	}
	for (i = 0; i < nr; i++) {
		const struct compare_condition *c = &conditions[i];
		const char *values[COMPARE_NR_SIDES];

		if (!is_important(c->key) && is_one_sided(c))
			continue;	/* named in a warning */
		if (!c->differs && !is_important(c->key)) {
			nr_hidden++;
			continue;
		}
		for (side = 0; side < COMPARE_NR_SIDES; side++)
			values[side] = value_of(compare, c, side);
		if (c->differs && (strlen(values[0]) > 24 || strlen(values[1]) > 25)) {
			render_long(c, values, out);
			continue;
		}
		if (fprintf(out, "  %-22.73s", c->key) > 24)
			fprintf(out, "\n%24s", "");
		if (strlen(values[0]) > 24)
			fprintf(out, " %.21s... the same\n", values[0]);
		else
			fprintf(out, " %-24s %s\n", values[0],
				c->differs ? values[1] : "the same");
	}
	if (nr_hidden)
		fprintf(out, "  and %u more that are the same in all runs\n", nr_hidden);
	warn_conditions(compare, conditions, nr, differ, nr_differ, out);
	free(conditions);
	return 0;
}

/*
 * Rows
 */

static const char *mean_of(struct column_buf *buf, const struct compare_row *row, unsigned side)
{
	if (!row->samples[side].nr) {
		strcpy(buf->s, "-");
		return buf->s;
	}
	return number(buf, row->samples[side].mean);
}

static int width_of(const struct compare *compare, unsigned side, int width)
{
	struct column_buf buf;
	unsigned i;

	for (i = 0; i < compare->nr_rows; i++) {
		int len = strlen(mean_of(&buf, &compare->rows[i], side));

		if (len > width)
			width = len;
	}
	return width;
}

static const char *change_of(struct column_buf *buf, const struct compare_row *row)
{
	struct column_buf limit;

	if (!row->has_change) {
		strcpy(buf->s, "-");
		return buf->s;
	}
	if (row->is_within) {
		rough(&limit, relative(row, row->resolution));
		snprintf(buf->s, sizeof(buf->s), "<=%.20s%s", limit.s, unit_of(row));
		return buf->s;
	}
	return percent(buf, row->change_percent);
}

/* What <= means, if a row has it. */
static void render_resolution(const struct compare *compare, FILE *out)
{
	unsigned i;

	for (i = 0; i < compare->nr_rows; i++) {
		if (!compare->rows[i].is_within)
			continue;
		fprintf(out, "<= a change within the resolution:\n  %s\n", HIST_RESOLUTION_TEXT);
		return;
	}
}

/* One run a side: name, base, patch (change), as MMTests has it. */
static void render_rows_single(const struct compare *compare, FILE *out)
{
	int base_width = width_of(compare, COMPARE_BASE, 8);
	int patch_width = width_of(compare, COMPARE_PATCH, 8);
	int name_width = 4;
	struct column_buf base, patch, change;
	unsigned i;

	for (i = 0; i < compare->nr_rows; i++) {
		int len = strlen(compare->rows[i].name);

		if (len > name_width && len <= 25)
			name_width = len;
	}
	fprintf(out, "\n%-*s %*s %*s\n", name_width, "", base_width, "base", patch_width, "patch");
	for (i = 0; i < compare->nr_rows; i++) {
		const struct compare_row *row = &compare->rows[i];
		const char *verdict = compare_verdict_name(row->verdict);
		int column;

		column = fprintf(out, "%-*s", name_width, row->name);
		if (column > name_width)
			fprintf(out, "\n%-*s", name_width, "");
		column = name_width;
		column += fprintf(out, " %*s %*s ", base_width, mean_of(&base, row, COMPARE_BASE),
				  patch_width, mean_of(&patch, row, COMPARE_PATCH));
		if (row->has_change && isfinite(row->change_percent))
			column += fprintf(out, "(%9s)", change_of(&change, row));
		else
			column += fprintf(out, "%*s(%s)", 9 - (int)strlen(change_of(&change, row)),
					  "", change_of(&change, row));
		if (column + 1 + (int)strlen(verdict) > TEXT_COLUMNS)
			fprintf(out, "\n  %s\n", verdict);
		else
			fprintf(out, " %s\n", verdict);
	}
	render_resolution(compare, out);
}

static const char *spread_of(struct column_buf *buf, const struct compare_sample *sample)
{
	double spread = sample->mean != 0 ? 100 * sample->stddev / fabs(sample->mean) : 0;

	if (sample->nr < 2 || (sample->stddev && sample->mean == 0))
		strcpy(buf->s, "");
	else if (!sample->stddev)
		strcpy(buf->s, "+-0");
	else if (spread < 0.05)
		strcpy(buf->s, "+-<0.1%");
	else
		snprintf(buf->s, sizeof(buf->s), spread < 99.95 ? "+-%.1f%%" : "+-%.0f%%", spread);
	return buf->s;
}

/* Several: mean +-stddev, change, mean +-stddev, name, as LKP has it. */
static void render_rows_several(const struct compare *compare, FILE *out)
{
	int base_width = width_of(compare, COMPARE_BASE, 6);
	int patch_width = width_of(compare, COMPARE_PATCH, 6);
	struct column_buf base, patch, change, base_spread, patch_spread;
	bool any_star = false;
	unsigned i;

	fprintf(out, "\nmean of the runs of each side, and their standard deviation\n"
		     "%*s %-7s %9s   %*s %-7s  %s\n", base_width, "base", "stddev", "change",
		patch_width, "patch", "stddev", "row");
	for (i = 0; i < compare->nr_rows; i++) {
		const struct compare_row *row = &compare->rows[i];
		const struct compare_sample *b = &row->samples[COMPARE_BASE];
		const struct compare_sample *p = &row->samples[COMPARE_PATCH];
		bool has_star = row->is_tested && !row->is_within &&
				(row->change.low > 0 || row->change.high < 0);
		char runs[24] = "", line[6 * COLUMN_BYTES];
		int column;

		any_star |= has_star;
		if (b->nr != compare->nr_runs[0] || p->nr != compare->nr_runs[1])
			snprintf(runs, sizeof(runs), " (%u:%u runs)", b->nr, p->nr);
		column = snprintf(line, sizeof(line), "%*s %-7s %9s %c %*s %-7s ", base_width,
				  mean_of(&base, row, COMPARE_BASE), spread_of(&base_spread, b),
				  change_of(&change, row), has_star ? '*' : ' ', patch_width,
				  mean_of(&patch, row, COMPARE_PATCH), spread_of(&patch_spread, p));
		if (column + 1 + strlen(row->name) + strlen(runs) > TEXT_COLUMNS) {
			while (column > 0 && line[column - 1] == ' ')
				line[--column] = 0;
			fprintf(out, "%s\n%*s", line, NAME_INDENT, "");
		} else {
			fputs(line, out);
		}
		fprintf(out, " %s%s\n", row->name, runs);
	}
	if (any_star)
		fprintf(out, "* the %g%% interval of the change, of this row alone, excludes 0\n",
			100 * compare->opts.confidence);
	render_resolution(compare, out);
}

static void render_verdict(const struct compare *compare, const struct compare_row *row,
			   FILE *out)
{
	struct column_buf low, high, p, effect;
	double detectable;
	bool is_relative = row->samples[COMPARE_BASE].mean != 0;
	int column;

	column = fprintf(out, "  %-28s", row->name);
	if (column > 30)
		fprintf(out, "\n%30s", "");
	if (is_relative)
		fprintf(out, " [%9s,%9s]", percent(&low, relative(row, row->change.low)),
			percent(&high, relative(row, row->change.high)));
	else
		fprintf(out, " [%9s,%9s]", number(&low, row->change.low),
			number(&high, row->change.high));
	fprintf(out, "  p %-7s", p_value(&p, row->p_holm));
	if (row->verdict == VERDICT_NONE && compare_detectable(compare, row, &detectable))
		fprintf(out, " %s%s", rough(&effect, relative(row, detectable)), unit_of(row));
	fputc('\n', out);
}

/* Of rows that were not tested there is only the name to tell. */
static void render_names(const struct compare *compare, enum compare_verdict verdict, FILE *out)
{
	unsigned i, column = 0;

	for (i = 0; i < compare->nr_rows; i++) {
		const char *name = compare->rows[i].name;

		if (compare->rows[i].verdict != verdict)
			continue;
		if (column && column + 2 + strlen(name) > TEXT_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		column += fprintf(out, "  %s", name);
	}
	fputc('\n', out);
}

static void render_verdicts(const struct compare *compare, FILE *out)
{
	static const enum compare_verdict order[] = {
		VERDICT_WORSE, VERDICT_BETTER,	VERDICT_HIGHER,	  VERDICT_LOWER,
		VERDICT_NONE,  VERDICT_WITHIN,	VERDICT_SAME,	  VERDICT_LOSSY,
		VERDICT_ONE_RUN,
		VERDICT_ONE_SIDE,
	};
	unsigned i, k, nr;
	char runs[40];

	text_heading(out, "Verdicts");
	fprintf(out, "%s; intervals are the %g%% ones of each row alone,\n"
		     "p is after Holm's correction for the %u rows tested\n",
		compare->opts.method == COMPARE_BOOTSTRAP ? "symmetric bootstrap-t" : "Welch's t",
		100 * compare->opts.confidence, compare->nr_tests);
	if (compare->nr_runs[0] < 5 || compare->nr_runs[1] < 5)
		fprintf(out, "fewer than five runs a side: the intervals lean on the spread being normal\n");
	for (k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		const struct compare_row *first = NULL;

		for (i = nr = 0; i < compare->nr_rows; i++) {
			if (compare->rows[i].verdict != order[k])
				continue;
			first = first ? first : &compare->rows[i];
			nr++;
		}
		if (!nr)
			continue;
		if (order[k] == VERDICT_NONE) {
			runs_text(first, runs, sizeof(runs));
			fprintf(out,
				"\nno difference that %s can show (smallest effect they could\n"
				"have shown with power %g%%): %u row%s\n",
				runs, 100 * compare->opts.power, nr, nr == 1 ? "" : "s");
		} else {
			fprintf(out, "\n%s: %u row%s\n", compare_verdict_name(order[k]), nr,
				nr == 1 ? "" : "s");
		}
		if (!first->is_tested) {
			render_names(compare, order[k], out);
			continue;
		}
		for (i = 0; i < compare->nr_rows; i++)
			if (compare->rows[i].verdict == order[k])
				render_verdict(compare, &compare->rows[i], out);
	}
}

/*
 * Survival and refault distances
 */

static const double quantiles[] = { 0.1, 0.25, 0.5, 0.75, 0.9 };
#define NR_QUANTILES 5

static void render_survival(const struct compare *compare, FILE *out)
{
	struct column_buf p;
	struct text_buf time;
	unsigned type, side, i;
	uint64_t ns;

	if (!compare->survival[0].is_valid && !compare->survival[1].is_valid)
		return;
	text_heading(out, "Survival: time until reclaim (Kaplan-Meier, all runs of a side)");
	fprintf(out, "%s\n", HIST_RESOLUTION_TEXT);
	fprintf(out, "%-14s %10s %8s %8s %8s %8s %8s\n", "reclaimed", "lives", "10%", "25%", "50%",
		"75%", "90%");
	for (type = 0; type < TYPE_NR; type++) {
		const struct compare_survival *s = &compare->survival[type];

		if (!s->is_valid)
			continue;
		for (side = 0; side < COMPARE_NR_SIDES; side++) {
			fprintf(out, "%-4s %-9s %10llu", type_name(type), compare_side_name(side),
				(unsigned long long)s->sides[side].nr);
			for (i = 0; i < NR_QUANTILES; i++)
				fprintf(out, " %8s",
					survival_quantile(&s->sides[side], quantiles[i], &ns) ?
						text_duration(&time, ns) :
						"not yet");
			fputc('\n', out);
		}
		if (!s->has_logrank) {
			fprintf(out, "     nothing was reclaimed: no log-rank test\n");
			continue;
		}
		fprintf(out, "     log-rank: %.0f of patch reclaimed, %.0f if both sides were alike\n",
			s->logrank.observed, s->logrank.expected);
		if (isnan(s->logrank.rate_ratio))
			fprintf(out, "     nothing of base was reclaimed: no ratio of rates\n");
		else
			fprintf(out, "     rate of reclaim, patch over base: x%.3f\n",
				s->logrank.rate_ratio);
		if (s->has_p_runs)
			fprintf(out, "     p %s, runs permuted between the sides (%llu %s)\n",
				p_value(&p, s->p_runs), (unsigned long long)s->nr_permutations,
				s->is_exact ? "ways, all there are" : "drawn");
		else if (s->is_lossy)
			fprintf(out, "     %s\n", compare_verdict_name(VERDICT_LOSSY));
		else
			fprintf(out, "     one run a side: no verdict (folios of one run are not "
				     "independent)\n");
	}
}

/* Not of counter files, nor of the classic LRU, which has no events for that. */
static bool knows_refaults(const struct compare *compare, enum compare_side side, unsigned type)
{
	char name[32];
	double ignored;
	unsigned i;

	snprintf(name, sizeof(name), "refaulted.%s", type_name(type));
	for (i = 0; i < compare->nr_runs[side]; i++)
		if (counterfile_find(&compare->runs[side][i].counters, name, &ignored))
			return true;
	return false;
}

static void render_distances(const struct compare *compare, FILE *out)
{
	static const char *const labels[] = { "time", "pages", "agings" };
	struct text_buf time;
	unsigned type, side, i, k;
	bool any = false;

	for (type = 0; type < TYPE_NR; type++) {
		for (i = 0; i < DISTANCE_NR; i++) {
			const struct hist(*sides)[DISTANCE_NR] =
				(const struct hist(*)[DISTANCE_NR])compare->distances[type];

			if (!sides || (!sides[0][i].nr && !sides[1][i].nr))
				continue;
			if (!any) {
				text_heading(out, "Refault distance: time, pages reclaimed since, agings since");
				fprintf(out, "%s\n", HIST_RESOLUTION_TEXT);
				fprintf(out, "%-18s %9s %7s %7s %7s %7s %7s\n", "", "refaults",
					"10%", "25%", "50%", "75%", "90%");
				any = true;
			}
			for (side = 0; side < COMPARE_NR_SIDES; side++) {
				const struct hist *hist = &sides[side][i];

				fprintf(out, "%-4s %-7s %-5s ", type_name(type), labels[i],
					compare_side_name(side));
				if (knows_refaults(compare, side, type))
					fprintf(out, "%9llu", (unsigned long long)hist->nr);
				else
					fprintf(out, "%9s", "unknown");
				for (k = 0; k < NR_QUANTILES && hist->nr; k++) {
					uint64_t value = hist_quantile(hist, quantiles[k]);

					if (i == DISTANCE_NS)
						fprintf(out, " %7s", text_duration(&time, value));
					else
						fprintf(out, " %7llu", (unsigned long long)value);
				}
				fputc('\n', out);
			}
		}
	}
}

static int render_runs(const struct compare *compare, FILE *out)
{
	unsigned side, i;

	fprintf(out, "folioscope compare: raw signed change from base to patch, more is +\n");
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		size_t size = 32, len;
		char *line;

		for (i = 0; i < compare->nr_runs[side]; i++)
			size += 72;
		line = malloc(size);
		if (!line)
			return -ERR_NOMEM;
		len = sprintf(line, "%-6s", side ? "patch:" : "base:");
		if (compare->nr_runs[side] > 1)
			len += sprintf(line + len, " %u runs:", compare->nr_runs[side]);
		for (i = 0; i < compare->nr_runs[side]; i++) {
			const char *path = compare->runs[side][i].path;

			len += sprintf(line + len, " %s%s%s", strlen(path) > 64 ? "..." : "",
				       tail_of(path, strlen(path) > 64 ? 61 : 64),
				       i + 1 < compare->nr_runs[side] ? "," : "");
		}
		text_wrap(out, line, 7);
		free(line);
	}
	fputc('\n', out);
	return 0;
}

int compare_render_text(const struct compare *compare, const char *const *differ,
			unsigned nr_differ, FILE *out)
{
	int ret;

	ret = render_runs(compare, out);
	if (ret)
		return ret;
	ret = render_conditions(compare, differ, nr_differ, out);
	if (ret)
		return ret;
	if (compare->opts.per)
		fprintf(out, "\namounts are divided by each run's %s\n", compare->opts.per);
	if (has_several(compare)) {
		render_rows_several(compare, out);
		render_verdicts(compare, out);
	} else {
		render_rows_single(compare, out);
	}
	if (compare->nr_zero)
		fprintf(out, "\n%u rows that are 0 in every run are not shown\n", compare->nr_zero);
	if (!compare->opts.nr_only) {
		render_survival(compare, out);
		render_distances(compare, out);
	}
	return 0;
}

/*
 * CSV
 */

static void csv_number(FILE *out, bool is_known, double value)
{
	if (!is_known || !isfinite(value))
		fputc(',', out);
	else if (value == rint(value) && fabs(value) < 1e15)
		fprintf(out, ",%.0f", value);
	else
		fprintf(out, ",%.12g", value);
}

void compare_render_csv(const struct compare *compare, FILE *out)
{
	struct compare_text text;
	unsigned i, side;

	fprintf(out, "row,base_runs,base_mean,base_stddev,patch_runs,patch_mean,patch_stddev,"
		     "change_percent,change,change_low,change_high,p,p_holm,p_rank_sum,"
		     "detectable,resolution,verdict,verdict_text\n");
	for (i = 0; i < compare->nr_rows; i++) {
		const struct compare_row *row = &compare->rows[i];
		double detectable = 0;
		bool can_detect;

		text_csv(out, row->name);
		for (side = 0; side < COMPARE_NR_SIDES; side++) {
			const struct compare_sample *sample = &row->samples[side];

			fprintf(out, ",%u", sample->nr);
			csv_number(out, sample->nr > 0, sample->mean);
			csv_number(out, sample->nr > 1, sample->stddev);
		}
		if (row->has_change && isfinite(row->change_percent))
			fprintf(out, ",%.2f", row->change_percent);
		else
			fputc(',', out);
		csv_number(out, row->has_change,
			   row->samples[COMPARE_PATCH].mean - row->samples[COMPARE_BASE].mean);
		csv_number(out, row->is_tested, row->change.low);
		csv_number(out, row->is_tested, row->change.high);
		csv_number(out, row->is_tested, row->change.p);
		csv_number(out, row->is_tested, row->p_holm);
		csv_number(out, row->is_tested, row->p_rank_sum);
		can_detect = compare_detectable(compare, row, &detectable);
		csv_number(out, can_detect, detectable);
		csv_number(out, true, row->resolution);
		fputc(',', out);
		text_csv(out, compare_verdict_name(row->verdict));
		fputc(',', out);
		text_csv(out, compare_verdict_text(compare, row, &text));
		fputc('\n', out);
	}
}

/*
 * JSON
 */

static void json_known(struct json *j, const char *name, bool is_known, double value)
{
	if (is_known)
		json_real(j, name, value);
	else
		json_null(j, name);
}

static void json_counter(struct json *j, const struct counterfile *counters, const char *name)
{
	double value = 0;
	bool is_known = counterfile_find(counters, name, &value);

	json_known(j, name, is_known, value);
}

static void json_sides(struct json *j, const struct compare *compare)
{
	unsigned side, i;

	json_object(j, "runs");
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		json_array(j, compare_side_name(side));
		for (i = 0; i < compare->nr_runs[side]; i++) {
			const struct compare_run *run = &compare->runs[side][i];
			double nr_stretches = 0, ignored;
			bool is_damaged = counterfile_find(&run->counters, "damaged_stretches",
							   &nr_stretches);

			json_object(j, NULL);
			json_text(j, "path", run->path);
			json_text(j, "kind", run->is_recording ? "recording" : "counters");
			json_counter(j, &run->counters, "recorded_s");
			if (is_damaged || counterfile_find(&run->counters, "losses_of_unknown_size",
							   &ignored))
				json_null(j, "lost_events");
			else
				json_counter(j, &run->counters, "lost_events");
			json_known(j, "damaged_stretches", run->is_recording, nr_stretches);
			json_bool(j, "has_losses_or_contradictions", run->status != STATUS_OK);
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
}

static int json_conditions(struct json *j, const struct compare *compare)
{
	struct compare_condition *conditions;
	int i, nr = compare_conditions(compare, &conditions);
	unsigned side;

	if (nr < 0)
		return nr;
	json_array(j, "conditions");
	for (i = 0; i < nr; i++) {
		json_object(j, NULL);
		json_text(j, "key", conditions[i].key);
		/* null: not stated, or different among the runs of the side */
		for (side = 0; side < COMPARE_NR_SIDES; side++) {
			bool all = conditions[i].nr_known[side] == compare->nr_runs[side];

			json_text(j, compare_side_name(side),
				  all ? conditions[i].values[side] : NULL);
		}
		json_bool(j, "differs", conditions[i].differs);
		json_end(j);
	}
	json_end(j);
	free(conditions);
	return 0;
}

static void json_rows(struct json *j, const struct compare *compare)
{
	static const char *const directions[] = { "unknown", "lower_is_better",
						  "higher_is_better" };
	struct compare_text text;
	unsigned i, k, side;

	json_array(j, "rows");
	for (i = 0; i < compare->nr_rows; i++) {
		const struct compare_row *row = &compare->rows[i];
		double detectable = 0;
		bool can_detect = compare_detectable(compare, row, &detectable);

		json_object(j, NULL);
		json_text(j, "name", row->name);
		json_text(j, "direction", directions[row->direction]);
		for (side = 0; side < COMPARE_NR_SIDES; side++) {
			const struct compare_sample *sample = &row->samples[side];

			json_object(j, compare_side_name(side));
			json_known(j, "mean", sample->nr > 0, sample->mean);
			json_known(j, "stddev", sample->nr > 1, sample->stddev);
			json_array(j, "values");
			for (k = 0; k < sample->nr; k++)
				json_real(j, NULL, sample->values[k]);
			json_end(j);
			json_end(j);
		}
		json_known(j, "change_percent", row->has_change, row->change_percent);
		json_known(j, "change", row->has_change,
			   row->samples[COMPARE_PATCH].mean - row->samples[COMPARE_BASE].mean);
		json_known(j, "change_low", row->is_tested, row->change.low);
		json_known(j, "change_high", row->is_tested, row->change.high);
		json_known(j, "p", row->is_tested, row->change.p);
		json_known(j, "p_holm", row->is_tested, row->p_holm);
		json_known(j, "p_rank_sum", row->is_tested, row->p_rank_sum);
		json_known(j, "detectable", can_detect, detectable);
		json_real(j, "resolution", row->resolution);
		json_text(j, "verdict", compare_verdict_name(row->verdict));
		json_text(j, "verdict_text", compare_verdict_text(compare, row, &text));
		json_end(j);
	}
	json_end(j);
}

/* Steps of the curve: [ns, fraction alive after it, lives at risk before it]. */
static void json_curve(struct json *j, const struct survival *survival)
{
	struct survival_step step = { 0 };

	json_array(j, "curve");
	while (survival_next(survival, &step)) {
		if (!survival->events[step.bucket])
			continue;
		json_array(j, NULL);
		json_count(j, NULL, hist_bucket_max(step.bucket));
		json_real(j, NULL, step.alive);
		json_count(j, NULL, step.at_risk);
		json_end(j);
	}
	json_end(j);
}

static void json_survival(struct json *j, const struct compare *compare)
{
	unsigned type, side;

	json_object(j, "survival");
	for (type = 0; type < TYPE_NR; type++) {
		const struct compare_survival *s = &compare->survival[type];

		if (!s->is_valid)
			continue;
		json_object(j, type_name(type));
		for (side = 0; side < COMPARE_NR_SIDES; side++) {
			json_object(j, compare_side_name(side));
			json_count(j, "lives", s->sides[side].nr);
			json_curve(j, &s->sides[side]);
			json_end(j);
		}
		json_object(j, "logrank");
		json_known(j, "patch_reclaimed", s->has_logrank, s->logrank.observed);
		json_known(j, "patch_reclaimed_if_alike", s->has_logrank, s->logrank.expected);
		json_known(j, "rate_ratio",
			   s->has_logrank && !isnan(s->logrank.rate_ratio),
			   s->logrank.rate_ratio);
		json_known(j, "chi2_folios_independent", s->has_logrank, s->logrank.chi2);
		json_known(j, "p_folios_independent", s->has_logrank, s->logrank.p);
		json_known(j, "p_runs_permuted", s->has_p_runs, s->p_runs);
		json_count(j, "permutations", s->nr_permutations);
		json_bool(j, "permutations_are_all", s->is_exact);
		json_end(j);
		json_end(j);
	}
	json_end(j);
}

static void json_distances(struct json *j, const struct compare *compare)
{
	static const char *const names[] = { "ns", "pages", "agings" };
	unsigned type, i, side, bucket;

	json_object(j, "refault_distance");
	for (type = 0; type < TYPE_NR && compare->has_recordings; type++) {
		json_object(j, type_name(type));
		for (i = 0; i < DISTANCE_NR; i++) {
			json_object(j, names[i]);
			for (side = 0; side < COMPARE_NR_SIDES; side++) {
				const struct hist *hist = &compare->distances[type][side][i];

				if (!knows_refaults(compare, side, type)) {
					json_null(j, compare_side_name(side));
					continue;
				}
				/* [largest value of the bucket, refaults] */
				json_array(j, compare_side_name(side));
				for (bucket = 0; bucket < HIST_NR_BUCKETS; bucket++) {
					if (!hist->buckets[bucket])
						continue;
					json_array(j, NULL);
					json_count(j, NULL, hist_bucket_max(bucket));
					json_count(j, NULL, hist->buckets[bucket]);
					json_end(j);
				}
				json_end(j);
			}
			json_end(j);
		}
		json_end(j);
	}
	json_end(j);
}

int compare_render_json(const struct compare *compare, const struct compare_failure *failures,
			unsigned nr_failures, FILE *out)
{
	struct json j;
	unsigned i;
	int ret;

	json_init(&j, out, true);
	json_object(&j, NULL);
	json_text(&j, "kind", "folioscope-compare");
	json_count(&j, "schema_version", 2);
	json_text(&j, "method",
		  compare->opts.method == COMPARE_BOOTSTRAP ? "bootstrap-t" : "welch");
	json_real(&j, "confidence", compare->opts.confidence);
	json_text(&j, "correction", "holm");
	json_count(&j, "nr_tests", compare->nr_tests);
	json_real(&j, "power", compare->opts.power);
	json_text(&j, "divided_by", compare->opts.per);
	json_count(&j, "nr_zero_rows", compare->nr_zero);
	json_sides(&j, compare);
	ret = json_conditions(&j, compare);
	if (ret)
		return ret;
	json_rows(&j, compare);
	json_survival(&j, compare);
	json_distances(&j, compare);
	json_array(&j, "fail_if");
	for (i = 0; i < nr_failures; i++) {
		json_object(&j, NULL);
		json_text(&j, "condition", failures[i].text);
		if (failures[i].answer == COMPARE_UNKNOWN)
			json_null(&j, "fired");
		else
			json_bool(&j, "fired", failures[i].answer == COMPARE_HOLDS);
		json_end(&j);
	}
	json_end(&j);
	json_end(&j);
	return 0;
}
