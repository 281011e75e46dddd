// SPDX-License-Identifier: GPL-2.0-only
#include "html-parts.h"

#include <math.h>
#include <stdlib.h>

#include "text.h"

/*
 * what the second pass remembers
 */

/* Room for one more moment, or NULL. */
static struct html_moment *add_moment(struct html_side *side, struct html_story *story)
{
	if (!story->moments) {
		story->moments = malloc(HTML_MAX_MOMENTS * sizeof(*story->moments));
		if (!story->moments) {
			side->out_of_memory = true;
			return NULL;
		}
	}
	if (story->nr_moments == HTML_MAX_MOMENTS) {
		story->nr_left_out++;
		return NULL;
	}
	return &story->moments[story->nr_moments++];
}

/* Every folio of the lruvec is one generation older. */
static void note_aging(struct html_side *side, const struct change *c)
{
	unsigned i, nr_gens = c->lruvec->nr_gens;

	for (i = 0; i < side->chosen.nr; i++) {
		struct html_story *story = &side->stories[i];
		struct html_moment *m;

		if (story->lruvec != c->lruvec || story->gen < 0)
			continue;
		m = add_moment(side, story);
		if (m)
			*m = (struct html_moment){
				.ts_ns = c->ts_ns > side->first_ts_ns ? c->ts_ns - side->first_ts_ns : 0,
				.life = m > story->moments ? m[-1].life : 0,
				.kind = CHANGE_SEQ,
				.old_gen = story->gen,
				.new_gen = story->gen,
				/* the model is told before it takes the step */
				.age = (c->ev->u.lruvec.max_seq % nr_gens + nr_gens -
					story->gen % nr_gens) % nr_gens,
			};
	}
}

/* A swap-in turns out to be a refault by the event after it. */
static void correct_birth(struct html_story *story, const struct folio *f)
{
	unsigned i = story->nr_moments;

	while (i-- && story->moments[i].life == f->life)
		if (story->moments[i].kind == CHANGE_BORN)
			story->moments[i].detail = f->birth;
}

void html_note(void *self, const struct change *c)
{
	struct html_side *side = self;
	struct html_moment *m;
	struct html_story *story;
	int at;

	if (c->kind == CHANGE_SEQ && c->lruvec && c->ev->kind == EV_MAX_SEQ &&
	    c->lruvec->seq_known)
		note_aging(side, c);
	if (!c->folio)
		return;
	at = chosen_index(&side->chosen, c->pfn);
	if (at < 0)
		return;
	story = &side->stories[at];
	story->lruvec = c->lruvec;
	story->gen = c->kind == CHANGE_END ? -1 : c->folio->gen;
	if (c->kind == CHANGE_REFAULT)
		correct_birth(story, c->folio);
	m = add_moment(side, story);
	if (!m)
		return;
	*m = (struct html_moment){
		.ts_ns = c->ts_ns > side->first_ts_ns ? c->ts_ns - side->first_ts_ns : 0,
		.life = c->folio->life,
		.kind = c->kind,
		.old_gen = c->old_gen,
		.new_gen = c->new_gen,
		.age = -1,
	};
	if (c->new_gen >= 0 && c->lruvec && c->lruvec->seq_known)
		m->age = model_age(c->lruvec, c->new_gen);
	switch (c->kind) {
	case CHANGE_BORN:
		m->detail = c->folio->birth;
		m->detail2 = c->folio->type;
		break;
	case CHANGE_END:
		m->detail = c->end;
		break;
	case CHANGE_OUTCOME:
		m->detail = c->ev->u.reclaim.outcome;
		m->detail2 = c->ev->u.reclaim.reason;
		break;
	case CHANGE_LAZYFREE:
		m->detail = c->ev->u.lazyfree.stage;
		break;
	case CHANGE_HITSHIELD:
		m->detail = c->ev->u.hitshield.cause;
		m->detail2 = c->ev->u.hitshield.new_count;
		break;
	case CHANGE_REFAULT:
	case CHANGE_SWAPIN:
		if (c->page && c->page->evict_ns && c->ts_ns >= c->page->evict_ns) {
			m->from_pfn = c->page->evict_pfn;
			m->away_ns = c->ts_ns - c->page->evict_ns;
		}
		break;
	case CHANGE_ENTER:
	case CHANGE_LEAVE:
	case CHANGE_UPDATE:
	case CHANGE_ACCESSED:
	case CHANGE_MOVE:
		m->site = c->ev->site;
		m->has_site = true;
		break;
	default:
		break;
	}
}

