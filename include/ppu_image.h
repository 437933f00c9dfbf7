/* SPDX-License-Identifier: MIT */
/*
 * PPUB: the native binary, as ppu-cc and ppu-as write it and the runtime loads it.
 *
 * A file is a header, a section table and sections, little-endian.  One file is one module: one
 * code section (instruction indices are relative to its start), data for global and constant
 * variables, symbols, relocations, line table, strings.  Linking concatenates code and data of
 * several modules and resolves symbols by name; a linked image has no undefined symbol left.
 * Addresses of variables and of the image are known only at load time: relocations name the place.
 *
 * The in-memory form is struct ppu_image below; libruntime/compiler/obj has reader, writer, linker.
 */
#ifndef PPU_IMAGE_H
#define PPU_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include <hw/ppu_isa.h>

#define PPUB_MAGIC	0x42555050u	/* "PPUB" */
#define PPUB_VERSION	2

enum ppu_sym_kind {
	PPU_SYM_UNDEF,		/* extern, resolved by linking */
	PPU_SYM_KERNEL,		/* .entry: value = first instruction */
	PPU_SYM_FUNC,		/* .func: value = first instruction */
	PPU_SYM_GLOBAL,		/* variable in global memory: value = offset in the data section */
	PPU_SYM_CONST,		/* the same, read-only for threads by convention */
	PPU_SYM_SHARED,		/* shared variable: value = offset in shared memory */
};
#define PPU_SYMF_GLOBAL	(1u << 0)	/* visible to other modules */
#define PPU_SYMF_WEAK	(1u << 1)
#define PPU_SYMF_MANAGED (1u << 2)
#define PPU_SYMF_QUEUE	(1u << 3)	/* kernels: may put work into a device-owned queue (ppu_image_finish) */
/*
 * Shared variables: ppu_image_finish() chooses the place, which depends on the kernels that can reach code
 * which names the variable.  A variable of size 0 is dynamic shared memory, and so is a variable that no module
 * defines.
 */
#define PPU_SYMF_MOVABLE (1u << 4)

/* One kernel parameter: its place in parameter memory. */
struct ppu_param {
	uint32_t offset, size, align;
};

struct ppu_symbol {
	char *name;
	uint32_t kind, flags;
	uint64_t value, size;
	uint32_t align;
	/* kernels and functions */
	uint32_t num_insns;
	uint32_t regs;		/* registers per thread that the code uses; kernels: with callees */
	uint32_t frame_bytes;	/* local memory of its own frame */
	uint32_t local_bytes;	/* kernels: local memory per thread with callees; recursive: at least */
	uint32_t shared_bytes;	/* kernels: static shared memory, with callees; set by ppu_image_finish() */
	uint32_t shared_fixed;	/* part of shared_bytes, from offset 0, that is not of movable variables */
	uint32_t barriers;	/* kernels: highest barrier number used + 1 */
	uint32_t max_threads;	/* kernels: .maxntid/.reqntid product, 0 none */
	uint32_t reqntid[3];	/* .reqntid, 0 none */
	uint32_t param_bytes, num_params;
	struct ppu_param *params;
	uint32_t recursive;	/* 1: uses the whole local memory of the context as stack */
	uint32_t cluster;	/* kernels: CTAs of a cluster as in a TMD, PPU_SYM_CLUSTER_*; 0: launches may say it */
};

#define PPU_SYM_CLUSTER_DIMS(c)		((c) & 0xffffff)
#define PPU_SYM_CLUSTER_MOST(n)		((uint32_t)(n) << 24)	/* .maxclusterrank; 0: not said */
#define PPU_SYM_CLUSTER_MOST_OF(c)	((c) >> 24 & 0x7f)
#define PPU_SYM_CLUSTER_EXPLICIT	(1u << 31)		/* a launch must say it */

