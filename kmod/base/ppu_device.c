// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: bringing the device up and down, and telling user space about it.
 */

#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <drm/drm_print.h>

#include <hw/ppu_counters.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_io.h"
#include "base/ppu_quota.h"
#include "fence/ppu_watch.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"
#include "ppu_file.h"
#include "report/ppu_tasks.h"

static void ppu_read_caps(struct ppu_device *ppu)
{
	struct ppu_caps *c = &ppu->caps;

	c->version = ppu_rd(ppu, PPU_REG_VERSION);
	c->channels = min_t(u32, ppu_rd(ppu, PPU_REG_CAP_CHANNELS), PPU_MAX_CHANNELS);
	c->copy_engines = ppu_rd(ppu, PPU_REG_CAP_COPY_ENGINES);
	c->gpcs = ppu_rd(ppu, PPU_REG_CAP_GPCS);
	c->sms_per_gpc = ppu_rd(ppu, PPU_REG_CAP_SMS_PER_GPC);
	c->sms = c->gpcs * c->sms_per_gpc;
	c->warps_per_sm = ppu_rd(ppu, PPU_REG_CAP_WARPS_PER_SM);
	c->warp_size = ppu_rd(ppu, PPU_REG_CAP_WARP_SIZE);
	c->ctas_per_sm = ppu_rd(ppu, PPU_REG_CAP_CTAS_PER_SM);
	c->task_slots = ppu_rd(ppu, PPU_REG_CAP_TASK_SLOTS);
	c->task_records = ppu_rd(ppu, PPU_REG_CAP_TASK_RECORDS);
	c->device_priorities = ppu_rd(ppu, PPU_REG_CAP_DEVICE_PRIORITIES);
	c->tokq_entries = ppu_rd(ppu, PPU_REG_CAP_TOKENQ_ENTRIES);
	c->shared_per_sm = ppu_rd(ppu, PPU_REG_CAP_SHARED_PER_SM);
	c->shared_per_cta = ppu_rd(ppu, PPU_REG_CAP_SHARED_PER_CTA);
	c->regs_per_sm = ppu_rd(ppu, PPU_REG_CAP_REGS_PER_SM);
	c->ring_max = ppu_rd(ppu, PPU_REG_CAP_RING_MAX);
	c->watches = min_t(u32, ppu_rd(ppu, PPU_REG_CAP_WATCHES), PPU_MAX_WATCHES);
	c->features = ppu_rd(ppu, PPU_REG_CAP_FEATURES);
	c->timeslice_ns = ppu_rd(ppu, PPU_REG_CAP_TIMESLICE_NS);
	c->window_ns = ppu_rd(ppu, PPU_REG_CAP_WINDOW_NS);
	c->sm_clock_khz = ppu_rd(ppu, PPU_REG_CAP_SM_CLOCK_KHZ);
	c->save_per_sm = ppu_rd(ppu, PPU_REG_CAP_SAVE_BYTES_PER_SM);
}

static int ppu_identify(struct ppu_device *ppu)
{
	struct drm_device *drm = &ppu->drm;
	u64 need;

	if (ppu_rd(ppu, PPU_REG_ID) != PPU_ID_MAGIC) {
		drm_err(drm, "no PPU behind BAR %d\n", PPU_BAR_REGS);
		return -ENODEV;
	}

	ppu_read_caps(ppu);
	if (ppu->caps.version >> 16 != PPU_HW_VERSION >> 16) {
		drm_err(drm, "hardware version %#x is not supported\n", ppu->caps.version);
		return -ENODEV;
	}

	need = PPU_BAR0_USERD + (u64)ppu->caps.channels * PPU_USERD_STRIDE;
	if (!ppu->caps.channels || pci_resource_len(ppu->pci, PPU_BAR_REGS) < need) {
		drm_err(drm, "BAR %d is too small for %u channels\n", PPU_BAR_REGS,
			ppu->caps.channels);
		return -ENODEV;
	}

	return 0;
}

