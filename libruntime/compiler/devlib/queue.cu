/* SPDX-License-Identifier: MIT */
/*
 * Device-owned work queues: the functions of include/ppu_queue.h.  insert.h reserves and releases entries;
 * this file makes the blocks to which the entries point.
 *
 * The command memory of an entry is filled with commands from its start and with launch data (a TMD and
 * its parameters) from its end.
 */
#include "compiler/devabi/insert_dev.h"
#include <hw/ppu_tmd.h>

#define MAX_COPY_PITCH	(1ull << 40)

extern "C" {
__attribute__((device, weak)) struct ppu_queue_kernels *__ppu_queue_kernels;
}

/* What struct ppu_group holds. */
struct group {
	struct ppuq_place first;
	struct ppuq_out out;		/* commands of the current block */
	u32 blocks, current;
	u32 data;			/* offset in the current block where the launch data at its end begin */
	int error;			/* of the first command that failed */
	u64 threads;			/* of the group's launches: threads that may insert work, too */
};
static_assert(sizeof(struct group) <= sizeof(struct ppu_group), "");

DEV const struct ppu_queue *queue(void)
{
	u64 q;

	asm("mov.u64 %0, %%envreg0;" : "=l"(q));
	return (const struct ppu_queue *)q;
}

DEV u32 environment(void)
{
	u64 v;

	asm("mov.u64 %0, %%envreg1;" : "=l"(v));
	return (u32)(v >> PPU_QUEUE_ENV_SHIFT);
}

LIBRARY const struct ppu_queue *ppuQueueGet(void)
{
	return queue();
}

LIBRARY int ppuQueueFinish(void)
{
	const struct ppu_queue *q = queue();

	if (!q)
		return PPU_QUEUE_NO_QUEUE;
	ppuq_finish(q);
	return PPU_QUEUE_OK;
}

/* Threads of kernels that may insert come here instead of ending. */
LIBRARY void __ppu_queue_exit(void)
{
	if (environment() & PPU_QUEUE_ENV_COUNTED)
		ppuq_thread_out(queue());
	asm volatile("exit;");
	__builtin_unreachable();
}

LIBRARY int ppuQueueInsert(const void *entries, u32 n)
{
	const struct ppu_gpfifo_entry *e = (const struct ppu_gpfifo_entry *)entries;
	const struct ppu_queue *q = queue();
	u32 i;

	if (!q)
		return PPU_QUEUE_NO_QUEUE;
	for (i = 0; i < n && n < q->count; i++)
		if (!e[i].va || !e[i].length || e[i].length > PPU_BLOCK_MAX_WORDS || e[i].flags)
			return PPU_QUEUE_BAD_VALUE;
	return ppuq_insert(q, e, n);
}

/* ---- groups ---------------------------------------------------------------------------------- */

DEV void open_block(const struct ppu_queue *q, struct group *g)
{
	g->out = ppuq_block(q, ppuq_step(q, g->first, g->current));
	g->data = q->block_bytes;
}

/* Points the entry to the commands of its block.  A block without commands gets a NOP. */
DEV void close_block(const struct ppu_queue *q, struct group *g)
{
	u64 va;

	if (!g->out.words)
		ppuq_put32(&g->out, PPU_CMD_HDR(PPU_CMD_NOP, 1, 0));
	ppuq_flush(&g->out);
	va = (u64)g->out.to;
	ppuq_point(q, ppuq_step(q, g->first, g->current), va, g->out.words);
}

DEV int begin(struct group *g, u32 blocks, bool wait)
{
	const struct ppu_queue *q = queue();
	u32 room;
	int err;

	g->blocks = 0;
	g->error = PPU_QUEUE_BAD_VALUE;
	if (!q)
		return PPU_QUEUE_NO_QUEUE;
	room = blocks + 1 + ppuq_spare(q);
	while ((err = ppuq_begin(q, blocks, &g->first)) == PPU_QUEUE_FULL && wait) {
		/* X is released when the launching kernel is complete, and not before (WQ-67). */
		if (!(environment() & PPU_QUEUE_ENV_NESTED) || room > q->wait_entries)
			return PPU_QUEUE_WOULD_DEADLOCK;
		while (load_now(ppuq_word(q->soft, 0)) + room > load_now(ppuq_word(q->shadow, 0)))
			if (load_now(ppuq_gate(q)) & PPU_GATE_CLOSED)
				return PPU_QUEUE_CLOSED;
	}
	if (err)
		return err;
	g->blocks = blocks;
	g->current = 0;
	g->threads = 0;
	g->error = PPU_QUEUE_OK;
	open_block(q, g);
	return PPU_QUEUE_OK;
}

