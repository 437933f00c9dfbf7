/* SPDX-License-Identifier: MIT */
/*
 * Lab 14, the grader's side: what goes through the socket between the judge, which measures, and the program with the student's
 * policy.
 *
 * Both have a device, and run the same trace.  The program sends what its policy decides, and the judge does the same with its
 * own device (remote.c).  The judge has the trace; the program gets the requests a few at a time, when their time has come
 * (serve.c).
 */
#ifndef WIRE_H
#define WIRE_H

#include "machine.h"

#define WIRE_REQUESTS	16	/* in one message */
#define WIRE_ANSWERS	500

/* To the program. */
struct wire_requests {
	uint32_t begin;				/* a trace begins: policy_reset() */
	uint32_t clients;			/* of the trace */
	uint32_t most[POLICY_CLIENTS];		/* bytes of each client's largest copy */
	uint32_t n, last;			/* last: these are the last ones of the trace */
	uint64_t until;				/* not last: time of the next request; the device runs up to here */
	struct request v[WIRE_REQUESTS];
};

/* To the judge: the answers of the policy's functions, in their order.  Or a line of text, "end ..." (labends.h). */
struct wire_answers {
	uint32_t magic, n;
	uint64_t v[WIRE_ANSWERS];
};
#define WIRE_MAGIC	0x34316c6f	/* no text begins so */

#endif
