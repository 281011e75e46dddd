// SPDX-License-Identifier: GPL-2.0-only
#include "container.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "subbuf.h"

/* Decompressed sections and single options beyond it are refused. */
#define MAX_SECTION_BYTES	(256u << 20)
#define MAX_OPTIONS_SECTIONS	1024u
#define MAX_TAGS		1024u
#define MAX_BUFFERS		4096u

enum section_id {
	SECTION_OPTIONS = 0,
	SECTION_DATA = 3,
	SECTION_HEADERS = 16,
	SECTION_FTRACE = 17,
	SECTION_EVENTS = 18,
	SECTION_KALLSYMS = 19,
	SECTION_PRINTK = 20,
	SECTION_CMDLINES = 21,
	SECTION_NR
};

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

/* An instance of a v6 file: found in an option, read afterwards. */
struct v6_instance {
	uint64_t offset;
	char *name;
	uint32_t nr_cpus;
};

/* What is only needed while opening. */
struct opening {
	struct container *c;
	struct diag *diag;
	const char *path;
	bool has_latency;
	bool chain_is_broken;		/* an options section was unreadable */
	uint64_t broken_offset;
	uint64_t sections[SECTION_NR];	/* 0: not given */
	uint64_t options_seen[MAX_OPTIONS_SECTIONS];
	unsigned nr_options_seen;
	bool v6_has_clock;
	uint32_t v6_nr_cpus;
	struct v6_instance *instances;
	unsigned nr_instances;
	int v6_current;			/* instance a CPUCOUNT applies to, -1 top */
};

static int grow(void *array, unsigned nr, unsigned *nr_alloc, size_t item_bytes)
{
	void **p = array;
	unsigned want = *nr_alloc ? 2 * *nr_alloc : 8;
	void *more;

	if (nr < *nr_alloc)
		return 0;
	more = realloc(*p, want * item_bytes);
	if (!more)
		return -ERR_NOMEM;
	*p = more;
	*nr_alloc = want;
	return 0;
}

struct recording_buffer *container_add_buffer(struct container *c,
					      const char *name,
					      const char *clock)
{
	struct recording_buffer *buffer;

	if (c->info.nr_buffers >= MAX_BUFFERS ||
	    grow(&c->buffers, c->info.nr_buffers, &c->nr_buffers_alloc,
		 sizeof(*buffer)) < 0)
		return NULL;
	c->info.buffers = c->buffers;
	buffer = &c->buffers[c->info.nr_buffers];
	memset(buffer, 0, sizeof(*buffer));
	buffer->name = arena_strndup(&c->arena, name, strlen(name));
	if (!buffer->name)
		return NULL;
	if (clock) {
		buffer->clock = arena_strndup(&c->arena, clock, strlen(clock));
		if (!buffer->clock)
			return NULL;
	}
	buffer->page_size_bytes = c->page_bytes;
	c->info.nr_buffers++;
	return buffer;
}

int container_add_cpu(struct container *c, struct recording_buffer *buffer,
		      const struct recording_cpu *cpu)
{
	struct recording_cpu *cpus = (struct recording_cpu *)buffer->cpus;
	unsigned nr = buffer->nr_cpus;

	if (cpu->cpu < 0 || (unsigned)cpu->cpu >= CONTAINER_MAX_CPU)
		return -ERR_BAD_CPU;
	/* capacity is the next power of two, at least 8 */
	if (!nr || (nr >= 8 && !(nr & (nr - 1)))) {
		struct recording_cpu *more;

		more = arena_alloc(&c->arena, (nr ? 2 * nr : 8) * sizeof(*more));
		if (!more)
			return -ERR_NOMEM;
		if (nr)
			memcpy(more, cpus, nr * sizeof(*more));
		cpus = more;
		buffer->cpus = cpus;
	}
	cpus[nr] = *cpu;
	buffer->nr_cpus++;
	return 0;
}

static void cpu_problem(struct container *c, enum err err, int cpu,
			uint64_t offset, uint64_t size, const char *text)
{
	struct reader_problem problem = {
		.err = err,
		.cpu = cpu,
		.has_offset = true,
		.offset_bytes = offset,
		.size_bytes = size,
		.nr = 1,
	};

	snprintf(problem.text, sizeof(problem.text), "%s", text);
	problem_add(&c->problems, &problem);
}

/*
 * One entry of a table of CPUs, checked; what is beyond the end of the file is
 * cut off and noted.  @seen has a bit per CPU id.  Data of a CPU whose number
 * cannot be right is kept under another number.
 */
static int add_checked_cpu(struct container *c, struct recording_buffer *buffer,
			   uint8_t *seen, uint32_t id, uint64_t offset,
			   uint64_t size, uint64_t table_offset)
{
	struct recording_cpu cpu = { .offset_bytes = offset, .size_bytes = size };
	bool is_compressed = c->codec != CODEC_NONE;
	char text[160];

	if (id >= CONTAINER_MAX_CPU || seen[id / 8] & (1u << (id % 8))) {
		uint32_t other = CONTAINER_MAX_CPU - 1;

		while (other && seen[other / 8] & (1u << (other % 8)))
			other--;
		problem_note(&c->problems, ERR_BAD_CPU, table_offset,
			     "CPU number %" PRIu32 " %s; its data is shown as CPU %" PRIu32,
			     id, id >= CONTAINER_MAX_CPU ? "is impossible" :
			     "is listed twice", other);
		id = other;
	}
	cpu.cpu = id;
	seen[id / 8] |= 1u << (id % 8);
	/* big-endian 3.3 writers leave the size of compressed data 0 */
	if (!size && !(is_compressed && offset))
		return 0;
	if (offset >= c->size_bytes) {
		snprintf(text, sizeof(text),
			 "data should start at %" PRIu64 ", the file ends at %" PRIu64,
			 offset, c->size_bytes);
		cpu_problem(c, ERR_CPU_TRUNCATED, id, offset, size, text);
		cpu.size_bytes = 0;
		cpu.nr_missing_bytes = size ? size : 1;
		cpu.is_unusable = true;
		return container_add_cpu(c, buffer, &cpu);
	}
	if (size > c->size_bytes - offset) {
		cpu.nr_missing_bytes = size - (c->size_bytes - offset);
		cpu.size_bytes = c->size_bytes - offset;
		snprintf(text, sizeof(text),
			 "%" PRIu64 " of %" PRIu64 " bytes are missing at the end of the file",
			 cpu.nr_missing_bytes, size);
		cpu_problem(c, ERR_CPU_TRUNCATED, id, offset + cpu.size_bytes,
			    cpu.nr_missing_bytes, text);
	}
	return container_add_cpu(c, buffer, &cpu);
}

