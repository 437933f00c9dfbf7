/* SPDX-License-Identifier: MIT */
/* Calls of the runtime in a Check program: OK(call) wants success, FAILS(want, call) this error. */
#ifndef RT_OK_H
#define RT_OK_H

#include <check.h>
#include <ppu.h>
#include "rt_turn.h"

#define OK(call) do { \
	ppuResult ok_ = (call); \
	ck_assert_msg(ok_ == PPU_SUCCESS, "%s: %s: %s", #call, ppuGetErrorName(ok_), ppuGetLastErrorDetail()); \
} while (0)
#define FAILS(want, call) do { \
	ppuResult failed_ = (call); \
	ck_assert_msg(failed_ == (want), "%s: %s instead of %s: %s", #call, ppuGetErrorName(failed_), \
		      ppuGetErrorName(want), ppuGetLastErrorDetail()); \
} while (0)

#endif
