/* SPDX-License-Identifier: MIT */
/*
 * Instructions that few programs use, each against a reference in C: video, two numbers in a register, fns,
 * 256-bit vectors, vector atomics, constant expressions.  Rows: HW-46, HW-47; HW-54 (mbarrier), HW-56 (atomics).
 */
#include <math.h>
#include <hw/ppu_isa.h>
#include "ppu_image.h"
#include "ptx_forms.h"

/* ---- video: one number ---- */

enum { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX, V_SHL, V_SHR, V_SET };
enum { T_NONE, T_ADD, T_MIN, T_MAX, T_MERGE };

struct video {
	int op, then, cmp;
	unsigned pa, pb, pd;	/* 0 all, 1..4 byte, 5, 6 half */
	bool sd, sa, sb, sat, wrap;
};
static struct video videos[600];
static unsigned num_videos;

static const char *const parts[] = { "", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1" };
static const char *const cmps[] = { "eq", "ne", "lt", "le", "gt", "ge" };

static s64 part_of(u64 v, unsigned part, bool sign)
{
	unsigned bits = !part ? 32 : part < 5 ? 8 : 16;

	v >>= !part ? 0 : part < 5 ? 8 * (part - 1) : 16 * (part - 5);
	return sign ? sx(v, bits) : (s64)(v & mask(bits));
}

static bool compare(int cmp, s64 x, s64 y)
{
	return cmp == 0 ? x == y : cmp == 1 ? x != y : cmp == 2 ? x < y : cmp == 3 ? x <= y : cmp == 4 ? x > y : x >= y;
}

static s64 video_op(const struct video *v, s64 x, s64 y)
{
	unsigned by = (u32)y;

	switch (v->op) {
	case V_ADD: return x + y;
	case V_SUB: return x - y;
	case V_ABSDIFF: return x > y ? x - y : y - x;
	case V_MIN: return x < y ? x : y;
	case V_MAX: return x > y ? x : y;
	case V_SET: return compare(v->cmp, x, y);
	default:
		by = v->wrap ? by % 32 : by > 32 ? 32 : by;
		return v->op == V_SHL ? (s64)((u64)x << by) : x >> by;
	}
}

static s64 limited(s64 r, unsigned bits, bool sign)
{
	s64 hi = sign ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1, lo = sign ? -hi - 1 : 0;

	return r > hi ? hi : r < lo ? lo : r;
}

static u64 ref_video(const struct form *f, u64 a, u64 b, u64 c)
{
	const struct video *v = &videos[f->op];
	unsigned bits = !v->pd ? 32 : v->pd < 5 ? 8 : 16, at = !v->pd ? 0 : v->pd < 5 ? 8 * (v->pd - 1) : 16 * (v->pd - 5);
	s64 r = video_op(v, part_of(a, v->pa, v->sa), part_of(b, v->pb, v->sb));
	s64 d, e;

	if (v->sat)
		r = limited(r, bits, v->sd);
	d = v->sd ? (s32)r : (s64)(u32)r;
	e = v->sd ? (s32)c : (s64)(u32)c;
	switch (v->then) {
	case T_ADD: return (u64)(d + e);
	case T_MIN: return (u64)(d < e ? d : e);
	case T_MAX: return (u64)(d > e ? d : e);
	case T_MERGE: return (c & ~(mask(bits) << at)) | ((u64)r & mask(bits)) << at;
	default: return (u64)d;
	}
}

static void video_form(struct video v)
{
	static const char *const names[] = { "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset" };
	static const char *const thens[] = { "", ".add", ".min", ".max", "" };
	bool set = v.op == V_SET, shift = v.op == V_SHL || v.op == V_SHR;
	const char *mode = shift ? (v.wrap ? ".wrap" : ".clamp") : "";

	if (v.then != T_MERGE)
		v.pd = 0;
	else if (!v.pd)
		v.pd = 2;
	if (set)
		v.sat = v.sd = false;
	if (shift)
		v.sb = false;
	ck_assert_uint_lt(num_videos, 600);
	videos[num_videos] = v;
	form(v.then ? "wEEE" : "wEE", ref_video, 32, false, (int)num_videos++, 0, "%s%s%s%s%s%s%s%s %%d%s, %%a%s, %%b%s%s;",
	     names[v.op], set ? "" : v.sd ? ".s32" : ".u32", v.sa ? ".s32" : ".u32", v.sb ? ".s32" : ".u32",
	     set ? "." : v.sat ? ".sat" : "", set ? cmps[v.cmp] : mode, thens[v.then], "", parts[v.pd], parts[v.pa],
	     parts[v.pb], v.then ? ", %c" : "");
}

START_TEST(test_video)
{
	unsigned k = 0;

	for (int op = V_ADD; op <= V_SET; op++)
		for (unsigned types = 0; types < 8; types++)
			for (int then = T_NONE; then <= T_MERGE; then++, k++)
				video_form((struct video){ .op = op, .then = then, .cmp = (int)(k % 6), .pa = k % 7, .pb = k / 3 % 7,
					.pd = k % 6 + 1, .sd = types & 1, .sa = types & 2, .sb = types & 4, .sat = k & 1,
					.wrap = k & 2 });
	forms_run(2);
}
END_TEST

/* ---- video: two and four numbers; mode: lanes, then 1: add ---- */

struct lanes {
	int op, cmp;
	unsigned n, sel_a, sel_b, mask;		/* digits of four bits, lane 0 lowest */
	bool sd, sa, sb, sat, add, avrg;
};
static struct lanes many[400];
static unsigned num_many;

static s64 lane_of(u64 a, u64 b, unsigned digit, unsigned n, bool sign)
{
	unsigned w = 32 / n;
	u64 v = (digit < n ? a : b) >> (digit % n * w);

	return sign ? sx(v, w) : (s64)(v & mask(w));
}

static u64 ref_lanes(const struct form *f, u64 a, u64 b, u64 c)
{
	const struct lanes *v = &many[f->op];
	struct video one = { .op = v->op, .cmp = v->cmp };
	unsigned w = 32 / v->n;
	u64 d = c;

	for (unsigned i = 0; i < v->n; i++) {
		s64 x = lane_of(a, b, v->sel_a >> (4 * i) & 15, v->n, v->sa);
		s64 y = lane_of(a, b, v->sel_b >> (4 * i) & 15, v->n, v->sb), r;

		r = v->avrg ? (x + y + (x + y >= 0 ? 1 : 0)) >> 1 : video_op(&one, x, y);
		if (v->sat)
			r = limited(r, w, v->sd);
		if (!(v->mask >> i & 1))
			continue;
		d = v->add ? d + (u64)r : (d & ~(mask(w) << (w * i))) | ((u64)r & mask(w)) << (w * i);
	}
	return d;
}

static void digits(char *s, unsigned n, unsigned sel)
{
	*s++ = '.';
	*s++ = n == 2 ? 'h' : 'b';
	for (unsigned i = n; i-- > 0;)
		*s++ = (char)('0' + (sel >> (4 * i) & 15));
	*s = 0;
}

static void lanes_form(struct lanes v, const char *name, bool plain)
{
	char a[12] = "", b[12] = "", d[12] = "", *p = d;

	if (plain) {
		v.sel_a = v.n == 2 ? 0x10 : 0x3210;
		v.sel_b = v.n == 2 ? 0x32 : 0x7654;
		v.mask = v.n == 2 ? 3 : 15;
	} else {
		digits(a, v.n, v.sel_a);
		digits(b, v.n, v.sel_b);
		*p++ = '.';
		*p++ = v.n == 2 ? 'h' : 'b';
		for (unsigned i = v.n; i-- > 0;)
			if (v.mask >> i & 1)
				*p++ = (char)('0' + i);
		*p = 0;
	}
	ck_assert_uint_lt(num_many, 400);
	many[num_many] = v;
	form("wEEE", ref_lanes, 32, false, (int)num_many++, 0, "%s%u%s%s%s%s%s%s %%d%s, %%a%s, %%b%s, %%c;", name, v.n,
	     v.op == V_SET ? "" : v.sd ? ".s32" : ".u32", v.sa ? ".s32" : ".u32", v.sb ? ".s32" : ".u32",
	     v.op == V_SET ? "." : v.sat ? ".sat" : "", v.op == V_SET ? cmps[v.cmp] : "", v.add ? ".add" : "", d, a, b);
}

START_TEST(test_video_lanes)
{
	static const struct { const char *name; int op; bool avrg; } ops[] = {
		{ "vadd", V_ADD, 0 }, { "vsub", V_SUB, 0 }, { "vabsdiff", V_ABSDIFF, 0 }, { "vmin", V_MIN, 0 },
		{ "vmax", V_MAX, 0 }, { "vset", V_SET, 0 }, { "vavrg", V_ADD, 1 },
	};
	unsigned k = 0;

	for (unsigned o = 0; o < 7; o++)
		for (unsigned types = 0; types < 8; types++)
			for (unsigned n = 2; n <= 4; n += 2, k++) {
				struct lanes v = { .op = ops[o].op, .cmp = (int)(k % 6), .n = n, .sd = types & 1, .sa = types & 2,
						   .sb = types & 4, .sat = (k & 1) && ops[o].op != V_SET, .add = k & 2, .avrg = ops[o].avrg,
						   .sel_a = n == 2 ? 0x30 : 0x1702, .sel_b = n == 2 ? 0x12 : 0x5361,
						   .mask = n == 2 ? 1 + k % 3 : 1 + k % 15 };

				if (ops[o].op == V_SET)
					v.sd = false;
				lanes_form(v, ops[o].name, true);
				lanes_form(v, ops[o].name, false);
			}
	forms_run(2);
}
END_TEST

/* ---- vmad: mode 1 -a, 2 -c, 4 .po; op: scale; bits 1: a signed, 2: b signed ---- */

static u64 ref_vmad(const struct form *f, u64 a, u64 b, u64 c)
{
	bool sa = f->bits & 1, sb = f->bits & 2, sign = sa || sb || (f->mode & 3);
	__int128 v = (__int128)part_of(a, 0, sa) * part_of(b, 5, sb), add = sign ? (s32)c : (s64)(u32)c;

	v = f->mode & 1 ? -v : v;
	v += f->mode & 2 ? -add : add;
	v += f->mode & 4 ? 1 : 0;
	v >>= f->op;
	if (f->sign)
		v = v > (sign ? INT32_MAX : (s64)UINT32_MAX) ? (sign ? INT32_MAX : (s64)UINT32_MAX) :
		    v < (sign ? INT32_MIN : 0) ? (sign ? INT32_MIN : 0) : v;
	return (u64)v;
}

START_TEST(test_vmad)
{
	static const char *const scales[] = { "", ".shr7", ".shr15" };
	static const int shifts[] = { 0, 7, 15 };

	for (unsigned types = 0; types < 4; types++)
		for (int s = 0; s < 3; s++)
			for (int sat = 0; sat < 2; sat++)
				for (int mode = 0; mode < 5; mode++)
					form("wEEE", ref_vmad, types, sat, shifts[s], mode == 3 ? 4 : mode == 4 ? 0 : mode,
					     "vmad.%s.%s.%s%s%s%s %%d, %s%%a, %%b.h0, %s%%c;", types || mode == 1 || mode == 2 ? "s32" : "u32",
					     types & 1 ? "s32" : "u32", types & 2 ? "s32" : "u32", mode == 3 ? ".po" : "", sat ? ".sat" : "",
					     scales[s], mode == 1 ? "-" : "", mode == 2 ? "-" : "");
	forms_run(2);
}
END_TEST

/* ---- two numbers in a register ---- */

static u64 ref_pair16(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 d = 0;

	for (unsigned k = 0; k < 32; k += 16) {
		s64 x = f->sign ? sx(a >> k, 16) : (s64)(a >> k & 0xffff), y = f->sign ? sx(b >> k, 16) : (s64)(b >> k & 0xffff);
		s64 r = f->op == 0 ? x + y : f->op == 1 ? x - y : f->op == 2 ? (x < y ? x : y) : x > y ? x : y;

		r = f->mode && r < 0 ? 0 : r;
		d |= ((u64)r & 0xffff) << k;
	}
	return d;
}

static float as_float(u64 v)
{
	u32 w = (u32)v;
	float f;

	memcpy(&f, &w, 4);
	return f;
}

static u64 of_float(float f)
{
	u32 w;

	memcpy(&w, &f, 4);
	return f != f ? 0x7fffffff : w;
}

static u64 ref_pair32(const struct form *f, u64 a, u64 b, u64 c)
{
	u64 d = 0;

	for (unsigned k = 0; k < 64; k += 32) {
		float x = as_float(a >> k), y = as_float(b >> k), z = as_float(c >> k);
		float r = f->op == 0 ? x + y : f->op == 1 ? x - y : f->op == 2 ? x * y : fmaf(x, y, z);

		d |= of_float(r) << k;
	}
	return d;
}

/* Three operands; by the rule for NaN, a number takes precedence over a NaN. */
static u64 ref_three(const struct form *f, u64 a, u64 b, u64 c)
{
	float x = as_float(a), y = as_float(b), z = as_float(c);
	bool nan = x != x || y != y || z != z;

	if (f->op == 2 && nan)
		return 0x7fffffff;
	if (x != x && y != y && z != z)
		return 0x7fffffff;
	x = x != x ? (y == y ? y : z) : x;
	y = y != y ? x : y;
	z = z != z ? x : z;
#define ORDER(v) ((v) == 0 && signbit(v) ? -1e-45 : (double)(v))	/* -0 < +0 */
	if (f->op) {
		x = ORDER(y) > ORDER(x) ? y : x;
		return of_float(ORDER(z) > ORDER(x) ? z : x);
	}
	x = ORDER(y) < ORDER(x) ? y : x;
	return of_float(ORDER(z) < ORDER(x) ? z : x);
}

static u64 ref_relu(const struct form *f, u64 a, u64 b, u64 c)
{
	s32 x = (s32)a, y = (s32)b, r = f->op ? (x > y ? x : y) : x < y ? x : y;

	return r < 0 ? 0 : (u32)r;
}

START_TEST(test_pairs)
{
	static const char *const ops[] = { "add", "sub", "min", "max" }, *const fops[] = { "add", "sub", "mul" };

	for (int op = 0; op < 4; op++)
		for (int s = 0; s < 2; s++)
			form("www", ref_pair16, 16, s, op, 0, "%s.%s16x2 %%d, %%a, %%b;", ops[op], s ? "s" : "u");
	for (int op = 2; op < 4; op++) {
		form("www", ref_pair16, 16, true, op, 1, "%s.s16x2.relu %%d, %%a, %%b;", ops[op]);
		form("www", ref_relu, 32, true, op - 2, 0, "%s.s32.relu %%d, %%a, %%b;", ops[op]);
		form("ffff", ref_three, 32, false, op - 2, 0, "%s.f32 %%d, %%a, %%b, %%c;", ops[op]);
	}
	form("ffff", ref_three, 32, false, 2, 0, "max.NaN.f32 %%d, %%a, %%b, %%c;");
	for (int op = 0; op < 3; op++)
		form("qDD", ref_pair32, 32, false, op, 0, "%s.rn.f32x2 %%d, %%a, %%b;", fops[op]);
	form("qDDD", ref_pair32, 32, false, 3, 0, "fma.rn.f32x2 %%d, %%a, %%b, %%c;");
	forms_run(4);
}
END_TEST

/* ---- fns, lop3 with a predicate, constants ---- */

static u64 ref_fns(const struct form *f, u64 a, u64 b, u64 c)
{
	int off = f->op, left = off < 0 ? -off : off;
	unsigned at = (u32)b & 31;

	if (!off)
		return a >> at & 1 ? at : ~0u;
	for (; at < 32; at += off < 0 ? -1u : 1)
		if ((a >> at & 1) && !--left)
			return at;
	return ~0u;
}

static u64 ref_lop3(const struct form *f, u64 a, u64 b, u64 c)
{
	u32 d = (u32)(a ^ b ^ 0x0f0f0f0f), x = a & b & 0xff;
	bool q = c & 1, p;

	d = f->mode ? x : d;
	p = f->op == 0 ? d && q : f->op == 1 ? d || q : (d != 0) != q;
	return f->mode == 2 ? p : (u64)d + p;
}

static u64 ref_number(const struct form *f, u64 a, u64 b, u64 c)
{
	return a + (u64)(s64)f->op;
}

START_TEST(test_rare)
{
	static const char *const bools[] = { "and", "or", "xor" };
	static const struct { const char *text; int value; } exprs[] = {
		{ "-8+3", -5 }, { "-8>>1", -4 }, { "(-8)>>1", -4 }, { "-8*-2", 16 }, { "1?7:8", 7 }, { "0 ? 7 : 1 ? 5 : 6", 5 },
		{ "WARP_SZ*2+1", 65 }, { "-1<0", 1 }, { "-1<0U", 0 }, { "0x8000000000000000 / 2 > 5", 1 }, { "-7/2", -3 },
		{ "-7 % 4", -3 }, { "(.u64)-1>>63", 1 }, { "~5+1", -5 }, { "(!5)|2", 2 }, { "3-2-1", 0 }, { "2+3*4", 14 },
		{ "1<<4|1", 17 }, { "+6", 6 }, { "-(3+4)", -7 }, { "5 == 5 && 3 != 4", 1 },
	};

	form("wE", ref_number, 32, false, 0, 0, "griddepcontrol.wait;\npmevent 3;\npmevent.mask 5;\nfence.mbarrier_init.release.cluster;\n"
	     "fence.proxy.async.shared::cta;\nmov.u32 %%d, %%a;\ngriddepcontrol.launch_dependents;");
	form("wE", ref_number, 32, false, 41, 0, "call (%%t0), other, ();\nadd.u32 %%d, %%a, %%t0;");
	form("wE", ref_number, 32, false, 41, 0, "mov.u64 %%l0, other;\npr: .callprototype (.reg .b32 _) _ ();\ncall (%%t0), %%l0, (), pr;\n"
	     "add.u32 %%d, %%a, %%t0;");
	form("wE", ref_number, 32, false, 5, 0, ".shared .b32 s[32];\nmov.u32 %%t0, %%laneid;\nshl.b32 %%t0, %%t0, 2;\nmov.u32 %%t1, s;\n"
	     "add.u32 %%t0, %%t0, %%t1;\nmov.u32 %%t2, 5;\nst.shared::cluster.u32 [%%t0], %%t2;\natom.shared::cluster.add.u32 %%t3, [%%t0], %%a;\n"
	     "ld.shared::cluster.u32 %%d, [%%t0];");
	for (int off = -3; off <= 3; off++)
		form("wEE", ref_fns, 32, false, off, 0, "and.b32 %%t0, %%b, 31;\nfns.b32 %%d, %%a, %%t0, %d;", off);
	for (int op = 0; op < 3; op++) {
		form("wEEp", ref_lop3, 32, false, op, 0, "mov.u32 %%t1, 0x0f0f0f0f;\n"
		     "lop3.%s.b32 %%t0|%%p0, %%a, %%b, %%t1, 0x96, %%c;\nselp.u32 %%t1, 1, 0, %%p0;\nadd.u32 %%d, %%t0, %%t1;", bools[op]);
		form("wEEp", ref_lop3, 32, false, op, 1, "mov.u32 %%t1, 0xff;\n"
		     "lop3.%s.b32 %%t0|%%p0, %%a, %%b, %%t1, 0x80, %%c;\nselp.u32 %%t1, 1, 0, %%p0;\nadd.u32 %%d, %%t0, %%t1;", bools[op]);
		form("pEEp", ref_lop3, 32, false, op, 2, "mov.u32 %%t1, 0xff;\nlop3.%s.b32 _|%%d, %%a, %%b, %%t1, 0x80, %%c;", bools[op]);
	}
	for (unsigned k = 0; k < sizeof(exprs) / sizeof(exprs[0]); k++) {
		form("wE", ref_number, 32, false, exprs[k].value, 0, "add.s32 %%d, %%a, %s;", exprs[k].text);
		form("qD", ref_number, 64, false, exprs[k].value, 0, ".const .s64 k[2] = { %s, %s };\nld.const.s64 %%l0, [k];\n"
		     "ld.const.s64 %%l1, [k+8];\nsub.s64 %%l1, %%l1, %%l0;\nadd.s64 %%l0, %%l0, %%l1;\nadd.s64 %%d, %%a, %%l0;",
		     exprs[k].text, exprs[k].text);
	}
	forms_run(2);
}
END_TEST

/* ---- vectors ---- */

#define SLOT "mov.u32 %%t0, %%tid.x;\nmul.wide.u32 %%l0, %%t0, 64;\nmov.u64 %%l1, gl;\nadd.u64 %%l0, %%l0, %%l1;\n"

static u64 ref_a(const struct form *f, u64 a, u64 b, u64 c) { return f->mode ? b : a; }

/* Memory has had 1 and 2; the old values come back. */
static u64 ref_vatom(const struct form *f, u64 a, u64 b, u64 c)
{
	return ((a & 0xffff) + 1) | (u64)((b & 0xffff) + 2 + f->mode * 3) << 32;
}

START_TEST(test_vectors)
{
	form("qDD", ref_a, 64, false, 0, 1, SLOT "st.global.v4.b64 [%%l0+32], {%%a, %%b, %%a, 7};\nld.global.v4.b64 {%%l2, %%l3, %%l4, %%l5}, [%%l0+32];\n"
	     "sub.u64 %%l4, %%l4, %%l2;\nadd.u64 %%l4, %%l4, %%l5;\nsub.u64 %%l4, %%l4, 7;\nadd.u64 %%d, %%l3, %%l4;");
	/* the address is a result, too */
	form("qDD", ref_a, 64, false, 0, 1, SLOT "st.global.v4.u64 [%%l0], {1, 2, 3, %%b};\nld.global.v4.u64 {%%l0, %%l2, %%l3, %%d}, [%%l0];");
	form("qDD", ref_a, 64, false, 0, 0, SLOT "mov.b64 {%%t1, %%t2}, %%a;\nst.global.v8.b32 [%%l0], {%%t1, 1, 2, 3, 4, 5, 6, %%t2};\n"
	     "ld.global.L1::no_allocate.v8.b32 {%%t3, _, _, _, _, _, _, %%t4}, [%%l0];\nmov.b64 %%d, {%%t3, %%t4};");
	for (int old = 0; old < 2; old++)
		form("qDD", ref_vatom, 64, false, 0, old, SLOT "st.global.v2.f32 [%%l0], {1.0, 2.0};\nand.b64 %%l2, %%a, 0xffff;\n"
		     "and.b64 %%l3, %%b, 0xffff;\ncvt.rn.f32.u64 %%t2, %%l2;\ncvt.rn.f32.u64 %%t1, %%l3;\n"
		     "atom.global.add.v2.f32 {%%t1, %%t2}, [%%l0], {%%t2, %%t1};\nld.global.v2.f32 {%%t3, %%t4}, [%%l0];\n"
		     "add.f32 %%t1, %%t1, %%t2;\n%s\ncvt.rzi.u32.f32 %%t3, %%t3;\ncvt.rzi.u32.f32 %%t4, %%t4;\nmov.b64 %%d, {%%t3, %%t4};",
		     old ? "add.f32 %t4, %t4, %t1;" : "");
	form("qDD", ref_a, 64, false, 0, 0, SLOT "st.global.u64 [%%l0], %%a;\nmov.b64 {%%t1, %%t2}, %%b;\n"
	     "atom.global.add.v2.f32 {%%t1, %%t2}, [%%l0], {%%t2, %%t1};\nmov.b64 %%d, {%%t1, %%t2};");
	form("qDD", ref_a, 64, false, 0, 0, SLOT "st.global.v2.u64 [%%l0], {0, %%a};\nmov.u32 %%t1, 0;\n"
	     "red.global.add.v4.f32 [%%l0], {0f3F800000, 0f40000000, 0f80000000, 0f80000000};\nld.global.v2.f32 {%%t2, %%t3}, [%%l0];\n"
	     "ld.global.u64 %%d, [%%l0+8];\nsub.u32 %%t2, %%t2, 0x3f800000;\nsub.u32 %%t3, %%t3, 0x40000000;\nor.b32 %%t2, %%t2, %%t3;\n"
	     "setp.ne.u32 %%p0, %%t2, 0;\nselp.b64 %%d, 1, %%a, %%p0;");
	forms_run(2);
}
END_TEST

/* ---- threads together ---- */

static u32 run(const char *text, unsigned threads, u32 *out, unsigned words)
{
	ppuInitOptions o = { .backend = "core" };
	ppuModule m;
	ppuFunction f;
	void *d;

	OK(ppuInit(&o));
	OK(ppuModuleLoadData(&m, text, 0, NULL));
	OK(ppuModuleGetFunction(&f, m, "k"));
	OK(ppuMalloc(&d, words * 4));
	OK(ppuMemset(d, 0, 4, words));
	OK(ppuLaunchKernel(f, ppuDim(1, 1, 1), ppuDim(threads, 1, 1), 0, NULL, (void *[]){ &d }, NULL, 0));
	OK(ppuMemcpy(out, d, words * 4));
	OK(ppuShutdown());
	return out[0];
}

#define KERNEL ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n" \
	".reg .b32 %r<12>; .reg .b64 %d<8>; .reg .pred %q<4>; .shared .align 16 .b8 s[1024]; .shared .align 8 .b64 bar;\n" \
	"ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4; add.u64 %d1, %d0, %d1; mov.u32 %r1, s; mov.u32 %r2, bar;\n"

/* Six phases of an mbarrier for 96 threads: every thread reads what the next one wrote. */
START_TEST(test_mbarrier)
{
	static const char text[] = KERNEL
	"setp.ne.u32 %q0, %r0, 0; @!%q0 mbarrier.init.shared.b64 [bar], 96; bar.sync 0; mov.u32 %r3, 0; mov.u32 %r9, 0; shl.b32 %r4, %r0, 2; add.u32 %r4, %r4, %r1;\n"
	"add.u32 %r5, %r0, 1; rem.u32 %r5, %r5, 96; shl.b32 %r5, %r5, 2; add.u32 %r5, %r5, %r1;\n"
	"$round: mad.lo.u32 %r6, %r0, 7, %r3; st.shared.u32 [%r4], %r6; mbarrier.arrive.shared.b64 %d2, [%r2];\n"
	"$w1: mbarrier.test_wait.shared.b64 %q1, [%r2], %d2; @!%q1 bra $w1; ld.shared.u32 %r7, [%r5]; add.u32 %r9, %r9, %r7;\n"
	"mbarrier.arrive.shared.b64 _, [bar]; \n"
	"$w2: mbarrier.try_wait.parity.shared::cta.b64 %q1, [bar], 1; @!%q1 bra $w2;\n"
	"add.u32 %r3, %r3, 1; setp.lt.u32 %q2, %r3, 3; @%q2 bra $round;\n"
	"mbarrier.pending_count.b64 %r8, %d2; shl.b32 %r8, %r8, 16; setp.eq.u32 %q3, %r8, 0; @%q3 trap; st.global.u32 [%d1], %r9; ret;\n}\n";
	u32 out[96];

	run(text, 96, out, 96);
	for (u32 i = 0; i < 96; i++)
		ck_assert_uint_eq(out[i], 3 * 7 * ((i + 1) % 96) + 3);
}
END_TEST

/* Expected bytes hold the phase open; a copy completes them; a thread that arrives with drop is not counted later. */
START_TEST(test_mbarrier_bytes)
{
	static const char text[] = KERNEL
	"mov.u32 %r3, 0x11; st.global.v4.u32 [%d0+64], {%r3, 2, 3, 4}; st.global.v4.u32 [%d0+80], {5, 6, 7, 8};\n"
	"mbarrier.init.shared.b64 [bar], 2; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32; mbarrier.arrive_drop.shared.b64 %d2, [bar];\n"
	"mbarrier.test_wait.parity.shared.b64 %q0, [bar], 0; selp.u32 %r4, 1, 0, %q0; st.global.u32 [%d0], %r4;\n"	/* 0: bytes are missing */
	"add.u64 %d3, %d0, 64; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d3], 32, [%r2];\n"
	"mbarrier.test_wait.parity.shared.b64 %q0, [bar], 0; selp.u32 %r4, 1, 0, %q0; st.global.u32 [%d0+4], %r4;\n"	/* 1 */
	"ld.shared.u32 %r5, [s+28]; st.global.u32 [%d0+8], %r5; ld.shared.u32 %r5, [s]; st.global.u32 [%d0+12], %r5;\n"
	"mbarrier.arrive.shared.b64 %d2, [bar]; mbarrier.test_wait.parity.shared.b64 %q0, [bar], 1; selp.u32 %r4, 1, 0, %q0;\n"
	"st.global.u32 [%d0+16], %r4;\n"	/* 1: one arrival is enough now */
	"mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 4; mbarrier.arrive.shared.b64 _, [bar]; mbarrier.test_wait.parity.shared.b64 %q0, [bar], 0;\n"
	"selp.u32 %r4, 1, 0, %q0; st.global.u32 [%d0+20], %r4; mbarrier.complete_tx.relaxed.cta.shared.b64 [bar], 4;\n"
	"mbarrier.test_wait.parity.shared.b64 %q0, [bar], 0; selp.u32 %r4, 1, 0, %q0; st.global.u32 [%d0+24], %r4;\n"
	"cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.test_wait.parity.shared.b64 %q0, [bar], 1; selp.u32 %r4, 1, 0, %q0;\n"
	"st.global.u32 [%d0+28], %r4; cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; mbarrier.test_wait.parity.shared.b64 %q0, [bar], 1;\n"
	"selp.u32 %r4, 1, 0, %q0; st.global.u32 [%d0+32], %r4; mbarrier.inval.shared.b64 [bar];\n"
	"add.u64 %d3, %d0, 128; cp.async.bulk.global.shared::cta.bulk_group [%d3], [s], 32; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; ret;\n}\n";
	static const u32 want[] = { 0, 1, 8, 0x11, 1, 0, 1, 0, 1 };
	u32 out[64];

	run(text, 1, out, 64);
	for (unsigned i = 0; i < sizeof(want) / 4; i++)
		ck_assert_msg(out[i] == want[i], "word %u: %u", i, out[i]);
	ck_assert_uint_eq(out[32], 0x11);
	ck_assert_uint_eq(out[39], 8);
}
END_TEST

/* One lane of the mask is elected, the same for all; %reserved_smem_offset_* is memory of its own. */
START_TEST(test_elect_and_reserved)
{
	static const char text[] = KERNEL
	"elect.sync %r3|%q0, 0xffffffff; selp.u32 %r4, 100, 0, %q0; add.u32 %r4, %r4, %r3; setp.lt.u32 %q1, %r0, 12; @%q1 bra $low;\n"
	"elect.sync %r3|%q0, 0xfffff000; selp.u32 %r5, 1000, 0, %q0; bra $meet; $low: elect.sync %r3|%q0, 0xfff; selp.u32 %r5, 1000, 0, %q0;\n"
	"$meet: add.u32 %r4, %r4, %r5; mad.lo.u32 %r4, %r3, 10000, %r4; st.global.u32 [%d1], %r4;\n"
	"mov.u32 %r6, %reserved_smem_offset_1; mov.u32 %r7, %reserved_smem_offset_end; sub.u32 %r8, %r7, %r6; st.global.u32 [%d0+128], %r8;\n"
	"mov.u32 %r9, 77; st.shared.u32 [s], %r9; st.shared.u32 [s+1020], %r9; mov.u32 %r9, 5; st.shared.u32 [%r6], %r9; st.shared.u32 [%r7+-4], %r9;\n"
	"ld.shared.u32 %r10, [s]; ld.shared.u32 %r9, [s+1020]; add.u32 %r10, %r10, %r9; st.global.u32 [%d0+132], %r10; ret;\n}\n";
	u32 out[40];

	run(text, 32, out, 40);
	for (u32 i = 0; i < 32; i++)
		ck_assert_uint_eq(out[i], (i == 0 ? 100 : 0) + (i == 0 || i == 12 ? 1000 : 0) + (i < 12 ? 0 : 120000));
	ck_assert_uint_eq(out[32], 1024);
	ck_assert_uint_eq(out[33], 154);
}
END_TEST

/* ---- constants for which an instruction has no field ---- */

/* Both get a constant into a register: one of 64 bits as the half of a vector, one of 32 beside another constant. */
#define WIDE(to, number)	"st.local.v2.u64 [x], {%%l0, " #number "};\nld.local.u64 %%l" #to ", [x+8];\n"
#define NARROW(to, number)	"mad.lo.u32 %%t" #to ", %%t0, 1000, " #number ";\nmad.lo.u32 %%t" #to ", %%t0, -1000, %%t" #to ";\n"
#define MAD64(to, number)	"mad.lo.u64 %%l" #to ", %%l0, 1000, " #number ";\nmad.lo.u64 %%l" #to ", %%l0, -1000, %%l" #to ";\n"
#define GIVES(number, ...)	form("q", ref_constant, 64, 0, number, 0, ".local .align 16 .b64 x[2];\n" \
				     "mov.u32 %%t0, %%tid.x;\ncvt.u64.u32 %%l0, %%t0;\n" __VA_ARGS__)

