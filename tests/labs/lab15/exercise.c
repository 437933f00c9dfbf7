// SPDX-License-Identifier: MIT
/*
 * Lab 15 in the guest.
 *
 *   exercise pristine   the exploits against the driver as it was handed out
 *   exercise fixed      the exploits against the student's driver, and what a driver must still be able to do
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <lablib.h>
#include "exercise.h"

#define NOBODY	65534

static void must_load(const char *params)
{
	lab_must_load(params);
	if (!lab_until(access("/dev/lab15", F_OK) == 0, 5))
		lab_fatal("/dev/lab15 is not there");
}

int must_open(void)
{
	int fd = open("/dev/lab15", O_RDWR);

	if (fd < 0)
		lab_fatal("/dev/lab15 cannot be opened: %s", strerror(errno));
	return fd;
}

int call(int fd, unsigned long cmd, void *arg)
{
	return ioctl(fd, cmd, arg) ? -errno : 0;
}

/* --- exploits: a process without rights --------------------------------------------------------- */

/* Its exit status, or -1 if it was killed or takes too long. */
static int exploit(int n)
{
	char number[] = { (char)('0' + n), 0 };
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(3);
		execl("/lab/exploits", "exploits", number, NULL);
		_exit(4);
	}
	if (pid < 0)
		lab_fatal("the exercise cannot make a process");
	if (!lab_until(waitpid(pid, &status, WNOHANG) == pid, 12)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return -1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* obs exploit: number, exit status, whether the kernel knows the secret as claimed, what the device has in SCRATCH */
static void test_exploits(void)
{
	for (int n = 1; n <= V_WEAKNESSES; n++) {
		uint32_t solved = 0, none = 6, only = (uint32_t)n;
		int fd = must_open(), status;

		lab_step("exploit %d", n);
		/* Each exploit finds the kernel without a buffer. */
		call(fd, V_SERVICE, &none);
		/* And no other weakness: one exploit for eight secrets would be an exploit of one. */
		if (call(fd, V_ONLY, &only))
			lab_fatal("the witness does not answer");
		status = exploit(n);
		if (call(fd, V_STATUS, &solved))
			lab_fatal("the witness does not answer");
		close(fd);
		lab_obs("exploit", "%d %d %u %u", n, status, solved >> n & 1, lab_reg(PPU_REG_SCRATCH) >> n & 1);
	}
}

/* --- what must still work ----------------------------------------------------------------------- */

int create(int fd, uint32_t count, uint32_t size, uint32_t *id)
{
	struct v_create args = { .count = count, .size = size };
	int ret = call(fd, V_CREATE, &args);

	*id = args.id;
	return ret;
}

int transfer(int fd, unsigned long cmd, uint32_t id, uint64_t offset, const void *user, uint32_t bytes)
{
	struct v_transfer args = { .id = id, .bytes = bytes, .offset = offset, .user = (uintptr_t)user };
	uint64_t at = (uintptr_t)&args;

	return call(fd, cmd, cmd == V_RUN ? (void *)&at : (void *)&args);
}

static void expect(const char *what, int want, int got)
{
	lab_obs("works", "%s %d %d", what, want, got);
}

static void test_buffers(int fd)
{
	static uint8_t out[2 * PAGE], in[2 * PAGE];
	struct v_copy copy;
	struct v_info info;
	uint32_t a, b;

	lab_step("using buffers");
	for (unsigned int i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 7 + 1);
	expect("create", 0, create(fd, 2, PAGE, &a));
	expect("create-elements", 0, create(fd, 1000, 7, &b));
	expect("write", 0, transfer(fd, V_WRITE, a, 0, out, sizeof(out)));
	expect("read", 0, transfer(fd, V_READ, a, 0, in, sizeof(in)));
	expect("read-right", 0, !!memcmp(in, out, sizeof(in)));
	expect("read-the-end", 0, transfer(fd, V_READ, a, 2 * PAGE - 1, in, 1));
	expect("read-nothing-at-the-end", 0, transfer(fd, V_READ, a, 2 * PAGE, in, 0));
	expect("read-beyond", -EINVAL, transfer(fd, V_READ, a, 2 * PAGE - 1, in, 2));
	expect("read-elements", 0, transfer(fd, V_READ, b, 6999, in, 1));
	expect("run", 0, transfer(fd, V_RUN, a, PAGE, in, 100));
	expect("run-right", 0, !!memcmp(in, out + PAGE, 100));
	expect("run-the-end", 0, transfer(fd, V_RUN, a, 2 * PAGE - 4, in, 4));
	copy = (struct v_copy){ .src = a, .dst = b, .bytes = 5000 };
	expect("copy", 0, call(fd, V_COPY, &copy));
	expect("copy-read", 0, transfer(fd, V_READ, b, 0, in, 5000));
	expect("copy-right", 0, !!memcmp(in, out, 5000));
	copy.bytes = 7001;
	expect("copy-beyond", -EINVAL, call(fd, V_COPY, &copy));
	info = (struct v_info){ .id = b };
	expect("info", 0, call(fd, V_INFO, &info));
	expect("info-right", 1, info.id == b && info.bytes == 7000 && info.in_use == 1);
	expect("destroy", 0, call(fd, V_DESTROY, &a));
	expect("destroy-twice", -ENOENT, call(fd, V_DESTROY, &a));
	expect("destroy-other", 0, call(fd, V_DESTROY, &b));
}

static void test_selected(int fd)
{
	struct v_peek peek = { .offset = 8 };
	uint32_t a, b, word = 0x1234;

	lab_step("peeking into buffers");
	expect("select-create", 0, create(fd, 1, PAGE, &a));
	expect("select-create", 0, create(fd, 1, PAGE, &b));
	expect("select-write", 0, transfer(fd, V_WRITE, a, 8, &word, 4));
	expect("select", 0, call(fd, V_SELECT, &a));
	expect("peek", 0, call(fd, V_PEEK, &peek));
	expect("peek-right", 0x1234, (int)peek.value);
	/* Another buffer goes: the one that is selected stays so. */
	expect("destroy-not-selected", 0, call(fd, V_DESTROY, &b));
	expect("peek-again", 0, call(fd, V_PEEK, &peek));
	peek.offset = PAGE;
	expect("peek-beyond", -EINVAL, call(fd, V_PEEK, &peek));
	expect("destroy-selected", 0, call(fd, V_DESTROY, &a));
}

static void test_room(int fd)
{
	uint32_t id[4], n;
	int ret = 0;

	lab_step("using up memory, many times");
	for (n = 0; n < 100 && !ret; n++) {
		ret = create(fd, 256, PAGE, &id[0]);
		if (!ret)
			ret = create(fd, 1, 768 * PAGE, &id[1]);
		if (!ret && create(fd, 1, 1, &id[2]) != -ENOSPC)
			ret = -EEXIST;
		for (int i = 0; i < 2; i++)
			call(fd, V_DESTROY, &id[i]);
	}
	expect("room", 0, ret);
	expect("too-large", -ENOSPC, create(fd, 1025, PAGE, &id[0]));
	expect("nothing", -EINVAL, create(fd, 0, PAGE, &id[0]));
	lab_step("closing a file with buffers");
	int other = must_open();

	expect("other-create", 0, create(other, 1024, PAGE, &id[0]));
	expect("other-peek", 0, call(other, V_SELECT, &id[0]));
	close(other);
	expect("after-close", 0, create(fd, 1024, PAGE, &id[0]));
	expect("after-close-destroy", 0, call(fd, V_DESTROY, &id[0]));
}

/* A thread that reads the buffer args[1] of the file args[0]; returns the first error that is not -ENOENT. */
static void *reader(void *arg)
{
	uint32_t word;
	int ret = 0;

	for (int i = 0; i < 20 && (!ret || ret == -ENOENT); i++)
		ret = transfer(((int *)arg)[0], V_READ, (uint32_t)((int *)arg)[1], 0, &word, 4);
	return (void *)(intptr_t)(ret == -ENOENT ? 0 : ret);
}

/* Reads and ends of buffers at the same time: both get an answer. */
static void test_threads(int fd)
{
	pthread_t threads[4];
	uint32_t id;
	int args[2], bad = 0;
	void *ret;

	lab_step("reading a buffer that another thread destroys");
	expect("thread-create", 0, create(fd, 1, PAGE, &id));
	args[0] = fd;
	args[1] = (int)id;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, reader, args))
			lab_fatal("the exercise cannot make a thread");
	lab_sleep_ms(10);
	expect("thread-destroy", 0, call(fd, V_DESTROY, &id));
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &ret);
		bad = bad ? bad : (int)(intptr_t)ret;
	}
	expect("threads", 0, bad);
}

int main(int argc, char **argv)
{
	bool fixed = argc > 1 && !strcmp(argv[1], "fixed");

	must_load(fixed ? "fixed=1" : "");
	lab_complaints("before");
	if (fixed) {
		int fd = must_open();

		test_buffers(fd);
		test_selected(fd);
		test_room(fd);
		test_threads(fd);
		lab_obs("conformance", "1");
		test_closed(fd);
		close(fd);
	}
	test_exploits();
	lab_step("unloading the module");
	lab_must_unload();
	lab_complaints("end");
	return 0;
}
