/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host instructions as bytes. */
#ifdef PPU_TRANSLATE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/sm/translate/encode.h"

/* ---- libzydis ---- */

typedef ZyanStatus (*encode_fn)(const ZydisEncoderRequest *request, void *buffer, ZyanUSize *length);
/* Whoever comes first looks for it; all find the same. */
static encode_fn encoder;
static void *library;

bool ppu_encode_possible(void)
{
	encode_fn fn = __atomic_load_n(&encoder, __ATOMIC_RELAXED);
	char name[40];
	void *lib;

	if (fn)
		return true;
	/* The layout of a request is that of one minor version. */
	snprintf(name, sizeof(name), "libZydis.so.%u.%u", (unsigned)ZYDIS_VERSION_MAJOR(ZYDIS_VERSION),
		 (unsigned)ZYDIS_VERSION_MINOR(ZYDIS_VERSION));
	lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	fn = lib ? (encode_fn)(uintptr_t)dlsym(lib, "ZydisEncoderEncodeInstruction") : NULL;
	__atomic_store_n(&library, lib, __ATOMIC_RELAXED);
	__atomic_store_n(&encoder, fn, __ATOMIC_RELAXED);
	return fn != NULL;
}

void *ppu_encode_symbol(const char *name)
{
	void *lib = __atomic_load_n(&library, __ATOMIC_RELAXED);

	return lib ? dlsym(lib, name) : NULL;
}

/* ---- the library's way to say it ---- */

static ZydisRegister reg_of(const struct ppu_opn *o)
{
	switch (o->kind) {
	case PPU_O_ZMM:	return ZYDIS_REGISTER_ZMM0 + o->reg;
	case PPU_O_YMM:	return ZYDIS_REGISTER_YMM0 + o->reg;
	case PPU_O_MASK: return ZYDIS_REGISTER_K0 + o->reg;
	case PPU_O_XMM:	return ZYDIS_REGISTER_XMM0 + o->reg;
	case PPU_O_R8:	return ZYDIS_REGISTER_AL + o->reg;	/* al, cl, dl, bl only */
	case PPU_O_R32:	return ZYDIS_REGISTER_EAX + o->reg;
	default:	return ZYDIS_REGISTER_RAX + o->reg;
	}
}

static void operand(ZydisEncoderOperand *z, const struct ppu_opn *o)
{
	switch (o->kind) {
	case PPU_O_MEM:
		z->type = ZYDIS_OPERAND_TYPE_MEMORY;
		z->mem.base = ZYDIS_REGISTER_RAX + o->reg;
		z->mem.displacement = o->value;
		z->mem.size = o->bytes;
		break;
	case PPU_O_INDEX:
		z->type = ZYDIS_OPERAND_TYPE_MEMORY;
		z->mem.base = ZYDIS_REGISTER_RAX + o->reg;
		z->mem.index = ZYDIS_REGISTER_RAX + o->value;
		z->mem.scale = 2;
		z->mem.size = o->bytes;
		break;
	case PPU_O_SUM: case PPU_O_VSIB: case PPU_O_VSIB_Z:
		z->type = ZYDIS_OPERAND_TYPE_MEMORY;
		z->mem.base = ZYDIS_REGISTER_RAX + o->reg;
		z->mem.index = (o->kind == PPU_O_SUM ? ZYDIS_REGISTER_RAX : o->kind == PPU_O_VSIB_Z ? ZYDIS_REGISTER_ZMM0 :
				ZYDIS_REGISTER_YMM0) + o->value;
		z->mem.scale = 1;
		z->mem.size = o->bytes;
		break;
	case PPU_O_IMM:
		z->type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		z->imm.s = o->value;
		break;
	default:
		z->type = ZYDIS_OPERAND_TYPE_REGISTER;
		z->reg.value = reg_of(o);
	}
}

