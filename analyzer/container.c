// SPDX-License-Identifier: GPL-2.0-only
#include "array.h"
#include "container-parts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format.h"
#include "stream.h"
#include "subbuf.h"

struct recording_buffer *container_add_buffer(struct container *c, const char *name,
					      const char *clock)
{
	struct recording_buffer *buffer;

	if (c->info.nr_buffers >= MAX_BUFFERS ||
	    array_grow(&c->buffers, c->info.nr_buffers, &c->nr_buffers_alloc, sizeof(*buffer)) <
		    0)
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

static void cpu_problem(struct container *c, enum err err, int cpu, uint64_t offset, uint64_t size,
			const char *text)
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

static bool cpu_number_is_seen(const struct cpu_numbers *numbers, uint32_t id)
{
	return numbers->seen[id / 8] & (1u << (id % 8));
}

int container_add_checked_cpu(struct container *c, struct recording_buffer *buffer,
			      struct cpu_numbers *numbers, uint32_t id, uint64_t offset,
			      uint64_t size, uint64_t table_offset)
{
	struct recording_cpu cpu = { .offset_bytes = offset, .size_bytes = size };
	bool is_compressed = c->codec != CODEC_NONE;
	char text[160];

	if (id >= CONTAINER_MAX_CPU || cpu_number_is_seen(numbers, id)) {
		uint32_t other = CONTAINER_MAX_CPU - 1 - numbers->nr_refused;

		while (other && cpu_number_is_seen(numbers, other))
			other--;
		numbers->nr_refused = CONTAINER_MAX_CPU - 1 - other;
		problem_note(&c->problems, ERR_BAD_CPU, table_offset,
			     "CPU number %" PRIu32 " %s; its data is shown as CPU %" PRIu32, id,
			     id >= CONTAINER_MAX_CPU ? "is impossible" : "is listed twice", other);
		id = other;
	}
	cpu.cpu = id;
	numbers->seen[id / 8] |= 1u << (id % 8);
	/* big-endian 3.3 writers leave the size of compressed data 0 */
	if (!size && !(is_compressed && offset))
		return 0;
	if (offset >= c->size_bytes) {
		snprintf(text, sizeof(text),
			 "data should start at %" PRIu64 ", the file ends at %" PRIu64, offset,
			 c->size_bytes);
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
		cpu_problem(c, ERR_CPU_TRUNCATED, id, offset + cpu.size_bytes, cpu.nr_missing_bytes,
			    text);
	}
	return container_add_cpu(c, buffer, &cpu);
}

const char *container_clock_name(struct container *c, const void *text, size_t len)
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

/* --- the file ------------------------------------------------------------ */

/* Printable text, as far as it was read? */
static bool is_text(const uint8_t *raw, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (raw[i] < 0x80 && !isprint(raw[i]) && !isspace(raw[i]) && raw[i] != 0x1b &&
		    raw[i] != '\b')
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
		.commit_offset = 8,
		.commit_bytes = 8,
		.data_offset = 16,
		.page_bytes = 4096,
	};
	struct subbuf_stats stats;

	if (is_cpu_file_name(o->path) ||
	    (len >= 4096 && !(o->c->size_bytes % 4096) && !subbuf_check(&layout, raw, &stats) &&
	     stats.nr_records && stats.page_ts_ns))
		return diag_set(
			o->diag, ERR_RAW_CPU,
			"%s: is the raw data of one CPU, left by an interrupted trace-cmd record; join it with the others: trace-cmd restore -o trace.dat trace.dat.cpu*",
			o->path);
	if (is_text(raw, len))
		return diag_set(o->diag, ERR_TEXT_FILE,
				"%s: is a text file, not a recording of trace-cmd record", o->path);
	return diag_set_at(
		o->diag, ERR_NOT_TRACE, 0,
		"%s: is not a trace-cmd recording (it does not begin with 17 08 44 'tracing')",
		o->path);
}

