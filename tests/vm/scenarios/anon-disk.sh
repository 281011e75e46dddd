# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: as anon-zram, but swap on a disk: writeback ends later (rotation)
#vm mem=256M

prepare()
{
	swap_disk
}

play()
{
	memcg_new a memory.max="$(by_size 10M 24M)"
	memcg_start a workload anon mb="$(by_size 14 40)" rounds="$(by_size 1 3 5)" write=50 \
		seed=3 ready=/run/a
	memcg_ready a
}
