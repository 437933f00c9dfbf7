/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PPU driver, KUnit: the suites of ppu_kunit.ko.
 */
#ifndef __PPU_KUNIT_SUITES_H__
#define __PPU_KUNIT_SUITES_H__

struct kunit_suite;

extern struct kunit_suite ppu_kunit_bind_suite;
extern struct kunit_suite ppu_kunit_patience_suite;
extern struct kunit_suite ppu_kunit_pt_suite;
extern struct kunit_suite ppu_kunit_uobj_suite;

#endif
