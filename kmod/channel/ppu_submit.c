// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: jobs of kernel-submit channels.
 *
 * Each kernel-submit channel is a drm_gpu_scheduler with one entity.  A job's
 * entries are followed by two of the driver's: a block with WFI and, in an entry of its own, one
 * with INTR.  A job is complete when the device's GP_GET stands at the INTR entry, or past it.
 * GP_GET lives in BAR0, so that no command of the user's can make a fence signal early or late: a
 * fence depends on nothing that user space can write.
 *
 * A channel whose job timed out, or that stopped with an error, is never used
 * again: all its fences signal with an error.
 */

#include <linux/dma-fence.h>
#include <linux/highmem.h>
#include <linux/iosys-map.h>
#include <linux/module.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include <hw/ppu_cmd.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "base/ppu_quota.h"
#include "base/ppu_trace.h"
#include "base/ppu_uobj.h"
#include "channel/ppu_channel.h"
#include "channel/ppu_runtime.h"
#include "channel/ppu_submit.h"
#include "fence/ppu_join.h"
#include "fence/ppu_resv.h"
#include "fence/ppu_sw_fence.h"
#include "fence/ppu_syncobj.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_vm.h"
#include "report/ppu_fault.h"

#define PPU_TAIL_WFI	0	/* byte offsets of the driver's blocks */
#define PPU_TAIL_INTR	64
#define PPU_TAIL_COUNT	2	/* entries added to a job */
#define PPU_MAX_QUEUED	256	/* jobs of a channel that are not freed */
#define PPU_WALL_FACTOR	2	/* wall-clock cap of a time-out */

/* Hardware fences */

/** struct ppu_job_fence - a job on the ring */
struct ppu_job_fence {
	struct dma_fence base;
	/** @lock: of @base; in the fence, since the fence outlives the channel. */
	spinlock_t lock;
	struct list_head link;
	/** @done: the job is complete when GP_GET, unwrapped, reaches this. */
	u64 done;
	/** @s_fence: the job's; valid until @base signals. */
	struct drm_sched_fence *s_fence;
	char name[16];
};

#define to_ppu_job_fence(f) container_of(f, struct ppu_job_fence, base)

static const char *ppu_job_fence_driver_name(struct dma_fence *fence)
{
	return "ppu";
}

static const char *ppu_job_fence_timeline_name(struct dma_fence *fence)
{
	return to_ppu_job_fence(fence)->name;
}

/* A fence may outlive everything but its operations, so it holds the module. */
static void ppu_job_fence_release(struct dma_fence *fence)
{
	dma_fence_free(fence);
	module_put(THIS_MODULE);
}

static const struct dma_fence_ops ppu_job_fence_ops = {
	.get_driver_name = ppu_job_fence_driver_name,
	.get_timeline_name = ppu_job_fence_timeline_name,
	.release = ppu_job_fence_release,
};

/* Jobs */

/** struct ppu_job - one submission */
struct ppu_job {
	struct drm_sched_job base;
	struct ppu_channel *chan;
	/** @fence: for run_job, which must not allocate; NULL: already used. */
	struct ppu_job_fence *fence;
	/**
	 * @out: what user space gets.  Fences of the scheduler are not for it:
	 * they name the scheduler, which goes with its channel.
	 */
	struct dma_fence *out;
	struct drm_ppu_entry *entries;
	u32 count;
	u64 seqno;
	/** @resident: its VM stays on the device until the job is freed. */
	bool resident;
	/** @ready: what it waits for before it runs; NULL: nothing. */
	struct dma_fence *ready;
	/** @link: in ppu_channel.queued, until it runs or is freed; empty without @ready. */
	struct list_head link;
};

#define to_ppu_job(j) container_of(j, struct ppu_job, base)

static void ppu_job_destroy(struct ppu_job *job)
{
	dma_fence_put(job->ready);
	if (job->resident)
		ppu_vm_unuse(job->chan->vm);
	kfree(job->fence);
	dma_fence_put(job->out);
	if (job->entries)
		ppu_quota_release(job->chan->vm->quota, DRM_PPU_RES_ENTRIES, job->count);
	kvfree(job->entries);
	kfree(job);
}

/* The job waits, unless its channel has ended. */
static void ppu_job_queue(struct ppu_job *job)
{
	struct ppu_channel *chan = job->chan;
	bool dead;

	if (!job->ready)
		return;
	spin_lock_irq(&chan->fence_lock);
	dead = READ_ONCE(chan->dead);
	list_add_tail(&job->link, &chan->queued);
	spin_unlock_irq(&chan->fence_lock);
	/* Otherwise ppu_submit_fail(), which comes after @dead, finds it in the list. */
	if (dead)
		ppu_join_cancel(job->ready);
}

