#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every sample verifies itself and shows what it claims, on the host, without a VM.
export PPU_BACKEND=core
BIN=${BUILD:-build}
[ -d "$BIN" ] || BIN=$PPU_TOP/$BIN
BIN=$(realpath "$BIN")/bin
# shellcheck source=tests/system/lib/samples_cases.sh
. "$PPU_TOP/tests/system/lib/samples_cases.sh"
# A device that knows no priorities: the runtime lets streams have them, to no effect.
PPU_PROPS="gpcs=1 sms-per-gpc=2 task-slots=4 window-ns=1000 device-priorities=0" \
	fails "without device priorities sample-priority-pipeline fails" sample-priority-pipeline
tail -n 1 "$work/sample-priority-pipeline" | grep -q 'after \([0-9.]*\), \1 and \1 us'
verdict "because frames take the same time" sample-priority-pipeline
