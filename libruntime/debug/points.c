/* SPDX-License-Identifier: MIT */
/* Breakpoints and watchpoints: what they are, and whether one is hit. */
#include <ctype.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/obj/image.h"
#include "debug/variable.h"

/* Modules come and go in any thread of the program, also while the device runs in another. */
static pthread_mutex_t sites = PTHREAD_MUTEX_INITIALIZER;

/* ---- where a breakpoint is --------------------------------------------------------------------------------------- */

static void add_site(struct dbg_point *p, const struct ppu_image *img, uint32_t pc)
{
	for (uint32_t i = 0; i < p->sites; i++)
		if (p->site[i].img == img && p->site[i].pc == pc)
			return;
	if (!PPU_GROW(p->site, p->sites))
		p->site[p->sites - 1] = (struct dbg_site){ img, pc };
}

/* The first line at or behind this one that has code in a file of that name; 0: none. */
static uint32_t code_line(const struct ppu_image *img, const struct dbg_point *p)
{
	uint32_t best = 0;

	for (uint32_t i = 0; i < img->num_lines; i++) {
		const struct ppu_line *l = &img->lines[i];

		if (l->line >= p->line && (!best || l->line < best) && dbg_is_file(img->files[l->file], p->file))
			best = l->line;
	}
	return best;
}

/* In each function the first instruction of the line. */
static void find_line(struct dbg_point *p, const struct ppu_image *img)
{
	uint32_t line = code_line(img, p);

	for (uint32_t s = 0; line && s < img->num_symbols; s++) {
		const struct ppu_symbol *f = &img->symbols[s];
		const struct ppu_line *first = NULL;

		if (!ppu_is_code(f->kind))
			continue;
		for (uint32_t i = 0; i < img->num_lines && !first; i++) {
			const struct ppu_line *l = &img->lines[i];

			if (l->line == line && l->pc >= f->value && l->pc < f->value + f->num_insns &&
			    dbg_is_file(img->files[l->file], p->file))
				first = l;
		}
		if (first)
			add_site(p, img, first->pc);
	}
}

static void find_sites(const struct ppu_image *img, void *arg)
{
	struct dbg_point *p = arg;

	if (p->kind != DBG_BREAK)
		return;
	if (p->file)
		find_line(p, img);
	for (uint32_t i = 0; p->function && i < img->num_symbols; i++)
		if (ppu_is_code(img->symbols[i].kind) && dbg_is_name(img->symbols[i].name, p->function))
			add_site(p, img, dbg_body(img, (uint32_t)img->symbols[i].value, img->symbols[i].num_insns));
	if (!p->file && !p->function && p->pc < img->num_insns)
		add_site(p, img, (uint32_t)p->pc);
}

void dbg_image_came(const struct ppu_image *img)
{
	pthread_mutex_lock(&sites);
	for (unsigned i = 0; i < dbg.points; i++)
		find_sites(img, dbg.point[i]);
	pthread_mutex_unlock(&sites);
}

void dbg_image_went(const struct ppu_image *img)
{
	pthread_mutex_lock(&sites);
	for (unsigned i = 0; i < dbg.points; i++) {
		struct dbg_point *p = dbg.point[i];

		for (uint32_t k = 0; k < p->sites;)
			if (p->site[k].img == img)
				p->site[k] = p->site[--p->sites];
			else
				k++;
	}
	pthread_mutex_unlock(&sites);
}

/* ---- hits -------------------------------------------------------------------------------------------------------- */

static bool is_site(const struct dbg_point *p, uint32_t pc, const struct ppu_image *img)
{
	for (uint32_t i = 0; i < p->sites; i++)
		if (p->site[i].pc == pc && p->site[i].img == img)
			return true;
	return false;
}

