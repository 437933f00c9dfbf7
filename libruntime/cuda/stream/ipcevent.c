/* SPDX-License-Identifier: MIT */
/*
 * Events of several processes: words in pinned memory that all of them have. A record adds one to the first word, and the
 * stream stores the sum, n, to another one; who waits reads the first one, and waits for the other one. There are several of
 * these, so that a record that is done late, of another stream, does not take back what a later one has stored.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/stream/ipcevent.h"
#include "common/memfile.h"
#include "cuda/context/context.h"
#include "cuda/context/device.h"
#include "cuda/context/error.h"
#include "cuda/context/object.h"
#include "cuda/memory/ipc.h"
#include "cuda/stream/event.h"

#define RECORDS	63u		/* so many may be on their way at once; others wait */

struct words {
	uint64_t recorded, done[RECORDS];
};

struct cu_ipc_event {
	struct words *cpu;
	uint64_t device;		/* where the device has them */
	struct cu_offer offer;
	bool imported, mapped;		/* another process's; not allocated, but of a file */
	bool in_process;		/* the device works while the program calls */
	struct cu_import import;
	void *view;			/* of the file */
};

/* The words are in the file, which stays the caller's, as the offer says. */
static CUresult map_file(struct cu_ipc_event *e, int fd, const struct CUctx_st *ctx)
{
	ppuDeviceProp p;
	CUresult r = cu_device(ctx->device, &p);

	if (r)
		return r;
	e->in_process = strcmp(p.backend, "drm") != 0;
	e->view = mmap(NULL, e->offer.buffer, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (e->view == MAP_FAILED)
		return CUDA_ERROR_OPERATING_SYSTEM;
	r = cu_import(&e->import, fd, e->offer.buffer);
	if (r) {
		munmap(e->view, e->offer.buffer);
		return r;
	}
	e->mapped = true;
	e->cpu = (struct words *)((char *)e->view + e->offer.offset);
	e->device = (uintptr_t)e->import.at + e->offer.offset;
	return CUDA_SUCCESS;
}

static CUresult words_allocated(struct cu_ipc_event *e)
{
	CUresult r;
	void *p;

	r = cu_result(ppuMallocHost(&p, sizeof(struct words)));
	if (r)
		return r;
	r = cu_export(CU_OFFER_EVENT, p, &e->offer);
	if (r) {
		ppuFreeHost(p);
		return r;
	}
	e->cpu = p;
	e->device = (uintptr_t)p;
	return CUDA_SUCCESS;
}

static void unmap_file(struct cu_ipc_event *e, const struct CUctx_st *ctx, unsigned long long id)
{
	munmap(e->view, e->offer.buffer);
	cu_import_end(&e->import, ctx, id);
}

/* Where pinned memory is that of one process alone. */
static CUresult words_in_file(struct cu_ipc_event *e, const struct CUctx_st *ctx)
{
	int fd = ppu_memfile_new("ppu-event", PPU_MEM_GRANULARITY);
	CUresult r;

	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	e->offer.bytes = sizeof(struct words);
	e->offer.buffer = PPU_MEM_GRANULARITY;
	r = map_file(e, fd, ctx);
	if (r) {
		close(fd);
		return r;
	}
	r = cu_offer_new(CU_OFFER_EVENT, fd, &e->offer);
	if (r)
		unmap_file(e, ctx, ctx->id);
	return r;
}

CUresult cu_ipc_event_new(const struct CUctx_st *ctx, struct cu_ipc_event **out)
{
	struct cu_ipc_event *e = calloc(1, sizeof(*e));
	CUresult r;

	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	r = words_allocated(e);
	if (r == CUDA_ERROR_NOT_SUPPORTED)
		r = words_in_file(e, ctx);
	if (r)
		free(e);
	else
		*out = e;
	return r;
}

void cu_ipc_event_end(struct cu_ipc_event *e, struct CUctx_st *ctx, unsigned long long id)
{
	if (!e)
		return;
	if (!e->imported)
		cu_offer_end(&e->offer);
	if (e->mapped)
		unmap_file(e, ctx, id);
	else
		cu_free_host_in(ctx, id, e->cpu);
	free(e);
}

/* What stream work of this process has come to: an error, or nothing to tell. */
static CUresult failed(ppuEvent own)
{
	CUresult r = cu_result(ppuEventQuery(own));

	return r == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : r;
}

static bool is_done(const struct cu_ipc_event *e, uint64_t n)
{
	return (int64_t)(__atomic_load_n(&e->cpu->done[n % RECORDS], __ATOMIC_ACQUIRE) - n) >= 0;
}

static ppuWordOp word(const struct cu_ipc_event *e, ppuWordKind kind, uint64_t n)
{
	return (ppuWordOp){ .address = e->device + offsetof(struct words, done[n % RECORDS]), .value = n, .kind = kind, .bytes = 8 };
}

CUresult cu_ipc_event_record(struct cu_ipc_event *e, ppuEvent own, ppuStream stream)
{
	uint64_t n = __atomic_add_fetch(&e->cpu->recorded, 1, __ATOMIC_SEQ_CST);
	ppuWordOp ops[2];
	size_t num = 0;
	CUresult r;

	/* The record that had this word before stores first. */
	if (n > RECORDS && !is_done(e, n - RECORDS))
		ops[num++] = word(e, PPU_WORD_WAIT_GEQ, n - RECORDS);
	ops[num++] = word(e, PPU_WORD_WRITE, n);
	r = cu_result(ppuStreamWordOps(stream, ops, num));
	if (r)		/* nobody waits for ever for what will not come */
		__atomic_store_n(&e->cpu->done[n % RECORDS], n, __ATOMIC_RELEASE);
	if (!r)
		r = cu_result(ppuEventRecord(own, stream));
	return !r && e->in_process && !cu_ipc_drive(own) ? CUDA_ERROR_OUT_OF_MEMORY : r;
}

CUresult cu_ipc_event_wait(struct cu_ipc_event *e, ppuStream stream)
{
	uint64_t n = __atomic_load_n(&e->cpu->recorded, __ATOMIC_SEQ_CST);
	ppuWordOp op = word(e, PPU_WORD_WAIT_GEQ, n);

	return n ? cu_result(ppuStreamWordOps(stream, &op, 1)) : CUDA_SUCCESS;
}

CUresult cu_ipc_event_query(const struct cu_ipc_event *e, ppuEvent own)
{
	CUresult r;

	if (is_done(e, __atomic_load_n(&e->cpu->recorded, __ATOMIC_SEQ_CST)))
		return CUDA_SUCCESS;
	r = failed(own);
	return r ? r : CUDA_ERROR_NOT_READY;
}

/* Nobody tells a process that another one's work is done. */
CUresult cu_ipc_event_synchronize(const struct cu_ipc_event *e, ppuEvent own)
{
	uint64_t n = __atomic_load_n(&e->cpu->recorded, __ATOMIC_SEQ_CST);
	CUresult r = CUDA_SUCCESS;

	for (unsigned int us = 20; !is_done(e, n) && !(r = failed(own)); us += us < 1000 ? us : 0)
		usleep(us);
	return r;
}

/* ---- calls ---------------------------------------------------------------------------------- */

CUresult i_cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event)
{
	struct CUevent_st *e;
	CUresult r = cu_obj_find(event, CU_EVENT, &e);

	if (r)
		return r;
	if (!handle || !e->ipc || e->ipc->imported) {
		r = CUDA_ERROR_INVALID_VALUE;
	} else {
		memset(handle, 0, sizeof(*handle));
		memcpy(handle, &e->ipc->offer, sizeof(e->ipc->offer));
	}
	cu_obj_put(e);
	return r;
}

