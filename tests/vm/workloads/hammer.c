/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hammer: do one thing to memory again and again, until a file appears.
 *
 *	kind=age	age it by force through debugfs lru_gen: a page table walk,
 *			and the oldest generation moved on. memcg=PATH names it
 *	kind=reclaim	write bytes=N to DIR/memory.reclaim, dir=DIR
 *	kind=compact	compact all of memory, which takes folios from the lists
 *			wherever they are
 *	memcg=PATH	as debugfs lru_gen has it
 *	nid=0
 *	dir=DIR		of the memcg in cgroupfs
 *	bytes=1048576
 *	until=FILE	end when it exists
 *	pause_us=0	between two
 */
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LRU_GEN "/sys/kernel/debug/lru_gen"
#define COMPACT "/proc/sys/vm/compact_memory"

/* Find the memcg's number and the youngest generation of one node. */
static void find(const char *memcg, int nid, unsigned *id, unsigned long *max_seq)
{
	char line[4608], path[4096];
	unsigned number, age_ms;
	int node = -1, here = 0;
	unsigned long seq;
	FILE *f = fopen(LRU_GEN, "r");

	if (!f)
		die(errno, LRU_GEN);
	*id = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "memcg %u %4095s", &number, path) == 2) {
			here = !strcmp(path, memcg);
			if (here)
				*id = number;
		} else if (sscanf(line, " node %d", &node) != 1 && here && node == nid &&
			   sscanf(line, " %lu %u", &seq, &age_ms) == 2) {
			*max_seq = seq;
		}
	}
	fclose(f);
	if (!*id)
		die(0, "%s has no memcg %s", LRU_GEN, memcg);
}

static void put(const char *path, const char *text, int may_fail)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		die(errno, "%s", path);
	if (write(fd, text, strlen(text)) < 0 && !may_fail)
		die(errno, "%s: %s", path, text);
	close(fd);
}

int hammer_main(struct args *args)
{
	const char *kind = args_text(args, "kind", "age");
	const char *memcg = args_text(args, "memcg", "/");
	const char *dir = args_text(args, "dir", "");
	const char *until = args_text(args, "until", "");
	long nid = args_number(args, "nid", 0, 0, 63);
	long bytes = args_number(args, "bytes", 1 << 20, 4096, 1L << 40);
	long pause_us = args_number(args, "pause_us", 0, 0, 1000000);
	unsigned long max_seq = 0, nr = 0;
	int age = !strcmp(kind, "age"), compact = !strcmp(kind, "compact");
	char path[4096], text[128];
	unsigned id;

	args_done(args);
	if (!age && !compact && strcmp(kind, "reclaim"))
		die(0, "kind=%s is none of age, reclaim and compact", kind);
	snprintf(path, sizeof(path), "%s/memory.reclaim", dir);
	while (access(until, F_OK)) {
		if (age) {
			find(memcg, nid, &id, &max_seq);
			snprintf(text, sizeof(text), "+ %u %ld %lu 1 1", id, nid, max_seq);
			put(LRU_GEN, text, 0);
		} else if (compact) {
			put(COMPACT, "1", 0);
		} else {
			snprintf(text, sizeof(text), "%ld", bytes);
			/* EAGAIN: it gave less */
			put(path, text, 1);
		}
		nr++;
		if (pause_us)
			usleep(pause_us);
	}
	printf("hammer kind=%s times=%lu\n", kind, nr);
	return 0;
}
