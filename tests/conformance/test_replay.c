/* SPDX-License-Identifier: MIT */
/*
 * Calls that were recorded from earlier versions of the uAPI get the same answers.
 *
 * "test_replay --record MINOR" prints the record of the calls in scenario() that version 1.MINOR has, by today's header:
 * before a version of the uAPI is released, this goes to recorded/, and never changes afterwards.
 */
#include <stddef.h>
#include <stdlib.h>

#include "harness.h"
#include "record.h"

#include "recorded/uapi_0_4.h"
#include "recorded/uapi_1_0.h"
#include "recorded/uapi_1_1.h"
#include "recorded/uapi_1_2.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

TEST(replay_0_4, "programs that were built for version 0.4 get the answers that they got then")
{
	replay(uapi_0_4, COUNT(uapi_0_4));
}

TEST(replay_1_0, "the same of version 1.0")
{
	replay(uapi_1_0, COUNT(uapi_1_0));
}

TEST(replay_1_1, "the same of version 1.1")
{
	replay(uapi_1_1, COUNT(uapi_1_1));
}

TEST(replay_1_2, "the same of version 1.2")
{
	replay(uapi_1_2, COUNT(uapi_1_2));
}

static void has_all(const char *const *lines, unsigned count, unsigned last)
{
	for (unsigned nr = 0; nr <= last; nr++)
		if (!record_has(lines, count, nr))
			FAIL("ioctl %#x is not in it", nr);
}

TEST(all, "each record has a successful call of each ioctl of its version")
{
	has_all(uapi_0_4, COUNT(uapi_0_4), DRM_PPU_GEM_USERPTR);
	has_all(uapi_1_0, COUNT(uapi_1_0), DRM_PPU_GEM_USERPTR);
	has_all(uapi_1_1, COUNT(uapi_1_1), DRM_PPU_GEM_USERPTR);
	has_all(uapi_1_2, COUNT(uapi_1_2), DRM_PPU_GEM_MADVISE);
}

/* ---- recording ---- */

/* The next call's structure, and the call itself. */
#define ARG(var, type) struct drm_ppu_##type *var = record_arg(r, sizeof(*var))
#define CALL_ERR(NR, err) record_call(r, DRM_IOCTL_PPU_##NR, #NR, err)
#define CALL(NR) CALL_ERR(NR, 0)
#define VARY(p, field) record_vary(r, &(p)->field, sizeof((p)->field))
#define ARRAY(n, p) (struct drm_ppu_array)DRM_PPU_ARRAY(n, p)

