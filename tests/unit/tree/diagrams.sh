#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The drawings of the manual are what scripts/docs/diagrams draws from the headers, and a page shows each.
cd "$PPU_TOP" || exit 1
n=0
report()	# STATUS NAME [WHAT WENT WRONG]
{
	n=$((n + 1))
	[[ $1 == 0 ]] && echo "ok $n - $2" && return
	echo "not ok $n - $2"
	printf '%s\n' "${3:-}" | sed 's/^/# /'
}

said=$(scripts/docs/diagrams --check 2>&1)
report $? "drawings are those of the headers" "$said"

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/scripts/docs" "$tmp/include" "$tmp/Documentation"
cp include/ppu_version.h "$tmp/include/"
cp -r include/hw "$tmp/include/"
cp -r Documentation/img "$tmp/Documentation/"
cp scripts/docs/diagrams "$tmp/scripts/docs/"
cp scripts/ppu_script.py "$tmp/scripts/"
sed -i 's/PPU_BAR0_USERD\t\t0x200000/PPU_BAR0_USERD\t\t0x400000/' "$tmp/include/hw/ppu_regs.h"
said=$("$tmp/scripts/docs/diagrams" --check 2>&1)
[[ $? == 1 && $said == *hw-bars.svg* && $said != *hw-ring.svg* ]]
report $? "a register that moved is noticed" "$said"

for f in Documentation/img/hw-*.svg; do
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$f" 2>"$tmp/said" &&
		grep -rqF "(../img/${f##*/})" Documentation
	report $? "${f##*/} is XML, and a page shows it" "$(cat "$tmp/said")"
done
echo "1..$n"
