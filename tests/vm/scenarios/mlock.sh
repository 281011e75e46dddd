# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: mlock, munlock, SHM_LOCK, MADV_COLD and MADV_PAGEOUT under pressure
#vm mem=256M

prepare()
{
	swap_zram 96
}

play()
{
	memcg_new a memory.max="$(by_size 10M 24M)"
	memcg_start a workload locked mb="$(by_size 8 20)" pressure_mb="$(by_size 6 16)" \
		rounds="$(by_size 2 4)" ready=/run/a
	memcg_ready a
}
