/* SPDX-License-Identifier: MIT */
/*
 * Backend `drm`: the kernel driver, through its render node.  Submission is by user-submit channels:
 * ring and USERD page are mapped here, the kernel is asked only for memory, mappings and sleep.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xf86drm.h>

#include <drm/ppu_drm.h>
#include "backend.h"
#include "backend/node.h"

#define LOCAL_ALIGN	16u
#define MAX_FAULTS	64
#define SLICE_NS	20000000	/* how often a wait with a device-time limit looks at the clock */

struct be_dev {
	int fd;
	pthread_mutex_t lock;	/* guards the list and its counts of users */
	struct be_bo *bos;
	bool waits_for_vm;	/* SEM_WAIT ends with an error of any channel of the VM (uAPI 1.1) */
	char node[BE_NODE_PATH];
};

struct be_vm {
	struct be_dev *dev;
	uint32_t id, context_id, limit[BE_VM_LIMITS];
};

struct be_bo {
	struct be_dev *dev;
	uint64_t size;
	uint32_t handle;
	unsigned users;		/* an object that comes in a second time has the handle of the first */
	struct be_bo *next;
};

struct drm_chan {
	struct be_chan base;
	struct be_dev *dev;
	uint32_t id;
	bool stopped;
	size_t ring_size;
	volatile uint32_t *userd;
};

struct be_sem {
	struct be_dev *dev;
	uint32_t id;
};

static int call(struct be_dev *dev, unsigned long req, void *arg)
{
	return drmIoctl(dev->fd, req, arg) ? -errno : 0;
}

static int param(struct be_dev *dev, uint32_t which, uint64_t *value)
{
	struct drm_ppu_get_param p = { .param = which };
	int rc = call(dev, DRM_IOCTL_PPU_GET_PARAM, &p);

	*value = rc ? 0 : p.value;
	return rc;
}

static int drm_count(const ppuInitOptions *opt, char **err)
{
	char path[BE_NODE_PATH];
	unsigned n = 0;
	int fd;

	while ((fd = ppu_node_open("", opt->node, n, path, err)) >= 0) {
		close(fd);
		n++;
	}
	return fd == -ENODEV && !*err ? (int)n : fd;
}

static void drm_close(struct be_dev *dev)
{
	close(dev->fd);
	pthread_mutex_destroy(&dev->lock);
	free(dev);
}

static bool has_minor(int fd, int minor)
{
	drmVersionPtr v = drmGetVersion(fd);
	bool has = v && v->version_minor >= minor;

	if (v)
		drmFreeVersion(v);
	return has;
}

