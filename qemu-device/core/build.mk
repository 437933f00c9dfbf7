# SPDX-License-Identifier: GPL-2.0-or-later
#
# The core: every .c file in the folders here, as a static library without dependencies.

CORE_SRCS := $(sort $(wildcard qemu-device/core/*/*.c qemu-device/core/*/*/*.c qemu-device/core/*/*/*/*.c))
$(if $(CORE_SRCS),,$(error the device core has no sources))
# Objects stand side by side in the archive.
$(if $(filter-out $(words $(CORE_SRCS)),$(words $(sort $(notdir $(CORE_SRCS))))),$(error two files of the core have one name))

# Comparisons of all lanes are joined with & and |, so that they become vector instructions; where clang does not make
# vectors of a loop, the loop is only slower.
CORE_CFLAGS := -Iqemu-device -fno-math-errno -Wno-bitwise-instead-of-logical -Wno-pass-failed

# The translator encodes host instructions with libzydis, which it opens when it is needed: only the headers are wanted
# here. Without them, and on other hosts, the interpreter is all there is. NO_TRANSLATE=1 leaves the translator out.
ifeq ($(PPU_ARCH)$(NO_TRANSLATE),x86_64)
ifeq ($(shell printf '\043include <Zydis/Encoder.h>\n' | $(CC) -E - >/dev/null 2>&1 && echo 1),1)
CORE_CFLAGS += -DPPU_TRANSLATE
endif
endif

$(eval $(call ppu_static_lib,ppucore,$(CORE_SRCS),$(CORE_CFLAGS)))
