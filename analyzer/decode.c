// SPDX-License-Identifier: GPL-2.0-only
#include "decode.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "array.h"

#define MEMBER_SIZE(member)	sizeof(((struct event *)0)->member)
#define FIELD(name, member, is_required)				\
	{ name, offsetof(struct event, member), MEMBER_SIZE(member),	\
	  is_required, false }
#define FIELD_LOW(name, member)						\
	{ name, offsetof(struct event, member), MEMBER_SIZE(member), false, true }

/*
 * Which field of the kernel goes where.  Required is what the model cannot do
 * without; the rest may be missing in older or newer series.
 */
static const struct decode_field folio_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("memcg", memcg, true),
	FIELD("max_seq", max_seq, true),
	FIELD("nid", nid, true),
	FIELD("order", order, true),
	FIELD("type", type, true),
	FIELD("zone", zone, true),
	FIELD("old_gen", old_gen, true),
	FIELD("new_gen", new_gen, true),
	FIELD("refs", refs, false),
	FIELD("tier", tier, false),
	FIELD("tier_idx", tier_idx, false),
	FIELD("site", site, true),
	FIELD("flags", flags, true),
	{ 0 }
};

static const struct decode_field split_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("memcg", memcg, true),
	FIELD("max_seq", max_seq, false),
	FIELD("nid", nid, true),
	FIELD("order", order, true),
	FIELD("new_order", u.split.new_order, true),
	FIELD("type", type, true),
	FIELD("zone", zone, true),
	FIELD("gen", new_gen, true),
	FIELD("refs", refs, false),
	FIELD("on_lru", u.split.on_lru, true),
	FIELD("flags", flags, false),
	FIELD("site", site, false),
	{ 0 }
};

static const struct decode_field migrate_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("new_pfn", u.migrate.new_pfn, true),
	FIELD("memcg", memcg, false),
	FIELD("nid", nid, false),
	FIELD("new_nid", u.migrate.new_nid, false),
	FIELD("order", order, false),
	FIELD("type", type, false),
	FIELD("refs", refs, false),
	FIELD("flags", flags, false),
	{ 0 }
};

static const struct decode_field max_seq_fields[] = {
	FIELD("memcg", memcg, true),
	FIELD("max_seq", u.lruvec.max_seq, true),
	FIELD_LOW("max_seq", max_seq),
	FIELD("min_seq_anon", u.lruvec.min_seq[0], false),
	FIELD("min_seq_file", u.lruvec.min_seq[1], false),
	FIELD("memcg_id", u.lruvec.memcg_id, false),
	FIELD("nid", nid, true),
	FIELD("nr_gens", u.lruvec.nr_gens, false),
	FIELD("flags", flags, false),
	{ 0 }
};

static const struct decode_field min_seq_fields[] = {
	FIELD("memcg", memcg, true),
	FIELD("max_seq", u.min_seq.max_seq, true),
	FIELD_LOW("max_seq", max_seq),
	FIELD("old_seq", u.min_seq.old_seq, true),
	FIELD("new_seq", u.min_seq.new_seq, true),
	FIELD("nr_pages", u.min_seq.nr_pages, false),
	FIELD("nid", nid, true),
	FIELD("type", type, true),
	FIELD("nr_gens", u.min_seq.nr_gens, false),
	FIELD("site", site, false),
	FIELD("relabel", u.min_seq.relabel, true),
	{ 0 }
};

static const struct decode_field state_fields[] = {
	FIELD("memcg", memcg, true),
	FIELD("max_seq", u.lruvec.max_seq, true),
	FIELD_LOW("max_seq", max_seq),
	FIELD("min_seq_anon", u.lruvec.min_seq[0], true),
	FIELD("min_seq_file", u.lruvec.min_seq[1], true),
	FIELD("memcg_id", u.lruvec.memcg_id, false),
	FIELD("nid", nid, true),
	FIELD("nr_gens", u.lruvec.nr_gens, false),
	FIELD("state", u.lruvec.state, true),
	{ 0 }
};

static const struct decode_field splice_fields[] = {
	FIELD("memcg", memcg, true),
	FIELD("new_memcg", u.splice.new_memcg, true),
	FIELD("max_seq", u.splice.max_seq, true),
	FIELD_LOW("max_seq", max_seq),
	FIELD("new_max_seq", u.splice.new_max_seq, true),
	FIELD("first_pfn", pfn, true),
	FIELD("last_pfn", u.splice.last_pfn, true),
	FIELD("nr_folios", u.splice.nr_folios, true),
	FIELD("nid", nid, true),
	FIELD("type", type, true),
	FIELD("zone", zone, true),
	FIELD("old_gen", old_gen, true),
	FIELD("new_gen", new_gen, true),
	FIELD("site", site, true),
	FIELD("tail", u.splice.tail, true),
	{ 0 }
};

static const struct decode_field scan_fields[] = {
	FIELD("memcg", memcg, true),
	FIELD("max_seq", u.scan.max_seq, false),
	FIELD_LOW("max_seq", max_seq),
	FIELD("nr_scanned", u.scan.nr_scanned, true),
	FIELD("nr_isolated", u.scan.nr_isolated, true),
	FIELD("nr_sorted", u.scan.nr_sorted, false),
	FIELD("nr_skipped", u.scan.nr_skipped, false),
	FIELD("nid", nid, true),
	FIELD("type", type, true),
	FIELD("gen", old_gen, false),
	FIELD("tier_idx", tier_idx, false),
	FIELD("reclaim_idx", u.scan.reclaim_idx, false),
	FIELD("reclaimer", u.scan.reclaimer, false),
	FIELD("memcg_reclaim", u.scan.memcg_reclaim, false),
	{ 0 }
};

