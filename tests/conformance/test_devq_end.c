/* SPDX-License-Identifier: MIT */
/* The end of device-owned queues: errors, destruction, death of the owner, unbind, reset; limits. */
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include <hw/ppu_tmd.h>

#include "devq.h"
#include "sysfile.h"

#define COMPUTE DRM_PPU_CHANNEL_COMPUTE
#define COPY DRM_PPU_CHANNEL_COPY

/* ---- errors ---- */

/* X is released though nothing was inserted; then a wait that names the owner. */
static void walk_into_nothing(struct devq *q)
{
	struct cmds b = chan_block(q->c);

	cmd_release(&b, q->args.devq_x_va, 1);
	cmd_acquire(&b, PPU_SEM_OP_EQ, q->args.devq_y_va, 1);
	chan_submit(q->c, &b);
}

static int wait_named(int fd, uint32_t channel)
{
	struct drm_ppu_sem_create s = { 0 };
	struct drm_ppu_sem_cond cond = { .op = DRM_PPU_SEM_OP_GE, .value = 1 };
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &cond), .channel_id = channel, .timeout_ns = limit_ms(60000),
	};

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	cond.sem_id = s.sem_id;
	return try_ioctl(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
}

TEST(null_entry,
     "WQ-62, WQ-68: a queue that runs into an entry nobody wrote stops, and its owner with it, and nothing else")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8), other = chan_new(fd, c.vm, COPY, 8);
	struct bo page = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	const struct drm_ppu_channel_create a = {
		.notifier_handle = page.handle, .devq_owner = c.id, .devq_initial_get = 6,
	};
	const volatile struct drm_ppu_notification *n = page.map;
	struct devq q = devq_new_args(&c, 8, &a), fresh;
	struct drm_ppu_channel_query s;
	struct cmds b;

	walk_into_nothing(&q);
	CHECK_EQ(wait_named(fd, c.id), EIO);
	s = chan_query(&c);
	CHECK(s.state & DRM_PPU_CHANNEL_STATE_STOPPED);
	CHECK(!(s.state & DRM_PPU_CHANNEL_STATE_ENABLED));
	s = devq_query(&q);
	CHECK(s.state & DRM_PPU_CHANNEL_STATE_FAULTED);
	CHECK_EQ(s.error, PPU_ERR_NULL_ENTRY);
	CHECK_EQ(s.error_get, 7);
	CHECK_EQ(n->state, DRM_PPU_CHANNEL_STATE_FAULTED);
	CHECK_EQ(n->error, PPU_ERR_NULL_ENTRY);
	/* the other channel of the VM goes on, and a new pair works in it */
	b = chan_block(&other);
	cmd_release(&b, chan_sem_va(&other, 0), 1);
	chan_submit(&other, &b);
	chan_wait_idle(&other);
	c = chan_new(fd, c.vm, COMPUTE, 8);
	fresh = devq_new(&c, 8, 0, 0);
	devq_launch(&fresh, 2, true, chan_sem_va(&c, 1));
	chan_doorbell(&c);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 1), 2);
}

TEST(foreign_block, "WQ-71: an entry that points to another process's block is a fault of that queue only")
{
	int fd = open_ppu(), victim_fd = open_ppu();
	struct chan victim = chan_new(victim_fd, vm_new(victim_fd), COMPUTE, 8);
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 8, 0, 0), other = devq_new(&victim, 8, 0, 0);
	struct bo secret = bo_new(victim_fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds x = { .p = secret.map, .max = 64, .va = 0x55500000000ull }, b;

	vm_map(victim_fd, victim.vm, &secret, x.va);
	cmd_release(&x, chan_sem_va(&victim, 0), 1);
	b = chan_block(&c);
	cmd_release(&b, q.args.devq_ring_va + 16, x.va);
	cmd_release(&b, q.args.devq_ring_va + 24, x.n);
	chan_commit(&c, &b);
	walk_into_nothing(&q);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_STOPPED, 20000);
	CHECK_EQ(devq_query(&q).error, PPU_ERR_BLOCK_FAULT);
	CHECK_EQ(devq_query(&q).error_va, x.va);
	CHECK_EQ(*chan_sem(&victim, 0), 0);
	devq_launch(&other, 2, true, chan_sem_va(&victim, 1));
	chan_doorbell(&victim);
	chan_wait_idle(&victim);
	CHECK_EQ(*chan_sem(&victim, 1), 2);
}

