# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: no swap, then exhausted swap: only files can go (relabelling)
#vm mem=256M
#
# Files are read through mappings: faults put their folios into the youngest
# generation, so that the memcg ages again and again. The anonymous folios get
# no older list to go to; after three steps theirs becomes the youngest.

prepare()
{
	disk_mount && workload makefile dir=/disk files=4 mb="$(by_size 8 16)"
}

play()
{
	memcg_new a memory.max="$(by_size 8M 16M)"
	memcg_start a workload anon mb="$(by_size 2 6)" rounds=1 ready=/run/a
	memcg_ready a
	memcg_run a workload chain kind=file dir=/disk file=0 random=0 mb="$(by_size 8 16)" \
		rounds="$(by_size 3 5)"
	memcg_run a workload file dir=/disk hot_files=2 hot_mb=1 scan_files=2 \
		scan_mb="$(by_size 4 12)" rounds="$(by_size 1 2)" rewrite=5

	# Two megabytes of swap, soon full; memory from another memcg.
	swap_zram 2 || fail "cannot add swap"
	memcg_new b memory.max="$(by_size 8M 16M)"
	memcg_start b workload anon mb="$(by_size 6 12)" rounds=0 hot=0 ready=/run/b
	memcg_ready b
	memcg_run b workload chain kind=file dir=/disk file=1 random=0 mb="$(by_size 8 16)" \
		rounds="$(by_size 2 4)"
}