static u64 ref_constant(const struct form *f, u64 a, u64 b, u64 c)
{
	return (u64)(s64)f->op;
}

#define CHAIN(number)		"mad.lo.u32 %%d, %%d, 3, " #number ";\n"
#define TEN			CHAIN(1) CHAIN(2) CHAIN(3) CHAIN(4) CHAIN(5) CHAIN(6) CHAIN(7) CHAIN(8) CHAIN(9) CHAIN(10)

static u64 ref_chain(const struct form *f, u64 a, u64 b, u64 c)
{
	for (u32 i = 0; i < 20; i++)
		a = 3 * a + 1 + i % 10;
	return a;
}

/*
 * A register that holds a constant serves for the next use of it: for the same number only, of the same width, while it is
 * among the last few, and in the same block.
 */
START_TEST(test_constants)
{
	GIVES(77, WIDE(1, 77) WIDE(2, 0) "sub.u64 %%d, %%l1, %%l2;");
	GIVES(-77, WIDE(1, 0) WIDE(2, 77) "sub.u64 %%d, %%l1, %%l2;");
	GIVES(2, WIDE(1, 0x123456789abcde) WIDE(2, 0x123456789abcdc) "sub.u64 %%d, %%l1, %%l2;");
	GIVES(1, WIDE(1, 0x100000005) WIDE(2, 5) "sub.u64 %%l1, %%l1, %%l2;\nshr.u64 %%d, %%l1, 32;");
	GIVES(154, WIDE(1, 77) WIDE(2, 77) "add.u64 %%d, %%l1, %%l2;");
	GIVES(2, NARROW(1, 77) NARROW(2, 75) "sub.u32 %%t1, %%t1, %%t2;\ncvt.u64.u32 %%d, %%t1;");
	/* more than are remembered, then all of them again */
	form("wE", ref_chain, 32, 0, 0, 0, "mov.u32 %%d, %%a;\n" TEN TEN);
	/* one number, of 32 and of 64 bits, in both orders */
	GIVES(154, NARROW(1, 77) WIDE(2, 77) "cvt.u64.u32 %%l1, %%t1;\nadd.u64 %%d, %%l1, %%l2;");
	GIVES(154, WIDE(2, 77) NARROW(1, 77) "cvt.u64.u32 %%l1, %%t1;\nadd.u64 %%d, %%l1, %%l2;");
	GIVES(154, NARROW(1, 77) MAD64(2, 77) "cvt.u64.u32 %%l1, %%t1;\nadd.u64 %%d, %%l1, %%l2;");
	GIVES(154, MAD64(2, 77) NARROW(1, 77) "cvt.u64.u32 %%l1, %%t1;\nadd.u64 %%d, %%l1, %%l2;");
	GIVES(0, NARROW(1, 77) MAD64(2, 77) MAD64(3, 77) NARROW(4, 77) "sub.u64 %%d, %%l2, %%l3;");
	/* the same lower half */
	GIVES(0, WIDE(2, 0x700000005) NARROW(1, 5) WIDE(3, 0x700000005) "sub.u64 %%d, %%l2, %%l3;");
	/* a block that nobody runs has put it into its register */
	GIVES(99, "setp.lt.u32 %%p0, %%t0, 1024;\n@%%p0 bra NEXT;\n" WIDE(1, 99) "NEXT:\n" WIDE(2, 99) "mov.u64 %%d, %%l2;");
	forms_run(1);
}
END_TEST

