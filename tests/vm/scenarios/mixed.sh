# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: everything at once, with memcg reclaim and then global reclaim
#vm mem=256M

prepare()
{
	swap_zram 256 && thp_on && disk_mount &&
		workload makefile dir=/disk files=8 mb=1 &&
		workload makefile dir=/disk first=8 files=2 mb="$(by_size 4 16)"
}

play()
{
	memcg_new anon memory.max="$(by_size 6M 16M)"
	memcg_start anon workload anon mb="$(by_size 8 24)" rounds="$(by_size 1 2)" ready=/run/anon
	memcg_new file memory.max="$(by_size 8M 14M)"
	memcg_start file workload file dir=/disk scan_mb="$(by_size 4 16)" \
		rounds="$(by_size 1 3)" ready=/run/file
	memcg_ready anon file

	memcg_new free memory.max="$(by_size 8M 16M)"
	memcg_start free workload lazyfree mb="$(by_size 4 10)" pressure_mb="$(by_size 4 10)" \
		rounds="$(by_size 1 2)" ready=/run/free
	memcg_new thp memory.max=40M
	memcg_start thp workload thp mb="$(by_size 8 24)" pressure_mb="$(by_size 4 12)" \
		rounds=1 ready=/run/thp
	memcg_ready free thp

	memcg_new fork memory.max=24M
	memcg_start fork workload forks mb=4 children=2 rounds="$(by_size 1 2)" ready=/run/fork
	memcg_new lock
	memcg_start lock workload locked mb=4 pressure_mb=4 rounds=1 ready=/run/lock
	memcg_ready fork lock

	memcg_new gone
	memcg_run gone workload file dir=/disk hot_files=8 scan_files=1 scan_mb=4 rounds=1 rewrite=0
	rmdir "$cgroups/gone" || fail "cannot remove the cgroup gone"

	# No limit: only global reclaim, by kswapd and directly, can make room.
	memcg_new big
	memcg_start big workload anon mb="$(by_size 110 120)" rounds="$(by_size 0 1)" hot=10 \
		cold=20 ready=/run/big
	memcg_ready big
	memcg_age anon 0 1 1
}
