# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: reclaim of the fast node demotes folios to a slower one, which swaps
#vm mem=320M nodes=2 tiers=1

prepare()
{
	swap_zram 96 && disk_mount && workload makefile dir=/disk files=4 mb=4 &&
		echo 1 > /sys/kernel/mm/numa/demotion_enabled
}

play()
{
	memcg_new a memory.max="$(by_size 24M 48M)"
	memcg_start a workload anon mb="$(by_size 14 32)" rounds=1 ready=/run/a
	memcg_ready a
	for _ in 1 2 3 4; do
		memcg_reclaim a "$(by_size 2M 4M)"
		memcg_run a workload file dir=/disk hot_files=2 hot_mb=1 scan_files=2 scan_mb=4 rounds=1
	done
	# What it demoted comes back when it is used again, and more than fits.
	memcg_new b memory.max="$(by_size 8M 16M)"
	memcg_start b workload anon mb="$(by_size 12 24)" rounds="$(by_size 1 2 4)" ready=/run/b
	memcg_ready b
}
