// SPDX-License-Identifier: MIT
/* Lab 5: when a submission is complete, errors, arguments. */
#include <errno.h>
#include <time.h>
#include <lablib.h>
#include <labdrm.h>
#include "exercise.h"

static uint64_t cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/*
 * In a machine whose time counts instructions: a wait of 300 ms for a submission that does not complete. obs asleep:
 * error of the wait, ms that it took, ms of CPU time
 */
void test_asleep(struct pad *p)
{
	uint64_t seqno, started, used;
	uint32_t id;
	int chid, ret;

	lab_step("waiting for what does not come");
	p->word[GATE] = 0;
	if (make_channel(p->fd, PPU_CLASS_COPY, 16, &id, &chid) || chid < 0 ||
	    submit(p, id, 0, block_gate(p, 0), &seqno))
		return;
	used = cpu_ms();
	started = lab_now_ms();
	ret = ld_wait(p->fd, id, seqno, 300 * 1000000ll);
	lab_obs("asleep", "%d %llu %llu", ret, (unsigned long long)(lab_now_ms() - started),
		(unsigned long long)(cpu_ms() - used));
	open_gate(p, chid);
	ld_chan_close(p->fd, id);
}

/* Two channels; the first waits at the gate. obs incomplete: error of a look at its first job, and at its second job */
void test_completion(struct pad *p)
{
	uint64_t first, second, other;
	uint32_t a, b;
	int ca, cb, look1;

	lab_step("waiting for what is not complete");
	p->word[COUNT] = 0;
	p->word[GATE] = 0;
	if (make_channel(p->fd, PPU_CLASS_COPY, 16, &a, &ca) || make_channel(p->fd, PPU_CLASS_COMPUTE, 16, &b, &cb) ||
	    ca < 0 || cb < 0)
		return;
	if (submit(p, a, 0, block_store(p, 0, FIRST, 1), &first) ||
	    submit(p, a, 1, block_cookie_gate(p, 1, 0x7fffffff), &second))
		return;
	/* The program's own INTR has been executed, but the rest of its block has not. */
	lab_obs("cookie", "%d", lab_until(ch_reg(ca, PPU_REG_CH_COOKIE) == 0x7fffffff, 5));
	look1 = ld_wait(p->fd, a, first, SHORT);
	lab_obs("incomplete", "%d %d", look1, ld_wait(p->fd, a, second, 0));
	if (submit(p, b, 2, block_count(p, 2), &other))
		return;
	lab_obs("other", "%d", ld_wait(p->fd, b, other, SHORT));
	open_gate(p, ca);
	lab_obs("complete", "%d %llu", ld_wait(p->fd, a, second, SHORT), (unsigned long long)p->word[COUNT]);
	ld_chan_close(p->fd, a);
	ld_chan_close(p->fd, b);
}

/* --- errors ------------------------------------------------------------------------------------------ */

/*
 * A channel gets a gate, a good block, a bad one, a good one. obs error: errors of the waits for these four, of a
 * submission afterwards, PPU_ERR_*. obs innocent: error of a job of another channel. obs recovered: of a new channel
 */
void test_errors(struct pad *p)
{
	uint64_t s[4] = { 0 }, other;
	uint32_t a, b;
	int ca, cb, w[4], late;

	lab_step("submitting a block with a bad command");
	p->word[GATE] = 0;
	if (make_channel(p->fd, PPU_CLASS_COPY, 32, &a, &ca) || make_channel(p->fd, PPU_CLASS_COPY, 32, &b, &cb) ||
	    ca < 0 || cb < 0)
		return;
	if (submit(p, a, 0, block_gate(p, 0), &s[0]) || submit(p, a, 1, block_count(p, 1), &s[1]) ||
	    submit(p, a, 2, block_bad(p, 2), &s[2]) || submit(p, a, 3, block_count(p, 3), &s[3]))
		return;
	open_gate(p, ca);
	w[2] = ld_wait(p->fd, a, s[2], SHORT);
	w[3] = ld_wait(p->fd, a, s[3], SHORT);
	w[0] = ld_wait(p->fd, a, s[0], SHORT);
	w[1] = ld_wait(p->fd, a, s[1], SHORT);
	late = submit(p, a, 4, block_count(p, 4), &other);
	lab_obs("error", "%d %d %d %d %d %u", w[0], w[1], w[2], w[3], late, ch_reg(ca, PPU_REG_CH_ERROR));
	late = submit(p, b, 5, block_store(p, 5, FIRST, 5), &other);
	lab_obs("innocent", "%d", late ? late : ld_wait(p->fd, b, other, SHORT));
	ld_chan_close(p->fd, a);
	/* The same hardware channel may be used again after an error. */
	late = make_channel(p->fd, PPU_CLASS_COPY, 8, &a, &ca);
	if (!late)
		late = submit(p, a, 6, block_store(p, 6, FIRST, 6), &other);
	lab_obs("recovered", "%d", late ? late : ld_wait(p->fd, a, other, SHORT));
	ld_chan_close(p->fd, a);
	ld_chan_close(p->fd, b);
}

