/* SPDX-License-Identifier: MIT */
/*
 * Kernels for the tests of device-owned work queues. Some use the library; others go through the protocol step by step,
 * with the source file of the library itself (libruntime/compiler/devabi/insert.h).
 */
#include "compiler/devabi/insert_dev.h"

#define KERNEL	extern "C" __attribute__((global)) void
#define THREAD	(ctaid_x() * (u32)__nvvm_read_ptx_sreg_ntid_x() + tid_x())

DEV u32 atom_add32(u32 *p, u32 v)
{
	u32 old;

	asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(v) : "memory");
	return old;
}

/* Nested kernels count, and note in which order they ran. */
KERNEL leaf(u32 *count, u32 index)
{
	if (tid_x() == 0)
		atom_add32(count + index, 1);
}

struct leaf_args {
	u32 *count;
	u32 index;
};

/* A kernel that inserts no work. */
KERNEL plain(u32 *count)
{
	atom_add32(count, 1);
}

DEV int launch_leaf(u32 *count, u32 index)
{
	struct leaf_args a = { count, index };

	return ppuQueueLaunch(PPU_KERNEL(leaf), 1, 1, 1, 32, 1, 1, 0, &a, sizeof(a));
}

/* Each thread makes one launch; the results stand behind the counts. */
KERNEL each(u32 *count, u32 *result)
{
	result[THREAD] = 100 + launch_leaf(count, THREAD);
}

/* A kernel that may insert work, but does not. */
KERNEL none(u32 *count)
{
	if (!count)
		launch_leaf(count, 0);
}

/* Inserts one group of n blocks, then reads soft. */
DEV int group(u32 *count, u32 n, u64 *soft)
{
	const struct ppu_queue *q = ppuQueueGet();
	struct leaf_args a = { count, 0 };
	struct ppu_group g;
	int err = ppuGroupBegin(&g, n);
	u32 i;

	for (i = 0; !err && i < n; i++) {
		a.index = i;
		if (i)
			ppuGroupNext(&g);
		ppuGroupLaunch(&g, PPU_KERNEL(leaf), 1, 1, 1, 32, 1, 1, 0, &a, sizeof(a));
	}
	if (!err)
		err = ppuGroupEnd(&g);
	*soft = load_now(ppuq_word(q->soft, 0));
	return err;
}

/* Inserts groups of sizes[0..n), and notes the error and soft after each. */
KERNEL groups(u32 *count, const u32 *sizes, u32 n, u64 *result)
{
	u32 i;

	for (i = 0; i < n; i++)
		result[2 * i + 1] = group(count, sizes[i], &result[2 * i]);
}

/* WQ-39: what a thread learns about its queue. */
KERNEL told(struct ppu_queue *to, u64 *soft_shadow)
{
	const struct ppu_queue *q = ppuQueueGet();

	if (!q)
		return;
	*to = *q;
	soft_shadow[0] = *(volatile u64 *)q->soft;
	soft_shadow[1] = *(volatile u64 *)q->shadow;
	atom_add((u64 *)q->soft, 0);
}

/* WQ-57, WQ-60: makes bare reservations, in order. They are given back in the reverse order. */
KERNEL reserve(const u32 *sizes, u32 n, u64 *result)
{
	const struct ppu_queue *q = ppuQueueGet();
	u64 soft = load_now(ppuq_word(q->soft, 0));
	u32 i;

	for (i = 0; i < n; i++) {
		result[2 * i] = 0;
		result[2 * i + 1] = ppuq_reserve(q, sizes[i], 0, &result[2 * i]);
	}
	result[2 * n] = load_now(ppuq_word(q->soft, 0));
	store_now(ppuq_word(q->soft, 0), soft);
}

/* WQ-60: all lanes reserve at the same time, lane n wants n + 1 entries more than there is room for; then lane 0
 * reserves all the room that there is. */
