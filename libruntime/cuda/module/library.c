/* SPDX-License-Identifier: MIT */
/*
 * Libraries: code that is loaded without a context, and becomes a module of each context that uses it.  A library's
 * kernel may be passed wherever a function is wanted: it stands for its function in the current context.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <ppu_image.h>
#include "cuda/module/library.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/object.h"
#include "cuda/module/fatbin.h"
#include "cuda/module/function.h"
#include "cuda/module/jit.h"
#include "cuda/module/module.h"

struct CUkern_st {
	struct cu_obj obj;
	struct CUlib_st *library;	/* no reference: when the library ends, this handle ends */
	const char *name;
	uint32_t num_params;
	const struct ppu_param *params;
	int max_dynamic, carveout;	/* as set, for contexts that will load the kernel; -1: default */
};

struct in_context {
	unsigned long long ctx_id;
	CUmodule module;
};

struct CUlib_st {
	struct cu_obj obj;
	void *code;			/* our copy */
	size_t bytes;
	struct ppu_image *img;		/* the contents of code */
	struct CUkern_st **kernels;	/* with references */
	unsigned int num_kernels;
	struct in_context *loaded;
	unsigned int num_loaded;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* guards the libraries' lists */

static void release(void *obj)
{
	struct CUlib_st *l = obj;

	for (unsigned int i = 0; i < l->num_kernels; i++)
		cu_obj_put(l->kernels[i]);
	free(l->kernels);
	free(l->loaded);
	free(l->code);
	ppu_image_free(l->img);
}

/* ---- loading -------------------------------------------------------------------------------- */

static CUresult add_kernel(struct CUlib_st *l, const struct ppu_symbol *s)
{
	struct CUkern_st *k = cu_obj_new(CU_KERNEL, sizeof(*k), NULL, NULL);
	struct CUkern_st **list = realloc(l->kernels, (l->num_kernels + 1) * sizeof(*list));

	if (list)
		l->kernels = list;
	if (!k || !list) {
		cu_obj_put(k);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	k->library = l;
	k->name = s->name;
	k->num_params = s->num_params;
	k->params = s->params;
	k->max_dynamic = k->carveout = -1;
	list[l->num_kernels++] = k;
	return CUDA_SUCCESS;
}

/* Compiles or reads the code once, to get the kernels' names and to report errors. */
static CUresult read_code(struct CUlib_st *l, const struct cu_image *in, struct cu_jit *jit)
{
	struct ppu_ptx_options o = { .max_regs = jit->max_regs };
	CUresult r = CUDA_SUCCESS;
	struct ppu_log log;
	int rc;

	ppu_log_init(&log);
	rc = in->ptx ? ppu_ptx_compile(in->data, in->bytes, "library.ptx", &o, &l->img, &log) :
	     ppu_image_read(in->data, in->bytes, &l->img, &log);
	if (rc)
		r = rc == -ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY : in->ptx ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE;
	for (uint32_t i = 0; !r && i < l->img->num_symbols; i++)
		if (l->img->symbols[i].kind == PPU_SYM_KERNEL)
			r = add_kernel(l, &l->img->symbols[i]);
	cu_jit_done(jit, r, log.text ? log.text : "");
	ppu_log_free(&log);
	return r;
}

static CUresult load(CUlibrary *library, const void *code, size_t bytes, struct cu_jit *jit)
{
	struct cu_image img = { 0 };
	struct CUlib_st *l;
	CUresult r = cu_image_find(&img, code, bytes);

	if (r) {
		cu_jit_done(jit, r, "");
		return r;
	}
	l = cu_obj_new(CU_LIBRARY, sizeof(*l), NULL, release);
	if (l)
		l->code = malloc(img.bytes + 1);
	if (!l || !l->code) {
		r = CUDA_ERROR_OUT_OF_MEMORY;
	} else {
		memcpy(l->code, img.data, img.bytes);
		((char *)l->code)[img.bytes] = 0;
		l->bytes = img.bytes;
		r = read_code(l, &img, jit);
	}
	free(img.owned);
	if (r) {
		cu_obj_put(l);
		return r;
	}
	for (unsigned int i = 0; i < l->num_kernels; i++) {
		cu_obj_ref(l->kernels[i]);
		cu_obj_publish(l->kernels[i]);
	}
	cu_obj_publish(l);
	*library = l;
	return CUDA_SUCCESS;
}

/* A library's options are promises of the program, which need no action here. */
static CUresult check_options(const CUlibraryOption *options, unsigned int num)
{
	if (num && !options)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; i < num; i++)
		if ((int)options[i] < 0 || options[i] >= CU_LIBRARY_NUM_OPTIONS)
			return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult i_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jit_options, void **jit_values,
			     unsigned int num_jit, CUlibraryOption *options, void **values, unsigned int num)
{
	struct cu_jit jit;
	CUresult r = cu_ready();

	(void)values;
	if (!r)
		r = library && code ? check_options(options, num) : CUDA_ERROR_INVALID_VALUE;
	if (!r)
		r = cu_jit_parse(&jit, num_jit, jit_options, jit_values);
	return r ? r : load(library, code, 0, &jit);
}

CUresult i_cuLibraryLoadFromFile(CUlibrary *library, const char *path, CUjit_option *jit_options, void **jit_values,
				 unsigned int num_jit, CUlibraryOption *options, void **values, unsigned int num)
{
	struct cu_jit jit;
	void *data = NULL;
	size_t bytes;
	CUresult r = cu_ready();

	(void)values;
	if (!r)
		r = library && path ? check_options(options, num) : CUDA_ERROR_INVALID_VALUE;
	if (!r)
		r = cu_jit_parse(&jit, num_jit, jit_options, jit_values);
	if (!r)
		r = cu_read_file(path, &data, &bytes);
	if (!r)
		r = bytes ? load(library, data, bytes, &jit) : CUDA_ERROR_INVALID_IMAGE;
	free(data);
	return r;
}

CUresult i_cuLibraryUnload(CUlibrary library)
{
	struct CUlib_st *l;
	CUresult r = cu_obj_find(library, CU_LIBRARY, &l);

	if (r)
		return r;
	if (!cu_obj_withdraw(l)) {
		r = CUDA_ERROR_INVALID_HANDLE;
	} else {
		for (unsigned int i = 0; i < l->num_kernels; i++)
			cu_obj_withdraw(l->kernels[i]);
		for (unsigned int i = 0; i < l->num_loaded; i++)
			i_cuModuleUnload(l->loaded[i].module);
	}
	cu_obj_put(l);
	return r;
}

/* ---- in a context --------------------------------------------------------------------------- */

/* The library's module in the current context, loaded at the first use there. */
static CUresult module_of(struct CUlib_st *l, CUmodule *module)
{
	struct in_context *list;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	*module = NULL;
	for (unsigned int i = 0; i < l->num_loaded; i++)
		if (l->loaded[i].ctx_id == c->id)
			*module = l->loaded[i].module;
	if (!*module) {
		list = realloc(l->loaded, (l->num_loaded + 1) * sizeof(*list));
		if (list)
			l->loaded = list;
		r = list ? i_cuModuleLoadData(module, l->code) : CUDA_ERROR_OUT_OF_MEMORY;
		if (!r)
			list[l->num_loaded++] = (struct in_context){ c->id, *module };
	}
	pthread_mutex_unlock(&lock);
	cu_obj_put(c);
	return r;
}

CUresult cu_kernel_function(const void *kernel, CUfunction *function)
{
	struct CUfunc_st *f;
	struct CUkern_st *k;
	CUmodule m;
	CUresult r = cu_obj_find(kernel, CU_KERNEL, &k);

	if (r)
		return r;
	r = module_of(k->library, &m);
	if (!r)
		r = i_cuModuleGetFunction(function, m, k->name);
	f = r ? NULL : cu_obj_get(*function, CU_FUNCTION);
	if (f && k->max_dynamic >= 0)
		f->max_dynamic = k->max_dynamic;
	if (f && k->carveout >= 0)
		f->carveout = k->carveout;
	cu_obj_put(f);
	cu_obj_put(k);
	return r;
}

CUresult i_cuKernelGetFunction(CUfunction *function, CUkernel kernel)
{
	return function ? cu_kernel_function(kernel, function) : CUDA_ERROR_INVALID_VALUE;
}

CUresult i_cuLibraryGetModule(CUmodule *module, CUlibrary library)
{
	struct CUlib_st *l;
	CUresult r = module ? cu_obj_find(library, CU_LIBRARY, &l) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	r = module_of(l, module);
	cu_obj_put(l);
	return r;
}

CUresult i_cuLibraryGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name)
{
	CUmodule m;
	CUresult r = name ? i_cuLibraryGetModule(&m, library) : CUDA_ERROR_INVALID_VALUE;

	return r ? r : i_cuModuleGetGlobal_v2(ptr, bytes, m, name);
}

