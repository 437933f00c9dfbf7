#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Channels that do not stop: the driver resets the device, and nothing is lost for good.

cd "$(dirname "$0")/../.." || exit 1
exec scripts/vm --timeout 600 --prop x-fault-stop=2 -- /ppu/guest/deaf/deaf_channels
