/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_isa_check.h>
#include <ppu_image.h>
#include "insn_random.h"

uint32_t irnd(struct irnd *r, uint32_t n)
{
	uint32_t v = 0;

	for (uint32_t range = n - 1; r->left && range; range >>= 8, r->left--)
		v = v << 8 | *r->p++;
	if (r->left)
		return v % n;
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (uint32_t)((r->state >> 16) % n);
}

bool irnd_raw(struct irnd *r, struct ppu_insn *in)
{
	if (r->left < sizeof(*in))
		return false;
	memcpy(in, r->p, sizeof(*in));
	r->p += sizeof(*in);
	r->left -= sizeof(*in);
	return !ppu_isa_check(in, IRND_REGS);
}

static uint32_t number(struct irnd *r)
{
	static const uint32_t special[] = {
		0, 1, 2, 3, 4, 8, 16, 31, 32, 33, 63, 64, 0xff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fffffff, 0xffc00001, 0x00000001,
		0x80000001, 0x007fffff, 0x00800000, 0x4f000000, 0xcf000000, 0x40490fdb, 0x3c003c00, 0x7c007bff,
	};

	return irnd(r, 3) ? special[irnd(r, sizeof(special) / 4)] : irnd(r, 0xffffffff);
}

static void fill(struct irnd *r, unsigned op, struct ppu_insn *in)
{
	const struct ppu_isa_info *info = ppu_isa_info(op);
	__u32 have = ppu_fmt_fields(info->fmt);
	uint32_t t = irnd(r, 16), n;

	memset(in, 0, sizeof(*in));
	PPU_SET(in, OP, op);
	n = irnd(r, 5);
	PPU_SET(in, GP, n ? PPU_PT : irnd(r, 7) ? irnd(r, 6) : PPU_PT);
	PPU_SET(in, GN, n ? 0 : irnd(r, 2));
	if (info->fmt == PPU_FMT_D_I64) {
		PPU_SET(in, D, irnd(r, 30));
		in->hi = number(r) | (uint64_t)number(r) << 32;
		return;
	}
	PPU_SET(in, PD, PPU_PT);
	PPU_SET(in, PE, PPU_PT);
	PPU_SET(in, PS, PPU_PT);
#define FIELD(name, value) do { \
	if (PPU_FMT_HAS(have, name)) \
		PPU_SET(in, name, value); \
} while (0)
#define REG() (irnd(r, 12) ? irnd(r, 30) : PPU_RZ)
#define RARE(k, v) (irnd(r, k) ? 0 : (v))
	while (!(info->types >> t & 1))
		t = irnd(r, 16);
	FIELD(T, t);
	FIELD(D, REG());
	FIELD(A, REG());
	FIELD(B, REG());
	FIELD(C, REG());
	FIELD(U, irnd(r, 2) ? irnd(r, 16) : RARE(2, PPU_T_S32));
	FIELD(RND, RARE(3, irnd(r, 4)));
	FIELD(FTZ, RARE(4, 1));
	FIELD(SAT, RARE(4, 1));
	FIELD(M, irnd(r, 2) ? irnd(r, 6) : irnd(r, 3) ? 0 : irnd(r, 14));
	FIELD(X, RARE(2, irnd(r, 4)));
	FIELD(Y, op == PPU_OP_LOP3 ? irnd(r, 256) : RARE(3, irnd(r, 4)));
	FIELD(IMM, number(r));
	FIELD(PD, irnd(r, 4) ? irnd(r, 6) : PPU_PT);
	FIELD(PE, irnd(r, 2) ? irnd(r, 6) : PPU_PT);
	FIELD(PS, irnd(r, 2) ? irnd(r, 6) : PPU_PT);
	FIELD(PSN, RARE(3, 1));
	FIELD(BI, RARE(3, 1));
	FIELD(CI, RARE(4, 1));
	FIELD(NA, RARE(4, 1));
	FIELD(NB, RARE(4, 1));
	FIELD(NC, RARE(4, 1));
	FIELD(AA, RARE(4, 1));
	FIELD(AB, RARE(4, 1));
