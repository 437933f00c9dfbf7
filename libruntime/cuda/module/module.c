/* SPDX-License-Identifier: MIT */
/* Modules. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <ppu.h>
#include "cuda/module/module.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/module/fatbin.h"
#include "cuda/module/function.h"
#include "cuda/module/jit.h"
#include "cuda/module/oldlaunch.h"

static pthread_mutex_t functions_lock = PTHREAD_MUTEX_INITIALIZER;	/* guards the modules' lists of functions */

static void release(void *obj)
{
	struct CUmod_st *m = obj;

	if (m->ppu && cu_obj_alive(m))
		ppuModuleUnload(m->ppu);
	for (unsigned int i = 0; i < m->num_functions; i++)
		cu_obj_put(m->functions[i]);
	for (unsigned int i = 0; i < m->num_refs; i++)
		cu_obj_put(m->refs[i]);
	free(m->functions);
	free(m->refs);
}

static CUresult load(CUmodule *module, const void *image, size_t bytes, const char *name, struct cu_jit *jit)
{
	ppuModuleOptions o = { .name = name, .max_regs = jit->max_regs, .log_bytes = CU_LOG_BYTES };
	struct cu_image img = { 0 };
	struct CUmod_st *m = NULL;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!module)
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r)
		r = cu_image_find(&img, image, bytes);
	if (!r) {
		m = cu_obj_new(CU_MODULE, sizeof(*m), c, release);
		o.log = calloc(1, CU_LOG_BYTES);
		if (!m || !o.log)
			r = CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (!r) {
		o.kind = img.ptx ? PPU_MODULE_PTX : PPU_MODULE_BINARY;
		r = cu_result(ppuModuleLoadData(&m->ppu, img.data, img.bytes, &o));
	}
	cu_jit_done(jit, r, o.log ? o.log : "");
	if (r) {
		cu_obj_put(m);
	} else {
		cu_obj_publish(m);
		*module = m;
	}
	free(img.owned);
	free(o.log);
	cu_obj_put(c);
	return r;
}

CUresult i_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int num, CUjit_option *options,
			      void **values)
{
	struct cu_jit jit;
	CUresult r = cu_jit_parse(&jit, num, options, values);

	return r ? r : load(module, image, 0, "module.ptx", &jit);
}

