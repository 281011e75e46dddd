// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lifetimes: how lives begin and end, how long they last, how long folios stay
 * in a generation and where they go from it.
 *
 * Survival is Kaplan-Meier over lives whose beginning was seen: the event is
 * reclaim (evicted, reclaimed, lazyfreed); a life that ends otherwise, or does
 * not end, is censored then.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "hist.h"
#include "lifetimes.h"
#include "survival.h"
#include "text.h"

/* Where a folio goes from a generation. */
enum exit_kind {
	EXIT_YOUNGER,		/* through a page table */
	EXIT_OLDER,		/* put back into an older one */
	EXIT_NEXT,		/* moved on from the oldest */
	EXIT_RECLAIM,		/* isolated by reclaim */
	EXIT_ISOLATED,		/* isolated by others, or requeued */
	EXIT_FREED,
	EXIT_NR
};

struct by_age {
	struct hist residency_ns;
	uint64_t exits[EXIT_NR];
};

struct state {
	const struct analysis_env *env;
	uint64_t nr_by_birth[BIRTH_NR];
	uint64_t nr_by_end[TYPE_NR][END_NR], pages_by_end[TYPE_NR][END_NR];
	struct survival survival[TYPE_NR];
	struct by_age ages[TYPE_NR][MODEL_MAX_GENS];
	uint64_t nr_outcomes[OUTCOME_NR];
	uint64_t nr_reasons[REASON_NR];
};

struct lifetime lifetime_from(const struct change *c)
{
	const struct folio *f = c->folio;
	struct lifetime row = {
		.life = f->life,
		.pfn = c->pfn,
		.type = f->type,
		.order = f->order,
		.zone = f->zone,
		.birth = f->birth,
		.end = c->end,
		.birth_ns = f->birth_ns,
		.end_ns = c->ts_ns,
		.nr_promoted = f->nr_promoted,
		.nr_protected = f->nr_protected,
		.nr_isolated = f->nr_isolated,
	};

	if (c->lruvec) {
		row.has_lruvec = true;
		row.memcg = c->lruvec->memcg;
		row.nid = c->lruvec->nid;
		if (c->old_gen >= 0 && c->lruvec->seq_known) {
			row.has_last_age = true;
			row.last_age = model_age(c->lruvec, c->old_gen);
		}
	}
	if (c->page) {
		row.has_page = true;
		row.backing = c->page->backing;
		row.dev = c->page->dev;
		row.ino = c->page->ino;
		row.index = c->page->index;
		row.nr_evictions = c->page->nr_evictions;
	}
	return row;
}

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (s)
		s->env = env;
	return s;
}

static void leave_gen(struct state *s, const struct change *c, enum exit_kind exit)
{
	struct by_age *by_age;

	if (!c->lruvec || !c->lruvec->seq_known || c->old_gen < 0)
		return;
	by_age = &s->ages[c->folio->type][model_age(c->lruvec, c->old_gen)];
	by_age->exits[exit]++;
	if (c->gen_ns_known)
		hist_add(&by_age->residency_ns, c->gen_ns);
}

static void life_ends(struct state *s, const struct change *c)
{
	const struct folio *f = c->folio;

	s->nr_by_birth[f->birth]++;
	s->nr_by_end[f->type][c->end]++;
	s->pages_by_end[f->type][c->end] += 1ull << f->order;
	if (f->birth == BIRTH_UNKNOWN || c->ts_ns < f->birth_ns)
		return;
	survival_add(&s->survival[f->type], c->ts_ns - f->birth_ns,
		     c->end == END_EVICTED || c->end == END_RECLAIMED || c->end == END_LAZYFREED);
}

static void change(void *self, const struct change *c)
{
	struct state *s = self;

	switch (c->kind) {
	case CHANGE_END:
		life_ends(s, c);
		break;
	case CHANGE_UPDATE:
		if (c->lruvec && c->lruvec->seq_known && c->old_gen >= 0 && c->new_gen >= 0)
			leave_gen(s, c,
				  model_age(c->lruvec, c->new_gen) <
						  model_age(c->lruvec, c->old_gen) ?
					  EXIT_YOUNGER :
					  EXIT_OLDER);
		break;
	case CHANGE_MOVE:
		if (c->old_gen != c->new_gen)
			leave_gen(s, c, EXIT_NEXT);
		break;
	case CHANGE_LEAVE:
		leave_gen(s, c,
			  c->ev->site == SITE_ISOLATE_FOLIO ? EXIT_RECLAIM :
			  c->ev->site == SITE_RELEASE	    ? EXIT_FREED :
							      EXIT_ISOLATED);
		break;
	case CHANGE_OUTCOME:
		if (c->ev->u.reclaim.outcome < OUTCOME_NR)
			s->nr_outcomes[c->ev->u.reclaim.outcome]++;
		if (c->ev->u.reclaim.reason < REASON_NR)
			s->nr_reasons[c->ev->u.reclaim.reason]++;
		break;
	default:
		break;
	}
}

