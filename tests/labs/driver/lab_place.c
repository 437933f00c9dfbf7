// SPDX-License-Identifier: GPL-2.0-only
//LAB 11 file
/*
 * Lab 11: what is around the moving of buffers. You need not change this file.
 *
 * A buffer is made by lab 4's code and adopted here: from then on its page faults and its end come here first. While
 * place.lock is held no buffer moves, and a job that is in a ring keeps its buffers where they are.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_vma_manager.h>
#include "lab_chan.h"
#include "lab_place.h"
#include "lab_vm.h"

static unsigned int lab_sys_mb = 256;
module_param_named(sys_mb, lab_sys_mb, uint, 0644);
MODULE_PARM_DESC(sys_mb, "at most so much system memory for buffers, MiB");
static unsigned int lab_evict_ms = 1000;
module_param_named(evict_ms, lab_evict_ms, uint, 0644);
MODULE_PARM_DESC(evict_ms, "how long to wait for buffers that are busy, ms");

static ktime_t lab_place_end_time(void)
{
	return ktime_add_ms(ktime_get(), READ_ONCE(lab_evict_ms));
}

/* --- system memory ---------------------------------------------------------------------------- */

void lab_pieces_free(struct lab_bo *bo, struct lab_piece *pieces)
{
	struct device *dev = &lab_bo_dev(bo)->pdev->dev;
	u32 i;

	for (i = 0; i < lab_bo_num_pieces(bo); i++)
		if (pieces[i].cpu)
			dma_free_coherent(dev, pieces[i].bytes, pieces[i].cpu, pieces[i].dma);
	kvfree(pieces);
}

static bool lab_pieces_allowed(struct lab_bo *bo)
{
	struct lab_place *place = &lab_bo_dev(bo)->place;
	u64 most = (u64)READ_ONCE(lab_sys_mb) << 20;
	bool ok;

	mutex_lock(&place->list_lock);
	ok = bo->base.size <= most && place->sys_bytes <= most - bo->base.size;
	mutex_unlock(&place->list_lock);
	return ok;
}

int lab_pieces_alloc(struct lab_bo *bo, struct lab_piece **out)
{
	struct device *dev = &lab_bo_dev(bo)->pdev->dev;
	u32 i, num = lab_bo_num_pieces(bo);
	struct lab_piece *pieces;
	u64 left = bo->base.size;

	if (!lab_pieces_allowed(bo))
		return -ENOSPC;
	pieces = kvcalloc(num, sizeof(*pieces), GFP_KERNEL);
	if (!pieces)
		return -ENOMEM;
	for (i = 0; i < num; i++) {
		pieces[i].bytes = min_t(u64, left, LAB_PIECE_BYTES);
		left -= pieces[i].bytes;
		pieces[i].cpu = dma_alloc_coherent(dev, pieces[i].bytes, &pieces[i].dma,
						   GFP_KERNEL | __GFP_NOWARN);
		if (!pieces[i].cpu) {
			lab_pieces_free(bo, pieces);
			return -ENOMEM;
		}
	}
	*out = pieces;
	return 0;
}

/* --- the lists -------------------------------------------------------------------------------- */

struct lab_bo *lab_place_next(struct lab_dev *ldev, struct lab_bo *bo)
{
	struct lab_place *place = &ldev->place;
	struct lab_bo *next;

	mutex_lock(&place->list_lock);
	next = bo ? list_next_entry(bo, link) : list_first_entry(&place->lru, struct lab_bo, link);
	/* A buffer whose last reference is gone is about to leave the list. */
	while (!list_entry_is_head(next, &place->lru, link) &&
	       !kref_get_unless_zero(&next->base.refcount))
		next = list_next_entry(next, link);
	if (list_entry_is_head(next, &place->lru, link))
		next = NULL;
	mutex_unlock(&place->list_lock);
	if (bo)
		drm_gem_object_put(&bo->base);
	return next;
}

void lab_bo_unmap(struct lab_bo *bo)
{
	drm_vma_node_unmap(&bo->base.vma_node, bo->base.dev->anon_inode->i_mapping);
}

/* --- life of a buffer ------------------------------------------------------------------------- */

