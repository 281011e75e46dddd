# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: MADV_FREE, part of it written again, under anonymous and file pressure
#vm mem=256M

prepare()
{
	swap_zram 96 && disk_mount && workload makefile dir=/disk mb=16
}

play()
{
	memcg_new a memory.max="$(by_size 16M 24M)"
	memcg_start a workload lazyfree mb="$(by_size 8 16)" pressure_mb="$(by_size 12 20)" \
		dir=/disk file_mb="$(by_size 4 16)" rounds="$(by_size 2 4)" ready=/run/a
	memcg_ready a
}
