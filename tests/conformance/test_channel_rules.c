/* SPDX-License-Identifier: MIT */
/* The rules for channels and semaphores in which the driver takes part; each test is the check of its row. */
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "fence.h"
#include "harness.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define COMPUTE DRM_PPU_CHANNEL_COMPUTE

static uint32_t adopt(int fd, uint32_t bo, uint64_t offset)
{
	struct drm_ppu_sem_create s = {
		.bo_handle = bo, .bo_offset = offset, .flags = DRM_PPU_SEM_ADOPT,
	};

	DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
	return s.sem_id;
}

static int wait_sem(int fd, uint32_t sem, uint32_t op, uint64_t value)
{
	struct drm_ppu_sem_cond c = { .sem_id = sem, .op = op, .value = value };
	struct drm_ppu_sem_wait w = {
		.conds = DRM_PPU_ARRAY(1, &c),
		.timeout_ns = (int64_t)(now_ns() + 20000 * MS * time_scale()),
	};

	return try_ioctl(fd, DRM_IOCTL_PPU_SEM_WAIT, &w);
}

TEST(put_is_exclusive, "WQ-3: PUT is exclusive: entry 0 runs when PUT is 1, once, and not before")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8), other = chan_new(fd, c.vm, COPY, 8);
	struct cmds b = chan_block(&c), o;

	CHECK_EQ(chan_query(&c).gp_get, 0);
	CHECK_EQ(chan_query(&c).gp_put, 0);
	cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 0), 0);
	chan_commit(&c, &b);
	for (unsigned round = 0; round < 2; round++) {
		/* when work of another channel is done, the device had time to do something wrong */
		o = chan_block(&other);
		cmd_release(&o, chan_sem_va(&other, 0), round + 1);
		chan_submit(&other, &o);
		chan_wait_idle(&other);
		CHECK_EQ(*chan_sem(&c, 0), round);
		chan_doorbell(&c);
		chan_wait_idle(&c);
		chan_doorbell(&c);		/* the same PUT again: nothing new */
		CHECK_EQ(*chan_sem(&c, 0), 1);
	}
	CHECK_EQ(chan_get(&c), 1);
}

TEST(overrun_interrupts, "WQ-7: PUT past GET: the channel is in error, with an interrupt")
{
	int fd = open_ppu(), e = eventfd(0, 0);
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct drm_ppu_event_register r = {
		.type = DRM_PPU_EVENT_CHANNEL_ERROR, .object_id = c.id, .eventfd = e,
		.flags = DRM_PPU_EVENT_ONESHOT,
	};
	struct pollfd p = { .fd = e, .events = POLLIN };
	struct cmds b = chan_block(&c);

	DO(fd, DRM_IOCTL_PPU_EVENT_REGISTER, &r);
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	for (unsigned i = 0; i < 3; i++) {
		b = chan_block(&c);
		cmd_nop(&b, 1);
		chan_submit(&c, &b);
	}
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	CHECK(poll(&p, 1, 0) == 0);
	/* GET 0, PUT 4: 3 entries more are legal, 7; a store of 3 is past GET */
	c.userd[PPU_REG_USERD_GP_PUT / 4] = 3;
	CHECK(poll(&p, 1, PATIENCE(20000)) == 1);
	CHECK_EQ(chan_query(&c).error, PPU_ERR_PUT_RANGE);
	CHECK_EQ(chan_query(&c).gp_put, 4);
}

