/* SPDX-License-Identifier: MIT */
/*
 * Textures and surfaces: calls of the device-side library (libruntime/compiler/devlib/texture.cu) with the
 * handle, which is the address of a struct ppu_texture.
 */
#include <stddef.h>
#include <string.h>
#include "compiler/devabi/devlib.h"
#include "compiler/ptx/front/px_forms.h"
#include "compiler/ptx/lower/px_low.h"
#include "compiler/ptx/lower/px_low_call.h"

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
	px_ld_into(m, i, px_tmp(m, 2));
	*o = (struct px_opn){ .kind = OP_REG, .type = PT_B64, .v = i->xd[0], .loc = o->loc };
	return true;
}

/* Coordinates x, y, z, layer as arguments 1 to 4; those that the shape lacks are 0. */
static bool coordinates(struct px_module *m, const struct px_inst *in, const struct px_texture_opns *t,
			unsigned type, struct px_opn *args)
{
	unsigned first = t->layered, k;

	if (t->n < t->dims + first) {
		px_error(m->px, in->loc, "this texture needs %u coordinates, here are %u", t->dims + first, t->n);
		return false;
	}
	for (k = 0; k < 4; k++)
		args[1 + k] = (struct px_opn){ .kind = OP_IMM, .type = PT_B32, .loc = in->loc };
	for (k = 0; k < t->dims; k++) {
		args[1 + k] = t->coord[first + k];
		args[1 + k].type = args[1 + k].kind == OP_REG ? args[1 + k].type : (uint8_t)type;
	}
	if (t->layered)
		args[4] = t->coord[0];
	return true;
}

static struct px_opn number(const struct px_inst *in, int64_t v)
{
	return (struct px_opn){ .kind = OP_IMM, .type = PT_B32, .imm = v, .loc = in->loc };
}

/* The function of the library, and its sixth argument. */
static const char *fetch_function(const struct px_inst *in, int64_t *last)
{
	static const uint16_t channels[] = { PM_r, PM_g, PM_b, PM_a };
	const struct px_texture_opns *t = in->texture;

	*last = t->dims;
	if (px_has(in, PM_level) || px_has(in, PM_grad))
		*last = t->cube ? PPU_TEXTURE_CUBE : t->dims;
	if (px_has(in, PM_grad))
		return "__ppu_tex_grad";
	if (px_has(in, PM_level))
		return in->types[1] == PT_F32 ? "__ppu_tex_level" : "__ppu_tex_level_int";
	if (in->op != PX_OP_tld4)
		return t->cube ? "__ppu_tex_cube" : in->types[1] == PT_F32 ? "__ppu_tex_float" : "__ppu_tex_int";
	for (*last = 0; *last < 4 && !px_has(in, channels[*last]); ++*last)
		;
	return t->cube ? "__ppu_tex_gather_cube" : "__ppu_tex_gather";
}

/* Arguments that only fetches from a level have, behind the others; how many. */
static uint32_t of_level(const struct px_inst *in, struct px_opn *args)
{
	const struct px_texture_opns *t = in->texture;
	unsigned k;

	if (px_has(in, PM_level)) {
		args[0] = t->lod;
		args[0].type = args[0].kind == OP_REG ? args[0].type : in->types[1];
		return 1;
	}
	if (!px_has(in, PM_grad))
		return 0;
	for (k = 0; k < 6; k++) {
		args[k] = k % 3 < t->dims ? t->gradient[k / 3][k % 3] : number(in, 0);
		args[k].type = args[k].kind == OP_REG ? args[k].type : PT_F32;
	}
	return 6;
}

static void tex(struct px_module *m, const struct px_inst *in)
{
	struct px_texture_opns *t = in->texture;
	const struct px_opn *d = &t->data;
	struct px_inst plain = *in;	/* without the guard */
	struct px_opn args[12];
	struct px_block *after;
	unsigned ct = in->types[1], k;
	const char *function;
	px_val words[4];
	int64_t last;

	if (in->num_types != 2 || (ct != PT_F32 && ct != PT_S32) || px_type_bits(in->types[0]) != 32 ||
	    !px_has(in, PM_v4) || d->kind != OP_VEC || d->nvec != 4) {
		px_error(m->px, in->loc, "'tex' has the form tex.2d.v4.TYPE.COORDINATES, with types of 32 bits and four results");
		return;
	}
	function = fetch_function(in, &last);
	if ((in->texture->cube || in->op == PX_OP_tld4 || px_has(in, PM_grad)) && ct != PT_F32) {
		px_error(m->px, in->loc, "the coordinates of this fetch have type .f32");
		return;
	}
	if (in->op == PX_OP_tld4 && last == 4) {
		px_error(m->px, in->loc, "'tld4' needs .r, .g, .b or .a");
		return;
	}
	after = px_begin_guard(m, &plain);
	if (!load_handle(m, &t->handle) || !coordinates(m, in, t, ct, args))
		return;
	args[0] = t->handle;
	args[5] = number(in, last);
	px_call_library(m, &plain, function, args, 6 + of_level(in, args + 6), words, 4);
	for (k = 0; k < 4; k++) {
		px_val to = px_dst_opn(m, &d->vec[k], in->types[0]);
		struct px_insn *i;

		if (!to)
			continue;
		i = px_temp(m, PPU_OP_MOV, PPU_T_U32);
		i->s[1] = px_reg(words[k]);
		i->d = to;
	}
	px_end_guard(m, after);
}

