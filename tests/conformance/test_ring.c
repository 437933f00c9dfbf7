/* SPDX-License-Identifier: MIT */
/* User-submit channels: ring rules and commands with real data. */
#include "harness.h"

#define COPY DRM_PPU_CHANNEL_COPY
#define COMPUTE DRM_PPU_CHANNEL_COMPUTE

/* WQ-1: a ring of blocks, executed in order, each exactly once. */
static void many_blocks(uint32_t count, unsigned n)
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, count);
	struct bo out = bo_new(fd, 4096, DRM_PPU_PLACEMENT_SYSTEM);

	vm_map(fd, c.vm, &out, 0x10000000);
	for (unsigned i = 0; i < n; i++) {
		struct cmds b = chan_block(&c);

		cmd_release(&b, out.va + 8 * i, i + 1);
		cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 0), 0);
		chan_submit(&c, &b);
	}
	chan_wait_idle(&c);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(((uint64_t *)out.map)[i], i + 1);
	CHECK_EQ(*chan_sem(&c, 0), n);
	CHECK_EQ(chan_get(&c), n % count);
}

TEST(twenty_blocks_ring_of_8, "WQ-1, WQ-4: 20 blocks through a ring of 8") { many_blocks(8, 20); }
TEST(twenty_blocks_ring_of_6, "WQ-4, WQ-5: 20 blocks through a ring of 6") { many_blocks(6, 20); }
TEST(wrap3, "the smallest ring works") { many_blocks(3, 20); }

TEST(get_stays_at_blocked_entry, "WQ-2, WQ-9, WQ-14: GP_GET stays at a blocked entry and moves when it is done")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct cmds b;
	struct drm_ppu_channel_query q;

	b = chan_block(&c);
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	b = chan_block(&c);
	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 1), 5);
	chan_submit(&c, &b);
	b = chan_block(&c);
	cmd_release(&b, chan_sem_va(&c, 2), 1);
	chan_submit(&c, &b);

	WAIT_FOR(*chan_sem(&c, 0) == 1, 20000);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	q = chan_query(&c);
	CHECK_EQ(q.gp_get, 1);
	CHECK_EQ(q.gp_put, 3);
	CHECK_EQ(q.blocked_va, chan_sem_va(&c, 1));
	CHECK(q.state & DRM_PPU_CHANNEL_STATE_PENDING);
	/* another value does not pass */
	*chan_sem(&c, 1) = 4;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	sleep_ms(20);
	CHECK_EQ(chan_get(&c), 1);
	CHECK_EQ(*chan_sem(&c, 2), 0);
	*chan_sem(&c, 1) = 5;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	chan_wait_idle(&c);
	CHECK_EQ(chan_get(&c), 3);
	CHECK_EQ(*chan_sem(&c, 1), 5);		/* WQ-76: the word is unchanged */
	CHECK_EQ(*chan_sem(&c, 2), 1);
}

TEST(put_is_the_only_trigger, "WQ-3, WQ-8: nothing runs before GP_PUT; one store of GP_PUT is enough")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct cmds b = chan_block(&c);

	cmd_release(&b, chan_sem_va(&c, 0), 9);
	chan_commit(&c, &b);
	sleep_ms(20);
	CHECK_EQ(*chan_sem(&c, 0), 0);
	chan_doorbell(&c);
	WAIT_FOR(*chan_sem(&c, 0) == 9, 20000);
}

TEST(full_at_count_less_one, "WQ-6: count - 1 entries can be outstanding")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);

	for (unsigned i = 0; i < 7; i++) {
		struct cmds b = chan_block(&c);

		if (!i)
			cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
		else
			cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 1), 0);
		chan_submit(&c, &b);
	}
	CHECK(chan_full(&c));
	CHECK_EQ(c.put, 7);
	sleep_ms(10);
	CHECK_EQ(c.userd[PPU_REG_USERD_ERROR / 4], 0);
	*chan_sem(&c, 0) = 1;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 1), 6);
}

TEST(eighth_of_eight, "WQ-6: the eighth entry of a queue of 8 is refused where it is submitted, and GP_PUT stays 7")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct drm_ppu_channel_query q;

	for (unsigned i = 0; i < 7; i++) {
		struct cmds b = chan_block(&c);

		if (!i)
			cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
		else
			cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 1), 0);
		chan_submit(&c, &b);
	}
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	CHECK_EQ(chan_query(&c).gp_put, 7);
	CHECK_EQ(chan_query(&c).error, 0);
	c.userd[PPU_REG_USERD_GP_PUT / 4] = 0;		/* GET is 0, too: this would be an empty ring */
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	q = chan_query(&c);
	CHECK_EQ(q.error, PPU_ERR_PUT_RANGE);
	CHECK_EQ(q.gp_put, 7);
	CHECK_EQ(q.gp_get, 0);
	CHECK_EQ(*chan_sem(&c, 1), 0);
}

