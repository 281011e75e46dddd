# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: page table walks and reclaim of the same memcgs at once, on all CPUs
#vm mem=384M buffer_kb=49152
#
# Walks change generations without the lru_lock and log that a little later;
# reclaim and aging on the other CPU see their effect at once. Both memcgs fit
# nearly into their limit, so that most pages are young whenever a walk comes by.
# With the series oracle, walks wait up to 50 us before they log.

prepare()
{
	swap_zram 160
}

play()
{
	delay=/sys/kernel/debug/lru_gen_trace_delay_us
	[ ! -e $delay ] || echo 50 > $delay
	hammers=
	for name in a b; do
		memcg_new $name memory.max=8M
		memcg_start $name workload anon mb=6 hot=90 write=20 \
			rounds="$(by_size 200 1200 3000)" ready=/run/$name
		workload hammer kind=age memcg=/vm/$name until=/run/stop pause_us=1000 \
			>> "$out/workload.log" 2>&1 &
		hammers="$hammers $!"
		workload hammer kind=reclaim dir="$cgroups/$name" bytes=131072 until=/run/stop \
			pause_us=1000 >> "$out/workload.log" 2>&1 &
		hammers="$hammers $!"
	done
	# In the midst of it, the lists as they are.
	for n in 1 2 3; do
		usleep 700000
		folios "during$n"
	done
	memcg_ready a b
	: > /run/stop
	for pid in $hammers; do
		wait "$pid" || fail "a hammer failed, see workload.log"
	done
	[ ! -e $delay ] || echo 0 > $delay
}
