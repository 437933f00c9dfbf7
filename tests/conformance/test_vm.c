/* SPDX-License-Identifier: MIT */
/* VM_CREATE, VM_DESTROY, VM_BIND, VM_SET_PROPERTY, VM_GET_STATE. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "harness.h"

#define MAP DRM_PPU_VM_BIND_OP_MAP
#define UNMAP DRM_PPU_VM_BIND_OP_UNMAP
#define VA 0x10000000ull
#define M (1ull << 20)

TEST(create_args, "VM_CREATE refuses bad arguments and reports the range")
{
	int fd = open_ppu();
	struct drm_ppu_vm_create a = { .flags = 1 };

	DO_ERR(fd, DRM_IOCTL_PPU_VM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_vm_create){ .pad = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_vm_create){ .max_depth = PPU_MAX_DEPTH + 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_vm_create){ .prio_levels = 100000 };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_CREATE, &a, EINVAL);
	a = (struct drm_ppu_vm_create){ .local_per_thread = ~0u };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_CREATE, &a, EINVAL);
	DO_ERR(fd, DRM_IOCTL_PPU_VM_CREATE, (void *)BAD_PTR, EFAULT);

	a = (struct drm_ppu_vm_create){ .max_depth = 4, .local_per_thread = 100, .watchdog_ms = 9 };
	DO(fd, DRM_IOCTL_PPU_VM_CREATE, &a);
	CHECK(a.vm_id && a.context_id);
	CHECK_EQ(a.va_start, PPU_VA_USER_START);
	CHECK_EQ(a.va_end, PPU_VA_USER_END);
}

TEST(destroy_args, "VM_DESTROY finds only what is there")
{
	int fd = open_ppu(), other = open_ppu();
	struct drm_ppu_vm_destroy d = { .vm_id = vm_new(fd), .pad = 1 };

	DO_ERR(fd, DRM_IOCTL_PPU_VM_DESTROY, &d, EINVAL);
	d.pad = 0;
	DO_ERR(other, DRM_IOCTL_PPU_VM_DESTROY, &d, ENOENT);
	DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
	DO_ERR(fd, DRM_IOCTL_PPU_VM_DESTROY, &d, ENOENT);
	d.vm_id = 0;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_DESTROY, &d, ENOENT);
}

static void one_vm(void *arg)
{
	(void)arg;
	vm_new(open_ppu());
}

TEST(limit, "the number of VMs of a process is limited, not by opening files, and not for others")
{
	int fd = 0, e = 0, n = 0;

	for (; n < 100000 && !e; n++) {
		struct drm_ppu_vm_create a = { 0 };

		if (n % 10 == 0)
			fd = open_ppu();
		e = try_ioctl(fd, DRM_IOCTL_PPU_VM_CREATE, &a);
	}
	CHECK_EQ(e, ENOSPC);
	CHECK_EQ(try_ioctl(open_ppu(), DRM_IOCTL_PPU_VM_CREATE, &(struct drm_ppu_vm_create){ 0 }),
		 ENOSPC);
	CHECK_EQ(signal_of(one_vm, NULL), 0);
	close(fd);
	vm_new(open_ppu());
}

TEST(bind_args, "VM_BIND refuses bad arguments")
{
	int fd = open_ppu(), other = open_ppu();
	uint32_t vm = vm_new(fd), vm2 = vm_new(fd);
	struct bo bo = bo_new(fd, 65536, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_vm_bind_op op = { .op = MAP, .handle = bo.handle, .va = VA, .size = 4096 };
	struct drm_ppu_vm_bind b;
	struct drm_ppu_gem_create priv = { .size = 4096, .vm_id = vm2 };

	CHECK_EQ(vm_try_op(fd, vm, 2, bo.handle, 0, VA, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, VA, 4096, 16), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, VA, 0, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, VA + 1, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 512, VA, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, VA, 4097, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 65536, VA, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 4096, VA, 65536, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, 0, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, PPU_VA_USER_END, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, PPU_VA_USER_END - 4096, 8192, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, ~0ull << 12, 8192, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, MAP, 777, 0, VA, 4096, 0), ENOENT);
	CHECK_EQ(vm_try_op(fd, vm, UNMAP, bo.handle, 0, VA, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, UNMAP, 0, 4096, VA, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, vm, UNMAP, 0, 0, VA, 4096, DRM_PPU_VM_BIND_READONLY), EINVAL);
	CHECK_EQ(vm_try_op(other, vm, UNMAP, 0, 0, VA, 4096, 0), ENOENT);
	DO(fd, DRM_IOCTL_PPU_GEM_CREATE, &priv);
	CHECK_EQ(vm_try_op(fd, vm, MAP, priv.handle, 0, VA, 4096, 0), EPERM);
	CHECK_EQ(vm_try_op(fd, vm2, MAP, priv.handle, 0, VA, 4096, 0), 0);

	b = (struct drm_ppu_vm_bind){ .vm_id = vm, .flags = 2 };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	b = (struct drm_ppu_vm_bind){ .vm_id = vm, .syncs.count = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	b = (struct drm_ppu_vm_bind){ .vm_id = vm };
	DO(fd, DRM_IOCTL_PPU_VM_BIND, &b);
	b.ops = (struct drm_ppu_array)DRM_PPU_ARRAY(1, &op);
	b.ops.ptr = BAD_PTR;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EFAULT);
	b.ops.ptr = (uintptr_t)&op;
	b.ops.stride = 8;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
	b.ops.stride = sizeof(op);
	b.ops.count = DRM_PPU_VM_BIND_MAX_OPS + 1;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, E2BIG);
	op.pad = 1;
	b.ops.count = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, EINVAL);
}

TEST(bind_newer_op, "a longer element is fine while what is new in it is zero")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct {
		struct drm_ppu_vm_bind_op op;
		uint64_t new_field;
	} ops[2] = {
		{ .op = { .op = MAP, .handle = bo.handle, .va = VA, .size = 4096 } },
		{ .op = { .op = UNMAP, .va = VA, .size = 4096 } },
	};
	struct drm_ppu_vm_bind b = { .vm_id = vm, .ops = DRM_PPU_ARRAY(2, ops) };

	DO(fd, DRM_IOCTL_PPU_VM_BIND, &b);
	ops[1].new_field = 1;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, E2BIG);
}

/* The device reads word i of an address range as it is mapped; 0: it faults. */
static uint64_t peek(int fd, uint32_t vm, uint64_t va, int *error)
{
	struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b = chan_block(&c);
	uint64_t v;

	*chan_sem(&c, 0) = 0;
	cmd_copy(&b, va, chan_sem_va(&c, 0), 8);
	chan_submit(&c, &b);
	WAIT_FOR(chan_get(&c) == c.put || c.userd[PPU_REG_USERD_ERROR / 4], 20000);
	*error = (int)c.userd[PPU_REG_USERD_ERROR / 4];
	v = *chan_sem(&c, 0);
	chan_free(&c);
	return v;
}