/* The first of these lanes for which the condition is true. */
static bool condition(const struct dbg_point *p, uint32_t sm, uint32_t slot, uint32_t lanes, uint32_t *lane)
{
	struct dbg_warp w;
	struct dbg_value v;

	if (!p->condition) {
		*lane = (uint32_t)__builtin_ctz(lanes);
		return true;
	}
	if (!dbg_look(sm, slot, &w))
		return false;
	FOR_LANES(i, lanes) {
		if (dbg_eval(p->condition, &w, i, &v, NULL) || (v.real ? v.f == 0 : !v.i))
			continue;
		*lane = i;
		return true;
	}
	return false;
}

struct dbg_point *dbg_break_at(const struct ppu_seen_insn *i, uint32_t *lane)
{
	const struct ppu_image *img = NULL;
	struct dbg_point *found = NULL;

	pthread_mutex_lock(&sites);
	for (unsigned k = 0; k < dbg.points && !found; k++) {
		struct dbg_point *p = dbg.point[k];

		if (p->off || !p->sites)
			continue;
		if (!img)
			img = dbg_code_of(i->inst, i->task_id).img;
		if (is_site(p, i->pc, img) && condition(p, i->sm, i->slot, i->lanes, lane))
			found = p;
	}
	pthread_mutex_unlock(&sites);
	return found;
}

void dbg_watch_before(void)
{
	for (unsigned i = 0; i < dbg.points; i++)
		if (dbg.point[i]->kind != DBG_BREAK)
			dbg_read_memory(&dbg.point[i]->m, dbg.point[i]->old);
}

uint32_t dbg_lanes_at(const struct dbg_memory *m, const struct ppu_seen_access *a)
{
	uint32_t lanes = 0;

	if (a->space != m->at.space)
		return 0;
	if (m->at.space == PPU_SPACE_GLOBAL ? a->at.cta->task.inst != m->inst :
	    a->at.cta->task.serial != m->serial || a->at.cta->index != m->cta)
		return 0;
	FOR_LANES(i, a->lanes)
		if (a->addr[i] < m->at.addr + m->bytes && m->at.addr < a->addr[i] + a->bytes)
			lanes |= 1u << i;
	if (a->fault)
		lanes &= (1u << a->fault_lane) - 1;
	if (m->at.space == PPU_SPACE_LOCAL)
		lanes &= a->at.warp == m->warp ? 1u << m->lane : 0;
	return lanes;
}

uint64_t dbg_read_memory(const struct dbg_memory *m, uint8_t *bytes)
{
	struct dbg_warp w;

	if (m->at.space == PPU_SPACE_GLOBAL)
		return dbg_read(&m->at, NULL, 0, bytes, m->bytes);
	return dbg_look(dbg.last.sm, dbg.last.slot, &w) ? dbg_read(&m->at, &w, m->lane, bytes, m->bytes) : 0;
}

static bool kind_fits(const struct dbg_point *p, enum ppu_seen_kind kind)
{
	switch (p->kind) {
	case DBG_WATCH_READ:	return kind != PPU_SEEN_WRITE;
	case DBG_WATCH_ANY:	return true;
	case DBG_WATCH_WRITE: case DBG_WATCH_CHANGE: return kind != PPU_SEEN_READ;
	default:		return false;
	}
}

struct dbg_point *dbg_watch_hit(const struct ppu_seen_access *a, uint32_t *lane)
{
	uint8_t now[16];

	for (unsigned i = 0; i < dbg.points; i++) {
		struct dbg_point *p = dbg.point[i];
		uint32_t lanes;

		if (p->off || p->kind == DBG_BREAK || !kind_fits(p, a->kind))
			continue;
		lanes = dbg_lanes_at(&p->m, a);
		if (!lanes || (p->kind == DBG_WATCH_CHANGE && dbg_read_memory(&p->m, now) == p->m.bytes && !memcmp(now, p->old, p->m.bytes)))
			continue;
		/* Of several that write, the last one stays. */
		*lane = 31u - (uint32_t)__builtin_clz(lanes);
		if (!p->condition || condition(p, dbg.last.sm, dbg.last.slot, lanes, lane))
			return p;
	}
	return NULL;
}

