/* SPDX-License-Identifier: MIT */
/*
 * Virtual memory management.  cuMemMap only notes which memory will be at an address; cuMemSetAccess maps the
 * memory, in the context that is current at that time.  Before cuMemSetAccess, an access faults.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <ppu.h>
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"

#define GRANULARITY	(2u << 20)	/* as told to programs; any multiple of PPU_MEM_GRANULARITY works, too */

struct piece {				/* the handle is the struct's address */
	ppuMem mem;
	struct CUctx_st *ctx;		/* with a reference */
	unsigned long long ctx_id;
	uint64_t bytes;
	CUmemAllocationProp prop;
	unsigned int handles, maps;
	bool primary;			/* with a use of its device's primary context */
	struct piece *next;
};
struct mapping {
	uint64_t va, bytes;
	struct piece *piece;
	CUmemAccess_flags access;
	struct mapping *next;
};
struct range {
	uint64_t va, bytes;
	struct range *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct piece *pieces;
static struct mapping *mappings;
static struct range *ranges;

static bool aligned(uint64_t v)
{
	return v && v % PPU_MEM_GRANULARITY == 0;
}

static CUresult check_prop(const CUmemAllocationProp *prop)
{
	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED || prop->win32HandleMetaData)
		return CUDA_ERROR_INVALID_VALUE;
	if (prop->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    prop->allocFlags.compressionType)
		return CUDA_ERROR_NOT_SUPPORTED;
	return cu_device(prop->location.id, NULL);
}

CUresult i_cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *prop,
					 CUmemAllocationGranularity_flags option)
{
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!bytes || (int)option < 0 || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
		return CUDA_ERROR_INVALID_VALUE;
	r = check_prop(prop);
	if (!r)
		*bytes = GRANULARITY;
	return r;
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* The wanted address is ignored: all contexts share one window of addresses. */
CUresult i_cuMemAddressReserve(CUdeviceptr *ptr, size_t bytes, size_t alignment, CUdeviceptr wanted,
			       unsigned long long flags)
{
	struct range *n;
	void *p;
	CUresult r = cu_ready();

	(void)wanted;
	if (r)
		return r;
	if (!ptr || !aligned(bytes) || flags || (alignment & (alignment - 1)))
		return CUDA_ERROR_INVALID_VALUE;
	n = calloc(1, sizeof(*n));
	if (!n)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = cu_result(ppuAddressReserve(&p, bytes, alignment < GRANULARITY ? GRANULARITY : alignment));
	if (r) {
		free(n);
		return r;
	}
	*ptr = n->va = (uintptr_t)p;
	n->bytes = bytes;
	pthread_mutex_lock(&lock);
	n->next = ranges;
	ranges = n;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

/* Locked. */
static struct mapping *overlapping(uint64_t va, uint64_t bytes)
{
	struct mapping *m = mappings;

	while (m && (va + bytes <= m->va || va >= m->va + m->bytes))
		m = m->next;
	return m;
}

CUresult i_cuMemAddressFree(CUdeviceptr ptr, size_t bytes)
{
	struct range **p, *n;
	CUresult r = cu_ready();

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	for (p = &ranges; *p && ((*p)->va != ptr || (*p)->bytes != bytes); p = &(*p)->next)
		;
	n = *p;
	if (!n || overlapping(ptr, bytes)) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		*p = n->next;
		r = cu_result(ppuAddressFree((void *)(uintptr_t)ptr, bytes));
		free(n);
	}
	pthread_mutex_unlock(&lock);
	return r;
}

static bool reserved(uint64_t va, uint64_t bytes)
{
	const struct range *n = ranges;

	while (n && !(va >= n->va && va - n->va < n->bytes && bytes <= n->bytes - (va - n->va)))
		n = n->next;
	return n;
}

/* ---- memory --------------------------------------------------------------------------------- */

/*
 * CUDA makes memory without a context; here it belongs to one. Without a current one that is the primary one of a device, which
 * becomes the thread's current one until leave_context().
 */
static CUresult enter_context(CUdevice device, struct CUctx_st **c, bool *primary)
{
	CUcontext own;
	CUresult r = cu_current(c);

	*primary = false;
	if (r != CUDA_ERROR_INVALID_CONTEXT)
		return r;
	r = i_cuDevicePrimaryCtxRetain(&own, device);
	if (r)
		return r;
	r = i_cuCtxPushCurrent_v2(own);
	if (!r) {
		r = cu_current(c);
		if (!r) {
			*primary = true;
			return CUDA_SUCCESS;
		}
		i_cuCtxPopCurrent_v2(&own);
	}
	i_cuDevicePrimaryCtxRelease_v2(device);
	return r;
}

/* If nothing came of it, its uses of the context end. */
static CUresult leave_context(struct CUctx_st *c, bool primary, CUresult r)
{
	CUcontext own;

	if (primary)
		i_cuCtxPopCurrent_v2(&own);
	if (primary && r)
		i_cuDevicePrimaryCtxRelease_v2(c->device);
	if (r)
		cu_obj_put(c);
	return r;
}

/* Keeps a reference to the context if it succeeds. */
static CUresult add_piece(struct CUctx_st *c, bool primary, ppuMem mem, size_t bytes, const CUmemAllocationProp *prop,
			  CUmemGenericAllocationHandle *handle)
{
	struct piece *n = calloc(1, sizeof(*n));

	if (!n)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*n = (struct piece){ .mem = mem, .ctx = c, .ctx_id = c->id, .bytes = bytes, .prop = *prop, .handles = 1,
			     .primary = primary };
	pthread_mutex_lock(&lock);
	n->next = pieces;
	pieces = n;
	pthread_mutex_unlock(&lock);
	*handle = (uintptr_t)n;
	return CUDA_SUCCESS;
}

CUresult i_cuMemCreate(CUmemGenericAllocationHandle *handle, size_t bytes, const CUmemAllocationProp *prop,
		       unsigned long long flags)
{
	struct CUctx_st *c;
	bool primary;
	ppuMem mem;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!handle || !aligned(bytes) || flags)
		return CUDA_ERROR_INVALID_VALUE;
	r = check_prop(prop);
	if (!r)
		r = enter_context(prop->location.id, &c, &primary);
	if (r)
		return r;
	r = prop->location.id != c->device ? CUDA_ERROR_INVALID_DEVICE : cu_result(ppuMemCreate(&mem, bytes));
	if (!r) {
		r = add_piece(c, primary, mem, bytes, prop, handle);
		if (r)
			ppuMemRelease(mem);
	}
	return leave_context(c, primary, r);
}

