// SPDX-License-Identifier: GPL-2.0-only
/* What outputs are made with: series, heat, tables, JSON, protobuf, PNG, state. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/heat.h"
#include "analyzer/json.h"
#include "analyzer/model.h"
#include "analyzer/proto.h"
#include "analyzer/series.h"
#include "analyzer/svg.h"
#include "analyzer/table.h"
#include "suites.h"

START_TEST(series_keeps_sums_and_last_levels)
{
	struct series s;
	unsigned i, slot;
	uint64_t sum = 0;

	ck_assert(series_init(&s, 1, 1));
	/* 5000 slots of the first width: merged to 10 times as wide, rounded up to 16 */
	for (i = 0; i < 5000; i++) {
		slot = series_slot(&s, i * SERIES_FIRST_SLOT_NS);
		*series_value(&s, slot, 0) += 1;
		*series_value(&s, slot, 1) = i;
	}
	ck_assert_uint_eq(s.slot_ns, 16 * SERIES_FIRST_SLOT_NS);
	ck_assert_uint_eq(s.nr_slots, (5000 + 15) / 16);
	for (slot = 0; slot < SERIES_SLOTS; slot++)
		sum += *series_value(&s, slot, 0);
	ck_assert_uint_eq(sum, 5000);
	for (slot = 0; slot + 1 < s.nr_slots; slot++)
		ck_assert_uint_eq(*series_value(&s, slot, 1), slot * 16 + 15);
	ck_assert_uint_eq(*series_value(&s, slot, 1), 4999);
	/* time that steps back is an earlier slot */
	ck_assert_uint_eq(series_slot(&s, 0), 0);
	series_release(&s);
}
END_TEST

static uint64_t heat_sum(const struct heat *heat, enum heat_kind kind)
{
	uint64_t sum = 0;
	unsigned row, slot;

	for (row = 0; row < HEAT_ROWS; row++)
		for (slot = 0; slot < HEAT_SLOTS; slot++)
			sum += heat_value(heat, row, slot, kind);
	return sum;
}

START_TEST(heat_keeps_counts_while_it_grows)
{
	uint64_t pfns[2000], x = 1;
	struct heat heat;
	double sum = 0;
	unsigned i, k;

	ck_assert(heat_init(&heat));
	for (i = 0; i < 2000; i++) {
		/* downwards as well as upwards, over 36 bits in the end */
		x = x * 6364136223846793005ull + 1442695040888963407ull;
		pfns[i] = (x >> 28) >> (i < 1000 ? 20 : 0);
		ck_assert(heat_add(&heat, pfns[i], (uint64_t)i << 24, i % 3));
	}
	ck_assert_uint_eq(heat_sum(&heat, HEAT_EVENTS), 2000);
	ck_assert_uint_eq(heat_sum(&heat, HEAT_ACCESSED), 667);
	ck_assert_uint_eq(heat_sum(&heat, HEAT_RECLAIMED), 667);
	ck_assert_uint_le(heat_nr_rows(&heat), HEAT_ROWS);
	ck_assert_uint_gt(heat_nr_rows(&heat), HEAT_ROWS / 2 - 1);
	/* each pfn is in its row */
	for (i = 0; i < 2000; i++) {
		uint64_t row = (pfns[i] >> heat.row_shift) - heat.first_row, nr = 0;

		ck_assert_uint_lt(row, heat_nr_rows(&heat));
		for (k = 0; k < HEAT_SLOTS; k++)
			nr += heat_value(&heat, row, k, HEAT_EVENTS);
		ck_assert_uint_gt(nr, 0);
	}
	/* a picture of any size has all of it */
	for (i = 0; i < 7; i++)
		for (k = 0; k < 13; k++)
			sum += heat_resample(&heat, HEAT_EVENTS, i, 7, k, 13);
	ck_assert_double_eq_tol(sum, 2000, 1e-6);
	heat_release(&heat);
}
END_TEST

static char *json_of(const char *text)
{
	char *out = NULL;
	size_t nr;
	FILE *file = open_memstream(&out, &nr);

	json_string(file, text);
	fclose(file);
	return out;
}

