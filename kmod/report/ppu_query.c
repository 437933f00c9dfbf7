// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: GET_PARAM and QUERY, what user space asks about the device.
 */

#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include <hw/ppu_counters.h>
#include <hw/ppu_mmu.h>
#include <hw/ppu_regs.h>
#include <uapi/drm/ppu_drm.h>

#include "base/ppu_device.h"
#include "base/ppu_file.h"
#include "base/ppu_io.h"
#include "base/ppu_quota.h"
#include "core/context.h"
#include "memory/ppu_vm.h"
#include "memory/ppu_vram.h"
#include "report/ppu_query.h"
#include "report/ppu_tasks.h"

static unsigned int ppu_counters_paranoid = 1;
module_param_named(counters_paranoid, ppu_counters_paranoid, uint, 0644);
MODULE_PARM_DESC(counters_paranoid, "1: who asks for the counters of the device must have CAP_PERFMON");

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
		args->value = ppu->vram_size;
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

/*
 * Copies @count elements of @each bytes to a buffer whose elements have args->stride bytes.  The
 * last one that there is room for may be cut off, as the answers without a stride are.
 */
static int ppu_query_put_strided(struct drm_ppu_query *args, const void *answer, u32 count,
				 u32 each)
{
	u32 room = args->size, stride = args->stride, part = min(each, stride), i;
	void __user *to = u64_to_user_ptr(args->ptr);
	u64 at;

	args->size = count * stride;
	if (!args->ptr)
		return 0;
	if (clear_user(to, room))
		return -EFAULT;
	for (i = 0; i < count; i++) {
		at = (u64)i * stride;
		if (at >= room)
			break;
		if (copy_to_user(to + at, answer + (size_t)i * each, min_t(u64, part, room - at)))
			return -EFAULT;
	}
	return 0;
}

/* The answer is an array: of elements as the caller knows them, or of the first version's. */
static int ppu_query_put_array(struct drm_ppu_query *args, const void *answer, u32 count, u32 each)
{
	return args->stride && args->stride != each ?
		ppu_query_put_strided(args, answer, count, each) :
		ppu_query_put(args, answer, count * each);
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

	return ppu_query_put_array(args, info, ARRAY_SIZE(info), sizeof(info[0]));
}

static int ppu_query_regions(struct ppu_device *ppu, struct drm_ppu_query *args)
{
	const struct drm_ppu_mem_region info[] = {
		{
			.placement = DRM_PPU_PLACEMENT_SYSTEM,
			.min_page = PPU_PAGE_SIZE,
		}, {
			.placement = DRM_PPU_PLACEMENT_VRAM,
			.size = ppu->vram_size,
			.avail = ppu_vram_avail(ppu),
			.min_page = PPU_PAGE_SIZE,
		},
	};

	return ppu_query_put_array(args, info, ARRAY_SIZE(info), sizeof(info[0]));
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

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	info.cores_per_sm = ppu_rd(ppu, PPU_REG_CAP_CORES_PER_SM);
	info.dp_units_per_sm = ppu_rd(ppu, PPU_REG_CAP_DP_UNITS_PER_SM);
	info.sfus_per_sm = ppu_rd(ppu, PPU_REG_CAP_SFUS_PER_SM);
	info.lsus_per_sm = ppu_rd(ppu, PPU_REG_CAP_LSUS_PER_SM);
	info.partitions = ppu_rd(ppu, PPU_REG_CAP_PARTITIONS);
	ppu_exit(ppu, idx);

	return ppu_query_put(args, &info, sizeof(info));
}

static int ppu_query_timestamps(struct ppu_device *ppu, struct drm_ppu_query *args)
{
	struct drm_ppu_timestamps info = {};
	unsigned long flags;
	int idx;

	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	spin_lock_irqsave(&ppu->hw_lock, flags);
	info.cpu_ns = ktime_get_ns();
	info.gpu_ns = ppu_rd64_locked(ppu, PPU_REG_TIME_LO);
	info.delta_ns = ktime_get_ns() - info.cpu_ns;
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	ppu_exit(ppu, idx);

	return ppu_query_put(args, &info, sizeof(info));
}

