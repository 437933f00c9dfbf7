/* SPDX-License-Identifier: MIT */
/*
 * Textures and surfaces: tex in all shapes, formats, filters and address modes against a reference
 * written from Documentation/runtime/textures.md; suld, sust, txq; the calls of the runtime.
 */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "run_suite.h"
#include "rt_ok.h"

typedef uint32_t u32;
typedef uint64_t u64;

#define W	13u
#define H	9u
#define D	5u
#define THREADS	96

static ppuCtx ctx;
static ppuModule mod;
static uint8_t image[W * H * D * 16 + 64];
static void *dimage;

/* Kernel t_SHAPE_f32 with tex, or gSHAPE_r, _g, _b, _a with tld4. */
static void cube_kernel(FILE *f, const char *shape, const char *coords, unsigned k)
{
	if (k)
		fprintf(f, ".visible .entry g_%s_%c", shape, "?rgba"[k]);
	else
		fprintf(f, ".visible .entry t_%s_f32", shape);
	fputs("(.param .u64 t, .param .u64 in, .param .u64 out)\n{\n.reg .b64 %l<6>;\n.reg .b32 %r<12>;\n.reg .f32 %c<4>;\n"
	      "ld.param.u64 %l1, [t];\nld.param.u64 %l2, [in];\nld.param.u64 %l3, [out];\nmov.u32 %r0, %tid.x;\n"
	      "mul.wide.u32 %l4, %r0, 16;\nadd.u64 %l2, %l2, %l4;\nadd.u64 %l3, %l3, %l4;\n"
	      "ld.global.v4.b32 {%c1, %c2, %c3, %r1}, [%l2];\n", f);
	if (k)
		fprintf(f, "tld4.%c.%s.v4.u32.f32 {%%r4, %%r5, %%r6, %%r7}, [%%l1, %s];\n", "?rgba"[k], shape, coords);
	else
		fprintf(f, "tex.%s.v4.f32.f32 {%%r4, %%r5, %%r6, %%r7}, [%%l1, %s];\n", shape, coords);
	fputs("st.global.v4.b32 [%l3], {%r4, %r5, %r6, %r7};\nret;\n}\n", f);
}

/* One kernel per shape and kind of coordinate: out[tid] = tex(handle, coordinates[tid]). */
static char *kernels(void)
{
	static const struct { const char *name, *coords; } shape[] = {
		{ "1d", "{%c1}" }, { "2d", "{%c1, %c2}" }, { "3d", "{%c1, %c2, %c3, %c3}" },
		{ "a1d", "{%r1, %c1}" }, { "a2d", "{%r1, %c1, %c2, %c2}" },
	};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	unsigned s, k;

	fputs(".version 7.0\n.target sm_60\n.address_size 64\n.visible .global .texref ref;\n", f);
	for (s = 0; s < 5; s++)
		for (k = 0; k < 2; k++) {
			char buf[400];

			snprintf(buf, sizeof(buf), ".visible .entry t_%s_%s(.param .u64 t, .param .u64 in, .param .u64 out)\n{\n",
				 shape[s].name, k ? "s32" : "f32");
			fputs(buf, f);
			fprintf(f, ".reg .b64 %%l<6>;\n.reg .b32 %%r<12>;\n.reg .%s %%c<4>;\nld.param.u64 %%l1, [t];\n"
				"ld.param.u64 %%l2, [in];\nld.param.u64 %%l3, [out];\nmov.u32 %%r0, %%tid.x;\n"
				"mul.wide.u32 %%l4, %%r0, 16;\nadd.u64 %%l2, %%l2, %%l4;\nadd.u64 %%l3, %%l3, %%l4;\n"
				"ld.global.v4.b32 {%%c1, %%c2, %%c3, %%r1}, [%%l2];\n", k ? "s32" : "f32");
			fprintf(f, "tex.%s.v4.%s.%s {%%r4, %%r5, %%r6, %%r7}, [%%l1, %s];\n"
				"st.global.v4.b32 [%%l3], {%%r4, %%r5, %%r6, %%r7};\nret;\n}\n", shape[s].name,
				s & 1 ? "u32" : "f32", k ? "s32" : "f32", shape[s].coords);
		}
	/* cubes, and gathers of each channel: a name of its own, because the instruction has other words */
	for (s = 0; s < 2; s++)
		for (k = 0; k < 5; k++)
			cube_kernel(f, s ? "acube" : "cube", s ? "{%r1, %c1, %c2, %c3}" : "{%c1, %c2, %c3, %c3}", k);
	for (s = 0; s < 2; s++)
		for (k = 1; k < 5; k++)
			cube_kernel(f, s ? "a2d" : "2d", s ? "{%r1, %c1, %c2, %c2}" : "{%c1, %c2}", k);
	/* through a variable, guarded, the second result only; level is taken */
	fputs(".visible .entry t_ref(.param .u64 out)\n{\n.reg .b64 %l<4>;\n.reg .b32 %r<8>;\n.reg .f32 %f<8>;\n.reg .pred %p;\n"
	      "ld.param.u64 %l1, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %l2, %r0, 4;\nadd.u64 %l1, %l1, %l2;\n"
	      "setp.lt.u32 %p, %r0, 5;\nmov.u32 %r1, 77;\nmov.u32 %r2, 0;\ncvt.rn.f32.u32 %f1, %r0;\n"
	      "@%p tex.2d.v4.s32.s32 {_, %r1, _, _}, [ref, {%r0, %r2}];\n"
	      "@!%p tex.level.2d.v4.u32.f32 {%r1, _, _, _}, [ref, {%f1, 0f40000000}], 0f00000000;\n"
	      "st.global.u32 [%l1], %r1;\nret;\n}\n", f);
	fputs(".visible .entry t_query(.param .u64 t, .param .u64 out)\n{\n.reg .b64 %l<4>;\n.reg .b32 %r<8>;\n"
	      "ld.param.u64 %l1, [t];\nld.param.u64 %l2, [out];\ntxq.width.b32 %r1, [%l1];\ntxq.height.b32 %r2, [%l1];\n"
	      "suq.depth.b32 %r3, [%l1];\nst.global.v4.u32 [%l2], {%r1, %r2, %r3, %r3};\nret;\n}\n", f);
	fclose(f);
	return text;
}