#define CODE_VA 0x30000000ull
#define I_MOVI64_RD2(v)	0x00001fffffe04f02ull, (v)
#define I_ST64_RD2_RD4	0x0800ffe0805fef49ull, 0x00000fff00000000ull	/* st.global.u64 [rd2], rd4 */
#define I_BRA_SELF	0x00001fffffffef50ull, 0x00000fff00000000ull	/* bra to 0 */

TEST(launching_kernel_ends_badly,
     "WQ-68: a launching kernel that faults, or never ends, takes its channel and the queue along; later contexts work")
{
	static const uint64_t wild[] = { I_MOVI64_RD2(0x5550000000ull), I_ST64_RD2_RD4 };
	static const uint64_t endless[] = { I_BRA_SELF };
	int fd = open_ppu();

	for (unsigned i = 0; i < 2; i++) {
		struct drm_ppu_vm_create v = { .watchdog_ms = i ? 50 : 0 };
		struct drm_ppu_vm_destroy d;
		struct chan c, later;
		struct devq q, fresh;
		struct bo code;
		struct ppu_tmd *t;
		struct cmds b;

		DO(fd, DRM_IOCTL_PPU_VM_CREATE, &v);
		d = (struct drm_ppu_vm_destroy){ .vm_id = v.vm_id };
		c = chan_new(fd, v.vm_id, COMPUTE, 8);
		q = devq_new(&c, 8, 0, 0);
		code = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
		vm_map(fd, v.vm_id, &code, CODE_VA);
		memcpy(code.map, i ? endless : wild, i ? sizeof(endless) : sizeof(wild));
		t = (struct ppu_tmd *)((char *)code.map + 2048);
		*t = (struct ppu_tmd){
			.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
			.kind = PPU_TMD_GRID, .regs_per_thread = 8, .code_va = CODE_VA,
			.code_insns = i ? 1 : 2, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 },
		};
		b = chan_block(&c);
		cmd_refresh(&b, q.hw);
		cmd_launch(&b, CODE_VA + 2048);
		cmd_wfi(&b);
		cmd_release(&b, q.args.devq_x_va, 1);
		cmd_acquire(&b, PPU_SEM_OP_EQ, q.args.devq_y_va, 1);
		chan_submit(&c, &b);
		CHECK_EQ(wait_named(fd, c.id), EIO);
		CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED);
		WAIT_FOR(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_INNOCENT, 20000);
		/* X was never released: the queue has not moved */
		CHECK_EQ(devq_query(&q).devq_x, 0);
		CHECK_EQ(devq_query(&q).devq_get, 0);
		devq_free(&q);
		chan_free(&c);
		DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
		later = chan_new(fd, vm_new(fd), COMPUTE, 8);
		fresh = devq_new(&later, 8, 0, 0);
		devq_launch(&fresh, 2, true, chan_sem_va(&later, 1));
		chan_doorbell(&later);
		chan_wait_idle(&later);
		CHECK_EQ(*chan_sem(&later, 1), 2);
	}
}

/* One thread that executes n instructions of the channel's VM. */
static struct bo launch_code(struct chan *c, const uint64_t *insns, unsigned n)
{
	struct bo code = bo_new(c->fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct cmds b = chan_block(c);

	vm_map(c->fd, c->vm, &code, CODE_VA);
	memcpy(code.map, insns, n * 2 * sizeof(*insns));
	*(struct ppu_tmd *)((char *)code.map + 2048) = (struct ppu_tmd){
		.magic = PPU_TMD_MAGIC, .version = PPU_TMD_VERSION, .size = PPU_TMD_SIZE,
		.kind = PPU_TMD_GRID, .regs_per_thread = 8, .code_va = CODE_VA,
		.code_insns = n, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 }, .id = 77,
	};
	cmd_launch(&b, CODE_VA + 2048);
	chan_submit(c, &b);
	return code;
}

