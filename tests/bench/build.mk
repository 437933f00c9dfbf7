# SPDX-License-Identifier: MIT
#
# What bench_kernels and bench_cdp need besides themselves: their kernels as PTX from clang, and for the former the
# same in C for comparison.

BENCH_PTX := $(BUILD)/bench/kernels.ptx $(BUILD)/bench/cdp.ptx
$(BENCH_PTX): $(BUILD)/bench/%.ptx: tests/bench/kernels/%.cu libruntime/samples/kernels/kernel.h include/ppu_launch.h
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) $(RT_CU_FLAGS) -o $@ $<
$(BUILD)/bench/bench_kernels $(BUILD)/bench/bench_cdp: | $(BENCH_PTX)
$(BUILD)/obj/tests/bench/lib/native.o: private CFLAGS += -O3 -march=native -ffp-contract=fast -fno-math-errno

# --- in the guest ---------------------------------------------------------------
#
# guest_*.c: programs that bench_* run in the guest. They talk to the driver with
# the help of the conformance tests' lib/.

GUEST_BENCH_SRCS := $(sort $(wildcard tests/bench/guest_*.c))
GUEST_BENCH_HELP := $(call ppu_objs,$(sort $(wildcard tests/conformance/lib/*.c)))
GUEST_BENCH_BINS := $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(GUEST_BENCH_SRCS))

$(call ppu_objs,$(GUEST_BENCH_SRCS)): private PPU_CFLAGS += -Itests/conformance/lib $(DRM_CFLAGS)
.SECONDARY: $(call ppu_objs,$(GUEST_BENCH_SRCS))
$(GUEST_BENCH_BINS): $(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(GUEST_BENCH_HELP)
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(DRM_LIBS) -lm -lpthread
TEST_BINS    += $(GUEST_BENCH_BINS)
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs,$(GUEST_BENCH_SRCS)))

# The kernels of tests/unit/runtime/devq.cu, inside the program.
$(BUILD)/obj/tests/bench/bench_devq.o $(BUILD)/obj/tests/bench/bench_launch.o: private PPU_CFLAGS += -DDEVQ_PTX='"$(BUILD)/unit/devq.ptx"'
$(BUILD)/obj/tests/bench/bench_devq.o $(BUILD)/obj/tests/bench/bench_launch.o: $(BUILD)/unit/devq.ptx
