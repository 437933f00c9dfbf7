/* SPDX-License-Identifier: MIT */
/* Loads, stores, atomics: spaces, widths, patterns of addresses, faults, watched pages. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "one_cta.h"
#include "run_suite.h"

/* ---- widths and patterns ----------------------------------------------------------------------------- */

static const struct {
	const char *type;
	unsigned bytes, regs;
	int sign;
} types[] = {
	{ "u8", 1, 1, 0 }, { "s8", 1, 1, 1 }, { "u16", 2, 1, 0 }, { "s16", 2, 1, 1 }, { "u32", 4, 1, 0 },
	{ "u64", 8, 2, 0 }, { "b128", 16, 4, 0 }, { "v2.u32", 8, 2, 0 }, { "v4.u32", 16, 4, 0 },
	{ "v2.u64", 16, 4, 0 }, { "v4.u8", 4, 4, 0 }, { "v2.s16", 4, 2, 1 }, { "v4.u16", 8, 4, 0 },
};
#define NUM_TYPES (sizeof(types) / sizeof(types[0]))
/* byte strides between lanes, in units of the access */
static const int strides[] = { 1, 0, 3, -1, 37 };
static const char *const guards[] = { "pt", "p1", "p2", "p3" };	/* all, low half, odd, one lane */

static uint8_t memory_byte(uint32_t i)
{
	return (uint8_t)(i * 37 + (i >> 8) * 11 + 5);
}

/* The value that register k of a lane should have after loading from offset off. */
static uint32_t expect(unsigned t, uint32_t off, unsigned k, const uint8_t *mem)
{
	unsigned n = types[t].regs, per = types[t].bytes / n, i;
	uint32_t v = 0;

	for (i = 0; i < per; i++)
		v |= (uint32_t)mem[off + k * per + i] << (8 * i);
	if (types[t].sign && per == 1)
		v = (uint32_t)(int8_t)v;
	if (types[t].sign && per == 2)
		v = (uint32_t)(int16_t)v;
	return v;
}

static const char *reg_of(unsigned regs, unsigned n, char *buf)
{
	sprintf(buf, "%s%u", regs == 1 ? "r" : regs == 2 ? "rd" : "rq", n);
	return buf;
}

static bool guarded(unsigned g, unsigned lane)
{
	return g == 0 || (g == 1 && lane < 16) || (g == 2 && (lane & 1)) || (g == 3 && lane == 13);
}

#define GUARDS \
	"setp.lt.u32 p1, r2, 16\nand.u32 r3, r2, 1\nsetp.ne.u32 p2, r3, 0\nsetp.eq.u32 p3, r2, 13\n"

/* Global and generic loads of every type, with every pattern and guard; results stored word-wise. */
START_TEST(global_loads)
{
	char text[2048], rd[16];

	s->ports.trace = NULL;
	smt_start(s);
	for (uint32_t i = 0; i < 65536; i++)
		s->data[i] = memory_byte(i);
	for (unsigned t = 0; t < NUM_TYPES; t++)
		for (unsigned p = 0; p < 5; p++)
			for (unsigned g = 0; g < 4; g++)
				for (unsigned base = 0; base < 2; base++) {
		int stride = strides[p] * (int)types[t].bytes;
		/* the second base makes the pattern cross a page */
		uint32_t start = (base ? 4096 * 4 - 64 : 4096 * 2) + (stride < 0 ? 2048 : 0);
		int n;

		n = sprintf(text, "%s" GUARDS "mul.u32 r6, r2, %d\nadd.u32 r6, r6, %u\n"
			    "mov.u32 r16, 7\nmov.u32 r17, 7\nmov.u32 r18, 7\nmov.u32 r19, 7\n"
			    "mov.u32 r7, 0\nadd.u64 rd8, rd10, rd6\n@%s ld%s.%s %s, [rd8+16]\n"
			    "shl.u32 r6, r2, 4\nadd.u64 rd8, rd10, rd6\n", PROLOGUE, stride, start,
			    guards[g], p & 1 ? "" : ".global", types[t].type, reg_of(types[t].regs, 16, rd));
		for (unsigned k = 0; k < 4; k++)
			n += sprintf(text + n, "st.global.u32 [rd8+%u], r%u\n", 131072 + 4 * k, 16 + k);
		sprintf(text + n, "exit\n");
		run(text, 32);
		for (unsigned l = 0; l < 32; l++)
			for (unsigned k = 0; k < 4; k++) {
				uint32_t got = smt_u32(s)[32768 + l * 4 + k];
				uint32_t want = guarded(g, l) && k < types[t].regs ?
					expect(t, start + 16 + (uint32_t)(stride * (int)l), k, s->data) : 7;

				if (got != want)
					ck_abort_msg("%s stride %d guard %u base %u lane %u reg %u: %x not %x",
						     types[t].type, stride, g, base, l, k, got, want);
			}
	}
}
END_TEST