static const struct decode_field reclaim_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("memcg", memcg, false),
	FIELD("nid", nid, false),
	FIELD("order", order, false),
	FIELD("type", type, false),
	FIELD("refs", refs, false),
	FIELD("outcome", u.reclaim.outcome, true),
	FIELD("reason", u.reclaim.reason, false),
	FIELD("flags", flags, false),
	{ 0 }
};

static const struct decode_field lazyfree_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("memcg", memcg, false),
	FIELD("nid", nid, false),
	FIELD("order", order, false),
	FIELD("type", type, false),
	FIELD("zone", zone, false),
	FIELD("stage", u.lazyfree.stage, true),
	FIELD("refs", refs, false),
	FIELD("flags", flags, false),
	{ 0 }
};

/* of evict, refault and swapin */
static const struct decode_field evict_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("memcg", memcg, false),
	FIELD("token", u.page.token, false),
	FIELD("ino", u.page.ino, false),
	FIELD("index", u.page.index, true),
	FIELD("dev", u.page.dev, false),
	FIELD("nid", nid, false),
	FIELD("order", order, false),
	FIELD("type", type, false),
	FIELD("backing", u.page.backing, true),
	FIELD("refs", refs, false),
	FIELD("tier", tier, false),
	{ 0 }
};

static const struct decode_field refault_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("memcg", memcg, false),
	FIELD("token", u.page.token, false),
	FIELD("ino", u.page.ino, false),
	FIELD("index", u.page.index, true),
	FIELD("dev", u.page.dev, false),
	FIELD("nid", nid, false),
	FIELD("order", order, false),
	FIELD("type", type, false),
	FIELD("backing", u.page.backing, true),
	FIELD("refs", refs, false),
	FIELD("tier", tier, false),
	FIELD("recent", u.page.recent, false),
	FIELD("counted", u.page.counted, false),
	FIELD("restored", u.page.restored, false),
	FIELD("in_fault", u.page.in_fault, false),
	{ 0 }
};

static const struct decode_field swapin_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("memcg", memcg, false),
	FIELD("index", u.page.index, true),
	FIELD("nid", nid, false),
	FIELD("order", order, false),
	FIELD("type", type, false),
	{ 0 }
};

static const struct decode_field hitshield_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("memcg", memcg, false),
	FIELD("max_seq", max_seq, false),
	FIELD("nid", nid, false),
	FIELD("order", order, false),
	FIELD("type", type, false),
	FIELD("old_gen", old_gen, false),
	FIELD("new_gen", new_gen, false),
	FIELD("old_count", u.hitshield.old_count, true),
	FIELD("new_count", u.hitshield.new_count, true),
	FIELD("shield", u.hitshield.shield, true),
	FIELD("cause", u.hitshield.cause, true),
	FIELD("site", site, false),
	FIELD("flags", flags, false),
	{ 0 }
};

/* "buf", the text, is not a number and found apart */
static const struct decode_field marker_fields[] = {
	FIELD("ip", u.marker.ip, false),
	{ 0 }
};

static const struct decode_field page_free_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("order", order, false),
	{ 0 }
};

static const struct decode_field page_alloc_fields[] = {
	FIELD("pfn", pfn, true),
	FIELD("order", order, true),
	FIELD("gfp_flags", u.alloc.gfp_flags, false),
	FIELD("migratetype", u.alloc.migratetype, false),
	{ 0 }
};

/*
 * Of unpatched kernels. Nothing is required: what they have depends on the
 * kernel, and none is needed for a recording of lru_gen events.
 */
static const struct decode_field insertion_fields[] = {
	FIELD("pfn", pfn, false),
	FIELD("lru", u.insertion.lru, false),
	FIELD("flags", u.insertion.flags, false),
	{ 0 }
};

static const struct decode_field activate_fields[] = {
	FIELD("pfn", pfn, false),
	{ 0 }
};

static const struct decode_field cache_fields[] = {
	FIELD("pfn", pfn, false),
	FIELD("i_ino", u.page.ino, false),
	FIELD("index", u.page.index, false),
	FIELD("s_dev", u.page.dev, false),
	FIELD("order", order, false),
	{ 0 }
};

static const struct decode_field isolate_fields[] = {
	FIELD("highest_zoneidx", u.isolate.highest_zoneidx, false),
	FIELD("order", order, false),
	FIELD("nr_requested", u.isolate.nr_requested, false),
	FIELD("nr_scanned", u.isolate.nr_scanned, false),
	FIELD("nr_skipped", u.isolate.nr_skipped, false),
	FIELD("nr_taken", u.isolate.nr_taken, false),
	FIELD("lru", u.isolate.lru, false),
	{ 0 }
};

