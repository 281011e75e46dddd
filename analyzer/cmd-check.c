// SPDX-License-Identifier: GPL-2.0-only
/* folioscope check: what a recording is, and what is wrong or missing in it. */
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "results.h"
#include "selection.h"
#include "text.h"

#define HOW_TO_RECORD "trace-cmd record -C mono -e lru_gen -o trace.dat COMMAND"

static void help(FILE *out)
{
	fputs("Usage: folioscope check [OPTION]... [FILE]\n"
	      "Say what a recording is, what is damaged, lost or missing in it, and\n"
	      "whether the other commands can use it. Reads the whole file.\n\n"
	      "  -f, --format KIND  text or json\n"
	      CMD_READ_HELP
	      "\nExit status: 0 nothing is wrong, 1 failure, 2 usage, 3 events were lost or\n"
	      "data is damaged (the rest is usable), 4 the file cannot be used.\n", out);
}

/* A line that is wrapped when it is complete. */
struct line {
	unsigned len;
	char text[800];
};

static __attribute__((format(printf, 2, 3))) void add(struct line *line, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line->text + line->len, sizeof(line->text) - line->len, fmt, args);
	va_end(args);
	line->len += len;
	if (line->len >= sizeof(line->text))
		line->len = sizeof(line->text) - 1;
}

static void print_file(FILE *out, const struct recording_info *info)
{
	struct text_buf size;
	struct line line;
	char kernel[CMD_KERNEL_BYTES];

	fprintf(out, "file:     %s, %s", info->path, text_bytes(&size, info->file_size_bytes));
	fprintf(out,
		"\nformat:   trace.dat v%u, compression %s%s%s, %s-endian,\n"
		"          %u-bit kernel, sub-buffers of %" PRIu32 " bytes\n",
		info->version, info->codec, info->codec_version ? " " : "",
		info->codec_version ? info->codec_version : "", info->big_endian ? "big" : "little",
		8 * info->kernel_long_bytes, info->buffers[info->buffer].page_size_bytes);
	line.len = 0;
	add(&line, "kernel:   %s", info->uname ? cmd_kernel(info->uname, kernel) : "not recorded");
	text_wrap(out, line.text, 10);
	fprintf(out, "written:  by trace-cmd %s\n",
		info->writer ? info->writer : "of unknown version");
	fprintf(out, "clock:    %s%s%s%s%s%s\n", info->clock ? info->clock : "not recorded",
		info->clock_is_ns ? "" : " (raw units, not nanoseconds)",
		info->has_tsc2nsec ? ", converted to ns" : "", info->has_date ? ", date added" : "",
		info->has_offset ? ", offset added" : "",
		info->has_time_shift ? ", shifted from guest to host" : "");
	if (info->nr_options_skipped)
		fprintf(out, "options:  %u of unknown kind, skipped\n", info->nr_options_skipped);
}

static void print_buffers(FILE *out, const struct recording_info *info)
{
	unsigned i, k;

	for (i = 0; i < info->nr_buffers; i++) {
		const struct recording_buffer *buffer = &info->buffers[i];
		struct text_buf size;
		uint64_t bytes = 0;
		char line[400];

		for (k = 0; k < buffer->nr_cpus; k++)
			bytes += buffer->cpus[k].size_bytes;
		snprintf(line, sizeof(line), "%s %s%s%s: %u CPUs with data, %s%s%s%s",
			 i ? "         " : "buffers: ", buffer->name[0] ? "'" : "",
			 buffer->name[0] ? buffer->name : "top", buffer->name[0] ? "'" : "",
			 buffer->nr_cpus, text_bytes(&size, bytes), buffer->clock ? ", clock " : "",
			 buffer->clock ? buffer->clock : "",
			 i == info->buffer   ? " (is read)" :
			 buffer->has_lru_gen ? " (has lru_gen events too: --buffer)" :
					       "");
		text_wrap(out, line, 12);
	}
}

static void print_records(FILE *out, const struct recording_info *info,
			  const struct reader_totals *totals)
{
	unsigned i, nr = 0;

	fprintf(out, "records:  %" PRIu64, totals->nr_records);
	if (totals->nr_records) {
		struct text_buf first, last;

		fprintf(out,
			", from %s to %s%s\n          (here by the clock of the recording; "
			"all other commands count\n          from the first event)",
			text_seconds(&first, totals->first_ts_ns),
			text_seconds(&last, totals->last_ts_ns), info->clock_is_ns ? " s" : "");
	}
	fputc('\n', out);
	for (i = 0; i < info->nr_events; i++) {
		if (!totals->nr_by_event[i])
			continue;
		fprintf(out, "  %-34.60s %12" PRIu64 "%s", info->events[i].name,
			totals->nr_by_event[i],
			info->events[i].kind == EV_NONE ? "  not used" : "");
		fputc('\n', out);
		nr++;
	}
	if (!nr && totals->nr_records)
		fprintf(out, "  none of them of an event that the file describes\n");
}