TEST(owner_own_fault,
     "WQ-68: an owner that faulted itself says so, also when its queue, of a lower number, fell with the VM")
{
	static const uint64_t wild[] = { I_MOVI64_RD2(0x5550000000ull), I_ST64_RD2_RD4 };
	int fd = open_ppu();

	for (unsigned i = 0; i < 20; i++) {
		struct drm_ppu_vm_destroy d = { .vm_id = vm_new(fd) };
		struct chan low = chan_new(fd, d.vm_id, COPY, 8), c = chan_new(fd, d.vm_id, COMPUTE, 8);
		struct devq q;
		struct bo code;

		chan_free(&low);
		q = devq_new(&c, 8, 0, 0);
		code = launch_code(&c, wild, 2);
		/* not by a query of the channel, because a query makes the driver check the channel */
		CHECK_EQ(wait_named(fd, c.id), EIO);
		CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED);
		CHECK_EQ(chan_query(&c).error, PPU_ERR_MMU_UNMAPPED);
		WAIT_FOR(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_INNOCENT, 20000);
		devq_free(&q);
		chan_free(&c);
		bo_free(&code);
		DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
	}
}

/* Creates and destroys VMs until the test says stop. */
static void *make_vms(void *shared)
{
	int *fd = shared, *stop = fd + 1;

	while (!__atomic_load_n(stop, __ATOMIC_ACQUIRE)) {
		struct drm_ppu_vm_destroy d = { .vm_id = vm_new(*fd) };

		DO(*fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
	}
	return NULL;
}

TEST(tasks_and_vms, "asking for tasks while another thread destroys VMs of the same file")
{
	static const uint64_t endless[] = { I_BRA_SELF };
	int fd = open_ppu(), shared[2] = { fd, 0 };
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct drm_ppu_task task;
	pthread_t thread;

	launch_code(&c, endless, 1);
	chan_wait_idle(&c);
	CHECK(!pthread_create(&thread, NULL, make_vms, shared));
	for (unsigned i = 0; i < 300; i++) {
		struct drm_ppu_query q = {
			.type = DRM_PPU_QUERY_TASKS, .size = sizeof(task), .ptr = (uintptr_t)&task,
		};

		memset(&task, 0, sizeof(task));
		DO(fd, DRM_IOCTL_PPU_QUERY, &q);
		CHECK_EQ(task.id, 77);
		CHECK_EQ(task.hw_channel, c.hw);
	}
	__atomic_store_n(&shared[1], 1, __ATOMIC_RELEASE);
	CHECK(!pthread_join(thread, NULL));
	chan_free(&c);
}

TEST(own_errors, "every bad command of a queue's work stops the queue and its owner")
{
	static const struct {
		uint32_t word, error;
	} bad[] = {
		{ PPU_CMD_HDR(0xee, 1, 0), PPU_ERR_BAD_OPCODE },
		{ PPU_CMD_HDR(PPU_CMD_WFI, 2, 0), PPU_ERR_BAD_SIZE },
		{ PPU_CMD_HDR(PPU_CMD_WFI, 1, 0x8000), PPU_ERR_BAD_FLAGS },
	};
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct chan c = chan_new(fd, vm, COMPUTE, 8);
		struct devq q = devq_new(&c, 8, 0, 0);
		struct cmds b = devq_block(&q), x;

		cmd_raw(&b, bad[i].word);
		devq_block_end(&q, &b);
		x = chan_block(&c);
		cmd_release(&x, q.args.devq_ring_va + 16, b.va);
		cmd_release(&x, q.args.devq_ring_va + 24, b.n);
		chan_commit(&c, &x);
		walk_into_nothing(&q);
		CHECK_EQ(wait_named(fd, c.id), EIO);
		CHECK_EQ(devq_query(&q).error, bad[i].error);
		CHECK_EQ(devq_query(&q).error_get, 1);
		devq_free(&q);
		chan_free(&c);
	}
}