KERNEL storm(u32 room, u64 *result)
{
	const struct ppu_queue *q = ppuQueueGet();
	u64 at = 0, soft = load_now(ppuq_word(q->soft, 0));

	asm volatile("bar.sync 0;" ::: "memory");
	result[2 + tid_x()] = ppuq_reserve(q, room + 1 + tid_x(), 0, &at);
	asm volatile("bar.sync 0;" ::: "memory");
	if (tid_x())
		return;
	result[0] = load_now(ppuq_word(q->soft, 0)) - soft;
	result[1] = ppuq_reserve(q, room, 0, &at) * 100 + (at - soft);
	store_now(ppuq_word(q->soft, 0), soft);
}

/* WQ-35: makes bare fetch-and-adds; each entry gets a NOP, so that no entry is left unwritten. */
KERNEL adds(u64 *result, u64 nop)
{
	const struct ppu_queue *q = ppuQueueGet();
	u64 at = atom_add((u64 *)q->soft, 1);

	result[THREAD] = at;
	ppuq_point(q, ppuq_place(q, at), nop, 1);
}

/* WQ-63: all threads say that they have finished. */
KERNEL finish(u32 *count, u32 *result)
{
	result[THREAD] = 100 + launch_leaf(count, 0);
	asm volatile("bar.sync 0;" ::: "memory");
	ppuQueueFinish();
	asm volatile("bar.sync 0;" ::: "memory");
	result[THREAD] = result[THREAD] * 1000 + 100 + launch_leaf(count, 1);
}

DEV void set(u32 *flag)
{
	fence();
	atom_add32(flag, 1);
}

DEV void wait_for(u32 *flag)
{
	while (!*(volatile u32 *)flag)
		;
}

/* WQ-65, WQ-48: CTA 0 reserves first and stalls; CTA 1 reserves behind CTA 0 and finishes before it.  With `reset`
 * CTA 0 zeroes the element of its own Acquire when it goes on: a mistake that the test must notice. */
KERNEL stall(u32 *flags, const struct ppu_gpfifo_entry *blocks, u32 reset)
{
	const struct ppu_queue *q = ppuQueueGet();
	struct ppuq_place first;

	if (ctaid_x() == 0) {
		ppuq_begin(q, 1, &first);
		set(&flags[0]);
		wait_for(&flags[1]);
		if (reset)
			store_now(ppuq_word(q->sems, ppuq_step(q, first, 1).index), 0);
		ppuq_point(q, first, blocks[0].va, blocks[0].length);
		ppuq_end(q, 1, first);
	} else {
		wait_for(&flags[0]);
		ppuq_insert(q, blocks + 1, 1);
		set(&flags[1]);
	}
}

/* WQ-67: makes more launches than the ring has entries, so it has to wait for room. */
KERNEL waiter(u32 *count, u32 n, u32 *result)
{
	struct leaf_args a = { count, 0 };
	u32 i, err = 0;

	for (i = 0; i < n && !err; i++) {
		a.index = i;
		err = ppuQueueLaunchWait(PPU_KERNEL(leaf), 1, 1, 1, 32, 1, 1, 0, &a, sizeof(a));
	}
	*result = 1000 * err + i;
}

struct waiter_args {
	u32 *count;
	u32 n;
	u32 *result;
};

