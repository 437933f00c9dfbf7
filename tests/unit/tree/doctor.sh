#!/bin/bash
# SPDX-License-Identifier: MIT
#
# scripts/doctor tells the system from the table of what was tried: passed, known by its names only, the next release,
# unknown. It does not know more than that table. What make installs by itself is nothing that must be done first.
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
mkdir -p "$T/etc" "$T/scripts" "$T/include" "$T/bin"
cp "$PPU_TOP"/scripts/{doctor,lib.sh,setup} "$T/scripts/"
cat >"$T/scripts/matrix.conf" <<'END'
[good]
os = debian 12
[good-too]
os = debian 12
[next]
os = debian sid
[paper]
os = ubuntu 24.04
END
cat >"$T/scripts/matrix.results" <<'END'
good run passed 2026-01-02 abc kernel 6.1
good-too run passed 2026-01-03 abc kernel 6.1
next run failed 2026-01-04 abc
next module passed 2026-01-05 abc kernel 7.2
paperback run passed 2026-01-06 abc
END
failed=0
has()		# TEXT NAME
{
	if [[ $out == *"$1"* ]]; then echo "ok - $2"; else printf '%s\n' "$out" | sed 's/^/# /'; echo "not ok - $2"; failed=1; fi
}
hasnt()
{
	if [[ $out != *"$1"* ]]; then echo "ok - $2"; else printf '%s\n' "$out" | sed 's/^/# /'; echo "not ok - $2"; failed=1; fi
}
doctor()	# ID VERSION DEBIAN_VERSION VARIABLE=VALUE...
{
	printf 'ID=%s\n%s\nPRETTY_NAME="The System"\n' "$1" "${2:+VERSION_ID=$2}" >"$T/etc/os-release"
	echo "$3" >"$T/etc/debian_version"
	out=$(env PPU_ETC="$T/etc" PPU_CACHE="$T/cache" BUILD="$T/build" "${@:4}" "$T/scripts/doctor" 2>&1)
}
doctor debian 12 12.5
has "ok    The System, on which make run passed on 2026-01-03" "a release that was tried, and when last"
hasnt "command not found" "no tool is missing here"
if [[ $(uname -m) == x86_64 ]]; then
	echo "flags : sse2" >"$T/cpuinfo"
	doctor debian 12 12.5 PPU_CPUINFO="$T/cpuinfo"
	has "note  this processor has no AVX2" "a processor for which nothing can be translated"
fi
doctor debian "" forky/sid
has "note  this is The System, whose package names are known, but make run was never seen to pass" "the next release failed"
doctor ubuntu 24.04 trixie/sid
has "note  this is The System, whose package names are known, but" "a system that is known by its names only"
doctor debian 1 1.0
has "note  this is The System, which nobody has tried" "a release that nobody has tried"
doctor debian "" ""
has "note  this is The System, which nobody has tried" "none that can be told"

# What is free on this machine's disk is not what is tested.
sed -i 's/^\tmib=.*/\tmib=$FREE_MIB/' "$T/scripts/doctor"
export FREE_MIB=100
doctor debian 12 12.5
has "only 100 MiB free on the disk of $T/cache, 5000 wanted" "a disk that is full"
FREE_MIB=100000

# A machine without packages: one where dpkg-query knows nothing.
sed -i 's/^installed() .*/installed() { false; }/; s/^\t\tthere \$test_ /\t\tfalse /' "$T/scripts/setup"
doctor debian 12 12.5
if [[ $(id -u) == 0 ]] || command -v sudo >/dev/null; then
	has "packages are missing: build-essential" "missing packages are named"
	hasnt BAD "and nothing must be done first, because make installs them"
fi
doctor debian 12 12.5 PPU_NO_PACKAGES=1
has "things are missing" "without apt, what is missing is said by what it is for"
has "Something must be done first" "and must be done first"
hasnt "make installs them" "since make installs nothing"
exit $failed