LIBRARY int ppuGroupBegin(struct ppu_group *group, u32 blocks)
{
	return begin((struct group *)group, blocks, false);
}

LIBRARY int ppuGroupBeginWait(struct ppu_group *group, u32 blocks)
{
	return begin((struct group *)group, blocks, true);
}

LIBRARY int ppuGroupNext(struct ppu_group *group)
{
	struct group *g = (struct group *)group;

	if (!g->error && g->current + 1 >= g->blocks)
		g->error = PPU_QUEUE_BAD_VALUE;
	if (g->error)
		return g->error;
	close_block(queue(), g);
	g->current++;
	open_block(queue(), g);
	return PPU_QUEUE_OK;
}

/* Gives every block of a group a NOP only: a group in which a command failed runs nothing. */
DEV void spoil(const struct ppu_queue *q, struct group *g)
{
	g->threads = 0;
	for (g->current = 0; g->current < g->blocks; g->current++) {
		open_block(q, g);
		close_block(q, g);
	}
}

LIBRARY int ppuGroupEnd(struct ppu_group *group)
{
	struct group *g = (struct group *)group;
	const struct ppu_queue *q = queue();
	int err;

	if (!g->blocks)		/* did not begin, or has ended */
		return g->error;
	if (g->error) {
		spoil(q, g);
	} else {
		for (;;) {
			close_block(q, g);
			if (++g->current == g->blocks)
				break;
			open_block(q, g);
		}
	}
	if (g->threads)
		ppuq_threads_in(q, g->threads);
	ppuq_end(q, g->blocks, g->first);
	/* The group's memory is the host's now, so further commands are refused. */
	err = g->error;
	g->blocks = 0;
	g->error = PPU_QUEUE_BAD_VALUE;
	return err;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Is there room for a command of `words` words? */
DEV bool room(struct group *g, u32 words)
{
	if (!g->error && (g->out.words + words) * 4 > g->data)
		g->error = PPU_QUEUE_NO_SPACE;
	return !g->error;
}

DEV int bad(struct group *g)
{
	if (!g->error)
		g->error = PPU_QUEUE_BAD_VALUE;
	return g->error;
}

DEV int semaphore(struct group *g, u32 cmd, u32 words, u32 flags, void *word, u64 value)
{
	if (!word || (u64)word & 7)
		return bad(g);
	if (!room(g, words))
		return g->error;
	ppuq_put32(&g->out, PPU_CMD_HDR(cmd, words, flags));
	ppuq_put64(&g->out, (u64)word);
	if (words == PPU_CMD_SIZE_SEM_RELEASE)
		ppuq_put64(&g->out, value);
	return PPU_QUEUE_OK;
}

LIBRARY int ppuGroupRelease(struct ppu_group *group, void *word, u64 value)
{
	return semaphore((struct group *)group, PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0, word, value);
}

LIBRARY int ppuGroupAcquire(struct ppu_group *group, void *word, u64 value, u32 op)
{
	if (op > PPU_SEM_OP_MAX)
		return bad((struct group *)group);
	return semaphore((struct group *)group, PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, PPU_CMDF_SEM_OP(op),
			 word, value);
}

LIBRARY int ppuGroupAdd(struct ppu_group *group, void *word, int by)
{
	if (by != 1 && by != -1)
		return bad((struct group *)group);
	return semaphore((struct group *)group, by == 1 ? PPU_CMD_SEM_INC : PPU_CMD_SEM_DEC, PPU_CMD_SIZE_SEM_INC, 0,
			 word, 0);
}

LIBRARY int ppuGroupTimestamp(struct ppu_group *group, void *ns)
{
	return semaphore((struct group *)group, PPU_CMD_TIMESTAMP, PPU_CMD_SIZE_TIMESTAMP, 0, ns, 0);
}

LIBRARY int ppuGroupWaitIdle(struct ppu_group *group)
{
	struct group *g = (struct group *)group;

	if (room(g, PPU_CMD_SIZE_WFI))
		ppuq_put32(&g->out, PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0));
	return g->error;
}

