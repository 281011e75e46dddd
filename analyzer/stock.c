// SPDX-License-Identifier: GPL-2.0-only
#include "stock.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "err.h"
#include "map.h"
#include "text.h"

/* PAGEMAP_* of include/trace/events/pagemap.h, in the field flags */
#define FLAG_MAPPED	 0x01u
#define FLAG_SWAP_CACHE	 0x08u
#define FLAG_SWAP_BACKED 0x10u
/* RECLAIM_WB_FILE of include/trace/events/vmscan.h, in reclaim_flags */
#define FLAG_WB_FILE	 0x02u

/* A page frame as far as it was seen; times 0: no such span is open. */
struct frame {
	uint64_t alloc_ns, cache_ns;
	uint8_t order;		/* as allocated */
	uint8_t use;		/* enum stock_use */
};

struct stock {
	struct map by_pfn;	/* place in frames[] */
	struct frame *frames;
	uint32_t nr_frames, nr_frames_alloc;
	struct stock_results r;
};

struct stock *stock_new(void)
{
	return calloc(1, sizeof(struct stock));
}

void stock_free(struct stock *stock)
{
	if (!stock)
		return;
	map_release(&stock->by_pfn);
	free(stock->frames);
	free(stock);
}

const struct stock_results *stock_results(const struct stock *stock)
{
	return &stock->r;
}

/* The frame @pfn, made if need be. NULL without memory. */
static struct frame *find_frame(struct stock *s, uint64_t pfn)
{
	uint32_t at;

	if (map_get(&s->by_pfn, pfn, &at))
		return &s->frames[at];
	at = s->nr_frames;
	if (array_grow(&s->frames, at, &s->nr_frames_alloc, sizeof(*s->frames)))
		return NULL;
	if (map_set(&s->by_pfn, pfn, at))
		return NULL;
	memset(&s->frames[at], 0, sizeof(s->frames[at]));
	s->frames[at].use = STOCK_USE_OTHER;
	s->nr_frames++;
	return &s->frames[at];
}

/*
 * spans
 */

/* How a span that was begun came to its end, for the count of it. */
static void span_close(struct stock_spans *spans, uint64_t *since_ns, uint64_t now_ns,
		       uint64_t *count, bool is_end)
{
	++*count;
	survival_add(&spans->survival, 0, now_ns > *since_ns ? now_ns - *since_ns : 0, is_end);
	*since_ns = 0;
}

static void span_begin(struct stock_spans *spans, uint64_t *since_ns, uint64_t now_ns)
{
	if (*since_ns)
		span_close(spans, since_ns, now_ns, &spans->nr_replaced, false);
	spans->nr_begun++;
	*since_ns = now_ns ? now_ns : 1;
}

static void span_end(struct stock_spans *spans, uint64_t *since_ns, uint64_t now_ns)
{
	if (*since_ns)
		span_close(spans, since_ns, now_ns, &spans->nr_ended, true);
	else
		spans->nr_ended_unbegun++;
}

/* Whatever is open was seen until @now_ns and no longer; nothing is known then. */
static void close_all(struct stock *s, uint64_t now_ns, bool is_loss)
{
	uint32_t i;

	for (i = 0; i < s->nr_frames; i++) {
		struct frame *f = &s->frames[i];
		struct stock_spans *frames = &s->r.frames[f->use], *cache = &s->r.cache;

		if (f->alloc_ns)
			span_close(frames, &f->alloc_ns, now_ns,
				   is_loss ? &frames->nr_cut : &frames->nr_open, false);
		if (f->cache_ns)
			span_close(cache, &f->cache_ns, now_ns,
				   is_loss ? &cache->nr_cut : &cache->nr_open, false);
	}
	map_release(&s->by_pfn);
	s->nr_frames = 0;
}

/*
 * events
 */

static void on_insertion(struct stock *s, struct frame *f, const struct event *ev)
{
	unsigned lru = ev->u.insertion.lru;
	uint64_t flags = ev->u.insertion.flags;
	struct stock_insertions *into;

	if (lru >= STOCK_LRU_NR) {
		s->r.nr_lists_unknown++;
		return;
	}
	into = &s->r.insertions[lru];
	into->nr++;
	into->nr_mapped += !!(flags & FLAG_MAPPED);
	into->nr_swap_cache += !!(flags & FLAG_SWAP_CACHE);
	into->nr_swap_backed += !!(flags & FLAG_SWAP_BACKED);
	if (!f || lru == STOCK_UNEVICTABLE)
		return;
	/* what a frame is for is known only now: count it there from its allocation */
	if (f->alloc_ns && f->use == STOCK_USE_OTHER) {
		s->r.frames[STOCK_USE_OTHER].nr_begun--;
		f->use = lru < STOCK_INACTIVE_FILE ? STOCK_USE_ANON : STOCK_USE_FILE;
		s->r.frames[f->use].nr_begun++;
	}
}

