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
#include "counters.h"
#include "snapshot.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope verify [OPTION]... FILE AFTER\n"
	"Compare the rebuilt lists and counters with the kernel's own numbers.\n"
	"\n"
	"AFTER is a folder with what the kernel said at the end of the recording:\n"
	"lru_gen (sizes), lru_gen_folios (lists, with the oracle series), vmstat.\n"
	"\n"
	"      --before DIR   the same at the beginning, for the counters\n"
	"      --snapshot NAME  take the marks 'snapshot NAME begin' and '... end'\n"
	"                     for AFTER (default: after); without marks, the end\n"
	"  -v, --verbose      print also what agrees\n"
	CMD_READ_HELP
	"\n"
	"Exit status: 3 if anything differs without a reason, else as of report.\n";

enum { OPT_BEFORE = OPT_COMMAND, OPT_SNAPSHOT };

/* What the model said at a mark. */
struct moment {
	bool seen;
	uint32_t nr_lruvecs;
	struct lruvec *lruvecs;
	uint64_t counters[COUNTER_NR];
};

struct verify {
	struct pipeline *p;
	const char *name;		/* of the snapshot at the end */
	bool verbose;
	struct moment before[2], after[2];	/* begin, end */
	struct snapshot_folios folios;
	bool has_folios;
	bool *done;			/* per lruvec of folios */
	uint64_t nr_cells, nr_cells_differ, nr_cells_moving, nr_cells_skipped;
	uint64_t nr_lists, nr_folios, nr_lists_differ, nr_lists_skipped;
	uint64_t nr_counters, nr_counters_differ;
	bool out_of_memory;
};

static void take(struct verify *v, struct moment *moment)
{
	uint32_t i, nr = model_nr_lruvecs(v->p->model);
	const void *counters = pipeline_self(v->p, &analysis_counters);

	free(moment->lruvecs);
	moment->lruvecs = calloc(nr ? nr : 1, sizeof(*moment->lruvecs));
	if (!moment->lruvecs) {
		v->out_of_memory = true;
		return;
	}
	for (i = 0; i < nr; i++)
		moment->lruvecs[i] = *model_lruvec(v->p->model, i);
	moment->nr_lruvecs = nr;
	memcpy(moment->counters, counters_values(counters), sizeof(moment->counters));
	moment->seen = true;
}

static bool has_mark(const struct event *ev, const char *name, const char *what)
{
	char mark[128];

	snprintf(mark, sizeof(mark), "snapshot %s %s", name, what);
	return memmem(ev->u.marker.text, ev->u.marker.len_bytes, mark, strlen(mark));
}

static void compare_list(struct verify *v, const struct snapshot_list *theirs,
			 const struct lruvec *lv)
{
	const struct model *m = v->p->model;
	const struct model_list *ours = model_list(m, lv, theirs->gen, theirs->type, theirs->zone);
	uint32_t label = ours ? ours->order.begin : 0, handle, i;
	bool differs = false;

	v->nr_lists++;
	v->nr_folios += theirs->nr;
	for (i = 0; i < theirs->nr && !differs; i++) {
		const struct snapshot_folio *t = &theirs->folios[i];
		const struct folio *f;
		uint64_t pfn;

		if (!ours || !lrulist_next(&ours->order, &label, &handle)) {
			printf("memcg %" PRIu64 " node %d gen %u %s zone %u: ours ends after %u of %u\n",
			       theirs->memcg, theirs->nid, theirs->gen, type_name(theirs->type),
			       theirs->zone, i, theirs->nr);
			differs = true;
			break;
		}
		label++;
		f = folio_table_at(model_folios(m), handle, &pfn);
		if (pfn == t->pfn && f->order == t->order && f->gen == t->gen)
			continue;
		differs = true;
		printf("memcg %" PRIu64 " node %d gen %u %s zone %u, place %u:\n"
		       "  kernel pfn 0x%" PRIx64 " order %u gen %d, ours pfn 0x%" PRIx64
		       " order %u gen %d\n",
		       theirs->memcg, theirs->nid, theirs->gen, type_name(theirs->type),
		       theirs->zone, i + 1, t->pfn, t->order, t->gen, pfn, f->order, f->gen);
	}
	if (!differs && ours && ours->order.nr_folios > theirs->nr) {
		differs = true;
		printf("memcg %" PRIu64 " node %d gen %u %s zone %u: kernel has %u, ours %u\n",
		       theirs->memcg, theirs->nid, theirs->gen, type_name(theirs->type),
		       theirs->zone, theirs->nr, ours->order.nr_folios);
	}
	v->nr_lists_differ += differs;
}

