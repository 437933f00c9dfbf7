# SPDX-License-Identifier: MIT
#
# Building for another architecture than this machine's.
#
#   make CROSS=aarch64 unit      the unit tests, built for aarch64 in build-aarch64, run with QEMU's user emulation
#
# Libraries and compilers come from scripts/build-sysroot. The compilers make programs that can be run here, so the
# other fragments do not know.

PPU_ARCH := $(or $(CROSS),$(shell uname -m))

# The guest's machine and its user space are those of x86-64.
ifneq ($(PPU_ARCH),x86_64)
NO_VM := $(filter run shell vm qemu kmod initramfs check-debug check-lab,$(MAKECMDGOALS))
$(if $(NO_VM),$(error make $(NO_VM): there is no virtual machine for $(PPU_ARCH), see Documentation/limits.md))
endif

ifneq ($(CROSS),)
BUILD   ?= build-$(CROSS)
# Asked for once, not by each make below this one.
SYSROOT := $(or $(SYSROOT),$(shell scripts/setup cross >&2 && scripts/build-sysroot $(CROSS)))
$(if $(SYSROOT),,$(error there are no libraries for $(CROSS)))
CC      := $(SYSROOT)/bin/cc
CLANGXX := $(SYSROOT)/bin/clang++
AR      := $(CROSS)-linux-gnu-ar
OBJCOPY := $(CROSS)-linux-gnu-objcopy
export CROSS SYSROOT CC CLANGXX
export PKG_CONFIG_SYSROOT_DIR := $(SYSROOT)
export PKG_CONFIG_LIBDIR := $(SYSROOT)/usr/lib/$(CROSS)-linux-gnu/pkgconfig:$(SYSROOT)/usr/share/pkgconfig
# The emulator makes the sanitizers' work slow; SAN=1 asks for them. Leaks cannot be looked for in it.
ifneq ($(SAN),1)
CFLAGS_SAN := -O2
endif
export ASAN_OPTIONS := detect_leaks=0:allocator_may_return_null=1
# Emulated programs take several times as long.
export CK_DEFAULT_TIMEOUT ?= 1200
export TEST_TIMEOUT ?= 3600
endif
