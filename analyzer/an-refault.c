// SPDX-License-Identifier: GPL-2.0-only
#include "refault.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "text.h"

/* Of a lruvec. */
struct agings {
	uint64_t nr;
	uint64_t nr_regretted[TYPE_NR];
};

struct state {
	const struct analysis_env *env;
	struct refault_results results;
	unsigned nr_examples;
	struct agings *agings;	/* by number of the lruvec */
	uint32_t nr_lruvecs, nr_alloc;
	bool out_of_memory;
};

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->env = env;
	s->results.regret_gens = env->opts->has_regret_gens ? env->opts->regret_gens :
							      REFAULT_REGRET_GENS;
	s->nr_examples = order_nr_examples(env->opts);
	return s;
}

static void release(void *self)
{
	struct state *s = self;

	free(s->agings);
	free(s);
}

/* NULL without memory. */
static struct agings *agings_of(struct state *s, const struct lruvec *lruvec)
{
	while (s->nr_lruvecs <= lruvec->number) {
		if (array_grow(&s->agings, s->nr_lruvecs, &s->nr_alloc, sizeof(*s->agings))) {
			s->out_of_memory = true;
			return NULL;
		}
		memset(&s->agings[s->nr_lruvecs++], 0, sizeof(*s->agings));
	}
	return &s->agings[lruvec->number];
}

static void evicted(struct state *s, const struct change *c)
{
	struct refault_results *r = &s->results;

	r->nr_evicted[c->ev->type]++;
	if (c->ev->tier < REFAULT_MAX_TIERS)
		r->evicted_by_tier[c->ev->type][c->ev->tier]++;
	if (c->page && c->page->nr_evictions)
		r->nr_again++;
}

/* V5: the page that was evicted @distance_ns ago is back. */
static void regretted(struct state *s, const struct change *c, const struct lruvec *lv,
		      uint64_t distance_ns)
{
	struct refault_results *r = &s->results;
	const struct page *page = c->page;
	unsigned type = c->ev->type;
	struct agings *agings;

	if (analysis_is_earlier(s->env, page->evict_ns)) {
		r->nr_earlier_regretted[type]++;
	} else {
		r->nr_regretted[type]++;
		agings = agings_of(s, lv);
		if (agings)
			agings->nr_regretted[type]++;
		if (page->tier < REFAULT_MAX_TIERS)
			r->regretted_by_tier[type][page->tier]++;
		if (order_examples_want(&r->examples[type], s->nr_examples, distance_ns, true)) {
			struct order_example example = {
				.pfn = c->pfn,
				.life = c->folio->life,
				.ts_ns = c->ts_ns,
				.magnitude = distance_ns,
			};

			order_examples_keep(&r->examples[type], s->nr_examples, &example, true);
		}
	}
	analysis_violation(s->env, &(struct violation){
					   .kind = 5,
					   .site = SITE_OTHER,
					   .type = type,
					   .ts_ns = c->ts_ns,
					   .lruvec = lv,
					   .pfn = c->pfn,
					   .life = c->folio->life,
					   .nr_folios = 1,
					   .magnitude = distance_ns,
				   });
}

/* The page came back as @c->folio; @c->page is as the eviction left it. */
static void came_back(struct state *s, const struct change *c)
{
	struct refault_results *r = &s->results;
	const struct page *page = c->page;
	unsigned type = c->ev->type;
	const struct lruvec *lv;
	uint64_t gens, distance_ns;
	bool has_gens;

	if (!page || !page->evict_ns || c->ts_ns < page->evict_ns) {
		r->nr_unchained[type]++;
		return;
	}
	lv = model_lruvec(s->env->model, page->lruvec);
	distance_ns = c->ts_ns - page->evict_ns;
	has_gens = model_agings(lv, page, &gens);
	if (analysis_is_earlier(s->env, page->evict_ns)) {
		r->nr_earlier[type]++;
	} else {
		r->nr_chained[type]++;
		hist_add(&r->distance_ns[type], distance_ns);
		hist_add(&r->distance_pages[type], lv->nr_reclaimed[type] - page->evict_clock);
		if (has_gens)
			hist_add(&r->distance_gens[type], gens);
	}
	if (has_gens && gens <= r->regret_gens)
		regretted(s, c, lv, distance_ns);
}

