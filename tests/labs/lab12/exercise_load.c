// SPDX-License-Identifier: MIT
/* Lab 12: resets while four threads use the device. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include "exercise.h"

#define RESETS	6

static _Atomic int over;
static _Atomic unsigned int done[4];	/* rounds of each thread */

/* What a thread noted: its first error, and how often something was wrong. */
struct thread {
	pthread_t thread;
	struct lw w;
	struct lw_buf from, to;
	int error;
	unsigned int wrong, lost;
};

static struct thread threads[4];

static void note(struct thread *t, int ret)
{
	if (ret && !t->error)
		t->error = ret;
}

/* Copies by ioctl: a reset makes them wait. */
static void *copier(void *arg)
{
	struct thread *t = arg;

	for (uint32_t n = 1; !over; n++) {
		t->from.p[0] = n;
		t->from.p[BYTES / 4 - 1] = n;
		note(t, ld_copy(t->w.fd, t->from.handle, 0, t->to.handle, 0, BYTES));
		t->wrong += t->to.p[0] != n || t->to.p[BYTES / 4 - 1] != n;
		done[0]++;
	}
	return NULL;
}

static void *maker(void *arg)
{
	struct thread *t = arg;

	while (!over) {
		uint32_t handle;
		int ret = ld_bo(t->w.fd, BYTES, &handle);

		note(t, ret);
		if (!ret)
			ld_bo_close(t->w.fd, handle);
		done[1]++;
	}
	return NULL;
}

/* Stores through a mapping: none may be lost. */
static void *storer(void *arg)
{
	struct thread *t = arg;

	for (uint32_t n = 1; !over; n++) {
		t->to.p[n % 1024] = n;
		__sync_synchronize();
		t->lost += t->to.p[n % 1024] != n;
		done[2]++;
	}
	return NULL;
}

/* Jobs: a reset ends them with -EIO, and the channel with them. */
static void *submitter(void *arg)
{
	struct thread *t = arg;
	uint32_t chan = 0;
	uint64_t seqno;
	int ret;

	for (uint32_t n = 1; !over; n++) {
		if (!chan && ld_chan(t->w.fd, PPU_CLASS_COPY, 16, &chan)) {
			note(t, -ENOSR);
			break;
		}
		t->w.b.used = 0;
		t->from.p[5] = n;
		ret = submit_copy(&t->w, chan, &t->from, &t->to, -1, 0, &seqno);
		if (!ret)
			ret = ld_wait(t->w.fd, chan, seqno, LD_LONG);
		if (ret) {
			t->lost++;
			if (ret != -EIO)
				note(t, ret);
			ld_chan_close(t->w.fd, chan);
			chan = 0;
		} else {
			t->wrong += t->to.p[5] != n;
			done[3]++;
		}
	}
	return NULL;
}

/* obs load: error of a reset. obs thread: which, rounds, whether it went on after the last reset, error, wrong, lost */
void test_load(void)
{
	static void *(*const run[4])(void *) = { copier, maker, storer, submitter };
	static const char *const names[4] = { "copy", "create", "store", "job" };
	unsigned int before[4];
	int ret = 0;

	lab_step("starting threads that use the device");
	for (int i = 0; i < 4; i++) {
		lw_open(&threads[i].w);
		threads[i].from = lw_buf(&threads[i].w, BYTES, 0);
		threads[i].to = lw_buf(&threads[i].w, BYTES, 0);
	}
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i].thread, NULL, run[i], &threads[i]))
			lab_fatal("the exercise cannot make a thread");
	lab_step("resetting the device %d times under load", RESETS);
	lab_limit(60);
	for (int i = 0; i < RESETS && !ret; i++) {
		lab_sleep_ms(30);
		ret = reset();
	}
	lab_step("letting the threads go on after the last reset");
	for (int i = 0; i < 4; i++)
		before[i] = done[i];
	(void)lab_until(done[0] > before[0] + 1 && done[1] > before[1] && done[2] > before[2] && done[3] > before[3] + 1, 5);
	over = 1;
	lab_obs("load", "%d", ret);
	for (int i = 0; i < 4; i++) {
		struct thread *t = &threads[i];

		lab_obs("thread", "%s %u %d %d %u %u", names[i], done[i], done[i] > before[i], t->error, t->wrong, t->lost);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i].thread, NULL);
		lw_close(&threads[i].w);
	}
}
