// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/abi.h"
#include "analyzer/decode.h"
#include "analyzer/format.h"
#include "sim/gen.h"
#include "sim/history.h"
#include "sim/readback.h"
#include "suites.h"

/* --- the text of formats --------------------------------------------------- */

static const char good_format[] =
	"name: mm_lru_gen_add\n"
	"ID: 355\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u64 pfn;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:s8 old_gen;\toffset:16;\tsize:1;\tsigned:1;\n"
	"\tfield:u8 site;\toffset:17;\tsize:1;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:18;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:struct page * page;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:char tail[];\toffset:48;\tsize:0;\tsigned:0;\n"
	"\n"
	"print fmt: \"pfn=0x%llx {site=%s} \\\"__print_symbolic(REC->old_gen, { 9, \\\"no\\\" })\", REC->pfn, "
	"__print_symbolic((int)REC->site, { 0, \"other\" }, { 0x1, \"lru_add\" }, "
	"{ (1UL << 3) | 1, \"nine\" }, { SITE_UNEXPORTED, \"unknown\" }, "
	"{ -(2), \"minus two\" }, { 2 + 3 * 4, \"fourteen\" }), "
	"__print_symbolic(REC->old_gen, { -1, \"none\" }), REC->comm\n";

START_TEST(test_format)
{
	const struct format_field *field;
	struct format format;

	ck_assert_int_eq(format_parse(&format, good_format,
				      sizeof(good_format) - 1, NULL), 0);
	ck_assert_str_eq(format.name, "mm_lru_gen_add");
	ck_assert_int_eq(format.id, 355);
	ck_assert_uint_eq(format.nr_fields, 9);
	field = format_field(&format, "pfn");
	ck_assert_uint_eq(field->offset, 8);
	ck_assert_uint_eq(field->size, 8);
	ck_assert(!field->is_signed && !field->is_array);
	field = format_field(&format, "old_gen");
	ck_assert(field->is_signed);
	field = format_field(&format, "comm");
	ck_assert(field->is_array);
	ck_assert_uint_eq(field->size, 16);
	ck_assert_ptr_nonnull(format_field(&format, "name"));
	ck_assert_ptr_nonnull(format_field(&format, "page"));
	ck_assert_uint_eq(format_field(&format, "tail")->size, 0);
	ck_assert_ptr_null(format_field(&format, "common_flags"));
	format_release(&format);
}
END_TEST

START_TEST(test_symbols)
{
	const struct format_field *site, *old_gen;
	struct format format;

	ck_assert_int_eq(format_parse(&format, good_format,
				      sizeof(good_format) - 1, NULL), 0);
	site = format_field(&format, "site");
	old_gen = format_field(&format, "old_gen");
	ck_assert_str_eq(format_symbol(&format, site, 0), "other");
	ck_assert_str_eq(format_symbol(&format, site, 1), "lru_add");
	ck_assert_str_eq(format_symbol(&format, site, 9), "nine");
	ck_assert_str_eq(format_symbol(&format, site, -2), "minus two");
	ck_assert_str_eq(format_symbol(&format, site, 14), "fourteen");
	ck_assert_ptr_null(format_symbol(&format, site, 2));
	/* a table inside the format string is none */
	ck_assert_ptr_null(format_symbol(&format, old_gen, 9));
	ck_assert_str_eq(format_symbol(&format, old_gen, -1), "none");
	ck_assert_uint_eq(format.nr_symbols, 6);
	format_release(&format);
}
END_TEST

