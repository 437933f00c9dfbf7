/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows whose begins were loaded. */
#ifdef PPU_TRANSLATE
#include <string.h>
#include "core/sm/translate/memory/select_chase.h"
#include "core/sm/translate/memory/select_mem.h"
#include "core/sm/translate/memory/select_rows.h"

#define LOOK_AHEAD	64	/* instructions, as if none of them were jumped over: it is a guess */
#define LINE		64	/* bytes of a line of the host's cache */
#define MOST		4096	/* bytes of rows */
#define NONE		UINT16_MAX

/* What becomes of a word that was loaded: as it is, in 64 bits, times 4, and added to a parameter. */
struct word {
	const struct ppu_program *prog;
	uint16_t plain, wide, scaled;	/* rows, the first of two; or NONE */
	struct {
		uint16_t row;
		uint32_t param;
	} address[PPU_ROWS_ARRAYS];
	unsigned next;
};

static bool wide_type(const struct ppu_dinsn *di)
{
	return di->t == PPU_T_U64 || di->t == PPU_T_S64;
}

/* Where among the parameters the value is that the pair of rows has in front of pc.  False: it is none. */
static bool param_of(const struct ppu_program *prog, uint32_t pc, uint16_t row, uint32_t *at)
{
	for (uint32_t i = pc; i-- > 0 && pc - i < LOOK_AHEAD;) {
		const struct ppu_dinsn *di = &prog->code[i];

		if (di->d != row && di->d + 1u != row)
			continue;
		*at = (uint32_t)di->imm64;
		return di->d == row && !di->fn && di->handler == PPU_H_ld && di->m == PPU_SPACE_PARAM && di->always &&
		       di->a == PPU_ROW_ZERO(prog->nregs) && wide_type(di) && !di->x &&
		       di->imm64 < PPU_FUSE_SPAN;
	}
	return false;
}

/* The parameter that instruction pc adds to the word times 4. */
static bool adds_param(const struct word *w, uint32_t pc, uint32_t *param)
{
	const struct ppu_dinsn *di = &w->prog->code[pc];

	if (di->op == PPU_OP_MADW)
		return di->a == w->plain && di->bi && di->imm == 4 && !di->ci && param_of(w->prog, pc, di->c, param);
	if (di->op != PPU_OP_ADD || !wide_type(di) || di->bi || w->scaled == NONE)
		return false;
	if (di->a == w->scaled)
		return param_of(w->prog, pc, di->b, param);
	return di->b == w->scaled && param_of(w->prog, pc, di->a, param);
}

static void forget(uint16_t *known, const struct ppu_dinsn *di, unsigned rows)
{
	if (*known != NONE && di->d < *known + rows && *known < di->d + 2u)
		*known = NONE;
}

/* What the instruction writes is another value now. */
static void written(struct word *w, const struct ppu_dinsn *di)
{
	forget(&w->plain, di, 1);
	forget(&w->wide, di, 2);
	forget(&w->scaled, di, 2);
	for (unsigned i = 0; i < PPU_ROWS_ARRAYS; i++)
		forget(&w->address[i].row, di, 2);
}

/* An instruction that computes. */
static void follow(struct word *w, uint32_t pc)
{
	const struct ppu_dinsn *di = &w->prog->code[pc];
	bool address, wide, scaled;
	uint32_t param = 0;

	/* The address of a row's first element goes on from there. */
	for (unsigned i = 0; i < PPU_ROWS_ARRAYS; i++)
		if (di->op == PPU_OP_ADD && di->d == di->a && di->bi && di->d == w->address[i].row)
			return;
	address = adds_param(w, pc, &param);
	wide = di->op == PPU_OP_CVT && wide_type(di) && w->plain != NONE && di->a == w->plain;
	scaled = (di->op == PPU_OP_SHL && wide_type(di) && w->wide != NONE && di->a == w->wide && di->bi && di->imm == 2) ||
		 (di->op == PPU_OP_MULW && w->plain != NONE && di->a == w->plain && di->bi && di->imm == 4);
	written(w, di);
	if (wide)
		w->wide = di->d;
	if (scaled)
		w->scaled = di->d;
	if (address) {
		w->address[w->next % PPU_ROWS_ARRAYS].row = di->d;
		w->address[w->next++ % PPU_ROWS_ARRAYS].param = param;
	}
}

