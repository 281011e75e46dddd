# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: reclaim for the lower zones finds folios of ZONE_MOVABLE (ineligible)
#vm mem=224M append=movablecore=96M
#
# Pages of a ramfs file are not movable, so they can only come from the lower
# zones; what reclaim meets there and in ZONE_MOVABLE is our memory.

prepare()
{
	swap_zram 160 && disk_mount && workload makefile dir=/disk files=2 mb=16
}

scanned()
{
	awk '$1 == "pgscan_kswapd" || $1 == "pgscan_direct" { n += $2 } END { print n }' /proc/vmstat
}

play()
{
	memcg_new a
	# The highest zone fills first: with the oldest folios, of files.
	memcg_run a workload file dir=/disk hot_files=2 hot_mb=16 scan_files=0 rounds=1 rewrite=0
	memcg_start a workload anon mb=80 rounds=0 ready=/run/a
	memcg_ready a
	until=$(($(scanned) + $(by_size 2000 3000)))
	mb=0
	while [ "$(scanned)" -lt $until ]; do
		[ $mb -lt 160 ] || fail "160 MB more did not bring reclaim"
		dd if=/dev/zero of="/run/ballast$mb" bs=1M count=1 2> /dev/null ||
			fail "cannot fill the lower zones"
		mb=$((mb + 1))
	done
	# Or else kswapd would go on.
	rm /run/ballast*
}
