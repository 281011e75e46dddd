// SPDX-License-Identifier: GPL-2.0-only
#include "selection.h"

#include <inttypes.h>
#include <string.h>

#include "abi.h"
#include "text.h"

#define PREFIX "folioscope: "

static void take_line(struct selection *s, const char *line)
{
	uint64_t value, to;
	char type[8];

	if (sscanf(line, PREFIX SELECTION_SAMPLE ": 1/%" SCNu64, &value) == 1 && value > 1) {
		s->sample = value;
	} else if (sscanf(line, PREFIX SELECTION_MEMCG ": %" SCNu64, &value) == 1) {
		s->has_memcg = true;
		s->memcg = value;
	} else if (sscanf(line, PREFIX SELECTION_TYPE ": %7s", type) == 1) {
		s->has_type = true;
		s->type = strcmp(type, type_name(TYPE_ANON)) ? TYPE_FILE : TYPE_ANON;
	} else if (sscanf(line, PREFIX SELECTION_PFN ": %" SCNx64 "-%" SCNx64, &value, &to) == 2) {
		s->pfn_from = s->has_pfn && s->pfn_from > value ? s->pfn_from : value;
		s->pfn_to = s->has_pfn && s->pfn_to < to ? s->pfn_to : to;
		s->has_pfn = true;
	} else if (sscanf(line, PREFIX SELECTION_PART ": %" SCNu64 "-%" SCNu64, &value, &to) == 2) {
		s->part_from_ns = s->is_part && s->part_from_ns > value ? s->part_from_ns : value;
		s->part_to_ns = s->is_part && s->part_to_ns < to ? s->part_to_ns : to;
		s->is_part = true;
	} else if (sscanf(line, PREFIX SELECTION_CGROUPS ": %" SCNu64, &value) == 1) {
		s->nr_cgroups_left_out = value;
	}
}

void selection_note(const struct selection *s, char note[SELECTION_NOTE_BYTES])
{
	char *at = note, *end = note + SELECTION_NOTE_BYTES;

	*note = '\0';
	if (s->sample)
		at += snprintf(at, end - at, PREFIX SELECTION_SAMPLE ": 1/%" PRIu64 "\n",
			       s->sample);
	if (s->has_memcg)
		at += snprintf(at, end - at, PREFIX SELECTION_MEMCG ": %" PRIu64 "\n", s->memcg);
	if (s->has_type)
		at += snprintf(at, end - at, PREFIX SELECTION_TYPE ": %s\n", type_name(s->type));
	if (s->has_pfn)
		at += snprintf(at, end - at, PREFIX SELECTION_PFN ": 0x%" PRIx64 "-0x%" PRIx64 "\n",
			       s->pfn_from, s->pfn_to);
	if (s->is_part)
		at += snprintf(at, end - at, PREFIX SELECTION_PART ": %" PRIu64 "-%" PRIu64 "\n",
			       s->part_from_ns, s->part_to_ns);
	if (s->nr_cgroups_left_out)
		snprintf(at, end - at, PREFIX SELECTION_CGROUPS ": %" PRIu64 "\n",
			 s->nr_cgroups_left_out);
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

void selection_render(const struct selection *s, FILE *out)
{
	if (s->sample) {
		text_alarm(out, "SAMPLED");
		fprintf(out, ": 1/%" PRIu64 " by page frame: totals of folios are of the sample,\n"
			     "  not scaled; scans and generations are whole\n", s->sample);
	}
	if (s->has_memcg || s->has_type || s->has_pfn) {
		text_alarm(out, "FILTERED");
		fputs(": only", out);
		if (s->has_memcg)
			fprintf(out, " memcg %" PRIu64, s->memcg);
		if (s->has_type)
			fprintf(out, " %s folios", type_name(s->type));
		if (s->has_pfn)
			fprintf(out, " page frames 0x%" PRIx64 "-0x%" PRIx64, s->pfn_from,
				s->pfn_to);
		fputs(":\n  totals are of these\n", out);
	}
	if (s->is_part) {
		struct text_buf from, to;

		fprintf(out, "part of a recording, from %ss", text_seconds(&from, s->part_from_ns));
		if (s->part_to_ns == UINT64_MAX)
			fputs(" to its end", out);
		else
			fprintf(out, " to %ss", text_seconds(&to, s->part_to_ns));
		fputs("; times here count from there\n", out);
	}
	if (s->nr_cgroups_left_out) {
		text_alarm(out, "CGROUPS LEFT OUT");
		fprintf(out, ": %" PRIu64 ", too many for the recording: their events are in\n"
			     "  it, the kernel's own numbers of them (memory.stat) are not\n",
			s->nr_cgroups_left_out);
	}
}
