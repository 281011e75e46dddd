// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "analyzer/subbuf.h"
#include "suites.h"

#define PAGE_BYTES 256

/* A page under construction, in any byte order and word size. */
struct page {
	uint8_t raw[PAGE_BYTES];
	struct subbuf_layout layout;
	uint32_t used;
};

static void put(uint8_t *p, uint64_t v, unsigned size, bool big_endian)
{
	unsigned i;

	for (i = 0; i < size; i++)
		p[i] = v >> 8 * (big_endian ? size - 1 - i : i);
}

static void page_init(struct page *page, bool big_endian, unsigned long_bytes)
{
	memset(page, 0, sizeof(*page));
	page->layout = (struct subbuf_layout){
		.swap = big_endian != is_big_endian_host(),
		.big_endian = big_endian,
		.commit_offset = 8,
		.commit_bytes = long_bytes,
		.data_offset = 8 + long_bytes,
		.page_bytes = PAGE_BYTES,
	};
	put(page->raw, 1000, 8, big_endian);
}

static void page_commit(struct page *page, uint64_t commit)
{
	put(page->raw + 8, commit, page->layout.commit_bytes,
	    page->layout.big_endian);
}

static void page_word(struct page *page, uint32_t word)
{
	put(page->raw + page->layout.data_offset + page->used, word, 4,
	    page->layout.big_endian);
	page->used += 4;
	page_commit(page, page->used);
}

static void page_head(struct page *page, unsigned type, uint32_t delta)
{
	page_word(page, page->layout.big_endian ? type << 27 | delta :
		  delta << 5 | type);
}

static uint32_t room(const struct page *page)
{
	return PAGE_BYTES - page->layout.data_offset;
}

/* Every test runs for both byte orders and both word sizes. */
#define EACH_LAYOUT(i, page)						\
	page_init(&(page), (i) & 1, (i) & 2 ? 4 : 8)

START_TEST(test_records)
{
	struct subbuf_stats stats;
	struct page page;

	EACH_LAYOUT(_i, page);
	page_head(&page, 2, 5);		/* 8 bytes of payload */
	page_word(&page, 1);
	page_word(&page, 2);
	page_head(&page, 0, 7);		/* long form: 12 with itself */
	page_word(&page, 12);
	page_word(&page, 3);
	page_word(&page, 4);
	page_head(&page, 29, 9);	/* discarded, 4 + 8 */
	page_word(&page, 8);
	page_word(&page, 0);
	page_head(&page, 30, 1);	/* + 1 + (1 << 27) */
	page_word(&page, 1);
	page_head(&page, 1, 0);
	page_word(&page, 5);
	page_head(&page, 29, 0);	/* the rest is unused */
	page_word(&page, 0xffffffff);
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, &stats), SUBBUF_OK);
	ck_assert_uint_eq(stats.nr_records, 3);
	ck_assert_uint_eq(stats.nr_discarded, 1);
	ck_assert_uint_eq(stats.page_ts_ns, 1000);
	ck_assert_uint_eq(stats.last_ts_ns, 1000 + 5 + 7 + 9 + 1 + (1 << 27));
	ck_assert(!stats.nr_zeros);
}
END_TEST

START_TEST(test_payload)
{
	const uint8_t *rec;
	uint32_t pos = 0, len;
	uint64_t ts = 0;
	struct page page;

	EACH_LAYOUT(_i, page);
	page_head(&page, 0, 0);
	page_word(&page, 10);		/* padded to 12 */
	page_word(&page, 0x11111111);
	page_word(&page, 0x22222222);
	ck_assert_int_eq(subbuf_step(page.raw + page.layout.data_offset, page.used,
				     &pos, &ts, page.layout.swap,
				     page.layout.big_endian, &rec, &len),
			 SUBBUF_STEP_RECORD);
	ck_assert_ptr_eq(rec, page.raw + page.layout.data_offset + 8);
	ck_assert_uint_eq(len, 8);
	ck_assert_uint_eq(pos, 16);
	ck_assert_int_eq(subbuf_step(page.raw + page.layout.data_offset, page.used,
				     &pos, &ts, page.layout.swap,
				     page.layout.big_endian, &rec, &len),
			 SUBBUF_STEP_END);
}
END_TEST

START_TEST(test_empty)
{
	struct subbuf_stats stats;
	struct page page;

	EACH_LAYOUT(_i, page);
	page_commit(&page, 0);
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, &stats), SUBBUF_OK);
	ck_assert_uint_eq(stats.nr_records, 0);
}
END_TEST

