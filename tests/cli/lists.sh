#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope lists: the kernel's own lists, folio by folio, where they were saved
# beside a recording; and that verify finds what is not as it was.
# lists.sh BUILD [DIR]: only that, of DIR/trace.dat and DIR/after.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

# known FILE: without the lruvecs in the file incomplete, as memcg and node.
known()
{
	awk 'FILENAME == ARGV[1] { skip[$1, $2] = 1; next }
		$1 == "memcg" { m = $2; print; next }
		$1 == "node" { n = $2 }
		!((m, n) in skip)' "$tmp/incomplete" "$1"
}

# exchange: two neighbours of the last list in the file theirs that has two, in the
# file changed/lru_gen_folios. Sets $place of the first and what was there and is.
exchange()
{
	mkdir -p "$tmp/changed"
	awk -v changed="$tmp/changed/lru_gen_folios" '
		{ line[NR] = $0; place = /^   0x/ ? place + 1 : 0 }
		place > 1 { at = NR; at_place = place - 1 }
		END {
			t = line[at]; line[at] = line[at - 1]; line[at - 1] = t
			for (i = 1; i <= NR; i++)
				print line[i] > changed
			split(line[at], was); split(line[at - 1], is)
			print at_place, was[1], is[1]
		}' "$tmp/theirs" > "$tmp/exchanged"
	read -r place was is < "$tmp/exchanged"
}

# compare NAME TRACE AFTER
compare()
{
	local name=$1 trace=$2 after=$3
	run "$folioscope" lists -q --like "$after/lru_gen_folios" "$trace"
	expect "$name: lists" 0 '^   0x[0-9a-f]* order [0-9]* gen -?[0-9]'
	awk '$1 == "memcg" { m = $2 } $1 == "node" { n = $2 } /^# not complete/ { print m, n }' \
		"$tmp/out" > "$tmp/incomplete"
	known "$tmp/out" > "$tmp/ours"
	known "$after/lru_gen_folios" > "$tmp/theirs"
	check "$name: known lists to compare" grep -q ' order ' "$tmp/theirs"
	check "$name: diff finds nothing" diff "$tmp/theirs" "$tmp/ours"
	run "$folioscope" verify -q "$trace" "$after"
	expect "$name: verify" 0 '^lists: [1-9][0-9]* with [1-9][0-9]* folios compared in order, 0 differ'

	exchange
	run "$folioscope" verify -q "$trace" "$tmp/changed"
	expect "$name: verify finds two folios exchanged, and where" 3 ", place $place:\$"
	expect "$name: and which they are" 3 "^  kernel pfn $is order .*, ours pfn $was order"
	expect "$name: and what happened to them last" 3 "ours pfn $was: last event"
	sed "s/^\\(   $was order [0-9]* gen\\) .*/\\1 -1/" "$tmp/theirs" > "$tmp/changed/lru_gen_folios"
	run "$folioscope" verify -q "$trace" "$tmp/changed"
	expect "$name: verify finds another generation" 3 ": pfn $was has gen -1 in its flags, ours [0-3]\$"
	sed "/^   $was /d" "$tmp/theirs" > "$tmp/changed/lru_gen_folios"
	run "$folioscope" verify -q "$trace" "$tmp/changed"
	expect "$name: verify finds a folio missing" 3 "ours pfn $was |kernel has [0-9]+, ours [0-9]+"
	sed 's/mono_ns [0-9]*/mono_ns 99999999999999/' "$tmp/theirs" > "$tmp/changed/lru_gen_folios"
	run "$folioscope" verify -q "$trace" "$tmp/changed"
	expect "$name: verify misses the moment" 3 "no event 'state=snapshot'"
	run "$folioscope" lists -q --like "$tmp/changed/lru_gen_folios" "$trace"
	expect "$name: lists misses the moment" 1 "no event 'state=snapshot'"
}

if [ -n "${2:-}" ]; then
	compare "$(basename "$2")" "$2/trace.dat" "$2/after"
	done_testing
fi
compare lists "$traces/lists.dat" "$traces/lists/after"

good=$traces/chain.dat
run "$folioscope" lists -q "$good"
expect "at the end" 0 '^  gen [0-3] (anon|file) zone [0-9]$'
cp "$tmp/out" "$tmp/end"
run "$folioscope" lists -q --at 100ms "$good"
expect "at a moment" 0 '^memcg [0-9]+ $'
check "another moment, other lists" sh -c "! cmp -s '$tmp/out' '$tmp/end'"
duration=$("$folioscope" report -q -f json "$good" | grep -o -m1 '"duration_ns": *[0-9]*' | grep -o '[0-9]*$')
run "$folioscope" lists -q --at "${duration}ns" "$good"
check "the last moment is the end" cmp "$tmp/out" "$tmp/end"
run "$folioscope" lists -q --at "$((duration + 1))ns" "$good"
expect "after the end by a nanosecond" 1 'ends [0-9.]+s after its first event'
run "$folioscope" lists -q --at 1000 "$good"
expect "after the end" 1 'ends [0-9.]+s after its first event'
memcg=$(awk '$1 == "memcg" { m = $2 } / order / { print m; exit }' "$tmp/end")
run "$folioscope" lists -q --memcg "$memcg" "$good"
expect "one memcg" 0 "^memcg $memcg "
check "one memcg and no other" [ "$(grep -c '^memcg' "$tmp/out")" -eq 1 ]
run "$folioscope" lists -q --memcg 123456789 "$good"
expect "a memcg that is not there" 1 'no event of memcg 123456789'
run "$folioscope" lists --at yesterday "$good"
expect "no time" 2 'takes a time'
run "$folioscope" lists --like "$tmp/none" "$good"
expect "no such file to be like" 4 'o such file'
run "$folioscope" lists --like "$good" "$good"
expect "a file that is none" 4 'line 1'
run "$folioscope" lists --at 1 --like "$tmp/end" "$good"
expect "both" 2 'like'
done_testing
