/* SPDX-License-Identifier: MIT */
/*
 * Textures of several levels: what tex.level and tex.grad give is what plain fetches from textures of one level give, mixed
 * as Documentation/runtime/textures.md says.  test_ptx_texture compares the plain fetches with a reference.
 */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ppu.h"
#include "rt_ok.h"
#include "run_suite.h"

#define THREADS	64u
#define LEVELS	4u

static ppuCtx ctx;
static ppuModule mod;
static void *memory[LEVELS];

/* in[tid]: x, y, z, layer, lod, and two gradients of three elements; 12 words. */
struct in {
	float x, y, z;
	int layer;
	float lod, right[3], down[3];
	int level;
};

static const struct shape {
	const char *name, *coords, *right, *down, *index;
	unsigned dims;
	bool layered, cube;
} shapes[] = {
	{ "1d", "{%f0}", "{%f5}", "{%f8}", "{%r5}", 1, false, false },
	{ "2d", "{%f0, %f1}", "{%f5, %f6}", "{%f8, %f9}", "{%r5, %r6}", 2, false, false },
	{ "3d", "{%f0, %f1, %f2, %f2}", "{%f5, %f6, %f7, %f7}", "{%f8, %f9, %f10, %f10}", "{%r5, %r6, %r7, %r7}", 3, false, false },
	{ "a1d", "{%r3, %f0}", "{%f5}", "{%f8}", "{%r3, %r5}", 1, true, false },
	{ "a2d", "{%r3, %f0, %f1, %f1}", "{%f5, %f6}", "{%f8, %f9}", "{%r3, %r5, %r6, %r6}", 2, true, false },
	{ "cube", "{%f0, %f1, %f2, %f2}", "{%f5, %f6, %f7, %f7}", "{%f8, %f9, %f10, %f10}", NULL, 3, false, true },
	{ "acube", "{%r3, %f0, %f1, %f2}", "{%f5, %f6, %f7, %f7}", "{%f8, %f9, %f10, %f10}", NULL, 3, true, true },
};
#define NUM_SHAPES (sizeof(shapes) / sizeof(*shapes))

static void kernel(FILE *f, const char *what, const struct shape *s, const char *fetch, const char *more, const char *more2)
{
	fprintf(f, ".visible .entry %s_%s(.param .u64 t, .param .u64 in, .param .u64 out)\n{\n"
		".reg .b64 %%l<6>;\n.reg .b32 %%r<12>;\n.reg .f32 %%f<12>;\n"
		"ld.param.u64 %%l1, [t];\nld.param.u64 %%l2, [in];\nld.param.u64 %%l3, [out];\nmov.u32 %%r0, %%tid.x;\n"
		"mul.wide.u32 %%l4, %%r0, 48;\nadd.u64 %%l2, %%l2, %%l4;\nmul.wide.u32 %%l4, %%r0, 16;\nadd.u64 %%l3, %%l3, %%l4;\n",
		what, s->name);
	for (int k = 0; k < 11; k++)
		if (k != 3)
			fprintf(f, "ld.global.f32 %%f%d, [%%l2+%d];\n", k, 4 * k);
	fprintf(f, "ld.global.u32 %%r3, [%%l2+12];\nld.global.u32 %%r4, [%%l2+44];\ncvt.rzi.s32.f32 %%r5, %%f0;\n"
		"cvt.rzi.s32.f32 %%r6, %%f1;\ncvt.rzi.s32.f32 %%r7, %%f2;\n"
		"tex.%s {%%r8, %%r9, %%r10, %%r11}, [%%l1, %s]%s%s%s%s;\nst.global.v4.b32 [%%l3], {%%r8, %%r9, %%r10, %%r11};\nret;\n}\n",
		fetch, strstr(fetch, "s32.s32") ? s->index : s->coords, *more ? ", " : "", more, *more2 ? ", " : "", more2);
}

