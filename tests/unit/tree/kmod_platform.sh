#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The driver does not compile for a machine that it was not written for: other pages than of 4 KiB, or not x86-64. The
# compiler says so in a sentence. The kernel's headers are played by three lines of our own.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/linux" "$dir/asm"
cat >"$dir/linux/build_bug.h" <<'EOF'
#define static_assert(expr, msg) _Static_assert(expr, msg)
EOF
echo '#define PAGE_SIZE (1UL << PAGE_SHIFT)' >"$dir/asm/page.h"
failed=0

# check WHAT EXPECTED FLAG...: the header with these flags; EXPECTED is in what the compiler says, "" if it says nothing
check()
{
	what=$1 expected=$2
	shift 2
	said=$(echo '#include "base/ppu_platform.h"' |
		${CC:-gcc} -std=gnu11 -Wall -Werror -fsyntax-only -I"$dir" -I"$PPU_TOP/kmod" -I"$PPU_TOP/include" "$@" \
			-x c - 2>&1)
	status=$?
	case $status/$said in
	0/) ok=$([ -z "$expected" ] && echo yes) ;;
	*"$expected"*) ok=$([ -n "$expected" ] && [ $status -ne 0 ] && echo yes) ;;
	*) ok= ;;
	esac
	if [ "$ok" ]; then
		echo "ok - $what"
	else
		echo "not ok - $what: status $status, '$said'"
		failed=1
	fi
}

check "x86-64" "" -DCONFIG_X86_64=1 -DPAGE_SHIFT=12
check "pages of 16 KiB" "needs pages of 4 KiB" -DCONFIG_X86_64=1 -DPAGE_SHIFT=14
check "pages of 64 KiB" "needs pages of 4 KiB" -DCONFIG_X86_64=1 -DPAGE_SHIFT=16
check "another architecture" "for x86-64 only" -DCONFIG_ARM64=1 -DPAGE_SHIFT=12

# Every unit of the driver that touches the device is asked: what they include includes the header.
if grep -q '^#include "base/ppu_platform.h"$' "$PPU_TOP/kmod/base/ppu_device.h"; then
	echo "ok - the driver asks"
else
	echo "not ok - kmod/base/ppu_device.h does not include base/ppu_platform.h"
	failed=1
fi
exit $failed
