# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: the multi-gen LRU switched off and on again while memory is in use
#vm mem=256M

prepare()
{
	swap_zram 96 && disk_mount && workload makefile dir=/disk files=4 mb=4
}

play()
{
	knob=/sys/kernel/mm/lru_gen/enabled
	memcg_new a memory.max="$(by_size 10M 24M)"
	memcg_start a workload anon mb="$(by_size 12 32)" rounds="$(by_size 1 1 4)" ready=/run/a
	memcg_ready a
	times=$(by_size 1 1 4)
	while [ "$times" -gt 0 ]; do
		echo n > $knob || fail "cannot switch the multi-gen LRU off"
		memcg_run a workload file dir=/disk hot_files=2 hot_mb=1 scan_files=2 scan_mb=4 rounds=1
		echo y > $knob || fail "cannot switch the multi-gen LRU on"
		memcg_run a workload file dir=/disk hot_files=2 hot_mb=1 scan_files=2 scan_mb=4 rounds=2
		times=$((times - 1))
	done
	# And while reclaim runs on the other CPU. A limit would now and then kill:
	# reclaim finds nothing on lists that are just being filled or drained.
	memcg_new b memory.high="$(by_size 4M 12M)"
	memcg_start b workload anon mb="$(by_size 6 16)" rounds="$(by_size 1 2 4)" ready=/run/b
	times=20
	while [ ! -e /run/b ] && [ $times -gt 0 ]; do
		echo n > $knob || fail "cannot switch the multi-gen LRU off"
		usleep 20000
		echo y > $knob || fail "cannot switch the multi-gen LRU on"
		usleep 100000
		times=$((times - 1))
	done
	memcg_ready b
}
