# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: records in memory, read and updated, some much more than others (experiment 2)
#vm mem=320M buffer_kb=16384

prepare()
{
	swap_asked 96
}

play()
{
	memory_limit "$(by_size 8M 16M)"
	memcg_new a memory.max="$(by_size 8M 16M)"
	memcg_start a workload kv mb="$(by_size 12 28)" set=50 skew=3 \
		requests="$(by_size 12000 50000)" seed="$(seed)" seconds=200 ready=/run/a
	memcg_ready a
}
