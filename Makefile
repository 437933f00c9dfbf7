# SPDX-License-Identifier: MIT
#
# PPU: an emulated GPU, its Linux driver and its runtime.
# `make help` lists the targets. How the build is put together:
#
#   mk/common.mk        tools, flags, and the macros that build fragments use
#   mk/cross.mk         building for another architecture
#   mk/vm.mk            QEMU, guest kernel, initramfs, module
#   mk/test.mk          check, run, shell, bench, lint, fuzz
#   mk/analyze.mk       analyze: static analysis
#   mk/labs.mk          lab, check-lab: the course labs
#   mk/install.mk       install, install-dkms, man
#   */build.mk          what each part of the tree builds
#
# A missing package is installed before anything is built (scripts/setup).

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory
ifeq ($(filter -j% --jobs%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

include mk/cross.mk
include mk/common.mk

# Everything below needs the packages; make starts over after this file is
# made, so the fragments can ask pkg-config for flags.
ifneq ($(if $(MAKECMDGOALS),$(filter-out clean help,$(MAKECMDGOALS)),all),)
include $(BUILD)/packages.mk
endif
$(BUILD)/packages.mk: scripts/setup
	@scripts/setup packages
	@mkdir -p $(@D)
	@echo 'PACKAGES_READY := 1' >$@

ifeq ($(PACKAGES_READY),1)
include $(sort $(wildcard kmod/core/build.mk qemu-device/core/build.mk libruntime/build.mk libruntime/*/build.mk))
include $(sort $(wildcard tests/build.mk tests/*/build.mk))
ifeq ($(PPU_ARCH),x86_64)
include mk/vm.mk
endif
ifeq ($(CROSS),)
include mk/install.mk
include mk/analyze.mk
endif
endif
include mk/test.mk
include mk/labs.mk

.PHONY: all help clean print-made
#: make               build everything
all: $(ALL_TARGETS)

# For scripts: a line "WHAT: SOURCES AND LIBRARIES" for all that our macros build.
print-made:
	@:$(foreach m,$(PPU_MADE),$(info $(m): $(PPU_FROM_$(m)) $(foreach s,$(PPU_FROM_$(m)),$(PPU_ALSO_FROM_$(s)))))

help:
	@sed -n 's/^#: //p' Makefile $(wildcard mk/*.mk tests/*/build.mk)

#: make clean         remove what was built (the cache outside the tree stays)
clean:
	rm -rf -- $(BUILD)

-include $(sort $(ALL_DEPFILES))
