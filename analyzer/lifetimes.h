/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One row per life of a folio, as the command lifetimes prints it.
 */
#ifndef FOLIOSCOPE_LIFETIMES_H
#define FOLIOSCOPE_LIFETIMES_H

#include "model.h"
#include "survival.h"

struct lifetime {
	uint32_t life;
	uint64_t pfn;
	bool has_lruvec;
	uint64_t memcg;
	int nid;
	uint8_t type, order, zone;
	uint8_t birth, end;		/* enum folio_birth, folio_end */
	uint64_t birth_ns;		/* or first sight, if birth is unknown */
	uint64_t end_ns;
	uint16_t nr_promoted, nr_protected, nr_isolated;
	bool has_last_age;
	unsigned last_age;		/* generations younger than its last one */
	bool has_page;			/* identity beyond the folio is known */
	uint8_t backing;
	uint32_t dev;
	uint64_t ino, index;
	uint16_t nr_evictions;		/* of the page, before this life's end */
};

/*
 * lifetime_from(): the row of a life that ends with @c (CHANGE_END).
 */
struct lifetime lifetime_from(const struct change *c);

/*
 * lifetimes_survival(): of the analysis "lifetimes", whose state is @self: time
 * to reclaim of the folios of @type, lives whose beginning was seen.
 */
const struct survival *lifetimes_survival(const void *self, unsigned type);

#endif /* FOLIOSCOPE_LIFETIMES_H */