static const char *const bad_formats[] = {
	"",
	"name: x",
	"name: \nID: 1\n",
	"ID: 1\nname: x\n",
	"name: x\nID: \n",
	"name: x\nID: -1\n",
	"name: x\nID: 65536\n",
	"name: x\nID: 99999999999999999999999\n",
	"name: x\nID: 1\nformat:\n\tfield:u64 pfn\n",
	"name: x\nID: 1\nformat:\n\tfield:u64 pfn;\toffset:8;\n",
	"name: x\nID: 1\nformat:\n\tfield:u64 pfn;\tsize:8;\n",
	"name: x\nID: 1\nformat:\n\tfield:u64 pfn;\toffset:-8;\tsize:8;\n",
	"name: x\nID: 1\nformat:\n\tfield:u64 pfn;\toffset:70000;\tsize:8;\n",
	"name: x\nID: 1\nformat:\n\tfield:u64 pfn;\toffset:8;\tsize:0x100000000;\n",
	"name: x\nID: 1\nformat:\n\tfield:;\toffset:8;\tsize:8;\n",
	"name: x\nID: 1\nformat:\n\tfield:[];\toffset:8;\tsize:8;\n",
	"name: x\nID: 1\nformat:\n\tfield:u64 ];\toffset:8;\tsize:8;\n",
};
#define NR_BAD_FORMATS (sizeof(bad_formats) / sizeof(bad_formats[0]))

START_TEST(test_bad_format)
{
	struct format format;
	const char *cause = NULL;

	ck_assert_int_eq(format_parse(&format, bad_formats[_i],
				      strlen(bad_formats[_i]), &cause),
			 -ERR_BAD_FORMAT);
	ck_assert_ptr_nonnull(cause);
}
END_TEST

/* Cut anywhere, and with any byte changed: it ends, and reads nothing behind. */
START_TEST(test_format_mutations)
{
	size_t len = sizeof(good_format) - 1, i;
	unsigned k;

	for (i = 0; i <= len; i++) {
		char *cut = malloc(i ? i : 1);
		struct format format;

		memcpy(cut, good_format, i);
		if (!format_parse(&format, cut, i, NULL))
			format_release(&format);
		free(cut);
	}
	for (i = 0; i < len; i++) {
		static const char bytes[] = { 0, '"', '(', ')', '{', '}', '\n',
					      ';', '[', ']', '-', '9', ',', '\\' };

		for (k = 0; k < sizeof(bytes); k++) {
			char *copy = malloc(len);
			struct format format;

			memcpy(copy, good_format, len);
			copy[i] = bytes[k];
			if (!format_parse(&format, copy, len, NULL))
				format_release(&format);
			free(copy);
		}
	}
}
END_TEST

START_TEST(test_format_depth)
{
	char text[4096];
	struct format format;
	size_t len;

	len = snprintf(text, sizeof(text), "name: x\nID: 1\nformat:\n"
		       "\tfield:u8 f;\toffset:8;\tsize:1;\tsigned:0;\n"
		       "\nprint fmt: \"%%s\", __print_symbolic(REC->f, { ");
	memset(text + len, '(', 2000);
	text[len + 2000] = '1';
	ck_assert_int_eq(format_parse(&format, text, len + 2001, NULL), 0);
	ck_assert_uint_eq(format.nr_symbols, 0);
	format_release(&format);
}
END_TEST

START_TEST(test_format_limits)
{
	char *text = calloc(1, FORMAT_MAX_BYTES + 64);
	struct format format;
	size_t len;
	unsigned i;

	len = sprintf(text, "name: x\nID: 1\nformat:\n");
	for (i = 0; i < FORMAT_MAX_FIELDS; i++)
		len += sprintf(text + len, "\tfield:u8 f%u;\toffset:%u;\tsize:1;\tsigned:0;\n",
			       i, i);
	ck_assert_int_eq(format_parse(&format, text, len, NULL), 0);
	ck_assert_uint_eq(format.nr_fields, FORMAT_MAX_FIELDS);
	format_release(&format);
	len += sprintf(text + len, "\tfield:u8 more;\toffset:9;\tsize:1;\tsigned:0;\n");
	ck_assert_int_eq(format_parse(&format, text, len, NULL), -ERR_BAD_FORMAT);
	ck_assert_int_eq(format_parse(&format, text, FORMAT_MAX_BYTES + 1, NULL),
			 -ERR_BAD_FORMAT);
	free(text);
}
END_TEST

