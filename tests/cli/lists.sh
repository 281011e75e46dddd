#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope lists: the kernel's own lists, folio by folio, where they were saved
# beside a recording; and that verify finds what is not as it was.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

# known FILE: without the lruvecs that FILE.incomplete lists as memcg and node.
known()
{
	awk 'FILENAME == ARGV[1] { skip[$1, $2] = 1; next }
		$1 == "memcg" { m = $2; print; next }
		$1 == "node" { n = $2 }
		!((m, n) in skip)' "$tmp/incomplete" "$1"
}

# exchange FILE: the last two folios of the last list, or one more order.
exchange()
{
	awk '{ line[NR] = $0; if (/^   0x/ && line[NR - 1] ~ /^   0x/) at = NR }
		END { t = line[at]; line[at] = line[at - 1]; line[at - 1] = t
			for (i = 1; i <= NR; i++) print line[i] }' "$1"
}

nr=0
for after in "$traces"/*/after; do
	theirs=$after/lru_gen_folios
	[ -e "$theirs" ] || continue
	nr=$((nr + 1))
	dir=$(dirname "$after")
	name=$(basename "$dir")
	run "$folioscope" lists -q --like "$theirs" "$dir.dat"
	expect "$name: lists" 0 '^   0x[0-9a-f]* order [0-9]* gen -?[0-9]'
	awk '$1 == "memcg" { m = $2 } $1 == "node" { n = $2 } /^# not complete/ { print m, n }' \
		"$tmp/out" > "$tmp/incomplete"
	known "$tmp/out" > "$tmp/ours"
	known "$theirs" > "$tmp/theirs"
	check "$name: known lists to compare" grep -q ' order ' "$tmp/theirs"
	check "$name: diff finds nothing" diff "$tmp/theirs" "$tmp/ours"
	run "$folioscope" verify -q "$dir.dat" "$after"
	expect "$name: verify" 0 '^lists: [1-9][0-9]* with [1-9][0-9]* folios compared in order, 0 differ'

	mkdir -p "$tmp/changed"
	exchange "$theirs" > "$tmp/changed/lru_gen_folios"
	check "$name: two folios exchanged" sh -c "! cmp -s '$theirs' '$tmp/changed/lru_gen_folios'"
	run "$folioscope" verify -q "$dir.dat" "$tmp/changed"
	expect "$name: verify finds two folios exchanged" 3 ', place [0-9]+:'
	expect "$name: and what happened to one of them last" 3 'pfn 0x[0-9a-f]+: last event'
	sed 's/mono_ns [0-9]*/mono_ns 99999999999999/' "$theirs" > "$tmp/changed/lru_gen_folios"
	run "$folioscope" verify -q "$dir.dat" "$tmp/changed"
	expect "$name: verify misses the moment" 3 "no event 'state=snapshot'"
	run "$folioscope" lists -q --like "$tmp/changed/lru_gen_folios" "$dir.dat"
	expect "$name: lists misses the moment" 1 "no event 'state=snapshot'"
done
check "at least one recording has the kernel's lists" [ "$nr" -ge 1 ]

good=$traces/chain.dat
run "$folioscope" lists -q "$good"
expect "at the end" 0 '^  gen [0-3] (anon|file) zone [0-9]$'
cp "$tmp/out" "$tmp/end"
run "$folioscope" lists -q --at 100ms "$good"
expect "at a moment" 0 '^memcg [0-9]+ $'
check "another moment, other lists" sh -c "! cmp -s '$tmp/out' '$tmp/end'"
run "$folioscope" lists -q --at 1000 "$good"
expect "after the end" 1 'ends [0-9.]+s after its first event'
memcg=$(awk '$1 == "memcg" { m = $2 } / order / { print m; exit }' "$tmp/end")
run "$folioscope" lists -q --memcg "$memcg" "$good"
expect "one memcg" 0 "^memcg $memcg "
check "one memcg and no other" [ "$(grep -c '^memcg' "$tmp/out")" -eq 1 ]
run "$folioscope" lists -q --memcg 123456789 "$good"
expect "a memcg that is not there" 0 'no event of memcg 123456789'
run "$folioscope" lists --at yesterday "$good"
expect "no time" 2 'takes a time'
run "$folioscope" lists --like "$tmp/none" "$good"
expect "no such file to be like" 4 'o such file'
run "$folioscope" lists --like "$good" "$good"
expect "a file that is none" 4 'line 1'
run "$folioscope" lists --at 1 --like "$tmp/end" "$good"
expect "both" 2 'like'
done_testing
