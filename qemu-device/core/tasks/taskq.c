/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues of queue tasks (HW-30..HW-32): memory in which others leave work for a task that runs.
 *
 * The device looks at the put counter when the task is accepted and whenever the word changes, for
 * which it waits as channels wait for semaphores; nothing is polled.  An entry is copied when its CTA
 * starts and its place is free from then on, so a queue of any capacity takes any number of entries.
 *
 * The put counter is user memory, so it is checked: it may neither go back nor run ahead of the capacity.
 */
#include <stddef.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include "core/base/alloc.h"
#include "core/memory/mmu.h"
#include "core/tasks/task.h"
#include "core/tasks/taskq.h"
#include "core/tasks/tmu.h"
#include "core/tasks/wdu.h"

struct ppu_taskq {
	struct ppu_waiter w;
	bool look;			/* in the list of queues to look at */
	int32_t look_next;
};

static uint64_t queue_va(const struct ppu_task *t)
{
	return t->sm.launch.queue_va ? t->sm.launch.queue_va : t->tmd_va + PPU_TMD_SIZE;
}

bool ppu_taskq_tmd_ok(const struct ppu_tmd *t)
{
	if (t->kind != PPU_TMD_QUEUE)
		return t->kind == PPU_TMD_GRID && !(t->flags & PPU_TMDF_QUEUE_INLINE) && !t->queue_va &&
		       !t->queue_capacity && !t->queue_entry_bytes;
	return !t->queue_va == !!(t->flags & PPU_TMDF_QUEUE_INLINE) && t->queue_va % 16 == 0 &&
	       t->queue_capacity && t->queue_capacity <= PPU_TASKQ_CAPACITY_MAX &&
	       t->queue_entry_bytes >= 16 && t->queue_entry_bytes <= PPU_QUEUE_ENTRY_MAX &&
	       t->queue_entry_bytes % 16 == 0 && t->grid[0] == 1 && t->grid[1] == 1 && t->grid[2] == 1;
}

/* Appends t to the list: queues are looked at in the order in which they have changed. */
static void look_later(struct ppu_core *core, struct ppu_task *t)
{
	int32_t *p = ppu_tmu_looks(core);

	if (t->queue->look)
		return;
	while (*p >= 0)
		p = &ppu_tmu_task(core, (uint32_t)*p)->queue->look_next;
	*p = (int32_t)t->sm.index;
	t->queue->look = true;
	t->queue->look_next = -1;
}

/* The put counter of the queue of task w->id may have changed. */
static void changed(struct ppu_core *core, struct ppu_waiter *w, uint64_t word)
{
	struct ppu_task *t = ppu_tmu_task(core, w->id);

	ppu_sem_unwait(core, w);
	look_later(core, t);
	ppu_wdu_kick(core);
}

bool ppu_taskq_create(struct ppu_task *t)
{
	t->queue = ppu_alloc(1, sizeof(*t->queue));
	if (!t->queue)
		return false;
	t->queue->w.ctx = t->sm.ctx;
	t->queue->w.id = t->sm.index;
	t->queue->w.op = PPU_SEM_OP_NE;
	t->queue->w.wake = changed;
	t->num_ctas = UINT64_MAX;
	t->avail_ctas = 0;
	return true;
}

void ppu_taskq_free(struct ppu_core *core, struct ppu_task *t)
{
	int32_t *p = ppu_tmu_looks(core);

	if (!t->queue)
		return;
	ppu_sem_unwait(core, &t->queue->w);
	for (; t->queue->look && *p != (int32_t)t->sm.index; p = &ppu_tmu_task(core, (uint32_t)*p)->queue->look_next)
		;
	if (t->queue->look)
		*p = t->queue->look_next;
	ppu_free(t->queue);
	t->queue = NULL;
}

/* Reads the put counter.  False: it cannot be read. */
static bool read_put(struct ppu_core *core, struct ppu_task *t, struct ppu_phys *p, uint64_t *put)
{
	struct ppu_xlat x;

	if (ppu_mmu_lookup(core, t->sm.ctx, queue_va(t), PPU_ACC_READ, 0, &x) || !x.host || x.len < 8)
		return false;
	*p = x.phys;
	*put = __atomic_load_n((const uint64_t *)x.host, __ATOMIC_ACQUIRE);
	return true;
}