#define OBJECT	0x4000u		/* a mapped object in the arena */
#define PAGES	0x8000u		/* memory of the program */
#define EVENT	200
#define BO_VA	0x10000000ull
#define OLD(NR, type, field) \
	((DRM_IOCTL_PPU_##NR & ~(unsigned long)(_IOC_SIZEMASK << _IOC_SIZESHIFT)) | \
	 (unsigned long)offsetof(struct drm_ppu_##type, field) << _IOC_SIZESHIFT)

static void param(struct recorder *r, uint32_t number, bool fixed)
{
	ARG(a, get_param);

	a->param = number;
	if (!fixed)
		VARY(a, value);
	CALL(GET_PARAM);
}

static void params(struct recorder *r)
{
	const unsigned fixed = 1u << DRM_PPU_PARAM_PCI_ID | 1u << DRM_PPU_PARAM_VA_BITS |
		1u << DRM_PPU_PARAM_PAGE_SIZES | 1u << DRM_PPU_PARAM_GPFIFO_MIN_ENTRIES |
		1u << DRM_PPU_PARAM_TIMESLICE_MIN_US | 1u << DRM_PPU_PARAM_TIMESTAMP_HZ |
		1u << DRM_PPU_PARAM_MAX_NESTING_DEPTH | 1u << DRM_PPU_PARAM_MAX_LOCAL_PER_THREAD;

	for (uint32_t p = 0; p <= DRM_PPU_PARAM_HAS_DEVICE_QUEUE_ASSIST; p++)
		param(r, p, fixed >> p & 1);
	ARG(a, get_param);
	a->param = 0xffffffff;
	CALL_ERR(GET_PARAM, EINVAL);
	ARG(b, get_param);
	b->index = 1;
	CALL_ERR(GET_PARAM, EINVAL);
}

/* @fixed: bytes of the answer that are the same on all machines. */
static void query(struct recorder *r, uint32_t type, uint32_t size, uint32_t fixed)
{
	ARG(q, query);
	unsigned char *buf = record_arg(r, size);

	q->type = type;
	q->size = size;
	q->ptr = (uintptr_t)buf;
	VARY(q, size);
	record_vary(r, buf + fixed, size - fixed);
	CALL(QUERY);
}

static void queries(struct recorder *r)
{
	query(r, DRM_PPU_QUERY_ENGINES, 8, 8);
	query(r, DRM_PPU_QUERY_MEM_REGIONS, 32, 32);
	query(r, DRM_PPU_QUERY_SM_CONFIG, 72, 0);
	query(r, DRM_PPU_QUERY_TIMESTAMPS, 32, 0);
	query(r, DRM_PPU_QUERY_COUNTERS, 64, 0);
	query(r, DRM_PPU_QUERY_LIMITS, 13 * 16, 0);
	query(r, DRM_PPU_QUERY_TASKS, 64, 64);
	ARG(q, query);
	q->type = DRM_PPU_QUERY_TIMESTAMPS;
	CALL(QUERY);
	ARG(bad, query);
	bad->type = 0xffffffff;
	CALL_ERR(QUERY, EINVAL);
}

static void gem_create(struct recorder *r, uint64_t size, uint32_t placement, uint32_t flags, uint32_t vm, int err)
{
	ARG(a, gem_create);

	a->size = size;
	a->placement = placement;
	a->flags = flags;
	a->vm_id = vm;
	CALL_ERR(GEM_CREATE, err);
}

static void gem_info(struct recorder *r, uint32_t handle, int err)
{
	ARG(a, gem_info);

	a->handle = handle;
	CALL_ERR(GEM_INFO, err);
}

static void gem_offset(struct recorder *r, uint32_t handle, uint32_t flags, int err)
{
	ARG(a, gem_mmap_offset);

	a->handle = handle;
	a->flags = flags;
	if (!err)
		VARY(a, offset);
	CALL_ERR(GEM_MMAP_OFFSET, err);
}

static void gem_userptr(struct recorder *r, uint64_t addr, uint64_t size, uint32_t flags, int err)
{
	ARG(a, gem_userptr);

	a->addr = addr;
	a->size = size;
	a->flags = flags;
	CALL_ERR(GEM_USERPTR, err);
}

/* Handles: 1 system, 2 VRAM, 3 never mapped by the CPU, 4 the program's memory, 5 private to VM 1. */
static void objects(struct recorder *r)
{
	gem_create(r, 5000, DRM_PPU_PLACEMENT_SYSTEM, 0, 0, 0);
	gem_create(r, 4096, DRM_PPU_PLACEMENT_VRAM, 0, 0, 0);
	gem_create(r, 1, DRM_PPU_PLACEMENT_SYSTEM, DRM_PPU_GEM_NO_MMAP | DRM_PPU_GEM_CPU_WC, 0, 0);
	gem_create(r, 0, DRM_PPU_PLACEMENT_SYSTEM, 0, 0, EINVAL);
	gem_create(r, 4096, 77, 0, 0, EINVAL);
	gem_create(r, 4096, DRM_PPU_PLACEMENT_SYSTEM, 1u << 31, 0, EINVAL);
	gem_create(r, 4096, DRM_PPU_PLACEMENT_SYSTEM, 0, 99, ENOENT);
	gem_userptr(r, ARENA_ADDR + PAGES, 8192, 0, 0);
	gem_userptr(r, ARENA_ADDR + PAGES + 1, 4096, 0, EINVAL);
	gem_userptr(r, ARENA_ADDR + PAGES, 4096, 1u << 31, EINVAL);
	gem_userptr(r, 4096, 4096, 0, EFAULT);
	for (uint32_t h = 1; h <= 4; h++)
		gem_info(r, h, 0);
	gem_info(r, 99, ENOENT);
	gem_offset(r, 1, 0, 0);
	gem_offset(r, 1, 1, EINVAL);
	gem_offset(r, 3, 0, EPERM);
	gem_offset(r, 99, 0, ENOENT);
}

static void vm_create(struct recorder *r, uint32_t flags, uint32_t local, int err)
{
	ARG(a, vm_create);

	a->flags = flags;
	a->local_per_thread = local;
	if (!err)
		VARY(a, context_id);
	CALL_ERR(VM_CREATE, err);
}

static void vm_property(struct recorder *r, uint32_t vm, uint32_t property, uint64_t value, int err)
{
	ARG(a, vm_set_property);

	a->vm_id = vm;
	a->property = property;
	a->value = value;
	CALL_ERR(VM_SET_PROPERTY, err);
}

static void bind(struct recorder *r, uint32_t flags, uint32_t sync, const struct drm_ppu_vm_bind_op *op, uint32_t count,
		 int err)
{
	ARG(a, vm_bind);
	struct drm_ppu_vm_bind_op *ops = record_arg(r, count * sizeof(*ops));
	struct drm_ppu_sync *s = record_arg(r, sizeof(*s));

	memcpy(ops, op, count * sizeof(*ops));
	a->vm_id = 1;
	a->flags = flags;
	a->ops = ARRAY(count, ops);
	if (sync) {
		s->flags = DRM_PPU_SYNC_SIGNAL;
		s->handle = sync;
		a->syncs = ARRAY(1, s);
	}
	CALL_ERR(VM_BIND, err);
}

static void bind_one(struct recorder *r, struct drm_ppu_vm_bind_op op, int err)
{
	bind(r, 0, 0, &op, 1, err);
}

static void syncobj_create(struct recorder *r)
{
	struct drm_syncobj_create *a = record_arg(r, sizeof(*a));

	(void)a;
	record_call(r, DRM_IOCTL_SYNCOBJ_CREATE, "SYNCOBJ_CREATE", 0);
}

static void syncobj_wait(struct recorder *r, uint32_t handle)
{
	struct drm_syncobj_wait *a = record_arg(r, sizeof(*a));
	uint32_t *h = record_arg(r, 8);

	*h = handle;
	a->handles = (uintptr_t)h;
	a->count_handles = 1;
	a->timeout_nsec = INT64_MAX;
	record_call(r, DRM_IOCTL_SYNCOBJ_WAIT, "SYNCOBJ_WAIT", 0);
}

static void vm_state(struct recorder *r, uint32_t vm, int err)
{
	ARG(a, vm_get_state);
	struct drm_ppu_fault *f = record_arg(r, 2 * sizeof(*f));

	a->vm_id = vm;
	a->faults = ARRAY(2, f);
	CALL_ERR(VM_GET_STATE, err);
}

/* VM 1; syncobjs 1 to 3. */
static void vms(struct recorder *r)
{
	const struct drm_ppu_vm_bind_op map = {
		.op = DRM_PPU_VM_BIND_OP_MAP, .handle = 1, .va = BO_VA, .size = 8192,
	}, unmap = {
		.op = DRM_PPU_VM_BIND_OP_UNMAP, .va = BO_VA + 0x100000, .size = 0x200000,
	};
	struct drm_ppu_vm_bind_op op;

	vm_create(r, 0, 0, 0);
	vm_create(r, 1, 0, EINVAL);
	vm_create(r, 0, 1u << 31, EINVAL);
	vm_property(r, 1, DRM_PPU_VM_PROP_LOCAL_PER_THREAD, 2048, 0);
	vm_property(r, 1, DRM_PPU_VM_PROP_MAX_DEPTH, 2, 0);
	vm_property(r, 1, DRM_PPU_VM_PROP_WATCHDOG_MS, 5000, 0);
	vm_property(r, 1, DRM_PPU_VM_PROP_MAX_PENDING, 16, 0);
	vm_property(r, 1, 0xffffffff, 1, EINVAL);
	vm_property(r, 9, DRM_PPU_VM_PROP_MAX_DEPTH, 2, ENOENT);
	gem_create(r, 4096, DRM_PPU_PLACEMENT_SYSTEM, 0, 1, 0);
	bind_one(r, map, 0);
	op = map, op.va = BO_VA + 0x10000, op.flags = DRM_PPU_VM_BIND_READONLY | DRM_PPU_VM_BIND_NOEXEC |
		DRM_PPU_VM_BIND_UNCACHED;
	bind_one(r, op, 0);
	op = map, op.handle = 2, op.va = BO_VA + 0x20000, op.size = 4096;
	bind_one(r, op, 0);
	op = map, op.handle = 0, op.va = BO_VA + 0x100000, op.flags = DRM_PPU_VM_BIND_NULL, op.size = 0x200000;
	bind_one(r, op, 0);
	bind_one(r, unmap, 0);
	op = map, op.va++;
	bind_one(r, op, EINVAL);
	op = map, op.size = 3 * 4096;
	bind_one(r, op, EINVAL);
	op = map, op.handle = 99;
	bind_one(r, op, ENOENT);
	op = map, op.pad = 1;
	bind_one(r, op, EINVAL);
	op = map, op.flags = 1u << 31;
	bind_one(r, op, EINVAL);
	bind(r, 1u << 31, 0, &map, 1, EINVAL);
	for (int i = 0; i < 3; i++)
		syncobj_create(r);
	bind(r, DRM_PPU_VM_BIND_ASYNC, 1, (const struct drm_ppu_vm_bind_op[]){ map, unmap }, 2, 0);
	syncobj_wait(r, 1);
	vm_state(r, 1, 0);
	vm_state(r, 9, ENOENT);
}

static void group_create(struct recorder *r, uint32_t flags, uint32_t policy, int err)
{
	ARG(a, group_create);

	a->flags = flags;
	a->policy = policy;
	a->timeslice_us = 700;
	CALL_ERR(GROUP_CREATE, err);
}

static struct drm_ppu_channel_create *channel(struct recorder *r)
{
	ARG(a, channel_create);

	a->vm_id = 1;
	a->type = DRM_PPU_CHANNEL_COPY;
	a->gpfifo_entries = 8;
	VARY(a, hw_channel);
	VARY(a, ring_offset);
	VARY(a, ring_va);
	VARY(a, userd_offset);
	return a;
}

static void channel_bad(struct recorder *r, uint32_t vm, uint32_t type, uint32_t flags, uint32_t entries, int err)
{
	struct drm_ppu_channel_create *a = channel(r);

	memset(r->vary, 0, sizeof(r->vary));
	a->vm_id = vm;
	a->type = type;
	a->flags = flags;
	a->gpfifo_entries = entries;
	CALL_ERR(CHANNEL_CREATE, err);
}

static void channel_property(struct recorder *r, uint32_t id, uint32_t property, uint64_t value, int err)
{
	ARG(a, channel_set_property);

	a->channel_id = id;
	a->property = property;
	a->value = value;
	CALL_ERR(CHANNEL_SET_PROPERTY, err);
}

static void channel_query(struct recorder *r, uint32_t id, int err)
{
	ARG(a, channel_query);

	a->channel_id = id;
	if (!err) {
		VARY(a, runtime_ns);
		VARY(a, timeslices);
		VARY(a, preemptions);
		VARY(a, gp_get);
		VARY(a, gp_put);
	}
	CALL_ERR(CHANNEL_QUERY, err);
}

/* Groups 1 and 2; channels 1 kernel-submit, 2 user-submit with a notifier, 3 by the size of 0.1, 4 in group 1. */
static void channels(struct recorder *r)
{
	struct drm_ppu_channel_create *a;

	group_create(r, DRM_PPU_GROUP_START_DISABLED, DRM_PPU_GROUP_STOP_ALL, 0);
	group_create(r, 0, DRM_PPU_GROUP_ISOLATE, 0);
	group_create(r, 1u << 31, 0, EINVAL);
	group_create(r, 0, 77, EINVAL);
	channel(r)->timeout_ms = 30000;
	CALL(CHANNEL_CREATE);
	a = channel(r);
	a->flags = DRM_PPU_CHANNEL_USER_SUBMIT | DRM_PPU_CHANNEL_START_DISABLED;
	a->priority = 3;
	a->notifier_handle = 1;
	a->notifier_offset = 4096;
	CALL(CHANNEL_CREATE);
	a = channel(r);
	a->flags = DRM_PPU_CHANNEL_USER_SUBMIT;
	record_call(r, OLD(CHANNEL_CREATE, channel_create, group_id), "CHANNEL_CREATE of 0.1", 0);
	a = channel(r);
	a->flags = DRM_PPU_CHANNEL_USER_SUBMIT;
	a->group_id = 1;
	CALL(CHANNEL_CREATE);
	channel_bad(r, 9, DRM_PPU_CHANNEL_COPY, 0, 8, ENOENT);
	channel_bad(r, 1, 77, 0, 8, EINVAL);
	channel_bad(r, 1, DRM_PPU_CHANNEL_COPY, 1u << 31, 8, EINVAL);
	channel_bad(r, 1, DRM_PPU_CHANNEL_COPY, 0, 4, EINVAL);
	channel_property(r, 2, DRM_PPU_CHANNEL_PROP_PRIORITY, 2, 0);
	channel_property(r, 2, DRM_PPU_CHANNEL_PROP_ENABLED, 1, 0);
	channel_property(r, 2, DRM_PPU_CHANNEL_PROP_PRIORITY, 4, EBUSY);
	channel_property(r, 1, DRM_PPU_CHANNEL_PROP_TIMESLICE_US, 900, 0);
	channel_property(r, 1, DRM_PPU_CHANNEL_PROP_TIMEOUT_MS, 29000, 0);
	channel_property(r, 1, 77, 0, EINVAL);
	channel_query(r, 1, 0);
	channel_query(r, 2, 0);
	channel_query(r, 9, ENOENT);
}

/* A release of a word of the object at BO_VA, as a program of 0.4 encoded it. */
static void store_block(struct recorder *r, uint32_t offset, uint64_t va, uint64_t value)
{
	const uint32_t words[] = {
		PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, 5, 0), (uint32_t)va, (uint32_t)(va >> 32),
		(uint32_t)value, (uint32_t)(value >> 32),
	};

	record_store(r, OBJECT + offset, words, sizeof(words));
}

static void submit(struct recorder *r, uint32_t chan, uint64_t va, uint32_t length, uint32_t flags, int err)
{
	ARG(a, submit);
	struct drm_ppu_entry *e = record_arg(r, sizeof(*e));
	struct drm_ppu_sync *s = record_arg(r, sizeof(*s));
	struct drm_ppu_submit_bo *b = record_arg(r, sizeof(*b));

	a->channel_id = chan;
	a->flags = flags;
	e->va = va;
	e->length = length;
	a->entries = ARRAY(1, e);
	s->flags = DRM_PPU_SYNC_SIGNAL;
	s->handle = 2;
	a->syncs = ARRAY(1, s);
	b->handle = 1;
	b->flags = DRM_PPU_SUBMIT_BO_WRITE;
	a->bos = ARRAY(1, b);
	CALL_ERR(SUBMIT, err);
}

/* A job that waits for a point that has a fence, by a structure of 0.3; signals another point. */
static void submit_points(struct recorder *r)
{
	ARG(a, submit);
	struct drm_ppu_sync *s = record_arg(r, 2 * sizeof(*s));

	a->channel_id = 1;
	s[0] = (struct drm_ppu_sync){ .flags = DRM_PPU_SYNC_BINARY, .handle = 2 };
	s[1] = (struct drm_ppu_sync){
		.flags = DRM_PPU_SYNC_TIMELINE | DRM_PPU_SYNC_SIGNAL, .handle = 3, .point = 5,
	};
	a->syncs = ARRAY(2, s);
	record_call(r, OLD(SUBMIT, submit, bos), "SUBMIT of 0.3", 0);
}

static void submit_early(struct recorder *r)
{
	ARG(a, submit);
	struct drm_ppu_sync *s = record_arg(r, sizeof(*s));

	a->channel_id = 1;
	*s = (struct drm_ppu_sync){ .flags = DRM_PPU_SYNC_TIMELINE, .handle = 3, .point = 99 };
	a->syncs = ARRAY(1, s);
	CALL_ERR(SUBMIT, EINVAL);
}

static void jobs(struct recorder *r)
{
	record_map(r, 1, 8192, OBJECT);
	store_block(r, 0, BO_VA + 256, 0x1122334455667788);
	submit(r, 1, BO_VA, 5, 0, 0);
	syncobj_wait(r, 2);
	record_look(r, OBJECT + 256, 8);
	submit_points(r);
	submit_early(r);
	submit(r, 1, BO_VA, 5, DRM_PPU_SUBMIT_NONBLOCK, 0);
	syncobj_wait(r, 2);
	submit(r, 1, BO_VA + 1, 5, 0, EINVAL);
	submit(r, 1, BO_VA, 0, 0, EINVAL);
	submit(r, 1, BO_VA, 5, 1u << 31, EINVAL);
	submit(r, 2, BO_VA, 5, 0, EINVAL);
	submit(r, 9, BO_VA, 5, 0, ENOENT);
	channel_query(r, 1, 0);
}

static void group_control(struct recorder *r, uint32_t op, uint64_t value, int64_t timeout, int err)
{
	ARG(a, group_control);

	a->group_id = 1;
	a->op = op;
	a->value = value;
	a->timeout_ns = timeout;
	CALL_ERR(GROUP_CONTROL, err);
}

static void group_query(struct recorder *r, uint32_t id, int err)
{
	ARG(a, group_query);

	a->group_id = id;
	if (!err)
		VARY(a, runtime_ns);
	CALL_ERR(GROUP_QUERY, err);
}

static void groups(struct recorder *r)
{
	group_query(r, 1, 0);
	group_control(r, DRM_PPU_GROUP_ENABLE, 0, 0, 0);
	group_control(r, DRM_PPU_GROUP_SET_TIMESLICE, 800, 0, 0);
	group_control(r, DRM_PPU_GROUP_SET_POLICY, DRM_PPU_GROUP_ISOLATE, 0, 0);
	group_control(r, DRM_PPU_GROUP_PREEMPT, 0, INT64_MAX, 0);
	group_control(r, DRM_PPU_GROUP_DISABLE, 0, INT64_MAX, 0);
	group_query(r, 1, 0);
	group_control(r, DRM_PPU_GROUP_STOP, 0, 0, 0);
	group_query(r, 1, 0);
	group_control(r, DRM_PPU_GROUP_ENABLE, 0, 0, EIO);
	group_control(r, 77, 0, 0, EINVAL);
	group_query(r, 9, ENOENT);
}

static void sem_create(struct recorder *r, uint32_t bo, uint64_t offset, uint32_t flags, uint64_t initial, int err)
{
	ARG(a, sem_create);

	a->bo_handle = bo;
	a->bo_offset = offset;
	a->flags = flags;
	a->initial = initial;
	CALL_ERR(SEM_CREATE, err);
}

static void sem_read(struct recorder *r, uint32_t id, int err)
{
	ARG(a, sem_read);

	a->sem_id = id;
	if (!err)
		VARY(a, gpu_ns);
	CALL_ERR(SEM_READ, err);
}

static void sem_signal(struct recorder *r, uint32_t id, uint32_t op, uint64_t value, int err)
{
	ARG(a, sem_signal);

	a->sem_id = id;
	a->op = op;
	a->value = value;
	CALL_ERR(SEM_SIGNAL, err);
}

static void sem_wait(struct recorder *r, uint32_t id, uint32_t op, uint64_t value, uint32_t flags, int err)
{
	ARG(a, sem_wait);
	struct drm_ppu_sem_cond *c = record_arg(r, 2 * sizeof(*c));

	c[0] = (struct drm_ppu_sem_cond){ .sem_id = id, .op = op, .value = value };
	c[1] = c[0];
	a->conds = ARRAY(2, c);
	a->flags = flags;
	CALL_ERR(SEM_WAIT, err);
}

static void sem_import(struct recorder *r, uint32_t id, uint32_t sync, int err)
{
	ARG(a, sem_import_fence);

	a->sem_id = id;
	a->value = 70;
	a->error_value = 71;
	a->sync.handle = sync;
	CALL_ERR(SEM_IMPORT_FENCE, err);
}

static void sem_export(struct recorder *r, uint32_t id, uint32_t sync, int err)
{
	ARG(a, sem_export_fence);

	a->sem_id = id;
	a->op = DRM_PPU_SEM_OP_EQ;
	a->value = 70;
	a->sync.flags = DRM_PPU_SYNC_SIGNAL;
	a->sync.handle = sync;
	CALL_ERR(SEM_EXPORT_FENCE, err);
}

/* Semaphores 1 in a page of its own (handle 6), 2 in object 1. */
static void semaphores(struct recorder *r)
{
	sem_create(r, 0, 0, 0, 5, 0);
	sem_create(r, 1, 512, DRM_PPU_SEM_ADOPT | DRM_PPU_SEM_32BIT, 0, 0);
	sem_create(r, 1, 8, 0, 0, EINVAL);
	sem_create(r, 99, 0, 0, 0, ENOENT);
	sem_create(r, 1, 0, 1u << 31, 0, EINVAL);
	sem_signal(r, 1, DRM_PPU_SEM_SIGNAL_SET, 7, 0);
	sem_signal(r, 1, DRM_PPU_SEM_SIGNAL_ADD, 3, 0);
	sem_signal(r, 1, DRM_PPU_SEM_SIGNAL_MAX, 9, 0);
	sem_signal(r, 1, DRM_PPU_SEM_SIGNAL_KICK, 0, 0);
	sem_signal(r, 1, 77, 0, EINVAL);
	sem_read(r, 1, 0);
	sem_read(r, 2, 0);
	sem_read(r, 9, ENOENT);
	for (uint32_t op = DRM_PPU_SEM_OP_EQ; op <= DRM_PPU_SEM_OP_ANYBIT; op++)
		sem_wait(r, 1, op, op == DRM_PPU_SEM_OP_ZERO ? 0 : 10, DRM_PPU_SEM_WAIT_ALL,
			 op == DRM_PPU_SEM_OP_ZERO || op == DRM_PPU_SEM_OP_NE ? ETIME : 0);
	sem_wait(r, 1, 77, 0, 0, EINVAL);
	sem_wait(r, 9, 0, 0, 0, ENOENT);
	sem_import(r, 1, 2, 0);
	sem_read(r, 1, 0);
	sem_export(r, 1, 1, 0);
	syncobj_wait(r, 1);
	sem_import(r, 9, 2, ENOENT);
	sem_export(r, 9, 2, ENOENT);
}

static void event(struct recorder *r, uint32_t type, uint32_t object, uint64_t value, uint32_t flags, int err)
{
	ARG(a, event_register);

	a->type = type;
	a->object_id = object;
	a->eventfd = EVENT;
	a->value = value;
	a->flags = flags;
	CALL_ERR(EVENT_REGISTER, err);
}

static void event_drop(struct recorder *r, uint32_t id, int err)
{
	ARG(a, event_unregister);

	a->event_id = id;
	CALL_ERR(EVENT_UNREGISTER, err);
}

static void events(struct recorder *r)
{
	record_eventfd(r, EVENT);
	event(r, DRM_PPU_EVENT_SEM, 1, 70, DRM_PPU_EVENT_ONESHOT, 0);
	record_read(r, EVENT);
	event(r, DRM_PPU_EVENT_CHANNEL_ERROR, 1, 0, DRM_PPU_EVENT_ONESHOT, 0);
	event(r, DRM_PPU_EVENT_VM_FAULT, 1, 0, 0, 0);
	event(r, DRM_PPU_EVENT_DEVICE_RESET, 0, 0, 0, 0);
	event(r, DRM_PPU_EVENT_CHANNEL_INTR, 2, 0, 0, 0);
	event(r, DRM_PPU_EVENT_SEM, 1, 70, 0, EINVAL);
	event(r, 77, 0, 0, 0, EINVAL);
	event_drop(r, 3, 0);
	event_drop(r, 3, ENOENT);
}

/* A job without SEM_ACQUIRE is promised; what a bad one does, too. */
static void channel_error(struct recorder *r)
{
	store_block(r, 64, BO_VA + 0x7000000, 1);
	submit(r, 1, BO_VA + 64, 5, 0, 0);
	syncobj_wait(r, 2);
	record_read(r, EVENT);
	channel_query(r, 1, 0);
	submit(r, 1, BO_VA, 5, 0, EIO);
}

/* ---- since 1.0 ---- */

/* @words: of the answer, all of which may differ; err: only the errors of the arguments are recorded. */
static void query_strided(struct recorder *r, uint32_t type, uint32_t stride, uint32_t pad, uint32_t size, int err)
{
	ARG(q, query);
	unsigned char *buf = record_arg(r, size);

	q->type = type;
	q->size = size;
	q->stride = stride;
	q->pad = pad;
	q->ptr = (uintptr_t)buf;
	if (!err) {
		VARY(q, size);
		record_vary(r, buf, size);
	}
	CALL_ERR(QUERY, err);
}

/* Elements of 8 bytes, in a buffer of elements of 16: what is behind each is zero. */
static void query_counters(struct recorder *r)
{
	ARG(q, query);
	unsigned char *buf = record_arg(r, 64);

	memset(buf, 0xff, 64);
	q->type = DRM_PPU_QUERY_COUNTERS;
	q->size = 64;
	q->stride = 16;
	q->ptr = (uintptr_t)buf;
	VARY(q, size);
	for (unsigned i = 0; i < 64; i += 16)
		record_vary(r, buf + i, 8);
	CALL(QUERY);
}

static void bind_queue(struct recorder *r, uint32_t flags, uint32_t queue, uint32_t pad, int err)
{
	ARG(a, vm_bind);
	struct drm_ppu_vm_bind_op *op = record_arg(r, sizeof(*op));
	struct drm_ppu_sync *s = record_arg(r, sizeof(*s));

	*op = (struct drm_ppu_vm_bind_op){
		.op = DRM_PPU_VM_BIND_OP_MAP, .handle = 1, .va = BO_VA + 0x30000, .size = 8192,
	};
	a->vm_id = 1;
	a->flags = flags;
	a->queue = queue;
	a->pad = pad;
	a->ops = ARRAY(1, op);
	if (flags & DRM_PPU_VM_BIND_ASYNC) {
		*s = (struct drm_ppu_sync){ .flags = DRM_PPU_SYNC_SIGNAL, .handle = 1 };
		a->syncs = ARRAY(1, s);
	}
	CALL_ERR(VM_BIND, err);
}

static void submit_after(struct recorder *r, uint32_t flags, uint32_t sync, uint32_t handle, int err)
{
	ARG(a, submit);
	struct drm_ppu_sync *s = record_arg(r, 2 * sizeof(*s));

	a->channel_id = 1;
	a->flags = flags;
	s[0] = (struct drm_ppu_sync){ .flags = sync, .handle = handle };
	s[1] = (struct drm_ppu_sync){ .flags = DRM_PPU_SYNC_SIGNAL, .handle = 1 };
	a->syncs = ARRAY(2, s);
	CALL_ERR(SUBMIT, err);
}

static void flink(struct recorder *r, uint32_t handle)
{
	struct drm_gem_flink *a = record_arg(r, sizeof(*a));

	a->handle = handle;
	record_call(r, DRM_IOCTL_GEM_FLINK, "GEM_FLINK", EOPNOTSUPP);
}

/* Syncobj 4 has no fence. */
static void since_1_0(struct recorder *r)
{
	query_strided(r, DRM_PPU_QUERY_USER_LIMITS, 0, 0, 13 * 16, 0);
	query_strided(r, DRM_PPU_QUERY_USER_LIMITS, 24, 0, 13 * 24, 0);
	query_strided(r, DRM_PPU_QUERY_LIMITS, 8, 0, 13 * 8, 0);
	query_strided(r, DRM_PPU_QUERY_LIMITS, 4, 0, 64, EINVAL);
	query_strided(r, DRM_PPU_QUERY_LIMITS, 16, 1, 64, EINVAL);
	query_strided(r, DRM_PPU_QUERY_TIMESTAMPS, 16, 0, 64, EINVAL);
	query_counters(r);
	bind_queue(r, DRM_PPU_VM_BIND_ASYNC, DRM_PPU_VM_BIND_MAX_QUEUES - 1, 0, 0);
	syncobj_wait(r, 1);
	bind_queue(r, DRM_PPU_VM_BIND_ASYNC, DRM_PPU_VM_BIND_MAX_QUEUES, 0, EINVAL);
	bind_queue(r, DRM_PPU_VM_BIND_ASYNC, 0, 1, EINVAL);
	bind_queue(r, 0, 1, 0, EINVAL);
	vm_state(r, 1, 0);
	syncobj_create(r);
	submit_after(r, 0, DRM_PPU_SYNC_WAIT_FOR_SUBMIT, 2, 0);
	syncobj_wait(r, 1);
	submit_after(r, DRM_PPU_SUBMIT_NONBLOCK, DRM_PPU_SYNC_WAIT_FOR_SUBMIT, 4, EAGAIN);
	submit_after(r, 0, DRM_PPU_SYNC_WAIT_FOR_SUBMIT | DRM_PPU_SYNC_SIGNAL, 4, EINVAL);
	flink(r, 1);
}

/* ---- since 1.1 ---- */

static void sem_wait_channel(struct recorder *r, uint64_t value, uint32_t channel, uint32_t flags, int err)
{
	ARG(a, sem_wait);
	struct drm_ppu_sem_cond *c = record_arg(r, sizeof(*c));

	*c = (struct drm_ppu_sem_cond){ .sem_id = 1, .op = DRM_PPU_SEM_OP_EQ, .value = value };
	a->conds = ARRAY(1, c);
	a->channel_id = channel;
	a->flags = flags;
	CALL_ERR(SEM_WAIT, err);
}

/* Channel 1 has ended, channel 2 not; semaphore 1 is 70. */
static void since_1_1(struct recorder *r)
{
	sem_wait_channel(r, 71, 1, 0, EIO);
	sem_wait_channel(r, 71, 2, 0, ETIME);
	sem_wait_channel(r, 71, 2, DRM_PPU_SEM_WAIT_VM, EIO);
	sem_wait_channel(r, 70, 2, DRM_PPU_SEM_WAIT_VM, 0);
	sem_wait_channel(r, 70, 0, DRM_PPU_SEM_WAIT_VM, EINVAL);
}

/* ---- since 1.2 ---- */

static void gem_madvise(struct recorder *r, uint32_t handle, uint32_t madv, uint32_t pad, int err)
{
	ARG(a, gem_madvise);

	a->handle = handle;
	a->madv = madv;
	a->pad = pad;
	CALL_ERR(GEM_MADVISE, err);
}

/* Handle 4 is the program's memory, whose contents are never dropped. */
static void since_1_2(struct recorder *r)
{
	gem_madvise(r, 4, DRM_PPU_MADV_DONTNEED, 0, 0);
	gem_madvise(r, 4, DRM_PPU_MADV_WILLNEED, 0, 0);
	gem_madvise(r, 5, DRM_PPU_MADV_WILLNEED, 0, 0);
	gem_madvise(r, 5, 2, 0, EINVAL);
	gem_madvise(r, 5, DRM_PPU_MADV_WILLNEED, 1, EINVAL);
	gem_madvise(r, 99, DRM_PPU_MADV_WILLNEED, 0, ENOENT);
}

static void ends(struct recorder *r)
{
	for (uint32_t id = 1; id <= 4; id++) {
		ARG(a, channel_destroy);
		a->channel_id = id;
		CALL(CHANNEL_DESTROY);
	}
	ARG(again, channel_destroy);
	again->channel_id = 1;
	CALL_ERR(CHANNEL_DESTROY, ENOENT);
	ARG(sem, sem_destroy);
	sem->sem_id = 1;
	CALL(SEM_DESTROY);
	ARG(group, group_destroy);
	group->group_id = 1;
	CALL(GROUP_DESTROY);
	ARG(vm, vm_destroy);
	vm->vm_id = 1;
	CALL(VM_DESTROY);
	ARG(none, vm_destroy);
	none->vm_id = 1;
	CALL_ERR(VM_DESTROY, ENOENT);
}

static void scenario(struct recorder *r, unsigned minor)
{
	params(r);
	queries(r);
	objects(r);
	vms(r);
	channels(r);
	jobs(r);
	groups(r);
	semaphores(r);
	since_1_0(r);
	events(r);
	channel_error(r);
	if (minor >= 1)
		since_1_1(r);
	if (minor >= 2)
		since_1_2(r);
	ends(r);
}

/* Twice, the second time with other objects on the device: what differs then is not promised. */
static void record(unsigned minor)
{
	static struct recorder first, second;
	char name[32];

	record_begin(&first);
	scenario(&first, minor);
	record_end(&first);
	int fd = open_ppu();
	struct chan other = chan_new(fd, vm_new(fd), DRM_PPU_CHANNEL_COPY, 8);

	record_begin(&second);
	scenario(&second, minor);
	record_end(&second);
	chan_free(&other);
	snprintf(name, sizeof(name), "uapi_%u_%u", DRM_PPU_MAJOR, minor);
	printf("/* SPDX-License-Identifier: MIT */\n"
	       "/* Written by \"test_replay --record %u\".  Never changed: these are programs that exist. */\n", minor);
	record_print(&first, &second, name);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--record")) {
		record((unsigned)atoi(argv[2]));
		return 0;
	}
	return test_main(argc, argv);
}
