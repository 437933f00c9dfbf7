/* SPDX-License-Identifier: MIT */
/* The linker: several inputs become one binary, which cuModuleLoadData takes. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu_image.h>
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/object.h"
#include "cuda/module/fatbin.h"
#include "cuda/module/jit.h"
#include "cuda/module/module.h"

struct CUlinkState_st {
	struct cu_obj obj;
	struct cu_jit jit;
	struct ppu_image *img;
	struct ppu_log log;
	uint8_t *binary;
	CUresult failed;	/* the first error; all later calls return it */
};

static void release(void *obj)
{
	struct CUlinkState_st *l = obj;

	ppu_image_free(l->img);
	ppu_log_free(&l->log);
	free(l->binary);
}

CUresult i_cuLinkCreate_v2(unsigned int num, CUjit_option *options, void **values, CUlinkState *state)
{
	struct CUlinkState_st *l;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	l = state ? cu_obj_new(CU_LINK, sizeof(*l), c, release) : NULL;
	if (!l) {
		r = state ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
	} else {
		ppu_log_init(&l->log);
		r = cu_jit_parse(&l->jit, num, options, values);
		l->img = ppu_image_new();
		if (!r && !l->img)
			r = CUDA_ERROR_OUT_OF_MEMORY;
		if (r) {
			cu_obj_put(l);
		} else {
			cu_obj_publish(l);
			*state = l;
		}
	}
	cu_obj_put(c);
	return r;
}

static CUresult errno_result(int rc, CUresult otherwise)
{
	return !rc ? CUDA_SUCCESS : rc == -ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY : otherwise;
}

static CUresult add(struct CUlinkState_st *l, const struct cu_image *in, const char *name)
{
	struct ppu_ptx_options o = { .max_regs = l->jit.max_regs };
	struct ppu_image *img = NULL;
	CUresult r;

	if (in->ptx)
		r = errno_result(ppu_ptx_compile(in->data, in->bytes, name, &o, &img, &l->log), CUDA_ERROR_INVALID_PTX);
	else
		r = errno_result(ppu_image_read(in->data, in->bytes, &img, &l->log), CUDA_ERROR_INVALID_IMAGE);
	if (!r)
		r = errno_result(ppu_image_link(l->img, img, &l->log), CUDA_ERROR_INVALID_IMAGE);
	ppu_image_free(img);
	return r;
}

/*
 * Is the input CUDA's library of functions for kernels that launch kernels?  The PPU's device library has these
 * functions, and is linked when it is needed.  So this input is accepted and ignored, even if there is no such
 * file.
 */
static bool is_device_runtime(CUjitInputType type, const char *name)
{
	const char *base = name ? strrchr(name, '/') : NULL;

	base = base ? base + 1 : name;
	return type == CU_JIT_INPUT_LIBRARY && base && strstr(base, "cudadevrt");
}

/* Accepts an input that changes nothing. */
static CUresult add_nothing(CUlinkState state, unsigned int num, CUjit_option *options, void **values)
{
	struct CUlinkState_st *l;
	struct cu_jit own;
	CUresult r = cu_jit_parse(&own, num, options, values);

	if (!r)
		r = cu_obj_find(state, CU_LINK, &l);
	if (r)
		return r;
	r = l->failed ? l->failed : l->binary ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	cu_obj_put(l);
	return r;
}

CUresult i_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes, const char *name,
			    unsigned int num, CUjit_option *options, void **values)
{
	struct CUlinkState_st *l;
	struct cu_image img = { 0 };
	struct cu_jit own;
	CUresult r = cu_jit_parse(&own, num, options, values);	/* options of one input only advise */

	if (r)
		return r;
	if ((int)type < 0 || type >= CU_JIT_NUM_INPUT_TYPES || !data || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	if (is_device_runtime(type, name))
		return add_nothing(state, num, options, values);
	if (type == CU_JIT_INPUT_NVVM || type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY)
		return CUDA_ERROR_NOT_SUPPORTED;
	r = cu_obj_find(state, CU_LINK, &l);
	if (r)
		return r;
	if (l->failed || l->binary) {
		r = l->failed ? l->failed : CUDA_ERROR_INVALID_VALUE;
	} else {
		r = cu_image_find(&img, data, bytes);
		if (!r)
			r = add(l, &img, name ? name : "input.ptx");
		free(img.owned);
		if (r) {
			l->failed = r;
			cu_jit_done(&l->jit, r, l->log.text ? l->log.text : "");
		}
	}
	cu_obj_put(l);
	return r;
}

CUresult i_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int num,
			    CUjit_option *options, void **values)
{
	void *data;
	size_t bytes;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	if (is_device_runtime(type, path))
		return add_nothing(state, num, options, values);
	r = cu_read_file(path, &data, &bytes);
	if (r)
		return r;
	r = i_cuLinkAddData_v2(state, type, data, bytes, path, num, options, values);
	free(data);
	return r;
}

CUresult i_cuLinkComplete(CUlinkState state, void **image, size_t *bytes)
{
	struct CUlinkState_st *l;
	size_t len = 0;
	CUresult r;

	if (!image)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_obj_find(state, CU_LINK, &l);
	if (r)
		return r;
	r = l->failed ? l->failed : l->binary ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	if (!r) {
		r = errno_result(ppu_image_finish(l->img, &ppu_device_library, &l->log), CUDA_ERROR_INVALID_IMAGE);
		if (!r)
			r = errno_result(ppu_image_write(l->img, &l->binary, &len), CUDA_ERROR_UNKNOWN);
		l->failed = r;
		cu_jit_done(&l->jit, r, l->log.text ? l->log.text : "");
	}
	if (!r) {
		*image = l->binary;
		if (bytes)
			*bytes = len;
	}
	cu_obj_put(l);
	return r;
}

CUresult i_cuLinkDestroy(CUlinkState state)
{
	return cu_obj_destroy(state, CU_LINK);
}
