// SPDX-License-Identifier: GPL-2.0-only
#include "svg.h"

#include <math.h>
#include <string.h>

static void escape(FILE *out, const char *text, const char *keep)
{
	for (; *text; text++) {
		if (strchr(keep, *text)) {
			fputc(*text, out);
			continue;
		}
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			/* what cannot be in XML, or is not ASCII from a file */
			fputc((unsigned char)*text < 0x20 || (unsigned char)*text > 0x7e ? '?' : *text,
			      out);
		}
	}
}

void svg_escape(FILE *out, const char *text)
{
	escape(out, text, "");
}

void svg_escape_lines(FILE *out, const char *text)
{
	escape(out, text, "\n\t");
}

void svg_begin(FILE *out, double width, double height, const char *title, const char *text)
{
	static unsigned number;		/* ids are unique in a page */

	number++;
	fprintf(out,
		"<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"t%u d%u\">"
		"<title id=\"t%u\">",
		width, height, number, number, number);
	svg_escape(out, title);
	fprintf(out, "</title><desc id=\"d%u\">", number);
	svg_escape(out, text);
	fprintf(out, "</desc>\n");
}

void svg_end(FILE *out)
{
	fputs("</svg>\n", out);
}

void svg_text(FILE *out, double x, double y, const char *anchor, const char *class,
	      const char *text)
{
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
	if (class)
		fprintf(out, " class=\"%s\"", class);
	fputc('>', out);
	svg_escape(out, text);
	fputs("</text>", out);
}

static double place(const struct svg_axis *axis, double value)
{
	double at;

	if (axis->log)
		at = value > 0 ? log(value / axis->min) / log(axis->max / axis->min) : 0;
	else
		at = (value - axis->min) / (axis->max - axis->min);
	return at < 0 ? 0 : at > 1 ? 1 : at;
}

double svg_x(const struct svg_plot *plot, double value)
{
	return plot->left + plot->width * place(&plot->x, value);
}

double svg_y(const struct svg_plot *plot, double value)
{
	return plot->top + plot->height * (1 - place(&plot->y, value));
}

double svg_nice(double value)
{
	double power = pow(10, floor(log10(value)));

	if (value <= power * 1.0000001)
		return power;
	return value <= 2 * power ? 2 * power : value <= 5 * power ? 5 * power : 10 * power;
}

double svg_top(double most)
{
	double step = svg_nice(most / 5);

	return ceil(most / step - 1e-9) * step;
}

const char *svg_label(char buf[SVG_LABEL_BYTES], enum svg_unit unit, double value)
{
	static const struct {
		double factor;
		const char *suffix;
	} durations[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } },
	  numbers[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" } };
	unsigned i;

	switch (unit) {
	case SVG_SECONDS:
		snprintf(buf, SVG_LABEL_BYTES, "%.6g", value / 1e9);
		return buf;
	case SVG_PERCENT:
		snprintf(buf, SVG_LABEL_BYTES, "%.3g%%", value * 100);
		return buf;
	case SVG_HEX:
		snprintf(buf, SVG_LABEL_BYTES, "0x%llx", (unsigned long long)value);
		return buf;
	case SVG_DURATION:
		for (i = 0; i < 3 && value < durations[i].factor * 0.9999; i++)
			;
		snprintf(buf, SVG_LABEL_BYTES, "%.4g%s", value / durations[i].factor,
			 durations[i].suffix);
		return buf;
	default:
		for (i = 0; i < 3 && value < numbers[i].factor * (i == 2 ? 10 : 1) * 0.9999; i++)
			;
		snprintf(buf, SVG_LABEL_BYTES, "%.4g%s", value / numbers[i].factor,
			 numbers[i].suffix);
		return buf;
	}
}

static unsigned add_tick(const struct svg_axis *axis, struct svg_tick ticks[SVG_MAX_TICKS],
			 unsigned nr, double value, bool has_label)
{
	if (nr == SVG_MAX_TICKS)
		return nr;
	ticks[nr] = (struct svg_tick){ value, place(axis, value), has_label };
	return nr + 1;
}

unsigned svg_ticks(const struct svg_axis *axis, unsigned room, struct svg_tick ticks[SVG_MAX_TICKS])
{
	double step, value;
	unsigned nr = 0;

	if (axis->log) {
		double first = pow(10, ceil(log10(axis->min) - 1e-9));
		unsigned decades = log10(axis->max / first) + 1, every = 1 + decades / (room + 1);

		for (value = first; value <= axis->max * 1.0001; value *= 10)
			nr = add_tick(axis, ticks, nr, value, nr % every == 0);
		return nr;
	}
	if (axis->unit == SVG_HEX) {
		/* powers of two, so that addresses are round */
		step = pow(2, ceil(log2((axis->max - axis->min) / (room + 1))));
	} else {
		step = svg_nice((axis->max - axis->min) / room);
		if (axis->unit == SVG_NUMBER && step < 1)
			step = 1;
	}
	for (value = ceil(axis->min / step - 1e-9) * step; value <= axis->max + step * 1e-6;
	     value += step)
		/* no negative zero */
		nr = add_tick(axis, ticks, nr, fabs(value) < step * 1e-6 ? 0 : value, true);
	return nr;
}

void svg_x_axis(const struct svg_plot *plot)
{
	double bottom = plot->top + plot->height;
	struct svg_tick ticks[SVG_MAX_TICKS];
	char buf[SVG_LABEL_BYTES];
	unsigned i, nr = svg_ticks(&plot->x, SVG_X_TICKS, ticks);

	for (i = 0; i < nr; i++) {
		double x = svg_x(plot, ticks[i].value);

		fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", x, plot->top,
			bottom);
		if (ticks[i].has_label)
			svg_text(plot->out, x, bottom + 15, "middle", NULL,
				 svg_label(buf, plot->x.unit, ticks[i].value));
	}
	svg_text(plot->out, plot->left + plot->width / 2, plot->top + plot->height + 31, "middle",
		 "label", plot->x.label);
}

void svg_axes(const struct svg_plot *plot)
{
	double bottom = plot->top + plot->height, middle = plot->top + plot->height / 2;
	struct svg_tick ticks[SVG_MAX_TICKS];
	char buf[SVG_LABEL_BYTES];
	unsigned i, nr = svg_ticks(&plot->y, SVG_Y_TICKS, ticks);

	svg_x_axis(plot);
	for (i = 0; i < nr; i++) {
		double y = svg_y(plot, ticks[i].value);

		fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", plot->left, y,
			plot->left + plot->width);
		if (ticks[i].has_label)
			svg_text(plot->out, plot->left - 6, y + 4, "end", NULL,
				 svg_label(buf, plot->y.unit, ticks[i].value));
	}
	fprintf(plot->out, "<path class=\"axis\" d=\"M%.1f %.1fV%.1fH%.1f\"/>", plot->left,
		plot->top, bottom, plot->left + plot->width);
	fprintf(plot->out,
		"<text class=\"label\" text-anchor=\"middle\" transform=\"translate(%.1f %.1f) "
		"rotate(-90)\">",
		16.0, middle);
	svg_escape(plot->out, plot->y.label);
	fputs("</text>\n", plot->out);
}
