/* SPDX-License-Identifier: MIT */
/* Lab 9's grader: what queue_create() leaves, and what one thread's groups look like in memory. */
#include <inttypes.h>
#include <string.h>
#include "lablib.h"
#include "tests.h"

/* ---- set-up ------------------------------------------------------------------------------------------- */

static struct {
	bool enabled, entry, counters, put;
} at_enable;

static bool is_acquire_x(uint64_t va, uint32_t words)
{
	volatile uint32_t *w;

	if (va < HW_VA + HW_MAPPED || va >= HW_VA + HW_MAPPED_END - 64 || words != PPU_CMD_SIZE_SEM_ACQUIRE)
		return false;
	w = hw_at(&hw, va);
	return w[0] == PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ)) &&
	       w[1] == (uint32_t)q.d.x && w[2] == (uint32_t)(q.d.x >> 32) && w[3] == 1 && !w[4];
}

static bool first_entry_there(uint32_t get)
{
	volatile struct ppu_gpfifo_entry *e = hw_at(&hw, q.d.ring);

	return q.d.ring && get < q.d.count && is_acquire_x(e[get].va, e[get].length);
}

/* Notes what is there at the moment at which the channel is enabled: from then on the device may read it. */
static void see_enable(struct hw *h, uint32_t offset, uint32_t val)
{
	uint32_t get;

	if (offset != PPU_BAR0_CHCFG + PPU_CHCFG_STRIDE + PPU_REG_CH_CMD || val != PPU_CH_CMD_ENABLE ||
	    at_enable.enabled)
		return;
	get = hw_ch_read(h, 1, PPU_REG_CH_GET);
	at_enable.enabled = true;
	at_enable.entry = first_entry_there(get);
	at_enable.counters = q.d.soft && *u64_at(q.d.soft) && *u64_at(q.d.shadow);
	at_enable.put = hw_ch_read(h, 1, PPU_REG_CH_PUT) != get;
}

static uint64_t ch_read64(uint32_t reg_lo)
{
	uint32_t lo = hw_ch_read(&hw, 1, reg_lo);

	return lo | (uint64_t)hw_ch_read(&hw, 1, reg_lo + 4) << 32;
}

/* How many entries, besides the first, are not zero any more. */
static uint32_t others_written(uint32_t get)
{
	volatile struct ppu_gpfifo_entry *e = hw_at(&hw, q.d.ring);
	uint32_t i, n = 0;

	for (i = 0; i < q.d.count; i++)
		n += i != get && (e[i].va || e[i].length);
	return n;
}

static void setup_case(uint32_t count, uint32_t get)
{
	uint32_t status, i;
	int err;

	fresh(get, WATCHDOG_NS);
	memset(&at_enable, 0, sizeof(at_enable));
	hw_watch = see_enable;
	err = queue_create(&hw, &q, count);
	hw_watch = NULL;
	lab_obs("setup", "%u %u %d", count, get, err);
	if (!q.d.ring)
		return;
	for (i = 0; i < 1000; i++) {	/* until the host interface has come to the first entry */
		status = hw_ch_read(&hw, 1, PPU_REG_CH_STATUS);
		if (status & (PPU_CHS_SEM_BLOCKED | PPU_CHS_FAULTED) || !(status & PPU_CHS_ENABLED))
			break;
		lab_sleep_ms(1);
	}
	lab_obs("setup_channel", "%u %u %u %d %d %u %d", hw_ch_read(&hw, 1, PPU_REG_CH_CLASS),
		hw_ch_read(&hw, 1, PPU_REG_CH_RING_ENTRIES), hw_ch_read(&hw, 1, PPU_REG_CH_FLAGS),
		ch_read64(PPU_REG_CH_INST_LO) == hw.inst, ch_read64(PPU_REG_CH_RING_LO) == q.d.ring,
		hw_ch_read(&hw, 1, PPU_REG_CH_ERROR), ch_read64(PPU_REG_CH_DEVQ_SHADOW_LO) == q.d.shadow);
	lab_obs("setup_state", "%u %u %u %" PRIu64 " %" PRIu64 " %d %u", count, get, hw_ch_read(&hw, 1, PPU_REG_CH_PUT),
		*u64_at(q.d.soft), *u64_at(q.d.shadow), first_entry_there(get), others_written(get));
	lab_obs("setup_waits", "%u %d", hw_ch_read(&hw, 1, PPU_REG_CH_GET),
		status & PPU_CHS_SEM_BLOCKED && ch_read64(PPU_REG_CH_BLOCK_VA_LO) == q.d.x);
	lab_obs("setup_words", "%" PRIu64 " %" PRIu64 " %d", *u64_at(q.d.x), *u64_at(q.d.y),
		!memcmp((const void *)hw_at(&hw, q.dev), &q.d, sizeof(q.d)));
	lab_obs("setup_order", "%d %d %d", at_enable.entry, at_enable.counters, at_enable.put);
}

void test_setup(void)
{
	lab_step("queue_create()");
	setup_case(8, 0);
	setup_case(8, 5);
	setup_case(6, 3);
	setup_case(13, 12);
	setup_case(16 + rnd(100), 1 + rnd(14));
}

/* ---- entries of one thread's groups ---------------------------------------------------------------------- */

#define COUNT	13u
#define GET	11u

