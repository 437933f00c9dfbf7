// SPDX-License-Identifier: GPL-2.0-only
/*
 * PPU driver: unit tests, a module of their own.
 */

#include <linux/module.h>

#include <kunit/test.h>

#include "kunit/ppu_kunit_suites.h"

kunit_test_suites(&ppu_kunit_pt_suite, &ppu_kunit_bind_suite, &ppu_kunit_patience_suite,
		  &ppu_kunit_uobj_suite);

MODULE_DESCRIPTION("KUnit tests of the PPU driver");
MODULE_LICENSE("GPL");
MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
