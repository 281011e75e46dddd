// SPDX-License-Identifier: GPL-2.0-only
#include "cmd.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "results.h"
#include "text.h"

int cmd_usage_error(const char *command, const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "folioscope %s: ", command);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, "; see folioscope %s --help\n", command);
	return STATUS_USAGE;
}

int cmd_option_error(const char *command)
{
	fprintf(stderr, "folioscope %s --help lists the options\n", command);
	return STATUS_USAGE;
}

int cmd_fail(const struct diag *diag)
{
	fprintf(stderr, "folioscope: %s\n", diag->text);
	return err_status(diag->err);
}

int cmd_finish(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		/* who reads has enough, and a shell does not say so either */
		if (errno == EPIPE)
			return STATUS_FAILED;
		fprintf(stderr, "folioscope: cannot write the output: %s\n", strerror(errno));
		return STATUS_FAILED;
	}
	return status;
}

bool cmd_number(const char *text, uint64_t *ret)
{
	unsigned long long value;
	char *rest;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &rest, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
	if (errno || *rest || rest == text)
		return false;
	*ret = value;
	return true;
}

bool cmd_duration(const char *text, uint64_t *ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	char *rest;
	double value;
	unsigned i;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtod(text, &rest);
	if (errno || rest == text)
		return false;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(rest, units[i].unit))
			continue;
		if (value * units[i].ns >= 1.8e19)
			return false;
		*ns = value * units[i].ns + 0.5;
		return true;
	}
	return false;
}

int cmd_format(const char *command, const char *name, unsigned allowed, enum cmd_format *ret)
{
	static const char *const names[] = { "text", "json", "jsonl", "csv" };
	unsigned i;

	for (i = 0; i < CMD_NR; i++) {
		if (strcmp(name, names[i]) || !(allowed & 1u << i))
			continue;
		*ret = i;
		return 0;
	}
	return cmd_usage_error(command, "no format is called '%s'", name);
}

int cmd_read_option(struct cmd_read_opts *opts, const char *command, int opt)
{
	uint64_t value;

	switch (opt) {
	case 'i':
		opts->path = optarg;
		opts->has_input = true;
		return 0;
	case 'j':
		if (!cmd_number(optarg, &value) || value < 1 || value > 1024)
			return cmd_usage_error(command, "-j takes a number from 1 to 1024, not '%s'",
					       optarg);
		opts->pipeline.reader.nr_threads = value;
		return 0;
	case OPT_BUFFER:
		opts->pipeline.reader.buffer = optarg;
		return 0;
	case OPT_SALVAGE:
		opts->pipeline.reader.salvage = true;
		return 0;
	case OPT_COLOR:
		if (!strcmp(optarg, "always") || !strcmp(optarg, "never"))
			text_set_color(*optarg == 'a');
		else if (strcmp(optarg, "auto"))
			return cmd_usage_error(command, "--color takes auto, always or never, not '%s'",
					       optarg);
		return 0;
	case OPT_STATS:
		opts->pipeline.has_stats = true;
		return 0;
	case 'q':
		opts->pipeline.no_progress = true;
		return 0;
	default:
		return cmd_option_error(command);
	}
}

/*
 * The terminal. fd 1 goes to a temporary file while a command runs, so that the
 * length is known before a pager is started and progress can be shown meanwhile.
 */
static int terminal_fd = -1;

void cmd_screen_begin(void)
{
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	const char *pager = getenv("PAGER");
	FILE *held;

	if (!isatty(STDOUT_FILENO))
		return;
	if (!term || !strcmp(term, "dumb"))
		return;
	text_set_color(!no_color || !*no_color);
	if (pager && (!pager[strspn(pager, " \t\n")] || !strcmp(pager, "cat")))
		return;
	held = tmpfile();
	if (!held)
		return;		/* then without a pager */
	terminal_fd = dup(STDOUT_FILENO);
	if (terminal_fd >= 0 && dup2(fileno(held), STDOUT_FILENO) < 0) {
		close(terminal_fd);
		terminal_fd = -1;
	}
	fclose(held);
}

int cmd_output(const char *command, const char *name, const char **ret)
{
	if (!*name)
		return cmd_usage_error(command, "the name of the output is empty");
	*ret = name;
	return 0;
}

int cmd_binary(const char *command, const char *name)
{
	if (!strcmp(name, "-") && (terminal_fd >= 0 || isatty(STDOUT_FILENO)))
		return cmd_usage_error(command, "this is binary data, and the output a terminal");
	return 0;
}

/* Lines on fd 1, which is a file; its offset is left at the beginning. */
static unsigned long count_lines(void)
{
	unsigned long nr = 0;
	char buf[8192];
	ssize_t len;
	off_t at = 0;

	while ((len = pread(STDOUT_FILENO, buf, sizeof(buf), at)) > 0) {
		ssize_t i;

		for (i = 0; i < len; i++)
			nr += buf[i] == '\n';
		at += len;
	}
	lseek(STDOUT_FILENO, 0, SEEK_SET);
	return nr;
}

