/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <drm/gpu_scheduler.h>

#ifndef PPU_COMPAT_GPU_SCHEDULER_H
#define PPU_COMPAT_GPU_SCHEDULER_H

#include <ppu_have.h>

/*
 * drm_sched_no_hang() - a job was not too late: what timedout_job returns
 * @job: of this driver, taken off the scheduler's list
 *
 * The one call of which no kernel has the name: schedulers that put the job back by themselves
 * are told to by the value, for others the work is done here.
 */
static inline enum drm_gpu_sched_stat drm_sched_no_hang(struct drm_sched_job *job)
{
#ifdef PPU_HAVE_SCHED_NO_HANG
	return DRM_GPU_SCHED_STAT_NO_HANG;
#else
	struct drm_gpu_scheduler *sched = job->sched;

	spin_lock(&sched->job_list_lock);
	list_add(&job->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
#ifdef PPU_HAVE_SCHED_WORK
	queue_work(sched->submit_wq, &sched->work_free_job);
#else
	wake_up_interruptible(&sched->wake_up_worker);
#endif
	return DRM_GPU_SCHED_STAT_NOMINAL;
#endif
}

#if defined(PPU_HAVE_SCHED_JOB_CLIENT)
/* nothing to do */
#elif defined(PPU_HAVE_SCHED_JOB_CREDITS)
#define drm_sched_job_init(job, entity, credits, owner, client)	\
	drm_sched_job_init(job, entity, credits, owner)
#else
#define drm_sched_job_init(job, entity, credits, owner, client)	\
	drm_sched_job_init(job, entity, owner)
#endif

#ifndef PPU_HAVE_SCHED_ARGS
/* Those of the newest kernel's fields that this driver uses. */
struct ppu_compat_sched_init_args {
	const struct drm_sched_backend_ops *ops;
	struct workqueue_struct *timeout_wq;
	u32 num_rqs;
	u32 credit_limit;
	long timeout;
	const char *name;
	struct device *dev;
};

static inline int ppu_compat_sched_init(struct drm_gpu_scheduler *sched,
					const struct ppu_compat_sched_init_args *args)
{
#if defined(PPU_HAVE_SCHED_ARGS_FIXED_RQS)
	const struct drm_sched_init_args own = {
		.ops = args->ops,
		.timeout_wq = args->timeout_wq,
		.credit_limit = args->credit_limit,
		.timeout = args->timeout,
		.name = args->name,
		.dev = args->dev,
	};

	return drm_sched_init(sched, &own);
#elif defined(PPU_HAVE_SCHED_WORK)
	return drm_sched_init(sched, args->ops, NULL, args->num_rqs, args->credit_limit, 0,
			      args->timeout, args->timeout_wq, NULL, args->name, args->dev);
#else
	return drm_sched_init(sched, args->ops, args->credit_limit, 0, args->timeout,
			      args->timeout_wq, NULL, args->name, args->dev);
#endif
}

#define drm_sched_init_args ppu_compat_sched_init_args
#define drm_sched_init ppu_compat_sched_init
#endif

#endif
