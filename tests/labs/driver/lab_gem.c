// SPDX-License-Identifier: GPL-2.0-only
//LAB 4 file
/*
 * Lab 4: buffers in VRAM. A drm_mm deals out the memory from LAB_VRAM_OWN on. Each piece is a GEM object:
 * programs name it by a handle, map it through BAR2, and have the device copy it.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>
#include <drm/drm_vma_manager.h>
#include "lab.h"

//LAB 4 write: Set up ldev->gem: its lock, and the allocator for the bytes of VRAM from LAB_VRAM_OWN
//LAB      to its end (ldev->vram_size). Buffers may live longer than the device: a file that is still
//LAB      open when the driver leaves keeps its buffers, and struct lab_dev with the allocator lives as
//LAB      long as the file. When may the allocator be taken down? (drmm_add_action_or_reset())
static void lab_gem_release(struct drm_device *drm, void *arg)
{
	struct lab_dev *ldev = arg;

	drm_mm_takedown(&ldev->gem.mm);
	mutex_destroy(&ldev->gem.lock);
}

int lab_gem_init(struct lab_dev *ldev)
{
	mutex_init(&ldev->gem.lock);
	drm_mm_init(&ldev->gem.mm, LAB_VRAM_OWN, ldev->vram_size - LAB_VRAM_OWN);
	/* Runs after the last file is closed and the driver has let go; buffers may outlive the driver's remove(). */
	return drmm_add_action_or_reset(&ldev->drm, lab_gem_release, ldev);
}

void lab_gem_fini(struct lab_dev *ldev)
{
}

//LAB instead
int lab_gem_init(struct lab_dev *ldev)
{
	return 0;
}

void lab_gem_fini(struct lab_dev *ldev)
{
}

//LAB end
//LAB 4 write: The last reference to a buffer is gone: give its memory back. The device may be gone, too.
//LAB      by now, too.
static void lab_bo_free(struct drm_gem_object *obj)
{
	struct lab_dev *ldev = container_of(obj->dev, struct lab_dev, drm);
	struct lab_bo *bo = to_lab_bo(obj);

	mutex_lock(&ldev->gem.lock);
	drm_mm_remove_node(&bo->node);
	mutex_unlock(&ldev->gem.lock);
	drm_gem_object_release(obj);
	kfree(bo);
}

//LAB instead
static void lab_bo_free(struct drm_gem_object *obj)
{
}

//LAB end
//LAB 4 write: mmap() of a buffer. Refuse what vmf_insert_pfn() cannot serve: a private mapping that may be
//LAB      written. Say by vm_flags_set() and in vma->vm_page_prot that this memory belongs to a device,
//LAB      has a fixed size and is write-combining.
static int lab_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	/* The kernel cannot make a private copy of a page that has no struct page. */
	if ((vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE)
		return -EINVAL;
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_page_prot = pgprot_writecombine(vm_get_page_prot(vma->vm_flags));
	return 0;
}

//LAB instead
static int lab_bo_mmap(struct drm_gem_object *obj, struct vm_area_struct *vma)
{
	return -ENOSYS;
}

//LAB end
//LAB 4 write: A program touched a page of a buffer that is not mapped yet: map the page of BAR2 (from
//LAB      ldev->vram_start on) with the page's memory. vmf->pgoff counts pages from offset 0 of the DRM
//LAB      file; drm_vma_node_start() tells at which page the buffer begins there. After the device is
//LAB      gone (drm_dev_enter()) there is nothing to map: VM_FAULT_SIGBUS.
static vm_fault_t lab_bo_fault(struct vm_fault *vmf)
{
	struct drm_gem_object *obj = vmf->vma->vm_private_data;
	struct lab_dev *ldev = container_of(obj->dev, struct lab_dev, drm);
	u64 page = vmf->pgoff - drm_vma_node_start(&obj->vma_node);
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int idx;

	if (!drm_dev_enter(&ldev->drm, &idx))
		return VM_FAULT_SIGBUS;
	if (page < obj->size >> PAGE_SHIFT)
		ret = vmf_insert_pfn(vmf->vma, vmf->address,
				     ((ldev->vram_start + to_lab_bo(obj)->node.start) >> PAGE_SHIFT) +
				     page);
	drm_dev_exit(idx);
	return ret;
}

//LAB instead
static vm_fault_t lab_bo_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