static void start(void)
{
	ppuInitOptions o = { .backend = "core" };
	char *text = NULL, form[40];
	float numbers[4096];
	size_t len;
	FILE *f = open_memstream(&text, &len);

	fputs(".version 7.0\n.target sm_60\n.address_size 64\n", f);
	for (unsigned s = 0; s < NUM_SHAPES; s++) {
		const struct shape *h = &shapes[s];

		for (int k = 0; k < 4; k++) {
			static const char *const names[] = { "plain", "base", "level", "grad" };
			static const char *const words[] = { "", "base.", "level.", "grad." };

			snprintf(form, sizeof(form), "%s%s.v4.f32.f32", words[k], h->name);
			kernel(f, names[k], h, form, k == 2 ? "%f4" : k == 3 ? h->right : "", k == 3 ? h->down : "");
		}
		if (h->cube)
			continue;
		snprintf(form, sizeof(form), "%s.v4.s32.s32", h->name);
		kernel(f, "iplain", h, form, "", "");
		snprintf(form, sizeof(form), "level.%s.v4.s32.s32", h->name);
		kernel(f, "ilevel", h, form, "%r4", "");
	}
	fputs(".visible .entry count(.param .u64 t, .param .u64 out)\n{\n.reg .b64 %l<3>;\n.reg .b32 %r;\n"
	      "ld.param.u64 %l1, [t];\nld.param.u64 %l2, [out];\ntxq.num_mipmap_levels.b32 %r, [%l1];\n"
	      "st.global.u32 [%l2], %r;\nret;\n}\n", f);
	fclose(f);
	OK(ppuInit(&o));
	OK(ppuCtxCreate(&ctx, 0, 0));
	OK(ppuModuleLoadData(&mod, text, 0, &(ppuModuleOptions){ .kind = PPU_MODULE_PTX }));
	free(text);
	srand(7);
	for (unsigned l = 0; l < LEVELS; l++) {
		for (unsigned i = 0; i < 4096; i++)
			numbers[i] = (float)(rand() % 2000 - 1000) / 16.0f;
		OK(ppuMalloc(&memory[l], sizeof(numbers)));
		OK(ppuMemcpy(memory[l], numbers, sizeof(numbers)));
	}
}

/* The textures: of all levels, and of each alone. */
struct set {
	ppuTextureDesc d;
	ppuTextureLevel levels[LEVELS - 1];
	ppuTexture all, alone[LEVELS];
};

static void make(struct set *s, const struct shape *h, ppuTextureFilter filter, ppuTextureFilter between)
{
	unsigned w = 11, height = h->dims > 1 ? h->cube ? 11 : 9 : 1, depth = h->cube ? 12 : h->layered ? 3 : h->dims > 2 ? 6 : 1;

	s->d = (ppuTextureDesc){ .format = PPU_TEXTURE_F32, .channels = 2, .filter = filter, .normalized_coordinates = 1,
				 .address = { PPU_TEXTURE_WRAP, PPU_TEXTURE_MIRROR, PPU_TEXTURE_CLAMP } };
	for (unsigned l = 0; l < LEVELS; l++) {
		s->d.data = memory[l];
		s->d.width = w >> l ? w >> l : 1;
		s->d.height = height >> l ? height >> l : 1;
		s->d.depth = h->cube || h->layered ? depth : depth >> l ? depth >> l : 1;
		s->d.pitch = s->d.width * 8 + 16 * (l == 2);
		OK(ppuTextureCreate(&s->alone[l], &s->d));
		if (l)
			s->levels[l - 1] = (ppuTextureLevel){ s->d.data, s->d.width, s->d.height, s->d.depth, 0, s->d.pitch, 0 };
	}
	s->d.data = memory[0];
	s->d.width = w;
	s->d.height = height;
	s->d.depth = depth;
	s->d.pitch = 0;
	s->d.num_levels = LEVELS - 1;
	s->d.levels = s->levels;
	s->d.level_filter = between;
	s->d.max_level = 100;
}

static void drop(struct set *s)
{
	for (unsigned l = 0; l < LEVELS; l++)
		OK(ppuTextureDestroy(s->alone[l]));
}