KERNEL start_waiter(u32 *count, u32 n, u32 *result)
{
	struct waiter_args a = { count, n, result };

	ppuQueueLaunch(PPU_KERNEL(waiter), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
}

/* The same as waiter(), with groups of empty blocks. */
KERNEL group_waiter(u32 blocks, u32 n, u32 *result)
{
	struct ppu_group g;
	u32 i, err = 0;

	for (i = 0; i < n; i++) {
		err = ppuGroupBeginWait(&g, blocks);
		if (err)
			break;
		ppuGroupEnd(&g);
	}
	*result = 1000 * err + i;
}

KERNEL start_group_waiter(u32 blocks, u32 n, u32 *result)
{
	struct {
		u32 blocks, n;
		u32 *result;
	} a = { blocks, n, result };

	ppuQueueLaunch(PPU_KERNEL(group_waiter), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
}

/* A group with a command of each kind, in two blocks. */
KERNEL commands(u64 *data, u32 *count)
{
	struct leaf_args a = { count, 0 };
	struct ppu_group g;

	data[30] = ppuGroupBegin(&g, 2);
	ppuGroupFill(&g, data, 7, 8, 4);
	ppuGroupCopy(&g, data + 4, data, 32);
	ppuGroupFill(&g, (char *)data + 64, 0xabcd, 2, 8);
	ppuGroupCopy2D(&g, data + 10, 8, data, 8, 8, 2);
	ppuGroupRelease(&g, data + 16, 5);
	ppuGroupAcquire(&g, data + 16, 5, PPU_SEM_OP_EQ);
	ppuGroupAdd(&g, data + 17, 1);
	ppuGroupAdd(&g, data + 17, 1);
	ppuGroupAdd(&g, data + 17, -1);
	ppuGroupNext(&g);
	ppuGroupLaunch(&g, PPU_KERNEL(leaf), 1, 1, 1, 32, 1, 1, 0, &a, sizeof(a));
	ppuGroupWaitIdle(&g);
	ppuGroupCopy(&g, data + 18, count, 8);
	ppuGroupTimestamp(&g, data + 19);
	data[31] = ppuGroupEnd(&g);
	data[20] = ppuQueueFill(data + 24, 9, 1, 8);
	data[21] = ppuQueueCopy(data + 25, data + 24, 8);
	data[22] = ppuQueueRelease(data + 26, 11);
	data[23] = ppuQueueAcquire(data + 26, 11);
}

/* What a nested launch looks like from inside: dimensions, dynamic shared memory, local memory, parameters. */
KERNEL shape(u32 *out, u64 big, u8 small, u32 index)
{
	volatile u32 local[40];
	u32 i, sum = 0, shared;

	asm volatile("bar.sync 3;" ::: "memory");
	for (i = 0; i < 40; i++)
		local[(i * 7 + index) % 40] = i;
	for (i = 0; i < 40; i++)
		sum += local[i];
	atom_add32(out, sum);
	atom_add32(out + 1, 1);
	if (ctaid_x() || ctaid_y() || ctaid_z() || tid_x() || tid_y() || tid_z())
		return;
	asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(shared));
	out[2] = (u32)__nvvm_read_ptx_sreg_nctaid_x();
	out[3] = (u32)__nvvm_read_ptx_sreg_nctaid_y();
	out[4] = (u32)__nvvm_read_ptx_sreg_nctaid_z();
	out[5] = (u32)__nvvm_read_ptx_sreg_ntid_x();
	out[6] = (u32)__nvvm_read_ptx_sreg_ntid_y();
	out[7] = (u32)__nvvm_read_ptx_sreg_ntid_z();
	out[8] = shared;
	out[9] = (u32)(big >> 32);
	out[10] = small;
	out[11] = index;
}

KERNEL start_shape(u32 *out)
{
	struct {
		u32 *out;
		u64 big;
		u8 small;
		u32 index;
	} a = { out, 0x1234567800000000ull, 200, 3 };

	out[12] = ppuQueueLaunch(PPU_KERNEL(shape), 2, 3, 4, 5, 3, 2, 4096, &a, sizeof(a));
}

/* Calls that must be refused; and a group that goes wrong must leave no hole. */
KERNEL refused(u32 *count, u32 *result)
{
	struct leaf_args a = { count, 0 };
	const struct ppu_gpfifo_entry none = { 0, 0, 0 };
	struct ppu_group g;
	u64 word = 0;

	result[0] = ppuQueueLaunch((const void *)1, 1, 1, 1, 32, 1, 1, 0, &a, sizeof(a));
	result[1] = ppuQueueLaunch(PPU_KERNEL(leaf), 0, 1, 1, 32, 1, 1, 0, &a, sizeof(a));
	result[2] = ppuQueueLaunch(PPU_KERNEL(leaf), 1, 1, 1, 1025, 1, 1, 0, &a, sizeof(a));
	result[3] = ppuQueueLaunch(PPU_KERNEL(leaf), 1, 1, 1, 1, 1, 1, 1u << 30, &a, sizeof(a));
	result[4] = ppuQueueLaunch(PPU_KERNEL(leaf), 1, 1, 1, 1, 1, 1, 0, &a, 64);
	result[5] = ppuQueueInsert(&none, 1);
	result[6] = ppuQueueInsert(&none, 0);
	ppuGroupBegin(&g, 2);
	ppuGroupLaunch(&g, PPU_KERNEL(leaf), 1, 1, 1, 32, 1, 1, 0, &a, sizeof(a));
	ppuGroupRelease(&g, (char *)&word + 1, 1);
	ppuGroupNext(&g);
	result[7] = ppuGroupEnd(&g);
	ppuGroupBegin(&g, 1);
	ppuGroupNext(&g);
	result[8] = ppuGroupEnd(&g);
	result[9] = ppuGroupEnd(&g);
	ppuGroupBegin(&g, 1);
	while (!ppuGroupRelease(&g, count + 2, 1))
		;
	result[10] = ppuGroupEnd(&g);
	result[11] = ppuGroupBegin(&g, 0);
	ppuGroupBegin(&g, 2);	/* a block that the group does not reach */
	ppuGroupLaunch(&g, PPU_KERNEL(leaf), 1, 1, 1, 32, 1, 1, 0, &a, sizeof(a));
	result[12] = ppuGroupEnd(&g);
	result[13] = ppuGroupRelease(&g, count + 2, 1);	/* the group has ended */
	result[14] = ppuGroupEnd(&g);
}

/* All threads of a warp wait for room at the same time; threads that get room go on. */
KERNEL crowd(u32 *count, u32 times)
{
	for (u32 i = 0; i < times; i++) {
		struct leaf_args a = { count, THREAD };

		if (ppuQueueLaunchWait(PPU_KERNEL(leaf), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a)))
			return;
	}
}

