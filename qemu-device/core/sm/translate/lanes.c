/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of lanes, as vectors or as mask registers. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/translate/lanes.h"

#define SCRATCH_K	K(7)
#define UNORDERED	3

static bool evex(const struct ppu_seg *s)
{
	return s->e->evex;
}

static struct ppu_opn ones(struct ppu_seg *s)
{
	return ppu_seg_const(s, ~0u);
}

static int in_reg(struct ppu_seg *s, struct ppu_opn o)
{
	int t;

	if (o.kind == PPU_O_YMM)
		return o.reg;
	t = ppu_seg_temp(s);
	EM(s->e, VMOVDQA, Y(t), o);
	return t;
}

/* ---- sets ---- */

/* y = a OP b, AVX2's or AVX-512's way. */
static void logic(struct ppu_seg *s, ZydisMnemonic vex, ZydisMnemonic mask, int y, int a, int b)
{
	if (evex(s))
		ppu_emit_ops(s->e, mask, (const struct ppu_opn[]){ ppu_lanes_k(y), ppu_lanes_k(a), ppu_lanes_k(b) }, 3);
	else
		ppu_emit_ops(s->e, vex, (const struct ppu_opn[]){ Y(y), Y(a), Y(b) }, 3);
}
#define LOGIC(vex, mask, a, b) logic(s, ZYDIS_MNEMONIC_##vex, ZYDIS_MNEMONIC_##mask, y, a, b)

struct ppu_lanes ppu_lanes_all(struct ppu_seg *s, bool all)
{
	int y = ppu_seg_mask(s);

	if (evex(s))
		EM(s->e, KXNORW, ppu_lanes_k(y), ppu_lanes_k(y), ppu_lanes_k(y));
	else
		EM(s->e, VMOVDQA, Y(y), ones(s));
	return (struct ppu_lanes){ y, !all };
}

/* The same in y, which may be one of both. */
static struct ppu_lanes combine(struct ppu_seg *s, int y, enum ppu_lanes_op op, struct ppu_lanes a, struct ppu_lanes b)
{
	bool or = op == PPU_LANES_OR, invert = or;

	if (op == PPU_LANES_XOR) {
		LOGIC(VPXOR, KXORW, a.y, b.y);
		return (struct ppu_lanes){ y, a.invert != b.invert };
	}
	/* a | b = ~(~a & ~b) */
	a.invert ^= or;
	b.invert ^= or;
	if (a.invert && b.invert) {
		LOGIC(VPOR, KORW, a.y, b.y);
		invert = !or;
	} else if (a.invert) {
		LOGIC(VPANDN, KANDNW, a.y, b.y);
	} else if (b.invert) {
		LOGIC(VPANDN, KANDNW, b.y, a.y);
	} else {
		LOGIC(VPAND, KANDW, a.y, b.y);
	}
	return (struct ppu_lanes){ y, invert };
}

struct ppu_lanes ppu_lanes_op(struct ppu_seg *s, enum ppu_lanes_op op, struct ppu_lanes a, struct ppu_lanes b)
{
	return combine(s, ppu_seg_mask(s), op, a, b);
}

struct ppu_lanes ppu_lanes_merge(struct ppu_seg *s, struct ppu_lanes where, struct ppu_lanes now, struct ppu_lanes old)
{
	int y = ppu_seg_mask(s);
	struct ppu_lanes l = combine(s, y, PPU_LANES_XOR, now, old);

	l = combine(s, y, PPU_LANES_AND, where, l);
	return combine(s, y, PPU_LANES_XOR, l, old);
}

/* ---- comparisons ---- */

/* a >= b of unsigned words or, with le, a <= b; AVX2. */
static int order(struct ppu_seg *s, bool le, int a, struct ppu_opn b)
{
	int t = ppu_seg_temp(s);

	if (le)
		EM(s->e, VPMINUD, Y(t), Y(a), b);
	else
		EM(s->e, VPMAXUD, Y(t), Y(a), b);
	EM(s->e, VPCMPEQD, Y(t), Y(t), Y(a));
	return t;
}

static struct ppu_lanes compare_avx2(struct ppu_seg *s, unsigned cmp, bool sgn, int a, struct ppu_opn b)
{
	bool gt = cmp == PPU_CMP_GT || cmp == PPU_CMP_LE, invert = cmp == PPU_CMP_GE || cmp == PPU_CMP_LE;
	int t;

	if (cmp == PPU_CMP_EQ || cmp == PPU_CMP_NE) {
		t = ppu_seg_temp(s);
		EM(s->e, VPCMPEQD, Y(t), Y(a), b);
		return (struct ppu_lanes){ t, cmp == PPU_CMP_NE };
	}
	if (!sgn)
		return (struct ppu_lanes){ order(s, gt, a, b), !invert };
	t = in_reg(s, b);
	if (t == a || s->y[t].kind != PPU_Y_TEMP) {
		int r = ppu_seg_temp(s);

		if (gt)
			EM(s->e, VPCMPGTD, Y(r), Y(a), Y(t));
		else
			EM(s->e, VPCMPGTD, Y(r), Y(t), Y(a));
		return (struct ppu_lanes){ r, invert };
	}
	if (gt)
		EM(s->e, VPCMPGTD, Y(t), Y(a), Y(t));
	else
		EM(s->e, VPCMPGTD, Y(t), Y(t), Y(a));
	return (struct ppu_lanes){ t, invert };
}