static const struct decode_field shrink_fields[] = {
	FIELD("nid", nid, false),
	FIELD("nr_scanned", u.shrink.nr_scanned, false),
	FIELD("nr_reclaimed", u.shrink.nr_reclaimed, false),
	FIELD("nr_dirty", u.shrink.nr_dirty, false),
	FIELD("nr_writeback", u.shrink.nr_writeback, false),
	FIELD("nr_immediate", u.shrink.nr_immediate, false),
	FIELD("nr_activate0", u.shrink.nr_activated[0], false),
	FIELD("nr_activate1", u.shrink.nr_activated[1], false),
	FIELD("nr_ref_keep", u.shrink.nr_ref_keep, false),
	FIELD("nr_unmap_fail", u.shrink.nr_unmap_fail, false),
	FIELD("priority", u.shrink.priority, false),
	FIELD("reclaim_flags", u.shrink.reclaim_flags, false),
	{ 0 }
};

static const struct decode_field *const kind_fields[EV_NR] = {
	[EV_ADD] = folio_fields,
	[EV_DEL] = folio_fields,
	[EV_UPDATE] = folio_fields,
	[EV_MOVE] = folio_fields,
	[EV_SPLIT] = split_fields,
	[EV_MIGRATE] = migrate_fields,
	[EV_MAX_SEQ] = max_seq_fields,
	[EV_MIN_SEQ] = min_seq_fields,
	[EV_STATE] = state_fields,
	[EV_SPLICE] = splice_fields,
	[EV_SCAN] = scan_fields,
	[EV_RECLAIM] = reclaim_fields,
	[EV_EVICT] = evict_fields,
	[EV_REFAULT] = refault_fields,
	[EV_SWAPIN] = swapin_fields,
	[EV_LAZYFREE] = lazyfree_fields,
	[EV_HITSHIELD] = hitshield_fields,
	[EV_MARKER] = marker_fields,
	[EV_PAGE_FREE] = page_free_fields,
	[EV_PAGE_ALLOC] = page_alloc_fields,
	[EV_LRU_INSERTION] = insertion_fields,
	[EV_LRU_ACTIVATE] = activate_fields,
	[EV_CACHE_ADD] = cache_fields,
	[EV_CACHE_DELETE] = cache_fields,
	[EV_LRU_ISOLATE] = isolate_fields,
	[EV_LRU_SHRINK] = shrink_fields,
};

static bool is_number(const struct format_field *field)
{
	return !field->is_array && (field->size == 1 || field->size == 2 ||
				    field->size == 4 || field->size == 8) &&
	       !strstr(field->type, "__data_loc") &&
	       !strstr(field->type, "__rel_loc");
}

static int compare_places(const void *a, const void *b)
{
	const struct decode_op *x = a, *y = b;

	return (x->src > y->src) - (x->src < y->src);
}

static int compare_kinds(const void *a, const void *b)
{
	const struct decode_op *x = a, *y = b;

	return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) :
				    compare_places(a, b);
}

/*
 * Cut a copy of @len bytes into as few as possible of a size that the compiler
 * copies without a call; the last overlaps the one before.
 */
static void plan_cut(struct decode_plan *plan, struct decode_op op, unsigned len)
{
	unsigned size = 16, done;

	op.kind = OP_COPY16;
	for (; size > len; size /= 2)
		op.kind++;
	for (done = 0; done < len; done += size) {
		struct decode_op *cut = &plan->ops[plan->nr_ops++];
		unsigned at = len - done < size ? len - size : done;

		*cut = op;
		cut->src += at;
		cut->dst += at;
	}
}

/* Join copies of what stands side by side in the record and in the event. */
static void plan_join(struct decode_plan *plan)
{
	struct decode_op ops[DECODE_MAX_OPS];
	unsigned nr = plan->nr_ops, i, next, len;

	memcpy(ops, plan->ops, sizeof(ops));
	qsort(ops, nr, sizeof(*ops), compare_places);
	plan->nr_ops = 0;
	for (i = 0; i < nr; i = next) {
		next = i + 1;
		if (ops[i].kind == OP_CONVERT) {
			plan->ops[plan->nr_ops++] = ops[i];
			continue;
		}
		for (len = ops[i].src_size;
		     next < nr && ops[next].kind != OP_CONVERT &&
		     ops[next].src == ops[i].src + len && ops[next].dst == ops[i].dst + len;
		     next++)
			len += ops[next].src_size;
		plan_cut(plan, ops[i], len);
	}
	qsort(plan->ops, plan->nr_ops, sizeof(*plan->ops), compare_kinds);
	for (i = 0; i < plan->nr_ops; i++)
		plan->nr_by_op[plan->ops[i].kind]++;
	plan->is_one_copy = plan->nr_ops == 2 && plan->nr_by_op[OP_COPY16] == 2 &&
			    plan->ops[1].src == plan->ops[0].src + 16 &&
			    plan->ops[1].dst == plan->ops[0].dst + 16;
}

/* Where the common fields have to be, since they are read before the plan. */
static bool has_common_fields(const struct format *format)
{
	const struct format_field *type = format_field(format, "common_type");
	const struct format_field *pid = format_field(format, "common_pid");

	return type && !type->offset && type->size == 2 && pid &&
	       pid->size == 4;
}

static void plan_blank(struct event *blank, enum ev_kind kind)
{
	memset(blank, 0, sizeof(*blank));
	blank->kind = kind;
	blank->pfn = UINT64_MAX;
	blank->nid = -1;
	blank->old_gen = blank->new_gen = blank->tier_idx = -1;
}

