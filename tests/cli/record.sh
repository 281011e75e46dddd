#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# folioscope record where it cannot record: wrong usage, without root, tracefs,
# trace-cmd or our events; and the line that it would run. What it records is
# tested in the guest (make vm-record).
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

run "$folioscope" record
expect "no command" 2 'which command\?'
for option in --sample=3 --sample=1/3 --sample=1/0 --sample=64 --type=both -b0 -bx -b-1 \
	--compression=lz4 --memcg=/no/such/directory --memcg= --memcg=-1 \
	--memcg=12345678901234567890123 --output=; do
	run "$folioscope" record -n "$option" -- true
	expect "record $option" 2 'record --help'
done
run "$folioscope" record -n --stock --type anon -- true
expect "--stock with --type" 2 'no --memcg, --type or --sample'

# The line does not depend on what this machine has.
run "$folioscope" record -n -- make -j8 "it's"
expect "dry run: instance, clock, all threads" 0 \
	'^trace-cmd record -q -o trace.dat --compression [a-z]+ --no-filter -B folioscope-[0-9]+ -C mono -b [0-9]+ -e lru_gen '
check "dry run: the command is quoted" grep -q "make -j8 'it'\\\\''s'\$" "$tmp/out"
check "dry run: one line" [ "$(wc -l < "$tmp/out")" -eq 1 ]
check "dry run: a buffer of 1 to 256 MiB" sh -c \
	"kb=\$(sed 's/.* -b \([0-9]*\) .*/\1/' '$tmp/out'); [ \$kb -ge 1024 ] && [ \$kb -le 262144 ]"
run "$folioscope" record -n -b 4096 -o /tmp/x.dat --compression zstd -- true
expect "dry run: sizes and names" 0 '-o /tmp/x.dat --compression zstd .* -b 4096 '
run "$folioscope" record -n --memcg 55 --type file --sample 1/64 -- true
expect "filters of a folio event" 0 \
	"mm_lru_gen_add -f 'memcg == 55 && type == 1 && !\(pfn & 0x7e00\)'"
check "filters of a lruvec's event" grep -q "mm_lru_gen_max_seq -f 'memcg == 55' -e" "$tmp/out"
check "filters of a scan" grep -q "mm_lru_gen_scan -f 'memcg == 55 && type == 1' -e" "$tmp/out"
run "$folioscope" record -n --memcg / -- true
check "--memcg with a directory" grep -q "memcg == $(stat -c %i /sys/fs/cgroup/)'" "$tmp/out"
run "$folioscope" record -n --kmem -- true
expect "--kmem" 0 '-e lru_gen -e kmem:mm_page_free '
run "$folioscope" record -n --stock -- true
expect "--stock" 0 '-e pagemap:mm_lru_insertion .*-e vmscan:mm_vmscan_lru_isolate '
check "--stock: no lru_gen events" sh -c "! grep -q 'lru_gen:' '$tmp/out'"

# Compression by the version of the trace-cmd that is here.
version=$(trace-cmd --version | sed -n 's/.*version \([0-9.]*\).*/\1/p')
run "$folioscope" record -n -- true
if [ "$(printf '%s\n' 3.3.1 "$version" | sort -V | head -1)" != 3.3.1 ]; then
	expect "trace-cmd $version, before 3.3.1: not compressed" 0 '--compression none'
	check "trace-cmd before 3.3.1: says why" grep -qF "$version loses a compressed" "$tmp/err"
elif [ -r /proc/kallsyms ]; then
	expect "trace-cmd $version: compressed" 0 '--compression any'
fi
mkdir "$tmp/none"
ln -s /bin/sh "$tmp/none/sh"
run env PATH="$tmp/none" "$folioscope" record -n -- true
check "without trace-cmd: what to install" grep -q 'apt-get install trace-cmd' "$tmp/err"

# skip NAME WHY
skip()
{
	nr_tests=$((nr_tests + 1))
	echo "ok $nr_tests - $1 # SKIP $2"
}

cp "$folioscope" "$tmp/folioscope"
chmod 755 "$tmp" "$tmp/folioscope"
if [ "$(id -u)" -ne 0 ]; then
	run "$folioscope" record -- true
	expect "without root" 1 'needs root.*sudo folioscope record'
elif setpriv --reuid=65534 --clear-groups "$tmp/folioscope" --version > /dev/null 2>&1; then
	run setpriv --reuid=65534 --clear-groups "$tmp/folioscope" record -- true
	expect "without root" 1 'needs root.*sudo folioscope record'
else
	skip "without root" "cannot run the program as another user"
fi
if unshare -m mount -t tmpfs none /sys/kernel 2> /dev/null; then
	run unshare -m sh -c "mount -t tmpfs none /sys/kernel && exec '$folioscope' record -- true"
	expect "without tracefs" 1 'tracefs is not there: mount -t tracefs'
else
	skip "without tracefs" "mount namespaces cannot be made here"
fi
# what the part around the command hands on as its status: a number of four bytes,
# here without tracefs, so without marks
around()	# around COMMAND...: sets handed to that number
{
	# shellcheck disable=SC2016 # for that shell
	timeout 20 unshare -m sh -c 'mount -t tmpfs none /sys/kernel && exec "$0" "$@"' "$folioscope" \
		record --inside none 8 none events "$@" 8> "$tmp/handed" 2> "$tmp/err"
	handed=$(od -An -td4 "$tmp/handed" | tr -d ' ')
}
if unshare -m mount -t tmpfs none /sys/kernel 2> /dev/null; then
	around sh -c 'exit 127'
	check "a command that exits with 127 was run" [ "$handed" = 127 ]
	around /no/such/command
	check "one that is not there was not" [ "$handed" = -1 ]
	check "and why is said" grep -q '/no/such/command: No such file or directory' "$tmp/err"
	around sh -c 'kill -9 $$'
	check "one that was killed" [ "$handed" = 137 ]
else
	skip "the status of the command" "mount namespaces cannot be made here"
fi
run sh -c "'$folioscope' record -n -- true > /dev/full"
expect "a full disk: --dry-run" 1 'cannot write the output'
run sh -c "'$folioscope' record --help > /dev/full"
expect "a full disk: --help" 1 'cannot write the output'
if [ "$(id -u)" -ne 0 ] || [ ! -d /sys/kernel/tracing/events ]; then
	skip "a kernel without lru_gen events" "no root or no tracefs"
elif [ -d /sys/kernel/tracing/events/lru_gen ]; then
	skip "a kernel without lru_gen events" "this one has them"
else
	run "$folioscope" record -o "$tmp/x.dat" -- touch "$tmp/ran"
	expect "a kernel without lru_gen events" 1 'no lru_gen events: .*CONFIG_LRU_GEN_TRACE=y.*--stock'
	check "nothing was run, nothing written" [ ! -e "$tmp/ran" ] && [ ! -e "$tmp/x.dat" ]
fi
done_testing
