/* SPDX-License-Identifier: MIT */
/* cuGetProcAddress: the address of a function by its base name, in the version a program was built for. */
#include <string.h>
#include "cuda/context/calls.h"
#include "cuda/context/device.h"

CUresult i_cuGetProcAddress_v2(const char *symbol, void **function, int version, cuuint64_t flags,
			       CUdriverProcAddressQueryResult *status)
{
	const struct cu_symbol *best = NULL;
	int claimed;
	bool exists = false, want = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

	if (!symbol || !function || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
		return CUDA_ERROR_INVALID_VALUE;
	*function = NULL;
	cu_version(&claimed);
	if (version > claimed)		/* a program may ask for more than the driver says it has */
		version = claimed;
	for (const struct cu_symbol *s = cu_symbols; s->symbol; s++) {
		if (strcmp(s->base, symbol))
			continue;
		exists = true;
		if (s->since > version || (s->per_thread && !want))
			continue;
		/* The newest symbol wins; among symbols of one version, the per-thread one if it is wanted. */
		if (!best || s->since > best->since || (s->since == best->since && s->per_thread))
			best = s;
	}
	if (status)
		*status = best ? CU_GET_PROC_ADDRESS_SUCCESS : exists ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT :
			  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	if (!best)
		return status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
	*function = best->address;
	return CUDA_SUCCESS;
}

CUresult i_cuGetProcAddress(const char *symbol, void **function, int version, cuuint64_t flags)
{
	return i_cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
