// SPDX-License-Identifier: GPL-2.0-only
#include "snapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "array.h"
#include "textfile.h"

/* A text file read line by line, with the number of the line for messages. */
struct lines {
	const char *path;	/* for messages */
	FILE *file;
	char *line;
	size_t size;
	unsigned number;
	int failed_errno;	/* why it ended before its end, 0: it did not */
	bool is_cut;		/* the last line has no end, so it may have been longer */
};

static int lines_open(struct lines *lines, const struct snapshot_file *file, struct diag *diag)
{
	memset(lines, 0, sizeof(*lines));
	lines->path = file->name;
	if (!file->bytes)
		return textfile_open(&lines->file, file->name, diag);
	lines->file = fmemopen((char *)file->bytes, file->size_bytes, "r");
	return lines->file ? 0 : diag_set(diag, ERR_NOMEM, "%s: %s", file->name,
					  err_text(ERR_NOMEM));
}

static bool lines_next(struct lines *lines)
{
	errno = 0;
	if (getline(&lines->line, &lines->size, lines->file) < 0) {
		if (!feof(lines->file))
			lines->failed_errno = errno ? errno : EIO;
		return false;
	}
	lines->is_cut = !strchr(lines->line, '\n');
	lines->line[strcspn(lines->line, "\n")] = '\0';
	lines->number++;
	return true;
}

/* Returns @err, or another if the file could not be read to its end or has none. */
static int lines_close(struct lines *lines, int err, struct diag *diag)
{
	free(lines->line);
	fclose(lines->file);
	if (!lines->failed_errno && lines->is_cut && (!err || err == -ERR_NOT_FOUND))
		return diag_set(diag, ERR_BAD_FORMAT, "%s: line %u has no end: the file is cut short",
				lines->path, lines->number);
	if (!lines->failed_errno)
		return err;
	return diag_set(diag, lines->failed_errno == ENOMEM ? ERR_NOMEM : ERR_IO, "%s: %s",
			lines->path, strerror(lines->failed_errno));
}

static int bad_line(const struct lines *lines, const char *what, struct diag *diag)
{
	return diag_set(diag, ERR_BAD_FORMAT, "%s: line %u is not of %s: '%.40s'", lines->path,
			lines->number, what, lines->line);
}

/*
 * A decimal number after blanks, as the kernel prints it: no sign, no exponent, not
 * too large. *@text is then behind it.
 */
static bool take_number(const char **text, uint64_t *ret)
{
	const char *at = *text + strspn(*text, " ");
	uint64_t value = 0;

	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *at - '0', &value))
			return false;
	*ret = value;
	*text = at;
	return true;
}

/* The same as the last thing on a line. */
static bool take_last_number(const char *text, uint64_t *ret)
{
	uint64_t value;

	if (!take_number(&text, &value) || text[strspn(text, " ")])
		return false;
	*ret = value;
	return true;
}

/* A generation in lru_gen: "SEQ AGE ANON FILE", each size with a mark or a blank. */
static bool take_gen(const char *text, struct snapshot_gen *gen)
{
	uint64_t age_ms;
	unsigned type;

	if (!take_number(&text, &gen->seq) || !take_number(&text, &age_ms))
		return false;
	for (type = 0; type < 2; type++) {
		if (!take_number(&text, &gen->nr_pages[type]))
			return false;
		gen->in_window[type] = *text != 'x';
		text += *text && *text != ' ';
	}
	return !text[strspn(text, " ")];
}

void snapshot_release_lru_gen(struct snapshot_lru_gen *snapshot)
{
	free(snapshot->lruvecs);
	memset(snapshot, 0, sizeof(*snapshot));
}

int snapshot_read_lru_gen(struct snapshot_lru_gen *ret, const struct snapshot_file *file,
			  struct diag *diag)
{
	struct snapshot_lru_gen s = { 0 };
	struct snapshot_lruvec *lv = NULL;
	char memcg_path[256] = "";
	uint32_t memcg_id = 0;
	struct lines lines;
	int err = lines_open(&lines, file, diag);

