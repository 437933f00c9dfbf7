# SPDX-License-Identifier: MIT
#
# Tools, flags and the two macros every build fragment uses.
#
# A fragment (*/build.mk) may use:
#
#   $(eval $(call ppu_static_lib,NAME,SOURCES,EXTRA_CFLAGS))
#       builds $(BUILD)/lib/libNAME.a and, when a test asks for them, with
#       sanitizers $(BUILD)/san/libNAME.a and for fuzzers $(BUILD)/fuzzlib/libNAME.a
#   $(eval $(call ppu_shared_lib,NAME,SONAME,SOURCES,EXTRA_CFLAGS,LIBS))
#       builds $(BUILD)/lib/SONAME (+ link libNAME.so), from the objects that
#       the static library of the same sources uses
#   $(eval $(call ppu_program,NAME,SOURCES,LIBS,EXTRA_LDFLAGS))
#       builds $(BUILD)/bin/NAME; LIBS are names of our static libraries
#       ("ppu ppucuda") in link order, EXTRA_LDFLAGS is appended
#   $(eval $(call ppu_guest_program,DIR/NAME,SOURCES,LIBS,EXTRA_LDFLAGS))
#       builds $(BUILD)/guest/DIR/NAME, to be run in the guest
#
# Everything named this way is part of `make all`, and known to `make print-made`: what is made from
# which sources and libraries (scripts/lint compares their licences).

BUILD   ?= build
PPU_CACHE ?= $(or $(XDG_CACHE_HOME),$(or $(HOME),$(shell bash -c 'echo ~'))/.cache)/ppu
ifeq ($(filter /%,$(firstword $(PPU_CACHE))),)
override PPU_CACHE := $(CURDIR)/$(PPU_CACHE)
endif
export BUILD PPU_CACHE WERROR
SHELL   := /bin/bash
.SHELLFLAGS := -o pipefail -c

# $(BUILD)/compiler says which compiler made the objects in $(BUILD): the command, its blanks as ?, and what it says it
# is. Who names no CC goes on with that one. With another compiler, or an upgraded one, the file changes and all objects
# are made again: objects of two compilers never meet. To keep both, give each its BUILD.
CC_STAMP := $(BUILD)/compiler
CC_WAS   := $(file <$(CC_STAMP))
ifeq ($(origin CC),default)
CC       := $(or $(subst ?, ,$(firstword $(CC_WAS))),gcc)
endif
export CC
CC_IS    := $(subst $() ,?,$(CC)) $(shell LC_ALL=C $(CC) --version 2>/dev/null | sed -n 1p | cut -d' ' -f2-)
ifneq ($(wordlist 2,99,$(CC_IS)),$(wordlist 2,99,$(CC_WAS)))
.PHONY: $(CC_STAMP)
endif
$(CC_STAMP):
	@mkdir -p $(@D); printf '%s\n' '$(CC_IS)' >$@

AR      ?= ar
OBJCOPY ?= objcopy
CLANG   ?= clang
# The distribution's Python: QEMU's configure and our scripts need no other.
PYTHON  := $(firstword $(wildcard /usr/bin/python3) python3)
PKG_CONFIG ?= pkg-config

# Warnings end the build only when they are asked to: WERROR=1, as .ci/run does. A user's compiler may know others.
WERROR  ?= 0
CFLAGS_WARN   := -Wall -Wextra -Wno-unused-parameter -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
		 $(if $(filter 1,$(WERROR)),-Werror)
CFLAGS_COMMON := -std=gnu11 $(CFLAGS_WARN) -O2 -g \
		 -fno-strict-aliasing -ffp-contract=off -fPIC -Iinclude -MMD -MP
CFLAGS_SAN    ?= -O1 -fsanitize=address,undefined -fno-sanitize-recover=all \
		 -fno-omit-frame-pointer

# V=1 shows the commands.
ifeq ($(V),1)
Q    :=
say  = @:
else
Q    := @
say  = @printf '  %-7s %s\n'
endif

# Fuzzers are built with clang and libFuzzer, and so are the libraries below them.
CFLAGS_FUZZ   := -O1 -fsanitize=fuzzer-no-link,address,undefined \
		 -fno-sanitize-recover=all -fno-omit-frame-pointer

ALL_TARGETS  :=
ALL_DEPFILES :=

ppu_objs     = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
ppu_objs_san = $(patsubst %.c,$(BUILD)/obj-san/%.o,$(1))
ppu_objs_fuzz = $(patsubst %.c,$(BUILD)/obj-fuzz/%.o,$(1))

