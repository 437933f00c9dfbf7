// SPDX-License-Identifier: MIT
/*
 * Lab 15: are the eight weaknesses closed? A student's own exploit does not show it: a driver that knows the exploit
 * refuses the exploit, and nothing else. So this program asks by itself whether the driver keeps what lab15.h promises.
 * Here another open file is the victim, and what must not be seen is its MARK.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <lablib.h>
#include <labrnd.h>
#include "exercise.h"

#define MARK	0x6b72614du

static uint32_t marks[16 * PAGE / 4], words[16 * PAGE / 4];

/* A buffer full of MARK. */
static uint32_t marked(int fd, uint32_t pages)
{
	uint32_t id = 0;

	if (!create(fd, pages, PAGE, &id))
		for (uint32_t at = 0; at < pages * PAGE; at += sizeof(marks))
			transfer(fd, V_WRITE, id, at, marks, pages * PAGE - at < sizeof(marks) ? pages * PAGE - at :
				 (uint32_t)sizeof(marks));
	return id;
}

/* A page without what somebody left in it, so that weakness 1 is not blamed on others. */
static int create_clean(int fd, uint32_t *id)
{
	static const uint8_t zeroes[PAGE];
	int ret = create(fd, 1, PAGE, id);

	return ret ? ret : transfer(fd, V_WRITE, *id, 0, zeroes, PAGE);
}

static bool seen(const uint32_t *w, size_t n)
{
	while (n--)
		if (*w++ == MARK)
			return true;
	return false;
}

/* 1: a new buffer is zero, whoever had the memory before, and however he let go of it. */
static bool zeroing(int fd)
{
	bool ok = true;

	for (uint32_t i = 0; i < 8 && ok; i++) {
		uint32_t pages = 1 + rnd(16), bytes = 1 + rnd(pages * PAGE), id, old;
		int other = must_open();

		old = marked(other, 16 + rnd(64));
		if (i % 2)
			call(other, V_DESTROY, &old);
		close(other);
		memset(words, 0xff, sizeof(words));
		if (create(fd, i % 3 ? 1 : bytes, i % 3 ? bytes : 1, &id))
			return true;
		if (!transfer(fd, V_READ, id, 0, words, bytes))
			for (uint32_t k = 0; k < bytes; k++)
				ok = ok && !((uint8_t *)words)[k];
		call(fd, V_DESTROY, &id);
	}
	return ok;
}

/* 2: what is not inside the buffer is -EINVAL, for every size and everywhere. */
static bool bounds(int fd)
{
	static const uint32_t sizes[] = { 1, 2, 3, 4, 8, 16, 64, 100, 512, 4095, 4096, 8192, 16384, 65536 };
	uint32_t have = 1 + rnd(3 * PAGE), id;
	bool ok = true;

	if (create(fd, have, 1, &id))
		return true;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint32_t n = sizes[i], in = have < n ? have : n;
		uint64_t at[] = { have - rnd(in), have, have + 1 + rnd(PAGE), have / PAGE * PAGE + PAGE, 0 - (uint64_t)n };

		for (size_t k = 0; k < sizeof(at) / sizeof(*at); k++)
			if (at[k] + n > have || at[k] > have)
				ok = ok && transfer(fd, V_READ, id, at[k], words, n) == -EINVAL;
		if (n > have)
			ok = ok && transfer(fd, V_READ, id, 0, words, n) == -EINVAL;
	}
	call(fd, V_DESTROY, &id);
	return ok;
}

/* 3: a product of more than 2^32 is no small buffer. */
static bool overflow(int fd)
{
	bool ok = true;

	for (uint32_t k = 12; k < 32; k++) {
		uint32_t a = (1u << k) + 1 + rnd(2), b = 1u << (32 - k), id;

		if (!create(fd, k % 2 ? a : b, k % 2 ? b : a, &id)) {
			ok = false;
			call(fd, V_DESTROY, &id);
		}
	}
	return ok;
}

/* 4: another file's buffer is no buffer. */
static bool ownership(int fd)
{
	int other = must_open();
	uint32_t id = marked(other, 2), mine, word = 0;
	struct v_copy from = { .src = id, .bytes = PAGE }, to = { .dst = id, .bytes = PAGE };
	struct v_info info = { .id = id };
	bool ok;

	if (create(fd, 2, PAGE, &mine)) {
		close(other);
		return true;
	}
	from.dst = to.src = mine;
	ok = call(fd, V_COPY, &from) == -ENOENT;
	from.bytes = 1 + rnd(PAGE);
	ok = ok && call(fd, V_COPY, &from) == -ENOENT && call(fd, V_COPY, &to) == -ENOENT &&
	     call(fd, V_INFO, &info) == -ENOENT && call(fd, V_SELECT, &id) == -ENOENT &&
	     transfer(fd, V_READ, id, 0, words, 4) == -ENOENT && transfer(fd, V_RUN, id, 0, words, 4) == -ENOENT &&
	     transfer(fd, V_WRITE, id, 0, &word, 4) == -ENOENT && call(fd, V_DESTROY, &id) == -ENOENT;
	ok = ok && !transfer(other, V_READ, id, 0, &word, 4) && word == MARK;
	call(fd, V_DESTROY, &mine);
	close(other);
	return ok;
}

