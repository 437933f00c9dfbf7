// SPDX-License-Identifier: MIT
/* Lab 5: entries, wrapping around, a full ring, doorbells. */
#include <errno.h>
#include <pthread.h>
#include <lablib.h>
#include <labdrm.h>
#include "exercise.h"

/* obs one: error of making a channel; for each of three jobs: error, seqno, error of the wait, whether it stored */
void test_one(struct pad *p)
{
	uint32_t id;
	uint64_t seqno;
	int chid, ret = make_channel(p->fd, PPU_CLASS_COPY, 16, &id, &chid), waited;

	lab_step("submitting one block after the other");
	lab_obs("one_chan", "%d", ret);
	for (unsigned int i = 0; i < 3 && !ret; i++) {
		p->word[FIRST] = 0;
		seqno = 0;
		ret = submit(p, id, i, block_store(p, i, FIRST, 500 + i), &seqno);
		waited = ret ? ret : ld_wait(p->fd, id, seqno, SHORT);
		lab_obs("one", "%d %llu %d %d", ret, (unsigned long long)seqno, waited, p->word[FIRST] == 500 + i);
	}
	if (id)
		ld_chan_close(p->fd, id);
}

/* --- around and around ---------------------------------------------------------------------------- */

/* Submits as many jobs as fit, then waits for the oldest one, and so on. Returns the first error. */
static int many(struct pad *p, uint32_t id, unsigned int n, uint64_t *last)
{
	uint64_t oldest = 1;
	int ret;

	for (unsigned int i = 0; i < n; i++) {
		uint32_t words = block_store(p, i, FIRST + i, 1000 + i);

		while ((ret = submit(p, id, i, words, last)) == -EAGAIN) {
			ret = ld_wait(p->fd, id, oldest++, SHORT);
			if (ret)
				return ret;
		}
		if (ret)
			return ret;
	}
	return ld_wait(p->fd, id, *last, SHORT);
}

/* obs wrap: entries, jobs, first error, last seqno, wrong words, jobs executed, PPU_ERR_* of the channel */
static void one_wrap(struct pad *p, uint32_t entries, unsigned int n)
{
	uint64_t last = 0;
	unsigned int wrong = 0;
	uint32_t id;
	int chid, ret;

	lab_step("%u submissions to a ring of %u entries", n, entries);
	p->word[COUNT] = 0;
	for (unsigned int i = 0; i < n; i++)
		p->word[FIRST + i] = 0;
	ret = make_channel(p->fd, PPU_CLASS_COPY, entries, &id, &chid);
	if (!ret)
		ret = many(p, id, n, &last);
	for (unsigned int i = 0; i < n; i++)
		wrong += p->word[FIRST + i] != 1000 + i;
	lab_obs("wrap", "%u %u %d %llu %u %llu %u", entries, n, ret, (unsigned long long)last, wrong,
		(unsigned long long)p->word[COUNT], chid > 0 ? ch_reg(chid, PPU_REG_CH_ERROR) : 0);
	if (id)
		ld_chan_close(p->fd, id);
}

void test_wrap(struct pad *p)
{
	one_wrap(p, 3, 17);
	one_wrap(p, 4, 21);
	one_wrap(p, 5, 33);
	one_wrap(p, 64, 150);
	one_wrap(p, 65536, 8);
}

/* --- full ------------------------------------------------------------------------------------------ */

/*
 * obs full: entries; jobs taken before one was refused; its error; whether GP_PUT stayed where it was; error of a
 * look at the first job; error of the wait for all; jobs executed; error of one more job; PPU_ERR_*
 */
static void one_full(struct pad *p, uint32_t entries)
{
	uint64_t last = 0, seqno, executed;
	unsigned int taken = 0;
	uint32_t id, put;
	int chid, ret, look, waited, more;

	lab_step("filling a ring of %u entries", entries);
	p->word[COUNT] = 0;
	p->word[GATE] = 0;
	if (make_channel(p->fd, PPU_CLASS_COPY, entries, &id, &chid) || chid < 0)
		return;
	ret = submit(p, id, 0, block_gate(p, 0), &last);
	while (!ret && ++taken < entries + 2)
		ret = submit(p, id, taken, block_count(p, taken), &last);
	put = ch_reg(chid, PPU_REG_CH_PUT);
	(void)submit(p, id, 900, block_count(p, 900), &seqno);
	put -= ch_reg(chid, PPU_REG_CH_PUT);
	look = ld_wait(p->fd, id, 1, 0);
	open_gate(p, chid);
	waited = ld_wait(p->fd, id, taken, SHORT);
	executed = p->word[COUNT];
	more = submit(p, id, 901, block_count(p, 901), &seqno);
	if (!more)
		more = ld_wait(p->fd, id, seqno, SHORT);
	lab_obs("full", "%u %u %d %d %d %d %llu %d %u", entries, taken, ret, put == 0, look, waited,
		(unsigned long long)executed, more, ch_reg(chid, PPU_REG_CH_ERROR));
	ld_chan_close(p->fd, id);
}