static void on_alloc(struct stock *s, struct frame *f, const struct event *ev)
{
	s->r.nr_pages_allocated += 1ull << (ev->order & 31);
	if (f->alloc_ns)
		span_close(&s->r.frames[f->use], &f->alloc_ns, ev->ts_ns,
			   &s->r.frames[f->use].nr_replaced, false);
	f->use = STOCK_USE_OTHER;
	f->order = ev->order;
	span_begin(&s->r.frames[f->use], &f->alloc_ns, ev->ts_ns);
}

static void on_free(struct stock *s, struct frame *f, const struct event *ev)
{
	s->r.nr_pages_freed += 1ull << (ev->order & 31);
	if (f->alloc_ns && f->order != ev->order) {
		/* its other pieces go on, or went before */
		s->r.nr_freed_in_pieces++;
		span_close(&s->r.frames[f->use], &f->alloc_ns, ev->ts_ns,
			   &s->r.frames[f->use].nr_replaced, false);
	} else {
		span_end(&s->r.frames[f->use], &f->alloc_ns, ev->ts_ns);
	}
	f->use = STOCK_USE_OTHER;
}

static void on_isolate(struct stock *s, const struct event *ev)
{
	struct stock_reclaim *r;

	if (ev->u.isolate.lru >= STOCK_UNEVICTABLE) {
		s->r.nr_lists_unknown++;
		return;
	}
	r = &s->r.reclaim[ev->u.isolate.lru >= STOCK_INACTIVE_FILE];
	r->nr_batches++;
	r->nr_requested += ev->u.isolate.nr_requested;
	r->nr_scanned += ev->u.isolate.nr_scanned;
	r->nr_skipped += ev->u.isolate.nr_skipped;
	r->nr_taken += ev->u.isolate.nr_taken;
}

static void on_shrink(struct stock *s, const struct event *ev)
{
	struct stock_reclaim *r = &s->r.reclaim[!!(ev->u.shrink.reclaim_flags & FLAG_WB_FILE)];

	r->nr_passes++;
	r->nr_reclaimed += ev->u.shrink.nr_reclaimed;
	r->nr_dirty += ev->u.shrink.nr_dirty;
	r->nr_writeback += ev->u.shrink.nr_writeback;
	r->nr_immediate += ev->u.shrink.nr_immediate;
	r->nr_activated += (uint64_t)ev->u.shrink.nr_activated[0] + ev->u.shrink.nr_activated[1];
	r->nr_ref_keep += ev->u.shrink.nr_ref_keep;
	r->nr_unmap_fail += ev->u.shrink.nr_unmap_fail;
}

bool stock_is_event(enum ev_kind kind)
{
	return kind >= EV_PAGE_FREE && kind < EV_LOST;
}

int stock_event(struct stock *s, const struct event *ev)
{
	struct frame *f = NULL;

	if (ev->kind == EV_LOST || ev->kind == EV_GAP) {
		close_all(s, ev->ts_ns, true);
		return 0;
	}
	if (!stock_is_event(ev->kind))
		return 0;
	s->r.nr_by_kind[ev->kind]++;
	if (ev->pfn != UINT64_MAX) {
		f = find_frame(s, ev->pfn);
		if (!f)
			return -ERR_NOMEM;
	}
	switch (ev->kind) {
	case EV_LRU_INSERTION:
		on_insertion(s, f, ev);
		break;
	case EV_LRU_ACTIVATE:
		s->r.nr_activations++;
		break;
	case EV_CACHE_ADD:
		s->r.nr_cache_pages_added += 1ull << (ev->order & 31);
		if (f)
			span_begin(&s->r.cache, &f->cache_ns, ev->ts_ns);
		break;
	case EV_CACHE_DELETE:
		s->r.nr_cache_pages_removed += 1ull << (ev->order & 31);
		if (f)
			span_end(&s->r.cache, &f->cache_ns, ev->ts_ns);
		break;
	case EV_PAGE_ALLOC:
		if (f)
			on_alloc(s, f, ev);
		else
			s->r.nr_alloc_failed++;
		break;
	case EV_PAGE_FREE:
		if (f)
			on_free(s, f, ev);
		break;
	case EV_LRU_ISOLATE:
		on_isolate(s, ev);
		break;
	case EV_LRU_SHRINK:
		on_shrink(s, ev);
		break;
	default:
		break;
	}
	return 0;
}

