/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures as inline SVG. Colours are CSS classes and variables of the page
 * (html/page.css), so that they follow light and dark.
 */
#ifndef FOLIOSCOPE_SVG_H
#define FOLIOSCOPE_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum svg_unit {
	SVG_NUMBER,	/* 1200, 15k, 3M */
	SVG_SECONDS,	/* values are ns, labels seconds: 0.5, 1 */
	SVG_DURATION,	/* values are ns, labels 10us, 1ms, 1s */
	SVG_PERCENT,	/* values are fractions */
	SVG_HEX,
};

struct svg_axis {
	double min, max;	/* min < max; for log also 0 < min */
	bool log;
	enum svg_unit unit;
	const char *label;	/* with the unit */
};

struct svg_plot {
	FILE *out;
	double left, top, width, height;	/* of the area between the axes */
	struct svg_axis x, y;
};

/*
 * svg_begin(): a picture of @width by @height units that scales with the page.
 * @title and @text (what one sees in it) are read aloud.
 */
void svg_begin(FILE *out, double width, double height, const char *title, const char *text);
void svg_end(FILE *out);

/* svg_x_axis(): ticks, labels and a grid from left to right, without a line. */
void svg_x_axis(const struct svg_plot *plot);

/* svg_axes(): lines, ticks, labels and a grid of both. */
void svg_axes(const struct svg_plot *plot);

/* svg_x(), svg_y(): where a value is; clamped to the area. */
double svg_x(const struct svg_plot *plot, double value);
double svg_y(const struct svg_plot *plot, double value);

/* svg_text(): @class may be NULL; @anchor is "start", "middle" or "end". */
void svg_text(FILE *out, double x, double y, const char *anchor, const char *class,
	      const char *text);

/*
 * svg_escape(): text for XML; what is not ASCII becomes "?".
 * svg_escape_lines(): the same, line breaks and tabs are kept.
 */
void svg_escape(FILE *out, const char *text);
void svg_escape_lines(FILE *out, const char *text);

#define SVG_MAX_TICKS 40u
/* Room for so many labels along the axes of a chart of usual size. */
#define SVG_X_TICKS 8u
#define SVG_Y_TICKS 5u

struct svg_tick {
	double value;
	double place;	/* on the axis, 0 to 1 */
	bool has_label;
};

/*
 * svg_ticks(): round values along @axis, of which some @room can have a label.
 * Returns how many there are.
 */
unsigned svg_ticks(const struct svg_axis *axis, unsigned room, struct svg_tick ticks[SVG_MAX_TICKS]);

/* svg_nice(): the smallest of 1, 2, 5 times a power of ten that is >= @value > 0. */
double svg_nice(double value);

/* svg_top(): the end of an axis from 0 on which @most > 0 fits, on a tick. */
double svg_top(double most);

/* Enough for svg_label(). */
#define SVG_LABEL_BYTES 32

/* svg_label(): @value as a tick says it. Returns @buf. */
const char *svg_label(char buf[SVG_LABEL_BYTES], enum svg_unit unit, double value);

#endif /* FOLIOSCOPE_SVG_H */