/* "[local] global counter" or just "local"; NULL for an empty text. */
static const char *clock_name(struct container *c, const void *text, size_t len)
{
	const char *p = text, *open, *close;

	len = strnlen(p, len);
	open = len ? memchr(p, '[', len) : NULL;
	if (open) {
		close = memchr(open, ']', p + len - open);
		if (close)
			return arena_strndup(&c->arena, open + 1, close - open - 1);
	}
	while (len && isspace((unsigned char)p[len - 1]))
		len--;
	return len ? arena_strndup(&c->arena, p, len) : NULL;
}

/* --- sections ---------------------------------------------------------- */

struct blob {
	uint8_t *data;
	uint64_t len;
	uint64_t offset;	/* of the first byte in the file, for messages */
};

static int read_blob(struct opening *o, struct blob *blob, uint64_t off,
		     uint64_t len, const char *what)
{
	struct container *c = o->c;
	int64_t got;

	if (!range_fits(off, len, c->size_bytes))
		return diag_set_at(o->diag, ERR_TRUNCATED, off,
				   "%s: the %s at offset %" PRIu64 " should be %" PRIu64
				   " bytes long, but the file ends at %" PRIu64
				   ": the recording is cut short",
				   o->path, what, off, len, c->size_bytes);
	if (len > MAX_SECTION_BYTES)
		return diag_set_at(o->diag, ERR_BAD_SECTION, off,
				   "%s: the %s at offset %" PRIu64 " claims %" PRIu64
				   " bytes, more than %u",
				   o->path, what, off, len, MAX_SECTION_BYTES);
	blob->data = malloc(len ? len : 1);
	blob->len = len;
	blob->offset = off;
	if (!blob->data)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	got = file_pread(c->fd, blob->data, len, off);
	if (got < 0 || (uint64_t)got < len) {
		int saved = errno;

		free(blob->data);
		blob->data = NULL;
		if (got < 0)
			return diag_set_at(o->diag, ERR_IO, off,
					   "%s: read error at offset %" PRIu64 ": %s",
					   o->path, off, strerror(saved));
		return diag_set_at(o->diag, ERR_TRUNCATED, off,
				   "%s: the file shrank while it was read", o->path);
	}
	return 0;
}

struct section_header {
	uint16_t id, flags;
	uint64_t size;
};

static bool read_section_header(struct container *c, uint64_t off, bool swap,
				struct section_header *ret)
{
	uint8_t raw[16];

	if (!range_fits(off, sizeof(raw), c->size_bytes) ||
	    file_pread(c->fd, raw, sizeof(raw), off) != sizeof(raw))
		return false;
	ret->id = get_u16(raw, swap);
	ret->flags = get_u16(raw + 2, swap);
	ret->size = get_u64(raw + 8, swap);
	return true;
}

/* The decompressed body of the v7 section at @off. */
static int load_section(struct opening *o, uint64_t off, enum section_id id,
			const char *what, struct blob *ret)
{
	struct container *c = o->c;
	struct section_header head;
	struct codec codec;
	struct blob packed;
	uint8_t raw[8];
	uint32_t zsize, usize;
	int err;

	if (!read_section_header(c, off, c->swap, &head))
		return diag_set_at(o->diag, ERR_TRUNCATED, off,
				   "%s: the %s should be at offset %" PRIu64
				   ", but the file ends at %" PRIu64
				   ": the recording is cut short",
				   o->path, what, off, c->size_bytes);
	if (head.id != id || head.flags > 1)
		return diag_set_at(o->diag, ERR_BAD_SECTION, off,
				   "%s: there is no %s at offset %" PRIu64
				   " (section %u, flags 0x%x found)",
				   o->path, what, off, head.id, head.flags);
	if (!head.flags)
		return read_blob(o, ret, off + 16, head.size, what);

	if (!range_fits(off + 16, 8, c->size_bytes) ||
	    file_pread(c->fd, raw, 8, off + 16) != 8)
		return diag_set_at(o->diag, ERR_TRUNCATED, off,
				   "%s: the %s at offset %" PRIu64
				   " ends with the file: the recording is cut short",
				   o->path, what, off);
	zsize = get_u32(raw, c->swap);
	usize = get_u32(raw + 4, c->swap);
	if (usize > MAX_SECTION_BYTES)
		return diag_set_at(o->diag, ERR_BAD_SECTION, off,
				   "%s: the %s at offset %" PRIu64
				   " claims %" PRIu32 " bytes when inflated",
				   o->path, what, off, usize);
	err = read_blob(o, &packed, off + 24, zsize, what);
	if (err < 0)
		return err;
	ret->data = malloc(usize ? usize : 1);
	ret->len = usize;
	ret->offset = off;
	if (!ret->data) {
		free(packed.data);
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	}
	codec_init(&codec, c->codec);
	err = codec_inflate(&codec, ret->data, usize, packed.data, zsize);
	codec_release(&codec);
	free(packed.data);
	if (err < 0) {
		free(ret->data);
		ret->data = NULL;
		if (err == -ERR_NOMEM)
			return diag_set(o->diag, ERR_NOMEM, "out of memory");
		return diag_set_at(o->diag, ERR_BAD_SECTION, off,
				   "%s: the %s at offset %" PRIu64
				   " does not inflate to its %" PRIu32 " bytes (%s)",
				   o->path, what, off, usize, c->info.codec);
	}
	return 0;
}

/* --- header_page and formats ------------------------------------------- */

static int parse_header_page(struct opening *o, const char *text, uint64_t len,
			     uint64_t offset)
{
	struct container *c = o->c;
	const struct format_field *ts, *commit, *data;
	struct format format;
	char *wrapped;
	int err;

	if (!len) {
		/* kernels before 2.6.30 had no such file */
		c->commit_offset = 8;
		c->commit_bytes = c->info.user_long_bytes;
		c->data_offset = 8 + c->commit_bytes;
		c->page_bytes = c->info.page_size_bytes;
		return 0;
	}
	if (len > FORMAT_MAX_BYTES)
		goto bad;
	/* the text has only the field lines of a format */
	wrapped = malloc(len + 32);
	if (!wrapped)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	memcpy(wrapped, "name: header_page\nID: 0\n", 24);
	memcpy(wrapped + 24, text, len);
	err = format_parse(&format, wrapped, len + 24, NULL);
	free(wrapped);
	if (err == -ERR_NOMEM)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	if (err < 0)
		goto bad;
	ts = format_field(&format, "timestamp");
	commit = format_field(&format, "commit");
	data = format_field(&format, "data");
	if (!ts || !commit || !data || ts->offset || ts->size != 8 ||
	    (commit->size != 4 && commit->size != 8) || commit->offset < 8 ||
	    data->offset < commit->offset + commit->size ||
	    data->offset + data->size < CONTAINER_MIN_PAGE ||
	    data->offset + data->size > CONTAINER_MAX_PAGE ||
	    (data->offset + data->size) % 8) {
		format_release(&format);
		goto bad;
	}
	c->commit_offset = commit->offset;
	c->commit_bytes = commit->size;
	c->data_offset = data->offset;
	c->page_bytes = data->offset + data->size;
	c->has_header_page = true;
	format_release(&format);
	return 0;
bad:
	return diag_set_at(o->diag, ERR_BAD_PAGE_FORMAT, offset,
			   "%s: header_page at offset %" PRIu64
			   " does not describe a sub-buffer of a known kind",
			   o->path, offset);
}

