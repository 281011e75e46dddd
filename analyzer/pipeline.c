// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "abi.h"
#include "stock.h"
#include "text.h"

/* The memory of so many events is asked for together, two such groups ahead. */
#define GROUP 16u

volatile sig_atomic_t pipeline_interrupted;

static void observe(void *self, const struct change *c)
{
	const struct pipeline *p = self;
	const struct pipeline_call *call;

	for (call = p->calls[c->kind]; call->change; call++)
		call->change(call->self, c);
}

/* Everything known is void: analyses have a function of their own for that. */
static void lose(void *self, const struct change *c)
{
	const struct pipeline *p = self;
	unsigned i;

	for (i = 0; i < p->nr_analyses; i++)
		if (analyses[i]->lost)
			analyses[i]->lost(p->selfs[i]);
}

static void observe_violation(void *self, const struct violation *v)
{
	const struct pipeline *p = self;
	const struct pipeline_violation_call *call;

	for (call = p->violation_calls; call->violation; call++)
		call->violation(call->self, v);
}

static void add_call(struct pipeline *p, enum change_kind kind,
		     void (*change)(void *self, const struct change *c), void *self)
{
	struct pipeline_call *call = p->calls[kind];

	while (call->change)
		call++;
	*call = (struct pipeline_call){ change, self };
}

static void add_violation_call(struct pipeline *p,
			       void (*violation)(void *self, const struct violation *v), void *self)
{
	struct pipeline_violation_call *call = p->violation_calls;

	while (call->violation)
		call++;
	*call = (struct pipeline_violation_call){ violation, self };
}

/* Have an analysis called for what it is there for; for losses see lose(). */
static void note_interests(struct pipeline *p, unsigned number)
{
	const struct analysis_ops *ops = analyses[number];
	unsigned kind;

	for (kind = 0; kind < CHANGE_NR; kind++)
		if (kind != CHANGE_LOST && (!ops->kinds || ops->kinds >> kind & 1))
			add_call(p, kind, ops->change, p->selfs[number]);
	if (ops->violation)
		add_violation_call(p, ops->violation, p->selfs[number]);
}

/* The hooks of the command come last. */
static void note_hooks(struct pipeline *p)
{
	unsigned kind;

	p->has_event_hooks = p->on_event || p->wants_event || p->after_event;
	for (kind = 0; p->on_change && kind < CHANGE_NR; kind++)
		add_call(p, kind, p->on_change, p->hook_self);
	if (p->on_violation)
		add_violation_call(p, p->on_violation, p->hook_self);
}

int pipeline_open(struct pipeline *p, const char *path, const struct pipeline_opts *opts,
		  struct diag *diag)
{
	int ret;

	memset(p, 0, sizeof(*p));
	p->path = path;
	p->no_progress = opts->no_progress;
	p->has_stats = opts->has_stats;
	p->no_model = opts->no_model;
	p->analysis_opts = opts->analysis;
	ret = reader_open(&p->reader, path, &opts->reader, diag);
	if (ret)
		return ret;
	ret = abi_map(p->reader, &p->nr_unknown_names);
	if (ret) {
		diag_set(diag, -ret, "%s: %s", path, err_text(ret));
		goto fail;
	}
	p->model = model_new(observe, p);
	if (!p->model)
		goto no_memory;
	model_select(p->model, &p->selection);
	p->env.model = p->model;
	p->env.info = reader_info(p->reader);
	p->env.opts = &p->analysis_opts;
	p->env.on_violation = observe_violation;
	p->env.violation_self = p;
	while (!opts->no_analyses && !opts->no_model && analyses[p->nr_analyses]) {
		p->selfs[p->nr_analyses] = analyses[p->nr_analyses]->begin(&p->env);
		if (!p->selfs[p->nr_analyses])
			goto no_memory;
		note_interests(p, p->nr_analyses++);
	}
	add_call(p, CHANGE_LOST, lose, p);
	return 0;

no_memory:
	ret = diag_set(diag, ERR_NOMEM, "%s: %s", path, err_text(ERR_NOMEM));
fail:
	pipeline_release(p);
	return ret;
}

void pipeline_release(struct pipeline *p)
{
	unsigned i;

	for (i = 0; i < p->nr_analyses; i++)
		analyses[i]->release(p->selfs[i]);
	p->nr_analyses = 0;
	model_free(p->model);
	p->model = NULL;
	reader_close(p->reader);
	p->reader = NULL;
}

