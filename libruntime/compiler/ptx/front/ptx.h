/* SPDX-License-Identifier: MIT */
/*
 * The front end: modifiers, opcodes and types of PTX, symbols, one parsed instruction.
 *
 * An instruction's modifiers are kept as a set (any order is taken) plus the types in the order
 * written.  Each opcode's row in PX_OPS (lower/lower.h) names the modifiers it accepts; any other one
 * is an error, so that nothing is ever silently ignored.
 */
#ifndef PX_PTX_H
#define PX_PTX_H

#include "compiler/ptx/front/lex.h"
#include "compiler/ptx/ir/ir.h"

/* Types: name, text, bits, ISA type. */
#define PX_TYPES(T) \
T(B8, "b8", 8, U8) T(B16, "b16", 16, U16) T(B32, "b32", 32, U32) T(B64, "b64", 64, U64) \
T(B128, "b128", 128, B128) T(U8, "u8", 8, U8) T(U16, "u16", 16, U16) T(U32, "u32", 32, U32) \
T(U64, "u64", 64, U64) T(S8, "s8", 8, S8) T(S16, "s16", 16, S16) T(S32, "s32", 32, S32) \
T(S64, "s64", 64, S64) T(F16, "f16", 16, F16) T(F16X2, "f16x2", 32, F16X2) \
T(BF16, "bf16", 16, BF16) T(BF16X2, "bf16x2", 32, BF16X2) T(F32, "f32", 32, F32) \
T(F64, "f64", 64, F64) T(PRED, "pred", 1, NONE) T(U16X2, "u16x2", 32, U32) T(S16X2, "s16x2", 32, S32) \
T(F32X2, "f32x2", 64, U64)

