// SPDX-License-Identifier: GPL-2.0-only
#include "compare.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "counters.h"
#include "lazyfree.h"
#include "lifetimes.h"
#include "order.h"
#include "refault.h"
#include "samefile.h"
#include "textfile.h"

#define PATH_BYTES 4096
#define NR_PERMUTATIONS 9999

const char *compare_side_name(enum compare_side side)
{
	return side == COMPARE_BASE ? "base" : "patch";
}

static const char *const verdict_names[] = {
	[VERDICT_ONE_RUN] = "one run: no verdict",
	[VERDICT_ONE_SIDE] = "only one side has it: no verdict",
	[VERDICT_SAME] = "the same in every run",
	[VERDICT_LOSSY] = "data lost, damaged or contradictory: no verdict",
	[VERDICT_NONE] = "no difference",
	[VERDICT_WITHIN] = "within the resolution",
	[VERDICT_BETTER] = "better",
	[VERDICT_WORSE] = "worse",
	[VERDICT_HIGHER] = "higher",
	[VERDICT_LOWER] = "lower",
};

const char *compare_verdict_name(enum compare_verdict verdict)
{
	return verdict < VERDICT_NR ? verdict_names[verdict] : "?";
}

void compare_init(struct compare *compare, const struct compare_opts *opts)
{
	memset(compare, 0, sizeof(*compare));
	compare->opts = *opts;
	if (!compare->opts.confidence)
		compare->opts.confidence = 0.95;
	if (!compare->opts.power)
		compare->opts.power = 0.8;
	if (!compare->opts.nr_resamples)
		compare->opts.nr_resamples = 9999;
}

static void release_run(struct compare_run *run)
{
	counterfile_release(&run->counters);
	counterfile_release(&run->resolutions);
	conditions_release(&run->conditions);
	free(run->survival);
	free(run->distances);
}

static void release_rows(struct compare *compare)
{
	unsigned i, side;

	for (i = 0; i < compare->nr_rows; i++) {
		free(compare->rows[i].name);
		for (side = 0; side < COMPARE_NR_SIDES; side++)
			free(compare->rows[i].samples[side].values);
	}
	free(compare->rows);
	compare->rows = NULL;
	compare->nr_rows = compare->nr_rows_alloc = 0;
}

void compare_release(struct compare *compare)
{
	unsigned side, i, type;

	release_rows(compare);
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		for (i = 0; i < compare->nr_runs[side]; i++)
			release_run(&compare->runs[side][i]);
		free(compare->runs[side]);
	}
	for (type = 0; type < TYPE_NR; type++) {
		free(compare->survival[type].sides);
		free(compare->distances[type]);
	}
	memset(compare, 0, sizeof(*compare));
}

/*
 * One run
 */

static int no_memory(struct diag *diag, const char *path)
{
	return diag_set(diag, ERR_NOMEM, "%s: %s", path, err_text(ERR_NOMEM));
}

static bool exists(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* A recording begins with 0x17 0x08 0x44 and the word tracing. */
static bool is_recording(const char *path)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char head[sizeof(magic) - 1];
	FILE *in;
	bool is;

	if (textfile_open(&in, path, NULL))
		return false;
	is = fread(head, 1, sizeof(head), in) == sizeof(head) &&
	     !memcmp(head, magic, sizeof(head));
	fclose(in);
	return is;
}

