/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A segment: instructions of one block that only compute, done eight lanes at a time, with AVX-512 16.
 *
 * The host code of a segment runs four times, once for each eight lanes (a chunk), or twice; inside a chunk, values stay in
 * the 16 or 32 vector registers of the host from one instruction to the next.  This is possible because no instruction of
 * a segment sees another lane.  Between segments all registers of the guest are in their rows.
 *
 *   rows in    ->  ymm  ->  ... instructions ...  ->  ymm  ->  rows that were written
 *
 * In a warp with inactive lanes these lanes compute, too (nothing can fault here), and what they computed is dropped
 * when a row is written.  Instructions under a guard merge at once.
 *
 * NaNs: the device has one NaN.  A float result is marked and made canonical only where its bits can be seen:
 * before it is written to its row, and before an instruction that is not float arithmetic uses it.
 *
 * Predicates: a comparison leaves a set of lanes (lanes.h), whose bits go to a general register of the host, eight or 16
 * for each chunk; after the last chunk that register is the predicate.  In a fused segment, behind which a predicate is
 * often dead, they go to the stack frame, with AVX-512 only if the mask register is lost or somebody needs them later.
 *
 * State: struct ppu_seg of the caller.
 * Thread safety: one thread for each struct.
 * Time: none.
 */
#ifndef PPU_SEGMENT_H
#define PPU_SEGMENT_H

#include "core/sm/mem/icache.h"
#include "core/exec/exec.h"
#include "core/sm/translate/emit.h"
#include "core/sm/translate/fuse.h"

#define PPU_SEG_ROWS	(PPU_NUM_REGS + 8)	/* with the rows of zeros and the scratch rows */
#define PPU_SEG_PREDS	4			/* predicates that a segment may write */

#define PPU_SEG_SCRATCH	15			/* vector that no value has, for a few instructions; to take a register may change it */
#define PPU_SEG_STUBS	16			/* this and the next: no value has them, stubs may use them; with AVX-512 */
#define PPU_SEG_MASKS	32			/* numbers from here on are mask registers; k0 and k7 have no value */
#define PPU_SEG_REGS	40
#define PPU_SCATTERS	4			/* loads through an index that are fetched ahead for all lanes */
#define PPU_SEG_PAIRS	14			/* pairs of rows that are numbers */
#define PPU_SEG_AWAYS	(4 * PPU_FUSE_MAX)

/* Labels of what the loads and stores of all segments call. */
struct ppu_stubs {
	uint32_t find_page, find_written, find_gathered, gather, locate;
	uint32_t scatter[2][6];		/* by struct ppu_fuse_store; [1]: some lanes */
};

/* What host code knows of a group of loads, for one chunk.  Other groups' slots may hold anything. */
struct ppu_slot {
	uint64_t page;			/* the last page, ~0: none yet in this segment */
	uint8_t *host;			/* where it is */
	uint64_t start;			/* an indexed group's parameter */
	uint8_t *ptr;			/* the first lane's access with the group's immediate; NULL: its lanes go apart */
	uint64_t base;			/* then: the high word, in place */
	uint8_t *far;			/* and what words[] are offsets from, or NULL: they are low words */
	uint64_t extra;			/* transactions more than one */
	uint32_t words[16];
};

/*
 * The pages that a segment with loads has used.  None of these may be put out of the TLB.  For each eight lanes a group mostly
 * notes at most four: where its window begins and ends, and where its words begin and end.  Words that are found one by one may
 * be in more pages than there is room for; so may ends, and pages of groups that share a slot and take it from each other, if an
 * address is checked more than once.  So whoever notes a page looks whether there is room.
 */
#define PPU_USED_WORDS	256		/* so many are noted for these, then no page is put out any more */
#define PPU_USED_PAGES	(PPU_USED_WORDS + 16 * PPU_FUSE_GROUPS)
#define PPU_USED_SPAN	1		/* words lay in a span, so pages of all spans stay */
#define PPU_USED_OTHERS	2		/* pages that are neither noted nor in a span */
struct ppu_used {
	uint64_t bytes;			/* of page[] that are valid */
	uint64_t more;			/* PPU_USED_SPAN, PPU_USED_OTHERS */
	uint64_t page[PPU_USED_PAGES];
};

