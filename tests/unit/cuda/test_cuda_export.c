/* SPDX-License-Identifier: MIT */
/*
 * Tables beside the API, in the order and with the arguments that were seen when a program with the vendor's runtime
 * (of CUDA 13.0) inside starts; values that libraries keep with a context; the version that the driver claims.
 */
#include <unistd.h>
#define CUDA_TEST_LETS_GO true
#include "cuda_test.h"

typedef void place(void);

static CUresult lookup(place *const **table, const char *hex)
{
	const void *t = &hex;
	CUuuid id;
	CUresult r;

	for (int i = 0; i < 16; i++) {
		unsigned int byte;

		ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
		id.bytes[i] = (char)byte;
	}
	r = cuGetExportTable(&t, &id);
	ck_assert(r ? !t : t != &hex);
	*table = t;
	return r;
}

#define RUNTIME		"6bd5fb6c5bf4e74a8987d93912fd9df9"
#define HOOKS		"a094798c2e742e7493f20800200c0a66"
#define TOOLS		"42d85a8123f6cb478298f6e78a3aecdc"
#define STORED		"c693336e1121df11a8c368f355d89593"
#define CHECKS		"263e88607cd2614392f6bbd5006dfa7e"
#define VALIDITY	"d4082055bde6704b8d34ba123c66e1f2"

static place *const *table(const char *id, size_t places)
{
	place *const *t;

	OK(lookup(&t, id));
	ck_assert_uint_eq((uintptr_t)t[0], places * sizeof(*t));
	for (size_t i = 1; i < places; i++)
		ck_assert_msg(t[i] != NULL, "%s %zu", id, i);
	return t;
}

typedef CUresult get_primary(CUcontext *, CUdevice);
typedef void get_words(uint32_t **, size_t *);
typedef uint32_t get_word(void);
typedef CUresult prove(unsigned int, uint64_t, uint64_t *);

static void words_are_zero(place *f)
{
	uint32_t *words = NULL;
	size_t num = 0;

	((get_words *)f)(&words, &num);
	ck_assert(words && num);
	for (size_t i = 0; i < num; i++)
		ck_assert_uint_eq(words[i], 0);
}

START_TEST(the_runtime_starts_up_to_the_question_who_we_are)
{
	uint64_t answer[2] = { 5, 7 };
	place *const *t;
	CUcontext c = NULL, again;
	char told[1000];
	FILE *f = tmpfile();
	int before = dup(2), num = 0;

	ck_assert_ptr_nonnull(f);
	IS(CUDA_ERROR_NOT_FOUND, lookup(&t, "f8cff95121468b4eb9e2fb469e7c0dd9"));
	OK(cuInit(0));
	t = table(RUNTIME, 13);
	OK(((get_primary *)t[2])(&c, 0));
	OK(cuDevicePrimaryCtxRetain(&again, 0));
	ck_assert_ptr_eq(c, again);
	BAD(((get_primary *)t[2])(NULL, 0));
	t = table(HOOKS, 7);
	words_are_zero(t[2]);
	words_are_zero(t[6]);
	table(TOOLS, 4);
	OK(lookup(&t, STORED));
	ck_assert(t[0] && t[1] && t[2] && !t[3]);
	t = table(CHECKS, 4);
	ck_assert_uint_eq(((get_word *)t[3])(), 0);

	/* We are not the vendor's driver.  The user gets one sentence, however often the question comes. */
	t = table(VALIDITY, 3);
	dup2(fileno(f), 2);
	for (unsigned int i = 0; i < 3; i++)
		IS(CUDA_ERROR_NOT_SUPPORTED, ((prove *)t[1])(13000 + i, 1000, answer));
	dup2(before, 2);
	ck_assert(answer[0] == 5 && answer[1] == 7);
	rewind(f);
	while (fgets(told, sizeof(told), f)) {
		num++;
		ck_assert_msg(strstr(told, "-cudart shared") && strstr(told, "-L"), "%s", told);
	}
	ck_assert_int_eq(num, 1);
	fclose(f);
}
END_TEST

typedef CUresult load(CUmodule *, const void *);
typedef CUresult load_more(CUmodule *, const void *, const void *, const void *, unsigned int);
typedef CUresult load_container(const void *, CUmodule *, const void *, const void *, unsigned int);

START_TEST(modules_are_loaded_through_the_table)
{
	CUmodule m[3];
	CUdeviceptr p;
	place *const *t;
	CUfunction f;

	begin(small_ptx);
	p = one_word(0);
	t = table(RUNTIME, 13);
	OK(((load *)t[1])(&m[0], small_ptx));
	OK(((load_more *)t[6])(&m[1], small_ptx, NULL, NULL, 0));
	OK(((load_container *)t[8])(small_ptx, &m[2], NULL, NULL, 0));
	for (unsigned int i = 0; i < 3; i++) {
		OK(cuModuleGetFunction(&f, m[i], "store"));
		run(f, p, i + 1, 0);
		ck_assert_uint_eq(word_at(p), i + 1);
	}
	IS(CUDA_ERROR_NOT_SUPPORTED, ((load_more *)t[6])(&m[1], small_ptx, NULL, NULL, 1));
	IS(CUDA_ERROR_INVALID_PTX, ((load *)t[1])(&m[0], "nonsense"));
}
END_TEST

