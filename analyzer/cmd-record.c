// SPDX-License-Identifier: GPL-2.0-only
/*
 * folioscope record: make a recording with what the other commands need.
 *
 * trace-cmd writes the file. It is told to use an ftrace instance of our own, so
 * that nothing else on the machine is changed, and runs this program again
 * ("--inside") around the command: that writes the kernel's own numbers into the
 * recording, as marks, when it begins and ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <tracefs/tracefs.h>
#include <unistd.h>

#include "cgroups.h"
#include "cmd.h"
#include "marks.h"
#include "recorded.h"
#include "selection.h"
#include "text.h"

#define MAX_ARGS 128
#define MAX_MARK 1000		/* kernels before 6.8 cut what is longer than 1024 */
#define MAX_COPY 880u		/* of a file in a mark, beside its name */
#define GATHER_US 2200000u
#define MAX_CGROUPS 4096
#define RECORD_BYTES 48u	/* of most events, in the ring buffer */
#define SAFE_VERSION 30301	/* of trace-cmd: 3.3.1 */

struct record {
	const char *output;
	uint64_t buffer_kb;	/* per CPU; 0: from free memory */
	bool has_memcg, has_type, is_stock, has_kmem, has_lists, is_dry, no_snapshots;
	uint64_t memcg;
	unsigned type;
	uint64_t sample;	/* 1 of so many; 0: all */
	const char *compression;
	char instance[64];
	char **command;
	bool has_old;		/* there is an output already, and this is it */
	struct stat old;
	/* trace-cmd's */
	char *args[MAX_ARGS];
	unsigned nr_args;
	int version;		/* major * 10000 + minor * 100 + patch */
};

static void help(FILE *out)
{
	fputs("Usage: folioscope record [OPTION]... -- COMMAND [ARG]...\n"
	      "Run COMMAND and record what the multi-gen LRU does meanwhile, on the\n"
	      "whole machine, with the kernel's own numbers at both ends. Needs root and\n"
	      "trace-cmd.\n\n"
	      "  -o, --output FILE      the recording (default trace.dat)\n"
	      "  -b, --buffer-kb N      ring buffer per CPU (default: from free memory)\n"
	      "      --memcg ID         only this cgroup, by inode number or directory\n"
	      "      --type TYPE        only anon or file\n"
	      "      --sample 1/N       only one of N blocks of 2 MiB; N is a power of 2\n"
	      "      --kmem             also when page frames are freed (many events)\n"
	      "      --stock            a kernel without our patches: its own events\n"
	      "      --compression KIND any, none, zstd or zlib\n"
	      "      --lists            also every list, folio by folio (series oracle)\n"
	      "      --no-snapshots     without the kernel's numbers\n"
	      "  -n, --dry-run          print the trace-cmd line, run nothing\n"
	      "  -h, --help             this text\n\n"
	      "Exit status: 0 recorded, 1 failure, 2 usage, 3 lossy or damaged.\n",
	      out);
}

/*
 * inside: around the command
 */

static int marker = -1;

static void mark(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void mark(const char *fmt, ...)
{
	char text[MAX_MARK];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len >= (int)sizeof(text))
		len = sizeof(text) - 1;
	if (write(marker, text, len) != len && errno != EBADF)
		fprintf(stderr, "folioscope: cannot write a mark: %s\n", strerror(errno));
}

/* @size bytes of the file @name of the snapshot @when; analyzer/marks.h has the form. */
static void mark_bytes(const char *when, const char *name, const char *bytes, size_t size)
{
	size_t at, len;

	for (at = 0; at < size; at += len) {
		const char *newline;

		len = size - at < MAX_COPY ? size - at : MAX_COPY;
		newline = memrchr(bytes + at, '\n', len);
		if (newline)
			len = newline + 1 - (bytes + at);	/* whole lines, to be legible */
		mark(MARKS_PREFIX "%s/%s %zu %zu\n%.*s", when, name, at, len, (int)len, bytes + at);
	}
	mark(MARKS_PREFIX "%s/%s end %zu", when, name, size);
}

