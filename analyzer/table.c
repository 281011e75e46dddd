// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table *tables_add(struct tables *tables, const struct table_def *def)
{
	struct table *table;

	assert(tables->nr < TABLES_MAX);
	assert(!tables_find(tables, def->name));
	table = &tables->tables[tables->nr++];
	*table = (struct table){ .def = def, .owner = tables };
	return table;
}

const struct table *tables_find(const struct tables *tables, const char *name)
{
	unsigned i;

	for (i = 0; i < tables->nr; i++)
		if (!strcmp(tables->tables[i].def->name, name))
			return &tables->tables[i];
	return NULL;
}

void tables_release(struct tables *tables)
{
	uint64_t i;

	for (i = 0; i < tables->nr; i++)
		free(tables->tables[i].cells);
	for (i = 0; i < tables->nr_texts; i++)
		free(tables->texts[i]);
	free(tables->texts);
	memset(tables, 0, sizeof(*tables));
}

static void add(struct table *table, struct cell cell)
{
	const struct column *column =
		&table->def->columns[table->nr_cells % table->def->nr_columns];

	if (table->owner->out_of_memory)
		return;		/* one is missing, so no other would be in its place */
	assert(cell.kind == CELL_ABSENT || cell.kind == column->kind);
	(void)column;
	if (table->nr_cells == table->nr_alloc) {
		uint64_t nr_alloc = table->nr_alloc ? table->nr_alloc * 2 : 64;
		struct cell *cells = realloc(table->cells, nr_alloc * sizeof(*cells));

		if (!cells) {
			table->owner->out_of_memory = true;
			return;
		}
		table->cells = cells;
		table->nr_alloc = nr_alloc;
	}
	table->cells[table->nr_cells++] = cell;
}

void cell_absent(struct table *table)
{
	add(table, (struct cell){ .kind = CELL_ABSENT });
}

void cell_count(struct table *table, uint64_t value)
{
	add(table, (struct cell){ .kind = CELL_COUNT, .u = value });
}

void cell_int(struct table *table, int64_t value)
{
	add(table, (struct cell){ .kind = CELL_INT, .i = value });
}

void cell_id(struct table *table, uint64_t value)
{
	add(table, (struct cell){ .kind = CELL_ID, .u = value });
}

void cell_real(struct table *table, double value)
{
	if (isfinite(value))
		add(table, (struct cell){ .kind = CELL_REAL, .real = value });
	else
		cell_absent(table);
}

void cell_text(struct table *table, const char *value)
{
	struct tables *owner = table->owner;
	char *copy;

	if (!value) {
		cell_absent(table);
		return;
	}
	if (owner->nr_texts == owner->nr_texts_alloc) {
		uint64_t nr_alloc = owner->nr_texts_alloc ? owner->nr_texts_alloc * 2 : 64;
		char **texts = realloc(owner->texts, nr_alloc * sizeof(*texts));

		if (!texts) {
			owner->out_of_memory = true;
			return;
		}
		owner->texts = texts;
		owner->nr_texts_alloc = nr_alloc;
	}
	copy = strdup(value);
	if (!copy) {
		owner->out_of_memory = true;
		return;
	}
	owner->texts[owner->nr_texts++] = copy;
	add(table, (struct cell){ .kind = CELL_TEXT, .text = copy });
}

void cell_name(struct table *table, const char *value)
{
	if (value)
		add(table, (struct cell){ .kind = CELL_TEXT, .text = value });
	else
		cell_absent(table);
}

void cell_bool(struct table *table, bool value)
{
	add(table, (struct cell){ .kind = CELL_BOOL, .flag = value });
}

void table_clear(struct table *table)
{
	struct tables *owner = table->owner;

	table->nr_cells = 0;
	while (owner->nr_texts)
		free(owner->texts[--owner->nr_texts]);
}

uint64_t table_nr_rows(const struct table *table)
{
	return table->nr_cells / table->def->nr_columns;
}

const struct cell *table_cell(const struct table *table, uint64_t row, unsigned column)
{
	return &table->cells[row * table->def->nr_columns + column];
}

const struct cell *table_get(const struct table *table, const char *key, const char *name)
{
	char buf[CELL_PRINT_BYTES];
	uint64_t row;
	unsigned i;

	for (i = 0; i < table->def->nr_columns; i++)
		if (!strcmp(table->def->columns[i].name, name))
			break;
	if (i == table->def->nr_columns)
		return NULL;
	for (row = 0; row < table_nr_rows(table); row++)
		if (!key || !strcmp(cell_print(table_cell(table, row, 0), buf), key))
			return table_cell(table, row, i);
	return NULL;
}

const char *cell_print(const struct cell *cell, char buf[CELL_PRINT_BYTES])
{
	switch (cell->kind) {
	case CELL_ABSENT:
		return "";
	case CELL_COUNT:
	case CELL_ID:
		snprintf(buf, CELL_PRINT_BYTES, "%" PRIu64, cell->u);
		return buf;
	case CELL_INT:
		snprintf(buf, CELL_PRINT_BYTES, "%" PRId64, cell->i);
		return buf;
	case CELL_REAL:
		snprintf(buf, CELL_PRINT_BYTES, "%.9g", cell->real);
		return buf;
	case CELL_TEXT:
		return cell->text;
	case CELL_BOOL:
		return cell->flag ? "true" : "false";
	}
	return "";
}
