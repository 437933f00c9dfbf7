# SPDX-License-Identifier: MIT
#
# The course labs: Documentation/labs/index.md, scripts/lab.

#: make lab N=3       a working directory for lab 3 (SOLVED=1, FROM=DIR: earlier labs' files; LAB=DIR: another place)
#: make check-lab N=3 build it, boot the machine, print the points (BONUS=1: also on the debug kernel; V=1: more)
.PHONY: lab check-lab lab-shell lab-reference lab-release lab-slides
need_lab = $(if $(N),,$(error which lab? make $@ N=3))
lab:
	$(need_lab)$(Q)scripts/lab new $(N) $(LAB) $(if $(SOLVED),--solved) $(FROM:%=--from %)

# What is there is not looked at again: a check takes seconds. `make` after a change of the device.
lab_needs = $(if $(and $(wildcard $(QEMU)),$(wildcard $(INITRAMFS)),$(wildcard $(BUILD)/bin/ppu-trace)),,all)
check-lab: $(lab_needs)
# Points below 100 (status 3) are no error of make's.
	$(need_lab)$(Q)scripts/lab check $(N) $(LAB) $(if $(BONUS),--bonus) $(if $(filter 1,$(V)),--verbose) || [ $$? = 3 ]

#: make lab-shell N=3 a shell in a machine with your module loaded
lab-shell: $(lab_needs)
	$(need_lab)$(Q)scripts/lab shell $(N) $(LAB)

#: make lab-slides    for teachers: a lecture for each lab, in build/labs/slides
lab-slides:
	$(Q)scripts/lab slides $(N)

lab-reference: all
	$(Q)scripts/lab reference $(N)

#: make lab-release   the students' package, the teacher's and the autograder's  (UPTO=3: with solutions up to lab 3)
lab-release: all
	$(Q)scripts/lab reference
	$(Q)scripts/lab release $(if $(UPTO),--upto $(UPTO))
