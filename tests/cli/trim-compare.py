# SPDX-License-Identifier: GPL-2.0-only
"""trim-compare.py WHOLE.db PART.db: both from folioscope export --sqlite. What
happened after the cut must be the same in both."""
import sqlite3
import sys

whole, part = (sqlite3.connect(p) for p in sys.argv[1:3])


def first(db):
    return int(db.execute("SELECT value FROM metadata WHERE key='first_ts_ns'").fetchone()[0])


shift = first(part) - first(whole)
assert shift > 0


def both(what, sql, least=1):
    """Rows after the cut with time stamps of the whole recording."""
    a = sorted(whole.execute(sql.format(shift=0) + f" AND t >= {shift}").fetchall(), key=str)
    b = sorted(part.execute(sql.format(shift=shift)).fetchall(), key=str)
    if a != b:
        only_a, only_b = sorted(set(a) - set(b))[:5], sorted(set(b) - set(a))[:5]
        print(f"{what}: {len(a)} rows, {len(b)} in the part; {only_a} / {only_b}")
        sys.exit(1)
    assert len(a) >= least, (what, len(a))
    print(f"{what}: {len(a)} rows are the same")


both("events", "SELECT ts_ns + {shift} AS t, cpu, pid, event, pfn, old_gen, new_gen, site, what "
     "FROM events WHERE 1", 1000)
both("lives", "SELECT end_ns + {shift} AS t, birth_ns + {shift}, life, pfn, type, birth, \"end\", nr_promoted, nr_protected, "
     "nr_isolated, last_age_gens, dev, ino, page_index, nr_evictions FROM lives "
     # of which the latest event was before the cut: lost there
     f"WHERE NOT (\"end\" = 'lost' AND end_ns + {{shift}} <= {shift})", 1000)
both("stays in generations", "SELECT to_ns + {shift} AS t, from_ns + {shift}, pfn, gen, seq, age, next, site "
     f"FROM spans WHERE NOT (next = 'lost' AND to_ns + {{shift}} <= {shift})", 1000)
for db in (whole, part):
    counts = db.execute("SELECT lives, (SELECT count(*) FROM lives) FROM quality").fetchone()
    assert counts[0] == counts[1], counts
both("violations", "SELECT ts_ns + {shift} AS t, violation, site, type, pfn, folios, pairs, magnitude "
     "FROM violations WHERE 1", int(sys.argv[3]) if len(sys.argv) > 3 else 0)
