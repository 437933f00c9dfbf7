/* SPDX-License-Identifier: MIT */
/*
 * What a compiled program registers before main(): fat binaries, and the kernels and variables of each.  A kernel or
 * variable is known by the address of the host's function or variable that stands for it.  Nothing is loaded
 * before main(): a fat binary becomes a module of a context when the context first uses a part of it.
 *
 * A wrapper of version 2 belongs to code that was compiled in pieces for the device's linker: its second pointer
 * leads to the pieces, which are linked to one module.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cudart.h"

#define EXPORT __attribute__((visibility("default")))
#define BUCKETS		256u
#define LINK_WRAPPER	2
#define JIT_LOG_BYTES	8192

/* The structures as compilers lay them out; libruntime/cuda/module/fatbin.c reads the contents of a container. */
struct wrapper {
	uint32_t magic, version;
	const void *data;
	const void *const *pieces;	/* version 2: ends with NULL */
};
struct container {
	uint32_t magic;
	uint16_t version, header_bytes;
	uint64_t bytes;
};

/* A module of a fat binary in one context. */
struct loaded {
	unsigned long long ctx_id;
	cudaError_t error;		/* why the module could not be loaded */
	CUmodule module;
	struct loaded *next;
};

struct fatbin {
	const struct wrapper *wrapper;
	struct loaded *loaded;
	pthread_mutex_t loading;	/* held by the thread that compiles it */
	bool managed;			/* has managed variables whose addresses the host does not have yet */
	struct fatbin *next;
};

/* A kernel or a variable.  In CUDA 12 and later, the address of a kernel's struct is also its handle. */
enum what { KERNEL, VARIABLE, MANAGED };
struct CUkern_st {
	const void *host;
	struct fatbin *fatbin;
	enum what what;
	const char *name;		/* in the program's memory */
	size_t bytes;
	struct { unsigned long long ctx_id; CUfunction function; } seen;	/* the last one looked up */
	struct CUkern_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* guards all static data here, and `seen` */
static struct fatbin *fatbins;
static struct CUkern_st *table[BUCKETS];

static struct CUkern_st **bucket(const void *host)
{
	uintptr_t v = (uintptr_t)host;

	return &table[(v >> 4 ^ v >> 12) % BUCKETS];
}

/* Locked.  Finds a symbol by the host's address, or a kernel by its handle. */
static struct CUkern_st *find(const void *host)
{
	struct CUkern_st *s;

	for (s = *bucket(host); s; s = s->next)
		if (s->host == host)
			return s;
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (s = table[i]; s; s = s->next)
			if (s == host && s->what == KERNEL)
				return s;
	return NULL;
}

/* ---- registering ---------------------------------------------------------------------------- */

EXPORT void **__cudaRegisterFatBinary(void *wrapper)
{
	struct fatbin *f = calloc(1, sizeof(*f));

	if (!f) {
		fprintf(stderr, "libcudart: no memory to register a program's kernels\n");
		abort();
	}
	f->wrapper = wrapper;
	pthread_mutex_init(&f->loading, NULL);
	pthread_mutex_lock(&lock);
	f->next = fatbins;
	fatbins = f;
	pthread_mutex_unlock(&lock);
	return (void **)f;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle)
{
}

static void add(void **handle, const void *host, enum what what, const char *name, size_t bytes)
{
	struct CUkern_st *s = calloc(1, sizeof(*s)), **b = bucket(host);

	if (!s) {
		fprintf(stderr, "libcudart: no memory to register %s\n", name);
		abort();
	}
	*s = (struct CUkern_st){ .host = host, .fatbin = (struct fatbin *)handle, .what = what, .name = name,
				 .bytes = bytes };
	pthread_mutex_lock(&lock);
	s->next = *b;
	*b = s;
	if (what == MANAGED)
		s->fatbin->managed = true;
	pthread_mutex_unlock(&lock);
}

EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads,
				   uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size)
{
	add(handle, host, KERNEL, name, 0);
}

EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
			      int constant, int global)
{
	add(handle, host, VARIABLE, name, bytes);
}

/* `host` is the pointer through which the host uses the variable. */
EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
				     size_t bytes, int constant, int global)
{
	add(handle, host, MANAGED, name, bytes);
}

/* CUDA 12 removed references to textures and surfaces.  A program that uses one gets an error at that time. */
EXPORT void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim,
				  int normalized, int external)
{
}

EXPORT void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim,
				  int external)
{
}

static void drop_symbols(const struct fatbin *f)
{
	for (unsigned int i = 0; i < BUCKETS; i++) {
		struct CUkern_st **p = &table[i], *s;

		while ((s = *p)) {
			if (s->fatbin != f) {
				p = &s->next;
				continue;
			}
			*p = s->next;
			free(s);
		}
	}
}

