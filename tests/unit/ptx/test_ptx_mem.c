/* SPDX-License-Identifier: MIT */
/*
 * Loads, stores and atomics of PTX over all types, spaces, vector lengths and modifiers, through
 * every way of naming the address.  Rows: HW-54, HW-56 (atomics), HW-60..HW-62 (spaces).
 */
#include "ptx_forms.h"

static const struct mtype { const char *name; unsigned bits; bool sign; } types[] = {
	{ "b8", 8, 0 }, { "u8", 8, 0 }, { "s8", 8, 1 }, { "b16", 16, 0 }, { "u16", 16, 0 }, { "s16", 16, 1 },
	{ "b32", 32, 0 }, { "u32", 32, 0 }, { "s32", 32, 1 }, { "f32", 32, 0 }, { "b64", 64, 0 },
	{ "u64", 64, 0 }, { "s64", 64, 1 }, { "f64", 64, 0 },
};
#define NT	(sizeof(types) / sizeof(types[0]))

/* Where a form's memory is, what comes before it, and the address of its 32 bytes in register %l0
 * (or %t0) and as a constant. */
enum { GLOBAL, SHARED, LOCAL, GENERIC_SHARED, GENERIC_LOCAL, GENERIC_GLOBAL };
static const struct place {
	const char *space, *setup, *reg;
} places[] = {
	[GLOBAL] = { ".global", "mov.u32 %t0, %tid.x;\nmul.wide.u32 %l0, %t0, 64;\nmov.u64 %l1, gl;\nadd.u64 %l0, %l0, %l1;", "%l0" },
	[SHARED] = { ".shared", ".shared .align 16 .b8 sh[4096];\nmov.u32 %t0, %tid.x;\nmul.lo.u32 %t0, %t0, 64;\nmov.u32 %t1, sh;\nadd.u32 %t0, %t0, %t1;", "%t0" },
	[LOCAL] = { ".local", ".local .align 16 .b8 lo[64];\nmov.u64 %l0, lo;", "%l0" },
	[GENERIC_SHARED] = { "", ".shared .align 16 .b8 sh[4096];\nmov.u32 %t0, %tid.x;\nmul.lo.u32 %t0, %t0, 64;\ncvt.u64.u32 %l1, %t0;\nmov.u64 %l0, sh;\nadd.u64 %l0, %l0, %l1;\ncvta.shared.u64 %l0, %l0;", "%l0" },
	[GENERIC_LOCAL] = { "", ".local .align 16 .b8 lo[64];\nmov.u64 %l0, lo;\ncvta.local.u64 %l0, %l0;", "%l0" },
	[GENERIC_GLOBAL] = { "", "mov.u32 %t0, %tid.x;\nmul.wide.u32 %l0, %t0, 64;\nmov.u64 %l1, gl;\ncvta.global.u64 %l1, %l1;\nadd.u64 %l0, %l0, %l1;", "%l0" },
};
#define NP	(sizeof(places) / sizeof(places[0]))

/* The thread's 16 bytes are a, b; the result of a load of type t at offset op. */
static u64 ref_load(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 m[2] = { a, b }, v = 0;

	memcpy(&v, (char *)m + f->op, f->bits / 8);
	return f->sign ? (u64)sx(v, f->bits) : v & mask(f->bits);
}

static u64 ref_first(const struct form *f, u64 a, u64 b, u64 c)
{
	return a;
}

static char reg_of(unsigned bits)
{
	return bits <= 16 ? 'h' : bits == 32 ? 't' : 'l';
}

static const char *sig_of(unsigned bits)
{
	return bits <= 16 ? "HDD" : bits == 32 ? "EDD" : "DDD";
}

static const char *const qualifiers[] = { "", ".volatile", ".relaxed.gpu", ".acquire.sys", ".weak" };
static const char *const store_qualifiers[] = { "", ".volatile", ".relaxed.cta", ".release.gpu", ".weak" };

