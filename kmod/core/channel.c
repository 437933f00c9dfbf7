// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * PPU driver core: channels.
 */

#include "channel.h"

static void ppu_chan_wr(const struct ppu_bus *bus, void *dev, u32 chid, u32 reg, u32 val)
{
	bus->wr(dev, PPU_BAR0_CHCFG + chid * PPU_CHCFG_STRIDE + reg, val);
}

static void ppu_chan_wr64(const struct ppu_bus *bus, void *dev, u32 chid, u32 reg, u64 val)
{
	ppu_chan_wr(bus, dev, chid, reg, (u32)val);
	ppu_chan_wr(bus, dev, chid, reg + 4, (u32)(val >> 32));
}

/**
 * ppu_chan_configure - put the configuration into a channel that is reset
 * @bus: how to reach the device
 * @dev: device
 * @chid: channel
 * @config: all of its configuration
 */
void ppu_chan_configure(const struct ppu_bus *bus, void *dev, u32 chid,
			const struct ppu_chan_config *config)
{
	ppu_chan_wr64(bus, dev, chid, PPU_REG_CH_INST_LO, config->inst | PPU_APERTURE_VRAM);
	ppu_chan_wr64(bus, dev, chid, PPU_REG_CH_RING_LO, config->ring_va);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_RING_ENTRIES, config->entries);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_CLASS, config->hw_class);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_PRIORITY, config->priority);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_TIMESLICE_NS, config->timeslice_ns);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_ENGINE_MASK, config->engine_mask);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_FLAGS, config->flags);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_GROUP, config->group);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_GET, config->get);
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_PUT, config->get);
	ppu_chan_wr64(bus, dev, chid, PPU_REG_CH_DEVQ_SHADOW_LO, config->shadow_va);
}

/* Device-owned queues */

const unsigned int ppu_devq_steps[PPU_DEVQ_NUM_STEPS] = { 405, 406, 408, 410, 412 };

static void ppu_devq_write(const struct ppu_devq_setup *q, u64 offset, u64 val)
{
	u64 contig;

	q->bus->mem_wr(q->dev, q->mem.addr(q->mem.object, offset, &contig), val);
}

/* Step 406 (WQ-30): the host interface stands at this command until the first work is there. */
static void ppu_devq_write_start(const struct ppu_devq_setup *q)
{
	u64 x = q->va + q->layout->x, at = q->layout->start;
	u32 acquire = PPU_CMD_HDR(PPU_CMD_SEM_ACQUIRE, PPU_CMD_SIZE_SEM_ACQUIRE,
				  PPU_CMDF_SEM_OP(PPU_SEM_OP_EQ));

	/* Five words: header, address, value. */
	ppu_devq_write(q, at, acquire | x << 32);
	ppu_devq_write(q, at + 8, x >> 32 | (u64)PPU_DEVQ_FIRST_X << 32);
	ppu_devq_write(q, at + 16, 0);
}

/* Step 408 (WQ-31): the first free entry of a fresh ring is the one at GP_GET. */
static int ppu_devq_write_entry(struct ppu_devq_setup *q)
{
	u64 at;

	q->get = q->bus->rd(q->dev, PPU_BAR0_CHCFG + q->chid * PPU_CHCFG_STRIDE +
				    PPU_REG_CH_GET);
	/* A device that was pulled out reads as all ones. */
	if (q->get >= q->count)
		return -ENODEV;
	at = (u64)q->get * PPU_DEVQ_ENTRY_BYTES;
	ppu_devq_write(q, at, q->va + q->layout->start);
	ppu_devq_write(q, at + 8, PPU_CMD_SIZE_SEM_ACQUIRE);
	return 0;
}

/**
 * ppu_devq_step - one step of method 400 (WQ-27..WQ-34)
 * @q: queue; its object is zero-filled
 * @step: one of ppu_devq_steps; all are done, in their order
 *
 * Return: 0, or -ENODEV from step 408 (WQ-31).
 */
int ppu_devq_step(struct ppu_devq_setup *q, unsigned int step)
{
	switch (step) {
	case 405:
		ppu_devq_write(q, q->layout->x, 0);
		ppu_devq_write(q, q->layout->y, 0);
		return 0;
	case 406:
		ppu_devq_write_start(q);
		return 0;
	case 408:
		return ppu_devq_write_entry(q);
	case 410:
		/* The entry must be in memory before GP_PUT says that it may be fetched. */
		q->bus->mem_order(q->dev);
		ppu_chan_wr(q->bus, q->dev, q->chid, PPU_REG_CH_PUT,
			    ppu_devq_first_put(q->get, q->count));
		return 0;
	case 412:
		ppu_devq_write(q, q->layout->soft, ppu_devq_first_soft(q->get));
		ppu_devq_write(q, q->layout->shadow, ppu_devq_first_shadow(q->get, q->count));
		/* The counters must be in memory before anybody hears of the queue. */
		q->bus->mem_order(q->dev);
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * ppu_devq_refresh - let GP_PUT and the shadow follow GP_GET
 * @bus: how to reach the device
 * @dev: device
 * @chid: channel of a queue, enabled
 */
void ppu_devq_refresh(const struct ppu_bus *bus, void *dev, u32 chid)
{
	ppu_chan_wr(bus, dev, chid, PPU_REG_CH_CMD, PPU_CH_CMD_REFRESH);
}

/* Divergence token queues */

#define PPU_TOKEN_BYTES		8

/**
 * ppu_token_queue_centre - move the tokens of a queue to its middle
 * @bus: how to reach the device
 * @dev: device
 * @vram: bytes of VRAM there are
 * @q: the queue, as the device says it is; head and tail are changed
 *
 * Order and contents of the tokens stay.
 *
 * Return: false: the queue is full, or what the device says is impossible.
 */
bool ppu_token_queue_centre(const struct ppu_bus *bus, void *dev, u64 vram,
			    struct ppu_token_queue *q)
{
	s32 n, from, to, i;

	if (q->tail < -1 || q->head > q->size || q->head <= q->tail ||
	    q->base & (PPU_TOKEN_BYTES - 1) || q->base >= vram ||
	    (u64)q->size * PPU_TOKEN_BYTES > vram - q->base)
		return false;
	n = q->head - q->tail - 1;
	if (n >= q->size)
		return false;
	from = q->tail + 1;
	to = (q->size - n) / 2;
	for (i = 0; i < n; i++) {
		/* Copy away from the direction of the move, as memmove() does. */
		s32 k = to < from ? i : n - 1 - i;

		bus->mem_wr(dev, q->base + (u64)(to + k) * PPU_TOKEN_BYTES,
			    bus->mem_rd(dev, q->base + (u64)(from + k) * PPU_TOKEN_BYTES));
	}
	q->tail = to - 1;
	q->head = to + n;
	return true;
}
