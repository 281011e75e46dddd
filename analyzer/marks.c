// SPDX-License-Identifier: GPL-2.0-only
#include "marks.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

#define MAX_TEXT_BYTES (256u << 20)

const struct marks_text *marks_find(const struct marks *marks, const char *name)
{
	unsigned i;

	for (i = 0; i < marks->nr; i++)
		if (!strcmp(marks->texts[i].name, name))
			return &marks->texts[i];
	return NULL;
}

static struct marks_text *find_or_add(struct marks *marks, const char *name)
{
	struct marks_text *text = (struct marks_text *)marks_find(marks, name);

	if (text)
		return text;
	if (array_grow(&marks->texts, marks->nr, &marks->nr_alloc, sizeof(*text)))
		return NULL;
	text = &marks->texts[marks->nr++];
	memset(text, 0, sizeof(*text));
	strcpy(text->name, name);
	return text;
}

/* Something of @text is missing; what was read before stays. */
static void break_off(struct marks_text *text, size_t size)
{
	if (!*text->reason)
		snprintf(text->reason, sizeof(text->reason),
			 "the recording lacks a part of it after byte %zu", size);
}

static int append(struct marks_text *text, size_t offset, const char *bytes, size_t len)
{
	if (!offset) {
		text->size = 0;
		text->is_whole = text->is_absent = false;
		*text->reason = '\0';
	}
	if (offset != text->size || offset + len > MAX_TEXT_BYTES) {
		break_off(text, text->size);
		return 0;
	}
	if (text->size + len > text->nr_alloc) {
		size_t nr = (text->size + len) * 2;
		char *bigger = realloc(text->bytes, nr);

		if (!bigger)
			return -ERR_NOMEM;
		text->bytes = bigger;
		text->nr_alloc = nr;
	}
	memcpy(text->bytes + text->size, bytes, len);
	text->size += len;
	return 0;
}

int marks_take(struct marks *marks, const char *text, unsigned len_bytes)
{
	const size_t prefix = strlen(MARKS_PREFIX);
	const char *body = memchr(text, '\n', len_bytes);
	size_t head = body ? (size_t)(body - text) : len_bytes;
	size_t offset, len, size;
	struct marks_text *t;
	char line[200], name[64];
	int at = 0;

	if (head < prefix || head >= sizeof(line) || memcmp(text, MARKS_PREFIX, prefix))
		return 0;
	snprintf(line, sizeof(line), "%.*s", (int)(head - prefix), text + prefix);
	if (sscanf(line, "%63s %n", name, &at) != 1 || !at)
		return 0;
	t = find_or_add(marks, name);
	if (!t)
		return -ERR_NOMEM;
	if (sscanf(line + at, "end %zu", &size) == 1) {
		if (size != t->size)
			break_off(t, t->size);
		t->is_whole = !*t->reason;
	} else if (!strncmp(line + at, "absent ", 7)) {
		t->size = 0;
		t->is_whole = false;
		t->is_absent = true;
		snprintf(t->reason, sizeof(t->reason), "%.79s", line + at + 7);
	} else if (sscanf(line + at, "%zu %zu", &offset, &len) == 2 && body &&
		   len <= len_bytes - head - 1) {
		return append(t, offset, body + 1, len);
	}
	return 0;
}

int marks_read(struct marks *marks, const char *path, const struct reader_opts *opts,
	       struct diag *diag)
{
	const struct event *const *ev;
	struct reader *reader;
	unsigned i, nr;
	int ret = reader_open(&reader, path, opts, diag);

	if (ret)
		return ret;
	while ((ret = reader_next_batch(reader, &ev, &nr)) > 0) {
		for (i = 0; i < nr && ret > 0; i++)
			if (ev[i]->kind == EV_MARKER &&
			    marks_take(marks, ev[i]->u.marker.text, ev[i]->u.marker.len_bytes))
				ret = diag_set(diag, ERR_NOMEM, "%s: %s", path,
					       err_text(ERR_NOMEM));
		if (ret < 0)
			break;
	}
	if (ret < 0 && ret != -ERR_NOMEM)
		*diag = *reader_diag(reader);
	for (i = 0; i < marks->nr; i++)
		if (!marks->texts[i].is_whole && !marks->texts[i].is_absent)
			break_off(&marks->texts[i], marks->texts[i].size);
	reader_close(reader);
	return ret;
}

void marks_release(struct marks *marks)
{
	unsigned i;

	for (i = 0; i < marks->nr; i++)
		free(marks->texts[i].bytes);
	free(marks->texts);
	memset(marks, 0, sizeof(*marks));
}