struct ppu_lanes ppu_lanes_compare(struct ppu_seg *s, unsigned cmp, bool sgn, int a, struct ppu_opn b)
{
	static const uint8_t host[] = { [PPU_CMP_EQ] = 0, [PPU_CMP_NE] = 4, [PPU_CMP_LT] = 1, [PPU_CMP_LE] = 2,
					[PPU_CMP_GT] = 6, [PPU_CMP_GE] = 5 };
	int y;

	if (!evex(s))
		return compare_avx2(s, cmp, sgn, a, b);
	y = ppu_seg_mask(s);
	if (sgn)
		EM(s->e, VPCMPD, ppu_lanes_k(y), Y(a), b, IM(host[cmp]));
	else
		EM(s->e, VPCMPUD, ppu_lanes_k(y), Y(a), b, IM(host[cmp]));
	return (struct ppu_lanes){ y, false };
}

struct ppu_lanes ppu_lanes_compare_f32(struct ppu_seg *s, unsigned predicate, int a, struct ppu_opn b)
{
	int y = ppu_seg_mask(s);

	EM(s->e, VCMPPS, evex(s) ? ppu_lanes_k(y) : Y(y), Y(a), b, IM(predicate));
	return (struct ppu_lanes){ y, false };
}

struct ppu_lanes ppu_lanes_compare_f64(struct ppu_seg *s, unsigned predicate, const int *t, const struct ppu_opn *a,
				       const struct ppu_opn *b)
{
	int y;

	for (unsigned i = 0; i < 2; i++) {
		if (evex(s)) {
			EM(s->e, VCMPPD, SCRATCH_K, a[i], b[i], IM(predicate));
			EM(s->e, VPMOVM2Q, Y(t[i]), SCRATCH_K);
		} else {
			EM(s->e, VCMPPD, Y(t[i]), a[i], b[i], IM(predicate));
		}
	}
	/* One word of each number, in the order of lanes. */
	EM(s->e, VSHUFPS, Y(t[0]), Y(t[0]), Y(t[1]), IM(0x88));
	ppu_seg_drop(s, t[1]);
	if (!evex(s))
		return (struct ppu_lanes){ t[0], false };
	y = ppu_seg_mask(s);
	EM(s->e, VPMOVD2M, ppu_lanes_k(y), Y(t[0]));
	return (struct ppu_lanes){ y, false };
}

/* ---- vectors by sets ---- */

void ppu_lanes_blend(struct ppu_seg *s, int y, struct ppu_opn on, struct ppu_opn off, struct ppu_lanes l)
{
	struct ppu_opn set = l.invert ? off : on, clear = Y(in_reg(s, l.invert ? on : off));

	if (evex(s))
		EM(s->e, VPBLENDMD, Y(y), ppu_lanes_k(l.y), clear, set);
	else
		EM(s->e, VBLENDVPS, Y(y), clear, set, Y(l.y));
}

void ppu_lanes_keep(struct ppu_seg *s, int y, struct ppu_lanes l)
{
	if (!evex(s)) {
		if (l.invert)
			EM(s->e, VPANDN, Y(y), Y(l.y), Y(y));
		else
			EM(s->e, VPAND, Y(y), Y(l.y), Y(y));
	} else if (l.invert) {
		EM(s->e, KNOTW, SCRATCH_K, ppu_lanes_k(l.y));
		EMZ(s->e, VMOVDQA32, Y(y), SCRATCH_K, Y(y));
	} else {
		EMZ(s->e, VMOVDQA32, Y(y), ppu_lanes_k(l.y), Y(y));
	}
}

void ppu_lanes_by_sign(struct ppu_seg *s, int y, int clear, int set, int sign)
{
	if (evex(s)) {
		EM(s->e, VPMOVD2M, SCRATCH_K, Y(sign));
		EM(s->e, VPBLENDMD, Y(y), SCRATCH_K, Y(clear), Y(set));
	} else {
		EM(s->e, VBLENDVPS, Y(y), Y(clear), Y(set), Y(sign));
	}
}

