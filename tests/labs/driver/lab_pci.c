// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lab 1: the PCI function. Find the device, take its resources, say what it is; give everything back.
 */
#include "lab.h"

//LAB 1 write: Take what the device needs, in an order that can be undone: memory decoding, a DMA
//LAB      mask (48 bits), its regions under the name
//LAB      KBUILD_MODNAME, BAR0 at ldev->regs, BAR2 at ldev->vram (write-combining). If one of these steps
//LAB      fails, undo the steps before it, last first.
static int lab_map(struct lab_dev *ldev)
{
	struct pci_dev *pdev = ldev->pdev;
	int ret;

	ret = pci_enable_device_mem(pdev);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(48));
	if (ret)
		goto err_disable;
	ret = pci_request_regions(pdev, KBUILD_MODNAME);
	if (ret)
		goto err_disable;
	ret = -ENOMEM;
	ldev->regs = pci_iomap(pdev, PPU_BAR_REGS, 0);
	if (!ldev->regs)
		goto err_regions;
	ldev->vram = pci_iomap_wc(pdev, PPU_BAR_VRAM, 0);
	if (!ldev->vram)
		goto err_regs;
	return 0;

err_regs:
	pci_iounmap(pdev, ldev->regs);
err_regions:
	pci_release_regions(pdev);
err_disable:
	pci_disable_device(pdev);
	return ret;
}

static void lab_unmap(struct lab_dev *ldev)
{
	struct pci_dev *pdev = ldev->pdev;

	pci_clear_master(pdev);
	pci_iounmap(pdev, ldev->vram);
	pci_iounmap(pdev, ldev->regs);
	pci_release_regions(pdev);
	pci_disable_device(pdev);
}
//LAB end

//LAB 1 write: Is this a device that the driver knows? ID must be PPU_ID_MAGIC, and the major version in VERSION
//LAB      that of PPU_HW_VERSION. If not, -ENODEV. If so, learn vram_start, vram_size and channels.
static int lab_identify(struct lab_dev *ldev)
{
	u32 version = lab_read(ldev, PPU_REG_VERSION);

	if (lab_read(ldev, PPU_REG_ID) != PPU_ID_MAGIC || version >> 16 != PPU_HW_VERSION >> 16) {
		dev_err(&ldev->pdev->dev, "no PPU that this driver knows, version %#x\n", version);
		return -ENODEV;
	}
	ldev->vram_start = pci_resource_start(ldev->pdev, PPU_BAR_VRAM);
	ldev->vram_size = (u64)lab_read(ldev, PPU_REG_CAP_VRAM_MB) << 20;
	ldev->channels = lab_read(ldev, PPU_REG_CAP_CHANNELS);
	return 0;
}

static void lab_report(struct lab_dev *ldev)
{
	u32 version = lab_read(ldev, PPU_REG_VERSION);

	dev_info(&ldev->pdev->dev, "PPU version %u.%u, %llu MiB of VRAM, %u channels\n",
		 version >> 16, version & 0xffff, ldev->vram_size >> 20, ldev->channels);
}
//LAB end

static int lab_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
//LAB 1 write: Allocate (lab_dev_alloc()), map, identify, reset the device (whoever
//LAB      had it before may have left it in any state), bus mastering on, lab_start(). When
//LAB      all that went well, write LAB_SCRATCH_READY to SCRATCH, keep ldev for remove, and
//LAB      say in the kernel's log: "PPU version 1.3, 256 MiB of VRAM, 256 channels". When
//LAB      not, leave nothing behind.
	struct lab_dev *ldev;
	int ret;

	ldev = lab_dev_alloc(pdev);
	if (IS_ERR(ldev))
		return PTR_ERR(ldev);
	ret = lab_map(ldev);
	if (ret)
		return ret;
	ret = lab_identify(ldev);
	if (ret)
		goto err_unmap;
	lab_write(ldev, PPU_REG_RESET, 1);
	pci_set_master(pdev);
	ret = lab_start(ldev);
	if (ret)
		goto err_reset;
	lab_write(ldev, PPU_REG_SCRATCH, LAB_SCRATCH_READY);
	pci_set_drvdata(pdev, ldev);
	lab_report(ldev);
	return 0;

err_reset:
	lab_write(ldev, PPU_REG_RESET, 1);
err_unmap:
	lab_unmap(ldev);
	return ret;
//LAB instead
	return -ENODEV;
//LAB end
}

static void lab_remove(struct pci_dev *pdev)
{
//LAB 1 write: Call lab_stop(), then make the device quiet: no interrupts, no DMA, reset.
//LAB      Then give back what probe took.
	struct lab_dev *ldev = pci_get_drvdata(pdev);

	lab_stop(ldev);
	/* Quiet before its memory and its interrupts are gone. */
	lab_write(ldev, PPU_REG_INTR_ENABLE, 0);
	lab_write(ldev, PPU_REG_RESET, 1);
	lab_unmap(ldev);
//LAB end
}

static const struct pci_device_id lab_pci_ids[] = {
	{ PCI_DEVICE(PPU_PCI_VENDOR_ID, PPU_PCI_DEVICE_ID) },
	{ }
};
MODULE_DEVICE_TABLE(pci, lab_pci_ids);

struct pci_driver lab_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = lab_pci_ids,
	.probe = lab_probe,
	.remove = lab_remove,
};
