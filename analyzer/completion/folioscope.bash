# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of folioscope(1) for bash. Options come from the help texts, so that
# they cannot differ from them; page frames and cgroups from the recording if it
# is small.

# Recordings up to this size are read for page frames and cgroups.
_folioscope_small_bytes=$((8 << 20))

_folioscope_commands()
{
	"$1" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p'
}

_folioscope_options()
{
	"$1" "$2" --help 2>/dev/null | sed -n 's/^ \{2,6\}\(-.*\)/\1/p' | sed 's/  .*//' |
		grep -oE '(^|[ ,])--?[a-z][a-z-]*' | tr -d ' ,'
}

# The recording on the command line, or the default.
_folioscope_file()
{
	local word
	for word in "${COMP_WORDS[@]:2}"; do
		if [ -f "$word" ] && [ "$word" != "${COMP_WORDS[COMP_CWORD]}" ]; then
			printf '%s\n' "$word"
			return
		fi
	done
	[ -f trace.dat ] && echo trace.dat
}

# Column $2 (1 is the first) of the lives in the recording, each value once.
_folioscope_values()
{
	local file
	file=$(_folioscope_file)
	[ -n "$file" ] || return
	[ "$(stat -L -c %s "$file" 2>/dev/null || echo 0)" -gt 0 ] || return
	[ "$(stat -L -c %s "$file")" -le "$_folioscope_small_bytes" ] || return
	timeout 1 "$1" lifetimes -q -n 0 -f csv "$file" 2>/dev/null |
		awk -F, -v c="$2" 'NR > 1 && $c != "" && !seen[$c]++ { print $c }'
}

_folioscope()
{
	local program=$1 cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
	local command=${COMP_WORDS[1]} words=
	COMPREPLY=()

	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$(_folioscope_commands "$program") --help --version" -- "$cur")
		return
	fi
	if [ "$command" = help ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_folioscope_commands "$program")" -- "$cur")
		return
	fi
	case $previous in
	-i | --input | -o | --output | --with | --csv | --jsonl | --sqlite | --perfetto | --before)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return ;;
	--color)	words='auto always never' ;;
	-w | --what)	words='accessed reclaimed events' ;;
	--type)		words='anon file' ;;
	--birth)	words='added refaulted swapped_in migrated split unknown' ;;
	--end)		words='resident evicted reclaimed lazyfreed freed migrated reused switched lost' ;;
	--compression)	words='any none zstd zlib' ;;
	--sample)	words='1/8 1/64 1/512' ;;
	--only)		words='pictures lifetimes order lazyfree hitshield refault counters stock' ;;
	-f | --format)
		words=$("$program" "$command" --help 2>/dev/null |
			sed -n 's/^  -f, --format KIND *\(.*\)/\1/p' | tr -s ', ' '\n' |
			grep -vx or) ;;
	-s | --sort)
		words='born ended lived pfn promoted protected isolated evictions'
		[[ $cur == -* ]] && words=-${words// / -} ;;
	--memcg)	words=$(_folioscope_values "$program" 3) ;;
	--pfn)		words=$(_folioscope_values "$program" 2) ;;
	esac
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_folioscope_options "$program" "$command")" \
			-- "$cur")
		return
	fi
	if [ "$command" = folio ] && [[ $cur == 0x* ]]; then
		words=$(_folioscope_values "$program" 2 | xargs -r printf '0x%x\n')
	elif [ "$command" = folio ] && [[ $cur == [0-9]* ]]; then
		words=$(_folioscope_values "$program" 2)
	fi
	if [ -n "$words" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}

complete -o filenames -F _folioscope folioscope
