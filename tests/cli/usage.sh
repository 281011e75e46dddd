#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Help, version and wrong usage.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

commands=$("$folioscope" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
check "there are commands" [ "$(echo "$commands" | wc -w)" -ge 5 ]

run "$folioscope"
expect "no command: help on stderr" 2 '^Usage: folioscope COMMAND'
check "no command: nothing on stdout" [ -z "$out" ]
run "$folioscope" --help
expect "--help" 0 '^Usage: folioscope COMMAND'
run "$folioscope" --version
expect "--version names libraries" 0 'zstd [0-9.]+'
run "$folioscope" lifetime
expect "a mistyped command gets a suggestion" 2 'did you mean lifetimes'
run "$folioscope" frobnicate
expect "an unknown command" 2 "no command is called 'frobnicate'"
check "an unknown command: one line" [ "$(echo "$err" | wc -l)" -eq 1 ]

for command in $commands; do
	run "$folioscope" "$command" --help
	expect "$command --help" 0 "^Usage: folioscope $command"
	check "$command --help fits a screen" [ "$(echo "$out" | wc -l)" -le 25 ]
	check "$command --help has lines of at most 75 columns" \
		[ "$(echo "$out" | awk 'length > 75' | wc -l)" -eq 0 ]
	cp "$tmp/out" "$tmp/help"
	run "$folioscope" -h "$command"
	check "-h $command is the same" cmp "$tmp/out" "$tmp/help"
	check "$command --help: nothing on stderr" [ -z "$err" ]
	run "$folioscope" "$command" --no-such-option
	expect "$command: unknown option" 2 "$command --help"
	check "$command: every line of the complaint has the whole name" \
		[ -z "$(echo "$err" | grep -v "^folioscope $command")" ]
	check "$command: unknown option: nothing on stdout" [ -z "$out" ]
done

run "$folioscope" report -j 0 x
expect "-j 0" 2 'from 1 to 1024'
run "$folioscope" report a b
expect "two recordings" 2 'one recording'
run "$folioscope" report --only nothing x
expect "--only of an unknown part" 2 "called 'nothing'"
# a memcg that is not there
for command in "lists" "trim -o $tmp/trimmed.dat" "lifetimes"; do
	# shellcheck disable=SC2086
	run "$folioscope" $command -q --memcg 999 "$traces/memcgs.dat"
	expect "${command%% *}: an unknown memcg" 1 'no event of memcg 999; there are 1, 55, 93'
	check "${command%% *}: nothing else is said" [ -z "$out" ]
done
check "trim: nothing is written for it" [ ! -e "$tmp/trimmed.dat" ]
run "$folioscope" lists -q --at 1ms --memcg 321 "$traces/memcgs.dat"
expect "lists: a memcg that was not made yet" 1 'memcg 321 has no lists then'

# an output without a name, and binary data for a terminal
for option in "html -o" "trim -o" "export --sqlite" "export --jsonl" "export --csv"; do
	# shellcheck disable=SC2086
	run "$folioscope" $option "" -q "$traces/noswap.dat"
	expect "$option ''" 2 'the name of the output is empty'
	check "$option '': nothing on stdout" [ -z "$out" ]
done
for option in "trim -o" "export --sqlite" "export --perfetto"; do
	script -qec "TERM=xterm PAGER=cat '$folioscope' $option - -q '$traces/noswap.dat'" /dev/null \
		< /dev/null > "$tmp/terminal" 2>&1
	check "$option - on a terminal" grep -q 'binary data' "$tmp/terminal"
	script -qec "env -u PAGER TERM=xterm '$folioscope' $option - -q '$traces/noswap.dat'" /dev/null \
		< /dev/null > "$tmp/terminal" 2>&1
	check "$option - on a terminal with a pager" grep -q 'binary data' "$tmp/terminal"
done

run "$folioscope" folio
expect "folio without a PFN" 2 'which PFN'
run "$folioscope" folio x.dat twelve
expect "folio with a word for a PFN" 2 "'twelve' is not a page frame number"
for option in --pfn=x --pfn=5-4 --memcg=x --type=x --birth=x --end=x --sort=x -nx --format=x; do
	run "$folioscope" lifetimes "$option" x.dat
	expect "lifetimes $option" 2 'lifetimes --help'
done
# -i names the recording, and an argument another
for command in check report lifetimes violations hitshield lazyfree lists heatmap html export trim folio; do
	run "$folioscope" "$command" -i x.dat y.dat 12
	expect "$command -i and another recording" 2 "^folioscope $command: one recording"
done
run "$folioscope" folio -q -i "$traces/chain.dat" 0xfe8d
expect "folio -i FILE PFN" 0 '^life 2033 at pfn 0xfe8d'
run "$folioscope" verify -q -i "$traces/lists.dat" "$traces/lists/after"
expect "verify -i FILE SNAPSHOT" 0 '^lists: [1-9][0-9]* with [1-9][0-9]* folios compared'
run "$folioscope" violations -n 11 x.dat
expect "violations -n 11" 2 'from 1 to 10'

cd "$tmp" || exit
run "$folioscope" report
cd "$OLDPWD" || exit
expect "trace.dat is the default" 4 'trace.dat'

run sh -c "'$folioscope' --help > /dev/full"
expect "a full disk is reported" 1 'cannot write'
done_testing
