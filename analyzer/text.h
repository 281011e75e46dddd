/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and times as reports print them. Text goes into mails: ASCII, at most
 * TEXT_COLUMNS wide.
 */
#ifndef FOLIOSCOPE_TEXT_H
#define FOLIOSCOPE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_COLUMNS 75

/* Enough for any text_*() below; their callers pass such a buffer. */
struct text_buf {
	char s[48];
};

/*
 * text_duration(): three significant digits with a unit: "1.23us", "45.6ms",
 * "7.89s". Returns buf->s.
 */
const char *text_duration(struct text_buf *buf, uint64_t ns);

/* text_seconds(): @ns as seconds with six decimals, "12.345678". */
const char *text_seconds(struct text_buf *buf, uint64_t ns);

/* text_bytes(): IEC, "1.5 MiB". */
const char *text_bytes(struct text_buf *buf, uint64_t bytes);

/*
 * text_percent(): @part of @whole as "12.3%"; "-" if @whole is 0, "<0.1%" and
 * ">99.9%" where rounding would say none or all and that is not so.
 */
const char *text_percent(struct text_buf *buf, double part, double whole);

/* text_plural(): what a noun behind @nr ends with: "" or "s". */
const char *text_plural(uint64_t nr);

/*
 * text_wrap(): the line @text, broken at spaces so that no line is wider than
 * TEXT_COLUMNS; the others begin with @indent spaces. A longer word is kept.
 */
void text_wrap(FILE *out, const char *text, unsigned indent);

/*
 * text_set_color(): may what goes to stdout hold colours? Not by default; other
 * streams never do.
 */
void text_set_color(bool color);

/* text_alarm(): @word, in a colour that stands out if there are any. */
void text_alarm(FILE *out, const char *word);

/* text_heading(): an empty line, @title and a rule under it. */
void text_heading(FILE *out, const char *title);

/*
 * text_csv(): one CSV field (RFC 4180): quoted if it holds a comma, a quote or
 * a line break.
 */
void text_csv(FILE *out, const char *field);

#endif /* FOLIOSCOPE_TEXT_H */
