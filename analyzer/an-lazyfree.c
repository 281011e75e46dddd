// SPDX-License-Identifier: GPL-2.0-only
#include "array.h"
#include "lazyfree.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "text.h"

struct mark {
	uint64_t ts_ns;
	uint64_t clock[TYPE_NR];	/* lruvec->nr_reclaimed then */
	uint64_t scan_clock, lazyfree_clock;	/* of the lruvec's share then */
	bool is_reached;
	uint32_t number;	/* in the order of marking, all lruvecs together */
};

/* Frees of one lruvec that are not yet compared, by the number of their mark. */
struct window {
	uint32_t nr, nr_alloc;
	uint32_t *numbers;
};

struct state {
	const struct analysis_env *env;
	struct lazyfree_results results;
	struct map by_life;		/* life -> marks[] */
	struct mark *marks;
	uint32_t *unused;		/* numbers of free places in marks[] */
	uint32_t nr_marks, nr_unused, nr_alloc;
	uint32_t next_number;
	uint64_t nr_freed_marked;
	struct lazyfree_lruvec *lruvecs;
	struct window *windows;		/* beside lruvecs[] */
	unsigned nr_lruvecs;
	bool out_of_memory;
};

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (s)
		s->env = env;
	return s;
}

static void release(void *self)
{
	struct state *s = self;
	unsigned i;

	for (i = 0; i < s->nr_lruvecs; i++)
		free(s->windows[i].numbers);
	free(s->windows);
	free(s->lruvecs);
	map_release(&s->by_life);
	free(s->marks);
	free(s->unused);
	free(s);
}

/* The share of @lruvec, NULL if there is none or, with @make, no memory. */
static struct lazyfree_lruvec *share_of(struct state *s, const struct lruvec *lruvec, bool make)
{
	struct lazyfree_lruvec *lruvecs;
	struct window *windows;
	unsigned i;

	for (i = 0; i < s->nr_lruvecs; i++)
		if (s->lruvecs[i].lruvec == lruvec)
			return &s->lruvecs[i];
	if (!make)
		return NULL;
	lruvecs = realloc(s->lruvecs, (s->nr_lruvecs + 1) * sizeof(*lruvecs));
	if (!lruvecs)
		goto no_memory;
	s->lruvecs = lruvecs;
	windows = realloc(s->windows, (s->nr_lruvecs + 1) * sizeof(*windows));
	if (!windows)
		goto no_memory;
	s->windows = windows;
	memset(&lruvecs[s->nr_lruvecs], 0, sizeof(*lruvecs));
	memset(&windows[s->nr_lruvecs], 0, sizeof(*windows));
	lruvecs[s->nr_lruvecs].lruvec = lruvec;
	return &lruvecs[s->nr_lruvecs++];

no_memory:
	s->out_of_memory = true;
	return NULL;
}

static void close_window(struct state *s, unsigned at)
{
	struct window *window = &s->windows[at];
	uint64_t nr_pairs, rising;
	uint32_t *scratch;

	if (window->nr > 1) {
		scratch = malloc(window->nr * sizeof(*scratch));
		if (!scratch) {
			s->out_of_memory = true;
			return;
		}
		rising = order_reversed(window->numbers, scratch, window->nr);
		nr_pairs = (uint64_t)window->nr * (window->nr - 1) / 2;
		s->results.nr_pairs += nr_pairs;
		s->results.nr_reversed += nr_pairs - rising;
		s->lruvecs[at].nr_pairs += nr_pairs;
		s->lruvecs[at].nr_reversed += nr_pairs - rising;
		free(scratch);
	}
	window->nr = 0;
}

static void note_free(struct state *s, unsigned at, uint32_t number)
{
	struct window *window = &s->windows[at];

	if (window->nr == LAZYFREE_WINDOW)
		close_window(s, at);
	if (array_grow(&window->numbers, window->nr, &window->nr_alloc, sizeof(*window->numbers))) {
		s->out_of_memory = true;
		return;
	}
	window->numbers[window->nr++] = number;
}

