// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rebuilt lists at a moment, in the form of the kernel's lru_gen_folios.
 *
 * With --like, each lruvec is shown at the moment at which the kernel copied it
 * (mm_lru_gen_state with state "snapshot"), so that the two files are equal if
 * the lists are.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "lists.h"
#include "snapshot.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope lists [OPTION]... [FILE]\n"
	"Print the generation lists, oldest folio first, in the form of the kernel's\n"
	"lru_gen_folios (of the oracle series), so that diff can judge.\n"
	"\n"
	"      --at TIME      as they were TIME after the first event, with unit ns,\n"
	"                     us, ms or s (default: at the end)\n"
	"      --memcg ID     of this memcg only (cgroup id)\n"
	"      --like FILE    what FILE, saved from lru_gen_folios, has, at the\n"
	"                     moment at which the kernel took it\n"
	CMD_READ_HELP
	"\n"
	"A lruvec older than the recording is marked as not complete. Exit status as\n"
	"of report.\n";

enum { OPT_AT = OPT_COMMAND, OPT_MEMCG, OPT_LIKE };

struct lists {
	struct pipeline *p;
	bool has_at, has_memcg;
	uint64_t at_ns;			/* since the first event */
	uint64_t memcg;
	bool done;			/* with --at: printed */
	bool is_empty;			/* nothing was there to print */
	const char *like;
	struct snapshot_folios folios;	/* of @like */
	char **texts;			/* per lruvec of it, NULL: not met */
	bool out_of_memory;
};

static int compare_lruvecs(const void *a, const void *b)
{
	const struct lruvec *x = *(const struct lruvec *const *)a;
	const struct lruvec *y = *(const struct lruvec *const *)b;

	if (x->memcg != y->memcg)
		return x->memcg < y->memcg ? -1 : 1;
	return x->nid - y->nid;
}

/* All lruvecs, as they are now. */
static void print_now(struct lists *l, uint64_t ts_ns)
{
	const struct model *m = l->p->model;
	uint32_t nr = model_nr_lruvecs(m), i;
	struct lruvec **sorted = malloc((nr ? nr : 1) * sizeof(*sorted));
	const struct lruvec *previous = NULL;

	l->done = true;
	if (!sorted) {
		l->out_of_memory = true;
		return;
	}
	for (i = 0; i < nr; i++)
		sorted[i] = model_lruvec(m, i);
	qsort(sorted, nr, sizeof(*sorted), compare_lruvecs);
	for (i = 0; i < nr; i++) {
		const struct lruvec *lv = sorted[i];

		if (lv->released || (l->has_memcg && lv->memcg != l->memcg))
			continue;
		if (!previous || previous->memcg != lv->memcg)
			lists_render_memcg(stdout, lv->memcg, "");
		lists_render_lruvec(stdout, m, lv, lv->nid, ts_ns);
		previous = lv;
	}
	free(sorted);
	l->is_empty = !previous;
}

/* One lruvec, for later. */
static void keep(struct lists *l, const struct event *ev)
{
	int at = snapshot_find_moment(&l->folios, ev->memcg, ev->nid, ev->ts_ns);
	size_t size;
	FILE *out;

	if (at < 0 || l->texts[at])
		return;
	out = open_memstream(&l->texts[at], &size);
	if (!out) {
		l->out_of_memory = true;
		return;
	}
	lists_render_lruvec(out, l->p->model, model_find_lruvec(l->p->model, ev->memcg, ev->nid),
			    ev->nid, l->folios.lruvecs[at].mono_ns);
	if (fclose(out))
		l->out_of_memory = true;
}

static void on_event(void *self, const struct event *ev)
{
	struct lists *l = self;

	if (l->like) {
		if (ev->kind == EV_STATE && ev->u.lruvec.state == STATE_SNAPSHOT)
			keep(l, ev);
	} else if (l->has_at && !l->done && ev->ts_ns > l->p->first_ts_ns + l->at_ns) {
		print_now(l, l->p->first_ts_ns + l->at_ns);
	}
}

static void before_end(void *self)
{
	struct lists *l = self;

	if (l->has_at) {
		/* no event comes after the last moment, which is of the file all the same */
		if (!l->done && !l->p->stopped && l->p->last_ts_ns - l->p->first_ts_ns == l->at_ns)
			print_now(l, l->p->last_ts_ns);
		return;
	}
	if (l->like)
		return;
	if (l->p->stopped)
		printf("# PARTIAL: interrupted, the rest of the file was not read\n");
	print_now(l, l->p->last_ts_ns);
}

