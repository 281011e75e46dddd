/* SPDX-License-Identifier: GPL-2.0-only */
/* What the fuzz targets share. */
#ifndef FOLIOSCOPE_TESTS_FUZZ_H
#define FOLIOSCOPE_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* LLVMFuzzerTestOneInput(): a target; returns 0, or does not return. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Their names in the program that replays a corpus without the fuzzer. */
int fuzz_reader(const uint8_t *data, size_t size);
int fuzz_format(const uint8_t *data, size_t size);
int fuzz_pipeline(const uint8_t *data, size_t size);
int fuzz_subbuf(const uint8_t *data, size_t size);
int fuzz_decode(const uint8_t *data, size_t size);
int fuzz_model(const uint8_t *data, size_t size);

/* Results go here, so that they are computed. */
extern volatile uint64_t fuzz_sink;

#endif /* FOLIOSCOPE_TESTS_FUZZ_H */
