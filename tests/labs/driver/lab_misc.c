// SPDX-License-Identifier: GPL-2.0-only
//LAB 2 file
/*
 * /dev/lab, through which programs look at labs 2 and 3. You need not change this file.
 */
#include <linux/miscdevice.h>
#include <linux/rwsem.h>
#include <linux/uaccess.h>
#include "lab.h"
//LAB 12 given
#include "lab_hot.h"
//LAB end

/* The device may go while a file is open: then the file finds NULL here. */
static DECLARE_RWSEM(gate);
static struct lab_dev *the_device;	/* protected by gate */

static long stats_ioctl(struct lab_dev *ldev, void __user *arg)
{
	struct lab_stats stats;
	unsigned long flags;

	spin_lock_irqsave(&ldev->irq.lock, flags);
	stats = ldev->irq.stats;
	spin_unlock_irqrestore(&ldev->irq.lock, flags);
	return copy_to_user(arg, &stats, sizeof(stats)) ? -EFAULT : 0;
}

static long mask_ioctl(struct lab_dev *ldev, void __user *arg)
{
	u32 masked;

	if (copy_from_user(&masked, arg, sizeof(masked)))
		return -EFAULT;
	if (masked > 1)
		return -EINVAL;
	lab_irq_mask(ldev, masked);
	return 0;
}

//LAB 3 given
static long dma_ioctl(struct lab_dev *ldev, void __user *arg)
{
	struct lab_dma args;

	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	if (args.pad || args.to_vram > 1 || !args.bytes ||
	    args.vram > LAB_DMA_BYTES || args.bytes > LAB_DMA_BYTES - args.vram)
		return -EINVAL;
	return lab_dma_user(ldev, &args);
}

//LAB end
static long lab_misc_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	void __user *uarg = (void __user *)arg;
	long ret;

	down_read(&gate);
//LAB 12 given
	if (the_device)
		lab_gate_enter(the_device);
//LAB end
	if (!the_device)
		ret = -ENODEV;
	else if (cmd == LAB_IOC_STATS)
		ret = stats_ioctl(the_device, uarg);
	else if (cmd == LAB_IOC_MASK)
		ret = mask_ioctl(the_device, uarg);
//LAB 3 given
	else if (cmd == LAB_IOC_DMA)
		ret = dma_ioctl(the_device, uarg);
//LAB end
	else
		ret = -ENOTTY;
//LAB 12 given
	if (the_device)
		lab_gate_exit(the_device);
//LAB end
	up_read(&gate);
	return ret;
}

static const struct file_operations lab_misc_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.unlocked_ioctl = lab_misc_ioctl,
};

static struct miscdevice lab_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "lab",
	.fops = &lab_misc_fops,
};

int lab_misc_init(struct lab_dev *ldev)
{
	int ret = -EBUSY;

	down_write(&gate);
	if (!the_device) {
		the_device = ldev;
		ret = misc_register(&lab_misc);
		if (ret)
			the_device = NULL;
	}
	up_write(&gate);
	return ret;
}

void lab_misc_fini(struct lab_dev *ldev)
{
	misc_deregister(&lab_misc);
	down_write(&gate);
	the_device = NULL;
	up_write(&gate);
}
