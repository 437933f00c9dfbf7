/* SPDX-License-Identifier: MIT */
/* The page of ppu-trace --html: html.c has the lanes and the file, html_events.c the streams, html_names.c what is beside them. */
#ifndef PPU_TRACE_HTML_H
#define PPU_TRACE_HTML_H

#include "program.h"
#include "svg.h"

/* Colours of viewer.html. */
enum { HTML_SLICE, HTML_LATE, HTML_WAIT, HTML_COPY, HTML_TASK, HTML_PALE, HTML_USE, HTML_CTA, HTML_DARK };

/* Kinds of links, the model's and one more: the command of a task or a copy. */
enum { HTML_COMMAND = LINK_CHILD + 1 };

struct bytes {
	uint8_t *b;
	size_t n, cap;
};

/* A lane of the page: one of the model's, or one that the model has not. */
struct page_lane {
	unsigned side;
	const struct lane *l;		/* NULL: another one */
	const char *kind, *name;	/* of another one */
	uint32_t *mark;			/* records */
	size_t num_marks, cap_marks;
	unsigned context;		/* a stream of the program's: whose; which one */
	int stream;
	const struct span **work;	/* tasks and copies, by start */
	size_t num_work, cap_work;
};

struct page_link {
	unsigned kind;
	uint64_t lane[2], time[2];	/* from, to; times from the begin */
};

/* A text, and the kernel that it is about, of all of both sides + 1. */
struct page_text {
	char *text;
	uint32_t kernel;
};

/* One trace; two of them when they are compared. */
struct page_side {
	const struct model *m;
	const struct program *prog;
	struct view v;
	size_t interrupts, device;	/* lanes */
	uint32_t *of;			/* number + 1 of each of the model's lanes here, 0: not shown */
};

struct page {
	FILE *f;
	struct page_side side[SIDES];
	unsigned sides;
	uint64_t length;		/* of the longer one, ns */
	/* The side in work. */
	const struct page_side *s;
	const struct model *m;
	const struct view *v;
	const struct program *prog;
	struct page_lane *lane;
	size_t num_lanes, cap_lanes;
	struct page_text *text;
	size_t num_texts, cap_texts;
	struct map *texts;		/* a text's checksum -> number + 1 */
	struct page_link *link;
	size_t num_links, cap_links;
};

/* html_events.c */
void html_number(struct bytes *o, uint64_t v);
bool html_in_view(const struct page *p, uint64_t start, uint64_t end);
void html_spans(struct page *p, struct bytes *o, const struct lane *l);
void html_works(struct page *p, struct bytes *o, const struct page_lane *pl);
void html_marks(struct page *p, struct bytes *o, const struct page_lane *pl);
void html_points(struct page *p, struct bytes *o, const struct lane *l);

/* html_names.c */
void html_quote(FILE *f, const char *text);
/* Lanes for the program's streams, of what the model's lanes show. */
void html_streams(struct page *p, unsigned side);
/* Links from commands to what they began. */
void html_commands(struct page *p);
/* Kernels, their lines, and the texts of their files. */
void html_sources(struct page *p);

/* html.c */
void html_write(FILE *f, const struct model *m, const struct program *prog, const struct view *v);
/* Two runs in one page. */
void html_compare(FILE *f, const struct model side[SIDES], const struct program prog[SIDES], const struct view v[SIDES],
		  const struct difference *d);
size_t html_add_lane(struct page *p, unsigned side, const struct lane *l, const char *kind, const char *name);
/* Between two lanes of the side in work, by their records; lane_b NULL: that of the record. */
void html_add_link(struct page *p, unsigned kind, uint32_t from, uint32_t to, const struct lane *lane_b);

#endif
