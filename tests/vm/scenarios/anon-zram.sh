# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: hot and cold anonymous memory, twice the memcg's size, zram swap
#vm mem=256M

prepare()
{
	swap_zram 96
}

play()
{
	memcg_new a memory.max="$(by_size 10M 24M)"
	memcg_start a workload anon mb="$(by_size 14 40)" rounds="$(by_size 2 4 12)" ready=/run/a
	memcg_ready a
}
