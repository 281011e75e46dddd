# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: no swap, then exhausted swap: only files can go (relabelling)
#vm mem=256M

prepare()
{
	disk_mount && workload makefile dir=/disk files=4 mb="$(by_size 4 12)"
}

play()
{
	memcg_new a memory.max="$(by_size 10M 24M)"
	memcg_start a workload anon mb="$(by_size 4 10)" rounds=1 ready=/run/a
	memcg_ready a
	memcg_run a workload file dir=/disk hot_files=2 hot_mb=1 scan_files=2 \
		scan_mb="$(by_size 4 12)" rounds="$(by_size 3 6)" rewrite=5

	# Two megabytes of swap, soon full; memory from another memcg.
	swap_zram 2 || fail "cannot add swap"
	memcg_new b memory.max="$(by_size 8M 16M)"
	memcg_start b workload anon mb="$(by_size 6 14)" rounds=0 hot=0 ready=/run/b
	memcg_ready b
	memcg_run b workload file dir=/disk hot_files=1 hot_mb=1 scan_files=3 \
		scan_mb="$(by_size 4 12)" rounds="$(by_size 2 4)" rewrite=0
}