static void start(void)
{
	ppuInitOptions o = { .backend = "core" };
	char *text = kernels();
	u32 s = 12345, i;

	OK(ppuInit(&o));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuModuleLoadData(&mod, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	free(text);
	for (i = 0; i < sizeof(image); i++) {
		s = s * 1664525u + 1013904223u;
		image[i] = (uint8_t)(s >> 24);
	}
	OK(ppuMalloc(&dimage, sizeof(image)));
}

/* ---- the reference ---- */

struct ref {
	const ppuTextureDesc *d;
	unsigned dims;
	u32 layer;
};

static float half(uint16_t h)
{
	int e = h >> 10 & 31;
	float m = (float)(h & 1023);
	float v = e == 31 ? m ? NAN : INFINITY : e ? ldexpf(m + 1024, e - 25) : ldexpf(m, -24);

	return h & 0x8000 ? -v : v;
}

static unsigned bytes_of(ppuTextureFormat f)
{
	static const unsigned b[] = { 1, 1, 2, 2, 4, 4, 2, 4 };

	return b[f];
}

static u32 bits(float f)
{
	u32 u;

	memcpy(&u, &f, 4);
	return u;
}

static float number(u32 u)
{
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static int index_of(int i, int n, ppuTextureAddress mode)
{
	if (i >= 0 && i < n)
		return i;
	if (mode == PPU_TEXTURE_BORDER)
		return -1;
	if (mode == PPU_TEXTURE_WRAP)
		return ((i % n) + n) % n;
	if (mode == PPU_TEXTURE_MIRROR) {
		i = ((i % (2 * n)) + 2 * n) % (2 * n);
		return i < n ? i : 2 * n - 1 - i;
	}
	return i < 0 ? 0 : n - 1;
}

/* The curve of sRGB. */
static float curve(uint8_t v)
{
	double c = v / 255.0;

	return (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
}

static void texel(const struct ref *r, int x, int y, int z, u32 v[4])
{
	const ppuTextureDesc *d = r->d;
	int flt = d->normalized_read || d->format >= PPU_TEXTURE_F16;
	unsigned c, b = bytes_of(d->format);
	const uint8_t *p;

	v[0] = v[1] = v[2] = 0;
	v[3] = flt ? bits(1.0f) : 1;
	if (x < 0 || y < 0 || z < 0) {
		for (c = 0; c < 4; c++)
			v[c] = flt ? bits(d->border[c]) : (u32)(int)d->border[c];
		return;
	}
	p = image + (size_t)z * d->slice_pitch + (size_t)y * d->pitch + (size_t)x * d->channels * b;
	for (c = 0; c < d->channels; c++, p += b) {
		int8_t s8;
		int16_t s16;
		uint16_t u16;
		u32 u;

		memcpy(&s8, p, 1);
		memcpy(&s16, p, b > 1 ? 2 : 1);
		memcpy(&u16, &s16, 2);
		memcpy(&u, p, b);
		switch (d->format) {
		case PPU_TEXTURE_U8:
			v[c] = d->srgb && c < 3 ? bits(curve(*p)) : flt ? bits((float)*p / 255.0f) : *p;
			break;
		case PPU_TEXTURE_S8: v[c] = flt ? bits(fmaxf((float)s8 / 127.0f, -1.0f)) : (u32)s8; break;
		case PPU_TEXTURE_U16: v[c] = flt ? bits((float)u16 / 65535.0f) : u16; break;
		case PPU_TEXTURE_S16: v[c] = flt ? bits(fmaxf((float)s16 / 32767.0f, -1.0f)) : (u32)s16; break;
		case PPU_TEXTURE_F16: v[c] = bits(half(u16)); break;
		default: v[c] = u;
		}
	}
}

static ppuTextureAddress mode(const ppuTextureDesc *d, unsigned axis)
{
	return !d->normalized_coordinates && d->address[axis] != PPU_TEXTURE_BORDER ? PPU_TEXTURE_CLAMP : d->address[axis];
}

static void axis(const struct ref *r, unsigned k, u32 n, float x, int i[2], float *alpha)
{
	const ppuTextureDesc *d = r->d;
	ppuTextureAddress m = mode(d, k);
	volatile float t;

	if (d->normalized_coordinates) {
		if (m == PPU_TEXTURE_WRAP)
			x = x - floorf(x);
		else if (m == PPU_TEXTURE_MIRROR)
			x = fmodf(floorf(x), 2) != 0 ? 1.0f - (x - floorf(x)) : x - floorf(x);
		t = x * (float)n;
		x = t;
	}
	if (d->filter == PPU_TEXTURE_LINEAR)
		x -= 0.5f;
	t = (x - floorf(x)) * 256.0f;
	*alpha = d->filter == PPU_TEXTURE_LINEAR ? floorf(t + 0.5f) / 256.0f : 0;
	i[0] = index_of((int)floorf(x), (int)n, m);
	i[1] = index_of((int)floorf(x) + 1, (int)n, m);
}

static float mix(float a, float b, float alpha)
{
	volatile float p = (1.0f - alpha) * a, q = alpha * b;

	return p + q;
}

static void ref_float(const struct ref *r, const float *xyz, u32 v[4])
{
	int i[3][2] = { { 0, 0 }, { 0, 0 }, { (int)r->layer, (int)r->layer } };
	const ppuTextureDesc *d = r->d;
	float a[3] = { 0, 0, 0 };
	u32 e[8][4];
	unsigned k, c, n = 1u << r->dims;

	axis(r, 0, d->width, xyz[0], i[0], &a[0]);
	if (r->dims > 1)
		axis(r, 1, d->height, xyz[1], i[1], &a[1]);
	if (r->dims > 2)
		axis(r, 2, d->depth, xyz[2], i[2], &a[2]);
	if (d->filter == PPU_TEXTURE_POINT) {
		texel(r, i[0][0], i[1][0], i[2][0], v);
		return;
	}
	for (k = 0; k < n; k++)
		texel(r, i[0][k & 1], i[1][k >> 1 & 1], i[2][k >> 2 & 1], e[k]);
	for (c = 0; c < 4; c++) {
		float w[8];

		for (k = 0; k < n; k++)
			w[k] = number(e[k][c]);
		for (k = 0; k < n / 2; k++)
			w[k] = mix(w[2 * k], w[2 * k + 1], a[0]);
		for (k = 0; k < n / 4; k++)
			w[k] = mix(w[2 * k], w[2 * k + 1], a[1]);
		if (n == 8)
			w[0] = mix(w[0], w[1], a[2]);
		v[c] = bits(w[0]);
	}
}

static void ref_int(const struct ref *r, const int *xyz, u32 v[4])
{
	const ppuTextureDesc *d = r->d;

	texel(r, index_of(xyz[0], (int)d->width, mode(d, 0)),
	      r->dims > 1 ? index_of(xyz[1], (int)d->height, mode(d, 1)) : 0,
	      r->dims > 2 ? index_of(xyz[2], (int)d->depth, mode(d, 2)) : (int)r->layer, v);
}

/* ---- comparisons ---- */

static u32 seed = 1;
static u32 rnd(void)
{
	return seed = seed * 1664525u + 1013904223u, seed >> 8;
}

static void coordinates(const ppuTextureDesc *d, int integer, u32 (*in)[4])
{
	unsigned t, k;

	for (t = 0; t < THREADS; t++) {
		for (k = 0; k < 3; k++) {
			u32 n = k == 0 ? d->width : k == 1 ? d->height : d->depth;
			float x = ((float)(rnd() % 4096) / 4096.0f * 3.0f - 1.0f) * (float)n;

			if (t % 4 == 0)		/* on texels, edges and exact halves */
				x = (float)((int)(rnd() % (6 * n)) - (int)(2 * n)) * 0.5f;
			in[t][k] = integer ? (u32)(int)floorf(x) : bits(d->normalized_coordinates ? x / (float)n : x);
		}
		in[t][3] = rnd() % (D + 4) - 2;
	}
}

/* What a kernel makes of a texture and coordinates. */
static void fetch(const ppuTextureDesc *d, const char *name, u32 (*in)[4], u32 (*out)[4])
{
	const size_t bytes = THREADS * sizeof(*in);
	void *din, *dout;
	ppuFunction fn;
	ppuTexture h;
	void *args[] = { &h, &din, &dout };

	OK(ppuTextureCreate(&h, d));
	OK(ppuMalloc(&din, bytes));
	OK(ppuMalloc(&dout, bytes));
	OK(ppuMemcpy(din, in, bytes));
	OK(ppuModuleGetFunction(&fn, mod, name));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, args, NULL, 0));
	OK(ppuMemcpy(out, dout, bytes));
	OK(ppuTextureDestroy(h));
	OK(ppuFree(din));
	OK(ppuFree(dout));
}

static void compare(const ppuTextureDesc *d, const char *shape, unsigned dims, int layered, int integer)
{
	u32 in[THREADS][4], out[THREADS][4], t, k;
	struct ref r = { d, dims, 0 };
	char name[20];

	coordinates(d, integer, in);
	snprintf(name, sizeof(name), "t_%s_%s", shape, integer ? "s32" : "f32");
	fetch(d, name, in, out);
	for (t = 0; t < THREADS; t++) {
		int layer = (int)in[t][3];
		u32 want[4];

		r.layer = !layered || layer < 0 ? 0 : layer >= (int)d->depth ? d->depth - 1 : (u32)layer;
		if (integer)
			ref_int(&r, (int *)in[t], want);
		else
			ref_float(&r, (float *)in[t], want);
		for (k = 0; k < 4; k++)
			ck_assert_msg(out[t][k] == want[k] || (isnan(number(out[t][k])) && isnan(number(want[k]))),
				      "%s, format %u x %u, address %u, filter %u, normalized %d: (%g %g %g | %d %d %d, layer %d): channel %u: got %08x, expected %08x",
				      name, d->format, d->channels, d->address[0], d->filter, d->normalized_coordinates,
				      number(in[t][0]), number(in[t][1]), number(in[t][2]), (int)in[t][0], (int)in[t][1],
				      (int)in[t][2], layer, k, out[t][k], want[k]);
	}
}

/* ---- cubes and gathers ---- */

static void tame_floats(ppuTextureFormat f);

static int clamped(int i, int n)
{
	return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* The face of a direction, and the place on it, as table of axes: which axis is major, and the signs and axes of the two
 * coordinates on its face. */
static int face_of(const float *v, float *st)
{
	static const struct { int major, sign, s, s_sign, t, t_sign; } faces[6] = {
		{ 0, 1, 2, -1, 1, -1 }, { 0, -1, 2, 1, 1, -1 }, { 1, 1, 0, 1, 2, 1 },
		{ 1, -1, 0, 1, 2, -1 }, { 2, 1, 0, 1, 1, -1 }, { 2, -1, 0, -1, 1, -1 },
	};
	int axis = fabsf(v[1]) > fabsf(v[0]) ? 1 : 0, f;
	volatile float q;

	axis = fabsf(v[2]) > fabsf(v[axis]) ? 2 : axis;
	f = 2 * axis + (v[axis] < 0);
	q = (float)faces[f].s_sign * v[faces[f].s] / fabsf(v[axis]);
	st[0] = (q + 1) / 2;
	q = (float)faces[f].t_sign * v[faces[f].t] / fabsf(v[axis]);
	st[1] = (q + 1) / 2;
	return f;
}

static void ref_gather(const struct ref *r, const float *xy, unsigned channel, u32 v[4])
{
	static const int order[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
	ppuTextureDesc linear = *r->d;
	struct ref l = { &linear, 2, r->layer };
	int i[2][2];
	float a;

	linear.filter = PPU_TEXTURE_LINEAR;
	axis(&l, 0, linear.width, xy[0], i[0], &a);
	axis(&l, 1, linear.height, xy[1], i[1], &a);
	for (unsigned k = 0; k < 4; k++) {
		u32 t[4];

		texel(r, i[0][order[k][0]], i[1][order[k][1]], (int)r->layer, t);
		v[k] = t[channel];
	}
}

/* channel: -1 for tex, else of the gather. */
static void compare_face(const ppuTextureDesc *d, const char *shape, int channel)
{
	bool cube = strstr(shape, "cube"), layered = *shape == 'a';
	u32 in[THREADS][4], out[THREADS][4];
	ppuTextureDesc face = *d;
	char name[20];

	coordinates(d, 0, in);
	for (unsigned t = 0; t < THREADS && cube; t++)
		for (unsigned k = 0; k < 3; k++) {	/* directions, and those along axes, edges and corners */
			float x = (float)(int)(rnd() % 4001 - 2000) / 256.0f;

			in[t][k] = bits(t % 4 ? x : (float)((int)(rnd() % 3) - 1) * (t % 8 ? 1.0f : 0.5f));
			if (k == 2 && !(number(in[t][0]) || number(in[t][1]) || number(in[t][2])))
				in[t][2] = bits(-1.0f);
		}
	if (cube) {
		in[0][0] = in[0][1] = in[0][2] = 0;	/* no direction: NaN counts as 0 */
		face.normalized_coordinates = 1;
		face.address[0] = face.address[1] = PPU_TEXTURE_CLAMP;
	}
	snprintf(name, sizeof(name), channel < 0 ? "t_%s_f32" : "g_%s_%c", shape, "rgba"[channel < 0 ? 0 : channel]);
	fetch(d, name, in, out);
	for (unsigned t = 0; t < THREADS; t++) {
		float *v = (float *)in[t], st[2] = { v[0], v[1] };
		struct ref r = { &face, 2, 0 };
		u32 want[4];

		if (t == 0 && cube)
			continue;
		if (cube)
			r.layer = (u32)face_of(v, st);
		if (layered)
			r.layer += cube ? 6 * (u32)clamped((int)in[t][3], (int)d->depth / 6) : (u32)clamped((int)in[t][3], (int)d->depth);
		if (channel < 0)
			ref_float(&r, st, want);
		else
			ref_gather(&r, st, (unsigned)channel, want);
		for (unsigned k = 0; k < 4; k++)
			ck_assert_msg(out[t][k] == want[k], "%s, thread %u, %g %g %g, layer %d: %u is %08x, not %08x", name, t,
				      (double)v[0], (double)v[1], (double)v[2], (int)in[t][3], k, out[t][k], want[k]);
	}
}

START_TEST(test_cubes_and_gathers)
{
	static const char *const shapes[] = { "cube", "acube", "2d", "a2d" };

	start();
	for (unsigned f = 0; f < 3; f++)
		for (unsigned s = 0; s < 4; s++)
			for (unsigned m = 0; m < 8; m++) {
				ppuTextureDesc d = { .data = dimage, .width = 5, .height = s < 2 ? 5 : 7,
					.depth = s == 0 ? 6 : s == 1 ? 12 : s == 2 ? 1 : D, .channels = m % 3 == 2 ? 4 : m % 3 + 1,
					.format = f == 0 ? PPU_TEXTURE_F32 : f == 1 ? PPU_TEXTURE_U8 : PPU_TEXTURE_S16,
					.normalized_read = f && m < 6, .filter = m & 1 && (!f || m < 6) ? PPU_TEXTURE_LINEAR : PPU_TEXTURE_POINT,
					.normalized_coordinates = m & 2, .address = { (ppuTextureAddress)(m & 3), (ppuTextureAddress)(m >> 1 & 3) },
					.border = { 2, -1, 0.25f, 4 }, .srgb = f == 1 && m < 6 && m & 1 };

				tame_floats(d.format);
				d.pitch = d.width * d.channels * bytes_of(d.format);
				d.slice_pitch = d.pitch * d.height;
				for (int c = s < 2 ? -1 : 0; c < 4; c++)
					compare_face(&d, shapes[s], c);
			}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* Each value of the curve of sRGB, in three channels; the fourth has none. */
START_TEST(test_srgb)
{
	ppuTextureDesc d = { .format = PPU_TEXTURE_U8, .channels = 4, .width = 256, .height = 1, .depth = 1, .normalized_read = 1,
			     .srgb = 1 };

	start();
	for (unsigned i = 0; i < 256; i++)
		memset(image + 4 * i, (int)i, 4);
	OK(ppuMemcpy(dimage, image, sizeof(image)));
	d.data = dimage;
	for (unsigned at = 0; at < 256; at += THREADS) {
		u32 in[THREADS][4] = { { 0 } }, out[THREADS][4];

		for (unsigned t = 0; t < THREADS; t++)
			in[t][0] = bits((float)(at + t));
		fetch(&d, "t_2d_f32", in, out);
		for (unsigned t = 0; t < THREADS && at + t < 256; t++)
			for (unsigned c = 0; c < 4; c++)
				ck_assert_uint_eq(out[t][c], bits(c < 3 ? curve((uint8_t)(at + t)) : (float)(at + t) / 255.0f));
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

static void tame_floats(ppuTextureFormat f)	/* numbers, not NaNs and infinities */
{
	unsigned i;

	for (i = 0; i + 4 <= sizeof(image) && f >= PPU_TEXTURE_F16; i += f == PPU_TEXTURE_F16 ? 2 : 4) {
		float v = (float)(int)(rnd() % 2000 - 1000) / 16.0f;
		uint16_t h = (uint16_t)(0x3000 + rnd() % 0x2000);

		memcpy(image + i, f == PPU_TEXTURE_F16 ? (void *)&h : (void *)&v, f == PPU_TEXTURE_F16 ? 2 : 4);
	}
	OK(ppuMemcpy(dimage, image, sizeof(image)));
}

START_TEST(test_sampling)
{
	static const struct { const char *name; unsigned dims; int layered; } shape[] = {
		{ "1d", 1, 0 }, { "2d", 2, 0 }, { "3d", 3, 0 }, { "a1d", 1, 1 }, { "a2d", 2, 1 },
	};
	unsigned f, c, s, m;

	start();
	for (f = 0; f < 8; f++) {
		tame_floats((ppuTextureFormat)f);
		for (s = 0; s < 5; s++) {
			for (m = 0; m < 16; m++) {
				ppuTextureDesc d = {
					.data = dimage, .width = W, .height = shape[s].dims > 1 ? H : 1,
					.depth = shape[s].dims > 2 || shape[s].layered ? D : 1, .format = (ppuTextureFormat)f,
					.filter = m & 4 ? PPU_TEXTURE_LINEAR : PPU_TEXTURE_POINT,
					.normalized_coordinates = m & 8, .border = { 3, 5.5f, -7, 9 },
				};

				c = (m + f) % 3;
				d.channels = c == 2 ? 4 : c + 1;
				d.address[0] = (ppuTextureAddress)(m & 3);
				d.address[1] = (ppuTextureAddress)((m + 1) & 3);
				d.address[2] = (ppuTextureAddress)((m + 2) & 3);
				d.pitch = W * d.channels * bytes_of(d.format);
				d.slice_pitch = d.pitch * d.height;
				d.normalized_read = f <= PPU_TEXTURE_S16 && (m & 4 || m & 1);
				if (m & 4 && f > PPU_TEXTURE_S16 && f < PPU_TEXTURE_F16)
					continue;	/* no filter on wide integers */
				compare(&d, shape[s].name, shape[s].dims, shape[s].layered, 0);
				if (!(m & 4) && !(m & 8))
					compare(&d, shape[s].name, shape[s].dims, shape[s].layered, 1);
			}
		}
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_reference_and_query)
{
	ppuTextureDesc d = { .format = PPU_TEXTURE_U8, .channels = 2, .width = W, .height = H, .depth = D, .pitch = 32 };
	u32 out[32], i;
	void *dout, *ref;
	ppuFunction fn;
	ppuTexture h;

	start();
	OK(ppuMemcpy(dimage, image, sizeof(image)));
	d.data = dimage;
	OK(ppuTextureCreate(&h, &d));
	OK(ppuModuleGetGlobal(&ref, NULL, mod, "ref"));
	OK(ppuMemcpy(ref, &h, 8));
	OK(ppuMalloc(&dout, sizeof(out)));
	OK(ppuModuleGetFunction(&fn, mod, "t_ref"));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(32, 1, 1), 0, NULL, (void *[]){ &dout }, NULL, 0));
	OK(ppuMemcpy(out, dout, sizeof(out)));
	for (i = 0; i < 32; i++)
		ck_assert_msg(out[i] == (i < 5 ? image[2 * i + 1] : image[64 + 2 * (i < W ? i : W - 1)]), "thread %u: %u", i,
			      out[i]);
	OK(ppuModuleGetFunction(&fn, mod, "t_query"));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &h, &dout }, NULL, 0));
	OK(ppuMemcpy(out, dout, 12));
	ck_assert_uint_eq(out[0], W);
	ck_assert_uint_eq(out[1], H);
	ck_assert_uint_eq(out[2], D);
	OK(ppuTextureDestroy(h));
	ck_assert_int_eq(ppuTextureDestroy(h), PPU_ERROR_INVALID_HANDLE);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

static const char surface_text[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	/* out(x, y) = in(y, x) as 4-byte elements; then a clamped vector read */
	".visible .entry transpose(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %l<4>;\n.reg .b32 %r<8>;\n.reg .pred %p;\n"
	"ld.param.u64 %l1, [in];\nld.param.u64 %l2, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\n"
	"shl.b32 %r3, %r1, 2;\nshl.b32 %r4, %r2, 2;\nsetp.ne.u32 %p, %r1, 3;\n"
	"suld.b.2d.b32.trap {%r5}, [%l1, {%r3, %r2}];\n"
	"@%p sust.b.2d.b32.trap [%l2, {%r4, %r1}], {%r5};\nret;\n}\n"
	".visible .entry edge(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %l<4>;\n.reg .b16 %h<8>;\n"
	"ld.param.u64 %l1, [in];\nld.param.u64 %l2, [out];\n"
	"suld.b.3d.v4.b8.clamp {%h1, %h2, %h3, %h4}, [%l1, {-5, 100, 1, 0}];\n"
	"st.global.v4.u8 [%l2], {%h1, %h2, %h3, %h4};\n"
	"suld.b.a2d.v2.b16.clamp {%h1, %h2}, [%l1, {1, 4, 2, 0}];\n"
	"st.global.v2.u16 [%l2+4], {%h1, %h2};\nret;\n}\n"
	".visible .entry outside(.param .u64 in)\n{\n.reg .b64 %l<4>;\n.reg .b32 %r<4>;\n"
	"ld.param.u64 %l1, [in];\nmov.u32 %r1, 30;\nsust.b.2d.b32.trap [%l1, {%r1, 0}], {%r1};\nret;\n}\n";

START_TEST(test_surfaces)
{
	ppuTextureDesc d = { .format = PPU_TEXTURE_U8, .channels = 4, .width = 8, .height = 8, .depth = 2 };
	u32 words[2][64], got[64], i;
	void *mem[2];
	ppuTexture h[2];
	ppuFunction fn;

	start();
	OK(ppuModuleLoadData(&mod, surface_text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	for (i = 0; i < 2; i++) {
		OK(ppuMalloc(&mem[i], sizeof(words)));
		d.data = mem[i];
		OK(ppuTextureCreate(&h[i], &d));
	}
	memcpy(words, image, sizeof(words));
	OK(ppuMemcpy(mem[0], words, sizeof(words)));
	OK(ppuMemset(mem[1], 0x11223344, 4, 128));
	OK(ppuModuleGetFunction(&fn, mod, "transpose"));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(8, 8, 1), 0, NULL, (void *[]){ &h[0], &h[1] }, NULL, 0));
	OK(ppuMemcpy(got, mem[1], sizeof(got)));
	for (i = 0; i < 64; i++)
		ck_assert_uint_eq(got[i], i / 8 == 3 ? 0x11223344 : words[0][i % 8 * 8 + i / 8]);
	OK(ppuModuleGetFunction(&fn, mod, "edge"));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &h[0], &mem[1] }, NULL, 0));
	OK(ppuMemcpy(got, mem[1], 8));
	ck_assert_uint_eq(got[0], words[1][7 * 8]);
	ck_assert_uint_eq(got[1], words[1][2 * 8 + 1]);
	OK(ppuModuleGetFunction(&fn, mod, "outside"));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &h[0] }, NULL, 0));
	ck_assert_int_eq(ppuCtxSynchronize(), PPU_ERROR_TRAP);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_refused)
{
	ppuTextureDesc good, d;
	ppuTexture h;
	int host[64];

	start();
	good = (ppuTextureDesc){ .data = dimage, .format = PPU_TEXTURE_F32, .channels = 1, .width = 8, .height = 8 };
	OK(ppuTextureCreate(&h, &good));
	OK(ppuTextureDestroy(h));
#define REFUSED(result, change) do { \
	d = good; \
	change; \
	ck_assert_int_eq(ppuTextureCreate(&h, &d), result); \
	if (result == PPU_SUCCESS) \
		OK(ppuTextureDestroy(h)); \
} while (0)
	REFUSED(PPU_ERROR_INVALID_VALUE, d.channels = 3);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.width = 0);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.height = 100000);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.pitch = 31);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.format = (ppuTextureFormat)8);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.address[2] = (ppuTextureAddress)4);
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.format = PPU_TEXTURE_U32, d.filter = PPU_TEXTURE_LINEAR));
	REFUSED(PPU_ERROR_INVALID_VALUE, d.normalized_read = 1);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.data = (char *)dimage + 2);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, d.data = host);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, d.height = 60000);
	/* each limit at its edge: what is possible fails only because the memory is not that large */
	REFUSED(PPU_ERROR_INVALID_ADDRESS, d.width = 65536 * 4096);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.width = 65536 * 4096 + 1);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, d.height = 65536);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.height = 65537);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, d.depth = 65536);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.depth = 65537);
	REFUSED(PPU_SUCCESS, d.pitch = 32);
	REFUSED(PPU_SUCCESS, d.pitch = 36);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.pitch = 34);
	REFUSED(PPU_ERROR_INVALID_ADDRESS, d.pitch = UINT32_MAX - 3);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.pitch = 1ull << 32);
	REFUSED(PPU_SUCCESS, d.slice_pitch = 256);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.slice_pitch = 255);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.slice_pitch = 252);
	REFUSED(PPU_SUCCESS, (d.pitch = 36, d.slice_pitch = 7 * 36 + 32));
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.pitch = 36, d.slice_pitch = 7 * 36 + 28));
	REFUSED(PPU_ERROR_INVALID_ADDRESS, (d.depth = 2, d.slice_pitch = 1ull << 40));
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.depth = 2, d.slice_pitch = (1ull << 40) + 4));
	REFUSED(PPU_SUCCESS, d.channels = 2);
	REFUSED(PPU_SUCCESS, d.channels = 4);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.channels = 0);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.channels = 5);
	REFUSED(PPU_SUCCESS, d.filter = PPU_TEXTURE_LINEAR);
	REFUSED(PPU_ERROR_INVALID_VALUE, d.filter = (ppuTextureFilter)2);
	REFUSED(PPU_SUCCESS, (d.format = PPU_TEXTURE_F16, d.filter = PPU_TEXTURE_LINEAR));
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.format = PPU_TEXTURE_S32, d.filter = PPU_TEXTURE_LINEAR));
	REFUSED(PPU_SUCCESS, (d.format = PPU_TEXTURE_S16, d.normalized_read = 1, d.filter = PPU_TEXTURE_LINEAR));
	REFUSED(PPU_SUCCESS, (d.format = PPU_TEXTURE_U8, d.normalized_read = 1));
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.format = PPU_TEXTURE_U32, d.normalized_read = 1));
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.format = PPU_TEXTURE_F16, d.normalized_read = 1));
	REFUSED(PPU_SUCCESS, (d.format = PPU_TEXTURE_U8, d.normalized_read = d.srgb = 1));
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.format = PPU_TEXTURE_U8, d.srgb = 1));
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.format = PPU_TEXTURE_S8, d.normalized_read = d.srgb = 1));
	for (unsigned i = 0; i < 3; i++) {
		REFUSED(PPU_SUCCESS, d.address[i] = PPU_TEXTURE_BORDER);
		REFUSED(PPU_SUCCESS, d.address[i] = PPU_TEXTURE_MIRROR);
		REFUSED(PPU_ERROR_INVALID_VALUE, d.address[i] = (ppuTextureAddress)4);
	}
	REFUSED(PPU_SUCCESS, (d.format = PPU_TEXTURE_U8, d.data = (char *)dimage + 1));
	REFUSED(PPU_ERROR_INVALID_VALUE, (d.format = PPU_TEXTURE_S16, d.data = (char *)dimage + 1));
	REFUSED(PPU_ERROR_INVALID_VALUE, d.format = (ppuTextureFormat)-1);
	ck_assert_int_eq(ppuTextureDestroy((uintptr_t)dimage), PPU_ERROR_INVALID_HANDLE);
	OK(ppuCtxDestroy(ctx));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_texture");
	TCase *t = tcase_create("texture");

	tcase_set_timeout(t, 200);
	tcase_add_test(t, test_sampling);
	tcase_add_test(t, test_cubes_and_gathers);
	tcase_add_test(t, test_srgb);
	tcase_add_test(t, test_reference_and_query);
	tcase_add_test(t, test_surfaces);
	tcase_add_test(t, test_refused);
	suite_add_tcase(s, t);
	return run_suite(s);
}
