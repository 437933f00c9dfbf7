// SPDX-License-Identifier: MIT
/* Lab 5: the end of channels. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include "exercise.h"

struct waiter {
	pthread_t thread;
	int fd, ret;
	uint32_t id;
	uint64_t seqno;
	volatile int begun;
};

static void *wait_thread(void *arg)
{
	struct waiter *w = arg;

	w->begun = 1;
	w->ret = ld_wait(w->fd, w->id, w->seqno, 2 * SHORT);
	return NULL;
}

static void waiter_start(struct waiter *w, int fd, uint32_t id, uint64_t seqno)
{
	*w = (struct waiter){ .fd = fd, .id = id, .seqno = seqno };
	if (pthread_create(&w->thread, NULL, wait_thread, w))
		lab_fatal("the exercise cannot make a thread");
	/* By then the thread sleeps, or it finds at once what would have woken it. */
	lab_until(w->begun, 5);
	lab_sleep_ms(20);
}

/* A channel at the gate, with two jobs behind it; returns the hardware number. */
static int blocked(struct pad *p, uint32_t *id, uint64_t *last)
{
	int chid;

	p->word[COUNT] = 0;
	p->word[GATE] = 0;
	if (make_channel(p->fd, PPU_CLASS_COPY, 16, id, &chid) || chid < 0 ||
	    submit(p, *id, 0, block_gate(p, 0), last) || submit(p, *id, 1, block_count(p, 1), last) ||
	    submit(p, *id, 2, block_count(p, 2), last))
		return -1;
	return lab_until(ch_reg(chid, PPU_REG_CH_STATUS) & PPU_CHS_SEM_BLOCKED, 5) ? chid : -1;
}

/*
 * obs destroy: error; error of the waiting thread; CH_STATUS, GET, PUT afterwards; jobs executed when the gate opens;
 * error of a new channel's job; jobs executed then
 */
void test_destroy(struct pad *p)
{
	struct waiter w;
	uint64_t last, status, executed;
	uint32_t id, get, put;
	int chid, ret, again;

	lab_step("destroying a channel with work in its ring");
	chid = blocked(p, &id, &last);
	if (chid < 0)
		return;
	waiter_start(&w, p->fd, id, last);
	ret = ld_chan_close(p->fd, id);
	lab_step("waiting for who waited for a channel that was destroyed");
	pthread_join(w.thread, NULL);
	status = ch_reg(chid, PPU_REG_CH_STATUS);
	get = ch_reg(chid, PPU_REG_CH_GET);
	put = ch_reg(chid, PPU_REG_CH_PUT);
	open_gate(p, chid);
	/* After this job of another channel, the old channel would have gone on, if it could. */
	again = make_channel(p->fd, PPU_CLASS_COPY, 16, &id, &chid);
	if (!again)
		again = submit(p, id, 3, block_store(p, 3, FIRST, 3), &last);
	if (!again)
		again = ld_wait(p->fd, id, last, SHORT);
	executed = p->word[COUNT];
	lab_obs("destroy", "%d %d %llu %u %u %llu %d", ret, w.ret, (unsigned long long)status, get, put,
		(unsigned long long)executed, again);
	ld_chan_close(p->fd, id);
}

/* obs close: channels enabled before the file was closed, and after */
void test_close(void)
{
	struct pad p;
	uint64_t last, before;
	uint32_t id;

	lab_step("closing a file with a busy channel");
	lab_complaints("before");
	if (!pad_open(&p, ld_must_open()))
		return;
	if (blocked(&p, &id, &last) < 0) {
		pad_close(&p);
		close(p.fd);
		return;
	}
	before = enabled();
	close(p.fd);
	/* The mappings keep the file open, so they go first. */
	pad_close(&p);
	lab_obs("close", "%llu %llu", (unsigned long long)before, (unsigned long long)enabled());
}

/* From here on the witness knows of everything that the driver has acquired. */
static int rebind(void)
{
	int ret = lab_unbind("lab");

	lab_witness_reset();
	return ret ? ret : lab_bind("lab");
}

/* obs removal: unbind, the thread that waited, a wait of the old file, bind, a job of a new file */
void test_removal(void)
{
	struct pad old, p;
	struct waiter w;
	uint64_t last;
	uint32_t id;
	int ret, chid, late, bound, again;

	lab_step("unbinding and binding the driver");
	lab_obs("rebind", "%d", rebind());
	if (!pad_open(&old, ld_must_open()) || blocked(&old, &id, &last) < 0)
		return;		/* so the module stays loaded */
	waiter_start(&w, old.fd, id, last);
	lab_step("unbinding the driver with a busy channel that a thread waits for");
	ret = lab_unbind("lab");
	pthread_join(w.thread, NULL);
	late = ld_wait(old.fd, id, last, 0);
	lab_complaints("unbind");
	lab_step("binding the driver again");
	bound = lab_bind("lab");
	if (!pad_open(&p, ld_must_open()))
		return;
	again = make_channel(p.fd, PPU_CLASS_COPY, 16, &id, &chid);
	if (!again)
		again = submit(&p, id, 3, block_count(&p, 3), &last);
	if (!again)
		again = ld_wait(p.fd, id, last, SHORT);
	lab_obs("removal", "%d %d %d %d %d", ret, w.ret, late, bound, again);
	lab_step("closing both files");
	pad_close(&old);
	close(old.fd);
	pad_close(&p);
	close(p.fd);
	lab_must_unload();
	lab_complaints("end");
	lab_witness_obs("left");
}