/* ---- commands ------------------------------------------------------------------------------------------------------ */

static void count_watches(void)
{
	dbg.stores = dbg.loads = false;
	for (unsigned i = 0; i < dbg.points; i++) {
		dbg.stores |= dbg.point[i]->kind != DBG_BREAK;
		dbg.loads |= dbg.point[i]->kind == DBG_WATCH_READ || dbg.point[i]->kind == DBG_WATCH_ANY;
	}
}

static void point_free(struct dbg_point *p)
{
	free(p->text);
	free(p->condition);
	free(p->file);
	free(p->function);
	free(p->site);
	free(p);
}

void dbg_point_remove(struct dbg_point *p)
{
	pthread_mutex_lock(&sites);
	for (unsigned i = 0; i < dbg.points; i++)
		if (dbg.point[i] == p) {
			memmove(dbg.point + i, dbg.point + i + 1, (dbg.points - i - 1) * sizeof(p));
			dbg.points--;
			break;
		}
	pthread_mutex_unlock(&sites);
	if (dbg.stop.point == p)
		dbg.stop.point = NULL;
	point_free(p);
	count_watches();
}

/* "LOCATION [if CONDITION]": the condition is cut off. */
static char *cut_condition(char *text)
{
	char *at = strstr(text, " if ");

	if (!at)
		return NULL;
	*at = 0;
	return strdup(at + 4);
}

static bool add_point(struct dbg_point *p)
{
	struct dbg_point **v;

	/* Whoever loads a module meanwhile looks at all of them, and adds sites. */
	pthread_mutex_lock(&sites);
	v = realloc(dbg.point, (dbg.points + 1) * sizeof(*v));
	if (!v) {
		pthread_mutex_unlock(&sites);
		dbg_say("No memory.");
		point_free(p);
		return false;
	}
	p->number = ++dbg.next_number;
	dbg.point = v;
	dbg.point[dbg.points++] = p;
	dbg_each_image(find_sites, p);
	pthread_mutex_unlock(&sites);
	count_watches();
	return true;
}

static void tell_break(const struct dbg_point *p)
{
	const char *what = p->temporary ? "Temporary breakpoint" : "Breakpoint";
	char place[512];

	pthread_mutex_lock(&sites);
	if (p->sites)
		dbg_say("%s %u at %s%s", what, p->number, dbg_place_text(p->site[0].img, p->site[0].pc, place, sizeof(place)),
			p->sites > 1 ? ", and other places" : "");
	else
		dbg_say("%s %u at %s: no module that is loaded has that; modules that come will be asked.", what, p->number, p->text);
	pthread_mutex_unlock(&sites);
}

/* FILE:LINE, LINE of the focus's file, *PC, or a function. */
static bool parse_location(struct dbg_point *p)
{
	const char *colon = strrchr(p->text, ':');
	struct dbg_value v;
	struct dbg_warp f;
	struct dbg_line l;

	p->pc = -1;
	if (*p->text == '*') {
		const char *err = dbg_eval(p->text + 1, NULL, 0, &v, NULL);

		if (!err && v.i < 0)
			err = "a pc is 0 or more";
		if (err)
			dbg_say("%s: %s.", p->text, err);
		p->pc = v.i;
		return !err;
	}
	if (colon && isdigit((unsigned char)colon[1])) {
		p->file = strndup(p->text, (size_t)(colon - p->text));
		p->line = (uint32_t)strtoul(colon + 1, NULL, 10);
	} else if (isdigit((unsigned char)*p->text)) {
		l = dbg_focused(&f) ? dbg_line_of(f.code.img, f.w.addr[dbg.focus.lane]) : (struct dbg_line){ NULL, 0 };
		if (!l.file) {
			dbg_say("No thread with a line is in focus, so say which file: FILE:LINE.");
			return false;
		}
		p->file = strdup(l.file);
		p->line = (uint32_t)strtoul(p->text, NULL, 10);
	} else {
		p->function = strdup(p->text);
	}
	return p->file || p->function;
}

