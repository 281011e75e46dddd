/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A picture of pixels with rectangles and text, for png_encode(). All that is
 * drawn is cut at the borders. The font is our own, 5 by 9 points for a character,
 * and has what labels need: digits, small letters, G, M and some signs.
 */
#ifndef FOLIOSCOPE_RASTER_H
#define FOLIOSCOPE_RASTER_H

#include <stdint.h>

struct raster {
	unsigned width, height;
	uint8_t *rgb;	/* rows from the top */
};

/* Of a character, in points: with the space behind it, and with the descender. */
#define RASTER_CHAR_WIDTH 6u
#define RASTER_CHAR_HEIGHT 9u

/* raster_init(): @width by @height (> 0) pixels of one colour. Returns 0 or -ERR_NOMEM. */
int raster_init(struct raster *raster, unsigned width, unsigned height, const uint8_t rgb[3]);

/* raster_release(): free the pixels. */
void raster_release(struct raster *raster);

/* raster_rect(): fill; @x and @y are the upper left corner. */
void raster_rect(struct raster *raster, int x, int y, int width, int height, const uint8_t rgb[3]);

/* raster_text_width(): pixels that @text takes with points of @scale pixels. */
unsigned raster_text_width(const char *text, unsigned scale);

/*
 * raster_text(): @text from @x on to the right, its upper edge at @y. A character
 * that the font lacks is a box.
 */
void raster_text(struct raster *raster, int x, int y, unsigned scale, const char *text,
		 const uint8_t rgb[3]);

/* raster_text_up(): @text from @y on upwards, its upper edge, on the left, at @x. */
void raster_text_up(struct raster *raster, int x, int y, unsigned scale, const char *text,
		    const uint8_t rgb[3]);

#endif /* FOLIOSCOPE_RASTER_H */
