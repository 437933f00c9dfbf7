# SPDX-License-Identifier: MIT
#
# The examples of the documentation, compiled; scripts/check runs them in the
# guest with the conformance tests. (How those are built: mk/test.mk.)

DOC_EXAMPLES := $(BUILD)/gen/doc-examples.list
DOC_PAGES    := $(sort $(wildcard Documentation/*/*.md))

$(DOC_EXAMPLES): scripts/doc-examples $(DOC_PAGES) $(wildcard include/hw/*.h include/uapi/drm/*.h) \
		tests/conformance/build.mk $(CC_STAMP)
	@mkdir -p $(@D)
	$(say) DOC $@
	$(Q)scripts/doc-examples $(BUILD)/guest/conformance $@ $(CC) -std=gnu11 -Wall -Wextra -Werror \
		-Wno-unused-function -Wno-unused-parameter -O1 -g -Iinclude \
		$(shell $(PKG_CONFIG) --cflags libdrm 2>/dev/null) \
		$(shell $(PKG_CONFIG) --libs libdrm 2>/dev/null || echo -ldrm) -lpthread \
		-- $(DOC_PAGES)

TEST_BINS += $(DOC_EXAMPLES)
