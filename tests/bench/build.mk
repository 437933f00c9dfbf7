# SPDX-License-Identifier: MIT
#
# What bench_kernels needs besides itself: its kernels as PTX from clang, and the same in C for comparison.

BENCH_PTX := $(BUILD)/bench/kernels.ptx
$(BENCH_PTX): tests/bench/kernels/kernels.cu libruntime/samples/kernels/kernel.h
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) $(RT_CU_FLAGS) -o $@ $<
$(BUILD)/bench/bench_kernels: | $(BENCH_PTX)
$(BUILD)/obj/tests/bench/lib/native.o: private CFLAGS += -O3 -march=native -ffp-contract=fast -fno-math-errno
