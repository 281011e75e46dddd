/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reader of trace-cmd recordings (trace.dat v6 and v7; formats/trace-dat.md).
 *
 *	struct diag diag;
 *	struct reader *reader;
 *	struct event ev;
 *	int ret = reader_open(&reader, "trace.dat", NULL, &diag);
 *
 *	if (ret < 0)
 *		... print diag.text, exit with err_status(ret)
 *	while ((ret = reader_next(reader, &ev)) > 0)
 *		... use ev
 *	... reader_totals(reader) says what was lost or damaged
 *	reader_close(reader);
 *
 * A reader belongs to one thread; it may run threads of its own.  Its memory
 * depends on the number of CPUs and threads, not on the number of events.
 */
#ifndef FOLIOSCOPE_READER_H
#define FOLIOSCOPE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "event.h"

struct reader;

struct reader_opts {
	/*
	 * The instance to read; "" the top buffer; NULL the one that holds
	 * lru_gen events; if none does, the first with data.
	 */
	const char *buffer;
	int nr_threads;		/* in all, the caller's included; 0: one per CPU */
	bool salvage;		/* scan for the data if the pointer to it is lost */
	/*
	 * An event without a needed field is a problem that is listed, and the
	 * event not decoded, instead of a reason not to open the file.
	 */
	bool tolerate_formats;
};

/* One CPU's totals as the kernel printed them (per_cpu/cpuN/stats). */
struct recording_cpu_stat {
	int cpu;
	unsigned set;			/* 0: top buffer, 1: first instance, ... */
	bool has_entries, has_overrun, has_dropped, has_commit_overrun;
	uint64_t nr_entries;
	uint64_t nr_overrun;		/* lost: overwritten by newer events */
	uint64_t nr_dropped;		/* lost: buffer was full */
	uint64_t nr_commit_overrun;	/* lost: nested too deep */
};

/* The data of one CPU of one buffer. */
struct recording_cpu {
	int cpu;
	uint64_t offset_bytes;		/* in the file */
	uint64_t size_bytes;		/* in the file, as far as it is there */
	uint64_t nr_missing_bytes;	/* stated, but not there or not usable */
	bool is_unusable;		/* its place in the file cannot be true */
};

struct recording_buffer {
	const char *name;		/* "" is the top buffer */
	const char *clock;		/* NULL: the file does not say */
	uint32_t page_size_bytes;	/* of its sub-buffers */
	unsigned nr_cpus;		/* with data */
	const struct recording_cpu *cpus;
	bool has_lru_gen;		/* such events were seen (see reader_info) */
};

/* One event format of the file. */
struct recording_event {
	const char *system, *name;
	int id;				/* common_type of its records */
	enum ev_kind kind;		/* EV_NONE: not decoded */
};

/*
 * What the file says of itself.  Strings and arrays are the reader's; a NULL
 * string or a false has_x means that the file does not say.
 */
struct recording_info {
	const char *path;
	uint64_t file_size_bytes;
	unsigned version;		/* 6 or 7 */
	const char *codec;		/* "none", "zstd", "zlib" */
	const char *codec_version;	/* NULL in v6 */
	bool big_endian;
	unsigned user_long_bytes;	/* header byte: 4 or 8 */
	unsigned kernel_long_bytes;	/* of the sub-buffer's commit word */
	uint32_t page_size_bytes;

	const char *uname;		/* "Linux host 6.12.117 ... x86_64" */
	const char *writer;		/* trace-cmd's version */
	const char *clock;		/* of the buffer being read */
	bool clock_is_ns;		/* false: raw units, ts_ns is not in ns */
	bool has_date, has_offset, has_tsc2nsec, has_time_shift, has_trace_id;
	int64_t date_ns;		/* added to every time stamp */
	int64_t offset_ns;		/* added to every time stamp */
	uint64_t trace_id;
	bool has_cpu_count;
	uint32_t cpu_count;		/* CPUs of the machine */

	unsigned nr_buffers;
	const struct recording_buffer *buffers;
	unsigned buffer;		/* index of the one being read */
	unsigned nr_cpu_stats;
	const struct recording_cpu_stat *cpu_stats;
	unsigned nr_events;
	const struct recording_event *events;	/* by system, name */

	unsigned nr_options_skipped;	/* of unknown kind */
	bool salvaged;			/* found by scanning, may be incomplete */
	uint64_t data_bytes;		/* of the buffer being read, in the file */
};

/* Something wrong with the file, found when opening or while reading. */
struct reader_problem {
	enum err err;
	int cpu;			/* -1: not of one CPU */
	bool has_offset, has_time;
	uint64_t offset_bytes;		/* in the file */
	uint64_t size_bytes;		/* of it, unusable; 0: unknown */
	uint64_t from_ts_ns, to_ts_ns;	/* to_ts_ns may be EV_TS_END */
	uint64_t nr;			/* how often, from the first on */
	char text[256];			/* cause, no newline */
};

struct reader_cpu_totals {
	int cpu;
	uint64_t nr_records;		/* of any event */
	uint64_t nr_lost;		/* counted losses */
	uint64_t nr_lost_unknown;	/* losses of unknown size */
	uint64_t nr_gaps, gap_bytes;
	uint64_t nr_backward;		/* steps back in time */
	uint64_t first_ts_ns, last_ts_ns;	/* 0 and 0 if there is no event */
	bool is_truncated;		/* data ends before its stated end */
};

/*
 * What has been read so far; complete once reader_next() returned 0.  Counts
 * advance by chunk, so in the middle they may be ahead of the events delivered.
 */
