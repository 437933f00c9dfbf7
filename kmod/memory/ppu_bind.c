// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: VM_BIND.
 *
 * A bind is prepared by its ioctl: objects are looked up, and everything that
 * it may need is allocated, page tables included.  The rest of the work, changing the address
 * space, allocates nothing and so cannot fail.  So a worker may do it later, while fences wait for
 * it: nothing that these fences wait for allocates memory.
 *
 * Each VM has queues of asynchronous binds.  Those of one queue are done in order.  The head of a
 * queue waits for its in-fences one after the other, by a callback.  Each bind has all that it
 * needs, and ppu_vm.lock while it changes the address space, so the order of queues does not
 * matter.
 */

#include <linux/dma-fence.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include <drm/drm_file.h>
#include <drm/drm_print.h>

#include <hw/ppu_mmu.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_quota.h"
#include "base/ppu_trace.h"
#include "base/ppu_uobj.h"
#include "core/pt.h"
#include "fence/ppu_sw_fence.h"
#include "fence/ppu_syncobj.h"
#include "memory/ppu_bind.h"
#include "memory/ppu_evict.h"
#include "memory/ppu_gem.h"
#include "memory/ppu_mmu.h"
#include "memory/ppu_move.h"
#include "memory/ppu_vm.h"

/** struct ppu_bind_queue - asynchronous binds of a VM that are done in order */
struct ppu_bind_queue {
	struct ppu_vm *vm;
	/** @binds: struct ppu_bind.link; under ppu_vm.bind_lock. */
	struct list_head binds;
	/** @work: does what is queued. */
	struct work_struct work;
};

/** struct ppu_bind - one VM_BIND */
struct ppu_bind {
	struct ppu_vm *vm;
	/** @ops: what to do. */
	struct drm_ppu_vm_bind_op *ops;
	/** @bos: objects of MAP operations. */
	struct ppu_bo **bos;
	/** @maps: two for each operation: the new mapping, one for a split. */
	struct ppu_mapping **maps;
	/** @spans: where tables may be needed; only until @need is known. */
	struct ppu_pt_span *spans;
	u32 num_spans;
	u32 count;
	/** @pages: leaves of the page tables that its MAPs write. */
	u64 pages;
	/** @maps_any: some operation is a MAP. */
	bool maps_any;
	/** @need: most page tables it may need. */
	struct ppu_pt_need need;
	struct ppu_pt_pool pool;
	/** @dead: mappings that it replaced. */
	struct list_head dead;

	/* Asynchronous. */
	/** @queue: where it waits. */
	struct ppu_bind_queue *queue;
	/** @link: in ppu_bind_queue.binds, then in ppu_vm.binds_gone. */
	struct list_head link;
	struct ppu_quota *quota;
	struct ppu_syncs syncs;
	/** @next_wait: in-fence to wait for. */
	u32 next_wait;
	/** @armed: @cb was put on the fence of @next_wait. */
	bool armed;
	/** @fired: @cb was called. */
	bool fired;
	struct dma_fence_cb cb;
	struct dma_fence *fence;
};

/* Preparation */

/* Does the operation map no memory? */
static bool ppu_bind_is_null(const struct drm_ppu_vm_bind_op *op)
{
	return op->op == DRM_PPU_VM_BIND_OP_MAP && op->flags & DRM_PPU_VM_BIND_NULL;
}

/*
 * How long an ioctl takes, and holds the VM's lock, follows from the pages it maps.  An operation
 * alone is bounded by its object, if it has one.
 */
static int ppu_bind_check_pages(struct ppu_bind *bind, u64 pages, bool bounded)
{
	bind->pages += pages;
	if (PPU_CHECK(bind->vm->ppu, (bind->count > 1 || !bounded) &&
		      bind->pages > DRM_PPU_VM_BIND_MAX_PAGES))
		return -E2BIG;
	return 0;
}

