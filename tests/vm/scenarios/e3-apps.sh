# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: applications start again and again and give up memory (experiments 3 and 4)
#vm mem=320M buffer_kb=16384

prepare()
{
	swap_asked 96 && disk_mount && workload makefile dir=/disk files=8 mb=3
}

play()
{
	memory_limit "$(by_size 16M 32M)"
	memcg_new a memory.max="$(by_size 16M 32M)"
	memcg_start a workload apps dir=/disk apps="$(by_size 5 8)" file_mb="$(by_size 2 3)" \
		heap_mb="$(by_size 1 2)" scratch_mb="$(by_size 1 2)" starts="$(by_size 12 48)" \
		seed="$(seed)" ready=/run/a
	memcg_ready a
}
