// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages per generation are those of the model: folios whose generation is known,
 * summed over all lruvecs, each by its own age. A slot's level is what holds at
 * its end. Aging itself makes every folio of a lruvec one generation older; it
 * is counted as aging, not as a transition.
 */
#include "pictures.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

struct state {
	const struct analysis_env *env;
	struct pictures pictures;
	uint64_t slot_end_ns;		/* time at which the current slot ends */
};

static const char *const from_names[] = {
	"age 0", "age 1", "age 2", "age 3", "added", "refaulted", "put_back", "reclaim",
};
static const char *const to_names[] = {
	"age 0", "age 1", "age 2", "age 3", "reclaim", "isolated", "freed", "evicted", "lazyfreed",
};

const char *transition_from_name(unsigned from)
{
	return from < FROM_NR ? from_names[from] : "?";
}

const char *transition_to_name(unsigned to)
{
	return to < TO_NR ? to_names[to] : "?";
}

const struct pictures *pictures_results(const void *self)
{
	return &((const struct state *)self)->pictures;
}

static void release(void *self)
{
	struct state *s = self;

	series_release(&s->pictures.series);
	heat_release(&s->pictures.heat);
	free(s);
}

static void *begin(const struct analysis_env *env)
{
	struct state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->env = env;
	if (!series_init(&s->pictures.series, PICTURE_NR_COUNTS, PICTURE_NR_LEVELS) ||
	    !heat_init(&s->pictures.heat)) {
		release(s);
		return NULL;
	}
	return s;
}

static uint64_t since(const struct state *s, uint64_t ts_ns)
{
	return ts_ns > s->env->first_ts_ns ? ts_ns - s->env->first_ts_ns : 0;
}

static void sum_levels(const struct state *s, uint64_t levels[PICTURE_NR_LEVELS])
{
	const struct model *m = s->env->model;
	uint32_t i, nr = model_nr_lruvecs(m);
	unsigned gen, type;

	memset(levels, 0, PICTURE_NR_LEVELS * sizeof(*levels));
	for (i = 0; i < nr; i++) {
		const struct lruvec *lv = model_lruvec(m, i);

		if (!lv->seq_known)
			continue;
		for (gen = 0; gen < lv->nr_gens && gen < MODEL_MAX_GENS; gen++) {
			unsigned age = model_age(lv, gen);

			if (age >= PICTURE_AGES)
				age = PICTURE_AGES - 1;
			for (type = 0; type < TYPE_NR; type++)
				if (lv->nr_pages[gen][type] > 0)
					levels[type * PICTURE_AGES + age] +=
						lv->nr_pages[gen][type];
		}
	}
}

/* Begin the slot of @ns; levels of the slots that ended are filled in. */
static __attribute__((noinline)) void next_slot(struct state *s, uint64_t ns)
{
	struct series *series = &s->pictures.series;
	uint64_t levels[PICTURE_NR_LEVELS];
	unsigned slot, i;

	slot = series_slot(series, ns);
	sum_levels(s, levels);
	/* after a merge the slot before may hold an earlier state: overwrite */
	for (i = (s->slot_end_ns ? (s->slot_end_ns - 1) / series->slot_ns : 0); i <= slot; i++)
		memcpy(series_value(series, i, PICTURE_NR_COUNTS), levels, sizeof(levels));
	s->slot_end_ns = (slot + 1ull) * series->slot_ns;
}

static inline void count(struct state *s, uint64_t ns, unsigned channel, uint64_t nr)
{
	/* a power of two */
	unsigned slot = ns >> __builtin_ctzll(s->pictures.series.slot_ns);

	*series_value(&s->pictures.series, slot, channel) += nr;
}

static inline int age_of(const struct change *c, int gen)
{
	unsigned age;

	if (gen < 0 || !c->lruvec || !c->lruvec->seq_known)
		return -1;
	age = model_age(c->lruvec, gen);
	return age < PICTURE_AGES ? age : PICTURE_AGES - 1;
}

static void transition(struct state *s, const struct change *c, int from, int to)
{
	if (from >= 0 && to >= 0)
		s->pictures.transitions[c->folio->type][from][to]++;
}

static int from_outside(const struct folio *f)
{
	if (f->nr_isolated)
		return FROM_PUT_BACK;
	return f->birth == BIRTH_REFAULTED || f->birth == BIRTH_SWAPPED_IN ? FROM_REFAULTED :
									      FROM_ADDED;
}