static int ppu_bind_check_op(struct ppu_device *ppu, const struct drm_ppu_vm_bind_op *op)
{
	const u32 known = DRM_PPU_VM_BIND_READONLY | DRM_PPU_VM_BIND_NOEXEC |
			  DRM_PPU_VM_BIND_UNCACHED | DRM_PPU_VM_BIND_NULL;
	bool map = op->op == DRM_PPU_VM_BIND_OP_MAP;

	if (PPU_CHECK(ppu, op->op > DRM_PPU_VM_BIND_OP_UNMAP) ||
	    PPU_CHECK(ppu, op->pad) ||
	    PPU_CHECK(ppu, op->flags & ~known) ||
	    PPU_CHECK(ppu, !op->size) ||
	    PPU_CHECK(ppu, (op->va | op->size | op->bo_offset) & (PPU_PAGE_SIZE - 1)) ||
	    PPU_CHECK(ppu, op->va < PPU_VA_USER_START || op->va >= PPU_VA_USER_END) ||
	    PPU_CHECK(ppu, op->size > PPU_VA_USER_END - op->va) ||
	    PPU_CHECK(ppu, !map && op->flags) ||
	    PPU_CHECK(ppu, (!map || ppu_bind_is_null(op)) && (op->handle || op->bo_offset)))
		return -EINVAL;
	return 0;
}

/* Finds the object of a MAP. */
static int ppu_bind_collect_map(struct ppu_bind *bind, u32 i, struct drm_file *filp)
{
	const struct drm_ppu_vm_bind_op *op = &bind->ops[i];
	struct ppu_device *ppu = bind->vm->ppu;
	struct ppu_bo *bo = ppu_bo_lookup(filp, op->handle);
	struct ppu_pt_span *span = &bind->spans[bind->num_spans];
	struct ppu_backing mem;
	int ret;

	if (!bo)
		return -ENOENT;
	/* It stays where it is until it is mapped. */
	ret = ppu_bo_pin(bo);
	if (ret) {
		ppu_bo_put(bo);
		return ret;
	}
	bind->bos[i] = bo;
	bind->maps_any = true;
	if (PPU_CHECK(ppu, bo->vm_uid && bo->vm_uid != bind->vm->uid) ||
	    PPU_CHECK(ppu, bo->kernel))
		return -EPERM;
	if (PPU_CHECK(ppu, op->bo_offset >= ppu_bo_gem(bo)->size) ||
	    PPU_CHECK(ppu, op->size > ppu_bo_gem(bo)->size - op->bo_offset))
		return -EINVAL;
	if (READ_ONCE(bind->vm->faulted))
		return -EIO;
	if (PPU_CHECK(ppu, bo->readonly && !(op->flags & DRM_PPU_VM_BIND_READONLY)))
		return -EACCES;
	mem = ppu_mmu_backing(bo);
	ppu_pt_span_map(span, &mem, op->bo_offset, op->va, op->size);
	bind->num_spans++;
	return ppu_bind_check_pages(bind, span->pages, true);
}

/* A MAP of no memory may be as large as the address space: pages are counted before a visit. */
static int ppu_bind_collect_null(struct ppu_bind *bind, u32 i)
{
	const struct drm_ppu_vm_bind_op *op = &bind->ops[i];
	struct ppu_pt_span *span = &bind->spans[bind->num_spans];
	struct ppu_device *ppu = bind->vm->ppu;

	if (PPU_CHECK(ppu, !(ppu->caps.features & PPU_FEAT_NULL_PAGES)))
		return -EOPNOTSUPP;
	if (PPU_CHECK(ppu, op->size / PPU_LARGE_SIZE > DRM_PPU_VM_BIND_MAX_PAGES))
		return -E2BIG;
	bind->maps_any = true;
	if (READ_ONCE(bind->vm->faulted))
		return -EIO;
	ppu_pt_span_map(span, &ppu_pt_null, 0, op->va, op->size);
	bind->num_spans++;
	return ppu_bind_check_pages(bind, span->pages, false);
}

