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

left_out()
{
	local want
	want=$("$folioscope" lifetimes -q -f csv -n 0 "$1" 2> /dev/null | awk -F, '
		NR > 1 && $8 == "unknown" { n[$5]++; r[$5] += $10 ~ /^(evicted|reclaimed|lazyfreed)$/ }
		END { for (t in n) print t, n[t], r[t] }' | sort)
	[ -n "$want" ] && [ "$want" = "$("$folioscope" report -q --only lifetimes "$1" | sed -n -E '
		/lives are in no line of survival/{ N
			s/^(anon|file): ([0-9]+) .* ([0-9]+) of them.*/\1 \2 \3/p
		}')" ]
}
check "lives that survival leaves out are counted" left_out "$traces/classic.dat"
check "also of both types" left_out "$traces/lists.dat"
done_testing
