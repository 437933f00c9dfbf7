/* SPDX-License-Identifier: MIT */
/* What programs ask at the other end (the adapter of ppu-dbg): lines with fields between tabs. */
#include <stdlib.h>
#include <string.h>

#include "compiler/obj/image.h"
#include "debug/variable.h"

/* Threads are warps here: there are too many lanes for a list. */
static bool list_warps(uint32_t sm, uint32_t slot, const struct ppu_look_cta *c, void *arg)
{
	const uint32_t *b = c->seen.id;
	struct ppu_look_warp w;

	for (uint32_t i = 0; i < c->seen.warps; i++)
		if (dbg.ops->look_warp(dbg.dev, sm, c->warp[i], &w) && w.live)
			dbg_say("%u\tkernel %u, block (%u,%u,%u), warp %u", sm * 1024 + c->warp[i] + 1, (uint32_t)c->seen.task.id, b[0], b[1],
				b[2], i);
	return false;
}

static void threads(const char *args)
{
	dbg_each_cta(list_warps, NULL);
}

/* The thread of a number gets the focus; its lane that executes, if it is another warp. */
static void select_thread(const char *args)
{
	uint32_t n = (uint32_t)strtoul(args, NULL, 10) - 1;
	struct dbg_warp w;

	if ((dbg.focus.is && dbg.focus.sm == n / 1024 && dbg.focus.slot == n % 1024) || !dbg_look(n / 1024, n % 1024, &w))
		return;
	dbg_focus_on(n / 1024, n % 1024, w.w.active ? (uint32_t)__builtin_ctz(w.w.active) : w.w.live ?
		     (uint32_t)__builtin_ctz(w.w.live) : 0);
}

static void frame(const struct ppu_image *img, uint32_t pc)
{
	struct dbg_line l = dbg_line_of(img, pc);
	char name[512];

	dbg_say("%s\t%s\t%u\t%u", dbg_function_text(img, pc, name, sizeof(name)), l.file ? l.file : "", l.line, pc);
}

static void stack(const char *args)
{
	struct dbg_warp f;

	select_thread(args);
	if (!dbg_focused(&f))
		return;
	frame(f.code.img, f.w.addr[dbg.focus.lane]);
	for (uint32_t i = 0; i < f.w.tokens && i < PPU_LOOK_TOKENS; i++)
		if (PPU_TOK_TYPE(f.w.token[i]) == PPU_REASON_CALL && (PPU_TOK_MASK(f.w.token[i]) >> dbg.focus.lane & 1))
			frame(f.code.img, PPU_TOK_ADDR(f.w.token[i]));
}

static void registers(const char *args)
{
	uint32_t lanes[DBG_LANES];
	struct dbg_warp f;

	if (!dbg_focused(&f))
		return;
	for (uint32_t n = 0; dbg.ops->look_register(dbg.dev, f.sm, f.slot, n, lanes); n++)
		dbg_say("$r%u\t0x%x", n, lanes[dbg.focus.lane]);
	for (unsigned n = 0; n < 15; n++)
		dbg_say("$p%u\t%u", n, f.w.pred[n] >> dbg.focus.lane & 1);
}

static void parameters(const char *args)
{
	const struct ppu_symbol *s;
	struct dbg_value v;
	struct dbg_warp f;
	char name[32];

	if (!dbg_focused(&f) || !f.code.img || !f.code.kernel)
		return;
	s = ppu_image_find(f.code.img, f.code.kernel);
	for (uint32_t i = 0; s && i < s->num_params; i++) {
		snprintf(name, sizeof(name), "param%u", i);
		if (!dbg_eval(name, &f, dbg.focus.lane, &v, NULL))
			dbg_say("%s\t0x%llx", name, (unsigned long long)v.i);
	}
}

static void one_local(const char *name, bool parameter, const struct dbg_object *o, void *arg)
{
	char value[2048], type[160];

	dbg_say("%s\t%s\t%s", name, dbg_object_text(o, arg, dbg.focus.lane, 0, value, sizeof(value)),
		dw_type_text(o->d, o->type, type, sizeof(type)));
}

static void locals(const char *args)
{
	struct dbg_warp f;

	if (dbg_focused(&f))
		dbg_each_variable(&f, dbg.focus.lane, one_local, &f);
}

/* Who the thread is. */
static void thread(const char *args)
{
	const uint32_t *b, *d, *g;
	struct dbg_warp f;
	uint32_t t[3];

	if (!dbg_focused(&f))
		return;
	dbg_thread_of(&f, dbg.focus.lane, t);
	b = f.c.seen.id;
	d = f.c.seen.task.block;
	g = f.c.seen.task.grid;
	dbg_say("threadIdx\t(%u,%u,%u)", t[0], t[1], t[2]);
	dbg_say("blockIdx\t(%u,%u,%u)", b[0], b[1], b[2]);
	dbg_say("blockDim\t(%u,%u,%u)", d[0], d[1], d[2]);
	dbg_say("gridDim\t(%u,%u,%u)", g[0], g[1], g[2]);
}

static void sharedvars(const char *args)
{
	struct dbg_warp f;
	char name[256];
	struct dbg_value v;

	if (!dbg_focused(&f) || !f.code.img)
		return;
	for (uint32_t i = 0; i < f.code.img->num_symbols; i++) {
		const struct ppu_symbol *s = &f.code.img->symbols[i];

		if (s->kind == PPU_SYM_SHARED && s->value + s->size <= f.c.shared_bytes &&
		    !dbg_eval(s->name, &f, dbg.focus.lane, &v, NULL))
			dbg_say("%s\t0x%llx%s", dbg_demangled(s->name, name, sizeof(name)), (unsigned long long)v.i, s->size > 4 ? ", ..." : "");
	}
}

/* "ADDRESS BYTES": as far as it can be read, in hexadecimal. */
static void read_memory(const char *args)
{
	struct dbg_address a;
	struct dbg_warp f;
	bool has = dbg_focused(&f);
	const char *rest;
	uint8_t bytes[4096];
	char text[2 * sizeof(bytes) + 1];
	uint64_t n, got;

	if (dbg_eval_address(args, has ? &f : NULL, dbg.focus.lane, &a, &rest))
		return;
	n = strtoul(rest, NULL, 0);
	got = dbg_read(&a, has ? &f : NULL, dbg.focus.lane, bytes, n < sizeof(bytes) ? n : sizeof(bytes));
	for (uint64_t i = 0; i < got; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	text[2 * got] = 0;
	dbg_say("%s", text);
}

void dbg_cmd_machine(const char *args)
{
	static const struct {
		const char *name;
		void (*fn)(const char *args);
	} what[] = {
		{ "threads", threads }, { "stack", stack }, { "thread", thread }, { "registers", registers },
		{ "parameters", parameters }, { "locals", locals }, { "shared", sharedvars }, { "select", select_thread }, { "read", read_memory },
	};
	size_t n = strcspn(args, " ");

	for (size_t i = 0; i < sizeof(what) / sizeof(what[0]); i++)
		if (strlen(what[i].name) == n && !strncmp(args, what[i].name, n))
			what[i].fn(args + n + strspn(args + n, " "));
}
