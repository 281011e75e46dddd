# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For check and check-build: where series, kernel sources and the cache are.
# The sourcing script sets "me", its name for messages, before it sources this.
# shellcheck disable=SC2034,SC2154

export LC_ALL=C
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${FOLIOSCOPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/folioscope}
jobs=$(nproc)

die()
{
	echo "$me: $*" >&2
	exit 1
}

say()
{
	echo "$me: $*"
}

need_tools()
{
	local tool missing=()
	for tool; do
		command -v "${tool%%:*}" > /dev/null || missing+=("${tool#*:}")
	done
	[ ${#missing[@]} = 0 ] || die "missing tools; install them with: apt-get install ${missing[*]}"
}

# All series, as KERNEL/NAME, those that others build on first.
all_series()
{
	local base
	for base in "$top"/patches/*/*/BASE; do
		[ -e "$base" ] || die "$top/patches: no series, i.e. no KERNEL/NAME/BASE"
		base=${base%/BASE}
		echo "$(series_chain "${base#"$top"/patches/}" | wc -l) ${base#"$top"/patches/}"
	done | sort -V | cut -d' ' -f2
}

# base_value KERNEL/NAME KEY: the value of a line "KEY: value" in BASE.
base_value()
{
	local file=$top/patches/$1/BASE value
	[ -r "$file" ] || die "patches/$1/BASE: cannot be read"
	value=$(sed -n "s/^$2: *//p" "$file")
	[ -n "$value" ] || die "patches/$1/BASE: no line \"$2: ...\""
	echo "$value"
}

# series_chain KERNEL/NAME: that series, after all that it says it comes after.
series_chain()
{
	local series=$1 depth=${2:-0} name
	[ "$depth" -lt 8 ] || die "patches/$series/BASE: \"after:\" goes in a circle"
	[ -r "$top/patches/$series/BASE" ] || die "patches/$series/BASE: no such series"
	for name in $(sed -n 's/^after: *//p' "$top/patches/$series/BASE"); do
		series_chain "${series%/*}/$name" $((depth + 1))
	done
	echo "$series"
}

# series_patches KERNEL/NAME: paths of its patches, in order.
series_patches()
{
	local dir=$top/patches/$1 name
	[ -r "$dir/series" ] || die "patches/$1/series: cannot be read"
	while read -r name; do
		case $name in ''|'#'*) continue ;; esac
		[ -r "$dir/$name" ] || die "patches/$1/series names $name, which cannot be read"
		echo "$dir/$name"
	done < "$dir/series"
}

# chain_patches KERNEL/NAME: paths of all patches up to and including its own.
chain_patches()
{
	local series
	for series in $(series_chain "$1" | awk '!seen[$0]++'); do
		series_patches "$series" || exit 1
	done
}

# together_patches KERNEL/NAME: like chain_patches, but with the series of the
# lines "together-after:" in between, on top of which it must apply as well.
# Nothing if BASE has no such line.
together_patches()
{
	local series=$1 name
	{
		for name in $(sed -n 's/^together-after: *//p' "$top/patches/$series/BASE"); do
			series_chain "${series%/*}/$name"
		done
		series_chain "$series"
	} | awk '!seen[$0]++' | while read -r name; do
		grep -q '^together-after:' "$top/patches/$series/BASE" || break
		series_patches "$name" || exit 1
	done
}

# Print the path of the source package of a series, after checking its hash.
source_tarball()
{
	local name path want got stamp
	name=$(base_value "$1" tarball) || exit 1
	want=$(base_value "$1" tarball-sha256) || exit 1
	path=${FOLIOSCOPE_SOURCES:-/usr/src}/$name
	[ -r "$path" ] ||
		die "$path: no such file; install it with: apt-get install $(base_value "$1" package)"
	# Hashing takes a second, so remember it for this very file.
	stamp=$cache/patches/sha256-$(stat -c '%i-%s-%Y' "$path")
	if [ ! -e "$stamp" ]; then
		mkdir -p "$cache/patches"
		sha256sum < "$path" | cut -d' ' -f1 > "$stamp.$$"
		mv "$stamp.$$" "$stamp"
	fi
	got=$(cat "$stamp")
	[ "$got" = "$want" ] ||
		die "$path: sha256 is $got, but patches/$1/BASE is for $want" \
			"($(base_value "$1" package) $(base_value "$1" package-version))"
	echo "$path"
}

# Print the files that patches create, change or remove.
touched_files()
{
	sed -n -E 's,^(---|\+\+\+) [ab]/([^	]*).*,\2,p' "$@" | sort -u
}

# hash FILE...: of contents and order, not of names.
hash()
{
	local file
	for file; do
		sha256sum < "$file"
	done | sha256sum | cut -c1-32
}
