/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A comparison as text (lines of at most TEXT_COLUMNS), JSON and CSV.
 */
#ifndef FOLIOSCOPE_COMPARE_RENDER_H
#define FOLIOSCOPE_COMPARE_RENDER_H

#include <stdio.h>

#include "compare.h"

/* A --fail-if condition and what came of it. */
struct compare_failure {
	const char *text;
	enum compare_answer answer;
};

/* Enough for compare_verdict_text(). */
struct compare_text {
	char s[160];
};

/*
 * compare_verdict_text(): the verdict of @row as a sentence, with the smallest
 * effect that the runs could have shown where there is no difference. Returns
 * buf->s.
 */
const char *compare_verdict_text(const struct compare *compare, const struct compare_row *row,
				 struct compare_text *buf);

/*
 * compare_render_text(): conditions, rows, verdicts, survival, distances.
 * @differ names the @nr_differ conditions that are meant to differ.
 * Returns 0 or -ERR_NOMEM.
 */
int compare_render_text(const struct compare *compare, const char *const *differ,
			unsigned nr_differ, FILE *out);

/*
 * compare_render_json(): all of it, one document (formats/compare.md).
 * Returns 0 or -ERR_NOMEM.
 */
int compare_render_json(const struct compare *compare, const struct compare_failure *failures,
			unsigned nr_failures, FILE *out);

/* compare_render_csv(): one line per row (RFC 4180), empty where not known. */
void compare_render_csv(const struct compare *compare, FILE *out);

#endif /* FOLIOSCOPE_COMPARE_RENDER_H */