struct reader_totals {
	uint64_t nr_by_kind[EV_NR];	/* delivered items, EV_LOST, EV_GAP too */
	uint64_t nr_records;		/* all records, decoded or not */
	uint64_t nr_other;		/* records of events that we do not decode */
	uint64_t nr_unknown_id;		/* records of no event in the file */
	uint64_t nr_bad_record;		/* too short for their event */
	uint64_t nr_discarded;		/* taken back by the kernel */
	uint64_t nr_bad_time;		/* records whose time overflowed */
	uint64_t nr_lost;		/* sum of counted losses */
	uint64_t nr_lost_unknown;	/* losses of unknown size */
	uint64_t nr_gaps, gap_bytes;
	uint64_t nr_backward;
	uint64_t nr_chunks, nr_pages;
	uint64_t file_bytes;		/* data read from the file */
	uint64_t raw_bytes;		/* after inflating */
	uint64_t first_ts_ns, last_ts_ns;
	unsigned nr_cpus;
	const struct reader_cpu_totals *cpus;	/* the reader's */
	/* records by event, beside info->events[]; the reader's */
	const uint64_t *nr_by_event;
};

/*
 * reader_open(): open @path and read everything but the events.
 * @opts may be NULL (all zero).  On success *@ret is a new reader that the
 * caller closes.  On failure *@ret is untouched and @diag (may be NULL) has the
 * sentence for the user.
 * Returns 0 or a negative enum err.
 */
int reader_open(struct reader **ret, const char *path,
		const struct reader_opts *opts, struct diag *diag);

/*
 * reader_close(): stop the threads and free everything, strings given out
 * included.  NULL is allowed.
 */
void reader_close(struct reader *reader);

/*
 * reader_info(): what the file says of itself; valid until reader_close().
 * has_lru_gen of a buffer is certain only where there is more than one buffer.
 */
const struct recording_info *reader_info(const struct reader *reader);

/*
 * reader_has_event(): does the file describe the event of @kind?  (That does
 * not mean that it holds records of it.)
 */
bool reader_has_event(const struct reader *reader, enum ev_kind kind);

/*
 * reader_can_follow(): does the file describe every event that changes lists, lives
 * or pages, or none of lru_gen?  Else nothing can be followed from one event to the
 * next, and a problem (NOT_RECORDED) names what is missing.
 */
bool reader_can_follow(const struct reader *reader);

/*
 * reader_refusal(): with tolerate_formats: why the file would not have been opened
 * without, the reader's; NULL if it would.
 */
const struct diag *reader_refusal(const struct reader *reader);

/*
 * reader_has_field(): does the event of @kind have @field (the kernel's name)
 * in this file, and do we decode it?
 */
bool reader_has_field(const struct reader *reader, enum ev_kind kind,
		      const char *field);

/*
 * reader_missing_field(): walk the fields of @kind that we would decode and the
 * file's event lacks; *@pos starts at 0.  Returns the next one's name (static),
 * or NULL at the end and for an event that is not in the file.
 */
const char *reader_missing_field(const struct reader *reader, enum ev_kind kind,
				 unsigned *pos);

/*
 * reader_symbol(): name that the file's kernel prints for @value (as it stands
 * in the file) of @field of @kind, from the event's __print_symbolic() table.
 * Returns a string of the reader, or NULL if there is none.
 */
const char *reader_symbol(const struct reader *reader, enum ev_kind kind,
			  const char *field, int64_t value);

/* What a registered map gives for a value without a name known to us. */
#define READER_NO_SYMBOL	0xff

/*
 * reader_map_symbols(): translate @field of @kind while decoding, by name: the
 * delivered value is the index in @names (@nr <= 255 of them, NULL entries are
 * skipped) of the name that the file prints for the stored value, and
 * READER_NO_SYMBOL where there is none.  Only for fields that struct event
 * holds in one byte.  The map is also written to @map_out if that is not NULL.
 * Call between reader_open() and the first reader_next().
 * Returns the number of names printed by the file that are not in @names, or
 * -ERR_NOT_FOUND if the file lacks event, field or table (nothing is changed),
 * or -ERR_BUG if reading has begun or the field is not one byte.
 */
int reader_map_symbols(struct reader *reader, enum ev_kind kind,
		       const char *field, const char *const names[],
		       unsigned nr, uint8_t map_out[256]);

/*
 * reader_next(): the next item in the order of (time, CPU), then of the file.
 * Data of a CPU at a place where its time is too low or too high is a gap.
 * Returns 1 and fills @ret; 0 at the end; or a negative enum err
 * (reader_diag() then has the sentence).  Damaged data is not an error but an
 * item of kind EV_GAP.
 */
int reader_next(struct reader *reader, struct event *ret);

/*
 * reader_next_batch(): the same stream, in arrays: *@ret, of pointers, and *@nr (> 0)
 * are filled; the events are the reader's until its next call.
 * Returns like reader_next().
 */
int reader_next_batch(struct reader *reader, const struct event *const **ret,
		      unsigned *nr);

/* reader_diag(): why the last call failed; the reader's. */
const struct diag *reader_diag(const struct reader *reader);

/* reader_totals(): what was read so far; valid until the next call. */
const struct reader_totals *reader_totals(struct reader *reader);

/*
 * reader_problems(): everything wrong so far, in the order it was met; *@nr of
 * them, the reader's until its next call.  Problems of one kind on one CPU
 * beyond the first few are only counted (in the last one's nr).
 */
const struct reader_problem *reader_problems(const struct reader *reader,
					     unsigned *nr);

/* reader_nr_unlisted(): problems that there was no room to list or to count there. */
uint64_t reader_nr_unlisted(const struct reader *reader);

/*
 * reader_progress(): bytes of the buffer being read that were consumed, out of
 * *@total_bytes (both as in the file).
 */
uint64_t reader_progress(const struct reader *reader, uint64_t *total_bytes);

#endif /* FOLIOSCOPE_READER_H */