static void ppu_job_unqueue(struct ppu_job *job)
{
	struct ppu_channel *chan = job->chan;
	unsigned long flags;

	spin_lock_irqsave(&chan->fence_lock, flags);
	list_del_init(&job->link);
	spin_unlock_irqrestore(&chan->fence_lock, flags);
}

static void ppu_job_free(struct drm_sched_job *sched_job)
{
	struct ppu_job *job = to_ppu_job(sched_job);
	struct ppu_device *ppu = job->chan->ppu;
	struct ppu_channel *chan = job->chan;

	drm_sched_job_cleanup(sched_job);
	ppu_job_unqueue(job);
	ppu_job_destroy(job);
	atomic_dec(&chan->jobs);
	/* The channel may be gone now. */
	wake_up_all(&ppu->jobs_wq);
}

static void ppu_ring_put(struct ppu_channel *chan, u64 va, u32 length)
{
	struct ppu_gpfifo_entry *ring = chan->ring_vaddr;
	u32 i;

	div_u64_rem(chan->put_abs, chan->ring_entries, &i);
	ring[i].va = va;
	ring[i].length = length;
	ring[i].flags = 0;
	chan->put_abs++;
}

/* There is always room: the size of jobs and the scheduler's limit see to that. */
static void ppu_job_write(struct ppu_job *job)
{
	struct ppu_channel *chan = job->chan;
	u64 tail = chan->tail_map->start;
	u32 i;

	for (i = 0; i < job->count; i++)
		ppu_ring_put(chan, job->entries[i].va, job->entries[i].length);
	ppu_ring_put(chan, tail + PPU_TAIL_WFI, PPU_CMD_SIZE_WFI);
	ppu_ring_put(chan, tail + PPU_TAIL_INTR, PPU_CMD_SIZE_INTR);
}

static void ppu_job_ring_doorbell(struct ppu_channel *chan)
{
	u32 put;

	div_u64_rem(chan->put_abs, chan->ring_entries, &put);
	/* The entries are in memory before GP_PUT tells of them. */
	wmb();
	ppu_userd_wr(chan->ppu, chan->chid, PPU_REG_USERD_GP_PUT, put);
}

/* From now on the first job of the list uses up its time, and not that of those before it. */
static void ppu_job_turn(struct ppu_channel *chan)
{
	lockdep_assert_held(&chan->fence_lock);

	chan->turn_started = jiffies;
	chan->turn_runtime_ns = ppu_runtime(chan);
}

/* Puts the job's fence on the list: it is complete when GP_GET reaches @done. */
static struct dma_fence *ppu_job_emit_fence(struct ppu_job *job, u64 done)
{
	struct ppu_channel *chan = job->chan;
	struct ppu_job_fence *fence = job->fence;

	lockdep_assert_held(&chan->fence_lock);

	job->fence = NULL;
	__module_get(THIS_MODULE);
	spin_lock_init(&fence->lock);
	snprintf(fence->name, sizeof(fence->name), "ppu-ch%d", chan->chid);
	dma_fence_init(&fence->base, &ppu_job_fence_ops, &fence->lock, chan->fence_context,
		       job->seqno);
	fence->done = done;
	fence->s_fence = job->base.s_fence;
	if (list_empty(&chan->fences))
		ppu_job_turn(chan);
	/* One reference for the list, one for the scheduler. */
	list_add_tail(&fence->link, &chan->fences);
	return dma_fence_get(&fence->base);
}

/* A job without entries joins fences, but completes only after the jobs before it. */
static struct dma_fence *ppu_job_run_barrier(struct ppu_job *job)
{
	struct ppu_channel *chan = job->chan;
	struct ppu_job_fence *last;

	lockdep_assert_held(&chan->fence_lock);

	if (list_empty(&chan->fences)) {
		WRITE_ONCE(chan->seqno_completed, job->seqno);
		return NULL;
	}
	last = list_last_entry(&chan->fences, struct ppu_job_fence, link);
	return ppu_job_emit_fence(job, last->done);
}

static struct dma_fence *ppu_job_run(struct drm_sched_job *sched_job)
{
	struct ppu_job *job = to_ppu_job(sched_job);
	struct ppu_channel *chan = job->chan;
	struct ppu_device *ppu = chan->ppu;
	struct dma_fence *ret;
	unsigned long flags;
	int idx;

