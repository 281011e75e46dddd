// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "text.h"
#include "trim.h"

static const char help[] =
	"Usage: folioscope trim [OPTION]... -o OUT [FILE]\n"
	"Write a part of a recording as a recording, with what was known at the cut.\n"
	"\n"
	"  -o, --output OUT   the new recording (required)\n"
	"      --from TIME    from that time on, e.g. 1.5s or 200ms, after the first\n"
	"      --to TIME      up to that time\n"
	"      --memcg ID     only events of this cgroup (inode of its directory)\n"
	"      --pfn N[-M]    only events of folios at these page frames\n"
	"      --no-state     without the state of the model at the cut\n"
	CMD_READ_HELP
	"\n"
	"trace-cmd report reads OUT as well. Exit status as of report.\n";

enum { OPT_FROM = OPT_COMMAND, OPT_TO, OPT_MEMCG, OPT_PFN, OPT_NO_STATE };

struct cut {
	struct pipeline *p;
	uint64_t from_ns, to_ns;	/* since the first event */
	bool has_begun, no_state, out_of_memory;
	unsigned cpu;			/* of the first event in the part */
	char **state;
	uint64_t nr_state, nr_alloc;
};

static int keep_text(void *self, const char *text)
{
	struct cut *cut = self;

	if (cut->nr_state == cut->nr_alloc) {
		uint64_t nr_alloc = cut->nr_alloc ? cut->nr_alloc * 2 : 64;
		char **state = realloc(cut->state, nr_alloc * sizeof(*state));

		if (!state)
			return -ERR_NOMEM;
		cut->state = state;
		cut->nr_alloc = nr_alloc;
	}
	cut->state[cut->nr_state] = strdup(text);
	return cut->state[cut->nr_state++] ? 0 : -ERR_NOMEM;
}

/* What the recording leaves out is left out of its parts as well, and other cgroups. */
static int keep_selection(struct cut *cut, const struct trim_opts *opts)
{
	struct selection selection = cut->p->selection;
	char buf[SELECTION_NOTE_BYTES];
	const char *note;
	unsigned i;
	int ret = 0;

	if (opts->has_memcg) {
		selection.has_memcg = true;
		selection.memcg = opts->memcg;
	}
	for (i = 0; !ret && (note = selection_note(&selection, i, buf)); i++)
		ret = keep_text(cut, note);
	return ret;
}

/* Called before the model has seen the event. */
static void on_event(void *self, const struct event *ev)
{
	struct cut *cut = self;

	if (cut->has_begun || !cut->p->has_first || ev->kind == EV_LOST || ev->kind == EV_GAP ||
	    pipeline_since(cut->p, ev->ts_ns) < cut->from_ns)
		return;
	cut->has_begun = true;
	cut->cpu = ev->cpu;
	/* at the very beginning nothing is known */
	if (!cut->no_state && model_stats(cut->p->model)->nr_events &&
	    model_dump(cut->p->model, keep_text, cut))
		cut->out_of_memory = true;
}

static int trim(struct cut *cut, struct trim_opts *opts, const char *out, struct cmd_read_opts *read,
		struct pipeline *p)
{
	struct trim_result result;
	struct text_buf buf;
	struct diag diag;
	bool has_state;
	int status;

