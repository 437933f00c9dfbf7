// SPDX-License-Identifier: MIT
/*
 * Lab 5's grader in the guest: channels. A buffer shows what the channels' commands did. The device's
 * registers, which the grader reads itself, show how the device was programmed.
 *
 *   exercise ring    everything
 *   exercise exact   the doorbell, and waits while the device loses its messages
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <lablib.h>
#include <labdrm.h>
#include "lab_uapi.h"
#include "exercise.h"

/* --- buffers and blocks -------------------------------------------------------------------------- */

bool pad_open(struct pad *p, int fd)
{
	memset(p, 0, sizeof(*p));
	p->fd = fd;
	if (ld_bo(fd, SLOTS * SLOT_BYTES, &p->blocks) || ld_bo(fd, 65536, &p->data) || ld_va(fd, p->data, &p->va))
		return false;
	p->text = ld_map(fd, p->blocks, SLOTS * SLOT_BYTES);
	p->word = ld_map(fd, p->data, 65536);
	return p->text && p->word;
}

void pad_close(struct pad *p)
{
	munmap((void *)p->text, SLOTS * SLOT_BYTES);
	munmap((void *)p->word, 65536);
	ld_bo_close(p->fd, p->blocks);
	ld_bo_close(p->fd, p->data);
}

static struct ld_block begin(struct pad *p, unsigned int slot)
{
	return (struct ld_block){ .words = p->text + slot * SLOT_BYTES / 4 };
}

static void count(struct pad *p, struct ld_block *b)
{
	uint64_t va = p->va + COUNT * 8;

	ld_word(b, PPU_CMD_HDR(PPU_CMD_SEM_INC, PPU_CMD_SIZE_SEM_INC, 0));
	ld_word(b, (uint32_t)va);
	ld_word(b, (uint32_t)(va >> 32));
}

uint32_t block_count(struct pad *p, unsigned int slot)
{
	struct ld_block b = begin(p, slot);

	count(p, &b);
	return b.used;
}

uint32_t block_store(struct pad *p, unsigned int slot, unsigned int word, uint64_t value)
{
	struct ld_block b = begin(p, slot);

	ld_release(&b, p->va + word * 8, value);
	count(p, &b);
	return b.used;
}

uint32_t block_gate(struct pad *p, unsigned int slot)
{
	struct ld_block b = begin(p, slot);

	ld_acquire(&b, p->va + GATE * 8, 1, PPU_SEM_OP_EQ);
	count(p, &b);
	return b.used;
}

uint32_t block_cookie_gate(struct pad *p, unsigned int slot, uint32_t cookie)
{
	struct ld_block b = begin(p, slot);

	ld_word(&b, PPU_CMD_HDR(PPU_CMD_INTR, PPU_CMD_SIZE_INTR, 0));
	ld_word(&b, cookie);
	ld_acquire(&b, p->va + GATE * 8, 1, PPU_SEM_OP_EQ);
	count(p, &b);
	return b.used;
}

uint32_t block_bad(struct pad *p, unsigned int slot)
{
	struct ld_block b = begin(p, slot);

	ld_word(&b, PPU_CMD_HDR(0xee, 1, 0));
	return b.used;
}

int submit(struct pad *p, uint32_t chan, unsigned int slot, uint32_t words, uint64_t *seqno)
{
	return ld_submit(p->fd, chan, p->blocks, (uint64_t)slot * SLOT_BYTES, words, seqno);
}

void open_gate(struct pad *p, int chid)
{
	__atomic_store_n(&p->word[GATE], 1, __ATOMIC_SEQ_CST);
	if (chid >= 0)
		lab_reg_write(PPU_BAR0_USERD + chid * PPU_USERD_STRIDE + PPU_REG_USERD_KICK, 1);
}

/* --- hardware channels --------------------------------------------------------------------------- */

uint32_t ch_reg(int chid, uint32_t reg)
{
	return lab_reg(PPU_BAR0_CHCFG + chid * PPU_CHCFG_STRIDE + reg);
}

uint64_t enabled(void)
{
	uint64_t mask = 0;

	for (int i = 1; i < CHANNELS; i++)
		if (ch_reg(i, PPU_REG_CH_STATUS) & PPU_CHS_ENABLED)
			mask |= 1ull << i;
	return mask;
}

