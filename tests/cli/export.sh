#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope export, read by sqlite3, a protobuf decoder, CSV and JSON readers.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python=/usr/bin/python3
file=$traces/chain.dat

sql() { sqlite3 -bail "$tmp/x.db" "$@"; }
silent() { [ "$status" -eq 0 ] && [ ! -s "$tmp/out" ] && [ ! -s "$tmp/err" ]; }
equal() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; false; }; }
number() { $python -c 'import json, sys
rows = json.load(open(sys.argv[1]))["tables"][sys.argv[2]]
print(sum(r[sys.argv[3]] for r in rows))' "$tmp/report.json" "$@"; }

"$folioscope" report -q -f json "$file" > "$tmp/report.json"
run "$folioscope" export -q --sqlite "$tmp/x.db" "$file"
check "export to SQLite" silent
check "the database is sound" equal "$(sql 'PRAGMA integrity_check')" ok
check "all events are in it" equal "$(sql 'SELECT count(*) FROM events')" \
	"$(number recording lru_gen_events)"
check "so are all lives" equal "$(sql 'SELECT count(*) FROM lives')" "$(number quality lives)"
check "evictions are those of the report" \
	equal "$(sql "SELECT count(*) FROM lives WHERE \"end\" = 'evicted'")" \
	"$($python -c 'import json, sys
r = [r for r in json.load(open(sys.argv[1]))["tables"]["ends"] if r["end"] == "evicted"][0]
print(r["anon_lives"] + r["file_lives"])' "$tmp/report.json")"
check "reversed pairs add up to V1" \
	equal "$(sql "SELECT coalesce(sum(pairs), 0) FROM violations WHERE violation = 'V1'")" \
	"$(number v1_reversal pairs_reversed)"
check "regretted evictions add up to V5" \
	equal "$(sql "SELECT count(*) FROM violations WHERE violation = 'V5'")" \
	"$(number refaults regretted)"
check "folios that left a generation add up to the spans that ended in one" \
	equal "$(sql "SELECT count(*) FROM spans WHERE next IN ('gen', 'off') AND seq IS NOT NULL")" \
	"$(number generations leaves)"
check "no span begins after its end" \
	equal "$(sql 'SELECT count(*) FROM spans WHERE from_ns > to_ns')" 0
check "the indexes are there" equal "$(sql "SELECT count(*) > 5 FROM sqlite_master
	WHERE type = 'index' AND sql IS NOT NULL")" 1

unquoted()
{
	$python - "$tmp/x.db" <<-'END'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		names = db.execute("SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c"
		                   " WHERE t.type IN ('table', 'view')").fetchall()
		assert len(names) > 200
		for table, column in names:
		    db.execute(f"SELECT {column} FROM {table} WHERE {column} = 0 LIMIT 1")
	END
}
check "no name of a column needs quotes" unquoted
check "the version is that of the page" \
	equal "$(sql 'PRAGMA user_version')" "$(sed -n 's/.*user_version` is \([0-9]*\),.*/\1/p' formats/sqlite.md)"
check "V3 and V5 have the type as their site" equal \
	"$(sql "SELECT count(*) FROM violations WHERE violation IN ('V3', 'V5') AND site IS NOT type")" 0

awk '/^```sql/ { n++; on = 1; next } /^```/ { on = 0 } on { print > "'"$tmp"'/q" n ".sql" }' \
	formats/sqlite.md
check "there are ten questions" equal "$(ls "$tmp"/q*.sql | wc -l)" 10
for question in "$tmp"/q*.sql; do
	name=$(basename "$question" .sql)
	answered()
	{
		sqlite3 -bail -header "$tmp/x.db" < "$question" > "$tmp/answer" || return 1
		[ "$(wc -l < "$tmp/answer")" -ge 2 ] || { echo "no row"; return 1; }
	}
	check "question ${name#q} has an answer" answered
done

run "$folioscope" export -q --sqlite "$tmp/small.db" --no-events "$file"
check "without events it is smaller" \
	[ "$(stat -c %s "$tmp/small.db")" -lt "$(stat -c %s "$tmp/x.db")" ]
"$folioscope" export -q --sqlite - "$file" > "$tmp/piped.db"
check "to standard output it is the same" \
	equal "$(sqlite3 "$tmp/piped.db" 'SELECT count(*), sum(pfn) FROM events')" \
	"$(sql 'SELECT count(*), sum(pfn) FROM events')"

run "$folioscope" export -q --perfetto "$tmp/x.pftrace" "$file"
check "export to Perfetto" silent
decoded()
{
	protoc --proto_path=tests/cli --decode=Trace tests/cli/perfetto.proto \
		< "$tmp/x.pftrace" > "$tmp/pf.txt" || return 1
	# a field that is not in the .proto is printed by its number
	! grep -E '^ *[0-9]+[: {]' "$tmp/pf.txt"
}
check "protoc decodes all of it" decoded
cat > "$tmp/pf.py" << 'EOF'
# the wire format once more, with a reader of its own
import json, sys
def fields(data):
    at = 0
    while at < len(data):
        def varint():
            nonlocal at
            value = shift = 0
            while True:
                byte = data[at]; at += 1
                value |= (byte & 127) << shift; shift += 7
                if byte < 128:
                    return value
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            assert key & 7 == 2, key
            size = varint()
            yield key >> 3, data[at:at + size]
            at += size
            assert at <= len(data)
tracks, events = {}, []
for number, packet in fields(open(sys.argv[1], "rb").read()):
    assert number == 1
    packet = dict(fields(packet))
    if 60 in packet:
        track = dict(fields(packet[60]))
        assert track[1] not in tracks
        tracks[track[1]] = track
    else:
        event = dict(fields(packet[11]))
        assert event[11] in tracks, "event before its track"
        events.append((packet[8], event))
for track in tracks.values():
    assert track.get(5) is None or track[5] in tracks
info = json.load(open(sys.argv[2]))["tables"]
first = int(info["recording"][0]["first_ts_ns"])
last = first + info["recording"][0]["duration_ns"]
slack = 1 + info["timeline"][1]["ts_ns"]
depth, counters, names = {}, 0, {}
order = {1: 1, 2: 0, 3: 2, 4: 3}
events = [e for _, e in sorted(enumerate(events), key=lambda e: (e[1][0], e[0]))]
for ts, event in events:
    assert first <= ts <= last + slack, ts
    kind, track = event[9], event[11]
    if kind in (1, 2):
        depth[track] = depth.get(track, 0) + (1 if kind == 1 else -1)
    if kind == 4:
        assert 8 in tracks[track]
        counters += 1
    if 23 in event:
        names[event[23].decode()] = names.get(event[23].decode(), 0) + 1
assert all(d == 0 for d in depth.values()), "slices that do not end"
scans = [r for r in info["event_counts"] if r["event"] == "scan"][0]["events"]
agings = [r for r in info["event_counts"] if r["event"] == "max_seq"][0]["events"]
assert names["scan anon"] + names.get("scan file", 0) == scans, (names, scans)
assert names["aging"] == agings, (names, agings)
assert counters > 1000
assert sum(1 for t in tracks.values() if t[2].startswith(b"pfn 0x")) == 64
EOF
check "tracks, slices, counters and lanes are consistent" \
	$python "$tmp/pf.py" "$tmp/x.pftrace" "$tmp/report.json"
pfn=$("$folioscope" lifetimes -q -f csv -n 1 "$file" | awk -F, 'NR == 2 { print $2 }')
"$folioscope" export -q --perfetto - --lanes 0 --pfn "$pfn" "$file" > "$tmp/one.pftrace"
check "a lane for a chosen page frame, to standard output" \
	equal "$(strings -n 6 "$tmp/one.pftrace" | grep -c '^pfn 0x')" 1

run "$folioscope" export -q --jsonl "$tmp/x.jsonl" "$file"
check "export to JSON Lines" silent
"$folioscope" lifetimes -q -f jsonl "$file" > "$tmp/y.jsonl"
check "it is that of lifetimes" cmp "$tmp/x.jsonl" "$tmp/y.jsonl"
run "$folioscope" export -q --csv "$tmp/csv" "$file"
check "export to CSV files" silent
check "a file per table" sh -c "[ \$(ls '$tmp/csv' | wc -l) -gt 20 ] && [ -s '$tmp/csv/lives.csv' ]"
"$folioscope" lifetimes -q -f csv "$file" > "$tmp/lives.csv"
check "the lives are those of lifetimes" cmp "$tmp/csv/lives.csv" "$tmp/lives.csv"

for kind in sqlite perfetto jsonl; do
	out=$tmp/x.$(echo $kind | sed 's/sqlite/db/; s/perfetto/pftrace/')
	guess=$("$folioscope" export -q --estimate --$kind x "$file" | cut -d' ' -f1)
	real=$(stat -c %s "$out")
	check "$kind: the estimate is near ($guess for $real)" \
		[ "$guess" -ge $((real * 7 / 10)) -a "$guess" -le $((real * 5 + 500000)) ]
	run "$folioscope" export -q --max-output 50k --$kind "$tmp/too-big" "$file"
	expect "$kind: more than --max-output is refused" 1 'raise --max-output'
	check "$kind: and nothing is left" sh -c "! ls '$tmp'/too-big* 2>/dev/null"
done
run "$folioscope" export -q --sqlite /does/not/exist/x.db "$file"
expect "a folder that does not exist" 1 '/does/not/exist'
run "$folioscope" export -q --csv "$tmp/csv" "$file"
expect "a CSV folder that exists" 1 'cannot make the folder'
run "$folioscope" export "$file"
expect "no kind" 2 'export to what'
run "$folioscope" export --sqlite a --csv b "$file"
expect "two kinds" 2 'one kind of output'
run "$folioscope" export --max-output many --sqlite a "$file"
expect "a size that is none" 2 "'many' is not a size"
run sh -c "'$folioscope' export -q --jsonl - '$file' > /dev/full"
expect "a full disk" 1 'cannot write'
done_testing
