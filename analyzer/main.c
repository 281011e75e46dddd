// SPDX-License-Identifier: GPL-2.0-only
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "cmd.h"
#include "outfile.h"
#include "sqlite.h"

static const struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "record", "run a command and record what the LRU does", cmd_record },
	{ "report", "what was recorded, lifetimes, violations, refaults", cmd_report },
	{ "lifetimes", "one row per life of a folio", cmd_lifetimes },
	{ "folio", "one folio's whole story, event by event", cmd_folio },
	{ "violations", "LRU order violations by site, with examples", cmd_violations },
	{ "hitshield", "update counters, shields, and what they bought", cmd_hitshield },
	{ "lazyfree", "folios given up by MADV_FREE, and when they were freed", cmd_lazyfree },
	{ "verify", "rebuilt lists and counters against the kernel's own", cmd_verify },
	{ "compare", "runs of a base against runs of a patch, with verdicts", cmd_compare },
	{ "heatmap", "page frames over time, in digits or as a picture", cmd_heatmap },
	{ "html", "one page with pictures, also of base and patch", cmd_html },
	{ "trim", "a part of a recording as a recording", cmd_trim },
	{ "export", "for SQLite, Perfetto, and as CSV or JSON Lines", cmd_export },
	{ "lists", "the rebuilt lists at a moment, folio by folio", cmd_lists },
	{ "check", "what is wrong or missing in a recording", cmd_check },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
	unsigned i;

	fprintf(out, "Usage: folioscope COMMAND [OPTION]... [FILE]\n"
		     "Rebuild what the multi-gen LRU did to every folio, from a recording that\n"
		     "trace-cmd made.\n\n");
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].summary);
	fprintf(out, "\nFILE is trace.dat by default. To make one, on a kernel with our patches:\n"
		     "  trace-cmd record -C mono -e lru_gen -o trace.dat COMMAND\n"
		     "folioscope COMMAND --help tells of one command, man folioscope of all.\n");
}

static void print_version(void)
{
	printf("folioscope %s\n"
	       "reads trace.dat v6, v7; zstd %s, zlib %s, SQLite %s\n"
	       "Licence: GPL-2.0-only\n",
	       FOLIOSCOPE_VERSION, ZSTD_versionString(), zlibVersion(),
	       sqlite_library());
}

static void end(int sig)
{
	outfile_remove_unfinished();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void interrupt(int sig)
{
	(void)sig;
	pipeline_interrupted = 1;
	/* a second one ends it */
	signal(SIGINT, end);
}

/* Number of edits between two words, as far as it is below 3. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[32], i, j, len = strlen(b);

	if (len >= 32 || strlen(a) >= 32)
		return 3;
	for (j = 0; j <= len; j++)
		row[j] = j;
	for (i = 1; a[i - 1]; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= len; j++) {
			unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
			if (replaced < row[j])
				row[j] = replaced;
		}
	}
	return row[len];
}

static int unknown_command(const char *name)
{
	unsigned i;

	fprintf(stderr, "folioscope: no command is called '%s'", name);
	for (i = 0; i < NR_COMMANDS; i++) {
		if (distance(name, commands[i].name) < 3) {
			fprintf(stderr, "; did you mean %s?", commands[i].name);
			break;
		}
	}
	fprintf(stderr, "%s see folioscope --help\n", i < NR_COMMANDS ? "" : ";");
	return STATUS_USAGE;
}

static const struct command *find_command(const char *name)
{
	unsigned i;

	for (i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return &commands[i];
	return NULL;
}

/* @argv[0] is replaced, for getopt to complain under the full name. */
static int run_command(const struct command *command, int argc, char **argv)
{
	char full_name[64];
	int status;

	snprintf(full_name, sizeof(full_name), "folioscope %s", command->name);
	argv[0] = full_name;
	cmd_screen_begin();
	status = command->run(argc, argv);
	cmd_screen_end();
	return status;
}

static int help_of(const char *name)
{
	const struct command *command = find_command(name);
	char option[] = "--help";
	char *argv[] = { NULL, option, NULL };

	return command ? run_command(command, 2, argv) : unknown_command(name);
}

int main(int argc, char **argv)
{
	const struct command *command;

	signal(SIGINT, interrupt);
	signal(SIGTERM, end);
	/* nohup ignores this one, and who wants an error this other */
	if (signal(SIGHUP, end) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);
	if (signal(SIGPIPE, end) == SIG_IGN)
		signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		print_help(stderr);
		if (!access("trace.dat", R_OK))
			fprintf(stderr, "There is a trace.dat here: try folioscope report\n");
		return STATUS_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		if (argc > 2)
			return help_of(argv[2]);
		print_help(stdout);
		return cmd_finish(STATUS_OK);
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		print_version();
		return cmd_finish(STATUS_OK);
	}
	command = find_command(argv[1]);
	return command ? run_command(command, argc - 1, argv + 1) : unknown_command(argv[1]);
}
