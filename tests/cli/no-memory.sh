#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Memory runs out at every allocation that a command makes, one after the other
# (tests/failalloc.c is preloaded): the result is then either the same as ever or
# the exit status is not 0 and something says why. Never a crash.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
preload=$(realpath "$build")/failalloc.so
[ -e "$preload" ] || { echo "Bail out! make $preload"; exit 1; }
file=$traces/lazyfree.dat

# failing N COMMAND...: with the Nth allocation failing.
failing()
{
	FAILALLOC_AT=$1 LD_PRELOAD=$preload timeout 20 "$folioscope" "${@:2}" > "$tmp/out" 2> "$tmp/err"
	status=$?
}

# judge N: of the last run; sets reason if it was not right.
judge()
{
	reason=
	if [ "$status" -eq 0 ]; then
		cmp -s "$tmp/out" "$tmp/expected" || reason="status 0, but the output differs"
	elif [ "$status" -gt 4 ]; then
		reason="status $status: $(tail -n 1 "$tmp/err")"
	elif ! cat "$tmp/out" "$tmp/err" | grep -Eq 'memory|cannot'; then
		reason="status $status, and nothing says why: $(head -n 1 "$tmp/err")"
	fi
}

# sweep NAME STEP ARG...: every STEPth allocation of folioscope ARG...
sweep()
{
	local name=$1 step=$2 nr n bad=0 noticed=0
	shift 2
	FAILALLOC_COUNT=$tmp/count LD_PRELOAD=$preload "$folioscope" "$@" > "$tmp/expected" 2> /dev/null
	nr=$(cat "$tmp/count")
	: > "$tmp/bad"
	for ((n = 1; n <= nr; n += step)); do
		failing "$n" "$@"
		judge
		noticed=$((noticed + (status != 0)))
		[ -z "$reason" ] || { bad=$((bad + 1)); echo "allocation $n: $reason" >> "$tmp/bad"; }
	done
	if [ "$nr" -gt 100 ] && [ "$bad" -eq 0 ] && [ "$noticed" -gt $((nr / step / 2)) ]; then
		pass "$name: $nr allocations, every $step fails in turn"
	else
		fail "$name" "$nr allocations, $noticed noticed, $bad bad: $(head -n 20 "$tmp/bad")"
	fi
}

sweep "report" 2 report -q -j 1 "$file"
sweep "report as JSON" 5 report -q -j 1 -f json "$file"
sweep "violations" 10 violations -q -j 1 "$file"
sweep "stock events" 3 report -q -j 1 "$traces/stock.dat"
sweep "verify" 5 verify -q -j 1 --before "$traces/lazyfree/before" "$file" "$traces/lazyfree/after"

# The hole that this closes: an analysis that ran out of memory in the middle.
incomplete=0
nr=$(FAILALLOC_COUNT=$tmp/count LD_PRELOAD=$preload "$folioscope" report -q -j 1 "$file" > /dev/null; cat "$tmp/count")
for ((n = 1; n <= nr && !incomplete; n++)); do
	failing "$n" report -q -j 1 "$file"
	grep -q '^INCOMPLETE: memory ran out in the analysis' "$tmp/out" && incomplete=$status
done
check "an incomplete analysis is told of, with status 3" [ "$incomplete" -eq 3 ]
FAILALLOC_ALL=1 failing $((nr * 3 / 4)) report -q -j 1 "$file"
check "no memory from then on: a message" [ "$status" -ge 1 -a "$status" -le 4 -a -s "$tmp/err" ]
done_testing
