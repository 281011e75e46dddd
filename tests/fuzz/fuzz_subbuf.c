// SPDX-License-Identifier: GPL-2.0-only
/*
 * Property: a page of any bytes is refused, or walked within its bounds, in
 * every byte order and word size (first byte of the input).
 */
#include <stdlib.h>
#include <string.h>

#include "analyzer/subbuf.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct subbuf_layout layout = { .commit_offset = 8 };
	struct subbuf_stats stats;
	struct subbuf sub;
	uint8_t *page;

	if (size < 17)
		return 0;
	layout.big_endian = data[0] & 1;
	layout.swap = layout.big_endian != is_big_endian_host();
	layout.commit_bytes = data[0] & 2 ? 4 : 8;
	layout.data_offset = 8 + layout.commit_bytes;
	layout.page_bytes = size - 1;
	/* a copy of its own size: reading a byte more is an error */
	page = malloc(size - 1);
	memcpy(page, data + 1, size - 1);
	if (!subbuf_check(&layout, page, &stats)) {
		if (subbuf_begin(&layout, page, &sub) ||
		    sub.size_bytes > layout.page_bytes - layout.data_offset ||
		    stats.nr_records > sub.size_bytes / 4)
			abort();
		fuzz_sink = stats.last_ts_ns;
	}
	free(page);
	return 0;
}
