// SPDX-License-Identifier: MIT
/* Lab 12: the driver is unbound, or the device removed, while both are in use. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include "exercise.h"

static sigjmp_buf jump;

static void on_bus(int sig)
{
	(void)sig;
	siglongjmp(jump, 1);
}

/* Reads a word, then stores another value and reads it again. false: that ended in SIGBUS. */
static bool touch(volatile uint32_t *p, uint32_t value, uint32_t *first, uint32_t *then)
{
	struct sigaction act = { .sa_handler = on_bus }, old;
	volatile bool lives = false;

	sigaction(SIGBUS, &act, &old);
	if (!sigsetjmp(jump, 1)) {
		*first = *p;
		*p = value;
		*then = *p;
		lives = true;
	}
	sigaction(SIGBUS, &old, NULL);
	return lives;
}

/* obs page: where, whether the program lived, what it read first, what it stored, what it read then */
static void touch_page(const char *where, volatile uint32_t *p, uint32_t value)
{
	uint32_t first = 0, then = 0;
	bool lives = touch(p, value, &first, &then);

	lab_obs("page", "%s %d %u %u %u", where, lives, first, value, then);
}

/* A file whose job waits in its ring, and that has a sleeper. */
struct user {
	struct lw w;
	struct lw_buf from, to;
	uint32_t chan;
	uint64_t seqno;
	int sync;
};

static void user_open(struct user *u, uint32_t value)
{
	uint32_t out;
	int ret;

	lw_open(&u->w);
	u->from = lw_buf(&u->w, BYTES, value);
	u->to = lw_buf(&u->w, BYTES, value + 1);
	u->chan = lw_chan(&u->w, PPU_CLASS_COPY, 0, 0);
	ret = ls_new(u->w.fd, &out);
	if (!ret)
		ret = submit_copy(&u->w, u->chan, &u->from, &u->to, 1, out, &u->seqno);
	u->sync = ret ? ret : ls_export(u->w.fd, out);
	if (u->sync < 0)
		lab_fatal("a job that waits cannot be submitted: %s", strerror(-u->sync));
}

/* obs works: when, errors of a buffer and of a copy */
static void works(const char *when)
{
	int fd = ld_must_open(), copied = -EINVAL;
	uint32_t handle;
	int ret = ld_bo(fd, BYTES, &handle);

	if (!ret)
		copied = ld_copy(fd, handle, 0, handle, PAGE, 64);
	lab_obs("works", "%s %d %d", when, ret, copied);
	close(fd);
}

/* obs gone: errors of unbinding, GEM_CREATE, SUBMIT, the wait; status of the sync file, whether a sleeper was woken */
static void test_unbind(struct user *u, struct user *v)
{
	struct ls_sleeper sleeper;
	uint32_t handle;
	uint64_t seqno;
	int ret, made, submitted, waited;

	ls_sleep_start(&sleeper, u->sync);
	lab_step("unbinding the driver with jobs in rings and buffers mapped");
	ret = lab_unbind("lab");
	lab_step("using the files of a device that is gone");
	bool woken = ls_sleep_end(&sleeper);

	made = ld_bo(u->w.fd, BYTES, &handle);
	submitted = ld_submit(u->w.fd, u->chan, u->w.block.handle, 0, 4, &seqno);
	waited = ld_wait(u->w.fd, u->chan, u->seqno, LD_LONG / 10);
	lab_obs("gone", "%d %d %d %d %d %d", ret, made, submitted, waited, ls_status(u->sync), woken);
	touch_page("touched", &u->from.p[0], 5);
	touch_page("next", &u->from.p[PAGE / 4], 6);
	touch_page("other-buffer", &u->to.p[0], 7);
	touch_page("other-file", &v->from.p[0], 8);
	touch_page("touched-again", &u->from.p[1], 9);
}

/* --- a device that is removed while threads use it -------------------------------------------- */

static _Atomic int over, gone;
static _Atomic unsigned int rounds;

struct worker {
	pthread_t thread;
	int fd, error;
};

/* Makes, copies and closes buffers until that fails. */
static void *work(void *arg)
{
	struct worker *w = arg;

	while (!over && !w->error) {
		uint32_t handle;

		w->error = ld_bo(w->fd, BYTES, &handle);
		if (!w->error) {
			w->error = ld_copy(w->fd, handle, 0, handle, PAGE, 4096);
			ld_bo_close(w->fd, handle);
			rounds++;
		}
	}
	gone++;
	close(w->fd);
	return NULL;
}

/* obs removed: error of the removal, of the rescan, first error of each of three threads */
static void test_remove(void)
{
	struct worker w[3] = { 0 };
	int ret, back;

	lab_step("removing the device while three threads use it");
	/* All open it before it goes: a thread may start so late that the others have done their rounds. */
	for (int i = 0; i < 3; i++)
		w[i].fd = ld_must_open();
	for (int i = 0; i < 3; i++)
		if (pthread_create(&w[i].thread, NULL, work, &w[i]))
			lab_fatal("the exercise cannot make a thread");
	(void)lab_until(rounds > 20, 10);
	ret = lab_remove();
	(void)lab_until(gone == 3, 10);
	over = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(w[i].thread, NULL);
	lab_step("finding the device again");
	back = lab_rescan();
	lab_obs("removed", "%d %d %d %d %d", ret, back, w[0].error, w[1].error, w[2].error);
	works("rescan");
}

void test_gone(void)
{
	struct user u, v;
	uint32_t handle;
	int ret;

	user_open(&u, 0x1111);
	user_open(&v, 0x2222);
	test_unbind(&u, &v);
	lab_step("binding the driver again, the old files still open");
	ret = lab_bind("lab");
	lab_obs("rebind", "%d %d", ret, ld_bo(u.w.fd, BYTES, &handle));
	touch_page("after-rebind", &u.from.p[0], 5);
	works("rebind");
	lab_step("closing the files of a device that is gone");
	close(u.sync);
	close(v.sync);
	lw_close(&u.w);
	lw_close(&v.w);
	works("closed");
	test_remove();
}