/* What AVX-512 calls an instruction of AVX2 and, where it depends on the width, what it calls it for 16 lanes. */
static ZydisMnemonic evex_name(ZydisMnemonic mn, bool wide)
{
#define NAME(vex, evex) case ZYDIS_MNEMONIC_##vex: return ZYDIS_MNEMONIC_##evex
#define BY_WIDTH(vex, evex, w) case ZYDIS_MNEMONIC_##vex: return wide ? ZYDIS_MNEMONIC_##w : ZYDIS_MNEMONIC_##evex
	switch (mn) {
	NAME(VMOVDQA, VMOVDQA32);
	NAME(VMOVDQU, VMOVDQU32);
	NAME(VPAND, VPANDD);
	NAME(VPANDN, VPANDND);
	NAME(VPOR, VPORD);
	NAME(VPXOR, VPXORD);
	NAME(VROUNDPD, VRNDSCALEPD);
	NAME(VBROADCASTI128, VBROADCASTI32X4);
	BY_WIDTH(VEXTRACTI128, VEXTRACTI32X4, VEXTRACTI64X4);
	BY_WIDTH(VINSERTI128, VINSERTI32X4, VINSERTI64X4);
	default: return mn;
	}
#undef NAME
#undef BY_WIDTH
}

static bool encoded(const ZydisEncoderRequest *r, struct ppu_encoded *c)
{
	ZyanUSize n = sizeof(c->bytes);

	if (ZYAN_FAILED(encoder(r, c->bytes, &n)))
		return false;
	c->len = (uint8_t)n;
	return true;
}

static bool is_zmm(const ZydisEncoderOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER && o->reg.value >= ZYDIS_REGISTER_ZMM0 &&
	       o->reg.value <= ZYDIS_REGISTER_ZMM31;
}

/* A register that only EVEX has. */
static bool is_high(const ZydisEncoderOperand *o)
{
	return o->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ((o->reg.value >= ZYDIS_REGISTER_XMM16 && o->reg.value <= ZYDIS_REGISTER_XMM31) ||
		(o->reg.value >= ZYDIS_REGISTER_YMM16 && o->reg.value <= ZYDIS_REGISTER_YMM31));
}

/* The same with a mask that has all lanes. */
static bool encoded_masked(const ZydisEncoderRequest *r, struct ppu_encoded *c)
{
	ZydisEncoderRequest m = *r;
	unsigned i;

	if (m.operand_count >= ZYDIS_ENCODER_MAX_OPERANDS)
		return false;
	for (i = m.operand_count++; i > 1; i--)
		m.operands[i] = m.operands[i - 1];
	memset(&m.operands[1], 0, sizeof(m.operands[1]));
	m.operands[1].type = ZYDIS_OPERAND_TYPE_REGISTER;
	m.operands[1].reg.value = ZYDIS_REGISTER_K0;
	return encoded(&m, c);
}

/* With the shortest name and form that the host has: most instructions of AVX-512 want a mask. */
static bool encode(const struct ppu_encoder *e, ZydisEncoderRequest *r, struct ppu_encoded *c)
{
	bool wide = false, high = false;
	ZydisMnemonic vex = r->mnemonic;
	unsigned i;

	for (i = 0; i < r->operand_count; i++) {
		wide |= is_zmm(&r->operands[i]);
		high |= is_high(&r->operands[i]);
	}
	/* What fails takes as long as what does not: so what is likely comes first. */
	if (!wide && !high && encoded(r, c))
		return true;
	if (!e->evex)
		return false;
	r->mnemonic = evex_name(vex, wide);
	if (encoded_masked(r, c) || encoded(r, c))
		return true;
	r->mnemonic = vex;
	return high && !wide && encoded(r, c);
}

static bool ask(const struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n, bool zeroing,
		struct ppu_encoded *c)
{
	ZydisEncoderRequest r;
	unsigned i;