static void marked(struct state *s, const struct change *c)
{
	struct lazyfree_lruvec *share = share_of(s, c->lruvec, true);
	struct mark *mark;
	uint32_t at;

	if (!share)
		return;
	share->nr_marked++;
	s->results.nr_marked++;
	s->results.pages_marked += 1ull << c->ev->order;
	if (map_get(&s->by_life, c->folio->life, &at)) {
		mark = &s->marks[at];	/* given up again after a reuse */
		s->results.nr_marked_again++;
	} else {
		if (s->nr_unused) {
			at = s->unused[--s->nr_unused];
		} else {
			if (s->nr_marks == s->nr_alloc) {
				uint32_t nr_alloc = s->nr_alloc ? s->nr_alloc * 2 : 256;
				struct mark *marks = realloc(s->marks, nr_alloc * sizeof(*marks));
				uint32_t *unused;

				if (!marks)
					goto no_memory;
				s->marks = marks;
				unused = realloc(s->unused, nr_alloc * sizeof(*unused));
				if (!unused)
					goto no_memory;
				s->unused = unused;
				s->nr_alloc = nr_alloc;
			}
			at = s->nr_marks++;
		}
		if (map_set(&s->by_life, c->folio->life, at))
			goto no_memory;
		mark = &s->marks[at];
	}
	mark->ts_ns = c->ts_ns;
	memcpy(mark->clock, c->lruvec->nr_reclaimed, sizeof(mark->clock));
	mark->scan_clock = share->pages_scanned;
	mark->lazyfree_clock = share->pages_lazyfreed;
	mark->is_reached = false;
	mark->number = s->next_number++;
	return;

no_memory:
	s->out_of_memory = true;
}

static bool take_mark(struct state *s, uint32_t life, struct mark *mark)
{
	uint32_t at;

	if (!s->by_life.nr || !map_get(&s->by_life, life, &at))
		return false;
	*mark = s->marks[at];
	s->unused[s->nr_unused++] = at;
	map_del(&s->by_life, life);
	return true;
}

static uint64_t since(const struct state *s, uint64_t ts_ns)
{
	return ts_ns > s->env->first_ts_ns ? ts_ns - s->env->first_ts_ns : 0;
}

/* Keep every n-th; when the points are full, every second of them. */
static void add_point(struct state *s, uint64_t mark_ns, uint64_t free_ns)
{
	struct lazyfree_results *r = &s->results;
	uint32_t i;

	if (!r->points_stride)
		r->points_stride = 1;
	if (s->nr_freed_marked++ % r->points_stride)
		return;
	if (r->nr_points == LAZYFREE_MAX_POINTS) {
		for (i = 0; i < LAZYFREE_MAX_POINTS / 2; i++)
			r->points[i] = r->points[2 * i];
		r->nr_points /= 2;
		r->points_stride *= 2;
	}
	r->points[r->nr_points++] = (struct lazyfree_point){ since(s, mark_ns), since(s, free_ns) };
}

static void add_delay(struct hist *hist, const struct mark *mark, uint64_t ts_ns)
{
	if (ts_ns >= mark->ts_ns)
		hist_add(hist, ts_ns - mark->ts_ns);
}

static void reached(struct state *s, const struct change *c)
{
	uint32_t at;

	s->results.nr_scanned++;
	if (!s->by_life.nr || !map_get(&s->by_life, c->folio->life, &at) ||
	    s->marks[at].is_reached)
		return;
	s->marks[at].is_reached = true;
	add_delay(&s->results.reach_ns, &s->marks[at], c->ts_ns);
}

static void freed(struct state *s, const struct change *c)
{
	struct lazyfree_results *r = &s->results;
	struct lazyfree_lruvec *share;
	uint64_t lazyfree_pages;
	struct mark mark;
	struct order_example example;

	r->nr_freed++;
	r->pages_freed += 1ull << c->ev->order;
	if (!take_mark(s, c->folio->life, &mark)) {
		r->nr_unmarked++;
		return;
	}
	share = share_of(s, c->lruvec, true);
	if (!share)
		return;
	share->nr_freed++;
	add_delay(&r->delay_ns, &mark, c->ts_ns);
	lazyfree_pages = share->pages_lazyfreed - mark.lazyfree_clock;
	hist_add(&r->between_lazyfree_pages, lazyfree_pages);
	/* the model counts lazyfree pages among those of files */
	hist_add(&r->between_pages, c->lruvec->nr_reclaimed[TYPE_FILE] - mark.clock[TYPE_FILE] -
					    lazyfree_pages);
	hist_add(&r->between_anon_pages,
		 c->lruvec->nr_reclaimed[TYPE_ANON] - mark.clock[TYPE_ANON]);
	hist_add(&r->scanned_pages, share->pages_scanned - mark.scan_clock);
	note_free(s, share - s->lruvecs, mark.number);
	add_point(s, mark.ts_ns, c->ts_ns);

	example = (struct order_example){
		.pfn = c->pfn,
		.life = c->folio->life,
		.ts_ns = c->ts_ns,
		.magnitude = c->ts_ns > mark.ts_ns ? c->ts_ns - mark.ts_ns : 0,
	};
	order_examples_keep(&r->examples, 2, &example, false);
}