# Extra flags are attached to the objects; a change of this file, or of the
# fragment that names them, rebuilds them.
$(BUILD)/obj/%.o: %.c mk/common.mk $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CFLAGS_COMMON) $(PPU_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/obj-san/%.o: %.c mk/common.mk $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) CC-SAN $<
	$(Q)$(CC) $(CFLAGS_COMMON) $(CFLAGS_SAN) $(PPU_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/obj-fuzz/%.o: %.c mk/common.mk
	@mkdir -p $(@D)
	$(say) CC-FUZZ $<
	$(Q)$(CLANG) $(CFLAGS_COMMON) -Wno-unknown-warning-option $(CFLAGS_FUZZ) $(PPU_CFLAGS) $(CFLAGS) -c -o $@ $<

# (name, sources, extra cflags)
define ppu_static_lib
$(call ppu_objs,$(2)) $(call ppu_objs_san,$(2)) $(call ppu_objs_fuzz,$(2)): $(lastword $(MAKEFILE_LIST))
$(call ppu_objs,$(2)) $(call ppu_objs_san,$(2)) $(call ppu_objs_fuzz,$(2)): private PPU_CFLAGS += $(3)
$(BUILD)/lib/lib$(1).a: $(call ppu_objs,$(2))
	@mkdir -p $$(@D)
	$$(say) AR $$@
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$^
$(BUILD)/san/lib$(1).a: $(call ppu_objs_san,$(2))
	@mkdir -p $$(@D)
	$$(say) AR $$@
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$^
$(BUILD)/fuzzlib/lib$(1).a: $(call ppu_objs_fuzz,$(2))
	@mkdir -p $$(@D)
	$$(say) AR $$@
	$$(Q)rm -f $$@ && $$(AR) rcs $$@ $$^
PPU_LIBS     += $(1)
PPU_MADE     += lib/lib$(1).a
PPU_FROM_lib/lib$(1).a := $(2)
ALL_TARGETS  += $(BUILD)/lib/lib$(1).a
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs,$(2)) $(call ppu_objs_san,$(2)) $(call ppu_objs_fuzz,$(2)))
endef

# (name, soname, sources, extra cflags, libs)
define ppu_shared_lib
$(call ppu_objs,$(3)): private PPU_CFLAGS += $(4)
$(BUILD)/lib/$(2): $(call ppu_objs,$(3))
	@mkdir -p $$(@D)
	$$(say) LD $$@
	$$(Q)$$(CC) -shared -Wl,-soname,$(notdir $(2)) -Wl,-z,defs $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $(5)
	$$(Q)ln -sfn $(notdir $(2)) $$(@D)/lib$(1).so
PPU_MADE     += lib/$(2)
PPU_FROM_lib/$(2) := $(3) $(patsubst $(BUILD)/%,%,$(filter %.a,$(5)))
ALL_TARGETS  += $(BUILD)/lib/$(2)
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs,$(3)))
endef

# (output, sources, our libs, extra ldflags)
define ppu_link
$(1): $(call ppu_objs,$(2)) $(foreach l,$(3),$(BUILD)/lib/lib$(l).a)
	@mkdir -p $$(@D)
	$$(say) LD $$@
	$$(Q)$$(CC) $$(LDFLAGS) -o $$@ $$(filter %.o,$$^) $(foreach l,$(3),$(BUILD)/lib/lib$(l).a) $(4)
PPU_MADE     += $(patsubst $(BUILD)/%,%,$(1))
PPU_FROM_$(patsubst $(BUILD)/%,%,$(1)) := $(2) $(3:%=lib/lib%.a)
ALL_TARGETS  += $(1)
ALL_DEPFILES += $(patsubst %.o,%.d,$(call ppu_objs,$(2)))
endef

ppu_program       = $(call ppu_link,$(BUILD)/bin/$(1),$(2),$(3),$(4))
ppu_guest_program = $(call ppu_link,$(BUILD)/guest/$(1),$(2),$(3),$(4))

# --- how each file is compiled, for editors and tools -----------------------------

#: make compile_commands.json   for clangd and the like: what each file is compiled with; nothing is built
.PHONY: compile_commands.json
compile_commands.json:
	$(Q)CC="$(CC)" CLANG="$(CLANG)" scripts/compile-commands $(CURDIR)/$@ $(patsubst %.d,%.o,$(sort $(ALL_DEPFILES)))
