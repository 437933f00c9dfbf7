/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What a debugger beside the device sees when it looks (qemu-device/core/ppu_core.h): CTAs and warps on their SMs, registers,
 * tokens, memory.  It changes nothing.
 */
#ifndef PPU_HW_LOOK_H
#define PPU_HW_LOOK_H

#include <hw/ppu_isa.h>
#include <hw/ppu_observe.h>

#define PPU_LOOK_TOKENS	64	/* of a warp, from the front on; more are counted */

/* In which state a warp is: name, number, what it does in words. */
#define PPU_LOOK_STATES(S) \
S(FREE, 0, "is not used") \
S(READY, 1, "can run") \
S(TIMED, 2, "waits for a time") \
S(PARKED, 3, "waits for other lanes") \
S(LAUNCH, 4, "waits for the answer to a launch") \
S(EXCEPTION, 5, "waits for the driver") \
S(SYNC, 6, "waits for kernels that its block has launched") \
S(DONE, 7, "has ended") \
S(HALTED, 8, "has stopped: its block has a fault")
enum ppu_look_state {
#define S(name, number, words) PPU_LOOK_##name = (number),
	PPU_LOOK_STATES(S)
#undef S
};

struct ppu_look_cta {
	struct ppu_seen_cta seen;
	uint64_t code_va;
	uint32_t faulted;
	uint32_t regs, shared_bytes, local_bytes, param_bytes;	/* registers, local bytes: of a thread */
	uint32_t children;
	uint8_t warp[PPU_OBSERVE_WARPS];	/* slots on the SM */
	struct {
		uint32_t busy, count;		/* count 0: all threads */
		uint32_t arrived[PPU_OBSERVE_WARPS];
	} bar[16];
};

struct ppu_look_warp {
	uint32_t cta, index;		/* slot of its CTA on the SM; which of its warps it is */
	uint32_t state;			/* PPU_LOOK_* */
	uint32_t pc, active, live, exist;
	uint32_t parked, bar_wait, sync_wait;	/* lanes: cannot go on; counted at a barrier; at a WARPSYNC */
	uint32_t pred[15];		/* lanes for which it is true */
	uint8_t reason[PPU_OBSERVE_LANES];	/* why a lane that is not active waits, and where it goes on (hw/ppu_isa.h) */
	uint32_t addr[PPU_OBSERVE_LANES];
	uint32_t tokens;
	uint64_t token[PPU_LOOK_TOKENS];	/* the front first */
	uint64_t ready_at, cycle;	/* of the SM */
};

/* Global memory is that of a context; the other spaces are a block's or a thread's. */
struct ppu_look_place {
	uint64_t inst;			/* address of the context's instance block */
	uint64_t addr;			/* in the space */
	uint32_t space, sm, slot, lane;	/* PPU_SPACE_*; slot of a warp */
};

#endif
