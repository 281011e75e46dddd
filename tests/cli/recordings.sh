#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The bundled recordings: the analyzer's count of each event equals trace-cmd's,
# nothing contradicts, and each shows what it was made to show.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

for file in "$traces"/*.dat; do
	name=$(basename "$file" .dat)
	case $name in no-lru-gen | stock) continue ;; esac
	run "$folioscope" report "$file"
	expect "$name: report" 0 '^contradictions: none'
	check "$name: at most 75 columns" [ "$(awk 'length > 75' "$tmp/out" | wc -l)" -eq 0 ]
	check "$name: ASCII" sh -c "! LC_ALL=C grep -q '[^ -~]' '$tmp/out'"
	sed -n '/^lru_gen events/,/^other/p' "$tmp/out" | grep '^ ' | xargs -n 2 | sort > "$tmp/ours"
	trace-cmd report -R "$file" 2> /dev/null |
		sed -n 's/.* mm_lru_gen_\([a-z_]*\):.*/\1/p' | sort | uniq -c |
		awk '{ print $2, $1 }' | sort > "$tmp/theirs"
	check "$name: trace-cmd sees events" [ -s "$tmp/theirs" ]
	check "$name: counts equal those of trace-cmd report" diff "$tmp/theirs" "$tmp/ours"
	[ -d "$traces/$name" ] || continue	# its numbers are in it: verify.sh
	run "$folioscope" verify --before "$traces/$name/before" "$file" "$traces/$name/after"
	expect "$name: equals the kernel's sizes and counters" 0 '^[1-9][0-9]* cells compared, 0 differ'
	check "$name: equals the kernel's counters" grep -Eq '^[1-9][0-9]* counters compared, 0 differ' \
		"$tmp/out"
done
done_testing