/*
 * A model of the address space, 4 KiB by 4 KiB: what word the device must see.  Random MAPs and
 * UNMAPs, in ioctls of one to four operations, over objects of both kinds.
 */
static void random_binds(unsigned seed)
{
	enum { PAGES = 2048, BOS = 4 };
	static uint64_t model[PAGES];
	int fd = open_ppu(), error;
	uint32_t vm = vm_new(fd);
	struct bo bo[BOS];

	srandom(seed);
	memset(model, 0, sizeof(model));
	for (unsigned i = 0; i < BOS; i++) {
		bo[i] = bo_new(fd, 6 * M, i & 1 ? DRM_PPU_PLACEMENT_VRAM :
						 DRM_PPU_PLACEMENT_SYSTEM);
		for (uint64_t p = 0; p < bo[i].size / 4096; p++)
			((uint64_t *)bo[i].map)[p * 512] = (i + 1) << 16 | p;
	}
	for (unsigned round = 0; round < 60; round++) {
		struct drm_ppu_vm_bind_op ops[4] = { 0 };
		struct drm_ppu_vm_bind b = { .vm_id = vm };
		unsigned n = 1 + random() % 4;

		for (unsigned k = 0; k < n; k++) {
			unsigned first = random() % PAGES, i = random() % BOS;
			unsigned count = 1 + random() % (PAGES - first), off;

			/* often aligned to large pages */
			if (random() % 2)
				first &= ~511u;
			if (count > 1536)
				count = 1536;
			off = random() % (1537 - count);
			if (random() % 2)
				off &= ~511u;
			ops[k] = (struct drm_ppu_vm_bind_op){
				.op = random() % 3 ? MAP : UNMAP, .va = VA + first * 4096ull,
				.size = count * 4096ull,
			};
			if (ops[k].op == MAP) {
				ops[k].handle = bo[i].handle;
				ops[k].bo_offset = off * 4096ull;
			}
			for (unsigned p = 0; p < count; p++)
				model[first + p] = ops[k].op == MAP ? (i + 1) << 16 | (off + p) : 0;
		}
		b.ops = (struct drm_ppu_array)DRM_PPU_ARRAY(n, ops);
		DO(fd, DRM_IOCTL_PPU_VM_BIND, &b);
		if (round % 3)
			continue;

		/* every mapped page, gathered by one channel; a few of the holes */
		struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 64);
		struct bo out = bo_new(fd, PAGES * 8, DRM_PPU_PLACEMENT_SYSTEM);

		vm_map(fd, vm, &out, 0x600000000000ull);
		for (unsigned p = 0; p < PAGES;) {
			struct cmds blk = chan_block(&c);

			for (unsigned k = 0; k < 32 && p < PAGES; p++)
				if (model[p]) {
					cmd_copy(&blk, VA + p * 4096ull, out.va + p * 8, 8);
					k++;
				}
			cmd_nop(&blk, 1);
			chan_submit(&c, &blk);
		}
		chan_wait_idle(&c);
		for (unsigned p = 0; p < PAGES; p++)
			CHECK_EQ(((uint64_t *)out.map)[p], model[p]);
		chan_free(&c);
		bo_free(&out);
		CHECK_EQ(vm_try_op(fd, vm, UNMAP, 0, 0, 0x600000000000ull, PAGES * 8, 0), 0);
		for (unsigned k = 0; k < 3; k++) {
			unsigned p = random() % PAGES;

			if (model[p])
				continue;
			peek(fd, vm, VA + p * 4096ull, &error);
			CHECK_EQ(error, PPU_ERR_COPY_FAULT);
		}
	}
}