/* A list of ours that the kernel did not print must be empty. */
static void compare_rest(struct verify *v, unsigned at, const struct lruvec *lv)
{
	const struct snapshot_moment *moment = &v->folios.lruvecs[at];
	unsigned gen, type, zone, i;

	for (gen = 0; gen < MODEL_MAX_GENS; gen++) {
		for (type = 0; type < TYPE_NR; type++) {
			for (zone = 0; zone < MODEL_MAX_ZONES; zone++) {
				const struct model_list *ours =
					model_list(v->p->model, lv, gen, type, zone);

				if (!ours || !ours->order.nr_folios)
					continue;
				for (i = 0; i < v->folios.nr; i++) {
					const struct snapshot_list *l = &v->folios.lists[i];

					if (l->memcg == moment->memcg && l->nid == moment->nid &&
					    l->gen == gen && l->type == type && l->zone == zone)
						break;
				}
				if (i < v->folios.nr)
					continue;
				printf("memcg %" PRIu64 " node %d gen %u %s zone %u: kernel has 0, "
				       "ours %u\n",
				       moment->memcg, moment->nid, gen, type_name(type), zone,
				       ours->order.nr_folios);
				v->nr_lists_differ++;
			}
		}
	}
}

/*
 * The kernel logs state "snapshot" with the lock held at which it copied the
 * lists of one lruvec: the one nearest to the time in the file is this file's.
 */
static void compare_folios(struct verify *v, const struct event *ev)
{
	const struct lruvec *lv;
	unsigned at, i;

	for (at = 0; at < v->folios.nr_lruvecs; at++) {
		const struct snapshot_moment *moment = &v->folios.lruvecs[at];
		uint64_t apart = ev->ts_ns > moment->mono_ns ? ev->ts_ns - moment->mono_ns :
							       moment->mono_ns - ev->ts_ns;

		if (moment->memcg == ev->memcg && moment->nid == ev->nid && apart < 1000000 &&
		    !v->done[at])
			break;
	}
	if (at == v->folios.nr_lruvecs)
		return;
	v->done[at] = true;
	lv = model_find_lruvec(v->p->model, ev->memcg, ev->nid);
	for (i = 0; i < v->folios.nr; i++) {
		const struct snapshot_list *list = &v->folios.lists[i];

		if (list->memcg != ev->memcg || list->nid != ev->nid)
			continue;
		if (lv->complete)
			compare_list(v, list, lv);
		else
			v->nr_lists_skipped++;
	}
	if (lv->complete)
		compare_rest(v, at, lv);
}

static void on_event(void *self, const struct event *ev)
{
	struct verify *v = self;

	if (ev->kind == EV_STATE && ev->u.lruvec.state == STATE_SNAPSHOT && v->has_folios)
		compare_folios(v, ev);
	if (ev->kind != EV_MARKER)
		return;
	if (has_mark(ev, "before", "begin"))
		take(v, &v->before[0]);
	if (has_mark(ev, "before", "end"))
		take(v, &v->before[1]);
	if (has_mark(ev, v->name, "begin"))
		take(v, &v->after[0]);
	if (has_mark(ev, v->name, "end"))
		take(v, &v->after[1]);
}

/* Without marks, the end of the recording stands for the snapshot. */
static void before_end(void *self)
{
	struct verify *v = self;

	if (v->after[0].seen && v->after[1].seen)
		return;
	take(v, &v->after[0]);
	take(v, &v->after[1]);
	v->after[0].seen = v->after[1].seen = false;
}

static const struct lruvec *find(const struct moment *moment, uint32_t memcg_id, int nid)
{
	uint32_t i;

	for (i = moment->nr_lruvecs; i-- > 0;)
		if (moment->lruvecs[i].memcg_id == memcg_id && moment->lruvecs[i].nid == nid &&
		    !moment->lruvecs[i].offline)
			return &moment->lruvecs[i];
	return NULL;
}

static void compare_cell(struct verify *v, const struct snapshot_lruvec *theirs,
			 const struct snapshot_gen *gen, unsigned type, const struct lruvec *begin,
			 const struct lruvec *end)
{
	uint64_t nr = gen->nr_pages[type];
	unsigned index = gen->seq % end->nr_gens;
	int64_t a = begin->nr_pages[index][type], b = end->nr_pages[index][type];
	bool inside = (int64_t)nr >= (a < b ? a : b) && (int64_t)nr <= (a < b ? b : a);

	v->nr_cells++;
	if (a != b)
		v->nr_cells_moving++;
	if (!inside)
		v->nr_cells_differ++;
	if (inside && !v->verbose)
		return;
	printf("%-20.20s %4d %6" PRIu64 " %-4s %10" PRIu64 " %10" PRId64, theirs->path, theirs->nid,
	       gen->seq, type_name(type), nr, b);
	if (!inside)
		printf(" %+10" PRId64, b - (int64_t)nr);
	else if (a != b)
		printf("  (%" PRId64 " to %" PRId64 " meanwhile)", a, b);
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
		const struct lruvec *begin = find(&v->after[0], t->memcg_id, t->nid);
		const struct lruvec *end = find(&v->after[1], t->memcg_id, t->nid);

		for (g = 0; g < t->nr_gens; g++) {
			if (!begin || !end || !begin->complete || !end->complete) {
				v->nr_cells_skipped += 2;
				continue;
			}
			for (type = 0; type < TYPE_NR; type++)
				compare_cell(v, t, &t->gens[g], type, begin, end);
		}
	}
	printf("%" PRIu64 " cells compared, %" PRIu64 " differ; %" PRIu64
	       " changed while the kernel was\nasked; %" PRIu64
	       " of lruvecs that existed before the recording: not known\n",
	       v->nr_cells, v->nr_cells_differ, v->nr_cells_moving, v->nr_cells_skipped);
	snapshot_release_lru_gen(&theirs);
	return 0;
}

