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

/* What a channel of 8 bits is by the curve of sRGB: v / 12.92 up to 0.04045, above it ((v + 0.055) / 1.055) ^ 2.4. */
static __device__ const float srgb_curve[256] = {
	0.0f, 0.000303526991f, 0.000607053982f, 0.000910580973f, 0.00121410796f, 0.00151763496f, 0.00182116195f, 0.00212468882f,
	0.00242821593f, 0.0027317428f, 0.00303526991f, 0.00334653584f, 0.00367650739f, 0.00402471703f, 0.00439144205f, 0.00477695325f,
	0.00518151652f, 0.00560539169f, 0.00604883302f, 0.00651209056f, 0.00699541019f, 0.00749903219f, 0.00802319311f, 0.00856812578f,
	0.00913405884f, 0.00972121768f, 0.010329823f, 0.0109600937f, 0.0116122449f, 0.012286488f, 0.0129830325f, 0.0137020834f,
	0.0144438436f, 0.0152085144f, 0.0159962941f, 0.0168073755f, 0.0176419541f, 0.01850022f, 0.0193823613f, 0.0202885624f,
	0.0212190095f, 0.0221738853f, 0.0231533665f, 0.0241576321f, 0.0251868591f, 0.0262412224f, 0.0273208916f, 0.02842604f,
	0.0295568351f, 0.0307134446f, 0.0318960324f, 0.0331047662f, 0.0343398079f, 0.0356013142f, 0.0368894488f, 0.0382043719f,
	0.0395462364f, 0.0409151986f, 0.0423114114f, 0.043735031f, 0.045186203f, 0.0466650873f, 0.0481718257f, 0.0497065671f,
	0.0512694567f, 0.0528606474f, 0.054480277f, 0.0561284907f, 0.0578054301f, 0.0595112368f, 0.0612460524f, 0.0630100146f,
	0.064803265f, 0.0666259378f, 0.0684781671f, 0.0703600943f, 0.0722718537f, 0.0742135718f, 0.0761853829f, 0.078187421f,
	0.0802198201f, 0.0822827071f, 0.0843762085f, 0.0865004584f, 0.0886555836f, 0.0908417106f, 0.0930589661f, 0.0953074694f,
	0.097587347f, 0.0998987257f, 0.102241732f, 0.104616486f, 0.107023105f, 0.10946171f, 0.111932427f, 0.114435375f,
	0.116970666f, 0.119538426f, 0.122138776f, 0.124771819f, 0.127437681f, 0.130136475f, 0.13286832f, 0.135633335f,
	0.138431609f, 0.141263291f, 0.144128472f, 0.147027269f, 0.149959788f, 0.152926147f, 0.155926466f, 0.158960834f,
	0.162029371f, 0.165132195f, 0.168269396f, 0.171441108f, 0.174647406f, 0.177888423f, 0.18116425f, 0.18447499f,
	0.187820777f, 0.191201687f, 0.194617838f, 0.198069319f, 0.20155625f, 0.205078736f, 0.208636865f, 0.212230757f,
	0.215860501f, 0.219526201f, 0.223227963f, 0.226965874f, 0.230740055f, 0.23455058f, 0.238397568f, 0.242281124f,
	0.246201321f, 0.25015828f, 0.254152089f, 0.258182853f, 0.262250662f, 0.266355604f, 0.270497799f, 0.274677306f,
	0.278894275f, 0.283148736f, 0.287440836f, 0.291770637f, 0.296138257f, 0.300543785f, 0.304987311f, 0.309468925f,
	0.313988715f, 0.318546772f, 0.323143214f, 0.327778101f, 0.332451522f, 0.337163627f, 0.341914415f, 0.346704066f,
	0.351532608f, 0.356400132f, 0.361306787f, 0.366252601f, 0.371237695f, 0.376262128f, 0.38132602f, 0.386429429f,
	0.391572475f, 0.396755219f, 0.401977777f, 0.407240212f, 0.412542611f, 0.417885065f, 0.423267663f, 0.428690493f,
	0.434153646f, 0.439657182f, 0.445201188f, 0.450785786f, 0.456411034f, 0.462076992f, 0.467783809f, 0.473531485f,
	0.479320168f, 0.48514995f, 0.491020858f, 0.496932983f, 0.502886474f, 0.50888133f, 0.514917672f, 0.520995557f,
	0.527115107f, 0.533276379f, 0.539479494f, 0.545724452f, 0.55201143f, 0.558340371f, 0.564711511f, 0.571124852f,
	0.577580452f, 0.584078431f, 0.590618849f, 0.597201765f, 0.603827357f, 0.610495567f, 0.617206573f, 0.623960376f,
	0.630757153f, 0.637596846f, 0.644479692f, 0.651405632f, 0.658374846f, 0.665387273f, 0.672443151f, 0.679542482f,
	0.686685324f, 0.693871737f, 0.701101899f, 0.708375752f, 0.715693474f, 0.723055124f, 0.730460763f, 0.73791039f,
	0.745404184f, 0.752942204f, 0.760524511f, 0.768151164f, 0.775822222f, 0.783537805f, 0.791297913f, 0.799102724f,
	0.806952238f, 0.814846575f, 0.822785735f, 0.830769897f, 0.838799f, 0.846873224f, 0.854992628f, 0.863157213f,
	0.871367097f, 0.8796224f, 0.887923121f, 0.896269381f, 0.904661179f, 0.913098633f, 0.921581864f, 0.930110872f,
	0.938685715f, 0.947306514f, 0.955973327f, 0.964686275f, 0.973445296f, 0.982250571f, 0.991102099f, 1.0f,
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
		r.v[c] = t->srgb && c < 3 ? as_bits(srgb_curve[p[c]]) : channel(t, p + c * bytes);
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

/* Face 0 to 5 of a cube is that of +x, -x, +y, -y, +z, -z. Which one a direction meets, and where, from 0 to 1. */
struct place {
	float s, t;
	int face;
};

DEV float size_of(float f)
{
	return f < 0 ? -f : f;
}

DEV struct place on_cube(float x, float y, float z)
{
	float ax = size_of(x), ay = size_of(y), az = size_of(z), m;
	struct place p;

	if (ax >= ay && ax >= az) {
		m = ax;
		p = (struct place){ x < 0 ? z : -z, -y, x < 0 };
	} else if (ay >= az) {
		m = ay;
		p = (struct place){ x, y < 0 ? -z : z, 2 + (y < 0) };
	} else {
		m = az;
		p = (struct place){ z < 0 ? -x : x, -y, 4 + (z < 0) };
	}
	p.s = (p.s / m + 1.0f) * 0.5f;
	p.t = (p.t / m + 1.0f) * 0.5f;
	return p;
}

/* A cube is six layers, whose coordinates are always normalized and end at the face. */
DEV struct ppu_texture face_of(const struct ppu_texture *t)
{
	struct ppu_texture f = *t;

	f.normalized = 1;
	f.address[0] = f.address[1] = PPU_ADDRESS_CLAMP;
	return f;
}

DEV int cube_layer(const struct ppu_texture *t, int layer, int face)
{
	int cubes = (int)(t->depth / 6);

	layer = layer < 0 ? 0 : layer >= cubes ? cubes - 1 : layer;
	return cubes ? layer * 6 + face : layer_of(t, face);
}

LIBRARY struct texel __ppu_tex_cube(const struct ppu_texture *t, float x, float y, float z, int layer, u32 unused)
{
	struct place p = on_cube(x, y, z);
	struct ppu_texture f = face_of(t);

	(void)unused;
	return sample(&f, p.s, p.t, 0.0f, cube_layer(t, layer, p.face), 2);
}

/* One channel of the four texels between which a linear filter would mix: left below, right below, right above, left
 * above, where below has the greater y. */
DEV struct texel gather(const struct ppu_texture *t, float x, float y, int layer, u32 channel)
{
	struct ppu_texture l = *t;
	struct axis ax, ay;
	struct texel r;

	l.linear = 1;
	ax = make_axis(&l, 0, t->width, x);
	ay = make_axis(&l, 1, t->height, y);
	r.v[0] = fetch(t, ax.i[0], ay.i[1], layer).v[channel & 3];
	r.v[1] = fetch(t, ax.i[1], ay.i[1], layer).v[channel & 3];
	r.v[2] = fetch(t, ax.i[1], ay.i[0], layer).v[channel & 3];
	r.v[3] = fetch(t, ax.i[0], ay.i[0], layer).v[channel & 3];
	return r;
}

LIBRARY struct texel __ppu_tex_gather(const struct ppu_texture *t, float x, float y, float z, int layer, u32 channel)
{
	(void)z;
	return gather(t, x, y, layer_of(t, layer), channel);
}

LIBRARY struct texel __ppu_tex_gather_cube(const struct ppu_texture *t, float x, float y, float z, int layer,
					   u32 channel)
{
	struct place p = on_cube(x, y, z);
	struct ppu_texture f = face_of(t);

	return gather(&f, p.s, p.t, cube_layer(t, layer, p.face), channel);
}

/* ---- levels ---- */

/* The texture that a level is. */
DEV struct ppu_texture at_level(const struct ppu_texture *t, u32 level)
{
	const struct ppu_texture_level *l = (const struct ppu_texture_level *)(t + 1) + level - 1;
	struct ppu_texture r = *t;

	if (!level)
		return r;
	r.data = l->data;
	r.slice_pitch = l->slice_pitch;
	r.width = l->width;
	r.height = l->height;
	r.depth = l->depth;
	r.pitch = l->pitch;
	return r;
}

/* The level that a fetch asks for, made one that there is. */
DEV float clamped_level(const struct ppu_texture *t, float lod)
{
	float last = (float)(t->num_levels - 1);

	lod += t->bias;
	lod = lod < t->max_level ? lod : t->max_level;
	lod = lod > t->min_level ? lod : t->min_level;
	lod = lod < last ? lod : last;
	return lod > 0.0f ? lod : 0.0f;
}

DEV struct texel sample_shape(const struct ppu_texture *t, float x, float y, float z, int layer, u32 shape)
{
	if (shape == PPU_TEXTURE_CUBE)
		return __ppu_tex_cube(t, x, y, z, layer, 0);
	return sample(t, x, y, z, layer_of(t, layer), shape);
}

LIBRARY struct texel __ppu_tex_level(const struct ppu_texture *t, float x, float y, float z, int layer, u32 shape,
				     float lod)
{
	float alpha;
	struct ppu_texture at;
	struct texel a, b;
	u32 level, c;

	lod = clamped_level(t, lod);
	level = (u32)to_int(t->mip_linear ? lod : lod + 0.5f);
	at = at_level(t, level);
	a = sample_shape(&at, x, y, z, layer, shape);
	alpha = floor_of((lod - (float)level) * 256.0f + 0.5f) * (1.0f / 256.0f);
	if (!t->mip_linear || alpha == 0.0f)
		return a;
	at = at_level(t, level + 1);
	b = sample_shape(&at, x, y, z, layer, shape);
	for (c = 0; c < 4; c++)
		a.v[c] = as_bits(lerp(as_float(a.v[c]), as_float(b.v[c]), alpha));
	return a;
}

/* Texels of a level: no filter, and none between levels. */
LIBRARY struct texel __ppu_tex_level_int(const struct ppu_texture *t, int x, int y, int z, int layer, u32 dims, int lod)
{
	struct ppu_texture at = at_level(t, (u32)to_int(clamped_level(t, (float)lod) + 0.5f));

	return __ppu_tex_int(&at, x, y, z, layer, dims);
}

DEV float log2_of(float f)
{
	float r;

	asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(f));
	return r;
}

