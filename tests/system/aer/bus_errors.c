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

static bool sleeps(void)
{
	char *text = pci_text("power/runtime_status");
	bool yes = text && !strcmp(text, "suspended\n");

	free(text);
	return yes;
}

TEST(asleep, "the same while the device sleeps: it is woken, reset, can be used, and sleeps again")
{
	int log = kmsg_open(), fd = open_ppu();
	uint64_t resets = get_param(fd, DRM_PPU_PARAM_RESET_COUNT);

	let_errors_through();
	pci_text_set("power/autosuspend_delay_ms", "20");
	for (int i = 1; i <= 3; i++) {
		WAIT_FOR(sleeps(), 20000);
		inject("DLP");
		CHECK(kmsg_find(log, 20000, (const char *const[]){ "was reset after an error of the bus", NULL }));
		CHECK(kmsg_find(log, 20000, (const char *const[]){ "device recovery successful", NULL }));
		CHECK_EQ(get_param(fd, DRM_PPU_PARAM_RESET_COUNT), resets + i);
		WAIT_FOR(sleeps(), 20000);
		works_in_child();
		let_errors_through();
	}
}

HARNESS_MAIN
