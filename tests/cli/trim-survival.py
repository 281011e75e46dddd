# SPDX-License-Identifier: GPL-2.0-only
"""trim-survival.py WHOLE.db PART.json: the survival that a report on the part
prints must be that of the lives of the whole recording, seen from the cut on. At
risk at an age are only lives that were seen before it (delayed entry). Counts are
the same, and the curve is near the one of exact times, as R's survfit() gives it for
Surv(entry, exit, reclaimed)."""
import json
import sqlite3
import sys


def bucket(ns):
    """As analyzer/hist.h: 16 of the same width in each power of two."""
    shift = max(ns.bit_length() - 5, 0)
    return ns if ns < 16 else (shift + 1) * 16 + (ns >> shift & 15)


def exact_curve(lives):
    """Kaplan-Meier: [(time, fraction alive after it)]."""
    # at one time: what ends there is still at risk, what enters there is not yet
    steps = sorted([(end, 0, dead) for _, end, dead in lives] +
                   [(entry, 1, False) for entry, _, _ in lives])
    alive, at_risk, curve, i = 1.0, 0, [], 0
    while i < len(steps):
        time, kind = steps[i][:2]
        same = [step for step in steps[i:i + 5000] if step[:2] == (time, kind)]
        i += len(same)
        if kind:
            at_risk += len(same)
            continue
        dead = sum(step[2] for step in same)
        if dead:
            alive *= 1 - dead / at_risk
            curve.append((time, alive))
        at_risk -= len(same)
    return curve


whole = sqlite3.connect(sys.argv[1])
tables = json.load(open(sys.argv[2]))["tables"]
recording = tables["recording"][0]
# the first event at or after the cut, as the whole counts time
cut_ns = int(recording["first_ts_ns"]) - int(whole.execute(
    "SELECT value FROM metadata WHERE key='first_ts_ns'").fetchone()[0])
to_ns = cut_ns + recording["duration_ns"]
assert cut_ns > 0
nr_late = nr_within = 0
for kind in ("anon", "file"):
    lives = []
    for birth_ns, end_ns, end in whole.execute(
            "SELECT birth_ns, end_ns, \"end\" FROM lives "
            "WHERE type = ? AND birth != 'unknown' AND end_ns >= ? AND birth_ns <= ?",
            (kind, cut_ns, to_ns)):
        dead = end in ("evicted", "reclaimed", "lazyfreed") and end_ns <= to_ns
        entry = cut_ns - 1 - birth_ns if birth_ns < cut_ns else -1
        lives.append((entry, min(end_ns, to_ns) - birth_ns, dead))
        nr_late += entry >= 0
        nr_within += entry > 0 and bucket(entry) == bucket(lives[-1][1])
    rows = [row for row in tables["survival"] if row["type"] == kind]
    for row in rows:
        at = bucket(row["up_to_ns"])
        seen = sum(1 for entry, end, _ in lives
                   if bucket(max(entry, 0)) <= at <= bucket(end) and entry < row["up_to_ns"])
        nr = sum(1 for _, end, dead in lives if dead and bucket(end) == at)
        assert (seen, nr) == (row["at_risk"], row["reclaimed"]), (seen, nr, row)
    assert sum(row["reclaimed"] for row in rows) == sum(dead for _, _, dead in lives)
    exact, worst = exact_curve(lives), 0
    for row in rows:
        before = [alive for time, alive in exact if time <= row["up_to_ns"]]
        worst = max(worst, abs((before or [1])[-1] - row["survival"]))
    print(f"{kind}: {len(lives)} lives, at most {worst:.4f} from the exact curve")
    assert worst < 0.005, worst
print(f"{nr_late} from before the cut, {nr_within} seen within one bucket only")
assert nr_late > 100, nr_late