/*
 * Returns 0, -ERR_MISSING_FIELD or -ERR_BAD_FORMAT with *@missing the field
 * (or NULL), or -ERR_NOMEM.
 */
static int plan_make(struct decode_plan *plan, enum ev_kind kind,
		     bool swap, const char **missing)
{
	const struct decode_field *want;
	const struct format_field *pid;
	unsigned i;

	*missing = NULL;
	if (!has_common_fields(&plan->format))
		return -ERR_BAD_FORMAT;
	pid = format_field(&plan->format, "common_pid");
	plan->pid_offset = pid->offset;
	plan->min_len = pid->offset + pid->size;
	plan_blank(&plan->blank, kind);

	for (want = kind_fields[kind], i = 0; want->name; want++, i++) {
		const struct format_field *field =
			format_field(&plan->format, want->name);
		struct decode_op *op;

		if (!field || !is_number(field)) {
			if (!want->is_required)
				continue;
			*missing = want->name;
			return -ERR_MISSING_FIELD;
		}
		if (plan->min_len < field->offset + field->size)
			plan->min_len = field->offset + field->size;
		plan->have |= UINT64_C(1) << i;
		op = &plan->ops[plan->nr_ops++];
		memset(op, 0, sizeof(*op));
		op->src = field->offset;
		op->dst = want->offset;
		op->src_size = field->size;
		op->dst_size = want->size;
		op->is_signed = field->is_signed;
		op->is_wrapping = want->is_wrapping;
		op->kind = field->size == want->size &&
			   (!swap || field->size == 1) ? OP_COPY1 : OP_CONVERT;
	}
	if (kind == EV_MARKER) {
		const struct format_field *buf = format_field(&plan->format,
							      "buf");

		if (!buf) {
			*missing = "buf";
			return -ERR_MISSING_FIELD;
		}
		plan->text_offset = buf->offset;
		if (plan->min_len < buf->offset)
			plan->min_len = buf->offset;
	}
	plan_join(plan);
	plan->is_valid = true;
	return 0;
}

/* The release in "Linux node 6.12.117 #1 ...", or the whole text. */
static void kernel_release(const char *uname, char *buf, size_t size)
{
	const char *p = uname;
	unsigned i;

	for (i = 0; p && i < 2; i++) {
		p = strchr(p, ' ');
		if (p)
			p++;
	}
	if (!p || !*p)
		p = uname;
	snprintf(buf, size, "%.*s", (int)strcspn(p, " "), p);
}

static int decode_init_event(struct decoder *decoder, const struct container *c,
			     unsigned index, struct problem_list *problems,
			     struct diag *diag)
{
	const struct recording_event *event = &c->info.events[index];
	const struct container_format *format = &c->formats[index];
	struct decode_plan *plan = &decoder->plans[event->kind];
	const char *cause = NULL, *missing = NULL;
	char kernel[64] = "unknown kernel";
	int err;

	if (c->info.uname)
		kernel_release(c->info.uname, kernel, sizeof(kernel));
	if (!format->text) {
		err = -ERR_BAD_FORMAT;
		cause = "is longer than 1 MiB";
	} else {
		err = format_parse(&plan->format, format->text,
				   format->len_bytes, &cause);
	}
	if (err >= 0) {
		err = plan_make(plan, event->kind, decoder->layout.swap, &missing);
		cause = "has unusual common fields";
		if (err < 0) {
			format_release(&plan->format);
			memset(plan, 0, sizeof(*plan));
		}
	}
	if (err == -ERR_NOMEM)
		return diag_set(diag, ERR_NOMEM, "out of memory");
	if (err >= 0) {
		decoder->plan_of_index[index + 1] = plan;
		return 0;
	}
	if (missing) {
		problem_note(problems, -err, format->offset_bytes,
			     "event %s:%s has no usable field '%s' (kernel %s); it is not decoded",
			     event->system, event->name, missing, kernel);
		diag_set_at(diag && !diag->err ? diag : NULL, -err,
			    format->offset_bytes,
			    "%s: event %s:%s has no usable field '%s' (kernel %s): recorded with another version of the tracepoint series?",
			    c->info.path, event->system, event->name, missing,
			    kernel);
	} else {
		problem_note(problems, -err, format->offset_bytes,
			     "the format of event %s:%s %s (kernel %s); it is not decoded",
			     event->system, event->name, cause, kernel);
		diag_set_at(diag && !diag->err ? diag : NULL, -err,
			    format->offset_bytes,
			    "%s: the format of event %s:%s at offset %" PRIu64 " %s (kernel %s)",
			    c->info.path, event->system, event->name,
			    format->offset_bytes, cause, kernel);
	}
	return 1;
}

int decode_init(struct decoder *decoder, const struct container *c,
		struct problem_list *problems, struct diag *diag)
{
	unsigned nr = c->info.nr_events, i, kind;
	bool is_incomplete = false;

