// SPDX-License-Identifier: GPL-2.0-only
#include "heat-picture.h"

#include <math.h>
#include <stdlib.h>

#include "html-parts.h"
#include "png.h"
#include "raster.h"
#include "text.h"

#define PARTIAL ", partial: interrupted"

static double most_of(const struct heat *heat, enum heat_kind kind)
{
	unsigned rows = heat_nr_rows(heat), row, slot;
	double most = 0;

	for (row = 0; row < rows; row++)
		for (slot = 0; slot < heat->nr_slots; slot++)
			most = fmax(most, heat_value(heat, row, slot, kind));
	return most;
}

/* What the numbers of the scale are. */
static const char *scale_text(char text[80], const struct heat *heat)
{
	uint64_t nr_pages = 1ull << heat->row_shift;
	struct text_buf duration;

	snprintf(text, 80, "events per %llu page frame%s and %s, logarithmic",
		 (unsigned long long)nr_pages, text_plural(nr_pages),
		 text_duration(&duration, heat->slot_ns));
	return text;
}

static struct svg_axis time_axis(const struct heat *heat)
{
	return (struct svg_axis){ 0, (double)heat->nr_slots * heat->slot_ns, false, SVG_SECONDS,
				  "time since the first event [s]" };
}

static struct svg_axis pfn_axis(const struct heat *heat)
{
	double pages = ldexp(1, heat->row_shift);

	return (struct svg_axis){ heat->first_row * pages,
				  (heat->first_row + heat_nr_rows(heat)) * pages, false, SVG_HEX,
				  "page frame number" };
}

/*
 * the scale of colours
 */

/* Where @value is on the scale, 0 to 1. */
static double scale_place(double value, double most)
{
	return log1p(value) / log1p(most);
}

/* Of the count that belongs there: they are whole numbers. */
static void scale_colour(double place, double most, uint8_t rgb[3])
{
	heat_colour(round(expm1(place * log1p(most))) / most, rgb);
}

/* 0, the powers of ten that leave room for the label of the most, and the most. */
static unsigned scale_ticks(double most, double ticks[16])
{
	unsigned nr = 0;
	double value;

	ticks[nr++] = 0;
	for (value = 1; scale_place(value, most) < 0.85 && nr < 15; value *= 10)
		ticks[nr++] = value;
	ticks[nr++] = most;
	return nr;
}

/*
 * SVG
 */

static void put_base64(FILE *out, const uint8_t *bytes, size_t nr)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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

/* The points alone, one pixel each, large page frames on top like the axis. */
static int put_points(FILE *out, const struct heat *heat, enum heat_kind kind, double most)
{
	unsigned rows = heat_nr_rows(heat), row, slot;
	uint8_t *rgb = malloc((size_t)rows * heat->nr_slots * 3), *png;
	size_t png_bytes;
	int ret;

	if (!rgb)
		return -ERR_NOMEM;
	for (row = 0; row < rows; row++)
		for (slot = 0; slot < heat->nr_slots; slot++)
			heat_colour(heat_value(heat, rows - 1 - row, slot, kind) / most,
				    &rgb[(row * heat->nr_slots + slot) * 3]);
	ret = png_encode(rgb, heat->nr_slots, rows, &png, &png_bytes);
	free(rgb);
	if (ret)
		return ret;
	put_base64(out, png, png_bytes);
	free(png);
	return 0;
}

#define SVG_LEFT 92
#define SVG_PLOT_HEIGHT 240
#define SVG_SCALE_WIDTH 200
/* Above the plot is the scale, below it the axis of time. */
#define SVG_ABOVE 46
#define SVG_HEIGHT (SVG_ABOVE + SVG_PLOT_HEIGHT + 40)

static void svg_scale(FILE *out, const struct heat *heat, double top, double most)
{
	const unsigned nr_steps = 80;
	char label[SVG_LABEL_BYTES], text[80];
	double ticks[16];
	unsigned i, nr = scale_ticks(most, ticks);
	uint8_t c[3];

	for (i = 0; i < nr_steps; i++) {
		scale_colour((i + 0.5) / nr_steps, most, c);
		/* they overlap, or the page shines through */
		fprintf(out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"10\" "
			"fill=\"#%02x%02x%02x\"/>",
			SVG_LEFT + i * (double)SVG_SCALE_WIDTH / nr_steps, top + 8,
			(i + 1 < nr_steps ? 2.0 : 1.0) * SVG_SCALE_WIDTH / nr_steps, c[0], c[1],
			c[2]);
	}
	fputc('\n', out);
	for (i = 0; i < nr; i++)
		svg_text(out, SVG_LEFT + SVG_SCALE_WIDTH * scale_place(ticks[i], most), top + 31,
			 "middle", "small", svg_label(label, SVG_NUMBER, ticks[i]));
	svg_text(out, SVG_LEFT + SVG_SCALE_WIDTH + 12, top + 17, "start", "label small",
		 scale_text(text, heat));
}