void ppu_lanes_alternate(struct ppu_seg *s, int y, int even, int odd)
{
	static const uint32_t words[16] = { 0, ~0u, 0, ~0u, 0, ~0u, 0, ~0u, 0, ~0u, 0, ~0u, 0, ~0u, 0, ~0u };

	if (!evex(s)) {
		EM(s->e, VPBLENDD, Y(y), Y(even), Y(odd), IM(0xaa));
		return;
	}
	if (y == odd) {
		EM(s->e, VPTERNLOGD, Y(y), Y(even), M(R13, ppu_lanes_vector(s, words), PPU_VEC), IM(0xe4));
		return;
	}
	if (y != even)
		EM(s->e, VMOVDQA, Y(y), Y(even));
	EM(s->e, VPTERNLOGD, Y(y), Y(odd), M(R13, ppu_lanes_vector(s, words), PPU_VEC), IM(0xd8));
}

void ppu_lanes_halves(struct ppu_seg *s, int y, int a, int b, bool upper)
{
	if (evex(s))
		EM(s->e, VSHUFI64X2, Y(y), Y(a), Y(b), IM(upper ? 3 : 0));
	else
		EM(s->e, VPERM2I128, Y(y), Y(a), Y(b), IM(upper ? 0x31 : 0x20));
}

void ppu_lanes_canonical_f32(struct ppu_seg *s, int y)
{
	struct ppu_opn nan = ppu_seg_const(s, 0x7fffffff);

	if (evex(s)) {
		EM(s->e, VCMPPS, SCRATCH_K, Y(y), Y(y), IM(UNORDERED));
		EM(s->e, VMOVDQA32, Y(y), SCRATCH_K, nan);
	} else {
		EM(s->e, VCMPPS, Y(PPU_SEG_SCRATCH), Y(y), Y(y), IM(UNORDERED));
		EM(s->e, VBLENDVPS, Y(y), Y(y), nan, Y(PPU_SEG_SCRATCH));
	}
}

void ppu_lanes_canonical_f64(struct ppu_seg *s, int y, struct ppu_opn nan)
{
	if (evex(s)) {
		EM(s->e, VCMPPD, SCRATCH_K, Y(y), Y(y), IM(UNORDERED));
		EM(s->e, VMOVDQA64, Y(y), SCRATCH_K, nan);
	} else {
		EM(s->e, VCMPPD, Y(PPU_SEG_SCRATCH), Y(y), Y(y), IM(UNORDERED));
		EM(s->e, VBLENDVPD, Y(y), Y(y), nan, Y(PPU_SEG_SCRATCH));
	}
}

/* ---- to and from general registers ---- */

void ppu_lanes_test(struct ppu_seg *s, int y)
{
	if (evex(s)) {
		EM(s->e, VPTESTMD, SCRATCH_K, Y(y), Y(y));
		EM(s->e, KORTESTW, SCRATCH_K, SCRATCH_K);
	} else {
		EM(s->e, VPTEST, Y(y), Y(y));
	}
}

void ppu_lanes_bits(struct ppu_seg *s, unsigned reg, struct ppu_lanes l)
{
	if (!evex(s))
		EM(s->e, VMOVMSKPS, D(reg), Y(l.y));
	else if (s->e->wide)
		EM(s->e, KMOVW, D(reg), ppu_lanes_k(l.y));
	else
		EM(s->e, KMOVB, D(reg), ppu_lanes_k(l.y));
}

void ppu_lanes_keep_bits(struct ppu_seg *s, struct ppu_opn to, struct ppu_lanes l)
{
	const struct ppu_opn al = { PPU_O_R8, RAX, 1, 0 };
	struct ppu_opn k;

	if (!evex(s)) {
		EM(s->e, VMOVMSKPS, D(RAX), Y(l.y));
		if (l.invert)
			EM(s->e, XOR, D(RAX), IM(0xff));
		EM(s->e, MOV, to, al);
		return;
	}
	k = ppu_lanes_k(l.y);
	if (l.invert) {
		EM(s->e, KNOTW, SCRATCH_K, k);
		k = SCRATCH_K;
	}
	if (s->e->wide)
		EM(s->e, KMOVW, to, k);
	else
		EM(s->e, KMOVB, to, k);
}

struct ppu_lanes ppu_lanes_from(struct ppu_seg *s, struct ppu_opn bits)
{
	int y = ppu_seg_mask(s);

	if (evex(s)) {
		if (s->e->wide)
			EM(s->e, KMOVW, ppu_lanes_k(y), bits);
		else
			EM(s->e, KMOVB, ppu_lanes_k(y), bits);
		return (struct ppu_lanes){ y, false };
	}
	if (bits.kind == PPU_O_MEM) {
		EM(s->e, VPBROADCASTB, Y(y), bits);
	} else {
		EM(s->e, VMOVD, X(y), bits);
		EM(s->e, VPBROADCASTB, Y(y), X(y));
	}
	/* The region puts one bit for each lane first into the pool. */
	EM(s->e, VPAND, Y(y), Y(y), M(R13, 0, 32));
	EM(s->e, VPCMPEQD, Y(y), Y(y), M(R13, 0, 32));
	return (struct ppu_lanes){ y, false };
}

uint32_t ppu_lanes_vector(struct ppu_seg *s, const uint32_t word[16])
{
	return ppu_emit_vector(s->e, word);
}
#endif
