/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What the translator has done since the device's reset (Documentation/hw/engines.md).  PPU_ENGINE_STATS(): name,
 * text, sentence.  Read by number through DBG_SEL and DBG_DATA, from PPU_DBG_ENGINE on, or from tools by name.
 *
 * These are no counters of the device: they depend on the property engine, on the host, and with engine=auto on how
 * fast the host is.  They are in no trace and in no saved state, and no test compares them between engines.  How much
 * of the host's time translation took is not among them: no register shows the host's time.
 */
#ifndef PPU_HW_ENGINE_STATS_H
#define PPU_HW_ENGINE_STATS_H

#define PPU_DBG_ENGINE	0x10000		/* DBG_SEL: statistic 0 */

#define PPU_ENGINE_STATS(S) \
S(AVAILABLE, "available", "1: this build of the device has a translator") \
S(TRANSLATIONS, "translations", "translations that programs got") \
S(REFUSED, "refused", "programs that stay without one: no memory, too much code, or a host that cannot") \
S(DROPPED, "dropped", "translations made in the background that came too late for anybody") \
S(INSNS, "instructions", "device instructions in these translations") \
S(INLINED, "inlined", "those that are instructions of the host, not calls") \
S(SEGMENTS, "segments", "groups of such instructions that are done together") \
S(CODE_BYTES, "code_bytes", "bytes of host code made") \
S(MEMORY_BYTES, "memory_bytes", "bytes of the host's memory that translations take now") \
S(ENTERED, "entered", "times an SM went from the interpreter into host code") \
S(WARP_INSNS, "warp_instructions", "warp instructions done in host code; what is missing to the counter of this name was interpreted")
enum ppu_engine_stat {
#define S(name, text, doc) PPU_ENG_##name,
	PPU_ENGINE_STATS(S)
#undef S
	PPU_ENG_COUNT
};

#endif
