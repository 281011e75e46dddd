# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: reclaim that may not start I/O (loop device) skips what would need it
#vm mem=160M
#
# Without free memory the loop worker has to reclaim for itself, without
# __GFP_IO; anonymous folios that are not in the swap cache then stay, skipped.

prepare()
{
	swap_zram 96 && disk_mount && loop_mount 40 &&
		workload makefile dir=/loop files=2 mb=16
}

play()
{
	memcg_new a
	memcg_start a workload anon mb="$(by_size 90 110)" rounds=1 cold=10 ready=/run/a
	memcg_ready a
	memcg_run a workload file dir=/loop hot_files=1 hot_mb=4 scan_files=1 \
		scan_mb=16 rounds="$(by_size 2 4)" rewrite=20 sync=1
}
