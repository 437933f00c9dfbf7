/* SPDX-License-Identifier: MIT */
/* What is shown of the device that stands still. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <hw/ppu_fault.h>

#include "compiler/obj/image.h"
#include "debug/variable.h"

/* ---- places --------------------------------------------------------------------------------------------------- */

const char *dbg_place_text(const struct ppu_image *img, uint32_t pc, char *buf, size_t len)
{
	struct dbg_line l = dbg_line_of(img, pc);
	char function[256];
	int n;

	dbg_function_text(img, pc, function, sizeof(function));
	n = snprintf(buf, len, "%s, ", function);
	if (l.file && n > 0 && (size_t)n < len)
		n += snprintf(buf + n, len - (size_t)n, "%s:%u, ", l.file, l.line);
	if (n > 0 && (size_t)n < len)
		snprintf(buf + n, len - (size_t)n, "pc %u", pc);
	return buf;
}

static void show_source(const struct ppu_image *img, uint32_t pc)
{
	struct dbg_line l = dbg_line_of(img, pc);
	char text[512];

	if (l.file && dbg_source(l.file, l.line, text, sizeof(text)))
		dbg_say("%u\t%s", l.line, text + strspn(text, " \t"));
}

void dbg_show_place(void)
{
	char who[160], place[512];
	struct dbg_warp f;
	uint32_t pc;

	if (!dbg_focused(&f)) {
		dbg_say(dbg.focus.is ? "The thread in focus is not on the device now." : "No thread is in focus.");
		return;
	}
	pc = f.w.addr[dbg.focus.lane];
	dbg_say("%s (warp %u, lane %u, SM %u)%s", dbg_thread_text(&f, dbg.focus.lane, who, sizeof(who)), f.w.index, dbg.focus.lane,
		f.sm, !(f.w.live >> dbg.focus.lane & 1) ? ", has ended" : !(f.w.active >> dbg.focus.lane & 1) ? ", waits" : "");
	if (!(f.w.live >> dbg.focus.lane & 1))
		return;
	dbg_say("%s", dbg_place_text(f.code.img, pc, place, sizeof(place)));
	show_source(f.code.img, pc);
}

/* ---- stops ----------------------------------------------------------------------------------------------------- */

static const char *fault_words(uint32_t error)
{
	switch (error) {
#define E(name, code, scope, words) case (code): return words;
	PPU_ERRS(E)
#undef E
	default:
		return "a fault";
	}
}

static void show_watch(const struct dbg_point *p)
{
	uint8_t now[16] = { 0 };
	struct dbg_warp f;
	bool has = dbg_focused(&f);

	dbg_read(&p->m.at, has ? &f : NULL, p->m.lane, now, p->m.bytes);
	if (dbg.stop.at.kind == DBG_IN_ACCESS)
		dbg_say("Watchpoint %u, %s: 0x%llx -> 0x%llx, by the instruction at pc %u", p->number, p->text,
			(unsigned long long)dbg_word(p->old, p->m.bytes), (unsigned long long)dbg_word(now, p->m.bytes), dbg.last.pc);
	else
		dbg_say("Watchpoint %u, %s: the next instruction accesses it, which is 0x%llx", p->number, p->text,
			(unsigned long long)dbg_word(now, p->m.bytes));
}

static void show_kernel(const char *what)
{
	struct dbg_code code = dbg_code_of(dbg.stop.inst, dbg.stop.task_id);
	char name[512];

	dbg_say("Kernel %u, %s, %s.", (uint32_t)dbg.stop.task_id,
		code.kernel ? dbg_demangled(code.kernel, name, sizeof(name)) : "?", what);
}

static unsigned thread_number(void)
{
	return dbg.focus.is ? dbg.focus.sm * 1024 + dbg.focus.slot + 1 : 0;
}