	ppu_job_unqueue(job);
	if (!ppu_try_enter(ppu, &idx))
		return ERR_PTR(ppu_not_entered(ppu));

	spin_lock_irqsave(&chan->fence_lock, flags);
	if (chan->dead) {
		ret = ERR_PTR(chan->dead);
	} else if (!job->count) {
		ret = ppu_job_run_barrier(job);
	} else {
		ppu_job_write(job);
		ret = ppu_job_emit_fence(job, chan->put_abs - 1);
		trace_ppu_job_run(chan->chid, job->seqno, job->count);
		ppu_job_ring_doorbell(chan);
	}
	spin_unlock_irqrestore(&chan->fence_lock, flags);

	ppu_try_exit(ppu, idx);
	return ret;
}

/* Signals fences from the head of the list while they are done. */
static void ppu_job_fences_signal(struct ppu_channel *chan, u64 getabs, int err)
{
	struct ppu_job_fence *fence, *next;
	bool turn = false;

	lockdep_assert_held(&chan->fence_lock);

	list_for_each_entry_safe(fence, next, &chan->fences, link) {
		if (!err && getabs < fence->done)
			break;
		list_del(&fence->link);
		turn = true;
		if (err) {
			/* The scheduler does not hand errors on by itself. */
			dma_fence_set_error(&fence->s_fence->finished, err);
			dma_fence_set_error(&fence->base, err);
		} else {
			WRITE_ONCE(chan->seqno_completed, fence->base.seqno);
		}
		trace_ppu_job_done(chan->chid, fence->base.seqno, err);
		dma_fence_signal(&fence->base);
		dma_fence_put(&fence->base);
	}
	if (turn && !err)
		ppu_job_turn(chan);
}

/**
 * ppu_submit_retire - signal the fences of jobs that are complete
 * @chan: kernel-submit channel
 *
 * Called by the interrupt of the INTR command; the device is entered.
 */
void ppu_submit_retire(struct ppu_channel *chan)
{
	unsigned long flags;
	u64 getabs;

	spin_lock_irqsave(&chan->fence_lock, flags);
	getabs = ppu_rd64(chan->ppu, ppu_ch_off(chan->chid, PPU_REG_CH_GETABS_LO));
	/* A device that was pulled out reads as all ones: no job is complete for that. */
	if (getabs != U64_MAX)
		ppu_job_fences_signal(chan, getabs, 0);
	spin_unlock_irqrestore(&chan->fence_lock, flags);
}

/**
 * ppu_submit_fail - signal all fences with an error; queued jobs wait no longer
 * @chan: kernel-submit channel, dead
 * @err: negative error
 */
void ppu_submit_fail(struct ppu_channel *chan, int err)
{
	struct ppu_job *job;
	unsigned long flags;

	spin_lock_irqsave(&chan->fence_lock, flags);
	ppu_job_fences_signal(chan, 0, err);
	list_for_each_entry(job, &chan->queued, link)
		ppu_join_cancel(job->ready);
	spin_unlock_irqrestore(&chan->fence_lock, flags);
	wake_up_all(&chan->ppu->jobs_wq);
}

/* Has the first job of the list used up its time?  Engine time counts, with a wall-clock cap. */
static bool ppu_job_overdue(struct ppu_channel *chan)
{
	u64 limit = (u64)chan->timeout_ms * NSEC_PER_MSEC;
	unsigned long flags;
	bool overdue;

	spin_lock_irqsave(&chan->fence_lock, flags);
	overdue = !list_empty(&chan->fences) &&
		  (time_after(jiffies, chan->turn_started +
				       PPU_WALL_FACTOR * msecs_to_jiffies(chan->timeout_ms)) ||
		   ppu_runtime(chan) - chan->turn_runtime_ns >= limit);
	spin_unlock_irqrestore(&chan->fence_lock, flags);
	return overdue;
}

/*
 * The scheduler took the job off its list before it asked.  Whether the job lives on or is done:
 * the scheduler has to put it back, or nobody would ever free it.
 */
static enum drm_gpu_sched_stat ppu_job_timedout(struct drm_sched_job *sched_job)
{
	struct ppu_job *job = to_ppu_job(sched_job);
	struct ppu_channel *chan = job->chan;
	const struct ppu_failure timedout = {
		.err = -ETIME,
		.cause = DRM_PPU_CHANNEL_STATE_TIMEDOUT,
	};
	struct ppu_device *ppu = chan->ppu;
	int idx;

