// SPDX-License-Identifier: GPL-2.0-only
/*
 * Field numbers are those of Perfetto's trace_packet.proto, track_event.proto,
 * track_descriptor.proto, counter_descriptor.proto and debug_annotation.proto.
 */
#include "perfetto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "map.h"
#include "proto.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_TRACK_DESCRIPTOR = 60,
};
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { COUNTER_UNIT_NAME = 6 };
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
};
enum { ANNOTATION_UINT = 3, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };

/* Tracks are numbered by kind and by what they show. */
#define UUID(kind, number) ((uint64_t)(kind) << 56 | (uint64_t)(number) << 8)
enum {
	UUID_ROOT = 1,
	UUID_TOTALS,		/* + counter */
	UUID_LRUVEC,		/* lruvec; + type * 8 + age: its counters */
	UUID_TASKS,
	UUID_TASK,		/* pid */
	UUID_LANES,
	UUID_LANE,		/* pfn */
};

/* What a task has begun and not yet told the end of. */
struct open_task {
	uint64_t scan_ns, walk_ns;	/* 0: nothing */
	bool is_known;			/* its track was described */
};

struct perfetto {
	FILE *out;
	uint64_t nr_bytes, max_bytes;
	const struct chosen *chosen;
	struct pipeline *p;
	struct proto event, packet, nested, trace;
	struct map pids;		/* -> tasks[] */
	struct open_task *tasks;
	uint32_t nr_tasks, nr_tasks_alloc;
	uint32_t nr_lruvecs;		/* described so far */
	struct diag diag;
};

struct perfetto *perfetto_new(FILE *out, uint64_t max_bytes, const struct chosen *chosen)
{
	struct perfetto *pf = calloc(1, sizeof(*pf));

	if (!pf)
		return NULL;
	pf->out = out;
	pf->max_bytes = max_bytes;
	pf->chosen = chosen;
	return pf;
}

void perfetto_free(struct perfetto *pf)
{
	if (!pf)
		return;
	proto_release(&pf->event);
	proto_release(&pf->packet);
	proto_release(&pf->nested);
	proto_release(&pf->trace);
	map_release(&pf->pids);
	free(pf->tasks);
	free(pf);
}

