/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libzydis says how instructions are encoded. */
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

/* The length; 0: there is none such. */
static unsigned encoded(const ZydisEncoderRequest *r, uint8_t *out)
{
	ZyanUSize n = PPU_ENCODED_MAX;

	return ZYAN_FAILED(encoder(r, out, &n)) ? 0 : (unsigned)n;
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
static unsigned encoded_masked(const ZydisEncoderRequest *r, uint8_t *out)
{
	ZydisEncoderRequest m = *r;
	unsigned i;

	if (m.operand_count >= ZYDIS_ENCODER_MAX_OPERANDS)
		return 0;
	for (i = m.operand_count++; i > 1; i--)
		m.operands[i] = m.operands[i - 1];
	memset(&m.operands[1], 0, sizeof(m.operands[1]));
	m.operands[1].type = ZYDIS_OPERAND_TYPE_REGISTER;
	m.operands[1].reg.value = ZYDIS_REGISTER_K0;
	return encoded(&m, out);
}

/* With the shortest name and form that the host has: most instructions of AVX-512 want a mask. */
static unsigned encode(const struct ppu_encoder *e, ZydisEncoderRequest *r, uint8_t *out)
{
	bool wide = false, high = false;
	ZydisMnemonic vex = r->mnemonic;
	unsigned len = 0, i;

	for (i = 0; i < r->operand_count; i++) {
		wide |= is_zmm(&r->operands[i]);
		high |= is_high(&r->operands[i]);
	}
	/* What fails takes as long as what does not: so what is likely comes first. */
	if (!wide && !high)
		len = encoded(r, out);
	if (len || !e->evex)
		return len;
	r->mnemonic = evex_name(vex, wide);
	len = encoded_masked(r, out);
	if (!len)
		len = encoded(r, out);
	if (len || !high || wide)
		return len;
	r->mnemonic = vex;
	return encoded(r, out);
}

unsigned ppu_encode_asked(const struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n, bool zeroing,
			  uint8_t out[PPU_ENCODED_MAX])
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
	return encode(e, &r, out);
}

unsigned ppu_encode_asked_jump(ZydisMnemonic mn, uint8_t out[PPU_ENCODED_MAX])
{
	ZydisEncoderRequest r;

	memset(&r, 0, sizeof(r));
	r.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
	r.mnemonic = mn;
	r.branch_type = ZYDIS_BRANCH_TYPE_NEAR;
	r.branch_width = ZYDIS_BRANCH_WIDTH_32;
	r.operand_count = 1;
	r.operands[0].type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
	return encoded(&r, out);
}
#endif
