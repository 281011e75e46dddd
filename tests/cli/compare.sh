#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope compare: the published tables, formats, exit codes, recordings.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

t=tests/compare

run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt
expect "separate list: anon refaults" 0 '^workingset_refault_anon 42016805 19834873 \( *-52.79%\) one run: no verdict$'
expect "separate list: file refaults" 0 '^workingset_refault_file 92010542 49383572 \( *-46.33%\) one run: no verdict$'
expect "what nobody stated is named" 0 '^WARNING: nobody stated: kernel, swap device, THP, memory limit$'
expect "a condition that differs is warned of" 0 '^WARNING: differs: patch$'
run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt --differ patch
expect "unless it is meant to" 0 '^as meant, these differ: patch$'
check "and then there is no such warning" sh -c "! grep -q 'WARNING: differs' '$tmp/out'"
run "$folioscope" compare $t/e4-tail.txt --with $t/e4-list.txt
expect "list against tail: anon" 0 '^workingset_refault_anon .* -2\.36%\) one run: no verdict$'
expect "list against tail: file" 0 '^workingset_refault_file .* -5\.40%\) one run: no verdict$'
run "$folioscope" compare $t/e1-before.txt --with $t/e1-patch2.txt
expect "bulk aging: all patches" 0 '^ops_per_s 44017\.78 44810\.01 \( *\+1\.80%\) one run: no verdict$'
run "$folioscope" compare $t/e1-patch1.txt --with $t/e1-patch2.txt
expect "bulk aging: the last step" 0 '^ops_per_s 44687\.08 44810\.01 \( *\+0\.28%\) one run: no verdict$'
run "$folioscope" compare $t/e5-classic.txt --with $t/e5-mglru.txt \
	--sum sum=pgmajfault+pgsteal_kswapd+pgsteal_direct
expect "classic against MGLRU: the sums" 0 '^sum +11503878 11928659 '

run "$folioscope" compare -q --stats "$traces/chain.dat" --with "$traces/file.dat"
check "--stats: a word on each recording, on standard error" \
	[ "$(grep -Ec '^stats: [1-9][0-9]* records in ' "$tmp/err")" -eq 2 ]
check "--stats: none of it in the table" sh -c "! grep -q '^stats:' '$tmp/out'"

# columns FILE: no line is longer than 75, all ASCII
columns()
{
	awk 'length($0) > 75 { print "too long: " $0; bad = 1 } END { exit bad }' "$1" &&
		! grep -nP '[^\x00-\x7F]' "$1"
}

aa=$(echo $t/aa/mixed-[1-5].txt --with $t/aa/mixed-[6-9].txt $t/aa/mixed-10.txt)
# shellcheck disable=SC2086
run "$folioscope" compare $aa
expect "five against five: no verdict but none" 0 '^no difference that 5 runs a side can show'
check "five against five: nobody is better or worse" \
	sh -c "! grep -Eq '^(better|worse|higher|lower):' '$tmp/out'"
check "text fits into a mail" columns "$tmp/out"
cp "$tmp/out" "$tmp/first"
# shellcheck disable=SC2086
run "$folioscope" compare $aa
check "the same input gives the same output" cmp "$tmp/first" "$tmp/out"
# shellcheck disable=SC2086
run "$folioscope" compare $aa --bootstrap
expect "bootstrap says what it is" 0 '^symmetric bootstrap-t;'
# shellcheck disable=SC2086
run "$folioscope" compare $aa --only pgfault
expect "one row, corrected for one" 0 "for the 1 rows tested"

run "$folioscope" compare $t/e4-list.txt --with $t/e4-base.txt --fail-if 'workingset_refault_file>+5%'
expect "--fail-if fires" 1 'failed: workingset_refault_file>\+5%'
run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt --fail-if 'workingset_refault_file>+5%'
expect "--fail-if does not fire" 0 .
run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt --fail-if 'nr_no_such>5%'
expect "--fail-if of no row" 1 "no row 'nr_no_such'"
run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt --fail-if 'a is worse'
expect "--fail-if of no sense" 2 'is not a condition'

run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt --fail-if worse
expect "--fail-if worse cannot be told from one run a side" 2 'needs two runs a side'
# shellcheck disable=SC2086
run "$folioscope" compare $aa --fail-if worse
expect "--fail-if worse with several" 0 .

for bad in "" "--with $t/e4-list.txt" "$t/e4-base.txt" "$t/e4-base.txt --with" \
	"$t/e4-base.txt --with $t/e4-list.txt --with $t/e4-tail.txt" \
	"$t/e4-base.txt --with $t/e4-list.txt --format html" \
	"$t/e4-base.txt --with $t/e4-list.txt --confidence 20" \
	"$t/e4-base.txt --with $t/e4-list.txt --sum nothing"; do
	# shellcheck disable=SC2086
	run "$folioscope" compare $bad
	expect "usage: compare $bad" 2 .
	check "usage: compare $bad: nothing on stdout" [ -z "$out" ]
