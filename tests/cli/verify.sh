#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope verify: recordings that hold the kernel's numbers are judged alone;
# where one of the two sides is changed, what differs is found, and where they part.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python=/usr/bin/python3
file=$traces/record.dat

run "$folioscope" verify -q "$file"
expect "verify FILE: lists" 0 '^lists: [1-9][0-9]* with [1-9][0-9]* folios compared in order, 0 differ'
check "verify FILE: sizes" grep -Eq '^[1-9][0-9]* cells compared, 0 differ' "$tmp/out"
check "verify FILE: vmstat and memory.stat" [ "$(grep -Ec '^[1-9][0-9]* counters compared, 0 differ' "$tmp/out")" -eq 2 ]
expect "verify FILE: the sum is named as one" 0 '^pswpin \+ swpin_zero +([1-9][0-9]*) +\1$'
check "verify FILE: no heading without a row" sh -c "! grep -Eq '^(memcg|cgroup),? .*difference' '$tmp/out'"
check "verify FILE: at most 75 columns" [ "$(awk 'length > 75' "$tmp/out" | wc -l)" -eq 0 ]

# The copies that record made, as files, by way of trace-cmd.
trace-cmd report -t "$file" 2> /dev/null > "$tmp/text"
cat > "$tmp/extract.py" << 'EOF'
import os, re, sys
text = open(sys.argv[1], "rb").read()
files = {}
for m in re.finditer(rb"folioscope-text (\S+) (\d+) (\d+)\n", text):
    assert len(files.setdefault(m[1], b"")) == int(m[2]), m[0]
    files[m[1]] += text[m.end():m.end() + int(m[3])]
for name, content in files.items():
    path = os.path.join(sys.argv[2].encode(), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "wb").write(content)
EOF
check "the copies can be had with trace-cmd" $python "$tmp/extract.py" "$tmp/text" "$tmp/files"
"$folioscope" verify -q "$file" > "$tmp/alone"
run "$folioscope" verify -q --before "$tmp/files/before" "$file" "$tmp/files/after"
check "from folders the result is the same" diff "$tmp/alone" "$tmp/out"

# changed NAME: a copy of the folder "after" that may be changed, in $tmp/NAME.
changed()
{
	mkdir -p "$tmp/$1"
	cp -r "$tmp/files/before" "$tmp/files/after" "$tmp/$1/"
}

# Two neighbours of a list exchanged.
changed order
cat > "$tmp/swap.py" << 'EOF'
import sys
path = sys.argv[1]
lines = open(path).read().split("\n")
# the 20th folio of the longest list of the cgroup that is known
best, here, known = None, None, False
for i, line in enumerate(lines):
    if line.startswith("memcg"):
        known = "/vm/b" in line
    if " order " in line and known and lines[i - 1].startswith("  gen"):
        n = next(k for k in range(i, len(lines)) if " order " not in lines[k]) - i
        if best is None or n > best[1]:
            best = (i, n)