double pipeline_now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void show_progress(struct pipeline *p, double since_s)
{
	double seconds = pipeline_now_s() - since_s;
	uint64_t total_bytes, done_bytes = reader_progress(p->reader, &total_bytes);

	if (seconds < 1e-3)
		seconds = 1e-3;
	fprintf(stderr, "\r%3.0f%%  %.0f MB/s  %.1f M events/s ",
		total_bytes ? 100.0 * done_bytes / total_bytes : 0, done_bytes / seconds / 1e6,
		p->nr_items / seconds / 1e6);
	fflush(stderr);
}

static double timeval_s(const struct timeval *tv)
{
	return tv->tv_sec + tv->tv_usec * 1e-6;
}

void pipeline_render_stats(struct reader *reader, const struct model *model, double begin_s,
			   FILE *out)
{
	const struct reader_totals *totals = reader_totals(reader);
	double wall_s = pipeline_now_s() - begin_s, cpu_s;
	uint64_t nr = totals->nr_records ? totals->nr_records : 1;
	struct text_buf a, b;
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	cpu_s = timeval_s(&usage.ru_utime) + timeval_s(&usage.ru_stime);
	wall_s = wall_s > 1e-6 ? wall_s : 1e-6;
	cpu_s = cpu_s > 1e-6 ? cpu_s : 1e-6;
	fprintf(out, "stats: %llu records in %.3f s, %.2f M/s; CPU %.3f s, %.2f M/s\n",
		(unsigned long long)totals->nr_records, wall_s, totals->nr_records / wall_s / 1e6,
		cpu_s, totals->nr_records / cpu_s / 1e6);
	fprintf(out, "stats: %.1f bytes a record in the file, %.1f inflated\n",
		(double)totals->file_bytes / nr, (double)totals->raw_bytes / nr);
	fprintf(out, "stats: peak memory %s", text_bytes(&a, (uint64_t)usage.ru_maxrss << 10));
	if (model)
		fprintf(out, ", tables of folios, lists and pages %s",
			text_bytes(&b, model_bytes(model)));
	fputc('\n', out);
}

/* Which events there are instead, the most frequent first. */
static int no_events(struct pipeline *p, struct diag *diag)
{
	const struct recording_info *info = reader_info(p->reader);
	const struct reader_totals *totals = reader_totals(p->reader);
	char list[200] = "";
	unsigned i, named, nr_kinds = 0, best;
	bool used[1024] = { false }, has_stock = false;

	for (i = 0; i < info->nr_events; i++)
		nr_kinds += totals->nr_by_event[i] != 0;
	for (i = 0; i < EV_NR; i++)
		has_stock |= stock_is_event(i) && totals->nr_by_kind[i];
	for (named = 0; named < 3; named++) {
		best = info->nr_events;
		for (i = 0; i < info->nr_events && i < 1024; i++)
			if (totals->nr_by_event[i] && !used[i] &&
			    (best == info->nr_events ||
			     totals->nr_by_event[i] > totals->nr_by_event[best]))
				best = i;
		if (best == info->nr_events)
			break;
		used[best] = true;
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s:%s (%llu)",
			 named ? ", " : "", info->events[best].system, info->events[best].name,
			 (unsigned long long)totals->nr_by_event[best]);
	}
	if (totals->nr_gaps)
		return diag_set(diag, ERR_NO_EVENTS,
				"%s: no lru_gen event can be read: %llu bytes of %llu are damaged or missing; folioscope check says where",
				p->path, (unsigned long long)totals->gap_bytes,
				(unsigned long long)info->data_bytes);
	return diag_set(diag, ERR_NO_EVENTS,
			"%s: no lru_gen events; it has %s%s; record on a kernel with "
			"CONFIG_LRU_GEN_TRACE: trace-cmd record -C mono -e lru_gen%s",
			p->path, named ? list : "no events at all",
			nr_kinds > named ? " and others" : "",
			has_stock ? "; folioscope report shows what stock events tell" : "");
}

/*
 * The kernel counts events of a CPU that were overwritten, and nothing in the data
 * says where: they were the oldest. What other CPUs logged before its first event
 * is in doubt, as in any loss.
 */
