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
	memcg_start a workload anon mb="$(by_size 12 32)" rounds=1 ready=/run/a
	memcg_ready a
	echo n > $knob || fail "cannot switch the multi-gen LRU off"
	memcg_run a workload file dir=/disk hot_files=2 hot_mb=1 scan_files=2 scan_mb=4 rounds=1
	echo y > $knob || fail "cannot switch the multi-gen LRU on"
	memcg_run a workload file dir=/disk hot_files=2 hot_mb=1 scan_files=2 scan_mb=4 rounds=2
}
