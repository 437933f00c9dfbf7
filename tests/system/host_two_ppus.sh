#!/bin/bash
# SPDX-License-Identifier: MIT
#
# HW-2: a machine with two PPUs of different size, and one driver for both.

cd "$(dirname "$0")/../.." || exit 1
exec scripts/vm --timeout 400 "$@" --prop gpcs=3 --prop sms-per-gpc=2 \
	--second-ppu gpcs=1,sms-per-gpc=2 -- /ppu/guest/two/two_ppus
