// SPDX-License-Identifier: GPL-2.0-only
#include "selection.h"

#include <inttypes.h>
#include <string.h>

#include "abi.h"
#include "text.h"

#define PREFIX "folioscope: "

static void take_line(struct selection *s, const char *line)
{
	uint64_t value;
	char type[8];

	if (sscanf(line, PREFIX SELECTION_SAMPLE ": 1/%" SCNu64, &value) == 1 && value > 1) {
		s->sample = value;
	} else if (sscanf(line, PREFIX SELECTION_MEMCG ": %" SCNu64, &value) == 1) {
		s->has_memcg = true;
		s->memcg = value;
	} else if (sscanf(line, PREFIX SELECTION_TYPE ": %7s", type) == 1) {
		s->has_type = true;
		s->type = strcmp(type, type_name(TYPE_ANON)) ? TYPE_FILE : TYPE_ANON;
	}
}

void selection_take(struct selection *selection, const char *text, unsigned len_bytes)
{
	const char *end = text + len_bytes;

	while (text < end) {
		const char *newline = memchr(text, '\n', end - text);
		size_t len = (newline ? newline : end) - text;
		char line[80];

		if (len < sizeof(line) && len > strlen(PREFIX) &&
		    !memcmp(text, PREFIX, strlen(PREFIX))) {
			snprintf(line, sizeof(line), "%.*s", (int)len, text);
			take_line(selection, line);
		}
		text += len + 1;
	}
}

const char *selection_note(const struct selection *s, unsigned i, char *buf)
{
	if (s->sample && !i--)
		snprintf(buf, SELECTION_NOTE_BYTES, PREFIX SELECTION_SAMPLE ": 1/%" PRIu64, s->sample);
	else if (s->has_memcg && !i--)
		snprintf(buf, SELECTION_NOTE_BYTES, PREFIX SELECTION_MEMCG ": %" PRIu64, s->memcg);
	else if (s->has_type && !i--)
		snprintf(buf, SELECTION_NOTE_BYTES, PREFIX SELECTION_TYPE ": %s", type_name(s->type));
	else
		return NULL;
	return buf;
}

bool selection_is_whole(const struct selection *selection)
{
	return !selection->sample && !selection->has_memcg && !selection->has_type;
}

void selection_render(const struct selection *s, FILE *out)
{
	if (s->sample) {
		text_alarm(out, "SAMPLED");
		fprintf(out, ": 1/%" PRIu64 " by page frame: totals of folios are of the sample,\n"
			     "  not scaled; scans and generations are whole\n", s->sample);
	}
	if (s->has_memcg || s->has_type) {
		text_alarm(out, "FILTERED");
		fputs(": only", out);
		if (s->has_memcg)
			fprintf(out, " memcg %" PRIu64, s->memcg);
		if (s->has_type)
			fprintf(out, " %s folios", type_name(s->type));
		fputs(": totals are of these\n", out);
	}
}
