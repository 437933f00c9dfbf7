// SPDX-License-Identifier: GPL-2.0-only
//LAB 4 file
/*
 * The DRM device: what a program opens, and the table of its ioctls. You need not change this
 * file.
 */
#include <linux/slab.h>
#include <drm/drm_drv.h>
#include <drm/drm_ioctl.h>
#include "lab.h"
//LAB 5 given
#include "lab_chan.h"
//LAB end
//LAB 11 given
#include "lab_vm.h"
//LAB end
//LAB 12 given
#include "lab_hot.h"
//LAB end

static bool lab_drm_enter(struct drm_device *drm, int *idx)
{
	if (!drm_dev_enter(drm, idx))
		return false;
//LAB 12 given
	lab_gate_enter(container_of(drm, struct lab_dev, drm));
//LAB end
	return true;
}

static void lab_drm_exit(struct drm_device *drm, int idx)
{
//LAB 12 given
	lab_gate_exit(container_of(drm, struct lab_dev, drm));
//LAB end
	drm_dev_exit(idx);
}

/*
 * An ioctl that uses the device. The device stays between drm_dev_enter() and drm_dev_exit():
 * drm_dev_unplug() waits until no thread is between the two, so no ioctl may sleep there for long.
 */
#define LAB_ENTERED(name)								\
static int name##_entered(struct drm_device *drm, void *data, struct drm_file *file)	\
{											\
	int idx, ret;									\
											\
	if (!lab_drm_enter(drm, &idx))							\
		return -ENODEV;								\
	ret = name##_ioctl(drm, data, file);						\
	lab_drm_exit(drm, idx);								\
	return ret;									\
}

/* Tells at which GPU address a buffer is. */
static int lab_gem_va_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
//LAB 7 before
	struct lab_gem_va *args = data;
	struct drm_gem_object *obj;

	if (args->pad)
		return -EINVAL;
	obj = drm_gem_object_lookup(file, args->handle);
	if (!obj)
		return -ENOENT;
	args->va = LAB_VA_VRAM + to_lab_bo(obj)->node.start;
	drm_gem_object_put(obj);
	return 0;
//LAB end
//LAB 7 given
	return -EINVAL;		/* the address is wherever the owner maps the buffer */
//LAB end
}

//LAB 11 given
/* These ioctls go through lab_place.c, which calls those of labs 4 and 7. */
#define lab_gem_create_ioctl	lab_place_create_ioctl
#define lab_gem_mmap_ioctl	lab_place_mmap_ioctl
#define lab_gem_copy_ioctl	lab_place_copy_ioctl
#define lab_vm_bind_ioctl	lab_place_bind_ioctl

LAB_ENTERED(lab_place_info)
//LAB end
LAB_ENTERED(lab_gem_create)
LAB_ENTERED(lab_gem_mmap)
LAB_ENTERED(lab_gem_copy)
LAB_ENTERED(lab_gem_va)
//LAB 12 given
LAB_ENTERED(lab_reset_info)
//LAB end
//LAB 5 given
LAB_ENTERED(lab_chan_create)
LAB_ENTERED(lab_chan_destroy)
//LAB end
//LAB 7 given
LAB_ENTERED(lab_vm_bind)
LAB_ENTERED(lab_vm_fault)
//LAB end

