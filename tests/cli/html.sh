#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The HTML report in a headless Chromium; screenshots are kept in BUILD/screenshots.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
shots=$build/screenshots
mkdir -p "$shots"
file=$traces/lazyfree.dat
other=$traces/chain.dat
{
	run "$folioscope" html -q -o "$shots/report.html" "$file"
	[ "$status" -eq 0 ] || { cat "$tmp/err"; exit 1; }
	run "$folioscope" html -q -o "$shots/both.html" "$file" --with "$other"
	[ "$status" -eq 0 ] || { cat "$tmp/err"; exit 1; }
	run "$folioscope" html -q -o "$shots/shields.html" "$traces/hitshield.dat"
	[ "$status" -eq 0 ] || { cat "$tmp/err"; exit 1; }
	"$folioscope" report -q -f json "$file" > "$tmp/report.json"
} >&2
exec timeout 200 /usr/bin/python3 tests/cli/html-check.py "$shots" "$shots/report.html" \
	"$shots/both.html" "$shots/shields.html" "$tmp/report.json"
