# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Scenario: folioscope record in the guest, beside the recording that runs (make vm-record)
#vm mem=384M

prepare()
{
	command -v folioscope > /dev/null || fail "folioscope is not in the initramfs: make vm-record"
	swap_ramdisk 48
	disk_mount && workload makefile dir=/disk files=4 mb=3
	mkdir -p "$out/record"
}

# recorded NAME STATUS OPTION... -- COMMAND...: into $out/record/NAME.dat; the
# status is to be STATUS.
recorded()
{
	recording=$1
	expected=$2
	shift 2
	folioscope record -o "$out/record/$recording.dat" "$@" > "$out/record/$recording.log" 2>&1
	status=$?
	[ $status = "$expected" ] || {
		cat "$out/record/$recording.log" > /dev/console
		fail "folioscope record ($recording) ended with status $status, not $expected"
	}
}

# What must be as it was; the outer recording goes on in the top instance.
settings()
{
	cd /sys/kernel/tracing || return
	for file in set_event trace_clock buffer_size_kb current_tracer tracing_on; do
		echo "$file: $(cat $file)"
	done
	grep . events/lru_gen/*/filter events/lru_gen/*/enable
	ls instances
	cd /
}

# A cgroup that begins inside the recording and still holds its folios at the end.
begin_and_stay()
{
	cat <<-END
		mkdir $cgroups/b && echo 12M > $cgroups/b/memory.max || exit 1
		rm -f /run/b
		sh -c 'echo \$\$ > $cgroups/b/cgroup.procs &&
			exec workload anon mb=16 rounds=1 hot=40 ready=/run/b' &
		sh -c 'echo \$\$ > $cgroups/b/cgroup.procs &&
			exec workload file dir=/disk hot_files=2 hot_mb=2 scan_files=2 scan_mb=3 rounds=1'
		while [ ! -e /run/b ]; do usleep 20000; done
	END
}

play()
{
	memcg_new a memory.max=12M
	work="echo \$\$ > $cgroups/a/cgroup.procs && exec workload anon mb=16 rounds=1 hot=40"
	settings > "$out/record/settings.before"
	recorded plain 0 -- sh -c "$work"
	recorded cgroup 0 --memcg vm/a --compression zstd -- sh -c "$work"
	recorded anon 0 --type anon --kmem --compression zstd -- sh -c "$work"
	recorded sampled 0 --sample 1/8 --compression zstd -- sh -c "$work"
	recorded small 3 -b 8 --compression zstd -- sh -c "$work"
	begin_and_stay > /run/begin_and_stay
	lists=''
	[ ! -e /sys/kernel/debug/lru_gen_folios ] || lists=--lists
	recorded own 0 $lists --compression zstd -- sh /run/begin_and_stay
	memcg_kill b
	rmdir "$cgroups/b" || fail "cannot remove the cgroup b"
	recorded stock 0 --stock --compression zstd -- sh /run/begin_and_stay
	memcg_kill b
	recorded failing 0 --no-snapshots --compression zstd -- sh -c 'exit 5'
	recorded missing 1 --compression zstd -- /no/such/command
	settings > "$out/record/settings.after"
	cmp "$out/record/settings.before" "$out/record/settings.after" > /dev/console ||
		fail "folioscope record left ftrace changed"
	stat -c %i "$cgroups/a" > "$out/record/memcg"
	memcg_start a workload anon mb=16 rounds=1 ready=/run/a
	memcg_ready a
}