static const struct {
	const char *text;
	bool ok;
	int64_t value;
} ints[] = {
	{ "0", true, 0 }, { "0x10", true, 16 }, { " 12\n", true, 12 },
	{ "-5", true, -5 }, { "010", true, 8 }, { "18446744073709551615", true, -1 },
	{ "18446744073709551616", false, 0 }, { "", false, 0 }, { "x", false, 0 },
	{ "0x", false, 0 }, { "1 2", false, 0 }, { "--1", false, 0 }, { "09", false, 0 },
	{ "1UL", true, 1 },
};

START_TEST(test_int)
{
	int64_t v = 0;

	ck_assert_int_eq(format_int(ints[_i].text, strlen(ints[_i].text), &v),
			 ints[_i].ok);
	if (ints[_i].ok)
		ck_assert_int_eq(v, ints[_i].value);
}
END_TEST

/* --- values ----------------------------------------------------------------- */

/* An event of @kind with a different value in every byte that it can carry. */
static void fill_event(struct event *ev, enum ev_kind kind, unsigned salt)
{
	const struct decode_field *field;
	uint8_t *p = (uint8_t *)ev;
	unsigned i, k = 0;

	memset(ev, 0, sizeof(*ev));
	ev->kind = kind;
	ev->pid = 1000 + salt;
	ev->pfn = UINT64_MAX;
	ev->nid = -1;
	ev->old_gen = ev->new_gen = ev->tier_idx = -1;
	for (field = decode_fields(kind); field->name; field++) {
		if (field->is_wrapping)
			continue;
		for (i = 0; i < field->size; i++)
			p[field->offset + i] = ++k * 7 + salt;
	}
	/* values that have a name; the wide ones keep their sign */
	ev->site %= SITE_NR;
	ev->nid = salt % 2 ? -1 : 3;
	switch (kind) {
	case EV_STATE:
		ev->u.lruvec.state %= STATE_NR;
		/* fall through */
	case EV_MAX_SEQ:
		ev->max_seq = ev->u.lruvec.max_seq;
		break;
	case EV_MIN_SEQ:
		ev->max_seq = ev->u.min_seq.max_seq;
		break;
	case EV_SPLICE:
		ev->max_seq = ev->u.splice.max_seq;
		break;
	case EV_SCAN:
		ev->max_seq = ev->u.scan.max_seq;
		break;
	case EV_RECLAIM:
		ev->u.reclaim.outcome %= OUTCOME_NR;
		ev->u.reclaim.reason %= REASON_NR;
		break;
	case EV_LAZYFREE:
		ev->u.lazyfree.stage %= LAZYFREE_NR;
		break;
	case EV_EVICT:
	case EV_REFAULT:
		ev->u.page.backing %= BACKING_NR;
		break;
	case EV_HITSHIELD:
		ev->u.hitshield.cause %= HITSHIELD_NR;
		break;
	case EV_PAGE_FREE:
		/* 32-bit kernels: not all of it survives */
		ev->nid = -1;
		ev->pfn &= 0xffffff;
		ev->order &= 0x7f;
		break;
	case EV_PAGE_ALLOC:
		ev->nid = -1;
		ev->pfn &= 0xffffff;
		ev->order &= 0x7f;
		ev->u.alloc.gfp_flags &= 0xffffff;
		break;
	case EV_LRU_INSERTION:
		ev->u.insertion.flags &= 0xffffff;
		/* fall through */
	case EV_LRU_ACTIVATE:
		ev->nid = -1;
		ev->pfn &= 0xffffff;
		break;
	case EV_CACHE_ADD:
	case EV_CACHE_DELETE:
		ev->nid = -1;
		ev->pfn &= 0xffffff;
		ev->u.page.ino &= 0xffffff;
		ev->u.page.index &= 0xffffff;
		break;
	case EV_LRU_ISOLATE:
		ev->nid = -1;
		ev->u.isolate.nr_requested &= 0xffffff;
		ev->u.isolate.nr_scanned &= 0xffffff;
		ev->u.isolate.nr_skipped &= 0xffffff;
		ev->u.isolate.nr_taken &= 0xffffff;
		break;
	case EV_MARKER:
		ev->nid = -1;
		ev->u.marker.ip &= 0xffffff;
		ev->u.marker.text = "some text\n";
		ev->u.marker.len_bytes = 10;
		break;
	default:
		break;
	}
	/* fields that only some kinds have */
	if (!strcmp(event_kind_system(kind), "lru_gen")) {
		bool has_site = false;

		for (field = decode_fields(kind); field->name; field++)
			has_site |= !strcmp(field->name, "site");
		if (!has_site)
			ev->site = 0;
	} else {
		ev->site = 0;
	}
}

