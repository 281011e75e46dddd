/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All results of a recording as tables, and the documents made of them. The JSON
 * schema (formats/folioscope-report.schema.json) and report --explain come from
 * the same definitions.
 */
#ifndef FOLIOSCOPE_RESULTS_H
#define FOLIOSCOPE_RESULTS_H

#include <stdio.h>

#include "json.h"
#include "lifetimes.h"
#include "pipeline.h"
#include "table.h"

/* Raised when a reader of the old one would misunderstand the new one. */
#define RESULTS_SCHEMA_VERSION 2

/* Rows of these are written one by one, see struct rows_out. */
extern const struct table_def results_lives_def;	/* a row per life */
extern const struct table_def results_story_def;	/* folio: a row per event */
extern const struct table_def results_problems_def;
extern const struct table_def results_verdict_def;	/* check */

/*
 * results_recording(): add the tables about the file and what was read of it:
 * "recording", "event_counts", "problems".
 */
void results_recording(struct reader *reader, struct tables *tables);

/* results_quality(): after pipeline_run(): the above and "quality". */
void results_quality(struct pipeline *p, struct tables *tables);

/*
 * results_tables(): after pipeline_run(): the above, "lruvecs",
 * "contradictions", and those of the analyses, of @only if that is not NULL.
 */
void results_tables(struct pipeline *p, struct tables *tables, const struct analysis_ops *only);

/*
 * results_def(): every table definition there is, in the order of the report.
 * NULL past the last.
 */
const struct table_def *results_def(unsigned i);

/* results_life_row(): the row of a life (results_lives_def); times from the first event. */
void results_life_row(struct pipeline *p, struct table *table, const struct lifetime *row);

/*
 * results_explain(): define every number of the tables in @only, NULL at the end
 * (@only NULL: all tables), with its unit and the events it is made from.
 */
void results_explain(FILE *out, const struct table_def *const *only);

/* results_schema(): the JSON schema of all documents. */
void results_schema(FILE *out);

/*
 * A JSON document: results_json_begin(), then tables, then results_json_end(),
 * which adds the exit status. Between them a large table may be written row by
 * row: json_array(j, def->name), results_json_row() for each, json_end(j).
 */
void results_json_begin(struct json *j, FILE *out, const char *command);
void results_json_table(struct json *j, const struct table *table);
void results_json_row(struct json *j, const struct table *table, uint64_t row);
void results_json_end(struct json *j, int status);

/* results_json_tables(): a whole document. */
void results_json_tables(FILE *out, const char *command, const struct tables *tables, int status);

/*
 * results_csv(): all tables in one: a line per cell with table, row (from 1),
 * column, value and unit. Absent cells are left out.
 */
void results_csv(FILE *out, const struct tables *tables);

/* results_csv_header(), results_csv_row(): one table as it is. */
void results_csv_header(FILE *out, const struct table_def *def);
void results_csv_row(FILE *out, const struct table *table, uint64_t row);

#endif /* FOLIOSCOPE_RESULTS_H */
