# SPDX-License-Identifier: MIT
#
# Running things: samples, tests, benchmarks, a shell in the guest.
#
# Where tests live, and what becomes of them (a new file needs no edit here):
#
#   tests/unit/            see tests/unit/build.mk
#   tests/qtest/test_*.c   $(BUILD)/qtest/test_*, on the host; test_*.py, test_*.sh as
#                          they are. QEMU is $(BUILD)/qemu/qemu-system-x86_64.
#   tests/conformance/*.c  $(BUILD)/guest/conformance/*, run in the guest
#   tests/debug/*.c        $(BUILD)/guest/debug/*, run in the guest with the debug
#                          kernel, with the conformance tests' lib/; *.sh as they are
#   tests/isolation/*.c    $(BUILD)/guest/isolation/*, run in the guest, with the conformance tests' lib/
#   tests/storm/*.c        $(BUILD)/guest/storm/*, likewise, with tests/debug/lib/ as well
#   tests/system/*.c       $(BUILD)/guest/system/*, run in the guest, linked with
#                          our libraries; *.sh run in the guest as they are;
#                          host_* run on the host and start machines themselves
#   tests/fuzz/fuzz_*.c    $(BUILD)/fuzz/fuzz_*, libFuzzer, all our libraries
#   tests/bench/bench_*.c  $(BUILD)/bench/bench_*; bench_*.sh, bench_*.py as they are
#
# Sources in lib/ below one of these are linked into each of its programs.

DRM_CFLAGS = $(shell $(PKG_CONFIG) --cflags libdrm 2>/dev/null)
DRM_LIBS   = $(shell $(PKG_CONFIG) --libs libdrm 2>/dev/null || echo -ldrm)

