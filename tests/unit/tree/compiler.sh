#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Objects of two compilers never meet in a build directory: another compiler makes all objects again, the same one
# by another name makes none, and who names none goes on with the one that was there.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
printf '#!/bin/sh\nexec "$@"\n' >"$dir/bin/wrapper"
# Newer than it was, to all appearance.
printf '#!/bin/sh\n[ "$1" = --version ] || exec gcc "$@"\ngcc --version | sed "1s/$/.1/"\n' >"$dir/bin/gcc-newer"
chmod +x "$dir"/bin/*
PATH=$dir/bin:$PATH
lib=$dir/build/lib/libppudriver.a

# What is compiled when make gets these arguments: all, nothing or something.
compiled()
{
	env -u CC -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -j2 BUILD="$dir/build" "$@" "$lib" >"$dir/out" 2>&1 || return
	case $(grep -c '^  CC ' "$dir/out") in
	"$all") echo all ;;
	0) echo nothing ;;
	*) echo something ;;
	esac
}

check() # what, who made the objects, arguments of make
{
	local want=$1 by=$2 got
	shift 2
	got=$(compiled "$@")
	if [[ $got == "$want" ]] && objdump -s -j .comment "$lib" | grep -q "$by"; then
		echo "ok - make $*: $want, by $by"
	else
		sed 's/^/# /' "$dir/out"
		echo "not ok - make $*: $got is compiled, not $want by $by"
	fi
}

all=$(set -- kmod/core/*.c; echo $#)
check all GCC
check nothing GCC CC=gcc
check nothing GCC CC='wrapper gcc'
check all clang CC=clang
check nothing clang
check nothing clang CC='wrapper clang'
check all GCC CC='wrapper gcc'
check nothing GCC
check all GCC CC=gcc-newer
check nothing GCC
