/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Which 128-bit words are instructions: the check that the device's decoder, the assembler, the
 * compiler and the tests share.  Header only, no dependency but ppu_isa.h.
 *
 *   ppu_isa_check(insn, nregs)   NULL: legal, else a sentence; nregs = registers a thread has
 *   ppu_isa_widths(insn, w)      how many registers operands d, a, b, c take (0: not used)
 *   ppu_isa_max_reg(insn)        highest register number used, -1: none
 *   ppu_isa_info(op)             the row of PPU_ISA() of an opcode, fmt == PPU_FMT_COUNT: none
 *
 * PPU_ISA() and PPU_FORMATS() say which fields exist; PPU_ISA_RULES() below which modifiers an
 * instruction takes.  What no row mentions must be zero.
 */
#ifndef PPU_HW_ISA_CHECK_H
#define PPU_HW_ISA_CHECK_H

#include "ppu_isa.h"

#define PPU_TS_XF	(PPU_TBIT(F32) | PPU_TBIT(F16) | PPU_TBIT(F16X2))
#define PPU_TS_CVT	(PPU_TS_MEM | PPU_TS_F | PPU_TBIT(F16) | PPU_TBIT(BF16))

/*
 * id, legal u (types; 0: must be 0), types for which rnd / ftz / sat / neg and abs of sources are
 * legal, number of legal values of m and of x, legal bits of y, registers of d a b c.
 * Width letters: t by type t; u by type u; w twice the width of t; 1 2 that many; p an address of
 * space m; v a vector of t; s by special register; y, z as CVTA; - not used although in the format.
 * An instruction without a row: no modifiers, widths tttt.
 */