TEST(put_past_get, "WQ-7: GP_PUT past GP_GET stops the channel with PUT_RANGE")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct cmds b = chan_block(&c);
	struct drm_ppu_channel_query q;

	cmd_acquire(&b, PPU_SEM_OP_EQ, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	b = chan_block(&c);
	cmd_nop(&b, 1);
	chan_submit(&c, &b);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	c.userd[PPU_REG_USERD_GP_PUT / 4] = 1;		/* a full lap and more */
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	q = chan_query(&c);
	CHECK_EQ(q.error, PPU_ERR_PUT_RANGE);
	CHECK(!(q.state & DRM_PPU_CHANNEL_STATE_ENABLED));
}

TEST(put_out_of_range, "WQ-7: GP_PUT outside the ring stops the channel")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);

	c.userd[PPU_REG_USERD_GP_PUT / 4] = 8;
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	CHECK_EQ(chan_query(&c).error, PPU_ERR_PUT_RANGE);
}

TEST(null_entry, "WQ-21: an entry that was never written stops the channel")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);

	c.userd[PPU_REG_USERD_GP_PUT / 4] = 1;
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	CHECK_EQ(chan_query(&c).error, PPU_ERR_NULL_ENTRY);
	CHECK_EQ(chan_query(&c).error_get, 0);
}

TEST(get_moves_after_whole_block, "WQ-22: GP_GET moves only after every command of a block")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct cmds b = chan_block(&c);

	cmd_release(&b, chan_sem_va(&c, 0), 1);
	cmd_acquire(&b, PPU_SEM_OP_GE, chan_sem_va(&c, 1), 1);
	cmd_release(&b, chan_sem_va(&c, 2), 1);
	chan_submit(&c, &b);
	WAIT_FOR(*chan_sem(&c, 0) == 1, 20000);
	sleep_ms(10);
	CHECK_EQ(chan_get(&c), 0);
	CHECK_EQ(*chan_sem(&c, 2), 0);
	*chan_sem(&c, 1) = 7;
	c.userd[PPU_REG_USERD_KICK / 4] = 1;
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 2), 1);
}

TEST(blocked_channel_blocks_no_other, "WQ-15, WQ-16: a blocked channel blocks no other, which may release it")
{
	int fd = open_ppu();
	uint32_t vm = vm_new(fd);
	struct chan a = chan_new(fd, vm, COPY, 8), b = chan_new(fd, vm, COMPUTE, 8);
	struct cmds x = chan_block(&a), y = chan_block(&b);

	cmd_acquire(&x, PPU_SEM_OP_EQ, chan_sem_va(&b, 5), 11);
	cmd_release(&x, chan_sem_va(&a, 0), 1);
	chan_submit(&a, &x);
	WAIT_FOR(chan_query(&a).state & DRM_PPU_CHANNEL_STATE_SEM_BLOCKED, 20000);
	cmd_release(&y, chan_sem_va(&b, 5), 11);
	chan_submit(&b, &y);
	chan_wait_idle(&a);
	CHECK_EQ(*chan_sem(&a, 0), 1);
}

TEST(sem_commands, "release, inc, dec, 32-bit words, timestamps")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct cmds b = chan_block(&c);
	struct drm_ppu_timestamps t;
	struct drm_ppu_query q = {
		.type = DRM_PPU_QUERY_TIMESTAMPS, .size = sizeof(t), .ptr = (uintptr_t)&t,
	};

	*chan_sem(&c, 0) = 100;
	*chan_sem(&c, 1) = 100;
	*chan_sem(&c, 2) = 0x1111111122222222ull;
	*chan_sem(&c, 3) = 0x11111111ffffffffull;
	cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 0), 0);
	cmd_sem(&b, PPU_CMD_SEM_DEC, 0, chan_sem_va(&c, 1), 0);
	cmd_sem(&b, PPU_CMD_SEM_RELEASE, PPU_CMDF_SEM_32, chan_sem_va(&c, 2), 7);
	cmd_sem(&b, PPU_CMD_SEM_INC, PPU_CMDF_SEM_32, chan_sem_va(&c, 3), 0);
	cmd_sem(&b, PPU_CMD_SEM_RELEASE, PPU_CMDF_SEM_TIME, chan_sem_va(&c, 4), 8);
	cmd_timestamp(&b, chan_sem_va(&c, 5));
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	DO(fd, DRM_IOCTL_PPU_QUERY, &q);
	CHECK_EQ(*chan_sem(&c, 0), 101);
	CHECK_EQ(*chan_sem(&c, 1), 99);
	CHECK_EQ(*chan_sem(&c, 2), 0x1111111100000007ull);
	CHECK_EQ(*chan_sem(&c, 3), 0x1111111100000000ull);
	CHECK_EQ(*chan_sem(&c, 4), 8);
	CHECK(chan_sem(&c, 4)[1] > 0 && chan_sem(&c, 4)[1] <= *chan_sem(&c, 5));
	CHECK(*chan_sem(&c, 5) <= t.gpu_ns);
}

