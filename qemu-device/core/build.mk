# SPDX-License-Identifier: GPL-2.0-or-later
#
# The core: every .c file here, as a static library without dependencies.

$(eval $(call ppu_static_lib,ppucore,$(sort $(wildcard qemu-device/core/*.c)),-Iqemu-device/core))
