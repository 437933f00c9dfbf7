// SPDX-License-Identifier: GPL-2.0-only
/* The scheduler is a work queue, no thread. */

#include <drm/gpu_scheduler.h>

void probe(struct drm_gpu_scheduler *sched);
void probe(struct drm_gpu_scheduler *sched)
{
	queue_work(sched->submit_wq, &sched->work_free_job);
}
