# SPDX-License-Identifier: GPL-2.0-or-later
#
# The core: every .c file in the folders here, as a static library without dependencies.

CORE_SRCS := $(sort $(wildcard qemu-device/core/*/*.c qemu-device/core/*/*/*.c))
$(if $(CORE_SRCS),,$(error the device core has no sources))
# Objects stand side by side in the archive.
$(if $(filter-out $(words $(CORE_SRCS)),$(words $(sort $(notdir $(CORE_SRCS))))),$(error two files of the core have one name))

$(eval $(call ppu_static_lib,ppucore,$(CORE_SRCS),-Iqemu-device))
