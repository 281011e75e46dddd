// SPDX-License-Identifier: GPL-2.0-only
#include "container-parts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
			problem_note(
				&c->problems, ERR_BAD_OPTION, offset,
				i == MAX_OPTIONS_SECTIONS ?
					"there are more than 1024 lists of options; the rest is ignored" :
					"the chain of option lists comes back to one that was read; it is ended there");
			return 0;
		}
		o->options_seen[o->nr_options_seen++] = offset;
		err = section_load(&(struct opening){ .c = c, .diag = &diag, .path = o->path },
				   offset, SECTION_OPTIONS, "list of options", &blob);
		if (err == -ERR_NOMEM || err == -ERR_IO) {
			if (o->diag)
				*o->diag = diag;
			return err;
		}
		if (err < 0) {
			problem_note(&c->problems, ERR_BAD_OPTION, offset, "%s%s",
				     diag.text + strlen(o->path) + 2,
				     c->salvage ? "" : "; try --salvage");
			o->chain_is_broken = true;
			o->broken_offset = offset;
			return 0;
		}
		cursor_init_mem(&cur, blob.data, blob.len, blob.offset, c->swap);
		err = opening_parse_options(o, &cur, &next);
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

	while (section_read_header(c, offset, c->swap, &head) && head.id >= SECTION_HEADERS &&
	       head.id < SECTION_NR && head.flags <= 1 && !o->sections[head.id]) {
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
		return diag_set(o->diag, o->chain_is_broken ? ERR_TRUNCATED : ERR_BAD_OPTIONS,
				"%s: no option says where the sub-buffer format is%s", o->path,
				o->chain_is_broken ? ": the recording is cut short" :
						     ": the file is damaged");
	err = section_load(o, o->sections[SECTION_HEADERS], SECTION_HEADERS, "sub-buffer format",
			   &blob);
	if (err < 0)
		return err;
	cursor_init_mem(&cur, blob.data, blob.len, blob.offset, c->swap);
	err = opening_parse_headers(o, &cur);
	free(blob.data);
	if (err < 0)
		return err;

	if (o->sections[SECTION_FTRACE]) {
		err = section_load(o, o->sections[SECTION_FTRACE], SECTION_FTRACE,
				   "list of ftrace formats", &blob);
		if (err == -ERR_NOMEM || err == -ERR_IO)
			return err;
		if (err < 0) {
			problem_note(
				&c->problems, ERR_BAD_FORMAT, o->sections[SECTION_FTRACE],
				"the formats of system ftrace are unreadable; markers are not shown");
		} else {
			cursor_init_mem(&cur, blob.data, blob.len, blob.offset, c->swap);
			err = opening_parse_ftrace(o, &cur);
			free(blob.data);
			if (err < 0)
				return err;
		}
	}
	if (!o->sections[SECTION_EVENTS])
		return diag_set(
			o->diag, ERR_BAD_OPTIONS,
			"%s: no option says where the event formats are: the recording is cut short or damaged",
			o->path);
	err = section_load(o, o->sections[SECTION_EVENTS], SECTION_EVENTS, "list of event formats",
			   &blob);
	if (err < 0)
		return err;
	cursor_init_mem(&cur, blob.data, blob.len, blob.offset, c->swap);
	err = opening_parse_events(o, &cur);
	free(blob.data);
	if (err < 0)
		return err;

	if (o->sections[SECTION_CMDLINES] &&
	    section_load(&(struct opening){ .c = c, .path = o->path },
			 o->sections[SECTION_CMDLINES], SECTION_CMDLINES, "list of tasks",
			 &blob) >= 0) {
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

	return offset >= 0x12 && section_read_header(c, offset, swap, &head) &&
	       head.id == SECTION_OPTIONS && head.flags <= 1 &&
	       range_fits(offset + 16, head.size, c->size_bytes);
}

/*
 * Recorded on a kernel without CONFIG_KALLSYMS, a compressed v7 file has its
 * header overwritten by a section size (errata in formats/trace-dat.md): eight
 * bytes at 0x0c, so that of the codec's name only "td" or "ib" is left.
 */
static int read_overwritten_header(struct opening *o, const uint8_t *raw, size_t len)
{
	struct container *c = o->c;
	const char *codec = raw[0x14] == 't' ? "zstd" : "zlib";
	const uint8_t *nul = memchr(raw + 0x17, 0, len - 0x17);
	int order;

	if (!c->salvage)
		return diag_set_at(
			o->diag, ERR_NO_KALLSYMS, 0x0c,
			"%s: the file header is overwritten at offset 12: trace-cmd does this on a kernel without CONFIG_KALLSYMS; read it with --salvage, or record with CONFIG_KALLSYMS or --compression none",
			o->path);
	if (!nul || (size_t)(raw + len - nul) < 9)
		return diag_set_at(o->diag, ERR_BAD_HEADER, 0x17,
				   "%s: the file header is overwritten and cut off", o->path);
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
		c->info.codec_version = arena_strndup(&c->arena, raw + 0x17, nul - (raw + 0x17));
		c->info.user_long_bytes = 8;
		c->info.page_size_bytes = 0;
		c->info.salvaged = true;
		problem_note(
			&c->problems, ERR_NO_KALLSYMS, 0x0c,
			"the file header was overwritten (kernel without CONFIG_KALLSYMS); byte order and codec are inferred");
		return 0;
	}
	return diag_set_at(o->diag, ERR_BAD_HEADER, 0x0c,
			   "%s: the file header is overwritten and the options cannot be found",
			   o->path);
}

