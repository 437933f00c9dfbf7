# SPDX-License-Identifier: MIT
#
# Unit tests: host programs, no VM.
#
# A folder for each part of the tree that is tested. Every tests/unit/*/test_*.c becomes $(BUILD)/unit/test_*, whatever
# its folder (so no two may have the same name), compiled and linked with the sanitizers, against all sources in
# tests/unit/lib/, the sanitized static libraries and Check. A new file is picked up without an edit here.
# tests/unit/*/*.sh run as they are (TAP on stdout, or just an exit status).
#
#   make unit                 build and run all
#   make unit T=test_ring     one (or several, quoted)
#   make unit T=test_ring UNIT_LIBS=ppucore    link against fewer libraries
#
# The tests in UNIT_FAST are built a second time, as $(BUILD)/unit-fast/NAME:
# without the sanitizers, because they do so much that they would take too long
# with them. A .sh of the same name, without test_, says how much and runs it.
#
# Tests run with the source tree as working directory and BUILD in the
# environment.

UNIT_SRCS := $(sort $(wildcard tests/unit/*/test_*.c))
UNIT_HELP := $(sort $(wildcard tests/unit/lib/*.c))
UNIT_FAST := test_sched_random test_simt_random test_devq_order test_engines test_engines_loads test_engines_stores test_engines_cross \
	test_engines_spans test_engines_elements test_engines_trails test_engines_numbers test_engines_ptx test_engines_mix test_exec_mpfr test_exec_worst
UNIT_FAST_SRCS := $(foreach f,$(UNIT_FAST),$(filter %/$(f).c,$(UNIT_SRCS)))
UNIT_BINS := $(patsubst %.c,$(BUILD)/unit/%,$(notdir $(UNIT_SRCS)))
UNIT_SH   := $(sort $(filter-out tests/unit/lib/%,$(wildcard tests/unit/*/*.sh)))
# Left out by a cross build (mk/cross.mk): what is installed, which compiler makes objects, and programs that are copied
# away from the build tree, where they would be copies of a script.
UNIT_SH   := $(filter-out $(if $(CROSS),%/install.sh %/compiler.sh %/rt_plugin.sh),$(UNIT_SH))
$(if $(and $(UNIT_SRCS),$(UNIT_SH)),,$(error there are no unit tests))
$(if $(filter-out $(words $(UNIT_BINS)),$(words $(sort $(UNIT_BINS)))),$(error two unit tests have one name))
UNIT_LIBS ?= $(PPU_LIBS)
UNIT_CHECK_CFLAGS := $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
UNIT_CHECK_LIBS   := $(shell $(PKG_CONFIG) --libs check 2>/dev/null || echo -lcheck)
# What tests/unit/lib/locks.c watches.
UNIT_WRAP := $(patsubst %,-Wl$(comma)--wrap=pthread_%,mutex_lock mutex_trylock mutex_unlock mutex_destroy cond_wait cond_timedwait)
UNIT_ARCHIVES := $(foreach l,$(UNIT_LIBS),$(BUILD)/san/lib$(l).a)

$(call ppu_objs_san,$(UNIT_SRCS) $(UNIT_HELP)) $(call ppu_objs,$(UNIT_FAST_SRCS) $(UNIT_HELP)): private PPU_CFLAGS += \
	-Itests/unit/lib -Iqemu-device -Ilibruntime -Ikmod $(UNIT_CHECK_CFLAGS)

.SECONDARY: $(call ppu_objs_san,$(UNIT_SRCS) $(UNIT_HELP)) $(call ppu_objs,$(UNIT_FAST_SRCS) $(UNIT_HELP))
# The object of each program, from the program's folder.
$(foreach s,$(UNIT_SRCS),$(eval $(BUILD)/unit/$(basename $(notdir $(s))): $(call ppu_objs_san,$(s))))
$(foreach s,$(UNIT_FAST_SRCS),$(eval $(BUILD)/unit-fast/$(basename $(notdir $(s))): $(call ppu_objs,$(s))))