at = best[0] + 19
assert best[1] > 40
lines[at], lines[at + 1] = lines[at + 1], lines[at]
open(path, "w").write("\n".join(lines))
print(lines[at].split()[0], lines[at + 1].split()[0])
EOF
read -r theirs ours < <($python "$tmp/swap.py" "$tmp/order/after/lru_gen_folios")
run "$folioscope" verify -q --before "$tmp/order/before" "$file" "$tmp/order/after"
expect "two folios exchanged: the place" 3 ', place 20:$'
check "two folios exchanged: both are named" grep -q "kernel pfn $theirs order 0, ours pfn $ours order 0" "$tmp/out"
cat > "$tmp/moved.py" << 'EOF'
# The last event that moved each folio, by trace-cmd's text, is the one stated.
import re, sys
said = " ".join(open(sys.argv[1]).read().split())
first = None
for pfn in sys.argv[3:]:
    last = None
    for line in open(sys.argv[2], errors="replace"):
        m = re.match(r".*\[(\d+)\] +(\d+)\.(\d+): (mm_lru_gen_\w+): .*", line)
        if not m:
            continue
        ns = int(m[2]) * 10**9 + int(m[3])
        first = first or ns
        if m[4] == "mm_lru_gen_state" and "snapshot" in line and last:
            stop = ns
        if m[4] in ("mm_lru_gen_add", "mm_lru_gen_move") and re.search(" pfn=%s " % pfn, line):
            last = (m[4][11:], ns, int(m[1]))
    # times count from the first record of any event
    t0 = min(int(a) * 10**9 + int(b) for a, b in
             re.findall(r"\] +(\d+)\.(\d{9}): ", open(sys.argv[2], errors="replace").read()))
    us = (last[1] - t0) // 1000
    want = "pfn %s, moved last: %s at %d.%06ds on CPU %d, by" % (pfn, last[0], us // 10**6, us % 10**6, last[2])
    assert want in said, (want, said[-900:])
EOF
check "two folios exchanged: the events that moved them last, as trace-cmd has them" \
	$python "$tmp/moved.py" "$tmp/out" "$tmp/text" "$theirs" "$ours"
check "two folios exchanged: how long they were equal" \
	grep -q 'equal when its cgroup was made, not at after' "$tmp/out"

# A folio that the kernel's list lacks.
changed shorter
sed -i '/\/vm\/b/,$ { 0,/ order /{/ order /d} }' "$tmp/shorter/after/lru_gen_folios"
check "(one line less)" [ "$(diff "$tmp/files/after/lru_gen_folios" "$tmp/shorter/after/lru_gen_folios" | grep -c '^<')" -eq 1 ]
run "$folioscope" verify -q --before "$tmp/shorter/before" "$file" "$tmp/shorter/after"
expect "a folio that is not in the kernel's list" 3 ', place 1:$'

# A size.
changed size
$python - "$tmp/size/after/lru_gen" << 'EOF'
import re, sys
head, tail = open(sys.argv[1]).read().split("/vm/b", 1)
tail = re.sub(r"(\n +\d+ +\d+ +)([1-9]\d*)", lambda m: m[1] + str(int(m[2]) + 3), tail, 1)
open(sys.argv[1], "w").write(head + "/vm/b" + tail)
EOF
run "$folioscope" verify -q --before "$tmp/size/before" "$file" "$tmp/size/after"
expect "a size: the difference" 3 '^/vm/b .* anon .* -3$'
check "a size: where they part" grep -Eq '^/vm/b node 0 seq [0-9]+ anon$' "$tmp/out"
check "a size: the events that bear on it" grep -Eq '^  the first: add at [0-9.]+s on CPU [01], pfn 0x' "$tmp/out"

# Counters. With one less in the kernel's, only the last event can be one too many.
changed less
sed -i -E 's/^(pgscan_anon) ([0-9]+)/echo \1 $((\2 - 1))/e' "$tmp/less/after/vmstat"
run "$folioscope" verify -q --before "$tmp/less/before" "$file" "$tmp/less/after"
expect "a counter too small: the difference" 3 '^pgscan_anon .* \+1$'
cat > "$tmp/scan.py" << 'EOF'
import re, sys
said = " ".join(open(sys.argv[1]).read().split())
times, t0 = [], None
for line in open(sys.argv[2], errors="replace"):
    m = re.match(r".*\[(\d+)\] +(\d+)\.(\d{9}): (\w+): (.*)", line)
    if not m:
        continue
    ns = int(m[2]) * 10**9 + int(m[3])
    t0 = min(t0 or ns, ns)
    if m[4] == "mm_lru_gen_scan" and re.search(r"nr_isolated=[1-9].* type=anon ", m[5]):
        times.append((ns, int(m[1])))
def text(event):
    us = (event[0] - t0) // 1000
    return "scan at %d.%06ds on CPU %d" % (us // 10**6, us % 10**6, event[1])
assert "events in between that bear on it: %d" % len(times) in said, (len(times), said[-600:])
assert "the first: " + text(times[0]) in said, (text(times[0]), said[-600:])
if sys.argv[3] == "passed":
    assert "we have more than the kernel ever had: " + text(times[-1]) in said, (text(times[-1]), said[-600:])
else:
    assert "the last: " + text(times[-1]) in said, (text(times[-1]), said[-600:])
EOF
check "a counter too small: the event with which ours is more, as trace-cmd has it" \
	$python "$tmp/scan.py" "$tmp/out" "$tmp/text" passed
changed more
sed -i -E 's/^(pgscan_anon) ([0-9]+)/echo \1 $((\2 + 7))/e' "$tmp/more/after/vmstat"
run "$folioscope" verify -q --before "$tmp/more/before" "$file" "$tmp/more/after"
expect "a counter too large: the difference" 3 '^pgscan_anon .* -7$'
check "a counter too large: first and last event in between, as trace-cmd has them" \
	$python "$tmp/scan.py" "$tmp/out" "$tmp/text" last
changed stat
sed -i -E '/# \/vm\/b /,$ s/^(pgsteal_direct) ([0-9]+)/echo \1 $((\2 - 2))/e' "$tmp/stat/after/memory.stat"
run "$folioscope" verify -q --before "$tmp/stat/before" "$file" "$tmp/stat/after"
expect "a counter of a cgroup" 3 '^/vm/b pgsteal_direct .* \+2$'
check "a counter of a cgroup: only that one" grep -Eq '^[0-9]+ counters compared, 1 differ$' "$tmp/out"
check "a counter of a cgroup: its event" grep -q 'we have more than the kernel ever had: reclaim at' "$tmp/out"

# Several moments: equal at one, not at the next. Nothing happened between the
# snapshot and the marks of memory.stat, so the same vmstat stands for both.
changed two
cp -r "$tmp/two/before" "$tmp/two/before-stats"
rm "$tmp/two/before-stats/"{lru_gen,lru_gen_folios,memory.stat,memcgs}
sed -i -E 's/^(pgscan_anon) ([0-9]+)/echo \1 $((\2 - 1))/e' "$tmp/two/after/vmstat"
run "$folioscope" verify -q --before "$tmp/two/before" "$file" "$tmp/two/before-stats" "$tmp/two/after"
expect "two moments: since when" 3 'equal at before-stats \([0-9.]+s\), not at after'
check "two moments: both are compared" [ "$(grep -c '^Counters: pages from before to' "$tmp/out")" -eq 2 ]
mkdir "$tmp/two/never"
cp "$tmp/two/after/vmstat" "$tmp/two/never/"
run "$folioscope" verify -q --before "$tmp/two/before" "$file" "$tmp/two/never" "$tmp/two/after"
expect "a moment without marks, before others" 1 "no mark 'snapshot never'"

# The recording changed: the second half of the records of a sub-buffer taken away,
# and nothing says so.
cat > "$tmp/drop.py" << 'EOF'
# In the middle of a version 6 file; print the time of the sub-buffer.
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = data.rindex(b"flyrecord\0") + 10
offset, size = struct.unpack_from("<QQ", data, at)
page = offset + size // 4096 // 2 * 4096
time, commit = struct.unpack_from("<QQ", data, page)
used = commit & 0x7ffffff
assert used > 1000
pos = 0
while pos < used // 2:
    word, = struct.unpack_from("<I", data, page + 16 + pos)
    kind = word & 31
    if kind == 0:
        pos += 4 + (struct.unpack_from("<I", data, page + 20 + pos)[0] + 3 & ~3)
    elif kind <= 28:
        pos += 4 + 4 * kind
    else:
        assert kind in (30, 31)
        pos += 8
struct.pack_into("<Q", data, page + 8, pos)
data[page + 16 + pos:page + 4096] = bytes(4096 - 16 - pos)
open(sys.argv[2], "wb").write(data)
print(time)
EOF
at=$($python "$tmp/drop.py" "$traces/v6.dat" "$tmp/dropped.dat")
run "$folioscope" verify -q --before "$traces/v6/before" "$traces/v6.dat" "$traces/v6/after"
expect "v6.dat as it is" 0 '^[1-9][0-9]* counters compared, 0 differ'
run "$folioscope" verify -q --before "$traces/v6/before" "$tmp/dropped.dat" "$traces/v6/after"
expect "records lost without a word: it differs" 3 '^Where they part'
cat > "$tmp/inside.py" << 'EOF'
# The time of the loss is in every stretch in which the two are said to part.
import re, sys
said = " ".join(open(sys.argv[1]).read().split("Where they part")[1].split())
lost = (int(sys.argv[2]) - int(sys.argv[3])) / 1e9
stretches = re.findall(r"equal (?:at \S+ \(([\d.]+)s\)|when its cgroup was made), not at \S+ \(([\d.]+)s\)", said)
assert stretches
for begin, end in stretches:
    assert float(begin or 0) < lost < float(end), (begin, lost, end)
EOF
first=$("$folioscope" report -q -f csv "$tmp/dropped.dat" | sed -n 's/^recording,1,first_ts_ns,\([0-9]*\),.*/\1/p')
check "records lost: they lie where they are said to part" \
	$python "$tmp/inside.py" "$tmp/out" "$at" "$first"

# What cannot be judged.
run "$folioscope" verify -q "$traces/sampled.dat"
expect "a sample: said so" 0 '^SAMPLED: 1/8'
check "a sample: what is not judged" grep -Eq '^not judged, for only a sample was recorded: [1-9][0-9]* cells' "$tmp/out"
check "a sample: no size, no list is" sh -c "! grep -Eq '^[1-9][0-9]* cells compared' '$tmp/out'"
check "a sample: scans are whole, and equal" grep -Eq '^pgscan_anon +([1-9][0-9]*) +\1' "$tmp/out"
check "a sample: refaults are not shown" sh -c "! grep -q '^workingset_refault' '$tmp/out'"
for command in report lifetimes violations lazyfree hitshield heatmap; do
	run "$folioscope" "$command" -q "$traces/sampled.dat"
	expect "$command of a sample says so" 0 '^SAMPLED: 1/8'
done
run "$folioscope" report -q -f csv "$traces/sampled.dat"
expect "report of a sample as CSV says so" 0 '^quality,1,sample,8,'
run "$folioscope" trim --from 2s --to 3s -o "$tmp/part.dat" "$traces/sampled.dat"
expect "(a part of a sample)" 0 'with the state'
run "$folioscope" report -q "$tmp/part.dat"
expect "a part of a sample, without its ends, still says so" 0 '^SAMPLED: 1/8'
run "$folioscope" lists -q "$traces/sampled.dat"
check "lists of a sample say so, on standard error" grep -q '^SAMPLED: 1/8' "$tmp/err"
run "$folioscope" compare -q "$traces/sampled.dat" --with "$traces/sampled.dat"
expect "compare of samples says so" 0 '^ +sample +1/8 +the same'
run "$folioscope" verify -q "$traces/chain.dat"
expect "a recording without the kernel's numbers" 1 'no numbers of the kernel in it.*folioscope record'

# The copies incomplete: the beginning is cut off.
from=$($python - "$tmp/text" << 'EOF'
import re, sys
text = open(sys.argv[1], errors="replace").read()
times = [int(a + b) for a, b in re.findall(r"\] +(\d+)\.(\d{9}): ", text)]
m = re.search(r"\] +(\d+)\.(\d{9}): print: .*before/vmstat [1-9]", text)
print("%dns" % (int(m[1] + m[2]) - min(times)))
EOF
)
run "$folioscope" trim --from "$from" -o "$tmp/trimmed.dat" "$file"
expect "(trimmed)" 0 ''
run "$folioscope" verify -q "$tmp/trimmed.dat"
check "copies that are not whole are not used, and that is said" \
	grep -q '^before/vmstat is not used: the recording lacks a part' "$tmp/out"
check "what is there is compared" grep -Eq '^lists: [1-9]' "$tmp/out"

# More cgroups than record copies: a cgroup that the first copy lacks was made since,
# or was one of those. The copy is made to lack /vm/a.
trace-cmd convert -i "$file" -o "$tmp/plain.dat" --compression none > /dev/null 2>&1
# edited OUT OLD NEW [OLD NEW]...: plain.dat with bytes exchanged, of the same number
edited()
{
	$python - "$tmp/plain.dat" "$@" << 'EOF'
import sys
data = open(sys.argv[1], "rb").read()
for old, new in zip(sys.argv[3::2], sys.argv[4::2]):
    old, new = (s.encode().decode("unicode_escape").encode() for s in (old, new))
    assert len(old) == len(new) and old in data, (old, new)
    data = data.replace(old, new, 1) if old.startswith(b"folioscope-text") else data.replace(old, new)
open(sys.argv[2], "wb").write(data)
EOF
}
lacks=('folioscope-text before/memcgs 0 20\n1 /\n17 /vm\n55 ' 'folioscope-text before/memcgs 0 20\n1 /\n17 /vm\n56 ')
note=('folioscope: /sys/kernel/mm/lru_gen/min_ttl_ms: 0' 'folioscope: cgroups left out: 000000000000000104')
edited "$tmp/lacks.dat" "${lacks[@]}"
run "$folioscope" verify -q "$tmp/lacks.dat"
expect "a cgroup that seems to be new, and is not, differs" 3 '^/vm/a workingset_refault_anon'
edited "$tmp/left-out.dat" "${lacks[@]}" "${note[@]}"
run "$folioscope" verify -q "$tmp/left-out.dat"
expect "where cgroups were left out it is not judged" 0 '^104 cgroups were left out of the recording, and 2 cannot be compared'
check "the others are" grep -Eq '^34 counters compared, 0 differ$' "$tmp/out"
check "verify says it with what else is to know" grep -q '^CGROUPS LEFT OUT: 104, too many' "$tmp/out"
check "verify: at most 75 columns, too" [ "$(awk 'length > 75' "$tmp/out" | wc -l)" -eq 0 ]
for command in report check; do
	run "$folioscope" "$command" -q "$tmp/left-out.dat"
	expect "$command says that cgroups were left out" 0 '^CGROUPS LEFT OUT: 104, too many'
done
check "check: nothing else is wrong" grep -q '^verdict:  GOOD: complete' "$tmp/out"
run "$folioscope" report -q -f json "$tmp/left-out.dat"
expect "report as JSON says so" 0 '"cgroups_left_out": 104'
run "$folioscope" trim -q --from 200ms -o "$tmp/left-part.dat" "$tmp/left-out.dat"
run "$folioscope" report -q "$tmp/left-part.dat"
expect "a part hands it on" 0 '^CGROUPS LEFT OUT: 104'
run "$folioscope" check -q "$traces/sampled.dat"
expect "check of a sample says so" 0 '^SAMPLED: 1/8'
check "check of a sample does not say complete" grep -q '^verdict:  GOOD: .* of what was selected' "$tmp/out"

run "$folioscope" verify --snapshot x "$file"
expect "--snapshot without a folder" 2 'is for one folder'
run "$folioscope" verify --before "$tmp/files/before" "$file"
expect "--before alone" 2 'of later'
run "$folioscope" verify "$file" "$tmp/none"
expect "no such folder" 4 'none: no such folder'

# What is only a part of the recording is not blamed for what it cannot tell.
lists=$traces/lists
"$folioscope" trim -q --memcg 55 -o "$tmp/memcg.dat" "$lists.dat" > /dev/null
run "$folioscope" verify -q "$tmp/memcg.dat" "$lists/after"
expect "a part with one memcg: what it has agrees" 0 '^lists: 3 with [1-9][0-9]* folios compared in order, 0 differ'
check "the other memcgs are not judged" grep -q '^not judged, for only a selection was recorded: [1-9]' "$tmp/out"
check "and are not blamed on the clock" sh -c "! grep -q 'its clock is not mono' '$tmp/out'"
"$folioscope" trim -q --to 6s -o "$tmp/early.dat" "$lists.dat" > /dev/null
run "$folioscope" verify -q --before "$lists/before" "$tmp/early.dat" "$lists/after"
expect "a part that ends before the snapshot: says so" 1 "^after is not compared: no mark 'snapshot after'"
check "and nothing differs" sh -c "! grep -q 'Where they part\|counters compared' '$tmp/out'"
expect "but nothing is proved" 1 'early.dat: nothing could be compared'

# What is not compared is said, and what cannot be a number is not taken for one.
mkdir "$tmp/counts"
cp "$lists/after/vmstat" "$tmp/counts/"
run "$folioscope" verify -q "$lists.dat" "$tmp/counts"
expect "vmstat alone, without --before: why it is not compared" 1 '^vmstat of counts is not compared: without --before'
check "and that nothing is" grep -q 'lists.dat: nothing could be compared' "$tmp/err"
run "$folioscope" verify -q "$lists.dat" "$tmp/nowhere"
expect "a folder that does not exist" 4 'nowhere: no such folder'
run "$folioscope" verify -q "$lists.dat" README.md
expect "a file for a folder" 4 'README.md: is not a folder'
mkdir "$tmp/fifo"
mkfifo "$tmp/fifo/vmstat"
run "$folioscope" verify -q "$lists.dat" "$tmp/fifo"
expect "a FIFO" 4 'fifo/vmstat: is not a regular file'
# refuses FILE SED NUMBER: FILE of the last moment, changed by SED, is refused at a line.
refuses()
{
	changed wrong
	sed -i -E "$2" "$tmp/wrong/after/$1"
	run "$folioscope" verify -q --before "$tmp/wrong/before" "$file" "$tmp/wrong/after"
	expect "$1 changed by $2" 4 "wrong/after/$1: line [0-9]+ is not of "
}
for value in -5 99999999999999999999999 1e9 "" "7 7"; do
	refuses vmstat "s/^(pgscan_anon) .*/\\1 $value/"
	refuses memory.stat "s/^(pgscan_kswapd) .*/\\1 $value/"
done
refuses lru_gen 's/^( +[0-9]+ +[0-9]+ +)[0-9]+/\1-5/'
refuses lru_gen 's/^( +[0-9]+ +[0-9]+ +)[0-9]+/\199999999999999999999999/'
refuses lru_gen 's/^( +[0-9]+ +[0-9]+ +[0-9]+).*/\1/'
for name in vmstat lru_gen; do
	changed short
	sed -i '/^pgscan_anon /q' "$tmp/short/after/$name"
	truncate -s -2 "$tmp/short/after/$name"
	run "$folioscope" verify -q --before "$tmp/short/before" "$file" "$tmp/short/after"
	expect "$name cut within its last line" 4 "short/after/$name: line [0-9]+ (has no end: the file is cut short|is not of)"
done
done_testing
