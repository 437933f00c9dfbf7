#!/bin/sh
# SPDX-License-Identifier: MIT
#
# QEMU's glue never takes or drops the big QEMU lock: while a VM-state handler or an unplug waits for the device's
# thread, nobody else may change the machine (qemu-device/ppu_irq.c). A test at run time would need luck.
found=$(grep -nE '\b(bql_(un)?lock|qemu_mutex_(un)?lock_iothread)\(' "$PPU_TOP"/qemu-device/*.[ch])
if [ -n "$found" ]; then
	printf '%s\n' "$found" | sed 's/^/# /'
	echo "not ok - the glue takes or drops the big QEMU lock"
	exit 1
fi
echo "ok - the glue leaves the big QEMU lock alone"