START_TEST(json_escapes_what_it_must)
{
	static const char *const cases[][2] = {
		{ "", "\"\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "tab\tline\n", "\"tab\\u0009line\\u000a\"" },
		{ "\x7f", "\"\\u007f\"" },
		{ "\xc3\xa9", "\"\xc3\xa9\"" },			/* valid UTF-8 is kept */
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
		{ "\xff" "a", "\"\\ufffda\"" },			/* never a start byte */
		{ "\xc3", "\"\\ufffd\"" },			/* cut */
		{ "\xc0\xaf", "\"\\ufffd\\ufffd\"" },		/* overlong */
		{ "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"" },	/* surrogate */
		{ "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"" },	/* too large */
	};
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *out = json_of(cases[i][0]);

		ck_assert_str_eq(out, cases[i][1]);
		free(out);
	}
}
END_TEST

static const struct column columns[] = {
	{ "name", CELL_TEXT, "", "" },
	{ "nr", CELL_COUNT, "", "" },
	{ "id", CELL_ID, "", "" },
	{ "share", CELL_REAL, "", "" },
};
static const struct table_def def = { "t", "", "", columns, 4 };

START_TEST(tables_find_their_cells)
{
	struct tables tables = { 0 };
	struct table *table = tables_add(&tables, &def);
	char name[8] = "first", buf[CELL_PRINT_BYTES];

	cell_text(table, name);
	strcpy(name, "x");	/* it was copied */
	cell_count(table, 3);
	cell_id(table, UINT64_MAX);
	cell_real(table, 0.0 / 0.0);
	cell_name(table, NULL);
	cell_absent(table);
	cell_id(table, 0);
	cell_real(table, 1.0 / 3);
	ck_assert_uint_eq(table_nr_rows(table), 2);
	ck_assert_ptr_eq(tables_find(&tables, "t"), table);
	ck_assert_ptr_null(tables_find(&tables, "u"));
	ck_assert_str_eq(cell_print(table_cell(table, 0, 0), buf), "first");
	ck_assert_str_eq(cell_print(table_get(table, "first", "id"), buf), "18446744073709551615");
	ck_assert_int_eq(table_get(table, "first", "share")->kind, CELL_ABSENT);
	ck_assert_ptr_null(table_get(table, "second", "id"));
	ck_assert_ptr_null(table_get(table, "first", "no_such_column"));
	ck_assert_int_eq(table_cell(table, 1, 0)->kind, CELL_ABSENT);
	ck_assert_int_eq(table_cell(table, 1, 1)->kind, CELL_ABSENT);
	ck_assert_double_eq_tol(strtod(cell_print(table_cell(table, 1, 3), buf), NULL), 1.0 / 3, 1e-8);
	table_clear(table);
	ck_assert_uint_eq(table_nr_rows(table), 0);
	tables_release(&tables);
}
END_TEST

START_TEST(proto_writes_the_wire_format)
{
	/* from the encoding guide: field 1 = 150; field 2 = "testing"; nested */
	static const uint8_t number[] = { 0x08, 0x96, 0x01 };
	static const uint8_t text[] = { 0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g' };
	static const uint8_t nested[] = { 0x1a, 0x03, 0x08, 0x96, 0x01 };
	static const uint8_t most[] = { 0xf8, 0x07, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff, 0x01 };
	struct proto p = { 0 }, outer = { 0 };

	proto_varint(&p, 1, 150);
	ck_assert_mem_eq(p.bytes, number, sizeof(number));
	ck_assert_uint_eq(p.nr, sizeof(number));
	proto_message(&outer, 3, &p);
	ck_assert_uint_eq(outer.nr, sizeof(nested));
	ck_assert_mem_eq(outer.bytes, nested, sizeof(nested));
	proto_clear(&p);
	proto_string(&p, 2, "testing");
	ck_assert_uint_eq(p.nr, sizeof(text));
	ck_assert_mem_eq(p.bytes, text, sizeof(text));
	proto_clear(&p);
	proto_varint(&p, 127, UINT64_MAX);
	ck_assert_uint_eq(p.nr, sizeof(most));
	ck_assert_mem_eq(p.bytes, most, sizeof(most));
	proto_release(&p);
	proto_release(&outer);
}
END_TEST

START_TEST(svg_axes_end_on_a_tick)
{
	char buf[SVG_LABEL_BYTES];

	ck_assert_double_eq(svg_nice(3), 5);
	ck_assert_double_eq(svg_nice(1000), 1000);
	ck_assert_double_eq(svg_nice(0.015), 0.02);
	ck_assert_double_eq(svg_top(35769), 40000);
	ck_assert_double_eq(svg_top(50000), 50000);
	ck_assert_str_eq(svg_label(buf, SVG_NUMBER, 13640), "13.64k");
	ck_assert_str_eq(svg_label(buf, SVG_NUMBER, 0), "0");
	ck_assert_str_eq(svg_label(buf, SVG_DURATION, 1e6), "1ms");
	ck_assert_str_eq(svg_label(buf, SVG_HEX, 0x4000), "0x4000");
}
END_TEST

static void ignore(void *self, const struct change *c)
{
	++*(unsigned *)self;
}

/* A model whose first event is a marker; @expected is what model_apply() returns. */
static struct model *with_marker_that(int expected, const char *text, unsigned *nr_changes)
{
	struct model *m = model_new(ignore, nr_changes);
	struct event ev = { .kind = EV_MARKER, .ts_ns = 5, .pfn = UINT64_MAX };

	ev.u.marker.text = text;
	ev.u.marker.len_bytes = strlen(text);
	ck_assert_int_eq(model_apply(m, &ev), expected);
	return m;
}

static struct model *with_marker(const char *text, unsigned *nr_changes)
{
	return with_marker_that(0, text, nr_changes);
}

static int keep(void *self, const char *text)
{
	char **all = self, *old = *all;

	ck_assert_uint_le(strlen(text), MODEL_STATE_BYTES);
	ck_assert_ptr_nonnull(old);
	*all = malloc(strlen(old) + strlen(text) + 2);
	sprintf(*all, "%s%s\n", old, text);
	free(old);
	return 0;
}

#define LRUVEC "L 37 0 4 3 0 3 0 0 0 0 0"
#define FOLIO "F 7 21f2 9fe02020098200 1 4 0 0 0 0 0 5 6 7"

START_TEST(state_comes_back_as_it_was)
{
	static const char *const texts[] = {
		MODEL_STATE_PREFIX "M 0 0 0 9 1; " LRUVEC
				   "; P 102 0 0 200 5 5 5 21ff 3 0 1 0 0; " FOLIO "; E\n",
		/* after a loss, the eviction was before it */
		MODEL_STATE_PREFIX "M 0 0 0 9 d; " LRUVEC
				   "; P 502 0 0 200 5 5 5 21ff 3 0 1 0 0; " FOLIO "; E\n",
	};
	const char *text = texts[_i];
	static const struct selection all;
	unsigned nr_changes = 0;
	struct model *m = with_marker(text, &nr_changes);
	char *dumped = strdup("");

	ck_assert(model_was_restored(m));
	ck_assert_uint_eq(model_stats(m)->nr_refused, 0);
	ck_assert_uint_eq(nr_changes, 1);
	ck_assert_uint_eq(model_lruvec(m, 0)->memcg, 0x37);
	ck_assert_int_eq(model_lruvec(m, 0)->nr_pages[3][TYPE_ANON], 1);
	ck_assert_int_eq(model_dump(m, &all, MODEL_STATE_BYTES, keep, &dumped), 0);
	ck_assert_str_eq(dumped, text);
	free(dumped);
	model_free(m);
}
END_TEST

START_TEST(state_that_is_wrong_is_refused)
{
	static const char *const cases[] = {
		"X", "M 0 0", "L 37 0 0 3 0 3 0 0 0 0 0", "L 37 0 9 3 0 3 0 0 0 0 0",
		"P 2 0 0 0 0 0 0 0 0 0 0 0 0",		/* no such lruvec */
		FOLIO,					/* neither */
		LRUVEC "; F 7 21f2 9fe02020098200 1 4 3 0 0 0 0 5 6 7",	/* kind of list */
		LRUVEC "; F 7 21f2 9fe02020098200 1 9 0 0 0 0 0 5 6 7",	/* generation */
		LRUVEC "; F 7 21f2 9fe02020098200 1 4 0 1 0 0 0 5 6 7",	/* no such page */
		LRUVEC "; F 7 21f2 9fe02020098200 1 0 0 0 0 0 0 5 6 7",	/* on no list */
		LRUVEC "; F 7 ffffffffffffffff 9fe02020098200 1 4 0 0 0 0 0 5 6 7",
		LRUVEC "; F 7 21f2 ffffffffffffffff 1 4 0 0 0 0 0 5 6 7",
		LRUVEC "; " FOLIO "; " FOLIO,		/* twice */
		LRUVEC "; F 0 21f2 9fe02020098200 1 4 0 0 0 0 0 5 6 7",	/* no life */
		LRUVEC "; F a 21f2 9fe02020098200 1 4 0 0 0 0 0 5 6 7",	/* a later one */
		LRUVEC "; F 7 21f2 zz 1 4 0 0 0 0 0 5 6 7",
	};
	char text[400];
	unsigned i, nr_changes = 0;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct model *m;

		snprintf(text, sizeof(text), "%sM 0 0 0 9 1; %s; E", MODEL_STATE_PREFIX, cases[i]);
		m = with_marker(text, &nr_changes);
		ck_assert_msg(model_stats(m)->nr_refused == 1, "case %u: %s", i, cases[i]);
		model_finish(m, 10, false);
		model_free(m);
	}
}
END_TEST

START_TEST(state_of_another_version_is_an_error)
{
	static const char *const cases[] = {
		"folioscope-state 1 M 0 0 0; E", "folioscope-state 2 M 0 0 0 9; E",
		"folioscope-state 4 E", "folioscope-state 30 E",
	};
	unsigned i, nr_changes = 0;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct model *m = with_marker_that(-ERR_STATE, cases[i], &nr_changes);

		ck_assert(!model_was_restored(m));
		model_free(m);
	}
	ck_assert_uint_eq(nr_changes, 0);
}
END_TEST