static void load_forms(unsigned p, unsigned t, unsigned q)
{
	const struct mtype *ty = &types[t];
	const struct place *pl = &places[p];
	unsigned step = ty->bits / 8;
	char r = reg_of(ty->bits);

	if (p == LOCAL && q >= 2 && q < 4)	/* no scopes in local memory */
		return;
	form(sig_of(ty->bits), ref_load, ty->bits, ty->sign, (int)step, 0,
	     "%s\nst%s.u64 [%s], %%a;\nst%s.u64 [%s+8], %%b;\nld%s%s.%s %%d, [%s+%u];", pl->setup, pl->space, pl->reg,
	     pl->space, pl->reg, qualifiers[q], pl->space, ty->name, pl->reg, step);
	/* a store of the type, read back with a plain load of 64 bits around it */
	form("DDD", ref_first, ty->bits, 0, 0, 0,
	     "%s\nst%s.u64 [%s], %%a;\nld%s.%s %%%c1, [%s+%u];\nst%s.u64 [%s+%u], 0;\n"
	     "st%s%s.%s [%s+%u], %%%c1;\nst%s.u64 [%s+32], %%a;\nld%s.u64 %%d, [%s+32];",
	     pl->setup, pl->space, pl->reg, pl->space, ty->name, r, pl->reg, 0u, pl->space, pl->reg, 8u,
	     store_qualifiers[q], pl->space, ty->name, pl->reg, 8u, r, pl->space, pl->reg, pl->space, pl->reg);
}

/* st of a narrow type changes its bytes and no others: b over the middle of a. */
static u64 ref_store(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 m = mask(f->bits) << (f->op * 8);

	return (a & ~m) | (b << (f->op * 8) & m);
}

static void store_forms(unsigned p, unsigned t, unsigned q)
{
	const struct mtype *ty = &types[t];
	const struct place *pl = &places[p];
	unsigned off = ty->bits == 64 ? 0 : ty->bits == 32 ? 4 : ty->bits == 16 ? 2 : 5;

	if (p == LOCAL && q >= 2 && q < 4)
		return;
	form(ty->bits <= 16 ? "DDH" : ty->bits == 32 ? "DDE" : "DDD", ref_store, ty->bits, 0, (int)off, 0,
	     "%s\nst%s.u64 [%s], %%a;\nst%s%s.%s [%s+%u], %%b;\nld%s.u64 %%d, [%s];", pl->setup, pl->space, pl->reg,
	     store_qualifiers[q], pl->space, ty->name, pl->reg, off, pl->space, pl->reg);
	if (ty->bits == 8)	/* from a wider register */
		form("DDD", ref_store, ty->bits, 0, (int)off, 0,
		     "%s\nst%s.u64 [%s], %%a;\nst%s.%s [%s+%u], %%b;\nld%s.u64 %%d, [%s];", pl->setup, pl->space, pl->reg,
		     pl->space, ty->name, pl->reg, off, pl->space, pl->reg);
}

START_TEST(test_scalar)
{
	unsigned p, t, q;

	for (p = 0; p < NP; p++)
		for (t = 0; t < NT; t++)
			for (q = 0; q < (t % 3 == 1 ? 5u : 1u); q++) {
				load_forms(p, t, q);
				store_forms(p, t, q);
			}
	forms_run(1);
}
END_TEST

