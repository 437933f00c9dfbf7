#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Who mistypes a name, or has no place for the cache, is told so in a sentence, and nothing is built or fetched.
cd "$PPU_TOP" || exit 1
failed=0

# refused NAME TEXT COMMAND...: the command fails, and TEXT is in what it says.
refused()
{
	name=$1 want=$2
	shift 2
	said=$(env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS "$@" 2>&1 </dev/null)
	status=$?
	case $said in
	*"$want"*)	[ $status -ne 0 ] && echo "ok - $name" && return ;;
	esac
	echo "# status $status: $said" | head -n 5
	echo "not ok - $name"
	failed=1
}

refused "make unit: one of two names is wrong" "no unit test is called test_nope;" make unit T="where.sh test_nope"
refused "make fuzz: a wrong name" "no fuzzer is called fuzz_nope;" make fuzz F=fuzz_nope
refused "doctor: a wrong option" "--nope" scripts/doctor --nope
refused "the cache cannot be made" "cannot write to /proc/nope; PPU_CACHE=DIR" \
	env PPU_CACHE=/proc/nope scripts/setup kernel
dir=$(mktemp -d) && trap 'rm -rf "$dir"' EXIT
printf '%s\n' '.section .modinfo,"a"' '.string "parmtype=poll_ms:uint"' | ${CC:-cc} -c -x assembler -o "$dir/x.ko" -
refused "vm: a wrong module parameter" "--modparam nope=1: x.ko has no such parameter, but poll_ms" \
	scripts/vm --module "$dir/x.ko" --modparam poll-ms=1 --modparam nope=1 -- true
refused "vm: parameters for no module" "--modparam and --no-module exclude each other" \
	scripts/vm --no-module --modparam nope=1 -- true
home=$(env -u HOME -u PPU_CACHE -u XDG_CACHE_HOME bash -c '. scripts/lib.sh; echo "$PPU_CACHE"')
case $home in
/*/.cache/ppu)	echo "ok - without HOME the cache is where it is with it" ;;
*)		echo "not ok - without HOME the cache is '$home'"; failed=1 ;;
esac
# A name without / in front is one in the tree, as with BUILD, wherever a script changes to.
for said in "$(PPU_CACHE=some/cache bash -c '. scripts/lib.sh; echo "$PPU_CACHE"')" \
	    "$(PPU_CACHE=some/cache PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=scripts python3 -c 'import ppu_script; print(ppu_script.CACHE)')" \
	    "$(printf 'include mk/common.mk\nshow: ; @echo "$$PPU_CACHE"\n' | make -s -f - PPU_CACHE=some/cache show)"; do
	case $said in
	"$PWD/some/cache")	echo "ok - a cache that is named from the tree" ;;
	*)			echo "not ok - a cache that is named from the tree is '$said'"; failed=1 ;;
	esac
done
exit $failed
