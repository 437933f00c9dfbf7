/* SPDX-License-Identifier: MIT */
/*
 * What is kept of libzydis' answers (core/sm/translate/encode.h): an encoder that has been asked before gives the bytes that
 * the library gives, whatever it was asked, and in whichever order.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include "run_suite.h"

#if defined(__x86_64__) && __has_include(<Zydis/Encoder.h>)
#include "core/sm/translate/encode.h"

#define S(name, operands, ...) { .mn = ZYDIS_MNEMONIC_##name, .n = (operands), .o = { __VA_ARGS__ } }
#define Y(n)		{ PPU_O_YMM, (n), 32, 0 }
#define Z(n)		{ PPU_O_ZMM, (n), 64, 0 }
#define X(n)		{ PPU_O_XMM, (n), 16, 0 }
#define K(n)		{ PPU_O_MASK, (n), 8, 0 }
#define D(n)		{ PPU_O_R32, (n), 4, 0 }
#define Q(n)		{ PPU_O_R64, (n), 8, 0 }
#define M(base, n)	{ PPU_O_MEM, (base), (n), 0 }	/* the value is put in */
#define I		{ PPU_O_IMM, 0, 4, 0 }
#define FIXED(v)	{ PPU_O_IMM, 1, 4, (v) }	/* stays */

/* One instruction each: registers of both kinds, bases that need another form (rsp, rbp, r12, r13), all sizes of memory. */
static const struct shape {
	ZydisMnemonic mn;
	unsigned n;
	struct ppu_opn o[PPU_OPNS];
	bool zeroing;
} shape[] = {
	S(VMOVDQU, 2, Y(1), M(3, 32)), S(VMOVDQU, 2, M(4, 32), Y(9)), S(VMOVDQU, 2, Y(17), M(5, 32)),
	S(VMOVDQU, 2, Z(1), M(12, 64)), S(VMOVDQA, 2, M(13, 64), Z(30)), S(VMOVDQU, 2, X(2), M(3, 16)),
	S(VPADDD, 3, Y(1), Y(2), M(3, 32)), S(VPADDD, 3, Z(1), Z(2), M(3, 64)), S(VPADDD, 3, Y(20), Y(2), M(13, 32)),
	S(VMOVDQU32, 3, Z(1), K(2), M(3, 64)),
	{ .mn = ZYDIS_MNEMONIC_VMOVDQU32, .n = 3, .o = { Z(1), K(2), M(3, 64) }, .zeroing = true },
	S(VMOVDQU32, 3, M(4, 32), K(1), Y(3)),
	S(VPBROADCASTD, 2, Y(1), M(3, 4)), S(VPBROADCASTD, 2, Z(19), M(3, 4)), S(VPBROADCASTQ, 2, Z(19), M(12, 8)),
	S(VPMOVZXBD, 2, Y(1), M(3, 8)), S(VPMOVZXWD, 2, Z(21), M(3, 32)), S(VMOVD, 2, X(1), M(3, 4)),
	S(VMOVQ, 2, X(18), M(3, 8)), S(KMOVW, 2, K(3), M(3, 2)),
	S(MOV, 2, Q(0), M(3, 8)), S(MOV, 2, M(12, 4), D(9)), S(MOV, 2, D(2), M(5, 4)), S(LEA, 2, Q(1), M(4, 8)),
	S(ADD, 2, Q(1), M(13, 8)), S(CMP, 2, M(3, 4), FIXED(7)), S(CMP, 2, M(3, 8), FIXED(7)), S(VPINSRD, 4, X(1), X(2), M(3, 4), FIXED(1)),
	S(VBLENDVPS, 4, Y(1), Y(2), M(3, 32), Y(4)),
	S(MOV, 2, D(1), I), S(MOV, 2, Q(9), I), S(ADD, 2, Q(1), I), S(CMP, 2, D(9), I), S(AND, 2, D(0), I),
	S(SHL, 2, Q(3), I), S(SHR, 2, D(11), I), S(VPSLLD, 3, Y(1), Y(2), I), S(VPSRLD, 3, Z(1), Z(2), I),
	S(VPERMQ, 3, Y(1), Y(2), I), S(VPSHUFD, 3, Y(20), Y(2), I), S(VPCMPD, 4, K(1), Z(2), Z(3), I),
	S(VPTERNLOGD, 4, Z(1), Z(2), Z(3), I), S(RORX, 3, D(1), D(2), I),
	/* Each place of a register: with masks, with general registers, in an immediate, as an opcode's part. */
	S(VPADDD, 3, Z(1), Z(2), Z(3)), S(VPADDD, 3, Y(1), Y(2), Y(3)), S(VPBLENDMD, 4, Z(1), K(2), Z(3), Z(4)),
	S(VBLENDVPS, 4, Y(1), Y(2), Y(3), Y(4)), S(VPCMPUD, 4, K(1), Y(2), Y(3), FIXED(1)), S(KMOVW, 2, K(1), D(2)),
	S(KMOVW, 2, D(1), K(2)), S(KANDW, 3, K(1), K(2), K(3)), S(VMOVD, 2, X(1), D(1)), S(VMOVD, 2, D(1), X(1)),
	S(VPBROADCASTD, 2, Z(1), D(1)), S(VMOVMSKPS, 2, D(1), Y(1)), S(VPSRLD, 3, Y(1), Y(2), FIXED(9)),
	S(VPSRAD, 3, Z(1), Z(2), FIXED(9)), S(VINSERTI128, 4, Z(1), Z(2), Y(3), FIXED(1)), S(VPERMD, 3, Z(1), Z(2), M(3, 64)),
	S(MOV, 2, Q(1), Q(2)), S(PUSH, 1, Q(1)), S(IMUL, 2, Q(1), Q(2)), S(VSHUFPS, 4, Y(1), Y(2), Y(3), FIXED(0x88)),
};
#define SHAPES		(sizeof(shape) / sizeof(shape[0]))