/* Vectors: {a, b} in, element op out. */
static void vector_forms(unsigned p, unsigned t, unsigned n)
{
	const struct mtype *ty = &types[t];
	const struct place *pl = &places[p];
	char r = reg_of(ty->bits), regs[64];
	unsigned e;

	if (ty->bits * n > 128)
		return;
	for (e = 0; e < n; e++) {
		if (n == 2)
			snprintf(regs, sizeof(regs), "{%s, %s}", e == 0 ? "%d" : "_", e == 1 ? "%d" : "_");
		else
			snprintf(regs, sizeof(regs), "{%s, %s, %s, %s}", e == 0 ? "%d" : "_", e == 1 ? "%d" : "_",
				 e == 2 ? "%d" : "_", e == 3 ? "%d" : "_");
		form(sig_of(ty->bits), ref_load, ty->bits, ty->sign, (int)(e * ty->bits / 8), 0,
		     "%s\nst%s.v2.u64 [%s], {%%a, %%b};\nld%s.v%u.%s %s, [%s];", pl->setup, pl->space, pl->reg, pl->space,
		     n, ty->name, regs, pl->reg);
	}
	if (n == 2)	/* swapped by a load and a store */
		form(sig_of(ty->bits), ref_load, ty->bits, ty->sign, 0, 0,
		     "%s\nst%s.v2.u64 [%s], {%%a, %%b};\nld%s.v2.%s {%%%c1, %%%c2}, [%s];\nst%s.v2.%s [%s], {%%%c2, %%%c1};\n"
		     "ld%s.%s %%d, [%s+%u];", pl->setup, pl->space, pl->reg, pl->space, ty->name, r, r, pl->reg, pl->space,
		     ty->name, pl->reg, r, r, pl->space, ty->name, pl->reg, ty->bits / 8);
	else
		form(sig_of(ty->bits), ref_load, ty->bits, ty->sign, (int)(ty->bits / 8), 0,
		     "%s\nst%s.v2.u64 [%s], {%%a, %%b};\nld%s.v4.%s {%%%c1, %%%c2, %%%c3, %%%c4}, [%s];\n"
		     "st%s.v4.%s [%s], {%%%c4, %%%c3, %%%c2, %%%c1};\nld%s.%s %%d, [%s+%u];", pl->setup, pl->space, pl->reg,
		     pl->space, ty->name, r, r, r, r, pl->reg, pl->space, ty->name, pl->reg, r, r, r, r, pl->space, ty->name,
		     pl->reg, 2 * ty->bits / 8);
}

START_TEST(test_vector)
{
	unsigned p, t, n;

	for (p = 0; p < NP; p++)
		for (t = 0; t < NT; t++)
			for (n = 2; n <= 4; n += 2)
				vector_forms(p, t, n);
	forms_run(1);
}
END_TEST

/* ---- constants, parameters, initialisers ---- */

static u64 ref_number(const struct form *f, u64 a, u64 b, u64 c)
{
	return (u64)f->op | (u64)f->mode << 32;
}

START_TEST(test_constants)
{
	form("q", ref_number, 0, 0, 0x11223344, 0x55667788, "ld.const.u64 %%d, [c64];");
	form("w", ref_number, 0, 0, 0x33, 0, "ld.const.u8 %%d, [cbytes+2];");
	form("w", ref_number, 0, 0, (int)0xfffffff0, 0, "ld.const.s8 %%d, [cbytes+4];");
	form("w", ref_number, 0, 0, 7, 0, "ld.const.v2.u32 {_, %%d}, [cvec];");
	form("w", ref_number, 0, 0, 9, 0, "ld.const.v4.u32 {_, _, _, %%d}, [cvec];");
	form("w", ref_number, 0, 0, 8, 0, "mov.u64 %%l0, cvec;\nld.const.u32 %%d, [%%l0+8];");
	form("w", ref_number, 0, 0, 8, 0, "mov.u64 %%l0, cvec;\ncvta.const.u64 %%l0, %%l0;\nld.u32 %%d, [%%l0+8];");
	form("w", ref_number, 0, 0, 0x77, 0, "ld.global.u64 %%l0, [gptr];\nld.u8 %%d, [%%l0];");
	form("w", ref_number, 0, 0, 0x99, 0, "ld.global.u64 %%l0, [gptr+8];\nld.u8 %%d, [%%l0];");
	form("w", ref_number, 0, 0, 8, 0, "ld.global.u64 %%l0, [gcptr];\nld.u32 %%d, [%%l0];");
	form("w", ref_number, 0, 0, 0x77, 0, "ld.global.u64 %%l0, [ptrs+8];\nld.global.u64 %%l0, [%%l0];\nld.u8 %%d, [%%l0];");
	form("w", ref_number, 0, 0, 0x3f800000, 0, "ld.global.f32 %%t1, [floats];\nmov.b32 %%d, %%t1;");
	form("q", ref_number, 0, 0, 0, 0x40040000, "ld.global.f64 %%l1, [doubles+8];\nmov.b64 %%d, %%l1;");
	form("w", ref_number, 0, 0, 4, 0, "ld.global.u32 %%d, [matrix+16];");
	form("w", ref_number, 0, 0, 0, 0, "ld.global.u32 %%d, [matrix+8];");
	form("w", ref_number, 0, 0, 41, 0, "ld.global.u64 %%l0, [table];\nproto: .callprototype (.reg .b32 _) _ ();\ncall (%%d), %%l0, (), proto;");
	form("w", ref_number, 0, 0, 42, 0, "ld.global.u64 %%l0, [table+8];\nproto: .callprototype (.reg .b32 _) _ ();\ncall (%%d), %%l0, (), proto;");
	form("w", ref_number, 0, 0, -5, 0, "ld.global.s16 %%d, [shorts+2];");
	form("w", ref_number, 0, 0, 'l', 0, "ld.global.u8 %%d, [bytes+3];");
	forms_run(1);
}
END_TEST

