/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of lab_witness.h for drivers that use DRM (labs 4 and later). */
#ifndef LAB_WITNESS_DRM_H
#define LAB_WITNESS_DRM_H

#include <drm/drm_drv.h>
#include <drm/drm_gem.h>
#include <drm/drm_managed.h>
#include <drm/drm_mm.h>

#define drm_dev_register(drm, flags)							\
	LAB_ACQ("drm_dev_register", int, -ENOMEM, drm_dev_register(drm, flags), !ret_,	\
		LAB_K_DRM_REGISTER, (unsigned long)(drm), 0)
#define drm_dev_unregister(drm) ({							\
	lab_w_del(LAB_K_DRM_REGISTER, (unsigned long)(drm), 0, LAB_SITE("drm_dev_unregister"));	\
	drm_dev_unregister(drm); })
#define drm_dev_unplug(drm) ({								\
	lab_w_del(LAB_K_DRM_REGISTER, (unsigned long)(drm), 0, LAB_SITE("drm_dev_unplug")); drm_dev_unplug(drm); })

#define LAB_MM(name, node, call)							\
	LAB_ACQ(name, int, -ENOSPC, call, !ret_, LAB_K_DRM_MM, (unsigned long)(node), 0)
#define drm_mm_insert_node(mm, node, size)						\
	LAB_MM("drm_mm_insert_node", node, drm_mm_insert_node(mm, node, size))
#define drm_mm_insert_node_generic(mm, node, size, align, color, mode)			\
	LAB_MM("drm_mm_insert_node_generic", node, drm_mm_insert_node_generic(mm, node, size, align, color, mode))
#define drm_mm_insert_node_in_range(mm, node, size, align, color, from, to, mode)	\
	LAB_MM("drm_mm_insert_node_in_range", node,					\
	       drm_mm_insert_node_in_range(mm, node, size, align, color, from, to, mode))
#define drm_mm_reserve_node(mm, node)							\
	LAB_MM("drm_mm_reserve_node", node, drm_mm_reserve_node(mm, node))
#define drm_mm_remove_node(node) ({ struct drm_mm_node *o_ = (node);			\
	lab_w_del(LAB_K_DRM_MM, (unsigned long)o_, 0, LAB_SITE("drm_mm_remove_node")); drm_mm_remove_node(o_); })

#define drm_gem_object_init(drm, obj, size)						\
	LAB_ACQ("drm_gem_object_init", int, -ENOMEM, drm_gem_object_init(drm, obj, size), !ret_,	\
		LAB_K_GEM, (unsigned long)(obj), 0)
#define drm_gem_private_object_init(drm, obj, size) ({					\
	drm_gem_private_object_init(drm, obj, size);					\
	lab_w_add(LAB_K_GEM, (unsigned long)(obj), 0, LAB_SITE("drm_gem_private_object_init")); })
#define drm_gem_object_release(obj) ({ struct drm_gem_object *o_ = (obj);		\
	lab_w_del(LAB_K_GEM, (unsigned long)o_, 0, LAB_SITE("drm_gem_object_release")); drm_gem_object_release(o_); })
#define drm_gem_handle_create(file, obj, handle)					\
	LAB_MAY_FAIL("drm_gem_handle_create", int, -ENOMEM, drm_gem_handle_create(file, obj, handle))
#define drm_gem_create_mmap_offset(obj)							\
	LAB_MAY_FAIL("drm_gem_create_mmap_offset", int, -ENOSPC, drm_gem_create_mmap_offset(obj))

#define drmm_kzalloc(drm, size, flags)	LAB_MAY_FAIL("drmm_kzalloc", void *, NULL, drmm_kzalloc(drm, size, flags))
#define drmm_kmalloc(drm, size, flags)	LAB_MAY_FAIL("drmm_kmalloc", void *, NULL, drmm_kmalloc(drm, size, flags))

#endif
