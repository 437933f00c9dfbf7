// SPDX-License-Identifier: MIT
/* The device fails copies; the kernel is out of memory; messages do not come. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "exercise.h"
#include "lablib.h"

#define SEED	901
#define SINGLES	9
#define PIECES	8		/* pages of a copy of many segments */
#define MOST	20		/* a copy makes no more acquisitions */

/* x-fault-dma-fail=3: one of three copies stops the channel. */
void failing_dma(void)
{
	uint8_t *mem = memory(false);
	int ret;

	for (int i = 0; i < SINGLES; i++) {
		lab_step("copy %d of %d, of which the device fails every third", i + 1, SINGLES);
		fill(mem, 100, SEED + i);
		ret = dma(mem, 0, 100, true);
		lab_obs("single", "%d %zu %u", -ret, window ? wrong_bytes(window, 100, SEED + i) : 1, pinned());
	}
	lab_step("a copy of %d pages, of which the device fails every third", PIECES);
	for (int i = 0; i < 3; i++) {
		ret = dma(mem + 5, 0, PIECES * PAGE, false);
		lab_obs("pieces", "%d %u", -ret, pinned());
	}
}

static void acquire_fails(uint8_t *mem, unsigned int n)
{
	struct lab_witness before, after;
	int ret;

	lab_witness_read(&before);
	lab_witness_fail(n);
	ret = dma(mem, 0, 3 * PAGE, n & 1);
	lab_witness_read(&after);
	lab_witness_fail(0);
	lab_obs("fails", "%s %s %d %d %d", after.failed.what[0] ? after.failed.what : "nothing",
		after.failed.what[0] ? after.failed.where : "-", -ret, (int)after.nheld - (int)before.nheld,
		(int)after.pinned - (int)before.pinned);
}

/* Each acquisition of a copy fails once. */
void failing_kernel(void)
{
	uint8_t *mem = memory(true);
	struct lab_witness w;
	unsigned int n;
	int ret;

	lab_witness_read(&w);
	n = w.acquired;
	lab_step("a copy before acquisitions fail");
	fill(mem, 3 * PAGE, SEED);
	dma(mem, 0, 3 * PAGE, true);
	lab_witness_read(&w);
	n = w.acquired - n;
	lab_obs("acquires", "%u", n);
	for (unsigned int i = 1; i <= n && i <= MOST; i++) {
		lab_step("a copy of which acquisition %u of %u fails", i, n);
		acquire_fails(mem, i);
	}
	lab_step("a copy after acquisitions have failed");
	fill(mem, PAGE, SEED + 1);
	ret = dma(mem, 0, PAGE, true);
	lab_obs("after_fails", "%d %zu", -ret, wrong_bytes(window, PAGE, SEED + 1));
}

/* Each acquisition of probe() fails once; probe() must give back what it has acquired before. */
void failing_probe(void)
{
	static const char *const coherent[] = { "dma_alloc_coherent", "dmam_alloc_coherent", "dma_alloc_attrs" };

	for (unsigned int i = 0; i < sizeof(coherent) / sizeof(coherent[0]); i++) {
		if (!lab_witness_calls(coherent[i]))
			continue;
		lab_step("probing while %s() fails", coherent[i]);
		lab_unbind("lab");
		lab_witness_obs("removed");
		lab_witness_reset();
		lab_witness_fail_all(coherent[i]);
		lab_obs("probe", "%d", -lab_bind("lab"));
		lab_witness_fail_all(NULL);
		lab_witness_obs("probe");
		lab_step("probing again");
		lab_witness_reset();
		lab_obs("probe_again", "%d", -lab_bind("lab"));
		return;
	}
}

/* Some messages are lost, others late; then there are none at all. */
void messages(void)
{
	uint8_t *mem = memory(false);
	uint32_t on = 1, off = 0;
	int fd, ret;

	for (int i = 0; i < 5; i++) {
		lab_step("copy %d, of whose interrupt messages every second is lost", i + 1);
		fill(mem, PAGE, SEED + i);
		ret = dma(mem, 0, PAGE, true);
		lab_obs("lost", "%d %zu", -ret, window ? wrong_bytes(window, PAGE, SEED + i) : 1);
	}
	ret = -ETIMEDOUT;
	fd = open("/dev/lab", O_RDWR | O_CLOEXEC);
	if (ioctl(fd, LAB_IOC_MASK, &on))
		lab_fatal("interrupts cannot be masked (%s): lab 2 has to work first", strerror(errno));
	fill(mem, PAGE, SEED + 7);
	/* On a busy machine a copy may really take too long, so the limit grows. */
	for (unsigned int ms = 1000; ms <= 16000 && ret == -ETIMEDOUT; ms *= 4) {
		lab_step("a copy while all interrupts are masked, timeout_ms = %u", ms);
		set_timeout(ms);
		ret = dma(mem, 0, PAGE, true);
	}
	lab_obs("masked", "%d %zu", -ret, window ? wrong_bytes(window, PAGE, SEED + 7) : 1);
	ioctl(fd, LAB_IOC_MASK, &off);
	close(fd);
}
