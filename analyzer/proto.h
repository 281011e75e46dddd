/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writing of protocol buffers (wire format only): fields are appended to a
 * buffer; a nested message is a buffer of its own.
 */
#ifndef FOLIOSCOPE_PROTO_H
#define FOLIOSCOPE_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero is empty. */
struct proto {
	uint8_t *bytes;
	size_t nr, nr_alloc;
	bool out_of_memory;
};

/* proto_clear(): drop the contents, keep the memory. proto_release(): free it. */
void proto_clear(struct proto *p);
void proto_release(struct proto *p);

/* proto_varint(): field @number of a type uint64, int64, bool or enum. */
void proto_varint(struct proto *p, unsigned number, uint64_t value);

/* proto_string(), proto_message(): length-delimited fields. */
void proto_string(struct proto *p, unsigned number, const char *text);
void proto_message(struct proto *p, unsigned number, const struct proto *message);

#endif /* FOLIOSCOPE_PROTO_H */