/* Where eight lanes of a group of stores go. */
struct ppu_place {
	uint8_t *base;			/* the offsets of lanes are from here */
	uint8_t *first;			/* of the first lane, when all eight are in a row; else NULL */
	uint64_t page;			/* number, of global memory */
	uint64_t pad;
};

/* The stack frame of host code: what segments use of it (the rest: region.c). */
#define PPU_AT_CTX	48	/* context of the warp */
#define PPU_AT_LIMIT	56	/* rdi behind the last eight lanes */
#define PPU_AT_EXTRA	64	/* transactions of scattered lanes */
#define PPU_AT_THREADS	72	/* thread instructions before a segment with loads */
#define PPU_AT_WORDS	80	/* words of 16 lanes */
#define PPU_AT_SPILL	144	/* two vectors of eight lanes */
#define PPU_AT_SLOTS	208	/* struct ppu_slot of each group of loads */
#define PPU_SLOT	((int32_t)sizeof(struct ppu_slot))
#define PPU_AT_UNDO	(PPU_AT_SLOTS + PPU_SLOT * PPU_FUSE_GROUPS)	/* rows */
#define PPU_AT_REGS	(PPU_AT_UNDO + 128 * PPU_FUSE_UNDO)	/* all vector registers */
#define PPU_AT_MASKS	(PPU_AT_REGS + 32 * 64)	/* k1 to k7 */
#define PPU_AT_USED	(PPU_AT_MASKS + 8 * 8)	/* struct ppu_used */
#define PPU_AT_WRITES	(PPU_AT_USED + (int32_t)sizeof(struct ppu_used))	/* transactions of stores */
#define PPU_AT_CLEAN	(PPU_AT_WRITES + 8)	/* not 0: a page to be written is not dirty yet */
#define PPU_AT_PLACES	(PPU_AT_CLEAN + 8)	/* struct ppu_place of each group of stores, for each eight lanes */
#define PPU_AT_OFFSETS	(PPU_AT_PLACES + 128 * PPU_FUSE_STORES)	/* of lanes, for each group of stores */
#define PPU_AT_KEPT	(PPU_AT_OFFSETS + 128 * PPU_FUSE_STORES)	/* what is stored, as it will lie in memory */
#define PPU_AT_NOTES	(PPU_AT_KEPT + 128 * PPU_FUSE_KEPT)	/* address of the notes (ppu_emit_note()) */
#define PPU_AT_FIXED	(PPU_AT_NOTES + 8)	/* where parameters and shared memory are (ppu_select_fixed()) */
#define PPU_AT_PREDS	(PPU_AT_FIXED + 16)	/* bits of predicates, of a fused segment: for each chunk, at its r11 */
#define PPU_AT_APART	(PPU_AT_PREDS + 4 * PPU_LANES)	/* of a group, 4 bytes: its lanes did not lie in one window */
#define PPU_AT_CHASED	(PPU_AT_APART + 4 * PPU_FUSE_GROUPS)	/* host address of an index (select_chase.h) */
#define PPU_AT_TOP	(PPU_AT_CHASED + 8)
#define PPU_AT_RUN	40	/* struct ppu_run */

/* A set of lanes (lanes.h). */
struct ppu_lanes {
	int y;				/* vector, or with AVX-512 mask register */
	bool invert;			/* y has the other lanes */
};

/* On the stack of a stub that has pushed rsi and r8 to r11: these and the return address. */
#define PPU_PUSHED	(8 + 5 * 8)

enum ppu_y_kind { PPU_Y_FREE, PPU_Y_ROW, PPU_Y_PRED, PPU_Y_TEMP, PPU_Y_INDEX /* of a group of loads */,
		  PPU_Y_HALF /* of a pair of rows, as numbers */ };

/* Code of a load that stands behind the segment. */
struct ppu_away {
	enum { PPU_AWAY_STORES, PPU_AWAY_PLACE, PPU_AWAY_LINES, PPU_AWAY_LOOK, PPU_AWAY_GATHER, PPU_AWAY_SHARED, PPU_AWAY_PART, PPU_AWAY_GATHER_PART,
	       PPU_AWAY_SHARED_PART, PPU_AWAY_NARROW_PART, PPU_AWAY_END } kind;
	uint8_t group;
	uint64_t imm;
	const struct ppu_dinsn *di;	/* PPU_AWAY_NARROW_PART: the load */
	bool scattered;			/* a transaction for each lane, not one for all */
	int lo, hi, t[3], y;		/* vectors: address, temporaries, result */
	int index, high;		/* vectors: the address is to be made from them; -1: it is there */
	int8_t ptr[2];			/* of struct ppu_seg, when it goes back */
	int at;				/* PPU_AWAY_PLACE: vector for offsets */
	bool loads;			/* it does all of a load, and leaves t[0] as it is */
	bool apart;			/* notes that the lanes do not lie in one window (PPU_AT_APART) */
	uint32_t label, back, other, done;	/* other: where else it goes; done: behind the load */
};