/* Where forms change: bytes with and without a sign, and such numbers of what is accessed; then anything. */
static int32_t value(unsigned i)
{
	static const int32_t size[] = { 1, 2, 4, 8, 16, 32, 64 }, at[] = { 0, 1, 2, 127, 128, 129, 255, 256 };
	unsigned k = i / 2;
	int32_t v;

	if (k < 7 * 8 * 3) {
		v = size[k % 7] * at[k / 7 % 8] + (int32_t)(k / 56) - 1;
		return i % 2 ? -v : v;
	}
	srand(i);
	v = (int32_t)((unsigned)rand() << 8 ^ (unsigned)rand());
	return v >> rand() % 31;
}
#define VALUES		(2 * 7 * 8 * 3 + 100)

static void put(struct ppu_opn *o, const struct shape *s, int32_t v)
{
	memcpy(o, s->o, sizeof(s->o));
	for (unsigned i = 0; i < s->n; i++)
		if (o[i].kind == PPU_O_MEM || (o[i].kind == PPU_O_IMM && !o[i].reg))
			o[i].value = v;
}

static struct ppu_encoder *fresh(bool evex)
{
	struct ppu_encoder *e = calloc(1, sizeof(*e));

	ck_assert_ptr_nonnull(e);
	e->evex = evex;
	return e;
}

/* One instruction, by an encoder that has been asked before and by the library. Returns its length. */
static unsigned same(struct ppu_encoder *known, const struct shape *s, const struct ppu_opn *o, int32_t v)
{
	uint8_t got[PPU_ENCODED_MAX] = { 0 }, want[PPU_ENCODED_MAX] = { 0 };
	unsigned n = ppu_encode_asked(known, s->mn, o, s->n, s->zeroing, want);

	ck_assert_msg(ppu_encode(known, s->mn, o, s->n, s->zeroing, got) == n && !memcmp(got, want, n),
		      "instruction %zu with %d and registers %u, %u, %u, %u, after others", (size_t)(s - shape), v, o[0].reg,
		      o[1].reg, o[2].reg, o[3].reg);
	return n;
}

/* All values of a shape in this order, then all once more. Returns how many there are. */
static unsigned compare(struct ppu_encoder *known, const struct shape *s, unsigned step)
{
	unsigned encoded = 0;

	for (unsigned i = 0; i < 2 * VALUES; i++) {
		struct ppu_opn o[PPU_OPNS];

		put(o, s, value(i * step % VALUES));
		encoded += same(known, s, o, value(i * step % VALUES)) != 0;
	}
	return encoded;
}

