/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which programs run as host code.  Without host code, or where a program has none, warp.c interprets; both give the
 * same results, times, counters and traces.
 *
 * With engine=auto and a port for it (ports.start_background) one translation at a time is made in the background.  It
 * reads the decoded program, which never changes, and holds a reference so that the program stays.  What is ready
 * gets its place between two windows; until then the program is interpreted.  Otherwise, and always with
 * engine=translate, a program is translated where the core is driven.
 *
 * State: struct ppu_translator, private to translate.c; the fields of struct ppu_program for this unit.  Nothing of it
 * is saved.
 * Thread safety: the thread that drives the core, between windows.  So no warp is inside host code that is replaced.
 * Time: none.
 */
#ifndef PPU_TRANSLATE_H
#define PPU_TRANSLATE_H

#include "core/sm/warp.h"

enum ppu_engine { PPU_ENGINE_AUTO, PPU_ENGINE_INTERPRET, PPU_ENGINE_TRANSLATE };
enum ppu_without { PPU_WITHOUT_NOTHING, PPU_WITHOUT_AVX512, PPU_WITHOUT_AVX2 };

#ifdef PPU_TRANSLATE
#include "core/sm/translate/region.h"

/* Called by sm.c.  stop and reset: what is being translated is cancelled; destroy: after all programs are gone. */
int ppu_translate_create(struct ppu_core *core);
void ppu_translate_stop(struct ppu_core *core);
void ppu_translate_destroy(struct ppu_core *core);
void ppu_translate_reset(struct ppu_core *core);

/* Why this host cannot have host code.  NULL: it can.  without: as the property x-engine-without.  Any thread. */
const char *ppu_translate_missing(unsigned without);
/* Is host code made with AVX-512?  Any thread. */
bool ppu_translate_evex(unsigned without);
/* A CTA of the program begins, or goes on, at a task's entry; perhaps the program is translated now. */
void ppu_translate_seat(struct ppu_core *core, struct ppu_program *prog, uint32_t entry, uint32_t warps);
/* A window of the SM is over: programs of CTAs that run for long become hot, too. */
void ppu_translate_window(struct ppu_sm *sm);
void ppu_translate_free(struct ppu_core *core, struct ppu_program *prog);
#else
static inline int ppu_translate_create(struct ppu_core *core) { return 0; }
static inline void ppu_translate_stop(struct ppu_core *core) { }
static inline void ppu_translate_destroy(struct ppu_core *core) { }
static inline void ppu_translate_reset(struct ppu_core *core) { }
static inline const char *ppu_translate_missing(unsigned without) { return "this build has no translator"; }
static inline bool ppu_translate_evex(unsigned without) { return false; }
static inline void ppu_translate_seat(struct ppu_core *core, struct ppu_program *prog, uint32_t entry, uint32_t warps) { }
static inline void ppu_translate_window(struct ppu_sm *sm) { }
static inline void ppu_translate_free(struct ppu_core *core, struct ppu_program *prog) { }
#endif

#endif