/* With --like: in the order of the file. Returns the exit status. */
static int print_like(struct lists *l)
{
	unsigned i, nr_missing = 0;
	uint64_t memcg = 0;

	for (i = 0; i < l->folios.nr_lruvecs; i++) {
		const struct snapshot_moment *moment = &l->folios.lruvecs[i];

		if (l->has_memcg && moment->memcg != l->memcg)
			continue;
		if (!i || moment->memcg != memcg)
			lists_render_memcg(stdout, moment->memcg, moment->path);
		memcg = moment->memcg;
		if (l->texts[i])
			fputs(l->texts[i], stdout);
		nr_missing += !l->texts[i];
	}
	if (!nr_missing)
		return STATUS_OK;
	if (l->p->stopped) {
		fprintf(stderr, "folioscope: %s: interrupted before %u lruvecs of %s\n", l->p->path,
			nr_missing, l->like);
		return STATUS_FAILED;
	}
	fprintf(stderr,
		"folioscope: %u lruvecs of %s have no event 'state=snapshot' at their time\n"
		"in %s: is it of this recording, with clock mono?\n",
		nr_missing, l->like, l->p->path);
	return STATUS_FAILED;
}

static void release(struct lists *l)
{
	unsigned i;

	for (i = 0; l->texts && i < l->folios.nr_lruvecs; i++)
		free(l->texts[i]);
	free(l->texts);
	snapshot_release_folios(&l->folios);
}

static int run(struct lists *l, struct pipeline *p)
{
	struct text_buf buf;
	struct diag diag;
	int status;

	l->p = p;
	p->hook_self = l;
	p->on_event = on_event;
	p->before_end = before_end;
	if (pipeline_run(p, &diag))
		return cmd_fail(&diag);
	if (l->out_of_memory) {
		diag_set(&diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
		return cmd_fail(&diag);
	}
	if (l->has_memcg && !cmd_has_memcg(p, l->memcg))
		return cmd_finish(STATUS_FAILED);
	status = l->like ? print_like(l) : STATUS_OK;
	if (l->has_memcg && l->is_empty) {
		fprintf(stderr,
			"folioscope: %s: memcg %" PRIu64 " has no lists then: not made yet, or "
			"removed\n",
			p->path, l->memcg);
		status = STATUS_FAILED;
	}
	if (l->has_at && !l->done) {
		fprintf(stderr, "folioscope: %s %s %ss after its first event\n", p->path,
			p->stopped ? "was read, until it was interrupted, to" : "ends",
			text_seconds(&buf, pipeline_since(p, p->last_ts_ns)));
		status = STATUS_FAILED;
	}
	selection_render(&p->selection, stderr);
	return cmd_finish(status ? status : (int)pipeline_status(p));
}

int cmd_lists(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "at", required_argument, NULL, OPT_AT },
		{ "memcg", required_argument, NULL, OPT_MEMCG },
		{ "like", required_argument, NULL, OPT_LIKE },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat", .pipeline.no_analyses = true };
	struct lists l = { 0 };
	struct pipeline p;
	struct diag diag;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT, options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case OPT_AT:
			if (!cmd_duration(optarg, &l.at_ns))
				return cmd_usage_error("lists", "--at takes a time, not '%s'",
						       optarg);
			l.has_at = true;
			break;
		case OPT_MEMCG:
			ret = cmd_memcg("lists", optarg, &l.memcg);
			if (ret)
				return ret;
			l.has_memcg = true;
			break;
		case OPT_LIKE:
			l.like = optarg;
			break;
		default:
			ret = cmd_read_option(&opts, "lists", opt);
			if (ret)
				return ret;
		}
	}
	ret = cmd_one_recording("lists", argc, argv, &opts);
	if (ret)
		return ret;
	if (l.like && l.has_at)
		return cmd_usage_error("lists", "--like has its own time, without --at");
	if (l.like) {
		if (snapshot_read_folios(&l.folios, &(struct snapshot_file){ .name = l.like },
					 &diag))
			return cmd_fail(&diag);
		l.texts = calloc(l.folios.nr_lruvecs, sizeof(*l.texts));
		if (!l.texts) {
			snapshot_release_folios(&l.folios);
			diag_set(&diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
			return cmd_fail(&diag);
		}
	}
	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag)) {
		status = cmd_fail(&diag);
	} else {
		status = run(&l, &p);
		pipeline_release(&p);
	}
	release(&l);
	return status;
}
