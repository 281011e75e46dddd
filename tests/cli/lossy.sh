#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A recording with a buffer far too small: lossy.sh BUILD [DIR]. What was lost is
# told as the kernel and trace-cmd count it, what remains is told too, and
# nothing of it contradicts the kernel. DIR has trace.dat and what the kernel
# said (default: the bundled one).
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
dir=${2:-$traces/lossy}
trace=$dir/trace.dat

# number PATTERN: its first group in the output of the last run.
number()
{
	sed -n -E "s/.*$1.*/\1/p" "$tmp/out" | head -n1
}

# in "cpu0: entries=0 overrun=4846 dropped=0 read=25365"
sed -n -E 's/^cpu([0-9]+): .* overrun=([0-9]+) dropped=([0-9]+) .*/\1 \2 \3/p' \
	"$dir/meta" > "$tmp/kernel"
total=$(awk '{ n += $2 + $3 } END { print n + 0 }' "$tmp/kernel")
check "the kernel overwrote events" [ "$total" -gt 0 ]

run "$folioscope" check -q "$trace"
expect "check: lossy" 3 '^verdict: +LOSSY'
trace-cmd report -i "$trace" 2> /dev/null |
	sed -n -E 's/^CPU:([0-9]+) \[([0-9]+) EVENTS DROPPED\].*/\1 \2/p' > "$tmp/dropped"
# Where a sub-buffer is full to the end the kernel can note that events were lost before
# it, but not how many. They are the rest of what it counts for that CPU.
lost=0 full=
while read -r cpu overrun dropped; do
	ours=$(number "^CPU $cpu: lost ([0-9]+) events")
	lost=$((lost + ours))
	if [ -n "$(number "^CPU $cpu: lost [0-9]+ events and ([0-9]+) times? an unknown number")" ]; then
		full=', and [1-9][0-9]* times? an unknown number'
		check "CPU $cpu: lost fewer than the kernel counts, as their number is not everywhere known" \
			[ "$ours" -lt $((overrun + dropped)) ]
	else
		check "CPU $cpu: lost as many as the kernel counts" [ "$ours" = $((overrun + dropped)) ]
	fi
	check "CPU $cpu: and as many as trace-cmd reports" [ "$ours" = \
		"$(awk -v cpu="$cpu" '$1 == cpu { n += $2 } END { print n + 0 }' "$tmp/dropped")" ]
done < "$tmp/kernel"

run "$folioscope" report -q "$trace"
expect "report: the loss" 3 "^LOST: $lost events$full; the kernel counts $total\$"
expect "report: what was cut" 3 '^  [1-9][0-9]* lives were cut; nothing is claimed across a loss'
expect "report: what is proved" 3 '^  proved all the same: [1-9][0-9]* lives from beginning to end'
expect "report: no contradiction" 3 '^contradictions: none'
sed -n '/^lru_gen events/,/^other/p' "$tmp/out" | grep '^ ' | xargs -n 2 | sort > "$tmp/ours"
trace-cmd report -R "$trace" 2> /dev/null |
	sed -n 's/.* mm_lru_gen_\([a-z_]*\):.*/\1/p' | sort | uniq -c |
	awk '{ print $2, $1 }' | sort > "$tmp/theirs"
check "the events that remain are those of trace-cmd report" diff "$tmp/theirs" "$tmp/ours"

run "$folioscope" verify -q --before "$dir/before" "$trace" "$dir/after"
expect "verify: the loss" 3 "^LOST: $lost events$full"
expect "verify: no contradiction" 3 '^contradictions: none'
expect "verify: the reason of each difference" 3 'counters compared, 0 differ without a reason; [1-9]'
expect "verify: no size differs" 3 '^[0-9]+ cells compared, 0 differ'
# shellcheck disable=SC2016 # awk's
# name, kernel, ours, difference: what was lost was not counted, nothing else
check "verify: no counter has more than the kernel's" awk '
	{ sub(/  events were lost$/, "") }
	NF >= 4 && $NF ~ /^[-+]?[0-9]+$/ && $(NF - 1) ~ /^[0-9]+$/ && $(NF - 2) ~ /^[0-9]+$/ {
		nr++
		if ($(NF - 1) > $(NF - 2)) { print; bad = 1 }
	}
	END { exit bad || !nr }' "$tmp/out"

run "$folioscope" violations -q "$trace"
expect "violations: the loss" 3 '^LOST: '
done_testing