	if (chan->dead || !ppu_try_enter(ppu, &idx))
		return drm_sched_no_hang(sched_job);

	ppu_submit_retire(chan);
	if (!dma_fence_is_signaled(&sched_job->s_fence->finished) && ppu_job_overdue(chan)) {
		drm_warn(&ppu->drm, "channel %d: job %llu timed out, GP_GET %u\n", chan->chid,
			 job->seqno, ppu_ch_rd(ppu, chan->chid, PPU_REG_CH_GET));
		ppu_channel_end(chan, &timedout);
	}
	ppu_try_exit(ppu, idx);
	return drm_sched_no_hang(sched_job);
}

static const struct drm_sched_backend_ops ppu_sched_ops = {
	.run_job = ppu_job_run,
	.timedout_job = ppu_job_timedout,
	.free_job = ppu_job_free,
};

/* Channel */

static int ppu_sched_init(struct ppu_channel *chan, u32 hw_jobs)
{
	struct ppu_device *ppu = chan->ppu;
	const struct drm_sched_init_args args = {
		.ops = &ppu_sched_ops,
		.num_rqs = DRM_SCHED_PRIORITY_COUNT,
		.credit_limit = hw_jobs,
		.timeout = msecs_to_jiffies(chan->timeout_ms),
		.timeout_wq = ppu->sched_wq,
		.name = "ppu",
		.dev = ppu->drm.dev,
	};

	return drm_sched_init(&chan->sched, &args);
}

static int ppu_tail_init(struct ppu_channel *chan)
{
	u8 *page;

	chan->tail = ppu_bo_create(chan->file, PAGE_SIZE, DRM_PPU_PLACEMENT_SYSTEM, 0);
	if (IS_ERR(chan->tail)) {
		int ret = PTR_ERR(chan->tail);

		chan->tail = NULL;
		return ret;
	}
	chan->tail->kernel = true;

	page = kmap_local_page(chan->tail->base.pages[0]);
	*(u32 *)(page + PPU_TAIL_WFI) = PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0);
	*(u32 *)(page + PPU_TAIL_INTR) = PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0);
	kunmap_local(page);

	chan->tail_map = ppu_vm_map_kernel(chan->vm, chan->tail,
					   PPU_PTE_PRIV | PPU_PTE_READONLY | PPU_PTE_NOEXEC);
	if (IS_ERR(chan->tail_map)) {
		int ret = PTR_ERR(chan->tail_map);

		chan->tail_map = NULL;
		return ret;
	}
	return 0;
}

/**
 * ppu_submit_init - make a channel ready for jobs
 * @chan: kernel-submit channel with its ring
 *
 * Return: 0 or a negative error; ppu_channel.sched_ready says if
 * ppu_submit_fini() has to be called.
 */
int ppu_submit_init(struct ppu_channel *chan)
{
	struct drm_gpu_scheduler *sched = &chan->sched;
	u32 hw_jobs = max(1u, chan->ring_entries / chan->entries);
	struct iosys_map map;
	int ret;

	ret = ppu_tail_init(chan);
	if (ret)
		return ret;

	/* One entry stays empty, and the INTR of a finished job may still be in the ring. */
	chan->job_entries = chan->entries - PPU_TAIL_COUNT - 2;
	chan->fence_context = dma_fence_context_alloc(1);
	chan->out_context = dma_fence_context_alloc(1);

	ret = drm_gem_vmap(ppu_bo_gem(chan->ring), &map);
	if (ret)
		return ret;
	chan->ring_vaddr = map.vaddr;

	ret = ppu_sched_init(chan, hw_jobs);
	if (ret)
		goto err_vunmap;
	ret = drm_sched_entity_init(&chan->entity, DRM_SCHED_PRIORITY_NORMAL, &sched, 1, NULL);
	if (ret)
		goto err_sched;
	chan->sched_ready = true;
	return 0;

err_sched:
	drm_sched_fini(&chan->sched);
err_vunmap:
	drm_gem_vunmap(ppu_bo_gem(chan->ring), &map);
	chan->ring_vaddr = NULL;
	return ret;
}

/**
 * ppu_submit_fini - end the scheduler of a channel
 * @chan: kernel-submit channel; dead, or never used; nobody submits to it
 */