/* A life ended before reclaim did anything to its folio. */
static void life_ends(struct state *s, const struct change *c, const struct mark *mark)
{
	struct lazyfree_results *r = &s->results;

	if (c->end == END_FREED) {
		r->nr_released++;
		add_delay(&r->released_ns, mark, c->ts_ns);
	} else if (c->end != END_RESIDENT) {
		r->nr_otherwise++;
	} else if (mark->is_reached) {
		r->nr_left_kept++;
	} else {
		r->nr_left_unreached++;
	}
}

static void change(void *self, const struct change *c)
{
	struct state *s = self;
	struct lazyfree_lruvec *share;
	struct mark mark;

	if (c->kind == CHANGE_LAZYFREE && c->lruvec) {
		switch (c->ev->u.lazyfree.stage) {
		case LAZYFREE_MARK:
			marked(s, c);
			break;
		case LAZYFREE_SCAN:
			reached(s, c);
			break;
		case LAZYFREE_FREED:
			freed(s, c);
			break;
		case LAZYFREE_REDIRTIED:
			s->results.nr_redirtied++;
			if (take_mark(s, c->folio->life, &mark))
				add_delay(&s->results.redirtied_ns, &mark, c->ts_ns);
			else
				s->results.nr_redirtied_unmarked++;
			break;
		case LAZYFREE_SKIPPED:
			s->results.nr_skipped++;
			break;
		default:
			break;
		}
		return;
	}
	if (c->kind == CHANGE_OUTCOME && c->ev->u.reclaim.outcome == OUTCOME_LAZYFREED &&
	    c->lruvec) {
		share = share_of(s, c->lruvec, true);
		if (share)
			share->pages_lazyfreed += 1ull << c->ev->order;
		return;
	}
	if (c->kind == CHANGE_SCAN && c->ev->type != TYPE_ANON) {
		share = share_of(s, c->lruvec, false);
		if (share)
			share->pages_scanned += c->ev->u.scan.nr_scanned;
		return;
	}
	if (c->kind != CHANGE_END)
		return;
	if (take_mark(s, c->folio->life, &mark))
		life_ends(s, c, &mark);
	if ((c->end == END_EVICTED || c->end == END_RECLAIMED) && c->folio->type == TYPE_FILE &&
	    !c->folio->is_lazyfree && c->lruvec && c->lruvec->nr_lazyfree &&
	    !model_in_loss(s->env->model)) {
		s->results.nr_file_first++;
		s->results.sum_waiting += c->lruvec->nr_lazyfree;
		share = share_of(s, c->lruvec, true);
		if (share) {
			share->nr_file_first++;
			share->sum_waiting += c->lruvec->nr_lazyfree;
		}
	}
}

static void end(void *self)
{
	struct state *s = self;
	unsigned i;

	for (i = 0; i < s->nr_lruvecs; i++)
		close_window(s, i);
}

static void lost(void *self)
{
	struct state *s = self;

	/* marks of lives that can no longer be followed */
	s->results.nr_otherwise += s->by_life.nr;
	map_release(&s->by_life);
	s->nr_marks = s->nr_unused = 0;
	end(s);
}

const struct lazyfree_results *lazyfree_results(const void *self)
{
	return &((const struct state *)self)->results;
}

const struct lazyfree_lruvec *lazyfree_lruvecs(const void *self, unsigned *nr)
{
	const struct state *s = self;

	*nr = s->nr_lruvecs;
	return s->lruvecs;
}

