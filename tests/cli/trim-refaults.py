# SPDX-License-Identifier: GPL-2.0-only
"""trim-refaults.py WHOLE.db PART.json: refaults and V5 of a report on the part are
those of evictions in it, as the events of the whole recording tell. Refaults of
pages that were evicted before the cut are counted apart. Evicted folios are of one
page each."""
import json
import sqlite3
import sys

whole = sqlite3.connect(sys.argv[1])
tables = json.load(open(sys.argv[2]))["tables"]
cut_ns = int(tables["recording"][0]["first_ts_ns"]) - int(whole.execute(
    "SELECT value FROM metadata WHERE key='first_ts_ns'").fetchone()[0])
assert cut_ns > 0
assert not whole.execute("SELECT count(*) FROM events WHERE event = 'evict' "
                         "AND folio_order > 0").fetchone()[0]
truth = {kind: {"evicted": 0, "chained": 0, "earlier": 0} for kind in ("anon", "file")}
evicted_ns, swapped_in = {}, {}
for ts_ns, event, kind, pfn, *page in whole.execute(
        "SELECT ts_ns, event, type, pfn, dev, ino, page_index FROM events "
        "WHERE event IN ('evict', 'swapin', 'refault') ORDER BY rowid"):
    page = tuple(page)
    if event == "swapin":
        swapped_in[pfn] = page
        continue
    if event == "evict":
        evicted_ns[page] = ts_ns
        truth[kind]["evicted"] += ts_ns >= cut_ns
        continue
    if kind == "anon":
        page = swapped_in[pfn]    # a refault from swap does not name its page
    if ts_ns >= cut_ns and page in evicted_ns:
        truth[kind]["chained" if evicted_ns[page] >= cut_ns else "earlier"] += 1
for kind, numbers in truth.items():
    for name, later in (("regretted", 1), ("earlier_regretted", 0)):
        numbers[name] = whole.execute(
            "SELECT count(*) FROM violations WHERE violation = 'V5' AND site = ? AND ts_ns >= ? "
            "AND (ts_ns - magnitude >= ?) = ?", (kind, cut_ns, cut_ns, later)).fetchone()[0]
for row in tables["refaults"]:
    numbers = truth[row["type"]]
    assert numbers == {name: row[name] for name in numbers}, (numbers, row)
    assert row["chained"] <= row["evicted"]
assert sum(numbers["earlier"] for numbers in truth.values()) > 100, truth
shields = {row["what"]: row["nr"] for row in tables["hitshield"]}
if shields:
    # pages that a shield had spared before are counted by their fate
    back = sum(row["nr"] for row in tables["hitshield_fates"] if row["fate"] == "evicted, came back")
    assert truth["anon"]["chained"] == shields["others_refaulted"] + back, (truth, shields, back)
    assert truth["anon"]["earlier"] == shields["earlier_refaulted"], (truth, shields)