static void change(void *self, const struct change *c)
{
	struct state *s = self;
	struct refault_results *r = &s->results;
	const struct event *ev = c->ev;
	struct agings *agings;
	uint64_t nr_pages;

	switch (c->kind) {
	case CHANGE_EVICT:
		evicted(s, c);
		break;
	case CHANGE_REFAULT:
		nr_pages = 1ull << ev->order;
		r->nr_refaulted[ev->type]++;
		if (ev->u.page.counted) {
			r->pages_counted[ev->type] += nr_pages;
			if (ev->u.page.recent)
				r->pages_recent[ev->type] += nr_pages;
			if (ev->u.page.restored)
				r->pages_restored[ev->type] += nr_pages;
		}
		came_back(s, c);
		break;
	case CHANGE_SWAPIN:
		r->nr_swapped_in++;
		break;
	case CHANGE_SEQ:
		agings = ev->kind == EV_MAX_SEQ ? agings_of(s, c->lruvec) : NULL;
		if (agings) {
			agings->nr++;
			r->nr_agings++;
		}
		break;
	default:
		break;
	}
}

static void end(void *self)
{
	struct state *s = self;
	unsigned type;
	uint32_t i;

	for (i = 0; i < s->nr_lruvecs; i++)
		for (type = 0; type < TYPE_NR && !s->agings[i].nr; type++)
			s->results.nr_unaged_regretted[type] += s->agings[i].nr_regretted[type];
}

static bool incomplete(const void *self)
{
	return ((const struct state *)self)->out_of_memory;
}

const struct refault_results *refault_results(const void *self)
{
	return &((const struct state *)self)->results;
}

static void render_quantiles(FILE *out, const char *label, const struct hist *hist, bool is_time)
{
	static const double q[] = { 0.1, 0.5, 0.9 };
	struct text_buf buf;
	unsigned i;

	fprintf(out, "  %-34s", label);
	for (i = 0; i < 3; i++) {
		uint64_t value = hist_quantile(hist, q[i]);

		if (is_time)
			fprintf(out, " %11s", text_duration(&buf, value));
		else
			fprintf(out, " %11llu", (unsigned long long)value);
	}
	fputc('\n', out);
}

static void render_tiers(const struct refault_results *r, unsigned type, FILE *out)
{
	const char *before = "    ";
	struct text_buf buf;
	unsigned tier;

	for (tier = 0; tier < REFAULT_MAX_TIERS; tier++) {
		if (!r->evicted_by_tier[type][tier])
			continue;
		fprintf(out, "%stier %u: %s of %llu", before, tier,
			text_percent(&buf, r->regretted_by_tier[type][tier],
				     r->evicted_by_tier[type][tier]),
			(unsigned long long)r->evicted_by_tier[type][tier]);
		before = "; ";
	}
	if (*before == ';')
		fputc('\n', out);
}

static void render(const void *self, FILE *out)
{
	const struct state *s = self;
	const struct refault_results *r = &s->results;
	struct text_buf buf;
	unsigned type;

	for (type = 0; type < TYPE_NR; type++) {
		if (!r->nr_evicted[type] && !r->nr_refaulted[type]) {
			fprintf(out, "%s: no shadow was left or met\n", type_name(type));
			continue;
		}
		fprintf(out, "%s: %llu evicted with a shadow, %llu refaulted (%llu followed from\n"
			     "eviction, %llu not)\n",
			type_name(type), (unsigned long long)r->nr_evicted[type],
			(unsigned long long)r->nr_refaulted[type],
			(unsigned long long)r->nr_chained[type],
			(unsigned long long)(r->nr_refaulted[type] - r->nr_chained[type]));
		if (r->nr_earlier[type])
			fprintf(out, "  of those not, %llu were evicted before the cut: they are in no number\n"
				     "  below (back within %llu aging%s: %llu)\n",
				(unsigned long long)r->nr_earlier[type],
				(unsigned long long)r->regret_gens, text_plural(r->regret_gens),
				(unsigned long long)r->nr_earlier_regretted[type]);
		if (r->nr_chained[type]) {
			fprintf(out, "  %-34s %11s %11s %11s\n", "refault distance", "10%", "50%",
				"90%");
			render_quantiles(out, "time", &r->distance_ns[type], true);
			render_quantiles(out, "pages reclaimed from the lruvec",
					 &r->distance_pages[type], false);
			render_quantiles(out, "generations (agings)", &r->distance_gens[type],
					 false);
		}
		fprintf(out, "  V5 regretted, back within %llu aging%s: %llu (%s of evicted)\n",
			(unsigned long long)r->regret_gens, text_plural(r->regret_gens),
			(unsigned long long)r->nr_regretted[type],
			text_percent(&buf, r->nr_regretted[type], r->nr_evicted[type]));
		if (r->nr_agings && r->nr_unaged_regretted[type])
			fprintf(out, "    %llu of them from lruvecs of which no aging was recorded, where all\n"
				     "    that came back did within any window\n",
				(unsigned long long)r->nr_unaged_regretted[type]);
		render_tiers(r, type, out);
	}
	if (!r->nr_agings)
		fprintf(out, "V5: no aging was recorded, so all that came back did within any window\n");
	if (r->nr_chained[TYPE_ANON] || r->nr_chained[TYPE_FILE])
		fprintf(out, "%s\n", HIST_RESOLUTION_TEXT);
	fprintf(out, "evictions of a page evicted before: %llu; swap-ins seen: %llu\n",
		(unsigned long long)r->nr_again, (unsigned long long)r->nr_swapped_in);
}

