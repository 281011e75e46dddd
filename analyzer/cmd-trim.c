// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cmd.h"
#include "outfile.h"
#include "text.h"
#include "trim.h"

static const char help[] =
	"Usage: folioscope trim [OPTION]... -o OUT [FILE]\n"
	"Write a part of a recording as a recording, with what was known at the cut.\n"
	"\n"
	"  -o, --output OUT   the new recording (required; - is standard output)\n"
	"      --from TIME    from that time on, e.g. 1.5s or 200ms, after the first\n"
	"      --to TIME      up to that time\n"
	"      --memcg ID     only events of this cgroup (inode of its directory)\n"
	"      --pfn N[-M]    only events of folios at these page frames, rounded to\n"
	"                     blocks of 2 MiB, which no folio crosses\n"
	"      --no-state     without the state of the model at the cut\n"
	CMD_READ_HELP
	"\n"
	"trace-cmd report reads OUT as well. Exit status as of report.\n";

enum { OPT_FROM = OPT_COMMAND, OPT_TO, OPT_MEMCG, OPT_PFN, OPT_NO_STATE };

struct cut {
	struct pipeline *p;
	uint64_t from_ns, to_ns;	/* since the first event */
	struct selection filter;	/* what was asked for */
	struct selection kept;		/* what is in OUT */
	uint64_t block_pages;		/* no folio crosses blocks of so many */
	bool has_begun, has_state, no_state, is_too_small, out_of_memory;
	/* the first event in the part: its time, from which those of OUT count */
	unsigned cpu;
	uint64_t begin_ns;
	unsigned end_cpu;		/* of the last event in the part */
	uint64_t end_ns;
	char **texts;
	uint32_t nr_texts, nr_alloc;
};

static int keep_text(void *self, const char *text)
{
	struct cut *cut = self;

	if (array_grow(&cut->texts, cut->nr_texts, &cut->nr_alloc, sizeof(*cut->texts)))
		return -ERR_NOMEM;
	cut->texts[cut->nr_texts] = strdup(text);
	return cut->texts[cut->nr_texts++] ? 0 : -ERR_NOMEM;
}

static void free_texts(struct cut *cut)
{
	while (cut->nr_texts)
		free(cut->texts[--cut->nr_texts]);
}

/*
 * What is in OUT: of what is in the recording that which was asked for. Page frames
 * are rounded to whole blocks, so that the parts of a folio stay together.
 */
static void select_kept(struct cut *cut)
{
	struct selection *kept = &cut->kept;

	*kept = cut->p->selection;
	if (cut->filter.has_memcg) {
		kept->has_memcg = true;
		kept->memcg = cut->filter.memcg;
	}
	if (cut->filter.has_pfn) {
		uint64_t from = cut->filter.pfn_from & ~(cut->block_pages - 1);
		uint64_t to = cut->filter.pfn_to | (cut->block_pages - 1);

		kept->pfn_from = kept->has_pfn && kept->pfn_from > from ? kept->pfn_from : from;
		kept->pfn_to = kept->has_pfn && kept->pfn_to < to ? kept->pfn_to : to;
		kept->has_pfn = true;
	}
}

/* The first event of the part, which the model has not seen. */
static int begin_part(struct cut *cut, const struct event *ev)
{
	const struct recording_info *info = reader_info(cut->p->reader);
	unsigned max_bytes = trim_text_bytes(info->buffers[info->buffer].page_size_bytes);

	cut->cpu = ev->cpu;
	cut->begin_ns = ev->ts_ns;
	select_kept(cut);
	/* at the very beginning nothing is known */
	cut->has_state = !cut->no_state && model_stats(cut->p->model)->nr_events;
	return cut->has_state ? model_dump(cut->p->model, &cut->kept, max_bytes, keep_text, cut) :
				0;
}

