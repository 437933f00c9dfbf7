# SPDX-License-Identifier: MIT
#
# The runtime: libppu.a and libppu.so, the tools, the samples.
#
#   api prof check backend common compiler/  the library
#   backend/core common    libppu-core.so, a plug-in of the library: the backend that needs
#                          no VM, with the device core inside (so it is GPL-2.0-or-later)
#   tools/NAME.c           $(BUILD)/bin/NAME
#   tools/trace/           the rest of ppu-trace
#   tools/dbg/             the rest of ppu-dbg
#   tools/prof/            the rest of ppu-prof
#   tools/check/           the rest of ppu-check
#   tools/wrap/            what tools share that run a program
#   tools/start/           for tools that start programs
#   samples/NAME.c         $(BUILD)/bin/sample-NAME
#   samples/kernels/X.cu   $(BUILD)/samples/X.ptx, by clang

# All sources of these folders; a folder without one is a mistake in its name.
rt_sources = $(foreach d,$(1),$(or $(sort $(wildcard libruntime/$(d)/*.c)),$(error libruntime/$(d) has no source)))
RT_COMPILER := $(addprefix compiler/,asm obj devlib ptx ptx/ir ptx/front ptx/lower ptx/middle ptx/back)
RT_SRCS := $(call rt_sources,api/context api/stream api/memory api/launch prof check check/host check/race check/init debug backend common $(RT_COMPILER))
RT_DRM_CFLAGS := $(shell $(PKG_CONFIG) --cflags libdrm)
RT_DRM_LIBS   := $(shell $(PKG_CONFIG) --libs libdrm)
# The device-side library: PTX inside libppu (libruntime/compiler/devlib/library.c).
RT_DEVLIB := $(BUILD)/devlib
RT_DEVLIB_SRC := libruntime/compiler/devlib
RT_DEVLIB_PTX := $(patsubst $(RT_DEVLIB_SRC)/%.cu,$(RT_DEVLIB)/%.ptx,$(sort $(wildcard $(RT_DEVLIB_SRC)/*.cu)))
RT_DEVLIB_FLAGS := -x cuda --cuda-device-only --cuda-gpu-arch=sm_60 -nocudainc -nocudalib \
	-Xclang -target-feature -Xclang +ptx63 -O2 -fno-builtin -ffp-contract=off -Wall -S -Wno-unknown-cuda-version -Iinclude -Ilibruntime
$(RT_DEVLIB)/%.ptx: $(RT_DEVLIB_SRC)/%.cu $(wildcard libruntime/compiler/devabi/*.h include/hw/*.h) include/ppu_queue.h libruntime/build.mk
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) $(RT_DEVLIB_FLAGS) -o $@ $<
$(foreach o,ppu_objs ppu_objs_san ppu_objs_fuzz,$(call $(o),$(RT_DEVLIB_SRC)/library.c)): $(RT_DEVLIB_PTX)
RT_CFLAGS := -DPPU_DEVLIB_DIR='"$(RT_DEVLIB)"' -Iinclude/uapi -Iqemu-device -Ilibruntime -Ikmod $(RT_DRM_CFLAGS)
# It is in libppu as well.
PPU_ALSO_FROM_$(RT_DEVLIB_SRC)/library.c := $(wildcard $(RT_DEVLIB_SRC)/*.cu)
RT_LIBS   := -lm -lpthread $(RT_DRM_LIBS)
# What a program needs besides our static libraries, and which ones, in order.
RT_OURS   := ppu

$(eval $(call ppu_static_lib,ppu,$(RT_SRCS),$(RT_CFLAGS)))
comma := ,
RT_SO := $(BUILD)/lib/libppu.so.0
$(eval $(call ppu_shared_lib,ppu,libppu.so.0,$(RT_SRCS),$(RT_CFLAGS),-Wl$(comma)--version-script=libruntime/libppu.map $(RT_LIBS)))
$(RT_SO): libruntime/libppu.map

# The plug-in.  Tools and libraries open it (backend/plugin.c); tests that want it sanitized are linked with the
# archive and RT_PLUGIN_IN.
RT_PLUGIN_SRCS := $(call rt_sources,backend/core)
RT_PLUGIN_SO := $(BUILD)/lib/libppu-core.so.0
RT_PLUGIN_IN := -Wl,-u,ppu_core_plugin
$(eval $(call ppu_static_lib,ppuplugin,$(RT_PLUGIN_SRCS),$(RT_CFLAGS)))
$(eval $(call ppu_shared_lib,ppu-core,libppu-core.so.0,$(RT_PLUGIN_SRCS) $(call rt_sources,common),$(RT_CFLAGS),$(BUILD)/lib/libppudriver.a $(BUILD)/lib/libppucore.a -Wl$(comma)--exclude-libs$(comma)ALL -Wl$(comma)--version-script=libruntime/backend/core/plugin.map -lm -lpthread))
$(RT_PLUGIN_SO): $(BUILD)/lib/libppudriver.a $(BUILD)/lib/libppucore.a libruntime/backend/core/plugin.map
# Unit tests link these after our archives.
UNIT_EXTRA_LIBS += $(RT_DRM_LIBS)

# The CUDA Driver API, with the runtime inside; in a directory of its own, so that only
# who asks for it finds it.
CU_SRCS := $(call rt_sources,cuda/context cuda/memory cuda/module cuda/stream cuda/graph cuda/texture)
CU_CFLAGS := -Iinclude/cuda -Ilibruntime
CU_SO := $(BUILD)/lib/cuda/libcuda.so.1
$(eval $(call ppu_static_lib,ppucuda,$(CU_SRCS),$(CU_CFLAGS)))
$(eval $(call ppu_shared_lib,cuda,cuda/libcuda.so.1,$(CU_SRCS),$(CU_CFLAGS),$(BUILD)/lib/libppu.a -Wl$(comma)--exclude-libs$(comma)ALL $(RT_LIBS)))
$(CU_SO): $(BUILD)/lib/libppu.a

# The CUDA Runtime API over it, beside it.  Programs name the library by its CUDA version, and so do their
# symbols: three libraries of the same objects but one (versioned.c).
CUDART_SRCS := $(call rt_sources,cudart)
CUDART_COMMON := $(call ppu_objs,$(filter-out %/versioned.c,$(CUDART_SRCS)) libruntime/common/calllog.c)
CUDART_SONAMES := libcudart.so.11.0 libcudart.so.12 libcudart.so.13
CUDART_SOS := $(CUDART_SONAMES:%=$(BUILD)/lib/cuda/%)
$(eval $(call ppu_static_lib,ppucudart,$(CUDART_SRCS),$(CU_CFLAGS)))
$(BUILD)/obj/cudart/versioned-%.o: libruntime/cudart/versioned.c libruntime/build.mk mk/common.mk $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) CC "$< ($*)"
	$(Q)$(CC) $(CFLAGS_COMMON) $(CU_CFLAGS) -DCUDART_MAJOR=$* $(CFLAGS) -c -o $@ $<
# What CUDA 11 and 13 give other arguments; versioned.c has its own for these libraries.
CUDART_CHANGED_11 := cudaGraphExecUpdate cudaGraphInstantiate
CUDART_CHANGED_13 := cudaMemAdvise cudaMemPrefetchAsync cudaMemPrefetchAsync_ptsz cudaGraphAddDependencies \
	cudaGraphRemoveDependencies cudaGraphGetEdges cudaGraphNodeGetDependencies cudaGraphNodeGetDependentNodes \
	cudaGraphAddNode cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_ptsz cudaStreamUpdateCaptureDependencies \
	cudaStreamUpdateCaptureDependencies_ptsz
$(BUILD)/obj/cudart/calls-%.o: $(BUILD)/obj/libruntime/cudart/calls.o libruntime/build.mk
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) $(foreach f,$(CUDART_CHANGED_$*),--redefine-sym $(f)=rt12_$(f)) $< $@
CUDART_OBJS_11 := $(filter-out %/calls.o,$(CUDART_COMMON)) $(BUILD)/obj/cudart/calls-11.o
CUDART_OBJS_13 := $(filter-out %/calls.o,$(CUDART_COMMON)) $(BUILD)/obj/cudart/calls-13.o
define cudart_so
$(BUILD)/lib/cuda/$(1): $(2) $(BUILD)/obj/cudart/versioned-$(3).o $(CU_SO) libruntime/build.mk
	@mkdir -p $$(@D)
	$$(say) LD $$@
	$$(Q)printf '$(1) { global: cuda*; __cuda*; local: *; };\n' >$$@.map
	$$(Q)$$(CC) -shared -Wl,-soname,$(1) -Wl,-z,defs -Wl,--version-script=$$@.map -Wl,-rpath,'$$$$ORIGIN' \
		$$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $(CU_SO) -lpthread
	$$(Q)rm -f $$@.map && ln -sfn libcudart.so.12 $$(@D)/libcudart.so
PPU_MADE     += lib/cuda/$(1)
PPU_FROM_lib/cuda/$(1) := $(CUDART_SRCS) libruntime/common/calllog.c
ALL_DEPFILES += $(BUILD)/obj/cudart/versioned-$(3).d
endef
$(eval $(call cudart_so,libcudart.so.11.0,$(CUDART_OBJS_11),11))
$(eval $(call cudart_so,libcudart.so.12,$(CUDART_COMMON),12))
$(eval $(call cudart_so,libcudart.so.13,$(CUDART_OBJS_13),13))
ALL_TARGETS += $(CUDART_SOS)
unit-build: $(CUDART_SOS)

# What nvcc links by default.  The archive needs libcuda, which nvcc does not name, so the name that it links is a script
# for the linker.  -L alone says which version it is: lib/cuda is CUDA 12's, lib/cuda/11 and lib/cuda/13 the others'.
CUDART_STATIC :=
define cudart_static
$(BUILD)/lib/cuda$(1)/libcudart_static.a: $(2) $(BUILD)/obj/cudart/versioned-$(3).o $(CU_SO) libruntime/build.mk
	@mkdir -p $$(@D)
	$$(say) AR $$@
	$$(Q)rm -f $$(@D)/libppucudart_static.a && $$(AR) rcs $$(@D)/libppucudart_static.a $$(filter %.o,$$^)
	$$(Q)ln -sfn $(if $(1),../)libcuda.so.1 $$(@D)/libcuda.so
	$$(Q)echo '/* SPDX-License-Identifier: MIT */ INPUT(-lppucudart_static -lcuda)' >$$@
PPU_MADE     += lib/cuda$(1)/libcudart_static.a
PPU_FROM_lib/cuda$(1)/libcudart_static.a := $(CUDART_SRCS) libruntime/common/calllog.c
CUDART_STATIC += $(BUILD)/lib/cuda$(1)/libcudart_static.a
endef
$(eval $(call cudart_static,,$(CUDART_COMMON),12))
$(eval $(call cudart_static,/11,$(CUDART_OBJS_11),11))
$(eval $(call cudart_static,/13,$(CUDART_OBJS_13),13))
ALL_TARGETS += $(CUDART_STATIC)
unit-build: $(CUDART_STATIC)

# Compiling CUDA C++ when a program runs, by clang: the same for each version of CUDA but for the version it tells.
NVRTC_SRCS := $(call rt_sources,nvrtc)
$(eval $(call ppu_static_lib,ppunvrtc,$(NVRTC_SRCS),$(CU_CFLAGS) -D_GNU_SOURCE))	# for its unit test
NVRTC_SOS := $(addprefix $(BUILD)/lib/cuda/,libnvrtc.so.11.2 libnvrtc.so.12 libnvrtc.so.13)
$(BUILD)/lib/cuda/libnvrtc.so.%: $(NVRTC_SRCS) libruntime/nvrtc/program.h include/cuda/nvrtc.h libruntime/build.mk mk/common.mk $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)printf '$(@F) { global: nvrtc*; local: *; };\n' >$@.map
	$(Q)$(CC) $(CFLAGS_COMMON) -D_GNU_SOURCE $(CU_CFLAGS) -DNVRTC_MAJOR=$(basename $*) $(CFLAGS) -fPIC -fvisibility=hidden -shared \
		-Wl,-soname,$(@F) -Wl,-z,defs -Wl,--version-script=$@.map $(LDFLAGS) -o $@ $(NVRTC_SRCS)
	$(Q)rm -f $@.map && ln -sfn libnvrtc.so.12 $(@D)/libnvrtc.so
PPU_MADE     += $(NVRTC_SOS:$(BUILD)/%=%)
$(foreach l,$(NVRTC_SOS:$(BUILD)/%=%),$(eval PPU_FROM_$(l) := $(NVRTC_SRCS)))
ALL_TARGETS += $(NVRTC_SOS)
unit-build: $(NVRTC_SOS)

# Linking when a program runs: PTX compiler and linker, and what reads fat binaries. No device is opened.
JITLINK_SRCS := $(call rt_sources,nvjitlink)
JITLINK_OURS := $(BUILD)/lib/libppucuda.a $(BUILD)/lib/libppu.a
$(eval $(call ppu_static_lib,ppunvjitlink,$(JITLINK_SRCS),$(CU_CFLAGS)))	# for its unit test
JITLINK_SOS := $(addprefix $(BUILD)/lib/cuda/,libnvJitLink.so.12 libnvJitLink.so.13)
$(BUILD)/lib/cuda/libnvJitLink.so.%: $(JITLINK_SRCS) libruntime/nvjitlink/jitlink.h include/cuda/nvJitLink.h libruntime/build.mk \
	mk/common.mk $(JITLINK_OURS) $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)printf '$(@F) { global: nvJitLink*; __nvJitLink*; local: *; };\n' >$@.map
	$(Q)$(CC) $(CFLAGS_COMMON) $(CU_CFLAGS) -DNVJITLINK_MAJOR=$* $(CFLAGS) -fPIC -shared -Wl,-soname,$(@F) -Wl,-z,defs \
		-Wl,--version-script=$@.map $(LDFLAGS) -o $@ $(JITLINK_SRCS) $(JITLINK_OURS) -Wl,--exclude-libs,ALL $(RT_LIBS)
	$(Q)rm -f $@.map && ln -sfn libnvJitLink.so.12 $(@D)/libnvJitLink.so
PPU_MADE     += $(JITLINK_SOS:$(BUILD)/%=%)
$(foreach l,$(JITLINK_SOS:$(BUILD)/%=%),$(eval PPU_FROM_$(l) := $(JITLINK_SRCS)))
ALL_TARGETS += $(JITLINK_SOS)
unit-build: $(JITLINK_SOS)

# What the devices are and do, for programs that ask the vendor's library.  It asks libcuda, so that a device inside the
# process is the one that the program uses.
NVML_SRCS := $(call rt_sources,nvml usage)
NVML_SO := $(BUILD)/lib/cuda/libnvidia-ml.so.1
$(eval $(call ppu_static_lib,ppunvml,$(NVML_SRCS),$(CU_CFLAGS)))
$(eval $(call ppu_shared_lib,nvidia-ml,cuda/libnvidia-ml.so.1,$(NVML_SRCS),$(CU_CFLAGS),-fvisibility=hidden -Wl$(comma)-rpath$(comma)'$$$$ORIGIN' $(CU_SO) -lpthread))
$(NVML_SO): $(CU_SO)
unit-build: $(NVML_SO)

RT_TOOLS := $(sort $(wildcard libruntime/tools/*.c))
RT_SRCS_ppu-trace := $(sort $(wildcard libruntime/tools/trace/*.c))
RT_SRCS_ppu-check := $(call rt_sources,tools/wrap tools/start tools/check)
RT_SRCS_ppu-prof := $(call rt_sources,tools/prof tools/wrap tools/start)
RT_SRCS_ppu-dbg := $(call rt_sources,tools/dbg tools/start)
$(call ppu_objs,$(RT_TOOLS) $(sort $(RT_SRCS_ppu-trace) $(RT_SRCS_ppu-check) $(RT_SRCS_ppu-prof) $(RT_SRCS_ppu-dbg))): private PPU_CFLAGS += $(RT_CFLAGS)
# The page of ppu-trace --html is part of the program.
$(call ppu_objs,libruntime/tools/trace/html.c): private PPU_CFLAGS += $(RT_CFLAGS) -DPPU_VIEWER_PAGE='"libruntime/tools/trace/viewer.html"'
$(call ppu_objs,libruntime/tools/trace/html.c): libruntime/tools/trace/viewer.html
$(call ppu_objs,libruntime/tools/prof/html.c): private PPU_CFLAGS += $(RT_CFLAGS) -DPPU_PROF_PAGE='"libruntime/tools/prof/page.html"'
$(call ppu_objs,libruntime/tools/prof/html.c): libruntime/tools/prof/page.html
RT_EXTRA_ppu-info := -lpci
# Which of our libraries a tool needs before libppu; ppu-trace reads files and needs none at all.
RT_OURS_ppu-smi := ppunvml ppucuda
RT_OURS_ppu-top := ppunvml
RT_ALONE := ppu-trace ppu-dbg
RT_EXTRA_ppu-dbg := -ledit -ljson-c
$(foreach t,$(RT_TOOLS),$(eval $(call ppu_program,$(basename $(notdir $(t))),$(t) $(RT_SRCS_$(basename $(notdir $(t)))),$(if $(filter $(RT_ALONE),$(basename $(notdir $(t)))),,$(RT_OURS_$(basename $(notdir $(t)))) $(RT_OURS)),$(RT_EXTRA_$(basename $(notdir $(t)))) $(RT_LIBS))))

# --- samples --------------------------------------------------------------------

RT_SAMPLES := $(sort $(filter-out libruntime/samples/common.c,$(wildcard libruntime/samples/*.c)))
RT_EXTRA_mandelbrot := -lpng
RT_EXTRA_mandelbrot-adaptive := -lpng
RT_SAMPLE_BINS := $(foreach s,$(RT_SAMPLES),$(BUILD)/bin/sample-$(basename $(notdir $(s))))
$(foreach s,$(RT_SAMPLES),$(eval $(call ppu_program,sample-$(basename $(notdir $(s))),$(s) libruntime/samples/common.c,$(RT_OURS),$(RT_EXTRA_$(basename $(notdir $(s)))) $(RT_LIBS))))

# clang's NVPTX target needs no CUDA SDK; kernel.h says what the kernels use.
RT_CU_FLAGS := -x cuda --cuda-device-only --cuda-gpu-arch=sm_60 -nocudainc -nocudalib \
	-Xclang -target-feature -Xclang +ptx63 -O2 -S -Iinclude -Wno-unknown-cuda-version
RT_CU := $(sort $(wildcard libruntime/samples/kernels/*.cu))
RT_PTX := $(patsubst libruntime/samples/kernels/%.cu,$(BUILD)/samples/%.ptx,$(RT_CU))
$(BUILD)/samples/%.ptx: libruntime/samples/kernels/%.cu libruntime/samples/kernels/kernel.h include/ppu_launch.h include/ppu_queue.h
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) $(RT_CU_FLAGS) -o $@ $<
ALL_TARGETS += $(RT_PTX)
$(RT_SAMPLE_BINS): | $(RT_PTX) $(RT_PLUGIN_SO)
# tests/unit/runtime/rt_tools.sh runs them.
unit-build: $(RT_SO) $(RT_PLUGIN_SO) $(foreach t,$(RT_TOOLS),$(BUILD)/bin/$(basename $(notdir $(t)))) $(RT_SAMPLE_BINS) $(RT_PTX)

# The same for the CUDA Driver API: ordinary programs that find libcuda.so.1 by the library path.
CU_SAMPLES := $(sort $(wildcard libruntime/samples/cuda/*.c))
CU_SAMPLE_BINS := $(patsubst libruntime/samples/cuda/%.c,$(BUILD)/bin/cuda-%,$(CU_SAMPLES))
$(BUILD)/bin/cuda-%: libruntime/samples/cuda/%.c libruntime/samples/cuda/common.h $(wildcard include/cuda/*.h) $(CU_SO) $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(CFLAGS) -Wall -Wextra -Wno-pedantic -Iinclude/cuda $(LDFLAGS) -o $@ $< $(CU_SO) -lm
# Ranges of NVTX, for ppu-prof: of programs that link it, and of those that ppu-prof brings it to.
NVTX_SO := $(BUILD)/lib/cuda/libnvToolsExt.so.1
$(eval $(call ppu_shared_lib,nvToolsExt,cuda/libnvToolsExt.so.1,$(call rt_sources,nvtx),$(CU_CFLAGS),-fvisibility=hidden -lpthread))
unit-build: $(NVTX_SO)
# System calls of programs whose memory is watched, for ppu-check.
HOSTCALLS_SO := $(BUILD)/lib/cuda/libppu-hostcalls.so.0
$(eval $(call ppu_shared_lib,ppu-hostcalls,cuda/libppu-hostcalls.so.0,$(call rt_sources,hostcalls),-Ilibruntime,-fvisibility=hidden -ldl))
unit-build: $(HOSTCALLS_SO)

ALL_TARGETS += $(CU_SAMPLE_BINS)
$(CU_SAMPLE_BINS): | $(RT_PTX) $(RT_PLUGIN_SO)
# tests/unit/cuda/cuda_samples.sh runs them.
unit-build: $(CU_SO) $(CU_SAMPLE_BINS)

# --- a directory for clang++ --cuda-path ------------------------------------------

# Laid out as compilers look for an SDK: our headers, empty ones where clang's own ask for more, the device's
# mathematics as bitcode, and tools of the names that clang runs.  Documentation/runtime/cudart.md.
CUDA_SDK := $(BUILD)/cuda
CUDA_SDK_HEADERS := $(shell cd include/cuda && find . -type f)
CUDA_SDK_EMPTY := cuda_device_runtime_api.h cuda_texture_types.h cuda_surface_types.h \
	device_atomic_functions.h device_double_functions.h device_functions.h device_launch_parameters.h \
	host_config.h library_types.h math_functions.h sm_20_atomic_functions.h sm_20_atomic_functions.hpp \
	sm_20_intrinsics.h sm_30_intrinsics.h sm_30_intrinsics.hpp sm_32_atomic_functions.h \
	sm_32_atomic_functions.hpp sm_32_intrinsics.h sm_32_intrinsics.hpp sm_35_atomic_functions.h \
	sm_35_intrinsics.h sm_60_atomic_functions.h sm_60_atomic_functions.hpp sm_61_intrinsics.h \
	sm_61_intrinsics.hpp surface_functions.h texture_fetch_functions.h crt/common_functions.h \
	crt/device_double_functions.h crt/device_double_functions.hpp crt/device_functions.h crt/host_config.h \
	crt/host_defines.h crt/host_runtime.h crt/math_functions.h \
	crt/sm_70_rt.h
CUDA_SDK_BC := $(CUDA_SDK)/nvvm/libdevice/libdevice.10.bc
CUDA_DEVICE := $(sort $(wildcard libruntime/cudart/device/*.cu))
CUDA_DEVICE_FLAGS := -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -Wno-unknown-cuda-version \
	-Wall -O1 -fno-builtin -ffp-contract=off -emit-llvm -c
$(BUILD)/cuda/device/%.bc: libruntime/cudart/device/%.cu $(wildcard libruntime/cudart/device/*.h) libruntime/build.mk
	@mkdir -p $(@D)
	$(say) CLANG $@
	$(Q)$(CLANG) $(CUDA_DEVICE_FLAGS) -o $@ $<
# Without the attributes of their compilation: LLVM does not inline a function into one that is for another PTX version, or
# that may use builtins when the function may not.  Then each popc would be a call.  The functions of math.cu and mathf.cu shall
# be calls: ppu-check takes each for one operation (check/float.c).
CUDA_DEVICE_SHORT := $(BUILD)/cuda/device/convert.bc $(BUILD)/cuda/device/integer.bc
$(CUDA_DEVICE_SHORT:.bc=.short.bc): %.short.bc: %.bc libruntime/build.mk
	$(say) LLVM $@
	$(Q)set -o pipefail && llvm-dis -o - $< | \
		sed -E '/^attributes #/s/ "(no-builtins|target-cpu|target-features)"(="[^"]*")?//g' | llvm-as -o $@
$(CUDA_SDK_BC): $(CUDA_DEVICE_SHORT:.bc=.short.bc) \
		$(filter-out $(CUDA_DEVICE_SHORT),$(CUDA_DEVICE:libruntime/cudart/device/%.cu=$(BUILD)/cuda/device/%.bc))
	@mkdir -p $(@D)
	$(say) LLVM $@
	$(Q)llvm-link -o $@ $^
$(CUDA_SDK)/.stamp: $(CUDA_SDK_HEADERS:%=include/cuda/%) include/ppu_launch.h include/ppu_queue.h include/ppu_version.h libruntime/build.mk $(wildcard libruntime/cudart/sdk/*) $(CUDA_SDK_BC) \
		$(BUILD)/bin/ppu-fatbin $(BUILD)/bin/ppu-cc $(CUDART_SOS)
	$(say) SDK $(CUDA_SDK)
	$(Q)rm -rf $(CUDA_SDK)/include && mkdir -p $(CUDA_SDK)/include/crt $(CUDA_SDK)/bin
	$(Q)cp -R include/cuda/. include/ppu_launch.h include/ppu_queue.h include/ppu_version.h $(CUDA_SDK)/include/
	$(Q)for f in $(CUDA_SDK_EMPTY); do [[ -e $(CUDA_SDK)/include/$$f ]] || \
		echo '/* SPDX-License-Identifier: MIT */ /* cuda_runtime.h has it all. */' >$(CUDA_SDK)/include/$$f; done
	$(Q)for f in ptxas ppu-nvcc device-link launches.awk; do install -m 755 libruntime/cudart/sdk/$$f $(CUDA_SDK)/bin/; done
	$(Q)ln -sfn ../../bin/ppu-fatbin $(CUDA_SDK)/bin/fatbinary && ln -sfn ../../bin/ppu-cc $(CUDA_SDK)/bin/ppu-cc && \
		ln -sfn ppu-nvcc $(CUDA_SDK)/bin/nvcc && ln -sfn ../lib/cuda $(CUDA_SDK)/lib64 && touch $@
ALL_TARGETS += $(CUDA_SDK)/.stamp
unit-build: $(CUDA_SDK)/.stamp

# Programs in CUDA C++: tests/cuda/X.cu becomes $(BUILD)/cuda-tests/X. A line "// ppu-nvcc: OPTIONS" adds options.
CUDA_TESTS := $(patsubst tests/cuda/%.cu,$(BUILD)/cuda-tests/%,$(sort $(wildcard tests/cuda/*.cu)))
$(CUDA_TESTS): $(BUILD)/cuda-tests/%: tests/cuda/%.cu tests/cuda/test.h $(CUDA_SDK)/.stamp
	@mkdir -p $(@D)
	$(say) PPU-NVCC $@
	$(Q)CLANGXX=$(or $(CLANGXX),$(CLANG)++) $(CUDA_SDK)/bin/ppu-nvcc -std=c++17 -Wall $$(sed -n 's,^// ppu-nvcc: ,,p' $<) -o $@ $<
unit-build check-build: $(CUDA_TESTS)
