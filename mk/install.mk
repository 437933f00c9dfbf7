# SPDX-License-Identifier: MIT
#
# make install: libraries, headers, tools, pages. Documentation/contributing/install.md says what goes where.
#
# What is installed is what the fragments build: all of $(BUILD)/lib, the tools, the directory for
# clang++ --cuda-path. A new library, tool or header needs no edit here.

DESTDIR     ?=
prefix      ?= /usr/local
exec_prefix ?= $(prefix)
bindir      ?= $(exec_prefix)/bin
libdir      ?= $(exec_prefix)/lib
includedir  ?= $(prefix)/include
datadir     ?= $(prefix)/share
mandir      ?= $(datadir)/man
docdir      ?= $(datadir)/doc/ppu
# A compiler finds an SDK's include/, lib64/, bin/ and nvvm/ below one directory.
cudadir     ?= $(exec_prefix)/lib/ppu/cuda
dkmsdir     ?= /usr/src
INSTALL     ?= install

PPU_VERSION := $(shell . scripts/lib.sh; ppu_version)

INSTALL_TOOLS   := $(sort $(patsubst libruntime/tools/%.c,$(BUILD)/bin/%,$(wildcard libruntime/tools/ppu-*.c)))
# Shared libraries directly in lib/, however many there are; of the static ones what users of libppu.a need.
INSTALL_SHARED  := $(foreach t,$(ALL_TARGETS),$(if $(findstring .so,$(t:$(BUILD)/lib/cuda/%=)),$(filter $(BUILD)/lib/%,$(t))))
INSTALL_STATIC  := $(RT_OURS:%=$(BUILD)/lib/lib%.a)
INSTALL_HEADERS := $(sort $(wildcard include/*.h include/hw/*.h))
INSTALL_MAN     := $(patsubst %,$(BUILD)/man/%.1,$(notdir $(INSTALL_TOOLS)) ppu-nvcc)
INSTALL_NEEDS   := $(INSTALL_TOOLS) $(INSTALL_SHARED) $(INSTALL_STATIC) $(CU_SO) $(CUDART_SOS) $(CUDA_SDK)/.stamp \
		   $(RT_PTX)

# One run makes all pages.
$(BUILD)/man/.stamp: scripts/man-pages include/ppu_version.h Documentation/runtime/index.md CHANGELOG.md \
		$(INSTALL_TOOLS) $(CUDA_SDK)/.stamp
	$(say) MAN $(@D)
	$(Q)scripts/man-pages $(@D) $(INSTALL_TOOLS) $(CUDA_SDK)/bin/ppu-nvcc && touch $@

# (name, description, directory after -I, libraries, more lines)
define install_pc
printf '%s\n' 'prefix=$(prefix)' 'libdir=$(libdir)' 'includedir=$(includedir)' 'cudadir=$(cudadir)' '' \
	'Name: $(1)' 'Description: $(2)' 'Version: $(PPU_VERSION)' 'Cflags: -I$(3)' 'Libs: $(4)' $(5) \
	>'$(DESTDIR)$(libdir)/pkgconfig/$(1).pc'
endef

#: make install       libraries, headers, tools and pages to $(DESTDIR)$(prefix)   (prefix=/usr/local)
.PHONY: install install-lib install-include install-bin install-cuda install-man install-doc install-dkms man
install: install-lib install-include install-bin install-cuda install-man install-doc
man: $(BUILD)/man/.stamp

install-lib: $(INSTALL_SHARED) $(INSTALL_STATIC)
	$(say) INSTALL $(DESTDIR)$(libdir)
	$(Q)$(INSTALL) -d '$(DESTDIR)$(libdir)/pkgconfig'
	$(Q)$(INSTALL) -m 644 $(INSTALL_SHARED) $(INSTALL_STATIC) '$(DESTDIR)$(libdir)/'
	$(Q)ln -sfn $(notdir $(RT_SO)) '$(DESTDIR)$(libdir)/libppu.so'
	$(Q)$(call install_pc,ppu,The runtime of the PPU,$${includedir}/ppu,-L$${libdir} -lppu, \
		'Requires.private: libdrm' 'Libs.private: $(patsubst %,-l%,$(filter-out ppu,$(RT_OURS))) -lm -lpthread')

install-include: $(INSTALL_HEADERS)
	$(say) INSTALL $(DESTDIR)$(includedir)/ppu
	$(Q)$(INSTALL) -d '$(DESTDIR)$(includedir)/ppu/hw' '$(DESTDIR)$(includedir)/ppu/drm'
	$(Q)$(INSTALL) -m 644 $(filter-out include/hw/%,$(INSTALL_HEADERS)) '$(DESTDIR)$(includedir)/ppu/'
	$(Q)$(INSTALL) -m 644 $(filter include/hw/%,$(INSTALL_HEADERS)) '$(DESTDIR)$(includedir)/ppu/hw/'
	$(Q)$(INSTALL) -m 644 include/uapi/drm/ppu_drm.h '$(DESTDIR)$(includedir)/ppu/drm/'

install-bin: $(INSTALL_TOOLS) $(RT_PTX)
	$(say) INSTALL $(DESTDIR)$(bindir)
	$(Q)$(INSTALL) -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(datadir)/ppu/samples' \
		'$(DESTDIR)$(datadir)/bash-completion/completions' '$(DESTDIR)$(datadir)/zsh/site-functions'
	$(Q)$(INSTALL) -m 755 $(INSTALL_TOOLS) '$(DESTDIR)$(bindir)/'
	$(Q)$(INSTALL) -m 644 $(RT_PTX) libruntime/samples/kernels/*.cu libruntime/samples/kernels/*.h \
		'$(DESTDIR)$(datadir)/ppu/samples/'
	$(Q)$(INSTALL) -m 644 libruntime/tools/completion/ppu.bash '$(DESTDIR)$(datadir)/bash-completion/completions/ppu-run'
	$(Q)for t in $(filter-out ppu-run,$(notdir $(INSTALL_TOOLS))) ppu-nvcc; do \
		ln -sfn ppu-run '$(DESTDIR)$(datadir)/bash-completion/completions/'$$t || exit 1; done
	$(Q)$(INSTALL) -m 644 libruntime/tools/completion/_ppu '$(DESTDIR)$(datadir)/zsh/site-functions/'

# lib64 holds the libraries themselves: no other directory has a libcuda.so.1 of ours. Beside them are links to the
# plug-ins, which libcuda looks for there.
install-cuda: $(CUDA_SDK)/.stamp $(CU_SO) $(CUDART_SOS) $(NVRTC_SOS) $(JITLINK_SOS) $(NVML_SO) $(NVTX_SO) $(HOSTCALLS_SO) $(CUDART_STATIC)
	$(say) INSTALL $(DESTDIR)$(cudadir)
	$(Q)$(INSTALL) -d '$(DESTDIR)$(cudadir)/bin' '$(DESTDIR)$(cudadir)/lib64' '$(DESTDIR)$(cudadir)/nvvm/libdevice' \
		'$(DESTDIR)$(bindir)' '$(DESTDIR)$(libdir)/pkgconfig'
	$(Q)cp -R $(CUDA_SDK)/include '$(DESTDIR)$(cudadir)/'
	$(Q)$(INSTALL) -m 644 $(CUDA_SDK)/nvvm/libdevice/*.bc '$(DESTDIR)$(cudadir)/nvvm/libdevice/'
	$(Q)$(INSTALL) -m 644 $(CU_SO) $(CUDART_SOS) $(NVRTC_SOS) $(JITLINK_SOS) $(NVML_SO) $(NVTX_SO) $(HOSTCALLS_SO) '$(DESTDIR)$(cudadir)/lib64/'
	$(Q)for v in . 11 13; do \
		$(INSTALL) -d "$(DESTDIR)$(cudadir)/lib64/$$v" && \
		$(INSTALL) -m 644 $(BUILD)/lib/cuda/$$v/libcudart_static.a $(BUILD)/lib/cuda/$$v/libppucudart_static.a \
			"$(DESTDIR)$(cudadir)/lib64/$$v/" && \
		cp -P $(BUILD)/lib/cuda/$$v/libcuda.so "$(DESTDIR)$(cudadir)/lib64/$$v/" || exit 1; done
	$(Q)ln -sfn libcudart.so.12 '$(DESTDIR)$(cudadir)/lib64/libcudart.so'
	$(Q)ln -sfn libnvrtc.so.12 '$(DESTDIR)$(cudadir)/lib64/libnvrtc.so'
	$(Q)ln -sfn libnvJitLink.so.12 '$(DESTDIR)$(cudadir)/lib64/libnvJitLink.so'
	$(Q)ln -sfn libnvidia-ml.so.1 '$(DESTDIR)$(cudadir)/lib64/libnvidia-ml.so'
	$(Q)ln -sfn libnvToolsExt.so.1 '$(DESTDIR)$(cudadir)/lib64/libnvToolsExt.so'
	$(Q)for l in $(notdir $(filter-out $(RT_SO),$(INSTALL_SHARED))); do \
		ln -sfn "$$(realpath -ms --relative-to='$(cudadir)/lib64' '$(libdir)')/$$l" '$(DESTDIR)$(cudadir)/lib64/' || exit 1; done
	$(Q)$(INSTALL) -m 755 $(addprefix $(CUDA_SDK)/bin/,ptxas ppu-nvcc device-link) '$(DESTDIR)$(cudadir)/bin/'
	$(Q)$(INSTALL) -m 644 $(CUDA_SDK)/bin/launches.awk '$(DESTDIR)$(cudadir)/bin/'
	$(Q)ln -sfn ppu-nvcc '$(DESTDIR)$(cudadir)/bin/nvcc'
	$(Q)up=$$(realpath -ms --relative-to='$(cudadir)/bin' '$(bindir)') && \
		ln -sfn $$up/ppu-cc '$(DESTDIR)$(cudadir)/bin/ppu-cc' && \
		ln -sfn $$up/ppu-fatbin '$(DESTDIR)$(cudadir)/bin/fatbinary'
	$(Q)ln -sfn $$(realpath -ms --relative-to='$(bindir)' '$(cudadir)/bin/ppu-nvcc') '$(DESTDIR)$(bindir)/ppu-nvcc'
	$(Q)$(call install_pc,ppu-cuda,The CUDA Driver API of the PPU,$${cudadir}/include, \
		-L$${cudadir}/lib64 -Wl$(comma)-rpath$(comma)$${cudadir}/lib64 -lcuda)
	$(Q)$(call install_pc,ppu-cudart,The CUDA Runtime API of the PPU,$${cudadir}/include, \
		-L$${cudadir}/lib64 -Wl$(comma)-rpath$(comma)$${cudadir}/lib64 -lcudart,'Requires.private: ppu-cuda')

install-man: $(BUILD)/man/.stamp
	$(say) INSTALL $(DESTDIR)$(mandir)/man1
	$(Q)$(INSTALL) -d '$(DESTDIR)$(mandir)/man1'
	$(Q)$(INSTALL) -m 644 $(INSTALL_MAN) '$(DESTDIR)$(mandir)/man1/'

install-doc:
	$(say) INSTALL $(DESTDIR)$(docdir)
	$(Q)$(INSTALL) -d '$(DESTDIR)$(docdir)/LICENSES'
	$(Q)$(INSTALL) -m 644 README.md CHANGELOG.md '$(DESTDIR)$(docdir)/'
	$(Q)$(INSTALL) -m 644 LICENSES/* '$(DESTDIR)$(docdir)/LICENSES/'

# The driver's sources as DKMS wants them: include/ beside them, the version in dkms.conf.
#: make install-dkms  the driver's sources for DKMS, to $(DESTDIR)/usr/src/ppu-VERSION
install-dkms:
	$(say) INSTALL '$(DESTDIR)$(dkmsdir)/ppu-$(PPU_VERSION)'
	$(Q)$(INSTALL) -d '$(DESTDIR)$(dkmsdir)/ppu-$(PPU_VERSION)/include'
	$(Q)cd kmod && find . -type f ! -name '.*' -exec $(INSTALL) -Dm 644 {} '$(abspath $(DESTDIR)$(dkmsdir))/ppu-$(PPU_VERSION)/'{} \;
	$(Q)cp -R include/hw include/uapi '$(DESTDIR)$(dkmsdir)/ppu-$(PPU_VERSION)/include/'
	$(Q)sed -i 's/@VERSION@/$(PPU_VERSION)/' '$(DESTDIR)$(dkmsdir)/ppu-$(PPU_VERSION)/dkms.conf'

# --- the manual as HTML ------------------------------------------------------------

#: make docs          the manual and the headers' comments as HTML with search: $(BUILD)/docs/html
#: make site          the same: the pages need no server and fit a phone, so they are the site of a course
.PHONY: docs site
docs site:
	$(Q)scripts/build-docs

# --- Debian packages ---------------------------------------------------------------

# What runs in user space, and what is installed of it.
.PHONY: user deb try-deb
user: $(INSTALL_NEEDS) $(BUILD)/man/.stamp
#: make deb           Debian packages in $(BUILD)/deb   (NOQEMU=1: without qemu-system-ppu)
deb:
	$(Q)scripts/packaging/build-deb $(if $(NOQEMU),--no-qemu)
#: make try-deb       install them in a clean Debian and use them (root, network, 2 GB for a while)
try-deb:
	$(Q)scripts/packaging/try-deb

unit-build: $(INSTALL_NEEDS) $(BUILD)/man/.stamp