EXPORT void __cudaUnregisterFatBinary(void **handle)
{
	struct fatbin *f = (struct fatbin *)handle, **p;
	struct loaded *l;

	pthread_mutex_lock(&lock);
	for (p = &fatbins; *p && *p != f; p = &(*p)->next)
		;
	if (!*p) {
		pthread_mutex_unlock(&lock);
		return;
	}
	*p = f->next;
	drop_symbols(f);
	pthread_mutex_unlock(&lock);
	while ((l = f->loaded)) {
		f->loaded = l->next;
		if (l->module)
			cuModuleUnload(l->module);	/* an error means that the module ended with its context */
		free(l);
	}
	pthread_mutex_destroy(&f->loading);
	free(f);
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Prints the compiler's log to standard error: the error's name alone would not help. */
static cudaError_t explain(CUresult r, const char *log)
{
	if (r && *log)
		fprintf(stderr, "libcudart: a kernel module of this program was not accepted:\n%s\n", log);
	return crt_error(r);
}

static cudaError_t load_one(const void *data, CUmodule *module)
{
	static const CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	char *log = calloc(1, JIT_LOG_BYTES);
	void *values[] = { log, (void *)(uintptr_t)JIT_LOG_BYTES };
	cudaError_t e;

	if (!log)
		return cudaErrorMemoryAllocation;
	e = explain(cuModuleLoadDataEx(module, data, 2, (CUjit_option *)options, values), log);
	free(log);
	return e;
}

/* Adds all pieces except `without`.  Pieces that have no PTX are left out. */
static CUresult add_pieces(CUlinkState link, const void *const *pieces, const void *without)
{
	CUresult r = CUDA_SUCCESS;
	bool any = false;

	for (; *pieces && !r; pieces++) {
		const struct container *c = *pieces;

		if (c == without)
			continue;
		r = cuLinkAddData_v2(link, CU_JIT_INPUT_FATBINARY, (void *)c, c->header_bytes + c->bytes, "piece", 0,
				     NULL, NULL);
		any |= !r;
		if (r == CUDA_ERROR_NO_BINARY_FOR_GPU)
			r = CUDA_SUCCESS;
	}
	return r ? r : any ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

static CUresult link_pieces(const void *const *pieces, const void *without, CUmodule *module, char *log)
{
	static const CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { log, (void *)(uintptr_t)JIT_LOG_BYTES }, *image;
	CUlinkState link;
	CUresult r = cuLinkCreate_v2(log ? 2 : 0, (CUjit_option *)options, values, &link);

	if (r)
		return r;
	r = add_pieces(link, pieces, without);
	if (!r)
		r = cuLinkComplete(link, &image, NULL);
	if (!r)
		r = cuModuleLoadData(module, image);
	cuLinkDestroy(link);
	return r;
}

/*
 * nvcc adds the vendor's device runtime as the last piece, whether it is used or not.  That piece needs functions
 * of the vendor's driver; libppu has a device runtime of its own.  So if the pieces do not link, the link is tried
 * again with one piece left out, the last piece first.
 */
static cudaError_t load_linked(const void *const *pieces, CUmodule *module)
{
	char *log = calloc(1, JIT_LOG_BYTES);
	size_t num = 0;
	CUresult r;
	cudaError_t e;

	if (!log)
		return cudaErrorMemoryAllocation;
	while (pieces[num])
		num++;
	r = link_pieces(pieces, NULL, module, log);
	for (size_t i = num; r && num > 1 && i-- > 0;)
		if (!link_pieces(pieces, pieces[i], module, NULL))
			r = CUDA_SUCCESS;
	e = explain(r, log);
	free(log);
	return e;
}

static cudaError_t load(const struct wrapper *w, CUmodule *module)
{
	const struct container *c = w->data;

	if (w->version == LINK_WRAPPER && w->pieces && c && !c->bytes)
		return load_linked(w->pieces, module);
	return load_one(w->data, module);
}

static struct loaded *loaded_in(const struct fatbin *f, unsigned long long ctx_id)
{
	struct loaded *l;

	pthread_mutex_lock(&lock);
	for (l = f->loaded; l && l->ctx_id != ctx_id; l = l->next)
		;
	pthread_mutex_unlock(&lock);
	return l;
}

/* Sets the host's pointers to a module's managed variables, in the first context that loads the module. */
static cudaError_t give_managed(struct fatbin *f, CUmodule module)
{
	CUdeviceptr ptr;
	CUresult r = CUDA_SUCCESS;

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; f->managed && i < BUCKETS && !r; i++) {
		for (struct CUkern_st *s = table[i]; s && !r; s = s->next) {
			if (s->fatbin != f || s->what != MANAGED)
				continue;
			r = cuModuleGetGlobal_v2(&ptr, NULL, module, s->name);
			if (!r)
				*(void **)s->host = (void *)(uintptr_t)ptr;
		}
	}
	f->managed = false;
	pthread_mutex_unlock(&lock);
	return crt_error(r);
}

static cudaError_t module_of(struct fatbin *f, unsigned long long ctx_id, CUmodule *module)
{
	struct loaded *l = loaded_in(f, ctx_id);

	if (!l) {
		pthread_mutex_lock(&f->loading);
		l = loaded_in(f, ctx_id);
		if (!l && (l = calloc(1, sizeof(*l)))) {
			l->ctx_id = ctx_id;
			l->error = load(f->wrapper, &l->module);
			if (!l->error)
				l->error = give_managed(f, l->module);
			pthread_mutex_lock(&lock);
			l->next = f->loaded;
			f->loaded = l;
			pthread_mutex_unlock(&lock);
		}
		pthread_mutex_unlock(&f->loading);
	}
	if (!l)
		return cudaErrorMemoryAllocation;
	*module = l->module;
	return l->error;
}

/* ---- looking up ----------------------------------------------------------------------------- */

struct CUkern_st *crt_kernel(const void *host)
{
	struct CUkern_st *s;

	pthread_mutex_lock(&lock);
	s = find(host);
	pthread_mutex_unlock(&lock);
	return s && s->what == KERNEL ? s : NULL;
}

/*
 * Functions that no kernel of the table was looked up for, as of nodes that the Driver API made: crt_function_host() gave
 * them out, and crt_function() takes them back.
 */
#define FOREIGN 64
static CUfunction foreign[FOREIGN];	/* the last ones */
static unsigned int num_foreign;

/* Locked. */
static bool is_foreign(const void *function)
{
	for (unsigned int i = 0; i < FOREIGN; i++)
		if (foreign[i] && foreign[i] == function)
			return true;
	return false;
}

/* Locked.  The kernel that a function of a context was looked up for last. */
static struct CUkern_st *kernel_of(CUfunction function, unsigned long long ctx_id)
{
	for (unsigned int i = 0; i < BUCKETS; i++)
		for (struct CUkern_st *s = table[i]; s; s = s->next)
			if (s->what == KERNEL && s->seen.function == function && s->seen.ctx_id == ctx_id)
				return s;
	return NULL;
}

void *crt_function_host(CUfunction function)
{
	unsigned long long id;
	struct CUkern_st *s;
	CUcontext ctx;

	if (crt_context(&ctx, &id))
		return function;
	pthread_mutex_lock(&lock);
	s = kernel_of(function, id);
	if (!s && !is_foreign(function))
		foreign[num_foreign++ % FOREIGN] = function;
	pthread_mutex_unlock(&lock);
	return s ? (void *)(uintptr_t)s->host : function;
}

cudaError_t crt_function(const void *host, CUfunction *function)
{
	unsigned long long id;
	struct CUkern_st *s;
	CUcontext ctx;
	CUmodule module;
	cudaError_t e = crt_context(&ctx, &id);

	if (e)
		return e;
	s = crt_kernel(host);
	pthread_mutex_lock(&lock);
	if (s)
		*function = s->seen.ctx_id == id ? s->seen.function : NULL;
	else
		*function = is_foreign(host) ? (CUfunction)(uintptr_t)host : NULL;
	pthread_mutex_unlock(&lock);
	if (*function)
		return cudaSuccess;
	if (!s)
		return cudaErrorInvalidDeviceFunction;
	e = module_of(s->fatbin, id, &module);
	if (!e)
		e = crt_error(cuModuleGetFunction(function, module, s->name));
	if (e)
		return e == cudaErrorSymbolNotFound ? cudaErrorInvalidDeviceFunction : e;
	pthread_mutex_lock(&lock);
	s->seen.ctx_id = id;
	s->seen.function = *function;
	pthread_mutex_unlock(&lock);
	return cudaSuccess;
}

cudaError_t crt_variable(const void *host, CUdeviceptr *ptr, size_t *bytes)
{
	unsigned long long id;
	struct CUkern_st *s;
	CUcontext ctx;
	CUmodule module;
	cudaError_t e = crt_context(&ctx, &id);

	if (e)
		return e;
	pthread_mutex_lock(&lock);
	s = find(host);
	pthread_mutex_unlock(&lock);
	if (!s || s->what == KERNEL)
		return cudaErrorInvalidSymbol;
	e = module_of(s->fatbin, id, &module);
	if (!e)
		e = crt_error(cuModuleGetGlobal_v2(ptr, bytes, module, s->name));
	return e == cudaErrorSymbolNotFound ? cudaErrorInvalidSymbol : e;
}

/* Compilers call this before the host first touches a managed variable. */
EXPORT char __cudaInitModule(void **handle)
{
	struct fatbin *f = (struct fatbin *)handle;
	unsigned long long id;
	CUcontext ctx;
	CUmodule module;
	cudaError_t e = crt_context(&ctx, &id);

	if (!e)
		e = module_of(f, id, &module);
	crt_finish(e);
	return !e;
}

cudaError_t i_cudaGetSymbolAddress(void **ptr, const void *symbol)
{
	CUdeviceptr p;
	size_t bytes;
	cudaError_t e;

	if (!ptr)
		return cudaErrorInvalidValue;
	e = crt_variable(symbol, &p, &bytes);
	if (!e)
		*ptr = (void *)(uintptr_t)p;
	return e;
}

cudaError_t i_cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
	CUdeviceptr p;

	return bytes ? crt_variable(symbol, &p, bytes) : cudaErrorInvalidValue;
}
