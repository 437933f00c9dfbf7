/* SPDX-License-Identifier: MIT */
/* Tasks on compute channels: what the driver does when SMs fault or hang. */
#include <signal.h>
#include <sys/wait.h>

#include "gpu.h"
#include "harness.h"
#include "sysfile.h"

static struct drm_ppu_vm_get_state state(struct gpu *g, struct drm_ppu_fault *f, unsigned n)
{
	struct drm_ppu_vm_get_state s = { .vm_id = g->vm, .faults = DRM_PPU_ARRAY(n, f) };

	DO(g->fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
	return s;
}

TEST(store, "WQ-19, WQ-20: a kernel stores; after WFI the store is there")
{
	struct gpu g = gpu_new(open_ppu());

	gpu_launch(&g, GPU_PROGRAM(&g, I_MOVI64_RD2(GPU_DATA_VA + 8), I_MOVI64_RD4(0x1122334455667788ull),
			   I_ST64_RD2_RD4, I_EXIT));
	chan_wait_idle(&g.c);
	CHECK_EQ(*chan_sem(&g.c, 0), 1);
	CHECK_EQ(((uint64_t *)g.data.map)[1], 0x1122334455667788ull);
}

TEST(thread_store, "WQ-13b, WQ-17: a thread's plain store lets a blocked channel go on")
{
	struct gpu g = gpu_new(open_ppu());
	struct chan w = chan_new(g.fd, g.vm, DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b = chan_block(&w);

	cmd_acquire(&b, PPU_SEM_OP_EQ, GPU_DATA_VA, 5);
	cmd_release(&b, chan_sem_va(&w, 0), 1);
	chan_submit(&w, &b);
	WAIT_FOR(chan_query(&w).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	gpu_launch(&g, GPU_PROGRAM(&g, I_MOVI64_RD2(GPU_DATA_VA), I_MOVI64_RD4(5), I_ST64_RD2_RD4, I_EXIT));
	chan_wait_idle(&w);
	CHECK_EQ(*chan_sem(&w, 0), 1);
}

/* Asks for tasks, with a buffer of @size bytes; returns the size of the whole answer. */
static uint32_t task_query(int fd, uint32_t size, void *buf)
{
	struct drm_ppu_query q = { .type = DRM_PPU_QUERY_TASKS, .size = size, .ptr = (uintptr_t)buf };

	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	return q.size;
}

TEST(task_query_sizes, "QUERY_TASKS says how many tasks there are, whatever the size of the buffer")
{
	const uint32_t one = sizeof(struct drm_ppu_task);
	struct gpu g = gpu_new(open_ppu());
	uint64_t tmd = GPU_PROGRAM(&g, I_BRA_SELF);
	struct cmds b = chan_block(&g.c);
	struct drm_ppu_task t[4], part = { .record = 0xeeeeeeee, .state = 0xeeeeeeee };

	CHECK_EQ(task_query(g.fd, 0, NULL), 0);
	for (unsigned i = 0; i < 3; i++)
		cmd_launch(&b, tmd);
	chan_submit(&g.c, &b);
	chan_wait_idle(&g.c);

	CHECK_EQ(task_query(g.fd, 0, NULL), 3 * one);
	CHECK_EQ(task_query(g.fd, 2 * one, NULL), 3 * one);
	CHECK_EQ(task_query(g.fd, 0, &part), 3 * one);
	CHECK_EQ(part.record, 0xeeeeeeee);

	memset(t, 0xee, sizeof(t));
	CHECK_EQ(task_query(g.fd, 2 * one, t), 3 * one);
	CHECK_EQ(t[0].id, 0xabcd);
	CHECK_EQ(t[1].id, 0xabcd);
	CHECK_EQ(t[2].id, 0xeeeeeeeeeeeeeeeeull);
	CHECK_EQ(task_query(g.fd, 4, &part), 3 * one);
	CHECK_EQ(part.record, t[0].record);
	CHECK_EQ(part.state, 0xeeeeeeee);
	CHECK_EQ(task_query(g.fd, sizeof(t), t), 3 * one);
	CHECK_EQ(t[2].id, 0xabcd);
	CHECK_EQ(t[3].id, 0);
	CHECK_EQ(t[3].state, 0);

	/* another file sees none */
	CHECK_EQ(task_query(open_ppu(), 0, NULL), 0);
	chan_free(&g.c);
	WAIT_FOR(!task_query(g.fd, 0, NULL), 20000);
}

static void sm_fault(uint64_t tmd, struct gpu *g, uint32_t error, uint32_t pc, uint64_t va)
{
	struct drm_ppu_fault f[4];
	struct drm_ppu_vm_get_state s;

	gpu_launch(g, tmd);
	WAIT_FOR(chan_query(&g->c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	s = state(g, f, 4);
	CHECK(s.state & DRM_PPU_VM_STATE_FAULTED);
	CHECK(s.faults.count >= 1);
	CHECK_EQ(f[0].code, error);
	CHECK_EQ(f[0].unit, PPU_UNIT_SM);
	CHECK_EQ(f[0].pc, pc);
	CHECK_EQ(f[0].va, va);
	CHECK_EQ(f[0].channel_id, g->c.id);
	CHECK_EQ(f[0].task_id, 0xabcd);
	CHECK_EQ(*chan_sem(&g->c, 0), 0);
}

TEST(fault_record, "WQ-11: SM faults are recorded with code, address, pc, lane and task")
{
	int fd = open_ppu();
	struct gpu g = gpu_new(fd);

	sm_fault(GPU_PROGRAM(&g, I_MOVI64_RD2(0x5550000000ull), I_LD32_RD2, I_EXIT), &g,
		 PPU_ERR_MMU_UNMAPPED, 1, 0x5550000000ull);
	g = gpu_new(fd);
	sm_fault(GPU_PROGRAM(&g, I_TRAP, I_EXIT), &g, PPU_ERR_TRAP, 0, 0);
	g = gpu_new(fd);
	sm_fault(GPU_PROGRAM(&g, ~0ull, ~0ull), &g, PPU_ERR_ILLEGAL_INSN, 0, 0);
	/* the ring is reserved for the host interface */
	g = gpu_new(fd);
	sm_fault(GPU_PROGRAM(&g, I_MOVI64_RD2(g.c.args.ring_va), I_LD32_RD2, I_EXIT), &g,
		 PPU_ERR_MMU_PRIV, 1, g.c.args.ring_va);
	g = gpu_new(fd);
	sm_fault(GPU_PROGRAM(&g, I_MOVI64_RD2(g.c.args.ring_va), I_MOVI64_RD4(7), I_ST64_RD2_RD4,
			 I_EXIT), &g, PPU_ERR_MMU_PRIV, 2, g.c.args.ring_va);
}

TEST(get_and_put_out_of_reach,
     "WQ-11: no thread, copy or command reaches GP_GET and GP_PUT, whatever it is given for an address")
{
	int fd = open_ppu();
	struct gpu victim = gpu_new(fd);
	uint64_t page = bar0() + PPU_BAR0_USERD + victim.c.hw * (uint64_t)PPU_USERD_STRIDE;
	uint64_t put = page + PPU_REG_USERD_GP_PUT;
	struct drm_ppu_gem_info info;

	/* threads: by the bus address; by the offset in BAR0 as an address of the VM */
	for (unsigned i = 0; i < 2; i++) {
		uint64_t va = i ? PPU_BAR0_USERD + victim.c.hw * (uint64_t)PPU_USERD_STRIDE : put;
		struct gpu g = gpu_new(fd);

		sm_fault(GPU_PROGRAM(&g, I_MOVI64_RD2(va & ~7ull), I_MOVI64_RD4(5), I_ST64_RD2_RD4,
				 I_EXIT), &g, PPU_ERR_MMU_UNMAPPED, 2, va & ~7ull);
		g = gpu_new(fd);
		sm_fault(GPU_PROGRAM(&g, I_MOVI64_RD2(va), I_LD32_RD2, I_EXIT), &g,
			 PPU_ERR_MMU_UNMAPPED, 1, va);
	}
	/* copies and semaphore commands */
	for (unsigned i = 0; i < 2; i++) {
		struct chan c = chan_new(fd, victim.vm, DRM_PPU_CHANNEL_COPY, 8);
		struct cmds b = chan_block(&c);

		if (i)
			cmd_fill(&b, 2, put, 5, 1);
		else
			cmd_release(&b, put & ~7ull, 5);
		chan_submit(&c, &b);
		WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		CHECK_EQ(chan_query(&c).error, i ? PPU_ERR_COPY_FAULT : PPU_ERR_SEM_FAULT);
	}
	/*
	 * user space cannot get at the page in any other way: it has no handle, and its address
	 * cannot be bound
	 */
	for (uint32_t h = 1; h < 200; h++) {
		info = (struct drm_ppu_gem_info){ .handle = h };
		if (!try_ioctl(fd, DRM_IOCTL_PPU_GEM_INFO, &info))
			CHECK(info.size != 0 && (info.placement == DRM_PPU_PLACEMENT_SYSTEM ||
						 info.placement == DRM_PPU_PLACEMENT_VRAM));
	}
	CHECK_EQ(vm_try_op(fd, victim.vm, DRM_PPU_VM_BIND_OP_MAP, victim.data.handle, 0,
			   victim.c.args.ring_va, 4096, 0), EINVAL);
	CHECK_EQ(vm_try_op(fd, victim.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, victim.c.args.ring_va, 4096,
			   0), EINVAL);
	/* unchanged, and alive */
	CHECK_EQ(chan_query(&victim.c).gp_get, 0);
	CHECK_EQ(chan_query(&victim.c).gp_put, 0);
	gpu_launch(&victim, GPU_PROGRAM(&victim, I_EXIT));
	chan_wait_idle(&victim.c);
	CHECK_EQ(*chan_sem(&victim.c, 0), 1);
}

TEST(every_writer_of_a_semaphore,
     "WQ-13: one word is written by CPU and kick, a thread, a command, the ioctl; each passes its Acquire")
{
	for (uint32_t placement = 0; placement < 2; placement++) {
		struct gpu g = gpu_new(open_ppu());
		struct chan w = chan_new(g.fd, g.vm, DRM_PPU_CHANNEL_COPY, 8);
		struct chan other = chan_new(g.fd, g.vm, DRM_PPU_CHANNEL_COPY, 8);
		struct bo bo = bo_new(g.fd, 4096, placement);
		struct drm_ppu_sem_create s = { .bo_handle = bo.handle };
		struct drm_ppu_sem_signal sig = { .value = 4 };
		volatile uint64_t *word = bo.map;
		const uint64_t va = 0x3c000000;

		vm_map(g.fd, g.vm, &bo, va);
		DO(g.fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
		sig.sem_id = s.sem_id;
		for (uint64_t i = 1; i <= 4; i++) {
			struct cmds b = chan_block(&w);

			cmd_acquire(&b, PPU_SEM_OP_EQ, va, i);
			cmd_release(&b, chan_sem_va(&w, 0), i);
			chan_submit(&w, &b);
		}
		for (uint64_t i = 1; i <= 4; i++) {
			struct cmds b;

			WAIT_FOR(chan_query(&w).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED &&
				 chan_get(&w) == i - 1, 20000);
			switch (i) {
			case 1:
				*word = 1;
				w.userd[PPU_REG_USERD_KICK / 4] = 1;
				break;
			case 2:
				gpu_launch(&g, GPU_PROGRAM(&g, I_MOVI64_RD2(va), I_MOVI64_RD4(2),
						   I_ST64_RD2_RD4, I_EXIT));
				break;
			case 3:
				b = chan_block(&other);
				cmd_release(&b, va, 3);
				chan_submit(&other, &b);
				break;
			case 4:
				DO(g.fd, DRM_IOCTL_PPU_SEM_SIGNAL, &sig);
				break;
			}
			WAIT_FOR(*chan_sem(&w, 0) == i, 20000);
		}
		chan_wait_idle(&w);
		CHECK_EQ(*word, 4);
	}
}

TEST(fault_scope, "an SM fault stops the channels of its VM, marks the innocent, and nothing else")
{
	int fd = open_ppu();
	struct gpu g = gpu_new(fd), other = gpu_new(fd);
	struct chan bystander = chan_new(fd, g.vm, DRM_PPU_CHANNEL_COPY, 8);
	struct drm_ppu_channel_create a = {
		.vm_id = g.vm, .type = DRM_PPU_CHANNEL_COPY, .flags = DRM_PPU_CHANNEL_USER_SUBMIT,
		.gpfifo_entries = 8,
	};
	struct drm_ppu_vm_set_property p = { g.vm, DRM_PPU_VM_PROP_MAX_DEPTH, 2 };

	gpu_launch(&g, GPU_PROGRAM(&g, I_TRAP, I_EXIT));
	WAIT_FOR(chan_query(&g.c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	WAIT_FOR(chan_query(&bystander).state & DRM_PPU_CHANNEL_STATE_INNOCENT, 20000);
	CHECK_EQ(chan_query(&g.c).error, PPU_ERR_TRAP);
	CHECK(!(chan_query(&bystander).state & DRM_PPU_CHANNEL_STATE_ENABLED));
	/* sticky */
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EIO);
	DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &p, EIO);
	CHECK_EQ(vm_try_op(fd, g.vm, DRM_PPU_VM_BIND_OP_MAP, g.data.handle, 0, 1 << 20, 4096, 0), EIO);
	CHECK_EQ(vm_try_op(fd, g.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, GPU_DATA_VA, 4096, 0), 0);
	/* the neighbour */
	gpu_launch(&other, GPU_PROGRAM(&other, I_MOVI64_RD2(GPU_DATA_VA), I_MOVI64_RD4(9), I_ST64_RD2_RD4,
			       I_EXIT));
	chan_wait_idle(&other.c);
	CHECK_EQ(*(uint64_t *)other.data.map, 9);
	/* and a new VM of the same file */
	other = gpu_new(fd);
	gpu_launch(&other, GPU_PROGRAM(&other, I_EXIT));
	chan_wait_idle(&other.c);
}

TEST(fault_group, "a group that a fault stops names the guilty member, and it keeps its error")
{
	for (unsigned round = 0; round < 5; round++) {
		int fd = open_ppu();
		struct drm_ppu_group_create g = { .policy = DRM_PPU_GROUP_STOP_ALL };
		struct drm_ppu_channel_create in = { 0 };
		struct drm_ppu_group_query q = { 0 };
		struct chan before, guilty, after;
		struct gpu gpu = gpu_new(fd);
		struct cmds b;

		DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
		in.group_id = q.group_id = g.group_id;
		before = chan_new_args(fd, gpu.vm, DRM_PPU_CHANNEL_COPY, 8, &in);
		guilty = chan_new_args(fd, gpu.vm, DRM_PPU_CHANNEL_COMPUTE, 8, &in);
		after = chan_new_args(fd, gpu.vm, DRM_PPU_CHANNEL_COPY, 8, &in);
		b = chan_block(&guilty);
		cmd_launch(&b, GPU_PROGRAM(&gpu, I_TRAP));
		chan_submit(&guilty, &b);
		WAIT_FOR(chan_query(&guilty).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		WAIT_FOR(chan_query(&before).state & (DRM_PPU_CHANNEL_STATE_INNOCENT |
						      DRM_PPU_CHANNEL_STATE_STOPPED), 20000);
		WAIT_FOR(chan_query(&after).state & (DRM_PPU_CHANNEL_STATE_INNOCENT |
						     DRM_PPU_CHANNEL_STATE_STOPPED), 20000);
		CHECK_EQ(chan_query(&guilty).error, PPU_ERR_TRAP);
		DO(fd, DRM_IOCTL_PPU_GROUP_QUERY, &q);
		CHECK_EQ(q.first_channel, guilty.id);
		CHECK_EQ(q.first_error, PPU_ERR_TRAP);
		CHECK_EQ(q.dead, 3);
		close(fd);
	}
}

TEST(hang_destroy, "destroying a channel whose kernel never ends takes bounded time")
{
	int fd = open_ppu();
	struct gpu g = gpu_new(fd);
	struct drm_ppu_vm_set_property p = { g.vm, DRM_PPU_VM_PROP_LOCAL_PER_THREAD, 2048 };
	struct drm_ppu_fault f[1];
	uint64_t t;

	gpu_launch(&g, GPU_PROGRAM(&g, I_BRA_SELF));
	WAIT_FOR(chan_query(&g.c).tasks == 1, 20000);
	WAIT_FOR(state(&g, f, 1).state & DRM_PPU_VM_STATE_BUSY, 20000);
	WAIT_FOR(chan_query(&g.c).state & DRM_PPU_CHANNEL_STATE_WFI, 20000);
	DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &p, EBUSY);
	t = now_ns();
	chan_free(&g.c);
	CHECK(now_ns() - t < 20000 * MS * time_scale());
	CHECK(!(state(&g, f, 1).state & DRM_PPU_VM_STATE_BUSY));
	DO(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &p);
	/* the VM still works */
	g.c = chan_new(fd, g.vm, DRM_PPU_CHANNEL_COMPUTE, 8);
	gpu_launch(&g, GPU_PROGRAM(&g, I_MOVI64_RD2(GPU_DATA_VA), I_MOVI64_RD4(3), I_ST64_RD2_RD4, I_EXIT));
	chan_wait_idle(&g.c);
	CHECK_EQ(*(uint64_t *)g.data.map, 3);
}

TEST(watchdog, "the VM's watchdog ends a kernel that never ends")
{
	int fd = open_ppu();
	struct drm_ppu_vm_create a = { .watchdog_ms = 2 };
	struct drm_ppu_fault f[1];
	struct gpu g;

	DO(fd, DRM_IOCTL_PPU_VM_CREATE, &a);
	g = gpu_new_in(fd, a.vm_id);
	gpu_launch(&g, GPU_PROGRAM(&g, I_BRA_SELF));
	WAIT_FOR(chan_query(&g.c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	CHECK_EQ(chan_query(&g.c).error, PPU_ERR_WATCHDOG);
	CHECK_EQ(state(&g, f, 1).faults.count, 1);
	CHECK_EQ(f[0].code, PPU_ERR_WATCHDOG);
}

TEST(hang_kill9, "kill -9 of a process whose kernel never ends")
{
	int fd = open_ppu();
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			struct gpu g = gpu_new(open_ppu());

			gpu_launch(&g, GPU_PROGRAM(&g, I_BRA_SELF));
			WAIT_FOR(chan_query(&g.c).tasks == 1, 20000);
			raise(SIGSTOP);
		}
		CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
		CHECK(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) < before);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid);
		WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
	}
}

TEST(hang_submit, "a job whose kernel never ends is killed by its time-out; its fence says ETIME")
{
	int fd = open_ppu();
	struct gpu g = gpu_new(fd);
	struct drm_ppu_channel_create a = {
		.vm_id = g.vm, .type = DRM_PPU_CHANNEL_COMPUTE, .gpfifo_entries = 16,
		.timeout_ms = 100,
	};
	struct cmds b = chan_block(&g.c);
	struct drm_ppu_entry e;
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL };
	struct drm_ppu_submit sub;
	struct drm_ppu_channel_query q;

	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	CHECK(!drmSyncobjCreate(fd, 0, &s.handle));
	cmd_launch(&b, GPU_PROGRAM(&g, I_BRA_SELF));
	e = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	sub = (struct drm_ppu_submit){
		.channel_id = a.channel_id, .entries = DRM_PPU_ARRAY(1, &e),
		.syncs = DRM_PPU_ARRAY(1, &s),
	};
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	CHECK(!drmSyncobjWait(fd, &s.handle, 1, limit_ms(20000), 0, NULL));
	q = (struct drm_ppu_channel_query){ .channel_id = a.channel_id };
	DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
	CHECK(q.state & DRM_PPU_CHANNEL_STATE_TIMEDOUT);
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &sub, EIO);
	/* the user-submit channel beside it is as good as before */
	gpu_launch(&g, GPU_PROGRAM(&g, I_EXIT));
	chan_wait_idle(&g.c);
}

TEST(submit_waits_for_tasks, "the fence of a job comes after the tasks it launched")
{
	int fd = open_ppu();
	struct gpu g = gpu_new(fd);
	struct drm_ppu_channel_create a = {
		.vm_id = g.vm, .type = DRM_PPU_CHANNEL_COMPUTE, .gpfifo_entries = 16,
	};
	struct drm_ppu_sync s = { .flags = DRM_PPU_SYNC_SIGNAL };

	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a);
	CHECK(!drmSyncobjCreate(fd, 0, &s.handle));
	for (uint64_t i = 1; i < 20; i++) {
		struct cmds b = chan_block(&g.c);
		struct drm_ppu_entry e;
		struct drm_ppu_submit sub;

		cmd_launch(&b, GPU_PROGRAM(&g, I_MOVI64_RD2(GPU_DATA_VA), I_MOVI64_RD4(i), I_ST64_RD2_RD4,
				       I_EXIT));
		e = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
		sub = (struct drm_ppu_submit){
			.channel_id = a.channel_id, .entries = DRM_PPU_ARRAY(1, &e),
			.syncs = DRM_PPU_ARRAY(1, &s),
		};
		DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
		CHECK(!drmSyncobjWait(fd, &s.handle, 1, limit_ms(20000), 0, NULL));
		CHECK_EQ(*(volatile uint64_t *)g.data.map, i);
	}
}

HARNESS_MAIN
