// SPDX-License-Identifier: GPL-2.0-only
#include "readback.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NR_TMP	8

static char tmp_paths[NR_TMP][256];
static unsigned nr_tmp;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void remove_tmp(void)
{
	unsigned i;

	for (i = 0; i < NR_TMP; i++)
		if (tmp_paths[i][0])
			unlink(tmp_paths[i]);
}

const char *tmp_path(void)
{
	const char *dir = getenv("TMPDIR");
	char *path = tmp_paths[nr_tmp++ % NR_TMP];
	int fd;

	if (nr_tmp == 1)
		atexit(remove_tmp);
	if (path[0])
		unlink(path);
	snprintf(path, sizeof(tmp_paths[0]), "%s/folioscope-XXXXXX",
		 dir ? dir : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		die(path);
	close(fd);
	return path;
}

void file_patch(const char *path, uint64_t offset, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || pwrite(fd, data, len, offset) != (ssize_t)len)
		die(path);
	close(fd);
}

void file_truncate(const char *path, uint64_t size)
{
	if (truncate(path, size))
		die(path);
}

uint8_t *file_load(const char *path, size_t *len)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!file || fseek(file, 0, SEEK_END))
		die(path);
	size = ftell(file);
	rewind(file);
	data = malloc(size + 1);
	if (!data || fread(data, 1, size, file) != (size_t)size)
		die(path);
	fclose(file);
	*len = size;
	return data;
}

void file_store(const char *path, const void *data, size_t len)
{
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(data, 1, len, file) != len || fclose(file))
		die(path);
}

void readback_file(struct readback *rb, const char *path,
		   const struct reader_opts *opts)
{
	const struct event *const *events;
	unsigned nr, i;

	memset(rb, 0, sizeof(*rb));
	rb->err = reader_open(&rb->reader, path, opts, &rb->diag);
	if (rb->err < 0)
		return;
	rb->info = reader_info(rb->reader);
	while ((rb->err = reader_next_batch(rb->reader, &events, &nr)) > 0) {
		if (rb->nr + nr > rb->nr_alloc) {
			rb->nr_alloc = 2 * rb->nr_alloc + nr;
			rb->events = realloc(rb->events,
					     rb->nr_alloc * sizeof(*rb->events));
			if (!rb->events)
				die("readback");
		}
		for (i = 0; i < nr; i++) {
			struct event *ev = &rb->events[rb->nr++];

			*ev = *events[i];
			rb->nr_lost_items += ev->kind == EV_LOST;
			rb->nr_gap_items += ev->kind == EV_GAP;
			if (ev->kind == EV_MARKER)
				ev->u.marker.text = strndup(ev->u.marker.text,
							    ev->u.marker.len_bytes);
		}
	}
	if (rb->err < 0)
		rb->diag = *reader_diag(rb->reader);
	rb->totals = reader_totals(rb->reader);
	rb->problems = reader_problems(rb->reader, &rb->nr_problems);
}

void readback_release(struct readback *rb)
{
	unsigned i;

	for (i = 0; i < rb->nr; i++)
		if (rb->events[i].kind == EV_MARKER)
			free((void *)rb->events[i].u.marker.text);
	free(rb->events);
	reader_close(rb->reader);
	memset(rb, 0, sizeof(*rb));
}

const struct reader_problem *readback_problem(const struct readback *rb,
					      enum err err)
{
	unsigned i;

	for (i = 0; i < rb->nr_problems; i++)
		if (rb->problems[i].err == err)
			return &rb->problems[i];
	return NULL;
}
