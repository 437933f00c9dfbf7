/* SPDX-License-Identifier: MIT */
/* The CUDA Driver API: texture and surface objects, references of modules, arrays in layers. */
#include "cuda_test.h"

/* fetch: out[0..3] = tex2D(object, x, y); line: tex1Dfetch; ref: tex2D(picture); level: the same
 * in the middle of a level; paint: surface write of a word. */
static const char tex_ptx[] = PTX_HEAD
	".visible .global .texref picture;\n"
	".visible .entry fetch(.param .u64 t, .param .f32 x, .param .f32 y, .param .u64 out)\n{\n"
	".reg .b64 %rd<3>; .reg .f32 %f<8>;\n"
	"ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out]; ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y];\n"
	"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];\n"
	"st.global.f32 [%rd2], %f3; st.global.f32 [%rd2+4], %f4; st.global.f32 [%rd2+8], %f5;\n"
	"st.global.f32 [%rd2+12], %f6; ret;\n}\n"
	".visible .entry line(.param .u64 t, .param .u32 x, .param .u64 out)\n{\n"
	".reg .b64 %rd<3>; .reg .b32 %r<8>;\n"
	"ld.param.u64 %rd1, [t]; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [x];\n"
	"tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd1, {%r1}]; st.global.u32 [%rd2], %r2; ret;\n}\n"
	".visible .entry ref(.param .f32 x, .param .f32 y, .param .u64 out)\n{\n"
	".reg .b64 %rd<3>; .reg .f32 %f<8>;\n"
	"ld.param.u64 %rd2, [out]; ld.param.f32 %f1, [x]; ld.param.f32 %f2, [y];\n"
	"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [picture, {%f1, %f2}]; st.global.f32 [%rd2], %f3; ret;\n}\n"
	".visible .entry level(.param .f32 l, .param .u64 out)\n{\n.reg .b64 %rd<2>; .reg .f32 %f<8>;\n"
	"ld.param.f32 %f1, [l]; ld.param.u64 %rd1, [out]; mov.f32 %f2, 0f3F000000;\n"
	"tex.level.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [picture, {%f2, %f2}], %f1; st.global.f32 [%rd1], %f3; ret;\n}\n"
	".visible .entry paint(.param .u64 s, .param .u32 x, .param .u32 y, .param .u32 v)\n{\n"
	".reg .b64 %rd<2>; .reg .b32 %r<4>;\n"
	"ld.param.u64 %rd1, [s]; ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; ld.param.u32 %r3, [v];\n"
	"sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r3; ret;\n}\n";

enum { W = 8, H = 4 };
static float texels[H][W];

static CUarray picture(CUarray_format format, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR d = { W, H, 0, format, 1, flags };
	CUDA_MEMCPY2D c = { .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = texels, .srcPitch = sizeof(texels[0]),
			    .dstMemoryType = CU_MEMORYTYPE_ARRAY, .WidthInBytes = sizeof(texels[0]), .Height = H };
	CUarray a;

	for (int i = 0; i < W * H; i++)
		texels[i / W][i % W] = (float)i;
	OK(cuArray3DCreate(&a, &d));
	c.dstArray = a;
	OK(cuMemcpy2D(&c));
	return a;
}

static float fetch(CUtexObject t, float x, float y)
{
	CUdeviceptr out = 0;
	void *params[] = { &t, &x, &y, &out };
	float v[4];

	OK(cuMemAlloc(&out, sizeof(v)));
	OK(cuLaunchKernel(function("fetch"), 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH(v, out, sizeof(v)));
	OK(cuMemFree(out));
	return v[0];
}

static CUtexObject object(CUarray a, CUaddress_mode mode, CUfilter_mode filter, unsigned int flags)
{
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = a };
	CUDA_TEXTURE_DESC d = { .addressMode = { mode, mode, mode }, .filterMode = filter, .flags = flags,
				.borderColor = { -5 } };
	CUtexObject t;

	OK(cuTexObjectCreate(&t, &r, &d, NULL));
	return t;
}

