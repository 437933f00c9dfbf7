/* SPDX-License-Identifier: MIT */
/* Tasks on compute channels: what the driver does when SMs fault or hang. */
#include <signal.h>
#include <sys/wait.h>

#include <hw/ppu_tmd.h>

#include "harness.h"

/* Instructions, as the assembler encodes them. */
#define I_BRA_SELF	0x00001fffffffef50ull, 0x00000fff00000000ull	/* bra to 0 */
#define I_EXIT		0x00001fffffffef5bull, 0x00000fff00000000ull
#define I_TRAP		0x00001fffffffef63ull, 0x00000fff00000000ull
#define I_MOVI64_RD2(v)	0x00001fffffe04f02ull, (v)
#define I_MOVI64_RD4(v)	0x00001fffffe08f02ull, (v)
#define I_LD32_RD2	0x0800bfffe0408f48ull, 0x00000fff00000000ull	/* ld.global.u32 r4, [rd2] */
#define I_ST64_RD2_RD4	0x0800ffe0805fef49ull, 0x00000fff00000000ull	/* st.global.u64 [rd2], rd4 */

#define CODE_VA 0x30000000ull
#define DATA_VA 0x38000000ull

/* A VM with a compute channel, a page of code and TMDs, a page of data. */
struct gpu {
	int fd;
	uint32_t vm;
	struct chan c;
	struct bo code, data;
};

static struct gpu gpu_new_in(int fd, uint32_t vm)
{
	struct gpu g = { .fd = fd, .vm = vm };

	g.c = chan_new(fd, vm, DRM_PPU_CHANNEL_COMPUTE, 16);
	g.code = bo_new(fd, 8192, DRM_PPU_PLACEMENT_SYSTEM);
	g.data = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	vm_map(fd, vm, &g.code, CODE_VA);
	vm_map(fd, vm, &g.data, DATA_VA);
	return g;
}

static struct gpu gpu_new(int fd)
{
	return gpu_new_in(fd, vm_new(fd));
}

/* Puts a program and its TMD in place; returns the TMD's address. */
static uint64_t program(struct gpu *g, const uint64_t *words, unsigned insns)
{
	struct ppu_tmd *t = (struct ppu_tmd *)((char *)g->code.map + 4096);

	memcpy(g->code.map, words, insns * 16);
	*t = (struct ppu_tmd){
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
		.kind = PPU_TMD_GRID, .regs_per_thread = 8, .id = 0xabcd, .code_va = CODE_VA,
		.code_insns = insns, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
	};
	return CODE_VA + 4096;
}