enum ppu_reloc_kind {
	PPU_REL_CODE_ABS64,	/* MOVI64 at instruction `where`: imm64 = VA of symbol + addend */
	PPU_REL_CODE_PC,	/* imm of the instruction at `where` = instruction index of a function */
	PPU_REL_CODE_PC64,	/* MOVI64: imm64 = instruction index of a function */
	PPU_REL_CODE_SHARED,	/* imm = offset of a shared symbol + addend */
	PPU_REL_DATA_ABS64,	/* 8 data bytes at offset `where` = VA of symbol + addend */
	PPU_REL_DATA_PC64,	/* 8 data bytes = instruction index of a function */
};

struct ppu_reloc {
	uint32_t kind, symbol;	/* index into symbols */
	uint64_t where;
	int64_t addend;
};

struct ppu_line {	/* instructions [pc, next entry's pc) come from file:line */
	uint32_t pc, file, line, column;
};

/*
 * What a debugger needs of a module: its DWARF sections, as compilers put them into PTX.  They know nothing of the PPU's code,
 * so a 64-bit word of theirs that names something is (kind << PPU_DEBUG_KIND | number) here.
 *
 * Places in the PTX are marks: the number of labels up to there.  A range between two labels is a range of marks, and each
 * instruction comes from one.  PTX registers that the sections name have a copy in the frame, as all memory of a function.
 */
#define PPU_DEBUG_KIND	56
enum ppu_debug_kind {
	PPU_DEBUG_MARK = 1,	/* a label: its mark */
	PPU_DEBUG_FRAME,	/* a .local variable: its offset from the stack pointer */
	PPU_DEBUG_PARAM,	/* a kernel's parameter: its offset in parameter memory */
	PPU_DEBUG_NAME,		/* another variable: index into names */
};

enum ppu_debug_section { PPU_DEBUG_INFO, PPU_DEBUG_ABBREV, PPU_DEBUG_STR, PPU_DEBUG_LOC, PPU_DEBUG_SECTIONS };

struct ppu_debug_mark {		/* instructions [pc, next entry's pc) of a function come from mark */
	uint32_t pc, mark;
};

struct ppu_debug_home {		/* the copy of a PTX register, for instructions [first, end) */
	char *name;
	uint32_t first, end, offset, bytes;
};

struct ppu_debug {
	uint8_t *section[PPU_DEBUG_SECTIONS];
	uint32_t bytes[PPU_DEBUG_SECTIONS];
	struct ppu_debug_mark *marks;
	struct ppu_debug_home *homes;
	char **names;
	uint32_t num_marks, num_homes, num_names;
};

/* An image belongs to its user.  Every pointer in it is malloc'ed; ppu_image_free() frees all. */
struct ppu_image {
	struct ppu_insn *code;
	uint32_t num_insns;
	uint8_t *data;		/* initial contents of globals and constants; the rest zero */
	uint64_t data_bytes, data_align;
	uint32_t num_symbols, num_relocs, num_lines, num_files;
	struct ppu_symbol *symbols;
	struct ppu_reloc *relocs;
	struct ppu_line *lines;
	char **files;
	uint32_t shared_module_bytes;	/* shared variables that are not movable, included in shared_fixed */
	struct ppu_debug *debug;	/* NULL: none; only ppu_ptx_compile() with the option debug makes it, files have none */
};