done
run "$folioscope" compare $t/e4-base.txt --with $t/none.txt
expect "no such file" 4 'none.txt: no such file'
head -c 3000 /dev/urandom > "$tmp/random"
run "$folioscope" compare $t/e4-base.txt --with "$tmp/random"
expect "random bytes" 4 'random: line [0-9]+'
: > "$tmp/empty"
run "$folioscope" compare $t/e4-base.txt --with "$tmp/empty"
expect "an empty file" 4 'empty: no line with a name and a value'
mkdir "$tmp/folder"
run "$folioscope" compare $t/e4-base.txt --with "$tmp/folder"
expect "a folder without a recording" 4 'is a directory without trace.dat'
# the same file again is not a second run, by whatever name
ln -s "$PWD/$t/e4-list.txt" "$tmp/link.txt"
run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt $t/e4-tail.txt "$tmp/link.txt"
expect "the same file twice on a side" 2 \
	'link.txt: is the same file as .*e4-list.txt, and one run of the patch, not two'
mkdir "$tmp/run"
cp $traces/noswap.dat "$tmp/run/trace.dat"
run "$folioscope" compare -q "$tmp/run" "$tmp/run/trace.dat" --with $traces/chain.dat
expect "a folder and the recording in it" 2 'is the same file as'
run "$folioscope" compare $t/e4-base.txt --with $t/e4-base.txt
expect "the same file on both sides" 0 '^workingset_refault_anon .*\+0\.00%'
run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt --per pgfault
expect "nothing to divide by" 1 "has no 'pgfault'"

run "$folioscope" compare $t/e4-base.txt --with $t/e4-list.txt -f csv
expect "csv: header" 0 '^row,base_runs,base_mean,'
expect "csv: a row" 0 '^workingset_refault_anon,1,42016805,,1,19834873,,-52.79,-22181932,,,,,,,0,one run: no verdict,'
# shellcheck disable=SC2086
run "$folioscope" compare $aa -f csv
check "csv: every line has as many fields" awk -F, 'NF != 18 { print; exit 1 }' "$tmp/out"
expect "csv: the smallest effect, 5.53% of the mean" 0 \
	'^pgfault,5,46125\.4,.*,2552\.829[0-9]*,0,no difference,.*: 5\.53%'
if ! command -v python3 > /dev/null; then
	pass "json # SKIP no python3 to read it with"
else
	# shellcheck disable=SC2086
	run "$folioscope" compare $aa -f json --fail-if 'pgfault>50%'
	check "json: can be parsed, and says the same" python3 - "$tmp/out" <<-'END'
	import json, sys
	d = json.load(open(sys.argv[1]))
	assert d["kind"] == "folioscope-compare" and d["schema_version"] == 2
	assert len(d["runs"]["base"]) == 5 and len(d["runs"]["patch"]) == 5
	rows = {r["name"]: r for r in d["rows"]}
	r = rows["pgfault"]
	mean = [sum(r[s]["values"]) / 5 for s in ("base", "patch")]
	assert abs(r["base"]["mean"] - mean[0]) < 1e-6
	assert abs(r["change_percent"] - 100 * (mean[1] / mean[0] - 1)) < 1e-9
	assert r["change_low"] < r["change"] < r["change_high"]
	assert r["verdict_text"].startswith("no difference that 5 runs a side can show (smallest")
	assert f"have shown: {100 * r['detectable'] / mean[0]:.3g}%" in r["verdict_text"]
	assert d["fail_if"] == [{"condition": "pgfault>50%", "fired": False}]
	assert d["nr_tests"] == sum(r["p"] is not None for r in d["rows"])
	END
fi

check "the recording is there" [ -s $traces/chain.dat ]
run "$folioscope" compare -q $traces/chain.dat --with $traces/chain.dat
expect "a recording with itself: nothing changes" 0 '^workingset_refault_.* \( *\+0\.00%\)'
check "a recording with itself: only zeros" \
	sh -c "! grep -E '\( *[+-][0-9]' '$tmp/out' | grep -v '+0.00%'"
expect "a recording with itself: as many reclaimed as if alike" 0 \
	'log-rank: ([0-9]+) of patch reclaimed, \1 if both sides were alike$'
expect "a recording with itself: the ratio of rates is 1" 0 'patch over base: x1\.000$'

