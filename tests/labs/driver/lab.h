/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lab driver: what its files share.
 *
 * One PCI function, one struct lab_dev. Each lab adds a stage. When the device is probed, the init()
 * of every stage runs in the order of the table in lab_main.c; at removal fini(), in reverse order.
 */
#ifndef LAB_H
#define LAB_H

#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
//LAB 2 given
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/wait.h>
//LAB end
//LAB 3 given
#include <linux/bitmap.h>
#include <linux/mutex.h>
//LAB end
//LAB 4 given
#include <drm/drm_device.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_mm.h>
//LAB end
#include <hw/ppu_regs.h>
//LAB 3 given
#include <hw/ppu_cmd.h>
#include <hw/ppu_mmu.h>
//LAB end
//LAB 5 given
#include <linux/xarray.h>
#include <hw/ppu_fault.h>
//LAB end
//LAB 12 given
#include <linux/rwsem.h>
//LAB end
#include "lab_uapi.h"
//LAB 4 given

/* The driver changes the flags of a mapping by vm_flags_set(), which kernels before 6.3 do not have. */
#ifndef LAB_HAS_VM_FLAGS_SET
#define vm_flags_set(vma, flags) ((vma)->vm_flags |= (flags))
#endif
/* Older kernels want a date in struct drm_driver. */
#ifdef LAB_HAS_DRM_DATE
#define LAB_DRM_DATE .date = "20260101",
#else
#define LAB_DRM_DATE
#endif
//LAB end

struct lab_dev;
//LAB 5 given
struct lab_chan;
#define LAB_CHANNELS		64	/* hardware channels this driver uses */
//LAB end
//LAB 7 given
struct lab_vm;
//LAB end
//LAB 2 given

/* Lab 2, lab_irq.c. */
struct lab_vector {
	struct lab_dev *ldev;
	unsigned int n;			/* PPU_VEC_* */
	unsigned int irq;		/* from pci_irq_vector(): asked only once, because it may sleep */
};

struct lab_irq {
	spinlock_t lock;		/* protects all but wait and poll; taken by the hard handlers */
	u32 todo[PPU_NUM_VECTORS];	/* causes that a hard handler has cleared and its thread has not handled yet */
	u32 enabled;			/* what INTR_ENABLE holds */
	u32 overdue;			/* causes that were pending at the timer's last look */
	struct lab_vector vector[PPU_NUM_VECTORS];	/* dev_id of each handler */
	struct lab_stats stats;
	wait_queue_head_t wait;		/* woken whenever events were handled */
	struct timer_list poll;		/* looks for events whose message got lost */
};
//LAB end
//LAB 3 given

/* Given, lab_ctx.c: a context (instance block and page tables), all in VRAM. */
struct lab_ctx {
	u64 inst;			/* VRAM offset of its instance block */
	u64 root;			/* VRAM offset of its level-3 page table */
	u32 id;
};

/* Given, lab_ce.c: the driver's own copy channel, number 0. */
struct lab_ce {
	struct mutex lock;		/* for one user at a time, from writing the blocks until the copy has ended */
	u32 *blocks;			/* lab 3: coherent memory for command blocks, LAB_CE_BLOCK_BYTES */
	dma_addr_t blocks_dma;
	u64 ring;			/* VRAM offset of its ring */
	u32 put;
	u64 submitted;			/* lab 3: the value the semaphore has after the last block */
	u64 sem;			/* VRAM offset of the semaphore */
	u64 window;			/* VRAM offset of the window of LAB_IOC_DMA */
};

#define LAB_CE_CHAN		0
#define LAB_CE_BLOCK_BYTES	PAGE_SIZE
/* Bus addresses begin here in the kernel's context. (VRAM begins at LAB_VA_VRAM.) */
#define LAB_VA_SYS		0x0000010000000000ull
#define LAB_VA_SYS_BYTES	(8ull << 30)
/* The first part of VRAM is the driver's own; the rest is for buffers (lab 4). */
#define LAB_VRAM_OWN		(16ull << 20)
#define LAB_OWN_PAGES		(LAB_VRAM_OWN >> PAGE_SHIFT)

/* Given, lab_vram.c: the pages of the driver's own part of VRAM. */
struct lab_own {
	struct mutex lock;		/* protects used */
	DECLARE_BITMAP(used, LAB_OWN_PAGES);
};
//LAB end
//LAB 4 given

/* Lab 4, lab_gem.c. */
struct lab_gem {
	struct mutex lock;		/* protects mm */
	struct drm_mm mm;		/* bytes of VRAM from LAB_VRAM_OWN on */
};

struct lab_bo {
	struct drm_gem_object base;
	struct drm_mm_node node;	/* its place in VRAM: node.start is the byte offset */
//LAB end
//LAB 11 given
	/* Lab 11. place.lock protects these, place.list_lock protects link. */
	struct list_head link;		/* in place.lru, or, if the buffer is in system memory, in place.out */
	struct lab_piece *pieces;	/* its system memory; NULL: the buffer is in VRAM */
	struct list_head spots;		/* struct lab_spot: where address spaces have the buffer */
	bool keep;			/* the present caller needs the buffer in VRAM */
	const struct drm_gem_object_funcs *gem_funcs;	/* those of lab 4 */
//LAB end
//LAB 4 given
};

