# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: records in memory, read and updated, some much more than others (experiment 2)
#vm mem=320M buffer_kb=16384

prepare()
{
	swap_asked 96
}

# In the background; leaves a file if it ends with a failure.
start_one()
{
	number=$1
	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	memcg_start a sh -c 'workload "$@" || echo "$1" >> /out/failed' "workload$number" "$@"
}

play()
{
	# With memory.max alone, reclaim that finds all folios young now and then kills.
	memory_limit "memory.high=$(by_size 8M 16M)"
	memcg_new a memory.high="$(by_size 8M 16M)" memory.max="$(by_size 14M 28M)"
	# Two at once, so that one is walked while the other reclaims.
	for n in 0 1; do
		start_one "$n" kv mb="$(by_size 8 16)" set=50 skew=2 phases=4 \
			requests="$(by_size 15000 40000)" seed="$(($(seed) + n * 1000))" \
			ready="/run/a$n"
	done
	for n in 0 1; do
		until [ -e "/run/a$n" ]; do
			usleep 20000
			[ ! -s "$out/failed" ] || fail "a workload failed"
		done
	done
}
