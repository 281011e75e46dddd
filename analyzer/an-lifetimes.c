// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lifetimes: how lives begin and end, how long they last, how long folios stay
 * in a generation and where they go from it.
 *
 * Survival is Kaplan-Meier over lives whose beginning was seen: the event is
 * reclaim (evicted, reclaimed, lazyfreed); a life that ends otherwise, or does
 * not end, is censored then. In a trimmed recording a life that began before the
 * cut is at risk from its age at the cut on: those that ended before are not there.
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
	/* not in it, for their beginning was not seen; of these those reclaimed */
	uint64_t nr_left_out[TYPE_NR], nr_left_out_reclaimed[TYPE_NR];
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
	bool is_reclaimed = c->end == END_EVICTED || c->end == END_RECLAIMED ||
			    c->end == END_LAZYFREED;
	uint64_t seen_after_ns = 0;

	s->nr_by_birth[f->birth]++;
	s->nr_by_end[f->type][c->end]++;
	s->pages_by_end[f->type][c->end] += 1ull << f->order;
	if (f->birth == BIRTH_UNKNOWN || c->ts_ns < f->birth_ns) {
		s->nr_left_out[f->type]++;
		s->nr_left_out_reclaimed[f->type] += is_reclaimed;
		return;
	}
	/* a life that a trimmed recording took over was there when its first event came */
	if (analysis_is_earlier(s->env, f->birth_ns))
		seen_after_ns = s->env->first_ts_ns - 1 - f->birth_ns;
	survival_add(&s->survival[f->type], seen_after_ns, c->ts_ns - f->birth_ns, is_reclaimed);
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
	if (s->nr_by_end[TYPE_FILE][END_LAZYFREED])
		fprintf(out, "lazyfreed: anonymous memory given up by MADV_FREE; the kernel has it on\n"
			     "  the file lists, and so it is among file here and below\n");
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

static void render_left_out(const struct state *s, FILE *out)
{
	unsigned type;

	for (type = 0; type < TYPE_NR; type++)
		if (s->nr_left_out[type])
			fprintf(out, "%s: %llu lives are in no line of survival, since their beginning was\n"
				     "  not seen; %llu of them were reclaimed\n",
				type_name(type), (unsigned long long)s->nr_left_out[type],
				(unsigned long long)s->nr_left_out_reclaimed[type]);
}

static void render_survival_table(const struct state *s, FILE *out)
{
	struct text_buf age, percent;
	uint64_t ns, decade, nr, at_risk[TYPE_NR];
	bool third = false;
	unsigned type;

	nr = s->survival[TYPE_ANON].nr + s->survival[TYPE_FILE].nr;
	if (!nr)
		return;
	fprintf(out, "\n%-26s %11s %9s %12s %9s\n", "not reclaimed at age", "anon", "at risk", "file",
		"at risk");
	/* 1 ms, 3 ms, 10 ms, ... */
	for (decade = 1000000; decade < 1000000000000000000ull; decade *= third ? 10 : 1, third = !third) {
		ns = third ? 3 * decade : decade;
		for (type = 0; type < TYPE_NR; type++)
			at_risk[type] = survival_at_risk(&s->survival[type], ns);
		if (!at_risk[TYPE_ANON] && !at_risk[TYPE_FILE])
			break;
		fprintf(out, "  %-24s", text_duration(&age, ns));
		for (type = 0; type < TYPE_NR; type++) {
			bool known = s->survival[type].nr && at_risk[type];

			fprintf(out, " %*s %9llu", type ? 12 : 11,
				known ? text_percent(&percent,
						     survival_at(&s->survival[type], ns), 1) :
					"-",
				(unsigned long long)at_risk[type]);
		}
		fputc('\n', out);
	}
}

static void render_ages(const struct state *s, FILE *out)
{
	struct text_buf buf;
	unsigned type, age, i;

	fprintf(out, "\nFolios that left a generation, by its age (0 is the youngest), the median\n"
		     "of their time in it, and how they left: through a page table for a\n"
		     "younger or an older one; on to the next; off to reclaim; isolated by\n"
		     "others, or requeued; freed.\n"
		     "%-10s %7s %8s%s\n", "", "folios", "median",
		" younger   older    next reclaim isolate   freed");
	for (type = 0; type < TYPE_NR; type++) {
		for (age = 0; age < MODEL_MAX_GENS; age++) {
			const struct by_age *by_age = &s->ages[type][age];
			uint64_t nr = 0;
			char label[32];

			for (i = 0; i < EXIT_NR; i++)
				nr += by_age->exits[i];
			if (!nr)
				continue;
			snprintf(label, sizeof(label), "%s age %u", type_name(type), age);
			fprintf(out, "%-10s %7llu %8s", label, (unsigned long long)nr,
				by_age->residency_ns.nr ?
					text_duration(&buf,
						      hist_quantile(&by_age->residency_ns, 0.5)) :
					"-");
			for (i = 0; i < EXIT_NR; i++)
				fprintf(out, " %7s", text_percent(&buf, by_age->exits[i], nr));
			fputc('\n', out);
		}
	}
	fprintf(out, "%s\n", HIST_RESOLUTION_TEXT);
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
	render_survival_table(s, out);
	render_left_out(s, out);
	render_ages(s, out);
	render_reasons(s, out);
}

