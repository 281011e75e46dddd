# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: several memcgs at once; some are removed while file pages remain
#vm mem=320M

prepare()
{
	swap_zram 128 && disk_mount &&
		workload makefile dir=/disk files=12 mb="$(by_size 2 4)"
}

play()
{
	mb=$(by_size 6 14)
	for n in 1 2; do
		memcg_new "anon$n" memory.max="$(by_size 4M 10M)"
		memcg_start "anon$n" workload anon mb="$mb" rounds="$(by_size 2 2 5)" seed="$n" ready="/run/anon$n"
	done
	memcg_new file1 memory.max="$(by_size 6M 12M)"
	memcg_start file1 workload file dir=/disk hot_files=4 hot_mb=1 scan_files=2 \
		scan_mb="$(by_size 2 4)" rounds="$(by_size 2 3 10)" ready=/run/file1
	memcg_ready anon1 anon2 file1

	# These end, and are removed, with page cache left behind.
	for n in 1 2 3 4; do
		memcg_new "gone$n"
		memcg_run "gone$n" workload file dir=/disk hot_files="$((2 * n))" hot_mb=1 \
			scan_files=1 scan_mb="$(by_size 2 4)" rounds=1 rewrite=0
		rmdir "$cgroups/gone$n" || fail "cannot remove the cgroup gone$n"
	done
	# What is left behind is read by somebody else, then reclaimed from above.
	memcg_new heir
	memcg_start heir workload file dir=/disk hot_files=8 hot_mb=1 scan_files=3 \
		scan_mb="$(by_size 2 4)" rounds=1 rewrite=0 ready=/run/heir
	memcg_ready heir
	memcg_reclaim . "$(by_size 12M 24M)"
	memcg_kill anon1
	rmdir "$cgroups/anon1" || fail "cannot remove the cgroup anon1"
}