/* Transactions of a load and a store of the same addresses (hw/sm.md, Memory). */
START_TEST(transactions)
{
	static const struct {
		const char *offsets;		/* r6 from lane r2 */
		const char *type, *reg, *guard;
		unsigned n;
	} cases[] = {
		{ "mul.u32 r6, r2, 4", "u32", "r16", "pt", 4 },			/* along memory */
		{ "mov.u32 r6, 64", "u32", "r16", "pt", 4 },			/* one word */
		{ "mul.u32 r6, r2, 128", "u32", "r16", "pt", 32 },		/* down a column */
		{ "and.u32 r6, r2, 15\nmul.u32 r6, r6, 4", "u32", "r16", "pt", 4 },	/* rows of 16 */
		{ "mul.u32 r6, r2, 4\nadd.u32 r6, r6, 4064", "u32", "r16", "pt", 4 },	/* across a page */
		{ "and.u32 r6, r2, 7\nmul.u32 r6, r6, 8", "u32", "r16", "pt", 32 },	/* every other word */
		{ "and.u32 r6, r2, 7\nmul.u32 r6, r6, 8", "u64", "rd16", "pt", 4 },
		{ "mul.u32 r6, r2, -4\nadd.u32 r6, r6, 256", "u32", "r16", "pt", 32 },	/* before the first lane */
		{ "mul.u32 r6, r2, 16", "b128", "rq16", "pt", 4 },
		{ "mul.u32 r6, r2, 32", "b128", "rq16", "pt", 32 },
		{ "mul.u32 r6, r2, 1", "u8", "r16", "pt", 4 },
		{ "mul.u32 r6, r2, 2", "u8", "r16", "pt", 32 },
		{ "mul.u32 r6, r2, 4", "u32", "r16", "p1", 2 },			/* lanes 0 to 15 */
		{ "mul.u32 r6, r2, 4", "u32", "r16", "p2", 4 },			/* odd lanes */
		{ "mul.u32 r6, r2, 128", "u32", "r16", "p2", 16 },
		{ "mul.u32 r6, r2, 128", "u32", "r16", "p3", 1 },
		{ "setp.lt.u32 p4, r2, 9\nmul.u32 r6, r2, 4\n@p4 mul.u32 r6, r2, 64", "u32", "r16", "pt", 8 + 8 + 2 },
	};
	char text[1024];

	s->ports.trace = NULL;
	smt_start(s);
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t reads = s->core->ctr[PPU_CTR_PARTITION_READS];
		uint64_t writes = s->core->ctr[PPU_CTR_PARTITION_WRITES];

		snprintf(text, sizeof(text), "%s" GUARDS "%s\nmov.u32 r7, 0\nadd.u64 rd8, rd10, rd6\n"
			 "@%s ld.global.%s %s, [rd8+4096]\n@%s st.%s [rd8+4096], %s\nexit\n", PROLOGUE, cases[i].offsets,
			 cases[i].guard, cases[i].type, cases[i].reg, cases[i].guard, cases[i].type, cases[i].reg);
		run(text, 32);
		reads = s->core->ctr[PPU_CTR_PARTITION_READS] - reads;
		writes = s->core->ctr[PPU_CTR_PARTITION_WRITES] - writes;
		if (reads != cases[i].n || writes != cases[i].n)
			ck_abort_msg("case %u: %u reads, %u writes, not %u", i, (unsigned)reads, (unsigned)writes,
				     cases[i].n);
	}
}
END_TEST

