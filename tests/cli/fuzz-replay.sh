#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The fuzz targets, without the fuzzer, on their seeds and on all earlier findings,
# under the sanitizers where that build is there.
# shellcheck source=tests/cli/lib.sh disable=SC2154
. tests/cli/lib.sh

replay=$build/fuzzreplay
[ -x "$build/san/fuzzreplay" ] && replay=$build/san/fuzzreplay
check "seeds are made" tests/fuzz/seeds "$build" "$tmp/seeds"
for target in reader pipeline format subbuf decode model; do
	check "$target: seeds" "$replay" $target "$tmp/seeds/$target"
	[ -d "tests/fuzz/findings/$target" ] || continue
	for file in "tests/fuzz/findings/$target"/*; do
		[ -e "$file" ] || continue
		check "$target: $(basename "$file")" "$replay" $target "$file"
	done
done
done_testing
