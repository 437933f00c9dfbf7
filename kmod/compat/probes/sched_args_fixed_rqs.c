// SPDX-License-Identifier: GPL-2.0-only
/* drm_sched_init() takes a structure without num_rqs. */

#include <drm/gpu_scheduler.h>

int probe(struct drm_gpu_scheduler *sched, struct drm_sched_init_args *args);
int probe(struct drm_gpu_scheduler *sched, struct drm_sched_init_args *args)
{
	return drm_sched_init(sched, args);
}
