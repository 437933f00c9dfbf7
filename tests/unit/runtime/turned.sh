#!/bin/sh
# SPDX-License-Identifier: MIT
# SP-6: the tests of priorities pass with the stream convention turned: where -1 was the most urgent, 1 is
# (tests/unit/lib/rt_turn.h). So do test_preempt_kernels and test_devq_order, which take a minute: PPU_TURNED=1.
PPU_TURNED=1
export PPU_TURNED
for t in test_rt_prio test_rt_copycmd test_rt_copyprio test_rt_host test_rt_cdp test_rt_api; do
	"$BUILD/unit/$t" || exit 1
done