TEST_T(bind_random, 240, "random binds: the device sees exactly what a model of the space says")
{
	for (unsigned seed = 1; seed <= 3; seed++)
		random_binds(seed);
}

TEST(bind_atomic, "a VM_BIND with one bad operation changes nothing")
{
	int fd = open_ppu(), error;
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 4 * M, DRM_PPU_PLACEMENT_VRAM);
	struct drm_ppu_vm_bind_op ops[2] = {
		{ .op = UNMAP, .va = VA, .size = 4 * M },
		{ .op = MAP, .handle = 999, .va = VA, .size = 4096 },
	};
	struct drm_ppu_vm_bind b = { .vm_id = vm, .ops = DRM_PPU_ARRAY(2, ops) };

	vm_map(fd, vm, &bo, VA);
	((uint64_t *)bo.map)[0] = 5;
	DO_ERR(fd, DRM_IOCTL_PPU_VM_BIND, &b, ENOENT);
	CHECK_EQ(peek(fd, vm, VA, &error), 5);
	CHECK_EQ(error, 0);
}

/* Maps the object n times at the same place, in one ioctl; 0 or errno. */
static int map_times(int fd, uint32_t vm, const struct bo *bo, unsigned n, uint32_t flags)
{
	struct drm_ppu_vm_bind_op *ops = calloc(n, sizeof(*ops));
	struct drm_ppu_vm_bind b = { .vm_id = vm, .flags = flags, .ops = DRM_PPU_ARRAY(n, ops) };
	int err;

	CHECK(ops);
	for (unsigned i = 0; i < n; i++)
		ops[i] = (struct drm_ppu_vm_bind_op){
			.op = MAP, .handle = bo->handle, .va = VA, .size = bo->size,
		};
	err = try_ioctl(fd, DRM_IOCTL_PPU_VM_BIND, &b);
	free(ops);
	return err;
}