/* counterfile_set() with a name that is put together; errors pile up in @failed. */
__attribute__((format(printf, 4, 5)))
static void set(struct compare_run *run, bool *failed, double value, const char *fmt, ...)
{
	char name[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	if (counterfile_set(&run->counters, name, value))
		*failed = true;
}

/* A quantile of a histogram, of which @per_unit make one of the row. */
static void set_quantile(struct compare_run *run, bool *failed, uint64_t value, double per_unit,
			 const char *name)
{
	set(run, failed, value / per_unit, "%s", name);
	if (counterfile_set(&run->resolutions, name, hist_width(value) / per_unit))
		*failed = true;
}

static void set_percent(struct compare_run *run, bool *failed, double part, double whole,
			const char *name, const char *of)
{
	if (whole > 0)
		set(run, failed, 100 * part / whole, "%s.%s", name, of);
}

static void take_survival(struct compare_run *run, struct pipeline *p, bool *failed)
{
	const void *lifetimes = pipeline_self(p, &analysis_lifetimes);
	static const unsigned percents[] = { 10, 50 };
	char name[64];
	unsigned type, i;
	uint64_t ns;

	for (type = 0; type < TYPE_NR; type++) {
		run->survival[type] = *lifetimes_survival(lifetimes, type);
		set(run, failed, run->survival[type].nr, "lives.%s", type_name(type));
		for (i = 0; i < 2; i++) {
			if (!survival_quantile(&run->survival[type], percents[i] / 100.0, &ns))
				continue;
			snprintf(name, sizeof(name), "reclaim_p%u_ms.%s", percents[i],
				 type_name(type));
			set_quantile(run, failed, ns, 1e6, name);
		}
	}
}

static void take_refaults(struct compare_run *run, struct pipeline *p, bool *failed)
{
	const struct refault_results *r = refault_results(pipeline_self(p, &analysis_refault));
	static const char *const names[] = { "refault_p50_ms", "refault_p50_pages" };
	char name[64];
	unsigned type, i;

	for (type = 0; type < TYPE_NR; type++) {
		run->distances[type][DISTANCE_NS] = r->distance_ns[type];
		run->distances[type][DISTANCE_PAGES] = r->distance_pages[type];
		run->distances[type][DISTANCE_GENS] = r->distance_gens[type];
		set(run, failed, r->nr_evicted[type], "evicted.%s", type_name(type));
		set(run, failed, r->nr_refaulted[type], "refaulted.%s", type_name(type));
		for (i = 0; i < DISTANCE_GENS; i++) {
			const struct hist *hist = &run->distances[type][i];

			if (!hist->nr)
				continue;
			snprintf(name, sizeof(name), "%s.%s", names[i], type_name(type));
			set_quantile(run, failed, hist_quantile(hist, 0.5),
				     i == DISTANCE_NS ? 1e6 : 1, name);
		}
		set_percent(run, failed, r->nr_regretted[type], r->nr_evicted[type],
			    "v5_regretted_pct", type_name(type));
		set_percent(run, failed, r->nr_unaged_regretted[type], r->nr_evicted[type],
			    "v5_unaged_pct", type_name(type));
	}
}

static void take_violations(struct compare_run *run, struct pipeline *p, bool *failed)
{
	const struct order_results *r = order_results(pipeline_self(p, &analysis_order));
	const struct lazyfree_results *l = lazyfree_results(pipeline_self(p, &analysis_lazyfree));
	unsigned site, type;

	for (site = 0; site < SITE_NR; site++) {
		const struct order_v1 *v1 = &r->v1[site];
		const struct order_v2 *v2 = &r->v2[site];

		if (v1->nr_runs) {
			set(run, failed, v1->nr_moves, "v1_moves.%s", site_name(site));
			set_percent(run, failed, v1->nr_reversed, v1->nr_pairs, "v1_reversed_pct",
				    site_name(site));
			set_percent(run, failed, v1->nr_neighbours_reversed,
				    v1->nr_moves - v1->nr_runs, "v1_neighbours_reversed_pct",
				    site_name(site));
		}
		if (v2->nr) {
			set(run, failed, v2->nr_folios, "v2_folios.%s", site_name(site));
			set(run, failed, v2->nr_pairs, "v2_pairs.%s", site_name(site));
		}
	}
	for (type = 0; type < TYPE_NR; type++)
		set_percent(run, failed, r->v3[type].nr, r->nr_reclaimed[type], "v3_inverted_pct",
			    type_name(type));
	if (l->nr_pairs)
		set(run, failed, 1 - 2.0 * l->nr_reversed / l->nr_pairs, "v4_tau");
	if (l->delay_ns.nr)
		set_quantile(run, failed, hist_quantile(&l->delay_ns, 0.5), 1e6,
			     "lazyfree_p50_ms");
}

/* What events do not tell is left to the kernel's own counters, see take_vmstat(). */
static void take_counters(struct compare_run *run, struct pipeline *p, bool *failed)
{
	const uint64_t *values = counters_values(pipeline_self(p, &analysis_counters));
	enum model_lru lru = model_lru(p->model);
	unsigned i;

	for (i = 0; i < COUNTER_NR; i++)
		if (counter_is_whole(i, lru))
			set(run, failed, values[i], "%s", counter_name(i));
}

/* "Linux host 6.12.117 #1 SMP x86_64": the release only, hosts are no matter. */
static void release_of(const char *uname, char *release, size_t size)
{
	const char *word = strchr(uname, ' ');

	word = word ? strchr(word + 1, ' ') : NULL;
	word = word ? word + 1 : uname;
	snprintf(release, size, "%.*s", (int)strcspn(word, " "), word);
}

static void take_conditions(struct compare_run *run, struct pipeline *p, bool *failed)
{
	static const char *const lists[] = {
		[MODEL_LRU_MULTI_GEN] = "multi-gen",
		[MODEL_LRU_SWITCHED] = "multi-gen and classic",
		[MODEL_LRU_CLASSIC] = "classic",
		[MODEL_LRU_UNKNOWN] = "unknown",
	};
	const struct recording_info *info = reader_info(p->reader);
	const struct reader_totals *totals = reader_totals(p->reader);
	uint64_t nr_lost = totals->nr_lost ? totals->nr_lost : pipeline_overrun(p);
	uint64_t span_ns = totals->last_ts_ns - totals->first_ts_ns;
	char text[128];

	if (info->uname) {
		release_of(info->uname, text, sizeof(text));
		*failed |= conditions_add(&run->conditions, "kernel release", text) != 0;
	}
	if (info->clock)
		*failed |= conditions_add(&run->conditions, "trace clock", info->clock) != 0;
	if (info->has_cpu_count) {
		snprintf(text, sizeof(text), "%u", info->cpu_count);
		*failed |= conditions_add(&run->conditions, "CPUs of the machine", text) != 0;
	}
	*failed |= conditions_add(&run->conditions, "LRU lists", lists[model_lru(p->model)]) != 0;
	set(run, failed, nr_lost, "lost_events");
	if (totals->nr_lost_unknown)
		set(run, failed, totals->nr_lost_unknown, "losses_of_unknown_size");
	if (totals->nr_gaps)
		set(run, failed, totals->nr_gaps, "damaged_stretches");
	if (info->clock_is_ns)
		set(run, failed, span_ns / 1e9, "recorded_s");
}

/* Not counters: values that go up and down. */
static bool is_gauge(const char *name)
{
	return !strncmp(name, "nr_", 3) || !strcmp(name, "workingset_nodes");
}

/* The kernel's own counters: what was added from before/ to after/. */
static int take_vmstat(struct compare_run *run, const char *folder, struct diag *diag)
{
	struct counterfile before = { 0 }, after = { 0 };
	char path[PATH_BYTES];
	bool failed = false, has_swapins;
	double ignored;
	unsigned i;
	int ret;

	/* of events, pages of zeros are among pswpin */
	has_swapins = counterfile_find(&run->counters, "pswpin", &ignored);
	snprintf(path, sizeof(path), "%s/before/vmstat", folder);
	if (!exists(path))
		return 0;
	ret = counterfile_read(&before, NULL, path, diag);
	snprintf(path, sizeof(path), "%s/after/vmstat", folder);
	if (!ret)
		ret = counterfile_read(&after, NULL, path, diag);
	for (i = 0; !ret && i < after.nr; i++) {
		double from;

		if (is_gauge(after.entries[i].name) ||
		    (has_swapins && !strcmp(after.entries[i].name, "swpin_zero")) ||
		    !counterfile_find(&before, after.entries[i].name, &from) ||
		    counterfile_find(&run->counters, after.entries[i].name, &ignored))
			continue;
		set(run, &failed, after.entries[i].value - from, "%s", after.entries[i].name);
	}
	if (failed)
		ret = no_memory(diag, path);
	counterfile_release(&before);
	counterfile_release(&after);
	return ret;
}

/* The first swap device of /proc/swaps, without its number. */
static int take_swap(struct compare_run *run, const char *folder, struct diag *diag)
{
	char path[PATH_BYTES], line[512], device[256], type[64];
	char text[400] = "none";
	FILE *in;

	snprintf(path, sizeof(path), "%s/before/swaps", folder);
	if (textfile_open(&in, path, NULL))
		return 0;
	if (fgets(line, sizeof(line), in) && fgets(line, sizeof(line), in) &&
	    sscanf(line, "%255s %63s", device, type) == 2)
		snprintf(text, sizeof(text), "%s (%s)", device, type);
	fclose(in);
	return conditions_add(&run->conditions, "swap device", text) ? no_memory(diag, path) : 0;
}

/* Where what belongs to a recording is: NAME of NAME.dat, else where it is itself. */
static void folder_of(const char *trace, char *folder, size_t size)
{
	const char *slash = strrchr(trace, '/');
	size_t len = strlen(trace);

	if (len > 4 && !strcmp(trace + len - 4, ".dat")) {
		snprintf(folder, size, "%.*s", (int)(len - 4), trace);
		if (is_folder(folder))
			return;
	}
	snprintf(folder, size, "%.*s", slash ? (int)(slash - trace) : 1, slash ? trace : ".");
}

/* What lies beside a recording. */
static int take_folder(struct compare_run *run, const char *trace, struct diag *diag)
{
	static const char *const files[] = { "meta", "before/mglru" };
	char folder[PATH_BYTES - 64], path[PATH_BYTES];
	unsigned i;
	int ret;

	folder_of(trace, folder, sizeof(folder));
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		if (!exists(path))
			continue;
		ret = conditions_read(&run->conditions, path, diag);
		if (ret)
			return ret;
	}
	ret = take_swap(run, folder, diag);
	return ret ? ret : take_vmstat(run, folder, diag);
}

