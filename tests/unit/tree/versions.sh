#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Every tool and every script answers --version with the tree's version and --help with a text, both on the
# standard output, with exit status 0.
B=${BUILD:-build}
case $B in /*) ;; *) B=$PPU_TOP/$B ;; esac
version=$(sed -nE 's/^#define PPU_VERSION_(MAJOR|MINOR|PATCH)[[:space:]]+([0-9]+)$/\2/p' \
	"$PPU_TOP/include/ppu_version.h" | paste -sd.)
failed=0

check()
{
	if [ "$1" = "$2" ]; then
		echo "ok - $3"
	else
		echo "not ok - $3: '$1' instead of '$2'"
		failed=1
	fi
}

answers()
{
	name=${1##*/}
	out=$("$1" --version </dev/null 2>&1)
	check "$? $out" "0 ${2:-$name} (PPU) $version" "$name --version"
	out=$("$1" --help </dev/null 2>/dev/null)
	status=$?
	lines=$(printf '%s\n' "$out" | grep -c .)
	check "$status $([ "$lines" -ge 2 ] && echo text)" "0 text" "$name --help"
}

case $version in
[0-9]*.[0-9]*.[0-9]*) echo "ok - the version is $version" ;;
*) echo "not ok - the version is '$version'"; failed=1 ;;
esac
for source in "$PPU_TOP"/libruntime/tools/ppu-*.c; do
	tool=${source##*/}
	answers "$B/bin/${tool%.c}"
done
answers "$B/cuda/bin/ppu-nvcc"
answers "$B/cuda/bin/ptxas"
for script in "$PPU_TOP"/scripts/* "$PPU_TOP"/scripts/docs/* "$PPU_TOP"/scripts/packaging/* "$PPU_TOP"/scripts/container/*; do
	# lib.sh, ppu_script.py and the like are no commands.
	if [ -f "$script" ] && [ -x "$script" ]; then
		answers "$script"
	fi
done

# The labs' graders run these scripts with -I, so that no file of a student is used in place of ours.
for script in lab vm; do
	python3 -I "$PPU_TOP/scripts/$script" --version >/dev/null 2>&1
	check $? 0 "python3 -I scripts/$script finds its own modules"
done

# The page on versions agrees with the headers: | ... | `NAME` value | `header` |
page=$PPU_TOP/Documentation/contributing/versions.md
stated=$(sed -nE 's/^\|.*\| `([A-Z_]+)` ([0-9a-fx]+) \| `(include[^`]*)` \|$/\1 \2 \3/p' "$page")
check "$(printf '%s\n' "$stated" | wc -l)" 8 "versions.md has a row for each interface"
while read -r name value header; do
	check "$(sed -nE "s/^#define $name[[:space:]]+([0-9a-fx]+).*/\1/p" "$PPU_TOP/$header")" "$value" "$name"
done <<END
$stated
END
exit $failed
