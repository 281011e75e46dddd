// SPDX-License-Identifier: GPL-2.0-only
#include "counterfile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "textfile.h"

#define MAX_LINE_BYTES 65536
/* of what is not 0: ratios of them, and the squares of squares of these, are finite */
#define MAX_VALUE 1e30
#define MIN_VALUE 1e-30

bool counterfile_find(const struct counterfile *file, const char *name, double *value)
{
	unsigned i;

	for (i = 0; i < file->nr; i++) {
		if (!strcmp(file->entries[i].name, name)) {
			*value = file->entries[i].value;
			return true;
		}
	}
	return false;
}

int counterfile_set(struct counterfile *file, const char *name, double value)
{
	struct counterfile_entry *entry;
	unsigned i;

	for (i = 0; i < file->nr; i++) {
		if (!strcmp(file->entries[i].name, name)) {
			file->entries[i].value = value;
			return 0;
		}
	}
	if (array_grow(&file->entries, file->nr, &file->nr_alloc, sizeof(*entry)))
		return -ERR_NOMEM;
	entry = &file->entries[file->nr];
	entry->name = strdup(name);
	if (!entry->name)
		return -ERR_NOMEM;
	entry->value = value;
	file->nr++;
	return 0;
}

void counterfile_release(struct counterfile *file)
{
	unsigned i;

	for (i = 0; i < file->nr; i++)
		free(file->entries[i].name);
	free(file->entries);
	memset(file, 0, sizeof(*file));
}

static struct condition *find_condition(const struct conditions *conditions, const char *key)
{
	unsigned i;

	for (i = 0; i < conditions->nr; i++)
		if (!strcmp(conditions->entries[i].key, key))
			return &conditions->entries[i];
	return NULL;
}

const char *conditions_get(const struct conditions *conditions, const char *key)
{
	const struct condition *condition = find_condition(conditions, key);

	return condition ? condition->value : NULL;
}

const char *conditions_key(const char *key)
{
	static const char *const names[][2] = {
		{ "kernel", "kernel release" },
		{ "kernel version", "kernel release" },
		{ "clock", "trace clock" },
		{ "cpus", "CPUs of the machine" },
		{ "cmdline", "command line" },
		{ "thp", "THP" },
		{ "/sys/kernel/mm/transparent_hugepage/enabled", "THP" },
		{ "swap_device", "swap device" },
		{ "memory_limit", "memory limit" },
		{ "knobs", "lru_gen knobs set" },
	};
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], key))
			return names[i][1];
	return key;
}

/*
 * "6.12.117 #1 SMP ..." is release 6.12.117, "always madvise [never]" is never.
 * Returns the length of what counts, from *@value on.
 */
static int value_length(const char *key, const char **value)
{
	const char *end = NULL, *open;

	if (!strcmp(key, "kernel release")) {
		end = strstr(*value, " #");
	} else if (!strcmp(key, "THP")) {
		open = strchr(*value, '[');
		end = open ? strchr(open, ']') : NULL;
		*value = end ? open + 1 : *value;
	}
	return end ? end - *value : (int)strlen(*value);
}

static int add(struct conditions *conditions, const char *key, const char *value)
{
	struct condition *condition = find_condition(conditions, key);

	if (condition) {
		size_t len = strlen(condition->value);
		char *longer;

		if (!strcmp(condition->value, value))
			return 0;
		longer = realloc(condition->value, len + 2 + strlen(value) + 1);
		if (!longer)
			return -ERR_NOMEM;
		memcpy(longer + len, "; ", 2);
		strcpy(longer + len + 2, value);
		condition->value = longer;
		return 0;
	}
	if (array_grow(&conditions->entries, conditions->nr, &conditions->nr_alloc,
		       sizeof(*condition)))
		return -ERR_NOMEM;
	condition = &conditions->entries[conditions->nr];
	condition->key = strdup(key);
	condition->value = strdup(value);
	if (!condition->key || !condition->value) {
		free(condition->key);
		free(condition->value);
		return -ERR_NOMEM;
	}
	conditions->nr++;
	return 0;
}

int conditions_add(struct conditions *conditions, const char *key, const char *value)
{
	char *text;
	int ret;

	key = conditions_key(key);
	ret = value_length(key, &value);
	text = strndup(value, ret);
	if (!text)
		return -ERR_NOMEM;
	ret = add(conditions, key, text);
	free(text);
	return ret;
}

void conditions_release(struct conditions *conditions)
{
	unsigned i;

	for (i = 0; i < conditions->nr; i++) {
		free(conditions->entries[i].key);
		free(conditions->entries[i].value);
	}
	free(conditions->entries);
	memset(conditions, 0, sizeof(*conditions));
}

/* Cut blanks off both ends. */
static char *trim(char *text)
{
	char *end;

	text += strspn(text, " \t\r");
	end = text + strlen(text);
	while (end > text && strchr(" \t\r\n", end[-1]))
		*--end = 0;
	return text;
}

/* "key: value" in @text, which is cut in pieces; false if it is not. */
static bool split_condition(char *text, char **key, char **value)
{
	char *colon = strchr(text, ':');

	if (!colon || colon == text)
		return false;
	*colon = 0;
	*key = trim(text);
	*value = trim(colon + 1);
	return **key != 0;
}

