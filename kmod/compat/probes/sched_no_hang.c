// SPDX-License-Identifier: GPL-2.0-only
/* A job that was not too late is put back by the scheduler. */

#include <drm/gpu_scheduler.h>

enum drm_gpu_sched_stat probe(void);
enum drm_gpu_sched_stat probe(void)
{
	return DRM_GPU_SCHED_STAT_NO_HANG;
}
