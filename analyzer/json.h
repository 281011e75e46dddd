/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A streaming JSON writer (RFC 8259). It keeps track of commas and nesting; the
 * caller of names and values in objects. Text that is not valid UTF-8 is
 * written with U+FFFD in place of each bad byte.
 *
 *	struct json j;
 *
 *	json_init(&j, stdout, true);
 *	json_object(&j, NULL);
 *	json_count(&j, "nr", 3);
 *	json_end(&j);
 */
#ifndef FOLIOSCOPE_JSON_H
#define FOLIOSCOPE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "table.h"

#define JSON_MAX_DEPTH 32

struct json {
	FILE *out;
	bool pretty;		/* one member per line down to pretty_depth */
	unsigned pretty_depth;
	unsigned depth;
	char closing[JSON_MAX_DEPTH];
	bool has_members[JSON_MAX_DEPTH];
};

/* json_init(): write to @out, on one line or, with @pretty, on many. */
void json_init(struct json *j, FILE *out, bool pretty);

/*
 * json_object(), json_array(): begin one; @name is its name in the object
 * around it, NULL in an array or at the top. json_end() ends the innermost.
 */
void json_object(struct json *j, const char *name);
void json_array(struct json *j, const char *name);
void json_end(struct json *j);

/* json_*(): a value; @name as above. json_text() with NULL writes null. */
void json_text(struct json *j, const char *name, const char *value);
void json_count(struct json *j, const char *name, uint64_t value);
void json_int(struct json *j, const char *name, int64_t value);
/* json_id(): a string of digits, because many readers round above 2^53. */
void json_id(struct json *j, const char *name, uint64_t value);
void json_bool(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);
/* json_real(): so that reading it back gives @value; null if it is not finite. */
void json_real(struct json *j, const char *name, double value);
void json_cell(struct json *j, const char *name, const struct cell *cell);

/* json_string(): @text quoted and escaped, alone. */
void json_string(FILE *out, const char *text);

#endif /* FOLIOSCOPE_JSON_H */