static void surface(struct px_module *m, const struct px_inst *in)
{
	bool load = in->op == PX_OP_suld;
	struct px_texture_opns *t = in->texture;
	struct px_inst mem = *in;	/* the access, without the guard */
	struct px_block *after;
	struct px_opn args[6];
	unsigned mode = px_has(in, PM_zero) ? PPU_SURFACE_ZERO : px_has(in, PM_clamp) ? PPU_SURFACE_CLAMP :
			PPU_SURFACE_TRAP, n = px_has(in, PM_v4) ? 4 : px_has(in, PM_v2) ? 2 : 1;
	px_val address;

	if (!px_has(in, PM_b) || in->num_types != 1) {
		px_error(m->px, in->loc, "'%s' has the form %s.b with one type; formatted access is not supported",
			 in->name->s, in->name->s);
		return;
	}
	if (px_has(in, PM_zero)) {
		px_error(m->px, in->loc, "'%s' with .zero is not supported; use .trap or .clamp", in->name->s);
		return;
	}
	after = px_begin_guard(m, &mem);
	if (!load_handle(m, &t->handle) || !coordinates(m, in, t, PT_S32, args))
		return;
	args[0] = t->handle;
	if (t->layered)		/* layers lie where the planes of a 3-D surface do */
		args[3] = args[4];
	args[4] = number(in, n * px_type_bits(in->types[0]) / 8);
	args[5] = number(in, mode);
	px_call_library(m, &mem, "__ppu_surface", args, 6, &address, 0);
	memset(mem.mods, 0, sizeof(mem.mods));
	mem.mods[PM_global / 64] |= 1ull << (PM_global % 64);
	if (n > 1)
		mem.mods[(n == 4 ? PM_v4 : PM_v2) / 64] |= 1ull << ((n == 4 ? PM_v4 : PM_v2) % 64);
	mem.o[load ? 0 : 1] = t->data;
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
}

static void query(struct px_module *m, const struct px_inst *in)
{
	static const struct { uint16_t mod; uint8_t offset; } fields[] = {
		{ PM_width, offsetof(struct ppu_texture, width) }, { PM_height, offsetof(struct ppu_texture, height) },
		{ PM_depth, offsetof(struct ppu_texture, depth) },
		{ PM_array_size, offsetof(struct ppu_texture, depth) },
		{ PM_normalized_coords, offsetof(struct ppu_texture, normalized) },
		{ PM_num_mipmap_levels, offsetof(struct ppu_texture, num_levels) },
	};
	struct px_texture_opns *t = in->texture;
	struct px_insn *i;
	unsigned k;
	px_val d;

	for (k = 0; k < PX_ARRAY_SIZE(fields) && !px_has(in, fields[k].mod); k++)
		;
	if (k == PX_ARRAY_SIZE(fields)) {
		px_error(m->px, in->loc, "'%s' can ask for width, height, depth, array_size, normalized_coords and num_mipmap_levels",
			 in->name->s);
		return;
	}
	if (!load_handle(m, &t->handle))
		return;
	i = px_emit(m, in, PPU_OP_LD, PPU_T_U32);
	i->m = PPU_SPACE_GLOBAL;
	i->s[0] = px_reg(t->handle.v);
	i->off = fields[k].offset;
	d = px_dst_opn(m, &t->data, PT_B32);
	px_ld_into(m, i, d ? d : px_tmp(m, 1));
}

void px_low_texture(struct px_module *m, const struct px_inst *in)
{
	if (in->op == PX_OP_tex || in->op == PX_OP_tld4)
		tex(m, in);
	else if (in->op == PX_OP_suld || in->op == PX_OP_sust)
		surface(m, in);
	else
		query(m, in);
}