static void run(const char *what, const struct shape *h, ppuTexture t, const struct in *in, uint32_t (*out)[4])
{
	void *din, *dout;
	ppuFunction fn;
	char name[30];

	snprintf(name, sizeof(name), "%s_%s", what, h->name);
	OK(ppuMalloc(&din, THREADS * sizeof(*in)));
	OK(ppuMalloc(&dout, THREADS * 16));
	OK(ppuMemcpy(din, in, THREADS * sizeof(*in)));
	OK(ppuModuleGetFunction(&fn, mod, name));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(THREADS, 1, 1), 0, NULL, (void *[]){ &t, &din, &dout }, NULL, 0));
	OK(ppuMemcpy(out, dout, THREADS * 16));
	OK(ppuFree(din));
	OK(ppuFree(dout));
}

static float number(uint32_t w)
{
	float f;

	memcpy(&f, &w, 4);
	return f;
}

static float within(float v, float low, float high)
{
	return v < low ? low : v > high ? high : v;
}

/* What the plain fetches make of level lod. */
static void mixed(const ppuTextureDesc *d, uint32_t (*plain)[THREADS][4], unsigned t, float lod, float *out)
{
	bool linear = d->level_filter == PPU_TEXTURE_LINEAR;
	volatile float p, q;
	float alpha;
	unsigned at;

	lod = within(within(lod + d->level_bias, d->min_level, d->max_level), 0, LEVELS - 1);
	at = (unsigned)floorf(linear ? lod : lod + 0.5f);
	alpha = linear ? floorf((lod - (float)at) * 256.0f + 0.5f) / 256.0f : 0;
	for (unsigned c = 0; c < 4; c++) {
		out[c] = number(plain[at][t][c]);
		if (alpha != 0) {
			p = (1.0f - alpha) * out[c];
			q = alpha * number(plain[at + 1][t][c]);
			out[c] = p + q;
		}
	}
}

static float any(float low, float high)
{
	return low + (high - low) * (float)(rand() % 4096) / 4096.0f;
}

static void fill(struct in *in)
{
	for (unsigned t = 0; t < THREADS; t++) {
		in[t] = (struct in){ any(-2, 2), any(-2, 2), any(-2, 2), rand() % 6 - 1, any(-1, 5), { 0 }, { 0 }, rand() % 7 - 1 };
		if (t % 4 == 0)		/* on levels and in the middle between them */
			in[t].lod = (float)(rand() % 11 - 1) * 0.5f;
		if (in[t].x == 0)
			in[t].x = 1;
	}
}

static void compare_levels(const struct shape *h, struct set *s)
{
	uint32_t plain[LEVELS][THREADS][4], out[THREADS][4];
	struct in in[THREADS];
	float want[4];

	fill(in);
	OK(ppuTextureCreate(&s->all, &s->d));
	for (unsigned l = 0; l < LEVELS; l++)
		run("plain", h, s->alone[l], in, plain[l]);
	run("level", h, s->all, in, out);
	for (unsigned t = 0; t < THREADS; t++) {
		mixed(&s->d, plain, t, in[t].lod, want);
		for (unsigned c = 0; c < 4; c++)
			ck_assert_msg(number(out[t][c]) == want[c], "%s, thread %u, lod %g: %u is %g, not %g", h->name, t, (double)in[t].lod,
				      c, (double)number(out[t][c]), (double)want[c]);
	}
	run("plain", h, s->all, in, out);	/* the first level, whatever bias and limits are */
	ck_assert_mem_eq(out, plain[0], sizeof(out));
	run("base", h, s->all, in, out);
	ck_assert_mem_eq(out, plain[0], sizeof(out));
	OK(ppuTextureDestroy(s->all));
}

