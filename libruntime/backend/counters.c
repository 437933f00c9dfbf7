/* SPDX-License-Identifier: MIT */
/* Names of the device's counters and of the engine's statistics: all backends have the same. */
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

const char *ppu_be_engine_stat_name(unsigned n)
{
	static const char *const names[] = {
#define S(name, text, doc) text,
		PPU_ENGINE_STATS(S)
#undef S
		"host_ns",
	};

	return n < sizeof(names) / sizeof(names[0]) ? names[n] : NULL;
}
