/* SPDX-License-Identifier: MIT */
/*
 * The parts of ppu-trace: read.c reads a trace, names.c has the names for its records, model.c turns the records about
 * channels, engines, tasks, SMs and semaphores into a model, and svg*.c draw the model or json.c and html.c export it.  The text
 * form (text.c) needs no model.  program.h has what the program called things.
 */
#ifndef PPU_TRACE_TOOL_H
#define PPU_TRACE_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <hw/ppu_regs.h>
#include <hw/ppu_trace.h>

/* Exit statuses, those of ppu-run where they mean the same. */
enum { ST_OK = 0, ST_DIFFERENT = 1, ST_USAGE = 2, ST_BAD_TRACE = 3 };

/* struct ppu_trace_rec in types that printf knows. */
struct rec {
	uint64_t time;
	uint16_t event, unit;
	uint32_t a;
	uint64_t b, c, d;
};

struct trace {
	struct ppu_trace_header head;
	struct rec *rec;	/* as in the file; in order of time after trace_sort() */
	size_t num;
	uint64_t first, last;	/* the earliest and latest time in it */
};

#define MAX_WARPS 255		/* warp slots of an SM: a warp's number has 8 bits in a trace */
#define NO_REC UINT32_MAX	/* no record's index */

/* Returns 0, ST_USAGE (no such file) or ST_BAD_TRACE; on an error it has printed why. */
int trace_load(struct trace *t, const char *path);
/* The records of SMs stand behind the other records of their window, but pictures need all records in order. */
void trace_sort(struct trace *t);
void trace_free(struct trace *t);

/* ---- names ------------------------------------------------------------------------------------ */

/* "CE_START"; NULL: no such event. */
const char *event_name(unsigned event);
/* What the unit of an event means, for instance "channel"; "-": it has none. */
const char *event_unit(unsigned event);
/* The name of argument k, 0 to 3. */
const char *event_arg(unsigned event, unsigned k);

/* One argument of a record: name and text of its value; bare: the text is a number as JSON writes it. */
struct arg {
	const char *name;
	char text[48];
	bool bare;
};
#define MAX_ARGS 6
/* Returns the number of arguments, without the unit. */
unsigned rec_args(const struct rec *r, struct arg args[MAX_ARGS]);

const char *command_name(uint64_t opcode);	/* "?": none of these */
const char *block_name(uint64_t reason);
const char *writer_name(uint64_t kind);
const char *error_name(uint64_t code);
const char *class_name(uint64_t cls);

/* ---- the model --------------------------------------------------------------------------------- */

#define NUM_CLASSES (PPU_CLASS_DEVQ + 1)

/* The kinds of lanes, in the order in which they are drawn. */
enum lane_kind { LANE_CHANNEL, LANE_FRONT, LANE_ENGINE, LANE_SLOT, LANE_SM, LANE_SEM, LANE_KINDS };

/* What a span of time on a lane means. */
enum span_kind {
	SPAN_SLICE,	/* channel: holds its engine class; the span ends when the channel gives it back */
	SPAN_LATE,	/* channel: the part of that after the slice was over (CP-6) */
	SPAN_BLOCK,	/* channel: waits */
	SPAN_COMMAND,	/* channel: a copy of it is on an engine */
	SPAN_LAUNCH,	/* front end */
	SPAN_COPY,	/* engine */
	SPAN_TASK,	/* slot */
	SPAN_CTA,	/* SM */
	SPAN_KINDS,
};

/*
 * A span lasts from the record that began it to the record that ended it. NO_REC: it began before the trace, or had not
 * ended when the trace stopped.
 */
struct span {
	uint64_t start, end;
	uint32_t rec, rec_end;
	enum span_kind kind;
};

/* The value of a semaphore word from one time on. */
struct point {
	uint64_t time, old, value;
	uint32_t rec;
};