/* --- arguments --------------------------------------------------------------------------------------- */

static uint32_t big;

/* obs block: offset, words, error */
static void one_block(struct pad *p, uint32_t id, uint32_t handle, uint64_t offset, uint32_t words)
{
	uint64_t seqno;
	int ret = ld_submit(p->fd, id, handle, offset, words, &seqno);

	lab_obs("block", "%lld %u %d", (long long)offset, words, ret);
}

void test_arguments(struct pad *p)
{
	uint64_t size = SLOTS * SLOT_BYTES, seqno;
	uint32_t id, words;
	int chid, ret;

	lab_step("submitting blocks that are not in the buffer");
	/* The gate is closed, so a block that is taken by mistake is not executed. */
	p->word[GATE] = 0;
	if (make_channel(p->fd, PPU_CLASS_COPY, 64, &id, &chid) || chid < 0 ||
	    submit(p, id, 0, block_gate(p, 0), &seqno) || ld_bo(p->fd, 9 << 20, &big))
		return;
	one_block(p, id, p->blocks, 0, 0);
	one_block(p, id, p->blocks, 2, 3);
	one_block(p, id, p->blocks, size, 1);
	one_block(p, id, p->blocks, size - 4, 2);
	one_block(p, id, p->blocks, 0, size / 4 + 1);
	one_block(p, id, p->blocks, 0, 0x40000001);
	one_block(p, id, p->blocks, 64, 0xffffffff);
	one_block(p, id, p->blocks, ~0ull - 3, 3);
	one_block(p, id, p->blocks, 1ull << 32, 3);
	one_block(p, id, big, 0, PPU_BLOCK_MAX_WORDS + 1);
	ld_chan_close(p->fd, id);
	/* A block in the last words of a buffer is good. */
	words = block_count(p, SLOTS - 1);
	for (uint32_t i = words; i-- > 0; )
		p->text[size / 4 - words + i] = p->text[(SLOTS - 1) * SLOT_BYTES / 4 + i];
	ret = make_channel(p->fd, PPU_CLASS_COPY, 16, &id, &chid);
	if (!ret)
		ret = ld_submit(p->fd, id, p->blocks, size - words * 4, words, &seqno);
	lab_obs("block_end", "%d", ret ? ret : ld_wait(p->fd, id, seqno, SHORT));
	ld_chan_close(p->fd, id);
	ld_bo_close(p->fd, big);
}

/* --- lost messages ----------------------------------------------------------------------------------- */

/* obs lost: jobs whose wait ended well, number of jobs, error of the first wait that did not, error of a bad job */
void test_lost(struct pad *p)
{
	uint64_t seqno;
	uint32_t id;
	int chid, ret = 0, done = 0, bad;

	lab_step("waiting while messages get lost");
	if (make_channel(p->fd, PPU_CLASS_COPY, 16, &id, &chid) || chid < 0)
		return;
	for (unsigned int i = 0; i < 12 && !ret; i++) {
		ret = submit(p, id, i, block_store(p, i, FIRST, i), &seqno);
		if (!ret)
			ret = ld_wait(p->fd, id, seqno, SHORT);
		done += !ret;
	}
	lab_step("waiting for a bad block while messages get lost");
	bad = submit(p, id, 20, block_bad(p, 20), &seqno);
	if (!bad)
		bad = ld_wait(p->fd, id, seqno, SHORT);
	lab_obs("lost", "%d 12 %d %d", done, ret, bad);
}
