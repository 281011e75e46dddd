#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The text of folioscope lifetimes has what its sorting and the next command need.
# Usage: lifetimes.sh BUILDDIR
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

# as_csv KEY FILE: the rows of the text, sorted by KEY, are those of CSV.
as_csv()
{
	"$folioscope" lifetimes -q -n 40 -s "$1" -f csv "$2" | tr -d '\r' |
		awk -F, 'NR > 1 { print $1, $2, $5 ($6 ? $6 : ""), $8, $20 + 0, $10 }' > "$tmp/csv"
	"$folioscope" lifetimes -q -n 40 -s "$1" "$2" | grep '^ *0x' |
		while read -r pfn life _ type birth _ _ _ _ _ ev ended; do
			echo "$life $((pfn)) $type $birth $ev $ended"
		done > "$tmp/text"
	[ "$(wc -l < "$tmp/text")" -eq 40 ] && diff "$tmp/text" "$tmp/csv"
}
for key in -evictions born -lived; do
	check "sorted by $key: life, order and evictions as in CSV" as_csv "$key" "$traces/thp.dat"
done

one_story()
{
	local pfn life

	read -r pfn life _ < <("$folioscope" lifetimes -q -n 1 -s -evictions "$traces/chain.dat" |
			       grep '^ *0x')
	"$folioscope" folio -q --life "$life" "$traces/chain.dat" "$pfn" | grep -q "^life $life at pfn $pfn:"
}
check "a row is enough to ask folio for the life" one_story

run "$folioscope" lifetimes -q --type anon "$traces/chain.dat"
expect "aggregates are of all, and say so" 0 '^All lives \(filters do not apply\)$'
done_testing