const struct survival *lifetimes_survival(const void *self, unsigned type)
{
	return &((const struct state *)self)->survival[type];
}

static void render_ends(const struct state *s, FILE *out)
{
	unsigned end, birth, type;
	uint64_t nr = 0;

	for (birth = 0; birth < BIRTH_NR; birth++)
		nr += s->nr_by_birth[birth];
	fprintf(out, "%llu lives; began:", (unsigned long long)nr);
	for (birth = 1; birth < BIRTH_NR; birth++)
		if (s->nr_by_birth[birth])
			fprintf(out, " %s %llu", folio_birth_name(birth),
				(unsigned long long)s->nr_by_birth[birth]);
	fprintf(out, "; unknown %llu\n\n", (unsigned long long)s->nr_by_birth[BIRTH_UNKNOWN]);

	fprintf(out, "%-12s %12s %12s %12s %12s\n", "ended", "anon lives", "anon pages",
		"file lives", "file pages");
	for (end = 0; end < END_NR; end++) {
		if (!s->nr_by_end[TYPE_ANON][end] && !s->nr_by_end[TYPE_FILE][end] &&
		    end != END_LOST)
			continue;
		fprintf(out, "%-12s", folio_end_name(end));
		for (type = 0; type < TYPE_NR; type++)
			fprintf(out, " %12llu %12llu", (unsigned long long)s->nr_by_end[type][end],
				(unsigned long long)s->pages_by_end[type][end]);
		fputc('\n', out);
	}
}

static void render_survival(const struct state *s, FILE *out)
{
	static const double quantiles[] = { 0.1, 0.25, 0.5, 0.75, 0.9 };
	struct text_buf buf;
	unsigned type, i;
	uint64_t ns;

	fprintf(out, "\n%-26s %8s %8s %8s %8s %8s\n", "reclaimed after (survival)", "10%", "25%",
		"50%", "75%", "90%");
	for (type = 0; type < TYPE_NR; type++) {
		const struct survival *survival = &s->survival[type];
		char label[64];

		if (!survival->nr)
			continue;
		snprintf(label, sizeof(label), "%s, %llu lives", type_name(type),
			 (unsigned long long)survival->nr);
		fprintf(out, "%-26s", label);
		for (i = 0; i < 5; i++)
			fprintf(out, " %8s",
				survival_quantile(survival, quantiles[i], &ns) ?
					text_duration(&buf, ns) :
					"not yet");
		fputc('\n', out);
	}
}

static void render_ages(const struct state *s, FILE *out)
{
	struct text_buf buf;
	unsigned type, age, i;

	fprintf(out, "\n%-10s %9s %8s  %s\n", "generation", "leaves", "median",
		"younger  older   next reclaim isolate  freed");
	for (type = 0; type < TYPE_NR; type++) {
		for (age = 0; age < MODEL_MAX_GENS; age++) {
			const struct by_age *by_age = &s->ages[type][age];
			uint64_t nr = 0;
			char label[32];

			for (i = 0; i < EXIT_NR; i++)
				nr += by_age->exits[i];
			if (!nr)
				continue;
			snprintf(label, sizeof(label), "%s %s%u", type_name(type),
				 age ? "-" : "", age);
			fprintf(out, "%-10s %9llu %8s ", label, (unsigned long long)nr,
				by_age->residency_ns.nr ?
					text_duration(&buf,
						      hist_quantile(&by_age->residency_ns, 0.5)) :
					"-");
			for (i = 0; i < EXIT_NR; i++)
				fprintf(out, " %7s", text_percent(&buf, by_age->exits[i], nr));
			fputc('\n', out);
		}
	}
}

static void render_reasons(const struct state *s, FILE *out)
{
	uint64_t kept = s->nr_outcomes[OUTCOME_KEPT] + s->nr_outcomes[OUTCOME_ACTIVATED];
	uint64_t freed = s->nr_outcomes[OUTCOME_RECLAIMED] + s->nr_outcomes[OUTCOME_LAZYFREED];
	unsigned i, column = 0;

	if (!kept && !freed)
		return;
	fprintf(out, "\nisolated by reclaim: %llu folios freed, %llu sent back\n",
		(unsigned long long)freed, (unsigned long long)kept);
	for (i = 1; i < REASON_NR; i++) {
		char item[64];
		int len;

		if (!s->nr_reasons[i])
			continue;
		len = snprintf(item, sizeof(item), "%s %llu", reason_name(i),
			       (unsigned long long)s->nr_reasons[i]);
		if (column && column + 2 + len > TEXT_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		column += fprintf(out, "%s%s", column ? "  " : "  ", item);
	}
	if (column)
		fputc('\n', out);
}

static void render(const void *self, FILE *out)
{
	const struct state *s = self;

	render_ends(s, out);
	render_survival(s, out);
	render_ages(s, out);
	render_reasons(s, out);
}

const struct analysis_ops analysis_lifetimes = {
	.name = "lifetimes",
	.title = "Lifetimes",
	.begin = begin,
	.change = change,
	.render = render,
	.release = free,
};