# what is pasted: differing words, all runs, one name for a fact
run "$folioscope" compare -q $traces/chain.dat --with $traces/hitshield.dat
expect "of a long condition the words that differ: base" 0 '^    base:  \.\.\. vm\.scenario=chain '
expect "of a long condition the words that differ: patch" 0 '^    patch: \.\.\. no_timer_check \.\.\.$'
check "text of two kernels fits into a mail" columns "$tmp/out"
check "one run a side: a line for a row that has a value on both" \
	sh -c "! grep -q '^  one run: no verdict' '$tmp/out'"
run "$folioscope" compare -q $traces/chain.dat --with $traces/record.dat
check "a fact has one key" sh -c \
	"! grep -Eq '^  (kernel|clock|cpus|cmdline|thp)  |only:.* (clock|cpus|cmdline|kernel)[,]' '$tmp/out'"
expect "of both: the kernel's release" 0 '^  kernel release +6\.12\.117 +the same$'
expect "of the record: the choice of THP" 0 '^  THP +not stated +never$'
run "$folioscope" compare -q $traces/chain.dat $traces/record.dat $traces/aging.dat \
	--with $traces/memcgs.dat $traces/hitshield.dat
expect "three runs are all named" 0 \
	"^base:  3 runs: $traces/chain.dat, $traces/record.dat,\$"
expect "three runs are all named: the last" 0 "^       $traces/aging.dat\$"
check "several runs: no line ends with blanks" sh -c "! grep -n ' \$' '$tmp/out'"
expect "several runs: a name too long is below, on the left" 0 '^        reclaim_p10_ms.anon '
check "several runs: text fits into a mail" columns "$tmp/out"
run "$folioscope" compare -q $traces/chain.dat --with $traces/hitshield.dat --only pswpin
run "$folioscope" compare -q $traces/chain.dat --with $traces/hitshield.dat
check "pages of zeros are not counted twice" sh -c \
	"grep -q '^pswpin ' '$tmp/out' && ! grep -q '^swpin_zero' '$tmp/out'"
run "$folioscope" compare -q $traces/chain.dat --with $traces/hitshield.dat --only pswpin
check "--only: no other tables" sh -c "! grep -Eq '^(Survival|Refault)' '$tmp/out'"

# quantiles have a resolution: what is not larger is no change
check "a part, to 6.5 s" "$folioscope" trim -q --to 6.5 -o "$tmp/part.dat" "$traces/chain.dat"
run "$folioscope" compare -q $traces/chain.dat --with "$tmp/part.dat" \
	--only 'reclaim_p50_ms.*' --fail-if 'reclaim_p50_ms.file<-1%'
expect "a step of a quantile: within the resolution, --fail-if does not fire" 0 \
	'^reclaim_p50_ms.file .* \( *<=[0-9.]+%\) within the resolution$'
expect "the resolution is said" 0 'interpolated within steps of 1/16: up to 6% off$'
run "$folioscope" compare -q $traces/chain.dat --with "$tmp/part.dat" -f json
expect "json: the resolution, in the unit of the row" 0 '^ *"resolution": 67\.10[0-9]*,$'
check "a part, to 5 s" "$folioscope" trim -q --to 5 -o "$tmp/short.dat" "$traces/chain.dat"
run "$folioscope" compare -q $traces/chain.dat --with "$tmp/short.dat" \
	--only 'reclaim_p50_ms.*' --fail-if 'reclaim_p50_ms.file<-1%'
expect "several steps: --fail-if fires" 1 '^reclaim_p50_ms.file .* \( *-[0-9.]+%\) one run: no verdict$'
run "$folioscope" compare -q $traces/chain.dat --with $traces/chain.dat
check "text of recordings fits into a mail" columns "$tmp/out"
expect "what lies beside a recording is read" 0 '^  swap device +/dev/zram0 \(partition\) +the same$'
expect "a long key is printed whole" 0 '^  /sys/kernel/mm/lru_gen/enabled$'

# damaged data: of unknown size, and which run has it
cp $traces/chain.dat "$tmp/damaged.dat"
head -c 64 /dev/zero | tr '\0' '\377' |
	dd of="$tmp/damaged.dat" bs=1 seek=427404 conv=notrunc 2> /dev/null
run "$folioscope" compare -q $traces/chain.dat --with "$tmp/damaged.dat"
expect "damage: the number lost is unknown" 3 '^  lost events +0 +unknown$'
expect "damage: the run is named" 3 "$tmp/damaged.dat: events lost, damaged"
check "what one side states is told once" [ "$(grep -c 'stated by the base only' "$tmp/out")" = 1 ]
check "text of damaged recordings fits into a mail" columns "$tmp/out"
run "$folioscope" violations -q "$tmp/damaged.dat"
expect "violations: an unknown number was lost" 3 \
	'^LOST: an unknown number in 1 damaged stretch \([0-9.]+ KiB\)$'