LIBRARY int ppuGroupCopy(struct ppu_group *group, void *dst, const void *src, u64 bytes)
{
	struct group *g = (struct group *)group;

	if (bytes && room(g, PPU_CMD_SIZE_COPY)) {
		ppuq_put32(&g->out, PPU_CMD_HDR(PPU_CMD_COPY, PPU_CMD_SIZE_COPY, 0));
		ppuq_put64(&g->out, (u64)src);
		ppuq_put64(&g->out, (u64)dst);
		ppuq_put64(&g->out, bytes);
	}
	return g->error;
}

LIBRARY int ppuGroupCopy2D(struct ppu_group *group, void *dst, u64 dst_pitch, const void *src, u64 src_pitch,
			   u32 width, u32 height)
{
	struct group *g = (struct group *)group;

	if (dst_pitch < width || src_pitch < width || dst_pitch > MAX_COPY_PITCH || src_pitch > MAX_COPY_PITCH)
		return bad(g);
	if (width && height && room(g, PPU_CMD_SIZE_COPY_2D)) {
		ppuq_put32(&g->out, PPU_CMD_HDR(PPU_CMD_COPY_2D, PPU_CMD_SIZE_COPY_2D, 0));
		ppuq_put64(&g->out, (u64)src);
		ppuq_put64(&g->out, (u64)dst);
		ppuq_put64(&g->out, src_pitch);
		ppuq_put64(&g->out, dst_pitch);
		ppuq_put32(&g->out, width);
		ppuq_put32(&g->out, height);
	}
	return g->error;
}

LIBRARY int ppuGroupFill(struct ppu_group *group, void *dst, u64 value, u32 elem_bytes, u64 count)
{
	struct group *g = (struct group *)group;
	u32 size = elem_bytes == 8 ? 3 : elem_bytes == 4 ? 2 : elem_bytes - 1;

	if ((elem_bytes != 8 && elem_bytes != 4 && size > 1) || (u64)dst & (elem_bytes - 1))
		return bad(g);
	if (count && room(g, PPU_CMD_SIZE_FILL)) {
		ppuq_put32(&g->out, PPU_CMD_HDR(PPU_CMD_FILL, PPU_CMD_SIZE_FILL, PPU_CMDF_FILL_SIZE(size)));
		ppuq_put64(&g->out, (u64)dst);
		ppuq_put64(&g->out, value);
		ppuq_put64(&g->out, count);
	}
	return g->error;
}

/* ---- launches -------------------------------------------------------------------------------- */

struct config {
	u32 grid[3], block[3], shared, bytes;
	const void *params;
	const struct ppu_queue_kernel *kernel;
};