static int ppu_map_bars(struct ppu_device *ppu)
{
	struct pci_dev *pci = ppu->pci;
	struct device *dev = &pci->dev;
	int ret;

	ret = pcim_enable_device(pci);
	if (ret)
		return ret;

	ret = pcim_iomap_regions(pci, BIT(PPU_BAR_REGS), "ppu");
	if (ret)
		return ret;
	ppu->regs = pcim_iomap_table(pci)[PPU_BAR_REGS];
	ppu->regs_phys = pci_resource_start(pci, PPU_BAR_REGS);

	ppu->vram_phys = pci_resource_start(pci, PPU_BAR_VRAM);
	ppu->vram.size = pci_resource_len(pci, PPU_BAR_VRAM);
	if (!ppu->vram.size ||
	    !devm_request_mem_region(dev, ppu->vram_phys, ppu->vram.size, "ppu vram"))
		return -EBUSY;
	ppu->vram_io = devm_ioremap_wc(dev, ppu->vram_phys, ppu->vram.size);
	if (!ppu->vram_io)
		return -ENOMEM;

	/* Memory is reached page by page: no segment is too long. */
	dma_set_max_seg_size(dev, UINT_MAX);
	return dma_set_mask_and_coherent(dev, DMA_BIT_MASK(52));
}

/**
 * ppu_device_reset - put the whole device back to its initial state
 * @ppu: device
 *
 * VRAM keeps its contents.
 */
void ppu_device_reset(struct ppu_device *ppu)
{
	ppu_wr(ppu, PPU_REG_RESET, 1);
	/* posted write */
	ppu_rd(ppu, PPU_REG_ID);
}

/**
 * ppu_device_quiesce - make the device stop all work and all DMA
 * @ppu: device
 */
void ppu_device_quiesce(struct ppu_device *ppu)
{
	ppu_wr(ppu, PPU_REG_INTR_ENABLE, 0);
	ppu_device_reset(ppu);
	pci_clear_master(ppu->pci);
}

static void ppu_destroy_wq(struct drm_device *drm, void *data)
{
	destroy_workqueue(data);
}

static void ppu_device_release(struct drm_device *drm, void *data)
{
	struct ppu_device *ppu = to_ppu(drm);

	drm_WARN_ON(drm, !list_empty(&ppu->events));
	drm_WARN_ON(drm, !list_empty(&ppu->sem_fences));
	drm_WARN_ON(drm, !xa_empty(&ppu->vms));
	drm_WARN_ON(drm, !ida_is_empty(&ppu->chids));
	xa_destroy(&ppu->vms);
	ida_destroy(&ppu->chids);
	ppu_vram_fini(ppu);
	mutex_destroy(&ppu->drain_lock);
	drm_WARN_ON(drm, !list_empty(&ppu->quotas));
	mutex_destroy(&ppu->quota_lock);
	drm_WARN_ON(drm, !list_empty(&ppu->mapped));
	mutex_destroy(&ppu->mapped_lock);
}