# (source dir, pattern, output dir, our libs, extra cflags, extra ldflags, lib/ sources of another)
define ppu_test_dir
$(call ppu_objs,$(wildcard $(1)/$(2).c $(1)/lib/*.c)): private PPU_CFLAGS += -I$(1) -I$(1)/lib $(5)
$(patsubst $(1)/%.c,$(BUILD)/$(3)/%,$(wildcard $(1)/$(2).c)): $(BUILD)/$(3)/%: $(BUILD)/obj/$(1)/%.o \
		$(call ppu_objs,$(wildcard $(1)/lib/*.c) $(7)) $(foreach l,$(4),$(BUILD)/lib/lib$(l).a)
	@mkdir -p $$(@D)
	$$(say) LD $$@
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $$(filter %.a,$$^) \
		-Wl,--end-group $(6) -lm -lpthread
.SECONDARY: $(call ppu_objs,$(wildcard $(1)/$(2).c $(1)/lib/*.c))
TEST_BINS    += $(patsubst $(1)/%.c,$(BUILD)/$(3)/%,$(wildcard $(1)/$(2).c))
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs,$(wildcard $(1)/$(2).c $(1)/lib/*.c)))
endef

ifeq ($(PACKAGES_READY),1)
$(eval $(call ppu_test_dir,tests/conformance,*,guest/conformance,,$(DRM_CFLAGS),$(DRM_LIBS)))
$(eval $(call ppu_test_dir,tests/debug,*,guest/debug,,$(DRM_CFLAGS) -Itests/conformance/lib,$(DRM_LIBS),$(wildcard \
	tests/conformance/lib/*.c)))
$(eval $(call ppu_test_dir,tests/isolation,*,guest/isolation,,$(DRM_CFLAGS) -Itests/conformance/lib,$(DRM_LIBS),$(wildcard \
	tests/conformance/lib/*.c)))
$(eval $(call ppu_test_dir,tests/storm,*,guest/storm,,$(DRM_CFLAGS) -Itests/debug/lib -Itests/conformance/lib,$(DRM_LIBS),$(wildcard \
	tests/conformance/lib/*.c) $(patsubst %,tests/debug/lib/%.c,fuzz kcov program uapi_table)))
$(eval $(call ppu_test_dir,tests/system,*,guest/system,$(PPU_LIBS),$(DRM_CFLAGS),$(DRM_LIBS)))
$(eval $(call ppu_test_dir,tests/qtest,test_*,qtest,,,))
$(eval $(call ppu_test_dir,tests/bench,bench_*,bench,$(PPU_LIBS),$(DRM_CFLAGS) -Iqemu-device -Ikmod -Itests/unit/lib,$(RT_PLUGIN_IN) $(DRM_LIBS) -ldl,\
	tests/unit/lib/ptmem.c tests/unit/lib/ptx_large.c))
endif

FUZZ_SRCS := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_HELP := $(sort $(wildcard tests/fuzz/lib/*.c)) $(patsubst %,tests/unit/lib/%.c,engine_pair insn_random load_scene ptmem sm_test)
# What tests/fuzz/lib/calls.c counts.
FUZZ_WRAP := $(patsubst %,-Xlinker --wrap=ppu_core_%,mmio_read mmio_write run save load)
FUZZ_BINS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(FUZZ_SRCS))
$(call ppu_objs_fuzz,$(FUZZ_SRCS) $(FUZZ_HELP)): private PPU_CFLAGS += \
	-Itests/fuzz -Itests/fuzz/lib -Itests/unit/lib -Iqemu-device -Ilibruntime -Ikmod
$(FUZZ_BINS): $(BUILD)/fuzz/%: $(BUILD)/obj-fuzz/tests/fuzz/%.o $(call ppu_objs_fuzz,$(FUZZ_HELP)) \
		$(foreach l,$(PPU_LIBS),$(BUILD)/fuzzlib/lib$(l).a)
	@mkdir -p $(@D)
	$(say) LD-FUZZ $@
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined $(FUZZ_WRAP) $(LDFLAGS) -o $@ $(filter %.o,$^) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(RT_PLUGIN_IN) $(DRM_LIBS) -lm -lpthread
.SECONDARY: $(call ppu_objs_fuzz,$(FUZZ_SRCS) $(FUZZ_HELP))
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs_fuzz,$(FUZZ_SRCS) $(FUZZ_HELP)))
TEST_BINS    += $(FUZZ_BINS)

#: make run           set up, build, boot, load the driver, run the samples
.PHONY: run
run: all
	$(Q)scripts/run

#: make check         what a push should pass; the last line is the sum   (G="unit labs": only these parts)
#: make check-all     the rest too: debug kernel, labs, fuzzers (Documentation/contributing/tests.md)
.PHONY: check check-all check-build
check:
	$(Q)scripts/check $(G)
check-all:
	$(Q)scripts/check --all
check-build: unit-build $(TEST_BINS)
# What one group needs besides `make`, and no more: for scripts/matrix and for trying a system.
.PHONY: qtest-build conformance-build system-build
qtest-build: $(filter $(BUILD)/qtest/%,$(TEST_BINS))
conformance-build: $(filter $(BUILD)/guest/conformance/%,$(TEST_BINS))
system-build: $(filter $(BUILD)/guest/system/% $(BUILD)/guest/isolation/%,$(TEST_BINS)) $(CUDA_TESTS)

#: make check-debug   the driver's tests on a kernel with KASAN, lockdep, kmemleak, ...
.PHONY: check-debug check-debug-build
check-debug-build: $(filter $(BUILD)/guest/conformance/% $(BUILD)/guest/debug/% $(BUILD)/guest/storm/%,$(TEST_BINS)) \
		$(BUILD)/guest/aer/bus_errors $(BUILD)/guest/aer/bus_lost $(BUILD)/guest/two/two_ppus \
		$(KERNEL_DEBUG).stamp $(KMOD_DEBUG) $(PLANTED)
check-debug: vm check-debug-build
	$(Q)scripts/check debug

#: make check-tsan    worker threads and translation in the background, with ThreadSanitizer
.PHONY: check-tsan
TSAN_BUILD := $(BUILD)/tsan
TSAN_TESTS := $(TSAN_BUILD)/unit/test_workers $(TSAN_BUILD)/unit/test_background
TSAN_RUN   := setarch -R env TSAN_OPTIONS=exitcode=66 CK_FORK=no
check-tsan: $(BUILD)/samples/histogram.ptx
	$(Q)$(MAKE) BUILD=$(TSAN_BUILD) CFLAGS_SAN="-O1 -fsanitize=thread -fno-omit-frame-pointer" \
		CFLAGS="$(CFLAGS) -fsanitize=thread" LDFLAGS="$(LDFLAGS) -fsanitize=thread" \
		$(TSAN_TESTS) $(TSAN_BUILD)/bin/ppu-run $(TSAN_BUILD)/lib/libppu-core.so.0
	$(Q)for t in $(TSAN_TESTS); do $(TSAN_RUN) $$t || exit; done
	$(Q)for e in 0 1 2; do \
		$(TSAN_RUN) $(TSAN_BUILD)/bin/ppu-run --quiet --backend core --prop workers=3 --prop engine=$$e --repeat 20 \
			$(BUILD)/samples/histogram.ptx histogram 60 256 buf:400000,rand=3 u32:400000 buf:1024 || exit; done

#: make shell         a root shell in the guest (Ctrl-] ends it)
.PHONY: shell
shell: vm all
	$(Q)scripts/vm --tty

#: make bench         benchmarks: a table here and $(BUILD)/bench.json   (B=bench_name: only that one; POCL=1: also
#:                    installs PoCL, to compare with; RECORD=1: also writes Documentation/performance.md)
.PHONY: bench bench-pocl
bench: all $(filter $(BUILD)/bench/%,$(TEST_BINS)) $(if $(POCL),bench-pocl)
	$(Q)scripts/bench $(B)
	$(Q)$(if $(RECORD),scripts/bench-record $(TIMES))
bench-pocl:
	$(Q)scripts/setup pocl

#: make fuzz          fuzz for long   (S=seconds each, default 600; F=fuzz_name: only that one)
.PHONY: fuzz
S ?= 600
FUZZ_WANTED := $(or $(F:%=$(BUILD)/fuzz/%),$(FUZZ_BINS))
ifneq ($(and $(filter fuzz,$(MAKECMDGOALS)),$(filter-out $(FUZZ_BINS),$(FUZZ_WANTED))),)
$(error no fuzzer is called $(notdir $(filter-out $(FUZZ_BINS),$(FUZZ_WANTED))); there are: $(notdir $(FUZZ_BINS)))
endif
fuzz: $(FUZZ_WANTED)
	$(Q)for f in $(FUZZ_WANTED); do scripts/fuzz-one $$f $(S) || exit 1; done

#: make coverage      lines of the device core that unit tests and fuzzers execute   (S=seconds for each fuzzer)
.PHONY: coverage
coverage:
	$(Q)scripts/coverage $(if $(filter file,$(origin S)),60,$(S))

#: make engines-trial random programs on both engines, on and on   (S=seconds; J=processes at once)
.PHONY: engines-trial
ENGINES_TRIAL := test_engines test_engines_spans test_engines_trails test_engines_loads test_engines_ptx \
	test_engines_mix
engines-trial: $(foreach t,$(ENGINES_TRIAL),$(BUILD)/unit/$(t) $(BUILD)/unit-fast/$(t))
	$(Q)scripts/engines-trial -s $(S) $(if $(J),-j $(J))

#: make fuzz-ioctl    fuzz the driver's ioctls on the debug kernel   (S=seconds; SEED=number; K=guest: stock kernel)
.PHONY: fuzz-ioctl
SEED ?= 1
K ?= debug
fuzz-ioctl: vm check-debug-build
	$(Q)TEST_TIMEOUT=$$(($(S) + 300)) scripts/check --run $(K) "$(BUILD)/guest/debug/fuzz_ioctl -s $(SEED) -t $(S)"

#: make mutants       plants mistakes, one at a time; names those that no test notices   (M=core-sm: only these; J=copies)
.PHONY: mutants
mutants:
	$(Q)scripts/mutants $(if $(J),-j $(J)) $(M)

#: make lint          style and licence checks, checkpatch and sparse on the driver
.PHONY: lint
lint:
	$(Q)scripts/lint
