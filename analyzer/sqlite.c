// SPDX-License-Identifier: GPL-2.0-only
#include "sqlite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "lifetimes.h"
#include "results.h"

enum insert {
	INSERT_LIFE,
	INSERT_SPAN,
	INSERT_EVENT,
	INSERT_VIOLATION,
	INSERT_SHIELD,
	INSERT_LAZYFREE,
	INSERT_NR
};

struct sqlite {
	sqlite3 *db;
	struct pipeline *p;
	bool with_events;
	sqlite3_stmt *inserts[INSERT_NR];
	struct diag diag;		/* of the first failure */
	/* a row of lives */
	struct tables tables;
	struct table *life;
};

static const char schema[] =
	"CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE lives (life INTEGER PRIMARY KEY, pfn INTEGER, memcg INTEGER,"
	" nid INTEGER, type TEXT, folio_order INTEGER, zone INTEGER, birth TEXT,"
	" birth_ns INTEGER, end TEXT, end_ns INTEGER, nr_promoted INTEGER,"
	" nr_protected INTEGER, nr_isolated INTEGER, last_age_gens INTEGER,"
	" backing TEXT, dev INTEGER, ino INTEGER, page_index INTEGER,"
	" nr_evictions INTEGER);"
	"CREATE VIEW folios AS SELECT * FROM lives;"
	"CREATE TABLE spans (life INTEGER, pfn INTEGER, memcg INTEGER, nid INTEGER,"
	" type TEXT, gen INTEGER, seq INTEGER, age INTEGER, from_ns INTEGER,"
	" to_ns INTEGER, next TEXT, site TEXT);"
	"CREATE TABLE events (ts_ns INTEGER, cpu INTEGER, pid INTEGER, event TEXT,"
	" pfn INTEGER, memcg INTEGER, nid INTEGER, type TEXT, folio_order INTEGER,"
	" zone INTEGER, old_gen INTEGER, new_gen INTEGER, refs INTEGER, tier INTEGER,"
	" site TEXT, flags INTEGER, max_seq INTEGER, what TEXT, reason TEXT,"
	" value INTEGER, token INTEGER, dev INTEGER, ino INTEGER, page_index INTEGER);"
	"CREATE TABLE violations (violation TEXT, site TEXT, type TEXT, ts_ns INTEGER,"
	" memcg INTEGER, nid INTEGER, pfn INTEGER, life INTEGER, folios INTEGER,"
	" pairs INTEGER, magnitude INTEGER);"
	"CREATE TABLE shields (ts_ns INTEGER, life INTEGER, pfn INTEGER, cause TEXT,"
	" old_count INTEGER, new_count INTEGER, shielded INTEGER);"
	"CREATE TABLE lazyfree_steps (ts_ns INTEGER, life INTEGER, pfn INTEGER,"
	" memcg INTEGER, step TEXT, pages INTEGER);";

static const char indexes[] =
	"CREATE INDEX lives_pfn ON lives (pfn);"
	"CREATE INDEX lives_page ON lives (dev, ino, page_index);"
	"CREATE INDEX spans_life ON spans (life);"
	"CREATE INDEX events_pfn ON events (pfn, ts_ns);"
	"CREATE INDEX events_event ON events (event, ts_ns);"
	"CREATE INDEX violations_site ON violations (violation, site);"
	"CREATE INDEX lazyfree_steps_life ON lazyfree_steps (life);";

static const struct {
	const char *table;
	unsigned nr_columns;
} inserts[INSERT_NR] = {
	[INSERT_LIFE] = { "lives", 20 },	 [INSERT_SPAN] = { "spans", 12 },
	[INSERT_EVENT] = { "events", 24 },	 [INSERT_VIOLATION] = { "violations", 11 },
	[INSERT_SHIELD] = { "shields", 7 },	 [INSERT_LAZYFREE] = { "lazyfree_steps", 6 },
};

