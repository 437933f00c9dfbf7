/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Host instructions into a buffer. */
#ifdef PPU_TRANSLATE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include "core/base/alloc.h"
#include "core/sm/translate/emit.h"

/* ---- libzydis ---- */

typedef ZyanStatus (*encode_fn)(const ZydisEncoderRequest *request, void *buffer, ZyanUSize *length);
/* Whoever comes first looks for it; all find the same. */
static encode_fn encoder;
static void *library;

bool ppu_emit_possible(void)
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

void *ppu_emit_symbol(const char *name)
{
	void *lib = __atomic_load_n(&library, __ATOMIC_RELAXED);

	return lib ? dlsym(lib, name) : NULL;
}

/* ---- buffers ---- */

void ppu_emit_init(struct ppu_emit *e, uint32_t max_bytes)
{
	memset(e, 0, sizeof(*e));
	e->max = max_bytes;
}

void ppu_emit_free(struct ppu_emit *e)
{
	ppu_free(e->code);
	ppu_free(e->pool);
	ppu_free(e->label);
	ppu_free(e->fixup);
	e->code = e->pool = NULL;
	e->label = NULL;
	e->fixup = NULL;
}

/* Room for `more` more elements in an array. */
static bool room(struct ppu_emit *e, void **array, uint32_t *cap, uint32_t len, uint32_t more, size_t size)
{
	uint32_t n = *cap ? *cap : 256;
	void *p;

	if (e->failed || len + more <= *cap)
		return !e->failed;
	while (n < len + more)
		n *= 2;
	p = ppu_realloc(*array, n * size);
	if (!p) {
		e->failed = true;
		return false;
	}
	*array = p;
	*cap = n;
	return true;
}

/* ---- instructions ---- */

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
static bool encode(const struct ppu_emit *e, ZydisEncoderRequest *r, struct ppu_encoded *c)
{
	bool wide = false;
	unsigned i;

	for (i = 0; i < r->operand_count; i++)
		wide |= is_zmm(&r->operands[i]);
	/* What fails takes as long as what does not: so what is likely comes first. */
	if (!wide && encoded(r, c))
		return true;
	if (!e->evex)
		return false;
	r->mnemonic = evex_name(r->mnemonic, wide);
	return encoded_masked(r, c) || encoded(r, c);
}

/* Where an instruction with this key is kept; len is 0 when it has to be encoded. */
static struct ppu_encoded *look_up(struct ppu_emit *e, const uint64_t *key)
{
	uint64_t h = 0;
	struct ppu_encoded *c;
	unsigned i;

	for (i = 0; i <= PPU_OPNS; i++)
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15ull;
	c = &e->seen[h >> 54];
	if (memcmp(c->key, key, sizeof(c->key))) {
		memcpy(c->key, key, sizeof(c->key));
		c->len = 0;
	}
	return c;
}

static void append(struct ppu_emit *e, const struct ppu_encoded *c)
{
	if (e->len + 16 > e->max)
		e->failed = true;
	if (!room(e, (void **)&e->code, &e->cap, e->len, 16, 1))
		return;
	memcpy(e->code + e->len, c->bytes, sizeof(c->bytes));
	e->len += c->len;
}

/* The operand for the width that the code is for. */
static struct ppu_opn of_width(const struct ppu_emit *e, struct ppu_opn o)
{
	switch (o.kind) {
	case PPU_O_YMM:
		o.kind = e->wide ? PPU_O_ZMM : PPU_O_YMM;
		break;
	case PPU_O_HALF:
		o.kind = e->wide ? PPU_O_YMM : PPU_O_XMM;
		break;
	case PPU_O_VSIB:
		o.kind = e->wide ? PPU_O_VSIB_Z : PPU_O_VSIB;
		break;
	default:
		break;
	}
	if (o.bytes == PPU_VEC)
		o.bytes = e->wide ? 64 : 32;
	if (o.bytes == PPU_HALF)
		o.bytes = e->wide ? 32 : 16;
	return o;
}