static int ppu_device_init_sw(struct ppu_device *ppu)
{
	struct drm_device *drm = &ppu->drm;
	int ret;

	spin_lock_init(&ppu->hw_lock);
	spin_lock_init(&ppu->chan_lock);
	spin_lock_init(&ppu->events_lock);
	INIT_LIST_HEAD(&ppu->events);
	spin_lock_init(&ppu->sem_fences_lock);
	INIT_LIST_HEAD(&ppu->sem_fences);
	init_waitqueue_head(&ppu->stop_wq);
	init_waitqueue_head(&ppu->jobs_wq);
	xa_init(&ppu->vms);
	ida_init(&ppu->chids);
	mutex_init(&ppu->vram.lock);
	mutex_init(&ppu->drain_lock);
	mutex_init(&ppu->quota_lock);
	INIT_LIST_HEAD(&ppu->quotas);
	mutex_init(&ppu->mapped_lock);
	INIT_LIST_HEAD(&ppu->mapped);

	ret = drmm_add_action_or_reset(drm, ppu_device_release, ppu);
	if (ret)
		return ret;

	ppu->wq = alloc_workqueue("ppu", WQ_UNBOUND, 0);
	if (!ppu->wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(drm, ppu_destroy_wq, ppu->wq);
	if (ret)
		return ret;

	ppu->bind_wq = alloc_workqueue("ppu-bind", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	if (!ppu->bind_wq)
		return -ENOMEM;
	ret = drmm_add_action_or_reset(drm, ppu_destroy_wq, ppu->bind_wq);
	if (ret)
		return ret;

	ppu->sched_wq = alloc_ordered_workqueue("ppu-tdr", 0);
	if (!ppu->sched_wq)
		return -ENOMEM;
	return drmm_add_action_or_reset(drm, ppu_destroy_wq, ppu->sched_wq);
}

/**
 * ppu_device_init - map, identify and reset the device
 * @ppu: device
 *
 * Return: 0 or a negative error; everything is undone by devm and drmm.
 */
int ppu_device_init(struct ppu_device *ppu)
{
	int ret;

	ret = ppu_device_init_sw(ppu);
	if (ret)
		return ret;

	ret = ppu_map_bars(ppu);
	if (ret)
		return ret;

	ret = ppu_identify(ppu);
	if (ret)
		return ret;

	ppu->chans = drmm_kcalloc(&ppu->drm, ppu->caps.channels, sizeof(*ppu->chans),
				  GFP_KERNEL);
	if (!ppu->chans)
		return -ENOMEM;

	ret = ppu_vram_init(ppu);
	if (ret)
		return ret;

	ret = ppu_watch_init(ppu);
	if (ret)
		return ret;

	ppu_device_reset(ppu);
	pci_set_master(ppu->pci);
	return 0;
}

/**
 * ppu_device_time - device time
 * @ppu: device, which must not be unplugged
 *
 * Return: nanoseconds.
 */
u64 ppu_device_time(struct ppu_device *ppu)
{
	return ppu_rd64(ppu, PPU_REG_TIME_LO);
}

/** ppu_max_priority - highest queue priority the caller may ask for */
u32 ppu_max_priority(void)
{
	return capable(CAP_SYS_NICE) ? PPU_QUEUE_PRIO_MAX : PPU_UNPRIV_QUEUE_PRIO;
}

/** ppu_max_timeslice_us - longest time slice the caller may ask for */
u32 ppu_max_timeslice_us(void)
{
	return capable(CAP_SYS_NICE) ? PPU_TIMESLICE_LIMIT_US : PPU_TIMESLICE_MAX_US;
}

static u64 ppu_pci_location(struct pci_dev *pci)
{
	return (u64)pci_domain_nr(pci->bus) << 16 | pci_dev_id(pci);
}

int ppu_ioctl_get_param(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct ppu_file *file = filp->driver_priv;
	struct drm_ppu_get_param *args = data;
	const struct ppu_caps *c = &ppu->caps;

	if (PPU_CHECK(ppu, args->index))
		return -EINVAL;

	switch (args->param) {
	case DRM_PPU_PARAM_PCI_ID:
		args->value = (u32)ppu->pci->device << 16 | ppu->pci->vendor;
		break;
	case DRM_PPU_PARAM_HW_VERSION:
		args->value = c->version;
		break;
	case DRM_PPU_PARAM_HW_FEATURES:
		args->value = c->features;
		break;
	case DRM_PPU_PARAM_PCI_LOCATION:
		args->value = ppu_pci_location(ppu->pci);
		break;
	case DRM_PPU_PARAM_VA_BITS:
		args->value = PPU_VA_BITS;
		break;
	case DRM_PPU_PARAM_PAGE_SIZES:
		args->value = PPU_PAGE_SIZE | PPU_LARGE_SIZE;
		break;
	case DRM_PPU_PARAM_VRAM_SIZE:
		args->value = ppu->vram.size;
		break;
	case DRM_PPU_PARAM_VRAM_AVAIL:
		args->value = ppu_vram_avail(ppu);
		break;
	case DRM_PPU_PARAM_NUM_GPCS:
		args->value = c->gpcs;
		break;
	case DRM_PPU_PARAM_NUM_SMS:
		args->value = c->sms;
		break;
	case DRM_PPU_PARAM_NUM_COPY_ENGINES:
		args->value = c->copy_engines;
		break;
	case DRM_PPU_PARAM_MAX_CHANNELS:
		args->value = c->channels;
		break;
	case DRM_PPU_PARAM_MAX_CHANNELS_PER_FILE:
		args->value = ppu_quota_limit(ppu, DRM_PPU_RES_CHANNELS);
		break;
	case DRM_PPU_PARAM_GPFIFO_MIN_ENTRIES:
		args->value = 3;
		break;
	case DRM_PPU_PARAM_GPFIFO_MAX_ENTRIES:
		args->value = c->ring_max;
		break;
	case DRM_PPU_PARAM_TIMESLICE_MIN_US:
		args->value = PPU_TIMESLICE_MIN_US;
		break;
	case DRM_PPU_PARAM_TIMESLICE_MAX_US:
		args->value = ppu_max_timeslice_us();
		break;
	case DRM_PPU_PARAM_TIMESLICE_DEFAULT_US:
		args->value = c->timeslice_ns / 1000;
		break;
	case DRM_PPU_PARAM_MAX_QUEUE_PRIORITY:
		args->value = ppu_max_priority();
		break;
	case DRM_PPU_PARAM_NUM_DEVICE_PRIORITIES:
		args->value = c->device_priorities;
		break;
	case DRM_PPU_PARAM_TIMESTAMP_HZ:
		args->value = NSEC_PER_SEC;
		break;
	case DRM_PPU_PARAM_HAS_DEVICE_QUEUES:
		args->value = !!(c->features & PPU_FEAT_DEVQ);
		break;
	case DRM_PPU_PARAM_HAS_DEVICE_QUEUE_ASSIST:
		args->value = !!(c->features & PPU_FEAT_DEVQ_ASSIST);
		break;
	case DRM_PPU_PARAM_RESET_COUNT:
		args->value = atomic_read(&ppu->reset_count);
		break;
	case DRM_PPU_PARAM_CLIENT_ID:
		args->value = file->client_id;
		break;
	case DRM_PPU_PARAM_MAX_NESTING_DEPTH:
		args->value = PPU_MAX_DEPTH;
		break;
	case DRM_PPU_PARAM_MAX_LOCAL_PER_THREAD:
		args->value = PPU_LOCAL_MAX;
		break;
	default:
		return -EINVAL;
	}

	return 0;
}

/* Copies an answer of @size bytes to the user's buffer, whatever its size. */
static int ppu_query_put(struct drm_ppu_query *args, const void *answer, u32 size)
{
	void __user *to = u64_to_user_ptr(args->ptr);
	u32 room = args->size;

	args->size = size;
	if (!args->ptr)
		return 0;
	if (copy_to_user(to, answer, min(room, size)))
		return -EFAULT;
	if (room > size && clear_user(to + size, room - size))
		return -EFAULT;
	return 0;
}

static int ppu_query_engines(struct ppu_device *ppu, struct drm_ppu_query *args)
{
	const struct drm_ppu_engine_info info[] = {
		{
			.channel_type = DRM_PPU_CHANNEL_COMPUTE,
			.count = 1,
			.queue_priorities = PPU_QUEUE_PRIO_MAX + 1,
		}, {
			.channel_type = DRM_PPU_CHANNEL_COPY,
			.count = ppu->caps.copy_engines,
			.queue_priorities = PPU_QUEUE_PRIO_MAX + 1,
		},
	};

	return ppu_query_put(args, info, sizeof(info));
}

static int ppu_query_regions(struct ppu_device *ppu, struct drm_ppu_query *args)
{
	const struct drm_ppu_mem_region info[] = {
		{
			.placement = DRM_PPU_PLACEMENT_SYSTEM,
			.min_page = PPU_PAGE_SIZE,
		}, {
			.placement = DRM_PPU_PLACEMENT_VRAM,
			.size = ppu->vram.size,
			.avail = ppu_vram_avail(ppu),
			.min_page = PPU_PAGE_SIZE,
		},
	};

	return ppu_query_put(args, info, sizeof(info));
}

static int ppu_query_sm(struct ppu_device *ppu, struct drm_ppu_query *args)
{
	struct drm_ppu_sm_config info = {
		.gpcs = ppu->caps.gpcs,
		.sms_per_gpc = ppu->caps.sms_per_gpc,
		.warps_per_sm = ppu->caps.warps_per_sm,
		.warp_size = ppu->caps.warp_size,
		.ctas_per_sm = ppu->caps.ctas_per_sm,
		.regs_per_sm = ppu->caps.regs_per_sm,
		.shared_per_sm = ppu->caps.shared_per_sm,
		.shared_per_cta = ppu->caps.shared_per_cta,
		.token_queue_entries = ppu->caps.tokq_entries,
		.task_slots = ppu->caps.task_slots,
		.task_records = ppu->caps.task_records,
		.sm_clock_khz = ppu->caps.sm_clock_khz,
		.window_ns = ppu->caps.window_ns,
	};
	int idx;

	if (!drm_dev_enter(&ppu->drm, &idx))
		return -ENODEV;
	info.cores_per_sm = ppu_rd(ppu, PPU_REG_CAP_CORES_PER_SM);
	info.dp_units_per_sm = ppu_rd(ppu, PPU_REG_CAP_DP_UNITS_PER_SM);
	info.sfus_per_sm = ppu_rd(ppu, PPU_REG_CAP_SFUS_PER_SM);
	info.lsus_per_sm = ppu_rd(ppu, PPU_REG_CAP_LSUS_PER_SM);
	info.partitions = ppu_rd(ppu, PPU_REG_CAP_PARTITIONS);
	drm_dev_exit(idx);

	return ppu_query_put(args, &info, sizeof(info));
}

static int ppu_query_timestamps(struct ppu_device *ppu, struct drm_ppu_query *args)
{
	struct drm_ppu_timestamps info = {};
	unsigned long flags;
	int idx;

	if (!drm_dev_enter(&ppu->drm, &idx))
		return -ENODEV;
	spin_lock_irqsave(&ppu->hw_lock, flags);
	info.cpu_ns = ktime_get_ns();
	info.gpu_ns = ppu_rd64_locked(ppu, PPU_REG_TIME_LO);
	info.delta_ns = ktime_get_ns() - info.cpu_ns;
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	drm_dev_exit(idx);

	return ppu_query_put(args, &info, sizeof(info));
}

static int ppu_query_counters(struct ppu_device *ppu, struct drm_ppu_query *args)
{
	u64 info[PPU_CTR_COUNT];
	unsigned long flags;
	unsigned int i;
	int idx;

	if (!drm_dev_enter(&ppu->drm, &idx))
		return -ENODEV;
	spin_lock_irqsave(&ppu->hw_lock, flags);
	for (i = 0; i < PPU_CTR_COUNT; i++) {
		ppu_wr(ppu, PPU_REG_DBG_SEL, i);
		info[i] = ppu_rd64_locked(ppu, PPU_REG_DBG_DATA_LO);
	}
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	drm_dev_exit(idx);

	return ppu_query_put(args, info, sizeof(info));
}

static int ppu_query_limits(struct ppu_device *ppu, struct ppu_file *file,
			    struct drm_ppu_query *args)
{
	struct drm_ppu_limit info[PPU_NUM_RESOURCES];
	unsigned int i;

	for (i = 0; i < PPU_NUM_RESOURCES; i++) {
		info[i].limit = ppu_quota_limit(ppu, i);
		info[i].used = atomic64_read(&file->quota->used[i]);
	}
	return ppu_query_put(args, info, sizeof(info));
}

static int ppu_query_tasks(struct ppu_device *ppu, struct ppu_file *file,
			   struct drm_ppu_query *args)
{
	struct drm_ppu_task *list;
	int n, ret;

	n = ppu_tasks_list(ppu, file, &list, args->size / sizeof(*list));
	if (n < 0)
		return n;
	ret = ppu_query_put(args, list, n * sizeof(*list));
	kvfree(list);
	return ret;
}

int ppu_ioctl_query(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_query *args = data;

	switch (args->type) {
	case DRM_PPU_QUERY_ENGINES:
		return ppu_query_engines(ppu, args);
	case DRM_PPU_QUERY_MEM_REGIONS:
		return ppu_query_regions(ppu, args);
	case DRM_PPU_QUERY_SM_CONFIG:
		return ppu_query_sm(ppu, args);
	case DRM_PPU_QUERY_TIMESTAMPS:
		return ppu_query_timestamps(ppu, args);
	case DRM_PPU_QUERY_COUNTERS:
		return ppu_query_counters(ppu, args);
	case DRM_PPU_QUERY_LIMITS:
		return ppu_query_limits(ppu, filp->driver_priv, args);
	case DRM_PPU_QUERY_TASKS:
		return ppu_query_tasks(ppu, filp->driver_priv, args);
	default:
		return -EINVAL;
	}
}
