# SPDX-License-Identifier: MIT
#
# Programs that tests/system/host_*.sh run in machines of their own. (How the
# other tests here are built: mk/test.mk.)

OWN_MACHINE := two/two_ppus deaf/deaf_channels aer/bus_errors aer/bus_lost
$(OWN_MACHINE:%=$(BUILD)/obj/tests/system/%.o): private PPU_CFLAGS += -Itests/conformance/lib \
	$(shell $(PKG_CONFIG) --cflags libdrm 2>/dev/null)
$(foreach p,$(OWN_MACHINE),$(eval $(call ppu_guest_program,$(p),tests/system/$(p).c $(wildcard \
	tests/conformance/lib/*.c),,$(shell $(PKG_CONFIG) --libs libdrm 2>/dev/null || echo -ldrm))))

# scripts/trials runs it in a machine without a PPU.
$(eval $(call ppu_guest_program,bare/bare,tests/system/bare/bare.c,,))

# scripts/trials moves the machine in which this runs.
$(BUILD)/obj/tests/system/moved/writes.o: private PPU_CFLAGS += $(shell $(PKG_CONFIG) --cflags libdrm 2>/dev/null)
$(eval $(call ppu_guest_program,moved/writes,tests/system/moved/writes.c,,))

# Runs in a machine and on the host; the kernels of tests/unit/runtime/devq.cu are inside.
$(BUILD)/obj/tests/system/golden/scenes.o: private PPU_CFLAGS += -DDEVQ_PTX='"$(BUILD)/unit/devq.ptx"'
$(BUILD)/obj/tests/system/golden/scenes.o: $(BUILD)/unit/devq.ptx
$(eval $(call ppu_guest_program,golden/scenes,tests/system/golden/scenes.c,$(PPU_LIBS),$(shell $(PKG_CONFIG) --libs libdrm 2>/dev/null || echo -ldrm) -lm -lpthread))

# Kernels of tests/system/zero_cpu.c, beside the program.
SYSTEM_PTX := $(BUILD)/guest/system/zero_cpu.ptx
$(SYSTEM_PTX): $(BUILD)/guest/system/%.ptx: tests/system/lib/%.cu $(wildcard libruntime/compiler/devabi/*.h) \
		include/ppu_queue.h tests/system/build.mk
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) $(RT_DEVLIB_FLAGS) -Iinclude -o $@ $<
$(BUILD)/guest/system/zero_cpu: $(SYSTEM_PTX)

# The kernels of tests/unit/runtime/devq.cu, inside the program.
$(BUILD)/obj/tests/system/device_queues.o: private PPU_CFLAGS += -DDEVQ_PTX='"$(BUILD)/unit/devq.ptx"'
$(BUILD)/obj/tests/system/device_queues.o: $(BUILD)/unit/devq.ptx

# This test uses the backend below the runtime.
$(BUILD)/obj/tests/system/driver_script.o: private PPU_CFLAGS += -Ilibruntime