DEV const struct ppu_queue_kernel *find_kernel(u64 pc)
{
	const struct ppu_queue_kernels *all = __ppu_queue_kernels;
	u32 low = 0, high = all ? all->count : 0;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (all->kernel[mid].entry_pc == pc)
			return &all->kernel[mid];
		if (all->kernel[mid].entry_pc < pc)
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

/* Bytes of a launch's data in a block. */
DEV u32 launch_bytes(const struct ppu_queue_kernel *k)
{
	return (PPU_TMD_SIZE + k->param_bytes + PPU_TMD_ALIGN - 1) & ~(PPU_TMD_ALIGN - 1u);
}

static __attribute__((device, noinline)) int check_launch(const struct ppu_queue *q, u64 pc, struct config *c)
{
	const struct ppu_queue_kernel *k = find_kernel(pc);
	u64 threads = (u64)c->block[0] * c->block[1];
	u32 i;

	if (!k)
		return PPU_QUEUE_BAD_KERNEL;
	c->kernel = k;
	if (c->bytes > k->param_bytes && c->bytes <= ((k->param_bytes + 15) & ~15u))
		c->bytes = k->param_bytes;	/* a struct is padded at its end */
	if (!c->grid[0] || c->grid[0] >> 31 || !c->grid[1] || c->grid[1] > 65535 || !c->grid[2] ||
	    c->grid[2] > 65535 || c->block[0] > PPU_MAX_THREADS_PER_CTA || c->block[1] > PPU_MAX_THREADS_PER_CTA ||
	    !threads || threads > k->max_threads || !c->block[2] || threads * c->block[2] > k->max_threads)
		return PPU_QUEUE_BAD_VALUE;
	for (i = 0; i < 3; i++)
		if (k->reqntid[i] && c->block[i] != k->reqntid[i])
			return PPU_QUEUE_BAD_VALUE;
	if (c->shared > q->shared_bytes || k->shared_bytes > q->shared_bytes - c->shared ||
	    k->local_bytes > q->local_bytes || c->bytes > k->param_bytes || (c->bytes && !c->params))
		return PPU_QUEUE_BAD_VALUE;
	if (launch_bytes(k) + PPU_CMD_SIZE_LAUNCH * 4 > q->block_bytes)
		return PPU_QUEUE_NO_SPACE;
	return PPU_QUEUE_OK;
}

DEV void write_tmd(const struct ppu_queue *q, volatile struct ppu_tmd *t, const struct config *c, u64 number)
{
	const struct ppu_queue_kernels *all = __ppu_queue_kernels;
	const struct ppu_queue_kernel *k = c->kernel;
	u32 i;

	for (i = 0; i < PPU_TMD_SIZE / 8; i++)
		((volatile u64 *)t)[i] = 0;
	t->magic = PPU_TMD_MAGIC;
	t->version = PPU_TMD_VERSION;
	t->size = PPU_TMD_SIZE;
	t->kind = PPU_TMD_GRID;
	if (q->priority) {
		t->flags = PPU_TMDF_PRIO_VALID;
		t->priority = (u8)(q->priority - 1);
	}
	t->regs_per_thread = (u16)k->regs;
	t->id = (u64)k->number << 32 | (u32)number;
	t->code_va = all->code_va;
	t->code_insns = all->code_insns;
	t->entry_pc = k->entry_pc;
	for (i = 0; i < 3; i++) {
		t->grid[i] = c->grid[i];
		t->block[i] = c->block[i];
	}
	t->shared_bytes = k->shared_bytes + c->shared;
	t->shared_dyn_bytes = c->shared;
	t->local_per_thread = k->recursive ? q->local_bytes : k->local_bytes;
	t->num_barriers = k->barriers;
	t->param_bytes = k->param_bytes;
	if (k->param_bytes)
		t->param_va = (u64)t + PPU_TMD_SIZE;
	t->envreg[0] = (u64)q;
	t->envreg[1] = (u64)(PPU_QUEUE_ENV_NESTED | (k->creates ? PPU_QUEUE_ENV_COUNTED : 0)) << PPU_QUEUE_ENV_SHIFT;
}

DEV void write_params(volatile u8 *to, const struct config *c)
{
	const u8 *from = (const u8 *)c->params;
	u32 i = 0;

	if (!((u64)from & 3))
		for (; i + 4 <= c->bytes; i += 4)
			*(volatile u32 *)(to + i) = *(const u32 *)(from + i);
	for (; i < c->bytes; i++)
		to[i] = from[i];
	for (; i < c->kernel->param_bytes; i++)
		to[i] = 0;
}

/* Adds a launch that check_launch() has accepted. */
static __attribute__((device, noinline)) int put_launch(const struct ppu_queue *q, struct group *g,
							const struct config *c)
{
	u32 bytes = launch_bytes(c->kernel);
	u64 tmd;

	if (!g->error && (g->out.words + PPU_CMD_SIZE_LAUNCH) * 4 + bytes > g->data)
		g->error = PPU_QUEUE_NO_SPACE;
	if (g->error)
		return g->error;
	g->data -= bytes;
	tmd = (u64)g->out.to + g->data;
	write_tmd(q, (volatile struct ppu_tmd *)tmd, c, g->first.lap * q->count + g->first.index + g->current);
	write_params((volatile u8 *)tmd + PPU_TMD_SIZE, c);
	ppuq_put32(&g->out, PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0));
	ppuq_put64(&g->out, tmd);
	if (c->kernel->creates)
		g->threads += (u64)c->grid[0] * c->grid[1] * c->grid[2] *
			      (c->block[0] * c->block[1] * c->block[2]);
	return PPU_QUEUE_OK;
}

