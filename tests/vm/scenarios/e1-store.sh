# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: a store of keys, sets in pipelines, large values in a file (experiment 1)
#vm mem=320M buffer_kb=16384

prepare()
{
	swap_asked 96 && disk_mount && workload makefile dir=/disk files=1 mb="$(by_size 8 24)"
}

play()
{
	memory_limit "$(by_size 12M 24M)"
	memcg_new a memory.max="$(by_size 12M 24M)"
	memcg_start a workload kv mb="$(by_size 8 16)" dir=/disk file_mb="$(by_size 8 24)" \
		file=60 skew=3 requests="$(by_size 12000 60000)" seed="$(seed)" ready=/run/a
	memcg_ready a
}
