#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The program of lab 15's build that looks at what a driver would have the kernel change when the module is loaded. It takes what
# the compiler makes for the kernel's headers, and refuses what is about code of another file.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0
"${CC:-cc}" -Wall -Wextra -o "$tmp/sections" tests/labs/lab15/src/sections.c || exit 1

# Name, the sentence's end ("" for none), assembly beside a function.
try() {
	n=$((n + 1))
	printf '.text\nown: nop\nnop\nret\n.globl shown\n.set shown, own\n%s\n' "$3" >"$tmp/driver.s"
	"${CC:-cc}" -c -o "$tmp/driver.o" "$tmp/driver.s" || exit 1
	if "$tmp/sections" "$tmp/driver.o" 2>"$tmp/said"; then ok=""; else ok="refused"; fi
	if { [ -z "$2" ] && [ -z "$ok" ]; } || { [ -n "$2" ] && [ -n "$ok" ] && grep -q "^driver.c: error: section $2\$" "$tmp/said"; }; then
		echo "ok $n - $1"
	else
		sed 's/^/# /' "$tmp/said"
		echo "not ok $n - $1"
		failed=1
	fi
}

# A section, and what it names.
names() {
	printf '.pushsection %s,"a"\n.long %s - .\n.popsection' "$1" "$2"
}
alternative() {
	printf '.pushsection .altinstructions,"a"\n.long %s, own - .\n.long 0x05050060\n.popsection' "$1"
}

try "no such section" "" ""
try "an alternative of its own" "" "$(alternative "own - .")"
try "by a global name of its own" "" "$(alternative "shown - .")"
try "an alternative in device.c, by name" ".altinstructions names code that is not in this file" "$(alternative "claim - .")"
try "before its own code" ".altinstructions names code that is not in this file" "$(alternative "own - 0x400 - .")"
try "behind its own code" ".altinstructions names code that is not in this file" "$(alternative "own + 0x400 - .")"
try "at a distance" ".altinstructions names code that is not in this file" "$(alternative -0x2000)"
try "at a distance, with a relocation of no effect" ".altinstructions names code that is not in this file" "$(alternative -0x2000)
.pushsection .altinstructions
.reloc .-12, R_X86_64_NONE, own
.popsection"
try "at an absolute address" ".smp_locks names code that is not in this file" "$(names .smp_locks there)
.set there, 0xffffffffc0000000"
try "a static key of the kernel's" "" '.pushsection __jump_table,"aw"
.long own - ., own - .
.quad cpu_key - .
.popsection'
try "a jump in device.c" "__jump_table names code that is not in this file" '.pushsection __jump_table,"aw"
.long claim - ., own - .
.quad cpu_key - .
.popsection'
try "a call of the kernel's, changed here" "" "$(names .static_call_sites own)
.pushsection .static_call_sites
.long __SCK__might_resched - .
.popsection"
try "a function that is called at load" ".init_array is none that a driver of this lab may have" \
	'.section .init_array,"aw"
.quad own'
try "a parameter" "__param is none that a driver of this lab may have" '.section __param,"a"
.quad own'
try "a patched function entry in device.c" "__patchable_function_entries names code that is not in this file" \
	'.section __patchable_function_entries,"a"
.quad claim'
echo "1..$n"
exit $failed
