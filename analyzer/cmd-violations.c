// SPDX-License-Identifier: GPL-2.0-only
#include <getopt.h>

#include "cmd.h"
#include "lazyfree.h"
#include "order.h"
#include "refault.h"
#include "results.h"
#include "text.h"

static const char help[] =
	"Usage: folioscope violations [OPTION]... [FILE]\n"
	"LRU order violations by site, with magnitude and example folios.\n"
	"\n"
	"  V1 reversal            folios moved one by one come out in reverse order\n"
	"  V2 inversion           placed younger than folios of a younger generation\n"
	"                         or, at scan_skipped, younger ones of its own list\n"
	"  V3 eviction inversion  reclaimed while older folios stayed\n"
	"  V4 lazyfree order      freed in another order than marked by MADV_FREE\n"
	"  V5 regretted eviction  refaulted soon after\n"
	"\n"
	"  -n, --examples N   folios named per violation and site (default 2, at\n"
	"                     most 10)\n"
	"      --regret-gens N  V5: refaulted within N agings (default 1)\n"
	"  -f, --format KIND  text, json or csv\n"
	CMD_READ_HELP
	"\n"
	"What the data cannot prove is not reported. Follow an example with\n"
	"folioscope folio FILE PFN. Exit status as of report.\n";

enum { OPT_REGRET_GENS = OPT_COMMAND };

static void render_examples(struct pipeline *p, const struct order_examples *examples,
			    const char *what, bool is_time)
{
	struct text_buf a, b;
	unsigned i;

	for (i = 0; i < examples->nr; i++) {
		const struct order_example *e = &examples->e[i];

		printf("    pfn 0x%llx life %u at %ss: ", (unsigned long long)e->pfn, e->life,
		       text_seconds(&a, pipeline_since(p, e->ts_ns)));
		if (is_time)
			printf("%s %s\n", what, text_duration(&b, e->magnitude));
		else
			printf("%s %llu\n", what, (unsigned long long)e->magnitude);
	}
}

static void render_v1(struct pipeline *p, const struct order_results *r)
{
	struct text_buf buf;
	bool any = false;
	unsigned i;

	text_heading(stdout, "V1 reversal: runs of moves from one list to another");
	for (i = 0; i < SITE_NR; i++) {
		const struct order_v1 *v1 = &r->v1[i];

		if (!v1->nr_runs && !v1->nr_unknown)
			continue;
		any = true;
		printf("%s\n  %llu move%s in %llu run%s, the longest %llu", site_name(i),
		       (unsigned long long)v1->nr_moves, text_plural(v1->nr_moves),
		       (unsigned long long)v1->nr_runs, text_plural(v1->nr_runs),
		       (unsigned long long)v1->longest);
		if (v1->nr_unknown)
			printf("; %llu more from places unknown",
			       (unsigned long long)v1->nr_unknown);
		printf("\n  %llu of %llu pairs reversed (%s)", (unsigned long long)v1->nr_reversed,
		       (unsigned long long)v1->nr_pairs,
		       text_percent(&buf, v1->nr_reversed, v1->nr_pairs));
		if (v1->nr_pairs)
			printf(", tau %+.3f", 1 - 2.0 * v1->nr_reversed / v1->nr_pairs);
		putchar('\n');
		if (v1->nr_neighbours_reversed)
			printf("  of neighbours, moved one after the other, %s\n",
			       text_percent(&buf, v1->nr_neighbours_reversed,
					    v1->nr_moves - v1->nr_runs));
		render_examples(p, &v1->examples, "in a run of", false);
	}
	if (!any)
		printf("no folio was moved from list to list\n");
}

static void render_v2(struct pipeline *p, const struct order_results *r)
{
	bool any = false;
	unsigned i;

	text_heading(stdout, "V2 inversion: placed younger than younger folios");
	for (i = 0; i < SITE_NR; i++) {
		const struct order_v2 *v2 = &r->v2[i];

		if (!v2->nr)
			continue;
		any = true;
		if (i == SITE_INC_MIN_SEQ || i == SITE_TRY_TO_INC_MIN_SEQ)
			printf("%s, relabelling: oldest lists become the youngest untouched\n"
			       "  %llu time%s, %llu folio%s; ",
			       site_name(i), (unsigned long long)v2->nr, text_plural(v2->nr),
			       (unsigned long long)v2->nr_folios, text_plural(v2->nr_folios));
		else
			printf("%s\n  %llu folio%s; ", site_name(i),
			       (unsigned long long)v2->nr_folios, text_plural(v2->nr_folios));
		if (v2->nr_pairs && !v2->max_gap_gens)
			printf("%llu pair%s inverted, all within one list (of one\n"
			       "  generation: from its old end to its young one)\n",
			       (unsigned long long)v2->nr_pairs, text_plural(v2->nr_pairs));
		else if (v2->nr_pairs)
			printf("%llu pair%s inverted, by %llu generation%s at most\n",
			       (unsigned long long)v2->nr_pairs, text_plural(v2->nr_pairs),
			       (unsigned long long)v2->max_gap_gens, text_plural(v2->max_gap_gens));
		else
			printf("no other folio was on the lists,\n  so no order was violated\n");
		render_examples(p, &v2->examples, "passed younger folios:", false);
	}
	if (r->nr_backward) {
		any = true;
		printf("walks that set an older generation (stale max_seq): %llu\n",
		       (unsigned long long)r->nr_backward);
	}
	if (!any)
		printf("none\n");
}

