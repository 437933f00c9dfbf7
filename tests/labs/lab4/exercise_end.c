// SPDX-License-Identifier: MIT
/* Lab 4: allocations that fail, and a device that goes away while it is used. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include "exercise.h"

/* Makes a buffer and an mmap() offset for it, and closes the buffer. */
static int use_buffer(int fd)
{
	uint32_t handle;
	uint64_t offset;
	int ret = ld_bo(fd, 3 * PAGE, &handle);

	if (ret)
		return ret;
	ret = ld_mmap_offset(fd, handle, &offset);
	ld_bo_close(fd, handle);
	return ret;
}

/*
 * Each acquisition on the way fails once. obs fail: number, function, place, error, how much is held
 * afterwards. obs fail_end: number of acquisitions, error without a failure.
 */
void test_failures(int fd)
{
	struct lab_witness w;
	unsigned int n, total;
	int ret;

	lab_step("counting what making a buffer acquires");
	lab_witness_reset();
	ret = use_buffer(fd);
	lab_witness_read(&w);
	total = w.acquired;
	lab_obs("fail_base", "%u %d %u %s", total, ret, w.nheld, w.nheld ? w.held[0].what : "nothing");
	for (n = 1; n <= total && n < 32; n++) {
		lab_step("making a buffer while acquisition %u of the driver fails", n);
		lab_witness_reset();
		lab_witness_fail(n);
		ret = use_buffer(fd);
		lab_witness_fail(0);
		lab_witness_read(&w);
		lab_obs("fail", "%u %d %u %s %s", n, ret, w.nheld, w.nheld ? w.held[0].what : "nothing",
			w.nheld ? w.held[0].where : "-");
	}
	lab_obs("fail_end", "%d", use_buffer(fd));
}

/* --- the device goes ------------------------------------------------------------------------------ */

static sigjmp_buf jump;

static void on_bus(int sig)
{
	(void)sig;
	siglongjmp(jump, 1);
}

/* Does a load from there end in SIGBUS? */
static bool dies(volatile uint64_t *p)
{
	struct sigaction act = { .sa_handler = on_bus }, old;
	volatile bool died = true;

	sigaction(SIGBUS, &act, &old);
	if (!sigsetjmp(jump, 1)) {
		(void)*p;
		died = false;
	}
	sigaction(SIGBUS, &old, NULL);
	return died;
}

/* obs used: when, error of a create, error of a copy, whether the mapping shows what was written */
static void use_all(const char *when, int fd)
{
	uint32_t a;
	volatile uint64_t *p;
	int ret = ld_bo(fd, 4 * PAGE, &a), copied = -EINVAL;
	bool seen = false;

	if (!ret) {
		p = ld_map(fd, a, 4 * PAGE);
		if (p) {
			p[0] = 0xabcdef;
			copied = ld_copy(fd, a, 0, a, 2 * PAGE, 64);
			seen = p[2 * PAGE / 8] == 0xabcdef;
			munmap((void *)p, 4 * PAGE);
		}
		ld_bo_close(fd, a);
	}
	lab_obs("used", "%s %d %d %d", when, ret, copied, seen);
}

/* From here on the witness knows of everything that the driver has acquired. */
static int lab_rebind(void)
{
	lab_witness_reset();
	return lab_bind("lab");
}

void test_removal(void)
{
	volatile uint64_t *p = NULL, *q = NULL;
	uint32_t a, b, fresh;
	int old, fd, ret;

	lab_complaints("before");
	lab_step("unbinding and binding the driver");
	ret = lab_unbind("lab");
	lab_obs("rebind", "%d %d", ret, lab_rebind());
	old = ld_must_open();
	lab_step("unbinding the driver with an open file and mappings");
	if (!ld_bo(old, 8 * PAGE, &a) && !ld_bo(old, 8 * PAGE, &b)) {
		p = ld_map(old, a, 8 * PAGE);
		q = ld_map(old, b, 8 * PAGE);
	}
	lab_obs("mapped", "%d", p && q);
	if (!p || !q)
		return;
	p[0] = 1;		/* one page is touched and mapped, the others are not */
	lab_obs("unbind", "%d", lab_unbind("lab"));
	lab_obs("gone", "%d %d %d", dies(p), dies(p + PAGE / 8), dies(q));
	lab_obs("gone_ioctl", "%d", ld_bo(old, PAGE, &fresh));
	lab_complaints("unbind");
	lab_step("binding the driver again, the old file still open");
	lab_obs("bind", "%d", lab_bind("lab"));
	fd = ld_must_open();
	use_all("again", fd);
	/* The new device must not give the old device's buffers back to the mapping. */
	lab_obs("gone_still", "%d", dies(p));
	lab_step("closing the old file");
	munmap((void *)p, 8 * PAGE);
	munmap((void *)q, 8 * PAGE);
	close(old);
	use_all("closed", fd);
	close(fd);
	lab_must_unload();
	lab_complaints("end");
	lab_witness_obs("left");
}
