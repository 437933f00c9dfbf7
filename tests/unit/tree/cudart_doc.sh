#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The tables of Documentation/runtime/cudart.md agree with the library's lists (PPU_UPDATE_DOCS=1 writes the tables),
# and each of the three libraries exports the functions of the lists, under its own version.

# shellcheck source=tests/unit/lib/shell.sh
. "$(dirname "$0")/../lib/shell.sh"
doc=Documentation/runtime/cudart.md
list=include/cuda/cuda_runtime_calls.h

# Below each comment of the list, its functions in one line of the table.
awk '
	/^\/\* .* \*\/ \\$/ { if (row) print row " |"; sub(/^\/\* /, ""); sub(/ \*\/ \\$/, ""); row = "| " $0 " |"; next }
	/^[CZDV]\(cuda/ {
		kind = substr($0, 1, 1); name = $0; sub(/^.\(/, "", name); sub(/[,)].*/, "", name)
		suffix = kind == "Z" ? "`, `_ptsz" : kind == "D" ? "`, `_ptds" : ""
		row = row " `" name suffix "`;"
	}
	END { print row " |" }' "$list" | sed 's/; |$/ |/' >"$tmp/rows"
{ echo "| About | Functions |"; echo "|---|---|"; cat "$tmp/rows"; } >"$tmp/calls"
grep -oE 'U\([A-Za-z0-9_]+\)' libruntime/cudart/unsupported.h | sed -E 's/U\((.*)\)/`\1`,/; $ s/,$//' >"$tmp/unsupported"

table()		# NAME
{
	sed -n "/<!-- table:$1 -->/,/<!-- end -->/p" "$doc" | sed '1d;$d'
}
for t in calls unsupported; do
	if [[ -n $PPU_UPDATE_DOCS ]]; then
		sed -i "/<!-- table:$t -->/,/<!-- end -->/{//!d}; /<!-- table:$t -->/r $tmp/$t" "$doc"
	fi
	diff <(table $t) "$tmp/$t" >"$tmp/out"
	result $? "the table of $t is the library's list ($(wc -l <"$tmp/$t") lines)"
done

sed -nE 's/^[CV]\((cuda[A-Za-z0-9_]+).*/\1/p; s/^Z\((cuda[A-Za-z0-9_]+).*/\1\n\1_ptsz/p; s/^D\((cuda[A-Za-z0-9_]+).*/\1\n\1_ptds/p' \
	"$list" >"$tmp/want"
tr -d '`,' <"$tmp/unsupported" >>"$tmp/want"
printf '%s\n' cudaGetLastError cudaPeekAtLastError cudaGetErrorName cudaGetErrorString cudaCreateChannelDesc \
	__cuda{Push,Pop}CallConfiguration __cudaRegister{FatBinary,FatBinaryEnd,Function,Var,ManagedVar,Texture,Surface} \
	__cudaUnregisterFatBinary __cudaInitModule __cudaGetKernel __cudaLaunchKernel >>"$tmp/want"
sort -u "$tmp/want" -o "$tmp/want"
for version in 11.0 12 13; do
	lib=$build/lib/cuda/libcudart.so.$version
	nm -D --defined-only "$lib" >"$tmp/nm" || { result 1 "$lib"; continue; }
	awk '{ print $3 }' "$tmp/nm" | sed -n "s/@@libcudart.so.$version\$//p" | sort -u >"$tmp/have"
	comm -23 "$tmp/want" "$tmp/have" >"$tmp/out"
	[[ ! -s $tmp/out ]]; result $? "libcudart.so.$version exports all $(wc -l <"$tmp/want") names under its version"
	awk '{ print $3 }' "$tmp/nm" | grep -vE '^(__)?cuda|^libcudart' >"$tmp/out"
	[[ ! -s $tmp/out ]]; result $? "libcudart.so.$version exports nothing else"
done
exit $failed