#define PROGRAM(g, ...) \
	program(g, (const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / 16)

static void launch(struct gpu *g, uint64_t tmd)
{
	struct cmds b = chan_block(&g->c);

	cmd_launch(&b, tmd);
	cmd_wfi(&b);
	cmd_release(&b, chan_sem_va(&g->c, 0), 1);
	chan_submit(&g->c, &b);
}

static struct drm_ppu_vm_get_state state(struct gpu *g, struct drm_ppu_fault *f, unsigned n)
{
	struct drm_ppu_vm_get_state s = { .vm_id = g->vm, .faults = DRM_PPU_ARRAY(n, f) };

	DO(g->fd, DRM_IOCTL_PPU_VM_GET_STATE, &s);
	return s;
}

TEST(store, "WQ-19, WQ-20: a kernel stores; after WFI the store is there")
{
	struct gpu g = gpu_new(open_ppu());

	launch(&g, PROGRAM(&g, I_MOVI64_RD2(DATA_VA + 8), I_MOVI64_RD4(0x1122334455667788ull),
			   I_ST64_RD2_RD4, I_EXIT));
	chan_wait_idle(&g.c);
	CHECK_EQ(*chan_sem(&g.c, 0), 1);
	CHECK_EQ(((uint64_t *)g.data.map)[1], 0x1122334455667788ull);
}

TEST(wq13_thread_store, "WQ-13b, WQ-17: a thread's plain store lets a blocked channel go on")
{
	struct gpu g = gpu_new(open_ppu());
	struct chan w = chan_new(g.fd, g.vm, DRM_PPU_CHANNEL_COPY, 8);
	struct cmds b = chan_block(&w);

	cmd_acquire(&b, PPU_SEM_OP_EQ, DATA_VA, 5);
	cmd_release(&b, chan_sem_va(&w, 0), 1);
	chan_submit(&w, &b);
	WAIT_FOR(chan_query(&w).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 5000);
	launch(&g, PROGRAM(&g, I_MOVI64_RD2(DATA_VA), I_MOVI64_RD4(5), I_ST64_RD2_RD4, I_EXIT));
	chan_wait_idle(&w);
	CHECK_EQ(*chan_sem(&w, 0), 1);
}

static void sm_fault(uint64_t tmd, struct gpu *g, uint32_t error, uint32_t pc, uint64_t va)
{
	struct drm_ppu_fault f[4];
	struct drm_ppu_vm_get_state s;

	launch(g, tmd);
	WAIT_FOR(chan_query(&g->c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 10000);
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

	sm_fault(PROGRAM(&g, I_MOVI64_RD2(0x5550000000ull), I_LD32_RD2, I_EXIT), &g,
		 PPU_ERR_MMU_UNMAPPED, 1, 0x5550000000ull);
	g = gpu_new(fd);
	sm_fault(PROGRAM(&g, I_TRAP, I_EXIT), &g, PPU_ERR_TRAP, 0, 0);
	g = gpu_new(fd);
	sm_fault(PROGRAM(&g, ~0ull, ~0ull), &g, PPU_ERR_ILLEGAL_INSN, 0, 0);
	/* the ring is reserved for the host interface */
	g = gpu_new(fd);
	sm_fault(PROGRAM(&g, I_MOVI64_RD2(g.c.args.ring_va), I_LD32_RD2, I_EXIT), &g,
		 PPU_ERR_MMU_PRIV, 1, g.c.args.ring_va);
	g = gpu_new(fd);
	sm_fault(PROGRAM(&g, I_MOVI64_RD2(g.c.args.ring_va), I_MOVI64_RD4(7), I_ST64_RD2_RD4,
			 I_EXIT), &g, PPU_ERR_MMU_PRIV, 2, g.c.args.ring_va);
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

	launch(&g, PROGRAM(&g, I_TRAP, I_EXIT));
	WAIT_FOR(chan_query(&g.c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 10000);
	WAIT_FOR(chan_query(&bystander).state & DRM_PPU_CHANNEL_STATE_INNOCENT, 10000);
	CHECK_EQ(chan_query(&g.c).error, PPU_ERR_TRAP);
	CHECK(!(chan_query(&bystander).state & DRM_PPU_CHANNEL_STATE_ENABLED));
	/* sticky */
	DO_ERR(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &a, EIO);
	DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &p, EIO);
	CHECK_EQ(vm_try_op(fd, g.vm, DRM_PPU_VM_BIND_OP_MAP, g.data.handle, 0, 1 << 20, 4096, 0), EIO);
	CHECK_EQ(vm_try_op(fd, g.vm, DRM_PPU_VM_BIND_OP_UNMAP, 0, 0, DATA_VA, 4096, 0), 0);
	/* the neighbour */
	launch(&other, PROGRAM(&other, I_MOVI64_RD2(DATA_VA), I_MOVI64_RD4(9), I_ST64_RD2_RD4,
			       I_EXIT));
	chan_wait_idle(&other.c);
	CHECK_EQ(*(uint64_t *)other.data.map, 9);
	/* and a new VM of the same file */
	other = gpu_new(fd);
	launch(&other, PROGRAM(&other, I_EXIT));
	chan_wait_idle(&other.c);
}

TEST(hang_destroy, "destroying a channel whose kernel never ends takes bounded time")
{
	int fd = open_ppu();
	struct gpu g = gpu_new(fd);
	struct drm_ppu_vm_set_property p = { g.vm, DRM_PPU_VM_PROP_LOCAL_PER_THREAD, 2048 };
	struct drm_ppu_fault f[1];
	uint64_t t;

	launch(&g, PROGRAM(&g, I_BRA_SELF));
	WAIT_FOR(chan_query(&g.c).tasks == 1, 5000);
	CHECK(state(&g, f, 1).state & DRM_PPU_VM_STATE_BUSY);
	CHECK(chan_query(&g.c).state & DRM_PPU_CHANNEL_STATE_WFI);
	DO_ERR(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &p, EBUSY);
	t = now_ns();
	chan_free(&g.c);
	CHECK(now_ns() - t < 3000 * MS);
	CHECK(!(state(&g, f, 1).state & DRM_PPU_VM_STATE_BUSY));
	DO(fd, DRM_IOCTL_PPU_VM_SET_PROPERTY, &p);
	/* the VM is not spoilt */
	g.c = chan_new(fd, g.vm, DRM_PPU_CHANNEL_COMPUTE, 8);
	launch(&g, PROGRAM(&g, I_MOVI64_RD2(DATA_VA), I_MOVI64_RD4(3), I_ST64_RD2_RD4, I_EXIT));
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
	launch(&g, PROGRAM(&g, I_BRA_SELF));
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

			launch(&g, PROGRAM(&g, I_BRA_SELF));
			WAIT_FOR(chan_query(&g.c).tasks == 1, 5000);
			raise(SIGSTOP);
		}
		CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
		CHECK(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) < before);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK_EQ(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL), before);
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
	cmd_launch(&b, PROGRAM(&g, I_BRA_SELF));
	e = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	sub = (struct drm_ppu_submit){
		.channel_id = a.channel_id, .entries = DRM_PPU_ARRAY(1, &e),
		.syncs = DRM_PPU_ARRAY(1, &s),
	};
	DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
	CHECK(!drmSyncobjWait(fd, &s.handle, 1, (int64_t)(now_ns() + 20000 * MS), 0, NULL));
	q = (struct drm_ppu_channel_query){ .channel_id = a.channel_id };
	DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
	CHECK(q.state & DRM_PPU_CHANNEL_STATE_TIMEDOUT);
	DO_ERR(fd, DRM_IOCTL_PPU_SUBMIT, &sub, EIO);
	/* the user-submit channel beside it is as good as before */
	launch(&g, PROGRAM(&g, I_EXIT));
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

		cmd_launch(&b, PROGRAM(&g, I_MOVI64_RD2(DATA_VA), I_MOVI64_RD4(i), I_ST64_RD2_RD4,
				       I_EXIT));
		e = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
		sub = (struct drm_ppu_submit){
			.channel_id = a.channel_id, .entries = DRM_PPU_ARRAY(1, &e),
			.syncs = DRM_PPU_ARRAY(1, &s),
		};
		DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
		CHECK(!drmSyncobjWait(fd, &s.handle, 1, (int64_t)(now_ns() + 20000 * MS), 0, NULL));
		CHECK_EQ(*(volatile uint64_t *)g.data.map, i);
	}
}

HARNESS_MAIN
