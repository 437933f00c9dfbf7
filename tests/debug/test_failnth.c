/* SPDX-License-Identifier: MIT */
/* The error paths of every ioctl: see lib/walk.h. */
#include "uapi_table.h"
#include "walk.h"

#define FAR_VA	0x40000000ull		/* nothing is there */
#define CALL(nr, type, ...) \
	try_ioctl(w->fd, DRM_IOCTL_PPU_##nr, &(struct drm_ppu_##type){ __VA_ARGS__ })

/* ---- parameters and queries ---- */

WALK(get_param, "GET_PARAM", W_FILE, NULL)
{
	return CALL(GET_PARAM, get_param, .param = DRM_PPU_PARAM_VRAM_AVAIL);
}

static int query(struct world *w, uint32_t type)
{
	static char room[4096];

	return CALL(QUERY, query, .type = type, .size = sizeof(room), .ptr = (uintptr_t)room);
}

WALK(query_engines, "QUERY", W_FILE, NULL)
{
	return query(w, DRM_PPU_QUERY_ENGINES);
}

WALK(query_regions, "QUERY", W_FILE, NULL)
{
	return query(w, DRM_PPU_QUERY_MEM_REGIONS);
}

WALK(query_counters, "QUERY", W_FILE, NULL)
{
	return query(w, DRM_PPU_QUERY_COUNTERS);
}

WALK(query_limits, "QUERY", W_FILE, NULL)
{
	return query(w, DRM_PPU_QUERY_LIMITS);
}

WALK(query_user_limits, "QUERY", W_FILE, NULL)
{
	return query(w, DRM_PPU_QUERY_USER_LIMITS);
}

/* ---- buffer objects ---- */

WALK(gem_create_system, "GEM_CREATE", W_FILE, NULL)
{
	return CALL(GEM_CREATE, gem_create, .size = 5 * 4096, .placement = DRM_PPU_PLACEMENT_SYSTEM);
}

WALK(gem_create_vram, "GEM_CREATE", W_FILE, NULL)
{
	/* Several blocks of the allocator. */
	return CALL(GEM_CREATE, gem_create, .size = 0x417000, .placement = DRM_PPU_PLACEMENT_VRAM);
}

WALK(gem_create_private, "GEM_CREATE", W_VM, NULL)
{
	return CALL(GEM_CREATE, gem_create, .size = 4096, .vm_id = w->vm);
}

WALK(gem_userptr, "GEM_USERPTR", W_VM, NULL)
{
	static char pages[3 * 4096] __attribute__((aligned(4096)));

	return CALL(GEM_USERPTR, gem_userptr, .addr = (uintptr_t)pages, .size = sizeof(pages), .vm_id = w->vm);
}

WALK(gem_mmap_offset, "GEM_MMAP_OFFSET", W_BO, NULL)
{
	return CALL(GEM_MMAP_OFFSET, gem_mmap_offset, .handle = w->bo.handle);
}

WALK(gem_info, "GEM_INFO", W_BO, NULL)
{
	return CALL(GEM_INFO, gem_info, .handle = w->bo.handle);
}

WALK(gem_madvise, "GEM_MADVISE", W_BO, NULL)
{
	return CALL(GEM_MADVISE, gem_madvise, .handle = w->bo.handle, .madv = DRM_PPU_MADV_DONTNEED);
}

/* ---- VMs ---- */

WALK(vm_create, "VM_CREATE", W_FILE, NULL)
{
	return CALL(VM_CREATE, vm_create, 0);
}

WALK(vm_destroy, "VM_DESTROY", W_BO | W_VRAM, NULL)
{
	return CALL(VM_DESTROY, vm_destroy, .vm_id = w->vm);
}

static int bind(struct world *w, struct drm_ppu_vm_bind_op *ops, uint32_t count)
{
	return CALL(VM_BIND, vm_bind, .vm_id = w->vm, .ops = DRM_PPU_ARRAY(count, ops));
}

WALK(vm_bind_map, "VM_BIND", W_BO | W_VRAM, NULL)
{
	/* Page tables of every level, on both sides of a large page. */
	struct drm_ppu_vm_bind_op ops[] = {
		{ .handle = w->bo.handle, .va = 0x123456789000, .size = WORLD_BO_SIZE },
		{ .handle = w->vram.handle, .va = 0x6543001fe000, .size = WORLD_BO_SIZE },
	};

	return bind(w, ops, 2);
}

WALK(vm_bind_null, "VM_BIND", W_VM, NULL)
{
	return vm_try_op(w->fd, w->vm, DRM_PPU_VM_BIND_OP_MAP, 0, 0, FAR_VA, 3 << 20, DRM_PPU_VM_BIND_NULL);
}

WALK(vm_bind_split, "VM_BIND", W_BO, NULL)
{
	struct drm_ppu_vm_bind_op ops[] = {
		{ .op = DRM_PPU_VM_BIND_OP_UNMAP, .va = WORLD_VA + 0x2000, .size = 0x1000 },
		{ .handle = w->bo.handle, .va = WORLD_VA + 0x5000, .size = 0x1000 },
	};

	return bind(w, ops, 2);
}

static void large_page(struct world *w)
{
	struct drm_ppu_gem_create a = { .size = 4 << 20, .placement = DRM_PPU_PLACEMENT_VRAM };

	DO(w->fd, DRM_IOCTL_PPU_GEM_CREATE, &a);
	CHECK(!vm_try_op(w->fd, w->vm, DRM_PPU_VM_BIND_OP_MAP, a.handle, 0, FAR_VA, a.size, 0));
}

WALK(vm_bind_split_large, "VM_BIND", W_VM, large_page)
{
	struct drm_ppu_vm_bind_op op = {
		.op = DRM_PPU_VM_BIND_OP_UNMAP, .va = FAR_VA + 0x1000, .size = 0x201000,
	};

	return bind(w, &op, 1);
}

WALK(vm_bind_async, "VM_BIND", W_BO | W_SYNC, NULL)
{
	struct drm_ppu_vm_bind_op op = { .handle = w->bo.handle, .va = FAR_VA, .size = WORLD_BO_SIZE };
	struct drm_ppu_sync syncs[] = {
		{ .handle = w->signalled },
		{ .flags = DRM_PPU_SYNC_SIGNAL | DRM_PPU_SYNC_TIMELINE, .handle = w->syncobj, .point = 3 },
	};

	return CALL(VM_BIND, vm_bind, .vm_id = w->vm, .flags = DRM_PPU_VM_BIND_ASYNC,
		    .ops = DRM_PPU_ARRAY(1, &op), .syncs = DRM_PPU_ARRAY(2, syncs));
}

WALK(vm_bind_queue, "VM_BIND", W_BO | W_SYNC, NULL)
{
	struct drm_ppu_sync sync = { .flags = DRM_PPU_SYNC_WAIT_FOR_SUBMIT, .handle = w->signalled };

	return CALL(VM_BIND, vm_bind, .vm_id = w->vm, .flags = DRM_PPU_VM_BIND_ASYNC,
		    .syncs = DRM_PPU_ARRAY(1, &sync), .queue = 7);
}

/* A channel that stopped with an error, and the record of it. */
static void fault(struct world *w)
{
	struct drm_ppu_vm_get_state a = { .vm_id = w->vm };
	struct cmds b = chan_block(&w->user);

	cmd_copy(&b, FAR_VA, WORLD_VA, 64);
	chan_submit(&w->user, &b);
	WAIT_FOR(a.fault_total || (try_ioctl(w->fd, DRM_IOCTL_PPU_VM_GET_STATE, &a), a.fault_total),
		 5000);
}

WALK(vm_get_state, "VM_GET_STATE", W_BO | W_USER, fault)
{
	struct drm_ppu_fault records[4];

	return CALL(VM_GET_STATE, vm_get_state, .vm_id = w->vm, .faults = DRM_PPU_ARRAY(4, records));
}

static void compute_channel(struct world *w)
{
	struct drm_ppu_channel_create a = {
		.vm_id = w->vm, .type = DRM_PPU_CHANNEL_COMPUTE,
		.flags = DRM_PPU_CHANNEL_USER_SUBMIT, .gpfifo_entries = 8,
	};

	DO(w->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	w->object = a.channel_id;
}

WALK(vm_set_local, "VM_SET_PROPERTY", W_VM | W_KEEPS, compute_channel)
{
	return CALL(VM_SET_PROPERTY, vm_set_property, .vm_id = w->vm,
		    .property = DRM_PPU_VM_PROP_LOCAL_PER_THREAD, .value = 2048);
}

WALK(vm_set_depth, "VM_SET_PROPERTY", W_VM, compute_channel)
{
	return CALL(VM_SET_PROPERTY, vm_set_property, .vm_id = w->vm,
		    .property = DRM_PPU_VM_PROP_MAX_DEPTH, .value = 3);
}

WALK(vm_set_watchdog, "VM_SET_PROPERTY", W_VM, NULL)
{
	return CALL(VM_SET_PROPERTY, vm_set_property, .vm_id = w->vm,
		    .property = DRM_PPU_VM_PROP_WATCHDOG_MS, .value = 50);
}

/* ---- channels ---- */

WALK(channel_create_user, "CHANNEL_CREATE", W_BO | W_GROUP, NULL)
{
	return CALL(CHANNEL_CREATE, channel_create, .vm_id = w->vm, .type = DRM_PPU_CHANNEL_COPY,
		    .flags = DRM_PPU_CHANNEL_USER_SUBMIT, .gpfifo_entries = 8,
		    .group_id = w->group, .notifier_handle = w->bo.handle);
}

WALK(channel_create_kernel, "CHANNEL_CREATE", W_VM, NULL)
{
	return CALL(CHANNEL_CREATE, channel_create, .vm_id = w->vm, .type = DRM_PPU_CHANNEL_COPY,
		    .gpfifo_entries = 8);
}

WALK(channel_create_compute, "CHANNEL_CREATE", W_VM | W_KEEPS, NULL)
{
	return CALL(CHANNEL_CREATE, channel_create, .vm_id = w->vm,
		    .type = DRM_PPU_CHANNEL_COMPUTE, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		    .gpfifo_entries = 300);
}

WALK(channel_create_queue, "CHANNEL_CREATE", W_BO | W_USER | W_GROUP | W_KEEPS, NULL)
{
	return CALL(CHANNEL_CREATE, channel_create, .vm_id = w->vm,
		    .type = DRM_PPU_CHANNEL_DEVICE_QUEUE, .gpfifo_entries = 300,
		    .devq_initial_get = 7, .devq_owner = w->user.id, .group_id = w->group,
		    .notifier_handle = w->bo.handle);
}

/* A queue, and the mapping of it that goes first. */
static void queue(struct world *w)
{
	struct drm_ppu_channel_create a = {
		.vm_id = w->vm, .type = DRM_PPU_CHANNEL_DEVICE_QUEUE, .gpfifo_entries = 8,
	};

	DO(w->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	w->object = a.channel_id;
	w->map_size = a.ring_size;
	w->map = mmap(NULL, w->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd,
		      (off_t)a.ring_offset);
	CHECK(w->map != MAP_FAILED);
	*(volatile char *)w->map;
}

WALK(channel_destroy_queue, "CHANNEL_DESTROY", W_VM, queue)
{
	return CALL(CHANNEL_DESTROY, channel_destroy, .channel_id = w->object);
}

WALK(channel_query_queue, "CHANNEL_QUERY", W_VM, queue)
{
	return CALL(CHANNEL_QUERY, channel_query, .channel_id = w->object);
}

WALK(channel_destroy_user, "CHANNEL_DESTROY", W_USER, NULL)
{
	return CALL(CHANNEL_DESTROY, channel_destroy, .channel_id = w->user.id);
}

WALK(channel_destroy_kernel, "CHANNEL_DESTROY", W_KERN, NULL)
{
	return CALL(CHANNEL_DESTROY, channel_destroy, .channel_id = w->kern);
}

WALK(channel_query, "CHANNEL_QUERY", W_USER, NULL)
{
	return CALL(CHANNEL_QUERY, channel_query, .channel_id = w->user.id);
}

WALK(channel_set_property, "CHANNEL_SET_PROPERTY", W_USER, NULL)
{
	return CALL(CHANNEL_SET_PROPERTY, channel_set_property, .channel_id = w->user.id,
		    .property = DRM_PPU_CHANNEL_PROP_TIMESLICE_US, .value = 500);
}

WALK(submit, "SUBMIT", W_KERN | W_SYNC, NULL)
{
	struct drm_ppu_entry entries[] = { w->code, w->code };
	struct drm_ppu_sync syncs[] = {
		{ .handle = w->signalled },
		{ .flags = DRM_PPU_SYNC_SIGNAL, .handle = w->signalled },
		{ .flags = DRM_PPU_SYNC_SIGNAL | DRM_PPU_SYNC_TIMELINE, .handle = w->syncobj, .point = 1 },
	};

	return CALL(SUBMIT, submit, .channel_id = w->kern, .entries = DRM_PPU_ARRAY(2, entries),
		    .syncs = DRM_PPU_ARRAY(3, syncs));
}

WALK(submit_bos, "SUBMIT", W_KERN | W_SYNC | W_BO, NULL)
{
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = w->syncobj };
	struct drm_ppu_submit_bo b = { .handle = w->bo.handle, .flags = DRM_PPU_SUBMIT_BO_WRITE };

	return CALL(SUBMIT, submit, .channel_id = w->kern, .syncs = DRM_PPU_ARRAY(1, &s), .bos = DRM_PPU_ARRAY(1, &b));
}

WALK(submit_barrier, "SUBMIT", W_KERN | W_SYNC, NULL)
{
	struct drm_ppu_sync sync = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = w->syncobj };

	return CALL(SUBMIT, submit, .channel_id = w->kern, .syncs = DRM_PPU_ARRAY(1, &sync));
}

/* ---- groups ---- */

WALK(group_create, "GROUP_CREATE", W_FILE, NULL)
{
	return CALL(GROUP_CREATE, group_create, .policy = DRM_PPU_GROUP_STOP_ALL);
}

WALK(group_destroy, "GROUP_DESTROY", W_GROUP, NULL)
{
	return CALL(GROUP_DESTROY, group_destroy, .group_id = w->group);
}

WALK(group_query, "GROUP_QUERY", W_GROUP, NULL)
{
	return CALL(GROUP_QUERY, group_query, .group_id = w->group);
}

/* Two channels in the group. */
static void members(struct world *w)
{
	struct drm_ppu_channel_create a = {
		.vm_id = w->vm, .type = DRM_PPU_CHANNEL_COPY, .group_id = w->group,
		.flags = DRM_PPU_CHANNEL_USER_SUBMIT, .gpfifo_entries = 8,
	};

	DO(w->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	DO(w->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
}

WALK(group_preempt, "GROUP_CONTROL", W_VM | W_GROUP, members)
{
	return CALL(GROUP_CONTROL, group_control, .group_id = w->group,
		    .op = DRM_PPU_GROUP_PREEMPT, .timeout_ns = INT64_MAX);
}

WALK(group_stop, "GROUP_CONTROL", W_VM | W_GROUP, members)
{
	return CALL(GROUP_CONTROL, group_control, .group_id = w->group, .op = DRM_PPU_GROUP_STOP);
}

/* ---- semaphores ---- */

WALK(sem_create, "SEM_CREATE", W_FILE, NULL)
{
	return CALL(SEM_CREATE, sem_create, .initial = 3);
}

WALK(sem_create_adopt, "SEM_CREATE", W_BO, NULL)
{
	return CALL(SEM_CREATE, sem_create, .bo_handle = w->bo.handle, .bo_offset = 0x40,
		    .flags = DRM_PPU_SEM_ADOPT);
}

WALK(sem_create_vram, "SEM_CREATE", W_VRAM, NULL)
{
	return CALL(SEM_CREATE, sem_create, .bo_handle = w->vram.handle);
}

WALK(sem_destroy, "SEM_DESTROY", W_SEM, NULL)
{
	return CALL(SEM_DESTROY, sem_destroy, .sem_id = w->sem);
}

WALK(sem_read, "SEM_READ", W_SEM, NULL)
{
	return CALL(SEM_READ, sem_read, .sem_id = w->sem);
}

WALK(sem_signal, "SEM_SIGNAL", W_SEM, NULL)
{
	return CALL(SEM_SIGNAL, sem_signal, .sem_id = w->sem, .value = 1);
}

static int sem_wait(struct world *w, uint64_t value)
{
	struct drm_ppu_sem_cond conds[] = {
		{ .sem_id = w->sem, .value = value },
		{ .sem_id = w->sem, .op = DRM_PPU_SEM_OP_GE, .value = value + 5 },
	};

	return CALL(SEM_WAIT, sem_wait, .conds = DRM_PPU_ARRAY(2, conds), .timeout_ns = w->soon);
}

WALK(sem_wait_now, "SEM_WAIT", W_SEM, NULL)
{
	return sem_wait(w, 0);
}

WALK(sem_wait_late, "SEM_WAIT", W_SEM, NULL)
{
	int err = sem_wait(w, 1);

	return err == ETIME ? 0 : err;
}

WALK(sem_import_fence, "SEM_IMPORT_FENCE", W_SEM | W_SYNC, NULL)
{
	return CALL(SEM_IMPORT_FENCE, sem_import_fence, .sem_id = w->sem, .value = 1,
		    .sync = { .handle = w->signalled });
}

/* A fence that signals later: of a job that waits for its channel's group. */
static void late_fence(struct world *w)
{
	struct drm_ppu_group_create g = { .flags = DRM_PPU_GROUP_START_DISABLED };
	struct drm_ppu_channel_create k = {
		.vm_id = w->vm, .type = DRM_PPU_CHANNEL_COPY, .gpfifo_entries = 8,
	};
	struct drm_ppu_sync sync = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = w->syncobj };
	struct drm_ppu_submit s = {
		.entries = DRM_PPU_ARRAY(1, &w->code), .syncs = DRM_PPU_ARRAY(1, &sync),
	};

	DO(w->fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	k.group_id = g.group_id;
	DO(w->fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	s.channel_id = k.channel_id;
	DO(w->fd, DRM_IOCTL_PPU_SUBMIT, &s);
}

WALK(sem_import_late_fence, "SEM_IMPORT_FENCE", W_KERN | W_SEM | W_SYNC, late_fence)
{
	return CALL(SEM_IMPORT_FENCE, sem_import_fence, .sem_id = w->sem, .value = 1,
		    .sync = { .handle = w->syncobj });
}

WALK(sem_export_fence, "SEM_EXPORT_FENCE", W_SEM | W_SYNC, NULL)
{
	return CALL(SEM_EXPORT_FENCE, sem_export_fence, .sem_id = w->sem,
		    .sync = { .flags = DRM_PPU_SYNC_SIGNAL, .handle = w->syncobj });
}

WALK(sem_export_late_fence, "SEM_EXPORT_FENCE", W_SEM | W_SYNC | W_USER, NULL)
{
	return CALL(SEM_EXPORT_FENCE, sem_export_fence, .sem_id = w->sem, .value = 9,
		    .channel_id = w->user.id,
		    .sync = { .flags = DRM_PPU_SYNC_SIGNAL | DRM_PPU_SYNC_TIMELINE,
			      .handle = w->syncobj, .point = 2 });
}

/* ---- events ---- */

WALK(event_sem, "EVENT_REGISTER", W_SEM | W_EVENT, NULL)
{
	return CALL(EVENT_REGISTER, event_register, .type = DRM_PPU_EVENT_SEM, .object_id = w->sem,
		    .value = 4, .flags = DRM_PPU_EVENT_ONESHOT, .eventfd = w->eventfd);
}

WALK(event_channel, "EVENT_REGISTER", W_USER | W_EVENT, NULL)
{
	return CALL(EVENT_REGISTER, event_register, .type = DRM_PPU_EVENT_CHANNEL_ERROR,
		    .object_id = w->user.id, .flags = DRM_PPU_EVENT_ONESHOT, .eventfd = w->eventfd);
}

WALK(event_vm, "EVENT_REGISTER", W_VM | W_EVENT, NULL)
{
	return CALL(EVENT_REGISTER, event_register, .type = DRM_PPU_EVENT_VM_FAULT,
		    .object_id = w->vm, .eventfd = w->eventfd);
}

static void register_event(struct world *w)
{
	struct drm_ppu_event_register a = {
		.type = DRM_PPU_EVENT_SEM, .object_id = w->sem, .value = 4,
		.flags = DRM_PPU_EVENT_ONESHOT, .eventfd = w->eventfd,
	};

	DO(w->fd, DRM_IOCTL_PPU_EVENT_REGISTER, &a);
	w->object = a.event_id;
}

WALK(event_unregister, "EVENT_UNREGISTER", W_SEM | W_EVENT, register_event)
{
	return CALL(EVENT_UNREGISTER, event_unregister, .event_id = w->object);
}

TEST(complete, "every ioctl of the uAPI header is walked")
{
	for (unsigned i = 0; i < uapi_num_ioctls; i++)
		if (!walked(uapi_ioctls[i].name))
			FAIL("DRM_IOCTL_PPU_%s has no WALK() here", uapi_ioctls[i].name);
}

HARNESS_MAIN
