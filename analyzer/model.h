/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The model: the kernel's generation lists, rebuilt event by event.
 *
 * It keeps two things apart that the kernel keeps apart (formats/model.md): the
 * list that a folio is physically on, and the generation in its flags. A page
 * table walk changes the second and not the first.
 *
 * Unknown is a value. A folio whose list was never seen is on no list here, a
 * lruvec whose beginning was not seen is not "complete", and lost events put
 * everything back to unknown. What is known is therefore certain, and a count
 * of folios passed over is a lower bound unless the lruvec is complete.
 *
 * Events of a folio may be stamped out of order on two CPUs, by the time that
 * passes between an atomic change of its flags and the event. The model orders
 * them by the generations that they carry: a change that must have happened but
 * has not been seen is "awaited", and the event that brings it is then only
 * ticked off. MODEL_WINDOW_NS bounds how late it may come.
 */
#ifndef FOLIOSCOPE_MODEL_H
#define FOLIOSCOPE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "abi.h"
#include "event.h"
#include "folio.h"
#include "lrulist.h"
#include "map.h"
#include "page.h"
#include "selection.h"

#define MODEL_MAX_GENS 8
#define MODEL_MAX_ZONES 8
#define MODEL_WINDOW_NS 1000000000ull

struct model_list {
	struct lrulist order;
	uint32_t lruvec;	/* number */
	uint8_t gen, zone;
	uint8_t kind;		/* TYPE_ANON, TYPE_FILE or LIST_LAZYFREE */
	uint8_t type;		/* of its folios: TYPE_ANON or TYPE_FILE */
};

struct lruvec {
	uint64_t memcg;		/* cgroup id; 0: no memcg in this kernel */
	uint32_t number;	/* in the order of first sight */
	int16_t nid;
	uint8_t nr_gens;
	bool seq_known;		/* max_seq is valid */
	bool min_known[TYPE_NR];
	bool complete;		/* every folio on its lists is known */
	bool is_new;		/* its memcg was made, and nothing was lost since */
	uint8_t lists_known[TYPE_NR];	/* bit n: of generation n every folio is */
	bool offline;		/* its memcg was removed */
	bool released;		/* no folio can remain */
	bool enabled_known, enabled;
	bool is_drained;	/* MGLRU is off, no folio is on a generation list */
	bool was_classic;	/* MGLRU was off at some time */
	uint32_t memcg_id;	/* as debugfs lru_gen prints it; 0: unknown */
	uint64_t max_seq;
	uint64_t min_seq[TYPE_NR];
	uint32_t lists[MODEL_MAX_GENS][LIST_NR][MODEL_MAX_ZONES];	/* number + 1 */
	/* folios on the lists, all zones, by generation and kind of the list */
	uint32_t nr_listed[MODEL_MAX_GENS][LIST_NR];
	/* by the generation in the flags, known folios only, like the kernel's */
	int64_t nr_pages[MODEL_MAX_GENS][TYPE_NR];
	/* pages reclaimed so far: the clock of refault distances */
	uint64_t nr_reclaimed[TYPE_NR];
	uint64_t nr_max_seq;	/* agings seen */
	uint32_t nr_lazyfree;	/* lazyfree folios on its lists */
};

enum change_kind {
	CHANGE_NONE,
	CHANGE_BORN,		/* a life begins */
	CHANGE_ENTER,		/* linked into a list */
	CHANGE_LEAVE,		/* unlinked */
	CHANGE_UPDATE,		/* generation in the flags changed in place */
	CHANGE_ACCESSED,	/* seen through a page table while isolated */
	CHANGE_MOVE,		/* from list to list, or within one */
	CHANGE_SPLIT,		/* a folio became smaller */
	CHANGE_OUTCOME,		/* of reclaim */
	CHANGE_EVICT,		/* left a shadow */
	CHANGE_REFAULT,		/* a page with a shadow came back */
	CHANGE_SWAPIN,
	CHANGE_LAZYFREE,
	CHANGE_HITSHIELD,
	CHANGE_END,		/* a life ends */
	CHANGE_SEQ,		/* max_seq or min_seq moved, see ev->kind */
	CHANGE_STATE,
	CHANGE_SCAN,
	CHANGE_SPLICE,
	CHANGE_LOST,		/* everything known is void */
	CHANGE_NR
};