DEV void configure(struct config *c, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 shared,
		   const void *params, u32 bytes)
{
	c->grid[0] = gx;
	c->grid[1] = gy;
	c->grid[2] = gz;
	c->block[0] = bx;
	c->block[1] = by;
	c->block[2] = bz;
	c->shared = shared;
	c->params = params;
	c->bytes = bytes;
}

LIBRARY int ppuGroupLaunch(struct ppu_group *group, const void *kernel, u32 gx, u32 gy, u32 gz, u32 bx, u32 by,
			   u32 bz, u32 shared, const void *params, u32 bytes)
{
	struct group *g = (struct group *)group;
	const struct ppu_queue *q = queue();
	struct config c;

	if (g->error)
		return g->error;
	configure(&c, gx, gy, gz, bx, by, bz, shared, params, bytes);
	g->error = check_launch(q, (u64)kernel, &c);
	return g->error ? g->error : put_launch(q, g, &c);
}

/* ---- groups of one command ------------------------------------------------------------------- */

DEV int launch_one(const void *kernel, struct config *c, bool wait)
{
	const struct ppu_queue *q = queue();
	struct ppu_group g;
	int err;

	if (!q)
		return PPU_QUEUE_NO_QUEUE;
	err = check_launch(q, (u64)kernel, c);
	if (!err)
		err = begin((struct group *)&g, 1, wait);
	if (err)
		return err;
	put_launch(q, (struct group *)&g, c);
	return ppuGroupEnd(&g);
}

LIBRARY int ppuQueueLaunch(const void *kernel, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 shared,
			   const void *params, u32 bytes)
{
	struct config c;

	configure(&c, gx, gy, gz, bx, by, bz, shared, params, bytes);
	return launch_one(kernel, &c, false);
}

LIBRARY int ppuQueueLaunchWait(const void *kernel, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 shared,
			       const void *params, u32 bytes)
{
	struct config c;

	configure(&c, gx, gy, gz, bx, by, bz, shared, params, bytes);
	return launch_one(kernel, &c, true);
}

LIBRARY int ppuQueueCopy(void *dst, const void *src, u64 bytes)
{
	struct ppu_group g;
	int err = ppuGroupBegin(&g, 1);

	if (err)
		return err;
	ppuGroupCopy(&g, dst, src, bytes);
	return ppuGroupEnd(&g);
}

LIBRARY int ppuQueueFill(void *dst, u64 value, u32 elem_bytes, u64 count)
{
	struct ppu_group g;
	int err = ppuGroupBegin(&g, 1);

	if (err)
		return err;
	ppuGroupFill(&g, dst, value, elem_bytes, count);
	return ppuGroupEnd(&g);
}

LIBRARY int ppuQueueRelease(void *word, u64 value)
{
	struct ppu_group g;
	int err = ppuGroupBegin(&g, 1);

	if (err)
		return err;
	ppuGroupRelease(&g, word, value);
	return ppuGroupEnd(&g);
}

LIBRARY int ppuQueueAcquire(void *word, u64 value)
{
	struct ppu_group g;
	int err = ppuGroupBegin(&g, 1);

	if (err)
		return err;
	ppuGroupAcquire(&g, word, value, PPU_SEM_OP_EQ);
	return ppuGroupEnd(&g);
}
