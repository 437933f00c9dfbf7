/* SPDX-License-Identifier: MIT */
/* The styles of the picture, and the legend that explains them. */
#include <inttypes.h>
#include <string.h>
#include "svg.h"

#define SWATCH_W	22.0
#define SWATCH_H	12.0
#define LINE_H		19.0
#define GAP		22.0

/* The licence is that of the styles, which are the project's; the picture belongs to whoever made the trace. */
static const char styles[] =
"<!-- SPDX-License-Identifier: MIT (of the styles) -->\n"
"<style>"
"text{font:11px sans-serif;fill:#000}.ti{font-size:14px;font-weight:bold}"
".ax{text-anchor:middle;fill:#333}.na{font-size:11.5px}.in{text-anchor:middle;font-size:10px}"
".il{text-anchor:middle;font-size:10px;fill:#fff}.va{font-size:9px}.sc{text-anchor:end;font-size:8.5px;fill:#444}"
".gr{stroke:#ddd;stroke-width:.7}.gp{stroke:#888;stroke-width:.8}"
".sl{fill:#e3e3e3}.la{fill:url(#pl)}"
".wa{fill:url(#pa);stroke:#555;stroke-width:.7;stroke-dasharray:3 2}"
".we{fill:url(#pe);stroke:#888;stroke-width:.5}.ww{fill:url(#pw);stroke:#777;stroke-width:.5}"
".wo{fill:#fff;stroke:#777;stroke-width:.6;stroke-dasharray:1 2}"
".bu{fill:#555}.bu+.in{fill:#fff}"
".cm{stroke:#000;stroke-width:.8}.db{fill:#fff;stroke:#000;stroke-width:.7}"
".er{stroke:#c00;stroke-width:2.4;fill:none}.de{fill:#222}"
".c0{fill:#dbe7f3}.c1{fill:url(#q1)}.c2{fill:url(#q2)}.c3{fill:url(#q3)}.c4{fill:url(#q4)}.c5{fill:url(#q5)}"
".c0,.c1,.c2,.c3,.c4,.c5{stroke:#123;stroke-width:.8}"
".ta{stroke:#222;stroke-width:.4}.ev{fill:#c00}.re{fill:#060}"
".oc{fill:#bbb;stroke:#444;stroke-width:.6}"
".se{fill:none;stroke:#000;stroke-width:1.3}.sd{fill:#000}"
".ar{stroke:#a30;stroke-width:.8;stroke-dasharray:4 2;fill:none;marker-end:url(#ah)}"
"text.in{paint-order:stroke;stroke:#fff;stroke-width:2.5px}.bu+.in{stroke:#555}"
"</style>\n"
"<defs>"
"<pattern id=\"pl\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h5v5h-5z\" fill=\"#f2f2f2\"/>"
"<path d=\"M0 5L5 0\" stroke=\"#bbb\"/></pattern>"
"<pattern id=\"pa\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h6v6h-6z\" fill=\"#fff\"/>"
"<path d=\"M0 6L6 0\" stroke=\"#bbb\" stroke-width=\".8\"/></pattern>"
"<pattern id=\"pe\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h5v5h-5z\" fill=\"#fff\"/>"
"<circle cx=\"2\" cy=\"2\" r=\".8\" fill=\"#777\"/></pattern>"
"<pattern id=\"pw\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h4v4h-4z\" fill=\"#fff\"/>"
"<path d=\"M0 2h4\" stroke=\"#bbb\"/></pattern>"
"<pattern id=\"q1\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h6v6h-6z\" fill=\"#f6c98f\"/>"
"<path d=\"M-1 1L1 -1M0 6L6 0M5 7L7 5\" stroke=\"#630\" stroke-width=\"1.2\"/></pattern>"
"<pattern id=\"q2\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h6v6h-6z\" fill=\"#b5d99c\"/>"
"<path d=\"M-1 5L1 7M0 0L6 6M5 -1L7 1\" stroke=\"#252\" stroke-width=\".9\"/></pattern>"
"<pattern id=\"q3\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h5v5h-5z\" fill=\"#e4b7c8\"/>"
"<path d=\"M2.5 0v5\" stroke=\"#523\"/></pattern>"
"<pattern id=\"q4\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h6v6h-6z\" fill=\"#ece59a\"/>"
"<path d=\"M0 0L6 6M0 6L6 0\" stroke=\"#553\" stroke-width=\".7\"/></pattern>"
"<pattern id=\"q5\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h5v5h-5z\" fill=\"#c9bde0\"/>"
"<circle cx=\"2.5\" cy=\"2.5\" r=\"1.2\" fill=\"#324\"/></pattern>"
"<marker id=\"ah\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">"
"<path d=\"M0 0L6 3L0 6z\" fill=\"#a30\"/></marker>"
"</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";