static int compare_counters(struct verify *v, const char *before, const char *after,
			    struct diag *diag)
{
	unsigned i;

	text_heading(stdout, "Counters: pages from before to after, vmstat against events");
	printf("%-28s %12s %12s %12s\n", "vmstat", "kernel", "ours", "difference");
	for (i = 0; i < COUNTER_NR; i++) {
		uint64_t a, b, kernel, least, most;
		bool inside;
		int ret = snapshot_read_counter(before, counter_name(i), &a, diag);

		if (!ret)
			ret = snapshot_read_counter(after, counter_name(i), &b, diag);
		if (ret == -ERR_NOT_FOUND)
			continue;
		if (ret)
			return ret;
		kernel = b - a;
		least = v->after[0].counters[i] - v->before[1].counters[i];
		most = v->after[1].counters[i] - v->before[0].counters[i];
		inside = kernel >= least && kernel <= most;
		v->nr_counters++;
		v->nr_counters_differ += !inside;
		printf("%-28s %12" PRIu64 " %12" PRIu64, counter_name(i), kernel, most);
		if (!inside)
			printf(" %+12" PRId64, (int64_t)(most - kernel));
		else if (least != most)
			printf("  (from %" PRIu64 ")", least);
		putchar('\n');
	}
	printf("%" PRIu64 " counters compared, %" PRIu64 " differ\n", v->nr_counters,
	       v->nr_counters_differ);
	return 0;
}

static bool exists(const char *dir, const char *name, char *path, size_t size)
{
	struct stat st;

	snprintf(path, size, "%s/%s", dir, name);
	return !stat(path, &st);
}

static int compare(struct verify *v, const char *before, const char *after, struct diag *diag)
{
	char path[4096], base[4096];
	bool any = false;
	int ret;

	if (v->has_folios) {
		any = true;
		printf("\nlists: %" PRIu64 " with %" PRIu64
		       " folios compared in order, %" PRIu64 " differ; %" PRIu64 " not known\n",
		       v->nr_lists, v->nr_folios, v->nr_lists_differ, v->nr_lists_skipped);
	}
	if (!v->after[0].seen || !v->after[1].seen) {
		printf("\nno mark 'snapshot %s' in the recording: its end is compared\n", v->name);
	}
	if (exists(after, "lru_gen", path, sizeof(path))) {
		any = true;
		ret = compare_sizes(v, path, diag);
		if (ret)
			return ret;
	}
	if (before && exists(before, "vmstat", base, sizeof(base)) &&
	    exists(after, "vmstat", path, sizeof(path))) {
		any = true;
		if (!v->before[0].seen || !v->before[1].seen)
			printf("\nno mark 'snapshot before' in the recording: counters are not "
			       "compared\n");
		else
			ret = compare_counters(v, base, path, diag);
		if (ret)
			return ret;
	}
	if (!any)
		return diag_set(diag, ERR_NOT_FOUND,
				"%s: has none of lru_gen, lru_gen_folios, vmstat to compare with",
				after);
	return 0;
}

static void release(struct verify *v)
{
	free(v->before[0].lruvecs);
	free(v->before[1].lruvecs);
	free(v->after[0].lruvecs);
	free(v->after[1].lruvecs);
	free(v->done);
	snapshot_release_folios(&v->folios);
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

	if (exists(after, "lru_gen_folios", path, sizeof(path))) {
		if (snapshot_read_folios(&v.folios, path, &diag))
			return cmd_fail(&diag);
		v.has_folios = true;
		v.done = calloc(v.folios.nr_lruvecs, sizeof(*v.done));
		if (!v.done) {
			diag_set(&diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
			release(&v);
			return cmd_fail(&diag);
		}
	}
	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag)) {
		release(&v);
		return cmd_fail(&diag);
	}
	v.p = &p;
	p.hook_self = &v;
	p.on_event = on_event;
	p.before_end = before_end;
	ret = pipeline_run(&p, &diag);
	if (!ret)
		ret = compare(&v, before, after, &diag);
	if (!ret && v.out_of_memory)
		ret = diag_set(&diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
	if (ret) {
		status = cmd_fail(&diag);
	} else {
		putchar('\n');
		pipeline_render_caveats(&p, stdout, false);
		status = pipeline_status(&p);
		if (v.nr_cells_differ || v.nr_lists_differ || v.nr_counters_differ)
			status = STATUS_LOSSY;
		status = cmd_finish(status);
	}
	pipeline_release(&p);
	release(&v);
	return status;
}
