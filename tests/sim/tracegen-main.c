// SPDX-License-Identifier: GPL-2.0-only
/* tracegen: write a trace.dat with a made-up history; see --help. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"
#include "history.h"

static void help(FILE *out)
{
	fputs("Usage: tracegen [OPTION]... -o FILE\n"
	      "Write a trace.dat with a made-up history of folios.\n\n"
	      "  -o, --output FILE\n"
	      "  -n, --events N          records of lru_gen events (100000)\n"
	      "      --folios N          different folios (65536)\n"
	      "  -c, --cpus N            (2)\n"
	      "      --stride N          CPU numbers 0, N, 2N ... (1)\n"
	      "      --others PERCENT    records of an event that nobody decodes (0)\n"
	      "      --lost-every N      a loss after so many events, sizes alternate (0)\n"
	      "      --interval NS       mean time between events (400)\n"
	      "      --seed N            (1)\n"
	      "      --format-version 6|7    (7)\n"
	      "      --codec none|zstd|zlib  (zstd)\n"
	      "      --level N           of compression\n"
	      "      --big-endian\n"
	      "      --kernel-long 4|8   (8)\n"
	      "      --user-long 4|8     (8)\n"
	      "      --page BYTES        of a sub-buffer (4096)\n"
	      "      --chunk-pages N     (10)\n"
	      "      --clock NAME        (mono)\n"
	      "      --instance NAME     put the events into an instance\n"
	      "      --symbol-shift N    add N to every enum value\n"
	      "      --drop NAME         an event (mm_lru_gen_add) or a system (lru_gen) is\n"
	      "                          not in the file\n"
	      "      --drop-field NAME   a field (mm_lru_gen_add.pfn) is not described\n"
	      "  -h, --help\n", out);
}

static unsigned long number(const char *text)
{
	char *end;
	unsigned long v = strtoul(text, &end, 0);

	if (end == text || *end) {
		fprintf(stderr, "tracegen: not a number: '%s'\n", text);
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	enum { O_FOLIOS = 256, O_STRIDE, O_OTHERS, O_LOST, O_INTERVAL, O_SEED,
	       O_VERSION, O_CODEC, O_LEVEL, O_BIG, O_KLONG, O_ULONG, O_PAGE,
	       O_CHUNK, O_CLOCK, O_INSTANCE, O_SHIFT, O_DROP, O_DROP_FIELD };
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "events", required_argument, NULL, 'n' },
		{ "cpus", required_argument, NULL, 'c' },
		{ "folios", required_argument, NULL, O_FOLIOS },
		{ "stride", required_argument, NULL, O_STRIDE },
		{ "others", required_argument, NULL, O_OTHERS },
		{ "lost-every", required_argument, NULL, O_LOST },
		{ "interval", required_argument, NULL, O_INTERVAL },
		{ "seed", required_argument, NULL, O_SEED },
		{ "format-version", required_argument, NULL, O_VERSION },
		{ "codec", required_argument, NULL, O_CODEC },
		{ "level", required_argument, NULL, O_LEVEL },
		{ "big-endian", no_argument, NULL, O_BIG },
		{ "kernel-long", required_argument, NULL, O_KLONG },
		{ "user-long", required_argument, NULL, O_ULONG },
		{ "page", required_argument, NULL, O_PAGE },
		{ "chunk-pages", required_argument, NULL, O_CHUNK },
		{ "clock", required_argument, NULL, O_CLOCK },
		{ "instance", required_argument, NULL, O_INSTANCE },
		{ "symbol-shift", required_argument, NULL, O_SHIFT },
		{ "drop", required_argument, NULL, O_DROP },
		{ "drop-field", required_argument, NULL, O_DROP_FIELD },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct gen_opts opts = GEN_OPTS_DEFAULT;
	unsigned long nr_events = 100000, nr_folios = 65536, nr_cpus = 2;
	unsigned long stride = 1, others = 0, lost_every = 0, interval = 400;
	unsigned long seed = 1, i;
	const char *output = NULL, *instance = NULL;
	struct history history;
	struct gen_cpu **cpus;
	struct gen *gen;
	unsigned buffer = 0;
	int opt;

	while ((opt = getopt_long(argc, argv, "o:n:c:h", options, NULL)) != -1) {
		switch (opt) {
		case 'o': output = optarg; break;
		case 'n': nr_events = number(optarg); break;
		case 'c': nr_cpus = number(optarg); break;
		case O_FOLIOS: nr_folios = number(optarg); break;
		case O_STRIDE: stride = number(optarg); break;
		case O_OTHERS: others = number(optarg); break;
		case O_LOST: lost_every = number(optarg); break;
		case O_INTERVAL: interval = number(optarg); break;
		case O_SEED: seed = number(optarg); break;
		case O_VERSION: opts.version = number(optarg); break;
		case O_CODEC: opts.codec = optarg; break;
		case O_LEVEL: opts.level = number(optarg); break;
		case O_BIG: opts.big_endian = true; break;
		case O_KLONG: opts.kernel_long_bytes = number(optarg); break;
		case O_ULONG: opts.user_long_bytes = number(optarg); break;
		case O_PAGE: opts.page_bytes = number(optarg); break;
		case O_CHUNK: opts.chunk_pages = number(optarg); break;
		case O_CLOCK: opts.clock = optarg; break;
		case O_INSTANCE: instance = optarg; break;
		case O_SHIFT: opts.symbol_shift = number(optarg); break;
		case O_DROP: opts.drop_event = optarg; break;
		case O_DROP_FIELD: opts.drop_field = optarg; break;
		case 'h':
			help(stdout);
			return 0;
		default:
			return 2;
		}
	}
	if (!output || !nr_cpus || !nr_folios || !stride) {
		help(stderr);
		return 2;
	}
	gen = gen_new(&opts);
	if (instance)
		buffer = gen_buffer(gen, instance, opts.clock, 0, 0);
	cpus = calloc(nr_cpus, sizeof(*cpus));
	for (i = 0; i < nr_cpus; i++)
		cpus[i] = gen_cpu(gen, buffer, i * stride);
	history_init(&history, seed, nr_folios, nr_cpus, 1000000000, interval);
	for (i = 0; i < nr_events; i++) {
		struct event ev;

		history_next(&history, &ev);
		if (others && history_random(&history) % 100 < others) {
			uint8_t raw[12] = { 0 };

			raw[opts.big_endian ? 1 : 0] = gen_other_id(gen);
			gen_record(cpus[ev.cpu], ev.ts_ns - 1, raw, sizeof(raw));
		}
		if (gen_event_id(gen, ev.kind) < 0)
			continue;
		gen_event(cpus[ev.cpu], &ev);
		if (lost_every && i % lost_every == lost_every - 1)
			gen_lost(cpus[ev.cpu], i / lost_every % 2 ? -1 : 17);
	}
	gen_write(gen, output);
	gen_free(gen);
	history_release(&history);
	free(cpus);
	return 0;
}
