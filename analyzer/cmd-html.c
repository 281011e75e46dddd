// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "html.h"
#include "outfile.h"
#include "results.h"

static const char help[] =
	"Usage: folioscope html [OPTION]... [FILE] [--with PATCH]\n"
	"One page with the pictures and numbers of a recording, or of two, overlaid.\n"
	"\n"
	"  -o, --output OUT   write it there (default report.html, - for stdout)\n"
	"      --with FILE    a recording of the patched kernel, laid over the first\n"
	"      --folios N     tell stories of N page frames (default 48, most 256)\n"
	"      --pfn N        include this page frame; again for more\n"
	CMD_READ_HELP
	"\n"
	"The page needs no network and no other file. Exit status as of report.\n";

enum { OPT_WITH = OPT_COMMAND, OPT_FOLIOS, OPT_PFN };

struct html_page {
	const char *out;
	unsigned nr_folios;
	unsigned nr_sides;
	struct html_side *sides[HTML_MAX_SIDES];
	struct chosen asked;		/* --pfn */
};

static void first_change(void *self, const struct change *c)
{
	chosen_change(&((struct html_side *)self)->chosen, c);
}

static int second_pass(struct html_side *side, const struct pipeline_opts *opts, struct diag *diag)
{
	struct pipeline_opts second = *opts;
	int ret;

	second.no_analyses = true;
	ret = pipeline_open(&side->second, side->path, &second, diag);
	if (ret)
		return ret;
	side->second.hook_self = side;
	side->second.on_change = html_note;
	if (side->is_light)
		side->second.wants_event = html_wants_event;
	ret = pipeline_run(&side->second, diag);
	/* the stories are then not complete */
	side->pipeline.stopped |= side->second.stopped;
	pipeline_release(&side->second);
	return ret;
}

/* Both passes; the first pipeline stays open, the pictures are its. */
static int read_side(struct html_side *side, const struct pipeline_opts *opts, unsigned nr_folios,
		     struct diag *diag)
{
	struct pipeline *p = &side->pipeline;
	FILE *caveats;
	int ret;

	ret = pipeline_open(p, side->path, opts, diag);
	if (ret)
		return ret;
	p->hook_self = side;
	p->on_change = first_change;
	ret = pipeline_run(p, diag);
	if (ret)
		goto fail;
	side->first_ts_ns = p->first_ts_ns;
	side->duration_ns = p->last_ts_ns > p->first_ts_ns ? p->last_ts_ns - p->first_ts_ns : 1;
	side->pictures = *pictures_results(pipeline_self(p, &analysis_pictures));
	chosen_finish(&side->chosen, p, nr_folios > side->chosen.nr ? nr_folios : side->chosen.nr);
	for (unsigned i = 0; i < side->chosen.nr; i++)
		side->stories[i] = (struct html_story){ .pfn = side->chosen.pfns[i], .gen = -1 };
	side->is_light = model_stats(p->model)->nr_events > HTML_LIGHT_EVENTS;
	if (!p->stopped)
		ret = second_pass(side, opts, diag);
	if (ret)
		goto fail;
	side->status = pipeline_status(p);
	results_tables(p, &side->tables, NULL);
	caveats = open_memstream(&side->caveats, &side->caveats_bytes);
	if (!caveats || side->out_of_memory || side->tables.out_of_memory)
		goto no_memory;
	pipeline_render_caveats(p, caveats, true);
	fclose(caveats);
	return 0;

no_memory:
	ret = diag_set(diag, ERR_NOMEM, "%s: %s", side->path, err_text(ERR_NOMEM));
fail:
	pipeline_release(p);
	return ret;
}

static void free_sides(struct html_page *page)
{
	unsigned i, k;

	for (i = 0; i < HTML_MAX_SIDES; i++) {
		struct html_side *side = page->sides[i];

		if (!side)
			continue;
		for (k = 0; k < CHOSEN_MAX; k++)
			free(side->stories[k].moments);
		tables_release(&side->tables);
		free(side->caveats);
		free(side);
	}
}

/* Page frames that were asked for must be in one recording at least. */
static int check_pfns(const struct html_page *page)
{
	int status = STATUS_OK;
	unsigned i, k, nr_found;

	for (i = 0; i < page->asked.nr; i++) {
		uint64_t pfn = page->asked.pfns[i];

		nr_found = 0;
		for (k = 0; k < page->nr_sides; k++)
			nr_found += page->sides[k]->pipeline.stopped ||
				    cmd_has_pfn(&page->sides[k]->pipeline, pfn);
		for (k = 0; k < page->nr_sides && !nr_found; k++)
			status = cmd_no_pfn(&page->sides[k]->pipeline, pfn);
	}
	return status;
}