void stock_finish(struct stock *s, uint64_t ts_ns)
{
	close_all(s, ts_ns, false);
}

/*
 * text
 */

static const char *const lru_names[] = {
	"inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable",
};

static const char *const use_names[] = { "anon", "file", "other" };

static void render_events(const struct stock *s, FILE *out)
{
	unsigned kind, nr_missing = 0;

	text_heading(out, "Stock events: what this kernel tells without our patches");
	for (kind = EV_PAGE_FREE; kind < EV_LOST; kind++) {
		if (s->r.nr_by_kind[kind])
			fprintf(out, "  %-36s %10" PRIu64 "\n", event_kind_event(kind),
				s->r.nr_by_kind[kind]);
		else
			nr_missing++;
	}
	if (nr_missing) {
		char line[400] = "  not recorded, or never happened:";

		for (kind = EV_PAGE_FREE; kind < EV_LOST; kind++)
			if (!s->r.nr_by_kind[kind])
				snprintf(line + strlen(line), sizeof(line) - strlen(line), " %s",
					 event_kind_event(kind));
		text_wrap(out, line, 4);
	}
	fputs("\nNot to be known from these: generations and promotions, the order of any\n"
	      "list, which folio a batch took and why it was kept, cgroups, refaults, what\n"
	      "moved between lists without being inserted (most of it under the multi-gen\n"
	      "LRU). A kernel with the patches tells: folioscope record.\n", out);
}

static void render_insertions(const struct stock *s, FILE *out)
{
	unsigned lru;

	text_heading(out, "Insertions into the LRU (folios; their size is not recorded)");
	fprintf(out, "%-14s %10s %10s %11s %12s\n", "list", "insertions", "mapped", "swap cache",
		"swap backed");
	for (lru = 0; lru < STOCK_LRU_NR; lru++) {
		const struct stock_insertions *i = &s->r.insertions[lru];

		if (i->nr)
			fprintf(out,
				"%-14s %10" PRIu64 " %10" PRIu64 " %11" PRIu64 " %12" PRIu64 "\n",
				lru_names[lru], i->nr, i->nr_mapped, i->nr_swap_cache,
				i->nr_swap_backed);
	}
	if (s->r.nr_activations)
		fprintf(out, "activations (mm_lru_activate): %" PRIu64
			", at least so many pages of pgactivate\n", s->r.nr_activations);
}

static void render_spans(const char *name, const struct stock_spans *spans, FILE *out)
{
	static const double quantiles[] = { 0.1, 0.5, 0.9 };
	struct text_buf buf;
	uint64_t ns;
	unsigned i;

	fprintf(out, "%-11s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64, name,
		spans->nr_begun, spans->nr_ended, spans->nr_open,
		spans->nr_cut + spans->nr_replaced);
	for (i = 0; i < 3; i++)
		fprintf(out, " %8s", survival_quantile(&spans->survival, quantiles[i], &ns) ?
					     text_duration(&buf, ns) : "not yet");
	fputc('\n', out);
}

static void render_lifetimes(const struct stock *s, FILE *out)
{
	uint64_t nr_unbegun = 0;
	unsigned use;

	text_heading(out, "Lifetimes (Kaplan-Meier: those open at the end have not ended)");
	fprintf(out, "%-11s %8s %8s %8s %8s %8s %8s %8s\n", "", "begun", "ended", "open", "unclear",
		"10% by", "50% by", "90% by");
	render_spans("page cache", &s->r.cache, out);
	for (use = 0; use < STOCK_USE_NR; use++) {
		char name[32];

		snprintf(name, sizeof(name), "%s pages", use_names[use]);
		render_spans(name, &s->r.frames[use], out);
		nr_unbegun += s->r.frames[use].nr_ended_unbegun;
	}
	fprintf(out, "%s\n", HIST_RESOLUTION_TEXT);
	fprintf(out,
		"page cache: from add to delete, %" PRIu64 " pages added, %" PRIu64 " removed;\n"
		"  %" PRIu64 " folios removed were there before the recording\n",
		s->r.nr_cache_pages_added, s->r.nr_cache_pages_removed,
		s->r.cache.nr_ended_unbegun);
	fprintf(out,
		"pages: from allocation to free, %" PRIu64 " allocated, %" PRIu64 " freed (%" PRIu64
		" times\n  begun before the recording); anon and file by their insertion into the\n"
		"  LRU, other: never inserted\n",
		s->r.nr_pages_allocated, s->r.nr_pages_freed, nr_unbegun);
	if (s->r.nr_freed_in_pieces || s->r.nr_alloc_failed)
		fprintf(out, "freed in pieces, which cannot be followed: %" PRIu64
			     "; allocations that failed: %" PRIu64 "\n",
			s->r.nr_freed_in_pieces, s->r.nr_alloc_failed);
}