/* Other modifiers: name, text. */
#define PX_MODS(M) \
M(rn, "rn") M(rz, "rz") M(rm, "rm") M(rp, "rp") M(rni, "rni") M(rzi, "rzi") M(rmi, "rmi") \
M(rpi, "rpi") M(rna, "rna") M(ftz, "ftz") M(sat, "sat") M(satfinite, "satfinite") \
M(relu, "relu") M(approx, "approx") M(full, "full") M(noftz, "noftz") M(xorsign, "xorsign") \
M(hi, "hi") M(lo, "lo") M(wide, "wide") M(cc, "cc") M(v2, "v2") M(v4, "v4") M(v8, "v8") \
M(reg, "reg") M(sreg, "sreg") M(const, "const") M(global, "global") M(local, "local") \
M(param, "param") M(shared, "shared") M(shared_cta, "shared::cta") \
M(shared_cluster, "shared::cluster") M(param_entry, "param::entry") M(param_func, "param::func") \
M(tex_space, "tex") M(generic, "generic") \
M(ca, "ca") M(cg, "cg") M(cs, "cs") M(lu, "lu") M(cv, "cv") M(wb, "wb") M(wt, "wt") \
M(nc, "nc") M(L1, "L1") M(L2, "L2") M(L1_normal, "L1::evict_normal") \
M(L1_unchanged, "L1::evict_unchanged") M(L1_first, "L1::evict_first") \
M(L1_last, "L1::evict_last") M(L1_none, "L1::no_allocate") M(L2_first, "L2::evict_first") \
M(L2_last, "L2::evict_last") M(L2_normal, "L2::evict_normal") M(L2_hint, "L2::cache_hint") \
M(L2_unchanged, "L2::evict_unchanged") M(fractional, "fractional") M(range, "range") \
M(L2_64, "L2::64B") M(L2_128, "L2::128B") M(L2_256, "L2::256B") \
M(weak, "weak") M(volatile, "volatile") M(relaxed, "relaxed") M(acquire, "acquire") \
M(release, "release") M(acq_rel, "acq_rel") M(sc, "sc") M(mmio, "mmio") M(unified, "unified") \
M(cta, "cta") M(cluster, "cluster") M(gpu, "gpu") M(gl, "gl") M(sys, "sys") M(proxy, "proxy") \
M(alias, "alias") M(async, "async") \
M(eq, "eq") M(ne, "ne") M(lt, "lt") M(le, "le") M(gt, "gt") M(ge, "ge") M(ls, "ls") M(hs, "hs") \
M(equ, "equ") M(neu, "neu") M(ltu, "ltu") M(leu, "leu") M(gtu, "gtu") M(geu, "geu") \
M(num, "num") M(nan, "nan") M(NaN, "NaN") M(abs, "abs") \
M(and, "and") M(or, "or") M(xor, "xor") M(add, "add") M(min, "min") M(max, "max") \
M(inc, "inc") M(dec, "dec") M(exch, "exch") M(cas, "cas") M(popc, "popc") \
M(to, "to") M(uni, "uni") M(sync, "sync") M(arrive, "arrive") M(red, "red") M(warp, "warp") \
M(aligned, "aligned") M(all, "all") M(any, "any") M(ballot, "ballot") M(up, "up") \
M(down, "down") M(bfly, "bfly") M(idx, "idx") M(l, "l") M(r, "r") M(wrap, "wrap") \
M(clamp, "clamp") M(f4e, "f4e") M(b4e, "b4e") M(rc8, "rc8") M(ecl, "ecl") M(ecr, "ecr") \
M(rc16, "rc16") M(shiftamt, "shiftamt") M(finite, "finite") M(infinite, "infinite") \
M(number, "number") M(notanumber, "notanumber") M(normal, "normal") M(subnormal, "subnormal") \
M(level, "level") M(tf32, "tf32") M(a, "a") M(c, "c") M(d, "d") M(load, "load") \
M(store, "store") M(mma, "mma") M(row, "row") M(col, "col") M(m16n16k16, "m16n16k16") \
M(m32n8k16, "m32n8k16") M(m16n8k8, "m16n8k8") M(m16n8k16, "m16n8k16") M(m8n8, "m8n8") \
M(x1, "x1") M(x2, "x2") M(x4, "x4") M(trans, "trans") M(commit_group, "commit_group") \
M(wait_group, "wait_group") M(wait_all, "wait_all") M(m8n32k16, "m8n32k16") M(1d, "1d") \
M(2d, "2d") M(3d, "3d") M(a1d, "a1d") M(a2d, "a2d") M(grad, "grad") M(base, "base") M(b, "b") \
M(trap, "trap") M(zero, "zero") M(width, "width") M(height, "height") M(depth, "depth") \
M(array_size, "array_size") M(normalized_coords, "normalized_coords") M(wait, "wait") \
M(launch_dependents, "launch_dependents") M(mask, "mask") M(init, "init") M(inval, "inval") \
M(arrive_drop, "arrive_drop") M(test_wait, "test_wait") M(try_wait, "try_wait") \
M(expect_tx, "expect_tx") M(complete_tx, "complete_tx") M(pending_count, "pending_count") \
M(noComplete, "noComplete") M(parity, "parity") M(noinc, "noinc") M(mbarrier, "mbarrier") \
M(mbarrier_init, "mbarrier_init") M(bulk, "bulk") M(bulk_group, "bulk_group") M(read, "read") \
M(mbar_complete, "mbarrier::complete_tx::bytes") M(prefetch_, "prefetch") M(shr7, "shr7") M(shr15, "shr15") \
M(po, "po")

enum px_type {
	PT_NONE,
#define T(name, text, bits, isa) PT_##name,
	PX_TYPES(T)
#undef T
	PT_COUNT
};

enum px_mod {		/* types come first and share their numbers */
	PM_TYPES = PT_COUNT - 1,
#define M(name, text) PM_##name,
	PX_MODS(M)
#undef M
	PM_COUNT
};

unsigned px_type_bits(unsigned pt);
unsigned px_isa_type(unsigned pt);	/* PPU_T_* */
const char *px_type_text(unsigned pt);
bool px_type_float(unsigned pt);
bool px_type_signed(unsigned pt);
unsigned px_bits_width(unsigned pt);	/* machine registers of a value; 0 predicate */

