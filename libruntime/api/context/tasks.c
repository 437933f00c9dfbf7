/* SPDX-License-Identifier: MIT */
/* What the context's kernels are doing: the device's records of their tasks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ppu.h>
#include "api/context/context.h"
#include "api/context/error.h"
#include "api/context/init.h"
#include "api/context/object.h"
#include "api/context/wait.h"
#include "api/launch/module.h"

#define S(name, code, text) _Static_assert(PPU_TASK_STATE_##name == (code), "the device's numbers");
PPU_TASK_STATES(S)
#undef S

const char *ppuGetTaskStateName(ppuTaskState state)
{
	switch ((unsigned)state) {
#define S(name, code, text) case code: return #name;
	PPU_TASK_STATES(S)
#undef S
	}
	return "?";
}

/* The name of a task's kernel, if the runtime launched it: the upper half of the id is the number of its
 * function. */
static const char *name_of(const struct ppuCtx_st *ctx, const struct ppu_task_info *t)
{
	uint32_t number = (uint32_t)(t->id >> 32);
	const struct ppuFunction_st *f = number && number <= ctx->num_funcs ? ctx->funcs[number - 1] : NULL;

	return f ? f->sym->name : "";
}

static void translate(const struct ppuCtx_st *ctx, const struct ppu_task_info *t, ppuTaskInfo *out)
{
	*out = (ppuTaskInfo){
		.number = t->record, .state = (ppuTaskState)t->state,
		.slot = t->slot == PPU_TASK_NONE ? -1 : (int)t->slot,
		.parent = t->parent == PPU_TASK_NONE ? -1 : (int)t->parent,
		.device_priority = t->priority, .depth = t->depth,
		.blocks = t->ctas, .blocks_done = t->ctas_done,
		.blocks_running = t->ctas_running, .blocks_saved = t->ctas_saved,
	};
	snprintf(out->kernel, sizeof(out->kernel), "%s", name_of(ctx, t));
}

ppuResult ppuCtxGetTasks(ppuTaskInfo *tasks, unsigned *count)
{
	struct ppu_task_info *t;
	struct ppuCtx_st *ctx;
	ppuResult res;

	if (!count || (*count && !tasks))
		return rt_error(PPU_ERROR_INVALID_VALUE);
	res = rt_current(&ctx);
	if (res)
		return res;
	t = calloc(*count ? *count : 1, sizeof(*t));
	res = t ? rt_enter(ctx) : rt_error(PPU_ERROR_OUT_OF_HOST_MEMORY);
	if (!res) {
		res = rt_errno(ctx->be->vm_tasks(ctx->vm, t, count), "asking for tasks");
		for (unsigned i = 0; !res && i < *count; i++)
			translate(ctx, &t[i], &tasks[i]);
		rt_leave(ctx);
	}
	free(t);
	rt_obj_put(&ctx->obj);
	return res;
}
