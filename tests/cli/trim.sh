#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope trim: what happens after a cut is the same in the part, and trace-cmd
# reads it.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python=/usr/bin/python3

events() { trace-cmd report -N "$1" 2> /dev/null | grep ' mm_lru_gen_\|^CPU'; }
duration() { "$folioscope" report -q -f json "$1" |
	$python -c 'import json, sys
print(json.load(sys.stdin)["tables"]["recording"][0]["duration_ns"] * int(sys.argv[1]) // 100)' "$2"; }

file=$traces/chain.dat
run "$folioscope" trim -q -o "$tmp/all.dat" "$file"
expect "all of it" 0 'records$'
events "$file" > "$tmp/a"
events "$tmp/all.dat" > "$tmp/b"
check "trace-cmd reads the same events from it" cmp "$tmp/a" "$tmp/b"
run "$folioscope" check -q "$tmp/all.dat"
expect "it is good" 0 'verdict:  GOOD'

from=$(duration "$file" 30)
to=$(duration "$file" 60)
run "$folioscope" trim -q --from "${from}ns" --to "${to}ns" -o "$tmp/part.dat" "$file"
expect "a part of it" 0 'with the state at the cut'
run "$folioscope" check -q "$tmp/part.dat"
expect "it is good too" 0 'verdict:  GOOD'
events "$tmp/part.dat" > "$tmp/b"
inside()
{
	[ "$(wc -l < "$tmp/b")" -gt 1000 ] && [ "$(wc -l < "$tmp/b")" -lt "$(wc -l < "$tmp/a")" ] &&
		# a stretch of the whole, without a hole
		$python -c 'import sys
a, b = (open(p).read() for p in sys.argv[1:])
assert b in a' "$tmp/a" "$tmp/b"
}
check "trace-cmd reads the events between from it, and no others" inside

for trace in chain lazyfree thp migrate; do
	for percent in 20 65; do
		same()
		{
			rm -f "$tmp"/*.db
			"$folioscope" export -q --sqlite "$tmp/whole.db" "$traces/$trace.dat" &&
				"$folioscope" trim -q --from "$(duration "$traces/$trace.dat" $percent)ns" \
					-o "$tmp/part.dat" "$traces/$trace.dat" &&
				"$folioscope" export -q --sqlite "$tmp/part.db" "$tmp/part.dat" &&
				$python tests/cli/trim-compare.py "$tmp/whole.db" "$tmp/part.db"
		}
		check "$trace, cut at $percent %: the same lives, stays and violations" same
	done
done
for trace in file memcgs; do
	cut=$(duration "$traces/$trace.dat" 40)
	survival()
	{
		rm -f "$tmp/s.db"
		"$folioscope" export -q --sqlite "$tmp/s.db" "$traces/$trace.dat" &&
			"$folioscope" trim -q --from "${cut}ns" -o "$tmp/part.dat" "$traces/$trace.dat" &&
			"$folioscope" report -q -f json "$tmp/part.dat" > "$tmp/part.json" &&
			$python tests/cli/trim-survival.py "$tmp/s.db" "$tmp/part.json"
	}
	check "$trace: the survival of folios is theirs from the cut on" survival
done
"$folioscope" trim -q --no-state --from "${from}ns" -o "$tmp/part.dat" "$traces/chain.dat" > /dev/null
"$folioscope" export -q --sqlite "$tmp/w.db" "$traces/chain.dat"
"$folioscope" export -q --sqlite "$tmp/p.db" "$tmp/part.dat"
check "without the state they are not" \
	sh -c "! $python tests/cli/trim-compare.py '$tmp/w.db' '$tmp/p.db'"

memcg=$("$folioscope" lifetimes -q -f csv "$traces/memcgs.dat" | awk -F, 'NR > 1 { n[$3]++ }
	END { for (m in n) if (m > 1) print n[m], m }' | sort -n | tail -1 | cut -d' ' -f2)
run "$folioscope" trim -q --memcg "$memcg" -o "$tmp/memcg.dat" "$traces/memcgs.dat"
expect "one memcg" 0 'records'
events "$tmp/memcg.dat" > "$tmp/b"
check "has its events" [ "$(grep -c " memcg=$memcg " "$tmp/b")" -gt 100 ]
check "and all of them" [ "$(grep -c " memcg=$memcg " "$tmp/b")" -eq \
	"$(events "$traces/memcgs.dat" | grep -c " memcg=$memcg ")" ]
run "$folioscope" report -q "$tmp/memcg.dat"
check "which its report says" grep -q "^FILTERED: only memcg $memcg:" "$tmp/out"
check "and no others" sh -c "! grep mm_lru_gen_ '$tmp/b' | grep -v ' memcg=$memcg '"
pfn=$("$folioscope" lifetimes -q -f csv -n 1 -s -evictions "$file" | awk -F, 'NR == 2 { print $2 }')
run "$folioscope" trim -q --pfn "$pfn" -o "$tmp/pfn.dat" "$file"
expect "one page frame" 0 'records'
hex=$(printf 0x%x "$pfn")
check "has all of its events" [ "$(events "$tmp/pfn.dat" | grep -c " pfn=$hex ")" -eq \
	"$(grep -c " pfn=$hex " "$tmp/a")" ]
check "and is small" [ "$(stat -c %s "$tmp/pfn.dat")" -lt $(($(stat -c %s "$file") * 6 / 10)) ]

events "$traces/v6.dat" > "$tmp/a"
run "$folioscope" trim -q -o "$tmp/v6.dat" "$traces/v6.dat"
expect "version 6" 0 'records$'
events "$tmp/v6.dat" > "$tmp/b"
check "trace-cmd reads the same events from it" cmp "$tmp/a" "$tmp/b"
from=$(duration "$traces/v6.dat" 40)
"$folioscope" export -q --sqlite "$tmp/w6.db" "$traces/v6.dat"
run "$folioscope" trim -q --from "${from}ns" -o "$tmp/part6.dat" "$traces/v6.dat"
expect "a part of version 6" 0 'with the state at the cut'
"$folioscope" export -q --sqlite "$tmp/p6.db" "$tmp/part6.dat"
check "the same lives, stays and violations" \
	$python tests/cli/trim-compare.py "$tmp/w6.db" "$tmp/p6.db"
"$build/tracegen" -o "$tmp/instance.dat" -n 50 --format-version 6 --instance x
run "$folioscope" trim -q -o "$tmp/x.dat" "$tmp/instance.dat"
expect "version 6 with an instance is refused, with what to do" 4 'trace-cmd convert'
check "and nothing is left" [ ! -e "$tmp/x.dat" ]
run "$folioscope" trim -q --from 1h -o "$tmp/x.dat" "$file"
expect "a time that is none" 2 "'1h' is no time"
run "$folioscope" trim -q --from 1000s -o "$tmp/x.dat" "$file"
expect "a time behind the end" 1 'nothing is at or after --from'
run "$folioscope" trim -q "$file"
expect "no output" 2 'where to'
run "$folioscope" trim -q -o "$file" "$file"
expect "the input as output" 2 'another file'
done_testing
