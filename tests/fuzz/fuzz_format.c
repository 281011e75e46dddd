// SPDX-License-Identifier: GPL-2.0-only
/* Property: any text is parsed or refused; what is found can be looked up. */
#include <string.h>

#include "analyzer/err.h"
#include "analyzer/format.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *cause = NULL;
	struct format format;
	unsigned i;

	if (format_parse(&format, (const char *)data, size, &cause) < 0) {
		if (!cause)
			__builtin_trap();
		return 0;
	}
	for (i = 0; i < format.nr_fields; i++)
		if (!format_field(&format, format.fields[i].name))
			__builtin_trap();
	for (i = 0; i < format.nr_symbols; i++)
		if (!format_symbol(&format, &format.fields[format.symbols[i].field],
				   format.symbols[i].value))
			__builtin_trap();
	fuzz_sink = format.nr_fields;
	format_release(&format);
	return 0;
}