static int open_header(struct opening *o)
{
	static const uint8_t magic[10] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct container *c = o->c;
	uint8_t raw[4096];
	int64_t len = file_pread(c->fd, raw, sizeof(raw), 0);
	uint64_t header_end = 0;
	const uint8_t *nul;
	int64_t version;
	size_t pos;
	int err;

	if (len < 0)
		return diag_set(o->diag, ERR_IO, "%s: read error: %s", o->path, strerror(errno));
	if (!len)
		return diag_set(o->diag, ERR_EMPTY,
				"%s: the file is empty: the recording was never finished", o->path);
	if ((size_t)len < sizeof(magic) ? memcmp(raw, magic, len) :
					  memcmp(raw, magic, sizeof(magic)))
		return explain_other_file(o, raw, len);
	nul = len > 10 ? memchr(raw + 10, 0, len < 26 ? len - 10 : 16) : NULL;
	if (!nul) {
		if (len < 32)
			return diag_set_at(o->diag, ERR_TRUNCATED, len,
					   "%s: the file ends inside its header, after %" PRId64
					   " bytes: the recording is cut short",
					   o->path, len);
		return diag_set_at(o->diag, ERR_BAD_HEADER, 10,
				   "%s: the file header has no version at offset 10", o->path);
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
				   "%s: the file ends inside its header, after %" PRId64
				   " bytes: the recording is cut short",
				   o->path, len);
	c->info.big_endian = raw[pos] & 1;
	c->swap = c->info.big_endian != is_big_endian_host();
	c->info.user_long_bytes = raw[pos + 1];
	c->info.page_size_bytes = get_u32(raw + pos + 2, c->swap);

	if (version == 7) {
		err = opening_header_v7(o, raw, len, &header_end);
		if (err < 0)
			return err;
	}
	if (c->info.user_long_bytes != 4 && c->info.user_long_bytes != 8) {
		problem_note(&c->problems, ERR_CONTRADICTS_HEADER, pos + 1,
			     "the header says that a long has %u bytes", c->info.user_long_bytes);
		c->info.user_long_bytes = 8;
	}
	err = version == 7 ? opening_v7(o, header_end) : opening_v6(o);
	if (err < 0)
		return err;

	if (c->page_bytes < CONTAINER_MIN_PAGE || c->page_bytes > CONTAINER_MAX_PAGE)
		return diag_set_at(o->diag, ERR_BAD_PAGE_FORMAT, pos + 2,
				   "%s: sub-buffers of %" PRIu32 " bytes are impossible", o->path,
				   c->page_bytes);
	if (c->info.page_size_bytes != c->page_bytes && !c->info.salvaged)
		problem_note(&c->problems, ERR_CONTRADICTS_HEADER, pos + 2,
			     "the header says sub-buffers of %" PRIu32
			     " bytes, header_page says %" PRIu32 ", which is used",
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

	snprintf(text, sizeof(text), "its data is said to lie in that of CPU %d; it is not read",
		 other->cpu);
	cpu_problem(c, ERR_BAD_CPU, cpu->cpu, cpu->offset_bytes, cpu->size_bytes, text);
	cpu->nr_missing_bytes += cpu->size_bytes ? cpu->size_bytes : 1;
	cpu->size_bytes = 0;
	cpu->is_unusable = true;
}

/* Does the place look like the beginning of a CPU's data? */
static bool is_start(const struct container *c, const struct recording_cpu *cpu)
{
	uint8_t raw[16];

	if (cpu->is_unusable || cpu->offset_bytes % CONTAINER_ALIGN)
		return false;
	return c->codec == CODEC_NONE ||
	       (file_pread(c->fd, raw, sizeof(raw), cpu->offset_bytes) == sizeof(raw) &&
		stream_is_chunk_head(c, c->page_bytes, raw + 4, sizeof(raw) - 4,
				     c->size_bytes - cpu->offset_bytes - 4));
}

/*
 * @last and @cpu, which begins behind it, claim the same bytes: whichever does not
 * look like a beginning is at the wrong place. If both do, compressed data says
 * itself where it ends; sub-buffers do not, and one CPU's may be missing at the end
 * of either.
 */
static void settle_overlap(struct container *c, struct recording_cpu *last,
			   struct recording_cpu *cpu)
{
	bool last_is_start = is_start(c, last), cpu_is_start = is_start(c, cpu);
	uint64_t shared = last->offset_bytes + last->size_bytes - cpu->offset_bytes;

	if (!cpu_is_start || cpu->offset_bytes == last->offset_bytes)
		refuse_place(c, cpu, last);
	if (!last_is_start)
		refuse_place(c, last, cpu);
	if (last->is_unusable || cpu->is_unusable)
		return;
	cpu_problem(c, ERR_BAD_CPU, last->cpu, cpu->offset_bytes, shared,
		    "its data is said to reach into the next CPU's; it is cut there");
	last->nr_missing_bytes += shared;
	last->size_bytes -= shared;
	if (c->codec == CODEC_NONE) {
		cpu_problem(c, ERR_BAD_CPU, cpu->cpu, cpu->offset_bytes, shared,
			    "its data is said to begin in the CPU's before; it may be another's, and some be missing at its end");
		cpu->nr_missing_bytes += shared;
	}
}

/*
 * No two CPUs may claim the same bytes, or one's events would be shown as the
 * other's. Returns 0 or -ERR_NOMEM.
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
				places[nr++] = (struct recording_cpu *)&c->buffers[i].cpus[k];
	qsort(places, nr, sizeof(*places), compare_places);
	for (i = 0; i < nr; i++) {
		struct recording_cpu *cpu = places[i];

		if (last && (cpu->offset_bytes == last->offset_bytes ||
			     cpu->offset_bytes - last->offset_bytes < last->size_bytes))
			settle_overlap(c, last, cpu);
		if (!cpu->is_unusable)
			last = cpu;
	}
	free(places);
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int container_index_starts(struct container *c)
{
	unsigned nr = 0, i, k;

	for (i = 0; i < c->info.nr_buffers; i++)
		nr += c->buffers[i].nr_cpus;
	free(c->starts);
	c->nr_starts = 0;
	c->starts = malloc((nr + 1) * sizeof(*c->starts));
	if (!c->starts)
		return -ERR_NOMEM;
	for (i = 0; i < c->info.nr_buffers; i++)
		for (k = 0; k < c->buffers[i].nr_cpus; k++)
			if (!c->buffers[i].cpus[k].is_unusable)
				c->starts[c->nr_starts++] = c->buffers[i].cpus[k].offset_bytes;
	qsort(c->starts, c->nr_starts, sizeof(*c->starts), compare_starts);
	return 0;
}

uint64_t container_next_start(const struct container *c, uint64_t offset)
{
	unsigned first = 0, end = c->nr_starts;

	while (first < end) {
		unsigned middle = first + (end - first) / 2;

		if (c->starts[middle] > offset)
			end = middle;
		else
			first = middle + 1;
	}
	return first < c->nr_starts && c->starts[first] < c->size_bytes ? c->starts[first] :
									  c->size_bytes;
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

int container_open(struct container *c, const char *path, bool salvage, struct diag *diag)
{
	struct opening o = { .c = c, .diag = diag, .path = path, .v6_current = -1 };
	struct stat st;
	int err;

	memset(c, 0, sizeof(*c));
	c->salvage = salvage;
	c->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (c->fd < 0) {
		int saved = errno;

		if (saved == ENOENT && !strcmp(path, "-"))
			return diag_set(diag, ERR_NO_FILE,
					"-: no such file; a recording is read in several places "
					"at once, which standard input cannot do");
		if (saved == ENOENT)
			return diag_set(diag, ERR_NO_FILE, "%s: no such file", path);
		return diag_set(diag, ERR_NO_ACCESS, "%s: cannot be opened: %s", path,
				strerror(saved));
	}
	if (fstat(c->fd, &st) < 0) {
		err = diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		err = diag_set(
			diag, ERR_IS_DIR,
			"%s: is a directory; give the recording in it (trace-cmd writes trace.dat)",
			path);
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		err = diag_set(
			diag, ERR_NOT_REGULAR,
			"%s: is not a regular file; a recording has to be a file that can be searched",
			path);
		goto fail;
	}
	c->size_bytes = st.st_size;
	c->info.file_size_bytes = st.st_size;
	c->info.path = arena_strndup(&c->arena, path, strlen(path));
	err = c->info.path ? open_header(&o) : diag_set(diag, ERR_NOMEM, "out of memory");
	if (err >= 0 &&
	    (sort_events(c) < 0 || check_overlaps(c) < 0 || container_index_starts(c) < 0))
		err = diag_set(diag, ERR_NOMEM, "out of memory");
	free(o.instances);
	if (err < 0)
		goto fail;
	c->may_lack_buffers = !c->info.nr_buffers || o.chain_is_broken;
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
	free(c->starts);
	free(c->buffers);
	free(c->cpu_stats);
	free(c->events);
	problem_release(&c->problems);
	arena_release(&c->arena);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}
