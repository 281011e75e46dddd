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

# As published: at the fourth update, one generation, and it survives an add.
shield=$traces/hitshield.dat
run "$folioscope" hitshield -q "$shield"
expect "hitshield: updates" 0 '^updates counted +[1-9][0-9]* '
expect "hitshield: of isolated folios" 0 '^  while the folio was isolated +[1-9]'
granted=$(sed -n -E 's/^shields granted +([0-9]+)$/\1/p' "$tmp/out")
expect "hitshield: all at the fourth update" 0 "^  at update 4 +$granted +0x"
expect "hitshield: survived an add" 0 '^  survived that the folio was added again +[1-9]'
spent=$(sed -n -E 's/^shields spent +([0-9]+)$/\1/p' "$tmp/out")
expect "hitshield: each gained one generation" 0 "^  gained 1 generation +$spent +0x"
theirs=$(trace-cmd report "$shield" 2> /dev/null | awk '
	/ mm_lru_gen_hitshield:/ { granted += / cause=granted/; spent += / cause=spent/ }
	END { print granted + 0, spent + 0 }')
check "hitshield: as many shields as trace-cmd has events" [ "$theirs" = "$granted $spent" ]
others=$(sed -n -E 's/^  (to a folio that had one already|never spent before the folio went|not spent yet at the end) +([0-9]+).*/\2/p' \
	"$tmp/out")
# shellcheck disable=SC2086 # numbers
check "hitshield: what was granted was spent, or is one of these" \
	[ "$granted" -eq $((spent + $(echo $others | tr ' ' +))) ]

# With lists of their own lazyfree folios are freed in the order of marking.
lists=$traces/lazyfree-list.dat
run "$folioscope" lists -q --at 2.81 "$lists"
expect "lazyfree: lists of their own" 0 '^ .*lazyfree'
run "$folioscope" lazyfree -q "$lists"
freed=$(sed -n -E 's/^  freed by reclaim +([0-9]+) .*/\1/p' "$tmp/out")
theirs=$(trace-cmd report "$lists" 2> /dev/null | grep -c ' mm_lru_gen_lazyfree:.* stage=freed')
check "lazyfree: as many freed from them as trace-cmd has events" [ "$theirs" = "$freed" ]

for command in lazyfree hitshield; do
	run "$folioscope" $command "$tmp/none.dat"
	expect "$command: no such file" 4 'o such file'
	run "$folioscope" $command "$lazyfree" "$lazyfree"
	expect "$command: two recordings" 2 'one recording'
done
done_testing