static volatile struct ppu_gpfifo_entry *entry(uint64_t counter)
{
	return (volatile struct ppu_gpfifo_entry *)hw_at(&hw, q.d.ring) + counter % COUNT;
}

/* The words of the block to which an entry points; NULL if the block has fewer. */
static volatile uint32_t *words_of(uint64_t counter, uint32_t n)
{
	volatile struct ppu_gpfifo_entry *e = entry(counter);

	if (e->va < HW_VA + HW_MAPPED || e->va >= HW_VA + HW_MAPPED_END - 64 || e->length != n || e->va & 3)
		return NULL;
	return hw_at(&hw, e->va);
}

static bool is_sem(volatile uint32_t *w, uint32_t op, uint32_t flags, uint64_t va, uint64_t val)
{
	return w[0] == PPU_CMD_HDR(op, PPU_CMD_SIZE_SEM_ACQUIRE, flags) && w[1] == (uint32_t)va &&
	       w[2] == (uint32_t)(va >> 32) && w[3] == (uint32_t)val && w[4] == (uint32_t)(val >> 32);
}

/* Checks the Acquire behind a group: for the element of its own entry, alone in its block, with the lap's number. */
static void see_acquire(uint32_t group, uint64_t counter)
{
	volatile uint32_t *w = words_of(counter, PPU_CMD_SIZE_SEM_ACQUIRE);
	uint64_t sem = q.d.sems + 8 * (counter % COUNT);
	int right = w && is_sem(w, PPU_CMD_SEM_ACQUIRE, PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ), sem, counter / COUNT + 1);
	int element = w && PPU_CMD_OP(w[0]) == PPU_CMD_SEM_ACQUIRE && w[1] == (uint32_t)sem;

	lab_obs("acquire", "%u %u %d %d %" PRIu64, group, (uint32_t)(counter % COUNT), right, element,
		counter / COUNT + 1);
}

static void see_end(uint64_t counter)
{
	volatile uint32_t *w = words_of(counter, entry(counter)->length);
	int wfi = w && w[0] == PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0);

	w = w && wfi ? w + 1 : w;
	lab_obs("end", "%u %d %d %d %d", (uint32_t)(counter % COUNT), w && entry(counter)->length >= 5, wfi,
		w && is_sem(w, PPU_CMD_SEM_RELEASE, 0, q.d.y, 1),
		w && is_sem(w + 5, PPU_CMD_SEM_ACQUIRE, PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ), q.d.x, 2));
}

/* Three groups, of 1, 2 and 3 blocks. The ring begins near its end, so the first group goes round. */
void test_entries(void)
{
	static const uint32_t sizes[3] = { 1, 2, 3 };
	uint64_t list, results, at = GET + 1;
	uint32_t i, k, block = 0;
	struct work w;

	if (!with_queue("entries", COUNT, GET, WATCHDOG_NS))
		return;
	work_make(&w, 6);
	list = hw_alloc(&hw, 3 * 8, 8);
	results = hw_alloc(&hw, 3 * 16, 16);
	for (i = 0; i < 3; i++)
		u64_at(list)[i] = sizes[i];
	queue_launch(&hw, &q, hw_tmd(&hw, "groups", 1, 1, (uint64_t[]){ q.dev, 1, w.entries, list, 3, results }, 6));
	lab_obs("through", "entries %d", through("entries"));
	for (i = 0; i < 3; i++) {
		uint64_t first = at, before = first - 1;
		int there = 1;

		for (k = 0; k < sizes[i]; k++, at++, block++)
			there &= entry(at)->va == ((volatile struct ppu_gpfifo_entry *)hw_at(&hw, w.entries))[block].va &&
				 entry(at)->length == 6;
		lab_obs("group", "%u %" PRIu64 " %" PRIu64 " %u %d", i, u64_at(results)[2 * i],
			u64_at(results)[2 * i + 1] - (GET + 1), (uint32_t)(first % COUNT), there);
		see_acquire(i, at++);
		lab_obs("released", "%u %u %d", i, (uint32_t)(before % COUNT),
			u64_at(q.d.sems)[before % COUNT] == before / COUNT + 1);
	}
	see_end(at);
	lab_obs("ran", "%u %d", work_once(&w), work_in_order(&w));
}

/* A full ring: a refusal changes nothing, and the end of the launch always has a place. */
void test_room(void)
{
	/* eight entries: the group of 4 takes 5, and one is kept for the end */
	static const uint32_t sizes[6] = { 6, 5, 4, 1, 2, 0xffff };
	uint64_t list, results;
	uint32_t i;
	struct work w;

	if (!with_queue("room", 8, 0, WATCHDOG_NS))
		return;
	work_make(&w, 8);
	list = hw_alloc(&hw, 6 * 8, 8);
	results = hw_alloc(&hw, 6 * 16, 16);
	for (i = 0; i < 6; i++)
		u64_at(list)[i] = sizes[i];
	queue_launch(&hw, &q, hw_tmd(&hw, "groups", 1, 1, (uint64_t[]){ q.dev, 1, w.entries, list, 6, results }, 6));
	lab_obs("through", "room %d", through("room"));
	for (i = 0; i < 6; i++)
		lab_obs("room", "%u %" PRIu64 " %" PRIu64, sizes[i], u64_at(results)[2 * i], u64_at(results)[2 * i + 1]);
	lab_obs("room_ran", "%u %d", work_once(&w), work_in_order(&w));
}