static void assert_same_event(const struct event *a, const struct event *b)
{
	struct event x = *a, y = *b;

	if (a->kind == EV_MARKER) {
		ck_assert_uint_eq(x.u.marker.len_bytes, y.u.marker.len_bytes);
		ck_assert_mem_eq(x.u.marker.text, y.u.marker.text,
				 x.u.marker.len_bytes);
		x.u.marker.text = y.u.marker.text = NULL;
	}
	if (memcmp(&x, &y, sizeof(x))) {
		const uint8_t *p = (void *)&x, *q = (void *)&y;
		unsigned i;

		for (i = 0; i < sizeof(x) && p[i] == q[i]; i++)
			;
		ck_abort_msg("%s: byte %u of the event is 0x%02x, not 0x%02x",
			     event_kind_name(a->kind), i, q[i], p[i]);
	}
}

/* The ways in which a kernel or writer may lay out the same fields. */
static const struct {
	const char *name;
	bool big_endian;
	unsigned long_bytes, quirks, symbol_shift;
	bool is_mapped;
} layouts[] = {
	{ "as the kernel does", false, 8, 0, 0, false },
	{ "mapped names", false, 8, 0, 0, true },
	{ "32-bit kernel", false, 4, 0, 0, true },
	{ "big-endian", true, 8, 0, 0, true },
	{ "big-endian 32-bit", true, 4, 0, 0, true },
	{ "other numbers", false, 8, 0, 40, true },
	{ "reversed fields", false, 8, GEN_REVERSED_FIELDS, 0, true },
	{ "wide fields", false, 8, GEN_WIDE_FIELDS, 0, true },
	{ "wide fields, big-endian", true, 8, GEN_WIDE_FIELDS, 7, true },
	{ "unknown fields between", false, 8, GEN_EXTRA_FIELDS, 0, true },
	{ "everything", true, 4, GEN_REVERSED_FIELDS | GEN_WIDE_FIELDS |
	  GEN_EXTRA_FIELDS, 100, true },
};
#define NR_LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))

START_TEST(test_every_kind)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct event sent[2 * EV_NR], ev;
	unsigned nr = 0, kind, i, salt, nr_unknown;
	const char *path = tmp_path();
	struct reader *reader;
	struct diag diag;
	struct gen *gen;

	opts.big_endian = layouts[_i].big_endian;
	opts.kernel_long_bytes = layouts[_i].long_bytes;
	opts.quirks = layouts[_i].quirks;
	opts.symbol_shift = layouts[_i].symbol_shift;
	gen = gen_new(&opts);
	for (kind = 1; kind < EV_NR; kind++) {
		if (!event_kind_event(kind))
			continue;
		for (salt = 1; salt <= 2; salt++) {
			fill_event(&sent[nr], kind, salt * kind);
			sent[nr].ts_ns = 1000 + nr;
			sent[nr].cpu = 3;
			gen_event(gen_cpu(gen, 0, 3), &sent[nr]);
			nr++;
		}
	}
	gen_write(gen, path);
	gen_free(gen);
	ck_assert_int_eq(reader_open(&reader, path, NULL, &diag), 0);
	if (layouts[_i].is_mapped) {
		ck_assert_int_eq(abi_map(reader, &nr_unknown), 0);
		ck_assert_uint_eq(nr_unknown, 0);
	}
	for (i = 0; i < nr; i++) {
		ck_assert_int_eq(reader_next(reader, &ev), 1);
		assert_same_event(&sent[i], &ev);
	}
	ck_assert_int_eq(reader_next(reader, &ev), 0);
	ck_assert_uint_eq(reader_totals(reader)->nr_by_kind[EV_MOVE], 2);
	ck_assert_uint_eq(reader_totals(reader)->nr_records, nr);
	reader_close(reader);
}
END_TEST

