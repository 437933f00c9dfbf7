#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Static analysis: every finding in the cores is explained, and the check notices mistakes that are planted.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
list=scripts/analyze-explained.txt

env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s BUILD="$BUILD" analyze >"$dir/out" 2>&1
status=$?
if [[ $status != 0 ]] && grep -q 'and this is' "$dir/out"; then
	grep 'and this is' "$dir/out"
	exit 77
fi
[[ $status == 0 ]] || { sed 's/^/# /' "$dir/out"; printf 'not '; }
echo "ok - each finding is explained, and each explanation is needed"

mapfile -t reports < <(find "$BUILD/analyze" -name '*.txt')
says() # what, text, arguments of scripts/analyze
{
	local what=$1 text=$2
	shift 2
	if scripts/analyze "$@" >"$dir/out" 2>&1; then
		echo "not ok - $what: nothing is reported"
	elif [[ $(grep -cF -e "$text" "$dir/out") == 1 && $(wc -l <"$dir/out") == 2 ]]; then
		echo "ok - $what"
	else
		sed 's/^/# /' "$dir/out"
		echo "not ok - $what: exactly one finding"
	fi
}

cat >"$dir/planted.c" <<'END'
#include <stdlib.h>
int *planted(int n);
int *planted(int n)
{
	int *p = malloc((size_t)n);

	free(p);
	return p;
}
END
clang-tidy --quiet --config-file=.clang-tidy "$dir/planted.c" -- -std=gnu11 >"$dir/planted.txt" 2>/dev/null
says "a use after free is found" "Use of memory after it is freed" "${reports[@]}" "$dir/planted.txt"

grep -v 'return 32;$' "$list" >"$dir/less"
says "a finding without explanation" "bugprone-branch-clone" --explained "$dir/less" "${reports[@]}"
{ cat "$list"; echo "kmod/core/pt.c: bugprone-branch-clone: return 0;"; } >"$dir/more"
says "an explanation without finding" "no longer found: kmod/core/pt.c" --explained "$dir/more" "${reports[@]}"
grep -v '^# blank' "$list" >"$dir/bare"
says "a finding without reason" "no reason above" --explained "$dir/bare" "${reports[@]}"
