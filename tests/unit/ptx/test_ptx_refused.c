/* SPDX-License-Identifier: MIT */
/*
 * What the PTX compiler refuses: for each of its messages a text that gets it, at the place where the mistake is.  (More of
 * them: test_ptx_front.c and tests/ptx/golden/errors*.ptx.  Not here: what needs more than 2^22 instructions or an
 * initialiser of a gigabyte.)
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "ppu_image.h"
#include "run_suite.h"

#define HEAD ".version 8.6\n.target sm_90\n.address_size 64\n"

#define GETS(n)	((n) << 16)	/* messages, not only one */

struct refusal {
	const char *text, *says;
	unsigned column;	/* of the first message; 0: the mistake is noticed in another line; and how many there are */
};

static const char *compile(const char *text, struct ppu_log *log)
{
	struct ppu_image *img = NULL;
	int rc;

	ppu_log_init(log);
	rc = ppu_ptx_compile(text, strlen(text), "r", NULL, &img, log);
	ck_assert_msg(!rc == !log->errors, "%s", text);
	if (img)
		ppu_image_free(img);
	return rc ? log->text : NULL;
}

/* Line 4 of the text is wrong, or an instruction, which stands in line 5. */
static void check(const char *text, unsigned line, const struct refusal *t)
{
	struct ppu_log log;
	const char *said = compile(text, &log), *at;
	unsigned column = t->column & 0xffff, errors = t->column >> 16, l = 0, c = 0;

	ck_assert_msg(said != NULL, "%s: accepted", t->text);
	ck_assert_msg(strstr(said, t->says) != NULL, "%s: %s instead of %s", t->text, said, t->says);
	at = strstr(said, "r:");
	ck_assert_msg(at && sscanf(at, "r:%u:%u:", &l, &c) == 2 && (!column || (l == line && c == column)),
		      "%s: %s: column %u", t->text, said, column);
	ck_assert_msg(log.errors == (errors ? errors : 1), "%s: %s", t->text, said);
	ppu_log_free(&log);
}

static const struct refusal modules[] = {
	{ ".entry k() { .reg %r; ret; }", "a register needs a type, such as .b32", 19 },
	{ ".reg .b32 %r;", "registers at module level are not supported; declare them in the function", 11 },
	{ ".global .frob .u32 x;", "'.frob' is not supported in a declaration", 9 },
	{ ".global x;", "a variable needs a type, such as .b32", 9 },
	{ ".global .b64 x[4611686018427387904];", "this array is too large", 15 },
	{ ".local .u32 x;", "this state space is not allowed outside functions", 13 },
	{ ".param .u32 x;", "this state space is not allowed outside functions", 13 },
	{ ".entry k(.reg .u32 x) { ret; }", "a parameter starts with .param", 10 },
	{ ".func f(.param .b8 x[]) { ret; }",
	  "parameters of unknown size (variadic functions) are not supported", 20 },
	{ ".entry k() { .entry x; ret; }", "'.entry' is not supported inside a function", 14 },
	{ ".global .u32 x = "
	  "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))"
	  ")))))))))))))))))))))))))))));",
	  "this expression is nested too deeply", 83 },
	{ ".entry k() .maxntid x { ret; }", "an integer constant was expected here", 21 | GETS(3) },
	{ ".global .f32 x = 0f123;", "a 0f literal has 8 hexadecimal digits, this has 3", 18 },
	{ ".global .u32 x = 12ab;", "bad number: unexpected 'a' in it", 18 },
	{ ".section \"abc", "this string is not closed; add \"", 10 },
	{ ".target sm_60, 4", "the name of a target, such as sm_75, was expected here", 16 | GETS(2) },
	{ ".target", "the name of a target, such as sm_75, was expected here", 0 },
	{ ".version x", ".version needs a number, such as 6.3", 10 },
	{ ".alias f, g;", "'f' is not a .func declared before; '.alias' is for those", 8 },
	{ ".func f() { ret; }\n.func g() { ret; }\n.alias f, g;",
	  "'f' has a body and cannot be another function's name", 0 },
	{ ".frob x;", "'.frob' is not supported here", 1 },
	{ "x;", "a directive was expected here", 1 },
	{ ".entry k() { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { { "
	  "{ { { { { { { { { { { { { { { { { { { { { ret; }",
	  "blocks { } are nested too deeply", 140 },
	{ ".global .u32 x;\n.entry k() { bra x; }", "label 'x' is not defined in this function", 0 },
	{ ".global .u32 x = {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{1}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}}};",
	  "this initialiser is nested too deeply", 52 },
	{ ".func (.param .b64 r0, .param .b64 r1, .param .b64 r2, .param .b64 r3, .param .b64 r4, .param .b64 r5, "
	  ".param .b64 r6, .param .b64 r7, .param .b64 r8, .param .b64 r9, .param .b64 r10, .param .b64 r11) f() { "
	  "ret; }",
	  "this function has too many results; return a structure", 148 | GETS(4) },
	{ ".entry k() { .reg .u32 x; bra x; }", "'x' is not a label", 31 },
	{ ".global .u32 x = 1 +;", "an integer constant was expected here", 21 },
	{ ".global .align 3 .u32 x;", "an alignment must be a power of two up to 4096", 9 },
	{ ".global .align 0 .u32 x;", "an alignment must be a power of two up to 4096", 9 },
	{ ".entry k() { ret; } .entry k() { ret; }", "function 'k' has two bodies", 28 },
	{ ".global .u32 x; .global .u32 x;", "'x' is declared twice (first on line 4); rename one of them", 30 },
	{ ".entry k() { .reg .b32 %a; .reg .b32 %a; ret; }",
	  "'%a' is declared twice (first on line 4); rename one of them", 38 },
	{ ".entry k(.param .b32 a, .param .b32 a) { ret; }",
	  "'a' is declared twice (first on line 4); rename one of them", 37 },
	{ ".entry k() { .reg .b32 %r<-1>; ret; }", "the number of registers is out of range", 24 },
	{ ".entry k() { ret; ", "'}' at the end of the function was expected here", 0 },
	{ ".entry { ret; }", "the name of the function was expected here", 8 },
	{ ".address_size 32", "only 64-bit addresses are supported; compile for nvptx64", 1 },
};