static void mark_absent(const char *when, const char *name, const char *reason)
{
	mark(MARKS_PREFIX "%s/%s absent %s", when, name, reason);
}

/* Append the file @path to @out. Returns 0 or an errno. */
static int copy_file(FILE *out, const char *path)
{
	FILE *file = fopen(path, "r");
	char buf[4096];
	size_t len;
	int err;

	if (!file)
		return errno;
	errno = 0;
	while ((len = fread(buf, 1, sizeof(buf), file)) > 0)
		fwrite(buf, 1, len, out);
	err = ferror(file) ? errno : 0;
	fclose(file);
	return err;
}

/* A file being put together for mark_bytes(). */
struct copy {
	FILE *file;
	char *bytes;
	size_t size;
};

static bool copy_begin(struct copy *copy)
{
	*copy = (struct copy){ 0 };
	copy->file = open_memstream(&copy->bytes, &copy->size);
	return copy->file;
}

/* @err: of what was copied, 0 for none. */
static void copy_end(struct copy *copy, const char *when, const char *name, int err)
{
	if (fclose(copy->file))
		err = ENOMEM;
	if (err)
		mark_absent(when, name, strerror(err));
	else
		mark_bytes(when, name, copy->bytes, copy->size);
	free(copy->bytes);
}

static void mark_file(const char *when, const char *name, const char *path)
{
	struct copy copy;

	if (!copy_begin(&copy))
		mark_absent(when, name, strerror(ENOMEM));
	else
		copy_end(&copy, when, name, copy_file(copy.file, path));
}

/* The first line of @path as a condition of the recording. */
static void mark_condition(const char *key, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[MAX_COPY];

	if (file && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		mark("folioscope: %s: %s", key, line);
	}
	if (file)
		fclose(file);
}

/* "DEVICE (TYPE)" of the first one, or "none". */
static void mark_swap_device(void)
{
	FILE *file = fopen("/proc/swaps", "r");
	char line[512], device[256], type[64];

	if (!file)
		return;
	if (fgets(line, sizeof(line), file) && fgets(line, sizeof(line), file) &&
	    sscanf(line, "%255s %63s", device, type) == 2)
		mark("folioscope: swap device: %s (%s)", device, type);
	else
		mark("folioscope: swap device: none");
	fclose(file);
}

/* Returns how many cgroups are left out, for they are too many. */
static uint64_t mark_cgroups(const char *when)
{
	static const char *const roots[] = { "/sys/fs/cgroup/memory", "/sys/fs/cgroup" };
	struct copy memcgs, stats;
	uint64_t nr_left_out;
	struct stat st;
	unsigned i;
	int err;

	for (i = 0; i < 2 && stat(roots[i], &st); i++)
		;
	if (i == 2) {
		mark_absent(when, "memcgs", "no cgroup file system");
		return 0;
	}
	if (!copy_begin(&memcgs)) {
		mark_absent(when, "memcgs", strerror(ENOMEM));
		return 0;
	}
	if (!copy_begin(&stats)) {
		copy_end(&memcgs, when, "memcgs", ENOMEM);
		return 0;
	}
	err = cgroups_copy(roots[i], MAX_CGROUPS, memcgs.file, stats.file, &nr_left_out);
	copy_end(&memcgs, when, "memcgs", err);
	copy_end(&stats, when, "memory.stat", err);
	return nr_left_out;
}

/* At both ends, like other notes of what is left out. */
static void note_left_out(uint64_t nr_cgroups)
{
	if (!nr_cgroups)
		return;
	mark("folioscope: " SELECTION_CGROUPS ": %" PRIu64, nr_cgroups);
	fprintf(stderr,
		"folioscope: more than %u cgroups: memory.stat of %" PRIu64
		" is not in the recording\n",
		MAX_CGROUPS, nr_cgroups);
}

