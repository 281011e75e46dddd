// SPDX-License-Identifier: GPL-2.0-only
#include "array.h"
#include "container-parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

enum option_id {
	OPTION_DONE = 0,
	OPTION_DATE = 1,
	OPTION_CPUSTAT = 2,
	OPTION_BUFFER = 3,
	OPTION_TRACECLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_HOOK = 6,
	OPTION_OFFSET = 7,
	OPTION_CPUCOUNT = 8,
	OPTION_VERSION = 9,
	OPTION_PROCMAPS = 10,
	OPTION_TRACEID = 11,
	OPTION_TIME_SHIFT = 12,
	OPTION_GUEST = 13,
	OPTION_TSC2NSEC = 14,
	OPTION_STRINGS = 15,
	OPTION_BUFFER_TEXT = 22,
	OPTION_BTF_FILE = 23,
	OPTION_LAST_BOOT = 24,
	OPTION_MODULES = 25,
	OPTION_SAVED_TGIDS = 32,
};

static void option_note(struct opening *o, unsigned id, uint64_t offset, const char *why)
{
	problem_note(&o->c->problems, ERR_BAD_OPTION, offset, "option %u %s; it is ignored", id,
		     why);
}

/* An ASCII integer; adds @unit times it to *@sum. */
static bool option_add_int(const uint8_t *data, uint32_t len, int64_t unit, int64_t *sum)
{
	int64_t v;

	len = strnlen((const char *)data, len);
	return format_int((const char *)data, len, &v) && !__builtin_mul_overflow(v, unit, &v) &&
	       !__builtin_add_overflow(*sum, v, sum);
}

static bool stat_value(const char *text, size_t len, const char *key, uint64_t *ret)
{
	size_t key_len = strlen(key);
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *nl = memchr(p, '\n', end - p);
		size_t line_len = (nl ? nl : end) - p;
		int64_t v;

		if (line_len > key_len && !memcmp(p, key, key_len) &&
		    format_int(p + key_len, line_len - key_len, &v) && v >= 0) {
			*ret = v;
			return true;
		}
		p += line_len + 1;
	}
	return false;
}

/*
 * The kernel's per_cpu/cpuN/stats, which trace-cmd heads with "CPU: N".  When
 * the numbers start over, the next buffer's begin.
 */
static int option_cpustat(struct opening *o, const uint8_t *data, uint32_t len)
{
	struct container *c = o->c;
	const char *text = (const char *)data;
	struct recording_cpu_stat *stat, *last = NULL;
	unsigned nr = c->info.nr_cpu_stats;
	uint64_t v;

	len = strnlen(text, len);
	if (array_grow(&c->cpu_stats, nr, &c->nr_cpu_stats_alloc, sizeof(*stat)) < 0)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	c->info.cpu_stats = c->cpu_stats;
	stat = &c->cpu_stats[nr];
	memset(stat, 0, sizeof(*stat));
	if (nr)
		last = &c->cpu_stats[nr - 1];
	if (stat_value(text, len, "CPU:", &v) && v < CONTAINER_MAX_CPU)
		stat->cpu = v;
	else
		stat->cpu = last ? last->cpu + 1 : 0;
	if (last)
		stat->set = last->set + (stat->cpu <= last->cpu);
	stat->has_entries = stat_value(text, len, "entries:", &stat->nr_entries);
	stat->has_overrun = stat_value(text, len, "overrun:", &stat->nr_overrun);
	stat->has_commit_overrun =
		stat_value(text, len, "commit overrun:", &stat->nr_commit_overrun);
	stat->has_dropped = stat_value(text, len, "dropped events:", &stat->nr_dropped);
	c->info.nr_cpu_stats++;
	return 0;
}

static void option_time_shift(struct opening *o, struct cursor *cur)
{
	struct container *c = o->c;
	uint64_t offset = cursor_offset(cur), peer;
	uint32_t nr_cpus, i, k;
	struct container_tsync_cpu *cpus;

	if (!cursor_u64(cur, &peer) || !cursor_u32(cur, &c->tsync_flags) ||
	    !cursor_u32(cur, &nr_cpus) || nr_cpus > cursor_left(cur) / 4) {
		option_note(o, OPTION_TIME_SHIFT, offset, "is cut off");
		return;
	}
	cpus = arena_alloc(&c->arena, (nr_cpus + 1) * sizeof(*cpus));
	if (!cpus)
		return;
	for (i = 0; i < nr_cpus; i++) {
		uint32_t n;

		if (!cursor_u32(cur, &n) || n > cursor_left(cur) / 24)
			goto damaged;
		cpus[i].samples = arena_alloc(&c->arena, (n + 1) * sizeof(*cpus[i].samples));
		if (!cpus[i].samples)
			return;
		cpus[i].nr_samples = n;
		for (k = 0; k < n; k++)
			cursor_u64(cur, (uint64_t *)&cpus[i].samples[k].time);
		for (k = 0; k < n; k++)
			cursor_u64(cur, (uint64_t *)&cpus[i].samples[k].offset);
		for (k = 0; k < n; k++)
			cursor_u64(cur, &cpus[i].samples[k].scaling);
	}
	if (cursor_left(cur)) {
		for (i = 0; i < nr_cpus; i++)
			for (k = 0; k < cpus[i].nr_samples; k++)
				cursor_u64(cur, &cpus[i].samples[k].fraction);
	}
	if (cur->failed)
		goto damaged;
	for (i = 0; i < nr_cpus; i++) {
		for (k = 0; k < cpus[i].nr_samples; k++) {
			if (cpus[i].samples[k].fraction > 63 ||
			    (k && cpus[i].samples[k].time <= cpus[i].samples[k - 1].time)) {
				option_note(o, OPTION_TIME_SHIFT, offset, "has impossible samples");
				return;
			}
		}
	}
	c->tsync = cpus;
	c->nr_tsync = nr_cpus;
	c->info.has_time_shift = true;
	return;
damaged:
	option_note(o, OPTION_TIME_SHIFT, offset, "is cut off");
}

