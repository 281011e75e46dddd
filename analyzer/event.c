// SPDX-License-Identifier: GPL-2.0-only
#include "event.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;	/* ours */
	const char *system, *event;	/* the kernel's; NULL: not an event */
} kinds[EV_NR] = {
	[EV_NONE]	= { "none", NULL, NULL },
#define LRU_GEN(kind, name) [kind] = { name, "lru_gen", "mm_lru_gen_" name }
	LRU_GEN(EV_ADD, "add"),
	LRU_GEN(EV_DEL, "del"),
	LRU_GEN(EV_UPDATE, "update"),
	LRU_GEN(EV_MOVE, "move"),
	LRU_GEN(EV_SPLIT, "split"),
	LRU_GEN(EV_MIGRATE, "migrate"),
	LRU_GEN(EV_MAX_SEQ, "max_seq"),
	LRU_GEN(EV_MIN_SEQ, "min_seq"),
	LRU_GEN(EV_STATE, "state"),
	LRU_GEN(EV_SPLICE, "splice"),
	LRU_GEN(EV_SCAN, "scan"),
	LRU_GEN(EV_RECLAIM, "reclaim"),
	LRU_GEN(EV_EVICT, "evict"),
	LRU_GEN(EV_REFAULT, "refault"),
	LRU_GEN(EV_SWAPIN, "swapin"),
	LRU_GEN(EV_LAZYFREE, "lazyfree"),
	LRU_GEN(EV_HITSHIELD, "hitshield"),
#undef LRU_GEN
	[EV_MARKER]	= { "marker", "ftrace", "print" },
	[EV_PAGE_FREE]	= { "page_free", "kmem", "mm_page_free" },
	[EV_PAGE_ALLOC]	= { "page_alloc", "kmem", "mm_page_alloc" },
	[EV_LRU_INSERTION] = { "lru_insertion", "pagemap", "mm_lru_insertion" },
	[EV_LRU_ACTIVATE] = { "lru_activate", "pagemap", "mm_lru_activate" },
	[EV_CACHE_ADD]	= { "cache_add", "filemap", "mm_filemap_add_to_page_cache" },
	[EV_CACHE_DELETE] = { "cache_delete", "filemap", "mm_filemap_delete_from_page_cache" },
	[EV_LRU_ISOLATE] = { "lru_isolate", "vmscan", "mm_vmscan_lru_isolate" },
	[EV_LRU_SHRINK]	= { "lru_shrink", "vmscan", "mm_vmscan_lru_shrink_inactive" },
	[EV_LOST]	= { "lost", NULL, NULL },
	[EV_GAP]	= { "gap", NULL, NULL },
};

const char *event_kind_name(enum ev_kind kind)
{
	return (unsigned)kind < EV_NR ? kinds[kind].name : "?";
}

const char *event_kind_event(enum ev_kind kind)
{
	return (unsigned)kind < EV_NR ? kinds[kind].event : NULL;
}

const char *event_kind_system(enum ev_kind kind)
{
	return (unsigned)kind < EV_NR ? kinds[kind].system : NULL;
}

enum ev_kind event_kind_of(const char *system, const char *name)
{
	unsigned kind;

	for (kind = 0; kind < EV_NR; kind++)
		if (kinds[kind].event && !strcmp(kinds[kind].event, name) &&
		    !strcmp(kinds[kind].system, system))
			return kind;
	return EV_NONE;
}