TEST(without_owner, "without an owner nobody else is stopped; an owner may go first")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 16), gone = chan_new(fd, c.vm, COMPUTE, 8);
	const struct drm_ppu_channel_create none = { 0 };
	struct devq q = devq_new_args(&c, 8, &none), orphan = devq_new(&gone, 8, 0, 0);
	struct cmds b;

	walk_into_nothing(&q);
	WAIT_FOR(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	/* c waits for Y; it lives, and the CPU may release it */
	CHECK_EQ(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_STOPPED, 0);
	*devq_word(&q, q.args.devq_y_va) = 1;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	chan_wait_idle(&c);
	/* the owner is destroyed, then its queue fails */
	chan_free(&gone);
	b = chan_block(&c);
	cmd_release(&b, orphan.args.devq_x_va, 1);
	chan_submit(&c, &b);
	WAIT_FOR(devq_query(&orphan).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	chan_wait_idle(&c);
	orphan.c = &c;
	devq_free(&orphan);
	devq_free(&q);
}

TEST(group, "a queue in a group is held and stopped with it")
{
	struct drm_ppu_group_create g = { .policy = DRM_PPU_GROUP_STOP_ALL };
	struct drm_ppu_group_control ctl = { .op = DRM_PPU_GROUP_DISABLE };
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct drm_ppu_channel_create a = { 0 };
	struct devq q;

	DO(fd, DRM_IOCTL_PPU_GROUP_CREATE, &g);
	a.group_id = ctl.group_id = g.group_id;
	q = devq_new_args(&c, 8, &a);
	WAIT_FOR(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	DO(fd, DRM_IOCTL_PPU_GROUP_CONTROL, &ctl);
	devq_launch(&q, 2, true, chan_sem_va(&c, 1));
	chan_doorbell(&c);
	WAIT_FOR(chan_query(&c).blocked_va == q.args.devq_y_va, 20000);
	CHECK_EQ(*chan_sem(&c, 1), 0);
	CHECK_EQ(devq_query(&q).devq_get, 0);
	ctl.op = DRM_PPU_GROUP_ENABLE;
	DO(fd, DRM_IOCTL_PPU_GROUP_CONTROL, &ctl);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 1), 2);
	ctl.op = DRM_PPU_GROUP_STOP;
	DO(fd, DRM_IOCTL_PPU_GROUP_CONTROL, &ctl);
	WAIT_FOR(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_STOPPED, 20000);
}

/* ---- destruction ---- */

static void touch(void *arg)
{
	(void)*(volatile char *)arg;
}

TEST(mapping, "the CPU's mapping of a queue is its owner's, ends with the queue, and does not follow fork")
{
	int fd = open_ppu(), other = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 8, 0, 0);
	struct drm_ppu_channel_destroy d = { .channel_id = q.id };

	CHECK(mmap(NULL, q.args.ring_size, PROT_READ, MAP_SHARED, other, (off_t)q.args.ring_offset) ==
	      MAP_FAILED);
	CHECK_EQ(signal_of(touch, q.cpu), SIGSEGV);	/* in a child */
	CHECK_EQ(*devq_word(&q, q.args.devq_soft_va), 1);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	CHECK(mmap(NULL, q.args.ring_size, PROT_READ, MAP_SHARED, fd, (off_t)q.args.ring_offset) ==
	      MAP_FAILED);
}

static volatile sig_atomic_t bus_error;
static char *bad_page;

static void on_bus(int sig)
{
	(void)sig;
	bus_error = 1;
	/* mapped memory, so that the load completes */
	mmap(bad_page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

TEST(revoked, "after CHANNEL_DESTROY the mapping gives SIGBUS, and the VRAM is free")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 4096, 0, 0);
	struct drm_ppu_channel_destroy d = { .channel_id = q.id };
	uint64_t before;

	touch(q.cpu);
	signal(SIGBUS, on_bus);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_DESTROY, &d);
	before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	bad_page = q.cpu;
	touch(q.cpu);
	CHECK(bus_error);
	munmap(q.cpu, q.args.ring_size);
	CHECK(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) >= before + q.args.ring_size);
}

TEST_T(destroy_any_time, 300, "a queue goes while it works, and while its owner waits for it; so does the owner")
{
	int fd = open_ppu();
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);
	uint32_t vm = vm_new(fd);
	struct chan warm = chan_new(fd, vm, COMPUTE, 8);
	struct drm_ppu_vm_destroy d = { .vm_id = vm };

	for (unsigned i = 0; i < 40; i++) {
		struct chan c = chan_new(fd, vm, COMPUTE, 64);
		struct devq q = devq_new(&c, 8, i % 3 ? DRM_PPU_DEVQ_AUTO_REFRESH : 0, i % 8);

		for (unsigned k = 0; k < 20; k++)
			devq_launch(&q, 2, true, chan_sem_va(&c, 1));
		chan_doorbell(&c);
		usleep(100 * (i % 10));
		if (i & 1) {
			devq_free(&q);
			chan_free(&c);
		} else {
			chan_free(&c);
			q.c = &warm;
			devq_free(&q);
		}
	}
	chan_free(&warm);
	DO(fd, DRM_IOCTL_PPU_VM_DESTROY, &d);
	WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
}