/* ---- atomics: the old value and the new one ---- */

enum { ADD, MIN, MAX, AND, OR, XOR, EXCH, CAS, INC, DEC };
static const char *const atom_name[] = { "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec" };

static u64 atom_new(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 m = mask(f->bits);
	double d, e;
	float x, y;

	a &= m;
	b &= m;
	switch (f->op) {
	case ADD:
		if (f->mode & 2 && f->bits == 32) {
			memcpy(&x, &a, 4);
			memcpy(&y, &b, 4);
			x += y;
			a = 0;
			memcpy(&a, &x, 4);
			return x != x ? 0x7fffffff : a;
		}
		if (f->mode & 2) {
			memcpy(&d, &a, 8);
			memcpy(&e, &b, 8);
			d += e;
			memcpy(&a, &d, 8);
			return a;
		}
		return a + b;
	case MIN: return f->sign ? sx(a, f->bits) < sx(b, f->bits) ? a : b : a < b ? a : b;
	case MAX: return f->sign ? sx(a, f->bits) > sx(b, f->bits) ? a : b : a > b ? a : b;
	case AND: return a & b;
	case OR: return a | b;
	case XOR: return a ^ b;
	case EXCH: return b;
	case CAS: return a == b ? c : a;
	case INC: return a >= b ? 0 : a + 1;
	default: return !a || a > b ? b : a - 1;
	}
}

static u64 ref_atom(const struct form *f, u64 a, u64 b, u64 c)
{
	return f->mode & 1 ? a & mask(f->bits) : atom_new(f, a, b, c);
}

static void atom_forms(unsigned p, int op, const char *type, unsigned bits, bool sign, bool flt, const char *mods)
{
	const struct place *pl = &places[p];
	unsigned old;
	char l = flt ? bits == 64 ? 'd' : 'f' : bits == 64 ? 'q' : 'w';
	char sig[5] = { l, bits == 64 ? 'D' : 'E', l, op == CAS ? l : 0, 0 };

	if (p == LOCAL || p == GENERIC_LOCAL)
		return;
	for (old = 0; old < 2; old++)
		form(sig, ref_atom, bits, sign, op, (int)old | (flt ? 2 : 0),
		     "%s\nst%s.b%u [%s+8], %%a;\natom%s%s.%s.%s %%%c7, [%s+8], %%b%s;\n%s%s%s", pl->setup, pl->space, bits, pl->reg,
		     mods, pl->space, atom_name[op], type, bits == 64 ? 'l' : 't', pl->reg, op == CAS ? ", %c" : "",
		     old ? "mov.b" : "ld", old ? "" : pl->space,
		     old ? bits == 64 ? "64 %d, %l7;" : "32 %d, %t7;" :
		     bits == 64 ? p == SHARED ? ".b64 %d, [%t0+8];" : ".b64 %d, [%l0+8];" :
		     p == SHARED ? ".b32 %d, [%t0+8];" : ".b32 %d, [%l0+8];");
	if (op == CAS || op == EXCH)
		return;
	form(sig, ref_atom, bits, sign, op, flt ? 2 : 0, "%s\nst%s.b%u [%s+8], %%a;\nred%s%s.%s.%s [%s+8], %%b;\nld%s.b%u %%d, [%s+8];",
	     pl->setup, pl->space, bits, pl->reg, mods, pl->space, atom_name[op], type, pl->reg, pl->space, bits, pl->reg);
}