/* xorshift: the same sequence everywhere. */
static uint32_t rnd(void)
{
	static uint32_t x = 88172645u;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

TEST_T(driver_never_overruns, 120,
     "WQ-7: whatever is submitted, the driver never overruns its ring; in order, all of it")
{
	enum { MAX = 12 };
	/* The row wants 10^6: PPU_SUBMISSIONS=1000000, and a larger PPU_TIME_SCALE. */
	const char *text = getenv("PPU_SUBMISSIONS");
	unsigned jobs = text ? (unsigned)atoi(text) : 3000;
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), h = syncobj(fd);
	struct bo bo = bo_new(fd, 65536, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_channel_create k = {
		.vm_id = vm, .type = COPY, .gpfifo_entries = MAX + 4, .timeout_ms = 600000,
	};
	struct drm_ppu_channel_query q = { 0 };
	struct drm_ppu_sync s = { DRM_PPU_SYNC_SIGNAL, h, 0 };
	uint64_t entries = 0;

	vm_map(fd, vm, &bo, 0x40000000);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_CREATE, &k);
	/* one block that increments */
	struct cmds b = { .p = bo.map, .max = 256, .va = bo.va };
	struct drm_ppu_entry e[MAX];

	cmd_sem(&b, PPU_CMD_SEM_INC, 0, bo.va + 4096, 0);
	for (unsigned i = 0; i < MAX; i++)
		e[i] = (struct drm_ppu_entry){ .va = b.va, .length = b.n };
	for (unsigned i = 0; i < jobs; i++) {
		struct drm_ppu_submit sub = {
			.channel_id = k.channel_id, .entries = DRM_PPU_ARRAY(rnd() % (MAX + 1), e),
			.syncs = DRM_PPU_ARRAY(1, &s),
		};

		entries += sub.entries.count;
		DO(fd, DRM_IOCTL_PPU_SUBMIT, &sub);
		CHECK_EQ(sub.seqno, i + 1);
		if (rnd() % 64 == 0) {
			CHECK(!wait_sync(fd, h, 20000));
			CHECK_EQ(((volatile uint64_t *)bo.map)[512], entries);
		}
	}
	CHECK(!wait_sync(fd, h, 60000));
	CHECK_EQ(((volatile uint64_t *)bo.map)[512], entries);
	q.channel_id = k.channel_id;
	DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
	CHECK_EQ(q.error, 0);
	CHECK_EQ(q.seqno_completed, jobs);
}

TEST(full_kernel_queue_refuses, "WQ-6: a full kernel-submit queue refuses; what is queued is not touched by that")
{
	int fd = open_ppu(), err = 0;
	struct gate gate = gate_new(fd, 0), work = gate_new(fd, 0);
	struct drm_ppu_sync s[2] = { { .handle = gate.sync }, { DRM_PPU_SYNC_SIGNAL, syncobj(fd), 0 } };
	struct drm_ppu_submit a = {
		.channel_id = work.channel, .flags = DRM_PPU_SUBMIT_NONBLOCK,
		.syncs = DRM_PPU_ARRAY(2, s),
	};
	struct drm_ppu_channel_query q = { .channel_id = work.channel };
	unsigned n = 0;

	gate_open(&work);
	for (; n < 1000 && !err; n += !err)
		err = try_ioctl(fd, DRM_IOCTL_PPU_SUBMIT, &a);
	CHECK_EQ(err, EAGAIN);
	CHECK(n >= 250);
	DO(fd, DRM_IOCTL_PPU_CHANNEL_QUERY, &q);
	CHECK_EQ(q.seqno_submitted, n + 1);	/* the first command was the gate itself */
	gate_open(&gate);
	CHECK(!wait_sync(fd, s[1].handle, 20000));
	WAIT_FOR(!try_ioctl(fd, DRM_IOCTL_PPU_SUBMIT, &a), 20000);
}