/* The last reference is gone, so nothing can be bound to the buffer, and nobody moves it. */
static void lab_place_free(struct drm_gem_object *obj)
{
	struct lab_bo *bo = to_lab_bo(obj);
	struct lab_place *place = &lab_bo_dev(bo)->place;

	mutex_lock(&place->list_lock);
	list_del(&bo->link);
	if (bo->pieces)
		place->sys_bytes -= obj->size;
	else if (drm_mm_node_allocated(&bo->node))
		place->vram_bytes -= obj->size;
	mutex_unlock(&place->list_lock);
	if (drm_mm_node_allocated(&bo->node)) {
		bo->gem_funcs->free(obj);
		return;
	}
	/* Lab 4's function would give back a place in VRAM, and there is none. */
	if (bo->pieces)
		lab_pieces_free(bo, bo->pieces);
	drm_gem_object_release(obj);
	kfree(bo);
}

static int lab_place_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	return to_lab_bo(obj)->gem_funcs->mmap(obj, vma);
}

/* Bring buffers into VRAM and keep them there, until lab_place_release(). Waits for busy buffers. place.lock is held. */
static int lab_place_get(struct lab_dev *ldev, struct lab_bo **bos, u32 num)
{
	ktime_t end = lab_place_end_time();
	int ret;

	do {
		ret = lab_place_hold(bos, num);
		if (ret != -EBUSY)
			return ret;
		/* Nothing is kept while this thread waits: another one may need what this one would keep. */
		ret = lab_place_wait(ldev, end);
	} while (!ret);
	return ret;
}

static vm_fault_t lab_place_fault(struct vm_fault *vmf)
{
	struct lab_bo *bo = to_lab_bo((struct drm_gem_object *)vmf->vma->vm_private_data);
	struct lab_dev *ldev = lab_bo_dev(bo);
	vm_fault_t fault = VM_FAULT_SIGBUS;
	int idx, ret;

	if (!drm_dev_enter(&ldev->drm, &idx))
		return VM_FAULT_SIGBUS;
	mutex_lock(&ldev->place.lock);
	ret = lab_place_get(ldev, &bo, 1);
	if (!ret) {
		fault = bo->gem_funcs->vm_ops->fault(vmf);
		lab_place_release(&bo, 1);
	} else if (ret == -ENOSPC || ret == -ERESTARTSYS) {
		/* The process touches the page again, once it has handled its signals. */
		fault = VM_FAULT_NOPAGE;
	} else if (ret == -ENOMEM) {
		fault = VM_FAULT_OOM;
	}
	mutex_unlock(&ldev->place.lock);
	drm_dev_exit(idx);
	return fault;
}

static const struct vm_operations_struct lab_place_vm_ops = {
	.fault = lab_place_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

static const struct drm_gem_object_funcs lab_place_funcs = {
	.free = lab_place_free,
	.mmap = lab_place_mmap,
	.vm_ops = &lab_place_vm_ops,
};

/* Called with place.lock held, so nobody else has used the new handle but to close it. */
static void lab_place_adopt(struct lab_dev *ldev, struct drm_file *file, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);
	struct lab_place *place = &ldev->place;
	struct lab_bo *bo;

	if (!obj)
		return;
	bo = to_lab_bo(obj);
	INIT_LIST_HEAD(&bo->spots);
	bo->gem_funcs = obj->funcs;
	obj->funcs = &lab_place_funcs;
	mutex_lock(&place->list_lock);
	list_add_tail(&bo->link, &place->lru);
	place->vram_bytes += obj->size;
	mutex_unlock(&place->list_lock);
	drm_gem_object_put(obj);
}

/* --- the ioctls of lab 4 ---------------------------------------------------------------------- */

static int lab_place_create(struct lab_dev *ldev, struct lab_gem_create *args, struct drm_file *file)
{
	ktime_t end = lab_place_end_time();
	int ret;

	for (;;) {
		ret = lab_gem_create_ioctl(&ldev->drm, args, file);
		if (ret != -ENOSPC)
			break;
		ret = lab_place_room(ldev, args->size);
		if (ret == -EBUSY)
			ret = lab_place_wait(ldev, end);
		if (ret)
			return ret;
	}
	if (!ret)
		lab_place_adopt(ldev, file, args->handle);
	return ret;
}

