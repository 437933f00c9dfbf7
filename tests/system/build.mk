# SPDX-License-Identifier: MIT
#
# Programs that tests/system/host_*.sh run in machines of their own. (How the
# other tests here are built: mk/test.mk.)

$(BUILD)/obj/tests/system/two/two_ppus.o: private PPU_CFLAGS += -Itests/conformance/lib \
	$(shell $(PKG_CONFIG) --cflags libdrm 2>/dev/null)
$(eval $(call ppu_guest_program,two/two_ppus,tests/system/two/two_ppus.c $(wildcard \
	tests/conformance/lib/*.c),,$(shell $(PKG_CONFIG) --libs libdrm 2>/dev/null || echo -ldrm)))
