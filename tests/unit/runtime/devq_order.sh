#!/bin/sh
# SPDX-License-Identifier: MIT
# WQ-18: 10^5 insertions while stores reach memory late and in any order, without sanitizers (test_devq_order: 10^4).
PPU_DEVQ_EACH=400 CK_RUN_CASE=late exec "$BUILD/unit-fast/test_devq_order"
