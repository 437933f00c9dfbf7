/* SPDX-License-Identifier: MIT */
/*
 * Every integer, bit and comparison form of PTX that the compiler takes, executed and compared with
 * a reference in C.  Rows: HW-46 (operations), HW-47 (integer ALU).
 */
#include "ptx_forms.h"

static const unsigned widths[] = { 16, 32, 64 };
#define LETTER(bits)	((bits) == 16 ? 'h' : (bits) == 32 ? 'w' : 'q')

static const char *sig4(unsigned d, unsigned a, unsigned b, unsigned c)
{
	static char s[5];

	s[0] = LETTER(d);
	s[1] = a ? LETTER(a) : 0;
	s[2] = b ? LETTER(b) : 0;
	s[3] = c ? LETTER(c) : 0;
	s[4] = 0;
	return s;
}

typedef __int128 s128;
typedef unsigned __int128 u128;

static s128 val(const struct form *f, u64 v)
{
	return f->sign ? (s128)sx(v, f->bits) : (s128)(v & mask(f->bits));
}

static u64 clamp_s32(s128 v)
{
	return (u64)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

/* ---- arithmetic ---- */

enum { ADD, SUB, ADDSAT, SUBSAT, MULLO, MULHI, MULWIDE, MADLO, MADHI, MADWIDE, MADHISAT, DIV, REM, MIN,
       MAX, NEG, ABS, SAD };

static u64 ref_arith(const struct form *f, u64 ua, u64 ub, u64 uc)
{
	s128 a = val(f, ua), b = val(f, ub), c = val(f, uc);
	bool wrap = f->sign && f->bits == 64;

	switch (f->op) {
	case ADD: return (u64)(a + b);
	case SUB: return (u64)(a - b);
	case ADDSAT: return clamp_s32(a + b);
	case SUBSAT: return clamp_s32(a - b);
	case MULLO: return (u64)((u128)a * (u128)b);
	case MULHI: return (u64)(f->sign ? (u128)(a * b) >> f->bits : ((u128)a * (u128)b) >> f->bits);
	case MULWIDE: return (u64)(a * b);
	case MADLO: return (u64)((u128)a * (u128)b + (u128)c);
	case MADHI: return (u64)(f->sign ? (u128)(a * b) >> f->bits : ((u128)a * (u128)b) >> f->bits) + (u64)c;
	case MADWIDE: return (u64)(a * b) + uc;
	case MADHISAT: return clamp_s32((s128)((s64)(a * b) >> 32) + c);
	case DIV: return !b ? ~0ull : wrap && b == -1 ? (u64)-a : (u64)(a / b);
	case REM: return !b ? (u64)a : wrap && b == -1 ? 0 : (u64)(a % b);
	case MIN: return (u64)(a < b ? a : b);
	case MAX: return (u64)(a > b ? a : b);
	case NEG: return (u64)-a;
	case ABS: return (u64)(a < 0 ? -a : a);
	default: return (u64)(c + (a > b ? a - b : b - a));
	}
}

static void arith(const char *name, int op, unsigned k, bool sign, unsigned sources)
{
	unsigned w = widths[k];

	form(sig4(w, w, sources > 1 ? w : 0, sources > 2 ? w : 0), ref_arith, w, sign, op, 0,
	     sources == 3 ? "%s.%c%u %%d, %%a, %%b, %%c;" : sources == 2 ? "%s.%c%u %%d, %%a, %%b;" :
	     "%s.%c%u %%d, %%a;", name, sign ? 's' : 'u', w);
}

START_TEST(test_arithmetic)
{
	unsigned k;
	int s;

	for (k = 0; k < 3; k++)
		for (s = 0; s < 2; s++) {
			arith("add", ADD, k, s, 2);
			arith("sub", SUB, k, s, 2);
			arith("mul.lo", MULLO, k, s, 2);
			arith("mul.hi", MULHI, k, s, 2);
			arith("mad.lo", MADLO, k, s, 3);
			arith("mad.hi", MADHI, k, s, 3);
			arith("div", DIV, k, s, 2);
			arith("rem", REM, k, s, 2);
			arith("min", MIN, k, s, 2);
			arith("max", MAX, k, s, 2);
			arith("sad", SAD, k, s, 3);
			if (s)
				arith("neg", NEG, k, s, 1);
			if (s)
				arith("abs", ABS, k, s, 1);
			if (k == 2)
				continue;
			form(sig4(widths[k + 1], widths[k], widths[k], 0), ref_arith, widths[k], s, MULWIDE, 0,
			     "mul.wide.%c%u %%d, %%a, %%b;", s ? 's' : 'u', widths[k]);
			form(sig4(widths[k + 1], widths[k], widths[k], widths[k + 1]), ref_arith, widths[k], s,
			     MADWIDE, 0, "mad.wide.%c%u %%d, %%a, %%b, %%c;", s ? 's' : 'u', widths[k]);
		}
	arith("add.sat", ADDSAT, 1, 1, 2);
	arith("sub.sat", SUBSAT, 1, 1, 2);
	arith("mad.hi.sat", MADHISAT, 1, 1, 3);
	forms_run(3);
}
END_TEST

/* ---- carries: a + b over two limbs, the high limb is the result ---- */

static u64 ref_carry(const struct form *f, u64 a, u64 b, u64 c)
{
	u128 m = (u128)1 << f->bits, v;

	a &= mask(f->bits);
	b &= mask(f->bits);
	c &= mask(f->bits);
	switch (f->op) {
	case 0:		/* add.cc a, b; addc.cc c, b -> t; addc 0, 0 */
		v = (u128)a + b;
		v = (u128)c + b + (v >= m);
		return f->mode ? (u64)v : v >= m;
	case 1:
		v = (u128)a - b;
		v = (u128)c - b - (a < b);
		return f->mode ? (u64)v : (u64)-(s64)((u128)c < (u128)b + (a < b));
	case 2:		/* mad.lo.cc, madc.hi */
		v = ((u128)a * b & mask(f->bits)) + c;
		return (u64)((u128)a * b >> f->bits) + c + (v >= m);
	default:	/* mad.hi.cc, madc.lo */
		v = ((u128)a * b >> f->bits) + c;
		return (u64)((u128)a * b) + c + (v >= m);
	}
}

START_TEST(test_carry)
{
	unsigned k;
	int s;

	for (k = 1; k < 3; k++)
		for (s = 0; s < 2; s++) {
			unsigned w = widths[k];
			char t = s ? 's' : 'u', r = k == 1 ? 't' : 'l';
			const char *sig = sig4(w, w, w, w);

			form(sig, ref_carry, w, 0, 0, 0, "add.cc.%c%u %%%c1, %%a, %%b;\naddc.cc.%c%u %%%c2, %%c, %%b;\n"
			     "addc.%c%u %%d, 0, 0;", t, w, r, t, w, r, t, w);
			form(sig, ref_carry, w, 0, 0, 1, "add.cc.%c%u %%%c1, %%a, %%b;\naddc.%c%u %%d, %%c, %%b;", t, w, r, t, w);
			form(sig, ref_carry, w, 0, 1, 0, "sub.cc.%c%u %%%c1, %%a, %%b;\nsubc.cc.%c%u %%%c2, %%c, %%b;\n"
			     "subc.%c%u %%d, 0, 0;", t, w, r, t, w, r, t, w);
			form(sig, ref_carry, w, 0, 1, 1, "sub.cc.%c%u %%%c1, %%a, %%b;\nsubc.%c%u %%d, %%c, %%b;", t, w, r, t, w);
			if (s)
				continue;
			form(sig, ref_carry, w, 0, 2, 0, "mad.lo.cc.%c%u %%%c1, %%a, %%b, %%c;\nmadc.hi.%c%u %%d, %%a, %%b, %%c;",
			     t, w, r, t, w);
			form(sig, ref_carry, w, 0, 2, 0, "mad.lo.cc.%c%u %%%c1, %%a, %%b, %%c;\nmadc.hi.cc.%c%u %%d, %%a, %%b, %%c;",
			     t, w, r, t, w);
			form(sig, ref_carry, w, 0, 3, 0, "mad.hi.cc.%c%u %%%c1, %%a, %%b, %%c;\nmadc.lo.%c%u %%d, %%a, %%b, %%c;",
			     t, w, r, t, w);
			form(sig, ref_carry, w, 0, 3, 0, "mad.hi.cc.%c%u %%%c1, %%a, %%b, %%c;\nmadc.lo.cc.%c%u %%d, %%a, %%b, %%c;",
			     t, w, r, t, w);
		}
	forms_run(3);
}
END_TEST

/* ---- 24 bits, dot products, byte differences ---- */

static u64 ref_24(const struct form *f, u64 a, u64 b, u64 c)
{
	s128 x = f->sign ? sx(a, 24) : (s64)(a & 0xffffff), y = f->sign ? sx(b, 24) : (s64)(b & 0xffffff);
	s128 p = x * y;
	s128 r = f->op ? (s128)(f->sign ? (s64)(s32)(p >> 16) : (s64)(u32)(p >> 16)) : p;

	if (f->mode == 2)
		return clamp_s32((s32)(p >> 16) + (s128)(s32)c);
	return (u64)(r + (f->mode ? (s128)c : 0));
}

static u64 ref_dp(const struct form *f, u64 a, u64 b, u64 c)
{
	bool sa = f->mode & 1, sb = f->mode & 2;
	unsigned n = f->op == 4 ? 4 : 2, w = f->op == 4 ? 8 : 16, k;
	s64 r = (s64)c;

	if (f->op == 3)		/* dp2a.hi: the upper bytes of b */
		b >>= 16;
	for (k = 0; k < n; k++) {
		u64 x = a >> (k * w) & mask(w), y = b >> (k * 8) & 0xff;

		r += (sa ? sx(x, w) : (s64)x) * (sb ? sx(y, 8) : (s64)y);
	}
	return (u64)r;
}

/* op: bits of an element */
static u64 ref_vabsdiff(const struct form *f, u64 a, u64 b, u64 c)
{
	unsigned w = (unsigned)f->op, k;
	u64 r = 0;

	for (k = 0; k < 32; k += w) {
		s64 x = f->sign ? sx(a >> k, w) : (s64)(a >> k & mask(w));
		s64 y = f->sign ? sx(b >> k, w) : (s64)(b >> k & mask(w));
		u64 d = (u64)(x > y ? x - y : y - x);

		r = f->mode ? r + d : r | (d & mask(w)) << k;
	}
	return f->mode ? r + c : r;
}

START_TEST(test_small_products)
{
	static const char *const part[] = { "lo", "hi" }, *const t[] = { "u32", "s32" };
	int h, s, k;

	for (h = 0; h < 2; h++)
		for (s = 0; s < 2; s++) {
			form("www", ref_24, 32, s, h, 0, "mul24.%s.%s %%d, %%a, %%b;", part[h], t[s]);
			form("wwww", ref_24, 32, s, h, 1, "mad24.%s.%s %%d, %%a, %%b, %%c;", part[h], t[s]);
		}
	form("wwww", ref_24, 32, 1, 1, 2, "mad24.hi.sat.s32 %%d, %%a, %%b, %%c;");
	for (k = 0; k < 4; k++) {
		form("wwww", ref_dp, 32, 0, 4, k, "dp4a.%s.%s %%d, %%a, %%b, %%c;", t[k & 1], t[k >> 1]);
		for (h = 0; h < 2; h++)
			form("wwww", ref_dp, 32, 0, 2 + h, k, "dp2a.%s.%s.%s %%d, %%a, %%b, %%c;", part[h], t[k & 1],
			     t[k >> 1]);
	}
	for (s = 0; s < 2; s++) {
		for (k = 2; k <= 4; k += 2) {
			form("wwww", ref_vabsdiff, 32, s, 32 / k, 1, "vabsdiff%d.%s.%s.%s.add %%d, %%a, %%b, %%c;", k, t[s], t[s], t[s]);
			form("wwww", ref_vabsdiff, 32, s, 32 / k, 0, "vabsdiff%d.%s.%s.%s %%d, %%a, %%b, %%c;", k, t[s], t[s], t[s]);
		}
	}
	forms_run(4);
}
END_TEST

/* ---- bits ---- */

enum { AND, OR, XOR, NOT, CNOT, SHL, SHR, POPC, CLZ, BREV, BFIND, BFINDS, BFE, SZEXTC, SZEXTW, MOV };

static int msb(u64 v)
{
	return v ? 63 - __builtin_clzll(v) : -1;
}

static u64 ref_bfe(const struct form *f, u64 a, unsigned pos, unsigned len)
{
	unsigned top = f->bits - 1, k, s = pos + len - 1 < top ? pos + len - 1 : top;
	bool sbit = f->sign && len && a >> s & 1;
	u64 d = 0;

	for (k = 0; k <= top; k++)
		d |= (u64)(k < len && pos + k <= top ? a >> (pos + k) & 1 : sbit) << k;
	return d;
}

static u64 ref_bits(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 m = mask(f->bits), r = 0;
	unsigned k;
	int top;

	switch (f->op) {
	case AND: return a & b;
	case OR: return a | b;
	case XOR: return a ^ b;
	case NOT: return ~a;
	case CNOT: return !a;
	case SHL: return b >= f->bits ? 0 : a << b;
	case SHR:
		if (f->sign)
			return (u64)(sx(a, f->bits) >> (b >= f->bits ? f->bits - 1 : b));
		return b >= f->bits ? 0 : a >> b;
	case POPC: return (u64)__builtin_popcountll(a);
	case CLZ: return (u64)((int)f->bits - 1 - msb(a));
	case BREV:
		for (k = 0; k < f->bits; k++)
			r |= (a >> k & 1) << (f->bits - 1 - k);
		return r;
	case BFIND:
	case BFINDS:
		top = msb(f->sign && a >> (f->bits - 1) ? ~a & m : a);
		return top < 0 ? 0xffffffff : f->op == BFINDS ? f->bits - 1 - (unsigned)top : (u64)top;
	case BFE: return ref_bfe(f, a, b & 0xff, c & 0xff);
	case SZEXTC: return ref_bfe(f, a, 0, b > 32 ? 32 : (unsigned)b);
	case SZEXTW: return ref_bfe(f, a, 0, b & 31);
	default: return a;
	}
}

START_TEST(test_bits)
{
	unsigned k;
	int s;

	for (k = 0; k < 3; k++) {
		unsigned w = widths[k];

		form(sig4(w, w, w, 0), ref_bits, w, 0, AND, 0, "and.b%u %%d, %%a, %%b;", w);
		form(sig4(w, w, w, 0), ref_bits, w, 0, OR, 0, "or.b%u %%d, %%a, %%b;", w);
		form(sig4(w, w, w, 0), ref_bits, w, 0, XOR, 0, "xor.b%u %%d, %%a, %%b;", w);
		form(sig4(w, w, 0, 0), ref_bits, w, 0, NOT, 0, "not.b%u %%d, %%a;", w);
		form(sig4(w, w, 0, 0), ref_bits, w, 0, CNOT, 0, "cnot.b%u %%d, %%a;", w);
		form(sig4(w, w, 32, 0), ref_bits, w, 0, SHL, 0, "shl.b%u %%d, %%a, %%b;", w);
		form(sig4(w, w, 32, 0), ref_bits, w, 0, SHR, 0, "shr.b%u %%d, %%a, %%b;", w);
		form(sig4(w, w, 32, 0), ref_bits, w, 0, SHR, 0, "shr.u%u %%d, %%a, %%b;", w);
		form(sig4(w, w, 32, 0), ref_bits, w, 1, SHR, 0, "shr.s%u %%d, %%a, %%b;", w);
		form(sig4(w, w, 0, 0), ref_bits, w, 0, MOV, 0, "mov.b%u %%d, %%a;", w);
		form(sig4(w, w, 0, 0), ref_bits, w, 0, MOV, 0, "mov.u%u %%d, %%a;", w);
		form(sig4(w, w, 0, 0), ref_bits, w, 0, MOV, 0, "mov.s%u %%d, %%a;", w);
		if (!k)
			continue;
		form(sig4(32, w, 0, 0), ref_bits, w, 0, POPC, 0, "popc.b%u %%d, %%a;", w);
		form(sig4(32, w, 0, 0), ref_bits, w, 0, CLZ, 0, "clz.b%u %%d, %%a;", w);
		form(sig4(w, w, 0, 0), ref_bits, w, 0, BREV, 0, "brev.b%u %%d, %%a;", w);
		for (s = 0; s < 2; s++) {
			form(sig4(32, w, 0, 0), ref_bits, w, s, BFIND, 0, "bfind.%c%u %%d, %%a;", s ? 's' : 'u', w);
			form(sig4(32, w, 0, 0), ref_bits, w, s, BFINDS, 0, "bfind.shiftamt.%c%u %%d, %%a;",
			     s ? 's' : 'u', w);
			form(sig4(w, w, 32, 32), ref_bits, w, s, BFE, 0, "bfe.%c%u %%d, %%a, %%b, %%c;", s ? 's' : 'u', w);
		}
	}
	for (s = 0; s < 2; s++) {
		form("www", ref_bits, 32, s, SZEXTC, 0, "szext.clamp.%c32 %%d, %%a, %%b;", s ? 's' : 'u');
		form("www", ref_bits, 32, s, SZEXTW, 0, "szext.wrap.%c32 %%d, %%a, %%b;", s ? 's' : 'u');
	}
	forms_run(3);
}
END_TEST

static u64 ref_lop3(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 r = 0, k;

	for (k = 0; k < 32; k++)
		r |= ((u64)f->mode >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | (c >> k & 1)) & 1) << k;
	return r;
}

