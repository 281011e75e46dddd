/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results as tables: what JSON, CSV, SQLite and HTML are made from, so that all
 * hold the same numbers, and where report --explain and the JSON schema take
 * their definitions.
 */
#ifndef FOLIOSCOPE_TABLE_H
#define FOLIOSCOPE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

enum cell_kind {
	CELL_ABSENT,	/* no value: unknown, or it makes no sense in this row */
	CELL_COUNT,	/* unsigned integer below 2^53 */
	CELL_INT,	/* signed integer below 2^53 */
	CELL_ID,	/* unsigned 64-bit identity: a string in JSON */
	CELL_REAL,
	CELL_TEXT,
	CELL_BOOL,
};

struct column {
	const char *name;
	enum cell_kind kind;	/* of its cells that are not absent */
	const char *unit;	/* "ns", "pages", ...; "" for names and flags */
	const char *text;	/* one-line definition */
};

/* What a table is; static. */
struct table_def {
	const char *name;	/* key in JSON, name in SQLite, file name of CSV */
	const char *title;
	const char *source;	/* events that it is made from */
	const struct column *columns;
	unsigned nr_columns;
};

struct cell {
	enum cell_kind kind;
	union {
		uint64_t u;
		int64_t i;
		double real;
		const char *text;	/* the tables' */
		bool flag;
	};
};

struct table {
	const struct table_def *def;
	struct cell *cells;		/* nr_rows * def->nr_columns */
	uint64_t nr_cells, nr_alloc;
	struct tables *owner;
};

#define TABLES_MAX 48

/* All zero is empty. */
struct tables {
	struct table tables[TABLES_MAX];
	unsigned nr;
	char **texts;			/* copies of strings */
	uint64_t nr_texts, nr_texts_alloc;
	bool out_of_memory;		/* something is missing: do not print */
};

/*
 * tables_add(): an empty table of the kind @def, the tables'. Two tables of one
 * name are a bug (asserted). Cells are added row by row with cell_*(), each of
 * which takes the next place; memory that runs out is noted in out_of_memory.
 */
struct table *tables_add(struct tables *tables, const struct table_def *def);

/* tables_find(): by name, NULL if there is none. */
const struct table *tables_find(const struct tables *tables, const char *name);

/* tables_release(): free everything; empty and usable after. */
void tables_release(struct tables *tables);

/* cell_*(): the next cell; the kind must be the column's (asserted). */
void cell_absent(struct table *table);
void cell_count(struct table *table, uint64_t value);
void cell_int(struct table *table, int64_t value);
void cell_id(struct table *table, uint64_t value);
/* cell_real(): a value that is not finite is absent. */
void cell_real(struct table *table, double value);
/* cell_text(): copied; cell_name(): a static string, not copied. NULL is absent. */
void cell_text(struct table *table, const char *value);
void cell_name(struct table *table, const char *value);
void cell_bool(struct table *table, bool value);

/*
 * table_clear(): drop the rows of the last table that was added and the texts of
 * all: for rows that are written one by one.
 */
void table_clear(struct table *table);

/* table_nr_rows(): complete rows. */
uint64_t table_nr_rows(const struct table *table);

/* table_cell(): of an existing row and column. */
const struct cell *table_cell(const struct table *table, uint64_t row, unsigned column);

/*
 * table_get(): the cell in the column @name of the first row whose first column
 * prints as @key (NULL: the first row). NULL if there is none.
 */
const struct cell *table_get(const struct table *table, const char *key, const char *name);

/* Enough for cell_print() of anything but text. */
#define CELL_PRINT_BYTES 32

/*
 * cell_print(): @cell as every machine-readable output writes it, without
 * quotes: "" if absent, "true", "false", integers in decimal, reals with nine
 * significant digits. Returns @buf, or the text itself.
 */
const char *cell_print(const struct cell *cell, char buf[CELL_PRINT_BYTES]);

#endif /* FOLIOSCOPE_TABLE_H */
