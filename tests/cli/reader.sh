#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The reader from outside: the same records as libtracecmd's on every file that
# both can read, and what "folioscope check" says of good and damaged ones.
# shellcheck source=tests/cli/lib.sh disable=SC2154
. tests/cli/lib.sh

oracle=$build/libtracecmd_oracle
# the leaks are libtracecmd's
export LSAN_OPTIONS=detect_leaks=0
tracegen=$build/tracegen

for file in "$traces"/*.dat "$traces"/*/trace.dat; do
	name=${file#"$traces/"}
	run "$oracle" "$file"
	expect "$name: equals libtracecmd" 0 ': equal$'
	# every record, no field of an lru_gen event left out
	check "$name: all of it is compared" awk '{ exit $2 != $4 || $2 < 1000 }' "$tmp/out"
done

# name and options of tracegen; 32-bit, big-endian, big pages, instances, losses
while read -r name options; do
	# shellcheck disable=SC2086
	check "$name: written" "$tracegen" -o "$tmp/$name.dat" -n 20000 $options
	[ "$name" = unfit ] || check "$name: equals libtracecmd" "$oracle" "$tmp/$name.dat"
done << END
zstd --codec zstd
none --codec none
v6 --format-version 6
big --big-endian
big6 --big-endian --format-version 6 --kernel-long 4 --user-long 4
long4 --kernel-long 4 --user-long 4
mixed --kernel-long 8 --user-long 4
page64k --page 65536
chunk1 --chunk-pages 1
sparse --cpus 5 --stride 7
instance --instance other --others 30
lossy --lost-every 1000 --others 10
lossy6 --lost-every 777 --format-version 6
numbers --symbol-shift 9
without --drop lru_gen --others 50
partly --drop mm_lru_gen_splice
fewer --drop-field mm_lru_gen_move.tier_idx
unfit --drop-field mm_lru_gen_add.pfn
END

# check NAME STATUS PATTERN FILE [OPTION]: what folioscope check says
# fits FILE: into a mail, but for paths, which are not broken
fits() { ! awk 'length > 75 && !/^file: / { print; bad = 1 } END { exit !bad }' "$1"; }

says()
{
	local name=$1 expected=$2 pattern=$3
	shift 3
	run "$folioscope" check "$@"
	fits "$tmp/out" || status=75
	# wrapped lines as one
	sed -i ':a;N;$!ba;s/\n    \([^ ]\)/ \1/g' "$tmp/out"
	expect "check: $name" "$expected" "$pattern"
}

says "a recording" 0 'verdict: +GOOD' "$traces/chain.dat"
says "its kernel" 0 'kernel: +Linux 6\.12' "$traces/chain.dat"
says "nothing missing" 0 '^missing: +nothing, all' "$traces/chain.dat"
says "which times" 0 '^ +\(here by the clock of the recording;' "$traces/chain.dat"
says "its clock" 0 'clock: +mono' "$traces/chain.dat"
says "v6" 0 'trace.dat v6' "$traces/v6.dat"
says "no lru_gen events" 4 'NOT USABLE: no lru_gen event is in the file' "$tmp/without.dat"
says "what it has instead" 4 '^ +filemap \(2\) ftrace \(1\) kmem \(2\)' "$tmp/without.dat"
says "how to record" 4 'trace-cmd record -C mono -e lru_gen' "$tmp/without.dat"
says "an event is missing" 3 '^ +mm_lru_gen_splice$' "$tmp/partly.dat"
says "a field is missing" 0 'missing: +field tier_idx of mm_lru_gen_move' "$tmp/fewer.dat"
says "a needed field is missing" 4 "MISSING_FIELD .*mm_lru_gen_add has no usable field 'pfn' \(kernel 6.12.117\)" "$tmp/unfit.dat"
run "$folioscope" report "$tmp/unfit.dat"
expect "report: a needed field is missing" 4 "unfit.dat: event lru_gen:mm_lru_gen_add has no usable field 'pfn'"
says "losses" 3 'verdict: +LOSSY' "$tmp/lossy.dat"
says "losses per CPU" 3 '^CPU 1: lost [0-9]+ events and [0-9]+ times an unknown' "$tmp/lossy.dat"
says "an instance" 0 "'other': .*is read" "$tmp/instance.dat"
says "a named buffer" 4 'NOT USABLE' "$tmp/instance.dat" --buffer ''
says "no such buffer" 4 "no buffer 'x'; it has '' 'other'" "$tmp/instance.dat" --buffer x
says "no such file" 4 'no such file' "$tmp/absent.dat"
says "a folder" 4 'is a directory' "$tmp"
says "two files" 2 'one recording at a time' "$tmp/zstd.dat" "$tmp/none.dat"
says "an unknown option" 2 "folioscope check: unrecognized option '--frob" --frobnicate
says "help" 0 '^Usage: folioscope check' --help
check "check: help fits a screen" [ "$(echo "$out" | wc -l)" -le 24 ]

# cut: the table of the data is the last thing in a v7 file
size=$(stat -c %s "$tmp/zstd.dat")
head -c $((size - 300)) "$tmp/zstd.dat" > "$tmp/cut.dat"
says "cut short" 4 'cut short.*--salvage' "$tmp/cut.dat"
says "cut short, salvaged" 3 'verdict: +SALVAGED' "$tmp/cut.dat" --salvage
says "salvage finds both CPUs" 3 'top: 2 CPUs with data' "$tmp/cut.dat" --salvage
size=$(stat -c %s "$tmp/v6.dat")
head -c $((size - 30000)) "$tmp/v6.dat" > "$tmp/cut6.dat"
says "v6 cut short" 3 'CPU_TRUNCATED CPU 1 .*bytes are missing' "$tmp/cut6.dat"

# bytes of the first CPU's data changed: a gap, and the rest is read
cp "$tmp/none.dat" "$tmp/damaged.dat"
offset=$(trace-cmd dump --options "$tmp/none.dat" 2> /dev/null |
	awk '$1 == 0 && /id, data offset/ { print $2 }')
check "damage: the data is found" [ -n "$offset" ]
printf '\377\377\377\377' | dd of="$tmp/damaged.dat" bs=1 seek=$((offset + 40968)) conv=notrunc 2> /dev/null
says "a damaged page" 3 "BAD_PAGE CPU 0 offset $((offset + 40960)) 4096 bytes from [0-9.]+ to [0-9.]+: the commit" "$tmp/damaged.dat"
says "a damaged page, counted" 3 '^CPU 0: 1 gap of 4096 bytes' "$tmp/damaged.dat"
says "a damaged page, verdict" 3 'verdict: +DAMAGED' "$tmp/damaged.dat"
check "damage: one page of events is missing" \
	[ "$(awk '/^records:/ { print ($2 < 20000 && $2 > 19880) }' FS='[ ,]+' "$tmp/out")" = 1 ]
# The table of hazards names tests that there are.
cat > "$tmp/hazards.py" << 'END'
import os, re
sources = dict(C="container", R="reader", S="subbuf", D="decode", H="hazards")
text = open("formats/trace-dat.md").read().split("## Hazards and their tests")[1]
rows = [line for line in text.split("\n") if line.startswith("| ") and "| input |" not in line]
assert len(rows) > 35
nr = 0
for row in rows:
    letter = None
    for new, name in re.findall(r"(?:\b([CRSDH]) )?`([\w.-]+)`", row.split(" | ")[-1]):
        letter = new or letter
        nr += 1
        if name.endswith(".sh"):
            assert os.access("tests/cli/" + name, os.X_OK), name
        else:
            path = "tests/check_%s.c" % sources[letter]
            assert "START_TEST(test_%s)\n" % name in open(path).read(), (path, name)
assert nr > 60, nr
END
check "every test in the table of hazards is there" /usr/bin/python3 "$tmp/hazards.py"
done_testing
