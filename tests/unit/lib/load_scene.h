/* SPDX-License-Identifier: MIT */
/*
 * Programs whose addresses come from a table, on both engines: a body of instructions, three registers with addresses for
 * it (rd56, rd58, rd60), and how the addresses of the lanes lie to one another.  So one program meets all shapes.
 *
 *   load_scene_start(EPAIR_PLAIN);
 *   load_scene_program(text, fill, shared, times, "ld.global.u32 r8, [rd56]\n");
 *   sc.text = text; ...
 *   load_scene_run(&sc) || the test fails: epair_why
 *
 * Bodies may store, too.  Registers of the body: r0 to r29 hold numbers and are compared, p0 to p5 too.  r32 is the thread.
 */
#ifndef LOAD_SCENE_H
#define LOAD_SCENE_H

#include <hw/ppu_isa.h>
#include "engine_pair.h"
#include "insn_random.h"

enum scene_shape {
	SH_EQUAL, SH_ROW, SH_ODD_ROW, SH_ENDS_PAGE, SH_CROSS_1, SH_CROSS_3, SH_CROSS_7, SH_CROSS_8, SH_CROSS_9, SH_CROSS_15,
	SH_CROSS_24, SH_CROSS_31, SH_CROSS_MIX, SH_BACK, SH_MIX, SH_MIX_8, SH_LOWER, SH_BEYOND, SH_HALF, SH_WIDE, SH_SCATTER,
	SH_SCATTER_FIRST, SH_SCATTER_EDGE, SH_SCATTER_PAGES, SH_STRIDE, SH_EIGHTS, SH_EDGE_ROW, SH_EDGE_CROSS, SH_EDGE_CROSS_8,
	SH_WRAP, SH_WRAP_8, SH_TWO_HIGH, SH_ONE_HIGH, SH_READ_ONLY, SH_PAGES_OF_EIGHT, SH_TWO_PAGES,
	SH_WRAP_FAR, SH_LAST_EQUAL, SH_LAST_FEW,
	/* what may fault */
	SH_OFF_1, SH_OFF_2, SH_LAST_OFF, SH_ONE_OFF_1, SH_ONE_OFF_2, SH_GONE, SH_LAST_GONE, SH_FIRST_GONE, SH_CROSS_GONE, SH_CARRY,
	SCENE_SHAPES
};
#define SCENE_FINE	SH_OFF_1	/* shapes before this one */

enum scene_space { SP_GLOBAL, SP_GENERIC, SP_GENERIC_SHARED, SP_GENERIC_PARAM, SP_GENERIC_LOCAL, SP_CONST, SP_SHARED, SP_PARAM,
		   SCENE_SPACES };

/* Addresses in one register. */
struct scene_table {
	enum scene_space space;
	enum scene_shape shape;
	unsigned bytes;		/* of an access */
	uint64_t imm;		/* that the load adds */
};

#define SCENE_CODE	700	/* instructions */
#define SCENE_BODY	80	/* of these in a body */
#define SCENE_TEXT	16384

struct load_scene {
	const char *text;
	const struct ppu_insn *code;	/* instead of the text */
	uint32_t n;
	struct scene_table t[3];
	uint32_t mask[3];		/* lanes of each warp that run the body */
	uint32_t threads, shared, params;
	uint64_t seed, limit, cut, after;
	uint64_t base;			/* parameter 8, if it is not 0 */
	uint32_t watch;			/* pages of SMT_DATA that somebody waits at, one bit each */
	uint32_t window_ns, block[3], grid[3];	/* 0: as it is; block[0] 0: `threads` */
};

extern struct sm_test *scene_pair[2];
extern unsigned scene_runs, scene_faults;
extern const char *const scene_space_name[SCENE_SPACES];
#define SCENE_MASKS	10
extern const uint32_t scene_masks[SCENE_MASKS];
/* SCENE_FILL, if loads from there are worth little without. */
unsigned scene_fill(enum scene_space sp);
/* Is the address in such a space one register? */
bool scene_narrow(enum scene_space sp);

void load_scene_start(int kind);
void load_scene_end(void);
/* The body between a prologue and an epilogue, in a loop.  First: shared and local memory get numbers, the TLB gets pages. */
#define SCENE_FILL	1
#define SCENE_WARM	2
#define SCENE_SHOW	4	/* last: what is in shared and local memory is compared, too */
void load_scene_program(char *text, unsigned first, uint32_t shared, unsigned times, const char *body);
/* The same of n instructions. */
uint32_t load_scene_code(struct ppu_insn *code, unsigned first, uint32_t shared, unsigned times, const struct ppu_insn *body,
			 uint32_t n);
/* Runs it on both machines.  False: they differ. */
bool load_scene_run(const struct load_scene *sc);
/* A random scene with a random body of loads, stores and what may stand between them. */
void load_scene_random(struct load_scene *sc, struct irnd *r, struct ppu_insn code[SCENE_CODE]);
/* Offsets of a group of accesses, in accesses: SCENE_END ends it, SCENE_FAR is as far as a group may reach. */
#define SCENE_GROUP	6
#define SCENE_END	999
#define SCENE_FAR	777
int scene_bytes(int step, unsigned access_bytes);
/* The immediate that leads to the address of the table: in windows such that most shapes stay inside. */
uint64_t scene_anchor(enum scene_space sp, enum scene_shape shape, const int step[SCENE_GROUP], unsigned access_bytes);
/* All combinations take long: only one of so many as the variable says is run, by default of 40. */
bool scene_left_out(const char *variable);
/* What the scene is, for messages. */
const char *load_scene_say(const struct load_scene *sc);

#endif