struct marker_reader {
	struct conditions *conditions;
	bool failed;
};

static void read_marker(void *self, const struct event *ev)
{
	struct marker_reader *reader = self;

	if (ev->kind == EV_MARKER)
		reader->failed |= conditions_read_marker(reader->conditions, ev->u.marker.text,
							 ev->u.marker.len_bytes) != 0;
}

static int load_recording(struct compare_run *run, const char *path,
			  const struct pipeline_opts *opts, struct diag *diag)
{
	struct marker_reader markers = { .conditions = &run->conditions };
	struct pipeline p;
	bool failed = false;
	int ret;

	run->is_recording = true;
	run->survival = calloc(TYPE_NR, sizeof(*run->survival));
	run->distances = calloc(TYPE_NR, sizeof(*run->distances));
	if (!run->survival || !run->distances)
		return no_memory(diag, path);
	ret = pipeline_open(&p, path, opts, diag);
	if (ret)
		return ret;
	p.hook_self = &markers;
	p.on_event = read_marker;
	ret = pipeline_run(&p, diag);
	if (!ret && markers.failed)
		ret = no_memory(diag, path);
	if (!ret && p.stopped)
		ret = diag_set(diag, ERR_INTERRUPTED, "%s: interrupted", path);
	if (!ret) {
		run->status = pipeline_status(&p);
		take_conditions(run, &p, &failed);
		take_counters(run, &p, &failed);
		if (model_lru(p.model) != MODEL_LRU_CLASSIC &&
		    model_lru(p.model) != MODEL_LRU_UNKNOWN) {
			take_survival(run, &p, &failed);
			take_refaults(run, &p, &failed);
			take_violations(run, &p, &failed);
		}
		if (failed)
			ret = no_memory(diag, path);
	}
	pipeline_release(&p);
	run->nr_from_events = run->counters.nr;
	return ret ? ret : take_folder(run, path, diag);
}