struct ppu_seg {
	struct ppu_emit *e;
	const struct ppu_dinsn *code;
	struct ppu_live live;		/* what may be read behind the segment */
	const uint32_t *list;		/* its n instructions by PC */
	uint32_t n, at;			/* at: the current one */
	uint32_t nregs;
	bool masked;			/* some lanes may be inactive */
	bool looped;			/* one copy of the code in a loop, not one for each chunk */
	unsigned chunk;			/* when not looped */
	unsigned lanes;			/* of a chunk: 8, or 16 when the host code is `wide` */

	struct {
		uint8_t kind, lock, dirty, nan;
		uint16_t id;		/* row or predicate */
	} y[PPU_SEG_REGS];		/* vector registers; from PPU_SEG_MASKS on mask registers */
	int8_t row[PPU_SEG_ROWS];	/* in which vector, or -1 */
	/* Rows as numbers of 64 bits (numbers.h). */
	struct ppu_pair {
		uint16_t row;		/* the low words; the next one has the high ones */
		int8_t half[2];		/* vectors; none of a constant */
		bool used;
		bool dirty;		/* the rows are neither in vectors nor in memory */
		bool nan;		/* a NaN in it may not be the canonical one */
		bool constant;
		uint64_t value;		/* then */
	} pair[PPU_SEG_PAIRS];
	struct {
		int8_t y;		/* the set of lanes, or -1 */
		int acc;		/* general register with the bits, when fused a number; -1: not written in this segment */
		bool invert;		/* y holds the complement */
		bool fresh;		/* written in this chunk */
		bool kept;		/* when fused: its bits are in the stack frame, */
		bool kept_invert;	/* or those of the complement */
	} pred[16];
	unsigned accs;
	/* With loads (fuse.h). */
	const struct ppu_fuse *fuse;
	int first;			/* vector: number of the lowest active lane of the eight, when masked */
	int8_t index[PPU_FUSE_GROUPS];	/* vector: how the lanes of a group lie in memory, or -1 */
	struct ppu_away away[PPU_SEG_AWAYS];
	unsigned aways;
	int8_t ptr[2];			/* rcx, rdx: the group whose first access they hold, or -1 */
	struct {
		uint32_t from, to;	/* in the list: the load of an index, and the one of the element */
		int32_t step;		/* bytes to the next index; 0: there are none */
	} chase;
	struct ppu_scatter {
		uint8_t from, to;	/* groups: of the index, and of the element */
		uint64_t imm;		/* of the load of the index */
		int32_t step;		/* bytes to the next index */
		uint32_t at;		/* which elements[] of the SM */
	} scatter[PPU_SCATTERS];
	unsigned scatters;
	struct {
		uint32_t at;		/* in the list: the load of where rows begin */
		uint32_t arrays;	/* 0: there is none */
#define PPU_ROWS_ARRAYS	2
		uint32_t param[PPU_ROWS_ARRAYS];	/* where among the parameters these begin */
	} rows;
	uint16_t placed;		/* groups of stores that have been checked for these lanes */
	uint32_t bail;			/* label */
	const struct ppu_stubs *stubs;

	struct ppu_lanes active;	/* y -1: all, it is not masked */
	struct ppu_lanes guard;		/* of the current instruction; y -1: none */
};

/* ---- what the segment calls for each instruction (select_*.c) ---- */

