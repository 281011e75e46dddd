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
for part in "file --from 2s" "memcgs --from 2500ms" "hitshield --from 2500ms" \
	"migrate --from 2s --to 4s"; do
	read -r trace range <<< "$part"
	survival()
	{
		rm -f "$tmp/s.db"
		# shellcheck disable=SC2086 # the range is words
		"$folioscope" export -q --sqlite "$tmp/s.db" "$traces/$trace.dat" &&
			"$folioscope" trim -q $range -o "$tmp/part.dat" "$traces/$trace.dat" &&
			"$folioscope" report -q -f json "$tmp/part.dat" > "$tmp/part.json" &&
			$python tests/cli/trim-survival.py "$tmp/s.db" "$tmp/part.json"
	}
	check "$trace $range: the survival of folios is theirs in that time" survival
done
for cut in lazyfree:4900 hitshield:2500; do
	trace=${cut%:*}
	refaults()
	{
		rm -f "$tmp/r.db"
		"$folioscope" export -q --sqlite "$tmp/r.db" "$traces/$trace.dat" &&
			"$folioscope" trim -q --from "${cut#*:}ms" -o "$tmp/part.dat" "$traces/$trace.dat" &&
			"$folioscope" report -q -f json "$tmp/part.dat" > "$tmp/part.json" &&
			$python tests/cli/trim-refaults.py "$tmp/r.db" "$tmp/part.json"
	}
	check "$trace: refaults and V5 are of evictions in the part" refaults
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
expect "says that lives have other numbers" 0 '^lives that begin in them have other numbers'
numbers() { "$folioscope" lifetimes -q -f csv "$@" 2> /dev/null | cut -d, -f1,2,9 | sort; }
other_numbers()
{
	numbers --memcg "$memcg" "$traces/memcgs.dat" > "$tmp/a.csv"
	numbers "$tmp/memcg.dat" > "$tmp/b.csv"
	! cmp "$tmp/a.csv" "$tmp/b.csv"
}
check "which is so" other_numbers
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
# what stays is seen up to the end of the whole; columns up to nr_isolated, for the
# page of a folio may have been elsewhere before
lives() { "$folioscope" lifetimes -q -f csv "$@" 2> /dev/null | cut -d, -f2-14 | sort; }
same_lives()
{
	lives "$1" "$2" "$3" > "$tmp/a.csv"
	lives "$4" > "$tmp/b.csv"
	[ "$(wc -l < "$tmp/b.csv")" -gt "$5" ] && cmp "$tmp/a.csv" "$tmp/b.csv"
}
check "the lives of one memcg are those of the whole" \
	same_lives --memcg "$memcg" "$traces/memcgs.dat" "$tmp/memcg.dat" 1000
block=$((pfn / 512 * 512))
check "and those of the page frames" \
	same_lives --pfn $block-$((block + 511)) "$file" "$tmp/pfn.dat" 50
"$folioscope" trim -q --pfn "$pfn" --to 5s -o "$tmp/part5.dat" "$file" > /dev/null
"$folioscope" trim -q --to 5s -o "$tmp/whole5.dat" "$file" > /dev/null
check "also those of a part" \
	same_lives --pfn $block-$((block + 511)) "$tmp/whole5.dat" "$tmp/part5.dat" 20
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

# what is there is as it was until the new one is complete
same_file()
{
	cp "$file" "$tmp/in.dat"
	ln -sf in.dat "$tmp/link.dat"
	for out in "$tmp/in.dat" "$tmp/./in.dat" "$tmp/link.dat"; do
		"$folioscope" trim -q -o "$out" "$tmp/in.dat" && return 1
		cmp "$file" "$tmp/in.dat" || return 1
	done
	[ -L "$tmp/link.dat" ]
}
check "the input is no output, by whatever name" same_file
echo old > "$tmp/old.dat"
for input in "$tmp/instance.dat" README.md "$tmp/nothing.dat"; do
	"$folioscope" trim -q -o "$tmp/old.dat" "$input" > "$tmp/out" 2>&1
	check "$(basename "$input"): an old file stays" [ "$(cat "$tmp/old.dat")" = old ]
done
run "$folioscope" trim -q -o /dev/null "$file"
expect "a device" 1 'no regular file'
"$folioscope" trim -q -o - "$file" > "$tmp/stdout.dat" 2> /dev/null
check "standard output" cmp "$tmp/all.dat" "$tmp/stdout.dat"
limited()
{
	(ulimit -f 50; "$folioscope" trim -q -o "$tmp/old.dat" "$file") > "$tmp/out" 2>&1
	[ $? = 1 ] && grep -q 'too large' "$tmp/out" && [ "$(cat "$tmp/old.dat")" = old ] &&
		! ls "$tmp"/old.dat.* 2> /dev/null
}
check "a file that may not grow: a message, and an old file stays" limited