/* Handle one line; 0, or a negative err with @diag filled. */
static int read_line(struct counterfile *file, struct conditions *conditions, char *line,
		     const char *path, unsigned number, struct diag *diag)
{
	char *name = trim(line), *value, *rest;
	double ignored, parsed;

	if (!*name)
		return 0;
	if (*name == '#') {
		char *key, *text;

		name++;
		if (!conditions || !split_condition(name, &key, &text) || !strncmp(key, "SPDX-", 5))
			return 0;
		return conditions_add(conditions, key, text) ?
			       diag_set(diag, ERR_NOMEM, "%s: %s", path, err_text(ERR_NOMEM)) :
			       0;
	}
	value = strpbrk(name, " \t");
	if (!value)
		return diag_set(diag, ERR_NOT_COUNTERS, "%s: line %u: '%.40s' has no value", path,
				number, name);
	*value++ = 0;
	value += strspn(value, " \t");
	errno = 0;
	parsed = strtod(value, &rest);
	/* strtod() also takes hexadecimal, "inf" and "nan", which no counter has */
	if (rest == value || *rest || errno == ERANGE || !isfinite(parsed) ||
	    strspn(value, "+-.0123456789eE") != strlen(value))
		return diag_set(diag, ERR_NOT_COUNTERS,
				"%s: line %u: '%.40s' is not the value of a counter", path, number,
				value);
	if (fabs(parsed) > MAX_VALUE || (parsed && fabs(parsed) < MIN_VALUE))
		return diag_set(diag, ERR_NOT_COUNTERS,
				"%s: line %u: '%.40s' is not 0 and not between 1e-30 and 1e30", path,
				number, value);
	if (counterfile_find(file, name, &ignored))
		return diag_set(diag, ERR_NOT_COUNTERS, "%s: line %u: a second value of '%.60s'",
				path, number, name);
	if (counterfile_set(file, name, parsed))
		return diag_set(diag, ERR_NOMEM, "%s: %s", path, err_text(ERR_NOMEM));
	return 0;
}

/* getline() has returned -1: at the end, or for what reason? */
static int check_end(FILE *in, const char *path, struct diag *diag)
{
	if (feof(in))
		return 0;
	return errno == ENOMEM ? diag_set(diag, ERR_NOMEM, "%s: %s", path, err_text(ERR_NOMEM)) :
				 diag_set(diag, ERR_IO, "%s: %s", path, strerror(errno));
}

int counterfile_read(struct counterfile *file, struct conditions *conditions, const char *path,
		     struct diag *diag)
{
	unsigned number = 0, nr_before = file->nr;
	char *line = NULL;
	size_t nr_alloc = 0;
	ssize_t len;
	FILE *in;
	int ret = textfile_open(&in, path, diag);

	if (ret)
		return ret;
	while ((len = getline(&line, &nr_alloc, in)) > 0) {
		number++;
		if (strlen(line) != (size_t)len || len > MAX_LINE_BYTES) {
			ret = diag_set(diag, ERR_NOT_COUNTERS,
				       "%s: line %u: not a text file of names and values", path,
				       number);
			break;
		}
		ret = read_line(file, conditions, line, path, number, diag);
		if (ret)
			break;
	}
	if (!ret)
		ret = check_end(in, path, diag);
	if (!ret && file->nr == nr_before)
		ret = diag_set(diag, ERR_EMPTY, "%s: no line with a name and a value", path);
	free(line);
	fclose(in);
	return ret;
}

int conditions_read(struct conditions *conditions, const char *path, struct diag *diag)
{
	char *line = NULL, *key, *value;
	size_t nr_alloc = 0;
	FILE *in;
	int ret = textfile_open(&in, path, diag);

	if (ret)
		return ret;
	while (!ret && getline(&line, &nr_alloc, in) > 0)
		if (split_condition(line, &key, &value) && conditions_add(conditions, key, value))
			ret = diag_set(diag, ERR_NOMEM, "%s: %s", path, err_text(ERR_NOMEM));
	if (!ret)
		ret = check_end(in, path, diag);
	free(line);
	fclose(in);
	return ret;
}

int conditions_read_marker(struct conditions *conditions, const char *text, unsigned len_bytes)
{
	static const char prefix[] = "folioscope: ";
	const unsigned prefix_len = sizeof(prefix) - 1;
	const char *end = text + len_bytes;
	char line[1024], *key, *value;

	while (text < end) {
		const char *newline = memchr(text, '\n', end - text);
		unsigned len = (newline ? newline : end) - text;

		if (len > prefix_len && len < sizeof(line) && !memcmp(text, prefix, prefix_len)) {
			/* up to a NUL, if there is one */
			snprintf(line, sizeof(line), "%.*s", (int)(len - prefix_len),
				 text + prefix_len);
			if (split_condition(line, &key, &value) &&
			    conditions_add(conditions, key, value))
				return -ERR_NOMEM;
		}
		text += len + 1;
	}
	return 0;
}
