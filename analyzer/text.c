// SPDX-License-Identifier: GPL-2.0-only
#include "text.h"

#include <string.h>

const char *text_duration(struct text_buf *buf, uint64_t ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
	unsigned i;

	for (i = 0; i < 3; i++) {
		double value = ns / units[i].ns;

		if (value < 0.9995)
			continue;
		snprintf(buf->s, sizeof(buf->s), "%.*f%s",
			 value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[i].unit);
		return buf->s;
	}
	snprintf(buf->s, sizeof(buf->s), "%uns", (unsigned)ns);
	return buf->s;
}

const char *text_seconds(struct text_buf *buf, uint64_t ns)
{
	snprintf(buf->s, sizeof(buf->s), "%llu.%06llu", (unsigned long long)(ns / 1000000000),
		 (unsigned long long)(ns % 1000000000 / 1000));
	return buf->s;
}

const char *text_bytes(struct text_buf *buf, uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = bytes;
	unsigned i = 0;

	while (value >= 1023.95 && i < 6) {
		value /= 1024;
		i++;
	}
	snprintf(buf->s, sizeof(buf->s), i ? "%.1f %s" : "%.0f %s", value, units[i]);
	return buf->s;
}

const char *text_percent(struct text_buf *buf, double part, double whole)
{
	double percent = whole ? 100 * part / whole : 0;

	if (!whole)
		strcpy(buf->s, "-");
	else if (part > 0 && percent < 0.1)
		strcpy(buf->s, "<0.1%");
	else if (part < whole && percent > 99.9)
		strcpy(buf->s, ">99.9%");
	else
		snprintf(buf->s, sizeof(buf->s), "%.1f%%", percent);
	return buf->s;
}

const char *text_plural(uint64_t nr)
{
	return nr == 1 ? "" : "s";
}

void text_wrap(FILE *out, const char *text, unsigned indent)
{
	unsigned width = TEXT_COLUMNS;

	while (strlen(text) > width) {
		unsigned cut = width;

		while (cut && text[cut] != ' ')
			cut--;
		/* leading spaces are no place to break */
		if (cut <= strspn(text, " ")) {
			const char *space = strchr(text + width, ' ');

			if (!space)
				break;
			cut = space - text;
		}
		fprintf(out, "%.*s\n%*s", (int)cut, text, (int)indent, "");
		text += cut;
		text += strspn(text, " ");
		width = TEXT_COLUMNS - indent;
	}
	fprintf(out, "%s\n", text);
}

static bool has_color;

void text_set_color(bool color)
{
	has_color = color;
}

/* SGR sequences: bold; bold red. */
static const char *style(const FILE *out, const char *sequence)
{
	return has_color && out == stdout ? sequence : "";
}

void text_alarm(FILE *out, const char *word)
{
	fprintf(out, "%s%s%s", style(out, "\033[1;31m"), word, style(out, "\033[0m"));
}

void text_heading(FILE *out, const char *title)
{
	size_t i, len = strlen(title);

	fprintf(out, "\n%s%s%s\n", style(out, "\033[1m"), title, style(out, "\033[0m"));
	for (i = 0; i < len; i++)
		fputc('-', out);
	fputc('\n', out);
}

void text_csv(FILE *out, const char *field)
{
	if (!strpbrk(field, ",\"\r\n")) {
		fputs(field, out);
		return;
	}
	fputc('"', out);
	for (; *field; field++) {
		if (*field == '"')
			fputc('"', out);
		fputc(*field, out);
	}
	fputc('"', out);
}