START_TEST(test_atomics)
{
	static const char *const mods[] = { "", ".relaxed.gpu", ".acq_rel.cta", ".release.sys", ".acquire.gpu" };
	unsigned p, k;
	int op;

	for (p = 0; p < NP; p++) {
		for (op = ADD; op <= MAX; op++) {
			atom_forms(p, op, "u32", 32, 0, 0, "");
			atom_forms(p, op, "s32", 32, 1, 0, "");
			atom_forms(p, op, "u64", 64, 0, 0, "");
			if (op != ADD)
				atom_forms(p, op, "s64", 64, 1, 0, "");
		}
		for (op = AND; op <= CAS; op++) {
			atom_forms(p, op, "b32", 32, 0, 0, "");
			atom_forms(p, op, "b64", 64, 0, 0, "");
		}
		atom_forms(p, INC, "u32", 32, 0, 0, "");
		atom_forms(p, DEC, "u32", 32, 0, 0, "");
		atom_forms(p, ADD, "f32", 32, 0, 1, "");
		atom_forms(p, ADD, "f64", 64, 0, 1, "");
		for (k = 1; k < 5; k++)
			atom_forms(p, (int)k, k % 2 ? "s32" : "u32", 32, k % 2, 0, mods[k]);
	}
	forms_run(1);
}
END_TEST

/* Halves: one element each, added exactly. */
static u64 ref_half_add(const struct form *f, u64 a, u64 b, u64 c)
{
	return 0x3e003e00u;	/* 1.0 + 0.5 */
}

static u64 ref_bf_add(const struct form *f, u64 a, u64 b, u64 c)
{
	return 0x3fc03fc0u;
}

static u64 ref_cas16(const struct form *f, u64 a, u64 b, u64 c)
{
	return (a & 0xffff0000) | (b & 0xffff);
}

START_TEST(test_half_atomics)
{
	static const unsigned where[] = { GLOBAL, SHARED, GENERIC_GLOBAL };
	unsigned k;

	for (k = 0; k < 3; k++) {
		const struct place *p = &places[where[k]];

		form("w", ref_half_add, 0, 0, 0, 0, "%s\nst%s.b32 [%s], 0x3c003c00;\nmov.u32 %%t1, 0x38003800;\n"
		     "atom.add%s.noftz.f16x2 %%t2, [%s], %%t1;\nld%s.b32 %%d, [%s];", p->setup, p->space, p->reg, p->space,
		     p->reg, p->space, p->reg);
		form("w", ref_half_add, 0, 0, 0, 0, "%s\nst%s.b32 [%s], 0x3c003e00;\nmov.u16 %%h1, 0x3800;\n"
		     "atom%s.add.noftz.f16 %%h2, [%s+2], %%h1;\nld%s.b32 %%d, [%s];", p->setup, p->space, p->reg, p->space,
		     p->reg, p->space, p->reg);
		form("w", ref_bf_add, 0, 0, 0, 0, "%s\nst%s.b32 [%s], 0x3f803f80;\nmov.u32 %%t1, 0x3f003f00;\n"
		     "atom%s.add.noftz.bf16x2 %%t2, [%s], %%t1;\nld%s.b32 %%d, [%s];", p->setup, p->space, p->reg, p->space,
		     p->reg, p->space, p->reg);
		form("wEH", ref_cas16, 0, 0, 0, 0, "%s\nst%s.b32 [%s], %%a;\ncvt.u16.u32 %%h1, %%a;\n"
		     "atom%s.cas.b16 %%h2, [%s], %%h1, %%b;\nld%s.b32 %%d, [%s];", p->setup, p->space, p->reg, p->space,
		     p->reg, p->space, p->reg);
	}
	forms_run(1);
}
END_TEST

/* ---- where an address lies ---- */

