// SPDX-License-Identifier: GPL-2.0-only
/*
 * libtracecmd as an oracle: read a recording with it and with our reader, and
 * compare every record that we decode, its time, CPU, task and fields, the
 * printed names of its values, the number of records of every event, decoded or
 * not, and the losses. No field of an lru_gen event may be left out.
 *
 *	libtracecmd_oracle FILE...
 *
 * Exit status: 0 all equal, 1 a difference (the first few are printed), 2 usage,
 * 4 a file that one of the two cannot read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace-cmd.h>

#include "analyzer/decode.h"
#include "analyzer/reader.h"

#define MAX_SHOWN	10
/* Printing takes long: the text of every so many events is compared. */
#define PRINT_EVERY	61

struct oracle {
	const char *path;
	struct tracecmd_input *input;
	struct tep_handle *tep;
	struct reader *reader;
	enum ev_kind kind_of_id[65536];
	struct tep_event *event_of_kind[EV_NR];
	uint64_t *nr_records;	/* by CPU, libtracecmd's */
	uint64_t nr_by_id[65536];
	unsigned nr_fields_left_out;	/* of events that are not ours */
	unsigned nr_cpus;
	uint64_t nr_compared, nr_fields, nr_printed, nr_missed_hidden;
	unsigned nr_differences;
};

static void difference(struct oracle *o, const struct event *ev, const char *what,
		       uint64_t theirs, uint64_t ours)
{
	if (o->nr_differences++ < MAX_SHOWN)
		printf("%s: %s at %" PRIu64 " on CPU %u: %s is %" PRIu64 " for libtracecmd, %" PRIu64 " for us\n",
		       o->path, event_kind_name(ev->kind), ev->ts_ns, ev->cpu,
		       what, theirs, ours);
}

static uint64_t our_field(const struct event *ev, const struct decode_field *field,
			  bool is_signed)
{
	const uint8_t *p = (const uint8_t *)ev + field->offset;

	switch (field->size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int64_t)(int16_t)get_u16(p, false) :
				   get_u16(p, false);
	case 4:
		return is_signed ? (uint64_t)(int64_t)(int32_t)get_u32(p, false) :
				   get_u32(p, false);
	default:
		return get_u64(p, false);
	}
}

/* libtraceevent returns small signed fields without their sign. */
static uint64_t sign_extend(uint64_t v, unsigned size)
{
	switch (size) {
	case 1:
		return (int64_t)(int8_t)v;
	case 2:
		return (int64_t)(int16_t)v;
	case 4:
		return (int64_t)(int32_t)v;
	}
	return v;
}

static void compare_fields(struct oracle *o, const struct event *ev,
			   struct tep_record *rec)
{
	const struct decode_field *field = decode_fields(ev->kind);
	struct tep_event *event = o->event_of_kind[ev->kind];

	for (; field->name; field++) {
		struct tep_format_field *f = tep_find_field(event, field->name);
		unsigned long long v;
		uint64_t ours;
		bool is_signed;

		if (!f) {
			if (reader_has_field(o->reader, ev->kind, field->name))
				difference(o, ev, field->name, 0, 1);
			continue;
		}
		if (tep_read_number_field(f, rec->data, &v) < 0) {
			difference(o, ev, field->name, UINT64_MAX, 0);
			continue;
		}
		is_signed = f->flags & TEP_FIELD_IS_SIGNED;
		if (is_signed)
			v = sign_extend(v, f->size);
		ours = our_field(ev, field, is_signed);
		if (field->is_wrapping)
			v = (uint32_t)v;
		if (ours != v)
			difference(o, ev, field->name, v, ours);
		o->nr_fields++;
	}
	if (ev->kind == EV_MARKER) {
		struct tep_format_field *buf = tep_find_field(event, "buf");
		const char *text = (const char *)rec->data + (buf ? buf->offset : 0);
		size_t len = buf ? strnlen(text, rec->size - buf->offset) : 0;

		if (len != ev->u.marker.len_bytes ||
		    memcmp(text, ev->u.marker.text, len))
			difference(o, ev, "buf", len, ev->u.marker.len_bytes);
	}
}

/* "... site=lru_add ..." against the name that our reader gives the value. */
static void compare_text(struct oracle *o, const struct event *ev,
			 struct tep_record *rec)
{
	const struct decode_field *field = decode_fields(ev->kind);
	struct trace_seq seq;

