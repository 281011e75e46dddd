#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every example of the man pages works as it stands there, in a folder that has
# recordings of these names; only record, which needs another kernel, is run dry.
# shellcheck source=tests/cli/lib.sh
. tests/cli/lib.sh
here=$PWD
mkdir "$tmp/bin" "$tmp/work"
# shellcheck disable=SC2016 # for that script
printf '#!/bin/sh\n[ "$1" = record ] && { shift; set -- record -n "$@"; }\nexec "%s" "$@"\n' \
	"$folioscope" > "$tmp/bin/folioscope"
chmod +x "$tmp/bin/folioscope"
cp "$traces/lists.dat" "$tmp/work/trace.dat"
cp -r "$traces/lists/before" "$traces/lists/after" "$traces/lists/meta" "$traces/record.dat" "$tmp/work"
for i in '' -1 -2; do
	cp "$traces/chain.dat" "$tmp/work/base$i.dat"
	cp "$traces/memcgs.dat" "$tmp/work/patch$i.dat"
done

# blocks PAGE: the blocks of code of its examples, an empty line behind each. A block
# of scdoc begins and ends with three backquotes; a backslash in it is doubled.
blocks()
{
	awk '/^# / { on = $2 == "EXAMPLES" }
		on && /^```/ { if (inside) print ""; inside = !inside; next }
		on && inside' "$1" | sed -E 's/(^|[^\\])\\$/\1/; s/\\(.)/\1/g'
}

for page in analyzer/man/folioscope-*.1.scd; do
	command=$(basename "$page" .1.scd)
	command=${command#folioscope-}
	nr=0
	while IFS= read -r -d '' block; do
		# what is not for here: a cgroup that is made
		block=$(printf '%s' "$block" | grep -v '^mkdir /sys' | sed 's/--memcg build/--memcg \//')
		[ -n "$block" ] || continue
		nr=$((nr + 1))
		(cd "$tmp/work" && PATH=$tmp/bin:$PATH timeout 60 bash -e -c "$block") \
			> "$tmp/out" 2> "$tmp/err" < /dev/null
		status=$?
		# diff finds lruvecs that are not complete
		[[ $block == *diff* && $status -eq 1 ]] && status=0
		if [ "$status" -eq 0 ]; then
			pass "$command: example $nr"
		else
			fail "$command: example $nr" "status $status: $block: $(head -5 "$tmp/err")"
		fi
	done < <(blocks "$page" | awk 'BEGIN { RS = ""; ORS = "\0" } { print }')
	check "$command has examples" [ "$nr" -gt 0 ]
	# a page that shows only some of the command is no page of another
	check "$command: they are of this command" sh -c \
		"sed -n '/^# EXAMPLES/,\$p' '$here/$page' | grep -q '^folioscope $command '"
done
done_testing