/* Have the kernel add up what each CPU counted for itself, or vmstat is behind. */
static void refresh_vmstat(void)
{
	int fd = open("/proc/sys/vm/stat_refresh", O_WRONLY);

	if (fd < 0 || write(fd, "1", 1) != 1)
		mark("folioscope: stat_refresh: %s", strerror(errno));
	if (fd >= 0)
		close(fd);
}

/* Returns how many cgroups are left out. */
static uint64_t snapshot(const char *when, bool with_lists)
{
	uint64_t nr_left_out;

	mark("folioscope: snapshot %s begin", when);
	refresh_vmstat();
	mark_file(when, "lru_gen", "/sys/kernel/debug/lru_gen");
	if (with_lists)
		mark_file(when, "lru_gen_folios", "/sys/kernel/debug/lru_gen_folios");
	mark_file(when, "vmstat", "/proc/vmstat");
	mark("folioscope: snapshot %s end", when);
	/* the kernel gathers the counts of cgroups from the CPUs every two seconds */
	usleep(GATHER_US);
	mark("folioscope: snapshot %s-stats begin", when);
	nr_left_out = mark_cgroups(when);
	mark("folioscope: snapshot %s-stats end", when);
	return nr_left_out;
}

/* @note is "KEY: VALUE" or several, separated by "; ". */
static void mark_notes(const char *note)
{
	while (*note) {
		size_t len = strcspn(note, ";");

		mark("folioscope: %.*s", (int)len, note);
		note += len;
		note += strspn(note, "; ");
	}
}

static void mark_conditions(void)
{
	mark_condition("version", "/proc/version");
	mark_condition("command line", "/proc/cmdline");
	mark_condition("THP", "/sys/kernel/mm/transparent_hugepage/enabled");
	mark_condition("swappiness", "/proc/sys/vm/swappiness");
	mark_condition("/sys/kernel/mm/lru_gen/enabled", "/sys/kernel/mm/lru_gen/enabled");
	mark_condition("/sys/kernel/mm/lru_gen/min_ttl_ms", "/sys/kernel/mm/lru_gen/min_ttl_ms");
	mark_swap_device();
	mark_file("before", "zoneinfo", "/proc/zoneinfo");
}

/* What --inside tells of a command that has no exit status. */
enum { COMMAND_NOT_RUN = -1, COMMAND_UNKNOWN = -2 };

