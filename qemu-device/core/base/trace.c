/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace records: one struct in device time, handed to the owner at once. */
#include "core/base/trace.h"

void ppu_trace_emit(struct ppu_core *core, unsigned event, unsigned unit, uint32_t a, uint64_t b,
		    uint64_t c, uint64_t d)
{
	struct ppu_trace_rec rec = {
		.time = core->now, .event = (uint16_t)event, .unit = (uint16_t)unit,
		.a = a, .b = b, .c = c, .d = d,
	};

	core->ports.trace(core->ports.opaque, &rec);
}