#undef REG
#undef RARE
}

/* Simpler, until the instruction is legal: a field without meaning has to be 0. */
static bool simpler(struct irnd *r, struct ppu_insn *in)
{
	unsigned k;

	for (k = 0; k < 30 && ppu_isa_check(in, IRND_REGS); k++)
		switch (irnd(r, 14)) {
		case 0: PPU_SET(in, U, 0); break;
		case 1: PPU_SET(in, RND, 0); break;
		case 2: PPU_SET(in, FTZ, 0); break;
		case 3: PPU_SET(in, SAT, 0); break;
		case 4: PPU_SET(in, M, 0); break;
		case 5: PPU_SET(in, X, 0); break;
		case 6: PPU_SET(in, Y, 0); break;
		case 7: PPU_SET(in, BI, 0); break;
		case 8: PPU_SET(in, CI, 0); break;
		case 9: PPU_SET(in, NA, 0); PPU_SET(in, AA, 0); break;
		case 10: PPU_SET(in, NB, 0); PPU_SET(in, AB, 0); break;
		case 11: PPU_SET(in, NC, 0); break;
		case 12: PPU_SET(in, PSN, 0); PPU_SET(in, PS, PPU_PT); break;
		default: PPU_SET(in, IMM, irnd(r, 16)); break;
		}
	return !ppu_isa_check(in, IRND_REGS);
}

bool irnd_insn(struct irnd *r, unsigned op, struct ppu_insn *in)
{
	unsigned k;

	for (k = 0; k < 20; k++) {
		fill(r, op, in);
		if (simpler(r, in))
			return true;
	}
	return false;
}

/* ---- memory ---- */

/* Address registers that the prologue sets, and their space. */
static const struct {
	uint8_t reg, space;
} address[] = {
	{ 32, PPU_SPACE_GLOBAL }, { 34, PPU_SPACE_GLOBAL }, { 36, PPU_SPACE_GLOBAL }, { 38, PPU_SPACE_GLOBAL },
	{ 48, PPU_SPACE_GLOBAL }, { 54, PPU_SPACE_GLOBAL }, { 38, PPU_SPACE_GENERIC }, { 45, PPU_SPACE_GENERIC },
	{ 36, PPU_SPACE_CONST }, { 40, PPU_SPACE_SHARED }, { 41, PPU_SPACE_SHARED }, { 42, PPU_SPACE_SHARED },
	{ 43, PPU_SPACE_SHARED }, { 44, PPU_SPACE_LOCAL }, { 42, PPU_SPACE_LOCAL }, { PPU_RZ, PPU_SPACE_PARAM },
	{ 42, PPU_SPACE_PARAM }, { 56, PPU_SPACE_SHARED }, { 57, PPU_SPACE_SHARED },
	{ 58, PPU_SPACE_SHARED },
};