/* An order of 4 bytes may hold more than struct event's one byte. */
START_TEST(test_saturation)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct event ev = { .kind = EV_PAGE_FREE, .ts_ns = 1, .pfn = 5 };
	uint8_t raw[256];
	struct readback rb;
	struct gen *gen = gen_new(&opts);
	uint32_t len = gen_encode(gen, &ev, raw);

	raw[17] = 1;		/* order = 256 */
	gen_record(gen_cpu(gen, 0, 0), 1, raw, len);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_int_eq(rb.err, 0);
	ck_assert_uint_eq(rb.nr, 1);
	ck_assert_uint_eq(rb.events[0].order, 255);
	ck_assert_uint_eq(rb.events[0].pfn, 5);
	readback_release(&rb);
}
END_TEST

/* A failed allocation has no page, whatever the width of pfn. */
START_TEST(test_no_pfn)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct event ev = { .kind = EV_PAGE_ALLOC, .ts_ns = 1, .pfn = UINT64_MAX };
	struct readback rb;
	struct gen *gen;

	opts.kernel_long_bytes = _i ? 4 : 8;
	gen = gen_new(&opts);
	gen_event(gen_cpu(gen, 0, 0), &ev);
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 1);
	ck_assert_uint_eq(rb.events[0].pfn, UINT64_MAX);
	readback_release(&rb);
}
END_TEST

/*
 * The generator's formats are those of the real kernel: same fields in the same
 * order, with offsets, sizes and signs, and the same names of values.
 */
/* The formats of @path equal those of our generator. Returns how many. */
static unsigned compare_real_formats(const char *path)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct gen *gen = gen_new(&opts);
	struct container c;
	struct diag diag;
	unsigned i, k, nr_compared = 0;
	int err = container_open(&c, path, false, &diag);

	ck_assert_msg(!err, "%s", diag.text);
	for (i = 0; i < c.info.nr_events; i++) {
		enum ev_kind kind = c.info.events[i].kind;
		struct format real, ours;
		const char *text;

		if (kind == EV_NONE)
			continue;
		text = gen_format_text(gen, kind);
		ck_assert_int_eq(format_parse(&real, c.formats[i].text,
					      c.formats[i].len_bytes, NULL), 0);
		ck_assert_int_eq(format_parse(&ours, text, strlen(text), NULL), 0);
		ck_assert_str_eq(real.name, ours.name);
		ck_assert_uint_eq(real.nr_fields, ours.nr_fields);
		for (k = 0; k < real.nr_fields; k++) {
			const struct format_field *a = &real.fields[k];
			const struct format_field *b = &ours.fields[k];

			ck_assert_str_eq(a->name, b->name);
			ck_assert_msg(a->offset == b->offset && a->size == b->size &&
					      a->is_signed == b->is_signed &&
					      a->is_array == b->is_array,
				      "%s.%s differs", real.name, a->name);
		}
		for (k = 0; k < ours.nr_symbols; k++) {
			const struct format_symbol *symbol = &ours.symbols[k];
			const char *name;

			name = format_symbol(&real, &real.fields[symbol->field],
					     symbol->value);
			ck_assert_msg(name && !strcmp(name, symbol->name),
				      "%s.%s: %s", ours.name,
				      ours.fields[symbol->field].name, symbol->name);
		}
		format_release(&real);
		format_release(&ours);
		nr_compared++;
	}
	container_release(&c);
	gen_free(gen);
	return nr_compared;
}

START_TEST(test_real_formats)
{
	/* all of lru_gen, and ftrace:print */
	ck_assert_uint_ge(compare_real_formats("tests/traces/chain.dat"), EV_HITSHIELD - EV_ADD + 2);
	/* all others, and ftrace:print */
	ck_assert_uint_ge(compare_real_formats("tests/traces/stock.dat"), EV_LOST - EV_MARKER);
}
END_TEST

/* --- missing things ------------------------------------------------------------ */

