/* SPDX-License-Identifier: MIT */
/*
 * Names of events, arguments and their values: from the lists in include/hw, which the device itself
 * uses.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_cmd.h>
#include <hw/ppu_fault.h>
#include <hw/ppu_isa.h>
#include <hw/ppu_regs.h>
#include "trace.h"

struct event_info {
	const char *name, *unit, *arg[4];
};
static const struct event_info events[PPU_TR_MAX] = {
#define T(name, num, u, a, b, c, d, doc) [num] = { #name, u, { a, b, c, d } },
	PPU_TRACE_EVENTS(T)
#undef T
};

const char *event_name(unsigned event)
{
	return event < PPU_TR_MAX ? events[event].name : NULL;
}

const char *event_unit(unsigned event)
{
	return events[event].unit;
}

const char *event_arg(unsigned event, unsigned k)
{
	return events[event].arg[k];
}

static const char *find_command(uint64_t op)
{
	switch (op) {
#define C(name, op, size, flags, classes, doc) case op: return #name;
	PPU_CMDS(C)
#undef C
	}
	return NULL;
}

static const char *find_error(uint64_t code)
{
	switch (code) {
#define E(name, code, scope, text) case code: return #name;
	PPU_ERRS(E)
#undef E
	}
	return NULL;
}

static const char *find_token(uint64_t type)
{
	switch (type) {
#define R(name, code, text) case code: return text;
	PPU_REASONS(R)
#undef R
	}
	return NULL;
}

static const char *pick(const char *const *names, size_t n, uint64_t i)
{
	return i < n ? names[i] : NULL;
}
#define PICK(names, i) pick(names, sizeof(names) / sizeof(names[0]), i)

static const char *const writers[] = {
	[PPU_TRW_COMMAND] = "command", [PPU_TRW_SM] = "sm", [PPU_TRW_CE] = "ce", [PPU_TRW_CPU] = "cpu",
	[PPU_TRW_TASK] = "task",
};
static const char *const blocks[] = {
	[PPU_TRB_ACQUIRE] = "acquire", [PPU_TRB_WFI] = "wfi", [PPU_TRB_ENGINE] = "engine",
	[PPU_TRB_TASKS] = "tasks", [PPU_TRB_GATE] = "gate",
};
static const char *const pends[] = {
	[PPU_TRP_NEW] = "new", [PPU_TRP_CHILDREN] = "children", [PPU_TRP_QUEUE] = "queue",
	[PPU_TRP_ORDER] = "order",
};
static const char *const suspends[] = { [PPU_TRS_CHILDREN] = "children", [PPU_TRS_QUEUE] = "queue" };
static const char *const saves[] = { [PPU_TRC_EVICTED] = "evicted", [PPU_TRC_CHILDREN] = "children" };
static const char *const classes[] = {
	[PPU_CLASS_COMPUTE] = "compute", [PPU_CLASS_COPY] = "copy", [PPU_CLASS_DEVQ] = "devq",
};

static const char *known(const char *name)
{
	return name ? name : "?";
}

const char *command_name(uint64_t opcode)
{
	return known(find_command(opcode));
}

const char *block_name(uint64_t reason)
{
	return known(PICK(blocks, reason));
}

const char *writer_name(uint64_t kind)
{
	return known(PICK(writers, kind));
}

const char *error_name(uint64_t code)
{
	return known(find_error(code));
}

const char *class_name(uint64_t cls)
{
	return known(PICK(classes, cls));
}

static bool is_hex(const char *arg)
{
	static const char *const hex[] = {
		"ring_va", "inst", "block_va", "addr", "operand0", "operand1", "dst", "va", "tmd",
		"token", "mask", "status", "task", "parent", "child", "taken", "left",
	};

	for (size_t i = 0; i < sizeof(hex) / sizeof(hex[0]); i++)
		if (!strcmp(arg, hex[i]))
			return true;
	return false;
}

static const char *reason_name(unsigned event, uint64_t v)
{
	switch (event) {
	case PPU_TR_BLOCK:
	case PPU_TR_UNBLOCK:
		return PICK(blocks, v);
	case PPU_TR_TASK_PEND:
		return PICK(pends, v);
	case PPU_TR_TASK_SUSPEND:
		return PICK(suspends, v);
	case PPU_TR_CTA_SAVE:
		return PICK(saves, v);
	default:
		return event >= PPU_TR_DIV_PUSH ? find_token(v) : NULL;
	}
}

/* The name of a value; NULL: the value is a plain number. */
static const char *value_name(const struct rec *r, const char *arg, uint64_t v)
{
	if (!strcmp(arg, "opcode"))
		return find_command(v);
	if (!strcmp(arg, "code") || !strcmp(arg, "error"))
		return find_error(v);
	if (!strcmp(arg, "kind"))
		return PICK(writers, v);
	if (!strcmp(arg, "class") || !strcmp(arg, "engine_class"))
		return PICK(classes, v);
	return strcmp(arg, "reason") ? NULL : reason_name(r->event, v);
}

static void number(struct arg *a, const char *name, uint64_t v)
{
	a->name = name;
	a->bare = true;
	snprintf(a->text, sizeof(a->text), "%" PRIu64, v);
}

static unsigned one_arg(const struct rec *r, const char *name, uint64_t v, struct arg *a)
{
	const char *text;

	if (!strcmp(name, "-"))
		return 0;
	if (!strcmp(name, "warp_pc")) {
		number(&a[0], "warp", v >> 24);
		number(&a[1], "pc", v & PPU_PC_MAX);
		return 2;
	}
	text = value_name(r, name, v);
	number(a, name, v);
	if (strstr(name, "head_tail")) {
		a->bare = false;
		snprintf(a->text, sizeof(a->text), "%u,%d", (unsigned)v, (int)(int32_t)(v >> 32));
	} else if (!strcmp(name, "token")) {
		a->bare = false;
		snprintf(a->text, sizeof(a->text), "%s/%08x/%u", known(find_token(PPU_TOK_TYPE(v))),
			 PPU_TOK_MASK(v), PPU_TOK_ADDR(v));
	} else if (text) {
		a->bare = false;
		snprintf(a->text, sizeof(a->text), "%s", text);
	} else if (is_hex(name)) {
		a->bare = false;
		snprintf(a->text, sizeof(a->text), "0x%" PRIx64, v);
	}
	return 1;
}

unsigned rec_args(const struct rec *r, struct arg args[MAX_ARGS])
{
	const struct event_info *e = &events[r->event];
	unsigned n = one_arg(r, e->arg[0], r->a, args);

	n += one_arg(r, e->arg[1], r->b, args + n);
	n += one_arg(r, e->arg[2], r->c, args + n);
	return n + one_arg(r, e->arg[3], r->d, args + n);
}