static int assume_beginnings(struct pipeline *p, const struct event *const *ev, unsigned nr)
{
	const struct recording_info *info = reader_info(p->reader);
	const struct reader_totals *totals = reader_totals(p->reader);
	unsigned i, k, m;
	int ret = 0;

	for (i = 0; i < info->nr_cpu_stats && !ret; i++) {
		const struct recording_cpu_stat *stat = &info->cpu_stats[i];
		bool is_marked = false;
		struct event loss = {
			.kind = EV_LOST,
			.cpu = stat->cpu,
			.ts_ns = totals->first_ts_ns,
			.u.lost = { .nr_lost = stat->nr_overrun },
		};

		if (stat->set != info->buffer || !stat->has_overrun || !stat->nr_overrun)
			continue;
		for (k = 0; k < nr && (ev[k]->kind == EV_LOST || ev[k]->kind == EV_GAP); k++)
			is_marked |= ev[k]->cpu == stat->cpu && !ev[k]->u.lost.from_ts_ns;
		for (m = 0; m < totals->nr_cpus && totals->cpus[m].cpu != stat->cpu; m++)
			;
		if (is_marked || m == totals->nr_cpus)
			continue;
		loss.u.lost.to_ts_ns = totals->cpus[m].first_ts_ns ? totals->cpus[m].first_ts_ns :
								     EV_TS_END;
		p->nr_beginnings_lost++;
		ret = model_apply(p->model, &loss);
	}
	return ret;
}

/* Where events of a kind are missing, nothing is known between those of the others. */
static int doubt_all(struct pipeline *p)
{
	struct event loss = {
		.kind = EV_LOST,
		.ts_ns = reader_totals(p->reader)->first_ts_ns,
		.u.lost = { .to_ts_ns = EV_TS_END, .nr_lost = EV_LOST_UNKNOWN },
	};

	return reader_can_follow(p->reader) ? 0 : model_apply(p->model, &loss);
}

static int apply_event(struct pipeline *p, const struct event *ev, struct folio *f)
{
	int err;

	if (!p->has_first && ev->kind != EV_LOST && ev->kind != EV_GAP) {
		p->has_first = true;
		p->first_ts_ns = p->env.first_ts_ns = ev->ts_ns;
	}
	if (ev->ts_ns > p->last_ts_ns)
		p->last_ts_ns = ev->ts_ns;
	if (ev->kind == EV_MARKER)
		selection_take(&p->selection, ev->u.marker.text, ev->u.marker.len_bytes);
	if (!p->has_event_hooks && !p->no_model)
		return model_apply_found(p->model, ev, f);
	if (p->on_event)
		p->on_event(p->hook_self, ev);
	if (p->no_model || (p->wants_event && !p->wants_event(p->hook_self, ev)))
		return 0;
	err = model_apply_found(p->model, ev, f);
	if (!err && p->after_event)
		p->after_event(p->hook_self, ev);
	return err;
}

static unsigned group_size(unsigned nr, unsigned first)
{
	if (first >= nr)
		return 0;
	return nr - first < GROUP ? nr - first : GROUP;
}

/* While a group of events is applied, the memory of the next two is on its way. */
static int apply_batch(struct pipeline *p, const struct event *const *ev, unsigned nr)
{
	struct folio *folios[3][GROUP], **far = folios[0], **near = folios[1], **now = folios[2];
	unsigned first, nr_now, i;
	int err;

	for (first = 0; first < nr + 2 * GROUP; first += GROUP) {
		struct folio **done = now;

		now = near;
		near = far;
		far = done;
		model_look_far(p->model, ev + first, group_size(nr, first), far);
		if (first >= GROUP)
			model_look_near(p->model, ev + first - GROUP, group_size(nr, first - GROUP),
					near);
		nr_now = first < 2 * GROUP ? 0 : group_size(nr, first - 2 * GROUP);
		for (i = 0; i < nr_now; i++) {
			err = apply_event(p, ev[first - 2 * GROUP + i], now[i]);
			if (err)
				return err;
		}
	}
	return 0;
}

