// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: arrays of user-space structures that may be older or newer than
 * this kernel; ids of objects.
 */

#include <linux/err.h>
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <kunit/visibility.h>

#include <uapi/drm/ppu_drm.h>

#include "base/ppu_uobj.h"

/**
 * ppu_uobj_get_array - copy an array from user space
 * @in: the array, count not 0
 * @min_stride: size of the first version of the element
 * @obj_size: size of the element as this kernel knows it
 * @max: most elements
 *
 * Shorter elements are padded with zeroes.  Longer ones must have zeroes where
 * this kernel knows no field.
 *
 * Return: array to be freed with kvfree(), or ERR_PTR.
 */
void *ppu_uobj_get_array(const struct drm_ppu_array *in, u32 min_stride, u32 obj_size, u32 max)
{
	void __user *from = u64_to_user_ptr(in->ptr);
	void *out;
	u32 i;
	int ret = 0;

	if (in->stride < min_stride || in->stride % 8 || in->stride > PAGE_SIZE)
		return ERR_PTR(-EINVAL);
	if (in->count > max)
		return ERR_PTR(-E2BIG);

	out = kvmalloc_array(in->count, obj_size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	if (!out)
		return ERR_PTR(-ENOMEM);

	if (in->stride == obj_size) {
		if (copy_from_user(out, from, (size_t)obj_size * in->count))
			ret = -EFAULT;
	} else {
		for (i = 0; i < in->count && !ret; i++)
			ret = copy_struct_from_user(out + (size_t)i * obj_size, obj_size,
						    from + (size_t)i * in->stride, in->stride);
	}

	if (ret) {
		kvfree(out);
		return ERR_PTR(ret);
	}
	return out;
}
EXPORT_SYMBOL_IF_KUNIT(ppu_uobj_get_array);

/**
 * ppu_uobj_put - copy one element of an array to user space
 * @out: the array
 * @index: which element
 * @obj: the element
 * @obj_size: its size as this kernel knows it
 *
 * Return: 0 or -EFAULT.
 */
int ppu_uobj_put(const struct drm_ppu_array *out, u32 index, const void *obj, u32 obj_size)
{
	void __user *to = u64_to_user_ptr(out->ptr + (u64)index * out->stride);

	if (copy_to_user(to, obj, min(obj_size, out->stride)))
		return -EFAULT;
	if (out->stride > obj_size && clear_user(to + obj_size, out->stride - obj_size))
		return -EFAULT;
	return 0;
}

/**
 * ppu_uobj_take - take an object out of a file's table
 * @table: objects by id
 * @id: id that user space named
 *
 * An id that is reserved for an object in the making stays reserved: xa_erase()
 * would free it, and the next object could get it, too.
 *
 * Return: the object, with the table's reference, or NULL.
 */
void *ppu_uobj_take(struct xarray *table, u32 id)
{
	void *obj;

	xa_lock(table);
	obj = xa_load(table, id);
	if (obj)
		__xa_erase(table, id);
	xa_unlock(table);
	return obj;
}
EXPORT_SYMBOL_IF_KUNIT(ppu_uobj_take);
