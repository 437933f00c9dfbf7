#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Divergence event by event against a second implementation: lib/simt_model_test.py.
exec python3 -B "$PPU_TOP/tests/unit/lib/simt_model_test.py"
