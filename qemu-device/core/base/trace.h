/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trace records, handed to the owner of the core at once (include/hw/ppu_trace.h lists the events).
 *
 * State: none.
 * Thread safety: the thread that drives the core only; SMs collect theirs as effects (sm/effect.h).
 * Time: ns of device time; a record is of core->now.
 */
#ifndef PPU_TRACE_EMIT_H
#define PPU_TRACE_EMIT_H

#include "core/core.h"
#include <hw/ppu_trace.h>

void ppu_trace_emit(struct ppu_core *core, unsigned event, unsigned unit, uint32_t a, uint64_t b,
		    uint64_t c, uint64_t d);
static inline bool ppu_tracing(const struct ppu_core *core) { return core->ports.trace != NULL; }
/* Does the trace have this event?  The property trace-classes says so. */
static inline bool ppu_traces(const struct ppu_core *core, unsigned event)
{
	return ppu_tracing(core) && (core->cfg.trace_classes & PPU_TRACE_CLASS(event));
}
#define PPU_TRACE(core, event, unit, a, b, c, d) do { \
	if (__builtin_expect(ppu_traces(core, PPU_TR_##event), 0)) \
		ppu_trace_emit(core, PPU_TR_##event, unit, a, b, c, d); \
} while (0)

#endif
