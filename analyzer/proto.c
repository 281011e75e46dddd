// SPDX-License-Identifier: GPL-2.0-only
#include "proto.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_LEN = 2 };

void proto_clear(struct proto *p)
{
	p->nr = 0;
}

void proto_release(struct proto *p)
{
	free(p->bytes);
	memset(p, 0, sizeof(*p));
}

static void append(struct proto *p, const void *bytes, size_t nr)
{
	if (p->nr + nr > p->nr_alloc) {
		size_t nr_alloc = p->nr_alloc ? p->nr_alloc : 256;
		uint8_t *more;

		while (nr_alloc < p->nr + nr)
			nr_alloc *= 2;
		more = realloc(p->bytes, nr_alloc);
		if (!more) {
			p->out_of_memory = true;
			return;
		}
		p->bytes = more;
		p->nr_alloc = nr_alloc;
	}
	memcpy(p->bytes + p->nr, bytes, nr);
	p->nr += nr;
}

static void varint(struct proto *p, uint64_t value)
{
	uint8_t bytes[10];
	unsigned nr = 0;

	do {
		bytes[nr++] = (value & 0x7f) | (value > 0x7f ? 0x80 : 0);
		value >>= 7;
	} while (value);
	append(p, bytes, nr);
}

void proto_varint(struct proto *p, unsigned number, uint64_t value)
{
	varint(p, number << 3 | WIRE_VARINT);
	varint(p, value);
}

static void field(struct proto *p, unsigned number, const void *bytes, size_t nr)
{
	varint(p, number << 3 | WIRE_LEN);
	varint(p, nr);
	append(p, bytes, nr);
}

void proto_string(struct proto *p, unsigned number, const char *text)
{
	field(p, number, text, strlen(text));
}

void proto_message(struct proto *p, unsigned number, const struct proto *message)
{
	field(p, number, message->bytes, message->nr);
	p->out_of_memory |= message->out_of_memory;
}
