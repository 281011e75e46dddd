# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# shellcheck disable=SC2154 # size, scenario: from init
# What scenarios, init and play have in common; runs in the guest's busybox.

out=/out
cgroups=/sys/fs/cgroup/vm
on_failure='exit'

# parameter NAME: the value of vm.NAME on the kernel command line.
parameter()
{
	sed -n "s/.*\<vm\.$1=\([^ ]*\).*/\1/p" /proc/cmdline
}

note()
{
	read -r uptime _ < /proc/uptime
	echo "vm: [$uptime] $*" > /dev/console
}

fail()
{
	echo "vm: FAILED: $*" > /dev/console
	[ "$on_failure" = exit ] && exit 1
	leave failed
}

# seed: of the workload's random numbers, as the run was asked for.
seed()
{
	number=$(parameter seed)
	echo "${number:-1}"
}

# by_size SMALL NORMAL [LARGE]: one of the numbers, as the run was asked for.
by_size()
{
	case $size in
	small) echo "$1" ;;
	large) echo "${3:-$2}" ;;
	*) echo "$2" ;;
	esac
}

# knob NAME VALUE: in /sys/kernel/mm/lru_gen, of our series or of the kernel.
knob()
{
	[ -e "/sys/kernel/mm/lru_gen/$1" ] || fail "this kernel has no knob lru_gen/$1"
	echo "$2" > "/sys/kernel/mm/lru_gen/$1" || fail "lru_gen/$1 cannot be set to $2"
}

# turn_knobs: those of vm.turn=NAME:VALUE:VALUE...,NAME:..., one after the other, each to
# its next value, until killed. Leaves a mark for each turn.
turn_knobs()
{
	round=0
	while :; do
		for turned in $(parameter turn | tr , ' '); do
			# shellcheck disable=SC2046 # a list of values
			set -- $(echo "${turned#*:}" | tr : ' ')
			shift $((round % $#))
			knob "${turned%%:*}" "$1"
			mark "knob ${turned%%:*}=$1"
			usleep 200000
		done
		round=$((round + 1))
	done
}

# meet_knobs: until /run/turned, what the knobs for lazyfree folios decide about, over
# and over: a scenario may be done with such memory before they are turned on.
meet_knobs()
{
	memcg_new turned memory.max=6M || fail "cannot make the cgroup turned"
	until [ -e /run/turned ]; do
		memcg_run turned workload lazyfree mb=2 pressure_mb=6 passes=1 rounds=1
	done
}

# --- memory and swap -------------------------------------------------------

# swap_zram MB
swap_zram()
{
	echo "$1M" > /sys/block/zram0/disksize &&
		mkswap /dev/zram0 > /dev/null && swapon /dev/zram0
}

# swap_ramdisk MB: brd, which 4 KiB pages leave and enter by a memory copy.
swap_ramdisk()
{
	dd if=/dev/zero of=/dev/ram0 bs=1M count="$1" 2> /dev/null &&
		mkswap /dev/ram0 "$(($1 * 1024))" > /dev/null && swapon /dev/ram0
}

# swap_disk: on a virtio disk of its own (256 MB); writes complete later, as on
# a real disk.
swap_disk()
{
	mkswap /dev/vdb > /dev/null && swapon /dev/vdb
}

# swap_asked MB: on a ramdisk, or on zram with vm.swap=zram.
swap_asked()
{
	case $(parameter swap) in
	''|ramdisk) swap_ramdisk "$1" ;;
	zram) swap_zram "$1" ;;
	*) fail "vm.swap=$(parameter swap) is neither ramdisk nor zram" ;;
	esac
}

# memory_limit TEXT: a condition of the run, for whoever compares it with others.
memory_limit()
{
	echo "memory_limit: $1" >> "$out/meta"
}

# thp_on: huge pages for who asks; the kernel leaves them off below 512 MB.
thp_on()
{
	echo madvise > /sys/kernel/mm/transparent_hugepage/enabled
}

# disk_mount: an empty ext4 (made as ext2) on the virtio disk, at /disk.
disk_mount()
{
	mke2fs -b 4096 /dev/vda > /dev/null && mkdir -p /disk &&
		mount -t ext4 -o noatime /dev/vda /disk
}