static int drm_open(const ppuInitOptions *opt, unsigned index, struct be_dev **out, char **err)
{
	struct be_dev *dev;
	int rc;

	*err = NULL;
	if (opt->props && *opt->props) {
		*err = strdup("device properties cannot be chosen with the drm backend: they belong "
			      "to the machine's device");
		return -EINVAL;
	}
	if (opt->trace && *opt->trace) {
		*err = strdup("the drm backend writes no trace: ask the machine's device for one (scripts/vm --trace FILE)");
		return -EINVAL;
	}
	dev = calloc(1, sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	pthread_mutex_init(&dev->lock, NULL);
	dev->fd = ppu_node_open("", opt->node, index, dev->node, err);
	if (dev->fd < 0) {
		rc = dev->fd;
		free(dev);
		return rc;
	}
	dev->waits_for_vm = has_minor(dev->fd, 1);
	*out = dev;
	return 0;
}

static int drm_props(struct be_dev *dev, ppuDeviceProp *p)
{
	struct drm_ppu_sm_config sm = { 0 };
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_SM_CONFIG, .size = sizeof(sm), .ptr = (uintptr_t)&sm,
	};
	uint64_t v;
	int rc = call(dev, DRM_IOCTL_PPU_QUERY, &q);

	if (rc)
		return rc;
	p->gpcs = sm.gpcs;
	p->sms = sm.gpcs * sm.sms_per_gpc;
	p->warps_per_sm = sm.warps_per_sm;
	p->ctas_per_sm = sm.ctas_per_sm;
	p->warp_size = sm.warp_size;
	p->task_slots = sm.task_slots;
	p->token_queue_entries = sm.token_queue_entries;
	p->shared_per_sm = sm.shared_per_sm;
	p->shared_per_block = sm.shared_per_cta;
	p->regs_per_sm = sm.regs_per_sm;
	p->clock_khz = sm.sm_clock_khz;
	p->cores_per_sm = sm.cores_per_sm;
	p->dp_units_per_sm = sm.dp_units_per_sm;
	p->sfus_per_sm = sm.sfus_per_sm;
	p->lsus_per_sm = sm.lsus_per_sm;
	p->partitions = sm.partitions;
	rc = param(dev, DRM_PPU_PARAM_PCI_ID, &v);
	p->pci_vendor = v & 0xffff;
	p->pci_device = v >> 16 & 0xffff;
	rc |= param(dev, DRM_PPU_PARAM_PCI_LOCATION, &v);
	snprintf(p->location, sizeof(p->location), "%04x:%02x:%02x.%x", (unsigned)(v >> 16),
		 (unsigned)(v >> 8 & 0xff), (unsigned)(v >> 3 & 0x1f), (unsigned)(v & 7));
	rc |= param(dev, DRM_PPU_PARAM_HW_VERSION, &v);
	p->hw_version = (uint32_t)v;
	rc |= param(dev, DRM_PPU_PARAM_HW_FEATURES, &v);
	p->features = (uint32_t)v;
	rc |= param(dev, DRM_PPU_PARAM_NUM_COPY_ENGINES, &v);
	p->copy_engines = (uint32_t)v;
	rc |= param(dev, DRM_PPU_PARAM_MAX_CHANNELS, &v);
	p->channels = (uint32_t)v;
	rc |= param(dev, DRM_PPU_PARAM_NUM_DEVICE_PRIORITIES, &v);
	p->device_priorities = (uint32_t)v;
	rc |= param(dev, DRM_PPU_PARAM_VRAM_SIZE, &p->vram_bytes);
	rc |= param(dev, DRM_PPU_PARAM_GPFIFO_MAX_ENTRIES, &v);
	p->ring_max = (uint32_t)v;
	rc |= param(dev, DRM_PPU_PARAM_VA_BITS, &v);
	p->va_bits = (uint32_t)v;
	rc |= param(dev, DRM_PPU_PARAM_TIMESLICE_DEFAULT_US, &v);
	p->timeslice_ns = v * 1000;
	return rc ? -EIO : 0;
}

static int drm_time(struct be_dev *dev, uint64_t *ns)
{
	struct drm_ppu_timestamps t = { 0 };
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_TIMESTAMPS, .size = sizeof(t), .ptr = (uintptr_t)&t,
	};
	int rc = call(dev, DRM_IOCTL_PPU_QUERY, &q);

	*ns = t.gpu_ns;
	return rc;
}

static int drm_counters(struct be_dev *dev, unsigned n, uint64_t *values)
{
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_COUNTERS, .size = n * sizeof(*values), .ptr = (uintptr_t)values,
	};
	int rc = call(dev, DRM_IOCTL_PPU_QUERY, &q);

	return rc == -EINVAL ? -EOPNOTSUPP : rc;
}

static int drm_mem_info(struct be_dev *dev, uint64_t *avail, uint64_t *total)
{
	int rc = param(dev, DRM_PPU_PARAM_VRAM_AVAIL, avail);

	return rc ? rc : param(dev, DRM_PPU_PARAM_VRAM_SIZE, total);
}

/* ---- address spaces and memory -------------------------------------------------------------- */

static void drm_vm_destroy(struct be_vm *vm)
{
	struct drm_ppu_vm_destroy d = { .vm_id = vm->id };

	call(vm->dev, DRM_IOCTL_PPU_VM_DESTROY, &d);
	free(vm);
}

static const uint32_t vm_property[BE_VM_LIMITS] = {
	[BE_VM_LOCAL] = DRM_PPU_VM_PROP_LOCAL_PER_THREAD,
	[BE_VM_DEPTH] = DRM_PPU_VM_PROP_MAX_DEPTH,
	[BE_VM_PENDING] = DRM_PPU_VM_PROP_MAX_PENDING,
};