bool html_wants_event(void *self, const struct event *ev)
{
	const struct html_side *side = self;

	switch (ev->kind) {
	case EV_MAX_SEQ:
	case EV_MIN_SEQ:
	case EV_STATE:
	case EV_LOST:
	case EV_GAP:
		return true;
	case EV_MIGRATE:
		if (chosen_index(&side->chosen, ev->u.migrate.new_pfn) >= 0)
			return true;
		break;
	default:
		break;
	}
	return chosen_index(&side->chosen, ev->pfn) >= 0;
}

/*
 * stories
 */

static const char *moment_name(const struct html_moment *m)
{
	static const char *const names[] = {
		[CHANGE_BORN] = "born",		  [CHANGE_ENTER] = "added to a list",
		[CHANGE_LEAVE] = "taken off",	  [CHANGE_UPDATE] = "generation set",
		[CHANGE_ACCESSED] = "accessed",	  [CHANGE_MOVE] = "moved",
		[CHANGE_SPLIT] = "split",	  [CHANGE_OUTCOME] = "reclaim",
		[CHANGE_EVICT] = "shadow left",	  [CHANGE_REFAULT] = "refault",
		[CHANGE_SWAPIN] = "swapped in",	  [CHANGE_LAZYFREE] = "lazyfree",
		[CHANGE_HITSHIELD] = "hitshield", [CHANGE_END] = "life ends",
		[CHANGE_SEQ] = "aging",
	};

	return m->kind < sizeof(names) / sizeof(names[0]) && names[m->kind] ? names[m->kind] : "?";
}

static void moment_text(const struct html_moment *m, bool is_light, char *text, size_t size)
{
	struct text_buf away;

	*text = '\0';
	switch (m->kind) {
	case CHANGE_BORN:
		snprintf(text, size, "%s, %s", type_name(m->detail2), folio_birth_name(m->detail));
		break;
	case CHANGE_END:
		snprintf(text, size, "%s", folio_end_name(m->detail));
		break;
	case CHANGE_OUTCOME:
		snprintf(text, size, "%s%s%s", outcome_name(m->detail), m->detail2 ? ": " : "",
			 m->detail2 ? reason_name(m->detail2) : "");
		break;
	case CHANGE_LAZYFREE:
		snprintf(text, size, "%s", lazyfree_name(m->detail));
		break;
	case CHANGE_HITSHIELD:
		snprintf(text, size, "%s, count %u", hitshield_name(m->detail), m->detail2);
		break;
	case CHANGE_REFAULT:
	case CHANGE_SWAPIN:
		if (m->away_ns)
			snprintf(text, size, "evicted %s before, from page frame 0x%llx",
				 text_duration(&away, m->away_ns), (unsigned long long)m->from_pfn);
		else if (!is_light)
			snprintf(text, size, "its eviction was not seen");
		break;
	default:
		if (m->has_site)
			snprintf(text, size, "at %s", site_name(m->site));
	}
}

/* Rows of the picture: ages 0, 1, 2, the older ones, and off the lists. */
#define NR_ROWS 5

/* Row of the folio after @m; -1: on a list, but its age is not known. */
static int row_of(const struct html_moment *m)
{
	if (m->new_gen < 0)
		return NR_ROWS - 1;
	return m->age < NR_ROWS - 2 ? m->age : NR_ROWS - 2;
}