/*
 * The counters tell what all clients do: how much, when, and which instructions.  That is enough
 * to find out what another one computes.
 */
static bool ppu_may_see_counters(void)
{
	return !READ_ONCE(ppu_counters_paranoid) || perfmon_capable();
}

static int ppu_query_counters(struct ppu_device *ppu, struct drm_ppu_query *args)
{
	u64 info[PPU_CTR_COUNT];
	unsigned long flags;
	unsigned int i;
	int idx;

	/* How many there are is no secret. */
	if (args->ptr && PPU_CHECK(ppu, !ppu_may_see_counters()))
		return -EACCES;
	if (!ppu_enter(ppu, &idx))
		return -ENODEV;
	spin_lock_irqsave(&ppu->hw_lock, flags);
	for (i = 0; i < PPU_CTR_COUNT; i++) {
		ppu_wr(ppu, PPU_REG_DBG_SEL, i);
		info[i] = ppu_rd64_locked(ppu, PPU_REG_DBG_DATA_LO);
	}
	spin_unlock_irqrestore(&ppu->hw_lock, flags);
	ppu_exit(ppu, idx);

	return ppu_query_put_array(args, info, ARRAY_SIZE(info), sizeof(info[0]));
}

/* Of the process, or of its user. */
static int ppu_query_limits(struct ppu_device *ppu, struct ppu_file *file,
			    struct drm_ppu_query *args, bool user)
{
	struct drm_ppu_limit info[PPU_NUM_RESOURCES];
	struct ppu_quota *quota = file->quota;
	unsigned int i;

	for (i = 0; i < PPU_NUM_RESOURCES; i++) {
		info[i].limit = user ? ppu_quota_user_limit(ppu, i) : ppu_quota_limit(ppu, i);
		info[i].used = atomic64_read(user ? &quota->user->used[i] : &quota->used[i]);
	}
	return ppu_query_put_array(args, info, ARRAY_SIZE(info), sizeof(info[0]));
}

static int ppu_query_tasks(struct ppu_device *ppu, struct ppu_file *file,
			   struct drm_ppu_query *args)
{
	struct drm_ppu_task *list = NULL;
	u32 each = args->stride ?: sizeof(*list), room = 0;
	int n;

	/* The last task that fits in part counts as room, too. */
	if (args->ptr)
		room = min_t(u32, DIV_ROUND_UP_ULL(args->size, each), ppu->caps.task_records);
	if (room) {
		list = kvcalloc(room, sizeof(*list), GFP_KERNEL);
		if (!list)
			return -ENOMEM;
	}
	n = ppu_tasks_list(ppu, file, list, room);
	if (n >= 0)
		n = ppu_query_put_array(args, list, n, sizeof(*list));
	kvfree(list);
	return n;
}

static int ppu_query_check(struct ppu_device *ppu, const struct drm_ppu_query *args)
{
	bool array = args->type != DRM_PPU_QUERY_SM_CONFIG &&
		     args->type != DRM_PPU_QUERY_TIMESTAMPS;

	if (PPU_CHECK(ppu, args->pad) ||
	    PPU_CHECK(ppu, args->stride && !array) ||
	    PPU_CHECK(ppu, args->stride % 8 || args->stride > PAGE_SIZE))
		return -EINVAL;
	return 0;
}

int ppu_ioctl_query(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct ppu_device *ppu = to_ppu(drm);
	struct drm_ppu_query *args = data;
	int ret = ppu_query_check(ppu, args);

	if (ret)
		return ret;
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
		return ppu_query_limits(ppu, filp->driver_priv, args, false);
	case DRM_PPU_QUERY_TASKS:
		return ppu_query_tasks(ppu, filp->driver_priv, args);
	case DRM_PPU_QUERY_USER_LIMITS:
		return ppu_query_limits(ppu, filp->driver_priv, args, true);
	default:
		return -EINVAL;
	}
}