/* Scale, axes and points, @top units from the upper edge. */
static int svg_map(FILE *out, const struct heat *heat, enum heat_kind kind, double most, double top)
{
	struct svg_plot plot = {
		.out = out, .left = SVG_LEFT, .top = top + SVG_ABOVE,
		.width = HTML_WIDTH - SVG_LEFT - HTML_RIGHT, .height = SVG_PLOT_HEIGHT,
		.x = time_axis(heat), .y = pfn_axis(heat),
	};
	int ret;

	svg_scale(out, heat, top, most);
	svg_axes(&plot);
	fprintf(out,
		"<image x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
		"preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\" "
		"href=\"data:image/png;base64,",
		plot.left, plot.top, plot.width, plot.height);
	ret = put_points(out, heat, kind, most);
	fputs("\"/>\n", out);
	return ret;
}

int heat_picture_svg(FILE *out, const struct heat *heat, enum heat_kind kind, bool is_partial)
{
	static const char colours[] = "svg{background:#fff}text{font:12px sans-serif;fill:#1b1f24}"
				      ".label{fill:#57606a}.small{font-size:10.5px}"
				      ".title{font-size:14px;font-weight:bold}"
				      ".grid{stroke:#d0d7de;stroke-width:.6;fill:none}"
				      ".axis{stroke:#57606a;fill:none}";
	const unsigned top = 44, height = SVG_HEIGHT + top;
	double most = most_of(heat, kind);
	char title[96];
	int ret = 0;

	snprintf(title, sizeof(title), "Page frames over time: %s%s", heat_name(kind),
		 is_partial ? PARTIAL : "");
	/* alone, it needs its name space and what the page would have */
	fprintf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
		"height=\"%u\" role=\"img\"><title>%s</title><style>%s</style>\n",
		HTML_WIDTH, height, HTML_WIDTH * 3 / 2, height * 3 / 2, title, colours);
	svg_text(out, SVG_LEFT, 20, "start", "title", title);
	if (most > 0) {
		svg_text(out, SVG_LEFT, 37, "start", "label small", heat_definition(kind));
		ret = svg_map(out, heat, kind, most, top);
	} else {
		svg_text(out, SVG_LEFT, 37, "start", "label", "no event of this kind");
	}
	svg_end(out);
	return ret;
}

int html_heatmap(FILE *out, const struct html_side *side, enum heat_kind kind, const char *title)
{
	const struct heat *heat = &side->pictures.heat;
	double most = most_of(heat, kind);
	char text[160];
	int ret;

	html_begin_figure(out, side, title);
	if (most == 0) {
		html_end_empty_figure(out, "None in this recording.");
		return 0;
	}
	svg_begin(out, HTML_WIDTH, SVG_HEIGHT, title,
		  "Heat map: time to the right, page frame number upwards");
	ret = svg_map(out, heat, kind, most, 0);
	svg_end(out);
	snprintf(text, sizeof(text), "Counted: %s. The most at one point is %.0f.",
		 heat_definition(kind), most);
	html_end_figure(out, text);
	return ret;
}

/*
 * PNG
 */

static const uint8_t white[3] = { 255, 255, 255 }, black[3] = { 27, 31, 36 },
		     grey[3] = { 87, 96, 106 };

#define SCALE 2u	/* pixels of a point of the font */
#define LINE (RASTER_CHAR_HEIGHT * SCALE + 6)
#define GAP 8
#define TICK 6
#define PNG_SCALE_WIDTH 320
#define PNG_SCALE_HEIGHT 18

static void centred(struct raster *raster, int x, int y, const char *text, const uint8_t rgb[3])
{
	raster_text(raster, x - (int)raster_text_width(text, SCALE) / 2, y, SCALE, text, rgb);
}

