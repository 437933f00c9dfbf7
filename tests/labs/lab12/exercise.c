// SPDX-License-Identifier: MIT
/*
 * Lab 12 in the guest: the device is reset, or goes, while it is used.
 *
 *   exercise reset    a reset while jobs wait in their rings
 *   exercise load     resets while threads use the device in every way
 *   exercise gone     the driver is unbound, the device removed, while both are in use
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include "exercise.h"
#include "lab_uapi.h"

int reset(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/reset", lab_pci());
	return lab_write_file(path, "1");
}

bool holds(const struct lw_buf *b, uint32_t value)
{
	for (size_t i = 0; i < b->bytes / 4; i += 16)
		if (b->p[i] != value)
			return false;
	return true;
}

int submit_copy(struct lw *w, uint32_t chan, const struct lw_buf *from, const struct lw_buf *to, int gate, uint32_t out,
		uint64_t *seqno)
{
	lw_begin(w);
	if (gate >= 0)
		ld_acquire(&w->b, lw_word(w, (unsigned int)gate), 1, PPU_SEM_OP_GE);
	ld_copy_cmd(&w->b, from->va, to->va, from->bytes);
	return lw_submit(w, chan, 0, out, seqno);
}

static void tell(const char *who, int fd)
{
	struct lab_reset_info info = { 0 };
	int ret = ioctl(fd, DRM_IOCTL_LAB_RESET_INFO, &info) ? -errno : 0;

	lab_obs("told", "%s %d %u %llu", who, ret, info.resets, (unsigned long long)info.lost);
}

/* A file with two buffers and a channel, with one complete job. */
struct user {
	struct lw w;
	struct lw_buf from, to;
	uint32_t chan, out;
	uint64_t seqno;
	int sync;
};

static void user_open(struct user *u, uint32_t value)
{
	int ret;

	lw_open(&u->w);
	u->from = lw_buf(&u->w, BYTES, value);
	u->to = lw_buf(&u->w, BYTES, 0);
	u->chan = lw_chan(&u->w, PPU_CLASS_COPY, 0, 0);
	ret = ls_new(u->w.fd, &u->out);
	if (!ret)
		ret = submit_copy(&u->w, u->chan, &u->from, &u->to, -1, u->out, &u->seqno);
	if (!ret)
		ret = ld_wait(u->w.fd, u->chan, u->seqno, LD_LONG);
	if (ret)
		lab_fatal("a copy failed before anything was reset: %s", strerror(-ret));
	u->sync = ls_export(u->w.fd, u->out);
}

static void user_close(struct user *u)
{
	close(u->sync);
	lw_close(&u->w);
}

/* obs after: who, error of the new channel's job, whether it is right, whether a sleeper was woken by its fence */
static void use_again(const char *who, struct user *u, unsigned int word)
{
	struct ls_sleeper sleeper;
	uint64_t seqno;
	uint32_t chan, out;
	int ret, sync = -1;
	bool woken = false;

	lab_step("submitting a job in a new channel after a reset (%s)", who);
	ret = ld_chan(u->w.fd, PPU_CLASS_COPY, 16, &chan);
	memset((void *)u->to.p, 0, u->to.bytes);
	if (!ret)
		ret = ls_new(u->w.fd, &out);
	if (!ret)
		ret = submit_copy(&u->w, chan, &u->from, &u->to, (int)word, out, &seqno);
	if (!ret)
		sync = ls_export(u->w.fd, out);
	if (sync >= 0) {
		ls_sleep_start(&sleeper, sync);
		lw_set(&u->w, word, 1);
		ret = ld_wait(u->w.fd, chan, seqno, LD_LONG / 4);
		woken = ls_sleep_end(&sleeper);
		close(sync);
	}
	lab_obs("after", "%s %d %d %d", who, ret, holds(&u->to, u->from.p[0]), woken);
}

/*
 * obs reset: error. obs ended: for the job that was complete and the one that was not: error of a wait, status of the
 * sync file; whether a sleeper was woken. obs old: errors of a submission to the old channel and of its end. obs kept:
 * error of GEM_COPY, whether it is right, SCRATCH.
 */
static void test_reset(void)
{
	struct ls_sleeper sleeper;
	struct user u, idle, late;
	uint64_t lost, again;
	uint32_t out;
	int ret, sync, waits[2];

	lab_step("opening two files, one with a job that waits in its ring");
	user_open(&u, 0x1111);
	user_open(&idle, 0x2222);
	ret = ls_new(u.w.fd, &out);
	if (!ret)
		ret = submit_copy(&u.w, u.chan, &u.from, &u.to, 1, out, &lost);
	sync = ret ? ret : ls_export(u.w.fd, out);
	if (sync < 0)
		lab_fatal("a job that waits cannot be submitted: %s", strerror(-sync));
	ls_sleep_start(&sleeper, sync);

	lab_step("resetting the device");
	lab_obs("reset", "%d", reset());
	lab_step("waiting for jobs that were submitted before the reset");
	waits[0] = ld_wait(u.w.fd, u.chan, u.seqno, LD_LONG / 20);
	waits[1] = ld_wait(u.w.fd, u.chan, lost, LD_LONG / 20);
	bool woken = ls_sleep_end(&sleeper);

	lab_obs("ended", "%d %d %d %d %d", waits[0], waits[1], ls_status(u.sync), ls_status(sync), woken);
	ret = submit_copy(&u.w, u.chan, &u.from, &u.to, -1, 0, &again);
	lab_obs("old", "%d %d", ret, ld_chan_close(u.w.fd, u.chan));

	lab_step("using the device after the reset");
	user_open(&late, 0x3333);
	tell("user", u.w.fd);
	tell("idle", idle.w.fd);
	tell("late", late.w.fd);
	ret = ld_copy(idle.w.fd, idle.from.handle, 0, idle.to.handle, 0, BYTES);
	bool kept = holds(&idle.to, 0x2222) && holds(&u.from, 0x1111);

	lab_obs("kept", "%d %d %u", ret, kept, lab_reg(PPU_REG_SCRATCH));
	use_again("user", &u, 2);
	use_again("idle", &idle, 2);
	use_again("late", &late, 2);
	lab_step("resetting the device once more");
	ret = reset();
	use_again("again", &idle, 3);
	tell("again", idle.w.fd);
	lab_obs("second", "%d", ret);
	close(sync);
	user_close(&late);
	user_close(&idle);
	user_close(&u);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "reset";

	lab_must_load("");
	lab_witness_reset();
	lab_complaints("before");
	if (!strcmp(what, "reset"))
		test_reset();
	else if (!strcmp(what, "load"))
		test_load();
	else
		test_gone();
	lab_step("unloading the module");
	lab_must_unload();
	lab_complaints("end");
	lab_witness_obs("left");
	return 0;
}
