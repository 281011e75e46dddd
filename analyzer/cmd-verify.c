// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model against the kernel's own numbers.
 *
 * A snapshot takes time, so the recording marks where it begins and ends (text
 * written to trace_marker that contains "snapshot NAME begin" and "snapshot NAME
 * end"). A value that the events change between the marks has no one expected
 * value: it is then compared with the range it went through.
 */
#define _GNU_SOURCE	/* memmem() */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "snapshot.h"
#include "text.h"
#include "verify.h"

static const char help[] =
	"Usage: folioscope verify [OPTION]... FILE AFTER\n"
	"Compare the rebuilt lists and counters with the kernel's own numbers.\n"
	"\n"
	"AFTER is a folder with what the kernel said at the end of the recording:\n"
	"lru_gen (sizes), lru_gen_folios (lists, with the oracle series), vmstat,\n"
	"memory.stat with memcgs.\n"
	"\n"
	"      --before DIR   the same at the beginning, for the counters\n"
	"      --snapshot NAME  take the marks 'snapshot NAME begin' and '... end'\n"
	"                     for AFTER (default: after); without marks, the end\n"
	"  -v, --verbose      print also what agrees\n"
	CMD_READ_HELP
	"\n"
	"Exit status: 3 if anything differs without a reason, else as of report.\n";

enum { OPT_BEFORE = OPT_COMMAND, OPT_SNAPSHOT };

/* A lruvec while the kernel was asked: how far each size went. */
struct range {
	struct lruvec last;		/* as it was at the latest event */
	int64_t least[MODEL_MAX_GENS][TYPE_NR];
	int64_t most[MODEL_MAX_GENS][TYPE_NR];
};

struct verify {
	struct pipeline *p;
	const char *name;		/* of the snapshot at the end */
	bool verbose;
	bool begun, ended;		/* the snapshot, by its marks */
	struct range *ranges;		/* by number of the lruvec */
	uint32_t nr_ranges;
	uint64_t nr_cells, nr_cells_differ, nr_cells_moving, nr_cells_skipped;
	bool has_lists;
	struct verify_lists lists;
	struct verify_counters counters;
	bool out_of_memory;
};

/* Note the sizes of @lv as they are now. */
static void widen(struct verify *v, const struct lruvec *lv)
{
	struct range *r = &v->ranges[lv->number];
	unsigned gen, type;

	r->last = *lv;
	for (gen = 0; gen < MODEL_MAX_GENS; gen++) {
		for (type = 0; type < TYPE_NR; type++) {
			int64_t nr = lv->nr_pages[gen][type];

			if (nr < r->least[gen][type])
				r->least[gen][type] = nr;
			if (nr > r->most[gen][type])
				r->most[gen][type] = nr;
		}
	}
}

/* Room for lruvecs that are new: their sizes begin at 0. */
static bool grow_ranges(struct verify *v)
{
	uint32_t nr = model_nr_lruvecs(v->p->model);
	struct range *bigger;

	if (nr <= v->nr_ranges)
		return true;
	bigger = realloc(v->ranges, nr * sizeof(*bigger));
	if (!bigger) {
		v->out_of_memory = true;
		return false;
	}
	memset(bigger + v->nr_ranges, 0, (nr - v->nr_ranges) * sizeof(*bigger));
	v->ranges = bigger;
	v->nr_ranges = nr;
	return true;
}

/* The snapshot begins: from here on, sizes may be any that they go through. */
static void begin(struct verify *v)
{
	uint32_t i;

	if (!grow_ranges(v))
		return;
	v->begun = true;
	v->ended = false;
	for (i = 0; i < v->nr_ranges; i++) {
		const struct lruvec *lv = model_lruvec(v->p->model, i);

		memcpy(v->ranges[i].least, lv->nr_pages, sizeof(lv->nr_pages));
		memcpy(v->ranges[i].most, lv->nr_pages, sizeof(lv->nr_pages));
		v->ranges[i].last = *lv;
	}
}

static void after_event(void *self, const struct event *ev)
{
	struct verify *v = self;
	const struct lruvec *lv;

	if (!v->begun || v->ended || ev->kind < EV_ADD || ev->kind > EV_HITSHIELD)
		return;
	lv = model_find_lruvec(v->p->model, ev->memcg, ev->nid);
	if (lv && grow_ranges(v))
		widen(v, lv);
}

static bool has_mark(const struct event *ev, const char *name, const char *what)
{
	char mark[128];

	snprintf(mark, sizeof(mark), "snapshot %s %s", name, what);
	return memmem(ev->u.marker.text, ev->u.marker.len_bytes, mark, strlen(mark));
}

/* Take the counters if @ev begins or ends the snapshot @name. */
static void take_counters(struct verify *v, struct verify_span *span, const struct event *ev,
			  const char *name)
{
	if (has_mark(ev, name, "begin"))
		verify_counters_take(&v->counters, &span->begin);
	if (has_mark(ev, name, "end"))
		verify_counters_take(&v->counters, &span->end);
}

static void on_event(void *self, const struct event *ev)
{
	struct verify *v = self;
	char stats[128];

	if (v->has_lists)
		verify_lists_event(&v->lists, ev);
	verify_counters_event(&v->counters, ev);
	if (ev->kind != EV_MARKER)
		return;
	if (has_mark(ev, v->name, "begin"))
		begin(v);
	if (has_mark(ev, v->name, "end"))
		v->ended = v->begun;
	take_counters(v, &v->counters.before, ev, "before");
	take_counters(v, &v->counters.after, ev, v->name);
	take_counters(v, &v->counters.stats_before, ev, "before-stats");
	snprintf(stats, sizeof(stats), "%s-stats", v->name);
	take_counters(v, &v->counters.stats_after, ev, stats);
}

/* Without marks, the end of the recording stands for the snapshot. */
static void before_end(void *self)
{
	struct verify *v = self;

	if (v->ended)
		return;
	begin(v);
	verify_counters_take(&v->counters, &v->counters.after.begin);
	verify_counters_take(&v->counters, &v->counters.after.end);
	v->begun = false;
}

static const struct range *find(const struct verify *v, uint32_t memcg_id, int nid)
{
	uint32_t i;

	for (i = v->nr_ranges; i-- > 0;) {
		const struct lruvec *lv = &v->ranges[i].last;

		if (lv->memcg_id == memcg_id && lv->nid == nid && !lv->offline)
			return &v->ranges[i];
	}
	return NULL;
}

static void compare_cell(struct verify *v, const struct snapshot_lruvec *theirs,
			 const struct snapshot_gen *gen, unsigned type, const struct range *r)
{
	uint64_t nr = gen->nr_pages[type];
	unsigned index = gen->seq % r->last.nr_gens;
	int64_t least = r->least[index][type], most = r->most[index][type];
	int64_t ours = r->last.nr_pages[index][type];
	bool inside = (int64_t)nr >= least && (int64_t)nr <= most;

	v->nr_cells++;
	v->nr_cells_moving += least != most;
	v->nr_cells_differ += !inside;
	if (inside && !v->verbose)
		return;
	printf("%-20.20s %4d %6" PRIu64 " %-4s %10" PRIu64 " %10" PRId64, theirs->path, theirs->nid,
	       gen->seq, type_name(type), nr, ours);
	if (!inside)
		printf(" %+10" PRId64, ours - (int64_t)nr);
	if (least != most)
		printf("  (%" PRId64 " to %" PRId64 ")", least, most);
	putchar('\n');
}

static int compare_sizes(struct verify *v, const char *path, struct diag *diag)
{
	struct snapshot_lru_gen theirs;
	unsigned i, g, type;
	int ret = snapshot_read_lru_gen(&theirs, path, diag);

	if (ret)
		return ret;
	text_heading(stdout, "Sizes: pages per generation, kernel's lru_gen against ours");
	printf("%-20s %4s %6s %-4s %10s %10s %10s\n", "memcg", "node", "seq", "type", "kernel",
	       "ours", "difference");
	for (i = 0; i < theirs.nr; i++) {
		const struct snapshot_lruvec *t = &theirs.lruvecs[i];
		const struct range *r = find(v, t->memcg_id, t->nid);

		for (g = 0; g < t->nr_gens; g++) {
			if (!r || !r->last.complete) {
				v->nr_cells_skipped += 2;
				continue;
			}
			for (type = 0; type < TYPE_NR; type++)
				compare_cell(v, t, &t->gens[g], type, r);
		}
	}
	printf("%" PRIu64 " cells compared, %" PRIu64 " differ; %" PRIu64
	       " changed while the kernel was\nasked; %" PRIu64
	       " of lruvecs that existed before the recording: not known\n",
	       v->nr_cells, v->nr_cells_differ, v->nr_cells_moving, v->nr_cells_skipped);
	snapshot_release_lru_gen(&theirs);
	return 0;
}

static bool exists(const char *dir, const char *name, char *path, size_t size)
{
	struct stat st;

	snprintf(path, size, "%s/%s", dir, name);
	return !stat(path, &st);
}

static int compare_counters(struct verify *v, const char *before, const char *after,
			    struct diag *diag)
{
	struct verify_counters *c = &v->counters;
	char a[4096], b[4096];
	int ret;

	if (!exists(before, "vmstat", a, sizeof(a)) || !exists(after, "vmstat", b, sizeof(b)))
		return 0;
	if (!c->before.begin.seen || !c->before.end.seen) {
		printf("\nno mark 'snapshot before' in the recording: counters are not compared\n");
		return 0;
	}
	ret = verify_counters_vmstat(c, a, b, diag);
	if (ret || !exists(before, "memory.stat", a, sizeof(a)) ||
	    !exists(after, "memory.stat", b, sizeof(b)))
		return ret;
	if (!c->stats_before.end.seen || !c->stats_after.end.seen) {
		printf("\nno mark 'snapshot %s-stats' in the recording: memory.stat is not "
		       "compared\n", c->stats_before.end.seen ? v->name : "before");
		return 0;
	}
	return verify_counters_memcgs(c, before, after, v->verbose, diag);
}

/* Returns 0, 1 if anything differs without a reason, or a negative enum err. */
static int compare(struct verify *v, const char *before, const char *after, struct diag *diag)
{
	char path[4096];
	bool any = v->has_lists, differs = false;
	int ret;

	if (v->has_lists) {
		ret = verify_lists_finish(&v->lists);
		if (ret < 0)
			return diag_set(diag, -ret, "%s", err_text(-ret));
		differs = ret;
	}
	if (!v->ended)
		printf("\nno mark 'snapshot %s' in the recording: its end is compared\n", v->name);
	if (exists(after, "lru_gen", path, sizeof(path))) {
		any = true;
		ret = compare_sizes(v, path, diag);
		if (ret)
			return ret;
		differs |= v->nr_cells_differ != 0;
	}
	if (before) {
		ret = compare_counters(v, before, after, diag);
		if (ret)
			return ret;
		any |= v->counters.nr != 0;
		differs |= v->counters.nr_differ != 0;
	}
	if (!any)
		return diag_set(diag, ERR_NOT_FOUND,
				"%s: has none of lru_gen, lru_gen_folios, vmstat to compare with",
				after);
	if (v->out_of_memory || v->counters.out_of_memory)
		return diag_set(diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	return differs;
}

static void release(struct verify *v)
{
	free(v->ranges);
	verify_counters_release(&v->counters);
	if (v->has_lists)
		verify_lists_release(&v->lists);
}

static int run(struct verify *v, const char *before, const char *after)
{
	struct diag diag;
	int ret, status;

	v->counters.p = v->p;
	v->p->hook_self = v;
	v->p->on_event = on_event;
	v->p->after_event = after_event;
	v->p->before_end = before_end;
	ret = pipeline_run(v->p, &diag);
	if (!ret)
		ret = compare(v, before, after, &diag);
	if (ret < 0)
		return cmd_fail(&diag);
	putchar('\n');
	pipeline_render_caveats(v->p, stdout, false);
	status = pipeline_status(v->p);
	return cmd_finish(ret ? STATUS_LOSSY : status);
}

int cmd_verify(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "before", required_argument, NULL, OPT_BEFORE },
		{ "snapshot", required_argument, NULL, OPT_SNAPSHOT },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat" };
	const char *before = NULL, *after;
	struct verify v = { .name = "after" };
	struct pipeline p;
	struct diag diag;
	char path[4096];
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "v", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case OPT_BEFORE:
			before = optarg;
			break;
		case OPT_SNAPSHOT:
			v.name = optarg;
			break;
		case 'v':
			v.verbose = true;
			break;
		default:
			ret = cmd_read_option(&opts, "verify", opt);
			if (ret)
				return ret;
		}
	}
	if (argc - optind > 2)
		return cmd_usage_error("verify", "one recording and one folder at a time");
	if (argc - optind == 2)
		opts.path = argv[optind++];
	if (argc == optind)
		return cmd_usage_error("verify", "which folder has the kernel's numbers?");
	after = argv[optind];

	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag))
		return cmd_fail(&diag);
	v.p = &p;
	v.has_lists = exists(after, "lru_gen_folios", path, sizeof(path));
	if (v.has_lists && verify_lists_init(&v.lists, &p, path, &diag))
		status = cmd_fail(&diag);
	else
		status = run(&v, before, after);
	pipeline_release(&p);
	release(&v);
	return status;
}