static void busy_child(unsigned i)
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan c = chan_new(fd, vm, COMPUTE, 64);
	struct devq q = devq_new(&c, 8, i & 1 ? DRM_PPU_DEVQ_AUTO_REFRESH : 0, 0);

	for (unsigned k = 0; k < 20; k++)
		devq_launch(&q, 2, true, chan_sem_va(&c, 1));
	/* the last launch never ends: nobody inserts work for it */
	if (i & 2) {
		struct cmds b = chan_block(&c);

		cmd_acquire(&b, PPU_SEM_OP_EQ, q.args.devq_y_va, 99);
		chan_commit(&c, &b);
	}
	chan_doorbell(&c);
	raise(SIGSTOP);
	for (;;) {
		struct devq more = devq_new(&c, 64, 0, 3);

		devq_free(&more);
	}
}

TEST_T(kill9, 300, "kill -9 of a queue's owner, at rest, at work and in CHANNEL_CREATE: everything comes back")
{
	int fd = open_ppu();
	uint64_t before = get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL);

	for (unsigned i = 0; i < 12; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			busy_child(i);
		CHECK(waitpid(pid, &status, WUNTRACED) == pid);
		if (!WIFSTOPPED(status))
			FAIL("the child failed");
		if (i >= 4) {
			kill(pid, SIGCONT);
			usleep(1000 * (i - 4));
		}
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFSIGNALED(status));
		WAIT_FOR(get_param(fd, DRM_PPU_PARAM_VRAM_AVAIL) == before, 20000);
	}
}

/* ---- limits, and what the driver shows ---- */

TEST(limits, "a queue counts as a channel and as VRAM of its process; a refused one leaves nothing")
{
	const struct drm_ppu_channel_create none = { 0 };
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8), spare;
	struct drm_ppu_limit l[DRM_PPU_RES_ENTRIES + 1], k[DRM_PPU_RES_ENTRIES + 1];
	struct drm_ppu_query ql = {
		.type = DRM_PPU_QUERY_LIMITS, .size = sizeof(l), .ptr = (uintptr_t)l,
	}, qk = { .type = DRM_PPU_QUERY_LIMITS, .size = sizeof(k), .ptr = (uintptr_t)k };
	struct drm_ppu_channel_create out;
	uint64_t max_channels, max_vram;
	int refused, taken, no_vram;
	struct devq q;

	spare = chan_new(fd, c.vm, COPY, 8);
	q = devq_new(&c, 8, 0, 0);
	DO(fd, DRM_IOCTL_PPU_QUERY, &ql);
	devq_free(&q);
	q = devq_new(&c, 4096, 0, 0);
	DO(fd, DRM_IOCTL_PPU_QUERY, &qk);
	CHECK_EQ(k[DRM_PPU_RES_CHANNELS].used, l[DRM_PPU_RES_CHANNELS].used);
	CHECK_EQ(k[DRM_PPU_RES_KERNEL_CHANNELS].used, l[DRM_PPU_RES_KERNEL_CHANNELS].used);
	CHECK(k[DRM_PPU_RES_VRAM].used >= l[DRM_PPU_RES_VRAM].used + 4088 * 24);
	/* no channel left of the limit; then no VRAM (the parameters outlive this test) */
	max_channels = modparam("max_channels");
	max_vram = modparam("max_vram_mb");
	modparam_set("max_channels", k[DRM_PPU_RES_CHANNELS].used);
	refused = devq_try(&c, 8, &none, &out);
	chan_free(&spare);
	taken = devq_try(&c, 8, &none, &out);
	modparam_set("max_channels", max_channels);
	modparam_set("max_vram_mb", 1);
	no_vram = devq_try(&c, (uint32_t)get_param(fd, DRM_PPU_PARAM_GPFIFO_MAX_ENTRIES), &none, &out);
	modparam_set("max_vram_mb", max_vram);
	CHECK_EQ(refused, ENOSPC);
	CHECK_EQ(taken, 0);
	CHECK_EQ(no_vram, ENOSPC);
	DO(fd, DRM_IOCTL_PPU_QUERY, &ql);
	CHECK_EQ(l[DRM_PPU_RES_CHANNELS].used, k[DRM_PPU_RES_CHANNELS].used);
}

