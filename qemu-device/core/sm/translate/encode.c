/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host instructions as bytes. */
#ifdef PPU_TRANSLATE
#include <stdlib.h>
#include <string.h>
#include "core/sm/translate/encode.h"

/* ---- instructions that differ in their last value ---- */

/* Where the value is: nowhere, in the last byte, there divided by the bytes of memory, in the last four. */
enum form { WHOLE, BYTE, SCALED, FOUR };

static bool fits8(int32_t v)
{
	return v >= -128 && v <= 127;
}

/* EVEX has a displacement in a byte if it is that many times what the instruction accesses. */
static bool scales(const struct ppu_opn *o)
{
	/* bytes: a power of two; dividing by what is not known is slow */
	return o->kind == PPU_O_MEM && o->bytes && !(o->value & (o->bytes - 1)) && fits8(o->value >> __builtin_ctz(o->bytes));
}

/*
 * The operand whose value is the end of the instruction: an immediate, else a displacement.  NULL: there is none.  0 and 1
 * have instructions of their own (no displacement; shifts by one), and -1 looks the same in a byte and in four.
 */
static const struct ppu_opn *movable(const struct ppu_opn *o, unsigned n)
{
	const struct ppu_opn *m = NULL;
	unsigned i;

	for (i = 0; i < n; i++)
		if (o[i].kind == PPU_O_IMM || (o[i].kind == PPU_O_MEM && (!m || m->kind != PPU_O_IMM)))
			m = &o[i];
	/* The fourth register of a blend is behind the displacement. */
	return m && (m->value < -1 || m->value > 1) && (n < 4 || m->kind == PPU_O_IMM) ? m : NULL;
}

/*
 * All values of a class have the same form in one instruction, whichever it is: what fits in a byte, as a number with a
 * sign or without; displacements that EVEX can divide; all others.
 */
static uint64_t class_of(const struct ppu_opn *o)
{
	return 1u + fits8(o->value) + 2u * scales(o) + 4u * (o->kind == PPU_O_IMM && o->value == (uint8_t)o->value);
}

static enum form form_of(const struct ppu_encoded *c, const struct ppu_opn *o)
{
	uint8_t last = c->bytes[c->len - 1];
	int32_t four;

	if (c->len > 4) {
		memcpy(&four, c->bytes + c->len - 4, 4);
		if (four == o->value)
			return FOUR;
	}
	if ((int8_t)last == o->value || (o->kind == PPU_O_IMM && last == o->value))
		return BYTE;
	return scales(o) && (int8_t)last * o->bytes == o->value ? SCALED : WHOLE;
}

static void put_value(const struct ppu_encoded *c, const struct ppu_opn *o, uint8_t *out)
{
	switch (c->form) {
	case BYTE:
		out[c->len - 1] = (uint8_t)o->value;
		break;
	case SCALED:
		out[c->len - 1] = (uint8_t)(o->value / o->bytes);
		break;
	case FOUR:
		memcpy(out + c->len - 4, &o->value, 4);
		break;
	default:
		break;
	}
}

/* ---- instructions that differ in their registers ---- */

struct question {
	ZydisMnemonic mn;
	const struct ppu_opn *o;
	unsigned n;
	bool zeroing;
	const struct ppu_opn *moves;	/* the operand whose value is put in */
	uint8_t put;			/* bits of operands: registers that are put in */
	uint8_t above;			/* bits of their numbers that change the form */
};

/*
 * Vector and mask registers are put in, but for the fourth one of a blend, which is in an immediate, and k0, which is no mask
 * where others are.  Instructions with registers of 64 bytes have one form for all 32; others have forms by the upper bits of
 * a number.
 */
static void look_at_registers(struct question *q)
{
	const unsigned vectors = 1u << PPU_O_YMM | 1u << PPU_O_ZMM | 1u << PPU_O_XMM | 1u << PPU_O_MASK;
	const unsigned wide = 1u << PPU_O_ZMM | 1u << PPU_O_VSIB_Z;
	unsigned kinds = 0, put = 0, i;

	for (i = 0; i < q->n; i++) {
		kinds |= 1u << q->o[i].kind;
		if (q->o[i].kind != PPU_O_MASK || q->o[i].reg)
			put |= (vectors >> q->o[i].kind & 1) << i;
	}
	q->put = (uint8_t)(q->n == 4 && q->o[1].kind != PPU_O_MASK ? put & 7 : put);
	q->above = kinds & wide ? 0 : 0x18;
}

