/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For how long tasks of a channel have run (PPU_CHF_TASK_TIME). */
#include "core/base/io.h"
#include "core/tasks/tmu_state.h"

#define SINCE_VERSION 13	/* of the saved state */

void ppu_task_time_change(struct ppu_core *core, unsigned chid, bool running)
{
	struct ppu_task_time *t = &core->tmu->chan_time[chid];

	if (running && !t->running++)
		t->since = core->now;
	else if (!running && !--t->running)
		t->ns += core->now - t->since;
}

uint64_t ppu_tmu_channel_time(struct ppu_core *core, unsigned chid)
{
	const struct ppu_task_time *t = &core->tmu->chan_time[chid];

	return t->running ? t->ns + (core->now - t->since) : t->ns;
}

void ppu_tmu_channel_forget(struct ppu_core *core, unsigned chid)
{
	struct ppu_task_time *t = &core->tmu->chan_time[chid];

	t->ns = 0;
	t->since = core->now;
}

/* How many tasks run is known from the tasks, which were loaded before. */
void ppu_task_time_io(struct ppu_core *core, struct ppu_io *io)
{
	for (unsigned i = 0; i < core->cfg.channels; i++) {
		struct ppu_task_time *t = &core->tmu->chan_time[i];

		if (io->version < SINCE_VERSION) {
			t->ns = 0;
			t->since = core->now;
			continue;
		}
		ppu_io_u64(io, &t->ns);
		ppu_io_u64(io, &t->since);
		if (io->loading && (t->since > core->now || t->ns > core->now))
			ppu_io_fail(io, "tasks of channel %u have run longer than there was time", i);
	}
}