static double row_y(const struct svg_plot *plot, unsigned row)
{
	return svg_y(plot, NR_ROWS - 1 - row) + 8;
}

static void story_axes(const struct svg_plot *plot)
{
	static const char *const rows[NR_ROWS] = { "age 0", "age 1", "age 2", "age 3+",
						   "off lists" };
	double step = svg_nice((plot->x.max - plot->x.min) / 7), bottom = plot->top + plot->height,
	       ns;
	char label[SVG_LABEL_BYTES];
	unsigned row;

	for (row = 0; row < NR_ROWS; row++) {
		double y = row_y(plot, row);

		fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>", plot->left, y,
			plot->width);
		svg_text(plot->out, plot->left - 6, y + 4, "end", "small", rows[row]);
	}
	for (ns = ceil(plot->x.min / step) * step; ns <= plot->x.max; ns += step) {
		fprintf(plot->out, "<path class=\"grid\" d=\"M%.1f %.1fv%.1f\"/>", svg_x(plot, ns),
			plot->top, plot->height + 12);
		svg_text(plot->out, svg_x(plot, ns), bottom + 27, "middle", "small",
			 svg_label(label, SVG_SECONDS, ns));
	}
	svg_text(plot->out, plot->left + plot->width / 2, bottom + 43, "middle", "label small",
		 plot->x.label);
}

/* The line that steps from row to row. */
static void story_steps(const struct svg_plot *plot, const struct html_story *story)
{
	bool has_begun = false;
	uint32_t i;

	fputs("<path class=\"curve anon\" d=\"", plot->out);
	for (i = 0; i < story->nr_moments; i++) {
		const struct html_moment *m = &story->moments[i];
		int row = row_of(m);

		if (row < 0)
			continue;
		fprintf(plot->out, has_begun ? "H%.1fV%.1f" : "M%.1f %.1f", svg_x(plot, m->ts_ns),
			row_y(plot, row));
		has_begun = true;
	}
	fputs("\"/>\n", plot->out);
}

/* Class of the dot of @kind; those that matter most are larger. */
static const char *dot_class(unsigned kind, bool *is_large)
{
	*is_large = kind == CHANGE_END || kind == CHANGE_BORN || kind == CHANGE_REFAULT;
	switch (kind) {
	case CHANGE_END:
		return "V2";
	case CHANGE_REFAULT:
	case CHANGE_SWAPIN:
		return "V1";
	case CHANGE_BORN:
		return "V3";
	default:
		return "fill-anon";
	}
}

void html_story_legend(FILE *out)
{
	static const struct {
		unsigned kind;		/* one of those of its class */
		const char *text;
	} dots[] = {
		{ CHANGE_BORN, "a life begins" },
		{ CHANGE_REFAULT, "the page comes back: swap-in (small), refault" },
		{ CHANGE_END, "the life ends" },
		{ CHANGE_NONE, "anything else: see the events below each, or point at the dot" },
	};
	bool is_large;
	unsigned i;

	fputs("<ul class=\"legend\">", out);
	for (i = 0; i < sizeof(dots) / sizeof(dots[0]); i++) {
		const char *class = dot_class(dots[i].kind, &is_large);

		fprintf(out, "<li><svg viewBox=\"0 0 32 10\" aria-hidden=\"true\"><circle class=\"%s\" "
			     "cx=\"16\" cy=\"5\" r=\"%s\"/></svg>%s</li>",
			class, is_large ? "4" : "2.5", dots[i].text);
	}
	fputs("</ul>\n", out);
}