struct gradient {
	float x, y, z;
};

/* What a direction's place on its face changes by, in faces, when the direction changes by d. */
DEV struct gradient on_face(float x, float y, float z, struct gradient d)
{
	float ax = size_of(x), ay = size_of(y), az = size_of(z), m, dm, s, t, ds, dt;

	if (ax >= ay && ax >= az) {
		m = ax, dm = x < 0 ? -d.x : d.x;
		s = x < 0 ? z : -z, ds = x < 0 ? d.z : -d.z;
		t = -y, dt = -d.y;
	} else if (ay >= az) {
		m = ay, dm = y < 0 ? -d.y : d.y;
		s = x, ds = d.x;
		t = y < 0 ? -z : z, dt = y < 0 ? -d.z : d.z;
	} else {
		m = az, dm = z < 0 ? -d.z : d.z;
		s = z < 0 ? -x : x, ds = z < 0 ? -d.x : d.x;
		t = -y, dt = -d.y;
	}
	m = 1.0f / m;
	s = s * m;
	t = t * m;
	return (struct gradient){ (ds - s * dm) * m * 0.5f, (dt - t * dm) * m * 0.5f, 0.0f };
}

/* The square of a gradient's length, in texels of the first level. */
DEV float length2(const struct ppu_texture *t, struct gradient d, u32 shape)
{
	bool scale = t->normalized || shape == PPU_TEXTURE_CUBE;
	float x = d.x * (scale ? (float)t->width : 1.0f), y = d.y * (scale ? (float)t->height : 1.0f);
	float z = d.z * (scale ? (float)t->depth : 1.0f);

	return x * x + (shape > 1 ? y * y : 0.0f) + (shape == 3 ? z * z : 0.0f);
}

LIBRARY struct texel __ppu_tex_grad(const struct ppu_texture *t, float x, float y, float z, int layer, u32 shape,
				    float rx, float ry, float rz, float dx, float dy, float dz)
{
	struct gradient right = { rx, ry, rz }, down = { dx, dy, dz };
	float a, b;

	if (shape == PPU_TEXTURE_CUBE) {
		right = on_face(x, y, z, right);
		down = on_face(x, y, z, down);
	}
	a = length2(t, right, shape);
	b = length2(t, down, shape);
	return __ppu_tex_level(t, x, y, z, layer, shape, 0.5f * log2_of(a > b ? a : b));
}

/* ---- surfaces ---- */

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