static int drm_vm_set_limit(struct be_vm *vm, enum be_vm_limit which, uint32_t value)
{
	struct drm_ppu_vm_set_property s = { .vm_id = vm->id, .property = vm_property[which] };
	int rc;

	s.value = which == BE_VM_LOCAL ? (value + LOCAL_ALIGN - 1) & ~(LOCAL_ALIGN - 1) : value;
	rc = call(vm->dev, DRM_IOCTL_PPU_VM_SET_PROPERTY, &s);
	if (!rc)
		vm->limit[which] = (uint32_t)s.value;
	return rc;
}

static uint32_t drm_vm_limit(struct be_vm *vm, enum be_vm_limit which)
{
	return vm->limit[which];
}

static int drm_vm_create(struct be_dev *dev, const uint32_t *limits, struct be_vm **out)
{
	struct drm_ppu_vm_create c = { 0 };
	struct be_vm *vm = calloc(1, sizeof(*vm));
	int rc;

	if (!vm)
		return -ENOMEM;
	rc = call(dev, DRM_IOCTL_PPU_VM_CREATE, &c);
	if (rc) {
		free(vm);
		return rc;
	}
	vm->dev = dev;
	vm->id = c.vm_id;
	vm->context_id = c.context_id;
	for (unsigned i = 0; i < BE_VM_LIMITS && !rc; i++)
		rc = drm_vm_set_limit(vm, i, limits[i]);
	if (rc)
		drm_vm_destroy(vm);
	else
		*out = vm;
	return rc;
}

static int drm_vm_faults(struct be_vm *vm, struct ppu_fault_rec *recs, unsigned *n)
{
	struct drm_ppu_fault f[MAX_FAULTS];
	struct drm_ppu_vm_get_state s = {
		.vm_id = vm->id, .faults = DRM_PPU_ARRAY(*n < MAX_FAULTS ? *n : MAX_FAULTS, f),
	};
	int rc = call(vm->dev, DRM_IOCTL_PPU_VM_GET_STATE, &s);

	*n = 0;
	if (rc)
		return rc;
	for (unsigned i = 0; i < s.faults.count; i++) {
		recs[i] = (struct ppu_fault_rec){
			.time_ns = f[i].gpu_ns, .va = f[i].va, .task_id = f[i].task_id,
			.seq = f[i].seq, .code = (uint16_t)f[i].code, .access = f[i].access,
			.unit = (uint8_t)f[i].unit, .unit_index = f[i].unit_index,
			.channel = (uint16_t)f[i].hw_channel, .pc = f[i].pc, .lane = f[i].lane,
			.level = f[i].level, .warp = f[i].warp,
			.cta = { f[i].cta[0], f[i].cta[1], f[i].cta[2] },
		};
	}
	*n = s.faults.count;
	return s.state & DRM_PPU_VM_STATE_FAULTED ? 1 : 0;
}

static int drm_vm_tasks(struct be_vm *vm, struct ppu_task_info *tasks, unsigned *n)
{
	unsigned room = *n;
	struct drm_ppu_task *t = calloc(room ? room : 1, sizeof(*t));
	struct drm_ppu_query q = { .type = DRM_PPU_QUERY_TASKS, .size = room * sizeof(*t), .ptr = (uintptr_t)t };
	int rc = t ? call(vm->dev, DRM_IOCTL_PPU_QUERY, &q) : -ENOMEM;

	*n = 0;
	for (unsigned i = 0; !rc && i < room && t[i].state; i++)
		if (t[i].context_id == vm->context_id)
			tasks[(*n)++] = (struct ppu_task_info){
				.record = t[i].record, .state = t[i].state, .slot = t[i].slot,
				.priority = t[i].priority, .depth = t[i].depth, .parent = t[i].parent,
				.context = t[i].context_id, .channel = t[i].hw_channel, .id = t[i].id,
				.ctas = t[i].ctas, .ctas_done = t[i].ctas_done,
				.ctas_running = t[i].ctas_running, .ctas_saved = t[i].ctas_saved,
			};
	free(t);
	return rc == -EINVAL ? -EOPNOTSUPP : rc;
}