/*
 * Read all sides and write the page; *@nr_read pipelines are open then. Returns
 * the exit status, with the error printed.
 */
static int write_page(struct html_page *page, const struct pipeline_opts *opts, FILE *out,
		      unsigned *nr_read)
{
	struct diag diag;
	int ret, status;

	for (*nr_read = 0; *nr_read < page->nr_sides; ++*nr_read)
		if (read_side(page->sides[*nr_read], opts, page->nr_folios, &diag))
			return cmd_fail(&diag);
	status = check_pfns(page);
	if (status)
		return status;
	ret = html_write(out, page->sides, page->nr_sides);
	if (!ret)
		return STATUS_OK;
	diag_set(&diag, -ret, "%s: %s", page->out, err_text(ret));
	return cmd_fail(&diag);
}

static int run(struct html_page *page, const struct pipeline_opts *opts)
{
	const char *inputs[HTML_MAX_SIDES];
	unsigned i, nr_read;
	struct outfile out;
	struct diag diag;
	bool is_written;
	int status;

	for (i = 0; i < page->nr_sides; i++)
		inputs[i] = page->sides[i]->path;
	/* before anything takes long */
	if (outfile_open(&out, page->out, inputs, page->nr_sides, 0, &diag))
		return cmd_fail(&diag);
	status = write_page(page, opts, out.file, &nr_read);
	if (status)
		outfile_abandon(&out);
	else if (outfile_commit(&out, &diag))
		status = cmd_fail(&diag);
	is_written = status == STATUS_OK;
	for (i = 0; i < nr_read; i++) {
		if (is_written)
			pipeline_render_caveats(&page->sides[i]->pipeline, stderr, true);
		if (status == STATUS_OK)
			status = page->sides[i]->status;
		pipeline_release(&page->sides[i]->pipeline);
	}
	return status;
}

int cmd_html(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "output", required_argument, NULL, 'o' },
		{ "with", required_argument, NULL, OPT_WITH },
		{ "folios", required_argument, NULL, OPT_FOLIOS },
		{ "pfn", required_argument, NULL, OPT_PFN },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat" };
	struct html_page page = { .out = "report.html", .nr_folios = 48, .nr_sides = 1 };
	uint64_t value;
	unsigned i;
	int opt, status = 0;

	for (i = 0; i < HTML_MAX_SIDES; i++) {
		page.sides[i] = calloc(1, sizeof(*page.sides[i]));
		if (!page.sides[i]) {
			fprintf(stderr, "folioscope: %s\n", err_text(ERR_NOMEM));
			status = STATUS_FAILED;
			goto out;
		}
		page.sides[i]->name = "";
	}
	while (!status &&
	       (opt = getopt_long(argc, argv, CMD_READ_SHORT "o:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			status = cmd_finish(STATUS_OK);
			goto out;
		case 'o':
			status = cmd_output("html", optarg, &page.out);
			break;
		case OPT_WITH:
			if (page.nr_sides == 2)
				status = cmd_usage_error("html", "one recording after --with");
			page.sides[1]->path = optarg;
			page.nr_sides = 2;
			break;
		case OPT_FOLIOS:
			if (!cmd_number(optarg, &value) || value > CHOSEN_MAX)
				status = cmd_usage_error("html", "--folios takes a number up to %u, not '%s'",
							 CHOSEN_MAX, optarg);
			else
				page.nr_folios = value;
			break;
		case OPT_PFN:
			status = cmd_add_pfn("html", optarg, &page.asked);
			break;
		default:
			status = cmd_read_option(&opts, "html", opt);
		}
	}
	if (status)
		goto out;
	status = cmd_one_recording("html", argc, argv, &opts);
	if (status)
		goto out;
	page.sides[0]->path = opts.path;
	for (i = 0; i < page.nr_sides; i++)
		page.sides[i]->chosen = page.asked;
	if (page.nr_sides == 2) {
		page.sides[0]->name = "base";
		page.sides[1]->name = "patch";
	}
	status = cmd_finish(run(&page, &opts.pipeline));
out:
	free_sides(&page);
	return status;
}