static const struct refusal instructions[] = {
	{ "call f, (%r0, );", "an operand was expected here", 15 },
	{ "tex.2dms.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f0, %f0, %f0}];",
	  "'tex' has an unknown modifier '.2dms'; remove it or use a supported form", 4 },
	{ "tld4.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f0, %f0}];", "'tld4' needs .r, .g, .b or .a", 1 },
	{ "tld4.r.2d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%l0, {%r0, %r0}];", "the coordinates of this fetch have type .f32", 1 },
	{ "tex.acube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%r0, %f0, %f0}];", "this texture needs 4 coordinates, here are 3", 1 },
	{ "tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%l0, {%f0, %f0}], {1, 1};", "';' after the instruction", 61 },
	{ "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f0, %f0, %f0, %f0, %f0}];",
	  "a texture has at most four coordinates", 45 },
	{ "mov.b64 %l0, {%r0, %r1, %r0, %r1, %r0, %r1, %r0, %r1, %r0};",
	  "a vector operand has at most 8 elements", 55 | GETS(2) },
	{ "mov.b64 %l0, {%r0, [%l0]};", "a vector element must be a register or a constant", 20 | GETS(2) },
	{ "mov.u32 %r0, %tid.q;", "register '%tid' is not declared", 14 },
	{ "setp.eq.and.u32 %p0, %r0, %r1, !4;", "'!' must be followed by a predicate register", 32 },
	{ "setp.eq.u32 %p0|4, %r0, %r1;", "'|' must be followed by a register", 17 },
	{ "add.u32 %r0, %r1, ;", "an operand was expected here", 19 },
	{ "add.u32.u32.u32.u32.u32.u32.u32.u32.u32 %r0, %r1, %r2;", "'add' has too many types", 20 },
	{ "@4 add.u32 %r0, %r1, %r2;", "'@' must be followed by a predicate register", 2 },
	{ "add.u32 %r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0, %r0;", "'add' has too many operands", 59 },
	{ "4;", "an instruction was expected here", 1 },
	{ "ld.global.u32 %r0, %l0;", "an address in [ ] was expected here", 20 },
	{ "add.rz.f16 %h0, %h1, %h2;", "'add' of type .f16 takes no rounding other than .rn and no .ftz", 1 },
	{ "add.rn.bf16.sat %h0, %h1, %h2;", "'add' of type .bf16 takes no .sat", 1 },
	{ "min.xorsign.abs.f32 %f0, %f1, %f2, %f3;", "'min' of three sources takes no .xorsign", 1 },
	{ "fma.rn.ftz.f64 %d0, %d1, %d2, %d3;", "'fma' of type .f64 takes no rounding other than .rn and no .ftz", 1 },
	{ "dp4a.u32 %r0, %r1, %r2, %r3;", "'dp4a' needs two types, of a and of b", 1 },
	{ "cp.async.ca.shared.global %r0, [%l0], 16;",
	  "'cp.async' copies 4, 8 or 16 bytes: cp.async.ca.shared.global [to], [from], bytes", 1 },
	{ "mbarrier.arrive.shared.b64 %l0;",
	  "'mbarrier.arrive' has the form mbarrier.arrive.shared.b64 state, [object], count", 1 },
	{ "mbarrier.init.shared.b64 [%r0];", "'mbarrier' of this form takes [object] and a number", 1 },
	{ "mbarrier.shared.b64 [%r0], 1;", "'mbarrier' needs an operation, such as .init or .arrive", 1 },
	{ "cp.async.bulk.global.global.bulk_group [%l0], [%l1], 16;",
	  "'cp.async.bulk' copies from .global to .shared with an mbarrier, or from .shared to .global in a "
	  "bulk_group", 1 },
	{ "cp.async.mbarrier.arrive.shared.b64 %r0;", "an address in [ ] was expected here", 37 | GETS(2) },
	{ "cp.async.ca.shared.global [%r0], [%l0], 5;",
	  "'cp.async' copies 4, 8 or 16 bytes: cp.async.ca.shared.global [to], [from], bytes", 1 },
	{ "cp.async.wait_group;", "'cp.async.wait_group' takes the number of groups, the others nothing", 1 },
	{ "cp.async.wait_all 1;", "'cp.async.wait_group' takes the number of groups, the others nothing", 1 },
	{ "cp.sync.ca [%r0], [%l0], 4;",
	  "'cp' does not take '.sync' here; see the supported forms in the compiler's manual", 3 },
	{ "atom.global.u32 %r0, [%l0], %r1;", "'atom' needs an operation, such as .add", 1 },
	{ "atom.global.cas.b32 %r0, [%l0], %r1;", "'atom.cas' takes a value to compare and a new value", 1 },
	{ "lop3.and.b32 %r0, %r1, %r2, %r3, 1, %p0;", "'lop3' with .and, .or or .xor writes d|p", 1 },
	{ "lop3.b32 %r0, %r1, %r2, %r3, 256;", "the truth table of 'lop3' must be a constant from 0 to 255", 30 },
	{ "lop3.b32 %r0, %r1, %r2, %r3, %r4;", "the truth table of 'lop3' must be a constant from 0 to 255", 30 },
	{ "lop3.b32 %r0|%p1, %r1, %r2, %r3, 1, %p0;",
	  "'lop3' with a predicate operand needs .and, .or or .xor, and they need one", 1 },
	{ "bra 4;", "a label was expected here", 5 },
	{ "brx.idx %r0, x;", "'brx.idx' needs the name of a .branchtargets list declared before it", 14 },
	{ "{ .param .b64 a; call (%r0), one, (a); }", "this argument has another size than the parameter", 36 },
	{ "{ .param .b8 a[8]; call (%r0), one, (a); }", "an array is passed where the function takes a scalar", 38 },
	{ "{ .param .b8 a[12]; call array, (a); }",
	  "this argument does not match the parameter, which is an array of 16 bytes", 34 },
	{ "call array, (%r0);", "this argument does not match the parameter, which is an array of 16 bytes", 14 },
	{ "call array, (one);", "this argument does not match the parameter, which is an array of 16 bytes", 14 },
	{ "call array, (g);", "this argument does not match the parameter, which is an array of 16 bytes", 14 },
	{ "{ .param .b64 a; call array, (a); }",
	  "this argument does not match the parameter, which is an array of 16 bytes", 31 },
	{ "call (%r0), two;",
	  "this result does not match the function's; declare a .param of its type for each call", 7 },
	{ "call (g), two;",
	  "this result does not match the function's; declare a .param of its type for each call", 7 },
	{ "call (4), one, (%r0);", "this operand cannot take a result", 7 },
	{ "call (%l0), one, (%r0);", "this result has another size than the function's", 7 },
	{ "call %r0, (%r0), one;", "a .callprototype or a list of functions was expected here", 18 },
	{ "testp.f32 %p0, %f0;", "'testp' needs a class, such as .finite", 1 },
	{ "setp.nan.u32 %p0, %r0, %r1;", "this comparison does not exist for type .u32", 1 },
	{ "set.eq.u32 %r0, %r1, %r2;", "'set' needs the types of the result and of the operands", 1 },
	{ "slct.u32 %r0, %r1, %r2, %r3;", "'slct' needs two types, the second .s32 or .f32", 1 },
	{ "slct.u32.u32 %r0, %r1, %r2, %r3;", "'slct' needs two types, the second .s32 or .f32", 1 },
	{ "cvt.rn.e4m3x2.f32 %h0, %f0, %f1;",
	  "the conversions of .e4m3x2 are 'cvt.rn.satfinite' of two .f32 or of .f16x2, and 'cvt.rn.f16x2'; both "
	  "with .relu", 1 },
	{ "ld.global.v2.u32 {%r0, %r1, %r2}, [%l4];", "the data operand has 3 elements, the instruction 2", 18 },
	{ "ld.global.v2.u32 %r0, [%l4];", "the data operand has 1 elements, the instruction 2", 18 },
	{ "st.const.u32 [%l0], %r0;", "'st' cannot write constant memory or the parameters of a kernel", 1 },
	{ "st.param.u32 [p], %r0;", "'st' cannot write constant memory or the parameters of a kernel", 1 },
	{ "cvta.global.u32 %r0, %r1;", "addresses have 64 bits; use 'cvta' of type .u64 and .address_size 64", 1 },
	{ "ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%r0, %r1, %r2}, [%r3];",
	  "'ldmatrix' has an unknown modifier '.x3'; remove it or use a supported form", 27 },
	{ "movmatrix.sync.aligned.m8n8.b16 %r0, %r1;",
	  "'movmatrix' has the form movmatrix.sync.aligned.m8n8.trans.b16", 1 },
	{ "mma.sync.aligned.m8n8k4.f32.f16.f16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, {%r0,%r1}, {%r2,%r3}, "
	  "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
	  "'mma' needs the layouts of a and b, such as .row.col", 1 },
	{ "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32 {%r0,%r1,%r2,%r3}, {%r0,%r1}, {%r2,%r3}, "
	  "{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
	  "'mma' of this shape has c of the type of d", 1 },
	{ "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r2,%r3}, "
	  "{%f0,%f1,%f2,%f3};",
	  "'mma' needs the types of d, a, b and c", 1 },
	{ "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
	  "{%r2,%r3}, {%f0,%f1,%f2,%f3};",
	  "'mma' takes .satfinite with factors of .s8, .u8, .s4 and .u4 only", 1 },
	{ "mma.sync.aligned.m16n8k16.row.col.rn.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r2,%r3}, "
	  "{%f0,%f1,%f2,%f3};",
	  "'mma' takes a rounding with factors of .f64 only", 1 },
	{ "mma.sync.aligned.m16n8k16.row.col.f32.f16.s8.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r2,%r3}, "
	  "{%f0,%f1,%f2,%f3};",
	  "'mma' has no form with factors of .f16 and .s8", 1 },
	{ "mov.b16 %h0, {%h1, %h2};", "a 16-bit register cannot be packed; use shl and or", 1 },
	{ "mov.v2.u32 {%r0, %r1}, {%r2, %r3, %r4};", "'mov.v2' has two vectors of 2 elements as operands", 1 },
	{ "cvt.rn.f32.f32 %f0, %f1, %f2;", "'cvt' with two sources makes .f16x2 or .bf16x2 of .f32", 1 },
	{ "cvt.rp.tf32.f32 %r0, %f1;",
	  "the conversions to .tf32 are 'cvt.rna.tf32.f32', and with .rn or .rz, which take .relu", 1 },
	{ "cvt.u32.u32 %r0, %r1, %r2, %r3;",
	  "'cvt' takes 2 or 3 operands, this one has 4; only 'cvt.pack' takes so many", 1 },
	{ "cvt.u32 %r0, %r1;", "'cvt' needs two types, of the result and of the operand", 1 },
	{ "cvt.rna.f16.f32 %h0, %f1;", "'cvt' with .rna makes .tf32 of .f32 only", 1 },
	{ "mov.u32 %r0, g;", "the address of 'g' has 64 bits; use a 64-bit register", 14 },
	{ "add.u32 4, %r0, %r1;", "the destination must be a register", 9 },
	{ "selp.u32 %r0, %r1, %r2, %r3;", "a predicate register was expected here", 25 },
	{ "mov.b64 %l0, %q0;", "register '%q0' has 128 bits, this operand needs 64", 14 },
	{ "add %r0, %r1, %r2;", "'add' takes one type, this has 0", 1 | GETS(2) },
	{ "add.u32.u32 %r0, %r1, %r2;", "'add' takes one type, this has 2", 1 | GETS(2) },
	{ "cvt.pack.sat.u32.s32 %r0, %r1, %r2;",
	  "'cvt.pack' has the forms cvt.pack.sat.s16.s32 d, a, b and cvt.pack.sat.s8.s32.b32 d, a, b, c (.u16; .u8 "
	  ".s4 .u4)", 1 },
	{ "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [4, {%f0, %f0}];",
	  "a texture is a .texref variable or a 64-bit register with its handle", 42 },
	{ "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%r0, {%f0, %f0}];",
	  "a texture is a .texref variable or a 64-bit register with its handle", 42 },
	{ "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [t, {%f0}];", "this texture needs 2 coordinates, here are 1", 1 },
	{ "tex.2d.f32.f32 %f0, [t, {%f0, %f1}];",
	  "'tex' has the form tex.2d.v4.TYPE.COORDINATES, with types of 32 bits and four results", 1 },
	{ "suld.p.2d.v4.b32.trap {%r0, %r1, %r2, %r3}, [%l0, {%r0, %r1}];",
	  "'suld' has an unknown modifier '.p'; remove it or use a supported form", 5 },
	{ "suld.b.2d.b32.zero %r0, [%l0, {%r0, %r1}];", "'suld' with .zero is not supported; use .trap or .clamp", 1 },
	{ "txq.channel_order.b32 %r0, [t];",
	  "'txq' has an unknown modifier '.channel_order'; remove it or use a supported form", 4 },
	{ "red.global.v4.f32.add [%l0], %f0;",
	  "'red' of vectors is for .global floats, at most 128 bits, with operands of 4 elements", 1 },
	{ "red.global.v8.f32.add [%l0], {%f0, %f1, %f2, %f3, %f0, %f1, %f2, %f3};",
	  "'red' of vectors is for .global floats, at most 128 bits, with operands of 8 elements", 1 },
	{ "min.u16x2.relu %r0, %r1, %r2;",
	  "'min.u16x2' takes two sources and no other modifiers but .relu for .s16x2", 1 },
	{ "vadd.u32.u32.u32 %r0, %r1.b9, %r2;", "'.b9' does not select a part of this operand", 23 },
	{ "vadd.u32.u32 %r0, %r1, %r2;", "'vadd' needs 3 types, each .u32 or .s32", 1 },
	{ "vadd.u32.u32.u32 %r0, %r1;", "'vadd' takes 3 to 4 operands, this one has 2", 1 },
	{ "vset.u32.u32 %r0, %r1, %r2;", "'vset' needs a comparison: .eq .ne .lt .le .gt .ge", 1 },
	{ "vshl.u32.u32.u32 %r0, %r1, %r2;", "'vshl' needs .clamp or .wrap", 1 },
	{ "barrier.cta 0;", "'barrier' needs .sync, .arrive or .red with its operands", 1 },
	{ "bar.arrive 0;", "'bar' needs .sync, .arrive or .red with its operands", 1 },
	{ "bar.sync 0, 33;", "the thread count of a barrier is a multiple of 32 up to 1024", 13 },
	{ "bar.sync 0, 1056;", "the thread count of a barrier is a multiple of 32 up to 1024", 13 },
	{ "vote.sync.any.pred %p0, %p1;", "'vote.sync' takes a member mask, 'vote' takes none", 1 },
	{ "vote.any.pred %p0, %p1, -1;", "'vote.sync' takes a member mask, 'vote' takes none", 1 },
	{ "shfl.sync.idx.b32 %r0, %r1, 0, 31;", "'shfl.sync' takes a member mask, 'shfl' takes none", 1 },
	{ "shfl.idx.b32 %r0, %r1, 0, 31, -1;", "'shfl.sync' takes a member mask, 'shfl' takes none", 1 },
	{ "redux.sync.u32 %r0, %r1, -1;", "'redux' needs an operation, such as .add", 1 },
	{ "elect.sync %r0, -1;", "'elect' writes d|p: the lane chosen, and whether it is this one", 1 },
	{ "wmma.load.a.sync.aligned.row.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%l0], %r0;",
	  "'wmma' needs a shape, such as .m16n16k16", 1 },
	{ "wmma.load.d.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3}, [%l0], %r0;",
	  "this form of 'wmma' is not supported: .load of .a, .b or .c, .store of .d, one type, .row or .col", 1 },
	{ "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7};",
	  "'wmma' takes 2 to 4 operands, this one has 1", 1 },
	{ "wmma.mma.sync.aligned.m16n16k16.f32.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, "
	  "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
	  "'wmma.mma' needs the layouts of a and b, such as .row.col", 1 },
	{ "wmma.sync.aligned.m16n16k16.f32.f32 %r0;", "'wmma' takes 2 to 4 operands, this one has 1", 1 },
	{ "call %r0;", "a call needs a function or a 64-bit register with its address", 6 },
	{ "call nosuch;", "function 'nosuch' is not declared", 6 },
	{ "ld.shared.v4.b64 {%l0, %l1, %l2, %l3}, [%r0];", "a vector of 256 bits is too long, 128 is the most", 18 },
	{ "{ .param .b64 a; st.param.b16 [a+2], %h0; }",
	  "this partial store to a parameter is not supported; declare the parameter as an array of bytes", 18 },
	{ "neg.ftz.f64 %d0, %d1;", "'neg.f64' takes no .ftz", 1 },
	{ "add.f16 %h0, %h1, 1.5;",
	  "a floating point constant cannot be of type .f16; give its bits as an integer of type .b16", 19 },
	{ "ld.global.u32 %q0, [%l0];", "register '%q0' has 128 bits, the result fewer", 15 },
	{ "suld.2d.b32.trap %r0, [%l0, {%r0, %r1}];",
	  "'suld' has the form suld.b with one type; formatted access is not supported", 1 },
	{ "suld.b.2d.b32.b32.trap %r0, [%l0, {%r0, %r1}];",
	  "'suld' has the form suld.b with one type; formatted access is not supported", 1 },
	{ "txq.b32 %r0, [t];", "'txq' can ask for width, height, depth, array_size, normalized_coords and num_mipmap_levels", 1 },
	{ "vadd.u32.u32.u32.add %r0, %r1, %r2;", "'vadd' of this form takes a, b and c", 1 },
	{ "vadd.u32.u32.u32 %r0, %r1, %r2, %r3;", "'vadd' takes c only with a second operation or a part of d", 1 },
	{ "ld.shared.u32 %r0, [4294967296];", "this offset does not fit in 32 bits", 20 },
	{ "setp.lo.f32 %p0, %f0, %f1;", "this comparison does not exist for type .f32", 1 },
	{ "setp.nan.s32 %p0, %r0, %r1;", "this comparison does not exist for type .s32", 1 },
	{ "setp.eq.pred %p0, %p1, %p2;", "'setp' has no form of type .pred", 1 },
	{ "wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%l0], %r0, %r0;",
	  "'wmma.load' and 'wmma.store' take a fragment, an address, and a stride", 1 },
	{ "wmma.load.a.b.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%l0], %r0;",
	  "this form of 'wmma' is not supported: .load of .a, .b or .c, .store of .d, one type, .row or .col", 1 },
	{ "wmma.load.a.sync.aligned.row.col.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%l0], %r0;",
	  "this form of 'wmma' is not supported: .load of .a, .b or .c, .store of .d, one type, .row or .col", 1 },
	{ "wmma.load.a.sync.aligned.m16n16k16.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%l0], %r0;",
	  "this form of 'wmma' is not supported: .load of .a, .b or .c, .store of .d, one type, .row or .col", 1 },
	{ "wmma.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3}, [%l0], %r0;",
	  "'wmma' needs .load, .store or .mma", 1 },
	{ "wmma.load.store.a.sync.aligned.row.m16n16k16.f16 {%r0,%r1,%r2,%r3}, [%l0], %r0;",
	  "'wmma' needs .load, .store or .mma", 1 },
	{ "ldmatrix.sync.aligned.x1.shared.b16 {%r0}, [%r3];",
	  "'ldmatrix' has the form ldmatrix.sync.aligned.m8n8.x1 (x2, x4) .b16", 1 },
	{ "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0}, [%r3];", "this fragment has 2 registers", 42 | GETS(2) },
	{ "ldmatrix.sync.aligned.m8n8.x1.x2.shared.b16 {%r0}, [%r3];",
	  "'ldmatrix' takes one number of matrices, this has 2", 1 },
	{ "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32 {%r0,%r1}, {%r2}, {%r3}, {%r0,%r1};",
	  "'mma' with factors of .b1 needs .and.popc or .xor.popc", 1 },
	{ "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32.and.popc {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, "
	  "{%r2,%r3}, {%f0,%f1,%f2,%f3};",
	  "'mma' takes .and.popc and .xor.popc with factors of .b1 only", 1 },
	{ "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2}, {%r0,%r1,%r2,%r3}, {%r2,%r3}, "
	  "{%f0,%f1,%f2,%f3};",
	  "this fragment has 4 registers", 51 },
	{ "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, {%r2}, "
	  "{%f0,%f1,%f2,%f3};",
	  "this fragment has 2 registers", 89 },
	{ "ld.global.v4.b64 {%l0, %l1}, [%l2];", "the data operand must be a vector of 4 elements", 18 },
	{ "st.global.v8.b32 [%l2], {%r0, %r1};", "the data operand must be a vector of 8 elements", 25 },
	{ "ld.shared.v8.b32 {%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}, [%r0];",
	  "the data operand has 8 elements, the instruction 1", 18 },
	{ "{ .shared .b32 s[4][2]; ld.shared.b32 %r0, [s[1][1][1]]; }", "'s' has fewer dimensions", 52 },
	{ "ld.global.u32 %p0, [%l0];", "register '%p0' is of type .pred, the result of type .u32", 15 },
	{ "st.global.u64 [%l0], %r0;", "register '%r0' has 32 bits, this operand needs 64", 22 },
	{ "ld.global.u64 %r0, [%l0];", "register '%r0' is of type .b32, the result of type .u64", 15 },
	{ "add.u64 %l0, %r0, %l1;", "register '%r0' has 32 bits, this operand needs 64", 14 },
	{ "add.u32 %r0, %l0, %r1;", "register '%l0' has 64 bits, this operand needs 32", 14 },
	{ "mov.pred %p0, %r0;", "a predicate register was expected here", 15 },
	{ "mov.u32 %r0, %p0;", "a predicate register cannot be used here; use selp to make a number of it", 14 },
	{ "add.u32 %r0, %r1;", "'add' takes 3 operands, this one has 2", 1 },
	{ "add.u32 %r0, %r1, %r2, %r3;", "'add' takes 3 operands, this one has 4", 1 },
	{ "nosuch.u32 %r0;", "'nosuch' is not a PTX instruction this compiler knows", 1 },
	{ "add.frob.u32 %r0, %r1, %r2;",
	  "'add' has an unknown modifier '.frob'; remove it or use a supported form", 4 },
	{ "add.::u32 %r0, %r1, %r2;", "an operand was expected here", 4 },
	{ "add.L2::x.u32 %r0, %r1, %r2;", "'add' has an unknown modifier '.L2::x'; remove it or use a supported form", 4 },
	{ "add.pred %p0, %p1, %p2;", "'add' has no form of type .pred", 1 },
	{ "mul.u32 %r0, %r1, %r2;", "integer 'mul' needs .lo, .hi or .wide", 1 },
	{ "mul.wide.u64 %l0, %l1, %l2;", "'mul' has no form of type .u64", 1 },
	{ "mad.u32 %r0, %r1, %r2, %r3;", "integer 'mad' needs .lo, .hi or .wide", 1 },
	{ "shl.u32 %r0, %r1, %r2;", "'shl' has no form of type .u32", 1 },
	{ "shr.f32 %f0, %f1, %r2;", "'shr' has no form of type .f32", 1 },
	{ "bfe.u16 %h0, %h1, %r0, %r1;", "'bfe' has no form of type .u16", 1 },
	{ "bfi.u32 %r0, %r1, %r2, %r3, %r4;", "'bfi' has no form of type .u32", 1 },
	{ "prmt.u32 %r0, %r1, %r2, %r3;",
	  "'prmt' does not take '.u32' here; see the supported forms in the compiler's manual", 5 },
	{ "popc.u32 %r0, %r1;", "'popc' has no form of type .u32", 1 },
	{ "clz.u32 %r0, %r1;", "'clz' has no form of type .u32", 1 },
	{ "rem.f32 %f0, %f1, %f2;", "'rem' has no form of type .f32", 1 },
	{ "sad.f32 %f0, %f1, %f2, %f3;", "'sad' has no form of type .f32", 1 },
	{ "sin.approx.f64 %d0, %d1;", "'sin' has no form of type .f64", 1 },
	{ "ex2.approx.f64 %d0, %d1;", "'ex2' has no form of type .f64", 1 },
	{ "copysign.u32 %r0, %r1, %r2;", "'copysign' has no form of type .u32", 1 },
	{ "abs.u32 %r0, %r1;", "'abs' has no form of type .u32", 1 },
	{ "neg.u32 %r0, %r1;", "'neg' has no form of type .u32", 1 },
	{ "fma.rn.u32 %r0, %r1, %r2, %r3;", "'fma' has no form of type .u32", 1 },
	{ "add.sat.u32 %r0, %r1, %r2;", "'add' of type .u32 takes no .sat", 1 },
	{ "add.cc.u16 %h0, %h1, %h2;", "'add' has no form of type .u16", 1 },
	{ "and.u32 %r0, %r1, %r2;", "'and' has no form of type .u32", 1 },
	{ "not.u32 %r0, %r1;", "'not' has no form of type .u32", 1 },
	{ "cnot.u32 %r0, %r1;", "'cnot' has no form of type .u32", 1 },
	{ "selp.pred %p0, %p1, %p2, %p3;", "'selp' has no form of type .pred", 1 },
	{ "cvt.rn.u32.f32 %r0, %f0;", "'cvt' from a float to an integer needs .rni, .rzi, .rmi or .rpi", 1 },
	{ "cvt.u32.f32 %r0, %f0;", "'cvt' from a float to an integer needs .rni, .rzi, .rmi or .rpi", 1 },
	{ "atom.global.add.b32 %r0, [%l0], %r1;", "'atom' has no form of type .b32", 1 },
	{ "atom.global.inc.s32 %r0, [%l0], %r1;", "'atom' has no form of type .s32", 1 },
	{ "atom.local.add.u32 %r0, [%r1], %r2;",
	  "'atom' does not take '.local' here; see the supported forms in the compiler's manual", 5 },
	{ "atom.global.add.u16 %h0, [%l0], %h1;", "'atom' has no form of type .u16", 1 },
	{ "red.global.cas.b32 [%l0], %r1, %r2;", "'red' takes 2 operands, this one has 3", 1 },
	{ "st.acquire.gpu.u32 [%l0], %r0;",
	  "'st' does not take '.acquire' here; see the supported forms in the compiler's manual", 3 },
	{ "ld.release.gpu.u32 %r0, [%l0];",
	  "'ld' does not take '.release' here; see the supported forms in the compiler's manual", 3 },
	{ "membar.frob;", "'membar' has an unknown modifier '.frob'; remove it or use a supported form", 7 },
	{ "st.global.u32 [%l0], [%l1];", "this kind of operand is not allowed here", 22 },
	{ "bar.red.popc.u32 %r0, 0;", "'bar' needs .sync, .arrive or .red with its operands", 1 },
	{ "bar.sync 16;", "barriers are numbered 0 to 15", 10 },
	{ "bar.sync 0, 0;", "the thread count of a barrier is a multiple of 32 up to 1024", 13 },
	{ "barrier.cta.sync;", "'barrier' takes 1 to 4 operands, this one has 0", 1 },
	{ "activemask.u32 %r0;",
	  "'activemask' does not take '.u32' here; see the supported forms in the compiler's manual", 11 },
	{ "match.all.sync.b16 %h0, %h1, -1;",
	  "'match' does not take '.b16' here; see the supported forms in the compiler's manual", 15 },
	{ "redux.sync.add.u64 %l0, %l1, -1;",
	  "'redux' does not take '.u64' here; see the supported forms in the compiler's manual", 15 },
	{ "ret 1;", "'ret' takes 0 operands, this one has 1", 1 },
	{ "exit 1;", "'exit' takes 0 operands, this one has 1", 1 },
	{ "trap 1;", "'trap' takes 0 operands, this one has 1", 1 },
	{ "brkpt 1;", "'brkpt' takes 0 operands, this one has 1", 1 },
	{ "bra.uni;", "'bra' takes 1 operand, this one has 0", 1 },
	{ "nanosleep.u64 1;",
	  "'nanosleep' does not take '.u64' here; see the supported forms in the compiler's manual", 10 },
	{ "cvta.u64 %l0, %l1;", "'cvta' needs a state space, such as .global", 1 },
	{ "isspacep.frob %p0, %l0;",
	  "'isspacep' has an unknown modifier '.frob'; remove it or use a supported form", 9 },
	{ "isspacep.param %r0, %l0;", "register '%r0' is of type .b32, the result of type .pred", 16 },
	{ "prefetch.global.L3 [%l0];",
	  "'prefetch' has an unknown modifier '.L3'; remove it or use a supported form", 16 },
	{ "alloca.u64 %l0, 8, 3;", "alloca is not supported; declare a .local array", 1 },
	{ "setmaxnreg.inc.sync.aligned.u32 7;", "setmaxnreg is not supported; use .maxnreg", 1 },
	{ "shf.l.wrap.u32 %r0, %r1, %r2, %r3;",
	  "'shf' does not take '.u32' here; see the supported forms in the compiler's manual", 11 },
};