/* Here managed variables are in device memory, where the CPU cannot reach them. */
CUresult i_cuLibraryGetManaged(CUdeviceptr *ptr, size_t *bytes, CUlibrary library, const char *name)
{
	struct CUlib_st *l;
	const struct ppu_symbol *s;
	CUresult r = name ? cu_obj_find(library, CU_LIBRARY, &l) : CUDA_ERROR_INVALID_VALUE;

	(void)ptr;
	(void)bytes;
	if (r)
		return r;
	s = ppu_image_find(l->img, name);
	r = s && s->flags & PPU_SYMF_MANAGED ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_NOT_FOUND;
	cu_obj_put(l);
	return r;
}

/* ---- kernels -------------------------------------------------------------------------------- */

CUresult i_cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name)
{
	struct CUlib_st *l;
	CUresult r = kernel && name ? cu_obj_find(library, CU_LIBRARY, &l) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	r = CUDA_ERROR_NOT_FOUND;
	for (unsigned int i = 0; i < l->num_kernels; i++) {
		if (!strcmp(l->kernels[i]->name, name)) {
			*kernel = l->kernels[i];
			r = CUDA_SUCCESS;
		}
	}
	cu_obj_put(l);
	return r;
}

CUresult i_cuLibraryGetKernelCount(unsigned int *count, CUlibrary library)
{
	struct CUlib_st *l;
	CUresult r = count ? cu_obj_find(library, CU_LIBRARY, &l) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	*count = l->num_kernels;
	cu_obj_put(l);
	return CUDA_SUCCESS;
}

