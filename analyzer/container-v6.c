// SPDX-License-Identifier: GPL-2.0-only
#include "container-parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TAGS 1024u

static int truncated_v6(struct opening *o, const struct cursor *cur, const char *what)
{
	if (cur->is_io_error)
		return diag_set_at(o->diag, ERR_IO, cursor_offset(cur),
				   "%s: read error at offset %" PRIu64, o->path,
				   cursor_offset(cur));
	return diag_set_at(o->diag, ERR_TRUNCATED, cursor_offset(cur),
			   "%s: the %s is cut off at offset %" PRIu64 " (file size %" PRIu64
			   "): the recording is cut short or damaged",
			   o->path, what, cursor_offset(cur), o->c->size_bytes);
}

/*
 * A tag block: options, then the table of CPUs of one buffer.  @name of an
 * instance, "" of the top buffer.
 */
static int read_tags_v6(struct opening *o, struct cursor *cur, const char *name, uint32_t nr_cpus,
			bool is_top)
{
	struct container *c = o->c;
	struct recording_buffer *buffer;
	const uint8_t *tag;
	const char *clock = NULL;
	uint64_t table_offset, unused;
	struct cpu_numbers *numbers;
	unsigned i;
	uint32_t cpu;
	int err;

	for (i = 0;; i++) {
		tag = cursor_bytes(cur, 10);
		if (!tag)
			return truncated_v6(o, cur, "list of options and buffers");
		if (!memcmp(tag, "options  ", 10) && i < MAX_TAGS) {
			o->v6_current = -1;
			err = opening_parse_options(o, cur, &unused);
			if (err < 0)
				return err;
			continue;
		}
		if (!memcmp(tag, "flyrecord", 10))
			break;
		if (!memcmp(tag, "latency  ", 10))
			return diag_set_at(
				o->diag, ERR_LATENCY, cursor_offset(cur),
				"%s: is a latency recording: it holds the kernel's text, no events; record with: trace-cmd record -C mono -e lru_gen",
				o->path);
		return diag_set_at(o->diag, ERR_BAD_SECTION, cursor_offset(cur) - 10,
				   "%s: no table of CPUs at offset %" PRIu64
				   ": the file is damaged",
				   o->path, cursor_offset(cur) - 10);
	}

	buffer = container_add_buffer(c, name, NULL);
	numbers = calloc(1, sizeof(*numbers));
	if (!buffer || !numbers) {
		free(numbers);
		return diag_set(o->diag, ERR_NOMEM, "out of memory");
	}
	if (is_top)
		c->cpu_table_offset = cursor_offset(cur);
	if (nr_cpus > cursor_left(cur) / 16) {
		free(numbers);
		return truncated_v6(o, cur, "table of CPUs");
	}
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t off, size;

		table_offset = cursor_offset(cur);
		if (!cursor_u64(cur, &off) || !cursor_u64(cur, &size)) {
			free(numbers);
			return truncated_v6(o, cur, "table of CPUs");
		}
		err = container_add_checked_cpu(c, buffer, numbers, cpu, off, size, table_offset);
		if (err < 0) {
			free(numbers);
			return diag_set(o->diag, ERR_NOMEM, "out of memory");
		}
	}
	free(numbers);

	if (o->v6_has_clock) {
		uint64_t len;
		const uint8_t *text = NULL;

		/* old files damaged it; then the clock is unknown */
		if (cursor_u64(cur, &len) && len <= 4096)
			text = cursor_bytes(cur, len);
		if (text)
			clock = container_clock_name(c, text, len);
	}
	buffer->clock = clock;
	if (is_top)
		c->cpu_table_end = cursor_offset(cur);
	if (is_top && clock)
		c->info.clock = clock;
	return 0;
}

int opening_v6(struct opening *o)
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
	err = opening_parse_headers(o, &cur);
	if (err < 0 && !cur.is_io_error) {
		/* the byte order mark may be what is wrong */
		struct opening other = *o;

		cursor_release(&cur);
		c->swap = !c->swap;
		other.diag = NULL;
		cursor_init_file(&cur, c->fd, 0x12, c->size_bytes, c->swap);
		if (opening_parse_headers(&other, &cur) >= 0) {
			err = 0;
			problem_note(
				&c->problems, ERR_CONTRADICTS_HEADER, 0x0c,
				"the header says %s-endian, the contents are %s-endian and read so",
				c->info.big_endian ? "big" : "little",
				c->info.big_endian ? "little" : "big");
			c->info.big_endian = !c->info.big_endian;
			c->info.page_size_bytes = __builtin_bswap32(c->info.page_size_bytes);
		}
	}
	if (err >= 0)
		err = opening_parse_ftrace(o, &cur);
	if (err >= 0)
		err = opening_parse_events(o, &cur);
	if (err < 0)
		goto out;
	/* kallsyms and printk formats are not needed */
	for (i = 0; i < 2; i++) {
		if (!cursor_u32(&cur, &len32) || !cursor_skip(&cur, len32)) {
			err = truncated_v6(o, &cur,
					   i ? "list of printk formats" : "list of kernel symbols");
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
				  "%s: number of CPUs %" PRIu32 " at offset %" PRIu64
				  " is impossible",
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
		err = read_tags_v6(&inner, &cur, instance.name, instance.nr_cpus, false);
		o->instances = inner.instances;
		o->nr_instances = nr_instances;
		if (err < 0 && err != -ERR_NOMEM && err != -ERR_IO) {
			problem_note(&c->problems, ERR_BAD_OPTION, instance.offset,
				     "instance '%s' is unreadable%s", instance.name,
				     diag.text + strlen(o->path));
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
