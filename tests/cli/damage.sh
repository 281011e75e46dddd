#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Bundled recordings, damaged where it is hard to notice: it is named, the status
# is 3, and nothing is claimed that the whole recording contradicts.
# shellcheck source=tests/cli/lib.sh disable=SC2154
. tests/cli/lib.sh

# says FILE [OPTION]: what check says, each problem on one line
says()
{
	run "$folioscope" check -q "$@"
	sed -i -e ':more' -e '$!{N;s/\n    */ /;tmore' -e '}' -e 'P;D' "$tmp/out"
}

# damaged NAME RECORDING PATTERN OPERATION...: damage a copy of RECORDING as
# damage.py says. check names the damage (PATTERN), report the loss, and no claim is
# false. SALVAGE is --salvage or empty.
SALVAGE=
damaged()
{
	local name=$1 whole=$traces/$2.dat pattern=$3 copy=$tmp/copy.dat
	shift 3
	if ! tests/cli/damage.py "$whole" "$copy" "$@" > "$tmp/out" 2>&1; then
		fail "$name: damaged" "$(cat "$tmp/out")"
		return
	fi
	# shellcheck disable=SC2086 # empty or an option
	says $SALVAGE "$copy"
	expect "$name: named" 3 "$pattern"
	check "$name: not called good" [ "$(grep -c '^verdict: *\(DAMAGED\|SALVAGED\)' "$tmp/out")" = 1 ]
	# shellcheck disable=SC2086
	run "$folioscope" report -q $SALVAGE "$copy"
	expect "$name: the loss in the report" 3 '^LOST: '
	# shellcheck disable=SC2086
	run "$build/loss-injection" $SALVAGE --whole "$whole" "$copy"
	expect "$name: nothing false" 0 ', 0 false claims$'
}

# file.dat: CPU 0 has 27 chunks from 405504 on; what is read is all there
damaged "count of chunks one too low" file \
	'^  BAD_CHUNK_COUNT CPU 0 offset 405504 4 bytes' put32 405504 26
check "count of chunks one too low: all events are read" \
	[ "$(sed -n 's/.*copy.dat: \([0-9]*\) events missing.*/\1/p' "$tmp/out")" = 0 ]
damaged "half the count of chunks" file '^  BAD_CHUNK_COUNT CPU 0' put32 405504 13
damaged "count of chunks one too low" chain '^  BAD_CHUNK_COUNT CPU 0' put32 405504 55
damaged "count of chunks one too low" lazyfree '^  BAD_CHUNK_COUNT CPU 0' put32 405504 82

# v6.dat: sub-buffers of 4096 bytes, CPU 0's from 90112 on, 161 of them
page=$((90112 + 20 * 4096))
damaged "ten sub-buffers of zeros" v6 \
	"^  BAD_PAGE CPU 0 offset $page 40960 bytes from [0-9.]+ to [0-9.]+: it is empty" \
	zero $page 40960
damaged "zeros at the end" v6 '^  BAD_PAGE CPU 0 offset 708608 .* to the end: it is empty' \
	zero $((90112 + 151 * 4096)) 40960
damaged "zeros that the commit word covers" v6 \
	'^  BAD_PAGE CPU 0 .*: the commit word covers zeros' zero-tails $page 20

damaged "two sub-buffers exchanged" v6 '^  OUT_OF_ORDER CPU 0 offset 155648 65536 bytes .*time goes back' \
	swap $page $((page + 4096)) 4096
for whole in lazyfree memcgs file; do
	damaged "two chunks exchanged" $whole '^  OUT_OF_ORDER CPU 0 offset' swap-chunks 405504 10
	damaged "the first two chunks exchanged" $whole '^  OUT_OF_ORDER CPU 0 offset' \
		swap-chunks 405504 0
done
damaged "the last two chunks exchanged" file '^  OUT_OF_ORDER CPU 0 offset .* to the end: time' \
	swap-chunks 405504 25

# where CPU 1's data begins: at the end of the file, in v6.dat before the data
damaged "CPU 1 begins inside CPU 0" memcgs \
	'^  BAD_CPU CPU 1 offset 602112 .* lie in that of CPU 0; it is not read' xor64 842091 0x4000
damaged "CPU 1 begins inside CPU 0, near its beginning" chain '^  BAD_CPU CPU 1 offset 409600' \
	put64 854661 409600
damaged "CPU 1 begins two pages early" file '^  BAD_CPU CPU 1 offset 524288' xor64 686193 0x2000
# of sub-buffers it is not known whose they are
damaged "CPU 1 begins a run early" v6 '^  BAD_CPU CPU 0 offset 684032 .* reach into the next' \
	put64 89347 684032
damaged "CPU 1 begins two sub-buffers early" v6 \
	'^  BAD_CPU CPU 1 offset 741376 .*some be missing at its end' put64 89347 741376

# two thirds of CPU 0's data, and nothing of CPU 1's
SALVAGE=--salvage
damaged "cut in the data of the first CPU" file \
	'^  CPU_TRUNCATED offset 488353: data of 1 of 2 CPUs was found' cut 488353
