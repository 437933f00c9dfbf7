# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# Shared by the shell scripts here: places, messages, locks.

set -euo pipefail
# The distribution's own tools first: a private python3 or the like in PATH
# must not decide what QEMU's configure finds.
PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin:$PATH
export LC_ALL=C.UTF-8

PPU_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${BUILD:-build}
[[ $BUILD == /* ]] || BUILD=$PPU_TOP/$BUILD
# ~ is known without HOME, too.
PPU_CACHE=${PPU_CACHE:-${XDG_CACHE_HOME:-~/.cache}/ppu}
[[ $PPU_CACHE == /* ]] || PPU_CACHE=$PPU_TOP/$PPU_CACHE

# The version of the tree, which include/ppu_version.h states.
ppu_version()
{
	sed -nE 's/^#define PPU_VERSION_(MAJOR|MINOR|PATCH)[[:space:]]+([0-9]+)$/\2/p' \
		"$PPU_TOP/include/ppu_version.h" | paste -sd.
}

# Every script has --help and --version: the text of --help is the comment at the top of the script.
case ${1:-} in
--help|-h)
	awk 'NR > 2 && !/^#/ { exit } NR > 2 && (seen || /[^#]/) { seen = 1; sub(/^# ?/, ""); print }' "$0"
	exit 0
	;;
--version)
	printf '%s (PPU) %s\n' "${0##*/}" "$(ppu_version)"
	exit 0
	;;
esac

say()  { printf '  %-7s %s\n' "$1" "${*:2}"; }
die()  { printf '%s: %s\n' "${0##*/}" "$*" >&2; exit 1; }

# make_dir DIR: makes a directory in which we can write, or says what to do.
make_dir()
{
	if ! mkdir -p "$1" 2>/dev/null || [[ ! -w $1 ]]; then
		die "cannot write to $1; PPU_CACHE=DIR and BUILD=DIR choose other places (now $PPU_CACHE and $BUILD)"
	fi
}

# run_logged LOG CMD...: prints nothing unless CMD fails, and then the end of its output.
run_logged()
{
	local log=$1; shift
	make_dir "$(dirname "$log")"
	if ! "$@" >"$log" 2>&1 </dev/null; then
		echo "--- end of $log" >&2
		tail -n 30 "$log" >&2
		echo "--- failed: $*" >&2
		return 1
	fi
}

# as_root CMD...: directly, or through sudo.
as_root()
{
	if [[ $(id -u) == 0 ]]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		die "needs root or sudo to run: $*"
	fi
}

# with_lock FILE: takes a lock, which is held until the script ends.
with_lock()
{
	make_dir "$(dirname "$1")"
	exec 9>"$1"
	if ! flock -n 9; then
		say WAIT "another build holds ${1##*/}"
		flock 9
	fi
}

# kernel_headers ABI: what a module for this kernel is built against.
kernel_headers()
{
	local dir
	for dir in ${KDIR:+"$KDIR"} ${PPU_MODULES:+"$PPU_MODULES/build"} "/usr/src/linux-headers-$1" \
		"/lib/modules/$1/build"; do
		[[ -d $dir ]] && break
	done
	echo "$dir"
}

# host_libs: where programs of this machine have their libraries, and the name under which a program asks for its
# loader, as two words; the compiler and a program say so.
host_libs()
{
	local libc loader
	libc=$(realpath "$(gcc -print-file-name=libc.so.6)")
	[[ $libc == /* ]] || die "gcc does not know where libc.so.6 is"
	loader=$(readelf -lW "$(command -v make)" | sed -nE 's/.*interpreter: (.*)\]/\1/p')
	[[ -n $loader ]] || die "cannot tell the loader of this machine's programs"
	echo "$(dirname "$libc") $loader"
}

# Where QEMU's firmware is looked for.
PPU_FIRMWARE_DIRS=(${PPU_FIRMWARE:+"$PPU_FIRMWARE"} /usr/share/qemu /usr/share/seabios)

# Replace a file only if the content (stdin) differs: keeps the mtime.
put_if_changed()
{
	local tmp
	tmp=$(mktemp "$1.XXXXXX")
	cat >"$tmp"
	if cmp -s "$tmp" "$1"; then rm -f "$tmp"; else chmod 644 "$tmp"; mv -f "$tmp" "$1"; fi
}

# apt options for a private list of source packages: the machine's own binary
# entries turned into source entries, its lists untouched.
apt_src_options()
{
	local dir=$PPU_CACHE/apt f
	rm -rf "$dir/parts"
	mkdir -p "$dir/parts" "$dir/lists/partial"
	for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[[ -f $f ]] || continue
		sed -nE 's/^[[:space:]]*deb([[:space:]].*)$/deb-src\1/p' "$f" \
			>"$dir/parts/$(basename "$f" .list).list"
	done
	for f in /etc/apt/sources.list.d/*.sources; do
		[[ -f $f ]] || continue
		sed -E 's/^Types:.*/Types: deb-src/I' "$f" >"$dir/parts/$(basename "$f")"
	done
	APT_SRC=(-o Dir::Etc::sourcelist=/dev/null
		 -o Dir::Etc::sourceparts="$dir/parts"
		 -o Dir::State::lists="$dir/lists"
		 -o APT::Sandbox::User=root)
}

# own_source_version SOURCE PACKAGE: which version of a source package to take: the one that the release's own
# PACKAGE was made from, as apt would install it. With backports among the sources there is a higher one, which
# needs tools that the release has not. APT_SRC is set, and its lists are fetched; the lists of PACKAGE may be old.
own_source_version()
{
	local own all
	own=$(apt-cache --no-all-versions show "$2" 2>/dev/null | awk '
		/^Version: / && !version { version = $2 }
		/^Source: / && /\(/ && !source { source = $3; gsub(/[()]/, "", source) }
		END { print source ? source : version }')
	all=$(apt-cache "${APT_SRC[@]}" showsrc "$1" 2>/dev/null | sed -n 's/^Version: //p')
	if [[ -n $own ]] && grep -qxF -e "$own" <<<"$all"; then
		echo "$own"
	else
		grep -v '~bpo' <<<"$all" | sort -V | tail -n1
	fi
}