TEST(bind_max_pages, "the operations of one VM_BIND map only so many pages; a large page is one")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo sys = bo_new(fd, 16 << 20, DRM_PPU_PLACEMENT_SYSTEM);
	struct bo vram = bo_new(fd, 2 << 20, DRM_PPU_PLACEMENT_VRAM);
	struct drm_ppu_vm_get_state s = { .vm_id = vm };
	const unsigned most = DRM_PPU_VM_BIND_MAX_PAGES / 4096;
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	CHECK_EQ(map_times(fd, vm, &sys, most + 1, 0), E2BIG);
	CHECK_EQ(map_times(fd, vm, &sys, most + 1, DRM_PPU_VM_BIND_ASYNC), E2BIG);
	CHECK_EQ(map_times(fd, vm, &sys, DRM_PPU_VM_BIND_MAX_OPS, 0), E2BIG);
	DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
	CHECK_EQ(s.binds_queued, 0);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), before);
	CHECK_EQ(map_times(fd, vm, &sys, most, 0), 0);
	CHECK_EQ(map_times(fd, vm, &vram, DRM_PPU_VM_BIND_MAX_OPS, 0), 0);
}

static struct binder {
	int fd;
	uint32_t vm;
	struct bo bo;
} binder;

static void *bind_for_ever(void *arg)
{
	for (;;)
		map_times(binder.fd, binder.vm, &binder.bo, DRM_PPU_VM_BIND_MAX_PAGES / 4096, 0);
	return NULL;
}

TEST(bind_killed, "many threads that bind as much as they may in one VM can be killed at once")
{
	enum { THREADS = 64 };
	pid_t pid = fork();
	uint64_t start;
	int status;

	CHECK(pid >= 0);
	if (!pid) {
		binder.fd = open_ppu();
		binder.vm = vm_new(binder.fd);
		binder.bo = bo_new(binder.fd, 16 << 20, DRM_PPU_PLACEMENT_SYSTEM);
		for (unsigned i = 0; i < THREADS; i++) {
			pthread_t thread;

			CHECK(!pthread_create(&thread, NULL, bind_for_ever, NULL));
		}
		pause();
	}
	sleep_ms(2000);
	start = now_ns();
	CHECK(!kill(pid, SIGKILL));
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	/* the ioctl at work may have to be finished, the others not even begun */
	if (now_ns() - start > 8000 * MS * time_scale())
		FAIL("it took %llu ms", (unsigned long long)((now_ns() - start) / MS));
}

TEST(bind_readonly, "the device cannot write to a read-only mapping")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct chan c = chan_new(fd, vm, DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b = chan_block(&c);

	CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, VA, 4096, DRM_PPU_VM_BIND_READONLY), 0);
	cmd_fill(&b, 3, VA, 7, 1);
	chan_submit(&c, &b);
	WAIT_FOR(c.userd[PPU_REG_USERD_ERROR / 4], 20000);
	CHECK_EQ(c.userd[PPU_REG_USERD_ERROR / 4], PPU_ERR_COPY_FAULT);
	CHECK_EQ(*(uint64_t *)bo.map, 0);
}