int lab_place_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_dev *ldev = container_of(drm, struct lab_dev, drm);
	int ret;

	mutex_lock(&ldev->place.lock);
	ret = lab_place_create(ldev, data, file);
	mutex_unlock(&ldev->place.lock);
	return ret;
}

int lab_place_mmap_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_dev *ldev = container_of(drm, struct lab_dev, drm);
	int ret;

	mutex_lock(&ldev->place.lock);
	ret = lab_gem_mmap_ioctl(drm, data, file);
	mutex_unlock(&ldev->place.lock);
	return ret;
}

static int lab_place_copy(struct drm_device *drm, struct lab_bo **bos, void *data, struct drm_file *file)
{
	struct lab_dev *ldev = container_of(drm, struct lab_dev, drm);
	int ret;

	mutex_lock(&ldev->place.lock);
	ret = lab_place_get(ldev, bos, 2);
	if (!ret) {
		/* The lock is held until the copy has ended. */
		ret = lab_gem_copy_ioctl(drm, data, file);
		lab_place_release(bos, 2);
	}
	mutex_unlock(&ldev->place.lock);
	return ret;
}

int lab_place_copy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	const struct lab_gem_copy *args = data;
	struct drm_gem_object *src, *dst;
	struct lab_bo *bos[2];
	int ret = -ENOENT;

	src = drm_gem_object_lookup(file, args->src);
	dst = drm_gem_object_lookup(file, args->dst);
	if (src && dst) {
		bos[0] = to_lab_bo(src);
		bos[1] = to_lab_bo(dst);
		ret = lab_place_copy(drm, bos, data, file);
	}
	if (src)
		drm_gem_object_put(src);
	if (dst)
		drm_gem_object_put(dst);
	return ret;
}

/* --- address spaces --------------------------------------------------------------------------- */

static void lab_spot_del(struct lab_spot *spot)
{
	list_del(&spot->bo_link);
	list_del(&spot->vm_link);
}

static void lab_spot_add(struct lab_spot *spot)
{
	list_add(&spot->bo_link, &spot->bo->spots);
	list_add(&spot->vm_link, &spot->vm->spots);
}

/* Once unmapped, the buffer may be gone, so the spot leaves the lists before. place.lock is held. */
static int lab_place_unbind(struct drm_device *drm, struct lab_vm *vm, struct lab_vm_bind *args, struct drm_file *file)
{
	struct lab_spot *spot;
	int ret;

	list_for_each_entry(spot, &vm->spots, vm_link)
		if (spot->va == args->va && spot->bytes == args->bytes)
			break;
	if (list_entry_is_head(spot, &vm->spots, vm_link))
		return lab_vm_bind_ioctl(drm, args, file);
	lab_spot_del(spot);
	ret = lab_vm_bind_ioctl(drm, args, file);
	if (ret)
		lab_spot_add(spot);
	else
		kfree(spot);
	return ret;
}

/* Lab 7 maps the buffer where it is now, so the buffer must be in VRAM. place.lock is held. */
static int lab_place_bind(struct drm_device *drm, struct lab_vm *vm, struct lab_bo *bo, struct lab_vm_bind *args,
			  struct drm_file *file)
{
	struct lab_spot *spot = kzalloc(sizeof(*spot), GFP_KERNEL);
	int ret;

	if (!spot)
		return -ENOMEM;
	ret = lab_place_get(vm->ldev, &bo, 1);
	if (!ret) {
		ret = lab_vm_bind_ioctl(drm, args, file);
		lab_place_release(&bo, 1);
	}
	if (ret) {
		kfree(spot);
		return ret;
	}
	spot->vm = vm;
	spot->bo = bo;
	spot->va = args->va;
	spot->offset = args->offset;
	spot->bytes = args->bytes;
	spot->flags = args->flags & LAB_VM_READONLY ? PPU_PTE_READONLY : 0;
	lab_spot_add(spot);
	return 0;
}