static int load_counters(struct compare_run *run, const char *path, struct diag *diag)
{
	char meta[PATH_BYTES];
	int ret = counterfile_read(&run->counters, &run->conditions, path, diag);

	if (ret)
		return ret;
	snprintf(meta, sizeof(meta), "%s.meta", path);
	return exists(meta) ? conditions_read(&run->conditions, meta, diag) : 0;
}

static struct compare_run *new_run(struct compare *compare, enum compare_side side,
				   const char *path)
{
	struct compare_run *runs = realloc(compare->runs[side],
					   (compare->nr_runs[side] + 1) * sizeof(*runs));
	struct compare_run *run;

	if (!runs)
		return NULL;
	compare->runs[side] = runs;
	run = &runs[compare->nr_runs[side]++];
	memset(run, 0, sizeof(*run));
	run->path = path;
	return run;
}

int compare_add_counters(struct compare *compare, enum compare_side side, const char *name,
			 const struct counterfile *counters)
{
	struct compare_run *run = new_run(compare, side, name);
	bool failed = !run;
	unsigned i;

	for (i = 0; !failed && i < counters->nr; i++)
		failed = counterfile_set(&run->counters, counters->entries[i].name,
					 counters->entries[i].value) != 0;
	return failed ? -ERR_NOMEM : 0;
}

/* One file is one run: a second mention would make its numbers look certain. */
static int check_twice(const struct compare *compare, enum compare_side side,
		       struct compare_run *run, const char *file, struct diag *diag)
{
	unsigned i;

	if (stat(file, &run->file)) {
		memset(&run->file, 0, sizeof(run->file));
		return 0;	/* reading it will tell why */
	}
	for (i = 0; i + 1 < compare->nr_runs[side]; i++) {
		const struct compare_run *other = &compare->runs[side][i];

		if (same_file(&other->file, &run->file))
			return diag_set(diag, ERR_USAGE,
					"%s: is the same file as %s, and one run of the %s, not two",
					run->path, other->path, compare_side_name(side));
	}
	return 0;
}

int compare_add(struct compare *compare, enum compare_side side, const char *path,
		const struct pipeline_opts *opts, struct diag *diag)
{
	struct compare_run *run = new_run(compare, side, path);
	char trace[PATH_BYTES];
	int ret;

	if (!run)
		return no_memory(diag, path);
	if (strlen(path) > PATH_BYTES - 100)
		return diag_set(diag, ERR_NO_FILE, "%.100s...: the path is too long", path);
	if (is_folder(path)) {
		snprintf(trace, sizeof(trace), "%s/trace.dat", path);
		if (!exists(trace))
			return diag_set(diag, ERR_NO_FILE, "%s: is a directory without trace.dat",
					path);
		ret = check_twice(compare, side, run, trace, diag);
		return ret ? ret : load_recording(run, trace, opts, diag);
	}
	ret = check_twice(compare, side, run, path, diag);
	if (ret)
		return ret;
	if (is_recording(path))
		return load_recording(run, path, opts, diag);
	return load_counters(run, path, diag);
}

/*
 * Rows
 */

static bool matches(const char *name, const char *const *patterns, unsigned nr)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

/*
 * Only where nobody would argue: more refaults, major faults, stalls and OOM
 * kills are bad, more work done is good. Whether more scanning, stealing or
 * swapping out is good depends on what was stolen.
 */
static enum compare_direction direction_of(const struct compare_opts *opts, const char *name)
{
	static const char *const lower[] = { "workingset_refault_*", "pgmajfault", "pswpin",
					     "allocstall*", "oom_kill" };
	static const char *const higher[] = { "ops", "ops/s", "ops_per_s", "ops_per_sec",
					      "records/s", "records_per_s", "throughput" };

	if (matches(name, opts->lower, opts->nr_lower))
		return DIRECTION_LOWER_IS_BETTER;
	if (matches(name, opts->higher, opts->nr_higher))
		return DIRECTION_HIGHER_IS_BETTER;
	if (matches(name, lower, sizeof(lower) / sizeof(lower[0])))
		return DIRECTION_LOWER_IS_BETTER;
	if (matches(name, higher, sizeof(higher) / sizeof(higher[0])))
		return DIRECTION_HIGHER_IS_BETTER;
	return DIRECTION_UNKNOWN;
}

/* NAME=a+b+c: the sum of those that @run has, if it has all. */
static int add_sum(struct compare_run *run, const char *sum, struct diag *diag)
{
	const char *equals = strchr(sum, '='), *term;
	char name[128];
	double total = 0, total_resolution = 0, value;
	bool complete = true;
	size_t len;

	if (!equals || equals == sum || !equals[1] || equals - sum >= (int)sizeof(name))
		return diag_set(diag, ERR_USAGE, "'%s' is not a sum: NAME=a+b+c", sum);
	for (term = equals + 1;; term += len + 1) {
		len = strcspn(term, "+");
		if (!len || len >= sizeof(name))
			return diag_set(diag, ERR_USAGE, "'%s' is not a sum: NAME=a+b+c", sum);
		snprintf(name, sizeof(name), "%.*s", (int)len, term);
		if (counterfile_find(&run->counters, name, &value))
			total += value;
		else
			complete = false;
		if (counterfile_find(&run->resolutions, name, &value))
			total_resolution += value;
		if (!term[len])
			break;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(equals - sum), sum);
	if (counterfile_find(&run->counters, name, &value))
		return diag_set(diag, ERR_USAGE, "the sum '%s' has the name of a row of %s", name,
				run->path);
	if (complete && (counterfile_set(&run->counters, name, total) ||
			 counterfile_set(&run->resolutions, name, total_resolution)))
		return no_memory(diag, run->path);
	return 0;
}