/* How many moves a kernel has in which four numbers are added to products with a constant. */
static unsigned moves(unsigned a, unsigned b, unsigned c, unsigned d)
{
	struct ppu_image *img = NULL;
	struct ppu_log log;
	char text[1000];
	unsigned n = 0;

	snprintf(text, sizeof(text), ".version 7.0\n.target sm_70\n.address_size 64\n.entry k(.param .u64 p)\n{\n"
		 ".reg .b64 %%p;\n.reg .b32 %%t, %%r<4>;\nld.param.u64 %%p, [p];\nmov.u32 %%t, %%tid.x;\n"
		 "mad.lo.u32 %%r0, %%t, 1000, %u;\nmad.lo.u32 %%r1, %%t, 1000, %u;\nmad.lo.u32 %%r2, %%t, 1000, %u;\n"
		 "mad.lo.u32 %%r3, %%t, 1000, %u;\nst.global.v4.u32 [%%p], {%%r0, %%r1, %%r2, %%r3};\nret;\n}\n", a, b, c, d);
	ppu_log_init(&log);
	ck_assert_msg(!ppu_ptx_compile(text, strlen(text), "constants", NULL, &img, &log), "%s", log.text);
	for (uint32_t pc = 0; pc < img->num_insns; pc++)
		n += PPU_GET(&img->code[pc], OP) == PPU_OP_MOV;
	ppu_image_free(img);
	ppu_log_free(&log);
	return n;
}

/* Each number is moved to a register once. */
START_TEST(test_constants_shared)
{
	ck_assert_uint_eq(moves(7, 7, 7, 7), 1);
	ck_assert_uint_eq(moves(7, 8, 7, 8), 2);
	ck_assert_uint_eq(moves(7, 8, 9, 7), 3);
	ck_assert_uint_eq(moves(7, 8, 9, 10), 4);
}
END_TEST

int main(void)
{
	const TTest *tests[] = { test_video, test_video_lanes, test_vmad, test_pairs, test_rare, test_vectors, test_mbarrier,
				 test_mbarrier_bytes, test_elect_and_reserved, test_constants, test_constants_shared };

	form_prologue = ".global .align 32 .b8 gl[8192];\n.func (.reg .b32 r) f41() { mov.u32 r, 41; ret; }\n"
			".func (.reg .b32 r) other();\n.alias other, f41;\n";
	return forms_main("ptx_rare", tests, sizeof(tests) / sizeof(tests[0]));
}