	memset(decoder, 0, sizeof(*decoder));
	decoder->layout = (struct subbuf_layout){
		.swap = c->swap,
		.big_endian = c->info.big_endian,
		.commit_offset = c->commit_offset,
		.commit_bytes = c->commit_bytes,
		.data_offset = c->data_offset,
		.page_bytes = c->page_bytes,
	};
	if (timeconv_init(&decoder->time, c) < 0)
		return diag_set(diag, ERR_BAD_TIME,
				"%s: options DATE and OFFSET add up to a time that cannot be represented",
				c->info.path);
	decoder->nr_events = nr;
	decoder->index_of_id = calloc(UINT16_MAX + 1, sizeof(uint16_t));
	decoder->plan_of_index = calloc(nr + 1, sizeof(*decoder->plan_of_index));
	if (!decoder->index_of_id || !decoder->plan_of_index) {
		decode_release(decoder);
		return diag_set(diag, ERR_NOMEM, "out of memory");
	}
	for (i = 0; i < nr; i++) {
		const struct recording_event *event = &c->info.events[i];

		if (decoder->index_of_id[event->id]) {
			problem_note(problems, ERR_BAD_FORMAT,
				     c->formats[i].offset_bytes,
				     "events %s:%s and %s:%s have the same id %d; the second is ignored",
				     c->info.events[decoder->index_of_id[event->id] - 1].system,
				     c->info.events[decoder->index_of_id[event->id] - 1].name,
				     event->system, event->name, event->id);
			continue;
		}
		decoder->index_of_id[event->id] = i + 1;
		/* a second event of the same name would share the plan */
		if (event->kind != EV_NONE &&
		    !decoder->plans[event->kind].is_valid) {
			int ret = decode_init_event(decoder, c, i, problems,
						    diag);

			if (ret < 0) {
				decode_release(decoder);
				return ret;
			}
			is_incomplete |= ret;
		}
	}
	/* a word of type and delta precedes each record */
	decoder->min_record_bytes = c->page_bytes;
	for (kind = 0; kind < EV_NR; kind++)
		if (decoder->plans[kind].is_valid &&
		    decoder->min_record_bytes > 4 + decoder->plans[kind].min_len)
			decoder->min_record_bytes =
				4 + decoder->plans[kind].min_len;
	return is_incomplete;
}

void decode_release(struct decoder *decoder)
{
	unsigned kind;

	for (kind = 0; kind < EV_NR; kind++)
		if (decoder->plans[kind].is_valid)
			format_release(&decoder->plans[kind].format);
	free(decoder->index_of_id);
	free(decoder->plan_of_index);
	while (decoder->nr_maps)
		free(decoder->maps[--decoder->nr_maps]);
	free(decoder->maps);
	memset(decoder, 0, sizeof(*decoder));
}

static int find_field(const struct decoder *decoder, enum ev_kind kind,
		      const char *name)
{
	const struct decode_plan *plan;
	int i;

	if ((unsigned)kind >= EV_NR || !decoder->plans[kind].is_valid)
		return -1;
	plan = &decoder->plans[kind];
	for (i = 0; kind_fields[kind][i].name; i++)
		if (!strcmp(kind_fields[kind][i].name, name))
			return plan->have >> i & 1 ? i : -1;
	return -1;
}

bool decode_has_field(const struct decoder *decoder, enum ev_kind kind,
		      const char *field)
{
	if (kind == EV_MARKER && !strcmp(field, "buf"))
		return decoder->plans[kind].is_valid;
	return find_field(decoder, kind, field) >= 0;
}

const struct decode_field *decode_fields(enum ev_kind kind)
{
	return (unsigned)kind < EV_NR ? kind_fields[kind] : NULL;
}

const char *decode_missing_field(const struct decoder *decoder,
				 enum ev_kind kind, unsigned *pos)
{
	const struct decode_field *fields = kind_fields[kind];

	while (fields[*pos].name) {
		unsigned i = (*pos)++;

		if (!(decoder->plans[kind].have >> i & 1))
			return fields[i].name;
	}
	return NULL;
}

int decode_map_symbols(struct decoder *decoder, enum ev_kind kind,
		       const char *name, const char *const names[],
		       unsigned nr, uint8_t map_out[256])
{
	int index = find_field(decoder, kind, name);
	const struct format_field *field;
	struct decode_plan *plan;
	struct decode_op *op;
	unsigned i, k, nr_unknown = 0, nr_symbols = 0;
	uint8_t *map;
	void *maps;

	if (index < 0)
		return -ERR_NOT_FOUND;
	if (kind_fields[kind][index].size != 1 || nr > READER_NO_SYMBOL)
		return -ERR_BUG;
	plan = &decoder->plans[kind];
	field = format_field(&plan->format, name);
	for (i = 0; i < plan->format.nr_symbols; i++)
		nr_symbols += &plan->format.fields[plan->format.symbols[i].field] ==
			      field;
	if (!nr_symbols)
		return -ERR_NOT_FOUND;
	/* a second map of the same field replaces the first */
	for (k = 0; k < plan->nr_ops; k++)
		if (plan->ops[k].kind == OP_MAP &&
		    plan->ops[k].dst == kind_fields[kind][index].offset)
			break;
	if (k == plan->nr_ops && k == DECODE_MAX_OPS)
		return -ERR_BUG;

	maps = realloc(decoder->maps, (decoder->nr_maps + 1) * sizeof(map));
	if (!maps)
		return -ERR_NOMEM;
	decoder->maps = maps;
	map = malloc(256);
	if (!map)
		return -ERR_NOMEM;
	decoder->maps[decoder->nr_maps++] = map;
	memset(map, READER_NO_SYMBOL, 256);
	for (i = 0; i < plan->format.nr_symbols; i++) {
		const struct format_symbol *symbol = &plan->format.symbols[i];
		unsigned n;

		if (&plan->format.fields[symbol->field] != field)
			continue;
		for (n = 0; n < nr; n++)
			if (names[n] && !strcmp(names[n], symbol->name))
				break;
		if (n == nr)
			nr_unknown++;
		else if (symbol->value >= 0 && symbol->value <= 255)
			map[symbol->value] = n;
	}
	op = &plan->ops[k];
	if (k == plan->nr_ops) {
		plan->nr_ops++;
		plan->nr_by_op[OP_MAP]++;
	}
	memset(op, 0, sizeof(*op));
	op->kind = OP_MAP;
	op->dst = kind_fields[kind][index].offset;
	op->map = map;
	if (map_out)
		memcpy(map_out, map, 256);
	return nr_unknown;
}