/* The kernel's own count of a CPU of the buffer being read. */
static const struct recording_cpu_stat *cpu_stat(const struct recording_info *info,
						 int cpu)
{
	unsigned i;

	for (i = 0; i < info->nr_cpu_stats; i++)
		if (info->cpu_stats[i].cpu == cpu &&
		    info->cpu_stats[i].set == info->buffer)
			return &info->cpu_stats[i];
	return NULL;
}

/* Returns whether the kernel says that something was lost. */
static bool print_lost(FILE *out, const struct recording_info *info,
		       const struct reader_totals *totals)
{
	bool is_lossy = false;
	struct line line;
	unsigned i;

	for (i = 0; i < totals->nr_cpus; i++) {
		const struct reader_cpu_totals *cpu = &totals->cpus[i];
		const struct recording_cpu_stat *stat = cpu_stat(info, cpu->cpu);
		bool is_mentioned = cpu->nr_lost || cpu->nr_lost_unknown ||
				    cpu->nr_gaps || cpu->nr_backward;

		if (stat && (stat->nr_overrun || stat->nr_dropped ||
			     stat->nr_commit_overrun)) {
			is_mentioned = true;
			is_lossy = true;
		}
		if (!is_mentioned)
			continue;
		line.len = 0;
		add(&line, "CPU %d:", cpu->cpu);
		if (cpu->nr_lost || cpu->nr_lost_unknown) {
			add(&line, " lost %" PRIu64 " event%s", cpu->nr_lost,
			    text_plural(cpu->nr_lost));
			if (cpu->nr_lost_unknown)
				add(&line, " and %" PRIu64 " time%s an unknown number",
				    cpu->nr_lost_unknown, text_plural(cpu->nr_lost_unknown));
			add(&line, ";");
		}
		if (cpu->nr_gaps)
			add(&line, " %" PRIu64 " gap%s of %" PRIu64 " bytes;", cpu->nr_gaps,
			    text_plural(cpu->nr_gaps), cpu->gap_bytes);
		if (cpu->nr_backward)
			add(&line, " time steps back %" PRIu64 " time%s;",
				cpu->nr_backward, text_plural(cpu->nr_backward));
		if (stat)
			add(&line, " the kernel counted %" PRIu64 " overwritten, %"
			       PRIu64 " dropped", stat->nr_overrun +
			       stat->nr_commit_overrun, stat->nr_dropped);
		else
			add(&line, " the file has no count of the kernel's");
		text_wrap(out, line.text, 4);
	}
	if (totals->nr_gaps)
		fprintf(out, "lost:     an unknown number of events, in the damaged data\n");
	else if (!totals->nr_lost && !totals->nr_lost_unknown && !is_lossy)
		fprintf(out, "lost:     no event, as far as the file tells\n");
	if (totals->nr_discarded)
		fprintf(out, "discarded by the kernel (not lost): %" PRIu64 "\n",
			totals->nr_discarded);
	return is_lossy;
}

static void print_problems(FILE *out, struct reader *reader)
{
	const struct reader_problem *problem;
	struct line line;
	unsigned nr, i;

	problem = reader_problems(reader, &nr);
	fprintf(out, "problems:%s\n", nr || reader_nr_unlisted(reader) ? "" : " none");
	for (i = 0; i < nr; i++, problem++) {
		line.len = 0;
		add(&line, "  %s", err_name(problem->err));
		if (problem->cpu >= 0)
			add(&line, " CPU %d", problem->cpu);
		if (problem->has_offset)
			add(&line, " offset %" PRIu64, problem->offset_bytes);
		if (problem->size_bytes)
			add(&line, " %" PRIu64 " bytes", problem->size_bytes);
		if (problem->has_time) {
			struct text_buf buf;

			if (problem->from_ts_ns)
				add(&line, " from %s", text_seconds(&buf, problem->from_ts_ns));
			else
				add(&line, " from the beginning");
			if (problem->to_ts_ns != EV_TS_END)
				add(&line, " to %s", text_seconds(&buf, problem->to_ts_ns));
			else
				add(&line, " to the end");
		}
		add(&line, ": %s", problem->text);
		if (problem->nr > 1)
			add(&line, " (%" PRIu64 " times)", problem->nr);
		text_wrap(out, line.text, 4);
	}
	if (reader_nr_unlisted(reader))
		fprintf(out, "  and %" PRIu64 " more that are not listed\n",
			reader_nr_unlisted(reader));
}