/* Once all was read: of what it is a part, and up to when, behind the state. */
static int note_part(struct cut *cut)
{
	const struct pipeline *p = cut->p;
	const struct selection *of = &p->selection;
	struct selection *kept = &cut->kept;
	bool has_end = cut->to_ns < pipeline_since(p, p->last_ts_ns);
	uint64_t base_ns = of->is_part ? of->part_from_ns : 0;
	char note[SELECTION_NOTE_BYTES], *line, *rest;
	int ret = 0;

	select_kept(cut);
	if (cut->from_ns || has_end) {
		kept->part_from_ns = base_ns + pipeline_since(p, cut->begin_ns);
		kept->part_to_ns = has_end	? base_ns + cut->to_ns :
				   of->is_part ? of->part_to_ns :
						 UINT64_MAX;
		kept->is_part = true;
	}
	selection_note(kept, note);
	for (line = strtok_r(note, "\n", &rest); line && !ret; line = strtok_r(NULL, "\n", &rest))
		ret = keep_text(cut, line);
	return ret;
}

/* Called before the model has seen the event. */
static void on_event(void *self, const struct event *ev)
{
	struct cut *cut = self;

	if (cut->filter.has_pfn && ev->pfn != UINT64_MAX && ev->order <= FOLIO_MAX_ORDER &&
	    1ull << ev->order > cut->block_pages) {
		cut->block_pages = 1ull << ev->order;
		cut->is_too_small = true;
	}
	if (!cut->p->has_first || ev->kind == EV_LOST || ev->kind == EV_GAP ||
	    pipeline_since(cut->p, ev->ts_ns) < cut->from_ns)
		return;
	if (pipeline_since(cut->p, ev->ts_ns) <= cut->to_ns) {
		cut->end_cpu = ev->cpu;
		cut->end_ns = ev->ts_ns;
	}
	if (cut->has_begun)
		return;
	cut->has_begun = true;
	cut->out_of_memory = begin_part(cut, ev) != 0;
}

/* Was a folio, or a part of one, seen in the range that was asked for? */
static bool has_folio(const struct cut *cut)
{
	const struct folio_table *folios = model_folios(cut->p->model);
	const struct selection *filter = &cut->filter;
	const struct folio *f;
	uint32_t handle = 0;
	uint64_t pfn;

	while ((f = folio_table_next(folios, &handle, &pfn)))
		if (f->life && pfn <= filter->pfn_to &&
		    pfn + (1ull << f->order) > filter->pfn_from)
			return true;
	return false;
}

/* Read the recording up to its end, and keep what is known at the cut. */
static int read_cut(struct cut *cut, struct cmd_read_opts *read, struct pipeline *p)
{
	struct text_buf buf;
	struct diag diag;

	cut->p = p;
	p->hook_self = cut;
	p->on_event = on_event;
	if (pipeline_run(p, &diag))
		return cmd_fail(&diag);
	if (p->stopped) {
		diag_set(&diag, ERR_INTERRUPTED, "%s: interrupted, nothing was written",
			 read->path);
		return cmd_fail(&diag);
	}
	if (cut->out_of_memory || (cut->has_begun && note_part(cut))) {
		diag_set(&diag, ERR_NOMEM, "%s: %s", read->path, err_text(ERR_NOMEM));
		return cmd_fail(&diag);
	}
	if (!cut->has_begun) {
		fprintf(stderr, "folioscope: %s: ends at %ss, nothing is at or after --from\n",
			read->path, text_seconds(&buf, p->last_ts_ns - p->first_ts_ns));
		return STATUS_FAILED;
	}
	if (pipeline_since(p, cut->begin_ns) > cut->to_ns) {
		fprintf(stderr, "folioscope: %s: nothing is from --from to --to, the next event is at %ss\n",
			read->path, text_seconds(&buf, pipeline_since(p, cut->begin_ns)));
		return STATUS_FAILED;
	}
	if (cut->filter.has_memcg && !cmd_has_memcg(p, cut->filter.memcg))
		return STATUS_FAILED;
	if (cut->filter.has_pfn && !has_folio(cut))
		return cmd_no_pfns(p, cut->filter.pfn_from, cut->filter.pfn_to);
	return STATUS_OK;
}