/* Stores into global, shared and local memory, direct and generic; read back byte by byte. */
START_TEST(stores)
{
	static const char *const spaces[] = { "global", "shared", "local" };
	char text[4096], rb[16];
	unsigned space = _i % 3;
	bool generic = _i >= 3;

	s->ports.trace = NULL;
	smt_start(s);
	s->task.launch.shared_bytes = 32768;
	s->task.launch.local_per_thread = 1024;
	for (unsigned t = 0; t < NUM_TYPES; t++)
		for (unsigned p = 0; p < (space == 2 ? 2 : 4); p++)
			for (unsigned g = 0; g < 4; g++) {
		int stride = strides[p] * (int)types[t].bytes;
		uint32_t start = stride < 0 ? 2048 : 64;
		uint8_t want[4096];
		unsigned per = types[t].bytes / types[t].regs;
		const char *addr = space == 0 || generic ? "rd8" : "r6";
		int n;

		memset(s->data, 0, 65536);
		memset(want, 0, sizeof(want));
		n = sprintf(text, "%s" GUARDS "mul.u32 r6, r2, %d\nadd.u32 r6, r6, %u\n", PROLOGUE, stride, start);
		for (unsigned k = 0; k < 4; k++)
			n += sprintf(text + n, "mul.u32 r%u, r2, 0x01030507\nadd.u32 r%u, r%u, 0x%x\n",
				     16 + k, 16 + k, 16 + k, 0x11223344 * (k + 1));
		if (space == 0)
			n += sprintf(text + n, "mov.u32 r7, 0\nadd.u64 rd8, rd10, rd6\n");
		else if (generic)
			n += sprintf(text + n, "cvta.%s rd8, r6\n", spaces[space]);
		n += sprintf(text + n, "@%s st%s%s.%s [%s], %s\n", guards[g], generic ? "" : ".",
			     generic ? "" : spaces[space], types[t].type, addr, reg_of(types[t].regs, 16, rb));
		if (space == 1)	/* lane 0 copies shared memory out */
			n += sprintf(text + n, "setp.ne.u32 p4, r2, 0\n@p4 exit\nmov.u32 r6, 0\nmov.u32 r7, 0\n"
				     "loop: ld.shared.u8 r3, [r6]\nadd.u64 rd8, rd10, rd6\nst.global.u8 [rd8], r3\n"
				     "add.u32 r6, r6, 1\nsetp.lt.u32 p4, r6, 4096\n@p4 bra loop\n");
		if (space == 2) { /* every lane its 1 KiB: lane * 1024 */
			n += sprintf(text + n, "mov.u32 r6, 0\nmov.u32 r7, 0\nmov.u32 r13, 0\nshl.u32 r12, r2, 10\n"
				     "add.u64 rd14, rd10, rd12\n"
				     "loop: ld.local.u8 r3, [r6]\nadd.u64 rd8, rd14, rd6\nst.global.u8 [rd8], r3\n"
				     "add.u32 r6, r6, 1\nsetp.lt.u32 p4, r6, 1024\n@p4 bra loop\n"
				     "mov.u32 r6, 0\nmov.u32 r3, 0\n"
				     "clr: st.local.u32 [r6], r3\nadd.u32 r6, r6, 4\nsetp.lt.u32 p4, r6, 1024\n@p4 bra clr\n");
		}
		sprintf(text + n, "exit\n");
		s->limit = 1000000000;
		run(text, 32);
		for (unsigned l = 0; l < 32; l++) {
			uint32_t off = start + (uint32_t)(stride * (int)l);

			if (space == 2)
				memset(want, 0, sizeof(want));
			if (guarded(g, l))
				for (unsigned k = 0; k < types[t].regs; k++) {
					uint32_t v = l * 0x01030507u + 0x11223344u * (k + 1);

					for (unsigned i = 0; i < per; i++)
						want[off + k * per + i] = (uint8_t)(v >> (8 * i));
				}
			if (space == 2 && memcmp(want, s->data + l * 1024, 1024))
				ck_abort_msg("local %s guard %u lane %u", types[t].type, g, l);
		}
		if (space != 2 && memcmp(want, s->data, sizeof(want)))
			ck_abort_msg("%s %s stride %d guard %u generic %d", spaces[space], types[t].type,
				     stride, g, generic);
	}
}
END_TEST

/* HW-61, HW-62: one instruction reads global, shared, local and parameter memory by lane */
START_TEST(one_instruction_four_spaces)
{
	s->task.launch.shared_bytes = 64;
	s->task.launch.local_per_thread = 64;
	smt_start(s);
	*(uint32_t *)(s->params + 128) = 44;
	smt_u32(s)[1000] = 11;
	run(PROLOGUE "mov.u32 r6, 8\nmov.u32 r3, 22\nst.shared.u32 [r6], r3\nmov.u32 r3, 33\nst.local.u32 [r6], r3\n"
	    "and.u32 r7, r2, 3\n"
	    "add.u64 rd12, rd10, 4000\n"
	    "setp.eq.u32 p1, r7, 1\nsetp.eq.u32 p2, r7, 2\nsetp.eq.u32 p3, r7, 3\nmov.u32 r8, 128\n"
	    "@p1 cvta.shared rd12, r6\n@p2 cvta.local rd12, r6\n@p3 cvta.param rd12, r8\n"
	    "ld.u32 r3, [rd12]\n" STORE3 "exit\n", 32);
	for (unsigned i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], 11 * (1 + (i & 3)));
}
END_TEST

/* The layout of local memory that the instance block promises (ppu_mmu.h). */
START_TEST(local_memory_is_interleaved)
{
	const uint32_t *local;

	s->task.launch.local_per_thread = 64;
	run(PROLOGUE "mov.u32 r6, 12\nst.local.u32 [r6], r2\nadd.u32 r7, r2, 100\nst.local.u8 [r6+5], r7\nexit\n", 64);
	local = (const uint32_t *)(s->vram + s->ctx.blk.local_base);
	for (unsigned l = 0; l < 64; l++) {
		const uint32_t *w = local + l / 32 * 32 * 256;

		ck_assert_uint_eq(w[3 * 32 + l % 32], l);
		ck_assert_uint_eq(w[4 * 32 + l % 32], (100 + l) << 8);
	}
}
END_TEST

START_TEST(highest_lane_wins)
{
	run(PROLOGUE "st.global.u32 [rd10], r2\nsetp.lt.u32 p1, r2, 20\n@p1 st.global.u32 [rd10+4], r2\n"
	    "and.u32 r6, r2, 1\nmadw.u32 rd12, r6, 4, rd10\nst.global.u32 [rd12+8], r2\nexit\n", 32);
	ck_assert_uint_eq(smt_u32(s)[0], 31);
	ck_assert_uint_eq(smt_u32(s)[1], 19);
	ck_assert_uint_eq(smt_u32(s)[2], 30);
	ck_assert_uint_eq(smt_u32(s)[3], 31);
}
END_TEST

