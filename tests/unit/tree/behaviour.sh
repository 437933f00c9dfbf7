#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The sample programs behave as recorded: the same traces, outputs and files, byte for byte.
exec "$PPU_TOP/scripts/behaviour"
