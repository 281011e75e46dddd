# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: the same pages evicted, refaulted and evicted again; with witnesses
#vm mem=256M
#
# workload.log holds the page frame of a few pages after every touch.

prepare()
{
	swap_zram 64 && disk_mount && workload makefile dir=/disk mb="$(by_size 8 16)"
}

play()
{
	memcg_new anon memory.max="$(by_size 6M 12M)"
	memcg_start anon workload chain kind=anon mb="$(by_size 8 16)" \
		rounds="$(by_size 3 6 9)" ready=/run/anon
	memcg_ready anon
	memcg_new file memory.max="$(by_size 6M 12M)"
	memcg_start file workload chain kind=file dir=/disk mb="$(by_size 8 16)" \
		rounds="$(by_size 3 6 9)" ready=/run/file
	memcg_ready file
}
