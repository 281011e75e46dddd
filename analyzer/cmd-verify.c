// SPDX-License-Identifier: GPL-2.0-only
/* The model against the kernel's own numbers. */
#define _GNU_SOURCE	/* memmem(), asprintf() */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "abi.h"
#include "cmd.h"
#include "text.h"
#include "verify.h"

static const char help[] =
	"Usage: folioscope verify [OPTION]... [FILE [SNAPSHOT]...]\n"
	"Compare the rebuilt lists and counters with the kernel's own numbers, and\n"
	"say where they part.\n"
	"\n"
	"SNAPSHOT is a folder with what the kernel said at some time of the\n"
	"recording: lru_gen (sizes), lru_gen_folios (lists, with the oracle series),\n"
	"vmstat, memory.stat with memcgs; several in the order of time. Its name is\n"
	"that of its marks, 'snapshot NAME begin' and '... end'; without marks, it\n"
	"is of the end.\n"
	"Without SNAPSHOT, those that folioscope record put into the recording.\n"
	"After -i all arguments are SNAPSHOTs.\n"
	"\n"
	"      --before DIR   the same at the beginning, for the counters\n"
	"      --snapshot NAME  the only SNAPSHOT has the marks of this name\n"
	"  -v, --verbose      print also what agrees\n"
	CMD_READ_HELP
	"\n"
	"Exit status: 3 if anything differs without a reason, else as of report.\n";

enum { OPT_BEFORE = OPT_COMMAND, OPT_SNAPSHOT };

static const char *const file_names[] = {
#define X(name, text) text,
	VERIFY_FILE_LIST(X)
#undef X
};

static void render_unjudged(const struct verify *v)
{
	const struct selection *s = &v->p->selection;

	if (selection_is_whole(s))
		return;
	printf("\nnot judged, for only %s was recorded: %" PRIu64 " cells, lists\nand counters\n",
	       s->sample ? "a sample" : "a selection", v->nr_unjudged);
}

/*
 * hooks
 */

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
	if (has_mark(ev, name, "begin")) {
		verify_counters_take(v, &span->begin);
		span->begin_ns = ev->ts_ns;
	}
	if (has_mark(ev, name, "end")) {
		verify_counters_take(v, &span->end);
		span->end_ns = ev->ts_ns;
	}
}

static void on_marker(struct verify *v, struct verify_moment *m, const struct event *ev)
{
	char stats[sizeof(m->name) + 8];

	if (has_mark(ev, m->name, "begin")) {
		verify_sizes_begin(v, m);
		m->begun = true;
		m->ended = false;
		v->open = m;
	}
	if (has_mark(ev, m->name, "end")) {
		m->ended = m->begun;
		v->open = NULL;
	}
	take_counters(v, &m->vmstat, ev, m->name);
	snprintf(stats, sizeof(stats), "%s-stats", m->name);
	take_counters(v, &m->stats, ev, stats);
}

static void on_event(void *self, const struct event *ev)
{
	struct verify *v = self;
	unsigned i;

	verify_lists_event(v, ev);
	verify_counters_event(v, ev);
	for (i = 0; i < v->nr_moments && ev->kind == EV_MARKER; i++)
		on_marker(v, &v->moments[i], ev);
}

static void after_event(void *self, const struct event *ev)
{
	struct verify *v = self;

	if (v->open)
		verify_sizes_event(v, v->open, ev);
}

/* Without marks, the end of the recording stands for the last snapshot. */
static void before_end(void *self)
{
	struct verify *v = self;
	struct verify_moment *m = &v->moments[v->nr_moments - 1];

	if (m->ended)
		return;
	m->is_outside = verify_is_cut(v);
	if (m->is_outside)
		return;
	verify_sizes_begin(v, m);
	verify_counters_take(v, &m->vmstat.begin);
	verify_counters_take(v, &m->vmstat.end);
	m->vmstat.begin_ns = m->vmstat.end_ns = v->p->last_ts_ns;
	m->begun = false;
}

/*
 * moments
 */

static int no_memory(const struct verify *v, struct diag *diag)
{
	return diag_set(diag, ERR_NOMEM, "%s: %s", v->path, err_text(ERR_NOMEM));
}

static struct verify_moment *add_moment(struct verify *v, const char *name, int len)
{
	struct verify_moment *m = &v->moments[v->nr_moments++];

