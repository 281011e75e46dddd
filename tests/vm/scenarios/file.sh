# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: files re-read through descriptors while others stream by (protection)
#vm mem=256M

prepare()
{
	disk_mount &&
		workload makefile dir=/disk files=8 mb=1 &&
		workload makefile dir=/disk first=8 files=2 mb="$(by_size 8 24)"
}

play()
{
	memcg_new a memory.max="$(by_size 10M 16M)"
	memcg_start a workload file dir=/disk hot_files=8 hot_mb=1 scan_files=2 \
		scan_mb="$(by_size 8 24)" rounds="$(by_size 2 6)" mmap=1 sync=1 drop=1 ready=/run/a
	memcg_ready a
}
