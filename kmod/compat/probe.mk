# SPDX-License-Identifier: GPL-2.0-only
#
# Read by ../Kbuild.  What a kernel has is asked of the compiler, never of a version number: kernels of
# one series differ, too.  Each file in probes/ either compiles against this kernel's headers, and then
# ppu_have.h, which is written beside this file, has "#define PPU_HAVE_NAME 1", or it does not.  The
# headers in include/ stand before the kernel's own of the same names and add what is missing.

ppu-probes := $(sort $(patsubst $(src)/compat/probes/%.c,%,$(wildcard $(src)/compat/probes/*.c)))
ppu-have := $(obj)/compat/ppu_have.h

# The flags of the kernel without its warnings, and without what they may be turned into.
ppu-probe-cc = $(CC) $(NOSTDINC_FLAGS) $(ppu-kernel-includes) $(filter-out -W%,$(KBUILD_CPPFLAGS) $(KBUILD_CFLAGS)) \
	-Werror=implicit-function-declaration -Werror=int-conversion -Werror=incompatible-pointer-types \
	-DMODULE -DKBUILD_MODNAME='"probe"' -DKBUILD_BASENAME='"probe"' -fsyntax-only
ppu-kernel-includes := $(LINUXINCLUDE)

quiet_cmd_ppu_probe = PROBE   $(patsubst $(obj)/%,%,$@)
      cmd_ppu_probe = if $(ppu-probe-cc) $< >$@.log 2>&1; then r='\#define PPU_HAVE_'; e=' 1'; \
		else r='/* no '; e=' */'; fi; \
		echo "$$r$$(echo $* | tr a-z A-Z)$$e" >$@.new; \
		if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

# Always: the headers of a kernel may change under the same name.
$(obj)/compat/probes/%.have: $(src)/compat/probes/%.c FORCE
	@mkdir -p $(@D)
	$(call cmd,ppu_probe)

quiet_cmd_ppu_have = PROBED  $(patsubst $(obj)/%,%,$@)
      cmd_ppu_have = cat $(filter %.have,$^) >$@.new; \
		grep -q "PPU_HAVE_WORKS 1" $@.new || { cat $(obj)/compat/probes/works.have.log >&2; \
			echo "ppu: nothing compiles against the headers of this kernel" >&2; exit 1; }; \
		if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

$(ppu-have): $(ppu-probes:%=$(obj)/compat/probes/%.have) FORCE
	$(call cmd,ppu_have)

LINUXINCLUDE := -I$(src)/compat/include -I$(obj)/compat $(LINUXINCLUDE)
clean-files += compat/ppu_have.h compat/probes/*.have compat/probes/*.log
