/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the workloads of the test kernel share: arguments, random numbers, pages
 * with a stamp in them, and the end of a run.
 *
 * A workload is a function with a line in workload.c. It does a fixed amount of
 * work that depends on nothing but its arguments, checks every byte that it
 * relies on, prints one line of results to stdout, and exits. Any failure,
 * including contents that are not what was written, ends the program with
 * a message and status 1.
 */
#ifndef TESTS_VM_WORKLOAD_H
#define TESTS_VM_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#define PAGE_BYTES 4096UL
#define HUGE_BYTES (2UL << 20)
#define MB_PAGES (256UL)

struct args {
	const char *workload;
	int count;
	char **words;		/* key=value */
	unsigned char *used;
};

/*
 * The number given as key=NUMBER, or fallback if there is none. Ends the
 * program if it is not a decimal number from min to max.
 */
long args_number(struct args *args, const char *key, long fallback, long min, long max);

/* The text given as key=TEXT, or fallback (which may be NULL); args owns it. */
const char *args_text(struct args *args, const char *key, const char *fallback);

/* Ends the program if a word was given that nobody asked for. */
void args_done(const struct args *args);

/* Print "workload: message" and errno's text, if errno_value is not 0; exit 1. */
void die(int errno_value, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* The next of a sequence of 64-bit numbers that depends on the first *state only. */
uint64_t random_next(uint64_t *state);

/* A number below limit, which is not 0. */
uint64_t random_below(uint64_t *state, uint64_t limit);

/* CLOCK_MONOTONIC, the clock of the recording, in nanoseconds. */
uint64_t now_ns(void);

/*
 * nr_pages pages of private anonymous memory at a multiple of align_bytes,
 * never NULL. Transparent huge pages are off for it unless align_bytes is
 * HUGE_BYTES.
 */
unsigned char *pages_map(size_t nr_pages, size_t align_bytes);

static inline unsigned char *page_at(unsigned char *base, size_t page)
{
	return base + page * PAGE_BYTES;
}

/*
 * Write page's stamp: its number, a version, and filler of which most
 * can be compressed, so that zram has something to do and something to keep.
 */
void page_stamp(unsigned char *addr, uint64_t page, uint64_t version);

/* Whether the page holds exactly what page_stamp() would have written. */
int page_holds(const unsigned char *addr, uint64_t page, uint64_t version);

/* page_holds(), or else end the program with a message. */
void page_check(const unsigned char *addr, uint64_t page, uint64_t version);

/*
 * The version that a page claims to hold: of a file that an earlier workload
 * may have written. Ends the program if the page does not hold its stamp.
 */
uint64_t page_check_any(const unsigned char *addr, uint64_t page);

/* Read one byte of the page. */
static inline void page_read(const unsigned char *addr)
{
	(void)*(const volatile unsigned char *)(addr + 64);
}

/*
 * The page frame that addr is mapped to in this process, or 0 if none is
 * (never touched, swapped out or unmapped by reclaim). Needs root.
 */
uint64_t page_pfn(const void *addr);

/*
 * Print the results (one line, printf-like) and, if ready=FILE was given,
 * create FILE, then stay around, with all memory, until killed. Returns
 * otherwise.
 */
void finish(struct args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

int anon_main(struct args *args);
int apps_main(struct args *args);
int chain_main(struct args *args);
int collapse_main(struct args *args);
int drain_main(struct args *args);
int file_main(struct args *args);
int forks_main(struct args *args);
int hammer_main(struct args *args);
int kv_main(struct args *args);
int lazyfree_main(struct args *args);
int locked_main(struct args *args);
int makefile_main(struct args *args);
int move_main(struct args *args);
int rare_main(struct args *args);
int search_main(struct args *args);
int thp_main(struct args *args);

#endif