/* "header_page", "header_event": the texts that describe the sub-buffers. */
static int parse_headers(struct opening *o, struct cursor *cur)
{
	static const char *const names[] = { "header_page", "header_event" };
	unsigned i;

	for (i = 0; i < 2; i++) {
		uint64_t offset = cursor_offset(cur);
		const char *name = cursor_str(cur, strlen(names[i]) + 1);
		const uint8_t *text = NULL;
		uint64_t len = 0;

		if (name && !strcmp(name, names[i]) && cursor_u64(cur, &len))
			text = cursor_bytes(cur, len);
		if (!text && cur->is_io_error)
			return diag_set_at(o->diag, ERR_IO, offset,
					   "%s: read error at offset %" PRIu64,
					   o->path, offset);
		if (!text)
			return diag_set_at(o->diag, ERR_BAD_SECTION, offset,
					   "%s: no valid %s at offset %" PRIu64
					   ": the file is damaged or cut short",
					   o->path, names[i], offset);
		if (!i) {
			int err = parse_header_page(o, (const char *)text, len,
						    offset);

			if (err < 0)
				return err;
		}
	}
	return 0;
}

static int add_event(struct container *c, const char *system, const char *text,
		     uint64_t len, uint64_t offset)
{
	struct container_format *format;
	struct recording_event *event;
	unsigned nr = c->info.nr_events, nr_alloc = c->nr_events_alloc;
	const char *name;
	size_t name_len;
	int id;

	if (!format_head(text, len, &name, &name_len, &id)) {
		problem_note(&c->problems, ERR_BAD_FORMAT, offset,
			     "a format of system %s does not begin with a name and an ID; it is ignored",
			     system);
		return 0;
	}
	/* ids have 16 bits, so there cannot be more that mean something */
	if (nr > UINT16_MAX)
		return 0;
	if (grow(&c->events, nr, &nr_alloc, sizeof(*event)) < 0 ||
	    grow(&c->formats, nr, &c->nr_events_alloc, sizeof(*format)) < 0)
		return -ERR_NOMEM;
	event = &c->events[nr];
	format = &c->formats[nr];
	event->system = system;
	event->name = arena_strndup(&c->arena, name, name_len);
	if (!event->name)
		return -ERR_NOMEM;
	event->id = id;
	event->kind = event_kind_of(system, event->name);
	memset(format, 0, sizeof(*format));
	if (event->kind != EV_NONE && len <= FORMAT_MAX_BYTES) {
		char *copy = arena_alloc(&c->arena, len);

		if (!copy)
			return -ERR_NOMEM;
		memcpy(copy, text, len);
		format->text = copy;
		format->len_bytes = len;
	}
	format->offset_bytes = offset;
	c->info.nr_events++;
	c->info.events = c->events;
	return 0;
}

/* @n formats of one system.  Damage ends the section with a note. */
static int parse_formats(struct opening *o, struct cursor *cur,
			 const char *system, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		uint64_t offset = cursor_offset(cur);
		const uint8_t *text;
		uint64_t len;
		int err;

		if (!cursor_u64(cur, &len))
			goto damaged;
		text = cursor_bytes(cur, len);
		if (!text)
			goto damaged;
		err = add_event(o->c, system, (const char *)text, len, offset);
		if (err < 0)
			return diag_set(o->diag, ERR_NOMEM, "out of memory");
		continue;
damaged:
		problem_note(&o->c->problems, ERR_BAD_FORMAT, offset,
			     "format %" PRIu32 " of %" PRIu32 " of system %s is cut off; it and all behind it are unknown",
			     i + 1, n, system);
		return 0;
	}
	return 0;
}

static int parse_ftrace(struct opening *o, struct cursor *cur)
{
	uint32_t n;

	if (!cursor_u32(cur, &n)) {
		problem_note(&o->c->problems, ERR_BAD_FORMAT, cursor_offset(cur),
			     "the formats of system ftrace are missing");
		return 0;
	}
	return parse_formats(o, cur, "ftrace", n);
}

static int parse_events(struct opening *o, struct cursor *cur)
{
	uint32_t nr_systems, i;

	if (!cursor_u32(cur, &nr_systems))
		nr_systems = 0;
	for (i = 0; i < nr_systems && !cur->failed; i++) {
		const char *name = cursor_str(cur, 256);
		char *system;
		uint32_t n;
		int err;

		if (!name)
			break;
		system = arena_strndup(&o->c->arena, name, 256);
		if (!system)
			return diag_set(o->diag, ERR_NOMEM, "out of memory");
		if (!cursor_u32(cur, &n))
			break;
		err = parse_formats(o, cur, system, n);
		if (err < 0)
			return err;
	}
	if (cur->failed && i < nr_systems)
		problem_note(&o->c->problems, ERR_BAD_FORMAT, cursor_offset(cur),
			     "formats of %" PRIu32 " of %" PRIu32 " systems are unreadable",
			     nr_systems - i, nr_systems);
	if (cur->is_io_error)
		return diag_set(o->diag, ERR_IO, "%s: read error", o->path);
	return 0;
}

/* --- options ------------------------------------------------------------ */

static void option_note(struct opening *o, unsigned id, uint64_t offset,
			const char *why)
{
	problem_note(&o->c->problems, ERR_BAD_OPTION, offset,
		     "option %u %s; it is ignored", id, why);
}

/* An ASCII integer; adds @unit times it to *@sum. */
static bool option_add_int(const uint8_t *data, uint32_t len, int64_t unit,
			   int64_t *sum)
{
	int64_t v;

	len = strnlen((const char *)data, len);
	return format_int((const char *)data, len, &v) &&
	       !__builtin_mul_overflow(v, unit, &v) &&
	       !__builtin_add_overflow(*sum, v, sum);
}

