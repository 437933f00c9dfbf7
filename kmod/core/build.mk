# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The driver core on the host: what the kernel's driver and the one inside a process
# share (driver.h). Kbuild makes it part of ppu.ko.

DRIVER_CORE_SRCS := $(sort $(wildcard kmod/core/*.c))
DRIVER_CORE_CFLAGS := -Wshadow -Wmissing-prototypes -Wstrict-prototypes
$(eval $(call ppu_static_lib,ppudriver,$(DRIVER_CORE_SRCS),$(DRIVER_CORE_CFLAGS)))