static void failed(struct sqlite *s)
{
	int code = sqlite3_extended_errcode(s->db);

	if (s->diag.err)
		return;
	diag_set(&s->diag, code == SQLITE_NOMEM ? ERR_NOMEM : ERR_WRITE, "the database: %s",
		 sqlite3_errmsg(s->db));
}

static bool execute(struct sqlite *s, const char *sql)
{
	if (s->diag.err)
		return false;
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return true;
	failed(s);
	return false;
}

static sqlite3_stmt *prepare(struct sqlite *s, const char *table, unsigned nr_columns)
{
	sqlite3_stmt *stmt = NULL;
	char sql[512];
	unsigned i, len;

	len = snprintf(sql, sizeof(sql), "INSERT INTO \"%s\" VALUES (", table);
	for (i = 0; i < nr_columns; i++)
		len += snprintf(sql + len, sizeof(sql) - len, "%s?", i ? "," : "");
	snprintf(sql + len, sizeof(sql) - len, ")");
	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK)
		failed(s);
	return stmt;
}

int sqlite_open(struct sqlite **ret, const char *path, bool with_events, struct diag *diag)
{
	struct sqlite *s = calloc(1, sizeof(*s));
	unsigned i;
	int err;

	if (!s)
		return diag_set(diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	s->with_events = with_events;
	if (sqlite3_open_v2(path, &s->db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
		failed(s);
	/* the file is of no use unless it is finished, so nothing needs a journal */
	execute(s, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		   "PRAGMA application_id = 1718578543; PRAGMA user_version = 2; BEGIN");
	execute(s, schema);
	for (i = 0; i < INSERT_NR && !s->diag.err; i++)
		s->inserts[i] = prepare(s, inserts[i].table, inserts[i].nr_columns);
	s->life = tables_add(&s->tables, &results_lives_def);
	if (s->diag.err) {
		err = diag_set(diag, s->diag.err, "%s", s->diag.text);
		sqlite_close(s);
		return err;
	}
	*ret = s;
	return 0;
}

void sqlite_close(struct sqlite *s)
{
	unsigned i;

	if (!s)
		return;
	for (i = 0; i < INSERT_NR; i++)
		sqlite3_finalize(s->inserts[i]);
	sqlite3_close(s->db);
	tables_release(&s->tables);
	free(s);
}

const char *sqlite_library(void)
{
	return sqlite3_libversion();
}

static void step(struct sqlite *s, sqlite3_stmt *stmt)
{
	if (s->diag.err)
		return;
	if (sqlite3_step(stmt) != SQLITE_DONE)
		failed(s);
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

static void bind_name(sqlite3_stmt *stmt, int i, const char *name)
{
	sqlite3_bind_text(stmt, i, name, -1, SQLITE_STATIC);
}

static void bind_cell(sqlite3_stmt *stmt, int i, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_ABSENT:
		break;
	case CELL_COUNT:
	case CELL_ID:
		/* SQLite has signed 64 bits: larger identities wrap */
		sqlite3_bind_int64(stmt, i, cell->u);
		break;
	case CELL_INT:
		sqlite3_bind_int64(stmt, i, cell->i);
		break;
	case CELL_REAL:
		sqlite3_bind_double(stmt, i, cell->real);
		break;
	case CELL_TEXT:
		sqlite3_bind_text(stmt, i, cell->text, -1, SQLITE_TRANSIENT);
		break;
	case CELL_BOOL:
		sqlite3_bind_int(stmt, i, cell->flag);
		break;
	}
}

static void insert_row(struct sqlite *s, sqlite3_stmt *stmt, const struct table *table,
		       uint64_t row)
{
	unsigned i;

	for (i = 0; i < table->def->nr_columns; i++)
		bind_cell(stmt, i + 1, table_cell(table, row, i));
	step(s, stmt);
}

static void insert_life(struct sqlite *s, const struct change *c)
{
	struct lifetime row = lifetime_from(c);

	results_life_row(s->p, s->life, &row);
	if (s->tables.out_of_memory && !s->diag.err)
		diag_set(&s->diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	else
		insert_row(s, s->inserts[INSERT_LIFE], s->life, 0);
	table_clear(s->life);
}

/* A folio's stay in one generation ended. */
static void insert_span(struct sqlite *s, const struct change *c)
{
	sqlite3_stmt *stmt = s->inserts[INSERT_SPAN];

	if (c->old_gen < 0)
		return;
	sqlite3_bind_int64(stmt, 1, c->folio->life);
	sqlite3_bind_int64(stmt, 2, c->pfn);
	if (c->lruvec) {
		sqlite3_bind_int64(stmt, 3, c->lruvec->memcg);
		sqlite3_bind_int(stmt, 4, c->lruvec->nid);
	}
	bind_name(stmt, 5, type_name(c->folio->type));
	sqlite3_bind_int(stmt, 6, c->old_gen);
	if (c->lruvec && c->lruvec->seq_known) {
		sqlite3_bind_int64(stmt, 7, model_seq(c->lruvec, c->old_gen));
		sqlite3_bind_int(stmt, 8, model_age(c->lruvec, c->old_gen));
	}
	if (c->gen_ns_known)
		sqlite3_bind_int64(stmt, 9, pipeline_offset(s->p, c->ts_ns - c->gen_ns));
	sqlite3_bind_int64(stmt, 10, pipeline_since(s->p, c->ts_ns));
	switch (c->kind) {
	case CHANGE_UPDATE:
	case CHANGE_MOVE:
		bind_name(stmt, 11, "gen");
		break;
	case CHANGE_LEAVE:
		bind_name(stmt, 11, "off");
		break;
	default:
		bind_name(stmt, 11, folio_end_name(c->end));
	}
	if (c->ev)
		bind_name(stmt, 12, site_name(c->ev->site));
	step(s, stmt);
}

static void insert_lazyfree(struct sqlite *s, const struct change *c)
{
	sqlite3_stmt *stmt = s->inserts[INSERT_LAZYFREE];

	sqlite3_bind_int64(stmt, 1, pipeline_since(s->p, c->ts_ns));
	sqlite3_bind_int64(stmt, 2, c->folio->life);
	sqlite3_bind_int64(stmt, 3, c->pfn);
	if (c->lruvec)
		sqlite3_bind_int64(stmt, 4, c->lruvec->memcg);
	bind_name(stmt, 5, lazyfree_name(c->ev->u.lazyfree.stage));
	sqlite3_bind_int64(stmt, 6, 1ll << c->ev->order);
	step(s, stmt);
}

static void insert_shield(struct sqlite *s, const struct change *c)
{
	sqlite3_stmt *stmt = s->inserts[INSERT_SHIELD];

	sqlite3_bind_int64(stmt, 1, pipeline_since(s->p, c->ts_ns));
	sqlite3_bind_int64(stmt, 2, c->folio->life);
	sqlite3_bind_int64(stmt, 3, c->pfn);
	bind_name(stmt, 4, hitshield_name(c->ev->u.hitshield.cause));
	sqlite3_bind_int(stmt, 5, c->ev->u.hitshield.old_count);
	sqlite3_bind_int(stmt, 6, c->ev->u.hitshield.new_count);
	sqlite3_bind_int(stmt, 7, c->ev->u.hitshield.shield);
	step(s, stmt);
}

static void on_change(void *self, const struct change *c)
{
	struct sqlite *s = self;

	if (!c->folio)
		return;
	switch (c->kind) {
	case CHANGE_END:
		insert_span(s, c);
		insert_life(s, c);
		break;
	case CHANGE_UPDATE:
	case CHANGE_LEAVE:
		insert_span(s, c);
		break;
	case CHANGE_MOVE:
		if (c->old_gen != c->new_gen)
			insert_span(s, c);
		break;
	case CHANGE_LAZYFREE:
		insert_lazyfree(s, c);
		break;
	case CHANGE_HITSHIELD:
		insert_shield(s, c);
		break;
	default:
		break;
	}
}

static void bind_page(sqlite3_stmt *stmt, const struct event *ev)
{
	bind_name(stmt, 18, backing_name(ev->u.page.backing));
	sqlite3_bind_int64(stmt, 21, ev->u.page.token);
	sqlite3_bind_int64(stmt, 22, ev->u.page.dev);
	sqlite3_bind_int64(stmt, 23, ev->u.page.ino);
	sqlite3_bind_int64(stmt, 24, ev->u.page.index);
}

/* The columns what, reason and value, by kind (formats/sqlite.md). */
static void bind_details(sqlite3_stmt *stmt, const struct event *ev)
{
	switch (ev->kind) {
	case EV_SPLIT:
		sqlite3_bind_int(stmt, 20, ev->u.split.new_order);
		break;
	case EV_MIGRATE:
		sqlite3_bind_int64(stmt, 20, ev->u.migrate.new_pfn);
		break;
	case EV_STATE:
		bind_name(stmt, 18, lruvec_state_name(ev->u.lruvec.state));
		break;
	case EV_MIN_SEQ:
		bind_name(stmt, 18, ev->u.min_seq.relabel ? "relabel" : "step");
		sqlite3_bind_int64(stmt, 20, ev->u.min_seq.new_seq);
		break;
	case EV_SPLICE:
		sqlite3_bind_int64(stmt, 20, ev->u.splice.nr_folios);
		break;
	case EV_SCAN:
		sqlite3_bind_int64(stmt, 20, ev->u.scan.nr_isolated);
		break;
	case EV_RECLAIM:
		bind_name(stmt, 18, outcome_name(ev->u.reclaim.outcome));
		bind_name(stmt, 19, reason_name(ev->u.reclaim.reason));
		break;
	case EV_LAZYFREE:
		bind_name(stmt, 18, lazyfree_name(ev->u.lazyfree.stage));
		break;
	case EV_HITSHIELD:
		bind_name(stmt, 18, hitshield_name(ev->u.hitshield.cause));
		sqlite3_bind_int(stmt, 20, ev->u.hitshield.new_count);
		break;
	case EV_EVICT:
	case EV_REFAULT:
	case EV_SWAPIN:
		bind_page(stmt, ev);
		break;
	default:
		break;
	}
}

static void on_event(void *self, const struct event *ev)
{
	struct sqlite *s = self;
	sqlite3_stmt *stmt = s->inserts[INSERT_EVENT];
	bool has_folio = ev->pfn != UINT64_MAX;

	if (ev->kind < EV_ADD ||
	    (ev->kind > EV_HITSHIELD && ev->kind != EV_LOST && ev->kind != EV_GAP))
		return;
	sqlite3_bind_int64(stmt, 1, pipeline_since(s->p, ev->ts_ns));
	sqlite3_bind_int(stmt, 2, ev->cpu);
	bind_name(stmt, 4, event_kind_name(ev->kind));
	if (ev->kind == EV_LOST) {
		if (ev->u.lost.nr_lost != EV_LOST_UNKNOWN)
			sqlite3_bind_int64(stmt, 20, ev->u.lost.nr_lost);
		step(s, stmt);
		return;
	}
	if (ev->kind == EV_GAP) {
		sqlite3_bind_int64(stmt, 20, ev->u.gap.size_bytes);
		step(s, stmt);
		return;
	}
	sqlite3_bind_int(stmt, 3, ev->pid);
	sqlite3_bind_int64(stmt, 6, ev->memcg);
	sqlite3_bind_int(stmt, 7, ev->nid);
	bind_name(stmt, 8, type_name(ev->type));
	if (has_folio) {
		sqlite3_bind_int64(stmt, 5, ev->pfn);
		sqlite3_bind_int(stmt, 9, ev->order);
		sqlite3_bind_int(stmt, 10, ev->zone);
		if (ev->old_gen >= 0)
			sqlite3_bind_int(stmt, 11, ev->old_gen);
		if (ev->new_gen >= 0)
			sqlite3_bind_int(stmt, 12, ev->new_gen);
		sqlite3_bind_int(stmt, 13, ev->refs);
		sqlite3_bind_int(stmt, 14, ev->tier);
		sqlite3_bind_int(stmt, 16, ev->flags);
	}
	bind_name(stmt, 15, site_name(ev->site));
	sqlite3_bind_int64(stmt, 17, ev->max_seq);
	bind_details(stmt, ev);
	step(s, stmt);
}

static void on_violation(void *self, const struct violation *v)
{
	struct sqlite *s = self;
	sqlite3_stmt *stmt = s->inserts[INSERT_VIOLATION];
	char name[8];

	snprintf(name, sizeof(name), "V%u", v->kind);
	sqlite3_bind_text(stmt, 1, name, -1, SQLITE_TRANSIENT);
	bind_name(stmt, 2, v->kind <= 2 ? site_name(v->site) : type_name(v->type));
	bind_name(stmt, 3, type_name(v->type));
	sqlite3_bind_int64(stmt, 4, pipeline_since(s->p, v->ts_ns));
	if (v->lruvec) {
		sqlite3_bind_int64(stmt, 5, v->lruvec->memcg);
		sqlite3_bind_int(stmt, 6, v->lruvec->nid);
	}
	if (v->pfn != UINT64_MAX) {
		sqlite3_bind_int64(stmt, 7, v->pfn);
		sqlite3_bind_int64(stmt, 8, v->life);
	}
	sqlite3_bind_int64(stmt, 9, v->nr_folios);
	if (v->kind <= 2)
		sqlite3_bind_int64(stmt, 10, v->nr_pairs);
	else
		sqlite3_bind_int64(stmt, 11, v->magnitude);
	step(s, stmt);
}

void sqlite_hook(struct sqlite *s, struct pipeline *p)
{
	s->p = p;
	p->hook_self = s;
	p->on_change = on_change;
	p->on_violation = on_violation;
	if (s->with_events)
		p->on_event = on_event;
}

static const char *sql_type(enum cell_kind kind)
{
	return kind == CELL_TEXT ? "TEXT" : kind == CELL_REAL ? "REAL" : "INTEGER";
}

static void add_table(struct sqlite *s, const struct table *table)
{
	sqlite3_str *sql = sqlite3_str_new(s->db);
	sqlite3_stmt *stmt;
	uint64_t row;
	char *text;
	unsigned i;

	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", table->def->name);
	for (i = 0; i < table->def->nr_columns; i++)
		sqlite3_str_appendf(sql, "%s\"%w\" %s", i ? ", " : "", table->def->columns[i].name,
				    sql_type(table->def->columns[i].kind));
	sqlite3_str_appendf(sql, ")");
	text = sqlite3_str_finish(sql);
	if (!text) {
		failed(s);
		return;
	}
	if (execute(s, text)) {
		stmt = prepare(s, table->def->name, table->def->nr_columns);
		for (row = 0; stmt && row < table_nr_rows(table); row++)
			insert_row(s, stmt, table, row);
		sqlite3_finalize(stmt);
	}
	sqlite3_free(text);
}

void sqlite_tables(struct sqlite *s, const struct tables *tables)
{
	unsigned i;

	for (i = 0; i < tables->nr && !s->diag.err; i++)
		add_table(s, &tables->tables[i]);
}

void sqlite_metadata(struct sqlite *s, const char *key, const char *value)
{
	sqlite3_stmt *stmt;

	if (s->diag.err)
		return;
	stmt = prepare(s, "metadata", 2);
	if (!stmt)
		return;
	sqlite3_bind_text(stmt, 1, key, -1, SQLITE_TRANSIENT);
	sqlite3_bind_text(stmt, 2, value, -1, SQLITE_TRANSIENT);
	step(s, stmt);
	sqlite3_finalize(stmt);
}

int sqlite_finish(struct sqlite *s, struct diag *diag)
{
	execute(s, indexes);
	execute(s, "COMMIT");
	if (!s->diag.err)
		return 0;
	*diag = s->diag;
	return -s->diag.err;
}