# loop_mount MB: one more file system, at /loop, in a file of /disk.
loop_mount()
{
	dd if=/dev/zero of=/disk/image bs=1M count="$1" 2> /dev/null &&
		losetup /dev/loop0 /disk/image && mke2fs -b 4096 /dev/loop0 > /dev/null &&
		mkdir -p /loop && mount -t ext4 -o noatime /dev/loop0 /loop
}

# --- cgroups ---------------------------------------------------------------

# memcg_new NAME [FILE=VALUE...]: e.g. memcg_new a memory.max=16M
memcg_new()
{
	mkdir "$cgroups/$1" || return
	memcg_new=$1
	shift
	for word; do
		echo "${word#*=}" > "$cgroups/$memcg_new/${word%%=*}" || return
	done
}

# memcg_run NAME COMMAND...: in the cgroup, to its end; fails if it does.
memcg_run()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	sh -c 'echo $$ > "$0/cgroup.procs" && shift && exec "$@"' \
		"$cgroups/$1" "$@" >> "$out/workload.log" 2>&1 && return
	fail_in "$@"
}

# memcg_start NAME COMMAND...: in the cgroup, in the background. With the
# argument ready=/run/NAME the workload can be waited for by memcg_ready NAME.
memcg_start()
{
	# shellcheck disable=SC2016 # expanded by the inner shell
	sh -c 'echo $$ > "$0/cgroup.procs" && shift && exec "$@"' \
		"$cgroups/$1" "$@" >> "$out/workload.log" 2>&1 &
	started="$started $1:$!"
}
started=

# memcg_ready NAME...: wait until every started workload that was told
# ready=/run/NAME is done with its work and holds still.
memcg_ready()
{
	for name; do
		while [ ! -e "/run/$name" ]; do
			for pair in $started; do
				[ "${pair%%:*}" != "$name" ] ||
					[ -d "/proc/${pair#*:}" ] || fail_in "$name" "workload"
			done
			usleep 20000
		done
	done
}

# memcg_kill NAME: end everything in it and wait until it is empty.
memcg_kill()
{
	echo 1 > "$cgroups/$1/cgroup.kill" || return
	while grep -q 'populated 1' "$cgroups/$1/cgroup.events"; do
		usleep 10000
	done
	rm -f "/run/$1"
}

fail_in()
{
	tail -n 3 "$out/workload.log" > /dev/console
	fail "in $1: $2 ${3:-} failed; its last lines are above"
}

# memcg_seq NAME NID: max_seq of the lruvec, from debugfs.
memcg_seq()
{
	awk -v path="/vm/$1" -v nid="$2" '
		$1 == "memcg" { here = $3 == path }
		$1 == "node" { node = $2 }
		here && node == nid && $1 ~ /^[0-9]+$/ { seq = $1 }
		END { if (seq == "") exit 1; print seq }' /sys/kernel/debug/lru_gen
}

# memcg_id NAME: the number that debugfs lru_gen knows it by.
memcg_id()
{
	awk -v path="/vm/$1" '
		$1 == "memcg" && $3 == path { print $2; found = 1 }
		END { exit !found }' /sys/kernel/debug/lru_gen
}

# memcg_age NAME NID CAN_SWAP FORCE_SCAN: one more generation, by force.
memcg_age()
{
	if ! id=$(memcg_id "$1") || ! seq=$(memcg_seq "$1" "$2"); then
		fail "memcg $1 node $2 is not in debugfs lru_gen"
	fi
	echo "+ $id $2 $seq $3 $4" > /sys/kernel/debug/lru_gen ||
		fail "aging of memcg $1 (+ $id $2 $seq $3 $4) was refused"
}

# memcg_reclaim NAME BYTES: proactive reclaim; it may give less than asked for.
memcg_reclaim()
{
	echo "$2" > "$cgroups/$1/memory.reclaim" 2> /dev/null || :
}

# --- quiet and the kernel's numbers ----------------------------------------

freeze_all()
{
	echo 1 > "$cgroups/cgroup.freeze"
	tries=0
	until grep -q 'frozen 1' "$cgroups/cgroup.events"; do
		grep -q 'populated 0' "$cgroups/cgroup.events" && break
		tries=$((tries + 1))
		[ $tries -lt 500 ] || fail "the workloads did not freeze within 5 s"
		usleep 10000
	done
}