static void render_v3(struct pipeline *p, const struct order_results *r)
{
	struct text_buf buf;
	unsigned i;

	text_heading(stdout, "V3 eviction inversion: reclaimed while older folios stayed");
	for (i = 0; i < TYPE_NR; i++) {
		const struct order_v3 *v3 = &r->v3[i];

		printf("%s: %llu of %llu reclaimed folios (%s)", type_name(i),
		       (unsigned long long)v3->nr, (unsigned long long)r->nr_reclaimed[i],
		       text_percent(&buf, v3->nr, r->nr_reclaimed[i]));
		if (v3->nr)
			printf("\n  passing over %.1f known older folios on average, %llu at most",
			       (double)v3->sum_older / v3->nr, (unsigned long long)v3->max_older);
		putchar('\n');
		render_examples(p, &v3->examples, "older folios that stayed:", false);
	}
}

static void render_v4(struct pipeline *p, const struct lazyfree_results *r)
{
	struct text_buf buf;

	text_heading(stdout, "V4 lazyfree order");
	if (!r->nr_pairs) {
		printf("fewer than two marked folios were freed by reclaim\n");
	} else {
		printf("%llu of %llu pairs freed last-in first-out (%s), tau %+.3f\n",
		       (unsigned long long)r->nr_reversed, (unsigned long long)r->nr_pairs,
		       text_percent(&buf, r->nr_reversed, r->nr_pairs),
		       1 - 2.0 * r->nr_reversed / r->nr_pairs);
		render_examples(p, &r->examples, "freed after", true);
	}
	printf("file folios reclaimed while lazyfree folios stayed: %llu\n",
	       (unsigned long long)r->nr_file_first);
}

static void render_v5(struct pipeline *p, const struct refault_results *r)
{
	struct text_buf buf;
	unsigned i;

	text_heading(stdout, "V5 regretted eviction: refaulted soon after");
	for (i = 0; i < TYPE_NR; i++) {
		printf("%s: %llu of %llu evicted (%s) came back within %llu aging%s\n",
		       type_name(i), (unsigned long long)r->nr_regretted[i],
		       (unsigned long long)r->nr_evicted[i],
		       text_percent(&buf, r->nr_regretted[i], r->nr_evicted[i]),
		       (unsigned long long)r->regret_gens, text_plural(r->regret_gens));
		if (r->nr_agings && r->nr_unaged_regretted[i])
			printf("  %llu of them from lruvecs of which no aging was recorded, where all that\n"
			       "  came back did within any window: V5 says nothing of these\n",
			       (unsigned long long)r->nr_unaged_regretted[i]);
		if (r->nr_earlier_regretted[i])
			printf("  and %llu that were evicted before the cut\n",
			       (unsigned long long)r->nr_earlier_regretted[i]);
		render_examples(p, &r->examples[i], "back after", true);
	}
	if (!r->nr_agings)
		printf("no aging was recorded (no max_seq event), so all that came back did within\n"
		       "any window: V5 says no more than that it came back\n");
}

static int render_tables(struct pipeline *p, enum cmd_format format, int status)
{
	static const struct analysis_ops *const parts[] = {
		&analysis_order, &analysis_lazyfree, &analysis_refault,
	};
	struct tables tables = { 0 };
	unsigned i;

	results_tables(p, &tables, parts[0]);
	for (i = 1; i < sizeof(parts) / sizeof(parts[0]); i++)
		parts[i]->tables(pipeline_self(p, parts[i]), &tables);
	return cmd_render_tables(p, "violations", &tables, format, status);
}

int cmd_violations(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "examples", required_argument, NULL, 'n' },
		{ "format", required_argument, NULL, 'f' },
		{ "regret-gens", required_argument, NULL, OPT_REGRET_GENS },
		{ NULL, 0, NULL, 0 },
	};
	struct cmd_read_opts opts = { .path = "trace.dat" };
	const struct order_results *order;
	struct pipeline p;
	uint64_t value;
	enum cmd_format format = CMD_TEXT;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "n:f:", options, NULL)) != -1) {
		switch (opt) {
		case 'h':
			fputs(help, stdout);
			return cmd_finish(STATUS_OK);
		case 'n':
			if (!cmd_number(optarg, &value) || !value || value > ORDER_MAX_EXAMPLES)
				return cmd_usage_error("violations",
						       "-n takes a number from 1 to %u, not '%s'",
						       ORDER_MAX_EXAMPLES, optarg);
			opts.pipeline.analysis.nr_examples = value;
			break;
		case 'f':
			ret = cmd_format("violations", optarg,
					 1u << CMD_TEXT | 1u << CMD_JSON | 1u << CMD_CSV, &format);
			if (ret)
				return ret;
			break;
		case OPT_REGRET_GENS:
			ret = cmd_regret_gens("violations", optarg, &opts.pipeline.analysis);
			if (ret)
				return ret;
			break;
		default:
			ret = cmd_read_option(&opts, "violations", opt);
			if (ret)
				return ret;
		}
	}
	ret = cmd_one_recording("violations", argc, argv, &opts);
	if (!ret)
		ret = cmd_read(&p, &opts);
	if (ret)
		return ret;
	if (format != CMD_TEXT) {
		status = render_tables(&p, format, pipeline_status(&p));
		pipeline_release(&p);
		return cmd_finish(status);
	}
	pipeline_render_caveats(&p, stdout, true);
	order = order_results(pipeline_self(&p, &analysis_order));
	render_v1(&p, order);
	render_v2(&p, order);
	render_v3(&p, order);
	render_v4(&p, lazyfree_results(pipeline_self(&p, &analysis_lazyfree)));
	render_v5(&p, refault_results(pipeline_self(&p, &analysis_refault)));
	if (order->nr_in_loss)
		printf("\n%llu moves not judged: events were lost around them\n",
		       (unsigned long long)order->nr_in_loss);
	status = pipeline_status(&p);
	pipeline_release(&p);
	return cmd_finish(status);
}