/* Returns the exit status of the command, or COMMAND_NOT_RUN after a message. */
static int run_command(char **command)
{
	int status, fds[2], error = 0;
	pid_t pid;

	/* closed by exec; what comes through is why there was none */
	if (pipe2(fds, O_CLOEXEC)) {
		fprintf(stderr, "folioscope: %s: %s\n", command[0], strerror(errno));
		return COMMAND_NOT_RUN;
	}
	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		error = errno;
		_exit(write(fds[1], &error, sizeof(error)) == sizeof(error) ? 127 : 126);
	}
	if (pid < 0)
		error = errno;
	close(fds[1]);
	if (pid > 0 && read(fds[0], &error, sizeof(error)) != sizeof(error))
		error = 0;
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return COMMAND_UNKNOWN;
	if (error) {
		fprintf(stderr, "folioscope: %s: %s\n", command[0], strerror(error));
		return COMMAND_NOT_RUN;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * record --inside INSTANCE STATUS_FD SNAPSHOTS NOTES COMMAND...: started by
 * trace-cmd. SNAPSHOTS is none, numbers or lists.
 */
static int inside(int argc, char **argv)
{
	struct tracefs_instance *instance;
	bool snapshots, with_lists;
	uint64_t left_out = 0;
	char *path;
	int status, fd;

	if (argc < 7)
		return STATUS_USAGE;
	fd = atoi(argv[3]);
	instance = tracefs_instance_create(argv[2]);
	path = instance ? tracefs_instance_get_file(instance, "trace_marker") : NULL;
	marker = path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
	if (marker < 0)
		fprintf(stderr, "folioscope: no marks in the recording: cannot write to %s: %s\n",
			path ? path : argv[2], strerror(errno));
	snapshots = marker >= 0 && strcmp(argv[4], "none");
	with_lists = !strcmp(argv[4], "lists");
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	signal(SIGINT, SIG_IGN);	/* it is for the command */
	if (marker >= 0) {
		mark_notes(argv[5]);
		mark_conditions();
	}
	if (snapshots)
		left_out = snapshot("before", with_lists);
	note_left_out(left_out);
	signal(SIGINT, SIG_DFL);
	status = run_command(argv + 6);
	signal(SIGINT, SIG_IGN);
	if (snapshots) {
		uint64_t more = snapshot("after", with_lists);

		left_out = more > left_out ? more : left_out;
	}
	note_left_out(left_out);
	if (marker >= 0)
		mark_notes(argv[5]);	/* once more: the beginning may be overwritten */
	if (write(fd, &status, sizeof(status)) != sizeof(status))
		fprintf(stderr, "folioscope: cannot hand on the command's status\n");
	tracefs_put_tracing_file(path);
	if (instance)
		tracefs_instance_free(instance);
	return STATUS_OK;
}

/*
 * what is there
 */

static bool is_hitshield(unsigned kind)
{
	return kind == EV_HITSHIELD || kind == EV_SPLICE;	/* of some series only */
}

/* Complain of what is missing and say what to do. Returns false if it is fatal. */
static bool check_machine(const struct record *r)
{
	const char *dir;
	char **events;
	unsigned kind, i, nr_missing = 0;
	char missing[400] = "";

	if (geteuid()) {
		fprintf(stderr, "folioscope: record needs root (it changes ftrace): "
				"sudo folioscope record ...\n");
		return false;
	}
	dir = tracefs_tracing_dir();
	if (!dir || access(dir, R_OK | X_OK)) {
		fprintf(stderr, "folioscope: tracefs is not there: mount -t tracefs nodev "
				"/sys/kernel/tracing; the kernel needs CONFIG_FTRACE and "
				"CONFIG_ENABLE_DEFAULT_TRACERS or a tracer\n");
		return false;
	}
	if (r->is_stock)
		return true;
	events = tracefs_system_events(NULL, "lru_gen");
	if (!events) {
		fprintf(stderr, "folioscope: this kernel has no lru_gen events: apply the patches "
				"and set CONFIG_LRU_GEN_TRACE=y, or record the kernel's own events "
				"with --stock, which tell much less\n");
		return false;
	}
	for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++) {
		const char *name = event_kind_event(kind);

		for (i = 0; events[i] && strcmp(events[i], name); i++)
			;
		if (events[i] || is_hitshield(kind))
			continue;
		nr_missing++;
		snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing), " %s", name);
	}
	tracefs_list_free(events);
	if (nr_missing)
		fprintf(stderr, "folioscope: warning: the kernel lacks%s: of an older series? What "
				"they tell will be missing\n", missing);
	return true;
}

/* "3.1.6" of "trace-cmd version 3.1.6 (...)", as a number; 0 without trace-cmd. */
static int trace_cmd_version(char *text, size_t size)
{
	FILE *pipe = popen("trace-cmd --version 2>/dev/null", "r");
	int major = 0, minor = 0, patch = 0;
	char line[200];

	*text = '\0';
	if (!pipe)
		return 0;
	while (fgets(line, sizeof(line), pipe)) {
		const char *at = strstr(line, "version ");

		if (at && !major && sscanf(at, "version %d.%d.%d", &major, &minor, &patch) >= 2)
			snprintf(text, size, "%d.%d.%d", major, minor, patch);
	}
	pclose(pipe);
	return major * 10000 + minor * 100 + patch;
}

/* An eighth of what is available, for all CPUs together; 1 to 256 MiB for each. */
static uint64_t default_buffer_kb(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	uint64_t available_kb = 0, kb;
	long nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	char line[200];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %" SCNu64, &available_kb) == 1)
			break;
	if (file)
		fclose(file);
	kb = available_kb / 8 / (nr_cpus > 0 ? nr_cpus : 1);
	return kb < 1024 ? 1024 : kb > 262144 ? 262144 : kb;
}