#define to_lab_bo(obj)	container_of(obj, struct lab_bo, base)

//LAB end
//LAB 11 given
/* Lab 11, lab_place.c and lab_evict.c. */
struct lab_place {
	struct mutex lock;		/* held while buffers move or are to stay where they are; before vm->lock */
	struct mutex list_lock;		/* protects lru, out and the numbers; taken last */
	struct list_head lru;		/* buffers in VRAM, the one that was not used for longest is first */
	struct list_head out;		/* buffers in system memory */
	u64 vram_bytes, sys_bytes;	/* of all buffers in VRAM, in system memory */
	u64 evictions, restores;	/* how often a buffer was moved out, and back */
};

//LAB end
//LAB 4 given
/* One open DRM file. */
struct lab_file {
	struct lab_dev *ldev;
//LAB end
//LAB 5 given
	struct mutex lock;		/* protects chans (and, in lab 7, what vm holds) */
	struct xarray chans;		/* id -> struct lab_chan */
//LAB end
//LAB 7 given
	struct lab_vm *vm;		/* lab 7: the file's address space, made at open */
//LAB end
//LAB 12 given
	u32 resets;			/* lab 12: what lab_dev.resets was at open */
//LAB end
//LAB 4 given
};
//LAB end

struct lab_dev {
//LAB 4 given
	struct drm_device drm;
//LAB end
	struct pci_dev *pdev;
	void __iomem *regs;		/* BAR0 */
	void __iomem *vram;		/* BAR2, write-combining */
	resource_size_t vram_start;	/* bus address of BAR2 */
	u64 vram_size;			/* bytes, from CAP_VRAM_MB */
	u32 channels;			/* CAP_CHANNELS */
//LAB 2 given
	struct lab_irq irq;
//LAB end
//LAB 3 given
	struct lab_own own;
	struct mutex ctx_lock;		/* protects CTX_INST, CTX_CMD, CTX_STATUS and TLB_INV_INST, TLB_INV */
	struct lab_ctx ctx;		/* the kernel's context */
	struct lab_ce ce;
//LAB end
//LAB 4 given
	struct lab_gem gem;
//LAB end
//LAB 11 given
	struct lab_place place;
//LAB end
//LAB 5 given
	spinlock_t chan_lock;		/* protects chan[]; taken in interrupt threads */
	struct lab_chan *chan[LAB_CHANNELS];	/* by hardware channel number; number 0 belongs to lab_ce.c */
//LAB end
//LAB 8 given
	struct mutex pair_lock;		/* one reader of a pair of channel registers at a time */
//LAB end
//LAB 6 given
	u64 words;			/* VRAM offset of a page: word n is the semaphore of hardware channel n */
//LAB end
//LAB 7 given
	struct mutex vm_lock;		/* protects vms, next_ctx_id, fault ring, each vm's faults; before ctx_lock */
	struct list_head vms;		/* struct lab_vm */
	u32 next_ctx_id;
//LAB end
//LAB 12 given
	struct rw_semaphore gate;	/* lab 12: held for reading by all users of the device, for writing by a reset */
	u32 resets;			/* lab 12: how many there were; changes with the gate closed */
//LAB end
};

static inline u32 lab_read(struct lab_dev *ldev, u32 reg)
{
	return readl(ldev->regs + reg);
}

static inline void lab_write(struct lab_dev *ldev, u32 reg, u32 val)
{
	writel(val, ldev->regs + reg);
}

/* Writes the registers NAME_LO and NAME_HI, LO first. */
static inline void lab_write64(struct lab_dev *ldev, u32 reg, u64 val)
{
	lab_write(ldev, reg, lower_32_bits(val));
	lab_write(ldev, reg + 4, upper_32_bits(val));
}
//LAB 3 given

static inline u32 lab_chcfg(u32 chid, u32 reg)
{
	return PPU_BAR0_CHCFG + chid * PPU_CHCFG_STRIDE + reg;
}

static inline u32 lab_userd(u32 chid, u32 reg)
{
	return PPU_BAR0_USERD + chid * PPU_USERD_STRIDE + reg;
}
//LAB end

/* lab_main.c */
struct lab_dev *lab_dev_alloc(struct pci_dev *pdev);
int lab_start(struct lab_dev *ldev);
void lab_stop(struct lab_dev *ldev);
//LAB 2 given
/* Called by the interrupt threads of lab_irq.c. */
void lab_on_channel_event(struct lab_dev *ldev, u32 chid);	/* the channel's bit was set in CHINTR_PENDING */
void lab_on_channel_error(struct lab_dev *ldev, u32 chid);	/* the channel's bit was set in CHERR_PENDING */
void lab_on_fault(struct lab_dev *ldev);			/* the fault ring is not empty */
//LAB end