static void no_memory(struct perfetto *pf)
{
	if (!pf->diag.err)
		diag_set(&pf->diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
}

/* pf->packet is complete. */
static void write_packet(struct perfetto *pf)
{
	proto_clear(&pf->trace);
	proto_message(&pf->trace, TRACE_PACKET, &pf->packet);
	if (pf->trace.out_of_memory)
		no_memory(pf);
	if (pf->diag.err)
		return;
	if (pf->nr_bytes + pf->trace.nr > pf->max_bytes) {
		diag_set(&pf->diag, ERR_WRITE,
			 "the trace grows beyond %llu bytes; raise --max-output or ask for fewer lanes",
			 (unsigned long long)pf->max_bytes);
		return;
	}
	pf->nr_bytes += pf->trace.nr;
	if (fwrite(pf->trace.bytes, 1, pf->trace.nr, pf->out) != pf->trace.nr)
		diag_set(&pf->diag, ERR_WRITE, "%s", strerror(errno));
}

/* A track; with @unit a counter. */
static void describe(struct perfetto *pf, uint64_t uuid, uint64_t parent, const char *name,
		     const char *unit)
{
	proto_clear(&pf->event);
	proto_varint(&pf->event, TRACK_UUID, uuid);
	proto_string(&pf->event, TRACK_NAME, name);
	if (parent)
		proto_varint(&pf->event, TRACK_PARENT, parent);
	if (unit) {
		proto_clear(&pf->nested);
		proto_string(&pf->nested, COUNTER_UNIT_NAME, unit);
		proto_message(&pf->event, TRACK_COUNTER, &pf->nested);
	}
	proto_clear(&pf->packet);
	proto_varint(&pf->packet, PACKET_SEQUENCE_ID, 1);
	proto_message(&pf->packet, PACKET_TRACK_DESCRIPTOR, &pf->event);
	write_packet(pf);
}

static void begin_event(struct perfetto *pf, unsigned type, uint64_t uuid, const char *category,
			const char *name)
{
	proto_clear(&pf->event);
	proto_varint(&pf->event, EVENT_TYPE, type);
	proto_varint(&pf->event, EVENT_TRACK, uuid);
	if (category)
		proto_string(&pf->event, EVENT_CATEGORY, category);
	if (name)
		proto_string(&pf->event, EVENT_NAME, name);
}

static void annotate(struct perfetto *pf, const char *name, uint64_t value)
{
	proto_clear(&pf->nested);
	proto_string(&pf->nested, ANNOTATION_NAME, name);
	proto_varint(&pf->nested, ANNOTATION_UINT, value);
	proto_message(&pf->event, EVENT_ANNOTATION, &pf->nested);
}

static void annotate_text(struct perfetto *pf, const char *name, const char *value)
{
	proto_clear(&pf->nested);
	proto_string(&pf->nested, ANNOTATION_NAME, name);
	proto_string(&pf->nested, ANNOTATION_STRING, value);
	proto_message(&pf->event, EVENT_ANNOTATION, &pf->nested);
}

static void end_event(struct perfetto *pf, uint64_t ts_ns)
{
	proto_clear(&pf->packet);
	proto_varint(&pf->packet, PACKET_TIMESTAMP, ts_ns);
	proto_varint(&pf->packet, PACKET_SEQUENCE_ID, 1);
	proto_message(&pf->packet, PACKET_TRACK_EVENT, &pf->event);
	write_packet(pf);
}

static void counter(struct perfetto *pf, uint64_t uuid, uint64_t ts_ns, uint64_t value)
{
	begin_event(pf, TYPE_COUNTER, uuid, NULL, NULL);
	proto_varint(&pf->event, EVENT_COUNTER_VALUE, value);
	end_event(pf, ts_ns);
}

/* Groups, before anything else. */
static void describe_groups(struct perfetto *pf)
{
	describe(pf, UUID(UUID_ROOT, 0), 0, "folioscope", NULL);
	describe(pf, UUID(UUID_TOTALS, 0), UUID(UUID_ROOT, 0), "All lruvecs", NULL);
	describe(pf, UUID(UUID_TASKS, 0), UUID(UUID_ROOT, 0), "Tasks", NULL);
	describe(pf, UUID(UUID_LANES, 0), UUID(UUID_ROOT, 0), "Folios", NULL);
}

static uint64_t lruvec_uuid(const struct lruvec *lv)
{
	return UUID(UUID_LRUVEC, lv->number);
}

static void describe_lruvecs(struct perfetto *pf)
{
	char name[64];

	for (; pf->nr_lruvecs < model_nr_lruvecs(pf->p->model); pf->nr_lruvecs++) {
		const struct lruvec *lv = model_lruvec(pf->p->model, pf->nr_lruvecs);
		unsigned type, age;

		snprintf(name, sizeof(name), "memcg %llu node %d", (unsigned long long)lv->memcg,
			 lv->nid);
		describe(pf, lruvec_uuid(lv), UUID(UUID_ROOT, 0), name, NULL);
		for (type = 0; type < TYPE_NR; type++)
			for (age = 0; age < PICTURE_AGES; age++) {
				snprintf(name, sizeof(name), "%s, age %u", type_name(type), age);
				describe(pf, lruvec_uuid(lv) + 1 + type * 8 + age, lruvec_uuid(lv),
					 name, "pages");
			}
	}
}

/* Pages per generation of a lruvec, where aging or a scan changed them. */
static void count_lruvec(struct perfetto *pf, const struct lruvec *lv, uint64_t ts_ns)
{
	unsigned type, gen;

	if (!lv->seq_known)
		return;
	for (type = 0; type < TYPE_NR; type++)
		for (gen = 0; gen < lv->nr_gens; gen++) {
			unsigned age = model_age(lv, gen);
			int64_t nr = lv->nr_pages[gen][type];

			if (age < PICTURE_AGES)
				counter(pf, lruvec_uuid(lv) + 1 + type * 8 + age, ts_ns,
					nr > 0 ? nr : 0);
		}
}

static struct open_task *task_of(struct perfetto *pf, int32_t pid)
{
	uint32_t at;

	if (map_get(&pf->pids, (uint32_t)pid, &at))
		return &pf->tasks[at];
	if (array_grow(&pf->tasks, pf->nr_tasks, &pf->nr_tasks_alloc, sizeof(*pf->tasks)))
		goto fail;
	if (map_set(&pf->pids, (uint32_t)pid, pf->nr_tasks))
		goto fail;
	memset(&pf->tasks[pf->nr_tasks], 0, sizeof(*pf->tasks));
	return &pf->tasks[pf->nr_tasks++];

fail:
	no_memory(pf);
	return NULL;
}

static uint64_t task_uuid(struct perfetto *pf, struct open_task *task, int32_t pid)
{
	uint64_t uuid = UUID(UUID_TASK, (uint32_t)pid);

	if (!task->is_known) {
		char name[32];

		task->is_known = true;
		snprintf(name, sizeof(name), "pid %d", pid);
		describe(pf, uuid, UUID(UUID_TASKS, 0), name, NULL);
	}
	return uuid;
}

static void annotate_lruvec(struct perfetto *pf, const struct event *ev)
{
	annotate(pf, "memcg", ev->memcg);
	annotate(pf, "node", ev->nid);
}

/*
 * A scan is told when it ends; it began with the first folio that the task moved
 * or isolated for it. The same for an aging and the walk before it.
 */
static void scan_slice(struct perfetto *pf, const struct event *ev)
{
	struct open_task *task = task_of(pf, ev->pid);
	uint64_t uuid, from_ns;

	if (!task)
		return;
	uuid = task_uuid(pf, task, ev->pid);
	from_ns = task->scan_ns && task->scan_ns <= ev->ts_ns ? task->scan_ns : ev->ts_ns;
	begin_event(pf, TYPE_BEGIN, uuid, "reclaim", ev->type ? "scan file" : "scan anon");
	annotate_lruvec(pf, ev);
	annotate(pf, "scanned_pages", ev->u.scan.nr_scanned);
	annotate(pf, "isolated_pages", ev->u.scan.nr_isolated);
	annotate(pf, "sorted_pages", ev->u.scan.nr_sorted);
	annotate(pf, "skipped_pages", ev->u.scan.nr_skipped);
	end_event(pf, from_ns);
	begin_event(pf, TYPE_END, uuid, NULL, NULL);
	end_event(pf, ev->ts_ns);
	task->scan_ns = 0;
}

static void aging_slice(struct perfetto *pf, const struct event *ev, const struct lruvec *lv)
{
	struct open_task *task = task_of(pf, ev->pid);
	uint64_t uuid, from_ns;

	if (!task)
		return;
	uuid = task_uuid(pf, task, ev->pid);
	from_ns = task->walk_ns && task->walk_ns <= ev->ts_ns ? task->walk_ns : ev->ts_ns;
	begin_event(pf, TYPE_BEGIN, uuid, "aging", "aging");
	annotate_lruvec(pf, ev);
	annotate(pf, "max_seq", ev->u.lruvec.max_seq);
	end_event(pf, from_ns);
	begin_event(pf, TYPE_END, uuid, NULL, NULL);
	end_event(pf, ev->ts_ns);
	task->walk_ns = 0;
	begin_event(pf, TYPE_INSTANT, lruvec_uuid(lv), "aging", "max_seq");
	annotate(pf, "max_seq", ev->u.lruvec.max_seq);
	end_event(pf, ev->ts_ns);
}

/* Reclaim reached a lazyfree folio: a step on its task's track. */
static void lazyfree_instant(struct perfetto *pf, const struct change *c)
{
	struct open_task *task = task_of(pf, c->ev->pid);

	if (!task || c->ev->u.lazyfree.stage == LAZYFREE_MARK)
		return;
	begin_event(pf, TYPE_INSTANT, task_uuid(pf, task, c->ev->pid), "lazyfree",
		    lazyfree_name(c->ev->u.lazyfree.stage));
	annotate(pf, "pfn", c->pfn);
	end_event(pf, c->ts_ns);
}

/* When a task begins to scan or to walk. */
static void note_task(struct perfetto *pf, const struct change *c)
{
	const struct event *ev = c->ev;
	struct open_task *task;
	bool scans = ev->site == SITE_ISOLATE_FOLIO || ev->site == SITE_SCAN_SKIPPED ||
		     (ev->site >= SITE_SORT_PROMOTED && ev->site <= SITE_SORT_SHIELDED);
	bool walks = ev->site == SITE_WALK_PTE || ev->site == SITE_WALK_PMD ||
		     ev->site == SITE_INC_MIN_SEQ;

	if (!scans && !walks)
		return;
	task = task_of(pf, ev->pid);
	if (!task)
		return;
	if (scans && !task->scan_ns)
		task->scan_ns = ev->ts_ns;
	if (walks && !task->walk_ns)
		task->walk_ns = ev->ts_ns;
}

/* A folio's stay in one generation, on the lane of its page frame. */
static void lane_span(struct perfetto *pf, const struct change *c, uint64_t uuid)
{
	char name[48];

	if (c->old_gen < 0)
		return;
	if (c->lruvec && c->lruvec->seq_known)
		snprintf(name, sizeof(name), "seq %llu",
			 (unsigned long long)model_seq(c->lruvec, c->old_gen));
	else
		snprintf(name, sizeof(name), "gen %d", c->old_gen);
	begin_event(pf, TYPE_BEGIN, uuid, "folio", name);
	annotate(pf, "life", c->folio->life);
	annotate_text(pf, "type", type_name(c->folio->type));
	if (c->ev)
		annotate_text(pf, "left_at", site_name(c->ev->site));
	end_event(pf, c->gen_ns_known ? c->ts_ns - c->gen_ns : c->ts_ns);
	begin_event(pf, TYPE_END, uuid, NULL, NULL);
	end_event(pf, c->ts_ns);
}

static void lane(struct perfetto *pf, const struct change *c)
{
	uint64_t uuid = UUID(UUID_LANE, c->pfn);
	const char *name = NULL;

	switch (c->kind) {
	case CHANGE_UPDATE:
	case CHANGE_LEAVE:
		lane_span(pf, c, uuid);
		break;
	case CHANGE_MOVE:
		if (c->old_gen != c->new_gen)
			lane_span(pf, c, uuid);
		break;
	case CHANGE_END:
		lane_span(pf, c, uuid);
		name = folio_end_name(c->end);
		break;
	case CHANGE_BORN:
		/* what brings a page back has its own instant, and may be one of two */
		if (c->folio->birth != BIRTH_SWAPPED_IN && c->folio->birth != BIRTH_REFAULTED)
			name = folio_birth_name(c->folio->birth);
		break;
	case CHANGE_SWAPIN:
		name = "swapin";
		break;
	case CHANGE_REFAULT:
		name = "refault";
		break;
	case CHANGE_OUTCOME:
		name = outcome_name(c->ev->u.reclaim.outcome);
		break;
	case CHANGE_HITSHIELD:
		name = hitshield_name(c->ev->u.hitshield.cause);
		break;
	default:
		break;
	}
	if (!name)
		return;
	begin_event(pf, TYPE_INSTANT, uuid, "folio", name);
	annotate(pf, "life", c->folio->life);
	end_event(pf, c->ts_ns);
}

static void on_change(void *self, const struct change *c)
{
	struct perfetto *pf = self;

	if (pf->diag.err)
		return;
	describe_lruvecs(pf);
	if (c->ev)
		note_task(pf, c);
	switch (c->kind) {
	case CHANGE_SCAN:
		scan_slice(pf, c->ev);
		break;
	case CHANGE_SEQ:
		if (c->lruvec && c->ev->kind == EV_MAX_SEQ)
			aging_slice(pf, c->ev, c->lruvec);
		break;
	case CHANGE_LAZYFREE:
		lazyfree_instant(pf, c);
		break;
	default:
		break;
	}
	if (c->folio && chosen_index(pf->chosen, c->pfn) >= 0)
		lane(pf, c);
}

/* The model is told of an aging before it takes the step: count after it. */
static void after_event(void *self, const struct event *ev)
{
	struct perfetto *pf = self;
	const struct lruvec *lv;

	if (pf->diag.err ||
	    (ev->kind != EV_MAX_SEQ && ev->kind != EV_MIN_SEQ && ev->kind != EV_SCAN))
		return;
	lv = model_find_lruvec(pf->p->model, ev->memcg, ev->nid);
	if (lv && lv->number < pf->nr_lruvecs)
		count_lruvec(pf, lv, ev->ts_ns);
}

void perfetto_hook(struct perfetto *pf, struct pipeline *p)
{
	unsigned i;

	pf->p = p;
	p->hook_self = pf;
	p->on_change = on_change;
	p->after_event = after_event;
	describe_groups(pf);
	for (i = 0; i < pf->chosen->nr; i++) {
		char name[32];

		snprintf(name, sizeof(name), "pfn 0x%llx", (unsigned long long)pf->chosen->pfns[i]);
		describe(pf, UUID(UUID_LANE, pf->chosen->pfns[i]), UUID(UUID_LANES, 0), name, NULL);
	}
}

int perfetto_finish(struct perfetto *pf, const struct pictures *pictures, struct diag *diag)
{
	static const struct {
		unsigned channel;
		const char *name, *unit;
	} counts[] = {
		{ PICTURE_RECLAIMED + TYPE_ANON, "reclaimed anon", "pages" },
		{ PICTURE_RECLAIMED + TYPE_FILE, "reclaimed file", "pages" },
		{ PICTURE_LAZYFREED, "lazyfreed", "pages" },
		{ PICTURE_REFAULTED + TYPE_ANON, "refaulted anon", "pages" },
		{ PICTURE_REFAULTED + TYPE_FILE, "refaulted file", "pages" },
	};
	const struct series *series = &pictures->series;
	unsigned i, slot, type, age;
	char name[64];

	for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		snprintf(name, sizeof(name), "%s per %.3g ms", counts[i].name,
			 series->slot_ns / 1e6);
		describe(pf, UUID(UUID_TOTALS, 1) + i, UUID(UUID_TOTALS, 0), name, counts[i].unit);
		for (slot = 0; slot < series->nr_slots; slot++)
			counter(pf, UUID(UUID_TOTALS, 1) + i,
				pf->p->first_ts_ns + slot * series->slot_ns,
				*series_value(series, slot, counts[i].channel));
	}
	for (type = 0; type < TYPE_NR; type++)
		for (age = 0; age < PICTURE_AGES; age++) {
			uint64_t uuid = UUID(UUID_TOTALS, 2) + type * 8 + age;

			snprintf(name, sizeof(name), "%s, age %u", type_name(type), age);
			describe(pf, uuid, UUID(UUID_TOTALS, 0), name, "pages");
			for (slot = 0; slot < series->nr_slots; slot++)
				counter(pf, uuid, pf->p->first_ts_ns + (slot + 1) * series->slot_ns,
					*series_value(series, slot, PICTURE_NR_COUNTS +
								      type * PICTURE_AGES + age));
		}
	if (!pf->diag.err && fflush(pf->out))
		diag_set(&pf->diag, ERR_WRITE, "%s", strerror(errno));
	if (!pf->diag.err)
		return 0;
	*diag = pf->diag;
	return -pf->diag.err;
}
