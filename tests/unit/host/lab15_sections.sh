#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The program of lab 15's build that looks at what a driver would have the kernel change when the module is loaded. It takes what
# the compiler makes for the kernel's headers, and refuses what is about code of another file.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0 failed=0
"${CC:-cc}" -Wall -Wextra -o "$tmp/sections" tests/labs/lab15/src/sections.c || exit 1
# What only.c says of the kernel.
echo '.section .discard.alternative,"a"
.zero 12' | "${CC:-cc}" -x assembler -c -o "$tmp/only.o" - || exit 1

# Name, the sentence's end ("" for none), assembly beside a function.
try() {
	n=$((n + 1))
	printf '.text\nown: .skip 16, 0x90\nret\n.globl shown\n.set shown, own\n%s\n' "$3" >"$tmp/driver.s"
	"${CC:-cc}" -c -o "$tmp/driver.o" "$tmp/driver.s" || exit 1
	if "$tmp/sections" "$tmp/driver.o" "$tmp/only.o" 2>"$tmp/said"; then ok=""; else ok="refused"; fi
	if { [ -z "$2" ] && [ -z "$ok" ]; } || { [ -n "$2" ] && [ -n "$ok" ] && grep -q "^driver.c: error: \(section \)\?$2\$" "$tmp/said"; }; then
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
try "the last bytes of its own code" "" "$(alternative "own + 12 - .")"
try "from its own code to behind it" ".altinstructions names code that is not in this file" "$(alternative "own + 13 - .")"
try "a call at the end of its own code" ".call_sites names code that is not in this file" "$(names .call_sites own+13)"
# 14 entries for a kernel with 12 bytes in each, and 12 for one with 14: these have numbers where that one looks for distances.
try "an alternative for another kernel" ".altinstructions names code that is not in this file" '.pushsection .altinstructions,"a"
.rept 12
.long own - ., own - ., 0x60
.byte 5, 5
.endr
.popsection'
try "with padding in front of it" ".altinstructions names code that is not in this file" "$(alternative "own - .")
$(alternative "own - .")
$(alternative "own - .")
$(alternative "own - .")
.pushsection .altinstructions
.balign 16
.popsection"
try "without being loaded" ".altinstructions is not loaded" "$(alternative "claim - ." | sed 's/"a"/""/')"
try "behind the end of a section" ".rodata.x has a relocation behind its end" '.section .rodata.x,"a"
.byte 0
end:
.reloc end, R_X86_64_64, claim'
try "a key that reaches into the next entry" ".static_call_sites names code that is not in this file" '.pushsection .static_call_sites,"aw"
sites: .quad 0, 0
.reloc sites, R_X86_64_PC32, own
.reloc sites + 4, R_X86_64_64, claim + 0x123456700000000
.reloc sites + 8, R_X86_64_PC32, sites + 8
.reloc sites + 12, R_X86_64_PC32, own
.popsection'
try "more sections than their number can say" "it has no sections, or too many" "$(alternative "claim - .")
.altmacro
.macro one n
.section .data.x,\"aw\",@progbits,unique,\\n
.byte 0
.endm
.set i, 0
.rept 65400
one %i
.set i, i + 1
.endr"
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
