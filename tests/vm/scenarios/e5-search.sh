# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: searches in fresh copies of chunks, with kswapd and direct reclaim (experiment 5)
#vm mem=208M buffer_kb=16384
#
# No memcg limit: what the machine has is the limit, as on the phone of the
# published experiment, and kswapd takes part.

prepare()
{
	swap_asked 64
}

play()
{
	memory_limit "none (memory of the machine)"
	memcg_new a
	memcg_start a workload search chunks="$(by_size 20 24)" chunk_mb=4 \
		searches="$(by_size 12 40)" seed="$(seed)" ready=/run/a
	memcg_ready a
}