/* The destination is also the address. */
START_TEST(load_over_its_address)
{
	smt_start(s);
	for (int i = 0; i < 64; i++)
		smt_u32(s)[i] = 100 + i;
	run(PROLOGUE "xor.u32 r6, r2, 5\nmadw.u32 rd6, r6, 4, rd10\nld.global.u32 r6, [rd6]\n"
	    "madw.u32 rd8, r2, 8, rd10\nld.global.u64 rd8, [rd8]\nadd.u32 r3, r6, r9\n"
	    "st.global.u32 [rd4+512], r3\nexit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[128 + i], 100 + (i ^ 5) + 101 + 2 * i);
}
END_TEST

/* ---- atomics --------------------------------------------------------------------------------------------- */

/* HW-54, HW-56, SIMT-65 */
START_TEST(atomics)
{
	static const struct {
		const char *op, *b;
		uint32_t start, end;
		bool wide;
	} ops[] = {
		{ "add.u32", "r2", 5, 5 + 496, 0 }, { "min.u32", "r2", 5, 0, 0 }, { "max.u32", "r2", 5, 31, 0 },
		{ "min.s32", "r7", 5, (uint32_t)-10, 0 }, { "max.s32", "r7", (uint32_t)-3, 21, 0 },
		{ "min.u32", "r7", 50, 0, 0 },
		{ "inc.u32", "r8", 0, 32 % 8, 0 }, { "dec.u32", "r8", 3, 3 + 32 % 8, 0 },
		{ "and.u32", "r9", 0xff, 0, 0 }, { "or.u32", "r9", 0, ~0u, 0 }, { "xor.u32", "r9", 1, ~1u, 0 },
		{ "exch.u32", "r2", 9, 31, 0 },
		{ "add.u64", "rd12", 5, 5 + 496, 1 }, { "min.s64", "rd12", 5, 0, 1 }, { "max.u64", "rd12", 5, 31, 1 },
		{ "exch.u64", "rd12", 5, 31, 1 }, { "or.u64", "rd12", 64, 95, 1 },
	};
	char text[1024];

	smt_start(s);
	s->task.launch.shared_bytes = 64;
	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		for (unsigned shared = 0; shared < 2; shared++) {
			const char *d = ops[i].wide ? "rd14" : "r14";

			smt_u32(s)[0] = ops[i].start;
			smt_u32(s)[1] = 0;
			snprintf(text, sizeof(text), "%s"
				 "sub.u32 r7, r2, 10\nmov.u32 r8, 7\nmov.u32 r9, 1\nshl.u32 r9, r9, r2\n"
				 "mov.u32 r12, r2\nmov.u32 r13, 0\nmov.u32 r6, 0\n"
				 "ld.global.u64 rd16, [rd10]\nst.shared.u64 [r6], rd16\n"
				 "atom.%s.%s %s, [%s], %s\nst.global.u32 [rd4+64], r14\n"
				 "%sexit\n", PROLOGUE, shared ? "shared" : "global", ops[i].op, d,
				 shared ? "r6" : "rd10", ops[i].b,
				 shared ? "ld.shared.u64 rd16, [r6]\nst.global.u64 [rd10], rd16\n" : "");
			run(text, 32);
			if (strcmp(ops[i].op, "dec.u32"))
				ck_assert_msg(smt_u32(s)[0] == ops[i].end, "%s %u: %u not %u", ops[i].op,
					      shared, smt_u32(s)[0], ops[i].end);
			else	/* 3 2 1 0 7 6 ...: 32 steps of a cycle of 8 */
				ck_assert_uint_eq(smt_u32(s)[0], 3);
			/* lanes in ascending order: lane 0 sees the start */
			ck_assert_uint_eq(smt_u32(s)[16], ops[i].start);
		}
}
END_TEST

/* SIMT-65 */
START_TEST(exactly_one_wins)
{
	run(PROLOGUE "mov.u32 r6, 0\nmov.u32 r7, 1\natom.global.cas.u32 r3, [rd10+512], r6, r7\n" STORE3 "exit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i != 0);
	run(PROLOGUE "mov.u64 rd6, 0\nmov.u64 rd8, 1\natom.global.cas.u64 rd12, [rd10+520], rd6, rd8\nmov.u32 r3, r12\n" STORE3 "exit\n", 32);
	for (int i = 0; i < 32; i++)
		ck_assert_uint_eq(smt_u32(s)[i], i != 0);
	/* 16 bits; the neighbour keeps its value */
	smt_u32(s)[128] = 0xabcd0000;
	run(PROLOGUE "mov.u32 r6, 0\nmov.u32 r7, 1\natom.global.cas.u16 r3, [rd10+512], r6, r7\n" STORE3 "exit\n", 32);
	ck_assert_uint_eq(smt_u32(s)[128], 0xabcd0001);
	ck_assert_uint_eq(smt_u32(s)[0], 0);
	ck_assert_uint_eq(smt_u32(s)[31], 1);
}
END_TEST

START_TEST(atomics_128)
{
	uint64_t *v;

	smt_start(s);
	v = (uint64_t *)(s->data + 512);
	v[0] = 1;
	v[1] = 2;
	run(PROLOGUE "movi64 rd12, 1\nmovi64 rd14, 2\nmovi64 rd16, 30\nmovi64 rd18, 40\n"
	    "atom.global.cas.b128 rq20, [rd10+512], rq12, rq16\nst.global.b128 [rd10], rq20\n"
	    "atom.global.exch.b128 rq20, [rd10+512], rq12\nst.global.b128 [rd10+16], rq20\nexit\n", 1);
	ck_assert_uint_eq(v[0], 1);
	ck_assert_uint_eq(v[1], 2);
	v = (uint64_t *)s->data;
	ck_assert(v[0] == 1 && v[1] == 2 && v[2] == 30 && v[3] == 40);
}
END_TEST

/* Half a register: what is in the upper half of the operands does not matter. */
START_TEST(atomics_16)
{
	smt_start(s);
	smt_u32(s)[64] = 0xaaaa0005;
	run(PROLOGUE "mov.u32 r6, 0x77770005\nmov.u32 r7, 0x12340009\natom.global.cas.u16 r3, [rd10+256], r6, r7\n"
	    STORE3 "exit\n", 1);
	ck_assert_uint_eq(smt_u32(s)[0] & 0xffff, 5);
	ck_assert_uint_eq(smt_u32(s)[64], 0xaaaa0009);
	run(PROLOGUE "mov.u32 r6, 0x77770005\nmov.u32 r7, 0x12340008\natom.global.cas.u16 r3, [rd10+256], r6, r7\n"
	    STORE3 "exit\n", 1);
	ck_assert_uint_eq(smt_u32(s)[64], 0xaaaa0009);
}
END_TEST

START_TEST(atomics_float)
{
	float f = 0.5f;
	double d = 0.25;
	uint32_t h = 0x3c003800;	/* 1.0, 0.5 */

	smt_start(s);
	memcpy(s->data + 512, &f, 4);
	memcpy(s->data + 520, &d, 8);
	memcpy(s->data + 528, &h, 4);
	run(PROLOGUE "mov.u32 r6, 0x3fc00000\natom.global.add.f32 rz, [rd10+512], r6\n"	/* 32 x 1.5 */
	    "movi64 rd6, 0x3fd0000000000000\natom.global.add.f64 rz, [rd10+520], rd6\n"	/* 32 x 0.25 */
	    "mov.u32 r6, 0x40003c00\natom.global.add.f16x2 rz, [rd10+528], r6\nexit\n", 32);	/* 2.0, 1.0 */
	memcpy(&f, s->data + 512, 4);
	memcpy(&d, s->data + 520, 8);
	memcpy(&h, s->data + 528, 4);
	ck_assert(f == 48.5f && d == 8.25);
	ck_assert_uint_eq(h, 0x54105010);	/* 65.0, 32.5 */
}
END_TEST

/* ---- faults ------------------------------------------------------------------------------------------------ */

/* HW-68 and the fault record: code, lane, pc, address, access */
START_TEST(faults)
{
	static const struct {
		const char *text;
		unsigned code, pc, lane, access;
		uint64_t va;
	} cases[] = {
		{ "ld.global.u32 r3, [rd10+1]", PPU_ERR_MISALIGNED, 4, 0, PPU_ACC_READ, SMT_DATA + 1 },
		{ "ld.global.u64 rd6, [rd4]", PPU_ERR_MISALIGNED, 4, 1, PPU_ACC_READ, SMT_DATA + 4 },
		{ "ld.global.v4.u32 rq12, [rd10+8]", PPU_ERR_MISALIGNED, 4, 0, PPU_ACC_READ, SMT_DATA + 8 },
		{ "mov.u64 rd6, 64\nld.global.u32 r3, [rd6]", PPU_ERR_MMU_UNMAPPED, 5, 0, PPU_ACC_READ, 64 },
		{ "movi64 rd6, 0xfffc00000000\nld.u32 r3, [rd6]", PPU_ERR_MMU_UNMAPPED, 5, 0, PPU_ACC_READ, 0xfffc00000000 },
		{ "movi64 rd6, 0x1000000000000\nld.u32 r3, [rd6]", PPU_ERR_MMU_UNMAPPED, 5, 0, PPU_ACC_READ, 1ull << 48 },
		{ "movi64 rd6, -4\nld.u32 r3, [rd6]", PPU_ERR_MMU_UNMAPPED, 5, 0, PPU_ACC_READ, -4ull },
		{ "movi64 rd6, 0x300000000\nst.global.u32 [rd6], r3", PPU_ERR_MMU_READONLY, 5, 0, PPU_ACC_WRITE, SMT_RO },
		{ "movi64 rd6, 0x300000000\nld.global.u32 r9, [rd6]\nst.global.u32 [rd6], r3", PPU_ERR_MMU_READONLY, 6, 0, PPU_ACC_WRITE, SMT_RO },
		{ "movi64 rd6, 0x300000000\natom.add.u32 r7, [rd6], r3", PPU_ERR_MMU_READONLY, 5, 0, PPU_ACC_ATOMIC, SMT_RO },
		{ "mul.u32 r6, r2, 100\nld.shared.u8 r3, [r6]", PPU_ERR_WINDOW_RANGE, 5, 3, PPU_ACC_READ, 300 },
		{ "mov.u32 r6, 0\nst.shared.u32 [r6+256], r3", PPU_ERR_WINDOW_RANGE, 5, 0, PPU_ACC_WRITE, 256 },
		{ "mov.u32 r6, 0\nld.shared.u32 r3, [r6-4]", PPU_ERR_WINDOW_RANGE, 5, 0, PPU_ACC_READ, 0xfffffffc },
		{ "mov.u32 r6, 64\nld.local.u32 r3, [r6]", PPU_ERR_WINDOW_RANGE, 5, 0, PPU_ACC_READ, 64 },
		{ "sub.u32 r6, r1, 68\nst.local.u32 [r6], r3", PPU_ERR_STACK_OVERFLOW, 5, 0, PPU_ACC_WRITE, 0xfffffffc },
		{ "ld.param.u32 r3, [256]", PPU_ERR_WINDOW_RANGE, 4, 0, PPU_ACC_READ, 256 },
		{ "st.param.u32 [16], r3", PPU_ERR_PARAM_WRITE, 4, 0, PPU_ACC_WRITE, 16 },
		{ "mov.u32 r6, 0\ncvta.param rd6, r6\nst.u32 [rd6], r3", PPU_ERR_PARAM_WRITE, 6, 0, PPU_ACC_WRITE, PPU_VA_PARAM_BASE },
		{ "mov.u32 r6, 0\ncvta.local rd6, r6\natom.add.u32 r3, [rd6], r3", PPU_ERR_ATOMIC_SPACE, 6, 0, PPU_ACC_ATOMIC, PPU_VA_LOCAL_BASE },
		{ "setp.eq.u32 p1, r2, 9\nmov.u64 rd6, 0\n@p1 ld.global.u32 r3, [rd6]", PPU_ERR_MMU_UNMAPPED, 6, 9, PPU_ACC_READ, 0 },
		{ "add.u64 rd4, rd4, 1048512\nld.global.u32 r3, [rd4]", PPU_ERR_MMU_UNMAPPED, 5, 16, PPU_ACC_READ, SMT_DATA + SMT_DATA_BYTES },
	};
	char text[512];

	smt_start(s);
	s->task.launch.shared_bytes = 256;
	s->task.launch.local_per_thread = 64;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%smov.u32 r3, 1\n%s\nexit\n", PROLOGUE, cases[i].text);
		smt_load(s, text);
		ck_assert(!smt_run(s, 1, 32));
		ck_assert_msg(s->faulted && s->fault.code == cases[i].code && s->fault.pc == cases[i].pc &&
			      s->fault.lane == cases[i].lane && s->fault.va == cases[i].va &&
			      s->fault.access == cases[i].access, "%s: code %u pc %u lane %u va %llx access %u",
			      cases[i].text, s->fault.code, s->fault.pc, s->fault.lane,
			      (unsigned long long)s->fault.va, s->fault.access);
	}
}
END_TEST

/* The record names CTA, warp, SM and context; the other CTAs of the grid run on until the grid is aborted. */
START_TEST(fault_record)
{
	smt_start(s);
	smt_load(s, "s2r r2, %tid.x\ns2r r6, %ctaid.x\nsetp.eq.u32 p1, r6, 2\nsetp.eq.and.u32 p1, r2, 40, p1\n"
		 "mov.u64 rd8, 0\n@p1 ld.global.u32 r3, [rd8]\nexit\n");
	ck_assert(!smt_run(s, 4, 64));
	ck_assert_uint_eq(s->fault.code, PPU_ERR_MMU_UNMAPPED);
	ck_assert_uint_eq(s->fault.cta[0], 2);
	ck_assert_uint_eq(s->fault.lane, 8);
	ck_assert_uint_eq(s->fault.warp, 5);
	ck_assert_uint_eq(s->fault.inst, s->ctx.inst);
	ck_assert_uint_eq(s->fault.task_id, 42);
	ck_assert_uint_eq(s->done_ctas, 3);
}
END_TEST

/* HW-68: unmap, invalidate, fault; map elsewhere, see the new page */
START_TEST(tlb)
{
	const char *text = "movi64 rd6, 0x500000000\nld.global.u32 r3, [rd6]\nld.param.u64 rd10, [0]\nst.global.u32 [rd10], r3\nexit\n";

	smt_start(s);
	*(uint32_t *)(s->vram + 0x3800000) = 1;
	*(uint32_t *)(s->vram + 0x3801000) = 2;
	smt_map(s, 0x500000000, 0x3800000, 4096, 0);
	run(text, 32);
	ck_assert_uint_eq(smt_u32(s)[0], 1);
	smt_map(s, 0x500000000, 0x3801000, 4096, 0);
	run(text, 32);
	ck_assert_uint_eq(smt_u32(s)[0], 2);
	smt_map(s, 0x500000000, 0, 4096, PPU_PTE_PRIV);
	smt_load(s, text);
	ck_assert(!smt_run(s, 1, 32));
	ck_assert_uint_eq(s->fault.code, PPU_ERR_MMU_PRIV);
}
END_TEST

/*
 * Pages without memory: loads give 0 whatever was stored, in rows, scattered and of all sizes; atomics find 0, also the
 * later lanes; nothing becomes dirty or an effect; and the page beside it is as always.
 */
START_TEST(null_pages)
{
	uint32_t *d;

	smt_start(s);
	d = smt_u32(s);
	memset(s->vram, 0x77, 4096);		/* where a page of address 0 would be */
	smt_map(s, 0x500000000, 0, 4096, PPU_PTE_NULL);
	smt_map(s, 0x500001000, 0x3801000, 4096, 0);
	*(uint32_t *)(s->vram + 0x3801000) = 9;
	memset(d, 0xff, 4096);
	run(PROLOGUE "movi64 rd6, 0x500000000\nmov.u32 r12, 5\nmov.u32 r13, 6\n"
	    "madw.u32 rd14, r2, 4, rd6\nmadw.u32 rd16, r2, 100, rd6\n"
	    "st.global.u32 [rd14], r12\nst.global.u32 [rd16], r12\nst.global.u64 [rd6], rd12\n"
	    "ld.global.u32 r20, [rd14]\nst.global.u32 [rd4], r20\n"
	    "ld.global.u32 r20, [rd16]\nst.global.u32 [rd4+128], r20\n"
	    "atom.global.add.u32 r20, [rd6+64], r12\nst.global.u32 [rd4+256], r20\n"
	    "atom.global.add.u32 r20, [rd16], r12\nst.global.u32 [rd4+384], r20\n"
	    "atom.global.exch.u64 rd20, [rd6+128], rd12\nadd.u32 r20, r20, r21\nst.global.u32 [rd4+512], r20\n"
	    "ld.global.u64 rd20, [rd6+128]\nadd.u32 r20, r20, r21\nst.global.u32 [rd4+640], r20\n"
	    "ld.global.u32 r20, [rd6+4096]\nst.global.u32 [rd4+768], r20\nexit\n", 32);
	for (unsigned i = 0; i < 6 * 32; i++)
		ck_assert_msg(!d[i], "word %u is %#x", i, d[i]);
	for (unsigned i = 6 * 32; i < 7 * 32; i++)
		ck_assert_uint_eq(d[i], 9);
	ck_assert_uint_eq(s->vram[0], 0x77);
	ck_assert_uint_eq(s->num_stores, 0);
	smt_map(s, 0x500000000, 0, 4096, PPU_PTE_NULL | PPU_PTE_READONLY);
	smt_load(s, "movi64 rd6, 0x500000000\nst.global.u32 [rd6], r2\nexit\n");
	ck_assert(!smt_run(s, 1, 32));
	ck_assert_uint_eq(s->fault.code, PPU_ERR_MMU_READONLY);
}
END_TEST

/* Stores to watched pages, and only those, become effects. */
START_TEST(watched_pages)
{
	struct ppu_phys p = { 0x2800000 + 4096, 0 };

	smt_start(s);
	ppu_mem_watch(s->core, p);
	run(PROLOGUE STORE3 "st.global.u32 [rd4+4096], r2\nst.global.u64 [rd10+4608], rd10\nmov.u32 r6, 1\n"
	    "atom.global.add.u32 r7, [rd10+5000], r6\nst.global.u32 [rd4+8192], r2\nexit\n", 32);
	ck_assert_uint_eq(s->num_stores, 3);
	ck_assert_uint_eq(s->stores[0].phys.addr, p.addr);
	ck_assert_uint_eq(s->stores[0].len, 128);
	ck_assert_uint_eq(s->stores[1].phys.addr, p.addr + 512);
	ck_assert_uint_eq(s->stores[1].len, 8);
	ck_assert_uint_eq(s->stores[2].phys.addr, p.addr + 904);
	ck_assert_uint_eq(s->stores[2].len, 4);
	ck_assert_uint_eq(s->stores[2].arg[0], SMT_DATA + 5000);
	ppu_mem_unwatch(s->core, p);
}
END_TEST

/* Stores beside each other make one effect only if they are of one time. */
START_TEST(stores_at_different_times)
{
	struct ppu_phys p = { 0x2800000 + 4096, 0 };

	smt_start(s);
	ppu_mem_watch(s->core, p);
	run(PROLOGUE "st.global.u32 [rd10+4096], r2\nnanosleep 2000\nst.global.u32 [rd10+4100], r2\nexit\n", 1);
	ck_assert_uint_eq(s->num_stores, 2);
	ck_assert_uint_eq(s->stores[0].len, 4);
	ck_assert_uint_eq(s->stores[1].len, 4);
	ck_assert_uint_eq(s->stores[1].phys.addr, p.addr + 4);
	ck_assert_uint_ge(s->stores[1].time, s->stores[0].time + 2000);
	ppu_mem_unwatch(s->core, p);
}
END_TEST

static uint64_t dirty_bytes;
static void on_dirty(void *opaque, uint64_t off, uint64_t len)
{
	if (off == 0x2800000 + 4096 * 3)
		dirty_bytes += len;
}

START_TEST(written_pages_are_reported)
{
	dirty_bytes = 0;
	s->ports.vram_dirty = on_dirty;
	run(PROLOGUE "ld.global.u32 r3, [rd4+12288]\nexit\n", 32);
	ck_assert_uint_eq(dirty_bytes, 0);
	run(PROLOGUE "st.global.u32 [rd4+12288], r2\nst.global.u32 [rd4+12800], r2\nexit\n", 32);
	ck_assert_uint_eq(dirty_bytes, 4096);
}
END_TEST

/* ---- programs ------------------------------------------------------------------------------------------------ */

START_TEST(icache_sees_new_code)
{
	struct ppu_program *a, *b, *c;
	uint64_t va;

	run(PROLOGUE "mov.u32 r3, 1\n" STORE3 "exit\n", 32);
	ck_assert_uint_eq(smt_u32(s)[0], 1);
	run(PROLOGUE "mov.u32 r3, 2\n" STORE3 "exit\n", 32);
	ck_assert_uint_eq(smt_u32(s)[0], 2);
	ck_assert_int_eq(ppu_icache_get(s->core, &s->ctx, &s->task.launch, &a, &va), 0);
	ck_assert_int_eq(ppu_icache_get(s->core, &s->ctx, &s->task.launch, &b, &va), 0);
	ck_assert_ptr_eq(a, b);
	smt_load(s, PROLOGUE "mov.u32 r3, 3\n" STORE3 "exit\n");
	ck_assert_int_eq(ppu_icache_get(s->core, &s->ctx, &s->task.launch, &c, &va), 0);
	ck_assert_ptr_ne(a, c);
	ppu_icache_put(s->core, a);
	ppu_icache_put(s->core, b);
	ppu_icache_put(s->core, c);
	ppu_icache_forget_ctx(s->core, &s->ctx);
}
END_TEST

/* Code that is not mapped, not executable, or outside memory; illegal instructions fault when executed. */
START_TEST(icache_errors)
{
	struct ppu_tmd *t = &s->task.launch;
	struct ppu_program *p;
	uint64_t va;

	smt_start(s);
	smt_load(s, "exit\n");
	t->regs_per_thread = 8;
	t->code_va = SMT_CODE + (1 << 20) - 16;
	t->code_insns = 2;
	ck_assert_int_eq(ppu_icache_get(s->core, &s->ctx, t, &p, &va), PPU_ERR_MMU_UNMAPPED);
	ck_assert_uint_eq(va, SMT_CODE + (1 << 20));
	t->code_va = SMT_CODE;
	t->entry_pc = 2;
	ck_assert_int_eq(ppu_icache_get(s->core, &s->ctx, t, &p, &va), PPU_ERR_BAD_PC);
	t->entry_pc = 0;
	t->code_insns = PPU_PC_MAX + 2;
	ck_assert_int_eq(ppu_icache_get(s->core, &s->ctx, t, &p, &va), PPU_ERR_BAD_PC);
	smt_map(s, 0x600000000, 0x3900000, 4096, PPU_PTE_NOEXEC);
	t->code_va = 0x600000000;
	t->code_insns = 1;
	ck_assert_int_eq(ppu_icache_get(s->core, &s->ctx, t, &p, &va), PPU_ERR_MMU_NOEXEC);

	/* an image with something else behind the kernel */
	run("bra L\n.insn 0xff, 0\nL: exit\n", 32);
	/* registers that the kernel does not have */
	t->regs_per_thread = 8;
	smt_load(s, "bra L\nmov.u32 r8, 1\nL: mov.u32 r7, 1\nexit\n");
	ck_assert(smt_run(s, 1, 32));
	smt_load(s, "nop\nmov.u32 r8, 1\nexit\n");
	ck_assert(!smt_run(s, 1, 32));
	ck_assert_uint_eq(s->fault.code, PPU_ERR_ILLEGAL_INSN);
	ck_assert_uint_eq(s->fault.pc, 1);
	smt_load(s, "mov.u64 rd7, 1\nexit\n");
	ck_assert(!smt_run(s, 1, 32));
	ck_assert_uint_eq(s->fault.code, PPU_ERR_ILLEGAL_INSN);
}
END_TEST

int main(void)
{
	Suite *su = suite_create("lsu");
	TCase *t = tcase_create("lsu");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, global_loads);
	tcase_add_test(t, transactions);
	tcase_add_loop_test(t, stores, 0, 6);
	tcase_add_test(t, one_instruction_four_spaces);
	tcase_add_test(t, local_memory_is_interleaved);
	tcase_add_test(t, highest_lane_wins);
	tcase_add_test(t, load_over_its_address);
	tcase_add_test(t, atomics);
	tcase_add_test(t, exactly_one_wins);
	tcase_add_test(t, atomics_128);
	tcase_add_test(t, atomics_16);
	tcase_add_test(t, atomics_float);
	tcase_add_test(t, faults);
	tcase_add_test(t, fault_record);
	tcase_add_test(t, tlb);
	tcase_add_test(t, null_pages);
	tcase_add_test(t, watched_pages);
	tcase_add_test(t, stores_at_different_times);
	tcase_add_test(t, written_pages_are_reported);
	tcase_add_test(t, icache_sees_new_code);
	tcase_add_test(t, icache_errors);
	suite_add_tcase(su, t);
	return run_suite(su);
}
