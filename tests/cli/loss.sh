#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# 1,000 losses put into the bundled recordings: nothing is claimed of the rest
# that the whole contradicts.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

recordings=()
for file in "$traces"/*.dat; do
	case $(basename "$file" .dat) in
	no-lru-gen | stock) ;;
	*) recordings+=("$file") ;;
	esac
done
timeout 250 "$build/loss-injection" --injections 1000 --seed 20000 "${recordings[@]}" \
	> "$tmp/out" 2> "$tmp/err"
status=$?
# shellcheck disable=SC2034 # for expect
out=$(cat "$tmp/out")
# shellcheck disable=SC2034
err=$(cat "$tmp/err")
expect "1000 injections" 0 '^1000 injections, 0 false claims'
check "every kind of loss was put in" \
	[ "$(awk '$NF ~ /%/ { print $1 }' "$tmp/out" | sort -u | wc -l)" -eq 6 ]
run "$build/loss-injection" --injections 1 "$traces/README.md"
expect "no recording" 1 'README.md: '
done_testing