static const struct drm_ioctl_desc lab_ioctls[] = {
	DRM_IOCTL_DEF_DRV(LAB_GEM_CREATE, lab_gem_create_entered, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(LAB_GEM_MMAP, lab_gem_mmap_entered, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(LAB_GEM_COPY, lab_gem_copy_entered, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(LAB_GEM_VA, lab_gem_va_entered, DRM_RENDER_ALLOW),
//LAB 5 given
	DRM_IOCTL_DEF_DRV(LAB_CHAN_CREATE, lab_chan_create_entered, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(LAB_CHAN_DESTROY, lab_chan_destroy_entered, DRM_RENDER_ALLOW),
	/* These ioctls enter by themselves: they may sleep, which must not hold up drm_dev_unplug(). */
	DRM_IOCTL_DEF_DRV(LAB_SUBMIT, lab_submit_ioctl, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(LAB_CHAN_WAIT, lab_chan_wait_ioctl, DRM_RENDER_ALLOW),
//LAB end
//LAB 7 given
	DRM_IOCTL_DEF_DRV(LAB_VM_BIND, lab_vm_bind_entered, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(LAB_VM_FAULT, lab_vm_fault_entered, DRM_RENDER_ALLOW),
//LAB end
//LAB 12 given
	DRM_IOCTL_DEF_DRV(LAB_RESET_INFO, lab_reset_info_entered, DRM_RENDER_ALLOW),
//LAB end
//LAB 11 given
	DRM_IOCTL_DEF_DRV(LAB_PLACE_INFO, lab_place_info_entered, DRM_RENDER_ALLOW),
//LAB end
};

//LAB 7 given
/* The address space of a new file. */
static int lab_drm_open_vm(struct lab_file *lfile)
{
	struct lab_dev *ldev = lfile->ldev;
	int idx;

	if (!lab_drm_enter(&ldev->drm, &idx))
		return -ENODEV;
	lfile->vm = lab_vm_create(ldev);
//LAB end
//LAB 12 given
	lfile->resets = ldev->resets;
//LAB end
//LAB 7 given
	lab_drm_exit(&ldev->drm, idx);
//LAB end
//LAB 11 given
	if (!IS_ERR(lfile->vm))
		INIT_LIST_HEAD(&lfile->vm->spots);
//LAB end
//LAB 7 given
	return PTR_ERR_OR_ZERO(lfile->vm);
}

//LAB end
static int lab_drm_open(struct drm_device *drm, struct drm_file *file)
{
	struct lab_dev *ldev = container_of(drm, struct lab_dev, drm);
	struct lab_file *lfile = kzalloc(sizeof(*lfile), GFP_KERNEL);
//LAB 7 given
	int ret;
//LAB end

	if (!lfile)
		return -ENOMEM;
	lfile->ldev = ldev;
//LAB 5 given
	mutex_init(&lfile->lock);
	xa_init_flags(&lfile->chans, XA_FLAGS_ALLOC1);
//LAB end
//LAB 7 given
	ret = lab_drm_open_vm(lfile);
	if (ret) {
		kfree(lfile);
		return ret;
	}
//LAB end
	file->driver_priv = lfile;
	return 0;
}

/* The file's last user has closed it. Its handles are closed already; the device may be gone. */
static void lab_drm_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct lab_file *lfile = file->driver_priv;

//LAB 12 given
	lab_gate_enter(lfile->ldev);
//LAB end
//LAB 5 given
	lab_chan_close_all(lfile);
	xa_destroy(&lfile->chans);
//LAB end
//LAB 11 given
	lab_place_close(lfile->vm);
//LAB end
//LAB 7 given
	lab_vm_destroy(lfile->ldev, lfile->vm);
//LAB end
//LAB 12 given
	lab_gate_exit(lfile->ldev);
//LAB end
	kfree(lfile);
}

//LAB 12 before
DEFINE_DRM_GEM_FOPS(lab_drm_fops);
//LAB end
//LAB 12 given
/* As DEFINE_DRM_GEM_FOPS() makes them, but for mmap(). */
static const struct file_operations lab_drm_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = drm_ioctl,
	.compat_ioctl = drm_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = lab_hot_mmap,
};
//LAB end

const struct drm_driver lab_drm_driver = {
//LAB 6 before
	.driver_features = DRIVER_GEM | DRIVER_RENDER,
//LAB end
//LAB 6 given
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ,
//LAB end
	.open = lab_drm_open,
	.postclose = lab_drm_postclose,
	.ioctls = lab_ioctls,
	.num_ioctls = ARRAY_SIZE(lab_ioctls),
	.fops = &lab_drm_fops,
	.name = "lab",
	.desc = "PPU course labs",
	.major = 1,
	LAB_DRM_DATE
};

/* From here on programs can open the device, so every other stage has to be ready. */
int lab_drm_init(struct lab_dev *ldev)
{
	return drm_dev_register(&ldev->drm, 0);
}

/*
 * No ioctl begins any more, those that run end, mappings of VRAM are taken away. Files may still be open
 * afterwards; their ioctls find the device unplugged. ldev lives until the last file is closed.
 */
void lab_drm_fini(struct lab_dev *ldev)
{
	drm_dev_unplug(&ldev->drm);
}
