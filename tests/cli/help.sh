#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Help text, man page and completion of each command name the same options; help
# fits on a screen and in a mail. Usage: help.sh BUILDDIR
set -u
export LC_ALL=C
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
folioscope=$build/folioscope
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
n=0

ok() {	# ok TITLE COMMAND...: run the test, show what it prints if it fails
	title=$1
	shift
	n=$((n + 1))
	if "$@" >"$tmp/said" 2>&1; then
		echo "ok $n - $title"
	else
		echo "not ok $n - $title"
		sed 's/^/# /' "$tmp/said"
	fi
}

# The options that a help text lists: lines that begin with one, two columns in.
help_options() {
	sed -n 's/^ \{2,6\}\(-.*\)/\1/p' "$1" | sed 's/  .*//' |
		grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,' | sort -u
}

# The options that a rendered man page lists: terms at the first level.
man_options() {
	sed -n 's/^       \(-.*\)/\1/p' "$1" |
		grep -oE '(^|[ ,])--?[a-zV][a-z-]*' | tr -d ' ,' | sort -u
}

render() {	# render NAME: the page as text without backspaces and hyphenation
	groff -man -Tascii -P-c -P-b -P-u -rHY=0 -rLL=90n "$build/man/$1.1" 2>"$tmp/warnings"
}

fits() {	# fits FILE
	awk 'length($0) > 75 { print "line " NR " is longer than 75: " $0; bad = 1 }
	     END { if (NR > 25) { print NR " lines, more than 25"; bad = 1 }; exit bad }' "$1"
}

starts_with_usage() {
	head -n 1 "$1" | grep -q "^Usage: folioscope $2 " && return
	head -n 1 "$1"
	return 1
}

same_options() {
	help_options "$1" >"$tmp/a"
	man_options "$2" >"$tmp/b"
	[ -s "$tmp/a" ] || { echo "no option in the help"; return 1; }
	diff "$tmp/a" "$tmp/b"
}

page_is_clean() {
	[ -s "$1" ] || { echo "empty page"; return 1; }
	if [ -s "$tmp/warnings" ]; then
		cat "$tmp/warnings"
		return 1
	fi
	grep -n '@[a-z-]*@' "$1" && return 1
	return 0
}

commands=$("$folioscope" --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')
count_commands() { [ "$(echo "$commands" | wc -l)" -ge 5 ]; }
ok "the program names its commands" count_commands

"$folioscope" --help >"$tmp/help"
ok "folioscope --help fits on a screen" fits "$tmp/help"
render folioscope >"$tmp/page"
ok "folioscope(1) renders without a warning" page_is_clean "$tmp/page"

for command in $commands; do
	help_status() { "$folioscope" "$command" --help >"$tmp/help" 2>"$tmp/err" && ! [ -s "$tmp/err" ]; }
	ok "$command --help goes to stdout, exit 0" help_status
	ok "$command --help fits on a screen" fits "$tmp/help"
	ok "$command --help begins with its synopsis" starts_with_usage "$tmp/help" "$command"
	render "folioscope-$command" >"$tmp/page"
	ok "folioscope-$command(1) renders without a warning" page_is_clean "$tmp/page"
	ok "$command: help and man page have the same options" \
		same_options "$tmp/help" "$tmp/page"
	completes() {
		PATH=$build:$PATH bash --norc --noprofile -u -c '
			. "$1"
			COMP_WORDS=(folioscope "$2" -) COMP_CWORD=2
			_folioscope folioscope - "$2"
			printf "%s\n" "${COMPREPLY[@]}" | sort -u
		' bash "$root/analyzer/completion/folioscope.bash" "$command" >"$tmp/a"
		man_options "$tmp/page" >"$tmp/b"
		diff "$tmp/a" "$tmp/b"
	}
	ok "$command: bash completes the options of the man page" completes
	in_main() { render folioscope | grep -q "folioscope-$command(1)"; }
	ok "folioscope(1) names folioscope-$command(1)" in_main
	bad_option() {
		"$folioscope" "$command" --no-such-option </dev/null >"$tmp/out" 2>"$tmp/err"
		[ $? -eq 2 ] && ! [ -s "$tmp/out" ] && grep -q -- "$command --help" "$tmp/err" &&
			return
		cat "$tmp/out" "$tmp/err"
		return 1
	}
	ok "$command: an unknown option is a usage error" bad_option
done

for page in "$root"/analyzer/man/folioscope-*.1.scd; do
	name=$(basename "$page" .1.scd)
	has_command() { echo "$commands" | grep -qx "${name#folioscope-}"; }
	ok "$name(1) is the page of a command" has_command
done
installed() {
	make -s -C "$root" O="$build" DESTDIR="$tmp/dest" prefix=/usr install || return 1
	"$tmp/dest/usr/bin/folioscope" --version || return 1
	[ -s "$tmp/dest/usr/lib/traceevent/plugins/plugin_lru_gen.so" ] || return 1
	[ -s "$tmp/dest/usr/share/bash-completion/completions/folioscope" ] || return 1
	for command in '' $commands; do
		[ -s "$tmp/dest/usr/share/man/man1/folioscope${command:+-$command}.1" ] || {
			echo "no page for '$command'"
			return 1
		}
	done
}
complete_words() {	# complete_words WORD...: the last one is to be completed
	PATH=$build:$PATH bash --norc --noprofile -u -c '
		. "$1"
		shift
		COMP_WORDS=(folioscope "$@") COMP_CWORD=$#
		_folioscope folioscope "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$root/analyzer/completion/folioscope.bash" "$@"
}
completes_to() {	# completes_to EXPECTED WORD...
	expected=$1
	shift
	complete_words "$@" >"$tmp/words"
	[ "$(tr '\n' ' ' <"$tmp/words")" = "$expected " ] && return
	cat "$tmp/words"
	return 1
}
ok "bash completes commands" completes_to violations viol
ok "bash completes values" completes_to 'resident reclaimed reused' lifetimes --end re
ok "bash completes the topics of help" completes_to violations help viol
ok "bash completes --only stock" completes_to stock report --only st
ok "bash completes descending keys" completes_to '-pfn -promoted -protected' lifetimes --sort -p
trace=$root/tests/traces/chain.dat
pfns() {
	"$folioscope" lifetimes -q -n 0 -f csv "$trace" | awk -F, 'NR > 1 { print $2 }' | sort -u |
		grep '^19' >"$tmp/a"
	complete_words folio "$trace" 19 | sort -u >"$tmp/b"
	[ -s "$tmp/a" ] && diff "$tmp/a" "$tmp/b"
}
ok "bash completes page frames of the recording" pfns
pfns_hex() {
	complete_words folio "$trace" 0x1 >"$tmp/a"
	[ -s "$tmp/a" ] && ! grep -v '^0x1[0-9a-f]*$' "$tmp/a"
}
ok "bash completes page frames in hexadecimal" pfns_hex
memcgs() {
	complete_words lifetimes "$trace" --memcg '' | sort -n >"$tmp/a"
	"$folioscope" lifetimes -q -n 0 -f csv "$trace" | awk -F, 'NR > 1 { print $3 }' |
		sort -nu | grep . >"$tmp/b"
	diff "$tmp/a" "$tmp/b"
}
ok "bash completes cgroups of the recording" memcgs
ok "make install installs the program and its pages" installed
echo "1..$n"