static const char *write_history(struct gen_opts *opts, unsigned nr)
{
	const char *path = tmp_path();
	struct gen *gen = gen_new(opts);
	struct history history;
	unsigned i;

	history_init(&history, 1, 50, 2, 1000, 100);
	for (i = 0; i < nr; i++) {
		struct event ev;

		history_next(&history, &ev);
		if (gen_event_id(gen, ev.kind) >= 0)
			gen_event(gen_cpu(gen, 0, ev.cpu), &ev);
	}
	history_release(&history);
	gen_write(gen, path);
	gen_free(gen);
	return path;
}

START_TEST(test_missing_required_field)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts tolerant = { .tolerate_formats = true };
	struct reader *reader;
	struct readback rb;
	struct diag diag;
	const char *path;

	opts.drop_field = "mm_lru_gen_add.pfn";
	path = write_history(&opts, 500);
	ck_assert_int_eq(reader_open(&reader, path, NULL, &diag),
			 -ERR_MISSING_FIELD);
	ck_assert_ptr_nonnull(strstr(diag.text, path));
	ck_assert_ptr_nonnull(strstr(diag.text, "mm_lru_gen_add"));
	ck_assert_ptr_nonnull(strstr(diag.text, "'pfn'"));
	ck_assert_ptr_nonnull(strstr(diag.text, "6.12.117"));

	/* check goes on without the event */
	readback_file(&rb, path, &tolerant);
	ck_assert_int_eq(rb.err, 0);
	ck_assert(!reader_has_event(rb.reader, EV_ADD));
	ck_assert(reader_has_event(rb.reader, EV_DEL));
	ck_assert_ptr_nonnull(readback_problem(&rb, ERR_MISSING_FIELD));
	ck_assert_uint_eq(rb.totals->nr_by_kind[EV_ADD], 0);
	ck_assert_uint_gt(rb.totals->nr_other, 0);
	ck_assert_uint_gt(rb.totals->nr_by_kind[EV_DEL], 0);
	ck_assert_uint_eq(rb.totals->nr_records, 500);
	readback_release(&rb);
}
END_TEST

START_TEST(test_missing_optional_field)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct readback rb;
	unsigned pos = 0;

	opts.drop_field = "mm_lru_gen_add.tier_idx";
	readback_file(&rb, write_history(&opts, 500), NULL);
	ck_assert_int_eq(rb.err, 0);
	ck_assert(!reader_has_field(rb.reader, EV_ADD, "tier_idx"));
	ck_assert(reader_has_field(rb.reader, EV_ADD, "tier"));
	ck_assert(reader_has_field(rb.reader, EV_DEL, "tier_idx"));
	ck_assert(!reader_has_field(rb.reader, EV_ADD, "nonsense"));
	ck_assert_str_eq(reader_missing_field(rb.reader, EV_ADD, &pos), "tier_idx");
	ck_assert_ptr_null(reader_missing_field(rb.reader, EV_ADD, &pos));
	ck_assert_int_eq(rb.events[0].kind, EV_ADD);
	ck_assert_int_eq(rb.events[0].tier_idx, -1);
	readback_release(&rb);
}
END_TEST

START_TEST(test_missing_event)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct readback rb;

	opts.drop_event = _i ? "lru_gen" : "mm_lru_gen_move";
	readback_file(&rb, write_history(&opts, 500), NULL);
	ck_assert_int_eq(rb.err, 0);
	ck_assert(!reader_has_event(rb.reader, EV_MOVE));
	ck_assert_int_eq(reader_has_event(rb.reader, EV_ADD), !_i);
	ck_assert(!reader_has_field(rb.reader, EV_MOVE, "pfn"));
	ck_assert_ptr_null(reader_symbol(rb.reader, EV_MOVE, "site", 0));
	readback_release(&rb);
}
END_TEST