TEST(higher_priority_is_fetched_first,
     "WQ-10: of two runnable queues every entry of the one with the higher priority is fetched first")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct drm_ppu_channel_create low_args = { .priority = 1 }, high_args = { .priority = 6 };
	struct chan low = chan_new_args(fd, vm, COPY, 16, &low_args);
	struct chan high = chan_new_args(fd, vm, COPY, 16, &high_args);
	struct bo gate = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);
	struct drm_ppu_sem_signal go = { .sem_id = adopt(fd, gate.handle, 0), .value = 1 };
	uint64_t last = 0, first = ~0ull;

	CHECK_EQ(chan_query(&low).priority, 1);
	CHECK_EQ(chan_query(&high).priority, 6);
	vm_map(fd, vm, &gate, 0x50000000);
	for (unsigned k = 0; k < 2; k++) {
		struct chan *c = k ? &high : &low;

		for (unsigned i = 0; i < 12; i++) {
			struct cmds b = chan_block(c);

			if (!i)
				cmd_acquire(&b, PPU_SEM_OP_EQ, gate.va, 1);
			cmd_timestamp(&b, chan_sem_va(c, i));
			chan_submit(c, &b);
		}
		WAIT_FOR(chan_query(c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	}
	DO(fd, DRM_IOCTL_PPU_SEM_SIGNAL, &go);
	chan_wait_idle(&low);
	chan_wait_idle(&high);
	for (unsigned i = 0; i < 12; i++) {
		CHECK(*chan_sem(&low, i) && *chan_sem(&high, i));
		if (*chan_sem(&high, i) > last)
			last = *chan_sem(&high, i);
		if (*chan_sem(&low, i) < first)
			first = *chan_sem(&low, i);
	}
	CHECK(last <= first);
}

TEST(wrong_command_for_the_channel,
     "CP-2, HW-13: a copy on a compute channel and a launch on a copy channel are channel errors")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan good = chan_new(fd, vm, COPY, 8);

	for (unsigned k = 0; k < 2; k++) {
		struct chan c = chan_new(fd, vm, k ? COPY : COMPUTE, 8);
		struct cmds b = chan_block(&c);

		cmd_release(&b, chan_sem_va(&c, 0), 1);
		if (k)
			cmd_launch(&b, chan_sem_va(&c, 0));
		else
			cmd_copy(&b, chan_sem_va(&c, 0), chan_sem_va(&c, 1), 8);
		cmd_release(&b, chan_sem_va(&c, 2), 1);
		chan_submit(&c, &b);
		WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		CHECK_EQ(chan_query(&c).error, PPU_ERR_WRONG_CLASS);
		CHECK_EQ(*chan_sem(&c, 1), 0);
		CHECK_EQ(*chan_sem(&c, 2), 0);
		b = chan_block(&good);
		cmd_copy(&b, chan_sem_va(&c, 0), chan_sem_va(&good, k), 8);
		chan_submit(&good, &b);
		chan_wait_idle(&good);
		CHECK_EQ(*chan_sem(&good, k), 1);
	}
}

TEST(blocks_in_both_memories, "HW-6: command blocks in system memory and in VRAM both work")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);

	for (uint32_t p = 0; p < 2; p++) {
		struct bo bo = bo_new(fd, 4096, p);
		struct cmds b = { .p = bo.map, .max = 64, .va = 0x50000000 + p * 0x1000000 };

		vm_map(fd, c.vm, &bo, b.va);
		cmd_release(&b, chan_sem_va(&c, p), 100 + p);
		chan_submit(&c, &b);
		chan_wait_idle(&c);
		CHECK_EQ(*chan_sem(&c, p), 100 + p);
	}
}

/* ---- semaphores through the driver ---- */

TEST(semaphore_through_ioctls, "CP-38, CP-13: create, map, read, write, wait: the wait returns when S reaches 0")
{
	for (uint32_t p = 0; p < 2; p++) {
		int fd = open_ppu();
		struct bo bo = bo_new(fd, 4096, p), data = bo_new(fd, 8 << 20, DRM_PPU_PLACEMENT_VRAM);
		struct drm_ppu_sem_create s = { .bo_handle = bo.handle, .bo_offset = 64, .initial = 3 };
		struct drm_ppu_sem_read r;
		struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
		volatile uint64_t *word = (volatile uint64_t *)bo.map + 8;

		DO(fd, DRM_IOCTL_PPU_SEM_CREATE, &s);
		CHECK_EQ(*word, 3);
		vm_map(fd, c.vm, &bo, 0x50000000);
		vm_map(fd, c.vm, &data, 0x60000000);
		for (unsigned i = 0; i < 3; i++) {
			struct cmds b = chan_block(&c);

			cmd_copy(&b, data.va, data.va + (4 << 20), 4 << 20);
			cmd_sem(&b, PPU_CMD_SEM_DEC, 0, bo.va + 64, 0);
			chan_submit(&c, &b);
		}
		CHECK_EQ(wait_sem(fd, s.sem_id, DRM_PPU_SEM_OP_ZERO, 0), 0);
		CHECK_EQ(*word, 0);
		r = (struct drm_ppu_sem_read){ .sem_id = s.sem_id };
		DO(fd, DRM_IOCTL_PPU_SEM_READ, &r);
		CHECK_EQ(r.value, 0);
		WAIT_FOR(chan_get(&c) == 3, 20000);
	}
}

