#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope heatmap: digits, SVG and PNG.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python=/usr/bin/python3
file=$traces/chain.dat

run "$folioscope" heatmap -q "$file"
expect "a map" 0 '^ +[0-9a-f]+ [0-9.]{64}$'
check "24 rows" [ "$(grep -cE '^ +[0-9a-f]+ [0-9.]{64}$' "$tmp/out")" -eq 24 ]
check "at most 75 columns" [ "$(awk 'length > 75' "$tmp/out" | wc -l)" -eq 0 ]
expect "the axis up is named" 0 '^ +pfn$'
span=$("$folioscope" report -q "$file" | sed -n 's/.* \([0-9.]*s\) from first to last event/\1/p')
expect "the axis of time ends where the report says" 0 "^ +time 0 +${span//./\\.}\$"
expect "accessed is defined" 0 '^# accessed: seen through a page table'
check "the hottest place is a 9" grep -qE '^ +[0-9a-f]+ [0-9.]*9' "$tmp/out"
accessed=$(sed -n 's/^# accessed: \([0-9]*\) events.*/\1/p' "$tmp/out")
expected=$("$folioscope" report -q -f json "$file" | $python -c 'import json, sys
t = json.load(sys.stdin)["tables"]
events = {r["event"]: r["events"] for r in t["event_counts"]}
print(events["update"] + events["refault"] + events["swapin"])')
check "it counts every update, refault and swap-in ($accessed of at least $expected)" \
	[ "$accessed" -ge "$expected" ]
run "$folioscope" heatmap -q -w events --resol 10x3 --linear "$file"
expect "size, kind and scale" 0 '^ +[0-9a-f]+ [0-9.]{10}$'
check "3 rows" [ "$(grep -cE '^ +[0-9a-f]+ [0-9.]{10}$' "$tmp/out")" -eq 3 ]

run "$folioscope" heatmap -q -o "$tmp/map.svg" "$file"
check "an SVG" [ "$status" -eq 0 ]
well_formed() { $python -c 'import sys, xml.etree.ElementTree as e
root = e.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
assert "page frame number" in texts and "time since the first event [s]" in texts, texts' "$tmp/map.svg"; }
check "that is well-formed, with labelled axes" well_formed
run "$folioscope" heatmap -q -o "$tmp/map.png" "$file"
check "a PNG" [ "$status" -eq 0 ]
sound_png() { $python -c '
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, packed, kinds = 8, b"", []
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + size]
    assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
    kinds.append(kind)
    if kind == b"IHDR":
        width, height, depth, colour = struct.unpack(">IIBB", body[:10])
    if kind == b"IDAT":
        packed += body
    at += 12 + size
assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND" and (depth, colour) == (8, 2)
raw = zlib.decompress(packed)
assert len(raw) == (width * 3 + 1) * height and width > 200 and height > 100
assert len(set(raw[i:i + 3] for i in range(1, width * 3, 3))) >= 1 and len(set(raw)) > 10
' "$tmp/map.png"; }
check "that is sound" sound_png
run "$folioscope" heatmap -o map.gif "$file"
expect "another suffix" 2 'ends neither in .svg nor in .png'
run "$folioscope" heatmap -w cold "$file"
expect "an unknown kind" 2 "no kind is called 'cold'"
run "$folioscope" heatmap --resol 0x5 "$file"
expect "an impossible size" 2 'not .0x5'
run "$folioscope" heatmap -q -o /does/not/exist.png "$file"
expect "a folder that does not exist" 1 '/does/not/exist.png'
done_testing