static void ops(struct ppu_emit *e, ZydisMnemonic mn, const struct ppu_opn *with, unsigned n, bool zeroing)
{
	uint64_t key[PPU_OPNS + 1] = { (mn + 1ull) << 1 | zeroing };
	struct ppu_opn o[PPU_OPNS];
	struct ppu_encoded *c;
	ZydisEncoderRequest r;
	unsigned i;

	for (i = 0; i < n; i++) {
		o[i] = of_width(e, with[i]);
		key[i + 1] = (o[i].kind + 1ull) << 48 | (uint64_t)o[i].reg << 40 | (uint64_t)o[i].bytes << 32 |
			     (uint32_t)o[i].value;
	}
	c = look_up(e, key);
	if (!c->len) {
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
		if (!encode(e, &r, c))
			e->failed = true;
	}
	append(e, c);
}

void ppu_emit_ops(struct ppu_emit *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n)
{
	ops(e, mn, o, n, false);
}

void ppu_emit_zeroing(struct ppu_emit *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n)
{
	ops(e, mn, o, n, true);
}

/* ---- marks ---- */

void ppu_emit_mark(struct ppu_emit *e, uint32_t pc)
{
	struct ppu_emit_with *w = e->with;

	if (!w || !w->marking || !room(e, (void **)&w->mark, &w->mark_cap, w->marks, 1, sizeof(*w->mark)))
		return;
	w->mark[w->marks++] = (struct ppu_mark){ e->len, pc };
}

/* ---- labels ---- */

uint32_t ppu_emit_label(struct ppu_emit *e)
{
	if (!room(e, (void **)&e->label, &e->label_cap, e->labels, 1, sizeof(*e->label)))
		return 0;
	e->label[e->labels].at = -1;
	return e->labels++;
}

void ppu_emit_bind(struct ppu_emit *e, uint32_t label)
{
	/* Every few instructions, so nobody who cancels waits for long. */
	if (e->with && e->with->cancel && __atomic_load_n(e->with->cancel, __ATOMIC_RELAXED))
		e->failed = true;
	if (!e->failed)
		e->label[label].at = (int32_t)e->len;
}

void ppu_emit_jump(struct ppu_emit *e, ZydisMnemonic mn, uint32_t label)
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
			e->failed = true;
	}
	append(e, c);
	if (!room(e, (void **)&e->fixup, &e->fixup_cap, e->fixups, 1, sizeof(*e->fixup)))
		return;
	e->fixup[e->fixups].at = e->len;
	e->fixup[e->fixups++].label = label;
}

bool ppu_emit_used(const struct ppu_emit *e, uint32_t label)
{
	uint32_t i;

	for (i = 0; i < e->fixups; i++)
		if (e->fixup[i].label == label)
			return true;
	return false;
}

bool ppu_emit_finish(struct ppu_emit *e)
{
	uint32_t i;

	for (i = 0; i < e->fixups && !e->failed; i++) {
		const struct ppu_fixup *f = &e->fixup[i];
		int32_t to = e->label[f->label].at, dist = to - (int32_t)f->at;

		if (to < 0)
			e->failed = true;
		else
			memcpy(e->code + f->at - 4, &dist, 4);
	}
	return !e->failed;
}

/* ---- the pool ---- */

uint32_t ppu_emit_note(struct ppu_emit *e)
{
	return 8 * e->notes++;
}

uint32_t ppu_emit_pool(struct ppu_emit *e, const void *data, uint32_t bytes)
{
	uint32_t at, align = bytes % 32 ? 8 : bytes % 64 ? 32 : 64;

	if (!room(e, (void **)&e->pool, &e->pool_cap, e->pool_len, bytes + 64, 1))
		return 0;
	at = (e->pool_len + align - 1) / align * align;
	memset(e->pool + e->pool_len, 0, at - e->pool_len);
	memcpy(e->pool + at, data, bytes);
	e->pool_len = at + bytes;
	return at;
}

uint32_t ppu_emit_vector(struct ppu_emit *e, const uint32_t *word)
{
	return ppu_emit_pool(e, word, e->evex ? 64 : 32);
}

uint32_t ppu_emit_splat(struct ppu_emit *e, uint32_t v)
{
	uint32_t h = (v * 2654435761u) >> 22, i, words[16], at, bytes = e->evex ? 64 : 32;

	for (i = 0; i < 16; i++)
		words[i] = v;
	if (e->constant[h] && !memcmp(e->pool + (size_t)(e->constant[h] - 1u) * 32, words, bytes))
		return (e->constant[h] - 1u) * 32;
	at = ppu_emit_vector(e, words);
	if (at / 32 < 65535)
		e->constant[h] = (uint16_t)(at / 32 + 1);
	return at;
}
#endif
