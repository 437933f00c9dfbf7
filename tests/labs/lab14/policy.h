/* SPDX-License-Identifier: MIT */
/*
 * Lab 14: what the device's core asks a scheduling policy, and what it tells one.
 *
 * Clients are numbered from 0 on, below POLICY_CLIENTS; each has one channel.  A request is an entry of a client's
 * ring, with one copy or several.  A client's requests are executed in their order, whatever the policy does; the policy
 * decides which client is next.  Times are ns of device time.
 */
#ifndef POLICY_H
#define POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_CLIENTS	16

/* A client that waits for the copy engine, or has it. */
struct policy_client {
	uint32_t client;
	uint32_t requests;	/* requests that are not finished, the current one among them */
	uint64_t since;		/* when it began to wait; for who has the engine: when it got it */
	uint64_t next_ns;	/* how long its next copy takes; 0: the host has not read the command yet */
	uint64_t done_ns;	/* how long the engine has worked at its current request, */
	uint32_t done_copies;	/* and how many of its copies are done */
	uint64_t used_ns;	/* engine time that the client has had.  Who had no work for a while comes back
				 * with no less than the client had that was served last. */
};

/* Everything begins anew: the first decision of a trace comes next. */
void policy_reset(void);
/*
 * Nobody has the engine: who gets it?  An index into c[0..n-1], n > 0.  c is in the order in which they began to wait.
 * The core asks whenever it wonders who would be next, often several times at one moment: the answer must depend on the
 * arguments and on what policy_ended() has told, and must change nothing.
 */
uint32_t policy_pick(const struct policy_client *c, uint32_t n, uint64_t now);
/* For how long does the client get the engine?  At least 1. */
uint64_t policy_slice(const struct policy_client *c, uint64_t now);
/*
 * The slice of `has` is over and it would go on with another copy (a copy that runs is never stopped); `next` is whom
 * policy_pick() has chosen of those that wait.  Does the engine go to `next`?  If not, `has` gets another slice.
 */
bool policy_yield(const struct policy_client *has, const struct policy_client *next, uint64_t now);
/* A request of the client is done: so many copies, so long the engine worked at them.  This is told before anything is
 * asked about the client's next request. */
void policy_ended(uint32_t client, uint32_t copies, uint64_t ns);

#endif
