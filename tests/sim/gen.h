/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A writer of trace.dat files of any shape: versions, codecs, byte orders, word
 * and page sizes, instances, sparse CPUs, losses, and the bugs of real writers.
 * It shares no code with the reader but the table of names in analyzer/abi.h and
 * the struct event, so that what it writes can test what the reader reads.
 *
 *	struct gen_opts opts = GEN_OPTS_DEFAULT;
 *	struct gen *gen = gen_new(&opts);
 *	struct gen_cpu *cpu = gen_cpu(gen, 0, 0);
 *
 *	gen_event(cpu, &ev);		... in the order of time, per CPU
 *	gen_write(gen, "out.dat");
 *	gen_free(gen);
 *
 * Data is spooled per CPU (in memory, then in temporary files), so 10^8 events
 * need no memory.  Running out of memory or disk ends the program with a message:
 * this is test code.
 */
#ifndef FOLIOSCOPE_TESTS_SIM_GEN_H
#define FOLIOSCOPE_TESTS_SIM_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/event.h"

/* Bugs of writers, and other oddities, for gen_opts.quirks. */
enum gen_quirk {
	GEN_SIZE_EXACT = 1 << 0,	/* BUFFER size with nchunks (3.2 and later) */
	GEN_SIZE_ZERO = 1 << 1,		/* BUFFER sizes 0 (BE 3.3) */
	GEN_NCHUNKS_UNSWAPPED = 1 << 2,	/* nchunks little-endian in a BE file (3.1.6) */
	GEN_META_JUNK = 1 << 3,		/* metadata zsize too large, junk (3.0) */
	GEN_NO_KALLSYMS = 1 << 4,	/* header overwritten (no CONFIG_KALLSYMS) */
	GEN_SHUFFLED = 1 << 5,		/* sections in another order */
	GEN_MANY_OPTIONS = 1 << 6,	/* every option in a section of its own */
	GEN_UNKNOWN_OPTIONS = 1 << 7,	/* 3.4's, gpuvis' and made-up ones */
	GEN_NO_BUFFER = 1 << 8,		/* ends behind the data, as when killed */
	GEN_BUFFER_SWAPPED = 1 << 9,	/* BUFFER in the other byte order */
	GEN_EMPTY_CLOCK = 1 << 10,	/* TRACECLOCK of length 0 */
	GEN_UNTERMINATED = 1 << 11,	/* strings without NUL, CPUSTAT of length 0 */
	GEN_OPTIONS_LOOP = 1 << 12,	/* DONE points to its own list */
	GEN_LATENCY = 1 << 13,		/* a latency recording */
	GEN_NO_CPUSTAT = 1 << 14,
	GEN_REVERSED_FIELDS = 1 << 15,	/* fields of lru_gen events in reverse */
	GEN_WIDE_FIELDS = 1 << 16,	/* 8 and 16 bits become 32 */
	GEN_EXTRA_FIELDS = 1 << 17,	/* unknown fields between the known */
};

struct gen_tsync {
	int64_t time, offset;
	uint64_t scaling, fraction;
};

struct gen_opts {
	unsigned version;		/* 6 or 7 */
	const char *codec;		/* v7: "none", "zstd", "zlib", or any name */
	int level;			/* of compression, 0 the default */
	bool big_endian;
	unsigned user_long_bytes, kernel_long_bytes;
	uint32_t page_bytes;
	uint32_t header_page_bytes;	/* what the file header says, 0: page_bytes */
	unsigned chunk_pages;
	const char *clock;		/* NULL: no TRACECLOCK */
	const char *uname;
	bool has_date, has_offset, has_tsc2nsec;
	int64_t date_us, offset_ns;
	uint32_t tsc_mult, tsc_shift;
	const struct gen_tsync *tsync;	/* per CPU nr_tsync samples, or NULL */
	unsigned nr_tsync, nr_tsync_cpus;
	unsigned symbol_shift;		/* added to every enum value */
	const char *drop_field;		/* "mm_lru_gen_add.pfn" is not described */
	const char *drop_event;		/* "mm_lru_gen_add", or "lru_gen" for all */
	const char *corrupt_event;	/* its format text is cut */
	const char *ftrace_format;	/* of one more event of ftrace, e.g. bprint */
	const char *const *odd_formats;	/* of the system "odd", NULL at the end */
	unsigned cpu_count;		/* CPUCOUNT, 0: highest CPU + 1 */
	unsigned quirks;		/* enum gen_quirk */
};

