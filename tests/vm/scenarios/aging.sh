# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: aging forced through debugfs with all generations populated
#vm mem=256M
#
# With force_scan and four generations inc_min_seq() moves the folios of the
# oldest one; without swap it leaves the anonymous ones alone, and the oldest
# list becomes the youngest.

prepare()
{
	swap_zram 96 && disk_mount && workload makefile dir=/disk files=6 mb=2
}

play()
{
	memcg_new a memory.max=128M
	for n in 1 2 3 4 5; do
		memcg_start a workload anon mb="$(by_size 1 4 14)" rounds=0 seed="$n" ready="/run/a$n"
		while [ ! -e "/run/a$n" ]; do
			usleep 20000
		done
		memcg_run a workload file dir=/disk hot_files="$n" hot_mb="$(by_size 1 2)" \
			scan_files=0 rounds=1 rewrite=0
		memcg_age a 0 1 1
	done
	# Nothing runs now: every step moves the oldest generation.
	for _ in 1 2 3; do
		memcg_age a 0 1 1
	done
	# And here it is relabelled.
	for _ in 1 2 3 4 5; do
		memcg_age a 0 0 1
	done
	memcg_age a 0 1 1
	memcg_reclaim a "$(by_size 2M 8M)"
}