static u64 ref_shf(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 v = b << 32 | (a & 0xffffffff);
	unsigned n = f->mode & 2 ? (c > 32 ? 32 : (unsigned)c) : c & 31;

	return f->mode & 1 ? v >> n : n ? v << n >> 32 : b;
}

static u64 ref_prmt(const struct form *f, u64 a, u64 b, u64 c)
{
	/* PTX's table of the modes other than the general one: byte numbers, low digit first */
	static const u32 table[7][4] = { { 0 },
		{ 0x3210, 0x4321, 0x5432, 0x6543 }, { 0x5670, 0x6701, 0x7012, 0x0123 },
		{ 0x0000, 0x1111, 0x2222, 0x3333 }, { 0x3210, 0x3211, 0x3222, 0x3333 },
		{ 0x0000, 0x1110, 0x2210, 0x3210 }, { 0x1010, 0x3232, 0x1010, 0x3232 } };
	u64 v = b << 32 | (a & 0xffffffff), r = 0;
	u32 sel = f->mode ? table[f->mode][c & 3] : (u32)c, k;

	for (k = 0; k < 4; k++) {
		u64 byte = v >> ((sel >> (4 * k) & 7) * 8) & 0xff;

		if (!f->mode && sel >> (4 * k) & 8)
			byte = byte & 0x80 ? 0xff : 0;
		r |= byte << (8 * k);
	}
	return r;
}