static enum model_lru lru_after(const char *state)
{
	unsigned nr_changes = 0;
	struct model *m = with_marker(state, &nr_changes);
	enum model_lru lru = model_lru(m);

	ck_assert(model_was_restored(m));
	model_free(m);
	return lru;
}

START_TEST(state_says_which_lists_were_seen)
{
	ck_assert_int_eq(lru_after(MODEL_STATE_PREFIX "M 0 0 0 9 0; E"), MODEL_LRU_UNKNOWN);
	ck_assert_int_eq(lru_after(MODEL_STATE_PREFIX "M 0 0 0 9 1; E"), MODEL_LRU_MULTI_GEN);
	ck_assert_int_eq(lru_after(MODEL_STATE_PREFIX "M 0 0 0 9 2; E"), MODEL_LRU_CLASSIC);
	ck_assert_int_eq(lru_after(MODEL_STATE_PREFIX "M 0 0 0 9 3; E"), MODEL_LRU_MULTI_GEN);
}
END_TEST

START_TEST(other_markers_are_no_state)
{
	static const char *const cases[] = { "", "folioscope-state", "folioscope-state x E", "hello" };
	unsigned i, nr_changes = 0;

	for (i = 0; i < 4; i++) {
		struct model *m = with_marker(cases[i], &nr_changes);

		ck_assert(!model_was_restored(m));
		ck_assert_uint_eq(model_stats(m)->nr_refused, 0);
		model_free(m);
	}
	ck_assert_uint_eq(nr_changes, 0);
}
END_TEST

Suite *outputs_suite(void)
{
	Suite *suite = suite_create("outputs");
	TCase *tc = tcase_create("outputs");

	tcase_add_test(tc, series_keeps_sums_and_last_levels);
	tcase_add_test(tc, heat_keeps_counts_while_it_grows);
	tcase_add_test(tc, json_escapes_what_it_must);
	tcase_add_test(tc, tables_find_their_cells);
	tcase_add_test(tc, proto_writes_the_wire_format);
	tcase_add_test(tc, svg_axes_end_on_a_tick);
	tcase_add_loop_test(tc, state_comes_back_as_it_was, 0, 2);
	tcase_add_test(tc, state_that_is_wrong_is_refused);
	tcase_add_test(tc, state_of_another_version_is_an_error);
	tcase_add_test(tc, state_says_which_lists_were_seen);
	tcase_add_test(tc, other_markers_are_no_state);
	suite_add_tcase(suite, tc);
	return suite;
}
