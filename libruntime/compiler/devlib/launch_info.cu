/* SPDX-License-Identifier: MIT */
/* CUDA's device runtime: queries of devices, limits and kernels, and its names for malloc and free. */
#include "compiler/devabi/cdp.h"

#define RUNTIME_VERSION	12000

CDP_FN2(const char *, GetErrorName, (int error), (error))
{
	switch (error) {
#define E(name, number, cuda, text) case number: return #cuda;
	CDP_ERRORS(E)
#undef E
	default: return "unrecognized error code";
	}
}

CDP_FN2(const char *, GetErrorString, (int error), (error))
{
	switch (error) {
#define E(name, number, cuda, text) case number: return text;
	CDP_ERRORS(E)
#undef E
	default: return "unrecognized error code";
	}
}

/* There is no other device than the one that the thread runs on. */
CDP_FN2(int, GetDeviceCount, (int *count), (count))
{
	if (!count)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*count = 1;
	return 0;
}

CDP_FN2(int, GetDevice, (int *device), (device))
{
	if (!device)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*device = 0;
	return 0;
}

CDP_FN2(int, DeviceGetAttribute, (int *value, int attribute, int device), (value, attribute, device))
{
	const struct ppu_cdp_ctx *c = __ppu_cdp_context();

	if (device)
		return __ppu_cdp_error(CDP_DEVICE);
	if (!value || attribute <= 0 || (u32)attribute >= c->attributes)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*value = c->attribute[attribute];
	return 0;
}

CDP_FN2(int, DeviceGetLimit, (u64 *value, u32 limit), (value, limit))
{
	const struct ppu_cdp_ctx *c = __ppu_cdp_context();

	if (!value || limit >= sizeof(c->limit) / sizeof(c->limit[0]))
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*value = c->limit[limit];
	return 0;
}

/* Nothing to configure. */
CDP_FN2(int, DeviceGetCacheConfig, (int *config), (config))
{
	if (!config)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*config = 0;
	return 0;
}

CDP_FN2(int, DeviceGetSharedMemConfig, (int *config), (config))
{
	if (!config)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*config = 1;		/* banks of four bytes */
	return 0;
}

CDP_FN2(int, RuntimeGetVersion, (int *version), (version))
{
	if (!version)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*version = RUNTIME_VERSION;
	return 0;
}

/* The first members of cudaFuncAttributes, those which CUDA's device runtime fills in. */
struct attributes {
	u64 shared_bytes, const_bytes, local_bytes;
	int max_threads, regs, ptx_version, binary_version, cache, max_dynamic;
};
#define PTX_VERSION	75

CDP_FN2(int, FuncGetAttributes, (struct attributes *a, const void *kernel), (a, kernel))
{
	const struct ppu_cdp_kernel *k = __ppu_cdp_kernel(kernel);

	if (!a)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	if (!k)
		return __ppu_cdp_error(CDP_FUNCTION);
	a->shared_bytes = k->tmd.shared_bytes;
	a->const_bytes = 0;
	a->local_bytes = k->tmd.local_per_thread;
	a->max_threads = (int)k->max_threads;
	a->regs = k->tmd.regs_per_thread;
	a->ptx_version = a->binary_version = PTX_VERSION;
	a->cache = 0;
	a->max_dynamic = (int)k->max_dynamic;
	return 0;
}

extern "C" __device__ void *malloc(u64 bytes);
extern "C" __device__ void free(void *p);

CDP_FN2(int, Malloc, (void **p, u64 bytes), (p, bytes))
{
	if (!p)
		return __ppu_cdp_error(CDP_INVALID_VALUE);
	*p = malloc(bytes);
	return *p ? 0 : __ppu_cdp_error(CDP_NO_MEMORY);
}

CDP_FN2(int, Free, (void *p), (p))
{
	free(p);
	return 0;
}