static int ppu_bind_cmp_spans(const void *a, const void *b)
{
	const struct ppu_pt_span *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Operations on the same range share page tables. */
static void ppu_bind_plan(struct ppu_bind *bind)
{
	sort(bind->spans, bind->num_spans, sizeof(*bind->spans), ppu_bind_cmp_spans, NULL);
	ppu_pt_need_spans(&bind->need, bind->spans, bind->num_spans);
	kvfree(bind->spans);
	bind->spans = NULL;
}

static int ppu_bind_alloc_map(struct ppu_bind *bind, u32 i)
{
	struct ppu_mapping *map = ppu_map_alloc(bind->vm);

	if (IS_ERR(map))
		return PTR_ERR(map);
	bind->maps[i] = map;
	return 0;
}

/* Finds the objects, and allocates all host memory that will be needed. */
static int ppu_bind_collect(struct ppu_bind *bind, struct drm_file *filp)
{
	const struct drm_ppu_vm_bind_op *op;
	u32 i;
	int ret;

	for (i = 0; i < bind->count; i++) {
		op = &bind->ops[i];
		ret = ppu_bind_check_op(bind->vm->ppu, op);
		if (ret)
			return ret;

		ret = ppu_bind_alloc_map(bind, 2 * i);
		if (!ret)
			ret = ppu_bind_alloc_map(bind, 2 * i + 1);
		if (ret)
			return ret;

		if (ppu_bind_is_null(op))
			ret = ppu_bind_collect_null(bind, i);
		else if (op->op == DRM_PPU_VM_BIND_OP_MAP)
			ret = ppu_bind_collect_map(bind, i, filp);
		else
			bind->num_spans += ppu_pt_span_cuts(&bind->spans[bind->num_spans], op->va,
							    op->size);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	ppu_bind_plan(bind);
	return 0;
}

/* The object of a MAP that was not made. */
static void ppu_bind_put_bo(struct ppu_bo *bo)
{
	if (!bo)
		return;
	ppu_bo_unpin(bo);
	ppu_bo_put(bo);
}

static void ppu_bind_free(struct ppu_bind *bind)
{
	u32 i;

	ppu_map_free_list(&bind->dead);
	ppu_pt_pool_drain(bind->vm, &bind->pool);
	for (i = 0; i < bind->count && bind->bos && bind->maps; i++) {
		ppu_bind_put_bo(bind->bos[i]);
		ppu_map_free(bind->maps[2 * i]);
		ppu_map_free(bind->maps[2 * i + 1]);
	}
	kvfree(bind->spans);
	kvfree(bind->maps);
	kvfree(bind->bos);
	kvfree(bind->ops);
	ppu_syncs_fini(&bind->syncs);
	dma_fence_put(bind->fence);
	if (bind->quota) {
		ppu_quota_release(bind->quota, DRM_PPU_RES_BINDS, 1);
		ppu_quota_put(bind->quota);
	}
	kfree(bind);
}

static struct ppu_bind *ppu_bind_create(struct ppu_vm *vm, struct drm_file *filp,
					const struct drm_ppu_array *in)
{
	struct ppu_bind *bind = kzalloc(sizeof(*bind), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!bind)
		return ERR_PTR(-ENOMEM);
	bind->vm = vm;
	INIT_LIST_HEAD(&bind->dead);
	ppu_pt_pool_init(&bind->pool);
	if (!in->count)
		return bind;

	bind->ops = ppu_uobj_get_array(in, sizeof(*bind->ops), sizeof(*bind->ops),
				       DRM_PPU_VM_BIND_MAX_OPS);
	if (IS_ERR(bind->ops)) {
		ret = PTR_ERR(bind->ops);
		bind->ops = NULL;
		goto err;
	}
	bind->count = in->count;
	bind->bos = kvcalloc(bind->count, sizeof(*bind->bos), GFP_KERNEL_ACCOUNT);
	bind->maps = kvcalloc(2 * bind->count, sizeof(*bind->maps), GFP_KERNEL_ACCOUNT);
	bind->spans = kvmalloc_array(PPU_PT_MAX_SPANS * bind->count, sizeof(*bind->spans),
				     GFP_KERNEL_ACCOUNT);
	ret = -ENOMEM;
	if (bind->bos && bind->maps && bind->spans)
		ret = ppu_bind_collect(bind, filp);
	if (ret)
		goto err;
	return bind;

err:
	ppu_bind_free(bind);
	return ERR_PTR(ret);
}

/* The change */

/*
 * Puts in every table.  -EAGAIN: the pool has fewer tables than @need says; -EINTR: the process is
 * killed, which the worker's never is.
 */
static int ppu_bind_prepare(struct ppu_bind *bind)
{
	struct ppu_vm *vm = bind->vm;
	u32 i;
	int ret;

	for (i = 0; i < bind->count; i++) {
		const struct drm_ppu_vm_bind_op *op = &bind->ops[i];
		const struct ppu_backing mem = ppu_mmu_backing(bind->bos[i]);
		bool map = op->op == DRM_PPU_VM_BIND_OP_MAP;

		ret = ppu_mmu_prepare(vm, &bind->pool, map ? &mem : NULL, op->bo_offset, op->va,
				      op->size, i > 0);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
	}
	return 0;
}

static u64 ppu_bind_pte_flags(u32 flags)
{
	u64 pte = 0;

	if (flags & DRM_PPU_VM_BIND_READONLY)
		pte |= PPU_PTE_READONLY;
	if (flags & DRM_PPU_VM_BIND_NOEXEC)
		pte |= PPU_PTE_NOEXEC;
	if (flags & DRM_PPU_VM_BIND_UNCACHED)
		pte |= PPU_PTE_UNCACHED;
	return pte;
}

static void ppu_bind_commit(struct ppu_bind *bind)
{
	struct ppu_vm *vm = bind->vm;
	u32 i;

	for (i = 0; i < bind->count; i++) {
		const struct drm_ppu_vm_bind_op *op = &bind->ops[i];
		struct ppu_mapping *map;

		ppu_vm_cut(vm, op->va, op->va + op->size - 1, &bind->maps[2 * i + 1], &bind->dead);
		trace_ppu_vm_bind(vm->context_id, op->op, op->va, op->size, op->flags);
		if (op->op == DRM_PPU_VM_BIND_OP_UNMAP)
			continue;

		map = bind->maps[2 * i];
		bind->maps[2 * i] = NULL;
		map->start = op->va;
		map->last = op->va + op->size - 1;
		map->bo = bind->bos[i];
		bind->bos[i] = NULL;
		map->bo_offset = op->bo_offset;
		map->pte_flags = ppu_bind_pte_flags(op->flags);
		ppu_map_link(vm, map);
		/* A VM that is held gets its page tables when it comes back. */
		if (!map->bo || !vm->evict.out || !ppu_bo_moves(map->bo))
			ppu_mmu_map(vm, map->bo, map->bo_offset, op->va, op->size, map->pte_flags);
		if (map->bo)
			ppu_bo_unpin(map->bo);
	}
}

/* Does all operations or none; nothing is allocated.  The VM is locked. */
static int ppu_bind_run(struct ppu_bind *bind)
{
	struct ppu_vm *vm = bind->vm;
	u32 i;
	int ret;

	ret = ppu_bind_prepare(bind);
	if (!ret)
		ppu_bind_commit(bind);
	for (i = 0; i < bind->count; i++)
		ppu_mmu_prune(vm, bind->ops[i].va, bind->ops[i].size);
	ppu_mmu_flush(vm, &bind->pool);
	return ret;
}

/* The holders of the lock may be many and slow: a process that waits for them can be killed. */
static int ppu_bind_run_killable(struct ppu_bind *bind)
{
	int ret = mutex_lock_killable(&bind->vm->lock);

	if (ret)
		return ret;
	ret = ppu_bind_run(bind);
	mutex_unlock(&bind->vm->lock);
	return ret;
}

/* Most binds need no new tables: fill the pool only for those that do. */
static int ppu_bind_sync(struct ppu_bind *bind)
{
	int ret = ppu_bind_run_killable(bind);

	if (ret != -EAGAIN)
		return ret;
	ret = ppu_pt_pool_fill(bind->vm, &bind->pool, &bind->need);
	if (ret)
		return ret;
	ret = ppu_bind_run_killable(bind);
	return drm_WARN_ON(&bind->vm->ppu->drm, ret == -EAGAIN) ? -ENOSPC : ret;
}

/* The queue */

static void ppu_bind_kick(struct ppu_bind_queue *queue)
{
	queue_work(queue->vm->ppu->bind_wq, &queue->work);
}

static void ppu_bind_fence_cb(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	struct ppu_bind *bind = container_of(cb, struct ppu_bind, cb);

	WRITE_ONCE(bind->fired, true);
	ppu_bind_kick(bind->queue);
}

/* Have all in-fences signalled?  If not, the worker is called when one has. */
static bool ppu_bind_ready(struct ppu_bind *bind)
{
	for (; bind->next_wait < bind->syncs.num_waits; bind->next_wait++) {
		struct dma_fence *fence = bind->syncs.waits[bind->next_wait];

		if (!bind->armed) {
			bind->fired = false;
			if (!dma_fence_add_callback(fence, &bind->cb, ppu_bind_fence_cb)) {
				bind->armed = true;
				return false;
			}
			/* The fence has signalled already. */
			continue;
		}
		if (!READ_ONCE(bind->fired))
			return false;
		/* When this returns, the callback, which uses @bind, has returned. */
		dma_fence_remove_callback(fence, &bind->cb);
		bind->armed = false;
	}
	return true;
}

static struct ppu_bind *ppu_bind_head(struct ppu_bind_queue *queue)
{
	struct ppu_vm *vm = queue->vm;
	struct ppu_bind *bind;

	spin_lock_irq(&vm->bind_lock);
	bind = list_first_entry_or_null(&queue->binds, struct ppu_bind, link);
	spin_unlock_irq(&vm->bind_lock);
	return bind;
}

/*
 * Takes the head off the queue.  When its fence signals, its result is stored, and who flushes
 * bind_free_wq waits until the bind is freed.
 */
static void ppu_bind_finish(struct ppu_bind *bind, int err)
{
	struct dma_fence *fence = dma_fence_get(bind->fence);
	struct ppu_vm *vm = bind->vm;

	trace_ppu_bind_done(vm->context_id, bind->count, err);
	spin_lock_irq(&vm->bind_lock);
	list_move_tail(&bind->link, &vm->binds_gone);
	vm->binds_done++;
	if (err && !vm->bind_error)
		vm->bind_error = err;
	spin_unlock_irq(&vm->bind_lock);
	queue_work(vm->ppu->bind_free_wq, &vm->bind_free_work);
	ppu_sw_fence_signal(fence, err);
	dma_fence_put(fence);
}

static void ppu_bind_execute(struct ppu_bind *bind)
{
	struct ppu_vm *vm = bind->vm;
	int err = -EIO;

	if (!bind->maps_any || !READ_ONCE(vm->faulted)) {
		mutex_lock(&vm->lock);
		err = ppu_bind_run(bind);
		mutex_unlock(&vm->lock);
	}
	drm_WARN_ON(&vm->ppu->drm, err == -EAGAIN);
	ppu_bind_finish(bind, err);
}

/*
 * The fence of the next bind waits for everything that is done here.  Freeing takes locks under
 * which memory is allocated, so ppu_bind_free_work() does that.
 */
static void ppu_bind_work(struct work_struct *work)
{
	struct ppu_bind_queue *queue = container_of(work, struct ppu_bind_queue, work);
	bool cookie = dma_fence_begin_signalling();
	struct ppu_bind *bind;

	while (!READ_ONCE(queue->vm->bind_closed) && (bind = ppu_bind_head(queue)) &&
	       ppu_bind_ready(bind))
		ppu_bind_execute(bind);
	dma_fence_end_signalling(cookie);
}

static void ppu_bind_free_work(struct work_struct *work)
{
	struct ppu_vm *vm = container_of(work, struct ppu_vm, bind_free_work);
	struct ppu_bind *bind, *next;
	LIST_HEAD(gone);

	spin_lock_irq(&vm->bind_lock);
	list_splice_init(&vm->binds_gone, &gone);
	spin_unlock_irq(&vm->bind_lock);
	list_for_each_entry_safe(bind, next, &gone, link) {
		ppu_bind_free(bind);
		cond_resched();
	}
}

/** ppu_bind_init - a VM without queues */
void ppu_bind_init(struct ppu_vm *vm)
{
	mutex_init(&vm->bind_mutex);
	spin_lock_init(&vm->bind_lock);
	INIT_LIST_HEAD(&vm->binds_gone);
	INIT_WORK(&vm->bind_free_work, ppu_bind_free_work);
}

/** ppu_bind_fini - undo ppu_bind_init(), after ppu_bind_close() */
void ppu_bind_fini(struct ppu_vm *vm)
{
	u32 i;

	for (i = 0; i < DRM_PPU_VM_BIND_MAX_QUEUES; i++)
		kfree(vm->bind_queues[i]);
	mutex_destroy(&vm->bind_mutex);
}

/* The queue of that number; it is made when it is first used.  NULL: no memory. */
static struct ppu_bind_queue *ppu_bind_queue_get(struct ppu_vm *vm, u32 number)
{
	struct ppu_bind_queue *queue;

	mutex_lock(&vm->bind_mutex);
	queue = vm->bind_queues[number];
	if (!queue) {
		queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
		if (queue) {
			queue->vm = vm;
			INIT_LIST_HEAD(&queue->binds);
			INIT_WORK(&queue->work, ppu_bind_work);
		}
		vm->bind_queues[number] = queue;
	}
	mutex_unlock(&vm->bind_mutex);
	return queue;
}

/* After this, neither worker nor callback of the queue runs: only the head waits. */
static void ppu_bind_queue_halt(struct ppu_bind_queue *queue)
{
	struct ppu_bind *bind;

	cancel_work_sync(&queue->work);
	bind = ppu_bind_head(queue);
	if (bind && bind->armed)
		dma_fence_remove_callback(bind->syncs.waits[bind->next_wait], &bind->cb);
	cancel_work_sync(&queue->work);
}

/**
 * ppu_bind_close - end what is queued; nothing can be queued any more
 * @vm: VM, whose id is gone
 *
 * The queues hold no reference to the VM: they end when the VM's id goes.  All are halted before
 * any ends, because their binds may wait for each other.
 */
void ppu_bind_close(struct ppu_vm *vm)
{
	struct ppu_bind *bind;
	u32 i;

	mutex_lock(&vm->bind_mutex);
	WRITE_ONCE(vm->bind_closed, true);
	mutex_unlock(&vm->bind_mutex);

	for (i = 0; i < DRM_PPU_VM_BIND_MAX_QUEUES; i++)
		if (vm->bind_queues[i])
			ppu_bind_queue_halt(vm->bind_queues[i]);
	for (i = 0; i < DRM_PPU_VM_BIND_MAX_QUEUES; i++)
		while (vm->bind_queues[i] && (bind = ppu_bind_head(vm->bind_queues[i])))
			ppu_bind_finish(bind, -ECANCELED);
	flush_work(&vm->bind_free_work);
}

/* Binds that are done are charged until they are freed, which may not have happened yet. */
static int ppu_bind_charge(struct ppu_device *ppu, struct ppu_quota *quota)
{
	int ret = ppu_quota_charge(quota, DRM_PPU_RES_BINDS, 1);

	if (ret != -ENOSPC)
		return ret;
	flush_workqueue(ppu->bind_free_wq);
	return ppu_quota_charge(quota, DRM_PPU_RES_BINDS, 1);
}

/* Gets what only a queued bind needs.  After that only queueing can fail. */
static int ppu_bind_make_async(struct ppu_bind *bind, struct drm_file *filp,
			       const struct drm_ppu_vm_bind *args)
{
	struct ppu_file *file = filp->driver_priv;
	int ret;

	bind->queue = ppu_bind_queue_get(bind->vm, args->queue);
	if (!bind->queue)
		return -ENOMEM;
	ret = ppu_bind_charge(bind->vm->ppu, file->quota);
	if (ret)
		return ret;
	bind->quota = ppu_quota_get(file->quota);
	ret = ppu_syncs_get(&bind->syncs, bind->vm->ppu, filp, &args->syncs, false);
	if (ret)
		return ret;
	bind->fence = ppu_sw_fence_create("ppu-bind", dma_fence_context_alloc(1), 1);
	if (!bind->fence)
		return -ENOMEM;
	return ppu_pt_pool_fill(bind->vm, &bind->pool, &bind->need);
}

static int ppu_bind_enqueue(struct ppu_bind *bind)
{
	struct ppu_vm *vm = bind->vm;
	int ret = 0;

	mutex_lock(&vm->bind_mutex);
	if (vm->bind_closed) {
		ret = -ENOENT;
	} else {
		/* Attach the fence first: once queued, the bind may be done and freed. */
		ppu_syncs_attach(&bind->syncs, bind->fence);
		spin_lock_irq(&vm->bind_lock);
		list_add_tail(&bind->link, &bind->queue->binds);
		vm->binds_queued++;
		spin_unlock_irq(&vm->bind_lock);
		ppu_bind_kick(bind->queue);
	}
	mutex_unlock(&vm->bind_mutex);
	return ret;
}

static int ppu_bind_async(struct ppu_bind *bind, struct drm_file *filp,
			  const struct drm_ppu_vm_bind *args)
{
	int ret = ppu_bind_make_async(bind, filp, args);

	if (!ret)
		ret = ppu_bind_enqueue(bind);
	if (ret)
		ppu_bind_free(bind);
	return ret;
}

int ppu_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_vm_bind *args = data;
	bool async = args->flags & DRM_PPU_VM_BIND_ASYNC;
	struct ppu_bind *bind;
	struct ppu_vm *vm;
	int ret;

	if (PPU_CHECK(ppu, args->flags & ~DRM_PPU_VM_BIND_ASYNC) ||
	    PPU_CHECK(ppu, (args->syncs.count || args->queue) && !async) ||
	    PPU_CHECK(ppu, args->queue >= DRM_PPU_VM_BIND_MAX_QUEUES) ||
	    PPU_CHECK(ppu, args->pad))
		return -EINVAL;
	vm = ppu_vm_lookup(filp->driver_priv, args->vm_id);
	if (!vm)
		return -ENOENT;

	bind = ppu_bind_create(vm, filp, &args->ops);
	if (IS_ERR(bind)) {
		ret = PTR_ERR(bind);
	} else if (async) {
		ret = ppu_bind_async(bind, filp, args);
	} else {
		ret = ppu_bind_sync(bind);
		ppu_bind_free(bind);
	}
	ppu_vm_put(vm);
	return ret;
}
