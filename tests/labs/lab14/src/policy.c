/* SPDX-License-Identifier: MIT */
/*
 * Lab 14: who gets the copy engine?  policy.h says what the functions promise.
 */
#include "policy.h"

//LAB 14 write: What your functions need; policy_reset() must bring it back to what it is here.
/* Who has had so much more of the engine than another one that waits is not next, whatever it wants. */
#define LEAD_NS		120000
/* A slice that is over when the first copy is: who goes on is decided after every copy. */
#define SLICE_NS	1
/* Changing over costs as much as a short copy. */
#define WORTH_NS	400

/* How many copies a client's requests have, in 16ths: a mean in which each request counts half of what the next one does. */
static uint32_t typical[POLICY_CLIENTS];

/* How long will the rest of its request take? */
static uint64_t guess(const struct policy_client *c)
{
	uint64_t more = typical[c->client] > 16 * c->done_copies ? typical[c->client] - 16 * c->done_copies : 0;
	uint64_t each = c->next_ns;

	/* The host has not read the command yet; if there was none before it either, it says soon what it is. */
	if (!each && c->done_copies)
		each = c->done_ns / c->done_copies;
	return each * (more > 16 ? more : 16) / 16;
}
//LAB end

void policy_reset(void)
{
	//LAB 14 write: Forget everything.
	for (uint32_t i = 0; i < POLICY_CLIENTS; i++)
		typical[i] = 0;
	//LAB instead
	//LAB end
}

uint32_t policy_pick(const struct policy_client *c, uint32_t n, uint64_t now)
{
	//LAB 14 write: Who is next? This is first come, first served.
	uint64_t least = c[0].used_ns;
	uint32_t best = n;

	(void)now;
	for (uint32_t i = 1; i < n; i++)
		if (c[i].used_ns < least)
			least = c[i].used_ns;
	for (uint32_t one = 0; one < n; one++) {
		if (c[one].used_ns > least + LEAD_NS)
			continue;
		if (best == n || guess(&c[one]) < guess(&c[best]))
			best = one;
	}
	return best;
	//LAB instead
	(void)c, (void)n, (void)now;
	return 0;
	//LAB end
}

uint64_t policy_slice(const struct policy_client *c, uint64_t now)
{
	//LAB 14 write: For how long?
	(void)c, (void)now;
	return SLICE_NS;
	//LAB instead
	(void)c, (void)now;
	return 1000000;
	//LAB end
}

bool policy_yield(const struct policy_client *has, const struct policy_client *next, uint64_t now)
{
	//LAB 14 write: The slice is over: does the engine go to the next one?
	(void)now;
	if (has->used_ns > next->used_ns + LEAD_NS)
		return true;
	if (next->used_ns > has->used_ns + LEAD_NS)
		return false;
	return guess(next) + WORTH_NS < guess(has);
	//LAB instead
	(void)has, (void)next, (void)now;
	return true;
	//LAB end
}

void policy_ended(uint32_t client, uint32_t copies, uint64_t ns)
{
	//LAB 14 write: Remember what helps to guess the next one.
	(void)ns;
	typical[client] = typical[client] ? (typical[client] + 16 * copies) / 2 : 16 * copies;
	//LAB instead
	(void)client, (void)copies, (void)ns;
	//LAB end
}