/* A process with a word at an address that its neighbour does not have mapped. */
static void owner(int from, int to)
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	volatile uint64_t *word = bo.map;
	char c = 0;

	vm_map(fd, vm, &bo, 0x5550000000ull);
	*word = 42;
	CHECK(write(to, &c, 1) == 1);
	CHECK(read(from, &c, 1) == 1);
	CHECK_EQ(*word, 42);
	_exit(0);
}

TEST(foreign_semaphore_address, "CP-38: a semaphore command with a foreign address faults on its channel only")
{
	static const unsigned ops[] = {
		PPU_CMD_SEM_RELEASE, PPU_CMD_SEM_INC, PPU_CMD_SEM_DEC, PPU_CMD_SEM_ACQUIRE,
	};
	int to[2], from[2], fd, status;
	struct chan good;
	char c = 0;
	pid_t pid;

	CHECK(!pipe(to) && !pipe(from));
	pid = fork();
	if (!pid)
		owner(to[0], from[1]);
	CHECK(read(from[0], &c, 1) == 1);
	fd = open_ppu();
	good = chan_new(fd, vm_new(fd), COPY, 8);
	for (unsigned i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		struct chan bad = chan_new(fd, good.vm, COPY, 8);
		struct cmds b = chan_block(&bad);

		cmd_sem(&b, ops[i], 0, 0x5550000000ull, 42);
		cmd_release(&b, chan_sem_va(&bad, 0), 1);
		chan_submit(&bad, &b);
		WAIT_FOR(chan_query(&bad).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
		CHECK_EQ(chan_query(&bad).error, PPU_ERR_SEM_FAULT);
		CHECK_EQ(chan_query(&bad).error_va, 0x5550000000ull);
		CHECK_EQ(*chan_sem(&bad, 0), 0);
		b = chan_block(&good);
		cmd_release(&b, chan_sem_va(&good, 0), i + 1);
		chan_submit(&good, &b);
		chan_wait_idle(&good);
		CHECK_EQ(*chan_sem(&good, 0), i + 1);
		chan_free(&bad);
	}
	/* the driver's ioctls do not reach the semaphore either: ids belong to the file */
	CHECK(write(to[1], &c, 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && !WEXITSTATUS(status));
}

/* CP-37: [inc S; copies; dec S] in flight, so that S is 1 when it is killed. */
static void pending_child(int to)
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo sem = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	struct bo data = bo_new(fd, 64 << 20, DRM_PPU_PLACEMENT_VRAM);
	struct chan c = chan_new(fd, vm, COPY, 8);
	struct cmds b = chan_block(&c);
	char ready = 0;

	vm_map(fd, vm, &sem, 0x50000000);
	vm_map(fd, vm, &data, 0x60000000);
	cmd_sem(&b, PPU_CMD_SEM_INC, 0, sem.va, 0);
	for (unsigned i = 0; i < 20; i++)
		cmd_copy(&b, data.va, data.va + (32 << 20), 32 << 20);
	cmd_acquire(&b, PPU_SEM_OP_EQ, sem.va + 16, 1);	/* the condition never holds: the wait stays pending */
	cmd_sem(&b, PPU_CMD_SEM_DEC, 0, sem.va, 0);
	chan_submit(&c, &b);
	WAIT_FOR(*(volatile uint64_t *)sem.map == 1, 20000);
	CHECK(write(to, &ready, 1) == 1);
	pause();
	_exit(0);
}

TEST_T(killed_with_a_semaphore_pending, 120,
     "CP-37: a process is killed with S = 1 pending: semaphores of others are unaffected")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct bo sem = bo_new(fd, 4096, DRM_PPU_PLACEMENT_VRAM);
	struct chan low = chan_new(fd, vm, COPY, 8), high = chan_new(fd, vm, COPY, 8);
	volatile uint64_t *word = sem.map;

	vm_map(fd, vm, &sem, 0x50000000);	/* at the same address as the semaphore of the child */
	for (unsigned i = 0; i < 5; i++) {
		struct cmds b;
		int p[2], status;
		char ready;
		pid_t pid;

		CHECK(!pipe(p));
		pid = fork();
		if (!pid)
			pending_child(p[1]);
		CHECK(read(p[0], &ready, 1) == 1);
		CHECK_EQ(*word, 0);
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
		/* our own copies, high [inc, copy, dec] and low [acq 0, copy], complete and leave 0 */
		b = chan_block(&high);
		cmd_sem(&b, PPU_CMD_SEM_INC, 0, sem.va, 0);
		cmd_copy(&b, chan_sem_va(&high, 5), chan_sem_va(&high, 6), 8);
		cmd_sem(&b, PPU_CMD_SEM_DEC, 0, sem.va, 0);
		chan_submit(&high, &b);
		b = chan_block(&low);
		cmd_acquire(&b, PPU_SEM_OP_ZERO, sem.va, 0);
		cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&low, 0), 0);
		chan_submit(&low, &b);
		chan_wait_idle(&high);
		chan_wait_idle(&low);
		CHECK_EQ(*word, 0);
		CHECK_EQ(*chan_sem(&low, 0), i + 1);
		close(p[0]);
		close(p[1]);
	}
}

