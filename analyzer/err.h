/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one error path: library code returns a negative enum err and, where the
 * caller passed one, fills a struct diag with a sentence for the user.  Only
 * main.c and cmd-*.c print or exit.
 */
#ifndef FOLIOSCOPE_ERR_H
#define FOLIOSCOPE_ERR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * name, exit status of the program, text.  The exit status is one of
 * enum exit_status below, as a number.
 */
#define ERR_LIST(X)							\
	/* the machine */						\
	X(NOMEM,	1, "out of memory")				\
	X(IO,		1, "read error")				\
	X(WRITE,	1, "write error")				\
	X(THREAD,	1, "cannot start a thread")			\
	X(BUG,		1, "internal error")				\
	X(USAGE,	2, "wrong usage")				\
	X(INTERRUPTED,	1, "interrupted")				\
	X(NOT_FOUND,	1, "not found")					\
	/* the file as a whole */					\
	X(NO_FILE,	4, "no such file")				\
	X(NO_ACCESS,	4, "file cannot be opened")			\
	X(IS_DIR,	4, "is a directory")				\
	X(NOT_REGULAR,	4, "is not a regular file")			\
	X(EMPTY,	4, "file is empty")				\
	X(NOT_TRACE,	4, "is not a trace-cmd recording")		\
	X(TEXT_FILE,	4, "is a text file, not a trace-cmd recording")	\
	X(RAW_CPU,	4, "is the raw data of one CPU")		\
	X(LATENCY,	4, "is a latency recording (text)")		\
	X(VERSION,	4, "unsupported trace.dat version")		\
	X(CODEC,	4, "unsupported compression")			\
	X(TRUNCATED,	4, "recording is cut short")			\
	X(NO_BUFFER,	4, "recording has no pointer to its data")	\
	X(NO_KALLSYMS,	4, "recording has an overwritten header")	\
	X(NO_SUCH_BUFFER, 4, "recording has no such buffer")		\
	X(BAD_HEADER,	4, "file header is damaged")			\
	X(BAD_SECTION,	4, "a section is damaged")			\
	X(BAD_OPTIONS,	4, "the option list is damaged")		\
	X(BAD_PAGE_FORMAT, 4, "the sub-buffer format is unusable")	\
	X(BAD_FORMAT,	4, "an event format is unusable")		\
	X(MISSING_FIELD, 4, "an event lacks a field")			\
	X(NO_EVENTS,	4, "recording has no lru_gen events")		\
	X(STATE,	4, "the state of this part is of another version: trim again") \
	X(NOT_COUNTERS,	4, "is not a file of counters")			\
	/* damage inside the data, the rest is used */			\
	X(LOST,		3, "events lost while recording")		\
	X(CONTRADICTS_HEADER, 3, "the file header contradicts the rest")	\
	X(NOT_RECORDED,	3, "events of lru_gen are not in the file")	\
	X(BAD_OPTION,	3, "an option is damaged and was ignored")	\
	X(BAD_CPU,	3, "a CPU's data cannot be located")		\
	X(CPU_TRUNCATED, 3, "a CPU's data ends early")			\
	X(BAD_CHUNK,	3, "chunk does not inflate to its stated size")	\
	X(BAD_CHUNK_SIZE, 3, "chunk states an impossible size")		\
	X(BAD_CHUNK_COUNT, 3, "number of chunks contradicts the data")	\
	X(BAD_PAGE,	3, "sub-buffer is damaged")			\
	X(OUT_OF_ORDER,	3, "time goes back: data is at the wrong place, or from elsewhere") \
	X(BAD_RECORD,	3, "record is shorter than its event")		\
	X(UNKNOWN_EVENT, 3, "record of an event that the file does not describe") \
	X(BAD_TIME,	3, "time cannot be represented")		\
	X(SALVAGED,	3, "data was recovered by scanning")		\
	/* kernel rules, used by the model */				\
	X(CONTRADICTION, 3, "events contradict each other")

/*
 * Negative values are returned (-ERR_NOMEM); numbers start at 100000, clear of
 * errno.  0 is success.
 */
enum err {
	ERR_NONE = 0,
	ERR_FIRST = 100000,
#define ERR_ENUM(name, status, text) ERR_##name,
	ERR_LIST(ERR_ENUM)
#undef ERR_ENUM
	ERR_END
};

/* Exit statuses of the program (formats and man page list the same). */
enum exit_status {
	STATUS_OK = 0,		/* done, nothing to complain of */
	STATUS_FAILED = 1,	/* could not do it: memory, output, a bug */
	STATUS_USAGE = 2,	/* the command line is wrong */
	STATUS_LOSSY = 3,	/* done, but data was lost, damaged, contradictory */
	STATUS_UNREADABLE = 4,	/* the file cannot be read or is unsupported */
};

/*
 * What went wrong, as one sentence.  The caller owns the struct; a library
 * function that fails fills it completely, one that succeeds leaves it alone.
 */
struct diag {
	enum err err;		/* positive, ERR_NONE if nothing happened */
	bool has_offset;	/* offset_bytes is meaningful (0 is a valid offset) */
	uint64_t offset_bytes;	/* in the file */
	char text[512];		/* file, offset, cause, what to do; no newline */
};

/*
 * err_text(): fixed text of @err, which may be given positive or negative.
 * Returns a static string, "unknown error" for a number that is not ours.
 */
const char *err_text(int err);

/*
 * err_name(): symbolic name ("BAD_CHUNK") of @err, positive or negative.
 * Returns a static string, "?" for a number that is not ours.
 */
const char *err_name(int err);

/*
 * err_status(): exit status for @err, positive or negative.  0 gives STATUS_OK,
 * a number that is not ours STATUS_FAILED.
 */
enum exit_status err_status(int err);

/*
 * diag_set(): fill @diag (may be NULL) from a printf format.  Cuts at the size
 * of diag->text.  Returns -@err, so that a failing function can return it.
 */
int diag_set(struct diag *diag, enum err err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * diag_set_at(): like diag_set(), and records @offset_bytes, which the format
 * should mention too.
 */
int diag_set_at(struct diag *diag, enum err err, uint64_t offset_bytes,
		const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* FOLIOSCOPE_ERR_H */
