# SPDX-License-Identifier: MIT
#
# What the virtual machine is made of: QEMU with the device, the guest's
# kernel and initramfs, the kernel module.

KERNEL_ABI := $(or $(PPU_KERNEL),$(shell cat $(PPU_CACHE)/kernel-version 2>/dev/null))
QEMU       := $(BUILD)/qemu/qemu-system-x86_64
INITRAMFS  := $(BUILD)/guest/initramfs.cpio
KMOD       := $(if $(wildcard kmod/Kbuild kmod/Makefile),$(BUILD)/kmod/ppu.ko)

# A list of files as a file, rewritten when the list changes: a removed source
# must cause a rebuild as a changed one does.
define ppu_file_list
$(1): FORCE
	@mkdir -p $$(@D); printf '%s\n' $(2) >$$@.tmp; \
	if cmp -s $$@.tmp $$@; then rm -f $$@.tmp; else mv -f $$@.tmp $$@; fi
endef
FORCE:

# --- QEMU -------------------------------------------------------------------

DEVICE_FILES := $(sort $(shell find include qemu-device \( -name '*.[chS]' -o -name '*.inc' \
	-o -name '*.def' -o -name probe.sh -o -name trace-events -o -path '*/qemu/*' \) -type f 2>/dev/null))
$(eval $(call ppu_file_list,$(BUILD)/qemu/files.list,$(DEVICE_FILES)))

$(QEMU): scripts/build-qemu $(BUILD)/qemu/files.list $(DEVICE_FILES) $(CC_STAMP)
	$(Q)BUILD=$(BUILD) scripts/build-qemu

# --- the guest ----------------------------------------------------------------

GUEST_KERNEL := $(BUILD)/guest/kernel-version
$(GUEST_KERNEL): scripts/setup scripts/extract-vmlinux.py
	$(Q)scripts/setup kernel
	@mkdir -p $(@D)
	$(Q)echo $${PPU_KERNEL:-$$(cat $(PPU_CACHE)/kernel-version)} >$@

$(INITRAMFS): scripts/build-initramfs scripts/guest/init scripts/guest/agent.c $(GUEST_KERNEL) $(CC_STAMP)
	$(Q)BUILD=$(BUILD) scripts/build-initramfs

# --- the module ----------------------------------------------------------------
#
# Built in a copy, so that the source tree stays clean. include/ is copied
# beside it: the module's sources find it as they would in the DKMS package.

KMOD_FILES := $(sort $(shell find kmod include -type f ! -name '*.mod.c' 2>/dev/null))
$(eval $(call ppu_file_list,$(BUILD)/kmod/files.list,$(KMOD_FILES)))

$(BUILD)/kmod/ppu.ko: $(KMOD_FILES) $(BUILD)/kmod/files.list $(GUEST_KERNEL) scripts/build-kmod
	$(Q)BUILD=$(BUILD) scripts/build-kmod

.PHONY: qemu kmod initramfs vm
#: make qemu          QEMU with the device       make kmod       the kernel module
qemu: $(QEMU)
kmod: $(KMOD)
initramfs: $(INITRAMFS)
#: make vm            all that scripts/vm needs
vm: $(QEMU) $(INITRAMFS) $(KMOD)

ALL_TARGETS += $(QEMU) $(INITRAMFS) $(KMOD)

# --- the debug kernel -----------------------------------------------------------
#
# For make check-debug: a kernel with all checkers, the driver built against it
# (with coverage and UBSAN in it), and a module of planted bugs which shows that
# the checkers see. KERNEL_DEBUG is a link, so the stamp beside it is the target.

KERNEL_DEBUG := $(BUILD)/guest/kernel-debug
KMOD_DEBUG   := $(BUILD)/debug/kmod/ppu.ko
PLANTED      := $(BUILD)/debug/planted/ppu_planted.ko
DEBUG_KBUILD  = BUILD=$(BUILD) KDIR=$(realpath $(KERNEL_DEBUG))/build scripts/build-kmod \
		KCOV_INSTRUMENT=y UBSAN_SANITIZE=y CONFIG_DRM_PPU_KUNIT_TEST=m

$(KERNEL_DEBUG).stamp: scripts/build-debug-kernel scripts/guest-debug.config \
		$(if $(wildcard $(KERNEL_DEBUG)/complete),,FORCE)
	$(Q)env -u WERROR BUILD=$(BUILD) scripts/build-debug-kernel
	@touch $@

$(KMOD_DEBUG): $(KMOD_FILES) $(BUILD)/kmod/files.list $(KERNEL_DEBUG).stamp scripts/build-kmod
	$(Q)KMOD_DIR=$(abspath $(@D)) $(DEBUG_KBUILD)

$(PLANTED): $(wildcard tests/debug/planted/*) $(KERNEL_DEBUG).stamp scripts/build-kmod
	$(Q)KMOD_DIR=$(abspath $(@D)) KMOD_SRC=$(CURDIR)/tests/debug/planted $(DEBUG_KBUILD)

.PHONY: debug-kernel
#: make debug-kernel  the guest kernel of make check-debug (long, once)
debug-kernel: $(KERNEL_DEBUG).stamp

# --- elsewhere ------------------------------------------------------------------

#: make container-run the same in podman or docker   (C="make check": another command)
.PHONY: container-run cache-export cache-import
C ?= make run
container-run:
	$(Q)scripts/container/run $(C)

#: make cache-export  the cache of what is slow to build as one file; cache-import: take it   (F=FILE)
cache-export cache-import:
	$(Q)scripts/cache $(@:cache-%=%) $(or $(F),$(error say which file: make $@ F=ppu-cache.tar.zst))
