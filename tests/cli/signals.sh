#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Interrupted, cut off, watched and measured.
# shellcheck source=tests/cli/lib.sh disable=SC2154
. tests/cli/lib.sh

# long enough to be interrupted
big=$tmp/big.dat
check "a recording is written" "$build/tracegen" -o "$big" -n 1500000 --folios 50000

# interrupt COMMAND...: send SIGINT while it reads, sooner or later until it says on
# either stream that it was interrupted; sets status
interrupt()
{
	local delay pid
	for delay in 0.3 0.2 0.15 0.08 0.6 0.05 0.03; do
		"$@" > "$tmp/out" 2> "$tmp/err" &
		pid=$!
		sleep $delay
		kill -INT $pid 2> /dev/null
		wait $pid
		status=$?
		cat "$tmp/out" "$tmp/err" | grep -qE 'PARTIAL|[Ii]nterrupted' && return
	done
}

interrupt "$folioscope" report -j 1 "$big"
expect "SIGINT: the report so far, marked" 3 '^PARTIAL: interrupted'
expect "SIGINT: the analyses are there" 3 '^Lifetimes|lives; began'
nr=$(sed -n 's/^\([0-9]*\) lives; began.*/\1/p' "$tmp/out")
all=$("$folioscope" report -q "$big" | sed -n 's/^\([0-9]*\) lives; began.*/\1/p')
check "SIGINT: fewer lives ($nr) than there are ($all)" test "${nr:-0}" -lt "${all:-0}"
interrupt "$folioscope" check -j 1 "$big"
expect "SIGINT: check says so" 3 'verdict: +PARTIAL'

# What was not read is not said to be missing from the file.
wide=$tmp/wide.dat
check "a recording of many folios is written" "$build/tracegen" -o "$wide" -n 2500000 --folios 2400000
interrupt "$folioscope" lists -q -j 1 "$wide"
expect "SIGINT: lists are marked" 3 '^# PARTIAL: interrupted, the rest of the file was not read$'
interrupt "$folioscope" lists -q -j 1 --at 1000s "$wide"
expect "SIGINT: lists --at: the file is not said to end" 1 'was read, until it was interrupted, to [0-9.]+s after'
interrupt "$folioscope" folio -q -j 1 "$wide" 0xfffffffff
expect "SIGINT: folio: no claim about the file" 1 'interrupted, no event of pfn 0xfffffffff up to then$'
interrupt "$folioscope" lifetimes -q -j 1 --memcg 7 "$wide"
expect "SIGINT: lifetimes --memcg: neither" 1 'interrupted, no event of memcg 7 up to then$'
interrupt "$folioscope" heatmap -q -j 1 -o "$tmp/heat.svg" "$wide"
expect "SIGINT: a picture is of what was read" 3 '^PARTIAL: interrupted'
check "SIGINT: its title says so" grep -q 'accessed, partial: interrupted</title>' "$tmp/heat.svg"

# cut_off [ignored]: the reader of the output goes; sets status and err
cut_off()
{
	(
		if [ $# -gt 0 ]; then
			trap '' PIPE
		else
			trap - PIPE
		fi
		"$folioscope" lifetimes -q -n 0 -f csv "$big" 2> "$tmp/err" | head -1 > /dev/null
		echo "${PIPESTATUS[0]}" > "$tmp/status"
	)
	status=$(cat "$tmp/status")
}

cut_off
check "SIGPIPE: ends by it or as failed (status $status)" test "$status" -eq 141 -o "$status" -eq 1
check "SIGPIPE: not a word" test ! -s "$tmp/err"
cut_off ignored
check "EPIPE: status 1" test "$status" -eq 1
check "EPIPE: not a word" test ! -s "$tmp/err"

# a terminal on standard error
terminal()
{
	script -qec "$* > /dev/null" /dev/null < /dev/null > "$tmp/terminal" 2>&1
}
# long enough that there is some to show on any machine
long=$tmp/long.dat
check "a longer one is written" "$build/tracegen" -o "$long" -n 6000000 --folios 20000
terminal "$folioscope" report -j 1 "$long"
check "progress: percent, MB/s, events/s" grep -Eq '[0-9]+%  [0-9]+ MB/s  [0-9.]+ M events/s' "$tmp/terminal"
terminal "$folioscope" report -q -j 1 "$long"
check "progress: none with -q" test ! -s "$tmp/terminal"
run "$folioscope" report -j 1 "$long"
check "progress: none without a terminal" test ! -s "$tmp/err"

for command in report check violations hitshield lazyfree; do
	run "$folioscope" $command --stats "$big"
	expect "$command --stats: speed" "$status" '^stats: 1500000 records in [0-9.]+ s, .*M/s'
	expect "$command --stats: bytes" "$status" '^stats: [0-9.]+ bytes a record in the file, [0-9.]+ inflated'
	expect "$command --stats: memory" "$status" '^stats: peak memory [0-9.]+ MiB'
done

# Memory depends on folios, not on events: ten times as many, a tenth more at most.
peak()
{
	"$folioscope" report --stats -j 2 "$1" 2>&1 > /dev/null |
		sed -n 's/^stats: peak memory \([0-9.]*\) MiB.*/\1/p'
}
check "a shorter one is written" "$build/tracegen" -o "$tmp/small.dat" -n 600000 --folios 20000
small=$(peak "$tmp/small.dat")
large=$(peak "$long")
check "memory: $small MiB for 0.6 M events, $large MiB for 6 M" \
	awk "BEGIN { exit !($small > 0 && $large <= 1.1 * $small) }"
done_testing
