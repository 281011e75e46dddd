// SPDX-License-Identifier: GPL-2.0-only
#include "refault.h"

#include <stdlib.h>

#include "text.h"

struct state {
	const struct analysis_env *env;
	struct refault_results results;
	unsigned nr_examples;
};

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->env = env;
	s->results.regret_gens = env->opts->has_regret_gens ? env->opts->regret_gens :
							      REFAULT_REGRET_GENS;
	s->nr_examples = env->opts->nr_examples ? env->opts->nr_examples : 2;
	if (s->nr_examples > ORDER_MAX_EXAMPLES)
		s->nr_examples = ORDER_MAX_EXAMPLES;
	return s;
}

/* Keep the examples that came back soonest; magnitude is the distance in ns. */
static void keep_soonest(struct state *s, const struct order_example *example)
{
	struct order_examples *examples = &s->results.examples;
	unsigned i, longest = 0;

	if (examples->nr < s->nr_examples) {
		examples->e[examples->nr++] = *example;
		return;
	}
	for (i = 1; i < examples->nr; i++)
		if (examples->e[i].magnitude > examples->e[longest].magnitude)
			longest = i;
	if (example->magnitude < examples->e[longest].magnitude)
		examples->e[longest] = *example;
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

/* The page came back as @c->folio; @c->page is as the eviction left it. */
static void came_back(struct state *s, const struct change *c)
{
	struct refault_results *r = &s->results;
	const struct page *page = c->page;
	unsigned type = c->ev->type;
	const struct lruvec *lv;
	bool gens_known;
	uint64_t gens;

	if (!page || !page->evict_ns || c->ts_ns < page->evict_ns) {
		r->nr_unchained[type]++;
		return;
	}
	r->nr_chained[type]++;
	hist_add(&r->distance_ns[type], c->ts_ns - page->evict_ns);
	lv = model_lruvec(s->env->model, page->lruvec);
	hist_add(&r->distance_pages[type], lv->nr_reclaimed[type] - page->evict_clock);
	gens_known = lv->seq_known && page->evict_max_seq && lv->max_seq >= page->evict_max_seq;
	if (!gens_known)
		return;
	gens = lv->max_seq - page->evict_max_seq;
	hist_add(&r->distance_gens[type], gens);
	if (gens <= r->regret_gens) {
		struct order_example example = {
			.pfn = c->pfn,
			.life = c->folio->life,
			.ts_ns = c->ts_ns,
			.magnitude = c->ts_ns - page->evict_ns,
		};

		r->nr_regretted[type]++;
		if (page->tier < REFAULT_MAX_TIERS)
			r->regretted_by_tier[type][page->tier]++;
		keep_soonest(s, &example);
	}
}

static void change(void *self, const struct change *c)
{
	struct state *s = self;
	struct refault_results *r = &s->results;
	const struct event *ev = c->ev;
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
	default:
		break;
	}
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

static void render(const void *self, FILE *out)
{
	const struct state *s = self;
	const struct refault_results *r = &s->results;
	struct text_buf buf;
	unsigned type, tier;

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
			(unsigned long long)r->nr_unchained[type]);
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
			(unsigned long long)r->regret_gens, r->regret_gens == 1 ? "" : "s",
			(unsigned long long)r->nr_regretted[type],
			text_percent(&buf, r->nr_regretted[type], r->nr_evicted[type]));
		fprintf(out, "   ");
		for (tier = 0; tier < REFAULT_MAX_TIERS; tier++)
			if (r->evicted_by_tier[type][tier])
				fprintf(out, " tier %u: %s of %llu ", tier,
					text_percent(&buf, r->regretted_by_tier[type][tier],
						     r->evicted_by_tier[type][tier]),
					(unsigned long long)r->evicted_by_tier[type][tier]);
		fputc('\n', out);
	}
	fprintf(out, "pages evicted more than once: %llu evictions; swap-ins seen: %llu\n",
		(unsigned long long)r->nr_again, (unsigned long long)r->nr_swapped_in);
}

const struct analysis_ops analysis_refault = {
	.name = "refault",
	.title = "Refaults",
	.begin = begin,
	.change = change,
	.render = render,
	.release = free,
};
