#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The same numbers in text, JSON, CSV, SQLite and HTML, for the same recording.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
python=/usr/bin/python3

cat > "$tmp/compare.py" << 'EOF'
import csv, html.parser, json, os, re, sqlite3, sys
folder = sys.argv[1]
tables = json.load(open(f"{folder}/report.json"))["tables"]

def same(a, b):
    """A cell of JSON against one read from elsewhere; '' and None are absent."""
    if a is None or b is None or b == "":
        return (a is None or a == "") and (b is None or b == "")
    if isinstance(a, bool):
        return b in (str(a).lower(), int(a))
    if isinstance(a, float) or isinstance(b, float):        # nine significant digits, all of them in SQLite
        return abs(a - float(b)) <= 1e-8 * abs(a)
    return str(a) == str(b)

def compare(name, where, rows):
    expected = [list(r.values()) for r in tables[name]]
    assert len(rows) == len(expected), (where, name, len(rows), len(expected))
    for a, b in zip(expected, rows):
        assert len(a) == len(b) and all(map(same, a, b)), (where, name, a, b)
    return sum(map(len, rows))

nr = {"csv": 0, "sqlite": 0, "html": 0, "long": 0, "text": 0}
database = sqlite3.connect(f"{folder}/x.db")
for name in tables:
    rows = list(csv.reader(open(f"{folder}/csv/{name}.csv", newline="")))
    nr["csv"] += compare(name, "CSV", rows[1:])
    nr["sqlite"] += compare(name, "SQLite", database.execute(f'SELECT * FROM "{name}"').fetchall())

class Cells(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self.name = {}, None
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self.name = attributes.get("data-table")
            if self.name:
                assert self.name not in self.tables
                self.tables[self.name] = []
        elif tag == "tr" and self.name:
            self.tables[self.name].append([])
        elif tag == "td" and self.name:
            self.tables[self.name][-1].append(attributes["data-v"])
cells = Cells()
cells.feed(open(f"{folder}/report.html").read())
for name, rows in cells.tables.items():
    nr["html"] += compare(name, "HTML", [r for r in rows if r])
assert set(cells.tables) == set(tables), set(tables) ^ set(cells.tables)

for row in csv.DictReader(open(f"{folder}/report.csv", newline="")):
    cell = tables[row["table"]][int(row["row"]) - 1][row["column"]]
    assert same(cell, row["value"]), row
    nr["long"] += 1

# what people read
text = open(f"{folder}/report.txt").read()
def number(pattern):
    found = re.search(pattern, text, re.M)
    assert found, pattern
    nr["text"] += len(found.groups())
    return [int(g) for g in found.groups()]
for row in tables["event_counts"]:
    if row["events"]:
        assert number(rf"\b{row['event']} +(\d+)") == [row["events"]], row
for row in tables["ends"]:
    if sum(v for v in row.values() if isinstance(v, int)) or row["end"] == "lost":
        assert number(rf"^{row['end']} +(\d+) +(\d+) +(\d+) +(\d+)$") == list(row.values())[1:], row
for row in tables["counters"]:
    assert number(rf"\b{row['name']} +(\d+)\b") == [row["pages"]], row
for row in tables["v1_reversal"]:
    assert number(rf"^  {row['site']} +(\d+) +(\d+) +(\d+) ") == \
        [row["runs"], row["moves"], row["pairs"]], row
for row in tables["v2_inversion"]:
    assert number(rf"^  {row['site']} +(\d+) +(\d+) +(\d+) +(\d+)$") == \
        [row["times"], row["folios"], row["pairs"], row["max_gap_gens"]], row
for row in tables["v3_eviction_inversion"]:
    assert number(rf"^V3 eviction inversion, {row['type']}: (\d+) of (\d+)") == \
        [row["violations"], row["reclaimed"]], row
for row in tables["refaults"]:
    if row["evicted"] or row["refaulted"]:
        assert number(rf"^{row['type']}: (\d+) evicted with a shadow, (\d+) refaulted \((\d+) followed") == \
            [row["evicted"], row["refaulted"], row["chained"]], row
assert number(r"^(\d+) lives;") == [tables["quality"][0]["lives"]]
assert number(r"^lives of unknown beginning: (\d+) of (\d+)") == \
    [tables["quality"][0]["lives_unknown"], tables["quality"][0]["lives"]]
for row in tables["survival_quantiles"]:
    if row["lives"]:
        assert number(rf"^{row['type']}, (\d+) lives") == [row["lives"]]
for row in tables["generations"]:
    assert number(rf"^{row['type']} age {row['age']} +(\d+) ") == [row["leaves"]], row
lazyfree = tables["lazyfree"][0]
if lazyfree["marked"]:
    assert number(r"^marked +(\d+) folios \((\d+) pages\)") == \
        [lazyfree[k] for k in ("marked", "marked_pages")]
    assert number(r"^reclaim reached a marked folio (\d+) times?, and kept it (\d+) times?") == \
        [lazyfree[k] for k in ("reached", "skipped")]
    # every mark is in one of the lines
    fates = re.search(r"^marked .*\n((  .*\n)+)", text, re.M).group(1)
    assert sum(int(line[36:47]) for line in fates.splitlines()) == lazyfree["marked"], fates
print(nr)
assert min(nr.values()) > 50, nr
EOF

for file in "$traces"/lazyfree.dat "$traces"/chain.dat; do
	name=$(basename "$file" .dat)
	same()
	{
		rm -rf "$tmp/all"
		mkdir "$tmp/all"
		"$folioscope" report -q "$file" > "$tmp/all/report.txt" &&
			"$folioscope" report -q -f json "$file" > "$tmp/all/report.json" &&
			"$folioscope" report -q -f csv "$file" > "$tmp/all/report.csv" &&
			"$folioscope" export -q --no-events --sqlite "$tmp/all/x.db" "$file" &&
			"$folioscope" export -q --csv "$tmp/all/csv" "$file" &&
			"$folioscope" html -q -o "$tmp/all/report.html" "$file" &&
			$python "$tmp/compare.py" "$tmp/all"
	}
	check "$name: the same numbers in text, JSON, CSV, SQLite and HTML" same
	spoiled()
	{
		sed -i 's/"lives": \([0-9]*\)1,/"lives": \12,/; s/"pages": \([0-9]*\)[1-8]}/"pages": \19}/' \
			"$tmp/all/report.json"
		! $python "$tmp/compare.py" "$tmp/all"
	}
	check "$name: and the comparison notices another number" spoiled
done
done_testing