static void copy_to_terminal(int from_fd)
{
	char buf[8192];
	ssize_t len;

	while ((len = read(from_fd, buf, sizeof(buf))) > 0) {
		ssize_t done = 0, more;

		for (; done < len; done += more) {
			more = write(STDOUT_FILENO, buf + done, len - done);
			if (more <= 0)
				return;
		}
	}
}

void cmd_screen_end(void)
{
	const char *pager = getenv("PAGER");
	struct winsize size;
	unsigned long nr_lines;
	int held_fd, status;
	pid_t pid;

	if (terminal_fd < 0)
		return;
	fflush(stdout);
	nr_lines = count_lines();
	held_fd = dup(STDOUT_FILENO);
	dup2(terminal_fd, STDOUT_FILENO);
	close(terminal_fd);
	terminal_fd = -1;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || nr_lines < size.ws_row)
		goto no_pager;
	pid = fork();
	if (pid < 0)
		goto no_pager;
	if (!pid) {
		dup2(held_fd, STDIN_FILENO);
		close(held_fd);
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", pager ? pager : "less", (char *)NULL);
		_exit(127);
	}
	signal(SIGINT, SIG_IGN);
	/* 126, 127: the shell's, for what it cannot execute and cannot find */
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
		goto no_pager;
	close(held_fd);
	return;

no_pager:
	lseek(held_fd, 0, SEEK_SET);
	copy_to_terminal(held_fd);
	close(held_fd);
}

static void render_kinds(struct pipeline *p, FILE *out)
{
	const struct reader_totals *totals = reader_totals(p->reader);
	uint64_t nr_other = totals->nr_other;
	unsigned kind, nr_kinds = 0, column = 0;

	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++)
		nr_kinds += totals->nr_by_kind[kind] != 0;
	fprintf(out, "lru_gen events%s\n", nr_kinds ? ", by kind:" : ": none");
	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++) {
		if (!totals->nr_by_kind[kind])
			continue;
		fprintf(out, "  %-10s %10llu", event_kind_name(kind),
			(unsigned long long)totals->nr_by_kind[kind]);
		if (++column % 3 == 0)
			fputc('\n', out);
	}
	if (column % 3)
		fputc('\n', out);
	for (kind = EV_HITSHIELD + 1; kind < EV_LOST; kind++)
		nr_other += totals->nr_by_kind[kind];
	fprintf(out, "other events: %llu\n", (unsigned long long)nr_other);
}

const char *cmd_kernel(const char *uname, char buf[CMD_KERNEL_BYTES])
{
	static const char nameless[] = " (none) ";
	const char *at = strstr(uname, nameless);

	if (at)
		snprintf(buf, CMD_KERNEL_BYTES, "%.*s %s", (int)(at - uname), uname,
			 at + sizeof(nameless) - 1);
	else
		snprintf(buf, CMD_KERNEL_BYTES, "%s", uname);
	return buf;
}

void cmd_render_recording(struct pipeline *p, FILE *out)
{
	const struct recording_info *info = reader_info(p->reader);
	const struct reader_totals *totals = reader_totals(p->reader);
	const char *name = strrchr(p->path, '/');
	uint64_t span = totals->last_ts_ns - totals->first_ts_ns;
	struct text_buf a, b;
	char kernel[CMD_KERNEL_BYTES];

	fprintf(out, "recording:   %s (v%u %s, %s)\n", name ? name + 1 : p->path, info->version,
		info->codec ? info->codec : "none", text_bytes(&a, info->file_size_bytes));
	fprintf(out, "kernel:      %.62s\n",
		info->uname ? cmd_kernel(info->uname, kernel) : "not in the file");
	fprintf(out, "clock:       %s%s\n", info->clock ? info->clock : "not in the file",
		info->clock && !strcmp(info->clock, "mono") ?
			"" :
			" (events of two CPUs may be out of order: use -C mono)");
	fprintf(out, "CPUs:        %u with data; %s from first to last event\n", totals->nr_cpus,
		info->clock_is_ns ? text_duration(&b, span) : "unknown time");
	render_kinds(p, out);
}

#define MAX_MEMCGS_NAMED 12

bool cmd_has_memcg(const struct pipeline *p, uint64_t memcg)
{
	uint64_t named[MAX_MEMCGS_NAMED], other;
	unsigned nr = 0, i;
	uint32_t k;

	for (k = 0; k < model_nr_lruvecs(p->model); k++) {
		other = model_lruvec(p->model, k)->memcg;
		if (other == memcg)
			return true;
		for (i = 0; i < nr && named[i] != other; i++)
			;
		if (i == nr && nr < MAX_MEMCGS_NAMED)
			named[nr++] = other;
	}
	if (p->stopped) {
		fprintf(stderr, "folioscope: %s: interrupted, no event of memcg %llu up to then\n",
			p->path, (unsigned long long)memcg);
		return false;
	}
	fprintf(stderr, "folioscope: %s: no event of memcg %llu; there %s", p->path,
		(unsigned long long)memcg, nr == 1 ? "is" : "are");
	for (i = 0; i < nr; i++)
		fprintf(stderr, "%s %llu", i ? "," : "", (unsigned long long)named[i]);
	fprintf(stderr, "%s\n", nr == MAX_MEMCGS_NAMED ? ", ... (report -f json has all)" :
				nr			? "" :
							  " none");
	return false;
}

