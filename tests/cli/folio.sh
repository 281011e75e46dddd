#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What folioscope folio tells: each line under the heading of its life, the same
# birth as the other commands, where splits come from. Usage: folio.sh BUILDDIR
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

# births FILE PFN: what folio and lifetimes say that the lives at PFN began with.
same_births()
{
	"$folioscope" folio -q "$1" "$2" | grep -v continued |
		sed -nE "s/^life ([0-9]+) at pfn $2: .*; ([a-z_]+)( from.*)?$/\1 \2/p" > "$tmp/story"
	"$folioscope" lifetimes -q -n 0 --sort born --pfn "$2" -f csv "$1" |
		awk -F, 'NR > 1 { print $1, $8 }' > "$tmp/lives"
	"$folioscope" folio -q -f csv "$1" "$2" | tr -d '"\r' |
		awk -F, -v pfn="$(printf '%d' "$2")" '$6 == "born" && $5 == pfn {
			sub(/.*; /, ""); print }' > "$tmp/rows"
	[ -s "$tmp/story" ] && diff "$tmp/story" "$tmp/lives" &&
		diff <(cut -d' ' -f2 "$tmp/story") "$tmp/rows"
}
check "births as in lifetimes: after swap" same_births $traces/chain.dat 0xfe8d
check "births as in lifetimes: file" same_births $traces/file.dat 0x19cc

swapped_in_is_found()
{
	"$folioscope" lifetimes -q -n 0 --birth swapped_in -f csv $traces/chain.dat > "$tmp/a"
	"$folioscope" folio -q $traces/chain.dat 0xfe8d > "$tmp/b"
	[ "$(grep -c 'swapped_in$' "$tmp/b")" = "$(grep -c ',65165,' "$tmp/a")" ]
}
check "lifetimes --birth swapped_in finds what folio prints" swapped_in_is_found

# No life of this recording is swapped_in in the end; while it begins it looks so.
others_too()
{
	[ "$("$folioscope" lifetimes -q -f csv --birth swapped_in "$traces/chain.dat" | wc -l)" -eq 1 ] &&
		"$folioscope" html -q --pfn 0xfe8d -o "$tmp/page.html" "$traces/chain.dat" &&
		"$folioscope" export -q --pfn 0xfe8d --perfetto "$tmp/trace.pftrace" "$traces/chain.dat" &&
		grep -q "anon, refaulted" "$tmp/page.html" &&
		! grep -c "anon, swapped_in" "$tmp/page.html" &&
		grep -qa swapin "$tmp/trace.pftrace" && ! grep -ca swapped_in "$tmp/trace.pftrace"
}
check "HTML and Perfetto name births alike" others_too

# Events of two lives never share a heading: CSV has the life of each event, the
# text the headings.
attributed()
{
	"$folioscope" folio -q "$1" "$2" |
		awk '/^life /{ life = $2 } /^ +[0-9]+\.[0-9]+ / && !/ m(ax|in)_seq /{ print $1, life }' \
		> "$tmp/text"
	"$folioscope" folio -q -f csv "$1" "$2" |
		awk -F, 'NR > 1 && $4 != "" && $6 != "born" {
			printf "%d.%06d %s\n", $1 / 1e9, $1 % 1e9 / 1e3, $4 }' > "$tmp/rows"
	[ "$(wc -l < "$tmp/text")" -gt 20 ] && diff "$tmp/text" "$tmp/rows"
}
check "each line is under the heading of its life" attributed $traces/chain.dat 0xfe8d
run "$folioscope" folio -q $traces/chain.dat 0xfe8d
expect "a heading is repeated when the life changes" 0 '^life [0-9]+ at pfn 0x[0-9a-f]+, continued$'
expect "the columns have names" 0 '^ +seconds CPU pid +event$'
check "no step of the other type's min_seq" \
	sh -c '! grep -q "file min_seq" "$1" && grep -q "anon min_seq" "$1"' - "$tmp/out"

born_rows()
{
	"$folioscope" folio -q -f csv $traces/chain.dat 0xfe8d > "$tmp/rows"
	! grep -q 'life [0-9]* at pfn' "$tmp/rows" &&
		diff <(cut -d, -f4 "$tmp/rows" | tail -n +2 | grep . | sort -u) \
		     <(awk -F, '$6 == "born" { print $4 }' "$tmp/rows" | sort -u)
}
check "every life has a row of its birth, no heading in a text" born_rows

run "$folioscope" folio -q $traces/thp.dat 0x6d98
expect "a split says where the folio comes from" 0 \
	'^life 10853 at pfn 0x6d98: .*; split( from pfn 0x6d90 \(life 5302\))?$'
check "in the same words on one line or two" sh -c \
	'tr -s " \n" " " < "$1" | grep -q "; split from pfn 0x6d90 (life 5302)"' - "$tmp/out"
run "$folioscope" folio -q $traces/thp.dat 0x6d90
expect "and the folio is there" 0 '^life 5302 at pfn 0x6d90'

# A folio that is protected although its tier is not above the limit.
protected()
{
	local pfn

	pfn=$("$folioscope" export -q --sqlite "$tmp/x.db" $traces/file.dat &&
	      python3 - "$tmp/x.db" <<-'END'
		import sqlite3, sys
		row = sqlite3.connect(sys.argv[1]).execute("select pfn from events where"
			" site = 'sort_protected' limit 1").fetchone()
		print(row[0] if row else "")
	END
	)
	[ -n "$pfn" ] || { echo "no protected folio in the recording"; return 1; }
	"$folioscope" folio -q $traces/file.dat "$pfn" | tr -s ' \n' ' ' > "$tmp/story"
	grep -oE 'sort_protected: [^;]*; [^;]*' "$tmp/story" | sort -u > "$tmp/lines"
	[ -s "$tmp/lines" ] && ! grep -vE 'tail, place [~0-9]+ of [0-9]+; protected: refs [0-9]+ (make tier|are all)' "$tmp/lines"
}
check "a protected folio says why" protected

run "$folioscope" folio $traces/file.dat
expect "a file without a PFN asks for the PFN" 2 'which PFN of tests/traces/file.dat'

done_testing