int make_channel(int fd, uint32_t class, uint32_t entries, uint32_t *id, int *chid)
{
	uint64_t before = enabled(), now;
	int ret = ld_chan(fd, class, entries, id);

	now = enabled();
	/* The channel that was not enabled before. If its number had been left enabled: the lowest, like the driver. */
	if (now & ~before)
		now &= ~before;
	*chid = now && !ret ? __builtin_ctzll(now) : -1;
	return ret;
}

/* Leaves something in every register, as an earlier user of the channels might have done. */
static void spoil(void)
{
	for (int i = 1; i < CHANNELS; i++) {
		uint32_t at = PPU_BAR0_CHCFG + i * PPU_CHCFG_STRIDE;

		lab_reg_write(at + PPU_REG_CH_RING_LO, 0x1000);
		lab_reg_write(at + PPU_REG_CH_RING_HI, 0x7);
		lab_reg_write(at + PPU_REG_CH_RING_ENTRIES, 9);
		lab_reg_write(at + PPU_REG_CH_CLASS, PPU_CLASS_DEVQ);
		lab_reg_write(at + PPU_REG_CH_PRIORITY, 7);
		lab_reg_write(at + PPU_REG_CH_TIMESLICE_NS, 4321);
		lab_reg_write(at + PPU_REG_CH_ENGINE_MASK, 2);
		lab_reg_write(at + PPU_REG_CH_FLAGS, PPU_CHF_KERNEL_SUBMIT);
		lab_reg_write(at + PPU_REG_CH_GET, 2);
		lab_reg_write(at + PPU_REG_CH_PUT, 2);
	}
}

/* obs config: what, error, hardware channel, entries, class, priority, slice, engines, flags, GET, PUT, CH_ERROR */
static void one_config(int fd, const char *what, uint32_t class, uint32_t entries)
{
	uint32_t id;
	int chid, ret = make_channel(fd, class, entries, &id, &chid);

	lab_obs("config", "%s %d %d %u %u %u %u %u %u %u %u %u", what, ret, chid,
		ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_RING_ENTRIES), ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_CLASS),
		ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_PRIORITY), ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_TIMESLICE_NS),
		ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_ENGINE_MASK), ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_FLAGS),
		ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_GET), ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_PUT),
		ch_reg(chid > 0 ? chid : 1, PPU_REG_CH_ERROR));
	if (!ret)
		ld_chan_close(fd, id);
}

static void test_config(int fd)
{
	uint32_t id;
	int ret = 0;

	lab_step("making channels");
	spoil();
	one_config(fd, "copy", PPU_CLASS_COPY, 5);
	spoil();
	one_config(fd, "compute", PPU_CLASS_COMPUTE, 3);
	spoil();
	one_config(fd, "largest", PPU_CLASS_COPY, 65536);
	lab_obs("config_left", "%llu", (unsigned long long)enabled());
	lab_step("making and destroying 100 channels");
	for (int i = 0; i < 100 && !ret; i++) {
		ret = ld_chan(fd, PPU_CLASS_COPY, 64, &id);
		if (!ret)
			ret = ld_chan_close(fd, id);
	}
	lab_obs("config_again", "%d", ret);
}

static void all(struct pad *p)
{
	test_config(p->fd);
	test_one(p);
	test_wrap(p);
	test_full(p);
	test_doorbell(p);
	test_threads(p);
	test_completion(p);
	test_errors(p);
	test_arguments(p);
	test_destroy(p);
	pad_close(p);
	close(p->fd);
	test_close();
	test_removal();
}

int main(int argc, char **argv)
{
	struct pad pad;

	lab_must_load("");
	if (strcmp(lab_bound(), "lab"))
		lab_fatal("lab.ko was loaded, but its probe() did not take the device (dmesg tells more)");
	if (!pad_open(&pad, ld_must_open()))
		lab_fatal("no buffers can be made and mapped: lab 4 has to work first");
	if (argc < 2 || strcmp(argv[1], "exact")) {
		all(&pad);
	} else {
		test_order(&pad);
		test_asleep(&pad);
		test_lost(&pad);
	}
	return 0;
}
