/* SPDX-License-Identifier: MIT */
/* Lab 14: shared by the files of the program around the student's policy. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdio.h>
#include "labends.h"
#include "policy.h"

struct policy {
	void (*reset)(void);
	uint32_t (*pick)(const struct policy_client *c, uint32_t n, uint64_t now);
	uint64_t (*slice)(const struct policy_client *c, uint64_t now);
	bool (*yield)(const struct policy_client *has, const struct policy_client *next, uint64_t now);
	void (*ended)(uint32_t client, uint32_t copies, uint64_t ns);
};
/* round_robin.c: the policy to beat. */
extern const struct policy round_robin;
/* runlist.c asks this one. */
extern const struct policy *the_policy;

/* traces.c */
#define MAX_COPIES	64
struct request {
	uint64_t at;			/* ns */
	uint32_t client, copies, bytes;	/* bytes of each copy */
};
struct load {
	char name[40];
	uint32_t clients, n;
	uint32_t most[POLICY_CLIENTS];	/* bytes of each client's largest copy */
	struct request *v;		/* in order of time */
	/* With serve.c: more requests may follow; false: no.  The device runs up to `until` first. */
	bool (*more)(struct load *l);
	uint64_t until;
};
struct load load_read(const char *path);
struct load load_make(const char *family, uint64_t seed);
void load_write(const struct load *l, FILE *f);
void load_add(struct load *l, uint64_t at, uint32_t client, uint32_t copies, uint32_t bytes);

/* machine.c: runs a trace with a policy.  *t0: the time at which it began. */
struct bench;
struct bench *run_trace(struct load *l, const struct policy *policy, uint64_t *t0);
/* serve.c: decides by this policy for a judge, until that closes the socket at the standard input. */
void serve(const struct policy *p);
/* remote.c, so only in the judge: request i of the trace is next, and what was before it has happened. */
void judge_goes_on(const struct load *l, uint32_t i) __attribute__((weak));

#endif