static bool stat_value(const char *text, size_t len, const char *key,
		       uint64_t *ret)
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
	if (grow(&c->cpu_stats, nr, &c->nr_cpu_stats_alloc, sizeof(*stat)) < 0)
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
	stat->has_commit_overrun = stat_value(text, len, "commit overrun:",
					      &stat->nr_commit_overrun);
	stat->has_dropped = stat_value(text, len, "dropped events:",
				       &stat->nr_dropped);
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
		cpus[i].samples = arena_alloc(&c->arena,
					      (n + 1) * sizeof(*cpus[i].samples));
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
			    (k && cpus[i].samples[k].time <=
				  cpus[i].samples[k - 1].time)) {
				option_note(o, OPTION_TIME_SHIFT, offset,
					    "has impossible samples");
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
static bool buffer_is_plausible(struct container *c, const uint8_t *data,
				uint32_t len, uint64_t base, bool swap)
{
	struct cursor cur;
	uint32_t page, n, i;
	uint64_t off;

	cursor_init_mem(&cur, data, len, base, swap);
	cursor_u64(&cur, &off);
	if (!cursor_str(&cur, len) || !cursor_str(&cur, len) ||
	    !cursor_u32(&cur, &page) || !cursor_u32(&cur, &n) ||
	    off >= c->size_bytes || cursor_left(&cur) / 20 < n)
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

static int option_buffer_v7(struct opening *o, const uint8_t *data, uint32_t len,
			    uint64_t offset)
{
	struct container *c = o->c;
	struct recording_buffer *buffer;
	bool swap = c->swap;
	uint8_t *seen;
	struct cursor cur;
	const char *text, *clock;
	char *name;
	uint32_t page, n, i;
	uint64_t section;
	int err = 0;

	if (!buffer_is_plausible(c, data, len, offset, swap) &&
	    buffer_is_plausible(c, data, len, offset, !swap)) {
		problem_note(&c->problems, ERR_CONTRADICTS_HEADER, offset,
			     "a BUFFER option is in the other byte order than the file (written by a converter); it is read so");
		swap = !swap;
	}
	cursor_init_mem(&cur, data, len, offset, swap);
	cursor_u64(&cur, &section);
	text = cursor_str(&cur, len);
	name = text ? arena_strndup(&c->arena, text, len) : NULL;
	text = cursor_str(&cur, len);
	clock = text ? clock_name(c, text, len) : NULL;
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
	seen = calloc(1, CONTAINER_MAX_CPU / 8);
	if (!seen)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	for (i = 0; i < n && err >= 0; i++) {
		uint64_t at = cursor_offset(&cur), cpu_off, size;
		uint32_t cpu;

		if (!cursor_u32(&cur, &cpu) || !cursor_u64(&cur, &cpu_off) ||
		    !cursor_u64(&cur, &size)) {
			problem_note(&c->problems, ERR_BAD_CPU, at,
				     "buffer '%s' announces %" PRIu32 " CPUs, its table ends after %" PRIu32,
				     name, n, i);
			break;
		}
		err = add_checked_cpu(c, buffer, seen, cpu, cpu_off, size, at);
	}
	free(seen);
	return err < 0 ? diag_set(o->diag, ERR_NOMEM, "out of memory") : 0;
}

static int option_buffer_v6(struct opening *o, const uint8_t *data, uint32_t len,
			    uint64_t offset)
{
	struct v6_instance *more;
	struct cursor cur;
	const char *name;
	uint64_t at;

	cursor_init_mem(&cur, data, len, offset, o->c->swap);
	if (!cursor_u64(&cur, &at) || at >= o->c->size_bytes ||
	    o->nr_instances >= MAX_BUFFERS) {
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

static int parse_option(struct opening *o, unsigned id, const uint8_t *data,
			uint32_t len, uint64_t offset)
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
		return info->version >= 7 ?
		       option_buffer_v7(o, data, len, offset) :
		       option_buffer_v6(o, data, len, offset);
	case OPTION_TRACECLOCK:
		if (info->version < 7)
			o->v6_has_clock = true;
		if (len)
			info->clock = clock_name(c, data, len);
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
			o->instances[o->v6_current].nr_cpus =
				get_u32(data, c->swap);
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
		if (!cursor_u32(&cur, &c->tsc_mult) ||
		    !cursor_u32(&cur, &c->tsc_shift) || c->tsc_shift > 63) {
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

/*
 * A list of options up to DONE.  *@next is DONE's offset (v7) or 0.  A broken
 * list is noted and ends; its options so far count.
 */
static int parse_option_list(struct opening *o, struct cursor *cur,
			     uint64_t *next)
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
					   "%s: read error at offset %" PRIu64,
					   o->path, offset);
		problem_note(&o->c->problems, ERR_BAD_OPTION, offset,
			     "the option list ends in the middle of an option");
		o->chain_is_broken = true;
		o->broken_offset = offset;
		return 0;
	}
}

/* --- version 7 ---------------------------------------------------------- */

static int read_options_v7(struct opening *o)
{
	struct container *c = o->c;
	uint64_t offset = c->options_offset;
	unsigned i;

	while (offset) {
		struct diag diag = { 0 };
		struct cursor cur;
		struct blob blob;
		uint64_t next;
		int err;

		for (i = 0; i < o->nr_options_seen; i++)
			if (o->options_seen[i] == offset)
				break;
		if (i < o->nr_options_seen || i == MAX_OPTIONS_SECTIONS) {
			problem_note(&c->problems, ERR_BAD_OPTION, offset,
				     i == MAX_OPTIONS_SECTIONS ?
				     "there are more than 1024 lists of options; the rest is ignored" :
				     "the chain of option lists comes back to one that was read; it is ended there");
			return 0;
		}
		o->options_seen[o->nr_options_seen++] = offset;
		err = load_section(&(struct opening){ .c = c, .diag = &diag,
						      .path = o->path },
				   offset, SECTION_OPTIONS, "list of options",
				   &blob);
		if (err == -ERR_NOMEM || err == -ERR_IO) {
			if (o->diag)
				*o->diag = diag;
			return err;
		}
		if (err < 0) {
			problem_note(&c->problems, ERR_BAD_OPTION, offset, "%s",
				     diag.text + strlen(o->path) + 2);
			o->chain_is_broken = true;
			o->broken_offset = offset;
			return 0;
		}
		cursor_init_mem(&cur, blob.data, blob.len, blob.offset, c->swap);
		err = parse_option_list(o, &cur, &next);
		free(blob.data);
		if (err < 0)
			return err;
		offset = next;
	}
	return 0;
}

/*
 * Without options: sections follow each other from the header on, as far as the
 * writer got.
 */
static void walk_sections(struct opening *o, uint64_t offset)
{
	struct container *c = o->c;
	struct section_header head;

	while (read_section_header(c, offset, c->swap, &head) &&
	       head.id >= SECTION_HEADERS && head.id < SECTION_NR &&
	       head.flags <= 1 && !o->sections[head.id]) {
		o->sections[head.id] = offset;
		if (!range_fits(offset + 16, head.size, c->size_bytes))
			break;
		offset += 16 + head.size;
		c->scan_from = offset;
	}
}

static int load_metadata_v7(struct opening *o)
{
	struct container *c = o->c;
	struct cursor cur;
	struct blob blob;
	int err;

	if (!o->sections[SECTION_HEADERS])
		return diag_set(o->diag, o->chain_is_broken ? ERR_TRUNCATED :
				ERR_BAD_OPTIONS,
				"%s: no option says where the sub-buffer format is%s",
				o->path, o->chain_is_broken ?
				": the recording is cut short" :
				": the file is damaged");
	err = load_section(o, o->sections[SECTION_HEADERS], SECTION_HEADERS,
			   "sub-buffer format", &blob);
	if (err < 0)
		return err;
	cursor_init_mem(&cur, blob.data, blob.len, blob.offset, c->swap);
	err = parse_headers(o, &cur);
	free(blob.data);
	if (err < 0)
		return err;

	if (o->sections[SECTION_FTRACE]) {
		err = load_section(o, o->sections[SECTION_FTRACE],
				   SECTION_FTRACE, "list of ftrace formats", &blob);
		if (err == -ERR_NOMEM || err == -ERR_IO)
			return err;
		if (err < 0) {
			problem_note(&c->problems, ERR_BAD_FORMAT,
				     o->sections[SECTION_FTRACE],
				     "the formats of system ftrace are unreadable; markers are not shown");
		} else {
			cursor_init_mem(&cur, blob.data, blob.len, blob.offset,
					c->swap);
			err = parse_ftrace(o, &cur);
			free(blob.data);
			if (err < 0)
				return err;
		}
	}
	if (!o->sections[SECTION_EVENTS])
		return diag_set(o->diag, ERR_BAD_OPTIONS,
				"%s: no option says where the event formats are: the recording is cut short or damaged",
				o->path);
	err = load_section(o, o->sections[SECTION_EVENTS], SECTION_EVENTS,
			   "list of event formats", &blob);
	if (err < 0)
		return err;
	cursor_init_mem(&cur, blob.data, blob.len, blob.offset, c->swap);
	err = parse_events(o, &cur);
	free(blob.data);
	if (err < 0)
		return err;

	if (o->sections[SECTION_CMDLINES] &&
	    load_section(&(struct opening){ .c = c, .path = o->path },
			 o->sections[SECTION_CMDLINES], SECTION_CMDLINES,
			 "list of tasks", &blob) >= 0) {
		uint64_t len;
		const uint8_t *text;

		cursor_init_mem(&cur, blob.data, blob.len, blob.offset, c->swap);
		text = cursor_u64(&cur, &len) ? cursor_bytes(&cur, len) : NULL;
		if (text) {
			c->cmdlines = arena_strndup(&c->arena, text, len);
			c->cmdlines_len = c->cmdlines ? strlen(c->cmdlines) : 0;
		}
		free(blob.data);
	}
	return 0;
}

static bool options_are_plausible(struct container *c, uint64_t offset, bool swap)
{
	struct section_header head;

	return offset >= 0x12 &&
	       read_section_header(c, offset, swap, &head) &&
	       head.id == SECTION_OPTIONS && head.flags <= 1 &&
	       range_fits(offset + 16, head.size, c->size_bytes);
}

/*
 * Recorded on a kernel without CONFIG_KALLSYMS, a compressed v7 file has its
 * header overwritten by a section size (errata in formats/trace-dat.md): eight
 * bytes at 0x0c, so that of the codec's name only "td" or "ib" is left.
 */
static int read_overwritten_header(struct opening *o, const uint8_t *raw,
				   size_t len)
{
	struct container *c = o->c;
	const char *codec = raw[0x14] == 't' ? "zstd" : "zlib";
	const uint8_t *nul = memchr(raw + 0x17, 0, len - 0x17);
	int order;

	if (!c->salvage)
		return diag_set_at(o->diag, ERR_NO_KALLSYMS, 0x0c,
				   "%s: the file header is overwritten at offset 12: trace-cmd does this on a kernel without CONFIG_KALLSYMS; read it with --salvage, or record with CONFIG_KALLSYMS or --compression none",
				   o->path);
	if (!nul || (size_t)(raw + len - nul) < 9)
		return diag_set_at(o->diag, ERR_BAD_HEADER, 0x17,
				   "%s: the file header is overwritten and cut off",
				   o->path);
	for (order = 0; order < 2; order++) {
		bool swap = order != is_big_endian_host();
		uint64_t offset = get_u64(nul + 1, swap);

		if (!options_are_plausible(c, offset, swap))
			continue;
		c->swap = swap;
		c->info.big_endian = order;
		c->options_offset = offset;
		c->codec = codec_kind_of(codec);
		c->info.codec = codec;
		c->info.codec_version = arena_strndup(&c->arena, raw + 0x17,
						      nul - (raw + 0x17));
		c->info.user_long_bytes = 8;
		c->info.page_size_bytes = 0;
		c->info.salvaged = true;
		problem_note(&c->problems, ERR_NO_KALLSYMS, 0x0c,
			     "the file header was overwritten (kernel without CONFIG_KALLSYMS); byte order and codec are inferred");
		return 0;
	}
	return diag_set_at(o->diag, ERR_BAD_HEADER, 0x0c,
			   "%s: the file header is overwritten and the options cannot be found",
			   o->path);
}

static int read_header_v7(struct opening *o, const uint8_t *raw, size_t len,
			  uint64_t *end)
{
	struct container *c = o->c;
	const uint8_t *codec = raw + 0x12, *version, *nul;
	uint64_t offset;

	if (len > 0x20 && (!memcmp(raw + 0x14, "td", 3) ||
			   !memcmp(raw + 0x14, "ib", 3)) &&
	    memcmp(codec, "zs", 2) && memcmp(codec, "zl", 2))
		return read_overwritten_header(o, raw, len);

	nul = len > 0x12 ? memchr(codec, 0, len - 0x12) : NULL;
	version = nul ? nul + 1 : NULL;
	if (version)
		nul = memchr(version, 0, raw + len - version);
	if (!nul || (size_t)(raw + len - nul) < 9) {
		if (len < 0x40)
			return diag_set_at(o->diag, ERR_TRUNCATED, len,
					   "%s: the file ends inside its header, after %zu bytes: the recording is cut short",
					   o->path, len);
		return diag_set_at(o->diag, ERR_BAD_HEADER, 0x12,
				   "%s: the file header names no compression at offset 18",
				   o->path);
	}
	c->info.codec = arena_strndup(&c->arena, codec, version - codec);
	c->info.codec_version = arena_strndup(&c->arena, version, nul - version);
	if (!c->info.codec || !c->info.codec_version)
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	c->codec = codec_kind_of(c->info.codec);
	if (c->codec == CODEC_UNKNOWN) {
		char name[32];
		size_t i;

		for (i = 0; i < sizeof(name) - 1 && c->info.codec[i]; i++)
			name[i] = isprint((unsigned char)c->info.codec[i]) ?
				  c->info.codec[i] : '?';
		name[i] = '\0';
		return diag_set_at(o->diag, ERR_CODEC, 0x12,
				   "%s: compressed with '%s', which is not supported (none, zstd and zlib are); 'trace-cmd convert --compression zstd' on the machine that wrote it can rewrite it",
				   o->path, name);
	}
	*end = nul - raw + 9;
	offset = get_u64(nul + 1, c->swap);
	if (!options_are_plausible(c, offset, c->swap) &&
	    options_are_plausible(c, get_u64(nul + 1, !c->swap), !c->swap)) {
		problem_note(&c->problems, ERR_CONTRADICTS_HEADER, 0x0c,
			     "the header says %s-endian, the contents are %s-endian and read so",
			     c->info.big_endian ? "big" : "little",
			     c->info.big_endian ? "little" : "big");
		c->swap = !c->swap;
		c->info.big_endian = !c->info.big_endian;
		c->info.page_size_bytes = __builtin_bswap32(c->info.page_size_bytes);
		offset = get_u64(nul + 1, c->swap);
	}
	c->options_offset = offset;
	return 0;
}

static int open_v7(struct opening *o, uint64_t header_end)
{
	struct container *c = o->c;
	bool has_options = options_are_plausible(c, c->options_offset, c->swap);
	int err;

	if (!has_options && !c->salvage) {
		bool is_beyond = c->options_offset >= c->size_bytes ||
				 !c->options_offset;

		return diag_set_at(o->diag, is_beyond ? ERR_TRUNCATED :
				   ERR_BAD_HEADER, c->options_offset,
				   "%s: %s (options should be at offset %" PRIu64
				   ", the file has %" PRIu64 " bytes); try --salvage",
				   o->path, is_beyond ? "the recording is cut short" :
				   "the header points to no list of options",
				   c->options_offset, c->size_bytes);
	}
	if (has_options) {
		err = read_options_v7(o);
		if (err < 0)
			return err;
	}
	if (!o->sections[SECTION_HEADERS] && c->salvage) {
		walk_sections(o, header_end);
		if (!o->sections[SECTION_HEADERS])
			return diag_set_at(o->diag, ERR_TRUNCATED, header_end,
					   "%s: too little is left to salvage: no event formats after the header",
					   o->path);
		c->info.salvaged = true;
	}
	if (o->has_latency && !c->info.nr_buffers)
		return diag_set(o->diag, ERR_LATENCY,
				"%s: is a latency recording: it holds the kernel's text, no events; record with: trace-cmd record -C mono -e lru_gen",
				o->path);
	if (!c->info.nr_buffers && !c->salvage)
		return diag_set(o->diag, ERR_NO_BUFFER,
				"%s: the recording is cut short: the table that says where the events are (written last) is missing%s; try --salvage",
				o->path, o->chain_is_broken ?
				", and so is the end of the options" : "");
	err = load_metadata_v7(o);
	if (err < 0)
		return err;
	if (!c->info.nr_buffers)
		c->info.salvaged = true;
	return 0;
}

/* --- version 6 ---------------------------------------------------------- */

static int truncated_v6(struct opening *o, const struct cursor *cur,
			const char *what)
{
	if (cur->is_io_error)
		return diag_set_at(o->diag, ERR_IO, cursor_offset(cur),
				   "%s: read error at offset %" PRIu64,
				   o->path, cursor_offset(cur));
	return diag_set_at(o->diag, ERR_TRUNCATED, cursor_offset(cur),
			   "%s: the %s is cut off at offset %" PRIu64
			   " (file size %" PRIu64 "): the recording is cut short or damaged",
			   o->path, what, cursor_offset(cur), o->c->size_bytes);
}

/*
 * A tag block: options, then the table of CPUs of one buffer.  @name of an
 * instance, "" of the top buffer.
 */
static int read_tags_v6(struct opening *o, struct cursor *cur, const char *name,
			uint32_t nr_cpus, bool is_top)
{
	struct container *c = o->c;
	struct recording_buffer *buffer;
	const uint8_t *tag;
	const char *clock = NULL;
	uint64_t table_offset, unused;
	uint8_t *seen;
	unsigned i;
	uint32_t cpu;
	int err;

	for (i = 0; ; i++) {
		tag = cursor_bytes(cur, 10);
		if (!tag)
			return truncated_v6(o, cur, "list of options and buffers");
		if (!memcmp(tag, "options  ", 10) && i < MAX_TAGS) {
			o->v6_current = -1;
			err = parse_option_list(o, cur, &unused);
			if (err < 0)
				return err;
			continue;
		}
		if (!memcmp(tag, "flyrecord", 10))
			break;
		if (!memcmp(tag, "latency  ", 10))
			return diag_set_at(o->diag, ERR_LATENCY, cursor_offset(cur),
					   "%s: is a latency recording: it holds the kernel's text, no events; record with: trace-cmd record -C mono -e lru_gen",
					   o->path);
		return diag_set_at(o->diag, ERR_BAD_SECTION,
				   cursor_offset(cur) - 10,
				   "%s: no table of CPUs at offset %" PRIu64 ": the file is damaged",
				   o->path, cursor_offset(cur) - 10);
	}

	buffer = container_add_buffer(c, name, NULL);
	seen = calloc(1, CONTAINER_MAX_CPU / 8);
	if (!buffer || !seen) {
		free(seen);
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	}
	if (is_top)
		c->cpu_table_offset = cursor_offset(cur);
	if (nr_cpus > cursor_left(cur) / 16) {
		free(seen);
		return truncated_v6(o, cur, "table of CPUs");
	}
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t off, size;

		table_offset = cursor_offset(cur);
		if (!cursor_u64(cur, &off) || !cursor_u64(cur, &size)) {
			free(seen);
			return truncated_v6(o, cur, "table of CPUs");
		}
		err = add_checked_cpu(c, buffer, seen, cpu, off, size,
				      table_offset);
		if (err < 0) {
			free(seen);
			return diag_set(o->diag, ERR_NOMEM, "out of memory");
		}
	}
	free(seen);

	if (o->v6_has_clock) {
		uint64_t len;
		const uint8_t *text = NULL;

		/* old files damaged it; then the clock is unknown */
		if (cursor_u64(cur, &len) && len <= 4096)
			text = cursor_bytes(cur, len);
		if (text)
			clock = clock_name(c, text, len);
	}
	buffer->clock = clock;
	if (is_top)
		c->cpu_table_end = cursor_offset(cur);
	if (is_top && clock)
		c->info.clock = clock;
	return 0;
}

static int open_v6(struct opening *o)
{
	struct container *c = o->c;
	struct cursor cur;
	const uint8_t *text;
	uint32_t len32, nr_cpus;
	uint64_t len64;
	unsigned i;
	int err;

	c->info.codec = "none";
	c->codec = CODEC_NONE;
	cursor_init_file(&cur, c->fd, 0x12, c->size_bytes, c->swap);
	err = parse_headers(o, &cur);
	if (err < 0 && !cur.is_io_error) {
		/* the byte order mark may be what is wrong */
		struct opening other = *o;

		cursor_release(&cur);
		c->swap = !c->swap;
		other.diag = NULL;
		cursor_init_file(&cur, c->fd, 0x12, c->size_bytes, c->swap);
		if (parse_headers(&other, &cur) >= 0) {
			err = 0;
			problem_note(&c->problems, ERR_CONTRADICTS_HEADER, 0x0c,
				     "the header says %s-endian, the contents are %s-endian and read so",
				     c->info.big_endian ? "big" : "little",
				     c->info.big_endian ? "little" : "big");
			c->info.big_endian = !c->info.big_endian;
			c->info.page_size_bytes =
				__builtin_bswap32(c->info.page_size_bytes);
		}
	}
	if (err >= 0)
		err = parse_ftrace(o, &cur);
	if (err >= 0)
		err = parse_events(o, &cur);
	if (err < 0)
		goto out;
	/* kallsyms and printk formats are not needed */
	for (i = 0; i < 2; i++) {
		if (!cursor_u32(&cur, &len32) || !cursor_skip(&cur, len32)) {
			err = truncated_v6(o, &cur, i ? "list of printk formats" :
					   "list of kernel symbols");
			goto out;
		}
	}
	text = cursor_u64(&cur, &len64) ? cursor_bytes(&cur, len64) : NULL;
	if (!text) {
		err = truncated_v6(o, &cur, "list of tasks");
		goto out;
	}
	c->cmdlines = arena_strndup(&c->arena, text, len64);
	c->cmdlines_len = c->cmdlines ? strlen(c->cmdlines) : 0;
	if (!cursor_u32(&cur, &nr_cpus)) {
		err = truncated_v6(o, &cur, "number of CPUs");
		goto out;
	}
	if (nr_cpus > CONTAINER_MAX_CPU) {
		err = diag_set_at(o->diag, ERR_BAD_HEADER, cursor_offset(&cur) - 4,
				  "%s: number of CPUs %" PRIu32 " at offset %" PRIu64 " is impossible",
				  o->path, nr_cpus, cursor_offset(&cur) - 4);
		goto out;
	}
	o->v6_nr_cpus = nr_cpus;
	c->info.cpu_count = nr_cpus;
	c->info.has_cpu_count = true;
	err = read_tags_v6(o, &cur, "", nr_cpus, true);
	/* instances point to their own tags, which may not name further ones */
	for (i = 0; i < o->nr_instances && err >= 0; i++) {
		struct v6_instance instance = o->instances[i];
		unsigned nr_instances = o->nr_instances;
		struct diag diag = { 0 };
		struct opening inner = *o;

		inner.diag = &diag;
		if (!cursor_seek(&cur, instance.offset))
			break;
		err = read_tags_v6(&inner, &cur, instance.name,
				   instance.nr_cpus, false);
		o->instances = inner.instances;
		o->nr_instances = nr_instances;
		if (err < 0 && err != -ERR_NOMEM && err != -ERR_IO) {
			problem_note(&c->problems, ERR_BAD_OPTION,
				     instance.offset, "instance '%s' is unreadable%s",
				     instance.name, diag.text + strlen(o->path));
			cur.failed = false;
			err = 0;
		} else if (err < 0 && o->diag) {
			*o->diag = diag;
		}
	}
out:
	cursor_release(&cur);
	return err;
}

/* --- the file ------------------------------------------------------------ */

/* Printable text, as far as it was read? */
static bool is_text(const uint8_t *raw, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (raw[i] < 0x80 && !isprint(raw[i]) && !isspace(raw[i]) &&
		    raw[i] != 0x1b && raw[i] != '\b')
			return false;
	return true;
}

static bool is_cpu_file_name(const char *path)
{
	const char *p = strrchr(path, '.');

	if (!p || strncmp(p, ".cpu", 4) || !isdigit((unsigned char)p[4]))
		return false;
	for (p += 4; isdigit((unsigned char)*p); p++)
		;
	return !*p;
}

/* Not a recording: say what it is. */
static int explain_other_file(struct opening *o, const uint8_t *raw, size_t len)
{
	const struct subbuf_layout layout = {
		.commit_offset = 8, .commit_bytes = 8, .data_offset = 16,
		.page_bytes = 4096,
	};
	struct subbuf_stats stats;

	if (is_cpu_file_name(o->path) ||
	    (len >= 4096 && !(o->c->size_bytes % 4096) &&
	     !subbuf_check(&layout, raw, &stats) && stats.nr_records &&
	     stats.page_ts_ns))
		return diag_set(o->diag, ERR_RAW_CPU,
				"%s: is the raw data of one CPU, left by an interrupted trace-cmd record; join it with the others: trace-cmd restore -o trace.dat trace.dat.cpu*",
				o->path);
	if (is_text(raw, len))
		return diag_set(o->diag, ERR_TEXT_FILE,
				"%s: is a text file, not a recording of trace-cmd record",
				o->path);
	return diag_set_at(o->diag, ERR_NOT_TRACE, 0,
			   "%s: is not a trace-cmd recording (it does not begin with 17 08 44 'tracing')",
			   o->path);
}

static int open_header(struct opening *o)
{
	static const uint8_t magic[10] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c',
					   'i', 'n', 'g' };
	struct container *c = o->c;
	uint8_t raw[4096];
	int64_t len = file_pread(c->fd, raw, sizeof(raw), 0);
	uint64_t header_end = 0;
	const uint8_t *nul;
	int64_t version;
	size_t pos;
	int err;

	if (len < 0)
		return diag_set(o->diag, ERR_IO, "%s: read error: %s", o->path,
				strerror(errno));
	if (!len)
		return diag_set(o->diag, ERR_EMPTY,
				"%s: the file is empty: the recording was never finished",
				o->path);
	if ((size_t)len < sizeof(magic) ?
	    memcmp(raw, magic, len) : memcmp(raw, magic, sizeof(magic)))
		return explain_other_file(o, raw, len);
	nul = len > 10 ? memchr(raw + 10, 0, len < 26 ? len - 10 : 16) : NULL;
	if (!nul) {
		if (len < 32)
			return diag_set_at(o->diag, ERR_TRUNCATED, len,
					   "%s: the file ends inside its header, after %" PRId64 " bytes: the recording is cut short",
					   o->path, len);
		return diag_set_at(o->diag, ERR_BAD_HEADER, 10,
				   "%s: the file header has no version at offset 10",
				   o->path);
	}
	if (!format_int((const char *)raw + 10, nul - (raw + 10), &version) ||
	    (version != 6 && version != 7)) {
		char text[17] = "";
		size_t i, n = nul - (raw + 10);

		for (i = 0; i < n && i < 16; i++)
			text[i] = isprint(raw[10 + i]) ? raw[10 + i] : '?';
		return diag_set_at(o->diag, ERR_VERSION, 10,
				   "%s: is of version '%s'; versions 6 and 7 are supported",
				   o->path, text);
	}
	c->info.version = version;
	pos = nul + 1 - raw;
	if ((size_t)len < pos + 6)
		return diag_set_at(o->diag, ERR_TRUNCATED, len,
				   "%s: the file ends inside its header, after %" PRId64 " bytes: the recording is cut short",
				   o->path, len);
	c->info.big_endian = raw[pos] & 1;
	c->swap = c->info.big_endian != is_big_endian_host();
	c->info.user_long_bytes = raw[pos + 1];
	c->info.page_size_bytes = get_u32(raw + pos + 2, c->swap);

	if (version == 7) {
		err = read_header_v7(o, raw, len, &header_end);
		if (err < 0)
			return err;
	}
	if (c->info.user_long_bytes != 4 && c->info.user_long_bytes != 8) {
		problem_note(&c->problems, ERR_CONTRADICTS_HEADER, pos + 1,
			     "the header says that a long has %u bytes",
			     c->info.user_long_bytes);
		c->info.user_long_bytes = 8;
	}
	err = version == 7 ? open_v7(o, header_end) : open_v6(o);
	if (err < 0)
		return err;

	if (c->page_bytes < CONTAINER_MIN_PAGE || c->page_bytes > CONTAINER_MAX_PAGE)
		return diag_set_at(o->diag, ERR_BAD_PAGE_FORMAT, pos + 2,
				   "%s: sub-buffers of %" PRIu32 " bytes are impossible",
				   o->path, c->page_bytes);
	if (c->info.page_size_bytes != c->page_bytes && !c->info.salvaged)
		problem_note(&c->problems, ERR_CONTRADICTS_HEADER, pos + 2,
			     "the header says sub-buffers of %" PRIu32 " bytes, header_page says %" PRIu32 ", which is used",
			     c->info.page_size_bytes, c->page_bytes);
	c->info.page_size_bytes = c->page_bytes;
	c->info.kernel_long_bytes = c->commit_bytes;
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct recording_cpu *x = *(struct recording_cpu *const *)a;
	const struct recording_cpu *y = *(struct recording_cpu *const *)b;

	if (x->offset_bytes != y->offset_bytes)
		return x->offset_bytes < y->offset_bytes ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void refuse_place(struct container *c, struct recording_cpu *cpu,
			 const struct recording_cpu *other)
{
	char text[160];

	snprintf(text, sizeof(text),
		 "its data is said to lie in that of CPU %d; it is not read",
		 other->cpu);
	cpu_problem(c, ERR_BAD_CPU, cpu->cpu, cpu->offset_bytes,
		    cpu->size_bytes, text);
	cpu->nr_missing_bytes += cpu->size_bytes ? cpu->size_bytes : 1;
	cpu->size_bytes = 0;
	cpu->is_unusable = true;
}

/*
 * No two CPUs may claim the same bytes, or one's events would be shown as the
 * other's.  Writers align the data of each CPU, so of two that overlap an odd
 * offset is the wrong one.
 */
static int check_overlaps(struct container *c)
{
	struct recording_cpu **places, *last = NULL;
	unsigned nr = 0, i, k;

	for (i = 0; i < c->info.nr_buffers; i++)
		nr += c->buffers[i].nr_cpus;
	places = malloc((nr + 1) * sizeof(*places));
	if (!places)
		return -ERR_NOMEM;
	nr = 0;
	for (i = 0; i < c->info.nr_buffers; i++)
		for (k = 0; k < c->buffers[i].nr_cpus; k++)
			if (!c->buffers[i].cpus[k].is_unusable)
				places[nr++] = (struct recording_cpu *)
					       &c->buffers[i].cpus[k];
	qsort(places, nr, sizeof(*places), compare_places);
	for (i = 0; i < nr; i++) {
		struct recording_cpu *cpu = places[i];
		uint64_t end = last ? last->offset_bytes + last->size_bytes : 0;

		if (last && (cpu->offset_bytes < end ||
			     cpu->offset_bytes == last->offset_bytes)) {
			uint64_t shared = end - cpu->offset_bytes;

			if (cpu->offset_bytes % CONTAINER_ALIGN ||
			    cpu->offset_bytes == last->offset_bytes) {
				refuse_place(c, cpu, last);
				continue;
			}
			if (last->offset_bytes % CONTAINER_ALIGN) {
				refuse_place(c, last, cpu);
			} else if (c->codec == CODEC_NONE) {
				cpu_problem(c, ERR_BAD_CPU, last->cpu,
					    cpu->offset_bytes, shared,
					    "its data is said to reach into the next CPU's; it is cut there");
				last->nr_missing_bytes += shared;
				last->size_bytes -= shared;
			}
		}
		last = cpu;
	}
	free(places);
	return 0;
}

static int compare_events(const void *a, const void *b)
{
	const struct recording_event *x = a, *y = b;
	int ret = strcmp(x->system, y->system);

	return ret ? ret : strcmp(x->name, y->name);
}

/* Sort events by name and take the formats along. */
static int sort_events(struct container *c)
{
	unsigned nr = c->info.nr_events, i;
	struct container_format *formats;

	if (!nr)
		return 0;
	formats = malloc(nr * sizeof(*formats));
	if (!formats)
		return -ERR_NOMEM;
	/* carry the index in the id for the time of sorting */
	for (i = 0; i < nr; i++)
		c->events[i].id |= (int)(i << 16);
	qsort(c->events, nr, sizeof(*c->events), compare_events);
	for (i = 0; i < nr; i++) {
		formats[i] = c->formats[(unsigned)c->events[i].id >> 16];
		c->events[i].id &= 0xffff;
	}
	free(c->formats);
	c->formats = formats;
	return 0;
}

int container_open(struct container *c, const char *path, bool salvage,
		   struct diag *diag)
{
	struct opening o = { .c = c, .diag = diag, .path = path,
			     .v6_current = -1 };
	struct stat st;
	int err;

	memset(c, 0, sizeof(*c));
	c->salvage = salvage;
	c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (c->fd < 0) {
		int saved = errno;

		if (saved == ENOENT)
			return diag_set(diag, ERR_NO_FILE, "%s: no such file", path);
		return diag_set(diag, ERR_NO_ACCESS, "%s: cannot be opened: %s",
				path, strerror(saved));
	}
	if (fstat(c->fd, &st) < 0) {
		err = diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		err = diag_set(diag, ERR_IS_DIR,
			       "%s: is a directory; give the recording in it (trace-cmd writes trace.dat)",
			       path);
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		err = diag_set(diag, ERR_NOT_REGULAR,
			       "%s: is not a regular file; a recording has to be a file that can be searched",
			       path);
		goto fail;
	}
	c->size_bytes = st.st_size;
	c->info.file_size_bytes = st.st_size;
	c->info.path = arena_strndup(&c->arena, path, strlen(path));
	err = c->info.path ? open_header(&o) :
			     diag_set(diag, ERR_NOMEM, "out of memory");
	if (err >= 0 && (sort_events(c) < 0 || check_overlaps(c) < 0))
		err = diag_set(diag, ERR_NOMEM, "out of memory");
	free(o.instances);
	if (err < 0)
		goto fail;
	return 0;
fail:
	container_release(c);
	return err;
}

void container_release(struct container *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	free(c->formats);
	free(c->buffers);
	free(c->cpu_stats);
	free(c->events);
	problem_release(&c->problems);
	arena_release(&c->arena);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}