enum px_sym_kind {
	SY_REG,		/* one register */
	SY_REGS,	/* prefix<count>: registers are made on first use */
	SY_VAR,		/* memory variable */
	SY_FUNC,	/* .entry or .func */
	SY_LABEL,
	SY_PROTO,	/* .callprototype */
	SY_TARGETS,	/* .branchtargets, .calltargets */
};

enum px_space {
	SP_GLOBAL, SP_CONST, SP_SHARED, SP_LOCAL,
	SP_KPARAM,	/* parameter of a kernel */
	SP_FPARAM,	/* parameter or result of a function, formal or of a call */
};

struct px_var {
	uint8_t space;
	uint8_t type;		/* of one element */
	uint64_t size;		/* bytes; 0 unsized extern array */
	uint32_t align;
	bool is_array;
	bool is_extern;		/* shared: dynamic */
	uint32_t symbol;	/* GLOBAL, CONST, SHARED: image symbol */
	uint32_t offset;	/* KPARAM: in parameter memory */
	uint32_t slot;		/* LOCAL; FPARAM in memory: frame slot */
	px_val val;		/* FPARAM in registers */
	bool bound;		/* FPARAM of a call: the outgoing offset is chosen */
	bool formal;
	bool spilled;		/* FPARAM: its address was taken, slot holds a copy */
};

struct px_proto {		/* formal or prototype parameters, results first */
	struct px_sym **rets, **params;
	uint32_t num_rets, num_params, cap_rets, cap_params;
	bool noreturn;
};

struct px_sym {
	uint8_t kind;
	uint8_t type;		/* registers */
	struct px_str *name;
	struct px_sym *outer;	/* hidden symbol of the same name */
	struct px_sym *scope_next;
	uint32_t depth;
	struct px_loc loc;
	px_val val;		/* SY_REG */
	uint32_t count;		/* SY_REGS */
	uint32_t vtype;		/* vector registers: 1, 2, 4 */
	px_val velem[4];
	struct px_var *var;
	/* functions */
	bool is_kernel, has_body;
	uint32_t symbol;
	struct px_proto *proto;
	/* labels and target lists */
	struct px_block *block;
	bool defined;
	struct px_str **list;
	uint32_t num_list, cap_list;
};

enum px_opn_kind {
	OP_REG, OP_IMM, OP_FLOAT, OP_SREG, OP_SYM, OP_ADDR, OP_VEC, OP_SINK, OP_NAME,
};

/* One operand as written. */
struct px_opn {
	uint8_t kind;
	uint8_t type;		/* register's declared type */
	bool neg;		/* !p */
	bool single;		/* OP_FLOAT: 0f bits in imm, else 0d bits */
	bool has_base;		/* OP_ADDR: register base */
	struct px_loc loc;
	px_val v;
	int64_t imm;		/* value, offset */
	struct px_sym *sym;	/* OP_SYM, OP_ADDR */
	struct px_str *name;	/* OP_NAME: not declared (yet) */
	unsigned sreg;
	struct px_opn *vec;	/* OP_VEC */
	uint32_t nvec;
	struct px_opn *pipe;	/* d|p */
	struct px_str *part;	/* video instructions: "b0" of a.b0 */
};

#define PX_MAX_OPNS	10

struct px_inst {
	struct px_str *name;
	struct px_loc loc;
	unsigned op;		/* enum px_opcode */
	uint64_t mods[(PM_COUNT + 63) / 64];
	uint8_t types[4];
	unsigned num_types;
	unsigned num_mods;
	struct px_opn guard;	/* kind OP_REG when there is one, v = 0: none */
	struct px_opn o[PX_MAX_OPNS];
	unsigned n;
};

static inline bool px_has(const struct px_inst *i, unsigned mod)
{
	return i->mods[mod / 64] >> (mod % 64) & 1;
}