int pipeline_run(struct pipeline *p, struct diag *diag)
{
	bool progress = !p->no_progress && isatty(STDERR_FILENO);
	double begin_s = pipeline_now_s(), shown_s = begin_s;
	const struct event *const *ev;
	unsigned i, nr;
	int ret;

	note_hooks(p);
	while ((ret = reader_next_batch(p->reader, &ev, &nr)) > 0) {
		if (!p->nr_items) {
			int err = assume_beginnings(p, ev, nr);

			if (!err && !p->no_model)
				err = doubt_all(p);
			if (err)
				return diag_set(diag, -err, "%s: %s", p->path, err_text(err));
		}
		ret = apply_batch(p, ev, nr);
		if (ret)
			return diag_set(diag, -ret, "%s: %s", p->path, err_text(ret));
		p->nr_items += nr;
		if (pipeline_interrupted) {
			p->stopped = true;
			break;
		}
		if (progress && pipeline_now_s() - shown_s > 0.2) {
			shown_s = pipeline_now_s();
			show_progress(p, begin_s);
		}
	}
	if (progress && shown_s > begin_s)
		fprintf(stderr, "\r%40s\r", "");
	if (p->has_stats)
		pipeline_render_stats(p->reader, p->model, begin_s, stderr);
	if (ret < 0) {
		*diag = *reader_diag(p->reader);
		return ret;
	}
	if (!model_stats(p->model)->nr_events && !p->stopped && !p->no_model)
		return no_events(p, diag);
	if (p->before_end)
		p->before_end(p->hook_self);
	model_finish(p->model, p->last_ts_ns, p->stopped);
	for (i = 0; i < p->nr_analyses; i++)
		if (analyses[i]->end)
			analyses[i]->end(p->selfs[i]);
	return 0;
}

void *pipeline_self(const struct pipeline *p, const struct analysis_ops *ops)
{
	unsigned i;

	for (i = 0; i < p->nr_analyses; i++)
		if (analyses[i] == ops)
			return p->selfs[i];
	return NULL;
}

uint64_t pipeline_since(const struct pipeline *p, uint64_t ts_ns)
{
	return ts_ns > p->first_ts_ns ? ts_ns - p->first_ts_ns : 0;
}

int64_t pipeline_offset(const struct pipeline *p, uint64_t ts_ns)
{
	return ts_ns - p->first_ts_ns;
}

uint64_t pipeline_overrun(struct pipeline *p)
{
	const struct recording_info *info = reader_info(p->reader);
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < info->nr_cpu_stats; i++)
		sum += info->cpu_stats[i].nr_overrun + info->cpu_stats[i].nr_dropped +
		       info->cpu_stats[i].nr_commit_overrun;
	return sum;
}

/* The next analysis from number *@i on whose memory ran out, NULL: none. */
static const struct analysis_ops *next_incomplete(const struct pipeline *p, unsigned *i)
{
	while (*i < p->nr_analyses) {
		unsigned number = (*i)++;

		if (analyses[number]->incomplete &&
		    analyses[number]->incomplete(p->selfs[number]))
			return analyses[number];
	}
	return NULL;
}

enum exit_status pipeline_status(struct pipeline *p)
{
	const struct reader_totals *totals = reader_totals(p->reader);
	const struct model_stats *stats = model_stats(p->model);
	unsigned nr_problems, i = 0;

	reader_problems(p->reader, &nr_problems);
	if (totals->nr_lost || totals->nr_lost_unknown || totals->nr_gaps || totals->nr_bad_record ||
	    totals->nr_unknown_id || totals->nr_bad_time || nr_problems ||
	    reader_nr_unlisted(p->reader) || pipeline_overrun(p) ||
	    p->nr_unknown_names || stats->nr_refused || model_nr_errors(p->model) || p->stopped ||
	    reader_info(p->reader)->salvaged || next_incomplete(p, &i))
		return STATUS_LOSSY;
	return STATUS_OK;
}

static void render_errors(struct pipeline *p, FILE *out)
{
	const struct model_stats *stats = model_stats(p->model);
	struct text_buf a, b;
	unsigned i;

	for (i = 0; i < STATE_ERROR_NR; i++)
		if (stats->nr_errors[i])
			fprintf(out, "  %llu times: a folio %s%s\n",
				(unsigned long long)stats->nr_errors[i],
				i == STATE_ERROR_SEQ_UNSEEN || i == STATE_ERROR_GEN_UNSEEN ||
						i == STATE_ERROR_GEN_LATE ||
						i == STATE_ERROR_IMPOSSIBLE ?
					"or lruvec: " :
					"",
				state_error_text(i));
	for (i = 0; i < stats->nr_samples && i < 5; i++) {
		const struct state_error_sample *s = &stats->samples[i];

		fprintf(out, "  e.g. pfn 0x%llx: %s at %ss by %s,\n       after %s at %ss by %s\n",
			(unsigned long long)s->pfn, event_kind_name(s->kind),
			text_seconds(&a, pipeline_since(p, s->ts_ns)), site_name(s->site),
			event_kind_name(s->previous_kind),
			text_seconds(&b, pipeline_since(p, s->previous_ns)),
			site_name(s->previous_site));
	}
}