/* Locked. */
static struct be_bo *bo_of_handle(struct be_dev *dev, uint32_t handle)
{
	struct be_bo *bo = dev->bos;

	while (bo && bo->handle != handle)
		bo = bo->next;
	return bo;
}

/* Locked. */
static int wrap(struct be_dev *dev, uint64_t size, uint32_t handle, struct be_bo **out)
{
	struct drm_gem_close c = { .handle = handle };
	struct be_bo *bo = bo_of_handle(dev, handle);
	int rc = 0;

	if (bo) {
		bo->users++;
	} else if ((bo = calloc(1, sizeof(*bo)))) {
		*bo = (struct be_bo){ .dev = dev, .size = size, .handle = handle, .users = 1, .next = dev->bos };
		dev->bos = bo;
	} else {
		call(dev, DRM_IOCTL_GEM_CLOSE, &c);
		rc = -ENOMEM;
	}
	*out = bo;
	return rc;
}

static int bo_wrap(struct be_dev *dev, uint64_t size, uint32_t handle, struct be_bo **out)
{
	int rc;

	pthread_mutex_lock(&dev->lock);
	rc = wrap(dev, size, handle, out);
	pthread_mutex_unlock(&dev->lock);
	return rc;
}

static int drm_bo_alloc(struct be_vm *vm, uint64_t size, enum be_place place, struct be_bo **out)
{
	/* Of no VM: it may be given to another one. */
	struct drm_ppu_gem_create c = {
		.size = size,
		.placement = place == BE_VRAM ? DRM_PPU_PLACEMENT_VRAM : DRM_PPU_PLACEMENT_SYSTEM,
	};
	int rc = call(vm->dev, DRM_IOCTL_PPU_GEM_CREATE, &c);

	return rc ? rc : bo_wrap(vm->dev, c.size, c.handle, out);
}

static int drm_bo_user(struct be_vm *vm, void *pages, uint64_t size, struct be_bo **out)
{
	struct drm_ppu_gem_userptr u = { .addr = (uintptr_t)pages, .size = size, .vm_id = vm->id };
	int rc = call(vm->dev, DRM_IOCTL_PPU_GEM_USERPTR, &u);

	/* A driver of 0.3 does not know the ioctl. */
	if (rc)
		return rc == -EINVAL ? -EOPNOTSUPP : rc;
	return bo_wrap(vm->dev, size, u.handle, out);
}

static void drm_bo_free(struct be_bo *bo)
{
	struct drm_gem_close c = { .handle = bo->handle };
	struct be_dev *dev = bo->dev;

	pthread_mutex_lock(&dev->lock);
	if (!--bo->users) {
		for (struct be_bo **p = &dev->bos; *p; p = &(*p)->next) {
			if (*p == bo) {
				*p = bo->next;
				break;
			}
		}
		call(dev, DRM_IOCTL_GEM_CLOSE, &c);
		free(bo);
	}
	pthread_mutex_unlock(&dev->lock);
}

static int drm_bo_export(struct be_bo *bo, int *fd)
{
	return drmPrimeHandleToFD(bo->dev->fd, bo->handle, DRM_CLOEXEC | DRM_RDWR, fd) ? -errno : 0;
}

static int drm_bo_import(struct be_vm *vm, int fd, uint64_t size, struct be_bo **out)
{
	off_t has = lseek(fd, 0, SEEK_END);
	struct be_dev *dev = vm->dev;
	uint32_t handle;
	int rc;

	if (has < 0 || (uint64_t)has < size)
		return has < 0 ? -errno : -EINVAL;
	/* Locked all the time: somebody may be about to close this very handle. */
	pthread_mutex_lock(&dev->lock);
	rc = drmPrimeFDToHandle(dev->fd, fd, &handle) ? -errno : wrap(dev, (uint64_t)has, handle, out);
	pthread_mutex_unlock(&dev->lock);
	return rc;
}

