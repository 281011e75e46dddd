// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzzreplay TARGET PATH...: run a fuzz target (one of tests/fuzz/fuzz_*.c) on
 * files, and on the files in folders, without the fuzzer; and on each file cut
 * in half and with single bytes changed, so that a seed tests a little more than
 * itself.  Prints how many inputs ran.
 */
#define _GNU_SOURCE	/* memfd_create() */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "readback.h"

#define LLVMFuzzerTestOneInput fuzz_reader
#include "tests/fuzz/fuzz_reader.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_pipeline
#include "tests/fuzz/fuzz_pipeline.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_format
#include "tests/fuzz/fuzz_format.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_subbuf
#include "tests/fuzz/fuzz_subbuf.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_decode
#include "tests/fuzz/fuzz_decode.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_model
#include "tests/fuzz/fuzz_model.c"
#undef LLVMFuzzerTestOneInput

volatile uint64_t fuzz_sink;

static unsigned long nr_runs;

static void replay_file(int (*target)(const uint8_t *, size_t), const char *path)
{
	size_t len, i;
	uint8_t *data = file_load(path, &len);

	target(data, len);
	target(data, len / 2);
	nr_runs += 2;
	for (i = 0; i < len; i += 1 + len / 16) {
		data[i] ^= 0xff;
		target(data, len);
		data[i] ^= 0xff;
		nr_runs++;
	}
	free(data);
}

static void replay(int (*target)(const uint8_t *, size_t), const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		replay_file(target, path);
		return;
	}
	while ((entry = readdir(dir))) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		replay_file(target, name);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(const uint8_t *, size_t);
	} targets[] = {
		{ "reader", fuzz_reader },
		{ "pipeline", fuzz_pipeline },
		{ "format", fuzz_format },
		{ "subbuf", fuzz_subbuf },
		{ "decode", fuzz_decode },
		{ "model", fuzz_model },
	};
	unsigned t;
	int i;

	for (t = 0; t < sizeof(targets) / sizeof(targets[0]) && argc > 2; t++) {
		if (strcmp(argv[1], targets[t].name))
			continue;
		for (i = 2; i < argc; i++)
			replay(targets[t].run, argv[i]);
		printf("%lu inputs\n", nr_runs);
		return 0;
	}
	fprintf(stderr, "Usage: %s reader|pipeline|format|subbuf|decode|model PATH...\n", argv[0]);
	return 2;
}
