// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver, KUnit: waits for the device.
 */

#include <linux/delay.h>

#include <kunit/test.h>

#include "base/ppu_patience.h"
#include "kunit/ppu_kunit_suites.h"

/* The machine got no time before the first look, so neither did the device. */
static void time_alone(struct kunit *test)
{
	struct ppu_patience p = ppu_patience_begin(1);
	unsigned int i;

	msleep(20);
	for (i = 0; i < PPU_PATIENCE_LOOKS; i++)
		KUNIT_EXPECT_FALSE(test, ppu_patience_over(&p));
	KUNIT_EXPECT_TRUE(test, ppu_patience_over(&p));
}

static void looks_alone(struct kunit *test)
{
	struct ppu_patience p = ppu_patience_begin(1000 * 1000);
	unsigned int i;

	for (i = 0; i < 10 * PPU_PATIENCE_LOOKS; i++)
		KUNIT_EXPECT_FALSE(test, ppu_patience_over(&p));
}

static struct kunit_case ku_cases[] = {
	KUNIT_CASE(time_alone),
	KUNIT_CASE(looks_alone),
	{ }
};

struct kunit_suite ppu_kunit_patience_suite = {
	.name = "ppu_patience",
	.test_cases = ku_cases,
};