void draw_styles(struct svg *s)
{
	fputs(styles, s->f);
}

/* The texts of the legend. swatch: the class of the rectangle beside the text; NULL: drawn by special code. */
static const struct entry {
	enum look look;
	const char *swatch, *text;
} entries[] = {
	{ LOOK_SLICE, "sl", "holds an engine (time slice)" },
	{ LOOK_LATE, "la", "slice over, command goes on" },
	{ LOOK_BUSY, "bu", "its copy is in progress" },
	{ LOOK_ACQUIRE, "wa", "waits for a semaphore" },
	{ LOOK_ENGINE, "we", "waits for an engine" },
	{ LOOK_WFI, "ww", "waits for its tasks" },
	{ LOOK_OTHER, "wo", "waits for room in the task unit" },
	{ LOOK_DOORBELL, NULL, "doorbell" },
	{ LOOK_CMD, NULL, "command" },
	{ LOOK_ERROR, NULL, "channel error" },
	{ LOOK_EVICT, NULL, "evicted, suspended" },
	{ LOOK_RESUME, NULL, "resumed" },
	{ LOOK_OCC, "oc", "warps in use" },
	{ LOOK_SEM, NULL, "value of a semaphore" },
	{ LOOK_ARROW, NULL, "woke, launched" },
	{ LOOK_DENSE, "de", "many short ones, darker: busier" },
};

static void draw_swatch(FILE *f, const struct entry *e, double x, double y)
{
	double mid = y + SWATCH_H / 2;

	if (e->swatch) {
		fprintf(f, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"%s/>", e->swatch, x, y,
			SWATCH_W, SWATCH_H, e->look == LOOK_DENSE ? " fill-opacity=\".5\"" : "");
		return;
	}
	switch (e->look) {
	case LOOK_DOORBELL:
		fprintf(f, "<path class=\"db\" d=\"M%.1f %.1fl2.5 -4h-5z\"/>", x + 11, mid + 2);
		break;
	case LOOK_CMD:
		fprintf(f, "<path class=\"cm\" d=\"M%.1f %.1fv6m4 0v-6\"/>", x + 9, mid - 3);
		break;
	case LOOK_ERROR:
		fprintf(f, "<path class=\"er\" d=\"M%.1f %.1fl8 8m0 -8l-8 8\"/>", x + 7, mid - 4);
		break;
	case LOOK_EVICT:
		fprintf(f, "<path class=\"ev\" d=\"M%.1f %.1fh5v-9z\"/>", x + 8, mid + 5);
		break;
	case LOOK_RESUME:
		fprintf(f, "<path class=\"re\" d=\"M%.1f %.1fv-9l5 9z\"/>", x + 9, mid + 5);
		break;
	case LOOK_SEM:
		fprintf(f, "<path class=\"se\" d=\"M%.1f %.1fh8v-7h8v7h4\"/>", x + 1, mid + 4);
		break;
	default:
		fprintf(f, "<path class=\"ar\" d=\"M%.1f %.1fh20\"/>", x + 1, mid);
		break;
	}
}