int decode_chunk_init(struct decode_chunk *chunk, const struct decoder *decoder)
{
	memset(chunk, 0, sizeof(*chunk));
	chunk->nr_by_index = calloc(decoder->nr_events + 1, sizeof(uint32_t));
	chunk->touched = calloc(decoder->nr_events + 1, sizeof(uint16_t));
	if (!chunk->nr_by_index || !chunk->touched) {
		decode_chunk_release(chunk);
		return -ERR_NOMEM;
	}
	return 0;
}

void decode_chunk_release(struct decode_chunk *chunk)
{
	free(chunk->events);
	free(chunk->text);
	free(chunk->nr_by_index);
	free(chunk->touched);
	free(chunk->times.pages);
	memset(chunk, 0, sizeof(*chunk));
}

void decode_chunk_clear(struct decode_chunk *chunk)
{
	struct decode_chunk keep = *chunk;
	uint32_t i;

	for (i = 0; i < chunk->nr_touched; i++)
		chunk->nr_by_index[chunk->touched[i]] = 0;
	memset(chunk, 0, sizeof(*chunk));
	chunk->events = keep.events;
	chunk->nr_alloc = keep.nr_alloc;
	chunk->text = keep.text;
	chunk->text_alloc = keep.text_alloc;
	chunk->nr_by_index = keep.nr_by_index;
	chunk->touched = keep.touched;
	chunk->times.pages = keep.times.pages;
	chunk->times.nr_alloc = keep.times.nr_alloc;
}

void decode_chunk_end(struct decode_chunk *chunk)
{
	uint32_t i;

	if (!chunk->has_marker)
		return;
	/* until here the text was an offset, since the buffer moves */
	for (i = 0; i < chunk->nr; i++)
		if (chunk->events[i].kind == EV_MARKER)
			chunk->events[i].u.marker.text = (chunk->text ?
				chunk->text : "") +
				(uintptr_t)chunk->events[i].u.marker.text;
	chunk->has_marker = false;
}

static int chunk_reserve(struct decode_chunk *chunk, uint32_t nr)
{
	uint32_t want;
	void *events;

	if (nr <= chunk->nr_alloc - chunk->nr)
		return 0;
	want = chunk->nr + nr;
	if (want < chunk->nr_alloc + chunk->nr_alloc / 2)
		want = chunk->nr_alloc + chunk->nr_alloc / 2;
	events = realloc(chunk->events, want * sizeof(struct event));
	if (!events)
		return -ERR_NOMEM;
	chunk->events = events;
	chunk->nr_alloc = want;
	return 0;
}

static int chunk_text(struct decode_chunk *chunk, const uint8_t *text,
		      uint32_t len, struct event *ev)
{
	len = strnlen((const char *)text, len);
	if (len > chunk->text_alloc - chunk->text_len) {
		uint32_t want = 2 * chunk->text_alloc + len + 256;
		char *more = realloc(chunk->text, want);

		if (!more)
			return -ERR_NOMEM;
		chunk->text = more;
		chunk->text_alloc = want;
	}
	if (len)
		memcpy(chunk->text + chunk->text_len, text, len);
	ev->u.marker.text = (const char *)(uintptr_t)chunk->text_len;
	ev->u.marker.len_bytes = len;
	chunk->text_len += len;
	chunk->has_marker = true;
	return 0;
}

static inline uint64_t load_number(const uint8_t *p, unsigned size,
				   bool is_signed, bool swap)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int64_t)(int16_t)get_u16(p, swap) :
				   get_u16(p, swap);
	case 4:
		return is_signed ? (uint64_t)(int64_t)(int32_t)get_u32(p, swap) :
				   get_u32(p, swap);
	default:
		return get_u64(p, swap);
	}
}

/* A value too large for @size keeps the nearest, unless it may wrap. */
static inline void store_number(uint8_t *p, unsigned size, uint64_t v,
				bool is_signed, bool is_wrapping)
{
	uint16_t v16;
	uint32_t v32;

	if (size < 8 && !is_wrapping) {
		unsigned bits = 8 * size;

		if (is_signed) {
			int64_t max = (INT64_C(1) << (bits - 1)) - 1;

			if ((int64_t)v > max)
				v = max;
			else if ((int64_t)v < -max - 1)
				v = -max - 1;
		} else if (v >> bits) {
			v = (UINT64_C(1) << bits) - 1;
		}
	}
	switch (size) {
	case 1:
		*p = v;
		break;
	case 2:
		v16 = v;
		memcpy(p, &v16, 2);
		break;
	case 4:
		v32 = v;
		memcpy(p, &v32, 4);
		break;
	default:
		memcpy(p, &v, 8);
	}
}