/* _i: in which order, and whether the host has AVX-512. */
START_TEST(like_the_library)
{
	static const unsigned step[] = { 1, 7, 97 };
	struct ppu_encoder *e = fresh(_i % 2);
	unsigned with = 0;

	if (!ppu_encode_possible()) {
		free(e);
		return;
	}
	for (unsigned i = 0; i < SHAPES; i++)
		with += compare(e, &shape[i], step[_i / 2]) != 0;
	/* without AVX-512 there is nothing with zmm, and little with masks and high registers */
	if (e->evex)
		ck_assert_uint_eq(with, SHAPES);
	else
		ck_assert_uint_gt(with, SHAPES / 2);
	free(e);
}
END_TEST

/* Numbers of this file's own: value() begins rand() anew. */
static unsigned some(unsigned below)
{
	static uint32_t x = 1;

	x = x * 1664525 + 1013904223;
	return (x >> 8) % below;
}

/* A shape with other registers, the same ones more than once, too. */
static void other_registers(struct ppu_opn *o, const struct shape *s, bool evex)
{
	for (unsigned i = 0; i < s->n; i++) {
		bool vector = o[i].kind == PPU_O_YMM || o[i].kind == PPU_O_ZMM || o[i].kind == PPU_O_XMM;

		if (i && some(4) == 0 && o[i].kind == o[i - 1].kind)
			o[i].reg = o[i - 1].reg;
		else if (vector)
			o[i].reg = (uint8_t)some(evex ? 32 : 16);
		else if (o[i].kind == PPU_O_MASK)
			o[i].reg = (uint8_t)some(8);
		else if (o[i].kind != PPU_O_IMM)
			o[i].reg = (uint8_t)some(16);
	}
}

/* _i: whether the host has AVX-512. */
START_TEST(any_registers)
{
	struct ppu_encoder *e = fresh(_i);

	for (unsigned i = 0; ppu_encode_possible() && i < 40000; i++) {
		const struct shape *s = &shape[some(SHAPES)];
		int32_t v = value(some(VALUES));
		struct ppu_opn o[PPU_OPNS];

		put(o, s, v);
		other_registers(o, s, _i);
		same(e, s, o, v);
	}
	free(e);
}
END_TEST

static unsigned cached(const struct ppu_encoder *e)
{
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof(e->seen) / sizeof(e->seen[0]); i++)
		n += e->seen[i].len != 0;
	return n;
}

/*
 * What it is for: another displacement is no new question, but for the few forms that there are; neither are other
 * registers, all 32 where all are wide and each eight otherwise.
 */
START_TEST(few_questions)
{
	struct ppu_encoder *e = fresh(true);
	struct ppu_opn o[PPU_OPNS] = { Z(0), Z(0), Z(0) };

	if (ppu_encode_possible()) {
		compare(e, &shape[0], 1);
		ck_assert_uint_le(cached(e), 7);
		compare(e, &shape[3], 1);
		ck_assert_uint_le(cached(e), 14);
		for (unsigned i = 0; i < 4096; i++) {
			for (unsigned k = 0; k < 3; k++)
				o[k] = (struct ppu_opn)Z(i >> 4 * k & 31);
			same(e, &shape[7], o, 0);
			for (unsigned k = 0; k < 3; k++)
				o[k] = (struct ppu_opn)Y(i >> 4 * k & 15);
			same(e, &shape[6], o, 0);
		}
		ck_assert_uint_le(cached(e), 14 + 1 + 8);
	}
	free(e);
}
END_TEST
#endif

int main(void)
{
	Suite *su = suite_create("encode");
	TCase *t = tcase_create("encode");

	tcase_set_timeout(t, 120);
#if defined(__x86_64__) && __has_include(<Zydis/Encoder.h>)
	tcase_add_loop_test(t, like_the_library, 0, 6);
	tcase_add_loop_test(t, any_registers, 0, 2);
	tcase_add_test(t, few_questions);
#endif
	suite_add_tcase(su, t);
	return run_suite(su);
}