//LAB end
static const struct vm_operations_struct lab_bo_vm_ops = {
	.fault = lab_bo_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

static const struct drm_gem_object_funcs lab_bo_funcs = {
	.free = lab_bo_free,
	.mmap = lab_bo_mmap,
	.vm_ops = &lab_bo_vm_ops,
};

//LAB 4 write: Make a buffer of `size` bytes, rounded up to pages. A program may ask for any number: 0 is
//LAB      -EINVAL, too much is -ENOSPC. Allocate the struct and the place in VRAM, zero the whole place
//LAB      (whose data was there before?), drm_gem_private_object_init() with lab_bo_funcs. On an
//LAB      error nothing may stay allocated.
static struct lab_bo *lab_bo_create(struct lab_dev *ldev, u64 size)
{
	struct lab_bo *bo;
	int ret;

	if (!size)
		return ERR_PTR(-EINVAL);
	/* Not rounded yet: PAGE_ALIGN() of nearly 2^64 is 0. */
	if (size > ldev->vram_size)
		return ERR_PTR(-ENOSPC);
	bo = kzalloc(sizeof(*bo), GFP_KERNEL);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&ldev->gem.lock);
	ret = drm_mm_insert_node(&ldev->gem.mm, &bo->node, PAGE_ALIGN(size));
	mutex_unlock(&ldev->gem.lock);
	if (ret) {
		kfree(bo);
		return ERR_PTR(ret);
	}
	memset_io(ldev->vram + bo->node.start, 0, bo->node.size);
	wmb();	/* the zeroes leave the write-combining buffers before anybody else writes there */
	bo->base.funcs = &lab_bo_funcs;
	drm_gem_private_object_init(&ldev->drm, &bo->base, bo->node.size);
	return bo;
}

//LAB instead
static __maybe_unused struct lab_bo *lab_bo_create(struct lab_dev *ldev, u64 size)
{
	return ERR_PTR(-ENOSYS);
}

//LAB end
//LAB 4 write: Make a buffer and a handle for it; return the handle and the rounded size.
//LAB      Who holds a reference when this function returns?
int lab_gem_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_dev *ldev = container_of(drm, struct lab_dev, drm);
	struct lab_gem_create *args = data;
	struct lab_bo *bo;
	int ret;

	if (args->flags)
		return -EINVAL;
	bo = lab_bo_create(ldev, args->size);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	args->size = bo->base.size;
	ret = drm_gem_handle_create(file, &bo->base, &args->handle);
	/* The handle has a reference of its own. Another thread may have closed the handle by now. */
	drm_gem_object_put(&bo->base);
	return ret;
}

//LAB instead
int lab_gem_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	return -ENOSYS;
}

//LAB end
//LAB 4 write: Return the offset at which mmap() of the DRM file finds a buffer
//LAB      (drm_gem_create_mmap_offset(), drm_vma_node_offset_addr()). No such handle: -ENOENT.
int lab_gem_mmap_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_gem_mmap *args = data;
	struct drm_gem_object *obj;
	int ret;

	if (args->pad)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	ret = drm_gem_create_mmap_offset(obj);
	if (!ret)
		args->offset = drm_vma_node_offset_addr(&obj->vma_node);
	drm_gem_object_put(obj);
	return ret;
}

//LAB instead
int lab_gem_mmap_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	return -ENOSYS;
}

//LAB end
//LAB 4 write: Copy bytes from one buffer to another (or the same) with the copy engine: lab_ce_copy(),
//LAB      between addresses of the kernel's context (LAB_VA_VRAM + place in VRAM). -EINVAL for a range
//LAB      that does not lie in its buffer, whatever the numbers; -ENOENT if there is no such handle. Both
//LAB      buffers must stay alive until the copy is done, even if another thread closes them.
static bool lab_range_ok(const struct drm_gem_object *obj, u64 offset, u64 bytes)
{
	return offset <= obj->size && bytes <= obj->size - offset;
}

static int lab_gem_copy(struct lab_dev *ldev, struct lab_bo *src, struct lab_bo *dst,
			const struct lab_gem_copy *args)
{
	if (!lab_range_ok(&src->base, args->src_offset, args->bytes) ||
	    !lab_range_ok(&dst->base, args->dst_offset, args->bytes))
		return -EINVAL;
	if (!args->bytes)
		return 0;
	return lab_ce_copy(ldev, LAB_VA_VRAM + src->node.start + args->src_offset,
			   LAB_VA_VRAM + dst->node.start + args->dst_offset, args->bytes);
}

int lab_gem_copy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct lab_dev *ldev = container_of(drm, struct lab_dev, drm);
	const struct lab_gem_copy *args = data;
	struct drm_gem_object *src, *dst;
	int ret = -ENOENT;

	src = drm_gem_object_lookup(file, args->src);
	dst = drm_gem_object_lookup(file, args->dst);
	if (src && dst)
		ret = lab_gem_copy(ldev, to_lab_bo(src), to_lab_bo(dst), args);
	if (src)
		drm_gem_object_put(src);
	if (dst)
		drm_gem_object_put(dst);
	return ret;
}
//LAB instead
int lab_gem_copy_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	return -ENOSYS;
}
//LAB end