START_TEST(texture_objects)
{
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_ARRAY }, seen;
	CUDA_TEXTURE_DESC d = { .flags = 0 }, seen_desc;
	CUDA_RESOURCE_VIEW_DESC view;
	CUtexObject t;
	CUarray a;

	begin(tex_ptx);
	a = picture(CU_AD_FORMAT_FLOAT, 0);
	t = object(a, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	ck_assert_float_eq(fetch(t, 2.5f, 1.5f), 10);
	ck_assert_float_eq(fetch(t, 100, 1.5f), 15);
	ck_assert_float_eq(fetch(object(a, CU_TR_ADDRESS_MODE_BORDER, CU_TR_FILTER_MODE_POINT, 0), -3, 0.5f), -5);
	ck_assert_float_eq(fetch(object(a, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_LINEAR, 0), 3, 1.5f), 10.5f);
	ck_assert_float_eq(fetch(object(a, CU_TR_ADDRESS_MODE_WRAP, CU_TR_FILTER_MODE_POINT,
					CU_TRSF_NORMALIZED_COORDINATES), 1.25f + 0.01f, 0.1f), 2);
	r.res.array.hArray = a;
	OK(cuTexObjectGetResourceDesc(&seen, t));
	ck_assert_ptr_eq(seen.res.array.hArray, a);
	OK(cuTexObjectGetTextureDesc(&seen_desc, t));
	ck_assert_int_eq(seen_desc.addressMode[0], CU_TR_ADDRESS_MODE_CLAMP);
	BAD(cuTexObjectGetResourceViewDesc(&view, t));		/* it has none */
	BAD(cuTexObjectCreate(&t, &r, NULL, NULL));
	d.flags = 0x1000;
	BAD(cuTexObjectCreate(&t, &r, &d, NULL));
	d.flags = CU_TRSF_SEAMLESS_CUBEMAP | CU_TRSF_NORMALIZED_COORDINATES;
	d.filterMode = CU_TR_FILTER_MODE_LINEAR;
	IS(CUDA_ERROR_NOT_SUPPORTED, cuTexObjectCreate(&t, &r, &d, NULL));
	r.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
	IS(CUDA_ERROR_INVALID_HANDLE, cuTexObjectCreate(&t, &r, &d, NULL));
	OK(cuTexObjectDestroy(t));
	BAD(cuTexObjectDestroy(t));
	BAD(cuTexObjectGetResourceDesc(&seen, t));
}
END_TEST