# a part of a recording of the classic LRU knows as little as the whole
"$folioscope" trim -q --from 3s -o "$tmp/classic.dat" "$traces/classic.dat" > /dev/null
run "$folioscope" report -q "$tmp/classic.dat"
expect "the classic LRU: a part says so" 0 '^CLASSIC LRU: '
expect "no scan is counted as none" 0 '^pgscan_kswapd +unknown pgscan_direct +unknown$'
check "and no life is called resident" sh -c "! grep -q '^resident' '$tmp/out'"
run "$folioscope" compare -q "$traces/classic.dat" --with "$tmp/classic.dat"
check "the lists of both are the same" sh -c "! grep -q 'differs: LRU lists' '$tmp/out'"
"$folioscope" trim -q --to 2s -o "$tmp/classic.dat" "$traces/classic.dat" > /dev/null
run "$folioscope" report -q "$tmp/classic.dat"
expect "a part before the first reclaim: nothing tells which LRU" 0 '^LRU UNKNOWN: '
expect "nor is a scan counted as none" 0 '^pgscan_kswapd +unknown pgscan_direct +unknown$'
sed 's/folioscope-state 3/folioscope-state 2/g' > "$tmp/state2.dat" < <(
	"$build/tracegen" --codec none -n 3000 --folios 300 -o "$tmp/plain.dat"
	"$folioscope" trim -q --from 500us -o - "$tmp/plain.dat" 2> /dev/null)
run "$folioscope" report -q "$tmp/state2.dat"
expect "a state of another version is refused" 4 \
	'state2.dat: the state of this part is of another version: trim again'

# what was left out is said, and nothing is claimed across it
from=$(duration "$file" 30)
"$folioscope" trim -q --from "${from}ns" -o "$tmp/part.dat" "$file" > /dev/null
run "$folioscope" report -q --only lifetimes "$tmp/part.dat"
expect "a part says of what" 0 '^part of a recording, from [0-9.]+s to its end'
# first_ts FILE: of the clock, ns
first_ts()
{
	"$folioscope" report -q -f json "$1" 2> /dev/null |
		$python -c 'import json, sys
print(json.load(sys.stdin)["tables"]["recording"][0]["first_ts_ns"])'
}
# part_says FILE FROM TO: that its report says so, both in ns
part_says()
{
	"$folioscope" report -q "$1" > "$tmp/out"
	grep -q "$(awk -v a="$2" -v b="$3" 'BEGIN { printf "^part of a recording, from %.6fs to %.6fs;",
		int(a / 1e3) / 1e6, int(b / 1e3) / 1e6 }')" "$tmp/out"
}
# times count from the first event in the part, which is after --from
base=$(($(first_ts "$tmp/part.dat") - $(first_ts "$file")))
"$folioscope" trim -q --from 100ms --to 300ms -o "$tmp/p2.dat" "$tmp/part.dat" > /dev/null
"$folioscope" trim -q --from $((base + 100000000))ns --to $((base + 300000000))ns \
	-o "$tmp/p3.dat" "$file" > /dev/null