void dbg_show_stop(void)
{
	static const char *const reasons[] = {
		[DBG_OPENED] = "entry", [DBG_STEPPED] = "step", [DBG_AT_BREAK] = "breakpoint", [DBG_AT_WATCH] = "data breakpoint",
		[DBG_FAULTED] = "exception", [DBG_KERNEL_BEGAN] = "entry", [DBG_KERNEL_ENDED] = "pause", [DBG_HOST_GOES_ON] = "pause",
		[DBG_INTERRUPTED] = "pause", [DBG_TRAPS] = "exception", [DBG_THREAD_ENDED] = "step", [DBG_ARRIVED] = "goto",
		[DBG_BETWEEN] = "pause", [DBG_FROZEN] = "pause", [DBG_SPINS] = "pause", [DBG_FOUND] = "exception",
	};
	const struct dbg_stop *s = &dbg.stop;
	bool place = true;

	switch (s->why) {
	case DBG_AT_BREAK:
		dbg_say("Breakpoint %u:", s->point->number);
		break;
	case DBG_AT_WATCH:
		show_watch(s->point);
		break;
	case DBG_FAULTED:
		dbg_say("Fault: %s (address 0x%llx).", fault_words(s->error), (unsigned long long)s->address);
		break;
	case DBG_TRAPS:
		dbg_say("The next instruction is a trap or breakpoint of the program.");
		break;
	case DBG_KERNEL_BEGAN: case DBG_KERNEL_ENDED:
		show_kernel(s->why == DBG_KERNEL_BEGAN ? "begins" : "has ended");
		place = false;
		break;
	case DBG_HOST_GOES_ON:
		dbg_say("The program has waited for the device, and goes on now.  After that there is no way back.");
		place = false;
		break;
	case DBG_THREAD_ENDED:
		dbg_say("The thread in focus has ended.");
		place = false;
		break;
	case DBG_INTERRUPTED:
		dbg_say("Interrupted.");
		break;
	case DBG_FOUND:
		dbg_say("ppu-check: %s", s->found.what);
		place = s->found.focus.is;
		break;
	case DBG_FROZEN:
		dbg_show_frozen();
		break;
	case DBG_SPINS:
		dbg_say("The step takes long: perhaps it waits for threads that stand still.");
		dbg_show_way_on();
		break;
	default:
		break;
	}
	if (place)
		dbg_show_place();
	if (dbg.tell_blind)
		dbg_say("This is another run than ppu-check has seen, because others run or stand still now: it looks no more.");
	dbg.tell_blind = false;
	dbg_tell("stopped\t%s\t%u\t%llu", reasons[s->why], thread_number(), (unsigned long long)s->at.n);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static void format(const struct dbg_value *v, char how, char *buf, size_t len)
{
	if (how == 'x')
		snprintf(buf, len, "0x%llx", (unsigned long long)v->i);
	else if (how == 'u')
		snprintf(buf, len, "%llu", (unsigned long long)v->i);
	else if (how == 'f' || (v->real && how != 'd'))
		snprintf(buf, len, "%.9g", v->f);
	else
		snprintf(buf, len, "%lld", (long long)v->i);
}

/* The bytes of one element as a value. */
static struct dbg_value element(const uint8_t *p, unsigned bytes, char how)
{
	struct dbg_value v = { .i = 0 };
	uint64_t x = 0;
	float f32;

	memcpy(&x, p, bytes);
	if (how == 'd' && bytes < 8)
		v.i = (int64_t)(x << (64 - 8 * bytes)) >> (64 - 8 * bytes);
	else
		v.i = (int64_t)x;
	memcpy(&f32, p, sizeof(f32) < bytes ? sizeof(f32) : bytes);
	v.f = (double)v.i;
	if (how == 'f' && bytes == 4)
		v.f = (double)f32;
	if (how == 'f' && bytes == 8)
		memcpy(&v.f, p, 8);
	return v;
}

/* "/x": how, and where the rest begins. */
static const char *take_format(const char *args, char *how)
{
	*how = 0;
	if (*args != '/')
		return args;
	*how = args[1];
	args += 1 + (args[1] != 0);
	return args + strspn(args, " \t");
}

#define MOST_ELEMENTS	64u

static bool print_array(const char *name, const struct dbg_warp *f, char how)
{
	uint8_t bytes[4 * MOST_ELEMENTS] = { 0 };
	struct dbg_address a;
	uint64_t size, n;
	char text[MOST_ELEMENTS * 24] = "", one[32];

	if (!dbg_symbol(f ? f->c.seen.task.inst : 0, f ? f->code.img : NULL, name, &a.space, &a.addr, &size) || size <= 4)
		return false;
	n = size / 4 < MOST_ELEMENTS ? size / 4 : MOST_ELEMENTS;
	n = dbg_read(&a, f, dbg.focus.lane, bytes, 4 * n) / 4;
	for (uint64_t i = 0; i < n; i++) {
		struct dbg_value v = element(bytes + 4 * i, 4, how ? how : 'd');

		format(&v, how, one, sizeof(one));
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? ", " : "", one);
	}
	dbg_say("{%s%s}", text, size / 4 > n ? ", ..." : "");
	return true;
}

/* What the debug sections describe, if that is all of the text. */
static bool print_object(const char *text, const struct dbg_warp *f, char how)
{
	const char *rest, *err;
	struct dbg_object o;
	char value[4096];

	if (!dbg_object_of(text, f, dbg.focus.lane, 0, &o, &rest, &err) || (!err && *rest))
		return false;
	if (err)
		dbg_say("%s: %s.", text, err);
	else
		dbg_say("%s", dbg_object_text(&o, f, dbg.focus.lane, how, value, sizeof(value)));
	return true;
}