/* What an event did, for the analyses; valid during the call only. */
struct change {
	enum change_kind kind;
	const struct event *ev;	/* cause; NULL at the end of the recording */
	uint64_t ts_ns;
	struct lruvec *lruvec;	/* NULL if unknown */
	struct folio *folio;	/* after the event; NULL for whole lruvecs */
	struct page *page;	/* before the event is accounted in it, or NULL */
	uint64_t pfn;
	/* generation in the flags */
	int8_t old_gen, new_gen;	/* -1: none */
	uint64_t gen_ns;	/* time in old_gen; 0 with gen_ns_known false */
	bool gen_ns_known;
	bool is_late;		/* the event of a change that was seen before */
	/*
	 * Position before the event: valid if old_list, the list left, is set.
	 * nr_older counts the known folios behind it there; nr_younger those
	 * before it; nr_older_gens, of CHANGE_LEAVE to reclaim, known folios of
	 * strictly older generations.
	 */
	struct model_list *old_list;
	uint32_t old_label;
	uint32_t nr_older, nr_younger;
	uint64_t nr_older_gens;
	/* the list entered or NULL; folios in it before the event */
	struct model_list *new_list;
	uint32_t new_list_nr;
	enum folio_end end;	/* CHANGE_END */
};

/* Contradictions between events, with no loss to excuse them. */
#define STATE_ERROR_LIST(X)						\
	X(ADD_LINKED, "added while it is on a list")			\
	X(DEL_UNLINKED, "removed while it is on no list")		\
	X(MOVE_UNLINKED, "moved while it is on no list")		\
	X(MOVE_OTHER_LIST, "moved from a list that it is not on")	\
	X(OTHER_LRUVEC, "changed its lruvec while on a list")		\
	X(OTHER_TYPE, "changed its type while on a list")		\
	X(OTHER_ORDER, "changed its order without a split")		\
	X(GEN_UNSEEN, "generation changed and no event told of it")	\
	X(GEN_LATE, "the event of a generation change came too late")	\
	X(REUSED_LINKED, "began a new life while on a list")		\
	X(SEQ_UNSEEN, "max_seq changed and no event told of it")	\
	X(IMPOSSIBLE, "field value out of range")

enum state_error {
#define X(name, text) STATE_ERROR_##name,
	STATE_ERROR_LIST(X)
#undef X
	STATE_ERROR_NR
};

/* One of the first contradictions, with the two events that make it. */
struct state_error_sample {
	enum state_error error;
	uint64_t pfn;
	uint64_t ts_ns, previous_ns;
	uint8_t kind, site;		/* event that contradicts */
	uint8_t previous_kind, previous_site;
	int8_t gen, expected_gen;
};

#define MODEL_ERROR_SAMPLES 16

struct model_stats {
	uint64_t nr_events;		/* lru_gen events applied */
	uint64_t nr_multi_gen;		/* of them those that only generation lists have */
	uint64_t nr_outcomes;		/* and those of folios that reclaim had isolated */
	uint64_t nr_lives;		/* those of a state that was restored are among them */
	uint64_t nr_born_unknown;	/* lives whose beginning was not seen */
	uint64_t nr_ended_lost;		/* lives cut by a loss */
	uint64_t nr_whole;		/* lives seen from beginning to end */
	uint64_t nr_losses;		/* losses and gaps */
	uint64_t nr_in_loss;		/* events in doubt while a loss lasted */
	uint64_t nr_awaited;		/* out of order, put in order */
	uint64_t max_late_ns;		/* the latest of them */
	uint64_t nr_putback_assumed;	/* isolated, then added: taken as the same life */
	uint64_t nr_refused;		/* events with an impossible field */
	uint64_t nr_errors[STATE_ERROR_NR];
	unsigned nr_samples;
	struct state_error_sample samples[MODEL_ERROR_SAMPLES];
};

typedef void (*model_observer_fn)(void *self, const struct change *change);

struct model;

/*
 * model_new(): an empty model, in which everything is unknown. @observer is
 * called for each change, with @self. Returns NULL without memory.
 */
struct model *model_new(model_observer_fn observer, void *self);

/* model_free(): NULL is allowed. */
void model_free(struct model *model);

/*
 * model_select(): only what is in @selection, which may grow as events are applied
 * and stays the caller's, has events in the recording. If it is sparse no lruvec is
 * ever complete, and folios that leave it are lost from sight.
 */
void model_select(struct model *model, const struct selection *selection);

/*
 * model_apply(): the next event of the stream, EV_LOST and EV_GAP included.
 * Returns 0 or a negative enum err: -ERR_NOMEM, or -ERR_STATE for a marker with a
 * state of another version; an event that contradicts the others is counted, not
 * refused.
 */
int model_apply(struct model *model, const struct event *ev);

/*
 * Memory is waited for less if it is asked for early, and for several events at a
 * time. Both change nothing.
 *
 * model_look_far(): folios[i] is set to the folio of *ev[i], NULL if there is none
 * yet, and its memory is asked for; some 30 events before they are applied.
 * model_look_near(): then, some 15 before, for what else model_apply_found() will
 * touch.
 */
void model_look_far(const struct model *model, const struct event *const *ev, unsigned nr,
		    struct folio **folios);