/* What MMTests derives from the counters of reclaim, where they are there. */
static void add_derived(struct compare_run *run, bool *failed)
{
	double scan_kswapd, scan_direct, steal_kswapd, steal_direct, ignored;
	bool has_scan = counterfile_find(&run->counters, "pgscan_kswapd", &scan_kswapd) &&
			counterfile_find(&run->counters, "pgscan_direct", &scan_direct);
	bool has_steal = counterfile_find(&run->counters, "pgsteal_kswapd", &steal_kswapd) &&
			 counterfile_find(&run->counters, "pgsteal_direct", &steal_direct);

	if (counterfile_find(&run->counters, "kswapd_efficiency_pct", &ignored))
		return;
	if (has_scan && has_steal && scan_kswapd > 0)
		set(run, failed, 100 * steal_kswapd / scan_kswapd, "kswapd_efficiency_pct");
	if (has_scan && has_steal && scan_direct > 0)
		set(run, failed, 100 * steal_direct / scan_direct, "direct_efficiency_pct");
	if (has_scan && scan_kswapd + scan_direct > 0)
		set(run, failed, 100 * scan_direct / (scan_kswapd + scan_direct),
		    "direct_scans_pct");
}

static struct compare_row *new_row(struct compare *compare, const char *name)
{
	struct compare_row *row;
	unsigned side;

	if (array_grow(&compare->rows, compare->nr_rows, &compare->nr_rows_alloc, sizeof(*row)))
		return NULL;
	row = &compare->rows[compare->nr_rows];
	memset(row, 0, sizeof(*row));
	row->name = strdup(name);
	if (!row->name)
		return NULL;
	compare->nr_rows++;
	row->direction = direction_of(&compare->opts, name);
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		row->samples[side].values = calloc(compare->nr_runs[side] + 1, sizeof(double));
		if (!row->samples[side].values)
			return NULL;
	}
	return row;
}

const struct compare_row *compare_find(const struct compare *compare, const char *name)
{
	unsigned i;

	for (i = 0; i < compare->nr_rows; i++)
		if (!strcmp(compare->rows[i].name, name))
			return &compare->rows[i];
	return NULL;
}

/* A ratio, a quantile or a time is not made smaller by more work. */
static bool is_amount(const char *name)
{
	return !strstr(name, "_pct") && !strstr(name, "_p10_") && !strstr(name, "_p50_") &&
	       strcmp(name, "v4_tau") != 0 && strcmp(name, "recorded_s") != 0 &&
	       strncmp(name, "lost", 4) != 0 && strcmp(name, "damaged_stretches") != 0;
}

/*
 * Does counter @i of @run come from events, of which some were lost? A sum or a
 * ratio is taken to, though all that it is made of may be from files.
 */
static bool is_lossy(const struct compare_run *run, unsigned i)
{
	return run->status != STATUS_OK && (i < run->nr_from_events || i >= run->nr_read);
}

/* Rows that tell of the recording, not of the machine. */
static bool is_bookkeeping(const char *name)
{
	return !strcmp(name, "lost_events") || !strcmp(name, "losses_of_unknown_size") ||
	       !strcmp(name, "damaged_stretches") || !strcmp(name, "recorded_s");
}

static bool is_sum(const struct compare *compare, const char *name)
{
	size_t len = strlen(name);
	unsigned i;

	for (i = 0; i < compare->opts.nr_sums; i++)
		if (!strncmp(compare->opts.sums[i], name, len) && compare->opts.sums[i][len] == '=')
			return true;
	return false;
}

static int take_values(struct compare *compare, unsigned side, unsigned run_number,
		       struct diag *diag)
{
	struct compare_run *run = &compare->runs[side][run_number];
	const struct compare_opts *opts = &compare->opts;
	double divisor = 1, scale, resolution;
	unsigned i;

	if (opts->per && (!counterfile_find(&run->counters, opts->per, &divisor) || !(divisor > 0)))
		return diag_set(diag, ERR_NOT_FOUND, "%s: has no '%s' above 0 to divide by",
				run->path, opts->per);
	for (i = 0; i < run->counters.nr; i++) {
		const struct counterfile_entry *entry = &run->counters.entries[i];
		struct compare_row *row;
		bool is_asked = matches(entry->name, opts->only, opts->nr_only) ||
				is_sum(compare, entry->name);

		if (opts->nr_only ? !is_asked : is_bookkeeping(entry->name))
			continue;
		row = (struct compare_row *)compare_find(compare, entry->name);
		if (!row)
			row = new_row(compare, entry->name);
		if (!row)
			return no_memory(diag, run->path);
		row->is_lossy |= is_lossy(run, i);
		scale = opts->per && is_amount(entry->name) ? divisor : 1;
		row->samples[side].values[row->samples[side].nr++] = entry->value / scale;
		if (counterfile_find(&run->resolutions, entry->name, &resolution))
			row->resolution = fmax(row->resolution, resolution / scale);
	}
	return 0;
}