$(patsubst %,$(BUILD)/unit-fast/%,$(UNIT_FAST)): $(call ppu_objs,$(UNIT_HELP)) $(patsubst %,$(BUILD)/lib/lib%.a,$(UNIT_LIBS))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) $(UNIT_WRAP) -o $@ $(filter %.o,$^) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(RT_PLUGIN_IN) $(UNIT_CHECK_LIBS) $(UNIT_EXTRA_LIBS) -lm -lpthread

$(UNIT_BINS): $(call ppu_objs_san,$(UNIT_HELP)) $(UNIT_ARCHIVES)
	@mkdir -p $(@D)
	$(say) LD-SAN $@
	$(Q)$(CC) $(CFLAGS_SAN) $(LDFLAGS) $(UNIT_WRAP) -o $@ $(filter %.o,$^) \
		-Wl,--start-group $(UNIT_ARCHIVES) -Wl,--end-group $(RT_PLUGIN_IN) $(UNIT_CHECK_LIBS) $(UNIT_EXTRA_LIBS) -lm -lpthread

# These compare arithmetic with a multiple-precision library.
$(BUILD)/unit/test_exec_mpfr $(BUILD)/unit-fast/test_exec_mpfr $(BUILD)/unit/test_exec_worst $(BUILD)/unit-fast/test_exec_worst: \
	private UNIT_EXTRA_LIBS += -lmpfr

# test_sched_cost counts basic blocks of these (see there); they stand before the library.
UNIT_COUNTED := $(patsubst %,$(BUILD)/obj-count/qemu-device/core/%.o, \
	base/event host/ce host/chan host/host host/hostif host/hostsched host/runlist memory/mem memory/mmu memory/sem memory/watch)
$(UNIT_COUNTED): $(BUILD)/obj-count/%.o: %.c tests/unit/build.mk $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) CC-CNT $<
	$(Q)$(CC) $(CFLAGS_COMMON) -Iqemu-device $(CFLAGS) -fsanitize-coverage=trace-pc -c -o $@ $<
$(BUILD)/unit/test_sched_cost: $(UNIT_COUNTED)
ALL_DEPFILES += $(UNIT_COUNTED:.o=.d)
# So does test_ptx_cost with the PTX compiler and the linker.
UNIT_COUNTED_PTX := $(patsubst %.c,$(BUILD)/obj-count/%.o,$(sort $(wildcard libruntime/compiler/ptx/*.c \
	libruntime/compiler/ptx/*/*.c)) libruntime/compiler/obj/link.c libruntime/compiler/obj/shared.c)
$(UNIT_COUNTED_PTX): $(BUILD)/obj-count/%.o: %.c tests/unit/build.mk $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) CC-CNT $<
	$(Q)$(CC) $(CFLAGS_COMMON) -Ilibruntime $(CFLAGS) -fsanitize-coverage=trace-pc -c -o $@ $<
$(BUILD)/unit/test_ptx_cost: $(UNIT_COUNTED_PTX)
ALL_DEPFILES += $(UNIT_COUNTED_PTX:.o=.d)

# test_hostmem decides which allocation of the core fails.
$(BUILD)/unit/test_hostmem: private LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=ppu_%,alloc alloc_aligned realloc free sentence vsentence)
# and test_backend_memory which one of the backend.
$(BUILD)/unit/test_backend_memory: private LDFLAGS += -Wl,--wrap=calloc
# test_cuda_hostmem which one of libcuda, but none of the device
$(BUILD)/unit/test_cuda_hostmem: private LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc strdup ppu_alloc \
	ppu_alloc_aligned ppu_realloc)
# test_nvrtc_fail one of libnvrtc
$(BUILD)/unit/test_nvrtc_fail: private LDFLAGS += $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc realloc free strdup strndup asprintf vasprintf)
# and test_range whether a list can grow.
$(BUILD)/unit/test_range: private LDFLAGS += -Wl,--wrap=realloc

ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs_san,$(UNIT_SRCS) $(UNIT_HELP)) \
		$(call ppu_objs,$(UNIT_FAST_SRCS) $(UNIT_HELP)))