static enum heat_kind life_ends(struct state *s, const struct change *c, uint64_t ns)
{
	uint64_t nr_pages = 1ull << c->folio->order;

	switch (c->end) {
	case END_EVICTED:
	case END_RECLAIMED:
		count(s, ns, PICTURE_RECLAIMED + c->folio->type, nr_pages);
		transition(s, c, FROM_RECLAIM, TO_EVICTED);
		return HEAT_RECLAIMED;
	case END_LAZYFREED:
		count(s, ns, PICTURE_LAZYFREED, nr_pages);
		transition(s, c, FROM_RECLAIM, TO_LAZYFREED);
		return HEAT_RECLAIMED;
	default:
		return HEAT_EVENTS;
	}
}

static void count_shield(struct state *s, const struct event *ev)
{
	if (ev->u.hitshield.cause < HITSHIELD_NR && ev->u.hitshield.old_count < PICTURE_SHIELDS &&
	    ev->u.hitshield.new_count < PICTURE_SHIELDS)
		s->pictures.shields[ev->u.hitshield.cause][ev->u.hitshield.old_count]
				   [ev->u.hitshield.new_count]++;
}

static void change(void *self, const struct change *c)
{
	struct state *s = self;
	uint64_t ns = since(s, c->ts_ns);
	enum heat_kind heat = HEAT_EVENTS;
	int old_age, new_age;

	if (ns >= s->slot_end_ns)
		next_slot(s, ns);
	if (!c->ev)
		return;		/* the end of the recording is no event of a folio */
	switch (c->kind) {
	case CHANGE_BORN:
		return;
	case CHANGE_ENTER:
		transition(s, c, from_outside(c->folio), age_of(c, c->new_gen));
		if (c->ev->site == SITE_LRU_ACTIVATE)
			heat = HEAT_ACCESSED;
		break;
	case CHANGE_LEAVE:
		transition(s, c, age_of(c, c->old_gen),
			   c->ev->site == SITE_ISOLATE_FOLIO ? TO_RECLAIM :
			   c->ev->site == SITE_RELEASE	     ? TO_FREED :
							       TO_ISOLATED);
		break;
	case CHANGE_UPDATE:
		old_age = age_of(c, c->old_gen);
		new_age = age_of(c, c->new_gen);
		transition(s, c, old_age, new_age);
		if (old_age > new_age && new_age >= 0)
			count(s, ns, PICTURE_PROMOTED, 1);
		heat = HEAT_ACCESSED;
		break;
	case CHANGE_MOVE:
		if (c->old_gen != c->new_gen)
			transition(s, c, age_of(c, c->old_gen), age_of(c, c->new_gen));
		if (c->ev->site == SITE_SORT_PROTECTED)
			count(s, ns, PICTURE_PROTECTED, 1);
		break;
	case CHANGE_REFAULT:
		count(s, ns, PICTURE_REFAULTED + c->ev->type, 1ull << c->ev->order);
		/* from swap: the swap-in just before was the same return */
		if (c->ev->u.page.backing == BACKING_FILE)
			heat = HEAT_ACCESSED;
		break;
	case CHANGE_ACCESSED:
	case CHANGE_SWAPIN:
		heat = HEAT_ACCESSED;
		break;
	case CHANGE_SEQ:
		if (c->ev->kind == EV_MAX_SEQ)
			count(s, ns, PICTURE_AGINGS, 1);
		break;
	case CHANGE_END:
		heat = life_ends(s, c, ns);
		break;
	case CHANGE_HITSHIELD:
		count_shield(s, c->ev);
		break;
	default:
		break;
	}
	if (c->folio && !heat_add(&s->pictures.heat, c->pfn, ns, heat))
		s->pictures.out_of_memory = true;
}

static void violation(void *self, const struct violation *v)
{
	struct state *s = self;
	uint64_t ns = since(s, v->ts_ns);

	if (ns >= s->slot_end_ns)
		next_slot(s, ns);
	switch (v->kind) {
	case 1:
		if (v->nr_pairs)
			count(s, ns, PICTURE_V1 + v->site, v->nr_folios);
		break;
	case 2:
		count(s, ns, PICTURE_V2 + v->site, v->nr_folios);
		break;
	case 3:
		count(s, ns, PICTURE_V3 + v->type, 1);
		break;
	case 5:
		count(s, ns, PICTURE_V5 + v->type, 1);
		break;
	default:
		break;
	}
}

/*
 * Text: a strip of digits per generation, time to the right.
 */

#define STRIP_COLUMNS 60u

