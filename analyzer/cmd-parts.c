// SPDX-License-Identifier: GPL-2.0-only
/*
 * The commands hitshield and lazyfree: one part of the report, in full.
 */
#include <getopt.h>
#include <string.h>

#include "cmd.h"
#include "lazyfree.h"
#include "results.h"
#include "text.h"

static const char hitshield_help[] =
	"Usage: folioscope hitshield [OPTION]... [FILE]\n"
	"The counter of updates that grants folios a shield, the shields, and what\n"
	"became of folios that a shield spared; with an example folio for each.\n"
	"\n"
	"  -f, --format KIND  text, json or csv\n"
	CMD_READ_HELP
	"\n"
	"Follow an example with folioscope folio FILE PFN. Exit status as of report.\n";

static const char lazyfree_help[] =
	"Usage: folioscope lazyfree [OPTION]... [FILE]\n"
	"Folios given up by MADV_FREE: when reclaim reached them, in which order\n"
	"they were freed, and what was reclaimed in between.\n"
	"\n"
	"  -f, --format KIND  text, json or csv\n"
	CMD_READ_HELP
	"\n"
	"Follow an example with folioscope folio FILE PFN. Exit status as of report.\n";

struct part {
	const char *name;
	const char *help;
	const struct analysis_ops *ops;
	void (*render_more)(struct pipeline *p, const void *self);
};

static int run(int argc, char **argv, const struct part *part)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat" };
	enum cmd_format format = CMD_TEXT;
	struct tables tables = { 0 };
	struct pipeline p;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "f:", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(part->help, stdout);
			return cmd_finish(STATUS_OK);
		}
		ret = opt == 'f' ? cmd_format(part->name, optarg,
					      1u << CMD_TEXT | 1u << CMD_JSON | 1u << CMD_CSV,
					      &format) :
				   cmd_read_option(&opts, part->name, opt);
		if (ret)
			return ret;
	}
	ret = cmd_one_recording(part->name, argc, argv, &opts);
	if (!ret)
		ret = cmd_read(&p, &opts);
	if (ret)
		return ret;
	status = pipeline_status(&p);
	if (format != CMD_TEXT) {
		results_tables(&p, &tables, part->ops);
		status = cmd_render_tables(&p, part->name, &tables, format, status);
		pipeline_release(&p);
		return cmd_finish(status);
	}
	pipeline_render_caveats(&p, stdout, true);
	part->ops->render(pipeline_self(&p, part->ops), stdout);
	if (part->render_more)
		part->render_more(&p, pipeline_self(&p, part->ops));
	pipeline_release(&p);
	return cmd_finish(status);
}

int cmd_hitshield(int argc, char **argv)
{
	static const struct part part = {
		.name = "hitshield",
		.help = hitshield_help,
		.ops = &analysis_hitshield,
	};

	return run(argc, argv, &part);
}

static void hist_line(const char *label, const struct hist *hist, bool is_time)
{
	static const double q[] = { 0.1, 0.5, 0.9, 1 };
	struct text_buf buf;
	unsigned i;

	if (!hist->nr)
		return;
	printf("  %-32s %8llu", label, (unsigned long long)hist->nr);
	for (i = 0; i < 4; i++) {
		uint64_t value = i < 3 ? hist_quantile(hist, q[i]) : hist->max;

		if (is_time)
			printf(" %7s", text_duration(&buf, value));
		else
			printf(" %7llu", (unsigned long long)value);
	}
	putchar('\n');
}

static void render_lazyfree(struct pipeline *p, const void *self)
{
	const struct lazyfree_results *r = lazyfree_results(self);
	const struct lazyfree_lruvec *lruvecs;
	struct text_buf a, b;
	unsigned i, nr;

	if (!r->nr_marked)
		return;
	text_heading(stdout, "From the mark on");
	printf("  %-32s %8s %7s %7s %7s %7s\n", "", "folios", "10%", "50%", "90%", "most");
	hist_line("reached by reclaim", &r->reach_ns, true);
	hist_line("freed", &r->delay_ns, true);
	hist_line("found written to", &r->redirtied_ns, true);
	hist_line("let go by the owner", &r->released_ns, true);
	printf("  until freed, pages\n");
	hist_line("of page cache reclaimed", &r->between_pages, false);
	hist_line("of anon reclaimed", &r->between_anon_pages, false);
	hist_line("lazyfree ones freed before", &r->between_lazyfree_pages, false);
	hist_line("of file lists scanned", &r->scanned_pages, false);

	text_heading(stdout, "By lruvec");
	printf("%-12s %4s %8s %8s %12s %9s %8s\n", "memcg", "node", "marked", "freed", "pairs",
	       "reversed", "V4 tau");
	lruvecs = lazyfree_lruvecs(self, &nr);
	for (i = 0; i < nr; i++) {
		const struct lazyfree_lruvec *l = &lruvecs[i];

		printf("%-12llu %4d %8llu %8llu %12llu %9s", (unsigned long long)l->lruvec->memcg,
		       l->lruvec->nid, (unsigned long long)l->nr_marked,
		       (unsigned long long)l->nr_freed, (unsigned long long)l->nr_pairs,
		       text_percent(&a, l->nr_reversed, l->nr_pairs));
		if (l->nr_pairs)
			printf(" %+8.3f\n", 1 - 2.0 * l->nr_reversed / l->nr_pairs);
		else
			printf(" %8s\n", "-");
		if (l->nr_file_first)
			printf("    %llu file folios were reclaimed while %.1f lazyfree ones stayed\n",
			       (unsigned long long)l->nr_file_first,
			       (double)l->sum_waiting / l->nr_file_first);
	}
	if (!r->examples.nr)
		return;
	text_heading(stdout, "Freed latest");
	for (i = 0; i < r->examples.nr; i++)
		printf("pfn 0x%llx life %u at %ss: freed after %s\n",
		       (unsigned long long)r->examples.e[i].pfn, r->examples.e[i].life,
		       text_seconds(&a, pipeline_since(p, r->examples.e[i].ts_ns)),
		       text_duration(&b, r->examples.e[i].magnitude));
}

int cmd_lazyfree(int argc, char **argv)
{
	static const struct part part = {
		.name = "lazyfree",
		.help = lazyfree_help,
		.ops = &analysis_lazyfree,
		.render_more = render_lazyfree,
	};

	return run(argc, argv, &part);
}