/*
 * trace-cmd's line
 */

static void add(struct record *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct record *r, const char *fmt, ...)
{
	va_list args;

	if (r->nr_args == MAX_ARGS - 1)
		return;
	va_start(args, fmt);
	if (vasprintf(&r->args[r->nr_args], fmt, args) >= 0)
		r->nr_args++;
	va_end(args);
}

/* The filter of the event of @kind, of the fields that it has; "" for none. */
static void filter_of(const struct record *r, unsigned kind, char *filter, size_t size)
{
	bool is_folio = kind != EV_MAX_SEQ && kind != EV_MIN_SEQ && kind != EV_STATE &&
			kind != EV_SCAN && kind != EV_SPLICE;
	bool has_type = kind != EV_MAX_SEQ && kind != EV_STATE;
	const char *and = "";

	*filter = '\0';
	if (r->has_memcg) {
		snprintf(filter, size, "memcg == %" PRIu64, r->memcg);
		and = " && ";
	}
	if (r->has_type && has_type) {
		snprintf(filter + strlen(filter), size - strlen(filter), "%stype == %u", and,
			 r->type);
		and = " && ";
	}
	if (r->sample && is_folio)
		snprintf(filter + strlen(filter), size - strlen(filter), "%s!(pfn & 0x%" PRIx64 ")",
			 and, (r->sample - 1) * SELECTION_BLOCK_PAGES);
}

static void add_events(struct record *r)
{
	static const char *const stock[] = {
		"pagemap:mm_lru_insertion", "pagemap:mm_lru_activate",
		"filemap:mm_filemap_add_to_page_cache",
		"filemap:mm_filemap_delete_from_page_cache", "kmem:mm_page_alloc",
		"kmem:mm_page_free", "vmscan:mm_vmscan_lru_isolate",
		"vmscan:mm_vmscan_lru_shrink_inactive",
	};
	char filter[200];
	unsigned i, kind;

	if (r->is_stock) {
		for (i = 0; i < sizeof(stock) / sizeof(stock[0]); i++) {
			add(r, "-e");
			add(r, "%s", stock[i]);
		}
		return;
	}
	if (!r->has_memcg && !r->has_type && !r->sample) {
		add(r, "-e");
		add(r, "lru_gen");
	} else {
		char **events = geteuid() ? NULL : tracefs_system_events(NULL, "lru_gen");

		for (kind = EV_ADD; kind <= EV_HITSHIELD; kind++) {
			const char *name = event_kind_event(kind);

			for (i = 0; events && events[i] && strcmp(events[i], name); i++)
				;
			if (events ? !events[i] : is_hitshield(kind))
				continue;
			filter_of(r, kind, filter, sizeof(filter));
			add(r, "-e");
			add(r, "lru_gen:%s", name);
			if (*filter) {
				add(r, "-f");
				add(r, "%s", filter);
			}
		}
		if (events)
			tracefs_list_free(events);
	}
	if (r->has_kmem) {
		add(r, "-e");
		add(r, "kmem:mm_page_free");
	}
}

/*
 * trace-cmd before 3.3.1 cannot finish a compressed file with more than 2 GB of
 * one CPU, and writes a damaged header when it compresses without kallsyms.
 */
static const char *safe_compression(const struct record *r, const char *version)
{
	bool has_kallsyms = !access("/proc/kallsyms", R_OK);

	if (r->compression)
		return r->compression;
	if (r->version >= SAFE_VERSION && has_kallsyms)
		return "any";
	fprintf(stderr, "folioscope: trace-cmd %s %s: not compressed\n"
			"  (--compression zstd if you know better)\n",
		version,
		has_kallsyms ? "loses a compressed recording of more than 2 GB per CPU" :
			       "damages a compressed recording on a kernel without kallsyms");
	return "none";
}