static CUresult take(const struct cu_offer *offer, const struct CUctx_st *ctx, struct cu_ipc_event **out)
{
	struct cu_ipc_event *e = calloc(1, sizeof(*e));
	CUresult r;
	int fd;

	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	e->offer = *offer;
	e->imported = true;
	r = cu_offer_take(offer, &fd);
	if (!r) {
		r = map_file(e, fd, ctx);
		close(fd);
	}
	if (r)
		free(e);
	else
		*out = e;
	return r;
}

CUresult i_cuIpcOpenEventHandle(CUevent *event, CUipcEventHandle handle)
{
	struct cu_ipc_event *ipc;
	struct cu_offer offer;
	struct CUctx_st *c;
	CUresult r = cu_current(&c);

	if (r)
		return r;
	memcpy(&offer, &handle, sizeof(offer));
	if (!event || !cu_offer_is(CU_OFFER_EVENT, &offer) || offer.bytes < sizeof(struct words) || offer.offset % 8)
		r = CUDA_ERROR_INVALID_VALUE;
	else if (cu_offer_is_mine(&offer))
		r = CUDA_ERROR_INVALID_CONTEXT;
	else
		r = take(&offer, c, &ipc);
	if (!r) {
		r = cu_event_of(c, ipc, event);
		if (r)
			cu_ipc_event_end(ipc, c, c->id);
	}
	cu_obj_put(c);
	return r;
}
