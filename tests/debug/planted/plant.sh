#!/bin/sh
# SPDX-License-Identifier: MIT
#
# plant.sh WHAT: make one of ppu_planted.c's mistakes. This "test" passes only
# if nobody notices; scripts/check wants it to fail. (zz_leaks.sh plants a leak.)

# What to look at when lockdep did not notice: it is off, or out of room.
grep -E 'debug_locks|\[max' /proc/lockdep_stats
insmod /ppu/debug/planted/ppu_planted.ko "what=$1" && rmmod ppu_planted