static bool memory(struct irnd *r, struct ppu_insn *in)
{
	static const uint8_t types[] = { PPU_T_U32, PPU_T_U32, PPU_T_U32, PPU_T_S32, PPU_T_U64, PPU_T_U8, PPU_T_S8,
					 PPU_T_U16, PPU_T_S16, PPU_T_S64, PPU_T_B128 };
	unsigned k = irnd(r, sizeof(address) / sizeof(address[0])), kind = irnd(r, 8);
	unsigned op = kind < 4 ? PPU_OP_LD : kind < 7 ? PPU_OP_ST : PPU_OP_ATOM, t = types[irnd(r, sizeof(types))];
	unsigned try;

	if ((op != PPU_OP_LD && address[k].space == PPU_SPACE_CONST) ||
	    (op == PPU_OP_ATOM && address[k].space >= PPU_SPACE_LOCAL) ||
	    (op == PPU_OP_ST && address[k].space == PPU_SPACE_PARAM))
		op = PPU_OP_LD;
	for (try = 0; try < 40; try++) {
		memset(in, 0, sizeof(*in));
		PPU_SET(in, OP, op);
		PPU_SET(in, GP, irnd(r, 4) ? PPU_PT : irnd(r, 6));
		PPU_SET(in, GN, PPU_GET(in, GP) != PPU_PT && irnd(r, 2));
		PPU_SET(in, PD, PPU_PT);
		PPU_SET(in, PE, PPU_PT);
		PPU_SET(in, PS, PPU_PT);
		PPU_SET(in, A, address[k].reg);
		PPU_SET(in, M, address[k].space);
		PPU_SET(in, T, t);
		PPU_SET(in, IMM, irnd(r, 40) ? 16 * irnd(r, 8) : irnd(r, 2) ? irnd(r, 64) : number(r));
		if (op == PPU_OP_ATOM) {
			PPU_SET(in, T, irnd(r, 2) ? PPU_T_U32 : irnd(r, 16));
			PPU_SET(in, U, irnd(r, 3) ? irnd(r, 10) : PPU_ATOM_ADD);
			PPU_SET(in, C, irnd(r, 28));
			if (address[k].space == PPU_SPACE_SHARED && irnd(r, 2)) {	/* a histogram's */
				PPU_SET(in, T, PPU_T_U32);
				PPU_SET(in, U, PPU_ATOM_ADD);
			}
		} else {
			PPU_SET(in, X, irnd(r, 3) ? 0 : irnd(r, 3));
		}
		if (op != PPU_OP_ST)
			PPU_SET(in, D, op == PPU_OP_ATOM && irnd(r, 2) ? PPU_RZ : irnd(r, 24));
		if (op != PPU_OP_LD)
			PPU_SET(in, B, irnd(r, 24));
		if (!ppu_isa_check(in, IRND_REGS))
			return true;
		PPU_SET(in, C, 0);
		t = PPU_T_U32;
	}
	return false;
}

/* More loads like the first one, from near by: a group that an engine may look at together. */
static uint32_t more_loads(struct irnd *r, struct ppu_insn *code, uint32_t room, const struct ppu_insn *first)
{
	uint32_t n = 0, many = 1 + irnd(r, 5), imm = (uint32_t)PPU_GET(first, IMM);

	if (PPU_GET(first, OP) != PPU_OP_LD || irnd(r, 3))
		return 0;
	for (; n < many && n < room; n++) {
		code[n] = *first;
		PPU_SET(&code[n], GP, PPU_PT);
		PPU_SET(&code[n], GN, 0);
		PPU_SET(&code[n], D, irnd(r, 24));
		PPU_SET(&code[n], IMM, imm + 16 * (irnd(r, 9) - irnd(r, 2) * imm / 16));
		if (ppu_isa_check(&code[n], IRND_REGS))
			break;
	}
	return n;
}

/* ---- programs ---- */

static uint32_t text(struct ppu_insn *code, const char *source)
{
	struct ppu_image *img;
	struct ppu_log log;
	uint32_t n;

	ppu_log_init(&log);
	if (ppu_assemble(source, strlen(source), "test", &img, &log)) {
		fputs(log.text, stderr);
		abort();
	}
	n = img->num_insns;
	memcpy(code, img->code, n * sizeof(*code));
	ppu_image_free(img);
	ppu_log_free(&log);
	return n;
}