TEST(page_tables_freed, "page tables come back: binding far and wide leaks no VRAM")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	for (uint64_t i = 1; i < 64; i++)
		CHECK_EQ(vm_try_op(fd, vm, MAP, bo.handle, 0, i << 40, 4096, 0), 0);
	CHECK(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) < before);
	CHECK_EQ(vm_try_op(fd, vm, UNMAP, 0, 0, 1ull << 40, 63ull << 40, 0), 0);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), before);
}

TEST(closed_handle, "a mapping keeps its object alive")
{
	int fd = open_ppu(), error;
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);

	vm_map(fd, vm, &bo, VA);
	((uint64_t *)bo.map)[0] = 1234;
	bo_free(&bo);
	CHECK_EQ(peek(fd, vm, VA, &error), 1234);
}

TEST(set_property, "VM_SET_PROPERTY: values, limits, before and after a compute channel")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct drm_ppu_vm_set_property a = { .vm_id = vm };
	uint64_t avail;

	for (int round = 0; round < 2; round++) {
		a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_LOCAL_PER_THREAD, 512 };
		DO(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a);
		a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_MAX_DEPTH, 2 };
		DO(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a);
		a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_WATCHDOG_MS, 100 };
		DO(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a);
		a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_LOCAL_PER_THREAD, 0 };
		DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a, EINVAL);
		a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_MAX_DEPTH, 65 };
		DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a, EINVAL);
		a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_WATCHDOG_MS, 1ull << 32 };
		DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a, EINVAL);
		a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_MAX_PENDING, 7 };
		DO(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a);
		a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_MAX_PENDING, 1ull << 32 };
		DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a, EINVAL);
		a = (struct drm_ppu_vm_set_property){ vm, 4, 1 };
		DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a, EINVAL);
		a.vm_id = 999;
		DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a, ENOENT);
		if (!round)
			chan_new(fd, vm, DRM_PPU_CHANNEL_COMPUTE, 8);
	}
	/* a larger local area costs VRAM, a smaller one gives it back */
	avail = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	a = (struct drm_ppu_vm_set_property){ vm, DRM_PPU_VM_PROP_LOCAL_PER_THREAD, 1024 };
	DO(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a);
	CHECK(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) < avail);
	a.value = 512;
	DO(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), avail);
	a.value = get_param(fd, DRM_PPU_PARAM_MAX_LOCAL_PER_THREAD);
	DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &a, ENOSPC);
	CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), avail);
}

TEST(get_state_args, "VM_GET_STATE of a healthy VM, and bad arguments")
{
	int fd = open_ppu();
	struct drm_ppu_fault f[4];
	struct drm_ppu_vm_get_state s = { .vm_id = vm_new(fd) };

	DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
	CHECK_EQ(s.state, 0);
	CHECK_EQ(s.fault_total, 0);
	s.faults = (struct drm_ppu_array)DRM_PPU_ARRAY(4, f);
	DO(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
	CHECK_EQ(s.faults.count, 0);
	s.faults = (struct drm_ppu_array){ .stride = 12, .count = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s, EINVAL);
	s = (struct drm_ppu_vm_get_state){ .vm_id = 99 };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s, ENOENT);
	s = (struct drm_ppu_vm_get_state){ .vm_id = vm_new(fd), .pad = 1 };
	DO_ERR(fd, DRM_IOCTL_PPU_VM_GET_STATE, &s, EINVAL);
}

TEST(vm_outlives_id, "a VM lives as long as its channels, and then gives all VRAM back")
{
	int fd = open_ppu();
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	struct drm_ppu_vm_destroy d = { .vm_id = vm_new(fd) };
	struct chan c = chan_new(fd, d.vm_id, DRM_PPU_CHANNEL_COMPUTE, 8);
	struct cmds b = chan_block(&c);

	DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
	cmd_release(&b, chan_sem_va(&c, 0), 3);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 0), 3);
	chan_free(&c);
	WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
}

HARNESS_MAIN
