# SPDX-License-Identifier: MIT
#
# Lab 10: the library that is linked around the student's divergence unit (see tests/labs/lab10/machine.c).
# Students get this library built, and libppucore.a without that unit (ppulab/build.py, ppulab/release.py).

LAB10_SRCS := $(addprefix tests/labs/lab10/,machine.c queue.c random.c) tests/labs/lib/labends.c \
	$(addprefix tests/unit/lib/,sm_test.c ptmem.c simt_prog.c) $(DRIVER_CORE_SRCS)
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

# Labs 13 and 14: the whole core, with a unit of the lab's in place of the core's own, and what drives it. In one object whose
# names nobody sees but those that the student's file has to call or to define: the student's code cannot reach into the
# device that it is measured on.
# (lab, the core's unit, sources, functions that the student's file may call)
define lab_on_core
LAB$(1)_SRCS := $(addprefix tests/labs/lab$(1)/,$(3)) $(addprefix tests/labs/lib/,labends.c labrnd.c) \
	$(addprefix tests/unit/lib/,bench.c ptmem.c) $(DRIVER_CORE_SRCS) $(filter-out %/$(2),$(CORE_SRCS))
$(call ppu_objs,$(addprefix tests/labs/lab$(1)/,$(3))): private PPU_CFLAGS += \
	-Itests/labs/lab$(1) -Itests/labs/lib -Itests/unit/lib -Iqemu-device -Ikmod
$(BUILD)/lib/liblab$(1).a: $$(call ppu_objs,$$(LAB$(1)_SRCS))
	@mkdir -p $$(@D)
	$$(say) AR $$@
	$$(Q)rm -f $$@ && $$(CC) -r -nostdlib -o $$(@D)/lab$(1).o $$^ && \
		$$(OBJCOPY) $(patsubst %,--keep-global-symbol=%,main __sanitizer_cov_trace_pc $(4)) $$(@D)/lab$(1).o && \
		$$(AR) rcs $$@ $$(@D)/lab$(1).o && rm -f $$(@D)/lab$(1).o
PPU_MADE     += lib/liblab$(1).a
PPU_FROM_lib/liblab$(1).a := $$(LAB$(1)_SRCS)
ALL_TARGETS  += $(BUILD)/lib/liblab$(1).a
ALL_DEPFILES += $$(patsubst %.o,%.d,$$(call ppu_objs,$$(filter tests/labs/%,$$(LAB$(1)_SRCS))))
endef
$(eval $(call lab_on_core,13,host/ce.c,ce.c machine.c area.c tests.c tests_time.c,\
	$(addprefix dev_,now setup_ns mbps at reach read write fault done)))
# What stands around the student's file of lab 13 when it is graded: no device.
LAB13SERVE_SRCS := tests/labs/lab13/serve.c tests/labs/lib/labends.c
$(call ppu_objs,tests/labs/lab13/serve.c): private PPU_CFLAGS += -Itests/labs/lab13 -Itests/labs/lib
$(BUILD)/lib/liblab13serve.a: $(call ppu_objs,$(LAB13SERVE_SRCS))
	@mkdir -p $(@D)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^
PPU_MADE     += lib/liblab13serve.a
PPU_FROM_lib/liblab13serve.a := $(LAB13SERVE_SRCS)
ALL_TARGETS  += $(BUILD)/lib/liblab13serve.a
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs,tests/labs/lab13/serve.c))
$(eval $(call lab_on_core,14,host/runlist.c,machine.c round_robin.c runlist.c serve.c traces.c,))
