/* SPDX-License-Identifier: MIT */
/*
 * Textures and surfaces: calls of the device-side library (libruntime/compiler/devlib/texture.cu) with the
 * handle, which is the address of a struct ppu_texture.
 */
#include <stddef.h>
#include <string.h>
#include "compiler/ptx/lower/lower.h"
#include "compiler/devlib/devlib.h"

struct shape {
	uint16_t mod;
	uint8_t dims;		/* coordinates that are filtered */
	bool layered;
};

static const struct shape shapes[] = {
	{ PM_1d, 1, false }, { PM_2d, 2, false }, { PM_3d, 3, false }, { PM_a1d, 1, true }, { PM_a2d, 2, true },
};

/* [handle, {coordinates}] */
struct texture_opn {
	struct px_opn handle, coord[4];
	uint32_t n;
};

/* A .texref variable holds the handle. */
static bool load_handle(struct px_module *m, struct px_opn *o)
{
	struct px_opn plain = *o;
	struct px_opnd address;
	struct px_insn *i;

	if (o->kind == OP_REG && px_type_bits(o->type) == 64 && o->type != PT_PRED)
		return true;
	if (o->kind != OP_SYM || o->sym->kind != SY_VAR || o->sym->var->space != SP_GLOBAL) {
		px_error(m->px, o->loc, "a texture is a .texref variable or a 64-bit register with its handle");
		return false;
	}
	plain.imm = 0;
	address = px_sym_addr(m, &plain, 2);
	i = px_temp(m, PPU_OP_LD, PPU_T_U64);
	i->m = PPU_SPACE_GLOBAL;
	i->s[0] = address;
	i->xd = px_alloc(&m->px->arena, sizeof(px_val));
	i->xd[0] = px_tmp(m, 2);
	i->nxd = 1;
	*o = (struct px_opn){ .kind = OP_REG, .type = PT_B64, .v = i->xd[0], .loc = o->loc };
	return true;
}

static bool parse_texture(struct px_module *m, struct texture_opn *t)
{
	struct px_opn c;
	uint32_t k;

	if (!px_expect(m, TK('['), "'[' before the texture") || !px_parse_opn(m, &t->handle) ||
	    !px_expect(m, TK(','), "',' after the texture") || !px_parse_opn(m, &c))
		return false;
	if (m->lex.tok.kind == TK(',')) {
		px_error(m->px, c.loc, "separate samplers are not supported; compile for the unified texture mode");
		return false;
	}
	t->n = c.kind == OP_VEC ? c.nvec : 1;
	if (t->n > 4) {
		px_error(m->px, c.loc, "a texture has at most four coordinates");
		return false;
	}
	for (k = 0; k < t->n; k++)
		t->coord[k] = c.kind == OP_VEC ? c.vec[k] : c;
	return px_expect(m, TK(']'), "']' after the coordinates");
}

static const struct shape *shape_of(struct px_module *m, const struct px_inst *in)
{
	unsigned k;

	for (k = 0; k < PX_ARRAY_SIZE(shapes); k++)
		if (px_has(in, shapes[k].mod))
			return &shapes[k];
	px_error(m->px, in->loc, "'%s' needs .1d, .2d, .3d, .a1d or .a2d; other shapes are not supported",
		 in->name->s);
	return NULL;
}

/* Coordinates x, y, z, layer as arguments 1 to 4; those that the shape lacks are 0. */
static bool coordinates(struct px_module *m, const struct px_inst *in, const struct shape *s,
			const struct texture_opn *t, unsigned type, struct px_opn *args)
{
	unsigned first = s->layered, k;

	if (t->n < s->dims + first) {
		px_error(m->px, in->loc, "this texture needs %u coordinates, here are %u", s->dims + first, t->n);
		return false;
	}
	for (k = 0; k < 4; k++)
		args[1 + k] = (struct px_opn){ .kind = OP_IMM, .type = PT_B32, .loc = in->loc };
	for (k = 0; k < s->dims; k++) {
		args[1 + k] = t->coord[first + k];
		args[1 + k].type = args[1 + k].kind == OP_REG ? args[1 + k].type : (uint8_t)type;
	}
	if (s->layered)
		args[4] = t->coord[0];
	return true;
}

static struct px_opn number(const struct px_inst *in, int64_t v)
{
	return (struct px_opn){ .kind = OP_IMM, .type = PT_B32, .imm = v, .loc = in->loc };
}

/* tex.2d.v4.f32.f32 {r, g, b, a}, [handle, {x, y}] [, lod or gradients]: there is one level. */
static bool tex(struct px_module *m, struct px_inst *in)
{
	struct px_opn d, skip, args[6];
	struct px_block *after;
	struct texture_opn t;
	const struct shape *s = shape_of(m, in);
	unsigned ct = in->types[1], k;
	px_val words[4];

	if (!s || !px_parse_opn(m, &d) || !px_expect(m, TK(','), "','") || !parse_texture(m, &t))
		return false;
	while (px_accept(m, TK(',')))
		if (!px_parse_opn(m, &skip))
			return false;
	if (!px_expect(m, TK(';'), "';' after the instruction"))
		return false;
	if (in->num_types != 2 || (ct != PT_F32 && ct != PT_S32) || px_type_bits(in->types[0]) != 32 ||
	    !px_has(in, PM_v4) || d.kind != OP_VEC || d.nvec != 4) {
		px_error(m->px, in->loc, "'tex' has the form tex.2d.v4.TYPE.COORDINATES, with types of 32 bits and four results");
		return true;
	}
	after = px_begin_guard(m, in);
	if (!load_handle(m, &t.handle) || !coordinates(m, in, s, &t, ct, args))
		return true;
	args[0] = t.handle;
	args[5] = number(in, s->dims);
	px_call_library(m, in, ct == PT_F32 ? "__ppu_tex_float" : "__ppu_tex_int", args, 6, words, 4);
	for (k = 0; k < 4; k++) {
		px_val to = px_dst_opn(m, &d.vec[k], in->types[0]);
		struct px_insn *i;

		if (!to)
			continue;
		i = px_temp(m, PPU_OP_MOV, PPU_T_U32);
		i->s[1] = px_reg(words[k]);
		i->d = to;
	}
	px_end_guard(m, after);
	return true;
}

