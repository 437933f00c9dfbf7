#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A share of the long trials that happen to the whole machine (scripts/trials): some rounds each, from a state of their own.
# Those inside a guest are what tests/storm/trial does without arguments.

state=$(mktemp -d)
trap 'rm -rf "$state"' EXIT

trial()	# NAME ROUNDS
{
	if "$PPU_TOP/scripts/trials" --state "$state" --more "$2" "$1" >"$state/log" 2>&1; then
		echo "ok - $1: $2 rounds"
	else
		cat "$state/log" "$state"/*-finding-* 2>/dev/null
		echo "not ok - $1"
	fi
}

trial stop 20
trial snapshot 5
trial migrate 3
trial writes 2
trial plug 3
# A later run goes on.
"$PPU_TOP/scripts/trials" --state "$state" --more 1 stop >"$state/log" 2>&1
grep -q '^stop  *21 ' "$state/log" && echo "ok - the state is kept" || echo "not ok - the state is kept"
echo 1..6