int opening_header_v7(struct opening *o, const uint8_t *raw, size_t len, uint64_t *end)
{
	struct container *c = o->c;
	const uint8_t *codec = raw + 0x12, *version, *nul;
	uint64_t offset;

	if (len > 0x20 && (!memcmp(raw + 0x14, "td", 3) || !memcmp(raw + 0x14, "ib", 3)) &&
	    memcmp(codec, "zs", 2) && memcmp(codec, "zl", 2))
		return read_overwritten_header(o, raw, len);

	nul = len > 0x12 ? memchr(codec, 0, len - 0x12) : NULL;
	version = nul ? nul + 1 : NULL;
	if (version)
		nul = memchr(version, 0, raw + len - version);
	if (!nul || (size_t)(raw + len - nul) < 9) {
		if (len < 0x40)
			return diag_set_at(
				o->diag, ERR_TRUNCATED, len,
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
			name[i] = isprint((unsigned char)c->info.codec[i]) ? c->info.codec[i] : '?';
		name[i] = '\0';
		return diag_set_at(
			o->diag, ERR_CODEC, 0x12,
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

/* Does any list of options that was read say where data is? */
static bool names_data(const struct opening *o)
{
	const struct container *c = o->c;
	unsigned i;

	for (i = 0; i < c->info.nr_buffers; i++)
		if (c->buffers[i].nr_cpus)
			return true;
	/* none is to come, so there is none */
	return c->info.nr_buffers && !o->chain_is_broken;
}

int opening_v7(struct opening *o, uint64_t header_end)
{
	struct container *c = o->c;
	bool has_options = options_are_plausible(c, c->options_offset, c->swap);
	int err;

	if (!has_options && !c->salvage) {
		bool is_beyond = c->options_offset >= c->size_bytes || !c->options_offset;

		return diag_set_at(o->diag, is_beyond ? ERR_TRUNCATED : ERR_BAD_HEADER,
				   c->options_offset,
				   "%s: %s (options should be at offset %" PRIu64
				   ", the file has %" PRIu64 " bytes); try --salvage",
				   o->path,
				   is_beyond ? "the recording is cut short" :
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
			return diag_set_at(
				o->diag, ERR_TRUNCATED, header_end,
				"%s: too little is left to salvage: no event formats after the header",
				o->path);
		c->info.salvaged = true;
	}
	if (o->has_latency && !c->info.nr_buffers)
		return diag_set(
			o->diag, ERR_LATENCY,
			"%s: is a latency recording: it holds the kernel's text, no events; record with: trace-cmd record -C mono -e lru_gen",
			o->path);
	if (!names_data(o) && !c->salvage)
		return diag_set(
			o->diag, ERR_NO_BUFFER,
			"%s: the recording is cut short: the table that says where the events are (written last) is missing%s; try --salvage",
			o->path, o->chain_is_broken ? ", and so is the end of the options" : "");
	err = load_metadata_v7(o);
	if (err < 0)
		return err;
	if (!c->info.nr_buffers)
		c->info.salvaged = true;
	return 0;
}