static void print_line(const struct record *r)
{
	unsigned i;

	for (i = 0; i < r->nr_args; i++) {
		const char *arg = r->args[i];
		bool is_plain =
			*arg && strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					    "0123456789_-+=:,./@%") == strlen(arg);

		printf("%s", i ? " " : "");
		if (is_plain) {
			printf("%s", arg);
			continue;
		}
		putchar('\'');
		for (; *arg; arg++)
			if (*arg == '\'')
				printf("'\\''");
			else
				putchar(*arg);
		putchar('\'');
	}
	putchar('\n');
}

/* What is left out, for whoever reads the recording. */
static void add_notes(struct record *r)
{
	char notes[200] = "events: lru_gen";

	if (r->is_stock)
		strcpy(notes, "events: stock");
	if (r->sample)
		snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes),
			 "; " SELECTION_SAMPLE ": 1/%" PRIu64, r->sample);
	if (r->has_memcg)
		snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes),
			 "; " SELECTION_MEMCG ": %" PRIu64, r->memcg);
	if (r->has_type)
		snprintf(notes + strlen(notes), sizeof(notes) - strlen(notes),
			 "; " SELECTION_TYPE ": %s", type_name(r->type));
	add(r, "%s", notes);
}

static int build_line(struct record *r, int status_fd, const char *version)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char **word;

	if (len < 0) {
		fprintf(stderr, "folioscope: /proc/self/exe: %s\n", strerror(errno));
		return STATUS_FAILED;
	}
	self[len] = '\0';
	add(r, "trace-cmd");
	add(r, "record");
	add(r, "-q");
	add(r, "-o");
	add(r, "%s", r->output);
	add(r, "--compression");
	add(r, "%s", safe_compression(r, version));
	/* by default trace-cmd hides its own page cache, and so breaks the lists */
	add(r, "--no-filter");
	add(r, "-B");
	add(r, "%s", r->instance);
	add(r, "-C");
	add(r, "mono");
	add(r, "-b");
	add(r, "%" PRIu64, r->buffer_kb);
	add_events(r);
	add(r, "%s", self);
	add(r, "record");
	add(r, "--inside");
	add(r, "%s", r->instance);
	add(r, "%d", status_fd);
	add(r, r->no_snapshots ? "none" : r->has_lists ? "lists" : "numbers");
	add_notes(r);
	for (word = r->command; *word; word++)
		add(r, "%s", *word);
	if (r->nr_args == MAX_ARGS - 1)
		return cmd_usage_error("record",
				       "the command has too many words; put it in a script");
	r->args[r->nr_args] = NULL;
	return STATUS_OK;
}

/*
 * the recording that came of it
 */

static int report(const struct record *r)
{
	struct recorded recorded;
	struct text_buf size;
	struct diag diag;

	if (r->has_old && recorded_is_old(r->output, &r->old)) {
		fprintf(stderr, "folioscope: trace-cmd wrote nothing: %s is as old as it was\n",
			r->output);
		return STATUS_FAILED;
	}
	if (recorded_read(&recorded, r->output, &diag))
		return cmd_fail(&diag);
	printf("%s: %s", r->output, text_bytes(&size, recorded.size_bytes));
	if (recorded.nr_lost_worst) {
		uint64_t kb =
			(r->buffer_kb + recorded.nr_lost_worst * RECORD_BYTES / 1024) * 5 / 4;

		printf(", but %" PRIu64 " events were lost.\nA buffer of %" PRIu64
		       " KiB per CPU would have held them: --buffer-kb %" PRIu64
		       "; or record\nless: --memcg, --type, --sample 1/64.\n",
		       recorded.nr_lost, kb, kb);
	} else if (recorded.nr_lost) {
		printf(", but %" PRIu64 " events were lost.\n", recorded.nr_lost);
	} else if (recorded.has_unknown_loss) {
		printf(", but events were lost, nobody knows how many.\n");
	} else if (!recorded.is_damaged) {
		printf(", nothing lost; look at it with: folioscope report %s\n", r->output);
		return STATUS_OK;
	} else {
		printf("\n");
	}
	if (recorded.is_damaged)
		printf("It is damaged or incomplete; what is wrong tells: folioscope check %s\n",
		       r->output);
	return STATUS_LOSSY;
}

