/* SPDX-License-Identifier: MIT */
/*
 * Inside the debugger.  Two threads take turns, and all of this belongs to whose turn it is: the one that drives the device, in
 * the functions that the device calls, and the debugger's own, which executes commands while the device stands still.
 *
 * Where the device is, is a number: so many instructions of warps have been begun (dbg.count).  Devices do the same again, so
 * a number names the same moment each time.
 */
#ifndef PPU_DEBUG_STATE_H
#define PPU_DEBUG_STATE_H

#include <stdio.h>
#include "debug/debug.h"

#pragma GCC visibility push(hidden)

#define DBG_LANES	PPU_OBSERVE_LANES
#define FOR_LANES(i, mask) \
	for (uint32_t left_##i = (mask), i; left_##i && (i = (uint32_t)__builtin_ctz(left_##i), 1); left_##i &= left_##i - 1)

/* ---- code ------------------------------------------------------------------------------------------------- */

struct dbg_code {
	const struct ppu_image *img;	/* NULL: nobody knows */
	const char *kernel;		/* NULL: likewise */
};

struct dbg_line {
	const char *file;		/* NULL: no line is known */
	uint32_t line;
};

struct dbg_code dbg_code_of(uint64_t inst, uint64_t task_id);
struct dbg_line dbg_line_of(const struct ppu_image *img, uint32_t pc);
bool dbg_same_line(const struct dbg_line *a, const struct dbg_line *b);
/* Calls fn for each image that there is. */
void dbg_each_image(void (*fn)(const struct ppu_image *img, void *arg), void *arg);
/* A shared variable of the image, or a variable of any module of the context: its place and size. */
bool dbg_symbol(uint64_t inst, const struct ppu_image *img, const char *name, uint32_t *space, uint64_t *addr, uint64_t *bytes);
/* "name(args)+pc", as people write it, into buf. */
const char *dbg_function_text(const struct ppu_image *img, uint32_t pc, char *buf, size_t len);
const char *dbg_demangled(const char *name, char *buf, size_t len);
/* Is text the name of this symbol: as the module has it, or as in the source, with or without its parameters? */
bool dbg_is_name(const char *symbol, const char *text);
bool dbg_is_file(const char *file, const char *text);
/* One line of a source file; NULL: not to be had. */
const char *dbg_source(const char *file, uint32_t line, char *buf, size_t len);

/* ---- threads of the device ---------------------------------------------------------------------------------- */

struct dbg_focus {
	bool is;			/* false: no thread */
	uint32_t sm, slot, lane;	/* where */
	uint64_t serial, cta;		/* which: its task, its block's number in the grid, its warp there */
	uint32_t warp;
};

/* What is known of a warp where it is. */
struct dbg_warp {
	uint32_t sm, slot;
	struct ppu_look_warp w;
	struct ppu_look_cta c;
	struct dbg_code code;
};

bool dbg_look(uint32_t sm, uint32_t slot, struct dbg_warp *w);
/* The focus, wherever it is now.  False: its thread has ended or has not begun. */
bool dbg_focused(struct dbg_warp *w);
void dbg_focus_on(uint32_t sm, uint32_t slot, uint32_t lane);
/* How many functions deep the lane is, by its tokens. */
unsigned dbg_depth(const struct ppu_look_warp *w, uint32_t lane);
void dbg_thread_of(const struct dbg_warp *w, uint32_t lane, uint32_t *xyz);
/* Is it of the warp that the focus is on? */
bool dbg_is_focus(const struct ppu_seen_insn *i);
/* "kernel K, block (x,y,z), thread (x,y,z)" */
const char *dbg_thread_text(const struct dbg_warp *w, uint32_t lane, char *buf, size_t len);
/* "file:line, pc", and the function if that is not the kernel. */
const char *dbg_place_text(const struct ppu_image *img, uint32_t pc, char *buf, size_t len);
/* Calls fn for each block on an SM, in order; until it returns true. */
bool dbg_each_cta(bool (*fn)(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg), void *arg);

/* ---- expressions ----------------------------------------------------------------------------------------------- */

struct dbg_value {
	bool real;
	int64_t i;
	double f;
};

struct dbg_address {
	uint32_t space;			/* never PPU_SPACE_GENERIC */
	uint64_t addr;
};

/* The value of a text for a lane of w (NULL: numbers and global memory only).  NULL, or what is wrong: a static sentence.
 * *rest: where the expression ends; NULL: it must be all. */
const char *dbg_eval(const char *text, const struct dbg_warp *w, uint32_t lane, struct dbg_value *v, const char **rest);
/* The same, inside of an expression that is so deep already. */
const char *dbg_eval_inner(const char *text, const struct dbg_warp *w, uint32_t lane, unsigned depth, struct dbg_value *v,
			   const char **rest);
const char *dbg_eval_address(const char *text, const struct dbg_warp *w, uint32_t lane, struct dbg_address *a, const char **rest);
uint64_t dbg_read(const struct dbg_address *a, const struct dbg_warp *w, uint32_t lane, void *buf, uint64_t len);
/* Generic addresses are in the spaces that the device finds for them. */
struct dbg_address dbg_address_of(uint64_t generic);
const char *dbg_space_name(uint32_t space);
/* The first bytes as a number, up to 8 of them. */
uint64_t dbg_word(const uint8_t *bytes, uint32_t n);

/* Memory that somebody accesses: of a context, of a block, or of a thread. */
struct dbg_memory {
	struct dbg_address at;
	uint32_t bytes;
	uint64_t inst, serial, cta;	/* global memory: inst; of a block's or a thread's: of which */
	uint32_t warp, lane;
};

/* The lanes of an access that touch it. */
uint32_t dbg_lanes_at(const struct dbg_memory *m, const struct ppu_seen_access *a);
/* As the last instruction's warp has it.  How many bytes could be read. */
uint64_t dbg_read_memory(const struct dbg_memory *m, uint8_t *bytes);

/* ---- stops ------------------------------------------------------------------------------------------------------ */

enum dbg_kind { DBG_BREAK, DBG_WATCH_CHANGE, DBG_WATCH_WRITE, DBG_WATCH_READ, DBG_WATCH_ANY };

struct dbg_site {
	const struct ppu_image *img;
	uint32_t pc;
};

struct dbg_point {			/* a breakpoint or watchpoint */
	unsigned number;
	enum dbg_kind kind;
	bool off, temporary;
	char *text, *condition;		/* as it was given */
	unsigned hits, ignore;
	/* DBG_BREAK */
	char *file, *function;		/* one of them, or neither: one pc */
	uint32_t line;
	int64_t pc;
	struct dbg_site *site;
	uint32_t sites;
	/* watchpoints */
	struct dbg_memory m;
	uint8_t old[16];		/* before the last instruction that may have written it */
};

enum dbg_why {
	DBG_OPENED, DBG_STEPPED, DBG_AT_BREAK, DBG_AT_WATCH, DBG_FAULTED, DBG_KERNEL_BEGAN, DBG_KERNEL_ENDED, DBG_HOST_GOES_ON,
	DBG_INTERRUPTED, DBG_TRAPS, DBG_THREAD_ENDED, DBG_ARRIVED, DBG_BETWEEN, DBG_FROZEN, DBG_SPINS,
	DBG_FOUND,
};

/* A moment: before the instruction of this number; or, of other kinds, behind the one before it. */
enum dbg_moment_kind { DBG_BEFORE_INSN, DBG_IN_ACCESS, DBG_IN_FAULT, DBG_IN_TASK, DBG_AT_LEAVE, DBG_AT_EVENT, DBG_IN_CHECK };
struct dbg_moment {
	uint64_t n;
	enum dbg_moment_kind kind;
	uint64_t time;			/* DBG_AT_EVENT: of the device; DBG_IN_CHECK: dbg.seen before it */
};

/* Who runs: all threads, or only some. */
struct dbg_who {
	bool some;
	struct ppu_only only;
};

struct dbg_change {			/* of who runs */
	uint64_t n, time;		/* where; time 0: when that instruction was begun, else between two events */
	struct dbg_who who;
};

struct dbg_save {
	uint64_t n;			/* dbg.count */
	unsigned changed;		/* dbg.changed */
	uint64_t seen;			/* dbg.seen */
};

/* What ppu-check has found. */
struct dbg_found {
	uint64_t n;			/* dbg.seen before it */
	bool place;			/* it is about a thread and an instruction */
	uint32_t pc, thread[3];
	struct dbg_focus focus;		/* that thread */
	char what[320];
};

struct dbg_stop {
	enum dbg_why why;
	struct dbg_moment at;
	struct dbg_point *point;
	uint32_t error, sm, slot, lane;
	uint64_t address, task_id, inst;
	bool inside;			/* in the midst of an event of the device */
	struct dbg_found found;
};

enum dbg_step { DBG_NO_STEP, DBG_STEP_INSN, DBG_STEP_LINE, DBG_NEXT, DBG_FINISH };

enum dbg_whose { DBG_THREADS, DBG_WARPS, DBG_BLOCKS };	/* a step: of the thread in focus, or of any in its warp or block */

/* What the device does until it stops. */
enum dbg_mode { DBG_RUN, DBG_SEEK, DBG_SCAN };

/* What is looked for while the device does again what it has done. */
struct dbg_scan {
	uint64_t end;			/* up to this instruction, without it */
	void (*insn)(struct dbg_scan *s, uint64_t n, const struct ppu_seen_insn *i);
	void (*access)(struct dbg_scan *s, uint64_t n, const struct ppu_seen_access *a);
	void (*copy)(struct dbg_scan *s, uint64_t n, const struct ppu_seen_copy *c);
	void (*found)(struct dbg_scan *s, uint64_t n, const struct dbg_found *f);
};

struct dbg {
	const struct be_ops *be;
	const struct be_debug_ops *ops;
	struct be_dev *dev;
	struct be_debugger port;
	int fd;
	/* where */
	uint64_t count, first;		/* first: when the program did something to the device */
	struct ppu_seen_insn last;	/* the instruction that is done */
	uint64_t inst;			/* a context whose memory is meant if there is no thread */
	bool mute, unwind;		/* the rest of an event is done before going back; then the debugger's turn comes */
	enum dbg_mode mode;
	struct dbg_moment target;
	bool far;			/* DBG_SEEK is what the user asked for, and may be interrupted */
	struct dbg_scan *scan;
	struct dbg_stop stop;
	struct dbg_focus focus;
	/* why to stop */
	struct dbg_point **point;
	unsigned points, next_number;
	bool stores, loads;		/* there are watchpoints for these */
	enum dbg_step step;
	enum dbg_whose step_whose;
	struct dbg_line step_line;
	unsigned step_depth;
	struct {			/* the same of each lane of the block, or of the focus's warp; file NULL: not known */
		struct dbg_line line;
		unsigned depth;
	} step_from[PPU_OBSERVE_WARPS][DBG_LANES];
	bool catch_begin, catch_end, catch_host;
	/* the way back */
	struct dbg_save *save;
	unsigned saves, saves_cap;
	uint64_t interval, least_interval;	/* instructions between two saves, at least */
	bool no_record;
	/* who runs */
	struct dbg_who who, want, base;	/* now; from the next moment on at which that can change; and where the way back ends */
	struct dbg_change *change;
	unsigned changes, changed;	/* changed: how many lie behind the moment where the device is */
	uint64_t step_began;
	/* ppu-check */
	const struct ppu_observer *checker;	/* NULL: nobody checks */
	uint64_t seen, checked;		/* what was shown since the program did something to the device; what the checker saw of it */
	bool catch_checker, gone;	/* gone: the debugger */
	bool blind, tell_blind;		/* the checker looks no more, and the user does not know yet */
};
extern struct dbg dbg;

/* session.c */
/* The device stands still; returns when the debugger lets it go on. */
void dbg_hand_over(void);
/* The debugger's thread: lets the device go on, and returns when it stands still again: dbg.stop says why. */
void dbg_resume(void);
__attribute__((format(printf, 1, 2))) void dbg_say(const char *fmt, ...);	/* a line for the user */
__attribute__((format(printf, 1, 2))) void dbg_tell(const char *fmt, ...);	/* an event for the program at the other end */
/* Does somebody want to interrupt? */
bool dbg_interrupted(void);

/* stop.c: what the device calls. */
extern const struct ppu_observer dbg_observer;
/* Points that stand for this instruction or access, with conditions; their hits are not counted. */
struct dbg_point *dbg_break_at(const struct ppu_seen_insn *i, uint32_t *lane);
struct dbg_point *dbg_watch_hit(const struct ppu_seen_access *a, uint32_t *lane);
void dbg_watch_before(void);

void dbg_stop_at(enum dbg_why why, enum dbg_moment_kind kind, bool inside);

/* checker.c */
void dbg_check_also(void *arg, const struct ppu_observer *o);
void dbg_check_access(const struct ppu_seen_access *a);
void dbg_check_copy(const struct ppu_seen_copy *c);
void dbg_check_task(const struct ppu_seen_task *t, bool end);
void dbg_check_cta_end(const struct ppu_seen_cta *c);
void dbg_check_begin(void);		/* the program did something to the device */
void dbg_check_another(void);

/* travel.c */
void dbg_begin(void *arg);
void dbg_event(void *arg);
void dbg_leave(void *arg);
/* Each returns false and has told why, if it cannot be done. */
bool dbg_go(struct dbg_moment to);
void dbg_scan_back(struct dbg_scan *s, bool (*enough)(struct dbg_scan *s));
bool dbg_may_go_back(void);
void dbg_cmd_interval(const char *args);

/* freeze.c */
/* The moments at which who runs can change; the program did something to the device; it was set back; nobody looks any more. */
void dbg_freeze_insn(void);
void dbg_freeze_event(void);
bool dbg_freeze_is_due(void);		/* it changes at the next one */
void dbg_freeze_begin(void);
void dbg_freeze_back(unsigned changed);
void dbg_freeze_end(void);
/* Those who may run cannot, and others could. */
bool dbg_frozen(void);
void dbg_show_frozen(void);
void dbg_show_way_on(void);		/* how those that stand still go on */
/* Before the device runs: a step; with all others standing still; the block, and not only the warp.  False: nobody can. */
bool dbg_freeze_wanted(bool step, bool alone, bool block);
void dbg_cmd_set(const char *args);
void dbg_cmd_show(const char *args);

/* points.c */
void dbg_cmd_break(const char *args);
void dbg_cmd_tbreak(const char *args);
void dbg_cmd_watch(const char *args);
void dbg_cmd_rwatch(const char *args);
void dbg_cmd_awatch(const char *args);
void dbg_cmd_wwatch(const char *args);
void dbg_cmd_delete(const char *args);
void dbg_cmd_enable(const char *args);
void dbg_cmd_disable(const char *args);
void dbg_cmd_condition(const char *args);
void dbg_cmd_ignore(const char *args);
void dbg_cmd_catch(const char *args);
void dbg_info_points(const char *args);
void dbg_point_remove(struct dbg_point *p);
void dbg_image_came(const struct ppu_image *img);
void dbg_image_went(const struct ppu_image *img);

/* forward.c, backward.c */
/* The device stands still: shows why. */
void dbg_stopped(void);
void dbg_cmd_continue(const char *args);
void dbg_cmd_stepi(const char *args);
void dbg_cmd_step(const char *args);
void dbg_cmd_next(const char *args);
void dbg_cmd_finish(const char *args);
void dbg_cmd_goto(const char *args);
void dbg_cmd_reverse_stepi(const char *args);
void dbg_cmd_reverse_step(const char *args);
void dbg_cmd_reverse_next(const char *args);
void dbg_cmd_reverse_continue(const char *args);
void dbg_cmd_last_write(const char *args);

/* focus.c */
void dbg_cmd_focus(const char *args);
void dbg_info_kernels(const char *args);
void dbg_info_blocks(const char *args);
void dbg_info_warps(const char *args);
void dbg_info_lanes(const char *args);
void dbg_info_tokens(const char *args);
void dbg_info_barriers(const char *args);

/* show.c */
void dbg_show_stop(void);
void dbg_show_place(void);
void dbg_cmd_print(const char *args);
void dbg_cmd_x(const char *args);
void dbg_cmd_where(const char *args);
void dbg_cmd_list(const char *args);
void dbg_cmd_disassemble(const char *args);
void dbg_info_registers(const char *args);
void dbg_info_predicates(const char *args);
void dbg_info_parameters(const char *args);
void dbg_info_shared(const char *args);
void dbg_info_position(const char *args);
void dbg_info_digest(const char *args);

/* machine.c: for programs at the other end */
void dbg_cmd_machine(const char *args);

/* command.c */
void dbg_command(const char *line);

#pragma GCC visibility pop
#endif