static const struct column refault_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "evicted", CELL_COUNT, "folios", "that left a shadow" },
	{ "refaulted", CELL_COUNT, "folios", "that met their shadow" },
	{ "chained", CELL_COUNT, "folios", "refaulted, of these evictions" },
	{ "earlier", CELL_COUNT, "folios", "refaulted, evicted before the cut of a part" },
	{ "unchained", CELL_COUNT, "folios", "refaulted, eviction or identity unknown" },
	{ "regret_gens", CELL_COUNT, "agings", "the window of V5" },
	{ "regretted", CELL_COUNT, "folios", "V5: chained, back within that many agings" },
	{ "unaged_regretted", CELL_COUNT, "folios",
	  "regretted, of lruvecs of which no aging was recorded: V5 has no window there" },
	{ "earlier_regretted", CELL_COUNT, "folios",
	  "earlier, back within that many agings; of no rate" },
	{ "time_p10_ns", CELL_COUNT, "ns", "from eviction to refault, 10 % of chained below" },
	{ "time_p50_ns", CELL_COUNT, "ns", "median of the same" },
	{ "time_p90_ns", CELL_COUNT, "ns", "90 % of the same below" },
	{ "pages_p50", CELL_COUNT, "pages", "reclaimed from the lruvec in between, median" },
	{ "gens_p50", CELL_COUNT, "agings", "of the lruvec in between, median" },
};

static const struct table_def refault_def = {
	"refaults", "Refaults", "evict, refault",
	refault_columns, sizeof(refault_columns) / sizeof(refault_columns[0]),
};

static const struct column tier_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "tier", CELL_COUNT, "", "of the folio when it was evicted" },
	{ "evicted", CELL_COUNT, "folios", "that left a shadow" },
	{ "regretted", CELL_COUNT, "folios", "V5: of these, soon back" },
};

static const struct table_def tier_def = {
	"refault_tiers", "Regretted evictions by tier", "evict, refault",
	tier_columns, sizeof(tier_columns) / sizeof(tier_columns[0]),
};

static const struct column distance_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "measure", CELL_TEXT, "", "time_ns, pages (reclaimed in between) or agings" },
	{ "up_to", CELL_COUNT, "", "largest value of the bucket, in the unit of measure" },
	{ "folios", CELL_COUNT, "folios", "refaulted at this distance" },
};

static const struct table_def distance_def = {
	"refault_distances", "Refault distances", "evict, refault",
	distance_columns, sizeof(distance_columns) / sizeof(distance_columns[0]),
};

static const struct column total_columns[] = {
	{ "evicted_again", CELL_COUNT, "folios", "evictions of pages that were evicted before" },
	{ "swapped_in", CELL_COUNT, "folios", "filled from swap" },
};

static const struct table_def total_def = {
	"refault_other", "Other notes on refaults", "evict, swapin",
	total_columns, sizeof(total_columns) / sizeof(total_columns[0]),
};