/* The slot that holds at the end of a column. */
static unsigned last_slot(const struct series *series, unsigned column)
{
	unsigned slot = (column + 1) * series->nr_slots / STRIP_COLUMNS;

	return slot ? slot - 1 : 0;
}

static void render_levels(const struct series *series, FILE *out, unsigned type)
{
	unsigned age, column, slot;
	uint64_t most = 0;

	for (slot = 0; slot < series->nr_slots; slot++)
		for (age = 0; age < PICTURE_AGES; age++) {
			uint64_t nr = *series_value(series, slot, PICTURE_NR_COUNTS +
								  type * PICTURE_AGES + age);

			most = nr > most ? nr : most;
		}
	fprintf(out, "%s, 9 is %llu pages\n", type_name(type), (unsigned long long)most);
	for (age = 0; most && age < PICTURE_AGES; age++) {
		fprintf(out, "  age %u%s  |", age, age == PICTURE_AGES - 1 ? "+" : " ");
		for (column = 0; column < STRIP_COLUMNS; column++) {
			uint64_t nr = *series_value(series, last_slot(series, column),
						    PICTURE_NR_COUNTS + type * PICTURE_AGES + age);

			fputc(nr ? '0' + (int)(9.0 * nr / most + 0.5) : '.', out);
		}
		fputs("|\n", out);
	}
}

static void render_counts(const struct series *series, FILE *out, const char *label,
			  unsigned channel, unsigned nr_channels)
{
	uint64_t sums[STRIP_COLUMNS] = { 0 }, most = 0, total = 0;
	unsigned slot, i, column;

	for (slot = 0; slot < series->nr_slots; slot++) {
		column = slot * STRIP_COLUMNS / series->nr_slots;
		for (i = 0; i < nr_channels; i++)
			sums[column] += *series_value(series, slot, channel + i);
	}
	for (column = 0; column < STRIP_COLUMNS; column++) {
		most = sums[column] > most ? sums[column] : most;
		total += sums[column];
	}
	if (!total)
		return;
	fprintf(out, "%-9s |", label);
	for (column = 0; column < STRIP_COLUMNS; column++)
		fputc(sums[column] ? '0' + (int)(9.0 * sums[column] / most + 0.5) : '.', out);
	fprintf(out, "|\n%11s%llu in all, 9 is %llu\n", "", (unsigned long long)total,
		(unsigned long long)most);
}

static bool incomplete(const void *self)
{
	return ((const struct state *)self)->pictures.out_of_memory;
}

static void render(const void *self, FILE *out)
{
	const struct state *s = self;
	const struct series *series = &s->pictures.series;
	struct text_buf a;

	if (!series->nr_slots) {
		fprintf(out, "no event\n");
		return;
	}
	fprintf(out, "Pages per generation at the end of each column, of which one is %s.\n"
		     "Age 0 is the youngest; . is none.\n",
		text_duration(&a, series->slot_ns * series->nr_slots / STRIP_COLUMNS));
	render_levels(series, out, TYPE_ANON);
	render_levels(series, out, TYPE_FILE);
	render_counts(series, out, "agings", PICTURE_AGINGS, 1);
	render_counts(series, out, "reclaimed", PICTURE_RECLAIMED, 3);
	render_counts(series, out, "refaulted", PICTURE_REFAULTED, 2);
}

static const struct column timeline_columns[] = {
	{ "ts_ns", CELL_COUNT, "ns", "beginning of the slot, from the first event" },
	{ "anon_age0", CELL_COUNT, "pages", "anon pages in the youngest generation at its end" },
	{ "anon_age1", CELL_COUNT, "pages", "anon pages one generation older" },
	{ "anon_age2", CELL_COUNT, "pages", "anon pages two generations older" },
	{ "anon_age3", CELL_COUNT, "pages", "anon pages three or more generations older" },
	{ "file_age0", CELL_COUNT, "pages", "file pages in the youngest generation at its end" },
	{ "file_age1", CELL_COUNT, "pages", "file pages one generation older" },
	{ "file_age2", CELL_COUNT, "pages", "file pages two generations older" },
	{ "file_age3", CELL_COUNT, "pages", "file pages three or more generations older" },
	{ "agings", CELL_COUNT, "agings", "steps of max_seq, all lruvecs" },
	{ "reclaimed_anon", CELL_COUNT, "pages", "anon pages reclaimed" },
	{ "reclaimed_file", CELL_COUNT, "pages", "file pages reclaimed, lazyfree not counted" },
	{ "lazyfreed", CELL_COUNT, "pages", "lazyfree pages freed by reclaim" },
	{ "refaulted_anon", CELL_COUNT, "pages", "anon pages that met their shadow" },
	{ "refaulted_file", CELL_COUNT, "pages", "file pages that met their shadow" },
	{ "promoted", CELL_COUNT, "folios", "made younger through page tables" },
	{ "protected", CELL_COUNT, "folios", "moved on at the old end by sort_protected" },
};