/* How many is known of what the kernel dropped, not of what cannot be read. */
static void render_lost(const struct reader_totals *totals, uint64_t overrun, FILE *out)
{
	const char *separator = ": ";
	char line[300];
	struct text_buf buf;
	int len = 0;

	if (totals->nr_lost || (!totals->nr_lost_unknown && !totals->nr_gaps)) {
		len += snprintf(line, sizeof(line), "%s%llu event%s", separator,
				(unsigned long long)totals->nr_lost, text_plural(totals->nr_lost));
		separator = ", and ";
	}
	if (totals->nr_lost_unknown) {
		len += snprintf(line + len, sizeof(line) - len, "%s%llu time%s an unknown number",
				separator, (unsigned long long)totals->nr_lost_unknown,
				text_plural(totals->nr_lost_unknown));
		separator = ", and ";
	}
	if (totals->nr_gaps)
		len += snprintf(line + len, sizeof(line) - len,
				"%san unknown number in %llu damaged stretch%s (%s)", separator,
				(unsigned long long)totals->nr_gaps, totals->nr_gaps == 1 ? "" : "es",
				text_bytes(&buf, totals->gap_bytes));
	if (overrun)
		snprintf(line + len, sizeof(line) - len, "; the kernel counts %llu",
			 (unsigned long long)overrun);
	text_wrap(out, line, 2);
}

/* What is damaged, and where: times as in the rest of a report. */
static void render_problem(const struct pipeline *p, const struct reader_problem *problem, FILE *out)
{
	char line[400];
	struct text_buf from, to;
	int len = snprintf(line, sizeof(line), "  ");

	if (problem->cpu >= 0)
		len += snprintf(line + len, sizeof(line) - len, "CPU %d, ", problem->cpu);
	if (problem->has_time)
		len += snprintf(line + len, sizeof(line) - len, "from %s%s to %s%s, ",
				problem->from_ts_ns ?
					text_seconds(&from, pipeline_since(p, problem->from_ts_ns)) :
					"the beginning",
				problem->from_ts_ns ? "s" : "",
				problem->to_ts_ns != EV_TS_END ?
					text_seconds(&to, pipeline_since(p, problem->to_ts_ns)) :
					"the end",
				problem->to_ts_ns != EV_TS_END ? "s" : "");
	if (problem->has_offset)
		len += snprintf(line + len, sizeof(line) - len, "at byte %llu of the file: ",
				(unsigned long long)problem->offset_bytes);
	snprintf(line + len, sizeof(line) - len, "%s", problem->text);
	text_wrap(out, line, 2);
}

/* Of the classic LRU there are few events: what they do not tell is not zero. */
static void render_lru(enum model_lru lru, FILE *out)
{
	if (lru == MODEL_LRU_MULTI_GEN)
		return;
	if (lru == MODEL_LRU_UNKNOWN) {
		text_alarm(out, "LRU UNKNOWN");
		fputs(": no folio was seen on a generation list, none was reclaimed:\n"
		      "  whether the multi-gen LRU was on is not known. Nor are, and they are not\n"
		      "  zero, scans, order, ages, refaults, and most of lifetimes\n", out);
		return;
	}
	text_alarm(out, "CLASSIC LRU");
	if (lru == MODEL_LRU_CLASSIC)
		fputs(": folios were reclaimed, none was on a generation list: the\n"
		      "  multi-gen LRU was off. Its events tell what reclaim did with a folio,\n"
		      "  MADV_FREE, migration and swap-ins; unknown, and not zero, are scans,\n"
		      "  order, ages, refaults, and most of lifetimes\n", out);
	else
		fputs(": the multi-gen LRU was off at times or in some memcg; scans,\n"
		      "  moves, refaults and lives of folios on the classic lists are unknown\n", out);
}