CUresult i_cuModuleLoadData(CUmodule *module, const void *image)
{
	return i_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult i_cuModuleLoadFatBinary(CUmodule *module, const void *image)
{
	return i_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult cu_read_file(const char *path, void **data, size_t *bytes)
{
	FILE *f = fopen(path, "rbe");
	struct stat st;
	char *p = NULL;

	if (!f) {
		cu_why_set("%s: %s", path, strerror(errno));
		return errno == ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_FILE_NOT_FOUND;
	}
	if (!fstat(fileno(f), &st) && S_ISREG(st.st_mode))
		p = malloc((size_t)st.st_size + 1);
	if (p && fread(p, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
		free(p);
		p = NULL;
	}
	fclose(f);
	if (!p) {
		cu_why_set("%s cannot be read", path);
		return CUDA_ERROR_FILE_NOT_FOUND;
	}
	p[st.st_size] = 0;
	*data = p;
	*bytes = (size_t)st.st_size;
	return CUDA_SUCCESS;
}

CUresult i_cuModuleLoad(CUmodule *module, const char *path)
{
	struct cu_jit jit;
	void *data;
	size_t bytes;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!module || !path)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_read_file(path, &data, &bytes);
	if (r)
		return r;
	cu_jit_parse(&jit, 0, NULL, NULL);
	r = bytes ? load(module, data, bytes, path, &jit) : CUDA_ERROR_INVALID_IMAGE;
	free(data);
	return r;
}

CUresult i_cuModuleUnload(CUmodule module)
{
	struct CUmod_st *m;
	CUresult r = cu_obj_find(module, CU_MODULE, &m);

	if (r)
		return r;
	if (!cu_obj_withdraw(m)) {
		r = CUDA_ERROR_INVALID_HANDLE;
	} else {
		/* The module's functions end with it.  The handle is withdrawn, so nobody adds another one. */
		for (unsigned int i = 0; i < m->num_functions; i++)
			cu_obj_withdraw(m->functions[i]);
		for (unsigned int i = 0; i < m->num_refs; i++)
			cu_obj_withdraw(m->refs[i]);
		r = cu_result(ppuModuleUnload(m->ppu));
		m->ppu = NULL;
	}
	cu_obj_put(m);
	return r;
}

CUresult i_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_EAGER_LOADING;
	return CUDA_SUCCESS;
}

/* ---- functions ------------------------------------------------------------------------------ */

CUresult cu_module_add_ref(struct CUmod_st *m, struct CUtexref_st *ref)
{
	struct CUtexref_st **refs;

	pthread_mutex_lock(&functions_lock);
	refs = realloc(m->refs, (m->num_refs + 1) * sizeof(*refs));
	if (refs) {
		m->refs = refs;
		refs[m->num_refs++] = ref;
		cu_obj_ref(ref);
	}
	pthread_mutex_unlock(&functions_lock);
	return refs ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static void function_release(void *obj)
{
	cu_old_launch_free(((struct CUfunc_st *)obj)->old);
}

/* With functions_lock held.  The handle of a function is the same each time. */
static CUresult function_of(struct CUmod_st *m, ppuFunction p, struct CUfunc_st **out)
{
	struct CUfunc_st *f, **list;

	for (unsigned int i = 0; i < m->num_functions; i++) {
		if (m->functions[i]->ppu == p) {
			*out = m->functions[i];
			return CUDA_SUCCESS;
		}
	}
	list = realloc(m->functions, (m->num_functions + 1) * sizeof(*list));
	if (!list)
		return CUDA_ERROR_OUT_OF_MEMORY;
	m->functions = list;
	f = cu_obj_new(CU_FUNCTION, sizeof(*f), m->obj.ctx, function_release);
	if (!f)
		return CUDA_ERROR_OUT_OF_MEMORY;
	f->module = m;
	f->ppu = p;
	f->max_dynamic = f->carveout = -1;
	list[m->num_functions++] = f;
	cu_obj_ref(f);		/* the list's reference; the handle has another */
	cu_obj_publish(f);
	*out = f;
	return CUDA_SUCCESS;
}

CUresult i_cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
	struct CUmod_st *m;
	ppuFunction p;
	CUresult r = cu_obj_find(module, CU_MODULE, &m);

	if (r)
		return r;
	r = !function || !name ? CUDA_ERROR_INVALID_VALUE : cu_result(ppuModuleGetFunction(&p, m->ppu, name));
	if (!r) {
		pthread_mutex_lock(&functions_lock);
		r = function_of(m, p, function);
		pthread_mutex_unlock(&functions_lock);
	}
	cu_obj_put(m);
	return r;
}

static unsigned int count_functions(const struct CUmod_st *m)
{
	const char *name;
	unsigned int n = 0;

	while (!ppuModuleGetFunctionName(m->ppu, n, &name))
		n++;
	return n;
}

CUresult i_cuModuleGetFunctionCount(unsigned int *count, CUmodule module)
{
	struct CUmod_st *m;
	CUresult r;

	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_obj_find(module, CU_MODULE, &m);
	if (r)
		return r;
	*count = count_functions(m);
	cu_obj_put(m);
	return CUDA_SUCCESS;
}

CUresult i_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int count, CUmodule module)
{
	struct CUmod_st *m;
	const char *name;
	CUresult r;

	if (!functions || !count)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_obj_find(module, CU_MODULE, &m);
	if (r)
		return r;
	for (unsigned int i = 0; !r && i < count && !ppuModuleGetFunctionName(m->ppu, i, &name); i++)
		r = i_cuModuleGetFunction(&functions[i], module, name);
	cu_obj_put(m);
	return r;
}

CUresult i_cuModuleGetGlobal_v2(CUdeviceptr *ptr, size_t *bytes, CUmodule module, const char *name)
{
	struct CUmod_st *m;
	void *p;
	CUresult r = cu_obj_find(module, CU_MODULE, &m);

	if (r)
		return r;
	r = !name ? CUDA_ERROR_INVALID_VALUE : cu_result(ppuModuleGetGlobal(&p, bytes, m->ppu, name));
	if (!r && ptr)
		*ptr = (uintptr_t)p;
	cu_obj_put(m);
	return r;
}