struct lane {
	enum lane_kind kind;
	uint64_t id;		/* channel, engine, slot, SM; of semaphores SEM_ID(); front end: 0 */
	unsigned cls;		/* channel: PPU_CLASS_*, 0 unknown */
	unsigned context;	/* channel: the context it belongs to */
	struct span *span;	/* by start */
	size_t num_spans, cap_spans;
	uint32_t *mark;		/* records of channels without duration: commands, doorbells, errors */
	size_t num_marks, cap_marks;
	struct point *point;	/* semaphores, by time */
	size_t num_points, cap_points;
	size_t waits;		/* semaphores: how often a channel had to wait for the word */
	/* While the trace is read. */
	uint32_t open[SPAN_KINDS];	/* index of the span + 1, 0: none */
	uint32_t *open_cta;		/* SM: the same, by the block's first warp slot */
	bool enabled;			/* channel */
	bool paused;			/* channel: gives the engine back after the command in progress */
	uint32_t writer;		/* semaphore: the record of the last write, NO_REC: none */
};

/*
 * Addresses of semaphores belong to a context, and processes use the same ones.  Contexts are numbered
 * in the order in which they appear; the semaphores of the first one have their addresses as numbers.
 */
#define SEM_ID(context, addr)	((uint64_t)((context) & 0xfff) << 48 | ((addr) & 0xffffffffffff))
#define SEM_ADDR(id)		((id) & 0xffffffffffff)
#define SEM_CONTEXT(id)		((unsigned)((id) >> 48))

/* Why something happened: a write woke a waiter, a task launched a child. */
enum link_kind { LINK_WAKE, LINK_CHILD };
struct link {
	enum link_kind kind;
	uint32_t from, to;	/* records: CMD or SEM_WRITE to UNBLOCK, CHILD_LAUNCH to TASK_SCHED */
};

struct model {
	const struct trace *t;
	struct lane *lane;
	size_t num_lanes, cap_lanes;
	struct link *link;	/* by `to` */
	size_t num_links, cap_links;
	struct map *ids;	/* (kind, id) -> lane */
	struct map *tasks;	/* task -> record + 1 that states the task's priority */
	uint32_t accept;	/* the last TASK_ACCEPT, NO_REC: none */
	struct map *children;	/* task -> record + 1 of the task's CHILD_LAUNCH */
	/* Channels that hold an engine, by engine class, while the trace is read. */
	struct holders {
		uint64_t *chan;
		size_t num, cap;
	} hold[NUM_CLASSES];
	/* Contexts, by the address of their instance block; a new one when the block had no channel left. */
	struct context {
		uint64_t inst;
		unsigned number, channels;
	} *context;
	size_t num_contexts, cap_contexts;
	unsigned contexts;	/* how many numbers are given out */
	uint16_t *context_at;	/* the context of each record of channels, copy engines and semaphores */
	struct map *waiters;	/* address -> channel + 1 that waited for it last */
	unsigned max_warps;	/* most warp slots of an SM that were in use */
	unsigned max_priority;	/* of the tasks that had slots, as model_priority() counts */
};

void model_build(struct model *m, const struct trace *t);
void model_free(struct model *m);
struct lane *model_lane(const struct model *m, enum lane_kind kind, uint64_t id);	/* or NULL */
/* The lane of a record at which a link begins or ends; NULL: it has none. */
const struct lane *model_place(const struct model *m, const struct rec *r);
/* The semaphore of a BLOCK, UNBLOCK (acquire, gate) or SEM_WRITE; NULL: the semaphore has no lane. */
struct lane *model_sem(const struct model *m, uint32_t rec);
/* The times of the first and of the last event that a lane shows; false: the lane shows none. */
bool model_extent(const struct model *m, uint64_t *first, uint64_t *last);
/* How high a device priority is: 0 is the lowest, whichever way the device's numbers go. */
unsigned model_priority(const struct model *m, uint64_t number);
/* The record with the task's priority (b, c, d as in TASK_ACCEPT); NULL: the trace has none. */
const struct rec *model_task(const struct model *m, uint64_t task);
/* The value of a semaphore at a time; false: unknown, because nobody wrote it. */
bool sem_value_at(const struct lane *l, uint64_t time, uint64_t *value);