static int run(struct record *r, int status_fd)
{
	int status, command_status, ret;
	pid_t pid;

	r->has_old = !stat(r->output, &r->old);
	signal(SIGINT, SIG_IGN);	/* it ends the command, then we go on */
	pid = fork();
	if (!pid) {
		signal(SIGINT, SIG_DFL);
		execvp(r->args[0], r->args);
		fprintf(stderr, "folioscope: trace-cmd: %s\n", strerror(errno));
		_exit(127);
	}
	if (pid < 0) {
		fprintf(stderr, "folioscope: cannot start trace-cmd: %s\n", strerror(errno));
		return STATUS_FAILED;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (read(status_fd, &command_status, sizeof(command_status)) != sizeof(command_status))
		command_status = COMMAND_UNKNOWN;
	/* trace-cmd removes the instance that it made; if it was killed, we do */
	if (tracefs_instance_exists(r->instance)) {
		struct tracefs_instance *instance = tracefs_instance_create(r->instance);

		if (instance) {
			tracefs_instance_destroy(instance);
			tracefs_instance_free(instance);
		}
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "folioscope: trace-cmd ended with %s %d\n",
			WIFEXITED(status) ? "status" : "signal",
			WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
		return STATUS_FAILED;
	}
	if (command_status == COMMAND_NOT_RUN)
		return STATUS_FAILED;	/* that has been said, and why */
	if (command_status > 0)
		fprintf(stderr, "folioscope: %s ended with status %d\n", r->command[0],
			command_status);
	signal(SIGINT, SIG_DFL);
	ret = report(r);
	if (command_status != COMMAND_UNKNOWN)
		return ret;
	fprintf(stderr, "folioscope: nobody knows how %s ended, and the kernel's numbers at the "
			"end are missing\n", r->command[0]);
	return ret ? ret : STATUS_LOSSY;
}

/* The inode number of a cgroup's directory is its id; a number stands for itself. */
static bool parse_memcg(struct record *r, const char *text)
{
	struct stat st;
	char path[PATH_MAX];

	r->has_memcg = true;
	if (cmd_number(text, &r->memcg))
		return true;
	if (!*text)
		return false;
	snprintf(path, sizeof(path), "%s%s", strncmp(text, "/sys/", 5) ? "/sys/fs/cgroup/" : "",
		 text);
	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	r->memcg = st.st_ino;
	return true;
}

static bool parse_sample(struct record *r, const char *text)
{
	char *end;

	if (strncmp(text, "1/", 2) || text[2] < '1' || text[2] > '9')
		return false;
	r->sample = strtoull(text + 2, &end, 10);
	return !*end && r->sample > 1 && r->sample <= 1u << 20 && !(r->sample & (r->sample - 1));
}

enum {
	OPT_MEMCG = OPT_COMMAND,
	OPT_TYPE,
	OPT_SAMPLE,
	OPT_KMEM,
	OPT_STOCK,
	OPT_COMPRESSION,
	OPT_LISTS,
	OPT_NO_SNAPSHOTS,
};

static int parse_option(struct record *r, int opt)
{
	switch (opt) {
	case 'o':
		return cmd_output("record", optarg, &r->output);
	case 'b':
		if (!cmd_number(optarg, &r->buffer_kb) || !r->buffer_kb || r->buffer_kb > 1u << 30)
			return cmd_usage_error("record", "--buffer-kb: '%s' is no size in KiB",
					       optarg);
		break;
	case OPT_MEMCG:
		if (!parse_memcg(r, optarg))
			return cmd_usage_error("record", "--memcg: '%s' is neither an inode number "
							 "nor a cgroup's directory", optarg);
		break;
	case OPT_TYPE:
		r->has_type = true;
		r->type = !strcmp(optarg, "file");
		if (strcmp(optarg, "anon") && strcmp(optarg, "file"))
			return cmd_usage_error("record", "--type is anon or file, not '%s'",
					       optarg);
		break;
	case OPT_SAMPLE:
		if (!parse_sample(r, optarg))
			return cmd_usage_error("record",
					       "--sample: '%s' is not 1/N with N = 2, 4, 8, ... "
					       "1048576",
					       optarg);
		break;
	case OPT_KMEM:
		r->has_kmem = true;
		break;
	case OPT_STOCK:
		r->is_stock = true;
		break;
	case OPT_COMPRESSION:
		r->compression = optarg;
		if (strcmp(optarg, "any") && strcmp(optarg, "none") && strcmp(optarg, "zstd") &&
		    strcmp(optarg, "zlib"))
			return cmd_usage_error("record",
					       "--compression is any, none, zstd or zlib, "
					       "not '%s'",
					       optarg);
		break;
	case OPT_LISTS:
		r->has_lists = true;
		break;
	case OPT_NO_SNAPSHOTS:
		r->no_snapshots = true;
		break;
	case 'n':
		r->is_dry = true;
		break;
	default:
		return cmd_option_error("record");
	}
	return 0;
}

int cmd_record(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "buffer-kb", required_argument, NULL, 'b' },
		{ "memcg", required_argument, NULL, OPT_MEMCG },
		{ "type", required_argument, NULL, OPT_TYPE },
		{ "sample", required_argument, NULL, OPT_SAMPLE },
		{ "kmem", no_argument, NULL, OPT_KMEM },
		{ "stock", no_argument, NULL, OPT_STOCK },
		{ "compression", required_argument, NULL, OPT_COMPRESSION },
		{ "lists", no_argument, NULL, OPT_LISTS },
		{ "no-snapshots", no_argument, NULL, OPT_NO_SNAPSHOTS },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct record r = { .output = "trace.dat" };
	char version[32];
	int opt, ret, fds[2] = { -1, -1 };
	unsigned i;

	if (argc > 1 && !strcmp(argv[1], "--inside"))
		return inside(argc, argv);
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "+o:b:nh", options, NULL)) != -1) {
		if (opt == 'h') {
			help(stdout);
			return cmd_finish(STATUS_OK);
		}
		ret = parse_option(&r, opt);
		if (ret)
			return ret;
	}
	if (optind == argc)
		return cmd_usage_error("record",
				       "which command? e.g. folioscope record -- sleep 10");
	if (r.is_stock && (r.has_memcg || r.has_type || r.sample))
		return cmd_usage_error("record", "--stock events have neither memcg nor type: "
						 "no --memcg, --type or --sample with it");
	r.command = argv + optind;
	snprintf(r.instance, sizeof(r.instance), "folioscope-%d", (int)getpid());
	if (!r.buffer_kb)
		r.buffer_kb = default_buffer_kb();

	if (!check_machine(&r) && !r.is_dry)
		return STATUS_FAILED;
	r.version = trace_cmd_version(version, sizeof(version));
	if (r.version < 20900) {
		fprintf(stderr, r.version ? "folioscope: trace-cmd %s is too old, 2.9 or later is needed\n" :
					    "folioscope: trace-cmd is not installed%s: apt-get install "
					    "trace-cmd\n", version);
		if (!r.is_dry)
			return STATUS_FAILED;
	}
	if (!r.is_dry && pipe(fds)) {
		fprintf(stderr, "folioscope: pipe: %s\n", strerror(errno));
		return STATUS_FAILED;
	}
	if (fds[0] >= 0)
		fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	ret = build_line(&r, r.is_dry ? 3 : fds[1], version);
	if (!ret && r.is_dry)
		print_line(&r);
	else if (!ret) {
		fcntl(fds[0], F_SETFL, O_NONBLOCK);
		ret = run(&r, fds[0]);
	}
	for (i = 0; i < r.nr_args; i++)
		free(r.args[i]);
	if (fds[0] >= 0) {
		close(fds[0]);
		close(fds[1]);
	}
	return cmd_finish(ret);
}