/* Every mark is in one line of these. */
static void render_fates(const struct lazyfree_results *r, FILE *out)
{
	const struct {
		const char *what;
		uint64_t nr;
	} fates[] = {
		{ "freed by reclaim", r->nr_freed - r->nr_unmarked },
		{ "found written to again", r->nr_redirtied - r->nr_redirtied_unmarked },
		{ "let go by their owner first", r->nr_released },
		{ "reached and kept, there at the end", r->nr_left_kept },
		{ "not reached yet at the end", r->nr_left_unreached },
		{ "marked again before any of that", r->nr_marked_again },
		{ "migrated, lost from sight, ...", r->nr_otherwise },
	};
	struct text_buf buf;
	unsigned i;

	fprintf(out, "%-36s %10llu folios (%llu pages)\n", "marked",
		(unsigned long long)r->nr_marked, (unsigned long long)r->pages_marked);
	for (i = 0; i < sizeof(fates) / sizeof(fates[0]); i++)
		if (fates[i].nr)
			fprintf(out, "  %-34s %10llu %s\n", fates[i].what,
				(unsigned long long)fates[i].nr,
				text_percent(&buf, fates[i].nr, r->nr_marked));
	if (r->nr_unmarked)
		fprintf(out, "%-36s %10llu\n", "freed, and the mark was not seen",
			(unsigned long long)r->nr_unmarked);
	if (r->nr_redirtied_unmarked)
		fprintf(out, "%-36s %10llu\n", "written to, and the mark was not seen",
			(unsigned long long)r->nr_redirtied_unmarked);
	fprintf(out, "reclaim reached a marked folio %llu time%s, and kept it %llu time%s\n",
		(unsigned long long)r->nr_scanned, text_plural(r->nr_scanned),
		(unsigned long long)r->nr_skipped, text_plural(r->nr_skipped));
}

static bool incomplete(const void *self)
{
	return ((const struct state *)self)->out_of_memory;
}

static void render(const void *self, FILE *out)
{
	const struct state *s = self;
	const struct lazyfree_results *r = &s->results;
	struct text_buf a, b, c;

	if (!r->nr_marked && !r->nr_freed && !r->nr_scanned) {
		fprintf(out, "no folio was given up by MADV_FREE\n");
		return;
	}
	fprintf(out, "MADV_FREE memory counts as file while it is marked\n");
	render_fates(r, out);
	if (r->delay_ns.nr) {
		fprintf(out, "mark to free:  median %s, 90%% %s, at most %s\n",
			text_duration(&a, hist_quantile(&r->delay_ns, 0.5)),
			text_duration(&b, hist_quantile(&r->delay_ns, 0.9)),
			text_duration(&c, r->delay_ns.max));
		fprintf(out, "pages of page cache reclaimed in between:  median %llu, 90%% %llu, at\n"
			     "  most %llu\n",
			(unsigned long long)hist_quantile(&r->between_pages, 0.5),
			(unsigned long long)hist_quantile(&r->between_pages, 0.9),
			(unsigned long long)r->between_pages.max);
		fprintf(out, "%s\n", HIST_RESOLUTION_TEXT);
	}
	if (r->nr_pairs)
		fprintf(out, "V4 order of freeing against marking: %s of %llu pairs last-in\n"
			     "first-out, tau %+.3f\n",
			text_percent(&a, r->nr_reversed, r->nr_pairs),
			(unsigned long long)r->nr_pairs,
			1 - 2.0 * r->nr_reversed / r->nr_pairs);
	fprintf(out, "file folios reclaimed while lazyfree folios stayed on the lists: %llu\n",
		(unsigned long long)r->nr_file_first);
	if (r->nr_file_first)
		fprintf(out, "  (%.1f lazyfree folios waiting on average)\n",
			(double)r->sum_waiting / r->nr_file_first);
}

