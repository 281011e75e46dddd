# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: huge and 64 KiB pages with holes, split by reclaim and by request
#vm mem=320M

prepare()
{
	swap_zram 96 && thp_on &&
		echo madvise > /sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled
}

play()
{
	memcg_new a memory.max="$(by_size 24M 40M)"
	memcg_start a workload thp mb="$(by_size 16 40)" pressure_mb="$(by_size 12 24)" \
		rounds="$(by_size 2 4)" ready=/run/a
	memcg_new b memory.max=48M
	memcg_start b workload thp mb=12 holes=20 pressure_mb=0 rounds=1 seed=2 ready=/run/b
	memcg_ready a b
	# Split what is still whole in b, where nothing was under pressure.
	echo 1 > /sys/kernel/debug/split_huge_pages
	memcg_reclaim b 6M
}
