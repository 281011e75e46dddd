/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Subcommands. To add one: a file cmd-NAME.c with cmd_NAME(), a line in
 * commands[] (main.c), a page man/folioscope-NAME.1.scd.
 */
#ifndef FOLIOSCOPE_CMD_H
#define FOLIOSCOPE_CMD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "chosen.h"
#include "pipeline.h"

/*
 * cmd_*(): run a command; @argv[0] is "folioscope NAME". They print to stdout, complain
 * on stderr and return the exit status (enum exit_status).
 */
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_lifetimes(int argc, char **argv);
int cmd_folio(int argc, char **argv);
int cmd_violations(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_lists(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_trim(int argc, char **argv);
int cmd_heatmap(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_hitshield(int argc, char **argv);
int cmd_lazyfree(int argc, char **argv);

/* Options that every reading command has; see CMD_READ_OPTIONS. */
struct cmd_read_opts {
	struct pipeline_opts pipeline;
	const char *path;	/* default: trace.dat */
	bool has_input;		/* -i named it */
};

/* For the table of getopt_long(). */
enum {
	OPT_BUFFER = 256,
	OPT_NO_PROGRESS,
	OPT_SALVAGE,
	OPT_COLOR,
	OPT_STATS,
	OPT_COMMAND,		/* a command's own options begin here */
};
#define CMD_READ_OPTIONS						\
	{ "help", no_argument, NULL, 'h' },				\
	{ "input", required_argument, NULL, 'i' },			\
	{ "threads", required_argument, NULL, 'j' },			\
	{ "buffer", required_argument, NULL, OPT_BUFFER },		\
	{ "quiet", no_argument, NULL, 'q' },				\
	{ "salvage", no_argument, NULL, OPT_SALVAGE },			\
	{ "color", required_argument, NULL, OPT_COLOR },		\
	{ "stats", no_argument, NULL, OPT_STATS }
#define CMD_READ_SHORT "hi:j:q"
#define CMD_READ_HELP							\
	"  -i, --input FILE   the recording (default trace.dat)\n"	\
	"  -j, --threads N    threads to read with (default: all CPUs)\n" \
	"      --buffer NAME  ftrace instance (default: that with lru_gen events)\n" \
	"      --salvage      scan for the data if the pointer to it is lost\n" \
	"      --color WHEN   auto, always or never\n"			\
	"      --stats        time, speed and memory, on standard error\n" \
	"  -q, --quiet        no progress\n"				\
	"  -h, --help         this text\n"

/*
 * cmd_read_option(): handle the option @opt of CMD_READ_OPTIONS.
 * Returns 0 if it did, else a usage error was printed and STATUS_USAGE is
 * returned. 'h' is the command's.
 */
int cmd_read_option(struct cmd_read_opts *opts, const char *command, int opt);

/*
 * cmd_usage_error(): print the message of a usage error and where help is.
 * Returns STATUS_USAGE.
 */
int cmd_usage_error(const char *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * cmd_option_error(): after getopt has complained of an option: say where help is.
 * Returns STATUS_USAGE.
 */
int cmd_option_error(const char *command);

/*
 * cmd_fail(): print @diag and return its exit status.
 */
int cmd_fail(const struct diag *diag);

/*
 * cmd_finish(): flush stdout; a write error is printed and makes the status
 * STATUS_FAILED. Returns the exit status, @status if all went well.
 */
int cmd_finish(int status);

/*
 * cmd_screen_begin(): before a command that prints text. If stdout is a terminal,
 * colours are allowed there (unless NO_COLOR or TERM says otherwise) and what is
 * printed is held back until cmd_screen_end(), which shows it through $PAGER if
 * it is longer than the screen.
 */
void cmd_screen_begin(void);
void cmd_screen_end(void);

/*
 * cmd_kernel(): @uname as it is printed, in @buf: without the "(none)" of a machine
 * that has no name. Returns @buf.
 */
#define CMD_KERNEL_BYTES 256
const char *cmd_kernel(const char *uname, char buf[CMD_KERNEL_BYTES]);

/* Output formats; a command takes some of them. */
enum cmd_format {
	CMD_TEXT,
	CMD_JSON,	/* one document, formats/folioscope-report.schema.json */
	CMD_JSONL,	/* an object per line and row */
	CMD_CSV,	/* RFC 4180 */
	CMD_NR
};

/*
 * cmd_format(): parse the name of a format that is in @allowed (bits 1 << enum
 * cmd_format). Returns 0, or STATUS_USAGE with an error printed.
 */
int cmd_format(const char *command, const char *name, unsigned allowed, enum cmd_format *ret);

/*
 * cmd_regret_gens(): parse the argument of --regret-gens.
 * Returns 0, or STATUS_USAGE with an error printed.
 */
int cmd_regret_gens(const char *command, const char *text, struct analysis_opts *opts);

/*
 * cmd_one_recording(): after the options: at most one recording, which becomes
 * opts->path, and none if -i named one. Returns 0, or STATUS_USAGE with an error
 * printed.
 */
int cmd_one_recording(const char *command, int argc, char **argv, struct cmd_read_opts *opts);

/*
 * cmd_read(): pipeline_open() and pipeline_run(). Returns 0, and the caller
 * releases @p; or the exit status, with the error printed and @p released.
 */
int cmd_read(struct pipeline *p, const struct cmd_read_opts *opts);

/*
 * cmd_output(): take the argument @name of an option that names an output; it stays
 * the caller's. Returns 0, or STATUS_USAGE with an error printed if it is empty.
 */
int cmd_output(const char *command, const char *name, const char **ret);

/*
 * cmd_binary(): may binary data go to @name? Returns 0, or STATUS_USAGE with an error
 * printed if that is standard output and a terminal.
 */
int cmd_binary(const char *command, const char *name);

/*
 * cmd_render_tables(): print @tables as one JSON document of @command, or as CSV
 * with what is wrong with the recording on stderr, and release them.
 * Returns @status, or another if @tables are incomplete for want of memory.
 */
int cmd_render_tables(struct pipeline *p, const char *command, struct tables *tables,
		      enum cmd_format format, int status);

/*
 * cmd_number(): parse @text, decimal or 0x hexadecimal, all of it.
 * Returns true and fills *@ret, or false.
 */
bool cmd_number(const char *text, uint64_t *ret);

/*
 * cmd_duration(): parse a time with an optional unit ns, us, ms or s (default
 * s). Returns true and fills *@ns, or false.
 */
bool cmd_duration(const char *text, uint64_t *ns);

/*
 * cmd_has_memcg(): does the recording, which was read, have lists of @memcg? If
 * not, an error was printed that says which there are.
 */
bool cmd_has_memcg(const struct pipeline *p, uint64_t memcg);

/*
 * cmd_memcg(): parse the argument of --memcg, a cgroup id.
 * Returns 0, or STATUS_USAGE with an error printed.
 */
int cmd_memcg(const char *command, const char *text, uint64_t *memcg);

/*
 * cmd_pfn_range(): parse the argument of a --pfn that takes N or N-M, both inclusive.
 * Returns 0, or STATUS_USAGE with an error printed.
 */
int cmd_pfn_range(const char *command, const char *text, uint64_t *from, uint64_t *to);

/*
 * cmd_add_pfn(): parse the argument of a --pfn that may be given again, and add it
 * to @chosen. Returns 0, or STATUS_USAGE with an error printed.
 */
int cmd_add_pfn(const char *command, const char *text, struct chosen *chosen);

/* cmd_has_pfn(): was a folio seen at @pfn, its head, in the recording that was read? */
bool cmd_has_pfn(const struct pipeline *p, uint64_t pfn);

/*
 * cmd_no_pfn(): print that there was none at @pfn, and which there are: the folio
 * whose tail it is, or the range of those seen. Returns STATUS_FAILED.
 */
int cmd_no_pfn(const struct pipeline *p, uint64_t pfn);

/* cmd_no_pfns(): the same of all from @from to @to. */
int cmd_no_pfns(const struct pipeline *p, uint64_t from, uint64_t to);

/*
 * cmd_render_recording(): what was recorded: file, kernel, clock, CPUs,
 * duration, events by kind.
 */
void cmd_render_recording(struct pipeline *p, FILE *out);

#endif /* FOLIOSCOPE_CMD_H */
