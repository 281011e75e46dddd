// SPDX-License-Identifier: GPL-2.0-only
#include "format.h"

#include <stdlib.h>
#include <string.h>

#include "err.h"

/* A position in the text; the text is not terminated. */
struct scan {
	const char *p, *end;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_ident(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static void scan_blanks(struct scan *s)
{
	while (s->p < s->end && is_blank(*s->p))
		s->p++;
}

static bool scan_char(struct scan *s, char c)
{
	scan_blanks(s);
	if (s->p >= s->end || *s->p != c)
		return false;
	s->p++;
	return true;
}

static bool scan_word(struct scan *s, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(s->end - s->p) < len || memcmp(s->p, word, len))
		return false;
	s->p += len;
	return true;
}

/* Digits with a C prefix, no sign; suffixes u and l are stepped over. */
static bool scan_number(struct scan *s, int64_t *ret)
{
	unsigned base = 10;
	uint64_t v = 0;
	bool any = false;

	scan_blanks(s);
	if (s->p < s->end && *s->p == '0') {
		any = true;
		s->p++;
		base = 8;
		if (s->p < s->end && (*s->p == 'x' || *s->p == 'X')) {
			any = false;
			s->p++;
			base = 16;
		}
	}
	for (; s->p < s->end; s->p++) {
		char c = *s->p | 0x20;
		unsigned digit;

		if (*s->p >= '0' && *s->p <= '9')
			digit = *s->p - '0';
		else if (c >= 'a' && c <= 'f')
			digit = c - 'a' + 10;
		else
			break;
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)digit, &v))
			return false;
		any = true;
	}
	while (s->p < s->end && ((*s->p | 0x20) == 'u' || (*s->p | 0x20) == 'l'))
		s->p++;
	*ret = (int64_t)v;
	return any;
}

bool format_int(const char *text, size_t len, int64_t *ret)
{
	struct scan s = { text, text + len };
	bool minus = false;

	scan_blanks(&s);
	if (s.p < s.end && (*s.p == '-' || *s.p == '+'))
		minus = *s.p++ == '-';
	if (!scan_number(&s, ret))
		return false;
	if (minus)
		*ret = (int64_t)(0 - (uint64_t)*ret);
	scan_blanks(&s);
	return s.p == s.end;
}

/* The rest of the current line, without its newline; steps over it. */
static struct scan scan_line(struct scan *s)
{
	const char *nl = s->p < s->end ?
			 memchr(s->p, '\n', s->end - s->p) : NULL;
	struct scan line = { s->p, nl ? nl : s->end };

	s->p = nl ? nl + 1 : s->end;
	return line;
}

bool format_head(const char *text, size_t len, const char **name,
		 size_t *name_len, int *id)
{
	struct scan s = { text, text + len };
	struct scan line = scan_line(&s);
	int64_t v;

	if (!scan_word(&line, "name: ") || line.p >= line.end)
		return false;
	*name = line.p;
	*name_len = line.end - line.p;
	if (memchr(*name, 0, *name_len))
		return false;
	line = scan_line(&s);
	if (!scan_word(&line, "ID: ") ||
	    !format_int(line.p, line.end - line.p, &v) || v < 0 || v > UINT16_MAX)
		return false;
	*id = v;
	return true;
}

/* "key:123;" anywhere in the line. */
static bool line_value(const struct scan *line, const char *key, int64_t *ret)
{
	size_t key_len = strlen(key);
	const char *p = line->p;

	while ((size_t)(line->end - p) > key_len) {
		const char *semi;

		if (memcmp(p, key, key_len)) {
			p++;
			continue;
		}
		p += key_len;
		semi = memchr(p, ';', line->end - p);
		return semi && format_int(p, semi - p, ret);
	}
	return false;
}

/*
 * "	field:unsigned long pfn;	offset:8;	size:8;	signed:0;"
 * Returns 1, 0 if it is not such a line, or a negative enum err.
 */
static int parse_field(struct arena *arena, struct scan line,
		       struct format_field *ret)
{
	int64_t offset, size, is_signed = 0;
	const char *semi, *name, *end;

