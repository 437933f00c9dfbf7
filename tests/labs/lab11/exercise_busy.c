// SPDX-License-Identifier: MIT
/* Lab 11: buffers that jobs use, and address spaces whose buffers move. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include <hw/ppu_counters.h>
#include "exercise.h"

#define BLOCK_VA	0x0000000100000000ull
#define DATA_VA		0x0000000200000000ull
#define MOST		18

/* An open file with a copy channel, commands, a word to wait for, and buffers of 1 MiB that are bound. */
struct proc {
	int fd;
	uint32_t chan, other;
	struct buf block, data[MOST];
	unsigned int num;
	struct ld_block b;
};

static uint64_t va(unsigned int i)
{
	return DATA_VA + i * 16 * MB;
}

static uint64_t word_va(void)
{
	return BLOCK_VA + 32 * KB;
}

static void must(int ret, const char *what)
{
	if (ret)
		lab_fatal("%s failed: %s", what, strerror(-ret));
}

static void proc_open(struct proc *p, unsigned int n)
{
	*p = (struct proc){ .fd = ld_must_open() };
	must(buf_new(p->fd, &p->block, 64 * KB), "making a buffer");
	must(ld_bind(p->fd, p->block.handle, BLOCK_VA, 0, p->block.bytes, 0), "binding a buffer");
	p->b.words = (volatile uint32_t *)p->block.p;
	for (p->num = 0; p->num < n; p->num++) {
		struct buf *b = &p->data[p->num];

		must(buf_new(p->fd, b, MB), "making a buffer");
		must(ld_bind(p->fd, b->handle, va(p->num), 0, MB, 0), "binding a buffer");
		buf_fill(b);
	}
	must(ld_chan(p->fd, PPU_CLASS_COPY, 16, &p->chan), "making a channel");
	must(ld_chan(p->fd, PPU_CLASS_COPY, 16, &p->other), "making a channel");
}

static void proc_close(struct proc *p)
{
	for (unsigned int i = 0; i < p->num; i++)
		buf_close(p->fd, &p->data[i]);
	buf_close(p->fd, &p->block);
	close(p->fd);
}

/* Submits what was written to the block since `begin`. */
static int submit(struct proc *p, uint32_t chan, uint32_t begin, uint64_t *seqno)
{
	return ld_submit(p->fd, chan, p->block.handle, begin * 4, p->b.used - begin, seqno);
}

/* A copy from buffer `from` to buffer `to`, and the wait for it. */
static int job(struct proc *p, unsigned int from, unsigned int to)
{
	uint32_t begin = p->b.used;
	uint64_t seqno;
	int ret;

	ld_copy_cmd(&p->b, va(from), va(to), MB);
	ret = submit(p, p->chan, begin, &seqno);
	return ret ? ret : ld_wait(p->fd, p->chan, seqno, LD_LONG);
}

/* A copy that begins when the word has this value. */
static int job_later(struct proc *p, unsigned int from, unsigned int to, uint64_t value, uint64_t *seqno)
{
	uint32_t begin = p->b.used;

	ld_acquire(&p->b, word_va(), value, PPU_SEM_OP_GE);
	ld_copy_cmd(&p->b, va(from), va(to), MB);
	return submit(p, p->chan, begin, seqno);
}

/* The other channel sets the word: only somebody who can submit lets the job begin. */
static int job_release(struct proc *p, uint64_t value)
{
	uint32_t begin = p->b.used;

	ld_release(&p->b, word_va(), value);
	return submit(p, p->other, begin, NULL);
}

/* Another file has more bound than there is room beside the job's buffers. obs beside: error of its job. */
static void beside_a_job(void)
{
	struct proc q;

	lab_step("submitting a job that has no room beside another one");
	proc_open(&q, 13);
	lab_obs("beside", "%d", job(&q, 0, 1));
	proc_close(&q);
}