static const struct column regret_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "pfn", CELL_COUNT, "", "page frame that it came back to" },
	{ "life", CELL_COUNT, "", "number of the new life, for folio --life" },
	{ "ts_ns", CELL_COUNT, "ns", "when it came back, from the first event" },
	{ "distance_ns", CELL_COUNT, "ns", "since its eviction" },
};

static const struct table_def regret_def = {
	"regretted_examples", "V5 regretted evictions that were back soonest", "evict, refault",
	regret_columns, sizeof(regret_columns) / sizeof(regret_columns[0]),
};

static void distance_rows(struct table *table, unsigned type, const char *measure,
			  const struct hist *hist)
{
	unsigned i;

	for (i = 0; i < HIST_NR_BUCKETS; i++) {
		if (!hist->buckets[i])
			continue;
		cell_name(table, type_name(type));
		cell_name(table, measure);
		cell_count(table, hist_bucket_max(i));
		cell_count(table, hist->buckets[i]);
	}
}

static void quantile(struct table *table, const struct hist *hist, double q)
{
	if (hist->nr)
		cell_count(table, hist_quantile(hist, q));
	else
		cell_absent(table);
}

static void tables(const void *self, struct tables *tables)
{
	const struct state *s = self;
	const struct refault_results *r = &s->results;
	struct table *refaults = tables_add(tables, &refault_def);
	struct table *tiers = tables_add(tables, &tier_def);
	struct table *distances = tables_add(tables, &distance_def);
	struct table *total = tables_add(tables, &total_def);
	struct table *examples = tables_add(tables, &regret_def);
	unsigned type, i;

	tables->out_of_memory |= s->out_of_memory;
	for (type = 0; type < TYPE_NR; type++) {
		cell_name(refaults, type_name(type));
		cell_count(refaults, r->nr_evicted[type]);
		cell_count(refaults, r->nr_refaulted[type]);
		cell_count(refaults, r->nr_chained[type]);
		cell_count(refaults, r->nr_earlier[type]);
		cell_count(refaults, r->nr_unchained[type]);
		cell_count(refaults, r->regret_gens);
		cell_count(refaults, r->nr_regretted[type]);
		cell_count(refaults, r->nr_unaged_regretted[type]);
		cell_count(refaults, r->nr_earlier_regretted[type]);
		quantile(refaults, &r->distance_ns[type], 0.1);
		quantile(refaults, &r->distance_ns[type], 0.5);
		quantile(refaults, &r->distance_ns[type], 0.9);
		quantile(refaults, &r->distance_pages[type], 0.5);
		quantile(refaults, &r->distance_gens[type], 0.5);
		for (i = 0; i < REFAULT_MAX_TIERS; i++) {
			if (!r->evicted_by_tier[type][i])
				continue;
			cell_name(tiers, type_name(type));
			cell_count(tiers, i);
			cell_count(tiers, r->evicted_by_tier[type][i]);
			cell_count(tiers, r->regretted_by_tier[type][i]);
		}
		distance_rows(distances, type, "time_ns", &r->distance_ns[type]);
		distance_rows(distances, type, "pages", &r->distance_pages[type]);
		distance_rows(distances, type, "agings", &r->distance_gens[type]);
	}
	cell_count(total, r->nr_again);
	cell_count(total, r->nr_swapped_in);
	for (type = 0; type < TYPE_NR; type++)
		for (i = 0; i < r->examples[type].nr; i++) {
			const struct order_example *e = &r->examples[type].e[i];

			cell_name(examples, type_name(type));
			cell_count(examples, e->pfn);
			cell_count(examples, e->life);
			cell_count(examples, e->ts_ns > s->env->first_ts_ns ?
						     e->ts_ns - s->env->first_ts_ns :
						     0);
			cell_count(examples, e->magnitude);
		}
}

static const struct table_def *const defs[] = {
	&refault_def, &tier_def, &distance_def, &total_def, &regret_def, NULL,
};

const struct analysis_ops analysis_refault = {
	.name = "refault",
	.title = "Refaults",
	.begin = begin,
	.change = change,
	.kinds = 1u << CHANGE_EVICT |
		 1u << CHANGE_REFAULT |
		 1u << CHANGE_SWAPIN |
		 1u << CHANGE_SEQ,
	.end = end,
	.incomplete = incomplete,
	.render = render,
	.defs = defs,
	.tables = tables,
	.release = release,
};