CUresult i_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int num, CUlibrary library)
{
	struct CUlib_st *l;
	CUresult r = kernels ? cu_obj_find(library, CU_LIBRARY, &l) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	for (unsigned int i = 0; i < num && i < l->num_kernels; i++)
		kernels[i] = l->kernels[i];
	cu_obj_put(l);
	return CUDA_SUCCESS;
}

CUresult i_cuKernelGetLibrary(CUlibrary *library, CUkernel kernel)
{
	struct CUkern_st *k;
	CUresult r = library ? cu_obj_find(kernel, CU_KERNEL, &k) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	*library = k->library;
	cu_obj_put(k);
	return CUDA_SUCCESS;
}

CUresult i_cuKernelGetName(const char **name, CUkernel kernel)
{
	struct CUkern_st *k;
	CUresult r = name ? cu_obj_find(kernel, CU_KERNEL, &k) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	*name = k->name;
	cu_obj_put(k);
	return CUDA_SUCCESS;
}

CUresult i_cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset, size_t *bytes)
{
	struct CUkern_st *k;
	CUresult r = offset ? cu_obj_find(kernel, CU_KERNEL, &k) : CUDA_ERROR_INVALID_VALUE;

	if (r)
		return r;
	if (index >= k->num_params) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		*offset = k->params[index].offset;
		if (bytes)
			*bytes = k->params[index].size;
	}
	cu_obj_put(k);
	return r;
}

CUresult i_cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel, CUdevice device)
{
	CUfunction f;
	CUresult r = cu_device(device, NULL);

	if (!r)
		r = cu_kernel_function(kernel, &f);
	return r ? r : i_cuFuncGetAttribute(value, attribute, f);
}

CUresult i_cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device)
{
	struct CUkern_st *k;
	CUfunction f;
	CUresult r = cu_device(device, NULL);

	if (!r)
		r = cu_kernel_function(kernel, &f);
	if (!r)
		r = i_cuFuncSetAttribute(f, attribute, value);
	if (r)
		return r;
	k = cu_obj_get(kernel, CU_KERNEL);
	if (k && attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		k->max_dynamic = value;
	else if (k)
		k->carveout = value;
	cu_obj_put(k);
	return CUDA_SUCCESS;
}

CUresult i_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device)
{
	CUfunction f;
	CUresult r = cu_device(device, NULL);

	if (!r)
		r = cu_kernel_function(kernel, &f);
	return r ? r : i_cuFuncSetCacheConfig(f, config);
}
