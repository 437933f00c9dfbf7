/* SPDX-License-Identifier: MIT */
/* The functions of watch.h. */
#include <stdio.h>
#include <string.h>
#include <hw/ppu_counters.h>
#include <hw/ppu_fault.h>
#include "lablib.h"
#include "watch.h"

#define LOOK_MS		40	/* between two looks at the channels */
#define LONG_MS		12000	/* no test runs this long */

static bool touched;

static const char *error_name(uint32_t code)
{
	switch (code) {
#define E(name, num, scope, text) case (num): return text;
	PPU_ERRS(E)
#undef E
	}
	return "an unknown error";
}

static uint64_t word(struct hw *hw, uint64_t va)
{
	return *(volatile uint64_t *)hw_at(hw, va);
}

static bool is_mapped(uint64_t va)
{
	return va >= HW_VA + HW_MAPPED && va < HW_VA + HW_MAPPED_END - 64;
}

/* The value for which the entry at GET waits in this word; 0 if the entry does not wait for this word. */
static uint64_t awaited(struct hw *hw, const struct queue *q, uint32_t get, uint64_t va)
{
	volatile struct ppu_gpfifo_entry *e = hw_at(hw, q->d.ring);
	volatile uint32_t *w;
	uint32_t i;

	if (!is_mapped(e[get].va) || e[get].length > 64)
		return 0;
	w = hw_at(hw, e[get].va);
	for (i = 0; i + 5 <= e[get].length; i += PPU_CMD_SIZE(w[i]) ? PPU_CMD_SIZE(w[i]) : 1)
		if (PPU_CMD_OP(w[i]) == PPU_CMD_SEM_ACQUIRE && (w[i + 1] | (uint64_t)w[i + 2] << 32) == va)
			return w[i + 3] | (uint64_t)w[i + 4] << 32;
	return 0;
}

/* "X", "element 3 of the semaphores" */
static const char *word_name(const struct queue *q, uint64_t va)
{
	static char text[64];

	if (va == q->d.x)
		return "X";
	if (va == q->d.y)
		return "Y";
	if (va >= q->d.sems && va < q->d.sems + 8ull * q->d.count)
		snprintf(text, sizeof(text), "element %u of the semaphores", (unsigned int)((va - q->d.sems) / 8));
	else
		snprintf(text, sizeof(text), "the word at 0x%llx, which is none of the queue's semaphores",
			 (unsigned long long)va);
	return text;
}

/* Returns true, and reports why, if a channel has an error. */
static bool failed(struct hw *hw, uint32_t channel, const char *test)
{
	uint32_t err = hw_ch_read(hw, channel, PPU_REG_CH_ERROR);

	if (err)
		lab_obs("stuck", "%s %s stopped at its entry %u: %s", test,
			channel ? "the queue's channel" : "the CPU's channel",
			hw_ch_read(hw, channel, PPU_REG_CH_ERROR_INFO), error_name(err));
	return err;
}

struct look {
	uint32_t c_status, p_status, tasks, c_get, p_get;
	uint64_t p_word;
};

static struct look look(struct hw *hw, const struct queue *q)
{
	struct look l;

	memset(&l, 0, sizeof(l));
	l.tasks = hw_ch_read(hw, 0, PPU_REG_CH_TASKS) + hw_ch_read(hw, q->channel, PPU_REG_CH_TASKS);
	l.c_status = hw_ch_read(hw, 0, PPU_REG_CH_STATUS);
	l.c_get = hw_ch_read(hw, 0, PPU_REG_CH_GET);
	l.p_status = hw_ch_read(hw, q->channel, PPU_REG_CH_STATUS);
	l.p_get = hw_ch_read(hw, q->channel, PPU_REG_CH_GET);
	l.p_word = hw_ch_read(hw, q->channel, PPU_REG_CH_BLOCK_VA_LO);
	l.p_word |= (uint64_t)hw_ch_read(hw, q->channel, PPU_REG_CH_BLOCK_VA_HI) << 32;
	return l;
}

/* Nothing can move any more: there is no task, and both channels wait for a word or have nothing left. */
static bool still(const struct look *l)
{
	const uint32_t busy = PPU_CHS_WFI | PPU_CHS_RUNNING;
	bool c = l->c_status & PPU_CHS_SEM_BLOCKED || !(l->c_status & PPU_CHS_PENDING);
	bool p = l->p_status & PPU_CHS_SEM_BLOCKED || !(l->p_status & PPU_CHS_PENDING);

	return !l->tasks && c && p && !((l->c_status | l->p_status) & busy);
}

static void say_still(struct hw *hw, const struct queue *q, const struct look *l, const char *test)
{
	if (!(l->c_status & PPU_CHS_PENDING))
		lab_obs("stuck", "%s nothing was submitted to the CPU's channel, or it was done at once", test);
	else if (l->p_status & PPU_CHS_SEM_BLOCKED)
		lab_obs("stuck", "%s nothing moves: the queue stands at its entry %u and waits until %s is %llu; it is %llu",
			test, l->p_get, word_name(q, l->p_word),
			(unsigned long long)awaited(hw, q, l->p_get, l->p_word), (unsigned long long)word(hw, l->p_word));
	else
		lab_obs("stuck", "%s nothing moves: the queue's GET has come to its PUT (entry %u), and nobody moves PUT on",
			test, l->p_get);
}

static bool never(struct hw *hw, const struct queue *q, uint64_t done, const char *test, struct look *before)
{
	struct look now;

	if (failed(hw, q->channel, test) || failed(hw, 0, test))
		return true;
	now = look(hw, q);
	if (still(&now) && !memcmp(&now, before, sizeof(now)) && !word(hw, done)) {
		say_still(hw, q, &now, test);
		return true;
	}
	*before = now;
	return false;
}

bool watch_done(struct hw *hw, const struct queue *q, uint64_t done, const char *test, unsigned int patience_ms)
{
	uint64_t start = lab_now_ms(), next = start + patience_ms * lab_scale();
	struct look before;

	memset(&before, 0xff, sizeof(before));
	touched = false;
	while (!word(hw, done)) {
		lab_sleep_ms(1);
		if (lab_now_ms() < next)
			continue;
		touched = true;
		if (never(hw, q, done, test, &before))
			return false;
		if (lab_now_ms() > start + LONG_MS * lab_scale()) {
			lab_obs("stuck", "%s kernels were still running after %u s", test, LONG_MS / 1000);
			return false;
		}
		next = lab_now_ms() + LOOK_MS;
	}
	return true;
}

bool watch_touched(void)
{
	return touched;
}

static uint64_t count(struct hw *hw, uint32_t counter)
{
	uint32_t lo;

	hw_write(hw, PPU_REG_DBG_SEL, counter);
	lo = hw_read(hw, PPU_REG_DBG_DATA_LO);
	return lo | (uint64_t)hw_read(hw, PPU_REG_DBG_DATA_HI) << 32;
}

struct watch_counts watch_counts(struct hw *hw)
{
	struct watch_counts c;

	c.reads = count(hw, PPU_CTR_MMIO_READS);
	c.writes = count(hw, PPU_CTR_MMIO_WRITES);
	c.doorbells = count(hw, PPU_CTR_DOORBELLS);
	c.kicks = count(hw, PPU_CTR_KICKS);
	c.interrupts = count(hw, PPU_CTR_IRQS);
	return c;
}