/* All but the maps; returns where they begin. */
static inline __attribute__((always_inline)) const struct decode_op *
plan_copy(const struct decode_plan *plan, const uint8_t *rec, uint8_t *dst, bool swap)
{
	const uint8_t *nr = plan->nr_by_op;
	const struct decode_op *op = plan->ops;
	uint64_t v;
	unsigned n;

	for (n = nr[OP_COPY16]; n; n--, op++)
		memcpy(dst + op->dst, rec + op->src, 16);
	for (n = nr[OP_COPY8]; n; n--, op++)
		memcpy(dst + op->dst, rec + op->src, 8);
	for (n = nr[OP_COPY4]; n; n--, op++)
		memcpy(dst + op->dst, rec + op->src, 4);
	for (n = nr[OP_COPY2]; n; n--, op++)
		memcpy(dst + op->dst, rec + op->src, 2);
	for (n = nr[OP_COPY1]; n; n--, op++)
		dst[op->dst] = rec[op->src];
	for (n = nr[OP_CONVERT]; n; n--, op++) {
		v = load_number(rec + op->src, op->src_size, op->is_signed, swap);
		/* "no page" of a 32-bit kernel */
		if (op->dst == offsetof(struct event, pfn) && op->src_size == 4 &&
		    v == UINT32_MAX)
			v = UINT64_MAX;
		store_number(dst + op->dst, op->dst_size, v, op->is_signed,
			     op->is_wrapping);
	}
	return op;
}

static inline __attribute__((always_inline)) void
plan_run(const struct decode_plan *plan, const uint8_t *rec, struct event *ev,
	 bool swap)
{
	const struct decode_op *op = plan->ops;
	uint8_t *dst = (uint8_t *)ev;
	unsigned n;

	if (plan->is_one_copy) {
		memcpy(dst + op->dst, rec + op->src, 32);
		op += 2;
	} else {
		op = plan_copy(plan, rec, dst, swap);
	}
	for (n = plan->nr_by_op[OP_MAP]; n; n--, op++)
		dst[op->dst] = op->map[dst[op->dst]];
}

/* The times of a sub-buffer with records, after those before it in the chunk. */
static int chunk_time(struct chunk_times *times, struct page_time page)
{
	if (array_grow(&times->pages, times->nr, &times->nr_alloc, sizeof(*times->pages)))
		return -ERR_NOMEM;
	if (times->nr && page.first < times->pages[times->nr - 1].last)
		times->steps_back = true;
	times->pages[times->nr++] = page;
	return 0;
}

/* A time that does not fit is replaced by the last good one, and counted. */
static uint64_t bad_time(struct decode_chunk *chunk, uint64_t offset_bytes)
{
	if (!chunk->nr_bad_time++)
		chunk->first_bad_time_offset = offset_bytes;
	return chunk->last_ts_ns;
}

int decode_gap(struct decode_chunk *chunk, unsigned cpu, enum err cause,
	       unsigned detail, uint64_t offset_bytes, uint64_t size_bytes)
{
	struct event *ev = chunk->nr ? &chunk->events[chunk->nr - 1] : NULL;

	if (ev && ev->kind == EV_GAP && !ev->u.gap.to_ts_ns) {
		ev->u.gap.size_bytes += size_bytes;
		return 0;
	}
	if (chunk_reserve(chunk, 1) < 0)
		return -ERR_NOMEM;
	ev = &chunk->events[chunk->nr++];
	chunk->nr_special++;
	plan_blank(ev, EV_GAP);
	ev->cpu = cpu;
	ev->ts_ns = ev->u.gap.from_ts_ns = chunk->has_time ? chunk->last_ts_ns : 0;
	ev->u.gap.offset_bytes = offset_bytes;
	ev->u.gap.size_bytes = size_bytes;
	ev->u.gap.cause = cause;
	ev->u.gap.detail = detail;
	return 0;
}

