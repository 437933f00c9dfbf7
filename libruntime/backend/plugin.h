/* SPDX-License-Identifier: MIT */
/*
 * A backend in a library of its own, opened when it is wanted.
 *
 * The in-process backend (core/) contains the device, which has another licence than the runtime and is larger
 * than all of it.  So it is a plug-in: libppu-core.so exports one name, ppu_core_plugin, and nothing else; the
 * runtime looks it up, compares the numbers in it with its own, and uses the table of functions.
 *
 * A program that is linked with the plug-in's archive (the unit tests are: -Wl,-u,ppu_core_plugin) has that name
 * already, and no library is opened.
 */
#ifndef PPU_PLUGIN_H
#define PPU_PLUGIN_H

#include "backend.h"

#define BE_CORE_SO	"libppu-core.so.0"
#define BE_CORE_ENTRY	"ppu_core_plugin"

/*
 * What both sides must agree on.  `number` changes with the meaning of the table's functions.  The sizes
 * change by themselves when somebody adds a member to a structure that passes through the table.
 */
#define BE_ABI_NUMBER	7u
struct be_abi {
	uint32_t number;
	uint32_t ops, options, prop, chan, state, devq_args, devq, limits, fault, task, translation, code, observer, seen, debugger, debug_ops, look;
};
#define BE_ABI { \
	BE_ABI_NUMBER, sizeof(struct be_ops), sizeof(ppuInitOptions), sizeof(ppuDeviceProp), sizeof(struct be_chan), \
	sizeof(struct be_chan_state), sizeof(struct be_devq_args), sizeof(struct be_devq), sizeof(struct be_limits), \
	sizeof(struct ppu_fault_rec), sizeof(struct ppu_task_info), sizeof(ppuTranslation), sizeof(struct be_code), \
	sizeof(struct ppu_observer), sizeof(struct ppu_seen_access), sizeof(struct be_debugger), \
	sizeof(struct be_debug_ops), sizeof(struct ppu_look_cta) + sizeof(struct ppu_look_warp) \
}

struct be_plugin {
	struct be_abi abi;
	const struct be_ops *ops;
};

#pragma GCC visibility push(hidden)

/*
 * The in-process backend, opened at the first call and then kept.  NULL: the plug-in is not there or not of
 * this version, and *err is a malloc'ed sentence that says what to install (NULL: no memory).  If
 * PPU_CORE_LIB is set, only the file that it names is tried.  Otherwise the plug-in is looked for beside this
 * library or program, then where the build and an installation below a prefix have it from there (..,
 * ../lib), then where the dynamic loader looks.  A program with rights that its user lacks (setuid) looks there only.
 * One thread at a time.
 */
const struct be_ops *ppu_be_core_get(char **err);

#pragma GCC visibility pop
#endif
