# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: processes sharing memory copy-on-write, exiting under pressure
#vm mem=256M

prepare()
{
	swap_zram 96
}

play()
{
	memcg_new a memory.max="$(by_size 6M 20M)"
	memcg_start a workload forks mb="$(by_size 5 14)" children="$(by_size 3 4)" \
		rounds="$(by_size 1 3 9)" ready=/run/a
	memcg_ready a
}