run "$folioscope" report -q --salvage "$tmp/copy.dat"
check "cut in the data of the first CPU: the kernel is not blamed" \
	[ "$(grep -c '^contradictions: none' "$tmp/out")" = 1 ]
# folioscope record makes an instance: the table of the top buffer, which is empty, is there
damaged "cut in the last options, with an instance" record \
	'^  SALVAGED offset 405504: the table of the events of the last instances .*2 CPUs' cut 853123
damaged "cut in the data of an instance" record \
	'^  CPU_TRUNCATED offset 480000: data of 1 of 2 CPUs was found' cut 480000
SALVAGE=
run "$folioscope" report -q "$tmp/copy.dat"
expect "cut in the data of an instance: what to do" 4 'cut short: .*; try --salvage'

# all of a CPU: what an eviction and its reclaim on the other say is not doubted
tests/cli/damage.py "$traces/lazyfree.dat" "$tmp/copy.dat" spoil-chunks 811008
nr=$(trace-cmd report --cpu 0 -i "$traces/lazyfree.dat" 2> /dev/null | grep -c mm_lru_gen_evict:)
run "$folioscope" lifetimes -q "$tmp/copy.dat"
check "evicted without the other CPU: as many as were logged" \
	[ "$(awk '/^evicted / { print $2 + $4 }' "$tmp/out")" = "$nr" ]
check "evicted without the other CPU: none is without a shadow" \
	[ "$(grep -c '^reclaimed  ' "$tmp/out")" = 0 ]

# all chunks of both CPUs
tests/cli/damage.py "$traces/file.dat" "$tmp/half.dat" spoil-chunks 405504
tests/cli/damage.py "$tmp/half.dat" "$tmp/spoiled.dat" spoil-chunks 532480
says "$tmp/spoiled.dat"
expect "all chunks damaged: check" 4 '^verdict:  NOT USABLE: no lru_gen event can be read, the data is damaged'
run "$folioscope" report -q "$tmp/spoiled.dat"
expect "all chunks damaged: report" 4 'no lru_gen event can be read: 277915 bytes of 277915 are damaged'

# without an event the others are not understood: the kernel is not blamed
for event in add del update move migrate min_seq evict reclaim; do
	"$build/tracegen" -o "$tmp/without.dat" -n 20000 --drop mm_lru_gen_$event
	says "$tmp/without.dat"
	expect "without $event: named" 3 "^  NOT_RECORDED: mm_lru_gen_$event: not in the file"
	check "without $event: not called good" [ "$(grep -c '^verdict: *LOSSY' "$tmp/out")" = 1 ]
	run "$folioscope" report -q "$tmp/without.dat"
	expect "without $event: no contradiction" 3 '^contradictions: none'
	check "without $event: named in the report" \
		[ "$(grep -c "^  mm_lru_gen_$event: not in the file" "$tmp/out")" = 1 ]
	run "$folioscope" violations -q "$tmp/without.dat"
	expect "without $event: named with the violations" 3 "^  mm_lru_gen_$event: not in the file"
done
"$build/tracegen" -o "$tmp/without.dat" -n 20000 --drop mm_lru_gen_hitshield
says "$tmp/without.dat"
expect "without hitshield: named" 3 '^  NOT_RECORDED: mm_lru_gen_hitshield: not in the file$'

# what the others refuse, check does not call usable
for field in add.pfn add.site del.flags; do
	"$build/tracegen" -o "$tmp/without.dat" -n 20000 --drop-field mm_lru_gen_$field
	says "$tmp/without.dat"
	expect "without $field: check" 4 '^verdict: *NOT USABLE: an event that is needed cannot be decoded'
	run "$folioscope" report -q "$tmp/without.dat"
	expect "without $field: report" 4 "has no usable field '${field#*.}'"
done

# 31,256 chunks of one byte, none of which is followed by one: 36 s once
tests/cli/damage.py "$traces/chain.dat" "$tmp/count.dat" put32 405504 31256
tests/cli/damage.py "$tmp/count.dat" "$tmp/many.dat" fill 405508 281308 01000000001000005a
SECONDS=0
says -j1 "$tmp/many.dat"
check "thousands of chunks that are none: soon told" [ "$SECONDS" -lt 15 ]
expect "thousands of chunks that are none: named" 3 \
	'^  BAD_CHUNK CPU 0 offset 405508 281312 bytes from the beginning to the end: chunk'

# more damaged CPUs than are listed: the rest are counted
"$build/tracegen" -n 20000 -c 4600 --codec none --page 256 -o "$tmp/cpus.dat"
tests/cli/damage.py "$tmp/cpus.dat" "$tmp/bad-cpus.dat" fill 1048576 17600000 aa
says "$tmp/bad-cpus.dat"
listed=$(grep -c '^  [A-Z_]* CPU' "$tmp/out")
more=$(sed -n 's/^  and \([0-9]*\) more that are not listed$/\1/p' "$tmp/out")
check "thousands of damaged CPUs: each is listed or counted" \
	[ "$((listed + more))" -eq "$((17600000 / 4096 + 1))" ]
run "$folioscope" report -q "$tmp/bad-cpus.dat"
expect "and the report counts them" 3 "^  and $((listed + more - 5)) more, see folioscope check"
done_testing