static const struct table_def timeline_def = {
	"timeline", "Generations and rates over time",
	"add, del, update, move, max_seq, reclaim, refault",
	timeline_columns, sizeof(timeline_columns) / sizeof(timeline_columns[0]),
};

static const struct column violation_columns[] = {
	{ "ts_ns", CELL_COUNT, "ns", "beginning of the slot, from the first event" },
	{ "violation", CELL_TEXT, "", "V1, V2, V3 or V5" },
	{ "site", CELL_TEXT, "", "place in the kernel; anon or file for V3 and V5" },
	{ "folios", CELL_COUNT, "folios", "concerned: of reversed runs (V1), else each" },
};

static const struct table_def violation_def = {
	"violations_over_time", "Violations over time", "move, min_seq, del, refault",
	violation_columns, sizeof(violation_columns) / sizeof(violation_columns[0]),
};

static const struct column transition_columns[] = {
	{ "type", CELL_TEXT, "", "anon or file" },
	{ "from_place", CELL_TEXT, "", "age (0 is the youngest), or where from outside" },
	{ "to_place", CELL_TEXT, "", "age, or where to" },
	{ "folios", CELL_COUNT, "folios", "that went that way; aging itself is not counted" },
};

static const struct table_def transition_def = {
	"transitions", "Transitions between generations", "add, del, update, move, reclaim, evict",
	transition_columns, sizeof(transition_columns) / sizeof(transition_columns[0]),
};

static void violation_rows(const struct series *series, struct table *table, unsigned slot)
{
	unsigned channel;

	for (channel = PICTURE_V1; channel < PICTURE_NR_COUNTS; channel++) {
		uint64_t nr = *series_value(series, slot, channel);
		const char *kind, *site;

		if (!nr)
			continue;
		if (channel < PICTURE_V2) {
			kind = "V1";
			site = site_name(channel - PICTURE_V1);
		} else if (channel < PICTURE_V3) {
			kind = "V2";
			site = site_name(channel - PICTURE_V2);
		} else if (channel < PICTURE_V5) {
			kind = "V3";
			site = type_name(channel - PICTURE_V3);
		} else {
			kind = "V5";
			site = type_name(channel - PICTURE_V5);
		}
		cell_count(table, slot * series->slot_ns);
		cell_name(table, kind);
		cell_name(table, site);
		cell_count(table, nr);
	}
}

static void tables(const void *self, struct tables *tables)
{
	const struct pictures *p = pictures_results(self);
	const struct series *series = &p->series;
	struct table *timeline = tables_add(tables, &timeline_def);
	struct table *violations = tables_add(tables, &violation_def);
	struct table *transitions = tables_add(tables, &transition_def);
	unsigned slot, i, type, from, to;

	for (slot = 0; slot < series->nr_slots; slot++) {
		cell_count(timeline, slot * series->slot_ns);
		for (i = 0; i < PICTURE_NR_LEVELS; i++)
			cell_count(timeline, *series_value(series, slot, PICTURE_NR_COUNTS + i));
		for (i = 0; i < PICTURE_V1; i++)
			cell_count(timeline, *series_value(series, slot, i));
		violation_rows(series, violations, slot);
	}
	for (type = 0; type < TYPE_NR; type++)
		for (from = 0; from < FROM_NR; from++)
			for (to = 0; to < TO_NR; to++) {
				if (!p->transitions[type][from][to])
					continue;
				cell_name(transitions, type_name(type));
				cell_name(transitions, transition_from_name(from));
				cell_name(transitions, transition_to_name(to));
				cell_count(transitions, p->transitions[type][from][to]);
			}
	tables->out_of_memory |= p->out_of_memory;
}

static const struct table_def *const defs[] = { &timeline_def, &violation_def, &transition_def, NULL };

const struct analysis_ops analysis_pictures = {
	.name = "pictures",
	.title = "Over time",
	.begin = begin,
	.change = change,
	.violation = violation,
	.incomplete = incomplete,
	.render = render,
	.defs = defs,
	.tables = tables,
	.release = release,
};