/* One bad format must not hide the others. */
START_TEST(test_corrupt_format)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct reader_opts tolerant = { .tolerate_formats = true };
	struct reader *reader;
	struct readback rb;
	struct diag diag;
	const char *path;

	opts.corrupt_event = "mm_lru_gen_add";
	path = write_history(&opts, 500);
	ck_assert_int_lt(reader_open(&reader, path, NULL, &diag), 0);
	ck_assert_ptr_nonnull(strstr(diag.text, "mm_lru_gen_add"));
	readback_file(&rb, path, &tolerant);
	ck_assert_int_eq(rb.err, 0);
	ck_assert(!reader_has_event(rb.reader, EV_ADD));
	ck_assert_uint_gt(rb.totals->nr_by_kind[EV_DEL], 0);
	readback_release(&rb);
}
END_TEST

/* --- names of values ---------------------------------------------------------- */

START_TEST(test_reader_symbol)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	struct readback rb;

	opts.symbol_shift = 30;
	readback_file(&rb, write_history(&opts, 100), NULL);
	ck_assert_str_eq(reader_symbol(rb.reader, EV_ADD, "site",
				       30 + SITE_LRU_ADD), "lru_add");
	ck_assert_ptr_null(reader_symbol(rb.reader, EV_ADD, "site", SITE_LRU_ADD));
	ck_assert_ptr_null(reader_symbol(rb.reader, EV_ADD, "site", -1));
	ck_assert_ptr_null(reader_symbol(rb.reader, EV_ADD, "pfn", 0));
	ck_assert_ptr_null(reader_symbol(rb.reader, EV_ADD, "nonsense", 0));
	ck_assert_ptr_null(reader_symbol(rb.reader, EV_NONE, "site", 0));
	readback_release(&rb);
}
END_TEST

START_TEST(test_map)
{
	static const char *const names[] = { "lru_add", NULL, "never printed" };
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = write_history(&opts, 100);
	struct reader *reader;
	struct event ev;
	uint8_t map[256];

	ck_assert_int_eq(reader_open(&reader, path, NULL, NULL), 0);
	ck_assert_int_eq(reader_map_symbols(reader, EV_ADD, "site", names, 3, map),
			 SITE_NR - 1);
	ck_assert_uint_eq(map[SITE_LRU_ADD], 0);
	ck_assert_uint_eq(map[SITE_OTHER], READER_NO_SYMBOL);
	ck_assert_uint_eq(map[255], READER_NO_SYMBOL);
	ck_assert_int_eq(reader_map_symbols(reader, EV_ADD, "zone", names, 3, NULL),
			 -ERR_NOT_FOUND);
	ck_assert_int_eq(reader_map_symbols(reader, EV_ADD, "pfn", names, 3, NULL),
			 -ERR_BUG);
	ck_assert_int_eq(reader_map_symbols(reader, EV_ADD, "gone", names, 3, NULL),
			 -ERR_NOT_FOUND);
	ck_assert_int_eq(reader_next(reader, &ev), 1);
	ck_assert_int_eq(ev.kind, EV_ADD);
	ck_assert_uint_eq(ev.site, 0);
	ck_assert_int_eq(reader_map_symbols(reader, EV_ADD, "site", names, 3, map),
			 -ERR_BUG);
	reader_close(reader);
}
END_TEST

/* --- records -------------------------------------------------------------------- */

START_TEST(test_short_record)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct event ev = { .kind = EV_ADD, .ts_ns = 1000, .pfn = 1 };
	const struct reader_problem *problem;
	uint8_t raw[256];
	struct readback rb;
	struct gen *gen = gen_new(&opts);
	struct gen_cpu *cpu = gen_cpu(gen, 0, 0);
	uint32_t len = gen_encode(gen, &ev, raw), i;

	gen_record(cpu, 1000, raw, len);
	for (i = 0; i < len; i += 4)
		gen_record(cpu, 1001, raw, i);
	gen_record(cpu, 1002, raw, len + 8);	/* padding is allowed */
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 2);
	ck_assert_uint_eq(rb.totals->nr_bad_record, len / 4);
	ck_assert_uint_eq(rb.totals->nr_by_kind[EV_ADD], 2);
	problem = readback_problem(&rb, ERR_BAD_RECORD);
	ck_assert_ptr_nonnull(problem);
	ck_assert_int_eq(problem->cpu, 0);
	ck_assert_uint_eq(problem->nr, len / 4);
	readback_release(&rb);
}
END_TEST