static uint32_t prologue(struct ppu_insn *code)
{
	static struct ppu_insn made[120];
	static uint32_t n;
	char source[8192];
	size_t len;

	if (!n) {
		len = (size_t)snprintf(source, sizeof(source),
			"ld.param.u64 rd52, [0]\n"
			"s2r r51, %%tid.x\n"
			"s2r r50, %%ctaid.x\n"
			"madw.u32 rd60, r50, 65536, rd52\n"
			"madw.u32 rd60, r51, 128, rd60\n"		/* where the thread's registers lie */
			"add.u64 rd34, rd52, 196608\n"
			"add.u64 rd32, rd34, 3904\n"		/* rows that lie across the end of a page */
			"madw.u32 rd36, r51, 4, rd32\n"
			"madw.u32 rd38, r51, 16, rd32\n"
			"mul.u32 r40, r51, 68\n"
			"and.u32 r40, r40, 2044\n"
			"madw.u32 rd32, r40, 1, rd34\n"		/* scattered in a page */
			"and.u32 r41, r51, 15\n"
			"madw.u32 rd54, r41, 4, rd34\n"		/* two half warps with the same words, */
			"add.u64 rd54, rd54, 4000\n"		/* at the end of a page */
			"madw.u32 rd48, r51, 4096, rd34\n"	/* a page for each lane */
			"shl.u32 r57, r41, 2\n"
			"shl.u32 r56, r51, 2\n"
			"add.u32 r58, r56, 0x1000000\n"		/* of the first CTA of the cluster */
			"and.u32 r41, r40, 2032\n"
			"mov.u32 r42, 64\n"
			"shr.u32 r43, r51, 4\n"
			"mul.u32 r43, r43, 256\n"
			"mov.u32 r44, r57\n"
			"cvta.shared rd45, r56\n"
			"mov.u32 r50, 0\n");
		for (unsigned i = 0; i < 30; i++)
			len += (size_t)snprintf(source + len, sizeof(source) - len, "ld.global.u32 r%u, [rd60+%u]\n", i, 4 * i);
		snprintf(source + len, sizeof(source) - len, "r2p r0, 0x3f\n");
		n = text(made, source);
	}
	memcpy(code, made, n * sizeof(*code));
	return n;
}

static uint32_t epilogue(struct ppu_insn *code)
{
	static struct ppu_insn made[64];
	static uint32_t n;
	char source[4096];
	size_t len = 0;

	if (!n) {
		for (unsigned i = 0; i < 30; i++)
			len += (size_t)snprintf(source + len, sizeof(source) - len, "st.global.u32 [rd60+%u], r%u\n", 4 * i, i);
		snprintf(source + len, sizeof(source) - len,
			 "p2r r30, 0x7fff\nst.global.u32 [rd60+120], r30\nst.global.u32 [rd60+124], r50\n");
		/* What is in shared memory, as far as the threads reach. */
		len = strlen(source);
		for (unsigned i = 0; i < 10; i++)
			len += (size_t)snprintf(source + len, sizeof(source) - len,
				"ld.shared.u32 r30, [r56+%u]\nst.global.u32 [rd60+%u], r30\n", 384 * i, 32768 + 4 * i);
		snprintf(source + len, sizeof(source) - len, "exit\n");
		n = text(made, source);
	}
	memcpy(code, made, n * sizeof(*code));
	return n;
}

static void branch(struct irnd *r, struct ppu_insn *in, unsigned p, bool negate, uint32_t target)
{
	memset(in, 0, sizeof(*in));
	PPU_SET(in, OP, PPU_OP_BRA);
	PPU_SET(in, GP, p);
	PPU_SET(in, GN, negate);
	PPU_SET(in, IMM, target);
	PPU_SET(in, PD, PPU_PT);
	PPU_SET(in, PE, PPU_PT);
	PPU_SET(in, PS, PPU_PT);
}

