#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What text looks like: width, colours, pager.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
esc=$(printf '\033')

plain()	# plain NAME STATUS COMMAND...: ASCII, no colour, at most 75 columns
{
	local name=$1 expected=$2
	shift 2
	run "$@"
	check "$name: exit $expected" [ "$status" -eq "$expected" ]
	check "$name: is not empty" [ -s "$tmp/out" ]
	check "$name: at most 75 columns" awk 'length > 75 { print NR ": " $0; bad = 1 }
		END { exit bad }' "$tmp/out"
	check "$name: no blanks at the end of a line" sh -c "! grep -n ' $' '$tmp/out'"
	check "$name: ASCII without control characters" sh -c "! LC_ALL=C grep -n '[^ -~]' '$tmp/out'"
}

for file in "$traces"/*.dat; do
	name=$(basename "$file" .dat)
	case $name in no-lru-gen | stock) continue ;; esac
	for command in report violations lifetimes check lazyfree hitshield heatmap; do
		plain "$name: $command" 0 "$folioscope" $command -q "$file"
	done
	plain "$name: lifetimes, sorted" 0 "$folioscope" lifetimes -q -s -lived -n 500 "$file"
	# the folios with the longest stories
	for pfn in $("$folioscope" lifetimes -q -f csv -n 3 -s -evictions "$file" |
			awk -F, 'NR > 1 { print $2 }' | tr -d '\r'); do
		plain "$name: folio $pfn" 0 "$folioscope" folio -q "$file" "$pfn"
	done
done

plain "no-lru-gen: check" 4 "$folioscope" check -q "$traces/no-lru-gen.dat"
plain "report --explain" 0 "$folioscope" report --explain

file=$traces/chain.dat
# on_terminal ROWS COMMAND: run it on a terminal of so many rows
on_terminal()
{
	timeout 20 script -qec "stty rows $1 cols 80; $2" /dev/null < /dev/null > "$tmp/out" 2>&1
	status=$?
}
has_colour() { grep -q "$esc\[1m" "$tmp/out"; }
no_colour() { ! grep -q "$esc" "$tmp/out"; }

on_terminal 1000 "env -u NO_COLOR -u PAGER TERM=xterm $folioscope report -q $file"
check "colour on a terminal" has_colour
check "status on a terminal" [ "$status" -eq 0 ]
on_terminal 1000 "env NO_COLOR=1 TERM=xterm $folioscope report -q $file"
check "NO_COLOR is honoured" no_colour
on_terminal 1000 "env -u NO_COLOR TERM=dumb $folioscope report -q $file"
check "a dumb terminal has no colour" no_colour
on_terminal 1000 "env NO_COLOR=1 TERM=xterm $folioscope report -q --color always $file"
check "--color always wins over NO_COLOR" has_colour
on_terminal 1000 "env -u NO_COLOR TERM=xterm $folioscope report -q --color=never $file"
check "--color=never on a terminal" no_colour
run "$folioscope" report -q --color=always "$file"
check "--color=always in a pipe" has_colour
run "$folioscope" report -q --color=green "$file"
expect "an unknown --color" 2 'auto, always or never'

on_terminal 10 "env TERM=xterm PAGER='sed s/^/paged:/' $folioscope report -q $file"
check "long text goes through the pager" grep -q '^paged:' "$tmp/out"
on_terminal 1000 "env TERM=xterm PAGER='sed s/^/paged:/' $folioscope report -q $file"
check "text that fits does not" sh -c "! grep -q '^paged:' '$tmp/out' && [ -s '$tmp/out' ]"
on_terminal 10 "env TERM=xterm PAGER=cat NO_COLOR=1 $folioscope report -q $file"
tr -d '\r' < "$tmp/out" > "$tmp/cat"
"$folioscope" report -q "$file" > "$tmp/piped"
check "the text is the same on a terminal" diff "$tmp/piped" "$tmp/cat"
for pager in /does/not/exist /etc/passwd /tmp ' '; do
	on_terminal 10 "env TERM=xterm PAGER='$pager' $folioscope report -q $file"
	check "PAGER='$pager', which is none, loses nothing" \
		grep -q '^lru_gen events, by kind' "$tmp/out"
done
on_terminal 10 "env TERM=xterm PAGER='sed s/^/paged:/' $folioscope report /does/not/exist"
check "an error is not paged" sh -c "! grep -q '^paged:' '$tmp/out'"
check "an error keeps its status" [ "$status" -eq 4 ]

run "$folioscope"
expect "without a command: what to do" 2 'Usage: folioscope COMMAND'
mkdir "$tmp/dir"
cp "$file" "$tmp/dir/trace.dat"
program=$(realpath "$folioscope")
run sh -c "cd '$tmp/dir' && '$program'"
expect "and that there is a recording here" 2 'try folioscope report'
run sh -c "cd '$tmp/dir' && '$program' report"
expect "the recording here is the default" 0 '^recording:   trace.dat'
run "$folioscope" reprot "$file"
expect "a mistyped command" 2 'did you mean report'
done_testing