static void png_scale(struct raster *raster, const struct heat *heat, int x, int y, double most)
{
	char label[SVG_LABEL_BYTES], text[80];
	double ticks[16];
	unsigned i, nr = scale_ticks(most, ticks);
	uint8_t rgb[3];

	for (i = 0; i < PNG_SCALE_WIDTH; i++) {
		scale_colour((i + 0.5) / PNG_SCALE_WIDTH, most, rgb);
		raster_rect(raster, x + i, y, 1, PNG_SCALE_HEIGHT, rgb);
	}
	for (i = 0; i < nr; i++) {
		int at = x + PNG_SCALE_WIDTH * scale_place(ticks[i], most);

		raster_rect(raster, at, y + PNG_SCALE_HEIGHT, 1, TICK, black);
		centred(raster, at, y + PNG_SCALE_HEIGHT + GAP,
			svg_label(label, SVG_NUMBER, ticks[i]), black);
	}
	raster_text(raster, x + PNG_SCALE_WIDTH + 3 * GAP, y, SCALE, scale_text(text, heat), grey);
}

/* An area of @width by @height whose upper left corner is @x, @y. */
static void png_axes(struct raster *raster, const struct heat *heat, int x, int y, int width,
		     int height)
{
	struct svg_axis time = time_axis(heat), pfn = pfn_axis(heat);
	struct svg_tick ticks[SVG_MAX_TICKS];
	char label[SVG_LABEL_BYTES];
	unsigned i, nr = svg_ticks(&time, SVG_X_TICKS, ticks);

	for (i = 0; i < nr; i++) {
		int at = x + (int)(ticks[i].place * width);

		raster_rect(raster, at, y + height, 1, TICK, black);
		centred(raster, at, y + height + GAP, svg_label(label, time.unit, ticks[i].value),
			black);
	}
	centred(raster, x + width / 2, y + height + GAP + LINE, time.label, grey);
	nr = svg_ticks(&pfn, SVG_Y_TICKS, ticks);
	for (i = 0; i < nr; i++) {
		int at = y + height - (int)(ticks[i].place * height);

		svg_label(label, pfn.unit, ticks[i].value);
		raster_rect(raster, x - TICK, at, TICK, 1, black);
		raster_text(raster, x - GAP - (int)raster_text_width(label, SCALE),
			    at - (int)(RASTER_CHAR_HEIGHT * SCALE) / 2, SCALE, label, black);
	}
	raster_text_up(raster, GAP, y + (height + (int)raster_text_width(pfn.label, SCALE)) / 2,
		       SCALE, pfn.label, grey);
}

static void png_points(struct raster *raster, const struct heat *heat, enum heat_kind kind,
		       double most, int x, int y, int scale_x, int scale_y)
{
	unsigned rows = heat_nr_rows(heat), row, slot;
	uint8_t rgb[3];

	for (row = 0; row < rows; row++)
		for (slot = 0; slot < heat->nr_slots; slot++) {
			heat_colour(most > 0 ? heat_value(heat, rows - 1 - row, slot, kind) / most : 0,
				    rgb);
			raster_rect(raster, x + slot * scale_x, y + row * scale_y, scale_x, scale_y,
				    rgb);
		}
}

int heat_picture_png(FILE *out, const struct heat *heat, enum heat_kind kind, bool is_partial)
{
	/* a point is a whole number of pixels */
	unsigned scale_x = (1024 + heat->nr_slots - 1) / heat->nr_slots;
	unsigned scale_y = (512 + heat_nr_rows(heat) - 1) / heat_nr_rows(heat);
	unsigned width = heat->nr_slots * scale_x, height = heat_nr_rows(heat) * scale_y;
	double most = most_of(heat, kind);
	char text[96];
	struct raster raster;
	size_t png_bytes;
	uint8_t *png;
	int ret, x, y = 2 * LINE + GAP;

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)pfn_axis(heat).max);
	x = 4 * GAP + LINE + raster_text_width(text, SCALE);
	if (most > 0)
		y += PNG_SCALE_HEIGHT + LINE + 2 * GAP;
	ret = raster_init(&raster, x + width + 6 * GAP, y + height + 2 * LINE + 2 * GAP, white);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "page frames over time: %s%s", heat_name(kind),
		 is_partial ? PARTIAL : "");
	raster_text(&raster, x, GAP, SCALE, text, black);
	if (most > 0) {
		snprintf(text, sizeof(text), "%s", heat_definition(kind));
		png_scale(&raster, heat, x, GAP + 2 * LINE, most);
	} else {
		snprintf(text, sizeof(text), "no event of this kind");
	}
	raster_text(&raster, x, GAP + LINE, SCALE, text, grey);
	png_points(&raster, heat, kind, most, x, y, scale_x, scale_y);
	png_axes(&raster, heat, x, y, width, height);
	ret = png_encode(raster.rgb, raster.width, raster.height, &png, &png_bytes);
	raster_release(&raster);
	if (ret)
		return ret;
	fwrite(png, 1, png_bytes, out);
	free(png);
	return 0;
}
