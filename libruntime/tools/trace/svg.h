/* SPDX-License-Identifier: MIT */
/* The picture's canvas, and how its lanes are drawn. */
#ifndef PPU_TRACE_SVG_H
#define PPU_TRACE_SVG_H

#include "trace.h"

/* Events that would be thinner than this, in pixels, are drawn together with their neighbours... */
#define MIN_PX		2.0
/* ... in pieces of at least this: the size of a picture is bounded by its width and lanes. */
#define PIECE_PX	6.0
#define CHAR_PX		6.2	/* average width of a letter of the small font */

/* Ways to fill, each different from the others without colour; also what the legend explains. */
enum look {
	LOOK_SLICE, LOOK_LATE, LOOK_ACQUIRE, LOOK_ENGINE, LOOK_WFI, LOOK_OTHER, LOOK_BUSY, LOOK_CMD, LOOK_DOORBELL,
	LOOK_ERROR, LOOK_DENSE, LOOK_COPY0, LOOK_COPY_LAST = LOOK_COPY0 + 5, LOOK_TASK, LOOK_EVICT, LOOK_RESUME,
	LOOK_OCC, LOOK_SEM, LOOK_ARROW, NUM_LOOKS,
};
#define NUM_COPY_LOOKS (LOOK_COPY_LAST - LOOK_COPY0 + 1)

#define MARGIN		12.0
#define AXIS_H		26.0
#define TITLE_H		22.0

struct svg {
	FILE *f;
	const struct model *m;
	const struct view *v;
	double top;			/* of the axis */
	double left, right, height;	/* x where time begins and where it ends; lower edge of the lanes */
	uint64_t zero;			/* the time from which the axis counts */
	const struct cut *cut;		/* spans of time that are left out, in order of time */
	size_t num_cuts;
	const struct lane **lane;	/* lanes that are shown, from the top */
	double *y;			/* and their upper edges */
	size_t num_lanes;
	size_t hidden[LANE_KINDS];	/* lanes for which there was no room */
	uint64_t *copy_chan;		/* channels with copies; the index decides the pattern */
	size_t num_copy_chans;
	bool used[NUM_LOOKS];
	bool used_priority[256];
};

/* A span of time that is not drawn; before: how much time is left out up to the end of this span. */
struct cut {
	uint64_t from, to, before;
};

double svg_x(const struct svg *s, uint64_t t);
bool svg_in_view(const struct svg *s, uint64_t start, uint64_t end);
double lane_height(enum lane_kind kind);
enum look copy_look(const struct svg *s, uint64_t channel);
void lane_title(char *buf, size_t size, const struct svg *s, const struct lane *l);

/* Text in which the characters that are special in XML are replaced. */
void svg_text(FILE *f, const char *text);
/* "12.345 us": a time as the titles show it. */
const char *time_text(char *buf, size_t size, uint64_t ns);
/* The shade of grey of a priority, 0 (light) to 255 (darkest). */
unsigned priority_grey(const struct svg *s, uint64_t priority);

/*
 * Bars of one row, from left to right.  A bar that is wide enough is drawn as it is. A series of thin bars becomes one
 * bar; the busier the unit was, the darker this bar is.
 */
struct row {
	struct svg *s;
	double y, h;
	const char *many;	/* "copies": what a merged bar counts */
	/* The part that is not drawn yet. */
	unsigned n;
	bool thin;
	double x0, x1;
	uint64_t t0, t1, busy;
	enum look look;
	int priority;		/* the shade of LOOK_TASK; -1: none */
	char label[64], title[256];
};

struct bar {
	uint64_t t0, t1;
	enum look look;
	int priority;
	char label[64], title[256];
};

void row_begin(struct row *r, struct svg *s, double y, double h, const char *many);
void row_add(struct row *r, const struct bar *b);
void row_end(struct row *r);

/* Events without duration, of one row: at most one stroke in each MIN_PX. */
struct ticks {
	struct svg *s;
	double y;
	enum look look;
	double x;
	unsigned n;
	char title[256];
};

void ticks_begin(struct ticks *k, struct svg *s, double y, enum look look);
void ticks_add(struct ticks *k, uint64_t time, const char *title);
void ticks_end(struct ticks *k);

void draw_channel(struct svg *s, const struct lane *l, double y);
void draw_front(struct svg *s, const struct lane *l, double y);
void draw_engine(struct svg *s, const struct lane *l, double y);
void draw_slot(struct svg *s, const struct lane *l, double y);
void draw_sm(struct svg *s, const struct lane *l, double y);
void draw_sem(struct svg *s, const struct lane *l, double y);
void draw_arrows(struct svg *s);
void draw_styles(struct svg *s);
/* Returns the height of the legend; nothing is written when f is NULL. */
double draw_legend(struct svg *s, FILE *f, double y);

/* For one trace: chooses what is shown and where; then draws everything but title, styles and legend. */
void svg_lay_out(struct svg *s);
void svg_draw(struct svg *s);
void svg_free(struct svg *s);
/* The length of the time that is drawn, without the spans that are left out. */
uint64_t svg_shown(const struct svg *s, uint64_t t);
/* A stream that writes to memory; ends the program when there is none. */
FILE *svg_memory(char **body, size_t *size);

#endif
