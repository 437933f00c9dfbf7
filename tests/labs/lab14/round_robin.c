/* SPDX-License-Identifier: MIT */
/* Lab 14: round robin, the policy to beat: who has waited longest is next, for a slice of 25 us. */
#include "machine.h"

#define SLICE_NS	25000

static void reset(void)
{
}

static uint32_t pick(const struct policy_client *c, uint32_t n, uint64_t now)
{
	(void)c, (void)n, (void)now;
	return 0;
}

static uint64_t slice(const struct policy_client *c, uint64_t now)
{
	(void)c, (void)now;
	return SLICE_NS;
}

static bool yield(const struct policy_client *has, const struct policy_client *next, uint64_t now)
{
	(void)has, (void)next, (void)now;
	return true;
}

static void ended(uint32_t client, uint32_t copies, uint64_t ns)
{
	(void)client, (void)copies, (void)ns;
}

const struct policy round_robin = { reset, pick, slice, yield, ended };