/* Messages of compiler, assembler, linker: text with file:line:column, NUL-terminated, malloc'ed. */
struct ppu_log {
	char *text;
	size_t len, cap;
	unsigned errors, warnings;
};
void ppu_log_init(struct ppu_log *log);
void ppu_log_free(struct ppu_log *log);
void ppu_log_printf(struct ppu_log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Functions on images.  Those that return int return 0 or a negative errno: -EINVAL for input that is refused,
 * which messages in the log explain, and -ENOMEM.  A log is initialised by its user, collects the messages of several
 * calls, and may be NULL.  Calls on different images and logs may run in different threads.
 */
/* An empty image; NULL: no memory. */
struct ppu_image *ppu_image_new(void);
void ppu_image_free(struct ppu_image *img);
/* Write an image into malloc'ed bytes; read and check bytes, which may be hostile, into a new image. */
int ppu_image_write(const struct ppu_image *img, uint8_t **bytes, size_t *len);
int ppu_image_read(const uint8_t *bytes, size_t len, struct ppu_image **img, struct ppu_log *log);
/* Append src to dst and resolve symbols by name; src stays the caller's and does not change. */
int ppu_image_link(struct ppu_image *dst, const struct ppu_image *src, struct ppu_log *log);

/*
 * A library of device code: ppu_image_finish() takes from it what an image lacks.  Functions are
 * known by name, modules by number.
 */
struct ppu_library {
	unsigned num_modules;
	/* Which module defines a function; num_modules: none. */
	unsigned (*find)(const char *function);
	/* A module as an image, which becomes the caller's.  0 or negative errno. */
	int (*image)(unsigned module, struct ppu_image **img, struct ppu_log *log);
	/* Is it one of the functions that put work into a device-owned queue? */
	int (*is_queue)(const char *function);
	/* The function in which threads end, in kernels that can call one of these functions.  It counts threads,
	 * because the last thread that ends also ends the launch. */
	const char *queue_exit;
	/* Kernels that can reach this function get thread_slot_bytes more bytes of local memory. */
	const char *thread_slot;
	uint32_t thread_slot_bytes;
};
/* The library that comes with the runtime (libruntime/compiler/devlib). */
extern const struct ppu_library ppu_device_library;

/*
 * Link in the missing functions that the library has, check that nothing undefined is left, and compute what each
 * kernel needs with all functions that it can call.  Without a library (NULL), a missing function is an error.
 */
int ppu_image_finish(struct ppu_image *img, const struct ppu_library *lib, struct ppu_log *log);
/* The symbol of that name, a definition before an undefined one; NULL: there is none. */
struct ppu_symbol *ppu_image_find(const struct ppu_image *img, const char *name);

/* Assemble len bytes of text into a new image; file: the name in messages, NULL: "<text>". */
int ppu_assemble(const char *text, size_t len, const char *file, struct ppu_image **img,
		 struct ppu_log *log);
/* Write one instruction as text into buf, cut to cap - 1 characters and a NUL; returns the length of that text. */
size_t ppu_disasm_insn(const struct ppu_insn *insn, uint32_t pc, char *buf, size_t cap);
/* A whole image as malloc'ed, NUL-terminated text, from which ppu_assemble() makes the same image again. */
int ppu_disassemble(const struct ppu_image *img, char **text);
/* 0 if the device's decoder accepts the instruction, else -EINVAL and a static sentence in *why; why may be NULL. */
int ppu_insn_check(const struct ppu_insn *insn, const char **why);

/* Options of the PTX compiler; zeroed: the defaults. */
struct ppu_ptx_options {
	uint32_t max_regs;	/* 0: 255 */
	uint32_t no_yield;	/* do not insert YIELD (negative tests) */
	const char *print_after;/* pass name, "all" or NULL: prints the IR to print_to */
	void *print_to;		/* FILE * */
	uint32_t opt_level;	/* 0: default 2 */
	uint32_t verify;	/* run the IR verifier after each pass */
	uint32_t debug;		/* PTX with debug sections: keep them (ppu_image.debug), and translate so that they are true */
};
/*
 * Compile len bytes of PTX into a new image, which may need ppu_image_finish().  file: the name in messages, NULL:
 * "ptx"; opt NULL: the defaults.  The compiler has no global state and may run in several threads.
 */
int ppu_ptx_compile(const char *text, size_t len, const char *file,
		    const struct ppu_ptx_options *opt, struct ppu_image **img, struct ppu_log *log);

/* Names of the points where print_after can print, in order; NULL past the last. */
const char *ppu_ptx_pass(unsigned index);

#endif
