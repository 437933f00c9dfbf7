/* SPDX-License-Identifier: MIT */
/* Lab 10, the grader's side: random programs against a reference that runs each thread alone. */
#include <lablib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "labchild.h"
#include "machine.h"
#include "simt_prog.h"

#define MAX_TRIES	150		/* tries to make a failing program smaller */

static struct child stream;
static bool streaming, silent;		/* silent: nothing came in time */
static char why[256];
static uint32_t results[MAX_THREADS * RESULT_BYTES / 4];

static bool write_all(const void *p, size_t n)
{
	while (n) {
		ssize_t done = write(stream.in, p, n);

		if (done <= 0)
			return false;
		p = (const char *)p + done;
		n -= (size_t)done;
	}
	return true;
}

/* Returns how many bytes came. */
static size_t read_all(void *p, size_t n)
{
	size_t len = 0;
	ssize_t done = 0;

	while (len < n && (done = child_read(&stream, (char *)p + len, n - len)) > 0)
		len += (size_t)done;
	silent = len < n && done < 0;
	return len;
}

static bool send(const struct prog *p)
{
	static char text[SIMT_TEXT_BYTES];
	struct machine_job job = {
		.threads = p->threads, .branch_first = p->branch_first, .yield_every = p->yield_every,
		.yield_merge = p->yield_merge, .yield_random = p->yield_random, .words = p->threads * RESULT_BYTES / 4,
	};

	simt_emit(p, text);
	job.bytes = (uint32_t)strlen(text);
	return write_all(&job, sizeof(job)) && write_all(text, job.bytes);
}

/* Runs a program.  False, with the reason in `why`, if no answer came: the program's last words come instead. */
static bool execute(const struct prog *p, struct machine_reply *r)
{
	char words[200] = "";
	const char *how;
	size_t n;

	if (!streaming) {
		child_start(&stream, (char *[]){ "machine", "--stream", NULL }, true);
		streaming = true;
	}
	if (send(p)) {
		n = read_all(words, sizeof(*r));
		memcpy(r, words, sizeof(*r));
		if (n == sizeof(*r) && memcmp(words, "end ", 4) &&
		    read_all(results, p->threads * RESULT_BYTES) == p->threads * RESULT_BYTES)
			return true;
		if (!memcmp(words, "end ", 4))
			read_all(words + n, sizeof(words) - 1 - n);
	}
	streaming = false;
	how = child_stop(&stream, silent);
	words[strcspn(words, "\n")] = 0;
	snprintf(why, sizeof(why), "%s", how ? how : memcmp(words, "end ", 4) ? "end hang" : words);
	return false;
}

/* Does the unit do what the reference does?  If not, the reason is in `why`. */
static bool agrees(const struct prog *p)
{
	struct thread t[MAX_THREADS];
	struct machine_reply r;
	uint32_t want[REGS + 1];

	if (!simt_reference(p, t))
		return true;
	if (!execute(p, &r))
		return false;
	if (r.end != END_DONE) {
		snprintf(why, sizeof(why), r.end == END_FAULT ? "fault %u pc=%u" : "time", r.code, r.pc);
		return false;
	}
	for (uint32_t i = 0; i < p->threads; i++) {
		simt_wanted(&t[i], want);
		for (unsigned k = 0; k <= REGS; k++)
			if (results[i * (RESULT_BYTES / 4) + k] != want[k]) {
				snprintf(why, sizeof(why), k < REGS ? "lane %u r%u %u %u" : "lane %u end%u %u %u", i,
					 k < REGS ? 3 + k : 0, results[i * (RESULT_BYTES / 4) + k], want[k]);
				return false;
			}
	}
	return true;
}

/* Leaves out operations as long as the program still fails: halves, quarters, ... down to single ones. */
static void reduce(struct prog *p)
{
	unsigned tries = 0;

	for (uint32_t step = p->n / 2; step; step /= 2)
		for (uint32_t at = p->n; at >= step && tries < MAX_TRIES; at -= step) {
			struct prog q = *p;
			struct thread t[MAX_THREADS];

			if (at > p->n)
				continue;
			for (uint32_t i = 0; i < step; i++)
				simt_drop_op(&q, at - step);
			if (!q.n || !simt_reference(&q, t))
				continue;
			tries++;
			lab_step("making a program smaller that fails");
			if (!agrees(&q))
				*p = q;
			if (!streaming)
				return;		/* the program crashes, so each try would need a new process */
		}
}

static void show(struct prog *p)
{
	static char text[SIMT_TEXT_BYTES];

	agrees(p);
	lab_obs("random.why", "%s", why);
	lab_obs("random.settings", "%u %u %u %u %u", p->threads, p->branch_first, p->yield_every, p->yield_merge,
		p->yield_random);
	simt_emit(p, text);
	pass_on("random.program", text, NULL);
}

void random_programs(uint64_t seed, uint64_t count)
{
	static struct prog p;
	uint64_t done, wrong = 0;

	signal(SIGPIPE, SIG_IGN);
	for (done = 0; done < count && !wrong; done++) {
		lab_step("running random program %llu", (unsigned long long)(seed + done));
		lab_limit(5 * CHILD_WAIT_S);
		simt_generate(&p, seed + done);
		if (agrees(&p))
			continue;
		wrong++;
		lab_obs("random.failed", "%llu %s", (unsigned long long)(seed + done), why);
		if (streaming)
			reduce(&p);
		show(&p);
	}
	lab_obs("random.agreed", "%llu", (unsigned long long)(done - wrong));
}