	trace_seq_init(&seq);
	tep_print_event(o->tep, &seq, rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	for (; field->name; field++) {
		const char *name = reader_symbol(o->reader, ev->kind, field->name,
						 our_field(ev, field, false));
		char key[64];
		const char *p;

		snprintf(key, sizeof(key), "%s=", field->name);
		for (p = strstr(seq.buffer, key); p && p != seq.buffer && p[-1] != ' ';
		     p = strstr(p + 1, key))
			;
		if (!p || !name)
			continue;
		p += strlen(key);
		if (strncmp(p, name, strlen(name)) || !strchr(" \n", p[strlen(name)])) {
			if (o->nr_differences++ < MAX_SHOWN)
				printf("%s: %s at %" PRIu64 ": %s is printed '%.*s' by libtraceevent, named '%s' by us\n",
				       o->path, event_kind_name(ev->kind), ev->ts_ns,
				       field->name, (int)strcspn(p, " \n"), p, name);
		}
		o->nr_printed++;
	}
	trace_seq_destroy(&seq);
}

/* libtracecmd's next record on @cpu of an event that we decode; NULL: none. */
static struct tep_record *next_record(struct oracle *o, unsigned cpu,
				      enum ev_kind *kind)
{
	struct tep_record *rec;

	while ((rec = tracecmd_read_data(o->input, cpu))) {
		int id = tep_data_type(o->tep, rec);

		o->nr_records[cpu]++;
		o->nr_by_id[id]++;
		*kind = o->kind_of_id[id];
		if (*kind != EV_NONE)
			return rec;
		tracecmd_free_record(rec);
	}
	return NULL;
}

static void compare_event(struct oracle *o, const struct event *ev,
			  int64_t *lost)
{
	enum ev_kind kind = EV_NONE;
	struct tep_record *rec = ev->cpu < o->nr_cpus ?
				 next_record(o, ev->cpu, &kind) : NULL;

	if (!rec) {
		difference(o, ev, "the number of events", 0, 1);
		return;
	}
	if (kind != (enum ev_kind)ev->kind)
		difference(o, ev, "the kind of event", kind, ev->kind);
	else
		compare_fields(o, ev, rec);
	if (rec->ts != ev->ts_ns)
		difference(o, ev, "the time", rec->ts, ev->ts_ns);
	if (tep_data_pid(o->tep, rec) != ev->pid)
		difference(o, ev, "the task", tep_data_pid(o->tep, rec), ev->pid);
	/* it hides a loss before a page that begins with a time extend, and
	 * attaches losses to records that we do not decode
	 */
	if (rec->missed_events && !*lost)
		difference(o, ev, "a loss", rec->missed_events, 0);
	else if (!rec->missed_events && *lost)
		o->nr_missed_hidden++;
	else if (*lost > 0 && rec->missed_events != *lost)
		difference(o, ev, "the size of a loss", rec->missed_events, *lost);
	*lost = 0;
	if (kind == (enum ev_kind)ev->kind && kind != EV_MARKER &&
	    !(o->nr_compared % PRINT_EVERY))
		compare_text(o, ev, rec);
	o->nr_compared++;
	tracecmd_free_record(rec);
}

/* Which fields of @event compare_fields() does not look at. */
static void find_left_out(struct oracle *o, enum ev_kind kind, const struct tep_event *event)
{
	const struct tep_format_field *theirs;
	const struct decode_field *ours;

	for (theirs = event->format.fields; theirs; theirs = theirs->next) {
		for (ours = decode_fields(kind); ours->name; ours++)
			if (!strcmp(ours->name, theirs->name))
				break;
		if (ours->name || (kind == EV_MARKER && !strcmp(theirs->name, "buf")))
			continue;
		if (strcmp(event->system, "lru_gen")) {
			o->nr_fields_left_out++;
			continue;
		}
		printf("%s: field %s of %s is left out\n", o->path, theirs->name, event->name);
		o->nr_differences++;
	}
}

static void find_events(struct oracle *o)
{
	const struct recording_info *info = reader_info(o->reader);
	unsigned i;

	for (i = 0; i < info->nr_events; i++) {
		const struct recording_event *event = &info->events[i];
		struct tep_event *theirs;

		if (event->kind == EV_NONE || !reader_has_event(o->reader, event->kind))
			continue;
		theirs = tep_find_event_by_name(o->tep, event->system, event->name);
		if (!theirs || theirs->id != event->id) {
			printf("%s: event %s:%s has id %d for libtracecmd, %d for us\n",
			       o->path, event->system, event->name,
			       theirs ? theirs->id : -1, event->id);
			o->nr_differences++;
			continue;
		}
		o->kind_of_id[event->id] = event->kind;
		o->event_of_kind[event->kind] = theirs;
		find_left_out(o, event->kind, theirs);
	}
}

static void compare_counts(struct oracle *o)
{
	const struct recording_info *info = reader_info(o->reader);
	const uint64_t *nr_by_event = reader_totals(o->reader)->nr_by_event;
	unsigned i;

	for (i = 0; i < info->nr_events; i++) {
		const struct recording_event *event = &info->events[i];

		if (nr_by_event[i] == o->nr_by_id[event->id])
			continue;
		printf("%s: %" PRIu64 " records of %s:%s for libtracecmd, %" PRIu64 " for us\n",
		       o->path, o->nr_by_id[event->id], event->system, event->name,
		       nr_by_event[i]);
		o->nr_differences++;
	}
}

static int open_input(struct oracle *o)
{
	const struct recording_info *info = reader_info(o->reader);
	const char *name = info->buffers[info->buffer].name;
	int i;

	o->input = tracecmd_open(o->path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!o->input)
		return -1;
	for (i = 0; *name && i < tracecmd_buffer_instances(o->input); i++) {
		if (strcmp(tracecmd_buffer_instance_name(o->input, i), name))
			continue;
		o->input = tracecmd_buffer_instance_handle(o->input, i);
		break;
	}
	o->tep = tracecmd_get_tep(o->input);
	return 0;
}

static int compare_file(const char *path)
{
	struct oracle *o = calloc(1, sizeof(*o));
	const struct reader_totals *totals;
	struct diag diag;
	struct event ev;
	int64_t *lost;
	unsigned i;
	int ret;

	o->path = path;
	ret = reader_open(&o->reader, path, NULL, &diag);
	if (ret < 0) {
		printf("%s\n", diag.text);
		return err_status(ret);
	}
	if (open_input(o) < 0) {
		printf("%s: libtracecmd cannot open it\n", path);
		return STATUS_UNREADABLE;
	}
	find_events(o);
	totals = reader_totals(o->reader);
	for (i = 0; i < totals->nr_cpus; i++)
		if ((unsigned)totals->cpus[i].cpu >= o->nr_cpus)
			o->nr_cpus = totals->cpus[i].cpu + 1;
	lost = calloc(o->nr_cpus + 1, sizeof(*lost));
	o->nr_records = calloc(o->nr_cpus + 1, sizeof(*o->nr_records));
	while ((ret = reader_next(o->reader, &ev)) > 0) {
		if (ev.kind == EV_LOST)
			lost[ev.cpu] = ev.u.lost.nr_lost;
		else if (ev.kind != EV_GAP)
			compare_event(o, &ev, &lost[ev.cpu]);
	}
	if (ret < 0) {
		printf("%s\n", reader_diag(o->reader)->text);
		return err_status(ret);
	}
	totals = reader_totals(o->reader);
	for (i = 0; i < totals->nr_cpus; i++) {
		const struct reader_cpu_totals *cpu = &totals->cpus[i];
		enum ev_kind kind;
		struct tep_record *rec = next_record(o, cpu->cpu, &kind);

		if (rec) {
			printf("%s: libtracecmd has more events on CPU %d\n",
			       path, cpu->cpu);
			o->nr_differences++;
			tracecmd_free_record(rec);
		}
		if (cpu->nr_records != o->nr_records[cpu->cpu]) {
			printf("%s: CPU %d has %" PRIu64 " records for libtracecmd, %" PRIu64 " for us\n",
			       path, cpu->cpu, o->nr_records[cpu->cpu],
			       cpu->nr_records);
			o->nr_differences++;
		}
	}
	compare_counts(o);
	printf("%s: %" PRIu64 " records, %" PRIu64 " compared, %" PRIu64 " fields (of stock events %u are left out), %" PRIu64 " printed values, %" PRIu64 " losses it hides: %s\n",
	       path, totals->nr_records, o->nr_compared, o->nr_fields,
	       o->nr_fields_left_out, o->nr_printed, o->nr_missed_hidden,
	       o->nr_differences ? "DIFFERENT" : "equal");
	ret = o->nr_differences ? STATUS_FAILED : STATUS_OK;
	tracecmd_close(o->input);
	reader_close(o->reader);
	free(o->nr_records);
	free(lost);
	free(o);
	return ret;
}

int main(int argc, char **argv)
{
	int i, status = STATUS_OK;

	if (argc < 2) {
		fprintf(stderr, "Usage: %s FILE...\n", argv[0]);
		return STATUS_USAGE;
	}
	for (i = 1; i < argc; i++) {
		int ret = compare_file(argv[i]);

		if (ret > status)
			status = ret;
	}
	return status;
}
