/* SPDX-License-Identifier: MIT */
/* Inside libruntime/compiler: limits of images, section numbers of the file, checks of their parts. */
#ifndef PPU_ISA_IMAGE_H
#define PPU_ISA_IMAGE_H

#include <ppu_image.h>
#include <hw/ppu_tmd.h>

#define PPU_IMAGE_DATA_MAX	(1ull << 30)	/* bytes of initialised and zero data */
#define PPU_IMAGE_ALIGN_MAX	4096u
#define PPU_IMAGE_SHARED_MAX	(1u << 20)
#define PPU_IMAGE_PARAM_MAX	((uint32_t)PPU_PARAM_MAX)

/* Sections of a file, in this order: name, contents. */
#define PPUB_SECTIONS(S) \
S(INFO,    "data_bytes u64, data_align u64, shared_module_bytes u32, zero u32") \
S(CODE,    "instructions, 16 bytes each") \
S(DATA,    "initial data; what data_bytes has more is zero") \
S(SYMBOLS, "96 bytes each: name (offset in STRINGS), kind, flags, align u32; value, size u64; num_insns, regs, frame_bytes, local_bytes, shared_bytes, barriers, max_threads, reqntid[3], param_bytes, first parameter, number of parameters, recursive, shared_fixed, cluster u32") \
S(PARAMS,  "12 bytes each: offset, size, align u32") \
S(RELOCS,  "24 bytes each: kind, symbol u32; where, addend u64") \
S(LINES,   "16 bytes each: pc, file, line, column u32; pc ascending") \
S(FILES,   "u32 each: offset of the name in STRINGS") \
S(STRINGS, "NUL-terminated strings")
enum {
#define S(name, doc) PPUB_SEC_##name,
	PPUB_SECTIONS(S)
#undef S
	PPUB_SEC_COUNT
};

/* NULL, or a sentence that says what is wrong.  The sizes of the image's code, data and shared memory must be
 * set before. */
const char *ppu_symbol_check(const struct ppu_image *img, const struct ppu_symbol *s);
const char *ppu_reloc_check(const struct ppu_image *img, const struct ppu_reloc *r);

/* Kernels and functions. */
static inline int ppu_is_code(unsigned kind)
{
	return kind == PPU_SYM_KERNEL || kind == PPU_SYM_FUNC;
}

/* Is imm an instruction index of the same image? */
int ppu_has_target(const struct ppu_insn *in);

/* The kernel or function that an instruction is in, and the line that it comes from; NULL: none. */
const struct ppu_symbol *ppu_image_function(const struct ppu_image *img, uint32_t pc);
const struct ppu_line *ppu_image_line(const struct ppu_image *img, uint32_t pc);

/* Functions of an image take their arguments from this register on, and leave their results there. */
#define PPU_ABI_FIRST_ARG	4

/* Appends one zeroed element to an array that only this macro grows (from NULL, n = 0; n a uint32_t).
 * 0 or -ENOMEM. */
#define PPU_GROW(array, n) ppu_grow_((void **)&(array), &(n), sizeof(*(array)))
int ppu_grow_(void **array, uint32_t *n, size_t size);

/* DWARF's operation "in the register of this number": compilers give a PTX register its letters as number, the first one the
 * highest byte.  name: room for 8 letters and NUL.  Returns how many there are. */
#define PPU_DW_OP_REGX	0x90u
unsigned ppu_debug_letters(uint64_t number, char *name);

#endif