START_TEST(test_levels)
{
	struct set s;

	start();
	for (unsigned k = 0; k < NUM_SHAPES; k++)
		for (unsigned m = 0; m < 6; m++) {
			make(&s, &shapes[k], m & 1 ? PPU_TEXTURE_LINEAR : PPU_TEXTURE_POINT, m & 2 ? PPU_TEXTURE_LINEAR : PPU_TEXTURE_POINT);
			if (m >= 4) {
				s.d.level_filter = PPU_TEXTURE_LINEAR;
				s.d.level_bias = m == 4 ? 0.75f : -0.5f;
				s.d.min_level = 0.625f;
				s.d.max_level = 2.25f;
			}
			compare_levels(&shapes[k], &s);
			drop(&s);
		}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* Indices with an index of a level: texels. */
START_TEST(test_indices)
{
	uint32_t plain[LEVELS][THREADS][4], out[THREADS][4];
	struct in in[THREADS];
	struct set s;

	start();
	for (unsigned k = 0; k < NUM_SHAPES && !shapes[k].cube; k++) {
		make(&s, &shapes[k], PPU_TEXTURE_POINT, PPU_TEXTURE_POINT);
		fill(in);
		for (unsigned t = 0; t < THREADS; t++) {
			in[t].x *= 6;
			in[t].y *= 5;
			in[t].z *= 3;
		}
		OK(ppuTextureCreate(&s.all, &s.d));
		for (unsigned l = 0; l < LEVELS; l++)
			run("iplain", &shapes[k], s.alone[l], in, plain[l]);
		run("ilevel", &shapes[k], s.all, in, out);
		for (unsigned t = 0; t < THREADS; t++)
			ck_assert_mem_eq(out[t], plain[(int)within((float)in[t].level, 0, LEVELS - 1)][t], 16);
		OK(ppuTextureDestroy(s.all));
		drop(&s);
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

/* How far the place on a cube's face moves, by differences. */
static double on_face(const float *v, const float *d, int axis, int other)
{
	const double e = 1e-5;
	double before = v[other] / fabs((double)v[axis]);
	double after = (v[other] + e * d[other]) / fabs(v[axis] + e * d[axis]);

	return (after - before) / e / 2;
}

static double squared(const struct shape *h, const ppuTextureDesc *d, const struct in *in, const float *g)
{
	const float *v = &in->x;
	int axis = fabsf(v[1]) > fabsf(v[0]) ? 1 : 0;
	double x = (double)g[0] * d->width, y = (double)g[1] * d->height, z = (double)g[2] * d->depth;

	if (h->cube) {
		axis = fabsf(v[2]) > fabsf(v[axis]) ? 2 : axis;
		x = on_face(v, g, axis, axis == 0 ? 1 : 0) * d->width;
		y = on_face(v, g, axis, axis == 2 ? 1 : 2) * d->height;
		return x * x + y * y;
	}
	return x * x + (h->dims > 1 ? y * y : 0) + (h->dims > 2 ? z * z : 0);
}

/* The level of a gradient, to the error of its logarithm: the weight may be the one beside it. */
START_TEST(test_gradients)
{
	uint32_t plain[LEVELS][THREADS][4], out[THREADS][4];
	struct in in[THREADS];
	struct set s;

	start();
	for (unsigned k = 0; k < 2 * NUM_SHAPES; k++) {
		const struct shape *h = &shapes[k / 2];

		make(&s, h, PPU_TEXTURE_LINEAR, k & 1 ? PPU_TEXTURE_LINEAR : PPU_TEXTURE_POINT);
		s.d.level_bias = k & 1 ? 0.25f : 0;
		fill(in);
		for (unsigned t = 0; t < THREADS; t++)
			for (unsigned c = 0; c < 3; c++) {
				in[t].right[c] = any(-1, 1) * (t & 1 ? 1 : 0.1f);
				in[t].down[c] = any(-1, 1) * (t & 2 ? 1 : 0.1f);
			}
		OK(ppuTextureCreate(&s.all, &s.d));
		for (unsigned l = 0; l < LEVELS; l++)
			run("plain", h, s.alone[l], in, plain[l]);
		run("grad", h, s.all, in, out);
		for (unsigned t = 0; t < THREADS; t++) {
			float lod = (float)(0.5 * log2(fmax(squared(h, &s.d, &in[t], in[t].right), squared(h, &s.d, &in[t], in[t].down))));
			float near[3][4];

			for (int n = 0; n < 3; n++)	/* the weights beside it */
				mixed(&s.d, plain, t, lod + (float)(n - 1) / 256, near[n]);
			for (unsigned c = 0; c < 4; c++) {
				float got = number(out[t][c]), least = fminf(fminf(near[0][c], near[1][c]), near[2][c]);
				float most = fmaxf(fmaxf(near[0][c], near[1][c]), near[2][c]);

				ck_assert_msg(got >= least - 0.001f && got <= most + 0.001f, "%s, thread %u, lod %g: %u is %g, not %g to %g",
					      h->name, t, (double)lod, c, (double)got, (double)least, (double)most);
			}
		}
		OK(ppuTextureDestroy(s.all));
		drop(&s);
	}
	OK(ppuCtxDestroy(ctx));
}
END_TEST

START_TEST(test_refused)
{
	ppuTextureLevel many[32];
	uint32_t count;
	ppuFunction fn;
	struct set s;
	void *out;

	start();
	make(&s, &shapes[1], PPU_TEXTURE_POINT, PPU_TEXTURE_POINT);
	for (unsigned i = 0; i < 32; i++)
		many[i] = s.levels[0];
	s.d.levels = many;
	s.d.num_levels = 31;
	OK(ppuTextureCreate(&s.all, &s.d));
	OK(ppuMalloc(&out, 4));
	OK(ppuModuleGetFunction(&fn, mod, "count"));
	OK(ppuLaunchKernel(fn, ppuDim(1, 1, 1), ppuDim(1, 1, 1), 0, NULL, (void *[]){ &s.all, &out }, NULL, 0));
	OK(ppuMemcpy(&count, out, 4));
	ck_assert_uint_eq(count, 32);
	OK(ppuTextureDestroy(s.all));
	s.d.num_levels = 32;
	FAILS(PPU_ERROR_INVALID_VALUE, ppuTextureCreate(&s.all, &s.d));
	s.d.num_levels = 3;
	s.d.levels = NULL;
	FAILS(PPU_ERROR_INVALID_VALUE, ppuTextureCreate(&s.all, &s.d));
	s.d.levels = many;
	s.d.level_filter = (ppuTextureFilter)2;
	FAILS(PPU_ERROR_INVALID_VALUE, ppuTextureCreate(&s.all, &s.d));
	s.d.level_filter = PPU_TEXTURE_LINEAR;
	OK(ppuTextureCreate(&s.all, &s.d));
	OK(ppuTextureDestroy(s.all));
	s.d.format = PPU_TEXTURE_U32;
	FAILS(PPU_ERROR_INVALID_VALUE, ppuTextureCreate(&s.all, &s.d));
	s.d.format = PPU_TEXTURE_F32;
	many[2].width = 0;
	FAILS(PPU_ERROR_INVALID_VALUE, ppuTextureCreate(&s.all, &s.d));
	many[2] = s.levels[0];
	many[2].data = many;	/* no memory of the device */
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuTextureCreate(&s.all, &s.d));
	many[2].data = (char *)memory[0] + 2;
	FAILS(PPU_ERROR_INVALID_VALUE, ppuTextureCreate(&s.all, &s.d));
	many[2] = s.levels[0];
	many[2].height = 60000;
	FAILS(PPU_ERROR_INVALID_ADDRESS, ppuTextureCreate(&s.all, &s.d));
	OK(ppuCtxDestroy(ctx));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ptx_mipmap");
	TCase *t = tcase_create("mipmap");

	tcase_set_timeout(t, 200);
	tcase_add_test(t, test_levels);
	tcase_add_test(t, test_indices);
	tcase_add_test(t, test_gradients);
	tcase_add_test(t, test_refused);
	suite_add_tcase(s, t);
	return run_suite(s);
}