static u64 ref_bmsk(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 pos = f->mode ? a & 31 : a, len = f->mode ? b & 31 : b;

	if (!f->mode && pos > 31)
		return 0;
	if (len > 32)
		len = 32;
	return mask((unsigned)len) << pos;
}

static u64 ref_bfi4(const struct form *f, u64 a, u64 b, u64 c)
{
	/* position c, length 9 */
	u64 d = b, k, pos = c & 0xff;

	for (k = 0; k < 9 && pos + k < f->bits; k++)
		d = (d & ~(1ull << (pos + k))) | (a >> k & 1) << (pos + k);
	return d;
}

START_TEST(test_more_bits)
{
	static const int tables[] = { 0x00, 0xff, 0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1b, 0x3c, 0xf0 };
	static const char *const modes[] = { "", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16" };
	unsigned k;

	for (k = 0; k < sizeof(tables) / sizeof(tables[0]); k++)
		form("wwww", ref_lop3, 32, 0, 0, tables[k], "lop3.b32 %%d, %%a, %%b, %%c, %d;", tables[k]);
	for (k = 0; k < 4; k++)
		form("wwww", ref_shf, 32, 0, 0, (int)k, "shf.%c.%s.b32 %%d, %%a, %%b, %%c;", k & 1 ? 'r' : 'l',
		     k & 2 ? "clamp" : "wrap");
	for (k = 0; k < 7; k++)
		form("wwww", ref_prmt, 32, 0, 0, (int)k, "prmt.b32%s %%d, %%a, %%b, %%c;", modes[k]);
	form("www", ref_bmsk, 32, 0, 0, 0, "bmsk.clamp.b32 %%d, %%a, %%b;");
	form("www", ref_bmsk, 32, 0, 0, 1, "bmsk.wrap.b32 %%d, %%a, %%b;");
	form("wwww", ref_bfi4, 32, 0, 0, 0, "bfi.b32 %%d, %%a, %%b, %%c, 9;");
	form("wwww", ref_bfi4, 32, 0, 0, 0, "mov.u32 %%t1, 9;\nbfi.b32 %%d, %%a, %%b, %%c, %%t1;");
	form("qqqw", ref_bfi4, 64, 0, 0, 0, "bfi.b64 %%d, %%a, %%b, %%c, 9;");
	form("qqqw", ref_bfi4, 64, 0, 0, 0, "mov.u32 %%t1, 9;\nbfi.b64 %%d, %%a, %%b, %%c, %%t1;");
	forms_run(4);
}
END_TEST

/* ---- comparison and selection ---- */

static const char *const cmps[] = { "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs" };

static bool compare(const struct form *f, u64 a, u64 b)
{
	bool sign = f->sign && f->op < 6;
	s128 x = sign ? sx(a, f->bits) : (s128)a, y = sign ? sx(b, f->bits) : (s128)b;

	switch (f->op) {
	case 0: return x == y;
	case 1: return x != y;
	case 2: case 6: return x < y;
	case 3: case 7: return x <= y;
	case 4: case 8: return x > y;
	default: return x >= y;
	}
}

/* mode: 0 plain, 1..3 and or xor with c, +4 with !c, +8 the second predicate */
static u64 ref_setp(const struct form *f, u64 a, u64 b, u64 c)
{
	bool r = compare(f, a, b), q = (f->mode & 4 ? !c : c) & 1;

	if (f->mode & 8)
		r = !r;
	return (f->mode & 3) == 1 ? r && q : (f->mode & 3) == 2 ? r || q : (f->mode & 3) == 3 ? r != q : r;
}

static u64 ref_set(const struct form *f, u64 a, u64 b, u64 c)
{
	return ref_setp(f, a, b, c) ? f->mode & 16 ? 0x3f800000 : 0xffffffff : 0;
}

static const char *sigp(unsigned w, char d, bool with_c)
{
	static char s[5];

	s[0] = d;
	s[1] = s[2] = LETTER(w);
	s[3] = with_c ? 'p' : 0;
	s[4] = 0;
	return s;
}

START_TEST(test_compare)
{
	static const char *const ops[] = { "", ".and", ".or", ".xor" };
	unsigned k, c, t, o;

	for (k = 0; k < 3; k++)
		for (t = 0; t < 3; t++)
			for (c = 0; c < (t == 0 ? 10u : t == 1 ? 6u : 2u); c++) {
				unsigned w = widths[k];
				char type = "usb"[t];

				form(sigp(w, 'p', 0), ref_setp, w, t == 1, (int)c, 0, "setp.%s.%c%u %%d, %%a, %%b;",
				     cmps[c], type, w);
				if (c % 3 != 2)
					continue;
				for (o = 1; o < 4; o++) {
					form(sigp(w, 'p', 1), ref_setp, w, t == 1, (int)c, (int)o,
					     "setp.%s%s.%c%u %%d, %%a, %%b, %%c;", cmps[c], ops[o], type, w);
					form(sigp(w, 'p', 1), ref_setp, w, t == 1, (int)c, (int)o + 4,
					     "setp.%s%s.%c%u %%d, %%a, %%b, !%%c;", cmps[c], ops[o], type, w);
					form(sigp(w, 'p', 1), ref_setp, w, t == 1, (int)c, (int)o + 8,
					     "setp.%s%s.%c%u %%p1|%%d, %%a, %%b, %%c;", cmps[c], ops[o], type, w);
					form(sigp(w, 'w', 1), ref_set, w, t == 1, (int)c, (int)o,
					     "set.%s%s.u32.%c%u %%d, %%a, %%b, %%c;", cmps[c], ops[o], type, w);
				}
				form(sigp(w, 'p', 0), ref_setp, w, t == 1, (int)c, 8, "setp.%s.%c%u _|%%d, %%a, %%b;",
				     cmps[c], type, w);
				form(sigp(w, 'w', 0), ref_set, w, t == 1, (int)c, 16, "set.%s.f32.%c%u %%d, %%a, %%b;",
				     cmps[c], type, w);
				form(sigp(w, 'w', 0), ref_set, w, t == 1, (int)c, 0, "set.%s.s32.%c%u %%d, %%a, %%b;",
				     cmps[c], type, w);
			}
	forms_run(1);
}
END_TEST

static u64 ref_select(const struct form *f, u64 a, u64 b, u64 c)
{
	float v;
	u32 w = (u32)c;

	if (f->op == 0)
		return c & 1 ? a : b;
	if (f->op == 1)
		return c & 1 ? b : a;
	if (f->op == 4 && !(w & 0x7f800000))	/* flushed: a zero of either sign is not less than 0 */
		w = 0;
	memcpy(&v, &w, 4);
	return (f->op == 2 ? (s32)c >= 0 : v >= 0) ? a : b;
}

/* mode: 0 and, 1 or, 2 xor, 3 not, 4 mov, 5 and with !b */
static u64 ref_pred(const struct form *f, u64 a, u64 b, u64 c)
{
	bool x = a & 1, y = b & 1;

	switch (f->mode) {
	case 0: return x && y;
	case 1: return x || y;
	case 2: return x != y;
	case 3: return !x;
	case 4: return x;
	default: return x && !y;
	}
}

/* A guard: d = a, and b when the predicate holds. */
static u64 ref_guard(const struct form *f, u64 a, u64 b, u64 c)
{
	return (c & 1) != (u64)f->mode ? b : a;
}

START_TEST(test_select)
{
	static const char *const types[] = { "b", "u", "s", "f" };
	unsigned k, t;

	for (k = 0; k < 3; k++)
		for (t = 0; t < 4; t++) {
			unsigned w = widths[k];
			char l = t == 3 ? k == 1 ? 'f' : 'd' : LETTER(w), sig[5] = { l, l, l, 'p', 0 };

			if (t == 3 && !k)
				continue;
			form(sig, ref_select, w, 0, 0, 0, "selp.%s%u %%d, %%a, %%b, %%c;", types[t], w);
			form(sig, ref_select, w, 0, 1, 0, "selp.%s%u %%d, %%a, %%b, !%%c;", types[t], w);
			sig[3] = 'w';
			form(sig, ref_select, w, 0, 2, 0, "slct.%s%u.s32 %%d, %%a, %%b, %%c;", types[t], w);
			sig[3] = 'f';
			form(sig, ref_select, w, 0, 3, 0, "slct.%s%u.f32 %%d, %%a, %%b, %%c;", types[t], w);
			form(sig, ref_select, w, 0, 4, 0, "slct.ftz.%s%u.f32 %%d, %%a, %%b, %%c;", types[t], w);
			sig[3] = 'p';
			form(sig, ref_guard, w, 0, 0, 0, "mov.%s%u %%d, %%a;\n@%%c mov.%s%u %%d, %%b;",
			     t == 3 || !k ? "b" : types[t], w, t == 3 || !k ? "b" : types[t], w);
			form(sig, ref_guard, w, 0, 0, 1, "mov.b%u %%d, %%a;\n@!%%c mov.b%u %%d, %%b;", w, w);
		}
	form("ppp", ref_pred, 1, 0, 0, 0, "and.pred %%d, %%a, %%b;");
	form("ppp", ref_pred, 1, 0, 0, 1, "or.pred %%d, %%a, %%b;");
	form("ppp", ref_pred, 1, 0, 0, 2, "xor.pred %%d, %%a, %%b;");
	form("pp", ref_pred, 1, 0, 0, 3, "not.pred %%d, %%a;");
	form("pp", ref_pred, 1, 0, 0, 4, "mov.pred %%d, %%a;");
	form("ppp", ref_pred, 1, 0, 0, 5, "not.pred %%p1, %%b;\nand.pred %%d, %%a, %%p1;");
	forms_run(4);
}
END_TEST

/* ---- packing ---- */

/* The reference takes the value apart and puts it together as the text does: reversed elements. */
static u64 ref_swap(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 r = 0;
	unsigned n = f->bits / (unsigned)f->op, k;

	for (k = 0; k < n; k++)
		r |= (a >> (k * (unsigned)f->op) & mask((unsigned)f->op)) << ((n - 1 - k) * (unsigned)f->op);
	return r;
}

START_TEST(test_pack)
{
	form("wE", ref_swap, 32, 0, 16, 0, "mov.b32 {%%h1, %%h2}, %%a;\nmov.b32 %%d, {%%h2, %%h1};");
	form("qD", ref_swap, 64, 0, 32, 0, "mov.b64 {%%t1, %%t2}, %%a;\nmov.b64 %%d, {%%t2, %%t1};");
	form("qD", ref_swap, 64, 0, 16, 0, "mov.b64 {%%h1, %%h2, %%h3, %%h4}, %%a;\nmov.b64 %%d, {%%h4, %%h3, %%h2, %%h1};");
	form("wE", ref_swap, 32, 0, 8, 0, "mov.b32 {%%h1, %%h2, %%h3, %%h4}, %%a;\nmov.b32 %%d, {%%h4, %%h3, %%h2, %%h1};");
	form("qD", ref_swap, 64, 0, 32, 0, "mov.b64 %%l1, %%a;\nmov.b64 {%%t1, _}, %%l1;\nmov.b64 {_, %%t2}, %%l1;\n"
	     "mov.b64 %%d, {%%t2, %%t1};");
	form("qD", ref_swap, 64, 0, 64, 0, ".reg .b128 %%x;\nmov.b128 %%x, {%%a, %%a};\nmov.b128 {%%d, _}, %%x;");
	/* two and four bytes with cvt, as compilers do without byte vectors */
	form("hH", ref_swap, 16, 0, 8, 0, "shl.b16 %%h1, %%a, 8;\nshr.u16 %%h2, %%a, 8;\nor.b16 %%d, %%h1, %%h2;");
	forms_run(2);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_arithmetic, test_carry, test_small_products, test_bits, test_more_bits,
				 test_compare, test_select, test_pack };

	return forms_main("ptx_int", tests, sizeof(tests) / sizeof(tests[0]));
}
