// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lab 15: the PCI device, /dev/lab15, and the kernel as a user of the device that has secrets. You need not change this
 * file; the grader uses its own copy.
 */
#include <linux/capability.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <hw/ppu_regs.h>
#include "gpu.h"

static bool fixed;
module_param(fixed, bool, 0444);
MODULE_PARM_DESC(fixed, "driver.c, and not pristine.c");

static struct gpu *the_gpu;
static const struct driver_ops *ops = &pristine_ops;
static DEFINE_MUTEX(game);		/* protects the variables below */
static u32 secrets[V_WEAKNESSES + 1], solved, wrong;
static u32 only;			/* the weakness that is open; 0: all are */
static int service_id;			/* the kernel's buffer */

void gpu_wait_idle(struct gpu *gpu)
{
	readl(gpu->regs + PPU_REG_VERSION);
	usleep_range(2000, 3000);
}

/* --- the kernel's own buffer ------------------------------------------------------------------ */

static void fill_words(void __iomem *at, u32 value)
{
	u32 i;

	for (i = 0; i < GPU_PAGE; i += 4)
		writel(value, at + i);
}

/* Called with gpu->lock held. */
static void service_end(struct gpu *gpu, bool clear)
{
	struct buf *buf;

	if (service_id <= 0)
		return;
	buf = &gpu->bufs[service_id - 1];
	if (clear)
		fill_words(gpu->vram + buf->start, 0);
	ops->destroy(gpu, buf);
	service_id = 0;
}

/* A page full of the secret, in a buffer of the kernel. Weakness 1: that was. Weakness 6: the kernel asks V_INFO. */
static int service(struct gpu *gpu, u32 n)
{
	int ret = 0;

	mutex_lock(&gpu->lock);
	service_end(gpu, true);
	if (n == 6) {
		memset32((u32 *)&gpu->answer, secrets[n], sizeof(gpu->answer) / 4);
	} else {
		ret = ops->create(gpu, NULL, 1, GPU_PAGE);
		if (ret > 0) {
			service_id = ret;
			fill_words(gpu->vram + gpu->bufs[ret - 1].start, secrets[n]);
			ret = 0;
		}
		if (n == 1)
			service_end(gpu, false);
	}
	mutex_unlock(&gpu->lock);
	return ret;
}

static int claim(struct gpu *gpu, const struct v_claim *args)
{
	if (args->n < 1 || args->n > V_WEAKNESSES)
		return -EINVAL;
	if (wrong >= 64 || args->secret != secrets[args->n]) {
		wrong++;
		return -EACCES;
	}
	solved |= 1u << args->n;
	/* The device keeps it as well. */
	writel(solved, gpu->regs + PPU_REG_SCRATCH);
	return 0;
}

static long game_ioctl(struct gpu *gpu, unsigned int cmd, void __user *arg)
{
	struct v_claim args;
	u32 n;

	switch (cmd) {
	case V_SERVICE:
		if (copy_from_user(&n, arg, sizeof(n)))
			return -EFAULT;
		return n < 1 || n > V_WEAKNESSES ? -EINVAL : service(gpu, n);
	case V_CLAIM:
		if (copy_from_user(&args, arg, sizeof(args)))
			return -EFAULT;
		return claim(gpu, &args);
	case V_STATUS:
		if (!capable(CAP_SYS_ADMIN))
			return -EPERM;
		return copy_to_user(arg, &solved, sizeof(solved)) ? -EFAULT : 0;
	case V_ONLY:
		if (!capable(CAP_SYS_ADMIN))
			return -EPERM;
		if (copy_from_user(&n, arg, sizeof(n)))
			return -EFAULT;
		if (n > V_WEAKNESSES)
			return -EINVAL;
		WRITE_ONCE(only, n);
		return 0;
	}
	return -ENOTTY;
}

/* --- /dev/lab15 ------------------------------------------------------------------------------- */

static int dev_open(struct inode *inode, struct file *file)
{
	struct client *user = kzalloc(sizeof(*user), GFP_KERNEL);

	if (!user)
		return -ENOMEM;
	user->gpu = the_gpu;
	file->private_data = user;
	return 0;
}

static int dev_release(struct inode *inode, struct file *file)
{
	struct client *user = file->private_data;

	ops->close(user);
	kfree(user);
	return 0;
}

static long dev_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct client *user = file->private_data;
	long ret;

	if (_IOC_NR(cmd) < 20)
		return only_ioctl(user, ops, cmd, (void __user *)arg, READ_ONCE(only));
	mutex_lock(&game);
	ret = game_ioctl(user->gpu, cmd, (void __user *)arg);
	mutex_unlock(&game);
	return ret;
}

static const struct file_operations dev_fops = {
	.owner = THIS_MODULE,
	.open = dev_open,
	.release = dev_release,
	.unlocked_ioctl = dev_ioctl,
};

static struct miscdevice dev_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "lab15",
	.mode = 0666,
	.fops = &dev_fops,
};

/* --- the PCI function ------------------------------------------------------------------------- */

static int dev_map(struct pci_dev *pdev, struct gpu *gpu)
{
	int ret = pcim_enable_device(pdev);

	if (ret)
		return ret;
	gpu->regs = pcim_iomap(pdev, PPU_BAR_REGS, 0);
	gpu->vram = pcim_iomap(pdev, PPU_BAR_VRAM, 0);
	return gpu->regs && gpu->vram ? 0 : -ENOMEM;
}

static int dev_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct gpu *gpu;
	int ret;

	if (the_gpu)
		return -EBUSY;
	gpu = devm_kzalloc(&pdev->dev, sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return -ENOMEM;
	ret = dev_map(pdev, gpu);
	if (ret)
		return ret;
	mutex_init(&gpu->lock);
	writel(0, gpu->regs + PPU_REG_SCRATCH);
	memset_io(gpu->vram + GPU_FIRST, 0, GPU_PAGES * GPU_PAGE);
	get_random_bytes(secrets, sizeof(secrets));
	if (fixed)
		ops = &driver_ops;
	the_gpu = gpu;
	ret = misc_register(&dev_misc);
	if (ret)
		the_gpu = NULL;
	return ret;
}

static void dev_remove(struct pci_dev *pdev)
{
	misc_deregister(&dev_misc);
	the_gpu = NULL;
}

static const struct pci_device_id dev_ids[] = {
	{ PCI_DEVICE(PPU_PCI_VENDOR_ID, PPU_PCI_DEVICE_ID) },
	{ }
};

static struct pci_driver dev_driver = {
	.name = KBUILD_MODNAME,
	.id_table = dev_ids,
	.probe = dev_probe,
	.remove = dev_remove,
};

module_pci_driver(dev_driver);
MODULE_DESCRIPTION("Driver of PPU course lab 15, with weaknesses");
MODULE_LICENSE("GPL");
