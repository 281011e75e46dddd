/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HTML report: one file that needs no other and no network.
 */
#ifndef FOLIOSCOPE_HTML_H
#define FOLIOSCOPE_HTML_H

#include <stdio.h>

#include "chosen.h"
#include "pictures.h"
#include "pipeline.h"
#include "table.h"

#define HTML_MAX_SIDES 2
#define HTML_MAX_MOMENTS 160	/* told of one page frame */

/* One thing that happened at a chosen page frame. */
struct html_moment {
	uint64_t ts_ns;			/* from the first event */
	uint32_t life;
	uint8_t kind;			/* enum change_kind; CHANGE_SEQ: an aging */
	uint8_t site, detail, detail2;	/* detail: outcome, end, birth, ... by kind */
	int8_t old_gen, new_gen, age;	/* age of new_gen; -1: none or unknown */
	bool has_site;
	uint64_t from_pfn;		/* CHANGE_REFAULT: where it was evicted from */
	uint64_t away_ns;		/* and how long ago; 0: not known */
};

struct html_story {
	uint64_t pfn;
	uint32_t nr_moments, nr_left_out;
	struct html_moment *moments;	/* HTML_MAX_MOMENTS, or NULL */
	/* now: the list whose agings concern it */
	const struct lruvec *lruvec;
	int8_t gen;			/* -1: none */
};

/* Base or patch. */
struct html_side {
	const char *name;		/* "base", "patch", or "" */
	const char *path;
	int status;
	struct tables tables;
	struct pictures pictures;	/* a copy; series and heat are the pipeline's */
	struct chosen chosen;
	struct html_story stories[CHOSEN_MAX];
	uint64_t duration_ns;
	bool out_of_memory;
	/*
	 * The second pass saw only events of chosen page frames, to be fast: where
	 * a page was before a refault is not known then.
	 */
	bool is_light;
	/* the text of pipeline_render_caveats() */
	char *caveats;
	size_t caveats_bytes;
	struct pipeline pipeline, second;
	uint64_t first_ts_ns;
};

/* html_note(): hook of the second pass: remember what happens to chosen folios. */
void html_note(void *side, const struct change *c);

/* Recordings with more events get a light second pass. */
#define HTML_LIGHT_EVENTS 3000000u

/* html_wants_event(): hook of a light second pass. */
bool html_wants_event(void *side, const struct event *ev);

/* html_write(): the page for one or two sides. Returns 0 or -ERR_NOMEM. */
int html_write(FILE *out, struct html_side *const sides[], unsigned nr_sides);

#endif /* FOLIOSCOPE_HTML_H */