/*
 * A job waits in its ring; its file's buffers must stay where they are. obs busy: error of the job, of a buffer for
 * which they would have to go, ms that this took; obs stays: place of each buffer before and after; obs busy_end: errors
 * of the release, of the wait, whether the copy is right, error of the large buffer once the job is complete, error of a
 * copy after that, whether it is right.
 */
void test_busy(void)
{
	uint64_t seqno, began, before[4];
	struct proc p;
	struct buf large;
	int ret, late;

	lab_step("making a buffer for which the buffers of a job would have to go");
	parameter("evict_ms", 300);
	proc_open(&p, 4);
	ret = job_later(&p, 0, 1, 1, &seqno);
	for (int i = 0; i < 4; i++)
		before[i] = buf_place(&p.data[i]);
	began = lab_now_ms();
	late = buf_new(p.fd, &large, 14 * MB);
	lab_obs("busy", "%d %d %llu", ret, late, (unsigned long long)(lab_now_ms() - began));
	for (int i = 0; i < 4; i++)
		lab_obs("stays", "%#llx %#llx", (unsigned long long)before[i],
			(unsigned long long)buf_place(&p.data[i]));
	if (!late)
		buf_close(p.fd, &large);
	beside_a_job();
	lab_step("letting the job end, and making that buffer");
	ret = job_release(&p, 1);
	int waited = ld_wait(p.fd, p.chan, seqno, LD_LONG);
	bool right = buf_holds(&p.data[1], &p.data[0]);

	late = buf_new(p.fd, &large, 14 * MB);
	if (!late) {
		buf_close(p.fd, &large);
		late = buf_new(p.fd, &large, 14 * MB);
	}
	int again = job(&p, 2, 3);

	lab_obs("busy_end", "%d %d %d %d %d %d", ret, waited, right, late, again, buf_holds(&p.data[3], &p.data[2]));
	if (!late)
		buf_close(p.fd, &large);
	proc_close(&p);
}

/* --- a thread that waits for room ------------------------------------------------------------- */

struct maker {
	int fd, ret;
	uint32_t handle;
	pthread_t thread;
	_Atomic int done;
};

static void *maker(void *arg)
{
	struct maker *m = arg;

	m->ret = ld_bo(m->fd, 14 * MB, &m->handle);
	m->done = 1;
	return NULL;
}

/*
 * obs waiting: error of the job, whether the thread waited, error of another submission meanwhile, ms that it took, error
 * of the job's wait, of the thread, whether the copy is right
 */
void test_waiting(void)
{
	struct maker m = { 0 };
	uint64_t seqno, began;
	struct proc p;
	int ret, released, waited;
	bool asleep;

	lab_step("submitting the job that another thread's new buffer waits for");
	parameter("evict_ms", 4000 * lab_scale());
	proc_open(&p, 4);
	ret = job_later(&p, 0, 1, 1, &seqno);
	m.fd = ld_must_open();
	if (pthread_create(&m.thread, NULL, maker, &m))
		lab_fatal("the exercise cannot make a thread");
	lab_sleep_ms(200);
	asleep = !m.done;
	began = lab_now_ms();
	released = job_release(&p, 1);
	began = lab_now_ms() - began;
	waited = ld_wait(p.fd, p.chan, seqno, LD_LONG);
	pthread_join(m.thread, NULL);
	lab_obs("waiting", "%d %d %d %llu %d %d %d", ret, asleep, released, (unsigned long long)began / lab_scale(),
		waited, m.ret, buf_holds(&p.data[1], &p.data[0]));
	close(m.fd);
	proc_close(&p);
}

/* --- address spaces whose buffers move -------------------------------------------------------- */