	scan_blanks(&line);
	if (!scan_word(&line, "field:"))
		return 0;
	scan_blanks(&line);
	semi = memchr(line.p, ';', line.end - line.p);
	if (!semi || memchr(line.p, 0, semi - line.p))
		return -ERR_BAD_FORMAT;
	end = semi;
	while (end > line.p && is_blank(end[-1]))
		end--;
	memset(ret, 0, sizeof(*ret));
	if (end > line.p && end[-1] == ']') {
		while (end > line.p && *--end != '[')
			;
		ret->is_array = true;
	}
	name = end;
	while (name > line.p && is_ident(name[-1]))
		name--;
	if (name == end || name == line.p)
		return -ERR_BAD_FORMAT;
	ret->name = arena_strndup(arena, name, end - name);
	ret->type = arena_strndup(arena, line.p, name - line.p);
	if (!ret->name || !ret->type)
		return -ERR_NOMEM;
	if (!line_value(&line, "offset:", &offset) ||
	    !line_value(&line, "size:", &size))
		return -ERR_BAD_FORMAT;
	line_value(&line, "signed:", &is_signed);
	if (offset < 0 || offset > UINT16_MAX || size < 0 || size > UINT16_MAX)
		return -ERR_BAD_FORMAT;
	ret->offset = offset;
	ret->size = size;
	ret->is_signed = is_signed;
	return 1;
}

/*
 * Constant expressions of value tables: numbers, ( ), unary - ~ +, and the
 * binary operators | & << >> + - *.  An enum that the kernel did not export
 * stays a name and fails here.
 */
static bool eval_binary(struct scan *s, int min_prec, int depth, uint64_t *ret);

static bool eval_unary(struct scan *s, int depth, uint64_t *ret)
{
	int64_t v;

	if (depth > 16)
		return false;
	if (scan_char(s, '-')) {
		if (!eval_unary(s, depth + 1, ret))
			return false;
		*ret = 0 - *ret;
		return true;
	}
	if (scan_char(s, '~')) {
		if (!eval_unary(s, depth + 1, ret))
			return false;
		*ret = ~*ret;
		return true;
	}
	if (scan_char(s, '+'))
		return eval_unary(s, depth + 1, ret);
	if (scan_char(s, '('))
		return eval_binary(s, 0, depth + 1, ret) && scan_char(s, ')');
	if (!scan_number(s, &v))
		return false;
	*ret = v;
	return true;
}

static int binary_operator(const struct scan *s, int *prec)
{
	char c = s->p < s->end ? *s->p : 0;
	char next = s->end - s->p > 1 ? s->p[1] : 0;

	switch (c) {
	case '|': *prec = 1; return next == '|' ? 0 : c;
	case '&': *prec = 2; return next == '&' ? 0 : c;
	case '<': *prec = 3; return next == '<' ? c : 0;
	case '>': *prec = 3; return next == '>' ? c : 0;
	case '+':
	case '-': *prec = 4; return c;
	case '*': *prec = 5; return c;
	}
	return 0;
}

static bool eval_binary(struct scan *s, int min_prec, int depth, uint64_t *ret)
{
	uint64_t left, right;

	if (depth > 16 || !eval_unary(s, depth + 1, &left))
		return false;
	for (;;) {
		int prec, op;

		scan_blanks(s);
		op = binary_operator(s, &prec);
		if (!op || prec <= min_prec)
			break;
		s->p += op == '<' || op == '>' ? 2 : 1;
		if (!eval_binary(s, prec, depth + 1, &right))
			return false;
		switch (op) {
		case '|': left |= right; break;
		case '&': left &= right; break;
		case '<': left = right < 64 ? left << right : 0; break;
		case '>': left = right < 64 ? left >> right : 0; break;
		case '+': left += right; break;
		case '-': left -= right; break;
		case '*': left *= right; break;
		}
	}
	*ret = left;
	return true;
}

/* Stands behind an opening quote; stops behind the closing one. */
static bool scan_string(struct scan *s, const char **text, size_t *len)
{
	*text = s->p;
	for (; s->p < s->end; s->p++) {
		if (*s->p == '\\' && s->end - s->p > 1) {
			s->p++;
		} else if (*s->p == '"') {
			*len = s->p - *text;
			s->p++;
			return true;
		}
	}
	return false;
}

/* Step behind the } that closes a table entry; strings are skipped whole. */
static bool skip_entry(struct scan *s)
{
	const char *text;
	size_t len;

	while (s->p < s->end) {
		char c = *s->p++;

		if (c == '}')
			return true;
		if (c == '"' && !scan_string(s, &text, &len))
			return false;
	}
	return false;
}

static int add_symbol(struct format *format, unsigned field, int64_t value,
		      const char *text, size_t len)
{
	struct format_symbol *symbol;
	unsigned nr = format->nr_symbols;

	if (nr >= FORMAT_MAX_SYMBOLS)
		return -ERR_BAD_FORMAT;
	if (!(nr & (nr - 1))) {
		void *symbols = realloc(format->symbols,
					(nr ? 2 * nr : 1) * sizeof(*symbol));

		if (!symbols)
			return -ERR_NOMEM;
		format->symbols = symbols;
	}
	symbol = &format->symbols[nr];
	symbol->field = field;
	symbol->value = value;
	symbol->name = arena_strndup(&format->arena, text, len);
	if (!symbol->name)
		return -ERR_NOMEM;
	format->nr_symbols++;
	return 0;
}

