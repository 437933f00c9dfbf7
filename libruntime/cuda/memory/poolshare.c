/* SPDX-License-Identifier: MIT */
/*
 * Pools of several processes. A file in memory says which pool it stands for; who has it may import blocks of that pool, each
 * by an offer (context/offer.h). Blocks are allocated by the process alone that made the pool.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cuda/memory/poolblock.h"
#include "common/memfile.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"

#define POOL_MAGIC	0x6c6f6f702d757070ull	/* "ppu-pool" */

struct pool_file {
	uint64_t magic, id;
};

/* CUDA's 64 bytes for a block. */
struct pool_pointer {
	struct cu_offer offer;
	uint64_t pool;
};
_Static_assert(sizeof(struct pool_pointer) <= sizeof(CUmemPoolPtrExportData), "it fits");

/* ---- pools ---------------------------------------------------------------------------------- */

/* Locked. */
static CUresult pool_file_new(struct CUmemPoolHandle_st *p, int *fd)
{
	struct pool_file f = { .magic = POOL_MAGIC };

	while (!p->shared_id)
		if (getrandom(&p->shared_id, sizeof(p->shared_id), 0) != (ssize_t)sizeof(p->shared_id))
			return CUDA_ERROR_OPERATING_SYSTEM;
	f.id = p->shared_id;
	*fd = ppu_memfile_new("ppu-pool", sizeof(f));
	if (*fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	if (pwrite(*fd, &f, sizeof(f), 0) == (ssize_t)sizeof(f))
		return CUDA_SUCCESS;
	close(*fd);
	return CUDA_ERROR_OPERATING_SYSTEM;
}

CUresult i_cuMemPoolExportToShareableHandle(void *out, CUmemoryPool pool, CUmemAllocationHandleType type, unsigned long long flags)
{
	struct CUmemPoolHandle_st *p;
	CUresult r = cu_pool_find(pool, &p);
	int fd;

	if (r)
		return r;
	pthread_mutex_lock(&cu_pool_lock);
	if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !p->shareable)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		r = pool_file_new(p, &fd);
	pthread_mutex_unlock(&cu_pool_lock);
	if (!r)
		*(int *)out = fd;
	cu_obj_put(p);
	return r;
}

/* The file stays the caller's. */
CUresult i_cuMemPoolImportFromShareableHandle(CUmemoryPool *pool, void *handle, CUmemAllocationHandleType type,
					      unsigned long long flags)
{
	int fd = (int)(intptr_t)handle;
	struct CUmemPoolHandle_st *p;
	struct pool_file f;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	if (!pool || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !ppu_memfile_is(fd, sizeof(f)) ||
	    pread(fd, &f, sizeof(f), 0) != (ssize_t)sizeof(f) || f.magic != POOL_MAGIC) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		pthread_mutex_lock(&cu_pool_lock);
		p = cu_pool_new(c->device);
		if (p) {
			p->imported = true;
			p->shared_id = f.id;
			*pool = p;
		} else {
			r = CUDA_ERROR_OUT_OF_MEMORY;
		}
		pthread_mutex_unlock(&cu_pool_lock);
	}
	cu_obj_put(c);
	return r;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* Locked.  The block has an offer, which is the same for all who ask. */
static CUresult offered(struct block *b)
{
	CUresult r = CUDA_SUCCESS;

	if (!b->offer.kind)
		r = cu_export(CU_OFFER_POOL, (void *)(uintptr_t)b->va, &b->offer);
	if (r)
		b->offer.kind = 0;
	return r;
}

CUresult i_cuMemPoolExportPointer(CUmemPoolPtrExportData *data, CUdeviceptr ptr)
{
	struct CUmemPoolHandle_st *p = NULL;
	struct pool_pointer out = { 0 };
	struct CUctx_st *c;
	struct block *b;
	CUresult r = cu_current_of(&c, ptr);

	if (r)
		return r;
	pthread_mutex_lock(&cu_pool_lock);
	b = cu_pool_block_at(ptr, false, &p);
	if (!data || !b || p->imported || !p->shared_id || p->ctx != c || p->ctx_id != c->id)
		r = CUDA_ERROR_INVALID_VALUE;
	else
		r = offered(b);
	if (!r) {
		out.offer = b->offer;
		out.pool = p->shared_id;
		memset(data, 0, sizeof(*data));
		memcpy(data, &out, sizeof(out));
	}
	pthread_mutex_unlock(&cu_pool_lock);
	cu_obj_put(c);
	return r;
}

static struct block *taken(const struct cu_offer *offer, CUresult *r)
{
	struct block *b = calloc(1, sizeof(*b));
	int fd;

	*r = b ? cu_offer_take(offer, &fd) : CUDA_ERROR_OUT_OF_MEMORY;
	if (!*r) {
		*r = cu_import(&b->import, fd, offer->buffer);
		close(fd);
	}
	if (*r) {
		free(b);
		return NULL;
	}
	b->va = (uintptr_t)b->import.at + offer->offset;
	b->bytes = offer->bytes;
	b->used = true;
	return b;
}

/* Locked.  A pool of another process has blocks in one context. */
static CUresult adopt(struct CUmemPoolHandle_st *p, struct block *b, struct CUctx_st *c)
{
	if (p->blocks && (p->ctx != c || p->ctx_id != c->id))
		return CUDA_ERROR_INVALID_CONTEXT;
	p->ctx = c;
	p->ctx_id = c->id;
	cu_pool_add(p, b);
	return CUDA_SUCCESS;
}

CUresult i_cuMemPoolImportPointer(CUdeviceptr *ptr, CUmemoryPool pool, CUmemPoolPtrExportData *data)
{
	struct CUmemPoolHandle_st *p;
	struct pool_pointer in;
	struct block *b = NULL;
	struct CUctx_st *c;
	CUresult r = cu_pool_find(pool, &p);

	if (r)
		return r;
	r = cu_current(&c);
	if (r) {
		cu_obj_put(p);
		return r;
	}
	if (data)
		memcpy(&in, data, sizeof(in));
	if (!ptr || !data || !p->imported || p->shared_id != in.pool || !cu_offer_is(CU_OFFER_POOL, &in.offer))
		r = CUDA_ERROR_INVALID_VALUE;
	else
		b = taken(&in.offer, &r);
	if (b) {
		pthread_mutex_lock(&cu_pool_lock);
		r = adopt(p, b, c);
		if (!r)
			*ptr = b->va;
		pthread_mutex_unlock(&cu_pool_lock);
		if (r) {
			cu_import_end(&b->import, c, c->id);
			free(b);
		}
	}
	cu_obj_put(c);
	cu_obj_put(p);
	return r;
}

void cu_pool_unshare(const struct CUmemPoolHandle_st *p, struct block *b, bool lives_on)
{
	if (b->offer.kind)
		cu_offer_end(&b->offer);
	if (p->imported)	/* no context has the number 0 */
		cu_import_end(&b->import, p->ctx, lives_on ? p->ctx_id : 0);
}
