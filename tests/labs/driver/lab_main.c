// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lab driver: the module, and the stages that bring the device up.
 *
 * You need not change this file. Each lab adds a stage; lab_pci.c calls lab_start() at the end of
 * its probe() and lab_stop() at the beginning of its remove().
 */
#include "lab.h"

//LAB 2 given
struct lab_stage {
	const char *name;
	int (*init)(struct lab_dev *ldev);	/* undoes its own work if it fails */
	void (*fini)(struct lab_dev *ldev);
};

static const struct lab_stage stages[] = {
	{ "interrupts", lab_irq_init, lab_irq_fini },
//LAB end
//LAB 3 given
	{ "VRAM pages", lab_vram_init, lab_vram_fini },
	{ "context", lab_ctx_init, lab_ctx_fini },
	{ "DMA memory", lab_dma_init, lab_dma_fini },
	{ "copy channel", lab_ce_init, lab_ce_fini },
//LAB end
//LAB 4 given
	{ "GEM", lab_gem_init, lab_gem_fini },
//LAB end
//LAB 11 given
	{ "places", lab_place_init, lab_place_fini },
//LAB end
//LAB 7 given
	{ "address spaces", lab_vm_init, lab_vm_fini },
//LAB end
//LAB 5 given
	{ "channels", lab_chan_init, lab_chan_fini },
//LAB end
//LAB 4 given
	{ "DRM device", lab_drm_init, lab_drm_fini },
//LAB end
//LAB 2 given
	{ "/dev/lab", lab_misc_init, lab_misc_fini },
};
//LAB end

int lab_start(struct lab_dev *ldev)
{
//LAB 2 given
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(stages); i++) {
		ret = stages[i].init(ldev);
		if (ret) {
			dev_err(&ldev->pdev->dev, "%s: error %d\n", stages[i].name, ret);
			while (i--)
				stages[i].fini(ldev);
			return ret;
		}
	}
//LAB end
	return 0;
}

void lab_stop(struct lab_dev *ldev)
{
//LAB 2 given
	int i;

	for (i = ARRAY_SIZE(stages) - 1; i >= 0; i--)
		stages[i].fini(ldev);
//LAB end
}

/* Zeroed memory for a device, freed together with the device; or ERR_PTR(). */
struct lab_dev *lab_dev_alloc(struct pci_dev *pdev)
{
	struct lab_dev *ldev;

//LAB 4 before
	ldev = devm_kzalloc(&pdev->dev, sizeof(*ldev), GFP_KERNEL);
	if (!ldev)
		return ERR_PTR(-ENOMEM);
//LAB end
//LAB 4 given
	/* Lives until the last open file is closed, which may be after the device is gone. */
	ldev = devm_drm_dev_alloc(&pdev->dev, &lab_drm_driver, struct lab_dev, drm);
	if (IS_ERR(ldev))
		return ldev;
//LAB end
	ldev->pdev = pdev;
//LAB 12 given
	init_rwsem(&ldev->gate);
//LAB end
	return ldev;
}
//LAB 2 given

/* The next three functions may sleep, so a hard handler must not call them. */
static void from_thread(const char *name)
{
	WARN_ONCE(!in_task(), "%s() is for interrupt threads\n", name);
}

void lab_on_channel_event(struct lab_dev *ldev, u32 chid)
{
	from_thread(__func__);
//LAB end
//LAB 3 given
	if (chid == LAB_CE_CHAN)
		lab_ce_event(ldev);
//LAB end
//LAB 5 given
	else
		lab_chan_event(ldev, chid);
//LAB end
//LAB 2 given
}

void lab_on_channel_error(struct lab_dev *ldev, u32 chid)
{
	from_thread(__func__);
	dev_warn(&ldev->pdev->dev, "channel %u stopped\n", chid);
//LAB end
//LAB 3 given
	if (chid == LAB_CE_CHAN)
		lab_ce_event(ldev);
//LAB end
//LAB 5 given
	else
		lab_chan_error(ldev, chid);
//LAB end
//LAB 2 given
}

void lab_on_fault(struct lab_dev *ldev)
{
	from_thread(__func__);
//LAB end
//LAB 7 given
	lab_vm_on_fault(ldev);
//LAB end
//LAB 2 given
}
//LAB end

//LAB 12 before
module_pci_driver(lab_pci_driver);
//LAB end
//LAB 12 given
static int __init lab_init(void)
{
	lab_pci_driver.err_handler = &lab_hot_handlers;
	return pci_register_driver(&lab_pci_driver);
}

static void __exit lab_exit(void)
{
	pci_unregister_driver(&lab_pci_driver);
}

module_init(lab_init);
module_exit(lab_exit);
//LAB end
MODULE_DESCRIPTION("Driver of the PPU course labs");
MODULE_LICENSE("GPL");