/* Can the instruction be part of a segment? */
bool ppu_select_can(const struct ppu_dinsn *di);
void ppu_select(struct ppu_seg *s, const struct ppu_dinsn *di);
/* Comparisons of floats as the host numbers them: ordered ones are false for a NaN, and none raises an exception. */
extern const uint8_t ppu_select_predicate[PPU_CMP_COUNT];
bool ppu_select_float_can(const struct ppu_dinsn *di);
void ppu_select_float(struct ppu_seg *s, const struct ppu_dinsn *di);
/* Special registers, in select_special.c. */
bool ppu_select_special_can(const struct ppu_dinsn *di);
void ppu_select_special(struct ppu_seg *s, const struct ppu_dinsn *di);
bool ppu_select_f64_can(const struct ppu_dinsn *di);
void ppu_select_f64(struct ppu_seg *s, const struct ppu_dinsn *di);
/* Bits and bytes, 64-bit products and shifts, halves to floats, in select_bits.c. */
bool ppu_select_bits_can(const struct ppu_dinsn *di);
void ppu_select_bits(struct ppu_seg *s, const struct ppu_dinsn *di);
/* A load of group g. */
void ppu_select_load(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned g);
/* Before the segment: checks the addresses that are known now.  Goes on at `early` if one is wrong. */
void ppu_select_fixed(struct ppu_seg *s, uint32_t early);
/* Behind the segment: what its loads left for later. */
void ppu_select_load_aways(struct ppu_seg *s);
/* What the loads of all segments call; once for a region, behind all of them. */
void ppu_select_load_stubs(struct ppu_emit *e, const struct ppu_stubs *stubs);
/*
 * Notes the page whose number is in `page`.  Goes on at `full`, with nothing done, if there is no room, and then comes back
 * with ppu_span_note_full().  `lost`: a register.
 */
void ppu_span_note(struct ppu_emit *e, unsigned page, unsigned lost, uint32_t full);
void ppu_span_note_full(struct ppu_emit *e, uint32_t back);
/* In select_span.c, for a stub that has called ppu_span_push(). */
void ppu_span_push(struct ppu_emit *e);
void ppu_span_pop(struct ppu_emit *e);
/*
 * Eight words in PPU_AT_WORDS that lie in one page or span.  In: r8: high word and immediate; r10d: bytes behind each word
 * that must be there, too.  Goes on at `no`, or with rcx: memory of the host, and ymm15: offsets from there.  In both cases
 * ymm0 and ymm1 are in PPU_AT_SPILL, unless there is AVX-512.  rax, rcx, rdx, r9 are lost.
 */
void ppu_span_locate(struct ppu_emit *e, uint32_t no);
/* This vector and the next are the stub's, behind ppu_span_locate(). */
static inline int ppu_span_free(const struct ppu_emit *e)
{
	return e->evex ? PPU_SEG_STUBS : 0;
}
/* Around a call of C: all vectors and sets of lanes to the frame, and back.  pushed: bytes above the frame. */
void ppu_span_vectors(struct ppu_emit *e, int32_t pushed, bool back);
/* Sometimes looks for a span around r11.  rax, rcx, rdx are lost. */
void ppu_span_learn(struct ppu_emit *e);
void ppu_select_span_stubs(struct ppu_emit *e, const struct ppu_stubs *stubs);
/* In the pool: what added to the distance of a span carries, if 32 bits are enough for offsets. */
uint32_t ppu_span_most(struct ppu_emit *e);
/* rcx = the entry of the TLB for the page of rax, if ZF.  rdx is lost; pushed: bytes above the frame. */
void ppu_select_look_up(struct ppu_emit *e, int32_t pushed, uint32_t fail);
/* A store of group g: what it stores is kept. */
void ppu_select_store(struct ppu_seg *s, const struct ppu_dinsn *di, unsigned g);
/* Behind all lanes: stores what was kept.  Uses ymm0, rax, rcx, rdx, rsi, rdi, r8, r9. */
void ppu_select_store_kept(struct ppu_seg *s);
/* Behind the segment: what its stores left for later. */
void ppu_select_store_away(struct ppu_seg *s, const struct ppu_away *a);
void ppu_select_store_stubs(struct ppu_emit *e, const struct ppu_stubs *stubs);

/* ---- what these call ---- */

