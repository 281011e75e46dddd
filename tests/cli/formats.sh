#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# JSON, JSON Lines and CSV, read by programs that are not ours.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python=/usr/bin/python3		# Debian's, with Debian's modules

"$folioscope" report --schema > "$tmp/schema.json"
check "the schema in formats/ is that of the program" \
	diff formats/folioscope-report.schema.json "$tmp/schema.json"

cat > "$tmp/schema_check.py" << 'EOF'
import json, jsonschema

def load(schema_path, document_path):
    """The document, a validator of the schema, and whether it finds an error in it."""
    schema = json.load(open(schema_path))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    document = json.load(open(document_path))
    errors = list(validator.iter_errors(document))
    for error in errors[:5]:
        print("/".join(map(str, error.absolute_path)), error.message[:200])
    return document, validator, bool(errors)

def finds(validator, document, changes):
    """What is out of the schema must be found."""
    for change in changes:
        bad = json.loads(json.dumps(document))
        change(bad)
        assert not validator.is_valid(bad)
EOF
cat > "$tmp/validate.py" << 'EOF'
import sys, schema_check
document, validator, is_bad = schema_check.load(sys.argv[1], sys.argv[2])
assert document["command"] == sys.argv[3], document["command"]
assert document["status"] == int(sys.argv[4]), document["status"]
if sys.argv[3] == "report":
    schema_check.finds(validator, document, (
        lambda d: d["tables"].pop("counters"),
        lambda d: d["tables"]["event_counts"][0].update(events="1"),
        lambda d: d["tables"]["event_counts"][0].update(more=1),
        lambda d: d.update(schema_version=99)))
sys.exit(is_bad)
EOF
json_is_valid()	# json_is_valid COMMAND ARG...
{
	run "$folioscope" "$1" -q -f json "${@:2}"
	[ "$status" -eq 0 ] || { cat "$tmp/err"; return 1; }
	$python "$tmp/validate.py" formats/folioscope-report.schema.json "$tmp/out" "$1" 0
}

file=$traces/chain.dat
pfn=$("$folioscope" lifetimes -q -f csv -n 1 -s -evictions "$file" | awk -F, 'NR == 2 { print $2 }')
for command in report violations check; do
	check "$command: JSON is valid by the schema" json_is_valid $command "$file"
done
check "lifetimes: JSON is valid by the schema" json_is_valid lifetimes -n 200 "$file"
check "folio: JSON is valid by the schema" json_is_valid folio "$file" "$pfn"

cat > "$tmp/validate-compare.py" << 'EOF'
import sys, schema_check
document, validator, is_bad = schema_check.load(sys.argv[1], sys.argv[2])
schema_check.finds(validator, document, (
    lambda d: d.pop("survival"),
    lambda d: d.update(schema_version=99),
    lambda d: d["rows"][0].update(verdict="perhaps"),
    lambda d: d["rows"][0].pop("detectable"),
    lambda d: d["rows"][0].update(p=1.5),
    lambda d: d["rows"][0].update(more=1),
    lambda d: d["rows"][0]["base"].update(mean="1"),
    lambda d: d["runs"]["base"][0].update(lost_events=0.5),
    lambda d: d["conditions"][0].update(differs=None)))
# and so must a step of a curve or a bucket that is not one
if document["survival"]:
    for place in (document["survival"]["anon"]["base"]["curve"],
                  document["refault_distance"]["anon"]["ns"]["patch"]):
        place[0].append(1)
        assert not validator.is_valid(document)
        place[0].pop()
        assert validator.is_valid(document) or is_bad
sys.exit(is_bad)
EOF
compare_is_valid()	# compare_is_valid ARG...
{
	run "$folioscope" compare -q -f json "$@"
	[ "$status" -eq 0 ] || { cat "$tmp/err"; return 1; }
	$python "$tmp/validate-compare.py" formats/folioscope-compare.schema.json "$tmp/out"
}
aa=tests/compare/aa
check "compare: JSON of counter files is valid by its schema" compare_is_valid \
	$aa/mixed-[1-5].txt --with $aa/mixed-[6-9].txt $aa/mixed-10.txt --fail-if 'pgfault>50%'
check "compare: JSON by bootstrap, per another row" compare_is_valid --bootstrap --per pgfault \
	$aa/mixed-[1-5].txt --with $aa/mixed-[6-9].txt
check "compare: JSON of one run a side" compare_is_valid \
	tests/compare/e4-base.txt --with tests/compare/e4-list.txt
check "compare: JSON of the classic LRU and counters" compare_is_valid \
	$traces/classic.dat --with "$file" $aa/mixed-1.txt
check "compare: JSON of recordings" compare_is_valid \
	"$file" $traces/lazyfree.dat --with $traces/memcgs.dat $traces/file.dat