/* What a register changes in the first eight bytes: its lower three bits, which are together, and two more. */
static uint64_t register_bits(const uint8_t place[3], unsigned reg)
{
	return (uint64_t)(reg & 7) << place[0] ^ (uint64_t)(reg >> 3 & 1) << place[1] ^ (uint64_t)(reg >> 4 & 1) << place[2];
}

static void put_registers(const struct ppu_encoded *c, const struct question *q, uint8_t *out)
{
	uint64_t first;
	unsigned i;

	memcpy(&first, out, 8);
	for (i = 0; i < q->n; i++)
		if (q->put >> i & 1)
			first ^= register_bits(c->place[i], q->o[i].reg & ~q->above);
	memcpy(out, &first, 8);
}

/*
 * Where registers can be, as bits of the code: the lower ones, the fourth and the fifth.  reg and rm of the byte that says
 * what the operands are; vvvv, which is inverted; the mask of EVEX.
 */
#define PLACES 4
enum { REG, RM, VVVV };

/* The code's places.  Returns how many there are. */
static unsigned places_of(const struct ppu_encoded *c, const uint8_t (**at)[3])
{
	static const uint8_t evex[PLACES][3] = { { 43, 15, 12 }, { 40, 13, 14 }, { 19, 22, 27 }, { 24 } };
	static const uint8_t vex[2][PLACES - 1][3] = { { { 27 }, { 24 }, { 11 } }, { { 35 }, { 32 }, { 19 } } };

	*at = c->bytes[0] == 0x62 ? evex : vex[c->bytes[0] == 0xc4];
	return c->bytes[0] == 0x62 ? PLACES : c->bytes[0] == 0xc4 || c->bytes[0] == 0xc5 ? PLACES - 1 : 0;
}

/* Where a number with these lower bits is.  False: nowhere, or it may be in two places. */
static bool find_place(const struct ppu_encoded *c, unsigned low, uint8_t place[3])
{
	const uint8_t (*at)[3];
	unsigned n = places_of(c, &at), found = 0, i;
	uint64_t code;

	memcpy(&code, c->bytes, 8);
	for (i = 0; i < n; i++) {
		/* rm is a register if the two bits above reg are set. */
		if (i == RM && (code >> (at[RM][0] + 6) & 3) != 3)
			continue;
		if (((i == VVVV ? ~code : code) >> at[i][0] & 7) == low) {
			memcpy(place, at[i], 3);
			found++;
		}
	}
	return found == 1;
}

/* Asks for the instruction with other registers, so that it shows where they are, and leaves their bits out. */
static bool ask_places(const struct ppu_encoder *e, const struct question *q, unsigned from, struct ppu_encoded *c)
{
	struct ppu_opn with[PPU_OPNS] = { 0 };
	struct question other = *q;
	unsigned i;

	for (i = 0; i < q->n; i++) {
		with[i] = q->o[i];
		if (q->put >> i & 1)
			with[i].reg = (uint8_t)((q->o[i].reg & q->above) | (from + i));
	}
	c->len = (uint8_t)ppu_encode_asked(e, q->mn, with, q->n, q->zeroing, c->bytes);
	if (!c->len)
		return false;
	for (i = 0; i < q->n; i++)
		if (q->put >> i & 1 && !find_place(c, from + i, c->place[i]))
			return false;
	other.o = with;
	put_registers(c, &other, c->bytes);
	return true;
}

/*
 * A new question.  Other parts of the code may look like the numbers that were asked with; then it is asked with others.  If
 * these do not show it either, the answer is used but not kept.
 */
static bool learn(const struct ppu_encoder *e, const struct question *q, struct ppu_encoded *c)
{
	if (q->put)
		return ask_places(e, q, 1, c) || ask_places(e, q, 4, c);
	c->len = (uint8_t)ppu_encode_asked(e, q->mn, q->o, q->n, q->zeroing, c->bytes);
	return c->len;
}

