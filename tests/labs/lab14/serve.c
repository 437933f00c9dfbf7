/* SPDX-License-Identifier: MIT */
/* Lab 14: a process that decides by the student's policy, and tells the judge what it has decided.  See wire.h. */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "bench.h"
#include "wire.h"

static const struct policy *decides;
static struct wire_answers said = { .magic = WIRE_MAGIC };
static struct wire_requests got;

static void flush(void)
{
	/* The judge may have seen enough. */
	if (said.n && send(STDIN_FILENO, &said, sizeof(said), MSG_NOSIGNAL) < 0)
		_exit(0);
	said.n = 0;
}

static uint64_t say(uint64_t answer)
{
	said.v[said.n++] = answer;
	if (said.n == WIRE_ANSWERS)
		flush();
	return answer;
}

static uint32_t pick(const struct policy_client *c, uint32_t n, uint64_t now)
{
	return (uint32_t)say(decides->pick(c, n, now));
}

static uint64_t slice(const struct policy_client *c, uint64_t now)
{
	return say(decides->slice(c, now));
}

static bool yield(const struct policy_client *has, const struct policy_client *next, uint64_t now)
{
	return say(decides->yield(has, next, now)) != 0;
}

/* The next requests.  False: there is no judge any more. */
static bool get(void)
{
	flush();
	return recv(STDIN_FILENO, &got, sizeof(got), 0) == sizeof(got) && got.n <= WIRE_REQUESTS &&
	       got.clients <= POLICY_CLIENTS;
}

static bool more(struct load *l)
{
	if (l->n && got.last)
		return false;
	if (l->n && !get())
		_exit(0);
	for (uint32_t i = 0; i < got.n; i++)
		load_add(l, got.v[i].at, got.v[i].client, got.v[i].copies, got.v[i].bytes);
	l->until = got.until;
	return true;
}

void serve(const struct policy *p)
{
	const struct policy says = { p->reset, pick, slice, yield, p->ended };

	decides = p;
	ends_to(STDIN_FILENO);
	while (get() && got.begin) {
		struct load l = { .clients = got.clients, .more = more };
		uint64_t t0;

		for (uint32_t client = 0; client < POLICY_CLIENTS; client++)
			l.most[client] = got.most[client];
		bench_free(run_trace(&l, &says, &t0));
		free(l.v);
	}
}