	if (err)
		return err;
	while (lines_next(&lines)) {
		struct snapshot_gen gen = { 0 };
		unsigned id;
		int nid;

		if (!lines.line[strspn(lines.line, " ")])
			continue;
		if (!strncmp(lines.line, "memcg", 5)) {
			memcg_path[0] = '\0';
			if (sscanf(lines.line, "memcg %u %255[^\n]", &id, memcg_path) < 1) {
				err = bad_line(&lines, "debugfs lru_gen", diag);
				goto out;
			}
			memcg_id = id;
			continue;
		}
		if (sscanf(lines.line, " node %d", &nid) == 1) {
			if (array_grow(&s.lruvecs, s.nr, &s.nr_alloc, sizeof(*s.lruvecs))) {
				err = diag_set(diag, ERR_NOMEM, "%s: %s", file->name,
					       err_text(ERR_NOMEM));
				goto out;
			}
			lv = &s.lruvecs[s.nr++];
			memset(lv, 0, sizeof(*lv));
			lv->memcg_id = memcg_id;
			lv->nid = nid;
			memcpy(lv->path, memcg_path, sizeof(lv->path));
			continue;
		}
		if (!take_gen(lines.line, &gen) || !lv || lv->nr_gens == SNAPSHOT_MAX_GENS) {
			err = bad_line(&lines, "debugfs lru_gen", diag);
			goto out;
		}
		lv->gens[lv->nr_gens++] = gen;
	}
	if (!s.nr)
		err = diag_set(diag, ERR_BAD_FORMAT, "%s: has no lruvec of debugfs lru_gen",
			       file->name);
out:
	err = lines_close(&lines, err, diag);
	if (err)
		snapshot_release_lru_gen(&s);
	else
		*ret = s;
	return err;
}

void snapshot_release_folios(struct snapshot_folios *snapshot)
{
	unsigned i;

	for (i = 0; i < snapshot->nr; i++)
		free(snapshot->lists[i].folios);
	free(snapshot->lists);
	free(snapshot->lruvecs);
	memset(snapshot, 0, sizeof(*snapshot));
}

int snapshot_read_folios(struct snapshot_folios *ret, const struct snapshot_file *file,
			 struct diag *diag)
{
	struct snapshot_folios s = { 0 };
	struct snapshot_list *list = NULL;
	struct snapshot_moment now = { 0 };
	unsigned nr_lruvecs_alloc = 0;
	struct lines lines;
	int err = lines_open(&lines, file, diag);

	if (err)
		return err;
	while (lines_next(&lines)) {
		unsigned gen, zone, order;
		struct snapshot_folio f;
		char type[16];
		int flags_gen;

		if (!lines.line[strspn(lines.line, " ")] || lines.line[0] == '#')
			continue;
		if (!strncmp(lines.line, "memcg", 5)) {
			now.path[0] = '\0';
			if (sscanf(lines.line, "memcg %" SCNu64 " %255[^\n]", &now.memcg,
				   now.path) < 1) {
				err = bad_line(&lines, "debugfs lru_gen_folios", diag);
				goto out;
			}
		} else if (sscanf(lines.line, " node %d mono_ns %" SCNu64, &now.nid,
				  &now.mono_ns) == 2) {
			if (array_grow(&s.lruvecs, s.nr_lruvecs, &nr_lruvecs_alloc, sizeof(now)))
				goto no_memory;
			s.lruvecs[s.nr_lruvecs++] = now;
			list = NULL;
		} else if (sscanf(lines.line, " gen %u %15s zone %u", &gen, type, &zone) == 3) {
			if (array_grow(&s.lists, s.nr, &s.nr_alloc, sizeof(*s.lists)))
				goto no_memory;
			list = &s.lists[s.nr++];
			memset(list, 0, sizeof(*list));
			list->memcg = now.memcg;
			list->nid = now.nid;
			list->mono_ns = now.mono_ns;
			list->gen = gen;
			while (list->type < LIST_NR && strcmp(type, list_kind_name(list->type)))
				list->type++;
			if (list->type == LIST_NR) {
				err = bad_line(&lines, "debugfs lru_gen_folios", diag);
				goto out;
			}
			list->zone = zone;
		} else if (sscanf(lines.line, " 0x%" SCNx64 " order %u gen %d", &f.pfn, &order,
				  &flags_gen) == 3 &&
			   list) {
			f.order = order;
			f.gen = flags_gen;
			if (array_grow(&list->folios, list->nr, &list->nr_alloc, sizeof(f)))
				goto no_memory;
			list->folios[list->nr++] = f;
		} else {
			err = bad_line(&lines, "debugfs lru_gen_folios", diag);
			goto out;
		}
	}
	if (!s.nr_lruvecs)
		err = diag_set(diag, ERR_BAD_FORMAT, "%s: has no lruvec of debugfs lru_gen_folios",
			       file->name);
	goto out;

no_memory:
	err = diag_set(diag, ERR_NOMEM, "%s: %s", file->name, err_text(ERR_NOMEM));
out:
	err = lines_close(&lines, err, diag);
	if (err)
		snapshot_release_folios(&s);
	else
		*ret = s;
	return err;
}

int snapshot_find_moment(const struct snapshot_folios *snapshot, uint64_t memcg, int nid,
			 uint64_t ts_ns)
{
	int found = -1;
	unsigned i;

	for (i = 0; i < snapshot->nr_lruvecs; i++) {
		const struct snapshot_moment *moment = &snapshot->lruvecs[i];

		if (moment->memcg == memcg && moment->nid == nid && moment->mono_ns <= ts_ns &&
		    (found < 0 || moment->mono_ns > snapshot->lruvecs[found].mono_ns))
			found = i;
	}
	return found;
}

