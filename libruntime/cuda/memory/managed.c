/* SPDX-License-Identifier: MIT */
/*
 * Managed memory: pinned host memory, which host and device see at one address all the time.  It never moves, so
 * advice about its place is only remembered.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "cuda/memory/managed.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/graph/capture.h"
#include "cuda/stream/stream.h"

struct managed {
	uint64_t va, bytes;
	unsigned long long ctx_id;
	CUdevice device;
	/* advice, for the whole allocation */
	bool read_mostly, accessed_by_device, accessed_by_host;
	CUmemLocation preferred, prefetched;
	struct managed *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct managed *list;

/* Locked. */
static struct managed *find(CUdeviceptr ptr, size_t bytes)
{
	struct managed *m = list;

	while (m && !(ptr >= m->va && ptr - m->va < m->bytes && bytes <= m->bytes - (ptr - m->va)))
		m = m->next;
	return m;
}

bool cu_is_managed(CUdeviceptr ptr)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = find(ptr, 1);
	pthread_mutex_unlock(&lock);
	return is;
}

CUresult i_cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned int flags)
{
	struct managed *m;
	struct CUctx_st *c;
	void *mem;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	m = calloc(1, sizeof(*m));
	if (!ptr || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
		r = CUDA_ERROR_INVALID_VALUE;
	else
		r = m ? cu_capture_unsafe() : CUDA_ERROR_OUT_OF_MEMORY;
	if (!r)
		r = cu_result(ppuMallocHost(&mem, bytes));
	if (r) {
		free(m);
	} else {
		*m = (struct managed){ .va = (uintptr_t)mem, .bytes = bytes, .ctx_id = c->id, .device = c->device };
		pthread_mutex_lock(&lock);
		m->next = list;
		list = m;
		pthread_mutex_unlock(&lock);
		*ptr = m->va;
	}
	cu_obj_put(c);
	return r;
}

CUresult cu_managed_free(const struct CUctx_st *c, CUdeviceptr ptr, bool *was)
{
	struct managed *m = NULL;
	bool ours = true;
	CUresult r;

	pthread_mutex_lock(&lock);
	for (struct managed **p = &list; *p; p = &(*p)->next) {
		if ((*p)->va == ptr) {
			m = *p;
			ours = m->ctx_id == c->id;
			if (ours)
				*p = m->next;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	*was = m;
	if (!m || !ours)
		return m ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
	r = cu_result(ppuFreeHost((void *)(uintptr_t)ptr));
	free(m);
	return r;
}

void cu_managed_forget(const struct CUctx_st *c)
{
	struct managed **p = &list, *m;

	pthread_mutex_lock(&lock);
	while ((m = *p)) {
		if (m->ctx_id == c->id) {
			*p = m->next;
			free(m);
		} else {
			p = &m->next;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* ---- advice --------------------------------------------------------------------------------- */

static CUresult advise(struct managed *m, CUmem_advise advice, CUmemLocation at)
{
	bool set = true;

	switch (advice) {
	case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
		set = false;
		/* fall through */
	case CU_MEM_ADVISE_SET_READ_MOSTLY:
		m->read_mostly = set;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
		m->preferred = at;
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		m->preferred = (CUmemLocation){ 0 };
		return CUDA_SUCCESS;
	case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
		set = false;
		/* fall through */
	case CU_MEM_ADVISE_SET_ACCESSED_BY:
		*(at.type == CU_MEM_LOCATION_TYPE_DEVICE ? &m->accessed_by_device : &m->accessed_by_host) = set;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult check_location(CUmemLocation at)
{
	if (at.type == CU_MEM_LOCATION_TYPE_DEVICE)
		return cu_device(at.id, NULL);
	return at.type == CU_MEM_LOCATION_TYPE_HOST || at.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
	       at.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUmemLocation location_of(CUdevice device)
{
	return device == CU_DEVICE_CPU ? (CUmemLocation){ CU_MEM_LOCATION_TYPE_HOST, 0 } :
	       (CUmemLocation){ CU_MEM_LOCATION_TYPE_DEVICE, device };
}

static bool needs_location(CUmem_advise advice)
{
	return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION || advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
	       advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

CUresult i_cuMemAdvise_v2(CUdeviceptr ptr, size_t bytes, CUmem_advise advice, CUmemLocation location)
{
	struct managed *m;
	CUresult r = cu_ready();

	if (!r && needs_location(advice))
		r = check_location(location);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	m = bytes ? find(ptr, bytes) : NULL;
	r = m ? advise(m, advice, location) : CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_unlock(&lock);
	return r;
}

CUresult i_cuMemAdvise(CUdeviceptr ptr, size_t bytes, CUmem_advise advice, CUdevice device)
{
	return i_cuMemAdvise_v2(ptr, bytes, advice, location_of(device));
}

CUresult i_cuMemPrefetchAsync_v2(CUdeviceptr ptr, size_t bytes, CUmemLocation location, unsigned int flags,
				 CUstream stream)
{
	struct cu_stream_use u;
	struct managed *m;
	CUresult r = flags ? CUDA_ERROR_INVALID_VALUE : check_location(location);

	if (!r)
		r = cu_stream_get(stream, &u);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	m = bytes ? find(ptr, bytes) : NULL;
	if (m)
		m->prefetched = location;
	else
		r = CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_unlock(&lock);
	cu_stream_put(&u);
	return r;
}

CUresult i_cuMemPrefetchAsync(CUdeviceptr ptr, size_t bytes, CUdevice device, CUstream stream)
{
	return i_cuMemPrefetchAsync_v2(ptr, bytes, location_of(device), 0, stream);
}

CUresult i_cuStreamAttachMemAsync(CUstream stream, CUdeviceptr ptr, size_t bytes, unsigned int flags)
{
	struct cu_stream_use u;
	CUresult r;

	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST && flags != CU_MEM_ATTACH_SINGLE)
		return CUDA_ERROR_INVALID_VALUE;
	r = cu_stream_get(stream, &u);
	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (!find(ptr, bytes))
		r = CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_unlock(&lock);
	cu_stream_put(&u);
	return r;
}

/* ---- what was advised ------------------------------------------------------------------------ */

static int device_of(CUmemLocation at)
{
	return at.type == CU_MEM_LOCATION_TYPE_DEVICE ? at.id : at.type ? CU_DEVICE_CPU : CU_DEVICE_INVALID;
}

static CUresult range_attribute(const struct managed *m, int *value, size_t bytes, CUmem_range_attribute a)
{
	size_t n = 0;

	if (!value || bytes < sizeof(*value) || bytes % sizeof(*value))
		return CUDA_ERROR_INVALID_VALUE;
	switch (a) {
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		*value = m->read_mostly;
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
		*value = device_of(m->preferred);
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
		*value = device_of(m->prefetched);
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
		*value = m->preferred.type;
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
		*value = m->preferred.id;
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		*value = m->prefetched.type;
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
		*value = m->prefetched.id;
		return CUDA_SUCCESS;
	case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		for (size_t i = 0; i < bytes / sizeof(*value); i++)
			value[i] = CU_DEVICE_INVALID;
		if (m->accessed_by_device)
			value[n++] = m->device;
		if (m->accessed_by_host && n < bytes / sizeof(*value))
			value[n] = CU_DEVICE_CPU;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult i_cuMemRangeGetAttributes(void **values, size_t *value_bytes, CUmem_range_attribute *attributes, size_t num,
				   CUdeviceptr ptr, size_t bytes)
{
	const struct managed *m;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!values || !value_bytes || !attributes || !num || !bytes)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	m = find(ptr, bytes);
	r = m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	for (size_t i = 0; !r && i < num; i++)
		r = range_attribute(m, values[i], value_bytes[i], attributes[i]);
	pthread_mutex_unlock(&lock);
	return r;
}

CUresult i_cuMemRangeGetAttribute(void *value, size_t value_bytes, CUmem_range_attribute attribute, CUdeviceptr ptr,
				  size_t bytes)
{
	return i_cuMemRangeGetAttributes(&value, &value_bytes, &attribute, 1, ptr, bytes);
}