static int drm_bo_peer(struct be_vm *vm, struct be_bo *theirs, struct be_bo **out)
{
	int fd, rc;

	if (theirs->dev == vm->dev)
		return bo_wrap(vm->dev, theirs->size, theirs->handle, out);
	rc = drm_bo_export(theirs, &fd);
	if (rc)
		return rc;
	rc = drm_bo_import(vm, fd, theirs->size, out);
	close(fd);
	return rc;
}

static int map_at(struct be_dev *dev, void *at, size_t size, uint64_t offset, void **ptr)
{
	void *p = mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), dev->fd,
		       (off_t)offset);

	if (p == MAP_FAILED)
		return -errno;
	*ptr = p;
	return 0;
}

static int drm_bo_map(struct be_bo *bo, void *at, void **ptr)
{
	struct drm_ppu_gem_mmap_offset m = { .handle = bo->handle };
	int rc = call(bo->dev, DRM_IOCTL_PPU_GEM_MMAP_OFFSET, &m);

	return rc ? rc : map_at(bo->dev, at, bo->size, m.offset, ptr);
}

static int vm_op(struct be_vm *vm, struct drm_ppu_vm_bind_op *op)
{
	struct drm_ppu_vm_bind b = { .vm_id = vm->id, .ops = DRM_PPU_ARRAY(1, op) };

	op->size = (op->size + 4095) & ~4095ull;
	return call(vm->dev, DRM_IOCTL_PPU_VM_BIND, &b);
}

static int drm_bind(struct be_vm *vm, struct be_bo *bo, uint64_t va, uint64_t size, unsigned flags)
{
	struct drm_ppu_vm_bind_op op = {
		.op = DRM_PPU_VM_BIND_OP_MAP, .handle = bo->handle, .va = va, .size = size,
		.flags = (flags & BE_BIND_READONLY ? DRM_PPU_VM_BIND_READONLY : 0) |
			 (flags & BE_BIND_NOEXEC ? DRM_PPU_VM_BIND_NOEXEC : 0),
	};

	return vm_op(vm, &op);
}

static int drm_unbind(struct be_vm *vm, uint64_t va, uint64_t size)
{
	struct drm_ppu_vm_bind_op op = { .op = DRM_PPU_VM_BIND_OP_UNMAP, .va = va, .size = size };

	return vm_op(vm, &op);
}

/* ---- channels and semaphores ---------------------------------------------------------------- */