/* Systems with the number of their events, as far as the file describes them. */
static void print_systems(FILE *out, const struct recording_info *info)
{
	unsigned i, first = 0, column;

	column = fprintf(out,
			 "          the file describes instead (system, number of its events):");
	for (i = 0; i <= info->nr_events; i++) {
		char text[80];
		int len;

		if (i && i < info->nr_events &&
		    !strcmp(info->events[i].system, info->events[i - 1].system))
			continue;
		if (i) {
			len = snprintf(text, sizeof(text), " %.50s (%u)",
				       info->events[i - 1].system, i - first);
			if (column + len > TEXT_COLUMNS) {
				fprintf(out, "\n         ");
				column = 9;
			}
			fputs(text, out);
			column += len;
		}
		first = i;
	}
	fputc('\n', out);
}

/* Returns the number of lru_gen events that the file describes. */
static unsigned print_missing(FILE *out, struct reader *reader)
{
	unsigned kind, nr_present = 0, nr_missing = 0;

	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++) {
		unsigned pos = 0;
		const char *field;

		if (!reader_has_event(reader, kind)) {
			nr_missing++;
			continue;
		}
		nr_present++;
		while ((field = reader_missing_field(reader, kind, &pos)))
			fprintf(out, "missing:  field %s of %s\n", field,
			       event_kind_event(kind));
	}
	if (!nr_present) {
		fprintf(out, "missing:  all lru_gen events: the kernel that was traced has none (it needs\n"
		       "          the tracepoint series and CONFIG_LRU_GEN_TRACE), or they were\n"
		       "          not recorded\n");
		print_systems(out, reader_info(reader));
		fprintf(out, "          record with:\n          " HOW_TO_RECORD "\n");
		return 0;
	}
	if (!nr_missing) {
		fprintf(out, "missing:  nothing, all lru_gen events are described\n");
		return nr_present;
	}
	fprintf(out, "missing:  %u lru_gen event%s, what depends on %s is not shown:\n", nr_missing,
		text_plural(nr_missing), nr_missing == 1 ? "it" : "them");
	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++)
		if (!reader_has_event(reader, kind))
			fprintf(out, "            %s\n", event_kind_event(kind));
	fprintf(out, "          to record them all:\n          " HOW_TO_RECORD "\n");
	return nr_present;
}

static int verdict(FILE *out, struct reader *reader, const struct selection *selection,
		   bool is_lossy, unsigned nr_present, const char **word)
{
	const struct reader_totals *totals = reader_totals(reader);
	const struct diag *refusal = reader_refusal(reader);
	const struct reader_problem *problems;
	unsigned nr_problems, nr_damages = 0, kind, i;
	uint64_t nr_lru_gen = 0;

	problems = reader_problems(reader, &nr_problems);
	for (i = 0; i < nr_problems; i++)
		nr_damages += problems[i].err != ERR_NOT_RECORDED;
	nr_damages += reader_nr_unlisted(reader) != 0;
	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++)
		nr_lru_gen += totals->nr_by_kind[kind];
	is_lossy |= totals->nr_lost || totals->nr_lost_unknown ||
		    totals->nr_gaps || totals->nr_bad_record ||
		    totals->nr_unknown_id || totals->nr_bad_time;
	*word = !nr_lru_gen || refusal		? "not_usable" :
		reader_info(reader)->salvaged	? "salvaged" :
		nr_damages || totals->nr_gaps	? "damaged" :
		is_lossy || nr_problems		? "lossy" :
						  "good";
	if (!nr_lru_gen && totals->nr_gaps) {
		fprintf(out, "verdict:  NOT USABLE: no lru_gen event can be read, the data is damaged\n");
		return STATUS_UNREADABLE;
	}
	if (refusal) {
		fprintf(out, "verdict:  NOT USABLE: an event that is needed cannot be decoded\n");
		return err_status(refusal->err);
	}
	if (!nr_lru_gen) {
		fprintf(out, "verdict:  NOT USABLE: no lru_gen event %s\n",
		       nr_present ? "was recorded, the kernel has them" :
		       "is in the file");
		if (nr_present)
			fprintf(out, "          record with:\n          " HOW_TO_RECORD "\n");
		return STATUS_UNREADABLE;
	}
	if (reader_info(reader)->salvaged)
		fprintf(out, "verdict:  SALVAGED: what was found is usable, it may not be all\n");
	else if (nr_damages || totals->nr_gaps)
		fprintf(out, "verdict:  DAMAGED: usable, with the gaps and problems above\n");
	else if (is_lossy)
		fprintf(out,
			"verdict:  LOSSY: usable, but the kernel lost events while recording\n");
	else if (nr_problems)
		fprintf(out, "verdict:  LOSSY: usable for single events, not all were recorded\n");
	else if (!selection_is_whole(selection))
		fprintf(out,
			"verdict:  GOOD: nothing is damaged or missing of what was selected\n");
	else
		fprintf(out, "verdict:  GOOD: complete, nothing is damaged or missing\n");
	return is_lossy || nr_problems || reader_info(reader)->salvaged ?
	       STATUS_LOSSY : STATUS_OK;
}

