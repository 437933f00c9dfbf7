/* SPDX-License-Identifier: MIT */
/* 16-byte words in pages of their own, handed out to channels, lanes and events. */
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include <hw/ppu_mmu.h>
#include "api/stream/slot.h"
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/need.h"
#include "api/context/wait.h"
#include "api/memory/va.h"
#include "api/stream/chan.h"
#include "backend/backend.h"

ppuResult rt_slots_new(struct ppuCtx_st *ctx)
{
	struct rt_slots *s = calloc(1, sizeof(*s));
	void *p;
	int rc;

	if (!s)
		return rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	rc = ctx->be->bo_alloc(ctx->vm, RT_SEM_BO, BE_SYSTEM, &s->bo);
	if (rc)
		goto fail;
	rc = rt_va_alloc(RT_SEM_BO, PPU_PAGE_SIZE, &s->va);
	if (rc)
		goto fail_bo;
	rc = ctx->be->bo_map(s->bo, (void *)(uintptr_t)s->va, &p);
	if (!rc)
		rc = ctx->be->bind(ctx->vm, s->bo, s->va, RT_SEM_BO, BE_BIND_NOEXEC);
	if (rc)
		goto fail_va;
	for (uint32_t i = 0; i < RT_SEM_BO / 16; i++)
		s->free[s->num_free++] = (uint16_t)(RT_SEM_BO / 16 - 1 - i);
	s->next = ctx->slots;
	ctx->slots = s;
	return PPU_SUCCESS;
fail_va:
	rt_va_free(s->va, RT_SEM_BO, true);
fail_bo:
	ctx->be->bo_free(s->bo);
fail:
	free(s);
	return rt_errno(rc, "allocating semaphores");
}

ppuResult rt_slot_alloc(struct ppuCtx_st *ctx, struct rt_slot *slot)
{
	ppuResult res;

	for (struct rt_retired_slot **p = &ctx->retired; *p; ) {
		struct rt_retired_slot *r = *p;

		if (rt_done(ctx, &r->need)) {
			rt_slot_unused(r->slot);
			*p = r->next;
			free(r);
		} else {
			p = &r->next;
		}
	}
	for (int round = 0; round < 2; round++) {
		for (struct rt_slots *s = ctx->slots; s; s = s->next) {
			if (!s->num_free)
				continue;
			slot->home = s;
			slot->index = s->free[--s->num_free];
			rt_slot_ptr(*slot)[0] = 0;
			rt_slot_ptr(*slot)[1] = 0;
			return PPU_SUCCESS;
		}
		res = rt_slots_new(ctx);
		if (res)
			return res;
	}
	return rt_error(PPU_ERROR_OUT_OF_RESOURCES);
}

void rt_slot_unused(struct rt_slot slot)
{
	slot.home->free[slot.home->num_free++] = (uint16_t)slot.index;
}

void rt_slot_retire(struct ppuCtx_st *ctx, struct rt_slot slot, const struct rt_need *need)
{
	struct rt_retired_slot *r = malloc(sizeof(*r));

	if (!r)
		return;		/* the slot is lost until the context ends */
	r->slot = slot;
	r->need = *need;
	r->next = ctx->retired;
	ctx->retired = r;
}
