// SPDX-License-Identifier: GPL-2.0-only
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void json_init(struct json *j, FILE *out, bool pretty)
{
	memset(j, 0, sizeof(*j));
	j->out = out;
	j->pretty = pretty;
	j->pretty_depth = 3;
}

static void line_break(struct json *j)
{
	unsigned i;

	if (!j->pretty || j->depth > j->pretty_depth)
		return;
	fputc('\n', j->out);
	for (i = 0; i < j->depth; i++)
		fputs("  ", j->out);
}

/* Number of bytes of the UTF-8 character at @s, 0 if there is none. */
static unsigned utf8_bytes(const unsigned char *s)
{
	unsigned nr, i;
	uint32_t c;

	if (*s < 0x80)
		return 1;
	nr = *s >= 0xf0 && *s < 0xf5 ? 4 : *s >= 0xe0 && *s < 0xf0 ? 3 : *s >= 0xc2 && *s < 0xe0 ? 2 : 0;
	c = nr ? *s & (0xff >> (nr + 1)) : 0;
	for (i = 1; i < nr; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if ((nr == 3 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) ||
	    (nr == 4 && (c < 0x10000 || c > 0x10ffff)))
		return 0;
	return nr;
}

void json_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	fputc('"', out);
	while (*s) {
		unsigned nr = utf8_bytes(s);

		if (!nr) {
			fputs("\\ufffd", out);
			s++;
		} else if (*s == '"' || *s == '\\') {
			fprintf(out, "\\%c", *s++);
		} else if (*s < 0x20 || *s == 0x7f) {
			fprintf(out, "\\u%04x", *s++);
		} else {
			fwrite(s, 1, nr, out);
			s += nr;
		}
	}
	fputc('"', out);
}

static void member(struct json *j, const char *name)
{
	if (j->depth) {
		if (j->has_members[j->depth - 1])
			fputc(',', j->out);
		j->has_members[j->depth - 1] = true;
		line_break(j);
	}
	if (name) {
		json_string(j->out, name);
		fputc(':', j->out);
		if (j->pretty)
			fputc(' ', j->out);
	}
}

static void nest(struct json *j, const char *name, char opening, char closing)
{
	assert(j->depth < JSON_MAX_DEPTH);
	member(j, name);
	fputc(opening, j->out);
	j->has_members[j->depth] = false;
	j->closing[j->depth++] = closing;
}

void json_object(struct json *j, const char *name)
{
	nest(j, name, '{', '}');
}

void json_array(struct json *j, const char *name)
{
	nest(j, name, '[', ']');
}

void json_end(struct json *j)
{
	char closing;

	assert(j->depth);
	closing = j->closing[--j->depth];
	if (j->has_members[j->depth] && j->depth < j->pretty_depth)
		line_break(j);
	fputc(closing, j->out);
	if (!j->depth)
		fputc('\n', j->out);
}

void json_text(struct json *j, const char *name, const char *value)
{
	member(j, name);
	if (value)
		json_string(j->out, value);
	else
		fputs("null", j->out);
}

void json_count(struct json *j, const char *name, uint64_t value)
{
	member(j, name);
	fprintf(j->out, "%" PRIu64, value);
}

void json_int(struct json *j, const char *name, int64_t value)
{
	member(j, name);
	fprintf(j->out, "%" PRId64, value);
}

void json_id(struct json *j, const char *name, uint64_t value)
{
	member(j, name);
	fprintf(j->out, "\"%" PRIu64 "\"", value);
}

void json_bool(struct json *j, const char *name, bool value)
{
	member(j, name);
	fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *name)
{
	member(j, name);
	fputs("null", j->out);
}

void json_real(struct json *j, const char *name, double value)
{
	char buf[40];

	if (!isfinite(value)) {
		json_null(j, name);
		return;
	}
	member(j, name);
	if (value == rint(value) && fabs(value) < 9007199254740992.0) {
		fprintf(j->out, "%.0f", value);
		return;
	}
	/* 15 digits are what people typed in; 17 are always enough */
	snprintf(buf, sizeof(buf), "%.15g", value);
	if (strtod(buf, NULL) != value)
		snprintf(buf, sizeof(buf), "%.17g", value);
	fputs(buf, j->out);
}

void json_cell(struct json *j, const char *name, const struct cell *cell)
{
	char buf[CELL_PRINT_BYTES];

	switch (cell->kind) {
	case CELL_ABSENT:
		json_null(j, name);
		break;
	case CELL_TEXT:
		json_text(j, name, cell->text);
		break;
	case CELL_ID:
		json_id(j, name, cell->u);
		break;
	default:
		member(j, name);
		fputs(cell_print(cell, buf), j->out);
	}
}