	snprintf(m->name, sizeof(m->name), "%.*s", len, name);
	return m;
}

/* A folder; @name NULL: of the folder. */
static int add_folder(struct verify *v, const char *dir, const char *name, struct diag *diag)
{
	struct verify_moment *m;
	struct stat st;
	unsigned i, nr = 0;
	int len = strlen(dir);
	const char *last;

	if (stat(dir, &st))
		return errno == ENOENT ?
			       diag_set(diag, ERR_NO_FILE, "%s: no such folder", dir) :
			       diag_set(diag, ERR_NO_ACCESS, "%s: cannot be opened: %s", dir,
					strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return diag_set(diag, ERR_NO_ACCESS, "%s: is not a folder with the kernel's numbers",
				dir);
	while (len > 1 && dir[len - 1] == '/')
		len--;
	last = memrchr(dir, '/', len);
	last = last ? last + 1 : dir;
	m = add_moment(v, name ? name : last, name ? (int)strlen(name) : (int)(dir + len - last));
	for (i = 0; i < VERIFY_NR_FILES; i++) {
		if (asprintf(&m->paths[i], "%s/%s", dir, file_names[i]) < 0) {
			m->paths[i] = NULL;
			return no_memory(v, diag);
		}
		if (stat(m->paths[i], &st)) {
			if (errno == ENOENT)
				continue;
			return diag_set(diag, ERR_NO_ACCESS, "%s: cannot be opened: %s", m->paths[i],
					strerror(errno));
		}
		if (!S_ISREG(st.st_mode))
			return diag_set(diag, ERR_NOT_REGULAR,
					"%s: is not a regular file, which it has to be", m->paths[i]);
		m->files[i].name = m->paths[i];
		nr++;
	}
	if (!nr)
		return diag_set(diag, ERR_NOT_FOUND,
				"%s: has none of lru_gen, lru_gen_folios, vmstat to compare with",
				dir);
	return 0;
}

/* What folioscope record copied into the recording, at both ends. */
static int add_recorded(struct verify *v, const struct cmd_read_opts *opts, struct diag *diag)
{
	static const char *const names[] = { "before", "after" };
	unsigned i, k, nr = 0;
	int ret = marks_read(&v->marks, v->path, &opts->pipeline.reader, diag);

	if (ret)
		return ret;
	for (i = 0; i < 2; i++) {
		struct verify_moment *m = add_moment(v, names[i], strlen(names[i]));

		for (k = 0; k < VERIFY_NR_FILES; k++) {
			char name[128];
			const struct marks_text *text;

			snprintf(name, sizeof(name), "%s/%s", m->name, file_names[k]);
			text = marks_find(&v->marks, name);
			if (!text)
				continue;
			if (!text->is_whole) {
				printf("%s is not used: %s\n", name, text->reason);
				continue;
			}
			if (asprintf(&m->paths[k], "%s: %s", v->path, name) < 0) {
				m->paths[k] = NULL;
				return no_memory(v, diag);
			}
			m->files[k] =
				(struct snapshot_file){ m->paths[k], text->bytes, text->size };
			nr++;
		}
	}
	if (!nr)
		return diag_set(diag, ERR_NOT_FOUND,
				"%s: no numbers of the kernel in it, as folioscope record puts there; "
				"name a folder that has them", v->path);
	return 0;
}

/*
 * the comparison
 */

static int compare_sizes(struct verify *v, struct diag *diag)
{
	unsigned i, nr = 0;
	int ret;

	for (i = v->has_before; i < v->nr_moments; i++) {
		if (!v->moments[i].files[VERIFY_LRU_GEN].name || v->moments[i].is_outside)
			continue;
		if (!nr++) {
			text_heading(stdout,
				     "Sizes: pages per generation, kernel's lru_gen against ours");
			v->columns = "memcg                node    seq type     kernel       ours "
				     "difference";
		}
		ret = verify_sizes(v, i, diag);
		if (ret)
			return ret;
	}
	if (nr)
		printf("%" PRIu64 " cells compared, %" PRIu64 " differ; %" PRIu64
		       " changed while the kernel was\nasked; %" PRIu64
		       " of lruvecs that existed before the recording: not known\n",
		       v->nr_cells, v->nr_cells_differ, v->nr_cells_moving, v->nr_cells_skipped);
	return 0;
}

/* Returns 0, 1 if anything differs without a reason, or a negative enum err. */
static int compare(struct verify *v, struct diag *diag)
{
	unsigned i;
	int ret;

	verify_lists_finish(v);
	for (i = v->has_before; i < v->nr_moments; i++) {
		const struct verify_moment *m = &v->moments[i];

		/* lists have an event of their own */
		if (m->ended || !(m->files[VERIFY_LRU_GEN].name || m->files[VERIFY_VMSTAT].name))
			continue;
		if (m->is_outside) {
			printf("\n%s is not compared: no mark 'snapshot %s', and what was read is not the\n"
			       "whole recording: it ends before\n", m->name, m->name);
			continue;
		}
		if (i < v->nr_moments - 1)
			return diag_set(diag, ERR_NOT_FOUND,
					"%s: no mark 'snapshot %s': when was it "
					"taken?",
					v->path, m->name);
		printf("\nno mark 'snapshot %s' in the recording: its end is compared\n", m->name);
	}
	ret = compare_sizes(v, diag);
	for (i = 0; i < v->nr_moments && !v->has_before; i++)
		if (v->moments[i].files[VERIFY_VMSTAT].name)
			printf("\n%s of %s is not compared: without --before it is not known by how\n"
			       "much it grew\n", file_names[VERIFY_VMSTAT], v->moments[i].name);
	for (i = 1; i < v->nr_moments && v->has_before && !ret; i++)
		if (!v->moments[i].is_outside)
			ret = verify_counters(v, i, diag);
	if (ret)
		return ret;
	if (v->out_of_memory)
		return no_memory(v, diag);
	render_unjudged(v);
	if (!v->nr_lists && !v->nr_cells && !v->nr_counters && !v->nr_unmatched)
		return diag_set(diag, ERR_NOT_FOUND, "%s: %s", v->path,
				v->nr_unjudged ? "nothing in it can be judged" :
						 "nothing could be compared");
	return v->nr_cells_differ || v->nr_counters_differ || v->nr_lists_differ ||
	       v->nr_gens_differ || v->nr_unmatched;
}

static int run(struct verify *v, const struct cmd_read_opts *opts)
{
	struct pipeline p;
	struct diag diag;
	int ret, status;

	v->p = &p;
	ret = pipeline_open(&p, v->path, &opts->pipeline, &diag);
	if (ret)
		return cmd_fail(&diag);
	p.hook_self = v;
	p.on_event = on_event;
	p.after_event = after_event;
	p.before_end = before_end;
	ret = pipeline_run(&p, &diag);
	if (!ret)
		ret = compare(v, &diag);
	status = pipeline_status(&p);
	if (ret > 0) {
		status = STATUS_LOSSY;
		ret = verify_locate(v, &opts->pipeline, &diag);
	}
	if (ret < 0) {
		status = cmd_fail(&diag);
	} else {
		verify_render_partings(v);
		putchar('\n');
		pipeline_render_caveats(&p, stdout, false);
	}
	pipeline_release(&p);
	return status;
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
	const char *before = NULL, *name = NULL;
	struct verify v = { 0 };
	struct diag diag;
	int opt, i, ret = 0, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "v", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case OPT_BEFORE:
			before = optarg;
			break;
		case OPT_SNAPSHOT:
			name = optarg;
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
	if (optind < argc && !opts.has_input)
		opts.path = argv[optind++];
	if (name && argc - optind != 1)
		return cmd_usage_error("verify", "--snapshot is for one folder");
	if (before && optind == argc)
		return cmd_usage_error("verify", "which folder has the kernel's numbers of later?");
	v.path = opts.path;
	v.moments = calloc(argc - optind + 3, sizeof(*v.moments));
	if (!v.moments) {
		no_memory(&v, &diag);
		return cmd_fail(&diag);
	}
	v.has_before = before || optind == argc;
	if (before)
		ret = add_folder(&v, before, "before", &diag);
	for (i = optind; i < argc && !ret; i++)
		ret = add_folder(&v, argv[i], name, &diag);
	if (!ret && optind == argc)
		ret = add_recorded(&v, &opts, &diag);
	for (i = 0; i < (int)v.nr_moments && !ret; i++)
		if (v.moments[i].files[VERIFY_FOLIOS].name)
			ret = verify_lists_read(&v, &v.moments[i], &diag);
	status = ret ? cmd_fail(&diag) : run(&v, &opts);
	verify_release(&v);
	return cmd_finish(status);
}
