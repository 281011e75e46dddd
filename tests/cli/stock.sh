#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Stock events of a kernel without our series: the report equals what trace-cmd
# counts and what the kernel counted itself (the copies of /proc/vmstat that
# folioscope record put into the recording).
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python=/usr/bin/python3
file=$traces/stock.dat

run "$folioscope" report -q "$file"
expect "a recording of stock events is reported" 0 '^Stock events: what this kernel tells'
check "the header is that of any report" grep -q '^kernel: .*6\.12\.117' "$tmp/out"
check "losses are told of" grep -qx 'lost events: none' "$tmp/out"
check "it says what cannot be known" grep -q '^Not to be known from these: generations' "$tmp/out"
check "at most 75 columns" [ "$(awk 'length > 75' "$tmp/out" | wc -l)" -eq 0 ]
check "ASCII" sh -c "! LC_ALL=C grep -q '[^ -~]' '$tmp/out'"

"$folioscope" report -q -f json "$file" > "$tmp/stock.json"
trace-cmd report "$file" 2> /dev/null > "$tmp/text"
sed -n -E 's/^.*\] +[0-9.]+: (mm_[a-z_]+): .*/\1/p' "$tmp/text" | sort | uniq -c > "$tmp/counts"
cat > "$tmp/same.py" << 'EOF'
# The tables against trace-cmd's text, event by event, worked out anew.
import json, re, sys
document = json.load(open(sys.argv[1]))
tables = document["tables"]
assert document["command"] == "stock" and document["status"] == 0
counts = {name: int(n) for n, name in (line.split() for line in open(sys.argv[2]))}
ours = {row["event"]: row["events"] for row in tables["stock_events"]}
assert {k: v for k, v in ours.items() if v} == counts and len(counts) == 8, (ours, counts)

insertions, spans, open_, kind = {}, {}, {"cache": {}, "frame": {}}, {}
batches = {"anon": [0] * 4, "file": [0] * 4}
vmstat = {}
def ns(text):
    seconds, fraction = text.split(".")
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0"))
text_of = ""
for line in open(sys.argv[3], errors="replace"):
    if "folioscope-text" in line:
        text_of = line.split("folioscope-text ")[1].split()[0]
    m = re.match(r"(pgscan_anon|pgscan_file|pgsteal_anon|pgsteal_file|pgactivate) (\d+)$", line)
    if m and text_of.endswith("/vmstat"):
        vmstat.setdefault(m[1], []).append(int(m[2]))
    m = re.match(r".*\] +([\d.]+): (mm_\w+): +(.*)", line)
    if not m:
        continue
    name, text = m[2], m[3]
    field = dict(re.findall(r"(\w+)=(\S+)", text))
    if name == "mm_lru_insertion":
        insertions[int(field["lru"])] = insertions.get(int(field["lru"]), 0) + 1
        pfn = int(field["pfn"], 16)
        if int(field["lru"]) < 4 and pfn in open_["frame"]:
            kind.setdefault(pfn, "anon" if int(field["lru"]) < 2 else "file")
    elif name.startswith("mm_filemap"):
        pfn = int(field["pfn"], 16)
        which = "page_cache"
        if "add" in name:
            open_["cache"][pfn] = 1
            spans.setdefault(which, [0, 0])[0] += 1
        elif open_["cache"].pop(pfn, None):
            spans[which][1] += 1
    elif name == "mm_page_alloc":
        open_["frame"][int(field["pfn"], 16)] = 1
        kind.pop(int(field["pfn"], 16), None)
    elif name == "mm_page_free":
        pfn = int(field["pfn"], 16)
        if open_["frame"].pop(pfn, None):
            use = spans.setdefault(kind.get(pfn, "other"), [0, 0])
            use[1] += 1
    elif name == "mm_vmscan_lru_isolate":
        b = batches["anon" if "anon" in field["lru"] else "file"]
        b[0] += 1
        b[1] += int(field["nr_taken"])
    elif name == "mm_vmscan_lru_shrink_inactive":
        b = batches["file" if "FILE" in text else "anon"]
        b[2] += 1
        b[3] += int(field["nr_reclaimed"])