static const struct column lazyfree_columns[] = {
	{ "marked", CELL_COUNT, "folios", "given up by MADV_FREE" },
	{ "marked_pages", CELL_COUNT, "pages", "given up by MADV_FREE" },
	{ "reached", CELL_COUNT, "times", "reclaim reached a marked folio" },
	{ "freed", CELL_COUNT, "folios", "freed by reclaim" },
	{ "freed_pages", CELL_COUNT, "pages", "freed by reclaim" },
	{ "redirtied", CELL_COUNT, "folios", "written to again, found by reclaim" },
	{ "skipped", CELL_COUNT, "times", "reclaim reached one and kept it" },
	{ "freed_unmarked", CELL_COUNT, "folios", "freed, their mark was not seen" },
	{ "released", CELL_COUNT, "folios", "let go by their owner first" },
	{ "delay_p50_ns", CELL_COUNT, "ns", "from mark to free, median" },
	{ "delay_p90_ns", CELL_COUNT, "ns", "from mark to free, 90 % below" },
	{ "delay_max_ns", CELL_COUNT, "ns", "from mark to free, the longest" },
	{ "between_p50_pages", CELL_COUNT, "pages", "of page cache reclaimed in between, median" },
	{ "between_p90_pages", CELL_COUNT, "pages", "of page cache reclaimed in between, 90 % below" },
	{ "between_max_pages", CELL_COUNT, "pages", "of page cache reclaimed in between, the most" },
	{ "v4_pairs", CELL_COUNT, "pairs", "of folios freed" },
	{ "v4_pairs_reversed", CELL_COUNT, "pairs", "freed last-in first-out" },
	{ "v4_tau", CELL_REAL, "", "Kendall's tau: +1 freed as marked, -1 reversed" },
	{ "file_first", CELL_COUNT, "folios", "of files reclaimed while lazyfree ones stayed" },
	{ "waiting_mean", CELL_REAL, "folios", "lazyfree ones on the lists then, mean" },
	{ "marked_again", CELL_COUNT, "folios", "of those marked, that were marked already" },
	{ "between_anon_p50_pages", CELL_COUNT, "pages", "of anon reclaimed in between, median" },
	{ "between_lazyfree_p50_pages", CELL_COUNT, "pages", "lazyfree, freed in between, median" },
	{ "scanned_p50_pages", CELL_COUNT, "pages", "of file lists scanned in between, median" },
	{ "reach_p50_ns", CELL_COUNT, "ns", "from mark to the first scan that reached it" },
	{ "redirtied_p50_ns", CELL_COUNT, "ns", "from mark to reclaim finding it written to" },
	{ "released_p50_ns", CELL_COUNT, "ns", "from mark to the owner letting go of it" },
	{ "redirtied_unmarked", CELL_COUNT, "folios", "of redirtied, their mark was not seen" },
	{ "left_kept", CELL_COUNT, "folios", "there at the end, reached and kept" },
	{ "left_unreached", CELL_COUNT, "folios", "there at the end, never reached" },
	{ "otherwise", CELL_COUNT, "folios", "marked, then migrated, lost from sight, ..." },
};

static const struct table_def lazyfree_def = {
	"lazyfree", "Lazyfree", "lazyfree, reclaim",
	lazyfree_columns, sizeof(lazyfree_columns) / sizeof(lazyfree_columns[0]),
};

static const struct column delay_columns[] = {
	{ "up_to_ns", CELL_COUNT, "ns", "largest delay of the bucket, from mark to free" },
	{ "folios", CELL_COUNT, "folios", "freed after that long" },
};

static const struct table_def delay_def = {
	"lazyfree_delays", "Lazyfree: from mark to free", "lazyfree",
	delay_columns, sizeof(delay_columns) / sizeof(delay_columns[0]),
};

static const struct column point_columns[] = {
	{ "mark_ns", CELL_COUNT, "ns", "when it was marked, from the first event" },
	{ "free_ns", CELL_COUNT, "ns", "when it was freed, from the first event" },
	{ "stands_for", CELL_COUNT, "folios", "freed folios per row" },
};

static const struct table_def point_def = {
	"lazyfree_points", "Lazyfree: marked and freed, every n-th folio", "lazyfree",
	point_columns, sizeof(point_columns) / sizeof(point_columns[0]),
};

static const struct column lruvec_columns[] = {
	{ "memcg", CELL_ID, "", "cgroup id of the lruvec" },
	{ "nid", CELL_INT, "", "node of the lruvec" },
	{ "marked", CELL_COUNT, "folios", "given up by MADV_FREE" },
	{ "freed", CELL_COUNT, "folios", "freed by reclaim, their mark was seen" },
	{ "v4_pairs", CELL_COUNT, "pairs", "of folios freed" },
	{ "v4_pairs_reversed", CELL_COUNT, "pairs", "freed last-in first-out" },
	{ "v4_tau", CELL_REAL, "", "Kendall's tau: +1 freed as marked, -1 reversed" },
	{ "file_first", CELL_COUNT, "folios", "of files reclaimed while lazyfree ones stayed" },
};

static const struct table_def lruvec_def = {
	"lazyfree_lruvecs", "Lazyfree by lruvec", "lazyfree, reclaim",
	lruvec_columns, sizeof(lruvec_columns) / sizeof(lruvec_columns[0]),
};

static void quantile(struct table *table, const struct hist *hist, double q)
{
	if (hist->nr)
		cell_count(table, q < 1 ? hist_quantile(hist, q) : hist->max);
	else
		cell_absent(table);
}