/* suld.b.2d.v2.b32.clamp {a, b}, [handle, {x, y}] and sust.b with the operands exchanged. */
static bool surface(struct px_module *m, struct px_inst *in)
{
	bool load = in->op == PX_OP_suld;
	struct px_inst mem = *in;
	struct px_block *after;
	struct px_opn args[6];
	struct texture_opn t;
	const struct shape *s = shape_of(m, in);
	unsigned mode = px_has(in, PM_zero) ? PPU_SURFACE_ZERO : px_has(in, PM_clamp) ? PPU_SURFACE_CLAMP :
			PPU_SURFACE_TRAP, n = px_has(in, PM_v4) ? 4 : px_has(in, PM_v2) ? 2 : 1;
	px_val address;

	if (!s || (load && (!px_parse_opn(m, &mem.o[0]) || !px_expect(m, TK(','), "','"))) || !parse_texture(m, &t) ||
	    (!load && (!px_expect(m, TK(','), "','") || !px_parse_opn(m, &mem.o[1]))) ||
	    !px_expect(m, TK(';'), "';' after the instruction"))
		return false;
	if (!px_has(in, PM_b) || in->num_types != 1) {
		px_error(m->px, in->loc, "'%s' has the form %s.b with one type; formatted access is not supported",
			 in->name->s, in->name->s);
		return true;
	}
	if (px_has(in, PM_zero)) {
		px_error(m->px, in->loc, "'%s' with .zero is not supported; use .trap or .clamp", in->name->s);
		return true;
	}
	after = px_begin_guard(m, in);
	mem.guard.v = 0;
	if (!load_handle(m, &t.handle) || !coordinates(m, in, s, &t, PT_S32, args))
		return true;
	args[0] = t.handle;
	if (s->layered)		/* layers lie where the planes of a 3-D surface do */
		args[3] = args[4];
	args[4] = number(in, n * px_type_bits(in->types[0]) / 8);
	args[5] = number(in, mode);
	px_call_library(m, in, "__ppu_surface", args, 6, &address, 0);
	memset(mem.mods, 0, sizeof(mem.mods));
	mem.mods[PM_global / 64] |= 1ull << (PM_global % 64);
	if (n > 1)
		mem.mods[(n == 4 ? PM_v4 : PM_v2) / 64] |= 1ull << ((n == 4 ? PM_v4 : PM_v2) % 64);
	mem.o[load ? 1 : 0] = (struct px_opn){ .kind = OP_ADDR, .type = PT_B64, .has_base = true, .v = address,
					       .loc = in->loc };
	mem.n = 2;
	if (n == 1 && mem.o[!load].kind == OP_VEC && mem.o[!load].nvec == 1)
		mem.o[!load] = mem.o[!load].vec[0];
	if (load)
		px_low_ld(m, &mem);
	else
		px_low_st(m, &mem);
	px_end_guard(m, after);
	return true;
}

/* txq.width.b32 d, [handle] */
static bool query(struct px_module *m, struct px_inst *in)
{
	static const struct { uint16_t mod; uint8_t offset; } fields[] = {
		{ PM_width, offsetof(struct ppu_texture, width) }, { PM_height, offsetof(struct ppu_texture, height) },
		{ PM_depth, offsetof(struct ppu_texture, depth) },
		{ PM_array_size, offsetof(struct ppu_texture, depth) },
		{ PM_normalized_coords, offsetof(struct ppu_texture, normalized) },
	};
	struct px_opn d, handle;
	struct px_insn *i;
	unsigned k;

	if (!px_parse_opn(m, &d) || !px_expect(m, TK(','), "','") || !px_expect(m, TK('['), "'['") ||
	    !px_parse_opn(m, &handle) || !px_expect(m, TK(']'), "']'") ||
	    !px_expect(m, TK(';'), "';' after the instruction"))
		return false;
	for (k = 0; k < PX_ARRAY_SIZE(fields) && !px_has(in, fields[k].mod); k++)
		;
	if (k == PX_ARRAY_SIZE(fields)) {
		px_error(m->px, in->loc, "'%s' can ask for width, height, depth, array_size and normalized_coords",
			 in->name->s);
		return true;
	}
	if (!load_handle(m, &handle))
		return true;
	i = px_emit(m, in, PPU_OP_LD, PPU_T_U32);
	i->m = PPU_SPACE_GLOBAL;
	i->s[0] = px_reg(handle.v);
	i->off = fields[k].offset;
	i->xd = px_alloc(&m->px->arena, sizeof(px_val));
	i->xd[0] = px_dst_opn(m, &d, PT_B32);
	if (!i->xd[0])
		i->xd[0] = px_tmp(m, 1);
	i->nxd = 1;
	return true;
}

bool px_parse_texture_inst(struct px_module *m, struct px_inst *in)
{
	switch (in->op) {
	case PX_OP_tex:
		return tex(m, in);
	case PX_OP_suld:
	case PX_OP_sust:
		return surface(m, in);
	default:
		return query(m, in);
	}
}

/* In the table of opcodes only for their modifiers: px_parse_texture_inst() reads their operands. */
void px_low_texture(struct px_module *m, const struct px_inst *in)
{
}
