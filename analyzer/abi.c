// SPDX-License-Identifier: GPL-2.0-only
#include "abi.h"

#include <stddef.h>

#define X(name, text) text,
static const char *const site_names[] = { SITE_LIST(X) };
static const char *const state_names[] = { STATE_LIST(X) };
static const char *const outcome_names[] = { OUTCOME_LIST(X) };
static const char *const reason_names[] = { REASON_LIST(X) };
static const char *const lazyfree_names[] = { LAZYFREE_LIST(X) };
static const char *const backing_names[] = { BACKING_LIST(X) };
static const char *const hitshield_names[] = { HITSHIELD_LIST(X) };
#undef X

#define LOOKUP(names, value) ((value) < sizeof(names) / sizeof((names)[0]) ? (names)[value] : "?")

const char *site_name(unsigned site)
{
	return LOOKUP(site_names, site);
}

const char *lruvec_state_name(unsigned state)
{
	return LOOKUP(state_names, state);
}

const char *outcome_name(unsigned outcome)
{
	return LOOKUP(outcome_names, outcome);
}

const char *reason_name(unsigned reason)
{
	return LOOKUP(reason_names, reason);
}

const char *lazyfree_name(unsigned stage)
{
	return LOOKUP(lazyfree_names, stage);
}

const char *backing_name(unsigned backing)
{
	return LOOKUP(backing_names, backing);
}

const char *hitshield_name(unsigned cause)
{
	return LOOKUP(hitshield_names, cause);
}

const char *type_name(unsigned type)
{
	return type == TYPE_ANON ? "anon" : type == TYPE_FILE ? "file" : "?";
}

const char *list_kind_name(unsigned kind)
{
	return kind == LIST_LAZYFREE ? "lazyfree" : type_name(kind);
}

int abi_map(struct reader *reader, unsigned *nr_unknown)
{
	static const struct {
		enum ev_kind kind;
		const char *field;
		const char *const *names;
		unsigned nr;
	} maps[] = {
#define MAP(kind, field, names) { kind, field, names, sizeof(names) / sizeof((names)[0]) }
		MAP(EV_ADD, "site", site_names),
		MAP(EV_DEL, "site", site_names),
		MAP(EV_UPDATE, "site", site_names),
		MAP(EV_MOVE, "site", site_names),
		MAP(EV_SPLIT, "site", site_names),
		MAP(EV_MIN_SEQ, "site", site_names),
		MAP(EV_SPLICE, "site", site_names),
		MAP(EV_STATE, "state", state_names),
		MAP(EV_RECLAIM, "outcome", outcome_names),
		MAP(EV_RECLAIM, "reason", reason_names),
		MAP(EV_LAZYFREE, "stage", lazyfree_names),
		MAP(EV_EVICT, "backing", backing_names),
		MAP(EV_REFAULT, "backing", backing_names),
		MAP(EV_HITSHIELD, "cause", hitshield_names),
		MAP(EV_HITSHIELD, "site", site_names),
#undef MAP
	};
	unsigned i, unknown = 0;

	for (i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		int ret;

		if (!reader_has_event(reader, maps[i].kind))
			continue;
		ret = reader_map_symbols(reader, maps[i].kind, maps[i].field, maps[i].names,
					 maps[i].nr, NULL);
		if (ret == -ERR_NOT_FOUND)
			continue;	/* no such table: the numbers are ours */
		if (ret < 0)
			return ret;
		unknown += ret;
	}
	if (nr_unknown)
		*nr_unknown = unknown;
	return 0;
}