static bool is_zero_everywhere(const struct compare_row *row)
{
	unsigned side, i;

	for (side = 0; side < COMPARE_NR_SIDES; side++)
		for (i = 0; i < row->samples[side].nr; i++)
			if (row->samples[side].values[i])
				return false;
	return true;
}

static void drop_zero_rows(struct compare *compare)
{
	unsigned i, kept = 0, side;

	for (i = 0; i < compare->nr_rows; i++) {
		struct compare_row *row = &compare->rows[i];

		if (!is_zero_everywhere(row) || is_sum(compare, row->name)) {
			compare->rows[kept++] = *row;
			continue;
		}
		free(row->name);
		for (side = 0; side < COMPARE_NR_SIDES; side++)
			free(row->samples[side].values);
		compare->nr_zero++;
	}
	compare->nr_rows = kept;
}

static bool all_equal(const struct compare_row *row)
{
	unsigned side, i;

	for (side = 0; side < COMPARE_NR_SIDES; side++)
		for (i = 0; i < row->samples[side].nr; i++)
			if (row->samples[side].values[i] != row->samples[0].values[0])
				return false;
	return true;
}

static void measure_row(struct compare *compare, struct compare_row *row, unsigned number)
{
	const struct compare_opts *opts = &compare->opts;
	struct compare_sample *base = &row->samples[COMPARE_BASE];
	struct compare_sample *patch = &row->samples[COMPARE_PATCH];
	unsigned side;

	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		struct compare_sample *sample = &row->samples[side];

		sample->mean = stats_mean(sample->values, sample->nr);
		sample->stddev = stats_stddev(sample->values, sample->nr);
	}
	if (!base->nr || !patch->nr) {
		row->verdict = VERDICT_ONE_SIDE;
		return;
	}
	row->has_change = true;
	if (patch->mean == base->mean)
		row->change_percent = 0;
	else
		row->change_percent = 100 * (patch->mean - base->mean) / fabs(base->mean);
	row->is_within = patch->mean != base->mean &&
			 fabs(patch->mean - base->mean) <= row->resolution;
	if (base->nr < 2 || patch->nr < 2) {
		row->verdict = row->is_within ? VERDICT_WITHIN : VERDICT_ONE_RUN;
		return;
	}
	if (all_equal(row)) {
		row->verdict = VERDICT_SAME;
		return;
	}
	if (row->is_lossy) {
		row->verdict = VERDICT_LOSSY;
		return;
	}
	row->p_rank_sum = stats_mann_whitney(base->values, base->nr, patch->values, patch->nr,
					     NULL);
	row->is_tested =
		opts->method == COMPARE_BOOTSTRAP ?
			stats_bootstrap(base->values, base->nr, patch->values, patch->nr,
					opts->confidence, opts->nr_resamples,
					opts->seed + number, &row->change) :
			stats_welch(base->values, base->nr, patch->values, patch->nr,
				    opts->confidence, &row->change);
	row->verdict = VERDICT_NONE;
}

static void judge_row(struct compare *compare, struct compare_row *row)
{
	double alpha = 1 - compare->opts.confidence;
	bool is_higher = row->change.diff > 0;

	if (row->p_holm >= alpha)
		return;
	if (row->is_within)
		row->verdict = VERDICT_WITHIN;
	else if (row->direction == DIRECTION_UNKNOWN)
		row->verdict = is_higher ? VERDICT_HIGHER : VERDICT_LOWER;
	else if (is_higher == (row->direction == DIRECTION_HIGHER_IS_BETTER))
		row->verdict = VERDICT_BETTER;
	else
		row->verdict = VERDICT_WORSE;
}

bool compare_detectable(const struct compare *compare, const struct compare_row *row, double *ret)
{
	double alpha = 1 - compare->opts.confidence;

	if (!row->is_tested || !(row->change.se > 0))
		return false;
	/*
	 * Of the table's rows the one that stands out most is held against
	 * alpha / nr_tests: that is what an effect must reach to be shown here.
	 */
	*ret = row->change.se *
	       stats_detectable(row->change.df, alpha / compare->nr_tests, compare->opts.power);
	*ret = fmax(*ret, row->resolution);
	return true;
}

static int judge_rows(struct compare *compare, struct diag *diag)
{
	double *p = malloc((compare->nr_rows + 1) * sizeof(*p));
	unsigned i;

	if (!p)
		return no_memory(diag, "compare");
	for (i = 0; i < compare->nr_rows; i++) {
		measure_row(compare, &compare->rows[i], i);
		p[i] = compare->rows[i].is_tested ? compare->rows[i].change.p : NAN;
		compare->nr_tests += compare->rows[i].is_tested;
	}
	if (!stats_holm(p, compare->nr_rows, p)) {
		free(p);
		return no_memory(diag, "compare");
	}
	for (i = 0; i < compare->nr_rows; i++) {
		if (!compare->rows[i].is_tested)
			continue;
		compare->rows[i].p_holm = p[i];
		judge_row(compare, &compare->rows[i]);
	}
	free(p);
	return 0;
}

/*
 * Survival and distances
 */

/* The next set of as many bits; 0 after the last of @nr bits. */
static uint64_t next_set(uint64_t bits, unsigned nr)
{
	uint64_t lowest = bits & -bits, ripple = bits + lowest;

	bits = ripple | ((bits ^ ripple) / lowest) >> 2;
	return bits >> nr ? 0 : bits;
}