START_TEST(in_modules)
{
	char text[1000];

	for (unsigned i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
		snprintf(text, sizeof(text), HEAD "%s\n", modules[i].text);
		check(text, 4, &modules[i]);
	}
}
END_TEST

START_TEST(in_instructions)
{
	char text[2000];

	for (unsigned i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++) {
		snprintf(text, sizeof(text), HEAD
			 ".global .b32 g; .global .texref t; .func (.reg .b32 r) one(.reg .b32 a) { mov.b32 r, a; ret; } "
			 ".func array(.param .align 4 .b8 a[16]) { ret; } .func (.param .align 4 .b8 r[16]) two() { ret; } "
			 ".entry k(.param .b64 p) { .reg .pred %%p<5>; .reg .b16 %%h<5>; .reg .b32 %%r<9>; .reg .b64 %%l<9>; "
			 ".reg .f32 %%f<9>; .reg .f64 %%d<5>; .reg .b128 %%q<2>;\n%s\nret; }\n", instructions[i].text);
		check(text, 5, &instructions[i]);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_refused");
	TCase *t = tcase_create("refused");

	tcase_set_timeout(t, 60);
	tcase_add_test(t, in_modules);
	tcase_add_test(t, in_instructions);
	suite_add_tcase(s, t);
	return run_suite(s);
}
