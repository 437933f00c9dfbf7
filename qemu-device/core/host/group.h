/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Channel groups: channels that share time slices, and are paused, resumed and stopped together.
 *
 * The members of a group are the enabled channels of one context with the same number in CH_GROUP, which is
 * not 0.  So a group needs no memory of its own, and no context can reach the group of another one.
 * Documentation/hw/channels.md has the rules in prose.
 *
 * State: struct ppu_engine.group (host.h), whose slice goes on; struct ppu_chan.group and .paused.
 * Thread safety: the thread that drives the core only.
 * Time: ns of device time.
 */
#ifndef PPU_GROUP_H
#define PPU_GROUP_H

#include "core/host/host.h"

static inline bool ppu_group_member(const struct ppu_chan *ch, const struct ppu_ctx *ctx, uint32_t group)
{
	return group && ch->enabled && ch->ctx == ctx && ch->group == group;
}

/* Which member waits for an engine of class cls and may use one in mask: the next one, NULL: none. */
struct ppu_chan *ppu_group_waiting(struct ppu_core *core, const struct ppu_ctx *ctx, uint32_t group, unsigned cls,
				   uint32_t mask);
/* The group had its slice: members that wait for the class go behind all others, in their order. */
void ppu_group_behind(struct ppu_core *core, struct ppu_ctx *ctx, uint32_t group, unsigned cls);
/*
 * The slice of an engine goes to other members when its holder ch gives the engine back before its end.
 * ppu_group_keep(): ch gives it back now; false: nobody takes the slice over.  ppu_group_pass(): member ch took it over.
 * ppu_group_end(): nobody can, or a channel of higher priority comes first.
 */
bool ppu_group_keep(struct ppu_core *core, struct ppu_engine *eng, const struct ppu_chan *ch, uint32_t mask);
void ppu_group_pass(struct ppu_core *core, struct ppu_engine *eng, const struct ppu_chan *ch);
void ppu_group_end(struct ppu_core *core, struct ppu_engine *eng);
/* Must a channel that is enabled now be paused, since its group is? */
bool ppu_group_paused(struct ppu_core *core, const struct ppu_chan *ch);
/* PPU_CH_CMD_GROUP_*, written to the CH_CMD of ch, which need not be enabled. */
void ppu_group_command(struct ppu_core *core, const struct ppu_chan *ch, uint32_t cmd);
/* What an engine knows of a group. */
void ppu_group_io(struct ppu_core *core, struct ppu_io *io, struct ppu_engine *eng);

#endif