START_TEST(test_unknown_id)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	uint8_t raw[16] = { 0x39, 0x30 };	/* 12345 */
	const struct reader_problem *problem;
	struct readback rb;
	struct gen *gen = gen_new(&opts);

	gen_record(gen_cpu(gen, 0, 0), 1000, raw, sizeof(raw));
	raw[0] = gen_other_id(gen);
	raw[1] = 0;
	gen_record(gen_cpu(gen, 0, 0), 1001, raw, sizeof(raw));
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_int_eq(rb.err, 0);
	ck_assert_uint_eq(rb.nr, 0);
	ck_assert_uint_eq(rb.totals->nr_unknown_id, 1);
	ck_assert_uint_eq(rb.totals->nr_other, 1);
	problem = readback_problem(&rb, ERR_UNKNOWN_EVENT);
	ck_assert_ptr_nonnull(problem);
	ck_assert_ptr_nonnull(strstr(problem->text, "12345"));
	readback_release(&rb);
}
END_TEST

START_TEST(test_markers)
{
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	const char *path = tmp_path();
	struct readback rb;
	struct gen *gen = gen_new(&opts);
	char text[3000];
	unsigned i;

	for (i = 0; i < 200; i++) {
		struct event ev = { .kind = EV_MARKER, .ts_ns = 1000 + i, .pid = i };

		memset(text, 'a' + i % 26, sizeof(text));
		ev.u.marker.text = text;
		ev.u.marker.len_bytes = i * 13;
		gen_event(gen_cpu(gen, 0, i % 3), &ev);
	}
	gen_write(gen, path);
	gen_free(gen);
	readback_file(&rb, path, NULL);
	ck_assert_uint_eq(rb.nr, 200);
	for (i = 0; i < 200; i++) {
		const struct event *ev = &rb.events[i];

		ck_assert_int_eq(ev->pid, i);
		ck_assert_uint_eq(ev->u.marker.len_bytes, i * 13);
		memset(text, 'a' + i % 26, sizeof(text));
		ck_assert_mem_eq(ev->u.marker.text, text, i * 13);
	}
	readback_release(&rb);
}
END_TEST

Suite *decode_suite(void)
{
	Suite *suite = suite_create("decode");
	TCase *tc = tcase_create("format");

	tcase_add_test(tc, test_format);
	tcase_add_test(tc, test_symbols);
	tcase_add_loop_test(tc, test_bad_format, 0, NR_BAD_FORMATS);
	tcase_add_test(tc, test_format_mutations);
	tcase_add_test(tc, test_format_depth);
	tcase_add_test(tc, test_format_limits);
	tcase_add_loop_test(tc, test_int, 0, sizeof(ints) / sizeof(ints[0]));
	tcase_set_timeout(tc, 60);
	suite_add_tcase(suite, tc);

	tc = tcase_create("values");
	tcase_add_loop_test(tc, test_every_kind, 0, NR_LAYOUTS);
	tcase_add_test(tc, test_saturation);
	tcase_add_loop_test(tc, test_no_pfn, 0, 2);
	tcase_add_test(tc, test_real_formats);
	suite_add_tcase(suite, tc);

	tc = tcase_create("missing");
	tcase_add_test(tc, test_missing_required_field);
	tcase_add_test(tc, test_missing_optional_field);
	tcase_add_loop_test(tc, test_missing_event, 0, 2);
	tcase_add_test(tc, test_corrupt_format);
	suite_add_tcase(suite, tc);

	tc = tcase_create("names");
	tcase_add_test(tc, test_reader_symbol);
	tcase_add_test(tc, test_map);
	suite_add_tcase(suite, tc);

	tc = tcase_create("records");
	tcase_add_test(tc, test_short_record);
	tcase_add_test(tc, test_unknown_id);
	tcase_add_test(tc, test_markers);
	suite_add_tcase(suite, tc);
	return suite;
}