/* ---- values that libraries keep with a context ------------------------------------------------ */

typedef void ended(CUcontext, void *, void *);
typedef CUresult store_put(CUcontext, void *, void *, ended *);
typedef CUresult store_remove(CUcontext, void *);
typedef CUresult store_get(void **, CUcontext, void *);

static store_put *put;
static store_remove *drop;
static store_get *get;
static int keys[3], values[3];
static int num_ended;
static CUcontext ended_ctx;

/* May use the API: no lock is held. */
static void on_end(CUcontext c, void *key, void *value)
{
	unsigned int flags;
	int active;

	num_ended++;
	ended_ctx = c;
	ck_assert_int_eq((int)((int *)key - keys), (int)((int *)value - values));
	OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
}

static void storage(void)
{
	place *const *t;

	OK(cuInit(0));
	OK(lookup(&t, STORED));
	put = (store_put *)t[0];
	drop = (store_remove *)t[1];
	get = (store_get *)t[2];
}

START_TEST(a_context_keeps_values)
{
	void *v = NULL;
	CUcontext a, b;

	storage();
	IS(CUDA_ERROR_INVALID_CONTEXT, put(NULL, &keys[0], &values[0], NULL));
	OK(cuCtxCreate_v2(&a, 0, 0));
	OK(cuCtxCreate_v2(&b, 0, 0));
	OK(put(NULL, &keys[0], &values[0], NULL));		/* b is current */
	OK(put(a, &keys[0], &values[1], NULL));
	OK(put(a, &keys[1], &values[2], NULL));
	OK(get(&v, b, &keys[0]));
	ck_assert_ptr_eq(v, &values[0]);
	OK(get(&v, a, &keys[0]));
	ck_assert_ptr_eq(v, &values[1]);
	OK(put(a, &keys[0], &values[2], NULL));
	OK(get(&v, a, &keys[0]));
	ck_assert_ptr_eq(v, &values[2]);
	IS(CUDA_ERROR_INVALID_HANDLE, get(&v, NULL, &keys[1]));
	OK(drop(a, &keys[0]));
	IS(CUDA_ERROR_INVALID_HANDLE, get(&v, a, &keys[0]));
	IS(CUDA_ERROR_INVALID_HANDLE, drop(a, &keys[0]));
	OK(get(&v, a, &keys[1]));
	ck_assert_ptr_eq(v, &values[2]);
	BAD(get(NULL, a, &keys[1]));
	OK(cuCtxDestroy_v2(a));
	IS(CUDA_ERROR_INVALID_CONTEXT, put(a, &keys[0], &values[0], NULL));
}
END_TEST

START_TEST(the_end_of_a_context_is_told)
{
	CUcontext c, p;
	void *v;

	storage();
	OK(cuCtxCreate_v2(&c, 0, 0));
	OK(put(c, &keys[0], &values[0], on_end));
	OK(put(c, &keys[1], &values[1], on_end));
	OK(put(c, &keys[2], &values[2], on_end));
	OK(put(c, &keys[2], &values[2], NULL));			/* replaced: the last one counts */
	OK(drop(c, &keys[1]));
	OK(cuCtxDestroy_v2(c));
	ck_assert_int_eq(num_ended, 1);
	ck_assert_ptr_eq(ended_ctx, c);

	OK(cuDevicePrimaryCtxRetain(&p, 0));
	OK(put(p, &keys[0], &values[0], on_end));
	OK(cuDevicePrimaryCtxReset_v2(0));
	ck_assert_int_eq(num_ended, 2);
	ck_assert_ptr_eq(ended_ctx, p);
	IS(CUDA_ERROR_INVALID_HANDLE, get(&v, p, &keys[0]));	/* the new context begins empty */
	OK(put(p, &keys[1], &values[1], on_end));
	OK(cuDevicePrimaryCtxRelease_v2(0));
	ck_assert_int_eq(num_ended, 3);
	IS(CUDA_ERROR_CONTEXT_IS_DESTROYED, put(p, &keys[1], &values[1], on_end));
	ck_assert_int_eq(num_ended, 3);
}
END_TEST

/* ---- the version ------------------------------------------------------------------------------ */

static int claims(const char *text)
{
	int v = 0;

	setenv("PPU_CUDA_VERSION", text, 1);
	OK(cuDriverGetVersion(&v));
	return v;
}

