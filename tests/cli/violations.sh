#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What folioscope violations says besides numbers. Usage: violations.sh BUILDDIR
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

# Examples of V5 stand under their type, soonest first.
v5_examples()
{
	"$folioscope" violations -q -n 5 "$1" | sed -n '/^V5/,$p' > "$tmp/v5"
	"$folioscope" lifetimes -q -n 0 -f csv "$1" | tr -d '\r' > "$tmp/lives"
	python3 - "$tmp/v5" "$tmp/lives" "$2" <<-'END'
		import csv, re, sys
		types = {row["life"]: row["type"] for row in csv.DictReader(open(sys.argv[2]))}
		unit = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
		seen, under, last = {}, None, 0
		for line in open(sys.argv[1]):
		    if heading := re.match(r"(anon|file):", line):
		        under, last = heading[1], 0
		    elif example := re.match(r"    pfn \S+ life (\d+) at \S+ back after ([0-9.]+)([a-z]+)$", line):
		        time = float(example[2]) * unit[example[3]]
		        assert types[example[1]] == under, line
		        assert time >= last, line
		        last = time
		        seen[under] = seen.get(under, 0) + 1
		assert seen == eval(sys.argv[3]), seen
	END
}
check "V5: examples of both types" v5_examples $traces/migrate.dat '{"anon": 5, "file": 5}'
check "V5: examples of anon only" v5_examples $traces/thp.dat '{"anon": 5}'

run "$folioscope" violations -q $traces/file.dat
expect "V5 without an aging says what it is worth" 0 '^no aging was recorded'
run "$folioscope" violations -q $traces/chain.dat
check "and with agings it does not" sh -c "! grep -q '^no aging' '$tmp/out'"
"$folioscope" export -q --sqlite "$tmp/chain.db" $traces/chain.dat
unaged=$(/usr/bin/python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("""SELECT count(*) FROM violations WHERE
	violation = "V5" AND site = "file" AND memcg NOT IN
	(SELECT memcg FROM events WHERE event = "max_seq")""").fetchone()[0])' "$tmp/chain.db")
check "of a lruvec that did not age it does ($unaged)" [ "$(sed -n \
	'/^file: .* evicted/,$s/^  \([0-9]*\) of them from lruvecs of which no aging.*/\1/p' \
	"$tmp/out")" -eq "$unaged" ]
run "$folioscope" report -q --only refault $traces/chain.dat
expect "so does the report" 0 "^    $unaged of them from lruvecs of which no aging"
run "$folioscope" report -q --only refault $traces/file.dat
expect "V5 without an aging, in the report" 0 '^V5: no aging was recorded'

run "$folioscope" report -q $traces/chain.dat
expect "tiers are separated, not ended" 0 '^    tier 0: [0-9.]+% of [0-9]+; tier 1: .* of [0-9]+$'
expect "a machine without a name has none" 0 '^kernel:      Linux 6\.12\.117 x86_64$'

run "$folioscope" violations -q $traces/aging.dat
expect "a relabelling that passed nobody is no violation" 0 '^  so no order was violated$'
check "it has no example" sh -c "! grep -q 'passed younger folios: 0' '$tmp/out'"
run "$folioscope" report -q --only order $traces/aging.dat
expect "nor in the report" 0 'relabelled only: .* no order was violated$'
run "$folioscope" violations -q $traces/noswap.dat
expect "a relabelling that passed some is one" 0 'passed younger folios: [1-9]'
run "$folioscope" violations -q $traces/hitshield.dat
expect "an inversion within one list has no generations" 0 \
	'^  4 folios; 1726 pairs inverted, all within one list \(of one$'
run "$folioscope" violations -q $traces/thp.dat
expect "one of a thing has no plural" 0 '^  1 move in 1 run, the longest 1$'
done_testing
