// SPDX-License-Identifier: MIT
/*
 * Lab 6 in the guest: fences, seen through syncobjs and sync files.
 *
 *   exercise fences       everything but the other two
 *   exercise wait         one channel waits for another
 *   exercise interrupts   submissions one by one, on a device whose messages get lost
 *
 * No result depends on how fast anything is: a submission that must not be complete yet waits for a word
 * that this program has not written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "lab_uapi.h"
#include "lablib.h"
#include "labsync.h"

#define MIB	(1u << 20)
#define SOON	(5000000000ll * lab_scale())	/* ns; a wait that ends at once, or never */
#define COPY	PPU_CLASS_COPY
#define COMPUTE	PPU_CLASS_COMPUTE

static void nop(struct lw *w)
{
	ld_word(&w->b, PPU_CMD_HDR(PPU_CMD_NOP, 1, 0));
}

/* The grader looks in the trace for the block that has just been begun. */
static void mark(struct lw *w, const char *name)
{
	lab_obs("block", "%s %llu", name, (unsigned long long)lw_block_va(w));
}

/* A submission that does not complete before word `word` is 1. */
static int held(struct lw *w, uint32_t chan, unsigned int word, uint32_t in, uint32_t out, const char *name)
{
	lw_begin(w);
	if (name)
		mark(w, name);
	ld_acquire(&w->b, lw_word(w, word), 1, PPU_SEM_OP_EQ);
	return lw_submit(w, chan, in, out, NULL);
}

static int simple(struct lw *w, uint32_t chan, uint32_t in, uint32_t out, const char *name)
{
	lw_begin(w);
	if (name)
		mark(w, name);
	nop(w);
	return lw_submit(w, chan, in, out, NULL);
}

static uint32_t new_syncobj(struct lw *w)
{
	uint32_t handle;
	int ret = ls_new(w->fd, &handle);

	if (ret)
		lab_fatal("the DRM device has no syncobjs: %s", strerror(-ret));
	return handle;
}

/* --- a fence signals ------------------------------------------------------------------------- */

static void test_signal(void)
{
	struct lw w;
	uint32_t chan, out = 0;
	char driver[32] = "", timeline[32] = "";
	int ret, sync, before, after, early;
	struct ls_sleeper sleeper;
	bool woken;

	lab_step("submit work with an out-syncobj and wait for it");
	lw_open(&w);
	chan = lw_chan(&w, COPY, 0, 0);
	out = new_syncobj(&w);
	ret = held(&w, chan, 0, 0, out, NULL);
	lab_obs("submit", "%d", ret);
	if (ret) {
		lw_close(&w);
		return;
	}
	sync = ls_export(w.fd, out);
	lab_obs("export", "%d", sync < 0 ? sync : 0);
	if (sync < 0) {
		lw_set(&w, 0, 1);
		lw_close(&w);
		return;
	}
	before = ls_status(sync);
	early = ls_wait(w.fd, out, 0);
	ret = ls_names(sync, driver, timeline);
	lab_obs("names", "%d %s", ret, driver[0] ? driver : "-");
	/* The sleeper sleeps already, so only the driver can look at the word, after the interrupt. */
	ls_sleep_start(&sleeper, sync);
	lw_set(&w, 0, 1);
	woken = ls_sleep_end(&sleeper);
	after = ls_status(sync);
	ret = ls_wait(w.fd, out, woken ? SOON : 0);
	lab_obs("signal", "%d %d %d %d %d", before, early, woken, after, ret);
	close(sync);
	lw_close(&w);
}

static void test_order(void)
{
	struct lw_buf src, dst;
	uint32_t chan, out;
	struct lw w;
	int bad = 0, silent = 0;

	lab_step("copy 4 MiB and look at them when the fence has signalled");
	lw_open(&w);
	chan = lw_chan(&w, COPY, 0, 0);
	out = new_syncobj(&w);
	src = lw_buf(&w, 4 * MIB, 0x11111111);
	dst = lw_buf(&w, 4 * MIB, 0);
	for (unsigned int i = 0; i < 3; i++) {
		src.p[MIB - 1] = i + 1;
		lw_begin(&w);
		mark(&w, i ? "copy-more" : "copy");
		ld_copy_cmd(&w.b, src.va, dst.va, src.bytes);
		if (lw_submit(&w, chan, 0, out, NULL) || ls_wait(w.fd, out, SOON))
			silent++;
		else if (dst.p[MIB - 1] != i + 1)
			bad++;
	}
	lab_obs("copied", "%d %d", bad, silent);

	lab_step("submit to a compute channel");
	chan = lw_chan(&w, COMPUTE, 0, 0);
	simple(&w, chan, 0, out, "compute");
	lab_obs("compute", "%d", ls_wait(w.fd, out, SOON));
	lw_close(&w);
}