struct px_reloc_ref {		/* initialiser that names a symbol defined later */
	struct px_str *name;
	struct px_loc loc;
	uint64_t where;
	int64_t addend;
};

struct px_alias {
	uint32_t from, to;	/* image symbols */
};

struct px_module {
	struct px *px;
	struct px_alias *aliases;
	uint32_t num_aliases, cap_aliases;
	struct px_sym *reserved;	/* see px_reserved_shared() */
	struct px_lex lex;
	struct px_sym *scope[64];	/* symbols by depth, for popping */
	uint32_t depth;
	struct px_func *func;	/* being compiled, or NULL */
	struct px_sym *func_sym;
	struct px_block *cur;	/* instructions go here */
	px_val cc;		/* carry flag of the function */
	struct px_block *ret_block;	/* functions return through one block */
	uint32_t line, file, col;	/* from .loc */
	struct px_loc src;	/* of the instruction at hand */
	/* image */
	struct ppu_symbol *syms;
	uint32_t num_syms, cap_syms;
	struct ppu_reloc *relocs;
	uint32_t num_relocs, cap_relocs;
	struct ppu_line *lines;
	uint32_t num_lines, cap_lines;
	char **files;
	uint32_t num_files, cap_files;
	uint32_t *file_ids;	/* PTX file number of files[i] */
	uint32_t num_file_ids, cap_file_ids;
	uint8_t *data;
	uint64_t data_bytes, data_cap, data_align;
	struct ppu_insn *code;
	uint32_t num_insns, cap_insns;
	struct px_reloc_ref *late;
	uint32_t num_late, cap_late;
	/* shared memory: module part first, each kernel's own part after it */
	uint32_t shared_module, shared_kernel, shared_align;
	uint32_t *own_shared;	/* symbols of kernels' own variables */
	uint32_t num_own_shared, cap_own_shared;
	bool seen_target;
	/* the kernel being compiled */
	uint32_t maxntid[3], reqntid[3], minnctas, maxnreg;
};

/* Module level (parse.c, decl.c). */
void px_parse_module(struct px_module *m, const char *text, size_t len);
bool px_accept(struct px_module *m, unsigned kind);
bool px_expect(struct px_module *m, unsigned kind, const char *what);
void px_skip_statement(struct px_module *m);
void px_parse_reg(struct px_module *m);
bool px_is_var_space(struct px_str *s);
struct px_sym *px_parse_var(struct px_module *m, bool is_extern, bool is_weak, bool visible);
struct px_sym *px_parse_param(struct px_module *m, unsigned space);
void px_resolve_late(struct px_module *m);
uint32_t px_image_symbol(struct px_module *m, const char *name, unsigned kind);
uint32_t px_find_symbol(struct px_module *m, const char *name);
/* Shared memory of a module that reads %reserved_smem_offset_*, one variable for all its functions. */
#define PX_RESERVED_SHARED	1024u
struct px_sym *px_reserved_shared(struct px_module *m);
int64_t px_const_expr(struct px_module *m);
int64_t px_const_count(struct px_module *m);	/* one that ends at a '>' */
int64_t px_const_after_minus(struct px_module *m);	/* whose first '-' has been read */
void px_new_var(struct px_module *m, struct px_var *v);

/* Symbols (sym.c). */
struct px_sym *px_declare(struct px_module *m, struct px_str *name, unsigned kind, struct px_loc loc);
struct px_sym *px_lookup(struct px_module *m, struct px_str *name);
void px_push_scope(struct px_module *m);
void px_pop_scope(struct px_module *m);
struct px_sym *px_label_ref(struct px_module *m, struct px_str *name, struct px_loc loc);
void px_label_def(struct px_module *m, struct px_str *name, struct px_loc loc);

/* Instructions (inst.c parses one, lower/ translates). */
void px_parse_inst(struct px_module *m);
bool px_parse_opn(struct px_module *m, struct px_opn *o);
void px_init_names(struct px *px);

/* Functions (passes.c): everything after the body is parsed. */
void px_compile_func(struct px_module *m);

#endif