/* Locked. */
static struct piece *piece_of(CUmemGenericAllocationHandle handle)
{
	struct piece *p = pieces;

	while (p && ((uintptr_t)p != handle || !p->handles))
		p = p->next;
	return p;
}

/* Locked.  Frees a piece if no handle and no mapping is left. */
static void piece_done(struct piece *n)
{
	if (n->handles || n->maps)
		return;
	for (struct piece **p = &pieces; *p; p = &(*p)->next) {
		if (*p == n) {
			*p = n->next;
			break;
		}
	}
	ppuMemRelease(n->mem);
	if (n->primary)
		i_cuDevicePrimaryCtxRelease_v2(n->ctx->device);
	cu_obj_put(n->ctx);
	free(n);
}

CUresult i_cuMemRelease(CUmemGenericAllocationHandle handle)
{
	struct piece *p;
	CUresult r = cu_ready();

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	p = piece_of(handle);
	if (!p) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		p->handles--;
		piece_done(p);
	}
	pthread_mutex_unlock(&lock);
	return r;
}

CUresult i_cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
	const struct piece *p;
	CUresult r = cu_ready();

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	p = piece_of(handle);
	if (!prop || !p)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		*prop = p->prop;
	pthread_mutex_unlock(&lock);
	return r;
}

CUresult i_cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *ptr)
{
	struct mapping *m;
	CUresult r = cu_ready();

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	m = overlapping((uintptr_t)ptr, 1);
	if (!handle || !m) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		m->piece->handles++;
		*handle = (uintptr_t)m->piece;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

/* ---- other processes ------------------------------------------------------------------------ */

CUresult i_cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
					unsigned long long flags)
{
	struct piece *p;
	CUresult r = cu_ready();
	int fd;

	if (r)
		return r;
	if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_NOT_SUPPORTED;
	pthread_mutex_lock(&lock);
	p = piece_of(handle);
	if (!out || !p || flags || !(p->prop.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR))
		r = CUDA_ERROR_INVALID_VALUE;
	else
		r = cu_result(ppuMemExport(p->mem, &fd));
	if (!r)
		*(int *)out = fd;
	pthread_mutex_unlock(&lock);
	return r;
}

/* The file stays the caller's. */
CUresult i_cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *from, CUmemAllocationHandleType type)
{
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .requestedHandleTypes = type,
				     .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	int fd = (int)(intptr_t)from;
	struct CUctx_st *c;
	bool primary;
	ppuMem mem;
	off_t bytes;
	CUresult r = cu_ready();

	if (r)
		return r;
	bytes = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!handle || bytes <= 0 || !aligned((uint64_t)bytes))
		return CUDA_ERROR_INVALID_VALUE;
	r = enter_context(0, &c, &primary);
	if (r)
		return r;
	r = cu_result(ppuMemImport(&mem, fd, (size_t)bytes));
	prop.location.id = c->device;
	if (!r) {
		r = add_piece(c, primary, mem, (size_t)bytes, &prop, handle);
		if (r)
			ppuMemRelease(mem);
	}
	return leave_context(c, primary, r);
}

