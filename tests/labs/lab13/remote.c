/* SPDX-License-Identifier: MIT */
/*
 * Lab 13, the grader's side: engines that another process has, which is at the socket at the standard input.  With this
 * instead of the student's file the lab's program becomes the judge: it has the device and the tests, and no code of the
 * student's runs in it.
 */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include <hw/ppu_mmu.h>
#include "labremote.h"
#include "wire.h"

static struct wire_order_msg order;
static struct wire_call_msg got;
static uint32_t busy;		/* as the program said last: nothing of it runs but between two messages */

void judge_goes_on(void)
{
	printf("going on\n");
}

static void send_order(enum wire_order o, unsigned engine, uint64_t bytes)
{
	order.order = o;
	order.engine = engine;
	order.now = dev_now();
	order.setup_ns = dev_setup_ns();
	order.mbps = dev_mbps();
	/* If nobody is there any more, the next call is missing. */
	send(STDIN_FILENO, &order, offsetof(struct wire_order_msg, data) + bytes, MSG_NOSIGNAL);
}

/* The next call of the program's. */
static void receive(void)
{
	const size_t head = offsetof(struct wire_call_msg, data);
	ssize_t n = recv(STDIN_FILENO, &got, sizeof(got), 0);
	bool good = n >= (ssize_t)head && got.magic == WIRE_MAGIC;

	/* Data that is not whole would be that of an earlier message; too much is for the device to refuse. */
	if (good && (got.call == CALL_READ || got.call == CALL_WRITE) && got.n <= CHUNK_BYTES)
		good = got.at % WIRE_DATA + got.n <= WIRE_DATA && (got.call == CALL_READ || (size_t)n == head + got.n);
	if (!good)
		remote_ended(&got, n < 0 ? 0 : (size_t)n, "engine.c");
	busy = got.busy;
}

/* The part of the block that is there around the n bytes at va; false: not even these. */
static bool find_part(unsigned engine, uint64_t va, uint64_t n, bool write)
{
	const uint32_t page = PPU_PAGE_SIZE;
	uint32_t at = (uint32_t)(va % WIRE_DATA), from = at - at % page;
	uint64_t base = va - at;

	while (from && dev_reach(engine, base + from - page, page, write) == page)
		from -= page;
	order.from = from;
	order.to = from + (uint32_t)dev_reach(engine, base + from, WIRE_DATA - from, write);
	if (n && order.to >= at + n)
		return true;
	order.from = order.to = 0;
	return false;
}

/* Returns how many bytes of data go with the answer. */
static uint64_t read_for(unsigned engine, uint64_t va, uint64_t n)
{
	if (n > CHUNK_BYTES || !find_part(engine, va, n, false))
		return order.n = dev_read(engine, va, order.data, n);
	order.n = n;
	return dev_read(engine, va - va % WIRE_DATA + order.from, order.data, order.to - order.from);
}

static void write_for(unsigned engine, uint64_t va, uint64_t n)
{
	uint64_t is = dev_write(engine, va, got.data, n);

	find_part(engine, va, n, true);
	order.n = is;
}

static void carry_out(void)
{
	unsigned engine = got.engine;
	uint64_t bytes = 0;

	switch (got.call) {
	case CALL_AT:
		dev_at(engine, got.at);
		break;
	case CALL_READ:
		bytes = read_for(engine, got.at, got.n);
		break;
	case CALL_WRITE:
		write_for(engine, got.at, got.n);
		break;
	case CALL_FAULT:
		dev_fault(engine, got.at, got.write != 0);
		break;
	case CALL_DONE:
		dev_done(engine, got.n);
		break;
	default:
		remote_ended("", 0, "engine.c");
	}
	send_order(ORDER_ANSWER, engine, bytes);
}

static void ask(enum wire_order o, unsigned engine)
{
	send_order(o, engine, 0);
	for (receive(); got.call != CALL_RETURN; receive())
		carry_out();
}

void engine_reset(void)
{
	ask(ORDER_RESET, 0);
}

void engine_start(unsigned engine, const struct ce_copy *copy)
{
	order.copy = *copy;
	ask(ORDER_START, engine);
}

void engine_event(unsigned engine)
{
	ask(ORDER_EVENT, engine);
}

void engine_stop(unsigned engine)
{
	ask(ORDER_STOP, engine);
}

bool engine_busy(unsigned engine)
{
	return busy >> engine & 1;
}