/* obs turn: file, round, error. obs turned: file, whether the last buffer has what the first one had */
static void take_turns(void)
{
	struct proc p[2];

	lab_step("copying in two files in turn that have no room beside each other");
	proc_open(&p[0], 9);
	proc_open(&p[1], 9);
	for (unsigned int round = 0; round < 8; round++)
		for (unsigned int i = 0; i < 2; i++)
			lab_obs("turn", "%u %u %d", i, round, job(&p[i], round, round + 1));
	for (unsigned int i = 0; i < 2; i++)
		lab_obs("turned", "%u %d", i, buf_holds(&p[i].data[8], &p[i].data[0]));
	proc_close(&p[0]);
	proc_close(&p[1]);
}

/* Three places in the device's TLB: that of the commands (0), of the part, and of the target. */
#define PART_VA		0x0000000700005000ull
#define PART_AT		(252 * KB)		/* at the seam of two pieces of system memory */
#define TARGET		(9 * PAGE)

static int copy_pages(struct proc *p, uint32_t chan, uint64_t from, uint64_t to)
{
	uint32_t begin = p->b.used;
	uint64_t seqno;
	int ret;

	ld_copy_cmd(&p->b, from, to, 2 * PAGE);
	ret = submit(p, chan, begin, &seqno);
	return ret ? ret : ld_wait(p->fd, chan, seqno, LD_LONG);
}

/* All buffers go, and come back to other places, because a new one has theirs. */
static void stir(struct proc *p, struct buf *filler)
{
	struct buf large;
	int ret = buf_new(p->fd, &large, 15 * MB);

	if (!ret)
		buf_close(p->fd, &large);
	must(buf_new(p->fd, filler, 3 * MB), "making a buffer");
}

/*
 * Two pages of a buffer are bound read-only, and used; the buffer goes and comes back. obs piece: errors of the binding,
 * of a copy from there, whether it is right, error of a copy to there.
 */
static void part_of_buffer(void)
{
	struct proc p;
	struct buf filler;
	int from, to, bound;
	bool right = true;

	lab_step("moving a buffer of which two pages are bound read-only");
	proc_open(&p, 2);
	bound = ld_bind(p.fd, p.data[0].handle, PART_VA, PART_AT, 2 * PAGE, LAB_VM_READONLY);
	from = copy_pages(&p, p.chan, PART_VA, va(1) + TARGET);
	buf_fill(&p.data[1]);
	stir(&p, &filler);
	if (!from)
		from = copy_pages(&p, p.chan, PART_VA, va(1) + TARGET);
	for (uint64_t i = 0; i < 2 * PAGE / 8; i += 8)
		right = right && p.data[1].p[TARGET / 8 + i] == p.data[0].p[PART_AT / 8 + i];
	to = copy_pages(&p, p.other, va(1), PART_VA);
	lab_obs("piece", "%d %d %d %d", bound, from, right, to);
	buf_close(p.fd, &filler);
	proc_close(&p);
}

void test_spaces(void)
{
	take_turns();
	part_of_buffer();
}

/* obs set: error of a job whose file has 17 MiB bound, copies that the device made, error when 4 MiB are not bound */
void test_large_set(void)
{
	struct proc p;
	struct buf other;
	uint64_t copies;
	int ret;

	lab_step("submitting in a file that has more bound than VRAM has room for");
	parameter("evict_ms", 300);
	proc_open(&p, 17);
	/* Another buffer, which would have to go for nothing. */
	must(buf_new(p.fd, &other, 4 * MB), "making a buffer");
	/* The block for the commands comes back now, not when the job is written. */
	(void)p.b.words[0];
	copies = lab_counter(PPU_CTR_CE_COPIES);
	ret = job(&p, 0, 1);
	copies = lab_counter(PPU_CTR_CE_COPIES) - copies;
	for (unsigned int i = 13; i < 17; i++)
		must(ld_unbind(p.fd, va(i), MB), "unbinding a buffer");
	int less = job(&p, 0, 1);

	lab_obs("set", "%d %llu %d", ret, (unsigned long long)copies, less);
	buf_close(p.fd, &other);
	proc_close(&p);
}