static void look(struct ppu_core *core, struct ppu_task *t)
{
	struct ppu_taskq *q = t->queue;
	struct ppu_phys p;
	uint64_t put, n;
	bool closed;

	do {
		if (!read_put(core, t, &p, &put)) {
			ppu_tmu_fault(core, t, PPU_ERR_TASK_QUEUE, queue_va(t));
			return;
		}
		n = put & ~PPU_TASKQ_CLOSED;
		closed = put & PPU_TASKQ_CLOSED;
		if (n < t->avail_ctas || n - t->next_cta > t->sm.launch.queue_capacity) {
			ppu_tmu_fault(core, t, PPU_ERR_TASK_QUEUE, queue_va(t));
			return;
		}
		t->avail_ctas = n;
		q->w.value = put;
	} while (!closed && !ppu_sem_wait(core, &q->w, p, queue_va(t)));
	if (closed)
		t->num_ctas = n;
	if (t->done_ctas == t->num_ctas)
		ppu_wdu_no_more(core, t);
	else if (ppu_task_has_work(t))
		ppu_tmu_can_go_on(core, t, PPU_TRP_QUEUE);
}

void ppu_taskq_look(struct ppu_core *core)
{
	int32_t *head = ppu_tmu_looks(core);

	while (*head >= 0) {
		struct ppu_task *t = ppu_tmu_task(core, (uint32_t)*head);

		*head = t->queue->look_next;
		t->queue->look = false;
		look(core, t);
	}
}

void ppu_taskq_forget_looks(struct ppu_core *core)
{
	int32_t *head = ppu_tmu_looks(core);

	while (*head >= 0) {
		struct ppu_taskq *q = ppu_tmu_task(core, (uint32_t)*head)->queue;

		*head = q->look_next;
		q->look = false;
	}
}

void ppu_taskq_accepted(struct ppu_core *core, struct ppu_task *t)
{
	look_later(core, t);
}

bool ppu_taskq_entry(struct ppu_core *core, const struct ppu_task *t, uint8_t *entry)
{
	uint64_t at = t->next_cta % t->sm.launch.queue_capacity * t->sm.launch.queue_entry_bytes;

	return !ppu_mmu_read(core, t->sm.ctx, queue_va(t) + sizeof(struct ppu_task_queue) + at, entry,
			     t->sm.launch.queue_entry_bytes, 0);
}

bool ppu_taskq_taken(struct ppu_core *core, const struct ppu_task *t)
{
	uint64_t get = t->next_cta;

	return !ppu_mmu_store(core, t->sm.ctx, queue_va(t) + offsetof(struct ppu_task_queue, get), &get, sizeof(get),
			      0, PPU_TRW_TASK, (unsigned)t->slot);
}

void ppu_taskq_io(struct ppu_core *core, struct ppu_io *io, struct ppu_task *t)
{
	bool closed = t->num_ctas != UINT64_MAX;

	ppu_io_u64(io, &t->avail_ctas);
	ppu_io_bool(io, &closed);
	if (io->loading) {
		uint64_t avail = t->avail_ctas;

		if (io->failed || avail >> 63) {
			ppu_io_fail(io, "the queue of task %u is not possible", t->sm.index);
			return;
		}
		if (!ppu_taskq_create(t)) {
			ppu_io_fail(io, "out of memory");
			return;
		}
		t->avail_ctas = avail;
		t->num_ctas = closed ? avail : UINT64_MAX;
	}
	ppu_sem_io_waiter(core, io, &t->queue->w);
}

void ppu_taskq_io_looks(struct ppu_core *core, struct ppu_io *io)
{
	int32_t *p = ppu_tmu_looks(core), at;
	uint32_t n = 0;

	for (at = *p; at >= 0; at = ppu_tmu_task(core, (uint32_t)at)->queue->look_next)
		n++;
	ppu_io_u32(io, &n);
	for (at = *p; n && !io->failed; n--) {
		struct ppu_task *t = io->loading ? NULL : ppu_tmu_task(core, (uint32_t)at);

		ppu_io_task(core, io, &t);
		if (!io->loading)
			at = t->queue->look_next;
		else if (io->failed || !t || !t->queue || t->queue->look || t->queue->w.word)
			ppu_io_fail(io, "a queue that is not one has changed");
		else
			look_later(core, t);
	}
}