trace-cmd report -N -t "$tmp/p2.dat" 2> /dev/null > "$tmp/a"
trace-cmd report -N -t "$tmp/p3.dat" 2> /dev/null > "$tmp/b"
check "a part of a part is that of the whole" cmp "$tmp/a" "$tmp/b"
base2=$(($(first_ts "$tmp/p2.dat") - $(first_ts "$file")))
check "and says of the whole where it is" part_says "$tmp/p2.dat" $base2 $((base + 300000000))
"$folioscope" trim -q --to 100ms -o "$tmp/p2.dat" "$tmp/part.dat" > /dev/null
check "also from its beginning" part_says "$tmp/p2.dat" "$base" $((base + 100000000))
"$folioscope" trim -q --from 100ms --to 1000s -o "$tmp/p2.dat" "$file" > /dev/null
run "$folioscope" report -q "$tmp/p2.dat"
expect "--to behind the end is the end" 0 '^part of a recording, from [0-9.]+s to its end'
"$folioscope" trim -q --to 1000s -o "$tmp/p2.dat" "$file" > /dev/null
run "$folioscope" report -q "$tmp/p2.dat"
check "and all of it no part" sh -c "! grep '^part of' '$tmp/out'"
"$folioscope" trim -q --pfn "$pfn" -o "$tmp/p2.dat" "$file" > /dev/null
"$folioscope" trim -q --pfn 0-0xffff -o "$tmp/p3.dat" "$tmp/p2.dat" > /dev/null
range() { "$folioscope" report -q "$1" | sed -n 's/^FILTERED: only page frames //p'; }
check "page frames of a part are no more than it has" [ "$(range "$tmp/p2.dat")" = "$(range "$tmp/p3.dat")" ]
run "$folioscope" trim -q --from 1691546251ns --to 2050092330ns -o "$tmp/x.dat" "$traces/lists.dat"
expect "a stretch without an event is refused" 1 'nothing is from --from to --to, the next event is at 2\.432'
check "and not written" [ ! -e "$tmp/x.dat" ]
run "$folioscope" trim -q --to 2500ms --memcg 55 -o "$tmp/x.dat" "$traces/lists.dat"
expect "so is one without an event of the memcg" 1 'no lru_gen event of what was asked for'
check "and not written either" [ ! -e "$tmp/x.dat" ]
run "$folioscope" report -q "$tmp/pfn.dat"
expect "a part of the page frames says so" 0 '^FILTERED: only page frames 0x'
expect "and no lruvec is known as a whole" 0 'lruvecs: .* 0 known completely'
no_violations()
{
	local v
	v=$("$folioscope" report -q -f json "$1" | $python -c 'import json, sys
t = json.load(sys.stdin)["tables"]
print(sum(r["violations"] for r in t["v3_eviction_inversion"]), len(t["contradictions"]))')
	[ "$v" = "0 0" ] || { echo "$v"; return 1; }
}
whole()
{
	no_violations "$traces/thp.dat" && no_violations "$traces/memcgs.dat"
}
check "the whole has no V3 and no contradiction" whole
for range in 22158-25486 30000-30100; do
	"$folioscope" trim -q --pfn $range -o "$tmp/x.dat" "$traces/thp.dat" > /dev/null
	check "nor has it with page frames $range" no_violations "$tmp/x.dat"
done
for memcg in $("$folioscope" report -q -f json "$traces/memcgs.dat" | $python -c 'import json, sys
print(*{int(r["memcg"]) for r in json.load(sys.stdin)["tables"]["lruvecs"]})'); do
	"$folioscope" trim -q --from 1s --memcg "$memcg" -o "$tmp/x.dat" "$traces/memcgs.dat" > /dev/null
	check "nor have the events of memcg $memcg from 1 s on" no_violations "$tmp/x.dat"
done

# losses stay losses
"$build/tracegen" -n 20000 --folios 500 -c 2 --lost-every 900 -o "$tmp/lossy.dat"
# up to the latest event before the first loss
to=$(trace-cmd report -t "$tmp/lossy.dat" 2> /dev/null | awk '/EVENTS DROPPED/ { print before[1]; exit }
	{ cpu = $2; gsub(/[^0-9]/, "", cpu); sub(":", "", $3); before[cpu + 0] = $3 - first
	  if (!first) first = $3 }')
for options in "--pfn 65938" "--to ${to}s" "--from 200us" ""; do
	# shellcheck disable=SC2086 # options are words
	"$folioscope" trim -q $options -o "$tmp/x.dat" "$tmp/lossy.dat" > /dev/null
	run "$folioscope" check -q "$tmp/x.dat"
	expect "trim $options of a lossy recording is lossy" 3 'lost'
done
after_a_loss()
{
	"$build/tracegen" -n 60000 --folios 3000 --seed 13 --lost-every 3000 -o "$tmp/lossy.dat"
	rm -f "$tmp"/*.db
	"$folioscope" export -q --sqlite "$tmp/whole.db" "$tmp/lossy.dat"
	"$folioscope" trim -q --from 23034575ns -o "$tmp/part.dat" "$tmp/lossy.dat"
	"$folioscope" export -q --sqlite "$tmp/part.db" "$tmp/part.dat"
	$python tests/cli/trim-compare.py "$tmp/whole.db" "$tmp/part.db"
}
check "what became unknown by a loss is unknown in a part after it" after_a_loss
damaged_end()
{
	# the last two thirds of the data of CPU 1
	$python - "$traces/file.dat" "$tmp/damaged.dat" << 'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
begin, end = 532480, len(data) - 400
begin += (end - begin) // 3
data[begin:end] = b"\xaa" * (end - begin)
open(sys.argv[2], "wb").write(data)
END
	"$folioscope" trim -q -o "$tmp/x.dat" "$tmp/damaged.dat" > /dev/null
	"$folioscope" report -q "$tmp/x.dat" > "$tmp/out"
	[ $? = 3 ] && no_violations "$tmp/x.dat"
}
check "damage up to the end of a CPU is a loss up to the end" damaged_end

for page in 256 512 1024; do
	"$build/tracegen" --page $page -n 8000 --folios 300 -o "$tmp/small.dat"
	run "$folioscope" trim -q --from 1ms -o "$tmp/x.dat" "$tmp/small.dat"
	expect "the state fits sub-buffers of $page bytes" 0 'with the state at the cut'
done
deep_text()
{
	# print's text begins behind the largest record
	"$build/tracegen" --codec none -n 3000 --folios 300 -o "$tmp/deep.dat"
	$python - "$tmp/deep.dat" << 'END'
import re, sys
data = open(sys.argv[1], "rb").read()
at = data.index(b"name: print\n")
field = re.compile(rb"(buf\[\];\toffset:)(\d+);").search(data, at)
new = field[1] + b"9000;"
rest = data[field.end():]
cut = rest.index(b'"', rest.index(b"print fmt"))
extra = len(new) - (field.end() - field.start())
data = data[:field.start()] + new + rest[:cut + 1] + rest[cut + 1 + extra:]
open(sys.argv[1], "wb").write(data)
END
	"$folioscope" trim -q --from 500us -o "$tmp/x.dat" "$tmp/deep.dat" > "$tmp/out" 2>&1
	[ $? = 4 ] && grep -q 'deep.dat: .*no room for the state' "$tmp/out"
}
check "a format of print that leaves no room" deep_text
done_testing