#define PPU_ISA_RULES(R) \
/* id       u                    rnd         ftz                  sat                neg         m  x  y     widths */ \
R(S2R,      0,                   0,          0,                   0,                 0,          0, 0, 0,    "s---") \
R(MOVI64,   0,                   0,          0,                   0,                 0,          0, 0, 0,    "2---") \
R(ADD,      0,                   PPU_TS_F,   PPU_TS_XF,           PPU_TS_XF | PPU_TBIT(S32), PPU_TS_FLT, 4, 0, 0, "tttt") \
R(SUB,      0,                   PPU_TS_F,   PPU_TS_XF,           PPU_TS_XF | PPU_TBIT(S32), PPU_TS_FLT, 4, 0, 0, "tttt") \
R(MUL,      0,                   PPU_TS_F,   PPU_TS_XF,           PPU_TS_XF,         PPU_TS_FLT, 0, 0, 0,    "tttt") \
R(MULW,     0,                   0,          0,                   0,                 0,          0, 0, 0,    "wttt") \
R(MAD,      0,                   0,          0,                   0,                 0,          4, 0, 0,    "tttt") \
R(MADHI,    0,                   0,          0,                   PPU_TBIT(S32),     0,          4, 0, 0,    "tttt") \
R(MADW,     0,                   0,          0,                   0,                 0,          0, 0, 0,    "wttw") \
R(MUL24,    0,                   0,          0,                   0,                 0,          2, 0, 0,    "tttt") \
R(MAD24,    0,                   0,          0,                   PPU_TBIT(S32),     0,          2, 0, 0,    "tttt") \
R(FMA,      0,                   PPU_TS_F,   PPU_TS_XF,           PPU_TS_XF,         PPU_TS_FLT, 0, 0, 0x01, "tttt") \
R(DIV,      0,                   PPU_TS_F,   PPU_TBIT(F32),       0,                 PPU_TS_F,   2, 0, 0,    "tttt") \
R(NEG,      0,                   0,          PPU_TS_XF,           0,                 PPU_TS_FLT, 0, 0, 0,    "tttt") \
R(ABS,      0,                   0,          PPU_TS_XF,           0,                 PPU_TS_FLT, 0, 0, 0,    "tttt") \
R(MIN,      0,                   0,          PPU_TS_XF,           0,                 PPU_TS_FLT, 0, 0, 0x03, "tttt") \
R(MAX,      0,                   0,          PPU_TS_XF,           0,                 PPU_TS_FLT, 0, 0, 0x03, "tttt") \
R(RCP,      0,                   PPU_TS_F,   PPU_TS_F,            0,                 PPU_TS_F,   2, 0, 0,    "tttt") \
R(SQRT,     0,                   PPU_TS_F,   PPU_TBIT(F32),       0,                 PPU_TS_F,   2, 0, 0,    "tttt") \
R(RSQRT,    0,                   0,          PPU_TS_F,            0,                 PPU_TS_F,   2, 0, 0,    "tttt") \
R(SIN,      0,                   0,          PPU_TBIT(F32),       0,                 PPU_TS_F,   2, 0, 0,    "tttt") \
R(COS,      0,                   0,          PPU_TBIT(F32),       0,                 PPU_TS_F,   2, 0, 0,    "tttt") \
R(EX2,      0,                   0,          PPU_TBIT(F32) | PPU_TS_H, 0,            PPU_TS_FLT, 2, 0, 0,    "tttt") \
R(LG2,      0,                   0,          PPU_TBIT(F32),       0,                 PPU_TS_F,   2, 0, 0,    "tttt") \
R(TANH,     0,                   0,          0,                   0,                 PPU_TS_FLT, 2, 0, 0,    "tttt") \
R(COPYSIGN, 0,                   0,          0,                   0,                 PPU_TS_F,   0, 0, 0,    "tttt") \
R(TESTP,    0,                   0,          0,                   0,                 0,          6, 0, 0,    "-t--") \
R(LOP3,     0,                   0,          0,                   0,                 0,          0, 0, 0xff, "tttt") \
R(SHL,      0,                   0,          0,                   0,                 0,          0, 0, 0,    "tt11") \
R(SHR,      0,                   0,          0,                   0,                 0,          0, 0, 0,    "tt11") \
R(SHF,      0,                   0,          0,                   0,                 0,          4, 0, 0,    "tttt") \
R(BFE,      0,                   0,          0,                   0,                 0,          0, 0, 0,    "tt11") \
R(BFI,      0,                   0,          0,                   0,                 0,          0, 0, 0,    "ttt1") \
R(PRMT,     0,                   0,          0,                   0,                 0,          7, 0, 0,    "tttt") \
R(POPC,     0,                   0,          0,                   0,                 0,          0, 0, 0,    "1ttt") \
R(CLZ,      0,                   0,          0,                   0,                 0,          0, 0, 0,    "1ttt") \
R(BFIND,    0,                   0,          0,                   0,                 0,          2, 0, 0,    "1ttt") \
R(BMSK,     0,                   0,          0,                   0,                 0,          2, 0, 0,    "tttt") \
R(DP4A,     PPU_TS_I32,          0,          0,                   0,                 0,          0, 0, 0,    "tttt") \
R(DP2A,     PPU_TS_I32,          0,          0,                   0,                 0,          2, 0, 0,    "tttt") \
R(SLCT,     PPU_TBIT(S32) | PPU_TBIT(F32), 0, PPU_TS_BITS,        0,                 0,          0, 0, 0,    "tttu") \
R(VABSDIFF4,0,                   0,          0,                   0,                 0,          2, 0, 0,    "tttt") \
R(SETP,     0,                   0,          PPU_TS_XF,           0,                 PPU_TS_FLT, 14, 3, 0,   "-tt-") \
R(SET,      PPU_TS_I32 | PPU_TBIT(F32) | PPU_TS_H, 0, PPU_TS_XF,  0,                 PPU_TS_FLT, 14, 3, 0,   "utt-") \
R(PLOP,     0,                   0,          0,                   0,                 0,          4, 0, 0,    "----") \
R(CVT,      PPU_TS_CVT,          PPU_TS_CVT, PPU_TS_CVT,          PPU_TS_CVT,        PPU_TS_FLT, 0, 0, 0x01, "tu--") \
R(CVT2,     PPU_TS_NONE | PPU_TBIT(F32), PPU_TS_H, 0,             0,                 PPU_TS_H,   0, 0, 0x01, "111-") \
R(CVTA,     0,                   0,          0,                   0,                 0,          6, 0, 0x01, "yz--") \
R(ISSPACE,  0,                   0,          0,                   0,                 0,          6, 0, 0,    "-2--") \
R(LD,       0,                   0,          0,                   0,                 0,          6, 3, 0x1f, "vp--") \
R(ST,       0,                   0,          0,                   0,                 0,          6, 3, 0x1f, "-pv-") \
R(ATOM,     0x3ff,               0,          0,                   0,                 0,          6, 0, 0x1f, "tptt") \
R(MEMBAR,   0,                   0,          0,                   0,                 0,          0, 0, 0x1f, "----") \
R(PREFETCH, 0,                   0,          0,                   0,                 0,          6, 0, 0,    "-p--") \
R(PUSH,     0,                   0,          0,                   0,                 0,          0, 16, 0,   "----") \
R(DISABLE,  0,                   0,          0,                   0,                 0,          0, 16, 0,   "----") \
R(BAR,      0,                   0,          0,                   0,                 0,          5, 2, 0,    "111-") \
R(VOTE,     0,                   0,          0,                   0,                 0,          4, 2, 0,    "11--") \
R(SHFL,     0,                   0,          0,                   0,                 0,          4, 3, 0xff, "1111") \
R(MATCH,    0,                   0,          0,                   0,                 0,          2, 0, 0,    "1t1-") \
R(REDUX,    1u << PPU_ATOM_ADD | 1u << PPU_ATOM_MIN | 1u << PPU_ATOM_MAX | 1u << PPU_ATOM_AND | \
	    1u << PPU_ATOM_OR | 1u << PPU_ATOM_XOR, 0, 0,         0,                 0,          0, 0, 0,    "ttt-") \
