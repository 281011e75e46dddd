// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "heat-picture.h"
#include "outfile.h"
#include "pictures.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope heatmap [OPTION]... [FILE]\n"
	"Time to the right, page frame number upwards, heat as digits 0 to 9.\n"
	"\n"
	"  -w, --what KIND    accessed (default), reclaimed or events\n"
	"      --resol COLSxROWS  size in characters (default 64x24)\n"
	"      --linear       digits in proportion, not logarithmic\n"
	"  -o, --output OUT   a picture instead: OUT ends in .svg or .png\n"
	CMD_READ_HELP
	"\n"
	"A dot is nothing at all. Exit status as of report.\n";

enum { OPT_RESOL = OPT_COMMAND, OPT_LINEAR };

struct view {
	enum heat_kind kind;
	unsigned nr_columns, nr_rows;
	bool linear, is_sized;
	const char *out;
};

/* COLSxROWS, within what a terminal and the grid have. */
static bool parse_resol(const char *text, struct view *view)
{
	char trailing;

	return sscanf(text, "%ux%u%c", &view->nr_columns, &view->nr_rows, &trailing) == 2 &&
	       view->nr_columns >= 1 && view->nr_columns <= 1000 && view->nr_rows >= 1 &&
	       view->nr_rows <= 1000;
}

static char digit(const struct view *view, double value, double most)
{
	double share;

	if (value <= 0)
		return '.';
	share = view->linear ? value / most : log1p(value) / log1p(most);
	return '0' + (int)(share * 9 + 0.5);
}

static void render_text(const struct heat *heat, const struct view *view, uint64_t span_ns)
{
	double most = 0, value, total = 0;
	uint64_t pages = (uint64_t)heat_nr_rows(heat) << heat->row_shift;
	uint64_t first = heat->first_row << heat->row_shift;
	struct text_buf a;
	unsigned row, column;

	for (row = 0; row < view->nr_rows; row++)
		for (column = 0; column < view->nr_columns; column++) {
			value = heat_resample(heat, view->kind, row, view->nr_rows, column,
					      view->nr_columns);
			most = value > most ? value : most;
			total += value;
		}
	if (total == 0) {
		printf("no event of the kind '%s'\n", heat_name(view->kind));
		return;
	}
	printf("%9s\n", "pfn");
	/* large page frames on top */
	for (row = view->nr_rows; row-- > 0;) {
		printf("%9llx ", (unsigned long long)(first + pages * row / view->nr_rows));
		for (column = 0; column < view->nr_columns; column++)
			putchar(digit(view,
				      heat_resample(heat, view->kind, row, view->nr_rows, column,
						    view->nr_columns),
				      most));
		putchar('\n');
	}
	text_duration(&a, span_ns);
	printf("%9s 0%*s\n", "time",
	       view->nr_columns > strlen(a.s) + 2 ? (int)view->nr_columns - 1 : 0, a.s);
	printf("# %s: %s\n", heat_name(view->kind), heat_definition(view->kind));
	printf("# %s: %.0f events; a character is %s by %.0f page frames\n", heat_name(view->kind),
	       total, text_duration(&a, heat->slot_ns * heat->nr_slots / view->nr_columns),
	       (double)pages / view->nr_rows);
	printf("# %s; 9 is %.0f events, . is none\n", view->linear ? "linear" : "logarithmic",
	       most);
}

static int write_picture(struct pipeline *p, const struct heat *heat, const struct view *view)
{
	const char *suffix = strrchr(view->out, '.');
	struct outfile out;
	struct diag diag;
	int ret;

	if (outfile_open(&out, view->out, &p->path, 1, OUTFILE_NO_STDOUT, &diag))
		return cmd_fail(&diag);
	ret = (strcmp(suffix, ".png") ? heat_picture_svg : heat_picture_png)(
		out.file, heat, view->kind, p->stopped);
	if (ret) {
		outfile_abandon(&out);
		diag_set(&diag, -ret, "%s: %s", view->out, err_text(ret));
		return cmd_fail(&diag);
	}
	return outfile_commit(&out, &diag) ? cmd_fail(&diag) : STATUS_OK;
}

int cmd_heatmap(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "what", required_argument, NULL, 'w' },
		{ "resol", required_argument, NULL, OPT_RESOL },
		{ "output", required_argument, NULL, 'o' },
		{ "linear", no_argument, NULL, OPT_LINEAR },
		{ NULL, 0, NULL, 0 },
	};
	struct view view = { .kind = HEAT_ACCESSED, .nr_columns = 64, .nr_rows = 24 };
	struct cmd_read_opts opts = { .path = "trace.dat" };
	const struct pictures *pictures;
	const char *suffix;
	struct pipeline p;
	unsigned kind;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "w:o:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case 'w':
			for (kind = 0; kind < HEAT_NR && strcmp(optarg, heat_name(kind)); kind++)
				;
			if (kind == HEAT_NR)
				return cmd_usage_error("heatmap", "no kind is called '%s'", optarg);
			view.kind = kind;
			break;
		case OPT_RESOL:
			if (!parse_resol(optarg, &view))
				return cmd_usage_error("heatmap",
						       "--resol takes 64x24 and the like, not '%s'",
						       optarg);
			view.is_sized = true;
			break;
		case 'o':
			suffix = strrchr(optarg, '.');
			if (!suffix || (strcmp(suffix, ".svg") && strcmp(suffix, ".png")))
				return cmd_usage_error("heatmap", "'%s' ends neither in .svg nor in .png",
						       optarg);
			view.out = optarg;
			break;
		case OPT_LINEAR:
			view.linear = true;
			break;
		default:
			ret = cmd_read_option(&opts, "heatmap", opt);
			if (ret)
				return ret;
		}
	}
	if (view.out && (view.is_sized || view.linear))
		return cmd_usage_error("heatmap",
				       "--resol and --linear are for digits, not for a picture");
	ret = cmd_one_recording("heatmap", argc, argv, &opts);
	if (!ret)
		ret = cmd_read(&p, &opts);
	if (ret)
		return ret;
	pictures = pictures_results(pipeline_self(&p, &analysis_pictures));
	status = STATUS_OK;
	if (pictures->out_of_memory || !heat_nr_rows(&pictures->heat)) {
		fprintf(stderr, "folioscope: %s: %s\n", opts.path,
			pictures->out_of_memory ? err_text(ERR_NOMEM) :
			p.stopped		? "interrupted, no event of a folio up to then" :
						  "no event of a folio");
		status = STATUS_FAILED;
	} else if (view.out) {
		status = write_picture(&p, &pictures->heat, &view);
	} else {
		render_text(&pictures->heat, &view, p.last_ts_ns - p.first_ts_ns);
	}
	pipeline_render_caveats(&p, view.out ? stderr : stdout, true);
	if (status == STATUS_OK)
		status = pipeline_status(&p);
	pipeline_release(&p);
	return cmd_finish(status);
}
