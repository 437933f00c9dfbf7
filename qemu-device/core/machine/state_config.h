/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties and counters in a saved state.  They are lists that grow, and a state is also loaded by a device that
 * is older or newer than the one that saved it.
 */
#ifndef PPU_STATE_CONFIG_H
#define PPU_STATE_CONFIG_H

struct ppu_core;
struct ppu_io;

/*
 * Each property by name, with its value and whether this is the default.  On load: values must be equal, but of
 * properties on which nothing in the state depends.  A property that only one of the two devices knows must have its
 * default, with which a device behaves as one that lacks it.
 */
void ppu_state_properties(struct ppu_core *core, struct ppu_io *io);

/* New counters come at the end of the list.  What the other device did not count is 0; what we do not count is dropped. */
void ppu_state_counters(struct ppu_core *core, struct ppu_io *io);

#endif
