# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: what reclaim seldom meets: pinned, bad, unwritable folios, no swap left
#vm mem=320M disk_mbps=16 swap_mbps=4
#
# The disks are slow, so that folios stay pinned by direct I/O, or under
# writeback, until reclaim comes by.

prepare()
{
	thp_on && disk_mount && swap_disk
}

# under_reclaim NAME BYTES COMMAND...: the workload, told ready=, in a memcg of
# which BYTES are asked back again and again until it is done.
under_reclaim()
{
	name=$1
	bytes=$2
	shift 2
	memcg_start "$name" "$@" seconds=100 ready="/run/$name"
	workload hammer kind=reclaim dir="$cgroups/$name" bytes="$bytes" until="/run/$name" \
		pause_us=20000 seconds=110 >> "$out/workload.log" 2>&1 &
	memcg_ready "$name"
	wait $! || fail "the hammer on $name failed, see workload.log"
}

play()
{
	# Pinned while read or written; writeback to swap and file that takes its time.
	memcg_new direct memory.max=64M
	under_reclaim direct 131072 workload rare kind=direct dir=/disk rounds="$(by_size 2 2 4)"
	memcg_new slow memory.max=3M
	memcg_start slow workload anon mb=6 rounds="$(by_size 1 2 4)" write=80 seconds=100 ready=/run/slow
	memcg_ready slow

	memcg_new written
	memcg_start written workload makefile dir=/disk mb=8 ready=/run/written
	memcg_ready written
	sync &
	while kill -0 $! 2> /dev/null; do
		memcg_reclaim written 512K
		usleep 10000
	done
	wait $! || fail "sync failed"

	# Not to be split, and one of them bad.
	memcg_new pinned
	memcg_start pinned workload rare kind=pinned mb=8 poison=1 ready=/run/pinned
	memcg_ready pinned
	memcg_reclaim pinned 16M

	# Less swap than a huge page needs.
	memcg_new noswap memory.swap.max=1M
	memcg_start noswap workload thp mb=8 holes=0 pressure_mb=0 rounds=1 ready=/run/noswap
	memcg_ready noswap
	memcg_reclaim noswap 6M

	memcg_new relocked
	memcg_start relocked workload rare kind=relocked rounds=100 ready=/run/relocked
	memcg_ready relocked

	# A file system in need of memory may not write shared memory to swap.
	echo 200 > /proc/sys/vm/swappiness
	memcg_new shared memory.max=6M
	memcg_start shared workload rare kind=shared mb=10 dir=/disk \
		files="$(by_size 600 3000)" seconds=100 ready=/run/shared
	memcg_ready shared
	echo 60 > /proc/sys/vm/swappiness
}