static unsigned any_op(struct irnd *r)
{
	for (;;) {
		unsigned op = irnd(r, 0x78);

		if (ppu_isa_info(op)->fmt == PPU_FMT_COUNT)
			continue;
		switch (op) {
		/* need tokens, targets or launches */
		case PPU_OP_BRA: case PPU_OP_BRX: case PPU_OP_JMP: case PPU_OP_JMX: case PPU_OP_SSY: case PPU_OP_SYNC:
		case PPU_OP_PBRK: case PPU_OP_BRK: case PPU_OP_PCNT: case PPU_OP_CONT: case PPU_OP_PEXIT: case PPU_OP_CAL:
		case PPU_OP_CALX: case PPU_OP_RET: case PPU_OP_LONGJMP: case PPU_OP_PUSH: case PPU_OP_DISABLE:
		case PPU_OP_TLAUNCH: case PPU_OP_TSYNC: case PPU_OP_TEX:
			continue;
		/* often end the program */
		case PPU_OP_TRAP: case PPU_OP_BAR: case PPU_OP_CLARRIVE: case PPU_OP_CLWAIT: case PPU_OP_WARPSYNC:
		case PPU_OP_MATCH: case PPU_OP_REDUX: case PPU_OP_EXIT: case PPU_OP_NANOSLEEP:
			if (irnd(r, 20))
				continue;
			return op;
		case PPU_OP_LD: case PPU_OP_ST: case PPU_OP_ATOM: case PPU_OP_PREFETCH:
			continue;
		}
		return op;
	}
}

/* The instructions that most programs consist of. */
static unsigned common_op(struct irnd *r)
{
	static const uint8_t ops[] = { PPU_OP_ADD, PPU_OP_SUB, PPU_OP_MUL, PPU_OP_MAD, PPU_OP_FMA, PPU_OP_MADW, PPU_OP_MULW,
		PPU_OP_SETP, PPU_OP_SETP, PPU_OP_SEL, PPU_OP_MOV, PPU_OP_AND, PPU_OP_OR, PPU_OP_XOR, PPU_OP_LOP3, PPU_OP_SHL,
		PPU_OP_SHR, PPU_OP_SHF, PPU_OP_CVT, PPU_OP_MIN, PPU_OP_MAX, PPU_OP_NEG, PPU_OP_ABS, PPU_OP_BFE,
		PPU_OP_MULHI, PPU_OP_MOVI64, PPU_OP_NOT, PPU_OP_RSQRT, PPU_OP_SQRT, PPU_OP_RCP, PPU_OP_DIV };

	return ops[irnd(r, sizeof(ops))];
}

uint32_t irnd_program(struct irnd *r, struct ppu_insn *code)
{
	uint32_t n = prologue(code), want = 4 + irnd(r, irnd(r, 3) ? 40 : 200), end = n + want, loop = n, mem = irnd(r, 4);
	uint32_t fix[IRND_MAX], fixes = 0, i, common = irnd(r, 3);

	while (n < end) {
		struct ppu_insn *in = &code[n];
		uint32_t k = irnd(r, 100);

		if (k < 3) {				/* forward, to an instruction chosen at the end */
			branch(r, in, irnd(r, 6) ? irnd(r, 6) : PPU_PT, false, 0);
			PPU_SET(in, GN, PPU_GET(in, GP) != PPU_PT && irnd(r, 2));
			fix[fixes++] = n++;
		} else if (k < 5 && n + 3 < end) {	/* back: r50 counts */
			static struct ppu_insn count[2];

			if (!PPU_GET(&count[0], OP))
				text(count, "add.u32 r50, r50, 1\nsetp.lt.u32 p7, r50, 7\n");
			memcpy(code + n, count, sizeof(count));
			branch(r, code + n + 2, 7, false, loop + irnd(r, n - loop + 1));
			n += 3;
			if (irnd(r, 2))
				loop = n;
		} else if (k < 5 + 8 * mem) {
			n += memory(r, in);
			if (in < &code[n] && n < end)
				n += more_loads(r, &code[n], end - n, in);
		} else {
			n += irnd_insn(r, irnd(r, 3) < common ? any_op(r) : common_op(r), in);
		}
	}
	for (i = 0; i < fixes; i++)
		PPU_SET(&code[fix[i]], IMM, fix[i] + 1 + irnd(r, n - fix[i]));
	return n + epilogue(code + n);
}