#define GEN_OPTS_DEFAULT {						\
	.version = 7, .codec = "zstd", .user_long_bytes = 8,		\
	.kernel_long_bytes = 8, .page_bytes = 4096, .chunk_pages = 10,	\
	.clock = "mono",						\
	.uname = "Linux gen 6.12.117 #1 SMP x86_64",			\
}

struct gen;
struct gen_cpu;

/* Where things ended up in the file, for tests that damage them. */
struct gen_map {
	uint64_t size_bytes;
	uint64_t options_offset;	/* first list */
	uint64_t last_options_offset;	/* with the BUFFERs */
	uint64_t buffer_option;		/* data of the first BUFFER option */
	uint64_t headers, ftrace, events, kallsyms, printk, cmdlines;
	uint64_t cpu_table;		/* v6: flyrecord's table; v7: BUFFER's */
};

/* gen_new(): @opts is copied, strings in it are not. */
struct gen *gen_new(const struct gen_opts *opts);
void gen_free(struct gen *gen);

/*
 * gen_buffer(): add an instance; returns its index (0 is the top buffer).
 * @page_bytes 0: like the top buffer; @stated_page_bytes 0: the truth.
 */
unsigned gen_buffer(struct gen *gen, const char *name, const char *clock,
		    uint32_t page_bytes, uint32_t stated_page_bytes);

/* gen_cpu(): CPU @cpu of buffer @buffer, made on the first call. */
struct gen_cpu *gen_cpu(struct gen *gen, unsigned buffer, unsigned cpu);

/*
 * gen_event(): append a record for @ev->kind with the time, task and fields of
 * @ev; its enum values are analyzer/abi.h's.  EV_MARKER takes u.marker.text.
 * EV_LOST is gen_lost().  A time before the last one is written as an absolute
 * time stamp.
 */
void gen_event(struct gen_cpu *cpu, const struct event *ev);

/* gen_record(): append a record of @len bytes as they are. */
void gen_record(struct gen_cpu *cpu, uint64_t ts, const void *data, uint32_t len);

/* gen_event_id(): common_type of @kind in this file; -1 without one. */
int gen_event_id(const struct gen *gen, enum ev_kind kind);

/* gen_other_id(): common_type of a described event that nobody decodes. */
int gen_other_id(const struct gen *gen);

/*
 * gen_encode(): the record that gen_event() would write, into @buf (256 bytes).
 * Returns its length.
 */
uint32_t gen_encode(const struct gen *gen, const struct event *ev, void *buf);

/* gen_lost(): the next page begins with a loss of @nr, -1: of unknown size. */
void gen_lost(struct gen_cpu *cpu, int64_t nr);

/* gen_discarded(): a record that the kernel took back. */
void gen_discarded(struct gen_cpu *cpu, uint64_t ts, uint32_t len);

/* gen_timestamp(): an absolute time stamp record (59 bits). */
void gen_timestamp(struct gen_cpu *cpu, uint64_t ts);

/* gen_page_end(): finish the page. */
void gen_page_end(struct gen_cpu *cpu);

/* gen_word(): a 32-bit word as it is, for records that break the rules. */
void gen_word(struct gen_cpu *cpu, uint32_t word);

/* gen_pages(): append whole pages as they are. */
void gen_pages(struct gen_cpu *cpu, const void *pages, uint32_t nr);

/* gen_stat(): the kernel's count of a CPU's losses. */
void gen_stat(struct gen_cpu *cpu, uint64_t overrun, uint64_t dropped);

/* gen_chunk(): force the end of the current chunk. */
void gen_chunk_end(struct gen_cpu *cpu);

/* gen_nr_events(): records of events written to @cpu so far. */
uint64_t gen_nr_events(const struct gen_cpu *cpu);

/*
 * gen_cpu_place(): after gen_write(): where @cpu's data is and how many chunks
 * it has; *@chunk_offsets (may be NULL) is the file offset of each chunk's head
 * (v7 compressed) or of each page.
 */
void gen_cpu_place(const struct gen_cpu *cpu, uint64_t *offset, uint64_t *size,
		   uint32_t *nr_chunks, const uint64_t **chunk_offsets);

/* gen_write(): write the file; once. */
void gen_write(struct gen *gen, const char *path);
const struct gen_map *gen_get_map(const struct gen *gen);

/* gen_format_text(): the format of @kind, as written; the gen's. */
const char *gen_format_text(const struct gen *gen, enum ev_kind kind);

#endif /* FOLIOSCOPE_TESTS_SIM_GEN_H */