static void set_break(const char *args, bool temporary)
{
	struct dbg_point *p = calloc(1, sizeof(*p));
	struct dbg_warp f;

	if (p)
		p->text = strdup(args);
	if (!p || !p->text) {
		free(p);
		return;
	}
	p->kind = DBG_BREAK;
	p->temporary = temporary;
	p->condition = cut_condition(p->text);
	if (!*p->text && dbg_focused(&f)) {
		free(p->text);
		p->text = malloc(32);
		if (p->text)
			snprintf(p->text, 32, "*%u", f.w.addr[dbg.focus.lane]);
	}
	if (!p->text || !*p->text) {
		dbg_say("break FILE:LINE | FUNCTION | *PC [if CONDITION]");
		point_free(p);
	} else if (!parse_location(p)) {
		point_free(p);
	} else if (add_point(p)) {
		tell_break(p);
	}
}

void dbg_cmd_break(const char *args)
{
	set_break(args, false);
}

void dbg_cmd_tbreak(const char *args)
{
	set_break(args, true);
}

/* "ADDRESS[, BYTES]" */
static const char *parse_watch(struct dbg_point *p)
{
	struct dbg_warp f;
	bool has = dbg_focused(&f);
	const char *rest, *err = dbg_eval_address(p->text, has ? &f : NULL, dbg.focus.lane, &p->m.at, &rest);
	struct dbg_value v = { .i = 4 };

	if (!err && *rest == ',')
		err = dbg_eval(rest + 1, NULL, 0, &v, NULL);
	else if (!err && *rest)
		err = "this is no address";
	if (err)
		return err;
	if (v.i < 1 || v.i > 16)
		return "1 to 16 bytes can be watched";
	p->m.bytes = (uint32_t)v.i;
	if (p->m.at.space != PPU_SPACE_GLOBAL && !has)
		return "no thread is in focus, whose memory it would be";
	p->m.inst = has ? f.c.seen.task.inst : dbg.inst;
	p->m.serial = dbg.focus.serial;
	p->m.cta = dbg.focus.cta;
	p->m.warp = dbg.focus.warp;
	p->m.lane = dbg.focus.lane;
	if (dbg_read(&p->m.at, has ? &f : NULL, p->m.lane, p->old, p->m.bytes) != p->m.bytes)
		return "no memory that can be read is there";
	return NULL;
}

static void set_watch(const char *args, enum dbg_kind kind)
{
	static const char *const words[] = {
		[DBG_WATCH_CHANGE] = "changes of", [DBG_WATCH_WRITE] = "writes to", [DBG_WATCH_READ] = "reads of",
		[DBG_WATCH_ANY] = "accesses to",
	};
	struct dbg_point *p = calloc(1, sizeof(*p));
	const char *err;

	if (p)
		p->text = strdup(args);
	if (!p || !p->text) {
		free(p);
		return;
	}
	p->kind = kind;
	p->condition = cut_condition(p->text);
	err = parse_watch(p);
	if (err) {
		dbg_say("%s: %s.", p->text, err);
		point_free(p);
	} else if (add_point(p)) {
		dbg_say("Watchpoint %u: %s %u bytes of %s memory at 0x%llx", p->number, words[kind], p->m.bytes,
			dbg_space_name(p->m.at.space), (unsigned long long)p->m.at.addr);
	}
}

void dbg_cmd_watch(const char *args)
{
	set_watch(args, DBG_WATCH_CHANGE);
}

void dbg_cmd_wwatch(const char *args)
{
	set_watch(args, DBG_WATCH_WRITE);
}

void dbg_cmd_rwatch(const char *args)
{
	set_watch(args, DBG_WATCH_READ);
}

void dbg_cmd_awatch(const char *args)
{
	set_watch(args, DBG_WATCH_ANY);
}

static struct dbg_point *by_number(const char **args)
{
	char *end;
	unsigned long n = strtoul(*args, &end, 10);