lists = ["inactive_anon", "active_anon", "inactive_file", "active_file", "unevictable"]
for row in tables["stock_insertions"]:
    assert row["insertions"] == insertions.get(lists.index(row["list"]), 0), row
for row in tables["stock_lifetimes"]:
    assert row["ended"] == spans.get(row["what"], [0, 0])[1], (row, spans)
    assert row["begun"] == row["ended"] + row["open"] + row["cut"] + row["unclear"], row
    if row["what"] == "page_cache":
        assert row["begun"] == spans["page_cache"][0]
for row in tables["stock_reclaim"]:
    assert [row["batches"], row["taken"], row["passes"], row["reclaimed"]] == batches[row["type"]], row
    # what the kernel counted between the two copies of /proc/vmstat
    for key, counter in (("taken", "pgscan_"), ("reclaimed", "pgsteal_")):
        before, after = vmstat[counter + row["type"]]
        assert row[key] == after - before > 0, (row, counter, before, after)
assert vmstat["pgactivate"][1] - vmstat["pgactivate"][0] >= counts["mm_lru_activate"] > 0
EOF
check "events, insertions, spans and batches equal those of trace-cmd's text and vmstat" \
	$python "$tmp/same.py" "$tmp/stock.json" "$tmp/counts" "$tmp/text"

cat > "$tmp/validate.py" << 'EOF'
import json, sys, jsonschema
schema, document = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
validator = jsonschema.Draft202012Validator(schema)
errors = list(validator.iter_errors(document))
for error in errors[:5]:
    print(error.message[:200])
document["tables"].pop("stock_reclaim")
assert not validator.is_valid(document)
sys.exit(bool(errors))
EOF
check "JSON is valid by the schema" \
	$python "$tmp/validate.py" formats/folioscope-report.schema.json "$tmp/stock.json"
run "$folioscope" report -q -f csv "$file"
expect "CSV" 0 'stock_reclaim,1,taken,[1-9][0-9]*,pages'
run "$folioscope" report -q "$file"
expect "no time is longer than the recording" 0 '^other pages .* 6\.73s +6\.75s$'
check "no word of the LRU of which there is no event" sh -c "! grep -q 'LRU UNKNOWN' '$tmp/out'"
expect "the resolution of times is said" 0 '^quantiles are interpolated within steps of 1/16: up to 6% off$'
run "$folioscope" report --only stock --explain
expect "every number is defined" 0 '^  ended_unbegun .*began before the recording'

# Only some of the events, and none.
run "$folioscope" report -q "$traces/no-lru-gen.dat"
expect "a single kind of stock event: the others are named" 0 'mm_vmscan_lru_isolate'
check "what was not recorded is not shown as zero" sh -c "! grep -q '^Batches of reclaim' '$tmp/out'"
run "$folioscope" report -q --only stock "$traces/chain.dat"
expect "--only stock without any" 4 'none of the stock events'
for command in lifetimes violations lists html; do
	run "$folioscope" "$command" "$file"
	expect "$command: says what is missing and what can be had" 4 'no lru_gen events.*folioscope report'
done

# A damaged one: what was lost is said, and ends what was known.
size=$(stat -c %s "$file")
cp "$file" "$tmp/cut.dat"
dd if=/dev/zero of="$tmp/cut.dat" bs=1 seek=$((size - 150000)) count=3000 conv=notrunc 2> /dev/null
run "$folioscope" report -q "$tmp/cut.dat"
expect "damaged data: exit status 3" 3 '^LOST: an unknown number in [0-9]+ damaged stretch'
check "damaged data: the rest is reported" grep -q '^Batches of reclaim' "$tmp/out"
run "$folioscope" report -q -f json "$tmp/cut.dat"
check "damaged data: spans were cut" $python -c '
import json, sys
rows = json.load(open(sys.argv[1]))["tables"]["stock_lifetimes"]
assert sum(row["cut"] for row in rows) > 0' "$tmp/out"
done_testing