# Wait for writeback to end and for the lists to stand still.
settle()
{
	tries=0
	until [ "$(awk '$1 == "nr_writeback" { print $2 }' /proc/vmstat)" = 0 ]; do
		tries=$((tries + 1))
		[ $tries -lt 500 ] || fail "pages stay under writeback for more than 5 s"
		usleep 10000
	done
	tries=0
	workload drain || fail "cannot drain the per-CPU batches"
	sizes > /run/sizes
	while :; do
		usleep 50000
		workload drain || fail "cannot drain the per-CPU batches"
		sizes > /run/sizes.now
		cmp -s /run/sizes /run/sizes.now && break
		tries=$((tries + 1))
		[ $tries -lt 50 ] || fail "the generation lists do not stand still"
		mv /run/sizes.now /run/sizes
	done
}

# sizes [FILE]: the lists of the scenario's memcgs, from FILE or debugfs,
# without the age in ms, which runs on.
sizes()
{
	awk '$1 == "memcg" { here = $3 ~ "^/vm/" }
		here && $1 ~ /^[0-9]+$/ { $2 = "-" }
		here { print }' "${1:-/sys/kernel/debug/lru_gen}"
}

# last_snapshot: "after", of lists that stood still before, during and after it.
# A second attempt replaces the first, whose marks stay in the recording.
last_snapshot()
{
	attempts=0
	while :; do
		settle
		rm -rf "$out/after"
		snapshot after
		sizes "$out/after/lru_gen" > /run/sizes.snapshot
		sizes > /run/sizes.now
		cmp -s /run/sizes /run/sizes.snapshot && cmp -s /run/sizes /run/sizes.now && break
		attempts=$((attempts + 1))
		[ $attempts -lt 10 ] || fail "the generation lists change during the snapshot"
	done
}

# mark TEXT: into the recording, and so into its time.
mark()
{
	echo "vm: $*" > /sys/kernel/tracing/trace_marker
}

# folios NAME: only the lists, in the directory $out/NAME, for which nothing
# needs to hold still. Nothing without the oracle series.
folios()
{
	[ -e /sys/kernel/debug/lru_gen_folios ] || return 0
	mkdir -p "$out/$1"
	cat /sys/kernel/debug/lru_gen_folios > "$out/$1/lru_gen_folios"
}

# snapshot NAME: the kernel's own numbers, in the directory $out/NAME, between
# two marks in the recording.
snapshot()
{
	dir=$out/$1
	mkdir -p "$dir"
	# Or else what each CPU has counted is in vmstat up to a second later.
	cat /proc/sys/vm/stat_refresh || fail "cannot gather the counts of vmstat"
	mark "snapshot $1 begin"
	cat /sys/kernel/debug/lru_gen > "$dir/lru_gen"
	# Of the oracle series: every list, folio by folio.
	[ ! -e /sys/kernel/debug/lru_gen_folios ] ||
		cat /sys/kernel/debug/lru_gen_folios > "$dir/lru_gen_folios"
	cat /proc/vmstat > "$dir/vmstat"
	cat /sys/kernel/debug/lru_gen_full > "$dir/lru_gen_full"
	mark "snapshot $1 end"
	# The kernel gathers the counts of memcgs from the CPUs every two seconds.
	usleep 2200000
	mark "snapshot $1-stats begin"
	cat /proc/swaps > "$dir/swaps"
	cat /proc/zoneinfo > "$dir/zoneinfo"
	cat /proc/meminfo > "$dir/meminfo"
	grep . /sys/kernel/mm/lru_gen/* > "$dir/mglru"
	# shellcheck disable=SC2044 # no cgroup of ours has a space in its name
	for cgroup in $(find /sys/fs/cgroup -type d); do
		path=${cgroup#/sys/fs/cgroup}
		path=${path:-/}
		echo "$(awk -v path="$path" '$1 == "memcg" && $3 == path { print $2 }' \
			"$dir/lru_gen") $(stat -c %i "$cgroup") $path"
		for file in memory.stat memory.numa_stat memory.events memory.current \
			memory.swap.current; do
			[ -e "$cgroup/$file" ] || continue
			echo "# $path $file" >> "$dir/memory.stat"
			cat "$cgroup/$file" >> "$dir/memory.stat"
		done
	done > "$dir/memcgs"
	mark "snapshot $1-stats end"
}