	if (end != *args)
		for (unsigned i = 0; i < dbg.points; i++)
			if (dbg.point[i]->number == n) {
				*args = end + strspn(end, " \t");
				return dbg.point[i];
			}
	dbg_say("There is no breakpoint of that number: \"info breakpoints\" has them.");
	return NULL;
}

void dbg_cmd_delete(const char *args)
{
	struct dbg_point *p;

	if (!*args) {
		while (dbg.points)
			dbg_point_remove(dbg.point[dbg.points - 1]);
		return;
	}
	while (*args && (p = by_number(&args)))
		dbg_point_remove(p);
}

static void set_off(const char *args, bool off)
{
	struct dbg_point *p;

	for (unsigned i = 0; !*args && i < dbg.points; i++)
		dbg.point[i]->off = off;
	while (*args && (p = by_number(&args)))
		p->off = off;
}

void dbg_cmd_enable(const char *args)
{
	set_off(args, false);
}

void dbg_cmd_disable(const char *args)
{
	set_off(args, true);
}

void dbg_cmd_condition(const char *args)
{
	struct dbg_point *p = by_number(&args);

	if (!p)
		return;
	free(p->condition);
	p->condition = *args ? strdup(args) : NULL;
	dbg_say(*args ? "Breakpoint %u stops if %s." : "Breakpoint %u stops always.%s", p->number, args);
}

void dbg_cmd_ignore(const char *args)
{
	struct dbg_point *p = by_number(&args);

	if (!p)
		return;
	p->ignore = (unsigned)strtoul(args, NULL, 0);
	dbg_say("The next %u hits of breakpoint %u do not stop.", p->ignore, p->number);
}

static const struct catch {
	const char *name;
	bool *on;
	const char *words;
} catches[] = {
	{ "begin", &dbg.catch_begin, "Stops when a kernel begins." },
	{ "end", &dbg.catch_end, "Stops when a kernel ends." },
	{ "host", &dbg.catch_host, "Stops before the program goes on." },
	{ "checker", &dbg.catch_checker, "Stops at what ppu-check finds." },
};
#define NUM_CATCHES	(sizeof(catches) / sizeof(catches[0]))

void dbg_cmd_catch(const char *args)
{
	size_t len = strcspn(args, " \t"), i = 0;
	const char *how = args + len + strspn(args + len, " \t");

	while (i < NUM_CATCHES && (strlen(catches[i].name) != len || strncmp(catches[i].name, args, len) != 0))
		i++;
	if (i == NUM_CATCHES || (*how && strcmp(how, "on") != 0 && strcmp(how, "off") != 0)) {
		dbg_say("catch begin | end | host | checker [on | off]: stops when a kernel begins or ends, before the program goes on after "
			"it waited, or at what ppu-check finds.");
		return;
	}
	*catches[i].on = *how ? !strcmp(how, "on") : !*catches[i].on;
	if (catches[i].on == &dbg.catch_checker && !dbg.checker)
		dbg_say("Nobody checks: \"ppu-dbg --check TOOL\".");
	else
		dbg_say("%s", *catches[i].on ? catches[i].words : "No more.");
}

void dbg_info_points(const char *args)
{
	char place[512];

	if (!dbg.points)
		dbg_say("There are no breakpoints.");
	for (unsigned i = 0; i < dbg.points; i++) {
		const struct dbg_point *p = dbg.point[i];

		dbg_say("%u  %s%s %s%s%s, hit %u time%s", p->number, p->off ? "(off) " : "", p->kind == DBG_BREAK ? "break" : "watch",
			p->text, p->condition ? " if " : "", p->condition ? p->condition : "", p->hits, p->hits == 1 ? "" : "s");
		pthread_mutex_lock(&sites);
		for (uint32_t k = 0; k < p->sites; k++)
			dbg_say("    %s", dbg_place_text(p->site[k].img, p->site[k].pc, place, sizeof(place)));
		pthread_mutex_unlock(&sites);
	}
}