int lab_place_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_dev *ldev = container_of(drm, struct lab_dev, drm);
	struct lab_file *lfile = file->driver_priv;
	struct lab_vm_bind *args = data;
	struct drm_gem_object *obj = NULL;
	int ret;

	if (!(args->flags & LAB_VM_UNMAP))
		obj = drm_gem_object_lookup(file, args->handle);
	mutex_lock(&ldev->place.lock);
	if (obj)
		ret = lab_place_bind(drm, lfile->vm, to_lab_bo(obj), args, file);
	else
		ret = lab_place_unbind(drm, lfile->vm, args, file);
	mutex_unlock(&ldev->place.lock);
	if (obj)
		drm_gem_object_put(obj);
	return ret;
}

/* All buffers that are bound in an address space; *num gets their number. NULL: no memory. */
static struct lab_bo **lab_place_of(struct lab_vm *vm, u32 *num)
{
	struct lab_spot *spot;
	struct lab_bo **bos;

	*num = 0;
	list_for_each_entry(spot, &vm->spots, vm_link)
		++*num;
	bos = kvmalloc_array(*num + 1, sizeof(*bos), GFP_KERNEL);
	*num = 0;
	if (bos)
		list_for_each_entry(spot, &vm->spots, vm_link)
			bos[(*num)++] = spot->bo;
	return bos;
}

/* As lab_place_get(). What is bound may change whenever this thread waits. */
int lab_place_begin(struct lab_vm *vm)
{
	ktime_t end = lab_place_end_time();
	struct lab_bo **bos;
	u32 num;
	int ret;

	mutex_lock(&vm->ldev->place.lock);
	do {
		bos = lab_place_of(vm, &num);
		ret = bos ? lab_place_hold(bos, num) : -ENOMEM;
		kvfree(bos);
		if (!ret)
			return 0;
		if (ret == -EBUSY)
			ret = lab_place_wait(vm->ldev, end);
	} while (!ret);
	mutex_unlock(&vm->ldev->place.lock);
	return ret;
}

void lab_place_end(struct lab_vm *vm)
{
	struct lab_spot *spot;

	list_for_each_entry(spot, &vm->spots, vm_link)
		lab_place_release(&spot->bo, 1);
	mutex_unlock(&vm->ldev->place.lock);
}

void lab_place_close(struct lab_vm *vm)
{
	struct lab_spot *spot, *next;

	mutex_lock(&vm->ldev->place.lock);
	list_for_each_entry_safe(spot, next, &vm->spots, vm_link) {
		lab_spot_del(spot);
		kfree(spot);
	}
	mutex_unlock(&vm->ldev->place.lock);
}

/* --- the rest --------------------------------------------------------------------------------- */

int lab_place_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_dev *ldev = container_of(drm, struct lab_dev, drm);
	struct lab_place *place = &ldev->place;
	struct lab_place_info *args = data;
	struct drm_gem_object *obj = NULL;

	if (args->handle) {
		obj = drm_gem_object_lookup(file, args->handle);
		if (!obj)
			return -ENOENT;
	}
	mutex_lock(&place->list_lock);
	args->in_vram = obj && !to_lab_bo(obj)->pieces;
	args->vram_bytes = place->vram_bytes;
	args->sys_bytes = place->sys_bytes;
	args->evictions = place->evictions;
	args->restores = place->restores;
	mutex_unlock(&place->list_lock);
	if (obj)
		drm_gem_object_put(obj);
	return 0;
}

int lab_place_init(struct lab_dev *ldev)
{
	struct lab_place *place = &ldev->place;

	mutex_init(&place->lock);
	mutex_init(&place->list_lock);
	INIT_LIST_HEAD(&place->lru);
	INIT_LIST_HEAD(&place->out);
	return 0;
}

/* The driver leaves. Buffers of open files live on, but nobody can look into them: their system memory goes now. */
void lab_place_fini(struct lab_dev *ldev)
{
	struct lab_place *place = &ldev->place;
	struct lab_bo *bo;

	mutex_lock(&place->list_lock);
	list_for_each_entry(bo, &place->out, link) {
		if (!bo->pieces)
			continue;
		lab_pieces_free(bo, bo->pieces);
		bo->pieces = NULL;
		place->sys_bytes -= bo->base.size;
	}
	mutex_unlock(&place->list_lock);
}