cat > "$tmp/same.py" << 'EOF'
# the rows of one table in CSV, JSON Lines and JSON
import csv, json, sys
name = sys.argv[1]
def flat(row):
    return ["" if v is None else str(v).lower() if isinstance(v, bool) else str(v)
            for v in row.values()]
rows = list(csv.reader(open(sys.argv[2], newline="")))
raw = open(sys.argv[2], "rb").read()
assert raw.count(b"\r\n") >= len(rows) and b"\n\n" not in raw
lines = [json.loads(line) for line in open(sys.argv[3])]
document = json.load(open(sys.argv[4]))["tables"][name]
assert rows[0] == list(lines[0].keys()) == list(document[0].keys())
assert len(rows) - 1 == len(lines) == len(document) > 10, (len(rows), len(lines), len(document))
for a, b, c in zip(rows[1:], lines, document):
    assert a == flat(b) == flat(c), (a, b, c)
EOF
same_rows()	# same_rows TABLE COMMAND ARG...
{
	for format in csv jsonl json; do
		"$folioscope" "$2" -q -f $format "${@:3}" > "$tmp/rows.$format" || return 1
	done
	$python "$tmp/same.py" "$1" "$tmp/rows.csv" "$tmp/rows.jsonl" "$tmp/rows.json"
}
check "lifetimes: the same rows in CSV, JSON Lines and JSON" \
	same_rows lives lifetimes -n 3000 "$file"
check "folio: the same rows in CSV, JSON Lines and JSON" same_rows story folio "$file" "$pfn"

cat > "$tmp/cells.py" << 'EOF'
# every value of the JSON document is in the CSV, and nothing else is
import csv, json, sys
cells = {}
for row in csv.DictReader(open(sys.argv[1], newline="")):
    cells[row["table"], int(row["row"]), row["column"]] = row["value"]
nr = 0
for name, rows in json.load(open(sys.argv[2]))["tables"].items():
    for i, row in enumerate(rows, 1):
        for column, value in row.items():
            if value is None:
                assert (name, i, column) not in cells
                continue
            text = str(value).lower() if isinstance(value, bool) else str(value)
            got = cells[name, i, column]
            assert got == text or float(got) == float(value), (name, i, column, got, value)
            nr += 1
assert nr == len(cells) > 1000, (nr, len(cells))
EOF
same_cells()	# same_cells COMMAND
{
	"$folioscope" "$1" -q -f csv "$file" > "$tmp/all.csv" &&
		"$folioscope" "$1" -q -f json "$file" > "$tmp/all.json" &&
		$python "$tmp/cells.py" "$tmp/all.csv" "$tmp/all.json"
}
check "report: the same values in CSV and JSON" same_cells report
check "violations: every value of the CSV is in the JSON" \
	sh -c "'$folioscope' violations -q -f csv '$file' | grep -q '^v1_reversal,1,pairs,'"

"$folioscope" report --explain > "$tmp/explained"
explained()
{
	$python - "$tmp/explained" formats/folioscope-report.schema.json << 'EOF'
import json, sys
text = open(sys.argv[1]).read()
assert max(map(len, text.splitlines())) <= 75
words = set(text.split())
for name, table in json.load(open(sys.argv[2]))["properties"]["tables"]["properties"].items():
    assert name + "," in words, name
    for column in table["items"]["properties"]:
        assert column in words, column
EOF
}
check "report --explain defines every column, in 75 columns" explained
run "$folioscope" report --explain --only counters
expect "report --explain of one part" 0 '^counters, from: '
check "and of no other" sh -c "! grep -q '^lazyfree, from' '$tmp/out'"

run "$folioscope" report -f xml "$file"
expect "an unknown format" 2 "no format is called 'xml'"
run "$folioscope" report -f jsonl "$file"
expect "a format that report has not" 2 "no format is called 'jsonl'"
run "$folioscope" folio -f json "$file" 0xfffffff
expect "no document for a folio that is not there" 1 'no event of pfn'
check "and nothing on stdout" [ ! -s "$tmp/out" ]
html_page()
{
	"$folioscope" html -q -o "$tmp/both.html" "$traces/chain.dat" --with "$traces/file.dat" || return 1
	$python - "$tmp/both.html" <<-'END'
		import json, re, sys
		page = open(sys.argv[1]).read()
		units = set(re.findall(r'>first_ts_ns <span class="soft">\[(\w+)\]', page))
		assert units == {"ns"}, units	# its cells are numbers of ns
		units = set(re.findall(r'>duration_ns <span class="soft">\[(\w+)\]', page))
		assert units == {"time"}, units
		data = json.loads(re.search(r'id="timeline-data">(.*?)</script>', page, re.S)[1])
		dashes = [{s["dash"] for s in side["series"]} for side in data]
		assert dashes == [{False}, {True}], dashes	# base solid, patch dashed
	END
}
check "html: units of columns, and which lines are dashed" html_page
done_testing
