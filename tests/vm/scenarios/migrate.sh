# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: two nodes; pages moved by move_pages, by cpuset and by compaction
#vm mem=320M nodes=2

prepare()
{
	swap_zram 64 && disk_mount && workload makefile dir=/disk files=4 mb=4
}

play()
{
	memcg_new a memory.max=64M
	memcg_run a workload move mb="$(by_size 2 8 12)" rounds="$(by_size 2 4 12)"
	memcg_new b memory.max="$(by_size 10M 24M)" cpuset.mems=0
	memcg_start b workload anon mb="$(by_size 12 32)" rounds="$(by_size 1 1 5)" ready=/run/b
	memcg_ready b
	echo 1 > "$cgroups/b/cpuset.mems"
	memcg_run b workload file dir=/disk hot_files=2 hot_mb=1 scan_files=2 scan_mb=4 rounds=1
	echo 1 > /proc/sys/vm/compact_memory
}
