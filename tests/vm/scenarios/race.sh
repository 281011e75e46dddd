# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: page table walks, reclaim and compaction of the same folios at once
#vm mem=384M buffer_kb=32768
#
# Walks change generations without the lru_lock and log that a little later;
# what the other CPU does to the folio in between it may log before. With the
# series oracle walks wait up to 50 us before they log. Few folios, so that two
# CPUs often meet at one of them; compaction takes them from any generation.

prepare()
{
	swap_zram 64
}

# hammer ARGUMENTS: in the background, until /run/stop is there.
hammer()
{
	workload hammer "$@" until=/run/stop seconds=200 >> "$out/workload.log" 2>&1 &
	hammers="$hammers $!"
}

play()
{
	delay=/sys/kernel/debug/lru_gen_trace_delay_us
	[ ! -e $delay ] || echo 50 > $delay
	hammers=
	for name in a b; do
		memcg_new $name memory.max=4M
		memcg_start $name workload anon nice=5 mb=3 hot=90 write=20 \
			rounds="$(by_size 200 800 2000)" seconds=200 ready=/run/$name
		hammer kind=age memcg=/vm/$name pause_us=5000
		hammer kind=reclaim dir="$cgroups/$name" bytes=65536 pause_us=5000
	done
	hammer kind=compact pause_us=10000
	# In the midst of it, the lists as they are.
	for n in 1 2 3; do
		usleep 500000
		folios "during$n"
	done
	memcg_ready a b
	: > /run/stop
	for pid in $hammers; do
		wait "$pid" || fail "a hammer failed, see workload.log"
	done
	[ ! -e $delay ] || echo 0 > $delay
	# What the last hammers evicted, so that the lists at the end are not empty.
	memcg_start a workload anon mb=3 rounds=1 ready=/run/again
	memcg_ready again
}