static const struct column birth_columns[] = {
	{ "birth", CELL_TEXT, "", "how the life began" },
	{ "lives", CELL_COUNT, "lives", "that began so" },
};

static const struct table_def birth_def = {
	"births", "How lives began", "add, refault, swapin, migrate, split",
	birth_columns, sizeof(birth_columns) / sizeof(birth_columns[0]),
};

static const struct column end_columns[] = {
	{ "end", CELL_TEXT, "", "how the life ended" },
	{ "anon_lives", CELL_COUNT, "lives", "of anon folios" },
	{ "anon_pages", CELL_COUNT, "pages", "of these folios" },
	{ "file_lives", CELL_COUNT, "lives", "of file folios" },
	{ "file_pages", CELL_COUNT, "pages", "of these folios" },
};

static const struct table_def end_def = {
	"ends", "How lives ended", "del, reclaim, evict, lazyfree, migrate",
	end_columns, sizeof(end_columns) / sizeof(end_columns[0]),
};

static const struct column survival_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "up_to_ns", CELL_COUNT, "ns", "age of the folio, end of the bucket" },
	{ "at_risk", CELL_COUNT, "lives", "seen in the bucket" },
	{ "exposure", CELL_REAL, "lives", "the same, each by the share of it that it was seen" },
	{ "reclaimed", CELL_COUNT, "lives", "reclaimed in it" },
	{ "censored", CELL_COUNT, "lives", "that ended otherwise in it, or with the recording" },
	{ "survival", CELL_REAL, "",
	  "Kaplan-Meier: fraction not reclaimed by its end, the one before times "
	  "(1 - reclaimed / at_risk) to the power of at_risk / exposure" },
};

static const struct table_def survival_def = {
	"survival", "Survival of folios until they are reclaimed", "add, reclaim, evict, del",
	survival_columns, sizeof(survival_columns) / sizeof(survival_columns[0]),
};

static const struct column quantile_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "lives", CELL_COUNT, "lives", "whose beginning was seen" },
	{ "p10_ns", CELL_COUNT, "ns", "age by which 10 % were reclaimed; absent: not yet" },
	{ "p25_ns", CELL_COUNT, "ns", "25 %" },
	{ "p50_ns", CELL_COUNT, "ns", "50 %" },
	{ "p75_ns", CELL_COUNT, "ns", "75 %" },
	{ "p90_ns", CELL_COUNT, "ns", "90 %" },
	{ "left_out", CELL_COUNT, "lives", "in none of these, since their beginning was not seen" },
	{ "left_out_reclaimed", CELL_COUNT, "lives", "of those left out" },
};

static const struct table_def quantile_def = {
	"survival_quantiles", "Reclaimed after", "add, reclaim, evict, del",
	quantile_columns, sizeof(quantile_columns) / sizeof(quantile_columns[0]),
};

static const struct column gen_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "age", CELL_COUNT, "generations", "older than the youngest" },
	{ "leaves", CELL_COUNT, "folios", "left a generation of that age" },
	{ "residency_p10_ns", CELL_COUNT, "ns", "time in the generation, 10 % below" },
	{ "residency_p50_ns", CELL_COUNT, "ns", "time in the generation, median" },
	{ "residency_p90_ns", CELL_COUNT, "ns", "time in the generation, 90 % below" },
	{ "younger", CELL_COUNT, "folios", "left for a younger one, through page tables" },
	{ "older", CELL_COUNT, "folios", "left for an older one, through page tables" },
	{ "next", CELL_COUNT, "folios", "moved on by reclaim or aging" },
	{ "reclaim", CELL_COUNT, "folios", "isolated by reclaim" },
	{ "isolate", CELL_COUNT, "folios", "isolated by others, or requeued" },
	{ "freed", CELL_COUNT, "folios", "freed by their owner" },
};

static const struct table_def gen_def = {
	"generations", "Time in a generation, and where folios go", "add, del, update, move",
	gen_columns, sizeof(gen_columns) / sizeof(gen_columns[0]),
};

static const struct column residency_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "age", CELL_COUNT, "generations", "older than the youngest" },
	{ "up_to_ns", CELL_COUNT, "ns", "time in the generation, largest of the bucket" },
	{ "folios", CELL_COUNT, "folios", "that left it after that long" },
};

static const struct table_def residency_def = {
	"residency", "Time in a generation", "add, del, update, move",
	residency_columns, sizeof(residency_columns) / sizeof(residency_columns[0]),
};

static const struct column outcome_columns[] = {
	{ "outcome", CELL_TEXT, "", "of reclaim" },
	{ "folios", CELL_COUNT, "folios", "isolated by reclaim that ended so" },
};

static const struct table_def outcome_def = {
	"reclaim_outcomes", "What reclaim did with the folios it isolated", "reclaim",
	outcome_columns, sizeof(outcome_columns) / sizeof(outcome_columns[0]),
};

