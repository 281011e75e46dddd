// SPDX-License-Identifier: GPL-2.0-only
#include "recorded.h"

#include <string.h>

#include "reader.h"
#include "samefile.h"

/* What the kernel says that it dropped of the buffer that is read. */
static void count_dropped(struct recorded *r, const struct recording_info *info)
{
	unsigned i;

	for (i = 0; i < info->nr_cpu_stats; i++) {
		const struct recording_cpu_stat *stat = &info->cpu_stats[i];
		uint64_t nr = stat->nr_overrun + stat->nr_dropped + stat->nr_commit_overrun;

		if (stat->set != info->buffer)
			continue;
		r->nr_lost += nr;
		if (nr > r->nr_lost_worst)
			r->nr_lost_worst = nr;
	}
}

/* Events of lru_gen that are not in the file were not asked for, or there are none. */
static bool has_problems(const struct reader *reader)
{
	unsigned nr, i;
	const struct reader_problem *problems = reader_problems(reader, &nr);

	for (i = 0; i < nr; i++)
		if (problems[i].err != ERR_NOT_RECORDED)
			return true;
	return reader_nr_unlisted(reader);
}

int recorded_read(struct recorded *ret, const char *path, struct diag *diag)
{
	struct reader_opts opts = { .tolerate_formats = true };
	const struct reader_totals *totals;
	const struct recording_info *info;
	const struct event *const *events;
	struct reader *reader;
	unsigned nr;
	int err = reader_open(&reader, path, &opts, diag);

	if (err)
		return err;
	while ((err = reader_next_batch(reader, &events, &nr)) > 0)
		;
	if (err) {
		*diag = *reader_diag(reader);
		reader_close(reader);
		return err;
	}
	memset(ret, 0, sizeof(*ret));
	info = reader_info(reader);
	totals = reader_totals(reader);
	ret->size_bytes = info->file_size_bytes;
	count_dropped(ret, info);
	if (totals->nr_lost > ret->nr_lost)
		ret->nr_lost = totals->nr_lost;
	ret->has_unknown_loss = totals->nr_lost_unknown && !ret->nr_lost;
	ret->is_damaged = totals->nr_gaps || totals->nr_bad_record || totals->nr_unknown_id ||
			  totals->nr_bad_time || info->salvaged || has_problems(reader);
	reader_close(reader);
	return 0;
}

bool recorded_is_old(const char *path, const struct stat *before)
{
	struct stat now;

	return !stat(path, &now) && same_content(&now, before) &&
	       now.st_ctim.tv_sec == before->st_ctim.tv_sec &&
	       now.st_ctim.tv_nsec == before->st_ctim.tv_nsec;
}