/* ---- mappings ------------------------------------------------------------------------------- */

CUresult i_cuMemMap(CUdeviceptr ptr, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
		    unsigned long long flags)
{
	struct mapping *m = calloc(1, sizeof(*m));
	struct piece *p;
	CUresult r = cu_ready();

	if (!r && !m)
		r = CUDA_ERROR_OUT_OF_MEMORY;
	pthread_mutex_lock(&lock);
	p = piece_of(handle);
	/* A mapping starts at the beginning of the memory, so offset must be 0. */
	if (!r && (!p || !aligned(ptr) || !aligned(bytes) || offset || flags || bytes > p->bytes ||
		   !reserved(ptr, bytes) || overlapping(ptr, bytes)))
		r = CUDA_ERROR_INVALID_VALUE;
	if (r) {
		free(m);
	} else {
		*m = (struct mapping){ ptr, bytes, p, CU_MEM_ACCESS_FLAGS_PROT_NONE, mappings };
		mappings = m;
		p->maps++;
	}
	pthread_mutex_unlock(&lock);
	return r;
}

/* Locked.  Sets which accesses the mapping allows from now on. */
static CUresult set_access(struct mapping *m, CUmemAccess_flags access)
{
	CUresult r = CUDA_SUCCESS;

	if (access == m->access)
		return CUDA_SUCCESS;
	if (m->piece->ctx->dead || m->piece->ctx->id != m->piece->ctx_id)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if (m->access)
		r = cu_result(ppuMemUnmap((void *)(uintptr_t)m->va, m->piece->mem));
	if (r)
		return r;
	m->access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	if (access)
		r = cu_result(ppuMemMap((void *)(uintptr_t)m->va, m->bytes, m->piece->mem,
					access == CU_MEM_ACCESS_FLAGS_PROT_READ));
	if (!r)
		m->access = access;
	return r;
}

/* Locked.  Is [va, va + bytes) made of whole mappings? */
static bool whole(uint64_t va, uint64_t bytes)
{
	uint64_t covered = 0;

	for (const struct mapping *m = mappings; m; m = m->next) {
		if (va + bytes <= m->va || va >= m->va + m->bytes)
			continue;
		if (m->va < va || m->va + m->bytes > va + bytes)
			return false;
		covered += m->bytes;
	}
	return covered == bytes;
}

CUresult i_cuMemSetAccess(CUdeviceptr ptr, size_t bytes, const CUmemAccessDesc *access, size_t count)
{
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!access || count != 1 || access->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    (access->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE && access->flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
	     access->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
		r = CUDA_ERROR_INVALID_VALUE;
	if (!r)
		r = cu_device(access->location.id, NULL);
	pthread_mutex_lock(&lock);
	if (!r && (!bytes || !whole(ptr, bytes)))
		r = CUDA_ERROR_INVALID_VALUE;
	for (struct mapping *m = mappings; !r && m; m = m->next)
		if (m->va >= ptr && m->va < ptr + bytes)
			r = access->location.id != m->piece->prop.location.id ? CUDA_ERROR_NOT_SUPPORTED :
			    set_access(m, access->flags);
	pthread_mutex_unlock(&lock);
	cu_obj_put(c);
	return r;
}

CUresult i_cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
	const struct mapping *m;
	CUresult r = cu_ready();

	if (r)
		return r;
	if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	m = overlapping(ptr, 1);
	if (!m)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		*flags = location->id == m->piece->prop.location.id ? m->access : 0;
	pthread_mutex_unlock(&lock);
	return r;
}

CUresult i_cuMemUnmap(CUdeviceptr ptr, size_t bytes)
{
	struct mapping **p, *m;
	CUresult r = cu_ready();

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (!bytes || !whole(ptr, bytes))
		r = CUDA_ERROR_INVALID_VALUE;
	for (p = &mappings; !r && (m = *p);) {
		if (m->va < ptr || m->va >= ptr + bytes) {
			p = &m->next;
			continue;
		}
		r = set_access(m, CU_MEM_ACCESS_FLAGS_PROT_NONE);
		if (r == CUDA_ERROR_CONTEXT_IS_DESTROYED)	/* the mapping ended with the context */
			r = CUDA_SUCCESS;
		if (r)
			break;
		*p = m->next;
		m->piece->maps--;
		piece_done(m->piece);
		free(m);
	}
	pthread_mutex_unlock(&lock);
	return r;
}