KERNEL start_crowd(u32 *count, u32 times)
{
	struct leaf_args a = { count, times };

	ppuQueueLaunch(PPU_KERNEL(crowd), 2, 1, 1, 48, 1, 1, 0, &a, sizeof(a));
}

/* A cooperative kernel that inserts work: the first word of its workspace is the workspace's size, 8. */
KERNEL cooperates(u32 *count, u32 *result)
{
	u32 low, high;

	asm("mov.b32 %0, %%envreg2;" : "=r"(low));
	asm("mov.b32 %0, %%envreg1;" : "=r"(high));
	if (THREAD == 0)
		*result = *(volatile u32 *)((u64)high << 32 | low);
	launch_leaf(count, THREAD);
}

/* Inserts blocks that are written already. */
KERNEL insert(const struct ppu_gpfifo_entry *blocks, u32 n, u32 *result)
{
	*result = ppuQueueInsert(blocks, n);
}

KERNEL faulty(u32 *count)
{
	u32 *nowhere = (u32 *)8;

	launch_leaf(count, 0);
	*(volatile u32 *)nowhere = 1;
}

struct faulty_args {
	u32 *count;
};

KERNEL start_faulty(u32 *count)
{
	struct faulty_args a = { count };

	ppuQueueLaunch(PPU_KERNEL(faulty), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
}

KERNEL hang(u32 *count)
{
	launch_leaf(count, 0);
	for (;;)
		atom_add32(count + 1, 1);
}

KERNEL load(u64 address, u32 *to)
{
	*to = *(volatile u32 *)address;
}

KERNEL store(u64 address, u32 *from)
{
	*(volatile u32 *)address = *from;
}

/* WQ-69: nested work that takes long, and the work that comes after it. */
KERNEL slow(volatile u32 *data, u32 loops)
{
	u32 i;

	for (i = 0; i < loops; i++)
		data[1] = i;
	data[0] = 7;
}

struct slow_args {
	volatile u32 *data;
	u32 loops;
};

KERNEL start_slow(u32 *data, u32 loops)
{
	struct slow_args a = { data, loops };

	ppuQueueLaunch(PPU_KERNEL(slow), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
}

KERNEL after(u32 *data)
{
	data[2] = data[0];
}

/* Levels of work that inserts work: thread i of level n launches CTA i of the next level, down to level 0.  The counts
 * say how many CTAs each level had. */
KERNEL tree(u32 *count, u32 level, u32 *failed)
{
	struct {
		u32 *count;
		u32 level, pad;
		u32 *failed;
	} a = { count, level - 1, 0, failed };

	atom_add32(count + level, 1);
	if (level && ppuQueueLaunchWait(PPU_KERNEL(tree), 1, 1, 1, 2, 1, 1, 0, &a, sizeof(a)))
		atom_add32(failed, 1);
}

/* The kernel ends in many places, some of them in functions. Its threads must be counted nevertheless. */
static __attribute__((device, noinline)) void maybe_exit(u32 i)
{
	if (i % 3 == 0)
		asm volatile("exit;");
}

KERNEL exits(u32 *count)
{
	u32 i = THREAD;

	if (i % 7 == 1)
		return;
	maybe_exit(i);
	launch_leaf(count, i);
	if (i % 5 == 0)
		asm volatile("exit;");
	atom_add32(count + 1000, 1);
}

/* ---- WQ-X1 ---------------------------------------------------------------------------------------- */

struct x1 {
	struct ppu_gpfifo_entry pbs[2];
	const struct ppu_queue *q;
	u64 place[2];		/* of the first entry of PBS-2 */
	u64 idle;
	u64 no_queue;		/* what a task without a queue learns */
};

DEV void linger(volatile u64 *word)
{
	u32 i;

	for (i = 0; i < 100; i++)
		*word = i;
}

/* Timing (iii): thread 1 inserts PBS-1; thread 2 reserves and fills PBS-2, and does not release A. */
KERNEL x1_launch(struct x1 *x, u32 timing)
{
	const struct ppu_queue *q = ppuQueueGet();
	struct ppuq_place first;

	x->q = q;
	ppuq_insert(q, &x->pbs[0], 1);
	if (timing == 2)
		return;
	linger(&x->idle);
	ppuq_begin(q, 1, &first);
	ppuq_point(q, first, x->pbs[1].va, x->pbs[1].length);
	ppuq_point_acquire(q, ppuq_step(q, first, 1));
	x->place[0] = first.index;
	x->place[1] = first.lap;
	if (timing == 3) {
		ppuq_leave(q);
		linger(&x->idle);
		return;
	}
	ppuq_release(q, first);
	ppuq_leave(q);
	ppuq_finish(q);
}

KERNEL x1_pbs1(struct x1 *x, u32 timing)
{
	struct ppuq_place first;

	x->no_queue = ppuQueueGet() ? 1 : 100 + ppuQueueFinish();

	if (timing == 3) {
		first.index = (u32)x->place[0];
		first.lap = x->place[1];
		ppuq_release(x->q, first);
	}
	if (timing == 2)
		ppuq_insert(x->q, &x->pbs[1], 1);
}

KERNEL x1_pbs2(struct x1 *x, u32 timing)
{
	if (timing != 1)
		ppuq_finish(x->q);
}

/* ---- many at once --------------------------------------------------------------------------------- */

/* WQ-18, WQ-56, WQ-74: each thread inserts n groups, each a block that adds 1 to *total and stores its own number.
 * The kernel waits for room, so it must itself be work of the queue. */
KERNEL inserter(u64 *total, u64 *numbers, u32 n, u32 linger)
{
	const struct ppu_queue *q = ppuQueueGet();
	u32 i, k;

	for (i = 0; i < n; i++) {
		u64 number = (u64)THREAD * n + i;
		struct ppuq_place first;
		struct ppuq_out o;
		u64 va;

		while (ppuq_begin(q, 1, &first) == PPU_QUEUE_FULL)
			;
		o = ppuq_block(q, first);
		va = (u64)o.to;
		ppuq_put32(&o, PPU_CMD_HDR(PPU_CMD_SEM_INC, PPU_CMD_SIZE_SEM_INC, 0));
		ppuq_put64(&o, (u64)total);
		ppuq_put_sem(&o, PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0), (u64)(numbers + number),
			     number + 1);
		ppuq_flush(&o);
		ppuq_point(q, first, va, o.words);
		ppuq_point_acquire(q, ppuq_step(q, first, 1));
		ppuq_release(q, first);
		for (k = 0; k < linger; k++)	/* and without an atomic operation, which would act as a fence */
			load_now(ppuq_word(q->shadow, 0));
		ppuq_leave(q);
	}
}

struct inserter_args {
	u64 *total, *numbers;
	u32 n, linger;
};

KERNEL start_inserter(u64 *total, u64 *numbers, u32 n, u32 linger, u32 ctas, u32 threads)
{
	struct inserter_args a = { total, numbers, n, linger };

	ppuQueueLaunch(PPU_KERNEL(inserter), ctas, 1, 1, threads, 1, 1, 0, &a, sizeof(a));
}

/* ---- laps ----------------------------------------------------------------------------------------- */

/* A pause of random length, without an atomic operation. */
DEV u32 pause(const struct ppu_queue *q, u32 random, u32 most)
{
	u32 k;

	random = random * 1664525u + 1013904223u;
	for (k = (random >> 16) % (most + 1); k; k--)
		load_now(ppuq_word(q->shadow, 0));
	return random;
}

/* WQ-56: as inserter(), with random pauses between the steps.  From lap `hasty` on, the group is released before it is
 * written: the mistake that the safety invariant excludes. */
KERNEL pausing(u64 *total, u32 n, u32 seed, u32 most, u32 hasty)
{
	const struct ppu_queue *q = ppuQueueGet();
	u32 i, random = seed + THREAD * 2654435761u;

	for (i = 0; i < n; i++) {
		struct ppuq_place first;
		struct ppuq_out o;
		u64 va;

		random = pause(q, random, most);
		while (ppuq_begin(q, 1, &first) == PPU_QUEUE_FULL)
			;
		random = pause(q, random, most);
		if (first.lap >= hasty) {
			ppuq_release(q, first);
			random = pause(q, random, 1000);
		}
		o = ppuq_block(q, first);
		va = (u64)o.to;
		ppuq_put32(&o, PPU_CMD_HDR(PPU_CMD_SEM_INC, PPU_CMD_SIZE_SEM_INC, 0));
		ppuq_put64(&o, (u64)total);
		ppuq_flush(&o);
		random = pause(q, random, most);
		ppuq_point(q, first, va, o.words);
		ppuq_point_acquire(q, ppuq_step(q, first, 1));
		random = pause(q, random, most);
		ppuq_release(q, first);
		ppuq_leave(q);
	}
}

struct pausing_args {
	u64 *total;
	u32 n, seed, most, hasty;
};

KERNEL start_pausing(u64 *total, u32 n, u32 seed, u32 most, u32 hasty, u32 threads)
{
	struct pausing_args a = { total, n, seed, most, hasty };

	ppuQueueLaunch(PPU_KERNEL(pausing), threads, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
}

/* ---- in the guest --------------------------------------------------------------------------------- */

/* One kernel launches the next, until n kernels have run. */
KERNEL chain(u32 *count, u32 n)
{
	struct {
		u32 *count;
		u32 n;
	} a = { count, n };

	if (atom_add32(count, 1) + 1 < n)
		ppuQueueLaunchWait(PPU_KERNEL(chain), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
}

/* The same as chain(); after every `stretch` links it waits for a word that the CPU counts up. */
KERNEL held_chain(u32 *count, u32 n, u32 stretch, const volatile u32 *gate)
{
	struct {
		u32 *count;
		u32 n, stretch;
		const volatile u32 *gate;
	} a = { count, n, stretch, gate };
	u32 i = atom_add32(count, 1) + 1;

	if (i % stretch == 0)
		while (*gate < i / stretch)
			;
	if (i < n)
		ppuQueueLaunchWait(PPU_KERNEL(held_chain), 1, 1, 1, 1, 1, 1, 0, &a, sizeof(a));
}

/* Ends when the CPU writes the flag. */
KERNEL hold(const volatile u32 *flag)
{
	while (!*flag)
		;
}