/*
 * Stands behind "__print_symbolic(".  A table that cannot be understood ends
 * the reading of that table only.
 */
static int parse_symbols(struct format *format, struct scan *s)
{
	const struct format_field *field;
	const char *name = NULL, *text;
	unsigned depth = 0, index;
	size_t name_len = 0, len;
	char *copy;

	/* the first argument: which field? */
	for (; s->p < s->end; s->p++) {
		char c = *s->p;

		if (c == '(')
			depth++;
		else if (c == ')' && !depth--)
			return 0;
		else if (c == '"')
			return 0;
		else if (c == ',' && !depth)
			break;
		else if (!name && (size_t)(s->end - s->p) > 5 &&
			 !memcmp(s->p, "REC->", 5)) {
			s->p += 5;
			name = s->p;
			while (s->p < s->end && is_ident(*s->p))
				s->p++;
			name_len = s->p - name;
			s->p--;
		}
	}
	if (!name || !name_len || s->p >= s->end)
		return 0;
	copy = arena_strndup(&format->arena, name, name_len);
	if (!copy)
		return -ERR_NOMEM;
	field = format_field(format, copy);
	if (!field)
		return 0;
	index = field - format->fields;

	while (scan_char(s, ',') && scan_char(s, '{')) {
		uint64_t value;
		bool ok = eval_binary(s, 0, 0, &value) && scan_char(s, ',') &&
			  scan_char(s, '"') && scan_string(s, &text, &len);

		if (ok) {
			int ret = add_symbol(format, index, value, text, len);

			if (ret < 0)
				return ret;
		}
		if (!skip_entry(s))
			return 0;
	}
	return 0;
}

static int parse_print_fmt(struct format *format, struct scan s)
{
	const char *text;
	size_t len;

	while (s.p < s.end) {
		if (scan_word(&s, "__print_symbolic(")) {
			int ret = parse_symbols(format, &s);

			if (ret < 0)
				return ret;
		} else if (*s.p++ == '"' && !scan_string(&s, &text, &len)) {
			break;
		}
	}
	return 0;
}

int format_parse(struct format *ret, const char *text, size_t len,
		 const char **cause)
{
	const char *no_cause;
	struct scan s = { text, text + len };
	struct format format = { 0 };
	const char *name;
	size_t name_len;
	int err = -ERR_BAD_FORMAT;

	if (!cause)
		cause = &no_cause;
	*cause = "is longer than 1 MiB";
	if (len > FORMAT_MAX_BYTES)
		return err;
	*cause = "does not begin with a name and an ID";
	if (!format_head(text, len, &name, &name_len, &format.id))
		return err;
	*cause = "has more than 256 fields";
	format.name = arena_strndup(&format.arena, name, name_len);
	format.fields = calloc(FORMAT_MAX_FIELDS, sizeof(*format.fields));
	if (!format.name || !format.fields) {
		err = -ERR_NOMEM;
		goto fail;
	}
	while (s.p < s.end) {
		struct scan line;
		struct format_field field;
		int got;

		if (scan_word(&s, "print fmt: ")) {
			*cause = "has too many value names";
			err = parse_print_fmt(&format, s);
			if (err < 0)
				goto fail;
			break;
		}
		line = scan_line(&s);
		got = parse_field(&format.arena, line, &field);
		if (got < 0) {
			*cause = "has a field line that cannot be read";
			err = got;
			goto fail;
		}
		if (!got)
			continue;
		if (format.nr_fields == FORMAT_MAX_FIELDS)
			goto fail;
		format.fields[format.nr_fields++] = field;
	}
	*ret = format;
	return 0;
fail:
	format_release(&format);
	return err;
}

void format_release(struct format *format)
{
	free(format->fields);
	free(format->symbols);
	arena_release(&format->arena);
	memset(format, 0, sizeof(*format));
}

const struct format_field *format_field(const struct format *format,
					const char *name)
{
	unsigned i;

	for (i = 0; i < format->nr_fields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}

const char *format_symbol(const struct format *format,
			  const struct format_field *field, int64_t value)
{
	unsigned index = field - format->fields;
	unsigned i;

	for (i = 0; i < format->nr_symbols; i++)
		if (format->symbols[i].field == index &&
		    format->symbols[i].value == value)
			return format->symbols[i].name;
	return NULL;
}