/* A dot for each moment, with what happened as its title. */
static void story_dots(const struct svg_plot *plot, const struct html_story *story, bool is_light)
{
	double y = row_y(plot, NR_ROWS - 1);
	char text[96];
	uint32_t i;

	for (i = 0; i < story->nr_moments; i++) {
		const struct html_moment *m = &story->moments[i];
		int row = row_of(m);
		bool is_large;
		const char *class = dot_class(m->kind, &is_large);

		if (row >= 0)
			y = row_y(plot, row);
		moment_text(m, is_light, text, sizeof(text));
		fprintf(plot->out,
			"<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>%.6f s: %s",
			class, svg_x(plot, m->ts_ns), y, is_large ? "4" : "2.5", m->ts_ns / 1e9,
			moment_name(m));
		if (*text) {
			fputs(", ", plot->out);
			svg_escape(plot->out, text);
		}
		fputs("</title></circle>", plot->out);
	}
	fputc('\n', plot->out);
}

static void story_svg(FILE *out, const struct html_story *story, uint64_t duration_ns,
		      bool is_light)
{
	struct svg_plot plot = html_time_plot(out, 88, duration_ns);
	uint64_t from_ns = story->moments[0].ts_ns;
	uint64_t to_ns = story->moments[story->nr_moments - 1].ts_ns;
	char title[64];
	double margin;

	if (to_ns <= from_ns)
		to_ns = from_ns + 1000;
	margin = (to_ns - from_ns) * 0.03;
	plot.x.min = from_ns > margin ? from_ns - margin : 0;
	plot.x.max = to_ns + margin;
	plot.top = 4;
	plot.y = (struct svg_axis){ 0, NR_ROWS - 1, false, SVG_NUMBER, "" };
	snprintf(title, sizeof(title), "Page frame 0x%llx", (unsigned long long)story->pfn);
	svg_begin(out, HTML_WIDTH, 144, title, "Generation over time, with what happened");
	story_axes(&plot);
	story_steps(&plot, story);
	story_dots(&plot, story, is_light);
	svg_end(out);
}

void html_write_story(FILE *out, const struct html_side *side, const struct html_story *s)
{
	uint32_t i, nr_lives = 0, last_life = 0;
	char text[96];

	if (!s->nr_moments)
		return;
	for (i = 0; i < s->nr_moments; i++) {
		nr_lives += s->moments[i].life != last_life;
		last_life = s->moments[i].life;
	}
	fprintf(out, "<div class=\"story\" data-pfn=\"%llu\" id=\"pfn-%s%llx\"><h3>Page frame 0x%llx (%llu)%s%s"
		     "</h3><p class=\"soft\">%u %s, %u events%s</p>\n",
		(unsigned long long)s->pfn, side->name, (unsigned long long)s->pfn,
		(unsigned long long)s->pfn, (unsigned long long)s->pfn, *side->name ? ", " : "",
		side->name, nr_lives, nr_lives == 1 ? "life" : "lives",
		s->nr_moments + s->nr_left_out, s->nr_left_out ? ", the first of them here" : "");
	story_svg(out, s, side->duration_ns, side->is_light);
	fputs("<details><summary>Events</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Events\"><table><thead><tr><th>time [s]</th><th>life</th><th>event</th>"
	      "<th>generation</th><th>age</th><th>what</th></tr></thead><tbody>\n",
	      out);
	for (i = 0; i < s->nr_moments; i++) {
		const struct html_moment *m = &s->moments[i];

		moment_text(m, side->is_light, text, sizeof(text));
		fprintf(out, "<tr><td class=\"n\">%.6f</td><td class=\"n\">%u</td><td>%s</td><td>",
			m->ts_ns / 1e9, m->life, moment_name(m));
		if (m->old_gen != m->new_gen && m->old_gen >= 0 && m->new_gen >= 0)
			fprintf(out, "%d to %d", m->old_gen, m->new_gen);
		else if (m->new_gen >= 0)
			fprintf(out, "%d", m->new_gen);
		else if (m->old_gen >= 0)
			fprintf(out, "%d, then none", m->old_gen);
		else
			fputs("-", out);
		fprintf(out, "</td><td class=\"n\">");
		if (m->age >= 0)
			fprintf(out, "%d", m->age);
		else
			fputs("-", out);
		fputs("</td><td>", out);
		svg_escape(out, text);
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody></table></div></details></div>\n", out);
}
