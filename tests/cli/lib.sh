# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the command line tests share. Source it with the build folder as $1;
# $folioscope is the program. Each test prints one TAP line.
set -u
export LC_ALL=C
build=$1
folioscope=$(realpath "$build")/folioscope
traces=tests/traces
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
nr_tests=0
nr_failed=0

# pass NAME, fail NAME [TEXT]
pass()
{
	nr_tests=$((nr_tests + 1))
	echo "ok $nr_tests - $1"
}

fail()
{
	nr_tests=$((nr_tests + 1))
	nr_failed=$((nr_failed + 1))
	echo "not ok $nr_tests - $1"
	[ $# -gt 1 ] && printf '%s\n' "$2" | sed 's/^/# /'
	return 0
}

# check NAME COMMAND...: passes if the command does.
check()
{
	local name=$1
	shift
	if "$@" > "$tmp/check.out" 2>&1; then
		pass "$name"
	else
		fail "$name" "$(head -20 "$tmp/check.out")"
	fi
}

# run COMMAND...: sets status, out and err.
run()
{
	timeout 60 "$@" > "$tmp/out" 2> "$tmp/err"
	# shellcheck disable=SC2034 # for the tests
	status=$?
	# shellcheck disable=SC2034
	out=$(cat "$tmp/out")
	# shellcheck disable=SC2034
	err=$(cat "$tmp/err")
}

# expect NAME STATUS PATTERN: the last run ended with STATUS and its output, both
# streams, has a line that matches PATTERN (extended).
expect()
{
	if [ "$status" -ne "$2" ]; then
		fail "$1" "status $status, expected $2: $(head -5 "$tmp/err")"
	elif ! cat "$tmp/out" "$tmp/err" | grep -Eq -- "$3"; then
		fail "$1" "nothing matches '$3' in: $(cat "$tmp/out" "$tmp/err" | head -10)"
	else
		pass "$1"
	fi
}

# done_testing: the plan, and the status of the script.
done_testing()
{
	echo "1..$nr_tests"
	exit $((nr_failed != 0))
}
