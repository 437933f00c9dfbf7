/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * PPU instruction set.  One 128-bit instruction, little-endian, two 64-bit words lo and hi.
 *
 *   lo  7:0   opcode                    hi 31:0   imm: 32-bit immediate, branch target (22 bits),
 *       11:8  guard predicate (15 = PT)           or signed memory offset
 *       12    guard negated                35:32  pd: predicate destination (15 = none)
 *       20:13 d: destination register      39:36  pe: second predicate destination (15 = none)
 *       28:21 a: source register           43:40  ps: predicate source (15 = PT, true)
 *       36:29 b: source register           44     psn: ps negated
 *       44:37 c: source register           45     bi: operand b is imm (else register b)
 *       49:45 t: type (PPU_T_*)            46     ci: operand c is imm (else register c)
 *       54:50 u: second type / sub-op      47     na: a negated          48 nb: b negated
 *       56:55 rnd: rounding (PPU_RND_*)    49     nc: c negated
 *       57    ftz                          50     aa: |a|                51 ab: |b|
 *       58    sat                          55:52  x: extra modifier, 4 bits
 *       63:59 m: 5-bit modifier            63:56  y: extra modifier, 8 bits
 *
 * Every bit is in a field; a field that an instruction's format does not use must be zero, except
 * that an unused register field is 255 (RZ) or 0 alike, guard "always" is PT not negated, and
 * unused pd/pe/ps are 15.  The decoder rejects everything else (PPU_ERR_ILLEGAL_INSN).
 * MOVI64 alone uses all of hi as a 64-bit immediate (its predicates do not exist).
 *
 * Registers: R0..R254 are 32 bits per lane; RZ (255) reads 0, ignores writes.  A 64-bit operand is
 * the pair Rn (low), Rn+1 (high), n <= 253, any n; RZ stands for a 64-bit zero.  128-bit and
 * vector memory operands are consecutive registers.  Values of 8 and 16 bits live in the low bits
 * of a register; producers of u8/u16 types zero-extend to 32 bits, of s8/s16 types sign-extend,
 * consumers look at the low bits only.  f16 and bf16 in the low 16 bits (upper bits written 0);
 * f16x2 and bf16x2: low half = element 0.
 * Predicates: P0..P14 one bit per lane; PT (15) is always true and ignores writes.
 *
 * Immediates in operand b or c (bi, ci; never both, except SHFL): the 32 bits are the value for 8/16/32-bit types
 * (f32: its bits; f16: low 16 bits; f16x2: both halves), sign-extended for s64/u64/b64, and the
 * upper half of the value (lower half zero) for f64.
 *
 * R1 is the stack pointer by convention: at warp start the device writes the thread's local memory
 * size into R1; all other registers and predicates start as 0.
 *
 * PPU_ISA(): id, opcode, mnemonic, format, types, execution class, sentence.  Formats and the fields
 * they use: PPU_FORMATS().  Types: PPU_TS_* bit masks of legal t.  Assembler syntax, decoder,
 * disassembler, checker and docs come from these lists.
 */
#ifndef PPU_HW_ISA_H
#define PPU_HW_ISA_H

#include <linux/types.h>

struct ppu_insn {
	__u64 lo, hi;
};
#define PPU_INSN_BYTES		16
#define PPU_PC_BITS		22
#define PPU_PC_MAX		((1u << PPU_PC_BITS) - 1)
#define PPU_RZ			255
#define PPU_SP			1
#define PPU_PT			15
#define PPU_NUM_REGS		255	/* R0..R254 */
#define PPU_NUM_PREDS		15	/* P0..P14 */

/* Fields: name, word (0 lo, 1 hi), lowest bit, width. */
#define PPU_FIELDS(F) \
F(OP, 0, 0, 8)   F(GP, 0, 8, 4)   F(GN, 0, 12, 1)  F(D, 0, 13, 8)   F(A, 0, 21, 8) \
F(B, 0, 29, 8)   F(C, 0, 37, 8)   F(T, 0, 45, 5)   F(U, 0, 50, 5)   F(RND, 0, 55, 2) \
F(FTZ, 0, 57, 1) F(SAT, 0, 58, 1) F(M, 0, 59, 5) \
F(IMM, 1, 0, 32) F(PD, 1, 32, 4)  F(PE, 1, 36, 4)  F(PS, 1, 40, 4)  F(PSN, 1, 44, 1) \
F(BI, 1, 45, 1)  F(CI, 1, 46, 1)  F(NA, 1, 47, 1)  F(NB, 1, 48, 1)  F(NC, 1, 49, 1) \
F(AA, 1, 50, 1)  F(AB, 1, 51, 1)  F(X, 1, 52, 4)   F(Y, 1, 56, 8)