static void render_reclaim(const struct stock *s, FILE *out)
{
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {
#define ROW(name, member) { name, offsetof(struct stock_reclaim, member) }
		ROW("batches isolated", nr_batches),
		ROW("  looked at (scanned)", nr_scanned),
		ROW("  skipped, of another zone", nr_skipped),
		ROW("  taken = pgscan_anon, pgscan_file", nr_taken),
		ROW("passes over what was taken", nr_passes),
		ROW("  reclaimed = pgsteal_anon, _file", nr_reclaimed),
		ROW("  dirty", nr_dirty),
		ROW("  under writeback", nr_writeback),
		ROW("  to be reclaimed after writeback", nr_immediate),
		ROW("  activated", nr_activated),
		ROW("  kept, referenced", nr_ref_keep),
		ROW("  could not be unmapped", nr_unmap_fail),
#undef ROW
	};
	unsigned i;

	text_heading(out, "Batches of reclaim (pages)");
	fprintf(out, "%-34s %12s %12s\n", "", "anon", "file");
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(out, "%-34s %12" PRIu64 " %12" PRIu64 "\n", rows[i].name,
			*(const uint64_t *)((const char *)&s->r.reclaim[0] + rows[i].offset),
			*(const uint64_t *)((const char *)&s->r.reclaim[1] + rows[i].offset));
	fputs("Scanned pages of a pass are not summed: a second pass over the same batch\n"
	      "repeats their number.\n", out);
	if (s->r.nr_lists_unknown)
		fprintf(out, "of a list that is not known here, left out: %" PRIu64 " events\n",
			s->r.nr_lists_unknown);
}

void stock_render(const struct stock *s, FILE *out)
{
	render_events(s, out);
	if (s->r.nr_by_kind[EV_LRU_INSERTION] || s->r.nr_by_kind[EV_LRU_ACTIVATE])
		render_insertions(s, out);
	if (s->r.nr_by_kind[EV_CACHE_ADD] || s->r.nr_by_kind[EV_CACHE_DELETE] ||
	    s->r.nr_by_kind[EV_PAGE_ALLOC] || s->r.nr_by_kind[EV_PAGE_FREE])
		render_lifetimes(s, out);
	if (s->r.nr_by_kind[EV_LRU_ISOLATE] || s->r.nr_by_kind[EV_LRU_SHRINK])
		render_reclaim(s, out);
}

/*
 * tables
 */

static const struct column event_columns[] = {
	{ "event", CELL_TEXT, "", "name in the kernel" },
	{ "events", CELL_COUNT, "events", "in the recording" },
};

static const struct table_def event_def = {
	"stock_events", "Stock events by kind", "events of a kernel without the patches",
	event_columns, sizeof(event_columns) / sizeof(event_columns[0]),
};

static const struct column insertion_columns[] = {
	{ "list", CELL_TEXT, "", "of the classic LRU" },
	{ "insertions", CELL_COUNT, "folios", "inserted" },
	{ "mapped", CELL_COUNT, "folios", "of those, mapped at that moment" },
	{ "swap_cache", CELL_COUNT, "folios", "of those, in the swap cache" },
	{ "swap_backed", CELL_COUNT, "folios", "of those, backed by swap" },
};

static const struct table_def insertion_def = {
	"stock_insertions", "Insertions into the LRU", "pagemap:mm_lru_insertion",
	insertion_columns, sizeof(insertion_columns) / sizeof(insertion_columns[0]),
};

static const struct column span_columns[] = {
	{ "what", CELL_TEXT, "", "page_cache: add to delete; others: allocation to free" },
	{ "begun", CELL_COUNT, "folios", "in the recording" },
	{ "ended", CELL_COUNT, "folios", "of those, with their end in it" },
	{ "open", CELL_COUNT, "folios", "of those, going on at its end" },
	{ "cut", CELL_COUNT, "folios", "of those, unknown after a loss" },
	{ "unclear", CELL_COUNT, "folios",
	  "of those, begun again without an end, or freed in pieces" },
	{ "ended_unbegun", CELL_COUNT, "folios", "ended, and began before the recording" },
	{ "p10_ns", CELL_COUNT, "ns", "10 % have ended by then; absent: not yet" },
	{ "p50_ns", CELL_COUNT, "ns", "50 %" },
	{ "p90_ns", CELL_COUNT, "ns", "90 %" },
};

