/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A minimal PNG writer: 8 bits per channel, RGB, one IDAT chunk.
 */
#ifndef FOLIOSCOPE_PNG_H
#define FOLIOSCOPE_PNG_H

#include <stddef.h>
#include <stdint.h>

/*
 * png_encode(): @rgb is @width * @height * 3 bytes, rows from the top. On success
 * *@png is the file, to be freed by the caller, and *@size_bytes its size.
 * Returns 0 or -ERR_NOMEM.
 */
int png_encode(const uint8_t *rgb, unsigned width, unsigned height, uint8_t **png,
	       size_t *size_bytes);

#endif /* FOLIOSCOPE_PNG_H */