TEST(semaphore_as_a_lock,
     "HW-14, CP-38: a semaphore as a lock between channels: exclusive access, handed over by the device")
{
	enum { CHANNELS = 4, ROUNDS = 7 };
	int fd = open_ppu();
	uint32_t vm = vm_new(fd), turn_id;
	struct chan c[CHANNELS];
	struct bo bo = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);

	vm_map(fd, vm, &bo, 0x50000000);
	turn_id = adopt(fd, bo.handle, 0);
	for (unsigned i = 0; i < CHANNELS; i++)
		c[i] = chan_new(fd, vm, i & 1 ? COMPUTE : COPY, 16);
	/* word 0 says whose turn it is; each checks that nobody else is inside: word 16 is 0 */
	for (unsigned r = 0; r < ROUNDS; r++) {
		for (unsigned i = 0; i < CHANNELS; i++) {
			struct cmds b = chan_block(&c[i]);

			cmd_acquire(&b, PPU_SEM_OP_EQ, bo.va, r * CHANNELS + i);
			cmd_acquire(&b, PPU_SEM_OP_ZERO, bo.va + 16, 0);
			cmd_sem(&b, PPU_CMD_SEM_INC, 0, bo.va + 16, 0);
			cmd_timestamp(&b, bo.va + 1024 + 8 * (r * CHANNELS + i));
			cmd_sem(&b, PPU_CMD_SEM_DEC, 0, bo.va + 16, 0);
			cmd_release(&b, bo.va, r * CHANNELS + i + 1);
			chan_submit(&c[i], &b);
		}
	}
	CHECK_EQ(wait_sem(fd, turn_id, DRM_PPU_SEM_OP_EQ, ROUNDS * CHANNELS), 0);
	for (unsigned i = 1; i < ROUNDS * CHANNELS; i++)
		CHECK(((uint64_t *)bo.map)[128 + i] >= ((uint64_t *)bo.map)[127 + i]);
	CHECK_EQ(((uint64_t *)bo.map)[2], 0);
}

HARNESS_MAIN