	memset(&r, 0, sizeof(r));
	r.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	r.mnemonic = mn;
	r.operand_count = (ZyanU8)n;
	r.evex.zeroing_mask = zeroing;
	for (i = 0; i < n; i++)
		operand(&r.operands[i], &o[i]);
	/* The fourth register of a blend is in an immediate. */
	if (n == 4 && o[1].kind != PPU_O_MASK && o[3].kind == PPU_O_YMM)
		r.operands[3].reg.is4 = ZYAN_TRUE;
	return encode(e, &r, c);
}

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
	return o->kind == PPU_O_MEM && o->bytes && o->value % o->bytes == 0 && fits8(o->value / o->bytes);
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

/* ---- what was answered before ---- */

/* Where an instruction with this key is kept; len is 0 when it has to be encoded. */
static struct ppu_encoded *look_up(struct ppu_encoder *e, const uint64_t key[PPU_OPNS + 1])
{
	/* Each word times an odd number of its own: the products do not wait for each other. */
	uint64_t h = key[0] * 0x9e3779b97f4a7c15ull + key[1] * 0xc2b2ae3d27d4eb4full + key[2] * 0x165667b19e3779f9ull +
		     key[3] * 0x27d4eb2f165667c5ull + key[4] * 0x85ebca77c2b2ae63ull;
	struct ppu_encoded *c = &e->seen[(h ^ h >> 29) * 0x9e3779b97f4a7c15ull >> (64 - PPU_ENCODED_BITS)];

	if (memcmp(c->key, key, sizeof(c->key))) {
		memcpy(c->key, key, sizeof(c->key));
		c->len = 0;
	}
	return c;
}

static struct ppu_encoded *find(struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n,
				bool zeroing, const struct ppu_opn *moves)
{
	uint64_t key[PPU_OPNS + 1] = { (mn + 1ull) << 1 | zeroing };
	struct ppu_encoded *c;
	unsigned i;

	for (i = 0; i < n; i++)
		key[i + 1] = (o[i].kind + 1ull) << 48 | (uint64_t)o[i].reg << 40 | (uint64_t)o[i].bytes << 32 |
			     (&o[i] == moves ? class_of(moves) << 56 : (uint32_t)o[i].value);
	c = look_up(e, key);
	if (c->len && moves && c->form == WHOLE && c->value != moves->value)
		c->len = 0;
	return c;
}

#ifdef __SANITIZE_ADDRESS__
/* Would the library have given the same bytes?  It is asked for one of 16, because it is slow. */
static void verify(const struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n, bool zeroing,
		   const uint8_t *out, unsigned len)
{
	static unsigned count;
	struct ppu_encoded c = { 0 };

	if (__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) % 16)
		return;
	if (!ask(e, mn, o, n, zeroing, &c) || c.len != len || memcmp(c.bytes, out, len))
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
	const struct ppu_opn *moves = movable(o, n);
	struct ppu_encoded *c = find(e, mn, o, n, zeroing, moves);
	bool known = c->len;

	if (!known) {
		if (!ask(e, mn, o, n, zeroing, c))
			return 0;
		c->form = moves ? form_of(c, moves) : WHOLE;
		c->value = moves ? moves->value : 0;
	}
	memcpy(out, c->bytes, sizeof(c->bytes));
	if (known && moves)
		put_value(c, moves, out);
	verify(e, mn, o, n, zeroing, out, c->len);
	return c->len;
}

unsigned ppu_encode_jump(struct ppu_encoder *e, ZydisMnemonic mn, uint8_t out[PPU_ENCODED_MAX])
{
	uint64_t key[PPU_OPNS + 1] = { (mn + 1ull) << 1, 1 };
	struct ppu_encoded *c = look_up(e, key);
	ZydisEncoderRequest r;

	if (!c->len) {
		memset(&r, 0, sizeof(r));
		r.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
		r.mnemonic = mn;
		r.branch_type = ZYDIS_BRANCH_TYPE_NEAR;
		r.branch_width = ZYDIS_BRANCH_WIDTH_32;
		r.operand_count = 1;
		r.operands[0].type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
		if (!encoded(&r, c))
			return 0;
	}
	memcpy(out, c->bytes, sizeof(c->bytes));
	return c->len;
}
#endif