void pipeline_render_caveats(struct pipeline *p, FILE *out, bool brief)
{
	const struct reader_totals *totals = reader_totals(p->reader);
	const struct model_stats *stats = model_stats(p->model);
	const struct reader_problem *problems;
	const struct analysis_ops *ops;
	unsigned i, nr_problems;
	uint64_t overrun = pipeline_overrun(p);
	struct text_buf buf;

	selection_render(&p->selection, out);
	for (i = 0; (ops = next_incomplete(p, &i));) {
		text_alarm(out, "INCOMPLETE");
		fprintf(out, ": memory ran out in the analysis %s\n", ops->name);
	}
	if (p->stopped) {
		text_alarm(out, "PARTIAL");
		fprintf(out, ": interrupted, the rest of the file was not read\n");
	}
	if (totals->nr_lost || totals->nr_lost_unknown || totals->nr_gaps || overrun) {
		text_alarm(out, "LOST");
		render_lost(totals, overrun, out);
		fprintf(out, "  %llu %s cut; nothing is claimed across a loss\n",
			(unsigned long long)stats->nr_ended_lost,
			stats->nr_ended_lost == 1 ? "life was" : "lives were");
		fprintf(out, "  proved all the same: %llu lives from beginning to end; %llu of\n"
			     "  %llu events came while a loss lasted and stand alone\n",
			(unsigned long long)stats->nr_whole,
			(unsigned long long)stats->nr_in_loss,
			(unsigned long long)stats->nr_events);
		if (p->nr_beginnings_lost)
			fprintf(out, "  the beginning of %u CPU%s may be overwritten: what others logged "
				     "before it\n  is in doubt\n",
				p->nr_beginnings_lost, p->nr_beginnings_lost == 1 ? "" : "s");
		else if (overrun && !totals->nr_lost && !totals->nr_lost_unknown)
			fprintf(out, "  the file does not say where: order and lifetimes may be wrong\n");
	} else if (!brief) {
		fprintf(out, "lost events: none\n");
	}
	if (stats->nr_events)
		render_lru(model_lru(p->model), out);
	problems = reader_problems(p->reader, &nr_problems);
	for (i = 0; i < nr_problems && i < 5; i++) {
		text_alarm(out, problems[i].err == ERR_NOT_RECORDED ? "NOT RECORDED:" :
								      "DAMAGED:");
		fputc('\n', out);
		render_problem(p, &problems[i], out);
	}
	if (nr_problems + reader_nr_unlisted(p->reader) > i)
		fprintf(out, "  and %llu more, see folioscope check\n",
			(unsigned long long)(nr_problems + reader_nr_unlisted(p->reader) - i));
	if (totals->nr_bad_record || totals->nr_unknown_id || stats->nr_refused) {
		text_alarm(out, "REFUSED");
		fprintf(out, ": %llu short records, %llu of unknown events,\n"
			     "  %llu with impossible values\n",
			(unsigned long long)totals->nr_bad_record,
			(unsigned long long)totals->nr_unknown_id,
			(unsigned long long)stats->nr_refused);
	}
	if (p->nr_unknown_names) {
		text_alarm(out, "UNKNOWN");
		fprintf(out, ": the file uses %u enum names that this version does not know\n",
			p->nr_unknown_names);
	}
	if (model_nr_errors(p->model)) {
		text_alarm(out, "CONTRADICTIONS");
		fprintf(out, ": %llu, a bug in the kernel or in folioscope\n",
			(unsigned long long)model_nr_errors(p->model));
		render_errors(p, out);
	} else if (!brief) {
		fprintf(out, "contradictions: none\n");
	}
	if (brief)
		return;
	fprintf(out, "lives of unknown beginning: %llu of %llu; cut by a loss: %llu\n",
		(unsigned long long)stats->nr_born_unknown, (unsigned long long)stats->nr_lives,
		(unsigned long long)stats->nr_ended_lost);
	fprintf(out, "events put in order by their generations: %llu",
		(unsigned long long)stats->nr_awaited);
	if (stats->nr_awaited)
		fprintf(out, ", at most %s late", text_duration(&buf, stats->max_late_ns));
	fputc('\n', out);
	if (stats->nr_putback_assumed)
		fprintf(out, "taken off and added again, assumed the same life: %llu\n",
			(unsigned long long)stats->nr_putback_assumed);
}
