// SPDX-License-Identifier: GPL-2.0-only
/* folioscope check: what a recording is, and what is wrong or missing in it. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "text.h"

#define HOW_TO_RECORD "trace-cmd record -C mono -e lru_gen -o trace.dat COMMAND"

static void help(FILE *out)
{
	fputs("Usage: folioscope check [OPTION]... [FILE]\n"
	      "Say what a recording is, what is damaged, lost or missing in it, and whether\n"
	      "the other commands can use it. Reads the whole file.\n\n"
	      CMD_READ_HELP
	      "\nExit status: 0 nothing is wrong, 1 failure, 2 usage, 3 events were lost or\n"
	      "data is damaged (the rest is usable), 4 the file cannot be used.\n", out);
}

static void print_file(const struct recording_info *info)
{
	struct text_buf size;

	printf("file:     %s, %s", info->path,
	       text_bytes(&size, info->file_size_bytes));
	printf("\nformat:   trace.dat v%u, compression %s%s%s, %s-endian,\n"
	       "          %u-bit kernel, sub-buffers of %" PRIu32 " bytes\n",
	       info->version, info->codec, info->codec_version ? " " : "",
	       info->codec_version ? info->codec_version : "",
	       info->big_endian ? "big" : "little", 8 * info->kernel_long_bytes,
	       info->buffers[info->buffer].page_size_bytes);
	printf("kernel:   %s\n", info->uname ? info->uname : "not recorded");
	printf("written:  by trace-cmd %s\n",
	       info->writer ? info->writer : "of unknown version");
	printf("clock:    %s%s%s%s%s%s\n", info->clock ? info->clock : "not recorded",
	       info->clock_is_ns ? "" : " (raw units, not nanoseconds)",
	       info->has_tsc2nsec ? ", converted to ns" : "",
	       info->has_date ? ", date added" : "",
	       info->has_offset ? ", offset added" : "",
	       info->has_time_shift ? ", shifted from guest to host" : "");
	if (info->nr_options_skipped)
		printf("options:  %u of unknown kind, skipped\n",
		       info->nr_options_skipped);
}

static void print_buffers(const struct recording_info *info)
{
	unsigned i, k;

	for (i = 0; i < info->nr_buffers; i++) {
		const struct recording_buffer *buffer = &info->buffers[i];
		struct text_buf size;
		uint64_t bytes = 0;

		for (k = 0; k < buffer->nr_cpus; k++)
			bytes += buffer->cpus[k].size_bytes;
		printf("%s %s%s%s: %u CPUs with data, %s%s%s%s\n",
		       i ? "         " : "buffers: ",
		       buffer->name[0] ? "'" : "",
		       buffer->name[0] ? buffer->name : "top",
		       buffer->name[0] ? "'" : "", buffer->nr_cpus,
		       text_bytes(&size, bytes), buffer->clock ? ", clock " : "",
		       buffer->clock ? buffer->clock : "",
		       i == info->buffer ? " (this one is read)" :
		       buffer->has_lru_gen ? " (has lru_gen events too: --buffer)" : "");
	}
}

static void print_records(const struct recording_info *info,
			  const struct reader_totals *totals)
{
	unsigned i, nr = 0;

	printf("records:  %" PRIu64, totals->nr_records);
	if (totals->nr_records) {
		struct text_buf first, last;

		printf(", from %s to %s%s", text_seconds(&first, totals->first_ts_ns),
		       text_seconds(&last, totals->last_ts_ns),
		       info->clock_is_ns ? " s" : "");
	}
	putchar('\n');
	for (i = 0; i < info->nr_events; i++) {
		if (!totals->nr_by_event[i])
			continue;
		printf("  %-34.60s %12" PRIu64 "%s", info->events[i].name,
		       totals->nr_by_event[i],
		       info->events[i].kind == EV_NONE ? "  not used" : "");
		putchar('\n');
		nr++;
	}
	if (!nr && totals->nr_records)
		printf("  none of them of an event that the file describes\n");
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
static bool print_lost(const struct recording_info *info,
		       const struct reader_totals *totals)
{
	bool is_lossy = false;
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
		printf("CPU %d:", cpu->cpu);
		if (cpu->nr_lost || cpu->nr_lost_unknown) {
			printf(" lost %" PRIu64 " events", cpu->nr_lost);
			if (cpu->nr_lost_unknown)
				printf(" and %" PRIu64 " times an unknown number",
				       cpu->nr_lost_unknown);
			putchar(';');
		}
		if (cpu->nr_gaps)
			printf(" %" PRIu64 " gaps of %" PRIu64 " bytes;",
			       cpu->nr_gaps, cpu->gap_bytes);
		if (cpu->nr_backward)
			printf(" time steps back %" PRIu64 " times;",
			       cpu->nr_backward);
		if (stat)
			printf(" the kernel counted %" PRIu64 " overwritten, %"
			       PRIu64 " dropped", stat->nr_overrun +
			       stat->nr_commit_overrun, stat->nr_dropped);
		else
			printf(" the file has no count of the kernel's");
		putchar('\n');
	}
	if (!totals->nr_lost && !totals->nr_lost_unknown && !is_lossy)
		printf("lost:     no event, as far as the file tells\n");
	if (totals->nr_discarded)
		printf("discarded by the kernel (not lost): %" PRIu64 "\n",
		       totals->nr_discarded);
	if (totals->nr_zero_tail)
		printf("sub-buffers whose commit word covers zeros: %" PRIu64 "\n",
		       totals->nr_zero_tail);
	return is_lossy;
}

static void print_problems(struct reader *reader)
{
	const struct reader_problem *problem;
	unsigned nr, i;

	problem = reader_problems(reader, &nr);
	printf("problems: %s\n", nr ? "" : "none");
	for (i = 0; i < nr; i++, problem++) {
		printf("  %s", err_name(problem->err));
		if (problem->cpu >= 0)
			printf(" CPU %d", problem->cpu);
		if (problem->has_offset)
			printf(" offset %" PRIu64, problem->offset_bytes);
		if (problem->size_bytes)
			printf(" %" PRIu64 " bytes", problem->size_bytes);
		if (problem->has_time) {
			struct text_buf buf;

			if (problem->from_ts_ns)
				printf(" from %s", text_seconds(&buf, problem->from_ts_ns));
			else
				printf(" from the beginning");
			if (problem->to_ts_ns != EV_TS_END)
				printf(" to %s", text_seconds(&buf, problem->to_ts_ns));
			else
				printf(" to the end");
		}
		printf(": %s", problem->text);
		if (problem->nr > 1)
			printf(" (%" PRIu64 " times)", problem->nr);
		putchar('\n');
	}
}

/* Systems with the number of their events, as far as the file describes them. */
static void print_systems(const struct recording_info *info)
{
	unsigned i, first = 0, column = 10;

	printf("described:");
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
				printf("\n         ");
				column = 9;
			}
			fputs(text, stdout);
			column += len;
		}
		first = i;
	}
	putchar('\n');
}