static void copy_test(uint32_t from, uint32_t to)
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct bo src = bo_new(fd, 5 << 20, from), dst = bo_new(fd, 5 << 20, to);
	const uint64_t off = 4093, n = (4 << 20) + 77;
	struct cmds b = chan_block(&c);
	uint8_t *s = src.map, *d = dst.map;

	vm_map(fd, c.vm, &src, 0x10000000);
	vm_map(fd, c.vm, &dst, 0x20000000);
	for (uint64_t i = 0; i < src.size; i++)
		s[i] = (uint8_t)(i * 31 >> 3);
	cmd_copy(&b, src.va + off, dst.va + 2 * off, n);
	cmd_release(&b, chan_sem_va(&c, 0), 1);
	chan_submit(&c, &b);
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 0), 1);
	CHECK_EQ(d[2 * off - 1], 0);
	CHECK(!memcmp(d + 2 * off, s + off, n));
	CHECK_EQ(d[2 * off + n], 0);
}

TEST(copy_ss, "copy system -> system") { copy_test(0, 0); }
TEST(copy_sv, "copy system -> VRAM") { copy_test(0, 1); }
TEST(copy_vs, "copy VRAM -> system") { copy_test(1, 0); }
TEST(copy_vv, "copy VRAM -> VRAM") { copy_test(1, 1); }

TEST(fill, "fill with elements of 1, 2, 4, 8 bytes")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 8);
	struct bo bo = bo_new(fd, 65536, DRM_PPU_PLACEMENT_VRAM);
	const uint64_t value = 0x0123456789abcdefull;

	vm_map(fd, c.vm, &bo, 0x10000000);
	for (unsigned k = 0; k < 4; k++) {
		struct cmds b = chan_block(&c);
		uint8_t *p = bo.map;

		memset(bo.map, 0, bo.size);
		cmd_fill(&b, k, bo.va + 4096, value, 1000);
		chan_submit(&c, &b);
		chan_wait_idle(&c);
		for (unsigned i = 0; i < 1000; i++)
			CHECK(!memcmp(p + 4096 + (i << k), &value, 1u << k));
		CHECK_EQ(p[4095], 0);
		CHECK_EQ(p[4096 + (1000 << k)], 0);
	}
}

TEST(class, "a copy on a compute channel is WRONG_CLASS")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COMPUTE, 8);
	struct cmds b = chan_block(&c);

	cmd_fill(&b, 0, chan_sem_va(&c, 0), 1, 1);
	chan_submit(&c, &b);
	WAIT_FOR(chan_query(&c).state & DRM_PPU_CHANNEL_STATE_FAULTED, 20000);
	CHECK_EQ(chan_query(&c).error, PPU_ERR_WRONG_CLASS);
}

TEST_T(many_submissions, 120, "WQ-7: thousands of submissions, several laps, no entry lost")
{
	int fd = open_ppu();
	struct chan c = chan_new(fd, vm_new(fd), COPY, 64);

	for (unsigned i = 0; i < 5000; i++) {
		struct cmds b = chan_block(&c);

		cmd_nop(&b, 1 + i % 17);
		cmd_sem(&b, PPU_CMD_SEM_INC, 0, chan_sem_va(&c, 0), 0);
		chan_commit(&c, &b);
		if (i % 3 == 0 || i == 4999)
			chan_doorbell(&c);
		/* what was not announced must not fill the ring */
		if ((c.put + 2) % c.count == chan_get(&c) || (c.put + 1) % c.count == chan_get(&c))
			chan_doorbell(&c);
	}
	chan_wait_idle(&c);
	CHECK_EQ(*chan_sem(&c, 0), 5000);
}

HARNESS_MAIN