/* --- without interrupts ------------------------------------------------------------------------ */

static int mask(unsigned int masked)
{
	int fd = open("/dev/lab", O_RDWR | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = ioctl(fd, LAB_IOC_MASK, &masked) ? -errno : 0;
	close(fd);
	return ret;
}

static void test_masked(void)
{
	uint32_t chan, out;
	uint64_t seqno;
	struct lw w;
	int ret;

	lab_step("look at a fence while interrupts are masked");
	lw_open(&w);
	chan = lw_chan(&w, COPY, 0, 0);
	out = new_syncobj(&w);
	ret = mask(1);
	if (ret)
		lab_fatal("/dev/lab does not mask interrupts (%s): lab 2 has to work first", strerror(-ret));
	lw_begin(&w);
	nop(&w);
	ret = lw_submit(&w, chan, 0, out, &seqno);
	/* The ring is empty when everything is done, and the code of lab 5 sees that without interrupts. */
	if (!ret)
		ret = ld_wait(w.fd, chan, seqno, SOON);
	lab_obs("masked", "%d %d", ret, ls_wait(w.fd, out, 0));
	mask(0);
	lw_close(&w);
}

/* --- waiting --------------------------------------------------------------------------------- */

static void test_device_waits(void)
{
	uint32_t a, b, first, second, third;
	struct ls_thread t;
	struct lw w;
	enum ls_state state;
	bool blocked;
	int ret;

	lab_step("submit work that waits for a fence of the same device");
	lw_open(&w);
	a = lw_chan(&w, COPY, 0, 0);
	b = lw_chan(&w, COMPUTE, 0, 0);
	first = new_syncobj(&w);
	second = new_syncobj(&w);
	third = new_syncobj(&w);
	ret = held(&w, a, 1, 0, first, "waited-for");
	if (ret) {
		lab_obs("gpu", "%d 0 0 0", ret);
		lw_close(&w);
		return;
	}
	lw_begin(&w);
	mark(&w, "waiting");
	nop(&w);
	t = (struct ls_thread){ .fd = w.fd, .chan = b, .handle = w.block.handle, .in = first, .out = second,
				.offset = w.begin * 4ull, .words = 1 };
	ls_submit_start(&t);
	state = ls_submit_state(&t);
	/* Both channels stand at a semaphore: the first at the exercise's word, the second at the first channel's. */
	blocked = state == LS_DONE && !t.ret && lab_until(lw_blocked() == 2, 5);
	lab_obs("gpu_early", "%d", ls_wait(w.fd, second, 0));
	lw_set(&w, 1, 1);
	ret = ls_submit_end(&t);
	lab_obs("gpu", "%d %d %d %d", ret, state == LS_DONE, blocked, ret ? ret : ls_wait(w.fd, second, SOON));
	/* When b comes to its acquire, the word of a is already one beyond the number that b waits for. */
	if (!ret)
		ret = held(&w, a, 6, 0, first, NULL) ?: held(&w, b, 7, 0, 0, NULL) ?: simple(&w, a, 0, second, NULL) ?:
		      simple(&w, b, first, third, NULL);
	lw_set(&w, 6, 1);
	if (!ret)
		ls_wait(w.fd, second, SOON);
	lw_set(&w, 7, 1);
	lab_obs("past", "%d %d", ret, ret ? ret : ls_wait(w.fd, third, SOON));
	lw_close(&w);
}

static void test_chain(void)
{
	uint32_t a, b, out;
	struct lw w;
	int ret;

	lab_step("submit work that waits for each other in turns");
	lw_open(&w);
	a = lw_chan(&w, COPY, 0, 0);
	b = lw_chan(&w, COMPUTE, 0, 0);
	out = new_syncobj(&w);
	ret = simple(&w, a, 0, out, NULL);
	for (int i = 0; i < 20 && !ret; i++)
		ret = simple(&w, i & 1 ? a : b, out, out, NULL);
	lab_obs("chain", "%d %d", ret, ret ? ret : ls_wait(w.fd, out, SOON));
	lw_close(&w);
}

static void test_foreign(void)
{
	uint32_t chan, marker, in, out;
	struct ls_foreign foreign;
	struct ls_thread t;
	uint64_t seqno;
	enum ls_state state;
	struct lw w;
	int sync, ret;

	lab_step("submit work that waits for another driver's fence");
	lw_open(&w);
	chan = lw_chan(&w, COPY, 0, 0);
	marker = lw_chan(&w, COMPUTE, 0, 0);
	out = new_syncobj(&w);
	sync = ls_foreign(&foreign);
	if (sync < 0)
		lab_fatal("the exercise cannot make a fence of vgem: %s", strerror(-sync));
	ret = ls_import(w.fd, sync, &in);
	if (ret)
		lab_fatal("the DRM device takes no sync file: %s", strerror(-ret));
	lw_begin(&w);
	mark(&w, "foreign");
	nop(&w);
	t = (struct ls_thread){ .fd = w.fd, .chan = chan, .handle = w.block.handle, .in = in, .out = out,
				.offset = w.begin * 4ull, .words = 1 };
	ls_submit_start(&t);
	state = ls_submit_state(&t);
	/* This submission is done before the fence signals, so it must stand before the waiting one in the trace. */
	lw_begin(&w);
	mark(&w, "foreign-marker");
	nop(&w);
	if (!lw_submit(&w, marker, 0, 0, &seqno))
		ld_wait(w.fd, marker, seqno, SOON);
	ls_foreign_signal(&foreign);
	ret = ls_submit_end(&t);
	lab_obs("foreign", "%d %d %d", ret, state, ret ? ret : ls_wait(w.fd, out, SOON));
	ls_foreign_end(&foreign);
	close(sync);

	lab_step("submit work that waits for a syncobj signalled by the CPU");
	ls_signal(w.fd, in);
	ret = simple(&w, chan, in, out, NULL);
	lab_obs("signalled", "%d %d", ret, ret ? ret : ls_wait(w.fd, out, SOON));
	lw_close(&w);
}

/* --- errors ---------------------------------------------------------------------------------- */

static void test_error(void)
{
	uint32_t a, b, syncobj[3], waiter;
	int sync[3], status[3], ret, other;
	struct lw w;

	lab_step("submit a command that does not exist between two that are good");
	lw_open(&w);
	a = lw_chan(&w, COPY, 0, 0);
	b = lw_chan(&w, COPY, 0, 0);
	waiter = new_syncobj(&w);
	for (int i = 0; i < 3; i++)
		syncobj[i] = new_syncobj(&w);
	ret = held(&w, a, 2, 0, syncobj[0], NULL);
	lw_begin(&w);
	ld_word(&w.b, PPU_CMD_HDR(0x7f, 1, 0));
	if (!ret)
		ret = lw_submit(&w, a, 0, syncobj[1], NULL);
	if (!ret)
		ret = simple(&w, a, 0, syncobj[2], NULL);
	/* In the device b waits for the number of the third submission, which a never reaches. */
	if (!ret)
		ret = simple(&w, b, syncobj[2], waiter, NULL);
	if (ret) {
		lab_obs("error_submit", "%d", ret);
		lw_set(&w, 2, 1);
		lw_close(&w);
		return;
	}
	for (int i = 0; i < 3; i++)
		sync[i] = ls_export(w.fd, syncobj[i]);
	lw_set(&w, 2, 1);
	for (int i = 0; i < 3; i++) {
		ls_poll(sync[i], i == 1 ? 10000 : 2000);
		status[i] = ls_status(sync[i]);
		close(sync[i]);
	}
	other = ls_wait(w.fd, waiter, SOON);
	lab_obs("error", "%d %d %d", status[0], status[1], status[2]);
	lab_obs("error_waiter", "%d", other);
	lab_obs("error_submit", "%d", simple(&w, a, 0, 0, NULL));
	lw_close(&w);
}

static void test_destroy(void)
{
	uint32_t a, b, pending, waiter;
	int sync, ret, status;
	struct lw w;

	lab_step("destroy a channel whose work is not complete");
	lw_open(&w);
	a = lw_chan(&w, COPY, 0, 0);
	b = lw_chan(&w, COPY, 0, 0);
	pending = new_syncobj(&w);
	waiter = new_syncobj(&w);
	ret = held(&w, a, 3, 0, pending, NULL);
	if (!ret)
		ret = simple(&w, b, pending, waiter, NULL);
	if (ret) {
		lab_obs("destroy", "%d 0 0", ret);
		lw_close(&w);
		return;
	}
	sync = ls_export(w.fd, pending);
	ret = ld_chan_close(w.fd, a);
	ls_poll(sync, 2000);
	status = ls_status(sync);
	lab_obs("destroy", "%d %d %d", ret, status, ls_wait(w.fd, waiter, SOON));
	close(sync);
	lw_close(&w);
}

/* --- arguments --------------------------------------------------------------------------------- */

static void test_arguments(void)
{
	uint32_t chan, out, empty;
	uint64_t first = 0, last = 0;
	struct lw w;
	int ret, bad_in, bad_out, bad_empty, bad_fence;

	lab_step("submit with syncobjs that do not exist");
	lw_open(&w);
	chan = lw_chan(&w, COPY, 0, 0);
	out = new_syncobj(&w);
	empty = new_syncobj(&w);
	lw_begin(&w);
	nop(&w);
	ret = lw_submit(&w, chan, 0, out, &first);
	lw_begin(&w);
	mark(&w, "never");
	nop(&w);
	bad_in = lw_submit(&w, chan, 0xfff0, out, NULL);
	bad_out = lw_submit(&w, chan, 0, 0xfff0, NULL);
	bad_empty = lw_submit(&w, chan, empty, 0, NULL);
	bad_fence = ls_wait(w.fd, out, SOON);
	lw_begin(&w);
	nop(&w);
	if (!ret)
		ret = lw_submit(&w, chan, 0, out, &last);
	lab_obs("arguments", "%d %d %d %d %d %lld", ret, bad_in, bad_out, bad_empty, bad_fence,
		(long long)(last - first));
	lab_obs("arguments_end", "%d", ret ? ret : ls_wait(w.fd, out, SOON));
	lw_close(&w);
}

/* --- lifetime ---------------------------------------------------------------------------------- */

static int module_users(void)
{
	const char *text = lab_read_file("/sys/module/lab/refcnt");

	return text[0] ? atoi(text) : -1;
}

static void test_lifetime(void)
{
	char driver[32] = "", timeline[32] = "";
	int done = -1, pending = -1, ret, with, without;
	uint32_t a, b, syncobj;
	bool names;
	struct lw w;

	lab_step("keep fences longer than their channels and files");
	lw_open(&w);
	a = lw_chan(&w, COPY, 0, 0);
	b = lw_chan(&w, COPY, 0, 0);
	syncobj = new_syncobj(&w);
	ret = simple(&w, a, 0, syncobj, NULL);
	if (!ret)
		ret = ls_wait(w.fd, syncobj, SOON);
	if (!ret)
		done = ls_export(w.fd, syncobj);
	if (!ret)
		ret = held(&w, b, 4, 0, syncobj, NULL);
	if (!ret)
		pending = ls_export(w.fd, syncobj);
	ld_chan_close(w.fd, a);
	lw_close(&w);
	/* Mappings of the buffers keep the file open; from here on nothing does. */
	lab_step("look at a fence whose file is closed");
	lab_until(ls_status(pending) != 0, 3);
	names = done >= 0 && ls_names(done, driver, timeline);
	lab_obs("outlived", "%d %d %d %d", ret, done < 0 ? done : ls_status(done),
		pending < 0 ? pending : ls_status(pending), names && !strcmp(driver, "lab"));
	with = module_users();
	close(done);
	close(pending);
	lab_until(!module_users(), 3);
	without = module_users();
	lab_obs("users", "%d %d", with, without);

	lab_step("unbind the driver while a fence is pending");
	lw_open(&w);
	a = lw_chan(&w, COPY, 0, 0);
	syncobj = new_syncobj(&w);
	held(&w, a, 5, 0, syncobj, NULL);
	pending = ls_export(w.fd, syncobj);
	ret = lab_unbind("lab");
	ls_poll(pending, 2000);
	lab_obs("unbound", "%d %d", ret, pending < 0 ? pending : ls_status(pending));
	lw_close(&w);
	close(pending);
	lab_step("bind the driver again");
	lab_obs("rebound", "%d", lab_bind("lab"));
}

static void fences(void)
{
	lab_witness_reset();
	lab_must_load("");
	test_signal();
	test_order();
	test_masked();
	test_chain();
	test_foreign();
	test_error();
	test_destroy();
	test_arguments();
	test_lifetime();
	lab_step("unload the module");
	lab_obs("unload", "%d", lab_unload());
	lab_witness_obs("unloaded");
}

static void interrupts(void)
{
	uint32_t chan, out;
	int woken = 0, errors = 0;
	struct ls_sleeper sleeper;
	struct lw w;

	lab_must_load("");
	lw_open(&w);
	chan = lw_chan(&w, COPY, 0, 0);
	out = new_syncobj(&w);
	for (int i = 0; i < 12 && !errors; i++) {
		int sync;

		lab_step("wait for fence %d of 12 while messages are lost, late, or for nothing", i + 1);
		lw_begin(&w);
		ld_acquire(&w.b, lw_word(&w, 0), i + 1, PPU_SEM_OP_EQ);
		if (lw_submit(&w, chan, 0, out, NULL)) {
			errors++;
			break;
		}
		sync = ls_export(w.fd, out);
		ls_sleep_start(&sleeper, sync);
		lw_set(&w, 0, i + 1);
		if (ls_sleep_end(&sleeper))
			woken++;
		else
			errors++;
		close(sync);
	}
	lab_obs("interrupts", "%d %d", woken, errors);
	lw_close(&w);
	lab_step("unload the module");
	lab_must_unload();
}

static void waits(void)
{
	lab_must_load("");
	test_device_waits();
	lab_step("unload the module");
	lab_must_unload();
}

int main(int argc, char **argv)
{
	lab_step("loading what the exercise needs");
	if (argc > 1 && !strcmp(argv[1], "interrupts"))
		interrupts();
	else if (argc > 1 && !strcmp(argv[1], "wait"))
		waits();
	else
		fences();
	return 0;
}
