# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: huge and 64 KiB pages with holes, split by reclaim and by request
#vm mem=320M

prepare()
{
	swap_zram 96 && thp_on && disk_mount &&
		workload makefile dir=/disk mb="$(by_size 4 8)" &&
		echo madvise > /sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled
}

play()
{
	memcg_new a memory.max="$(by_size 24M 40M)"
	memcg_start a workload thp mb="$(by_size 16 40)" pressure_mb="$(by_size 12 24)" \
		rounds="$(by_size 2 4 5)" ready=/run/a
	memcg_new b memory.max=48M
	memcg_start b workload thp mb=12 holes=20 pressure_mb=0 rounds=1 seed=2 ready=/run/b
	memcg_ready a b
	# The page table walk promotes what is mapped by a huge entry.
	memcg_age b 0 1 1
	# Split what is still whole in b, where nothing was under pressure.
	echo 1 > /sys/kernel/debug/split_huge_pages
	memcg_reclaim b 6M

	# Huge pages of a file; opened for writing they must go.
	memcg_new c
	memcg_start c workload collapse dir=/disk mb="$(by_size 4 8)" ready=/run/c
	memcg_ready c
	memcg_age c 0 1 1
	memcg_reclaim c 3M
}
