/* SPDX-License-Identifier: MIT */
/*
 * Lab 13, the grader's side: what goes through the socket between the judge, which has the device and the tests, and the
 * program with the student's engines, which has nothing else.
 *
 * The judge calls a function of the engines (remote.c).  Until that returns, the program may call functions of the device
 * (serve.c), and while the judge carries out one of these, it may call the engines again.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stddef.h>
#include "engine.h"

#define STUCK	200000000	/* steps of the student's code in one test; more are an endless loop */
/* Bytes of memory in one message, all of one block of that size: an engine may move a byte at a time, so accesses are put
 * together (serve.c). */
#define WIRE_DATA	65536

/* To the program. */
enum wire_order { ORDER_RESET, ORDER_START, ORDER_EVENT, ORDER_STOP, ORDER_ANSWER };
struct wire_order_msg {
	uint32_t order, engine;
	uint64_t now, setup_ns, mbps;	/* of the device, when the message was sent */
	struct ce_copy copy;		/* ORDER_START */
	/* ORDER_ANSWER to CALL_READ and CALL_WRITE: so many bytes; and which part of the block is known to be there. */
	uint64_t n;
	uint32_t from, to;
	uint8_t data[WIRE_DATA];	/* of CALL_READ: the part of the block; if there is none, n bytes from the address on */
};

/* To the judge.  Or a line of text, "end ..." (labends.h). */
enum wire_call { CALL_RETURN, CALL_AT, CALL_READ, CALL_WRITE, CALL_FAULT, CALL_DONE };
struct wire_call_msg {
	uint32_t magic, call, engine;
	uint32_t busy;			/* bit i: engine_busy(i) */
	uint32_t write;			/* CALL_FAULT */
	uint64_t at;			/* CALL_AT: ns; CALL_READ, CALL_WRITE, CALL_FAULT: address */
	uint64_t n;			/* CALL_READ, CALL_WRITE, CALL_DONE: bytes */
	uint8_t data[WIRE_DATA];	/* CALL_WRITE: n bytes, if they are not too many */
};
#define WIRE_MAGIC	0x33316c6f	/* no text begins so */

/* ce.c, for the judge: how many of n bytes from va on are there to be read or written.  Does nothing else. */
uint64_t dev_reach(unsigned engine, uint64_t va, uint64_t n, bool write);

/* remote.c, so only in the judge: tells who waits for a test's end that something happens. */
void judge_goes_on(void) __attribute__((weak));

#endif
