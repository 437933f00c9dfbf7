#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# probe.sh QEMU-SOURCE: what this QEMU has, as a header on standard output
# (ppu_qemu_have.h). It looks into QEMU's headers, since nothing that includes
# them compiles before QEMU is configured and its generated headers are made.
# A wrong answer does no harm but to the build: the device does not compile.
set -eu
include=$1/include
[ -f "$include/hw/pci/pci.h" ] || {
	echo "probe.sh: $1 is not a QEMU source tree" >&2
	exit 1
}

# have NAME EXPRESSION HEADER...: blanks and line ends count for nothing; of the
# headers, which are patterns, those are read that exist.
have()
{
	name=$1 expression=$2
	shift 2
	text=$(cd "$include" && cat $* 2>/dev/null | tr -d ' \t\n') || true
	[ -n "$text" ] || {
		echo "probe.sh: no header for $name" >&2
		exit 1
	}
	if printf '%s' "$text" | grep -qE "$expression"; then
		echo "#define PPU_QEMU_HAVE_$name 1"
	else
		echo "/* no $name */"
	fi
}

echo "/* SPDX-License-Identifier: GPL-2.0-or-later */"
echo "/* Written by probe.sh. */"
have LEGACY_RESET 'voiddevice_class_set_legacy_reset\(' 'hw/qdev-*.h' 'hw/core/qdev*.h'
have STATE_CB_RET 'qdev_add_vm_change_state_handler\([^,)]*,[^,)]*,[^,)]*,[^,)]*\)' \
	sysemu/runstate.h system/runstate.h
have POST_SAVE_VOID 'void\(\*post_save\)' migration/vmstate.h
have CLASS_DATA_CONST '\(\*class_init\)\([^,)]*,constvoid\*' qom/object.h