/* Returns the number of lru_gen events that the file describes. */
static unsigned print_missing(struct reader *reader)
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
			printf("missing:  field %s of %s\n", field,
			       event_kind_event(kind));
	}
	if (!nr_present) {
		printf("missing:  all lru_gen events: the kernel that was traced has none (it needs\n"
		       "          the tracepoint series and CONFIG_LRU_GEN_TRACE), or they were\n"
		       "          not recorded\n");
		print_systems(reader_info(reader));
		printf("          record with: " HOW_TO_RECORD "\n");
		return 0;
	}
	if (!nr_missing) {
		printf("missing:  no lru_gen event\n");
		return nr_present;
	}
	printf("missing:  %u lru_gen events, what depends on them is not shown:\n",
	       nr_missing);
	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++)
		if (!reader_has_event(reader, kind))
			printf("            %s\n", event_kind_event(kind));
	printf("          to record them all: " HOW_TO_RECORD "\n");
	return nr_present;
}

static int verdict(struct reader *reader, bool is_lossy, unsigned nr_present)
{
	const struct reader_totals *totals = reader_totals(reader);
	unsigned nr_problems, kind;
	uint64_t nr_lru_gen = 0;

	reader_problems(reader, &nr_problems);
	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++)
		nr_lru_gen += totals->nr_by_kind[kind];
	is_lossy |= totals->nr_lost || totals->nr_lost_unknown ||
		    totals->nr_gaps || totals->nr_bad_record ||
		    totals->nr_unknown_id || totals->nr_bad_time;
	if (!nr_lru_gen) {
		printf("verdict:  NOT USABLE: no lru_gen event %s\n",
		       nr_present ? "was recorded, though the kernel has them" :
		       "is in the file");
		if (nr_present)
			printf("          record with: " HOW_TO_RECORD "\n");
		return STATUS_UNREADABLE;
	}
	if (reader_info(reader)->salvaged)
		printf("verdict:  SALVAGED: what was found is usable, it may not be all\n");
	else if (nr_problems || totals->nr_gaps)
		printf("verdict:  DAMAGED: usable, with the gaps and problems above\n");
	else if (is_lossy)
		printf("verdict:  LOSSY: usable, but the kernel lost events while recording\n");
	else
		printf("verdict:  GOOD: complete, nothing is damaged or missing\n");
	return is_lossy || nr_problems || reader_info(reader)->salvaged ?
	       STATUS_LOSSY : STATUS_OK;
}

int cmd_check(int argc, char **argv)
{
	static const struct option options[] = {
		CMD_READ_OPTIONS,
		{ 0 }
	};
	struct cmd_read_opts opts = { .path = NULL };
	struct diag diag = { 0 };
	struct reader *reader;
	const struct event *events;
	unsigned nr, nr_present;
	bool is_lossy;
	int opt, ret, status;

	while ((opt = getopt_long(argc, argv, CMD_READ_SHORT, options,
				  NULL)) != -1) {
		if (opt == 'h') {
			help(stdout);
			return cmd_finish(STATUS_OK);
		}
		ret = cmd_read_option(&opts, "check", opt);
		if (ret)
			return ret;
	}
	if (optind < argc) {
		if (opts.path || argc - optind > 1)
			return cmd_usage_error("check", "takes one FILE");
		opts.path = argv[optind];
	}
	if (!opts.path)
		opts.path = "trace.dat";

	opts.pipeline.reader.tolerate_formats = true;
	ret = reader_open(&reader, opts.path, &opts.pipeline.reader, &diag);
	if (ret < 0)
		return cmd_fail(&diag);
	print_file(reader_info(reader));
	print_buffers(reader_info(reader));
	fflush(stdout);
	do {
		ret = reader_next_batch(reader, &events, &nr);
	} while (ret > 0 && !pipeline_interrupted);
	print_records(reader_info(reader), reader_totals(reader));
	is_lossy = print_lost(reader_info(reader), reader_totals(reader));
	print_problems(reader);
	nr_present = print_missing(reader);
	if (ret < 0) {
		fflush(stdout);
		status = cmd_fail(reader_diag(reader));
	} else if (pipeline_interrupted) {
		printf("verdict:  PARTIAL: interrupted, the rest was not read\n");
		status = STATUS_LOSSY;
	} else {
		status = verdict(reader, is_lossy, nr_present);
	}
	reader_close(reader);
	return cmd_finish(status);
}
