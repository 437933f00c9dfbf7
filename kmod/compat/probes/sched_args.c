// SPDX-License-Identifier: GPL-2.0-only
/* drm_sched_init() takes a structure, in which num_rqs must be set. */

#include <drm/gpu_scheduler.h>

u32 probe(struct drm_sched_init_args *args);
u32 probe(struct drm_sched_init_args *args)
{
	return args->num_rqs;
}
