/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host instructions as bytes.  Encoding itself is done by libzydis, which is not linked but opened: programs with the
 * core run where the library is not.
 *
 * The library takes 0.2 us or more for an instruction, so what it answered is kept, and most answers are used more than
 * once: for other vector registers and another displacement or immediate only these are replaced.  The bytes are always
 * those that the library would give; builds with the address sanitizer compare now and then.
 *
 * State: struct ppu_encoder of the caller; the library, once for the process.
 * Thread safety: one thread for each struct.
 * Time: none.
 */
#ifndef PPU_ENCODE_H
#define PPU_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <Zydis/Zydis.h>

enum ppu_opn_kind { PPU_O_YMM, PPU_O_ZMM, PPU_O_HALF, PPU_O_XMM, PPU_O_MASK, PPU_O_R8, PPU_O_R32, PPU_O_R64,
		    PPU_O_MEM, PPU_O_INDEX, PPU_O_SUM, PPU_O_VSIB, PPU_O_VSIB_Z, PPU_O_IMM };

struct ppu_opn {
	uint8_t kind;		/* enum ppu_opn_kind */
	uint8_t reg;		/* of memory: the base */
	uint8_t bytes;		/* of memory */
	int32_t value;		/* displacement or immediate; PPU_O_INDEX: register that counts twice; PPU_O_SUM:
				 * once; PPU_O_VSIB: vector with an offset of each lane; PPU_O_VSIB_Z: zmm */
};

#define PPU_OPNS	4	/* operands of an instruction */
#define PPU_ENCODED_MAX	15	/* bytes of an instruction */

/* An instruction that has been encoded before, perhaps with other vector registers and with another value at its end. */
struct ppu_encoded {
	uint64_t key[3];		/* mnemonic and operands, without what is put in */
	int32_t value;			/* of that operand, as it was encoded; 0: all are in the key */
	uint8_t form;			/* enum form of encode.c */
	uint8_t len, bytes[PPU_ENCODED_MAX];
	uint8_t place[PPU_OPNS][3];	/* of vector registers: bits of the first eight bytes */
};

#define PPU_ENCODED_BITS 11
/* All zero but for evex: nothing was asked yet.  May serve one program after the other. */
struct ppu_encoder {
	bool evex;			/* the host has AVX-512: masks, 32 registers */
	struct ppu_encoded seen[1u << PPU_ENCODED_BITS];
};

/* Is libzydis on this machine, in the version of the headers that this was built with?  Opens it the first time. */
bool ppu_encode_possible(void);
/* A function of the library, after ppu_encode_possible(). */
void *ppu_encode_symbol(const char *name);

/*
 * The length of an instruction; its bytes go to out.  0: there is none such.  Widths of operands are real ones here, not
 * PPU_O_HALF, PPU_VEC and PPU_HALF of emit.h.  zeroing: lanes that are not in the mask, the second operand, become 0.
 */
unsigned ppu_encode(struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n, bool zeroing,
		    uint8_t out[PPU_ENCODED_MAX]);
/* What the library itself says, whatever was asked before. */
unsigned ppu_encode_asked(const struct ppu_encoder *e, ZydisMnemonic mn, const struct ppu_opn *o, unsigned n, bool zeroing,
			  uint8_t out[PPU_ENCODED_MAX]);
unsigned ppu_encode_asked_jump(ZydisMnemonic mn, uint8_t out[PPU_ENCODED_MAX]);
/* ppu_encode() for a jump or call whose distance, the last four bytes, is to be filled in. */
unsigned ppu_encode_jump(struct ppu_encoder *e, ZydisMnemonic mn, uint8_t out[PPU_ENCODED_MAX]);

#endif