enum ppu_field {
#define F(name, word, low, width) PPU_F_##name,
	PPU_FIELDS(F)
#undef F
	PPU_F_COUNT
};
enum {
#define F(name, word, low, width) \
	PPU_FW_##name = (word), PPU_FS_##name = (low), PPU_FN_##name = (width),
	PPU_FIELDS(F)
#undef F
};
#define PPU_FIELD_MASK(f)	((1ull << PPU_FN_##f) - 1)
#define PPU_GET(insn, f) \
	((__u32)(((PPU_FW_##f ? (insn)->hi : (insn)->lo) >> PPU_FS_##f) & PPU_FIELD_MASK(f)))
#define PPU_SET(insn, f, v) do { \
	__u64 *w_ = PPU_FW_##f ? &(insn)->hi : &(insn)->lo; \
	*w_ = (*w_ & ~(PPU_FIELD_MASK(f) << PPU_FS_##f)) | \
	      (((__u64)(v) & PPU_FIELD_MASK(f)) << PPU_FS_##f); \
} while (0)

/* Types: name, code, bits, suffix in assembler. */
#define PPU_TYPES(T) \
T(NONE, 0, 0, "")     T(U8, 1, 8, "u8")     T(S8, 2, 8, "s8")    T(U16, 3, 16, "u16") \
T(S16, 4, 16, "s16")  T(U32, 5, 32, "u32")  T(S32, 6, 32, "s32") T(U64, 7, 64, "u64") \
T(S64, 8, 64, "s64")  T(F16, 9, 16, "f16")  T(F16X2, 10, 32, "f16x2") T(BF16, 11, 16, "bf16") \
T(BF16X2, 12, 32, "bf16x2") T(F32, 13, 32, "f32") T(F64, 14, 64, "f64") T(B128, 15, 128, "b128")

enum ppu_type {
#define T(name, code, bits, suffix) PPU_T_##name = (code),
	PPU_TYPES(T)
#undef T
	PPU_T_COUNT = 16
};
#define PPU_TBIT(t)	(1u << PPU_T_##t)
#define PPU_TS_NONE	PPU_TBIT(NONE)
#define PPU_TS_I16	(PPU_TBIT(U16) | PPU_TBIT(S16))
#define PPU_TS_I32	(PPU_TBIT(U32) | PPU_TBIT(S32))
#define PPU_TS_I64	(PPU_TBIT(U64) | PPU_TBIT(S64))
#define PPU_TS_I8	(PPU_TBIT(U8) | PPU_TBIT(S8))
#define PPU_TS_INT	(PPU_TS_I16 | PPU_TS_I32 | PPU_TS_I64)
#define PPU_TS_H	(PPU_TBIT(F16) | PPU_TBIT(F16X2) | PPU_TBIT(BF16) | PPU_TBIT(BF16X2))
#define PPU_TS_F	(PPU_TBIT(F32) | PPU_TBIT(F64))
#define PPU_TS_FLT	(PPU_TS_F | PPU_TS_H)
#define PPU_TS_NUM	(PPU_TS_INT | PPU_TS_FLT)
#define PPU_TS_BITS	(PPU_TBIT(U16) | PPU_TBIT(U32) | PPU_TBIT(U64))	/* untyped b16/b32/b64 */
#define PPU_TS_MEM	(PPU_TS_I8 | PPU_TS_I16 | PPU_TS_I32 | PPU_TS_I64)
#define PPU_TS_ATOM	(PPU_TS_I32 | PPU_TS_I64 | PPU_TS_F | PPU_TBIT(F16) | PPU_TBIT(F16X2) | \
			 PPU_TBIT(BF16) | PPU_TBIT(BF16X2) | PPU_TBIT(U16) | PPU_TBIT(B128))
#define PPU_TS_ANY	0xffffu

/* rnd */
#define PPU_RND_RN	0
#define PPU_RND_RZ	1
#define PPU_RND_RM	2	/* toward -inf */
#define PPU_RND_RP	3	/* toward +inf */

/* m of SETP/SET/SLCT: comparison.  When an operand is NaN, ordered comparisons are false, *U ones are true.
 * Integers have EQ..GE only; the type tells the signedness. */
#define PPU_CMPS(C) \
C(EQ, 0, "eq") C(NE, 1, "ne") C(LT, 2, "lt") C(LE, 3, "le") C(GT, 4, "gt") C(GE, 5, "ge") \
C(EQU, 6, "equ") C(NEU, 7, "neu") C(LTU, 8, "ltu") C(LEU, 9, "leu") C(GTU, 10, "gtu") \
C(GEU, 11, "geu") C(NUM, 12, "num") C(NAN, 13, "nan")
enum ppu_cmp {
#define C(name, code, text) PPU_CMP_##name = (code),
	PPU_CMPS(C)
#undef C
	PPU_CMP_COUNT = 14
};
/* x of SETP/SET: how ps (with psn) is combined with the comparison r. */
#define PPU_BOOL_AND	0	/* pd = r & ps, pe = !r & ps; ps = PT: just r */
#define PPU_BOOL_OR	1
#define PPU_BOOL_XOR	2
/* m of PLOP: pd = op(ps, predicate number in a [negated by na]); */
#define PPU_PLOP_AND	0
#define PPU_PLOP_OR	1
#define PPU_PLOP_XOR	2
#define PPU_PLOP_MOV	3	/* pd = ps */

/* m of LD/ST/ATOM: space. */
#define PPU_SPACES(S) \
S(GENERIC, 0, "generic") S(GLOBAL, 1, "global") S(SHARED, 2, "shared") S(LOCAL, 3, "local") \
S(PARAM, 4, "param") S(CONST, 5, "const")
enum ppu_space {
#define S(name, code, text) PPU_SPACE_##name = (code),
	PPU_SPACES(S)
#undef S
	PPU_SPACE_COUNT = 6
};
/* Address: 64-bit register pair a + signed imm for GENERIC, GLOBAL, CONST; 32-bit register a + imm
 * (an offset inside the space) for SHARED, LOCAL, PARAM. */
#define PPU_SPACE_IS_64(s) ((s) == PPU_SPACE_GENERIC || (s) == PPU_SPACE_GLOBAL || (s) == PPU_SPACE_CONST)
/* x of LD/ST: vector length: elements of type t in consecutive registers (64-bit: pairs). */
#define PPU_VEC_1	0
#define PPU_VEC_2	1
#define PPU_VEC_4	2
/* y of LD/ST/ATOM/MEMBAR: bits 2:0 memory order, bits 4:3 scope. */
#define PPU_MO_WEAK		0
#define PPU_MO_VOLATILE	1
#define PPU_MO_RELAXED		2
#define PPU_MO_ACQUIRE		3
#define PPU_MO_RELEASE		4
#define PPU_MO_ACQ_REL		5
#define PPU_MO_SC		6
#define PPU_SCOPE_CTA		(0 << 3)
#define PPU_SCOPE_GPU		(1 << 3)
#define PPU_SCOPE_SYS		(2 << 3)
/* What TESTP asks, in field m: name, number, text.  Zeros are finite, numbers and normal. */
#define PPU_TESTP_CLASSES(C) \
C(FINITE, 0, "finite") C(INFINITE, 1, "infinite") C(NUMBER, 2, "number") C(NOTANUMBER, 3, "notanumber") \
C(NORMAL, 4, "normal") C(SUBNORMAL, 5, "subnormal")
enum ppu_testp_class {
#define C(name, code, text) PPU_TESTP_##name = (code),
	PPU_TESTP_CLASSES(C)
#undef C
	PPU_TESTP_COUNT
};

/* u of ATOM: operation. */
#define PPU_ATOMS(A) \
A(ADD, 0, "add") A(MIN, 1, "min") A(MAX, 2, "max") A(INC, 3, "inc") A(DEC, 4, "dec") \
A(AND, 5, "and") A(OR, 6, "or") A(XOR, 7, "xor") A(EXCH, 8, "exch") A(CAS, 9, "cas")
enum ppu_atom {
#define A(name, code, text) PPU_ATOM_##name = (code),
	PPU_ATOMS(A)
#undef A
	PPU_ATOM_COUNT = 10
};

/* m of SHF */
#define PPU_SHF_L	0	/* bit 0: 0 left 1 right; bit 1: 0 wrap 1 clamp */
#define PPU_SHF_R	1
#define PPU_SHF_CLAMP	2
/* m of PRMT: mode */
#define PPU_PRMT_IDX	0	/* generic */
#define PPU_PRMT_F4E	1
#define PPU_PRMT_B4E	2
#define PPU_PRMT_RC8	3
#define PPU_PRMT_ECL	4
#define PPU_PRMT_ECR	5
#define PPU_PRMT_RC16	6
/* m of VOTE */
#define PPU_VOTE_ALL	0
#define PPU_VOTE_ANY	1
#define PPU_VOTE_UNI	2
#define PPU_VOTE_BALLOT	3
/* m of SHFL */
#define PPU_SHFL_UP	0
#define PPU_SHFL_DOWN	1
#define PPU_SHFL_BFLY	2
#define PPU_SHFL_IDX	3
/* m of MATCH */
#define PPU_MATCH_ANY	0
#define PPU_MATCH_ALL	1
/* m of BAR */
#define PPU_BAR_SYNC	0
#define PPU_BAR_ARRIVE	1
#define PPU_BAR_RED_POPC 2
#define PPU_BAR_RED_AND	3
#define PPU_BAR_RED_OR	4
/* m of the approximate functions */
#define PPU_FN_FULL	0	/* correctly rounded by rnd */
#define PPU_FN_APPROX	1	/* within PTX's error bound */
/* y of CVT: rounding to integer, or 0 */
#define PPU_CVT_RINT	1	/* y bit 0: round to integral value in the float type, by rnd */
/* y bit 0 of MIN/MAX: NaN-propagating (.NaN) */
#define PPU_MINMAX_NAN	1
/* m bits of ADD/SUB/MAD carry forms (integer types u32/s32/u64/s64) */
#define PPU_CARRY_OUT	1	/* pd = carry (SUB: borrow) out */
#define PPU_CARRY_IN	2	/* add ps (SUB: subtract ps) */

/*
 * Divergence tokens (SIMT-22..SIMT-24).
 */
#define PPU_TOK_TYPE(t)		((__u32)((t) & 0xf))
#define PPU_TOK_MASK(t)		((__u32)((t) >> 4))
#define PPU_TOK_ADDR(t)		((__u32)((t) >> 36) & PPU_PC_MAX)
#define PPU_TOK_MAKE(type, mask, addr) \
	((__u64)((type) & 0xf) | (__u64)(__u32)(mask) << 4 | (__u64)((addr) & PPU_PC_MAX) << 36)
#define PPU_TOK_TRACK_SYNC	(1ull << 58)
#define PPU_TOK_TRACK_DIV	(1ull << 59)
#define PPU_TOK_TRACK_CALL	(1ull << 60)
#define PPU_TOK_TRACK_YIELD	(1ull << 61)
#define PPU_TOK_TRACK_ALL	(0xfull << 58)
#define PPU_TOK_RESERVED	(3ull << 62)
/* Token types = disable reasons (SIMT-14).  0, too, is a reason like any other; debuggers show it for active lanes. */
#define PPU_REASONS(R) \
R(NONE, 0, "none") R(SYNC, 1, "sync") R(DIV, 2, "div") R(CALL, 3, "call") R(YIELD, 4, "yield") \
R(BRK, 5, "brk") R(CONT, 6, "cont") R(EXIT, 7, "exit") R(LONGJMP, 8, "longjmp") \
R(USER9, 9, "r9") R(USER10, 10, "r10") R(USER11, 11, "r11") R(USER12, 12, "r12") \
R(USER13, 13, "r13") R(USER14, 14, "r14") R(USER15, 15, "r15")
enum ppu_reason {
#define R(name, code, text) PPU_REASON_##name = (code),
	PPU_REASONS(R)
#undef R
};

/* Special registers: name, number, 64-bit?, text. */
#define PPU_SREGS(S) \
S(TID_X, 0, 0, "tid.x") S(TID_Y, 1, 0, "tid.y") S(TID_Z, 2, 0, "tid.z") \
S(NTID_X, 3, 0, "ntid.x") S(NTID_Y, 4, 0, "ntid.y") S(NTID_Z, 5, 0, "ntid.z") \
S(CTAID_X, 6, 0, "ctaid.x") S(CTAID_Y, 7, 0, "ctaid.y") S(CTAID_Z, 8, 0, "ctaid.z") \
S(NCTAID_X, 9, 0, "nctaid.x") S(NCTAID_Y, 10, 0, "nctaid.y") S(NCTAID_Z, 11, 0, "nctaid.z") \
S(LANEID, 12, 0, "laneid") S(WARPID, 13, 0, "warpid") S(NWARPID, 14, 0, "nwarpid") \
S(SMID, 15, 0, "smid") S(NSMID, 16, 0, "nsmid") S(GRIDID, 17, 1, "gridid") \
S(LANEMASK_EQ, 18, 0, "lanemask_eq") S(LANEMASK_LE, 19, 0, "lanemask_le") \
S(LANEMASK_LT, 20, 0, "lanemask_lt") S(LANEMASK_GE, 21, 0, "lanemask_ge") \
S(LANEMASK_GT, 22, 0, "lanemask_gt") S(CLOCK, 23, 0, "clock") S(CLOCK_HI, 24, 0, "clock_hi") \
S(CLOCK64, 25, 1, "clock64") S(GLOBALTIMER, 26, 1, "globaltimer") \
S(ACTIVEMASK, 27, 0, "activemask") S(DEPTH, 28, 0, "depth") S(TMDID, 29, 1, "tmdid") \
S(DYN_SMEM, 30, 0, "dynamic_smem_size") S(TOTAL_SMEM, 31, 0, "total_smem_size") \
S(LOCAL_SIZE, 32, 0, "local_size") S(PRIORITY, 33, 0, "priority") \
S(QUEUE_INDEX, 34, 1, "queue_index") S(ENVREG0, 35, 1, "envreg0") S(ENVREG1, 36, 1, "envreg1") \
S(ENVREG2, 37, 1, "envreg2") S(ENVREG3, 38, 1, "envreg3") S(CTAID_LINEAR, 39, 0, "ctaid_linear") \
S(CONTEXT, 40, 0, "context") S(MAX_DEPTH, 41, 0, "max_depth") \
S(CLUSTER_CTAID_X, 42, 0, "cluster_ctaid.x") S(CLUSTER_CTAID_Y, 43, 0, "cluster_ctaid.y") \
S(CLUSTER_CTAID_Z, 44, 0, "cluster_ctaid.z") S(CLUSTER_NCTAID_X, 45, 0, "cluster_nctaid.x") \
S(CLUSTER_NCTAID_Y, 46, 0, "cluster_nctaid.y") S(CLUSTER_NCTAID_Z, 47, 0, "cluster_nctaid.z") \
S(CLUSTERID_X, 48, 0, "clusterid.x") S(CLUSTERID_Y, 49, 0, "clusterid.y") S(CLUSTERID_Z, 50, 0, "clusterid.z") \
S(NCLUSTERID_X, 51, 0, "nclusterid.x") S(NCLUSTERID_Y, 52, 0, "nclusterid.y") \
S(NCLUSTERID_Z, 53, 0, "nclusterid.z") S(CLUSTER_CTARANK, 54, 0, "cluster_ctarank") \
S(CLUSTER_NCTARANK, 55, 0, "cluster_nctarank") S(IS_EXPLICIT_CLUSTER, 56, 0, "is_explicit_cluster")
enum ppu_sreg {
#define S(name, num, is64, text) PPU_SR_##name = (num),
	PPU_SREGS(S)
#undef S
	PPU_SR_COUNT = 57
};

/*
 * Formats: name, fields used besides OP GP GN (names as in PPU_FIELDS), operand syntax.
 * In the syntax: %d %a %b %c registers (b, c: or #imm), %p pd, %q pe, %s ps, %i imm,
 * %l branch target, %m [a + imm], %S special register, %P predicate number in field a.
 */
#define PPU_FORMATS(F) \
F(N0,    "",                                       "") \
F(D_B,   "D B BI T IMM",                           "%d, %b") \
F(D_I64, "D IMM64",                                "%d, %i") \
F(D_SR,  "D IMM",                                  "%d, %S") \
F(D_A,   "D A T U RND FTZ SAT M NA AA Y",          "%d, %a") \
F(D_AB,  "D A B BI T U RND FTZ SAT M NA NB AA AB X Y IMM", "%d, %a, %b") \
F(D_ABC, "D A B C BI CI T U RND FTZ SAT M NA NB NC X Y IMM", "%d, %a, %b, %c") \
F(CARRY2,"D A B BI T RND FTZ SAT M NA NB AA AB PD PS PSN IMM", "%d, %p, %a, %b, %s") \
F(CARRY3,"D A B C BI CI T RND FTZ SAT M NA NB NC PD PS PSN IMM", "%d, %p, %a, %b, %c, %s") \
F(SEL,   "D A B BI T PS PSN IMM",                  "%d, %a, %b, %s") \
F(SETP,  "PD PE A B BI T FTZ M X PS PSN NA NB AA AB IMM", "%p, %q, %a, %b, %s") \
F(SET,   "D A B BI T U FTZ M X PS PSN NA NB AA AB IMM",   "%d, %a, %b, %s") \
F(PLOP,  "PD A NA PS PSN M",                       "%p, %s, %P") \
F(P2R,   "D IMM",                                  "%d, %i") \
F(R2P,   "A IMM",                                  "%a, %i") \
F(LOAD,  "D A T M X Y IMM",                        "%d, %m") \
F(STORE, "A B T M X Y IMM",                        "%m, %b") \
F(ATOMIC,"D A B C T U M Y IMM",                    "%d, %m, %b, %c") \
F(FENCE, "Y",                                      "") \
F(BR,    "IMM",                                    "%l") \
F(BRI,   "A",                                      "%a") \
F(PUSHL, "X IMM",                                  "%l") \
F(DISL,  "X IMM",                                  "%l") \
F(DIS,   "X",                                      "") \
F(CALL,  "D IMM",                                  "%d, %l") \
F(CALLI, "D A",                                    "%d, %a") \
F(BAR,   "D PD A B BI M PS PSN IMM X",             "%d, %p, %a, %b, %s") \
F(VOTE,  "D PD A M PS PSN X",                      "%d, %p, %a, %s") \
F(SHFL,  "D PD A B BI C CI M X Y IMM",             "%d, %p, %a, %b, %c") \
F(MATCH, "D PD A B T M",                           "%d, %p, %a, %b") \
F(REDUX, "D A B T U",                              "%d, %a, %b") \
F(B_ONLY,"B BI IMM",                               "%b")

enum ppu_format {
#define F(name, fields, syntax) PPU_FMT_##name,
	PPU_FORMATS(F)
#undef F
	PPU_FMT_COUNT
};

/* Execution class (cost and unit). */
enum ppu_xclass { PPU_XC_ALU, PPU_XC_FP64, PPU_XC_SFU, PPU_XC_MEM, PPU_XC_CTRL, PPU_XC_WARP };

#define PPU_ISA(I) \
/* id, opcode, mnemonic, format, types, class, sentence */ \
I(NOP,     0x00, "nop",    N0,     TS_NONE, CTRL, "Nothing.") \
I(MOV,     0x01, "mov",    D_B,    TS_BITS, ALU,  "d = b; u16 zero-extends.") \
I(MOVI64,  0x02, "movi64", D_I64,  TS_NONE, ALU,  "d:d+1 = 64-bit immediate.") \
I(S2R,     0x03, "s2r",    D_SR,   TS_NONE, ALU,  "d = special register (imm = its number); 64-bit ones fill a pair.") \
I(SEL,     0x04, "sel",    SEL,    TS_BITS, ALU,  "d = ps ? a : b.") \
I(ADD,     0x05, "add",    CARRY2, TS_NUM,  ALU,  "d = a + b (+ carry in); s32: sat clamps.") \
I(SUB,     0x06, "sub",    CARRY2, TS_NUM,  ALU,  "d = a - b (- borrow in).") \
I(MUL,     0x07, "mul",    D_AB,   TS_NUM,  ALU,  "d = a * b: low half for integers.") \
I(MULHI,   0x08, "mulhi",  D_AB,   TS_INT,  ALU,  "d = high half of a * b.") \
I(MULW,    0x09, "mulw",   D_AB,   TS_I16 | PPU_TS_I32, ALU, "d = a * b in twice the width.") \
I(MAD,     0x0a, "mad",    CARRY3, TS_INT,  ALU,  "d = low half of a * b, + c (+ carry in).") \
I(MADHI,   0x0b, "madhi",  CARRY3, TS_INT,  ALU,  "d = high half of a * b, + c (+ carry in); s32: sat clamps.") \
I(MADW,    0x0c, "madw",   D_ABC,  TS_I16 | PPU_TS_I32, ALU, "d = a * b in twice the width, + c of that width.") \
I(MUL24,   0x0d, "mul24",  D_AB,   TS_I32,  ALU,  "24-bit product; m 0: bits 31:0, 1: bits 47:16.") \
I(MAD24,   0x0e, "mad24",  D_ABC,  TS_I32,  ALU,  "mul24 + c; m as MUL24; sat with m 1, s32.") \
I(FMA,     0x0f, "fma",    D_ABC,  TS_FLT,  ALU,  "d = a * b + c, rounded once; y bit 0: relu.") \
I(DIV,     0x10, "div",    D_AB,   TS_INT | PPU_TS_F, SFU, "d = a / b; integers: truncate, x / 0 = all ones; m: PPU_FN_*.") \
I(REM,     0x11, "rem",    D_AB,   TS_INT,  SFU,  "d = a rem b, sign of a; x rem 0 = x.") \
I(NEG,     0x12, "neg",    D_A,    TS_NUM,  ALU,  "d = -a.") \
I(ABS,     0x13, "abs",    D_A,    TS_NUM,  ALU,  "d = |a|.") \
I(MIN,     0x14, "min",    D_AB,   TS_NUM,  ALU,  "minimum; y bit 0: NaN propagates; y bit 1: xorsign.abs.") \
I(MAX,     0x15, "max",    D_AB,   TS_NUM,  ALU,  "maximum; y as MIN.") \
I(RCP,     0x16, "rcp",    D_A,    TS_F,    SFU,  "d = 1 / a; m: PPU_FN_*.") \
I(SQRT,    0x17, "sqrt",   D_A,    TS_F,    SFU,  "square root; m: PPU_FN_*.") \
I(RSQRT,   0x18, "rsqrt",  D_A,    TS_F,    SFU,  "1 / square root, approximate.") \
I(SIN,     0x19, "sin",    D_A,    TBIT(F32), SFU, "sine, approximate, radians.") \
I(COS,     0x1a, "cos",    D_A,    TBIT(F32), SFU, "cosine, approximate, radians.") \
I(EX2,     0x1b, "ex2",    D_A,    TBIT(F32) | PPU_TS_H, SFU, "2 to the a, approximate.") \
I(LG2,     0x1c, "lg2",    D_A,    TBIT(F32), SFU, "log base 2, approximate.") \
I(TANH,    0x1d, "tanh",   D_A,    TBIT(F32) | PPU_TS_H, SFU, "hyperbolic tangent, approximate.") \
I(COPYSIGN,0x1e, "copysign",D_AB,  TS_F,    ALU,  "d = |b| with the sign of a.") \
I(TESTP,   0x1f, "testp",  SETP,   TS_F,    ALU,  "pd = class test of a; m 0 finite 1 infinite 2 number 3 notanumber 4 normal 5 subnormal; b = RZ.") \
I(AND,     0x20, "and",    D_AB,   TS_BITS, ALU,  "bitwise and.") \
I(OR,      0x21, "or",     D_AB,   TS_BITS, ALU,  "bitwise or.") \
I(XOR,     0x22, "xor",    D_AB,   TS_BITS, ALU,  "bitwise exclusive or.") \
I(NOT,     0x23, "not",    D_A,    TS_BITS, ALU,  "bitwise complement.") \
I(CNOT,    0x24, "cnot",   D_A,    TS_BITS, ALU,  "d = a == 0.") \
I(LOP3,    0x25, "lop3",   D_ABC,  TBIT(U32), ALU, "any function of three bits; y = truth table as PTX immLut.") \
I(SHL,     0x26, "shl",    D_AB,   TS_BITS, ALU,  "shift left by 32-bit b; amounts >= width give 0.") \
I(SHR,     0x27, "shr",    D_AB,   TS_INT,  ALU,  "shift right by 32-bit b, arithmetic for signed; amounts clamp to the width.") \
I(SHF,     0x28, "shf",    D_ABC,  TBIT(U32), ALU, "funnel shift of the pair (b high, a low) by c; m: PPU_SHF_*.") \
I(BFE,     0x29, "bfe",    D_AB,   TS_I32 | PPU_TS_I64, ALU, "bit field of a at position b 7:0, length b 15:8, as PTX bfe.") \
I(BFI,     0x2a, "bfi",    D_ABC,  TBIT(U32) | PPU_TBIT(U64), ALU, "insert a into b: position c 7:0, length c 15:8, as PTX bfi.") \
I(PRMT,    0x2b, "prmt",   D_ABC,  TBIT(U32), ALU, "byte permute of a, b by selector c; m: PPU_PRMT_*.") \
I(POPC,    0x2c, "popc",   D_A,    TBIT(U32) | PPU_TBIT(U64), ALU, "32-bit count of ones.") \
I(CLZ,     0x2d, "clz",    D_A,    TBIT(U32) | PPU_TBIT(U64), ALU, "32-bit count of leading zeros.") \
I(BFIND,   0x2e, "bfind",  D_A,    TS_I32 | PPU_TS_I64, ALU, "32-bit position of the most significant non-sign bit, ~0 if none; m 1: shift amount.") \
I(BREV,    0x2f, "brev",   D_A,    TBIT(U32) | PPU_TBIT(U64), ALU, "bit reversal.") \
I(BMSK,    0x30, "bmsk",   D_AB,   TBIT(U32), ALU, "b bits set from position a; m 0 clamp, 1 wrap.") \
I(SAD,     0x31, "sad",    D_ABC,  TS_INT,  ALU,  "d = c + |a - b|.") \
I(DP4A,    0x32, "dp4a",   D_ABC,  TS_I32,  ALU,  "4 x 8-bit dot product + c; t = type of a, u = type of b (u32 or s32).") \
I(DP2A,    0x33, "dp2a",   D_ABC,  TS_I32,  ALU,  "2 x (16 x 8 bit) + c; m 0 low, 1 high bytes of b.") \
I(SLCT,    0x34, "slct",   D_ABC,  TS_BITS, ALU,  "d = c >= 0 ? a : b; u = type of c (s32 or f32).") \
I(VABSDIFF4,0x35,"vabsdiff4",D_ABC,TS_I32,  ALU,  "sum of |a - b| over four bytes, + c when m 1; else per byte.") \
I(SETP,    0x38, "setp",   SETP,   TS_NUM,  ALU,  "pd, pe = comparison m of a, b, combined with ps by x.") \
I(SET,     0x39, "set",    SET,    TS_NUM,  ALU,  "d = comparison ? true : 0; u = f32 (1.0), f16, bf16, u32/s32 (all ones).") \
I(PLOP,    0x3a, "plop",   PLOP,   TS_NONE, ALU,  "predicate logic: pd = ps op (predicate a); m: PPU_PLOP_*.") \
I(P2R,     0x3b, "p2r",    P2R,    TS_NONE, ALU,  "d = predicates P0..P14 as bits, and imm.") \
I(R2P,     0x3c, "r2p",    R2P,    TS_NONE, ALU,  "predicates with a bit in imm = bits of a.") \
I(CVT,     0x40, "cvt",    D_A,    TS_ANY,  ALU,  "d (type t) = a (type u); rnd, ftz, sat; y bit 0: round to integral value.") \
I(CVT2,    0x41, "cvt2",   D_AB,   TS_H,    ALU,  "f16x2/bf16x2 d = {a high, b low} from f32; y bit 0 relu.") \
I(CVTA,    0x42, "cvta",   D_A,    TS_NONE, ALU,  "space m: y 0: generic 64-bit d from offset a (32-bit; global/const: 64-bit); y 1: back.") \
I(ISSPACE, 0x43, "isspacep",SETP,  TS_NONE, ALU,  "pd = the generic address a:a+1 lies in space m.") \
I(LD,      0x48, "ld",     LOAD,   TS_MEM | PPU_TBIT(B128), MEM,  "d.. = memory; narrow types extend to 32 bits.") \
I(ST,      0x49, "st",     STORE,  TS_MEM | PPU_TBIT(B128), MEM,  "memory = b...") \
I(ATOM,    0x4a, "atom",   ATOMIC, TS_ATOM, MEM,  "d = old value; memory = op u of it with b (and c: CAS new value). d = RZ: reduction.") \
I(MEMBAR,  0x4b, "membar", FENCE,  TS_NONE, MEM,  "fence, scope and semantics in y.") \
I(PREFETCH,0x4c, "prefetch",LOAD,  TS_NONE, MEM,  "hint; d = RZ.") \
I(TEX,     0x4d, "tex",    D_ABC,  TS_NONE, MEM,  "texture fetch (reserved; illegal unless CAP_FEATURES has TEXTURE).") \
I(BRA,     0x50, "bra",    BR,     TS_NONE, CTRL, "branch; guard decides per lane.") \
I(BRX,     0x51, "brx",    BRI,    TS_NONE, CTRL, "indirect branch to instruction index in a.") \
I(JMP,     0x52, "jmp",    BR,     TS_NONE, CTRL, "as BRA.") \
I(JMX,     0x53, "jmx",    BRI,    TS_NONE, CTRL, "as BRX.") \
I(SSY,     0x54, "ssy",    BR,     TS_NONE, CTRL, "push a sync token for target.") \
I(SYNC,    0x55, "sync",   BR,     TS_NONE, CTRL, "wait at target, or branch there if no token corresponds.") \
I(PBRK,    0x56, "pbrk",   BR,     TS_NONE, CTRL, "push a break token.") \
I(BRK,     0x57, "brk",    BR,     TS_NONE, CTRL, "break.") \
I(PCNT,    0x58, "pcnt",   BR,     TS_NONE, CTRL, "push a continue token.") \
I(CONT,    0x59, "cont",   BR,     TS_NONE, CTRL, "continue.") \
I(PEXIT,   0x5a, "pexit",  BR,     TS_NONE, CTRL, "push an exit token.") \
I(EXIT,    0x5b, "exit",   N0,     TS_NONE, CTRL, "lanes end (or wait for a PEXIT token).") \
I(CAL,     0x5c, "cal",    CALL,   TS_NONE, CTRL, "d = return index; push a call token; go to target.") \
I(CALX,    0x5d, "calx",   CALLI,  TS_NONE, CTRL, "indirect CAL: target index in a.") \
I(RET,     0x5e, "ret",    BRI,    TS_NONE, CTRL, "return to the index in a: wait on the call token, else branch.") \
I(LONGJMP, 0x5f, "longjmp",BR,     TS_NONE, CTRL, "disable with reason LONGJMP; target as SYNC.") \
I(YIELD,   0x60, "yield",  N0,     TS_NONE, CTRL, "give way to other groups of the warp.") \
I(PUSH,    0x61, "push",   PUSHL,  TS_NONE, CTRL, "push a token of type x for target.") \
I(DISABLE, 0x62, "disable",DISL,   TS_NONE, CTRL, "disable lanes with reason x; target as SYNC.") \
I(TRAP,    0x63, "trap",   N0,     TS_NONE, CTRL, "fault PPU_ERR_TRAP.") \
I(BRKPT,   0x64, "brkpt",  N0,     TS_NONE, CTRL, "breakpoint: as NOP unless debugged.") \
I(NANOSLEEP,0x65,"nanosleep",B_ONLY,TS_NONE, CTRL, "warp waits about b ns of device time.") \
I(BAR,     0x68, "bar",    BAR,    TS_NONE, WARP, "CTA barrier: m PPU_BAR_*; number in register a, or with x bit 0 in imm 31:28; thread count b (RZ: all; bi: imm 15:0); RED source ps, result POPC to d, AND/OR to pd.") \
I(WARPSYNC,0x69, "warpsync",B_ONLY,TS_NONE, WARP, "wait for the lanes of mask b.") \
I(VOTE,    0x6a, "vote",   VOTE,   TS_NONE, WARP, "vote on ps over member mask in register a (x 1: the active lanes): all/any/uni to pd, ballot to d.") \
I(SHFL,    0x6b, "shfl",   SHFL,   TS_NONE, WARP, "d, pd = lane exchange of a; b lane or delta (bi: imm 15:0), c PTX clamp word (ci: imm 31:16; both may be immediate); x 0: active lanes, x 1: member mask in register y, x 2: full mask; a source lane that takes no part gives 0.") \
I(MATCH,   0x6c, "match",  MATCH,  TBIT(U32) | PPU_TBIT(U64), WARP, "d = lanes of member mask b with equal a; all: pd.") \
I(REDUX,   0x6d, "redux",  REDUX,  TS_I32,  WARP, "d = reduction (u: PPU_ATOM_ADD, MIN, MAX, AND, OR, XOR) of a over member mask b.") \
I(CLARRIVE,0x6e, "clarrive",N0,    TS_NONE, WARP, "arrive at the barrier of the cluster, without waiting.") \
I(CLWAIT,  0x6f, "clwait", N0,     TS_NONE, WARP, "wait until all threads of the cluster have arrived or ended; they may arrive again then.") \
I(TLAUNCH, 0x70, "tlaunch",D_A,    TS_NONE, CTRL, "device-side launch of the TMD at a:a+1; d = 0 or a PPU_LAUNCH_* error.") \
I(TSYNC,   0x71, "tsync",  D_A,    TS_NONE, CTRL, "wait for children of this thread's CTA; d = error.")

enum ppu_op {
#define I(id, op, mn, fmt, types, xc, doc) PPU_OP_##id = (op),
	PPU_ISA(I)
#undef I
};

#endif
