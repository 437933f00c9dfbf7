# SPDX-License-Identifier: MIT
#
# The uAPI as a table, for the tests here. (How the tests are built and run:
# mk/test.mk, scripts/check.)

$(BUILD)/gen/uapi_table.inc: tests/debug/gen-uapi-table include/uapi/drm/ppu_drm.h
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)$(PYTHON) $^ >$@
$(BUILD)/obj/tests/debug/lib/uapi_table.o: $(BUILD)/gen/uapi_table.inc
$(BUILD)/obj/tests/debug/lib/uapi_table.o: private PPU_CFLAGS += -I$(BUILD)/gen
