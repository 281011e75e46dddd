// SPDX-License-Identifier: GPL-2.0-only
#include "gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "analyzer/abi.h"

#define SPOOL_BYTES	(256u << 10)
#define MAX_FIELDS	32
#define OTHER_ID	77
#define FIRST_ID	300

static void __attribute__((noreturn, format(printf, 1, 2)))
gen_die(const char *fmt, ...)
{
	va_list ap;

	fputs("gen: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void *gen_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		gen_die("out of memory");
	return p;
}

/* --- bytes in the file's order -------------------------------------------- */

struct out {
	uint8_t *data;
	size_t len, alloc;
	bool big_endian;
};

static void out_reserve(struct out *out, size_t len)
{
	if (len <= out->alloc - out->len)
		return;
	out->alloc = 2 * out->alloc + len + 64;
	out->data = realloc(out->data, out->alloc);
	if (!out->data)
		gen_die("out of memory");
}

static void out_bytes(struct out *out, const void *data, size_t len)
{
	out_reserve(out, len);
	if (len)
		memcpy(out->data + out->len, data, len);
	out->len += len;
}

static void store(uint8_t *p, uint64_t v, unsigned size, bool big_endian)
{
	unsigned i;

	for (i = 0; i < size; i++)
		p[i] = v >> 8 * (big_endian ? size - 1 - i : i);
}

static void out_int(struct out *out, uint64_t v, unsigned size)
{
	uint8_t raw[8];

	store(raw, v, size, out->big_endian);
	out_bytes(out, raw, size);
}

static void out_str(struct out *out, const char *s)
{
	out_bytes(out, s, strlen(s) + 1);
}

static void __attribute__((format(printf, 2, 3)))
out_printf(struct out *out, const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (len < 0 || (size_t)len >= sizeof(text))
		gen_die("text too long");
	out_bytes(out, text, len);
}

/* --- spool: append-only bytes, on disk when long -------------------------- */

struct spool {
	struct out mem;
	FILE *file;
	uint64_t len;
};

static void spool_bytes(struct spool *spool, const void *data, size_t len)
{
	spool->len += len;
	if (!spool->file && spool->mem.len + len <= SPOOL_BYTES) {
		out_bytes(&spool->mem, data, len);
		return;
	}
	if (!spool->file) {
		spool->file = tmpfile();
		if (!spool->file)
			gen_die("no temporary file: %s", strerror(errno));
		if (fwrite(spool->mem.data, 1, spool->mem.len, spool->file) !=
		    spool->mem.len)
			gen_die("temporary file: %s", strerror(errno));
		free(spool->mem.data);
		memset(&spool->mem, 0, sizeof(spool->mem));
	}
	if (fwrite(data, 1, len, spool->file) != len)
		gen_die("temporary file: %s", strerror(errno));
}

static void spool_copy(struct spool *spool, FILE *to)
{
	static uint8_t buf[1 << 16];
	size_t n;

	if (!spool->file) {
		if (spool->mem.len &&
		    fwrite(spool->mem.data, 1, spool->mem.len, to) != spool->mem.len)
			gen_die("write error: %s", strerror(errno));
		return;
	}
	rewind(spool->file);
	while ((n = fread(buf, 1, sizeof(buf), spool->file)))
		if (fwrite(buf, 1, n, to) != n)
			gen_die("write error: %s", strerror(errno));
}

static void spool_release(struct spool *spool)
{
	if (spool->file)
		fclose(spool->file);
	free(spool->mem.data);
}

/* --- formats --------------------------------------------------------------- */

/* Fields in the kernel's order; "long" has the size of the kernel's. */
#define FOLIO "u64 pfn;u64 memcg;u32 max_seq;s16 nid;u8 order;u8 type;u8 zone;" \
	"s8 old_gen;s8 new_gen;u8 refs;u8 tier;s8 tier_idx;u8 site;u8 flags"
#define PAGE "u64 pfn;u64 memcg;u64 token;u64 ino;u64 index;u32 dev;s16 nid;" \
	"u8 order;u8 type;u8 backing;u8 refs;u8 tier"
#define LRUVEC "u64 memcg;u64 max_seq;u64 min_seq_anon;u64 min_seq_file;" \
	"u32 memcg_id;s16 nid;u8 nr_gens;"

#define CACHE "long pfn;long i_ino;long index;u32 s_dev;u8 order"

static const char *const kind_text[EV_NR] = {
	[EV_ADD] = FOLIO,
	[EV_DEL] = FOLIO,
	[EV_UPDATE] = FOLIO,
	[EV_MOVE] = FOLIO,
	[EV_SPLIT] = "u64 pfn;u64 memcg;u32 max_seq;s16 nid;u8 order;u8 new_order;"
		     "u8 type;u8 zone;s8 gen;u8 refs;u8 on_lru;u8 flags;u16 site",
	[EV_MIGRATE] = "u64 pfn;u64 new_pfn;u64 memcg;s16 nid;s16 new_nid;"
		       "u8 order;u8 type;u8 refs;u8 flags",
	[EV_MAX_SEQ] = LRUVEC "u8 flags",
	[EV_MIN_SEQ] = "u64 memcg;u64 max_seq;u64 old_seq;u64 new_seq;u64 nr_pages;"
		       "s32 nid;u8 type;u8 nr_gens;u8 site;u8 relabel",
	[EV_STATE] = LRUVEC "u8 state",
	[EV_SPLICE] = "u64 memcg;u64 new_memcg;u64 max_seq;u64 new_max_seq;"
		      "u64 first_pfn;u64 last_pfn;u32 nr_folios;s16 nid;u8 type;"
		      "u8 zone;s8 old_gen;s8 new_gen;u8 site;u8 tail",
	[EV_SCAN] = "u64 memcg;u64 max_seq;u32 nr_scanned;u32 nr_isolated;"
		    "u32 nr_sorted;u32 nr_skipped;s16 nid;u8 type;s8 gen;"
		    "s8 tier_idx;u8 reclaim_idx;u8 reclaimer;u8 memcg_reclaim",
	[EV_RECLAIM] = "u64 pfn;u64 memcg;s16 nid;u8 order;u8 type;u8 refs;"
		       "u8 outcome;u8 reason;u8 flags",
	[EV_LAZYFREE] = "u64 pfn;u64 memcg;s16 nid;u8 order;u8 type;u8 zone;"
			"u8 stage;u8 refs;u8 flags",
	[EV_EVICT] = PAGE,
	[EV_REFAULT] = PAGE ";u8 recent;u8 counted;u8 restored;u8 in_fault",
	[EV_SWAPIN] = "u64 pfn;u64 memcg;u64 index;s16 nid;u8 order;u8 type",
	[EV_HITSHIELD] = "u64 pfn;u64 memcg;u32 max_seq;s16 nid;u8 order;u8 type;"
			 "s8 old_gen;s8 new_gen;u8 old_count;u8 new_count;"
			 "u8 shield;u8 cause;u8 site;u8 flags",
	[EV_MARKER] = "long ip;text buf",
	[EV_PAGE_FREE] = "long pfn;u32 order",
	[EV_PAGE_ALLOC] = "long pfn;u32 order;long gfp_flags;s32 migratetype",
	[EV_LRU_INSERTION] = "long folio;long pfn;u32 lru;long flags",
	[EV_LRU_ACTIVATE] = "long folio;long pfn",
	[EV_CACHE_ADD] = CACHE,
	[EV_CACHE_DELETE] = CACHE,
	[EV_LRU_ISOLATE] = "s32 highest_zoneidx;s32 order;long nr_requested;"
			   "long nr_scanned;long nr_skipped;long nr_taken;s32 lru",
	[EV_LRU_SHRINK] = "s32 nid;long nr_scanned;long nr_reclaimed;long nr_dirty;"
			  "long nr_writeback;long nr_congested;long nr_immediate;"
			  "u32 nr_activate0;u32 nr_activate1;long nr_ref_keep;"
			  "long nr_unmap_fail;s32 priority;s32 reclaim_flags",
};

#define AT(member) offsetof(struct event, member), sizeof(((struct event *)0)->member)

/* Where the value of a field is in struct event; @kind EV_NONE: in every kind. */
static const struct {
	const char *name;
	enum ev_kind kind;
	uint16_t offset;
	uint8_t size;
} members[] = {
	{ "max_seq", EV_MAX_SEQ, AT(u.lruvec.max_seq) },
	{ "max_seq", EV_STATE, AT(u.lruvec.max_seq) },
	{ "max_seq", EV_MIN_SEQ, AT(u.min_seq.max_seq) },
	{ "max_seq", EV_SPLICE, AT(u.splice.max_seq) },
	{ "max_seq", EV_SCAN, AT(u.scan.max_seq) },
	{ "nr_gens", EV_MIN_SEQ, AT(u.min_seq.nr_gens) },
	{ "gen", EV_SCAN, AT(old_gen) },
	{ "flags", EV_LRU_INSERTION, AT(u.insertion.flags) },
	{ "lru", EV_LRU_INSERTION, AT(u.insertion.lru) },
	{ "nr_scanned", EV_LRU_ISOLATE, AT(u.isolate.nr_scanned) },
	{ "nr_skipped", EV_LRU_ISOLATE, AT(u.isolate.nr_skipped) },
	{ "nr_scanned", EV_LRU_SHRINK, AT(u.shrink.nr_scanned) },
	{ "index", EV_NONE, AT(u.page.index) },
	{ "pfn", EV_NONE, AT(pfn) },
	{ "memcg", EV_NONE, AT(memcg) },
	{ "max_seq", EV_NONE, AT(max_seq) },
	{ "nid", EV_NONE, AT(nid) },
	{ "order", EV_NONE, AT(order) },
	{ "type", EV_NONE, AT(type) },
	{ "zone", EV_NONE, AT(zone) },
	{ "old_gen", EV_NONE, AT(old_gen) },
	{ "new_gen", EV_NONE, AT(new_gen) },
	{ "gen", EV_NONE, AT(new_gen) },
	{ "refs", EV_NONE, AT(refs) },
	{ "tier", EV_NONE, AT(tier) },
	{ "tier_idx", EV_NONE, AT(tier_idx) },
	{ "site", EV_NONE, AT(site) },
	{ "flags", EV_NONE, AT(flags) },
	{ "new_order", EV_NONE, AT(u.split.new_order) },
	{ "on_lru", EV_NONE, AT(u.split.on_lru) },
	{ "new_pfn", EV_NONE, AT(u.migrate.new_pfn) },
	{ "new_nid", EV_NONE, AT(u.migrate.new_nid) },
	{ "min_seq_anon", EV_NONE, AT(u.lruvec.min_seq[0]) },
	{ "min_seq_file", EV_NONE, AT(u.lruvec.min_seq[1]) },
	{ "memcg_id", EV_NONE, AT(u.lruvec.memcg_id) },
	{ "nr_gens", EV_NONE, AT(u.lruvec.nr_gens) },
	{ "state", EV_NONE, AT(u.lruvec.state) },
	{ "old_seq", EV_NONE, AT(u.min_seq.old_seq) },
	{ "new_seq", EV_NONE, AT(u.min_seq.new_seq) },
	{ "nr_pages", EV_NONE, AT(u.min_seq.nr_pages) },
	{ "relabel", EV_NONE, AT(u.min_seq.relabel) },
	{ "new_memcg", EV_NONE, AT(u.splice.new_memcg) },
	{ "new_max_seq", EV_NONE, AT(u.splice.new_max_seq) },
	{ "first_pfn", EV_NONE, AT(pfn) },
	{ "last_pfn", EV_NONE, AT(u.splice.last_pfn) },
	{ "nr_folios", EV_NONE, AT(u.splice.nr_folios) },
	{ "tail", EV_NONE, AT(u.splice.tail) },
	{ "nr_scanned", EV_NONE, AT(u.scan.nr_scanned) },
	{ "nr_isolated", EV_NONE, AT(u.scan.nr_isolated) },
	{ "nr_sorted", EV_NONE, AT(u.scan.nr_sorted) },
	{ "nr_skipped", EV_NONE, AT(u.scan.nr_skipped) },
	{ "reclaim_idx", EV_NONE, AT(u.scan.reclaim_idx) },
	{ "reclaimer", EV_NONE, AT(u.scan.reclaimer) },
	{ "memcg_reclaim", EV_NONE, AT(u.scan.memcg_reclaim) },
	{ "outcome", EV_NONE, AT(u.reclaim.outcome) },
	{ "reason", EV_NONE, AT(u.reclaim.reason) },
	{ "stage", EV_NONE, AT(u.lazyfree.stage) },
	{ "token", EV_NONE, AT(u.page.token) },
	{ "ino", EV_NONE, AT(u.page.ino) },
	{ "dev", EV_NONE, AT(u.page.dev) },
	{ "backing", EV_NONE, AT(u.page.backing) },
	{ "recent", EV_NONE, AT(u.page.recent) },
	{ "counted", EV_NONE, AT(u.page.counted) },
	{ "restored", EV_NONE, AT(u.page.restored) },
	{ "in_fault", EV_NONE, AT(u.page.in_fault) },
	{ "old_count", EV_NONE, AT(u.hitshield.old_count) },
	{ "new_count", EV_NONE, AT(u.hitshield.new_count) },
	{ "shield", EV_NONE, AT(u.hitshield.shield) },
	{ "cause", EV_NONE, AT(u.hitshield.cause) },
	{ "ip", EV_NONE, AT(u.marker.ip) },
	{ "gfp_flags", EV_NONE, AT(u.alloc.gfp_flags) },
	{ "migratetype", EV_NONE, AT(u.alloc.migratetype) },
	{ "i_ino", EV_NONE, AT(u.page.ino) },
	{ "s_dev", EV_NONE, AT(u.page.dev) },
	{ "highest_zoneidx", EV_NONE, AT(u.isolate.highest_zoneidx) },
	{ "nr_requested", EV_NONE, AT(u.isolate.nr_requested) },
	{ "nr_taken", EV_NONE, AT(u.isolate.nr_taken) },
	{ "lru", EV_NONE, AT(u.isolate.lru) },
	{ "nr_reclaimed", EV_NONE, AT(u.shrink.nr_reclaimed) },
	{ "nr_dirty", EV_NONE, AT(u.shrink.nr_dirty) },
	{ "nr_writeback", EV_NONE, AT(u.shrink.nr_writeback) },
	{ "nr_immediate", EV_NONE, AT(u.shrink.nr_immediate) },
	{ "nr_activate0", EV_NONE, AT(u.shrink.nr_activated[0]) },
	{ "nr_activate1", EV_NONE, AT(u.shrink.nr_activated[1]) },
	{ "nr_ref_keep", EV_NONE, AT(u.shrink.nr_ref_keep) },
	{ "nr_unmap_fail", EV_NONE, AT(u.shrink.nr_unmap_fail) },
	{ "priority", EV_NONE, AT(u.shrink.priority) },
	{ "reclaim_flags", EV_NONE, AT(u.shrink.reclaim_flags) },
};

#define X(name, text) text,
static const char *const site_names[] = { SITE_LIST(X) NULL };
static const char *const state_names[] = { STATE_LIST(X) NULL };
static const char *const outcome_names[] = { OUTCOME_LIST(X) NULL };
static const char *const reason_names[] = { REASON_LIST(X) NULL };
static const char *const stage_names[] = { LAZYFREE_LIST(X) NULL };
static const char *const backing_names[] = { BACKING_LIST(X) NULL };
static const char *const cause_names[] = { HITSHIELD_LIST(X) NULL };
#undef X

static const struct {
	const char *field;
	const char *const *names;
} symbol_tables[] = {
	{ "site", site_names },
	{ "state", state_names },
	{ "outcome", outcome_names },
	{ "reason", reason_names },
	{ "stage", stage_names },
	{ "backing", backing_names },
	{ "cause", cause_names },
};

struct gen_field {
	char name[24];
	char type[24];
	unsigned size, offset;
	bool is_signed, is_text, is_dropped, is_extra;
	const char *const *symbols;
	int member;		/* in members[], -1: none */
};

struct gen_format {
	int id;			/* -1: not described */
	unsigned nr;
	struct gen_field fields[MAX_FIELDS];
	uint32_t len;		/* of a record, without a marker's text */
	char *text;
	size_t text_len;
};

struct gen_cpu {
	struct gen *gen;
	struct gen_buffer *buffer;
	unsigned cpu;
	struct spool spool;		/* pages, or chunks */
	uint8_t *page;
	uint32_t used;			/* of the page's data */
	bool has_page;
	uint64_t page_ts, last_ts;
	bool has_lost;
	int64_t nr_lost;
	uint8_t *chunk;			/* pages waiting to be compressed */
	uint32_t nr_chunk_pages;
	uint64_t *chunk_offsets;	/* first in the spool, then in the file */
	uint32_t nr_chunks, nr_chunks_alloc;
	uint64_t overrun, dropped, nr_events;
	uint64_t file_offset, file_size;
	struct gen_cpu *next;
};

struct gen_buffer {
	char *name, *clock;
	uint32_t page_bytes, stated_page_bytes;
	struct gen_cpu *cpus;		/* by number */
	struct gen_buffer *next;
	uint64_t section;
};

struct gen {
	struct gen_opts opts;
	uint32_t header_bytes;		/* of a page */
	bool is_compressed;
	struct gen_format formats[EV_NR];
	struct gen_buffer *buffers;
	unsigned nr_buffers;
	struct gen_map map;
	ZSTD_CCtx *cctx;
	struct out packed;
};

static int find_member(enum ev_kind kind, const char *name)
{
	unsigned i;

	for (i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		if (!strcmp(members[i].name, name) &&
		    (members[i].kind == EV_NONE || members[i].kind == kind))
			return i;
	return -1;
}

static void format_add_field(struct gen *gen, struct gen_format *format,
			     enum ev_kind kind, const char *type, const char *name)
{
	struct gen_field *field = &format->fields[format->nr++];
	bool is_lru_gen = kind >= EV_ADD && kind <= EV_HITSHIELD;
	unsigned i;

	if (format->nr > MAX_FIELDS)
		gen_die("too many fields");
	memset(field, 0, sizeof(*field));
	snprintf(field->name, sizeof(field->name), "%s", name);
	if (!strcmp(type, "long")) {
		strcpy(field->type, "unsigned long");
		field->size = gen->opts.kernel_long_bytes;
	} else if (!strcmp(type, "text")) {
		strcpy(field->type, "char");
		field->is_text = true;
	} else {
		field->size = atoi(type + 1) / 8;
		field->is_signed = type[0] == 's';
		if ((gen->opts.quirks & GEN_WIDE_FIELDS) && is_lru_gen &&
		    field->size < 4)
			field->size = 4;
		snprintf(field->type, sizeof(field->type), "%c%u", type[0],
			 8 * field->size);
	}
	field->member = find_member(kind, name);
	field->is_extra = field->member < 0 && !field->is_text;
	for (i = 0; i < sizeof(symbol_tables) / sizeof(symbol_tables[0]); i++)
		if (is_lru_gen && !strcmp(symbol_tables[i].field, name))
			field->symbols = symbol_tables[i].names;
}

static void format_parse_fields(struct gen *gen, struct gen_format *format,
				enum ev_kind kind)
{
	char *text = strdup(kind_text[kind]), *save = NULL, *item;
	bool is_lru_gen = kind >= EV_ADD && kind <= EV_HITSHIELD;
	unsigned i, offset = 8;

	for (item = strtok_r(text, ";", &save); item;
	     item = strtok_r(NULL, ";", &save)) {
		char *name = strchr(item, ' ');

		*name++ = '\0';
		if ((gen->opts.quirks & GEN_EXTRA_FIELDS) && is_lru_gen &&
		    format->nr % 3 == 1) {
			char extra[24];

			snprintf(extra, sizeof(extra), "later_%u", format->nr);
			format_add_field(gen, format, EV_NONE, "u16", extra);
		}
		format_add_field(gen, format, kind, item, name);
	}
	free(text);
	if ((gen->opts.quirks & GEN_REVERSED_FIELDS) && is_lru_gen) {
		for (i = 0; i < format->nr / 2; i++) {
			struct gen_field tmp = format->fields[i];

			format->fields[i] = format->fields[format->nr - 1 - i];
			format->fields[format->nr - 1 - i] = tmp;
		}
	}
	for (i = 0; i < format->nr; i++) {
		struct gen_field *field = &format->fields[i];

		if (field->size)
			offset = (offset + field->size - 1) / field->size * field->size;
		field->offset = offset;
		offset += field->size;
	}
	format->len = offset;
}

static void out_common_fields(struct out *out)
{
	out_printf(out, "format:\n"
		   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
}

static void format_print(struct gen *gen, struct gen_format *format,
			 const char *name)
{
	struct out out = { 0 };
	unsigned i, k;

	out_printf(&out, "name: %s\nID: %d\n", name, format->id);
	out_common_fields(&out);
	for (i = 0; i < format->nr; i++) {
		struct gen_field *field = &format->fields[i];
		char full[80];

		snprintf(full, sizeof(full), "%s.%s", name, field->name);
		if (gen->opts.drop_field && !strcmp(full, gen->opts.drop_field)) {
			field->is_dropped = true;
			continue;
		}
		out_printf(&out, "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			   field->type, field->name, field->is_text ? "[]" : "",
			   field->offset, field->size, field->is_signed);
	}
	if (format->fields[0].is_text || !strcmp(name, "print")) {
		out_printf(&out, "\nprint fmt: \"%%ps: %%s\", (void *)REC->ip, REC->buf\n");
	} else {
		const char *sep = "";

		out_printf(&out, "\nprint fmt: \"");
		for (i = 0; i < format->nr; i++) {
			const struct gen_field *field = &format->fields[i];

			if (field->is_dropped)
				continue;
			out_printf(&out, "%s%s=%s", sep, field->name,
				   field->symbols ? "%s" :
				   field->size == 8 ? "%llu" :
				   field->is_signed ? "%d" : "%u");
			sep = " ";
		}
		out_printf(&out, "\"");
		for (i = 0; i < format->nr; i++) {
			const struct gen_field *field = &format->fields[i];

			if (field->is_dropped)
				continue;
			if (!field->symbols) {
				out_printf(&out, ", REC->%s", field->name);
				continue;
			}
			out_printf(&out, ", __print_symbolic(REC->%s", field->name);
			for (k = 0; field->symbols[k]; k++)
				out_printf(&out, ", { %u, \"%s\" }",
					   k + gen->opts.symbol_shift,
					   field->symbols[k]);
			out_printf(&out, ")");
		}
		out_printf(&out, "\n");
	}
	if (gen->opts.corrupt_event && !strcmp(gen->opts.corrupt_event, name))
		out.len = out.len / 3;
	format->text = (char *)out.data;
	format->text_len = out.len;
	out_bytes(&out, "", 1);
	format->text = (char *)out.data;
}

static bool is_dropped(const struct gen *gen, enum ev_kind kind)
{
	const char *drop = gen->opts.drop_event;

	return drop && (!strcmp(drop, event_kind_event(kind)) ||
			!strcmp(drop, event_kind_system(kind)));
}

struct gen *gen_new(const struct gen_opts *opts)
{
	struct gen *gen = gen_alloc(sizeof(*gen));
	unsigned kind;

	gen->opts = *opts;
	gen->is_compressed = opts->version >= 7 && strcmp(opts->codec, "none");
	gen->header_bytes = 8 + opts->kernel_long_bytes;
	for (kind = 0; kind < EV_NR; kind++) {
		struct gen_format *format = &gen->formats[kind];

		format->id = -1;
		if (!kind_text[kind])
			continue;
		format->id = kind == EV_MARKER ? 5 : FIRST_ID + (int)kind;
		format_parse_fields(gen, format, kind);
		format_print(gen, format, event_kind_event(kind));
		if (is_dropped(gen, kind))
			format->id = -1;
	}
	gen->packed.big_endian = opts->big_endian;
	gen_buffer(gen, "", opts->clock ? opts->clock : "local", 0, 0);
	return gen;
}

unsigned gen_buffer(struct gen *gen, const char *name, const char *clock,
		    uint32_t page_bytes, uint32_t stated_page_bytes)
{
	struct gen_buffer *buffer = gen_alloc(sizeof(*buffer)), **p;

	buffer->name = strdup(name);
	buffer->clock = strdup(clock);
	buffer->page_bytes = page_bytes ? page_bytes : gen->opts.page_bytes;
	buffer->stated_page_bytes = stated_page_bytes ? stated_page_bytes :
				    buffer->page_bytes;
	for (p = &gen->buffers; *p; p = &(*p)->next)
		;
	*p = buffer;
	return gen->nr_buffers++;
}

struct gen_cpu *gen_cpu(struct gen *gen, unsigned index, unsigned number)
{
	struct gen_buffer *buffer = gen->buffers;
	struct gen_cpu **p, *cpu;

	while (index--)
		buffer = buffer->next;
	for (p = &buffer->cpus; *p && (*p)->cpu < number; p = &(*p)->next)
		;
	if (*p && (*p)->cpu == number)
		return *p;
	cpu = gen_alloc(sizeof(*cpu));
	cpu->gen = gen;
	cpu->buffer = buffer;
	cpu->cpu = number;
	cpu->page = gen_alloc(buffer->page_bytes);
	if (gen->is_compressed)
		cpu->chunk = gen_alloc((size_t)buffer->page_bytes *
				       gen->opts.chunk_pages);
	cpu->next = *p;
	*p = cpu;
	return cpu;
}

void gen_free(struct gen *gen)
{
	unsigned kind;

	while (gen->buffers) {
		struct gen_buffer *buffer = gen->buffers;

		while (buffer->cpus) {
			struct gen_cpu *cpu = buffer->cpus;

			buffer->cpus = cpu->next;
			spool_release(&cpu->spool);
			free(cpu->page);
			free(cpu->chunk);
			free(cpu->chunk_offsets);
			free(cpu);
		}
		gen->buffers = buffer->next;
		free(buffer->name);
		free(buffer->clock);
		free(buffer);
	}
	for (kind = 0; kind < EV_NR; kind++)
		free(gen->formats[kind].text);
	free(gen->packed.data);
	ZSTD_freeCCtx(gen->cctx);
	free(gen);
}

/* --- pages and chunks ------------------------------------------------------ */

static size_t gen_compress(struct gen *gen, const void *data, size_t len)
{
	struct out *out = &gen->packed;
	size_t bound, got;

	out->len = 0;
	if (!strcmp(gen->opts.codec, "zlib")) {
		uLongf dest_len;

		bound = compressBound(len);
		out_reserve(out, bound);
		dest_len = bound;
		if (compress2(out->data, &dest_len, data, len, 9) != Z_OK)
			gen_die("zlib failed");
		return dest_len;
	}
	/* any other name gets zstd frames */
	bound = ZSTD_compressBound(len);
	out_reserve(out, bound);
	if (!gen->cctx) {
		gen->cctx = ZSTD_createCCtx();
		/* trace-cmd stores no content size */
		ZSTD_CCtx_setParameter(gen->cctx, ZSTD_c_contentSizeFlag, 0);
		ZSTD_CCtx_setParameter(gen->cctx, ZSTD_c_compressionLevel,
				       gen->opts.level ? gen->opts.level :
				       ZSTD_CLEVEL_DEFAULT);
	}
	got = ZSTD_compress2(gen->cctx, out->data, bound, data, len);
	if (ZSTD_isError(got))
		gen_die("zstd: %s", ZSTD_getErrorName(got));
	return got;
}

static void cpu_note_chunk(struct gen_cpu *cpu)
{
	if (cpu->nr_chunks == cpu->nr_chunks_alloc) {
		cpu->nr_chunks_alloc = 2 * cpu->nr_chunks_alloc + 16;
		cpu->chunk_offsets = realloc(cpu->chunk_offsets,
					     cpu->nr_chunks_alloc * sizeof(uint64_t));
		if (!cpu->chunk_offsets)
			gen_die("out of memory");
	}
	cpu->chunk_offsets[cpu->nr_chunks++] = cpu->spool.len;
}

void gen_chunk_end(struct gen_cpu *cpu)
{
	struct gen *gen = cpu->gen;
	size_t len = (size_t)cpu->nr_chunk_pages * cpu->buffer->page_bytes, zlen;
	uint8_t head[8];

	gen_page_end(cpu);
	len = (size_t)cpu->nr_chunk_pages * cpu->buffer->page_bytes;
	if (!gen->is_compressed || !cpu->nr_chunk_pages)
		return;
	zlen = gen_compress(gen, cpu->chunk, len);
	store(head, zlen, 4, gen->opts.big_endian);
	store(head + 4, len, 4, gen->opts.big_endian);
	cpu_note_chunk(cpu);
	spool_bytes(&cpu->spool, head, 8);
	spool_bytes(&cpu->spool, gen->packed.data, zlen);
	cpu->nr_chunk_pages = 0;
}

void gen_pages(struct gen_cpu *cpu, const void *pages, uint32_t nr)
{
	uint32_t page_bytes = cpu->buffer->page_bytes, i;

	gen_page_end(cpu);
	for (i = 0; i < nr; i++) {
		const uint8_t *page = (const uint8_t *)pages + i * page_bytes;

		if (!cpu->gen->is_compressed) {
			cpu_note_chunk(cpu);
			spool_bytes(&cpu->spool, page, page_bytes);
			continue;
		}
		memcpy(cpu->chunk + (size_t)cpu->nr_chunk_pages * page_bytes,
		       page, page_bytes);
		if (++cpu->nr_chunk_pages == cpu->gen->opts.chunk_pages)
			gen_chunk_end(cpu);
	}
}

void gen_page_end(struct gen_cpu *cpu)
{
	struct gen *gen = cpu->gen;
	bool big = gen->opts.big_endian;
	unsigned long_bytes = gen->opts.kernel_long_bytes;
	uint32_t room = cpu->buffer->page_bytes - gen->header_bytes;
	uint64_t commit = cpu->used;

	if (!cpu->has_page)
		return;
	memset(cpu->page + gen->header_bytes + cpu->used, 0, room - cpu->used);
	if (cpu->has_lost) {
		commit |= 1u << 31;
		if (cpu->nr_lost >= 0 && room - cpu->used >= long_bytes) {
			commit |= 1u << 30;
			store(cpu->page + gen->header_bytes + cpu->used,
			      cpu->nr_lost, long_bytes, big);
		}
	}
	store(cpu->page, cpu->page_ts, 8, big);
	store(cpu->page + 8, commit, long_bytes, big);
	cpu->has_page = false;
	cpu->has_lost = false;
	cpu->used = 0;
	gen_pages(cpu, cpu->page, 1);
}

static void page_begin(struct gen_cpu *cpu, uint64_t ts)
{
	if (cpu->has_page)
		return;
	cpu->has_page = true;
	cpu->page_ts = cpu->last_ts = ts;
	cpu->used = 0;
}

static uint32_t page_left(const struct gen_cpu *cpu)
{
	return cpu->buffer->page_bytes - cpu->gen->header_bytes - cpu->used;
}

void gen_word(struct gen_cpu *cpu, uint32_t word)
{
	page_begin(cpu, cpu->last_ts);
	store(cpu->page + cpu->gen->header_bytes + cpu->used, word, 4,
	      cpu->gen->opts.big_endian);
	cpu->used += 4;
}

static void put_head(struct gen_cpu *cpu, unsigned type, uint32_t delta)
{
	gen_word(cpu, cpu->gen->opts.big_endian ? type << 27 | delta :
		 delta << 5 | type);
}

/* Bytes that the time needs before a record, and that record's delta. */
static bool needs_stamp(const struct gen_cpu *cpu, uint64_t ts)
{
	return cpu->has_page && (ts < cpu->last_ts ||
				 ts - cpu->last_ts >= (1u << 27));
}

static uint32_t put_time(struct gen_cpu *cpu, uint64_t ts)
{
	uint64_t delta = ts - cpu->last_ts;

	if (ts < cpu->last_ts) {
		gen_timestamp(cpu, ts);
		return 0;
	}
	if (delta >= (1u << 27)) {
		put_head(cpu, 30, delta & ((1u << 27) - 1));
		gen_word(cpu, delta >> 27);
		delta = 0;
	}
	cpu->last_ts = ts;
	return delta;
}

void gen_timestamp(struct gen_cpu *cpu, uint64_t ts)
{
	uint64_t low = ts & ((UINT64_C(1) << 59) - 1);

	page_begin(cpu, ts);
	put_head(cpu, 31, low & ((1u << 27) - 1));
	gen_word(cpu, low >> 27);
	cpu->last_ts = ts;
}

void gen_record(struct gen_cpu *cpu, uint64_t ts, const void *data, uint32_t len)
{
	uint32_t padded = (len + 3) & ~3u, delta;
	bool is_long = padded > 112 || !padded;
	uint32_t total = 4 + padded + 4 * is_long;

	if (cpu->has_page && total + 8 * needs_stamp(cpu, ts) > page_left(cpu))
		gen_page_end(cpu);
	page_begin(cpu, ts);
	if (total > page_left(cpu))
		gen_die("record of %u bytes is too long for a page", len);
	delta = put_time(cpu, ts);
	put_head(cpu, is_long ? 0 : padded / 4, delta);
	if (is_long)
		gen_word(cpu, padded + 4);
	if (len)
		memcpy(cpu->page + cpu->gen->header_bytes + cpu->used, data, len);
	memset(cpu->page + cpu->gen->header_bytes + cpu->used + len, 0,
	       padded - len);
	cpu->used += padded;
	cpu->nr_events++;
}

void gen_discarded(struct gen_cpu *cpu, uint64_t ts, uint32_t len)
{
	uint32_t padded = (len + 3) & ~3u, delta;

	if (padded < 4)
		padded = 4;
	if (cpu->has_page && 4 + padded + 8 * needs_stamp(cpu, ts) > page_left(cpu))
		gen_page_end(cpu);
	page_begin(cpu, ts);
	/* the kernel makes a delta of 0 a 1, since 0 ends the page */
	if (ts == cpu->last_ts)
		ts++;
	delta = put_time(cpu, ts);
	put_head(cpu, 29, delta ? delta : 1);
	if (!delta)
		cpu->last_ts++;
	gen_word(cpu, padded);
	memset(cpu->page + cpu->gen->header_bytes + cpu->used, 0xee, padded - 4);
	cpu->used += padded - 4;
}

void gen_lost(struct gen_cpu *cpu, int64_t nr)
{
	gen_page_end(cpu);
	cpu->has_lost = true;
	cpu->nr_lost = nr;
}

/* --- events ------------------------------------------------------------------ */

static uint64_t load_member(const struct event *ev, int member, bool is_signed)
{
	const uint8_t *p = (const uint8_t *)ev + members[member].offset;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (members[member].size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:
		memcpy(&v16, p, 2);
		return is_signed ? (uint64_t)(int64_t)(int16_t)v16 : v16;
	case 4:
		memcpy(&v32, p, 4);
		return is_signed ? (uint64_t)(int64_t)(int32_t)v32 : v32;
	default:
		memcpy(&v64, p, 8);
		return v64;
	}
}

uint32_t gen_encode(const struct gen *gen, const struct event *ev, void *buf)
{
	const struct gen_format *format = &gen->formats[ev->kind];
	bool big = gen->opts.big_endian;
	uint8_t *p = buf;
	unsigned i;

	if (format->id < 0)
		gen_die("no event for kind %s", event_kind_name(ev->kind));
	memset(p, 0, format->len);
	store(p, format->id, 2, big);
	store(p + 4, (uint32_t)ev->pid, 4, big);
	for (i = 0; i < format->nr; i++) {
		const struct gen_field *field = &format->fields[i];
		uint64_t v = 0xa5a5;

		if (field->is_text)
			continue;
		if (!field->is_extra)
			v = load_member(ev, field->member, field->is_signed);
		if (field->symbols)
			v += gen->opts.symbol_shift;
		store(p + field->offset, v, field->size, big);
	}
	return format->len;
}

void gen_event(struct gen_cpu *cpu, const struct event *ev)
{
	uint8_t buf[4096];
	uint32_t len;

	if (ev->kind == EV_LOST) {
		gen_lost(cpu, ev->u.lost.nr_lost);
		return;
	}
	len = gen_encode(cpu->gen, ev, buf);
	if (ev->kind == EV_MARKER) {
		uint32_t room = sizeof(buf) - len - 1;
		uint32_t text_len = ev->u.marker.len_bytes < room ?
				    ev->u.marker.len_bytes : room;

		memcpy(buf + len, ev->u.marker.text, text_len);
		buf[len + text_len] = '\0';
		len += text_len + 1;
	}
	gen_record(cpu, ev->ts_ns, buf, len);
}

int gen_event_id(const struct gen *gen, enum ev_kind kind)
{
	return gen->formats[kind].id;
}

int gen_other_id(const struct gen *gen)
{
	(void)gen;
	return OTHER_ID;
}

void gen_stat(struct gen_cpu *cpu, uint64_t overrun, uint64_t dropped)
{
	cpu->overrun = overrun;
	cpu->dropped = dropped;
}

uint64_t gen_nr_events(const struct gen_cpu *cpu)
{
	return cpu->nr_events;
}

const char *gen_format_text(const struct gen *gen, enum ev_kind kind)
{
	return gen->formats[kind].text;
}

/* --- bodies ------------------------------------------------------------------- */

static void body_headers(struct gen *gen, struct out *out)
{
	struct out text = { 0 };
	unsigned l = gen->opts.kernel_long_bytes;

	out_printf(&text, "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		   "\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		   "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		   "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:1;\n",
		   l, 8 + l, gen->opts.page_bytes - 8 - l);
	out_str(out, "header_page");
	out_int(out, text.len, 8);
	out_bytes(out, text.data, text.len);
	text.len = 0;
	out_printf(&text, "# compressed entry header\n"
			  "\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
			  "\tarray       :   32 bits\n\n"
			  "\tpadding     : type == 29\n\ttime_extend : type == 30\n"
			  "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n");
	out_str(out, "header_event");
	out_int(out, text.len, 8);
	out_bytes(out, text.data, text.len);
	free(text.data);
}

static void body_format_text(const char *text, size_t len, struct out *out)
{
	out_int(out, len, 8);
	out_bytes(out, text, len);
}

static void body_format(const struct gen_format *format, struct out *out)
{
	body_format_text(format->text, format->text_len, out);
}

static void body_ftrace(struct gen *gen, struct out *out)
{
	const struct gen_format *format = &gen->formats[EV_MARKER];
	const char *more = gen->opts.ftrace_format;

	out_int(out, (format->id >= 0) + (more != NULL), 4);
	if (format->id >= 0)
		body_format(format, out);
	if (more)
		body_format_text(more, strlen(more), out);
}

static void body_odd(struct gen *gen, struct out *out)
{
	const char *const *odd = gen->opts.odd_formats;
	unsigned i, nr;

	for (nr = 0; odd[nr]; nr++)
		;
	out_str(out, "odd");
	out_int(out, nr, 4);
	for (i = 0; i < nr; i++)
		body_format_text(odd[i], strlen(odd[i]), out);
}

static void body_events(struct gen *gen, struct out *out)
{
	static const char *const systems[] = { "filemap", "kmem", "lru_gen", "pagemap", "vmscan" };
	const unsigned nr_systems = sizeof(systems) / sizeof(systems[0]);
	struct out text = { 0 };
	unsigned s, kind;

	out_int(out, nr_systems + 1 + (gen->opts.odd_formats != NULL), 4);
	if (gen->opts.odd_formats)
		body_odd(gen, out);
	out_str(out, "made_up");
	out_int(out, 1, 4);
	out_printf(&text, "name: made_up_event\nID: %d\n", OTHER_ID);
	out_common_fields(&text);
	out_printf(&text, "\tfield:int number;\toffset:8;\tsize:4;\tsigned:1;\n"
			  "\nprint fmt: \"number=%%d\", REC->number\n");
	out_int(out, text.len, 8);
	out_bytes(out, text.data, text.len);
	free(text.data);
	for (s = 0; s < nr_systems; s++) {
		unsigned n = 0;

		for (kind = 0; kind < EV_NR; kind++)
			n += gen->formats[kind].id >= 0 && kind != EV_MARKER &&
			     !strcmp(event_kind_system(kind), systems[s]);
		out_str(out, systems[s]);
		out_int(out, n, 4);
		for (kind = 0; kind < EV_NR; kind++)
			if (gen->formats[kind].id >= 0 && kind != EV_MARKER &&
			    !strcmp(event_kind_system(kind), systems[s]))
				body_format(&gen->formats[kind], out);
	}
}

static void body_text32(struct out *out, const char *text)
{
	out_int(out, strlen(text), 4);
	out_bytes(out, text, strlen(text));
}

static const char kallsyms_text[] =
	"ffffffff81000000 T _text\nffffffff81001000 T do_one\n";
static const char printk_text[] = "0xffffffff82000000 : \"made up %d\\n\"\n";
static const char cmdlines_text[] = "1 init\n42 worker\n43 kswapd0\n";

static void body_cmdlines(struct out *out)
{
	out_int(out, strlen(cmdlines_text), 8);
	out_bytes(out, cmdlines_text, strlen(cmdlines_text));
}

/* --- options -------------------------------------------------------------------- */

static void option(struct out *out, unsigned id, const void *data, size_t len)
{
	out_int(out, id, 2);
	out_int(out, len, 4);
	out_bytes(out, data, len);
}

static void option_str(struct gen *gen, struct out *out, unsigned id,
		       const char *text)
{
	option(out, id, text,
	       strlen(text) + !(gen->opts.quirks & GEN_UNTERMINATED));
}

static void option_int(struct out *out, unsigned id, uint64_t v, unsigned size)
{
	uint8_t raw[8];

	store(raw, v, size, out->big_endian);
	option(out, id, raw, size);
}

static unsigned gen_cpu_count(const struct gen *gen)
{
	const struct gen_buffer *buffer;
	const struct gen_cpu *cpu;
	unsigned n = 1;

	for (buffer = gen->buffers; buffer; buffer = buffer->next)
		for (cpu = buffer->cpus; cpu; cpu = cpu->next)
			if (cpu->cpu >= n)
				n = cpu->cpu + 1;
	return gen->opts.cpu_count ? gen->opts.cpu_count : n;
}

static void option_tsync(struct gen *gen, struct out *out)
{
	struct out body = { .big_endian = out->big_endian };
	unsigned cpu, i, n = gen->opts.nr_tsync;
	const struct gen_tsync *t;

	out_int(&body, 0x1234, 8);
	out_int(&body, 0, 4);
	out_int(&body, gen->opts.nr_tsync_cpus, 4);
	for (cpu = 0; cpu < gen->opts.nr_tsync_cpus; cpu++) {
		t = gen->opts.tsync + cpu * n;
		out_int(&body, n, 4);
		for (i = 0; i < n; i++)
			out_int(&body, t[i].time, 8);
		for (i = 0; i < n; i++)
			out_int(&body, t[i].offset, 8);
		for (i = 0; i < n; i++)
			out_int(&body, t[i].scaling, 8);
	}
	for (cpu = 0; cpu < gen->opts.nr_tsync_cpus; cpu++)
		for (i = 0; i < n; i++)
			out_int(&body, gen->opts.tsync[cpu * n + i].fraction, 8);
	option(out, 12, body.data, body.len);
	free(body.data);
}

/* What every file has, whichever the version. */
static void options_common(struct gen *gen, struct out *out)
{
	const struct gen_opts *opts = &gen->opts;
	const struct gen_cpu *cpu;
	char text[256];

	if (opts->has_date) {
		snprintf(text, sizeof(text), "0x%" PRIx64, opts->date_us);
		option(out, 1, text, strlen(text) + 1);
	}
	if (opts->has_offset) {
		snprintf(text, sizeof(text), "%" PRId64, opts->offset_ns);
		option(out, 7, text, strlen(text) + 1);
	}
	if (opts->clock) {
		snprintf(text, sizeof(text), "local global [%s] uptime\n",
			 opts->clock);
		if (opts->version < 7 || (opts->quirks & GEN_EMPTY_CLOCK))
			option(out, 4, NULL, 0);
		else
			option(out, 4, text, strlen(text) + 1);
	}
	option_str(gen, out, 5, opts->uname);
	option_str(gen, out, 9, "3.1.6 gen");
	option_int(out, 11, UINT64_C(0x1122334455667788), 8);
	for (cpu = gen->buffers->cpus; cpu && !(opts->quirks & GEN_NO_CPUSTAT);
	     cpu = cpu->next) {
		int len = snprintf(text, sizeof(text),
				   "CPU: %u\nentries: %" PRIu64 "\noverrun: %" PRIu64 "\ncommit overrun: 0\nbytes: 1\noldest event ts:     1.000000\nnow ts:     2.000000\ndropped events: %" PRIu64 "\nread events: %" PRIu64 "\n",
				   cpu->cpu, cpu->nr_events, cpu->overrun,
				   cpu->dropped, cpu->nr_events);

		option(out, 2, text, len + 1);
	}
	if (opts->quirks & GEN_UNTERMINATED)
		option(out, 2, NULL, 0);
	if (opts->has_tsc2nsec) {
		struct out body = { .big_endian = opts->big_endian };

		out_int(&body, opts->tsc_mult, 4);
		out_int(&body, opts->tsc_shift, 4);
		out_int(&body, 0, 8);
		option(out, 14, body.data, body.len);
		free(body.data);
	}
	if (opts->tsync)
		option_tsync(gen, out);
	if (opts->quirks & GEN_UNKNOWN_OPTIONS) {
		static char long_option[1047];

		option_int(out, 23, 0, 8);
		option(out, 24, "instance:\0x", 12);
		option_int(out, 25, 0, 8);
		option(out, 32, "42 42\n", 7);
		option(out, 8, long_option, sizeof(long_option));
		option(out, 999, "whatever", 8);
	}
	option_int(out, 8, gen_cpu_count(gen), 4);
}

/* --- the file, version 7 ---------------------------------------------------------- */

struct writer {
	struct gen *gen;
	FILE *file;
};

static uint64_t tell(struct writer *w)
{
	off_t at = ftello(w->file);

	if (at < 0)
		gen_die("ftello: %s", strerror(errno));
	return at;
}

static void put(struct writer *w, const void *data, size_t len)
{
	if (len && fwrite(data, 1, len, w->file) != len)
		gen_die("write error: %s", strerror(errno));
}

static void put_int(struct writer *w, uint64_t v, unsigned size)
{
	uint8_t raw[8];

	store(raw, v, size, w->gen->opts.big_endian);
	put(w, raw, size);
}

static void put_int_at(struct writer *w, uint64_t at, uint64_t v, unsigned size)
{
	if (fseeko(w->file, at, SEEK_SET))
		gen_die("fseeko: %s", strerror(errno));
	put_int(w, v, size);
	if (fseeko(w->file, 0, SEEK_END))
		gen_die("fseeko: %s", strerror(errno));
}

static void put_align(struct writer *w, uint32_t align)
{
	while (tell(w) % align)
		put(w, "", 1);
}

static uint64_t put_section(struct writer *w, unsigned id, struct out *body,
			    bool may_compress)
{
	struct gen *gen = w->gen;
	uint64_t at = tell(w);
	bool is_compressed = gen->is_compressed && may_compress;

	put_int(w, id, 2);
	put_int(w, is_compressed, 2);
	put_int(w, UINT32_MAX, 4);
	if (is_compressed) {
		size_t zlen = gen_compress(gen, body->data, body->len);
		size_t junk = gen->opts.quirks & GEN_META_JUNK ? 37 : 0;

		put_int(w, 8 + zlen + junk, 8);
		put_int(w, zlen + junk, 4);
		put_int(w, body->len, 4);
		put(w, gen->packed.data, zlen);
		put(w, "these are thirty-seven bytes of junk.", junk);
	} else {
		put_int(w, body->len, 8);
		put(w, body->data, body->len);
	}
	body->len = 0;
	return at;
}

static void write_cpu_v7(struct writer *w, struct gen_cpu *cpu)
{
	struct gen *gen = w->gen;
	uint32_t i;

	gen_chunk_end(cpu);
	put_align(w, 4096);
	cpu->file_offset = tell(w);
	if (gen->is_compressed) {
		if (gen->opts.quirks & GEN_NCHUNKS_UNSWAPPED) {
			uint8_t raw[4];

			store(raw, cpu->nr_chunks, 4, !gen->opts.big_endian);
			put(w, raw, 4);
		} else {
			put_int(w, cpu->nr_chunks, 4);
		}
	}
	for (i = 0; i < cpu->nr_chunks; i++)
		cpu->chunk_offsets[i] += tell(w);
	spool_copy(&cpu->spool, w->file);
	cpu->file_size = cpu->spool.len;
	if (gen->is_compressed && (gen->opts.quirks & GEN_SIZE_EXACT))
		cpu->file_size += 4;
	if (gen->opts.quirks & GEN_SIZE_ZERO)
		cpu->file_size = 0;
}

static void option_buffer(struct gen *gen, struct out *out,
			  struct gen_buffer *buffer, uint64_t *data_at)
{
	struct out body = { .big_endian = out->big_endian };
	const struct gen_cpu *cpu;
	unsigned n = 0;

	if (gen->opts.quirks & GEN_BUFFER_SWAPPED)
		body.big_endian = !body.big_endian;
	for (cpu = buffer->cpus; cpu; cpu = cpu->next)
		n++;
	out_int(&body, buffer->section, 8);
	out_str(&body, buffer->name);
	out_str(&body, buffer->clock);
	out_int(&body, buffer->stated_page_bytes, 4);
	out_int(&body, n, 4);
	*data_at = out->len + 6;
	if (buffer == gen->buffers)
		gen->map.cpu_table = body.len;
	for (cpu = buffer->cpus; cpu; cpu = cpu->next) {
		out_int(&body, cpu->cpu, 4);
		out_int(&body, cpu->file_offset, 8);
		out_int(&body, cpu->file_size, 8);
	}
	option(out, 3, body.data, body.len);
	free(body.data);
}

static void option_done(struct out *out)
{
	out_int(out, 0, 2);
	out_int(out, 8, 4);
	out_int(out, 0, 8);
}

/* One list, or one per option; the DONE of each points to the next. */
static uint64_t put_options(struct writer *w, struct out *all, uint64_t *done_at)
{
	struct gen *gen = w->gen;
	struct out one = { .big_endian = all->big_endian };
	uint64_t first = 0, at;
	size_t pos = 0;

	while (pos < all->len) {
		size_t len = all->len - pos;

		if (gen->opts.quirks & GEN_MANY_OPTIONS) {
			const uint8_t *p = all->data + pos + 2;

			len = all->big_endian ?
				      6 + ((size_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]) :
				      6 + ((size_t)p[3] << 24 | p[2] << 16 | p[1] << 8 | p[0]);
		}
		one.len = 0;
		out_bytes(&one, all->data + pos, len);
		option_done(&one);
		len = one.len;
		at = put_section(w, 0, &one, false);
		if (!first)
			first = at;
		else
			put_int_at(w, *done_at, at, 8);
		*done_at = at + 16 + len - 8;
		pos += len - 14;
	}
	free(one.data);
	return first;
}

static void write_v7(struct writer *w)
{
	static const unsigned order[2][6] = {
		{ 16, 17, 18, 19, 20, 21 }, { 21, 18, 20, 16, 19, 17 },
	};
	struct gen *gen = w->gen;
	struct gen_opts *opts = &gen->opts;
	struct out body = { .big_endian = opts->big_endian };
	struct out options = { .big_endian = opts->big_endian };
	struct gen_buffer *buffer;
	uint64_t sections[32] = { 0 }, done_at = 0, options_at, at, data_at;
	bool is_broken = opts->quirks & GEN_NO_KALLSYMS;
	uint64_t printk_section = 0, header_pointer;
	unsigned i;

	put(w, "\x17\x08\x44tracing7", 12);
	put_int(w, opts->big_endian, 1);
	put_int(w, opts->user_long_bytes, 1);
	put_int(w, opts->header_page_bytes ? opts->header_page_bytes :
		opts->page_bytes, 4);
	put(w, opts->codec, strlen(opts->codec) + 1);
	put(w, "1.5.4", 6);
	header_pointer = tell(w);
	put_int(w, 0, 8);

	for (i = 0; i < 6; i++) {
		unsigned id = order[!!(opts->quirks & GEN_SHUFFLED)][i];

		switch (id) {
		case 16:
			body_headers(gen, &body);
			break;
		case 17:
			body_ftrace(gen, &body);
			break;
		case 18:
			body_events(gen, &body);
			break;
		case 19:
			if (is_broken) {
				/* the header of a section of size 0, no body */
				sections[id] = tell(w);
				put_int(w, id, 2);
				put_int(w, gen->is_compressed, 2);
				put_int(w, UINT32_MAX, 4);
				put_int(w, 0, 8);
				continue;
			}
			body_text32(&body, kallsyms_text);
			break;
		case 20:
			body_text32(&body, printk_text);
			if (is_broken) {
				/* only the block: its header went elsewhere */
				size_t zlen = gen_compress(gen, body.data, body.len);

				put_int(w, zlen, 4);
				put_int(w, body.len, 4);
				put(w, gen->packed.data, zlen);
				/* it thinks that the section began at 4 */
				printk_section = tell(w) - 4 - 16;
				body.len = 0;
				sections[id] = 4;
				continue;
			}
			break;
		case 21:
			body_cmdlines(&body);
			break;
		}
		sections[id] = put_section(w, id, &body, true);
	}
	gen->map.headers = sections[16];
	gen->map.ftrace = sections[17];
	gen->map.events = sections[18];
	gen->map.kallsyms = sections[19];
	gen->map.printk = sections[20];
	gen->map.cmdlines = sections[21];
	for (i = 16; i <= 21; i++)
		option_int(&options, i, sections[i], 8);
	options_common(gen, &options);
	if (opts->quirks & GEN_LATENCY) {
		body.len = 0;
		out_str(&body, "latency text of the kernel\n");
		at = put_section(w, 22, &body, true);
		out_int(&body, at, 8);
		out_str(&body, "");
		out_str(&body, "local");
		option(&options, 22, body.data, body.len);
		body.len = 0;
	}
	options_at = put_options(w, &options, &done_at);
	gen->map.options_offset = options_at;
	put_int_at(w, header_pointer, options_at, 8);
	if (opts->quirks & GEN_OPTIONS_LOOP)
		put_int_at(w, done_at, options_at, 8);

	if (!(opts->quirks & GEN_LATENCY)) {
		options.len = 0;
		for (buffer = gen->buffers; buffer; buffer = buffer->next) {
			struct gen_cpu *cpu;

			buffer->section = tell(w);
			put_int(w, 3, 2);
			put_int(w, gen->is_compressed, 2);
			put_int(w, UINT32_MAX, 4);
			put_int(w, 0, 8);
			for (cpu = buffer->cpus; cpu; cpu = cpu->next)
				write_cpu_v7(w, cpu);
			/* 4 short and in 32 bits, like trace-cmd's */
			at = tell(w);
			put_int_at(w, buffer->section + 8,
				   (uint32_t)(at - buffer->section - 20), 8);
			if (buffer == gen->buffers) {
				option_buffer(gen, &options, buffer, &data_at);
				gen->map.buffer_option = data_at;
			} else {
				option_buffer(gen, &options, buffer, &data_at);
			}
		}
		if (!(opts->quirks & GEN_NO_BUFFER)) {
			uint64_t last = done_at;

			at = put_options(w, &options, &done_at);
			gen->map.last_options_offset = at;
			gen->map.buffer_option += at + 16;
			gen->map.cpu_table += gen->map.buffer_option;
			if (!(opts->quirks & GEN_OPTIONS_LOOP))
				put_int_at(w, last, at, 8);
			body.len = 0;
			out_str(&body, "options");
			put_section(w, 15, &body, true);
		}
	}
	if (is_broken)
		put_int_at(w, 0x0c, printk_section, 8);
	free(body.data);
	free(options.data);
}

/* --- the file, version 6 ------------------------------------------------------------ */

static void write_table_v6(struct writer *w, struct gen_buffer *buffer,
			   unsigned nr_cpus)
{
	struct gen *gen = w->gen;
	char text[64];
	unsigned i;

	put(w, "flyrecord", 10);
	buffer->section = tell(w);
	for (i = 0; i < 2 * nr_cpus; i++)
		put_int(w, 0, 8);
	if (gen->opts.clock) {
		snprintf(text, sizeof(text), "local [%s] global\n", buffer->clock);
		put_int(w, strlen(text), 8);
		put(w, text, strlen(text));
	}
}

static void write_cpus_v6(struct writer *w, struct gen_buffer *buffer,
			  unsigned nr_cpus)
{
	struct gen_cpu *cpu;

	for (cpu = buffer->cpus; cpu; cpu = cpu->next) {
		uint32_t i;

		if (cpu->cpu >= nr_cpus)
			gen_die("v6: CPU %u of %u", cpu->cpu, nr_cpus);
		gen_page_end(cpu);
		put_align(w, 4096);
		cpu->file_offset = tell(w);
		cpu->file_size = cpu->spool.len;
		for (i = 0; i < cpu->nr_chunks; i++)
			cpu->chunk_offsets[i] += cpu->file_offset;
		spool_copy(&cpu->spool, w->file);
		put_int_at(w, buffer->section + 16 * cpu->cpu, cpu->file_offset, 8);
		put_int_at(w, buffer->section + 16 * cpu->cpu + 8,
			   cpu->file_size, 8);
	}
}

static void write_v6(struct writer *w)
{
	struct gen *gen = w->gen;
	struct gen_opts *opts = &gen->opts;
	struct out out = { .big_endian = opts->big_endian };
	struct gen_buffer *buffer;
	unsigned nr_cpus = gen_cpu_count(gen), i;
	uint64_t *pointers, at;

	put(w, "\x17\x08\x44tracing6", 12);
	put_int(w, opts->big_endian, 1);
	put_int(w, opts->user_long_bytes, 1);
	put_int(w, opts->header_page_bytes ? opts->header_page_bytes :
		opts->page_bytes, 4);
	body_headers(gen, &out);
	body_ftrace(gen, &out);
	gen->map.events = tell(w) + out.len;
	body_events(gen, &out);
	body_text32(&out, kallsyms_text);
	body_text32(&out, printk_text);
	body_cmdlines(&out);
	out_int(&out, nr_cpus, 4);
	put(w, out.data, out.len);
	if (opts->quirks & GEN_LATENCY) {
		put(w, "latency  ", 10);
		put(w, "text of the kernel\n", 19);
		free(out.data);
		return;
	}
	put(w, "options  ", 10);
	gen->map.options_offset = tell(w);
	out.len = 0;
	options_common(gen, &out);
	put(w, out.data, out.len);
	pointers = gen_alloc(gen->nr_buffers * sizeof(*pointers));
	for (buffer = gen->buffers->next, i = 0; buffer; buffer = buffer->next, i++) {
		size_t len = strlen(buffer->name) + 1;

		put_int(w, 3, 2);
		put_int(w, 8 + len, 4);
		pointers[i] = tell(w);
		put_int(w, 0, 8);
		put(w, buffer->name, len);
		put_int(w, 8, 2);
		put_int(w, 4, 4);
		put_int(w, nr_cpus, 4);
	}
	put_int(w, 0, 2);
	write_table_v6(w, gen->buffers, nr_cpus);
	gen->map.cpu_table = gen->buffers->section;
	write_cpus_v6(w, gen->buffers, nr_cpus);
	for (buffer = gen->buffers->next, i = 0; buffer; buffer = buffer->next, i++) {
		put_align(w, 4096);
		at = tell(w);
		put_int_at(w, pointers[i], at, 8);
		write_table_v6(w, buffer, nr_cpus);
		write_cpus_v6(w, buffer, nr_cpus);
	}
	free(pointers);
	free(out.data);
}

void gen_write(struct gen *gen, const char *path)
{
	struct writer w = { .gen = gen };

	w.file = fopen(path, "w+b");
	if (!w.file)
		gen_die("%s: %s", path, strerror(errno));
	if (gen->opts.version >= 7)
		write_v7(&w);
	else
		write_v6(&w);
	gen->map.size_bytes = tell(&w);
	if (fclose(w.file))
		gen_die("%s: %s", path, strerror(errno));
}

const struct gen_map *gen_get_map(const struct gen *gen)
{
	return &gen->map;
}

void gen_cpu_place(const struct gen_cpu *cpu, uint64_t *offset, uint64_t *size,
		   uint32_t *nr_chunks, const uint64_t **chunk_offsets)
{
	*offset = cpu->file_offset;
	*size = cpu->file_size;
	*nr_chunks = cpu->nr_chunks;
	if (chunk_offsets)
		*chunk_offsets = cpu->chunk_offsets;
}