int snapshot_read_counter(const struct snapshot_file *file, const char *name, uint64_t *ret,
			  struct diag *diag)
{
	size_t len = strlen(name);
	struct lines lines;
	int err = lines_open(&lines, file, diag);

	if (err)
		return err;
	err = -ERR_NOT_FOUND;
	while (err && lines_next(&lines)) {
		if (strncmp(lines.line, name, len) || lines.line[len] != ' ')
			continue;
		err = take_last_number(lines.line + len, ret) ?
			      0 :
			      bad_line(&lines, "'name value' form", diag);
	}
	return lines_close(&lines, err, diag);
}

void snapshot_release_memcg_stats(struct snapshot_memcg_stats *stats)
{
	free(stats->memcgs);
	free(stats->lines);
	memset(stats, 0, sizeof(*stats));
}

const struct snapshot_memcg_stat *snapshot_find_memcg(const struct snapshot_memcg_stats *stats,
						      uint64_t memcg)
{
	unsigned i;

	for (i = 0; i < stats->nr; i++)
		if (stats->memcgs[i].memcg == memcg)
			return &stats->memcgs[i];
	return NULL;
}

bool snapshot_memcg_counter(const struct snapshot_memcg_stats *stats,
			    const struct snapshot_memcg_stat *memcg, const char *name,
			    uint64_t *ret)
{
	unsigned i;

	for (i = memcg->first; i < memcg->first + memcg->nr; i++) {
		if (strcmp(stats->lines[i].name, name))
			continue;
		*ret = stats->lines[i].value;
		return true;
	}
	return false;
}

/* "NUMBER INODE PATH", NUMBER may be missing. */
static int read_memcgs(struct snapshot_memcg_stats *s, const struct snapshot_file *file,
		       struct diag *diag)
{
	struct lines lines;
	int err = lines_open(&lines, file, diag);

	if (err)
		return err;
	while (!err && lines_next(&lines)) {
		struct snapshot_memcg_stat memcg = { 0 };
		const char *slash = strchr(lines.line, '/');
		uint64_t a, b;
		int nr = sscanf(lines.line, " %" SCNu64 " %" SCNu64, &a, &b);

		if (!slash || nr < 1 || strlen(slash) >= sizeof(memcg.path)) {
			err = bad_line(&lines, "memcgs", diag);
			break;
		}
		memcg.memcg = nr == 2 ? b : a;
		strcpy(memcg.path, slash);
		if (!array_grow(&s->memcgs, s->nr, &s->nr_alloc, sizeof(memcg)))
			s->memcgs[s->nr++] = memcg;
		else
			err = diag_set(diag, ERR_NOMEM, "%s: %s", file->name, err_text(ERR_NOMEM));
	}
	return lines_close(&lines, err, diag);
}

/* "# PATH FILE", then the lines of FILE, of which only memory.stat is kept. */
static int read_stats(struct snapshot_memcg_stats *s, const struct snapshot_file *file,
		      struct diag *diag)
{
	struct snapshot_memcg_stat *memcg = NULL;
	struct lines lines;
	int err = lines_open(&lines, file, diag);

	if (err)
		return err;
	while (!err && lines_next(&lines)) {
		struct snapshot_line line;
		char cgroup[256], name[64];
		int name_len;
		unsigned i;

		if (lines.line[0] == '#') {
			memcg = NULL;
			if (sscanf(lines.line, "# %255s %63s", cgroup, name) != 2) {
				err = bad_line(&lines, "memory.stat", diag);
				break;
			}
			for (i = 0; i < s->nr && !strcmp(name, "memory.stat"); i++)
				if (!strcmp(s->memcgs[i].path, cgroup))
					memcg = &s->memcgs[i];
			if (memcg)
				memcg->first = s->nr_lines;
			continue;
		}
		if (!memcg)
			continue;
		if (sscanf(lines.line, "%39s%n", line.name, &name_len) != 1 ||
		    !take_last_number(lines.line + name_len, &line.value)) {
			err = bad_line(&lines, "memory.stat", diag);
			break;
		}
		if (array_grow(&s->lines, s->nr_lines, &s->nr_lines_alloc, sizeof(line))) {
			err = diag_set(diag, ERR_NOMEM, "%s: %s", file->name, err_text(ERR_NOMEM));
			break;
		}
		s->lines[s->nr_lines++] = line;
		memcg->nr++;
	}
	return lines_close(&lines, err, diag);
}

int snapshot_read_memcg_stats(struct snapshot_memcg_stats *ret,
			      const struct snapshot_file *memcgs,
			      const struct snapshot_file *stats, struct diag *diag)
{
	struct snapshot_memcg_stats s = { 0 };
	int err = read_memcgs(&s, memcgs, diag);

	if (!err)
		err = read_stats(&s, stats, diag);
	if (err) {
		snapshot_release_memcg_stats(&s);
		return err;
	}
	*ret = s;
	return 0;
}
