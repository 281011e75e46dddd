/* SPDX-License-Identifier: GPL-2.0-only */
/* What the model and the analyses say of a simulated history, against its truth. */
#ifndef FOLIOSCOPE_TESTS_SIM_JUDGE_H
#define FOLIOSCOPE_TESTS_SIM_JUDGE_H

#include <stddef.h>

#include "replay.h"

struct judgement {
	bool ok;
	char text[400];		/* the first difference */
};

/*
 * judge_events(): replay @events, which should be those of @sim, and compare
 * lists, sizes, windows, lives, refaults and violations.
 */
void judge_events(struct judgement *j, const struct sim *sim, const struct event *events,
		  unsigned nr);

/* judge_script(): play and judge; @via_file writes a trace.dat and reads it back. */
void judge_script(struct judgement *j, const struct sim_script *script, bool via_file);

/*
 * judge_shrink(): leave out of @script every step without which it still
 * fails.  Returns the number of plays that it took.
 */
unsigned judge_shrink(struct sim_script *script);

#endif /* FOLIOSCOPE_TESTS_SIM_JUDGE_H */
