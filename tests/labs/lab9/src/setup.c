/* SPDX-License-Identifier: MIT */
/* Lab 9, the CPU's part: setting up a device-owned queue (method 400, WQ-27..WQ-35), and launching a kernel
 * that fills it. */
#include <errno.h>
#include <stddef.h>
#include "hw.h"
#include "queue.h"

//LAB 9 given
/* Command words, one after the other. */
struct words {
	uint32_t w[32], n;
};

static void put(struct words *to, uint32_t word)
{
	to->w[to->n++] = word;
}

static void put64(struct words *to, uint64_t v)
{
	put(to, (uint32_t)v);
	put(to, (uint32_t)(v >> 32));
}

/* SEM_RELEASE {address, value}, or SEM_ACQUIRE until *address == value. */
static void put_sem(struct words *to, uint32_t header, uint64_t address, uint64_t value)
{
	put(to, header);
	put64(to, address);
	put64(to, value);
}

#define ACQUIRE	PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE, PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ))
#define RELEASE	PPU_CMD_HDR(PPU_CMD_SEM_RELEASE, PPU_CMD_SIZE_SEM_RELEASE, 0)

/* Writes a 64-bit word of VRAM. */
static void store64(struct hw *hw, uint64_t va, uint64_t val)
{
	*(volatile uint64_t *)hw_at(hw, va) = val;
}
//LAB end

/* Points entry `index` of the queue's ring to a block of n words. */
static void point(struct hw *hw, struct queue *q, uint32_t index, uint64_t block, uint32_t n)
{
	volatile struct ppu_gpfifo_entry *e = hw_at(hw, q->d.ring);

	e[index].va = block;
	e[index].length = n;
}

/*
 * Makes a queue of `count` entries that is ready for its first launch: 0 or -errno. When this function returns, the
 * host interface stands at the queue's first entry and waits there.
 */
int queue_create(struct hw *hw, struct queue *q, uint32_t count)
{
	//LAB 9 write: queue_alloc() is step 404 (WQ-27). Then:
	//LAB      - configure the channel: instance block, ring, entries, class; where the shadow counter is; and, if
	//LAB        CAP_FEATURES has PPU_FEAT_DEVQ_ASSIST, PPU_CHF_AUTO_REFRESH. Leave CH_GET as you find it.
	//LAB      - step 406 (WQ-30): the block at q->start, one Acquire of X. It waits for the number of the first launch.
	//LAB      - step 408 (WQ-31): the entry that the channel's GET names points to that block, wherever GET is.
	//LAB      - step 410 (WQ-32): PUT, so that every other entry but one is open to threads.
	//LAB      - step 412 (WQ-33, WQ-34): soft and shadow. They count without wrapping.
	//LAB      - only then ENABLE; -EINVAL if the channel is not enabled after that. queue_publish().
	struct words acquire = { .n = 0 };
	uint32_t ch, get, i;

	queue_alloc(hw, q, count);
	ch = q->channel;
	hw_ch_write64(hw, ch, PPU_REG_CH_INST_LO, hw->inst);
	hw_ch_write64(hw, ch, PPU_REG_CH_RING_LO, q->d.ring);
	hw_ch_write(hw, ch, PPU_REG_CH_RING_ENTRIES, count);
	hw_ch_write(hw, ch, PPU_REG_CH_CLASS, PPU_CLASS_DEVQ);
	hw_ch_write64(hw, ch, PPU_REG_CH_DEVQ_SHADOW_LO, q->d.shadow);
	if (hw_read(hw, PPU_REG_CAP_FEATURES) & PPU_FEAT_DEVQ_ASSIST)
		hw_ch_write(hw, ch, PPU_REG_CH_FLAGS, PPU_CHF_AUTO_REFRESH);

	put_sem(&acquire, ACQUIRE, q->d.x, 1);
	for (i = 0; i < acquire.n; i++)
		((volatile uint32_t *)hw_at(hw, q->start))[i] = acquire.w[i];
	get = hw_ch_read(hw, ch, PPU_REG_CH_GET);
	point(hw, q, get, q->start, acquire.n);

	hw_ch_write(hw, ch, PPU_REG_CH_PUT, get ? get - 1 : count - 1);
	store64(hw, q->d.soft, get + 1ull);
	store64(hw, q->d.shadow, get + count - 1ull);
	queue_publish(hw, q);
	__sync_synchronize();
	hw_ch_write(hw, ch, PPU_REG_CH_CMD, PPU_CH_CMD_ENABLE);
	return hw_ch_read(hw, ch, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED ? 0 : -EINVAL;
	//LAB instead
	(void)hw, (void)q, (void)count;
	(void)point, (void)store64, (void)put_sem;
	return -ENOSYS;
	//LAB end
}

/*
 * Launch the kernel of this TMD, and let the queue run what the kernel puts there: step 405 (WQ-29). Work that is
 * submitted to channel 0 afterwards runs after all of that. Does not wait.
 */
void queue_launch(struct hw *hw, struct queue *q, uint64_t tmd)
{
	//LAB 9 write: This is launch number n = 1, 2, ... of this queue. In channel 0:
	//LAB      - QUEUE_REFRESH of the queue's channel, before the rest (why before?);
	//LAB      - Kernel Launch, Wait For Idle, Release X, Acquire Y. X and Y are awaited once in each launch and
	//LAB        nobody sets them back. So the value to release is the number of the launch.
	struct words refresh = { .n = 0 }, launch = { .n = 0 };
	uint64_t n = ++q->launches;

	put(&refresh, PPU_CMD_HDR(PPU_CMD_QUEUE_REFRESH, PPU_CMD_SIZE_QUEUE_REFRESH, 0));
	put(&refresh, q->channel);
	hw_submit(hw, hw_block(hw, refresh.w, refresh.n), refresh.n);

	put(&launch, PPU_CMD_HDR(PPU_CMD_LAUNCH, PPU_CMD_SIZE_LAUNCH, 0));
	put64(&launch, tmd);
	put(&launch, PPU_CMD_HDR(PPU_CMD_WFI, PPU_CMD_SIZE_WFI, 0));
	put_sem(&launch, RELEASE, q->d.x, n);
	put_sem(&launch, ACQUIRE, q->d.y, n);
	hw_submit(hw, hw_block(hw, launch.w, launch.n), launch.n);
	//LAB instead
	(void)hw, (void)q, (void)tmd;
	//LAB end
}