/* Returns 1 for more to come, 0 at the end, or a negative enum err. */
static int read_batch(struct reader *reader, struct selection *selection)
{
	const struct event *const *events;
	unsigned i, nr;
	int ret = reader_next_batch(reader, &events, &nr);

	for (i = 0; ret > 0 && i < nr; i++)
		if (events[i]->kind == EV_MARKER)
			selection_take(selection, events[i]->u.marker.text,
				       events[i]->u.marker.len_bytes);
	return ret;
}

static void print_json(struct reader *reader, const char *word, const char *text, int status)
{
	struct tables tables = { 0 };
	struct table *table;

	results_recording(reader, &tables);
	table = tables_add(&tables, &results_verdict_def);
	cell_name(table, word);
	cell_text(table, text);
	results_json_tables(stdout, "check", &tables, status);
	tables_release(&tables);
}

int cmd_check(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ 0 }
	};
	double begin_s;
	struct cmd_read_opts opts = { .path = "trace.dat" };
	struct diag diag = { 0 };
	struct reader *reader;
	enum cmd_format format = CMD_TEXT;
	const char *word = "partial";
	FILE *out = stdout;
	char *text = NULL;
	size_t text_bytes = 0;
	struct selection selection = { 0 };
	unsigned nr_present;
	bool is_lossy;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT "f:", options,
				  NULL)) != -1) {
		if (opt == 'h') {
			help(stdout);
			return cmd_finish(STATUS_OK);
		}
		if (opt == 'f') {
			ret = cmd_format("check", optarg, 1u << CMD_TEXT | 1u << CMD_JSON,
					 &format);
			if (ret)
				return ret;
			continue;
		}
		ret = cmd_read_option(&opts, "check", opt);
		if (ret)
			return ret;
	}
	ret = cmd_one_recording("check", argc, argv, &opts);
	if (ret)
		return ret;
	begin_s = pipeline_now_s();
	opts.pipeline.reader.tolerate_formats = true;
	ret = reader_open(&reader, opts.path, &opts.pipeline.reader, &diag);
	if (ret < 0)
		return cmd_fail(&diag);
	if (format == CMD_JSON) {
		out = open_memstream(&text, &text_bytes);
		if (!out) {
			reader_close(reader);
			diag_set(&diag, ERR_NOMEM, "%s", err_text(ERR_NOMEM));
			return cmd_fail(&diag);
		}
	}
	print_file(out, reader_info(reader));
	print_buffers(out, reader_info(reader));
	fflush(out);
	do {
		ret = read_batch(reader, &selection);
	} while (ret > 0 && !pipeline_interrupted);
	if (opts.pipeline.has_stats)
		pipeline_render_stats(reader, NULL, begin_s, stderr);
	print_records(out, reader_info(reader), reader_totals(reader));
	is_lossy = print_lost(out, reader_info(reader), reader_totals(reader));
	print_problems(out, reader);
	selection_render(&selection, out);
	nr_present = print_missing(out, reader);
	if (ret < 0) {
		fflush(out);
		status = cmd_fail(reader_diag(reader));
	} else if (pipeline_interrupted) {
		fprintf(out, "verdict:  PARTIAL: interrupted, the rest was not read\n");
		status = STATUS_LOSSY;
	} else {
		status = verdict(out, reader, &selection, is_lossy, nr_present, &word);
	}
	if (format == CMD_JSON) {
		fclose(out);
		if (ret >= 0)
			print_json(reader, word, text, status);
		free(text);
	}
	reader_close(reader);
	return cmd_finish(status);
}