	cut->p = p;
	p->hook_self = cut;
	p->on_event = on_event;
	if (pipeline_run(p, &diag))
		return cmd_fail(&diag);
	if (p->stopped)
		return STATUS_FAILED;
	has_state = cut->nr_state;
	if (keep_selection(cut, opts) || cut->out_of_memory) {
		diag_set(&diag, ERR_NOMEM, "%s: %s", read->path, err_text(ERR_NOMEM));
		return cmd_fail(&diag);
	}
	if (!cut->has_begun) {
		fprintf(stderr, "folioscope: %s: ends at %ss, nothing is at or after --from\n", read->path,
			text_seconds(&buf, p->last_ts_ns - p->first_ts_ns));
		return STATUS_FAILED;
	}
	if (opts->has_memcg && !cmd_has_memcg(p, opts->memcg))
		return STATUS_FAILED;
	opts->buffer = reader_info(p->reader)->buffer;
	opts->from_ns = p->first_ts_ns + cut->from_ns;
	opts->to_ns = cut->to_ns > UINT64_MAX - p->first_ts_ns ? UINT64_MAX : p->first_ts_ns + cut->to_ns;
	opts->state_cpu = cut->cpu;
	opts->state = (const char *const *)cut->state;
	opts->nr_state = cut->nr_state;
	if (trim_write(read->path, out, opts, &result, &diag)) {
		status = cmd_fail(&diag);
		unlink(out);
		return status;
	}
	printf("%llu of %llu records%s%s\n", (unsigned long long)result.nr_kept,
	       (unsigned long long)result.nr_read,
	       has_state ? ", with the state at the cut" : "",
	       result.nr_gaps ? "; damaged stretches were left out" : "");
	return result.nr_gaps ? STATUS_LOSSY : pipeline_status(p);
}

static bool parse_pfns(char *text, struct trim_opts *opts)
{
	char *dash = strchr(text, '-');

	opts->has_pfn = true;
	if (dash)
		*dash = '\0';
	if (!cmd_number(text, &opts->pfn_from))
		return false;
	opts->pfn_to = opts->pfn_from;
	return !dash || (cmd_number(dash + 1, &opts->pfn_to) && opts->pfn_to >= opts->pfn_from);
}

int cmd_trim(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "output", required_argument, NULL, 'o' },
		{ "from", required_argument, NULL, OPT_FROM },
		{ "to", required_argument, NULL, OPT_TO },
		{ "memcg", required_argument, NULL, OPT_MEMCG },
		{ "pfn", required_argument, NULL, OPT_PFN },
		{ "no-state", no_argument, NULL, OPT_NO_STATE },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat", .pipeline.no_analyses = true };
	struct cut cut = { .to_ns = UINT64_MAX };
	struct trim_opts trim_opts = { 0 };
	const char *out = NULL;
	struct pipeline p;
	struct diag diag;
	uint64_t i;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "o:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case 'o':
			out = optarg;
			break;
		case OPT_FROM:
		case OPT_TO:
			if (!cmd_duration(optarg, opt == OPT_FROM ? &cut.from_ns : &cut.to_ns))
				return cmd_usage_error("trim", "'%s' is no time such as 1.5s or 200ms",
						       optarg);
			break;
		case OPT_MEMCG:
			trim_opts.has_memcg = true;
			if (!cmd_number(optarg, &trim_opts.memcg))
				return cmd_usage_error("trim", "--memcg takes a number, not '%s'", optarg);
			break;
		case OPT_PFN:
			if (!parse_pfns(optarg, &trim_opts))
				return cmd_usage_error("trim", "--pfn takes N or N-M");
			break;
		case OPT_NO_STATE:
			cut.no_state = true;
			break;
		default:
			ret = cmd_read_option(&opts, "trim", opt);
			if (ret)
				return ret;
		}
	}
	ret = cmd_one_recording("trim", argc, argv, &opts);
	if (ret)
		return ret;
	if (!out)
		return cmd_usage_error("trim", "where to? -o OUT");
	if (cut.to_ns < cut.from_ns)
		return cmd_usage_error("trim", "--to is before --from");
	if (!strcmp(out, opts.path))
		return cmd_usage_error("trim", "OUT must be another file");

	if (pipeline_open(&p, opts.path, &opts.pipeline, &diag))
		return cmd_fail(&diag);
	status = trim(&cut, &trim_opts, out, &opts, &p);
	pipeline_release(&p);
	for (i = 0; i < cut.nr_state; i++)
		free(cut.state[i]);
	free(cut.state);
	return cmd_finish(status);
}