static void drm_chan_stop(struct be_chan *base)
{
	struct drm_chan *c = (struct drm_chan *)base;
	struct drm_ppu_channel_destroy d = { .channel_id = c->id };

	if (!c->stopped) {
		c->stopped = true;
		call(c->dev, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	}
}

static void drm_chan_free(struct be_chan *base)
{
	struct drm_chan *c = (struct drm_chan *)base;

	drm_chan_stop(base);
	if (c->base.ring)
		munmap((void *)(uintptr_t)c->base.ring, c->ring_size);
	if (c->userd)
		munmap((void *)(uintptr_t)c->userd, PPU_USERD_STRIDE);
	free(c);
}

static int drm_chan_create(struct be_vm *vm, unsigned cls, uint32_t entries, unsigned prio,
			   struct be_chan **out)
{
	struct drm_ppu_channel_create cc = {
		.vm_id = vm->id, .flags = DRM_PPU_CHANNEL_USER_SUBMIT, .priority = prio,
		.type = cls == PPU_CLASS_COPY ? DRM_PPU_CHANNEL_COPY : DRM_PPU_CHANNEL_COMPUTE,
		.gpfifo_entries = entries,
	};
	struct drm_chan *c = calloc(1, sizeof(*c));
	void *ring = NULL, *userd = NULL;
	int rc;

	if (!c)
		return -ENOMEM;
	rc = call(vm->dev, DRM_IOCTL_PPU_CHANNEL_CREATE, &cc);
	if (rc) {
		free(c);
		return rc;
	}
	c->dev = vm->dev;
	c->id = cc.channel_id;
	c->ring_size = (cc.ring_size + 4095) & ~4095ull;
	c->base.entries = entries;
	c->base.hw_channel = cc.hw_channel;
	rc = map_at(vm->dev, NULL, c->ring_size, cc.ring_offset, &ring);
	if (!rc) {
		c->base.ring = ring;
		rc = map_at(vm->dev, NULL, PPU_USERD_STRIDE, cc.userd_offset, &userd);
	}
	if (rc) {
		drm_chan_free(&c->base);
		return rc;
	}
	c->userd = userd;
	*out = &c->base;
	return 0;
}

/* A queue has no USERD page: GP_GET is asked from the driver, and nobody writes GP_PUT. */
static int drm_devq_create(struct be_vm *vm, const struct be_devq_args *args, struct be_devq *q)
{
	const struct drm_chan *owner = (const struct drm_chan *)args->owner;
	struct drm_ppu_channel_create cc = {
		.vm_id = vm->id, .type = DRM_PPU_CHANNEL_DEVICE_QUEUE, .priority = args->prio,
		.gpfifo_entries = args->entries, .devq_initial_get = args->initial_get,
		.devq_flags = args->flags & BE_DEVQ_ASSIST ? DRM_PPU_DEVQ_AUTO_REFRESH : 0,
		.devq_owner = owner ? owner->id : 0,
	};
	struct drm_chan *c;
	void *map = NULL;
	int rc;

	if (args->flags & ~BE_DEVQ_ASSIST)
		return -EINVAL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	rc = call(vm->dev, DRM_IOCTL_PPU_CHANNEL_CREATE, &cc);
	if (rc) {
		free(c);
		return rc;
	}
	c->dev = vm->dev;
	c->id = cc.channel_id;
	c->ring_size = cc.ring_size;
	c->base.entries = args->entries;
	c->base.hw_channel = cc.hw_channel;
	rc = map_at(vm->dev, NULL, c->ring_size, cc.ring_offset, &map);
	if (rc) {
		drm_chan_free(&c->base);
		return rc;
	}
	c->base.ring = map;
	*q = (struct be_devq){
		.chan = &c->base, .ring_va = cc.devq_ring_va, .sem_va = cc.devq_sem_va,
		.x_va = cc.devq_x_va, .y_va = cc.devq_y_va, .soft_va = cc.devq_soft_va,
		.shadow_va = cc.devq_shadow_va, .size = cc.ring_size, .cpu = map,
	};
	return 0;
}

static uint32_t drm_chan_get(struct be_chan *base)
{
	struct drm_chan *c = (struct drm_chan *)base;
	struct drm_ppu_channel_query q = { .channel_id = c->id };

	if (c->userd)
		return c->userd[PPU_REG_USERD_GP_GET / 4];
	return call(c->dev, DRM_IOCTL_PPU_CHANNEL_QUERY, &q) ? 0 : q.gp_get;
}

static void drm_chan_put(struct be_chan *base, uint32_t put)
{
	if (!((struct drm_chan *)base)->userd)
		return;
	/* The ring and the command blocks must be in memory before the device hears of them. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	((struct drm_chan *)base)->userd[PPU_REG_USERD_GP_PUT / 4] = put;
}

static void drm_chan_kick(struct be_chan *base)
{
	if (!((struct drm_chan *)base)->userd)
		return;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	((struct drm_chan *)base)->userd[PPU_REG_USERD_KICK / 4] = 1;
}

static int drm_chan_state(struct be_chan *base, struct be_chan_state *st)
{
	struct drm_chan *c = (struct drm_chan *)base;
	struct drm_ppu_channel_query q = { .channel_id = c->id };
	int rc = call(c->dev, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);

	memset(st, 0, sizeof(*st));
	if (rc) {
		st->gone = rc == -ENODEV;
		return rc;
	}
	st->error = q.error;
	if (!st->error && q.state & (DRM_PPU_CHANNEL_STATE_FAULTED | DRM_PPU_CHANNEL_STATE_TIMEDOUT |
				     DRM_PPU_CHANNEL_STATE_INNOCENT | DRM_PPU_CHANNEL_STATE_STOPPED))
		st->error = PPU_ERR_CTX_STOPPED;
	st->get = q.error_get;
	st->va = q.error_va;
	return 0;
}

static int drm_sem_create(struct be_vm *vm, struct be_bo *bo, uint64_t off, struct be_sem **out)
{
	struct drm_ppu_sem_create c = {
		.bo_handle = bo->handle, .flags = DRM_PPU_SEM_ADOPT, .bo_offset = off,
	};
	struct be_sem *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return -ENOMEM;
	rc = call(vm->dev, DRM_IOCTL_PPU_SEM_CREATE, &c);
	if (rc) {
		free(s);
		return rc;
	}
	s->dev = vm->dev;
	s->id = c.sem_id;
	*out = s;
	return 0;
}

static void drm_sem_destroy(struct be_sem *s)
{
	struct drm_ppu_sem_destroy d = { .sem_id = s->id };

	call(s->dev, DRM_IOCTL_PPU_SEM_DESTROY, &d);
	free(s);
}

static int drm_sem_read(struct be_sem *s, uint64_t *value)
{
	struct drm_ppu_sem_read r = { .sem_id = s->id };
	int rc = call(s->dev, DRM_IOCTL_PPU_SEM_READ, &r);

	*value = r.value;
	return rc;
}

static int drm_sem_wait(struct be_sem *s, const volatile uint64_t *word, uint64_t value,
			const struct be_limits *lim, struct be_chan *base, enum be_watch watch)
{
	struct drm_chan *c = (struct drm_chan *)base;
	struct drm_ppu_sem_cond cond = { .sem_id = s->id, .op = DRM_PPU_SEM_OP_GE, .value = value };
	bool vm = watch == BE_WATCH_VM && s->dev->waits_for_vm;
	uint64_t look = watch == BE_WATCH_VM && !vm ? ppu_be_now() + BE_LOOK_NS : UINT64_MAX;
	uint64_t last = look < lim->host_ns ? look : lim->host_ns, now;
	int rc;

	for (;;) {
		uint64_t slice = lim->device_ns != UINT64_MAX ? ppu_be_now() + SLICE_NS : last;
		uint64_t until = slice < last ? slice : last;
		struct drm_ppu_sem_wait w = {
			.conds = DRM_PPU_ARRAY(1, &cond), .channel_id = c->id,
			.timeout_ns = until > INT64_MAX ? INT64_MAX : (int64_t)until,
			.flags = vm ? DRM_PPU_SEM_WAIT_VM : 0,
		};

		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) >= value)
			return 0;
		rc = call(s->dev, DRM_IOCTL_PPU_SEM_WAIT, &w);
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) >= value)
			return 0;
		if (rc == -ECANCELED || rc == -ENOENT)
			return -EIO;
		if (rc != -ETIME)
			return rc ? rc : -EIO;
		if (lim->device_ns != UINT64_MAX && !drm_time(s->dev, &now) && now >= lim->device_ns)
			return -ETIME;
		if (ppu_be_now() >= lim->host_ns)
			return -ETIME;
		if (ppu_be_now() >= look)
			return -EAGAIN;
	}
}

const struct be_ops ppu_be_drm = {
	.name = "drm", .count = drm_count, .open = drm_open, .close = drm_close,
	.props = drm_props, .time = drm_time, .counters = drm_counters, .mem_info = drm_mem_info,
	.vm_create = drm_vm_create, .vm_destroy = drm_vm_destroy, .vm_limit = drm_vm_limit,
	.vm_set_limit = drm_vm_set_limit, .vm_faults = drm_vm_faults,
	.vm_tasks = drm_vm_tasks,
	.bo_alloc = drm_bo_alloc, .bo_user = drm_bo_user, .bo_free = drm_bo_free, .bo_peer = drm_bo_peer,
	.bo_export = drm_bo_export, .bo_import = drm_bo_import, .peers_in_system = true, .bo_map = drm_bo_map,
	.bind = drm_bind, .unbind = drm_unbind,
	.chan_create = drm_chan_create, .chan_stop = drm_chan_stop, .chan_free = drm_chan_free,
	.chan_get = drm_chan_get, .chan_put = drm_chan_put, .chan_kick = drm_chan_kick,
	.chan_state = drm_chan_state, .devq_create = drm_devq_create,
	.sem_create = drm_sem_create, .sem_destroy = drm_sem_destroy, .sem_read = drm_sem_read,
	.sem_wait = drm_sem_wait,
};