/* lab_pci.c */
extern struct pci_driver lab_pci_driver;
//LAB 2 given

/* lab_irq.c */
int lab_irq_init(struct lab_dev *ldev);
void lab_irq_fini(struct lab_dev *ldev);
/* true: the device sends no interrupts. false: it sends them again, also for what happened meanwhile. */
void lab_irq_mask(struct lab_dev *ldev, bool masked);

/* lab_misc.c: /dev/lab */
int lab_misc_init(struct lab_dev *ldev);
void lab_misc_fini(struct lab_dev *ldev);
//LAB end
//LAB 3 given

/* lab_vram.c: allocates zeroed pages of the driver's own part of VRAM, by VRAM offset. -ENOMEM; may sleep. */
int lab_vram_init(struct lab_dev *ldev);
void lab_vram_fini(struct lab_dev *ldev);
int lab_vram_alloc(struct lab_dev *ldev, size_t bytes, u64 *offset);
void lab_vram_free(struct lab_dev *ldev, u64 offset, size_t bytes);
u64 lab_vram_read64(struct lab_dev *ldev, u64 offset);
void lab_vram_write64(struct lab_dev *ldev, u64 offset, u64 val);

/* lab_ctx.c */
int lab_ctx_init(struct lab_dev *ldev);
void lab_ctx_fini(struct lab_dev *ldev);
/* Write an instance block at ctx->inst for ctx->root and have the device load it. */
int lab_ctx_load(struct lab_dev *ldev, struct lab_ctx *ctx);
void lab_ctx_forget(struct lab_dev *ldev, struct lab_ctx *ctx);
/* Free a page table of the given level (3: the root) and all tables below it. */
void lab_pt_free(struct lab_dev *ldev, u64 table, int level);

/* lab_dma.c */
int lab_dma_init(struct lab_dev *ldev);
void lab_dma_fini(struct lab_dev *ldev);
int lab_dma_user(struct lab_dev *ldev, const struct lab_dma *args);
/* Copy between two addresses of the kernel's context and wait. -EIO: the copy failed; -ETIMEDOUT. */
int lab_ce_copy(struct lab_dev *ldev, u64 src_va, u64 dst_va, u64 bytes);

/* lab_ce.c */
int lab_ce_init(struct lab_dev *ldev);
void lab_ce_fini(struct lab_dev *ldev);
/* Have the device run the first `words` words of ce->blocks; does not wait. ce->lock is held. */
void lab_ce_submit(struct lab_dev *ldev, u32 words);
/* The error that has stopped the channel (PPU_ERR_*), or 0. */
u32 lab_ce_error(struct lab_dev *ldev);
/* Stop the channel at once, whatever the device is doing, and set it up afresh. ce->lock is held. */
void lab_ce_restart(struct lab_dev *ldev);
extern unsigned int lab_ce_timeout_ms;	/* how long a copy may take */
void lab_ce_event(struct lab_dev *ldev);
//LAB end
//LAB 4 given

/* lab_drm.c */
extern const struct drm_driver lab_drm_driver;
int lab_drm_init(struct lab_dev *ldev);
void lab_drm_fini(struct lab_dev *ldev);

/* lab_gem.c */
int lab_gem_init(struct lab_dev *ldev);
void lab_gem_fini(struct lab_dev *ldev);
int lab_gem_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_gem_mmap_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_gem_copy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
//LAB end
//LAB 5 given

/* lab_submit.c */
int lab_chan_init(struct lab_dev *ldev);
void lab_chan_fini(struct lab_dev *ldev);
void lab_chan_close_all(struct lab_file *lfile);
void lab_chan_event(struct lab_dev *ldev, u32 chid);
void lab_chan_error(struct lab_dev *ldev, u32 chid);
int lab_chan_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_chan_destroy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_submit_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_chan_wait_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
//LAB end
//LAB 7 given

/* lab_vm.c */
struct lab_vm *lab_vm_create(struct lab_dev *ldev);
int lab_vm_init(struct lab_dev *ldev);
void lab_vm_fini(struct lab_dev *ldev);
void lab_vm_destroy(struct lab_dev *ldev, struct lab_vm *vm);
void lab_vm_on_fault(struct lab_dev *ldev);
int lab_vm_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_vm_fault_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
//LAB end
//LAB 11 given

/* lab_place.c */
int lab_place_init(struct lab_dev *ldev);
void lab_place_fini(struct lab_dev *ldev);
int lab_place_create_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_place_mmap_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_place_copy_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_place_bind_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
int lab_place_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
/* From a successful lab_place_begin() to lab_place_end() all buffers of the address space stay in VRAM. */
int lab_place_begin(struct lab_vm *vm);
void lab_place_end(struct lab_vm *vm);
void lab_place_close(struct lab_vm *vm);	/* the file is closed, its channels are gone */
//LAB end
//LAB 12 given

/* lab_hot.c */
extern const struct pci_error_handlers lab_hot_handlers;
int lab_hot_mmap(struct file *filp, struct vm_area_struct *vma);
int lab_reset_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
//LAB end

#endif