/* Memory in a row by index, memory with a pitch, small integers as fractions. */
START_TEST(textures_of_memory)
{
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_LINEAR };
	CUDA_TEXTURE_DESC d = { .addressMode = { CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP } };
	unsigned int words[16], x = 3;
	unsigned char bytes[2][256];
	CUdeviceptr p, q, out;
	CUtexObject t;
	void *params[] = { &t, &x, &out };

	begin(tex_ptx);
	for (unsigned int i = 0; i < 16; i++)
		words[i] = 100 + i;
	out = one_word(0);
	OK(cuMemAlloc(&p, sizeof(words)));
	OK(cuMemcpyHtoD(p, words, sizeof(words)));
	r.res.linear.devPtr = p;
	r.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT32;
	r.res.linear.numChannels = 1;
	r.res.linear.sizeInBytes = sizeof(words);
	OK(cuTexObjectCreate(&t, &r, &d, NULL));
	OK(cuLaunchKernel(function("line"), 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	ck_assert_uint_eq(word_at(out), 103);
	x = 16;			/* outside */
	OK(cuLaunchKernel(function("line"), 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	ck_assert_uint_eq(word_at(out), 0);
	r.res.linear.sizeInBytes = 1 << 30;		/* more than the allocation */
	BAD(cuTexObjectCreate(&t, &r, &d, NULL));
	r.res.linear.format = (CUarray_format)77;
	BAD(cuTexObjectCreate(&t, &r, &d, NULL));
	memset(bytes, 0, sizeof(bytes));
	bytes[1][2] = 255;
	bytes[1][3] = 51;
	OK(cuMemAlloc(&q, sizeof(bytes)));
	OK(cuMemcpyHtoD(q, bytes, sizeof(bytes)));
	r = (CUDA_RESOURCE_DESC){ .resType = CU_RESOURCE_TYPE_PITCH2D };
	r.res.pitch2D.devPtr = q;
	r.res.pitch2D.format = CU_AD_FORMAT_UNSIGNED_INT8;
	r.res.pitch2D.numChannels = 1;
	r.res.pitch2D.width = 100;
	r.res.pitch2D.height = 2;
	r.res.pitch2D.pitchInBytes = 256;
	OK(cuTexObjectCreate(&t, &r, &d, NULL));
	ck_assert_float_eq(fetch(t, 2.5f, 1.5f), 1);
	ck_assert_float_eq(fetch(t, 3.5f, 1.5f), 0.2f);
}
END_TEST

START_TEST(surface_objects)
{
	CUDA_RESOURCE_DESC r = { .resType = CU_RESOURCE_TYPE_ARRAY }, seen;
	unsigned int x = 3, y = 2;
	float v = 123.5f, out;
	CUsurfObject s;
	void *params[] = { &s, &x, &y, &v };
	CUarray a;

	begin(tex_ptx);
	a = picture(CU_AD_FORMAT_FLOAT, CUDA_ARRAY3D_SURFACE_LDST);
	r.res.array.hArray = a;
	OK(cuSurfObjectCreate(&s, &r));
	OK(cuSurfObjectGetResourceDesc(&seen, s));
	ck_assert_ptr_eq(seen.res.array.hArray, a);
	x = 3 * 4;			/* in bytes */
	OK(cuLaunchKernel(function("paint"), 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	ck_assert_float_eq(fetch(object(a, CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0), 3.5f, 2.5f), 123.5f);
	OK(cuMemcpyAtoH(&out, a, 0, 4));
	ck_assert_float_eq(out, 0);
	BAD(cuTexObjectDestroy(s));	/* a surface */
	OK(cuSurfObjectDestroy(s));
	BAD(cuSurfObjectDestroy(s));
	r.resType = CU_RESOURCE_TYPE_LINEAR;
	BAD(cuSurfObjectCreate(&s, &r));
}
END_TEST

static float by_reference(float x, float y)
{
	CUdeviceptr out = one_word(0);
	void *params[] = { &x, &y, &out };
	float v;

	OK(cuLaunchKernel(function("ref"), 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH(&v, out, sizeof(v)));
	OK(cuMemFree(out));
	return v;
}

/* What is set of a reference is what it answers; the reference is bound meanwhile. */
static void settings_of(CUtexref ref)
{
	float color[4] = { 1, 2, 3, 4 }, seen[4] = { 0 }, low, high, bias;
	CUaddress_mode mode;
	CUfilter_mode filter;
	unsigned int flags;
	CUdeviceptr p, at;
	size_t offset = 9;
	int most;

	OK(cuTexRefSetBorderColor(ref, color));
	OK(cuTexRefGetBorderColor(seen, ref));
	ck_assert_mem_eq(color, seen, sizeof(color));
	OK(cuTexRefSetMaxAnisotropy(ref, 4));
	OK(cuTexRefGetMaxAnisotropy(&most, ref));
	ck_assert_int_eq(most, 4);
	BAD(cuTexRefSetMaxAnisotropy(ref, 0));
	OK(cuTexRefSetMipmapFilterMode(ref, CU_TR_FILTER_MODE_LINEAR));
	OK(cuTexRefGetMipmapFilterMode(&filter, ref));
	ck_assert_int_eq(filter, CU_TR_FILTER_MODE_LINEAR);
	OK(cuTexRefSetMipmapFilterMode(ref, CU_TR_FILTER_MODE_POINT));
	OK(cuTexRefSetMipmapLevelBias(ref, 0.5f));
	OK(cuTexRefGetMipmapLevelBias(&bias, ref));
	OK(cuTexRefSetMipmapLevelClamp(ref, 1, 3));
	OK(cuTexRefGetMipmapLevelClamp(&low, &high, ref));
	ck_assert(bias == 0.5f && low == 1 && high == 3);
	OK(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_POINT));
	OK(cuTexRefGetFilterMode(&filter, ref));
	ck_assert_int_eq(filter, CU_TR_FILTER_MODE_POINT);
	OK(cuTexRefGetFlags(&flags, ref));
	OK(cuTexRefSetAddressMode(ref, 2, CU_TR_ADDRESS_MODE_CLAMP));
	BAD(cuTexRefSetAddressMode(ref, 3, CU_TR_ADDRESS_MODE_CLAMP));
	BAD(cuTexRefGetAddressMode(&mode, ref, 3));
	BAD(cuTexRefGetAddressMode(NULL, ref, 0));
	OK(cuTexRefGetAddressMode(&mode, ref, 2));
	ck_assert_int_eq(mode, CU_TR_ADDRESS_MODE_CLAMP);
	OK(cuMemAlloc_v2(&p, 1024));
	OK(cuTexRefSetAddress_v2(&offset, ref, p, 1024));
	ck_assert_uint_eq(offset, 0);
	OK(cuTexRefSetAddress_v2(NULL, ref, p, 1024));
	OK(cuTexRefGetAddress_v2(&at, ref));
	ck_assert_uint_eq(at, p);
	BAD(cuTexRefGetAddress_v2(NULL, ref));
	BAD(cuTexRefGetFilterMode(NULL, ref));
	BAD(cuTexRefGetMipmapLevelClamp(&low, NULL, ref));
	BAD(cuTexRefGetMipmapLevelClamp(NULL, &high, ref));
}

START_TEST(texture_references)
{
	CUDA_ARRAY_DESCRIPTOR desc = { 4, 2, CU_AD_FORMAT_FLOAT, 1 };
	float more[2][64] = { { 0 } };
	CUarray_format format;
	CUtexref ref, again;
	CUaddress_mode mode;
	CUdeviceptr p;
	CUarray a, b;
	int channels;

	begin(tex_ptx);
	OK(cuModuleGetTexRef(&ref, mod, "picture"));
	OK(cuModuleGetTexRef(&again, mod, "picture"));
	ck_assert_ptr_eq(ref, again);
	IS(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&again, mod, "nobody"));
	BAD(cuTexRefGetArray(&b, ref));			/* nothing bound */
	a = picture(CU_AD_FORMAT_FLOAT, 0);
	OK(cuTexRefSetArray(ref, a, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetArray(&b, ref));
	ck_assert_ptr_eq(a, b);
	ck_assert_float_eq(by_reference(2.5f, 1.5f), 10);
	OK(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_LINEAR));	/* effective at once */
	ck_assert_float_eq(by_reference(3, 1.5f), 10.5f);
	OK(cuTexRefSetFilterMode(ref, CU_TR_FILTER_MODE_POINT));
	OK(cuTexRefSetAddressMode(ref, 0, CU_TR_ADDRESS_MODE_BORDER));
	OK(cuTexRefGetAddressMode(&mode, ref, 0));
	ck_assert_int_eq(mode, CU_TR_ADDRESS_MODE_BORDER);
	ck_assert_float_eq(by_reference(-2, 1.5f), 0);
	more[1][2] = 77;
	OK(cuMemAlloc(&p, sizeof(more)));
	OK(cuMemcpyHtoD(p, more, sizeof(more)));
	OK(cuTexRefSetAddress2D(ref, &desc, p, sizeof(more[0])));
	ck_assert_float_eq(by_reference(2.5f, 1.5f), 77);
	OK(cuTexRefGetFormat(&format, &channels, ref));
	ck_assert(format == CU_AD_FORMAT_FLOAT && channels == 1);
	BAD(cuTexRefSetFilterMode(ref, (CUfilter_mode)5));
	BAD(cuTexRefSetFlags(ref, 0x100));
	BAD(cuTexRefSetFormat(ref, CU_AD_FORMAT_FLOAT, 3));
	BAD(cuTexRefSetArray(ref, a, 0));
	BAD(cuTexRefDestroy(ref));			/* the module's */
	settings_of(ref);
	OK(cuTexRefCreate(&again));
	OK(cuTexRefDestroy(again));
	IS(CUDA_ERROR_INVALID_HANDLE, cuTexRefDestroy(again));
	OK(cuModuleUnload(mod));
	IS(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetFlags(ref, 0));
}
END_TEST

/* The middle of a level. */
static float by_level(float level)
{
	CUdeviceptr out;
	void *params[] = { &level, &out };
	float v;

	OK(cuMemAlloc(&out, sizeof(v)));
	OK(cuLaunchKernel(function("level"), 1, 1, 1, 1, 1, 1, 0, 0, params, NULL));
	OK(cuMemcpyDtoH(&v, out, sizeof(v)));
	OK(cuMemFree(out));
	return v;
}

/* A reference of several levels; what wants normalized coordinates counts when the program has asked for them. */
START_TEST(reference_of_levels)
{
	CUDA_ARRAY3D_DESCRIPTOR d = { 4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0 };
	CUmipmappedArray m, seen;
	CUarray_format format;
	CUdeviceptr p;
	CUtexref ref;
	CUarray a;
	int channels;

	begin(tex_ptx);
	OK(cuModuleGetTexRef(&ref, mod, "picture"));
	BAD(cuTexRefGetMipmappedArray(&seen, ref));
	OK(cuMipmappedArrayCreate(&m, &d, 2));
	for (unsigned int l = 0; l < 2; l++) {
		float v[16];
		CUDA_MEMCPY2D c = { .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = v, .dstMemoryType = CU_MEMORYTYPE_ARRAY,
				    .WidthInBytes = 16 >> l, .Height = 4 >> l };

		for (int i = 0; i < 16; i++)
			v[i] = (float)(10 * l + 10);
		OK(cuMipmappedArrayGetLevel(&c.dstArray, m, l));
		OK(cuMemcpy2D(&c));
	}
	BAD(cuTexRefSetMipmappedArray(ref, m, 0));
	OK(cuTexRefSetMipmappedArray(ref, m, CU_TRSA_OVERRIDE_FORMAT));
	OK(cuTexRefGetMipmappedArray(&seen, ref));
	ck_assert_ptr_eq(seen, m);
	BAD(cuTexRefGetArray(&a, ref));
	BAD(cuTexRefGetAddress_v2(&p, ref));
	OK(cuTexRefGetFormat(&format, &channels, ref));
	ck_assert(format == CU_AD_FORMAT_FLOAT && channels == 1);
	OK(cuTexRefSetMipmapLevelClamp(ref, 0, 9));
	OK(cuTexRefSetFlags(ref, CU_TRSF_NORMALIZED_COORDINATES));
	ck_assert_float_eq(by_reference(0.5f, 0.5f), 10);
	ck_assert_float_eq(by_level(0), 10);
	ck_assert_float_eq(by_level(1), 20);
	OK(cuTexRefSetMipmapFilterMode(ref, CU_TR_FILTER_MODE_LINEAR));
	ck_assert_float_eq(by_level(0.5f), 15);
	OK(cuTexRefSetMipmapLevelClamp(ref, 1, 9));
	ck_assert_float_eq(by_level(0), 20);
	OK(cuMipmappedArrayDestroy(m));
	IS(CUDA_ERROR_INVALID_HANDLE, cuTexRefSetMipmappedArray(ref, m, CU_TRSA_OVERRIDE_FORMAT));
}
END_TEST

START_TEST(layers)
{
	CUDA_ARRAY3D_DESCRIPTOR d = { 16, 0, 3, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED };
	CUarray a;

	begin(tex_ptx);
	OK(cuArray3DCreate(&a, &d));			/* lines in layers */
	OK(cuArrayDestroy(a));
	d.Height = 4;
	OK(cuArray3DCreate(&a, &d));
	d.Depth = 0;
	BAD(cuArray3DCreate(&a, &d));			/* no layer */
	d.Depth = 6;
	d.Flags = CUDA_ARRAY3D_CUBEMAP;
	BAD(cuArray3DCreate(&a, &d));			/* no squares */
	d.Width = d.Height;
	OK(cuArray3DCreate(&a, &d));
	OK(cuArrayDestroy(a));
	d.Depth = 12;
	BAD(cuArray3DCreate(&a, &d));			/* two of them, which are layers */
	d.Flags |= CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_TEXTURE_GATHER;
	OK(cuArray3DCreate(&a, &d));
	OK(cuArrayDestroy(a));
	d.Flags = 0x80;
	IS(CUDA_ERROR_NOT_SUPPORTED, cuArray3DCreate(&a, &d));
}
END_TEST

/* Objects end with their context. */
START_TEST(after_the_context)
{
	CUDA_RESOURCE_DESC seen;
	CUtexObject t;

	begin(tex_ptx);
	t = object(picture(CU_AD_FORMAT_FLOAT, 0), CU_TR_ADDRESS_MODE_CLAMP, CU_TR_FILTER_MODE_POINT, 0);
	OK(cuCtxDestroy(ctx));
	BAD(cuTexObjectGetResourceDesc(&seen, t));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuTexObjectDestroy(t));
}
END_TEST

int main(void)
{
	const TTest *tests[] = { texture_objects, textures_of_memory, surface_objects, texture_references, reference_of_levels,
				 layers, after_the_context };

	return RUN_ALL("textures", tests);
}