/* word, second word, bytes of data: what is wrong with it */
static const struct {
	unsigned type;
	uint32_t delta, second, size;
	enum subbuf_fault fault;
} faults[] = {
	{ 2, 1, 0, 8, SUBBUF_RECORD_CUT },
	{ 28, 1, 0, 112, SUBBUF_RECORD_CUT },
	{ 0, 1, 0, 8, SUBBUF_BAD_LENGTH },
	{ 0, 1, 3, 8, SUBBUF_BAD_LENGTH },
	{ 0, 1, 8, 8, SUBBUF_RECORD_CUT },
	{ 0, 1, 0xfffffffc, 64, SUBBUF_RECORD_CUT },
	{ 0, 1, 0xffffffff, 64, SUBBUF_RECORD_CUT },
	{ 0, 1, 0x80000000, 64, SUBBUF_RECORD_CUT },
	{ 29, 1, 0xfffffffc, 64, SUBBUF_RECORD_CUT },
	{ 29, 1, 0, 64, SUBBUF_BAD_LENGTH },
	{ 29, 1, 3, 64, SUBBUF_BAD_LENGTH },
	{ 29, 1, 8, 8, SUBBUF_RECORD_CUT },
	{ 0, 1, 0, 4, SUBBUF_WORD_CUT },
	{ 29, 1, 0, 4, SUBBUF_WORD_CUT },
	{ 30, 1, 0, 4, SUBBUF_WORD_CUT },
	{ 31, 1, 0, 4, SUBBUF_WORD_CUT },
	{ 1, 1, 0, 2, SUBBUF_WORD_CUT },
	{ 29, 0, 0, 4, SUBBUF_OK },
	{ 0, 1, 4, 8, SUBBUF_OK },
};
#define NR_FAULTS (sizeof(faults) / sizeof(faults[0]))

START_TEST(test_fault)
{
	unsigned k;

	for (k = 0; k < 4; k++) {
		struct subbuf_layout layout;
		struct page page;
		uint8_t *exact;

		EACH_LAYOUT(k, page);
		page_head(&page, faults[_i].type, faults[_i].delta);
		page_word(&page, faults[_i].second);
		page_commit(&page, faults[_i].size);
		/* the page ends where its data does: a byte more is an error */
		layout = page.layout;
		layout.page_bytes = layout.data_offset + faults[_i].size;
		exact = malloc(layout.page_bytes);
		memcpy(exact, page.raw, layout.page_bytes);
		ck_assert_int_eq(subbuf_check(&layout, exact, NULL),
				 faults[_i].fault);
		free(exact);
	}
}
END_TEST

START_TEST(test_commit_too_large)
{
	struct page page;
	uint32_t size;

	EACH_LAYOUT(_i, page);
	page_commit(&page, room(&page));
	/* all zeros: the commit word of some Android kernels */
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, NULL), SUBBUF_OK);
	for (size = room(&page) + 1; size < PAGE_BYTES + 64; size++) {
		page_commit(&page, size);
		ck_assert_int_eq(subbuf_check(&page.layout, page.raw, NULL),
				 SUBBUF_COMMIT_TOO_LARGE);
	}
	page_commit(&page, (1u << 27) - 1);
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, NULL),
			 SUBBUF_COMMIT_TOO_LARGE);
}
END_TEST

/* A page without data is believed that has a time, and nothing behind it. */
START_TEST(test_no_data)
{
	struct page page;

	EACH_LAYOUT(_i, page);
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, NULL), SUBBUF_OK);
	page.raw[PAGE_BYTES - 1] = 1;
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, NULL), SUBBUF_EMPTY);
	memset(page.raw, 0, sizeof(page.raw));
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, NULL), SUBBUF_EMPTY);
}
END_TEST

START_TEST(test_zero_tail)
{
	struct subbuf_stats stats;
	struct page page;

	EACH_LAYOUT(_i, page);
	page_head(&page, 1, 3);
	page_word(&page, 1);
	page_commit(&page, room(&page));
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, &stats), SUBBUF_OK);
	ck_assert_uint_eq(stats.nr_zeros, room(&page) - 8);
	ck_assert_uint_eq(stats.nr_records, 1);
	/* anything behind the zeros makes them a damaged record */
	page.raw[PAGE_BYTES - 1] = 1;
	ck_assert_int_eq(subbuf_check(&page.layout, page.raw, &stats),
			 SUBBUF_BAD_LENGTH);
}
END_TEST