expect "violations: the damage has CPU, time and place" 3 \
	'^  CPU 0, from 1\.[0-9]+s to 1\.[0-9]+s, at byte [0-9]+ of the file: chunk'
run "$folioscope" check "$tmp/damaged.dat"
expect "check: an unknown number was lost" 3 '^lost: +an unknown number of events, in the damaged data$'

# recordings with losses: no verdict of what comes from events
for i in 1 2; do
	cp "$traces/lists.dat" "$tmp/whole-$i.dat"
	cp "$traces/lossy/trace.dat" "$tmp/lossy-$i.dat"
done
a="$tmp/whole-1.dat $tmp/whole-2.dat" l="$tmp/lossy-1.dat $tmp/lossy-2.dat"
# shellcheck disable=SC2086
run "$folioscope" compare -q $a --with $l --only 'workingset_refault_*' --fail-if worse
expect "losses: no verdict" 3 '^data lost, damaged or contradictory: no verdict: [1-9][0-9]* rows?$'
expect "losses: --fail-if worse cannot be told" 3 'cannot be told, data was lost, .*: worse$'
check "losses: nobody is better or worse" \
	sh -c "! grep -Eq '^(better|worse|higher|lower):' '$tmp/out'"
# shellcheck disable=SC2086
run "$folioscope" compare -q $l --with $a --fail-if 'workingset_refault_anon>-90%' -f json
expect "losses: --fail-if of a row cannot be told" 3 '"fired": ?null'
# the largest and smallest that may be there, divided by each other
for i in 1 2 3; do
	printf 'a 1.%de29\nb 1.%de-29\n' $i $i > "$tmp/low$i"
	printf 'a 9.%de29\nb 1.%de-29\n' $i $i > "$tmp/high$i"
done
run "$folioscope" compare "$tmp"/low? --with "$tmp"/high? --per b -f csv
expect "no number overflows" 0 '^a,3,1e\+58,.*,higher,'
check "and none is no number" sh -c "! grep -Eq 'nan|inf' '$tmp/out'"
printf 'a 0\nb 3\n' > "$tmp/x"
printf 'a 7\nb 3000000\n' > "$tmp/y"
run "$folioscope" compare "$tmp/x" --with "$tmp/y"
expect "a change from nothing has no blanks in it" 0 '^a +0 +7 +\(from 0\)'
run "$folioscope" compare -q $traces/chain.dat --with $traces/chain.dat -f csv
check "row by row as report has it" sh -c "
	'$folioscope' report -q --only counters $traces/chain.dat > '$tmp/report'
	for name in pgscan_anon workingset_refault_anon; do
		value=\$(sed -n \"s/^\$name,1,\([0-9]*\),.*/\1/p\" '$tmp/out')
		grep -Eq \"\$name +\$value( |\$)\" '$tmp/report' || { echo \$name \$value; exit 1; }
	done"

# A recording of the classic LRU, with the kernel's own counters beside it, and one of
# the multi-gen LRU: what events do not tell is not taken for zero.
for name in classic chain; do
	cp -r "$traces/$name" "$tmp/$name"
	cp "$traces/$name.dat" "$tmp/$name/trace.dat"
done
run "$folioscope" compare -q "$tmp/classic" --with "$tmp/chain"
expect "classic against multi-gen: warned of" 0 '^WARNING: differs: LRU lists$'
expect "classic against multi-gen: both are named" 0 '^ +LRU lists +classic +multi-gen$'
expect "classic: refaults are unknown" 0 '^anon time +base +unknown$'
expect "multi-gen: refaults are known" 0 '^anon time +patch +4110 '
kernel=$(awk '$1 == "pgscan_anon" { n = $2 - n } END { print n }' \
	"$tmp/classic/before/vmstat" "$tmp/classic/after/vmstat")
expect "classic: scans are those of vmstat" 0 "^pgscan_anon +$kernel +7499 "
run "$folioscope" compare -q "$tmp/classic" --with "$tmp/chain" -f csv
expect "classic: no lives to compare" 0 '^lives\.anon,0,,,1,.*,only one side has it: no verdict,'
expect "classic: no evictions to compare" 0 '^evicted\.anon,0,,,1,.*,only one side has it: no verdict,'
cp "$traces/classic.dat" "$tmp/alone.dat"
run "$folioscope" compare -q "$tmp/alone.dat" --with $traces/chain.dat -f csv
expect "classic without vmstat: no scans" 0 '^pgscan_anon,0,,,1,7499,'
run "$folioscope" report -q $traces/classic.dat
expect "classic: report says so" 0 '^CLASSIC LRU: folios were reclaimed, none was on a generation list'
expect "classic: report does not say 0" 0 '^pgscan_kswapd +unknown pgscan_direct +unknown$'
expect "classic: what events do tell" 0 '^pswpin +5136$'
done_testing