static volatile struct v_transfer job;
static volatile bool over;
static uint32_t job_bytes;

static void *changer(void *arg)
{
	for (uint32_t us = 200; !over; us = 200 + (us + 37) % 700) {
		job.offset = 0;
		usleep(us);
		if (us % 2)
			job.offset = (uint64_t)PAGE * (1 + us % 3);
		else
			job.bytes = sizeof(words);
		usleep(us);
		job.bytes = job_bytes;
	}
	return arg;
}

/* 5: what is checked is what is done. */
static bool double_fetch(int fd)
{
	int other = must_open();
	uint32_t id;
	uint64_t at = (uintptr_t)&job;
	pthread_t thread;
	bool ok = true;

	/* On both sides, wherever the driver puts buffers. */
	marked(other, 8);
	if (create_clean(fd, &id)) {
		close(other);
		return true;
	}
	marked(other, 8);
	job_bytes = 4u << rnd(4);
	job.id = id;
	job.bytes = job_bytes;
	job.user = (uintptr_t)words;
	memset(words, 0, sizeof(words));
	over = false;
	if (pthread_create(&thread, NULL, changer, NULL))
		lab_fatal("the exercise cannot make a thread");
	for (int i = 0, passed = 0; i < 1000 && passed < 150 && ok; i++) {
		passed += !call(fd, V_RUN, &at);
		ok = !seen(words, sizeof(words) / 4);
	}
	over = true;
	pthread_join(thread, NULL);
	call(fd, V_DESTROY, &id);
	close(other);
	return ok;
}

/* 6: the gaps of the struct are zero, or as the program had them. */
static bool gaps(int fd)
{
	uint32_t id, six = 6;
	bool ok = true;

	if (create(fd, 1, PAGE, &id))
		return true;
	for (int i = 0; i < 3; i++) {
		uint8_t had = (uint8_t)(1 + rnd(255)), in[sizeof(struct v_info)];
		struct v_info info;

		memset(&info, had, sizeof(info));
		info.id = id;
		if (i != 1)
			call(fd, V_SERVICE, &six);
		if (call(fd, V_INFO, &info))
			break;
		memcpy(in, &info, sizeof(in));
		for (size_t k = 0; k < sizeof(in); k++)
			if ((k >= 4 && k < 8) || k > 16)
				ok = ok && (!in[k] || in[k] == had);
	}
	call(fd, V_DESTROY, &id);
	return ok;
}

/* 7: a selection does not outlive its buffer. */
static bool use_after_free(int fd)
{
	bool ok = true;

	for (uint32_t i = 0; i < 4 && ok; i++) {
		uint32_t pages = 1 + rnd(3), id;
		struct v_peek peek = { .offset = 4 * rnd(pages * PAGE / 4) };
		int other = must_open();

		if (!create(fd, pages, PAGE, &id)) {
			call(fd, V_SELECT, &id);
			if (i % 2)
				call(fd, V_PEEK, &peek);
			call(fd, V_DESTROY, &id);
			marked(other, pages);
			peek.value = 0;
			ok = call(fd, V_PEEK, &peek) || peek.value != MARK;
		}
		close(other);
	}
	return ok;
}

struct reading {
	int fd;
	uint32_t id, bytes;
};

static void *reads(void *arg)
{
	const struct reading *r = arg;

	transfer(r->fd, V_READ, r->id, 0, words, r->bytes);
	return NULL;
}

/* 8: a buffer that ends while it is read is not read as somebody else's. */
static bool race(int fd)
{
	bool ok = true;

	memset(words, 0, sizeof(words));
	for (uint32_t i = 0; i < 40 && ok; i++) {
		struct reading r = { .fd = fd, .bytes = 4u << rnd(6) };
		int other = must_open();
		pthread_t thread;

		if (create_clean(fd, &r.id)) {
			close(other);
			break;
		}
		if (pthread_create(&thread, NULL, reads, &r))
			lab_fatal("the exercise cannot make a thread");
		usleep(100 + 60 * (i % 20));
		call(fd, V_DESTROY, &r.id);
		marked(other, 1);
		pthread_join(thread, NULL);
		ok = !seen(words, sizeof(words) / 4);
		close(other);
	}
	return ok;
}

/* obs closed: number, whether the promise is kept */
void test_closed(int fd)
{
	static bool (*const tests[])(int) = {
		zeroing, bounds, overflow, ownership, double_fetch, gaps, use_after_free, race,
	};

	rnd_seed((uint64_t)time(NULL) ^ (uint64_t)getpid() << 32);
	for (size_t i = 0; i < sizeof(marks) / 4; i++)
		marks[i] = MARK;
	for (int n = 1; n <= V_WEAKNESSES; n++) {
		lab_step("trying weakness %d in other ways", n);
		lab_obs("closed", "%d %d", n, tests[n - 1](fd));
	}
}
