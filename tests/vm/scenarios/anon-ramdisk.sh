# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: as anon-zram, but swap on a ramdisk (brd), which completes at once
#vm mem=256M

prepare()
{
	swap_ramdisk 64
}

play()
{
	memcg_new a memory.max="$(by_size 10M 24M)"
	memcg_start a workload anon mb="$(by_size 14 40)" hot=40 write=60 \
		rounds="$(by_size 2 4 6)" seed=2 ready=/run/a
	memcg_ready a
}