/* The arrays of whose elements the word that instruction pc loads is the index. */
static void arrays_of(struct ppu_seg *s, const struct ppu_program *prog, uint32_t pc)
{
	struct word w = { .prog = prog, .plain = prog->code[pc].d, .wide = NONE, .scaled = NONE };

	memset(w.address, 0xff, sizeof(w.address));
	for (uint32_t i = pc + 1; i < prog->n && i - pc < LOOK_AHEAD && s->rows.arrays < PPU_ROWS_ARRAYS; i++) {
		const struct ppu_dinsn *di = &prog->code[i];

		if (di->fn) {
			follow(&w, i);
			continue;
		}
		if (di->handler != PPU_H_ld)
			continue;
		for (unsigned k = 0; k < PPU_ROWS_ARRAYS; k++)
			if (PPU_SPACE_IS_64(di->m) && w.address[k].row == di->a) {
				s->rows.param[s->rows.arrays++] = w.address[k].param;
				w.address[k].row = NONE;
				break;
			}
		written(&w, di);
	}
}

void ppu_rows_begin(struct ppu_seg *s, const struct ppu_program *prog)
{
	uint32_t begin, end;

	if (ppu_chase_loop(s, prog, &begin, &end))
		return;
	for (uint32_t i = 0; i < s->n && !s->rows.arrays; i++) {
		const struct ppu_fuse_group *g = s->fuse->group[i] < 0 ? NULL : &s->fuse->g[s->fuse->group[i]];

		if (!g || g->write || !global(g) || g->bytes != 4)
			continue;
		s->rows.at = i;
		arrays_of(s, prog, s->list[i]);
	}
}

/* r8: bytes of rows, r9: bytes to where they begin. */
static void fetch_rows(struct ppu_seg *s, uint32_t param)
{
	const struct ppu_mem_window win = ppu_mem_window_of(&(struct ppu_fuse_group){ .space = PPU_SPACE_PARAM });
	uint32_t skip = ppu_emit_label(s->e), again = ppu_emit_label(s->e);
	struct ppu_emit *e = s->e;

	EM(e, MOV, Q(RAX), M(RBP, CTA_AT, 8));
	EM(e, CMP, M(RAX, win.size, 4), IM((int)param + 8));
	JUMP(e, JB, skip);
	EM(e, MOV, Q(RAX), M(RAX, win.base, 8));
	EM(e, MOV, Q(RAX), M(RAX, (int32_t)param, 8));
	EM(e, ADD, Q(RAX), Q(R9));
	ppu_select_look_up(e, 0, skip);
	JUMP(e, JNZ, skip);
	EM(e, AND, D(RAX), IM(PPU_PAGE_SIZE - 1));
	EM(e, ADD, Q(RAX), M(RCX, TLBE(host), 8));
	EM(e, LEA, Q(RDX), ((struct ppu_opn){ PPU_O_SUM, RAX, 8, R8 }));
	ppu_emit_bind(e, again);
	EM(e, PREFETCHT0, M(RAX, 0, 1));
	EM(e, ADD, Q(RAX), IM(LINE));
	EM(e, CMP, Q(RAX), Q(RDX));
	JUMP(e, JBE, again);
	ppu_emit_bind(e, skip);
}

bool ppu_rows(struct ppu_seg *s, unsigned base, int32_t disp)
{
	struct ppu_emit *e = s->e;
	uint32_t none;

	if (!s->rows.arrays || s->at != s->rows.at)
		return false;
	none = ppu_emit_label(e);
	EM(e, MOV, D(R9), M(base, disp, 4));
	if (s->masked) {
		EM(e, MOV, D(R8), IM(LINE / 2));
	} else {
		EM(e, MOV, D(R8), M(base, disp + 4 * ((int32_t)s->lanes - 1), 4));
		EM(e, SUB, Q(R8), Q(R9));
		EM(e, SHL, Q(R8), IM(2));
		EM(e, CMP, Q(R8), IM(MOST));
		JUMP(e, JNBE, none);
	}
	EM(e, SHL, Q(R9), IM(2));
	for (unsigned i = 0; i < s->rows.arrays; i++)
		fetch_rows(s, s->rows.param[i]);
	ppu_emit_bind(e, none);
	return true;
}
#endif
