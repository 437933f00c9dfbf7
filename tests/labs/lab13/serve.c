/* SPDX-License-Identifier: MIT */
/*
 * Lab 13, the grader's side: the program around the student's engines that has no device.  What the engines ask of the device
 * the judge does, at the other end of the standard input (wire.h).
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "labends.h"
#include "wire.h"

static struct wire_order_msg got;
static struct wire_call_msg said;

/*
 * A block of which a part is known to be there.  Between two messages nothing but the engines' code happens, so what was read
 * may be read again without asking; and writes may wait until somebody can see them.
 */
static struct block {
	unsigned engine;
	uint64_t base;
	uint32_t from, to;		/* the part; empty: none */
	uint32_t put_from, put_to;	/* of `writes`: what was written and is not with the judge yet */
	uint8_t data[WIRE_DATA];
} reads, writes;

static uint64_t base_of(uint64_t va)
{
	return va - va % WIRE_DATA;
}

static bool has(const struct block *b, unsigned engine, uint64_t va, uint64_t n)
{
	uint64_t at = va % WIRE_DATA;

	return b->to > b->from && b->engine == engine && b->base == base_of(va) && at >= b->from && at + n <= b->to;
}

static void know(struct block *b, unsigned engine, uint64_t va)
{
	b->engine = engine;
	b->base = base_of(va);
	b->from = got.from;
	b->to = got.to;
}

/* Nobody waits for a program without a judge. */
static void receive(void)
{
	ssize_t n = recv(STDIN_FILENO, &got, sizeof(got), 0);

	if (n < (ssize_t)offsetof(struct wire_order_msg, data))
		_exit(0);
}

static void call(enum wire_call c, unsigned engine, uint64_t bytes)
{
	said.magic = WIRE_MAGIC;
	said.call = c;
	said.engine = engine;
	said.busy = 0;
	for (unsigned i = 0; i < ENGINES; i++)
		said.busy |= (uint32_t)engine_busy(i) << i;
	if (send(STDIN_FILENO, &said, offsetof(struct wire_call_msg, data) + bytes, MSG_NOSIGNAL) < 0)
		_exit(0);
}

static void obey(void);

/* Waits until the judge has carried out a call; does what it wants meanwhile. */
static uint64_t answer(void)
{
	for (receive(); got.order != ORDER_ANSWER; receive())
		obey();
	return got.n;
}

static uint64_t write_now(unsigned engine, uint64_t va, const void *buf, uint64_t n)
{
	said.at = va;
	said.n = n;
	memcpy(said.data, buf, n);
	call(CALL_WRITE, engine, n);
	return answer();
}

/* What was written goes to the judge. */
static void put(void)
{
	uint32_t from = writes.put_from, n = writes.put_to - from;

	writes.put_from = writes.put_to = 0;
	if (n)
		write_now(writes.engine, writes.base + from, writes.data + from, n);
}

/* The same, and nothing is known of memory any more: others may change it now. */
static void put_all(void)
{
	put();
	reads.to = writes.to = 0;
}

static void obey(void)
{
	unsigned engine = got.engine;
	struct ce_copy copy = got.copy;

	switch (got.order) {
	case ORDER_RESET:
		engine_reset();
		break;
	case ORDER_START:
		engine_start(engine, &copy);
		break;
	case ORDER_EVENT:
		engine_event(engine);
		break;
	case ORDER_STOP:
		engine_stop(engine);
		break;
	}
	put_all();
	call(CALL_RETURN, engine, 0);
}

uint64_t dev_now(void)
{
	return got.now;
}

uint64_t dev_setup_ns(void)
{
	return got.setup_ns;
}

uint64_t dev_mbps(void)
{
	return got.mbps;
}

void dev_at(unsigned engine, uint64_t ns)
{
	said.at = ns;
	call(CALL_AT, engine, 0);
	answer();
}

static uint64_t in_block(uint64_t va, uint64_t n)
{
	uint64_t left = WIRE_DATA - va % WIRE_DATA;

	return n < left ? n : left;
}

/* More than a chunk, or nothing: the judge says what it thinks of that. */
static void ask_without_data(enum wire_call c, unsigned engine, uint64_t va, uint64_t n)
{
	put();
	said.at = va;
	said.n = n;
	call(c, engine, 0);
	answer();
}

/* Reads n bytes, all of one block. */
static uint64_t read_part(unsigned engine, uint64_t va, uint8_t *buf, uint64_t n)
{
	if (!has(&reads, engine, va, n)) {
		put();
		said.at = va;
		said.n = n;
		call(CALL_READ, engine, 0);
		n = answer();
		know(&reads, engine, va);
		if (got.to == got.from) {
			memcpy(buf, got.data, n);
			return n;
		}
		memcpy(reads.data + got.from, got.data, got.to - got.from);
	}
	memcpy(buf, reads.data + va % WIRE_DATA, n);
	return n;
}

uint64_t dev_read(unsigned engine, uint64_t va, void *buf, uint64_t n)
{
	uint64_t done = 0, part, is;

	if (!n || n > CHUNK_BYTES)
		ask_without_data(CALL_READ, engine, va, n);
	for (; done < n; done += is) {
		part = in_block(va + done, n - done);
		is = read_part(engine, va + done, (uint8_t *)buf + done, part);
		if (is < part)
			return done + is;
	}
	return done;
}

/* Writes n bytes, all of one block. */
static uint64_t write_part(unsigned engine, uint64_t va, const uint8_t *buf, uint64_t n)
{
	uint32_t at = (uint32_t)(va % WIRE_DATA), end = at + (uint32_t)n;

	if (has(&writes, engine, va, n) &&
	    (writes.put_from == writes.put_to || (at <= writes.put_to && end >= writes.put_from))) {
		bool none = writes.put_from == writes.put_to;

		memcpy(writes.data + at, buf, n);
		writes.put_from = none || at < writes.put_from ? at : writes.put_from;
		writes.put_to = none || end > writes.put_to ? end : writes.put_to;
	} else {
		put();
		n = write_now(engine, va, buf, n);
		know(&writes, engine, va);
	}
	if (has(&reads, engine, va, n))
		memcpy(reads.data + at, buf, n);
	else if (reads.base == base_of(va))
		reads.to = 0;
	return n;
}

uint64_t dev_write(unsigned engine, uint64_t va, const void *buf, uint64_t n)
{
	uint64_t done = 0, part, is;

	if (!n || n > CHUNK_BYTES)
		ask_without_data(CALL_WRITE, engine, va, n);
	for (; done < n; done += is) {
		part = in_block(va + done, n - done);
		is = write_part(engine, va + done, (const uint8_t *)buf + done, part);
		if (is < part)
			return done + is;
	}
	return done;
}

void dev_fault(unsigned engine, uint64_t va, bool write)
{
	put_all();
	said.at = va;
	said.write = write;
	call(CALL_FAULT, engine, 0);
	answer();
}

void dev_done(unsigned engine, uint64_t bytes)
{
	put_all();
	said.n = bytes;
	call(CALL_DONE, engine, 0);
	answer();
}

int main(void)
{
	ends_to(STDIN_FILENO);
	ends_catch(STUCK, NULL);
	for (;;) {
		receive();
		obey();
	}
}