static void tables(const void *self, struct tables *tables)
{
	const struct state *s = self;
	const struct lazyfree_results *r = &s->results;
	struct table *lazyfree = tables_add(tables, &lazyfree_def);
	struct table *delays = tables_add(tables, &delay_def);
	struct table *points = tables_add(tables, &point_def);
	struct table *lruvecs = tables_add(tables, &lruvec_def);
	unsigned i;

	cell_count(lazyfree, r->nr_marked);
	cell_count(lazyfree, r->pages_marked);
	cell_count(lazyfree, r->nr_scanned);
	cell_count(lazyfree, r->nr_freed);
	cell_count(lazyfree, r->pages_freed);
	cell_count(lazyfree, r->nr_redirtied);
	cell_count(lazyfree, r->nr_skipped);
	cell_count(lazyfree, r->nr_unmarked);
	cell_count(lazyfree, r->nr_released);
	quantile(lazyfree, &r->delay_ns, 0.5);
	quantile(lazyfree, &r->delay_ns, 0.9);
	quantile(lazyfree, &r->delay_ns, 1);
	quantile(lazyfree, &r->between_pages, 0.5);
	quantile(lazyfree, &r->between_pages, 0.9);
	quantile(lazyfree, &r->between_pages, 1);
	cell_count(lazyfree, r->nr_pairs);
	cell_count(lazyfree, r->nr_reversed);
	if (r->nr_pairs)
		cell_real(lazyfree, 1 - 2.0 * r->nr_reversed / r->nr_pairs);
	else
		cell_absent(lazyfree);
	cell_count(lazyfree, r->nr_file_first);
	if (r->nr_file_first)
		cell_real(lazyfree, (double)r->sum_waiting / r->nr_file_first);
	else
		cell_absent(lazyfree);
	cell_count(lazyfree, r->nr_marked_again);
	quantile(lazyfree, &r->between_anon_pages, 0.5);
	quantile(lazyfree, &r->between_lazyfree_pages, 0.5);
	quantile(lazyfree, &r->scanned_pages, 0.5);
	quantile(lazyfree, &r->reach_ns, 0.5);
	quantile(lazyfree, &r->redirtied_ns, 0.5);
	quantile(lazyfree, &r->released_ns, 0.5);
	cell_count(lazyfree, r->nr_redirtied_unmarked);
	cell_count(lazyfree, r->nr_left_kept);
	cell_count(lazyfree, r->nr_left_unreached);
	cell_count(lazyfree, r->nr_otherwise);
	for (i = 0; i < s->nr_lruvecs; i++) {
		const struct lazyfree_lruvec *share = &s->lruvecs[i];

		cell_id(lruvecs, share->lruvec->memcg);
		cell_int(lruvecs, share->lruvec->nid);
		cell_count(lruvecs, share->nr_marked);
		cell_count(lruvecs, share->nr_freed);
		cell_count(lruvecs, share->nr_pairs);
		cell_count(lruvecs, share->nr_reversed);
		if (share->nr_pairs)
			cell_real(lruvecs, 1 - 2.0 * share->nr_reversed / share->nr_pairs);
		else
			cell_absent(lruvecs);
		cell_count(lruvecs, share->nr_file_first);
	}
	for (i = 0; i < HIST_NR_BUCKETS; i++) {
		if (!r->delay_ns.buckets[i])
			continue;
		cell_count(delays, hist_bucket_max(i));
		cell_count(delays, r->delay_ns.buckets[i]);
	}
	for (i = 0; i < r->nr_points; i++) {
		cell_count(points, r->points[i].mark_ns);
		cell_count(points, r->points[i].free_ns);
		cell_count(points, r->points_stride);
	}
	tables->out_of_memory |= s->out_of_memory;
}

static const struct table_def *const defs[] = { &lazyfree_def, &delay_def, &point_def, &lruvec_def,
						NULL };

const struct analysis_ops analysis_lazyfree = {
	.name = "lazyfree",
	.title = "Lazyfree",
	.begin = begin,
	.change = change,
	.kinds = 1u << CHANGE_LAZYFREE |
		 1u << CHANGE_OUTCOME |
		 1u << CHANGE_SCAN |
		 1u << CHANGE_END,
	.lost = lost,
	.end = end,
	.incomplete = incomplete,
	.render = render,
	.defs = defs,
	.tables = tables,
	.release = release,
};