/* Places entries from left to right, then on the next line. */
struct flow {
	const struct svg *s;
	FILE *f;		/* NULL: only measure */
	double x, y;
};

static void next(struct flow *w, double width)
{
	if (w->x + width > w->s->right && w->x > w->s->left) {
		w->x = w->s->left;
		w->y += LINE_H;
	}
}

static void caption(struct flow *w, const char *text)
{
	if (w->f) {
		fprintf(w->f, "<text x=\"%.1f\" y=\"%.1f\">", w->x + SWATCH_W + 5, w->y + SWATCH_H - 2);
		svg_text(w->f, text);
		fputs("</text>\n", w->f);
	}
	w->x += SWATCH_W + 5 + CHAR_PX * (double)strlen(text) + GAP;
}

static double item_width(const char *text)
{
	return SWATCH_W + 5 + CHAR_PX * (double)strlen(text);
}

static void copies(struct flow *w)
{
	char text[96], name[64];

	for (size_t i = 0; i < w->s->num_copy_chans && i < NUM_COPY_LOOKS; i++) {
		/* With two traces, only one of them may have the channel. */
		const struct lane other = { .kind = LANE_CHANNEL, .id = w->s->copy_chan[i] };
		const struct lane *l = model_lane(w->s->m, LANE_CHANNEL, w->s->copy_chan[i]);

		l = l ? l : &other;
		if (!w->s->used[LOOK_COPY0 + i])
			continue;
		if (view_label(w->s->v, l))
			snprintf(name, sizeof(name), "%s", view_label(w->s->v, l));
		else
			snprintf(name, sizeof(name), "channel %u", (unsigned)l->id);
		snprintf(text, sizeof(text), "copy of %s%s", name, w->s->num_copy_chans > NUM_COPY_LOOKS ? ", .." : "");
		next(w, item_width(text));
		if (w->f)
			fprintf(w->f, "<rect class=\"c%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", i, w->x, w->y,
				SWATCH_W, SWATCH_H);
		caption(w, text);
	}
}

static void priorities(struct flow *w)
{
	char text[64];

	for (unsigned p = 0; p < 256; p++) {
		unsigned g = priority_grey(w->s, p), level = model_priority(w->s->m, p);

		if (!w->s->used_priority[p])
			continue;
		snprintf(text, sizeof(text), "task priority %u%s", p, level && level == w->s->m->max_priority ? " (highest)" : "");
		next(w, item_width(text));
		if (w->f)
			fprintf(w->f, "<rect class=\"ta\" fill=\"#%02x%02x%02x\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
				g, g, g, w->x, w->y, SWATCH_W, SWATCH_H);
		caption(w, text);
	}
}

/* Lanes for which there was no room. */
static void hidden(struct flow *w)
{
	static const char *const many[LANE_KINDS] = {
		[LANE_CHANNEL] = "channels", [LANE_FRONT] = "front ends", [LANE_ENGINE] = "copy engines", [LANE_SLOT] = "task slots",
		[LANE_SM] = "SMs", [LANE_SEM] = "semaphores",
	};
	char text[128];

	for (unsigned k = 0; k < LANE_KINDS; k++) {
		if (!w->s->hidden[k])
			continue;
		snprintf(text, sizeof(text), "not shown: %zu %s (--lanes %s:NUMBER shows them)", w->s->hidden[k], many[k],
			 lane_kind_names[k]);
		next(w, item_width(text));
		caption(w, text);
	}
}

double draw_legend(struct svg *s, FILE *f, double y)
{
	struct flow w = { s, f, s->left, y + 10 };

	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (!s->used[entries[i].look])
			continue;
		next(&w, item_width(entries[i].text));
		if (f)
			draw_swatch(f, &entries[i], w.x, w.y);
		caption(&w, entries[i].text);
	}
	copies(&w);
	priorities(&w);
	hidden(&w);
	return w.y + LINE_H - y;
}