# simt_model.sh links lab 10's machine.
# devq_model.sh runs a model checker (tests/model): it changes stacks under the program, so no sanitizers.
UNIT_MODEL_SRCS := $(sort $(wildcard tests/model/*.c))
$(call ppu_objs,$(UNIT_MODEL_SRCS)): private PPU_CFLAGS += -Itests/model -Ilibruntime
$(BUILD)/model/devq_model: $(call ppu_objs,$(UNIT_MODEL_SRCS))
	@mkdir -p $(@D)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs,$(UNIT_MODEL_SRCS)))

unit_test_of = $(filter %/$(basename $(notdir $(1))) %/$(notdir $(1)),$(UNIT_BINS) $(UNIT_SH))
UNIT_WANTED := $(if $(T),$(foreach t,$(T),$(call unit_test_of,$(t))),$(UNIT_BINS) $(UNIT_SH))
UNIT_UNKNOWN := $(strip $(foreach t,$(T),$(if $(call unit_test_of,$(t)),,$(t))))
ifneq ($(and $(filter unit unit-build,$(MAKECMDGOALS)),$(UNIT_UNKNOWN)),)
$(error no unit test is called $(UNIT_UNKNOWN); they are the files tests/unit/*/test_*.c and *.sh)
endif

# Kernels of tests/unit/test_devq*.c, one of them without the fence (WQ-18).
UNIT_PTX := $(BUILD)/unit/devq.ptx $(BUILD)/unit/devq_unfenced.ptx
$(BUILD)/unit/devq_unfenced.ptx: private UNIT_CU_FLAGS := '-DPPUQ_FENCE()='
$(UNIT_PTX): tests/unit/runtime/devq.cu $(wildcard libruntime/compiler/devabi/*.h include/hw/*.h) include/ppu_queue.h tests/unit/build.mk
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) $(RT_DEVLIB_FLAGS) $(UNIT_CU_FLAGS) -o $@ $<

# What turned.sh runs, with the direction of stream priorities turned (SP-6).
UNIT_TURNED := test_rt_prio test_rt_copycmd test_rt_copyprio test_rt_host test_rt_cdp test_rt_api
# And turned_device.sh, with that of device priorities.
UNIT_TURNED_DEVICE := test_tmu test_tmu_random test_children test_wdu test_taskq test_preempt test_rt_prio test_rt_copyprio \
	test_rt_cdp

.PHONY: unit unit-build
unit-build: $(UNIT_PTX)
unit-build: $(filter $(BUILD)/unit/%,$(UNIT_WANTED)) $(foreach f,$(UNIT_FAST),\
		$(if $(filter %/$(f:test_%=%).sh,$(UNIT_WANTED)),$(BUILD)/unit-fast/$(f))) \
	$(if $(filter %/turned.sh,$(UNIT_WANTED)),$(patsubst %,$(BUILD)/unit/%,$(UNIT_TURNED))) \
	$(if $(filter %/turned_device.sh,$(UNIT_WANTED)),$(patsubst %,$(BUILD)/unit/%,$(UNIT_TURNED_DEVICE))) \
	$(if $(filter %/devq_model.sh,$(UNIT_WANTED)),$(BUILD)/model/devq_model) \
	$(if $(filter %/simt_model.sh,$(UNIT_WANTED)),$(patsubst %,$(BUILD)/lib/lib%.a,lab10 ppucore ppu)) \
	$(if $(filter %/lab13_device.sh,$(UNIT_WANTED)),$(patsubst %,$(BUILD)/lib/lib%.a,lab13 ppucore ppudriver)) \
	$(if $(filter %/lab13_judge.sh,$(UNIT_WANTED)),$(patsubst %,$(BUILD)/lib/lib%.a,lab13 lab13serve)) \
	$(if $(filter %/analyze.sh,$(UNIT_WANTED)),analyze-reports)
#: make unit          host tests, no VM (T=test_ring: only that one)
unit: unit-build
	$(Q)BUILD=$(BUILD) scripts/check --run unit $(UNIT_WANTED)
