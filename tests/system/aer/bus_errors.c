/* SPDX-License-Identifier: MIT */
/* Errors of the bus from which the driver and the kernel recover. */
#include "errors.h"

TEST(not_fatal, "after an error that is not fatal, all work goes on")
{
	struct errors e = begin();

	inject("COMP_TIME");
	CHECK(kmsg_find(e.log, 20000, (const char *const[]){ "device recovery successful", NULL }));
	CHECK_EQ(get_param(e.w.fd, DRM_PPU_PARAM_RESET_COUNT), e.resets);
	copy(&e.w, VA, VA + MIB / 2, MIB / 2);
	CHECK_EQ(((uint8_t *)e.w.bo.map)[MIB - 1], 0x5a);
	gate_open(&e.job);
	CHECK(!wait_sync(e.w.fd, e.job.sync, 20000));
	CHECK_EQ(fence_error(e.w.fd, e.job.sync), 0);
}

/* The port resets the function, which forgets all that the kernel has set in its configuration space. */
TEST(fatal, "a fatal error is a reset: work is lost and says so, memory is kept, what is made afterwards works")
{
	struct errors e = begin();
	uint32_t state;

	inject("DLP");
	CHECK(!wait_sync(e.w.fd, e.job.sync, 20000));
	CHECK_EQ(-fence_error(e.w.fd, e.job.sync), EIO);
	CHECK(kmsg_find(e.log, 20000, (const char *const[]){ "was reset after an error of the bus", NULL }));
	CHECK(kmsg_find(e.log, 20000, (const char *const[]){ "device recovery successful", NULL }));
	CHECK_EQ(get_param(e.w.fd, DRM_PPU_PARAM_RESET_COUNT), e.resets + 1);
	state = chan_query(&e.w.c).state;
	CHECK(state & DRM_PPU_CHANNEL_STATE_LOST);
	CHECK_EQ(((uint8_t *)e.w.bo.map)[0], 0x5a);
	CHECK_EQ(((uint8_t *)e.w.bo.map)[MIB / 2 + 4095], 0x5a);
	works_in_child();
}

TEST(again, "the same once more")
{
	test_fn_fatal();
}

HARNESS_MAIN
