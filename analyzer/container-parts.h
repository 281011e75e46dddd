/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files behind container_open() share: container.c recognizes the file
 * and its table of CPUs, container-v6.c and container-v7.c find their way
 * through the two versions, container-options.c reads the options of both,
 * container-formats.c the formats, in sections or without.
 *
 * Unless said otherwise functions return 0 or a negative enum err with the diag
 * of the opening filled. Damage that costs no more than a part is noted in the
 * container's problems instead. Layouts: formats/trace-dat.md.
 */
#ifndef FOLIOSCOPE_CONTAINER_PARTS_H
#define FOLIOSCOPE_CONTAINER_PARTS_H

#include "container.h"

/* Decompressed sections and single options beyond it are refused. */
#define MAX_SECTION_BYTES	(256u << 20)
#define MAX_OPTIONS_SECTIONS	1024u
#define MAX_BUFFERS		4096u

enum section_id {
	SECTION_OPTIONS = 0,
	SECTION_DATA = 3,
	SECTION_HEADERS = 16,
	SECTION_FTRACE = 17,
	SECTION_EVENTS = 18,
	SECTION_KALLSYMS = 19,
	SECTION_PRINTK = 20,
	SECTION_CMDLINES = 21,
	SECTION_NR
};

/* An instance of a v6 file: found in an option, read afterwards. */
struct v6_instance {
	uint64_t offset;
	char *name;
	uint32_t nr_cpus;
};

/* What is only needed while opening. */
struct opening {
	struct container *c;
	struct diag *diag;
	const char *path;
	bool has_latency;
	bool chain_is_broken;		/* an options section was unreadable */
	uint64_t broken_offset;
	uint64_t sections[SECTION_NR];	/* 0: not given */
	uint64_t options_seen[MAX_OPTIONS_SECTIONS];
	unsigned nr_options_seen;
	bool v6_has_clock;
	uint32_t v6_nr_cpus;
	struct v6_instance *instances;
	unsigned nr_instances;
	int v6_current;			/* instance a CPUCOUNT applies to, -1 top */
};

/* A stretch of the file in memory, to be freed. */
struct blob {
	uint8_t *data;
	uint64_t len;
	uint64_t offset;	/* of the first byte in the file, for messages */
};

struct section_header {
	uint16_t id, flags;
	uint64_t size;
};

/* Which numbers the CPUs of a buffer have. */
struct cpu_numbers {
	uint8_t seen[CONTAINER_MAX_CPU / 8];	/* a bit per number */
	uint32_t nr_refused;	/* so many of the highest are not free any more */
};

/*
 * container_add_checked_cpu(): one entry of a table of CPUs; what is beyond the
 * end of the file is cut off and noted. Data of a CPU whose number cannot be right
 * is kept under another that is not in @numbers. @table_offset is where the entry
 * is. Returns 0 or -ERR_NOMEM.
 */
int container_add_checked_cpu(struct container *c, struct recording_buffer *buffer,
			      struct cpu_numbers *numbers, uint32_t id, uint64_t offset,
			      uint64_t size, uint64_t table_offset);

/*
 * container_clock_name(): the clock in "[local] global counter", or just "local",
 * of at most @len bytes; the container's. NULL for an empty text.
 */
const char *container_clock_name(struct container *c, const void *text, size_t len);

/* section_read_header(): false if the file ends before or cannot be read. */
bool section_read_header(struct container *c, uint64_t off, bool swap, struct section_header *ret);

/*
 * section_load(): the body of the section @id at @off, inflated, as @ret, whose
 * data is to be freed. @what names it in messages.
 */
int section_load(struct opening *o, uint64_t off, enum section_id id, const char *what,
		 struct blob *ret);

/* opening_parse_headers(): the texts that describe the sub-buffers. */
int opening_parse_headers(struct opening *o, struct cursor *cur);

/* opening_parse_ftrace(): the formats of the system ftrace; damage is noted. */
int opening_parse_ftrace(struct opening *o, struct cursor *cur);

/* opening_parse_events(): the formats of all other systems; damage is noted. */
int opening_parse_events(struct opening *o, struct cursor *cur);

/*
 * opening_parse_options(): a list of options up to DONE. *@next is where DONE says
 * that the list goes on (version 7), or 0. A broken list is noted and ends; its
 * options so far count.
 */
int opening_parse_options(struct opening *o, struct cursor *cur, uint64_t *next);

/*
 * opening_header_v7(): the rest of the header, of which the first @len bytes of
 * the file are @raw: codec, and where the options are. *@end is where it ends.
 */
int opening_header_v7(struct opening *o, const uint8_t *raw, size_t len, uint64_t *end);

/* opening_v7(), opening_v6(): everything behind the header. */
int opening_v7(struct opening *o, uint64_t header_end);
int opening_v6(struct opening *o);

#endif /* FOLIOSCOPE_CONTAINER_PARTS_H */