void test_full(struct pad *p)
{
	one_full(p, 3);
	one_full(p, 4);
	one_full(p, 5);
	one_full(p, 8);
	one_full(p, 33);
}

/* --- the doorbell ---------------------------------------------------------------------------------- */

/* obs doorbell: jobs or an error, doorbells, doorbells without a barrier since the last one, PPU_ERR_* */
void test_doorbell(struct pad *p)
{
	struct lab_witness w;
	uint64_t last = 0;
	uint32_t id;
	int chid, ret = 0;

	lab_step("watching the doorbell");
	if (make_channel(p->fd, PPU_CLASS_COPY, 64, &id, &chid) || chid < 0)
		return;
	/* Barriers from the making of the channel must not count for the doorbells below, so one job goes first. */
	(void)submit(p, id, 0, block_count(p, 0), &last);
	lab_witness_reset();
	for (unsigned int i = 0; i < 8 && !ret; i++)
		ret = submit(p, id, i, block_count(p, i), &last);
	lab_witness_read(&w);
	lab_obs("doorbell", "%d %u %u %u", ret ? ret : 8, w.doorbells, w.unordered,
		ch_reg(chid, PPU_REG_CH_ERROR));
	ld_chan_close(p->fd, id);
}

/*
 * The device fetches at the moment at which the doorbell rings (the costs are 0, and time stands still meanwhile). The
 * ring is empty before each job. obs order: error of a job, error of its wait, PPU_ERR_*
 */
void test_order(struct pad *p)
{
	uint64_t seqno;
	uint32_t id;
	int chid, ret, waited = 0;

	lab_step("ringing the doorbell of a device that looks at once");
	if (make_channel(p->fd, PPU_CLASS_COPY, 8, &id, &chid) || chid < 0)
		return;
	for (unsigned int i = 0; i < 3; i++) {
		ret = submit(p, id, i, block_store(p, i, FIRST, i), &seqno);
		if (!ret)
			waited = ld_wait(p->fd, id, seqno, SHORT);
		lab_obs("order", "%d %d %u", ret, waited, ch_reg(chid, PPU_REG_CH_ERROR));
	}
	ld_chan_close(p->fd, id);
}

/* --- several threads ------------------------------------------------------------------------------- */

#define THREADS	4
#define EACH	40

static struct {
	struct pad *p;
	uint32_t id;
	uint64_t seqno[THREADS][EACH];
	int error;
} crowd;

static void *submitter(void *arg)
{
	unsigned int me = (unsigned int)(uintptr_t)arg;
	int ret;

	for (unsigned int i = 0; i < EACH; i++) {
		uint64_t *seqno = &crowd.seqno[me][i];

		(void)lab_until((ret = submit(crowd.p, crowd.id, me, 3, seqno)) != -EAGAIN, 5);
		if (ret) {
			crowd.error = ret;
			break;
		}
	}
	return NULL;
}

/* How many of all seqnos 1, 2, .. were given to exactly one job? */
static unsigned int distinct(void)
{
	static unsigned char seen[THREADS * EACH + 1];
	unsigned int good = 0;

	for (unsigned int i = 0; i < THREADS * EACH; i++) {
		uint64_t s = crowd.seqno[i / EACH][i % EACH];

		if (s && s <= THREADS * EACH && !seen[s]++)
			good++;
	}
	return good;
}

/* obs threads: jobs, error, error of the wait, jobs executed, distinct seqnos, whether the kernel complained */
void test_threads(struct pad *p)
{
	pthread_t thread[THREADS];
	int chid, waited;

	lab_step("submitting to one channel from four threads");
	if (make_channel(p->fd, PPU_CLASS_COPY, 9, &crowd.id, &chid) || chid < 0)
		return;
	crowd.p = p;
	p->word[COUNT] = 0;
	for (unsigned int i = 0; i < THREADS; i++)
		block_count(p, i);
	for (unsigned int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, submitter, (void *)(uintptr_t)i))
			lab_fatal("the exercise cannot make threads");
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	waited = ld_wait(p->fd, crowd.id, THREADS * EACH, SHORT);
	lab_obs("threads", "%d %d %d %llu %u %d", THREADS * EACH, crowd.error, waited,
		(unsigned long long)p->word[COUNT], distinct(), lab_count(lab_dmesg(), "chan->lock is not held"));
	ld_chan_close(p->fd, crowd.id);
}
