#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What commands write is there as a whole, or what was there before is as it was;
# the input is never the output.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh

# write KIND IN OUT
write()
{
	case $1 in
	html) "$folioscope" html -q -o "$3" "$2" ;;
	svg|png) "$folioscope" heatmap -q -o "$3" "$2" ;;
	trim) "$folioscope" trim -q -o "$3" "$2" ;;
	*) "$folioscope" export -q "--$1" "$3" "$2" ;;
	esac
}

leftovers() { find "$tmp" -name '*.*.??????' | grep . ; }

for kind in html svg png trim sqlite perfetto jsonl; do
	in=$tmp/in.$kind
	cp "$traces/noswap.dat" "$in"
	ln -sf "in.$kind" "$tmp/link.$kind"
	ln -f "$in" "$tmp/hard.$kind"
	untouched()
	{
		for out in "$in" "$tmp/link.$kind" "$tmp/hard.$kind"; do
			write $kind "$in" "$out" && return 1
			cmp "$in" "$traces/noswap.dat" || return 1
		done
	}
	check "$kind: the input is no output, by whatever name" untouched

	through_link()
	{
		echo old > "$tmp/target.$kind"
		ln -sf "target.$kind" "$tmp/out.$kind"
		write $kind "$in" "$tmp/out.$kind" && [ -L "$tmp/out.$kind" ] &&
			[ "$(stat -c %s "$tmp/target.$kind")" -gt 1000 ]
	}
	check "$kind: a symbolic link stays one" through_link

	dangling()
	{
		mkdir -p "$tmp/elsewhere"
		ln -sf "elsewhere/second.$kind" "$tmp/first.$kind"
		ln -sf "third.$kind" "$tmp/elsewhere/second.$kind"
		write $kind "$in" "$tmp/first.$kind" && [ -L "$tmp/first.$kind" ] &&
			[ -L "$tmp/elsewhere/second.$kind" ] && [ -s "$tmp/elsewhere/third.$kind" ]
	}
	check "$kind: and one to nothing, too" dangling

	mode()
	{
		echo old > "$tmp/mode.$kind"
		chmod 600 "$tmp/mode.$kind"
		write $kind "$in" "$tmp/mode.$kind" && write $kind "$in" "$tmp/new.$kind" || return 1
		[ "$(stat -c %a "$tmp/mode.$kind")" = 600 ] &&
			[ "$(stat -c %a "$tmp/new.$kind")" = "$(printf '%o' $((0666 & ~$(umask))))" ]
	}
	check "$kind: a file keeps its mode" mode

	long()
	{
		local name
		name=$(printf "%0$((254 - ${#kind}))d" 0).$kind
		write $kind "$in" "$tmp/$name" && [ -s "$tmp/$name" ]
	}
	check "$kind: a name of 255 bytes" long

	full()
	{
		echo old > "$tmp/old.$kind"
		(ulimit -f 1; write $kind "$in" "$tmp/old.$kind") 2> "$tmp/err" && return 1
		cat "$tmp/err"
		grep -q "old.$kind: " "$tmp/err" && [ "$(cat "$tmp/old.$kind")" = old ] && ! leftovers
	}
	check "$kind: no room: a message with the name, and the old file stays" full
done

for kind in html perfetto jsonl; do
	fifo()
	{
		rm -f "$tmp/fifo.$kind"
		mkfifo "$tmp/fifo.$kind"
		cat "$tmp/fifo.$kind" > "$tmp/read.$kind" &
		write $kind "$traces/noswap.dat" "$tmp/fifo.$kind" || return 1
		wait
		write $kind "$traces/noswap.dat" "$tmp/plain.$kind" && [ -p "$tmp/fifo.$kind" ] &&
			cmp "$tmp/read.$kind" "$tmp/plain.$kind"
	}
	check "$kind: a FIFO is written, not replaced" fifo
done
for kind in trim sqlite; do
	write $kind "$traces/noswap.dat" "$tmp/fifo.html" 2> "$tmp/err"
	check "$kind: to a FIFO it cannot be" grep -q 'no regular file' "$tmp/err"
done

# killed half way: the second pass takes long enough to be met
"$build/tracegen" -n 1500000 --folios 100000 -o "$tmp/big.dat"
for kind in html trim sqlite perfetto jsonl; do
	killed()
	{
		local pid
		echo old > "$tmp/old.$kind"
		write $kind "$tmp/big.dat" "$tmp/old.$kind" > /dev/null 2>&1 &
		pid=$!
		for ((i = 0; i < 500; i++)); do
			ls "$tmp/old.$kind".?????? > /dev/null 2>&1 && break
			sleep 0.01
		done
		pkill -TERM -P $pid folioscope || kill -TERM $pid
		wait $pid && return 1
		[ "$(cat "$tmp/old.$kind")" = old ] && ! leftovers
	}
	check "$kind: killed, the old file stays and nothing else" killed
done

# what is written in no order is kept in a file until it can be handed on
for kind in trim sqlite; do
	mkdir "$tmp/tmp.$kind"
	pipe_closed()
	{
		(
			trap - PIPE
			export TMPDIR=$tmp/tmp.$kind
			write $kind "$traces/lists.dat" - | head -c 100 > "$tmp/head"
		)
		[ "$(stat -c %s "$tmp/head")" -eq 100 ] && [ -z "$(ls -A "$tmp/tmp.$kind")" ]
	}
	check "$kind: nothing stays if the reader of a pipe goes" pipe_closed
done


# the recording grows while the second pass writes, which a FIFO holds up
changed()
{
	local pid status
	cp "$traces/lists.dat" "$tmp/changing.dat"
	mkfifo "$tmp/rows"
	"$folioscope" export -q --jsonl "$tmp/rows" "$tmp/changing.dat" 2> "$tmp/err" &
	pid=$!
	exec 8< "$tmp/rows"
	head -c 1 <&8 > /dev/null
	head -c 1000 "$traces/noswap.dat" >> "$tmp/changing.dat"
	cat <&8 > /dev/null
	exec 8<&-
	wait $pid
	status=$?
	cat "$tmp/err"
	[ $status -eq 1 ] && grep -q 'changing.dat: was changed while it was read' "$tmp/err"
}
check "a recording that changes meanwhile is noticed" changed

folder()
{
	"$folioscope" export -q --max-output 9M --csv "$tmp/csv" "$traces/noswap.dat" &&
		[ -s "$tmp/csv/lives.csv" ] &&
		! "$folioscope" export -q --csv "$tmp/csv" "$traces/noswap.dat" &&
		! "$folioscope" export -q --csv "$tmp/csv2" "$tmp/nothing.dat" && [ ! -e "$tmp/csv2" ]
}
check "csv: a new folder, or none" folder
full_folder()
{
	(ulimit -f 1; "$folioscope" export -q --csv "$tmp/csv3" "$traces/noswap.dat") 2> "$tmp/err"
	grep -q 'csv3/.*: ' "$tmp/err" && [ ! -e "$tmp/csv3" ]
}
check "csv: no room: no folder" full_folder
done_testing