static inline __attribute__((always_inline)) int
decode_records(const struct decoder *decoder, struct decode_chunk *chunk,
	       unsigned cpu, const struct subbuf *sub, uint64_t offset_bytes,
	       bool swap, bool big_endian)
{
	struct event *ev = chunk->events + chunk->nr;
	const uint8_t *rec;
	uint32_t pos = 0, len = 0;
	uint64_t ts = sub->ts_ns, ts_ns;
	uint64_t last_ts_ns = chunk->last_ts_ns;
	struct page_time time = { 0, 0 };
	uint32_t nr_records = 0;
	enum subbuf_step step;

	for (;;) {
		const struct decode_plan *plan;
		unsigned id, index;

		step = subbuf_step(sub->data, sub->size_bytes, &pos, &ts, swap,
				   big_endian, &rec, &len);
		if (__builtin_expect(step != SUBBUF_STEP_RECORD, 0)) {
			if (step == SUBBUF_STEP_SKIP)
				continue;
			if (step == SUBBUF_STEP_DISCARDED) {
				chunk->nr_discarded++;
				continue;
			}
			break;
		}
		if (__builtin_expect(!timeconv_apply(&decoder->time, cpu, ts,
						     &ts_ns), 0)) {
			chunk->last_ts_ns = last_ts_ns;
			ts_ns = bad_time(chunk, offset_bytes);
		}
		if (__builtin_expect(ts_ns < last_ts_ns, 0)) {
			chunk->nr_backward += chunk->has_time || nr_records;
			chunk->times.steps_back |= nr_records && ts < time.last;
		}
		if (!nr_records) {
			time.first = ts;
			if (!chunk->has_time)
				chunk->first_ts_ns = ts_ns;
		}
		time.last = ts;
		last_ts_ns = ts_ns;
		nr_records++;
		if (__builtin_expect(len < 2, 0)) {
			if (!chunk->nr_bad_record++)
				chunk->first_bad_offset = offset_bytes;
			continue;
		}
		id = get_u16(rec, swap);
		index = decoder->index_of_id[id];
		if (!chunk->nr_by_index[index]++)
			chunk->touched[chunk->nr_touched++] = index;
		plan = decoder->plan_of_index[index];
		if (!plan) {
			if (__builtin_expect(!index, 0)) {
				if (!chunk->nr_unknown_id++) {
					chunk->first_unknown_offset = offset_bytes;
					chunk->first_unknown_id = id;
				}
			} else {
				chunk->nr_other++;
			}
			continue;
		}
		if (__builtin_expect(len < plan->min_len, 0)) {
			if (!chunk->nr_bad_record++) {
				chunk->first_bad_offset = offset_bytes;
				chunk->first_bad_index = index;
			}
			chunk->nr_bad_by_kind[plan->blank.kind]++;
			continue;
		}
		*ev = plan->blank;
		ev->ts_ns = ts_ns;
		ev->cpu = cpu;
		ev->pid = get_u32(rec + plan->pid_offset, swap);
		plan_run(plan, rec, ev, swap);
		if (__builtin_expect(ev->kind == EV_MARKER, 0) &&
		    chunk_text(chunk, rec + plan->text_offset,
			       len - plan->text_offset, ev) < 0)
			return -ERR_NOMEM;
		ev++;
	}
	chunk->nr = ev - chunk->events;
	chunk->nr_records += nr_records;
	if (nr_records) {
		chunk->has_time = true;
		chunk->last_ts_ns = last_ts_ns;
		if (chunk_time(&chunk->times, time) < 0)
			return -ERR_NOMEM;
	}
	/* what was there is lost: in some kernels only a wrong commit word */
	if (step == SUBBUF_STEP_ZEROS)
		return decode_gap(chunk, cpu, ERR_BAD_PAGE, SUBBUF_ZEROS, offset_bytes,
				  sub->size_bytes - pos);
	return 0;
}

int decode_page(const struct decoder *decoder, struct decode_chunk *chunk,
		unsigned cpu, const uint8_t *page, uint64_t offset_bytes)
{
	const struct subbuf_layout *layout = &decoder->layout;
	enum subbuf_fault fault = subbuf_check(layout, page, NULL);
	struct subbuf sub;
	uint64_t page_ts_ns;

	chunk->nr_pages++;
	if (fault)
		return decode_gap(chunk, cpu, ERR_BAD_PAGE, fault, offset_bytes,
				  layout->page_bytes);
	subbuf_begin(layout, page, &sub);
	if (!sub.size_bytes && !sub.has_lost)
		return 0;
	if (chunk_reserve(chunk, 2 + sub.size_bytes /
			  decoder->min_record_bytes) < 0)
		return -ERR_NOMEM;
	if (!timeconv_apply(&decoder->time, cpu, sub.ts_ns, &page_ts_ns))
		page_ts_ns = chunk->last_ts_ns;
	if (sub.size_bytes && chunk->nr) {
		struct event *last = &chunk->events[chunk->nr - 1];

		if (last->kind == EV_GAP && !last->u.gap.to_ts_ns)
			last->u.gap.to_ts_ns = page_ts_ns;
		else if (last->kind == EV_LOST && last->u.lost.to_ts_ns == EV_TS_END)
			last->u.lost.to_ts_ns = page_ts_ns;
	}
	if (sub.has_lost) {
		struct event *ev = &chunk->events[chunk->nr++];

		chunk->nr_special++;
		plan_blank(ev, EV_LOST);
		ev->cpu = cpu;
		ev->u.lost.from_ts_ns = chunk->has_time ? chunk->last_ts_ns : 0;
		ev->ts_ns = ev->u.lost.from_ts_ns;
		/* without records, as trim ends a CPU, it lasts until there are some */
		ev->u.lost.to_ts_ns = sub.size_bytes ? page_ts_ns : EV_TS_END;
		ev->u.lost.nr_lost = sub.nr_lost;
	}
	/* little-endian files on little-endian machines get their own code */
	if (!layout->swap && !layout->big_endian)
		return decode_records(decoder, chunk, cpu, &sub, offset_bytes,
				      false, false);
	return decode_records(decoder, chunk, cpu, &sub, offset_bytes,
			      layout->swap, layout->big_endian);
}