/* ---- what was answered before ---- */

/* Where an instruction with this key is kept; len is 0 when it has to be encoded. */
static struct ppu_encoded *look_up(struct ppu_encoder *e, uint64_t k0, uint64_t k1, uint64_t k2)
{
	/* Each word times an odd number of its own: the products do not wait for each other. */
	uint64_t h = k0 * 0x9e3779b97f4a7c15ull + k1 * 0xc2b2ae3d27d4eb4full + k2 * 0x165667b19e3779f9ull;
	uint64_t at = (h ^ h >> 29) * 0x9e3779b97f4a7c15ull >> (64 - PPU_ENCODED_BITS);
	struct ppu_encoded *c = NULL;
	unsigned i;

	/* It has four places; the first one is given up if all are taken. */
	for (i = 0; i < 4; i++) {
		c = &e->seen[at ^ i];
		if (c->key[0] == k0 && c->key[1] == k1 && c->key[2] == k2)
			return c;
		if (!c->len)
			break;
	}
	if (i == 4)
		c = &e->seen[at];
	c->key[0] = k0;
	c->key[1] = k1;
	c->key[2] = k2;
	c->len = 0;
	return c;
}

static struct ppu_encoded *find(struct ppu_encoder *e, const struct question *q)
{
	uint64_t what = (q->mn + 1ull) << 8 | q->zeroing, operands = 0, values = 0;
	struct ppu_encoded *c;
	unsigned i;

	if (q->moves)
		what |= class_of(q->moves) << 1;
	for (i = 0; i < q->n; i++) {
		const struct ppu_opn *o = &q->o[i];
		uint64_t reg = q->put >> i & 1 ? (o->reg & q->above) | 7 : o->reg;

		operands = operands << 16 | (o->kind + 1ull) << 12 | reg << 7 | o->bytes;
		/* At most one of an instruction's operands is memory, and one an immediate. */
		if (o != q->moves)
			values ^= (uint64_t)(uint32_t)o->value << (o->kind == PPU_O_IMM ? 32 : 0);
	}
	c = look_up(e, what, operands, values);
	if (c->len && q->moves && c->form == WHOLE && c->value != q->moves->value)
		c->len = 0;
	return c;
}

#ifdef __SANITIZE_ADDRESS__
/* Would the library have given the same bytes?  It is asked for one of 16, because it is slow. */
static void verify(const struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n, bool zeroing,
		   const uint8_t *out, unsigned len)
{
	static unsigned count;
	uint8_t want[PPU_ENCODED_MAX];

	if (__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) % 16)
		return;
	if (ppu_encode_asked(e, mn, o, n, zeroing, want) != len || memcmp(want, out, len))
		abort();
}
#else
static void verify(const struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n, bool zeroing,
		   const uint8_t *out, unsigned len)
{
}
#endif

unsigned ppu_encode(struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n, bool zeroing,
		    uint8_t out[PPU_ENCODED_MAX])
{
	struct question q = { .mn = mn, .o = o, .n = n, .zeroing = zeroing, .moves = movable(o, n) };
	struct ppu_encoded *c;

	look_at_registers(&q);
	c = find(e, &q);
	if (!c->len) {
		if (!learn(e, &q, c)) {
			c->len = 0;
			return ppu_encode_asked(e, mn, o, n, zeroing, out);
		}
		c->form = q.moves ? form_of(c, q.moves) : WHOLE;
		c->value = q.moves ? q.moves->value : 0;
	}
	memcpy(out, c->bytes, sizeof(c->bytes));
	put_registers(c, &q, out);
	if (q.moves)
		put_value(c, q.moves, out);
	verify(e, mn, o, n, zeroing, out, c->len);
	return c->len;
}

unsigned ppu_encode_jump(struct ppu_encoder *e, ZydisMnemonic mn, uint8_t out[PPU_ENCODED_MAX])
{
	struct ppu_encoded *c = look_up(e, (mn + 1ull) << 8, 1, 0);

	if (!c->len)
		c->len = (uint8_t)ppu_encode_asked_jump(mn, c->bytes);
	memcpy(out, c->bytes, sizeof(c->bytes));
	return c->len;
}
#endif
