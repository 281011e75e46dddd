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
"$folioscope" export -q --sqlite "$tmp/chain.db" "$file"
expected=$($python -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("""SELECT count(*) FROM events WHERE
	event IN ("update", "swapin") OR event = "refault" AND type = "file" OR
	event = "add" AND site = "lru_activate" """).fetchone()[0])' "$tmp/chain.db")
check "every access is counted, and a return from swap once" [ "$accessed" -eq "$expected" ]
run "$folioscope" heatmap -q -w events --resol 10x3 --linear "$file"
expect "size, kind and scale" 0 '^ +[0-9a-f]+ [0-9.]{10}$'
check "3 rows" [ "$(grep -cE '^ +[0-9a-f]+ [0-9.]{10}$' "$tmp/out")" -eq 3 ]

run "$folioscope" heatmap -q -o "$tmp/map.svg" "$file"
check "an SVG" [ "$status" -eq 0 ]
well_formed() { $python -c 'import sys, xml.etree.ElementTree as e
root = e.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
for text in "page frame number", "time since the first event [s]", "Page frames over time: accessed", \
        "seen through a page table, activated, or back from disk or swap", \
        "events per 512 page frames and 33.6ms, logarithmic", "0x8000", "2", "10":
    assert text in texts, (text, texts)' "$tmp/map.svg"; }
check "that is well-formed, with axes, what is counted and a scale" well_formed
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
# its text is looked for in the shapes of the font
cat > "$tmp/text.py" << 'EOF'
import re, struct, sys, zlib
font = {}
for c, rows in re.findall(r"G\('(.)', (.*?)\),\n", open("analyzer/raster.c").read()):
    font[c] = re.findall(r'"([.#]+)"', rows)
data = open(sys.argv[1], "rb").read()
width, height = struct.unpack(">II", data[16:24])
packed, at = b"", 8
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at:at + 8])
    packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
    at += 12 + size
raw = zlib.decompress(packed)
rows = [raw[y * (width * 3 + 1) + 1:(y + 1) * (width * 3 + 1)] for y in range(height)]
# ink on white, as a string a row; points of the font are two pixels wide
ink = ["".join("." if row[x * 3:x * 3 + 3] == b"\xff\xff\xff" else "#" for x in range(width)) for row in rows]
turned = ["".join(row[x] for row in ink) for x in range(width)]
turned = [row[::-1] for row in turned]
def has(text, picture):
    lines = [".".join(font[c][y] for c in text) for y in range(7)]
    lines = ["".join(p * 2 for p in line) for line in lines for _ in range(2)]
    for y in range(len(picture) - 13):
        x = picture[y].find(lines[0])
        while x >= 0:
            if all(picture[y + i].startswith(lines[i], x) for i in range(14)):
                return True
            x = picture[y].find(lines[0], x + 1)
    return False
for text in sys.argv[2:]:
    assert has(text, ink) or has(text, turned), text
assert not has("events per 513", ink) and not has("page frame number", ink)
EOF
check "with the same text, in its own font" $python "$tmp/text.py" "$tmp/map.png" \
	"page frames over time: accessed" "page frame number" "time since the first event [s]" \
	"seen through a page table, activated, or back from disk or swap" \
	"events per 512 page frames and 33.6ms, logarithmic" 0x8000 0x10000 100
# a kind of which there is nothing
"$folioscope" trim -q --to 50ms -o "$tmp/begin.dat" "$file" > /dev/null
for suffix in svg png; do
	run "$folioscope" heatmap -q -w reclaimed -o "$tmp/none.$suffix" "$tmp/begin.dat"
	check "$suffix: none of a kind" [ "$status" -eq 0 ]
done
check "svg: none of a kind is said" grep -q 'no event of this kind' "$tmp/none.svg"
check "png: none of a kind is said" $python "$tmp/text.py" "$tmp/none.png" "no event of this kind"
run "$folioscope" heatmap -q --linear -o "$tmp/map.png" "$file"
expect "what is for digits is not ignored" 2 '--resol and --linear are for digits'
run "$folioscope" heatmap -o map.gif "$file"
expect "another suffix" 2 'ends neither in .svg nor in .png'
run "$folioscope" heatmap -w cold "$file"
expect "an unknown kind" 2 "no kind is called 'cold'"
run "$folioscope" heatmap --resol 0x5 "$file"
expect "an impossible size" 2 'not .0x5'
run "$folioscope" heatmap -q -o /does/not/exist.png "$file"
expect "a folder that does not exist" 1 '/does/not/exist.png'
done_testing