/* A vector for a temporary value.  It is the caller's until the end of the instruction. */
int ppu_seg_temp(struct ppu_seg *s);
/* The same for a set of lanes. */
int ppu_seg_mask(struct ppu_seg *s);
/* Gives a temporary back before the end of the instruction; nothing for another register. */
void ppu_seg_drop(struct ppu_seg *s, int y);
/* The row in a vector, which must not be changed.  _raw: a NaN may not be the canonical one. */
int ppu_seg_reg(struct ppu_seg *s, unsigned row);
int ppu_seg_reg_raw(struct ppu_seg *s, unsigned row);
/* The operands of the current instruction are not needed any more, only y and z. */
void ppu_seg_keep_only(struct ppu_seg *s, int y, int z);
/* No row is an operand of the current instruction any more, and no temporary is needed. */
void ppu_seg_unlock_all(struct ppu_seg *s);
/* The row is no operand of the current instruction any more. */
void ppu_seg_unlock(struct ppu_seg *s, unsigned row);
/* The row in a vector or as memory, as a last source operand. */
struct ppu_opn ppu_seg_rm(struct ppu_seg *s, unsigned row);
struct ppu_opn ppu_seg_rm_raw(struct ppu_seg *s, unsigned row);
/* A constant in all lanes. */
struct ppu_opn ppu_seg_const(struct ppu_seg *s, uint32_t v);
/* The row's value is in no vector any more.  It may still be an operand of this instruction: its register stays locked. */
void ppu_seg_lose_row(struct ppu_seg *s, unsigned row);
/* The row's value is what y has, and not what memory has. */
void ppu_seg_have_row(struct ppu_seg *s, unsigned row, int y, bool nan);
/* The row is y, in memory; y is lost. */
void ppu_seg_write(struct ppu_seg *s, unsigned row, int y);
/* Does another instruction of the segment read the row or the next one? */
bool ppu_seg_read_again(const struct ppu_seg *s, unsigned row);
/* The row becomes the value of temporary y; nan: a NaN in it may not be the canonical one. */
void ppu_seg_put(struct ppu_seg *s, unsigned row, int y, bool nan);
/* The row in y has got a new value there, in an instruction without a guard. */
void ppu_seg_changed(struct ppu_seg *s, int y, bool nan);
/* Predicate p, not PT. */
struct ppu_lanes ppu_seg_pred(struct ppu_seg *s, unsigned p, bool negate);
/* Predicate p = l; l.y: a temporary. */
void ppu_seg_put_pred(struct ppu_seg *s, unsigned p, struct ppu_lanes l);
/* pd, pe = comparison and its complement, combined with ps as SETP says.  l.y: a temporary. */
void ppu_seg_setp(struct ppu_seg *s, const struct ppu_dinsn *di, struct ppu_lanes l);
/* rax = base + 4 times the number of the chunk's first lane. */
void ppu_seg_lanes_of(struct ppu_seg *s, int base);

/* ---- what the region calls ---- */

/* Can instruction pc follow the n of a list in one segment that writes at most `preds` predicates?  List entries may be
 * loads. */
bool ppu_seg_extends(const struct ppu_dinsn *code, const uint32_t *list, uint32_t n, uint32_t pc, unsigned preds);
/* The list's instructions; the program goes on at next.  Host registers: rbx rows, rbp warp, r13 pool, r14d active lanes.  Uses all vector registers, and rax, rcx, rdx, rsi,
 * rdi, r8 to r11. */
void ppu_seg_emit(struct ppu_emit *e, const struct ppu_program *prog, const uint32_t *list, uint32_t n, uint32_t next,
		  bool masked);
/*
 * A segment with loads.  Goes on at label good, or at label bail, with rsi at the chunk in work; ppu_seg_undo()
 * follows there.  Or at label early: nothing has been done.
 */
struct ppu_seg_ends {
	uint32_t good, bail, early;
};
void ppu_seg_emit_fused(struct ppu_emit *e, const struct ppu_program *prog, const struct ppu_fuse *f, bool masked,
			const struct ppu_seg_ends *ends, const struct ppu_stubs *stubs);
/* Gives the registers that a fused segment has written their old values. */
void ppu_seg_undo(struct ppu_emit *e, const struct ppu_fuse *f, bool masked);

/* ---- across lanes (select_cross.c), when all 32 are active ---- */

bool ppu_cross_shuffles(const struct ppu_dinsn *di);
void ppu_cross_shuffle(struct ppu_emit *e, const struct ppu_dinsn *di);
bool ppu_cross_votes(const struct ppu_dinsn *di);
/* other: where host code goes on, with nothing done, if lanes may have to wait for others. */
void ppu_cross_vote(struct ppu_emit *e, const struct ppu_dinsn *di, uint32_t other);

#endif
