// SPDX-License-Identifier: GPL-2.0-only
#include <check.h>
#include <string.h>

#include "analyzer/raster.h"
#include "analyzer/svg.h"
#include "suites.h"

static const uint8_t white[3] = { 255, 255, 255 }, black[3] = { 0, 0, 0 };

/* Rows of the picture, '#' for black, with a line end each. */
static void expect(const struct raster *raster, const char *rows)
{
	unsigned x, y;

	for (y = 0; y < raster->height; y++, rows++)
		for (x = 0; x < raster->width; x++, rows++)
			ck_assert_msg(raster->rgb[(y * raster->width + x) * 3] ==
					      (*rows == '#' ? 0 : 255),
				      "pixel %u, %u", x, y);
	ck_assert_int_eq(*rows, '\0');
}

START_TEST(draws_text)
{
	struct raster r;

	ck_assert_int_eq(raster_init(&r, 13, 10, white), 0);
	raster_text(&r, 1, 0, 1, "1p", black);
	expect(&r, "...#.........\n"
		   "..##.........\n"
		   "...#...####..\n"
		   "...#...#...#.\n"
		   "...#...#...#.\n"
		   "...#...#...#.\n"
		   "..###..####..\n"
		   ".......#.....\n"
		   ".......#.....\n"
		   ".............\n");
	raster_release(&r);
	ck_assert_uint_eq(raster_text_width("1p", 3), 36);
}
END_TEST

/* Turned to the left: what was at the right end is on top. */
START_TEST(draws_text_upwards)
{
	struct raster r;

	ck_assert_int_eq(raster_init(&r, 9, 6, white), 0);
	raster_text_up(&r, 0, 5, 1, "7", black);
	expect(&r, "##.......\n"
		   "#.##.....\n"
		   "#...###..\n"
		   "#........\n"
		   "#........\n"
		   ".........\n");
	raster_release(&r);
}
END_TEST

START_TEST(draws_a_box_for_the_unknown)
{
	static const char rows[] = "#####\n#...#\n#...#\n#...#\n#...#\n#...#\n#####\n";
	struct raster r;

	ck_assert_int_eq(raster_init(&r, 5, 7, white), 0);
	raster_text(&r, 0, 0, 1, "\xe9", black);
	expect(&r, rows);
	raster_release(&r);
}
END_TEST

/* Nothing beyond the borders is written; a sanitizer watches. */
START_TEST(cuts_at_the_borders)
{
	struct raster r;

	ck_assert_int_eq(raster_init(&r, 4, 3, white), 0);
	raster_rect(&r, -2, -2, 3, 3, black);
	raster_rect(&r, 3, 2, 1000, 1000, black);
	raster_rect(&r, 9, 9, 2, 2, black);
	raster_rect(&r, -9, 1, 2, 1, black);
	raster_text(&r, -60, -60, 20, "m", white);
	raster_text_up(&r, 3, 900, 20, "m", white);
	expect(&r, "#...\n....\n...#\n");
	raster_release(&r);
}
END_TEST

static void expect_ticks(const struct svg_axis *axis, unsigned room, const char *labels)
{
	struct svg_tick ticks[SVG_MAX_TICKS];
	char text[400] = "", label[SVG_LABEL_BYTES];
	unsigned i, nr = svg_ticks(axis, room, ticks);

	for (i = 0; i < nr; i++) {
		ck_assert(ticks[i].place >= 0 && ticks[i].place <= 1);
		ck_assert(!i || ticks[i].place > ticks[i - 1].place);
		if (ticks[i].has_label)
			svg_label(label, axis->unit, ticks[i].value);
		else
			strcpy(label, "-");
		strcat(strcat(text, i ? " " : ""), label);
	}
	ck_assert_str_eq(text, labels);
}

START_TEST(ticks_are_round)
{
	static const struct {
		struct svg_axis axis;
		unsigned room;
		const char *labels;
	} cases[] = {
		{ { 0, 8.1e9, false, SVG_SECONDS, "" }, SVG_X_TICKS, "0 2 4 6 8" },
		{ { -0.6, 1, false, SVG_PERCENT, "" }, SVG_Y_TICKS, "-50% 0% 50% 100%" },
		{ { 0, 3, false, SVG_NUMBER, "" }, SVG_Y_TICKS, "0 1 2 3" },
		{ { 0x1800, 0x10000, false, SVG_HEX, "" }, SVG_Y_TICKS, "0x4000 0x8000 0xc000 0x10000" },
		{ { 0xfe00, 0x10000, false, SVG_HEX, "" }, 2, "0xfe00 0xff00 0x10000" },
		{ { 1e3, 1e6, true, SVG_DURATION, "" }, SVG_X_TICKS, "1us 10us 100us 1ms" },
		{ { 5, 1e6, true, SVG_NUMBER, "" }, 2, "10 - - 10k - -" },
	};
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_ticks(&cases[i].axis, cases[i].room, cases[i].labels);
}
END_TEST

/* More decades than there is room for are left out, not written behind the end. */
START_TEST(ticks_have_an_end)
{
	const struct svg_axis axis = { 1e-100, 1e100, true, SVG_NUMBER, "" };
	struct svg_tick ticks[SVG_MAX_TICKS];

	ck_assert_uint_eq(svg_ticks(&axis, SVG_X_TICKS, ticks), SVG_MAX_TICKS);
}
END_TEST

Suite *raster_suite(void)
{
	Suite *s = suite_create("raster");
	TCase *tc = tcase_create("pictures");

	tcase_add_test(tc, draws_text);
	tcase_add_test(tc, draws_text_upwards);
	tcase_add_test(tc, draws_a_box_for_the_unknown);
	tcase_add_test(tc, cuts_at_the_borders);
	tcase_add_test(tc, ticks_are_round);
	tcase_add_test(tc, ticks_have_an_end);
	suite_add_tcase(s, tc);
	return s;
}