/* ---- choice and output -------------------------------------------------------------------------- */

/* Which lanes: kinds, or kinds with numbers. */
struct choice {
	bool kind[LANE_KINDS];
	struct range {
		enum lane_kind kind;
		uint64_t lo, hi;
	} *range;
	size_t num_ranges;
};
/* False: not understood; an error was printed. */
bool choice_parse(struct choice *c, const char *text);
bool choice_has(const struct choice *c, enum lane_kind kind, uint64_t id);
/* Has the user named lanes, or only kinds? */
bool choice_is_exact(const struct choice *c, enum lane_kind kind);
extern const char *const lane_kind_names[LANE_KINDS];

/* Names given to lanes by the user.  A semaphore's address stands for those of all contexts. */
struct label {
	enum lane_kind kind;
	uint64_t id;
	const char *text;
};

struct view {
	uint64_t from, to;
	unsigned width;		/* of the picture, pixels */
	bool arrows;
	const char *title;
	struct choice lanes;
	struct label *label;
	size_t num_labels;
};

/* "channel:1=low" */
bool label_parse(struct label *l, const char *text);
const char *view_label(const struct view *v, const struct lane *l);	/* or NULL */

void text_write(FILE *f, const struct trace *t, uint64_t from, uint64_t to);
void svg_write(FILE *f, const struct model *m, const struct view *v);
void json_write(FILE *f, const struct model *m, const struct view *v);

/* ---- comparing two traces --------------------------------------------------------------------------- */

/* Events, a bit each. */
struct events {
	bool has[PPU_TR_MAX];
};
/* The events that depend on when the CPU did something, or on who was faster. */
void events_default(struct events *e);
/* "DOORBELL,DIV_*", "default,GET", "default,-BLOCK", "none"; false: not understood; an error was printed. */
bool events_parse(struct events *e, const char *text);

enum { SIDE_REF, SIDE_RUN, SIDES };

/* The kinds of units; the sequence of events of each unit is compared. */
enum unit_kind { UNIT_CHANNEL, UNIT_COPIES, UNIT_TASK, UNIT_BLOCK, UNIT_WARP, UNIT_SEM, UNIT_DEVICE, UNIT_KINDS };

/* The first difference: records of both sides, NO_REC: nothing (more) there. */
struct difference {
	bool any;
	enum unit_kind kind;
	uint64_t id[3];		/* channel, or address; for tasks: channel, number, then block, warp */
	uint32_t rec[SIDES], before[SIDES];
	/*
	 * If only an address differs: the address that stands for the reference's, or for which the run's stands; else
	 * 0.
	 */
	uint64_t expected, taken;
	size_t events, units;	/* compared */
};

void compare(struct difference *d, const struct model side[SIDES], const struct choice *lanes,
	     const struct events *ignored);
/* Which arguments of a record are compared, "-", "v"alue, "a"ddress or "p"rogram counter for a, b, c and d. */
const char *compared_args(const struct rec *r);
/* One sentence, without a full stop. */
void difference_text(char *buf, size_t size, const struct difference *d, const struct model side[SIDES]);
/* "channel 3" */
void difference_unit(char *buf, size_t size, const struct difference *d);
/* What one side does at the difference, "executes COPY"; brief: without the arguments. */
void side_text(char *buf, size_t size, const struct difference *d, const struct model *m, unsigned side, bool brief);
/* Draws both traces, one above the other. */
void svg_compare(FILE *f, const struct model side[SIDES], const struct view *v, const struct difference *d);

/* ---- help ---------------------------------------------------------------------------------------- */

/* realloc that ends the program when there is no memory. */
void *grow(void *p, size_t *cap, size_t need, size_t each);
/* A map from 64-bit numbers to 32-bit ones. */
struct map *map_new(void);
void map_free(struct map *m);
/* Points to the value of a key. If the key is not in the map: a new value 0 if add is true, else NULL. */
uint32_t *map_at(struct map *m, uint64_t key, bool add);

#endif
