// SPDX-License-Identifier: GPL-2.0-only
#include "array.h"
#include "container-parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

/* --- sections of version 7 and other stretches of the file -------------- */

static int read_blob(struct opening *o, struct blob *blob, uint64_t off, uint64_t len,
		     const char *what)
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
					   "%s: read error at offset %" PRIu64 ": %s", o->path, off,
					   strerror(saved));
		return diag_set_at(o->diag, ERR_TRUNCATED, off,
				   "%s: the file shrank while it was read", o->path);
	}
	return 0;
}

bool section_read_header(struct container *c, uint64_t off, bool swap, struct section_header *ret)
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

int section_load(struct opening *o, uint64_t off, enum section_id id, const char *what,
		 struct blob *ret)
{
	struct container *c = o->c;
	struct section_header head;
	struct codec codec;
	struct blob packed;
	uint8_t raw[8];
	uint32_t zsize, usize;
	int err;

	if (!section_read_header(c, off, c->swap, &head))
		return diag_set_at(o->diag, ERR_TRUNCATED, off,
				   "%s: the %s should be at offset %" PRIu64
				   ", but the file ends at %" PRIu64 ": the recording is cut short",
				   o->path, what, off, c->size_bytes);
	if (head.id != id || head.flags > 1)
		return diag_set_at(o->diag, ERR_BAD_SECTION, off,
				   "%s: there is no %s at offset %" PRIu64
				   " (section %u, flags 0x%x found)",
				   o->path, what, off, head.id, head.flags);
	if (!head.flags)
		return read_blob(o, ret, off + 16, head.size, what);

	if (!range_fits(off + 16, 8, c->size_bytes) || file_pread(c->fd, raw, 8, off + 16) != 8)
		return diag_set_at(o->diag, ERR_TRUNCATED, off,
				   "%s: the %s at offset %" PRIu64
				   " ends with the file: the recording is cut short",
				   o->path, what, off);
	zsize = get_u32(raw, c->swap);
	usize = get_u32(raw + 4, c->swap);
	if (usize > MAX_SECTION_BYTES)
		return diag_set_at(o->diag, ERR_BAD_SECTION, off,
				   "%s: the %s at offset %" PRIu64 " claims %" PRIu32
				   " bytes when inflated",
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

static int parse_header_page(struct opening *o, const char *text, uint64_t len, uint64_t offset)
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
	    data->offset + data->size > CONTAINER_MAX_PAGE || (data->offset + data->size) % 8) {
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

int opening_parse_headers(struct opening *o, struct cursor *cur)
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
					   "%s: read error at offset %" PRIu64, o->path, offset);
		if (!text)
			return diag_set_at(o->diag, ERR_BAD_SECTION, offset,
					   "%s: no valid %s at offset %" PRIu64
					   ": the file is damaged or cut short",
					   o->path, names[i], offset);
		if (!i) {
			int err = parse_header_page(o, (const char *)text, len, offset);

			if (err < 0)
				return err;
		}
	}
	return 0;
}

static int add_event(struct container *c, const char *system, const char *text, uint64_t len,
		     uint64_t offset)
{
	struct container_format *format;
	struct recording_event *event;
	unsigned nr = c->info.nr_events, nr_alloc = c->nr_events_alloc;
	const char *name;
	size_t name_len;
	int id;

	if (!format_head(text, len, &name, &name_len, &id)) {
		problem_note(
			&c->problems, ERR_BAD_FORMAT, offset,
			"a format of system %s does not begin with a name and an ID; it is ignored",
			system);
		return 0;
	}
	/* ids have 16 bits, so there cannot be more that mean something */
	if (nr > UINT16_MAX)
		return 0;
	if (array_grow(&c->events, nr, &nr_alloc, sizeof(*event)) < 0 ||
	    array_grow(&c->formats, nr, &c->nr_events_alloc, sizeof(*format)) < 0)
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
static int parse_formats(struct opening *o, struct cursor *cur, const char *system, uint32_t n)
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
			     "format %" PRIu32 " of %" PRIu32
			     " of system %s is cut off; it and all behind it are unknown",
			     i + 1, n, system);
		return 0;
	}
	return 0;
}

int opening_parse_ftrace(struct opening *o, struct cursor *cur)
{
	uint32_t n;

	if (!cursor_u32(cur, &n)) {
		problem_note(&o->c->problems, ERR_BAD_FORMAT, cursor_offset(cur),
			     "the formats of system ftrace are missing");
		return 0;
	}
	return parse_formats(o, cur, "ftrace", n);
}

int opening_parse_events(struct opening *o, struct cursor *cur)
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