void ppu_submit_fini(struct ppu_channel *chan)
{
	struct iosys_map map = IOSYS_MAP_INIT_VADDR(chan->ring_vaddr);

	/*
	 * The channel is dead: started jobs were ended, and queued ones wait for nothing any more.
	 * Left to drm_sched_entity_fini(), queued jobs would leak references to fences on some
	 * kernels.
	 */
	wait_event(chan->ppu->jobs_wq, !atomic_read(&chan->jobs));
	drm_sched_entity_fini(&chan->entity);
	drm_sched_fini(&chan->sched);
	chan->sched_ready = false;
	drm_gem_vunmap(ppu_bo_gem(chan->ring), &map);
}

/* SUBMIT */

/** struct ppu_submit - one ioctl in progress */
struct ppu_submit {
	struct ppu_channel *chan;
	struct drm_file *filp;
	struct ppu_job *job;
	bool job_ready;
	struct ppu_syncs syncs;
	struct ppu_resv resv;
};

static int ppu_submit_check_entries(struct ppu_device *ppu, const struct ppu_job *job)
{
	u32 i;

	for (i = 0; i < job->count; i++) {
		const struct drm_ppu_entry *e = &job->entries[i];

		if (PPU_CHECK(ppu, e->flags) || PPU_CHECK(ppu, e->va & 3) ||
		    PPU_CHECK(ppu, !e->length || e->length > PPU_BLOCK_MAX_WORDS) ||
		    PPU_CHECK(ppu, e->va < PPU_VA_USER_START || e->va >= PPU_VA_USER_END))
			return -EINVAL;
	}
	return 0;
}

/* Copies what user space gave.  This may take as long as page faults of user space. */
static int ppu_submit_get_job(struct ppu_submit *sub, const struct drm_ppu_submit *args)
{
	struct ppu_device *ppu = sub->chan->ppu;
	struct ppu_job *job;
	int ret;

	if (PPU_CHECK(ppu, args->entries.count > sub->chan->job_entries))
		return -EINVAL;

	job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job)
		return -ENOMEM;
	sub->job = job;
	INIT_LIST_HEAD(&job->link);
	job->chan = sub->chan;
	job->count = args->entries.count;
	job->fence = kzalloc(sizeof(*job->fence), GFP_KERNEL_ACCOUNT);
	if (!job->fence)
		return -ENOMEM;
	if (!job->count)
		return 0;

	ret = ppu_quota_charge(job->chan->vm->quota, DRM_PPU_RES_ENTRIES, job->count);
	if (ret)
		return ret;
	job->entries = ppu_uobj_get_array(&args->entries, sizeof(*job->entries),
					  sizeof(*job->entries), job->count);
	if (IS_ERR(job->entries)) {
		ret = PTR_ERR(job->entries);
		job->entries = NULL;
		ppu_quota_release(job->chan->vm->quota, DRM_PPU_RES_ENTRIES, job->count);
		return ret;
	}
	return ppu_submit_check_entries(ppu, job);
}

static int ppu_submit_get(struct ppu_submit *sub, const struct drm_ppu_submit *args)
{
	int ret = ppu_submit_get_job(sub, args);

	if (ret)
		return ret;
	ret = ppu_syncs_get(&sub->syncs, sub->chan->ppu, sub->filp, &args->syncs,
			    args->flags & DRM_PPU_SUBMIT_NONBLOCK);
	if (ret)
		return ret;
	return ppu_resv_get(&sub->resv, sub->chan->ppu, sub->filp, &args->bos);
}

/* Does everything that may fail. */
static int ppu_submit_prepare(struct ppu_submit *sub)
{
	struct ppu_channel *chan = sub->chan;
	struct ppu_syncs *syncs = &sub->syncs;
	struct ppu_job *job = sub->job;
	int ret;

	ret = ppu_resv_lock(&sub->resv, syncs);
	if (ret)
		return ret;
	job->out = ppu_sw_fence_create("ppu-job", chan->out_context, chan->seqno_submitted + 1);
	if (!job->out)
		return -ENOMEM;
	ret = drm_sched_job_init(&job->base, &chan->entity, 1, sub->filp, sub->filp->client_id);
	if (ret)
		return ret;
	sub->job_ready = true;

	if (!syncs->num_waits)
		return 0;
	job->ready = ppu_join_create(syncs->waits, syncs->num_waits);
	if (!job->ready)
		return -ENOMEM;
	/* The call takes the reference, also if it fails. */
	return drm_sched_job_add_dependency(&job->base, dma_fence_get(job->ready));
}

