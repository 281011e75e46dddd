# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: much memory given up at once, then freed by pressure (experiments 3 and 4)
#vm mem=320M buffer_kb=16384

prepare()
{
	swap_asked 96 && disk_mount && workload makefile dir=/disk mb=16
}

play()
{
	memory_limit "$(by_size 16M 24M)"
	memcg_new a memory.max="$(by_size 16M 24M)"
	memcg_start a workload lazyfree mb="$(by_size 8 14)" reuse=5 peek=0 rounds=1 passes=1 \
		pressure_mb="$(by_size 10 16)" dir=/disk file_mb=16 seed="$(seed)" ready=/run/a
	memcg_ready a
}