static const struct table_def span_def = {
	"stock_lifetimes", "Lifetimes of page frames and in the page cache",
	"filemap:*, kmem:mm_page_alloc, kmem:mm_page_free",
	span_columns, sizeof(span_columns) / sizeof(span_columns[0]),
};

static const struct column reclaim_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "batches", CELL_COUNT, "batches", "isolated" },
	{ "requested", CELL_COUNT, "pages", "asked for, all batches" },
	{ "scanned", CELL_COUNT, "pages", "looked at when isolating" },
	{ "skipped", CELL_COUNT, "pages", "of another zone" },
	{ "taken", CELL_COUNT, "pages", "isolated: pgscan_anon or pgscan_file" },
	{ "passes", CELL_COUNT, "passes", "over what was isolated" },
	{ "reclaimed", CELL_COUNT, "pages", "pgsteal_anon or pgsteal_file" },
	{ "dirty", CELL_COUNT, "pages", "dirty" },
	{ "writeback", CELL_COUNT, "pages", "under writeback" },
	{ "immediate", CELL_COUNT, "pages", "marked for reclaim after writeback" },
	{ "activated", CELL_COUNT, "pages", "activated" },
	{ "ref_keep", CELL_COUNT, "pages", "kept because referenced" },
	{ "unmap_fail", CELL_COUNT, "pages", "that could not be unmapped" },
};

static const struct table_def reclaim_def = {
	"stock_reclaim", "Batches of reclaim",
	"vmscan:mm_vmscan_lru_isolate, vmscan:mm_vmscan_lru_shrink_inactive",
	reclaim_columns, sizeof(reclaim_columns) / sizeof(reclaim_columns[0]),
};

const struct table_def *const stock_defs[] = {
	&event_def, &insertion_def, &span_def, &reclaim_def, NULL,
};

static void span_row(struct table *table, const char *name, const struct stock_spans *spans)
{
	static const double quantiles[] = { 0.1, 0.5, 0.9 };
	uint64_t ns;
	unsigned i;

	cell_name(table, name);
	cell_count(table, spans->nr_begun);
	cell_count(table, spans->nr_ended);
	cell_count(table, spans->nr_open);
	cell_count(table, spans->nr_cut);
	cell_count(table, spans->nr_replaced);
	cell_count(table, spans->nr_ended_unbegun);
	for (i = 0; i < 3; i++) {
		if (survival_quantile(&spans->survival, quantiles[i], &ns))
			cell_count(table, ns);
		else
			cell_absent(table);
	}
}

void stock_tables(const struct stock *s, struct tables *tables)
{
	struct table *table = tables_add(tables, &event_def);
	unsigned i;

	for (i = EV_PAGE_FREE; i < EV_LOST; i++) {
		cell_name(table, event_kind_event(i));
		cell_count(table, s->r.nr_by_kind[i]);
	}
	table = tables_add(tables, &insertion_def);
	for (i = 0; i < STOCK_LRU_NR; i++) {
		cell_name(table, lru_names[i]);
		cell_count(table, s->r.insertions[i].nr);
		cell_count(table, s->r.insertions[i].nr_mapped);
		cell_count(table, s->r.insertions[i].nr_swap_cache);
		cell_count(table, s->r.insertions[i].nr_swap_backed);
	}
	table = tables_add(tables, &span_def);
	span_row(table, "page_cache", &s->r.cache);
	for (i = 0; i < STOCK_USE_NR; i++)
		span_row(table, use_names[i], &s->r.frames[i]);
	table = tables_add(tables, &reclaim_def);
	for (i = 0; i < 2; i++) {
		const struct stock_reclaim *r = &s->r.reclaim[i];

		cell_name(table, i ? "file" : "anon");
		cell_count(table, r->nr_batches);
		cell_count(table, r->nr_requested);
		cell_count(table, r->nr_scanned);
		cell_count(table, r->nr_skipped);
		cell_count(table, r->nr_taken);
		cell_count(table, r->nr_passes);
		cell_count(table, r->nr_reclaimed);
		cell_count(table, r->nr_dirty);
		cell_count(table, r->nr_writeback);
		cell_count(table, r->nr_immediate);
		cell_count(table, r->nr_activated);
		cell_count(table, r->nr_ref_keep);
		cell_count(table, r->nr_unmap_fail);
	}
}
