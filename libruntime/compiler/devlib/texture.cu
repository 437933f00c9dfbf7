/* SPDX-License-Identifier: MIT */
/*
 * Texture fetches and surface addresses.  The compiler calls these for tex, suld and sust
 * (compiler/ptx/lower/px_low_tex.c); struct ppu_texture (devabi/devlib.h) says what a texture is.
 * Documentation/runtime/textures.md says what comes out, to the bit.
 */
#include "compiler/devabi/dev.h"

struct texel {
	u32 v[4];
};

DEV float as_float(u32 v)
{
	return __builtin_bit_cast(float, v);
}

DEV u32 as_bits(float f)
{
	return __builtin_bit_cast(u32, f);
}

DEV float floor_of(float f)
{
	float r;

	asm("cvt.rmi.f32.f32 %0, %1;" : "=f"(r) : "f"(f));
	return r;
}

DEV int to_int(float f)
{
	int r;

	asm("cvt.rmi.s32.f32 %0, %1;" : "=r"(r) : "f"(f));
	return r;
}

DEV float half_of(u32 h)
{
	float r;

	asm("{ .reg .b16 t; cvt.u16.u32 t, %1; cvt.f32.f16 %0, t; }" : "=f"(r) : "r"(h));
	return r;
}

/* Brings an index into range as the address mode says; -1: the border. */
DEV int address(int i, u32 n, u32 mode)
{
	int size = (int)n, m;

	if (i >= 0 && i < size)
		return i;
	switch (mode) {
	case PPU_ADDRESS_BORDER:
		return -1;
	case PPU_ADDRESS_WRAP:
		m = i % size;
		return m < 0 ? m + size : m;
	case PPU_ADDRESS_MIRROR:
		m = i % (2 * size);
		m = m < 0 ? m + 2 * size : m;
		return m < size ? m : 2 * size - 1 - m;
	default:
		return i < 0 ? 0 : size - 1;
	}
}

/* One channel of a texel, converted as the texture says. */
DEV u32 channel(const struct ppu_texture *t, const u8 *p)
{
	float scale = t->normalized_read ? 1.0f : 0.0f;
	u32 u;
	int s;

	switch (t->format) {
	case PPU_TEXEL_U8:
		u = *p;
		return scale != 0 ? as_bits((float)u / 255.0f) : u;
	case PPU_TEXEL_U16:
		u = *(const u16 *)p;
		return scale != 0 ? as_bits((float)u / 65535.0f) : u;
	case PPU_TEXEL_S8:
		s = *(const signed char *)p;
		return scale != 0 ? as_bits(s < -127 ? -1.0f : (float)s / 127.0f) : (u32)s;
	case PPU_TEXEL_S16:
		s = *(const short *)p;
		return scale != 0 ? as_bits(s < -32767 ? -1.0f : (float)s / 32767.0f) : (u32)s;
	case PPU_TEXEL_F16:
		return as_bits(half_of(*(const u16 *)p));
	default:
		return *(const u32 *)p;
	}
}

DEV u32 channel_bytes(u32 format)
{
	return format <= PPU_TEXEL_S8 ? 1 : format <= PPU_TEXEL_S16 || format == PPU_TEXEL_F16 ? 2 : 4;
}

DEV bool gives_float(const struct ppu_texture *t)
{
	return t->normalized_read || t->format >= PPU_TEXEL_F16;
}

/* The texel at indices that are in range, or the border's colour. */
DEV struct texel fetch(const struct ppu_texture *t, int x, int y, int z)
{
	u32 bytes = channel_bytes(t->format), c;
	struct texel r;
	const u8 *p;

	for (c = 0; c < 4; c++)
		r.v[c] = 0;
	if (gives_float(t))
		r.v[3] = as_bits(1.0f);
	else
		r.v[3] = 1;
	if (x < 0 || y < 0 || z < 0) {
		for (c = 0; c < 4; c++)
			r.v[c] = gives_float(t) ? as_bits(t->border[c]) : (u32)(int)t->border[c];
		return r;
	}
	p = (const u8 *)t->data + (u64)z * t->slice_pitch + (u64)y * t->pitch + (u64)x * t->channels * bytes;
	for (c = 0; c < t->channels; c++)
		r.v[c] = channel(t, p + c * bytes);
	return r;
}

/* A coordinate in texels: normalised ones are brought to one period first. */
DEV float scaled(float x, u32 n, u32 mode, u32 normalized)
{
	float f;

	if (!normalized)
		return x;
	f = floor_of(x);
	if (mode == PPU_ADDRESS_WRAP)
		x = x - f;
	else if (mode == PPU_ADDRESS_MIRROR)
		x = to_int(f) & 1 ? 1.0f - (x - f) : x - f;
	return x * (float)n;
}

