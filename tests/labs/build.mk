# SPDX-License-Identifier: MIT
#
# Lab 10: the library that is linked around the student's divergence unit (see tests/labs/lab10/machine.c).
# Students get this library built, and libppucore.a without that unit (ppulab/build.py, ppulab/release.py).

LAB10_SRCS := $(addprefix tests/labs/lab10/,machine.c queue.c random.c) $(addprefix tests/unit/lib/,sm_test.c ptmem.c simt_prog.c) \
	$(DRIVER_CORE_SRCS)
$(call ppu_objs,$(filter tests/labs/%,$(LAB10_SRCS))): private PPU_CFLAGS += \
	-Itests/labs/lab10 -Itests/labs/lib -Itests/unit/lib -Iqemu-device -Ilibruntime -Ikmod
$(BUILD)/lib/liblab10.a: $(call ppu_objs,$(LAB10_SRCS))
	@mkdir -p $(@D)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^
PPU_MADE     += lib/liblab10.a
PPU_FROM_lib/liblab10.a := $(LAB10_SRCS)
ALL_TARGETS  += $(BUILD)/lib/liblab10.a
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs,$(filter tests/labs/%,$(LAB10_SRCS))))