R(TLAUNCH,  0,                   0,          0,                   0,                 0,          0, 0, 0,    "12--") \
R(TSYNC,    0,                   0,          0,                   0,                 0,          0, 0, 0,    "1---")

struct ppu_isa_info {
	const char *mnemonic, *doc;
	__u32 types;		/* legal t */
	__u8 fmt;		/* enum ppu_format; PPU_FMT_COUNT: no such opcode */
	__u8 xclass;
};
struct ppu_isa_rule {
	__u32 u, rnd, ftz, sat, neg;
	__u8 nm, nx, ymask;
	const char *widths;
};

/* Row of PPU_ISA() of an opcode. */
static inline const struct ppu_isa_info *ppu_isa_info(unsigned op)
{
	enum {
		PPU_IX_NONE,
#define I(id, op, mn, fmt, types, xc, doc) PPU_IX_##id,
		PPU_ISA(I)
#undef I
		PPU_IX_COUNT
	};
	static const __u8 index[256] = {
#define I(id, op, mn, fmt, types, xc, doc) [op] = PPU_IX_##id,
		PPU_ISA(I)
#undef I
	};
	static const struct ppu_isa_info info[PPU_IX_COUNT] = {
		{ "?", "No such instruction.", 0, PPU_FMT_COUNT, 0 },
#define I(id, op, mn, fmt, types, xc, doc) \
		{ mn, doc, PPU_##types, PPU_FMT_##fmt, PPU_XC_##xc },
		PPU_ISA(I)
#undef I
	};

	return &info[index[op & 0xff]];
}

/* Row of PPU_ISA_RULES() of an opcode. */
static inline const struct ppu_isa_rule *ppu_isa_rule(unsigned op)
{
	enum {
		PPU_RX_NONE,
#define R(id, u, rnd, ftz, sat, neg, m, x, y, widths) PPU_RX_##id,
		PPU_ISA_RULES(R)
#undef R
		PPU_RX_COUNT
	};
	static const __u8 index[256] = {
#define R(id, u, rnd, ftz, sat, neg, m, x, y, widths) [PPU_OP_##id] = PPU_RX_##id,
		PPU_ISA_RULES(R)
#undef R
	};
	static const struct ppu_isa_rule rules[PPU_RX_COUNT] = {
		{ PPU_TS_NONE, 0, 0, 0, 0, 0, 0, 0, "tttt" },
#define R(id, u, rnd, ftz, sat, neg, m, x, y, widths) \
		{ (u) ? (u) : PPU_TS_NONE, rnd, ftz, sat, neg, m, x, y, widths },
		PPU_ISA_RULES(R)
#undef R
	};

	return &rules[index[op & 0xff]];
}

static inline unsigned ppu_type_bits(unsigned t)
{
	static const __u8 bits[PPU_T_COUNT] = {
#define T(name, code, bits, suffix) bits,
		PPU_TYPES(T)
#undef T
	};

	return t < PPU_T_COUNT ? bits[t] : 0;
}

/* Registers that a value of type t takes. */
static inline unsigned ppu_type_regs(unsigned t)
{
	unsigned bits = ppu_type_bits(t);

	return bits > 32 ? bits / 32 : 1;
}

/* Fields of a format as a mask of 1 << PPU_F_*, those of every instruction included. */
#define PPU_FMT_HAS(mask, f)	(((mask) >> PPU_F_##f) & 1)
static inline __u32 ppu_fmt_fields(unsigned fmt)
{
	/* Filled at first use, always with the same values, so a race is harmless. */
	static __u32 cache[PPU_FMT_COUNT];
	static const char *const fields[PPU_FMT_COUNT] = {
#define F(name, fields, syntax) fields,
		PPU_FORMATS(F)
#undef F
	};
	static const char names[][6] = {
#define F(name, word, low, width) #name,
		PPU_FIELDS(F)
#undef F
	};
	const char *s;
	__u32 mask;
	unsigned f, n;

	if (fmt >= PPU_FMT_COUNT)
		return 0;
	mask = __atomic_load_n(&cache[fmt], __ATOMIC_RELAXED);
	if (mask)
		return mask;
	mask = 1u << PPU_F_OP | 1u << PPU_F_GP | 1u << PPU_F_GN;
	for (s = fields[fmt]; *s; s += n) {
		for (n = 0; s[n] && s[n] != ' '; n++)
			;
		for (f = 0; f < PPU_F_COUNT; f++) {
			unsigned k = 0;

			while (k < n && names[f][k] == s[k])
				k++;
			if (k == n && !names[f][k])
				mask |= 1u << f;
		}
		while (s[n] == ' ')
			n++;
	}
	__atomic_store_n(&cache[fmt], mask, __ATOMIC_RELAXED);
	return mask;
}

static inline int ppu_sreg_is64(unsigned n)
{
	static const __u8 is64[PPU_SR_COUNT] = {
#define S(name, num, is64, text) [num] = is64,
		PPU_SREGS(S)
#undef S
	};

	return n < PPU_SR_COUNT && is64[n];
}

/* How many consecutive registers d, a, b, c take; 0: the operand is not a register. */
static inline void ppu_isa_widths(const struct ppu_insn *in, __u8 w[4])
{
	unsigned op = PPU_GET(in, OP);
	const struct ppu_isa_info *info = ppu_isa_info(op);
	__u32 have = ppu_fmt_fields(info->fmt);
	const char *widths = ppu_isa_rule(op)->widths;
	unsigned t = PPU_GET(in, T), m = PPU_GET(in, M), x = PPU_GET(in, X), y = PPU_GET(in, Y);
	int imm64 = info->fmt == PPU_FMT_D_I64;
	unsigned i;

	for (i = 0; i < 4; i++) {
		unsigned n = 0;

		switch (widths[i]) {
		case 't': n = ppu_type_regs(t); break;
		case 'u': n = ppu_type_regs(PPU_GET(in, U)); break;
		case 'w': n = 2 * ppu_type_bits(t) > 32 ? 2 : 1; break;
		case '1': n = 1; break;
		case '2': n = 2; break;
		case 'p': n = PPU_SPACE_IS_64(m) ? 2 : 1; break;
		case 'v': n = ppu_type_regs(t) << (x & 3); break;
		case 's': n = ppu_sreg_is64(PPU_GET(in, IMM)) ? 2 : 1; break;
		case 'y': n = !(y & 1) || PPU_SPACE_IS_64(m) ? 2 : 1; break;
		case 'z': n = (y & 1) || PPU_SPACE_IS_64(m) ? 2 : 1; break;
		}
		if (!((have >> (PPU_F_D + i)) & 1))
			n = 0;
		w[i] = n;
	}
	if (imm64)
		return;
	if (PPU_FMT_HAS(have, BI) && PPU_GET(in, BI))
		w[2] = 0;
	if (PPU_FMT_HAS(have, CI) && PPU_GET(in, CI))
		w[3] = 0;
	switch (op) {
	case PPU_OP_ATOM:
		if (PPU_GET(in, U) != PPU_ATOM_CAS)
			w[3] = 0;
		break;
	case PPU_OP_BAR:
		if (m != PPU_BAR_RED_POPC)
			w[0] = 0;
		if (x & 1)
			w[1] = 0;
		break;
	case PPU_OP_VOTE:
		if (m != PPU_VOTE_BALLOT)
			w[0] = 0;
		if (x)
			w[1] = 0;
		break;
	}
}

/* Highest register number the instruction names, -1: none. */
static inline int ppu_isa_max_reg(const struct ppu_insn *in)
{
	__u8 w[4];
	unsigned r[4] = { PPU_GET(in, D), PPU_GET(in, A), PPU_GET(in, B), PPU_GET(in, C) };
	int i, max = -1;

	ppu_isa_widths(in, w);
	for (i = 0; i < 4; i++)
		if (w[i] && r[i] != PPU_RZ && (int)(r[i] + w[i]) - 1 > max)
			max = (int)(r[i] + w[i]) - 1;
	if (PPU_GET(in, OP) == PPU_OP_SHFL && PPU_GET(in, X) == 1 &&
	    PPU_GET(in, Y) != PPU_RZ && (int)PPU_GET(in, Y) > max)
		max = (int)PPU_GET(in, Y);
	return max;
}

static inline const char *ppu_isa_check_atom_(unsigned u, unsigned t)
{
	__u32 ok = 0;

	switch (u) {
	case PPU_ATOM_ADD:
		ok = PPU_TS_I32 | PPU_TS_I64 | PPU_TS_FLT;
		break;
	case PPU_ATOM_MIN: case PPU_ATOM_MAX:
		ok = PPU_TS_I32 | PPU_TS_I64;
		break;
	case PPU_ATOM_INC: case PPU_ATOM_DEC:
		ok = PPU_TBIT(U32);
		break;
	case PPU_ATOM_AND: case PPU_ATOM_OR: case PPU_ATOM_XOR:
		ok = PPU_TS_I32 | PPU_TS_I64;
		break;
	case PPU_ATOM_EXCH:
		ok = PPU_TS_I32 | PPU_TS_I64 | PPU_TBIT(B128);
		break;
	case PPU_ATOM_CAS:
		ok = PPU_TS_I32 | PPU_TS_I64 | PPU_TBIT(U16) | PPU_TBIT(B128);
		break;
	}
	return (ok >> t) & 1 ? (const char *)0 : "the atomic operation does not exist for this type";
}

/*
 * Type and modifiers of an instruction, apart from registers, predicates and immediates: what decides which
 * operation it is. ppu_isa_check_mods() is the one place that says which combinations of them exist; the
 * decoder asks it too when it chooses a function.
 */
struct ppu_isa_mods {
	__u8 op, t, u, rnd, m, x, y;
	__u8 ftz, sat, bi, ci, na, nb, nc, aa, ab;
};

/* What single instructions demand beyond their row. */
static inline const char *ppu_isa_check_mods_special_(const struct ppu_isa_mods *i)
{
	unsigned t = i->t, u = i->u, m = i->m, x = i->x, sem = i->y & 7, scope = (i->y >> 3) & 3;
	int flt = (PPU_TS_FLT >> t) & 1;

	if (sem == 7 && ppu_isa_rule(i->op)->ymask == 0x1f)
		return "no such memory order";
	if (scope == 3 && ppu_isa_rule(i->op)->ymask == 0x1f)
		return "no such scope";
	switch (i->op) {
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MAD: case PPU_OP_MADHI:
		if (m && !(((PPU_TS_I32 | PPU_TS_I64) >> t) & 1))
			return "carry needs a 32-bit or 64-bit integer type";
		if (m && i->sat)
			return "carry and saturation exclude each other";
		break;
	case PPU_OP_MAD24:
		if (i->sat && m != 1)
			return "mad24 saturates only with the high product";
		break;
	case PPU_OP_FMA:
		if (i->y && !((PPU_TS_H >> t) & 1))
			return "relu needs a half-precision type";
		break;
	case PPU_OP_DIV:
		if (m && t != PPU_T_F32)
			return "the approximate form exists for f32 only";
		if (m && i->rnd)
			return "the approximate form has no rounding";
		break;
	case PPU_OP_RCP:
		if (m && i->rnd)
			return "the approximate form has no rounding";
		if (t == PPU_T_F64 && i->ftz != m)
			return "f64 has the full form without ftz and the approximate one with it";
		break;
	case PPU_OP_SQRT:
		if (m && t == PPU_T_F64)
			return "the approximate form exists for f32 only";
		if (m && i->rnd)
			return "the approximate form has no rounding";
		break;
	case PPU_OP_MIN: case PPU_OP_MAX:
		if (i->y && !flt)
			return "NaN and xorsign.abs need a floating type";
		break;
	case PPU_OP_ISSPACE:
		if (m == PPU_SPACE_GENERIC)
			return "isspacep needs a space";
		break;
	case PPU_OP_CVTA:
		if (m == PPU_SPACE_GENERIC)
			return "cvta needs a space";
		break;
	case PPU_OP_SLCT:
		if (i->ftz && u != PPU_T_F32)
			return "ftz needs an f32 selector";
		break;
	case PPU_OP_SETP: case PPU_OP_SET:
		if (!flt && m > PPU_CMP_GE)
			return "this comparison needs a floating type";
		if ((t == PPU_T_F16X2 || t == PPU_T_BF16X2) && i->op == PPU_OP_SET &&
		    (ppu_type_bits(u) != 32 || u == PPU_T_F32))
			return "a packed comparison needs a packed result";
		if (i->op == PPU_OP_SET && (u == PPU_T_F16X2 || u == PPU_T_BF16X2) &&
		    t != PPU_T_F16X2 && t != PPU_T_BF16X2)
			return "a packed result needs a packed comparison";
		break;
	case PPU_OP_CVT: {
		int tf = (PPU_TS_FLT >> t) & 1, uf = (PPU_TS_FLT >> u) & 1;

		if (!((PPU_TS_CVT >> t) & 1))
			return "no conversion to this type";
		if (i->rnd && !tf && !uf)
			return "rounding of a conversion between integers";
		if (i->ftz && t != PPU_T_F32 && u != PPU_T_F32)
			return "ftz needs f32 on one side";
		if (i->y && (!tf || !uf))
			return "rounding to integral needs floating types";
		if ((i->na || i->aa) && !uf)
			return "negation or absolute value of an integer operand";
		break;
	}
	case PPU_OP_CVT2:
		if (t != PPU_T_F16X2 && t != PPU_T_BF16X2)
			return "cvt2 makes a packed type";
		if (i->rnd > PPU_RND_RZ)
			return "cvt2 rounds to nearest or to zero";
		break;
	case PPU_OP_LD: case PPU_OP_ST:
		if (t == PPU_T_B128 && x)
			return "no vectors of 128-bit elements";
		if (ppu_type_bits(t) << x > 128)
			return "a vector has at most 128 bits";
		if (sem == PPU_MO_ACQ_REL || sem == PPU_MO_SC ||
		    sem == (i->op == PPU_OP_LD ? PPU_MO_RELEASE : PPU_MO_ACQUIRE))
			return "memory order does not fit the instruction";
		break;
	case PPU_OP_ATOM:
		if (sem == PPU_MO_VOLATILE || sem == PPU_MO_SC)
			return "memory order does not fit the instruction";
		return ppu_isa_check_atom_(u, t);
	case PPU_OP_MEMBAR:
		if (sem == PPU_MO_VOLATILE || sem == PPU_MO_RELAXED)
			return "memory order does not fit the instruction";
		break;
	case PPU_OP_SHFL:
		if (x != 1 && i->y)
			return "member mask register without x";
		break;
	}
	return (const char *)0;
}

/* NULL: an instruction with this type and these modifiers exists.  Else a sentence. */
static inline const char *ppu_isa_check_mods(const struct ppu_isa_mods *i)
{
	const struct ppu_isa_info *info = ppu_isa_info(i->op);
	const struct ppu_isa_rule *rule = ppu_isa_rule(i->op);
	__u32 have = ppu_fmt_fields(info->fmt);

	if (info->fmt == PPU_FMT_COUNT)
		return "no such opcode";
	if (i->t >= PPU_T_COUNT || !((info->types >> i->t) & 1))
		return "illegal type for this instruction";
	if (i->op != PPU_OP_ATOM && i->op != PPU_OP_REDUX && i->u >= PPU_T_COUNT)
		return "illegal second type";
	if (i->u >= 32 || !((rule->u >> i->u) & 1))
		return "illegal second type or operation";
	if (i->rnd > PPU_RND_RP || (i->rnd && !((rule->rnd >> i->t) & 1) && i->op != PPU_OP_CVT))
		return "no rounding here";
	if (i->ftz && !((rule->ftz >> i->t) & 1))
		return "no ftz here";
	if (i->sat && !((rule->sat >> i->t) & 1))
		return "no saturation here";
	if ((i->bi && !PPU_FMT_HAS(have, BI)) || (i->ci && !PPU_FMT_HAS(have, CI)))
		return "an immediate operand that does not exist";
	if ((i->na && i->op != PPU_OP_PLOP) || i->nb || i->nc || i->aa || i->ab) {
		if ((i->nb && !PPU_FMT_HAS(have, NB)) || (i->nc && !PPU_FMT_HAS(have, NC)) ||
		    (i->aa && !PPU_FMT_HAS(have, AA)) || (i->ab && !PPU_FMT_HAS(have, AB)) ||
		    (i->na && !PPU_FMT_HAS(have, NA)))
			return "negation or absolute value of an operand that does not exist";
		if (i->op != PPU_OP_CVT && !((rule->neg >> i->t) & 1))
			return "negation or absolute value of an integer operand";
		if ((i->bi && (i->nb || i->ab)) || (i->ci && i->nc))
			return "negation or absolute value of an immediate";
	}
	if (i->m && i->m >= rule->nm)
		return "illegal value of modifier m";
	if (i->x && i->x >= rule->nx)
		return "illegal value of modifier x";
	if (i->y & ~rule->ymask)
		return "illegal value of modifier y";
	if (i->bi && i->ci && i->op != PPU_OP_SHFL)
		return "two immediate operands";
	if (i->bi && rule->widths[2] == '-')
		return "an immediate operand that is not used";
	return ppu_isa_check_mods_special_(i);
}

/* What single instructions demand of predicates and immediates. */
static inline const char *ppu_isa_check_special_(const struct ppu_insn *in)
{
	unsigned op = PPU_GET(in, OP), m = PPU_GET(in, M), x = PPU_GET(in, X);
	unsigned imm = PPU_GET(in, IMM), bi = PPU_GET(in, BI), ci = PPU_GET(in, CI);
	unsigned pd = PPU_GET(in, PD), pe = PPU_GET(in, PE), ps = PPU_GET(in, PS);
	int no_ps = ps == PPU_PT && !PPU_GET(in, PSN);

	switch (op) {
	case PPU_OP_S2R:
		if (imm >= PPU_SR_COUNT)
			return "no such special register";
		break;
	case PPU_OP_ADD: case PPU_OP_SUB: case PPU_OP_MAD: case PPU_OP_MADHI:
		if (!(m & PPU_CARRY_OUT) && pd != PPU_PT)
			return "carry predicate without carry-out";
		if (!(m & PPU_CARRY_IN) && !no_ps)
			return "carry predicate without carry-in";
		break;
	case PPU_OP_TESTP:
		if (pe != PPU_PT || !no_ps)
			return "testp has one predicate";
		break;
	case PPU_OP_ISSPACE:
		if (pe != PPU_PT || !no_ps)
			return "isspacep has one predicate";
		break;
	case PPU_OP_P2R: case PPU_OP_R2P:
		if (imm > 0xffff)
			return "predicate mask has more than 16 bits";
		break;
	case PPU_OP_PREFETCH:
		if (PPU_GET(in, D) != PPU_RZ && PPU_GET(in, D) != 0)
			return "prefetch has no destination";
		break;
	case PPU_OP_TEX:
		return "texture instructions do not exist on this device";
	case PPU_OP_BAR:
		if (!(x & 1) && imm >> 28)
			return "barrier number in imm without x";
		if (!bi && (imm & 0xffff))
			return "thread count in imm without bi";
		if (imm & 0x0fff0000)
			return "reserved immediate bits are set";
		if (m < PPU_BAR_RED_POPC && !no_ps)
			return "only a reducing barrier has a source predicate";
		if (m != PPU_BAR_RED_AND && m != PPU_BAR_RED_OR && pd != PPU_PT)
			return "only bar.red_and and bar.red_or have a destination predicate";
		break;
	case PPU_OP_VOTE:
		if (m == PPU_VOTE_BALLOT && pd != PPU_PT)
			return "ballot has no destination predicate";
		break;
	case PPU_OP_SHFL:
		if (!bi && (imm & 0xffff))
			return "lane in imm without bi";
		if (!ci && imm >> 16)
			return "clamp word in imm without ci";
		break;
	case PPU_OP_MATCH:
		if (m != PPU_MATCH_ALL && pd != PPU_PT)
			return "match.any has no predicate";
		break;
	}
	return (const char *)0;
}

/* NULL: a legal instruction for threads with nregs registers (255: any), else a sentence. */
static inline const char *ppu_isa_check(const struct ppu_insn *in, unsigned nregs)
{
	unsigned op = PPU_GET(in, OP), i;
	const struct ppu_isa_info *info = ppu_isa_info(op);
	__u32 have = ppu_fmt_fields(info->fmt);
	int imm64 = info->fmt == PPU_FMT_D_I64;
	unsigned r[4] = { PPU_GET(in, D), PPU_GET(in, A), PPU_GET(in, B), PPU_GET(in, C) };
	const char *why;
	__u8 w[4];

	if (info->fmt == PPU_FMT_COUNT)
		return "no such opcode";
	/* fields that the format does not have */
#define F(name, word, low, width) \
	if (!PPU_FMT_HAS(have, name) && !((word) && imm64)) { \
		unsigned v = PPU_GET(in, name); \
		int reg = PPU_F_##name >= PPU_F_D && PPU_F_##name <= PPU_F_C; \
		int pred = PPU_F_##name == PPU_F_PD || PPU_F_##name == PPU_F_PE || \
			   PPU_F_##name == PPU_F_PS; \
		if (pred ? v != PPU_PT : v && !(reg && v == PPU_RZ)) \
			return "field " #name " is not used by this instruction"; \
	}
	PPU_FIELDS(F)
#undef F
	if (imm64) {
		if (!((info->types >> PPU_GET(in, T)) & 1))
			return "illegal type for this instruction";
		goto regs;
	}
	{
		struct ppu_isa_mods mods = {
			.op = op, .t = PPU_GET(in, T), .u = PPU_GET(in, U), .rnd = PPU_GET(in, RND),
			.m = PPU_GET(in, M), .x = PPU_GET(in, X), .y = PPU_GET(in, Y),
			.ftz = PPU_GET(in, FTZ), .sat = PPU_GET(in, SAT),
			.bi = PPU_GET(in, BI), .ci = PPU_GET(in, CI),
			.na = PPU_GET(in, NA), .nb = PPU_GET(in, NB), .nc = PPU_GET(in, NC),
			.aa = PPU_GET(in, AA), .ab = PPU_GET(in, AB),
		};

		why = ppu_isa_check_mods(&mods);
		if (why)
			return why;
	}
	if (PPU_FMT_HAS(have, BI) && op != PPU_OP_SHFL && op != PPU_OP_BAR &&
	    !PPU_GET(in, BI) && !PPU_GET(in, CI) && PPU_GET(in, IMM))
		return "immediate without bi or ci";
	switch (info->fmt) {
	case PPU_FMT_BR: case PPU_FMT_PUSHL: case PPU_FMT_DISL: case PPU_FMT_CALL:
		if (PPU_GET(in, IMM) > PPU_PC_MAX)
			return "branch target has more than 22 bits";
		break;
	case PPU_FMT_PLOP:
		if (r[1] > PPU_PT)
			return "no such predicate";
		break;
	}
	why = ppu_isa_check_special_(in);
	if (why)
		return why;
regs:
	ppu_isa_widths(in, w);
	for (i = 0; i < 4; i++) {
		if (!((have >> (PPU_F_D + i)) & 1) || (i == 1 && info->fmt == PPU_FMT_PLOP))
			continue;
		if (!w[i]) {
			if (r[i] && r[i] != PPU_RZ)
				return "a register operand that is not used is set";
		} else if (r[i] != PPU_RZ && r[i] + w[i] > nregs) {
			return "register number beyond the registers of a thread";
		}
	}
	if (op == PPU_OP_SHFL && PPU_GET(in, X) == 1 && PPU_GET(in, Y) != PPU_RZ &&
	    PPU_GET(in, Y) >= nregs)
		return "register number beyond the registers of a thread";
	return (const char *)0;
}

#endif