START_TEST(test_spaces)
{
	unsigned p, s;
	static const char *const space[] = { "global", "shared", "local" };
	static const unsigned from[] = { GENERIC_GLOBAL, GENERIC_SHARED, GENERIC_LOCAL };

	for (p = 0; p < 3; p++)
		for (s = 0; s < 3; s++)
			form("p", ref_number, 0, 0, p == s, 0, "%s\nisspacep.%s %%d, %%l0;", places[from[p]].setup, space[s]);
	form("qD", ref_first, 0, 0, 0, 0, "%s\ncvta.to.shared.u64 %%l2, %%l0;\nst.shared.u64 [%%l2], %%a;\nld.u64 %%d, [%%l0];",
	     places[GENERIC_SHARED].setup);
	form("qD", ref_first, 0, 0, 0, 0, "%s\ncvta.to.local.u64 %%l2, %%l0;\nst.local.u64 [%%l2], %%a;\nld.u64 %%d, [%%l0];",
	     places[GENERIC_LOCAL].setup);
	form("qD", ref_first, 0, 0, 0, 0, "%s\ncvta.to.global.u64 %%l2, %%l0;\nst.global.u64 [%%l2], %%a;\nld.u64 %%d, [%%l0];",
	     places[GENERIC_GLOBAL].setup);
	form("qD", ref_first, 0, 0, 0, 0, "%s\nprefetch.global.L1 [%%l0];\nprefetch.global.L2 [%%l0+4];\nprefetchu.L1 [%%l0];\n"
	     "st.u64 [%%l0], %%a;\nmembar.gl;\nmembar.cta;\nmembar.sys;\nfence.sc.gpu;\nfence.acq_rel.cta;\nfence.sc.sys;\n"
	     "ld.global.nc.u64 %%d, [%%l0];", places[GENERIC_GLOBAL].setup);
	form("qD", ref_first, 0, 0, 0, 0, "%s\nst.global.cs.u64 [%%l0], %%a;\nldu.global.u64 %%d, [%%l0];", places[GLOBAL].setup);
	form("qD", ref_first, 0, 0, 0, 0, "%s\nst.wt.global.u64 [%%l0], %%a;\nld.global.L1::evict_last.L2::128B.u64 %%d, [%%l0];",
	     places[GLOBAL].setup);
	form("qD", ref_first, 0, 0, 0, 0, "%s\ncreatepolicy.fractional.L2::evict_last.b64 %%l7, 1.0; createpolicy.cvt.L2.b64 %%l7, %%l7;\n"
	     "st.global.L1::evict_first.L2::cache_hint.u64 [%%l0], %%a, %%l7;\nmov.u64 %%l6, 0;\n"
	     "atom.global.add.L2::cache_hint.u64 %%l5, [%%l0], %%l6, %%l7;\nred.global.L2::cache_hint.add.u64 [%%l0], %%l6, %%l7;\n"
	     "ld.global.L1::evict_last.L2::cache_hint.v2.b64 {%%d, _}, [%%l0], %%l7;", places[GLOBAL].setup);
	forms_run(1);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_scalar, test_vector, test_constants, test_atomics, test_half_atomics, test_spaces };

	form_prologue =
		".global .align 16 .b8 gl[4096];\n.const .align 8 .u64 c64 = 0x5566778811223344;\n"
		".const .align 4 .b8 cbytes[6] = {0x11, 0x22, 0x33, 0x44, 0xf0, 0x66};\n"
		".const .align 16 .v4 .u32 cvec = {6, 7, 8, 9};\n"
		".global .align 1 .b8 gbytes[4] = {0x77, 0x88, 0x99, 0xaa};\n"
		".global .align 8 .u64 gptr[2] = {generic(gbytes), generic(gbytes)+2};\n"
		".global .align 8 .u64 gcptr = generic(cvec)+8;\n"
		".global .u64 ptrs[2] = {0, gptr};\n.global .f32 floats[2] = {1.0, 0f40000000};\n"
		".global .f64 doubles[2] = {0d3ff0000000000000, 2.5};\n"
		".global .u32 matrix[2][3] = {{1, 2}, {3, 4, 5}};\n"
		".global .s16 shorts[2] = {3, -5};\n.global .align 1 .b8 bytes[6] = {72, 101, 108, 108, 111};\n"
		".func (.reg .b32 r) f41() { mov.u32 r, 41; ret; }\n.func (.reg .b32 r) f42() { mov.u32 r, 42; ret; }\n"
		".global .u64 table[2] = {f41, f42};\n";
	return forms_main("ptx_mem", tests, sizeof(tests) / sizeof(tests[0]));
}
