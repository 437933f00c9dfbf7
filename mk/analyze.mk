# SPDX-License-Identifier: MIT
#
# Static analysis by clang-tidy. .clang-tidy says what is looked for, scripts/analyze compares the findings with
# those that are explained. Each source has a report, which is made again when the source, one of its headers or
# .clang-tidy changes.

CLANG_TIDY      ?= clang-tidy
ANALYZE_SRCS    := $(CORE_SRCS) $(DRIVER_CORE_SRCS) $(sort $(wildcard libruntime/common/*.c))
ANALYZE_REPORTS := $(ANALYZE_SRCS:%.c=$(BUILD)/analyze/%.txt)
ANALYZE_FLAGS    = -std=gnu11 -Iinclude -Iqemu-device -Ilibruntime -Ikmod $(filter -DPPU_TRANSLATE,$(CORE_CFLAGS))

$(ANALYZE_REPORTS): $(BUILD)/analyze/%.txt: %.c .clang-tidy mk/analyze.mk
	@mkdir -p $(@D)
	$(say) TIDY $<
	$(Q)$(CLANG) $(ANALYZE_FLAGS) -MM -MP -MT $@ -MF $(@:.txt=.d) $<
	$(Q)$(CLANG_TIDY) --quiet $< -- $(ANALYZE_FLAGS) >$@ 2>$@.err || { cat $@ $@.err; exit 1; }
-include $(ANALYZE_REPORTS:.txt=.d)

#: make analyze       static analysis of the device core and the driver core; each finding is explained, or it fails
.PHONY: analyze analyze-reports
analyze-reports: $(ANALYZE_REPORTS)
analyze: $(ANALYZE_REPORTS)
	$(Q)scripts/analyze $^