START_TEST(the_version_is_a_setting)
{
	CUdriverProcAddressQueryResult status;
	void *f;

	ck_assert_int_eq(claims("12.4"), 12040);
	OK(cuInit(0));
	OK(cuGetProcAddress_v2("cuCtxSynchronize", &f, 13000, 0, &status));
	ck_assert_ptr_eq(f, (void *)cuCtxSynchronize);
	IS(CUDA_ERROR_NOT_FOUND, cuGetProcAddress_v2("cuMemSetMemPool", &f, 13000, 0, NULL));
	ck_assert_int_eq(claims("13"), 13000);
	OK(cuGetProcAddress_v2("cuCtxSynchronize", &f, 13000, 0, &status));
	ck_assert_ptr_eq(f, (void *)cuCtxSynchronize_v2);
	OK(cuGetProcAddress_v2("cuCtxSynchronize", &f, 12000, 0, &status));
	ck_assert_ptr_eq(f, (void *)cuCtxSynchronize);
	for (const char **bad = (const char *[]){ "", "x", "12.x", "12.10", "-1", "1000", "12.4.1", NULL }; *bad; bad++) {
		ck_assert_int_eq(claims(*bad), PPU_CUDA_DRIVER_VERSION);
		BAD(cuInit(0));
	}
}
END_TEST

static int capability(const char *text)
{
	int major = 0, minor = 0, also = 0;

	setenv("PPU_CUDA_CAPABILITY", text, 1);
	OK(cuDeviceComputeCapability(&major, &minor, 0));
	OK(cuDeviceGetAttribute(&also, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
	ck_assert_int_eq(also, major);
	OK(cuDeviceGetAttribute(&also, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
	ck_assert_int_eq(also, minor);
	return 10 * major + minor;
}

START_TEST(the_compute_capability_is_a_setting)
{
	int v;

	unsetenv("PPU_CUDA_CAPABILITY");
	begin(small_ptx);
	OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function("add_one")));
	ck_assert_int_eq(v, 75);
	ck_assert_int_eq(capability("8.6"), 86);
	OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function("add_one")));
	ck_assert_int_eq(v, 86);
	ck_assert_int_eq(capability("9.0"), 90);
	ck_assert_int_eq(capability("5.0"), 50);
	OK(cuInit(0));
	for (const char **bad = (const char *[]){ "", "9", "9.1", "4.9", "8.x", "x.8", "8.60", "86", "10.0", NULL }; *bad; bad++) {
		ck_assert_int_eq(capability(*bad), 75);
		BAD(cuInit(0));
	}
}
END_TEST

START_TEST(what_cuda_13_brought)
{
	CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, host = { CU_MEM_LOCATION_TYPE_HOST, 0 };
	CUmemoryPool pool, same, mine;
	CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED, .location = here };
	CUcontext other;
	CUdevice d = 77;
	CUdeviceptr p;

	begin(small_ptx);
	p = one_word(4);
	OK(cuCtxCreate_v2(&other, 0, 0));
	OK(cuCtxGetDevice_v2(&d, ctx));
	ck_assert_int_eq(d, 0);
	OK(cuCtxGetDevice_v2(&d, NULL));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice_v2(&d, (CUcontext)&d));
	BAD(cuCtxGetDevice_v2(NULL, ctx));
	OK(cuCtxPushCurrent_v2(ctx));
	run(function("add_one"), p, 0, 0);
	OK(cuCtxPopCurrent_v2(NULL));
	OK(cuCtxSynchronize_v2(ctx));			/* not the current one */
	OK(cuCtxGetCurrent(&ctx));
	ck_assert_ptr_eq(ctx, other);
	OK(cuCtxSynchronize_v2(NULL));
	IS(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize_v2((CUcontext)&d));

	OK(cuMemGetDefaultMemPool(&pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	OK(cuDeviceGetDefaultMemPool(&same, 0));
	ck_assert_ptr_eq(pool, same);
	OK(cuMemPoolCreate(&mine, &props));
	OK(cuMemSetMemPool(&here, CU_MEM_ALLOCATION_TYPE_PINNED, mine));
	OK(cuMemGetMemPool(&pool, &here, CU_MEM_ALLOCATION_TYPE_PINNED));
	ck_assert_ptr_eq(pool, mine);
	BAD(cuMemGetMemPool(&pool, NULL, CU_MEM_ALLOCATION_TYPE_PINNED));
	IS(CUDA_ERROR_NOT_SUPPORTED, cuMemGetMemPool(&pool, &host, CU_MEM_ALLOCATION_TYPE_PINNED));
	IS(CUDA_ERROR_NOT_SUPPORTED, cuMemGetMemPool(&pool, &here, (CUmemAllocationType)2));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		the_runtime_starts_up_to_the_question_who_we_are, modules_are_loaded_through_the_table,
		a_context_keeps_values, the_end_of_a_context_is_told, the_version_is_a_setting, the_compute_capability_is_a_setting, what_cuda_13_brought,
	};

	return RUN_ALL("tables beside the API", tests);
}