static uint64_t fdinfo_queue(int fd)
{
	char path[64], *text, *p;
	uint64_t ns;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	text = file_text(path);
	CHECK(text);
	p = strstr(text, "drm-engine-queue:\t");
	CHECK(p);
	ns = strtoull(p + strlen("drm-engine-queue:\t"), NULL, 10);
	free(text);
	return ns;
}

TEST(fdinfo, "fdinfo: time of queues is counted apart, of those that are gone, too")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct devq q = devq_new(&c, 8, 0, 0);
	uint64_t ns;

	devq_launch(&q, 2, true, chan_sem_va(&c, 1));
	chan_doorbell(&c);
	chan_wait_idle(&c);
	WAIT_FOR(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED &&
		 devq_query(&q).devq_get == 5, 20000);
	ns = devq_query(&q).runtime_ns;
	CHECK(ns > 0);
	CHECK_EQ(fdinfo_queue(fd), ns);
	devq_free(&q);
	CHECK_EQ(fdinfo_queue(fd), ns);
}

/* ---- the device is removed ---- */

static char pci_path[64];

static const char *sysfs(const char *name)
{
	static char path[128];
	uint64_t loc = get_param(open_ppu(), DRM_PPU_PARAM_PCI_LOCATION);

	snprintf(pci_path, sizeof(pci_path), "%04x:%02x:%02x.%x", (unsigned)(loc >> 16),
		 (unsigned)(loc >> 8 & 0xff), (unsigned)(loc >> 3 & 0x1f), (unsigned)(loc & 7));
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", pci_path, name);
	return path;
}

static void working_queue(struct chan *c, struct devq *q)
{
	int fd = open_ppu();

	*c = chan_new(fd, vm_new(fd), COMPUTE, 64);
	*q = devq_new(c, 8, 0, 0);
	for (unsigned k = 0; k < 20; k++)
		devq_launch(q, 2, true, chan_sem_va(c, 1));
	chan_doorbell(c);
}

TEST(flr, "a function level reset with a queue at work: it is lost with its owner, new ones work")
{
	struct chan c;
	struct devq q;

	working_queue(&c, &q);
	file_write(sysfs("reset"), "1");
	CHECK(devq_query(&q).state & DRM_PPU_CHANNEL_STATE_LOST);
	CHECK(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_LOST);
	devq_free(&q);
	chan_free(&c);
	working_queue(&c, &q);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 1), 40);
}

static bool usable(void)
{
	bool there = false;

	for (unsigned i = 128; i < 192 && !there; i++) {
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%u", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0) {
			struct drm_ppu_get_param p = { .param = DRM_PPU_PARAM_HAS_DEVICE_QUEUES };

			there = !try_ioctl(fd, DRM_IOCTL_PPU_GET_PARAM, &p) && p.value == 1;
			close(fd);
		}
	}
	return there;
}

static void held_by_child(void)
{
	struct chan c;
	struct devq q;

	working_queue(&c, &q);
	raise(SIGSTOP);
	signal(SIGBUS, on_bus);
	bad_page = q.cpu;
	touch(q.cpu);
	_exit(bus_error ? 0 : 1);
}

TEST(unbind, "unbind with a queue at work: its mapping gives SIGBUS, and the driver binds again")
{
	pid_t pid;
	int status;

	sysfs("");
	CHECK((pid = fork()) >= 0);
	if (!pid)
		held_by_child();
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	file_write("/sys/bus/pci/drivers/ppu/unbind", pci_path);
	kill(pid, SIGCONT);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	file_write("/sys/bus/pci/drivers/ppu/bind", pci_path);
	WAIT_FOR(usable(), 20000);
}

HARNESS_MAIN
