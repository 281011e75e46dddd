#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Bad input: one line that names the cause, and the right status, from every
# command that reads a recording.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

good=$traces/chain.dat
check "the recording is there" [ -s "$good" ]

: > "$tmp/empty.dat"
echo "just some text, not a trace" > "$tmp/text.dat"
head -c 100000 /dev/urandom > "$tmp/random.dat"
mkdir "$tmp/folder"
size=$(stat -c %s "$good")
head -c $((size / 2)) "$good" > "$tmp/half.dat"
head -c $((size - 300)) "$good" > "$tmp/cut.dat"
head -c 8 "$good" > "$tmp/eight.dat"
head -c 600 "$good" > "$tmp/head.dat"

for command in report lifetimes violations "folio"; do
	pfn=
	[ "$command" = folio ] && pfn=0x1000
	try()
	{
		local name=$1 file=$2 want=$3 pattern=$4
		# shellcheck disable=SC2086
		run "$folioscope" "$command" "$file" $pfn
		expect "$command: $name" "$want" "$pattern"
		check "$command: $name: one line" [ "$(echo "$err" | wc -l)" -eq 1 ]
		check "$command: $name: names the file" grep -qF "$file" "$tmp/err"
		check "$command: $name: nothing on stdout" [ -z "$out" ]
	}
	try "no such file" "$tmp/none.dat" 4 'o such file'
	try "an empty file" "$tmp/empty.dat" 4 'empty'
	try "a text file" "$tmp/text.dat" 4 'text'
	try "random bytes" "$tmp/random.dat" 4 'not a trace-cmd recording'
	try "a folder" "$tmp/folder" 4 'directory'
	try "cut in half" "$tmp/half.dat" 4 'cut short|salvage'
	try "cut by 300 bytes" "$tmp/cut.dat" 4 'cut short|salvage'
	try "eight bytes" "$tmp/eight.dat" 4 'cut short|not a trace-cmd'
	try "only the header" "$tmp/head.dat" 4 'cut short'
	# report has something to say of such a recording: stock.sh
	[ "$command" = report ] ||
		try "no lru_gen events" "$traces/no-lru-gen.dat" 4 'no lru_gen events.*trace-cmd record'
done

# what has no end, or waits for a writer, in the place of a text
mkfifo "$tmp/fifo"
mkdir "$tmp/zeros"
ln -s /dev/zero "$tmp/zeros/lru_gen"
endless()
{
	local name=$1 file=$2
	shift 2
	run timeout 20 "$folioscope" "$@"
	expect "$name" 4 "$file: is not a regular file"
}
endless "compare: a FIFO" "$tmp/fifo" compare "$tmp/fifo" --with "$good"
endless "compare: a FIFO as the patch" "$tmp/fifo" compare "$good" --with "$tmp/fifo"
endless "compare: /dev/zero" /dev/zero compare /dev/zero --with /dev/zero
endless "lists: like a FIFO" "$tmp/fifo" lists --like "$tmp/fifo" "$good"
endless "verify: /dev/zero for lru_gen" "$tmp/zeros/lru_gen" verify -q "$good" "$tmp/zeros"

run "$folioscope" report -
expect "standard input" 4 '^folioscope: -: no such file; .* which standard input cannot do$'
run "$folioscope" folio "$good" 0xfffffffff
expect "a PFN that never was" 1 'no event of pfn 0xfffffffff'
check "a PFN that never was: one line" [ "$(echo "$err" | wc -l)" -eq 1 ]
run "$folioscope" folio "$good" 0x1000000000000
expect "an impossible PFN" 1 'no event of pfn'
done_testing