static double nr_ways(unsigned nr, unsigned chosen)
{
	double ways = 1;
	unsigned i;

	for (i = 1; i <= chosen; i++)
		ways *= (double)(nr - chosen + i) / i;
	return ways;
}

/* The log-rank z, squared, if the runs in @bits were the patch's. */
static double chi2_of(const struct compare_run *const *runs, unsigned nr, uint64_t bits,
		      unsigned type, struct survival *sides)
{
	struct logrank logrank;
	unsigned i;

	memset(sides, 0, COMPARE_NR_SIDES * sizeof(*sides));
	for (i = 0; i < nr; i++)
		survival_merge(&sides[bits >> i & 1], &runs[i]->survival[type]);
	return survival_logrank(&sides[0], &sides[1], &logrank) ? logrank.chi2 : 0;
}

/*
 * Folios of a run are not independent, runs are: how often does the log-rank
 * statistic get as large as observed if runs change sides?
 */
static int permute_runs(struct compare *compare, struct compare_survival *result, unsigned type,
			const struct compare_run *const *runs, unsigned nr_base, unsigned nr_patch)
{
	unsigned nr = nr_base + nr_patch, i;
	struct survival *sides;
	struct stats_random random = { .state = compare->opts.seed ^ 0x5eed };
	uint64_t bits, nr_beyond = 0;

	if (nr_base < 2 || nr_patch < 2 || nr > 60)
		return 0;
	sides = calloc(COMPARE_NR_SIDES, sizeof(*sides));
	if (!sides)
		return -ERR_NOMEM;
	result->is_exact = nr_ways(nr, nr_patch) <= NR_PERMUTATIONS;
	if (result->is_exact) {
		for (bits = (1ull << nr_patch) - 1; bits; bits = next_set(bits, nr)) {
			result->nr_permutations++;
			nr_beyond += chi2_of(runs, nr, bits, type, sides) >=
				     result->logrank.chi2 * (1 - 1e-9);
		}
		result->p_runs = (double)nr_beyond / result->nr_permutations;
	} else {
		for (i = 0; i < NR_PERMUTATIONS; i++) {
			unsigned left = nr_patch, at;

			/* each run in turn, with the chance that leaves all sets alike */
			for (bits = 0, at = 0; at < nr; at++) {
				if (stats_random_below(&random, nr - at) < left) {
					bits |= 1ull << at;
					left--;
				}
			}
			nr_beyond += chi2_of(runs, nr, bits, type, sides) >=
				     result->logrank.chi2 * (1 - 1e-9);
		}
		result->nr_permutations = NR_PERMUTATIONS;
		result->p_runs = (nr_beyond + 1.0) / (NR_PERMUTATIONS + 1.0);
	}
	result->has_p_runs = true;
	free(sides);
	return 0;
}

static int compare_type(struct compare *compare, unsigned type)
{
	struct compare_survival *result = &compare->survival[type];
	unsigned nr_all = compare->nr_runs[0] + compare->nr_runs[1];
	const struct compare_run **runs = calloc(nr_all + 1, sizeof(*runs));
	unsigned side, i, k, nr = 0, nr_side[COMPARE_NR_SIDES] = { 0 };
	int ret = 0;

	result->sides = calloc(COMPARE_NR_SIDES, sizeof(*result->sides));
	compare->distances[type] = calloc(COMPARE_NR_SIDES, sizeof(*compare->distances[type]));
	if (!runs || !result->sides || !compare->distances[type]) {
		free(runs);
		return -ERR_NOMEM;
	}
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		for (i = 0; i < compare->nr_runs[side]; i++) {
			const struct compare_run *run = &compare->runs[side][i];

			if (!run->is_recording)
				continue;
			compare->has_recordings = true;
			runs[nr++] = run;
			result->is_lossy |= run->status != STATUS_OK;
			nr_side[side]++;
			survival_merge(&result->sides[side], &run->survival[type]);
			for (k = 0; k < DISTANCE_NR; k++)
				hist_merge(&compare->distances[type][side][k],
					   &run->distances[type][k]);
		}
	}
	result->is_valid = result->sides[0].nr && result->sides[1].nr;
	if (result->is_valid)
		result->has_logrank = survival_logrank(&result->sides[0], &result->sides[1],
						       &result->logrank);
	if (result->has_logrank && !result->is_lossy)
		ret = permute_runs(compare, result, type, runs, nr_side[0], nr_side[1]);
	free(runs);
	return ret;
}

int compare_evaluate(struct compare *compare, struct diag *diag)
{
	unsigned side, i, k, type;
	bool failed = false;
	int ret;

	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		for (i = 0; i < compare->nr_runs[side]; i++) {
			struct compare_run *run = &compare->runs[side][i];

			run->nr_read = run->counters.nr;
			add_derived(run, &failed);
			if (failed)
				return no_memory(diag, run->path);
			for (k = 0; k < compare->opts.nr_sums; k++) {
				ret = add_sum(run, compare->opts.sums[k], diag);
				if (ret)
					return ret;
			}
			ret = take_values(compare, side, i, diag);
			if (ret)
				return ret;
		}
	}
	for (i = 0; i < compare->opts.nr_sums; i++) {
		char name[128];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(compare->opts.sums[i], "="),
			 compare->opts.sums[i]);
		if (!compare_find(compare, name))
			return diag_set(diag, ERR_NOT_FOUND,
					"no run has all that the sum '%s' asks for",
					compare->opts.sums[i]);
	}
	drop_zero_rows(compare);
	if (!compare->nr_rows)
		return diag_set(diag, ERR_NOT_FOUND, "no row is left to compare");
	ret = judge_rows(compare, diag);
	if (ret)
		return ret;
	for (type = 0; type < TYPE_NR; type++)
		if (compare_type(compare, type))
			return no_memory(diag, "compare");
	return 0;
}