START_TEST(test_lost)
{
	struct subbuf sub;
	struct page page;
	unsigned long_bytes;

	EACH_LAYOUT(_i, page);
	long_bytes = page.layout.commit_bytes;
	page_head(&page, 30, 1);	/* libtraceevent overlooks the loss here */
	page_word(&page, 1);
	page_commit(&page, 8);
	ck_assert_int_eq(subbuf_begin(&page.layout, page.raw, &sub), SUBBUF_OK);
	ck_assert(!sub.has_lost);

	page_commit(&page, 8 | 1u << 31);
	ck_assert_int_eq(subbuf_begin(&page.layout, page.raw, &sub), SUBBUF_OK);
	ck_assert(sub.has_lost);
	ck_assert_int_eq(sub.nr_lost, -1);
	ck_assert_uint_eq(sub.size_bytes, 8);

	put(page.raw + page.layout.data_offset + 8, 77, long_bytes,
	    page.layout.big_endian);
	page_commit(&page, 8 | 3u << 30);
	subbuf_begin(&page.layout, page.raw, &sub);
	ck_assert_int_eq(sub.nr_lost, 77);

	/* not to be cut to an int */
	if (long_bytes == 8) {
		put(page.raw + page.layout.data_offset + 8,
		    UINT64_C(0x123456789a), 8, page.layout.big_endian);
		subbuf_begin(&page.layout, page.raw, &sub);
		ck_assert_int_eq(sub.nr_lost, INT64_C(0x123456789a));
	}

	/* no room for the number: whatever lies behind the page is not it */
	page_commit(&page, (room(&page) - 3) | 3u << 30);
	subbuf_begin(&page.layout, page.raw, &sub);
	ck_assert(sub.has_lost);
	ck_assert_int_eq(sub.nr_lost, -1);
}
END_TEST

START_TEST(test_absolute_time)
{
	static const struct {
		uint64_t page_ts, stamp, want;
	} cases[] = {
		{ 1000, 2000, 2000 },
		{ 2000, 1000, 1000 },		/* back, below 2^59 */
		{ (UINT64_C(3) << 59) + 5, 9, (UINT64_C(3) << 59) + 9 },
		/* the low 59 bits wrapped since the page began */
		{ (UINT64_C(3) << 59) + 500, 9, (UINT64_C(4) << 59) + 9 },
	};
	struct subbuf_stats stats;
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct page page;

		EACH_LAYOUT(_i, page);
		put(page.raw, cases[i].page_ts, 8, page.layout.big_endian);
		page_head(&page, 31, cases[i].stamp & ((1u << 27) - 1));
		page_word(&page, cases[i].stamp >> 27);
		page_head(&page, 1, 0);
		page_word(&page, 0);
		ck_assert_int_eq(subbuf_check(&page.layout, page.raw, &stats),
				 SUBBUF_OK);
		ck_assert_uint_eq(stats.last_ts_ns, cases[i].want);
	}
}
END_TEST

/* Random bytes: every walk ends, and inside the page (see the sanitizers). */
START_TEST(test_random)
{
	uint32_t seed = 12345 + _i;
	unsigned round;

	for (round = 0; round < 5000; round++) {
		struct page page;
		uint8_t *exact = malloc(PAGE_BYTES);
		unsigned i;

		EACH_LAYOUT(_i, page);
		for (i = 0; i < PAGE_BYTES; i++) {
			seed = seed * 1103515245 + 12345;
			page.raw[i] = seed >> 16;
		}
		if (round % 2)
			page_commit(&page, seed % (room(&page) + 1));
		memcpy(exact, page.raw, PAGE_BYTES);
		ck_assert_int_lt(subbuf_check(&page.layout, exact, NULL),
				 SUBBUF_NR_FAULTS);
		free(exact);
	}
}
END_TEST

START_TEST(test_texts)
{
	int i, k;

	for (i = 0; i < SUBBUF_NR_FAULTS; i++)
		for (k = 0; k < i; k++)
			ck_assert_str_ne(subbuf_fault_text(i),
					 subbuf_fault_text(k));
	ck_assert_str_eq(subbuf_fault_text(SUBBUF_NR_FAULTS), "?");
}
END_TEST

Suite *subbuf_suite(void)
{
	Suite *suite = suite_create("subbuf");
	TCase *tc = tcase_create("walk");

	tcase_add_loop_test(tc, test_records, 0, 4);
	tcase_add_loop_test(tc, test_payload, 0, 4);
	tcase_add_loop_test(tc, test_empty, 0, 4);
	tcase_add_loop_test(tc, test_no_data, 0, 4);
	tcase_add_loop_test(tc, test_zero_tail, 0, 4);
	tcase_add_loop_test(tc, test_absolute_time, 0, 4);
	suite_add_tcase(suite, tc);

	tc = tcase_create("damage");
	tcase_add_loop_test(tc, test_fault, 0, NR_FAULTS);
	tcase_add_loop_test(tc, test_commit_too_large, 0, 4);
	tcase_add_loop_test(tc, test_random, 0, 4);
	tcase_add_test(tc, test_texts);
	suite_add_tcase(suite, tc);

	tc = tcase_create("losses");
	tcase_add_loop_test(tc, test_lost, 0, 4);
	suite_add_tcase(suite, tc);
	return suite;
}