/* Can a v7 BUFFER option be read in this byte order? */
static bool buffer_is_plausible(struct container *c, const uint8_t *data, uint32_t len,
				uint64_t base, bool swap)
{
	struct cursor cur;
	uint32_t page, n, i;
	uint64_t off;

	cursor_init_mem(&cur, data, len, base, swap);
	cursor_u64(&cur, &off);
	if (!cursor_str(&cur, len) || !cursor_str(&cur, len) || !cursor_u32(&cur, &page) ||
	    !cursor_u32(&cur, &n) || off >= c->size_bytes || cursor_left(&cur) / 20 < n)
		return false;
	for (i = 0; i < n; i++) {
		uint64_t cpu_off, size;
		uint32_t cpu;

		if (!cursor_u32(&cur, &cpu) || !cursor_u64(&cur, &cpu_off) ||
		    !cursor_u64(&cur, &size) || cpu >= CONTAINER_MAX_CPU ||
		    cpu_off >= c->size_bytes)
			return false;
	}
	return true;
}

static int option_buffer_v7(struct opening *o, const uint8_t *data, uint32_t len, uint64_t offset)
{
	struct container *c = o->c;
	struct recording_buffer *buffer;
	bool swap = c->swap;
	struct cpu_numbers *numbers;
	struct cursor cur;
	const char *text, *clock;
	char *name;
	uint32_t page, n, i;
	uint64_t section;
	int err = 0;

	if (!buffer_is_plausible(c, data, len, offset, swap) &&
	    buffer_is_plausible(c, data, len, offset, !swap)) {
		problem_note(
			&c->problems, ERR_CONTRADICTS_HEADER, offset,
			"a BUFFER option is in the other byte order than the file (written by a converter); it is read so");
		swap = !swap;
	}
	cursor_init_mem(&cur, data, len, offset, swap);
	cursor_u64(&cur, &section);
	text = cursor_str(&cur, len);
	name = text ? arena_strndup(&c->arena, text, len) : NULL;
	text = cursor_str(&cur, len);
	clock = text ? container_clock_name(c, text, len) : NULL;
	if (!cursor_u32(&cur, &page) || !cursor_u32(&cur, &n) || !name) {
		option_note(o, OPTION_BUFFER, offset, "is cut off");
		return 0;
	}
	buffer = container_add_buffer(c, name, clock);
	if (!buffer) {
		if (c->info.nr_buffers >= MAX_BUFFERS) {
			option_note(o, OPTION_BUFFER, offset, "is one too many");
			return 0;
		}
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	}
	buffer->page_size_bytes = page;
	numbers = calloc(1, sizeof(*numbers));
	if (!numbers)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	for (i = 0; i < n && err >= 0; i++) {
		uint64_t at = cursor_offset(&cur), cpu_off, size;
		uint32_t cpu;

		if (!cursor_u32(&cur, &cpu) || !cursor_u64(&cur, &cpu_off) ||
		    !cursor_u64(&cur, &size)) {
			problem_note(&c->problems, ERR_BAD_CPU, at,
				     "buffer '%s' announces %" PRIu32
				     " CPUs, its table ends after %" PRIu32,
				     name, n, i);
			break;
		}
		err = container_add_checked_cpu(c, buffer, numbers, cpu, cpu_off, size, at);
	}
	free(numbers);
	return err < 0 ? diag_set(o->diag, ERR_NOMEM, "out of memory") : 0;
}

static int option_buffer_v6(struct opening *o, const uint8_t *data, uint32_t len, uint64_t offset)
{
	struct v6_instance *more;
	struct cursor cur;
	const char *name;
	uint64_t at;

	cursor_init_mem(&cur, data, len, offset, o->c->swap);
	if (!cursor_u64(&cur, &at) || at >= o->c->size_bytes || o->nr_instances >= MAX_BUFFERS) {
		option_note(o, OPTION_BUFFER, offset, "points outside the file");
		return 0;
	}
	name = (const char *)data + 8;
	more = realloc(o->instances, (o->nr_instances + 1) * sizeof(*more));
	if (!more)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	o->instances = more;
	more += o->nr_instances;
	more->offset = at;
	more->nr_cpus = o->v6_nr_cpus;
	more->name = arena_strndup(&o->c->arena, name, len - 8);
	if (!more->name)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	o->v6_current = o->nr_instances++;
	return 0;
}