void dbg_cmd_print(const char *args)
{
	struct dbg_value v;
	struct dbg_warp f;
	char how, text[64];
	bool has = dbg_focused(&f);
	const char *err;

	args = take_format(args, &how);
	if (has && print_object(args, &f, how))
		return;
	if (print_array(args, has ? &f : NULL, how))
		return;
	err = dbg_eval(args, has ? &f : NULL, dbg.focus.lane, &v, NULL);
	if (err) {
		dbg_say("%s: %s.", args, err);
		return;
	}
	format(&v, how, text, sizeof(text));
	dbg_say("%s", text);
}

/* x/8xw: how many, how, of which size. */
static const char *parse_x(const char *args, unsigned *n, char *how, unsigned *bytes)
{
	static const char units[] = "bhwg";
	char *end;

	*n = 1;
	*how = 'x';
	*bytes = 4;
	if (*args != '/')
		return args;
	*n = (unsigned)strtoul(++args, &end, 10);
	if (end == args)
		*n = 1;
	for (args = end; isalpha((unsigned char)*args); args++) {
		const char *u = strchr(units, *args);

		if (u)
			*bytes = 1u << (u - units);
		else
			*how = *args;
	}
	return args + strspn(args, " \t");
}

void dbg_cmd_x(const char *args)
{
	unsigned n, bytes, per;
	struct dbg_address a;
	struct dbg_warp f;
	char how, line[512], one[64];
	bool has = dbg_focused(&f);
	const char *err;

	args = parse_x(args, &n, &how, &bytes);
	err = dbg_eval_address(args, has ? &f : NULL, dbg.focus.lane, &a, NULL);
	if (err) {
		dbg_say("%s: %s.", args, err);
		return;
	}
	per = 16 / bytes;
	for (unsigned i = 0; i < n && i < 4096; i += per) {
		snprintf(line, sizeof(line), "0x%llx:", (unsigned long long)a.addr);
		for (unsigned k = i; k < n && k < i + per; k++, a.addr += bytes) {
			uint8_t buf[8] = { 0 };
			struct dbg_value v;

			if (dbg_read(&a, has ? &f : NULL, dbg.focus.lane, buf, bytes) < bytes) {
				dbg_say("%s", line);
				dbg_say("No memory that can be read is at %s 0x%llx.", dbg_space_name(a.space), (unsigned long long)a.addr);
				return;
			}
			v = element(buf, bytes, how);
			if (how == 'x')
				snprintf(one, sizeof(one), "0x%0*llx", (int)(2 * bytes), (unsigned long long)v.i);
			else
				format(&v, how, one, sizeof(one));
			snprintf(line + strlen(line), sizeof(line) - strlen(line), "\t%s", one);
		}
		dbg_say("%s", line);
	}
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

static bool focus_or_say(struct dbg_warp *f)
{
	if (dbg_focused(f))
		return true;
	dbg_say("No thread is in focus.");
	return false;
}

void dbg_cmd_where(const char *args)
{
	struct dbg_warp f;
	char place[512];
	unsigned depth = 0;

	if (!focus_or_say(&f))
		return;
	dbg_say("#0  %s", dbg_place_text(f.code.img, f.w.addr[dbg.focus.lane], place, sizeof(place)));
	for (uint32_t i = 0; i < f.w.tokens && i < PPU_LOOK_TOKENS; i++)
		if (PPU_TOK_TYPE(f.w.token[i]) == PPU_REASON_CALL && (PPU_TOK_MASK(f.w.token[i]) >> dbg.focus.lane & 1))
			dbg_say("#%u  %s", ++depth, dbg_place_text(f.code.img, PPU_TOK_ADDR(f.w.token[i]), place, sizeof(place)));
}

void dbg_cmd_list(const char *args)
{
	struct dbg_warp f;
	struct dbg_line l;
	char text[512];

	if (!focus_or_say(&f))
		return;
	l = dbg_line_of(f.code.img, f.w.addr[dbg.focus.lane]);
	if (!l.file) {
		dbg_say("The kernel has no lines: build it with -lineinfo.");
		return;
	}
	for (uint32_t i = l.line > 5 ? l.line - 5 : 1, end = i + 10; i < end; i++)
		if (dbg_source(l.file, i, text, sizeof(text)))
			dbg_say("%s%u\t%s", i == l.line ? "=> " : "   ", i, text);
}

void dbg_cmd_disassemble(const char *args)
{
	struct dbg_warp f;
	char text[256];
	uint32_t pc, from, to;

	if (!focus_or_say(&f) || !f.code.img)
		return;
	pc = f.w.addr[dbg.focus.lane];
	from = pc > 6 ? pc - 6 : 0;
	to = pc + 8 < f.code.img->num_insns ? pc + 8 : f.code.img->num_insns;
	for (uint32_t i = from; i < to; i++) {
		ppu_disasm_insn(&f.code.img->code[i], i, text, sizeof(text));
		dbg_say("%s%u\t%s", i == pc ? "=> " : "   ", i, text);
	}
}

static void one_register(const struct dbg_warp *f, uint32_t n)
{
	uint32_t lanes[DBG_LANES];

	if (!dbg.ops->look_register(dbg.dev, f->sm, f->slot, n, lanes)) {
		dbg_say("The kernel has no register %u.", n);
		return;
	}
	for (uint32_t i = 0; i < DBG_LANES; i += 4)
		dbg_say("r%u of lanes %2u to %2u:  0x%08x 0x%08x 0x%08x 0x%08x", n, i, i + 3, lanes[i], lanes[i + 1], lanes[i + 2],
			lanes[i + 3]);
}

void dbg_info_registers(const char *args)
{
	uint32_t lanes[DBG_LANES];
	struct dbg_warp f;
	float real;

	if (!focus_or_say(&f))
		return;
	args += *args == '$';
	if (*args) {
		one_register(&f, (uint32_t)strtoul(args + (*args == 'r'), NULL, 10));
		return;
	}
	for (uint32_t n = 0; dbg.ops->look_register(dbg.dev, f.sm, f.slot, n, lanes); n++) {
		memcpy(&real, &lanes[dbg.focus.lane], sizeof(real));
		dbg_say("r%-3u 0x%08x  %11d  %.9g", n, lanes[dbg.focus.lane], (int32_t)lanes[dbg.focus.lane], (double)real);
	}
}

void dbg_info_predicates(const char *args)
{
	struct dbg_warp f;

	if (!focus_or_say(&f))
		return;
	for (unsigned n = 0; n < 15; n++)
		dbg_say("p%-2u %u  true for lanes 0x%08x", n, f.w.pred[n] >> dbg.focus.lane & 1, f.w.pred[n] & f.w.live);
}

static const struct ppu_symbol *kernel_symbol(const struct dbg_code *code)
{
	const struct ppu_symbol *s = code->img && code->kernel ? ppu_image_find(code->img, code->kernel) : NULL;

	return s && s->kind == PPU_SYM_KERNEL ? s : NULL;
}

void dbg_info_parameters(const char *args)
{
	const struct ppu_symbol *s;
	struct dbg_warp f;

	if (!focus_or_say(&f))
		return;
	s = kernel_symbol(&f.code);
	for (uint32_t i = 0; s && i < s->num_params; i++) {
		struct dbg_address a = { PPU_SPACE_PARAM, s->params[i].offset };
		uint8_t bytes[16] = { 0 };
		uint32_t n = s->params[i].size < 16 ? s->params[i].size : 16;

		dbg_read(&a, &f, dbg.focus.lane, bytes, n);
		dbg_say("param%u, %u bytes at param:0x%x:  0x%llx  %lld", i, s->params[i].size, s->params[i].offset,
			(unsigned long long)dbg_word(bytes, n), (long long)element(bytes, n < 8 ? n : 8, 'd').i);
	}
	if (!s || !s->num_params)
		dbg_say("The kernel has no parameters.");
}

void dbg_info_shared(const char *args)
{
	struct dbg_warp f;
	char name[512];
	unsigned n = 0;

	if (!focus_or_say(&f))
		return;
	for (uint32_t i = 0; f.code.img && i < f.code.img->num_symbols; i++) {
		const struct ppu_symbol *s = &f.code.img->symbols[i];

		if (s->kind != PPU_SYM_SHARED || s->value + s->size > f.c.shared_bytes)
			continue;
		n++;
		dbg_say("%s, %llu bytes at shared:0x%llx", dbg_demangled(strstr(s->name, "$_Z") ? strstr(s->name, "$_Z") + 1 : s->name, name, sizeof(name)), (unsigned long long)s->size,
			(unsigned long long)s->value);
	}
	if (!n)
		dbg_say("The kernel's module has no shared variables.");
}

void dbg_info_position(const char *args)
{
	dbg_say("Before instruction %llu of the device, up to %llu ns of its time.", (unsigned long long)dbg.stop.at.n,
		(unsigned long long)dbg.ops->now(dbg.dev));
	if (dbg.saves)
		dbg_say("The way back ends at instruction %llu; %u states are saved.", (unsigned long long)dbg.save[0].n, dbg.saves);
	else
		dbg_say("There is no way back.");
}

void dbg_info_digest(const char *args)
{
	dbg_say("%016llx", (unsigned long long)dbg.ops->digest(dbg.dev));
}
