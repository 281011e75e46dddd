#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Page frames that are not in the recording: said, by every command that takes one.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
file=$traces/chain.dat
other=$traces/thp.dat
there=0xfe8d
absent=0xfffffff
seen='no event of pfn 0xfffffff \(folios seen: 0x[0-9a-f]+ to 0x[0-9a-f]+\); folioscope lifetimes'

run "$folioscope" html -q --pfn $there -o "$tmp/page.html" "$file"
check "html: one that is there" [ "$status" -eq 0 ]
check "html: its story" grep -q 'id="pfn-fe8d"' "$tmp/page.html"
run "$folioscope" html -q --pfn $absent -o "$tmp/no.html" "$file"
expect "html: one that is not" 1 "$file: $seen"
check "html: no page then" [ ! -e "$tmp/no.html" ]
run "$folioscope" html -q --pfn $there --pfn $absent --pfn 0xffffffe -o "$tmp/no.html" "$file"
expect "html: the first of two that are not" 1 "$seen"
expect "html: the second" 1 'no event of pfn 0xffffffe '
check "html: not that which is there" [ "$(wc -l < "$tmp/err")" -eq 2 ]

# in which of the two recordings does not matter, nor which is first
run "$folioscope" html -q --pfn $there -o "$tmp/two.html" "$traces/noswap.dat" --with "$file"
check "html --with: in one of two" [ "$status" -eq 0 ]
check "html --with: its story" grep -q 'id="pfn-patchfe8d"' "$tmp/two.html"
check "html --with: it is not in the other" grep -qv 'id="pfn-basefe8d"' "$tmp/two.html"
run "$folioscope" html -q --pfn $absent -o "$tmp/no.html" "$traces/noswap.dat" --with "$file"
expect "html --with: in neither" 1 "noswap.dat: no event of pfn"
expect "html --with: and the other says so, too" 1 "chain.dat: no event of pfn"

run "$folioscope" export -q --perfetto "$tmp/x.pftrace" --pfn $absent "$file"
expect "export: one that is not there" 1 "$file: $seen"
check "export: no trace then" [ ! -e "$tmp/x.pftrace" ]
run "$folioscope" export -q --perfetto "$tmp/x.pftrace" --pfn $there --pfn $absent "$file"
expect "export: one of two" 1 "$seen"
run "$folioscope" export -q --perfetto "$tmp/x.pftrace" --pfn $there "$file"
check "export: one that is there" [ "$status" -eq 0 ]
for kind in sqlite jsonl csv; do
	run "$folioscope" export -q --$kind "$tmp/x.$kind" --pfn $there "$file"
	expect "export --$kind has no lanes" 2 '--lanes and --pfn go with --perfetto'
done
run "$folioscope" export -q --jsonl "$tmp/x.jsonl" --no-events "$file"
expect "export --jsonl has no events to leave out" 2 '--no-events goes with --sqlite'

# a folio is known by its head
read -r head tail < <("$folioscope" lifetimes -q -n 0 -f csv "$other" |
	/usr/bin/python3 -c '
import csv, sys
orders = {int(r["pfn"]): int(r["folio_order"]) for r in csv.DictReader(sys.stdin)}
print(*next((pfn, pfn + 1) for pfn, order in orders.items() if order and pfn + 1 not in orders))')
for command in "html -o $tmp/no.html" "export --perfetto $tmp/x.pftrace"; do
	# shellcheck disable=SC2086 # words
	run "$folioscope" $command -q --pfn "$tail" "$other"
	expect "${command%% *}: a tail page" 1 \
		"$(printf 'pfn 0x%x is a tail page; its folio is pfn 0x%x' "$tail" "$head")"
done
run "$folioscope" trim -q --pfn "$tail" -o "$tmp/tail.dat" "$other"
expect "trim: a tail page is part of the folio" 0 'records'

run "$folioscope" trim -q --pfn $absent -o "$tmp/no.dat" "$file"
expect "trim: one that is not there" 1 "$file: $seen"
run "$folioscope" trim -q --pfn 0xfffff00-0xfffffff -o "$tmp/no.dat" "$file"
expect "trim: nor any of a range" 1 "$file: no event of pfn 0xfffff00 to 0xfffffff"
check "trim: no recording then" [ ! -e "$tmp/no.dat" ]

many=$(for i in $(seq 257); do printf ' --pfn %d' "$i"; done)
for command in "html -o $tmp/no.html" "export --perfetto $tmp/x.pftrace"; do
	# shellcheck disable=SC2086 # words
	run "$folioscope" $command -q $many "$file"
	expect "${command%% *}: 257 page frames" 2 'more than 256 page frames'
done
done_testing
