# SPDX-License-Identifier: GPL-2.0-only
"""trim-survival.py WHOLE.db PART.json: the survival that a report on the part
prints must be that of the lives of the whole recording, seen from the cut on. At
risk at an age are only lives that were seen before it (delayed entry)."""
import json
import sqlite3
import sys


def bucket(ns):
    """As analyzer/hist.h: 16 of the same width in each power of two."""
    shift = max(ns.bit_length() - 5, 0)
    return ns if ns < 16 else (shift + 1) * 16 + (ns >> shift & 15)


whole = sqlite3.connect(sys.argv[1])
tables = json.load(open(sys.argv[2]))["tables"]
part = tables["survival"]
# the first event at or after the cut, as the whole counts time
cut_ns = int(tables["recording"][0]["first_ts_ns"]) - int(whole.execute(
    "SELECT value FROM metadata WHERE key='first_ts_ns'").fetchone()[0])
assert cut_ns > 0
nr_late = 0
for kind in ("anon", "file"):
    lives = []
    for birth_ns, end_ns, end in whole.execute(
            "SELECT birth_ns, end_ns, \"end\" FROM lives "
            "WHERE type = ? AND birth != 'unknown' AND end_ns >= ?", (kind, cut_ns)):
        entry = bucket(cut_ns - birth_ns) if birth_ns < cut_ns else -1
        lives.append((entry, bucket(end_ns - birth_ns),
                      end in ("evicted", "reclaimed", "lazyfreed")))
        nr_late += entry >= 0
    alive = 1.0
    for row in (row for row in part if row["type"] == kind):
        at = bucket(row["up_to_ns"])
        at_risk = sum(1 for entry, end, _ in lives if entry < at <= end)
        nr = sum(1 for entry, end, dead in lives if dead and entry < end == at)
        alive *= 1 - nr / at_risk
        assert (at_risk, nr) == (row["at_risk"], row["reclaimed"]), (at_risk, nr, row)
        assert abs(alive - row["survival"]) < 1e-6, (alive, row)
assert nr_late > 100, nr_late
