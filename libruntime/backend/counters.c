/* SPDX-License-Identifier: MIT */
/* Names of the device's counters: all backends have the same. */
#include <stddef.h>

#include "backend.h"

const char *ppu_be_counter_name(unsigned n)
{
	static const char *const names[] = {
#define C(name, text, doc) text,
		PPU_COUNTERS(C)
#undef C
	};

	return n < PPU_CTR_COUNT ? names[n] : NULL;
}