/*
 * Conditions
 */

/* Different in every run, and no matter: results of the run, and its random numbers. */
static bool is_private(const char *key)
{
	return !strcmp(key, "seconds") || !strcmp(key, "kernel seconds") ||
	       !strcmp(key, "seed") || !strncmp(key, "play_", 5) ||
	       (!strncmp(key, "cpu", 3) && key[3] >= '0' && key[3] <= '9');
}

static struct compare_condition *find(struct compare_condition *conditions, unsigned nr,
				      const char *key)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		if (!strcmp(conditions[i].key, key))
			return &conditions[i];
	return NULL;
}

int compare_conditions(const struct compare *compare, struct compare_condition **ret)
{
	struct compare_condition *all = NULL;
	unsigned nr = 0, nr_alloc = 0, side, i, k;

	for (side = 0; side < COMPARE_NR_SIDES; side++)
		for (i = 0; i < compare->nr_runs[side]; i++)
			nr_alloc += compare->runs[side][i].conditions.nr;
	all = calloc(nr_alloc + 1, sizeof(*all));
	if (!all)
		return -ERR_NOMEM;
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		for (i = 0; i < compare->nr_runs[side]; i++) {
			const struct conditions *conditions = &compare->runs[side][i].conditions;

			for (k = 0; k < conditions->nr; k++) {
				const struct condition *c = &conditions->entries[k];
				struct compare_condition *condition = find(all, nr, c->key);

				if (is_private(c->key))
					continue;
				if (!condition) {
					condition = &all[nr++];
					condition->key = c->key;
				}
				if (!condition->nr_known[side]++)
					condition->values[side] = c->value;
				else if (condition->values[side] &&
					 strcmp(condition->values[side], c->value))
					condition->values[side] = NULL;
			}
		}
	}
	for (i = 0; i < nr; i++) {
		struct compare_condition *c = &all[i];

		c->differs = c->nr_known[0] != compare->nr_runs[0] ||
			     c->nr_known[1] != compare->nr_runs[1] || !c->values[0] ||
			     !c->values[1] || strcmp(c->values[0], c->values[1]);
	}
	*ret = all;
	return nr;
}

bool compare_span(const struct compare *compare, enum compare_side side, const char *name,
		  double *min, double *max)
{
	bool any = false;
	double value;
	unsigned i;

	for (i = 0; i < compare->nr_runs[side]; i++) {
		if (!counterfile_find(&compare->runs[side][i].counters, name, &value))
			continue;
		if (!any || value < *min)
			*min = value;
		if (!any || value > *max)
			*max = value;
		any = true;
	}
	return any;
}

int compare_fails(const struct compare *compare, const char *text, struct diag *diag)
{
	const char *op = text + strcspn(text, "<>");
	const struct compare_row *row;
	char name[128], *rest;
	bool any_lossy = false;
	double limit, change;
	unsigned i;

	if (!strcmp(text, "worse")) {
		if (compare->nr_runs[COMPARE_BASE] < 2 || compare->nr_runs[COMPARE_PATCH] < 2)
			return diag_set(diag, ERR_USAGE, "'worse' needs two runs a side: with one "
							 "there is no verdict");
		for (i = 0; i < compare->nr_rows; i++) {
			if (compare->rows[i].verdict == VERDICT_WORSE)
				return COMPARE_HOLDS;
			any_lossy |= compare->rows[i].verdict == VERDICT_LOSSY &&
				     compare->rows[i].direction != DIRECTION_UNKNOWN;
		}
		return any_lossy ? COMPARE_UNKNOWN : COMPARE_HOLDS_NOT;
	}
	errno = 0;
	limit = *op ? strtod(op + 1, &rest) : 0;
	if (!*op || op == text || op - text >= (int)sizeof(name) ||
	    rest == op + 1 || strcmp(rest, "%") || errno || !isfinite(limit))
		return diag_set(diag, ERR_USAGE, "'%s' is not a condition: NAME>+5%%, NAME<-5%% "
						 "or worse", text);
	snprintf(name, sizeof(name), "%.*s", (int)(op - text), text);
	row = compare_find(compare, name);
	if (!row && compare->nr_zero) {
		/* rows of zeros are left out of the table, and did not change */
		unsigned side, nr_sides = 0;
		double min, max;

		for (side = 0; side < COMPARE_NR_SIDES; side++)
			nr_sides += compare_span(compare, side, name, &min, &max);
		if (nr_sides == COMPARE_NR_SIDES)
			return *op == '>' ? 0 > limit : 0 < limit;
	}
	if (!row || !row->has_change)
		return diag_set(diag, ERR_NOT_FOUND, "'%s': %s '%s'", text,
				row ? "one side has no" : "there is no row", name);
	if (row->is_lossy)
		return COMPARE_UNKNOWN;
	change = row->is_within ? 0 : row->change_percent;
	return *op == '>' ? change > limit : change < limit;
}
