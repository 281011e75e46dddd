// SPDX-License-Identifier: GPL-2.0-only
#include "err.h"

#include <stdarg.h>
#include <stdio.h>

static const struct err_entry {
	const char *name;
	const char *text;
	unsigned char status;
} err_entries[] = {
#define ERR_ENTRY(name, status, text) { #name, text, status },
	ERR_LIST(ERR_ENTRY)
#undef ERR_ENTRY
};

static const struct err_entry *err_find(int err)
{
	if (err < 0 && err > -ERR_END)
		err = -err;
	if (err <= ERR_FIRST || err >= ERR_END)
		return NULL;
	return &err_entries[err - ERR_FIRST - 1];
}

const char *err_text(int err)
{
	const struct err_entry *entry = err_find(err);

	if (!err)
		return "no error";
	return entry ? entry->text : "unknown error";
}

const char *err_name(int err)
{
	const struct err_entry *entry = err_find(err);

	if (!err)
		return "NONE";
	return entry ? entry->name : "?";
}

enum exit_status err_status(int err)
{
	const struct err_entry *entry = err_find(err);

	if (!err)
		return STATUS_OK;
	return entry ? (enum exit_status)entry->status : STATUS_FAILED;
}

static void diag_vset(struct diag *diag, enum err err, const char *fmt,
		      va_list ap)
{
	diag->err = err;
	diag->has_offset = false;
	diag->offset_bytes = 0;
	vsnprintf(diag->text, sizeof(diag->text), fmt, ap);
}

int diag_set(struct diag *diag, enum err err, const char *fmt, ...)
{
	va_list ap;

	if (diag) {
		va_start(ap, fmt);
		diag_vset(diag, err, fmt, ap);
		va_end(ap);
	}
	return -(int)err;
}

int diag_set_at(struct diag *diag, enum err err, uint64_t offset_bytes,
		const char *fmt, ...)
{
	va_list ap;

	if (diag) {
		va_start(ap, fmt);
		diag_vset(diag, err, fmt, ap);
		va_end(ap);
		diag->has_offset = true;
		diag->offset_bytes = offset_bytes;
	}
	return -(int)err;
}
