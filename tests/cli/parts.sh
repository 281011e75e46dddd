#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope hitshield and lazyfree on real recordings.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

lazyfree=$traces/lazyfree.dat
check "the recording is there" [ -s "$lazyfree" ]

run "$folioscope" lazyfree -q "$lazyfree"
expect "lazyfree: what became of them" 0 '^marked +[1-9][0-9]* folios'
expect "lazyfree: order" 0 '^V4 order of freeing against marking'
expect "lazyfree: delays" 0 '^  freed +[1-9][0-9]* +[0-9]'
expect "lazyfree: by lruvec" 0 '^[0-9]+ +0 +[1-9][0-9]* +[1-9][0-9]* .* [+-][01]\.[0-9]{3}$'
check "lazyfree: at most 75 columns" awk 'length($0) > 75 { print; exit 1 }' "$tmp/out"
# the shares of the lruvecs are the whole
marked=$(sed -n 's/^marked *\([0-9]*\) folios.*/\1/p' "$tmp/out")
shares=$(awk '/^memcg/ { on = 1; next } /^$/ { on = 0 } on && /^[0-9]/ { sum += $3 } END { print sum }' \
	"$tmp/out")
check "lazyfree: the lruvecs have all marks" [ "$marked" -eq "$shares" ]

run "$folioscope" hitshield -q "$lazyfree"
expect "hitshield: a kernel without one" 0 '^no hitshield event'
run "$folioscope" report -q --only hitshield "$lazyfree"
expect "hitshield: a part of the report" 0 '^no hitshield event'

for command in lazyfree hitshield; do
	run "$folioscope" $command "$tmp/none.dat"
	expect "$command: no such file" 4 'o such file'
	run "$folioscope" $command "$lazyfree" "$lazyfree"
	expect "$command: two recordings" 2 'one recording'
done
done_testing
