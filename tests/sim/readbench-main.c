// SPDX-License-Identifier: GPL-2.0-only
/*
 * readbench MODE FILE [THREADS]: how fast a file can be read.
 *
 *	limit	read, inflate and walk the sub-buffers, nothing else: the bound
 *	reader	our reader, every event delivered in order, nothing done with it
 *
 * Prints records, wall and CPU seconds, and records per second of both.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "analyzer/container.h"
#include "analyzer/reader.h"
#include "analyzer/stream.h"
#include "analyzer/subbuf.h"

static double wall_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static double cpu_s(struct rusage *usage)
{
	getrusage(RUSAGE_SELF, usage);
	return usage->ru_utime.tv_sec + usage->ru_stime.tv_sec +
	       (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1e-6;
}

struct limit {
	struct container c;
	struct stream *streams;
	unsigned nr_streams, current;
	pthread_mutex_t lock;
	uint64_t nr_records, raw_bytes;
};

static void *limit_thread(void *arg)
{
	struct limit *limit = arg;
	const struct container *c = &limit->c;
	const struct subbuf_layout layout = {
		.swap = c->swap, .big_endian = c->info.big_endian,
		.commit_offset = c->commit_offset,
		.commit_bytes = c->commit_bytes,
		.data_offset = c->data_offset, .page_bytes = c->page_bytes,
	};
	uint64_t nr_records = 0, raw_bytes = 0;
	struct stream_buffer buffer;

	stream_buffer_init(&buffer, c->codec);
	for (;;) {
		struct stream_chunk work;
		uint32_t pos;
		int ret = 0;

		pthread_mutex_lock(&limit->lock);
		while (limit->current < limit->nr_streams) {
			ret = stream_next(&limit->streams[limit->current], &work);
			if (ret > 0)
				break;
			limit->current++;
		}
		pthread_mutex_unlock(&limit->lock);
		if (ret <= 0)
			break;
		if (work.cause != ERR_NONE || stream_load(c, &work, &buffer) < 0)
			continue;
		raw_bytes += work.usize;
		for (pos = 0; pos + c->page_bytes <= work.usize; pos += c->page_bytes) {
			struct subbuf_stats stats;

			if (!subbuf_check(&layout, buffer.raw + pos, &stats))
				nr_records += stats.nr_records;
		}
	}
	stream_buffer_release(&buffer);
	pthread_mutex_lock(&limit->lock);
	limit->nr_records += nr_records;
	limit->raw_bytes += raw_bytes;
	pthread_mutex_unlock(&limit->lock);
	return NULL;
}

static int run_limit(const char *path, int nr_threads, uint64_t *nr_records,
		     uint64_t *raw_bytes)
{
	struct limit limit = { .lock = PTHREAD_MUTEX_INITIALIZER };
	const struct recording_buffer *buffer;
	pthread_t threads[64];
	struct diag diag;
	unsigned i;
	int t;

	if (container_open(&limit.c, path, false, &diag) < 0) {
		fprintf(stderr, "readbench: %s\n", diag.text);
		return STATUS_UNREADABLE;
	}
	buffer = &limit.c.info.buffers[0];
	limit.nr_streams = buffer->nr_cpus;
	limit.streams = calloc(buffer->nr_cpus + 1, sizeof(*limit.streams));
	for (i = 0; i < buffer->nr_cpus; i++)
		stream_init(&limit.streams[i], &limit.c, &buffer->cpus[i],
			    limit.c.page_bytes, limit.c.size_bytes);
	for (t = 0; t < nr_threads; t++)
		if (pthread_create(&threads[t], NULL, limit_thread, &limit))
			abort();
	for (t = 0; t < nr_threads; t++)
		pthread_join(threads[t], NULL);
	*nr_records = limit.nr_records;
	*raw_bytes = limit.raw_bytes;
	free(limit.streams);
	container_release(&limit.c);
	return 0;
}

static int run_reader(const char *path, int nr_threads, uint64_t *nr_records,
		      uint64_t *raw_bytes)
{
	struct reader_opts opts = { .nr_threads = nr_threads };
	const struct event *const *events;
	struct reader *reader;
	struct diag diag;
	unsigned nr;
	int ret;

	if (reader_open(&reader, path, &opts, &diag) < 0) {
		fprintf(stderr, "readbench: %s\n", diag.text);
		return STATUS_UNREADABLE;
	}
	do {
		ret = reader_next_batch(reader, &events, &nr);
	} while (ret > 0);
	*nr_records = reader_totals(reader)->nr_records;
	*raw_bytes = reader_totals(reader)->raw_bytes;
	reader_close(reader);
	return ret < 0 ? STATUS_FAILED : STATUS_OK;
}

int main(int argc, char **argv)
{
	bool is_limit = argc > 1 && !strcmp(argv[1], "limit");
	int nr_threads = argc > 3 ? atoi(argv[3]) : 1, status;
	uint64_t nr_records = 0, raw_bytes = 0;
	struct rusage usage;
	double wall, cpu;

	if (argc < 3 || argc > 4 || nr_threads < 1 || nr_threads > 64 ||
	    (!is_limit && strcmp(argv[1], "reader"))) {
		fprintf(stderr, "Usage: readbench limit|reader FILE [THREADS]\n");
		return STATUS_USAGE;
	}
	wall = wall_s();
	cpu = cpu_s(&usage);
	status = is_limit ? run_limit(argv[2], nr_threads, &nr_records, &raw_bytes) :
			    run_reader(argv[2], nr_threads, &nr_records, &raw_bytes);
	wall = wall_s() - wall;
	cpu = cpu_s(&usage) - cpu;
	if (status)
		return status;
	printf("%s, %d threads: %" PRIu64 " records, %.1f MB raw, wall %.3f s (%.1f M/s), CPU %.3f s (%.1f M/s), peak %ld KiB\n",
	       argv[1], nr_threads, nr_records, raw_bytes / 1e6, wall,
	       nr_records / wall / 1e6, cpu, nr_records / cpu / 1e6,
	       usage.ru_maxrss);
	return 0;
}