void model_look_near(const struct model *model, const struct event *const *ev, unsigned nr,
		     struct folio *const *folios);

/* model_apply_found(): model_apply() of @ev, whose folio model_look_far() gave as @folio. */
int model_apply_found(struct model *model, const struct event *ev, struct folio *folio);

/*
 * model_finish(): the end of the recording at @ts_ns: every life that goes on
 * ends as END_RESIDENT, changes still awaited become state errors. With
 * @partial (the recording was not read to its end) the latter is left out.
 */
void model_finish(struct model *model, uint64_t ts_ns, bool partial);

/* What the text of a marker that holds a state begins with (formats/trim.md). */
#define MODEL_STATE_PREFIX "folioscope-state 3 "

/*
 * model_dump(): what is known now of the folios in @selection, as texts for markers
 * (without end of line, each at most @max_bytes and MODEL_STATE_BYTES long, unless
 * one item is longer), in the order in which they must be read back; @put is called
 * for each with @self. model_apply() restores a state from EV_MARKER events, if it
 * is the first thing that the model sees.
 * Returns 0, or what @put returned if that was not 0.
 */
#define MODEL_STATE_BYTES 2000u
int model_dump(const struct model *model, const struct selection *selection, unsigned max_bytes,
	       int (*put)(void *self, const char *text), void *self);

/* model_was_restored(): did the recording begin with a state? */
bool model_was_restored(const struct model *model);

/* model_stats(): counts so far; the model's. */
const struct model_stats *model_stats(const struct model *model);

/* On what lists folios were, as far as events tell. */
enum model_lru {
	MODEL_LRU_MULTI_GEN,	/* no event says otherwise */
	MODEL_LRU_SWITCHED,	/* the classic ones, too, at times or in some memcg */
	MODEL_LRU_CLASSIC,	/* reclaimed, and never seen on a generation list */
	MODEL_LRU_UNKNOWN,	/* no event tells: neither reclaimed nor on a list */
};

/* model_lru(): of all lruvecs together, up to now, before a cut too if its state is known. */
enum model_lru model_lru(const struct model *model);

/* model_nr_errors(): sum of all state errors. */
uint64_t model_nr_errors(const struct model *model);

/* state_error_text(): static string. */
const char *state_error_text(enum state_error error);

/* model_nr_lruvecs(): how many were seen so far; their numbers are below it. */
uint32_t model_nr_lruvecs(const struct model *model);
/* model_lruvec(): by number, NULL if there is none; the model's. */
struct lruvec *model_lruvec(const struct model *model, uint32_t number);

/* model_find_lruvec(): by identity, NULL if it was not seen. */
struct lruvec *model_find_lruvec(const struct model *model, uint64_t memcg, int nid);

/*
 * model_list(): the list of @kind, which is a type or LIST_LAZYFREE, or NULL if
 * no folio was ever on it.
 */
struct model_list *model_list(const struct model *model, const struct lruvec *lruvec,
			      unsigned gen, unsigned kind, unsigned zone);
/* model_list_at(): by number (folio->list - 1), NULL if there is none. */
struct model_list *model_list_at(const struct model *model, uint32_t number);

/* model_folios(): the table of folios. */
const struct folio_table *model_folios(const struct model *model);

/* model_page(): the page record of @folio, NULL if it has none. */
struct page *model_page(const struct model *model, const struct folio *folio);

/*
 * model_seq(): sequence number of generation index @gen: the one in the window
 * that ends at max_seq. Meaningful if lruvec->seq_known.
 */
uint64_t model_seq(const struct lruvec *lruvec, unsigned gen);

/* model_age(): generations younger than @gen: 0 is the youngest. */
static inline unsigned model_age(const struct lruvec *lruvec, unsigned gen)
{
	unsigned nr = lruvec->nr_gens;

	if (!(nr & (nr - 1)))
		return (lruvec->max_seq - gen) & (nr - 1);	/* asked for often: no division */
	return (lruvec->max_seq % nr + nr - gen % nr) % nr;
}

/*
 * model_agings(): agings of @lruvec, which evicted @page, since then in *@nr;
 * false if they are not known.
 */
static inline bool model_agings(const struct lruvec *lruvec, const struct page *page, uint64_t *nr)
{
	*nr = (lruvec->max_seq - page->evict_seq) & PAGE_SEQ_MASK;
	return lruvec->seq_known && page->has_evict_seq && *nr <= PAGE_SEQ_MASK / 2;
}

/* model_in_loss(): are events at this moment in doubt? */
bool model_in_loss(const struct model *model);

/* model_bytes(): memory held by tables and lists. */
uint64_t model_bytes(const struct model *model);

#endif /* FOLIOSCOPE_MODEL_H */
