/* SPDX-License-Identifier: MIT */
/* Tables of names for assembler and disassembler, all expanded from lists. */
#include <string.h>
#include "compiler/asm/text.h"

struct name {
	uint8_t value;
	const char *text;
};
#define PPU_N_(value, text) { value, text },
#define G(group) static const struct name names_##group[] = { PPU_NAMES_##group(PPU_N_) };
PPU_NAME_GROUPS(G)
#undef G

static const struct {
	const char *title;
	const struct name *names;
	unsigned n;
} groups[PPU_NG_COUNT] = {
#define G(group) { #group, names_##group, sizeof(names_##group) / sizeof(names_##group[0]) },
	PPU_NAME_GROUPS(G)
#undef G
};

const struct ppu_mod ppu_mods[] = {
#define A(op, field, low, width, group, def) \
	{ PPU_OP_##op, PPU_F_##field, low, width, PPU_NG_##group, def },
	PPU_MODS(A)
#undef A
};
const unsigned ppu_num_mods = sizeof(ppu_mods) / sizeof(ppu_mods[0]);

unsigned ppu_mods_of(unsigned op, unsigned *first)
{
	/* First entry + 1, found at first use.  All threads find the same number, so a race is harmless. */
	static uint8_t cache[256];
	unsigned i = __atomic_load_n(&cache[op & 0xff], __ATOMIC_RELAXED), n;

	_Static_assert(sizeof(ppu_mods) / sizeof(ppu_mods[0]) < 255, "an entry's number fits");
	if (!i) {
		while (i < ppu_num_mods && ppu_mods[i].op != op)
			i++;
		__atomic_store_n(&cache[op & 0xff], (uint8_t)++i, __ATOMIC_RELAXED);
	}
	*first = --i;
	for (n = 0; i + n < ppu_num_mods && ppu_mods[i + n].op == op; n++)
		;
	return n;
}

const char *ppu_group_text(unsigned group, unsigned value)
{
	unsigned i;

	for (i = 0; i < groups[group].n; i++)
		if (groups[group].names[i].value == value)
			return groups[group].names[i].text;
	return NULL;
}

const char *ppu_group_title(unsigned group)
{
	return groups[group].title;
}

static int same(const char *name, const char *text, size_t len)
{
	return len && name[0] == text[0] && !strncmp(name, text, len) && name[len] == '\0';
}

int ppu_group_value(unsigned group, const char *text, size_t len)
{
	unsigned i;

	for (i = 0; i < groups[group].n; i++)
		if (same(groups[group].names[i].text, text, len))
			return groups[group].names[i].value;
	return -1;
}

static int number_of(const char *const *texts, unsigned first, unsigned n, const char *text, size_t len)
{
	unsigned i;

	for (i = first; i < n; i++)
		if (same(texts[i], text, len))
			return (int)i;
	return -1;
}

static const char *const type_texts[PPU_T_COUNT] = {
#define T(name, code, bits, suffix) [code] = suffix,
	PPU_TYPES(T)
#undef T
};

const char *ppu_type_text(unsigned t)
{
	return t < PPU_T_COUNT ? type_texts[t] : NULL;
}

int ppu_type_value(const char *text, size_t len)
{
	return number_of(type_texts, 1, PPU_T_COUNT, text, len);
}

static const char *const sreg_texts[PPU_SR_COUNT] = {
#define S(name, num, is64, text) [num] = text,
	PPU_SREGS(S)
#undef S
};

const char *ppu_sreg_text(unsigned n)
{
	return n < PPU_SR_COUNT ? sreg_texts[n] : NULL;
}

int ppu_sreg_value(const char *text, size_t len)
{
	return number_of(sreg_texts, 0, PPU_SR_COUNT, text, len);
}

int ppu_opcode_value(const char *mnemonic, size_t len)
{
	static const struct {
		uint8_t op;
		const char *text;
	} ops[] = {
#define I(id, op, mn, fmt, types, xc, doc) { op, mn },
		PPU_ISA(I)
#undef I
	};
	unsigned i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		if (same(ops[i].text, mnemonic, len))
			return ops[i].op;
	return -1;
}

static const struct {
	const char *name, *fields, *syntax;
} formats[PPU_FMT_COUNT] = {
#define F(name, fields, syntax) { #name, fields, syntax },
	PPU_FORMATS(F)
#undef F
};

const char *ppu_format_name(unsigned fmt)
{
	return formats[fmt].name;
}

const char *ppu_format_fields(unsigned fmt)
{
	return formats[fmt].fields;
}

const char *ppu_format_syntax(unsigned fmt)
{
	return formats[fmt].syntax;
}

static const struct {
	uint8_t word, low, width;
} fields[PPU_F_COUNT] = {
#define F(name, word, low, width) { word, low, width },
	PPU_FIELDS(F)
#undef F
};

uint32_t ppu_field_get(const struct ppu_insn *in, unsigned field)
{
	uint64_t w = fields[field].word ? in->hi : in->lo;

	return (uint32_t)(w >> fields[field].low & ((1ull << fields[field].width) - 1));
}

void ppu_field_set(struct ppu_insn *in, unsigned field, uint32_t v)
{
	uint64_t mask = ((1ull << fields[field].width) - 1) << fields[field].low;

	if (fields[field].word)
		in->hi = (in->hi & ~mask) | ((uint64_t)v << fields[field].low & mask);
	else
		in->lo = (in->lo & ~mask) | ((uint64_t)v << fields[field].low & mask);
}

unsigned ppu_field_width(unsigned field)
{
	return fields[field].width;
}

unsigned ppu_imm_type(const struct ppu_insn *in, int is_c)
{
	unsigned op = PPU_GET(in, OP), t = PPU_GET(in, T);
	char w = ppu_isa_rule(op)->widths[is_c ? 3 : 2];

	if (op == PPU_OP_CVT2)
		return PPU_T_F32;
	switch (w) {
	case 't':
		return t;
	case 'u':
		return PPU_GET(in, U);
	case 'w':	/* twice the width */
		switch (t) {
		case PPU_T_U16: return PPU_T_U32;
		case PPU_T_S16: return PPU_T_S32;
		case PPU_T_U32: return PPU_T_U64;
		case PPU_T_S32: return PPU_T_S64;
		}
	}
	return PPU_T_U32;
}