DEV u32 mode_of(const struct ppu_texture *t, u32 axis)
{
	u32 mode = t->address[axis];

	/* wrap and mirror need normalised coordinates */
	return t->normalized || mode == PPU_ADDRESS_BORDER ? mode : PPU_ADDRESS_CLAMP;
}

struct axis {
	int i[2];	/* indices of the two neighbours, -1: border */
	float alpha;	/* weight of the second, a multiple of 1/256 */
};

DEV struct axis make_axis(const struct ppu_texture *t, u32 which, u32 n, float x)
{
	u32 mode = mode_of(t, which);
	struct axis a;
	float f;
	int i;

	x = scaled(x, n, mode, t->normalized);
	if (t->linear)
		x -= 0.5f;
	f = floor_of(x);
	i = to_int(x);
	a.alpha = t->linear ? floor_of((x - f) * 256.0f + 0.5f) * (1.0f / 256.0f) : 0.0f;
	a.i[0] = address(i, n, mode);
	a.i[1] = t->linear ? address(i + 1, n, mode) : a.i[0];
	return a;
}

DEV float lerp(float a, float b, float alpha)
{
	return (1.0f - alpha) * a + alpha * b;
}

DEV struct texel sample(const struct ppu_texture *t, float x, float y, float z, int layer, u32 dims)
{
	struct axis ax = make_axis(t, 0, t->width, x), ay = { { 0, 0 }, 0.0f }, az = { { 0, 0 }, 0.0f };
	struct texel r;
	u32 j, k, c;

	if (dims > 1)
		ay = make_axis(t, 1, t->height, y);
	if (dims > 2)
		az = make_axis(t, 2, t->depth, z);
	else
		az.i[0] = az.i[1] = layer;
	if (!t->linear)
		return fetch(t, ax.i[0], ay.i[0], az.i[0]);
	for (c = 0; c < 4; c++)
		r.v[c] = 0;
	for (k = 0; k < (dims > 2 ? 2u : 1u); k++) {
		struct texel plane;

		for (c = 0; c < 4; c++)
			plane.v[c] = 0;
		for (j = 0; j < (dims > 1 ? 2u : 1u); j++) {
			struct texel a = fetch(t, ax.i[0], ay.i[j], az.i[k]), b = fetch(t, ax.i[1], ay.i[j], az.i[k]);

			for (c = 0; c < 4; c++) {
				float v = lerp(as_float(a.v[c]), as_float(b.v[c]), ax.alpha);

				plane.v[c] = j ? as_bits(lerp(as_float(plane.v[c]), v, ay.alpha)) : as_bits(v);
			}
		}
		for (c = 0; c < 4; c++)
			r.v[c] = k ? as_bits(lerp(as_float(r.v[c]), as_float(plane.v[c]), az.alpha)) : plane.v[c];
	}
	return r;
}

DEV int layer_of(const struct ppu_texture *t, int layer)
{
	return layer < 0 ? 0 : layer >= (int)t->depth ? (int)t->depth - 1 : layer;
}

LIBRARY struct texel __ppu_tex_float(const struct ppu_texture *t, float x, float y, float z, int layer, u32 dims)
{
	return sample(t, x, y, z, layer_of(t, layer), dims);
}

/* Integer coordinates: texels, no filter. */
LIBRARY struct texel __ppu_tex_int(const struct ppu_texture *t, int x, int y, int z, int layer, u32 dims)
{
	u32 mode = mode_of(t, 0);

	x = address(x, t->width, mode);
	y = dims > 1 ? address(y, t->height, mode_of(t, 1)) : 0;
	z = dims > 2 ? address(z, t->depth, mode_of(t, 2)) : layer_of(t, layer);
	return fetch(t, x, y, z);
}

/*
 * Address of an element of a surface, x in bytes.  Outside of the surface, PPU_SURFACE_ZERO gives 0 (no access),
 * PPU_SURFACE_TRAP faults, and PPU_SURFACE_CLAMP takes the nearest element of that size.
 */
LIBRARY u64 __ppu_surface(const struct ppu_texture *t, int x, int y, int z, u32 bytes, u32 mode)
{
	int w = (int)(t->width * t->channels * channel_bytes(t->format)) - (int)bytes;
	int h = (int)t->height - 1, d = (int)t->depth - 1;

	if (x < 0 || x > w || y < 0 || y > h || z < 0 || z > d) {
		if (mode == PPU_SURFACE_TRAP)
			__builtin_trap();
		if (mode == PPU_SURFACE_ZERO)
			return 0;
		x = x < 0 ? 0 : x > w ? w : x;
		y = y < 0 ? 0 : y > h ? h : y;
		z = z < 0 ? 0 : z > d ? d : z;
	}
	return t->data + (u64)z * t->slice_pitch + (u64)y * t->pitch + (u64)x;
}
