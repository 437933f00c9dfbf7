/* SPDX-License-Identifier: MIT */
/* The words of PTX: facts from their lists, and their names. */
#include <string.h>
#include <hw/ppu_isa.h>
#include "compiler/ptx/front/px_ops.h"
#include "compiler/ptx/front/px_type.h"

static const struct {
	const char *text;
	uint8_t bits, isa;
} types[PT_COUNT] = {
#define T(name, text, bits, isa) [PT_##name] = { text, bits, PPU_T_##isa },
	PX_TYPES(T)
#undef T
};

static const char *const mod_text[PM_COUNT] = {
#define T(name, text, bits, isa) [PT_##name] = text,
	PX_TYPES(T)
#undef T
#define M(name, text) [PM_##name] = text,
	PX_MODS(M)
#undef M
};

unsigned px_type_bits(unsigned pt) { return types[pt].bits; }
unsigned px_isa_type(unsigned pt) { return types[pt].isa; }
const char *px_type_text(unsigned pt) { return pt ? types[pt].text : "none"; }
bool px_type_float(unsigned pt) { return pt >= PT_F16 && pt <= PT_F64; }
bool px_type_signed(unsigned pt) { return pt >= PT_S8 && pt <= PT_S64; }
bool px_type_element(unsigned pt) { return pt >= PT_S4 && pt <= PT_E5M2X2; }

unsigned px_bits_width(unsigned pt)
{
	return pt == PT_PRED ? 0 : types[pt].bits <= 32 ? 1 : types[pt].bits / 32;
}

void px_init_names(struct px *px)
{
	static const char *const sregs[PPU_SR_COUNT] = {
#define S(name, num, is64, text) [num] = text,
		PPU_SREGS(S)
#undef S
	};
	static const char *const opcodes[PX_NUM_OPS] = {
#define O(name, fn, min, max, mods) #name,
		PX_OPS(O)
#undef O
	};
	char name[40];
	unsigned i;

	for (i = 1; i < PM_COUNT; i++)
		px_intern(px, mod_text[i], strlen(mod_text[i]))->mod = (uint16_t)i;
	for (i = 0; i < PX_NUM_OPS; i++)
		px_intern(px, opcodes[i], strlen(opcodes[i]))->op = (uint16_t)(i + 1);
	for (i = 0; i < PPU_SR_COUNT; i++) {
		snprintf(name, sizeof(name), "%%%s", sregs[i]);
		px_intern(px, name, strlen(name))->sreg = (uint16_t)(i + 1);
	}
}