static const struct column reason_columns[] = {
	{ "reason", CELL_TEXT, "", "why a folio was not freed" },
	{ "folios", CELL_COUNT, "folios", "sent back for this reason" },
};

static const struct table_def reason_def = {
	"reclaim_reasons", "Why reclaim sent folios back", "reclaim",
	reason_columns, sizeof(reason_columns) / sizeof(reason_columns[0]),
};

static void survival_rows(const struct state *s, struct table *rows, struct table *quantiles,
			  unsigned type)
{
	static const double q[] = { 0.1, 0.25, 0.5, 0.75, 0.9 };
	const struct survival *survival = &s->survival[type];
	struct survival_step step = { 0 };
	uint64_t ns;
	unsigned i;

	while (survival_next(survival, &step)) {
		cell_name(rows, type_name(type));
		cell_count(rows, hist_bucket_max(step.bucket));
		cell_count(rows, step.at_risk);
		cell_real(rows, step.exposure);
		cell_count(rows, survival->events[step.bucket]);
		cell_count(rows, survival->censored[step.bucket]);
		cell_real(rows, step.alive);
	}
	cell_name(quantiles, type_name(type));
	cell_count(quantiles, survival->nr);
	for (i = 0; i < 5; i++) {
		if (survival_quantile(survival, q[i], &ns))
			cell_count(quantiles, ns);
		else
			cell_absent(quantiles);
	}
	cell_count(quantiles, s->nr_left_out[type]);
	cell_count(quantiles, s->nr_left_out_reclaimed[type]);
}

static void gen_rows(const struct by_age *by_age, struct table *gens, struct table *residency,
		     unsigned type, unsigned age)
{
	static const double q[] = { 0.1, 0.5, 0.9 };
	uint64_t nr = 0;
	unsigned i;

	for (i = 0; i < EXIT_NR; i++)
		nr += by_age->exits[i];
	if (!nr)
		return;
	cell_name(gens, type_name(type));
	cell_count(gens, age);
	cell_count(gens, nr);
	for (i = 0; i < 3; i++) {
		if (by_age->residency_ns.nr)
			cell_count(gens, hist_quantile(&by_age->residency_ns, q[i]));
		else
			cell_absent(gens);
	}
	for (i = 0; i < EXIT_NR; i++)
		cell_count(gens, by_age->exits[i]);
	for (i = 0; i < HIST_NR_BUCKETS; i++) {
		if (!by_age->residency_ns.buckets[i])
			continue;
		cell_name(residency, type_name(type));
		cell_count(residency, age);
		cell_count(residency, hist_bucket_max(i));
		cell_count(residency, by_age->residency_ns.buckets[i]);
	}
}

static void tables(const void *self, struct tables *tables)
{
	const struct state *s = self;
	struct table *births = tables_add(tables, &birth_def);
	struct table *ends = tables_add(tables, &end_def);
	struct table *survival = tables_add(tables, &survival_def);
	struct table *quantiles = tables_add(tables, &quantile_def);
	struct table *gens = tables_add(tables, &gen_def);
	struct table *residency = tables_add(tables, &residency_def);
	struct table *outcomes = tables_add(tables, &outcome_def);
	struct table *reasons = tables_add(tables, &reason_def);
	unsigned i, type;

	for (i = 0; i < BIRTH_NR; i++) {
		cell_name(births, folio_birth_name(i));
		cell_count(births, s->nr_by_birth[i]);
	}
	for (i = 0; i < END_NR; i++) {
		cell_name(ends, folio_end_name(i));
		for (type = 0; type < TYPE_NR; type++) {
			cell_count(ends, s->nr_by_end[type][i]);
			cell_count(ends, s->pages_by_end[type][i]);
		}
	}
	for (type = 0; type < TYPE_NR; type++) {
		survival_rows(s, survival, quantiles, type);
		for (i = 0; i < MODEL_MAX_GENS; i++)
			gen_rows(&s->ages[type][i], gens, residency, type, i);
	}
	for (i = 0; i < OUTCOME_NR; i++) {
		cell_name(outcomes, outcome_name(i));
		cell_count(outcomes, s->nr_outcomes[i]);
	}
	for (i = 1; i < REASON_NR; i++) {
		cell_name(reasons, reason_name(i));
		cell_count(reasons, s->nr_reasons[i]);
	}
}

static const struct table_def *const defs[] = {
	&birth_def, &end_def,	    &survival_def, &quantile_def, &gen_def,
	&residency_def, &outcome_def, &reason_def,   NULL,
};

const struct analysis_ops analysis_lifetimes = {
	.name = "lifetimes",
	.title = "Lifetimes",
	.begin = begin,
	.change = change,
	.kinds = 1u << CHANGE_END |
		 1u << CHANGE_UPDATE |
		 1u << CHANGE_MOVE |
		 1u << CHANGE_LEAVE |
		 1u << CHANGE_OUTCOME,
	.render = render,
	.defs = defs,
	.tables = tables,
	.release = free,
};
