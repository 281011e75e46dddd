// SPDX-License-Identifier: GPL-2.0-only
#include "lazyfree.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "text.h"

struct mark {
	uint64_t ts_ns;
	uint64_t file_clock;	/* lruvec->nr_reclaimed[TYPE_FILE] then */
	uint32_t number;	/* in the order of marking, all lruvecs together */
};

/* Frees of one lruvec, by the number of their mark. */
struct window {
	const struct lruvec *lruvec;
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
	struct window *windows;
	unsigned nr_windows;
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

	for (i = 0; i < s->nr_windows; i++)
		free(s->windows[i].numbers);
	free(s->windows);
	map_release(&s->by_life);
	free(s->marks);
	free(s->unused);
	free(s);
}

static void close_window(struct state *s, struct window *window)
{
	uint32_t *scratch;
	uint64_t rising;

	if (window->nr > 1) {
		scratch = malloc(window->nr * sizeof(*scratch));
		if (!scratch) {
			s->out_of_memory = true;
			return;
		}
		rising = order_reversed(window->numbers, scratch, window->nr);
		s->results.nr_pairs += (uint64_t)window->nr * (window->nr - 1) / 2;
		s->results.nr_reversed += (uint64_t)window->nr * (window->nr - 1) / 2 - rising;
		free(scratch);
	}
	window->nr = 0;
}

static void note_free(struct state *s, const struct lruvec *lruvec, uint32_t number)
{
	struct window *window = NULL;
	unsigned i;

	for (i = 0; i < s->nr_windows && !window; i++)
		if (s->windows[i].lruvec == lruvec)
			window = &s->windows[i];
	if (!window) {
		struct window *windows = realloc(s->windows,
						 (s->nr_windows + 1) * sizeof(*windows));

		if (!windows)
			goto no_memory;
		s->windows = windows;
		window = &windows[s->nr_windows++];
		memset(window, 0, sizeof(*window));
		window->lruvec = lruvec;
	}
	if (window->nr == LAZYFREE_WINDOW)
		close_window(s, window);
	if (window->nr == window->nr_alloc) {
		uint32_t nr_alloc = window->nr_alloc ? window->nr_alloc * 2 : 256;
		uint32_t *numbers = realloc(window->numbers, nr_alloc * sizeof(*numbers));

		if (!numbers)
			goto no_memory;
		window->numbers = numbers;
		window->nr_alloc = nr_alloc;
	}
	window->numbers[window->nr++] = number;
	return;

no_memory:
	s->out_of_memory = true;
}

static void marked(struct state *s, const struct change *c)
{
	struct mark *mark;
	uint32_t at;

	s->results.nr_marked++;
	s->results.pages_marked += 1ull << c->ev->order;
	if (map_get(&s->by_life, c->folio->life, &at)) {
		mark = &s->marks[at];	/* given up again after a reuse */
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
	mark->file_clock = c->lruvec->nr_reclaimed[TYPE_FILE];
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

static void freed(struct state *s, const struct change *c)
{
	struct lazyfree_results *r = &s->results;
	struct mark mark;
	struct order_example example;
	unsigned i, at = 0;

	r->nr_freed++;
	r->pages_freed += 1ull << c->ev->order;
	if (!take_mark(s, c->folio->life, &mark)) {
		r->nr_unmarked++;
		return;
	}
	if (c->ts_ns >= mark.ts_ns)
		hist_add(&r->delay_ns, c->ts_ns - mark.ts_ns);
	hist_add(&r->between_pages, c->lruvec->nr_reclaimed[TYPE_FILE] - mark.file_clock);
	note_free(s, c->lruvec, mark.number);

	example = (struct order_example){
		.pfn = c->pfn,
		.life = c->folio->life,
		.ts_ns = c->ts_ns,
		.magnitude = c->ts_ns - mark.ts_ns,
	};
	if (r->examples.nr < 2) {
		r->examples.e[r->examples.nr++] = example;
		return;
	}
	for (i = 1; i < r->examples.nr; i++)
		if (r->examples.e[i].magnitude < r->examples.e[at].magnitude)
			at = i;
	if (example.magnitude > r->examples.e[at].magnitude)
		r->examples.e[at] = example;
}

static void change(void *self, const struct change *c)
{
	struct state *s = self;
	struct mark mark;

	if (c->kind == CHANGE_LAZYFREE && c->lruvec) {
		switch (c->ev->u.lazyfree.stage) {
		case LAZYFREE_MARK:
			marked(s, c);
			break;
		case LAZYFREE_SCAN:
			s->results.nr_scanned++;
			break;
		case LAZYFREE_FREED:
			freed(s, c);
			break;
		case LAZYFREE_REDIRTIED:
			s->results.nr_redirtied++;
			take_mark(s, c->folio->life, &mark);
			break;
		case LAZYFREE_SKIPPED:
			s->results.nr_skipped++;
			break;
		default:
			break;
		}
		return;
	}
	if (c->kind != CHANGE_END)
		return;
	if (take_mark(s, c->folio->life, &mark) && c->end == END_FREED)
		s->results.nr_released++;
	if ((c->end == END_EVICTED || c->end == END_RECLAIMED) && c->folio->type == TYPE_FILE &&
	    !c->folio->is_lazyfree && c->lruvec && c->lruvec->nr_lazyfree &&
	    !model_in_loss(s->env->model)) {
		s->results.nr_file_first++;
		s->results.sum_waiting += c->lruvec->nr_lazyfree;
	}
}

static void end(void *self)
{
	struct state *s = self;
	unsigned i;

	for (i = 0; i < s->nr_windows; i++)
		close_window(s, &s->windows[i]);
}

static void lost(void *self)
{
	struct state *s = self;

	/* marks of lives that can no longer be followed */
	map_release(&s->by_life);
	s->nr_marks = s->nr_unused = 0;
	end(s);
}

const struct lazyfree_results *lazyfree_results(const void *self)
{
	return &((const struct state *)self)->results;
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
	fprintf(out, "marked %llu folios (%llu pages), reached by reclaim %llu: freed %llu\n"
		     "(%llu pages), written to again %llu, kept %llu; let go by their owner %llu\n",
		(unsigned long long)r->nr_marked, (unsigned long long)r->pages_marked,
		(unsigned long long)r->nr_scanned, (unsigned long long)r->nr_freed,
		(unsigned long long)r->pages_freed, (unsigned long long)r->nr_redirtied,
		(unsigned long long)r->nr_skipped, (unsigned long long)r->nr_released);
	if (r->delay_ns.nr) {
		fprintf(out, "mark to free:  median %s, 90%% %s, at most %s\n",
			text_duration(&a, hist_quantile(&r->delay_ns, 0.5)),
			text_duration(&b, hist_quantile(&r->delay_ns, 0.9)),
			text_duration(&c, r->delay_ns.max));
		fprintf(out, "file pages reclaimed in between:  median %llu, 90%% %llu, at most %llu\n",
			(unsigned long long)hist_quantile(&r->between_pages, 0.5),
			(unsigned long long)hist_quantile(&r->between_pages, 0.9),
			(unsigned long long)r->between_pages.max);
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
	if (s->out_of_memory)
		fprintf(out, "INCOMPLETE: memory ran out\n");
}

const struct analysis_ops analysis_lazyfree = {
	.name = "lazyfree",
	.title = "Lazyfree",
	.begin = begin,
	.change = change,
	.lost = lost,
	.end = end,
	.render = render,
	.release = release,
};