static int write_part(struct cut *cut, struct outfile *out, struct cmd_read_opts *read,
		      struct pipeline *p)
{
	struct trim_opts opts = {
		.buffer = reader_info(p->reader)->buffer,
		.from_ns = p->first_ts_ns + cut->from_ns,
		.to_ns = cut->to_ns > UINT64_MAX - p->first_ts_ns ? UINT64_MAX :
								    p->first_ts_ns + cut->to_ns,
		.selection = &cut->kept,
		.state_cpu = cut->cpu,
		.state_ns = cut->begin_ns,
		.end_cpu = cut->end_cpu,
		.end_ns = cut->end_ns,
		.state = (const char *const *)cut->texts,
		.nr_state = cut->nr_texts,
	};
	FILE *report = *out->target ? stdout : stderr;
	struct trim_result result;
	struct diag diag;
	int ret;

	ret = trim_write(read->path, out->file, &opts, &result, &diag);
	if (ret) {
		outfile_abandon(out);
		outfile_name_error(out->name, ret, &diag);
		return cmd_fail(&diag);
	}
	if (!result.nr_events) {
		outfile_abandon(out);
		fprintf(stderr, "folioscope: %s: no lru_gen event of what was asked for, nothing was written\n",
			read->path);
		return STATUS_FAILED;
	}
	if (outfile_commit(out, &diag))
		return cmd_fail(&diag);
	fprintf(report, "%llu of %llu records%s%s\n", (unsigned long long)result.nr_kept,
		(unsigned long long)result.nr_read,
		cut->has_state ? ", with the state at the cut" : "",
		result.nr_gaps ? "; damaged stretches were left out" : "");
	if (cut->filter.has_memcg || cut->filter.has_pfn)
		fputs("lives that begin in them have other numbers than in the whole\n", report);
	return result.nr_gaps ? STATUS_LOSSY : pipeline_status(p);
}

static int trim(struct cut *cut, const char *name, struct cmd_read_opts *read)
{
	struct outfile out;
	struct pipeline p;
	struct diag diag;
	int status;

	/* before anything takes long */
	if (outfile_open(&out, name, &read->path, 1, OUTFILE_SEEKS, &diag))
		return cmd_fail(&diag);
	cut->block_pages = SELECTION_BLOCK_PAGES;
	do {
		free_texts(cut);
		cut->has_begun = cut->is_too_small = false;
		if (pipeline_open(&p, read->path, &read->pipeline, &diag)) {
			outfile_abandon(&out);
			return cmd_fail(&diag);
		}
		status = read_cut(cut, read, &p);
		if (status == STATUS_OK && !cut->is_too_small)
			status = write_part(cut, &out, read, &p);
		else if (status != STATUS_OK)
			outfile_abandon(&out);
		pipeline_release(&p);
	} while (status == STATUS_OK && cut->is_too_small);
	return status;
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
	const char *out = NULL;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "o:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case 'o':
			ret = cmd_output("trim", optarg, &out);
			if (ret)
				return ret;
			break;
		case OPT_FROM:
		case OPT_TO:
			if (!cmd_duration(optarg, opt == OPT_FROM ? &cut.from_ns : &cut.to_ns))
				return cmd_usage_error("trim", "'%s' is no time such as 1.5s or 200ms",
						       optarg);
			break;
		case OPT_MEMCG:
			cut.filter.has_memcg = true;
			ret = cmd_memcg("trim", optarg, &cut.filter.memcg);
			if (ret)
				return ret;
			break;
		case OPT_PFN:
			cut.filter.has_pfn = true;
			ret = cmd_pfn_range("trim", optarg, &cut.filter.pfn_from, &cut.filter.pfn_to);
			if (ret)
				return ret;
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
	ret = cmd_binary("trim", out);
	if (ret)
		return ret;
	if (cut.to_ns < cut.from_ns)
		return cmd_usage_error("trim", "--to is before --from");
	status = trim(&cut, out, &opts);
	free_texts(&cut);
	free(cut.texts);
	return cmd_finish(status);
}