static void ppu_submit_cleanup(struct ppu_submit *sub)
{
	ppu_resv_fini(&sub->resv);
	ppu_syncs_fini(&sub->syncs);
	if (sub->job) {
		if (sub->job_ready)
			drm_sched_job_cleanup(&sub->job->base);
		ppu_job_destroy(sub->job);
	}
}

static bool ppu_submit_has_room(struct ppu_channel *chan)
{
	return atomic_read(&chan->jobs) < PPU_MAX_QUEUED || READ_ONCE(chan->dead);
}

static int ppu_submit_wait_room(struct ppu_channel *chan, bool nonblock)
{
	if (ppu_submit_has_room(chan))
		return 0;
	if (nonblock)
		return -EAGAIN;
	return wait_event_interruptible(chan->ppu->jobs_wq, ppu_submit_has_room(chan));
}

/* Waits for room, and takes the lock, under which nobody else can take that room. */
static int ppu_submit_lock(struct ppu_channel *chan, bool nonblock)
{
	int ret;

	for (;;) {
		ret = ppu_submit_wait_room(chan, nonblock);
		if (ret)
			return ret;
		ret = mutex_lock_interruptible(&chan->lock);
		if (ret || ppu_submit_has_room(chan))
			return ret;
		mutex_unlock(&chan->lock);
	}
}

/* From here on the job belongs to the scheduler. */
static void ppu_submit_push(struct ppu_submit *sub, u64 *seqno)
{
	struct ppu_channel *chan = sub->chan;
	struct ppu_job *job = sub->job;
	struct dma_fence *fence;

	lockdep_assert_held(&chan->lock);

	atomic_inc(&chan->jobs);
	job->seqno = ++chan->seqno_submitted;
	*seqno = job->seqno;
	trace_ppu_submit(chan->chid, job->seqno, job->count,
			 sub->syncs.num_waits + sub->syncs.num_signals);
	drm_sched_job_arm(&job->base);
	ppu_sw_fence_follow(job->out, &job->base.s_fence->finished);
	fence = dma_fence_get(job->out);
	ppu_job_queue(job);
	sub->job = NULL;
	drm_sched_entity_push_job(&job->base);
	/* Out-fences are attached once nothing can fail any more. */
	ppu_syncs_attach(&sub->syncs, fence);
	ppu_resv_attach(&sub->resv, fence);
	dma_fence_put(fence);
}

static int ppu_submit_locked(struct ppu_submit *sub, struct drm_ppu_submit *args)
{
	struct ppu_channel *chan = sub->chan;
	int idx, dead, ret;

	lockdep_assert_held(&chan->lock);

	if (chan->destroyed)
		return -ENOENT;
	if (!ppu_enter(chan->ppu, &idx))
		return -ENODEV;
	dead = ppu_fault_catch_up(chan);
	ppu_exit(chan->ppu, idx);
	if (dead)
		return dead == -ENODEV ? -ENODEV : -EIO;

	ret = ppu_vm_use(chan->vm);
	if (ret)
		return ret;
	sub->job->resident = true;
	ret = ppu_submit_prepare(sub);
	if (!ret)
		ppu_submit_push(sub, &args->seqno);
	return ret;
}

static int ppu_submit(struct ppu_submit *sub, struct drm_ppu_submit *args)
{
	bool nonblock = args->flags & DRM_PPU_SUBMIT_NONBLOCK;
	struct ppu_channel *chan = sub->chan;
	int ret;

	/* Who has to wait does so before much is allocated. */
	ret = ppu_submit_wait_room(chan, nonblock);
	if (ret)
		return ret;
	/* Not under the lock, so that others can destroy the channel meanwhile. */
	ret = ppu_submit_get(sub, args);
	if (ret)
		return ret;

	ret = ppu_submit_lock(chan, nonblock);
	if (ret)
		return ret;
	ret = ppu_submit_locked(sub, args);
	mutex_unlock(&chan->lock);
	return ret;
}

int ppu_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_submit *args = data;
	struct ppu_submit sub = { .filp = filp };
	int ret;

	if (PPU_CHECK(ppu, args->flags & ~DRM_PPU_SUBMIT_NONBLOCK))
		return -EINVAL;
	sub.chan = ppu_channel_lookup(filp->driver_priv, args->channel_id);
	if (!sub.chan)
		return -ENOENT;

	ret = PPU_CHECK(ppu, sub.chan->user_submit) ? -EINVAL : ppu_submit(&sub, args);
	ppu_submit_cleanup(&sub);
	ppu_channel_put(sub.chan);
	return ret;
}