static int parse_option(struct opening *o, unsigned id, const uint8_t *data, uint32_t len,
			uint64_t offset)
{
	struct container *c = o->c;
	struct recording_info *info = &c->info;
	struct cursor cur;
	uint64_t v;

	cursor_init_mem(&cur, data, len, offset, c->swap);
	switch (id) {
	case OPTION_DATE:
		/* microseconds */
		info->has_date = option_add_int(data, len, 1000, &info->date_ns);
		if (!info->has_date)
			option_note(o, id, offset, "(DATE) is not a number that fits");
		break;
	case OPTION_OFFSET:
		info->has_offset = option_add_int(data, len, 1, &info->offset_ns);
		if (!info->has_offset)
			option_note(o, id, offset, "(OFFSET) is not a number that fits");
		break;
	case OPTION_CPUSTAT:
		return option_cpustat(o, data, len);
	case OPTION_BUFFER:
		return info->version >= 7 ? option_buffer_v7(o, data, len, offset) :
					    option_buffer_v6(o, data, len, offset);
	case OPTION_TRACECLOCK:
		if (info->version < 7)
			o->v6_has_clock = true;
		if (len)
			info->clock = container_clock_name(c, data, len);
		break;
	case OPTION_UNAME:
		info->uname = arena_strndup(&c->arena, data, len);
		break;
	case OPTION_VERSION:
		info->writer = arena_strndup(&c->arena, data, len);
		break;
	case OPTION_CPUCOUNT:
		/* another recorder uses the number for something longer */
		if (len != 4 || get_u32(data, c->swap) > CONTAINER_MAX_CPU) {
			info->nr_options_skipped++;
			break;
		}
		if (info->version < 7 && o->v6_current >= 0) {
			o->instances[o->v6_current].nr_cpus = get_u32(data, c->swap);
			break;
		}
		info->cpu_count = get_u32(data, c->swap);
		info->has_cpu_count = true;
		break;
	case OPTION_TRACEID:
		info->has_trace_id = cursor_u64(&cur, &info->trace_id);
		break;
	case OPTION_TIME_SHIFT:
		option_time_shift(o, &cur);
		break;
	case OPTION_TSC2NSEC:
		if (!cursor_u32(&cur, &c->tsc_mult) || !cursor_u32(&cur, &c->tsc_shift) ||
		    c->tsc_shift > 63) {
			option_note(o, id, offset, "(TSC2NSEC) is impossible");
			break;
		}
		/* older writers stored no offset */
		cursor_u64(&cur, &c->tsc_offset);
		c->has_tsc2nsec = info->has_tsc2nsec = c->tsc_mult != 0;
		break;
	case SECTION_HEADERS ... SECTION_CMDLINES:
		if (info->version < 7 || !cursor_u64(&cur, &v)) {
			info->nr_options_skipped++;
			break;
		}
		o->sections[id] = v;
		break;
	case OPTION_BUFFER_TEXT:
		o->has_latency = true;
		break;
	case OPTION_HOOK:
	case OPTION_PROCMAPS:
	case OPTION_GUEST:
	case OPTION_STRINGS:
	case OPTION_BTF_FILE:
	case OPTION_LAST_BOOT:
	case OPTION_MODULES:
	case OPTION_SAVED_TGIDS:
		/* known, and nothing that we need */
		break;
	default:
		info->nr_options_skipped++;
	}
	return 0;
}

int opening_parse_options(struct opening *o, struct cursor *cur, uint64_t *next)
{
	bool is_v7 = o->c->info.version >= 7;

	*next = 0;
	for (;;) {
		uint64_t offset = cursor_offset(cur);
		const uint8_t *data;
		uint16_t id;
		uint32_t len;
		int err;

		/* v7: a list that fills its section needs no DONE */
		if (is_v7 && !cursor_left(cur) && !cur->failed)
			return 0;
		if (!cursor_u16(cur, &id))
			goto damaged;
		if (id == OPTION_DONE && !is_v7)
			return 0;
		if (!cursor_u32(cur, &len))
			goto damaged;
		if (id == OPTION_DONE) {
			if (len >= 8 && !cursor_u64(cur, next))
				goto damaged;
			return 0;
		}
		if (len > MAX_SECTION_BYTES)
			goto damaged;
		data = cursor_bytes(cur, len);
		if (!data)
			goto damaged;
		err = parse_option(o, id, data, len, offset);
		if (err < 0)
			return err;
		continue;
	damaged:
		if (cur->is_io_error)
			return diag_set_at(o->diag, ERR_IO, offset,
					   "%s: read error at offset %" PRIu64, o->path, offset);
		problem_note(&o->c->problems, ERR_BAD_OPTION, offset,
			     "the option list ends in the middle of an option");
		o->chain_is_broken = true;
		o->broken_offset = offset;
		return 0;
	}
}
