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
	-o -name '*.def' -o -name trace-events -o -path '*/qemu/*' \) -type f 2>/dev/null))
$(eval $(call ppu_file_list,$(BUILD)/qemu/files.list,$(DEVICE_FILES)))

$(QEMU): scripts/build-qemu $(BUILD)/qemu/files.list $(DEVICE_FILES)
	$(Q)BUILD=$(BUILD) scripts/build-qemu

# --- the guest ----------------------------------------------------------------

GUEST_KERNEL := $(BUILD)/guest/kernel-version
$(GUEST_KERNEL): scripts/setup scripts/extract-vmlinux.py
	$(Q)scripts/setup kernel
	@mkdir -p $(@D)
	$(Q)echo $${PPU_KERNEL:-$$(cat $(PPU_CACHE)/kernel-version)} >$@

$(INITRAMFS): scripts/build-initramfs scripts/guest/init scripts/guest/agent.c $(GUEST_KERNEL)
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