int cmd_memcg(const char *command, const char *text, uint64_t *memcg)
{
	if (cmd_number(text, memcg))
		return 0;
	return cmd_usage_error(command, "--memcg takes a cgroup id (the inode number of its "
					"directory), not '%s'", text);
}

int cmd_pfn_range(const char *command, const char *text, uint64_t *from, uint64_t *to)
{
	size_t len = strcspn(text, "-");
	char first[32];

	snprintf(first, sizeof(first), "%.*s", len < sizeof(first) ? (int)len : 0, text);
	if (cmd_number(first, from) && cmd_number(text[len] ? text + len + 1 : first, to) &&
	    *from <= *to)
		return 0;
	return cmd_usage_error(command, "--pfn takes N or N-M, not '%s'", text);
}

int cmd_add_pfn(const char *command, const char *text, struct chosen *chosen)
{
	uint64_t pfn;

	if (!cmd_number(text, &pfn))
		return cmd_usage_error(command, "'%s' is not a page frame number", text);
	if (!chosen_add(chosen, pfn))
		return cmd_usage_error(command, "--pfn for more than %u page frames", CHOSEN_MAX);
	return 0;
}

bool cmd_has_pfn(const struct pipeline *p, uint64_t pfn)
{
	const struct folio *f = folio_table_find(model_folios(p->model), pfn);

	return f && f->life;
}

int cmd_no_pfns(const struct pipeline *p, uint64_t from, uint64_t to)
{
	const struct folio_table *folios = model_folios(p->model);
	uint64_t pfn, lowest = UINT64_MAX, highest = 0;
	const struct folio *f;
	uint32_t handle = 0;

	fprintf(stderr, "folioscope: %s: ", p->path);
	while ((f = folio_table_next(folios, &handle, &pfn))) {
		if (!f->life)
			continue;
		if (from == to && pfn < from && from - pfn < 1ull << f->order) {
			fprintf(stderr, "pfn 0x%llx is a tail page; its folio is pfn 0x%llx\n",
				(unsigned long long)from, (unsigned long long)pfn);
			return STATUS_FAILED;
		}
		if (pfn < lowest)
			lowest = pfn;
		if (pfn > highest)
			highest = pfn;
	}
	fprintf(stderr, "%sno event of pfn 0x%llx", p->stopped ? "interrupted, " : "",
		(unsigned long long)from);
	if (from != to)
		fprintf(stderr, " to 0x%llx", (unsigned long long)to);
	if (p->stopped)
		fprintf(stderr, " up to then\n");
	else if (lowest > highest)
		fprintf(stderr, " nor of any other folio\n");
	else
		fprintf(stderr,
			" (folios seen: 0x%llx to 0x%llx); folioscope lifetimes lists them\n",
			(unsigned long long)lowest, (unsigned long long)highest);
	return STATUS_FAILED;
}

int cmd_no_pfn(const struct pipeline *p, uint64_t pfn)
{
	return cmd_no_pfns(p, pfn, pfn);
}

int cmd_regret_gens(const char *command, const char *text, struct analysis_opts *opts)
{
	if (!cmd_number(text, &opts->regret_gens))
		return cmd_usage_error(command, "'%s' is not a number", text);
	opts->has_regret_gens = true;
	return 0;
}

int cmd_one_recording(const char *command, int argc, char **argv, struct cmd_read_opts *opts)
{
	if (optind < argc && !opts->has_input)
		opts->path = argv[optind++];
	if (optind < argc)
		return cmd_usage_error(command, "one recording at a time, not %s and %s", opts->path,
				       argv[optind]);
	return 0;
}

int cmd_read(struct pipeline *p, const struct cmd_read_opts *opts)
{
	struct diag diag;
	int status;

	if (pipeline_open(p, opts->path, &opts->pipeline, &diag))
		return cmd_fail(&diag);
	if (!pipeline_run(p, &diag))
		return 0;
	status = cmd_fail(&diag);
	pipeline_release(p);
	return status;
}

int cmd_render_tables(struct pipeline *p, const char *command, struct tables *tables,
		      enum cmd_format format, int status)
{
	struct diag diag;

	if (tables->out_of_memory) {
		diag_set(&diag, ERR_NOMEM, "%s: %s", p->path, err_text(ERR_NOMEM));
		status = cmd_fail(&diag);
	} else if (format == CMD_JSON) {
		results_json_tables(stdout, command, tables, status);
	} else {
		results_csv(stdout, tables);
		pipeline_render_caveats(p, stderr, true);
	}
	tables_release(tables);
	return status;
}
