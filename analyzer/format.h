/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text of an event's format, as tracefs prints it and trace.dat stores it:
 *
 *	name: mm_lru_gen_add
 *	ID: 512
 *	format:
 *		field:unsigned short common_type;  offset:0;  size:2;  signed:0;
 *		...
 *	print fmt: "pfn=0x%llx ...", REC->pfn, __print_symbolic(REC->site, ...
 *
 * The parser is our own, since the text is untrusted input of which only offsets, sizes
 * and value names are needed.
 */
#ifndef FOLIOSCOPE_FORMAT_H
#define FOLIOSCOPE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

/* Limits: more is refused. */
#define FORMAT_MAX_BYTES	(1u << 20)
#define FORMAT_MAX_FIELDS	256u
#define FORMAT_MAX_SYMBOLS	4096u

struct format_field {
	const char *name;	/* "pfn"; an array's without its brackets */
	const char *type;	/* "u64", "char[16]", "__data_loc char[]" */
	uint32_t offset, size;	/* in bytes, from the start of the record */
	bool is_signed;
	bool is_array;
};

struct format_symbol {
	unsigned field;		/* index in fields */
	int64_t value;
	const char *name;
};

struct format {
	const char *name;
	int id;
	unsigned nr_fields;
	struct format_field *fields;	/* the common ones first */
	unsigned nr_symbols;
	struct format_symbol *symbols;	/* of every __print_symbolic(REC->f, ...) */
	struct arena arena;
};

/*
 * format_head(): only name and id of the @len bytes at @text.
 * Returns false if they are not there or the id is outside 0..65535;
 * *@name_len bytes at *@name are the name (in @text).
 */
bool format_head(const char *text, size_t len, const char **name,
		 size_t *name_len, int *id);

/*
 * format_parse(): parse all of it.  On success @ret is to be released.
 * On failure @ret needs no release and @cause (may be NULL) gets a static string.
 * Returns 0, -ERR_BAD_FORMAT or -ERR_NOMEM.
 */
int format_parse(struct format *ret, const char *text, size_t len,
		 const char **cause);
void format_release(struct format *format);

/* format_field(): by name; NULL if there is none. */
const struct format_field *format_field(const struct format *format,
					const char *name);

/* format_symbol(): name of @value of @field; NULL if it has none. */
const char *format_symbol(const struct format *format,
			  const struct format_field *field, int64_t value);

/*
 * format_int(): an integer, decimal, hex or octal, with an optional sign, of at
 * most @len bytes and surrounded by blanks at most.  false if it is none or
 * does not fit.
 */
bool format_int(const char *text, size_t len, int64_t *ret);

#endif /* FOLIOSCOPE_FORMAT_H */
