/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Save and restore: one walk over all units, the same code in both directions.
 *
 * Layout: magic, version, configuration (state_config.h), time, counters, then a tagged section for
 * each unit in the order of PPU_UNITS.  Little-endian.  Indices are checked by the unit that owns
 * them; what can be derived is not in the stream.
 *
 * Versions: a change of what a unit saves raises STATE_VERSION, and the unit reads what older versions
 * lack only if io->version says that it is there.  STATE_OLDEST is the oldest version that is still
 * read, and rises only with a release that says so.  A new property or counter is no new version.
 */
#include <string.h>
#include "core/base/alloc.h"
#include "core/base/io.h"
#include "core/machine/state_config.h"
#include "core/machine/units.h"

#define STATE_MAGIC 0x5453555050ull	/* "PPUST" */
#define STATE_VERSION 16
/* Can be loaded still; 10 brought channel groups, 11 names of properties, 13 the time of a channel's tasks, 14 owners,
 * 15 the lengths of windows. */
#define STATE_OLDEST 9

static void walk(struct ppu_core *core, struct ppu_io *io)
{
	uint64_t magic = STATE_MAGIC;

	io->version = STATE_VERSION;
	ppu_io_u64(io, &magic);
	ppu_io_u32(io, &io->version);
	if (magic != STATE_MAGIC)
		ppu_io_fail(io, "this is not the state of a PPU");
	if (io->version < STATE_OLDEST || io->version > STATE_VERSION)
		ppu_io_fail(io, "state version %u is not known, only %u to %u", io->version, STATE_OLDEST,
			    STATE_VERSION);
	ppu_state_properties(core, io);
	ppu_io_u64(io, &core->now);
	if (core->now >> 62)		/* so that sums of times cannot overflow */
		ppu_io_fail(io, "device time is too late");
	ppu_state_counters(core, io);
#define U(name) if (!io->failed) { \
		ppu_io_section(io, (#name "    ")); \
		ppu_##name##_io(core, io); \
	}
	PPU_UNITS(U)
#undef U
	ppu_io_section(io, "end.");
}

int ppu_core_save(struct ppu_core *core, uint8_t **bytes, size_t *len)
{
	return ppu_core_save_as(core, 0, bytes, len);
}

int ppu_core_save_as(struct ppu_core *core, unsigned how, uint8_t **bytes, size_t *len)
{
	struct ppu_io io = { .exact = how & PPU_SAVE_EXACT, .any_time = how & PPU_SAVE_ANY_TIME };

	walk(core, &io);
	if (io.failed) {
		ppu_free(io.buf);
		return -1;
	}
	*bytes = io.buf;
	*len = io.len;
	return 0;
}

int ppu_core_load(struct ppu_core *core, const uint8_t *bytes, size_t len, char **err)
{
	struct ppu_io io = { .loading = true, .buf = (uint8_t *)(uintptr_t)bytes, .len = len };
	void (*trace)(void *, const struct ppu_trace_rec *) = core->ports.trace;
	void (*irq)(void *, unsigned) = core->ports.raise_irq;

	/* Reset and load must not trace or interrupt: what they repeat was traced and sent before the
	 * state was saved. */
	core->ports.trace = NULL;
	core->ports.raise_irq = NULL;
	ppu_core_reset(core);
	walk(core, &io);
	if (!io.failed && io.pos != io.len)
		ppu_io_fail(&io, "bytes follow the saved state");
	if (io.failed) {
		ppu_core_reset(core);
		core->now = 0;
		if (err)
			*err = ppu_sentence("%s", io.why);
	}
	core->ports.trace = trace;
	core->ports.raise_irq = irq;
	return io.failed ? -1 : 0;
}
